package ruby

import "strings"

// A charSet of tr, delete, count and squeeze: a-z, ^abc, with \ to escape.
type charSet struct {
	neg  bool
	list []rune
	has  map[rune]bool
}

func (c *call) charSet(spec string) charSet {
	rs := []rune(spec)
	var s charSet
	if len(rs) > 1 && rs[0] == '^' {
		s.neg = true
		rs = rs[1:]
	}
	s.has = map[rune]bool{}
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		if r == '\\' && i+1 < len(rs) {
			i++
			r = rs[i]
		}
		if i+2 < len(rs) && rs[i+1] == '-' {
			hi := rs[i+2]
			step := 3
			if hi == '\\' && i+3 < len(rs) {
				hi = rs[i+3]
				step = 4
			}
			if hi < r {
				c.raise("ArgumentError", "invalid range \"%c-%c\" in string transliteration", r, hi)
			}
			for x := r; x <= hi; x++ {
				c.in.step()
				s.list = append(s.list, x)
				s.has[x] = true
			}
			i += step - 1
			continue
		}
		s.list = append(s.list, r)
		s.has[r] = true
	}
	return s
}

// charSets is the intersection of the sets in the arguments.
func (c *call) charSets() func(rune) bool {
	var sets []charSet
	for i := range c.args {
		sets = append(sets, c.charSet(c.str(i)))
	}
	return func(r rune) bool {
		for _, s := range sets {
			if s.has[r] == s.neg {
				return false
			}
		}
		return true
	}
}

func (c *call) deleted() string {
	in := c.charSets()
	return strings.Map(func(r rune) rune {
		if in(r) {
			return -1
		}
		return r
	}, c.text())
}

func (c *call) squeezed() string {
	in := c.charSets()
	var b strings.Builder
	last := rune(-1)
	for _, r := range c.text() {
		if r == last && in(r) {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

func tr(c *call, s, from, to string, squeeze bool) string {
	if s == "" {
		return s
	}
	a := c.charSet(from)
	b := charSet{}
	if to != "" {
		b = c.charSet(to)
		if b.neg {
			b.list = append([]rune{'^'}, b.list...)
		}
	}
	at := map[rune]int{}
	for i, r := range a.list {
		if _, dup := at[r]; !dup {
			at[r] = i
		}
	}
	var out strings.Builder
	last := rune(-1)
	for _, r := range s {
		i, hit := at[r]
		if a.neg {
			hit = !hit
			i = len(b.list) - 1
		}
		if !hit {
			out.WriteRune(r)
			last = -1
			continue
		}
		if len(b.list) == 0 {
			continue
		}
		x := b.list[min(i, len(b.list)-1)]
		if squeeze && x == last {
			continue
		}
		out.WriteRune(x)
		last = x
	}
	return out.String()
}
