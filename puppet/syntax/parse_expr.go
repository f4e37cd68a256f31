package syntax

import (
	"math"
	"strconv"
	"strings"

	"bunraku/source"
)

// assignment = relationship [ ( "=" | "+=" | "-=" ) assignment ]        right associative
func (p *parser) assignment() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	left := p.relationship()
	var op Op
	switch p.tok.kind {
	case tSet:
		op = OpSet
	case tAppend:
		op = OpAppend
	case tDelete:
		op = OpDelete
	default:
		return left
	}
	at := p.tok.start
	p.advance()
	right := p.assignment()
	if p.failed {
		return left
	}
	p.beyond = true
	a := &Assign{Op: op, OpAt: at, Left: left, Right: right}
	a.Where = left.Span().Join(right.Span())
	return a
}

// relationship = resource { ( "->" | "~>" | "<-" | "<~" ) resource }
func (p *parser) relationship() Expr {
	left := p.resource()
	chain := 0
	beyond := p.beyond
	for {
		var op Op
		switch p.tok.kind {
		case tBefore:
			op = OpBefore
		case tNotify:
			op = OpNotify
		case tAfter:
			op = OpAfter
		case tSubscr:
			op = OpSubscribed
		default:
			p.beyond = beyond
			return left
		}
		if chain++; chain > maxOperatorChain {
			p.tooLong()
			return left
		}
		at := p.tok.start
		p.advance()
		right := p.resource()
		if p.failed {
			return left
		}
		beyond = true
		r := &Relation{Op: op, OpAt: at, Left: left, Right: right}
		r.Where = left.Span().Join(right.Span())
		left = r
	}
}

func (p *parser) tooLong() {
	p.fail(codeTooDeep, p.tok.span(), "The chain of operators has more than "+strconv.Itoa(maxOperatorChain)+" links", "")
}

// Binding powers of the infix operators, weakest first, as Puppet's precedence table has them. `=`, arrows and `{` are
// weaker and belong to the rules above; `[`, `.`, `(` and collectors are stronger than every prefix operator and belong
// to postfix.
const (
	bindNone int8 = iota
	bindOr
	bindAnd
	bindSelect
	bindCompare
	bindEqual
	bindShift
	bindAdd
	bindMultiply
	bindMatch
	bindIn
)

var infix = [tNothing + 1]struct {
	power int8
	op    Op
}{
	tOr: {bindOr, OpOr}, tAnd: {bindAnd, OpAnd}, tQuestion: {bindSelect, OpNone},
	tLt: {bindCompare, OpLt}, tLe: {bindCompare, OpLe}, tGt: {bindCompare, OpGt}, tGe: {bindCompare, OpGe},
	tEq: {bindEqual, OpEq}, tNe: {bindEqual, OpNe}, tShl: {bindShift, OpShl}, tShr: {bindShift, OpShr},
	tPlus: {bindAdd, OpAdd}, tMinus: {bindAdd, OpSub}, tTimes: {bindMultiply, OpMul}, tDiv: {bindMultiply, OpDiv},
	tMod:   {bindMultiply, OpMod},
	tMatch: {bindMatch, OpMatch}, tNoMatch: {bindMatch, OpNoMatch}, tIn: {bindIn, OpIn},
}

// expression = prefix { infix-operator prefix }, by precedence
func (p *parser) expression() Expr {
	if !p.enter() {
		return nil
	}
	e := p.climb(bindNone)
	p.leave()
	return e
}

func (p *parser) climb(above int8) Expr { return p.climbFrom(p.prefix(), above) }

// climbFrom goes on with an expression whose first operand has been read.
func (p *parser) climbFrom(left Expr, above int8) Expr {
	chain := 0
	for {
		in := infix[p.tok.kind]
		if in.power <= above {
			return left
		}
		if chain++; chain > maxOperatorChain {
			p.tooLong()
			return left
		}
		if in.power == bindSelect {
			left = p.postfix(p.selector(left))
			if p.failed {
				return left
			}
			continue
		}
		at := p.tok.start
		p.advance()
		if !p.enter() {
			return left
		}
		right := p.climb(in.power)
		p.leave()
		if p.failed {
			return left
		}
		b := p.binaries.new()
		b.Op, b.OpAt, b.Left, b.Right = in.op, at, left, right
		b.Where = left.Span().Join(right.Span())
		left = b
	}
}

