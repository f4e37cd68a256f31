// Package process has what systems differ in about programs that we start: a program can be ended together with
// everything that it has started, where the system knows groups of processes. It may import nothing of this module.
package process

import "os/exec"

// Bind lets a program that is made with a context end, when the context ends, together with what it has started. It is
// called before the program starts.
func Bind(cmd *exec.Cmd) {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return End(cmd) }
}
