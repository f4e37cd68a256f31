package mupuppet

import "fmt"

// Statements other than declarations (C.4).

// Rule ExprStep (C.4):  e → e'  ⟹  e →_s e'.
func exprStep(_ *Config, t term) verdict {
	s, ok := t.(*ExprStmt)
	if !ok || s.E.normal() {
		return noMatch
	}
	return premise(s.E, func(e term) term { return &ExprStmt{s.at, e.(Expr)} })
}

// Rule Expr (C.4):  v →_s skip.
func exprDone(_ *Config, t term) verdict {
	s, ok := t.(*ExprStmt)
	if !ok || !s.E.normal() {
		return noMatch
	}
	return axiom(&Skip{s.at})
}

// Rule SeqStep (C.4):  s1 →_s s1'  ⟹  s1 ␣ s2 →_s s1' ␣ s2.
func seqStep(_ *Config, t term) verdict {
	s, ok := t.(*Seq)
	if !ok || s.S1.normal() {
		return noMatch
	}
	return premise(s.S1, func(s1 term) term { return &Seq{s.at, s1.(Stmt), s.S2} })
}

// Rule SeqSkip (C.4):  skip ␣ s →_s s.
func seqSkip(_ *Config, t term) verdict {
	s, ok := t.(*Seq)
	if !ok || !s.S1.normal() {
		return noMatch
	}
	return axiom(s.S2)
}

// Rule AssignStep (C.4):  e → e'  ⟹  $x = e →_s $x = e'.
func assignStep(_ *Config, t term) verdict {
	s, ok := t.(*Assign)
	if !ok || s.E.normal() {
		return noMatch
	}
	return premise(s.E, func(e term) term { return &Assign{s.at, s.Name, e.(Expr)} })
}

// Rule Assign (C.4):  x ∉ dom(σ_α)  ⟹  σ, $x = v →α_s σ[(α, x) : v], skip.
func assign(c *Config, t term) verdict {
	s, ok := t.(*Assign)
	if !ok || !s.E.normal() {
		return noMatch
	}
	return assignTo(c, s, nil)
}

// assignTo is Assign, and with an outer annotation AssignPlus.
func assignTo(c *Config, s *Assign, β Deps) verdict {
	if b, ok := c.Store.lookup(c.scope, s.Name); ok {
		return failed(Failure{
			Code:    "M0003",
			Premise: fmt.Sprintf("%s ∉ dom(σ_%s)", s.Name, c.scope),
			Summary: "Cannot reassign variable '$" + s.Name + "'",
			related: []relatedSpan{{b.at, "has its value in " + c.scope.String() + " from here"}},
		})
	}
	b := Binding{c.plusLit(s.E.(*Lit), β), β, s.span}
	return axiom(&Skip{s.at}).changing(Change{Kind: Bound, Scope: c.scope, Name: s.Name, Binding: b})
}

// condition is true or false in the place of a condition, or the failure of that premise.
func condition(rules string, e Expr) (bool, *Failure) {
	b, ok := truth(e)
	if !ok {
		return false, wrongKind("the condition is true or false ("+rules+")", e.(*Lit), "a boolean")
	}
	return b, nil
}

// Rule IfStep (C.4):  e → e'  ⟹  if e {s1} else {s2} →_s if e' {s1} else {s2}.
func ifStep(_ *Config, t term) verdict {
	s, ok := t.(*If)
	if !ok || s.E.normal() {
		return noMatch
	}
	return premise(s.E, func(e term) term { return &If{s.at, e.(Expr), s.S1, s.S2} })
}

// Rule IfT (C.4):  if true {s1} else {s2} →_s s1.   Annotated (thesis, §5.2.2.3): if true^β … → s1^{+β}.
func ifT(c *Config, t term) verdict {
	s, ok := t.(*If)
	if !ok || !s.E.normal() {
		return noMatch
	}
	b, f := condition("IfT, IfF", s.E)
	if f != nil {
		return failed(*f)
	}
	if !b {
		return noMatch
	}
	return axiom(c.plusStmt(s.S1, depOf(s.E.(*Lit))))
}

// Rule IfF (C.4):  if false {s1} else {s2} →_s s2.   Annotated (thesis, §5.2.2.3): if false^β … → s2^{+β}.
func ifF(c *Config, t term) verdict {
	s, ok := t.(*If)
	if !ok || !s.E.normal() {
		return noMatch
	}
	if b, ok := truth(s.E); !ok || b {
		return noMatch
	}
	return axiom(c.plusStmt(s.S2, depOf(s.E.(*Lit))))
}

// Rule UnlessStep (C.4):  e → e'  ⟹  unless e {s} →_s unless e' {s}.
func unlessStep(_ *Config, t term) verdict {
	s, ok := t.(*Unless)
	if !ok || s.E.normal() {
		return noMatch
	}
	return premise(s.E, func(e term) term { return &Unless{s.at, e.(Expr), s.S} })
}

// Rule UnlessT (C.4):  unless true {s} →_s skip.
func unlessT(_ *Config, t term) verdict {
	s, ok := t.(*Unless)
	if !ok || !s.E.normal() {
		return noMatch
	}
	b, f := condition("UnlessT, UnlessF", s.E)
	if f != nil {
		return failed(*f)
	}
	if !b {
		return noMatch
	}
	return axiom(&Skip{s.at})
}

// Rule UnlessF (C.4):  unless false {s} →_s s.   Annotated (thesis, D.1.2.5): unless false^β {s} → s^{+β}.
func unlessF(c *Config, t term) verdict {
	s, ok := t.(*Unless)
	if !ok || !s.E.normal() {
		return noMatch
	}
	if b, ok := truth(s.E); !ok || b {
		return noMatch
	}
	return axiom(c.plusStmt(s.S, depOf(s.E.(*Lit))))
}

