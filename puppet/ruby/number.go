package ruby

import (
	"math"
	"math/big"
	"strings"

	"bunraku/puppet/value"
)

func isNumber(o Object) bool {
	switch o.(type) {
	case Int, Float, *Big:
		return true
	}
	return false
}

// arith is the arithmetic of numbers; Integers grow as they need to.
func (in *Interp) arith(op string, a, b Object) Object {
	if !isNumber(b) {
		if i, ok := b.(*Instance); ok && in.responds(i, "coerce") {
			pair := in.toArray(in.send(i, "coerce", []Object{a}, nil))
			return in.binary(pair[0], op, pair[1])
		}
		in.raise("TypeError", "%s can't be coerced into %s", in.coercee(b), in.classOf(a).name)
	}
	_, fa := a.(Float)
	_, fb := b.(Float)
	if fa || fb {
		return in.arithFloat(op, in.toFloat(a), in.toFloat(b))
	}
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			if v, ok := in.arithInt(op, int64(x), int64(y)); ok {
				return v
			}
		}
	}
	return in.arithBig(op, toBig(a), toBig(b))
}

func (in *Interp) coercee(o Object) string {
	switch o.(type) {
	case Nil, Bool, nil:
		return in.inspectOf(o)
	}
	return in.classOf(o).name
}

func (in *Interp) arithInt(op string, x, y int64) (Object, bool) {
	switch op {
	case "+":
		if s := x + y; (s > x) == (y > 0) {
			return Int(s), true
		}
	case "-":
		if s := x - y; (s < x) == (y > 0) {
			return Int(s), true
		}
	case "*":
		if x == 0 || y == 0 {
			return Int(0), true
		}
		if p := x * y; p/y == x && !(x == -1 && y == math.MinInt64) && !(y == -1 && x == math.MinInt64) {
			return Int(p), true
		}
	}
	return nil, false
}

func (in *Interp) arithBig(op string, x, y *big.Int) Object {
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		in.room((x.BitLen() + y.BitLen()) / 8)
		in.charge(1 + x.BitLen()*y.BitLen()/4096)
		z.Mul(x, y)
	case "/", "div":
		if y.Sign() == 0 {
			in.raise("ZeroDivisionError", "divided by 0")
		}
		floorDiv(z, x, y)
	case "%":
		if y.Sign() == 0 {
			in.raise("ZeroDivisionError", "divided by 0")
		}
		q := floorDiv(new(big.Int), x, y)
		z.Sub(x, q.Mul(q, y))
	case "**":
		if y.Sign() < 0 {
			if x.Sign() == 0 {
				in.raise("ZeroDivisionError", "divided by 0")
			}
			in.unsupported("Rational numbers")
		}
		if x.BitLen() > 1 && (!y.IsInt64() || int64(x.BitLen())*y.Int64() > int64(in.limits.Size)) {
			in.room(in.limits.Size + 1)
		}
		if x.BitLen() > 1 {
			in.charge(int(y.Int64()) * x.BitLen() / 64)
		}
		z.Exp(x, y, nil)
	}
	return bigToObject(z)
}

// floorDiv rounds towards minus infinity, as Ruby does.
func floorDiv(z, x, y *big.Int) *big.Int {
	m := new(big.Int)
	z.QuoRem(x, y, m)
	if m.Sign() != 0 && (m.Sign() < 0) != (y.Sign() < 0) {
		z.Sub(z, big.NewInt(1))
	}
	return z
}

func (in *Interp) arithFloat(op string, x, y float64) Object {
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	case "/":
		return Float(x / y)
	case "%":
		return Float(floatMod(x, y))
	case "**":
		if x < 0 && y != math.Trunc(y) {
			in.unsupported("Complex numbers")
		}
		if y == 0.5 {
			return Float(math.Sqrt(x))
		}
		return Float(math.Pow(x, y))
	}
	if y == 0 {
		in.raise("ZeroDivisionError", "divided by 0")
	}
	return in.floatInt(math.Floor(x / y))
}

func floatMod(x, y float64) float64 {
	m := math.Mod(x, y)
	if math.IsInf(y, 0) && !math.IsInf(x, 0) && !math.IsNaN(x) {
		if x == 0 || (x < 0) == (y < 0) {
			return x
		}
		return y
	}
	if m != 0 && (m < 0) != (y < 0) {
		m += y
	}
	return m
}

