//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// OwnGroup puts a program into a group of its own, so that what it starts can be ended with it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// End ends a program that runs and everything in its group.
func End(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
