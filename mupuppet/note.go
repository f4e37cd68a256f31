package mupuppet

import (
	"bunraku/source"
	"strings"
)

// Annotations of the thesis's chapters 4 and 5. One run carries all three forms at once, each in its own field and
// propagated by its own file: where.go, how.go, dependency.go. A nil *Note means that provenance is off.

// A Label is l: the number of a constant of the manifest, in the order of its text, from 1. Zero is ⊥.
type Label int

// A Note is β in its three forms.
type Note struct {
	Where Label // β ::= l | ⊥                       (Figure 4.2)
	How   *How  // β ::= l | β + β | β > β | ! β | …  (§4.3.1.1)
	Dep   Deps  // β ::= ε | {l} | {l} ∪ β           (§5.2.1)
}

// A Datum is what a label stands for: a constant at its place. The list of them is the thesis's µ (§4.3.3.1).
type Datum struct {
	Value Value
	Place source.Place
}

// Deps is a set of labels, sorted. It is never changed in place.
type Deps []Label

// union is β1 ∪ β2.
func union(a, b Deps) Deps {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make(Deps, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (d Deps) String() string {
	if len(d) == 0 {
		return "∅"
	}
	parts := make([]string, len(d))
	for i, l := range d {
		parts[i] = l.String()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (l Label) String() string {
	if l == 0 {
		return "⊥"
	}
	return "l" + itoa(int64(l))
}

// input is the annotation of the constant with label l: l, l and {l}.
func input(l Label) *Note { return &Note{l, &How{Label: l}, Deps{l}} }

// operation is the annotation of a result that an operator made of annotated operands; nil when provenance is off.
// It is where the three propagations of ArithValue, CompValue, AndValue, OrValue and NotValue meet.
func operation(op string, operands ...*Lit) *Note {
	for _, l := range operands {
		if l.Note == nil {
			return nil
		}
	}
	return &Note{whereOperation(operands), howOperation(op, operands), depOperation(operands)}
}
