package mupuppet

import (
	"math/big"
	"strconv"
	"strings"
)

// A Value is v ::= i | w | true | false | {v_H} | [v1, …, vn] | t[v]   (Figure 7).
type Value interface{ value() }

// Int is i.
//
// Differs from the paper: its ℤ has no bounds. These are Puppet's 64 bits, and an operation whose result does not fit
// is stuck, as it is an error in Puppet.
type Int int64

// Str is w.
type Str string

// Bool is true or false.
type Bool bool

// ArrayValue is [v1, …, vn].
type ArrayValue []Value

// HashValue is v_H, in the order written.
type HashValue []Pair

// A Pair is k ⇒ v.
type Pair struct{ Key, Value Value }

// RefValue is t[v].
type RefValue struct {
	Type  string
	Title Value
}

func (Int) value()        {}
func (Str) value()        {}
func (Bool) value()       {}
func (ArrayValue) value() {}
func (HashValue) value()  {}
func (RefValue) value()   {}

// with adds k ⇒ v, or replaces the value of k.
func (h HashValue) with(k, v Value) HashValue {
	for i := range h {
		if identical(h[i].Key, k) {
			h[i].Value = v
			return h
		}
	}
	return append(h, Pair{k, v})
}

// identical is syntactic equality of values, what the metatheory means by "=".
func identical(a, b Value) bool { return same(a, b, func(x, y string) bool { return x == y }) }

// equal is the == of expressions and, for the predicate caseMatch that the paper leaves abstract, the match of cases.
// Both are Puppet's: strings are compared without regard to case, also inside arrays and hashes; hash keys exactly.
//
// Differs from the paper: it gives == on integers only ("similar").
func equal(a, b Value) bool { return same(a, b, strings.EqualFold) }

// caseMatch is the predicate of the rules for selectors and case (C.2, C.4), abstract in the paper.
func caseMatch(v, pattern Value) bool { return equal(v, pattern) }

func same(a, b Value, text func(x, y string) bool) bool {
	switch a := a.(type) {
	case Int:
		b, ok := b.(Int)
		return ok && a == b
	case Bool:
		b, ok := b.(Bool)
		return ok && a == b
	case Str:
		b, ok := b.(Str)
		return ok && text(string(a), string(b))
	case RefValue:
		b, ok := b.(RefValue)
		return ok && a.Type == b.Type && identical(a.Title, b.Title)
	case ArrayValue:
		b, ok := b.(ArrayValue)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i], text) {
				return false
			}
		}
		return true
	case HashValue:
		b, ok := b.(HashValue)
		if !ok || len(a) != len(b) {
			return false
		}
		for _, p := range a {
			v, found := lookup(p.Key, b)
			if !found || !same(p.Value, v, text) {
				return false
			}
		}
		return true
	}
	panic("mupuppet: same: unknown value")
}

// lookup (C.1) returns the value of a key in a hash; false is the paper's ⊥.
func lookup(k Value, h HashValue) (Value, bool) {
	for _, p := range h {
		if identical(p.Key, k) {
			return p.Value, true
		}
	}
	return nil, false
}

// arithmetic is +_ℤ and its kin. Division and remainder round towards minus infinity and a negative shift shifts the
// other way, as in Puppet. It fails on a zero divisor and outside 64 bits.
func arithmetic(op Op, a, b Int) (Int, bool) {
	x, y, z := big.NewInt(int64(a)), big.NewInt(int64(b)), new(big.Int)
	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	case "/", "%":
		if b == 0 {
			return 0, false
		}
		q, r := new(big.Int).QuoRem(x, y, z)
		if r.Sign() != 0 && r.Sign() != y.Sign() {
			q.Sub(q, big.NewInt(1))
			r.Add(r, y)
		}
		if op == "/" {
			z = q
		}
	case "<<", ">>":
		left := (op == "<<") == (b >= 0)
		n := new(big.Int).Abs(y)
		if left && n.Cmp(big.NewInt(64)) > 0 && a != 0 {
			return 0, false
		}
		if !n.IsUint64() || n.Uint64() > 64 {
			n.SetInt64(64)
		}
		if left {
			z.Lsh(x, uint(n.Uint64()))
		} else {
			z.Rsh(x, uint(n.Uint64()))
		}
	default:
		panic("mupuppet: arithmetic: unknown operator " + string(op))
	}
	if !z.IsInt64() {
		return 0, false
	}
	return Int(z.Int64()), true
}

// order is >_ℤ and its kin.
func order(op Op, a, b Int) bool {
	switch op {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case "<=":
		return a <= b
	}
	panic("mupuppet: order: unknown operator " + string(op))
}

// kindOf names a value's kind in messages.
func kindOf(v Value) string {
	switch v.(type) {
	case Int:
		return "an integer"
	case Str:
		return "a string"
	case Bool:
		return "a boolean"
	case ArrayValue:
		return "an array"
	case HashValue:
		return "a hash"
	case RefValue:
		return "a resource reference"
	}
	panic("mupuppet: kindOf: unknown value")
}

// FormatValue writes a value as the manifest would.
func FormatValue(v Value) string {
	p := printer{limit: 1 << 30}
	p.value(v)
	return p.b.String()
}

// quote writes a string literal: in single quotes, or in double quotes when it has control characters.
func quote(s string) string {
	if strings.ContainsAny(s, "\n\t\r") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s) + `"`
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func itoa(i int64) string { return strconv.FormatInt(i, 10) }
