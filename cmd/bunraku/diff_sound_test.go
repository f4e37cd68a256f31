package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A node whose catalog changes is never said not to: by diff, alone and with a store, nor by impact. Each case is one
// that was said to be unchanged once. The last of its states is what the old side is compared with.
func TestDiffMisses(t *testing.T) {
	const byEnvironment = "version: 5\nhierarchy: [{name: own, path: 'env/%{environment}.yaml'}, {name: all, path: all.yaml}]\n"
	const byRole = "version: 5\nhierarchy: [{name: role, path: '%{facts.role}.yaml'}, {name: all, path: all.yaml}]\n"
	const asks = "notify { 'k': message => lookup('c::p') }"
	site := func(text string) map[string]string { return map[string]string{"manifests/site.pp": text} }
	data := func(hiera, code string, value int) map[string]string {
		return map[string]string{"hiera.yaml": hiera, "manifests/site.pp": code, "data/all.yaml": "c::p: 0\n",
			"data/env/mine.yaml": fmt.Sprintf("lookup_options: {'c::p': {convert_to: String}}\nc::p: %d\n", value)}
	}
	environment := func(code string) []map[string]string {
		return []map[string]string{data(byEnvironment, code, 1), data(byEnvironment, code, 2)}
	}
	for _, c := range []struct {
		name   string
		states []map[string]string
	}{
		{"an empty node statement is filled", []map[string]string{site("node default { }\n"),
			site("node default { notify { 'x': } }\n")}},
		{"an empty node statement of a name is filled", []map[string]string{site("node n000 { }\nnode default { }\n"),
			site("node n000 { notify { 'x': } }\nnode default { }\n")}},
		{"an empty node statement of a pattern is filled", []map[string]string{site("node /n/ { }\n"),
			site("node /n/ { notify { 'x': } }\n")}},
		{"emptied, and filled again", []map[string]string{site("node default { notify { 'x': message => '1' } }\n"),
			site("node default { }\n"), site("node default { notify { 'x': message => '2' } }\n")}},
		{"an empty main manifest is filled", []map[string]string{site("# nothing\n"), site("notify { 'x': }\n")}},
		{"a parameter before the environment", environment("class c($environment = 'mine') { " + asks + " }\ninclude c\n")},
		{"a define's parameter before it", environment("define d($environment = 'mine') { " + asks + " }\nd { 'x': }\n")},
		{"a lambda's parameter before it", environment("['mine'].each |$environment| { " + asks + " }\n")},
		{"a function's parameter before it", environment("function f($environment) { lookup('c::p') }\n" +
			"notify { 'k': message => f('mine') }\n")},
		{"a node's variable before it", environment("class c($p = 0) { notify { \"${p}\": } }\n" +
			"node default { $environment = 'mine' include c }\n")},
		{"a mapped path by it", []map[string]string{
			data("version: 5\nhierarchy: [{name: own, mapped_paths: [environment, e, 'env/%{e}.yaml']}]\n",
				"class c($environment = ['mine']) { "+asks+" }\ninclude c\n", 1),
			data("version: 5\nhierarchy: [{name: own, mapped_paths: [environment, e, 'env/%{e}.yaml']}]\n",
				"class c($environment = ['mine']) { "+asks+" }\ninclude c\n", 2)}},
		{"a setting that environment.conf has besides", []map[string]string{
			{"manifests/site.pp": "notify { \"${settings::config_version} ${settings::environment_timeout}\": }\n",
				"environment.conf": "config_version = /bin/true\n"}, {"environment.conf": "environment_timeout = 5m\n"}}},
		{"the line of an exception in a template", []map[string]string{
			{"manifests/site.pp": "notify { 'n': message => template('m/a.erb') }\n",
				"modules/m/templates/a.erb": "<% if @role=='z' %>\n<% end -%>\n" +
					"<%= begin; raise 'x'; rescue => e; e.backtrace.first.to_s; end %>\n"},
			{"modules/m/templates/a.erb": "<% if @role=='z' %>\n\n\n<% end -%>\n" +
				"<%= begin; raise 'x'; rescue => e; e.backtrace.first.to_s; end %>\n"}}},
		{"options of a key with a dot", []map[string]string{
			{"hiera.yaml": byRole, "data/b.yaml": "a.b: [y]\n", "data/all.yaml": "a.b: [x]\n",
				"manifests/site.pp": "notify { 'k': message => String(lookup(\"'a.b'\")) }\n"},
			{"data/all.yaml": "a.b: [x]\nlookup_options: {a.b: {merge: unique}}\n"}}},
		{"a file that comes, asked for behind a variable before the environment", []map[string]string{
			{"hiera.yaml": byRole, "data/all.yaml": "j: one\n", "manifests/site.pp": "class m($p = 'x') {\n  $environment = 'q'\n" +
				"  notify { 'n': message => lookup('j') }\n}\ninclude m\n"},
			{"data/b.yaml": "j: two\n"}}},
		{"a match of a glob that comes, asked for there", []map[string]string{
			{"hiera.yaml": "version: 5\nhierarchy: [{name: g, glob: '*.yaml'}]\n", "data/k.yaml": "j: one\n",
				"manifests/site.pp": "class m($p = 'x') { }\ninclude m\n['q'].each |$environment| { notify { 'n': message => lookup('j') } }\n"},
			{"data/b.yaml": "j: two\n"}}},
		{"one location that becomes several", []map[string]string{
			{"hiera.yaml": "version: 5\nhierarchy: [{name: l, paths: [all.yaml]}]\n", "data/all.yaml": "k: [[a, a], '%{facts.role}']\n",
				"manifests/site.pp": "notify { 'k': message => String(lookup('k', { 'merge' => 'unique' })) }\n"},
			{"hiera.yaml": "version: 5\nhierarchy: [{name: l, paths: [all.yaml, none.yaml]}]\n"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 1, 1, c.states[0])
			store := filepath.Join(t.TempDir(), "store")
			for _, state := range c.states[1:] {
				for name, text := range state {
					s.write(name, text)
				}
				if code, out := s.diff("--from", "HEAD", "--store", store); code != exitNo || !strings.Contains(out, "1 changed") {
					t.Errorf("with a store: exit %d\n%s", code, out)
				}
			}
			if code, out := s.diff("--from", "HEAD"); code != exitNo || !strings.Contains(out, "1 changed") ||
				strings.Contains(out, "without effect") {
				t.Errorf("exit %d\n%s", code, out)
			}
			if code, out, _ := call("impact", s.dir, "--from", "HEAD"); code != exitNo || !strings.Contains(out, "1 of 1") {
				t.Errorf("impact: exit %d\n%s", code, out)
			}
		})
	}
}

