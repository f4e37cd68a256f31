package ruby

import (
	"math"
	"math/big"
)

func integerTable() []builtin {
	self := func(c *call) *big.Int { return toBig(c.self) }
	bits := func(name string, f func(z, x, y *big.Int)) builtin {
		return builtin{name, 1, 1, func(c *call) Object {
			y := toBig(c.arg(0))
			if y == nil {
				if _, fl := c.arg(0).(Float); fl {
					c.raise("TypeError", "Float can't be coerced into Integer")
				}
				c.raise("TypeError", "%s can't be coerced into Integer", c.in.coercee(c.arg(0)))
			}
			z := new(big.Int)
			f(z, self(c), y)
			return bigToObject(z)
		}}
	}
	shift := func(c *call, by int) Object {
		z := new(big.Int)
		if by >= 0 {
			if by > 8*c.in.limits.Size {
				c.in.room(by / 8)
			}
			c.in.room(by / 8)
			return bigToObject(z.Lsh(self(c), uint(by)))
		}
		return bigToObject(z.Rsh(self(c), uint(min(-by, 1<<20))))
	}
	round := func(name string) builtin {
		return builtin{name, 0, 2, func(c *call) Object {
			mode := name
			if name == "round" {
				mode = c.roundMode()
			}
			if !c.has(0) {
				return c.self
			}
			return c.in.roundInt(c.self, c.int(0), mode)
		}}
	}
	return []builtin{
		{"to_s", 0, 1, func(c *call) Object {
			if !c.has(0) {
				return c.in.str(c.in.toS(c.self))
			}
			return c.in.str(c.in.intBase(c.self, c.int(0)))
		}},
		{"inspect", 0, 0, func(c *call) Object { return c.in.str(c.in.toS(c.self)) }},
		{"to_i", 0, 0, func(c *call) Object { return c.self }},
		{"to_int", 0, 0, func(c *call) Object { return c.self }},
		{"to_f", 0, 0, func(c *call) Object { return Float(c.in.toFloat(c.self)) }},
		{"to_r", 0, 0, func(c *call) Object { c.in.unsupported("Rational numbers"); return nil }},
		{"chr", 0, 1, func(c *call) Object {
			n, ok := c.self.(Int)
			if !ok || n > 0xffffffff || n < -0xffffffff {
				c.raise("RangeError", "bignum out of char range")
			}
			if n < 0 || n > 0x10ffff {
				c.raise("RangeError", "%s out of char range", c.in.toS(c.self))
			}
			if c.has(0) {
				return c.in.str(string(rune(n)))
			}
			if n > 255 {
				c.raise("RangeError", "%d out of char range", int64(n))
			}
			return &String{s: string([]byte{byte(n)}), binary: n > 127, ascii: true}
		}},
		{"ord", 0, 0, func(c *call) Object { return c.self }},
		{"times", 0, 0, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			n, ok := c.self.(Int)
			if !ok {
				n = math.MaxInt64
			}
			for i := Int(0); i < n; i++ {
				c.yield(i)
			}
			return c.self
		}},
		{"upto", 1, 1, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			if !isNumber(c.arg(0)) {
				c.raise("ArgumentError", "comparison of Integer with %s failed", c.in.comparand(c.arg(0)))
			}
			for v := c.self; ; v = c.in.arith("+", v, Int(1)) {
				if n, ok := compareNumbers(v, c.arg(0)); !ok || n > 0 {
					return c.self
				}
				c.yield(v)
			}
		}},
		{"downto", 1, 1, func(c *call) Object {
			if c.block == nil {
				return c.enum()
			}
			if !isNumber(c.arg(0)) {
				c.raise("ArgumentError", "comparison of Integer with %s failed", c.in.comparand(c.arg(0)))
			}
			for v := c.self; ; v = c.in.arith("-", v, Int(1)) {
				if n, ok := compareNumbers(v, c.arg(0)); !ok || n < 0 {
					return c.self
				}
				c.yield(v)
			}
		}},
		{"succ", 0, 0, func(c *call) Object { return c.in.arith("+", c.self, Int(1)) }},
		{"next", 0, 0, func(c *call) Object { return c.in.arith("+", c.self, Int(1)) }},
		{"pred", 0, 0, func(c *call) Object { return c.in.arith("-", c.self, Int(1)) }},
		{"even?", 0, 0, func(c *call) Object { return Bool(self(c).Bit(0) == 0) }},
		{"odd?", 0, 0, func(c *call) Object { return Bool(self(c).Bit(0) == 1) }},
		{"gcd", 1, 1, func(c *call) Object {
			y := toBig(c.arg(0))
			if y == nil {
				c.raise("TypeError", "not an integer")
			}
			return bigToObject(new(big.Int).GCD(nil, nil, new(big.Int).Abs(self(c)), new(big.Int).Abs(y)))
		}},
		{"lcm", 1, 1, func(c *call) Object {
			y := toBig(c.arg(0))
			if y == nil {
				c.raise("TypeError", "not an integer")
			}
			x := self(c)
			g := new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))
			if g.Sign() == 0 {
				return Int(0)
			}
			z := new(big.Int).Mul(x, y)
			return bigToObject(z.Abs(z).Quo(z, g))
		}},
		{"digits", 0, 1, func(c *call) Object {
			base := big.NewInt(10)
			if c.has(0) {
				base = big.NewInt(int64(c.int(0)))
				if base.Sign() < 0 {
					c.raise("ArgumentError", "negative radix")
				}
				if base.Int64() < 2 {
					c.raise("ArgumentError", "invalid radix %d", base.Int64())
				}
			}
			x := new(big.Int).Set(self(c))
			if x.Sign() < 0 {
				c.in.unsupported("Math::DomainError")
			}
			out := []Object{}
			m := new(big.Int)
			for {
				c.in.charge(1 + x.BitLen()>>8)
				x.QuoRem(x, base, m)
				out = append(out, bigToObject(new(big.Int).Set(m)))
				if x.Sign() == 0 {
					return c.in.array(out)
				}
			}
		}},
		{"bit_length", 0, 0, func(c *call) Object {
			x := self(c)
			if x.Sign() < 0 {
				x = new(big.Int).Not(x)
			}
			return Int(x.BitLen())
		}},
		{"size", 0, 0, func(c *call) Object {
			if _, ok := c.self.(Int); ok {
				return Int(8)
			}
			return Int((self(c).BitLen() + 7) / 8)
		}},
		{"[]", 1, 1, func(c *call) Object {
			i := c.int(0)
			if i < 0 {
				return Int(0)
			}
			x := self(c)
			if x.Sign() < 0 {
				x = new(big.Int).Not(x)
				return Int(1 - x.Bit(i))
			}
			return Int(x.Bit(i))
		}},
		bits("&", func(z, x, y *big.Int) { z.And(x, y) }),
		bits("|", func(z, x, y *big.Int) { z.Or(x, y) }),
		bits("^", func(z, x, y *big.Int) { z.Xor(x, y) }),
		{"~", 0, 0, func(c *call) Object { return bigToObject(new(big.Int).Not(self(c))) }},
		{"<<", 1, 1, func(c *call) Object { return shift(c, c.int(0)) }},
		{">>", 1, 1, func(c *call) Object { return shift(c, -c.int(0)) }},
		{"allbits?", 1, 1, func(c *call) Object {
			m := big.NewInt(int64(c.int(0)))
			return Bool(new(big.Int).And(self(c), m).Cmp(m) == 0)
		}},
		{"anybits?", 1, 1, func(c *call) Object {
			return Bool(new(big.Int).And(self(c), big.NewInt(int64(c.int(0)))).Sign() != 0)
		}},
		{"nobits?", 1, 1, func(c *call) Object {
			return Bool(new(big.Int).And(self(c), big.NewInt(int64(c.int(0)))).Sign() == 0)
		}},
		round("round"), round("floor"), round("ceil"), round("truncate"),
	}
}

