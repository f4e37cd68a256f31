package syntax

// definition prints what definition.go has. Names are as written: Name itself is qualified by the classes around.
func (p *printer) definition(e Expr) {
	switch e := e.(type) {
	case *Class:
		p.write("class " + p.slice(e.NameAt))
		p.head(" ", e.NameAt.End, e.Params)
		if e.Parent != "" {
			p.write(" inherits " + p.slice(e.ParentAt))
		}
		p.block(e.Body)
	case *Define:
		p.write("define " + p.slice(e.NameAt))
		p.head(" ", e.NameAt.End, e.Params)
		p.block(e.Body)
	case *Function:
		p.write("function " + p.slice(e.NameAt))
		p.head("", e.NameAt.End, e.Params)
		p.returns(e.Returns)
		p.block(e.Body)
	case *Plan:
		p.write("plan " + p.slice(e.NameAt))
		p.head("", e.NameAt.End, e.Params)
		p.block(e.Body)
	case *Apply:
		p.write("apply")
		p.args(e.Where.Start, e.Args, asIs)
		p.block(e.Body)
	case *NodeDef:
		p.node(e)
	case *TypeAlias:
		p.write("type " + p.slice(e.NameAt) + " = ")
		p.alias(e)
	case *TypeMapping:
		p.write("type ")
		p.expr(e.Type)
		p.write(" = ")
		p.operand(e.X)
	case *TypeDef:
		p.write("type " + p.slice(e.NameAt))
		if e.Parent != "" {
			p.write(" inherits " + e.Parent)
		}
		p.block(e.Body)
	default: // a template is not printed node by node
		panic("syntax: Print: unknown node")
	}
}

// head prints parameters behind a name; an empty list is left out, except where a function's is customary.
func (p *printer) head(gap string, from uint32, params []*Param) {
	if len(params) > 0 {
		p.write(gap)
		p.params("(", from, params, ")")
	} else if gap == "" {
		p.write("()")
	}
}

func (p *printer) block(b Body) {
	p.write(" ")
	p.body(b)
}

func (p *printer) node(n *NodeDef) {
	p.write("node ")
	p.indent++
	for i, h := range n.Hosts {
		if i > 0 {
			p.write(", ")
			p.operand(h)
		} else {
			p.value(h)
		}
	}
	p.indent--
	if n.Parent != nil {
		p.write(" inherits ")
		p.value(n.Parent)
	}
	p.block(n.Body)
}

// alias prints the right side of a type alias. Of `type A = {…}` and `type A = Parent {…}` Puppet makes an Object type
// with the hash as its key, the parent last in it; they are printed as they were written.
func (p *printer) alias(n *TypeAlias) {
	a, ok := n.X.(*Access)
	if !ok || len(a.Keys) != 1 {
		p.operand(n.X)
		return
	}
	h, ok := a.Keys[0].(*Hash)
	if !ok || h.Unfolded || p.has('[', a.Left.Span().End, h.Where.Start) {
		p.operand(n.X)
		return
	}
	switch entries := h.Entries; {
	case a.Left.Span().Len() > 0: // Object {…}, TypeSet {…}
		p.operand(a.Left)
		p.write(" ")
	case h.Where.Start > a.Where.Start: // Parent {…}
		last := len(entries) - 1
		p.operand(entries[last].Value)
		p.write(" ")
		own := *h
		own.Entries = entries[:last]
		h = &own
	default: // {…}
		p.operand(h)
		return
	}
	p.expr(h)
}
