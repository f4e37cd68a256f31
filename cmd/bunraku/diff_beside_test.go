package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// link makes a link, and the directories that it needs.
func (s *repository) link(at, to string) {
	s.t.Helper()
	at = filepath.Join(s.dir, at)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		s.t.Fatal(err)
	}
}

// besideCases are the ways to what decides beside an environment which classes a node has. What lies in x is theirs.
var besideCases = []struct {
	name         string
	files, links map[string]string
}{
	{"datadir", map[string]string{"env/hiera.yaml": hieraOf("../x", "c.yaml"), "x/c.yaml": "classes: [m]\n"}, nil},
	{"a path", map[string]string{"env/hiera.yaml": hieraOf("data", "../../x/c.yaml"), "x/c.yaml": "classes: [m]\n"}, nil},
	{"a link to data", map[string]string{"env/hiera.yaml": hieraOf("data", "c.yaml"), "x/c.yaml": "classes: [m]\n"},
		map[string]string{"env/data": "../x"}},
	{"a link among data", map[string]string{"env/hiera.yaml": hieraOf("data", "c.yaml"), "x/c.yaml": "classes: [m]\n"},
		map[string]string{"env/data/c.yaml": "../../x/c.yaml"}},
	{"modules", map[string]string{"env/environment.conf": "modulepath = ../x:modules\n",
		"env/manifests/site.pp": "if defined('y') { include y }\n", "x/y/manifests/init.pp": "class y { include m }\n"}, nil},
	{"manifests", map[string]string{"env/environment.conf": "manifest = ../x\n", "x/site.pp": "include m\n"}, nil},
	{"a link to manifests", map[string]string{"x/site.pp": "include m\n"}, map[string]string{"env/manifests": "../x"}},
	{"a linked module", map[string]string{"env/manifests/site.pp": "if defined('y') { include y }\n",
		"x/y/manifests/init.pp": "class y { include m }\n"}, map[string]string{"env/modules/y": "../../x/y"}},
}

// hieraOf is a hiera.yaml of one level.
func hieraOf(datadir, path string) string {
	return "version: 5\nhierarchy: [{name: c, datadir: '" + datadir + "', path: '" + path + "'}]\n"
}

// newBeside is a repository with an environment and what lies beside it.
func newBeside(t *testing.T, ignored bool, files, links map[string]string) *repository {
	s := newTree(t, 0, 0, map[string]string{"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`,
		"env/modules/m/manifests/init.pp": "class m { notify { 'a': } }\n"})
	if ignored {
		s.write(".gitignore", "/x\n")
	}
	if _, linked := links["env/manifests"]; !linked && files["x/site.pp"] == "" && files["env/manifests/site.pp"] == "" {
		s.write("env/manifests/site.pp", "lookup('classes', { default_value => [] }).include\n")
	}
	for name, text := range files {
		s.write(name, text)
	}
	for at, to := range links {
		s.link(at, to)
	}
	s.commit("before")
	return s
}

// Where git ignores what lies beside the environment and decides what a node is, it is there on both sides, whether the
// user has named the repository or not: a revision may read all of it.
func TestDiffIgnoredBeside(t *testing.T) {
	for _, c := range besideCases {
		t.Run(c.name, func(t *testing.T) {
			s := newBeside(t, true, c.files, c.links)
			s.edit("env/modules/m/manifests/init.pp", "'a'", "'b'")
			s.commit("after")
			env := filepath.Join(s.dir, "env")
			for _, args := range [][]string{{"HEAD~1..HEAD"}, {"HEAD~1"}, {"HEAD~1..HEAD", "--root", s.dir}} {
				code, out, errs := call(append([]string{"diff", env}, args...)...)
				if code != 2 || !strings.Contains(out, "- Notify[a]") || !strings.Contains(out, "+ Notify[b]") {
					t.Errorf("diff %v: exit %d\n%s%s", args, code, out, errs)
				}
				if code, out, _ := call(append([]string{"impact", env}, args...)...); code != 2 {
					t.Errorf("impact %v: exit %d\n%s", args, code, out)
				}
			}
		})
	}
}

