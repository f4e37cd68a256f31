// Package outline reads code without running it: which definitions a file has, and what a piece of code may do to a
// catalog (which classes and resources it declares, which attributes of others it sets, which functions it calls).
//
// There is one such reading. Provenance uses it for the code that a node passed over (what might that have done?),
// explain for what would have declared a resource that is missing. It reads names that stand in the code; one that is
// computed is "" and stands for any, so that an outline never says less than the code may do.
//
// What a call does follows from the function's record (Effect); a function that declares something and does not say so
// is refused when it tries (eval.Call), so that no record can forget it.
//
// Names (name.go) says where code names what, for who looks for all places that mean one thing; text.go lists where
// Puppet and its functions take a name as text.
//
// It may import syntax. Start reading at Uses.
package outline

import (
	"iter"
	"strings"

	"bunraku/puppet/syntax"
)

// An Effect is what a call of a function may do to a catalog besides giving a value. Effects add up.
type Effect uint16

const (
	// Includes: it declares the classes that its arguments name.
	Includes Effect = 1 << iota
	// DeclaresAny: it declares classes or resources that the call does not name.
	DeclaresAny
	// Contains: it also keeps those classes within what calls it.
	Contains
	// Requires: it also makes what calls it require them.
	Requires
	// Makes: it declares resources of the type that its first argument names.
	Makes
	// Packages: it declares packages.
	Packages
	// Realizes: it makes virtual resources real.
	Realizes
	// Tags: it tags what calls it.
	Tags
	// Calls: it calls the function that its first argument names, with the rest.
	Calls
	// Anything: what it does cannot be read from the call.
	Anything
)

// Has reports whether an effect allows for another.
func (e Effect) Has(o Effect) bool { return e&Anything != 0 || o&^e == 0 }

// A Kind is what a use does.
type Kind uint8

const (
	// Declares a resource, or a class (Type is "Class", or "" when it may be either).
	Declares Kind = iota
	// Sets an attribute of a resource that is declared elsewhere.
	Sets
	// Defaults sets an attribute's default for a type.
	Defaults
	// Called is a call of a function; whatever else the call does comes as further uses.
	Called
	// RequiresHere sets `require` of whatever runs the code, TagsHere its tags.
	RequiresHere
	TagsHere
	// DoesAnything declares and changes what cannot be read from the code.
	DoesAnything
)

// Attributes that have no name of their own.
const (
	AnyDefault = "*"   // one that has a resource default: a collector's overrides take those of its scope along
	Container  = "***" // what contains a class, by the function contain: tags and metaparameters come down from there
)

// A Use is one thing that code does. Type is a resource type as references have it, Name a title, a class or a
// function; "" stands for what is computed, and so for any.
type Use struct {
	Kind Kind
	Type string
	Name string
	Attr string // that is set; "" for any
	// Verb is how: a function's name, "class" for a class that is declared with parameters, "" for a resource expression.
	Verb string
	// Collected tells that virtual resources are made real rather than new ones declared.
	Collected bool
	// At is the statement, call or body that does it; By the expression that names it, if one does.
	At, By syntax.Node
}

// Class is the plain name of a class, define or function: lower case, without leading colons.
func Class(name string) string { return strings.ToLower(strings.TrimPrefix(name, "::")) }

// Uses are what code does itself, in its order, the bodies of definitions within it left out. effects is what functions
// do, by plain name.
func Uses(stmts []syntax.Expr, effects func(function string) Effect) iter.Seq[Use] {
	return func(yield func(Use) bool) {
		r := &reader{effects: effects, yield: yield}
		for _, x := range stmts {
			if r.done {
				return
			}
			syntax.Walk(x, r.node)
		}
	}
}

type reader struct {
	effects func(string) Effect
	yield   func(Use) bool
	done    bool
}

func (r *reader) add(u Use) {
	r.done = r.done || !r.yield(u)
}

func (r *reader) node(n syntax.Node) bool {
	if r.done {
		return false
	}
	switch n := n.(type) {
	case syntax.Definition:
		return false
	case *syntax.Call:
		if f, ok := n.Functor.(*syntax.Name); ok {
			r.call(n, f.Value, n.Args)
		}
	case *syntax.MethodCall:
		r.call(n, n.Functor.Name.Value, append([]syntax.Expr{n.Functor.Left}, n.Args...))
	case *syntax.Resource:
		r.resource(n)
	case *syntax.Override:
		for _, t := range References(n.Target) {
			r.sets(n, t, n.Ops)
		}
	case *syntax.Collect:
		t := Reference{}
		if ref, ok := n.Type.(*syntax.Ref); ok {
			t.Type = Capitalized(Class(ref.Value))
		}
		r.sets(n, t, n.Ops)
		if len(n.Ops) > 0 {
			r.add(Use{Kind: Sets, Type: t.Type, Attr: AnyDefault, At: n})
		}
		r.add(Use{Kind: Declares, Type: t.Type, Collected: true, At: n})
	case *syntax.Defaults:
		u := Use{Kind: Defaults, At: n}
		if ref, ok := n.Type.(*syntax.Ref); ok {
			u.Type = Capitalized(Class(ref.Value))
		}
		for _, op := range n.Ops {
			u.Attr = op.Name
			r.add(u)
		}
	case *syntax.Relation:
		for _, side := range []syntax.Expr{n.Left, n.Right} {
			for _, t := range References(side) {
				for _, attr := range []string{"before", "notify"} {
					r.add(Use{Kind: Sets, Type: t.Type, Name: t.Title, Attr: attr, At: n})
				}
			}
		}
	}
	return !r.done
}

