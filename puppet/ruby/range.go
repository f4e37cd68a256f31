package ruby

import "math"

func rangeTable() []builtin {
	self := func(c *call) *Range { return c.self.(*Range) }
	cover := func(c *call) Object {
		r := self(c)
		if o, ok := c.arg(0).(*Range); ok {
			return Bool(c.in.covers(r, o.lo) && (c.in.covers(r, o.hi) || o.excl && c.in.equal(o.hi, r.hi)))
		}
		return Bool(c.in.covers(r, c.arg(0)))
	}
	include := func(c *call) Object {
		r := self(c)
		lo, ls := r.lo.(*String)
		hi, hs := r.hi.(*String)
		v, vs := c.arg(0).(*String)
		if ls && hs {
			if !vs {
				return Bool(false)
			}
			if lo.len() == 1 && hi.len() == 1 && v.len() == 1 {
				return Bool(c.in.covers(r, v))
			}
			found := false
			c.in.stringRange(lo.String(), hi.String(), r.excl, func(s string) bool { found = s == v.String(); return !found })
			return Bool(found)
		}
		return Bool(c.in.covers(r, c.arg(0)))
	}
	size := func(c *call) Object {
		r := self(c)
		if !isNumber(r.lo) {
			if isNil(r.lo) {
				c.raise("TypeError", "can't iterate from NilClass")
			}
			return Nil{}
		}
		if isNil(r.hi) {
			return Float(math.Inf(1))
		}
		if f, ok := r.hi.(Float); ok && math.IsInf(float64(f), 1) {
			return f
		}
		if !isNumber(r.hi) {
			return Nil{}
		}
		lo, hi := c.in.toFloat(r.lo), c.in.toFloat(r.hi)
		n := math.Floor(hi - lo)
		if n < 0 {
			return Int(0)
		}
		if r.excl && lo+n == hi {
			return Int(n)
		}
		return Int(n + 1)
	}
	step := func(c *call) Object {
		r := self(c)
		by := Object(Int(1))
		if c.has(0) {
			by = c.arg(0)
		}
		if n, ok := compareNumbers(by, Int(0)); ok && n == 0 {
			c.raise("ArgumentError", "step can't be 0")
		} else if ok && n < 0 && c.block != nil {
			c.raise("ArgumentError", "step can't be negative")
		}
		if c.block == nil {
			return &Enumerator{recv: c.self, name: c.name, args: c.args, steps: isNumber(r.lo)}
		}
		if !isNumber(by) {
			c.raise("ArgumentError", "step can't be 0")
		}
		if isNumber(r.lo) {
			c.in.steps(r.lo, r.hi, by, r.excl, func(v Object) { c.yield(v) })
			return r
		}
		i, every := 0, c.in.toInt(by)
		if every <= 0 {
			c.raise("ArgumentError", "step can't be 0")
		}
		c.in.eachRange(r, func(v Object) bool {
			if i%every == 0 {
				c.yield(v)
			}
			i++
			return true
		})
		return r
	}
	return []builtin{
		{"begin", 0, 0, func(c *call) Object { return self(c).lo }},
		{"end", 0, 0, func(c *call) Object { return self(c).hi }},
		{"first", 0, 1, func(c *call) Object {
			if !c.has(0) {
				if isNil(self(c).lo) {
					c.raise("RangeError", "cannot get the first element of beginless range")
				}
				return self(c).lo
			}
			n := c.int(0)
			if n < 0 {
				c.raise("ArgumentError", "negative array size (or size too big)")
			}
			return c.take(n)
		}},
		{"last", 0, 1, func(c *call) Object {
			if !c.has(0) {
				if isNil(self(c).hi) {
					c.raise("RangeError", "cannot get the last element of endless range")
				}
				return self(c).hi
			}
			lo, a := self(c).lo.(Int)
			hi, b := self(c).hi.(Int)
			if a && b && hi <= lo { // Ruby 3.1 overlooks the one element
				return NewArray()
			}
			return c.in.send(c.in.array(c.in.items(c.self)), "last", c.args, nil)
		}},
		{"exclude_end?", 0, 0, func(c *call) Object { return Bool(self(c).excl) }},
		{"each", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			c.in.eachRange(self(c), func(e Object) bool { c.yield(e); return true })
			return c.self
		}},
		{"to_a", 0, 0, rangeList}, {"to_ary ", 0, 0, rangeList}, {"entries", 0, 0, rangeList},
		{"to_s", 0, 0, func(c *call) Object {
			r := self(c)
			dots := ".."
			if r.excl {
				dots = "..."
			}
			return c.ret(c.in.toS(r.lo) + dots + c.in.toS(r.hi))
		}},
		{"inspect", 0, 0, func(c *call) Object { return c.ret(c.in.inspectOf(c.self)) }},
		{"cover?", 1, 1, cover}, {"===", 1, 1, cover}, {"include?", 1, 1, include}, {"member?", 1, 1, include},
		{"size", 0, 0, size},
		{"count", 0, 1, func(c *call) Object {
			if c.block == nil && !c.has(0) {
				if _, f := self(c).lo.(Float); f {
					c.raise("TypeError", "can't iterate from Float")
				}
				if n := size(c); !isNil(n) {
					return n
				}
			}
			return c.in.invoke(c.in.rt.enumerable.table["count"], c.self, c.args, c.block)
		}},
		{"step", 0, 1, step}, {"%", 1, 1, step},
		{"sum", 0, 1, func(c *call) Object {
			r := self(c)
			lo, a := r.lo.(Int)
			hi, b := r.hi.(Int)
			if a && b && c.block == nil && !c.has(0) {
				if r.excl {
					hi--
				}
				if hi < lo {
					return Int(0)
				}
				s := c.in.arith("*", c.in.arith("+", lo, hi), c.in.arith("+", c.in.arith("-", hi, lo), Int(1)))
				return c.in.arith("/", s, Int(2))
			}
			return c.sum()
		}},
		{"min", 0, 1, func(c *call) Object { return c.rangeExtreme(1) }},
		{"max", 0, 1, func(c *call) Object { return c.rangeExtreme(-1) }},
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"hash", 0, 0, hashMethod},
	}
}

