package types

import (
	"math"

	"bunraku/puppet/value"
)

// Infer is the one type that describes v; an array's elements are reduced to their common type.
func Infer(v value.Value) T {
	switch v := v.(type) {
	case value.String:
		s := string(v)
		return &String{Val: &s}
	case value.Int:
		return exactly(int64(v), int64(v))
	case value.Float:
		return &Float{From: float64(v), To: float64(v)}
	case value.Bool:
		if v {
			return TrueT
		}
		return FalseT
	case value.Undef, nil:
		return UndefT
	case value.Default:
		return DefaultT
	case *value.Array:
		if v.Len() == 0 {
			return EmptyArrayT
		}
		return NewArray(inferCommon(v.Elems), Range(int64(v.Len()), int64(v.Len())))
	case *value.Hash:
		if v.Len() == 0 {
			return EmptyHashT
		}
		return NewHash(inferCommon(v.Keys().Elems), inferCommon(v.Values().Elems), Range(int64(v.Len()), int64(v.Len())))
	case *value.Regexp:
		return &Regexp{Re: v}
	case *value.Sensitive:
		return NewSensitive(Infer(v.Value))
	case value.Binary:
		return BinaryT
	case *value.SemVer:
		return SemVerT
	case *value.SemVerRange:
		return SemVerRangeT
	case value.Timespan:
		return &Timespan{From: &v, To: &v}
	case value.Timestamp:
		return &Timestamp{From: &v, To: &v}
	case *value.URI:
		return &URI{Params: uriParams(v)}
	case *value.Iterator:
		return &Iterator{T: v.Elem}
	case *value.Deferred:
		return DeferredT
	case *value.Object:
		return objectTypeOf(v)
	case *value.Opaque:
		return UnitT
	case *Resource:
		return &Type{T: &Resource{Type: v.Type, Title: v.Title, HasTitle: v.HasTitle}}
	case *Class:
		return &Type{T: &Class{Of: v.Of}}
	case T:
		return &Type{T: v}
	}
	panic("types: Infer: unknown value")
}

func inferCommon(vs []value.Value) T {
	var t T
	for _, v := range vs {
		t = Common(t, Infer(v))
	}
	return t
}

// InferSet is the most precise type of v: a Tuple for an array, a Struct for a hash with string keys.
func InferSet(v value.Value) T {
	switch v := v.(type) {
	case *value.Array:
		if v.Len() == 0 {
			return EmptyArrayT
		}
		ts := make([]T, v.Len())
		for i, e := range v.Elems {
			ts[i] = InferSet(e)
		}
		return &Tuple{Types: ts}
	case *value.Hash:
		if v.Len() == 0 {
			return EmptyHashT
		}
		return inferHash(v)
	case *value.SemVer:
		return &SemVer{Ranges: []*value.SemVerRange{value.ExactSemVer(v)}}
	}
	return Infer(v)
}

func inferHash(h *value.Hash) T {
	names := true
	for _, e := range h.Entries() {
		s, is := e.Key.(value.String)
		names = names && is && s != ""
	}
	if names {
		elems := make([]Element, h.Len())
		for i, e := range h.Entries() {
			elems[i] = Element{Literal(string(e.Key.(value.String))), InferSet(e.Value)}
		}
		return &Struct{Elems: elems}
	}
	ks, vs := make([]T, h.Len()), make([]T, h.Len())
	for i, e := range h.Entries() {
		ks[i], vs[i] = InferSet(e.Key), InferSet(e.Value)
	}
	return NewHash(NewVariant(ks...), NewVariant(vs...), Range(int64(h.Len()), int64(h.Len())))
}

func uriParams(u *value.URI) *value.Hash {
	b := value.NewHashBuilder(4)
	for _, name := range [...]string{"scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"} {
		v, _ := u.Part(name)
		switch x := v.(type) {
		case value.Undef:
			continue
		case value.Int:
			if name == "port" && (x == 80 && u.Scheme == "http" || x == 443 && u.Scheme == "https") {
				continue
			}
			v = value.String(value.ToString(x))
		case value.String:
			if name == "host" {
				x = value.String(value.Downcase(string(x)))
				v = x
			}
			if x == "" && (name == "host" || name == "path") {
				continue
			}
		}
		b.SetString(name, v)
	}
	if b.Len() == 0 {
		return nil
	}
	return b.Hash()
}

