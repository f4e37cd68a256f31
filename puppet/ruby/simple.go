package ruby

// The methods of nil, true, false, symbols and of whatever can be compared.

func nilTable() []builtin {
	return []builtin{
		{"to_s", 0, 0, func(c *call) Object { return &String{frozen: true} }},
		{"to_a", 0, 0, func(c *call) Object { return NewArray() }},
		{"to_h", 0, 0, func(c *call) Object { return c.in.newHash() }},
		{"to_i", 0, 0, func(c *call) Object { return Int(0) }},
		{"to_f", 0, 0, func(c *call) Object { return Float(0) }},
		{"inspect", 0, 0, func(c *call) Object { return c.in.str("nil") }},
		{"nil?", 0, 0, func(c *call) Object { return Bool(true) }},
		{"&", 1, 1, func(c *call) Object { return Bool(false) }},
		{"|", 1, 1, func(c *call) Object { return Bool(truthy(c.arg(0))) }},
		{"=~", 1, 1, func(c *call) Object { return Nil{} }},
	}
}

func boolTable() []builtin {
	self := func(c *call) bool { return bool(c.self.(Bool)) }
	return []builtin{
		{"to_s", 0, 0, func(c *call) Object { return &String{s: c.in.toS(c.self), frozen: true} }},
		{"inspect", 0, 0, func(c *call) Object { return c.in.str(c.in.toS(c.self)) }},
		{"&", 1, 1, func(c *call) Object { return Bool(self(c) && truthy(c.arg(0))) }},
		{"|", 1, 1, func(c *call) Object { return Bool(self(c) || truthy(c.arg(0))) }},
		{"^", 1, 1, func(c *call) Object { return Bool(self(c) != truthy(c.arg(0))) }},
	}
}

func comparableTable() []builtin {
	test := func(name string, ok func(int) bool) builtin {
		return builtin{name, 1, 1, func(c *call) Object { return Bool(ok(c.compareOrFail(c.arg(0)))) }}
	}
	return []builtin{
		test("<", func(n int) bool { return n < 0 }),
		test(">", func(n int) bool { return n > 0 }),
		test("<=", func(n int) bool { return n <= 0 }),
		test(">=", func(n int) bool { return n >= 0 }),
		{"==", 1, 1, func(c *call) Object {
			if _, user := c.self.(*Instance); !user {
				return Bool(c.in.equal(c.self, c.arg(0)))
			}
			if identical(c.self, c.arg(0)) {
				return Bool(true)
			}
			n, ok := c.in.compare(c.self, c.arg(0))
			return Bool(ok && n == 0)
		}},
		{"between?", 2, 2, func(c *call) Object {
			return Bool(c.compareOrFail(c.arg(0)) >= 0 && c.compareOrFail(c.arg(1)) <= 0)
		}},
		{"clamp", 1, 2, func(c *call) Object {
			lo, hi := c.arg(0), c.arg(1)
			if len(c.args) == 1 {
				r, ok := lo.(*Range)
				if !ok {
					c.raise("TypeError", "wrong argument type %s (expected Range)", c.in.classOf(lo).name)
				}
				if r.excl && !isNil(r.hi) {
					c.raise("ArgumentError", "cannot clamp with an exclusive range")
				}
				lo, hi = r.lo, r.hi
			}
			if !isNil(lo) && !isNil(hi) && c.in.order(lo, hi) > 0 {
				c.raise("ArgumentError", "min argument must be smaller than max argument")
			}
			if !isNil(lo) && c.compareOrFail(lo) < 0 {
				return lo
			}
			if !isNil(hi) && c.compareOrFail(hi) > 0 {
				return hi
			}
			return c.self
		}},
	}
}

func (c *call) compareOrFail(o Object) int {
	n, ok := c.in.compare(c.self, o)
	if !ok {
		c.raise("ArgumentError", "comparison of %s with %s failed", c.in.classOf(c.self).name, c.in.comparand(o))
	}
	return n
}

func symbolTable() []builtin {
	name := func(c *call) string { return string(c.self.(Symbol)) }
	through := func(method string) builtin {
		return builtin{method, 0, -1, func(c *call) Object {
			v := c.in.send(NewString(name(c)), method, c.args, c.block)
			if s, ok := v.(*String); ok && method != "[]" && method != "slice" {
				return Symbol(s.String())
			}
			return v
		}}
	}
	return []builtin{
		{"to_s", 0, 0, func(c *call) Object { return c.in.str(name(c)) }},
		{"id2name", 0, 0, func(c *call) Object { return c.in.str(name(c)) }},
		{"name", 0, 0, func(c *call) Object { return &String{s: name(c), frozen: true} }},
		{"to_sym", 0, 0, func(c *call) Object { return c.self }}, {"intern", 0, 0, func(c *call) Object { return c.self }},
		{"inspect", 0, 0, func(c *call) Object { return c.in.str(inspectSymbol(name(c))) }},
		{"to_proc", 0, 0, func(c *call) Object { return c.in.symProc(name(c)) }},
		{"<=>", 1, 1, func(c *call) Object {
			if n, ok := c.in.compare(c.self, c.arg(0)); ok {
				return Int(n)
			}
			return Nil{}
		}},
		{"casecmp", 1, 1, func(c *call) Object {
			if s, ok := c.arg(0).(Symbol); ok {
				return c.in.send(NewString(name(c)), "casecmp", []Object{NewString(string(s))}, nil)
			}
			return Nil{}
		}},
		{"casecmp?", 1, 1, func(c *call) Object {
			if s, ok := c.arg(0).(Symbol); ok {
				return c.in.send(NewString(name(c)), "casecmp?", []Object{NewString(string(s))}, nil)
			}
			return Nil{}
		}},
		through("length"), through("size"), through("empty?"), through("upcase"), through("downcase"), through("capitalize"),
		through("swapcase"),
		through("succ"), through("next"), through("[]"), through("slice"), through("=~"), through("match"), through("match?"),
		through("start_with?"), through("end_with?"),
	}
}
