package ruby

import (
	"math"
)

// enumerableTable is the methods of everything that has each.
func enumerableTable() []builtin {
	var t []builtin
	add := func(name string, min, max int, f func(c *call) Object) {
		t = append(t, builtin{name, min, max, f})
	}
	// need makes a method that returns an enumerator without its block.
	need := func(name string, min, max int, f func(c *call) Object) {
		add(name, min, max, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			return f(c)
		})
	}
	list := func(c *call, f func(out *[]Object, e Object) bool) Object {
		out := []Object{}
		c.in.each(c.self, func(e Object) bool {
			more := f(&out, e)
			return more
		})
		return c.in.array(out)
	}
	toA := func(c *call) Object { return c.in.array(append([]Object(nil), c.in.items(c.self)...)) }
	add("to_a", 0, -1, toA)
	add("entries", 0, -1, toA)
	mapping := func(c *call) Object {
		return list(c, func(out *[]Object, e Object) bool { *out = append(*out, c.yield(e)); return true })
	}
	need("map", 0, 0, mapping)
	need("collect", 0, 0, mapping)
	flat := func(c *call) Object {
		return list(c, func(out *[]Object, e Object) bool {
			v := c.yield(e)
			if a, ok := v.(*Array); ok {
				*out = append(*out, a.els()...)
			} else {
				*out = append(*out, v)
			}
			c.in.room(16)
			return true
		})
	}
	need("flat_map", 0, 0, flat)
	need("collect_concat", 0, 0, flat)
	selecting := func(want bool) func(c *call) Object {
		return func(c *call) Object {
			return list(c, func(out *[]Object, e Object) bool {
				if truthy(c.yield(e)) == want {
					*out = append(*out, e)
				}
				return true
			})
		}
	}
	need("select", 0, 0, selecting(true))
	need("filter", 0, 0, selecting(true))
	need("find_all", 0, 0, selecting(true))
	need("reject", 0, 0, selecting(false))
	need("filter_map", 0, 0, func(c *call) Object {
		return list(c, func(out *[]Object, e Object) bool {
			if v := c.yield(e); truthy(v) {
				*out = append(*out, v)
			}
			return true
		})
	})
	find := func(c *call) Object {
		var found Object = Nil{}
		hit := false
		c.in.each(c.self, func(e Object) bool {
			if truthy(c.yield(e)) {
				found, hit = e, true
			}
			return !hit
		})
		if !hit && c.has(0) && !isNil(c.arg(0)) {
			return c.in.send(c.arg(0), "call", nil, nil)
		}
		return found
	}
	need("find", 0, 1, find)
	need("detect", 0, 1, find)
	findIndex := func(c *call) Object {
		if c.block == nil && !c.has(0) {
			return c.enum()
		}
		i, at := 0, -1
		c.in.each(c.self, func(e Object) bool {
			if c.has(0) && c.in.equal(e, c.arg(0)) || !c.has(0) && truthy(c.yield(e)) {
				at = i
				return false
			}
			i++
			return true
		})
		if at < 0 {
			return Nil{}
		}
		return Int(at)
	}
	add("find_index", 0, 1, findIndex)
	need("each_with_index", 0, -1, func(c *call) Object {
		i := 0
		c.in.each(c.self, func(e Object) bool { c.yield(e, Int(i)); i++; return true })
		return c.self
	})
	need("each_entry", 0, -1, func(c *call) Object {
		c.in.each(c.self, func(e Object) bool { c.yield(e); return true })
		return c.self
	})
	need("reverse_each", 0, -1, func(c *call) Object {
		items := append([]Object(nil), c.in.items(c.self)...)
		for i := len(items) - 1; i >= 0; i-- {
			c.yield(items[i])
		}
		return c.self
	})
	need("each_with_object", 1, 1, func(c *call) Object {
		c.in.each(c.self, func(e Object) bool { c.yield(e, c.arg(0)); return true })
		return c.arg(0)
	})
	fold := func(c *call) Object { return c.fold() }
	add("inject", 0, 2, fold)
	add("reduce", 0, 2, fold)
	add("sum", 0, 1, func(c *call) Object { return c.sum() })
	add("count", 0, 1, func(c *call) Object {
		n := 0
		c.in.each(c.self, func(e Object) bool {
			switch {
			case c.has(0):
				if c.in.equal(e, c.arg(0)) {
					n++
				}
			case c.block == nil || truthy(c.yield(e)):
				n++
			}
			return true
		})
		return Int(n)
	})
	quantor := func(name string, stopOn, result bool) {
		add(name, 0, 1, func(c *call) Object {
			answer := result
			c.in.each(c.self, func(e Object) bool {
				if c.test(e) == stopOn {
					answer = !result
					return false
				}
				return true
			})
			return Bool(answer)
		})
	}
	quantor("any?", true, false)
	quantor("all?", false, true)
	quantor("none?", true, true)
	add("one?", 0, 1, func(c *call) Object {
		n := 0
		c.in.each(c.self, func(e Object) bool {
			if c.test(e) {
				n++
			}
			return n < 2
		})
		return Bool(n == 1)
	})
	has := func(c *call) Object {
		found := false
		c.in.each(c.self, func(e Object) bool { found = c.in.equal(e, c.arg(0)); return !found })
		return Bool(found)
	}
	add("include?", 1, 1, has)
	add("member?", 1, 1, has)
	add("first", 0, 1, func(c *call) Object {
		if !c.has(0) {
			var first Object = Nil{}
			c.in.each(c.self, func(e Object) bool { first = e; return false })
			return first
		}
		n := c.int(0)
		if n < 0 {
			c.raise("ArgumentError", "attempt to take negative size")
		}
		return c.take(n)
	})
	add("take", 1, 1, func(c *call) Object {
		n := c.int(0)
		if n < 0 {
			c.raise("ArgumentError", "attempt to take negative size")
		}
		return c.take(n)
	})
	add("drop", 1, 1, func(c *call) Object {
		n := c.int(0)
		if n < 0 {
			c.raise("ArgumentError", "attempt to drop negative size")
		}
		items := c.in.items(c.self)
		return c.in.array(append([]Object(nil), items[min(n, len(items)):]...))
	})
	need("take_while", 0, 0, func(c *call) Object {
		return list(c, func(out *[]Object, e Object) bool {
			if !truthy(c.yield(e)) {
				return false
			}
			*out = append(*out, e)
			return true
		})
	})
	need("drop_while", 0, 0, func(c *call) Object {
		dropping := true
		return list(c, func(out *[]Object, e Object) bool {
			if dropping = dropping && truthy(c.yield(e)); !dropping {
				*out = append(*out, e)
			}
			return true
		})
	})
	need("partition", 0, 0, func(c *call) Object {
		var yes, no []Object
		c.in.each(c.self, func(e Object) bool {
			if truthy(c.yield(e)) {
				yes = append(yes, e)
			} else {
				no = append(no, e)
			}
			return true
		})
		return NewArray(c.in.array(yes), c.in.array(no))
	})
	need("group_by", 0, 0, func(c *call) Object {
		h := c.in.newHash()
		c.in.each(c.self, func(e Object) bool {
			k := c.yield(e)
			if v, ok := h.get(k); ok {
				a := v.(*Array)
				a.e = append(a.e, e)
			} else {
				h.put(k, NewArray(e))
			}
			c.in.room(64)
			return true
		})
		return h
	})
	add("tally", 0, 1, func(c *call) Object {
		h := c.in.newHash()
		c.in.each(c.self, func(e Object) bool {
			n, _ := h.at(e).(Int)
			h.put(e, n+1)
			return true
		})
		return h
	})
	chunk := func(same func(c *call, a, b Object) bool) func(c *call) Object {
		return func(c *call) Object {
			var out []Object
			var cur []Object
			items := c.in.items(c.self)
			for i, e := range items {
				if i > 0 && !same(c, items[i-1], e) {
					out = append(out, c.in.array(cur))
					cur = nil
				}
				cur = append(cur, e)
			}
			if len(items) > 0 {
				out = append(out, c.in.array(cur))
			}
			return &Enumerator{recv: c.in.array(out), name: "each"}
		}
	}
	need("chunk_while", 0, 0, chunk(func(c *call, a, b Object) bool { return truthy(c.yield(a, b)) }))
	need("slice_when", 0, 0, chunk(func(c *call, a, b Object) bool { return !truthy(c.yield(a, b)) }))
	each := func(cons bool) func(c *call) Object {
		return func(c *call) Object {
			n := c.int(0)
			if n <= 0 {
				if cons {
					c.raise("ArgumentError", "invalid size")
				}
				c.raise("ArgumentError", "invalid slice size")
			}
			if c.block == nil {
				return c.enum()
			}
			items := c.in.items(c.self)
			if cons {
				for i := 0; i+n <= len(items); i++ {
					c.yield(c.in.array(append([]Object(nil), items[i:i+n]...)))
				}
			} else {
				for i := 0; i < len(items); i += n {
					c.yield(c.in.array(append([]Object(nil), items[i:min(i+n, len(items))]...)))
				}
			}
			return c.self
		}
	}
	add("each_slice", 1, 1, each(false))
	add("each_cons", 1, 1, each(true))
	add("zip", 0, -1, func(c *call) Object {
		var lists [][]Object
		for i, a := range c.args {
			switch a.(type) {
			case *Array, *Hash, *Range, *Enumerator, *Set:
				lists = append(lists, c.in.items(a))
			default:
				if a, ok := c.self.(*Array); ok && len(a.els()) == 0 {
					lists = append(lists, nil)
					continue
				}
				c.raise("TypeError", "wrong argument type %s (must respond to :each)", c.in.classOf(c.args[i]).name)
			}
		}
		var out []Object
		for i, e := range c.in.items(c.self) {
			row := []Object{e}
			for _, l := range lists {
				if i < len(l) {
					row = append(row, l[i])
				} else {
					row = append(row, Nil{})
				}
			}
			a := c.in.array(row)
			if c.block != nil {
				c.yield(a)
			} else {
				out = append(out, a)
			}
		}
		if c.block != nil {
			return Nil{}
		}
		return c.in.array(out)
	})
	add("sort", 0, 0, func(c *call) Object { return c.in.array(c.sorted(c.in.items(c.self))) })
	need("sort_by", 0, 0, func(c *call) Object { return c.in.array(c.sortedBy(c.in.items(c.self))) })
	for _, name := range []string{"min", "max"} {
		sign := 1
		if name == "max" {
			sign = -1
		}
		add(name, 0, 1, func(c *call) Object { return c.extreme(sign) })
		need(name+"_by", 0, 1, func(c *call) Object { return c.extremeBy(sign) })
	}
	add("minmax", 0, 0, func(c *call) Object {
		if _, ok := c.self.(*Range); ok && c.block == nil {
			return NewArray(c.rangeExtreme(1), c.rangeExtreme(-1))
		}
		return NewArray(c.extreme(1), c.extreme(-1))
	})
	need("minmax_by", 0, 0, func(c *call) Object { return NewArray(c.extremeBy(1), c.extremeBy(-1)) })
	add("to_h", 0, -1, func(c *call) Object {
		h := c.in.newHash()
		i := 0
		c.in.each(c.self, func(e Object) bool {
			c.putPair(h, e, i, "")
			i++
			return true
		})
		return h
	})
	add("to_set", 0, -1, func(c *call) Object {
		s := &Set{c.in.newHash()}
		c.in.each(c.self, func(e Object) bool {
			if c.block != nil {
				e = c.yield(e)
			}
			s.h.put(e, Bool(true))
			return true
		})
		return s
	})
	add("uniq", 0, 0, func(c *call) Object { return c.in.array(c.uniq(c.in.items(c.self))) })
	add("grep", 1, 1, func(c *call) Object { return c.grep(true) })
	add("grep_v", 1, 1, func(c *call) Object { return c.grep(false) })
	add("cycle", 0, 1, func(c *call) Object {
		if c.block == nil {
			return c.enum()
		}
		items := append([]Object(nil), c.in.items(c.self)...)
		for i := 0; len(items) > 0 && (!c.has(0) || isNil(c.arg(0)) || i < c.int(0)); i++ {
			for _, e := range items {
				c.yield(e)
			}
		}
		return Nil{}
	})
	add("lazy", 0, 0, func(c *call) Object { return &Enumerator{recv: c.self, name: "each", lazy: true} })
	return t
}

