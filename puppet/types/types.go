// Package types is Puppet's type system, Pcore: every type as a plain struct, and what Puppet does with them. Parsing
// (FromExpr, Parse, Access), printing (String), inference (Infer, InferSet), membership (IsInstance), assignability
// (Assignable), the common type of two (Common), mismatch texts (DescribeMismatch and its kin), conversions (New), and
// wire data (ToData). Facts and wording are those of Puppet 7.23's pops/types.
//
// Aliases may be recursive; guard.go holds the rule by which Puppet walks them, with its observable oddities.
//
// It may import syntax and value. Start reading at the structs here, then assign.go and instance.go.
package types

import (
	"cmp"
	"math"

	"bunraku/puppet/value"
)

// T is any Puppet type.
type T = value.Type

// The types without parameters.
type (
	// Any is the type of everything.
	Any struct{ value.TypeMark }
	// Undef is the type of undef.
	Undef struct{ value.TypeMark }
	// Unit is "whatever the other side is"; it appears in the types of empty containers.
	Unit struct{ value.TypeMark }
	// Default is the type of `default`.
	Default struct{ value.TypeMark }
	// Scalar is a single value.
	Scalar struct{ value.TypeMark }
	// ScalarData is a scalar that JSON knows.
	ScalarData struct{ value.TypeMark }
	// Numeric is Integer or Float.
	Numeric struct{ value.TypeMark }
	// Binary is bytes.
	Binary struct{ value.TypeMark }
	// SemVerRange is the type of version ranges.
	SemVerRange struct{ value.TypeMark }
	// CatalogEntry is a class or a resource.
	CatalogEntry struct{ value.TypeMark }
)

// The types around one other type; nil stands for "not given".
type (
	// NotUndef is T without undef.
	NotUndef struct {
		value.TypeMark
		T T
	}
	// Optional is T or undef.
	Optional struct {
		value.TypeMark
		T T
	}
	// Type is the type of types.
	Type struct {
		value.TypeMark
		T T
	}
	// Iterable is what can be walked, with elements of type T.
	Iterable struct {
		value.TypeMark
		T T
	}
	// Iterator is a lazy sequence.
	Iterator struct {
		value.TypeMark
		T T
	}
	// Sensitive hides a T. T is never nil.
	Sensitive struct {
		value.TypeMark
		T T
	}
)

// Integer is a range of integers. The ends of int64 stand for "no bound", unless Closed says that the greatest of them
// is meant.
type Integer struct {
	value.TypeMark
	From, To int64
	Closed   bool
}

// Float is a range of floats, infinite where unbounded.
type Float struct {
	value.TypeMark
	From, To float64
}

// String is strings of a size, or one literal string.
type String struct {
	value.TypeMark
	Size *Integer
	Val  *string
}

// Enum is some strings, sorted and unique.
type Enum struct {
	value.TypeMark
	Values []string
	Fold   bool // case does not matter
}

// Pattern is strings that match one of the regexps.
type Pattern struct {
	value.TypeMark
	Regexps []*Regexp
}

// Regexp is one regular expression, or all when Re is nil.
type Regexp struct {
	value.TypeMark
	Re *value.Regexp
}

// Boolean is both truth values, or one.
type Boolean struct {
	value.TypeMark
	Val *bool
}

// Collection is arrays and hashes of a size.
type Collection struct {
	value.TypeMark
	Size *Integer
}

// Array is arrays. Elem is never nil.
type Array struct {
	value.TypeMark
	Elem T
	Size *Integer
}

// Hash is hashes. Key and Val are never nil.
type Hash struct {
	value.TypeMark
	Key, Val T
	Size     *Integer
}

// Tuple is arrays with a type per position; the last repeats when Size allows more.
type Tuple struct {
	value.TypeMark
	Types []T
	Size  *Integer
}

// Struct is hashes with a type per key.
type Struct struct {
	value.TypeMark
	Elems []Element
}

// An Element is one key of a Struct. Key is a literal String, inside Optional when the key may be absent.
type Element struct{ Key, Val T }

// Variant is any of several types.
type Variant struct {
	value.TypeMark
	Types []T
}

