package mupuppet

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// A derivation for people and for tools: one step a line.

// String writes a change as the paper does: σ[…], κ[…], v_C ␣ ….
func (c Change) String() string {
	switch c.Kind {
	case Bound:
		return fmt.Sprintf("σ[%s $%s : %s]", c.Scope, c.Name, show(c.Binding.Value, 60))
	case Cleared:
		return fmt.Sprintf("clear(σ, %s)", c.Scope)
	case DefinedNew, Declared:
		return fmt.Sprintf("κ[%s : %s]", c.Name, c.Def)
	case Appended:
		return "v_C ␣ " + c.Resource.String()
	}
	return ""
}

// Columns of the text: number, rule, scope, redex, change. With the number and the blanks they add up to 100.
const (
	ruleWidth  = 14
	scopeWidth = 12
	redexWidth = 67
)

// WriteText writes the step as one line of at most 100 columns: the redex, and after the arrow what the step changed in
// σ, κ or v_C or, when it changed nothing there, what the redex became. The longer of the two is cut first. On a
// terminal the steps that change nothing are faint.
func (s Step) WriteText(w io.Writer, style source.Style) {
	scope := s.Scope.String()
	if s.Derivation == nil || (len(s.Derivation) == 1 && s.Derivation[0] == "MSeqStep") {
		scope = "" // →m has no ambient scope
	}
	redex := s.brief()
	arrow := "  →  " + s.Change.String()
	if s.Change.Kind == NoChange {
		arrow = "  →  " + s.Contractum
	}
	room := redexWidth
	if utf8.RuneCountInString(redex+arrow) > room {
		half := room * 3 / 5
		if n := utf8.RuneCountInString(arrow); n < room-half {
			redex = clip(redex, room-n)
		} else if n := utf8.RuneCountInString(redex); n < half {
			arrow = clip(arrow, room-n)
		} else {
			redex, arrow = clip(redex, half), clip(arrow, room-half)
		}
	}
	line := fmt.Sprintf("%4d %s %s %s%s", s.Number, pad(s.Rule, ruleWidth), pad(clip(scope, scopeWidth), scopeWidth),
		redex, arrow)
	line = strings.TrimRight(line, " ") + "\n"
	if s.Change.Kind == NoChange && style.Faint != nil {
		line = style.Faint(line)
	}
	io.WriteString(w, line)
}

// brief is the redex without what the line need not repeat: the rest after a skip, which the arrow shows, and the
// bodies of definitions.
func (s Step) brief() string {
	switch {
	case s.Rule == "SeqSkip" || s.Rule == "MSeqSkip":
		return "skip ␣ …"
	case s.Change.Kind == DefinedNew || s.Rule == "NodeMatch" || s.Rule == "NodeNoMatch":
		if head, _, ok := strings.Cut(s.Redex, "{"); ok {
			return head + "{…}"
		}
	}
	return s.Redex
}

func pad(s string, width int) string {
	if n := utf8.RuneCountInString(s); n < width {
		return s + strings.Repeat(" ", width-n)
	}
	return s
}

type stepJSON struct {
	Step       int         `json:"step"`
	Rule       string      `json:"rule"`
	Derivation []string    `json:"derivation"`
	Scope      string      `json:"scope"`
	Place      string      `json:"place,omitempty"`
	Redex      string      `json:"redex"`
	Contractum string      `json:"contractum"`
	Sigma      *changeJSON `json:"sigma,omitempty"`
	Kappa      *changeJSON `json:"kappa,omitempty"`
	Catalog    *changeJSON `json:"catalog,omitempty"`
}

type changeJSON struct {
	Op    string `json:"op"` // bind, clear, define, declare, append
	Scope string `json:"scope,omitempty"`
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}

// WriteJSON writes the step as one line of JSON: the rule, the rules above it in the derivation, the redex and what it
// became, and the change of sigma, kappa or catalog.
func (s Step) WriteJSON(w io.Writer, file *source.File) error {
	j := stepJSON{Step: s.Number, Rule: s.Rule, Derivation: append([]string{}, s.Derivation...), Scope: s.Scope.String(),
		Place: source.Place{File: file, Span: s.Span}.String(), Redex: s.Redex, Contractum: s.Contractum}
	switch c := s.Change; c.Kind {
	case Bound:
		j.Sigma = &changeJSON{"bind", c.Scope.String(), c.Name, FormatValue(c.Binding.Value.Value)}
	case Cleared:
		j.Sigma = &changeJSON{Op: "clear", Scope: c.Scope.String()}
	case DefinedNew:
		j.Kappa = &changeJSON{Op: "define", Name: c.Name, Value: c.Def.String()}
	case Declared:
		j.Kappa = &changeJSON{Op: "declare", Name: c.Name, Value: c.Def.String()}
	case Appended:
		j.Catalog = &changeJSON{Op: "append", Name: c.Resource.String(), Value: c.Resource.source()}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}
