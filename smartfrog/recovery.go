package smartfrog

import (
	"fmt"
	"strings"

	"bunraku/source"
)

// How the parser speaks of what it cannot read, and where it goes on.

func (p *parser) report(d *source.Diagnostic) {
	if p.quit || p.skipping && d.Code == codeCharacter {
		return
	}
	p.diags = append(p.diags, d)
	if len(p.diags) == maxErrors {
		p.quit = true
		p.diags = append(p.diags, tooMany("errors", d.Place))
	}
}

// tooMany is the note that ends a list of errors before it tires its reader.
func tooMany(what string, at source.Place) *source.Diagnostic {
	return &source.Diagnostic{
		Code: codeMany, Severity: source.Note, Place: at,
		Summary: fmt.Sprintf("after %d %s we stop looking for more", maxErrors, what),
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
	if p.tok.kind == tokBad {
		return
	}
	p.report(&source.Diagnostic{
		Code: codeSyntax, Place: p.place(p.tok.span), Help: help,
		Summary: "parse: expected " + want + ", found " + p.found(),
	})
}

// reservedHelp explains why a reserved word cannot stand where a name is expected.
func (p *parser) reservedHelp() string {
	switch p.tok.kind {
	case tokTrue, tokFalse, tokNull, tokData, tokExtends, tokLazy, tokTBD:
		return "`" + p.text(p.tok.span) + "` is a reserved word"
	}
	return ""
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

// end reads the `;` that ends a statement. When it is missing but the next statement starts on another line, nothing
// else need be skipped: the error is reported, and what follows is read as if the `;` were there.
func (p *parser) end(what string) bool {
	if p.tok.kind == tokSemi {
		p.advance()
		return true
	}
	if p.tok.kind == tokBad {
		return false
	}
	end := source.Span{Start: p.last.End, End: p.last.End}
	d := &source.Diagnostic{
		Code: codeSyntax, Summary: "parse: expected `;` after " + what + ", found " + p.found(),
		Place: p.place(p.tok.span), Help: "add the `;`",
		Fixes: []source.Fix{{Message: "add the `;`", Edits: []source.Edit{{Place: p.place(end), Text: ";"}}}},
	}
	newLine := strings.Contains(p.file.Text[end.End:p.tok.span.Start], "\n")
	if newLine {
		d.Place = p.place(end)
	}
	p.report(d)
	return newLine
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

// unclosed reports, once, what the end of the file leaves open.
func (p *parser) unclosed(open token, what, closer string) {
	p.report(&source.Diagnostic{
		Code: codeUnclosed, Summary: "parse: this " + what + " is never closed",
		Place: p.place(open.span), Label: "it starts here",
		Help: "add the closing `" + closer + "`",
	})
	p.quit = true
}

// synchronize skips the rest of a statement that could not be read: up to and with its `;`, or up to the `}` of its
// block.
func (p *parser) synchronize() {
	p.skipping = true
	defer func() { p.skipping = false }()
	for depth := 0; ; p.advance() {
		switch p.tok.kind {
		case tokEOF:
			return
		case tokLBrace:
			depth++
			continue
		case tokRBrace:
			if depth == 0 {
				return
			}
			depth--
		case tokSemi:
		default:
			continue
		}
		if depth == 0 {
			p.skipping = false
			p.advance()
			return
		}
	}
}
