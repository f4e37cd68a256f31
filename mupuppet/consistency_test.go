package mupuppet

import (
	"fmt"
	"sort"
)

// What the thesis's theorems speak of and no run needs: the extraction function labels and the consistency relation.

func (d Deps) has(l Label) bool {
	i := sort.Search(len(d), func(i int) bool { return d[i] >= l })
	return i < len(d) && d[i] == l
}

// labels (Figures 4.5 to 4.9) collects the annotated values v^l of a catalog whose where-annotation is not ⊥.
func labels(c *Catalog) []*Lit {
	var out []*Lit
	add := func(l *Lit) {
		if l.Note != nil && l.Note.Where != 0 {
			out = append(out, l)
		}
	}
	for _, r := range c.Resources {
		add(r.Title)
		for _, a := range r.Attrs {
			add(a.Value)
		}
	}
	return out
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
