//go:build unix

package main

// hostileKnown are the hostile trees that the program does not stand yet, and why. An entry that passes fails the test.
var hostileKnown = map[string]string{}
