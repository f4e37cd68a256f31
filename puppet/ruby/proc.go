package ruby

import (
	"strings"

	"bunraku/puppet/ruby/syntax"
)

func (in *Interp) arityOf(m *method) int {
	switch {
	case m.builtin != nil:
		if m.builtin.min != m.builtin.max {
			return -1 - m.builtin.min
		}
		return m.builtin.min
	case m.proc != nil:
		return m.proc.arityOf()
	case m.def != nil:
		return arityOf(m.def.Params, true)
	}
	return 0
}

func arityOf(ps *syntax.Params, strict bool) int {
	if ps == nil {
		return 0
	}
	n := len(ps.Pre) + len(ps.Post)
	key := len(requiredKeys(ps)) > 0
	if ps.Rest != nil || len(ps.Opt) > 0 && strict {
		return -1 - n
	}
	if len(ps.Opt) > 0 {
		return -1 - n
	}
	if key {
		return n + 1
	}
	if strict && (len(ps.Key) > 0 || ps.KeyRest != nil) {
		return -1 - n
	}
	return n
}

func (p *Proc) arityOf() int {
	if p.native != nil {
		return p.arity
	}
	if p.block.Params == nil {
		return p.block.Numbers
	}
	if !p.lambda && len(p.block.Params.Opt) > 0 && p.block.Params.Rest == nil {
		n := len(p.block.Params.Pre) + len(p.block.Params.Post)
		return -1 - n
	}
	return arityOf(p.block.Params, p.lambda)
}

func procTable() []builtin {
	self := func(c *call) *Proc { return c.self.(*Proc) }
	run := func(c *call) Object {
		return c.in.callProc(self(c), c.args, c.block)
	}
	return []builtin{
		{"call", 0, -1, run}, {"()", 0, -1, run}, {"yield", 0, -1, run}, {"[]", 0, -1, run}, {"===", 0, -1, run},
		{"to_proc", 0, 0, func(c *call) Object { return c.self }},
		{"lambda?", 0, 0, func(c *call) Object { return Bool(self(c).lambda) }},
		{"arity", 0, 0, func(c *call) Object { return Int(self(c).arityOf()) }},
		{"curry", 0, 1, func(c *call) Object {
			p := self(c)
			n := p.arityOf()
			if n < 0 {
				n = -1 - n
			}
			if c.has(0) {
				n = c.int(0)
			}
			in := c.in
			var make func(have []Object) *Proc
			make = func(have []Object) *Proc {
				return &Proc{lambda: true, arity: -1, native: func(args []Object) Object {
					all := append(append([]Object(nil), have...), args...)
					if len(all) >= n {
						return in.callProc(p, all, nil)
					}
					return make(all)
				}}
			}
			if n == 0 {
				return c.in.callProc(p, nil, nil)
			}
			return make(nil)
		}},
		{">>", 1, 1, func(c *call) Object { return c.in.compose(c.self, c.arg(0)) }},
		{"<<", 1, 1, func(c *call) Object { return c.in.compose(c.arg(0), c.self) }},
		{"inspect", 0, 0, func(c *call) Object { return c.ret(c.in.anyToS(c.self)) }},
		{"parameters", 0, 1, func(c *call) Object {
			p := self(c)
			switch {
			case p.native != nil && p.sym != "":
				return NewArray(NewArray(Symbol("req")), NewArray(Symbol("rest")))
			case p.native != nil:
				return NewArray(NewArray(Symbol("rest")))
			}
			return parametersOf(p.block.Params, p.lambda)
		}},
		{"source_location", 0, 0, func(c *call) Object { c.in.unsupported("source_location"); return nil }},
		{"to_s", 0, 0, func(c *call) Object { return c.ret(c.in.anyToS(c.self)) }},
	}
}

func (in *Interp) compose(f, g Object) Object {
	return &Proc{lambda: true, arity: -1, native: func(args []Object) Object {
		return in.send(g, "call", []Object{in.send(f, "call", args, nil)}, nil)
	}}
}

