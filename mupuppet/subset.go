package mupuppet

import (
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// From Puppet's syntax tree to µPuppet's. What µPuppet does not have is refused by name, with its place; the names
// follow the paper's Appendix B (Figure 8) and §5.3. Every refusal of a file is reported, not only the first.
//
// Four pieces of sugar are read as the paper's forms: `elsif` as an if in the else; `unless e {s1} else {s2}` as if e
// {s2} else {s1}; several values before one branch of a case as that branch for each; several classes after include as
// one include each. The first two occur in tests that the paper's Table 1 counts as passing.

// Translate reads a parsed manifest as µPuppet. With provenance, constants are labelled in the order of the text,
// data[l-1] being label l, and what the thesis's annotated rules leave out is refused too.
func Translate(f *syntax.File, provenance bool) (m Manifest, data []Datum, ds source.Diagnostics) {
	t := &translator{file: f.Source, provenance: provenance, defines: map[string]bool{}}
	for _, d := range f.Defs {
		if d, ok := d.(*syntax.Define); ok {
			t.defines[unqualified(d.Name)] = true
		}
	}
	var ms []Manifest
	for _, x := range f.Body.Stmts {
		ms = append(ms, t.manifest(x)...)
	}
	return manifestOf(at{f.Body.Braces}, ms), t.data, t.ds
}

type translator struct {
	file       *source.File
	provenance bool
	defines    map[string]bool // tells u {…} from t {…}: the paper has two syntactic categories
	data       []Datum
	ds         source.Diagnostics
}

// refuse reports a feature that µPuppet lacks.
func (t *translator) refuse(n syntax.Node, feature string) {
	t.ds = append(t.ds, &source.Diagnostic{
		Code:    "M0001",
		Summary: "not in µPuppet: " + feature,
		Place:   source.Place{File: t.file, Span: n.Span()},
		Help:    "bunraku compile evaluates the whole language",
	})
}

// unannotated refuses what the thesis leaves out of its annotated subset (§4, §5.1).
func (t *translator) unannotated(n syntax.Node, feature string) {
	if !t.provenance {
		return
	}
	t.ds = append(t.ds, &source.Diagnostic{
		Code:    "M0014",
		Summary: "the annotated rules leave out " + feature,
		Place:   source.Place{File: t.file, Span: n.Span()},
		Detail:  "thesis, §4 and §5.1: provenance is built on µPuppet except array, hash and resource reference constructs",
		Help:    "bunraku explain answers for the whole language",
	})
}

func where(n syntax.Node) at { return at{n.Span()} }

// constant is a value as written in the manifest, with its label when provenance is on.
func (t *translator) constant(n syntax.Node, v Value) *Lit {
	l := &Lit{where(n), v, nil}
	if t.provenance {
		t.data = append(t.data, Datum{v, source.Place{File: t.file, Span: n.Span()}})
		l.Note = input(Label(len(t.data)))
	}
	return l
}

// ---- manifests

func (t *translator) manifest(x syntax.Expr) []Manifest {
	switch x := x.(type) {
	case *syntax.Class:
		ρ := t.params(x.Params)
		return []Manifest{&Class{where(x), unqualified(x.Name), ρ != nil, ρ, unqualified(x.Parent), t.body(x.Body)}}
	case *syntax.Define:
		return []Manifest{&Define{where(x), unqualified(x.Name), t.params(x.Params), t.body(x.Body)}}
	case *syntax.NodeDef:
		return []Manifest{&Node{where(x), t.nodeSpec(x), t.body(x.Body)}}
	}
	var out []Manifest
	for _, s := range t.stmts(x) {
		out = append(out, &Top{at{s.place()}, s})
	}
	return out
}

func (t *translator) nodeSpec(x *syntax.NodeDef) NodeSpec {
	var q NodeSpec
	if x.Parent != nil {
		t.refuse(x.Parent, "node inheritance")
	}
	for _, h := range x.Hosts {
		switch h := h.(type) {
		case *syntax.Default:
			q.Default = true
		case *syntax.Str:
			q.Names = append(q.Names, h.Value)
		case *syntax.Name:
			q.Names = append(q.Names, h.Value)
		case *syntax.Regexp:
			t.refuse(h, "regular expressions")
		default:
			t.refuse(h, "a computed node name")
		}
	}
	return q
}

func (t *translator) params(ps []*syntax.Param) *Param {
	out := make([]Param, len(ps))
	for i, p := range ps {
		if p.Type != nil {
			t.refuse(p.Type, "data type annotations")
		}
		if p.Splat {
			t.refuse(p, "parameters that capture the rest")
		}
		out[i] = Param{at: where(p), Name: p.Name}
		if p.Default != nil {
			out[i].E = t.expr(p.Default)
		}
	}
	var ρ *Param
	for i := len(out) - 1; i >= 0; i-- {
		out[i].Rest = ρ
		ρ = &out[i]
	}
	return ρ
}

// ---- statements

func (t *translator) body(b syntax.Body) Stmt {
	return sequence(at{b.Braces}, t.block(b.Stmts))
}

func (t *translator) block(xs []syntax.Expr) []Stmt {
	var out []Stmt
	for _, x := range xs {
		out = append(out, t.stmts(x)...)
	}
	return out
}

// stmts is one statement of Puppet; sugar can make several of it, a refused one none.
func (t *translator) stmts(x syntax.Expr) []Stmt {
	switch x := x.(type) {
	case *syntax.Nop:
		return nil
	case *syntax.Block:
		return t.block(x.Stmts)
	case *syntax.Assign:
		return one(t.assign(x))
	case *syntax.If:
		return one(t.ifStmt(x))
	case *syntax.Case:
		return one(t.caseStmt(x))
	case *syntax.Resource:
		return one(t.resource(x))
	case *syntax.Call:
		return t.call(x)
	case *syntax.Defaults:
		t.refuse(x, "resource defaults")
	case *syntax.Override:
		t.refuse(x, "resource extension and overriding")
	case *syntax.Collect:
		t.refuse(x, "resource collectors")
	case *syntax.Relation:
		t.refuse(x, "chaining arrows ("+x.Op.String()+")")
	case *syntax.Class, *syntax.Define:
		t.refuse(x, "nested definitions")
	case syntax.Definition:
		t.definition(x)
	default:
		e := t.expr(x)
		return []Stmt{&ExprStmt{where(x), e}}
	}
	return nil
}

func one(s Stmt) []Stmt {
	if s == nil {
		return nil
	}
	return []Stmt{s}
}

func (t *translator) definition(x syntax.Definition) {
	switch x.(type) {
	case *syntax.Function:
		t.refuse(x, "functions written in Puppet")
	case *syntax.Plan:
		t.refuse(x, "plans")
	case *syntax.NodeDef:
		t.refuse(x, "nested definitions")
	default:
		t.refuse(x, "type aliases and definitions")
	}
}

func (t *translator) assign(x *syntax.Assign) Stmt {
	if x.Op != syntax.OpSet {
		t.refuse(x, "the operator "+x.Op.String())
		return nil
	}
	v, ok := x.Left.(*syntax.Var)
	switch {
	case !ok:
		t.refuse(x.Left, "assignment to several variables")
		return nil
	case strings.Contains(v.Name, "::"):
		t.refuse(v, "assignment to a variable of another scope")
		return nil
	}
	return &Assign{where(x), v.Name, t.expr(x.Right)}
}

func (t *translator) ifStmt(x *syntax.If) Stmt {
	e := t.expr(x.Test)
	then := t.body(x.Then)
	if x.Unless && len(x.Else.Stmts) == 0 {
		return &Unless{where(x), e, then}
	}
	other := sequence(where(x), t.block(x.Else.Stmts))
	if x.Unless {
		return &If{where(x), e, other, then}
	}
	return &If{where(x), e, then, other}
}

func (t *translator) caseStmt(x *syntax.Case) Stmt {
	s := &Case{where(x), t.expr(x.Test), nil}
	end := &s.C
	for _, o := range x.Options {
		var cs []Expr
		for _, v := range o.Values {
			cs = append(cs, t.pattern(v))
		}
		then := t.body(o.Then)
		for _, c := range cs {
			*end = &Branch{C: c, S: then}
			end = &(*end).Rest
		}
	}
	return s
}

// pattern is c ::= e | default; nil for default.
func (t *translator) pattern(x syntax.Expr) Expr {
	if _, ok := x.(*syntax.Default); ok {
		return nil
	}
	return t.expr(x)
}

func (t *translator) resource(x *syntax.Resource) Stmt {
	switch x.Form {
	case syntax.Virtual:
		t.refuse(x, "virtual resources")
		return nil
	case syntax.Exported:
		t.refuse(x, "exported resources")
		return nil
	}
	name, ok := x.Type.(*syntax.Name)
	switch {
	case !ok:
		t.refuse(x.Type, "abstract resource types")
		return nil
	case len(x.Bodies) != 1:
		t.refuse(x, "multiple resource bodies")
		return nil
	}
	b := x.Bodies[0]
	if name.Value == "class" {
		a, ok := literalName(b.Title)
		if !ok {
			t.refuse(b.Title, "a computed class name")
		}
		return &ClassDecl{where(x), a, t.attrs(b.Ops)}
	}
	var title Expr // before the attributes: labels follow the text
	switch b.Title.(type) {
	case *syntax.List:
		t.refuse(b.Title, "multiple resource titles")
	case *syntax.Default:
		t.refuse(b.Title, "per-expression default attributes")
	default:
		title = t.expr(b.Title)
	}
	h := t.attrs(b.Ops)
	if title == nil {
		return nil
	}
	u := unqualified(name.Value)
	body := &Body{where(b), title, h}
	if t.defines[u] {
		return &Defined{where(x), u, body}
	}
	return &Native{where(x), capitalised(u), body}
}

func (t *translator) attrs(ops []*syntax.AttrOp) *Attr {
	type attr struct {
		p    at
		name string
		e    Expr
	}
	var list []attr
	for _, o := range ops {
		switch {
		case o.Splat:
			t.refuse(o, "attributes from a hash (* =>)")
		case o.Append:
			t.refuse(o, "adding to attributes (+>)")
		default:
			list = append(list, attr{where(o), o.Name, t.expr(o.Value)})
		}
	}
	var h *Attr
	for i := len(list) - 1; i >= 0; i-- {
		h = consAttr(list[i].p, list[i].name, list[i].e, h)
	}
	return h
}

func (t *translator) call(x *syntax.Call) []Stmt {
	name, ok := x.Functor.(*syntax.Name)
	if !ok || unqualified(name.Value) != "include" || x.Lambda != nil {
		t.refuseCall(x)
		return nil
	}
	var out []Stmt
	for _, arg := range x.Args {
		a, ok := literalName(arg)
		if !ok {
			t.refuse(arg, "a computed class name")
			continue
		}
		out = append(out, &Include{where(x), a})
	}
	return out
}

func (t *translator) refuseCall(x *syntax.Call) {
	name, ok := x.Functor.(*syntax.Name)
	switch {
	case !ok:
		t.refuse(x, "data types")
	case x.Lambda != nil:
		t.refuse(x, "lambdas and iteration functions ("+name.Value+")")
	default:
		switch name.Value {
		case "realize":
			t.refuse(x, "virtual resources (realize)")
		case "contain", "require", "hiera_include":
			t.refuse(x, "other ways to declare a class ("+name.Value+")")
		case "tag", "tagged":
			t.refuse(x, "tags ("+name.Value+")")
		case "template", "epp", "inline_template", "inline_epp":
			t.refuse(x, "templates ("+name.Value+")")
		default:
			t.refuse(x, "functions ("+name.Value+")")
		}
	}
}
