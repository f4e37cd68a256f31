package verify

import (
	"slices"

	"bunraku/verify/fs"
)

// This file cuts a component out of a graph (Lemma 4), so that a search that tries many graphs pays for the component
// and not for the whole. What is found there is tried on the whole before it is used: other components may fail, and
// hide it.

// A part is some resources of a graph as a graph of its own.
type part struct {
	*Analysis
	of []int // by number in the part: the number in the whole
}

// cut makes a part of some resources, given in ascending order: with the order that they inherit, and with what the
// initial states and the fresh machine say about the cells that they look at. Saying less than the whole does only adds
// states.
func (a *Analysis) cut(of []int) (*part, error) {
	sp := a.Space
	cells := map[fs.Cell]bool{}
	note := func(list []fs.Cell) {
		for _, c := range list {
			for ; c >= 0 && !cells[c]; c = sp.Above(c) {
				cells[c] = true
			}
		}
	}
	for _, i := range of {
		for _, x := range a.bare[i] {
			note([]fs.Cell{x.Cell})
		}
		note(sp.Support(a.post[i]))
	}
	g := &Graph{Init: a.Graph.Init, Fresh: fs.NewState()}
	g.Init.Assume = nil
	about := map[int]bool{}
	for c := range cells {
		for _, k := range a.assumedOf(c) {
			about[k] = true
		}
	}
	for k, p := range a.Graph.Init.Assume {
		if about[k] {
			g.Init.Assume = append(g.Init.Assume, p)
			note(a.assumedCells[k])
		}
	}
	names, paths := map[string]bool{}, map[fs.Path]bool{}
	for c := range cells {
		if p := sp.Path(c); p != "" {
			paths[p] = true
		} else {
			names[sp.Name(c)] = true
		}
	}
	g.Init.Closed, g.Init.Transient = restrict(a.Graph.Init.Closed, names), restrict(a.Graph.Init.Transient, names)
	fresh := a.fresh()
	g.Fresh.Oracle = fresh.Oracle
	g.Fresh.Vars = restrict(fresh.Vars, names)
	for p, n := range fresh.Nodes {
		if paths[p] || paths[p.Parent()] { // … and what makes a directory one that is not empty
			for d := p.Parent(); !d.IsRoot() && !paths[d]; d = d.Parent() {
				paths[d] = true
			}
			g.Fresh.Nodes[p] = n
		}
	}
	for p := range paths {
		if n, ok := fresh.Nodes[p]; ok {
			g.Fresh.Nodes[p] = n
		}
	}
	at := map[int]int{}
	for k, i := range of {
		at[i] = k
		g.Resources = append(g.Resources, a.Graph.Resources[i])
	}
	// The order that is inherited, without what follows from the rest of it.
	fixed := a.fixed(of)
	before := map[int]bitset{}
	for k, i := range fixed {
		before[i] = newBitset(len(of))
		for _, j := range slices.Backward(fixed[:k]) {
			if a.part.precedes(j, i) && !before[i].has(at[j]) {
				g.Edges = append(g.Edges, Edge{From: at[j], To: at[i]})
				before[i].add(at[j])
				before[i].addAll(before[j])
			}
		}
	}
	places := make([]int, len(of))
	for k, i := range fixed {
		places[at[i]] = k
	}
	g.Order = func(added []Edge) ([]int, error) {
		return kahn(len(of), append(g.Edges[:len(g.Edges):len(g.Edges)], added...), func(k int) int { return places[k] }), nil
	}
	b, err := Prepare(g, a.opt)
	if err != nil {
		return nil, err
	}
	return &part{b, of}, nil
}

func restrict[V any](m map[string]V, names map[string]bool) map[string]V {
	out := map[string]V{}
	for n := range names {
		if v, ok := m[n]; ok {
			out[n] = v
		}
	}
	return out
}

// assumedOf lists the assumptions about initial states that speak about a cell.
func (a *Analysis) assumedOf(c fs.Cell) []int {
	if a.assumedAt == nil {
		a.assumedAt = map[fs.Cell][]int{}
		for k, p := range a.Graph.Init.Assume {
			cells := a.Space.Mentioned(p)
			a.assumedCells = append(a.assumedCells, cells)
			for _, c := range cells {
				a.assumedAt[c] = append(a.assumedAt[c], k)
			}
		}
	}
	return a.assumedAt[c]
}

// whole translates edges of the part.
func (p *part) whole(edges []Edge) []Edge {
	out := make([]Edge, len(edges))
	for k, e := range edges {
		out[k] = Edge{From: p.of[e.From], To: p.of[e.To], Why: e.Why}
	}
	return out
}
