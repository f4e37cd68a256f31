package ruby

// arrayChangeTable is the methods that change an array.
func arrayChangeTable() []builtin {
	self := func(c *call) *Array { c.change(); return c.self.(*Array) }
	push := func(c *call) Object {
		a := self(c)
		c.in.room(16*len(c.args) + 16)
		if 16*len(a.e) > c.in.limits.Size {
			c.in.room(16 * len(a.e))
		}
		a.e = append(a.e, c.args...)
		return a
	}
	unshift := func(c *call) Object {
		a := self(c)
		c.in.room(16 * (len(a.e) + len(c.args)))
		a.e = append(append([]Object(nil), c.args...), a.e...)
		return a
	}
	// whole replaces all elements; the ! forms answer nil when nothing changed.
	whole := func(name string, max int, bang bool, f func(c *call) []Object) builtin {
		return builtin{name, 0, max, func(c *call) Object {
			a := self(c)
			n := len(a.e)
			out := f(c)
			a.e = out
			if bang && len(out) == n {
				return Nil{}
			}
			return a
		}}
	}
	filter := func(name string, want, bang bool) builtin {
		return builtin{name, 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			a := self(c)
			out := []Object{}
			n := len(a.e)
			for i := 0; i < len(a.e); i++ {
				if e := a.e[i]; truthy(c.yield(e)) == want {
					out = append(out, e)
				}
			}
			a.e = out
			if bang && len(out) == n {
				return Nil{}
			}
			return a
		}}
	}
	mapped := func(c *call) []Object {
		out := []Object{}
		for _, e := range c.elems() {
			out = append(out, c.yield(e))
		}
		return out
	}
	return []builtin{
		{"push", 0, -1, push}, {"append", 0, -1, push}, {"<<", 1, 1, push},
		{"unshift", 0, -1, unshift}, {"prepend", 0, -1, unshift},
		{"pop", 0, 1, func(c *call) Object {
			a := self(c)
			if !c.has(0) {
				if len(a.e) == 0 {
					return Nil{}
				}
				v := a.e[len(a.e)-1]
				a.e = a.e[:len(a.e)-1]
				return v
			}
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "negative array size")
			}
			n = min(n, len(a.e))
			out := append([]Object(nil), a.e[len(a.e)-n:]...)
			a.e = a.e[:len(a.e)-n]
			return c.in.array(out)
		}},
		{"shift", 0, 1, func(c *call) Object {
			a := self(c)
			if !c.has(0) {
				if len(a.e) == 0 {
					return Nil{}
				}
				v := a.e[0]
				a.e = a.e[1:]
				return v
			}
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "negative array size")
			}
			n = min(n, len(a.e))
			out := append([]Object(nil), a.e[:n]...)
			a.e = a.e[n:]
			return c.in.array(out)
		}},
		{"insert", 1, -1, func(c *call) Object {
			a := self(c)
			i := c.int(0)
			if len(c.args) == 1 {
				return a
			}
			if i < 0 {
				if i += len(a.e) + 1; i < 0 {
					c.raise("IndexError", "index %d too small for array; minimum: -%d", c.int(0), len(a.e)+1)
				}
			}
			c.pad(a, i)
			rest := append([]Object(nil), a.e[i:]...)
			a.e = append(append(a.e[:i:i], c.args[1:]...), rest...)
			return a
		}},
		{"concat", 0, -1, func(c *call) Object {
			a := self(c)
			var add []Object
			for i := range c.args {
				add = append(add, c.array(i)...)
			}
			c.in.room(16 * (len(a.e) + len(add)))
			a.e = append(a.e, add...)
			return a
		}},
		{"replace", 1, 1, func(c *call) Object {
			a := self(c)
			a.e = append([]Object(nil), c.array(0)...)
			return a
		}},
		{"clear", 0, 0, func(c *call) Object { a := self(c); a.e = nil; return a }},
		{"[]=", 2, 3, arraySet},
		{"fill", 0, 3, func(c *call) Object {
			a := self(c)
			args := c.args
			var v Object
			if c.block == nil {
				if len(args) == 0 {
					c.in.wrongArgs(0, 1, 3)
				}
				v, args = args[0], args[1:]
			}
			from, to := 0, len(a.e)
			if len(args) > 0 {
				if r, ok := args[0].(*Range); ok {
					s, n, fits := c.in.bounds(r, len(a.e))
					if !fits {
						c.raise("RangeError", "%s out of range", c.in.inspectOf(r))
					}
					from, to = s, s+n
					if hi, ok := r.hi.(Int); ok && int(hi) >= len(a.e) {
						to = int(hi) + 1
						if r.excl {
							to--
						}
					}
				} else if !isNil(args[0]) {
					from = c.in.toInt(args[0])
					if from < 0 {
						from = max(0, from+len(a.e))
					}
				}
			}
			if len(args) > 1 && !isNil(args[1]) {
				to = from + c.in.toInt(args[1])
			}
			if to > len(a.e) {
				c.pad(a, to)
			}
			for i := from; i < to; i++ {
				if c.block != nil {
					a.e[i] = c.yield(Int(i))
				} else {
					a.e[i] = v
				}
			}
			return a
		}},
		{"delete", 1, 1, func(c *call) Object {
			a := self(c)
			var found Object
			out := a.e[:0:0]
			for _, e := range a.e {
				if c.in.equal(e, c.arg(0)) {
					found = e
				} else {
					out = append(out, e)
				}
			}
			if found == nil {
				if c.block != nil {
					return c.yield(c.arg(0))
				}
				return Nil{}
			}
			a.e = out
			return found
		}},
		{"delete_at", 1, 1, func(c *call) Object {
			a := self(c)
			i := c.int(0)
			if i < 0 {
				i += len(a.e)
			}
			if i < 0 || i >= len(a.e) {
				return Nil{}
			}
			v := a.e[i]
			a.e = append(a.e[:i:i], a.e[i+1:]...)
			return v
		}},
		{"slice!", 1, 2, func(c *call) Object {
			a := self(c)
			v := arrayAt(c)
			if isNil(v) {
				return v
			}
			i, n := 0, 1
			switch x := c.arg(0).(type) {
			case *Range:
				i, n, _ = c.in.bounds(x, len(a.e))
			default:
				if i = c.int(0); i < 0 {
					i += len(a.e)
				}
				if c.has(1) {
					n = c.int(1)
				}
			}
			if i < len(a.e) {
				a.e = append(a.e[:i:i], a.e[min(i+n, len(a.e)):]...)
			}
			return v
		}},
		filter("select!", true, true), filter("filter!", true, true), filter("keep_if", true, false),
		filter("reject!", false, true), filter("delete_if", false, false),
		whole("compact!", 0, true, func(c *call) []Object { return compacted(c.elems()) }),
		whole("uniq!", 0, true, func(c *call) []Object { return c.uniq(c.elems()) }),
		whole("reverse!", 0, false, func(c *call) []Object { return reversed(c.elems()) }),
		whole("sort!", 0, false, func(c *call) []Object { return c.sorted(c.elems()) }),
		whole("sort_by!", 0, false, func(c *call) []Object { return c.sortedBy(c.elems()) }),
		whole("map!", 0, false, mapped), whole("collect!", 0, false, mapped),
		whole("rotate!", 1, false, func(c *call) []Object {
			n := 1
			if c.has(0) {
				n = c.int(0)
			}
			return rotated(c.elems(), n)
		}),
		{"flatten!", 0, 1, func(c *call) Object {
			a := self(c)
			nested := false
			for _, e := range a.e {
				if _, ok := e.(*Array); ok {
					nested = true
				}
			}
			a.e = c.flatten()
			if !nested {
				return Nil{}
			}
			return a
		}},
		{"shuffle!", 0, -1, func(c *call) Object { c.in.refuse("random numbers"); return nil }},
	}
}

