package syntax

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// Ruby cannot be cut into tokens without knowing what came before: a slash may divide or begin a regexp, a bracket may
// index or make an array. The scanner therefore keeps the state that the previous token left, as Ruby's own does, and
// is asked for one token at a time. Strings are scanned whole; what is interpolated in them is parsed on the way.

type tokenKind uint8

const (
	tEOF tokenKind = iota
	tNewline
	tIdent // foo, foo?, foo!
	tConst
	tIVar
	tGVar
	tCVar
	tKeyword
	tLabel   // foo:
	tLiteral // node holds it: numbers, strings, symbols, regexps, %w
	tOp
)

// Ops that depend on the state carry a mark: "u-" is a sign, "u[" opens an array, "u*" spreads, "u(" groups,
// "(arg" is a parenthesis behind a blank: foo (1).
type token struct {
	kind  tokenKind
	text  string
	node  Node
	span  source.Span
	space bool // a blank or line end stands in front
}

func (t token) is(op string) bool      { return t.kind == tOp && t.text == op }
func (t token) keyword(k string) bool  { return t.kind == tKeyword && t.text == k }
func (t token) keywords(s string) bool { return t.kind == tKeyword && HasWord(s, t.text) }

func HasWord(list, w string) bool {
	for list != "" {
		head, rest, _ := strings.Cut(list, " ")
		if head == w {
			return true
		}
		list = rest
	}
	return false
}

type lexState uint8

const (
	sBeg   lexState = iota // a value is expected
	sMid                   // behind return, next, break: a value or a line end
	sEnd                   // a value has ended
	sArg                   // behind a name that may take arguments without parentheses
	sDot                   // behind a point
	sFname                 // behind def, alias, undef
)

var keywords = wordSet("alias and begin BEGIN break case class def defined? do else elsif end END ensure false for " +
	"if in module next nil not or redo rescue retry return self super then true undef unless until when while yield " +
	"__FILE__ __LINE__ __method__ __ENCODING__")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func (p *parser) peekByte(n int) byte {
	if p.pos+n < p.end {
		return p.src[p.pos+n]
	}
	return 0
}

func IsIdentStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }
func IsIdent(c byte) bool { return IsIdentStart(c) || IsDigit(c) }
func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

// advance reads the next token into p.tok.
func (p *parser) advance() {
	if p.steps++; p.steps > maxTokens {
		p.fail("R0008", source.Span{Start: uint32(p.pos), End: uint32(p.pos)},
			fmt.Sprintf("the code is longer than %d tokens", maxTokens))
	}
	p.prevEnd = p.tok.span.End
	p.tok = p.next()
}

func (p *parser) next() token {
	space := false
	for p.pos < p.end {
		c := p.src[p.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			p.pos++
			space = true
			continue
		case c == '\\' && p.peekByte(1) == '\n':
			p.pos += 2
			space = true
			continue
		case c == '\\' && p.peekByte(1) == '\r' && p.peekByte(2) == '\n':
			p.pos += 3
			space = true
			continue
		case c == '#':
			for p.pos < p.end && p.src[p.pos] != '\n' {
				p.pos++
			}
			continue
		case c == '\n':
			start := p.pos
			p.newline()
			space = true
			if p.state == sBeg || p.state == sDot || p.state == sFname || p.leadingDot() {
				continue
			}
			p.state = sBeg
			return token{kind: tNewline, text: "\n", span: p.from(start), space: true}
		}
		break
	}
	if p.pos >= p.end {
		return token{kind: tEOF, span: source.Span{Start: uint32(p.end), End: uint32(p.end)}, space: space}
	}
	if strings.HasPrefix(p.src[p.pos:p.end], "__END__") && (p.pos == 0 || p.src[p.pos-1] == '\n') &&
		(p.peekByte(7) == '\n' || p.peekByte(7) == 0) {
		p.pos = p.end
		return token{kind: tEOF, span: source.Span{Start: uint32(p.end), End: uint32(p.end)}, space: space}
	}
	t := p.scan(space)
	t.space = space
	return t
}

// newline steps over a line end, over the bodies of heredocs begun on that line, and over =begin comments.
func (p *parser) newline() {
	if to, ok := p.skips[p.pos]; ok {
		p.pos = to
	} else {
		p.pos++
	}
	for strings.HasPrefix(p.src[p.pos:p.end], "=begin") && (isBlank(p.peekByte(6)) || p.peekByte(6) == 0) {
		i := strings.Index(p.src[p.pos:p.end], "\n=end")
		if i < 0 {
			p.pos = p.end
			return
		}
		p.pos += i + 5
		for p.pos < p.end && p.src[p.pos] != '\n' {
			p.pos++
		}
		if p.pos < p.end {
			p.pos++
		}
	}
}

