package smartfrog

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/source"
)

// maxNesting bounds how deep blocks and vectors may stand in each other. Reading and evaluating recurse, a few hundred bytes of
// stack for each level; Go ends the whole program when the stack outgrows its limit, so we stop well before.
const maxNesting = 250_000

// maxErrors is how many errors one file, and one evaluation, may report before we stop looking for more.
const maxErrors = 50

// Parse reads one file. The tree holds whatever could be read; it is complete when no diagnostic is an Error. Included files are
// not read.
func Parse(f *source.File, opt Options) (*Spec, source.Diagnostics) {
	p := &parser{file: f, extended: opt.Extended}
	p.scan = newScanner(f, opt.Extended, p.report)
	p.advance()
	return &Spec{File: f, Body: p.body(nil)}, p.diags
}

// A parser is a recursive-descent parser with one token of lookahead. Its methods follow grammar.txt. A method that returns
// false has reported an error and left the rest of the statement to synchronize.
type parser struct {
	file     *source.File
	scan     *scanner
	extended bool
	tok      token
	last     source.Span // the token before tok
	depth    int
	quit     bool // given up: only tokEOF follows
	diags    source.Diagnostics
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

func (p *parser) report(d *source.Diagnostic) {
	p.diags = append(p.diags, d)
	if len(p.diags) >= maxErrors && !p.quit {
		p.quit = true
		p.diags = append(p.diags, tooMany(d.Place))
	}
}

// tooMany is the note that ends a list of errors before it tires its reader.
func tooMany(at source.Place) *source.Diagnostic {
	return &source.Diagnostic{
		Code: codeMany, Severity: source.Note, Place: at,
		Summary: fmt.Sprintf("after %d errors we stop looking for more", maxErrors),
	}
}

// found names the current token in messages.
func (p *parser) found() string {
	if p.tok.kind == tokEOF {
		return p.tok.kind.name()
	}
	text := p.text(p.tok.span)
	if len(text) > 30 || strings.Contains(text, "\n") {
		return p.tok.kind.name()
	}
	return "`" + text + "`"
}

// unexpected reports the current token; an unreadable one has been reported by the scanner.
func (p *parser) unexpected(want, help string) {
	if p.tok.kind == tokBad || p.quit {
		return
	}
	p.report(&source.Diagnostic{
		Code: codeSyntax, Place: p.place(p.tok.span), Help: help,
		Summary: "parse: expected " + want + ", found " + p.found(),
	})
}

// spelling reports an HP spelling that --extended would accept.
func (p *parser) spelling(at source.Span, summary, help string) {
	p.report(&source.Diagnostic{
		Code: codeSpelling, Place: p.place(at), Summary: "parse: " + summary,
		Help: help + ", or compile with --extended",
	})
}

func (p *parser) expect(k kind, where string) bool {
	if p.tok.kind != k {
		p.unexpected(k.name()+where, "")
		return false
	}
	p.advance()
	return true
}

// body reads statements up to the end of the file, or of the block that open starts.
//
//	body = { assignment | order | include }
func (p *parser) body(open *token) []Statement {
	var list []Statement
	for {
		switch p.tok.kind {
		case tokEOF:
			return slices.Clip(list)
		case tokRBrace:
			if open != nil {
				return slices.Clip(list)
			}
			p.report(&source.Diagnostic{
				Code: codeSyntax, Place: p.place(p.tok.span), Summary: "parse: this `}` closes nothing",
				Help: "remove it, or look for a `{` that is missing before",
			})
			p.advance()
			continue
		case tokSemi:
			if !p.extended {
				p.straySemicolon(list)
			}
			p.advance()
			continue
		}
		if s, ok := p.statement(); ok {
			list = append(list, s)
		} else {
			p.synchronize()
		}
	}
}

// straySemicolon reports a `;` where a statement should start.
func (p *parser) straySemicolon(before []Statement) {
	if len(before) > 0 {
		if a, ok := before[len(before)-1].(*Assignment); ok {
			if _, ok := a.Value.(*Extends); ok {
				p.spelling(p.tok.span, "no `;` stands after prototypes", "remove it")
				return
			}
		}
	}
	p.report(&source.Diagnostic{
		Code: codeSyntax, Place: p.place(p.tok.span), Summary: "parse: this `;` ends nothing", Help: "remove it",
	})
}

// synchronize skips the rest of a statement that could not be read: up to and with its `;`, or up to the `}` of its block.
func (p *parser) synchronize() {
	for depth := 0; ; p.advance() {
		switch p.tok.kind {
		case tokEOF:
			return
		case tokLBrace:
			depth++
		case tokRBrace:
			if depth == 0 {
				return
			}
			depth--
			if depth == 0 {
				p.advance()
				return
			}
		case tokSemi:
			if depth == 0 {
				p.advance()
				return
			}
		}
	}
}

func (p *parser) statement() (Statement, bool) {
	start := p.tok.span
	switch p.tok.kind {
	case tokInclude:
		return p.include()
	case tokIdent:
		target, ok := p.reference()
		if !ok {
			return nil, false
		}
		return p.assignment(start, target, nil)
	case tokUnique:
		p.advance()
		return p.assignment(start, nil, nil)
	case tokLBracket:
		if p.extended {
			return p.tagged()
		}
	case tokTrue, tokFalse, tokNull, tokData, tokExtends, tokLazy, tokTBD:
		p.unexpected("the name of an attribute", "`"+p.text(p.tok.span)+"` is a reserved word")
		return nil, false
	}
	p.unexpected("the name of an attribute", "")
	return nil, false
}

// include = "#include" string ";"
func (p *parser) include() (Statement, bool) {
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

// tagged reads an assignment that bears HP's tags, which have no meaning here.
//
//	tags = "[" { ident [ "," ] } "]"
func (p *parser) tagged() (Statement, bool) {
	start := p.tok.span
	p.advance()
	var tags []string
	for p.tok.kind == tokIdent {
		tags = append(tags, p.text(p.tok.span))
		p.advance()
		if p.tok.kind == tokComma {
			p.advance()
		}
	}
	if !p.expect(tokRBracket, " after the tags") {
		return nil, false
	}
	if p.tok.kind == tokUnique {
		p.advance()
		return p.assignment(start, nil, tags)
	}
	target, ok := p.reference()
	if !ok {
		return nil, false
	}
	return p.assignment(start, target, tags)
}

// assignment = reference value
func (p *parser) assignment(start source.Span, target *Ref, tags []string) (Statement, bool) {
	v, ok := p.value()
	if !ok {
		return nil, false
	}
	if l, ok := v.(*Link); ok && p.tok.kind == tokLess && target != nil && len(target.Path) == 1 && target.Path[0] == "order" {
		return p.order(start, l.Ref)
	}
	if _, ok := v.(*Extends); !ok && !p.end("the value") {
		return nil, false
	}
	return &Assignment{at{p.since(start)}, target, v, tags}, true
}

// end reads the `;` that ends a statement. When it is missing but the next statement starts on another line, nothing else need
// be skipped: the error is reported, and what follows is read as if the `;` were there.
func (p *parser) end(what string) bool {
	if p.tok.kind == tokSemi {
		p.advance()
		return true
	}
	if p.tok.kind == tokBad || p.quit {
		return false
	}
	end := p.last.End
	p.report(&source.Diagnostic{
		Code: codeSyntax, Summary: "parse: expected `;` after " + what + ", found " + p.found(),
		Place: p.place(p.tok.span), Help: "add the `;`",
		Fixes: []source.Fix{{Message: "add the `;`", Edits: []source.Edit{{Place: p.place(source.Span{Start: end, End: end}), Text: ";"}}}},
	})
	return strings.Contains(p.file.Text[end:p.tok.span.Start], "\n")
}

// order = "order" reference "<" reference { "<" reference } ";"
func (p *parser) order(start source.Span, first *Ref) (Statement, bool) {
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

// value = basic ";" | reference ";" | "extends" proto { "," proto }
func (p *parser) value() (Expr, bool) {
	switch p.tok.kind {
	case tokIdent:
		r, ok := p.reference()
		if !ok {
			return nil, false
		}
		if p.tok.kind == tokIdent && !p.extended && (r.Path[0] == "LAZY" || r.Path[0] == "TBD") && len(r.Path) == 1 {
			p.spelling(r.span, "`"+r.Path[0]+"` is not known here", "write the value itself")
			return nil, false
		}
		return &Link{at{r.span}, r}, true
	case tokExtends:
		return p.extends()
	case tokLBrace:
		p.unexpected("a value", "a component is written `name extends { … }`")
		return nil, false
	}
	return p.basic("a value", "")
}

// "extends" proto { "," proto }
func (p *parser) extends() (Expr, bool) {
	start := p.tok.span
	p.advance()
	var protos []Prototype
	for {
		proto, ok := p.proto()
		if !ok {
			return nil, false
		}
		protos = append(protos, proto)
		if p.tok.kind == tokLBrace {
			if !p.extended {
				p.spelling(p.tok.span, "expected `,` between prototypes", "write `, {`")
				return nil, false
			}
			continue
		}
		if p.tok.kind != tokComma {
			return &Extends{at{p.since(start)}, slices.Clip(protos)}, true
		}
		p.advance()
	}
}

// proto = reference | "{" body "}"
func (p *parser) proto() (Prototype, bool) {
	switch p.tok.kind {
	case tokLBrace:
		return p.block()
	case tokIdent:
		return p.reference()
	}
	p.unexpected("a prototype: a name, or `{`", "")
	return nil, false
}

func (p *parser) block() (Prototype, bool) {
	open := p.tok
	if !p.enter() {
		return nil, false
	}
	p.advance()
	body := p.body(&open)
	p.depth--
	if p.tok.kind != tokRBrace {
		p.unclosed(open, "block", "}")
		return nil, false
	}
	p.advance()
	return &Block{at{p.since(open.span)}, body}, true
}

// unclosed reports, once, what the end of the file leaves open.
func (p *parser) unclosed(open token, what, closer string) {
	if p.quit {
		return
	}
	p.report(&source.Diagnostic{
		Code: codeUnclosed, Summary: "parse: this " + what + " is never closed",
		Place: p.place(open.span), Label: "it starts here",
		Help: "add the closing `" + closer + "`",
	})
	p.quit = true
}

// enter counts a level of nesting; false when there are too many.
func (p *parser) enter() bool {
	p.depth++
	if p.depth <= maxNesting {
		return true
	}
	p.depth--
	p.report(&source.Diagnostic{
		Code: codeNesting, Summary: fmt.Sprintf("parse: nesting beyond %d levels", maxNesting),
		Place: p.place(p.tok.span), Help: "give inner components a name of their own and refer to it",
	})
	p.quit = true
	p.advance()
	return false
}

// reference = ident { ":" ident }
func (p *parser) reference() (*Ref, bool) {
	start := p.tok.span
	if p.tok.kind != tokIdent {
		p.unexpected("a name", p.reservedHelp())
		return nil, false
	}
	path := Reference{p.text(start)}
	p.advance()
	if p.tok.kind != tokColon {
		return &Ref{at: at{start}, Path: path}, true
	}
	parts := []source.Span{start}
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
	return &Ref{at{p.since(start)}, slices.Clip(path), slices.Clip(parts)}, true
}

func (p *parser) reservedHelp() string {
	switch p.tok.kind {
	case tokTrue, tokFalse, tokNull, tokData, tokExtends, tokLazy, tokTBD:
		return "`" + p.text(p.tok.span) + "` is a reserved word"
	}
	return ""
}

// basic = "true" | "false" | "NULL" | number | string | "DATA" reference | "[" [ basic { "," basic } ] "]"
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

// "[" [ basic { "," basic } ] "]"
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
		help := ""
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
