package mupuppet

import (
	"strings"

	"bunraku/source"
)

// Diagnostic turns a stuck configuration into what the user reads: in words, where, and which rule's premise failed.
func (s *StuckError) Diagnostic(file *source.File) *source.Diagnostic {
	d := &source.Diagnostic{Code: "M0004", Place: source.Place{File: file, Span: s.Span}}
	if len(s.Failures) == 0 {
		d.Summary = "no rule applies to " + s.Redex
		d.Detail = "stuck in scope " + s.Scope.String()
		return d
	}
	f := s.Failures[0]
	d.Code, d.Summary, d.Label, d.Help = f.Code, f.Summary, f.Label, f.Help
	if f.span != (source.Span{}) && f.span != s.Span {
		if s.Span.Contains(f.span) {
			d.Place.Span = f.span
		} else {
			d.Related = append(d.Related, source.Related{Place: source.Place{File: file, Span: f.span}, Label: d.Label})
			d.Label = ""
		}
	}
	for _, r := range f.related {
		d.Related = append(d.Related, source.Related{Place: source.Place{File: file, Span: r.span}, Label: r.label})
	}
	var lines []string
	seen := map[string]bool{}
	for i, f := range s.Failures {
		if seen[f.Premise] {
			continue
		}
		seen[f.Premise] = true
		lines = append(lines, "failed premise of "+s.Rules[i]+": "+f.Premise)
	}
	lines = append(lines, "stuck in scope "+s.Scope.String()+" at "+clip(s.Redex, 80))
	d.Detail = strings.Join(lines, "\n")
	return d
}

// endless is the diagnostic for a manifest that did not end within the bounds.
func endless(file *source.File, m *Machine) *source.Diagnostic {
	if m.spent != nil {
		return &source.Diagnostic{
			Code:    "M0013",
			Summary: "the run needs " + m.spent.Error() + " after " + itoa(int64(m.steps)) + " steps",
			Place:   source.Place{File: file, Span: m.focus.place()},
			Label:   "here when stopped",
			Detail:  "each decision annotates all that it chose",
		}
	}
	return &source.Diagnostic{
		Code:    "M0013",
		Summary: "no end after " + itoa(int64(m.steps)) + " steps, " + itoa(int64(len(m.stack))) + " premises deep",
		Place:   source.Place{File: file, Span: m.focus.place()},
		Label:   "here when stopped",
		Detail: "µPuppet has programs without end: classes that inherit in a circle (IncPU) and definitions that declare " +
			"each other (Def)",
	}
}
