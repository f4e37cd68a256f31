package syntax

import "strings"

// constant is a name with a capital: a constant, or a call such as Integer(x).
func (p *parser) constant() Node {
	t := p.tok
	p.advance()
	if p.tok.is("(") && !p.tok.space {
		return p.arguments(&Call{Name: t.text, NameAt: t.span}, t.span.Start)
	}
	if p.startsWord() || p.tok.is("(arg") { // Integer "1", Array (x)
		return p.command(&Call{Name: t.text, NameAt: t.span}, t.span.Start)
	}
	return &Const{At: At{t.span}, Name: t.text}
}

// identifier is a local variable or a call of self's method.
func (p *parser) identifier() Node {
	t := p.tok
	start := t.span.Start
	p.advance()
	if p.tok.is("(") && !p.tok.space {
		return p.arguments(&Call{Name: t.text, NameAt: t.span}, start)
	}
	if p.scope.has(t.text) && !p.startsWord() {
		return p.local(t.text, t.span, false)
	}
	if n := p.numbered(t); n != nil {
		return n
	}
	c := &Call{Name: t.text, NameAt: t.span}
	if p.startsArgument() {
		return p.command(c, start)
	}
	c.At = At{t.span}
	return c
}

// numbered is _1 or _2 in a block without parameters.
func (p *parser) numbered(t token) Node {
	if len(t.text) != 2 || t.text[0] != '_' || t.text[1] < '1' || t.text[1] > '9' {
		return nil
	}
	s := p.scope
	if s.outer == nil || s.params {
		return nil
	}
	n := int(t.text[1] - '0')
	for s.numbers < n {
		s.numbers++
		s.declare("_" + string(rune('0'+s.numbers)))
	}
	return p.local(t.text, t.span, false)
}

// startsWord reports an argument that cannot be an operator, so that even a variable's name in front of it is a call.
func (p *parser) startsWord() bool {
	switch p.tok.kind {
	case tLiteral, tIdent, tConst, tIVar, tGVar:
		return p.tok.space
	}
	return false
}

// startsArgument reports whether the current token begins an argument of a call without parentheses.
func (p *parser) startsArgument() bool {
	t := p.tok
	switch t.kind {
	case tLiteral:
		return t.space || p.src[t.span.Start] == '"' || p.src[t.span.Start] == '\''
	case tIdent, tConst, tIVar, tGVar, tCVar, tLabel:
		if before := p.src[t.span.Start-1]; before == '?' || before == '!' {
			return true // include?x
		}
		return t.space
	case tKeyword:
		return t.space &&
			t.keywords("nil true false self not defined? super yield case def __FILE__ __LINE__ __method__ begin lambda proc")
	case tOp:
		switch t.text {
		case "u-", "u+", "u*", "u**", "u&", "u[", "u::", "(arg", "->", "!":
			return t.space
		case "~":
			return t.space
		}
	}
	return false
}

// method is .name or &.name with its arguments.
func (p *parser) method(recv Node, start uint32) Node {
	safe := p.tok.text == "&."
	p.advance()
	return p.methodNamed(recv, start, safe)
}

func (p *parser) methodNamed(recv Node, start uint32, safe bool) Node {
	t := p.tok
	c := &Call{Recv: recv, Safe: safe, NameAt: t.span}
	switch {
	case t.is("("): // f.()
		c.Name = "call"
		return p.arguments(c, start)
	case t.kind == tIdent, t.kind == tConst, t.kind == tKeyword:
		c.Name = t.text
	case t.kind == tLabel && p.ternary == 0: // a.b:c in a ternary
		p.unexpected()
	default:
		p.unexpected()
	}
	p.advance()
	if p.tok.is("(") && !p.tok.space {
		return p.arguments(c, start)
	}
	if p.startsArgument() {
		return p.command(c, start)
	}
	c.At = p.since(start)
	return c
}

// arguments reads (args) and a brace block.
func (p *parser) arguments(c *Call, start uint32) Node {
	c.Args, c.Pass = p.callArgs(")")
	c.Parens = true
	c.Shape = shapeOf(c.Args)
	c.At = p.since(start)
	return c
}

// command reads arguments without parentheses, and a do block, which belongs to this call rather than to its last
// argument.
func (p *parser) command(c *Call, start uint32) Node {
	noDo := p.noDo
	p.noDo = true
	c.Args, c.Pass = p.commandArgs()
	p.noDo = noDo
	c.Parens = true
	c.Shape = shapeOf(c.Args)
	c.At = p.since(start)
	if p.tok.keyword("do") && !p.noDo && c.Pass == nil {
		c.Block = p.doBlock()
		c.At = p.since(start)
	}
	return c
}

