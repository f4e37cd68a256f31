package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node that fails since something may not be read is not known to stay the same, and no line is without effect: who
// asks is told how to allow it, and then gets the answer.
func TestDiffMayNotRead(t *testing.T) {
	for _, c := range []struct{ name, at, hiera, conf, site string }{
		{"data", "c.yaml", "DIR", "", "lookup('classes', { default_value => [] }).include\n"},
		{"modules", "y/manifests/init.pp", "data", "modulepath = DIR:modules\n", "include y\n"},
		{"a template", "t.erb", "data", "", "$t = template('DIR/t.erb')\ninclude m\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			outside := t.TempDir()
			at := filepath.Join(outside, filepath.FromSlash(c.at))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{".pp": "class y { include m }\n", ".yaml": "classes: [m]\n", ".erb": "t"}
			if err := os.WriteFile(at, []byte(texts[filepath.Ext(c.at)]), 0o644); err != nil {
				t.Fatal(err)
			}
			place := strings.NewReplacer("DIR", filepath.ToSlash(outside))
			s := newTree(t, 1, 0, map[string]string{"hiera.yaml": place.Replace(hieraOf(c.hiera, "c.yaml")),
				"environment.conf": place.Replace(c.conf), "modules/m/manifests/init.pp": "class m { notify { 'a': } }\n"})
			s.write("manifests/site.pp", place.Replace(c.site))
			s.commit("site")
			s.edit("modules/m/manifests/init.pp", "'a'", "'b'")
			s.commit("after")
			for _, sides := range []string{"HEAD~1..HEAD", "HEAD~1"} {
				code, out := s.diff(sides)
				if code != 3 || strings.Contains(out, "without effect") || strings.Contains(out, "failing") ||
					!strings.Contains(out, "--root "+filepath.ToSlash(outside)) {
					t.Errorf("%s: exit %d\n%s", sides, code, out)
				}
				code, out, _ = call("impact", s.dir, sides)
				if code != 3 || !strings.Contains(out, "0 of 1 node can change, of 1 it is not known") {
					t.Errorf("impact %s: exit %d\n%s", sides, code, out)
				}
				if code, out := s.diff(sides, "--root", outside); code != 2 || !strings.Contains(out, "+ Notify[b]") {
					t.Errorf("%s: exit %d\n%s", sides, code, out)
				}
			}
		})
	}
}
