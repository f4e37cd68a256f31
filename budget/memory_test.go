package budget_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"bunraku/budget"
)

// TestTuneMemory: what is kept raises the limit, and afterwards everything is as it was.
func TestTuneMemory(t *testing.T) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOGC or GOMEMLIMIT is set: then they decide")
	}
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	before := limit()
	undo := budget.TuneMemory()
	low := limit()
	kept := make([]byte, 600<<20)
	for i := 0; i < 200 && limit() == low; i++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if high := limit(); low >= before || high <= low {
		t.Errorf("the limit is %d, then %d, with %d bytes kept %d", before, low, len(kept), high)
	}
	runtime.KeepAlive(kept)
	undo()
	if limit() != before || debug.SetGCPercent(100) != 100 {
		t.Errorf("the limit stays %d", limit())
	}
}