func shapeOf(args []Node) Shape {
	for _, a := range args {
		switch a := a.(type) {
		case *Splat:
			return Spread
		case *HashLit:
			if !a.Braces {
				return Spread
			}
		}
	}
	return Plain
}

// callArgs reads arguments from an opening bracket, which is the current token, up to its closing one, which it
// consumes.
func (p *parser) callArgs(closing string) (args []Node, pass Node) {
	defer p.deeper()()
	noDo, ternary, stmt := p.noDo, p.ternary, p.stmtPos
	p.noDo, p.ternary, p.stmtPos = false, 0, ^uint32(0)
	p.advance()
	for {
		p.skipNewlines()
		if p.tok.is(closing) {
			break
		}
		if !p.argument(&args, &pass) {
			break
		}
	}
	p.skipNewlines()
	p.noDo, p.ternary, p.stmtPos = noDo, ternary, stmt
	p.expect(closing)
	return args, pass
}

func (p *parser) commandArgs() (args []Node, pass Node) {
	defer p.deeper()()
	stmt := p.stmtPos
	p.stmtPos = ^uint32(0)
	for p.argument(&args, &pass) {
		p.skipNewlines()
	}
	p.stmtPos = stmt
	return args, pass
}

// argument reads one argument and a comma; it returns false when no comma followed.
func (p *parser) argument(args *[]Node, pass *Node) bool {
	start := p.tok.span.Start
	t := p.tok
	switch {
	case t.is("u*") || t.is("*"):
		p.advance()
		v := p.expr()
		*args = append(*args, &Splat{p.since(start), v})
	case t.is("u&") || t.is("&"):
		p.advance()
		if p.tok.is(")") {
			p.unexpected()
		}
		*pass = p.expr()
	case t.kind == tLabel, t.is("u**"), t.is("**"):
		p.addPair(args, p.pair(), start)
	default:
		if key, ok := p.stringLabel(); ok {
			v := p.expr()
			p.addPair(args, Pair{key, v}, start)
			break
		}
		var v Node
		if p.tok.keyword("not") {
			v = p.notExpr()
		} else {
			v = p.expr()
		}
		if p.tok.is("=>") {
			p.advance()
			p.skipNewlines()
			val := p.expr()
			p.addPair(args, Pair{v, val}, start)
			break
		}
		*args = append(*args, v)
	}
	return p.accept(",")
}

// addPair collects key: value arguments in one hash at the end.
func (p *parser) addPair(args *[]Node, pair Pair, start uint32) {
	if n := len(*args); n > 0 {
		if h, ok := (*args)[n-1].(*HashLit); ok && !h.Braces {
			h.Pairs = append(h.Pairs, pair)
			h.Where.End = p.prevEnd
			return
		}
	}
	*args = append(*args, &HashLit{At: p.since(start), Pairs: []Pair{pair}})
}

// doBlock is do |params| … end.
func (p *parser) doBlock() *Block {
	return p.block(func() Node { return p.bodyWithRescue("end") }, func() { p.expectKeyword("end") })
}

func (p *parser) braceBlock() *Block {
	return p.block(func() Node { return p.stmts(func() bool { return p.tok.is("}") }) }, func() { p.expect("}") })
}

func (p *parser) block(body func() Node, end func()) *Block {
	defer p.deeper()()
	b := &Block{}
	start := p.tok.span.Start
	leave := p.enter(b, &b.Jumps)
	p.advance()
	if p.tok.is("|") {
		p.scope.params = true
		p.advance()
		b.Params = p.params("|")
		if !p.tok.is("|") {
			p.unexpected()
		}
		p.advance()
	} else if p.tok.is("||") {
		p.scope.params = true
		p.advance()
	}
	b.Body = asSeq(body())
	b.Slots, b.Numbers = len(p.scope.names), p.scope.numbers
	leave()
	end()
	b.At = p.since(start)
	return b
}

// enter opens the scope of a block and saves the parser's moods.
func (p *parser) enter(b *Block, jumps *Jumps) (leave func()) {
	noDo, ternary, stmt, outer := p.noDo, p.ternary, p.stmtPos, p.jumps
	p.scope = &scope{outer: p.scope, block: b}
	p.noDo, p.ternary, p.jumps = false, 0, jumps
	return func() {
		p.scope = p.scope.outer
		// a return leaves the method around, not just the block
		*outer |= *jumps & HasReturn
		p.noDo, p.ternary, p.stmtPos, p.jumps = noDo, ternary, stmt, outer
	}
}

func asSeq(n Node) *Seq {
	if s, ok := n.(*Seq); ok {
		return s
	}
	return &Seq{At{n.Span()}, []Node{n}}
}

