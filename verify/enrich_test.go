package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/fs/fstest"
)

// enrich gives a random graph what models of real catalogs have beside programs and edges: tests of attributes, closed
// variables, paths that nobody observes, a fresh machine that is not empty, an agent's own order, ends of containers.
// It draws after everything else, so that graphs without these are the same as ever.
func enrich(r *rand.Rand, g *fstest.Gen, graph *Graph) {
	n := len(graph.Resources)
	if r.IntN(2) == 0 {
		for i := range graph.Resources {
			graph.Resources[i].Program = careful(graph.Resources[i].Program)
		}
	}
	any := func() *Resource { return &graph.Resources[r.IntN(n)] }
	if g.Rich && r.IntN(3) == 0 {
		test := fs.Equal{A: fs.AttrOf{Path: g.Paths[r.IntN(len(g.Paths))], Attr: fs.Attr(r.IntN(2))},
			B: fs.Str([]string{"root", "bob"}[r.IntN(2)])}
		switch to := any(); r.IntN(3) {
		case 0:
			to.Program = fs.If{Cond: test, Then: to.Program}
		case 1:
			to.Program = fs.If{Cond: test, Else: to.Program}
		default:
			to.Post = test
		}
	}
	if _, transient := graph.Init.Transient["w"]; g.Rich && !transient && r.IntN(3) == 0 {
		values := []fs.Value{fs.Text("on"), fs.Text("off"), fs.Text("broken")}
		graph.Init.Closed = map[string][]fs.Value{"w": values[:1+r.IntN(len(values))]}
	}
	if r.IntN(8) == 0 {
		graph.Init.Unobserved = []fs.Path{g.Paths[r.IntN(len(g.Paths))]}
	}
	if r.IntN(3) == 0 || graph.Init.Closed != nil {
		graph.Fresh = freshMachine(r, g, graph)
	}
	if r.IntN(6) == 0 {
		keyed(graph, r.Perm(n))
	}
	if r.IntN(8) == 0 {
		*any() = Resource{Name: "end of Class[a]", Program: fs.Skip{}, Anchor: true}
	}
}

// careful looks before it acts, so that a graph whose programs are random does not mostly fail, and orders show.
func careful(e fs.Expr) fs.Expr {
	is := func(p fs.Path, k fs.Kind) fs.Pred { return fs.Is{Path: p, Kind: k} }
	switch e := e.(type) {
	case fs.Fail:
		return fs.Skip{}
	case fs.Mkdir:
		return fs.If{Cond: is(e.Path, fs.None), Then: e}
	case fs.Creat:
		return fs.If{Cond: fs.And{is(e.Path, fs.None), is(e.Path.Parent(), fs.Dir)}, Then: e}
	case fs.Rm:
		return fs.If{Cond: fs.Or{is(e.Path, fs.File), is(e.Path, fs.Link), fs.EmptyDir(e)}, Then: e}
	case fs.Write:
		return fs.If{Cond: is(e.Path, fs.File), Then: e}
	case fs.SetAttr:
		return fs.If{Cond: is(e.Path, fs.None), Else: e}
	case fs.Seq:
		var out fs.Seq
		for _, x := range e {
			out = append(out, careful(x))
		}
		return out
	case fs.If:
		if m, ok := e.Then.(fs.Mkdir); ok && e.Else == nil { // the guarded mkdir keeps its shape
			return fs.If{Cond: e.Cond, Then: m}
		}
		out := fs.If{Cond: e.Cond}
		if e.Then != nil {
			out.Then = careful(e.Then)
		}
		if e.Else != nil {
			out.Else = careful(e.Else)
		}
		return out
	}
	return e
}

// keyed makes the agent prefer resources by a key of their own, as positions in containers do.
func keyed(g *Graph, key []int) {
	edges := g.Edges
	g.Order = func(added []Edge) ([]int, error) {
		return kahn(len(key), append(edges[:len(edges):len(edges)], added...), func(i int) int { return key[i] }), nil
	}
}

// withEdges is a graph with more edges, in the order that the agent would then have.
func withEdges(g *Graph, added []Edge) *Graph {
	h := *g
	h.Edges = append(g.Edges[:len(g.Edges):len(g.Edges)], added...)
	if g.Order != nil {
		h.Order = func(more []Edge) ([]int, error) { return g.Order(append(added[:len(added):len(added)], more...)) }
	}
	return &h
}

func freshMachine(r *rand.Rand, g *fstest.Gen, graph *Graph) *fs.State {
	s := fs.NewState()
	for _, p := range g.Paths {
		if s.At(p.Parent()).Kind == fs.Dir && r.IntN(3) > 0 {
			s.Put(p, fs.Dir+fs.Kind(r.IntN(3)))
		}
	}
	if vs := graph.Init.Closed["w"]; vs != nil {
		s.Vars["w"] = vs[r.IntN(len(vs))]
	}
	return s
}

// An observer says what is part of an outcome, from the text of programs alone.
type observer struct {
	paths []fs.Path
	attrs map[string]bool // path and attribute that somebody speaks of
	vars  []string
}

