//go:build !unix

package bridge

import "os/exec"

func ownGroup(*exec.Cmd) {}

// endGroup ends the program; what it started is on its own.
func endGroup(cmd *exec.Cmd) { cmd.Process.Kill() }
