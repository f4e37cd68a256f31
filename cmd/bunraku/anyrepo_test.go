package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bunraku/internal/live"
)

var sharedClasses = regexp.MustCompile(`(?m)^(\d+) of (\d+) public class(?:es)? compiled on at least one system`)

// TestAcceptAnyRepo: check of public trees as they were cloned, and nothing else: how much time and memory each takes,
// and how many of the modules' public classes are compiled. bench/fetched.txt names the clones.
func TestAcceptAnyRepo(t *testing.T) {
	live.Accept(t)
	fetched := os.Getenv("BUNRAKU_FETCHED")
	if fetched == "" {
		fetched = filepath.Join(live.Root(), "..", "fetched")
	}
	list, err := os.ReadFile(filepath.Join(live.Root(), "bench", "fetched.txt"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "bunraku")
	if out, err := script(t, live.Root(), nil, "go", "build", "-o", program, "./cmd/bunraku"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const mostSeconds, mostMB = 20, 500
	modules, sites, done, all := 0, 0, 0, 0
	for _, line := range strings.Split(string(list), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		module, site := strings.HasPrefix(fields[0], "lint-modules/"), strings.HasPrefix(fields[0], "site_") ||
			strings.HasPrefix(fields[1], "wikimedia/operations") || strings.HasPrefix(fields[1], "miraheze/") ||
			strings.HasPrefix(fields[1], "mozilla")
		dir := filepath.Join(fetched, fields[0])
		if _, err := os.Stat(dir); err != nil || !module && !site {
			continue
		}
		c := exec.Command(program, "check", dir)
		out, _ := c.Output() // it ends with 1 or 2 when it finds something
		usage := c.ProcessState.SysUsage().(*syscall.Rusage)
		seconds := (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		mb := usage.Maxrss / 1024
		share := "-"
		if m := sharedClasses.FindStringSubmatch(string(out)); m != nil {
			share = m[1] + " of " + m[2]
			if module {
				n, _ := strconv.Atoi(m[1])
				of, _ := strconv.Atoi(m[2])
				done, all = done+n, all+of
			}
		}
		fmt.Printf("%-45s %-12s public classes  %5.1f s (bar %d)  %4d MB (bar %d)\n", fields[1], share, seconds, mostSeconds,
			mb, mostMB)
		if c.ProcessState.ExitCode() < 0 || seconds > mostSeconds || mb > mostMB {
			t.Errorf("%s: exit %d, %.1f s, %d MB", fields[1], c.ProcessState.ExitCode(), seconds, mb)
		}
		if module {
			modules++
		} else {
			sites++
		}
	}
	t.Logf("%d modules (bar 30), %d control repos (bar 12): %d of %d public classes of modules compiled (bar: half)",
		modules,
		sites, done, all)
	if modules < 30 || sites < 12 || 2*done < all {
		t.Errorf("too few")
	}
}
