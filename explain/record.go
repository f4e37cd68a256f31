// Package explain answers "why": where a catalog's value was set, the steps it took, the data it is made of, the
// decisions on its way, all the places that decide it; why something is not there; and the reverse, what a place can
// change. Its source is chapters 4 and 5 of "Provenance for Configuration Languages" (where-, expression- and
// dependency-provenance) and the notes on why-not.
//
// An answer is a reading of one trace (package provenance); nothing is computed twice and nothing is guessed: what the
// trace does not say is left out. Values that are Sensitive, and the data they were made of, are never part of an
// answer, only their places.
//
// A Record (package record) is a finished compile, as far as questions go. It comes from a compile or from a side file
// (file.go) that `compile --provenance` wrote. Explain makes an Answer, whose fields are the documented JSON; text.go
// shows it to people. To answer changes nothing: what several questions have in common is kept beside the record, under
// a lock.
//
// It may import source, provenance, syntax, value, catalog and record, never eval. Start reading at Record.Explain.
package explain

import (
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Record is a finished compile that questions are asked about, by any number of goroutines at the same time.
type Record struct {
	*record.Record
	// All asks for everything that an answer can have, not only for what people are shown at first.
	All bool

	memo *memo
}

// Of makes a record ready for questions.
func Of(rec *record.Record) *Record { return &Record{Record: rec, memo: &memo{}} }

// memo keeps what questions have in common, once it was asked for.
type memo struct {
	mu       sync.Mutex
	trees    map[*source.File]*syntax.File
	literals map[*source.File]map[int]string // texts by ordinal
	defined  map[string]definedIn
	secret   *secrets
	made     map[*source.File]map[int]bool
	flow     map[*source.File][]source.Span
	graphs   map[*catalog.Catalog]*catalog.Graph
}

// once looks a thing up and makes it at the first question. Two goroutines may make it both; either one's will do.
func once[K comparable, V any](mu *sync.Mutex, m *map[K]V, key K, made func() V) V {
	mu.Lock()
	v, known := (*m)[key]
	mu.Unlock()
	if known {
		return v
	}
	v = made()
	mu.Lock()
	defer mu.Unlock()
	if *m == nil {
		*m = map[K]V{}
	}
	if first, known := (*m)[key]; known {
		return first
	}
	(*m)[key] = v
	return v
}

// A Passed is a branch that was not taken and leads to the declaration.
type Passed struct {
	Branch source.Place
	In     string
	Why    provenance.Ref
	Hops   []record.Stage
	Sure   bool
	Others int // how many more times it was passed over, in other instances
	// Ended tells that it is no branch: its first statement ended the code around it (return, next, break), and the
	// declaration stands further down.
	Ended bool
}

// A Declaration is a statement somewhere in the environment.
type Declaration struct {
	Place source.Place
	In    string // class or define around, "" for none
	Sure  bool   // the title is written out
	// Written tells that parts of a title are that is computed.
	Written bool
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

// Tree is the parsed text of a manifest or template; nil when it is neither.
func (rec *Record) Tree(f *source.File) *syntax.File {
	if f == nil {
		return nil
	}
	return once(&rec.memo.mu, &rec.memo.trees, f, func() (t *syntax.File) {
		switch {
		case strings.HasSuffix(f.Name, ".pp"):
			t, _ = syntax.Parse(f, syntax.Options{})
		case strings.HasSuffix(f.Name, ".epp"):
			t, _ = syntax.ParseEPP(f, syntax.Options{})
		}
		return t
	})
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

// hieraOf is what the levels have for a key; nil when that is not known.
func (rec *Record) hieraOf(key string) *record.Hiera {
	if rec.Data == nil || key == "" {
		return nil
	}
	return rec.Data.Levels(key)
}

// RootKey is the first segment of a dotted key path, without its quotes.
func RootKey(path string) string {
	if path != "" && (path[0] == '"' || path[0] == '\'') {
		if end := strings.IndexByte(path[1:], path[0]); end >= 0 {
			return path[1 : 1+end]
		}
	}
	key, _, _ := strings.Cut(path, ".")
	return key
}

// Fact is the value of a fact by its dotted path.
func (rec *Record) Fact(path string) (value.Value, bool) {
	if rec.Facts == nil {
		return nil, false
	}
	return within(rec.Facts, path)
}

// trusted is the value of something in $trusted that is not the node's name: what its certificate says.
func (rec *Record) trusted(l provenance.Label) (value.Value, bool) {
	if !isTrusted(l.Key()) {
		return nil, false
	}
	if rec.Trusted == nil {
		return rec.Fact(l.Path) // from a side file
	}
	return within(rec.Trusted, strings.TrimPrefix(l.Path, "trusted."))
}

// within is what stands at a dotted path of a value.
func within(v value.Value, path string) (value.Value, bool) {
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