// test is what any?, all? and their kin ask of an element.
func (c *call) test(e Object) bool {
	if c.has(0) {
		return c.in.caseEqual(c.arg(0), e, c.frame)
	}
	if c.block != nil {
		return truthy(c.yield(e))
	}
	return truthy(e)
}

func (c *call) take(n int) Object {
	var out []Object
	if n > 0 {
		c.in.each(c.self, func(e Object) bool {
			out = append(out, e)
			return len(out) < n
		})
	}
	return c.in.array(out)
}

func (c *call) fold() Object {
	var acc Object
	op := ""
	args := c.args
	if c.block == nil {
		switch len(args) {
		case 0:
			c.raise("LocalJumpError", "no block given")
		case 1, 2:
			op = c.nameArg(len(args) - 1)
			args = args[:len(args)-1]
		}
	}
	if len(args) > 0 {
		acc = args[0]
	}
	c.in.each(c.self, func(e Object) bool {
		switch {
		case acc == nil:
			acc = e
		case op != "":
			acc = c.in.binary(acc, op, e)
		default:
			acc = c.yield(acc, e)
		}
		return true
	})
	return orNil(acc)
}

// sum adds up; floats with compensation, as Ruby does.
func (c *call) sum() Object {
	var acc Object = Int(0)
	if c.has(0) {
		acc = c.arg(0)
	}
	floats := false
	var f, comp float64
	c.in.each(c.self, func(e Object) bool {
		if c.block != nil {
			e = c.yield(e)
		}
		_, isF := e.(Float)
		_, accF := acc.(Float)
		if !floats && isNumber(e) && isNumber(acc) && (isF || accF) {
			floats = true
			f, comp = c.in.toFloat(acc), 0
		}
		if floats && isNumber(e) {
			x := c.in.toFloat(e)
			switch {
			case math.IsNaN(x) || math.IsInf(x, 0) || math.IsInf(f, 0):
				f += x
			default:
				t := f + x
				if math.Abs(f) >= math.Abs(x) {
					comp += (f - t) + x
				} else {
					comp += (x - t) + f
				}
				f = t
			}
			return true
		}
		if floats {
			acc, floats = Float(f+comp), false
		}
		acc = c.in.binary(acc, "+", e)
		return true
	})
	if floats {
		return Float(f + comp)
	}
	return acc
}

