//go:build !linux

package serve

import (
	"io/fs"
	"time"
)

func changed(info fs.FileInfo) time.Time { return info.ModTime() }
