package compiler_test

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"bunraku/budget"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/trace"
	"bunraku/source"
)

// asking opens a site whose compiles have traces, or not.
func asking(t testing.TB, dir string, questions bool) (*site, *compiler.Workspace) {
	t.Helper()
	ws := compiler.NewWorkspace(dir, compiler.Options{Language: 7, Roots: []string{live.ModulesDir},
		ServerFacts: serverFacts(filepath.Base(dir)), Questions: questions})
	c, err := ws.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "facts.json")
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{file}}), file)
	if err != nil {
		t.Fatal(err)
	}
	return &site{filepath.Base(dir), c, f}, ws
}

// A trace holds where it was made, in another snapshot of the same files, and after it was stored; compiling again
// gives the same one.
func TestTraceHolds(t *testing.T) {
	for _, dir := range live.Sites(t) {
		s, ws := asking(t, dir, true)
		var bytesOf [2][]byte
		var tr *trace.Trace
		for i := range bytesOf {
			r, err := s.c.Compile(context.Background(), compiler.Node{Facts: s.f})
			if err != nil {
				t.Fatal(err)
			}
			if r.Questions == nil {
				t.Fatal(s.name, "has no trace: ", r.Failure)
			}
			tr = r.Questions()
			bytesOf[i], _ = tr.MarshalBinary()
		}
		if !bytes.Equal(bytesOf[0], bytesOf[1]) {
			t.Errorf("%s: another trace the second time", s.name)
		}
		var stored trace.Trace
		if err := stored.UnmarshalBinary(bytesOf[0]); err != nil {
			t.Error(s.name, err)
		}
		other, err := ws.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*compiler.Snapshot{s.c, other} {
			for _, tr := range []*trace.Trace{tr, &stored} {
				if ok, why, err := c.Holds(context.Background(), tr, compiler.Node{Facts: s.f}); !ok || err != nil {
					t.Errorf("%s does not hold: %s %v", s.name, why, err)
				}
			}
		}
		kinds := map[string]int{}
		for _, e := range tr.Entries {
			kinds[e.Kind.String()]++
		}
		t.Log(s.name, len(tr.Entries), len(bytesOf[0]), kinds)
	}
}

// Collecting questions costs at most a twentieth of a compile.
func TestAcceptTraceCost(t *testing.T) {
	live.Accept(t)
	const bar = 1.05
	defer budget.TuneMemory()()
	cost := 1.0
	dirs := live.Sites(t)
	for _, dir := range dirs {
		plain, _ := asking(t, dir, false)
		asks, _ := asking(t, dir, true)
		for range 3 {
			plain.compile(t)
			asks.compile(t)
		}
		var a, b []float64
		for range 8 {
			a = append(a, plain.seconds(t))
			b = append(b, asks.seconds(t))
		}
		t.Logf("%-24s plain %7.3f ms (to %.3f)  with questions %7.3f ms (to %.3f)  %.3f", plain.name, 1e3*slices.Min(a),
			1e3*slices.Max(a), 1e3*slices.Min(b), 1e3*slices.Max(b), slices.Min(b)/slices.Min(a))
		cost *= math.Pow(slices.Min(b)/slices.Min(a), 1/float64(len(dirs)))
	}
	t.Logf("collecting questions costs %.3f, geometric mean over %d sites (bar: %.2f)", cost, len(dirs), bar)
	if cost > bar {
		t.Error("it costs too much")
	}
}
