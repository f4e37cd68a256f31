package syntax

// Walk calls f for n and all below it, in source order; f returns false to leave out what is below a node.
func Walk(n Node, f func(Node) bool) {
	if IsNone(n) || !f(n) {
		return
	}
	each := func(ns []Node) {
		for _, n := range ns {
			Walk(n, f)
		}
	}
	switch n := n.(type) {
	case *DStr:
		each(n.Parts)
	case *XStr:
		each(n.Parts)
	case *DSym:
		each(n.Parts)
	case *RegexLit:
		each(n.Parts)
	case *ArrayLit:
		each(n.Elems)
	case *HashLit:
		for _, p := range n.Pairs {
			Walk(p.Key, f)
			Walk(p.Value, f)
		}
	case *RangeLit:
		Walk(n.Lo, f)
		Walk(n.Hi, f)
	case *Const:
		Walk(n.Scope, f)
	case *Call:
		Walk(n.Recv, f)
		each(n.Args)
		Walk(n.Pass, f)
		walkBlock(n.Block, f)
	case *Super:
		each(n.Args)
		Walk(n.Pass, f)
		walkBlock(n.Block, f)
	case *Yield:
		each(n.Args)
	case *Splat:
		Walk(n.Value, f)
	case *Block:
		walkParams(n.Params, f)
		Walk(n.Body, f)
	case *Lambda:
		walkBlock(n.Block, f)
	case *Not:
		Walk(n.Value, f)
	case *And:
		Walk(n.Left, f)
		Walk(n.Right, f)
	case *Or:
		Walk(n.Left, f)
		Walk(n.Right, f)
	case *Defined:
		Walk(n.Value, f)
	case *Assign:
		Walk(n.Target, f)
		Walk(n.Value, f)
	case *OpAssign:
		Walk(n.Target, f)
		Walk(n.Value, f)
	case *Targets:
		each(n.List)
	case *Seq:
		each(n.Stmts)
	case *If:
		Walk(n.Cond, f)
		Walk(n.Then, f)
		Walk(n.Else, f)
	case *While:
		Walk(n.Cond, f)
		Walk(n.Body, f)
	case *For:
		Walk(n.Target, f)
		Walk(n.Value, f)
		Walk(n.Body, f)
	case *Case:
		Walk(n.Subject, f)
		for _, w := range n.Whens {
			each(w.Tests)
			Walk(w.Body, f)
		}
		Walk(n.Else, f)
	case *Begin:
		Walk(n.Body, f)
		for _, r := range n.Rescues {
			each(r.Classes)
			Walk(r.Target, f)
			Walk(r.Body, f)
		}
		Walk(n.Else, f)
		Walk(n.Ensure, f)
	case *Jump:
		Walk(n.Value, f)
	case *Def:
		Walk(n.Singleton, f)
		walkParams(n.Params, f)
		Walk(n.Body, f)
	case *ClassDef:
		Walk(n.Path, f)
		Walk(n.Super, f)
		Walk(n.Body, f)
	case *SClass:
		Walk(n.Value, f)
		Walk(n.Body, f)
	}
}

func walkBlock(b *Block, f func(Node) bool) {
	if b != nil {
		Walk(b, f)
	}
}

func walkParams(p *Params, f func(Node) bool) {
	if p == nil {
		return
	}
	for _, list := range [][]*Param{p.Pre, p.Opt, p.Post, p.Key} {
		for _, q := range list {
			Walk(q.Default, f)
			walkParams(q.Sub, f)
		}
	}
}

// isNone reports a Node that is nil, or a nil pointer in an interface.
func IsNone(n Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *Seq:
		return n == nil
	case *Block:
		return n == nil
	case *Const:
		return n == nil
	}
	return false
}
