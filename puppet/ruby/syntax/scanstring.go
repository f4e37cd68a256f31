package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/onigmo"
	"bunraku/source"
)

// A quote says how a string-like literal is written.
type quote struct {
	open, close byte // open is zero unless brackets nest
	interpolate bool
	regexp      bool // escapes are left for the regexp to read
	words       bool // %w: split at blanks
	heredoc     bool // ends at p.end
	dedent      int  // blanks to leave out at each line's start, -1 for none
	start       int  // where the literal begins, for errors
}

// stringBody reads up to the closing quote, which it consumes. The result alternates StrLits and Seqs.
func (p *parser) stringBody(q quote) []Node {
	var parts []Node
	var b []byte
	from := p.pos
	flush := func() {
		if len(b) > 0 {
			parts = append(parts, &StrLit{At: At{p.from(from)}, Value: string(b)})
			b = b[:0]
		}
	}
	depth := 0
	lineStart := q.heredoc && q.dedent > 0
	for {
		if lineStart {
			p.pos += indentBytes(p.src[p.pos:p.end], q.dedent)
			lineStart = false
		}
		if p.pos >= p.end {
			if q.heredoc {
				flush()
				return parts
			}
			p.fail("R0004", source.Span{Start: uint32(q.start), End: uint32(min(q.start+1, p.end))},
				"unterminated string meets end of file")
		}
		c := p.src[p.pos]
		switch {
		case !q.heredoc && c == q.close && depth == 0:
			flush()
			p.pos++
			return parts
		case !q.heredoc && c == q.close:
			depth--
		case q.open != 0 && c == q.open:
			depth++
		case c == '\\':
			if q.interpolate && !q.regexp {
				p.pos++
				if q.words && p.pos < p.end && isBlank(p.src[p.pos]) {
					b = append(b, p.src[p.pos])
					p.pos++
					continue
				}
				if p.peekByte(0) == '\n' && q.heredoc && q.dedent > 0 {
					p.pos++
					lineStart = true
					continue
				}
				b = append(b, p.escape()...)
				continue
			}
			next := p.peekByte(1)
			switch {
			case q.regexp && next == q.close && next == '/':
				b = append(b, '/')
				p.pos += 2
				continue
			case q.regexp && next != 0:
				if next == '\n' {
					p.pos += 2
					continue
				}
				b = append(b, '\\', next)
				p.pos += 2
				continue
			case !q.heredoc && (next == q.close || next == '\\' || q.open != 0 && next == q.open):
				b = append(b, next)
				p.pos += 2
				continue
			}
		case c == '#' && q.interpolate:
			switch next := p.peekByte(1); {
			case next == '{':
				flush()
				at := p.pos
				p.pos += 2
				body := p.embedded()
				body.Where = p.from(at)
				parts = append(parts, body)
				from = p.pos
				continue
			case next == '@' && (IsIdentStart(p.peekByte(2)) || p.peekByte(2) == '@'), next == '$' &&
				IsIdentStart(p.peekByte(2)):
				flush()
				at := p.pos
				p.pos++
				saved := p.state
				t := p.scan(false)
				p.state = saved
				parts = append(parts, &Seq{At{p.from(at)}, []Node{variableNode(t)}})
				from = p.pos
				continue
			}
		case c == '\r' && p.peekByte(1) == '\n' && q.heredoc:
			p.pos++
			continue
		case c == '\n':
			if to, skip := p.skips[p.pos]; skip && !q.heredoc {
				b = append(b, '\n')
				p.pos = to
				continue
			}
			lineStart = q.heredoc && q.dedent > 0
		}
		b = append(b, c)
		p.pos++
	}
}

func indentBytes(s string, width int) int {
	col, i := 0, 0
	for i < len(s) && col < width {
		switch s[i] {
		case ' ':
			col++
		case '\t':
			col = (col/8 + 1) * 8
			if col > width {
				return i
			}
		default:
			return i
		}
		i++
	}
	return i
}

func variableNode(t token) Node {
	switch t.kind {
	case tIVar:
		return &IVar{At{t.span}, t.text}
	case tCVar:
		return &CVar{At{t.span}, t.text}
	}
	return &GVar{At{t.span}, t.text}
}

// embedded parses the code of #{…}; p.pos stands behind the opening brace and is left behind the closing one.
func (p *parser) embedded() *Seq {
	if p.nest++; p.nest > MaxNesting {
		p.fail("R0007", source.Span{Start: uint32(p.pos), End: uint32(p.pos)}, "nested too deeply")
	}
	tok, prevEnd, state, noDo, ternary, stmt := p.tok, p.prevEnd, p.state, p.noDo, p.ternary, p.stmtPos
	p.state, p.noDo, p.ternary = sBeg, false, 0
	p.advance()
	body := p.stmts(func() bool { return p.tok.is("}") })
	if !p.tok.is("}") {
		p.unexpected()
	}
	p.pos = int(p.tok.span.End)
	p.tok, p.prevEnd, p.state, p.noDo, p.ternary, p.stmtPos = tok, prevEnd, state, noDo, ternary, stmt
	p.nest--
	return body
}

