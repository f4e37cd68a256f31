package types

import (
	"strings"

	"bunraku/puppet/value"
)

// Assignable reports whether every instance of b is an instance of a, as far as Puppet can tell.
func Assignable(a, b T) bool { return assignable(a, b, nil) }

func assignable(a, b T, g *guard) bool {
	g.spend()
	if alias, is := a.(*Alias); is && alias.recursive {
		g = g.remembering()
		ok := !g.memo.enter() || assignableNow(a, b, g)
		g.memo.leave()
		return ok
	}
	if isPlainAlias(a) || isPlainAlias(b) {
		return assignablePlain(a, b, g, func(g *guard) bool { return assignableNow(a, b, g) })
	}
	return assignableNow(a, b, g)
}

func isPlainAlias(t T) bool {
	a, is := t.(*Alias)
	return is && a.plain
}

func assignableNow(a, b T, g *guard) bool {
	switch a := a.(type) {
	case *Any:
		return true
	case *Unit:
		return true
	case *Variant:
		if _, is := b.(*Undef); is && len(a.Types) == 0 {
			return false
		}
		vb, is := b.(*Variant)
		if !is {
			return fromAny(a, b, g)
		}
		if len(a.Types) == 0 {
			return true
		}
		for _, t := range vb.Types {
			if !fromAny(a, t, g) {
				return false
			}
		}
		return len(vb.Types) > 0
	case *Alias:
		if a.recursive {
			g = g.guarding()
			state, added := g.enterThis(a)
			ok := state == inBoth || fromAny(a, b, g)
			g.leaveThis(a, added)
			return ok
		}
	}
	return fromAny(a, b, g)
}

// fromAny takes apart what b is made of before it asks a.
func fromAny(a, b T, g *guard) bool {
	switch b := b.(type) {
	case *Unit:
		return true
	case *Alias:
		if b.recursive {
			g = g.guarding()
			if g.addThat(b) == inBoth {
				return true // nothing spoke against it so far
			}
		}
		return assignable(a, b.To, g)
	case *Variant:
		if _, any := a.(*Any); any {
			return true
		}
		if _, not := a.(*NotUndef); not && len(b.Types) == 0 {
			return accepts(a, b, g)
		}
		for _, t := range b.Types {
			if !assignable(a, t, g) {
				return false
			}
		}
		return len(b.Types) > 0
	case *Optional:
		// Puppet drops its guard here.
		d := g.dropped()
		return d.depth > maxUnguarded || assignable(a, UndefT, d) && (b.T == nil || assignable(a, b.T, d))
	case *NotUndef:
		if b.T != nil && !assignable(b.T, UndefT, g.dropped()) {
			return assignable(a, b.T, g)
		}
	}
	return accepts(a, b, g)
}

