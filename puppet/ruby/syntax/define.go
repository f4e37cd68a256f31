package syntax

// keywordOperand is an operand that begins with a keyword.
func (p *parser) keywordOperand() Node {
	defer p.deeper()()
	t := p.tok
	start := t.span.Start
	switch t.text {
	case "nil":
		p.advance()
		return &NilLit{At{t.span}}
	case "true", "false":
		p.advance()
		return &BoolLit{At{t.span}, t.text == "true"}
	case "self":
		p.advance()
		return &SelfLit{At{t.span}}
	case "__FILE__":
		p.advance()
		return &StrLit{At: At{t.span}, Value: p.file.Name}
	case "__LINE__":
		p.advance()
		return &IntLit{At: At{t.span}, Value: int64(p.file.LineOf(t.span.Start))}
	case "__method__":
		p.advance()
		return &Call{At: At{t.span}, Name: "__method__", NameAt: t.span, Parens: true}
	case "if", "unless":
		p.advance()
		return p.ifRest(start, t.text == "unless")
	case "while", "until":
		return p.whileLoop()
	case "for":
		return p.forLoop()
	case "case":
		return p.caseExpr()
	case "begin":
		p.advance()
		noDo, ternary := p.noDo, p.ternary
		p.noDo, p.ternary = false, 0
		n := p.bodyWithRescue("end")
		p.noDo, p.ternary = noDo, ternary
		p.expectKeyword("end")
		if b, ok := n.(*Begin); ok {
			b.At = p.since(start)
			return b
		}
		return &Begin{At: p.since(start), Body: n}
	case "def":
		return p.def()
	case "class", "module":
		return p.class()
	case "alias":
		return p.alias()
	case "undef":
		p.advance()
		u := &Undef{}
		for {
			u.Names = append(u.Names, p.methodName())
			if !p.tok.is(",") {
				break
			}
			p.state = sFname
			p.advance()
		}
		u.At = p.since(start)
		return u
	case "return", "next", "break", "redo", "retry":
		return p.jump()
	case "yield":
		p.advance()
		y := &Yield{}
		switch {
		case p.tok.is("(") && !p.tok.space:
			y.Args, _ = p.callArgs(")")
		case p.startsArgument():
			y.Args, _ = p.commandArgs()
		}
		y.At = p.since(start)
		return y
	case "super":
		p.advance()
		s := &Super{}
		switch {
		case p.tok.is("(") && !p.tok.space:
			s.Args, s.Pass = p.callArgs(")")
		case p.startsArgument():
			s.Args, s.Pass = p.commandArgs()
		default:
			s.Bare = true
		}
		s.At = p.since(start)
		return s
	case "not":
		p.advance()
		v := p.expr()
		return &Not{p.since(start), v}
	case "defined?":
		return p.unary()
	}
	p.unexpected()
	return nil
}

// condition reads that of if, unless, case, while, until, or what for goes through. Of loops a do begins the body; of
// the others it is a block's.
func (p *parser) condition(loop bool) Node {
	noDo := p.noDo
	p.noDo = loop
	stmt := p.stmtPos
	p.stmtPos = ^uint32(0)
	n := p.exprStmt()
	p.noDo, p.stmtPos = noDo, stmt
	return n
}

func (p *parser) then() {
	if p.tok.is("{") { // as other languages have it
		p.unexpected()
	}
	p.skipSeparators()
	p.acceptKeyword("then")
}

// ifRest reads the rest of if, unless and elsif.
func (p *parser) ifRest(start uint32, unless bool) Node {
	n := &If{Cond: p.condition(false)}
	p.then()
	var then, alt Node
	then = p.body("elsif else end")
	switch {
	case p.tok.keyword("elsif"):
		at := p.tok.span.Start
		p.advance()
		leave := p.deeper()
		alt = p.ifRest(at, false)
		leave()
		n.Then, n.Else = then, alt
		if unless {
			n.Then, n.Else = alt, then
		}
		n.At = p.since(start)
		return n
	case p.acceptKeyword("else"):
		alt = p.body("end")
	}
	p.expectKeyword("end")
	n.Then, n.Else = then, alt
	if unless {
		n.Then, n.Else = alt, then
	}
	n.At = p.since(start)
	return n
}

func (p *parser) whileLoop() Node {
	start := p.tok.span.Start
	w := &While{Until: p.tok.text == "until"}
	outer := p.jumps
	inner := Jumps(0)
	p.advance()
	w.Cond = p.condition(true)
	p.skipSeparators()
	p.acceptKeyword("do")
	p.jumps = &inner
	w.Body = p.body("end")
	p.jumps = outer
	*outer |= inner & HasReturn
	w.Jumps = inner
	p.expectKeyword("end")
	w.At = p.since(start)
	return w
}

