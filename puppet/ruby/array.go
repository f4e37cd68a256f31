package ruby

import "strings"

func (c *call) elems() []Object { return c.self.(*Array).els() }

func arrayTable() []builtin {
	same := func(names string, min, max int, f func(c *call) Object) []builtin {
		var out []builtin
		for _, n := range strings.Fields(names) {
			out = append(out, builtin{n, min, max, f})
		}
		return out
	}
	t := []builtin{
		{"index", 0, 1, func(c *call) Object { return c.in.send(c.self, "find_index", c.args, c.block) }},
		{"to_a", 0, 0, func(c *call) Object { return c.self }},
		{"to_ary", 0, 0, func(c *call) Object { return c.self }},
		{"to_h", 0, 0, func(c *call) Object {
			h := c.in.newHash()
			for i, e := range c.elems() {
				c.putPair(h, e, i, "at")
			}
			return h
		}},
		{"empty?", 0, 0, func(c *call) Object { return Bool(len(c.elems()) == 0) }},
		{"each", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			c.in.each(c.self, func(e Object) bool { c.yield(e); return true })
			return c.self
		}},
		{"each_index", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			for i := 0; i < len(c.elems()); i++ {
				c.yield(Int(i))
			}
			return c.self
		}},
		{"reverse_each", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			for i := len(c.elems()) - 1; i >= 0; i-- {
				if i < len(c.elems()) {
					c.yield(c.elems()[i])
				}
			}
			return c.self
		}},
		{"at", 1, 1, func(c *call) Object { return c.elementAt(c.int(0)) }},
		{"dig", 1, -1, func(c *call) Object { return c.in.dig(c.elementAt(c.int(0)), c.args[1:]) }},
		{"fetch", 1, 2, func(c *call) Object {
			i := c.int(0)
			n := len(c.elems())
			k := i
			if i < 0 {
				i += n
			}
			if i >= 0 && i < n {
				return c.elems()[i]
			}
			if c.block != nil {
				return c.yield(c.arg(0))
			}
			if c.has(1) {
				return c.arg(1)
			}
			c.raise("IndexError", "index %d outside of array bounds: %d...%d", k, -n, n)
			return nil
		}},
		{"values_at", 0, -1, func(c *call) Object {
			var out []Object
			for _, a := range c.args {
				if r, ok := a.(*Range); ok {
					start, n, fits := c.in.bounds(r, len(c.elems()))
					if fits {
						end := start + n
						if !isNil(r.hi) {
							if hi := c.in.toInt(r.hi); hi >= 0 {
								end = hi + 1
								if r.excl {
									end--
								}
							}
						}
						for i := start; i < end; i++ {
							c.in.room(16)
							out = append(out, c.elementAt(i))
						}
					}
					continue
				}
				out = append(out, c.elementAt(c.in.toInt(a)))
			}
			return c.in.array(out)
		}},
		{"first", 0, 1, func(c *call) Object {
			e := c.elems()
			if !c.has(0) {
				return c.elementAt(0)
			}
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "negative array size")
			}
			return c.in.array(append([]Object(nil), e[:min(n, len(e))]...))
		}},
		{"last", 0, 1, func(c *call) Object {
			e := c.elems()
			if !c.has(0) {
				return c.elementAt(-1)
			}
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "negative array size")
			}
			return c.in.array(append([]Object(nil), e[max(0, len(e)-n):]...))
		}},
		{"join", 0, 1, func(c *call) Object {
			sep := ""
			if len(c.elems()) == 0 {
				return &String{ascii: true}
			}
			if c.has(0) && !isNil(c.arg(0)) {
				sep = c.str(0)
			}
			var b strings.Builder
			c.join(&b, c.self.(*Array), sep, true)
			return &String{s: b.String(), binary: c.in.together(append([]Object{c.arg(0)}, c.elems()...)...)}
		}},
		{"reverse", 0, 0, func(c *call) Object { return c.in.array(reversed(c.elems())) }},
		{"rotate", 0, 1, func(c *call) Object {
			n := 1
			if c.has(0) {
				n = c.int(0)
			}
			return c.in.array(rotated(c.elems(), n))
		}},
		{"compact", 0, 0, func(c *call) Object { return c.in.array(compacted(c.elems())) }},
		{"flatten", 0, 1, func(c *call) Object { return c.in.array(c.flatten()) }},
		{"uniq", 0, 0, func(c *call) Object { return c.in.array(c.uniq(c.elems())) }},
		{"+", 1, 1, func(c *call) Object { return c.in.array(append(append([]Object(nil), c.elems()...), c.array(0)...)) }},
		{"-", 1, 1, func(c *call) Object { return c.in.array(c.in.minus(c.elems(), c.array(0))) }},
		{"difference", 0, -1, func(c *call) Object {
			out := append([]Object(nil), c.elems()...)
			for i := range c.args {
				out = c.in.minus(out, c.array(i))
			}
			return c.in.array(out)
		}},
		{"&", 1, 1, func(c *call) Object { return c.in.array(c.in.intersect(c.elems(), c.array(0))) }},
		{"intersection", 0, -1, func(c *call) Object {
			out := c.elems()
			for i := range c.args {
				out = c.in.intersect(out, c.array(i))
			}
			return c.in.array(append([]Object(nil), out...))
		}},
		{"intersect?", 1, 1, func(c *call) Object { return Bool(len(c.in.intersect(c.elems(), c.array(0))) > 0) }},
		{"|", 1, 1, func(c *call) Object { return c.in.array(c.in.union(c.elems(), c.array(0))) }},
		{"union", 0, -1, func(c *call) Object {
			out := c.in.union(c.elems())
			for i := range c.args {
				out = c.in.union(out, c.array(i))
			}
			return c.in.array(out)
		}},
		{"*", 1, 1, func(c *call) Object {
			if s, ok := c.arg(0).(*String); ok {
				return c.in.send(c.self, "join", []Object{s}, nil)
			}
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "argument must be non-negative")
			}
			e := c.elems()
			if len(e) > 0 && n > c.in.limits.Size/16/len(e) {
				c.in.room(c.in.limits.Size + 1)
			}
			out := make([]Object, 0, n*len(e))
			for range n {
				out = append(out, e...)
			}
			return c.in.array(out)
		}},
		{"<=>", 1, 1, func(c *call) Object {
			if n, ok := c.in.compare(c.self, c.arg(0)); ok {
				return Int(n)
			}
			return Nil{}
		}},
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"assoc", 1, 1, func(c *call) Object { return c.assoc(0) }},
		{"rassoc", 1, 1, func(c *call) Object { return c.assoc(1) }},
		{"rindex", 0, 1, func(c *call) Object {
			if c.block == nil && !c.has(0) {
				return c.enum()
			}
			e := c.elems()
			for i := len(e) - 1; i >= 0; i-- {
				if c.has(0) && c.in.equal(e[i], c.arg(0)) || !c.has(0) && truthy(c.yield(e[i])) {
					return Int(i)
				}
			}
			return Nil{}
		}},
		{"transpose", 0, 0, func(c *call) Object {
			e := c.elems()
			if len(e) == 0 {
				return NewArray()
			}
			width := len(c.in.toArray(e[0]))
			out := make([]Object, width)
			for j := range out {
				row := make([]Object, len(e))
				for i := range e {
					r := c.in.toArray(e[i])
					if len(r) != width {
						c.raise("IndexError", "element size differs (%d should be %d)", len(r), width)
					}
					row[i] = r[j]
				}
				out[j] = c.in.array(row)
			}
			return c.in.array(out)
		}},
		{"product", 0, -1, func(c *call) Object {
			rows := [][]Object{{}}
			lists := [][]Object{c.elems()}
			for i := range c.args {
				lists = append(lists, c.array(i))
			}
			for _, l := range lists {
				c.in.room(16 * len(rows) * len(l) * len(lists))
				c.in.charge(len(rows) * len(l))
				var next [][]Object
				for _, r := range rows {
					for _, e := range l {
						next = append(next, append(append([]Object(nil), r...), e))
					}
				}
				rows = next
			}
			return c.in.array(c.in.rows(rows))
		}},
		{"combination", 1, 1, func(c *call) Object {
			return c.choose(func(emit func([]Object)) {
				n, e := c.int(0), c.elems()
				var pick func(from int, cur []Object)
				pick = func(from int, cur []Object) {
					c.in.step()
					if len(cur) == n {
						emit(append([]Object(nil), cur...))
						return
					}
					for i := from; i < len(e); i++ {
						pick(i+1, append(cur, e[i]))
					}
				}
				if n >= 0 {
					pick(0, nil)
				}
			})
		}},
		{"permutation", 0, 1, func(c *call) Object {
			return c.choose(func(emit func([]Object)) {
				e := c.elems()
				n := len(e)
				if c.has(0) && !isNil(c.arg(0)) {
					n = c.int(0)
				}
				used := make([]bool, len(e))
				var pick func(cur []Object)
				pick = func(cur []Object) {
					c.in.step()
					if len(cur) == n {
						emit(append([]Object(nil), cur...))
						return
					}
					for i := range e {
						if !used[i] {
							used[i] = true
							pick(append(cur, e[i]))
							used[i] = false
						}
					}
				}
				if n >= 0 && n <= len(e) {
					pick(nil)
				}
			})
		}},
		{"bsearch", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			e := c.elems()
			lo, hi := 0, len(e)
			var best Object = Nil{}
			for lo < hi {
				mid := (lo + hi) / 2
				switch v := c.yield(e[mid]).(type) {
				case Bool:
					if v {
						best, hi = e[mid], mid
					} else {
						lo = mid + 1
					}
				case Nil:
					lo = mid + 1
				case Int:
					if v == 0 {
						return e[mid]
					}
					if v < 0 {
						hi = mid
					} else {
						lo = mid + 1
					}
				default:
					c.raise("TypeError", "wrong argument type %s (must be numeric, true, false or nil)", c.in.classOf(v).name)
				}
			}
			return best
		}},
		{"pack", 1, 2, arrayPack},
		{"sample", 0, -1, func(c *call) Object { c.in.refuse("random numbers"); return nil }},
		{"shuffle", 0, -1, func(c *call) Object { c.in.refuse("random numbers"); return nil }},
		{"hash", 0, 0, hashMethod},
		{"take", 1, 1, func(c *call) Object {
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "attempt to take negative size")
			}
			e := c.elems()
			return c.in.array(append([]Object(nil), e[:min(n, len(e))]...))
		}},
		{"shelljoin", 0, 0, func(c *call) Object { return c.ret(c.in.shellJoin(c.elems())) }},
		{"deconstruct", 0, 0, func(c *call) Object { return c.self }},
	}
	t = append(t, same("length size", 0, 0, func(c *call) Object { return Int(len(c.elems())) })...)
	t = append(t, same("inspect to_s", 0, 0, func(c *call) Object { return c.ret(c.in.inspectOf(c.self)) })...)
	t = append(t, same("[] slice", 1, 2, arrayAt)...)
	return t
}

