package ruby

import (
	"math/big"

	"bunraku/provenance"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An Object is a Ruby object. Nil, Bool, Int, Float and Symbol are plain; the others have an identity and may change.
type Object interface{ object() }

type (
	// Nil is nil.
	Nil struct{}
	// Bool is true or false.
	Bool bool
	// Int is an Integer of up to 64 bits, Big a larger one.
	Int int64
	// Big is an Integer beyond 64 bits; the number is never changed.
	Big struct{ n *big.Int }
	// Float is a Float.
	Float float64
	// Symbol is a Symbol.
	Symbol string
)

// A String is a mutable string of bytes, UTF-8 unless binary.
type String struct {
	s      string
	buf    []byte // when not nil, the contents
	frozen bool
	once   bool // a literal that is frozen: there is one of each text
	unsure bool // from a manifest: perhaps frozen
	binary bool
	ascii  bool   // US-ASCII: control characters are shown as \\x01
	root   bool   // a constant holds it
	secret bool   // it holds what the program laid bare, or what was made of that: see ofSecrets
	class  *Class // of a subclass, or nil
}

// NewString makes a string.
func NewString(s string) *String { return &String{s: s} }

// NewFrozen makes a string that nobody can change.
func NewFrozen(s string) *String { return &String{s: s, frozen: true} }

// String is the contents.
func (s *String) String() string {
	if s.buf != nil {
		return string(s.buf)
	}
	return s.s
}

func (s *String) len() int {
	if s.buf != nil {
		return len(s.buf)
	}
	return len(s.s)
}

func (s *String) set(t string) { s.s, s.buf = t, nil }

func (s *String) add(t string) {
	if s.buf == nil {
		s.buf = append(make([]byte, 0, 2*(len(s.s)+len(t))+16), s.s...)
	}
	s.buf = append(s.buf, t...)
}

// An Array is a list. One that came from Puppet is converted element by element at the first look (els).
type Array struct {
	e      []Object
	frozen bool
	root   bool // a constant holds it
	dirty  bool // it is no longer what of is
	secret bool // it was made of one: see ofSecrets
	src    *value.Array
	of     *value.Array // Puppet's array that it stands for
	origin *origin
	in     *Interp // converts src
}

// An origin says which Puppet container an array or hash is a copy of, for as long as it is not changed, so that
// reading one element depends on that element alone.
type origin struct {
	spine provenance.Ref
	array *value.Array
	hash  *value.Hash
}

// NewArray makes an array of elems, which it keeps.
func NewArray(elems ...Object) *Array { return &Array{e: elems} }

func (a *Array) els() []Object {
	if a.src != nil {
		src := a.src
		a.src = nil
		a.e = make([]Object, len(src.Elems))
		for i, v := range src.Elems {
			a.e[i] = a.in.fromValue(v, src.Ref(i))
		}
	}
	return a.e
}

// A Range is lo..hi.
type Range struct {
	lo, hi Object
	excl   bool
}

// A Regexp is a compiled pattern.
type Regexp struct {
	re    *onigmo.Regexp
	src   string
	flags onigmo.Flags
}

// A Match is a MatchData.
type Match struct {
	re  *Regexp
	s   string
	loc []int
}

// A Proc is a block that can be called: Ruby code in its frame, or a function of ours.
type Proc struct {
	block  *syntax.Block
	frame  *frame
	self   Object
	lambda bool
	native func(args []Object) Object
	arity  int // of a native one
	sym    string
}

// A MethodObject is obj.method(:name).
type MethodObject struct {
	recv Object
	name string
	m    *method
}

// An Instance is an object of a class written in Ruby.
type Instance struct {
	class *Class
	ivars *Hash
}

// An Exception is one that was or can be raised.
type Exception struct {
	class *Class
	msg   Object
	ivars *Hash
	at    source.Span // where it was raised
	line  int
	cause *Exception
}

// An Enumerator is a method of some object waiting for its block.
type Enumerator struct {
	recv  Object
	name  string
	args  []Object
	pos   int
	buf   []Object
	lazy  bool
	steps bool // an ArithmeticSequence: 1.step(10, 3)
}

// A Set is a Set.
type Set struct{ h *Hash }

// A Foreign is a value of Puppet that Ruby code can pass on and print, not look into.
type Foreign struct {
	v   value.Value
	ref provenance.Ref
}

// A Native is an object whose methods are ours: a template's scope, for instance.
type Native struct {
	class *Class
	// Call answers a method, or returns false when there is none of that name.
	Call func(in *Interp, name string, args []Object, block *Proc) (Object, bool)
	// Text is inspect and to_s.
	Text  string
	ivars *Hash
	data  any // of a built-in class
}

func (Nil) object()           {}
func (Bool) object()          {}
func (Int) object()           {}
func (*Big) object()          {}
func (Float) object()         {}
func (Symbol) object()        {}
func (*String) object()       {}
func (*Array) object()        {}
func (*Hash) object()         {}
func (*Range) object()        {}
func (*Regexp) object()       {}
func (*Match) object()        {}
func (*Proc) object()         {}
func (*MethodObject) object() {}
func (*Instance) object()     {}
func (*Exception) object()    {}
func (*Enumerator) object()   {}
func (*Set) object()          {}
func (*Foreign) object()      {}
func (*Native) object()       {}
func (*Class) object()        {}

func truthy(o Object) bool {
	switch o := o.(type) {
	case nil:
		return false
	case Nil:
		return false
	case Bool:
		return bool(o)
	case *Foreign:
		look(o)
	}
	return true
}

func orNil(o Object) Object {
	if o == nil {
		return Nil{}
	}
	return o
}

func isNil(o Object) bool {
	if o == nil {
		return true
	}
	switch o.(type) {
	case Nil:
		return true
	case *Foreign:
		look(o)
	}
	return false
}

// bigToObject makes the smallest Integer that holds n.
func bigToObject(n *big.Int) Object {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return &Big{n}
}

func toBig(o Object) *big.Int {
	switch o := o.(type) {
	case Int:
		return big.NewInt(int64(o))
	case *Big:
		return o.n
	}
	return nil
}
