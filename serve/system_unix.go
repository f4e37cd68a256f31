//go:build unix

package serve

import (
	"io/fs"
	"syscall"
)

// nonblock opens a pipe without waiting for who writes.
const nonblock = syscall.O_NONBLOCK

// owned is whose a file is, and its mode.
func owned(info fs.FileInfo) (uid, gid, mode uint32, ok bool) {
	st, is := info.Sys().(*syscall.Stat_t)
	if !is {
		return 0, 0, 0, false
	}
	return st.Uid, st.Gid, uint32(st.Mode) & 0o7777, true
}

// inode is a file's number.
func inode(info fs.FileInfo) uint64 {
	if st, is := info.Sys().(*syscall.Stat_t); is {
		return uint64(st.Ino)
	}
	return 0
}
