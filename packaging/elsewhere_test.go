package main

import (
	"os"
	"os/exec"
	"testing"

	"bunraku/internal/live"
)

// The program builds for systems that are not like the one at hand: make dist ships it there.
func TestBuildsElsewhere(t *testing.T) {
	live.NotShort(t, "it builds the program")
	for _, system := range []string{"windows", "darwin"} {
		cmd := exec.Command("go", "build", "-o", os.DevNull, "./cmd/bunraku")
		cmd.Dir = live.Root()
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}
