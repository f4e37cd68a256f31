package types

import (
	"bunraku/puppet/value"
)

// IsInstance reports whether v is of type t, without inferring v's type first. An opaque value is an instance of every
// type: nothing is known against it.
func IsInstance(t T, v value.Value) bool { return isInstance(t, v, nil) }

func isInstance(t T, v value.Value, g *guard) bool {
	if _, opaque := v.(*value.Opaque); opaque {
		return true
	}
	g.spend()
	switch t := t.(type) {
	case *Any, *Unit:
		return true
	case *Undef:
		return value.IsUndef(v)
	case *Default:
		_, is := v.(value.Default)
		return is
	case *String:
		s, is := v.(value.String)
		if !is {
			return false
		}
		if t.Size != nil {
			if t.Size.From <= 1 && t.Size.To == NoMax {
				return int64(len(s)) >= t.Size.From
			}
			return t.Size.contains(int64(value.CharLen(string(s))))
		}
		return t.Val == nil || *t.Val == string(s)
	case *Integer:
		n, is := v.(value.Int)
		return is && int64(n) >= t.From && int64(n) <= t.To
	case *Boolean:
		b, is := v.(value.Bool)
		return is && (t.Val == nil || *t.Val == bool(b))
	case *Optional:
		return value.IsUndef(v) || t.T != nil && isInstance(t.T, v, g)
	case *Enum:
		s, is := v.(value.String)
		return is && t.has(string(s))
	case *Array:
		a, is := v.(*value.Array)
		if !is {
			return false
		}
		if _, any := t.Elem.(*Any); !any {
			for _, e := range a.Elems {
				if !isInstance(t.Elem, e, g) {
					return false
				}
			}
		}
		return t.Size == nil || t.Size.contains(int64(len(a.Elems)))
	case *Hash:
		h, is := v.(*value.Hash)
		if !is {
			return false
		}
		for _, e := range h.Entries() {
			if !isInstance(t.Key, e.Key, g) {
				return false
			}
		}
		for _, e := range h.Entries() {
			if !isInstance(t.Val, e.Value, g) {
				return false
			}
		}
		return t.Size == nil || t.Size.contains(int64(h.Len()))
	case *Variant:
		for _, o := range t.Types {
			if isInstance(o, v, g) {
				return true
			}
		}
		return false
	case *Alias:
		return reallyInstance(t, v, g) == 1
	case *NotUndef:
		return !value.IsUndef(v) && (t.T == nil || isInstance(t.T, v, g))
	case *Pattern:
		s, is := v.(value.String)
		return is && t.matches(string(s), g)
	case *Float:
		f, is := v.(value.Float)
		return is && float64(f) >= t.From && float64(f) <= t.To
	case *Numeric:
		switch v.(type) {
		case value.Int, value.Float:
			return true
		}
		return false
	case *Scalar:
		switch v.(type) {
		case value.String, value.Int, value.Float, value.Bool, *value.Regexp, value.Timespan, value.Timestamp, *value.SemVer,
			*value.SemVerRange:
			return true
		}
		return false
	case *ScalarData:
		switch v.(type) {
		case value.String, value.Int, value.Float, value.Bool:
			return true
		}
		return false
	case *Struct:
		return instanceOfStruct(t, v, g)
	case *Tuple:
		a, is := v.(*value.Array)
		if !is {
			return false
		}
		if t.Size != nil {
			if !t.Size.contains(int64(len(a.Elems))) {
				return false
			}
		} else if len(t.Types) > 0 && len(t.Types) != len(a.Elems) {
			return false
		}
		if len(t.Types) == 0 {
			return true
		}
		for i, e := range a.Elems {
			if !isInstance(t.at(i), e, g) {
				return false
			}
		}
		return true
	case *Collection:
		n := 0
		switch v := v.(type) {
		case *value.Array:
			n = v.Len()
		case *value.Hash:
			n = v.Len()
		default:
			return false
		}
		return t.Size == nil || t.Size.contains(int64(n))
	case *Type:
		o, is := v.(T)
		return is && (t.T == nil || assignable(t.T, o, g))
	case *Regexp:
		r, is := v.(*value.Regexp)
		return is && (t.Re == nil || t.Re.Source == r.Source)
	case *Iterable:
		return instanceOfIterable(t, v, g)
	case *Iterator:
		it, is := v.(*value.Iterator)
		return is && (t.T == nil || it.Elem != nil && assignable(t.T, it.Elem, g))
	case *Sensitive:
		s, is := v.(*value.Sensitive)
		return is && isInstance(t.T, s.Value, g)
	case *Binary:
		_, is := v.(value.Binary)
		return is
	case *SemVerRange:
		_, is := v.(*value.SemVerRange)
		return is
	case *SemVer:
		s, is := v.(*value.SemVer)
		if !is {
			return false
		}
		for _, r := range t.Ranges {
			if r.Includes(s) {
				return true
			}
		}
		return len(t.Ranges) == 0
	case *Timespan:
		s, is := v.(value.Timespan)
		return is && (t.From == nil || s >= *t.From) && (t.To == nil || s <= *t.To)
	case *Timestamp:
		s, is := v.(value.Timestamp)
		return is && (t.From == nil || !before(s, *t.From)) && (t.To == nil || !before(*t.To, s))
	case *URI:
		return instanceOfURI(t, v)
	case *CatalogEntry, *Class, *Resource, *Runtime:
		return assignable(t, Infer(v), g)
	case *Callable, *TypeReference:
		return false // functions and lambdas are no values
	case *Init:
		return t.reallyInstance(v, g) == 1
	case *Object:
		return t.holds(v, g)
	case *ObjectExt:
		return t.holds(v, g)
	case *TypeSet:
		_, is := v.(*TypeSet)
		return is
	}
	panic("types: IsInstance: unknown type " + t.Name())
}

