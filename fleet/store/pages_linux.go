package store

import (
	"syscall"

	bolt "go.etcd.io/bbolt"
)

// forget gives back the memory that holds pages of the file. Who looks at one again gets it from the system's cache, or
// from the disk. The file is mapped at one place as long as a transaction looks at it, at least as far as that does.
func forget(tx *bolt.Tx) {
	// If it cannot be done, the pages stay.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), syscall.MADV_DONTNEED)
}
