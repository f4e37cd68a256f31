package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/puppet/bridge"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// TestScoreOther is TestScoreOwn for the functions of other repositories, stdlib's not among them. BUNRAKU_MODULES
// names their module paths, one repository a word: "/a/modules:/a/vendor /b/modules".
func TestScoreOther(t *testing.T) {
	live.Puppet(t)
	if os.Getenv("BUNRAKU_MODULES") == "" {
		t.Skip("no other modules: set BUNRAKU_MODULES to their module paths")
	}
	var sum comparison
	whole, asked := 0, 0
	for _, modules := range strings.Fields(os.Getenv("BUNRAKU_MODULES")) {
		dir := filepath.Join(t.TempDir(), "production")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "environment.conf"), []byte("modulepath = "+modules+"\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
		roots := filepath.SplitList(modules)
		env, err := environment.Open(dir, environment.Options{Roots: roots})
		if err != nil {
			t.Fatal(err)
		}
		w := &testWorld{env: env, ruby: map[string]*eval.Function{}}
		opt := bridge.Options{Version: "7.23.0", Site: site{env}, Settings: value.NewHash(value.String("environment"),
			value.String(env.Name), value.String("modulepath"),
			value.String(modules), value.String("strict"), value.String("warning"))}
		path := map[string]string{}
		for _, m := range env.Modules() {
			opt.Libraries = append(opt.Libraries, filepath.Join(m.Dir, "lib"))
			if m.Name == "stdlib" {
				continue
			}
			for _, sub := range []string{"functions", "parser/functions"} {
				top := filepath.Join(m.Dir, "lib/puppet", sub)
				filepath.WalkDir(top, func(p string, d os.DirEntry, err error) error {
					if err == nil && strings.HasSuffix(p, ".rb") {
						rest, _ := filepath.Rel(top, p)
						path[strings.ReplaceAll(strings.TrimSuffix(rest, ".rb"), "/", "::")] = p
					}
					return nil
				})
			}
		}
		files := source.NewDir(source.DirOptions{Roots: []string{dir}, Modules: roots})
		w.fresh = func() *bridge.Bridge {
			limits := ruby.DefaultLimits()
			limits.State = &ruby.Globals{}
			return bridge.NewOwn(opt, bridge.Own{Library: library(), Files: files, Limits: limits})
		}
		where := asking
		where.Environment = dir
		w.at = &where
		c := compareAt(t, w, path, func(qs []ask.Question) []string { return where.Puppet(t, qs) })
		asked += len(c.asked)
		for _, name := range c.asked {
			if c.differ[name] == 0 && c.unknown[name] == 0 {
				whole++
			}
		}
		sum.equal, sum.open, sum.total = sum.equal+c.equal, sum.open+c.open, sum.total+c.total
		t.Logf("score: own engine, functions of %s: %d functions; of %d calls %d equal, %d unknown, %d wrong in %d functions",
			modules, len(c.asked), c.total, c.equal, c.open, c.total-c.equal-c.open, len(c.differ))
		if len(c.differ) > 0 {
			t.Errorf("%d functions give wrong answers", len(c.differ))
		}
	}
	t.Logf("score: own engine, functions of other repositories %d/%d on all calls; of %d calls %d equal, %d unknown",
		whole, asked, sum.total, sum.equal, sum.open)
}
