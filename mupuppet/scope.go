package mupuppet

import "strings"

// A Scope is α ::= :: | ::a | ::nd | α def   (Figure 7).
//
// A nest of definitions, α def def …, is one α and a count, so that scopes are comparable and can key a map.
type Scope struct {
	kind  scopeKind
	class string // of classScope
	defs  int    // how many def follow
}

type scopeKind uint8

const (
	topScope scopeKind = iota
	nodeScope
	classScope
)

// TopScope is ::.
func TopScope() Scope { return Scope{} }

// NodeScope is ::nd.
func NodeScope() Scope { return Scope{kind: nodeScope} }

// ClassScope is ::a.
func ClassScope(a string) Scope { return Scope{kind: classScope, class: a} }

// Def is α def.
func (α Scope) Def() Scope { α.defs++; return α }

// persistent is the premise α ∈ {::, ::a, ::nd} of ScopeStep and ScopeDone.
func (α Scope) persistent() bool { return α.defs == 0 }

// outside is α for α def.
func (α Scope) outside() Scope { α.defs--; return α }

func (α Scope) String() string {
	s := "::"
	switch α.kind {
	case nodeScope:
		s = "::nd"
	case classScope:
		s = "::" + α.class
	}
	return s + strings.Repeat(" def", α.defs)
}

// ---- α parentof_κ β (C.1)

// Rule PNode (C.1):  :: parentof ::nd.
//
// Erratum: the paper prints it with a premise.
func pNode(_ *Definitions, β Scope) (Scope, bool) {
	return TopScope(), β == NodeScope()
}

// Rule PDefRes (C.1):  β baseof α def  ⟹  β parentof α def.
//
// Erratum: the paper prints :: parentof α def; the thesis (A.3.1) has it right.
func pDefRes(κ *Definitions, β Scope) (Scope, bool) {
	if β.defs == 0 {
		return Scope{}, false
	}
	return baseOf(κ, β)
}

// Rule PClass (C.1):  κ(a) = DeclaredClass(α)  ⟹  α parentof ::a.
func pClass(κ *Definitions, β Scope) (Scope, bool) {
	if β.kind != classScope || β.defs > 0 {
		return Scope{}, false
	}
	d := κ.lookup(β.class)
	if d == nil || d.Kind != DeclaredClass {
		return Scope{}, false
	}
	return d.Scope, true
}

// parentOf finds the α with α parentof_κ β. The top scope has none.
func parentOf(κ *Definitions, β Scope) (Scope, bool) {
	for _, rule := range [...]func(*Definitions, Scope) (Scope, bool){pNode, pDefRes, pClass} {
		if α, ok := rule(κ, β); ok {
			return α, true
		}
	}
	return Scope{}, false
}

// ---- α baseof_κ β (C.1)

// Rule BTop (C.1):  :: baseof ::.
//
// Erratum: the paper prints it with a premise.
func bTop(_ *Definitions, β Scope) (Scope, bool) {
	return TopScope(), β == TopScope()
}

// Rule BNode (C.1):  ::nd baseof ::nd.
//
// Erratum: the paper's §3 prints ::nd baseof ::.
func bNode(_ *Definitions, β Scope) (Scope, bool) {
	return NodeScope(), β == NodeScope()
}

// Rule BDefRes (C.1):  α baseof β  ⟹  α baseof β def.
func bDefRes(κ *Definitions, β Scope) (Scope, bool) {
	if β.defs == 0 {
		return Scope{}, false
	}
	return baseOf(κ, β.outside())
}

// Rule BClass (C.1):  κ(a) = DeclaredClass(β)   α baseof β  ⟹  α baseof ::a.
func bClass(κ *Definitions, β Scope) (Scope, bool) {
	parent, ok := pClass(κ, β)
	if !ok {
		return Scope{}, false
	}
	return baseOf(κ, parent)
}

// baseOf finds the α with α baseof_κ β: :: or ::nd.
func baseOf(κ *Definitions, β Scope) (Scope, bool) {
	for _, rule := range [...]func(*Definitions, Scope) (Scope, bool){bTop, bNode, bDefRes, bClass} {
		if α, ok := rule(κ, β); ok {
			return α, true
		}
	}
	return Scope{}, false
}
