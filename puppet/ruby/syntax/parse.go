package syntax

import (
	"fmt"
	"regexp"
	"strings"

	"bunraku/source"
)

// Bounds of the parser; beyond them it reports R0007 or R0008.
const (
	MaxNesting = 200
	maxDigits  = 10_000 // of a number: reading them takes quadratic time
	maxTokens  = 2_000_000
	maxErrors  = 10
)

// parser reads one file. Statements are in this file, expressions in expr.go, calls in call.go, definitions in
// define.go.
type parser struct {
	file     *source.File
	src      string
	pos      int
	end      int
	state    lexState
	tok      token
	prevEnd  uint32
	skips    map[int]int // offset of a line end -> where to go on behind heredoc bodies
	scope    *scope
	jumps    *Jumps // of the body being read
	noDo     bool   // a do belongs to someone further out
	ternary  int    // inside c ? here : …, where a colon ends the value
	stmtPos  uint32
	noAssign bool // reading one target of several: the = belongs to all of them
	nest     int
	powers   int // binary operators under way
	steps    int
	errs     source.Diagnostics
}

// A scope is the local variables of a frame while it is parsed.
type scope struct {
	names   []string
	outer   *scope // of the block around, nil at a def, class or file
	block   *Block // the block that this is the scope of, if any
	numbers int
	params  bool // has declared parameters: _1 is then an ordinary name
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		for _, n := range s.names {
			if n == name {
				return true
			}
		}
	}
	return false
}

func (s *scope) find(name string) (depth, index int, ok bool) {
	for ; s != nil; s = s.outer {
		for i, n := range s.names {
			if n == name {
				return depth, i, true
			}
		}
		depth++
	}
	return 0, 0, false
}

func (s *scope) declare(name string) int {
	s.names = append(s.names, name)
	return len(s.names) - 1
}

// Parse reads a file of Ruby. The names of locals that exist beforehand get the first slots. Whatever could be read is
// returned beside the diagnostics.
func Parse(f *source.File, locals ...string) (*Program, source.Diagnostics) {
	p := &parser{file: f, src: f.Text, end: len(f.Text), skips: map[int]int{}, scope: &scope{}}
	var top Jumps
	p.jumps = &top
	p.scope.names = append(p.scope.names, locals...)
	prog := &Program{File: f, Body: &Seq{}}
	p.recovering(func() {
		if len(p.src) > 6 && p.src[:6] == "=begin" {
			p.pos = -1
			p.newline()
		}
		p.advance()
	})
	for p.tok.kind != tEOF && len(p.errs) < maxErrors {
		before, was := p.tok.span.Start, len(p.errs)
		p.recovering(func() {
			seq := p.stmts(func() bool { return false })
			prog.Body.Stmts = append(prog.Body.Stmts, seq.Stmts...)
			if p.tok.kind != tEOF {
				p.unexpected()
			}
		})
		if len(p.errs) > was {
			p.resync(before)
		}
	}
	prog.Body.Where = source.Span{Start: 0, End: uint32(len(p.src))}
	prog.Slots, prog.Names = len(p.scope.names), p.scope.names
	if frozenLiterals(p.src) {
		Walk(prog.Body, func(n Node) bool {
			if s, ok := n.(*StrLit); ok {
				s.Frozen = true
			}
			return true
		})
	}
	return prog, p.errs
}

// The comments that say something of all strings of a file: alone on its line, or among others as Emacs has them.
var (
	ofStrings = regexp.MustCompile(`(?i)^#[\s'":;]*frozen[_-]string[_-]literal\s*:\s*"?(true|false)"?\s*$`)
	ofEmacs   = regexp.MustCompile(`(?i)-\*-.*?\bfrozen[_-]string[_-]literal\s*:\s*"?(true|false)"?\s*(;.*)?-\*-`)
)

// frozenLiterals reports whether the comments before a program's first word say that its strings cannot be changed. The
// last of them counts. Strings with interpolation can be changed all the same.
func frozenLiterals(src string) (frozen bool) {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			break
		}
		for _, re := range []*regexp.Regexp{ofStrings, ofEmacs} {
			if m := re.FindStringSubmatch(line); m != nil {
				frozen = strings.EqualFold(m[1], "true")
			}
		}
	}
	return frozen
}