// leadingDot looks for a line that goes on with .method, past blank lines and comments.
func (p *parser) leadingDot() bool {
	for i := p.pos; i < p.end; i++ {
		switch c := p.src[i]; {
		case isBlank(c):
			if c == '\n' {
				if _, skip := p.skips[i]; skip {
					return false
				}
			}
		case c == '#':
			for i < p.end && p.src[i] != '\n' {
				i++
			}
		case c == '.':
			return i+1 < p.end && p.src[i+1] != '.'
		case c == '&':
			return i+1 < p.end && p.src[i+1] == '.'
		default:
			return false
		}
	}
	return false
}

func (p *parser) from(start int) source.Span {
	return source.Span{Start: uint32(start), End: uint32(p.pos)}
}

func (p *parser) literal(n Node, start int) token {
	p.state = sEnd
	return token{kind: tLiteral, node: n, span: p.from(start)}
}

// scan reads one token that begins at p.pos.
func (p *parser) scan(space bool) token {
	start := p.pos
	c := p.src[p.pos]
	beg := p.state == sBeg || p.state == sMid
	// spread: behind a name and a blank, an operator without a blank behind it begins an argument.
	spread := p.state == sArg && space && !isBlank(p.peekByte(1))
	switch {
	case IsDigit(c):
		return p.number()
	case IsIdentStart(c):
		return p.word()
	}
	if p.state == sFname || p.state == sDot {
		if op := operatorName(p.src[p.pos:p.end]); op != "" && !(p.state == sDot && (op == "[]" || op == "[]=")) {
			p.pos += len(op)
			p.state = sArg
			return token{kind: tIdent, text: op, span: p.from(start)}
		}
	}
	switch c {
	case '@':
		return p.sigil()
	case '$':
		return p.global()
	case '"', '\'', '`':
		p.pos++
		parts := p.stringBody(quote{close: c, interpolate: c != '\'', start: start})
		if c == '`' {
			return p.literal(&XStr{At{p.from(start)}, parts}, start)
		}
		return p.literal(joinParts(parts, p.from(start)), start)
	case '/':
		if beg || spread && p.peekByte(1) != '=' {
			p.pos++
			return p.regexp(quote{close: '/', interpolate: true, regexp: true, start: start})
		}
	case '%':
		if beg || spread && p.peekByte(1) != '=' {
			if t, ok := p.percent(); ok {
				return t
			}
		}
	case '?':
		if beg || spread {
			if t, ok := p.char(); ok {
				return t
			}
		}
	case '<':
		if (beg || spread) && p.peekByte(1) == '<' {
			if t, ok := p.heredoc(); ok {
				return t
			}
		}
	case ':':
		if t, ok := p.symbol(); ok {
			return t
		}
	}
	op := p.operator(beg, space)
	return token{kind: tOp, text: op, span: p.from(start)}
}

var operators = wordSet("**= <=> === ... <<= >>= &&= ||= ** == != >= <= && || =~ !~ .. :: << >> += -= *= /= %= &= |= " +
	"^= -> => &. + - * / % < > ! & | ^ ~ = ? : , . ( ) [ ] { } ;")

func (p *parser) operator(beg, space bool) string {
	rest := p.src[p.pos:p.end]
	op := ""
	for n := min(3, len(rest)); n > 0 && op == ""; n-- {
		if operators[rest[:n]] {
			op = rest[:n]
		}
	}
	if op == "" {
		_, n := utf8.DecodeRuneInString(rest)
		p.pos += n
		p.fail("R0001", source.Span{Start: uint32(p.pos - n), End: uint32(p.pos)},
			fmt.Sprintf("unexpected character %q", rest[:n]))
	}
	p.pos += len(op)
	was := p.state
	p.state = sBeg
	switch op {
	case "+", "-", "*", "**", "&", "::":
		spread := was == sArg && space && p.pos < p.end && !isBlank(p.src[p.pos])
		if beg || spread {
			return "u" + op
		}
	case "[":
		if beg || was == sArg && space {
			return "u["
		}
	case "(":
		if beg {
			return "u("
		}
		if was == sArg && space {
			return "(arg"
		}
	case ")", "]", "}":
		p.state = sEnd
	case ".", "&.":
		p.state = sDot
	case ";":
		return ";"
	}
	return op
}

// operatorName is the operator that can be a method's name at the start of s.
func operatorName(s string) string {
	for list := "[]= [] ** <=> === == =~ != !~ << >> <= >= +@ -@ ~@ !@ + - * / % < > ! & | ^ ~ `"; list != ""; {
		head, tail, _ := strings.Cut(list, " ")
		if strings.HasPrefix(s, head) {
			return head
		}
		list = tail
	}
	return ""
}

