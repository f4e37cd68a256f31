package mupuppet

import (
	"bunraku/source"
	"fmt"
)

// Declarations: resources, defined resources, include and resource-like class declarations (C.4).

// Rule ResStep (C.4):  e : H →_R e' : H'  ⟹  t {e : H} →_s t {e' : H'}.
func resStep(_ *Config, t term) verdict {
	s, ok := t.(*Native)
	if !ok || s.R.normal() {
		return noMatch
	}
	return premise(s.R, func(r term) term { return &Native{s.at, s.Type, r.(*Body)} })
}

// Rule ResDecl (C.4):  v_C, v_R →_s v_C ␣ v_R, skip.
//
// Erratum: printed with the conclusion above the line, and without the premise that §3.2 states in words: v_C has no
// resource of this type and title.
func resDecl(c *Config, t term) verdict {
	s, ok := t.(*Native)
	if !ok || !s.R.normal() {
		return noMatch
	}
	return declare(c, s, nil)
}

// declare is ResDecl, and with an outer annotation ResDeclPlus.
func declare(c *Config, s *Native, β Deps) verdict {
	title, f := titleOf(s.R)
	if f != nil {
		return failed(*f)
	}
	if first := c.Catalog.find(s.Type, string(title.Value.(Str))); first != nil {
		return failed(Failure{
			Code:    "M0006",
			Premise: fmt.Sprintf("v_C has no resource %s", first),
			Summary: fmt.Sprintf("Duplicate declaration: %s is already declared", first),
			related: []relatedSpan{{first.at, "first declared here"}},
		})
	}
	r := &Resource{Type: s.Type, Title: title, Outer: β, at: s.span}
	for h := s.R.H; h != nil; h = h.Rest {
		r.Attrs = append(r.Attrs, Attribute{h.Name, h.E.(*Lit)})
	}
	return axiom(&Skip{s.at}).changing(Change{Kind: Appended, Resource: r})
}

// titleOf is the premise that a title is a string w.
func titleOf(r *Body) (*Lit, *Failure) {
	title := r.Title.(*Lit)
	if _, ok := title.Value.(Str); !ok {
		f := wrongKind("v_R = t {w : v_H}: the title is a string w", title, "a string as title")
		f.Code = "M0007"
		if _, ok := title.Value.(ArrayValue); ok {
			f.Help = "multiple resource titles are not in µPuppet"
		}
		return nil, f
	}
	return title, nil
}

// Rule DefStep (C.4):  e : H →_R e' : H'  ⟹  u {e : H} →_s u {e' : H'}.
//
// Erratum: the premise is printed with braces.
func defStep(_ *Config, t term) verdict {
	s, ok := t.(*Defined)
	if !ok || s.R.normal() {
		return noMatch
	}
	return premise(s.R, func(r term) term { return &Defined{s.at, s.Name, r.(*Body)} })
}

// Rule Def (C.4):
//
//	κ(u) = ResourceDef(ρ, s)   s' = merge(ρ, v_H)
//	⟹  u {w : v_H} →α_s scope (α def) {$title = w ␣ s' ␣ s}.
//
// Differs from the paper: $name is bound as well, as in the authors' Haskell and in Puppet.
func def(c *Config, t term) verdict {
	s, ok := t.(*Defined)
	if !ok || !s.R.normal() {
		return noMatch
	}
	return expand(c, s, nil)
}

// expand is Def, and with an outer annotation DefPlus.
func expand(c *Config, s *Defined, β Deps) verdict {
	d := c.Definitions.lookup(s.Name)
	if d == nil || d.Kind != ResourceDef {
		return failed(undefined(c, "κ("+s.Name+") = ResourceDef(ρ, s)", "defined type", s.Name, s.span))
	}
	title, f := titleOf(s.R)
	if f != nil {
		return failed(*f)
	}
	init, missing := merge(s.at, d.Params, s.R.H)
	if missing != nil {
		return failed(unset(fmt.Sprintf("merge(ρ, v_H) for %s", s.Name), missing))
	}
	w := c.plusLit(title, β)
	rest := &Seq{s.at, c.plusStmt(init, β), c.plusStmt(d.Body, β)}
	body := &Seq{s.at, &Assign{s.at, "title", w}, &Seq{s.at, &Assign{s.at, "name", w}, rest}}
	return axiom(&ScopeStmt{s.at, c.scope.Def(), body})
}

