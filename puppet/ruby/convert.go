package ruby

import (
	"math/big"

	"bunraku/provenance"
	"bunraku/puppet/value"
)

// FromValue makes a Ruby object of a Puppet value that comes from ref. Containers are copied when they are looked at;
// the same container gives the same object throughout a run.
func (in *Interp) FromValue(v value.Value, ref provenance.Ref) Object { return in.fromValue(v, ref) }

func (in *Interp) fromValue(v value.Value, ref provenance.Ref) Object {
	switch v := v.(type) {
	case value.Undef, nil:
		return Nil{}
	case value.Bool:
		return Bool(v)
	case value.Int:
		return Int(v)
	case value.Float:
		return Float(v)
	case value.String:
		s := &String{s: string(v), unsure: in.MaybeFrozen}
		in.enters(s)
		return s
	case value.Default:
		return Symbol("default")
	case *value.Array:
		if o, ok := in.memo[v]; ok && v != value.EmptyArray {
			return o
		}
		a, again := in.kept[v].(*Array)
		if !again {
			a = &Array{src: v, of: v, in: in}
		}
		if in.prov.trace != nil {
			a.origin = &origin{spine: ref, array: v}
		}
		in.converted(v, a)
		return a
	case *value.Hash:
		if o, ok := in.memo[v]; ok && v != value.EmptyHash {
			return o
		}
		h, again := in.kept[v].(*Hash)
		if !again {
			h = &Hash{src: v, of: v, in: in}
		}
		if in.prov.trace != nil {
			h.origin = &origin{spine: ref, hash: v}
		}
		in.converted(v, h)
		return h
	case *value.Regexp:
		return &Regexp{re: v.Re, src: v.Source}
	}
	if in.Hooks.FromValue != nil {
		if o, ok := in.Hooks.FromValue(in, v, ref); ok {
			return o
		}
	}
	return &Foreign{v: v, ref: ref}
}

// ToValue makes a Puppet value of a Ruby object. What Puppet has no value for becomes its text.
func (in *Interp) ToValue(o Object) value.Value {
	in.charge(1)
	if in.Hooks.ToValue != nil {
		if v, ok := in.Hooks.ToValue(in, o); ok {
			return v
		}
	}
	switch o := o.(type) {
	case Nil, nil:
		return value.Undef{}
	case Bool:
		return value.Bool(o)
	case Int:
		return value.Int(o)
	case *Big:
		f, _ := new(big.Float).SetInt(o.n).Float64()
		return value.Float(f)
	case Float:
		return value.Float(o)
	case *String:
		return value.String(o.String())
	case Symbol:
		switch o {
		case "undef":
			return value.Undef{}
		case "default":
			return value.Default{}
		}
		return value.String(o)
	case *Array:
		if o.src != nil {
			return o.src
		}
		if in.intact(o) {
			return o.of
		}
		in.enter()
		defer in.leave()
		b := value.NewArrayBuilder(len(o.e))
		for _, e := range o.e {
			b.Add(in.ToValue(e))
		}
		a := b.Array()
		if in.giving != nil {
			in.giving.became(o.of, a)
			o.of, o.dirty = a, false
			in.converted(a, o)
		}
		return a
	case *Hash:
		if o.src != nil {
			return o.src
		}
		if in.intact(o) {
			return o.of
		}
		in.enter()
		defer in.leave()
		b := value.NewHashBuilder(o.len())
		for _, e := range o.pairs() {
			b.Set(in.ToValue(e.key), in.ToValue(e.val))
		}
		h := b.Hash()
		if in.giving != nil {
			in.giving.became(o.of, h)
			o.of, o.dirty = h, false
			in.converted(h, o)
		}
		return h
	case *Set:
		return in.ToValue(NewArray(o.h.keys()...))
	case *Regexp:
		return &value.Regexp{Source: o.src, Re: o.re}
	case *Foreign:
		return o.v
	}
	return value.String(in.toS(o))
}

