package smartfrog

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/source"
)

// maxNesting bounds how deep blocks and vectors may stand in each other, and components in the result. Printing a
// result recurses, as does reading a vector, with a few hundred bytes of stack for each level; Go ends the whole
// program when the stack outgrows a gigabyte.
const maxNesting = 500_000

// maxErrors is how many errors one file, and how many errors and warnings one evaluation, may report before we stop
// looking.
const maxErrors = 50

// Parse reads one file, as Definition 3 (SmartFrog) and grammar.txt have it. The tree holds whatever could be read; it
// is complete when no diagnostic is an Error. Included files are not read.
func Parse(f *source.File, opt Options) (*Spec, source.Diagnostics) {
	p := &parser{file: f, extended: opt.Extended}
	p.scan = newScanner(f, opt.Extended, p.report)
	p.advance()
	body := p.specification()
	return &Spec{f, body, p.includes}, p.diags
}

// A parser reads with one token of lookahead. Its methods follow grammar.txt. A method that returns false has reported
// an error and left the rest of the statement to synchronize.
//
// It does not recurse into blocks: those that are open are in a list of its own, a tenth of the size of the calls'
// frames.
type parser struct {
	file     *source.File
	scan     *scanner
	extended bool
	tok      token
	last     source.Span // the token before tok
	open     *openBlock  // the innermost
	depth    int         // blocks and vectors that are open
	skipping bool        // what follows is being skipped
	quit     bool        // given up: only tokEOF follows
	includes []*Include
	diags    source.Diagnostics
}

// An openBlock is a block that is being read: the assignment it belongs to, as far as that has been read, and the
// statements before that assignment.
type openBlock struct {
	brace   token
	assign  *Assignment
	extends *Extends
	before  []Statement
	up      *openBlock // the block around it
}

func (p *parser) advance() {
	p.last = p.tok.span
	if p.quit {
		p.tok = token{tokEOF, source.Span{Start: p.last.End, End: p.last.End}}
		return
	}
	p.tok = p.scan.next()
}

func (p *parser) text(s source.Span) string        { return p.file.Text[s.Start:s.End] }
func (p *parser) place(s source.Span) source.Place { return source.Place{File: p.file, Span: s} }

// since is the span from start to the end of the last token.
func (p *parser) since(start source.Span) source.Span {
	return source.Span{Start: start.Start, End: max(p.last.End, start.End)}
}

// specification reads statements up to the end of the file.
//
//	body = { assignment | order | include }
func (p *parser) specification() []Statement {
	var body []Statement // of the innermost open block
	for {
		switch p.tok.kind {
		case tokEOF:
			return slices.Clip(p.unclosedBlocks(body))
		case tokRBrace:
			if p.open != nil {
				body = p.closeBlock(body)
				continue
			}
			p.report(&source.Diagnostic{
				Code: codeSyntax, Place: p.place(p.tok.span), Summary: "parse: this `}` closes nothing",
				Help: "remove it, or look for a `{` that is missing before",
			})
			p.advance()
		case tokSemi:
			if !p.extended {
				p.straySemicolon(body)
			}
			p.advance()
		default:
			body = p.statement(body)
		}
	}
}

// closeBlock ends the innermost open block, and goes on with the prototypes that follow it. It returns the statements
// of the block around, or of the one that it has opened.
func (p *parser) closeBlock(body []Statement) []Statement {
	o := p.open
	p.open = o.up
	p.depth--
	p.advance()
	o.extends.Protos = append(o.extends.Protos, &Block{at{p.since(o.brace.span)}, slices.Clip(body)})
	return p.prototypes(o.before, o.assign, o.extends, true)
}

// unclosedBlocks reports the innermost block that the end of the file leaves open, and returns the statements of the
// file.
func (p *parser) unclosedBlocks(body []Statement) []Statement {
	if p.open == nil {
		return body
	}
	p.unclosed(p.open.brace, "block", "}")
	outermost := p.open
	for outermost.up != nil {
		outermost = outermost.up
	}
	return outermost.before
}

// statement reads one statement, or the part of it before a block, and returns the statements to go on with.
func (p *parser) statement(body []Statement) []Statement {
	switch p.tok.kind {
	case tokInclude:
		if s, ok := p.include(); ok {
			p.includes = append(p.includes, s)
			return append(body, s)
		}
	case tokIdent, tokUnique, tokLBracket:
		a := &Assignment{at: at{p.tok.span}}
		if p.tok.kind == tokLBracket && !p.extended {
			p.unexpected("the name of an attribute", "")
		} else if p.target(a) {
			return p.assignment(body, a)
		}
	default:
		p.unexpected("the name of an attribute", p.reservedHelp())
	}
	p.synchronize()
	return body
}

