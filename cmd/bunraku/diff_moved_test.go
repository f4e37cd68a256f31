package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Another version of a module that is not fetched, or of which both sides have the files on the disk, is no reason to
// say that a node which uses it cannot change. Who does not use it cannot, and neither can anybody if the module is in
// the tree itself.
func TestDiffOtherVersions(t *testing.T) {
	const code = "class m($x = m::f()) { notify { \"m \": } }\n"
	own := map[string]string{"manifests/site.pp": "if $facts['role'] == 'b' { include m }\n",
		"modules/z/manifests/init.pp": "class z { }\n",
		"Puppetfile":                  "forge 'x'\nmod 'x-m',\n  '1.0.0' # the first\nmod 'x-y', '1.0.0'\n"}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, files := range []map[string]string{own, more} {
			for name, text := range files {
				all[name] = text
			}
		}
		return all
	}
	files := map[string]string{"modules/m/manifests/init.pp": code,
		"modules/m/lib/puppet/functions/m/f.rb": "Puppet::Functions.create_function(:'m::f') { def f; 1; end }\n"}
	plugin := map[string]string{"manifests/site.pp": "if $facts['role'] == 'b' { notify { \"${g(1)}\": } }\n",
		"modules/m/lib/puppet/functions/g.rb": "Puppet::Functions.create_function(:g) { dispatch(:g) { param 'Any', :x }\n" +
			"def g(x); x; end }\n"}
	source := map[string]string{"modules/m/files/a": "1\n", "manifests/site.pp": "if $facts['role'] == 'b' { " +
		"file { '/a': source => 'puppet:///modules/m/a' } }\n"}
	data := map[string]string{"modules/m/hiera.yaml": "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
		"modules/m/data/c.yaml": "m::k: 1\n", "manifests/site.pp": "if $facts['role'] == 'b' { " +
			"notify { \"${lookup('m::k', {default_value => 2})}\": } }\n"}
	for _, c := range []struct {
		name    string
		files   map[string]string
		ignored bool
		from    string
		to      string
		code    int
	}{
		{"absent", nil, false, "1.0.0' #", "2.0.0' #", 3},
		{"a comment", nil, false, "the first", "of all", 0},
		{"what nobody uses", nil, false, "'x-y', '1", "'x-y', '2", 0},
		{"all of them", nil, false, "forge 'x'", "forge 'y'", 3},
		{"on the disk", files, true, "1.0.0' #", "2.0.0' #", 3},
		{"in the tree", files, false, "1.0.0' #", "2.0.0' #", 0},
		{"a function", plugin, true, "1.0.0' #", "2.0.0' #", 3},
		{"a file", source, true, "1.0.0' #", "2.0.0' #", 3},
		{"data", data, true, "1.0.0' #", "2.0.0' #", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 4, 1, with(nil))
			if c.ignored {
				s.write(".gitignore", "modules/m\n")
				s.commit("ignores")
			}
			for name, text := range c.files {
				s.write(name, text)
			}
			s.edit("data/x.yaml", "", "---\n")
			s.commit("the module")
			s.edit("Puppetfile", c.from, c.to)
			store := filepath.Join(t.TempDir(), "store")
			for _, more := range [][]string{nil, {"--store", store}, {"--store", store}} {
				code, out := s.diff(append(more, "--from", "HEAD")...)
				why := strings.Contains(out, "the Puppetfile wants another version of the module m, which is not fetched")
				if still := strings.Contains(out, "3 cannot change") || strings.Contains(out, "4 cannot change"); !still ||
					code != c.code || why != (code == 3) {
					t.Errorf("exit %d\n%s", code, out)
				}
			}
			_, out, _ := call("impact", s.dir, "--from", "HEAD", "--format", "json")
			if reached := strings.Contains(out, `"why": "the Puppetfile wants`); reached != (c.code == 3) ||
				strings.Count(out, `"why"`) > 1 {
				t.Error(out)
			}
		})
	}
}