// accepts is each type's own rule.
func accepts(a, b T, g *guard) bool {
	switch a := a.(type) {
	case *Any, *Unit:
		return true
	case *Alias:
		return assignable(a.To, b, g)
	case *Variant:
		for _, t := range a.Types {
			if assignable(t, b, g) {
				return true
			}
		}
		return false
	case *Undef:
		_, is := b.(*Undef)
		return is
	case *Default:
		_, is := b.(*Default)
		return is
	case *NotUndef:
		return !assignable(b, UndefT, g) && (a.T == nil || assignable(a.T, b, g))
	case *Optional:
		if _, is := b.(*Undef); is || a.T == nil {
			return true
		}
		return assignable(a.T, b, g)
	case *Type:
		o, is := b.(*Type)
		return is && (a.T == nil || o.T != nil && assignable(a.T, o.T, g))
	case *Scalar:
		switch b.(type) {
		case *Scalar, *ScalarData, *Enum, *Numeric, *Integer, *Float, *String, *Pattern, *Boolean, *Regexp, *SemVer,
			*SemVerRange, *Timespan, *Timestamp:
			return true
		}
		return false
	case *ScalarData:
		switch b.(type) {
		case *ScalarData, *Enum, *Numeric, *Integer, *Float, *String, *Pattern, *Boolean:
			return true
		}
		return false
	case *Numeric:
		switch b.(type) {
		case *Numeric, *Integer, *Float:
			return true
		}
		return false
	case *Integer:
		o, is := b.(*Integer)
		return is && a.covers(o)
	case *Float:
		o, is := b.(*Float)
		return is && a.From <= o.From && a.To >= o.To
	case *String:
		return acceptsString(a, b)
	case *Enum:
		return acceptsEnum(a, b)
	case *Pattern:
		return acceptsPattern(a, b)
	case *Regexp:
		o, is := b.(*Regexp)
		return is && (a.Re == nil || o.Re != nil && a.Re.Source == o.Re.Source)
	case *Boolean:
		o, is := b.(*Boolean)
		return is && (a.Val == nil || o.Val != nil && *a.Val == *o.Val)
	case *Collection:
		size, is := collectionSize(b)
		return is && orAnySize(a.Size).covers(size)
	case *Array:
		switch b := b.(type) {
		case *Tuple:
			size := b.Size
			if size == nil {
				size = Range(int64(len(b.Types)), int64(len(b.Types)))
			}
			if !orAnySize(a.Size).covers(size) {
				return false
			}
			for _, t := range b.Types {
				if !assignable(a.Elem, t, g) {
					return false
				}
			}
			return true
		case *Array:
			return orAnySize(a.Size).covers(orAnySize(b.Size)) && assignable(a.Elem, b.Elem, g)
		}
		return false
	case *Hash:
		return acceptsHash(a, b, g)
	case *Tuple:
		return acceptsTuple(a, b, g)
	case *Struct:
		return acceptsStruct(a, b, g)
	case *Callable:
		return acceptsCallable(a, b, g)
	case *Iterable:
		if a.T == nil || assignable(a.T, AnyT, g) {
			return isIterable(b, nil)
		}
		o := iterableOf(b, nil)
		return o != nil && o.T != nil && assignable(a.T, o.T, g)
	case *Iterator:
		o, is := b.(*Iterator)
		return is && (a.T == nil || o.T != nil && assignable(a.T, o.T, g))
	case *Sensitive:
		o, is := b.(*Sensitive)
		return is && assignable(a.T, o.T, g)
	case *Binary:
		_, is := b.(*Binary)
		return is
	case *SemVerRange:
		_, is := b.(*SemVerRange)
		return is
	case *SemVer:
		return acceptsSemVer(a, b)
	case *Timespan:
		o, is := b.(*Timespan)
		return is && (a.From == nil || o.From != nil && *a.From <= *o.From) && (a.To == nil || o.To != nil && *a.To >= *o.To)
	case *Timestamp:
		o, is := b.(*Timestamp)
		return is && (a.From == nil || o.From != nil && !before(*o.From, *a.From)) &&
			(a.To == nil || o.To != nil && !before(*a.To, *o.To))
	case *URI:
		return acceptsURI(a, b)
	case *CatalogEntry:
		switch b.(type) {
		case *CatalogEntry, *Class, *Resource:
			return true
		}
		return false
	case *Class:
		o, is := b.(*Class)
		return is && (a.Of == "" || a.Of == o.Of)
	case *Resource:
		o, is := b.(*Resource)
		if a.Absent && !is {
			return true
		}
		return is && (a.Type == "" || strings.EqualFold(a.Type, o.Type) && (!a.HasTitle || o.HasTitle && a.Title == o.Title))
	case *Runtime:
		o, is := b.(*Runtime)
		return is && (a.Runtime == "" || a.Runtime == o.Runtime) && (a.Of == "" && a.Pattern == nil || a.EqualType(o))
	case *TypeReference:
		return a.EqualType(b)
	case *Init:
		return a.acceptsType(b, g)
	case *Object:
		return a.acceptsType(b, g)
	case *ObjectExt:
		return a.acceptsType(b, g)
	case *TypeSet:
		o, is := b.(*TypeSet)
		return is && (a == TypeSetT || a.EqualType(o))
	}
	panic("types: Assignable: unknown type " + a.Name())
}

