package datafile

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/puppet/value"
)

type hoconTokenKind uint8

const (
	hoconEnd    hoconTokenKind = iota
	hoconMark                  // punctuation
	hoconValued                // a quoted text, a number, true, false, null
	hoconWord                  // unquoted text, and white space between two values
	hoconRef                   // ${…}
	hoconSpace                 // white space that means nothing
	hoconNewline
	hoconComment
	hoconProblem // what cannot be read. It is an error only where the parser meets it
)

// A hoconToken is one token. Errors name tokens in the words of the Ruby library, so a token knows how it is shown
// there.
type hoconToken struct {
	kind       hoconTokenKind
	start, end int
	line       int    // where it ends; -1 for punctuation, which knows of no line
	text       string // of punctuation: itself; of a word; of a value: what it is when joined to others
	scalar     value.Value
	quoted     bool
	inner      []hoconToken // of a reference
	maybe      bool         // ${?…}
	shown      string
	broken     string // of a problem that the Ruby library trips over itself: the error that this raises
}

func (t *hoconToken) is(mark string) bool { return t.kind == hoconMark && t.text == mark }

// simple reports whether white space between this and another such token is part of a text.
func (t *hoconToken) simple() bool {
	return t.kind == hoconValued || t.kind == hoconWord || t.kind == hoconRef
}

// blank reports whether the token is white space between two values.
func (t *hoconToken) blank() bool {
	return t.kind == hoconWord && strings.TrimFunc(t.text, unicode.IsSpace) == ""
}

// A hoconBlank is the white space since the last token. What it is shows when the next one is known.
type hoconBlank struct {
	text        string
	start       int
	afterSimple bool
}

// before makes a token of the white space before t, if there is any.
func (b *hoconBlank) before(t *hoconToken) (out hoconToken, some bool) {
	was := b.afterSimple && t.simple()
	b.afterSimple = t.simple()
	if b.text == "" {
		return out, false
	}
	out = hoconToken{kind: hoconSpace, text: b.text, start: b.start, end: t.start, line: t.line, shown: "'" + b.text +
		"' (WHITESPACE)"}
	if was {
		out.kind, out.shown = hoconWord, "'"+b.text+"'"
	}
	b.text = ""
	return out, true
}

type hoconLexer struct {
	text  string
	at    int
	line  int
	blank hoconBlank
	queue []hoconToken
	depth int
}

// next is the next token. After the end it is the end again.
func (l *hoconLexer) next() hoconToken {
	if len(l.queue) == 0 {
		t, problem := l.token(&l.blank)
		if problem != nil {
			return *problem // the white space before it waits for the next token
		}
		if blank, some := l.blank.before(&t); some {
			l.queue = append(l.queue, blank)
		}
		l.queue = append(l.queue, t)
	}
	t := l.queue[0]
	l.queue = l.queue[1:]
	return t
}

