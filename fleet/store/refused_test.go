package store

import (
	"errors"
	"os"
	"syscall"
	"testing"

	bolterrors "go.etcd.io/bbolt/errors"
)

// What the system refuses, such as one more open file or a file system that is mounted read-only, says nothing about
// the store: it is not put aside for it.
func TestRefusedIsNotBroken(t *testing.T) {
	for _, why := range []error{syscall.EROFS, syscall.EMFILE, syscall.EACCES, syscall.ENOSPC, syscall.ENOMEM,
		syscall.EIO} {
		err := opening("store.db", &os.PathError{Op: "open", Path: "store.db", Err: why})
		if errors.Is(err, ErrBroken) || !errors.Is(err, why) {
			t.Errorf("%v: %v", why, err)
		}
	}
	if err := opening("store.db", bolterrors.ErrChecksum); !errors.Is(err, ErrBroken) {
		t.Errorf("a wrong sum: %v", err)
	}
}