func (c *call) elementAt(i int) Object {
	e := c.elems()
	if i < 0 {
		i += len(e)
	}
	if i < 0 || i >= len(e) {
		return Nil{}
	}
	return e[i]
}

func arrayAt(c *call) Object {
	e := c.elems()
	if c.has(1) {
		i, n := c.int(0), c.int(1)
		if i < 0 {
			i += len(e)
		}
		if i < 0 || i > len(e) || n < 0 {
			return Nil{}
		}
		return c.in.array(append([]Object(nil), e[i:min(i+n, len(e))]...))
	}
	if r, ok := c.arg(0).(*Range); ok {
		i, n, fits := c.in.bounds(r, len(e))
		if !fits {
			return Nil{}
		}
		return c.in.array(append([]Object(nil), e[i:i+n]...))
	}
	return c.elementAt(c.int(0))
}

// dig goes on into what was found.
func (in *Interp) dig(o Object, keys []Object) Object {
	for i := range keys {
		switch v := o.(type) {
		case Nil:
			return v
		case *Array:
			c := call{in: in, self: v}
			in.prov.element(v, "[]", keys[i:i+1])
			o = c.elementAt(in.toInt(keys[i]))
		case *Hash:
			in.prov.element(v, "[]", keys[i:i+1])
			o = in.hashGet(v, keys[i])
		default:
			if !in.responds(o, "dig") {
				in.raise("TypeError", "%s does not have #dig method", in.classOf(o).name)
			}
			return in.send(o, "dig", keys[i:], nil)
		}
	}
	return o
}

