package verify

import (
	"context"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// A composed run is the state after some resources in a fixed order, as formulas over the state before: Φ(e1; e2; …).
type composed struct {
	a  *Analysis
	at map[fs.Cell]fs.Val // cells that differ from the state before
	ok []fs.Bool          // conditions for success

	before func(fs.Cell) fs.Val
}

// compose runs the effects in order from a state given by formulas; nil is the initial state.
func (a *Analysis) compose(order []int, eff []*fs.Effect, before func(fs.Cell) fs.Val) *composed {
	if before == nil {
		before = a.Space.Start
	}
	r := &composed{a: a, at: map[fs.Cell]fs.Val{}, before: before}
	for _, i := range order {
		r.step(eff[i])
	}
	return r
}

// value is the value of a cell after the run so far.
func (r *composed) value(c fs.Cell) fs.Val {
	if v, ok := r.at[c]; ok {
		return v
	}
	return r.before(c)
}

// step runs one more effect. It says which observed cells change, one condition for each, and whether something is
// done.
func (r *composed) step(e *fs.Effect) (changed []fs.Bool, acted fs.Bool) {
	s := r.a.Space.NewSubst(r.value)
	for _, k := range e.OK {
		r.ok = append(r.ok, s.Bool(k.F))
	}
	next := make([]fs.Val, len(e.Out))
	for i, o := range e.Out {
		next[i] = s.Val(o.Val)
	}
	acted = s.Bool(e.Acted)
	if r.a.opt.fault == faultSilent {
		acted = fs.Bottom
	}
	for i, o := range e.Out {
		if now := r.value(o.Cell); now != next[i] {
			if r.a.Space.Observed(o.Cell) {
				changed = append(changed, r.a.Space.Not(r.a.Space.Eq(now, next[i])))
			}
			r.at[o.Cell] = next[i]
		}
	}
	return changed, acted
}

// next is the value that a cell would have after one more effect.
func (r *composed) next(o fs.CellVal) fs.Val { return r.a.Space.NewSubst(r.value).Val(o.Val) }

// rest is the run of all resources but some.
func (a *Analysis) rest(of []int) *composed {
	in := newBitset(a.n())
	for _, i := range of {
		in.add(i)
	}
	var others []int
	for _, i := range a.order {
		if !in.has(i) {
			others = append(others, i)
		}
	}
	return a.compose(others, a.eff, nil)
}

// success says that nothing failed.
func (r *composed) success() fs.Bool { return r.a.Space.And(r.ok...) }

// restart is the state in which the next run finds the machine: transient cells start anew.
func (r *composed) restart(c fs.Cell) fs.Val {
	if v, ok := r.a.Space.Transient(c); ok && r.a.opt.fault != faultEvents {
		return v
	}
	return r.value(c)
}

// differs says that two composed runs from the same state end differently: one fails, or an observed cell differs.
func (a *Analysis) differs(x, y *composed) fs.Bool {
	sp := a.Space
	okX, okY := x.success(), y.success()
	cells := map[fs.Cell]bool{}
	for c := range x.at {
		cells[c] = true
	}
	for c := range y.at {
		cells[c] = true
	}
	some := fs.Bottom
	for _, c := range sortedCells(cells) {
		if sp.Observed(c) {
			some = sp.Or(some, sp.Not(sp.Eq(x.value(c), y.value(c))))
		}
	}
	return sp.Or(sp.And(okX, sp.Not(okY)), sp.And(sp.Not(okX), okY), sp.And(okX, okY, some))
}

// decide looks for an initial state in which a formula holds: by walking through the states it tells apart, and if
// there are too many, by SAT.
func (a *Analysis) decide(ctx context.Context, f fs.Bool) (*fs.State, sat.Status, error) {
	f = a.Space.And(f, a.Space.Remaining())
	if f == fs.Bottom {
		return nil, sat.Unsat, nil
	}
	w := a.world
	if a.opt.Explicit {
		w.Forget()
		defer w.Forget()
		if !w.Assume(a.atoms(a.Space.Conjuncts(f))) { // what f says of single cells needs no walking
			return nil, a.unsat(), nil
		}
		ev := a.eval
		var found *fs.State
		complete := w.Explore(a.opt.limit(1000), func() bool {
			a.Stats.Walked++
			if ev.In(w.Initial).Bool(f, true) {
				found = w.State()
				return false
			}
			return true
		})
		if found != nil {
			return found, sat.Sat, nil
		}
		if complete {
			return nil, a.unsat(), nil
		}
	}
	c := newCircuit(a)
	c.b.Clause(c.bool(f))
	r, err := a.solve(ctx, c.b)
	if err != nil || r.Status == sat.Unknown {
		return nil, sat.Unknown, err
	}
	if r.Status == sat.Unsat {
		return nil, a.unsat(), nil
	}
	return c.state(r), sat.Sat, nil
}

// unsat is the answer to a search that has found nothing. It is no proof if constants had to be left out.
func (a *Analysis) unsat() sat.Status {
	if a.Space.Truncated {
		return sat.Unknown
	}
	return sat.Unsat
}
