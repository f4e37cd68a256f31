package syntax

import "fmt"

// resource = expression | "@" resource | "@@" resource | "class" "{" bodies "}"
//
//	| resource "{" title ":" attributes … "}" | resource "{" attributes "}"
//
// A brace after an expression at statement level always belongs to it: `$a` newline `{…}` is one (wrong) resource.
func (p *parser) resource() Expr {
	start := p.tok.start
	var e Expr
	p.beyond = false
	switch p.tok.kind {
	case tAt, tAtAt:
		form, sign := Virtual, p.tok
		if p.tok.kind == tAtAt {
			form = Exported
		}
		p.advance()
		if !p.enter() {
			return nil
		}
		e = p.resource()
		p.leave()
		if p.failed {
			return e
		}
		if !setForm(e, form, start) {
			word := "Virtual (@)"
			if form == Exported {
				word = "Exported (@@)"
			}
			p.fail(codeVirtual, sign.span(), word+" can only be applied to a Resource Expression", "")
		}
		p.beyond = true
		return e
	case tClass:
		if p.peek() == tBrace {
			e = p.classResource()
			p.beyond = true
		}
	}
	if e == nil {
		e = p.expression()
	}
	beyond := p.beyond
	for chain := 0; p.at(tBrace) && !p.failed; chain++ {
		e = p.braces(e, start)
		beyond = true
		if chain > maxOperatorChain {
			p.tooLong()
		}
	}
	p.beyond = beyond
	return e
}

func setForm(e Expr, form Form, start uint32) bool {
	switch e := e.(type) {
	case *Resource:
		e.Form, e.Where.Start = form, start
	case *Defaults:
		e.Form, e.Where.Start = form, start
	case *Override:
		e.Form, e.Where.Start = form, start
	default:
		return false
	}
	return true
}

// classResource = "class" "{" body { ";" body } [ ";" ] "}"
func (p *parser) classResource() Expr {
	n := p.names.new()
	p.number(&n.Lit)
	n.Value, n.Where = "class", p.tok.span()
	p.advance()
	p.expect(tBrace)
	r := &Resource{Type: n}
	for {
		r.Bodies = append(r.Bodies, p.resourceBody())
		if p.failed || !p.accept(tSemi) || p.at(tRBrace) {
			break
		}
	}
	p.expect(tRBrace)
	r.Where = p.from(n.Where.Start)
	return r
}

func (p *parser) resourceBody() *ResourceBody {
	b := p.bodies.new()
	start := p.tok.start
	b.Title = p.expression()
	if !p.at(tColon) {
		p.unexpected(p.titleHelp(b.Title))
		return b
	}
	p.advance()
	b.Ops = p.attributes()
	b.Where = p.from(start)
	return b
}

// titleHelp is the advice to what follows a resource's title, and is no colon.
func (p *parser) titleHelp(title Expr) string {
	if p.at(tRParen) {
		return "the arguments of a function are in ( ), and what a resource is declared with in { }"
	}
	switch title.(type) {
	case *Str, *Interpolated:
		first := p.file.LineOf(title.Span().Start)
		if first < p.file.LineOf(title.Span().End) {
			return fmt.Sprintf("the string before it begins on line %d: does a quote lack there?", first)
		}
	case *Name:
		if p.at(tBrace) {
			return "what is in the braces around it is read as a resource: is a word before them misspelt, class or define?"
		}
	}
	return "a resource's title is followed by a colon"
}

