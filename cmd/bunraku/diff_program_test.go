package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What another build of a version in the making has written is no part of this one's answer: it may put changes
// together in another way. The same build of another name is the same.
func TestShardsOfAnotherProgram(t *testing.T) {
	s := newTree(t, 2, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n"})
	s.edit("manifests/site.pp", "'a'", "'b'")
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for more, want := range map[string]int{"": exitNo, "x": exitFailed} {
		dir := t.TempDir()
		other := filepath.Join(dir, "another")
		if err := os.WriteFile(other, append(self[:len(self):len(self)], more...), 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(other, "diff", s.dir, "--from", "HEAD", "--shard", "1/1", "--out", dir+"/parts")
		cmd.Env = append(os.Environ(), asProgram+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		code, _, text := call("diff", "merge", dir+"/parts", "--env", s.dir, "--from", "HEAD")
		if code != want || strings.Contains(text, "or by another program") != (more != "") {
			t.Errorf("with %q behind it: %d %s", more, code, text)
		}
	}
}
