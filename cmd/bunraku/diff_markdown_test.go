package main

import (
	"strings"
	"testing"
)

// Whatever titles, messages and names of nodes and files hold, a comment has its own parts only: none opens a block, an
// image or a heading.
func TestDiffMarkdownHostile(t *testing.T) {
	s := newRepository(t)
	evil := "x\n\n~~~\n# title\n```\n</details>\n![i](http://evil.example/)"
	s.write("facts/evil.json", `{"name": "*\n\n~~~\n# node", "values": {}}`)
	s.write("manifests/site.pp", "notify { 'a': }\n")
	s.commit("before")
	s.write("manifests/site.pp", "notify { '"+evil+"': }\nif $trusted['certname'] =~ /node/ { fail('"+evil+"') }\n")
	s.write("data/a\n\n~~~\n# file.yaml", "a: 1\n")
	_, out := s.diff("--from", "HEAD", "--format", "markdown")
	fence := ""
	for _, l := range strings.Split(out, "\n") {
		mark := strings.TrimRight(l, "abcdefghijklmnopqrstuvwxyz")
		switch {
		case fence != "":
			if l == fence {
				fence = ""
			}
		case strings.HasPrefix(l, "```"):
			if fence = mark; !strings.HasSuffix(l, "`diff") {
				t.Errorf("a block that is not ours: %q", l)
			}
		case strings.HasPrefix(l, "~~~"), strings.HasPrefix(l, "# "), strings.HasPrefix(l, "*"),
			strings.HasPrefix(l, "!["):
			if !strings.HasPrefix(l, "**") {
				t.Errorf("markup that is not ours: %q", l)
			}
		}
	}
	if fence != "" || strings.Count(out, "<details") < 2 ||
		strings.Count(out, "<details")+1 != strings.Count(out, "</details>") { // one stands in a block of code
		t.Error(out)
	}
}
