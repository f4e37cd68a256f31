package verify

import (
	"slices"

	"bunraku/verify/fs"
)

// Lemma 1 of the analysis: the orders of a graph are connected by swaps of neighbours that are not ordered, so a graph
// is non-deterministic iff some such swap shows. This file finds the pairs whose swap can show.

// A pair is what is known of swapping u and v, u < v, when both are next.
type pair struct {
	u, v     int
	commute  bool
	errs     bool      // one order may fail where the other succeeds
	delta    []fs.Cell // cells in which the results may differ, sorted
	seed     []fs.Fact // some state in which the orders differ
	seedErrs bool
}

// candidates lists the unordered pairs that share a cell other than by R–R, D–D or J–J, with the shared cells. No other
// pair can fail to commute (Lemma 4 of the paper). The index by cell keeps this from being quadratic.
func (a *Analysis) candidates() [][2]int {
	seen := map[[2]int]bool{}
	var out [][2]int
	for _, c := range sortedCells(a.cells) {
		users := a.cells[c]
		if len(users) < 2 {
			continue
		}
		access := make([]fs.Access, len(users))
		writes := false
		for k, i := range users {
			access[k], _ = a.foot[i].Find(c)
			if a.opt.fault == faultReadEnsure && access[k].Guarded {
				access[k].Ensures = true
			}
			writes = writes || access[k].Writes
		}
		if !writes {
			continue
		}
		for k, j := range users {
			for l, i := range users[:k] {
				if fs.Compatible(access[k], access[l]) || a.part.comparable(i, j) || seen[[2]int{i, j}] {
					continue
				}
				seen[[2]int{i, j}] = true
				out = append(out, [2]int{i, j})
			}
		}
	}
	slices.SortFunc(out, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
	a.Stats.Candidates = len(out)
	return out
}

func sortedCells[V any](m map[fs.Cell]V) []fs.Cell {
	keys := make([]fs.Cell, 0, len(m))
	for c := range m {
		keys = append(keys, c)
	}
	slices.Sort(keys)
	return keys
}

// pair tests one pair by meaning, in all states in which both can be next.
func (a *Analysis) pair(u, v int) *pair {
	key := [2]int{u, v}
	if p, ok := a.pairs[key]; ok {
		return p
	}
	p := a.swap(u, v)
	a.pairs[key] = p
	return p
}

// swap compares u;v with v;u. Only what one of them can change for the other is looked at: conditions and values that
// depend on a cell the other writes, and cells that both write. What u alone decides, it decides alike in both orders.
func (a *Analysis) swap(u, v int) *pair {
	a.Stats.Tested++
	p := &pair{u: u, v: v, commute: true}
	ex, ey := a.eff[u], a.eff[v]
	okX, outX := a.touched(u, ey)
	okY, outY := a.touched(v, ex)
	relevant := map[fs.Cell]bool{}
	note := func(cells []fs.Cell) {
		for _, c := range cells {
			relevant[c] = true
		}
	}
	for _, k := range okX {
		note(a.Space.Support(ex.OK[k].F))
	}
	for _, k := range okY {
		note(a.Space.Support(ey.OK[k].F))
	}
	for _, o := range outX {
		note(a.Space.SupportVal(o.Val))
	}
	for _, o := range outY {
		note(a.Space.SupportVal(o.Val))
	}
	// Conditions that the other cannot change, but that limit the states: when they fail, both orders fail.
	ownX, ownY := a.untouched(u, okX, relevant), a.untouched(v, okY, relevant)

	w := a.mid
	defer w.Forget()
	if a.opt.Facts {
		var facts []fs.Fact
		for _, c := range sortedCells(relevant) {
			if mask, ok := a.certain(c, u, v); ok {
				facts = append(facts, fs.Fact{Cell: c, Mask: mask})
			}
		}
		if !w.Assume(facts) {
			return p // they are never both next
		}
	}
	start, afterX, afterY := a.evals[0], a.evals[1], a.evals[2]
	delta := map[fs.Cell]bool{}
	complete := w.Explore(a.opt.limit(2000), func() bool {
		start.In(w.Initial)
		afterX.In(func(c fs.Cell) fs.Open {
			if x, ok := ex.Writes(c); ok {
				return start.Val(x)
			}
			return w.Initial(c)
		})
		afterY.In(func(c fs.Cell) fs.Open {
			if y, ok := ey.Writes(c); ok {
				return start.Val(y)
			}
			return w.Initial(c)
		})
		if !a.holds(start, ex, ownX) || !a.holds(start, ey, ownY) {
			return true
		}
		xy := a.holds(start, ex, okX) && a.holds(afterX, ey, okY)
		yx := a.holds(start, ey, okY) && a.holds(afterY, ex, okX)
		if xy != yx {
			p.commute, p.errs = false, true
			if !p.seedErrs {
				p.seed, p.seedErrs = w.Seen(), true
			}
			return true
		}
		if !xy {
			return true
		}
		differ := false
		compare := func(c fs.Cell) {
			one, other := a.after(start, afterX, ex, ey, c), a.after(start, afterY, ey, ex, c)
			if w.Settle(one) != w.Settle(other) {
				delta[c] = true
				differ = true
			}
		}
		for _, o := range outX {
			compare(o.Cell)
		}
		for _, o := range outY {
			if _, both := ex.Writes(o.Cell); !both {
				compare(o.Cell)
			}
		}
		if differ {
			p.commute = false
			if p.seed == nil {
				p.seed = append([]fs.Fact{}, w.Seen()...)
			}
		}
		return true
	})
	if !complete { // too many states: let the exact stages decide
		p.commute, p.errs = false, true
	}
	p.delta = sortedCells(delta)
	return p
}

// after is the value of c after first;second, where mid evaluates in the state between.
func (a *Analysis) after(start, mid *fs.Eval, first, second *fs.Effect, c fs.Cell) fs.Open {
	if y, ok := second.Writes(c); ok {
		return mid.Val(y)
	}
	if x, ok := first.Writes(c); ok {
		return start.Val(x)
	}
	return a.mid.Initial(c)
}

// holds evaluates some conditions of an effect.
func (a *Analysis) holds(in *fs.Eval, e *fs.Effect, conds []int) bool {
	for _, k := range conds {
		if !in.Bool(e.OK[k].F, true) {
			return false
		}
	}
	return true
}

// touched finds the conditions and results of i that the other effect can change.
func (a *Analysis) touched(i int, other *fs.Effect) (conds []int, outs []fs.CellVal) {
	e := a.eff[i]
	byCell := a.conj(i)
	for _, o := range other.Out {
		conds = append(conds, byCell[o.Cell]...)
	}
	slices.Sort(conds)
	conds = slices.Compact(conds)
	for _, o := range e.Out {
		if _, both := other.Writes(o.Cell); both || a.dependsOn(o.Val, other) {
			outs = append(outs, o)
		}
	}
	return conds, outs
}

func (a *Analysis) dependsOn(v fs.Val, other *fs.Effect) bool {
	for _, c := range a.Space.SupportVal(v) {
		if _, ok := other.Writes(c); ok {
			return true
		}
	}
	return false
}

// untouched finds conditions of i beside the touched ones that speak about relevant cells. It gives up on the rest
// after a few: leaving some out only makes the test stricter.
func (a *Analysis) untouched(i int, touched []int, relevant map[fs.Cell]bool) []int {
	var out []int
	byCell := a.conj(i)
	for _, c := range sortedCells(relevant) {
		for _, k := range byCell[c] {
			if _, is := slices.BinarySearch(touched, k); !is && len(out) < 32 {
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
