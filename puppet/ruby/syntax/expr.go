package syntax

import (
	"math/big"
	"strconv"
	"strings"
)

// expr is an expression without and, or and not: the operators, the conditional, and everything tighter. Assignment is
// read where its left side ends (see postfix), since it may stand to the right of any operator.
func (p *parser) expr() Node {
	defer p.deeper()()
	start := p.tok.span.Start
	n := p.binary(1)
	if p.tok.is("?") {
		p.ternary++
		p.advance()
		p.skipNewlines()
		then := p.expr()
		p.skipNewlines()
		p.ternary--
		if p.tok.kind == tLabel { // a ? b c: d is not worth understanding
			p.unexpected()
		}
		p.expect(":")
		p.skipNewlines()
		alt := p.expr()
		return &If{p.since(start), n, then, alt}
	}
	return n
}

// precedence of binary operators; 0 for none.
func precedence(t token) int {
	if t.kind != tOp {
		return 0
	}
	switch t.text {
	case "..", "...":
		return 1
	case "||":
		return 2
	case "&&":
		return 3
	case "<=>", "==", "===", "!=", "=~", "!~":
		return 5
	case "<", "<=", ">", ">=":
		return 6
	case "|", "^":
		return 7
	case "&":
		return 8
	case "<<", ">>":
		return 9
	case "+", "-":
		return 10
	case "*", "/", "%":
		return 11
	case "**":
		return 13
	}
	return 0
}

func (p *parser) binary(least int) Node {
	if p.powers++; p.powers > 4*MaxNesting { // operators nest without brackets: 1 ** 1 ** …
		p.fail("R0007", p.tok.span, "nested too deeply")
	}
	defer func() { p.powers-- }()
	start := p.tok.span.Start
	var n Node
	if p.tok.is("..") || p.tok.is("...") { // ..hi
		excl := p.tok.text == "..."
		p.advance()
		hi := p.binary(2)
		return &RangeLit{p.since(start), nil, hi, excl}
	}
	n = p.unary()
	for {
		prec := precedence(p.tok)
		if prec == 0 || prec < least {
			return n
		}
		op := p.tok
		p.advance()
		if prec == 1 {
			if p.endsValue() { // lo..
				n = &RangeLit{p.since(start), n, nil, op.text == "..."}
				continue
			}
			hi := p.binary(2)
			n = &RangeLit{p.since(start), n, hi, op.text == "..."}
			continue
		}
		p.skipNewlines()
		next := prec + 1
		if op.text == "**" {
			next = prec
		}
		right := p.binary(next)
		at := p.since(start)
		switch op.text {
		case "&&":
			n = &And{at, n, right}
		case "||":
			n = &Or{at, n, right}
		case "!=":
			n = &Not{at, &Call{At: at, Recv: n, Name: "==", NameAt: op.span, Args: []Node{right}}}
		case "!~":
			n = &Not{at, &Call{At: at, Recv: n, Name: "=~", NameAt: op.span, Args: []Node{right}}}
		default:
			n = &Call{At: at, Recv: n, Name: op.text, NameAt: op.span, Args: []Node{right}}
		}
	}
}

// endsValue reports a token that cannot begin a value, behind an endless range.
func (p *parser) endsValue() bool {
	switch p.tok.kind {
	case tEOF, tNewline:
		return true
	case tOp:
		return strings.Contains(") ] } , ; => |", p.tok.text)
	case tKeyword:
		return p.tok.keywords("then do end and or if unless while until")
	}
	return false
}

func (p *parser) unary() Node {
	start := p.tok.span.Start
	t := p.tok
	if t.kind == tOp {
		switch t.text {
		case "!":
			defer p.deeper()()
			p.advance()
			n := p.unary()
			return &Not{p.since(start), n}
		case "u-":
			defer p.deeper()()
			p.advance()
			if p.tok.kind == tLiteral && !p.tok.space {
				if n := negated(p.tok.node); n != nil {
					// -2 ** 2 is -(2 ** 2), -2.abs is (-2).abs
					at := p.tok
					p.advance()
					if p.tok.is("**") {
						p.advance()
						right := p.binary(13)
						pow := &Call{At: p.since(at.span.Start), Recv: at.node, Name: "**", NameAt: at.span, Args: []Node{right}}
						return &Call{At: p.since(start), Recv: pow, Name: "-@", NameAt: t.span}
					}
					n = respan(n, p.since(start))
					return p.postfix(n, start)
				}
			}
			v := p.binary(12)
			return &Call{At: p.since(start), Recv: v, Name: "-@", NameAt: t.span}
		case "u+", "~":
			defer p.deeper()()
			p.advance()
			v := p.unary()
			name := "+@"
			if t.text == "~" {
				name = "~"
			}
			return &Call{At: p.since(start), Recv: v, Name: name, NameAt: t.span}
		case "u&", "&":
			p.unexpected()
		}
	}
	if t.keyword("defined?") {
		p.advance()
		if p.tok.is("(") || p.tok.is("u(") || p.tok.is("(arg") {
			p.advance()
			v := p.exprStmt()
			p.expect(")")
			return p.postfix(&Defined{p.since(start), v}, start)
		}
		v := p.unary()
		return &Defined{p.since(start), v}
	}
	return p.primary()
}