func before(a, b value.Timestamp) bool {
	return a.Sec < b.Sec || a.Sec == b.Sec && a.Nsec < b.Nsec
}

// collectionSize is the size of a type that Collection can hold.
func collectionSize(t T) (*Integer, bool) {
	switch t := t.(type) {
	case *Collection:
		return orAnySize(t.Size), true
	case *Array:
		return orAnySize(t.Size), true
	case *Hash:
		return orAnySize(t.Size), true
	case *Tuple:
		if t.Size == nil {
			return Range(int64(len(t.Types)), int64(len(t.Types))), true
		}
		return t.Size, true
	case *Struct:
		return Range(int64(len(t.Elems)), int64(len(t.Elems))), true
	}
	return nil, false
}

func acceptsString(a *String, b T) bool {
	switch b := b.(type) {
	case *String:
		switch {
		case a.Size != nil:
			return a.Size.covers(b.derivedSize())
		case a.Val == nil:
			return true
		}
		return b.Val != nil && *a.Val == *b.Val
	case *Enum:
		switch {
		case a.Size != nil:
			if len(b.Values) == 0 {
				return a.Size.covers(anySize)
			}
			for _, v := range b.Values {
				if !a.Size.contains(int64(value.CharLen(v))) {
					return false
				}
			}
			return true
		case a.Val == nil:
			return true
		}
		// Puppet only looks at the number of values here, not at the value.
		return len(b.Values) == 1 && !b.Fold
	case *Pattern:
		if a.Size != nil {
			return a.Size.covers(anySize)
		}
		return a.Val == nil
	}
	return false
}

func (a *Enum) has(s string) bool {
	for _, v := range a.Values {
		if v == s || a.Fold && value.EqualFoldASCII(v, s) {
			return true
		}
	}
	return false
}

func acceptsEnum(a *Enum, b T) bool {
	if len(a.Values) == 0 {
		switch b.(type) {
		case *String, *Enum, *Pattern:
			return true
		}
	}
	switch b := b.(type) {
	case *String:
		return b.Val != nil && a.has(*b.Val)
	case *Enum:
		if a.EqualType(b) {
			return true
		}
		if len(b.Values) == 0 || !a.Fold && b.Fold {
			return false
		}
		for _, v := range b.Values {
			if !a.has(v) {
				return false
			}
		}
		return true
	}
	return false
}

// matches reports whether a regexp of the pattern matches; a match that exceeds its bound counts as none.
func (a *Pattern) matches(s string, g *guard) bool {
	for _, r := range a.Regexps {
		if r.Re == nil {
			return true
		}
		if g == nil || g.memo == nil || g.memo.budget == nil {
			if ok, _ := r.Re.Re.Match(s); ok {
				return true
			}
			continue
		}
		loc, steps, _ := r.Re.Re.FindCounted(s, 0)
		g.memo.budget.Spend(int64(1+steps>>3), comparing)
		if loc != nil {
			return true
		}
	}
	return len(a.Regexps) == 0
}

func acceptsPattern(a *Pattern, b T) bool {
	switch b := b.(type) {
	case *String:
		if b.Val == nil {
			return len(a.Regexps) == 0
		}
		return a.matches(*b.Val, nil)
	case *Enum:
		if len(b.Values) == 0 {
			return len(a.Regexps) == 0
		}
		for _, v := range b.Values {
			if !a.matches(v, nil) {
				return false
			}
		}
		return true
	case *Pattern:
		return len(a.Regexps) == 0 || a.EqualType(b)
	}
	return false
}

func (h *Hash) isEmptyHash() bool { return h.EqualType(EmptyHashT) }

func acceptsHash(a *Hash, b T, g *guard) bool {
	switch b := b.(type) {
	case *Hash:
		if (a.Size == nil || a.Size.From == 0) && b.isEmptyHash() {
			return true
		}
		return assignable(a.Key, b.Key, g) && assignable(a.Val, b.Val, g) && orAnySize(a.Size).covers(orAnySize(b.Size))
	case *Struct:
		if !orAnySize(a.Size).contains(int64(len(b.Elems))) {
			return false
		}
		for i := range b.Elems {
			if !isInstance(a.Key, value.String(b.Elems[i].Name()), g) || !assignable(a.Val, b.Elems[i].Val, g) {
				return false
			}
		}
		return true
	}
	return false
}

