package mupuppet

import "strings"

// Expression-provenance, §4.3 of the thesis: the term of operations, over places, that made a value.

// A How is β ::= l | β + β | β − β | β > β | … | ! β   (§4.3.1.1). A leaf has a Label and no Op.
type How struct {
	Op    string
	Args  []*How
	Label Label
}

// howOperation is β of an operator's result, e.g. (i1 +_ℤ i2)^{β1 + β2} (ArithValue, §4.3.2.1). A comparison keeps the
// operator as written, whether it came out true or false (CompValueI, CompValueII).
//
// Differs from the thesis: its §4.3.2.1 has no rule for a conjunction that is decided by its left side. AndRightI gives
// β1 ∧ β2 no β2 to speak of, so the result of `false^β and e` is annotated with the one-sided β ∧.
func howOperation(op string, operands []*Lit) *How {
	h := &How{Op: op, Args: make([]*How, len(operands))}
	for i, l := range operands {
		h.Args[i] = l.Note.How
	}
	return h
}

func (h *How) String() string { return h.format(func(l Label) string { return l.String() }) }

// mostHow is how long a term may get: a small graph of operations may stand for an endless one. What is left out is an
// ellipsis.
const mostHow = 1 << 16

// format writes the term with leaf(l) for each label.
func (h *How) format(leaf func(Label) string) string {
	var out strings.Builder
	h.write(&out, leaf)
	return out.String()
}

func (h *How) write(out *strings.Builder, leaf func(Label) string) {
	switch {
	case out.Len() > mostHow:
		out.WriteString("…")
	case len(h.Args) == 0:
		out.WriteString(leaf(h.Label))
	case len(h.Args) == 1 && h.Op == "!":
		out.WriteString("!")
		h.Args[0].write(out, leaf)
	default:
		out.WriteString("(")
		h.Args[0].write(out, leaf)
		out.WriteString(" " + h.Op + " ")
		if len(h.Args) == 1 {
			out.WriteString("…")
		} else {
			h.Args[1].write(out, leaf)
		}
		out.WriteString(")")
	}
}