// A work tree in which nothing has changed is no difference, wherever in its repository data and code lie; what changes
// there is one, and has a cause.
func TestDiffWorkTreeBeside(t *testing.T) {
	for _, c := range besideCases {
		t.Run(c.name, func(t *testing.T) {
			s := newBeside(t, false, c.files, c.links)
			env := filepath.Join(s.dir, "env")
			for _, command := range []string{"diff", "impact"} {
				if code, out, errs := call(command, env); code != 0 || strings.Contains(out, "failing") {
					t.Errorf("%s: exit %d\n%s%s", command, code, out, errs)
				}
			}
			if err := os.RemoveAll(filepath.Join(s.dir, "x")); err != nil {
				t.Fatal(err)
			}
			code, out, _ := call("diff", env)
			if code != 2 || !strings.Contains(out, "- Notify[a]") || !strings.Contains(out, "removed (not committed)") {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// A directory that is new beside the environment has lines that are a cause, before it is committed, too.
func TestDiffNewBeside(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`,
		"env/manifests/site.pp": "notify { lookup('k', { default_value => 'no' }): }\n",
		"env/hiera.yaml":        hieraOf("../nodes", "n.yaml")})
	s.write("nodes/n.yaml", "k: some\n")
	for range 2 {
		_, out, _ := call("diff", filepath.Join(s.dir, "env"))
		if !strings.Contains(out, "+ Notify[some]") || !strings.Contains(out, "nodes/n.yaml, new (not committed)") {
			t.Errorf("%s", out)
		}
		s.git("add", "-A")
	}
}

// Where a link of a commit leads out of the repository, it is read as the work tree is: as far as the user allows it.
// What git would ignore if it lay in the repository hides nothing of it.
func TestDiffLinkOutside(t *testing.T) {
	top := t.TempDir()
	outside := &repository{t, top}
	outside.write("y/manifests/init.pp", "class y { include m }\n")
	outside.write("y/manifests/old.bak", "")
	s := newBeside(t, false, map[string]string{"env/manifests/site.pp": "if defined('y') { include y }\n",
		".gitignore": "*.bak\n"}, map[string]string{"env/modules/y": filepath.Join(top, "y")})
	env := filepath.Join(s.dir, "env")
	for _, args := range [][]string{nil, {"--root", top}} {
		if code, out, errs := call(append([]string{"diff", env}, args...)...); code != 0 {
			t.Errorf("%v: exit %d\n%s%s", args, code, out, errs)
		}
	}
	s.edit("env/modules/m/manifests/init.pp", "'a'", "'b'")
	s.commit("after")
	for _, sides := range []string{"HEAD~1..HEAD", "HEAD~1"} {
		if _, out, _ := call("diff", env, sides); !strings.Contains(out, "Not looked at: the module ") {
			t.Errorf("%s\n%s", sides, out)
		}
		if code, out, errs := call("diff", env, sides, "--root", top); code != 2 || !strings.Contains(out, "+ Notify[b]") {
			t.Errorf("%s: exit %d\n%s%s", sides, code, out, errs)
		}
	}
}

// Of two directories each has its own neighbours: data, modules, and what links out of it lead to. Where nobody can
// tell which they are, that is no answer.
func TestDiffDirectoriesBeside(t *testing.T) {
	for _, c := range besideCases {
		for _, sides := range [][2]string{{"old/env", "new/env"}, {"deep/er/env", "new/env"}, {"old/env", "new/other"}} {
			t.Run(c.name+" "+sides[0]+" "+sides[1], func(t *testing.T) {
				top := t.TempDir()
				t.Chdir(top)
				for i, side := range sides {
					tree, own := &repository{t, filepath.Join(top, filepath.Dir(side))}, filepath.Base(side)+"/"
					text := strings.NewReplacer("[m]", "[m"+sides[i][:1]+"]", "include m", "include m"+sides[i][:1])
					for name, x := range c.files {
						tree.write(strings.Replace(name, "env/", own, 1), text.Replace(x))
					}
					for name, to := range c.links {
						tree.link(strings.Replace(name, "env/", own, 1), to)
					}
					if _, linked := c.links["env/manifests"]; !linked && c.files["x/site.pp"] == "" &&
						c.files["env/manifests/site.pp"] == "" {
						tree.write(own+"manifests/site.pp", "lookup('classes', { default_value => [] }).include\n")
					}
					for _, name := range []string{"mo", "md", "mn"} {
						tree.write(own+"modules/"+name+"/manifests/init.pp", "class "+name+" { notify { '"+name+"': } }\n")
					}
					tree.write(own+"facts/n.json", `{"name": "n", "values": {"fqdn": "n"}}`)
				}
				for _, flag := range []string{"--root=" + top, "--allow-outside"} {
					for _, command := range []string{"diff", "impact"} {
						code, out, errs := call(command, sides[0], sides[1], flag)
						was := "- Notify[m" + sides[0][:1] + "]"
						switch {
						case filepath.Base(sides[1]) == "other":
							if code == 0 || strings.Contains(out, "No differences") || strings.Contains(out, "cannot change") {
								t.Errorf("%s %s: exit %d\n%s%s", command, flag, code, out, errs)
							}
						case code != 2 || command == "diff" && (!strings.Contains(out, was) || !strings.Contains(out, "+ Notify[mn]") ||
							!strings.Contains(out, "/new/x/")):
							t.Errorf("%s %s: exit %d\n%s%s", command, flag, code, out, errs)
						}
					}
				}
				for _, args := range [][]string{{sides[0], sides[0], "--root", top}, {"--from", sides[0], "--to", sides[0], "--root", top}} {
					if code, out, errs := call(append([]string{"diff"}, args...)...); code != 0 {
						t.Errorf("%v: exit %d\n%s%s", args, code, out, errs)
					}
				}
			})
		}
	}
}
