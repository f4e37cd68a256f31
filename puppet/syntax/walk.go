package syntax

import "bunraku/source"

// Walk calls visit for n and then, while visit returns true, for every node below it, in source order.
// It is the one way to walk a tree; nil children are not visited.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	Children(n, func(c Node) { Walk(c, visit) })
}

// Children calls f for each direct child of n, in source order.
func Children(n Node, f func(Node)) {
	one := func(e Expr) {
		if e != nil {
			f(e)
		}
	}
	all := func(es []Expr) {
		for _, e := range es {
			f(e)
		}
	}
	params := func(ps []*Param) {
		for _, p := range ps {
			f(p)
		}
	}
	ops := func(os []*AttrOp) {
		for _, o := range os {
			f(o)
		}
	}
	entries := func(es []*Entry) {
		for _, e := range es {
			f(e)
		}
	}
	switch n := n.(type) {
	case *Undef, *Default, *Bool, *Int, *Float, *Str, *Regexp, *Name, *Ref, *Var, *Reserved, *Nop, *RenderString:
	case *Interpolated:
		all(n.Parts)
	case *Text:
		one(n.X)
	case *Heredoc:
		one(n.X)
	case *List:
		all(n.Elems)
	case *Hash:
		entries(n.Entries)
	case *Entry:
		one(n.Key)
		one(n.Value)
	case *Binary:
		one(n.Left)
		one(n.Right)
	case *Unary:
		one(n.X)
	case *Paren:
		one(n.X)
	case *Assign:
		one(n.Left)
		one(n.Right)
	case *Relation:
		one(n.Left)
		one(n.Right)
	case *Access:
		one(n.Left)
		all(n.Keys)
	case *NamedAccess:
		one(n.Left)
		f(n.Name)
	case *Call:
		one(n.Functor)
		all(n.Args)
		if n.Lambda != nil {
			f(n.Lambda)
		}
	case *MethodCall:
		f(n.Functor)
		all(n.Args)
		if n.Lambda != nil {
			f(n.Lambda)
		}
	case *Lambda:
		params(n.Params)
		one(n.Returns)
		all(n.Body.Stmts)
	case *Param:
		one(n.Type)
		one(n.Default)
	case *If:
		one(n.Test)
		all(n.Then.Stmts)
		all(n.Else.Stmts)
	case *Case:
		one(n.Test)
		for _, o := range n.Options {
			f(o)
		}
	case *Option:
		all(n.Values)
		all(n.Then.Stmts)
	case *Selector:
		one(n.Left)
		entries(n.Entries)
	case *Block:
		all(n.Stmts)
	case *Resource:
		one(n.Type)
		for _, b := range n.Bodies {
			f(b)
		}
	case *ResourceBody:
		one(n.Title)
		ops(n.Ops)
	case *Defaults:
		one(n.Type)
		ops(n.Ops)
	case *Override:
		one(n.Target)
		ops(n.Ops)
	case *AttrOp:
		one(n.Value)
	case *Collect:
		one(n.Type)
		one(n.Query)
		ops(n.Ops)
	case *Class:
		params(n.Params)
		all(n.Body.Stmts)
	case *Define:
		params(n.Params)
		all(n.Body.Stmts)
	case *NodeDef:
		all(n.Hosts)
		one(n.Parent)
		all(n.Body.Stmts)
	case *Function:
		params(n.Params)
		one(n.Returns)
		all(n.Body.Stmts)
	case *Plan:
		params(n.Params)
		all(n.Body.Stmts)
	case *Apply:
		all(n.Args)
		all(n.Body.Stmts)
	case *TypeAlias:
		one(n.X)
	case *TypeMapping:
		one(n.Type)
		one(n.X)
	case *TypeDef:
		all(n.Body.Stmts)
	case *Epp:
		params(n.Params)
		all(n.Body.Stmts)
	case *Render:
		all(n.X.Stmts)
	default:
		panic("syntax: Children: unknown node")
	}
}

// Literal is what makes a node a literal, nil when it is none.
func Literal(n Node) *Lit {
	switch n := n.(type) {
	case *Undef:
		return &n.Lit
	case *Default:
		return &n.Lit
	case *Bool:
		return &n.Lit
	case *Int:
		return &n.Lit
	case *Float:
		return &n.Lit
	case *Str:
		return &n.Lit
	case *Regexp:
		return &n.Lit
	case *Name:
		return &n.Lit
	case *RenderString:
		return &n.Lit
	}
	return nil
}

// LiteralSpans are the places of a file's literals, by their numbers.
func LiteralSpans(f *File) []source.Span {
	spans := make([]source.Span, f.Literals)
	number := func(n Node) bool {
		if l := Literal(n); l != nil {
			spans[l.Ord] = l.Where
		}
		return true
	}
	for _, s := range f.Body.Stmts {
		Walk(s, number)
	}
	if f.Epp != nil {
		Walk(f.Epp, number)
	}
	return spans
}