func methodTable() []builtin {
	self := func(c *call) *MethodObject { return c.self.(*MethodObject) }
	run := func(c *call) Object { return c.in.invoke(self(c).m, self(c).recv, c.args, c.block) }
	return []builtin{
		{"call", 0, -1, run}, {"[]", 0, -1, run}, {"===", 0, -1, run},
		{"to_proc", 0, 0, func(c *call) Object { return c.in.toProc(c.self) }},
		{"arity", 0, 0, func(c *call) Object { return Int(c.in.arityOf(self(c).m)) }},
		{"name", 0, 0, func(c *call) Object { return Symbol(self(c).name) }},
		{"receiver", 0, 0, func(c *call) Object { return self(c).recv }},
		{"owner", 0, 0, func(c *call) Object { return self(c).m.owner }},
		{"unbind", 0, 0, func(c *call) Object { return &MethodObject{nil, self(c).name, self(c).m} }},
		{"parameters", 0, 0, methodParameters},
		{">>", 1, 1, func(c *call) Object { return c.in.compose(c.self, c.arg(0)) }},
		{"<<", 1, 1, func(c *call) Object { return c.in.compose(c.arg(0), c.self) }},
	}
}

func methodParameters(c *call) Object {
	switch m := c.self.(*MethodObject).m; {
	case m.def != nil:
		return parametersOf(m.def.Params, true)
	case m.proc != nil && m.proc.block != nil:
		return parametersOf(m.proc.block.Params, true)
	case m.ivar != "" && strings.HasSuffix(m.name, "="):
		return NewArray(NewArray(Symbol("unnamed")))
	case m.ivar != "":
		return NewArray()
	}
	c.in.unsupported("the parameters of a built-in method")
	return nil
}

// parametersOf describes parameters as Method#parameters does; a block's are optional unless it is a lambda.
func parametersOf(ps *syntax.Params, strict bool) Object {
	var out []Object
	add := func(kind string, p *syntax.Param) {
		pair := []Object{Symbol(kind)}
		if p != nil && p.Name != "" {
			pair = append(pair, Symbol(p.Name))
		} else if strict && kind != "req" {
			switch kind {
			case "rest":
				pair = append(pair, Symbol("*"))
			case "keyrest":
				pair = append(pair, Symbol("**"))
			}
		}
		out = append(out, NewArray(pair...))
	}
	if ps == nil {
		return NewArray()
	}
	req := "req"
	if !strict {
		req = "opt"
	}
	for _, p := range ps.Pre {
		add(req, p)
	}
	for _, p := range ps.Opt {
		add("opt", p)
	}
	if ps.Rest != nil {
		add("rest", ps.Rest)
	}
	for _, p := range ps.Post {
		add(req, p)
	}
	for _, p := range ps.Key {
		if p.Default == nil {
			add("keyreq", p)
		}
	}
	for _, p := range ps.Key {
		if p.Default != nil {
			add("key", p)
		}
	}
	if ps.KeyRest != nil {
		add("keyrest", ps.KeyRest)
	}
	if ps.Block != nil {
		add("block", ps.Block)
	}
	return NewArray(out...)
}

// unboundTable is what instance_method gives.
func unboundTable() []builtin {
	self := func(c *call) *MethodObject { return c.self.(*MethodObject) }
	return []builtin{
		{"name", 0, 0, func(c *call) Object { return Symbol(self(c).name) }},
		{"owner", 0, 0, func(c *call) Object { return self(c).m.owner }},
		{"arity", 0, 0, func(c *call) Object { return Int(c.in.arityOf(self(c).m)) }},
		{"parameters", 0, 0, methodParameters},
		{"bind", 1, 1, func(c *call) Object { return &MethodObject{c.arg(0), self(c).name, self(c).m} }},
		{"bind_call", 1, -1, func(c *call) Object { return c.in.invoke(self(c).m, c.arg(0), c.args[1:], c.block) }},
	}
}

