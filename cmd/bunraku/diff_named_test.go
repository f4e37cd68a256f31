package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A catalog names files and functions of modules in many ways. Where one of them is different, the node is not said to
// stay the same, and the lines are not said to have no effect; with a store neither.
func TestDiffNamed(t *testing.T) {
	source := func(text string) string { return "file { '/a': source => '" + text + "' }\n" }
	fragment := map[string]string{
		"modules/concat/lib/puppet/type/concat_fragment.rb": "Puppet::Type.newtype(:concat_fragment) do\n" +
			"newparam(:name, :namevar => true)\nnewparam(:source)\nend\n",
		"modules/concat/manifests/fragment.pp": "define concat::fragment($source) { concat_fragment { $name: " +
			"source => $source } }\n"}
	typed := map[string]string{"modules/m/lib/puppet/type/own.rb": "Puppet::Type.newtype(:own) do\n" +
		"newparam(:name, :namevar => true)\nnewparam(:parts)\nend\n"}
	const file, function = "modules/m/files/x", "modules/m/lib/puppet/functions/m/f.rb"
	const helper = "modules/m/lib/puppet_x/m/a_helper.rb"
	uses := "what the function m::f may use, which agents run, is not the same"
	const reads = "File[/a] content: agents read files of modules for it that are not the same"
	runs := func(body string) map[string]string {
		return map[string]string{
			function:                              "Puppet::Functions.create_function(:'m::f') do\ndef f(v)\n" + body + "\nend\nend\n",
			"modules/m/lib/puppet_x/m/between.rb": "AHelper.new\n"}
	}
	for _, c := range []struct {
		name, site   string
		files        map[string]string
		changes, key string
		code         int
	}{
		{"a fragment", "concat::fragment { 'a': source => 'puppet:///modules/m/x' }\n", fragment, file,
			"Concat_fragment[a] content of its source", 2},
		{"one slash", source("puppet:/modules/m/x"), nil, file, "File[/a] content of its source", 2},
		{"a query", source("puppet:///modules/m/x?y"), nil, file, "File[/a] content of its source", 2},
		{"a script", source("puppet:///scripts/m/x"), nil, "modules/m/scripts/x", "File[/a] content of its source", 2},
		{"a task", source("puppet:///tasks/m/x.rb"), nil, "modules/m/tasks/x.rb", "File[/a] content of its source", 2},
		{"exported", "@@" + source("puppet:///modules/m/x"), nil, file, "@@File[/a] content of its source", 2},
		{"exported with files below", "@@file { '/a': recurse => true, source => 'puppet:///modules/m/d' }\n", nil,
			"modules/m/files/d/x", "@@File[/a] content of x", 2},
		{"a function of agents", "notify { 'a': message => Deferred('m::f', [1]) }\n", nil, function,
			"the function m::f, which agents run, is another one", 3},
		{"a secret one", "notify { 'a': message => Sensitive(Deferred('m::f', [Deferred('m::f')])) }\n", nil, function,
			"the function m::f, which agents run, is another one", 3},
		{"in a hash", "own { 'a': parts => { 'b' => [{ 'c' => 'puppet:///modules/m/x' }] } }\n", typed, file,
			"Own[a] content of its source", 2},
		{"plugins", source("puppet:///plugins/x/y.rb"), nil, "modules/m/lib/x/y.rb", "File[/a] content of its source", 2},
		{"all plugins", "file { '/a': recurse => true, source => 'puppet:///plugins' }\n", nil, "modules/m/lib/x/y.rb",
			"File[/a] content of x/y.rb", 2},
		{"all facts", "file { '/a': recurse => true, source => 'puppet:///pluginfacts' }\n", nil, "modules/m/facts.d/x.yaml",
			"File[/a] content of x.yaml", 2},
		{"translations", "file { '/a': recurse => true, source => 'puppet:///locales' }\n", nil, "modules/m/locales/de/x.po",
			"File[/a] content of de/x.po", 2},
		{"what a function of agents requires", "notify { 'a': message => Deferred('m::f', [1]) }\n",
			runs("require_relative '../../../puppet_x/m/a_helper'"), helper, uses, 3},
		{"what a function of agents reads", "notify { 'a': message => Deferred('m::f', [1]) }\n",
			runs("File.read(File.join(__dir__, 'words.txt'))"), "modules/m/lib/puppet/functions/m/words.txt", uses, 3},
		{"what what it requires names", "notify { 'a': message => Deferred('m::f', [1]) }\n",
			runs("Between.new"), helper, uses, 3},
		{"what a function of agents calls", "notify { 'a': message => Deferred('m::f', [1]) }\n",
			runs("call_function('m::g', v)"), "modules/m/lib/puppet/functions/m/g.rb", uses, 3},
		{"a function in a text for agents", "notify { 'a': message => Deferred('inline_epp', ['<%= m::f(1) %>']) }\n", nil,
			function, "the function m::f, which agents run, is another one", 3},
		{"a function that agents call by its name", "notify { 'a': message => Deferred('call', ['m::f']) }\n", nil,
			function, "the function m::f, which agents run, is another one", 3},
		{"a source that agents find out", "file { '/a': source => Deferred('sprintf', ['puppet:///modules/m/%s', 'x']) }\n",
			nil, file, "File[/a] source: agents find out which file it is", 3},
		{"how much agents find out", "file { '/a': source => 'puppet:///modules/m/d', recurse => Deferred('m::r') }\n", nil,
			"modules/m/files/d/x", "File[/a] recurse: agents find out which file it is", 3},
		{"a fragment that agents find out", "concat::fragment { 'a': source => Deferred('m::r') }\n", fragment, file,
			"Concat_fragment[a] source: agents find out which file it is", 3},
		{"an attribute that agents find out", "own { 'a': parts => [Deferred('sprintf', ['puppet:///%s', 'x'])] }\n", typed,
			file, "Own[a] parts: agents find out which file it is", 3},
		{"a file that agents read", "file { '/a': content => Deferred('file', ['m/x']) }\n", nil, file, reads, 3},
		{"a template that agents render", "file { '/a': content => Deferred('epp', ['m/x.epp', {}]) }\n", nil,
			"modules/m/templates/x.epp", reads, 3},
		{"a file that agents find and read", "file { '/a': content => Deferred('file', [Deferred('m::r')]) }\n", nil, file,
			reads, 3},
		{"a file that a text for agents reads", "file { '/a': content => Deferred('inline_epp', ['<%= file($x) %>']) }\n",
			nil, file, reads, 3},
		{"a module that hides it", source("puppet:///modules/m/x"), map[string]string{file: "one\n",
			"environment.conf": "modulepath = site:modules\n"}, "site/m/manifests/init.pp",
			"fails: File[/a]: no module has puppet:///modules/m/x", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 2, 1, map[string]string{"manifests/site.pp": c.site})
			for name, text := range c.files {
				s.write(name, text)
			}
			if !strings.HasSuffix(c.changes, ".pp") {
				s.write(c.changes, "one\n")
			}
			s.commit("before")
			s.write(c.changes, "two\n")
			store := filepath.Join(t.TempDir(), "store")
			for _, more := range [][]string{nil, {"--store", store}, {"--store", store}} {
				code, out := s.diff(append(more, "--from", "HEAD")...)
				if code != c.code || !strings.Contains(out, c.key) || strings.Contains(out, "cannot change") ||
					strings.Contains(out, "without effect") {
					t.Errorf("%v: exit %d\n%s", more, code, out)
				}
			}
			if code, out, _ := call("impact", s.dir, "--from", "HEAD"); code != 2 ||
				!strings.Contains(out, "2 of 2 nodes can change") {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// Where agents may not read what is different, a node that leaves something to them cannot change.
func TestDiffAgentsFindOutOther(t *testing.T) {
	for _, site := range []string{
		"file { '/a': content => Deferred('sprintf', ['file %s', 'x']) }\n",
		"file { '/a': content => Deferred('file', ['m/y']) }\n",
		"file { '/a': ensure => absent, source => Deferred('m::r') }\n",
		"notify { 'a': message => Deferred('inline_epp', ['the file <%= 1 %>']) }\n",
	} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": site, "modules/m/files/x": "one\n",
			"modules/m/files/y": "one\n", "modules/m/templates/y.epp": "one\n"})
		s.write("modules/m/files/x", "two\n")
		if code, out := s.diff("--from", "HEAD"); code != 0 || !strings.Contains(out, "1 cannot change") {
			t.Errorf("%sexit %d\n%s", site, code, out)
		}
	}
}

