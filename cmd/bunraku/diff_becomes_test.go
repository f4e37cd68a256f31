package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is seen through a link that takes the place of a directory is not in that directory: its files are removed, and
// not other ones; where a directory takes the place of a link, they are new.
func TestDiffDirectoryBecomesLink(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "include m\n",
		"modules/m/manifests/init.pp": "class m { notify { 'a': } }\n",
		"v/m/manifests/init.pp":       "class m { notify { 'b': } }\n"})
	if err := os.RemoveAll(filepath.Join(s.dir, "modules/m")); err != nil {
		t.Fatal(err)
	}
	s.link("modules/m", "../v/m")
	check := func(want []string, sides ...string) {
		t.Helper()
		code, out := s.diff(sides...)
		for _, text := range append(want, "Notify[a]", "Notify[b]", "1 changed") {
			if code != 2 || !strings.Contains(out, text) {
				t.Errorf("%v: exit %d, no %q\n%s", sides, code, text, out)
			}
		}
		if strings.Contains(out, "init.pp:1") || strings.Contains(out, "without effect") {
			t.Errorf("%v\n%s", sides, out)
		}
	}
	link, dir := []string{"modules/m, new ("}, []string{"from  modules/m/manifests/init.pp, new"}
	check(link, "--from", "HEAD")
	s.commit("a link")
	check(link, "--from", "HEAD~1", "--to", "HEAD")
	check(dir, "--from", "HEAD", "--to", "HEAD~1")
	s.git("checkout", "-q", "HEAD~1")
	check(dir, "--from", "main")
}

// A link that lies beside the environment, and on the way to what is read, is a cause when it leads elsewhere.
func TestDiffLinkBeside(t *testing.T) {
	for _, c := range []struct {
		name         string
		files, links map[string]string
		link, to     string
	}{
		{"data", map[string]string{"env/hiera.yaml": hieraOf("../data", "c.yaml"), "one/c.yaml": "classes: [m]\n",
			"two/c.yaml": "classes: []\n"}, map[string]string{"data": "one"}, "data", "two"},
		{"above data", map[string]string{"env/hiera.yaml": hieraOf("../now/data", "c.yaml"), "one/data/c.yaml": "classes: [m]\n",
			"two/data/c.yaml": "classes: []\n"}, map[string]string{"now": "one"}, "now", "two"},
		{"a link to a link", map[string]string{"env/hiera.yaml": hieraOf("data", "c.yaml"), "one/c.yaml": "classes: [m]\n",
			"two/c.yaml": "classes: []\n"}, map[string]string{"env/data": "../now", "now": "one"}, "now", "two"},
		{"modules", map[string]string{"env/environment.conf": "modulepath = ../mods:modules\n",
			"env/manifests/site.pp": "if defined('y') { include y }\n", "one/y/manifests/init.pp": "class y { include m }\n",
			"two/z/manifests/init.pp": "class z { }\n"}, map[string]string{"mods": "one"}, "mods", "two"},
		{"manifests", map[string]string{"env/environment.conf": "manifest = ../now\n", "one/site.pp": "include m\n",
			"two/site.pp": "include stdlib\n", "env/modules/stdlib/manifests/init.pp": "class stdlib { }\n",
			"env/manifests/site.pp": ""}, map[string]string{"now": "one"}, "now", "two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBeside(t, false, c.files, c.links)
			if err := os.Remove(filepath.Join(s.dir, c.link)); err != nil {
				t.Fatal(err)
			}
			s.link(c.link, c.to)
			t.Chdir(filepath.Join(s.dir, "env"))
			check := func(sides string) {
				t.Helper()
				code, out, errs := call("diff", ".", sides)
				if code != 2 || !strings.Contains(out, "- Notify[a]") || !strings.Contains(out, "from  ../"+c.link+" (") {
					t.Errorf("%s: exit %d\n%s%s", sides, code, out, errs)
				}
			}
			check("HEAD")
			s.commit("elsewhere")
			check("HEAD~1..HEAD")
		})
	}
}

// Of what one of the commits has it is not said that it is the same since git ignores it, whatever .gitignore says by
// now; nor of a link that is only not a directory.
func TestDiffNotIgnored(t *testing.T) {
	const note = "since git ignores them"
	s := newTree(t, 1, 0, map[string]string{"hiera.yaml": hieraOf("data", "c.yaml"), "data/c.yaml": "k: one\n",
		"manifests/site.pp": "notify { lookup('k'): }\n"})
	s.git("rm", "-q", "--cached", "data/c.yaml")
	s.write(".gitignore", "/data/c.yaml\n")
	s.git("add", ".gitignore")
	s.git("commit", "-qm", "not kept any more")
	s.write("data/c.yaml", "k: two\n")
	for _, args := range [][]string{{"--from", "HEAD~1", "--to", "HEAD"}, {"--from", "HEAD~1"}} {
		if code, out := s.diff(args...); code != 2 || !strings.Contains(out, "+ Notify[two]") ||
			!strings.Contains(out, "from  data/c.yaml:1") || strings.Contains(out, note) {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
	if code, out := s.diff("--from", "HEAD"); code != 0 || !strings.Contains(out, note+": data/c.yaml.") {
		t.Errorf("exit %d\n%s", code, out)
	}

	s = newTree(t, 1, 0, map[string]string{"manifests/site.pp": "if defined('m') { include m }\n",
		"v/m/manifests/init.pp": "class m { notify { 'a': } }\n", ".gitignore": "/modules/m/\n"})
	s.link("modules/m", "../v/m")
	if code, out := s.diff("--from", "HEAD"); code != 2 || !strings.Contains(out, "+ Notify[a]") ||
		!strings.Contains(out, "from  modules/m, new") || strings.Contains(out, note) {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// Attributes above the environment convert its files, too.
func TestDiffAttributesAbove(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`,
		"env/manifests/site.pp": "file { '/f': content => file('m/f.txt') }\n", "env/modules/m/files/f.txt": "a\nb\n"})
	s.write(".gitattributes", "*.txt text eol=crlf\n")
	s.commit("attributes")
	code, out, errs := call("diff", filepath.Join(s.dir, "env"), "HEAD~1..HEAD")
	if code != 2 || !strings.Contains(out, "from  ") || !strings.Contains(out, "f.txt:1-2") ||
		!strings.Contains(out, "a changed .gitattributes has it checked out") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// A flag that names something which nobody would use is refused.
func TestDiffIdleFlags(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n"})
	if code, _, errs := call("diff", s.dir, "HEAD", "--seal", "nope"); code != 1 || !strings.Contains(errs, "--shard") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	_, catalog, _ := call("compile", s.dir)
	s.write("old.json", catalog)
	old := filepath.Join(s.dir, "old.json")
	catalogs := []string{"diff", "--from-catalog", old, "--to-catalog", old}
	if code, out, errs := call(append(catalogs, "--full", "--ignore", "File[*]")...); code != 0 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, more := range [][]string{{"--nodes", "nobody*"}, {"--facts", "nowhere"}, {"--store", "x"},
		{"--with", "nowhere"}} {
		if code, _, errs := call(append(catalogs, more...)...); code != 1 || !strings.Contains(errs, "leave out "+more[0]) {
			t.Errorf("%v: exit %d\n%s", more, code, errs)
		}
	}
}
