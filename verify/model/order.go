package model

import (
	"fmt"

	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// order makes the graph's resources and edges. A container is two nodes, its beginning and its end, as on the agent; a
// node with few edges is replaced by them.
func (b *builder) order() {
	g := b.m.Graph
	events := b.eventTargets()
	index := map[catalog.Node]int{}
	for i, r := range b.cg.Catalog.Resources {
		it := b.items[i]
		if it == nil {
			continue
		}
		index[catalog.Node{Resource: r}] = len(g.Resources)
		class := ""
		if up := b.cg.Catalog.Containers(r); len(up) > 0 && !(up[0].Type == "Class" && up[0].Title == "main") {
			class = up[0].Ref()
		}
		g.Resources = append(g.Resources, verify.Resource{Name: r.Ref(), Program: b.withEvents(it, events[r]), Post: it.post,
			Exact: it.exact, Class: class})
		b.m.Resources = append(b.m.Resources, r)
	}
	edges, kept := b.compress()
	for _, n := range kept {
		index[n] = len(g.Resources)
		g.Resources = append(g.Resources, verify.Resource{Name: endName(n), Program: fs.Skip{}, Anchor: true})
		b.m.Resources = append(b.m.Resources, nil)
	}
	for _, e := range edges {
		g.Edges = append(g.Edges, verify.Edge{From: index[e.from], To: index[e.to], Why: e.why})
	}
	for _, w := range b.m.wanted {
		g.Assertions = append(g.Assertions, verify.Assertion{Name: w.Text(), Pred: w.pred})
	}
	cg := b.cg
	resources := b.m.Resources
	g.Order = func(added []verify.Edge) ([]int, error) {
		now := cg
		if len(added) > 0 {
			var more []catalog.Relation
			for _, e := range added {
				if from, to := resources[e.From], resources[e.To]; from != nil && to != nil {
					more = append(more, catalog.Relation{From: from, To: to, By: to, Attr: "require"})
				}
			}
			now = cg.With(more...)
		}
		order := make([]int, 0, len(resources))
		left := now.Walk(func(n catalog.Node) {
			if i, ok := index[n]; ok {
				order = append(order, i)
			}
		})
		if left > 0 {
			return nil, fmt.Errorf("%d resources are on or behind a cycle", left)
		}
		return order, nil
	}
}

func endName(n catalog.Node) string {
	if n.End == catalog.Admissible {
		return "begin of " + n.Resource.Ref()
	}
	return "end of " + n.Resource.Ref()
}

type edge struct {
	from, to catalog.Node
	why      string
}

// maxBypass is the number of edges that may replace a container's end.
const maxBypass = 40

// compress removes the ends of containers where that costs few edges, and returns those that it kept.
func (b *builder) compress() ([]edge, []catalog.Node) {
	type ends struct{ in, out map[catalog.Node]string }
	nodes := map[catalog.Node]*ends{}
	var order []catalog.Node
	at := func(n catalog.Node) *ends {
		e := nodes[n]
		if e == nil {
			e = &ends{map[catalog.Node]string{}, map[catalog.Node]string{}}
			nodes[n] = e
			order = append(order, n)
		}
		return e
	}
	join := func(from, to catalog.Node, why string) {
		if from == to {
			return
		}
		if _, ok := at(from).out[to]; !ok {
			at(from).out[to] = why
			at(to).in[from] = why
		}
	}
	for _, l := range b.cg.Links() {
		why := ""
		if l.Relation != nil {
			why = l.Explain()
		}
		join(l.From, l.To, why)
	}
	for pass, changed := 0, true; changed && pass < 50; pass++ {
		changed = false
		for _, n := range order {
			e := nodes[n]
			if n.End == catalog.Whole || e == nil || len(e.in)*len(e.out) > maxBypass {
				continue
			}
			if _, loop := e.in[n]; loop {
				continue
			}
			for from, first := range e.in {
				delete(nodes[from].out, n)
				for to, second := range e.out {
					why := first
					if why == "" {
						why = second
					}
					join(from, to, why)
				}
			}
			for to := range e.out {
				delete(nodes[to].in, n)
			}
			delete(nodes, n)
			changed = true
		}
	}
	var edges []edge
	var kept []catalog.Node
	place := map[catalog.Node]int{}
	for i, n := range order {
		place[n] = i
	}
	for _, n := range order {
		e := nodes[n]
		if e == nil {
			continue
		}
		if n.End != catalog.Whole {
			kept = append(kept, n)
		}
		for _, to := range sortedNodes(e.out, place) {
			edges = append(edges, edge{n, to, e.out[to]})
		}
	}
	return edges, kept
}
