package ruby

import "strings"

func (c *call) table() *Hash {
	h := c.self.(*Hash)
	h.load()
	return h
}

// one is the table for a question about one key: it need not be complete.
func (c *call) one() *Hash { return c.self.(*Hash) }

// hashGet is h[k], with the default.
func (in *Interp) hashGet(h *Hash, k Object) Object {
	if v, ok := h.get(k); ok {
		return v
	}
	if h.proc != nil {
		return in.yield(h.proc, h, k)
	}
	return orNil(h.dflt)
}

func hashTable() []builtin {
	var t []builtin
	add := func(names string, min, max int, f func(c *call) Object) {
		for _, n := range strings.Fields(names) {
			t = append(t, builtin{n, min, max, f})
		}
	}
	need := func(names string, min, max int, f func(c *call) Object) {
		add(names, min, max, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			return f(c)
		})
	}
	add("[]", 1, 1, func(c *call) Object { return c.in.hashGet(c.one(), c.arg(0)) })
	add("dig", 1, -1, func(c *call) Object { return c.in.dig(c.in.hashGet(c.one(), c.arg(0)), c.args[1:]) })
	add("fetch", 1, 2, func(c *call) Object {
		if v, ok := c.one().get(c.arg(0)); ok {
			return v
		}
		if c.block != nil {
			return c.yield(c.arg(0))
		}
		if c.has(1) {
			return c.arg(1)
		}
		c.raise("KeyError", "key not found: %s", c.in.inspectOf(c.arg(0)))
		return nil
	})
	add("fetch_values", 0, -1, func(c *call) Object {
		var out []Object
		for _, k := range c.args {
			v, ok := c.table().get(k)
			if !ok {
				if c.block == nil {
					c.raise("KeyError", "key not found: %s", c.in.inspectOf(k))
				}
				v = c.yield(k)
			}
			out = append(out, v)
		}
		return c.in.array(out)
	})
	add("values_at", 0, -1, func(c *call) Object {
		var out []Object
		for _, k := range c.args {
			out = append(out, c.in.hashGet(c.table(), k))
		}
		return c.in.array(out)
	})
	add("key? has_key? include? member?", 1, 1, func(c *call) Object { _, ok := c.one().get(c.arg(0)); return Bool(ok) })
	add("value? has_value?", 1, 1, func(c *call) Object {
		for _, v := range c.table().values() {
			if c.in.equal(v, c.arg(0)) {
				return Bool(true)
			}
		}
		return Bool(false)
	})
	add("key", 1, 1, func(c *call) Object {
		for _, e := range c.table().pairs() {
			if c.in.equal(e.val, c.arg(0)) {
				return e.key
			}
		}
		return Nil{}
	})
	add("keys", 0, 0, func(c *call) Object { return c.in.array(c.table().keys()) })
	add("values", 0, 0, func(c *call) Object { return c.in.array(c.table().values()) })
	add("length size", 0, 0, func(c *call) Object { return Int(c.table().len()) })
	add("count", 0, 1, func(c *call) Object {
		if c.block == nil && !c.has(0) {
			return Int(c.table().len())
		}
		return c.in.invoke(c.in.rt.enumerable.table["count"], c.self, c.args, c.block)
	})
	add("empty?", 0, 0, func(c *call) Object { return Bool(c.table().len() == 0) })
	add("to_h", 0, 0, func(c *call) Object {
		if c.block == nil {
			return c.self
		}
		h := c.in.newHash()
		c.table().each(func(k, v Object) bool {
			p := &call{in: c.in}
			p.putPair(h, c.yield(k, v), 0, "")
			return true
		})
		return h
	})
	add("to_hash", 0, 0, func(c *call) Object { return c.self })
	add("to_a", 0, 0, func(c *call) Object { return c.in.array(append([]Object(nil), c.in.items(c.self)...)) })
	add("to_s inspect", 0, 0, func(c *call) Object { return c.ret(c.in.inspectOf(c.self)) })
	add("to_proc", 0, 0, func(c *call) Object {
		h, in := c.table(), c.in
		return &Proc{lambda: true, arity: 1, native: func(args []Object) Object { return in.hashGet(h, args[0]) }}
	})
	need("each each_pair", 0, 0, func(c *call) Object {
		two := c.block.takesTwo()
		c.table().each(func(k, v Object) bool {
			if two {
				c.yield(k, v)
			} else {
				c.yield(c.in.array([]Object{k, v}))
			}
			return true
		})
		return c.self
	})
	need("each_key", 0, 0, func(c *call) Object {
		c.table().each(func(k, v Object) bool { c.yield(k); return true })
		return c.self
	})
	need("each_value", 0, 0, func(c *call) Object {
		c.table().each(func(k, v Object) bool { c.yield(v); return true })
		return c.self
	})
	part := func(want bool) func(c *call) Object {
		return func(c *call) Object {
			h := c.in.newHash()
			c.table().each(func(k, v Object) bool {
				if truthy(c.yield(k, v)) == want {
					h.put(k, v)
				}
				return true
			})
			return h
		}
	}
	need("select filter", 0, 0, part(true))
	need("reject", 0, 0, part(false))
	add("any?", 0, 1, func(c *call) Object {
		if !c.has(0) && c.block == nil {
			return Bool(c.table().len() > 0)
		}
		found := false
		c.in.each(c.self, func(e Object) bool { found = c.test(e); return !found })
		return Bool(found)
	})
	need("map collect", 0, 0, func(c *call) Object {
		out := []Object{}
		c.in.each(c.self, func(e Object) bool { out = append(out, c.yield(e)); return true })
		return c.in.array(out)
	})
	need("transform_values", 0, 0, func(c *call) Object {
		h := c.in.newHash()
		c.table().each(func(k, v Object) bool { h.put(k, c.yield(v)); return true })
		return h
	})
	add("transform_keys", 0, 1, func(c *call) Object {
		if c.block == nil && !c.has(0) {
			return c.enum()
		}
		return c.transformKeys()
	})
	need("filter_map", 0, 0, func(c *call) Object {
		out := []Object{}
		c.in.each(c.self, func(e Object) bool {
			if v := c.yield(e); truthy(v) {
				out = append(out, v)
			}
			return true
		})
		return c.in.array(out)
	})
	need("min_by", 0, 1, func(c *call) Object { return c.extremeBy(1) })
	need("max_by", 0, 1, func(c *call) Object { return c.extremeBy(-1) })
	add("merge", 0, -1, func(c *call) Object {
		c.in.room(64 * c.table().len())
		h := c.table().copy()
		c.merge(h)
		return h
	})
	add("invert", 0, 0, func(c *call) Object {
		h := c.in.newHash()
		for _, e := range c.table().pairs() {
			h.put(e.val, e.key)
		}
		return h
	})
	add("slice", 0, -1, func(c *call) Object {
		h := c.in.newHash()
		for _, k := range c.args {
			if v, ok := c.table().get(k); ok {
				h.put(k, v)
			}
		}
		return h
	})
	add("except", 0, -1, func(c *call) Object {
		h := c.table().copy()
		h.dflt, h.proc = nil, nil
		for _, k := range c.args {
			h.remove(k)
		}
		return h
	})
	add("compact", 0, 0, func(c *call) Object {
		h := c.in.newHash()
		for _, e := range c.table().pairs() {
			if !isNil(e.val) {
				h.put(e.key, e.val)
			}
		}
		return h
	})
	add("sort", 0, 0, func(c *call) Object { return c.in.array(c.sorted(c.in.items(c.self))) })
	add("first", 0, 1, func(c *call) Object {
		if c.has(0) {
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "attempt to take negative size")
			}
			return c.take(n)
		}
		for _, e := range c.table().pairs() {
			return c.in.array([]Object{e.key, e.val})
		}
		return Nil{}
	})
	add("find_all", 0, 0, func(c *call) Object {
		if c.block == nil {
			return c.enum()
		}
		out := []Object{}
		c.in.each(c.self, func(e Object) bool {
			if truthy(c.yield(e)) {
				out = append(out, e)
			}
			return true
		})
		return c.in.array(out)
	})
	add("flatten", 0, 1, func(c *call) Object {
		depth := 1
		if c.has(0) {
			depth = c.int(0)
		}
		if depth == 0 {
			return c.in.array(append([]Object(nil), c.in.items(c.self)...))
		}
		return c.in.send(c.in.array(c.in.items(c.self)), "flatten", []Object{Int(depth)}, nil)
	})
	add("assoc", 1, 1, func(c *call) Object {
		if v, ok := c.table().get(c.arg(0)); ok {
			return c.in.array([]Object{c.arg(0), v})
		}
		return Nil{}
	})
	add("rassoc", 1, 1, func(c *call) Object {
		for _, e := range c.table().pairs() {
			if c.in.equal(e.val, c.arg(0)) {
				return c.in.array([]Object{e.key, e.val})
			}
		}
		return Nil{}
	})
	add("default", 0, 1, func(c *call) Object {
		h := c.table()
		if c.has(0) && h.proc != nil {
			return c.in.yield(h.proc, h, c.arg(0))
		}
		return orNil(h.dflt)
	})
	add("default_proc", 0, 0, func(c *call) Object { return procOrNil(c.table().proc) })
	add("==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) })
	subset := func(a, b *Hash, in *Interp) bool {
		for _, e := range a.pairs() {
			v, ok := b.get(e.key)
			if !ok || !in.equal(v, e.val) {
				return false
			}
		}
		return true
	}
	add("<=", 1, 1, func(c *call) Object { return Bool(subset(c.table(), c.hash(0), c.in)) })
	add(">=", 1, 1, func(c *call) Object { return Bool(subset(c.hash(0), c.table(), c.in)) })
	add("<", 1, 1, func(c *call) Object {
		return Bool(c.table().len() < c.hash(0).len() && subset(c.table(), c.hash(0), c.in))
	})
	add(">", 1, 1, func(c *call) Object {
		return Bool(c.table().len() > c.hash(0).len() && subset(c.hash(0), c.table(), c.in))
	})
	add("hash", 0, 0, hashMethod)
	add("compare_by_identity", 0, 0, func(c *call) Object { c.in.unsupported("compare_by_identity"); return nil })
	add("sum", 0, 1, func(c *call) Object { return c.sum() })
	return t
}

