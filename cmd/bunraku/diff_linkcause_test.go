package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A hunk of a link changes where a name leads. What is there is of the old side, unless its own hunk is applied too:
// both are needed, and no hunk of what a link newly leads to is without effect.
func TestDiffLinkCauses(t *testing.T) {
	const (
		reads    = "notify { file('m/l', 'm/a'): }\n"
		made     = "file { '/d': source => 'puppet:///modules/m/d', recurse => true }\n"
		followed = "file { '/d': source => 'puppet:///modules/m/d', recurse => true, links => follow }\n"
	)
	type step map[string]string // a file with its text, a link with "-> " and where it leads, "" to take it away
	for name, c := range map[string]struct {
		site     string
		old, new step // what differs from the tree below, and what the commit does
		want     []string
		not      string
	}{
		"a link leads to another file, which changes, too": {reads, step{"modules/m/files/l": "-> a"},
			step{"modules/m/files/l": "-> b", "modules/m/files/b": "b2\n"},
			[]string{"+ Notify[b2\\n]\n   from  modules/m/files/b:1 (COMMIT), modules/m/files/l (COMMIT), together"}, "without"},
		"a link leads to a new file": {reads, step{"modules/m/files/l": "-> a"},
			step{"modules/m/files/l": "-> new", "modules/m/files/new": "n\n"},
			[]string{"modules/m/files/l (COMMIT), modules/m/files/new, new (COMMIT), together"}, "without"},
		"a new link, and what it leads to": {reads, nil,
			step{"modules/m/files/l": "-> ../../../shared/q", "shared/q": "q\n"},
			[]string{"modules/m/files/l, new (COMMIT), shared/q, new (COMMIT), together"}, "without"},
		"a link leads to a new directory": {followed, step{"modules/m/files/d/l": "-> ../o"},
			step{"modules/m/files/d/l": "-> ../p", "modules/m/files/p/y": "y\n"},
			[]string{"content of l/y   comes\n", "from  modules/m/files/d/l (COMMIT), modules/m/files/p/y, new (COMMIT), together"},
			"without"},
		"a module is another directory": {"include v\n",
			step{"versions/1/manifests/init.pp": "class v { notify { '1': } }\n", "modules/v": "-> ../versions/1"},
			step{"versions/2/manifests/init.pp": "class v { notify { '2': } }\n", "modules/v": "-> ../versions/2"},
			[]string{"+ Notify[2]\n", "from  modules/v (COMMIT), versions/2/manifests/init.pp, new (COMMIT), together"}, "without"},
		"a new link among files": {made, nil, step{"modules/m/files/d/l": "-> x"},
			[]string{"nothing → 'a link to x'\n   from  modules/m/files/d/l, new (COMMIT)"}, "without"},
		"a link among files that goes": {made, step{"modules/m/files/d/l": "-> x"}, step{"modules/m/files/d/l": ""},
			[]string{"'a link to x' → nothing\n   from  modules/m/files/d/l, removed (COMMIT)"}, "without"},
		"a new link to a directory that is followed": {followed, nil, step{"modules/m/files/d/l": "-> ../o"},
			[]string{"content of l/in   comes\n", "from  modules/m/files/d/l, new (COMMIT)"}, "without"},
		"a new link among classes": {"if defined('m::l') { include m::l }\nif defined('m::z') { include m::z }\n",
			step{"other/l.pp": "class m::l { notify { 'l': } }\n"}, step{"modules/m/manifests/l.pp": "-> ../../../other/l.pp"},
			[]string{"+ Notify[l]\n", "from  modules/m/manifests/l.pp, new (COMMIT)"}, "without"},
		"a new link among modules": {"if defined('z') { include z }\n",
			step{"other/z/manifests/init.pp": "class z { notify { 'z': } }\n"}, step{"modules/z": "-> ../other/z"},
			[]string{"+ Notify[z]\n", "from  modules/z, new (COMMIT)"}, "without"},
		"a directory becomes a link": {made, nil, step{"modules/m/files/d/e": "", "modules/m/files/d/e/f": "",
			"modules/m/files/d/e ": "-> ../o"},
			[]string{"'a directory' → 'a link to ../o'\n     File[/d] content of e/f   goes\n       -f\n" +
				"   from  modules/m/files/d/e, new (COMMIT)"}, "without"},
		"a link becomes a directory": {made, step{"modules/m/files/d/l": "-> ../o"},
			step{"modules/m/files/d/l": "", "modules/m/files/d/l/g": "g\n"},
			[]string{"'a link to ../o' → 'a directory'\n", "from  modules/m/files/d/l/g, new"}, ""},
		"a link of a link leads elsewhere": {followed, step{"modules/m/files/d/l": "-> ../k", "modules/m/files/k": "-> o"},
			step{"modules/m/files/k": "-> p"},
			[]string{"content of l/in   goes\n", "from  modules/m/files/k (COMMIT)"}, "without"},
		"a new link, and it is followed now": {made, nil,
			step{"modules/m/files/d/l": "-> ../o", "manifests/site.pp": followed},
			[]string{"from  manifests/site.pp:1 (COMMIT), modules/m/files/d/l, new (COMMIT), together"}, "without"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": c.site, "modules/m/files/a": "a\n",
				"modules/m/files/b": "b\n", "modules/m/files/d/x": "x\n", "modules/m/files/d/e/f": "f\n",
				"modules/m/files/o/in": "o\n", "modules/m/files/p/other": "p\n"})
			do := func(all step) {
				t.Helper()
				for name, text := range all {
					if at := filepath.Join(s.dir, name); text == "" {
						if err := os.RemoveAll(at); err != nil {
							t.Fatal(err)
						}
					}
				}
				for name, text := range all {
					name = strings.TrimSuffix(name, " ")
					at := filepath.Join(s.dir, name)
					to, link := strings.CutPrefix(text, "-> ")
					switch {
					case link:
						if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
							t.Fatal(err)
						}
						if err := os.Remove(at); err != nil && !os.IsNotExist(err) {
							t.Fatal(err)
						}
						if err := os.Symlink(to, at); err != nil {
							t.Fatal(err)
						}
					case text != "":
						s.put(name, text)
					}
				}
			}
			do(c.old)
			s.put("README", "something\n")
			s.commit("before")
			do(c.new)
			check := func(commit string, args ...string) {
				t.Helper()
				code, out, errs := call(append([]string{"diff", s.dir, "--facts", filepath.Join(s.dir, "facts")}, args...)...)
				out = strings.ReplaceAll(out, s.dir+"/", "")
				for _, want := range c.want {
					if want = strings.ReplaceAll(want, "COMMIT", commit); code != 2 || !strings.Contains(out, want) {
						t.Errorf("%v: %d, no %q\n%s%s", args, code, want, out, errs)
					}
				}
				if c.not != "" && strings.Contains(out, c.not) || strings.Contains(out, "without its cause") {
					t.Errorf("%v: %q\n%s", args, c.not, out)
				}
			}
			check("not committed", "--from", "HEAD")
			s.commit("after")
			made, err := os.ReadFile(filepath.Join(s.dir, ".git", "refs", "heads", "main"))
			if err != nil {
				t.Fatal(err)
			}
			check(string(made[:9]), "--from", "HEAD~1", "--to", "HEAD")
			s.put("README", "nothing\n")
			s.commit("later")
			c.not = "" // of what is no cause, nothing more
			check(string(made[:9]), "--from", "HEAD~2", "--to", "HEAD")
		})
	}
}
