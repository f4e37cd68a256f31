package types

import (
	"strings"

	"bunraku/puppet/value"
)

// Equal reports whether two types describe the same values: they are equal, or each is assignable to the other.
// It is == between types in the Puppet language's collections of types; EqualType is the structural one.
func Equal(a, b T) bool { return (*Judge)(nil).Equal(a, b) }

// Equal is the same within the judge's budget.
func (j *Judge) Equal(a, b T) bool {
	return a.EqualType(b) || j.Assignable(a, b) && j.Assignable(b, a)
}

func sameKind[K any](o T) bool {
	_, is := o.(K)
	return is
}

func (*Any) EqualType(o T) bool          { return sameKind[*Any](o) }
func (*Undef) EqualType(o T) bool        { return sameKind[*Undef](o) }
func (*Unit) EqualType(o T) bool         { return sameKind[*Unit](o) }
func (*Default) EqualType(o T) bool      { return sameKind[*Default](o) }
func (*Scalar) EqualType(o T) bool       { return sameKind[*Scalar](o) }
func (*ScalarData) EqualType(o T) bool   { return sameKind[*ScalarData](o) }
func (*Numeric) EqualType(o T) bool      { return sameKind[*Numeric](o) }
func (*Binary) EqualType(o T) bool       { return sameKind[*Binary](o) }
func (*SemVerRange) EqualType(o T) bool  { return sameKind[*SemVerRange](o) }
func (*CatalogEntry) EqualType(o T) bool { return sameKind[*CatalogEntry](o) }

func eqT(a, b T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.EqualType(b)
}

