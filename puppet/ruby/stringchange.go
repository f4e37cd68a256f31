package ruby

import "strings"

// stringChangeTable is s[i] = t, slice! and their like.
func stringChangeTable() []builtin {
	return []builtin{
		{"[]=", 2, 3, func(c *call) Object {
			c.change()
			v := c.args[len(c.args)-1]
			t := c.in.toStr(v)
			c.splice(t, len(c.args) == 3)
			return v
		}},
		{"slice!", 1, 2, func(c *call) Object {
			old := stringAt(c)
			c.change()
			if isNil(old) {
				return old
			}
			c.splice("", len(c.args) == 2)
			return old
		}},
	}
}

// splice replaces what the first argument (and the second, when two) names by t.
func (c *call) splice(t string, two bool) {
	s := c.text()
	n := charLen(s)
	set := func(from, to int) {
		c.in.room(len(s) + len(t))
		c.self.(*String).set(s[:from] + t + s[to:])
	}
	switch i := c.arg(0).(type) {
	case *String:
		at := strings.Index(s, i.String())
		if at < 0 {
			c.raise("IndexError", "string not matched")
		}
		set(at, at+i.len())
	case *Regexp:
		m := c.in.matchAt(i, s, 0)
		c.setMatch(m)
		if m == nil {
			c.raise("IndexError", "regexp not matched")
		}
		g := 0
		if two {
			g = c.int(1)
		}
		if 2*g >= len(m.loc) || g < 0 {
			c.raise("IndexError", "index %d out of regexp", g)
		}
		set(m.loc[2*g], m.loc[2*g+1])
	case *Range:
		start, l, ok := c.in.bounds(i, n)
		if !ok {
			c.raise("RangeError", "%s out of range", c.in.inspectOf(i))
		}
		a := byteAt(s, start)
		set(a, a+byteAt(s[a:], l))
	default:
		at := c.int(0)
		k := at
		if at < 0 {
			at += n
		}
		l := 1
		if two {
			if l = c.int(1); l < 0 {
				c.raise("IndexError", "negative length %d", l)
			}
		}
		if at < 0 || at > n || !two && at >= n && at > 0 {
			c.raise("IndexError", "index %d out of string", k)
		}
		a := byteAt(s, at)
		set(a, a+byteAt(s[a:], l))
	}
}

func stringJSONTable() []builtin {
	return []builtin{
		{"unpack", 1, 2, func(c *call) Object { return c.in.array(stringUnpack(c)) }},
		{"unpack1", 1, 2, func(c *call) Object {
			if all := stringUnpack(c); len(all) > 0 {
				return all[0]
			}
			return Nil{}
		}},
		{"shellescape", 0, 0, func(c *call) Object { return c.ret(shellEscape(c.text())) }},
		{"shellsplit", 0, 0, func(c *call) Object { return c.in.strings(c.in.shellSplit(c.text())) }},
	}
}
