package source

import (
	"io/fs"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// pinOf takes what the kernel says of a file.
func pinOf(info fs.FileInfo) pin {
	p := pin{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode()}
	p.ctime = p.mtime
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		p.dev, p.ino, p.ctime = uint64(s.Dev), s.Ino, s.Ctim.Nano()
	}
	return p
}