// pad makes an array at least n long.
func (c *call) pad(a *Array, n int) {
	if n > c.in.limits.Size/16 {
		c.in.room(c.in.limits.Size + 1)
	}
	for len(a.e) < n {
		c.in.room(16)
		a.e = append(a.e, Nil{})
	}
}

func arraySet(c *call) Object {
	c.change()
	a := c.self.(*Array)
	v := c.args[len(c.args)-1]
	i, n := 0, -1
	if len(c.args) == 3 {
		i, n = c.int(0), c.int(1)
		if n < 0 {
			c.raise("IndexError", "negative length (%d)", n)
		}
	} else if r, ok := c.arg(0).(*Range); ok {
		start, l, fits := c.in.bounds(r, len(a.e))
		if !fits {
			if start = c.in.toInt(r.lo); start < 0 {
				c.raise("RangeError", "%s out of range", c.in.inspectOf(r))
			}
			l = 0
		}
		i, n = start, l
	} else {
		i = c.int(0)
	}
	if i < 0 {
		if k := i + len(a.e); k >= 0 {
			i = k
		} else {
			c.raise("IndexError", "index %d too small for array; minimum: %d", i, -len(a.e))
		}
	}
	if n < 0 {
		c.pad(a, i+1)
		a.e[i] = v
		return v
	}
	c.pad(a, i)
	put := []Object{v}
	if list, ok := v.(*Array); ok {
		put = list.els()
	}
	rest := append([]Object(nil), a.e[min(i+n, len(a.e)):]...)
	a.e = append(append(a.e[:i:i], put...), rest...)
	return v
}
