package ruby

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/ruby/syntax"
)

func (in *Interp) bigFromText(s string, base int) Object {
	in.charge(len(s) * len(s) >> 12) // reading digits takes quadratic time
	n, _ := new(big.Int).SetString(s, base)
	return bigToObject(n)
}

// newRegexp compiles a pattern once per run.
func (in *Interp) newRegexp(src string, flags onigmo.Flags) *Regexp {
	key := regexpKey{src, flags}
	re := in.regexps.at(key)
	if re == nil {
		var err error
		in.charge(16 + len(src))
		if re, err = onigmo.Compile(src, flags); err != nil {
			in.raise("RegexpError", "%s", err.Error())
		}
		in.regexps.put(key, re)
	}
	return &Regexp{re, src, flags}
}

// matchAt finds the first match at or after a byte offset.
func (in *Interp) matchAt(re *Regexp, s string, from int) *Match {
	loc, steps, err := re.re.FindCounted(s, from)
	in.charge(8 + steps/4)
	if err != nil {
		in.regexpError(err)
	}
	if loc == nil {
		return nil
	}
	return &Match{re: re, s: s, loc: append([]int(nil), loc...)}
}

// matchString is matchAt for a string pattern.
func (in *Interp) matchString(pat, s string, from int) *Match {
	i := strings.Index(s[from:], pat)
	if i < 0 {
		return nil
	}
	return &Match{s: s, loc: []int{from + i, from + i + len(pat)}}
}

// setMatch sets $~ in the caller.
func (c *call) setMatch(m *Match) {
	if m != nil && m.re == nil {
		m.re = c.in.newRegexp(onigmo.Quote(m.s[m.loc[0]:m.loc[1]]), 0)
	}
	if c.frame != nil {
		c.frame.meth.match = m
	} else if c.block != nil && c.block.frame != nil {
		c.block.frame.meth.match = m
	}
}

// pattern reads a regexp or string argument; strings match literally.
func (c *call) pattern(i int) func(s string, from int) *Match {
	switch p := c.arg(i).(type) {
	case *Regexp:
		return func(s string, from int) *Match { return c.in.matchAt(p, s, from) }
	case *String:
		t := p.String()
		return func(s string, from int) *Match { return c.in.matchString(t, s, from) }
	}
	c.raise("TypeError", "wrong argument type %s (expected Regexp)", c.in.classOf(c.arg(i)).name)
	return nil
}

// regexpArg reads an argument of match, which turns strings into regexps.
func (c *call) regexpArg(i int) *Regexp {
	switch p := c.arg(i).(type) {
	case *Regexp:
		return p
	case *String:
		return c.in.newRegexp(p.String(), 0)
	}
	c.raise("TypeError", "wrong argument type %s (expected Regexp)", c.in.classOf(c.arg(i)).name)
	return nil
}

