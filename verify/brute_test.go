package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/fs/fstest"
)

// This file decides small graphs by brute force: all initial states, all orders, with the concrete interpreter alone.

// A brute walks a graph. States are numbered; each resource is applied to each state once.
type brute struct {
	g      *Graph
	see    *observer
	states []*fs.State
	number map[stateKey]int
	f      *fstest.Features
	next   [][]int // per resource and state: -2 not known, -1 fails
	order  []int   // L*
	need   []uint
	old    []fs.Expr // what machines have come to rest with before; nil if that is nothing
}

func newBrute(g *Graph, f *fstest.Features) *brute {
	b := &brute{g: g, number: map[stateKey]int{}, f: f, next: make([][]int, len(g.Resources)),
		need: make([]uint, len(g.Resources))}
	b.see = newObserver(g, f.Paths)
	b.order, _ = g.catalogOrder(nil)
	for _, i := range b.order {
		for _, e := range g.Edges {
			if e.To == i {
				b.need[i] |= 1<<e.From | b.need[e.From]
			}
		}
	}
	return b
}

// A stateKey tells states apart: at most five paths and two variables occur here.
type stateKey struct {
	nodes  [5]fs.Node
	v, w   fs.Value
	oracle uint8
}

func (b *brute) id(s *fs.State) int {
	key := stateKey{v: s.Var("v"), w: s.Var("w")}
	for i, p := range b.f.Paths {
		key.nodes[i] = s.Nodes[p]
	}
	for i, q := range b.f.Asks {
		if yes, known := s.Oracle[q]; yes || !known {
			key.oracle |= 1 << i
		}
	}
	if n, ok := b.number[key]; ok {
		return n
	}
	n := len(b.states)
	b.number[key] = n
	b.states = append(b.states, s)
	return n
}

// start is the state in which a run begins: transient variables are reset.
func (b *brute) start(s int) int {
	if len(b.g.Init.Transient) == 0 {
		return s
	}
	t := b.states[s].Clone()
	for v, x := range b.g.Init.Transient {
		t.Vars[v] = x
	}
	return b.id(t)
}

func (b *brute) apply(r, s int) int {
	for len(b.next[r]) <= s {
		b.next[r] = append(b.next[r], -2)
	}
	if b.next[r][s] == -2 {
		t, _, ok := fs.Run(b.g.Resources[r].Program, b.states[s])
		b.next[r][s] = -1
		if ok {
			b.next[r][s] = b.id(t)
		}
	}
	return b.next[r][s]
}

func (b *brute) run(order []int, s int) int {
	for _, r := range order {
		if s = b.apply(r, s); s < 0 {
			return s
		}
	}
	return s
}

// ends lists the states in which orders end from s, -1 for failure.
func (b *brute) ends(s int) []int {
	n := len(b.g.Resources)
	reach := make([][]int, 1<<n)
	reach[0] = []int{s}
	failed := false
	for set := range reach {
		for _, s := range reach[set] {
			for r := range n {
				if set&(1<<r) != 0 || b.need[r]&^uint(set) != 0 {
					continue
				}
				t := b.apply(r, s)
				if t < 0 {
					failed = true
				} else if to := set | 1<<r; !slices.Contains(reach[to], t) {
					reach[to] = append(reach[to], t)
				}
			}
		}
	}
	out := reach[len(reach)-1]
	if failed {
		out = append(slices.Clone(out), -1)
	}
	return out
}

// same compares two ends as the model observes them.
func (b *brute) same(s, t int) bool {
	return s == t || s >= 0 && t >= 0 && b.see.alike(b.states[s], b.states[t])
}

// A truth is what brute force finds.
type truth struct {
	deterministic, idempotent, quiet, kept bool
	broken                                 bool // even in catalog order
	always, never                          bool // from the fresh machine
	keptAlways                             bool // in every order
}

func (b *brute) truth() truth {
	t := truth{deterministic: true, idempotent: true, quiet: true, kept: true, keptAlways: true, always: true, never: true}
	b.f.States(func(st *fs.State) bool {
		if !b.initial(st) {
			return true
		}
		s := b.start(b.id(st))
		ends := b.ends(s)
		for _, e := range ends[1:] {
			t.deterministic = t.deterministic && b.same(ends[0], e)
		}
		for _, e := range ends {
			t.keptAlways = t.keptAlways && (e < 0 || b.posts(e))
		}
		if star := b.run(b.order, s); star >= 0 {
			again := b.run(b.order, b.start(star))
			t.idempotent = t.idempotent && b.same(star, again)
			t.quiet = t.quiet && b.still(b.start(star))
			t.kept = t.kept && b.posts(star)
		}
		if !b.good(b.run(b.order, s)) && slices.ContainsFunc(ends, b.good) {
			t.broken = true
		}
		return true
	})
	fresh := b.g.Fresh
	if fresh == nil {
		fresh = fs.NewState()
	}
	for _, e := range b.ends(b.start(b.id(fresh))) {
		if e < 0 {
			t.always = false
		} else {
			t.never = false
		}
	}
	return t
}