// prefix = ( "!" | "-" | "*" ) prefix | postfix
//
// All three bind more strongly than any infix operator: `! $a in $b` is `(! $a) in $b`.
func (p *parser) prefix() Expr {
	var op Op
	switch p.tok.kind {
	case tNot:
		op = OpNot
	case tMinus:
		op = OpMinus
	case tTimes:
		op = OpSplat
	default:
		return p.postfix(p.primary())
	}
	start := p.tok.start
	p.advance()
	if !p.enter() {
		return nil
	}
	x := p.prefix()
	p.leave()
	if p.failed {
		return nil
	}
	u := &Unary{Op: op, X: x}
	u.Where = p.from(start)
	return u
}

// postfix = primary { "[" keys "]" | "." name [ args ] [ lambda ] | "(" args ")" [ lambda ] | query [ "{" attributes
// "}" ] }
func (p *parser) postfix(e Expr) Expr {
	for chain := 0; ; {
		if p.failed {
			return e
		}
		switch p.tok.kind {
		case tBracket:
			e = p.access(e)
		case tDot:
			e = p.method(e)
		case tParen:
			e = p.call(e, e.Span().Start)
		case tLCollect, tLLCollect:
			e = p.collect(e)
		default:
			return e
		}
		if chain++; chain > maxOperatorChain {
			p.tooLong()
			return e
		}
	}
}

// access = expression "[" key { "," key } [ "," ] "]"      key = expression | hash-pair
func (p *parser) access(left Expr) Expr {
	p.advance()
	a := p.accesses.new()
	a.Left = left
	a.Keys = p.accessArgs()
	p.accept(tComma)
	p.expect(tRBracket)
	a.Where = p.from(left.Span().Start)
	return a
}

func (p *parser) accessArgs() []Expr {
	mark := len(p.exprs)
	for {
		p.argument(mark, true)
		if p.failed || !p.at(tComma) || p.peek() == tRBracket {
			break
		}
		p.advance()
	}
	return p.popExprs(mark)
}