// What agents run, and no compile, is not said to have no effect: facts, and how a type does its work.
func TestDiffAgentsRun(t *testing.T) {
	for name, code := range map[string]string{
		"modules/m/lib/facter/x.rb":                "Facter.add(:x) { setcode { %s } }\n",
		"modules/m/facts.d/x.txt":                  "x=%s\n",
		"modules/m/lib/puppet/feature/x.rb":        "Puppet.features.add(:x) { %s }\n",
		"modules/m/lib/helper.rb":                  "HELPER = %s\n", // which a provider may require
		"modules/m/lib/puppet/provider.ps1":        "%s\n",
		"shared/linked/lib/helper.rb":              "HELPER = %s\n",
		"modules/m/lib/puppet/provider/foo/own.rb": "Puppet::Type.type(:foo).provide(:own) { def v; %s; end }\n",
		"modules/m/lib/puppet/type/foo.rb": "Puppet::Type.newtype(:foo) do\nnewparam(:name, :namevar => true)\n" +
			"def x; %s; end\nend\n",
	} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "foo { 'a': }\n",
			"modules/m/lib/puppet/type/foo.rb": "Puppet::Type.newtype(:foo) do\nnewparam(:name, :namevar => true)\nend\n"})
		if err := os.Symlink("../shared/linked", filepath.Join(s.dir, "modules", "linked")); err != nil {
			t.Fatal(err)
		}
		s.write(name, strings.ReplaceAll(code, "%s", "1"))
		s.commit("before")
		s.write(name, strings.ReplaceAll(code, "%s", "2"))
		if code, out := s.diff("--from", "HEAD"); code != 0 || strings.Contains(out, "without effect") ||
			!strings.Contains(out, "(agents run it: what it does there was not looked at)") {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
	}
	for _, name := range []string{"modules/m/lib/puppet/functions/x.rb", "modules/m/files/lib/facter/x.rb", "lib/x.rb"} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n", name: "# one\n",
			"modules/m/manifests/init.pp": "class m { }\n"})
		s.write(name, "# two\n")
		if code, out := s.diff("--from", "HEAD"); code != 0 || !strings.Contains(out, "without effect") {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
	}
}

