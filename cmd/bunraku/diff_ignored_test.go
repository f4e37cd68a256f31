package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What is ignored is there: nobody says that nothing differs, or that no node asks for what makes it.
func TestDiffIgnoredIsThere(t *testing.T) {
	s := newTree(t, 2, 0, map[string]string{
		"manifests/site.pp":   "notify { 'n': message => 'a' }\nfile { '/f': source => 'puppet:///modules/m/f' }\n",
		"modules/m/files/f":   "1\n",
		"modules/m/files/old": "1\n",
	})
	store := filepath.Join(t.TempDir(), "store")
	check := func(ignore, hunk string) {
		t.Helper()
		look := func(how, out string) {
			t.Helper()
			if !strings.Contains(out, "2 nodes: 2 equal but for what is ignored") ||
				!strings.Contains(out, "No differences but those that are ignored.") ||
				!strings.Contains(out, hunk+"   (what it changes is ignored)") {
				t.Errorf("%s %s\n%s", ignore, how, out)
			}
		}
		for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
			code, out := s.diff(append([]string{"--from", "HEAD", "--ignore", ignore}, args...)...)
			if look(strings.Join(args, " "), out); code != exitFine {
				t.Errorf("exit %d", code)
			}
		}
		parts := s.shards(2, "--ignore", ignore)
		_, out, _ := call("diff", "merge", parts, "--env", s.dir, "--from", "HEAD", "--ignore", ignore)
		look("in parts", out)
		if _, out := s.diff("--from", "HEAD", "--ignore", ignore, "--format", "markdown"); !strings.Contains(out,
			"2 equal but for what is ignored. No differences but those that are ignored.") {
			t.Errorf("markdown\n%s", out)
		}
	}
	s.edit("manifests/site.pp", "'a'", "'b'")
	check("Notify[*]", "manifests/site.pp:1")
	s.commit("said")
	s.edit("modules/m/files/f", "1", "2")
	check("File[*]", "modules/m/files/f:1")
	s.commit("put")
	s.edit("modules/m/files/old", "1", "2")
	if _, out := s.diff("--from", "HEAD", "--ignore", "File[*]"); !strings.Contains(out, "2 cannot change") ||
		!strings.Contains(out, "No differences.\n") || !strings.Contains(out, "(no node asks for it)") {
		t.Errorf("what nobody has is not ignored\n%s", out)
	}
}
