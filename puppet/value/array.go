package value

import "bunraku/provenance"

// An Array is a list. Refs is nil when tracing is off, otherwise it has one entry per element.
type Array struct {
	Elems []Value
	Refs  []provenance.Ref
}

// NewArray makes an array of elems, which it keeps.
func NewArray(elems ...Value) *Array { return &Array{Elems: elems} }

// Strings makes an array of strings.
func Strings(ss ...string) *Array {
	a := &Array{Elems: make([]Value, len(ss))}
	for i, s := range ss {
		a.Elems[i] = String(s)
	}
	return a
}

// Len is the number of elements.
func (a *Array) Len() int { return len(a.Elems) }

// Ref is the provenance of element i, zero when untraced.
func (a *Array) Ref(i int) provenance.Ref {
	if a.Refs == nil {
		return 0
	}
	return a.Refs[i]
}

// Slice is the array of the elements from lo up to hi, sharing memory with a.
func (a *Array) Slice(lo, hi int) *Array {
	s := &Array{Elems: a.Elems[lo:hi:hi]}
	if a.Refs != nil {
		s.Refs = a.Refs[lo:hi:hi]
	}
	return s
}

// Copy is another array of the same elements.
func (a *Array) Copy() *Array { return &Array{Elems: a.Elems, Refs: a.Refs} }

// An ArrayBuilder collects elements, with provenance when traced. The zero builder is ready to use.
type ArrayBuilder struct{ a Array }

// NewArrayBuilder makes a builder with room for n elements.
func NewArrayBuilder(n int) *ArrayBuilder {
	return &ArrayBuilder{Array{Elems: make([]Value, 0, n)}}
}

// Add appends v without provenance.
func (b *ArrayBuilder) Add(v Value) { b.AddRef(v, 0) }

// AddRef appends v that comes from ref.
func (b *ArrayBuilder) AddRef(v Value, ref provenance.Ref) {
	if ref != 0 && b.a.Refs == nil {
		b.a.Refs = make([]provenance.Ref, len(b.a.Elems), cap(b.a.Elems)+1)
	}
	b.a.Elems = append(b.a.Elems, v)
	if b.a.Refs != nil {
		b.a.Refs = append(b.a.Refs, ref)
	}
}

// AddAll appends the elements of o with their provenance.
func (b *ArrayBuilder) AddAll(o *Array) {
	for i, v := range o.Elems {
		b.AddRef(v, o.Ref(i))
	}
}

// Len is the number of elements so far.
func (b *ArrayBuilder) Len() int { return len(b.a.Elems) }

// Array publishes what was built. The builder must not be used afterwards.
func (b *ArrayBuilder) Array() *Array { return &b.a }

// Flatten is Ruby's Array#flatten: nested arrays are dissolved, at every level.
func Flatten(a *Array) *Array {
	nested := false
	for _, e := range a.Elems {
		if _, is := e.(*Array); is {
			nested = true
			break
		}
	}
	if !nested {
		return a
	}
	b := NewArrayBuilder(len(a.Elems) + 4)
	flattenInto(b, a)
	return b.Array()
}

func flattenInto(b *ArrayBuilder, a *Array) {
	for i, e := range a.Elems {
		if n, is := e.(*Array); is {
			flattenInto(b, n)
		} else {
			b.AddRef(e, a.Ref(i))
		}
	}
}
