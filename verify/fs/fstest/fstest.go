// Package fstest makes random programs and all small initial states, for tests that compare the meanings of fs programs
// with each other and verdicts with brute force. It shares nothing with the encoding that it helps to judge.
package fstest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"bunraku/verify/fs"
)

// A Gen makes random programs over few paths.
type Gen struct {
	R     *rand.Rand
	Paths []fs.Path // parents before children
	Texts []string  // constants
	Rich  bool      // attributes, links, variables, unread functions and predicates too
}

// Trees are the path sets that random tests use: flat, deep and bushy.
func Trees() [][]fs.Path {
	return [][]fs.Path{
		{"/a"},
		{"/a", "/b"},
		{"/a", "/a/b"},
		{"/a", "/a/b", "/c"},
		{"/a", "/a/b", "/a/b/c"},
		{"/a", "/a/b", "/a/c", "/d"},
		{"/a", "/a/b", "/a/c", "/d", "/d/e"},
		{"/a", "/b", "/c", "/d", "/e"},
	}
}

// New picks a tree and an alphabet.
func New(r *rand.Rand, rich bool) *Gen {
	trees := Trees() // the larger ones, which have many states, less often
	return &Gen{R: r, Paths: trees[min(r.IntN(len(trees)), r.IntN(len(trees)))],
		Texts: []string{"x", "y", "z"}[:1+r.IntN(3)], Rich: rich}
}

func (g *Gen) path() fs.Path { return g.Paths[g.R.IntN(len(g.Paths))] }
func (g *Gen) text() fs.Term { return fs.Str(g.Texts[g.R.IntN(len(g.Texts))]) }

func (g *Gen) content() fs.Term {
	switch n := g.R.IntN(10); {
	case n == 0:
		return fs.ContentOf{Path: g.path()}
	case n == 1 && g.Rich:
		return fs.VarOf{Name: "v"}
	case n == 2 && g.Rich:
		return fs.Apply{Func: "f", Args: []fs.Term{fs.ContentOf{Path: g.path()}}}
	}
	return g.text()
}

// Pred makes a test.
func (g *Gen) Pred(depth int) fs.Pred {
	switch n := g.R.IntN(14); {
	case n < 7 || depth == 0 && n < 11:
		kinds := []fs.Kind{fs.None, fs.Dir, fs.File}
		if g.Rich {
			kinds = append(kinds, fs.Link)
		}
		return fs.Is{Path: g.path(), Kind: kinds[g.R.IntN(len(kinds))]}
	case n < 8:
		return fs.EmptyDir{Path: g.path()}
	case n < 9:
		return fs.Not{P: g.Pred(depth - 1)}
	case n < 10:
		return fs.And{g.Pred(depth - 1), g.Pred(depth - 1)}
	case n < 11:
		return fs.Or{g.Pred(depth - 1), g.Pred(depth - 1)}
	case n < 13 || !g.Rich:
		return fs.Equal{A: fs.ContentOf{Path: g.path()}, B: g.text()}
	}
	switch g.R.IntN(4) {
	case 0:
		return fs.Equal{A: fs.ContentOf{Path: g.path()}, B: fs.ContentOf{Path: g.path()}}
	case 1:
		return fs.Holds{Name: "q", Args: []fs.Term{fs.VarOf{Name: "w"}}}
	case 2:
		return fs.VarIs("w", "on")
	}
	return fs.VarIs("v", g.Texts[0])
}

// Expr makes a program of any shape.
func (g *Gen) Expr(depth int) fs.Expr {
	if depth > 0 {
		switch g.R.IntN(8) {
		case 0, 1:
			return fs.Seq{g.Expr(depth - 1), g.Expr(depth - 1)}
		case 2:
			return fs.If{Cond: g.Pred(1), Then: g.Expr(depth - 1), Else: g.Expr(depth - 1)}
		case 3:
			return fs.If{Cond: g.Pred(1), Then: g.Expr(depth - 1)}
		}
	}
	n := 12
	if g.Rich {
		n = 20
	}
	p := g.path()
	switch g.R.IntN(n) {
	case 0:
		return fs.Skip{}
	case 1:
		return fs.Fail{Why: "random"}
	case 2:
		return fs.Mkdir{Path: p}
	case 3, 4:
		return fs.Creat{Path: p, Content: g.content()}
	case 5, 6:
		return fs.Rm{Path: p}
	case 7:
		return fs.Cp{From: g.path(), To: p}
	case 8, 9:
		return fs.EnsureDir(p)
	case 10:
		return fs.Write{Path: p, Content: g.content()}
	case 11:
		return fs.Overwrite(p, g.content())
	case 12:
		return fs.Ln{Path: p, Target: g.text()}
	case 13, 14:
		return fs.SetAttr{Path: p, Attr: fs.Attr(g.R.IntN(2)), Value: fs.Str([]string{"root", "bob"}[g.R.IntN(2)])}
	case 15:
		return fs.Clear{Path: p}
	case 16:
		return fs.Clear{Path: p, Keep: []fs.Path{g.path()}}
	case 17:
		return fs.Assign{Var: "v", Value: g.content()}
	case 18:
		return fs.Assign{Var: "w", Value: fs.Str([]string{"on", "off"}[g.R.IntN(2)])}
	}
	return fs.Act{}
}

