package mupuppet

import "bunraku/source"

// This file is the paper's Figure 6 (abstract syntax) and the run-time statements of Figure 7. Each production is one
// struct; each nonterminal is an interface closed by its marker method, or a cons list where the paper has one.
//
// The paper identifies m ::= s and s ::= e with their left sides. Here the injections are explicit (Top, ExprStmt), so
// that a term's Go type says which judgement rewrites it.

// A term is anything that some judgement rewrites.
type term interface {
	place() source.Span
	form() form
	normal() bool // no judgement rewrites it further: a value, a finished list, skip
}

// at is embedded in every term: the place in the manifest that it was written at, or that made it.
type at struct{ span source.Span }

func (a at) place() source.Span { return a.span }

// A form is a syntactic form, the head of a rule's conclusion. Rules are found by it.
type form uint8

const (
	formLit form = iota
	formVar
	formArith
	formComp
	formAnd
	formOr
	formNot
	formArray
	formElem
	formHash
	formEntry
	formSelector
	formDeref
	formRef
	formOuterExpr
	formAttr
	formBody
	formExprStmt
	formSkip
	formSeq
	formAssign
	formIf
	formUnless
	formCase
	formNative
	formDefined
	formInclude
	formClassDecl
	formScope
	formOuterStmt
	formTop
	formMSeq
	formNode
	formDefine
	formClass
	forms // how many there are
)

// ---- e, expressions

// An Expr is an expression e.
type Expr interface {
	term
	expr()
}

// A Lit is a value v; with provenance on, an annotated value v^β.
type Lit struct {
	at
	Value Value
	Note  *Note
}

// VarKind says how a variable is written.
type VarKind uint8

const (
	Local     VarKind = iota // $x
	TopVar                   // $::x
	Qualified                // $::a::x
)

// A Var is $x, $::x or $::a::x.
type Var struct {
	at
	Kind  VarKind
	Class string // of Qualified
	Name  string
}

// An Op is a binary operator as written.
type Op string

// An Arith is e1 + e2, for + - * / % << >>.
type Arith struct {
	at
	Op   Op
	L, R Expr
}

// A Comp is e1 > e2, for == != < <= > >=.
type Comp struct {
	at
	Op   Op
	L, R Expr
}

// An And is e1 and e2.
type And struct {
	at
	L, R Expr
}

// An Or is e1 or e2.
type Or struct {
	at
	L, R Expr
}

// A Not is !e.
type Not struct {
	at
	X Expr
}

// An Array is [A]. One whose elements are all values is a Lit instead: build it with newArray.
type Array struct {
	at
	A *Elem
}

// An Elem is A ::= ε | e, A. The nil *Elem is ε.
type Elem struct {
	E    Expr
	Rest *Elem
	done bool // e and all of A are values
}

// A Hash is {H}. One whose entries are all values is a Lit instead: build it with newHash.
type Hash struct {
	at
	H *Entry
}

// An Entry is H ::= ε | k ⇒ e, H in a hash expression. The nil *Entry is ε.
type Entry struct {
	Key  Value // a scalar: Int or Str
	E    Expr
	Rest *Entry
	done bool
}

// A Selector is e ? {M}.
type Selector struct {
	at
	E Expr
	M *Match
}

// A Match is M ::= ε | c ⇒ e, M. C is nil for default. The nil *Match is ε.
type Match struct {
	C    Expr
	E    Expr
	Rest *Match
}

// A Deref is d[e].
type Deref struct {
	at
	D, E Expr
}

// A Ref is t[e], a resource reference whose title is still to be evaluated; build it with newRef.
type Ref struct {
	at
	Type string
	E    Expr
}

// An OuterExpr is e^{+β} (thesis, Figure 5.2), kept only where Figure 5.4 does not push +β inwards; build it with
// plusExpr.
type OuterExpr struct {
	at
	E Expr
	B Deps
}

// ---- H and e : H, the bodies of declarations

// An Attr is H ::= ε | x ⇒ e, H in a declaration. The nil *Attr is ε.
type Attr struct {
	at
	Name string
	E    Expr
	Rest *Attr
	done bool
}

