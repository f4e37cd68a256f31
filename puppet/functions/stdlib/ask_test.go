package stdlib_test

import (
	"strings"
	"testing"

	"bunraku/internal/ask"
)

type question = ask.Question

func site(environment string) ask.Site {
	return ask.Site{Environment: environment, Facts: factsFile, Mask: mask}
}

func askPuppet(t *testing.T, qs []question, environment string) []string {
	t.Helper()
	return site(environment).Puppet(t, qs)
}

// askUs is the same question to ourselves. nine is the directory of modules with stdlib 9, or empty.
func askUs(q question, nine string) string {
	w := newTestWorld(nine)
	return site(environmentDir).Us(w, &w.probe, q)
}

// mask is ask.Mask, where an error in a define is told by Puppet with the statement around, by us with the way there
// beside it.
func mask(s string) string {
	return ask.Mask(strings.Replace(s, "Evaluation Error: Error while evaluating a Resource Statement, Evaluation Error:",
		"Evaluation Error:", 1))
}
