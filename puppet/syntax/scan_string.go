package syntax

import (
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// ending says how a piece of string text ended.
type ending uint8

const (
	endQuote    ending = iota // the closing quote, or the end of a heredoc's text
	endBrace                  // ${
	endVariable               // $ before a variable's name
	endMissing                // the text ran out
)

// singleQuoted scans '…', which knows two escapes, \' and \\.
func (s *scanner) singleQuoted() token {
	from := s.pos
	src := s.src
	i := from + 1
	escapes := false
	if i < len(src) && src[i] == '\'' && oddQuote(src[i+1:], "'") {
		i++ // Puppet's pattern takes a first quote that another follows for text: '' ' is one string
	}
	for {
		if i >= len(src) {
			return s.unclosed(from, "'")
		}
		if src[i] == '\'' {
			break
		}
		if src[i] == '\\' {
			escapes = true
			i++
		}
		i++
	}
	s.pos = i + 1
	t := s.emit(tString, from)
	t.text = src[from+1 : i]
	if escapes {
		var b strings.Builder
		text := t.text
		for j := 0; j < len(text); j++ {
			if text[j] == '\\' && j+1 < len(text) && (text[j+1] == '\\' || text[j+1] == '\'') {
				j++
			}
			b.WriteByte(text[j])
		}
		t.text = b.String()
	}
	return t
}

// oddQuote reports whether text begins with pairs of backslashes, or none, and then one of the marks that end a
// string's text.
func oddQuote(text, marks string) bool {
	for strings.HasPrefix(text, `\\`) {
		text = text[2:]
	}
	return text != "" && strings.IndexByte(marks, text[0]) >= 0
}

func (s *scanner) unclosed(from int, quote string) token {
	s.report(&source.Diagnostic{
		Code: codeQuote, Summary: "Unclosed quote after " + shownQuote(quote) + " followed by '" +
			followedBy(s.src[min(from+1, len(s.src)):]) + "'",
		Place: s.place(from, from+1), Label: "the string begins here and never ends",
		Help: "close it with " + quote,
	})
	s.pos = len(s.src)
	return s.broken(from)
}

func shownQuote(q string) string {
	if q == "'" {
		return `"'"`
	}
	return "'" + q + "'"
}

func followedBy(rest string) string {
	if rest == "" {
		return "<eof>"
	}
	n := 0
	for i := range rest {
		if n == 5 {
			rest = rest[:i]
			break
		}
		n++
	}
	return strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(rest) + "..."
}

// doubleQuoted scans "…" whole, or up to the first interpolation.
func (s *scanner) doubleQuoted() token {
	from := s.pos
	s.pos++
	before := s.before
	text, end := s.piece(false, escapesDouble)
	switch end {
	case endMissing:
		return s.unclosed(from, `"`)
	case endQuote:
		t := s.emit(tString, from)
		t.text = text
		return t
	}
	t := s.emit(tDQPre, from)
	t.text = text
	s.before = before // Puppet judges a slash inside the interpolation by what stood before the string
	return t
}

// interpolating reports how the text before the current position ended: with ${ or with a variable.
func (s *scanner) interpolating() ending {
	if strings.HasSuffix(s.src[:s.pos], "${") {
		return endBrace
	}
	return endVariable
}

// escapeSet is the set of escapes that a kind of text knows.
type escapeSet uint16

const (
	escBackslash escapeSet = 1 << iota
	escDollar
	escQuotes
	escR
	escN
	escT
	escS
	escU
	escLine // backslash at the line's end joins the lines
	escWarn // an unknown escape is worth a warning

	escapesNone   escapeSet = 0
	escapesDouble           = escBackslash | escDollar | escQuotes | escR | escN | escT | escS | escU | escLine | escWarn
)

// piece reads string text up to the closing quote, an interpolation, or (unquoted) the end of the text.
// It leaves the position behind the quote, behind ${, or at the variable's name.
func (s *scanner) piece(unquoted bool, esc escapeSet) (string, ending) {
	src, from := s.src, s.pos
	i := from
	backslash := false
	skipsEscaped := !unquoted || esc&escDollar != 0
	if !unquoted && i < len(src) && src[i] == '"' && oddQuote(src[i+1:], `"$`) {
		i++ // as in singleQuoted: "" followed at once by a quote or a dollar goes on
	}
	for i < len(src) {
		switch c := src[i]; c {
		case '\\':
			backslash = true
			if skipsEscaped {
				i++
			}
			i++
		case '"':
			if !unquoted {
				s.pos = i + 1
				return s.unescape(from, i, backslash, esc), endQuote
			}
			i++
		case '$':
			if i+1 < len(src) && src[i+1] == '{' {
				s.pos = i + 2
				return s.unescape(from, i, backslash, esc), endBrace
			}
			if variableEnd(src, i+1) > i+1 {
				s.pos = i + 1
				return s.unescape(from, i, backslash, esc), endVariable
			}
			i++
		default:
			i++
		}
	}
	if unquoted && i == len(src) {
		s.pos = i
		return s.unescape(from, i, backslash, esc), endQuote
	}
	s.pos = len(src)
	return "", endMissing
}

// whole is a heredoc's text without interpolation.
func (s *scanner) whole(esc escapeSet) string {
	from := s.pos
	s.pos = len(s.src)
	return s.unescape(from, s.pos, strings.IndexByte(s.src[from:], '\\') >= 0, esc)
}

func (s *scanner) unescape(from, to int, backslash bool, esc escapeSet) string {
	text := s.src[from:to]
	if !backslash || esc == escapesNone {
		return text
	}
	if esc&escU != 0 && strings.Contains(text, `\u`) {
		text = s.unicodeEscapes(from, text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			b.WriteByte(c)
			continue
		}
		i++
		switch c = text[i]; {
		case c == '\\' && esc&escBackslash != 0, c == '$' && esc&escDollar != 0, (c == '"' || c == '\'') &&
			esc&escQuotes != 0:
			b.WriteByte(c)
		case c == 'r' && esc&escR != 0:
			b.WriteByte('\r')
		case c == 'n' && esc&escN != 0:
			b.WriteByte('\n')
		case c == 't' && esc&escT != 0:
			b.WriteByte('\t')
		case c == 's' && esc&escS != 0:
			b.WriteByte(' ')
		case c == 'u' && esc&escU != 0:
			s.report(&source.Diagnostic{Code: codeUnicode, Severity: source.Warning, Place: s.place(from, to),
				Summary: `Unicode escape '\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff`})
			b.WriteString(`\u`)
		case c == '\n' && esc&escLine != 0:
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n' && esc&escLine != 0:
			i++
		default:
			if esc&escWarn != 0 && c != '\r' && c != '\n' {
				_, n := utf8.DecodeRuneInString(text[i:])
				s.report(&source.Diagnostic{Code: codeEscape, Severity: source.Warning, Place: s.place(from, to),
					Summary: `Unrecognized escape sequence '\` + text[i:i+n] + `'`, Help: `write \\` + text[i:i+n] +
						` for a backslash`})
			}
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unicodeEscapes replaces \uXXXX and \u{X…}. Puppet does this before the other escapes, so a backslash made here
// escapes again.
func (s *scanner) unicodeEscapes(at int, text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 >= len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		if text[i+1] == 'u' {
			if r, n := unicodeEscape(text[i+2:]); n > 0 {
				if r > utf8.MaxRune || r >= 0xd800 && r < 0xe000 {
					s.errorAt(at, at+len(text), codeUnicode,
						`Unicode escape '\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff`, "")
					r = utf8.RuneError
				}
				b.WriteRune(r)
				i += 2 + n
				continue
			}
		}
		b.WriteString(text[i : i+2])
		i += 2
	}
	return b.String()
}

func unicodeEscape(s string) (rune, int) {
	hex := func(from, to int) (r rune, ok bool) {
		for _, c := range []byte(s[from:to]) {
			if !isHex(c) {
				return 0, false
			}
			switch {
			case isDigit(c):
				c -= '0'
			case c >= 'a':
				c -= 'a' - 10
			default:
				c -= 'A' - 10
			}
			r = r<<4 | rune(c)
		}
		return r, true
	}
	if len(s) >= 4 {
		if r, ok := hex(0, 4); ok {
			return r, 4
		}
	}
	if s != "" && s[0] == '{' {
		if end := strings.IndexByte(s, '}'); end >= 2 && end <= 7 {
			if r, ok := hex(1, end); ok {
				return r, end + 1
			}
		}
	}
	return 0, 0
}
