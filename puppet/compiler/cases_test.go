package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// serverFacts are those of the server that made the recorded catalogs.
func serverFacts(env string) *value.Hash { return serverFactsOf(source.Puppet7, env) }

func serverFactsOf(l source.Language, env string) *value.Hash {
	return value.NewHash(value.String("serverversion"), value.String(l.Version()), value.String("servername"),
		value.String("puppet.example.com"),
		value.String("serverip"), value.String("192.0.2.1"), value.String("environment"), value.String(env))
}

func compileCase(t testing.TB, dir string, trace bool) (*eval.Result, error) {
	t.Helper()
	return compileWith(t, dir, compiler.Options{Trace: trace})
}

func compileWith(t testing.TB, dir string, opt compiler.Options) (*eval.Result, error) {
	t.Helper()
	opt.Language = max(opt.Language, source.Puppet7)
	opt.ServerFacts = serverFactsOf(opt.Language, filepath.Base(dir))
	opt.Roots = []string{live.ModulesDir}
	c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
	if err != nil {
		return nil, err
	}
	t.Cleanup(c.Close)
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{filepath.Join(dir, "facts.json")}}),
		filepath.Join(dir, "facts.json"))
	if err != nil {
		return nil, err
	}
	return c.Compile(context.Background(), compiler.Node{Facts: f})
}

// wired gives a compiled catalog the form of one that was read: types as data.
func wired(t testing.TB, c *catalog.Catalog) *catalog.Catalog {
	t.Helper()
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pure are the cases whose modules need no function written in Ruby beyond Puppet's own.
var pure = map[string]bool{"lang_roles_profiles": true, "lang_types_functions": true, "concat_motd": true,
	"archive_download": true, "powerdns_quagga": true}

// TestScoreSites compiles environments like those of real sites and compares with the catalogs that real Puppet made of
// them.
func TestScoreSites(t *testing.T) {
	dirs := live.Sites(t)
	good := 0
	for _, dir := range dirs {
		why := compareSite(t, dir)
		if why == "" {
			good++
			continue
		}
		t.Errorf("%s: %s", filepath.Base(dir), why)
	}
	t.Logf("score: sites %d/%d", good, len(dirs))
}

func compareSite(t *testing.T, dir string) string {
	res, err := compileCase(t, dir, false)
	if err != nil {
		return err.Error()
	}
	if res.Failure != nil {
		return res.Failure.String()
	}
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	res.Catalog.TrimPaths(dir)
	want.TrimPaths(dir)
	diff := catalog.Diff(wired(t, res.Catalog), want)
	if len(diff) > 12 {
		diff = append(diff[:12], "…")
	}
	return strings.Join(diff, "\n")
}
