//go:build unix

package puppetdb

import (
	"os"
	"syscall"
)

// take takes a file for this process alone, as long as it is open.
func take(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
