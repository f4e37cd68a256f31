package syntax

import "strings"

// checkJSON decides whether a text is JSON as Ruby's json 2.6 reads it, which is a little wider than the standard:
// comments, any character behind a backslash, and lone values are fine; NaN, Infinity and nesting over 100 levels are
// not. It returns the offset of the trouble, or -1.
func checkJSON(text string) int {
	p := jsonText{text: text}
	if p.blank() && p.value(0) && p.blank() && p.at == len(text) {
		return -1
	}
	return min(p.at, len(text))
}

const jsonMaxNesting = 100

type jsonText struct {
	text string
	at   int
}

// peek is the byte at hand, 0 at the end; a NUL in the text is never legal outside of an error.
func (p *jsonText) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonText) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// blank skips white space and comments; false for a comment without end.
func (p *jsonText) blank() bool {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		case '/':
			if !p.comment() {
				return false
			}
		default:
			return true
		}
	}
	return true
}

func (p *jsonText) comment() bool {
	rest, end := p.text[p.at:], ""
	switch {
	case strings.HasPrefix(rest, "//"):
		end = "\n" // which belongs to it, so the last line can not be a comment without one
	case strings.HasPrefix(rest, "/*"):
		end = "*/"
	default:
		return false
	}
	i := strings.Index(rest[2:], end)
	if i < 0 {
		return false
	}
	p.at += 2 + i + len(end)
	return true
}

func (p *jsonText) value(nesting int) bool {
	switch c := p.peek(); {
	case c == '"':
		return p.str()
	case c == '{':
		return nesting < jsonMaxNesting && p.object(nesting+1)
	case c == '[':
		return nesting < jsonMaxNesting && p.array(nesting+1)
	case c == '-' || isDigit(c):
		return p.number()
	}
	return p.word("null") || p.word("true") || p.word("false")
}

func (p *jsonText) word(w string) bool {
	if len(p.text)-p.at >= len(w) && p.text[p.at:p.at+len(w)] == w {
		p.at += len(w)
		return true
	}
	return false
}

func (p *jsonText) object(nesting int) bool {
	p.at++
	if !p.blank() {
		return false
	}
	if p.take('}') {
		return true
	}
	for {
		if !p.blank() || p.peek() != '"' || !p.str() || !p.blank() || !p.take(':') || !p.blank() || !p.value(nesting) ||
			!p.blank() {
			return false
		}
		if p.take('}') {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
}

func (p *jsonText) array(nesting int) bool {
	p.at++
	if !p.blank() {
		return false
	}
	if p.take(']') {
		return true
	}
	for {
		if !p.blank() || !p.value(nesting) || !p.blank() {
			return false
		}
		if p.take(']') {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
}

// str reads a string. A backslash makes any printable character legal; \u wants four hexadecimal digits.
func (p *jsonText) str() bool {
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == '"' {
			p.at++
			return true
		}
		if c == '\\' {
			p.at++
			if c = p.peek(); c == 'u' {
				for range 4 {
					p.at++
					if !isHex(p.peek()) {
						return false
					}
				}
			}
		}
		if c < ' ' {
			return false
		}
	}
	return false
}

func (p *jsonText) digits() bool {
	start := p.at
	for isDigit(p.peek()) {
		p.at++
	}
	return p.at > start
}

func (p *jsonText) number() bool {
	start := p.at
	p.take('-')
	if !p.take('0') && !p.digits() || isDigit(p.peek()) {
		p.at = start
		return false
	}
	whole := p.at
	if p.take('.') && !p.digits() {
		p.at = whole
		return true // the rest is somebody else's trouble
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		mark := p.at
		p.at++
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			p.at = mark
		}
	}
	return true
}
