package ruby

import (
	"strings"

	"bunraku/puppet/onigmo"
)

func regexpTable() []builtin {
	self := func(c *call) *Regexp { return c.self.(*Regexp) }
	return []builtin{
		{"source", 0, 0, func(c *call) Object { return c.ret(self(c).src) }},
		{"to_s", 0, 0, func(c *call) Object { return c.ret(self(c).embed()) }},
		{"inspect", 0, 0, func(c *call) Object { return c.ret(self(c).inspect()) }},
		{"options", 0, 0, func(c *call) Object {
			n := 0
			f := self(c).flags
			if f&onigmo.IgnoreCase != 0 {
				n |= 1
			}
			if f&onigmo.Extended != 0 {
				n |= 2
			}
			if f&onigmo.Multiline != 0 {
				n |= 4
			}
			return Int(n)
		}},
		{"casefold?", 0, 0, func(c *call) Object { return Bool(self(c).flags&onigmo.IgnoreCase != 0) }},
		{"names", 0, 0, func(c *call) Object { return c.in.strings(groupNames(self(c))) }},
		{"=~", 1, 1, func(c *call) Object {
			if isNil(c.arg(0)) {
				c.setMatch(nil)
				return Nil{}
			}
			s, ok := stringOrSymbol(c.arg(0))
			if !ok {
				s = c.str(0)
			}
			m := c.in.matchAt(self(c), s, 0)
			c.setMatch(m)
			if m == nil {
				return Nil{}
			}
			return Int(charAt(s, m.loc[0]))
		}},
		{"===", 1, 1, func(c *call) Object {
			s, ok := stringOrSymbol(c.arg(0))
			if !ok {
				return Bool(false)
			}
			m := c.in.matchAt(self(c), s, 0)
			c.setMatch(m)
			return Bool(m != nil)
		}},
		{"match", 1, 2, func(c *call) Object {
			if isNil(c.arg(0)) {
				c.setMatch(nil)
				return Nil{}
			}
			s, ok := stringOrSymbol(c.arg(0))
			if !ok {
				s = c.str(0)
			}
			from := 0
			if c.has(1) {
				from = byteAt(s, c.int(1))
			}
			m := c.in.matchAt(self(c), s, from)
			c.setMatch(m)
			if m == nil {
				return Nil{}
			}
			if c.block != nil {
				return c.yield(m)
			}
			return m
		}},
		{"match?", 1, 2, func(c *call) Object {
			if isNil(c.arg(0)) {
				return Bool(false)
			}
			s, ok := stringOrSymbol(c.arg(0))
			if !ok {
				s = c.str(0)
			}
			return Bool(c.in.matchAt(self(c), s, 0) != nil)
		}},
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"freeze", 0, 0, func(c *call) Object { return c.self }},
	}
}