// putPair adds an element of to_h, which must be a pair.
func (c *call) putPair(h *Hash, e Object, i int, at string) {
	if c.block != nil {
		e = c.yield(e)
	}
	a, ok := e.(*Array)
	if !ok {
		if c.block != nil {
			c.raise("TypeError", "wrong element type %s%s (expected array)", c.in.classOf(e).name, "")
		}
		if at != "" {
			c.raise("TypeError", "wrong element type %s at %d (expected array)", c.in.classOf(e).name, i)
		}
		c.raise("TypeError", "wrong element type %s (expected array)", c.in.classOf(e).name)
	}
	if n := len(a.els()); n != 2 {
		if at != "" && c.block == nil {
			c.raise("ArgumentError", "wrong array length at %d (expected 2, was %d)", i, n)
		}
		c.raise("ArgumentError", "element has wrong array length (expected 2, was %d)", n)
	}
	c.in.room(64)
	h.put(a.e[0], a.e[1])
}

func (c *call) uniq(items []Object) []Object {
	seen := map[hashKey]bool{}
	out := []Object{}
	for _, e := range items {
		k := e
		if c.block != nil {
			k = c.yield(e)
		}
		if key := c.in.keyOf(k); !seen[key] {
			seen[key] = true
			out = append(out, e)
		}
	}
	return out
}

func (c *call) grep(want bool) Object {
	var out []Object
	c.in.each(c.self, func(e Object) bool {
		f := c.frame
		if f == nil && c.block != nil {
			f = c.block.frame
		}
		if c.in.caseEqual(c.arg(0), e, f) == want {
			if c.block != nil {
				e = c.yield(e)
			}
			out = append(out, e)
		}
		return true
	})
	return c.in.array(out)
}
