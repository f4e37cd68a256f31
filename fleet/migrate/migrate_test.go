package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

const hiera = "version: 5\nhierarchy:\n  - {name: c, path: common.yaml}\n"

// What stands in the way of Puppet 8 is found, and the edits take it away: the catalog is then the one of Puppet 7.
func TestMigrate(t *testing.T) {
	for name, c := range map[string]struct {
		manifest, data string
		steps          int
		same           bool
	}{
		"nothing":                      {"notify { 'a': }", "", 0, true},
		"a legacy fact":                {"notify { 'a': message => $osfamily }", "", 1, true},
		"a legacy fact at the top":     {"notify { 'a': message => $::osfamily }", "", 1, true},
		"in braces":                    {"notify { 'a': message => \"is ${osfamily}\" }", "", 1, true},
		"in braces, at the top":        {"notify { 'a': message => \"is ${::osfamily}\" }", "", 1, true},
		"in a text without braces":     {"notify { 'a': message => \"is $osfamily here\" }", "", 1, true},
		"in a condition":               {"if $operatingsystem == 'Debian' { notify { 'a': } }", "", 1, true},
		"in a case":                    {"case $::osfamily { 'Debian': { notify { 'a': } } default: { } }", "", 1, true},
		"several":                      {"notify { $osfamily: message => \"${operatingsystem} ${fqdn}\" }", "", 3, true},
		"an unknown variable":          {"notify { 'a': message => $nosuch }", "", 1, true},
		"one in a text":                {"notify { 'a': message => \"x${nosuch}y\" }", "", 1, true},
		"one in a text, bare":          {"notify { 'a': message => \"x$nosuch y\" }", "", 1, true},
		"of a class that is not there": {"notify { 'a': message => $k::x }\nclass k { $x = 1 }", "", 1, true},
		"a coerced sum":                {"notify { 'a': message => '1' + 1 }", "", 1, true},
		"a coerced variable":           {"$x = '5'\nnotify { 'a': message => 3 * $x }", "", 1, true},
		"both sides":                   {"notify { 'a': message => '1' + '2' }", "", 2, true},
		"data":                         {"notify { 'a': message => lookup('k') }", "k: \"x %{nosuch} y\"\n", 1, true},
		"data with a fact": {"notify { 'a': message => lookup('k') }",
			"k: \"x %{osfamily} %{::operatingsystem} y\"\n", 2, true},
		"data with a method": {"notify { 'a': message => lookup('k') }", "k: \"x %{scope('osfamily')} y\"\n", 1,
			true},
		"data of a parameter":       {"class k($p) { notify { $p: } }\ninclude k", "k::p: \"x %{osfamily}\"\n", 1, true},
		"a key twice":               {"notify { 'a': message => { 'k' => 1, 'k' => 2 } }", "", 1, false},
		"a change that is no error": {"notify { 'a': message => max(SemVer('1.10.0'), SemVer('1.9.0')) }", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range map[string]string{"manifests/site.pp": c.manifest + "\n", "hiera.yaml": hiera,
				"data/common.yaml": c.data} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, err := facts.Parse(source.NewFile("n.json", `{"fqdn": "n.example.com", "osfamily": "Debian", "operatingsystem": "Debian",
				"os": {"family": "Debian", "name": "Debian"}, "networking": {"fqdn": "n.example.com"}}`), "n.example.com")
			if err != nil {
				t.Fatal(err)
			}
			before := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet7})
			after := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8})
			m, err := fleet.Migrate(context.Background(), before, after, before.Disk(), compiler.Node{Facts: f})
			if err != nil {
				t.Fatal(err)
			}
			if m.Failure != nil || len(m.Steps) != c.steps || m.Same() != c.same {
				t.Errorf("same: %v, done: %v, failure: %v, changes: %q, steps:", m.Same(), m.Done, m.Failure, m.Changes)
				for _, s := range m.Steps {
					t.Errorf("%s\n  edit %+v", s.Trouble, s.Edit)
				}
			}
		})
	}
}