// Resource makes a program that looks like what a resource does: check, then act.
func (g *Gen) Resource() fs.Expr {
	p := g.path()
	n := 9
	if g.Rich {
		n = 12
	}
	switch g.R.IntN(n) {
	case 0, 1:
		return fs.Overwrite(p, g.text())
	case 2:
		return fs.If{Cond: fs.Is{Path: p, Kind: fs.None}, Then: fs.Creat{Path: p, Content: g.text()}}
	case 3:
		return fs.EnsureDir(p)
	case 4: // a package: its directories, then its files
		var s fs.Seq
		for _, q := range g.Paths {
			if p == q || p.Under(q) {
				s = append(s, fs.EnsureDir(q))
			}
		}
		if q := g.path(); g.R.IntN(2) == 0 {
			s = append(s, fs.Creat{Path: q, Content: g.text()})
		}
		return s
	case 5:
		return fs.If{Cond: fs.Or{fs.Is{Path: p, Kind: fs.File}, fs.EmptyDir{Path: p}}, Then: fs.Rm{Path: p}}
	case 6:
		return fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: fs.Write{Path: p, Content: g.content()}}
	case 7:
		return g.Expr(1)
	case 8:
		return g.Expr(2)
	case 9:
		return fs.If{Cond: fs.VarIs("w", "on"), Else: fs.Seq{fs.EnsureDir(p), fs.Assign{Var: "w", Value: fs.Str("on")}}}
	case 10:
		return fs.Seq{fs.Overwrite(p, g.text()), fs.SetAttr{Path: p, Attr: fs.Owner, Value: fs.Str("bob")}}
	}
	return fs.RemoveTree(p)
}

// A Features says which initial values programs can tell apart, found by looking at their text.
type Features struct {
	Paths    []fs.Path
	Contents map[fs.Path]bool // of files that matter
	Rest     map[fs.Path]bool // directories whose unnamed children matter
	Texts    []string         // constants that contents are compared with
	Shared   bool             // contents are compared with each other
	Links    bool
	Vars     map[string][]string // variables with constants
	Asks     []string            // spellings of Holds questions
	Attrs    map[fs.AttrOf]bool  // attributes that are tested
	Written  []string            // constants that programs write
}

// Look adds what a program can tell apart.
func (f *Features) Look(e fs.Expr) {
	switch e := e.(type) {
	case fs.Creat:
		f.term(e.Content)
	case fs.Write:
		f.term(e.Content)
	case fs.Ln:
		f.Links = true
		f.term(e.Target)
	case fs.Cp:
		f.Contents[e.From] = true
	case fs.Rm:
		f.Rest[e.Path] = true
	case fs.Clear:
		f.Rest[e.Path] = true
		for _, p := range f.Paths {
			f.Rest[p] = f.Rest[p] || p.Under(e.Path)
		}
	case fs.SetAttr:
		f.term(e.Value)
	case fs.Assign:
		f.variable(e.Var, "")
		f.term(e.Value)
	case fs.Seq:
		for _, x := range e {
			f.Look(x)
		}
	case fs.If:
		f.LookPred(e.Cond)
		f.Look(e.Then)
		f.Look(e.Else)
	}
}

// LookPred adds what a test can tell apart.
func (f *Features) LookPred(p fs.Pred) {
	switch p := p.(type) {
	case fs.Is:
		f.Links = f.Links || p.Kind == fs.Link
	case fs.EmptyDir:
		f.Rest[p.Path] = true
	case fs.Equal:
		f.term(p.A)
		f.term(p.B)
		_, plain := p.B.(fs.Const)
		f.Shared = f.Shared || !plain
		if k, ok := p.B.(fs.Const); ok {
			text, _ := k.Value.IsText()
			if v, ok := p.A.(fs.VarOf); ok {
				f.variable(v.Name, text)
			}
			if _, attr := p.A.(fs.AttrOf); !attr && !slices.Contains(f.Texts, text) { // it may have come from a content
				f.Texts = append(f.Texts, text)
			}
		}
	case fs.Holds:
		if len(f.Asks) == 0 {
			f.variable("w", "")
			for _, v := range []fs.Value{fs.Text("on"), fs.Text("off"), fs.Initial("w")} {
				f.Asks = append(f.Asks, fs.Ask(p.Name, v))
			}
		}
	case fs.Not:
		f.LookPred(p.P)
	case fs.And:
		for _, q := range p {
			f.LookPred(q)
		}
	case fs.Or:
		for _, q := range p {
			f.LookPred(q)
		}
	}
}

