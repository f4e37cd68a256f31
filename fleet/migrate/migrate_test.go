package migrate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"bunraku/fleet/migrate"
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
		"several":                      {"notify { $osfamily: message => \"${operatingsystem} ${fqdn}\" }", "", 1, true},
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
		"a key twice":               {"notify { 'a': message => { 'k' => 1, 'k' => 2 } }", "", 1, true},
		"an old fact in $facts":     {"notify { 'a': message => $facts['osfamily'] }", "", 1, true},
		"an old fact that decides":  {"if $facts['osfamily'] != 'Debian' { fail('no') }", "", 1, true},
		"an old fact in data":       {"notify { 'a': message => lookup('k') }", "k: \"%{facts.osfamily}\"\n", 1, true},
		"an interface":              {"notify { 'a': message => $ipaddress_eth0_1 }", "", 1, true},
		"an interface that is gone": {"notify { 'a': message => \"<${ipaddress_eth9}>\" }", "", 1, true},
		"a key for 8 alone":         {"notify { 'a': message => { File['/a'] => 1, Exec['/a'] => 2 }.length }", "", 1, true},
		"no pairs":                  {"notify { 'a': message => ({ 'a' => 1 } + [['b']]).length }", "", 1, true},
		"a template":                {"notify { 'a': message => inline_template('<%= @osfamily %>') }", "", 1, true},
		"an override too late": {"class k { e { 'y': } }\ndefine e { D <| |> { p => 2 } }\ndefine d($p = 1) { }\ninclude " +
			"k\nd { 'x': }", "",
			1, false},
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
			f, err := facts.Parse(source.NewFile("n.json",
				`{"fqdn": "n.example.com", "osfamily": "Debian", "operatingsystem": "Debian",
				"os": {"family": "Debian", "name": "Debian"}, "networking": {"fqdn": "n.example.com", "interfaces": {"eth0.1": {"ip": "10.0.0.1"}}}, "ipaddress_eth0_1": "10.0.0.1"}`), "n.example.com")
			if err != nil {
				t.Fatal(err)
			}
			before := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet7})
			after := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8})
			m, err := migrate.New(dir, before, after, before.Disk()).Node(context.Background(), compiler.Node{Facts: f})
			if err != nil {
				t.Fatal(err)
			}
			if m.Failure != nil || len(m.Steps) != c.steps || m.Same() != c.same {
				t.Errorf("same: %v, done: %v, failure: %v, changes: %q, steps:", m.Same(), m.Done, m.Failure, m.Changes)
				for _, s := range m.Steps {
					t.Errorf("%s\n  edits %+v", s.Trouble, s.Edits)
				}
			}
		})
	}
}

// Edits for one node are tried on the others, and what does not hold there is told.
func TestConfirm(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{"manifests/site.pp": "if $facts['kernel'] == 'Linux' {\n  notify { 'a': message " +
		"=> $osfamily }\n}\n"})
	node := func(name, kernel string) compiler.Node {
		f, err := facts.Parse(source.NewFile(name+".json", `{"kernel": "`+kernel+
			`", "osfamily": "X", "os": {"family": "X"}}`), name)
		if err != nil {
			t.Fatal(err)
		}
		f.Name = name
		return compiler.Node{Facts: f}
	}
	before := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet7})
	after := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8})
	g := migrate.New(dir, before, after, before.Disk())
	nodes := []compiler.Node{node("one", "Windows"), node("two", "Linux"), node("three", "Linux")}
	var moves []*migrate.Move
	for _, n := range nodes {
		m, err := g.Node(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	for i, m := range moves {
		if err := g.Confirm(context.Background(), m, nodes[i]); err != nil {
			t.Fatal(err)
		}
		if !m.Same() {
			t.Errorf("%s: %+v", m.Node, m)
		}
	}
	if len(moves[0].Steps) != 0 || len(moves[1].Steps) != 1 || len(moves[2].Steps) != 0 {
		t.Errorf("steps: %d, %d, %d: what was edited for one node is not there for the next", len(moves[0].Steps),
			len(moves[1].Steps), len(moves[2].Steps))
	}
	if _, texts, err := g.Edited(); err != nil || len(texts) != 1 {
		t.Errorf("%q, %v", texts, err)
	}
}