// A Body is e : H, a title and attributes.
type Body struct {
	at
	Title Expr
	H     *Attr
}

// ---- s, statements

// A Stmt is a statement s.
type Stmt interface {
	term
	stmt()
}

// An ExprStmt is an expression whose value is ignored.
type ExprStmt struct {
	at
	E Expr
}

// Skip is the empty statement.
type Skip struct{ at }

// A Seq is s1 ␣ s2.
type Seq struct {
	at
	S1, S2 Stmt
}

// An Assign is $x = e.
type Assign struct {
	at
	Name string
	E    Expr
}

// An If is if e {s1} else {s2}.
type If struct {
	at
	E      Expr
	S1, S2 Stmt
}

// An Unless is unless e {s}.
type Unless struct {
	at
	E Expr
	S Stmt
}

// A Case is case e {C}.
type Case struct {
	at
	E Expr
	C *Branch
}

// A Branch is C ::= ε | c : {s} ␣ C. C is nil for default. The nil *Branch is ε.
type Branch struct {
	C    Expr
	S    Stmt
	Rest *Branch
}

// A Native is t {e : H}, a resource of a built-in type.
type Native struct {
	at
	Type string // capitalised, as in a reference: File
	R    *Body
}

// A Defined is u {e : H}, a resource of a defined type.
type Defined struct {
	at
	Name string
	R    *Body
}

// A ClassDecl is class {a : H}.
type ClassDecl struct {
	at
	Name string
	H    *Attr
}

// An Include is include a.
type Include struct {
	at
	Name string
}

// A ScopeStmt is scope α s, which no manifest contains: rules make it.
type ScopeStmt struct {
	at
	Scope Scope
	S     Stmt
}

// An OuterStmt is s^{+β} (thesis, Figure 5.2), kept only where Figure 5.5 does not push +β inwards; build it with
// plusStmt.
type OuterStmt struct {
	at
	S Stmt
	B Deps
}

// ---- m, manifests

// A Manifest is a manifest m.
type Manifest interface {
	term
	manifest()
}

// A Top is a statement at top level, m ::= s.
type Top struct {
	at
	S Stmt
}

// An MSeq is m1 ␣ m2.
type MSeq struct {
	at
	M1, M2 Manifest
}

// A Node is node Q {s}.
type Node struct {
	at
	Q NodeSpec
	S Stmt
}

// A NodeSpec is Q ::= N | default | (N1, …, Nk).
type NodeSpec struct {
	Names   []string
	Default bool
}

// A Define is define u (ρ) {s}.
type Define struct {
	at
	Name   string
	Params *Param
	S      Stmt
}

// A Class is class a (ρ) inherits b {s}. Four rules tell apart whether ρ and b are there.
type Class struct {
	at
	Name      string
	HasParams bool // (ρ) was written and is not empty
	Params    *Param
	Parent    string // "" for ⊥
	S         Stmt
}

// A Param is ρ ::= ε | $x, ρ | $x = e, ρ. E is nil without a default. The nil *Param is ε.
type Param struct {
	at
	Name string
	E    Expr
	Rest *Param
}

func (*Lit) expr()       {}
func (*Var) expr()       {}
func (*Arith) expr()     {}
func (*Comp) expr()      {}
func (*And) expr()       {}
func (*Or) expr()        {}
func (*Not) expr()       {}
func (*Array) expr()     {}
func (*Hash) expr()      {}
func (*Selector) expr()  {}
func (*Deref) expr()     {}
func (*Ref) expr()       {}
func (*OuterExpr) expr() {}

func (*ExprStmt) stmt()  {}
func (*Skip) stmt()      {}
func (*Seq) stmt()       {}
func (*Assign) stmt()    {}
func (*If) stmt()        {}
func (*Unless) stmt()    {}
func (*Case) stmt()      {}
func (*Native) stmt()    {}
func (*Defined) stmt()   {}
func (*ClassDecl) stmt() {}
func (*Include) stmt()   {}
func (*ScopeStmt) stmt() {}
func (*OuterStmt) stmt() {}

func (*Top) manifest()    {}
func (*MSeq) manifest()   {}
func (*Node) manifest()   {}
func (*Define) manifest() {}
func (*Class) manifest()  {}