// Rule CaseStep1 (C.4):  e → e'  ⟹  case e {C} →_s case e' {C}.
func caseStep1(_ *Config, t term) verdict {
	s, ok := t.(*Case)
	if !ok || s.E.normal() {
		return noMatch
	}
	return premise(s.E, func(e term) term { return &Case{s.at, e.(Expr), s.C} })
}

// Rule CaseStep2 (C.4):  e → e'  ⟹  case v {e : {s} ␣ C} →_s case v {e' : {s} ␣ C}.
func caseStep2(_ *Config, t term) verdict {
	s, ok := t.(*Case)
	if !ok || !s.E.normal() || s.C == nil || s.C.C == nil || s.C.C.normal() {
		return noMatch
	}
	return premise(s.C.C, func(e term) term { return &Case{s.at, s.E, &Branch{e.(Expr), s.C.S, s.C.Rest}} })
}

// firstBranch gives v and v1 of case v {v1 : {s} ␣ C}.
func firstBranch(t term) (s *Case, v, v1 *Lit, ok bool) {
	s, ok = t.(*Case)
	if !ok || !s.E.normal() || s.C == nil || s.C.C == nil || !s.C.C.normal() {
		return nil, nil, nil, false
	}
	return s, s.E.(*Lit), s.C.C.(*Lit), true
}

// Rule CaseMatch (C.4):  caseMatch(v, v1)  ⟹  case v {v1 : {s} ␣ C} →_s s.
// Annotated (thesis, §5.2.2.3): case v^β {v1^{β1} : {s} ␣ C} → s^{+(β∪β1)}.
//
// Erratum: the thesis prints s^{β∪β1}; a statement can only have an outer annotation.
func caseMatched(c *Config, t term) verdict {
	s, v, v1, ok := firstBranch(t)
	if !ok || !caseMatch(v.Value, v1.Value) {
		return noMatch
	}
	return axiom(c.plusStmt(s.C.S, depOf(v, v1)))
}

// Rule CaseNoMatch (C.4):  ¬caseMatch(v, v1)  ⟹  case v {v1 : {s} ␣ C} →_s case v {C}.
// Annotated (thesis, §5.2.2.3): … → (case v^β {C})^{+(β∪β1)}.
func caseNoMatch(c *Config, t term) verdict {
	s, v, v1, ok := firstBranch(t)
	if !ok || caseMatch(v.Value, v1.Value) {
		return noMatch
	}
	return axiom(c.plusStmt(&Case{s.at, s.E, s.C.Rest}, depOf(v, v1)))
}

// Rule CaseDone (C.4):  case v {ε} →_s skip.   Annotated (thesis, §5.2.2.3): … → skip^{+β}, and by Figure 5.5 nothing
// in skip keeps the +β.
func caseDone(_ *Config, t term) verdict {
	s, ok := t.(*Case)
	if !ok || !s.E.normal() || s.C != nil {
		return noMatch
	}
	return axiom(&Skip{s.at})
}

// Rule CaseDefault (thesis, §4.2.2.3):  case v {default : {s} ␣ C} →_s s.
//
// Erratum: missing in the paper's Appendix C and the thesis's A.3. Here, as in the authors' Haskell, default is taken
// where it stands; Puppet takes it last.
func caseDefault(c *Config, t term) verdict {
	s, ok := t.(*Case)
	if !ok || !s.E.normal() || s.C == nil || s.C.C != nil {
		return noMatch
	}
	return axiom(c.plusStmt(s.C.S, depOf(s.E.(*Lit))))
}

// Rule ScopeStep (C.4):  α ∈ {::, ::a, ::nd}   s →α_s s'  ⟹  scope α s →α'_s scope α s'.
func scopeStep(_ *Config, t term) verdict {
	s, ok := t.(*ScopeStmt)
	if !ok || s.S.normal() || !s.Scope.persistent() {
		return noMatch
	}
	return premise(s.S, func(x term) term { return &ScopeStmt{s.at, s.Scope, x.(Stmt)} }).in(s.Scope)
}

// Rule DefScopeStep (thesis, A.3.4.11):  s →{α def}_s s'  ⟹  scope (α def) s →α_s scope (α def) s'.
//
// Erratum: the extracted paper runs it together with ScopeStep.
func defScopeStep(c *Config, t term) verdict {
	s, ok := t.(*ScopeStmt)
	if !ok || s.S.normal() || s.Scope != c.scope.Def() {
		return noMatch
	}
	return premise(s.S, func(x term) term { return &ScopeStmt{s.at, s.Scope, x.(Stmt)} }).in(s.Scope)
}

// Rule ScopeDone (C.4):  α ∈ {::, ::a, ::nd}  ⟹  scope α skip →β_s skip.
func scopeDone(_ *Config, t term) verdict {
	s, ok := t.(*ScopeStmt)
	if !ok || !s.S.normal() || !s.Scope.persistent() {
		return noMatch
	}
	return axiom(&Skip{s.at})
}

// Rule DefScopeDone (C.4):  σ, scope (α def) skip →α_s clear(σ, α def), skip.
func defScopeDone(c *Config, t term) verdict {
	s, ok := t.(*ScopeStmt)
	if !ok || !s.S.normal() || s.Scope != c.scope.Def() {
		return noMatch
	}
	return axiom(&Skip{s.at}).changing(Change{Kind: Cleared, Scope: s.Scope})
}