func acceptsTuple(a *Tuple, b T, g *guard) bool {
	size := a.sizeRange()
	switch b := b.(type) {
	case *Tuple:
		if a.EqualType(b) {
			return true
		}
		if !size.covers(b.sizeRange()) {
			return false
		}
		if len(a.Types) == 0 {
			return true
		}
		if len(b.Types) == 0 {
			return size.From == 0
		}
		for i, t := range b.Types {
			if !assignable(a.at(i), t, g) {
				return false
			}
		}
		return true
	case *Array:
		osize := orAnySize(b.Size)
		if !size.covers(osize) {
			return false
		}
		for i := 0; i < len(a.Types) && int64(i) < osize.To; i++ {
			if !assignable(a.Types[i], b.Elem, g) {
				return false
			}
		}
		return true
	}
	return false
}

// find is the element with a key, or nil.
func (s *Struct) find(name string) *Element {
	for i := range s.Elems {
		if s.Elems[i].Name() == name {
			return &s.Elems[i]
		}
	}
	return nil
}

func acceptsStruct(a *Struct, b T, g *guard) bool {
	switch b := b.(type) {
	case *Struct:
		matched := 0
		for i := range a.Elems {
			e := &a.Elems[i]
			o := b.find(e.Name())
			if o == nil {
				if !assignable(e.Key, UndefT, g) {
					return false
				}
				continue
			}
			matched++
			if !assignable(e.Key, o.Key, g) || !assignable(e.Val, o.Val, g) {
				return false
			}
		}
		return matched == len(b.Elems)
	case *Hash:
		required := int64(0)
		for i := range a.Elems {
			e := &a.Elems[i]
			if e.optional() {
				continue
			}
			required++
			if !assignable(e.Val, b.Val, g) || !assignable(Generalize(e.Key), b.Key, g.dropped()) {
				return false
			}
		}
		return Range(required, int64(len(a.Elems))).covers(orAnySize(b.Size))
	}
	return false
}

func acceptsCallable(a *Callable, b T, g *guard) bool {
	o, is := b.(*Callable)
	if !is {
		return false
	}
	if a.Return != nil && !assignable(a.Return, orAny(o.Return), g) {
		return false
	}
	if a.Params == nil {
		return true
	}
	// In reverse: the callable is what is called with a's arguments.
	if o.Params == nil || !assignable(o.Params, a.Params, g) {
		return false
	}
	return assignable(orUndef(o.Block), orUndef(a.Block), g)
}

func orAny(t T) T {
	if t == nil {
		return AnyT
	}
	return t
}

func orUndef(t T) T {
	if t == nil {
		return UndefT
	}
	return t
}

func acceptsSemVer(a *SemVer, b T) bool {
	o, is := b.(*SemVer)
	if !is {
		return false
	}
	if len(a.Ranges) == 0 {
		return true
	}
	for _, r := range o.Ranges {
		covered := false
		for _, s := range a.Ranges {
			covered = covered || r.CoveredBy(s)
		}
		if !covered {
			return false
		}
	}
	return len(o.Ranges) > 0
}

func acceptsURI(a *URI, b T) bool {
	o, is := b.(*URI)
	if !is {
		return false
	}
	if a.Params == nil {
		return true
	}
	if o.Params == nil {
		return false
	}
	return paramsMatch(a.Params, o.Params)
}

// paramsMatch reports whether each wanted parameter is there and matches as in a case expression.
func paramsMatch(want, have *value.Hash) bool {
	for _, e := range want.Entries() {
		v, has := have.Get(e.Key)
		if !has {
			return false
		}
		if Matches(v, e.Value) {
			continue
		}
		vt, is1 := v.(T)
		et, is2 := e.Value.(T)
		if !is1 || !is2 || !Assignable(et, vt) {
			return false
		}
	}
	return true
}