// Callable is functions and lambdas. Params nil means any parameters; Block nil means no block; Return nil means Any.
type Callable struct {
	value.TypeMark
	Params *Tuple
	Block  T
	Return T
}

// SemVer is versions in one of the ranges; none means all.
type SemVer struct {
	value.TypeMark
	Ranges []*value.SemVerRange
}

// Timespan is a range of time spans; nil is no bound.
type Timespan struct {
	value.TypeMark
	From, To *value.Timespan
}

// Timestamp is a range of moments; nil is no bound.
type Timestamp struct {
	value.TypeMark
	From, To *value.Timestamp
}

// URI is URIs whose parts match Params (a hash of part to pattern), or all when it is nil.
type URI struct {
	value.TypeMark
	Params *value.Hash
}

// Class is a class reference, or all classes when Of is "".
type Class struct {
	value.TypeMark
	Of       string
	Declared bool // see Resource
}

// Resource is a resource reference: Type is as written ("File"), "" for all; Title may be missing. A Declared one has
// been the value of an attribute: there Puppet turns it into the resource itself, which prints as File[/a] and no
// longer equals the type.
type Resource struct {
	value.TypeMark
	Type     string
	Title    string
	HasTitle bool
	Declared bool
	// Absent: a module would bring the type which is not there. It may as well be a data type: everything may be of it.
	Absent bool
	Why    string // of one that is there, and of which nothing is known all the same
}

// NewAbsent is a type that a module would bring which is not there.
func NewAbsent(name string) *Resource { return &Resource{Type: name, Absent: true} }

// NewUnknown is a type of which it is not known what is of it, and why.
func NewUnknown(name, why string) *Resource { return &Resource{Type: name, Absent: true, Why: why} }

// AbsentIn is the type which is not there, or not known, on which it hangs what is of a type; nil if there is none.
func AbsentIn(t T) *Resource { return absentIn(8, t) }