// Nodes share what they see of Hiera only if none of them fails to see it: a step into what is no container is an
// error, and one to what is not there is none.
func TestDiffFailsAlone(t *testing.T) {
	const role = "version: 5\nhierarchy: [{name: role, path: '%{facts.role.name}.yaml'}, {name: all, path: all.yaml}]\n"
	const all = "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n"
	const nodes = 30
	files := map[string]string{"hiera.yaml": all, "data/all.yaml": "k: 1\n",
		"manifests/site.pp": "notify { 'k': message => lookup('k') }\n"}
	kinds := []string{"", `"role": "web"`, `"role": {}`, `"role": {"name": "x"}`, `"role": ["name"]`, `"role": null`}
	s := newTree(t, 1, 1, files)
	failing := 0
	for i := range nodes {
		values := kinds[i%len(kinds)]
		s.write(fmt.Sprintf("facts/n%03d.json", i), fmt.Sprintf(`{"name": "n%03d", "values": {%s}}`, i, values))
		if strings.ContainsAny(values, "w[u") { // what is null becomes an empty text
			failing++
		}
	}
	s.commit("facts")
	s.write("hiera.yaml", role)
	store := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
		_, out := s.diff(append([]string{"--from", "HEAD"}, args...)...)
		if !strings.Contains(out, fmt.Sprintf("%d newly failing", failing)) {
			t.Errorf("%s: not %d that fail\n%s", args, failing, out)
		}
	}
	for range 5 {
		_, out, _ := call("impact", s.dir, "--from", "HEAD")
		n, line := 0, out[strings.Index(out, "\n")+1:]
		if _, err := fmt.Sscanf(line, "%d of", &n); err != nil || n < failing {
			t.Errorf("impact: %d fail\n%s", failing, out)
		}
	}
	s.commit("by role")
	s.write("data/all.yaml", "k: 2\n")
	for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
		_, out := s.diff(append([]string{"--from", "HEAD"}, args...)...)
		if !strings.Contains(out, fmt.Sprintf("%d changed, %d failing on both sides", nodes-failing, failing)) {
			t.Errorf("%s: not %d that fail\n%s", args, failing, out)
		}
	}
}