// A machine that compiles its own catalog reads what code names by its path in the environment.
func TestDiffNamedByPath(t *testing.T) {
	for name, c := range map[string]struct{ site, key string }{
		"source":    {"file { '/a': source => \"${module_directory('m')}/files/x\" }\n", "File[/a] source"},
		"of a list": {"file { '/a': source => ['/none', \"${module_directory('m')}/files/x\"] }\n", "File[/a] source"},
		"URL":       {"file { '/a': source => \"file://${module_directory('m')}/files/x\" }\n", "File[/a] source"},
		"directory": {"file { '/a': ensure => directory, recurse => true, source => \"${module_directory('m')}/files\" }\n",
			"File[/a] source"},
		"command": {"exec { 'a': command => \"/bin/sh '${module_directory('m')}/files/x' -y\" }\n", "Exec[a] command"},
		"title":   {"exec { \"/bin/sh ${module_directory('m')}/files/x; true\": }\n", " command"},
		"unless": {"exec { '/bin/a': unless => [['/bin/sh', \"${module_directory('m')}/files/x\"]] }\n",
			"Exec[/bin/a] unless"},
		"Sensitive": {"exec { 'a': command => Sensitive(\"/bin/sh ${module_directory('m')}/files/x -y\") }\n", " command"},
		"secret title": {"$s = Sensitive('hunter22secret')\n" +
			"exec { \"/bin/sh ${module_directory('m')}/files/x ${s.unwrap}\": }\n", " command"},
		"Deferred in Sensitive": {"notify { 'a': message => Sensitive(Deferred('file', ['m/x'])) }\n",
			"Notify[a] message"},
		"another": {"exec { \"/bin/sh ${module_directory('m')}/files/xx\": }\n", ""},
		"content": {"file { '/a': content => \"see ${module_directory('m')}/files/x\" }\n", ""},
		"of a directory that does not come along": {"file { '/a': ensure => directory, source => " +
			"\"${module_directory('m')}/files\" }\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": c.site, "modules/m/files/x": "one\n",
				"modules/m/files/xx": "one\n"})
			s.write("modules/m/files/x", "two\n")
			want, can := 3, 2
			if c.key == "" {
				want, can = 0, 0
			}
			store := filepath.Join(t.TempDir(), "store")
			for _, more := range [][]string{nil, {"--store", store}, {"--store", store}} {
				code, out := s.diff(append(more, "--from", "HEAD")...)
				if code != want || !strings.Contains(out, c.key) || strings.Contains(out, "cannot change") != (c.key == "") ||
					strings.Contains(out, "without effect") != (c.key == "") {
					t.Errorf("%v: exit %d\n%s", more, code, out)
				}
			}
			if code, out, _ := call("impact", s.dir, "--from", "HEAD"); code != can {
				t.Errorf("impact: exit %d\n%s", code, out)
			}
		})
	}
}

// Whether servers hand on values as they are is a setting of the environment, and in no catalog.
func TestDiffRichData(t *testing.T) {
	for value, want := range map[string]int{"Timestamp('2020-01-01')": 3, "[{'a' => /x/}]": 3, "Deferred('m::f')": 3,
		"Sensitive(Deferred('m::f'))": 3, "{'a' => ['b', 1, undef, true, 1.5]}": 0, "Sensitive('a')": 0, "Notify['b']": 0} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': message => " + value + " }\n" +
			"notify { 'b': }\n"})
		s.write("environment.conf", "rich_data = false\n")
		store := filepath.Join(t.TempDir(), "store")
		for _, more := range [][]string{nil, {"--store", store}, {"--store", store}} {
			code, out := s.diff(append(more, "--from", "HEAD")...)
			if code != want || strings.Contains(out, "rich_data of environment.conf") != (want == 3) ||
				want == 3 && (strings.Contains(out, "cannot change") || strings.Contains(out, "without effect")) {
				t.Errorf("%s %v: exit %d\n%s", value, more, code, out)
			}
		}
	}
}
