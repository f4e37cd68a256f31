package syntax

import "bunraku/source"

// A Node is any piece of the syntax tree. The set is closed: every node type is in this file and in definition.go.
type Node interface {
	Span() source.Span // half-open bytes of the whole construct
	node()
}

// An Expr is a node that can stand where Puppet's grammar has an expression; in Puppet nearly everything can,
// definitions included. Which ones make sense where is the validator's business.
type Expr interface {
	Node
	expr()
}

// At is embedded in every node: where it stands.
type At struct{ Where source.Span }

// Span returns the node's place in its file.
func (a *At) Span() source.Span { return a.Where }
func (a *At) node()             {}

// E marks expressions.
type E struct{ At }

func (*E) expr() {}

// Lit is embedded in literals, and in names, which are literals where a bare word stands for itself. Ord is the
// literal's number in its file: unlike its span it stays when the text of another literal changes, so provenance speaks
// of it.
type Lit struct {
	E
	Ord uint32
}

// A Body is the statements between braces: `{ a b c }`. Absent and empty are the same (no statements).
type Body struct {
	Stmts  []Expr
	Braces source.Span // from { to }, both included; the whole text for a program
}

// ---- literals

// Undef is `undef`.
type Undef struct{ Lit }

// Default is `default`.
type Default struct{ Lit }

// Bool is `true` or `false`.
type Bool struct {
	Lit
	Value bool
}

// Int is a whole number in one of three bases: `10`, `0x1F`, `017`. Puppet's lexer knows no sign: -1 is Unary{Minus,
// Int}.
type Int struct {
	Lit
	Value int64
	Radix uint8 // 10, 16 or 8
	Big   bool  // the literal does not fit in 64 bits; the validator rejects it, Text has the digits
}

// Float is `1.5`, `1e3`, `2.0e-3`.
type Float struct {
	Lit
	Value float64
}

// Quote says how a string literal was written.
type Quote uint8

const (
	Single Quote = iota // 'text'
	Double              // "text"
	Bare                // a bare word that is no name: foo-bar
	Piece               // a literal piece of an interpolated string or of a heredoc
	Host                // a node name written without quotes: web1.example.com
	// a word standing for itself as a collection entry or hash key: type, function, or an attribute name
	Key
)

// Str is a string without interpolation. Value is after escapes.
type Str struct {
	Lit
	Value string
	Quote Quote
}

// Interpolated is `"a ${b} c"`: literal pieces (Str) and texts (Text) in order. Empty pieces are left out.
type Interpolated struct {
	E
	Parts []Expr
}

// Text is one interpolated expression: `${expr}` or `$name`.
type Text struct {
	E
	X      Expr
	Braced bool // written ${…}
}

// Heredoc is `@("TAG":syntax/escapes)` with its text, which stands in later lines.
type Heredoc struct {
	E             // the @(…) alone
	Tag    string // without quotes and blanks
	Syntax string
	Flags  string      // the escapes as written, without the slash
	HasEsc bool        // a slash was written
	Interp bool        // the tag was quoted
	Margin bool        // the end line had |
	Chomp  bool        // the end line had -
	X      Expr        // Str or Interpolated
	Lines  source.Span // the text's lines, the end line included
}

// Regexp is `/source/`; Source has \/ turned into /.
type Regexp struct {
	Lit
	Source string
}

// List is `[a, b]`.
type List struct {
	E
	Elems []Expr
}

// Hash is `{a => b}`, or the entries of an argument list written without braces (Unfolded).
type Hash struct {
	E
	Entries  []*Entry
	Unfolded bool
}

// Entry is `key => value` of a hash.
type Entry struct {
	At
	Key, Value Expr
}

// ---- names

// Name is a lower-case, possibly qualified name: `notify`, `apache::vhost`.
type Name struct {
	Lit
	Value string
}

// Ref is an upper-case name: `File`, `Apache::Vhost`, `::Foo`, as written.
type Ref struct {
	E
	Value string
}

// Var is `$name`; Name is without the dollar. In an interpolation the dollar may be left out.
type Var struct {
	E
	Name string
	// Word is set when an interpolated boolean keyword became a variable (`"${true}"`): no such variable can exist.
	Word bool
}

// Reserved is `private` or `attr`, words that Puppet keeps for the future.
type Reserved struct {
	E
	Word string
}

// Nop is the empty program.
type Nop struct{ E }

// ---- operators

// Op is an operator token.
type Op uint8

const (
	OpNone    Op = iota
	OpOr         // or
	OpAnd        // and
	OpEq         // ==
	OpNe         // !=
	OpLt         // <
	OpLe         // <=
	OpGt         // >
	OpGe         // >=
	OpMatch      // =~
	OpNoMatch    // !~
	OpIn         // in
	OpAdd        // +
	OpSub        // -
	OpMul        // *
	OpDiv        // /
	OpMod        // %
	OpShl        // <<
	OpShr        // >>

	OpNot   // ! x
	OpMinus // - x
	OpSplat // * x

	OpSet    // =
	OpAppend // +=
	OpDelete // -=

	OpBefore     // ->
	OpNotify     // ~>
	OpAfter      // <-
	OpSubscribed // <~
)