// include reads an include.
//
//	include = "#include" string ";"
func (p *parser) include() (*Include, bool) {
	start := p.tok.span
	p.advance()
	file := p.tok.span
	if p.tok.kind != tokString {
		p.unexpected("the file to include, in double quotes", "")
		return nil, false
	}
	path, ok := p.str()
	if !ok {
		return nil, false
	}
	n := &Include{at{p.since(start)}, path, file}
	if p.extended {
		return n, true
	}
	return n, p.end("the include")
}

// target reads the left-hand side of an assignment, with HP's tags before it.
//
//	[ tags ] ( reference | "--" )
func (p *parser) target(a *Assignment) bool {
	if p.tok.kind == tokLBracket {
		p.advance()
		for p.tok.kind == tokIdent {
			a.Tags = append(a.Tags, p.text(p.tok.span))
			p.advance()
			if p.tok.kind == tokComma {
				p.advance()
			}
		}
		if !p.expect(tokRBracket, " after the tags") {
			return false
		}
	}
	if p.tok.kind == tokUnique {
		p.advance()
		return true
	}
	var ok bool
	a.Target, ok = p.reference()
	return ok
}

// assignment reads the right-hand side of an assignment, or of an order.
//
//	value = basic ";" | reference ";" | "extends" proto { "," proto }
func (p *parser) assignment(body []Statement, a *Assignment) []Statement {
	if p.tok.kind == tokExtends {
		x := &Extends{at: at{p.tok.span}}
		x.Protos = x.one[:0]
		p.advance()
		return p.prototypes(body, a, x, false)
	}
	v, ok := p.value()
	if ok && p.tok.kind == tokLess && a.isOrder(v) {
		if s, ok := p.order(a.span, v.(*Link).Ref); ok {
			return append(body, s)
		}
	} else if ok && p.end("the value") {
		a.Value = v
		a.span = p.since(a.span)
		return append(body, a)
	}
	p.synchronize()
	return body
}

// isOrder reports whether an assignment, followed by `<`, is meant as an order.
func (a *Assignment) isOrder(v Expr) bool {
	_, link := v.(*Link)
	return link && a.Target != nil && len(a.Target.Path) == 1 && a.Target.Path[0] == "order"
}

// order reads the rest of an order.
//
//	order = "order" reference "<" reference { "<" reference } ";"
func (p *parser) order(start source.Span, first *Ref) (*Order, bool) {
	refs := []*Ref{first}
	for p.tok.kind == tokLess {
		p.advance()
		r, ok := p.reference()
		if !ok {
			return nil, false
		}
		refs = append(refs, r)
	}
	if !p.end("the order") {
		return nil, false
	}
	return &Order{at{p.since(start)}, refs}, true
}

// prototypes reads an `extends` list, up to its end or up to a block in it, which it opens. More says that a prototype
// has just been read.
//
//	"extends" proto { "," proto }
//	proto = reference | "{" body "}"
func (p *parser) prototypes(body []Statement, a *Assignment, x *Extends, more bool) []Statement {
	for {
		if more {
			switch {
			case p.tok.kind == tokComma:
				p.advance()
			case p.tok.kind == tokLBrace:
				if !p.extended {
					p.spelling(p.tok.span, "expected `,` between prototypes", "write `, {`")
				}
			default:
				x.span = p.since(x.span)
				a.Value, a.span = x, p.since(a.span)
				return append(body, a)
			}
		}
		more = true
		switch p.tok.kind {
		case tokLBrace:
			if !p.enter() {
				return body
			}
			p.open = &openBlock{p.tok, a, x, body, p.open}
			p.advance()
			return nil
		case tokIdent:
			if r, ok := p.reference(); ok {
				x.Protos = append(x.Protos, r)
				continue
			}
		default:
			p.unexpected("a prototype: a name, or `{`", p.reservedHelp())
		}
		p.synchronize()
		return body
	}
}

// value reads a right-hand side that is no component.
func (p *parser) value() (Expr, bool) {
	switch p.tok.kind {
	case tokIdent:
		r, ok := p.reference()
		if !ok {
			return nil, false
		}
		if p.tok.kind == tokIdent && !p.extended && r.Path[0] == "LAZY" && len(r.Path) == 1 {
			p.spelling(r.span, "`LAZY` is not known here", "write `DATA "+p.text(p.tok.span)+"`")
			return nil, false
		}
		return &Link{at{r.span}, r}, true
	case tokLBrace:
		p.unexpected("a value", "a component is written `name extends { … }`")
		return nil, false
	}
	return p.basic("a value", "")
}

