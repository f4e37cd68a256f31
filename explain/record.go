// Package explain answers "why": where a catalog's value was set, the steps it took, the data it is made of, the decisions on its way,
// all the places that decide it; why something is not there; and the reverse, what a place can change. Its source is chapters 4 and 5
// of "Provenance for Configuration Languages" (where-, expression- and dependency-provenance) and the notes on why-not.
//
// An answer is a reading of one trace (package provenance); nothing is computed twice and nothing is guessed: what the trace does not
// say is left out. Values that are Sensitive, and the data they were made of, are never part of an answer, only their places.
//
// A Record is a finished compile, as far as questions go. It comes from a compile or from a side file (file.go) that `compile
// --provenance` wrote. Explain makes an Answer, whose fields are the documented JSON; text.go shows it to people.
//
// It may import source, provenance, syntax, value and catalog, never eval. Start reading at Record.Explain.
package explain

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Record is a finished compile.
type Record struct {
	Catalog   *catalog.Catalog
	Trace     *provenance.Trace
	Facts     *value.Hash
	Variables []Variable

	// Via is how a resource's declaration was reached, outermost first.
	Via func(*catalog.Resource) []Stage
	// Absent is what the absence of an attribute depends on; nil when that is not known.
	Absent func(r *catalog.Resource, attribute string) provenance.Ref
	// Hiera says what each level has for a key; nil, or a nil answer, when that is not known.
	Hiera func(key string) *Hiera
	// Code is the environment's manifests, for what is not in the catalog; nil when they are not at hand.
	Code       Code
	Passed     []PassedBranch
	Unrealized []Stub
	// Changed are the files that are no longer what they were when the record was made.
	Changed []string

	// Asked is where the call stands that was the first to ask for a class which has no place of its own; nil when that is not known.
	Asked func(*catalog.Resource) source.Place
	// Parameter is where a parameter of a class or define is declared; nil when that is not known.
	Parameter func(r *catalog.Resource, name string) source.Place
	// All asks for everything that an answer can have, not only for what people are shown at first.
	All bool

	secret   *secrets
	trees    map[*source.File]*syntax.File
	hiera    map[string]*Hiera
	literals map[*source.File]map[int]string // texts by ordinal
	defined  map[string]definedIn
}

// A Variable is a variable of the top scope, the node, or a class.
type Variable struct {
	Class string // "" for the top scope and the node
	Name  string
	Value value.Value
	Ref   provenance.Ref
}

// Qualified is the name by which it can be read everywhere.
func (v *Variable) Qualified() string {
	if v.Class == "" {
		return "$" + v.Name
	}
	return "$" + v.Class + "::" + v.Name
}

// A Stage is one container on the way to a declaration.
type Stage struct {
	Text  string // node 'web1', role::web
	Place source.Place
}

// Hiera is what the levels of the hierarchy have for one key.
type Hiera struct {
	Key    string
	Found  bool
	Value  value.Value
	Merge  string // first, unique, hash, deep
	Levels []Level
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
}

// A Passed is a branch that was not taken and leads to the declaration.
type Passed struct {
	Branch source.Place
	In     string
	Why    provenance.Ref
	Hops   []Stage
	Sure   bool
	Others int // how many more times it was passed over, in other instances
}

// A Declaration is a statement somewhere in the environment.
type Declaration struct {
	Place source.Place
	In    string // class or define around, "" for none
	Sure  bool   // the title is written out
}

// slots are the nodes of everything that one can ask about.
func (rec *Record) slots() (roots []provenance.Ref) {
	for _, r := range rec.Catalog.Resources {
		roots = append(roots, r.Existence, r.TitleRef, r.Position, r.TagsRef)
		for _, p := range r.Params {
			roots = append(roots, p.Ref)
		}
	}
	for _, e := range rec.Catalog.Edges {
		roots = append(roots, e.Ref)
	}
	for _, v := range rec.Variables {
		roots = append(roots, v.Ref)
	}
	return roots
}

// tree is the parsed text of a manifest or template; nil when it is neither.
func (rec *Record) tree(f *source.File) *syntax.File {
	if f == nil {
		return nil
	}
	if t, known := rec.trees[f]; known {
		return t
	}
	var t *syntax.File
	switch {
	case strings.HasSuffix(f.Name, ".pp"):
		t, _ = syntax.Parse(f, syntax.Options{})
	case strings.HasSuffix(f.Name, ".epp"):
		t, _ = syntax.ParseEPP(f, syntax.Options{})
	}
	if rec.trees == nil {
		rec.trees = map[*source.File]*syntax.File{}
	}
	rec.trees[f] = t
	return t
}

// walkFile visits every node of a file.
func walkFile(t *syntax.File, visit func(syntax.Node) bool) {
	for _, s := range t.Body.Stmts {
		syntax.Walk(s, visit)
	}
	if t.Epp != nil {
		syntax.Walk(t.Epp, visit)
	}
}

// hieraOf asks for a key once.
func (rec *Record) hieraOf(key string) *Hiera {
	if rec.Hiera == nil || key == "" {
		return nil
	}
	if h, known := rec.hiera[key]; known {
		return h
	}
	if rec.hiera == nil {
		rec.hiera = map[string]*Hiera{}
	}
	h := rec.Hiera(key)
	rec.hiera[key] = h
	return h
}

// rootKey is the first segment of a dotted key path, without its quotes.
func rootKey(path string) string {
	if path != "" && (path[0] == '"' || path[0] == '\'') {
		if end := strings.IndexByte(path[1:], path[0]); end >= 0 {
			return path[1 : 1+end]
		}
	}
	key, _, _ := strings.Cut(path, ".")
	return key
}

// fact is the value of a fact by its dotted path.
func (rec *Record) fact(path string) (value.Value, bool) {
	if rec.Facts == nil {
		return nil, false
	}
	var v value.Value = rec.Facts
	for path != "" {
		switch c := v.(type) {
		case *value.Hash:
			if e := c.EntryString(path); e != nil { // a name with dots in it
				return e.Value, true
			}
			name, rest, _ := strings.Cut(path, ".")
			e := c.EntryString(name)
			if e == nil {
				return nil, false
			}
			v, path = e.Value, rest
		case *value.Array:
			name, rest, _ := strings.Cut(path, ".")
			n, ok := number(name)
			if !ok || n >= c.Len() {
				return nil, false
			}
			v, path = c.Elems[n], rest
		default:
			return nil, false
		}
	}
	return v, true
}

func number(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' || n > 1<<24 {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, s != ""
}
