package types

import (
	"math"

	"bunraku/puppet/value"
)

// Generalize drops what is particular to values: ranges, sizes, literal strings.
func Generalize(t T) T {
	switch t := t.(type) {
	case nil:
		return nil
	case *Integer:
		return IntegerT
	case *Float:
		return FloatT
	case *String:
		return StringT
	case *Boolean:
		return BooleanT
	case *Enum:
		if len(t.Values) == 0 {
			return StringT
		}
		lo, hi := int64(math.MaxInt64), int64(0)
		for _, v := range t.Values {
			n := int64(value.CharLen(v))
			lo, hi = min(lo, n), max(hi, n)
		}
		return &String{Size: Range(lo, hi)}
	case *Collection:
		return CollectionT
	case *Array:
		if _, any := t.Elem.(*Any); any {
			return ArrayT
		}
		return NewArray(Generalize(t.Elem), nil)
	case *Hash:
		if t.EqualType(HashT) || t.isEmptyHash() {
			return t
		}
		return NewHash(Generalize(t.Key), Generalize(t.Val), nil)
	case *Tuple:
		if ts, changed := mapTypes(t.Types, Generalize); changed {
			return NewTuple(ts, t.Size)
		}
		return t
	case *Struct:
		return mapStruct(t, Generalize)
	case *Variant:
		if ts, changed := mapTypes(t.Types, Generalize); changed {
			return NewVariant(ts...)
		}
		return t
	case *Callable:
		return mapCallable(t, Generalize)
	case *NotUndef:
		return &NotUndef{T: Generalize(t.T)}
	case *Optional:
		return &Optional{T: Generalize(t.T)}
	case *Type:
		return &Type{T: Generalize(t.T)}
	case *Iterable:
		return &Iterable{T: Generalize(t.T)}
	case *Iterator:
		return &Iterator{T: Generalize(t.T)}
	case *Sensitive:
		return &Sensitive{T: Generalize(t.T)}
	case *Timespan:
		return TimespanT
	case *Timestamp:
		return TimestampT
	case *URI:
		return URIT
	case *ObjectExt:
		return t.Base
	}
	return t
}

func mapTypes(ts []T, f func(T) T) (out []T, changed bool) {
	out = make([]T, len(ts))
	for i, t := range ts {
		out[i] = f(t)
		changed = changed || out[i] != t
	}
	return out, changed
}

func mapStruct(t *Struct, f func(T) T) *Struct {
	changed := false
	out := make([]Element, len(t.Elems))
	for i, e := range t.Elems {
		out[i] = Element{e.Key, f(e.Val)}
		changed = changed || out[i].Val != e.Val
	}
	if !changed {
		return t
	}
	return &Struct{Elems: out}
}

func mapCallable(t *Callable, f func(T) T) *Callable {
	c := &Callable{}
	if t.Params != nil {
		c.Params = f(t.Params).(*Tuple)
	}
	if t.Block != nil {
		c.Block = f(t.Block)
	}
	if t.Return != nil {
		c.Return = f(t.Return)
	}
	if c.Params == t.Params && c.Block == t.Block && c.Return == t.Return {
		return t
	}
	return c
}

// Normalize brings a type to a simpler equivalent: merged enums and ranges, no doubled Optional, and so on. Mismatch
// messages and aliases use it. Like Puppet's, it forgets the size of an Array[Any].
func Normalize(t T) T {
	switch t := t.(type) {
	case nil:
		return nil
	case *Collection:
		return CollectionT
	case *Array:
		if _, any := t.Elem.(*Any); any {
			return ArrayT
		}
		if n := Normalize(t.Elem); n != t.Elem {
			return NewArray(n, t.Size)
		}
		return t
	case *Hash:
		if t.EqualType(HashT) || t.isEmptyHash() {
			return t
		}
		k, v := Normalize(t.Key), Normalize(t.Val)
		if t.Size == nil && k == t.Key && v == t.Val {
			return t
		}
		return NewHash(k, v, t.Size)
	case *Tuple:
		if ts, changed := mapTypes(t.Types, Normalize); changed {
			return NewTuple(ts, t.Size)
		}
		return t
	case *Struct:
		return mapStruct(t, Normalize)
	case *Callable:
		return mapCallable(t, Normalize)
	case *Type:
		if n := Normalize(t.T); n != t.T {
			return &Type{T: n}
		}
		return t
	case *Iterable:
		if n := Normalize(t.T); n != t.T {
			return &Iterable{T: n}
		}
		return t
	case *Iterator:
		if n := Normalize(t.T); n != t.T {
			return &Iterator{T: n}
		}
		return t
	case *Sensitive:
		if n := Normalize(t.T); n != t.T {
			return NewSensitive(n)
		}
		return t
	case *NotUndef:
		if t.T == nil {
			return t
		}
		n := Normalize(t.T)
		if o, is := n.(*Optional); is {
			return Normalize(NewNotUndef(o.T))
		}
		if !Assignable(n, UndefT) {
			return n
		}
		if n == t.T {
			return t
		}
		return NewNotUndef(n)
	case *Optional:
		if t.T == nil {
			return t
		}
		n := Normalize(t.T)
		if o, is := n.(*NotUndef); is {
			return Normalize(&Optional{T: o.T})
		}
		if Assignable(n, UndefT) {
			return n
		}
		if n == t.T {
			return t
		}
		return &Optional{T: n}
	case *Variant:
		return normalizeVariant(t)
	}
	return t
}

