package lsp

import (
	"testing"

	"bunraku/source"
)

// TestGuess: the word that is written anew is the one that the message is about, and no other that looks like what was
// meant.
func TestGuess(t *testing.T) {
	for _, c := range []struct{ text, summary, want string }{
		{"file { '/a': modde => $zone }", "no parameter named 'modde' on File[/a]", "write mode for modde"},
		{"file { '/a': source => $zone }", "no parameter named 'modde' on File[/a]", ""}, // a default has it
		{"modde", "This Name has no effect.", "write mode for modde"},
		{"include ::mod", "Could not find class ::mod", "write mode for mod"},
	} {
		f := source.NewFile("a.pp", c.text)
		fix, ok := guess(&source.Diagnostic{Summary: c.summary, Help: "did you mean mode?",
			Place: source.Place{File: f, Span: source.Span{End: uint32(len(c.text))}}}, nil)
		if fix.Message != c.want || ok != (c.want != "") {
			t.Errorf("%s, %s: %q", c.text, c.summary, fix.Message)
		}
	}
}
