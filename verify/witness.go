package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
)

// A Counterexample is an initial state from which two orders end differently. It has been replayed by the concrete
// interpreter on the whole graph.
type Counterexample struct {
	Initial    *fs.State
	A, B       []int // two orders of all resources
	EndA, EndB *fs.State
	FailA      int // the resource that failed in order A, or -1; then EndA is nil
	FailB      int
	Pair       [2]int // the resources whose order matters, if it is known to be one pair; else -1, -1
	Differ     []fs.Difference
}

// An Outcome is the end of a concrete run.
type Outcome struct {
	State  *fs.State // nil on failure
	Failed int       // index of the resource that failed, or -1
	Acts   []int     // resources that changed something or acted, in order
}

// replaying is what is being done here, for the budget.
const replaying = "replaying runs"

// Replay applies the resources in order, concretely.
func (a *Analysis) Replay(order []int, s *fs.State) Outcome {
	a.opt.Budget.Spend(int64(4*len(order)+len(s.Nodes)+len(s.Vars)), replaying)
	out := Outcome{State: a.begin(s), Failed: -1}
	for _, i := range order {
		touched, ok := fs.RunInPlace(a.Graph.Resources[i].Program, out.State)
		if !ok {
			return Outcome{Failed: i, Acts: out.Acts}
		}
		if touched.Acted || a.Space.Changed(touched, out.State) {
			out.Acts = append(out.Acts, i)
		}
	}
	return out
}

// A Near compares orders by what the component of some resources does, which is where their difference is decided,
// unless somebody else fails.
type Near struct {
	a     *Analysis
	in    map[int]bool
	cells []fs.Cell
}

// Near looks at the components of some resources.
func (a *Analysis) Near(of ...int) *Near {
	n := &Near{a: a, in: map[int]bool{}}
	cells := map[fs.Cell]bool{}
	for _, i := range of {
		for _, j := range a.componentOf(i) {
			n.in[j] = true
			for _, o := range a.raw[j].Out {
				cells[o.Cell] = true
			}
		}
	}
	n.cells = sortedCells(cells)
	return n
}

// Differ reports whether two orders end differently from a state.
func (n *Near) Differ(x, y []int, s *fs.State) bool {
	p, q := n.a.run(n.only(x), s), n.a.run(n.only(y), s)
	if p.Failed >= 0 || q.Failed >= 0 {
		return (p.Failed >= 0) != (q.Failed >= 0)
	}
	return n.a.Space.Differ(p.State, q.State, n.cells)
}

func (n *Near) only(order []int) []int {
	var out []int
	for _, i := range order {
		if n.in[i] {
			out = append(out, i)
		}
	}
	return out
}

// begin is a copy of a state for a run to change; what is needed of the fresh machine is remembered.
func (a *Analysis) begin(s *fs.State) *fs.State {
	if s != a.Graph.Fresh || s == nil {
		return a.Space.Begin(s)
	}
	if a.begun == nil {
		a.begun = a.Space.Begin(s)
	}
	return a.begun.Clone()
}

// End is Replay without the list of acts.
func (a *Analysis) End(order []int, s *fs.State) Outcome { return a.run(order, s) }

func (a *Analysis) run(order []int, s *fs.State) Outcome {
	a.opt.Budget.Spend(int64(4*len(order)+len(s.Nodes)+len(s.Vars)), replaying)
	s = a.begin(s)
	for _, i := range order {
		if !fs.Perform(a.Graph.Resources[i].Program, s) {
			return Outcome{Failed: i}
		}
	}
	return Outcome{State: s, Failed: -1}
}