func (p *parser) forLoop() Node {
	start := p.tok.span.Start
	f := &For{}
	p.advance()
	at := p.tok.span.Start
	list := &Targets{}
	for {
		list.List = append(list.List, p.targetItem())
		if !p.accept(",") {
			break
		}
	}
	list.At = p.since(at)
	f.Target = list.List[0]
	if len(list.List) > 1 {
		f.Target = list
	}
	p.expectKeyword("in")
	f.Value = p.condition(true)
	p.skipSeparators()
	p.acceptKeyword("do")
	outer := p.jumps
	p.jumps = &f.Jumps
	f.Body = p.body("end")
	p.jumps = outer
	*outer |= f.Jumps & HasReturn
	p.expectKeyword("end")
	f.At = p.since(start)
	return f
}

func (p *parser) caseExpr() Node {
	start := p.tok.span.Start
	c := &Case{}
	p.advance()
	if !p.separator() && !p.tok.keyword("when") {
		c.Subject = p.condition(false)
	}
	p.skipSeparators()
	if p.tok.keyword("in") {
		p.fail("R0009", p.tok.span, "pattern matching (case … in) is not supported")
	}
	for p.tok.keyword("when") {
		w := When{}
		at := p.tok.span.Start
		p.advance()
		noDo := p.noDo
		p.noDo = false
		for {
			p.skipNewlines()
			from := p.tok.span.Start
			if p.accept("u*") || p.accept("*") {
				v := p.expr()
				w.Tests = append(w.Tests, &Splat{p.since(from), v})
			} else {
				w.Tests = append(w.Tests, p.expr())
			}
			if !p.accept(",") {
				break
			}
		}
		p.noDo = noDo
		p.then()
		w.Body = p.body("when else end")
		w.At = p.since(at)
		c.Whens = append(c.Whens, w)
	}
	if p.acceptKeyword("else") {
		c.Else = p.body("end")
	}
	p.expectKeyword("end")
	c.At = p.since(start)
	return c
}

// bodyWithRescue is a body that may have rescue, else and ensure parts. The end is left.
func (p *parser) bodyWithRescue(end string) Node {
	start := p.tok.span.Start
	body := p.body("rescue else ensure " + end)
	if !p.tok.keywords("rescue else ensure") {
		return body
	}
	b := &Begin{Body: body}
	for p.tok.keyword("rescue") {
		r := Rescue{}
		at := p.tok.span.Start
		p.advance()
		for !p.separator() && !p.tok.is("=>") && !p.tok.keyword("then") {
			from := p.tok.span.Start
			if p.accept("u*") || p.accept("*") {
				v := p.expr()
				r.Classes = append(r.Classes, &Splat{p.since(from), v})
			} else {
				r.Classes = append(r.Classes, p.expr())
			}
			if !p.accept(",") {
				break
			}
			p.skipNewlines()
		}
		if p.accept("=>") {
			r.Target = p.target(p.operandForTarget())
		}
		p.then()
		r.Body = p.body("rescue else ensure " + end)
		r.At = p.since(at)
		b.Rescues = append(b.Rescues, r)
	}
	if p.acceptKeyword("else") {
		b.Else = p.body("ensure " + end)
	}
	if p.acceptKeyword("ensure") {
		b.Ensure = p.body(end)
	}
	b.At = p.since(start)
	return b
}

// operandForTarget reads a bare name without taking what follows as its argument.
func (p *parser) operandForTarget() Node {
	if p.tok.kind == tIdent {
		t := p.tok
		p.state = sEnd
		p.advance()
		return &Call{At: At{t.span}, Name: t.text, NameAt: t.span}
	}
	return p.primary()
}

func (p *parser) jump() Node {
	t := p.tok
	j := &Jump{Kind: t.text}
	switch t.text {
	case "next":
		*p.jumps |= HasNext
	case "break":
		*p.jumps |= HasBreak
	case "return":
		*p.jumps |= HasReturn
	case "redo", "retry":
		*p.jumps |= HasRedo
	}
	p.advance()
	if (t.text == "next" || t.text == "break" || t.text == "return") && !p.separator() && p.tok.kind != tEOF &&
		!p.tok.keywords("if unless while until end rescue and or") && !p.tok.is("}") && !p.tok.is(")") && !p.tok.is(":") {
		from := p.tok.span.Start
		args, _ := p.commandArgs()
		if len(args) == 1 {
			j.Value = args[0]
			switch v := j.Value.(type) {
			case *Splat:
				j.Value = &ArrayLit{v.At, args}
			case *HashLit:
				v.Braces = true
			}
		} else {
			j.Value = &ArrayLit{p.since(from), args}
		}
	}
	j.At = p.since(t.span.Start)
	return j
}

