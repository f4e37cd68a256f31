// Package syntax makes a tree of any Ruby 3.1 file that Puppet's modules contain: every node has its span, errors are
// diagnostics, and local variables are resolved to slots. It knows nothing of values; package ruby runs what it reads.
//
// Start reading at parse.go (statements); expressions are in expr.go, calls in call.go, definitions in define.go,
// tokens in scan.go and scanstring.go.
package syntax

import (
	"math/big"

	"bunraku/puppet/onigmo"
	"bunraku/source"
)

// A Node is a piece of Ruby syntax. The set is closed.
type Node interface {
	Span() source.Span
	node()
}

// At is where a node stands; every node embeds it.
type At struct{ Where source.Span }

// Span is the node's place in its file.
func (a At) Span() source.Span { return a.Where }
func (At) node()               {}

// Literals.
type (
	// NilLit is nil.
	NilLit struct{ At }
	// BoolLit is true or false.
	BoolLit struct {
		At
		Value bool
	}
	// SelfLit is self.
	SelfLit struct{ At }
	// IntLit is 42; Big is set when 64 bits are too few.
	IntLit struct {
		At
		Value int64
		Big   *big.Int
	}
	// FloatLit is 4.2.
	FloatLit struct {
		At
		Value float64
	}
	// StrLit is a string without interpolation, all escapes resolved; Frozen if its file says so of all of them.
	StrLit struct {
		At
		Value  string
		Frozen bool
	}
	// DStr is "a#{b}c": StrLits and Seqs in turn.
	DStr struct {
		At
		Parts []Node
	}
	// XStr is `command`, which is never run.
	XStr struct {
		At
		Parts []Node
	}
	// SymLit is :name.
	SymLit struct {
		At
		Name string
	}
	// DSym is :"a#{b}".
	DSym struct {
		At
		Parts []Node
	}
	// RegexLit is /…/flags. Re is set when nothing is interpolated.
	RegexLit struct {
		At
		Parts []Node
		Flags onigmo.Flags
		Re    *onigmo.Regexp
	}
	// ArrayLit is [a, *b].
	ArrayLit struct {
		At
		Elems []Node
	}
	// HashLit is {a => b, c: d, **e}. Without braces it is the keyword arguments of a call.
	HashLit struct {
		At
		Pairs  []Pair
		Braces bool
	}
	// RangeLit is lo..hi or lo...hi; either end may be nil.
	RangeLit struct {
		At
		Lo, Hi    Node
		Exclusive bool
	}
)

// A Pair is one entry of a hash literal; Key is nil for **Value.
type Pair struct{ Key, Value Node }

// Variables and names.
type (
	// LVar is a local variable: slot Index of the frame Depth blocks further out.
	LVar struct {
		At
		Name         string
		Depth, Index int
	}
	// IVar is @name.
	IVar struct {
		At
		Name string
	}
	// GVar is $name.
	GVar struct {
		At
		Name string
	}
	// CVar is @@name.
	CVar struct {
		At
		Name string
	}
	// Const is Name, Scope::Name or ::Name.
	Const struct {
		At
		Scope Node // nil unless qualified
		Top   bool
		Name  string
	}
)

// Calls.
type (
	// Call is recv.name(args) { block }, and all operators but && || ! = and their kin.
	Call struct {
		At
		Recv   Node // nil for a call of self's
		Name   string
		NameAt source.Span
		Args   []Node
		Block  *Block
		Pass   Node // &expr
		Safe   bool // &.
		Parens bool // written with parentheses: never a variable
		Shape  Shape
	}
	// Super is super or super(args).
	Super struct {
		At
		Args  []Node
		Bare  bool // passes on what came in
		Block *Block
		Pass  Node
	}
	// Yield is yield(args).
	Yield struct {
		At
		Args []Node
	}
	// Splat is *expr in arguments, array literals and assignments.
	Splat struct {
		At
		Value Node
	}
	// Block is { |params| body }, do … end, or the function of ->.
	Block struct {
		At
		Params  *Params
		Body    *Seq
		Slots   int // local variables of its own
		Numbers int // highest of _1, _2 used without declared parameters
		Lambda  bool
		Jumps   Jumps
		Outer   []*LVar // variables of enclosing frames that it assigns, as seen from inside
	}
	// Lambda is ->(x) { … } as an expression.
	Lambda struct {
		At
		Block *Block
	}
)