func normalizeVariant(t *Variant) T {
	if len(t.Types) == 0 {
		return t
	}
	ts, modified := mapTypes(t.Types, Normalize)
	if len(ts) == 1 {
		return ts[0]
	}
	optional := false
	var rest []T
	for _, x := range ts {
		switch x := x.(type) {
		case *Undef:
			optional = true
		case *Optional:
			optional = true
			if x.T != nil {
				rest = append(rest, x.T)
			}
		default:
			rest = append(rest, x)
		}
	}
	if optional {
		return Normalize(&Optional{T: NewVariant(rest...)})
	}
	ts = flattenVariants(ts)
	size := len(ts)
	ts = mergeNotUndefs(ts)
	ts = mergeEnums(ts)
	ts = mergePatterns(ts)
	ts = mergeVersions(ts)
	ts = mergeRanges(ts, isA[*Integer], mergeIntegers)
	ts = mergeRanges(ts, isA[*Float], mergeFloats)
	ts = mergeRanges(ts, isA[*Timespan], mergeTimespans)
	if len(ts) == 1 {
		return ts[0]
	}
	if modified || len(ts) != size {
		return NewVariant(ts...)
	}
	return t
}

func isA[K any](t T) bool { return sameKind[K](t) }

func partition(ts []T, is func(T) bool) (in, out []T) {
	for _, t := range ts {
		if is(t) {
			in = append(in, t)
		} else {
			out = append(out, t)
		}
	}
	return in, out
}

func mergeNotUndefs(ts []T) []T {
	in, out := partition(ts, isA[*NotUndef])
	if len(in) < 2 {
		return ts
	}
	var inner []T
	for _, t := range in {
		inner = append(inner, orAny(t.(*NotUndef).T))
	}
	return append(out, NewNotUndef(Normalize(NewVariant(inner...))))
}

func mergeEnums(ts []T) []T {
	in, out := partition(ts, func(t T) bool {
		switch t := t.(type) {
		case *Enum:
			return len(t.Values) > 0 && !t.Fold
		case *String:
			return t.Val != nil
		}
		return false
	})
	if len(in) > 1 {
		var vs []string
		for _, t := range in {
			switch t := t.(type) {
			case *Enum:
				vs = append(vs, t.Values...)
			case *String:
				vs = append(vs, *t.Val)
			}
		}
		ts = append(out, NewEnum(vs, false))
	}
	in, out = partition(ts, func(t T) bool {
		e, is := t.(*Enum)
		return is && len(e.Values) > 0 && e.Fold
	})
	if len(in) > 1 {
		var vs []string
		for _, t := range in {
			for _, v := range t.(*Enum).Values {
				vs = append(vs, value.Downcase(v))
			}
		}
		ts = append(out, NewEnum(vs, true))
	}
	return ts
}

func mergePatterns(ts []T) []T {
	in, out := partition(ts, isA[*Pattern])
	if len(in) < 2 {
		return ts
	}
	var rs []*Regexp
	for _, t := range in {
		rs = unionRegexps(rs, t.(*Pattern).Regexps)
	}
	return append(out, &Pattern{Regexps: rs})
}

func mergeVersions(ts []T) []T {
	in, out := partition(ts, isA[*SemVer])
	if len(in) < 2 {
		return ts
	}
	var rs []*value.SemVerRange
	for _, t := range in {
		rs = append(rs, t.(*SemVer).Ranges...)
	}
	return append([]T{NewSemVer(rs)}, out...)
}

// NewSemVer is SemVer[ranges]; ranges that touch become one.
func NewSemVer(rs []*value.SemVerRange) *SemVer {
	if len(rs) < 2 {
		return &SemVer{Ranges: rs}
	}
	rs = append([]*value.SemVerRange(nil), rs...)
	var out []*value.SemVerRange
	for len(rs) > 0 {
		x := rs[len(rs)-1]
		var rest []*value.SemVerRange
		for _, y := range rs[:len(rs)-1] {
			if m, ok := x.Merge(y); ok {
				x = m
			} else {
				rest = append(rest, y)
			}
		}
		out = append([]*value.SemVerRange{x}, out...)
		rs = rest
	}
	return &SemVer{Ranges: out}
}

// mergeRanges joins ranges of one kind that overlap or touch; they come first afterwards, as Puppet puts them.
func mergeRanges(ts []T, is func(T) bool, merge func(a, b T) T) []T {
	in, out := partition(ts, is)
	if len(in) < 2 {
		return ts
	}
	var merged []T
	for len(in) > 0 {
		x := in[len(in)-1]
		var rest []T
		for _, y := range in[:len(in)-1] {
			if m := merge(x, y); m != nil {
				x = m
			} else {
				rest = append(rest, y)
			}
		}
		merged = append(merged, x)
		in = rest
	}
	return append(merged, out...)
}

func mergeIntegers(x, y T) T {
	a, b := x.(*Integer), y.(*Integer)
	apart := a.To < b.From || b.To < a.From
	adjacent := a.To != NoMax && a.To+1 == b.From || b.To != NoMax && b.To+1 == a.From
	if apart && !adjacent {
		return nil
	}
	return span(a, b)
}

func mergeFloats(x, y T) T {
	a, b := x.(*Float), y.(*Float)
	if a.To < b.From || b.To < a.From {
		return nil
	}
	return &Float{From: math.Min(a.From, b.From), To: math.Max(a.To, b.To)}
}

func mergeTimespans(x, y T) T {
	a, b := x.(*Timespan), y.(*Timespan)
	if a.To != nil && b.From != nil && *a.To < *b.From || b.To != nil && a.From != nil && *b.To < *a.From {
		return nil
	}
	m := &Timespan{}
	if a.From != nil && b.From != nil {
		m.From = ptr(min(*a.From, *b.From))
	}
	if a.To != nil && b.To != nil {
		m.To = ptr(max(*a.To, *b.To))
	}
	return m
}
