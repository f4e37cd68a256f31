package mupuppet

import "fmt"

// Arrays, hashes, selectors and dereference (C.2).

// Rule ArrExp (C.2):  A → A'  ⟹  [A] → [A'].
func arrExp(_ *Config, t term) verdict {
	e, ok := t.(*Array)
	if !ok {
		return noMatch
	}
	return premise(e.A, func(a term) term { return newArray(e.at, a.(*Elem)) })
}

// Rule ArrEle (thesis, A.3.2.5; ArrEleI in C.2):  A → A'  ⟹  v, A → v, A'.
//
// Erratum: the thesis prints v, A on the right.
func arrEle(_ *Config, t term) verdict {
	a, ok := t.(*Elem)
	if !ok || a == nil || !a.E.normal() {
		return noMatch
	}
	return premise(a.Rest, func(rest term) term { return consElem(a.E, rest.(*Elem)) })
}

// Rule ArrEleI (thesis, A.3.2.5; ArrEleII in C.2):  e1 → e1'  ⟹  e1, A → e1', A.
func arrEleI(_ *Config, t term) verdict {
	a, ok := t.(*Elem)
	if !ok || a == nil || a.E.normal() {
		return noMatch
	}
	return premise(a.E, func(e term) term { return consElem(e.(Expr), a.Rest) })
}

// Rule HExp (C.2):  H → H'  ⟹  {H} → {H'}.
//
// Erratum: both sources print {H} on the right.
func hExp(_ *Config, t term) verdict {
	e, ok := t.(*Hash)
	if !ok {
		return noMatch
	}
	return premise(e.H, func(h term) term { return newHash(e.at, h.(*Entry)) })
}

// Rule HEle (thesis, A.3.2.6; HEleI in C.2):  H → H'  ⟹  k ⇒ v, H → k ⇒ v, H'.
//
// Erratum: both sources print k ⇒ v, H on the right.
func hEle(_ *Config, t term) verdict {
	h, ok := t.(*Entry)
	if !ok || h == nil || !h.E.normal() {
		return noMatch
	}
	return premise(h.Rest, func(rest term) term { return consEntry(h.Key, h.E, rest.(*Entry)) })
}

// Rule HEleI (thesis, A.3.2.6; HEleII in C.2):  e → e'  ⟹  k ⇒ e, H → k ⇒ e', H.
func hEleI(_ *Config, t term) verdict {
	h, ok := t.(*Entry)
	if !ok || h == nil || h.E.normal() {
		return noMatch
	}
	return premise(h.E, func(e term) term { return consEntry(h.Key, e.(Expr), h.Rest) })
}

// Rule SCon (thesis, A.3.2.7; SControl in C.2):  e → e'  ⟹  e ? {M} → e' ? {M}.
func sCon(_ *Config, t term) verdict {
	e, ok := t.(*Selector)
	if !ok || e.E.normal() {
		return noMatch
	}
	return premise(e.E, func(x term) term { return &Selector{e.at, x.(Expr), e.M} })
}

// Rule SEle (thesis, A.3.2.7; SCase in C.2):  e1 → e1'  ⟹  v ? {e1 ⇒ e, M} → v ? {e1' ⇒ e, M}.
func sEle(_ *Config, t term) verdict {
	e, ok := t.(*Selector)
	if !ok || !e.E.normal() {
		return noMatch
	}
	if e.M == nil {
		return failed(Failure{
			Code:    "M0005",
			Premise: "M = c ⇒ e, M' (v ? {ε} has no rule: SEle, SChoose, SChooseI and SDefault need an entry)",
			Summary: "No matching entry for selector parameter with value " + show(e.E, 40),
		})
	}
	if e.M.C == nil || e.M.C.normal() {
		return noMatch
	}
	return premise(e.M.C, func(c term) term { return &Selector{e.at, e.E, &Match{c.(Expr), e.M.E, e.M.Rest}} })
}

// firstCase gives v and v1 of v ? {v1 ⇒ e, M}.
func firstCase(t term) (e *Selector, v, v1 *Lit, ok bool) {
	e, ok = t.(*Selector)
	if !ok || !e.E.normal() || e.M == nil || e.M.C == nil || !e.M.C.normal() {
		return nil, nil, nil, false
	}
	return e, e.E.(*Lit), e.M.C.(*Lit), true
}

// Rule SChoose (thesis, A.3.2.7):  caseMatch(v, v1)  ⟹  v ? {v1 ⇒ e, M} → e.
// Annotated (thesis, §5.2.2.1): v^β ? {v1^{β1} ⇒ e, M} → e^{+(β∪β1)}.
func sChoose(c *Config, t term) verdict {
	e, v, v1, ok := firstCase(t)
	if !ok || !caseMatch(v.Value, v1.Value) {
		return noMatch
	}
	return axiom(c.plusExpr(e.M.E, depOf(v, v1)))
}

// Rule SChooseI (thesis, A.3.2.7):  ¬caseMatch(v, v1)  ⟹  v ? {v1 ⇒ e, M} → v ? {M}.
// Annotated (thesis, §5.2.2.1): … → (v^β ? {M})^{+(β∪β1)}.
func sChooseI(c *Config, t term) verdict {
	e, v, v1, ok := firstCase(t)
	if !ok || caseMatch(v.Value, v1.Value) {
		return noMatch
	}
	return axiom(c.plusExpr(&Selector{e.at, e.E, e.M.Rest}, depOf(v, v1)))
}