// braces reads what follows a resource's type, a reference, or something that turns out to be neither.
func (p *parser) braces(left Expr, start uint32) Expr {
	brace := p.tok
	p.advance()
	if !p.attributesAhead() {
		r := &Resource{Type: left}
		for {
			r.Bodies = append(r.Bodies, p.resourceBody())
			if p.failed || !p.accept(tSemi) || p.at(tRBrace) {
				break
			}
		}
		p.expect(tRBrace)
		r.Where = p.from(start)
		return r
	}
	ops := p.attributes()
	p.expect(tRBrace)
	if p.failed {
		return left
	}
	switch l := left.(type) {
	case *Name:
		return p.untitled(l, ops, brace)
	case *Ref:
		d := &Defaults{Type: left, Ops: ops}
		d.Where = p.from(start)
		return d
	case *Access: // Resource[file] too: Puppet means to make it a default, but looks for the name in the wrong slot
		o := &Override{Target: left, Ops: ops}
		o.Where = p.from(start)
		return o
	}
	p.fail(codeShape, left.Span(), "Expression is not valid as a resource, resource-default, or resource-override", "")
	return left
}

// attributesAhead tells `{ name => …` and `{ }` from `{ title: …`.
func (p *parser) attributesAhead() bool {
	switch {
	case p.at(tRBrace) || p.at(tComma):
		return true
	case p.tok.kind.attributeName():
		k := p.peek()
		return k == tArrow || k == tPArrow
	case p.at(tTimes):
		return p.peek() == tArrow
	}
	return false
}

// untitled reads `name { a => b }`: a call with a hash when the name is a statement call, else two statements in one.
func (p *parser) untitled(name *Name, ops []*AttrOp, brace token) Expr {
	h := &Hash{}
	h.Where = p.from(brace.start)
	for _, op := range ops {
		if op.Append || op.Splat {
			p.fail(codeShape, brace.span(), "Syntax error resource body without title or hash with +>",
				"give the resource a title: "+name.Value+" { 'title': … }")
			return name
		}
		key := p.strs.new()
		p.number(&key.Lit)
		key.Value, key.Quote, key.Where = op.Name, Key, op.NameAt
		e := p.entries.new()
		e.Key, e.Value, e.Where = key, op.Value, op.Where
		h.Entries = append(h.Entries, e)
	}
	if isStatementCall(name.Value) {
		return p.bareCall(name, []Expr{h})
	}
	b := &Block{Stmts: []Expr{name, h}}
	b.Where = p.from(name.Where.Start)
	return b
}

// attributes = [ attribute ] { "," attribute } [ "," ]
func (p *parser) attributes() []*AttrOp {
	mark := len(p.attrs)
	if p.attributeAhead() {
		p.attrs = append(p.attrs, p.attribute())
	}
	for !p.failed && p.accept(tComma) && p.attributeAhead() {
		p.attrs = append(p.attrs, p.attribute())
	}
	ops := p.opLists.copyOf(p.attrs[mark:])
	p.attrs = p.attrs[:mark]
	return ops
}

func (p *parser) attributeAhead() bool { return p.tok.kind.attributeName() || p.at(tTimes) }

// attribute = name ( "=>" | "+>" ) expression | "*" "=>" expression
func (p *parser) attribute() *AttrOp {
	op := p.ops.new()
	start := p.tok.start
	op.NameAt = p.tok.span()
	if p.at(tTimes) {
		op.Splat = true
		p.advance()
		p.expect(tArrow)
	} else {
		op.Name = p.tok.text
		p.advance()
		switch p.tok.kind {
		case tArrow, tPArrow:
			op.Append = p.at(tPArrow)
			p.advance()
		default:
			p.unexpected("an attribute is written name => value")
			return op
		}
	}
	op.Value = p.expression()
	op.Where = p.from(start)
	return op
}

// collect = expression ( "<|" [ query ] "|>" | "<<|" [ query ] "|>>" ) [ "{" attributes "}" ]
func (p *parser) collect(left Expr) Expr {
	start := p.tok.start
	c := &Collect{Type: left, Exported: p.at(tLLCollect)}
	end := tRCollect
	if c.Exported {
		end = tRRCollect
	}
	p.advance()
	if !p.at(end) {
		c.Query = p.expression()
	}
	p.expect(end)
	c.QueryAt = p.from(start)
	if p.at(tBrace) {
		c.Braced = true
		p.advance()
		c.Ops = p.attributes()
		p.expect(tRBrace)
	}
	c.Where = p.from(left.Span().Start)
	return c
}
