package store_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bunraku/budget"
	"bunraku/fleet/store"
	"bunraku/internal/live"
	"bunraku/internal/manynodes"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// peak is the largest that this process has been, in bytes.
func peak() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Maxrss << 10
}

// A watch measures a stretch of work. What decides is the time of the processors that it took, divided by how many
// there are: what the clock says depends on what else the machine does.
type watch struct {
	began time.Time
	cpu   time.Duration
}

func start() watch { return watch{time.Now(), processorTime()} }

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// seconds are those that it would have taken on an idle machine, and those by the clock.
func (w watch) seconds() (idle, clock float64) {
	return (processorTime() - w.cpu).Seconds() / float64(runtime.GOMAXPROCS(0)), time.Since(w.began).Seconds()
}

// fromFile is a node whose facts lie in a directory; what is read of them now is only their bytes.
func fromFile(t testing.TB, dir string, i int) store.Node {
	name := manynodes.Name(i)
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return store.FromText(name, text, func() (*facts.Facts, error) {
		f, err := facts.Parse(source.NewFile(name+".json", string(text)), name)
		if err == nil {
			f.Name = name
		}
		return f, err
	})
}

// fleetNodes is how many nodes the bar's fleet has; BUNRAKU_NODES asks for another number.
func fleetNodes() int {
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_NODES")); err == nil {
		return n
	}
	return 10_000
}

// TestAcceptFleet measures a fleet of 10,000 nodes, 50 roles, own names, addresses and 300 facts, a tenth with own
// data, 300 resources of which 10 have them: two revisions from nothing, then with traces at hand.
func TestAcceptFleet(t *testing.T) {
	live.Accept(t)
	defer budget.TuneMemory()()
	nodes := fleetNodes()
	scale := float64(nodes) / 10_000
	facts := t.TempDir()
	for i := range nodes {
		if err := os.WriteFile(filepath.Join(facts, manynodes.Name(i)+".json"), manynodes.Facts(i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	all := func(s *store.Store, c manynodes.Change) (hows map[store.How]int, took float64) {
		began := start()
		run := newBench(t, s).over(manynodes.Site(nodes, c))
		var counts [3]atomic.Int64
		source.Each(context.Background(), nodes, func(i int) {
			res, err := run.Result(context.Background(), fromFile(t, facts, i))
			if err != nil {
				t.Error(err)
				return
			}
			counts[res.How].Add(1)
		})
		hows = map[store.How]int{}
		for h := range counts {
			hows[store.How(h)] = int(counts[h].Load())
		}
		took, _ = began.seconds()
		return hows, took
	}
	bar := func(what string, began watch, seconds float64) {
		t.Helper()
		idle, clock := began.seconds()
		t.Logf("%-46s %7.2f s (bar: %.1f; by the clock %.2f)", what, idle, seconds*scale, clock)
		if idle > seconds*scale {
			t.Errorf("%s: it takes too long", what)
		}
	}
	whole := start()
	for _, c := range []struct {
		what    string
		change  manynodes.Change
		seconds float64
		want    int
	}{{"the first revision from nothing", manynodes.None, 60, nodes}, {"a change that reaches nobody", manynodes.Nowhere,
		2, 0},
		{"a change that reaches 640 of 10,000", manynodes.Some, 6, nodes * 64 / 1000}} {
		began := start()
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		hows, took := all(s, c.change)
		t.Logf("%s: %v, %.2f s without opening and closing", c.what, hows, took)
		if hows[store.Compiled] != c.want {
			t.Errorf("%s: %d compiled, not %d", c.what, hows[store.Compiled], c.want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		bar(c.what, began, c.seconds)
		if c.change == manynodes.Some {
			bar("two revisions from nothing, and one between", whole, 60)
		}
	}
	size := bytesIn(t, dir)
	every := start()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("each of %d resources", resources(t, s, nodes))
	hows, took := all(s, manynodes.All)
	t.Logf("a change that reaches all nodes: %v, %.2f s", hows, took)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	idle, clock := every.seconds()
	t.Logf("with opening and closing %.2f s (no bar; by the clock %.2f), the store then has %d MB", idle, clock,
		bytesIn(t, dir)>>20)
	t.Logf("store: %d MB (bar: 300), largest %d MB of memory (bar: 1000), on %d processors", size>>20, peak()>>20,
		runtime.GOMAXPROCS(0))
	if float64(size) > 300e6*scale {
		t.Error("the store is too large")
	}
	if peak() > 1000e6 {
		t.Error("it takes too much memory")
	}
}

// TestAcceptMillion takes a million nodes in, each with 300 facts of its own, of which 198 kinds of catalogs come, and
// asks their traces after a change that reaches none of them, and after one that reaches 64,000. What makes up facts
// counts as well: nobody else would write 5 GB of them. BUNRAKU_NODES asks for another number.
func TestAcceptMillion(t *testing.T) {
	live.Accept(t)
	defer budget.TuneMemory()()
	nodes := 1_000_000
	if os.Getenv("BUNRAKU_NODES") != "" {
		nodes = fleetNodes()
	}
	dir := t.TempDir()
	both, byClock := 0.0, 0.0
	for _, c := range []struct {
		what     string
		change   manynodes.Change
		compiled int
	}{{"taken in from nothing", manynodes.None, 198}, {"a change that reaches nobody", manynodes.Nowhere, 0},
		{"a change that reaches 64 of 1,000", manynodes.Some, 48}} {
		began := start()
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, s)
		hows := b.count(b.over(manynodes.Alike(c.change)), nodes, nil)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		idle, clock := began.seconds()
		t.Logf("%-34s %7.1f s (by the clock %.1f): %v", c.what, idle, clock, hows)
		if c.change != manynodes.Some {
			both, byClock = both+idle, byClock+clock
		}
		// Nodes of one kind that are begun at the same moment are each compiled.
		if got := hows[store.Compiled.String()]; got > 2*c.compiled || c.change == manynodes.None && got < c.compiled {
			t.Errorf("%d compiled, not %d", got, c.compiled)
		}
	}
	t.Logf("%d nodes taken in and asked: %.1f s (bar: 600; by the clock %.1f), store %d MB, largest %d MB of memory "+
		"(bar: 4000)", nodes, both, byClock, bytesIn(t, dir)>>20, peak()>>20)
	if both > 600*float64(nodes)/1_000_000 || peak() > 4000e6 {
		t.Error("it takes too long, or too much memory")
	}
}

// bytesIn is how large the files of a directory are.
func bytesIn(t testing.TB, dir string) (n int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// resources is how many resources a node of the fleet has.
func resources(t testing.TB, s *store.Store, nodes int) int {
	b := newBench(t, s)
	return len(b.result(b.over(manynodes.Site(nodes, manynodes.None)), node(3)).Parts())
}
