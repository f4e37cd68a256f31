package verify

import (
	"slices"

	"bunraku/verify/fs"
)

// An Analysis is a graph made ready for questions: its programs as formulas, its order closed, its cells indexed. It is
// not safe for concurrent use.
type Analysis struct {
	Graph *Graph
	Space *fs.Space
	Stats Stats

	opt   Options
	edges []Edge // of the graph and added
	added []Edge
	part  *partial
	order []int // catalog order, L*
	at    []int // per resource: its position in it

	raw  []*fs.Effect // for any state of any number of runs
	eff  []*fs.Effect // for the states in which a first run can be when the resource is next
	foot []fs.Footprint
	bare []fs.Footprint // of raw
	post []fs.Bool

	asserted []fs.Bool
	encoded  [][]*encoded // per resource, shared with the same graph with more edges

	cells   map[fs.Cell][]int    // who accesses a cell, in index order
	facts   map[fs.Cell][]source // who makes something certain about a cell, in catalog order
	writers map[fs.Cell][]writer
	conjs   []map[fs.Cell][]int // per resource, made when needed: conditions by cell

	world *fs.World        // initial states
	eval  *fs.Eval         // in them; every question starts with In
	mid   *fs.World        // states at any moment
	evals [3]*fs.Eval      // of mid
	pairs map[[2]int]*pair // tested so far

	begun     *fs.State          // what runs from the fresh machine begin with, if there was one
	mates     map[int][]int      // candidates by the smaller number, if asked for
	cellRoles map[fs.Cell]*roles // found so far
	groups    [][]int            // components by foot, if asked for
	groupOf   []int              // per resource: its component
	found     *Determinism
	success   *Success
	reruns    [2]*Idempotence // idempotence and quiet, if asked for
	resting   []bool          // per resource: settled, if asked for
	unclear   []int           // resources without a model

	assumedAt    map[fs.Cell][]int // assumptions by the cells that they speak about, if asked for
	assumedCells [][]fs.Cell       // the other way round
}

// Stats says how an answer was found.
type Stats struct {
	Cells      int
	Candidates int // pairs that share a cell in a way that may not commute
	Tested     int // pairs tested by meaning
	Conflicts  int // pairs left that do not commute, visibly
	Walked     int // initial states walked through by exact searches
	Solved     int // questions to a solver
	Clauses    int // of the largest of them
	Stage      string
}

// A source is a fact that holds right after a resource, or initially.
type source struct {
	by   int // -1 for the initial state
	mask uint64
}

// A writer may change a cell, but only to values in mask; other values if wild.
type writer struct {
	by   int
	mask uint64
	wild bool
}

// Prepare makes an analysis of g with some edges added. It fails with a *CycleError if the dependencies are circular.
func Prepare(g *Graph, opt Options, added ...Edge) (*Analysis, error) {
	order, err := g.catalogOrder(added)
	if err != nil {
		return nil, err
	}
	programs := make([]fs.Expr, len(g.Resources))
	var posts []fs.Pred
	for i, r := range g.Resources {
		programs[i] = r.Program
		if r.Post != nil {
			posts = append(posts, r.Post)
		}
	}
	for _, x := range g.Assertions {
		posts = append(posts, x.Pred)
	}
	init := g.Init
	if opt.fault == faultClosedContents {
		init.ClosedContents = true
	}
	a := &Analysis{
		Graph: g,
		Space: fs.NewSpace(opt.Budget, init, programs, posts),
		opt:   opt,
		added: added,
		raw:   make([]*fs.Effect, len(g.Resources)),
		bare:  make([]fs.Footprint, len(g.Resources)),
		post:  make([]fs.Bool, len(g.Resources)),
		pairs: map[[2]int]*pair{},

		encoded: make([][]*encoded, len(g.Resources)),
	}
	for i, r := range g.Resources {
		a.raw[i] = a.Space.Encode(r.Program, opt.Facts, nil)
		a.post[i] = a.Space.EncodePred(r.Post)
	}
	for _, x := range g.Assertions {
		a.asserted = append(a.asserted, a.Space.EncodePred(x.Pred))
	}
	a.finish(order)
	return a, nil
}

// With makes an analysis of the same graph with more edges. The programs are not encoded again.
func (a *Analysis) With(added ...Edge) (*Analysis, error) {
	all := append(slices.Clone(a.added), added...)
	order, err := a.Graph.catalogOrder(all)
	if err != nil {
		return nil, err
	}
	b := &Analysis{Graph: a.Graph, Space: a.Space, opt: a.opt, added: all, raw: a.raw, bare: a.bare, post: a.post,
		asserted: a.asserted, pairs: map[[2]int]*pair{}, begun: a.begun, encoded: a.encoded}
	b.finish(order)
	return b, nil
}

func (a *Analysis) n() int { return len(a.Graph.Resources) }

// Order is the order in which the agent applies the resources.
func (a *Analysis) Order() []int { return slices.Clone(a.order) }

func (a *Analysis) finish(order []int) {
	n := a.n()
	a.order, a.at = order, make([]int, n)
	for k, i := range order {
		a.at[i] = k
	}
	a.edges = append(slices.Clone(a.Graph.Edges), a.added...)
	a.part = newPartial(n, a.edges, order)
	a.eff = slices.Clone(a.raw)
	a.foot = make([]fs.Footprint, n)
	a.writers = map[fs.Cell][]writer{}
	for i := range a.raw {
		if a.bare[i] == nil {
			a.bare[i] = a.Space.Footprint(a.raw[i])
		}
		a.foot[i] = a.bare[i]
		for _, o := range a.raw[i].Out {
			a.writers[o.Cell] = append(a.writers[o.Cell], a.writer(i, o))
		}
	}
	if a.opt.Facts {
		a.specialise()
	}
	a.cells = map[fs.Cell][]int{}
	for i := range a.foot {
		for _, x := range a.foot[i] {
			a.cells[x.Cell] = append(a.cells[x.Cell], i)
		}
	}
	a.conjs = make([]map[fs.Cell][]int, n)
	a.world = a.Space.NewWorld()
	a.eval = a.world.NewEval()
	a.cellRoles = map[fs.Cell]*roles{}
	a.mid = a.Space.NewMidWorld()
	for i := range a.evals {
		a.evals[i] = a.mid.NewEval()
	}
	a.Stats.Cells = a.Space.Cells()
	for i, r := range a.Graph.Resources {
		if r.Exact == Opaque {
			a.unclear = append(a.unclear, i)
		}
	}
}