// recovering runs f and notes the error it ended with, if any.
func (p *parser) recovering(f func()) {
	scope, jumps := p.scope, p.jumps
	defer func() {
		if r := recover(); r != nil {
			d, ok := r.(*source.Diagnostic)
			if !ok {
				panic(r)
			}
			p.errs = append(p.errs, d)
			p.scope, p.jumps, p.nest, p.powers, p.noDo, p.ternary = scope, jumps, 0, 0, false, 0
		}
	}()
	f()
}

// resync goes on at the next line behind the error.
func (p *parser) resync(before uint32) {
	at := max(p.pos, int(before)+1)
	for at < p.end && p.src[at] != '\n' {
		at++
	}
	p.pos = at
	p.state = sBeg
	for p.pos < p.end && len(p.errs) < maxErrors {
		ok := false
		p.recovering(func() { p.advance(); ok = true })
		if ok {
			return
		}
	}
	p.tok = token{kind: tEOF}
}

func (p *parser) fail(code string, at source.Span, summary string) {
	panic(&source.Diagnostic{Code: code, Summary: summary, Place: source.Place{File: p.file, Span: at}})
}

func (p *parser) unexpected() {
	var what string
	switch p.tok.kind {
	case tEOF:
		what = "end-of-input"
	case tNewline:
		what = "line end"
	case tLiteral:
		what = "literal " + p.file.Slice(p.tok.span)
	case tKeyword:
		what = "`" + p.tok.text + "'"
	default:
		what = "'" + p.file.Slice(p.tok.span) + "'"
	}
	if p.doubtful() {
		p.fail(notSupported, p.tok.span, "unexpected "+what+", which may be Ruby that is not supported")
	}
	p.fail(SyntaxError, p.tok.span, "syntax error, unexpected "+what)
}

// SyntaxError is the code of what no Ruby reads. What other codes tell may be Ruby all the same.
const SyntaxError = "R0001"

// notSupported is the code of Ruby that this parser does not know.
const notSupported = "R0009"

var (
	afterDef   = regexp.MustCompile(`\bdef[ \t]+\(?[\w@$]*\)?$`)
	afterConst = regexp.MustCompile(`\b[A-Z]\w*[ \t]+$`)
	// a list that values are assigned to, with one in it
	listAssigned = regexp.MustCompile(`^[ \t]*\(.*\).*=`)
)

// doubtful reports whether a token that is not expected may begin something that Ruby has and this parser does not:
// patterns (=> and in), forwarding of arguments (..., & and * alone), a method of one object (def a.b), a name like
// [] behind a dot, lists to assign to that begin with one in parentheses, a call of a method with a constant's name,
// numbers like 1r, keys that are their values as well (f a:), a symbol right behind a name, and some words.
func (p *parser) doubtful() bool {
	start := int(p.tok.span.Start)
	before := p.src[max(0, start-120):start]
	last := strings.TrimRight(before, " \t")
	switch text := p.file.Slice(p.tok.span); text {
	case "=>", "in", "...", "::", "/", "BEGIN", "END", "__ENCODING__":
		return true
	case ")":
		return strings.HasSuffix(last, ",") || strings.HasSuffix(last, "&") || strings.HasSuffix(last, "*")
	case ",":
		return listAssigned.MatchString(p.file.Line(p.file.LineOf(p.tok.span.Start)))
	case "r", "i", "ri":
		return before != "" && '0' <= before[len(before)-1] && before[len(before)-1] <= '9'
	case "]", "}", "=", ";":
		return false
	}
	switch {
	case p.tok.kind == tLabel || strings.HasSuffix(strings.TrimSpace(before), ":"):
		return true
	case p.tok.kind == tNewline || p.tok.kind == tEOF || p.tok.kind == tKeyword && p.tok.text != "do":
		return false
	case afterDef.MatchString(before) || strings.HasSuffix(last, "."):
		return true
	}
	return afterConst.MatchString(before)
}

func (p *parser) deeper() func() {
	if p.nest++; p.nest > MaxNesting {
		p.fail("R0007", p.tok.span, fmt.Sprintf("nested more than %d deep", MaxNesting))
	}
	return func() { p.nest-- }
}

