package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module's file may lie where no name tells: links lead there, within the environment and out of it. Where it
// changes, the node is not said to stay the same, and the lines have a cause.
func TestDiffReachedByLinks(t *testing.T) {
	const named = "file { '/a': source => 'puppet:///modules/m/x.yaml' }\n"
	for _, c := range []struct{ name, at, to, changes string }{
		{"all modules", "env/modules", "../shared", "shared/m/files/x.yaml"},
		{"a module", "env/modules/m", "../../shared/m", "shared/m/files/x.yaml"},
		{"a module's files", "env/modules/m/files", "conf", "env/modules/m/conf/x.yaml"},
		{"files among files", "env/modules/m/files/d", "../../../../conf", "conf/x.yaml"},
		{"a link behind a link", "env/modules/m/files", "../../../between", "conf/x.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			site := named
			if strings.HasSuffix(c.at, "/d") {
				site = strings.Replace(named, "m/x", "m/d/x", 1)
			}
			s := newTree(t, 0, 0, map[string]string{"env/manifests/site.pp": site, c.changes: "a: 1\n",
				"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`})
			for at, to := range map[string]string{c.at: c.to, "between": "conf"} {
				if err := os.MkdirAll(filepath.Join(s.dir, filepath.Dir(at)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(to, filepath.Join(s.dir, at)); err != nil {
					t.Fatal(err)
				}
			}
			s.commit("links")
			s.write(c.changes, "a: 2\n")
			s.commit("a file")
			env := filepath.Join(s.dir, "env")
			for _, to := range []string{"HEAD", ""} {
				args := []string{env, "--from", "HEAD~1", "--root", s.dir}
				if to != "" {
					args = append(args, "--to", to)
				}
				code, out, _ := call(append([]string{"diff"}, args...)...)
				if code != 2 || !strings.Contains(out, "File[/a] content of its source") ||
					!strings.Contains(out, filepath.Base(c.changes)+":1 (") {
					t.Errorf("exit %d\n%s", code, out)
				}
				if code, out, _ := call(append([]string{"impact"}, args...)...); code != 2 {
					t.Errorf("exit %d\n%s", code, out)
				}
			}
		})
	}
}

// Data and code may lie beside the environment, where hiera.yaml, environment.conf, --hiera or a link names them. Where
// they change, the lines are the cause.
func TestDiffReachedBeside(t *testing.T) {
	const hiera = "version: 5\nhierarchy: [{name: c, datadir: DIR, path: PATH}]\n"
	levels := func(dir, at string) string { return strings.NewReplacer("DIR", dir, "PATH", at).Replace(hiera) }
	const site = "notify { lookup('m'): }\n"
	for _, c := range []struct {
		name, changes string
		files, links  map[string]string
		more          []string
	}{
		{"datadir", "data/common.yaml", map[string]string{"env/hiera.yaml": levels("../data", "common.yaml")}, nil, nil},
		{"a level of its own for each node", "hiera/nodes/n.yaml",
			map[string]string{"env/hiera.yaml": levels("'../hiera/%{facts.kind}nodes'", "'%{fqdn}.yaml'")}, nil, nil},
		{"a path", "data/c.yaml", map[string]string{"env/hiera.yaml": levels("data", "../../data/c.yaml")}, nil, nil},
		{"a link to all data", "data/common.yaml", map[string]string{"env/hiera.yaml": levels("data", "common.yaml")},
			map[string]string{"env/data": "../data"}, nil},
		{"a link among data", "data/some.yaml", map[string]string{"env/hiera.yaml": levels("data", "common.yaml")},
			map[string]string{"env/data/common.yaml": "../../data/some.yaml"}, nil},
		{"a link to hiera.yaml", "data/common.yaml", map[string]string{"hiera.yaml": levels("../data", "common.yaml")},
			map[string]string{"env/hiera.yaml": "../hiera.yaml"}, nil},
		{"hiera.yaml itself", "hiera.yaml", nil, map[string]string{"env/hiera.yaml": "../hiera.yaml"}, nil},
		{"--hiera", "data/common.yaml", map[string]string{"hiera.yaml": levels("data", "common.yaml")}, nil,
			[]string{"--hiera", "hiera.yaml"}},
		{"--hiera itself", "hiera.yaml", nil, nil, []string{"--hiera", "hiera.yaml"}},
		{"a module's", "data/m.yaml", map[string]string{"env/modules/m/hiera.yaml": levels("../../../data", "m.yaml"),
			"env/manifests/site.pp": "notify { lookup('m::m'): }\n"}, nil, nil},
		{"manifests", "manifests/site.pp", map[string]string{"env/environment.conf": "manifest = ../manifests\n"}, nil, nil},
		{"a link to manifests", "manifests/site.pp", nil, map[string]string{"env/manifests": "../manifests"}, nil},
		{"a link among manifests", "code/b.pp", nil, map[string]string{"env/manifests/b.pp": "../../code/b.pp"}, nil},
		{"a link among a module's", "code/init.pp", map[string]string{"env/manifests/site.pp": "include m\n"},
			map[string]string{"env/modules/m/manifests": "../../../code"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 0, 0, map[string]string{"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`})
			var was, is string
			switch {
			case c.changes == "hiera.yaml":
				was, is = levels("data", "a.yaml"), levels("data", "b.yaml")
				for _, dir := range []string{"", "env/"} {
					s.write(dir+"data/a.yaml", "m: a\n")
					s.write(dir+"data/b.yaml", "m: b\n")
				}
			case strings.HasSuffix(c.changes, "init.pp"):
				was, is = "class m { notify { 'a': } }\n", "class m { notify { 'b': } }\n"
			case strings.HasSuffix(c.changes, ".pp"):
				was, is = "notify { 'a': }\n", "notify { 'b': }\n"
			default:
				was, is = "m: a\nm::m: a\n", "m: b\nm::m: b\n"
			}
			if _, linked := c.links["env/manifests"]; !linked && !strings.HasSuffix(c.changes, ".pp") {
				s.write("env/manifests/site.pp", site)
			}
			for name, text := range c.files {
				s.write(name, text)
			}
			for at, to := range c.links {
				if err := os.MkdirAll(filepath.Join(s.dir, filepath.Dir(at)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(to, filepath.Join(s.dir, at)); err != nil {
					t.Fatal(err)
				}
			}
			s.write(c.changes, was)
			s.commit("before")
			s.write(c.changes, is)
			s.commit("after")
			t.Chdir(s.dir)
			for _, sides := range []string{"HEAD~1..HEAD", "HEAD~1"} {
				args := append([]string{"diff", "env", sides, "--root", s.dir}, c.more...)
				code, out, errs := call(args...)
				if code != 2 || !strings.Contains(out, "+ Notify[b]") || !strings.Contains(out, "from  "+c.changes+":") {
					t.Errorf("%s: exit %d\n%s%s", sides, code, out, errs)
				}
			}
		})
	}
}

// A name may be put together when a node is compiled, and a link may lie in a directory that a link leads to: what is
// read then is a cause, too, and what only lies beside it is told nothing of.
func TestDiffReachedByNames(t *testing.T) {
	const lookup = "notify { lookup('m'): }\n"
	for _, c := range []struct {
		name, hiera, site string
		links             map[string]string
	}{
		{"dots within a path", hieraOf("data", "sub/../../../other/c.yaml"), lookup, nil},
		{"dots behind a variable", hieraOf("data", "%{facts.kind}/../../../other/c.yaml"), lookup, nil},
		{"a datadir of a variable", hieraOf("%{there}", "c.yaml"), "$there = '../other'\n" + lookup, nil},
		{"a link behind a link", hieraOf("data", "l/c.yaml"), lookup,
			map[string]string{"env/data/l": "../../between", "between/c.yaml": "../other/c.yaml"}},
		{"a function's file", "version: 5\n", "notify { file(\"${module_directory('m')}/../../../other/c.yaml\"): }\n", nil},
		{"a template", "version: 5\n", "notify { template(\"${module_directory('m')}/../../../other/c.yaml\"): }\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 0, 0, map[string]string{"env/hiera.yaml": c.hiera, "env/manifests/site.pp": c.site,
				"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n", "kind": "sub"}}`, "env/data/sub/.keep": "",
				"env/modules/m/manifests/init.pp": "class m {}\n", "other/c.yaml": "m: a\n", "other/d.yaml": "m: a\n"})
			for at, to := range c.links {
				s.link(at, to)
			}
			s.git("add", "-A")
			s.git("commit", "-q", "--allow-empty", "-m", "links")
			s.write("other/c.yaml", "m: b\n")
			s.write("other/d.yaml", "m: b\n")
			s.commit("after")
			t.Chdir(s.dir)
			for _, sides := range []string{"HEAD~1..HEAD", "HEAD~1"} {
				code, out, errs := call("diff", "env", sides)
				if code != 2 || !strings.Contains(out, "from  other/c.yaml:1 (") || strings.Contains(out, "d.yaml") {
					t.Errorf("%s: exit %d\n%s%s", sides, code, out, errs)
				}
			}
		})
	}
}

// Facts may be linked from elsewhere: that they changed is told as of others, and no line of them is one of the code.
func TestDiffFactsLinked(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"env/manifests/site.pp": "notify { $facts['role']: }\n",
		"machines/n.json": `{"name": "n", "values": {"fqdn": "n", "role": "a"}}`, "env/hiera.yaml": hieraOf("..", "c.yaml")})
	s.link("env/facts", "../machines")
	s.commit("before")
	s.write("machines/n.json", `{"name": "n", "values": {"fqdn": "n", "role": "b"}}`)
	for _, sides := range []string{"HEAD", "HEAD~1..HEAD"} {
		for _, command := range []string{"diff", "impact"} {
			code, out, errs := call(command, filepath.Join(s.dir, "env"), sides)
			if code != 0 || strings.Contains(out, "without effect") ||
				!strings.Contains(out, "Facts are those of the new side, on both sides: how they changed does not count.") {
				t.Errorf("%s: exit %d\n%s%s", command, code, out, errs)
			}
		}
		s.git("add", "-A")
		s.git("commit", "-q", "--allow-empty", "-m", "after")
	}
}

// What flags name is read from one place for both sides. Where the commits hold it, too, that it changed is told, and
// its lines are not said to have no effect.
func TestDiffReadAlike(t *testing.T) {
	for _, c := range []struct{ flag, name, was, is, site string }{
		{"--trusted", "trusted.yaml", "extensions: {pp_role: a}\n", "extensions: {pp_role: b}\n",
			"notify { $trusted['extensions']['pp_role']: }\n"},
		{"--mock", "mock.yaml", "[{function: 'x::y', arguments: [], result: a}]\n",
			"[{function: 'x::y', arguments: [], result: b}]\n", "notify { x::y(): }\n"},
		{"--enc", "enc.yaml", "classes: [a]\n", "classes: [b]\n", "class a { notify { 'a': } }\nclass b {}\n"},
		{"--enc", "../enc.yaml", "classes: [a]\n", "classes: [b]\n", "class a { notify { 'a': } }\nclass b {}\n"},
		{"--facts", "machines", "", "", "notify { $facts['role']: }\n"},
		{"--with", "more", "", "", "include m\n"},
	} {
		s := newTree(t, 1, 0, map[string]string{"env/manifests/site.pp": c.site,
			"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`})
		name := filepath.Join("env", c.name)
		was, is := c.was, c.is
		switch c.flag {
		case "--facts":
			name += "/n.json"
			was, is = `{"fqdn": "n", "role": "a"}`, `{"fqdn": "n", "role": "b"}`
		case "--with":
			name += "/modules/m/manifests/init.pp"
			was, is = "class m { notify { 'a': } }\n", "class m { notify { 'b': } }\n"
		}
		s.write(name, was)
		s.commit("before")
		s.write(name, is)
		s.commit("after")
		env := filepath.Join(s.dir, "env")
		for _, command := range []string{"diff", "impact"} {
			code, out, _ := call(command, env, "HEAD~1..HEAD", c.flag, filepath.Join(env, c.name))
			if code != 0 || strings.Contains(out, "without effect") ||
				!strings.Contains(out, "holds is the same on both sides: how it changed does not count.") {
				t.Errorf("%s %s: exit %d\n%s", c.flag, command, code, out)
			}
		}
	}
}

// Directories come to machines, too, also those of which all files are passed over: an agent (7.23) made them with
// ignore and with recurselimit. Where files in them come, these tell it.
func TestDiffDirectoriesInSources(t *testing.T) {
	for _, c := range []struct{ attributes, was, is, want string }{
		{"recurse => true, ignore => '.keep'", "", "new/.keep", "content of new   nothing → 'a directory'"},
		{"recurse => true, recurselimit => 1", "", "new/deep/x", "content of new   nothing → 'a directory'"},
		{"recurse => true, recurselimit => 2", "", "new/deep/x", "content of new/deep   nothing → 'a directory'"},
		{"recurse => true, recurselimit => 1", "new/x", "new/y", ""},
		{"recurse => true", "", "new/deep/x", "content of new/deep/x   nothing → ''"},
		{"recurse => true, recurselimit => 1", "new/x", "new", "content of new   'a directory' → ''"},
		{"recurse => false", "all", "", "content of its source   'a directory' → nothing"},
		{"recurse => false", "", "new/x", ""},
	} {
		s := newTree(t, 1, 0, map[string]string{
			"manifests/site.pp": "file { '/d': source => 'puppet:///modules/m/d', " + c.attributes + " }\n"})
		at := func(name string) string { return "modules/m/files/d/" + name }
		s.write(at("one"), "one\n")
		if c.was != "" && c.was != "all" {
			s.write(at(c.was), "")
		}
		s.write("modules/m/files/other", "")
		s.commit("before")
		if c.was != "" {
			gone := strings.TrimSuffix(at(c.was), "/all")
			if c.was == "new/x" && c.is == "new" {
				gone = at("new")
			}
			if err := os.RemoveAll(filepath.Join(s.dir, strings.TrimSuffix(gone, "/"))); err != nil {
				t.Fatal(err)
			}
		}
		if c.is != "" {
			s.write(at(c.is), "")
		}
		for _, store := range [][]string{nil, {"--store", filepath.Join(t.TempDir(), "store")}} {
			code, out := s.diff(append(store, "--from", "HEAD")...)
			if (code == 2) != (c.want != "") || !strings.Contains(out, c.want) || strings.Count(out, "content of ") > 1 {
				t.Errorf("%s: %s, exit %d\n%s", c.attributes, c.is, code, out)
			}
		}
	}
}

// Where a file of a module changes and no catalog does, the change is the same on nodes that call what it comes to by
// their names, with and without a store, and has its cause.
func TestDiffOwnNamesOfSources(t *testing.T) {
	const file = "modules/m/files/x"
	s := newTree(t, 3, 0, map[string]string{file: "one\n",
		"manifests/site.pp": "file { \"/x/${facts['fqdn']}\": source => 'puppet:///modules/m/x' }\n"})
	s.write(file, "two\n")
	store := filepath.Join(t.TempDir(), "store")
	for _, more := range [][]string{nil, {"--store", store}, {"--store", store}} {
		_, out := s.diff(append(more, "--from", "HEAD")...)
		if !strings.Contains(out, "A  on 3 nodes\n     File[/x/<fqdn>] content of its source") ||
			!strings.Contains(out, "from  "+file+":1") || strings.Contains(out, "\nB  on") {
			t.Errorf("%v\n%s", more, out)
		}
	}
}

// A Puppetfile may evaluate files of other directories, or read a list from one: where these change, modules that are
// not in git may be other ones.
func TestDiffPuppetfileReads(t *testing.T) {
	for _, c := range []struct {
		puppetfile, file, was, is string
		code                      int
	}{
		{"load File.join(__dir__, 'Puppetfile.d', 'a.rb')\n", "Puppetfile.d/a.rb", "mod 'x-m', '1'\n", "mod 'x-m', '2'\n", 3},
		{"Dir[\"#{__dir__}/parts/*.rb\"].each { |f| eval(File.read(f)) }\n", "parts/a.rb", "mod 'x-m', '1'\n",
			"mod 'x-m', '2'\n", 3},
		{"Dir.glob('./parts/**/*').each { |f| eval(File.read(f)) }\n", "parts/deep/a", "mod 'x-m', '1'\n",
			"mod 'x-m', '2'\n", 3},
		{"YAML.load_file('config/mods.yaml').each { |k, v| mod k, v }\n", "config/mods.yaml", "m: 1\n", "m: 2\n", 3},
		{"YAML.load_file('config/mods.yaml').each { |k, v| mod k, v }\n", "other/mods.yaml", "m: 1\n", "m: 2\n", 0},
		{"moduledir 'modules'\nmod 'x-m', '1'\n", "modules/own/README", "1\n", "2\n", 0},
	} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "include m\n", "Puppetfile": c.puppetfile,
			".gitignore": "/modules/m\n", "config/mods.yaml": "", c.file: c.was})
		s.write(c.file, c.is)
		s.commit("other versions")
		s.write("modules/m/manifests/init.pp", "class m { notify { 'm': } }\n")
		if code, out := s.diff("HEAD~1..HEAD"); code != c.code || strings.Contains(out, "cannot change") != (c.code == 0) {
			t.Errorf("%s: exit %d\n%s", c.puppetfile, code, out)
		}
		if code, out, _ := call("impact", s.dir, "HEAD~1..HEAD"); (code == 2) != (c.code == 3) {
			t.Errorf("%s: exit %d\n%s", c.puppetfile, code, out)
		}
	}
}
