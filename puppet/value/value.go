// Package value is Puppet's data: undef, default, booleans, numbers, strings, regexps, arrays, ordered hashes, and the
// rich values (Sensitive, Deferred, Binary, SemVer, Timestamp, Timespan, URI, iterators, Pcore objects, types).
//
// Values are plain and immutable once published. Provenance rides on the slots of containers (Array.Refs, Entry.Ref),
// never in the values themselves. The package owns equality (Equal is Puppet's ==, Same is what hash keys use),
// ordering (Compare), truth (Truthy), and the many texts of one value: ToString is "${x}", Inspect is Ruby's inspect as
// templates and sprintf show it, Literal is how Puppet prints a value inside a type or an object. String($x) with its
// formats is in package types, because formats are chosen by type.
//
// It may import provenance, and onigmo for regexps. Start reading here, then hash.go and equal.go.
package value

import "bunraku/puppet/onigmo"

// A Value is any Puppet value. The set is closed: everything is in this package, except types, which embed TypeMark.
type Value interface{ value() }

// Undef is the absent value.
type Undef struct{}

// Default is the value of the keyword `default`.
type Default struct{}

// Bool is true or false.
type Bool bool

// Int is an integer. Puppet rejects arithmetic that leaves 64 bits, so 64 bits are enough.
type Int int64

// Float is a floating point number.
type Float float64

// String is a string; Puppet strings are UTF-8.
type String string

// Binary is bytes, kept as an immutable Go string.
type Binary string

// A Regexp is a compiled regular expression. Its identity is its source (Puppet has no flags outside of it).
type Regexp struct {
	Source string
	Re     *onigmo.Regexp
}

// Sensitive hides a value from every text.
type Sensitive struct{ Value Value }

// Deferred is a call that the agent makes. Args is nil when none were given.
type Deferred struct {
	Name string
	Args *Array
}

// An Opaque stands for a value that could not be computed, and says why. It equals only itself.
type Opaque struct {
	Why    string
	Absent bool // for want of a module that is not there
	Text   bool // it is a string, whichever: a secret
	// Settled says that it is the same as long as the answers are the same to what was asked: it is only not computed
	Settled bool
	// Elsewhere says that it stands for what other machines have: which files Hiera would read for them is asked.
	Elsewhere bool
	// Has is what a list or hash that is not known has certainly, among others: an array or a hash; nil for nothing.
	Has Value
	// Digits are those of an integer of somebody else's catalog that 64 bits cannot hold: it can be compared and copied
	Digits string
}

// A Type is a Puppet type used as a value. Package types implements it, by embedding TypeMark.
type Type interface {
	Value
	// String is the type as Puppet prints it.
	String() string
	// Name is the type's name without parameters.
	Name() string
	// EqualType is Puppet's == on types (structural).
	EqualType(Type) bool
}

// TypeMark makes a struct that embeds it a Type.
type TypeMark struct{}

func (TypeMark) value() {}

func (Undef) value()        {}
func (Default) value()      {}
func (Bool) value()         {}
func (Int) value()          {}
func (Float) value()        {}
func (String) value()       {}
func (Binary) value()       {}
func (*Regexp) value()      {}
func (*Array) value()       {}
func (*Hash) value()        {}
func (*Sensitive) value()   {}
func (*Deferred) value()    {}
func (*Opaque) value()      {}
func (*SemVer) value()      {}
func (*SemVerRange) value() {}
func (Timestamp) value()    {}
func (Timespan) value()     {}
func (*URI) value()         {}
func (*Iterator) value()    {}
func (*Object) value()      {}

// Truthy is Puppet's truth: only undef and false are not.
func Truthy(v Value) bool {
	switch v := v.(type) {
	case Undef:
		return false
	case Bool:
		return bool(v)
	}
	return true
}

// NewRegexp compiles a regular expression as Puppet's lexer and Regexp.new do.
func NewRegexp(source string) (*Regexp, error) {
	re, err := onigmo.Compile(source, 0)
	if err != nil {
		return nil, err
	}
	return &Regexp{source, re}, nil
}

// OrUndef maps a missing Go value to undef.
func OrUndef(v Value) Value {
	if v == nil {
		return Undef{}
	}
	return v
}

// IsUndef reports whether v is undef (or nothing at all).
func IsUndef(v Value) bool {
	if v == nil {
		return true
	}
	_, is := v.(Undef)
	return is
}
