package live

import (
	"syscall"
	"time"
)

// CPU is the time that this process has spent computing: tests measure by it, since a busy machine does not change it
// much.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A Watch tells what a part of a test takes.
type Watch struct {
	wall time.Time
	cpu  time.Duration
}

// Begin starts one.
func Begin() Watch { return Watch{time.Now(), CPU()} }

// Took is the time since then, or what this process has computed since then, whichever is less: a busy machine makes
// the first longer, several processors the second.
func (w Watch) Took() time.Duration { return min(time.Since(w.wall), CPU()-w.cpu) }