// takesTwo reports a block that is yielded key and value rather than a pair.
func (p *Proc) takesTwo() bool {
	if p.native != nil {
		return p.arity > 1
	}
	ps := p.block.Params
	if ps == nil {
		return p.block.Numbers > 1
	}
	return len(ps.Pre)+len(ps.Post)+len(ps.Opt) > 1
}

func (c *call) transformKeys() *Hash {
	h := c.in.newHash()
	var m *Hash
	if c.has(0) {
		m = c.hash(0)
	}
	for _, e := range c.table().pairs() {
		k := e.key
		if m != nil {
			if v, ok := m.get(k); ok {
				h.put(v, e.val)
				continue
			}
			if c.block == nil {
				h.put(k, e.val)
				continue
			}
		}
		h.put(c.yield(k), e.val)
	}
	return h
}

// merge adds the arguments to h; the block settles conflicts.
func (c *call) merge(h *Hash) {
	for i := range c.args {
		for _, e := range c.hash(i).pairs() {
			c.in.room(64)
			if c.block != nil {
				if old, ok := h.get(e.key); ok {
					h.put(e.key, c.yield(e.key, old, e.val))
					continue
				}
			}
			h.put(e.key, e.val)
		}
	}
}

func hashChangeTable() []builtin {
	self := func(c *call) *Hash { c.change(); return c.table() }
	set := func(c *call) Object {
		h := self(c)
		if h.busy > 0 {
			if _, ok := h.get(c.arg(0)); !ok {
				c.raise("RuntimeError", "can't add a new key into hash during iteration")
			}
		}
		c.in.room(64)
		h.put(c.arg(0), c.arg(1))
		return c.arg(1)
	}
	filter := func(name string, want, bang bool) builtin {
		return builtin{name, 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			h := self(c)
			n := h.len()
			for _, e := range append([]hashEntry(nil), h.pairs()...) {
				if truthy(c.yield(e.key, e.val)) != want {
					h.remove(e.key)
				}
			}
			if bang && h.len() == n {
				return Nil{}
			}
			return h
		}}
	}
	merge := func(c *call) Object { h := self(c); c.merge(h); return h }
	replace := func(c *call, with *Hash) Object {
		h := self(c)
		pairs := append([]hashEntry(nil), with.pairs()...)
		h.clear()
		for _, e := range pairs {
			h.put(e.key, e.val)
		}
		return h
	}
	return []builtin{
		{"[]=", 2, 2, set}, {"store", 2, 2, set},
		{"delete", 1, 1, func(c *call) Object {
			if v, ok := self(c).remove(c.arg(0)); ok {
				return v
			}
			if c.block != nil {
				return c.yield(c.arg(0))
			}
			return Nil{}
		}},
		filter("select!", true, true), filter("filter!", true, true), filter("keep_if", true, false),
		filter("reject!", false, true), filter("delete_if", false, false),
		{"merge!", 0, -1, merge}, {"update", 0, -1, merge},
		{"clear", 0, 0, func(c *call) Object { h := self(c); h.clear(); return h }},
		{"replace", 1, 1, func(c *call) Object { return replace(c, c.hash(0)) }},
		{"shift", 0, 0, func(c *call) Object {
			h := self(c)
			for _, e := range h.pairs() {
				h.remove(e.key)
				return c.in.array([]Object{e.key, e.val})
			}
			return Nil{}
		}},
		{"compact!", 0, 0, func(c *call) Object {
			h := self(c)
			n := h.len()
			for _, e := range append([]hashEntry(nil), h.pairs()...) {
				if isNil(e.val) {
					h.remove(e.key)
				}
			}
			if h.len() == n {
				return Nil{}
			}
			return h
		}},
		{"transform_values!", 0, 0, func(c *call) Object {
			h := self(c)
			for _, e := range append([]hashEntry(nil), h.pairs()...) {
				h.put(e.key, c.yield(e.val))
			}
			return h
		}},
		{"transform_keys!", 0, 1, func(c *call) Object { return replace(c, c.transformKeys()) }},
		{"default=", 1, 1, func(c *call) Object { h := self(c); h.dflt, h.proc = c.arg(0), nil; return c.arg(0) }},
		{"default_proc=", 1, 1, func(c *call) Object {
			h := self(c)
			h.proc, _ = c.arg(0).(*Proc)
			h.dflt = nil
			return c.arg(0)
		}},
		{"rehash", 0, 0, func(c *call) Object { return c.self }},
	}
}