// join writes elements with a separator; nested arrays are joined too.
func (c *call) join(b *strings.Builder, a *Array, sep string, first bool) bool {
	if c.in.printing("join", a) {
		c.raise("ArgumentError", "recursive array join")
	}
	c.in.show("join", a)
	defer c.in.shown()
	for _, e := range a.els() {
		c.in.charge(1)
		if n, ok := e.(*Array); ok {
			if len(n.els()) == 0 && first {
				first = false
				continue
			}
			if !first {
				b.WriteString(sep)
			}
			c.join(b, n, sep, true)
			first = false
			continue
		}
		if !first {
			b.WriteString(sep)
		}
		first = false
		b.WriteString(c.in.toS(e))
		if b.Len() > c.in.limits.Size {
			c.in.room(b.Len())
		}
	}
	return first
}

func reversed(e []Object) []Object {
	out := make([]Object, len(e))
	for i := range e {
		out[len(e)-1-i] = e[i]
	}
	return out
}

func rotated(e []Object, n int) []Object {
	if len(e) == 0 {
		return nil
	}
	n = ((n % len(e)) + len(e)) % len(e)
	return append(append([]Object(nil), e[n:]...), e[:n]...)
}

func compacted(e []Object) []Object {
	out := []Object{}
	for _, x := range e {
		if !isNil(x) {
			out = append(out, x)
		}
	}
	return out
}

