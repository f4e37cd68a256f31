package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name may lead into the repository through links that lie outside of it: the current directory's, the environment's,
// those of flags and of a hiera.yaml. Each side reads what its own commit has there, whatever the work tree has.
func TestDiffNamesThroughLinks(t *testing.T) {
	site := "notify { 'n': message => lookup('k', { default_value => 'none' }) }\n"
	for _, c := range []struct {
		name  string
		files map[string]string // KEY in them changes with every state; HERE is where the links are
		links map[string]string // outside of the repository, to what of it
		env   string            // that is given, seen from the links
		pwd   string
		flags []string
		cause string
	}{
		{"current directory", map[string]string{"hiera.yaml": hieraOf("data", "c.yaml"), "data/c.yaml": "k: KEY\n"},
			map[string]string{"repo": "."}, ".", "repo", nil, "data/c.yaml:1 ("},
		{"hiera.yaml from a current directory", map[string]string{"g/hiera.yaml": hieraOf("d", "c.yaml"), "g/d/c.yaml": "k: KEY\n"},
			map[string]string{"repo": "."}, ".", "repo", []string{"--hiera", "g/hiera.yaml"}, "g/d/c.yaml:1 ("},
		{"datadir from a current directory", map[string]string{"hiera.yaml": hieraOf("/srv/none", "c.yaml"), "d/c.yaml": "k: KEY\n"},
			map[string]string{"repo": "."}, ".", "repo", []string{"--datadir", "/srv/none=d"}, "d/c.yaml:1 ("},
		{"modules from a current directory", map[string]string{"manifests/site.pp": "include m\n",
			"vendor/m/manifests/init.pp": "class m { notify { 'n': message => 'KEY' } }\n"},
			map[string]string{"repo": "."}, ".", "repo", []string{"--modulepath", "vendor"}, "vendor/m/manifests/init.pp:1 ("},
		{"hiera.yaml", map[string]string{"g/hiera.yaml": hieraOf("d", "c.yaml"), "g/d/c.yaml": "k: KEY\n"},
			map[string]string{"g": "g"}, "", "", []string{"--hiera", "HERE/g/hiera.yaml"}, "g/d/c.yaml:1 ("},
		{"hiera.yaml that is a link itself", map[string]string{"g/hiera.yaml": hieraOf("/srv/none", "c.yaml"),
			"d/c.yaml": "k: KEY\n"}, map[string]string{"hiera.yaml": "g/hiera.yaml"}, "", "",
			[]string{"--hiera", "HERE/hiera.yaml", "--datadir", "/srv/none=REPO/d"}, "d/c.yaml:1 ("},
		{"datadir", map[string]string{"hiera.yaml": hieraOf("/srv/none", "c.yaml"), "d/c.yaml": "k: KEY\n"},
			map[string]string{"d": "d"}, "", "", []string{"--datadir", "/srv/none=HERE/d"}, "d/c.yaml:1 ("},
		{"modulepath", map[string]string{"manifests/site.pp": "include m\n",
			"vendor/m/manifests/init.pp": "class m { notify { 'n': message => 'KEY' } }\n"},
			map[string]string{"v": "vendor"}, "", "", []string{"--modulepath", "HERE/v"}, "vendor/m/manifests/init.pp:1 ("},
		{"a file of modulepath", map[string]string{"manifests/site.pp": "notify { 'n': message => file('m/f') }\n",
			"vendor/m/files/f": "KEY"},
			map[string]string{"v": "vendor"}, "", "", []string{"--modulepath", "HERE/v"}, "vendor/m/files/f:1 ("},
		{"a source of modulepath", map[string]string{
			"manifests/site.pp": "file { '/f': source => 'puppet:///modules/m/f' }\n", "vendor/m/files/f": "KEY"},
			map[string]string{"v": "vendor"}, "", "", []string{"--modulepath", "HERE/v"}, "vendor/m/files/f:1 ("},
		{"a module that is a link", map[string]string{"manifests/site.pp": "include m\n",
			"vendor/m/manifests/init.pp": "class m { notify { 'n': message => 'KEY' } }\n"},
			map[string]string{"all/m": "vendor/m"}, "", "", []string{"--modulepath", "HERE/all"}, "vendor/m/manifests/init.pp:1 ("},
		{"data by another name", map[string]string{"hiera.yaml": hieraOf("HERE/d", "c.yaml"), "data/c.yaml": "k: KEY\n"},
			map[string]string{"d": "data"}, "", "", []string{"--root", "HERE/d"}, "data/c.yaml:1 ("},
		{"data below another name", map[string]string{"hiera.yaml": hieraOf("HERE/repo/data", "c.yaml"), "data/c.yaml": "k: KEY\n"},
			map[string]string{"repo": "."}, "", "", []string{"--allow-outside"}, "data/c.yaml:1 ("},
		{"the environment", map[string]string{"envs/x/hiera.yaml": hieraOf("../../data", "c.yaml"), "data/c.yaml": "k: KEY\n",
			"envs/x/manifests/site.pp": site, "envs/x/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`},
			map[string]string{"e": "envs/x"}, "e", ".", nil, "data/c.yaml:1 ("},
	} {
		t.Run(c.name, func(t *testing.T) {
			here := t.TempDir()
			s := newTree(t, 1, 0, map[string]string{"README": "x\n"})
			fill := func(text string) string {
				return strings.ReplaceAll(strings.ReplaceAll(text, "HERE", here), "REPO", s.dir)
			}
			state := func(key string) {
				for name, text := range c.files {
					s.write(name, strings.ReplaceAll(fill(text), "KEY", key))
				}
			}
			if c.files["manifests/site.pp"] == "" {
				s.write("manifests/site.pp", site)
			}
			for at, to := range c.links {
				at = filepath.Join(here, at)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(s.dir, to), at); err != nil {
					t.Fatal(err)
				}
			}
			for _, key := range []string{"first", "second"} {
				state(key)
				s.commit(key)
			}
			state("third")
			env := s.dir
			if c.env != "" {
				t.Chdir(filepath.Join(here, c.pwd))
				env = c.env
			}
			var flags []string
			for _, f := range c.flags {
				flags = append(flags, fill(f))
			}
			for sides, want := range map[string][2]string{"HEAD~1..HEAD": {"first", "second"}, "HEAD": {"second", "third"}} {
				code, out, errs := call(append([]string{"diff", env, sides}, flags...)...)
				for _, text := range []string{want[0], want[1], c.cause} {
					if code != 2 || !strings.Contains(out, text) || strings.Contains(out, "he same on both sides") {
						t.Errorf("diff %s: exit %d, no %q\n%s%s", sides, code, text, out, errs)
					}
				}
				if code, out, _ := call(append([]string{"impact", env, sides}, flags...)...); code != 2 {
					t.Errorf("impact %s: exit %d\n%s", sides, code, out)
				}
			}
			if code, out, _ := call(append([]string{"diff", env, "HEAD..HEAD"}, flags...)...); code != 0 {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// An environment may be a link of the repository: each side is what the link of its own commit leads to.
func TestDiffEnvironmentIsLink(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"envs/one/manifests/site.pp": "notify { 'a': }\n",
		"envs/two/manifests/site.pp": "notify { 'b': }\n", "envs/one/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`,
		"envs/two/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`})
	s.link("now", "envs/one")
	s.commit("one")
	if err := os.Remove(filepath.Join(s.dir, "now")); err != nil {
		t.Fatal(err)
	}
	s.link("now", "envs/two")
	for _, sides := range []string{"HEAD", "HEAD~1..HEAD"} {
		if sides != "HEAD" {
			s.commit("two")
		}
		code, out, errs := call("diff", filepath.Join(s.dir, "now"), sides)
		if code != 2 || !strings.Contains(out, "- Notify[a]") || !strings.Contains(out, "+ Notify[b]") ||
			!strings.Contains(out, "/now") { // of the work tree, the environment is what the user says
			t.Errorf("%s: exit %d\n%s%s", sides, code, out, errs)
		}
	}
}