// Rule SDefault (thesis, A.3.2.7):  v ? {default ⇒ e, M} → e.   Annotated (thesis, §5.2.2.1): … → e^{+β}.
//
// As in the paper, default is taken where it stands; Puppet takes it last.
func sDefault(c *Config, t term) verdict {
	e, ok := t.(*Selector)
	if !ok || !e.E.normal() || e.M == nil || e.M.C != nil {
		return noMatch
	}
	return axiom(c.plusExpr(e.M.E, depOf(e.E.(*Lit))))
}

// Rule DeRefExp (C.2):  d → d'  ⟹  d[e] → d'[e].
func deRefExp(_ *Config, t term) verdict {
	e, ok := t.(*Deref)
	if !ok || e.D.normal() {
		return noMatch
	}
	return premise(e.D, func(d term) term { return &Deref{e.at, d.(Expr), e.E} })
}

// Rule DeRefIndex (C.2):  e → e'  ⟹  v[e] → v[e'].
func deRefIndex(_ *Config, t term) verdict {
	e, ok := t.(*Deref)
	if !ok || !e.D.normal() || e.E.normal() {
		return noMatch
	}
	return premise(e.E, func(i term) term { return &Deref{e.at, e.D, i.(Expr)} })
}

// Rule DeRefArray (C.2):  [v0, …, vn, …, vm][n] → vn.
//
// Erratum: the paper prints the conclusion above the line as well.
func deRefArray(_ *Config, t term) verdict {
	e, ok := t.(*Deref)
	if !ok || !e.D.normal() || !e.E.normal() {
		return noMatch
	}
	d, i := e.D.(*Lit), e.E.(*Lit)
	switch d.Value.(type) {
	case ArrayValue:
	case HashValue, RefValue:
		return noMatch
	default:
		return failed(*wrongKind("d in d[e] is an array, a hash or a resource reference (DeRefArray, DeRefHash, DeRefRes)", d,
			"an array, a hash or a resource reference"))
	}
	n, ok := i.Value.(Int)
	if !ok {
		return failed(*wrongKind("the index n of an array is an integer", i, "an integer"))
	}
	vs := d.Value.(ArrayValue)
	if n < 0 || int64(n) >= int64(len(vs)) {
		return failed(Failure{
			Code:    "M0012",
			Premise: fmt.Sprintf("0 ≤ n ≤ m for n = %d, m = %d", n, len(vs)-1),
			Summary: fmt.Sprintf("the array has no element %d", n),
		})
	}
	return axiom(&Lit{e.at, vs[n], nil})
}

// Rule DeRefHash (C.2):  k = kn  ⟹  {k1 ⇒ v1, …, kn ⇒ vn, …}[k] → vn.
func deRefHash(_ *Config, t term) verdict {
	e, ok := t.(*Deref)
	if !ok || !e.D.normal() || !e.E.normal() {
		return noMatch
	}
	h, ok := e.D.(*Lit).Value.(HashValue)
	if !ok {
		return noMatch
	}
	v, ok := lookup(e.E.(*Lit).Value, h)
	if !ok {
		return failed(Failure{
			Code:    "M0012",
			Premise: "k = kn for some n, k = " + show(e.E, 40),
			Summary: "the hash has no key " + show(e.E, 40),
		})
	}
	return axiom(&Lit{e.at, v, nil})
}

// Rule RefRes (C.2):  e → e'  ⟹  t[e] → t[e'].
func refRes(_ *Config, t term) verdict {
	e, ok := t.(*Ref)
	if !ok {
		return noMatch
	}
	return premise(e.E, func(x term) term { return newRef(e.at, e.Type, x.(Expr)) })
}

// Rule DeRefRes (C.2):  lookup_C(v_C, t, w, k) = v  ⟹  t[w][k] → v.
func deRefRes(c *Config, t term) verdict {
	e, ok := t.(*Deref)
	if !ok || !e.D.normal() || !e.E.normal() {
		return noMatch
	}
	ref, ok := e.D.(*Lit).Value.(RefValue)
	if !ok {
		return noMatch
	}
	w, wok := ref.Title.(Str)
	k, kok := e.E.(*Lit).Value.(Str)
	if !wok || !kok {
		return failed(*wrongKind("w and k in t[w][k] are strings", e.E.(*Lit), "a string"))
	}
	v, ok := lookupC(c.Catalog, ref.Type, string(w), string(k))
	if !ok {
		f := Failure{
			Code:    "M0012",
			Premise: fmt.Sprintf("lookup_C(v_C, %s, %s, %s) = v", ref.Type, quote(string(w)), k),
			Summary: fmt.Sprintf("Resource not found: %s", FormatValue(ref)),
		}
		if c.Catalog.find(ref.Type, string(w)) != nil {
			f.Summary = fmt.Sprintf("%s has no attribute '%s'", FormatValue(ref), k)
		}
		return failed(f)
	}
	return axiom(&Lit{e.at, v.Value, v.Note})
}