// Common is the most special type that holds the instances of both. A nil or Undef gives the other, as Puppet does.
func Common(a, b T) T {
	if isNil(a) {
		return b
	}
	if isNil(b) {
		return a
	}
	if _, unit := a.(*Unit); unit {
		return b
	}
	if _, unit := b.(*Unit); unit {
		return a
	}
	if Assignable(a, b) {
		return a
	}
	if Assignable(b, a) {
		return b
	}
	if t := commonOfKind(a, b); t != nil {
		return t
	}
	for _, t := range [...]T{NumericT, ScalarDataT, ScalarT, DataT} {
		if Assignable(t, a) && Assignable(t, b) {
			return t
		}
	}
	if x, is := a.(*Type); is {
		if y, is := b.(*Type); is {
			return &Type{T: Common(x.T, y.T)}
		}
	}
	if Assignable(RichDataT, a) && Assignable(RichDataT, b) {
		return RichDataT
	}
	return AnyT
}

func isNil(t T) bool {
	if t == nil {
		return true
	}
	_, undef := t.(*Undef)
	return undef
}

// commonOfKind knows the pairs of the same kind.
func commonOfKind(a, b T) T {
	switch a := a.(type) {
	case *Array:
		if b, is := b.(*Array); is {
			return NewArray(Common(a.Elem, b.Elem), nil)
		}
	case *Hash:
		if b, is := b.(*Hash); is {
			return NewHash(Common(a.Key, b.Key), Common(a.Val, b.Val), nil)
		}
	case *Class:
		if _, is := b.(*Class); is {
			return ClassT
		}
	case *Resource:
		if b, is := b.(*Resource); is {
			if a.Type == b.Type {
				return NewResource(a.Type, "", false)
			}
			return ResourceT
		}
	case *Integer:
		if b, is := b.(*Integer); is {
			return span(a, b)
		}
	case *Float:
		if b, is := b.(*Float); is {
			return &Float{From: math.Min(a.From, b.From), To: math.Max(a.To, b.To)}
		}
	case *String:
		switch b := b.(type) {
		case *Enum:
			if a.Val == nil {
				return EnumT
			}
			return NewEnum(append(append([]string(nil), b.Values...), *a.Val), false)
		case *String:
			if a.Size != nil && b.Size != nil {
				return &String{Size: Common(a.Size, b.Size).(*Integer)}
			}
			if a.Val == nil || b.Val == nil {
				return StringT
			}
			return NewEnum([]string{*a.Val, *b.Val}, false)
		}
	case *Pattern:
		if b, is := b.(*Pattern); is {
			return &Pattern{Regexps: unionRegexps(a.Regexps, b.Regexps)}
		}
	case *Enum:
		switch b := b.(type) {
		case *Enum:
			return NewEnum(append(append([]string(nil), a.Values...), b.Values...), false)
		case *String:
			if b.Val == nil {
				return EnumT
			}
			return NewEnum(append(append([]string(nil), a.Values...), *b.Val), false)
		}
	case *Variant:
		if b, is := b.(*Variant); is {
			return NewVariant(append(append([]T(nil), a.Types...), b.Types...)...)
		}
	case *Regexp:
		if _, is := b.(*Regexp); is {
			return RegexpT
		}
	case *Callable:
		if _, is := b.(*Callable); is {
			return CallableT
		}
	}
	return nil
}

func unionRegexps(a, b []*Regexp) []*Regexp {
	var out []*Regexp
	for _, r := range append(append([]*Regexp(nil), a...), b...) {
		dup := false
		for _, o := range out {
			dup = dup || o.EqualType(r)
		}
		if !dup {
			out = append(out, r)
		}
	}
	return out
}