func (p *parser) number() token {
	start := p.pos
	digits := func(ok func(byte) bool) {
		for p.pos < p.end && (ok(p.src[p.pos]) || p.src[p.pos] == '_' && p.pos+1 < p.end && ok(p.src[p.pos+1])) {
			p.pos++
		}
	}
	base := 10
	if p.src[p.pos] == '0' {
		switch p.peekByte(1) {
		case 'x', 'X':
			base = 16
		case 'b', 'B':
			base = 2
		case 'o', 'O', '_':
			base = 8
		default:
			if IsDigit(p.peekByte(1)) {
				base = 8
			}
		}
	}
	if base != 10 {
		from := p.pos + 1
		p.pos++
		if !IsDigit(p.src[p.pos]) {
			p.pos++
			from++
		}
		digits(func(c byte) bool {
			return IsDigit(c) || base == 16 && ('a' <= c && c <= 'f' || 'A' <= c && c <= 'F')
		})
		if p.pos-from > maxDigits {
			p.fail("R0002", p.from(start), fmt.Sprintf("a number of more than %d digits", maxDigits))
			return p.literal(&IntLit{At: At{p.from(start)}}, start)
		}
		n, ok := new(big.Int).SetString(strings.ReplaceAll(p.src[from:p.pos], "_", ""), base)
		if !ok {
			p.fail("R0002", p.from(start), "Invalid octal digit")
		}
		return p.literal(intLit(n, p.from(start)), start)
	}
	digits(IsDigit)
	if p.pos-start > maxDigits {
		p.fail("R0002", p.from(start), fmt.Sprintf("a number of more than %d digits", maxDigits))
		return p.literal(&IntLit{At: At{p.from(start)}}, start)
	}
	float := false
	if p.peekByte(0) == '.' && IsDigit(p.peekByte(1)) {
		float = true
		p.pos++
		digits(IsDigit)
	}
	if c := p.peekByte(0); c == 'e' || c == 'E' {
		n := 1
		if s := p.peekByte(1); s == '+' || s == '-' {
			n = 2
		}
		if IsDigit(p.peekByte(n)) {
			float = true
			p.pos += n
			digits(IsDigit)
		}
	}
	text := strings.ReplaceAll(p.src[start:p.pos], "_", "")
	if float {
		f, _ := strconv.ParseFloat(text, 64)
		return p.literal(&FloatLit{At{p.from(start)}, f}, start)
	}
	n, _ := new(big.Int).SetString(text, 10)
	return p.literal(intLit(n, p.from(start)), start)
}

func intLit(n *big.Int, at source.Span) *IntLit {
	if n.IsInt64() {
		return &IntLit{At: At{at}, Value: n.Int64()}
	}
	return &IntLit{At: At{at}, Big: n}
}

// word reads a name, a keyword or a label.
func (p *parser) word() token {
	start := p.pos
	for p.pos < p.end && IsIdent(p.src[p.pos]) {
		p.pos++
	}
	if c := p.peekByte(0); (c == '?' || c == '!') && p.identMark() {
		p.pos++
	}
	text := p.src[start:p.pos]
	was := p.state
	label := p.peekByte(0) == ':' && p.peekByte(1) != ':' && was != sDot && (was != sFname) && p.ternary == 0
	if label && was != sEnd {
		p.pos++
		p.state = sBeg
		return token{kind: tLabel, text: text, span: p.from(start)}
	}
	t := token{kind: tIdent, text: text, span: p.from(start)}
	if was == sDot {
		p.state = sArg
		if 'A' <= text[0] && text[0] <= 'Z' {
			t.kind = tConst
		}
		return t
	}
	if was == sFname {
		// def foo=(x): the sign belongs to the name.
		if c := p.peekByte(0); c == '=' && p.peekByte(1) != '~' && p.peekByte(1) != '>' &&
			(p.peekByte(1) != '=' || p.peekByte(2) == '>') {
			p.pos++
			t.text += "="
			t.span = p.from(start)
		}
		p.state = sEnd
		if text == "self" && (p.peekByte(0) == '.' || p.peekByte(0) == ':' && p.peekByte(1) == ':') {
			t.kind = tKeyword
		} else if 'A' <= text[0] && text[0] <= 'Z' {
			t.kind = tConst
		}
		return t
	}
	if keywords[text] {
		t.kind = tKeyword
		switch text {
		case "end", "self", "true", "false", "nil", "redo", "retry", "__FILE__", "__LINE__", "__method__", "__ENCODING__",
			"END", "BEGIN":
			p.state = sEnd
		case "def", "alias", "undef":
			p.state = sFname
		case "return", "break", "next", "rescue":
			p.state = sMid
		case "super", "yield", "defined?", "not":
			p.state = sArg
		default:
			p.state = sBeg
		}
		return t
	}
	p.state = sArg
	if c := text[0]; 'A' <= c && c <= 'Z' {
		t.kind = tConst
	} else if p.scope.has(text) {
		p.state = sEnd
	}
	return t
}