func (f *Features) term(t fs.Term) {
	switch t := t.(type) {
	case fs.Const:
		if text, ok := t.Value.IsText(); ok && !slices.Contains(f.Written, text) {
			f.Written = append(f.Written, text)
		}
	case fs.ContentOf:
		f.Contents[t.Path] = true
	case fs.AttrOf:
		f.Attrs[t] = true
	case fs.VarOf:
		f.variable(t.Name, "")
	case fs.Apply:
		for _, a := range t.Args {
			f.term(a)
		}
	}
}

// Value adds a value that a variable may have at first.
func (f *Features) Value(name, value string) { f.variable(name, value) }

func (f *Features) variable(name, value string) {
	if f.Vars == nil {
		f.Vars = map[string][]string{}
	}
	if _, ok := f.Vars[name]; !ok {
		f.Vars[name] = nil
	}
	if value != "" && !slices.Contains(f.Vars[name], value) {
		f.Vars[name] = append(f.Vars[name], value)
	}
}

// NewFeatures starts with paths and nothing to tell apart but what is there.
func NewFeatures(paths []fs.Path) *Features {
	return &Features{Paths: paths, Contents: map[fs.Path]bool{}, Rest: map[fs.Path]bool{}, Attrs: map[fs.AttrOf]bool{}}
}

// States calls yield for every initial state that the features tell apart, until yield returns false.
func (f *Features) States(yield func(*fs.State) bool) {
	s := fs.NewState()
	var vars []string
	for _, v := range []string{"v", "w"} {
		if _, ok := f.Vars[v]; ok {
			vars = append(vars, v)
		}
	}
	var path func(i int) bool
	var variable func(i int) bool
	var ask func(i int) bool
	ask = func(i int) bool {
		if i == len(f.Asks) {
			return yield(s.Clone())
		}
		for _, yes := range [2]bool{true, false} {
			old := s.Oracle
			s.Oracle = map[string]bool{}
			for k, v := range old {
				s.Oracle[k] = v
			}
			s.Oracle[f.Asks[i]] = yes
			more := ask(i + 1)
			s.Oracle = old
			if !more {
				return false
			}
		}
		return true
	}
	variable = func(i int) bool {
		if i == len(vars) {
			return ask(0)
		}
		v := vars[i]
		for _, x := range f.values(v) {
			s.Vars[v] = x
			if !variable(i + 1) {
				return false
			}
		}
		delete(s.Vars, v)
		return variable(i + 1)
	}
	path = func(i int) bool {
		if i == len(f.Paths) {
			return variable(0)
		}
		p := f.Paths[i]
		delete(s.Nodes, p)
		if !path(i + 1) {
			return false
		}
		if s.At(p.Parent()).Kind != fs.Dir {
			return true
		}
		for k := fs.Dir; k <= fs.Link; k++ {
			if k == fs.Link && !f.Links {
				continue
			}
			for _, n := range f.nodes(s, p, k, i) {
				s.Nodes[p] = n
				if !path(i + 1) {
					return false
				}
			}
			delete(s.Nodes, p)
		}
		return true
	}
	path(0)
}

// texts are the constants that a content may have to be told apart from: those that it is compared with, and if
// contents are compared with each other also those that programs write.
func (f *Features) texts() []string {
	out := slices.Clone(f.Texts)
	if f.Shared {
		for _, t := range f.Written {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// values lists what a variable can be beside unknown. What is compared with a content may have come from v.
func (f *Features) values(v string) []fs.Value {
	texts := slices.Clone(f.Vars[v])
	if v == "v" {
		for _, t := range f.texts() {
			if !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	var out []fs.Value
	for _, t := range texts {
		out = append(out, fs.Text(t))
	}
	if v == "v" && f.Shared {
		for _, p := range f.Paths {
			out = append(out, fs.Initial(fmt.Sprintf("content of %s", p)))
		}
	}
	return out
}

// nodes lists what can be at p, of kind k.
func (f *Features) nodes(s *fs.State, p fs.Path, k fs.Kind, i int) []fs.Node {
	s.Put(p, k)
	n := s.Nodes[p]
	out := []fs.Node{n}
	switch {
	case k == fs.Dir && f.Rest[p]:
		n.Others = true
		out = append(out, n)
	case k != fs.Dir && f.Contents[p]: // a link's target is like a content
		for _, t := range f.texts() {
			n.Content = fs.Text(t)
			out = append(out, n)
		}
		if f.Shared {
			for _, q := range f.Paths[:i] {
				n.Content = fs.Initial(fmt.Sprintf("content of %s", q))
				out = append(out, n)
			}
		}
	}
	for a := fs.Owner; a <= fs.Mode; a++ {
		if !f.Attrs[fs.AttrOf{Path: p, Attr: a}] {
			continue
		}
		for _, n := range slices.Clone(out) {
			for _, t := range []string{"root", "bob"} {
				n.Attrs[a] = fs.Text(t)
				out = append(out, n)
			}
		}
	}
	return out
}
