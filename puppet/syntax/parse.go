// Package syntax reads the Puppet language: scanner, nodes, parser, validator, printer, and the PN and JSON dumps.
// EPP templates are a mode of the same scanner. grammar.txt beside this file is the grammar that the parser follows.
//
// It may import source, and onigmo to judge regular expressions. Start reading at Parse, then node.go.
package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// Options are the switches that change what is a legal program.
type Options struct {
	Tasks bool // `plan` and `apply` are keywords, as under Puppet's --tasks
	// Strict is Puppet's setting of that name: what to make of a hash with a key twice.
	Strict source.Strictness
	// Language says what counts as a key twice.
	Language source.Language
}

// Parse reads a manifest. The tree holds whatever could be read; it is complete when no diagnostic is an Error.
func Parse(f *source.File, opt Options) (*File, source.Diagnostics) {
	return parse(f, opt, eppNone)
}

// ParseEPP reads an EPP template.
func ParseEPP(f *source.File, opt Options) (*File, source.Diagnostics) {
	return parse(f, opt, eppText)
}

func parse(f *source.File, opt Options, mode eppMode) (*File, source.Diagnostics) {
	p := &parser{file: f, out: &File{Source: f}, opt: opt}
	p.s = scanner{file: f, src: f.Text, epp: mode, diags: &p.diags, tasks: opt.Tasks}
	if d := unreadable(f); d != nil {
		return p.out, source.Diagnostics{d}
	}
	if mode == eppNone {
		p.out.Body = p.program()
	} else {
		p.out.Epp = p.template()
	}
	p.out.Comments = p.s.comments
	p.out.Literals = int(p.literals)
	return p.out, p.diags
}