func floatToInt(f float64) Object {
	if math.Abs(f) < 1<<62 {
		return Int(int64(f))
	}
	n, _ := new(big.Float).SetFloat64(f).Int(nil)
	return bigToObject(n)
}

// floatInt is floatToInt that raises for what is no number.
func (in *Interp) floatInt(f float64) Object {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		in.raise("FloatDomainError", "%s", value.FormatFloat(f))
	}
	return floatToInt(f)
}

// numericTable is what Integers and Floats share.
func numericTable() []builtin {
	op := func(name string) builtin {
		return builtin{name, 1, 1, func(c *call) Object { return c.in.arith(name, c.self, c.arg(0)) }}
	}
	cmp := func(name string, ok func(int) bool) builtin {
		return builtin{name, 1, 1, func(c *call) Object {
			if !isNumber(c.arg(0)) {
				c.raise("ArgumentError", "comparison of %s with %s failed", c.in.classOf(c.self).name, c.in.comparand(c.arg(0)))
			}
			n, valid := compareNumbers(c.self, c.arg(0))
			return Bool(valid && ok(n))
		}}
	}
	return []builtin{
		op("+"), op("-"), op("*"), op("/"), op("%"), op("**"),
		{"modulo", 1, 1, func(c *call) Object { return c.in.arith("%", c.self, c.arg(0)) }},
		{"pow", 1, 2, func(c *call) Object {
			if c.has(1) {
				m := toBig(c.arg(1))
				if m == nil || m.Sign() == 0 {
					c.raise("ZeroDivisionError", "divided by 0")
				}
				z := new(big.Int).Exp(toBig(c.self), toBig(c.arg(0)), m)
				return bigToObject(z)
			}
			return c.in.arith("**", c.self, c.arg(0))
		}},
		{"div", 1, 1, func(c *call) Object { return c.in.arith("div", c.self, c.arg(0)) }},
		{"divmod", 1, 1, func(c *call) Object {
			q := c.in.arith("div", c.self, c.arg(0))
			return NewArray(q, c.in.arith("%", c.self, c.arg(0)))
		}},
		{"remainder", 1, 1, func(c *call) Object {
			m := c.in.arith("%", c.self, c.arg(0))
			if n, _ := compareNumbers(m, Int(0)); n != 0 {
				a, _ := compareNumbers(c.self, Int(0))
				b, _ := compareNumbers(c.arg(0), Int(0))
				if a*b < 0 {
					return c.in.arith("-", m, c.arg(0))
				}
			}
			return m
		}},
		{"fdiv", 1, 1, func(c *call) Object { return Float(c.in.toFloat(c.self) / c.in.toFloat(c.arg(0))) }},
		{"quo", 1, 1, func(c *call) Object {
			if _, f := c.arg(0).(Float); f {
				return c.in.arith("/", c.self, c.arg(0))
			}
			c.in.unsupported("Rational numbers")
			return nil
		}},
		cmp("<", func(n int) bool { return n < 0 }), cmp(">", func(n int) bool { return n > 0 }),
		cmp("<=", func(n int) bool { return n <= 0 }), cmp(">=", func(n int) bool { return n >= 0 }),
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"===", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"<=>", 1, 1, func(c *call) Object {
			if n, ok := compareNumbers(c.self, c.arg(0)); ok {
				return Int(n)
			}
			return Nil{}
		}},
		{"coerce", 1, 1, func(c *call) Object {
			_, a := c.self.(Float)
			_, b := c.arg(0).(Float)
			if !a && !b && isNumber(c.arg(0)) {
				return NewArray(c.arg(0), c.self)
			}
			if s, ok := c.arg(0).(*String); ok {
				f, err := value.ParseRubyFloat(s.String())
				if err != nil {
					c.raise("ArgumentError", "%s", err.Error())
				}
				return NewArray(Float(f), Float(c.in.toFloat(c.self)))
			}
			return NewArray(Float(c.in.toFloat(c.arg(0))), Float(c.in.toFloat(c.self)))
		}},
		{"-@", 0, 0, func(c *call) Object {
			if f, ok := c.self.(Float); ok {
				return -f
			}
			return c.in.arith("-", Int(0), c.self)
		}},
		{"+@", 0, 0, func(c *call) Object { return c.self }},
		{"abs", 0, 0, numberAbs}, {"magnitude", 0, 0, numberAbs},
		{"zero?", 0, 0, func(c *call) Object { n, ok := compareNumbers(c.self, Int(0)); return Bool(ok && n == 0) }},
		{"nonzero?", 0, 0, func(c *call) Object {
			if n, ok := compareNumbers(c.self, Int(0)); ok && n == 0 {
				return Nil{}
			}
			return c.self
		}},
		{"positive?", 0, 0, func(c *call) Object { n, ok := compareNumbers(c.self, Int(0)); return Bool(ok && n > 0) }},
		{"negative?", 0, 0, func(c *call) Object { n, ok := compareNumbers(c.self, Int(0)); return Bool(ok && n < 0) }},
		{"integer?", 0, 0, func(c *call) Object { _, f := c.self.(Float); return Bool(!f) }},
		{"real?", 0, 0, func(c *call) Object { return Bool(true) }},
		{"finite?", 0, 0, func(c *call) Object {
			f := c.in.toFloat(c.self)
			return Bool(!math.IsInf(f, 0) &&
				!math.IsNaN(f))
		}},
		{"infinite?", 0, 0, func(c *call) Object {
			switch f := c.in.toFloat(c.self); {
			case math.IsInf(f, 1):
				return Int(1)
			case math.IsInf(f, -1):
				return Int(-1)
			}
			return Nil{}
		}},
		{"to_int", 0, 0, func(c *call) Object { return c.in.send(c.self, "to_i", nil, nil) }},
		{"step", 0, -1, numberStep},
		{"dup", 0, 0, func(c *call) Object { return c.self }},
	}
}