// sets adds the attributes that are set on a resource; a splat sets any.
func (r *reader) sets(at syntax.Node, t Reference, ops []*syntax.AttrOp) {
	for _, op := range ops {
		r.add(Use{Kind: Sets, Type: t.Type, Name: t.Title, Attr: op.Name, At: at})
	}
}

// call adds a call of a function, and what that does.
func (r *reader) call(at syntax.Node, name string, args []syntax.Expr) {
	name = strings.TrimPrefix(name, "::")
	r.add(Use{Kind: Called, Name: name, At: at})
	e := r.effects(name)
	if e&Requires != 0 {
		r.add(Use{Kind: RequiresHere, Verb: name, At: at})
	}
	if e&(Includes|Contains|Requires) != 0 {
		for _, a := range args {
			r.classes(at, name, a)
		}
	}
	if e&DeclaresAny != 0 {
		r.add(Use{Kind: Declares, Verb: name, At: at})
	}
	if e&Contains != 0 {
		for _, a := range args {
			for _, class := range syntax.StaticNames(a) {
				if class != "" {
					class = Capitalized(Class(class))
				}
				r.add(Use{Kind: Sets, Type: "Class", Name: class, Attr: Container, Verb: name, At: at, By: a})
			}
		}
	}
	if e&Makes != 0 {
		r.makes(at, name, args)
	}
	if e&Packages != 0 {
		r.add(Use{Kind: Declares, Type: "Package", Verb: name, At: at})
	}
	if e&Realizes != 0 {
		r.add(Use{Kind: Declares, Collected: true, Verb: name, At: at})
	}
	if e&Tags != 0 {
		r.add(Use{Kind: TagsHere, Verb: name, At: at})
	}
	if e&Calls != 0 && len(args) > 0 {
		for _, called := range syntax.StaticNames(args[0]) {
			if called == "" {
				e |= Anything
			} else {
				r.call(at, called, args[1:])
			}
		}
	}
	if e&Anything != 0 {
		r.add(Use{Kind: DoesAnything, Verb: name, At: at})
	}
}

// makes adds what functions such as create_resources make: resources of the type that their first argument names.
func (r *reader) makes(at syntax.Node, verb string, args []syntax.Expr) {
	if len(args) == 0 {
		r.add(Use{Kind: Declares, Verb: verb, At: at})
		return
	}
	for _, name := range syntax.StaticNames(args[0]) {
		switch name = Class(strings.TrimLeft(name, "@")); name {
		case "", "class":
			r.add(Use{Kind: Declares, Verb: verb, At: at, By: args[0]})
		default:
			r.add(Use{Kind: Declares, Type: Capitalized(name), Verb: verb, At: at, By: args[0]})
		}
	}
}

// classes adds the classes that an expression names.
func (r *reader) classes(at syntax.Node, verb string, e syntax.Expr) {
	for _, name := range syntax.StaticNames(e) {
		r.add(Use{Kind: Declares, Type: "Class", Name: Class(name), Verb: verb, At: at, By: e})
	}
}

// resource adds resources that are declared.
func (r *reader) resource(n *syntax.Resource) {
	name, ok := n.Type.(*syntax.Name)
	if !ok {
		r.add(Use{Kind: Declares, At: n})
		return
	}
	for _, b := range n.Bodies {
		if name.Value == "class" {
			r.classes(b, "class", b.Title)
			continue
		}
		for _, title := range syntax.StaticNames(b.Title) {
			r.add(Use{Kind: Declares, Type: Capitalized(Class(name.Value)), Name: title, At: b, By: b.Title})
		}
	}
}

// A Reference names resources; "" stands for any.
type Reference struct{ Type, Title string }

// References are the resources that an operand of a relation, or the target of an override, may name.
func References(e syntax.Expr) []Reference {
	switch e := e.(type) {
	case *syntax.Access:
		r, ok := e.Left.(*syntax.Ref)
		if !ok {
			break
		}
		typ := Capitalized(Class(r.Value))
		if typ == "Resource" { // the type is the first of the keys
			break
		}
		var out []Reference
		for _, k := range e.Keys {
			for _, title := range syntax.StaticNames(k) {
				if typ == "Class" && title != "" {
					title = Capitalized(Class(title))
				}
				out = append(out, Reference{typ, title})
			}
		}
		return out
	case *syntax.List:
		var out []Reference
		for _, x := range e.Elems {
			out = append(out, References(x)...)
		}
		return out
	case *syntax.Relation:
		return append(References(e.Left), References(e.Right)...)
	case *syntax.Collect:
		if r, ok := e.Type.(*syntax.Ref); ok {
			return []Reference{{Type: Capitalized(Class(r.Value))}}
		}
	case *syntax.Resource:
		if n, ok := e.Type.(*syntax.Name); ok {
			return []Reference{{Type: Capitalized(Class(n.Value))}}
		}
	}
	return []Reference{{}}
}

// Capitalized gives a type name the form that references have: apache::vhost → Apache::Vhost.
func Capitalized(name string) string {
	done := true
	for i := 0; i < len(name) && done; i++ {
		c := name[i]
		first := i == 0 || name[i-1] == ':'
		done = c < 0x80 && !(first && c >= 'a' && c <= 'z') && (first || c < 'A' || c > 'Z')
	}
	if done {
		return name
	}
	b := []byte(strings.ToLower(name))
	for i := range b {
		if (i == 0 || b[i-1] == ':') && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}