func floatTable() []builtin {
	self := func(c *call) float64 { return float64(c.self.(Float)) }
	round := func(name string) builtin {
		return builtin{name, 0, 2, func(c *call) Object {
			mode := name
			if name == "round" {
				mode = c.roundMode()
			}
			f := self(c)
			digits := 0
			if c.has(0) {
				digits = c.int(0)
			}
			if digits > 0 {
				if math.IsNaN(f) || math.IsInf(f, 0) {
					return c.self
				}
				return Float(roundFloat(f, digits, mode))
			}
			if math.IsNaN(f) || math.IsInf(f, 0) {
				c.raise("FloatDomainError", "%s", c.in.toS(c.self))
			}
			if digits == 0 {
				switch mode {
				case "floor":
					f = math.Floor(f)
				case "ceil":
					f = math.Ceil(f)
				case "truncate":
					f = math.Trunc(f)
				case "even":
					f = math.RoundToEven(f)
				case "down":
					if math.Abs(f-math.Trunc(f)) == 0.5 {
						f = math.Trunc(f)
					} else {
						f = math.Round(f)
					}
				default:
					f = math.Round(f)
				}
				return floatToInt(f)
			}
			var whole Object
			switch mode {
			case "floor":
				whole = floatToInt(math.Floor(f))
			case "ceil":
				whole = floatToInt(math.Ceil(f))
			default:
				whole = floatToInt(math.Trunc(f))
			}
			return c.in.roundInt(whole, digits, mode)
		}}
	}
	return []builtin{
		{"to_s", 0, 0, func(c *call) Object { return c.in.str(c.in.toS(c.self)) }},
		{"inspect", 0, 0, func(c *call) Object { return c.in.str(c.in.toS(c.self)) }},
		{"to_f", 0, 0, func(c *call) Object { return c.self }},
		{"to_i", 0, 0, func(c *call) Object { return c.in.floatInt(math.Trunc(self(c))) }},
		{"nan?", 0, 0, func(c *call) Object { return Bool(math.IsNaN(self(c))) }},
		{"next_float", 0, 0, func(c *call) Object { return Float(math.Nextafter(self(c), math.Inf(1))) }},
		{"prev_float", 0, 0, func(c *call) Object { return Float(math.Nextafter(self(c), math.Inf(-1))) }},
		round("round"), round("floor"), round("ceil"), round("truncate"),
	}
}
