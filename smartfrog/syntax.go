package smartfrog

import "bunraku/source"

// A Node is any piece of the syntax tree. The set is closed: every node type is in this file. Definitions 1 to 3
// (SmartFrog) are the abstract syntax; the comment above each node has its concrete form.
type Node interface {
	Span() source.Span // half-open bytes of the whole construct
	node()
}

// at is embedded in every node: where it stands in its file.
type at struct{ span source.Span }

// Span returns the node's place in its file.
func (a at) Span() source.Span { return a.span }
func (at) node()               {}

// A Spec is one parsed file: a specification, or a file that one includes. SF ::= B.
type Spec struct {
	File     *source.File
	Body     []Statement
	includes []*Include // all in the body, at any depth, in the order of the text
}

// A Statement is one line of a body. B ::= A B | ε.
type Statement interface {
	Node
	statement()
}

// Assignment is `target value`. A ::= R V.
type Assignment struct {
	at
	Target *Ref // nil for the HP spelling `-- value`, whose name evaluation invents
	Value  Expr
	Tags   []string // the HP spelling `[tag, tag] target value`; they have no meaning here
}

// Include is `#include "path";`. It stands for the body of the file it names.
type Include struct {
	at
	Path     string
	PathSpan source.Span
}

// Order is `order a < b < c;`: section 10.4 of the paper.
type Order struct {
	at
	Refs []*Ref // at least two
}

func (*Assignment) statement() {}
func (*Include) statement()    {}
func (*Order) statement()      {}

// An Expr is the right-hand side of an assignment. V ::= BV | LR | P.
type Expr interface {
	Node
	expr()
}

// A Basic is a value that stands for itself. BV ::= Bool | Num | Str | DR | Vec | Null.
type Basic interface {
	Expr
	basic()
}

// basicNode is embedded in the nodes of basic values.
type basicNode struct{ at }

func (basicNode) expr()  {}
func (basicNode) basic() {}

// BoolLit is `true` or `false`.
type BoolLit struct {
	basicNode
	Value bool
}

// NumLit is `10`, `-0x1F`, `1.5e3`. Text is as written.
type NumLit struct {
	basicNode
	Text string
}

// StrLit is `"text"`, or under --extended `##text#`. Value is after escapes.
type StrLit struct {
	basicNode
	Value string
}

// NullLit is `NULL`.
type NullLit struct{ basicNode }

// DataRefLit is `DATA a:b`: a reference that is not resolved. DR ::= R.
type DataRefLit struct {
	basicNode
	Ref *Ref
}

// VecLit is `[1, true, "x"]`. Vec ::= (BV)*.
type VecLit struct {
	basicNode
	Elems []Basic
}

// LazyRefLit is `LAZY a:b`, an HP spelling: a reference that the running system resolves.
type LazyRefLit struct {
	basicNode
	Ref *Ref
}

// TBDLit is `TBD`, an HP spelling: to be defined by whoever extends the component.
type TBDLit struct{ basicNode }

// Link is `a:b`: the value found there. LR ::= R.
type Link struct {
	at
	Ref *Ref
}

// Extends is `extends A, { … }, B`. P ::= R P | B P | ε.
type Extends struct {
	at
	Protos []Prototype // at least one
	one    [1]Prototype
}

func (*Link) expr()    {}
func (*Extends) expr() {}

// A Prototype is one element of an `extends` list: a *Ref or a *Block.
type Prototype interface {
	Node
	prototype()
}

// Block is `{ body }`.
type Block struct {
	at
	Body []Statement
}

// Ref is `a:b:c`. R ::= (I)+.
type Ref struct {
	at
	Path  Reference
	parts []source.Span // of each identifier, when there are several
	one   [1]string     // what Path points at when it has one identifier: most have
}

func (*Block) prototype() {}
func (*Ref) prototype()   {}

// Part returns the place of one identifier of the reference.
func (r *Ref) Part(i int) source.Span {
	if r.parts == nil {
		return r.span
	}
	return r.parts[i]
}
