package main

import (
	"os"
	"os/exec"
	"testing"

	"bunraku/internal/live"
)

// The program builds for the system that is least like the one at hand, from nothing, which takes minutes; make dist
// builds for all of them.
func TestBuildsElsewhere(t *testing.T) {
	live.NotShort(t, "it builds the program")
	cmd := exec.Command("go", "build", "-o", os.DevNull, "./cmd/bunraku")
	cmd.Dir = live.Root()
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
