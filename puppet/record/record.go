// Package record is a finished compile as far as questions go: the catalog, the trace, and what a compile knows beyond
// them: variables, the way to every declaration, branches that were passed over, virtual resources that stayed behind.
// It is what explain, judge and report ask; package eval makes it, package compiler adds what only the environment's
// files tell, and package explain reads one back from a side file.
//
// A Record is sealed: nothing in it changes, so any number of goroutines may read it. It holds nothing that could go on
// compiling.
//
// It may import source, provenance, syntax, value, resource and catalog. Start reading at Record.
package record

import (
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Record is a finished compile.
type Record struct {
	Catalog    *catalog.Catalog // nil when it failed
	Trace      *provenance.Trace
	Facts      *value.Hash
	Trusted    *value.Hash // what $trusted has
	Variables  []Variable
	Passed     []PassedBranch
	Unrealized []Stub
	// Changed are the files that are no longer what they were when the record was made.
	Changed []string

	Ways
	// Data asks Hiera once more; nil when it cannot be asked.
	Data Data
	// Code is the environment's manifests, for what is not in the catalog; nil when they are not at hand.
	Code Code
}

// Ways is what is known of the catalog's resources beyond what stands in it.
type Ways interface {
	// Via is how a resource's declaration was reached, outermost first. It differs from containment: an included class
	// hangs below its stage.
	Via(*catalog.Resource) []Stage
	// Asked is where the call stands that was the first to ask for a class which has no place of its own.
	Asked(*catalog.Resource) source.Place
	// Again is where further calls stand that asked for a class.
	Again(*catalog.Resource) []source.Place
	// Parameter is where a parameter of a class or define is declared.
	Parameter(r *catalog.Resource, name string) source.Place
	// Absent is what it depends on that a resource has not got an attribute; nil when that is not known.
	Absent(r *catalog.Resource, attribute string) []provenance.Ref
}

// Data is what Hiera has for the node. Several goroutines may ask at the same time.
type Data interface {
	// Levels says what each level has for a key; nil when that is not known.
	Levels(key string) *Hiera
	// Mentions are the places in the environment's data that have a text as a key or as a string, in files that this node
	// reads and in those that it would read if a fact were another.
	Mentions(text string) []Mention
}

// A Mention is a place in data that has a text.
type Mention struct {
	Place source.Place
	Path  string // the key path of the datum or key
	Level string
	Here  bool   // the node reads this file
	Needs []Need // what would have to be otherwise for the node to read it
}

// A Need is a variable in the path of a level's files, what it is and what it would have to be.
type Need struct{ Variable, Is, Wants string }

// Code is an environment's manifests. Several goroutines may ask at the same time.
type Code interface {
	// Main are the manifests that every compile starts with.
	Main() []*syntax.File
	// Manifest is the file that ought to hold a class or define; nil when there is none.
	Manifest(name string) *syntax.File
	// Containing are those of Main and of the modules that hold a text, whatever its case; modules is nil for all of them.
	Containing(text string, modules map[string]bool) []*syntax.File
	// Source is the file of a module that a file's source names; nil when that is not at hand.
	Source(url string) *source.File
	// Types are the resource types that the environment knows.
	Types() resource.Lookup
	// Effect is what a function does to a catalog.
	Effect(function string) outline.Effect
	// Sensitive reports whether a key of Hiera's is that of a class's parameter whose type has Sensitive in it.
	Sensitive(key string) bool
}

// A Variable is a variable of the top scope, the node, or a class.
type Variable struct {
	Class string // "" for the top scope and the node
	Node  bool   // of the node's scope
	Name  string
	Value value.Value
	Ref   provenance.Ref // of the value with all that it holds
	// Read is what code elsewhere that reads it depends on, if the compile was asked to keep that.
	Read provenance.Ref
}

// Qualified is the name by which it can be read everywhere.
func (v *Variable) Qualified() string {
	if v.Class == "" {
		return "$" + v.Name
	}
	return "$" + v.Class + "::" + v.Name
}

// A Stage is one container on the way to a declaration: the node, a class, an instance of a define.
type Stage struct {
	Text  string       // node 'web1', role::web, Profile::Admin[ada]
	Place source.Place // where it was declared; of an included class, the first call that asked for it
}

// Hiera is what the levels of the hierarchy have for one key.
type Hiera struct {
	Key    string
	Found  bool
	Value  value.Value
	Merge  string // first, unique, hash, deep
	Levels []Level
	Quotes []string // the keys that its data ask for
}

// A Level is one file of the hierarchy.
type Level struct {
	Layer  string // global, environment, module NAME
	Name   string
	File   string
	Exists bool
	Found  bool
	Place  source.Place
	Value  value.Value
	// Secret is what of it must not be shown: under another key, which has the same by an alias, it is Sensitive.
	Secret []source.Place
}

// A PassedBranch was not taken.
type PassedBranch struct {
	Place source.Place // its first statement
	In    string       // the class, define or node it stands in, "" at top level
	Why   provenance.Ref
}

// A Stub is a virtual resource that nobody realized.
type Stub struct {
	Name  catalog.Name
	Place source.Place
}