func rangeList(c *call) Object {
	if isNil(c.self.(*Range).hi) {
		c.raise("RangeError", "cannot convert endless range to an array")
	}
	return c.in.array(c.in.items(c.self))
}

func (in *Interp) covers(r *Range, v Object) bool {
	if !isNil(r.lo) {
		if n, ok := in.compare(r.lo, v); !ok || n > 0 {
			return false
		}
	}
	if !isNil(r.hi) {
		n, ok := in.compare(v, r.hi)
		if !ok || n > 0 || n == 0 && r.excl {
			return false
		}
	}
	return true
}

func (c *call) rangeExtreme(sign int) Object {
	r := c.self.(*Range)
	if c.block != nil || c.has(0) {
		return c.extreme(sign)
	}
	if sign > 0 && isNil(r.lo) || sign < 0 && isNil(r.hi) {
		what, word := "minimum", "beginless"
		if sign < 0 {
			what, word = "maximum", "endless"
		}
		c.raise("RangeError", "cannot get the %s of %s range", what, word)
	}
	n, ok := c.in.compare(r.lo, r.hi)
	if ok && n > 0 || ok && n == 0 && r.excl {
		return Nil{}
	}
	if sign > 0 {
		return r.lo
	}
	if r.excl {
		if _, f := r.hi.(Float); f {
			c.raise("TypeError", "cannot exclude non Integer end value")
		}
		if _, i := r.hi.(Int); i {
			if _, f := r.lo.(Float); f {
				c.raise("TypeError", "cannot exclude end value with non Integer begin value")
			}
			return c.in.arith("-", r.hi, Int(1))
		}
		return c.extreme(sign)
	}
	return r.hi
}