// undefined is the failure of a premise κ(a) = ….
func undefined(c *Config, premise, what, name string, span source.Span) Failure {
	f := Failure{
		Code:    "M0008",
		Premise: premise,
		Summary: "Could not find " + what + " " + name,
		Label:   "is not defined yet",
		Help:    "µPuppet reads a manifest from top to bottom: a definition must stand before its first use",
		span:    span,
	}
	if d := c.Definitions.lookup(name); d != nil {
		f.Label = "is not a " + what
		f.Help = ""
		f.related = []relatedSpan{{d.at, "is defined here"}}
	}
	return f
}

// unset is the failure of merge: a parameter without argument and default.
func unset(premise string, p *Param) Failure {
	return Failure{
		Code:    "M0010",
		Premise: premise + " is defined",
		Summary: "expects a value for parameter '" + p.Name + "'",
		related: []relatedSpan{{p.span, "has no default"}},
	}
}

// classIs reads κ(a). It is nil for a class that was never defined.
func classIs(c *Config, a string, kind DefKind) *Definition {
	if d := c.Definitions.lookup(a); d != nil && d.Kind == kind {
		return d
	}
	return nil
}

// enter is the conclusion that IncU, IncPD, CDecU and CDecPD share: the class becomes DeclaredClass(parent), and its
// body runs as scope (::a) {s' ␣ s} with s' = merge(ρ, v_H).
func enter(p at, a string, d *Definition, h *Attr, parent Scope) verdict {
	init, missing := merge(p, d.Params, h)
	if missing != nil {
		return failed(unset(fmt.Sprintf("merge(ρ, v_H) for class %s", a), missing))
	}
	s := &ScopeStmt{p, ClassScope(a), &Seq{p, init, d.Body}}
	return axiom(s).changing(Change{Kind: Declared, Name: a, Scope: parent,
		Def: &Definition{Kind: DeclaredClass, Scope: parent, at: d.at}})
}

// Rule IncU (C.4):
//
//	κ(a) = ClassDef(⊥, ρ, s)   s' = merge(ρ, ε)   β baseof_κ α
//	⟹  κ, include a →α_s κ[a : DeclaredClass(β)], scope (::a) {s' ␣ s}.
//
// Erratum: the thesis prints scope (::a) s' s, without braces.
func incU(c *Config, t term) verdict {
	s, ok := t.(*Include)
	if !ok {
		return noMatch
	}
	d := c.Definitions.lookup(s.Name)
	if d == nil || d.Kind == ResourceDef {
		return failed(undefined(c, "κ("+s.Name+") = ClassDef(c, ρ, s) or DeclaredClass(β)  (IncU, IncD, IncPU, IncPD)",
			"class", s.Name, s.span))
	}
	if d.Kind != ClassDef || d.Parent != "" {
		return noMatch
	}
	β, ok := baseOf(c.Definitions, c.scope)
	if !ok {
		return noMatch
	}
	return enter(s.at, s.Name, d, nil, β)
}

// Rule IncD (C.4):  κ(a) = DeclaredClass(β)  ⟹  include a →α_s skip.
func incD(c *Config, t term) verdict {
	s, ok := t.(*Include)
	if !ok || classIs(c, s.Name, DeclaredClass) == nil {
		return noMatch
	}
	return axiom(&Skip{s.at})
}

// Rule IncPU (C.4):
//
//	κ(a) = ClassDef(b, ρ, s)   κ(b) = ClassDef(c, ρ', s')  ⟹  include a →α_s include b ␣ include a.
func incPU(c *Config, t term) verdict {
	s, ok := t.(*Include)
	if !ok {
		return noMatch
	}
	d := classIs(c, s.Name, ClassDef)
	if d == nil || d.Parent == "" {
		return noMatch
	}
	if b := c.Definitions.lookup(d.Parent); b == nil || b.Kind == ResourceDef {
		return failed(undefined(c, "κ("+d.Parent+") = ClassDef(c, ρ', s') or DeclaredClass(β)  (IncPU, IncPD)",
			"parent class", d.Parent, s.span))
	}
	if classIs(c, d.Parent, ClassDef) == nil {
		return noMatch
	}
	return axiom(&Seq{s.at, &Include{s.at, d.Parent}, s})
}

// Rule IncPD (C.4):
//
//	κ(a) = ClassDef(b, ρ, s)   κ(b) = DeclaredClass(β)   s' = merge(ρ, ε)
//	⟹  κ, include a →α_s κ[a : DeclaredClass(::b)], scope (::a) {s' ␣ s}.
//
// Erratum: the paper's Appendix C prints DeclaredClass(β); §3 and the thesis have ::b.
func incPD(c *Config, t term) verdict {
	s, ok := t.(*Include)
	if !ok {
		return noMatch
	}
	d := classIs(c, s.Name, ClassDef)
	if d == nil || d.Parent == "" || classIs(c, d.Parent, DeclaredClass) == nil {
		return noMatch
	}
	return enter(s.at, s.Name, d, nil, ClassScope(d.Parent))
}

