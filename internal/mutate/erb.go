package mutate

import (
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/template"
	"bunraku/source"
)

// InERB lists the text and the Ruby literals of a template.
func InERB(f *source.File, path string) []*Place {
	t := template.Parse(f)
	if len(t.Trouble()) > 0 {
		return nil
	}
	var out []*Place
	var strs []string // of the template's code
	for _, span := range t.Literals() {
		if old := f.Slice(span); quoted(old) && inCode(f, span) {
			strs = append(strs, old)
		}
	}
	for i, span := range t.Literals() {
		old := f.Slice(span)
		if old == "" {
			continue
		}
		if texts := unique(old, choices, rubyTexts(f, span, old, strs)); len(texts) > 0 {
			key := Named(provenance.LabelKey{Kind: provenance.Literal, File: f.Name, Ordinal: i})
			out = append(out, &Place{Kind: ERB, Path: path, Span: span, Was: key, Is: key, New: texts})
		}
	}
	return out
}

// rubyTexts are what a literal can be instead. A piece of text keeps its blanks and line ends: they decide how the next
// tag is read.
func rubyTexts(f *source.File, span source.Span, old string, strs []string) []string {
	if inCode(f, span) {
		switch {
		case old == "true" || old == "false":
			return []string{strconv.FormatBool(old == "false")}
		case old == "nil":
			return []string{"'fresh'"}
		case quoted(old):
			q := old[:1]
			return append([]string{q + "fresh" + q, q + q}, strs...)
		case len(old) >= 2 && old[0] == '/' && old[len(old)-1] == '/':
			return []string{"/fresh/", "/./"}
		}
		if n, err := strconv.Atoi(old); err == nil {
			return []string{strconv.Itoa(n + far), strconv.Itoa(n + 1), "0"}
		}
		if strings.HasPrefix(old, ":") && len(old) > 1 {
			return []string{":fresh"}
		}
	}
	if with, ok := word(old, "fresh"); ok {
		return []string{with}
	}
	return nil
}

func quoted(s string) bool {
	return len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0]
}

func inCode(f *source.File, span source.Span) bool {
	return strings.LastIndex(f.Text[:span.Start], "<%") > strings.LastIndex(f.Text[:span.Start], "%>")
}

// SameTemplate reports whether a changed template is still the same code with other data.
func SameTemplate(before *source.File, text string) (*source.File, bool) {
	after := source.NewFile(before.Name, text)
	a, b := template.Parse(before), template.Parse(after)
	return after, len(b.Trouble()) == 0 && len(a.Literals()) == len(b.Literals())
}
