package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/source"
)

// The scanner turns text into tokens, one at a time, on the parser's demand. It knows four things beyond the text: the
// kind of the token before (is this slash a division?), where the line began (is this parenthesis a call?), where the
// next line really goes on when heredocs stand in between, and, in a template, whether text or code is being read.
//
// Strings with interpolation are driven by the parser: the scanner stops behind `${`, the parser reads an expression up
// to the closing brace, and then asks for the rest of the string. Heredoc texts get a scanner of their own.
type scanner struct {
	file *source.File
	src  string // the file's text, or a heredoc's text without its margin
	pos  int

	before    kind                   // the last token
	lineStart int                    // where the current line of code began
	ends      map[int]map[string]int // once a heredoc has no end: how lines end, by length, with the last line's offset
	jump      int                    // when not 0: where the line after this one begins, behind the heredocs
	epp       eppMode
	eppOpen   bool    // inside <% … %>
	queue     []token // tokens of a template that were found together
	margins   []margin
	doc       *heredoc // of the last tHeredoc

	comments []Comment
	diags    *source.Diagnostics
	tasks    bool
}

// A margin maps offsets of a heredoc's text back to the file: from offset at on, add delta.
type margin struct{ at, delta int }

func (s *scanner) offset(pos int) uint32 {
	if s.margins == nil {
		return uint32(pos)
	}
	lo, hi := 0, len(s.margins)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if s.margins[mid].at <= pos {
			lo = mid
		} else {
			hi = mid
		}
	}
	return uint32(pos + s.margins[lo].delta)
}

func (s *scanner) place(from, to int) source.Place {
	start := s.offset(from)
	end := start
	if to > from {
		end = s.offset(to-1) + 1
	}
	return source.Place{File: s.file, Span: source.Span{Start: start, End: end}}
}

func (s *scanner) report(d *source.Diagnostic) { *s.diags = append(*s.diags, d) }

func (s *scanner) errorAt(from, to int, code, summary, help string) {
	s.report(&source.Diagnostic{Code: code, Summary: summary, Place: s.place(from, to), Help: help})
}

// emit makes a token from the text between from and the current position.
func (s *scanner) emit(k kind, from int) token {
	s.before = k
	if s.margins == nil {
		return token{kind: k, start: uint32(from), end: uint32(s.pos), text: s.src[from:s.pos]}
	}
	p := s.place(from, s.pos)
	return token{kind: k, start: p.Span.Start, end: p.Span.End, text: s.src[from:s.pos]}
}

func (s *scanner) take(k kind, n int) token {
	from := s.pos
	s.pos += n
	return s.emit(k, from)
}

// broken ends the scan after a lexical error: Puppet gives up there, and so the text behind it was never meant to be
// read. The parser sees tFail and starts again at the next line.
func (s *scanner) broken(from int) token {
	t := s.emit(tFail, from)
	return t
}

