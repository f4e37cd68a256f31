package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// This file encodes a run whose order is open (§4.2), without enumerating orders: a literal per pair of resources says
// which comes first; the value that a resource reads from a cell is the one left by the last writer before it, chosen
// by these literals. Two orders differ somewhere iff one of them differs from catalog order, so one open order against
// the fixed one is enough.

// eagerOrders is the number of resources up to which transitivity is stated at once.
const eagerOrders = 60

// An openRun is a run of a component in an open order.
type openRun struct {
	a      *Analysis
	c      *circuit
	of     []int
	eff    []*fs.Effect
	pos    map[int]int         // where a resource stands in of
	first  [][]sat.Lit         // by places of i and j, i < j: i comes before j; 0 and nil if nobody has asked
	finals map[fs.Cell]fs.Cell // what a cell holds at the end
	ok     sat.Lit
	who    map[fs.Cell][]int // writers
}

// openRun encodes a run of the component from the initial state.
func (c *circuit) openRun(of []int, eff []*fs.Effect) *openRun {
	a := c.a
	r := &openRun{a: a, c: c, of: of, eff: eff, pos: map[int]int{}, first: make([][]sat.Lit, len(of)),
		finals: map[fs.Cell]fs.Cell{}, who: map[fs.Cell][]int{}}
	for k, i := range of {
		r.pos[i] = k
		for _, o := range eff[i].Out {
			r.who[o.Cell] = append(r.who[o.Cell], i)
		}
	}
	// What each resource reads: an auxiliary cell, unless nobody can have written before it.
	inputs := make([]map[fs.Cell]fs.Cell, len(of))
	outs := make([]map[fs.Cell]fs.Val, len(of))
	conds := make([][]fs.Bool, len(of))
	for k, i := range of {
		in := map[fs.Cell]fs.Cell{}
		inputs[k] = in
		s := a.Space.NewSubst(func(x fs.Cell) fs.Val {
			if !slices.ContainsFunc(r.who[x], func(j int) bool { return j != i && !a.part.precedes(i, j) }) {
				return a.Space.Read(x)
			}
			if _, ok := in[x]; !ok {
				in[x] = a.Space.NewAux(x)
			}
			return a.Space.Read(in[x])
		})
		for _, cond := range eff[i].OK {
			conds[k] = append(conds[k], s.Bool(cond.F))
		}
		outs[k] = map[fs.Cell]fs.Val{}
		for _, o := range eff[i].Out {
			outs[k][o.Cell] = s.Val(o.Val)
		}
	}
	for _, x := range sortedCells(r.who) {
		r.finals[x] = a.Space.NewAux(x)
	}
	// Which values can reach a cell.
	reach := r.reach(inputs, outs)
	for k := range of {
		for _, x := range sortedCells(inputs[k]) {
			c.declare(inputs[k][x], reach[x])
		}
	}
	for _, x := range sortedCells(r.finals) {
		c.declare(r.finals[x], reach[x])
	}
	// The last writer before i, or none.
	for k, i := range of {
		for _, x := range sortedCells(inputs[k]) {
			r.chosen(inputs[k][x], x, i, outs)
		}
	}
	for _, x := range sortedCells(r.finals) {
		r.chosen(r.finals[x], x, -1, outs)
		r.someFirst(x)
	}
	var all []sat.Lit
	for k := range of {
		for _, f := range conds[k] {
			all = append(all, c.bool(f))
		}
	}
	r.ok = c.b.And(all...)
	if a.opt.EagerOrder && len(of) <= eagerOrders {
		r.transitive()
	}
	return r
}

