package verify

import (
	"context"
	"slices"
)

// Conflicts lists pairs whose order matters, each with a counter-example that swaps them, at most limit: what stands in
// the way of determinism at many places at once. It need not find all; Determinism does, one at a time. It ends when
// there is no more to be spent on it.
func (a *Analysis) Conflicts(ctx context.Context, limit int, more func() bool) []*Counterexample {
	var out []*Counterexample
	for _, uv := range a.candidates() {
		if len(out) == limit || !more() {
			break
		}
		p := a.pair(uv[0], uv[1])
		if p.commute || a.opt.DeadWrites && a.invisible(p) {
			continue
		}
		if c := a.cheap(ctx, p); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// Needed leaves out edges that others of them, with those of the graph, imply.
func (a *Analysis) Needed(edges []Edge) []Edge {
	next := make([][]int, a.n())
	for _, e := range slices.Concat(a.edges, edges) {
		next[e.From] = append(next[e.From], e.To)
	}
	var out []Edge
	for _, e := range edges {
		next[e.From] = slices.Delete(next[e.From], slices.Index(next[e.From], e.To), slices.Index(next[e.From], e.To)+1)
		if !reaches(next, e.From, e.To) {
			next[e.From] = append(next[e.From], e.To)
			out = append(out, e)
		}
	}
	return out
}

// reaches reports whether there is a path.
func reaches(next [][]int, from, to int) bool {
	seen := make([]bool, len(next))
	seen[from] = true
	for todo := []int{from}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range next[i] {
			if j == to {
				return true
			}
			if !seen[j] {
				seen[j] = true
				todo = append(todo, j)
			}
		}
	}
	return false
}
