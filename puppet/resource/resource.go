// Package resource is what Puppet knows of resource types: their attributes, which of them name a resource (namevars),
// how a title is read into attributes (title patterns), when two resources are one (uniqueness key), and the automatic
// relations they ask for.
//
// Known holds Puppet 7.23's own types and those that moved to *_core modules. The table is generated (generate/), the
// automatic relations are written out in auto.go after the autorequire blocks of each type's Ruby source. A Library
// reads the types of modules: it runs their definitions in package ruby against a small Puppet::Type (library.go,
// prelude.rb), their automatic relations too (relate.go), or reads what `puppet generate types` wrote (generated.go). A
// Type that could not be read whole is Open and says why in its Notes.
//
// It may import source, onigmo, syntax, value and ruby. Start reading at Type, then title.go and library.go.
package resource

import (
	"sort"
	"unsafe"

	"bunraku/puppet/value"
)

//go:generate go run ./generate

// A Type is one resource type.
type Type struct {
	Name       string // in lower case: "ssh_authorized_key"
	Module     string // where it lives: "" is Puppet itself
	Properties []Attribute
	Params     []Attribute
	Namevars   []string       // the attributes that identify a resource, in Puppet's order; mostly one
	Titles     []TitlePattern // nil: the whole title is the first namevar
	Autos      []Auto         // automatic relations, in Puppet's order

	Ensurable   bool
	Isomorphic  bool // two resources with the same key are the same thing, hence an error
	Refreshable bool // it does something when notified
	SelfRefresh bool // a change of its own refreshes it
	DepthFirst  bool // what it generates comes before it (tidy)
	Open        bool // not all attributes are known: accept any

	Notes []Note // what could not be read of a module's type
}

// An Attribute is a property or a parameter. Values are those it declares, symbols and /patterns/; none means free
// text. Aliases are other names of some of them. Puppet checks them on the agent, never when compiling.
type Attribute struct {
	Name    string
	Values  []string
	Aliases []string
}

// A Lookup finds types by name (in lower case), nil when there is none.
type Lookup interface {
	Type(name string) *Type
}

// Core is the Lookup of the types in the table.
type Core struct{}

// Type implements Lookup.
func (Core) Type(name string) *Type { return Known(name) }

// Known finds one of Puppet's own types, or of those that moved to *_core modules. Upper case is folded.
func Known(name string) *Type {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			name = value.Downcase(name)
			break
		}
	}
	i := sort.Search(len(table), func(i int) bool { return table[i].Name >= name })
	if i < len(table) && table[i].Name == name {
		return &table[i]
	}
	return nil
}

// InTable reports whether a type is one of the table, and not read from files.
func InTable(t *Type) bool {
	at, first := uintptr(unsafe.Pointer(t)), uintptr(unsafe.Pointer(&table[0]))
	return at >= first && at <= uintptr(unsafe.Pointer(&table[len(table)-1]))
}

// Types are all types of the table, sorted by name. They must not be changed.
func Types() []Type { return table }

// Metaparams are the attributes that every resource has.
func Metaparams() []Attribute { return metaparams }

// IsMetaparam reports whether every resource has an attribute of that name.
func IsMetaparam(name string) bool { return find(metaparams, name) != nil }

func find(list []Attribute, name string) *Attribute {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// Attribute finds a property, parameter or metaparameter.
func (t *Type) Attribute(name string) *Attribute {
	if a := find(t.Properties, name); a != nil {
		return a
	}
	if a := find(t.Params, name); a != nil {
		return a
	}
	return find(metaparams, name)
}

// IsProperty reports whether name is part of the state that the agent compares and changes.
func (t *Type) IsProperty(name string) bool { return find(t.Properties, name) != nil }

// Accepts reports whether a resource may be declared with the attribute: Puppet's valid_parameter?, which always takes
// "name".
func (t *Type) Accepts(name string) bool {
	return t.Open || name == "name" || t.Attribute(name) != nil
}

// AttributeNames are all names that Accepts takes, for suggestions.
func (t *Type) AttributeNames() []string {
	names := []string{"name"}
	for _, list := range [][]Attribute{t.Properties, t.Params, metaparams} {
		for _, a := range list {
			if a.Name != "name" {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// Namevar is the attribute that "name" stands for: the only key attribute, or "name" itself when there are several, and
// for classes and defined types, whose Type is nil.
func (t *Type) Namevar() string {
	if t == nil || len(t.Namevars) != 1 {
		return "name"
	}
	return t.Namevars[0]
}