// escape resolves one escape sequence; p.pos stands behind the backslash.
func (p *parser) escape() string {
	if p.pos >= p.end {
		p.fail("R0004", source.Span{Start: uint32(p.end), End: uint32(p.end)}, "unterminated string meets end of file")
	}
	at := p.pos - 1
	c := p.src[p.pos]
	p.pos++
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 's':
		return " "
	case 'r':
		return "\r"
	case 'a':
		return "\a"
	case 'b':
		return "\b"
	case 'e':
		return "\x1b"
	case 'f':
		return "\f"
	case 'v':
		return "\v"
	case '\n':
		return ""
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := int(c - '0')
		for i := 0; i < 2 && '0' <= p.peekByte(0) && p.peekByte(0) <= '7'; i++ {
			n = n*8 + int(p.src[p.pos]-'0')
			p.pos++
		}
		return string([]byte{byte(n)})
	case 'x':
		n, digits := p.hex(2)
		if digits == 0 {
			p.fail("R0005", p.from(at), "invalid hex escape")
		}
		return string([]byte{byte(n)})
	case 'u':
		if p.peekByte(0) != '{' {
			n, digits := p.hex(4)
			if digits != 4 {
				p.fail("R0005", p.from(at), "invalid Unicode escape")
			}
			return string(rune(n))
		}
		p.pos++
		var b strings.Builder
		for p.peekByte(0) != '}' {
			n, digits := p.hex(6)
			if digits == 0 || n > utf8.MaxRune {
				p.fail("R0005", p.from(at), "invalid Unicode escape")
			}
			b.WriteRune(rune(n))
			for isBlank(p.peekByte(0)) {
				p.pos++
			}
		}
		p.pos++
		return b.String()
	case 'c':
		n := p.peekByte(0)
		p.pos = min(p.pos+1, p.end)
		if n == '?' {
			return "\x7f"
		}
		return string([]byte{n & 0x9f})
	}
	if c >= utf8.RuneSelf {
		_, n := utf8.DecodeRuneInString(p.src[p.pos-1 : p.end])
		p.pos += n - 1
		return p.src[p.pos-n : p.pos]
	}
	return string([]byte{c})
}

func (p *parser) hex(most int) (n, digits int) {
	for digits < most && p.pos < p.end {
		d, err := strconv.ParseUint(p.src[p.pos:p.pos+1], 16, 8)
		if err != nil {
			break
		}
		n = n*16 + int(d)
		digits++
		p.pos++
	}
	return n, digits
}

// joinParts makes a string node of scanned parts.
func joinParts(parts []Node, at source.Span) Node {
	switch len(parts) {
	case 0:
		return &StrLit{At: At{at}, Value: ""}
	case 1:
		if s, ok := parts[0].(*StrLit); ok {
			return &StrLit{At: At{at}, Value: s.Value}
		}
	}
	return &DStr{At{at}, parts}
}

// regexp reads a regexp's body and flags.
func (p *parser) regexp(q quote) token {
	parts := p.stringBody(q)
	n := &RegexLit{Parts: parts}
	for {
		switch p.peekByte(0) {
		case 'i':
			n.Flags |= onigmo.IgnoreCase
		case 'x':
			n.Flags |= onigmo.Extended
		case 'm':
			n.Flags |= onigmo.Multiline
		case 'o', 'n', 'e', 's', 'u':
		default:
			n.Where = p.from(q.start)
			if text, static := StaticText(parts); static {
				re, err := onigmo.Compile(text, n.Flags)
				if err != nil {
					p.fail("R0006", n.Where, err.Error())
				}
				n.Re = re
			}
			return p.literal(n, q.start)
		}
		p.pos++
	}
}

func StaticText(parts []Node) (string, bool) {
	switch len(parts) {
	case 0:
		return "", true
	case 1:
		if s, ok := parts[0].(*StrLit); ok {
			return s.Value, true
		}
	}
	return "", false
}

// percent reads %w[…], %q(…), %(…) and their kin.
func (p *parser) percent() (token, bool) {
	start := p.pos
	kind := byte('Q')
	n := 1
	if c := p.peekByte(1); strings.IndexByte("wWqQiIrsx", c) >= 0 && c != 0 && p.peekByte(2) != 0 &&
		!IsIdent(p.peekByte(2)) && !isBlank(p.peekByte(2)) {
		kind = c
		n = 2
	}
	open := p.peekByte(n)
	if open == 0 || IsIdent(open) || isBlank(open) || n == 1 && open == '=' && p.state != sBeg {
		return token{}, false
	}
	q := quote{close: open, start: start, interpolate: strings.IndexByte("WQIrx", kind) >= 0, regexp: kind == 'r'}
	if i := strings.IndexByte("([{<", open); i >= 0 {
		q.open, q.close = open, ")]}>"[i]
	}
	p.pos += n + 1
	switch kind {
	case 'r':
		return p.regexp(q), true
	case 'w', 'i', 'W', 'I':
		return p.words(q, kind), true
	}
	parts := p.stringBody(q)
	switch kind {
	case 'x':
		return p.literal(&XStr{At{p.from(start)}, parts}, start), true
	case 's':
		text, _ := StaticText(parts)
		return p.literal(&SymLit{At{p.from(start)}, text}, start), true
	}
	return p.literal(joinParts(parts, p.from(start)), start), true
}

