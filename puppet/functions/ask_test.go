package functions_test

import (
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/ask"
)

type question = ask.Question

var site = ask.Site{Environment: environmentDir, Facts: "testdata/facts.json", Logs: true, Mask: mask}

func askPuppet(t *testing.T, qs []question) []string {
	t.Helper()
	return site.Puppet(t, qs)
}

// askUs is the same question to ourselves.
func askUs(q question) string {
	w := newTestWorld()
	return site.Us(w, &w.probe, q)
}

// location is where something stands in our manifest, which is not a matter of functions. Other files may be.
var location = regexp.MustCompile(` ?\((?:file: (?:unknown|t\.pp), )?line: \d+(?:, column: \d+)?\)| on node n1\.example\.com`)

func mask(s string) string {
	if strings.Contains(s, "undefined method") {
		s = ask.WithoutHint(s)
	}
	return ask.WithoutObjects(location.ReplaceAllString(s, ""))
}
