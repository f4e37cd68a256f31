package report

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/source"
)

// An Ignore is one comment of the form
//
//	# bunraku:ignore V101,V203 the vendor's module orders this
//
// at the end of the line that declares a resource, or on a line of its own above it. It says that problems with these
// codes that concern the resource are known and fine.
type Ignore struct {
	Place  source.Place // of the comment
	Codes  []string
	Reason string
	Line   int // what it is about

	used map[string]bool
}

var ignoreWords = regexp.MustCompile(`#\s*bunraku:ignore\b[ \t]*(.*)$`)
var codeWord = regexp.MustCompile(`^[A-Z][0-9]{3,4}$`)

// Ignores finds the comments of a manifest.
func Ignores(f *source.File) []*Ignore {
	if !strings.Contains(f.Text, "bunraku:ignore") {
		return nil
	}
	var out []*Ignore
	for n := 1; n <= f.LineCount(); n++ {
		text := f.Line(n)
		m := ignoreWords.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		start := f.Offset(source.Position{Line: n, Column: 1})
		x := &Ignore{Place: source.Place{File: f, Span: source.Span{Start: start + uint32(m[0]), End: start + uint32(m[1])}},
			Line: n, used: map[string]bool{}}
		x.Codes, x.Reason = splitCodes(strings.TrimSpace(text[m[2]:m[3]]))
		if strings.TrimSpace(text[:m[0]]) == "" {
			// It is about the next line of code; other comments may stand between.
			for x.Line++; x.Line < f.LineCount() && strings.HasPrefix(strings.TrimSpace(f.Line(x.Line)), "#"); {
				x.Line++
			}
		}
		out = append(out, x)
	}
	return out
}

// splitCodes reads "V101, V203 because" as two codes and a reason.
func splitCodes(s string) (codes []string, reason string) {
	for s != "" {
		word, rest, _ := strings.Cut(s, " ")
		more := strings.HasSuffix(word, ",")
		list := strings.FieldsFunc(word, func(r rune) bool { return r == ',' })
		if len(list) == 0 || slices.ContainsFunc(list, func(c string) bool { return !codeWord.MatchString(c) }) {
			return codes, s
		}
		codes = append(codes, list...)
		s = strings.TrimSpace(rest)
		if !more && !strings.HasPrefix(s, ",") {
			return codes, s
		}
		s = strings.TrimSpace(strings.TrimPrefix(s, ","))
	}
	return codes, ""
}

// Ignore lets the comments of the given files take problems out of the count. What stops a compile cannot be ignored.
func (run *Run) Ignore(files []*source.File) []*Ignore {
	var all []*Ignore
	at := map[string]map[int][]*Ignore{}
	seen := map[string]bool{}
	for _, f := range files {
		name := same(f.Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, x := range Ignores(f) {
			all = append(all, x)
			if at[name] == nil {
				at[name] = map[int][]*Ignore{}
			}
			at[name][x.Line] = append(at[name][x.Line], x)
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, p := range run.Problems {
		if p.Finding == nil && p.Severity == source.Error {
			continue
		}
		for _, l := range append([]Location{p.Where}, p.Related...) {
			for _, x := range at[same(l.File)][l.Line] {
				if slices.Contains(x.Codes, p.Code) {
					x.used[p.Code] = true
					p.Suppressed = Suppression{"comment", x.Reason}
				}
			}
		}
	}
	return all
}

// same is a file's name in the one spelling by which two mentions are compared.
func same(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// Unused reports comments that have nothing to ignore. With about, only those on lines that declare something are
// judged: a single node says nothing about code that it does not have.
func Unused(all []*Ignore, about func(file string, line int) bool) source.Diagnostics {
	var out source.Diagnostics
	for _, x := range all {
		if about != nil && !about(x.Place.File.Name, x.Line) {
			continue
		}
		d := &source.Diagnostic{Code: "V901", Severity: source.Note, Place: x.Place, Help: "take the comment away"}
		if len(x.Codes) == 0 {
			d.Summary, d.Help = "this comment ignores nothing: it names no code", "write # bunraku:ignore V101 and why"
			out = append(out, d)
			continue
		}
		var idle []string
		for _, c := range x.Codes {
			if !x.used[c] {
				idle = append(idle, c)
			}
		}
		if len(idle) > 0 {
			d.Summary = "there is no " + strings.Join(idle, " and no ") + " here to ignore"
			out = append(out, d)
		}
	}
	return out
}