// identMark decides whether a ? or ! behind a name belongs to it.
func (p *parser) identMark() bool {
	next := p.peekByte(1)
	if next == '=' {
		n := p.peekByte(2)
		return n == '=' || n == '~' || n == '>'
	}
	return true
}

func (p *parser) sigil() token {
	start := p.pos
	kind := tIVar
	p.pos++
	if p.peekByte(0) == '@' {
		kind = tCVar
		p.pos++
	}
	if !IsIdentStart(p.peekByte(0)) {
		p.fail("R0003", p.from(start), "'@' without identifiers is not allowed as an instance variable name")
	}
	for p.pos < p.end && IsIdent(p.src[p.pos]) {
		p.pos++
	}
	p.state = sEnd
	return token{kind: kind, text: p.src[start:p.pos], span: p.from(start)}
}

func (p *parser) global() token {
	start := p.pos
	p.pos++
	c := p.peekByte(0)
	switch {
	case IsIdentStart(c):
		for p.pos < p.end && IsIdent(p.src[p.pos]) {
			p.pos++
		}
	case IsDigit(c):
		for p.pos < p.end && IsDigit(p.src[p.pos]) {
			p.pos++
		}
	case c == '-':
		p.pos += 2
	case c != 0 && strings.IndexByte("~*$?!@/\\;,.=:_<>\"&`'+", c) >= 0:
		p.pos++
	default:
		p.fail("R0003", p.from(start), "'$' without identifiers is not allowed as a global variable name")
	}
	p.pos = min(p.pos, p.end)
	p.state = sEnd
	return token{kind: tGVar, text: p.src[start:p.pos], span: p.from(start)}
}

// symbol reads :name, :"name" and :+; a plain colon is an operator.
func (p *parser) symbol() (token, bool) {
	start := p.pos
	c := p.peekByte(1)
	if c == ':' || p.state == sEnd {
		return token{}, false
	}
	switch {
	case c == '"' || c == '\'':
		p.pos += 2
		parts := p.stringBody(quote{close: c, interpolate: c == '"', start: start})
		n := joinParts(parts, p.from(start))
		if s, ok := n.(*StrLit); ok {
			return p.literal(&SymLit{s.At, s.Value}, start), true
		}
		return p.literal(&DSym{At{p.from(start)}, parts}, start), true
	case IsIdentStart(c) || c == '@' || c == '$':
		p.pos++
		for c := p.peekByte(0); c == '@' || c == '$'; c = p.peekByte(0) {
			p.pos++
		}
		for p.pos < p.end && IsIdent(p.src[p.pos]) {
			p.pos++
		}
		if c := p.peekByte(0); (c == '?' || c == '!') && p.peekByte(1) != '=' {
			p.pos++
		} else if c == '=' && p.peekByte(1) != '=' && p.peekByte(1) != '~' && p.peekByte(1) != '>' {
			p.pos++
		}
		return p.literal(&SymLit{At{p.from(start)}, p.src[start+1 : p.pos]}, start), true
	}
	if op := operatorName(p.src[p.pos+1 : p.end]); op != "" {
		p.pos += 1 + len(op)
		name := op
		if op == "!@" || op == "~@" {
			name = op[:1]
		}
		return p.literal(&SymLit{At{p.from(start)}, name}, start), true
	}
	return token{}, false
}

// char reads ?a.
func (p *parser) char() (token, bool) {
	start := p.pos
	c := p.peekByte(1)
	if c == 0 || isBlank(c) {
		return token{}, false
	}
	if c == '\\' {
		p.pos += 2
		s := p.escape()
		return p.literal(&StrLit{At: At{p.from(start)}, Value: s}, start), true
	}
	_, n := utf8.DecodeRuneInString(p.src[p.pos+1 : p.end])
	if IsIdent(c) && p.pos+1+n < p.end && IsIdent(p.src[p.pos+1+n]) {
		return token{}, false
	}
	p.pos += 1 + n
	return p.literal(&StrLit{At: At{p.from(start)}, Value: p.src[start+1 : p.pos]}, start), true
}