func negated(n Node) Node {
	switch n := n.(type) {
	case *IntLit:
		if n.Big != nil {
			return intLit(new(big.Int).Neg(n.Big), n.Where)
		}
		return &IntLit{At: n.At, Value: -n.Value}
	case *FloatLit:
		return &FloatLit{n.At, -n.Value}
	}
	return nil
}

func respan(n Node, at At) Node {
	switch n := n.(type) {
	case *IntLit:
		n.At = at
	case *FloatLit:
		n.At = at
	}
	return n
}

// primary is an operand with everything that hangs on it.
func (p *parser) primary() Node {
	start := p.tok.span.Start
	return p.postfix(p.operand(), start)
}

// postfix reads calls, indexes and assignments behind an operand.
func (p *parser) postfix(n Node, start uint32) Node {
	for {
		t := p.tok
		if t.kind != tOp {
			if t.keyword("do") && !p.noDo {
				if c, ok := n.(*Call); ok && c.Block == nil && c.Pass == nil && callable(c) {
					c.Block = p.doBlock()
					c.At = p.since(start)
					continue
				}
				if s, ok := n.(*Super); ok && s.Block == nil {
					s.Block = p.doBlock()
					continue
				}
			}
			return n
		}
		switch t.text {
		case ".", "&.":
			n = p.method(n, start)
		case "::":
			p.advance()
			if p.tok.kind == tConst {
				name := p.tok
				p.advance()
				if p.tok.is("(") {
					n = p.arguments(&Call{Recv: n, Name: name.text, NameAt: name.span}, start)
				} else {
					n = &Const{At: p.since(start), Scope: n, Name: name.text}
				}
				continue
			}
			n = p.methodNamed(n, start, false)
		case "[":
			if t.space {
				if _, plain := n.(*LVar); !plain {
					// x.y [1] would be an argument; after other values a blank is allowed
					if c, ok := n.(*Call); ok && !c.Parens && c.Name != "[]" {
						return n
					}
				}
			}
			c := &Call{Recv: n, Name: "[]", NameAt: t.span}
			c.Args, c.Pass = p.callArgs("]")
			c.At = p.since(start)
			c.Shape = shapeOf(c.Args)
			n = c
		case "{":
			c, ok := n.(*Call)
			if ok && c.Block == nil && c.Pass == nil && callable(c) {
				c.Block = p.braceBlock()
				c.At = p.since(start)
				continue
			}
			if s, ok := n.(*Super); ok && s.Block == nil {
				s.Block = p.braceBlock()
				continue
			}
			return n
		case "=":
			if !assignable(n) || p.noAssign {
				return n
			}
			list := n.Span().Start == p.stmtPos
			target := p.target(n)
			p.advance()
			p.skipNewlines()
			v := p.assigned(list)
			return &Assign{p.since(start), target, v}
		default:
			op, is := strings.CutSuffix(t.text, "=")
			if !is || !HasWord("+ - * / % ** & | ^ << >> && ||", op) || !assignable(n) {
				return n
			}
			target := p.target(n)
			p.advance()
			p.skipNewlines()
			v := p.assigned(false)
			return &OpAssign{p.since(start), target, op, v}
		}
	}
}

func callable(c *Call) bool {
	return c.Name != "[]" && (IsIdentStart(c.Name[0]) || c.Recv == nil || c.Parens)
}

// operand is a literal, a name, a group or a compound statement.
func (p *parser) operand() Node {
	t := p.tok
	start := t.span.Start
	switch t.kind {
	case tLiteral:
		p.advance()
		return p.adjacent(t.node, start)
	case tIVar, tGVar, tCVar:
		p.advance()
		return variableNode(t)
	case tConst:
		return p.constant()
	case tIdent:
		return p.identifier()
	case tKeyword:
		return p.keywordOperand()
	case tOp:
		switch t.text {
		case "u[", "[":
			elems, pass := p.callArgs("]")
			if pass != nil {
				p.unexpected()
			}
			for i, e := range elems {
				if h, ok := e.(*HashLit); ok && !h.Braces {
					h.Braces = true
					elems[i] = h
				}
			}
			return &ArrayLit{p.since(start), elems}
		case "{":
			return p.hash()
		case "u(", "(", "(arg":
			return p.group()
		case "->":
			return p.lambda()
		case "u::", "::":
			p.advance()
			if p.tok.kind != tConst {
				p.unexpected()
			}
			name := p.tok.text
			p.advance()
			return &Const{At: p.since(start), Top: true, Name: name}
		case "..", "...":
			return p.binary(1)
		case "u*":
			p.unexpected()
		}
	}
	p.unexpected()
	return nil
}

// adjacent joins "a" "b" as Ruby does.
func (p *parser) adjacent(n Node, start uint32) Node {
	for p.tok.kind == tLiteral {
		left, ok := textParts(n)
		right, also := textParts(p.tok.node)
		if !ok || !also {
			return n
		}
		p.advance()
		n = joinParts(mergeTexts(append(left, right...)), p.since(start).Where)
	}
	return n
}

