package catalog_test

import (
	"math/rand/v2"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
)

// TestPaths: of random catalogs, a pair has a path exactly if one is reachable from the other in the graph that the
// agent makes; every hop of it is a link of that graph, and no other way is shorter.
func TestPaths(t *testing.T) {
	pairs, ordered := 0, 0
	for seed := range uint64(60) {
		c := randomCatalog(seed)
		g := catalog.NewGraph(c, resource.Core{})
		next := map[catalog.Node][]catalog.Node{}
		links := map[[2]catalog.Node]bool{}
		for _, l := range g.Links() {
			next[l.From] = append(next[l.From], l.To)
			links[[2]catalog.Node{l.From, l.To}] = true
		}
		ends := map[*catalog.Resource][2]catalog.Node{} // admissible, completed
		for n := range next {
			mark(ends, n)
			for _, to := range next[n] {
				mark(ends, to)
			}
		}
		r := rand.New(rand.NewPCG(seed, 1))
		for range 400 {
			a, b := c.Resources[r.IntN(len(c.Resources))], c.Resources[r.IntN(len(c.Resources))]
			if a == b {
				continue
			}
			pairs++
			from, to := catalog.Node{Resource: a}, catalog.Node{Resource: b}
			if e, is := ends[a]; is {
				from = e[1]
			}
			if e, is := ends[b]; is {
				to = e[0]
			}
			far := distance(next, from, to)
			way := g.Path(a, b, false)
			if len(way) != far {
				t.Fatalf("seed %d: %s to %s has %d hops, and a way of %d", seed, a.Ref(), b.Ref(), far, len(way))
			}
			for i, l := range way {
				if !links[[2]catalog.Node{l.From, l.To}] || i > 0 && way[i-1].To != l.From {
					t.Fatalf("seed %d: %s to %s: hop %d is no link of the graph", seed, a.Ref(), b.Ref(), i)
				}
			}
			if far > 0 {
				ordered++
			}
		}
	}
	if ordered < 100 {
		t.Errorf("only %d of %d pairs are ordered: the test has lost its teeth", ordered, pairs)
	}
	t.Logf("%d of %d pairs are ordered", ordered, pairs)
}

func mark(ends map[*catalog.Resource][2]catalog.Node, n catalog.Node) {
	if n.End != catalog.Whole {
		e := ends[n.Resource]
		e[n.End-catalog.Admissible] = n
		ends[n.Resource] = e
	}
}

// distance is the number of links from a node to another, 0 when there is no way.
func distance(next map[catalog.Node][]catalog.Node, from, to catalog.Node) int {
	seen := map[catalog.Node]bool{from: true}
	for far, layer := 1, []catalog.Node{from}; len(layer) > 0; far++ {
		var more []catalog.Node
		for _, n := range layer {
			for _, x := range next[n] {
				if x == to {
					return far
				}
				if !seen[x] {
					seen[x] = true
					more = append(more, x)
				}
			}
		}
		layer = more
	}
	return 0
}
