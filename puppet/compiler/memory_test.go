package compiler_test

import (
	"context"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
)

// memory is what a compile needs, in bytes: what is held at its end (parsed files, data, the catalog and, if there is
// one, the trace), and how much was allocated on the way from parsed files to the catalog.
func memory(t testing.TB, dir string, trace bool) (held, allocated float64) {
	var m [4]runtime.MemStats
	read := func(i int) {
		if i != 2 {
			runtime.GC()
			runtime.GC()
		}
		runtime.ReadMemStats(&m[i])
	}
	read(0)
	s := openSite(t, dir, trace)
	read(1)
	res, err := s.c.Compile(context.Background(), compiler.Node{Facts: s.f})
	if err != nil {
		t.Fatal(err)
	}
	read(2)
	read(3)
	runtime.KeepAlive(res)
	runtime.KeepAlive(s)
	return float64(m[3].HeapAlloc) - float64(m[0].HeapAlloc), float64(m[2].TotalAlloc - m[1].TotalAlloc)
}

// TestAcceptMemory measures what tracing costs in memory, over all sites.
func TestAcceptMemory(t *testing.T) {
	live.Accept(t)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	held, allocated, n := 1.0, 1.0, 0
	for _, dir := range sites(t, func(string) bool { return true }) {
		heldA, a := memory(t, dir, false)
		heldB, b := memory(t, dir, true)
		t.Logf("%-26s holds %6.2f MB, traced %6.2f MB: %.2f; allocates %7.2f MB, traced %7.2f MB: %.2f", filepath.Base(dir),
			heldA/1e6, heldB/1e6, heldB/heldA, a/1e6, b/1e6, b/a)
		held *= heldB / heldA
		allocated *= b / a
		n++
	}
	mean := func(product float64) float64 { return math.Pow(product, 1/float64(n)) }
	t.Logf("memory: with tracing %.2f times as much is held (bar: 2) and %.2f times as much allocated, geometric means "+
		"over %d sites", mean(held), mean(allocated), n)
	if mean(held) > 2 {
		t.Error("tracing takes too much memory")
	}
}