// reach computes, per cell, the constants and results that can get there.
func (r *openRun) reach(inputs []map[fs.Cell]fs.Cell, outs []map[fs.Cell]fs.Val) map[fs.Cell][]fs.Val {
	sp := r.a.Space
	sets := map[fs.Cell]map[fs.Val]bool{}
	copies := map[fs.Cell][]fs.Cell{} // to → from
	auxOf := map[fs.Cell]fs.Cell{}
	for _, in := range inputs {
		for x, aux := range in {
			auxOf[aux] = x
		}
	}
	initial := func(x fs.Cell) map[fs.Val]bool {
		if sets[x] == nil {
			sets[x] = map[fs.Val]bool{}
			mask := r.c.mask(x)
			for j, v := range sp.Shape(x).Values {
				if mask&(1<<j) != 0 {
					sets[x][v] = true
				}
			}
		}
		return sets[x]
	}
	for _, in := range inputs {
		for x := range in {
			initial(x)
		}
	}
	for k := range outs {
		for x, v := range outs[k] {
			set := initial(x)
			for _, leaf := range sp.Leaves(v) {
				view := sp.ViewVal(leaf)
				if view.Op != fs.ValCell {
					set[leaf] = true
					continue
				}
				from := view.Cell
				if from.IsAux() {
					from = auxOf[from]
				}
				initial(from)
				copies[x] = append(copies[x], from)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for to, froms := range copies {
			for _, from := range froms {
				for v := range sets[from] {
					if !sets[to][v] {
						sets[to][v] = true
						changed = true
					}
				}
			}
		}
	}
	out := map[fs.Cell][]fs.Val{}
	for x, set := range sets {
		for v := range set {
			out[x] = append(out[x], v)
		}
		slices.Sort(out[x])
	}
	return out
}

// before is the literal for "i comes before j".
func (r *openRun) before(i, j int) sat.Lit {
	switch {
	case r.a.part.precedes(i, j):
		return r.c.b.True()
	case r.a.part.precedes(j, i):
		return r.c.b.False()
	case i > j:
		return -r.before(j, i)
	}
	l := r.asked(i, j)
	if *l == 0 {
		*l = r.c.b.Var()
	}
	return *l
}

// asked is where the literal for "i comes before j" is kept, for i < j.
func (r *openRun) asked(i, j int) *sat.Lit {
	row := &r.first[r.pos[i]]
	if *row == nil {
		r.a.opt.Budget.Keep(int64(4*len(r.of)), "orders")
		*row = make([]sat.Lit, len(r.of))
	}
	return &(*row)[r.pos[j]]
}

// chosen demands that aux has the value of cell x when reader is next, or at the end if reader < 0.
func (r *openRun) chosen(aux, x fs.Cell, reader int, outs []map[fs.Cell]fs.Val) {
	var writers []int
	for _, j := range r.who[x] {
		if j != reader && (reader < 0 || !r.a.part.precedes(reader, j)) {
			writers = append(writers, j)
		}
	}
	earlier := func(j int) sat.Lit { // j comes before the reader
		if reader < 0 {
			return r.c.b.True()
		}
		return r.before(j, reader)
	}
	var none []sat.Lit
	for _, j := range writers {
		none = append(none, -earlier(j))
	}
	untouched := r.c.b.And(none...)
	r.c.imply(aux, r.a.Space.Read(x), untouched)
	// Some writer is the last, or there is none: this follows, but through the whole order; saying it saves the solver
	// the detour (Figure 13 with 14 writers: milliseconds instead of minutes).
	some := []sat.Lit{untouched}
	for _, j := range writers {
		last := []sat.Lit{earlier(j)}
		for _, k := range writers {
			if k != j {
				last = append(last, r.c.b.Or(r.before(k, j), -earlier(k)))
			}
		}
		v := outs[r.pos[j]][x]
		is := r.c.b.And(last...)
		r.c.imply(aux, v, is)
		some = append(some, is)
	}
	r.c.b.Clause(some...)
}

// someFirst says that some writer of a cell comes before the others. It follows, too.
func (r *openRun) someFirst(x fs.Cell) {
	var some []sat.Lit
	for _, i := range r.who[x] {
		var first []sat.Lit
		for _, j := range r.who[x] {
			if i != j {
				first = append(first, r.before(i, j))
			}
		}
		some = append(some, r.c.b.And(first...))
	}
	r.c.b.Clause(some...)
}

// transitive states that the literals form an order.
func (r *openRun) transitive() {
	b := r.c.b
	for p, i := range r.of {
		for q, j := range r.of[:p] {
			for _, k := range r.of[:q] {
				x, y, z := r.before(i, j), r.before(j, k), r.before(k, i)
				for _, s := range [2]sat.Lit{1, -1} { // neither cycle
					b.Imply(b.False(), x*s, y*s, z*s)
				}
			}
		}
	}
}

// order reads the order from a model. If the literals are circular, it forbids the cycle and returns nil.
func (r *openRun) order(m sat.Result) []int {
	var edges []Edge
	for p, i := range r.of {
		for _, j := range r.of[:p] {
			x, y := min(i, j), max(i, j)
			switch l := *r.asked(x, y); {
			case r.a.part.precedes(x, y), l != 0 && m.True(l):
				edges = append(edges, Edge{From: r.pos[x], To: r.pos[y]})
			case r.a.part.precedes(y, x), l != 0:
				edges = append(edges, Edge{From: r.pos[y], To: r.pos[x]})
			}
		}
	}
	if cycle := findCycle(len(r.of), edges); cycle != nil {
		var clause []sat.Lit
		for _, e := range cycle {
			if l := r.before(r.of[e.From], r.of[e.To]); l != r.c.b.True() {
				clause = append(clause, -l)
			}
		}
		r.c.b.Clause(clause...)
		return nil
	}
	out := kahn(len(r.of), edges, func(k int) int { return k })
	for k := range out {
		out[k] = r.of[out[k]]
	}
	return out
}

// final is the value of a cell at the end.
func (r *openRun) final(x fs.Cell) fs.Val {
	if aux, ok := r.finals[x]; ok {
		return r.a.Space.Read(aux)
	}
	return r.a.Space.Read(x)
}

// fixed lists the component in catalog order.
func (a *Analysis) fixed(of []int) []int {
	out := slices.Clone(of)
	slices.SortFunc(out, func(i, j int) int { return a.at[i] - a.at[j] })
	return out
}

// search asks the solver for two orders of a component that end differently from some initial state.
func (a *Analysis) search(ctx context.Context, of []int) (*difference, sat.Status, error) {
	c := newCircuit(a)
	c.b.Clause(c.bool(a.Space.Remaining()))
	runs := []*openRun{c.openRun(of, a.eff)}
	var okY sat.Lit
	var valueY func(fs.Cell) fs.Val
	fixed := a.fixed(of)
	if a.opt.FixedOrder {
		star := a.compose(fixed, a.eff, nil)
		okY, valueY = c.bool(star.success()), star.value
	} else {
		runs = append(runs, c.openRun(of, a.eff))
		okY, valueY = runs[1].ok, runs[1].final
	}
	differ := []sat.Lit{}
	for _, x := range sortedCells(runs[0].finals) {
		if a.Space.Observed(x) {
			differ = append(differ, -c.eq(runs[0].final(x), valueY(x)))
		}
	}
	okX := runs[0].ok
	c.b.Clause(c.b.Or(c.b.And(okX, -okY), c.b.And(-okX, okY), c.b.And(okX, okY, c.b.Or(differ...))))
	m, orders, status, err := a.solveOrders(ctx, c, runs)
	if status != sat.Sat || err != nil {
		return nil, status, err
	}
	d := &difference{x: orders[0], y: fixed, init: c.state(m)}
	if len(orders) > 1 {
		d.y = orders[1]
	}
	return d, sat.Sat, nil
}

// solveOrders solves until the orders of a model are orders.
func (a *Analysis) solveOrders(ctx context.Context, c *circuit, runs []*openRun) (sat.Result, [][]int, sat.Status,
	error) {
	for {
		m, err := a.solve(ctx, c.b)
		if err != nil || m.Status == sat.Unknown {
			return m, nil, sat.Unknown, err
		}
		if m.Status == sat.Unsat {
			return m, nil, a.unsat(), nil
		}
		var orders [][]int
		for _, r := range runs {
			if o := r.order(m); o != nil {
				orders = append(orders, o)
			}
		}
		if len(orders) == len(runs) {
			return m, orders, sat.Sat, nil
		}
	}
}
