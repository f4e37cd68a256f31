package mupuppet

// Dependency-provenance, chapter 5 of the thesis: the set of constants that a value may depend on.
//
// Operators join the annotations of their operands (depOperation). A decision leaves an outer annotation +β on what it
// chose, e^{+β} or s^{+β}; plusExpr and plusStmt are Figures 5.4 and 5.5, which push it inwards; the rules at the end
// of this file are §5.2.2.5, for the constructs that keep it.
//
// Arrays, hashes and references are outside the thesis's subset (§5.1); with provenance on, they are refused.

// depOperation is β of an operator's result: β1 ∪ β2 (ArithValue, CompValueI and II, AndValue, NotValueI and II;
// §5.2.2.1, D.1.1.1).
//
// Differs from the thesis: §5.2.2.1 assumes that both sides of `and` are evaluated, and its own rule AndRightI
// (D.1.1.1) says `false^β and e → false^β`. This is AndRightI: a side that is not evaluated adds nothing.
func depOperation(operands []*Lit) Deps {
	var β Deps
	for _, l := range operands {
		β = union(β, l.Note.Dep)
	}
	return β
}

// depOf is the β of an annotated value, ∅ when provenance is off.
func depOf(ls ...*Lit) Deps {
	var β Deps
	for _, l := range ls {
		if l.Note != nil {
			β = union(β, l.Note.Dep)
		}
	}
	return β
}

// annotating is what is being done here, for the budget: +β is pushed through all that a decision chose, at every
// decision.
const annotating = "annotations"

// plusLit is Figure 5.4's first line: (v^{β1})^{+β2} = v^{β1 ∪ β2}.
func (c *Config) plusLit(l *Lit, β Deps) *Lit {
	if len(β) == 0 {
		return l
	}
	n := *l.Note
	c.work.Keep(int64(64+8*(len(n.Dep)+len(β))), annotating)
	n.Dep = union(n.Dep, β)
	return &Lit{l.at, l.Value, &n}
}

// plusExpr is e^{+β} (thesis, Figure 5.4).
func (c *Config) plusExpr(e Expr, β Deps) Expr {
	if len(β) == 0 {
		return e
	}
	c.work.Keep(64, annotating)
	switch e := e.(type) {
	case *Lit:
		return c.plusLit(e, β)
	case *Var:
		return &OuterExpr{e.at, e, β}
	case *OuterExpr:
		return &OuterExpr{e.at, e.E, union(e.B, β)}
	case *Arith:
		return &Arith{e.at, e.Op, c.plusExpr(e.L, β), c.plusExpr(e.R, β)}
	case *Comp:
		return &Comp{e.at, e.Op, c.plusExpr(e.L, β), c.plusExpr(e.R, β)}
	case *And:
		return &And{e.at, c.plusExpr(e.L, β), c.plusExpr(e.R, β)}
	case *Or:
		return &Or{e.at, c.plusExpr(e.L, β), c.plusExpr(e.R, β)}
	case *Not:
		return &Not{e.at, c.plusExpr(e.X, β)}
	case *Selector:
		return &Selector{e.at, c.plusExpr(e.E, β), c.plusMatch(e.M, β)}
	}
	panic("mupuppet: plusExpr: outside the thesis's subset")
}

// plusMatch is M^{+β}. The annotation that the figure gives to default is left out: no rule reads it, and the
// expression behind it carries the same +β.
func (c *Config) plusMatch(m *Match, β Deps) *Match {
	if m == nil {
		return nil
	}
	when := m.C
	if when != nil {
		when = c.plusExpr(when, β)
	}
	return &Match{when, c.plusExpr(m.E, β), c.plusMatch(m.Rest, β)}
}

// plusStmt is s^{+β} (thesis, Figure 5.5).
func (c *Config) plusStmt(s Stmt, β Deps) Stmt {
	if len(β) == 0 {
		return s
	}
	switch s := s.(type) {
	case *Skip:
		return s
	case *ExprStmt:
		return &ExprStmt{s.at, c.plusExpr(s.E, β)}
	case *Seq:
		return &Seq{s.at, c.plusStmt(s.S1, β), c.plusStmt(s.S2, β)}
	case *If:
		return &If{s.at, c.plusExpr(s.E, β), c.plusStmt(s.S1, β), c.plusStmt(s.S2, β)}
	case *Unless:
		return &Unless{s.at, c.plusExpr(s.E, β), c.plusStmt(s.S, β)}
	case *Case:
		return &Case{s.at, c.plusExpr(s.E, β), c.plusBranch(s.C, β)}
	case *ScopeStmt:
		return &ScopeStmt{s.at, s.Scope, c.plusStmt(s.S, β)}
	case *OuterStmt:
		return &OuterStmt{s.at, s.S, union(s.B, β)}
	case *Assign, *Native, *Defined, *ClassDecl, *Include:
		return &OuterStmt{at{s.place()}, s, β}
	}
	panic("mupuppet: plusStmt: unknown statement")
}

