package bridge

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/live"
)

// What Ruby code has started is ended with it, also when it has gone into a session of its own.
func TestStraysAreEnded(t *testing.T) {
	live.Puppet(t) // and with it Ruby
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no way to find processes")
	}
	p, err := System{}.Start("fork { Process.setsid; fork { $stdout.puts Process.pid; $stdout.flush; sleep 600 } " +
		"}\nsleep 600\n")
	if err != nil {
		t.Fatal(err)
	}
	line, err := p.Receive(30 * time.Second)
	if err != nil {
		p.Stop()
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(line)))
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	for range 3000 {
		if state(pid) != "running" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d goes on", pid)
}
