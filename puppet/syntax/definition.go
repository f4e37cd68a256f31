package syntax

import "bunraku/source"

// A File is one parsed manifest or template. Trouble is beside it, in the diagnostics that Parse returns.
type File struct {
	Source *source.File
	Body   Body // the top-level statements, definitions among them
	Epp    *Epp // the template, when the file is one; Body is empty then
	// every definition of the file, inner ones before the outer ones that hold them, as Puppet lists them
	Defs     []Definition
	Comments []Comment // in order
	Literals int       // how many numbers were given to literals: every Lit.Ord is below it
}

// A Comment is `# …` (without the line end) or `/* … */`.
type Comment struct{ Where source.Span }

// A Definition is a class, define, node, function, plan, type alias, type mapping or type definition.
type Definition interface {
	Expr
	definition()
}

// D marks definitions.
type D struct{ E }

func (*D) definition() {}

// Class is `class name(params) inherits parent { body }`. Name is fully qualified by the classes around it.
type Class struct {
	D
	Name   string
	NameAt source.Span
	Params []*Param
	Parent string // "" for none
	// ParentAt is the place of the parent's name.
	ParentAt source.Span
	Body     Body
}

// Define is `define name(params) { body }`.
type Define struct {
	D
	Name   string
	NameAt source.Span
	Params []*Param
	Body   Body
}

// NodeDef is `node 'a', /b/, default inherits c { body }`.
type NodeDef struct {
	D
	Hosts  []Expr
	Parent Expr // Puppet 4 rejects it
	Body   Body
}

// Function is `function name(params) >> type { body }`.
type Function struct {
	D
	Name    string
	NameAt  source.Span
	Params  []*Param
	Returns Expr
	Body    Body
}

// Plan is `plan name(params) { body }`, for Bolt; never part of a catalog.
type Plan struct {
	D
	Name   string
	NameAt source.Span
	Params []*Param
	Body   Body
}

// Apply is `apply(args) { body }`, only legal in a plan.
type Apply struct {
	E
	Args []Expr
	Body Body
}

// TypeAlias is `type Name = X`. X is what Puppet makes of the right side: `Object[{…}]` for a plain hash.
type TypeAlias struct {
	D
	Name   string
	NameAt source.Span
	X      Expr
}

// TypeMapping is `type Runtime[…] = X`.
type TypeMapping struct {
	D
	Type, X Expr
}

// TypeDef is `type Name inherits Parent { … }`, parsed and rejected, as Puppet does.
type TypeDef struct {
	D
	Name, Parent string
	NameAt       source.Span
	Body         Body
}

// Epp is a template: `<%- | params | -%> text <%= expr %>`. It is a lambda over its parameters.
type Epp struct {
	E
	Params    []*Param
	HasParams bool
	ParamsAt  source.Span
	Body      Body
}

// RenderString is literal template text, after trimming.
type RenderString struct {
	Lit
	Value string
}

// Render is `<%= expr %>`, or `<%= { statements } %>` (Braced).
type Render struct {
	E
	X Body
}
