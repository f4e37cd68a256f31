//go:build unix

package main

// hostileKnown are the hostile trees that the program does not stand yet, and why. An entry that passes fails the test.
var hostileKnown = map[string]string{
	"opponent/puppet verify deep": slow,
	"work/puppet execs":           "a verification may cost a quarter of a minute, and two gigabytes",
}

const slow = "takes more than ten seconds of computing"
