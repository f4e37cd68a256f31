package eval

import (
	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Steps that are named in the trace, for those who explain a value: no dependency follows from them. Nothing is put
// into words here.

// owner is the number of whose variables the innermost table holds: a class or an instance of a define. Those of the
// top scope, the node, functions and lambdas belong to nobody in particular.
func (sc *Scope) owner() uint32 {
	f := sc.frame
	for f.kind == matchFrame {
		f = f.outer
	}
	if f.kind != ownFrame || sc.resource == nil || sc.resource.main || sc.function || sc.isNode() {
		return 0
	}
	return sc.ev.ownerOf(sc.resource)
}

func (ev *Evaluator) ownerOf(r *Resource) uint32 {
	if r.owner == 0 {
		r.owner = ev.trace.Owner(r)
	}
	return r.owner
}

// called is a function, lambda or template as the owner of its parameters.
type called struct{ kind, name string }

// Ref is how explanations name it.
func (c called) Ref() string { return c.kind + c.name }

// noteTest names a condition, what it tested and how it came out.
func (ev *Evaluator) noteTest(cond provenance.Ref, e *syntax.If, test value.Value) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	kind, name := provenance.IfFalse, ""
	if value.Truthy(test) {
		kind = provenance.IfTrue
	}
	if e.Unless {
		name = "unless"
	}
	return ev.trace.Note(cond, kind, name, 0, ev.place(e.Test.Span()), test)
}

// noteOption names the option that a case or selector took, by where it is written; chosen is empty when it took none.
func (ev *Evaluator) noteOption(kind provenance.NoteKind, cond provenance.Ref, at syntax.Expr, test value.Value,
	chosen source.Span) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	return ev.trace.Note(cond, kind, ev.place(chosen).Text(), 0, ev.place(at.Span()), test)
}

// noteArguments names the parameters of a function or lambda.
func (ev *Evaluator) noteArguments(c closure, bound []variable, given int) {
	owner := uint32(0)
	if !c.lambda {
		owner = ev.trace.Owner(called{"function ", c.name})
	}
	for i := range bound {
		kind := provenance.Parameter
		if i >= given {
			kind = provenance.Defaulted
		}
		bound[i].ref = ev.trace.Note(bound[i].ref, kind, bound[i].name, owner, ev.place(c.params[i].Where), bound[i].value)
	}
}
