package functions_test

import (
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/source"
)

type question = ask.Question

var site = ask.Site{Environment: environmentDir, Facts: "testdata/facts.json", Logs: true, Mask: mask}

// both are the languages that functions are compared in.
var both = []source.Language{source.Puppet7, source.Puppet8}

func askPuppet(t *testing.T, l source.Language, qs []question) []string {
	t.Helper()
	s := site
	s.Language = l
	return s.Puppet(t, qs)
}

// askUs is the same question to ourselves.
func askUs(l source.Language, q question) string {
	w := newTestWorld(l)
	s := site
	s.Language = l
	return s.Us(w, &w.probe, q)
}

// location is where something stands in our manifest, which is not a matter of functions. Other files may be.
var location = regexp.MustCompile(` ?\((?:file: (?:unknown|t\.pp), )?line: \d+(?:, column: \d+)?\)| on node n1\.example\.com`)

func mask(s string) string {
	if strings.Contains(s, "undefined method") {
		s = ask.WithoutHint(s)
	}
	return ask.WithoutObjects(location.ReplaceAllString(s, ""))
}
