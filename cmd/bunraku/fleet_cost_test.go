package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"bunraku/internal/live"
	"bunraku/internal/manynodes"
)

// fleetCosts is what diffs of a fleet take.
type fleetCosts struct {
	seconds [3]float64 // from nothing, after a change that reaches nobody, and one that reaches 64 of 1,000
	mb      int64      // of memory, the largest
	store   int64      // bytes
}

// TestAcceptDiffFleet measures `bunraku diff` over a fleet, as people run it: 10,000 nodes of 50 roles, names,
// addresses and 300 facts of their own, a tenth with data of their own, 300 resources of which 10 render them. What
// counts is the time of the processors divided by how many there are.
func TestAcceptDiffFleet(t *testing.T) {
	live.Accept(t)
	is := diffFleet(t, 10_000)
	for i, bar := range []float64{60, 2, 6} {
		if is.seconds[i] > bar {
			t.Errorf("%.2f s is too long (bar: %.0f)", is.seconds[i], bar)
		}
	}
	if is.store > 300e6 || is.mb > 1000 {
		t.Error("it takes too much room (bars: 1000 MB, store 300)")
	}
}

// TestAcceptDiffTenfold holds 100,000 nodes to 10,000: at most 11 times the time, and a tenth more memory. It prints
// a row for each.
func TestAcceptDiffTenfold(t *testing.T) {
	live.Accept(t)
	less, one, ten := diffFleet(t, 1_000), diffFleet(t, 10_000), diffFleet(t, 100_000)
	for i, is := range []fleetCosts{less, one, ten} {
		t.Logf("| %d | %.1f s | %.1f s | %.1f s | %d MB | %d MB |", []int{1_000, 10_000, 100_000}[i],
			is.seconds[0], is.seconds[1], is.seconds[2], is.mb, is.store>>20)
	}
	for i, bar := range []float64{60, 2, 6} {
		t.Logf("%7.2f s are %.1f times %.2f s (bar: 11 times %.0f s)", ten.seconds[i], ten.seconds[i]/one.seconds[i],
			one.seconds[i], bar)
		if ten.seconds[i] > 11*bar {
			t.Error("it takes too long")
		}
	}
	t.Logf("memory: %d MB, of 10,000 nodes %d MB (bar: 1100); store %.1f times as large", ten.mb, one.mb,
		float64(ten.store)/float64(one.store))
	if ten.mb > 1100 {
		t.Error("it takes too much memory")
	}
}

// diffFleet runs diffs over a fleet of so many nodes, and logs what they take.
func diffFleet(t *testing.T, nodes int) (is fleetCosts) {
	t.Helper()
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
	diff := func(i int, what, to string) {
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
		is.mb, is.seconds[i] = max(is.mb, mb), took
		t.Logf("%d nodes: %-40s %7.2f s  %4d MB", nodes, what, took, mb)
	}
	diff(0, "two revisions from nothing", "some")
	diff(1, "a change that reaches nobody", "nowhere")
	diff(2, "a change that reaches 64 of 1,000", "some")
	err := filepath.WalkDir(store, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			is.store += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d nodes: store %d MB, largest %d MB of memory, on %d processors", nodes, is.store>>20, is.mb,
		runtime.GOMAXPROCS(0))
	return is
}
