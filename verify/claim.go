package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// A claim says of an initial state that all of some conditions hold, such as that a run succeeds, and one of some
// others, such as that this or that cell differs.
type claim struct {
	all  []fs.Bool
	some []fs.Bool
}

// formula is the claim in one piece.
func (a *Analysis) formula(c claim) fs.Bool {
	return a.Space.And(a.Space.And(c.all...), a.Space.Or(c.some...))
}

// nearRuns bounds the states walked through to find out whether what stands near a condition excludes it.
const nearRuns = 64

// prove looks for an initial state in which a claim holds. Most of what could differ cannot, and for a reason close by:
// the very conditions on its own cells. So each of some is first tried with these alone. What they exclude is out of
// the question; a state that they allow may do for the whole; and only what is left after that is worth asking in one
// piece.
func (a *Analysis) prove(ctx context.Context, c claim) (*fs.State, sat.Status, error) {
	c.some = slices.DeleteFunc(slices.Clone(c.some), func(f fs.Bool) bool { return f == fs.Bottom })
	if a.opt.Nearby && a.opt.Explicit {
		n := a.neighbours(append(slices.Clone(c.all), a.Space.Remaining()))
		var left []fs.Bool
		for _, f := range c.some {
			s, excluded := n.try(f)
			if s != nil {
				return s, sat.Sat, nil
			}
			if !excluded {
				left = append(left, f)
			}
		}
		c.some = left
	}
	if len(c.some) == 0 {
		return nil, a.unsat(), nil
	}
	return a.decide(ctx, a.formula(c))
}

// neighbours finds conditions by the cells they depend on.
type neighbours struct {
	a    *Analysis
	all  []fs.Bool
	near map[fs.Cell][]int // conditions by cell
	ev   *fs.Eval
}

func (a *Analysis) neighbours(conditions []fs.Bool) *neighbours {
	n := &neighbours{a: a, near: map[fs.Cell][]int{}, ev: a.eval}
	for _, f := range conditions {
		n.all = append(n.all, a.Space.Conjuncts(f)...)
	}
	for i, f := range n.all {
		for _, c := range a.Space.Support(f) {
			n.near[c] = append(n.near[c], i)
		}
	}
	return n
}

// of lists the conditions that speak only of the cells of f and those they hang from, and then those that speak of
// others too: what says least about others first.
func (n *neighbours) of(f fs.Bool) (inside, across []fs.Bool) {
	sp := n.a.Space
	cells := map[fs.Cell]bool{}
	var at []int
	for _, c := range sp.Support(f) {
		for ; c >= 0 && !cells[c]; c = sp.Above(c) {
			cells[c] = true
			at = append(at, n.near[c]...)
		}
	}
	slices.Sort(at)
	for _, i := range slices.Compact(at) {
		if slices.ContainsFunc(sp.Support(n.all[i]), func(c fs.Cell) bool { return !cells[c] }) {
			across = append(across, n.all[i])
		} else {
			inside = append(inside, n.all[i])
		}
	}
	slices.SortStableFunc(across, func(x, y fs.Bool) int { return len(sp.Support(x)) - len(sp.Support(y)) })
	return inside, across
}

// try looks for a state in which f and the conditions near it hold. It returns one if all conditions hold in it;
// excluded says that there is none.
func (n *neighbours) try(f fs.Bool) (found *fs.State, excluded bool) {
	inside, across := n.of(f)
	conditions := append(slices.Clone(n.a.Space.Conjuncts(f)), inside...)
	if found, excluded = n.walk(conditions); found != nil || excluded || len(across) == 0 {
		return found, excluded
	}
	return n.walk(append(conditions, across...))
}

func (n *neighbours) walk(conditions []fs.Bool) (found *fs.State, excluded bool) {
	w := n.a.world
	w.Forget()
	defer w.Forget()
	if !w.Assume(n.a.atoms(conditions)) {
		return nil, true
	}
	holds := func(list []fs.Bool) bool {
		return !slices.ContainsFunc(list, func(x fs.Bool) bool { return !n.ev.Bool(x, true) })
	}
	excluded = true
	complete := w.Explore(n.a.opt.limit(nearRuns), func() bool {
		n.a.Stats.Walked++
		n.ev.In(w.Initial)
		if !holds(conditions) {
			return true
		}
		excluded = false
		if holds(n.all) {
			found = w.State()
		}
		return false
	})
	return found, excluded && complete
}

// atoms is what some conditions say of single cells.
func (a *Analysis) atoms(conditions []fs.Bool) []fs.Fact {
	var out []fs.Fact
	for _, k := range conditions {
		if v := a.Space.View(k); v.Op == fs.OpAtom {
			out = append(out, fs.Fact{Cell: v.Cell, Mask: v.Mask})
		}
	}
	return out
}
