package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bunraku/internal/live"
)

// TestAcceptCold measures what a check of the example costs from nothing: processor time of a new process.
func TestAcceptCold(t *testing.T) {
	live.Accept(t)
	program := filepath.Join(t.TempDir(), "bunraku")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var costs []time.Duration
	for range 41 {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, program, "check", "../../examples/shop")
		err := cmd.Run()
		stop()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == exitNo) {
			t.Fatal(err)
		}
		costs = append(costs, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	slices.Sort(costs)
	const bar = 60 * time.Millisecond
	t.Logf("cold check of examples/shop: %v of processor time, from %v to %v (bar %v)", costs[len(costs)/2], costs[0],
		costs[len(costs)-1], bar)
	if costs[len(costs)/2] > bar {
		t.Error("the bar is missed")
	}
}