// reallyInstance tells apart "no" (-1), "would go in circles" (0) and "yes" (1).
func reallyInstance(t T, v value.Value, g *guard) int {
	switch t := t.(type) {
	case *Alias:
		if t.plain && isContainer(v) {
			if instanceOfPlain(t, v, g) {
				return 1
			}
			return -1
		}
		if !t.recursive {
			return reallyInstance(t.To, v, g)
		}
		g = g.guarding()
		addedThat := g.enterThat(v)
		state, added := g.enterThis(t)
		r := 0
		if state != inBoth {
			r = reallyInstance(t.To, v, g)
		}
		g.leaveThis(t, added)
		g.leaveThat(v, addedThat)
		return r
	case *Variant:
		best := -1
		for _, o := range t.Types {
			r := reallyInstance(o, v, g)
			if r > 0 {
				return r
			}
			best = max(best, r)
		}
		return best
	case *Init:
		return t.reallyInstance(v, g)
	}
	if isInstance(t, v, g) {
		return 1
	}
	return -1
}

func instanceOfStruct(t *Struct, v value.Value, g *guard) bool {
	h, is := v.(*value.Hash)
	if !is {
		return false
	}
	matched := 0
	for i := range t.Elems {
		e := &t.Elems[i]
		x, has := h.GetString(e.Name())
		if !has {
			if !assignable(e.Key, UndefT, g) {
				return false
			}
			continue
		}
		matched++
		if !isInstance(e.Val, x, g) {
			return false
		}
	}
	return matched == h.Len()
}

func instanceOfIterable(t *Iterable, v value.Value, g *guard) bool {
	if t.T != nil && !assignable(t.T, AnyT, g) {
		return assignable(t, Infer(v), g)
	}
	switch v := v.(type) {
	case *value.Iterator, value.String, *value.Hash, *value.Array, *Enum:
		return true
	case value.Int:
		return v >= 0
	case *Integer:
		return v.finite()
	case *Alias:
		return instanceOfIterable(t, v.To, g)
	}
	return false
}

func instanceOfURI(t *URI, v value.Value) bool {
	u, is := v.(*value.URI)
	if !is {
		return false
	}
	if t.Params == nil {
		return true
	}
	for _, e := range t.Params.Entries() {
		name, _ := e.Key.(value.String)
		part, known := u.Part(string(name))
		if !known || !Matches(part, e.Value) {
			return false
		}
	}
	return true
}
