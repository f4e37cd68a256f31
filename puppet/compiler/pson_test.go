package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// The parsepson of stdlib 9 fails in Puppet 8, where strict is error, because it is deprecated; a default saves it.
func TestDeprecatedParsePSON(t *testing.T) {
	live.Puppet(t)
	stdlib := live.Fetched(t, filepath.Join("lint-modules", "puppetlabs_puppetlabs-stdlib"))
	for call, want := range map[string]string{`parsepson('{"a":1}')`: "deprecation. parsepson. This method is deprecated.",
		`parsepson('{"a":1}', 'other')`: ""} {
		dir := filepath.Join(t.TempDir(), "production")
		write(t, dir, map[string]string{"environment.conf": "modulepath = modules\nmanifest = site.pp\n",
			"facts.json": `{"fqdn": "n.example.com"}`, "site.pp": "notify { 'n': message => " + call + " }\n",
			"modules/README": ""})
		if err := os.Symlink(stdlib, filepath.Join(dir, "modules", "stdlib")); err != nil {
			t.Fatal(err)
		}
		answer := live.Other(t, "8").Compile(t, []string{dir})[0]
		if !strings.Contains(answer, want) || strings.HasPrefix(answer, `{"error"`) != (want != "") {
			t.Errorf("Puppet: %s", answer)
		}
		c, err := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8, Roots: []string{stdlib},
			ServerFacts: serverFactsOf(source.Puppet8, filepath.Base(dir))}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "facts.json")
		f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{path}}), path)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Compile(context.Background(), compiler.Node{Facts: f})
		c.Close()
		if err != nil {
			t.Fatal(err)
		}
		if why := compareNode(t, res, answer); why != "" {
			t.Errorf("%s: %s", call, why)
		}
	}
}