// noMethod says that a class has no such method.
func (in *Interp) noMethod(c *Class, name string) {
	if in.rt.knows(c, nil, name) {
		in.unsupported("the method " + name + " of " + c.name)
	}
	in.raise("NameError", "undefined method `%s' for class `%s'", name, c.name)
}

func enumeratorTable() []builtin {
	self := func(c *call) *Enumerator { return c.self.(*Enumerator) }
	withIndex := func(c *call) Object {
		if c.block == nil {
			return c.enum()
		}
		i := 0
		if c.has(0) && !isNil(c.arg(0)) && c.name != "each_with_index" {
			i = c.int(0)
		}
		e := self(c)
		in, block := c.in, c.block
		p := &Proc{arity: -1}
		p.native = func(args []Object) Object {
			i++
			return in.yield(block, packed(in, args), Int(i-1))
		}
		return c.in.send(e.recv, e.name, e.args, p)
	}
	withObject := func(c *call) Object {
		e := self(c)
		in, block, memo := c.in, c.block, c.arg(0)
		p := &Proc{arity: -1, native: func(args []Object) Object { return in.yield(block, packed(in, args), memo) }}
		in.send(e.recv, e.name, e.args, p)
		return memo
	}
	fill := func(c *call) *Enumerator {
		e := self(c)
		if e.buf == nil {
			e.buf = append([]Object{}, c.in.items(e)...)
		}
		return e
	}
	return []builtin{
		{"each", 0, -1, func(c *call) Object {
			if c.block == nil {
				return c.self
			}
			e := self(c)
			return c.in.send(e.recv, e.name, append(append([]Object(nil), e.args...), c.args...), c.block)
		}},
		{"with_index", 0, 1, withIndex}, {"each_with_index", 0, 0, withIndex},
		{"with_object", 1, 1, withObject}, {"each_with_object", 1, 1, withObject},
		{"next", 0, 0, func(c *call) Object {
			e := fill(c)
			if e.pos >= len(e.buf) {
				c.raise("StopIteration", "iteration reached an end")
			}
			e.pos++
			return e.buf[e.pos-1]
		}},
		{"peek", 0, 0, func(c *call) Object {
			e := fill(c)
			if e.pos >= len(e.buf) {
				c.raise("StopIteration", "iteration reached an end")
			}
			return e.buf[e.pos]
		}},
		{"rewind", 0, 0, func(c *call) Object { self(c).pos = 0; return c.self }},
		{"size", 0, 0, func(c *call) Object {
			e := self(c)
			switch e.recv.(type) {
			case *Array, *Hash, *Range, *Set:
				if len(e.args) == 0 {
					return c.in.send(e.recv, "size", nil, nil)
				}
			case Int:
				if e.name == "times" {
					return e.recv
				}
			}
			return Nil{}
		}},
		{"force", 0, 0, func(c *call) Object { return c.in.array(c.in.items(c.self)) }},
		{"inspect", 0, 0, func(c *call) Object {
			e := self(c)
			if e.lazy {
				return c.ret("#<Enumerator::Lazy: " + c.in.inspectOf(e.recv) + ">")
			}
			s := "#<Enumerator: " + c.in.inspectOf(e.recv) + ":" + e.name
			if e.steps {
				recv := c.in.inspectOf(e.recv)
				if _, ok := e.recv.(*Range); ok {
					recv = "(" + recv + ")"
				}
				s = "(" + recv + "." + e.name
			}
			if len(e.args) > 0 {
				s += "("
				for i, a := range e.args {
					if i > 0 {
						s += ", "
					}
					s += c.in.inspectOf(a)
				}
				s += ")"
			}
			if e.steps {
				return c.ret(s + ")")
			}
			return c.ret(s + ">")
		}},
		{"to_s", 0, 0, func(c *call) Object { return c.ret(c.in.anyToS(c.self)) }},
	}
}