// words reads %w and %i lists. Blanks that the writer escaped do not split.
func (p *parser) words(q quote, kind byte) token {
	list := &ArrayLit{}
	add := func(parts []Node, at source.Span) {
		n := joinParts(parts, at)
		if kind == 'i' || kind == 'I' {
			if s, ok := n.(*StrLit); ok {
				n = &SymLit{s.At, s.Value}
			} else {
				n = &DSym{At{at}, parts}
			}
		}
		list.Elems = append(list.Elems, n)
	}
	depth := 0
	var word []Node
	var b []byte
	from := p.pos
	flush := func() {
		if len(b) > 0 {
			word = append(word, &StrLit{At: At{p.from(from)}, Value: string(b)})
			b = nil
		}
	}
	end := func() {
		flush()
		if len(word) > 0 {
			add(word, p.from(from))
			word = nil
		}
	}
	for {
		if p.pos >= p.end {
			p.fail("R0004", source.Span{Start: uint32(q.start), End: uint32(q.start + 1)}, "unterminated list meets end of file")
		}
		c := p.src[p.pos]
		switch {
		case isBlank(c):
			end()
			p.pos++
			from = p.pos
			continue
		case c == q.close && depth == 0:
			end()
			p.pos++
			list.Where = p.from(q.start)
			return p.literal(list, q.start)
		case c == q.close:
			depth--
		case q.open != 0 && c == q.open:
			depth++
		case c == '\\':
			next := p.peekByte(1)
			if q.interpolate && !isBlank(next) {
				p.pos++
				b = append(b, p.escape()...)
				continue
			}
			if isBlank(next) || next == '\\' || next == q.close || q.open != 0 && next == q.open {
				b = append(b, next)
				p.pos += 2
				continue
			}
		case c == '#' && q.interpolate && p.peekByte(1) == '{':
			flush()
			p.pos += 2
			word = append(word, p.embedded())
			continue
		}
		b = append(b, c)
		p.pos++
	}
}

// heredoc reads <<ID, <<-ID and <<~ID: the body begins on the next line, behind the bodies of earlier ones on this
// line.
func (p *parser) heredoc() (token, bool) {
	start := p.pos
	i := p.pos + 2
	mode := byte(0)
	if i < p.end && (p.src[i] == '-' || p.src[i] == '~') {
		mode = p.src[i]
		i++
	}
	mark := byte(0)
	if i < p.end && (p.src[i] == '"' || p.src[i] == '\'' || p.src[i] == '`') {
		mark = p.src[i]
		i++
	}
	from := i
	for i < p.end && (IsIdent(p.src[i]) || mark != 0 && p.src[i] != mark && p.src[i] != '\n') {
		i++
	}
	id := p.src[from:i]
	if id == "" || IsDigit(id[0]) {
		return token{}, false
	}
	if mark != 0 {
		if i >= p.end || p.src[i] != mark {
			return token{}, false
		}
		i++
	}
	p.pos = i
	eol := strings.IndexByte(p.src[i:p.end], '\n')
	if eol < 0 {
		p.fail("R0004", p.from(start), fmt.Sprintf("can't find string %q anywhere before EOF", id))
	}
	eol += i
	body := eol + 1
	if to, more := p.skips[eol]; more {
		body = to
	}
	at, end, next := body, -1, 0
	indent := -1
	for at <= p.end && end < 0 {
		stop := strings.IndexByte(p.src[at:p.end], '\n')
		line := p.src[at:p.end]
		after := p.end
		if stop >= 0 {
			line, after = p.src[at:at+stop], at+stop+1
		}
		line = strings.TrimSuffix(line, "\r")
		text := line
		if mode != 0 {
			text = strings.TrimLeft(line, " \t")
		}
		if text == id {
			end, next = at, after
			break
		}
		if trimmed := strings.TrimLeft(line, " \t"); trimmed != "" {
			w := 0
			for _, c := range line[:len(line)-len(trimmed)] {
				if c == '\t' {
					w = (w/8 + 1) * 8
				} else {
					w++
				}
			}
			if indent < 0 || w < indent {
				indent = w
			}
		}
		if stop < 0 {
			break
		}
		at = after
	}
	if end < 0 {
		p.fail("R0004", p.from(start), fmt.Sprintf("can't find string %q anywhere before EOF", id))
	}
	q := quote{interpolate: mark != '\'', heredoc: true, start: start, dedent: -1}
	if mode == '~' {
		q.dedent = indent
	}
	// The body is read now; the scanner jumps over it at the end of this line.
	back, limit := p.pos, p.end
	p.pos, p.end = body, end
	parts := p.stringBody(q)
	p.pos, p.end = back, limit
	p.skips[eol] = next
	if mark == '`' {
		return p.literal(&XStr{At{p.from(start)}, parts}, start), true
	}
	return p.literal(joinParts(parts, p.from(start)), start), true
}
