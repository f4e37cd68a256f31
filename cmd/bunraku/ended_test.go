//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/explain"
)

// Whoever ends the program, politely or not, finds whole files or none: what was there before, or what is new.
func TestEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program for some seconds")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	t.Run("SIGTERM during an import", func(t *testing.T) {
		lists := writeRepo(t, map[string]string{"Contents-amd64": manyPaths(400_000)})
		ended := 0
		for _, after := range moments(12, 300*time.Millisecond) {
			at := t.TempDir()
			err := endAfter(t, program, after, syscall.SIGTERM, at, "packages", "import", "--platform", "debian-12",
				"--store", filepath.Join(at, "store"), lists)
			if err != nil {
				ended++
			}
			for _, name := range namesIn(t, at) {
				if name != "tmp" && name != "store" || name == "store" && err != nil {
					t.Errorf("ended after %v (%v): it left %s", after, err, name)
				}
			}
			if left := namesIn(t, filepath.Join(at, "tmp")); len(left) > 0 {
				t.Errorf("ended after %v: it left %v", after, left)
			}
		}
		if ended == 0 {
			t.Error("it was always done before it was ended: the test looked at nothing")
		}
	})

	t.Run("kill -9 while files are written", func(t *testing.T) {
		repo := writeRepo(t, map[string]string{"manifests/site.pp": "Integer[1, 3000].each |$i| { notify { \"n${i}\": } }\n"})
		at := t.TempDir()
		side := filepath.Join(at, "side.json")
		whole := 0
		for _, after := range moments(20, 900*time.Millisecond) {
			if err := os.WriteFile(side, []byte(`"old"`), 0o600); err != nil {
				t.Fatal(err)
			}
			endAfter(t, program, after, syscall.SIGKILL, at, "compile", repo, "--node", "n", "--provenance", side)
			text, err := os.ReadFile(side)
			if err == nil && string(text) != `"old"` {
				_, err = explain.Texts(text)
			}
			if err != nil {
				t.Errorf("killed after %v: %d bytes that are no side file: %v", after, len(text), err)
			}
			if len(text) > 10 {
				whole++
			}
		}
		t.Logf("%d of 20 were written by then", whole)
	})
}

// moments are some points of time up to a last one, and one by which everything is done.
func moments(n int, last time.Duration) (out []time.Duration) {
	for i := range n - 1 {
		out = append(out, last*time.Duration(i+1)/time.Duration(n))
	}
	return append(out, time.Minute)
}

// endAfter runs the program with a folder of its own for what is temporary and sends it a signal after a while.
func endAfter(t *testing.T, program string, after time.Duration, with syscall.Signal, at string, args ...string) error {
	t.Helper()
	tmp := filepath.Join(at, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+tmp, "HOME="+at)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = nil, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Signal(with) })
	err := cmd.Wait()
	if timer.Stop() && err != nil {
		t.Fatalf("it failed by itself: %v\n%s", err, out.String())
	}
	return err
}

func namesIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// manyPaths is a list of files and the packages that bring them, as an archive has it.
func manyPaths(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "usr/share/p%d/file%d admin/p%d\n", i%5000, i, i%5000)
	}
	return b.String()
}
