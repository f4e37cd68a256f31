package compiler_test

import (
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"bunraku/compiler"
	"bunraku/eval"
	"bunraku/internal/live"
)

// kept is the memory that a compile needs: what it allocates in all, and what its result still holds.
func (s *site) kept(t testing.TB) (allocated, held float64) {
	var before, after, end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	res, err := s.c.Compile(compiler.Node{Facts: s.f})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&end)
	keep(res)
	return float64(after.TotalAlloc - before.TotalAlloc), float64(int64(end.HeapAlloc) - int64(before.HeapAlloc))
}

//go:noinline
func keep(*eval.Result) {}

// TestAcceptMemory measures what tracing costs in memory, over all sites that compile.
func TestAcceptMemory(t *testing.T) {
	live.Accept(t)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	product, n := 1.0, 0
	for _, dir := range sites(t, func(string) bool { return true }) {
		plain, tracing := openSite(t, dir, false), openSite(t, dir, true)
		a, heldA := plain.kept(t)
		b, heldB := tracing.kept(t)
		t.Logf("%-26s allocates %7.2f MB, traced %7.2f MB: %.2f; holds %6.2f MB, traced %6.2f MB", filepath.Base(dir), a/1e6, b/1e6, b/a, heldA/1e6, heldB/1e6)
		product *= b / a
		n++
	}
	mean := math.Pow(product, 1/float64(n))
	t.Logf("memory: tracing takes %.2f times as much, geometric mean over %d sites (bar: 2)", mean, n)
	if mean > 2 {
		t.Error("tracing takes too much memory")
	}
}