func (p *parser) popExprs(mark int) []Expr {
	list := p.exprLists.copyOf(p.exprs[mark:])
	clear(p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	return list
}

// argument reads one argument, list element or access key onto the scratch stack: an assignment, or `key => value`,
// where neighbouring pairs become one hash. An access key that is no pair must be a plain expression.
func (p *parser) argument(mark int, plain bool) {
	start := p.tok.start
	key := p.entryWord()
	if key == nil {
		p.beyond = false
		key = p.assignment()
		if p.failed {
			return
		}
		if plain && p.beyond && !p.at(tArrow) {
			p.unexpected("an assignment, a resource or a relationship cannot be a key")
			return
		}
	}
	if !p.at(tArrow) {
		if s, ok := key.(*Str); ok && plain && s.Quote == Key {
			p.unexpected("")
			return
		}
		p.exprs = append(p.exprs, key)
		return
	}
	entry := p.entryFrom(key, start)
	if p.failed {
		return
	}
	if n := len(p.exprs); n > mark {
		if h, ok := p.exprs[n-1].(*Hash); ok && h.Unfolded {
			h.Entries = append(h.Entries, entry)
			h.Where = h.Where.Join(entry.Where)
			return
		}
	}
	h := &Hash{Entries: []*Entry{entry}, Unfolded: true}
	h.Where = entry.Where
	p.exprs = append(p.exprs, h)
}

// entryWord reads `type` or `function` where it stands for itself in a collection.
func (p *parser) entryWord() Expr {
	switch p.tok.kind {
	case tType:
		switch p.peek() {
		case tParen, tRef:
			return nil
		}
	case tFunction:
		switch p.peek() {
		case tName, tWord, tRef, tClass, tString:
			return nil
		}
	default:
		return nil
	}
	s := p.strs.new()
	p.number(&s.Lit)
	s.Value, s.Quote, s.Where = p.tok.text, Key, p.tok.span()
	p.advance()
	return s
}

func (p *parser) entryFrom(key Expr, start uint32) *Entry {
	p.expect(tArrow)
	value := p.entryWord()
	if value == nil {
		value = p.assignment()
	}
	e := p.entries.new()
	e.Key, e.Value = key, value
	e.Where = p.from(start)
	return e
}

// call = expression "(" [ arguments [ "," ] ] ")" [ lambda ]
func (p *parser) call(functor Expr, start uint32) Expr {
	p.advance()
	c := p.calls.new()
	c.Functor, c.Value = functor, true
	c.Args = p.arguments(true)
	p.expect(tRParen)
	if p.at(tPipe) {
		c.Lambda = p.lambda()
	}
	c.Where = p.from(start)
	return c
}

// arguments = [ argument { "," argument } [ "," ] ]; calls of methods allow no comma at the end
func (p *parser) arguments(endComma bool) []Expr {
	if p.at(tRParen) {
		return nil
	}
	mark := len(p.exprs)
	for {
		p.argument(mark, false)
		if p.failed || !p.at(tComma) {
			break
		}
		p.advance()
		if endComma && p.at(tRParen) {
			break
		}
	}
	return p.popExprs(mark)
}

// method = expression "." name [ "(" arguments ")" ] [ lambda ]
func (p *parser) method(left Expr) Expr {
	start := left.Span().Start
	p.advance()
	if !p.at(tName) && !p.at(tType) {
		help := "a function's name follows the dot"
		if p.at(tEOF) { // a full stop, of what is no code
			help = ""
		}
		p.unexpected(help)
		return left
	}
	n := p.names.new()
	p.number(&n.Lit)
	n.Value, n.Where = p.tok.text, p.tok.span()
	p.advance()
	na := &NamedAccess{Left: left, Name: n}
	na.Where = p.from(start)
	c := &MethodCall{Functor: na}
	if p.at(tParen) {
		p.advance()
		c.Parens = true
		c.Args = p.arguments(false)
		p.expect(tRParen)
	}
	if p.at(tPipe) {
		c.Lambda = p.lambda()
	}
	c.Where = p.from(start)
	return c
}

// lambda = "|" [ parameters [ "," ] ] "|" [ ">>" type ] "{" [ statements ] "}"
func (p *parser) lambda() *Lambda {
	start := p.tok.start
	l := &Lambda{Params: p.lambdaParams()}
	l.Returns = p.returnType()
	l.Body = p.body()
	l.Where = p.from(start)
	return l
}

func (p *parser) lambdaParams() []*Param {
	p.expect(tPipe)
	if p.accept(tPipe) {
		return nil
	}
	params := p.params(tPipe)
	p.expect(tPipe)
	return params
}

// selector = expression "?" ( "{" entry { "," entry } [ "," ] "}" | entry )      entry = expression "=>" expression
func (p *parser) selector(left Expr) Expr {
	p.advance()
	s := &Selector{Left: left}
	mark := len(p.pairs)
	if p.at(tSelBrace) {
		s.Braced = true
		p.advance()
		for {
			p.pairs = append(p.pairs, p.selectorEntry())
			if p.failed || !p.accept(tComma) || p.at(tRBrace) {
				break
			}
		}
		p.expect(tRBrace)
	} else {
		p.pairs = append(p.pairs, p.selectorEntry())
	}
	s.Entries = p.entryLists.copyOf(p.pairs[mark:])
	p.pairs = p.pairs[:mark]
	s.Where = p.from(left.Span().Start)
	return s
}

func (p *parser) selectorEntry() *Entry {
	start := p.tok.start
	e := p.entries.new()
	e.Key = p.expression()
	p.expect(tArrow)
	e.Value = p.expression()
	e.Where = p.from(start)
	return e
}

// primary reads everything that begins with a token of its own.
func (p *parser) primary() Expr {
	t := p.tok
	switch t.kind {
	case tVariable:
		p.advance()
		v := p.vars.new()
		v.Name, v.Where = t.text, t.span()
		return v
	case tString, tWord:
		p.advance()
		s := p.strs.new()
		p.number(&s.Lit)
		s.Value, s.Where = t.text, t.span()
		switch {
		case t.kind == tWord:
			s.Quote = Bare
		case p.file.Text[t.start] == '"':
			s.Quote = Double
		}
		return s
	case tDQPre:
		return p.interpolated()
	case tName:
		p.advance()
		n := p.names.new()
		p.number(&n.Lit)
		n.Value, n.Where = t.text, t.span()
		return n
	case tRef:
		return p.ref()
	case tNumber:
		p.advance()
		return p.numeral(t)
	case tTrue, tFalse:
		p.advance()
		b := &Bool{Value: t.kind == tTrue}
		p.number(&b.Lit)
		b.Where = t.span()
		return b
	case tUndef:
		p.advance()
		u := &Undef{}
		p.number(&u.Lit)
		u.Where = t.span()
		return u
	case tDefault:
		p.advance()
		d := &Default{}
		p.number(&d.Lit)
		d.Where = t.span()
		return d
	case tList, tBracket:
		return p.list()
	case tBrace:
		return p.hash()
	case tParen, tWSParen:
		p.advance()
		x := &Paren{X: p.assignment()}
		p.beyond = false
		p.expect(tRParen)
		x.Where = p.from(t.start)
		return x
	case tRegexp:
		p.advance()
		r := &Regexp{Source: t.text}
		p.number(&r.Lit)
		r.Where = t.span()
		p.checkRegexp(r)
		return r
	case tHeredoc:
		return p.heredoc()
	case tIf, tUnless:
		return p.ifExpr()
	case tCase:
		return p.caseExpr()
	case tDefine:
		return p.define()
	case tClass:
		return p.class()
	case tNode:
		return p.nodeDef()
	case tFunction:
		return p.function()
	case tType:
		return p.typeDef()
	case tPlan:
		return p.plan()
	case tApply:
		return p.apply()
	case tPrivate, tAttr:
		p.advance()
		r := &Reserved{Word: t.text}
		r.Where = t.span()
		return r
	case tRenderString:
		p.advance()
		r := &RenderString{Value: t.text}
		p.number(&r.Lit)
		r.Where = t.span()
		return r
	case tRender:
		return p.render()
	}
	p.unexpected("")
	return nil
}

func (p *parser) ref() Expr {
	r := p.refs.new()
	r.Value, r.Where = p.tok.text, p.tok.span()
	p.expect(tRef)
	return r
}

// numeral turns a scanned number into its node. Puppet's numbers have 64 bits; the validator complains about bigger
// ones.
func (p *parser) numeral(t token) Expr {
	base, digits := 10, t.text
	if len(digits) > 1 && digits[0] == '0' {
		switch {
		case digits[1] == 'x' || digits[1] == 'X':
			base, digits = 16, digits[2:]
		case digits[1] != '.' && digits[1] != 'e' && digits[1] != 'E':
			base, digits = 8, digits[1:]
		}
	}
	for _, c := range []byte(digits) {
		if base == 10 && (c == '.' || c == 'e' || c == 'E') {
			v, err := strconv.ParseFloat(digits, 64)
			if err != nil && !math.IsInf(v, 0) {
				v = 0
			}
			if math.IsInf(v, 0) || v == 0 && strings.ContainsAny(digits, "eE") &&
				strings.Trim(digits[:strings.IndexAny(digits, "eE")], "0.") == "" {
				p.diags = append(p.diags, &source.Diagnostic{Code: codeNumber,
					Summary: "Internal Error, NUMBER token does not contain a valid number, " + digits,
					Place:   source.Place{File: p.file, Span: t.span()},
					Help:    "Puppet takes no infinite number, and no zero with an exponent"})
			}
			f := &Float{Value: v}
			p.number(&f.Lit)
			f.Where = t.span()
			return f
		}
	}
	v, err := strconv.ParseInt(digits, base, 64)
	n := &Int{Value: v, Radix: uint8(base), Big: err != nil}
	p.number(&n.Lit)
	n.Where = t.span()
	return n
}

// list = "[" [ entry { "," entry } [ "," ] ] "]"      entry = argument | "type" | "function"
func (p *parser) list() Expr {
	start := p.tok.start
	p.advance()
	l := p.lists.new()
	mark := len(p.exprs)
	for !p.at(tRBracket) {
		p.argument(mark, false)
		if p.failed || !p.accept(tComma) {
			break
		}
	}
	l.Elems = p.popExprs(mark)
	p.expect(tRBracket)
	l.Where = p.from(start)
	return l
}

// hash = "{" [ pair { "," pair } [ "," ] ] "}"
func (p *parser) hash() Expr {
	start := p.tok.start
	p.advance()
	h := &Hash{}
	mark := len(p.pairs)
	for !p.at(tRBrace) {
		at := p.tok.start
		key := p.entryWord()
		if key == nil {
			key = p.assignment()
		}
		p.pairs = append(p.pairs, p.entryFrom(key, at))
		if p.failed || !p.accept(tComma) {
			break
		}
	}
	h.Entries = p.entryLists.copyOf(p.pairs[mark:])
	p.pairs = p.pairs[:mark]
	p.expect(tRBrace)
	h.Where = p.from(start)
	return h
}
