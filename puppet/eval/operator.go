package eval

import (
	"math"
	"math/big"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

func (ev *Evaluator) unary(e *syntax.Unary, sc *Scope) (value.Value, provenance.Ref) {
	switch e.Op {
	case syntax.OpNot:
		v, r := ev.eval(e.X, sc)
		if o := inDoubt(v); o != nil {
			return o, ev.op("!", r)
		}
		return value.Bool(!value.Truthy(v)), ev.op("!", ev.deep(v, r))
	case syntax.OpSplat:
		a, r := ev.splat(e, sc)
		return a, r
	}
	v, r := ev.eval(e.X, sc)
	if o := opaque(v); o != nil {
		return o, ev.op("-", r)
	}
	if ev.trace != nil {
		ev.suspects = [2]suspect{{v, r}}
	}
	switch n := ev.number(v, e, sc).(type) {
	case value.Int:
		if n == math.MinInt64 {
			ev.overflow(e, new(big.Int).Neg(big.NewInt(int64(n))))
		}
		return ev.computed(-n, n), ev.op("-", r)
	case value.Float:
		return ev.computed(-n, n), ev.op("-", r)
	case value.Timespan:
		return value.Timespan(-n), ev.op("-", r)
	}
	ev.failf("E0220", e.X.Span(), "Evaluation Error: Operator '-' is not applicable to %s.", article(types.Label(v)))
	return nil, 0
}

func (ev *Evaluator) binary(e *syntax.Binary, sc *Scope) (value.Value, provenance.Ref) {
	l, lr := ev.eval(e.Left, sc)
	switch e.Op {
	case syntax.OpAnd:
		if o := inDoubt(l); o != nil {
			return ev.eitherWay(o, lr, e, sc)
		}
		if !value.Truthy(l) {
			return value.Bool(false), ev.op("truth", ev.deep(l, lr))
		}
		if ev.log != nil {
			ev.log.Run(&e.Right, ev.file)
		}
		r, rr := ev.eval(e.Right, sc)
		if o := inDoubt(r); o != nil {
			return o, ev.op("and", ev.deep(l, lr), rr)
		}
		return value.Bool(value.Truthy(r)), ev.op("and", ev.deep(l, lr), ev.deep(r, rr))
	case syntax.OpOr:
		if o := inDoubt(l); o != nil {
			return ev.eitherWay(o, lr, e, sc)
		}
		if value.Truthy(l) {
			return value.Bool(true), ev.op("truth", ev.deep(l, lr))
		}
		if ev.log != nil {
			ev.log.Run(&e.Right, ev.file)
		}
		r, rr := ev.eval(e.Right, sc)
		if o := inDoubt(r); o != nil {
			return o, ev.op("or", ev.deep(l, lr), rr)
		}
		return value.Bool(value.Truthy(r)), ev.op("or", ev.deep(l, lr), ev.deep(r, rr))
	}
	r, rr := ev.eval(e.Right, sc)
	l, lr = ev.latest(l, lr)
	if o := opaque(l, r); o != nil && !(isEquality(e.Op) && (otherThanText(l, r) || otherThanText(r, l))) {
		return o, ev.op(e.Op.String(), ev.deep(l, lr), ev.deep(r, rr))
	} else if o == nil && e.Op != syntax.OpAdd && e.Op != syntax.OpShl {
		ev.looksInto(l, r)
	}
	if ev.trace != nil {
		ev.suspects = [2]suspect{{l, lr}, {r, rr}}
	}
	switch e.Op {
	case syntax.OpSub:
		if o := within(l, r); o != nil { // what is taken away is not known
			return o, ev.op(e.Op.String(), ev.deep(l, lr), ev.deep(r, rr))
		}
		fallthrough
	case syntax.OpAdd, syntax.OpMul, syntax.OpDiv, syntax.OpMod, syntax.OpShl, syntax.OpShr:
		v, ref := ev.arithmetic(e, l, lr, r, rr, sc)
		if a, is := v.(*value.Array); is && (ev.ofPieces(l) || ev.ofPieces(r)) {
			ev.madeOfPieces(a)
		}
		ev.made(v, ev.place(e.Where))
		return v, ref
	}
	ref := ev.op(e.Op.String(), ev.deep(l, lr), ev.deep(r, rr))
	if ev.log != nil && trace.Compares(e) {
		if trace.Literal(e.Left) {
			ev.log.Test(e.Left, ev.file, r)
		} else {
			ev.log.Test(e.Right, ev.file, l)
		}
	}
	if o := absentType(r); o != nil && (e.Op == syntax.OpMatch || e.Op == syntax.OpNoMatch) {
		return o, ref
	}
	if !holdsUnknown(l, r) {
		return value.Bool(ev.test(e, l, r, ref, sc)), ref
	}
	is, o := holds(l, r, func(l, r value.Value) bool { return ev.test(e, l, r, ref, sc) })
	if o != nil {
		return o, ref
	}
	return value.Bool(is), ref
}

// test is what an operator asks of two values whose answer is yes or no.
func (ev *Evaluator) test(e *syntax.Binary, l, r value.Value, ref provenance.Ref, sc *Scope) bool {
	switch e.Op {
	case syntax.OpEq:
		return ev.equal(l, r)
	case syntax.OpNe:
		return !ev.equal(l, r)
	case syntax.OpLt, syntax.OpLe, syntax.OpGt, syntax.OpGe:
		return ev.compare(e, l, r)
	case syntax.OpMatch, syntax.OpNoMatch:
		return ev.match(e, l, r, ref, sc) == (e.Op == syntax.OpMatch)
	case syntax.OpIn:
		return ev.includes(l, r, sc, ref)
	}
	panic("eval: unknown operator " + e.Op.String())
}

func (ev *Evaluator) equal(l, r value.Value) bool {
	if t, ok := l.(value.Type); ok {
		u, ok := r.(value.Type)
		return ok && declared(t) == declared(u) && ev.judge.Equal(t, u)
	}
	ev.handles(comparing, l)
	return value.Equal(l, r)
}

// declared reports whether a reference has been the value of an attribute.
func declared(t value.Type) bool {
	switch t := t.(type) {
	case *types.Resource:
		return t.Declared
	case *types.Class:
		return t.Declared
	}
	return false
}

func (ev *Evaluator) compare(e *syntax.Binary, l, r value.Value) bool {
	if t, ok := l.(value.Type); ok {
		u, ok := r.(value.Type)
		if !ok {
			return false
		}
		switch e.Op {
		case syntax.OpLt:
			return ev.judge.Assignable(u, t) && !ev.judge.Equal(t, u)
		case syntax.OpLe:
			return ev.judge.Assignable(u, t)
		case syntax.OpGt:
			return ev.judge.Assignable(t, u) && !ev.judge.Equal(t, u)
		}
		return ev.judge.Assignable(t, u)
	}
	ev.handles(comparing, l)
	c, err := value.Compare(l, r)
	if err != nil {
		ev.notComparable(e, l, r, err.Error())
	}
	switch e.Op {
	case syntax.OpLt:
		return c < 0
	case syntax.OpLe:
		return c <= 0
	case syntax.OpGt:
		return c > 0
	}
	return c >= 0
}

func (ev *Evaluator) notComparable(e *syntax.Binary, l, r value.Value, detail string) {
	ev.failf("E0221", opPlace(e.OpAt), "Evaluation Error: Comparison of: %s %s %s, is not possible. Caused by '%s'.",
		types.Label(l), e.Op, types.Label(r), detail)
}

// match is =~: against a type, a version range, or a regular expression, which also sets $0 … (rule: match variables
// depend on both sides).
func (ev *Evaluator) match(e *syntax.Binary, l, pattern value.Value, ref provenance.Ref, sc *Scope) bool {
	switch p := pattern.(type) {
	case value.Type:
		return ev.judge.IsInstance(p, l)
	case *value.SemVerRange:
		return types.InRange(p, l)
	}
	re, ok := pattern.(*value.Regexp)
	if !ok {
		s, isString := pattern.(value.String)
		if !isString {
			ev.failf("E0222", e.Right.Span(),
				"Evaluation Error: Can not convert right match operand to a regular expression. Caused by 'no implicit "+
					"conversion of %s into String'.", rubyClass(pattern))
		}
		var err error
		if re, err = value.NewRegexp(string(s)); err != nil {
			ev.failf("E0222", e.Right.Span(),
				"Evaluation Error: Can not convert right match operand to a regular expression. Caused by '%s'.", err)
		}
	}
	s, ok := l.(value.String)
	if !ok {
		ev.failf("E0222", e.Left.Span(), "Evaluation Error: Left match operand must result in a String value. Got %s.",
			article(types.Label(l)))
	}
	return ev.matchRegexp(re, string(s), ref, sc, e)
}

// matchRegexp matches and, on success, makes the groups readable until the enclosing block ends.
func (ev *Evaluator) matchRegexp(re *value.Regexp, s string, ref provenance.Ref, sc *Scope, at syntax.Expr) bool {
	groups, err := ev.FindIn(re.Re, s, 0)
	if err != nil {
		ev.fail("E0903", at.Span(), err.Error())
	}
	if groups == nil {
		if ev.trace != nil { // a later read of $1 finds an earlier match, because this one failed
			sc.setMatch(nil, nil, ref)
		}
		return false
	}
	texts := make([]string, len(groups)/2)
	set := make([]bool, len(groups)/2)
	for i := range texts {
		if groups[2*i] >= 0 {
			texts[i], set[i] = s[groups[2*i]:groups[2*i+1]], true
		}
	}
	if ev.Secret(s) {
		for _, text := range texts {
			ev.Made(text)
		}
	}
	sc.setMatch(texts, set, ref)
	return true
}

// rubyClass is what Ruby calls the class of a value; some of Puppet's messages show it.
func rubyClass(v value.Value) string {
	switch v.(type) {
	case nil, value.Undef:
		return "nil"
	case value.Bool:
		if v == value.Bool(true) {
			return "true"
		}
		return "false"
	case value.Int:
		return "Integer"
	case value.Float:
		return "Float"
	case *value.Array:
		return "Array"
	case *value.Hash:
		return "Hash"
	case value.Default:
		return "Symbol"
	}
	return "Object"
}

// in is the `in` operator: a case-blind search in strings, arrays and hash keys; a regexp or type on the left searches
// by match.
func (ev *Evaluator) includes(l, r value.Value, sc *Scope, ref provenance.Ref) bool {
	switch r := r.(type) {
	case value.String:
		switch l := l.(type) {
		case value.String:
			return value.ContainsFold(string(r), string(l))
		case *value.Regexp:
			return ev.matchRegexp(l, string(r), ref, sc, &syntax.Nop{})
		}
		return false
	case *value.Array:
		for i, x := range r.Elems {
			if i%searchStep == searchStep-1 {
				ev.budget.Spend(1, comparing)
			}
			if ev.inElement(l, x, sc, ref) {
				return true
			}
		}
		return false
	case *value.Hash:
		for i, x := range r.Entries() {
			if i%searchStep == searchStep-1 {
				ev.budget.Spend(1, comparing)
			}
			if ev.inElement(l, x.Key, sc, ref) {
				return true
			}
		}
		return false
	case *value.SemVerRange:
		return types.InRange(r, l)
	case value.Binary:
		switch l := l.(type) {
		case value.Binary:
			return strings.Contains(string(r), string(l))
		case value.String:
			return strings.Contains(string(r), string(l))
		case value.Int:
			return l >= 0 && l < 256 && strings.IndexByte(string(r), byte(l)) >= 0
		}
	}
	return false
}

func (ev *Evaluator) inElement(l, x value.Value, sc *Scope, ref provenance.Ref) bool {
	switch l := l.(type) {
	case *value.Regexp:
		s, ok := x.(value.String)
		return ok && ev.matchRegexp(l, string(s), ref, sc, &syntax.Nop{})
	case value.Type:
		return ev.judge.IsInstance(l, x)
	case value.String, *value.SemVer: // the element may be a pattern
		return ev.matches(l, x, ref, sc)
	}
	return ev.equal(x, l)
}

// number converts an operand of arithmetic. Strings that look like numbers are converted, with a warning (an error in
// Puppet 8).
func (ev *Evaluator) number(v value.Value, e syntax.Expr, sc *Scope) value.Value {
	switch v := v.(type) {
	case value.Int, value.Float, value.Timespan, value.Timestamp:
		return v
	case value.String:
		if n, ok := value.ToNumber(string(v)); ok {
			ev.strictly("E0223", e.Span(), "The string '"+string(v)+"' was automatically coerced to the numerical value "+
				value.ToString(n))
			return n
		}
	}
	ev.failf("E0224", e.Span(), "Evaluation Error: The value '%s' cannot be converted to Numeric.", rubyText(v))
	return nil
}

// rubyText is a value as Ruby's to_s has it; some of Puppet's messages show that.
func rubyText(v value.Value) string {
	switch v := v.(type) {
	case *value.Array, *value.Hash:
		return value.Inspect(v)
	case *value.Regexp:
		return "(?-mix:" + strings.TrimSuffix(strings.TrimPrefix(value.ToString(v), "/"), "/") + ")"
	}
	return value.ToString(v)
}

func (ev *Evaluator) arithmetic(e *syntax.Binary, l value.Value, lr provenance.Ref, r value.Value, rr provenance.Ref,
	sc *Scope) (value.Value, provenance.Ref) {
	switch l := l.(type) {
	case *value.Array:
		switch e.Op {
		case syntax.OpAdd:
			return ev.concatArrays(l, lr, r, rr)
		case syntax.OpSub:
			return ev.deleteFromArray(l, r), ev.op("-", ev.deep(l, lr), ev.deep(r, rr))
		case syntax.OpShl:
			b := value.NewArrayBuilder(len(l.Elems) + 1)
			b.AddAll(l)
			b.AddRef(r, rr)
			return b.Array(), lr
		}
	case *value.Hash:
		switch e.Op {
		case syntax.OpAdd:
			return ev.mergeHashes(e, l, lr, r, rr)
		case syntax.OpSub:
			return ev.deleteFromHash(l, r), ev.op("-", ev.deep(l, lr), ev.deep(r, rr))
		case syntax.OpShl:
			ev.failf("E0220", e.Left.Span(), "Evaluation Error: Operator '<<' is not applicable to a Hash.")
		}
	case *value.URI:
		if e.Op == syntax.OpAdd {
			u, err := joinURI(l, r)
			if err != nil {
				ev.runtime(e, err.Error())
			}
			return u, ev.op("+", lr, rr)
		}
	case value.Binary:
		if e.Op == syntax.OpAdd {
			b, ok := r.(value.Binary)
			if !ok {
				ev.runtime(e, "Can only append Binary to a Binary")
			}
			return l + b, ev.op("+", lr, rr)
		}
	}
	ref := ev.op(e.Op.String(), lr, rr)
	a := ev.number(l, e.Left, sc)
	b := ev.number(r, e.Right, sc)
	return ev.computed(ev.calculate(e, a, b), a, b), ref
}

func (ev *Evaluator) calculate(e *syntax.Binary, a, b value.Value) value.Value {
	x, xInt := a.(value.Int)
	y, yInt := b.(value.Int)
	if xInt && yInt {
		return ev.integers(e, int64(x), int64(y))
	}
	f, fOK := asFloat(a)
	g, gOK := asFloat(b)
	if !fOK || !gOK {
		return ev.times(e, a, b)
	}
	switch e.Op {
	case syntax.OpMod:
		if !xInt {
			ev.failf("E0220", e.Left.Span(), "Evaluation Error: Operator '%%' is not applicable to a Float.")
		}
		ev.notApplicableWhen(e, a, b)
	case syntax.OpShl, syntax.OpShr:
		if xInt {
			// Ruby truncates the shift
			return ev.integers(e, int64(x), int64(g))
		}
		ev.failf("E0220", e.Left.Span(), "Evaluation Error: Operator '%s' is not applicable to a Float.", e.Op)
	}
	var z float64
	switch e.Op {
	case syntax.OpAdd:
		z = f + g
	case syntax.OpSub:
		z = f - g
	case syntax.OpMul:
		z = f * g
	case syntax.OpDiv:
		z = f / g
	}
	if math.IsInf(z, 0) {
		ev.failf("E0225", e.Left.Span(), "Evaluation Error: The result of the %s expression is Infinity", e.Op)
	}
	return value.Float(z)
}

func asFloat(v value.Value) (float64, bool) {
	switch v := v.(type) {
	case value.Int:
		return float64(v), true
	case value.Float:
		return float64(v), true
	}
	return 0, false
}

// integers computes in 64 bits and notices every overflow; division and remainder round towards minus infinity.
func (ev *Evaluator) integers(e *syntax.Binary, x, y int64) value.Value {
	X, Y := big.NewInt(x), big.NewInt(y)
	switch e.Op {
	case syntax.OpAdd:
		if z := x + y; (z > x) == (y > 0) {
			return value.Int(z)
		}
		ev.overflow(e, X.Add(X, Y))
	case syntax.OpSub:
		if z := x - y; (z < x) == (y > 0) {
			return value.Int(z)
		}
		ev.overflow(e, X.Sub(X, Y))
	case syntax.OpMul:
		z := new(big.Int).Mul(X, Y)
		if z.IsInt64() {
			return value.Int(z.Int64())
		}
		ev.overflow(e, z)
	case syntax.OpDiv, syntax.OpMod:
		if y == 0 {
			ev.fail("E0226", e.Right.Span(), "Evaluation Error: Division by 0")
		}
		if x == math.MinInt64 && y == -1 {
			if e.Op == syntax.OpMod {
				return value.Int(0)
			}
			ev.overflow(e, X.Neg(X))
		}
		q, m := x/y, x%y
		if m != 0 && (m < 0) != (y < 0) {
			q, m = q-1, m+y
		}
		if e.Op == syntax.OpDiv {
			return value.Int(q)
		}
		return value.Int(m)
	case syntax.OpShl, syntax.OpShr:
		if e.Op == syntax.OpShr {
			y = -y
		}
		switch {
		case y <= -64:
			if x < 0 {
				return value.Int(-1)
			}
			return value.Int(0)
		case y < 0:
			return value.Int(x >> uint(-y))
		case x == 0:
			return value.Int(0)
		case y > 4096:
			y = 4096 // far out of range in any case
		}
		z := X.Lsh(X, uint(y))
		if z.IsInt64() {
			return value.Int(z.Int64())
		}
		ev.overflow(e, z)
	}
	panic("eval: unknown integer operator")
}

func (ev *Evaluator) overflow(e syntax.Expr, z *big.Int) {
	word, sign := "max", "+"
	if z.Sign() < 0 {
		word, sign = "min", "-"
	}
	name := label(e)
	at := e.Span()
	if b, ok := e.(*syntax.Binary); ok {
		at = opPlace(b.OpAt)
	}
	ev.failf("E0227", at, "Evaluation Error: A %s resulted in a value outside of Puppet Integer %s range, got '%s0x%x'",
		name, word, sign, new(big.Int).Abs(z))
}

// times is arithmetic with time spans and time stamps.
func (ev *Evaluator) times(e *syntax.Binary, a, b value.Value) value.Value {
	if _, ok := b.(value.Float); ok && e.Op == syntax.OpMod {
		ev.notApplicableWhen(e, a, b)
	}
	v, err := timeArithmetic(e.Op.String(), a, b)
	switch err {
	case nil:
	case errNotApplicable:
		ev.failf("E0220", e.Left.Span(), "Evaluation Error: Operator '%s' is not applicable to %s.", e.Op,
			article(types.Label(a)))
	case errNotApplicableWhen:
		ev.notApplicableWhen(e, a, b)
	case errZero:
		ev.fail("E0226", e.Right.Span(), "Evaluation Error: Division by 0")
	default:
		ev.runtime(e, err.Error())
	}
	return v
}

func (ev *Evaluator) notApplicableWhen(e *syntax.Binary, a, b value.Value) {
	ev.failf("E0220", e.Left.Span(), "Evaluation Error: Operator '%s' is not applicable to %s when right side is %s.",
		e.Op, article(types.Label(a)), article(types.Label(b)))
}
