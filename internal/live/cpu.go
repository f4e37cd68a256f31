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
