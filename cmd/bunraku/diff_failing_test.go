package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Nodes that fail on both sides, and for another reason now: that is told, with what makes it.
func TestDiffFailsOtherwise(t *testing.T) {
	s := newTree(t, 3, 1, map[string]string{"manifests/site.pp": "if $facts['role'] == 'a' {\n  fail('x')\n}\n" +
		"fail('z')\n"})
	s.edit("manifests/site.pp", "'x'", "'y'")
	look := func(how, out string) {
		t.Helper()
		for _, want := range []string{"3 nodes: 3 failing on both sides", "y\n", "x\n", "from  ",
			"site.pp:2 (not committed)\n", "z\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q", how, want)
			}
		}
		if strings.Contains(out, "without effect") || strings.Count(out, "   was   ") != 1 || t.Failed() {
			t.Errorf("%s\n%s", how, out)
		}
	}
	store := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{nil, {"--store", store}} {
		code, out := s.diff(append([]string{"--from", "HEAD"}, args...)...)
		if look(strings.Join(args, " "), out); code != exitUnknown {
			t.Errorf("exit %d", code)
		}
	}
	_, out, _ := call("diff", "merge", s.shards(2), "--env", s.dir, "--from", "HEAD")
	look("in parts", out)
}

// What a node reads that compiles on neither side has no catalog in which it could be seen: it is not without effect.
func TestDiffFailsBothReads(t *testing.T) {
	s := newTree(t, 3, 1, map[string]string{"hiera.yaml": hieraOf("data", "c.yaml"), "data/c.yaml": "k: old\n",
		"README": "old\n", "manifests/site.pp": "if $facts['role'] == 'b' {\n  notify { lookup('k'): }\n  fail('z')\n}\n"})
	s.edit("data/c.yaml", "old", "new")
	s.edit("README", "old", "new")
	code, out := s.diff("--from", "HEAD")
	for _, want := range []string{"2 cannot change, 1 failing on both sides",
		"no effect seen   data/c.yaml:1   (1 node that reads it compiles on neither side)",
		"without effect   README:1   (no node asks for it)"} {
		if code != exitUnknown || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q\n%s", code, want, out)
		}
	}
	s.edit("manifests/site.pp", "== 'b'", "!= ''")
	s.commit("all of them")
	s.edit("data/c.yaml", "new", "newer")
	if code, out = s.diff("--from", "HEAD"); code != exitUnknown ||
		!strings.Contains(out, "(3 nodes that read it compile on neither side)") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
