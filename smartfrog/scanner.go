package smartfrog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/source"
)

// A scanner cuts a file into tokens, one at a time. It reports what it cannot read and goes on behind it.
type scanner struct {
	file     *source.File
	text     string
	pos      int
	extended bool
	report   func(*source.Diagnostic)
}

func newScanner(f *source.File, extended bool, report func(*source.Diagnostic)) *scanner {
	s := &scanner{file: f, text: f.Text, extended: extended, report: report}
	if strings.HasPrefix(s.text, "\uFEFF") {
		s.pos = len("\uFEFF")
	}
	return s
}

func (s *scanner) span(start, end int) source.Span {
	return source.Span{Start: uint32(start), End: uint32(end)}
}

// next returns the next token; at the end of the file it returns tokEOF for ever.
func (s *scanner) next() token {
	if !s.skipBlanks() {
		return token{tokBad, s.span(len(s.text), len(s.text))}
	}
	start := s.pos
	if start >= len(s.text) {
		return token{tokEOF, s.span(start, start)}
	}
	c := s.text[start]
	if isLetter(c) || c >= utf8.RuneSelf {
		if n := identLen(s.text[start:]); n > 0 {
			s.pos += n
			return token{keyword(s.text[start:s.pos], s.extended), s.span(start, s.pos)}
		}
		return s.bad(start)
	}
	if s.extended {
		if k := s.extendedToken(); k != tokBad {
			return token{k, s.span(start, s.pos)}
		}
	}
	if startsNumber(s.text[start:]) {
		s.pos += numberLen(s.text[start:])
		return token{tokNumber, s.span(start, s.pos)}
	}
	s.pos++
	k := tokBad
	switch c {
	case ';':
		k = tokSemi
	case ',':
		k = tokComma
	case ':':
		k = tokColon
	case '<':
		k = tokLess
	case '{':
		k = tokLBrace
	case '}':
		k = tokRBrace
	case '[':
		k = tokLBracket
	case ']':
		k = tokRBracket
	case '"':
		return s.quoted(start, '"')
	case '#':
		if strings.HasPrefix(s.text[start:], "#include") && identLen(s.text[start+1:]) == len("include") {
			s.pos = start + len("#include")
			k = tokInclude
		}
	}
	if k == tokBad {
		s.pos = start
		return s.bad(start)
	}
	return token{k, s.span(start, s.pos)}
}

// extendedToken reads the tokens that only the HP spellings have; tokBad means that none starts here.
func (s *scanner) extendedToken() kind {
	rest := s.text[s.pos:]
	switch {
	case strings.HasPrefix(rest, "[|"):
		s.pos += 2
		return tokLVector
	case strings.HasPrefix(rest, "|]"):
		s.pos += 2
		return tokRVector
	case strings.HasPrefix(rest, "--"):
		s.pos += 2
		return tokUnique
	case strings.HasPrefix(rest, "##"):
		start := s.pos
		s.pos += 2
		return s.quoted(start, '#').kind
	}
	return tokBad
}

// quoted finds the end of a string whose opening quote ends at s.pos. Escapes are decoded by the parser.
func (s *scanner) quoted(start int, end byte) token {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case end:
			s.pos++
			return token{tokString, s.span(start, s.pos)}
		case '\\':
			s.pos++
		}
		s.pos++
	}
	s.pos = len(s.text)
	s.report(&source.Diagnostic{
		Code:    codeUnclosed,
		Summary: "parse: this string is never closed",
		Place:   source.Place{File: s.file, Span: s.span(start, start+1)},
		Label:   "it starts here",
		Help:    "add the closing `" + string(rune(end)) + "`",
	})
	return token{tokBad, s.span(start, s.pos)}
}

// skipBlanks skips blanks and comments. It returns false at a comment that is never closed.
func (s *scanner) skipBlanks() bool {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			s.pos++
		case c == '/' && strings.HasPrefix(s.text[s.pos:], "//"):
			if i := strings.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
				s.pos += i + 1
			} else {
				s.pos = len(s.text)
			}
		case c == '/' && strings.HasPrefix(s.text[s.pos:], "/*"):
			if !s.skipComment() {
				return false
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s.text[s.pos:])
			if !unicode.IsSpace(r) {
				return true
			}
			s.pos += n
		default:
			return true
		}
	}
	return true
}

// skipComment skips a comment with those inside it.
func (s *scanner) skipComment() bool {
	open := []int{s.pos} // where each comment around the current place starts
	s.pos += 2
	for s.pos < len(s.text) {
		switch rest := s.text[s.pos:]; {
		case strings.HasPrefix(rest, "/*"):
			open = append(open, s.pos)
			s.pos += 2
		case strings.HasPrefix(rest, "*/"):
			open = open[:len(open)-1]
			s.pos += 2
			if len(open) == 0 {
				return true
			}
		default:
			s.pos++
		}
	}
	start := open[len(open)-1]
	d := &source.Diagnostic{
		Code:    codeUnclosed,
		Summary: "parse: this comment is never closed",
		Place:   source.Place{File: s.file, Span: s.span(start, start+2)},
		Label:   "it starts here",
		Help:    "add the closing `*/`",
	}
	if len(open) > 1 {
		d.Help += "; comments nest, so each `/*` needs its own"
	}
	s.report(d)
	return false
}

// bad reports the character at start and skips it.
func (s *scanner) bad(start int) token {
	r, n := utf8.DecodeRuneInString(s.text[start:])
	s.pos = start + n
	d := &source.Diagnostic{
		Code:    codeCharacter,
		Summary: "parse: `" + string(r) + "` has no meaning here",
		Place:   source.Place{File: s.file, Span: s.span(start, s.pos)},
	}
	switch {
	case r == utf8.RuneError && n == 1:
		d.Summary = "parse: this byte is not valid UTF-8"
		d.Help = "save the file as UTF-8"
	case r == '\'':
		d.Help = "strings are written in double quotes"
	case r == '#' && strings.HasPrefix(strings.TrimLeft(s.text[s.pos:], " \t"), "include"):
		d.Help = "write `#include` without a blank"
	case r == '#':
		d.Help = "comments are written `// …` or `/* … */`"
		if strings.HasPrefix(s.text[s.pos:], "#") {
			d.Help = "`##text#` is HP's spelling of a string: write \"text\", or compile with --extended"
		}
	case r == '|':
		d.Help = "`[| … |]` is HP's spelling of a vector: write [ … ], or compile with --extended"
	case r == '-' && strings.HasPrefix(s.text[s.pos:], "-"):
		d.Help = "`--` is HP's spelling for an invented name: write a name, or compile with --extended"
	case r == '(' || r == '+' || r == '*':
		d.Help = "there are no expressions in SmartFrog's core: write the value itself"
	case r == '-' || r == '$' || r == '@':
		d.Help = "a name is made of letters, digits, `_`, `'` and `.`, and starts with a letter or `_`"
	}
	s.report(d)
	return token{tokBad, s.span(start, s.pos)}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// identLen returns the length of the identifier at the start of text, or 0.
func identLen(text string) int {
	if text == "" || !isLetter(text[0]) {
		if r, n := utf8.DecodeRuneInString(text); n < 2 || !unicode.IsLetter(r) {
			return 0
		}
	}
	i := 0
	for i < len(text) {
		c := text[i]
		if isLetter(c) || isDigit(c) || c == '.' || c == '\'' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	return i
}
