package main

import (
	"regexp"
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

// A comment mentions nobody, refers to no issue and links nowhere, whatever titles, messages and names hold: what comes
// from the tree is code, there too where a part is folded.
func TestDiffMarkdownMentions(t *testing.T) {
	const evil = "@octo #1 x/y#2 http://evil.example [a](b) `@octo`"
	s := newRepository(t)
	s.write("facts/evil.json", `{"name": "@octo", "values": {}}`)
	s.write("manifests/site.pp", "notify { 'a': }\nif $trusted['certname'] == '@octo' { fail('"+evil+" before') }\n")
	s.commit("before")
	s.write("manifests/site.pp", "notify { '"+evil+"': }\nnotify { 'b': message => inline_template('<%= `x` %>') }\n"+
		"if $trusted['certname'] == '@octo' { fail('"+evil+"') }\n")
	s.write("data/@octo.yaml", "a: 1\n")
	_, out := s.diff("--from", "HEAD", "--format", "markdown")
	spans := regexp.MustCompile("(?s)\n(```+)diff\n.*?\n```+\n|<code>.*?</code>|``[^`].*?[^`]``|`[^`\n]*`")
	bare := spans.ReplaceAllString(out, "CODE")
	for _, no := range []string{"@", "#1", "#2", "evil.example", "]("} {
		if strings.Contains(bare, no) {
			t.Errorf("%s stands bare\n%s--- of\n%s", no, bare, out)
		}
	}
	if !strings.Contains(out, "<code>+ Notify[@octo") || !strings.Contains(out, "on `@octo`") {
		t.Error(out)
	}
}
