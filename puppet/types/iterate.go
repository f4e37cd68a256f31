package types

import (
	"iter"
	"unicode/utf8"

	"bunraku/puppet/value"
)

// isIterable reports whether instances of t can be walked.
func isIterable(t T, g *guard) bool {
	switch t := t.(type) {
	case *Enum, *Integer, *Collection, *Array, *Hash, *Iterable, *Iterator, *String, *Struct, *Tuple:
		return true
	case *Type:
		switch x := t.T.(type) {
		case *Enum:
			return true
		case *Integer:
			return x.finite()
		}
	case *Alias:
		if !t.recursive {
			return isIterable(t.To, g)
		}
		g = g.guarding()
		state, added := g.enterThis(t)
		ok := state&inThis == 0 && isIterable(t.To, g)
		g.leaveThis(t, added)
		return ok
	case *Object:
		return t.Parent != nil && isIterable(t.Parent, g)
	}
	return false
}

// iterableOf is the Iterable that t is, or nil.
func iterableOf(t T, g *guard) *Iterable {
	switch t := t.(type) {
	case *Enum, *String:
		return &Iterable{T: oneChar}
	case *Integer:
		return &Iterable{T: IntegerT}
	case *Array:
		if _, any := t.Elem.(*Any); any {
			return IterableT
		}
		return &Iterable{T: t.Elem}
	case *Hash:
		if t.EqualType(HashT) || t.isEmptyHash() {
			return &Iterable{T: defaultPair}
		}
		return &Iterable{T: NewTuple([]T{t.Key, t.Val}, pairSize)}
	case *Iterable:
		return t
	case *Iterator:
		return &Iterable{T: t.T}
	case *Struct:
		if len(t.Elems) == 0 {
			return &Iterable{T: defaultPair}
		}
		var ks, vs []T
		for i := range t.Elems {
			ks, vs = append(ks, t.Elems[i].Key), append(vs, t.Elems[i].Val)
		}
		return &Iterable{T: NewTuple([]T{NewVariant(ks...), NewVariant(vs...)}, pairSize)}
	case *Tuple:
		return &Iterable{T: NewVariant(t.Types...)}
	case *Type:
		switch x := t.T.(type) {
		case *Enum:
			return &Iterable{T: x}
		case *Integer:
			if x.finite() {
				return &Iterable{T: x}
			}
		}
	case *Alias:
		if !t.recursive {
			return iterableOf(t.To, g)
		}
		g = g.guarding()
		state, added := g.enterThis(t)
		var it *Iterable
		if state&inThis == 0 {
			it = iterableOf(t.To, g)
		}
		g.leaveThis(t, added)
		return it
	}
	return nil
}

// IterableOn is the sequence that walking v gives, or nil when v cannot be walked: characters of a string, elements of
// an array, [key, value] pairs of a hash, 0 to n-1 of an integer, the members of an Integer range or Enum type.
func IterableOn(v value.Value) *value.Iterator {
	switch v := v.(type) {
	case *value.Iterator:
		return v
	case value.String:
		return newIterator(oneChar, func(yield func(value.Value) bool) {
			for s := string(v); s != ""; {
				_, n := utf8.DecodeRuneInString(s)
				if !yield(value.String(s[:n])) {
					return
				}
				s = s[n:]
			}
		})
	case *value.Array:
		var elem T = UnitT
		if v.Len() > 0 {
			ts := make([]T, v.Len())
			for i, e := range v.Elems {
				ts[i] = InferSet(e)
			}
			elem = NewVariant(ts...)
		}
		return newIterator(elem, sliceSeq(v.Elems))
	case *value.Hash:
		var elem T = defaultPair
		if v.Len() > 0 {
			ks, vs := make([]T, v.Len()), make([]T, v.Len())
			for i, e := range v.Entries() {
				ks[i], vs[i] = InferSet(e.Key), InferSet(e.Value)
			}
			elem = NewTuple([]T{NewVariant(ks...), NewVariant(vs...)}, pairSize)
		}
		it := newIterator(elem, sliceSeq(v.Pairs().Elems))
		it.Pairs = true
		return it
	case value.Int:
		switch {
		case v == 0:
			return newIterator(UnitT, func(func(value.Value) bool) {})
		case v > 0:
			return rangeIterator(Range(0, int64(v)-1), 1)
		}
	case *Integer:
		if v.finite() {
			return rangeIterator(v, 1)
		}
	case *Enum:
		return newIterator(v, sliceSeq(value.Strings(v.Values...).Elems))
	case *Alias:
		if v.To != nil {
			return IterableOn(v.To)
		}
	}
	return nil
}

func newIterator(elem T, seq iter.Seq[value.Value]) *value.Iterator {
	return &value.Iterator{Elem: elem, General: Generalize(elem), Seq: seq}
}

func sliceSeq(vs []value.Value) iter.Seq[value.Value] {
	return func(yield func(value.Value) bool) {
		for _, v := range vs {
			if !yield(v) {
				return
			}
		}
	}
}

// rangeIterator walks a range of integers; a negative step walks it downwards.
func rangeIterator(r *Integer, step int64) *value.Iterator {
	return newIterator(r, func(yield func(value.Value) bool) {
		if step > 0 {
			for n := r.From; n <= r.To; n += step {
				if !yield(value.Int(n)) || n > r.To-step {
					return
				}
			}
			return
		}
		for n := r.To; n >= r.From; n += step {
			if !yield(value.Int(n)) || n < r.From-step {
				return
			}
		}
	})
}

// ReverseEach walks v backwards.
func ReverseEach(v value.Value) *value.Iterator {
	if n, is := v.(value.Int); is && n > 0 {
		return rangeIterator(Range(0, int64(n)-1), -1)
	}
	if r, is := v.(*Integer); is && r.finite() {
		return rangeIterator(r, -1)
	}
	it := IterableOn(v)
	if it == nil {
		return nil
	}
	back := *it
	back.Seq = func(yield func(value.Value) bool) {
		vs := it.Array().Elems
		for i := len(vs) - 1; i >= 0; i-- {
			if !yield(vs[i]) {
				return
			}
		}
	}
	back.Pairs = false
	return &back
}

// Step takes every n-th element of v, beginning with the first.
func Step(v value.Value, n int64) *value.Iterator {
	it := IterableOn(v)
	if it == nil || n <= 1 {
		return it
	}
	if r, is := it.Elem.(*Integer); is && (isIntIterable(v)) {
		// The range that is walked ends at the last element that is reached.
		return rangeIterator(Range(r.From, r.To-(r.To-r.From)%n), n)
	}
	stepped := *it
	stepped.Seq = func(yield func(value.Value) bool) {
		i := int64(0)
		for v := range it.Seq {
			if i%n == 0 && !yield(v) {
				return
			}
			i++
		}
	}
	stepped.Pairs = false
	return &stepped
}

func isIntIterable(v value.Value) bool {
	switch v.(type) {
	case value.Int, *Integer:
		return true
	}
	return false
}