// What a node exports is compared, whether anybody at hand collects it or not; in octocatalog-diff's form it never was.
func TestDiffExported(t *testing.T) {
	site := "@@host { \"${trusted['certname']}\": ip => '192.0.2.1', tag => 'all' }\nnotify { 'x': }\n"
	s := newTree(t, 40, 20, map[string]string{"manifests/site.pp": site})
	s.edit("manifests/site.pp", "192.0.2.1", "192.0.2.2")
	store := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{nil, {"--nodes", "n003"}, {"--store", store}, {"--store", store}} {
		code, out := s.diff(append([]string{"--from", "HEAD"}, args...)...)
		if code != exitNo || !strings.Contains(out, " changed") || strings.Count(out, "'192.0.2.1' → '192.0.2.2'") != 1 ||
			!strings.Contains(out, "@@Host[") || !strings.Contains(out, "from  manifests/site.pp:1") ||
			strings.Contains(out, "without effect") {
			t.Errorf("%s: exit %d\n%s", args, code, out)
		}
	}
	if code, out := s.diff("--from", "HEAD", "--format", "octocatalog"); strings.Contains(out, "@@") {
		t.Errorf("octocatalog: exit %d\n%s", code, out)
	}
	if code, out := s.diff("--from", "HEAD", "--ignore", "@@*[*]"); code != exitFine {
		t.Errorf("ignored: exit %d\n%s", code, out)
	}
	s.write("manifests/site.pp", site+"if $facts['role'] == 'b' { Host <<| |>> }\n")
	s.commit("collects")
	s.edit("manifests/site.pp", "192.0.2.1", "192.0.2.2")
	if code, out := s.diff("--from", "HEAD"); code != exitNo || !strings.Contains(out, "40 changed") {
		t.Errorf("collected: exit %d\n%s", code, out)
	}
}

