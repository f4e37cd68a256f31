package mutate

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

const (
	choices = 10 // mutants of one place, at most
	// from a number to another one that the program has not heard of: not much more, for numbers may say how many
	far = 83
)

// InManifest lists the data literals of a manifest or EPP template: strings and their pieces, numbers, booleans, undef,
// regexps, bare words that stand for themselves. Names of functions, resource types and definitions are code.
func InManifest(tree *syntax.File, path string, h *Hints) []*Place {
	w := &literals{tree: tree, path: path, hints: h, code: map[*syntax.Name]bool{}, first: map[*syntax.Lit][]string{},
		kind: Manifest}
	if tree.Epp != nil {
		w.kind = EPP
	}
	eachNode(tree, w.survey)
	w.strs = append(w.strs, h.Pool...)
	eachNode(tree, w.visit)
	return w.places
}

type literals struct {
	tree   *syntax.File
	hints  *Hints
	path   string
	kind   Kind
	code   map[*syntax.Name]bool
	first  map[*syntax.Lit][]string // what is worth trying first at a literal
	tested []string                 // strings that stand in comparisons, options and titles: the first to try
	strs   []string
	ints   []int64
	places []*Place
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
		if l := literalOf(e); l != nil {
			w.first[l] = append(w.first[l], texts...)
		}
	}
	comparisons(n, func(name string, with syntax.Expr) { prefer(with, w.hints.held(name)...) })
	params := func(of string, list []*syntax.Param) {
		for _, p := range list {
			prefer(p.Default, literals1(w.hints.Parameter(of, p.Name)...)...)
		}
	}
	switch n := n.(type) {
	case *syntax.Class:
		params(n.Name, n.Params)
	case *syntax.Define:
		params(n.Name, n.Params)
	case *syntax.Call:
		isCode(n.Functor)
		f, _ := n.Functor.(*syntax.Name)
		for _, a := range n.Args {
			test(a)
			if f != nil && (f.Value == "include" || f.Value == "contain" || f.Value == "require") {
				w.class(a, prefer)
				for _, e := range elements(a) {
					w.class(e, prefer)
				}
			}
			if f != nil && w.hints.File != nil {
				prefer(a, w.hints.File(f.Value)...)
			}
		}
	case *syntax.Hash: // a key that comes twice takes the later value; those that are looked up by name matter most
		var before, looked []string
		for _, e := range n.Entries {
			prefer(e.Key, append(looked[max(0, len(looked)-3):len(looked):len(looked)], before[:min(2, len(before))]...)...)
			if s, ok := e.Key.(*syntax.Str); ok && !strings.ContainsAny(s.Value, "'\\\n") {
				before = append([]string{"'" + s.Value + "'"}, before[:min(2, len(before))]...)
				if w.hints.looked[s.Value] {
					looked = append(looked, "'"+s.Value+"'")
				}
			}
		}
	case *syntax.NamedAccess:
		w.code[n.Name] = true
	case *syntax.Resource:
		isCode(n.Type)
		of, _ := n.Type.(*syntax.Name)
		for _, b := range n.Bodies {
			test(b.Title)
			if of != nil && of.Value == "class" {
				w.class(b.Title, prefer)
				for _, e := range elements(b.Title) {
					w.class(e, prefer)
				}
			}
			for _, op := range b.Ops {
				w.attribute(n, b, op, prefer)
			}
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

// class prefers, where a class is named, one that stands in for it, then some that are always there.
func (w *literals) class(e syntax.Expr, prefer func(syntax.Expr, ...string)) {
	if v, ok := datum(e); ok && w.hints.Class != nil {
		prefer(e, w.hints.Class(value.ToString(v))...)
	}
	// its beginning may say of which module
	if i, ok := e.(*syntax.Interpolated); ok && len(i.Parts) > 0 && w.hints.Class != nil {
		if s, ok := i.Parts[0].(*syntax.Str); ok && strings.HasSuffix(s.Value, "::") {
			old := w.tree.Source.Slice(s.Where)
			w.first[&s.Lit] = append(w.first[&s.Lit], strings.TrimSuffix(old, s.Value)+"::standin::")
		}
	}
	prefer(e, "'settings'")
	for i, c := range w.hints.Classes {
		if i < 3 {
			prefer(e, "'"+c+"'")
		}
	}
}

// attribute prefers what the parameter takes that a resource's attribute is for.
func (w *literals) attribute(n *syntax.Resource, b *syntax.ResourceBody, op *syntax.AttrOp,
	prefer func(syntax.Expr, ...string)) {
	of := ""
	switch t := n.Type.(type) {
	case *syntax.Name:
		if of = t.Value; of == "class" {
			if v, ok := datum(b.Title); ok {
				of = value.ToString(v)
			}
		}
	case *syntax.Ref:
		of = t.Value
	}
	prefer(op.Value, literals1(w.hints.Parameter(of, op.Name)...)...)
	if op.Name == "ensure" {
		prefer(op.Value, "'absent'", "'present'", "'stopped'")
	}
}

// literalOf is the part of a literal that has its number.
func literalOf(e syntax.Expr) *syntax.Lit {
	switch e := e.(type) {
	case *syntax.Str:
		return &e.Lit
	case *syntax.Name:
		return &e.Lit
	case *syntax.Int:
		return &e.Lit
	case *syntax.Bool:
		return &e.Lit
	case *syntax.Undef:
		return &e.Lit
	}
	return nil
}

func isString(s string) bool { return !slices.Contains([]string{"true", "false", "undef"}, s) }

func (w *literals) add(l *syntax.Lit, texts []string) {
	key := Named(provenance.LabelKey{Kind: provenance.Literal, File: w.tree.Source.Name, Ordinal: int(l.Ord)})
	old := w.tree.Source.Slice(l.Where)
	texts = slices.DeleteFunc(texts, func(s string) bool { return bare(s) == bare(old) && isString(s) == isString(old) })
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

// strings are what a string can be instead: a fresh one, some that are preferred for it, an empty one, then others of
// the program.
func (w *literals) strings(l *syntax.Lit, fresh string) []string {
	first := unique(w.tree.Source.Slice(l.Where), choices-4, w.first[l])
	return append(append([]string{fresh}, append(first, "''", "undef", "false")...), w.quoted()...)
}

func (w *literals) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Str:
		switch n.Quote {
		case syntax.Single, syntax.Double, syntax.Bare:
			w.add(&n.Lit, w.strings(&n.Lit, "'fresh'"))
		case syntax.Host:
			w.add(&n.Lit, []string{"'fresh'"})
		case syntax.Key:
			w.add(&n.Lit, []string{"fresh"})
		case syntax.Piece:
			if with, ok := word(w.tree.Source.Slice(n.Where), "fresh"); ok {
				w.add(&n.Lit, append([]string{with}, w.first[&n.Lit]...))
			}
		}
	case *syntax.RenderString:
		if with, ok := word(w.tree.Source.Slice(n.Where), "fresh"); ok {
			w.add(&n.Lit, []string{with})
		}
	case *syntax.Name:
		if !w.code[n] {
			w.add(&n.Lit, w.strings(&n.Lit, "fresh"))
		}
	case *syntax.Int:
		texts := []string{fmt.Sprint(n.Value + far), fmt.Sprint(n.Value + 1), fmt.Sprint(max(0, n.Value-1)), "0", "undef"}
		for _, i := range w.ints {
			if i < 1000 || i < 10*n.Value {
				texts = append(texts, fmt.Sprint(i))
			}
		}
		w.add(&n.Lit, append(w.first[&n.Lit], texts...))
	case *syntax.Float:
		w.add(&n.Lit, []string{"7919.5", "0.0"})
	case *syntax.Bool:
		w.add(&n.Lit, append([]string{fmt.Sprint(!n.Value), "undef"}, w.first[&n.Lit]...))
	case *syntax.Undef:
		w.add(&n.Lit, append(w.first[&n.Lit], "'fresh'", "false", "true"))
	case *syntax.Regexp:
		w.add(&n.Lit, []string{"/fresh/", "/./"})
	}
	return true
}

// SameShape reports whether a changed text is still the same code with other data.
func SameShape(before *syntax.File, text string, opt syntax.Options) (after *syntax.File, ds source.Diagnostics,
	same bool) {
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
