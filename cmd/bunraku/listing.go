package main

import "fmt"

// tellLists says what people should know of the lists that a run has used: that they are of another platform, or that
// there are none.
func (a *app) tellLists(notes []string) {
	for _, n := range notes {
		fmt.Fprintf(a.err, "note: %s\n", n)
	}
}
