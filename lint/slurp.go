package lint

import (
	"strings"
	"unicode/utf8"
)

// A segment is a piece of a string or a heredoc.
type segment struct {
	kind segmentKind
	text string
}

type segmentKind uint8

const (
	text         segmentKind = iota
	expression               // what stands between ${ and }
	bareVariable             // $name
	terminator               // the line that ends a heredoc
)

// A slurper cuts a string into segments. Within an expression it counts braces and nothing else: quotes in there do
// not end the string.
type slurper struct {
	s       string
	pos     int
	start   int // of the segment that is being read
	depth   int // of braces within an expression
	results []segment
}

func (p *slurper) cut(k segmentKind, end int) {
	p.results = append(p.results, segment{k, p.s[p.start:end]})
	p.start = end
}

// escaped reports whether the character before is a backslash of the same segment. An escaped backslash counts, too.
func (p *slurper) escaped() bool { return p.pos > p.start && p.s[p.pos-1] == '\\' }

// read takes one character as it is.
func (p *slurper) read() {
	_, n := utf8.DecodeRuneInString(p.s[p.pos:])
	p.pos += n
}

// open reads a `${`.
func (p *slurper) open() {
	switch {
	case p.escaped():
		p.pos++
		return
	case p.depth == 0:
		p.cut(text, p.pos)
		p.pos += 2
		p.start = p.pos
	default:
		p.pos += 2
	}
	p.depth++
}

// close reads a `}`.
func (p *slurper) close() {
	if p.depth == 0 {
		p.pos++
		return
	}
	if p.depth--; p.depth == 0 {
		p.cut(expression, p.pos)
		p.start = p.pos + 1
	}
	p.pos++
}

// variable reads a variable without braces: one that begins here, or behind the next character. The end of a line
// before it becomes a part of it.
func (p *slurper) variable() bool {
	if p.depth > 0 || p.escaped() {
		return false
	}
	c := p.s[p.pos]
	n := 0 // of the character before it
	length := variableLen(p.s[p.pos:])
	if length == 0 && c != '\\' {
		_, n = utf8.DecodeRuneInString(p.s[p.pos:])
		length = variableLen(p.s[p.pos+n:])
	}
	if length == 0 {
		return false
	}
	if c != '\n' {
		p.pos += n
		n = 0
	}
	p.cut(text, p.pos)
	p.pos += n + length
	p.cut(bareVariable, p.pos)
	return true
}

// endOfString is the number of bytes up to and including the quote that ends a string, if it ends here or behind the
// next character; 0 if not.
func (p *slurper) endOfString() int {
	rest := p.s[p.pos:]
	if n := evenBackslashes(rest); n >= 0 {
		return n + 1
	}
	if rest[0] == '\\' {
		return 0
	}
	_, c := utf8.DecodeRuneInString(rest)
	if n := evenBackslashes(rest[c:]); n >= 0 {
		return c + n + 1
	}
	return 0
}

// evenBackslashes is how many backslashes a text begins with, if their number is even and a quote follows; else -1.
func evenBackslashes(s string) int {
	n := 0
	for n < len(s) && s[n] == '\\' {
		n++
	}
	if n%2 == 0 && n < len(s) && s[n] == '"' {
		return n
	}
	return -1
}

// slurpString reads a string in double quotes, from behind the first one. It returns the segments and the number of
// bytes, with the last quote. A string that does not end is no string, unless something was interpolated before.
func slurpString(s string) (segments []segment, length int, ok bool) {
	p := &slurper{s: s}
	for p.pos < len(s) {
		c := s[p.pos]
		if c == '$' && strings.HasPrefix(s[p.pos:], "${") {
			p.open()
			continue
		}
		if p.depth > 0 && c == '{' {
			p.depth++
			p.pos++
			continue
		}
		if c == '}' {
			p.close()
			continue
		}
		if p.variable() {
			continue
		}
		if n := p.endOfString(); n > 0 {
			p.pos += n
			if p.depth == 0 {
				p.cut(text, p.pos-1)
				return p.results, p.pos, true
			}
			continue
		}
		if c == '\\' {
			n := 0
			for p.pos+n < len(s) && s[p.pos+n] == '\\' {
				n++
			}
			if p.pos+n < len(s) && s[p.pos+n] == '"' {
				p.pos += n + 1
				continue
			}
		}
		p.read()
	}
	return p.results, p.pos, len(p.results) > 0 || s == ""
}

// slurpHeredoc reads the text of a heredoc up to its end, which is the last segment. If there is no end, all of the
// file is read: what stands behind the last interpolation comes to nothing, and the last segment, whatever it is, is
// taken for the end. A single one is too few for that, and puppet-lint gives up.
func slurpHeredoc(s, tag string) (segments []segment, length int, ok bool) {
	p := &slurper{s: s}
	name, interpolates := heredocName(tag), strings.HasPrefix(tag, `"`)
	from, to := heredocEnd(s, name, 0)
	for p.pos < len(s) {
		if p.pos > to && to >= 0 {
			from, to = heredocEnd(s, name, p.pos)
		}
		if to >= 0 && p.pos >= from {
			p.cut(text, p.pos)
			p.pos = to + len(name)
			p.cut(terminator, p.pos)
			return p.results, p.pos, p.depth == 0
		}
		if !interpolates {
			if p.pos = from; to < 0 {
				p.pos = len(s)
			}
			continue
		}
		switch c := s[p.pos]; {
		case c == '$' && strings.HasPrefix(s[p.pos:], "${"):
			p.open()
		case p.depth > 0 && c == '{':
			p.depth++
			p.pos++
		case p.variable():
		case c == '}':
			p.close()
		default:
			p.read()
		}
	}
	return p.results, p.pos, len(p.results) != 1
}

// heredocName is the tag alone, without quotes, syntax and escapes.
func heredocName(tag string) string {
	s := strings.TrimPrefix(tag, `"`)
	if i := strings.IndexByte(s, '/'); i > 0 {
		s = s[:i]
	}
	s = strings.TrimRight(s, " \t\v\f")
	if i := strings.IndexByte(s, ':'); i > 0 && i+1 < len(s) {
		s = s[:i]
	}
	if len(s) > 1 {
		s = strings.TrimSuffix(s, `"`)
	}
	return s
}

// heredocEnd finds the next place at or behind pos where a line ends with the tag. to is where the tag begins, from
// where the bar, the dash and the blanks (and empty lines) before it do; -1 if there is none.
func heredocEnd(s, name string, pos int) (from, to int) {
	for to = pos; ; to++ {
		i := strings.Index(s[to:], name)
		if i < 0 {
			return -1, -1
		}
		to += i
		if end := to + len(name); end == len(s) || s[end] == '\n' {
			break
		}
	}
	blank := func(i int) int {
		for i > 0 && strings.IndexByte(" \t\r\n\f\v", s[i-1]) >= 0 {
			i--
		}
		return i
	}
	from = blank(to)
	if from > 0 && s[from-1] == '-' {
		from = blank(from - 1)
	}
	if from > 0 && s[from-1] == '|' {
		from--
	}
	return from, to
}