func stringSearchTable() []builtin {
	return []builtin{
		{"=~", 1, 1, func(c *call) Object {
			switch p := c.arg(0).(type) {
			case *Regexp:
				m := c.in.matchAt(p, c.text(), 0)
				c.setMatch(m)
				if m == nil {
					return Nil{}
				}
				return Int(charAt(m.s, m.loc[0]))
			case *String:
				c.raise("TypeError", "type mismatch: String given")
			}
			return c.in.send(c.arg(0), "=~", []Object{c.self}, nil)
		}},
		{"match", 1, 2, func(c *call) Object {
			from := 0
			if c.has(1) {
				from = byteAt(c.text(), c.int(1))
			}
			m := c.in.matchAt(c.regexpArg(0), c.text(), from)
			c.setMatch(m)
			if m == nil {
				return Nil{}
			}
			if c.block != nil {
				return c.yield(m)
			}
			return m
		}},
		{"match?", 1, 2, func(c *call) Object { return Bool(c.in.matchAt(c.regexpArg(0), c.text(), 0) != nil) }},
		{"include?", 1, 1, func(c *call) Object { return Bool(strings.Contains(c.text(), c.str(0))) }},
		{"start_with?", 0, -1, func(c *call) Object {
			for i := range c.args {
				if re, ok := c.args[i].(*Regexp); ok {
					m := c.in.matchAt(c.in.newRegexp(`\A(?:`+re.src+`)`, re.flags), c.text(), 0)
					if m != nil {
						c.setMatch(c.in.matchAt(re, c.text(), 0))
						return Bool(true)
					}
					continue
				}
				if strings.HasPrefix(c.text(), c.str(i)) {
					return Bool(true)
				}
			}
			return Bool(false)
		}},
		{"end_with?", 0, -1, func(c *call) Object {
			for i := range c.args {
				if strings.HasSuffix(c.text(), c.str(i)) {
					return Bool(true)
				}
			}
			return Bool(false)
		}},
		{"delete_prefix", 1, 1, func(c *call) Object { return c.ret(strings.TrimPrefix(c.text(), c.str(0))) }},
		{"delete_suffix", 1, 1, func(c *call) Object { return c.ret(strings.TrimSuffix(c.text(), c.str(0))) }},
		{"delete_prefix!", 1, 1, func(c *call) Object { return c.replaceSelf(strings.TrimPrefix(c.text(), c.str(0))) }},
		{"delete_suffix!", 1, 1, func(c *call) Object { return c.replaceSelf(strings.TrimSuffix(c.text(), c.str(0))) }},
		{"index", 1, 2, stringIndex},
		{"rindex", 1, 2, stringRindex},
		{"[]", 1, 2, stringAt}, {"slice", 1, 2, stringAt},
		{"partition", 1, 1, func(c *call) Object {
			s := c.text()
			m := c.pattern(0)(s, 0)
			if _, re := c.arg(0).(*Regexp); re {
				c.setMatch(m)
			}
			if m == nil {
				return c.in.strings([]string{s, "", ""})
			}
			return c.in.strings([]string{s[:m.loc[0]], s[m.loc[0]:m.loc[1]], s[m.loc[1]:]})
		}},
		{"rpartition", 1, 1, func(c *call) Object {
			s := c.text()
			var last *Match
			find := c.pattern(0)
			for at := len(s); at >= 0 && last == nil; at-- {
				if at < len(s) && !utf8.RuneStart(s[at]) {
					continue
				}
				c.in.step()
				if m := find(s, at); m != nil && m.loc[0] == at {
					last = m
				}
			}
			if last == nil {
				return c.in.strings([]string{"", "", s})
			}
			return c.in.strings([]string{s[:last.loc[0]], s[last.loc[0]:last.loc[1]], s[last.loc[1]:]})
		}},
		{"scan", 1, 1, stringScan},
		{"split", 0, 2, func(c *call) Object {
			list := c.in.strings(c.split())
			if c.block != nil {
				for _, e := range list.e {
					c.yield(e)
				}
				return c.self
			}
			return list
		}},
		{"sub", 1, 2, func(c *call) Object { return c.ret(c.substitute(false)) }},
		{"gsub", 1, 2, func(c *call) Object {
			if len(c.args) == 1 && c.block == nil {
				return c.enum()
			}
			return c.ret(c.substitute(true))
		}},
		{"sub!", 1, 2, func(c *call) Object { return c.replaceSelf(c.substitute(false)) }},
		{"gsub!", 1, 2, func(c *call) Object { return c.replaceSelf(c.substitute(true)) }},
		{"count", 1, -1, func(c *call) Object {
			in := c.charSets()
			n := 0
			for _, r := range c.text() {
				if in(r) {
					n++
				}
			}
			return Int(n)
		}},
		{"tr", 2, 2, func(c *call) Object { return c.ret(tr(c, c.text(), c.str(0), c.str(1), false)) }},
		{"tr_s", 2, 2, func(c *call) Object { return c.ret(tr(c, c.text(), c.str(0), c.str(1), true)) }},
		{"tr!", 2, 2, func(c *call) Object { return c.replaceSelf(tr(c, c.text(), c.str(0), c.str(1), false)) }},
		{"delete", 1, -1, func(c *call) Object { return c.ret(c.deleted()) }},
		{"delete!", 1, -1, func(c *call) Object { return c.replaceSelf(c.deleted()) }},
		{"squeeze", 0, -1, func(c *call) Object { return c.ret(c.squeezed()) }},
		{"squeeze!", 0, -1, func(c *call) Object { return c.replaceSelf(c.squeezed()) }},
	}
}

// replaceSelf changes the receiver, and answers nil when there was nothing to change.
func (c *call) replaceSelf(s string) Object {
	if s == c.text() {
		if isFrozen(c.self) {
			c.change()
		}
		return Nil{}
	}
	c.change()
	c.in.room(len(s))
	c.self.(*String).set(s)
	return c.self
}

func stringIndex(c *call) Object {
	s := c.text()
	from := 0
	n := charLen(s)
	if c.has(1) {
		from = c.int(1)
		if from < 0 {
			from += n
		}
		if from < 0 || from > n {
			return Nil{}
		}
	}
	if _, ok := c.arg(0).(*Regexp); !ok {
		c.str(0)
	}
	m := c.pattern(0)(s, byteAt(s, from))
	if _, re := c.arg(0).(*Regexp); re {
		c.setMatch(m)
	}
	if m == nil {
		return Nil{}
	}
	return Int(charAt(s, m.loc[0]))
}

func stringRindex(c *call) Object {
	s := c.text()
	n := charLen(s)
	from := n
	if c.has(1) {
		from = c.int(1)
		if from < 0 {
			from += n
		}
		if from < 0 {
			return Nil{}
		}
		from = min(from, n)
	}
	if _, ok := c.arg(0).(*Regexp); !ok {
		c.str(0)
	}
	find := c.pattern(0)
	for i := from; i >= 0; i-- {
		at := byteAt(s, i)
		c.in.step()
		if m := find(s, at); m != nil && m.loc[0] == at {
			if _, re := c.arg(0).(*Regexp); re {
				c.setMatch(m)
			}
			return Int(i)
		}
	}
	return Nil{}
}

