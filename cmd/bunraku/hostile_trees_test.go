//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/hostile"
	"bunraku/internal/live"
)

// What a command may cost on a hostile tree.
const (
	hostileCPU    = 10 * time.Second
	hostileMemory = 1 << 30
	hostileHang   = 2 * time.Minute // of the wall clock: it waits for something
)

// TestHostile: a sample of hostile trees. A stranger's tree runs nothing, tells nothing, injects nothing and ends.
func TestHostile(t *testing.T) {
	// What is about much work may take long: of it there are a few of each kind, and the whole run looks at the rest.
	some := []string{"work/erb until", "work/erb self flatten", "work/puppet alias cycles", "work/puppet doubling",
		"work/data billion laughs",
		"links/pipe at manifests/site.pp", "links/pipe at facts/n.yaml", "links/zero device at data/common.yaml",
		"git/HEAD device",
		"links/sparse at modules/m/files/f", "git/index sparse", "links/outside at manifests/site.pp",
		"links/relative outside at hiera.yaml",
		"mocks/outside", "languages/smartfrog include up", "languages/mupuppet selectors", "catalogs/long path"}
	all := slices.DeleteFunc(hostile.Trees(1), func(h hostile.Tree) bool {
		return hostileKnown[h.Name] != "" || strings.HasPrefix(h.Name, "work/") || strings.Contains(h.Name, "pipe") ||
			strings.Contains(h.Name, "device") || strings.Contains(h.Name, "sparse") || strings.Contains(h.Name, "outside") ||
			strings.HasPrefix(h.Name, "opponent/")
	})
	var sample []hostile.Tree
	for i := 0; i < len(all); i += len(all)/60 + 1 {
		sample = append(sample, all[i])
	}
	for _, h := range hostile.Trees(1) {
		if i := slices.Index(some, h.Name); i >= 0 {
			sample, some = append(sample, h), slices.Delete(some, i, i+1)
		}
	}
	if len(some) > 0 {
		t.Errorf("there are no such trees: %q", some)
	}
	runHostile(t, sample)
}

// TestAcceptHostile: all of them. Those that are known to fail are listed, and must be taken off the list once they
// pass.
func TestAcceptHostile(t *testing.T) {
	live.Accept(t)
	all := hostile.Trees(1)
	if only := os.Getenv("BUNRAKU_HOSTILE"); only != "" {
		all = slices.DeleteFunc(all, func(h hostile.Tree) bool { return !regexp.MustCompile(only).MatchString(h.Name) })
	} else if len(all) < 400 {
		t.Errorf("only %d trees", len(all))
	}
	runHostile(t, all)
}

func runHostile(t *testing.T, trees []hostile.Tree) {
	// A child's greatest size counts from its fork on, so this process has to stay small.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	base := t.TempDir()
	program, err := os.Executable() // TestMain makes it the program
	if err != nil {
		t.Fatal(err)
	}
	side := sideFile(t, program, filepath.Join(base, "plain"))
	var wait sync.WaitGroup
	turns := make(chan struct{}, 3)
	var bad atomic.Int32
	costs := &costs{}
	for i, h := range trees {
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			dir := filepath.Join(base, fmt.Sprint(i))
			failed, known := tryHostile(program, dir, side, h, costs), hostileKnown[h.Name]
			os.RemoveAll(dir)
			switch {
			case len(failed) > 0 && known == "":
				t.Errorf("%s:\n  %s", h.Name, strings.Join(failed, "\n  "))
			case len(failed) == 0 && known != "":
				t.Errorf("%s passes now: take it off the list of known failures (%s)", h.Name, known)
			case len(failed) > 0:
				t.Logf("%s fails as known (%s):\n  %s", h.Name, known, strings.Join(failed, "\n  "))
			}
			if len(failed) > 0 {
				bad.Add(1)
			}
		})
	}
	wait.Wait()
	t.Logf("%d trees, %d fail", len(trees), bad.Load())
	t.Logf("what cost most:\n%s", costs.most(12))
}

// costs are what commands took.
type costs struct {
	sync.Mutex
	list []cost
}

type cost struct {
	what   string
	cpu    time.Duration
	memory int64
}

func (c *costs) add(what string, cpu time.Duration, memory int64) {
	c.Lock()
	defer c.Unlock()
	c.list = append(c.list, cost{what, cpu, memory})
}