func numberAbs(c *call) Object {
	if f, ok := c.self.(Float); ok {
		return Float(math.Abs(float64(f)))
	}
	if n, _ := compareNumbers(c.self, Int(0)); n < 0 {
		return c.in.arith("-", Int(0), c.self)
	}
	return c.self
}

func numberStep(c *call) Object {
	in := c.in
	opts := c.options()
	limit, step := c.arg(0), c.arg(1)
	if v, ok := opts.get(Symbol("by")); ok {
		step = v
	}
	if v, ok := opts.get(Symbol("to")); ok {
		limit = v
	}
	if isNil(step) {
		step = Int(1)
	}
	if c.block == nil {
		return &Enumerator{recv: c.self, name: "step", args: c.args, steps: true}
	}
	if n, _ := compareNumbers(step, Int(0)); n == 0 {
		in.raise("ArgumentError", "step can't be 0")
	}
	in.steps(c.self, limit, step, false, func(v Object) { c.yield(v) })
	return c.self
}

// steps walks from lo to hi.
func (in *Interp) steps(lo, hi, step Object, excl bool, f func(Object)) {
	_, a := lo.(Float)
	_, b := hi.(Float)
	_, s := step.(Float)
	if a || b || s {
		x, st := in.toFloat(lo), in.toFloat(step)
		y := math.Inf(1)
		if !isNil(hi) {
			y = in.toFloat(hi)
		}
		n := (y - x) / st
		eps := (math.Abs(x) + math.Abs(y) + math.Abs(y-x)) / math.Abs(st) * 2.220446049250313e-16
		if eps > 0.5 {
			eps = 0.5
		}
		var count float64
		if excl {
			count = math.Floor(n - eps)
			if n <= 0 {
				count = -1
			}
		} else {
			if n < 0 {
				return
			}
			count = math.Floor(n + eps)
		}
		for i := 0.0; i <= count; i++ {
			v := i*st + x
			if !excl && (st > 0 && v > y || st < 0 && v < y) {
				v = y
			}
			in.step()
			f(Float(v))
		}
		return
	}
	up, _ := compareNumbers(step, Int(0))
	for v := lo; ; v = in.arith("+", v, step) {
		in.step()
		if !isNil(hi) {
			n, ok := compareNumbers(v, hi)
			if !ok || up > 0 && n > 0 || up < 0 && n < 0 || excl && n == 0 {
				return
			}
		}
		f(v)
	}
}

func (in *Interp) intBase(o Object, base int) string {
	if base < 2 || base > 36 {
		in.raise("ArgumentError", "invalid radix %d", base)
	}
	return toBig(o).Text(base)
}

