package mupuppet

import (
	"bunraku/source"
	"sort"
)

// A Store is σ : Scope × Var → Value (§3.2, "Variable environments").
type Store struct{ scopes map[Scope]map[string]Binding }

// A Binding is the value of a variable, where it was assigned and, with provenance on, the variable's own annotation:
// the thesis stores x^{+β} ↦ v^{β'} (§5.2.2.5, AssignPlus).
type Binding struct {
	Value *Lit
	Outer Deps
	at    source.Span
}

func newStore() *Store { return &Store{map[Scope]map[string]Binding{}} }

// lookup is σ_α(x); false means x ∉ dom(σ_α).
func (σ *Store) lookup(α Scope, x string) (Binding, bool) {
	b, ok := σ.scopes[α][x]
	return b, ok
}

// update is σ[(α, x) : v].
func (σ *Store) update(α Scope, x string, b Binding) {
	vars := σ.scopes[α]
	if vars == nil {
		vars = map[string]Binding{}
		σ.scopes[α] = vars
	}
	vars[x] = b
}

// clear is clear(σ, α).
func (σ *Store) clear(α Scope) { delete(σ.scopes, α) }

// A Variable is one entry of σ.
type Variable struct {
	Scope Scope
	Name  string
	Binding
}

// Variables lists σ, ordered by scope and name.
func (σ *Store) Variables() []Variable {
	var out []Variable
	for α, vars := range σ.scopes {
		for x, b := range vars {
			out = append(out, Variable{α, x, b})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if a, b := out[i].Scope.String(), out[j].Scope.String(); a != b {
			return a < b
		}
		return out[i].Name < out[j].Name
	})
	return out
}

// DefKind tells the three forms of a definition apart.
type DefKind uint8

const (
	ClassDef DefKind = iota
	DeclaredClass
	ResourceDef
)

// A Definition is D ::= ClassDef(c_opt, ρ, s) | DeclaredClass(α) | ResourceDef(ρ, s)   (§3.2).
type Definition struct {
	Kind   DefKind
	Parent string // ClassDef; "" for ⊥
	Params *Param // ClassDef, ResourceDef
	Body   Stmt   // ClassDef, ResourceDef
	Scope  Scope  // DeclaredClass
	at     source.Span
}

// Definitions is κ : Identifier → Definition.
type Definitions struct{ entries map[string]*Definition }

func newDefinitions() *Definitions { return &Definitions{map[string]*Definition{}} }

// lookup is κ(a); nil means a ∉ dom(κ).
func (κ *Definitions) lookup(a string) *Definition { return κ.entries[a] }

// A Resource is v_R ::= t {w : v_H}, with provenance (t {ŵ : v̂_H})^{+β} (thesis, Figure 5.1).
type Resource struct {
	Type  string
	Title *Lit
	Attrs []Attribute
	Outer Deps
	at    source.Span
}

// An Attribute is x ⇒ v of a resource value.
type Attribute struct {
	Name  string
	Value *Lit
}

// Name is the title as a string.
func (r *Resource) Name() string { return string(r.Title.Value.(Str)) }

// String is the reference to the resource, as in Puppet's messages.
func (r *Resource) String() string { return r.Type + "[" + r.Name() + "]" }

// A Catalog is v_C, in the order of declaration. The index finds the resource of a type and title; a well-formed
// catalog has at most one (§3.2, "Catalogs").
type Catalog struct {
	Resources []*Resource
	index     map[resourceKey]*Resource
}

type resourceKey struct{ typ, title string }

func newCatalog() *Catalog { return &Catalog{index: map[resourceKey]*Resource{}} }

func (c *Catalog) find(t, w string) *Resource { return c.index[resourceKey{t, w}] }

func (c *Catalog) append(r *Resource) {
	c.Resources = append(c.Resources, r)
	c.index[resourceKey{r.Type, r.Name()}] = r
}

// lookupC (C.1) returns attribute k of resource t[w]; false is the paper's ⊥.
//
// Erratum: the thesis's version returns the value of the first attribute, whatever its name.
func lookupC(c *Catalog, t, w, k string) (*Lit, bool) {
	r := c.find(t, w)
	if r == nil {
		return nil, false
	}
	for _, a := range r.Attrs {
		if a.Name == k {
			return a.Value, true
		}
	}
	return nil, false
}

// merge (C.1) is the statement that initialises the parameters ρ from the arguments v_H or from their defaults:
//
//	merge(ε, v_H)            = skip
//	merge(($x, ρ), v_H)      = $x = v ␣ merge(ρ, v_H)   if v = lookup(x, v_H) ≠ ⊥
//	merge(($x = e, ρ), v_H)  = $x = v ␣ merge(ρ, v_H)   if v = lookup(x, v_H) ≠ ⊥
//	merge(($x = e, ρ), v_H)  = $x = e ␣ merge(ρ, v_H)   if lookup(x, v_H) = ⊥
//
// It is undefined for a parameter without argument and default; then it returns that parameter. Arguments that are no
// parameter are not looked at.
//
// Erratum: the paper prints the conditions twice; this is the thesis's A.3.1.
func merge(p at, ρ *Param, h *Attr) (Stmt, *Param) {
	if ρ == nil {
		return &Skip{p}, nil
	}
	rest, missing := merge(p, ρ.Rest, h)
	if missing != nil {
		return nil, missing
	}
	e := ρ.E
	for a := h; a != nil; a = a.Rest {
		if a.Name == ρ.Name {
			e = a.E
			break
		}
	}
	if e == nil {
		return nil, ρ
	}
	return &Seq{ρ.at, &Assign{ρ.at, ρ.Name, e}, rest}, nil
}