// still: a run in catalog order from s changes nothing and acts nowhere.
func (b *brute) still(s int) bool {
	for _, r := range b.order {
		t := b.apply(r, s)
		if t < 0 || !b.same(s, t) {
			return false
		}
		if _, acted, _ := fs.Run(b.g.Resources[r].Program, b.states[s]); acted {
			return false
		}
		s = t
	}
	return true
}

func (b *brute) posts(s int) bool {
	for _, r := range b.g.Resources {
		if r.Post != nil && !b.states[s].Eval(r.Post) {
			return false
		}
	}
	return true
}

// good is analysis §2.2: no failure, what is declared holds, a second run leaves the state as it is.
func (b *brute) good(s int) bool {
	return s >= 0 && b.posts(s) && b.same(s, b.run(b.order, b.start(s)))
}

// randomGraph makes a small graph, a third of them structured: few cells, many writers, one late overwriter, readers.
func randomGraph(r *rand.Rand, size int) (*Graph, *fstest.Features) {
	g, graph := randomParts(r, size)
	return graph, graphFeatures(g, graph)
}

func randomParts(r *rand.Rand, size int) (*fstest.Gen, *Graph) {
	g := fstest.New(r, r.IntN(4) == 0)
	n := 2 + r.IntN(size-1)
	graph := &Graph{}
	structured := r.IntN(3) == 0
	layered := structured && r.IntN(2) == 0 // writers, then readers, then the late overwriter
	readers := n - 1 - r.IntN(min(n-1, 2))
	density := r.Float64() * 0.6
	if structured {
		g.Paths = fstest.Trees()[r.IntN(3)]
		density *= 0.3
	}
	for i := range n {
		res := Resource{Name: fmt.Sprintf("R%d", i), Program: g.Resource()}
		if structured {
			res.Program = structuredResource(r, g, i == n-1, layered && i >= readers)
		}
		if r.IntN(3) == 0 {
			res.Post = g.Pred(1)
		}
		graph.Resources = append(graph.Resources, res)
	}
	rank := r.Perm(n)
	if layered {
		slices.Sort(rank)
	} else if structured {
		rank[n-1], rank[slices.Index(rank, n-1)] = n-1, rank[n-1]
	}
	for i := range n {
		for j := range n {
			late := structured && j == n-1 && r.IntN(8) > 0 || layered && i < readers && j >= readers && r.IntN(8) > 0
			if rank[i] < rank[j] && (late || r.Float64() < density) {
				graph.Edges = append(graph.Edges, Edge{From: i, To: j})
			}
		}
	}
	if r.IntN(6) == 0 { // not every machine
		graph.Init.Assume = append(graph.Init.Assume, g.Pred(1))
		if r.IntN(2) == 0 {
			graph.Init.Assume = append(graph.Init.Assume, fs.Is{Path: g.Paths[0], Kind: fs.Dir})
		}
	}
	if g.Rich && r.IntN(4) == 0 {
		graph.Init.Transient = map[string]fs.Value{"w": fs.Text([]string{"on", "off"}[r.IntN(2)])}
	}
	enrich(r, g, graph)
	return g, graph
}

func structuredResource(r *rand.Rand, g *fstest.Gen, last, reader bool) fs.Expr {
	p := g.Paths[r.IntN(len(g.Paths))]
	text := func() fs.Term { return fs.Str(g.Texts[r.IntN(len(g.Texts))]) }
	if last {
		switch r.IntN(4) {
		case 0:
			return fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: fs.Write{Path: p, Content: text()}}
		case 1:
			return fs.Write{Path: p, Content: text()}
		}
		return fs.Overwrite(p, text())
	}
	kind := r.IntN(9)
	if reader {
		kind = 5 + r.IntN(2)
	}
	switch kind {
	case 0, 1, 2:
		return fs.Overwrite(p, text())
	case 3:
		return fs.Write{Path: p, Content: text()}
	case 4:
		return fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: fs.Write{Path: p, Content: text()}}
	case 5: // a reader
		q := g.Paths[r.IntN(len(g.Paths))]
		return fs.If{Cond: fs.ContentIs(p, text()), Then: fs.Overwrite(q, text())}
	case 6:
		q := g.Paths[r.IntN(len(g.Paths))]
		return fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: fs.Seq{
			fs.If{Cond: fs.Is{Path: q, Kind: fs.File}, Then: fs.Write{Path: q, Content: fs.ContentOf{Path: p}}}}}
	case 7:
		return fs.Seq{fs.If{Cond: fs.Is{Path: p, Kind: fs.File}, Then: fs.Fail{}}, fs.EnsureDir(p)}
	}
	return g.Resource()
}

// graphFeatures finds what the programs of a graph can tell apart, so that brute force need not look at more.
func graphFeatures(g *fstest.Gen, graph *Graph) *fstest.Features {
	f := fstest.NewFeatures(g.Paths)
	for _, r := range graph.Resources {
		f.Look(r.Program)
		f.LookPred(r.Post)
	}
	for _, p := range graph.Init.Assume {
		f.LookPred(p)
	}
	for _, v := range graph.Init.Closed["w"] {
		text, _ := v.IsText()
		f.Value("w", text)
		if ask := fs.Ask("q", v); len(f.Asks) > 0 && !slices.Contains(f.Asks, ask) {
			f.Asks = append(f.Asks, ask)
		}
	}
	f.Links = true // rm and file? tell links from all else
	return f
}