func eqSize(a, b *Integer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func eqList(a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !eqT(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (t *NotUndef) EqualType(o T) bool {
	p, is := o.(*NotUndef)
	return is && eqT(t.T, p.T)
}

func (t *Optional) EqualType(o T) bool {
	p, is := o.(*Optional)
	return is && eqT(t.T, p.T)
}

func (t *Type) EqualType(o T) bool {
	p, is := o.(*Type)
	return is && eqT(t.T, p.T)
}

func (t *Iterable) EqualType(o T) bool {
	p, is := o.(*Iterable)
	return is && eqT(t.T, p.T)
}

func (t *Iterator) EqualType(o T) bool {
	p, is := o.(*Iterator)
	return is && eqT(t.T, p.T)
}

func (t *Sensitive) EqualType(o T) bool {
	p, is := o.(*Sensitive)
	return is && eqT(t.T, p.T)
}

func (t *Integer) EqualType(o T) bool {
	p, is := o.(*Integer)
	return is && t.From == p.From && t.To == p.To && t.Closed == p.Closed
}

func (t *Float) EqualType(o T) bool {
	p, is := o.(*Float)
	return is && t.From == p.From && t.To == p.To
}

func (t *String) EqualType(o T) bool {
	p, is := o.(*String)
	if !is || !eqSize(t.Size, p.Size) || (t.Val == nil) != (p.Val == nil) {
		return false
	}
	return t.Val == nil || *t.Val == *p.Val
}

func (t *Enum) EqualType(o T) bool {
	p, is := o.(*Enum)
	if !is || t.Fold != p.Fold || len(t.Values) != len(p.Values) {
		return false
	}
	for i := range t.Values {
		if t.Values[i] != p.Values[i] {
			return false
		}
	}
	return true
}

func (t *Pattern) EqualType(o T) bool {
	p, is := o.(*Pattern)
	if !is || len(t.Regexps) != len(p.Regexps) {
		return false
	}
	for _, r := range t.Regexps {
		found := false
		for _, s := range p.Regexps {
			found = found || r.EqualType(s)
		}
		if !found {
			return false
		}
	}
	return true
}

func (t *Regexp) EqualType(o T) bool {
	p, is := o.(*Regexp)
	if !is || (t.Re == nil) != (p.Re == nil) {
		return false
	}
	return t.Re == nil || t.Re.Source == p.Re.Source
}

func (t *Boolean) EqualType(o T) bool {
	p, is := o.(*Boolean)
	if !is || (t.Val == nil) != (p.Val == nil) {
		return false
	}
	return t.Val == nil || *t.Val == *p.Val
}

func (t *Collection) EqualType(o T) bool {
	p, is := o.(*Collection)
	return is && eqSize(t.Size, p.Size)
}

func (t *Array) EqualType(o T) bool {
	p, is := o.(*Array)
	return is && eqSize(t.Size, p.Size) && eqT(t.Elem, p.Elem)
}

func (t *Hash) EqualType(o T) bool {
	p, is := o.(*Hash)
	return is && eqSize(t.Size, p.Size) && eqT(t.Key, p.Key) && eqT(t.Val, p.Val)
}

func (t *Tuple) EqualType(o T) bool {
	p, is := o.(*Tuple)
	return is && eqSize(t.Size, p.Size) && eqList(t.Types, p.Types)
}

func (t *Struct) EqualType(o T) bool {
	p, is := o.(*Struct)
	if !is || len(t.Elems) != len(p.Elems) {
		return false
	}
	for i := range t.Elems {
		if !eqT(t.Elems[i].Key, p.Elems[i].Key) || !eqT(t.Elems[i].Val, p.Elems[i].Val) {
			return false
		}
	}
	return true
}

func (t *Variant) EqualType(o T) bool {
	p, is := o.(*Variant)
	if !is || len(t.Types) != len(p.Types) {
		return false
	}
	for _, x := range t.Types {
		if !containsType(p.Types, x) {
			return false
		}
	}
	return true
}

func (t *Callable) EqualType(o T) bool {
	p, is := o.(*Callable)
	if !is || (t.Params == nil) != (p.Params == nil) || !eqT(t.Block, p.Block) || !eqT(t.Return, p.Return) {
		return false
	}
	return t.Params == nil || t.Params.EqualType(p.Params)
}

func (t *SemVer) EqualType(o T) bool {
	p, is := o.(*SemVer)
	if !is || len(t.Ranges) != len(p.Ranges) {
		return false
	}
	for i := range t.Ranges {
		if !t.Ranges[i].Equal(p.Ranges[i]) {
			return false
		}
	}
	return true
}

func (t *Timespan) EqualType(o T) bool {
	p, is := o.(*Timespan)
	return is && eqPtr(t.From, p.From) && eqPtr(t.To, p.To)
}

func (t *Timestamp) EqualType(o T) bool {
	p, is := o.(*Timestamp)
	return is && eqPtr(t.From, p.From) && eqPtr(t.To, p.To)
}

func eqPtr[V comparable](a, b *V) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (t *URI) EqualType(o T) bool {
	p, is := o.(*URI)
	if !is || (t.Params == nil) != (p.Params == nil) {
		return false
	}
	return t.Params == nil || value.Same(t.Params, p.Params)
}

func (t *Class) EqualType(o T) bool {
	p, is := o.(*Class)
	return is && t.Of == p.Of && t.Declared == p.Declared
}

func (t *Resource) EqualType(o T) bool {
	p, is := o.(*Resource)
	return is && strings.EqualFold(t.Type, p.Type) && t.HasTitle == p.HasTitle && t.Title == p.Title &&
		t.Declared == p.Declared
}

func (t *Runtime) EqualType(o T) bool {
	p, is := o.(*Runtime)
	if !is || t.Runtime != p.Runtime || t.Of != p.Of || (t.Pattern == nil) != (p.Pattern == nil) {
		return false
	}
	return t.Pattern == nil || value.Same(t.Pattern, p.Pattern)
}

func (t *TypeReference) EqualType(o T) bool {
	p, is := o.(*TypeReference)
	return is && t.Text == p.Text
}

func (t *Init) EqualType(o T) bool {
	p, is := o.(*Init)
	return is && eqT(t.T, p.T) && value.Same(value.NewArray(t.Args...), value.NewArray(p.Args...))
}

func (a *Alias) EqualType(o T) bool {
	p, is := o.(*Alias)
	return is && a.Of == p.Of
}
