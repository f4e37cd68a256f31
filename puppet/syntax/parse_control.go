package syntax

import "bunraku/source"

// ifExpr = ( "if" | "unless" ) expression body [ "elsif" … | "else" body ]
func (p *parser) ifExpr() Expr {
	first := &If{}
	for e, start := first, p.tok.start; ; {
		e.Unless = p.tok.kind == tUnless
		p.advance()
		e.Test = p.expression()
		e.Then = p.body()
		if p.failed {
			return first
		}
		e.Where = p.from(start)
		if p.at(tElsif) && !e.Unless {
			next := &If{}
			start = p.tok.start
			e.Else.Stmts = p.exprLists.copyOf([]Expr{next})
			e.ElseIf = true
			e = next
			continue
		}
		if p.accept(tElse) {
			e.Else = p.body()
			e.Where = p.from(start)
		}
		break
	}
	end := p.from(first.Where.Start)
	for e := first; ; {
		e.Where.End = end.End
		if !e.ElseIf {
			break
		}
		e.Else.Braces = source.Span{Start: e.Else.Stmts[0].Span().Start, End: end.End}
		e = e.Else.Stmts[0].(*If)
	}
	if first.Unless && p.at(tElsif) {
		p.unexpected("`unless` has no elsif; use if with the condition turned round")
	}
	return first
}

// caseExpr = "case" expression "{" option { option } "}"      option = expression { "," expression } ":" body
func (p *parser) caseExpr() Expr {
	c := &Case{}
	start := p.tok.start
	p.advance()
	c.Test = p.expression()
	p.expect(tBrace)
	for !p.failed {
		o := &Option{}
		at := p.tok.start
		mark := len(p.exprs)
		for {
			p.exprs = append(p.exprs, p.expression())
			if p.failed || !p.accept(tComma) {
				break
			}
		}
		o.Values = p.popExprs(mark)
		p.expect(tColon)
		o.Then = p.body()
		o.Where = p.from(at)
		c.Options = append(c.Options, o)
		if p.at(tRBrace) {
			break
		}
	}
	p.expect(tRBrace)
	c.Where = p.from(start)
	return c
}

// render = "<%=" ( expression | "{" statements "}" ) "%>"
//
// A brace here begins a hash when it can be read as one; Puppet's grammar allows both and prefers the hash by its first
// arrow.
func (p *parser) render() Expr {
	start := p.tok.start
	p.advance()
	r := &Render{}
	if p.at(tBrace) {
		r.X = p.renderBlock()
	} else {
		r.X.Stmts = p.exprLists.copyOf([]Expr{p.expression()})
	}
	if !p.at(tEppEnd) && !p.at(tEppEndTrim) {
		p.unexpected("end the tag with %>")
		return r
	}
	p.advance()
	r.Where = p.from(start)
	return r
}

func (p *parser) renderBlock() Body {
	start := p.tok.start
	if k := p.peek(); k == tRBrace {
		return Body{Stmts: []Expr{p.climbFrom(p.postfix(p.hash()), bindNone)}}
	}
	p.advance()
	// One assignment followed by an arrow is the first pair of a hash.
	mark := len(p.exprs)
	at := p.tok.start
	key := p.entryWord()
	if key == nil {
		key = p.assignment()
	}
	if p.at(tArrow) {
		h := &Hash{}
		pairs := len(p.pairs)
		p.pairs = append(p.pairs, p.entryFrom(key, at))
		for p.accept(tComma) && !p.at(tRBrace) && !p.failed {
			at = p.tok.start
			if key = p.entryWord(); key == nil {
				key = p.assignment()
			}
			p.pairs = append(p.pairs, p.entryFrom(key, at))
		}
		h.Entries = p.entryLists.copyOf(p.pairs[pairs:])
		p.pairs = p.pairs[:pairs]
		p.expect(tRBrace)
		h.Where = p.from(start)
		return Body{Stmts: []Expr{p.climbFrom(p.postfix(h), bindNone)}}
	}
	if p.failed {
		return Body{}
	}
	first := key
	b := Body{}
	p.exprs = append(p.exprs, first)
	if c, ok := first.(*Call); ok {
		c.Value = false
	}
	for !p.failed && !p.at(tRBrace) && !p.at(tEOF) {
		p.accept(tSemi)
		p.statement(mark)
	}
	b.Stmts = p.popExprs(mark)
	p.expect(tRBrace)
	b.Braces = p.from(start)
	return b
}
