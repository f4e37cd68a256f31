//go:build !unix

package serve

import "io/fs"

const nonblock = 0

func owned(fs.FileInfo) (uid, gid, mode uint32, ok bool) { return 0, 0, 0, false }

func inode(fs.FileInfo) uint64 { return 0 }
