package onigmo

import "strings"

// class reads a bracket expression; p.i is behind the opening bracket.
func (p *parser) class() *set {
	if p.depth++; p.depth > maxNesting {
		p.fail("too deep nest level over")
	}
	defer func() { p.depth-- }()
	neg := false
	if p.more() && p.peek() == '^' {
		neg = true
		p.i++
	}
	cur := &set{}
	var and []*set
	first := true
	if p.more() && p.peek() == ']' {
		// A bracket at the very front is a character, provided that another one closes the class.
		if !p.closes() {
			p.fail("empty char-class")
		}
		p.i++
		p.classRange(cur, ']')
		first = false
	}
	for {
		if !p.more() {
			p.fail("premature end of char-class")
		}
		switch c := p.peek(); {
		case c == ']':
			p.i++
			if and != nil {
				cur = &set{and: append(and, cur)}
			}
			if neg {
				cur = &set{neg: true, subs: []*set{cur}}
			}
			return cur
		case c == '[' && p.posix(cur):
		case c == '[':
			p.i++
			cur.subs = append(cur.subs, p.class())
		case c == '&' && strings.HasPrefix(p.src[p.i:], "&&"):
			p.i += 2
			and = append(and, cur)
			cur = &set{}
		case c == '\\':
			p.i++
			p.classEscape(cur)
		default:
			r := p.rune()
			if r == '-' && !first && p.more() && p.peek() != ']' {
				// A dash behind a range or a set is an ordinary character.
				p.classRange(cur, r)
				break
			}
			p.classRange(cur, r)
		}
		first = false
	}
}

// closes reports whether a bracket that closes the class follows the one at p.i.
func (p *parser) closes() bool {
	esc := false
	for i := p.i + 1; i < len(p.src); i++ {
		switch {
		case esc:
			esc = false
		case p.src[i] == '\\':
			esc = true
		case p.src[i] == ']':
			return true
		}
	}
	return false
}

// posix reads [:name:]; it reports false when the bracket begins something else.
func (p *parser) posix(cur *set) bool {
	rest := p.src[p.i:]
	if !strings.HasPrefix(rest, "[:") {
		return false
	}
	end := strings.Index(rest[2:], ":]")
	if end < 0 {
		return false
	}
	end += 2
	name := rest[2:end]
	bare := strings.TrimPrefix(name, "^")
	s := posixSet(bare, p.opts.ascii)
	if s == nil {
		// Ruby looks at most 20 characters ahead, and only over what could be a name.
		for i := 0; i < len(bare); i++ {
			if c := bare[i]; c == ':' || c == ']' || i > 20 {
				return false
			}
		}
		p.fail("invalid POSIX bracket type")
	}
	p.i += end + 2
	cur.subs = append(cur.subs, &set{neg: bare != name, subs: []*set{s}})
	p.notRange()
	return true
}

// notRange complains about a range that begins with a set, as in [\d-a].
func (p *parser) notRange() {
	rest := p.src[p.i:]
	if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' && !strings.HasPrefix(rest[1:], "&&") && rest[1] != '[' &&
		rest[1] != '-' {
		if rest[1] == '\\' && len(rest) > 2 && strings.IndexByte("wWdDsShHpP", rest[2]) >= 0 {
			return
		}
		p.fail("unmatched range specifier in char-class")
	}
}

// classEscape reads an escape in a class; p.i is behind the backslash.
func (p *parser) classEscape(cur *set) {
	c := p.src[p.i]
	switch c {
	case 'w', 'W', 'd', 'D', 's', 'S', 'h', 'H':
		p.i++
		cur.subs = append(cur.subs, p.shorthand(c))
		p.notRange()
		return
	case 'p', 'P':
		if strings.HasPrefix(p.src[p.i+1:], "{") {
			p.i++
			cur.subs = append(cur.subs, p.property(c == 'P'))
			p.notRange()
			return
		}
	}
	p.classRange(cur, p.escapedChar(true))
}

// classRange adds lo, or lo-hi when a dash and an end follow.
func (p *parser) classRange(cur *set, lo rune) {
	rest := p.src[p.i:]
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		cur.add(lo, lo)
		return
	}
	if rest[1] == '[' || strings.HasPrefix(rest[1:], "&&") {
		cur.add(lo, lo)
		return
	}
	p.i++
	hi := rune(0)
	if p.peek() == '\\' {
		p.i++
		if strings.IndexByte("wWdDsShH", p.peek()) >= 0 || (p.peek()|0x20 == 'p' && strings.HasPrefix(p.src[p.i+1:], "{")) {
			p.fail("char-class value at end of range")
		}
		hi = p.escapedChar(true)
	} else {
		hi = p.rune()
	}
	if hi < lo {
		p.fail("empty range in char class")
	}
	cur.add(lo, hi)
}