// char takes a character; ok is false at the end.
func (l *hoconLexer) char() (r rune, ok bool) {
	if l.at >= len(l.text) {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(l.text[l.at:])
	l.at += size
	return r, true
}

func (l *hoconLexer) problem(what, message string) *hoconToken {
	return &hoconToken{kind: hoconProblem, start: min(l.at, len(l.text)), end: l.at, line: l.line, shown: "'" + what +
		"' (" + message + ")"}
}

// shownChar is a character that was taken, as the Ruby library shows it: the end is -1 there.
func shownChar(r rune, ok bool) string {
	if !ok {
		return "-1"
	}
	return string(r)
}

func (l *hoconLexer) comment() bool {
	return strings.HasPrefix(l.text[l.at:], "#") || strings.HasPrefix(l.text[l.at:], "//")
}

const (
	hoconReserved = "$\"{}[]:=,+#`^?!@*&\\"
	maxHOCONDepth = 200
)

func (l *hoconLexer) token(blank *hoconBlank) (hoconToken, *hoconToken) {
	for l.at < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.at:])
		if r == '\n' || !unicode.IsSpace(r) {
			break
		}
		if blank.text == "" {
			blank.start = l.at
		}
		blank.text += l.text[l.at : l.at+size]
		l.at += size
	}
	t := hoconToken{start: l.at, line: l.line}
	if l.at >= len(l.text) {
		t.kind, t.end, t.line, t.shown = hoconEnd, l.at, -1, "end of file"
		return t, nil
	}
	var problem *hoconToken
	switch c := l.text[l.at]; {
	case c == '\n':
		l.at++
		l.line++
		t.kind, t.shown = hoconNewline, "NEWLINE"
	case l.comment():
		t.kind = hoconComment
		if end := strings.IndexByte(l.text[l.at:], '\n'); end >= 0 {
			l.at += end
		} else {
			l.at = len(l.text)
		}
		t.shown = "'#" + strings.TrimPrefix(strings.TrimPrefix(l.text[t.start:l.at], "#"), "//") + "' (COMMENT)"
	case c == '"':
		problem = l.quotedToken(&t)
	case c == '$':
		problem = l.reference(&t)
	case c == '+':
		l.at++
		if r, ok := l.char(); r != '=' {
			problem = l.problem(shownChar(r, ok), "'+' not followed by =, '"+shownChar(r, ok)+"' not allowed after '+'")
		}
		t.kind, t.text, t.line, t.shown = hoconMark, "+=", -1, "'+='"
	case strings.IndexByte(":,={}[]", c) >= 0:
		l.at++
		t.kind, t.text, t.line, t.shown = hoconMark, string(c), -1, "'"+string(c)+"'"
	case c == '-' || c >= '0' && c <= '9':
		problem = l.number(&t)
	case strings.IndexByte(hoconReserved, c) >= 0:
		l.at++
		problem = l.problem(string(c), "Reserved character '"+string(c)+"' is not allowed outside quotes")
	default:
		l.word(&t)
	}
	t.end = l.at
	return t, problem
}

// word reads unquoted text; true, false and null end as soon as they are complete.
func (l *hoconLexer) word(t *hoconToken) {
	for l.at < len(l.text) && !l.comment() {
		r, size := utf8.DecodeRuneInString(l.text[l.at:])
		if strings.ContainsRune(hoconReserved, r) || unicode.IsSpace(r) {
			break
		}
		l.at += size
		switch l.text[t.start:l.at] {
		case "true":
			t.value(value.Bool(true), "true", "true", "BOOLEAN")
			return
		case "false":
			t.value(value.Bool(false), "false", "false", "BOOLEAN")
			return
		case "null":
			t.value(value.Undef{}, "null", "", "NULL")
			return
		}
	}
	t.kind, t.text = hoconWord, l.text[t.start:l.at]
	t.shown = "'" + t.text + "'"
}

func (t *hoconToken) value(v value.Value, text, shown, typ string) {
	t.kind, t.scalar, t.text, t.shown = hoconValued, v, text, "'"+shown+"' ("+typ+")"
}

func (l *hoconLexer) number(t *hoconToken) *hoconToken {
	for l.at < len(l.text) && strings.IndexByte("0123456789eE+-.", l.text[l.at]) >= 0 {
		l.at++
	}
	s := l.text[t.start:l.at]
	if strings.ContainsAny(s, ".eE") {
		if f, err := value.ParseRubyFloat(s); err == nil {
			switch {
			case math.IsInf(f, 0):
				p := l.problem("", "")
				p.broken = "Infinity"
				if f < 0 {
					p.broken = "-Infinity"
				}
				return p
			case f == math.Trunc(f): // a whole number is an integer, however written
				whole, _ := big.NewFloat(f).Int(nil)
				t.value(bigValue(whole), s, whole.String(), "NUMBER")
			default:
				t.value(value.Float(f), s, value.FormatFloat(f), "NUMBER")
			}
			return nil
		}
	} else if n, err := value.ParseRubyInt(s, 0); err == nil {
		t.value(bigValue(n), s, n.String(), "NUMBER")
		return nil
	}
	if strings.Contains(s, "+") {
		return l.problem("+", "Reserved character '+'is not allowed outside quotes")
	}
	t.kind, t.text, t.shown = hoconWord, s, "'"+s+"'"
	return nil
}