// The same of a submodule at another commit, between commits and in the work tree.
func TestDiffOtherSubmodule(t *testing.T) {
	lib := newTree(t, 0, 0, map[string]string{"manifests/init.pp": "class m { notify { 'm': } }\n"})
	s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": "if $facts['role'] == 'b' { include m }\n",
		"modules/z/manifests/init.pp": "class z { }\n"})
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "modules/m")
	s.commit("a submodule")
	s.git("-C", "modules/m", "config", "user.email", "a@example.com")
	s.git("-C", "modules/m", "config", "user.name", "a")
	const moved = "the submodule modules/m is at another commit, whose files are not here"
	want := func(code int, text string, args ...string) {
		t.Helper()
		got, out := s.diff(args...)
		if got != code || !strings.Contains(out, text) || code == 0 && strings.Contains(out, moved) {
			t.Errorf("%v: exit %d\n%s", args, got, out)
		}
	}
	want(0, "4 cannot change", "--from", "HEAD")
	if err := os.WriteFile(filepath.Join(s.dir, "modules/m/manifests/init.pp"), []byte("class m { notify { 'n': } }\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	want(3, "files of the submodule modules/m were edited, and both sides have them", "--from", "HEAD")
	s.git("-C", "modules/m", "commit", "-q", "-a", "-m", "another")
	want(3, moved, "--from", "HEAD")
	s.commit("bump")
	want(0, "4 cannot change", "--from", "HEAD")
	want(3, "failing on both sides", "--from", "HEAD~1", "--to", "HEAD")
	want(3, moved, "--from", "HEAD~1")
	s.git("submodule", "--quiet", "deinit", "--all", "--force") // as a clone leaves it
	want(0, "4 cannot change", "--from", "HEAD")
	want(3, moved, "--from", "HEAD~1")
}

// A module that is in git on one side, and on the other in a submodule or named by the Puppetfile only: what nodes have
// of it is not known, and is neither called gone nor failing. Who has something else is told that. If the work tree has
// the submodule, both sides are there.
func TestDiffVendoredModule(t *testing.T) {
	const code = "class m { notify { 'm': } file { '/m': source => 'puppet:///modules/m/f' } }\n"
	lib := newTree(t, 0, 0, map[string]string{"manifests/init.pp": code, "files/f": "f\n"})
	for _, how := range []string{"submodule", "mod"} {
		s := newTree(t, 4, 1, map[string]string{"modules/m/manifests/init.pp": code, "modules/m/files/f": "f\n",
			"modules/z/manifests/init.pp": "class z { }\n",
			"manifests/site.pp": "if $facts['role'] == 'b' { include m\n notify { 'own': }\n" +
				"file { '/own': source => 'puppet:///modules/m/f' } }\n"})
		s.git("rm", "-q", "-r", "modules/m")
		why := "the Puppetfile wants another version of the module m, which is not fetched"
		if how == "submodule" {
			why = "modules/m is a submodule on one side, whose files are not here"
			s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "modules/m")
		} else {
			s.edit("Puppetfile", "", "mod 'x-m', '1.0.0'\n")
		}
		s.commit("elsewhere")
		for _, args := range [][]string{{"--from", "HEAD~1", "--to", "HEAD"}, {"--from", "HEAD", "--to", "HEAD~1"}} {
			code, out := s.diff(args...)
			if code != 3 || !strings.Contains(out, ", 1 not known") || !strings.Contains(out, why) ||
				strings.Contains(out, "Notify[m]") || strings.Contains(out, "leaves behind") || strings.Contains(out, "File[") {
				t.Errorf("%s %v: exit %d\n%s", how, args, code, out)
			}
		}
		if how == "submodule" {
			if code, out := s.diff("--from", "HEAD~1"); code != 0 || strings.Contains(out, why) {
				t.Errorf("exit %d\n%s", code, out)
			}
			continue
		}
		s.edit("manifests/site.pp", "'own'", "'other'")
		code, out := s.diff("--from", "HEAD~1")
		if code != 2 || !strings.Contains(out, "+ Notify[other]") || !strings.Contains(out, why) ||
			strings.Contains(out, "Notify[m]") {
			t.Errorf("exit %d\n%s", code, out)
		}
	}
}