func (p *parser) accept(op string) bool {
	if p.tok.is(op) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) acceptKeyword(k string) bool {
	if p.tok.keyword(k) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(op string) {
	if !p.accept(op) {
		p.unexpected()
	}
}

func (p *parser) expectKeyword(k string) {
	if !p.acceptKeyword(k) {
		p.unexpected()
	}
}

func (p *parser) separator() bool { return p.tok.kind == tNewline || p.tok.is(";") }

func (p *parser) skipSeparators() {
	for p.separator() {
		p.advance()
	}
}

func (p *parser) skipNewlines() {
	for p.tok.kind == tNewline {
		p.advance()
	}
}

func (p *parser) since(start uint32) At { return At{source.Span{Start: start, End: p.prevEnd}} }

// stmts reads statements up to a terminator, which it leaves.
func (p *parser) stmts(stop func() bool) *Seq {
	start := p.tok.span.Start
	seq := &Seq{}
	for {
		p.skipSeparators()
		if p.tok.kind == tEOF || stop() {
			break
		}
		seq.Stmts = append(seq.Stmts, p.stmt())
		if !p.separator() && p.tok.kind != tEOF && !stop() {
			p.unexpected()
		}
	}
	seq.At = p.since(start)
	if len(seq.Stmts) == 0 {
		seq.Where = source.Span{Start: p.prevEnd, End: p.prevEnd}
	}
	return seq
}

func (p *parser) body(stop string) *Seq {
	noDo, ternary := p.noDo, p.ternary
	p.noDo, p.ternary = false, 0
	s := p.stmts(func() bool { return p.tok.keywords(stop) })
	p.noDo, p.ternary = noDo, ternary
	return s
}

// stmt is an expression with and, or, not and modifiers.
func (p *parser) stmt() Node {
	defer p.deeper()()
	start := p.tok.span.Start
	p.stmtPos = start
	n := p.exprStmt()
	for {
		switch {
		case p.tok.keyword("if"):
			p.advance()
			cond := p.exprStmt()
			n = &If{p.since(start), cond, n, nil}
		case p.tok.keyword("unless"):
			p.advance()
			cond := p.exprStmt()
			n = &If{p.since(start), cond, nil, n}
		case p.tok.keywords("while until"):
			until := p.tok.text == "until"
			p.advance()
			cond := p.exprStmt()
			b, do := n.(*Begin)
			do = do && len(b.Rescues) == 0 && b.Ensure == nil
			n = &While{At: p.since(start), Cond: cond, Body: n, Until: until, DoWhile: do, Jumps: HasBreak | HasNext}
		case p.tok.keyword("rescue"):
			p.advance()
			alt := p.exprStmt()
			n = rescueModifier(n, alt, p.since(start))
		default:
			return n
		}
	}
}

func rescueModifier(n, alt Node, at At) Node {
	return &Begin{At: at, Body: n, Rescues: []Rescue{{At: at, Body: alt}}}
}

func (p *parser) exprStmt() Node {
	start := p.tok.span.Start
	n := p.notExpr()
	for p.tok.keywords("and or") {
		and := p.tok.text == "and"
		p.advance()
		p.skipNewlines()
		right := p.notExpr()
		if and {
			n = &And{p.since(start), n, right}
		} else {
			n = &Or{p.since(start), n, right}
		}
	}
	return n
}

func (p *parser) notExpr() Node {
	start := p.tok.span.Start
	if p.acceptKeyword("not") {
		defer p.deeper()()
		n := p.notExpr()
		return &Not{p.since(start), n}
	}
	if p.tok.is("u*") {
		return p.multipleAssign(nil)
	}
	n := p.expr()
	if p.tok.is(",") && n.Span().Start == p.stmtPos && assignable(n) {
		return p.multipleAssign(n)
	}
	return n
}

// multipleAssign reads a, *b, c = values, of which first has been read.
func (p *parser) multipleAssign(first Node) Node {
	start := p.stmtPos
	left := &Targets{}
	if first != nil {
		left.List = append(left.List, p.target(first))
		if !p.accept(",") {
			p.unexpected()
		}
	}
	for !p.tok.is("=") {
		left.List = append(left.List, p.targetItem())
		if !p.accept(",") {
			break
		}
	}
	left.At = p.since(start)
	if p.tok.is(")") { // (a, b) = …
		return left
	}
	if !p.tok.is("=") {
		p.unexpected()
	}
	p.advance()
	p.skipNewlines()
	v := p.assigned(true)
	return &Assign{p.since(start), left, v}
}

func (p *parser) targetItem() Node {
	start := p.tok.span.Start
	switch {
	case p.accept("u*") || p.accept("*"):
		var v Node
		if !p.tok.is(",") && !p.tok.is("=") && !p.tok.is(")") && !p.tok.keyword("in") {
			v = p.target(p.bare())
		}
		return &Splat{p.since(start), v}
	case p.accept("u(") || p.accept("("):
		sub := &Targets{}
		for !p.tok.is(")") {
			sub.List = append(sub.List, p.targetItem())
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		sub.At = p.since(start)
		return sub
	}
	return p.target(p.bare())
}

// bare is a primary that leaves an = behind it alone.
func (p *parser) bare() Node {
	p.noAssign = true
	defer func() { p.noAssign = false }()
	return p.primary()
}

func assignable(n Node) bool {
	switch n := n.(type) {
	case *LVar, *IVar, *GVar, *CVar, *Const, *Targets:
		return true
	case *Call:
		if n.Block != nil || n.Pass != nil {
			return false
		}
		if n.Name == "[]" {
			return n.Recv != nil
		}
		return len(n.Args) == 0 && !n.Parens && IsIdentStart(n.Name[0]) && n.Name[len(n.Name)-1] != '?' &&
			n.Name[len(n.Name)-1] != '!'
	}
	return false
}

// target turns an expression into what can be assigned to, declaring a new local variable.
func (p *parser) target(n Node) Node {
	if !assignable(n) {
		p.fail("R0001", n.Span(), "syntax error, cannot assign to this")
	}
	switch n := n.(type) {
	case *Call:
		if n.Recv == nil && n.Name != "[]" {
			return p.local(n.Name, n.Where, true)
		}
	case *LVar:
		return p.local(n.Name, n.Where, true)
	}
	return n
}

// local finds a local variable; one that is assigned to is declared when new, and noted in the blocks that it reaches
// out of.
func (p *parser) local(name string, at source.Span, assign bool) *LVar {
	depth, index, ok := p.scope.find(name)
	if !ok {
		depth, index = 0, p.scope.declare(name)
	}
	v := &LVar{At{at}, name, depth, index}
	if assign {
		s := p.scope
		for d := depth; d > 0; d-- {
			if s.block != nil {
				s.block.Outer = append(s.block.Outer, &LVar{At{at}, name, d, index})
			}
			s = s.outer
		}
	}
	return v
}

// assigned reads the right side of an assignment. Only at the level of statements can it be a list.
func (p *parser) assigned(list bool) Node {
	start := p.tok.span.Start
	var n Node
	if p.tok.is("u*") {
		p.advance()
		v := p.expr()
		n = &ArrayLit{p.since(start), []Node{&Splat{p.since(start), v}}}
		if !list {
			return n
		}
	} else {
		n = p.expr()
	}
	if list && p.tok.is(",") {
		elems := []Node{n}
		if a, ok := n.(*ArrayLit); ok && len(a.Elems) == 1 && a.Where.Start == start {
			if s, ok := a.Elems[0].(*Splat); ok && p.file.Slice(a.Where) != "" && p.src[start] == '*' {
				elems = []Node{s}
			}
		}
		for p.accept(",") {
			p.skipNewlines()
			at := p.tok.span.Start
			if p.accept("u*") || p.accept("*") {
				v := p.expr()
				elems = append(elems, &Splat{p.since(at), v})
			} else {
				elems = append(elems, p.expr())
			}
		}
		n = &ArrayLit{p.since(start), elems}
	}
	if p.tok.keyword("rescue") {
		p.advance()
		alt := p.expr()
		n = rescueModifier(n, alt, p.since(start))
	}
	return n
}