// replay checks a suspected counter-example and completes it. It returns nil if the orders agree after all, or if the
// state is none of the initial states.
func (a *Analysis) replay(s *fs.State, x, y []int) *Counterexample {
	if s == nil || !a.Space.Satisfies(s) {
		return nil
	}
	p, q := a.run(x, s), a.run(y, s)
	c := &Counterexample{Initial: s, A: x, B: y, EndA: p.State, EndB: q.State, FailA: p.Failed, FailB: q.Failed,
		Pair: [2]int{-1, -1}}
	if p.Failed >= 0 && q.Failed >= 0 {
		return nil
	}
	if p.Failed < 0 && q.Failed < 0 {
		if c.Differ = a.Space.Diff(p.State, q.State); len(c.Differ) == 0 {
			return nil
		}
	}
	return c
}

// cheap looks for a counter-example that swaps one pair: with all that may come before it before it, or as little as
// possible, from states that agree with one in which the pair differs, where everything else succeeds if it can. It
// looks at the pair's component only; what it finds is replayed on the whole.
func (a *Analysis) cheap(ctx context.Context, p *pair) *Counterexample {
	for _, most := range [2]bool{true, false} {
		var head, tail []int
		for _, i := range a.fixed(a.componentOf(p.u)) {
			switch {
			case i == p.u || i == p.v:
			case a.part.precedes(i, p.u) || a.part.precedes(i, p.v),
				most && !a.part.precedes(p.u, i) && !a.part.precedes(p.v, i):
				head = append(head, i)
			default:
				tail = append(tail, i)
			}
		}
		x := slices.Concat(head, []int{p.u, p.v}, tail)
		y := slices.Concat(head, []int{p.v, p.u}, tail)
		if d := a.walk(x, y, p.seed, 40); d != nil {
			if c := a.confirm(ctx, d); c != nil {
				c.Pair = [2]int{p.u, p.v}
				return c
			}
		}
	}
	return nil
}

// walk runs two orders of the same resources through initial states that agree with the seed, and stops at the first
// difference.
func (a *Analysis) walk(x, y []int, seed []fs.Fact, limit int) *difference {
	w := a.world
	w.Forget()
	if !w.Assume(seed) {
		w.Forget() // the seed is a state in mid-run; the initial one may be another
	}
	defer w.Forget()
	ev := a.eval
	var found *difference
	w.Explore(limit, func() bool {
		if !ev.In(w.Initial).Bool(a.Space.Remaining(), true) {
			return true
		}
		stateX, okX := a.walkOrder(w, ev, x)
		stateY, okY := a.walkOrder(w, ev, y)
		if okX != okY || okX && a.openDiffer(w, stateX, stateY) {
			found = &difference{x: x, y: y, seed: w.Seen(), init: w.State()}
			return false
		}
		return true
	})
	return found
}

// walkOrder applies effects in order; cells that were never written are not in the result.
func (a *Analysis) walkOrder(w *fs.World, ev *fs.Eval, order []int) (map[fs.Cell]fs.Open, bool) {
	state := map[fs.Cell]fs.Open{}
	at := func(c fs.Cell) fs.Open {
		if v, ok := state[c]; ok {
			return v
		}
		return w.Initial(c)
	}
	var next []fs.Open
	for _, i := range order {
		ev.In(at)
		for _, k := range a.eff[i].OK {
			if !ev.Bool(k.F, true) {
				return nil, false
			}
		}
		next = next[:0]
		for _, o := range a.eff[i].Out {
			next = append(next, ev.Val(o.Val))
		}
		for k, o := range a.eff[i].Out {
			state[o.Cell] = next[k]
		}
	}
	return state, true
}

// openDiffer decides whether two ends differ; values that are still open are decided so that they do, if they can.
func (a *Analysis) openDiffer(w *fs.World, x, y map[fs.Cell]fs.Open) bool {
	cells := map[fs.Cell]bool{}
	for c := range x {
		cells[c] = true
	}
	for c := range y {
		cells[c] = true
	}
	for _, c := range sortedCells(cells) {
		if !a.Space.Observed(c) {
			continue
		}
		u, ok := x[c]
		if !ok {
			u = w.Initial(c)
		}
		v, ok := y[c]
		if !ok {
			v = w.Initial(c)
		}
		if w.Differ(u, v) {
			return true
		}
	}
	return false
}