// A repository in the tree that .gitmodules does not name is a submodule all the same.
func TestDiffEmbeddedRepository(t *testing.T) {
	lib := newTree(t, 0, 0, map[string]string{"manifests/init.pp": "class m { notify { 'm': } }\n"})
	s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": "if $facts['role'] == 'b' { include m }\n",
		"modules/z/manifests/init.pp": "class z { }\n"})
	s.git("clone", "-q", lib.dir, "modules/m")
	s.commit("embedded")
	s.edit("modules/m/manifests/init.pp", "'m'", "'n'")
	(&repository{t, filepath.Join(s.dir, "modules/m")}).commit("another")
	s.commit("bump")
	for _, c := range []struct {
		code int
		text string
		args []string
	}{
		{0, "4 cannot change", []string{"--from", "HEAD"}},
		{3, "the submodule modules/m is at another commit, whose files are not here", []string{"--from", "HEAD~1"}},
		{3, "failing on both sides on 1 node", []string{"--from", "HEAD~1", "--to", "HEAD"}},
		{3, "3 cannot change", []string{"--from", "HEAD~1", "--to", "HEAD"}},
	} {
		if code, out := s.diff(c.args...); code != c.code || !strings.Contains(out, c.text) {
			t.Errorf("%v: exit %d, no %q\n%s", c.args, code, c.text, out)
		}
	}
}

// A Puppetfile is Ruby: where it does not say plainly which module it means, that may be any that is not the tree's
// own. Nodes that fail for want of another version may compile with it, and export something; and what is laid under
// both sides is no side's own.
func TestDiffOtherVersionsOfAny(t *testing.T) {
	const uses = "if $facts['role'] == 'b' { include m }\n"
	module := map[string]string{"modules/m/manifests/init.pp": "class m { notify { 'm': } }\n"}
	for _, c := range []struct {
		name       string
		puppetfile string
		site       string
		files      map[string]string
		reached    int
	}{
		{"a name that is made", "%w[m q].each do |n|\n  mod \"x/#{n}\", '1.0.0'\nend\n", uses, module, 1},
		{"a loop", "{ 'm' => '1.0.0' }.each { |n, v| mod n, v }\n", uses, module, 1},
		{"a loop, absent", "{ 'm' => '1.0.0' }.each { |n, v| mod n, v }\n", uses, nil, 1},
		{"two on a line", "mod 'x-q', '1'; mod 'x-m', '1.0.0'\n", uses, module, 1},
		{"a plain function, absent", "mod 'x-m', '1.0.0'\n",
			"if $facts['role'] == 'b' { notify { \"${mfun(1)}\": } }\n", nil, 1},
		{"a plain type, absent", "mod 'x-m', '1.0.0'\n", "if $facts['role'] == 'b' { m_thing { 'a': b => 1 } }\n", nil, 1},
		{"one that fails", "mod 'x-m', '1.0.0'\n", "if $facts['role'] == 'b' { include m::new }\n", module, 1},
		{"an exporter that fails", "mod 'x-m', '1.0.0'\n", "if $facts['role'] == 'b' { include m::new } " +
			"else { Notify <<| |>> }\n", module, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": c.site, "Puppetfile": c.puppetfile,
				"modules/z/manifests/init.pp": "class z { }\n", ".gitignore": "modules/m\n"})
			for name, text := range c.files {
				s.write(name, text)
			}
			s.edit("Puppetfile", "1.0.0", "2.0.0")
			if code, out := s.diff("--from", "HEAD"); code != 3 || strings.Contains(out, "4 cannot change") {
				t.Errorf("exit %d\n%s", code, out)
			}
			_, out, _ := call("impact", s.dir, "--from", "HEAD", "--format", "json")
			if strings.Count(out, `"why"`) != c.reached {
				t.Error(out)
			}
		})
	}
	s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": uses, "Puppetfile": "mod 'x-m', '2.0.0'\n"})
	with, old := filepath.Join(s.dir, "../with"), filepath.Join(s.dir, "../old")
	for name, text := range map[string]string{filepath.Join(with, "modules/m/manifests/init.pp"): "class m { }\n",
		filepath.Join(old, "Puppetfile"): "mod 'x-m', '1.0.0'\n", filepath.Join(old, "manifests/site.pp"): uses} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, out := s.diff("--from", old, "--with", with); code != 3 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// What else can tell the versions of modules apart, and what else uses them.
