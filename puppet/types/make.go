package types

import (
	"sort"

	"bunraku/puppet/value"
)

// Range is the integers from lo to hi.
func Range(lo, hi int64) *Integer { return &Integer{From: lo, To: hi} }

// exactly is the range up to hi, even where hi is the greatest integer.
func exactly(lo, hi int64) *Integer { return &Integer{From: lo, To: hi, Closed: hi == NoMax} }

// span is the least range that holds two.
func span(a, b *Integer) *Integer {
	hi := max(a.To, b.To)
	return &Integer{From: min(a.From, b.From), To: hi, Closed: hi == NoMax && !a.open() && !b.open()}
}

// toSize makes a range usable as a size: nothing below zero.
func toSize(i *Integer) *Integer {
	if i == nil || i.From >= 0 {
		return i
	}
	return Range(0, max(i.To, 0))
}

// NewArray is Array[elem, size]; nil is "not given".
func NewArray(elem T, size *Integer) *Array {
	if size != nil && size.From == 0 && size.To == 0 {
		elem = UnitT
	} else if elem == nil {
		elem = AnyT
	}
	return &Array{Elem: elem, Size: toSize(size)}
}

// NewHash is Hash[key, val, size].
func NewHash(key, val T, size *Integer) *Hash {
	if size != nil && size.From == 0 && size.To == 0 {
		key, val = UnitT, UnitT
	}
	if key == nil {
		key = AnyT
	}
	if val == nil {
		val = AnyT
	}
	return &Hash{Key: key, Val: val, Size: toSize(size)}
}

// NewTuple is Tuple[types, size].
func NewTuple(ts []T, size *Integer) *Tuple { return &Tuple{Types: ts, Size: toSize(size)} }

// NewEnum is Enum[values], sorted and without doubles.
func NewEnum(values []string, fold bool) *Enum {
	vs := append([]string(nil), values...)
	sort.Strings(vs)
	out := vs[:0]
	for i, v := range vs {
		if i == 0 || v != vs[i-1] {
			out = append(out, v)
		}
	}
	return &Enum{Values: out, Fold: fold}
}

// NewVariant is Variant[types]: nested variants are dissolved, doubles dropped, and a single type stands for itself.
func NewVariant(ts ...T) T {
	ts = uniqTypes(flattenVariants(ts))
	if len(ts) == 1 {
		return ts[0]
	}
	return &Variant{Types: ts}
}

func flattenVariants(ts []T) []T {
	nested := false
	for _, t := range ts {
		if _, is := t.(*Variant); is {
			nested = true
		}
	}
	if !nested {
		return ts
	}
	var out []T
	for _, t := range ts {
		if v, is := t.(*Variant); is {
			out = append(out, v.Types...)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// uniqTypes drops types that are there already. The types of literals, of which an array may have a great many, are
// told apart by what they are; only the others are compared with each other.
func uniqTypes(ts []T) []T {
	if len(ts) < 2 {
		return ts
	}
	var seen map[any]bool
	if len(ts) > 8 {
		seen = make(map[any]bool, len(ts))
	}
	others := map[any][]T{} // by what equal types have in common
	out := ts[:0:0]
	for i, t := range ts {
		k := literalKey(t)
		double := false
		switch {
		case seen == nil:
			double = containsType(ts[:i], t)
		case k != nil:
			double = seen[k]
			seen[k] = true
		default:
			like := shapeKey(t)
			if double = containsType(others[like], t); !double {
				others[like] = append(others[like], t)
			}
		}
		if !double {
			out = append(out, t)
		}
	}
	if len(out) == len(ts) {
		return ts
	}
	return out
}

// literalKey is what tells the type of one string, or a range of integers, from others; nil for other types.
func literalKey(t T) any {
	switch t := t.(type) {
	case *String:
		if t.Val != nil && t.Size == nil {
			return *t.Val
		}
	case *Integer:
		return [2]int64{t.From, t.To}
	}
	return nil
}

// shapeKey is something that equal types have in common, and most others have not: the types of a great many arrays, of
// hashes or of other things that an array holds are told apart by it.
func shapeKey(t T) any {
	switch t := t.(type) {
	case *Tuple:
		if len(t.Types) > 0 {
			return [3]any{"tuple", len(t.Types), literalKey(t.Types[0])}
		}
	case *Struct:
		if len(t.Elems) > 0 {
			return [4]any{"struct", len(t.Elems), literalKey(t.Elems[0].Key), literalKey(t.Elems[0].Val)}
		}
	}
	return nil
}

func containsType(ts []T, t T) bool {
	for _, x := range ts {
		if x.EqualType(t) {
			return true
		}
	}
	return false
}

// Literal is the type of one string.
func Literal(s string) *String { return &String{Val: &s} }

// NewOptional is Optional[t].
func NewOptional(t T) *Optional { return &Optional{T: t} }

// NewNotUndef is NotUndef[t]; NotUndef[Any] is plain NotUndef.
func NewNotUndef(t T) *NotUndef {
	if _, any := t.(*Any); any {
		t = nil
	}
	return &NotUndef{T: t}
}

// NewSensitive is Sensitive[t], generalized as Puppet does.
func NewSensitive(t T) *Sensitive {
	if t == nil {
		return SensitiveT
	}
	return &Sensitive{T: Generalize(t)}
}

// NewCallable makes a callable; Any as return type is the same as none.
func NewCallable(params *Tuple, block, ret T) *Callable {
	if _, any := ret.(*Any); any {
		ret = nil
	}
	return &Callable{Params: params, Block: block, Return: ret}
}

// NewResource is Type[title], without a title when hasTitle is false.
func NewResource(typ, title string, hasTitle bool) *Resource {
	return &Resource{Type: typ, Title: title, HasTitle: hasTitle}
}

// Ref is the reference File['x'] for a type name in any case.
func Ref(typ, title string) *Resource {
	return NewResource(value.CapitalizeSegments(typ), title, true)
}

// name is the key of a struct element.
func (e *Element) Name() string {
	k := e.Key
	if o, is := k.(*Optional); is {
		k = o.T
	}
	if s, is := k.(*String); is && s.Val != nil {
		return *s.Val
	}
	return ""
}

// optional reports whether the key may be absent.
func (e *Element) optional() bool { return Assignable(e.Key, UndefT) }

// sizeRange is the least and greatest number of elements.
func (t *Tuple) sizeRange() *Integer {
	if t.Size != nil {
		return t.Size
	}
	if n := int64(len(t.Types)); n > 0 {
		return Range(n, n)
	}
	return anySize
}

// at is the type of element i.
func (t *Tuple) at(i int) T {
	if i < len(t.Types) {
		return t.Types[i]
	}
	return t.Types[len(t.Types)-1]
}

func orAnySize(i *Integer) *Integer {
	if i == nil {
		return anySize
	}
	return i
}

func (i *Integer) contains(n int64) bool { return n >= i.From && n <= i.To }
func (i *Integer) covers(o *Integer) bool {
	return i.From <= o.From && i.To >= o.To && (i.open() || !o.open())
}
func (i *Integer) open() bool      { return i.To == NoMax && !i.Closed }
func (i *Integer) unbounded() bool { return i.From == NoMin && i.open() }
func (i *Integer) finite() bool    { return i.From != NoMin && !i.open() }
func (s *String) derivedSize() *Integer {
	switch {
	case s.Size != nil:
		return s.Size
	case s.Val != nil:
		n := int64(value.CharLen(*s.Val))
		return Range(n, n)
	}
	return anySize
}