func setTable() []builtin {
	self := func(c *call) *Set { return c.self.(*Set) }
	of := func(c *call, o Object) []Object {
		switch o.(type) {
		case *Set, *Array, *Hash, *Range, *Enumerator:
			return c.in.items(o)
		}
		c.raise("ArgumentError", "value must be enumerable")
		return nil
	}
	build := func(c *call, items ...[]Object) *Set {
		s := &Set{c.in.newHash()}
		for _, l := range items {
			for _, e := range l {
				c.in.room(64)
				s.h.put(e, Bool(true))
			}
		}
		return s
	}
	add := func(c *call) Object { c.in.room(64); self(c).h.put(c.arg(0), Bool(true)); return c.self }
	has := func(c *call) Object { _, ok := self(c).h.get(c.arg(0)); return Bool(ok) }
	size := func(c *call) Object { return Int(self(c).h.len()) }
	union := func(c *call) Object { return build(c, self(c).h.keys(), of(c, c.arg(0))) }
	minusSet := func(c *call) Object { return build(c, c.in.minus(self(c).h.keys(), of(c, c.arg(0)))) }
	sub := func(a, b *Set) bool {
		for _, k := range a.h.keys() {
			if _, ok := b.h.get(k); !ok {
				return false
			}
		}
		return true
	}
	other := func(c *call) *Set {
		o, ok := c.arg(0).(*Set)
		if !ok {
			c.raise("ArgumentError", "value must be a set")
		}
		return o
	}
	inspect := func(c *call) Object {
		s := c.in.inspectOf(NewArray(self(c).h.keys()...))
		return c.ret("#<Set: {" + s[1:len(s)-1] + "}>")
	}
	return []builtin{
		{"add", 1, 1, add}, {"<<", 1, 1, add},
		{"add?", 1, 1, func(c *call) Object {
			if truthy(has(c)) {
				return Nil{}
			}
			return add(c)
		}},
		{"delete", 1, 1, func(c *call) Object { self(c).h.remove(c.arg(0)); return c.self }},
		{"include?", 1, 1, has}, {"member?", 1, 1, has}, {"===", 1, 1, has}, {"contain?", 1, 1, has},
		{"size", 0, 0, size}, {"length", 0, 0, size},
		{"empty?", 0, 0, func(c *call) Object { return Bool(self(c).h.len() == 0) }},
		{"each", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			c.in.each(c.self, func(e Object) bool { c.yield(e); return true })
			return c.self
		}},
		{"to_a", 0, 0, func(c *call) Object { return c.in.array(self(c).h.keys()) }},
		{"to_set", 0, 0, func(c *call) Object { return c.self }},
		{"|", 1, 1, union}, {"+", 1, 1, union}, {"union", 1, 1, union},
		{"&", 1, 1, func(c *call) Object { return build(c, c.in.intersect(of(c, c.arg(0)), self(c).h.keys())) }},
		{"intersection", 1, 1, func(c *call) Object { return build(c, c.in.intersect(of(c, c.arg(0)), self(c).h.keys())) }},
		{"-", 1, 1, minusSet}, {"difference", 1, 1, minusSet},
		{"merge", 0, -1, func(c *call) Object {
			for _, a := range c.args {
				for _, e := range of(c, a) {
					self(c).h.put(e, Bool(true))
				}
			}
			return c.self
		}},
		{"subset?", 1, 1, func(c *call) Object { return Bool(sub(self(c), other(c))) }},
		{"<=", 1, 1, func(c *call) Object { return Bool(sub(self(c), other(c))) }},
		{"superset?", 1, 1, func(c *call) Object { return Bool(sub(other(c), self(c))) }},
		{">=", 1, 1, func(c *call) Object { return Bool(sub(other(c), self(c))) }},
		{"disjoint?", 1, 1, func(c *call) Object {
			return Bool(len(c.in.intersect(other(c).h.keys(),
				self(c).h.keys())) == 0)
		}},
		{"intersect?", 1, 1, func(c *call) Object {
			return Bool(len(c.in.intersect(other(c).h.keys(),
				self(c).h.keys())) > 0)
		}},
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"clear", 0, 0, func(c *call) Object { self(c).h.clear(); return c.self }},
		{"inspect", 0, 0, inspect}, {"to_s", 0, 0, inspect},
	}
}