// plusBranch is C^{+β}.
func (c *Config) plusBranch(b *Branch, β Deps) *Branch {
	if b == nil {
		return nil
	}
	when := b.C
	if when != nil {
		when = c.plusExpr(when, β)
	}
	return &Branch{when, c.plusStmt(b.S, β), c.plusBranch(b.Rest, β)}
}

// ---- rules for constructs with an outer annotation (§5.2.2.5)

// Rule Expre (thesis, §5.2.2.5):  e → e'  ⟹  e^{+β} → e'^{+β}.
//
// By Figure 5.4 only a variable keeps its +β, so this is also the annotated LVar, PVar, TVar and QVar of that section.
func expre(c *Config, t term) verdict {
	e, ok := t.(*OuterExpr)
	if !ok {
		return noMatch
	}
	return premise(e.E, func(x term) term { return c.plusExpr(x.(Expr), e.B) }).atOnce()
}

// Rule Statement (thesis, §5.2.2.5):  s → s'  ⟹  s^{+β} → s'^{+β}.
//
// For include a and class {a : H} this gives the section's IncU, IncD, IncPU, IncPD, CDecStepPlus, CDecUPlus,
// CDecPUPlus and CDecPDPlus, since Figure 5.5 pushes +β into what those produce. For t {e : H} it lasts until the body
// is a value.
func statement(c *Config, t term) verdict {
	s, ok := t.(*OuterStmt)
	if !ok {
		return noMatch
	}
	switch inner := s.S.(type) {
	case *Include, *ClassDecl:
	case *Native:
		if inner.R.normal() {
			return noMatch
		}
	default:
		return noMatch
	}
	return premise(s.S, func(x term) term { return c.plusStmt(x.(Stmt), s.B) }).atOnce()
}

// Rule AssignStepPlus (thesis, §5.2.2.5):  e → e'  ⟹  ($x = e)^{+β} → ($x = e')^{+β}.
func assignStepPlus(_ *Config, t term) verdict {
	s, ok := t.(*OuterStmt)
	if !ok {
		return noMatch
	}
	a, ok := s.S.(*Assign)
	if !ok || a.E.normal() {
		return noMatch
	}
	return premise(a.E, func(e term) term {
		return &OuterStmt{s.at, &Assign{a.at, a.Name, e.(Expr)}, s.B}
	})
}

// Rule AssignPlus (thesis, §5.2.2.5):
//
//	x ∉ dom(σ_α)  ⟹  ($x = v^β)^{+β'} → σ[(α, x^{+β'}) : (v^β)^{+β'}], skip.
func assignPlus(c *Config, t term) verdict {
	s, ok := t.(*OuterStmt)
	if !ok {
		return noMatch
	}
	a, ok := s.S.(*Assign)
	if !ok || !a.E.normal() {
		return noMatch
	}
	return assignTo(c, a, s.B)
}

// Rule ResDeclPlus (thesis, Figure 5.1; it has no name there): (v_R)^{+β} is appended to the catalog with its +β.
func resDeclPlus(c *Config, t term) verdict {
	s, ok := t.(*OuterStmt)
	if !ok {
		return noMatch
	}
	r, ok := s.S.(*Native)
	if !ok || !r.R.normal() {
		return noMatch
	}
	return declare(c, r, s.B)
}

// Rule DefStepPlus (thesis, §5.2.2.5):  e : H →_R e' : H'  ⟹  (u {e : H})^{+β} → (u {e' : H'})^{+β}.
func defStepPlus(_ *Config, t term) verdict {
	s, ok := t.(*OuterStmt)
	if !ok {
		return noMatch
	}
	d, ok := s.S.(*Defined)
	if !ok || d.R.normal() {
		return noMatch
	}
	return premise(d.R, func(r term) term {
		return &OuterStmt{s.at, &Defined{d.at, d.Name, r.(*Body)}, s.B}
	})
}

// Rule DefPlus (thesis, §5.2.2.5):
//
//	κ(u) = ResourceDef(ρ, s)   s' = merge(ρ, v_H)
//	⟹  (u {w^β : v_H})^{+β'} → scope (α def) {$title = w^{β∪β'} ␣ s'^{+β'} ␣ s^{+β'}}.
func defPlus(c *Config, t term) verdict {
	s, ok := t.(*OuterStmt)
	if !ok {
		return noMatch
	}
	d, ok := s.S.(*Defined)
	if !ok || !d.R.normal() {
		return noMatch
	}
	return expand(c, d, s.B)
}