// bounds resolves a range over n elements to a start and a length.
func (in *Interp) bounds(r *Range, n int) (start, length int, ok bool) {
	start = 0
	if !isNil(r.lo) {
		start = in.toInt(r.lo)
	}
	end := -1
	excl := r.excl
	if isNil(r.hi) {
		excl = false
	} else {
		end = in.toInt(r.hi)
	}
	if start < 0 {
		start += n
	}
	if start < 0 || start > n {
		return 0, 0, false
	}
	if end < 0 {
		end += n
	}
	if !excl {
		end++
	}
	return start, max(min(end, n)-start, 0), true
}

func stringAt(c *call) Object {
	s := c.text()
	switch i := c.arg(0).(type) {
	case *Regexp:
		m := c.in.matchAt(i, s, 0)
		c.setMatch(m)
		if m == nil {
			return Nil{}
		}
		if c.has(1) {
			return c.in.matchRef(m, c.arg(1))
		}
		return c.in.group(m, 0)
	case *String:
		if c.has(1) {
			c.int(0)
		}
		if strings.Contains(s, i.String()) {
			return c.ret(i.String())
		}
		return Nil{}
	case *Range:
		start, n, ok := c.in.bounds(i, charLen(s))
		if !ok {
			return Nil{}
		}
		return c.ret(substr(s, start, n))
	}
	i := c.int(0)
	n := charLen(s)
	if i < 0 {
		i += n
	}
	if c.has(1) {
		l := c.int(1)
		if i < 0 || i > n || l < 0 {
			return Nil{}
		}
		return c.ret(substr(s, i, l))
	}
	if i < 0 || i >= n {
		return Nil{}
	}
	return c.ret(substr(s, i, 1))
}

// eachMatch walks the matches without overlaps.
func (c *call) eachMatch(s string, find func(string, int) *Match, f func(m *Match) bool) {
	for at := 0; at <= len(s); {
		m := find(s, at)
		if m == nil || !f(m) {
			return
		}
		c.in.charge(8)
		at = m.loc[1]
		if m.loc[1] == m.loc[0] {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += max(n, 1)
		}
	}
}

func stringScan(c *call) Object {
	s := c.text()
	var out []Object
	var last *Match
	c.eachMatch(s, c.pattern(0), func(m *Match) bool {
		last = m
		var item Object
		if len(m.loc) > 2 {
			groups := make([]Object, 0, len(m.loc)/2-1)
			for i := 1; i < len(m.loc)/2; i++ {
				groups = append(groups, c.in.group(m, i))
			}
			item = c.in.array(groups)
		} else {
			item = c.in.group(m, 0)
		}
		if c.block != nil {
			c.setMatch(m)
			c.yield(item)
		} else {
			out = append(out, item)
		}
		return true
	})
	c.setMatch(last)
	if c.block != nil {
		return c.self
	}
	return c.in.array(out)
}

// substitute is sub and gsub.
func (c *call) substitute(all bool) string {
	s := c.text()
	find := c.pattern(0)
	var with func(m *Match) string
	switch {
	case c.has(1):
		if h, ok := c.arg(1).(*Hash); ok {
			with = func(m *Match) string { return c.in.toS(c.in.hashGet(h, c.in.group(m, 0))) }
		} else {
			r := c.str(1)
			if strings.IndexByte(r, '\\') < 0 {
				with = func(m *Match) string { return r }
			} else {
				with = func(m *Match) string { return c.in.expand(r, m) }
			}
		}
	case c.block != nil:
		with = func(m *Match) string {
			c.setMatch(m)
			return c.in.toS(c.yield(c.in.group(m, 0)))
		}
	default:
		c.in.wrongArgs(1, 2, 2)
	}
	var b strings.Builder
	beg := 0
	var last *Match
	c.eachMatch(s, find, func(m *Match) bool {
		last = m
		b.WriteString(s[beg:m.loc[0]])
		t := with(m)
		b.WriteString(t)
		if b.Len() > c.in.limits.Size {
			c.in.room(b.Len())
		}
		beg = m.loc[1]
		return all
	})
	c.setMatch(last)
	b.WriteString(s[beg:])
	return b.String()
}

// expand resolves \1, \0, \k<name>, \` and \' in a replacement.
func (in *Interp) expand(r string, m *Match) string {
	var b strings.Builder
	for i := 0; i < len(r); i++ {
		if r[i] != '\\' || i+1 == len(r) {
			b.WriteByte(r[i])
			continue
		}
		i++
		switch c := r[i]; {
		case syntax.IsDigit(c):
			b.WriteString(in.toS(in.group(m, int(c-'0'))))
		case c == '&':
			b.WriteString(in.toS(in.group(m, 0)))
		case c == '`':
			b.WriteString(m.s[:m.loc[0]])
		case c == '\'':
			b.WriteString(m.s[m.loc[1]:])
		case c == '\\':
			b.WriteByte('\\')
		case c == 'k' && i+1 < len(r) && r[i+1] == '<':
			end := strings.IndexByte(r[i:], '>')
			if end < 0 {
				b.WriteString(`\k`)
				continue
			}
			b.WriteString(in.toS(in.matchRef(m, NewString(r[i+2:i+end]))))
			i += end
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
