package ruby

import (
	"strings"
	"unicode/utf8"
)

// split is String#split.
func (c *call) split() []string {
	s := c.text()
	limit, given := 0, false
	if c.has(1) {
		limit = c.int(1)
		given = limit != 0
	}
	if limit == 1 {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	var out []string
	beg := 0
	full := func() bool { return limit > 0 && len(out) >= limit-1 }
	p := c.arg(0)
	if str, ok := p.(*String); ok && str.String() == " " {
		p = Nil{}
	}
	switch p := p.(type) {
	case Nil:
		beg = c.splitWords(s, &out, full)
	case *String:
		pat := p.String()
		for beg < len(s) && !full() {
			c.in.step()
			if pat == "" {
				_, n := utf8.DecodeRuneInString(s[beg:])
				out = append(out, s[beg:beg+n])
				beg += n
				continue
			}
			i := strings.Index(s[beg:], pat)
			if i < 0 {
				break
			}
			out = append(out, s[beg:beg+i])
			beg += i + len(pat)
		}
	case *Regexp:
		beg = c.splitRegexp(p, s, &out, limit)
	default:
		c.raise("TypeError", "wrong argument type %s (expected Regexp)", c.in.classOf(p).name)
	}
	if len(s) > 0 && (given || len(s) > beg) {
		out = append(out, s[beg:])
	}
	if !given {
		for len(out) > 0 && out[len(out)-1] == "" {
			out = out[:len(out)-1]
		}
	}
	return out
}

// splitWords splits at blanks as awk does, and returns where the rest begins.
func (c *call) splitWords(s string, out *[]string, full func() bool) int {
	const blanks = " \t\n\v\f\r\x00"
	at := 0
	for {
		c.in.step()
		at = len(s) - len(strings.TrimLeft(s[at:], blanks))
		if full() {
			return at
		}
		i := strings.IndexAny(s[at:], blanks)
		if i < 0 {
			return at
		}
		*out = append(*out, s[at:at+i])
		at += i
	}
}

// splitRegexp follows Ruby's loop: an empty match splits off one character.
func (c *call) splitRegexp(re *Regexp, s string, out *[]string, limit int) int {
	beg, start, null, pieces := 0, 0, false, 1
	for start <= len(s) {
		c.in.step()
		m := c.in.matchAt(re, s, start)
		if m == nil {
			break
		}
		if m.loc[0] == start && m.loc[1] == m.loc[0] {
			if len(s) == 0 {
				*out = append(*out, "")
				break
			}
			if !null {
				if start == len(s) {
					start++
				} else {
					_, n := utf8.DecodeRuneInString(s[start:])
					start += n
				}
				null = true
				continue
			}
			_, n := utf8.DecodeRuneInString(s[beg:])
			*out = append(*out, s[beg:beg+n])
			beg = start
		} else {
			*out = append(*out, s[beg:m.loc[0]])
			beg, start = m.loc[1], m.loc[1]
		}
		null = false
		for i := 1; i < len(m.loc)/2; i++ {
			if m.loc[2*i] >= 0 {
				*out = append(*out, s[m.loc[2*i]:m.loc[2*i+1]])
			}
		}
		if pieces++; limit > 0 && limit <= pieces {
			break
		}
	}
	return beg
}
