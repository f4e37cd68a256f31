package mutate

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
)

const (
	choices = 8  // mutants of one place, at most
	far     = 83 // from a number to another one that the program has not heard of: not much more, for numbers may say how many
)

// InManifest lists the data literals of a manifest or EPP template: strings and their pieces, numbers, booleans, undef, regexps, bare words
// that stand for themselves. Names of functions, resource types and definitions are code. pool holds strings that the program compares
// with elsewhere, such as the values of facts: a fresh string rarely flips a decision.
func InManifest(tree *syntax.File, path string, pool []string) []*Place {
	w := &literals{tree: tree, path: path, code: map[*syntax.Name]bool{}, first: map[*syntax.Lit][]string{}, kind: Manifest}
	if tree.Epp != nil {
		w.kind = EPP
	}
	w.walk(w.survey)
	w.strs = append(w.strs, pool...)
	w.walk(w.visit)
	return w.places
}

type literals struct {
	tree   *syntax.File
	path   string
	kind   Kind
	code   map[*syntax.Name]bool
	first  map[*syntax.Lit][]string // what is worth trying first at a literal
	tested []string                 // strings that stand in comparisons, options and titles: the first to try
	strs   []string
	ints   []int64
	places []*Place
}

func (w *literals) walk(f func(syntax.Node) bool) {
	for _, s := range w.tree.Body.Stmts {
		syntax.Walk(s, f)
	}
	if w.tree.Epp != nil {
		syntax.Walk(w.tree.Epp, f)
	}
}

// survey finds out which names are code, and what values the program has.
func (w *literals) survey(n syntax.Node) bool {
	isCode := func(e syntax.Expr) {
		if f, ok := e.(*syntax.Name); ok {
			w.code[f] = true
		}
	}
	test := func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Str:
			w.tested = append(w.tested, e.Value)
		case *syntax.Name:
			w.tested = append(w.tested, e.Value)
		}
	}
	prefer := func(e syntax.Expr, texts ...string) {
		switch e := e.(type) {
		case *syntax.Str:
			w.first[&e.Lit] = texts
		case *syntax.Name:
			w.first[&e.Lit] = texts
		}
	}
	switch n := n.(type) {
	case *syntax.Call:
		isCode(n.Functor)
		f, _ := n.Functor.(*syntax.Name)
		for _, a := range n.Args {
			test(a)
			if f != nil && (f.Value == "include" || f.Value == "contain" || f.Value == "require") {
				prefer(a, "'settings'") // a class that is always there
			}
		}
	case *syntax.Hash: // a key that comes twice takes the later value
		var before []string
		for _, e := range n.Entries {
			prefer(e.Key, before...)
			if s, ok := e.Key.(*syntax.Str); ok && !strings.ContainsAny(s.Value, "'\\\n") {
				before = append([]string{"'" + s.Value + "'"}, before[:min(2, len(before))]...)
			}
		}
	case *syntax.NamedAccess:
		w.code[n.Name] = true
	case *syntax.Resource:
		isCode(n.Type)
		for _, b := range n.Bodies {
			test(b.Title)
		}
	case *syntax.Collect:
		syntax.Walk(n.Query, func(q syntax.Node) bool {
			if b, ok := q.(*syntax.Binary); ok && b.Op != syntax.OpAnd && b.Op != syntax.OpOr {
				isCode(b.Left)
			}
			return true
		})
	case *syntax.Binary:
		test(n.Left)
		test(n.Right)
	case *syntax.Option:
		for _, v := range n.Values {
			test(v)
		}
	case *syntax.Entry:
		test(n.Key)
	case *syntax.Str:
		w.strs = append(w.strs, n.Value)
	case *syntax.Int:
		w.ints = append(w.ints, n.Value)
	}
	return true
}

func (w *literals) add(l *syntax.Lit, texts []string) {
	key := Named(provenance.LabelKey{Kind: provenance.Literal, File: w.tree.Source.Name, Ordinal: int(l.Ord)})
	old := w.tree.Source.Slice(l.Where)
	if texts = unique(old, choices, texts); len(texts) > 0 {
		w.places = append(w.places, &Place{Kind: w.kind, Path: w.path, Span: l.Where, Was: key, Is: key, New: texts})
	}
}

// quoted writes the program's strings as literals, those that are compared with first.
func (w *literals) quoted() (q []string) {
	for _, s := range append(w.tested[:len(w.tested):len(w.tested)], w.strs...) {
		if s != "" && len(s) < 80 && !strings.ContainsAny(s, "'\\\n") {
			q = append(q, "'"+s+"'")
		}
	}
	return q
}

func (w *literals) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Str:
		switch n.Quote {
		case syntax.Single, syntax.Double, syntax.Bare:
			w.add(&n.Lit, append(append(w.first[&n.Lit], "'fresh'", "''"), w.quoted()...))
		case syntax.Host:
			w.add(&n.Lit, []string{"'fresh'"})
		case syntax.Key:
			w.add(&n.Lit, []string{"fresh"})
		case syntax.Piece:
			if with, ok := word(w.tree.Source.Slice(n.Where), "fresh"); ok {
				w.add(&n.Lit, []string{with})
			}
		}
	case *syntax.RenderString:
		if with, ok := word(w.tree.Source.Slice(n.Where), "fresh"); ok {
			w.add(&n.Lit, []string{with})
		}
	case *syntax.Name:
		if !w.code[n] {
			w.add(&n.Lit, append(append(w.first[&n.Lit], "fresh"), w.quoted()...))
		}
	case *syntax.Int:
		texts := []string{fmt.Sprint(n.Value + far), fmt.Sprint(n.Value + 1), fmt.Sprint(max(0, n.Value-1)), "0"}
		for _, i := range w.ints {
			if i < 1000 || i < 10*n.Value {
				texts = append(texts, fmt.Sprint(i))
			}
		}
		w.add(&n.Lit, texts)
	case *syntax.Float:
		w.add(&n.Lit, []string{"7919.5", "0.0"})
	case *syntax.Bool:
		w.add(&n.Lit, []string{fmt.Sprint(!n.Value), "undef"})
	case *syntax.Undef:
		w.add(&n.Lit, []string{"'fresh'", "false"})
	case *syntax.Regexp:
		w.add(&n.Lit, []string{"/fresh/", "/./"})
	}
	return true
}

// SameShape reports whether a changed text is still the same code with other data.
func SameShape(before *syntax.File, text string, opt syntax.Options) (after *syntax.File, ds source.Diagnostics, same bool) {
	parse := syntax.Parse
	if before.Epp != nil {
		parse = syntax.ParseEPP
	}
	after, ds = parse(source.NewFile(before.Source.Name, text), opt)
	if ds.HasErrors() {
		return nil, ds, false
	}
	ds = append(ds, syntax.Validate(after, opt)...)
	return after, ds, after.Literals == before.Literals && !ds.HasErrors()
}