// unreadable reports text that Puppet's lexer refuses before reading a token: a byte-order mark, or no UTF-8.
func unreadable(f *source.File) *source.Diagnostic {
	if len(f.Text) > maxFileSize {
		return &source.Diagnostic{Code: codeNoInput, Summary: fmt.Sprintf("The file is larger than %d bytes", maxFileSize),
			Place: source.Place{File: f}}
	}
	for _, bom := range []struct{ bytes, name string }{
		{"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe\x00\x00", "UTF-32"}, {"\x84\x31\x95\x33", "GB-18030"},
		{"\xdd\x73\x66\x73", "UTF-EBCDIC"},
		{"\x0e\xfe\xff", "SCSU"}, {"\xef\xbb\xbf", "UTF-8"}, {"\xf7\x64\x4c", "UTF-1"}, {"\xfb\xee\x28", "BOCU"},
		{"\xfe\xff", "UTF-16"}, {"\xff\xfe", "UTF-16"},
	} {
		if strings.HasPrefix(f.Text, bom.bytes) {
			hex := fmt.Sprintf("% X", bom.bytes)
			return &source.Diagnostic{Code: codeBOM, Place: source.Place{File: f,
				Span: source.Span{End: uint32(len(bom.bytes))}},
				Summary: fmt.Sprintf("Illegal %s Byte Order mark at beginning of input: [%s] - remove these from the puppet source",
					bom.name, hex),
				Help: "save the file as UTF-8 without a byte-order mark"}
		}
	}
	if i := invalidUTF8(f.Text); i >= 0 {
		return &source.Diagnostic{Code: codeNoInput, Summary: "invalid byte sequence in UTF-8",
			Place: source.Place{File: f, Span: source.Span{Start: uint32(i), End: uint32(i + 1)}},
			Help:  "save the file as UTF-8"}
	}
	return nil
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// The parser is a recursive descent over statements with precedence climbing for operators. Where Puppet's LALR grammar
// has a conflict, racc settles it by the precedence table; grammar.txt says at each such place what that comes to.
//
// Trouble: the first error of a statement is reported, the current token becomes tFail, which nothing accepts, and
// every rule returns. The statement list then skips to where a new statement plausibly begins and goes on. Where that
// is but a guess, whether one really begins there shows only when it is read to its end: until then what is wrong is
// taken for an echo, and is not told.
type parser struct {
	file *source.File
	out  *File
	opt  Options
	s    scanner
	slabs

	tok   token
	ahead token // one token further, when looked at
	has   bool  // ahead is set
	prev  uint32

	open      []bracket // brackets not yet closed
	namespace []string  // names of the classes around
	depth     int
	literals  uint32
	beyond    bool // the last assignment() was more than Puppet's `expression`
	failed    bool
	echo      bool // where to go on was a guess, and no statement was read to its end since
	stopped   bool // too many errors: read no further

	diags   source.Diagnostics
	exprs   []Expr // scratch, used as a stack
	attrs   []*AttrOp
	pairs   []*Entry
	formals []*Param
}

type bracket struct {
	kind kind
	at   uint32
}

// ---- tokens

func (p *parser) advance() {
	if p.failed {
		return
	}
	p.prev = p.tok.end
	switch p.tok.kind {
	case tBrace, tSelBrace, tBracket, tList, tParen, tWSParen:
		p.open = append(p.open, bracket{p.tok.kind, p.tok.start})
	case tRBrace, tRBracket, tRParen:
		if len(p.open) > 0 {
			p.open = p.open[:len(p.open)-1]
		}
	}
	if p.has {
		p.tok, p.has = p.ahead, false
	} else {
		p.tok = p.s.next()
	}
	if p.tok.kind == tFail {
		p.lexicalFailure()
	}
}

// peek looks one token further than the current one.
func (p *parser) peek() kind {
	if p.failed {
		return tFail
	}
	if !p.has {
		p.ahead, p.has = p.s.next(), true
	}
	return p.ahead.kind
}

func (p *parser) at(k kind) bool { return p.tok.kind == k }

func (p *parser) accept(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(k kind) {
	if p.tok.kind == k {
		p.advance()
		return
	}
	p.unexpected("")
}

// number gives a literal its number in the file.
func (p *parser) number(l *Lit) {
	l.Ord = p.literals
	p.literals++
}

// from gives the span from an offset to the end of the last token consumed.
func (p *parser) from(start uint32) source.Span {
	end := p.prev
	if end < start {
		end = start
	}
	return source.Span{Start: start, End: end}
}

// ---- trouble

// fail reports an error at a span and makes the rest of the statement unreadable.
func (p *parser) fail(code string, at source.Span, summary, help string) *source.Diagnostic {
	if p.failed {
		return nil
	}
	d := &source.Diagnostic{Code: code, Summary: summary, Help: help, Place: source.Place{File: p.file, Span: at}}
	if rubyTest.MatchString(p.file.Text) { // one error says it all
		d.Help, p.stopped = "this is Ruby, a test for rspec, and no manifest: such a file ends in .rb", true
	}
	if !p.echo {
		p.diags = append(p.diags, d)
	}
	p.failed = true
	p.tok.kind = tFail
	if p.diags.Count(source.Error) >= maxSyntaxErrors {
		p.stopped = true
	}
	return d
}

// lexicalFailure is the counterpart of fail for trouble that the scanner has already reported.
func (p *parser) lexicalFailure() {
	p.failed = true
	if p.diags.Count(source.Error) >= maxSyntaxErrors {
		p.stopped = true
	}
}

// rubyTest finds the words by which a test for rspec begins.
var rubyTest = regexp.MustCompile(`(?m)^(?:RSpec\.)?describe[ \t(].*[ \t]do[ \t]*$`)

// orchestration finds the words by which applications were declared.
var orchestration = regexp.MustCompile(`(?m)^(?:site[ \t]*\{|application[ \t]+[a-z][\w:]*[ \t]*[({]|` +
	`[A-Z][\w:]*[ \t]+(?:produces|consumes)[ \t]+[A-Z])`)

const orchestrated = "site, application, produces and consumes are application orchestration, which Puppet no longer has"

// unexpected reports that no rule goes on with the current token.
func (p *parser) unexpected(help string) {
	if p.failed {
		return
	}
	t := p.tok
	if t.kind == tEOF && p.diags.HasErrors() { // what is still open is so for what was wrong before
		p.failed, p.tok.kind = true, tFail
		return
	}
	if orchestration.MatchString(p.file.Text[:t.start]) {
		help = orchestrated
	}
	d := p.fail(codeSyntax, t.span(), "Syntax error at "+t.describe(p.file), help)
	if t.kind == tEOF && len(p.open) > 0 {
		b := p.open[len(p.open)-1]
		d.Related = append(d.Related, source.Related{
			Place: source.Place{File: p.file, Span: source.Span{Start: b.at, End: b.at + 1}},
			Label: "this " + p.file.Text[b.at:b.at+1] + " is never closed",
		})
		return
	}
	if closes := map[kind]byte{tRBrace: '{', tRBracket: '[', tRParen: '('}; len(p.open) > 0 && closes[t.kind] != 0 {
		b := p.open[len(p.open)-1]
		if p.file.Text[b.at] != closes[t.kind] {
			d.Related = append(d.Related, source.Related{
				Place: source.Place{File: p.file, Span: source.Span{Start: b.at, End: b.at + 1}},
				Label: "this " + p.file.Text[b.at:b.at+1] + " is still open",
			})
		}
	}
	if d.Help == "" {
		d.Help = p.hint(t)
	}
}

// hint guesses at common slips.
func (p *parser) hint(t token) string {
	line := p.file.Text[strings.LastIndexByte(p.file.Text[:t.start], '\n')+1:]
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		if strings.HasPrefix(line, mark) {
			return "git writes this line where a merge left a conflict; settle it and take the three marks out"
		}
	}
	switch {
	case t.kind == tSemi:
		return "a semicolon separates statements and resource bodies; nothing may be empty between two"
	case t.kind == tElse || t.kind == tElsif:
		return "there is no `if` just before this; a closing brace may be missing or one too many"
	case t.kind == tOther && strings.ContainsAny(t.text, "‘’“”"):
		return "these are typographic quotes; write ' or \""
	case t.kind == tString || t.kind == tDQPre || t.kind == tVariable || t.kind == tName || t.kind == tNumber:
		return "is a comma or an operator missing before this?"
	case t.kind == tSet:
		return "to compare write ==, for an attribute or a hash entry =>"
	case t.kind == tArrow:
		return "an attribute or a hash entry was not expected here; is a comma or a brace missing before it?"
	}
	return ""
}

// resume skips to the next place where a statement plausibly begins: behind the brackets that were open when things
// went wrong, at a closing brace of the list itself, or at a line that begins with a word of the language. Any other
// line is a guess: it may be the next of what went wrong.
func (p *parser) resume(brackets int) {
	brackets = min(brackets, len(p.open)) // one too many may have been closed
	var inner []kind                      // brackets opened since, innermost last
	for _, b := range p.open[brackets:] {
		inner = append(inner, b.kind)
	}
	p.open = p.open[:brackets]
	guess := len(inner) == 0
	p.failed = false
	p.has = false
	if p.stopped {
		p.s.pos = len(p.s.src)
		p.s.queue = nil
		p.s.eppOpen = false
		p.tok = token{kind: tEOF, start: uint32(len(p.file.Text)), end: uint32(len(p.file.Text))}
		return
	}
	if int(p.tok.start) < len(p.file.Text) && p.s.margins == nil && p.tok.end > p.tok.start && p.s.epp == eppNone {
		p.s.pos = max(int(p.tok.start), 0) // look at the token that was in the way once more
	}
	quiet := len(p.diags)
	first := true
	for {
		p.tok = p.s.next()
		if p.tok.kind == tFail {
			p.diags = p.diags[:quiet] // the scanner's complaints while skipping are echoes
			if p.s.pos >= len(p.s.src) {
				p.tok = p.s.next()
				p.diags = p.diags[:quiet]
				p.tok.kind = tEOF
				return
			}
			continue
		}
		switch p.tok.kind {
		case tEOF:
			p.diags = p.diags[:quiet]
			return
		case tDQPre, tHeredoc: // their text is read over: interpolations are not looked into
			p.skipString()
		case tBrace, tSelBrace, tBracket, tList, tParen, tWSParen:
			inner = append(inner, p.tok.kind)
		case tRBrace, tRBracket, tRParen:
			left, closed := closeBracket(inner, p.tok.kind)
			if !closed && p.tok.kind == tRBrace && brackets > 0 {
				p.diags = p.diags[:quiet]
				return
			}
			inner = left
			guess = guess && len(inner) > 0
		case tClass, tDefine, tNode, tFunction, tType, tIf, tUnless, tCase:
			if !first && len(inner) == 0 && p.firstOnLine() {
				p.diags = p.diags[:quiet]
				return
			}
			if !first && brackets == 0 && (p.tok.kind == tClass || p.tok.kind == tDefine || p.tok.kind == tNode) &&
				p.column(p.tok.start) == 1 {
				p.diags = p.diags[:quiet]
				return
			}
		case tName, tRef, tVariable, tAt, tAtAt:
			if !first && len(inner) == 0 && p.firstOnLine() {
				p.echo = p.echo || guess
				p.diags = p.diags[:quiet]
				return
			}
		}
		first = false
	}
}

// closeBracket takes the bracket that a closing one ends off the stack. A brace also ends the lists and parentheses
// that were left open inside it; the other two end only their own kind.
func closeBracket(open []kind, closing kind) (left []kind, closed bool) {
	for i := len(open) - 1; i >= 0; i-- {
		switch k := open[i]; {
		case closing == tRBrace && (k == tBrace || k == tSelBrace),
			closing == tRBracket && (k == tBracket || k == tList),
			closing == tRParen && (k == tParen || k == tWSParen):
			return open[:i], true
		case closing != tRBrace:
			return open, false
		}
	}
	if closing == tRBrace {
		return nil, false
	}
	return open, false
}

// skipString moves behind a string whose beginning was just scanned, without looking at its expressions.
func (p *parser) skipString() {
	if p.tok.kind == tHeredoc {
		return
	}
	for {
		if p.s.interpolating() == endBrace {
			depth := 1
			for depth > 0 && p.s.pos < len(p.s.src) {
				switch p.s.src[p.s.pos] {
				case '{':
					depth++
				case '}':
					depth--
				}
				p.s.pos++
			}
		}
		if _, end := p.s.piece(false, escapesNone); end == endQuote || end == endMissing {
			return
		}
	}
}

func (p *parser) firstOnLine() bool {
	for i := int(p.tok.start) - 1; i >= 0; i-- {
		switch p.file.Text[i] {
		case ' ', '\t', '\r':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

func (p *parser) column(offset uint32) int { return p.file.Position(offset).Column }

// enter counts nesting; every recursive rule passes through it.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.fail(codeTooDeep, p.tok.span(), fmt.Sprintf("The code nests more than %d levels deep", maxNesting), "")
		p.stopped = true
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// ---- programs and statements

// program = [ statements ]
func (p *parser) program() Body {
	p.advance()
	stmts := p.statements(tEOF)
	return Body{Stmts: stmts, Braces: source.Span{End: uint32(len(p.file.Text))}}
}

// template = [ "|" parameters "|" ] [ statements ]
func (p *parser) template() *Epp {
	p.s.eppTextRun(false)
	p.advance()
	e := &Epp{}
	if p.at(tPipe) {
		start := p.tok.start
		e.HasParams = true
		e.Params = p.lambdaParams()
		e.ParamsAt = p.from(start)
	}
	e.Body.Stmts = p.statements(tEOF)
	e.Where = source.Span{End: uint32(len(p.file.Text))}
	e.Body.Braces = e.Where
	return e
}

// body = "{" [ statements ] "}"
func (p *parser) body() Body {
	start := p.tok.start
	p.expect(tBrace)
	if p.failed {
		return Body{}
	}
	b := Body{Stmts: p.statements(tRBrace)}
	p.expect(tRBrace)
	b.Braces = p.from(start)
	return b
}

// statements = statement { [ ";" ] statement }
// statement  = assignment { "," assignment }
//
// A name of STATEMENT_CALLS followed by statements is a call without parentheses; the comma is legal only there.
func (p *parser) statements(end kind) []Expr {
	mark := len(p.exprs)
	brackets := len(p.open)
	depth := p.depth
	if !p.enter() {
		return nil
	}
	separated := false
	for {
		if p.failed {
			if p.stopped && end != tEOF {
				break
			}
			p.resume(brackets)
			p.depth = depth + 1
			separated = false
			if p.stopped {
				break
			}
			if p.at(tRBrace) && end == tEOF {
				p.advance()
			}
			continue
		}
		if p.at(end) && !separated || p.at(tEOF) {
			if p.at(tEOF) && (separated || end != tEOF) {
				p.unexpected("")
				if end == tEOF {
					continue
				}
			}
			break
		}
		if p.at(tSemi) && !separated && len(p.exprs) > mark {
			p.advance()
			separated = true
			continue
		}
		separated = false
		p.statement(mark)
		if p.echo && !p.failed && (p.at(end) || p.at(tEOF) || p.at(tSemi) || p.firstOnLine()) {
			p.echo = false
		}
	}
	p.leave()
	list := p.exprLists.copyOf(p.exprs[mark:])
	clear(p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	return list
}

// statement reads one statement onto the scratch stack, or makes the name before it a call with it as arguments.
func (p *parser) statement(mark int) {
	e := p.assignment()
	if p.failed {
		return
	}
	var name *Name
	if n := len(p.exprs); n > mark {
		if nm, ok := p.exprs[n-1].(*Name); ok && isStatementCall(nm.Value) {
			name = nm
		}
	}
	if !p.at(tComma) {
		if name == nil {
			if c, ok := e.(*Call); ok {
				c.Value = false
			}
			p.exprs = append(p.exprs, e)
			return
		}
		p.exprs[len(p.exprs)-1] = p.bareCall(name, p.exprLists.copyOf([]Expr{e}))
		return
	}
	comma := p.tok.span()
	inner := len(p.exprs)
	p.exprs = append(p.exprs, e)
	for p.at(tComma) {
		p.advance()
		p.exprs = append(p.exprs, p.assignment())
		if p.failed {
			p.exprs = p.exprs[:inner]
			return
		}
	}
	args := p.exprLists.copyOf(p.exprs[inner:])
	p.exprs = p.exprs[:inner]
	if name != nil {
		p.exprs[len(p.exprs)-1] = p.bareCall(name, args)
		return
	}
	summary, help := "illegal comma separated argument list", "take the comma away: statements are separated by blanks"
	if n := len(p.exprs); n > mark {
		if nm, ok := p.exprs[n-1].(*Name); ok {
			help = "put the arguments in parentheses"
			summary = fmt.Sprintf("attempt to pass argument list to the function '%s' which cannot be called without "+
				"parentheses", nm.Value)
		}
	}
	if p.at(tColon) {
		help = "this looks like an option of a case, and stands in none; a closing brace above may be one too many"
	}
	p.fail(codeArguments, comma, summary, help)
}

func (p *parser) bareCall(name *Name, args []Expr) *Call {
	c := p.calls.new()
	c.Functor, c.Args, c.Bare = name, args, true
	c.Where = name.Where.Join(args[len(args)-1].Span())
	return c
}

// statementCalls are the functions that take arguments without parentheses.
var statementCalls = []string{"require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning",
	"err", "fail", "import", "break", "next", "return"}

func isStatementCall(name string) bool { return slices.Contains(statementCalls, name) }