// Rule CDecStep (C.4):  κ(a) = ClassDef(c, ρ, s)   H →_H H'  ⟹  class {a : H} →_s class {a : H'}.
func cDecStep(c *Config, t term) verdict {
	s, ok := t.(*ClassDecl)
	if !ok || s.H.normal() {
		return noMatch
	}
	if f := undeclared(c, s); f != nil {
		return failed(*f)
	}
	return premise(s.H, func(h term) term { return &ClassDecl{s.at, s.Name, h.(*Attr)} })
}

// undeclared is the failure of κ(a) = ClassDef(c, ρ, s), the premise of every rule for class {a : H}: there is no rule
// for a class that is already declared (§3.2: "Instead, this is an error").
func undeclared(c *Config, s *ClassDecl) *Failure {
	d := c.Definitions.lookup(s.Name)
	premise := "κ(" + s.Name + ") = ClassDef(c, ρ, s)  (CDecStep, CDecU, CDecPU, CDecPD)"
	switch {
	case d == nil || d.Kind == ResourceDef:
		f := undefined(c, premise, "class", s.Name, s.span)
		return &f
	case d.Kind == DeclaredClass:
		return &Failure{
			Code:    "M0009",
			Premise: premise,
			Summary: "Duplicate declaration: Class[" + s.Name + "] is already declared",
			Label:   "κ(" + s.Name + ") = DeclaredClass(" + d.Scope.String() + ")",
			Help:    "only include may be repeated",
		}
	}
	return nil
}

// Rule CDecU (C.4):
//
//	κ(a) = ClassDef(⊥, ρ, s)   s' = merge(ρ, v_H)   β baseof_κ α
//	⟹  κ, class {a : v_H} →α_s κ[a : DeclaredClass(β)], scope (::a) {s' ␣ s}.
//
// Erratum: the thesis prints scope (::a) s' s, without braces.
func cDecU(c *Config, t term) verdict {
	s, ok := t.(*ClassDecl)
	if !ok || !s.H.normal() {
		return noMatch
	}
	if f := undeclared(c, s); f != nil {
		return failed(*f)
	}
	d := classIs(c, s.Name, ClassDef)
	if d.Parent != "" {
		return noMatch
	}
	β, ok := baseOf(c.Definitions, c.scope)
	if !ok {
		return noMatch
	}
	return enter(s.at, s.Name, d, s.H, β)
}

// Rule CDecPU (C.4):
//
//	κ(a) = ClassDef(b, ρ, s)   κ(b) = ClassDef(c, ρ', s')
//	⟹  class {a : v_H} →α_s include b ␣ class {a : v_H}.
func cDecPU(c *Config, t term) verdict {
	s, ok := t.(*ClassDecl)
	if !ok || !s.H.normal() {
		return noMatch
	}
	d := classIs(c, s.Name, ClassDef)
	if d == nil || d.Parent == "" {
		return noMatch
	}
	if b := c.Definitions.lookup(d.Parent); b == nil || b.Kind == ResourceDef {
		return failed(undefined(c, "κ("+d.Parent+") = ClassDef(c, ρ', s') or DeclaredClass(β)  (CDecPU, CDecPD)",
			"parent class", d.Parent, s.span))
	}
	if classIs(c, d.Parent, ClassDef) == nil {
		return noMatch
	}
	return axiom(&Seq{s.at, &Include{s.at, d.Parent}, s})
}

// Rule CDecPD (C.4):
//
//	κ(a) = ClassDef(b, ρ, s)   κ(b) = DeclaredClass(β)   s' = merge(ρ, v_H)
//	⟹  κ, class {a : v_H} →α_s κ[a : DeclaredClass(::b)], scope (::a) {s' ␣ s}.
func cDecPD(c *Config, t term) verdict {
	s, ok := t.(*ClassDecl)
	if !ok || !s.H.normal() {
		return noMatch
	}
	d := classIs(c, s.Name, ClassDef)
	if d == nil || d.Parent == "" || classIs(c, d.Parent, DeclaredClass) == nil {
		return noMatch
	}
	return enter(s.at, s.Name, d, s.H, ClassScope(d.Parent))
}
