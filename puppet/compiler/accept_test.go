package compiler_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"bunraku/budget"
	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/source"
)

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A site compiles one of the recorded environments over and over, its files parsed and its data read before.
type site struct {
	name string
	c    *compiler.Snapshot
	f    *facts.Facts
}

func openSite(t testing.TB, dir string, trace bool) *site {
	t.Helper()
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7, Roots: []string{live.ModulesDir},
		ServerFacts: serverFacts(filepath.Base(dir)), Trace: trace}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{filepath.Join(dir, "facts.json")}}),
		filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{filepath.Base(dir), c, f}
	for range 3 {
		s.compile(t)
	}
	return s
}

// compile goes from parsed facts to JSON bytes.
func (s *site) compile(t testing.TB) int {
	res, err := s.c.Compile(context.Background(), compiler.Node{Facts: s.f})
	if err != nil {
		t.Fatal(err)
	}
	if res.Failure != nil {
		t.Fatal(res.Failure)
	}
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, res.Catalog)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// seconds measures one compile by repeating it long enough for the clock.
func (s *site) seconds(t testing.TB) float64 {
	n := 0
	runtime.GC()
	began := cpuTime()
	for cpuTime()-began < 50*time.Millisecond {
		s.compile(t)
		n++
	}
	return (cpuTime() - began).Seconds() / float64(n)
}

func sites(t testing.TB, want func(name string) bool) []string {
	var dirs []string
	for _, dir := range live.Sites(t) {
		if want(filepath.Base(dir)) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// A measure holds what ten runs of one site took, in CPU seconds.
type measure struct{ ours, traced, theirs []float64 }

// race measures our compile and real Puppet's in turn, ten times, by CPU time, everything parsed and warm on both
// sides, and gives the geometric means of how many times faster ours is and of what tracing costs.
func race(t *testing.T, dirs []string) (speed, cost float64) {
	live.Puppet(t)
	cmd := live.Command("ruby", filepath.Join("testdata", "speed.rb"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait() }()
	lines := bufio.NewScanner(out)
	defer budget.TuneMemory()()
	const runs = 10
	speed, cost = 1, 1
	for _, dir := range dirs {
		plain, tracing := openSite(t, dir, false), openSite(t, dir, true)
		var m measure
		for range runs {
			m.ours = append(m.ours, plain.seconds(t))
			m.traced = append(m.traced, tracing.seconds(t))
			fmt.Fprintln(in, dir)
			if !lines.Scan() {
				t.Fatal("no answer from Ruby")
			}
			var s float64
			fmt.Sscan(lines.Text(), &s)
			m.theirs = append(m.theirs, s)
		}
		a, b, c := slices.Min(m.ours), slices.Min(m.traced), slices.Min(m.theirs)
		t.Logf("%-24s ours %7.3f ms (to %.3f)  traced %7.3f ms  Puppet %8.2f ms (to %.2f)  %5.0f times, tracing costs %.2f",
			filepath.Base(dir),
			1e3*a, 1e3*slices.Max(m.ours), 1e3*b, 1e3*c, 1e3*slices.Max(m.theirs), c/a, b/a)
		speed *= math.Pow(c/a, 1/float64(len(dirs)))
		cost *= math.Pow(b/a, 1/float64(len(dirs)))
	}
	return speed, cost
}

// TestAcceptSpeed is about the sites that need nothing but Puppet's own functions.
func TestAcceptSpeed(t *testing.T) {
	live.Accept(t)
	dirs := sites(t, func(name string) bool { return pure[name] })
	speed, cost := race(t, dirs)
	t.Logf("speed: %.1f times real Puppet, geometric mean over %d sites (bar: 100); tracing costs %.2f (bar: 1.4)", speed,
		len(dirs), cost)
	if speed < 100 {
		t.Error("too slow")
	}
	if cost > 1.4 {
		t.Error("tracing costs too much")
	}
}

// TestAcceptSpeedAll is about every site.
func TestAcceptSpeedAll(t *testing.T) {
	live.Accept(t)
	dirs := sites(t, func(string) bool { return true })
	speed, cost := race(t, dirs)
	t.Logf("speed: %.1f times real Puppet, geometric mean over %d sites (bar: 100); tracing costs %.2f (bar: 1.4)", speed,
		len(dirs), cost)
	if speed < 100 {
		t.Error("too slow")
	}
	if cost > 1.4 {
		t.Error("tracing costs too much")
	}
}

func BenchmarkSites(b *testing.B) {
	for _, dir := range sites(b, func(string) bool { return true }) {
		for _, trace := range []bool{false, true} {
			name := "plain/"
			if trace {
				name = "traced/"
			}
			b.Run(name+filepath.Base(dir), func(b *testing.B) {
				s := openSite(b, dir, trace)
				b.ReportAllocs()
				began := cpuTime()
				for b.Loop() {
					s.compile(b)
				}
				b.ReportMetric(float64(cpuTime()-began)/float64(b.N)/1e6, "cpu-ms/op")
			})
		}
	}
}