func textParts(n Node) ([]Node, bool) {
	switch n := n.(type) {
	case *StrLit:
		return []Node{n}, true
	case *DStr:
		return n.Parts, true
	}
	return nil, false
}

func mergeTexts(parts []Node) []Node {
	var out []Node
	for _, n := range parts {
		if s, ok := n.(*StrLit); ok && len(out) > 0 {
			if last, ok := out[len(out)-1].(*StrLit); ok {
				out[len(out)-1] = &StrLit{At: At{last.Where.Join(s.Where)}, Value: last.Value + s.Value}
				continue
			}
		}
		out = append(out, n)
	}
	return out
}

// group is (stmts).
func (p *parser) group() Node {
	defer p.deeper()()
	start := p.tok.span.Start
	noDo, ternary, stmt := p.noDo, p.ternary, p.stmtPos
	p.noDo, p.ternary = false, 0
	p.advance()
	seq := p.stmts(func() bool { return p.tok.is(")") })
	p.noDo, p.ternary, p.stmtPos = noDo, ternary, stmt
	p.expect(")")
	if len(seq.Stmts) == 1 {
		if _, is := seq.Stmts[0].(*Call); !is {
			if _, v := seq.Stmts[0].(*LVar); !v {
				return seq.Stmts[0]
			}
		}
	}
	seq.At = p.since(start)
	return seq
}

// hash is {…}.
func (p *parser) hash() Node {
	defer p.deeper()()
	start := p.tok.span.Start
	noDo, ternary := p.noDo, p.ternary
	p.noDo, p.ternary = false, 0
	p.advance()
	h := &HashLit{Braces: true}
	for {
		p.skipNewlines()
		if p.tok.is("}") {
			break
		}
		h.Pairs = append(h.Pairs, p.pair())
		p.skipNewlines()
		if !p.accept(",") {
			break
		}
	}
	p.skipNewlines()
	p.noDo, p.ternary = noDo, ternary
	p.expect("}")
	h.At = p.since(start)
	h.Pairs = lastOfEach(h.Pairs)
	return h
}

// lastOfEach drops an entry whose literal key comes again, as Ruby's compiler does: the key stands where it is written
// last.
func lastOfEach(pairs []Pair) []Pair {
	last := map[string]int{}
	again := false
	for i, p := range pairs {
		if k := literalKey(p.Key); k != "" {
			_, dup := last[k]
			again = again || dup
			last[k] = i
		}
	}
	if !again {
		return pairs
	}
	var out []Pair
	for i, p := range pairs {
		if k := literalKey(p.Key); k == "" || last[k] == i {
			out = append(out, p)
		}
	}
	return out
}

func literalKey(n Node) string {
	switch n := n.(type) {
	case *StrLit:
		return "s" + n.Value
	case *SymLit:
		return "y" + n.Name
	case *IntLit:
		if n.Big == nil {
			return "i" + strconv.FormatInt(n.Value, 10)
		}
	}
	return ""
}

// pair is key => value, key: value, "key": value or **value.
func (p *parser) pair() Pair {
	start := p.tok.span.Start
	if p.accept("u**") || p.accept("**") {
		return Pair{nil, p.expr()}
	}
	if p.tok.kind == tLabel {
		return p.labelled()
	}
	if key, ok := p.stringLabel(); ok {
		v := p.expr()
		return Pair{key, v}
	}
	key := p.expr()
	p.skipNewlines()
	if !p.tok.is("=>") {
		p.fail("R0001", p.since(start).Where, "syntax error, expected => behind a hash's key")
	}
	p.advance()
	p.skipNewlines()
	v := p.expr()
	return Pair{key, v}
}

func (p *parser) labelled() Pair {
	t := p.tok
	p.advance()
	name := t.text
	at := At{t.span}
	at.Where.End--
	if p.tok.is(",") || p.tok.is("}") || p.tok.is(")") { // {a:} is {a: a}
		var v Node
		if p.scope.has(name) {
			v = p.local(name, at.Where, false)
		} else {
			v = &Call{At: at, Name: name, NameAt: at.Where}
		}
		return Pair{&SymLit{at, name}, v}
	}
	p.skipNewlines()
	return Pair{&SymLit{at, name}, p.expr()}
}

// stringLabel recognises "key": in front of a value, and leaves the value as the current token.
func (p *parser) stringLabel() (Node, bool) {
	t := p.tok
	if t.kind != tLiteral || p.ternary > 0 {
		return nil, false
	}
	if q := p.src[t.span.Start]; q != '"' && q != '\'' {
		return nil, false
	}
	if p.pos >= p.end || p.src[p.pos] != ':' || p.pos != int(t.span.End) || p.peekByte(1) == ':' {
		return nil, false
	}
	p.pos++
	p.state = sBeg
	p.advance()
	p.skipNewlines()
	switch n := t.node.(type) {
	case *StrLit:
		return &SymLit{n.At, n.Value}, true
	case *DStr:
		return &DSym{n.At, n.Parts}, true
	}
	return nil, false
}
