package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/docs"
	"bunraku/report"
)

// codeAnswer is what is known about a code.
type codeAnswer struct {
	Version int    `json:"version"`
	Kind    string `json:"kind"`
	Code    string `json:"code"`
	Meaning string `json:"meaning"`
	Family  string `json:"family"`
	What    string `json:"what,omitempty"`
	Example string `json:"example,omitempty"`
	Cure    string `json:"cure,omitempty"`
}

// aboutCode is what there is to say about a code; ok is false if no message has it.
func aboutCode(code string) (c codeAnswer, ok bool) {
	c = codeAnswer{Version: 1, Kind: "code", Code: code}
	family := ""
	for line := range strings.Lines(docs.Codes) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			_, family, _ = strings.Cut(strings.TrimSpace(title), ": ")
		}
		if rest, ok := strings.CutPrefix(line, "| "+code+" | "); ok {
			c.Meaning = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(rest), " |"), `\|`, "|")
			c.Family = family
		}
	}
	if l, ok := report.LessonOf(code); ok {
		c.What, c.Example, c.Cure = l.What, l.Example, l.Cure
	}
	return c, c.Meaning != ""
}

// explainCode documents a code: what it means, an example, and a cure.
func (a *app) explainCode(f *explainFlags, code string) error {
	c, ok := aboutCode(code)
	if !ok {
		return fail("no message has the code %s; docs/codes.md lists them all", code)
	}
	return a.answer(f, &c, func() {
		fmt.Fprintf(a.out, "%s   %s\n", c.Code, c.Meaning)
		first, size := utf8.DecodeRuneInString(c.Family)
		fmt.Fprintf(a.out, "  %c%s\n", unicode.ToLower(first), c.Family[size:])
		if c.What == "" {
			return
		}
		fmt.Fprintln(a.out, indent(c.What, "  "))
		fmt.Fprintf(a.out, "example\n%s\ncure\n%s\n", indent(c.Example, "  | "), indent(c.Cure, "  | "))
	})
}

func indent(text, with string) string {
	return with + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+with)
}
