package ruby

import (
	"math"
	"strconv"
)

// Conversions of arguments, with Ruby's complaints.

// toStr reads an argument that must be a string.
func (in *Interp) toStr(o Object) string {
	switch o := o.(type) {
	case *String:
		return o.String()
	case *Instance:
		if in.responds(o, "to_str") {
			return in.toS(in.send(o, "to_str", nil, nil))
		}
	}
	in.raise("TypeError", "no implicit conversion of %s into String", in.describe(o))
	return ""
}

func (c *call) str(i int) string { return c.in.toStr(c.arg(i)) }

// toInt reads an argument that must be an integer that fits a machine word.
func (in *Interp) toInt(o Object) int {
	switch o := o.(type) {
	case Int:
		return int(o)
	case Float:
		f := float64(o)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			in.raise("FloatDomainError", "%s", in.toS(o))
		}
		if math.Abs(f) >= 1<<62 {
			in.raise("RangeError", "float %s out of range of integer", strconv.FormatFloat(f, 'g', 6, 64))
		}
		return int(f)
	case *Big:
		in.raise("RangeError", "bignum too big to convert into `long'")
	case Nil, nil:
		in.raise("TypeError", "no implicit conversion from nil to integer")
	case Bool:
		in.raise("TypeError", "no implicit conversion of %s into Integer", in.toS(o))
	case *Instance:
		if in.responds(o, "to_int") {
			return in.toInt(in.send(o, "to_int", nil, nil))
		}
	}
	in.raise("TypeError", "no implicit conversion of %s into Integer", in.describe(o))
	return 0
}

func (c *call) int(i int) int { return c.in.toInt(c.arg(i)) }

// toArray reads an argument that must be an array.
func (in *Interp) toArray(o Object) []Object {
	switch o := o.(type) {
	case *Array:
		return o.els()
	case *Instance:
		if in.responds(o, "to_ary") {
			return in.toArray(in.send(o, "to_ary", nil, nil))
		}
	}
	in.raise("TypeError", "no implicit conversion of %s into Array", in.describe(o))
	return nil
}

func (c *call) array(i int) []Object { return c.in.toArray(c.arg(i)) }

func (in *Interp) toHash(o Object) *Hash {
	switch o := o.(type) {
	case *Hash:
		o.load()
		return o
	case *Instance:
		if in.responds(o, "to_hash") {
			return in.toHash(in.send(o, "to_hash", nil, nil))
		}
	}
	in.raise("TypeError", "no implicit conversion of %s into Hash", in.describe(o))
	return nil
}

func (c *call) hash(i int) *Hash { return c.in.toHash(c.arg(i)) }

// symbolOrString reads the name of a method or variable.
func (c *call) nameArg(i int) string {
	if s, ok := stringOrSymbol(c.arg(i)); ok {
		return s
	}
	c.raise("TypeError", "%s is not a symbol nor a string", c.in.inspectOf(c.arg(i)))
	return ""
}

// options takes keyword arguments off the end of a built-in's arguments.
func (c *call) options() *Hash {
	if n := len(c.args); n > 0 {
		if h, ok := c.args[n-1].(*Hash); ok && h.kw {
			c.args = c.args[:n-1]
			return h
		}
	}
	return c.in.newHash()
}

// float reads a number as a float.
func (in *Interp) toFloat(o Object) float64 {
	switch o := o.(type) {
	case Int:
		return float64(o)
	case Float:
		return float64(o)
	case *Big:
		f, _ := o.n.Float64()
		return f
	case Nil, nil:
		in.raise("TypeError", "can't convert nil into Float")
	case Bool:
		in.raise("TypeError", "can't convert %s into Float", in.toS(o))
	}
	in.raise("TypeError", "can't convert %s into Float", in.describe(o))
	return 0
}

func isFrozen(o Object) bool {
	switch o := o.(type) {
	case *String:
		return o.frozen
	case *Array:
		return o.frozen
	case *Hash:
		return o.frozen
	case *Instance, *Proc, *Exception, *Native, *Set, *Enumerator, *Match, *MethodObject, *Class:
		return false
	}
	return true
}

// mutable raises if the receiver cannot be changed.
func (c *call) mutable() {
	if isFrozen(c.self) {
		c.raise("FrozenError", "can't modify frozen %s: %s", c.in.classOf(c.self).name, c.in.inspectOf(c.self))
	}
}

// change must be called before an object is changed.
func (c *call) change() {
	c.mutable()
	switch o := c.self.(type) {
	case *String:
		if o.unsure {
			c.in.unsupported("changing a string of the manifest's, which may be frozen")
		}
		if o.root {
			c.in.keep()
		}
	case *Array:
		if o.of != nil && !o.dirty {
			c.changePuppets(o.of, &o.frozen)
			o.dirty = true
		}
		c.in.changed = true
		if o.root {
			c.in.keep()
		}
		o.els()
		o.origin = nil
	case *Hash:
		if o.of != nil && !o.dirty {
			c.changePuppets(o.of, &o.frozen)
			o.dirty = true
		}
		c.in.changed = true
		if o.root {
			c.in.keep()
		}
		o.load()
		o.origin = nil
	}
}
