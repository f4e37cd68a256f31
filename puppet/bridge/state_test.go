package bridge

import (
	"fmt"
	"os"
	"strings"
)

// state is "running" for a process that is there and is no zombie.
func state(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil || strings.Contains(string(text), ") Z ") {
		return "ended"
	}
	return "running"
}
