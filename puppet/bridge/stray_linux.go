package bridge

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// endStrays ends what a program has started and what has left its group since: a daemon has a session of its own, but
// it has inherited the environment of whoever started it, in which a mark was put. One that has been started with
// another environment is not found.
func endStrays(mark string) {
	for range 3 { // one may be starting another just now
		list, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			return
		}
		found := false
		for _, file := range list {
			env, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark)) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
				found = true
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}