func (a *Analysis) writer(i int, o fs.CellVal) writer {
	w := writer{by: i}
	for _, leaf := range a.Space.Leaves(o.Val) {
		v := a.Space.ViewVal(leaf)
		switch {
		case v.Op == fs.ValCell && v.Cell == o.Cell:
		case v.Op == fs.ValConst:
			mask, ok := a.Space.MaskOf(o.Cell, v.ID)
			w.mask |= mask
			w.wild = w.wild || !ok
		default:
			w.wild = true
		}
	}
	return w
}

// destroys reports whether w may make the fact false.
func (w writer) destroys(mask uint64) bool { return w.wild || w.mask&^mask != 0 }

// specialise encodes programs again under what is certain when they are next: Init, or an ancestor's success, says so,
// and nobody who may run in between destroys it. Directories that are there anyway stop being shared (analysis §2.1.1).
func (a *Analysis) specialise() {
	a.facts = map[fs.Cell][]source{}
	for c := fs.Cell(0); int(c) < a.Space.Cells(); c++ {
		if f, says := a.Space.InitialFact(c); says {
			a.facts[c] = append(a.facts[c], source{-1, f.Mask})
		}
	}
	for _, r := range a.order {
		var facts []fs.Fact
		for _, x := range a.foot[r] {
			if mask, ok := a.certain(x.Cell, r, r); ok {
				facts = append(facts, fs.Fact{Cell: x.Cell, Mask: mask})
			}
		}
		if len(facts) > 0 {
			x := a.under(r, facts)
			if x.foot == nil {
				x.foot = a.Space.Footprint(x.eff)
			}
			a.eff[r], a.foot[r] = x.eff, x.foot
		}
		a.publish(r)
	}
}

// An encoded program is what a resource does where some facts hold.
type encoded struct {
	facts []fs.Fact
	eff   *fs.Effect
	foot  fs.Footprint // nil until somebody asks
}

// under encodes a resource's program under some facts, or finds it: the same graph with an edge more asks the same of
// almost every resource.
func (a *Analysis) under(r int, facts []fs.Fact) *encoded {
	for _, x := range a.encoded[r] {
		if slices.Equal(x.facts, facts) {
			return x
		}
	}
	x := &encoded{facts: facts, eff: a.Space.Encode(a.Graph.Resources[r].Program, true, facts)}
	a.encoded[r] = append(a.encoded[r], x)
	return x
}

// certain intersects the facts about c that hold whenever u and v are both next (u = v for one resource): Lemma 2.
func (a *Analysis) certain(c fs.Cell, u, v int) (mask uint64, ok bool) {
	mask = ^uint64(0)
	for _, s := range a.facts[c] {
		if s.mask&mask == mask {
			continue
		}
		if s.by >= 0 && !a.part.precedes(s.by, u) && !a.part.precedes(s.by, v) {
			continue
		}
		if a.stable(c, s, u, v) {
			mask &= s.mask
			ok = true
		}
	}
	return mask, ok
}

// stable reports whether nobody who may run between s.by and the moment when u and v are next destroys the fact.
func (a *Analysis) stable(c fs.Cell, s source, u, v int) bool {
	if a.opt.fault == faultUnstableFacts {
		return true
	}
	for _, w := range a.writers[c] {
		switch {
		case w.by == s.by || w.by == u || w.by == v || !w.destroys(s.mask):
		case s.by >= 0 && a.part.precedes(w.by, s.by):
		case a.part.precedes(u, w.by) || a.part.precedes(v, w.by):
		default:
			return false
		}
	}
	return true
}

// publish records what r's success makes certain.
func (a *Analysis) publish(r int) {
	for _, f := range a.established(r) {
		a.facts[f.Cell] = append(a.facts[f.Cell], source{r, f.Mask})
	}
}

// established lists what r's success makes certain: what it leaves, and conditions on cells that it does not change.
func (a *Analysis) established(r int) []fs.Fact {
	e := a.eff[r]
	given := make([]fs.Bool, len(e.OK))
	for i, k := range e.OK {
		given[i] = k.F
	}
	var out []fs.Fact
	for _, o := range e.Out {
		if mask, ok := a.Space.Span(o.Cell, o.Val, given); ok {
			out = append(out, fs.Fact{Cell: o.Cell, Mask: mask})
		}
	}
	for _, k := range e.OK {
		if v := a.Space.View(k.F); v.Op == fs.OpAtom {
			if _, written := e.Writes(v.Cell); !written {
				out = append(out, fs.Fact{Cell: v.Cell, Mask: v.Mask})
			}
		}
	}
	return out
}

// conj indexes the conditions of i by the cells they depend on.
func (a *Analysis) conj(i int) map[fs.Cell][]int {
	if a.conjs[i] == nil {
		m := map[fs.Cell][]int{}
		for k, x := range a.eff[i].OK {
			for _, c := range a.Space.Support(x.F) {
				m[c] = append(m[c], k)
			}
		}
		a.conjs[i] = m
	}
	return a.conjs[i]
}