// A change that comes through what others export names them, and nobody else; also where there are many.
func TestDiffThrough(t *testing.T) {
	s := newTree(t, 45, 1, map[string]string{"manifests/site.pp": "$ip = '192.0.2.1'\n" +
		"if $trusted['certname'] == 'n000' { @@notify { 'n': message => $ip } }\n" +
		"if $facts['role'] == 'b' { Host <<| |>> } elsif $trusted['certname'] != 'n000' {\n" +
		"  @@host { $trusted['certname']: ip => $ip }\n}\n"})
	s.edit("manifests/site.pp", "192.0.2.1", "192.0.2.2")
	_, out, _ := call("diff", s.dir, "--from", "HEAD", "--nodes", "n044", "--format", "json")
	var report struct {
		Groups []struct {
			Cause struct{ Through []string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Groups) == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, g := range report.Groups {
		if n := len(g.Cause.Through); n != 43 || slices.Contains(g.Cause.Through, "n000") {
			t.Errorf("through %d nodes: %s", n, g.Cause.Through)
		}
	}
}

// A type that names a variable is each node's own, and what it reads is asked for.
func TestDiffTypesOfVariables(t *testing.T) {
	for _, code := range []string{
		"class m(Enum[$facts['role'], 'a'] $p) { }\nclass { 'm': p => 'a' }\n",
		"define d(Enum[$facts['role'], 'a'] $p) { }\nd { 'x': p => 'a' }\n",
		"['a'].each |Enum[$facts['role'], 'a'] $p| { }\n",
		"function f(Enum[$facts['role'], 'a'] $p) { }\nf('a')\n",
	} {
		s := newTree(t, 6, 3, map[string]string{"manifests/site.pp": code}) // three have the role a, three b
		s.edit("manifests/site.pp", "'role'], 'a'", "'role'], 'c'")
		store := filepath.Join(t.TempDir(), "store")
		for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
			_, out := s.diff(append([]string{"--from", "HEAD"}, args...)...)
			if !strings.Contains(out, "3 newly failing") || !strings.Contains(out, "n003, n004, n005") {
				t.Errorf("%s%s\n%s", code, args, out)
			}
		}
		if _, out, _ := call("impact", s.dir, "--from", "HEAD"); !strings.Contains(out, "6 of 6") && !strings.Contains(out, "3 of 6") {
			t.Errorf("%simpact:\n%s", code, out)
		}
	}
}

// What Ruby is told of the node is the node's own.
func TestDiffNameInRuby(t *testing.T) {
	for _, way := range []string{"closure_scope.compiler.node.name", "closure_scope.catalog.name", "closure_scope.compiler.node.facts.name",
		"closure_scope.compiler.node.trusted_data['certname']", "closure_scope.compiler.topscope['trusted']['certname']"} {
		s := newTree(t, 4, 4, map[string]string{"manifests/site.pp": "notify { 'n': message => m::f() }\n",
			"modules/m/lib/puppet/functions/m/f.rb": "Puppet::Functions.create_function(:'m::f') do\n  def f\n    " + way +
				"\n  end\nend\n"})
		for i := range 4 { // nothing tells them apart but the name
			s.write(fmt.Sprintf("facts/n%03d.json", i), fmt.Sprintf(`{"name": "n%03d", "values": {"role": "b"}}`, i))
		}
		s.commit("facts")
		s.edit("manifests/site.pp", "m::f()", "\"is ${m::f()}\"")
		store := filepath.Join(t.TempDir(), "store")
		var said []string
		for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
			_, out, _ := call(append([]string{"diff", s.dir, "--from", "HEAD", "--format", "json"}, args...)...)
			said = append(said, regexp.MustCompile(`"(seconds|took)": [\d.]+`).ReplaceAllString(out, ""))
			for i := range 4 {
				name := fmt.Sprintf("n%03d", i)
				if !strings.Contains(out, name) {
					t.Errorf("%s %s: %s is missing\n%s", way, args, name, out)
				}
			}
		}
		if said[0] != said[1] || said[0] != said[2] {
			t.Errorf("%s: with a store it is another answer:\n%s\n%s\n%s", way, said[0], said[1], said[2])
		}
	}
}

// A type that modules have in Ruby is a doubt for every node that uses it, though it is evaluated once for all of them.
func TestDiffTypesInRuby(t *testing.T) {
	const file = "modules/m/lib/puppet/datatypes/foo.rb"
	for _, class := range []string{"class m(Variant[Integer, Foo] $x = 1) { }\n",
		"class m(M::Both $x = 1) { }\n", "class m(M::Both $x = 1, Array[M::Both] $y = []) { }\n",
		"class m { $f = m::f(1) }\n", "class m { m::d { 'x': } }\n"} {
		s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": "include m\n", "modules/m/manifests/init.pp": class,
			"modules/m/types/both.pp": "type M::Both = Variant[Integer, Foo]\n", "modules/m/manifests/d.pp": "define m::d(" +
				"M::Both $x = 1) { }\n", "modules/m/functions/f.pp": "function m::f(M::Both $x) { $x }\n",
			file: "Puppet::DataTypes.create_type('Foo') do\n  interface 'attributes => { a => Integer }'\nend\n"})
		s.edit(file, "Integer", "String")
		if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "4 nodes: 4 not known") {
			t.Errorf("%s%s", class, out)
		}
		if _, out, _ := call("impact", s.dir, "--from", "HEAD"); !strings.Contains(out, "4 of 4 nodes can change") {
			t.Errorf("%s%s", class, out)
		}
	}
}
