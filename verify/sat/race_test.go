//go:build race

package sat

// The race detector takes the close that interrupts gophersat for a race with its reports, which it is meant to be.
const racing = true