// reference reads a reference.
//
//	reference = ident { ":" ident }
func (p *parser) reference() (*Ref, bool) {
	start := p.tok.span
	if p.tok.kind != tokIdent {
		p.unexpected("a name", p.reservedHelp())
		return nil, false
	}
	r := &Ref{at: at{start}, one: [1]string{p.text(start)}}
	r.Path = r.one[:]
	p.advance()
	if p.tok.kind != tokColon {
		return r, true
	}
	path, parts := Reference{r.one[0]}, []source.Span{start}
	for p.tok.kind == tokColon {
		p.advance()
		if p.tok.kind != tokIdent {
			p.unexpected("a name after `:`", p.reservedHelp())
			return nil, false
		}
		path = append(path, p.text(p.tok.span))
		parts = append(parts, p.tok.span)
		p.advance()
	}
	r.span, r.Path, r.parts = p.since(start), path, parts
	return r, true
}

// basic reads a basic value.
//
//	basic = "true" | "false" | "NULL" | number | string | "DATA" reference | "[" [ basic { "," basic } ] "]"
func (p *parser) basic(want, help string) (Basic, bool) {
	start := p.tok.span
	self := func() basicNode { return basicNode{at{p.since(start)}} }
	switch p.tok.kind {
	case tokTrue, tokFalse:
		b := &BoolLit{Value: p.tok.kind == tokTrue}
		p.advance()
		b.basicNode = self()
		return b, true
	case tokNull:
		p.advance()
		return &NullLit{self()}, true
	case tokNumber:
		text := p.text(start)
		if _, ok := canonicalNumber(text); !ok {
			p.report(&source.Diagnostic{
				Code: codeLiteral, Place: p.place(start), Summary: "parse: this is no number",
				Help: "numbers are written 10, -10, 1.5, 1.5e3, 0x1F or 0o17",
			})
			p.advance()
			return nil, false
		}
		p.advance()
		return &NumLit{self(), text}, true
	case tokString:
		s, ok := p.str()
		return &StrLit{self(), s}, ok
	case tokData, tokLazy:
		lazy := p.tok.kind == tokLazy
		p.advance()
		r, ok := p.reference()
		if !ok {
			return nil, false
		}
		if lazy {
			return &LazyRefLit{self(), r}, true
		}
		return &DataRefLit{self(), r}, true
	case tokTBD:
		p.advance()
		return &TBDLit{self()}, true
	case tokLBracket:
		return p.vector(tokRBracket)
	case tokLVector:
		return p.vector(tokRVector)
	}
	p.unexpected(want, help)
	return nil, false
}

// vector reads a vector.
//
//	"[" [ basic { "," basic } ] "]"
func (p *parser) vector(closer kind) (Basic, bool) {
	open := p.tok
	if !p.enter() {
		return nil, false
	}
	p.advance()
	elems, ok := p.elements(open, closer)
	p.depth--
	if !ok {
		return nil, false
	}
	p.advance()
	return &VecLit{basicNode{at{p.since(open.span)}}, slices.Clip(elems)}, true
}

// elements reads up to the closer of a vector.
func (p *parser) elements(open token, closer kind) ([]Basic, bool) {
	var elems []Basic
	for p.tok.kind != closer || len(elems) > 0 {
		help := p.reservedHelp()
		if p.tok.kind == tokIdent {
			help = "a vector holds basic values; a link cannot stand in it, a DATA reference can"
		}
		e, ok := p.basic("a basic value", help)
		if !ok {
			return nil, false
		}
		elems = append(elems, e)
		if p.tok.kind == closer {
			break
		}
		if p.tok.kind == tokEOF {
			p.unclosed(open, "vector", strings.Trim(closer.name(), "`"))
			return nil, false
		}
		if p.tok.kind != tokComma {
			p.unexpected("`,` or "+closer.name(), "")
			return nil, false
		}
		p.advance()
	}
	return elems, true
}

// str reads a string literal.
func (p *parser) str() (string, bool) {
	at := p.tok.span
	s, bad := unquote(p.text(at))
	p.advance()
	if bad == nil {
		return s, true
	}
	p.report(&source.Diagnostic{
		Code: codeLiteral, Summary: "parse: " + bad.problem,
		Place: p.place(source.Span{Start: at.Start + uint32(bad.start), End: at.Start + uint32(bad.end)}),
		Help:  `the escapes are \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits`,
	})
	return "", false
}

// enter counts a level of nesting; false when there are too many.
func (p *parser) enter() bool {
	p.depth++
	if p.depth <= maxNesting {
		return true
	}
	p.report(tooNested(p.place(p.tok.span)))
	p.quit = true
	p.advance()
	return false
}

func tooNested(at source.Place) *source.Diagnostic {
	return &source.Diagnostic{
		Code: codeNesting, Summary: fmt.Sprintf("parse: nesting beyond %d levels", maxNesting), Place: at,
		Help: "give inner components a name of their own and refer to it",
	}
}
