package budget

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// TuneMemory lets garbage pile up while there is little of it: a compile needs a few megabytes and is over in
// milliseconds. Whatever the input, a command is meant to stay below half a gigabyte, so garbage is collected the more
// often the nearer it comes to roomy; one that asks for more (Roomier) gets that. A run that keeps more than that (many
// nodes) gets half as much again as it keeps, after every collection: it would otherwise only collect.
//
// Nor is it noted where memory was asked for, which only profiles of it tell: what offers those (serve) has it noted.
//
// The program calls it first; so does what measures the program from inside, which takes it back at its end.
func TuneMemory() (undo func()) {
	percent, limit, noted := debug.SetGCPercent(-1), debug.SetMemoryLimit(-1), runtime.MemProfileRate
	runtime.MemProfileRate = 0
	debug.SetGCPercent(percent)
	var over atomic.Bool
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		room.Store(roomy)
		debug.SetMemoryLimit(roomy)
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		afterCollection(&over, func() {
			metrics.Read(live)
			debug.SetMemoryLimit(max(room.Load(), int64(live[0].Value.Uint64()/2*3)))
		})
	}
	return func() {
		over.Store(true)
		room.Store(0)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
		runtime.MemProfileRate = noted
	}
}

// roomy is how much memory may be taken before garbage is looked for in earnest; roomier is for work on a fleet, of
// which so much is kept that there would be little room for garbage.
const (
	roomy   = 420 << 20
	roomier = 800 << 20
)

// room is which of them, if memory is tuned.
var room atomic.Int64

// Roomier is for work on very many nodes.
func Roomier() {
	if room.CompareAndSwap(roomy, roomier) {
		debug.SetMemoryLimit(roomier)
	}
}

// afterCollection calls f after every collection of garbage, until it is over.
func afterCollection(over *atomic.Bool, f func()) {
	type canary struct{ _ [16]byte }
	var again func(*canary)
	again = func(*canary) {
		if over.Load() {
			return
		}
		f()
		runtime.SetFinalizer(&canary{}, again)
	}
	runtime.SetFinalizer(&canary{}, again)
}
