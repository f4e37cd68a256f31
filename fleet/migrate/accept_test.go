package migrate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/fleet/migrate"
	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A plant is a small site with something in it that Puppet 7 takes and Puppet 8 does not, or takes otherwise.
type plant struct {
	kind  string
	files map[string]string
}

// plants are all that this file knows to plant: every kind of trouble in every kind of place.
func plants() (out []plant) {
	add := func(kind string, files map[string]string) { out = append(out, plant{kind, files}) }
	for _, e := range []struct{ kind, expr string }{
		{"unknown variable", `$nosuch`}, {"unknown variable", `$::nosuch`}, {"unknown variable", `$other::x`},
		{"unknown variable", `"is ${nosuch} here"`}, {"unknown variable", `"is $nosuch"`},
		{"old fact", `$osfamily`}, {"old fact", `$::operatingsystem`}, {"old fact", `"on ${::fqdn}"`},
		{"old fact", `$hostname`},
		{"old fact", `"$lsbdistcodename!"`}, {"old fact", `$ipaddress_eth0`}, {"old fact", `$processor0`},
		{"old fact", `$memorysize_mb`}, {"old fact", `$interfaces`}, {"old fact", `$::sshrsakey`},
		{"old fact", `$blockdevice_sda_size`}, {"old fact", `$operatingsystemmajrelease`},
		{"old fact in $facts", `$facts['osfamily']`}, {"old fact in $facts", `$::facts['ipaddress']`},
		{"old fact in $facts", `"a ${facts['fqdn']} b"`}, {"old fact in $facts", `$facts.get('hostname')`},
		{"old fact in $facts", `$facts.dig('operatingsystem')`}, {"old fact in $facts", `getvar('osfamily')`},
		{"old fact in $facts", `getvar('facts.architecture', 'x')`}, {"old fact in $facts", `$facts['netmask_eth0_100']`},
		{"old fact in $facts", `'osfamily' in $facts`},
		{"coercion", `'1' + 1`}, {"coercion", `3 * '4'`}, {"coercion", `'10' / '3'`}, {"coercion", `'0x1F' % 7`},
		{"coercion", `1 << '3'`}, {"coercion", `"${3}1.5" - 1`}, {"coercion", `- '5'`},
		{"key twice", `{ 'k' => 1, 'k' => 2 }`}, {"key twice", `{ 'k' => 1, l => [2, 3], 'k' => { 'k' => 5 } }`},
		{"key twice", `{ -1 => 'a', -1 => 'b' }['-1']`}, {"key twice", `{ String => 1, String => 2 }.length`},
		{"key twice", `{ File['/a'] => 1, Exec['/a'] => 2, 'x' => 3 }.length`},
		{"key twice", `{ 1 => 'a', 2 => 'b', 1 => 'c' }.values`},
		{"key twice", `{'a' => 1, 'a' => 2, 'b' => 3, 'b' => 4}`},
		{"not pairs", `({ 'a' => 1 } + [['b']]).length`},
	} {
		in := func(files map[string]string) {
			files["modules/other/manifests/init.pp"] = "class other { $x = 5 }\n"
			add(e.kind, files)
		}
		message := "  notify { 'a': message => " + e.expr + " }\n"
		in(map[string]string{"manifests/site.pp": strings.TrimSpace(message) + "\n"})
		in(map[string]string{"manifests/site.pp": "include m\n", "modules/m/manifests/init.pp": "class m {\n" + message +
			"}\n"})
		in(map[string]string{"manifests/site.pp": "class { 'm': }\n",
			"modules/m/manifests/init.pp": "class m (\n  $p = " + e.expr + ",\n) {\n  notify { 'a': message => $p }\n}\n"})
		in(map[string]string{"manifests/site.pp": "[1, 2].each |$i| { m::d { \"d${i}\": } }\n",
			"modules/m/manifests/d.pp": "define m::d {\n  notify { \"a ${name}\": message => " + e.expr + " }\n}\n"})
		in(map[string]string{"manifests/site.pp": "node default {\n  $v = " + e.expr +
			"\n  if $v =~ Undef or \"${v}\" != 'Debian' { notify { 'a': message => \"is ${v}\" } } else { notify { 'b': } }\n}\n"})
		in(map[string]string{"manifests/site.pp": "notify { 'a': message => epp('m/t.epp') }\n",
			"modules/m/templates/t.epp": "one\n<%= " + e.expr + " %> two\n"})
		in(map[string]string{"manifests/site.pp": "notify { 'a': message => m::f() }\n",
			"modules/m/functions/f.pp": "function m::f() {\n  [1].map |$x| { " + e.expr + " }\n}\n"})
	}
	const show = "notify { 'a': message => lookup('k') }\n"
	for _, v := range []string{"%{nosuch}", "%{::nosuch}", "%{other::x}", "%{scope('nosuch')}", "%{osfamily}", "%{::fqdn}",
		"%{scope('hostname')}", "%{facts.osfamily}", "%{ipaddress_eth0}", "%{osfamily}-%{operatingsystem}",
		"%{facts.processor0}"} {
		kind := "data"
		add(kind, map[string]string{"manifests/site.pp": show, "data/common.yaml": "k: \"x " + v + " y\"\n"})
		add(kind, map[string]string{"manifests/site.pp": show, "data/common.yaml": "k:\n  a: [1, '" +
			strings.ReplaceAll(v, "'", "''") + "']\n"})
		add(kind, map[string]string{"manifests/site.pp": "include m\n", "data/common.yaml": "m::p: \"" + v + "\"\n",
			"modules/m/manifests/init.pp": "class m($p) { notify { 'a': message => \"<${p}>\" } }\n"})
		add(kind, map[string]string{"manifests/site.pp": "include m\n",
			"modules/m/hiera.yaml":        "version: 5\nhierarchy:\n  - {name: c, path: c.yaml}\n",
			"modules/m/data/c.yaml":       "m::p: \"" + v + "\"\n",
			"modules/m/manifests/init.pp": "class m($p) { notify { 'a': message => \"<${p}>\" } }\n"})
		add(kind, map[string]string{"manifests/site.pp": show,
			"hiera.yaml":  "version: 5\nhierarchy:\n  - name: j\n    path: c.json\n    data_hash: json_data\n",
			"data/c.json": "{\"k\": \"x " + strings.ReplaceAll(v, `"`, `\"`) + " y\"}\n"})
	}
	for _, path := range []string{"%{::osfamily}", "%{facts.osfamily}", "%{osfamily}", "%{facts.hostname}"} {
		add("paths", map[string]string{"manifests/site.pp": show, "data/Debian.yaml": "k: debian\n",
			"data/web1.yaml":   "k: web\n",
			"data/common.yaml": "k: c\n",
			"hiera.yaml": "version: 5\nhierarchy:\n  - name: os\n    path: \"" + path +
				".yaml\"\n  - {name: c, path: common.yaml}\n"})
	}
	for _, dir := range []string{"data%{nosuch}", "data/%{::nosuch}", "data/%{osfamily}"} {
		add("datadir", map[string]string{"manifests/site.pp": show, "data/c.yaml": "k: v\n", "data/Debian/c.yaml": "k: w\n",
			"hiera.yaml": "version: 5\ndefaults: {datadir: \"" + dir +
				"\", data_hash: yaml_data}\nhierarchy:\n  - {name: c, path: c.yaml}\n"})
	}
	for _, erb := range []string{"<%= scope['nosuch'] %>", "<%= scope.lookupvar('::nosuch') %>",
		"<%= scope['osfamily'] %>",
		"<%= scope.lookupvar('::operatingsystem') %>", "<%= @osfamily %>", "<%= @facts['hostname'] %>",
		"<% if @ipaddress_eth0 -%>yes<% end %>",
		"<%= scope['facts']['fqdn'] %>", "<%= @processor0 %>-<%= @lsbdistcodename %>", "<%= scope['other::x'] %>"} {
		add("template", map[string]string{"manifests/site.pp": "notify { 'a': message => template('m/t.erb') }\n",
			"modules/m/templates/t.erb": "one\n" + erb + "\n"})
		add("template", map[string]string{"manifests/site.pp": "include m\n",
			"modules/m/manifests/init.pp": "class m { notify { 'a': message => inline_template(\"" + erb + "\") } }\n"})
	}
	add("data that is no hash", map[string]string{"manifests/site.pp": "notify { 'a': message => lookup('k', undef, " +
		"undef, 'd') }\n",
		"data/common.yaml": "- a\n- b\n"})
	add("data that is no hash", map[string]string{"manifests/site.pp": "notify { 'a': message => lookup('k', undef, " +
		"undef, 'd') }\n",
		"data/common.yaml": "just text\n"})
	add("hiera.yaml 3", map[string]string{"manifests/site.pp": "notify { 'a': message => lookup('k', undef, undef, 'd') }\n",
		"hiera.yaml": "---\n:backends: yaml\n:hierarchy: [common]\n"})
	add("late override", map[string]string{"manifests/site.pp": "include m\nm::d { 'x': }\n",
		"modules/m/manifests/init.pp": "class m { m::e { 'y': } }\n",
		"modules/m/manifests/e.pp":    "define m::e { M::D <| |> { p => 2 } }\n",
		"modules/m/manifests/d.pp":    "define m::d($p = 1) { notify { $name: message => $p } }\n"})
	for _, re := range []string{`(?i)N\\.EXAMPLE`, `^(?:n|m)\\.example`, `^n(?=\\.)`} {
		add("node regexp", map[string]string{"manifests/site.pp": "node /" + strings.ReplaceAll(re, `\\`, `\`) +
			"/ { notify { 'a': } }\nnode default { }\n"})
	}
	add("versions", map[string]string{"manifests/site.pp": "notify { 'a': message => String(max(SemVer('1.10.0'), " +
		"SemVer('1.9.0'))) }\n"})
	return out
}

const plantFacts = `{"fqdn": "web1.example.com", "hostname": "web1", "osfamily": "Debian", "operatingsystem": "Debian",
 "operatingsystemmajrelease": "12", "architecture": "amd64", "lsbdistcodename": "bookworm", "ipaddress": "10.0.0.5",
 "ipaddress_eth0": "10.0.0.5", "netmask_eth0_100": "255.255.0.0", "interfaces": "eth0,eth0_100,lo", "processor0": "Fast CPU",
 "memorysize_mb": 3921.42, "sshrsakey": "AAAAB3", "blockdevice_sda_size": 1000204886016, "kernel": "Linux",
 "os": {"family": "Debian", "name": "Debian", "architecture": "amd64", "release": {"full": "12.4", "major": "12"},
  "distro": {"codename": "bookworm"}},
 "networking": {"fqdn": "web1.example.com", "hostname": "web1", "ip": "10.0.0.5", "interfaces": {"eth0": {"ip": "10.0.0.5"},
  "eth0.100": {"netmask": "255.255.0.0"}, "lo": {"ip": "127.0.0.1"}}},
 "processors": {"models": ["Fast CPU"]}, "memory": {"system": {"total_bytes": 4111906734}},
 "ssh": {"rsa": {"key": "AAAAB3"}}, "disks": {"sda": {"size_bytes": 1000204886016}}}
`

// said is what a Puppet answers: an error, or resources.
type said struct {
	Error     *string
	Resources []string
}

func (s *said) String() string {
	if s.Error != nil {
		return "error: " + *s.Error
	}
	return strings.Join(s.Resources, "\n")
}

// askSaid asks a Puppet about environments.
func askSaid(t *testing.T, o *live.Oracle, dirs []string) (out []said) {
	t.Helper()
	script := filepath.Join(live.Root(), "puppet", "compiler", "testdata", "said.rb")
	lines := strings.Split(strings.TrimSpace(o.Ruby(t, script, strings.Join(dirs, "\n"))), "\n")
	if len(lines) != len(dirs) {
		t.Fatalf("%d answers for %d sites", len(lines), len(dirs))
	}
	for i, line := range lines {
		var s said
		if err := json.Unmarshal([]byte(strings.ReplaceAll(line, dirs[i]+"/", "")), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAcceptMigration plants what Puppet 8 refuses, or takes otherwise, and asks both Puppets before and after the
// edits: our verdict is Puppet 8's, an edit that is offered holds in both, and nine of ten that fail get one.
func TestAcceptMigration(t *testing.T) {
	live.Accept(t)
	seven, eight := live.Installed(t), live.Other(t, "8")
	all := plants()
	root := t.TempDir()
	dir := func(which string, i int) string { return filepath.Join(root, which, fmt.Sprint(i), "production") }
	f, err := facts.Parse(source.NewFile("n.json", plantFacts), "n.example.com")
	if err != nil {
		t.Fatal(err)
	}
	f.Name = "n.example.com"
	modern := modernJSON(t)
	var before, after, edited []string
	moves := make([]*migrate.Move, len(all))
	for i, p := range all {
		if p.files["hiera.yaml"] == "" {
			p.files["hiera.yaml"] = hiera
		}
		a, b, c := dir("7", i), dir("8", i), dir("edited", i)
		before, after, edited = append(before, a), append(after, b), append(edited, c)
		for _, d := range []string{a, b, c} {
			writeAll(t, d, p.files)
		}
		writeAll(t, a, map[string]string{"facts.json": plantFacts})
		writeAll(t, b, map[string]string{"facts.json": modern})
		writeAll(t, c, map[string]string{"facts.json": modern})
		opt := compiler.Options{Language: source.Puppet7, ServerFacts: value.EmptyHash}
		old := compiler.NewWorkspace(c, opt)
		opt.Language = source.Puppet8
		g := migrate.New(c, old, compiler.NewWorkspace(c, opt), old.Disk())
		if moves[i], err = g.Node(context.Background(), compiler.Node{Name: f.Name, Facts: f}); err != nil {
			t.Fatal(err)
		}
		files, texts, err := g.Edited()
		if err != nil {
			t.Fatal(err)
		}
		for k, f := range files {
			if err := os.WriteFile(f.Name, []byte(texts[k]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	was, is, now := askSaid(t, seven, before), askSaid(t, eight, after), askSaid(t, eight, edited)
	for i := range all { // the edited tree for agents that send the old names as well
		writeAll(t, edited[i], map[string]string{"facts.json": plantFacts})
	}
	still := askSaid(t, seven, edited)
	alike, troubled, mended := 0, 0, 0
	for i, p := range all {
		m := moves[i]
		name := fmt.Sprintf("%s %d %q", p.kind, i, p.files)
		if was[i].Error != nil {
			t.Errorf("%s: Puppet 7 refuses it: %s", name, *was[i].Error)
			continue
		}
		trouble := is[i].String() != was[i].String()
		ours, message := len(m.Steps) > 0 || !m.Same(), ""
		if len(m.Steps) > 0 && m.Steps[0].Trouble.Severity == source.Error {
			message = strings.ReplaceAll(m.Steps[0].Trouble.Summary, edited[i]+"/", "")
		}
		if trouble == ours && (is[i].Error != nil) == (message != "") && (message == "" || sameWords(*is[i].Error, message)) {
			alike++
		} else {
			t.Errorf("%s:\nours:   %v %s\nPuppet: %s", name, ours, message, is[i].String())
		}
		if !trouble {
			continue
		}
		troubled++
		switch {
		case !m.Same():
			t.Logf("%s: no edit: %s; %s", name, message, m.Changes)
		case now[i].String() != was[i].String() || still[i].String() != was[i].String():
			t.Errorf("%s: the edit does not hold:\n%s\n%s\n%s", name, was[i].String(), now[i].String(), still[i].String())
		default:
			mended++
		}
	}
	t.Logf("planted: %d, verdict as Puppet 8's: %d (bar: all); trouble: %d, with an edit that holds: %d (bar: 90 %%)",
		len(all),
		alike, troubled, mended)
	if len(all) < 200 || alike < len(all) || mended*10 < troubled*9 {
		t.Error("a bar is missed")
	}
}

// column is where Puppet names the arrow of a pair and we its key, and the line of its own source that Puppet names for
// what a template reads.
var column = regexp.MustCompile(`, column: \d+|\n  Filepath: .*\n  Line: \d+`)

// sameWords reports whether an error of Puppet's is the one of ours. Of several mistakes in one file Puppet says how
// many there are, and we say the first.
func sameWords(puppet, ours string) bool {
	puppet, ours = column.ReplaceAllString(puppet, ""), column.ReplaceAllString(ours, "")
	return strings.Contains(puppet, ours) || strings.Contains(puppet, "errors. Giving up") &&
		strings.Contains(ours, "is declared more than once")
}

// modernJSON is what an agent of Puppet 8 sends of the planted facts.
func modernJSON(t *testing.T) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(plantFacts), &all); err != nil {
		t.Fatal(err)
	}
	keep := map[string]json.RawMessage{}
	for _, name := range []string{"kernel", "os", "networking", "processors", "memory", "ssh", "disks"} {
		keep[name] = all[name]
	}
	text, err := json.Marshal(keep)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAcceptMigrationSites moves the sites: the verdict is Puppet 8's, asked with the facts that its agents send.
func TestAcceptMigrationSites(t *testing.T) {
	live.Accept(t)
	eight := live.Other(t, "8")
	dirs := live.Sites(t)
	var questions []string
	nodes := make([]*facts.Facts, len(dirs))
	for i, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "facts.json"))
		if err != nil {
			t.Fatal(err)
		}
		if nodes[i], err = facts.Parse(source.NewFile("facts.json", string(text)), ""); err != nil {
			t.Fatal(err)
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		for name := range all {
			if modern, _ := facts.Modern(name, nodes[i].Values); modern != nil {
				delete(all, name)
			}
		}
		if text, err = json.Marshal(all); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("facts%d.json", i)
		at := t.TempDir()
		writeAll(t, at, map[string]string{name: string(text)})
		questions = append(questions, dir+" "+nodes[i].Name+" "+filepath.Join(at, name))
	}
	alike, same, edited, steps := 0, 0, 0, 0
	for i, answer := range eight.Compile(t, questions) {
		site := filepath.Base(dirs[i])
		opt := compiler.Options{Language: source.Puppet7, Roots: []string{live.ModulesDir}}
		old := compiler.NewWorkspace(dirs[i], opt)
		opt.Language = source.Puppet8
		g := migrate.New(dirs[i], old, compiler.NewWorkspace(dirs[i], opt), old.Disk())
		m, err := g.Node(context.Background(), compiler.Node{Facts: nodes[i]})
		if err != nil {
			t.Fatal(err)
		}
		var refused struct{ Error string }
		if err := json.Unmarshal([]byte(answer), &refused); err != nil {
			t.Fatal(err)
		}
		message := ""
		if len(m.Steps) > 0 && m.Steps[0].Trouble.Severity == source.Error {
			message = m.Steps[0].Trouble.Summary
		}
		changed := refused.Error != ""
		if !changed {
			changed = !equalFiles(t, filepath.Join(dirs[i], "expected.json"), answer)
		}
		switch {
		case m.Failure != nil:
			t.Errorf("%s: %s", site, m.Failure)
		case (refused.Error != "") != (message != "") || !sameWords(refused.Error, message):
			t.Errorf("%s: ours %q, Puppet's %q", site, message, refused.Error)
		case changed == (m.Same() && len(m.Steps) == 0):
			t.Errorf("%s: trouble in Puppet: %v, in ours: %d steps, %q", site, changed, len(m.Steps), m.Changes)
		default:
			alike++
		}
		switch {
		case m.Same() && len(m.Steps) == 0:
			same++
		case m.Same():
			edited++
			steps += len(m.Steps)
		default:
			last := "" // what nothing is known for
			if len(m.Steps) > 0 && !m.Done {
				last = m.Steps[len(m.Steps)-1].Trouble.String()
			}
			t.Logf("%s: no way: %s %q", site, last, m.Changes)
		}
	}
	t.Logf("sites: %d, verdict as Puppet 8's: %d (bar: all); the same: %d, after edits: %d (%d steps)", len(dirs), alike,
		same,
		edited, steps)
	if alike < len(dirs) {
		t.Error("a bar is missed")
	}
}

// equalFiles reports whether two catalogs are the same, without what a server says of itself.
func equalFiles(t *testing.T, path, answer string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := catalog.Read([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	return len(catalog.Diff(want, got)) == 0
}
