package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bunraku/internal/live"
	"bunraku/internal/manynodes"
)

// TestAcceptDiffFleet measures `bunraku diff` over a fleet, as people run it: 10,000 nodes of 50 roles, names,
// addresses and 300 facts of their own, a tenth with data of their own, 300 resources of which 10 render them. What
// counts is the time of the processors divided by how many there are. BUNRAKU_NODES asks for another number of nodes.
func TestAcceptDiffFleet(t *testing.T) {
	live.Accept(t)
	nodes := 10_000
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_NODES")); err == nil {
		nodes = n
	}
	scale := float64(nodes) / 10_000
	program := builtProgram(t)
	dir, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	facts := filepath.Join(t.TempDir(), "facts")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
		if out, err := script(t, dir, nil, "git", args...); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	if err := manynodes.Write(dir, nodes, manynodes.None); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "facts"), facts); err != nil {
		t.Fatal(err)
	}
	commit := func(name string) {
		git("add", "-A")
		git("commit", "-q", "-m", name)
		git("tag", name)
	}
	commit("first")
	for name, change := range map[string]manynodes.Change{"nowhere": manynodes.Nowhere, "some": manynodes.Some} {
		git("checkout", "-q", "-b", "to-"+name, "first")
		for path, text := range manynodes.Site(nodes, change) {
			if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		commit(name)
	}
	largest := int64(0)
	diff := func(what, to string, bar float64) {
		t.Helper()
		c := exec.Command(program, "diff", dir, "--facts", facts, "--from", "first", "--to", to, "--store", store)
		out, err := c.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != exitNo) {
			t.Fatalf("%s: %v\n%s", what, err, exit.Stderr)
		}
		want := "No differences."
		if to == "some" {
			want = fmt.Sprintf("on %d nodes\n", nodes*64/1000)
		}
		if !strings.Contains(string(out), want) {
			t.Fatalf("%s: %s", what, out)
		}
		took := (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() / float64(runtime.GOMAXPROCS(0))
		mb := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1024
		largest = max(largest, mb)
		t.Logf("%-40s %7.2f s (bar: %.1f)  %4d MB", what, took, bar*scale, mb)
		if took > bar*scale {
			t.Errorf("%s takes too long", what)
		}
	}
	diff("two revisions from nothing", "some", 60)
	diff("a change that reaches nobody", "nowhere", 2)
	diff("a change that reaches 640 of 10,000", "some", 6)
	size := int64(0)
	err := filepath.WalkDir(store, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("store: %d MB (bar: %.0f), largest %d MB of memory (bar: 1000), on %d processors", size>>20, 300*scale, largest,
		runtime.GOMAXPROCS(0))
	if float64(size) > 300e6*scale || largest > 1000 {
		t.Error("it takes too much room")
	}
}
