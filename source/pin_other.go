//go:build !linux

package source

import "io/fs"

const noFollow = 0

// pinOf takes what every system says of a file.
func pinOf(info fs.FileInfo) pin {
	t := info.ModTime().UnixNano()
	return pin{size: info.Size(), mtime: t, ctime: t, mode: info.Mode()}
}