func groupNames(re *Regexp) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range re.re.Names() {
		if n != "" && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// matchRef is m[ref]: a number, a name, or a range handled by the caller.
func (in *Interp) matchRef(m *Match, ref Object) Object {
	switch r := ref.(type) {
	case Int:
		i := int(r)
		if i < 0 {
			i += len(m.loc) / 2
			if i <= 0 {
				return Nil{}
			}
		}
		return in.group(m, i)
	case *String, Symbol:
		name, _ := stringOrSymbol(r)
		found := -1
		for i, n := range m.re.re.Names() {
			if n == name && (found < 0 || m.loc[2*i] >= 0) {
				found = i
			}
		}
		if found < 0 {
			in.raise("IndexError", "undefined group name reference: %s", name)
		}
		return in.group(m, found)
	}
	return in.group(m, in.toInt(ref))
}

func matchTable() []builtin {
	self := func(c *call) *Match { return c.self.(*Match) }
	groups := func(c *call, from int) []Object {
		m := self(c)
		var out []Object
		for i := from; i < len(m.loc)/2; i++ {
			out = append(out, c.in.group(m, i))
		}
		return out
	}
	offset := func(c *call, end int) Object {
		m := self(c)
		i := 0
		if n, ok := c.arg(0).(Int); ok {
			i = int(n)
		} else {
			name := c.nameArg(0)
			i = -1
			for k, n := range m.re.re.Names() {
				if n == name {
					i = k
				}
			}
			if i < 0 {
				c.raise("IndexError", "undefined group name reference: %s", name)
			}
		}
		if i < 0 || 2*i >= len(m.loc) {
			c.raise("IndexError", "index %d out of matches", i)
		}
		if m.loc[2*i] < 0 {
			return Nil{}
		}
		return Int(charAt(m.s, m.loc[2*i+end]))
	}
	return []builtin{
		{"[]", 1, 2, func(c *call) Object {
			if _, ok := c.arg(0).(*Range); ok || c.has(1) {
				return c.in.send(c.in.array(groups(c, 0)), "[]", c.args, nil)
			}
			return c.in.matchRef(self(c), c.arg(0))
		}},
		{"to_a", 0, 0, func(c *call) Object { return c.in.array(groups(c, 0)) }},
		{"captures", 0, 0, func(c *call) Object { return c.in.array(groups(c, 1)) }},
		{"deconstruct", 0, 0, func(c *call) Object { return c.in.array(groups(c, 1)) }},
		{"named_captures", 0, 0, func(c *call) Object {
			h := c.in.newHash()
			for _, n := range groupNames(self(c).re) {
				h.put(NewString(n), c.in.matchRef(self(c), NewString(n)))
			}
			return h
		}},
		{"names", 0, 0, func(c *call) Object { return c.in.strings(groupNames(self(c).re)) }},
		{"pre_match", 0, 0, func(c *call) Object { m := self(c); return c.ret(m.s[:m.loc[0]]) }},
		{"post_match", 0, 0, func(c *call) Object { m := self(c); return c.ret(m.s[m.loc[1]:]) }},
		{"to_s", 0, 0, func(c *call) Object { return c.in.group(self(c), 0) }},
		{"string", 0, 0, func(c *call) Object { return &String{s: self(c).s, frozen: true} }},
		{"regexp", 0, 0, func(c *call) Object { return self(c).re }},
		{"length", 0, 0, func(c *call) Object { return Int(len(self(c).loc) / 2) }},
		{"size", 0, 0, func(c *call) Object { return Int(len(self(c).loc) / 2) }},
		{"begin", 1, 1, func(c *call) Object { return offset(c, 0) }},
		{"end", 1, 1, func(c *call) Object { return offset(c, 1) }},
		{"offset", 1, 1, func(c *call) Object { return NewArray(offset(c, 0), offset(c, 1)) }},
		{"values_at", 0, -1, func(c *call) Object {
			var out []Object
			for _, a := range c.args {
				out = append(out, c.in.matchRef(self(c), a))
			}
			return c.in.array(out)
		}},
		{"==", 1, 1, func(c *call) Object {
			o, ok := c.arg(0).(*Match)
			return Bool(ok && o.s == self(c).s && c.in.equal(o.re, self(c).re) && o.loc[0] == self(c).loc[0])
		}},
		{"inspect", 0, 0, func(c *call) Object {
			m := self(c)
			var b strings.Builder
			b.WriteString("#<MatchData " + c.in.inspectOf(c.in.group(m, 0)))
			for i, n := range m.re.re.Names() {
				if i == 0 {
					continue
				}
				if n == "" {
					n = c.in.toS(Int(i))
				}
				b.WriteString(" " + n + ":" + c.in.inspectOf(c.in.group(m, i)))
			}
			if len(m.re.re.Names()) == 0 {
				for i := 1; i < len(m.loc)/2; i++ {
					b.WriteString(" " + c.in.toS(Int(i)) + ":" + c.in.inspectOf(c.in.group(m, i)))
				}
			}
			return c.ret(b.String() + ">")
		}},
	}
}
