package mupuppet

import (
	"bunraku/source"
	"strings"
)

// Manifests, m →N_m m' (C.5).

// Rule TopScope (C.5):  s →::_s s'  ⟹  s →N_m s'.
func topScopeRule(_ *Config, t term) verdict {
	m, ok := t.(*Top)
	if !ok || m.S.normal() {
		return noMatch
	}
	return premise(m.S, func(s term) term { return &Top{m.at, s.(Stmt)} }).in(TopScope())
}

// Rule MSeqStep (C.5):  m1 →N_m m1'  ⟹  m1 ␣ m2 →N_m m1' ␣ m2.
func mSeqStep(_ *Config, t term) verdict {
	m, ok := t.(*MSeq)
	if !ok || m.M1.normal() {
		return noMatch
	}
	return premise(m.M1, func(m1 term) term { return &MSeq{m.at, m1.(Manifest), m.M2} })
}

// Rule MSeqSkip (C.5):  skip ␣ m →N_m m.
func mSeqSkip(_ *Config, t term) verdict {
	m, ok := t.(*MSeq)
	if !ok || !m.M1.normal() {
		return noMatch
	}
	return axiom(m.M2)
}

// Rule NodeMatch (C.5):  nodeMatch(N, Q)  ⟹  node Q {s} →N_m scope (::nd) s.
func nodeMatch(c *Config, t term) verdict {
	m, ok := t.(*Node)
	if !ok || !nodeMatches(c, m.Q) {
		return noMatch
	}
	return axiom(&Top{m.at, &ScopeStmt{m.at, NodeScope(), m.S}})
}

// Rule NodeNoMatch (C.5):  ¬nodeMatch(N, Q)  ⟹  node Q {s} →N_m skip.
func nodeNoMatch(c *Config, t term) verdict {
	m, ok := t.(*Node)
	if !ok || nodeMatches(c, m.Q) {
		return noMatch
	}
	return axiom(&Top{m.at, &Skip{m.at}})
}

// nodeMatches is the predicate nodeMatch(N, Q), abstract in the paper: one of the names is N; default, when no other
// definition of the manifest names N.
//
// Differs from the paper: its predicate sees only N and Q, and cannot say what §2.1 says of default, so ours sees the
// other definitions too.
func nodeMatches(c *Config, q NodeSpec) bool {
	if q.names(c.Node) {
		return true
	}
	if !q.Default {
		return false
	}
	for _, other := range c.specs {
		if other.names(c.Node) {
			return false
		}
	}
	return true
}

func (q NodeSpec) names(node string) bool {
	for _, n := range q.Names {
		if strings.EqualFold(n, node) {
			return true
		}
	}
	return false
}

// fresh is the premise a ∉ dom(κ) of the definition rules, or its failure.
func fresh(c *Config, name string, span source.Span) *Failure {
	d := c.Definitions.lookup(name)
	if d == nil {
		return nil
	}
	return &Failure{
		Code:    "M0011",
		Premise: name + " ∉ dom(κ)",
		Summary: "'" + name + "' is already defined; cannot redefine",
		Help:    "multiple definitions are not in µPuppet (§5.3)",
		span:    span,
		related: []relatedSpan{{d.at, "first defined here"}},
	}
}

// Rule RDef (C.5):  u ∉ dom(κ)  ⟹  κ, define u (ρ) {s} →N_m κ[u : ResourceDef(ρ, s)], skip.
func rDef(c *Config, t term) verdict {
	m, ok := t.(*Define)
	if !ok {
		return noMatch
	}
	if f := fresh(c, m.Name, m.span); f != nil {
		return failed(*f)
	}
	d := &Definition{Kind: ResourceDef, Params: m.Params, Body: m.S, at: m.span}
	return axiom(&Top{m.at, &Skip{m.at}}).changing(Change{Kind: DefinedNew, Name: m.Name, Def: d})
}

// defineClass is the conclusion of the four rules for class definitions: κ[a : ClassDef(b, ρ, s)].
func defineClass(c *Config, m *Class, parent string, ρ *Param) verdict {
	if f := fresh(c, m.Name, m.span); f != nil {
		return failed(*f)
	}
	d := &Definition{Kind: ClassDef, Parent: parent, Params: ρ, Body: m.S, at: m.span}
	return axiom(&Top{m.at, &Skip{m.at}}).changing(Change{Kind: DefinedNew, Name: m.Name, Def: d})
}

// Rule CDef (C.5):  a ∉ dom(κ)  ⟹  κ, class a {s} →N_m κ[a : ClassDef(⊥, ε, s)], skip.
func cDef(c *Config, t term) verdict {
	m, ok := t.(*Class)
	if !ok || m.HasParams || m.Parent != "" {
		return noMatch
	}
	return defineClass(c, m, "", nil)
}

// Rule CDefI (C.5):  a ∉ dom(κ)  ⟹  κ, class a inherits b {s} →N_m κ[a : ClassDef(b, ε, s)], skip.
func cDefI(c *Config, t term) verdict {
	m, ok := t.(*Class)
	if !ok || m.HasParams || m.Parent == "" {
		return noMatch
	}
	return defineClass(c, m, m.Parent, nil)
}

// Rule CDefP (C.5):  a ∉ dom(κ)  ⟹  κ, class a (ρ) {s} →N_m κ[a : ClassDef(⊥, ρ, s)], skip.
func cDefP(c *Config, t term) verdict {
	m, ok := t.(*Class)
	if !ok || !m.HasParams || m.Parent != "" {
		return noMatch
	}
	return defineClass(c, m, "", m.Params)
}

// Rule CDefPI (C.5):  a ∉ dom(κ)  ⟹  κ, class a (ρ) inherits b {s} →N_m κ[a : ClassDef(b, ρ, s)], skip.
func cDefPI(c *Config, t term) verdict {
	m, ok := t.(*Class)
	if !ok || !m.HasParams || m.Parent == "" {
		return noMatch
	}
	return defineClass(c, m, m.Parent, m.Params)
}
