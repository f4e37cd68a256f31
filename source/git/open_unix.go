//go:build unix

package git

import (
	"errors"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting for a writer.
const nonblock = syscall.O_NONBLOCK

func notDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