func (l *hoconLexer) quotedToken(t *hoconToken) *hoconToken {
	s, problem := l.quoted()
	if problem != nil {
		return problem
	}
	t.value(value.String(s), s, s, "STRING")
	t.quoted, t.line = true, l.line
	return nil
}

func (l *hoconLexer) quoted() (string, *hoconToken) {
	l.at++
	var b strings.Builder
	for {
		r, ok := l.char()
		switch {
		case !ok:
			return "", l.problem("-1", "End of input but string quote was still open")
		case r == '\\':
			if p := l.escape(&b); p != nil {
				return "", p
			}
		case r == '"':
			if b.Len() == 0 && strings.HasPrefix(l.text[l.at:], `"`) {
				l.at++
				return l.tripleQuoted()
			}
			return b.String(), nil
		case unicode.IsControl(r):
			return "", l.problem(string(r), "JSON does not allow unescaped "+string(r)+
				" in quoted strings, use a backslash escape")
		default:
			b.WriteRune(r)
		}
	}
}

// tripleQuoted reads to the last of three or more quotes in a row.
func (l *hoconLexer) tripleQuoted() (string, *hoconToken) {
	from, end := l.at, strings.Index(l.text[l.at:], `"""`)
	if end >= 0 {
		for end += from + 3; end < len(l.text) && l.text[end] == '"'; {
			end++
		}
		l.line += strings.Count(l.text[from:end], "\n")
		l.at = end
		return l.text[from : end-3], nil
	}
	l.line += strings.Count(l.text[from:], "\n")
	l.at = len(l.text)
	return "", l.problem("-1", "End of input but triple-quoted string was still open")
}

func (l *hoconLexer) escape(b *strings.Builder) *hoconToken {
	r, ok := l.char()
	if !ok {
		return l.problem("", "End of input but backslash in string had nothing after it")
	}
	if i := strings.IndexRune(`"\/bfnrt`, r); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		return nil
	}
	if r != 'u' {
		p := l.problem("", "")
		name := string(r)
		switch r {
		case '\n':
			name = "newline"
		case '\t':
			name = "tab"
		}
		p.broken = "undefined method `line_number' for " + value.InspectString(name) + ":String"
		return p
	}
	digits := ""
	for range 4 {
		c, ok := l.char()
		if !ok {
			return l.problem("-1", `End of input but expecting 4 hex digits for \uXXXX escape`)
		}
		digits += string(c)
	}
	n := 0 // what is no number is nothing to Ruby
	for _, c := range digits {
		d, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			break
		}
		n = n<<4 | int(d)
	}
	if n == '_' {
		return l.problem(digits, fmt.Sprintf(`Malformed hex digits after \u escape in string: '%s'`, digits))
	}
	b.WriteRune(rune(n))
	return nil
}

// reference reads ${…}. What may stand in it the parser decides.
func (l *hoconLexer) reference(t *hoconToken) *hoconToken {
	l.at++
	if r, ok := l.char(); r != '{' {
		return l.problem(shownChar(r, ok), "'$' not followed by {, '"+shownChar(r, ok)+"' not allowed after '$'")
	}
	if l.depth++; l.depth > maxHOCONDepth {
		return l.problem("$", "nested too deeply")
	}
	defer func() { l.depth-- }()
	t.kind, t.shown = hoconRef, "'${#<StringIO>}'" // the Ruby library shows an object's address here
	if strings.HasPrefix(l.text[l.at:], "?") {
		l.at++
		t.maybe = true
	}
	var blank hoconBlank
	for {
		in, problem := l.token(&blank)
		switch {
		case problem != nil:
			return problem
		case in.is("}"):
			t.line = l.line
			return nil
		case in.kind == hoconEnd:
			return l.problem("end of file", "Substitution ${ was not closed with a }")
		}
		if space, some := blank.before(&in); some {
			t.inner = append(t.inner, space)
		}
		t.inner = append(t.inner, in)
	}
}
