//go:build !unix

package process

import "os/exec"

// OwnGroup does nothing: there are no groups here.
func OwnGroup(*exec.Cmd) {}

// End ends the program; what it started is on its own.
func End(cmd *exec.Cmd) error { return cmd.Process.Kill() }
