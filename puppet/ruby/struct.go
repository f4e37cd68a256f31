package ruby

import "strings"

// Struct.new makes a class with accessors. Members are kept beside the instance variables, under names that no variable
// can have, so that instance_variables does not list them.

func memberKey(name string) Symbol { return Symbol(name) }

// members are the names of a struct class's members: its own, or those of the class above.
func (in *Interp) members(k *Class) (names []string, keywords Object) {
	for ; k != nil; k = k.super {
		if k.members != nil {
			return k.members, k.keywords
		}
	}
	return nil, nil
}

func structNew(c *call) Object {
	k := c.self.(*Class)
	if k.name != "Struct" || k.user {
		return classNew(c)
	}
	opts := c.options()
	name := ""
	args := c.args
	if len(args) > 0 {
		if s, ok := args[0].(*String); ok {
			name, args = s.String(), args[1:]
		}
	}
	n := &Class{name: name, super: k, user: true, members: []string{}, keywords: opts.at(Symbol("keyword_init"))}
	if name != "" {
		n.name = "Struct::" + name
	}
	for _, a := range args {
		m, ok := stringOrSymbol(a)
		if !ok {
			c.raise("TypeError", "%s is not a symbol nor a string", c.in.inspectOf(a))
		}
		for _, have := range n.members {
			if have == m {
				c.raise("ArgumentError", "duplicate member: %s", m)
			}
		}
		n.members = append(n.members, m)
		c.in.addMethod(n, &method{name: m, owner: n, ivar: m})
		c.in.addMethod(n, &method{name: m + "=", owner: n, ivar: m})
	}
	if c.block != nil {
		moduleEval(&call{in: c.in, self: n, block: c.block})
	}
	return n
}

func structTable() []builtin {
	self := func(c *call) *Instance {
		i := c.self.(*Instance)
		if i.ivars == nil {
			i.ivars = NewHash()
		}
		return i
	}
	names := func(c *call) []string { n, _ := c.in.members(self(c).class); return n }
	values := func(c *call) []Object {
		i := self(c)
		var out []Object
		for _, n := range names(c) {
			out = append(out, i.ivars.at(memberKey(n)))
		}
		return out
	}
	find := func(c *call) string {
		ns := names(c)
		if i, ok := c.arg(0).(Int); ok {
			n := int(i)
			if n < 0 {
				n += len(ns)
			}
			if n < 0 || n >= len(ns) {
				word := "large"
				if i < 0 {
					word = "small"
				}
				c.raise("IndexError", "offset %d too %s for struct(size:%d)", int(i), word, len(ns))
			}
			return ns[n]
		}
		name := c.nameArg(0)
		for _, n := range ns {
			if n == name {
				return n
			}
		}
		c.raise("NameError", "no member '%s' in struct", name)
		return ""
	}
	show := func(c *call) Object {
		i := self(c)
		if c.in.printing("struct", i) {
			return c.ret("#<struct " + i.class.name + ":...>")
		}
		c.in.show("struct", i)
		defer c.in.shown()
		var parts []string
		for _, n := range names(c) {
			parts = append(parts, n+"="+c.in.inspectOf(i.ivars.at(memberKey(n))))
		}
		head := "#<struct "
		if i.class.name != "" {
			head += i.class.name + " "
		}
		return c.ret(head + strings.Join(parts, ", ") + ">")
	}
	array := func(c *call) Object { return c.in.array(values(c)) }
	return []builtin{
		{"initialize", 0, -1, func(c *call) Object {
			i := self(c)
			ns, keywords := c.in.members(i.class)
			given := c.args
			if n := len(given); n > 0 {
				if h, ok := given[n-1].(*Hash); ok && h.kw && (truthy(keywords) || isNil(keywords) && n == 1) {
					for _, n := range ns {
						i.ivars.put(memberKey(n), Nil{})
					}
					var unknown []string
					for _, e := range h.pairs() {
						name, _ := stringOrSymbol(e.key)
						if _, has := i.ivars.get(memberKey(name)); !has {
							unknown = append(unknown, name)
							continue
						}
						i.ivars.put(memberKey(name), e.val)
					}
					if len(unknown) > 0 {
						c.raise("ArgumentError", "unknown keywords: %s", strings.Join(unknown, ", "))
					}
					if truthy(keywords) {
						return Nil{}
					}
					// Without keyword_init: true a lone hash of keywords is the first member in Ruby 3.1.
					for _, n := range ns {
						i.ivars.put(memberKey(n), Nil{})
					}
				}
			}
			if truthy(keywords) && len(given) > 0 {
				c.raise("ArgumentError", "wrong number of arguments (given %d, expected 0)", len(given))
			}
			if len(given) > len(ns) {
				c.raise("ArgumentError", "struct size differs")
			}
			for j, n := range ns {
				v := Object(Nil{})
				if j < len(given) {
					v = given[j]
				}
				i.ivars.put(memberKey(n), v)
			}
			return Nil{}
		}},
		{"members", 0, 0, func(c *call) Object {
			var out []Object
			for _, n := range names(c) {
				out = append(out, Symbol(n))
			}
			return c.in.array(out)
		}},
		{"to_a", 0, 0, array}, {"deconstruct", 0, 0, array}, {"values", 0, 0, array},
		{"to_h", 0, 0, func(c *call) Object {
			h := c.in.newHash()
			i := self(c)
			for _, n := range names(c) {
				k, v := Object(Symbol(n)), i.ivars.at(memberKey(n))
				if c.block != nil {
					p := c.in.toArray(c.yield(k, v))
					k, v = p[0], p[1]
				}
				h.put(k, v)
			}
			return h
		}},
		{"[]", 1, 1, func(c *call) Object { return self(c).ivars.at(memberKey(find(c))) }},
		{"[]=", 2, 2, func(c *call) Object { self(c).ivars.put(memberKey(find(c)), c.arg(1)); return c.arg(1) }},
		{"dig", 1, -1, func(c *call) Object {
			v := self(c).ivars.at(memberKey(find(c)))
			if len(c.args) > 1 && !isNil(v) {
				return c.in.send(v, "dig", c.args[1:], nil)
			}
			return v
		}},
		{"each", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			for _, v := range values(c) {
				c.yield(v)
			}
			return c.self
		}},
		{"each_pair", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			i := self(c)
			for _, n := range names(c) {
				c.yield(c.in.array([]Object{Symbol(n), i.ivars.at(memberKey(n))}))
			}
			return c.self
		}},
		{"size", 0, 0, func(c *call) Object { return Int(len(names(c))) }},
		{"length", 0, 0, func(c *call) Object { return Int(len(names(c))) }},
		{"values_at", 0, -1, func(c *call) Object { return c.in.send(array(c), "values_at", c.args, nil) }},
		{"==", 1, 1, func(c *call) Object {
			o, ok := c.arg(0).(*Instance)
			if !ok || o.class != self(c).class {
				return Bool(false)
			}
			if c.in.comparing(c.self, o) {
				return Bool(true)
			}
			defer c.in.compared()
			for _, n := range names(c) {
				if !c.in.equal(self(c).ivars.at(memberKey(n)), o.ivars.at(memberKey(n))) {
					return Bool(false)
				}
			}
			return Bool(true)
		}},
		{"inspect", 0, 0, show}, {"to_s", 0, 0, show},
	}
}
