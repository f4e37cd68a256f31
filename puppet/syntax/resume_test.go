package syntax

import (
	"testing"

	"bunraku/source"
)

// TestResumeInTemplates: the parameters of a template that break off at a brace too many are a mistake like others.
func TestResumeInTemplates(t *testing.T) {
	for _, text := range []string{"<%- |Integer[]}", "<%- | Integer[] } $port | -%>\nport <%= $port %>\n"} {
		if _, list := ParseEPP(source.NewFile("x.epp", text), Options{Language: source.Puppet8}); !list.HasErrors() {
			t.Errorf("%q: no mistake is told", text)
		}
	}
}
