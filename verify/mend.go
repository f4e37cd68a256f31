package verify

import (
	"context"
	"slices"
)

// maxSmallest is the number of pairs in a component up to which the fewest edges are looked for.
const maxSmallest = 8

// Mends looks for edges that make the graph deterministic, component by component: the fewest where few pairs clash,
// else one for each pair, in the direction of catalog order, without those that follow from the others. What it returns
// is a proposal: whether the graph with these edges is deterministic, and as good as before in other ways, has to be
// tried. It ends when there is no more to be spent on it.
func (a *Analysis) Mends(ctx context.Context, more func() bool) ([]Edge, error) {
	a.group()
	pairs := map[int][][2]int{} // candidates by component
	var order []int
	for _, uv := range a.candidates() {
		k := a.groupOf[uv[0]]
		if pairs[k] == nil {
			order = append(order, k)
		}
		pairs[k] = append(pairs[k], uv)
	}
	var out []Edge
	for _, k := range order {
		clashes := 0
		for _, uv := range pairs[k] {
			if a.clash(uv[0], uv[1]) {
				if clashes++; clashes > maxSmallest {
					break
				}
			}
		}
		if clashes == 0 {
			continue
		}
		if clashes <= maxSmallest && more() {
			p, err := a.cut(a.groups[k])
			if err != nil {
				return nil, err
			}
			r, err := p.Repair(ctx, more)
			if err != nil {
				return nil, err
			}
			if r.Found {
				out = append(out, p.whole(r.Edges)...)
				continue
			}
		}
		out = append(out, a.chain(a.groups[k], pairs[k])...)
	}
	return out, nil
}

// clash reports whether swapping two neighbours may show.
func (a *Analysis) clash(u, v int) bool {
	p := a.pair(min(u, v), max(u, v))
	return !p.commute && !(a.opt.DeadWrites && a.invisible(p))
}

// chain orders those of some pairs that clash like catalog order, with as few edges as that takes. It begins with those
// that stand closest, so that most pairs are ordered before anybody has to ask whether they clash.
func (a *Analysis) chain(of []int, pairs [][2]int) []Edge {
	before := map[int][]int{} // by the later one
	for _, p := range pairs {
		u, v := p[0], p[1]
		if a.place(u) > a.place(v) {
			u, v = v, u
		}
		before[v] = append(before[v], u)
	}
	closed := map[int]bitset{}
	fixed := a.fixed(of)
	var out []Edge
	for k, v := range fixed {
		closed[v] = slices.Clone(a.part.before[v])
		for _, u := range fixed[:k] { // what its ancestors have come after by now
			if a.part.precedes(u, v) {
				closed[v].addAll(closed[u])
			}
		}
		list := before[v]
		slices.SortFunc(list, func(x, y int) int { return a.place(y) - a.place(x) })
		for _, u := range list {
			if !closed[v].has(u) && a.clash(u, v) {
				out = append(out, Edge{From: u, To: v})
				closed[v].add(u)
				closed[v].addAll(closed[u])
			}
		}
	}
	return out
}

// Show finds a counter-example in which a pair is swapped; nil if none is at hand.
func (a *Analysis) Show(ctx context.Context, u, v int) *Counterexample {
	p := a.pair(min(u, v), max(u, v))
	if p.commute {
		return nil
	}
	return a.cheap(ctx, p)
}
