package syntax

import "bunraku/source"

// interpolated reads a string with interpolations; the current token is its first piece.
func (p *parser) interpolated() Expr {
	n := p.interps.new()
	start := p.tok.start
	n.Parts = p.parts(p.tok, false, escapesDouble)
	if p.failed {
		return n
	}
	n.Where = source.Span{Start: start, End: p.s.offset(p.s.pos-1) + 1}
	p.behindString(n.Where.End)
	return n
}

// behindString makes the token after a string current. The scanner's position is behind the string.
func (p *parser) behindString(end uint32) {
	p.s.before = tString
	p.prev = end
	p.tok = p.s.next()
	if p.tok.kind == tFail {
		p.lexicalFailure()
	}
}

// parts reads the pieces of a string from its first piece on: text, interpolation, text, … It ends with the scanner
// behind the closing quote (or at the end of a heredoc's text). Empty pieces are left out.
func (p *parser) parts(first token, unquoted bool, esc escapeSet) []Expr {
	mark := len(p.exprs)
	text := first.text
	from := first.start
	to := p.s.offset(max(p.s.pos-1, 0)) // the $ of ${ or of a variable; good enough for a piece that has text
	if p.s.interpolating() == endBrace {
		to = p.s.offset(p.s.pos - 2)
	}
	for {
		if text != "" {
			s := p.strs.new()
			p.number(&s.Lit)
			s.Value, s.Quote = text, Piece
			s.Where = source.Span{Start: from, End: max(to, from)}
			p.exprs = append(p.exprs, s)
		}
		t := p.texts.new()
		if p.s.interpolating() == endBrace {
			start := p.s.offset(p.s.pos - 2)
			t.Braced = true
			t.X = p.braced()
			if p.failed {
				p.exprs = p.exprs[:mark]
				return nil
			}
			t.Where = source.Span{Start: start, End: p.s.offset(p.s.pos-1) + 1}
		} else {
			v := p.vars.new()
			at := p.s.pos - 1
			p.s.pos = variableEnd(p.s.src, p.s.pos)
			v.Name = p.s.src[at+1 : p.s.pos]
			v.Where = p.s.place(at, p.s.pos).Span
			t.X, t.Where = v, v.Where
		}
		p.exprs = append(p.exprs, t)
		begin := p.s.pos
		var end ending
		text, end = p.s.piece(unquoted, esc)
		from = p.s.offset(begin)
		switch end {
		case endMissing:
			p.failed = true
			p.s.unclosed(min(int(first.start), len(p.s.src)-1), `"`)
			p.lexicalFailure()
			p.exprs = p.exprs[:mark]
			p.tok.kind = tFail
			return nil
		case endQuote:
			to = p.s.offset(p.s.pos)
			if !unquoted {
				to = p.s.offset(p.s.pos - 1)
			}
			if text != "" {
				s := p.strs.new()
				p.number(&s.Lit)
				s.Value, s.Quote = text, Piece
				s.Where = source.Span{Start: from, End: max(to, from)}
				p.exprs = append(p.exprs, s)
			}
			return p.popExprs(mark)
		case endBrace:
			to = p.s.offset(p.s.pos - 2)
		case endVariable:
			to = p.s.offset(p.s.pos - 1)
		}
	}
}

// braced reads the expression of ${…}. A lone word, or a word before a dot or an index, is a variable without its
// dollar.
func (p *parser) braced() Expr {
	open := p.s.offset(p.s.pos - 1)
	p.open = append(p.open, bracket{tBrace, open})
	p.tok.kind = tNothing // the brace has been counted already
	p.advance()
	if p.failed {
		return nil
	}
	switch t := p.tok; {
	case t.kind == tNumber || t.kind == tName || t.kind == tWord || t.kind.keyword():
		if k := p.peek(); k == tRBrace || k == tDot || k == tBracket {
			p.tok.kind = tVariable
			if t.kind == tTrue || t.kind == tFalse {
				p.advance()
				v := &Var{Name: t.text, Word: true}
				v.Where = t.span()
				return p.closeBraced(p.postfix(v))
			}
		}
	}
	return p.closeBraced(p.assignment())
}

func (p *parser) closeBraced(x Expr) Expr {
	if p.failed {
		return nil
	}
	if !p.at(tRBrace) {
		p.unexpected("close the interpolation with }")
		return nil
	}
	p.open = p.open[:len(p.open)-1]
	return asVariable(x)
}

// asVariable turns the name that an interpolated expression begins with into a variable, as Puppet's factory does:
// `"${name}"`, `"${name[0]}"`, `"${name.upcase[1]}"`.
func asVariable(x Expr) Expr {
	switch x := x.(type) {
	case *Name:
		v := &Var{Name: x.Value}
		v.Where = x.Where
		return v
	case *Access:
		if rewriteable(x.Left) {
			x.Left = asVariable(x.Left)
		}
	case *MethodCall:
		if rewriteable(x.Functor.Left) {
			x.Functor.Left = asVariable(x.Functor.Left)
		}
	}
	return x
}

func rewriteable(x Expr) bool {
	switch x.(type) {
	case *Access, *Name, *MethodCall:
		return true
	}
	return false
}

// heredoc reads the text of the heredoc whose tag is the current token, with a scanner of its own.
func (p *parser) heredoc() Expr {
	d := p.s.doc
	tag := p.tok
	h := &Heredoc{Tag: d.tag, Syntax: d.syntax, Flags: d.flags, HasEsc: d.hasFlags, Interp: d.interp, Margin: d.margin,
		Chomp: d.chomp, Lines: d.lines}
	h.Where = tag.span()
	outer := p.s
	p.s = scanner{file: p.file, src: d.text, margins: d.margins, diags: outer.diags, comments: outer.comments,
		tasks: outer.tasks}
	if !d.interp {
		s := &Str{Value: p.s.whole(d.escapes), Quote: Piece}
		p.number(&s.Lit)
		s.Where = p.s.place(0, len(d.text)).Span
		h.X = s
	} else if text, end := p.s.piece(true, d.escapes); end == endMissing {
		p.s.errorAt(len(d.text)-1, len(d.text), codeHeredoc, "Heredoc text ends with a lone backslash", "write two")
		p.lexicalFailure()
		p.tok.kind = tFail
	} else if end == endQuote {
		s := &Str{Value: text, Quote: Piece}
		p.number(&s.Lit)
		s.Where = p.s.place(0, len(d.text)).Span
		h.X = s
	} else {
		n := p.interps.new()
		n.Parts = p.parts(token{start: p.s.offset(0), text: text}, true, d.escapes)
		n.Where = p.s.place(0, len(d.text)).Span
		h.X = n
	}
	comments := p.s.comments
	p.s = outer
	p.s.comments = comments
	if p.failed {
		return h
	}
	p.tok = tag
	p.behindString(tag.end)
	return h
}
