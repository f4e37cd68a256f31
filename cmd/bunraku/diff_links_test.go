package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A link in a directory that is compared may lead outside of it where the user says so, as in the work tree.
func TestDiffDirectoryLinks(t *testing.T) {
	dir := t.TempDir()
	s := &repository{t, dir}
	for _, side := range []string{"old", "new"} {
		s.put(side+"/manifests/site.pp", "notify { 'a': }\n")
	}
	s.put("facts/n.example.json", `{"fqdn": "n.example"}`)
	s.put("beside/b.pp", "notify { 'b': }\n")
	if err := os.Symlink("../../beside/b.pp", filepath.Join(dir, "new", "manifests", "b.pp")); err != nil {
		t.Fatal(err)
	}
	args := []string{"diff", filepath.Join(dir, "old"), "--from", filepath.Join(dir, "old"), "--to",
		filepath.Join(dir, "new"), "--facts", filepath.Join(dir, "facts")}
	if code, _, errs := call(args...); code != 1 || !strings.Contains(errs, "N0104") {
		t.Errorf("%d\n%s", code, errs)
	}
	for _, more := range [][]string{{"--root", filepath.Join(dir, "beside")}, {"--allow-outside"}} {
		if code, out, errs := call(append(args, more...)...); code != 2 || !strings.Contains(out, "+ Notify[b]") {
			t.Errorf("%v: %d\n%s%s", more, code, out, errs)
		}
	}
}
