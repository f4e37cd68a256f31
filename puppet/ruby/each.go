package ruby

import (
	"math"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/ruby/syntax"
)

// each calls f with the elements of anything that can be enumerated; f returns false to stop.
func (in *Interp) each(o Object, f func(Object) bool) {
	switch o := o.(type) {
	case *Array:
		for i := 0; i < len(o.els()); i++ {
			in.step()
			if !f(o.e[i]) {
				return
			}
		}
		return
	case *Hash:
		o.each(func(k, v Object) bool {
			in.step()
			return f(in.array([]Object{k, v}))
		})
		return
	case *Set:
		for _, k := range o.h.keys() {
			in.step()
			if !f(k) {
				return
			}
		}
		return
	case *Range:
		in.eachRange(o, f)
		return
	}
	stop := &Proc{}
	p := &Proc{arity: -1}
	p.native = func(args []Object) Object {
		if !f(packed(in, args)) {
			panic(&jump{kind: "break", target: stop, value: Nil{}})
		}
		return Nil{}
	}
	var ignore Object
	in.catchBreak(stop, &ignore, func() {
		if e, ok := o.(*Enumerator); ok {
			in.send(e.recv, e.name, e.args, p)
			return
		}
		in.send(o, "each", nil, p)
	})
}

// packed is several yielded values as one.
func packed(in *Interp, args []Object) Object {
	switch len(args) {
	case 0:
		return Nil{}
	case 1:
		return args[0]
	}
	return in.array(args)
}

// items are all elements.
func (in *Interp) items(o Object) []Object {
	if a, ok := o.(*Array); ok {
		return a.els()
	}
	var out []Object
	in.each(o, func(e Object) bool {
		out = append(out, e)
		in.room(16)
		if size := 16 * len(out); size > in.limits.Size {
			in.room(size) // no array may be as long
		}
		return true
	})
	return out
}

func (in *Interp) eachRange(r *Range, f func(Object) bool) {
	switch lo := r.lo.(type) {
	case Int, *Big:
		hi := r.hi
		if fl, ok := hi.(Float); ok && math.IsInf(float64(fl), 1) {
			hi = Nil{}
		}
		for v := Object(lo); ; v = in.arith("+", v, Int(1)) {
			in.step()
			if !isNil(hi) {
				n, ok := compareNumbers(v, hi)
				if !ok || n > 0 || n == 0 && r.excl {
					return
				}
			}
			if !f(v) {
				return
			}
		}
	case *String:
		if isNil(r.hi) {
			for s := lo.String(); ; s = succ(s) {
				in.step()
				if !f(in.str(s)) {
					return
				}
			}
		}
		in.stringRange(lo.String(), in.toStr(r.hi), r.excl, func(s string) bool { return f(in.str(s)) })
		return
	case Symbol:
		hi, _ := stringOrSymbol(r.hi)
		in.stringRange(string(lo), hi, r.excl, func(s string) bool { return f(Symbol(s)) })
		return
	}
	if in.responds(r.lo, "succ") {
		for v := r.lo; ; v = in.send(v, "succ", nil, nil) {
			n, ok := in.compare(v, r.hi)
			if !ok || n > 0 || n == 0 && r.excl {
				return
			}
			if !f(v) {
				return
			}
		}
	}
	in.raise("TypeError", "can't iterate from %s", in.classOf(r.lo).name)
}

// stringRange walks from lo to hi by succ, as "a".."zz" does.
func (in *Interp) stringRange(lo, hi string, excl bool, f func(string) bool) {
	if len(lo) == 1 && len(hi) == 1 && lo[0] < utf8.RuneSelf && hi[0] < utf8.RuneSelf {
		for c := int(lo[0]); c <= int(hi[0]); c++ {
			if excl && c == int(hi[0]) {
				return
			}
			if !f(string(rune(c))) {
				return
			}
		}
		return
	}
	if digitsOnly(lo) && digitsOnly(hi) && len(lo) <= len(hi) && len(hi) < 18 {
		a, b := in.looseInt(lo, 10).(Int), in.looseInt(hi, 10).(Int)
		width := len(lo)
		for ; a <= b; a++ {
			in.step()
			if excl && a == b {
				return
			}
			s := in.toS(a)
			if len(s) < width {
				s = strings.Repeat("0", width-len(s)) + s
			}
			if !f(s) {
				return
			}
		}
		return
	}
	if n := strings.Compare(lo, hi); n > 0 || excl && n == 0 {
		return
	}
	after := succ(hi)
	for s := lo; ; s = succ(s) {
		in.step()
		if excl && s == hi {
			return
		}
		if !f(s) {
			return
		}
		if !excl && s == hi {
			return
		}
		next := succ(s)
		if next == after || len(next) > len(hi) || next == "" {
			return
		}
	}
}

func digitsOnly(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !syntax.IsDigit(s[i]) {
			return false
		}
	}
	return true
}
