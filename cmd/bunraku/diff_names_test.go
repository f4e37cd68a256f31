package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Platforms that show what was found at its line call files as seen from the top of the repository, wherever it was
// called and however the environment was named.
func TestDiffNamesFromTop(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"env/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`,
		"env/manifests/site.pp": "notify { lookup('k'): }\n", "env/hiera.yaml": hieraOf("../data", "c.yaml"),
		"data/c.yaml": "k: a\n"})
	s.write("data/c.yaml", "k: b\n")
	for _, c := range [][2]string{{".", "env"}, {"env", "."}, {".", filepath.Join(s.dir, "env")}, {"env/facts", ".."}} {
		t.Chdir(filepath.Join(s.dir, c[0]))
		for format, want := range map[string]string{"github": "file=data/c.yaml,", "gitlab": `"path": "data/c.yaml"`,
			"sarif": `"uri": "data/c.yaml"`} {
			if _, out, errs := call("diff", c[1], "--format", format); !strings.Contains(out, want) {
				t.Errorf("in %s, diff %s --format %s:\n%s%s", c[0], c[1], format, out, errs)
			}
		}
	}
	s.write("data/c.yaml", "j: b\n")
	if _, out, _ := call("diff", "..", "--format", "gitlab"); !strings.Contains(out, `"path": "data/c.yaml"`) {
		t.Errorf("%s", out)
	}
}
