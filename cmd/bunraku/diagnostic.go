package main

import (
	"encoding/json"

	"bunraku/source"
)

// problemJSON is a diagnostic for tools.
type problemJSON struct {
	Code     string      `json:"code"`
	Severity string      `json:"severity"`
	Summary  string      `json:"summary"`
	Detail   string      `json:"detail,omitempty"`
	Place    *placeJSON  `json:"place,omitempty"`
	Related  []placeJSON `json:"related,omitempty"`
	Stack    []string    `json:"stack,omitempty"`
	Help     string      `json:"help,omitempty"`
}

type placeJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Label  string `json:"label,omitempty"`
}

func placeOf(p source.Place, label string) *placeJSON {
	if !p.Known() {
		return nil
	}
	pos := p.File.Position(p.Span.Start)
	return &placeJSON{p.File.Name, pos.Line, pos.Column, label}
}

func problemOf(d *source.Diagnostic) problemJSON {
	p := problemJSON{Code: d.Code, Severity: d.Severity.String(), Summary: d.Summary, Detail: d.Detail,
		Place: placeOf(d.Place, d.Label), Stack: d.Stack, Help: d.Help}
	for _, r := range d.Related {
		if at := placeOf(r.Place, r.Label); at != nil {
			p.Related = append(p.Related, *at)
		}
	}
	return p
}

// writeJSON prints an answer for tools, indented, one document.
func (a *app) writeJSON(v any) error {
	enc := json.NewEncoder(a.out.As(source.Quoted))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