func absentIn(depth int, list ...T) *Resource {
	if depth == 0 {
		return nil
	}
	for _, t := range list {
		var found *Resource
		switch t := t.(type) {
		case *Resource:
			if t.Absent {
				found = t
			}
		case *Optional:
			found = absentIn(depth-1, t.T)
		case *NotUndef:
			found = absentIn(depth-1, t.T)
		case *Alias:
			found = absentIn(depth-1, t.To)
		case *Array:
			found = absentIn(depth-1, t.Elem)
		case *Hash:
			found = absentIn(depth-1, t.Key, t.Val)
		case *Variant:
			found = absentIn(depth-1, t.Types...)
		case *Tuple:
			found = absentIn(depth-1, t.Types...)
		case *Struct:
			for _, e := range t.Elems {
				found = cmp.Or(found, absentIn(depth-1, e.Val))
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// Runtime is a value of the implementing language.
type Runtime struct {
	value.TypeMark
	Runtime string // "ruby", or "" for any
	Of      string // a class name, "" for any
	Pattern *value.Array
}

// TypeReference is a type that could not be found.
type TypeReference struct {
	value.TypeMark
	Text string
}

// Init is what New accepts for T, with Args following.
type Init struct {
	value.TypeMark
	T    T
	Args []value.Value
	made *initState
}

// The types that need no more than one instance.
var (
	AnyT          = &Any{}
	UndefT        = &Undef{}
	UnitT         = &Unit{}
	DefaultT      = &Default{}
	ScalarT       = &Scalar{}
	ScalarDataT   = &ScalarData{}
	NumericT      = &Numeric{}
	BinaryT       = &Binary{}
	SemVerRangeT  = &SemVerRange{}
	CatalogEntryT = &CatalogEntry{}
	NotUndefT     = &NotUndef{}
	OptionalT     = &Optional{}
	TypeT         = &Type{}
	IterableT     = &Iterable{}
	IteratorT     = &Iterator{}
	SensitiveT    = &Sensitive{T: AnyT}
	IntegerT      = &Integer{From: NoMin, To: NoMax}
	FloatT        = &Float{From: math.Inf(-1), To: math.Inf(1)}
	StringT       = &String{}
	NonEmpty      = &String{Size: &Integer{From: 1, To: NoMax}}
	EnumT         = &Enum{}
	PatternT      = &Pattern{}
	RegexpT       = &Regexp{}
	BooleanT      = &Boolean{}
	TrueT         = &Boolean{Val: ptr(true)}
	FalseT        = &Boolean{Val: ptr(false)}
	CollectionT   = &Collection{}
	ArrayT        = &Array{Elem: AnyT}
	EmptyArrayT   = &Array{Elem: UnitT, Size: zeroSize}
	HashT         = &Hash{Key: AnyT, Val: AnyT}
	EmptyHashT    = &Hash{Key: UnitT, Val: UnitT, Size: zeroSize}
	TupleT        = &Tuple{}
	StructT       = &Struct{}
	VariantT      = &Variant{}
	CallableT     = &Callable{}
	SemVerT       = &SemVer{}
	TimespanT     = &Timespan{}
	TimestampT    = &Timestamp{}
	URIT          = &URI{}
	ClassT        = &Class{}
	ResourceT     = &Resource{}
	RuntimeT      = &Runtime{}
	InitT         = &Init{}
	TypeRefT      = &TypeReference{Text: "UnresolvedReference"}

	zeroSize    = &Integer{From: 0, To: 0}
	anySize     = &Integer{From: 0, To: NoMax}
	pairSize    = &Integer{From: 2, To: 2}
	defaultPair = &Tuple{Types: []T{UnitT, UnitT}, Size: pairSize}
	oneChar     = &String{Size: &Integer{From: 1, To: 1}}
)

// NoMin and NoMax are the missing bounds of an Integer.
const (
	NoMin = math.MinInt64
	NoMax = math.MaxInt64
)

func ptr[V any](v V) *V { return &v }

// Names, as Puppet's simple_name has them.

func (*Any) Name() string           { return "Any" }
func (*Undef) Name() string         { return "Undef" }
func (*Unit) Name() string          { return "Unit" }
func (*Default) Name() string       { return "Default" }
func (*Scalar) Name() string        { return "Scalar" }
func (*ScalarData) Name() string    { return "ScalarData" }
func (*Numeric) Name() string       { return "Numeric" }
func (*Binary) Name() string        { return "Binary" }
func (*SemVerRange) Name() string   { return "SemVerRange" }
func (*CatalogEntry) Name() string  { return "CatalogEntry" }
func (*NotUndef) Name() string      { return "NotUndef" }
func (*Optional) Name() string      { return "Optional" }
func (*Type) Name() string          { return "Type" }
func (*Iterable) Name() string      { return "Iterable" }
func (*Iterator) Name() string      { return "Iterator" }
func (*Sensitive) Name() string     { return "Sensitive" }
func (*Integer) Name() string       { return "Integer" }
func (*Float) Name() string         { return "Float" }
func (*String) Name() string        { return "String" }
func (*Enum) Name() string          { return "Enum" }
func (*Pattern) Name() string       { return "Pattern" }
func (*Regexp) Name() string        { return "Regexp" }
func (*Boolean) Name() string       { return "Boolean" }
func (*Collection) Name() string    { return "Collection" }
func (*Array) Name() string         { return "Array" }
func (*Hash) Name() string          { return "Hash" }
func (*Tuple) Name() string         { return "Tuple" }
func (*Struct) Name() string        { return "Struct" }
func (*Variant) Name() string       { return "Variant" }
func (*Callable) Name() string      { return "Callable" }
func (*SemVer) Name() string        { return "SemVer" }
func (*Timespan) Name() string      { return "Timespan" }
func (*Timestamp) Name() string     { return "Timestamp" }
func (*URI) Name() string           { return "URI" }
func (*Class) Name() string         { return "Class" }
func (*Resource) Name() string      { return "Resource" }
func (*Runtime) Name() string       { return "Runtime" }
func (*TypeReference) Name() string { return "TypeReference" }
func (*Init) Name() string          { return "Init" }
func (a *Alias) Name() string       { return a.Of }
func (o *Object) Name() string      { return o.Of }
func (e *ObjectExt) Name() string   { return e.Base.Of }
func (t *TypeSet) Name() string     { return t.Of }