func (c *call) flatten() []Object {
	depth := -1
	if c.has(0) && !isNil(c.arg(0)) {
		depth = c.int(0)
	}
	var out []Object
	var add func(a *Array, level int)
	add = func(a *Array, level int) {
		if level < 0 && c.in.printing("flatten", a) {
			c.raise("ArgumentError", "tried to flatten recursive array")
		}
		c.in.show("flatten", a)
		defer c.in.shown()
		for _, e := range a.els() {
			c.in.step()
			look(e) // it may be a list
			if n, ok := e.(*Array); ok && level != 0 {
				add(n, level-1)
			} else {
				out = append(out, e)
				c.in.room(16)
			}
		}
	}
	add(c.self.(*Array), depth)
	return out
}

func (in *Interp) keySet(e []Object) map[hashKey]bool {
	s := make(map[hashKey]bool, len(e))
	for _, x := range e {
		s[in.keyOf(x)] = true
	}
	return s
}

func (in *Interp) minus(a, b []Object) []Object {
	drop := in.keySet(b)
	out := []Object{}
	for _, x := range a {
		if !drop[in.keyOf(x)] {
			out = append(out, x)
		}
	}
	return out
}

func (in *Interp) intersect(a, b []Object) []Object {
	keep := in.keySet(b)
	out := []Object{}
	for _, x := range a {
		if k := in.keyOf(x); keep[k] {
			delete(keep, k)
			out = append(out, x)
		}
	}
	return out
}

func (in *Interp) union(lists ...[]Object) []Object {
	seen := map[hashKey]bool{}
	out := []Object{}
	for _, l := range lists {
		for _, x := range l {
			if k := in.keyOf(x); !seen[k] {
				seen[k] = true
				out = append(out, x)
			}
		}
	}
	return out
}

func (c *call) assoc(at int) Object {
	for _, e := range c.elems() {
		if a, ok := e.(*Array); ok && len(a.els()) > at && c.in.equal(a.e[at], c.arg(0)) {
			return a
		}
	}
	return Nil{}
}

func (in *Interp) rows(rows [][]Object) []Object {
	out := make([]Object, len(rows))
	for i, r := range rows {
		out[i] = in.array(r)
	}
	return out
}

// choose is combination and permutation: with a block each one is yielded, without one they make an enumerator.
func (c *call) choose(all func(emit func([]Object))) Object {
	if c.block == nil {
		return c.enum()
	}
	all(func(row []Object) { c.yield(c.in.array(row)) })
	return c.self
}

// arrayPack knows the formats that templates use: base64 and hexadecimal, bytes and characters.