// lambda is ->(params) { … }.
func (p *parser) lambda() Node {
	defer p.deeper()()
	start := p.tok.span.Start
	b := &Block{Lambda: true}
	leave := p.enter(b, &b.Jumps)
	p.advance()
	switch {
	case p.tok.is("(") || p.tok.is("u(") || p.tok.is("(arg"):
		p.scope.params = true
		p.advance()
		b.Params = p.params(")")
		p.expect(")")
	case !p.tok.is("{") && !p.tok.keyword("do"):
		p.scope.params = true
		b.Params = p.params("{")
	}
	var end func()
	switch {
	case p.tok.is("{"):
		p.advance()
		b.Body = p.stmts(func() bool { return p.tok.is("}") })
		end = func() { p.expect("}") }
	case p.tok.keyword("do"):
		p.advance()
		b.Body = asSeq(p.bodyWithRescue("end"))
		end = func() { p.expectKeyword("end") }
	default:
		p.unexpected()
	}
	b.Slots, b.Numbers = len(p.scope.names), p.scope.numbers
	returns := b.Jumps & HasReturn
	b.Jumps &^= HasReturn // a lambda catches its own
	leave()
	b.Jumps |= returns
	end()
	b.At = p.since(start)
	return &Lambda{b.At, b}
}

// params reads parameters up to, not including, the closing mark.
func (p *parser) params(closing string) *Params {
	start := p.tok.span.Start
	ps := &Params{}
	stop := func() bool {
		return p.tok.is(closing) || closing == "\n" && (p.separator() || p.tok.is("=")) || closing == "{" &&
			p.tok.keyword("do")
	}
	for {
		p.skipIf(closing != "\n")
		if stop() || p.tok.is(";") {
			break
		}
		p.param(ps, closing)
		p.skipIf(closing != "\n")
		if !p.accept(",") {
			break
		}
		if stop() {
			ps.Excess = true
		}
	}
	if p.tok.is(";") && closing != "\n" { // block-local variables
		p.advance()
		for p.tok.kind == tIdent {
			p.scope.declare(p.tok.text)
			p.advance()
			if !p.accept(",") {
				break
			}
		}
	}
	ps.At = p.since(start)
	return ps
}

func (p *parser) skipIf(yes bool) {
	if yes {
		p.skipNewlines()
	}
}

func (p *parser) param(ps *Params, closing string) {
	start := p.tok.span.Start
	t := p.tok
	declare := func() *Param {
		q := &Param{Name: p.tok.text, Slot: -1}
		if p.tok.kind == tIdent || p.tok.kind == tConst {
			q.Slot = p.scope.declare(p.tok.text)
			p.state = sEnd
			p.advance()
		} else {
			q.Name = ""
		}
		q.At = p.since(start)
		return q
	}
	switch {
	case t.is("u*") || t.is("*"):
		p.advance()
		ps.Rest = declare()
	case t.is("u**") || t.is("**"):
		p.advance()
		if p.acceptKeyword("nil") {
			return
		}
		ps.KeyRest = declare()
	case t.is("u&") || t.is("&"):
		p.advance()
		ps.Block = declare()
	case t.is("u(") || t.is("(") || t.is("(arg"):
		p.advance()
		sub := p.params(")")
		p.expect(")")
		q := &Param{At: p.since(start), Slot: -1, Sub: sub}
		p.addRequired(ps, q)
	case t.kind == tLabel:
		q := &Param{Name: t.text, Slot: p.scope.declare(t.text)}
		p.advance()
		if !p.tok.is(",") && !p.tok.is(closing) && !p.separator() {
			q.Default = p.paramDefault(closing)
		}
		q.At = p.since(start)
		ps.Key = append(ps.Key, q)
	case t.kind == tIdent && IsIdentStart(t.text[0]) && !strings.ContainsAny(t.text, "?!"):
		q := declare()
		if p.tok.is("=") {
			p.advance()
			q.Default = p.paramDefault(closing)
			q.At = p.since(start)
			ps.Opt = append(ps.Opt, q)
			return
		}
		p.addRequired(ps, q)
	default:
		p.unexpected()
	}
}

// paramDefault reads a default; between bars, a bar ends it.
func (p *parser) paramDefault(closing string) Node {
	if closing == "|" {
		return p.binary(8)
	}
	return p.expr()
}

func (p *parser) addRequired(ps *Params, q *Param) {
	if len(ps.Opt) > 0 || ps.Rest != nil {
		ps.Post = append(ps.Post, q)
	} else {
		ps.Pre = append(ps.Pre, q)
	}
}
