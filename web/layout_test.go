package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomGraph makes a graph of some nodes in which edges mostly lead onward.
func randomGraph(r *rand.Rand, n int) *graph {
	g := &graph{}
	for i := range n {
		g.add(&graphNode{Kind: "x", Title: fmt.Sprint(i)})
	}
	for range 2 * n {
		g.join(r.IntN(n), r.IntN(n), "")
	}
	return g
}

// TestLayout: the same graph has the same coordinates, no two nodes lie on each other, and a new leaf moves nothing that
// stands above it or in another column before it.
func TestLayout(t *testing.T) {
	moved, all := 0, 0
	for seed := range uint64(60) {
		n := 4 + int(seed)*5
		make := func() *graph { return randomGraph(rand.New(rand.NewPCG(seed, 1)), n) }
		g, again := make(), make()
		g.layout()
		again.layout()
		a, _ := json.Marshal(g)
		b, _ := json.Marshal(again)
		if string(a) != string(b) {
			t.Fatalf("seed %d: two layouts of one graph differ", seed)
		}
		at := map[[2]int]int{}
		for _, x := range g.Nodes {
			if other, taken := at[[2]int{x.X, x.Y}]; taken {
				t.Fatalf("seed %d: nodes %d and %d lie on each other", seed, other, x.ID)
			}
			at[[2]int{x.X, x.Y}] = x.ID
			if x.X < 0 || x.Y < 0 || x.X+boxWidth > g.Width || x.Y+boxHeight > g.Height {
				t.Fatalf("seed %d: node %d lies outside", seed, x.ID)
			}
		}
		more := make()
		leaf := more.add(&graphNode{Kind: "x", Title: "new"})
		more.join(int(seed)%n, leaf, "")
		more.layout()
		for i, x := range g.Nodes {
			all++
			if y := more.Nodes[i]; x.X != y.X || x.Y != y.Y {
				moved++
			}
		}
	}
	t.Logf("a new leaf moves %d of %d nodes", moved, all)
	if moved*100 > all*15 {
		t.Errorf("a new leaf moves %d of %d nodes", moved, all)
	}
}