// equal is == of two values of Puppet's.
func (f *Foreign) equal(g *Foreign) bool { return value.Same(f.v, g.v) }

func (in *Interp) foreignClass(f *Foreign) *Class {
	if _, ok := f.v.(*value.Sensitive); ok {
		return in.rt.sensitive
	}
	return in.rt.foreign
}

func foreignTable() []builtin {
	return []builtin{
		{"to_s", 0, 0, func(c *call) Object { return c.in.str(value.ToString(c.self.(*Foreign).v)) }},
		{"inspect", 0, 0, func(c *call) Object { return c.in.str(value.Inspect(c.self.(*Foreign).v)) }},
		{"==", 1, 1, func(c *call) Object { return Bool(c.in.equal(c.self, c.arg(0))) }},
		{"each", 0, 0, func(c *call) Object {
			f := c.self.(*Foreign)
			if c.in.Hooks.Each != nil && c.block != nil {
				if list, is := c.in.Hooks.Each(f.v); is {
					return c.in.send(c.in.fromValue(list, f.ref), "each", nil, c.block)
				}
			}
			c.in.unsupported("the method each of " + c.in.toS(f))
			return nil
		}},
	}
}

func sensitiveTable() []builtin {
	return []builtin{
		{"unwrap", 0, 0, func(c *call) Object {
			f := c.self.(*Foreign)
			if c.in.Unwrapped != nil {
				c.in.Unwrapped(f.v)
			}
			v := c.in.fromValue(f.v.(*value.Sensitive).Value, f.ref)
			if c.block != nil {
				return c.yield(v)
			}
			return v
		}},
	}
}

// A few constructors and readers for hosts.

// Text reads a string or symbol.
func Text(o Object) (string, bool) { return stringOrSymbol(o) }

// Elements reads an array.
func Elements(o Object) ([]Object, bool) {
	a, ok := o.(*Array)
	if !ok {
		return nil, false
	}
	return a.els(), true
}

// Put sets an entry of a hash.
func (h *Hash) Put(k, v Object) { h.put(k, v) }

// NewNative makes an object whose methods are the host's. The class is named for messages and is_a?.
func (in *Interp) NewNative(class, text string, call func(in *Interp, name string, args []Object, block *Proc) (Object,
	bool)) *Native {
	c := in.rt.class(class)
	if c == nil {
		c = &Class{name: class, super: in.rt.object, user: true}
	}
	return &Native{class: c, Call: call, Text: text, ivars: NewHash()}
}

// ToS is o.to_s; it may panic with the run's end, and so is for hosts that are called from a run.
func (in *Interp) ToS(o Object) string { return in.toS(o) }

// InspectOf is o.inspect, for hosts that are called from a run.
func (in *Interp) InspectOf(o Object) string { return in.inspectOf(o) }

// Yield calls a block, for hosts that are called from a run.
func (in *Interp) Yield(p *Proc, args ...Object) Object { return in.yield(p, args...) }

// ChangesRef is what decided that objects were changed in place, or were not.
func (in *Interp) ChangesRef() provenance.Ref { return in.prov.heap }

// Value is ToValue from outside of a run.
func (in *Interp) Value(o Object) (v value.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			if err = in.asError(r); err == nil {
				panic(r)
			}
		}
	}()
	return in.ToValue(o), nil
}

// Show is o.inspect from outside of a run.
func (in *Interp) Show(o Object) (s string, err error) {
	defer func() {
		if r := recover(); r != nil {
			if err = in.asError(r); err == nil {
				panic(r)
			}
		}
	}()
	return in.inspectOf(o), nil
}

// ClassName is the name of an object's class.
func (in *Interp) ClassName(o Object) string { return in.classOf(o).name }

// converted remembers what a container of Puppet's has been converted to.
func (in *Interp) converted(v any, o Object) {
	if in.memo == nil {
		in.memo = map[any]Object{}
	}
	in.memo[v] = o
}
