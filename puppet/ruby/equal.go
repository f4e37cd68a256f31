package ruby

import (
	"math"
	"math/big"
	"strings"
)

// A pair is two containers that are being compared.
type pair struct{ a, b Object }

// comparing reports whether two containers are being compared already, further out: they contain themselves. Otherwise
// they are from now on, until compared.
func (in *Interp) comparing(a, b Object) bool {
	for _, p := range in.pairs {
		if p.a == a && p.b == b {
			return true
		}
	}
	in.enter()
	in.charge(len(in.pairs) >> 3)
	in.pairs = append(in.pairs, pair{a, b})
	return false
}

func (in *Interp) compared() {
	in.leave()
	in.pairs = in.pairs[:len(in.pairs)-1]
}

// equal is a == b.
func (in *Interp) equal(a, b Object) bool {
	in.charge(1)
	look(a)
	look(b)
	switch x := a.(type) {
	case Nil, nil:
		return isNil(b)
	case Bool:
		y, ok := b.(Bool)
		return ok && x == y
	case Int, Float, *Big:
		c, ok := compareNumbers(a, b)
		return ok && c == 0
	case Symbol:
		y, ok := b.(Symbol)
		return ok && x == y
	case *HashCode:
		y, ok := b.(*HashCode)
		return ok && x.of == y.of
	case *String:
		y, ok := b.(*String)
		if !ok || x.len() != y.len() {
			return false
		}
		in.charge(x.len() >> 8)
		return x.String() == y.String()
	case *Array:
		y, ok := b.(*Array)
		if !ok {
			return false
		}
		if x == y {
			return true
		}
		xs, ys := x.els(), y.els()
		if len(xs) != len(ys) {
			return false
		}
		if in.comparing(x, y) {
			return true
		}
		defer in.compared()
		for i := range xs {
			if !in.equal(xs[i], ys[i]) {
				return false
			}
		}
		return true
	case *Hash:
		y, ok := b.(*Hash)
		if !ok {
			return false
		}
		if x == y {
			return true
		}
		if x.len() != y.len() {
			return false
		}
		if in.comparing(x, y) {
			return true
		}
		defer in.compared()
		for _, e := range x.pairs() {
			v, has := y.get(e.key)
			if !has || !in.equal(e.val, v) {
				return false
			}
		}
		return true
	case *Range:
		y, ok := b.(*Range)
		return ok && x.excl == y.excl && in.equal(x.lo, y.lo) && in.equal(x.hi, y.hi)
	case *Regexp:
		y, ok := b.(*Regexp)
		return ok && x.src == y.src && x.flags == y.flags
	case *Set:
		y, ok := b.(*Set)
		if !ok || x.h.len() != y.h.len() {
			return false
		}
		for _, k := range x.h.keys() {
			if _, has := y.h.get(k); !has {
				return false
			}
		}
		return true
	case *Foreign:
		y, ok := b.(*Foreign)
		return ok && x.equal(y)
	case *Instance:
		if m := in.findFor(x, "=="); m != nil && m.owner != in.rt.kernel {
			return truthy(in.invoke(m, x, []Object{b}, nil))
		}
	case *IPAddr:
		y, ok := b.(*IPAddr)
		return ok && x.p.Addr() == y.p.Addr()
	case *Native:
		return a == b
	}
	return a == b
}

// eql is a.eql?(b), as hash keys compare.
func (in *Interp) eql(a, b Object) bool { return in.keyOf(a) == in.keyOf(b) }

// compareNumbers orders two numbers; ok is false when one is none, or NaN.
func compareNumbers(a, b Object) (int, bool) {
	switch x := a.(type) {
	case Int:
		switch y := b.(type) {
		case Int:
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		case Float:
			return compareIntFloat(big.NewInt(int64(x)), float64(y))
		case *Big:
			return -y.n.Sign(), true
		}
	case Float:
		switch y := b.(type) {
		case Float:
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			case x == y:
				return 0, true
			}
			return 0, false
		case Int, *Big:
			c, ok := compareIntFloat(toBig(y), float64(x))
			return -c, ok
		}
	case *Big:
		switch y := b.(type) {
		case Int, *Big:
			return x.n.Cmp(toBig(y)), true
		case Float:
			return compareIntFloat(x.n, float64(y))
		}
	}
	return 0, false
}

func compareIntFloat(n *big.Int, f float64) (int, bool) {
	switch {
	case math.IsNaN(f):
		return 0, false
	case math.IsInf(f, 1):
		return -1, true
	case math.IsInf(f, -1):
		return 1, true
	}
	return new(big.Float).SetInt(n).Cmp(big.NewFloat(f)), true
}

// compare is a <=> b; ok is false for nil.
func (in *Interp) compare(a, b Object) (int, bool) {
	in.charge(1)
	look(a)
	look(b)
	switch x := a.(type) {
	case Int, Float, *Big:
		return compareNumbers(a, b)
	case *String:
		if y, ok := b.(*String); ok {
			in.charge(min(x.len(), y.len()) >> 8)
			return strings.Compare(x.String(), y.String()), true
		}
		return 0, false
	case Symbol:
		if y, ok := b.(Symbol); ok {
			return strings.Compare(string(x), string(y)), true
		}
		return 0, false
	case *Array:
		y, ok := b.(*Array)
		if !ok {
			return 0, false
		}
		if x == y {
			return 0, true
		}
		xs, ys := x.els(), y.els()
		if in.comparing(x, y) {
			return compareNumbers(Int(len(xs)), Int(len(ys)))
		}
		defer in.compared()
		for i := 0; i < len(xs) && i < len(ys); i++ {
			c, ok := in.compare(xs[i], ys[i])
			if !ok || c != 0 {
				return c, ok
			}
		}
		return compareNumbers(Int(len(xs)), Int(len(ys)))
	case Nil, nil:
		if isNil(b) {
			return 0, true
		}
		return 0, false
	case Bool:
		if y, ok := b.(Bool); ok && x == y {
			return 0, true
		}
		return 0, false
	}
	if m := in.findFor(a, "<=>"); m != nil {
		if n, ok := in.invoke(m, a, []Object{b}, nil).(Int); ok {
			return int(n), true
		}
	}
	return 0, false
}

// order is compare for sorting, which raises when two cannot be compared.
func (in *Interp) order(a, b Object) int {
	c, ok := in.compare(a, b)
	if !ok {
		in.raise("ArgumentError", "comparison of %s with %s failed", in.classOf(a).name, in.comparand(b))
	}
	return c
}

// comparand is how a failed comparison shows the other side: special constants by inspect, others by class.
func (in *Interp) comparand(b Object) string {
	switch b := b.(type) {
	case Int:
		if b >= 1<<62 || b < -1<<62 {
			return "Integer" // it is no immediate value in Ruby
		}
		return in.inspectOf(b)
	case Nil, Bool, Float, Symbol, nil:
		return in.inspectOf(b)
	}
	return in.classOf(b).name
}

// orderOf reads the answer of a block that compares.
func (in *Interp) orderOf(v, a, b Object) int {
	switch v := v.(type) {
	case Int:
		switch {
		case v < 0:
			return -1
		case v > 0:
			return 1
		}
		return 0
	case Float:
		switch {
		case v < 0:
			return -1
		case v > 0:
			return 1
		}
		return 0
	case *Big:
		return v.n.Sign()
	}
	in.raise("ArgumentError", "comparison of %s with %s failed", in.classOf(a).name, in.comparand(b))
	return 0
}