// methodName reads a name behind def, alias or undef.
func (p *parser) methodName() string {
	t := p.tok
	switch {
	case t.kind == tIdent, t.kind == tConst, t.kind == tKeyword, t.kind == tGVar:
		p.advance()
		return t.text
	case t.kind == tLiteral:
		if s, ok := t.node.(*SymLit); ok {
			p.advance()
			return s.Name
		}
	}
	p.unexpected()
	return ""
}

func (p *parser) alias() Node {
	start := p.tok.span.Start
	a := &Alias{}
	p.advance()
	t := p.tok
	if t.kind == tIdent || t.kind == tConst || t.kind == tLiteral || t.kind == tKeyword {
		p.state = sFname
	}
	a.New = p.methodName()
	a.Old = p.methodName()
	a.At = p.since(start)
	return a
}

// def is def name(params) body end, or def name(params) = value.
func (p *parser) def() Node {
	start := p.tok.span.Start
	d := &Def{}
	p.advance()
	t := p.tok
	d.Name, d.NameAt = t.text, t.span
	switch {
	case t.keyword("self"), t.kind == tConst && (p.peekByte(0) == '.' || p.peekByte(0) == ':' && p.peekByte(1) == ':'):
		p.advance()
		d.Singleton = Node(&SelfLit{At{t.span}})
		if t.kind == tConst {
			d.Singleton = &Const{At: At{t.span}, Name: t.text}
		}
		p.state = sFname
		if !p.accept("::") && !p.accept("u::") {
			p.expect(".")
		}
		// the name was scanned in the right state because advance kept sFname only when asked: scan again
		p.pos = int(p.tok.span.Start)
		p.state = sFname
		p.advance()
		d.Name, d.NameAt = p.tok.text, p.tok.span
		p.defName()
	case t.kind == tIdent || t.kind == tConst || t.kind == tKeyword:
		p.defName()
	default:
		p.unexpected()
	}
	outerScope, noDo, ternary, stmt, jumps := p.scope, p.noDo, p.ternary, p.stmtPos, p.jumps
	p.scope = &scope{}
	p.noDo, p.ternary, p.jumps = false, 0, &d.Jumps
	switch {
	case p.tok.is("(") || p.tok.is("u(") || p.tok.is("(arg"):
		p.advance()
		d.Params = p.params(")")
		p.expect(")")
	case !p.separator() && !p.tok.is("="):
		d.Params = p.params("\n")
	}
	endless := false
	if p.tok.is("=") {
		endless = true
		p.advance()
		p.skipNewlines()
		d.Body = p.stmt()
	} else {
		d.Body = p.bodyWithRescue("end")
	}
	d.Slots = len(p.scope.names)
	p.scope, p.noDo, p.ternary, p.stmtPos, p.jumps = outerScope, noDo, ternary, stmt, jumps
	if !endless {
		p.expectKeyword("end")
	}
	d.At = p.since(start)
	return d
}

// defName steps over the name of a method; behind it parameters may begin with any mark.
func (p *parser) defName() {
	p.state = sBeg
	// a line end must stay visible: only marks of parameters are read as at the beginning of a value
	if c := p.peekByte(0); c == '\n' || c == '\r' || c == ';' || c == '#' || c == '(' || c == ' ' && p.lineEndsHere() {
		p.state = sEnd
	}
	p.advance()
}

func (p *parser) lineEndsHere() bool {
	for i := p.pos; i < p.end; i++ {
		switch p.src[i] {
		case ' ', '\t', '\r':
		case '\n', '#', ';', '=':
			return true
		default:
			return false
		}
	}
	return true
}

// class is class A < B … end, module A … end or class << self … end.
func (p *parser) class() Node {
	start := p.tok.span.Start
	isModule := p.tok.text == "module"
	p.advance()
	if !isModule && p.tok.is("<<") {
		p.advance()
		v := p.expr()
		body, slots := p.classBody()
		return &SClass{p.since(start), v, body, slots}
	}
	c := &ClassDef{IsModule: isModule}
	n := p.primary()
	path, ok := n.(*Const)
	if !ok {
		p.fail("R0001", n.Span(), "class/module name must be CONSTANT")
	}
	c.Path = path
	if !isModule && p.accept("<") {
		c.Super = p.expr()
	}
	c.Body, c.Slots = p.classBody()
	c.At = p.since(start)
	return c
}

func (p *parser) classBody() (*Seq, int) {
	outerScope, noDo, ternary, stmt, jumps := p.scope, p.noDo, p.ternary, p.stmtPos, p.jumps
	var own Jumps
	p.scope = &scope{}
	p.noDo, p.ternary, p.jumps = false, 0, &own
	body := asSeq(p.bodyWithRescue("end"))
	slots := len(p.scope.names)
	p.scope, p.noDo, p.ternary, p.stmtPos, p.jumps = outerScope, noDo, ternary, stmt, jumps
	p.expectKeyword("end")
	return body, slots
}