func TestDiffOtherVersionsByOtherWays(t *testing.T) {
	const uses = "if $facts['role'] == 'b' { include m }\n"
	module := map[string]string{"modules/m/manifests/init.pp": "class m { notify { 'm': } }\n"}
	named := func(what string) string { return "if $facts['role'] == 'b' { " + what + " }\n" }
	data := map[string]string{"data/c.yaml": "k: 1\n"}
	lookup := named("notify { \"${lookup('k', {default_value => 2})}\": }")
	const modules = "mod 'x-m', '1'\n"
	for _, c := range []struct {
		name, site       string
		before, after    string // of the Puppetfile
		file             string // or of another one, if there is a name
		files            map[string]string
		why              string
		reached, notSeen int
	}{
		{"below another moduledir", uses, modules + "moduledir 'other'\n", "moduledir 'other'\n" + modules, "", module, "",
			1, 1},
		{"in a condition", uses, "if old\nend\n" + modules, "if old\n" + modules + "end\n", "", module, "", 1, 1},
		{"out of a comment", uses, modules + "=begin\nmod 'x-m', '2'\n=end\n", "=begin\n" + modules +
			"=end\nmod 'x-m', '2'\n", "", module, "", 1, 1},
		{"a # in a text", uses, "mod 'x-m', :git => %q{x #a}\n", "mod 'x-m', :git => %q{x #b}\n", "", module, "", 1,
			1},
		{"behind the end", uses, modules + "__END__\nmod 'x-m', '2'\n", modules + "__END__\nmod 'x-m', '3'\n", "", module,
			"", 0, 1},
		{"a lock", uses, "GIT\n  sha: a\n  specs:\n    m (1.0.0)\n", "GIT\n  sha: b\n  specs:\n    m (1.0.0)\n",
			"Puppetfile.lock", module, "", 1, 1},
		{"a lock of another", uses, "FORGE\n  specs:\n    x-q (1.0.0)\n", "FORGE\n  specs:\n    x-q (2.0.0)\n",
			"Puppetfile.lock", module, "", 0, 1},
		{"another file", uses, modules, "mod 'x-m', '2'\n", "Puppetfile.more", module, "", 1, 1},
		{"a directory of files", named("file { '/a': recurse => true, source => 'puppet:///modules/m' }"), modules,
			"mod 'x-m', '2'\n", "", nil, "", 1, 1},
		{"a function of agents", named("notify { 'a': message => [Deferred('m::f')] }"), modules, "mod 'x-m', '2'\n", "",
			nil, "", 1, 1},
		{"a source that agents find out", named("file { '/a': source => Deferred('sprintf', ['puppet:///modules/m/%s', 'x']) }"),
			modules, "mod 'x-m', '2'\n", "", nil, "", 1, 1},
		{"data", lookup, "mod 'data', :ref => 'a', :install_path => ''\n", "mod 'data', :ref => 'b', :install_path => ''\n",
			"", data, "another version of data", 1, 1},
		{"data that is not there", lookup, "mod 'data', :ref => 'a', install_path: '.'\n",
			"mod 'data', :ref => 'b', install_path: '.'\n", "", nil, "another version of data", 1, 1},
		{"tools", lookup, "mod 'tools', :ref => 'a', install_path: '.'\n", "mod 'tools', :ref => 'b', install_path: '.'\n",
			"", map[string]string{"data/c.yaml": "k: 1\n"}, "another version of tools", 1, 1},
		{"all modules", uses, "mod 'modules', :ref => 'a', install_path: '.'\n",
			"mod 'modules', :ref => 'b', install_path: '.'\n", "", module, "another version of modules", 4, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file == "" {
				c.file = "Puppetfile"
			}
			s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": c.site, c.file: c.before,
				"hiera.yaml":   "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
				"site/z/x":     "x\n",
				".gitignore":   "/modules\n/data\n",
				"Puppetfile.a": "# empty\n"})
			if c.file != "Puppetfile" {
				s.write("Puppetfile", "eval(File.read(\"#{here}/Puppetfile.more\"))\n")
				s.commit("all")
			}
			for name, text := range c.files {
				s.write(name, text)
			}
			s.write(c.file, c.after)
			code, out := s.diff("--from", "HEAD")
			if c.why == "" {
				c.why = "another version of the module m"
			}
			if want := 3 * min(c.reached, 1); code != want || strings.Contains(out, c.why) != (want > 0) ||
				strings.Contains(out, "no effect seen   Puppetfile") != (c.notSeen > 0) {
				t.Errorf("exit %d\n%s", code, out)
			}
			_, out, _ = call("impact", s.dir, "--from", "HEAD", "--format", "json")
			if strings.Count(out, `"why"`) != c.reached {
				t.Error(out)
			}
		})
	}
}

