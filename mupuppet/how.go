package mupuppet

import "fmt"

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

// format writes the term with leaf(l) for each label.
func (h *How) format(leaf func(Label) string) string {
	switch len(h.Args) {
	case 0:
		return leaf(h.Label)
	case 1:
		if h.Op == "!" {
			return "!" + h.Args[0].format(leaf)
		}
		return "(" + h.Args[0].format(leaf) + " " + h.Op + " …)"
	}
	return "(" + h.Args[0].format(leaf) + " " + h.Op + " " + h.Args[1].format(leaf) + ")"
}

// evaluate is the v with µ ⊨ β ⊑ v, the consistency relation of Figure 4.10 read as a function: its rules Label, Add,
// CompLar, And, Not1, Not2 and those that it omits as similar.
//
// Erratum: rule Add prints its first premise twice; the second must be µ ⊨ β2 ⊑ v2.
func (h *How) evaluate(µ []Datum) (Value, error) {
	if h.Op == "" {
		return µ[h.Label-1].Value, nil
	}
	args := make([]Value, len(h.Args))
	for i, a := range h.Args {
		v, err := a.evaluate(µ)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	switch {
	case h.Op == "!":
		if b, ok := args[0].(Bool); ok {
			return !b, nil
		}
	case len(args) == 1: // a conjunction or disjunction that its left side decided
		if b, ok := args[0].(Bool); ok && b == (h.Op == "or") {
			return b, nil
		}
	case h.Op == "and", h.Op == "or":
		a, aok := args[0].(Bool)
		b, bok := args[1].(Bool)
		if aok && bok {
			if h.Op == "and" {
				return a && b, nil
			}
			return a || b, nil
		}
	case h.Op == "==":
		return Bool(equal(args[0], args[1])), nil
	case h.Op == "!=":
		return Bool(!equal(args[0], args[1])), nil
	default:
		a, aok := args[0].(Int)
		b, bok := args[1].(Int)
		if !aok || !bok {
			break
		}
		switch h.Op {
		case ">", ">=", "<", "<=":
			return Bool(order(Op(h.Op), a, b)), nil
		}
		if v, ok := arithmetic(Op(h.Op), a, b); ok {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s has no value", h)
}