// Shape notes how a call's arguments look, so that the common ones are quick.
type Shape uint8

// The shapes.
const (
	Plain  Shape = iota // positional arguments only
	Spread              // with splats or keywords
)

// Jumps says which jumps a body contains, so that only those are caught.
type Jumps uint8

// The jumps.
const (
	HasNext Jumps = 1 << iota
	HasBreak
	HasReturn
	HasRedo
)

// Operators that are no calls.
type (
	// Not is !x or not x; it calls ! in Ruby, which nobody redefines.
	Not struct {
		At
		Value Node
	}
	// And is a && b, a and b.
	And struct {
		At
		Left, Right Node
	}
	// Or is a || b, a or b.
	Or struct {
		At
		Left, Right Node
	}
	// Defined is defined?(x).
	Defined struct {
		At
		Value Node
	}
	// Assign is target = value; a target is an LVar, IVar, GVar, CVar, Const, a Call (attribute or index) or a Targets.
	Assign struct {
		At
		Target, Value Node
	}
	// OpAssign is target op= value; Op is the operator without =.
	OpAssign struct {
		At
		Target Node
		Op     string
		Value  Node
	}
	// Targets is the left side of a multiple assignment; at most one is a Splat.
	Targets struct {
		At
		List []Node
	}
)

// Control.
type (
	// Seq is statements one after the other.
	Seq struct {
		At
		Stmts []Node
	}
	// If is if, unless, their modifiers and ?:.
	If struct {
		At
		Cond, Then, Else Node // Then and Else may be nil
	}
	// While is while and until; DoWhile is begin … end while.
	While struct {
		At
		Cond           Node
		Body           Node
		Until, DoWhile bool
		Jumps          Jumps
	}
	// For is for target in value.
	For struct {
		At
		Target Node
		Value  Node
		Body   *Seq
		Jumps  Jumps
	}
	// Case is case subject when ….
	Case struct {
		At
		Subject Node // nil for a case without
		Whens   []When
		Else    Node
	}
	// Begin is a body with rescue and ensure parts.
	Begin struct {
		At
		Body    Node
		Rescues []Rescue
		Else    Node
		Ensure  Node
	}
	// Jump is return, next, break, redo or retry.
	Jump struct {
		At
		Kind  string
		Value Node // may be nil
	}
)

// A When is one branch of a case.
type When struct {
	At
	Tests []Node // may hold Splats
	Body  Node
}

// A Rescue is one rescue part.
type Rescue struct {
	At
	Classes []Node // none for StandardError
	Target  Node   // => e; may be nil
	Body    Node
}

// Definitions.
type (
	// Def is def name(params) … end.
	Def struct {
		At
		Singleton Node // def self.name
		Name      string
		NameAt    source.Span
		Params    *Params
		Body      Node
		Slots     int
		Jumps     Jumps
	}
	// ClassDef is class Path < Super … end; Module leaves Super nil and sets IsModule.
	ClassDef struct {
		At
		Path     *Const
		Super    Node
		IsModule bool
		Body     *Seq
		Slots    int
	}
	// SClass is class << expr … end.
	SClass struct {
		At
		Value Node
		Body  *Seq
		Slots int
	}
	// Alias is alias new old.
	Alias struct {
		At
		New, Old string
	}
	// Undef is undef name.
	Undef struct {
		At
		Names []string
	}
)

// Params are the parameters of a method or block.
type Params struct {
	At
	Pre     []*Param // required, in front
	Opt     []*Param
	Rest    *Param
	Post    []*Param // required, behind the rest
	Key     []*Param
	KeyRest *Param
	Block   *Param
	Excess  bool // |a,|: further elements are dropped
}

// A Param is one parameter. Sub is set for (a, b).
type Param struct {
	At
	Name    string // "" for a bare * or **
	Slot    int
	Default Node
	Sub     *Params
}

// A Program is one parsed file.
type Program struct {
	File  *source.File
	Body  *Seq
	Slots int
	Names []string // of the top-level local variables, by slot
}