// most are the n commands that took most time, and the n that took most memory.
func (c *costs) most(n int) string {
	var b strings.Builder
	show := func() {
		for _, x := range c.list[:min(n, len(c.list))] {
			fmt.Fprintf(&b, "  %5.1f s %5d MiB  %s\n", x.cpu.Seconds(), x.memory>>20, x.what)
		}
	}
	slices.SortFunc(c.list, func(a, b cost) int { return cmp.Compare(b.cpu, a.cpu) })
	show()
	slices.SortFunc(c.list, func(a, b cost) int { return cmp.Compare(b.memory, a.memory) })
	show()
	return b.String()
}

// sideFile is a side file of the plain tree.
func sideFile(t *testing.T, program, dir string) []byte {
	for name, text := range hostile.Plain() {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	side := filepath.Join(dir, "side")
	cmd := exec.Command(program, "compile", dir, "--node", "n", "--provenance", side)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the plain tree does not compile: %v\n%s", err, out)
	}
	data, err := os.ReadFile(side)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// tryHostile asks the program about a tree and says what it did that it must not do.
func tryHostile(program, dir string, side []byte, h hostile.Tree, costs *costs) (bad []string) {
	p := hostile.Place{Dir: filepath.Join(dir, "tree"), Outside: filepath.Join(dir, "outside"),
		Marker: filepath.Join(dir, "marker"), Side: side}
	for _, d := range []string{p.Dir, p.Outside} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return []string{err.Error()}
		}
	}
	if err := os.WriteFile(filepath.Join(p.Outside, "text"), []byte(hostile.Outside+": "+hostile.Outside+"\n"),
		0o644); err != nil {
		return []string{err.Error()}
	}
	if err := h.Write(p); err != nil {
		return []string{"cannot be written: " + err.Error()}
	}
	for _, command := range h.Commands {
		var args []string
		for _, a := range command {
			if rest, ok := strings.CutPrefix(a, "ENV"); ok {
				a = p.Dir + rest
			}
			args = append(args, a)
		}
		why, cpu, memory := runLimited(program, dir, args)
		costs.add(h.Name+": "+strings.Join(command, " "), cpu, memory)
		for _, why := range why {
			bad = append(bad, strings.Join(command, " ")+": "+why)
		}
		if _, err := os.Lstat(p.Marker); !errors.Is(err, fs.ErrNotExist) {
			bad = append(bad, strings.Join(command, " ")+": code of the tree ran")
			os.Remove(p.Marker)
		}
		if len(bad) > 0 {
			break // one failure is enough, and each may take long
		}
	}
	return bad
}

// runLimited runs the program within limits that keep the machine usable, wider than those that are asserted.
func runLimited(program, dir string, args []string) (bad []string, cpu time.Duration, memory int64) {
	ctx, cancel := context.WithTimeout(context.Background(), hostileHang)
	defer cancel()
	const limits = `ulimit -t 12; ulimit -v 6000000; exec "$0" "$@"`
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", limits, program}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "GOMAXPROCS=2", asProgram + "=1"}
	cmd.Dir = dir
	stdout, stderr := &capped{}, &capped{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return []string{err.Error()}, 0, 0
	}
	out := append(stdout.Bytes(), stderr.Bytes()...)
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	memory = usage.Maxrss << 10
	switch {
	case ctx.Err() != nil:
		say("does not end (%v of computing)", cpu.Round(time.Second))
	case cpu > hostileCPU:
		say("takes more than %v", hostileCPU)
	case memory > hostileMemory:
		say("takes %d MiB", memory>>20)
	case cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 3:
		say("ends with %v", cmd.ProcessState)
	}
	for _, crash := range []string{"panic:", "goroutine ", "fatal error:", "runtime error", "nil pointer",
		"bunraku: bug"} {
		if i := bytes.Index(out, []byte(crash)); i >= 0 {
			say("crashes: %q", out[i:min(len(out), i+120)])
			break
		}
	}
	if m := steering.FindIndex(out); m != nil {
		say("prints %q", out[max(0, m[0]-20):min(len(out), m[1]+20)])
	}
	if m := workflow.Find(out); m != nil {
		say("prints the line %q", m)
	}
	for _, text := range []string{hostile.Secret, hostile.Outside, "root:x:0:0"} {
		where := out
		if text == hostile.Secret && args[0] == "compile" {
			where = stderr.Bytes() // a catalog holds its secrets: the agent needs them
		}
		if bytes.Contains(where, []byte(text)) {
			say("tells %s", text)
		}
	}
	return bad, cpu, memory
}

var (
	steering = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}]`)
	workflow = regexp.MustCompile(`(?m)^::.*$`)
)

// A capped buffer keeps the beginning of what is written.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := 32<<20 - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