var opText = [...]string{"", "or", "and", "==", "!=", "<", "<=", ">", ">=", "=~", "!~", "in", "+", "-", "*", "/", "%",
	"<<", ">>",
	"!", "-", "*", "=", "+=", "-=", "->", "~>", "<-", "<~"}

func (op Op) String() string { return opText[op] }

// Binary is `left op right` for logic, comparison, matching, `in`, and arithmetic (OpOr to OpShr).
// Puppet reports trouble with it at the operator, hence OpAt.
type Binary struct {
	E
	Op          Op
	OpAt        uint32
	Left, Right Expr
}

// Unary is `! x`, `- x` or `* x`.
type Unary struct {
	E
	Op Op
	X  Expr
}

// Paren is `(x)`; kept because it matters to printing and to some of Puppet's rules.
type Paren struct {
	E
	X Expr
}

// Assign is `left = right`, also the two operators that Puppet 4 gave up and reports, += and -=.
type Assign struct {
	E
	Op          Op
	OpAt        uint32
	Left, Right Expr
}

// Relation is `left -> right` and its three kin.
type Relation struct {
	E
	Op          Op
	OpAt        uint32
	Left, Right Expr
}

// Access is `left[key, …]`.
type Access struct {
	E
	Left Expr
	Keys []Expr
}

// NamedAccess is `left.name`; the parser makes it the functor of a MethodCall always.
type NamedAccess struct {
	E
	Left Expr
	Name *Name
}

// ---- calls

// Call is `name(args) |lambda|`, or a statement call without parentheses.
type Call struct {
	E
	Functor Expr // a Name in legal programs; Puppet also allows a Ref (the type is called: Integer('1'))
	Args    []Expr
	Lambda  *Lambda
	Value   bool // its value is used (Puppet's rval_required)
	Bare    bool // written without parentheses
}

// MethodCall is `x.name(args) |lambda|`.
type MethodCall struct {
	E
	Functor *NamedAccess
	Args    []Expr
	Lambda  *Lambda
	Parens  bool
}

// Lambda is `|params| >> type { body }`.
type Lambda struct {
	E
	Params  []*Param
	Returns Expr
	Body    Body
}

// Param is `Type $name = default` or `Type *$name`.
type Param struct {
	At
	Name    string
	NameAt  source.Span // of $name
	Type    Expr        // or nil
	Default Expr        // or nil
	Splat   bool
}

// ---- control

// If is `if test { then } else { … }`. An elsif is an If in Else.
type If struct {
	E
	Unless bool // `unless`
	Test   Expr
	Then   Body
	Else   Body
	// ElseIf is set when Else holds exactly the If of an `elsif`.
	ElseIf bool
}

// Case is `case test { options }`.
type Case struct {
	E
	Test    Expr
	Options []*Option
}

// Option is `a, b: { … }` in a case.
type Option struct {
	At
	Values []Expr
	Then   Body
}

// Selector is `left ? { match => value, … }`, or `left ? match => value`.
type Selector struct {
	E
	Left    Expr
	Entries []*Entry
	Braced  bool
}

// Block is a sequence of statements standing for one; only the rewriting of `name { a => b }` makes one.
type Block struct {
	E
	Stmts []Expr
}

// ---- resources

// Form is how a resource is declared.
type Form uint8

const (
	Regular  Form = iota
	Virtual       // @
	Exported      // @@
)

func (f Form) String() string { return [...]string{"regular", "virtual", "exported"}[f] }

// Resource is `type { title: attributes; title: attributes }`.
type Resource struct {
	E
	Form   Form
	Type   Expr // Name, Ref, or an expression; Name "class" for class { … }
	Bodies []*ResourceBody
}

// ResourceBody is `title: attributes`.
type ResourceBody struct {
	At
	Title Expr
	Ops   []*AttrOp
}

// Defaults is `Type { attributes }`.
type Defaults struct {
	E
	Form Form
	Type Expr
	Ops  []*AttrOp
}

// Override is `Type[title] { attributes }`.
type Override struct {
	E
	Form   Form
	Target Expr
	Ops    []*AttrOp
}

// AttrOp is `name => value`, `name +> value`, or `* => hash` (Splat, no name).
type AttrOp struct {
	At
	Name   string
	NameAt source.Span
	Append bool // +>
	Splat  bool // * =>
	Value  Expr
}

// Collect is `Type <| query |> { attributes }` or, exported, `Type <<| query |>>`.
type Collect struct {
	E
	Type     Expr
	Exported bool
	Query    Expr // or nil
	QueryAt  source.Span
	Ops      []*AttrOp
	Braced   bool // an attribute block was written, maybe empty
}