func (s *scanner) peekByte(n int) byte {
	if s.pos+n < len(s.src) {
		return s.src[s.pos+n]
	}
	return 0
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isHex(c byte) bool   { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// isBlank is Ruby's [[:blank:]]: tab and the Unicode space separators.
func isBlank(r rune) bool {
	return r == ' ' || r == '\t' || r >= 0x80 && unicode.Is(unicode.Zs, r)
}

// next returns the next token.
func (s *scanner) next() token {
	if len(s.queue) > 0 {
		t := s.queue[0]
		s.queue = s.queue[1:]
		s.before = t.kind
		return t
	}
	src := s.src
	for s.pos < len(src) {
		switch c := src[s.pos]; c {
		case ' ', '\t', '\r':
			s.pos++
		case '\n':
			if s.jump != 0 {
				s.pos, s.jump = s.jump, 0
			} else {
				s.pos++
			}
			s.lineStart = s.pos
		case '#':
			from := s.pos
			end := strings.IndexByte(src[from:], '\n')
			if end < 0 {
				end = len(src)
			} else {
				end += from
			}
			s.pos = end
			if end > from && src[end-1] == '\r' {
				end--
			}
			s.comments = append(s.comments, Comment{s.place(from, end).Span})
		case '/':
			if s.peekByte(1) == '*' {
				from := s.pos
				end := strings.Index(src[from+2:], "*/")
				if end < 0 {
					s.errorAt(from, from+2, codeComment, "Unclosed multiline comment", "end it with */")
					s.pos = len(src)
					return s.broken(from)
				}
				s.pos = from + 2 + end + 2
				s.comments = append(s.comments, Comment{s.place(from, s.pos).Span})
				continue
			}
			return s.slash()
		default:
			if c >= utf8.RuneSelf {
				r, n := utf8.DecodeRuneInString(src[s.pos:])
				if isBlank(r) {
					s.pos += n
					continue
				}
				return s.take(tOther, n)
			}
			t := s.token(c)
			if t.kind != tNothing {
				return t
			}
			if len(s.queue) > 0 {
				return s.next()
			}
		}
	}
	if len(s.queue) > 0 {
		return s.next()
	}
	if s.epp != eppNone && s.eppOpen {
		s.eppOpen = false
		s.errorAt(len(src), len(src), codeEppTag, "Unbalanced epp tag, reached <eof> without closing tag.",
			"end the tag with %>")
		return s.broken(len(src))
	}
	return token{kind: tEOF, start: s.offset(len(src)), end: s.offset(len(src))}
}

// token scans a token that begins with the given ASCII character. It returns tNothing when a template tag ended
// instead; the text behind the tag, if there was any, is queued then.
func (s *scanner) token(c byte) token {
	switch c {
	case '$':
		return s.variable()
	case '\'':
		return s.singleQuoted()
	case '"':
		return s.doubleQuoted()
	case '=':
		switch s.peekByte(1) {
		case '>':
			return s.take(tArrow, 2)
		case '=':
			return s.take(tEq, 2)
		case '~':
			return s.take(tMatch, 2)
		}
		return s.take(tSet, 1)
	case ',':
		return s.take(tComma, 1)
	case '{':
		if s.before == tQuestion {
			return s.take(tSelBrace, 1)
		}
		return s.take(tBrace, 1)
	case '}':
		return s.take(tRBrace, 1)
	case '[':
		if s.afterBlank() {
			return s.take(tList, 1)
		}
		return s.take(tBracket, 1)
	case ']':
		return s.take(tRBracket, 1)
	case '(':
		if s.firstOnLine() {
			return s.take(tWSParen, 1)
		}
		return s.take(tParen, 1)
	case ')':
		return s.take(tRParen, 1)
	case ':':
		return s.colon()
	case ';':
		return s.take(tSemi, 1)
	case '.':
		return s.take(tDot, 1)
	case '?':
		return s.take(tQuestion, 1)
	case '*':
		return s.take(tTimes, 1)
	case '%':
		if s.epp != eppNone && s.peekByte(1) == '>' {
			return s.eppEnd(2, tEppEnd, false)
		}
		return s.take(tMod, 1)
	case '@':
		switch s.peekByte(1) {
		case '@':
			return s.take(tAtAt, 2)
		case '(':
			return s.heredocTag()
		}
		return s.take(tAt, 1)
	case '|':
		if s.peekByte(1) == '>' {
			if s.peekByte(2) == '>' {
				return s.take(tRRCollect, 3)
			}
			return s.take(tRCollect, 2)
		}
		return s.take(tPipe, 1)
	case '+':
		switch s.peekByte(1) {
		case '=':
			return s.take(tAppend, 2)
		case '>':
			return s.take(tPArrow, 2)
		}
		return s.take(tPlus, 1)
	case '-':
		if s.epp != eppNone && s.peekByte(1) == '%' && s.peekByte(2) == '>' {
			return s.eppEnd(3, tEppEndTrim, true)
		}
		switch s.peekByte(1) {
		case '>':
			return s.take(tBefore, 2)
		case '=':
			return s.take(tDelete, 2)
		}
		return s.take(tMinus, 1)
	case '!':
		switch s.peekByte(1) {
		case '=':
			return s.take(tNe, 2)
		case '~':
			return s.take(tNoMatch, 2)
		}
		return s.take(tNot, 1)
	case '~':
		if s.peekByte(1) == '>' {
			return s.take(tNotify, 2)
		}
		return s.take(tTilde, 1)
	case '<':
		switch s.peekByte(1) {
		case '<':
			if s.peekByte(2) == '|' {
				return s.take(tLLCollect, 3)
			}
			return s.take(tShl, 2)
		case '=':
			return s.take(tLe, 2)
		case '|':
			return s.take(tLCollect, 2)
		case '-':
			return s.take(tAfter, 2)
		case '~':
			return s.take(tSubscr, 2)
		}
		return s.take(tLt, 1)
	case '>':
		switch s.peekByte(1) {
		case '>':
			return s.take(tShr, 2)
		case '=':
			return s.take(tGe, 2)
		}
		return s.take(tGt, 1)
	}
	switch {
	case isLower(c) || c == '_':
		return s.name()
	case isUpper(c):
		return s.reference()
	case isDigit(c):
		return s.number()
	}
	return s.take(tOther, 1)
}

func (s *scanner) afterBlank() bool {
	if s.pos == 0 {
		return true
	}
	switch c := s.src[s.pos-1]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return true
	case c < utf8.RuneSelf:
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s.src[:s.pos])
	return isBlank(r)
}

func (s *scanner) firstOnLine() bool {
	for _, r := range s.src[s.lineStart:s.pos] {
		if r != '\r' && !isBlank(r) {
			return false
		}
	}
	return true
}

// bareWord matches Puppet's PATTERN_BARE_WORD at i: segments of [a-z_] followed by word characters and inner dashes,
// joined by "::". It returns the end, or i when nothing matches; plain says that it is a proper name.
func bareWord(src string, i int) (end int, plain bool) {
	end, plain = i, true
	for {
		j := end
		if strings.HasPrefix(src[j:], "::") {
			j += 2
		}
		if j >= len(src) || !(isLower(src[j]) || src[j] == '_') {
			return end, plain && end > i
		}
		if src[j] == '_' {
			plain = false
		}
		j++
		last := j // behind the last word character
		for j < len(src) && (isWord(src[j]) || src[j] == '-') {
			j++
			if src[j-1] != '-' {
				last = j
			}
		}
		if strings.IndexByte(src[end:last], '-') >= 0 {
			plain = false
		}
		end = last
		if end < len(src) && src[end] != ':' {
			return end, plain
		}
	}
}

func (s *scanner) name() token {
	from := s.pos
	end, plain := bareWord(s.src, from)
	s.pos = end
	if !plain {
		return s.emit(tWord, from)
	}
	k := wordKind(s.src[from:end])
	if k == tName && s.tasks {
		switch s.src[from:end] {
		case "plan":
			k = tPlan
		case "apply":
			k = tApply
		}
	}
	return s.emit(k, from)
}

func (s *scanner) colon() token {
	from := s.pos
	if s.peekByte(1) != ':' {
		return s.take(tColon, 1)
	}
	if isUpper(s.peekByte(2)) {
		return s.reference()
	}
	end, plain := bareWord(s.src, from)
	if end == from {
		s.pos += 2
		s.errorAt(from, s.pos, codeName, "Illegal fully qualified name", "a name goes on with a lower-case letter after ::")
		return s.broken(from)
	}
	s.pos = end
	if plain {
		return s.emit(tName, from)
	}
	return s.emit(tWord, from)
}

// reference scans an upper-case name: segments of [A-Z] and word characters, joined by "::".
func (s *scanner) reference() token {
	from, i := s.pos, s.pos
	for {
		j := i
		if strings.HasPrefix(s.src[j:], "::") {
			j += 2
		}
		if j >= len(s.src) || !isUpper(s.src[j]) {
			break
		}
		for j++; j < len(s.src) && isWord(s.src[j]); j++ {
		}
		i = j
	}
	s.pos = i
	if strings.HasPrefix(s.src[i:], "::") {
		s.pos = i + 2
		s.errorAt(from, s.pos, codeRef, "Illegal class reference",
			"every segment of a type name begins with a capital letter")
		return s.broken(from)
	}
	return s.emit(tRef, from)
}

func variableEnd(src string, i int) int {
	// (::)?(\w+::)*\w+
	j := i
	if strings.HasPrefix(src[j:], "::") {
		j += 2
	}
	end := i
	for {
		k := j
		for k < len(src) && isWord(src[k]) {
			k++
		}
		if k == j {
			return end
		}
		end = k
		if !strings.HasPrefix(src[k:], "::") {
			return end
		}
		j = k + 2
	}
}

func (s *scanner) variable() token {
	from := s.pos
	s.pos = variableEnd(s.src, from+1)
	t := s.emit(tVariable, from)
	t.text = t.text[1:]
	return t
}

// regexpAllowed reports whether a slash here can begin a regular expression rather than divide.
func (s *scanner) regexpAllowed() bool {
	switch s.before {
	case tRParen, tRBracket, tRRCollect, tRCollect,
		tName, tRef, tNumber, tString, tTrue, tFalse, tDQPre, tHeredoc, tRegexp, tVariable, tWord:
		return false
	}
	return true
}

func (s *scanner) slash() token {
	from := s.pos
	if !s.regexpAllowed() {
		return s.take(tDiv, 1)
	}
	end := from + 1
	escaped := false
	for {
		if end >= len(s.src) {
			return s.take(tDiv, 1)
		}
		c := s.src[end]
		end++
		if c == '/' && !escaped {
			break
		}
		escaped = c == '\\' && !escaped
	}
	s.pos = end
	t := s.emit(tRegexp, from)
	t.text = strings.ReplaceAll(s.src[from+1:end-1], `\/`, "/")
	return t
}
