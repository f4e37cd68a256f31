package serve

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is when a file, or what is known of it, was changed last.
func changed(info fs.FileInfo) time.Time {
	if st, is := info.Sys().(*syscall.Stat_t); is {
		return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
	}
	return info.ModTime()
}