// A Puppetfile may name the files that it reads in any form. What changes besides is not taken for one of them.
func TestDiffPuppetfileReadsByAnyName(t *testing.T) {
	for _, c := range []struct {
		puppetfile, file string
		reached          int
	}{
		{"list = File.join(__dir__, 'pf', 'list.yaml')\nYAML.load_file(list).each { |n, v| mod n, v }\n", "pf/list.yaml", 1},
		{"list = __dir__ + '/pf/list.yaml'\nYAML.load_file(list).each { |n, v| mod n, v }\n", "pf/list.yaml", 1},
		{"LIST = 'pf/list.yaml'\ninstance_eval do\n  YAML.load_file(LIST).each { |n, v| mod n, v }\nend\n", "pf/list.yaml", 1},
		{"path = [__dir__, 'pf',\n        'a.rb'].join('/')\ninstance_eval(File.read(path))\n", "pf/a.rb", 1},
		{"%w[a].each { |x| instance_eval(File.read(\"#{__dir__}/pf/#{x}.rb\")) }\n", "pf/a.rb", 1},
		{"%w(pf/a.rb).each { |x| instance_eval(File.read(x)) }\n", "pf/a.rb", 1},
		{"instance_eval(\n  File.read(\n    \"pf/a.rb\"\n  )\n)\n", "pf/a.rb", 1},
		{"eval `cat pf/a.rb`\n", "pf/a.rb", 1},
		{"eval %x(cat pf/a.rb)\n", "pf/a.rb", 1},
		{"mod 'x-m', File.read('pf/version')\n", "pf/version", 1},
		{"mod 'x-m',\n  :ref => File.read(\n    'pf/version')\n", "pf/version", 1},
		{"Dir['*/*.rb'].each { |x| instance_eval(File.read(x)) }\n", "other/b.rb", 1},
		{"YAML.load_file(\"#{__dir__}/data/mods.yaml\").each { |n, v| mod n, v }\n", "data/mods.yaml", 1},
		{"instance_eval(File.read('pf/a.rb'))\n", "other/b.rb", 0},
		{"instance_eval(File.read('pf/a.rb'))\n", "data/a.yaml", 0},
		{"YAML.load_file(\"#{__dir__}/data/mods.yaml\").each { |n, v| mod n, v }\n", "data/a.yaml", 0},
		{"# File.read pf/a.rb\nmod 'x-m', '1'\n", "pf/a.rb", 0},
	} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "include m\n", "Puppetfile": c.puppetfile,
			c.file: "one\n", ".gitignore": "/modules\n"})
		s.write("modules/m/manifests/init.pp", "class m { notify { 'm': } }\n")
		s.write(c.file, "two\n")
		code, out := s.diff("--from", "HEAD")
		if want := 3 * c.reached; code != want || c.reached > 0 && strings.Contains(out, "1 cannot change") {
			t.Errorf("%s%s: exit %d\n%s", c.puppetfile, c.file, code, out)
		}
		_, out, _ = call("impact", s.dir, "--from", "HEAD", "--format", "json")
		if strings.Count(out, `"why"`) != c.reached {
			t.Errorf("%s%s: %s", c.puppetfile, c.file, out)
		}
	}
}