// round rounds an Integer to tens, hundreds and so on: digits is negative.
func (in *Interp) roundInt(o Object, digits int, mode string) Object {
	if digits >= 0 {
		return o
	}
	if digits < -400 {
		return Int(0)
	}
	x := toBig(o)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil)
	q := floorDiv(new(big.Int), x, unit)
	rest := new(big.Int).Sub(x, new(big.Int).Mul(q, unit))
	switch mode {
	case "ceil":
		if rest.Sign() != 0 {
			q.Add(q, big.NewInt(1))
		}
	case "truncate":
		if rest.Sign() != 0 && x.Sign() < 0 {
			q.Add(q, big.NewInt(1))
		}
	case "round", "even", "down":
		twice := new(big.Int).Lsh(rest, 1)
		c := twice.Cmp(unit)
		up := c > 0
		if c == 0 {
			switch mode {
			case "even":
				up = q.Bit(0) == 1
			case "down":
				up = x.Sign() < 0
			default:
				up = x.Sign() >= 0
			}
		}
		if up {
			q.Add(q, big.NewInt(1))
		}
	}
	return bigToObject(q.Mul(q, unit))
}

// roundFloat rounds to digits behind the point, on the number's exact value.
func roundFloat(f float64, digits int, mode string) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 {
		return f
	}
	_, exp := math.Frexp(f)
	// more digits than the number has: nothing to do (as float_round_overflow in Ruby)
	if float64(digits) >= float64(17)-math.Floor(float64(exp)*0.30102999566398120) && exp > 0 ||
		float64(digits) >= 17+math.Ceil(float64(-exp)*0.30103) {
		return f
	}
	if (mode == "round" || mode == "even" || mode == "down") && digits < -int(math.Ceil(float64(exp)*0.30103))-1 {
		return 0
	}
	x, _ := new(big.Rat).SetString(big.NewFloat(f).Text('f', 1100))
	if digits < 15 && mode != "floor" && mode != "ceil" && mode != "truncate" {
		// Ruby works in doubles here: round(x * s) / s, corrected when that overshoots
		s := math.Pow(10, float64(digits))
		switch mode {
		case "round":
			r := math.Round(f * s)
			if s == 1 {
				return r
			}
			if f > 0 {
				if (r-0.5)/s > f {
					r--
				} else if x := (r + 0.5) / s; x <= f {
					r++
				}
			} else {
				if (r+0.5)/s < f {
					r++
				} else if x := (r - 0.5) / s; x >= f {
					r--
				}
			}
			return r / s
		case "even":
			return math.RoundToEven(f*s) / s
		}
	}
	if x == nil {
		return f
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(digits))), nil))
	if digits < 0 {
		scale.Inv(scale)
	}
	x.Mul(x, scale)
	n := new(big.Int)
	q := floorDiv(n, x.Num(), x.Denom())
	frac := new(big.Rat).Sub(x, new(big.Rat).SetInt(q))
	half := frac.Cmp(big.NewRat(1, 2))
	switch mode {
	case "ceil":
		if frac.Sign() != 0 {
			q.Add(q, big.NewInt(1))
		}
	case "truncate":
		if frac.Sign() != 0 && f < 0 {
			q.Add(q, big.NewInt(1))
		}
	case "round":
		if half > 0 || half == 0 && f > 0 {
			q.Add(q, big.NewInt(1))
		}
	case "even":
		if half > 0 || half == 0 && q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
	case "down":
		if half > 0 || half == 0 && f < 0 {
			q.Add(q, big.NewInt(1))
		}
	}
	r := new(big.Rat).SetInt(q)
	r.Quo(r, scale)
	out, _ := r.Float64()
	if out == 0 && f < 0 {
		return math.Copysign(0, -1)
	}
	return out
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// roundMode reads half: of round.
func (c *call) roundMode() string {
	o := c.options().at(Symbol("half"))
	if isNil(o) {
		return "round"
	}
	s, _ := stringOrSymbol(o)
	switch s {
	case "up":
		return "round"
	case "even", "down":
		return s
	}
	c.raise("ArgumentError", "invalid rounding mode: %s", strings.TrimPrefix(c.in.toS(o), ":"))
	return ""
}
