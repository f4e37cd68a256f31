package mupuppet

import "bunraku/source"

// The forms and normal forms of the terms, and the constructors that keep lists and values in normal form.

func (*Lit) form() form       { return formLit }
func (*Var) form() form       { return formVar }
func (*Arith) form() form     { return formArith }
func (*Comp) form() form      { return formComp }
func (*And) form() form       { return formAnd }
func (*Or) form() form        { return formOr }
func (*Not) form() form       { return formNot }
func (*Array) form() form     { return formArray }
func (*Elem) form() form      { return formElem }
func (*Hash) form() form      { return formHash }
func (*Entry) form() form     { return formEntry }
func (*Selector) form() form  { return formSelector }
func (*Deref) form() form     { return formDeref }
func (*Ref) form() form       { return formRef }
func (*OuterExpr) form() form { return formOuterExpr }
func (*Attr) form() form      { return formAttr }
func (*Body) form() form      { return formBody }
func (*ExprStmt) form() form  { return formExprStmt }
func (*Skip) form() form      { return formSkip }
func (*Seq) form() form       { return formSeq }
func (*Assign) form() form    { return formAssign }
func (*If) form() form        { return formIf }
func (*Unless) form() form    { return formUnless }
func (*Case) form() form      { return formCase }
func (*Native) form() form    { return formNative }
func (*Defined) form() form   { return formDefined }
func (*ClassDecl) form() form { return formClassDecl }
func (*Include) form() form   { return formInclude }
func (*ScopeStmt) form() form { return formScope }
func (*OuterStmt) form() form { return formOuterStmt }
func (*Top) form() form       { return formTop }
func (*MSeq) form() form      { return formMSeq }
func (*Node) form() form      { return formNode }
func (*Define) form() form    { return formDefine }
func (*Class) form() form     { return formClass }

func (*Lit) normal() bool       { return true }
func (*Var) normal() bool       { return false }
func (*Arith) normal() bool     { return false }
func (*Comp) normal() bool      { return false }
func (*And) normal() bool       { return false }
func (*Or) normal() bool        { return false }
func (*Not) normal() bool       { return false }
func (*Array) normal() bool     { return false }
func (a *Elem) normal() bool    { return a == nil || a.done }
func (*Hash) normal() bool      { return false }
func (h *Entry) normal() bool   { return h == nil || h.done }
func (*Selector) normal() bool  { return false }
func (*Deref) normal() bool     { return false }
func (*Ref) normal() bool       { return false }
func (*OuterExpr) normal() bool { return false }
func (h *Attr) normal() bool    { return h == nil || h.done }
func (r *Body) normal() bool    { return r.Title.normal() && r.H.normal() }
func (*ExprStmt) normal() bool  { return false }
func (*Skip) normal() bool      { return true }
func (*Seq) normal() bool       { return false }
func (*Assign) normal() bool    { return false }
func (*If) normal() bool        { return false }
func (*Unless) normal() bool    { return false }
func (*Case) normal() bool      { return false }
func (*Native) normal() bool    { return false }
func (*Defined) normal() bool   { return false }
func (*ClassDecl) normal() bool { return false }
func (*Include) normal() bool   { return false }
func (*ScopeStmt) normal() bool { return false }
func (*OuterStmt) normal() bool { return false }
func (t *Top) normal() bool     { return t.S.normal() }
func (*MSeq) normal() bool      { return false }
func (*Node) normal() bool      { return false }
func (*Define) normal() bool    { return false }
func (*Class) normal() bool     { return false }

func (a *Elem) place() source.Span {
	if a == nil {
		return source.Span{}
	}
	return a.E.place()
}

func (h *Entry) place() source.Span {
	if h == nil {
		return source.Span{}
	}
	return h.E.place()
}

// place is written out because the nil *Attr is a term too.
func (h *Attr) place() source.Span {
	if h == nil {
		return source.Span{}
	}
	return h.at.span
}

func consElem(e Expr, rest *Elem) *Elem {
	return &Elem{e, rest, e.normal() && rest.normal()}
}

func consEntry(k Value, e Expr, rest *Entry) *Entry {
	return &Entry{k, e, rest, e.normal() && rest.normal()}
}

func consAttr(p at, name string, e Expr, rest *Attr) *Attr {
	return &Attr{p, name, e, rest, e.normal() && rest.normal()}
}

// newArray is [A]; by Figure 7, [v1, …, vn] is a value.
func newArray(p at, a *Elem) Expr {
	if !a.normal() {
		return &Array{p, a}
	}
	var vs ArrayValue
	for ; a != nil; a = a.Rest {
		vs = append(vs, a.E.(*Lit).Value)
	}
	return &Lit{p, vs, nil}
}

// newHash is {H}; by Figure 7, {v_H} is a value. A key that is written twice keeps its first place and its last value,
// as in Puppet.
//
// Differs from the paper: lookup (C.1) returns the first value of a repeated key; Puppet's hash holds only the last.
func newHash(p at, h *Entry) Expr {
	if !h.normal() {
		return &Hash{p, h}
	}
	var out HashValue
	for ; h != nil; h = h.Rest {
		out = out.with(h.Key, h.E.(*Lit).Value)
	}
	return &Lit{p, out, nil}
}

// newRef is t[e]; by Figure 7, t[v] is a value.
func newRef(p at, t string, e Expr) Expr {
	if l, ok := e.(*Lit); ok {
		return &Lit{p, RefValue{t, l.Value}, l.Note}
	}
	return &Ref{p, t, e}
}

// sequence is s1 ␣ (s2 ␣ …), and skip for no statement at all.
func sequence(p at, ss []Stmt) Stmt {
	if len(ss) == 0 {
		return &Skip{p}
	}
	s := ss[len(ss)-1]
	for i := len(ss) - 2; i >= 0; i-- {
		s = &Seq{at{ss[i].place()}, ss[i], s}
	}
	return s
}

// manifestOf is m1 ␣ (m2 ␣ …), and skip for the empty manifest.
func manifestOf(p at, ms []Manifest) Manifest {
	if len(ms) == 0 {
		return &Top{p, &Skip{p}}
	}
	m := ms[len(ms)-1]
	for i := len(ms) - 2; i >= 0; i-- {
		m = &MSeq{at{ms[i].place()}, ms[i], m}
	}
	return m
}