func newObserver(g *Graph, paths []fs.Path) *observer {
	o := &observer{attrs: map[string]bool{}}
	for _, p := range paths {
		if !slices.ContainsFunc(g.Init.Unobserved, func(q fs.Path) bool { return p == q || p.Under(q) }) {
			o.paths = append(o.paths, p)
		}
	}
	for _, v := range []string{"v", "w"} {
		if _, transient := g.Init.Transient[v]; !transient {
			o.vars = append(o.vars, v)
		}
	}
	for _, r := range g.Resources {
		o.expr(r.Program)
		o.pred(r.Post)
	}
	for _, p := range g.Init.Assume {
		o.pred(p)
	}
	return o
}

func attrKey(p fs.Path, a fs.Attr) string { return fmt.Sprint(p, " ", a) }

func (o *observer) expr(e fs.Expr) {
	switch e := e.(type) {
	case fs.SetAttr:
		o.attrs[attrKey(e.Path, e.Attr)] = true
	case fs.Seq:
		for _, x := range e {
			o.expr(x)
		}
	case fs.If:
		o.pred(e.Cond)
		o.expr(e.Then)
		o.expr(e.Else)
	}
}

func (o *observer) pred(p fs.Pred) {
	switch p := p.(type) {
	case fs.Equal:
		if a, ok := p.A.(fs.AttrOf); ok {
			o.attrs[attrKey(a.Path, a.Attr)] = true
		}
	case fs.Not:
		o.pred(p.P)
	case fs.And:
		for _, q := range p {
			o.pred(q)
		}
	case fs.Or:
		for _, q := range p {
			o.pred(q)
		}
	}
}

// alike compares two ends.
func (o *observer) alike(s, t *fs.State) bool {
	for _, p := range o.paths {
		x, y := s.At(p), t.At(p)
		if x.Kind != y.Kind || x.Content != y.Content || x.Others != y.Others {
			return false
		}
		for a := range x.Attrs {
			if x.Attrs[a] != y.Attrs[a] && o.attrs[attrKey(p, fs.Attr(a))] {
				return false
			}
		}
	}
	for _, v := range o.vars {
		if s.Var(v) != t.Var(v) {
			return false
		}
	}
	return true
}

// checkExample judges a counter-example with the reference interpreter alone: a machine that can be, two orders that
// the edges allow, two ends that differ.
func (b *brute) checkExample(c *Counterexample) error {
	if c == nil {
		return fmt.Errorf("no counter-example")
	}
	first, err := b.machine(c.Initial)
	if err != nil {
		return err
	}
	end := func(order []int) (*fs.State, error) {
		done := uint(0)
		for _, i := range order {
			if done&(1<<i) != 0 || b.need[i]&^done != 0 {
				return nil, fmt.Errorf("counter-example in an order that the edges forbid: %v", order)
			}
			done |= 1 << i
		}
		if done != 1<<len(b.g.Resources)-1 {
			return nil, fmt.Errorf("counter-example in an order that is not whole: %v", order)
		}
		return b.concretely(order, first), nil
	}
	x, err := end(c.A)
	if err != nil {
		return err
	}
	y, err := end(c.B)
	switch {
	case err != nil:
		return err
	case x == nil && y == nil || x != nil && y != nil && b.see.alike(x, y):
		return fmt.Errorf("counter-example whose ends are alike")
	}
	return nil
}

// checkRerun judges the example of a second run that changes something.
func (b *brute) checkRerun(r *Rerun) error {
	if r == nil {
		return fmt.Errorf("no example of a second run")
	}
	first, err := b.machine(r.Initial)
	if err != nil {
		return err
	}
	once := b.concretely(b.order, first)
	if once == nil {
		return fmt.Errorf("the first run of the example fails")
	}
	if twice := b.concretely(b.order, once); twice != nil && b.see.alike(once, twice) {
		return fmt.Errorf("the second run of the example changes nothing")
	}
	return nil
}

// machine completes the first state of an example and checks that a machine can be like that.
func (b *brute) machine(s *fs.State) (*fs.State, error) {
	s = s.Clone()
	for v, values := range b.g.Init.Closed {
		if _, said := s.Vars[v]; !said { // then any of its values will do
			s.Vars[v] = values[0]
		}
	}
	if !b.initial(s) {
		return nil, fmt.Errorf("example from a machine that cannot be:\n%s", s)
	}
	return s, nil
}

// concretely runs resources one by one with the reference interpreter; nil if one fails.
func (b *brute) concretely(order []int, s *fs.State) *fs.State {
	s = s.Clone()
	for v, x := range b.g.Init.Transient {
		s.Vars[v] = x
	}
	ok := true
	for _, i := range order {
		if s, _, ok = fs.Run(b.g.Resources[i].Program, s); !ok {
			return nil
		}
	}
	return s
}

// initial: the state is one in which a machine can be found.
func (b *brute) initial(s *fs.State) bool {
	if !s.WellFormed() {
		return false
	}
	for v, values := range b.g.Init.Closed {
		if !slices.Contains(values, s.Var(v)) {
			return false
		}
	}
	t := s.Clone()
	for v, x := range b.g.Init.Transient {
		t.Vars[v] = x
	}
	for _, p := range b.g.Init.Assume {
		if !t.Eval(p) {
			return false
		}
	}
	for _, e := range b.old {
		if _, acted, ok := fs.Run(e, t); acted || !ok {
			return false
		}
	}
	return true
}
