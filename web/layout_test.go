package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

// TestLayout: the same graph has the same coordinates, no two nodes lie on each other, and a new leaf moves nothing
// that stands above it or in another column before it.
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
	t.Logf("a new leaf moves %d of %d nodes (bar 12 %%)", moved, all)
	if moved*100 > all*12 {
		t.Errorf("a new leaf moves %d of %d nodes", moved, all)
	}
}

// TestLayoutSmallChanges: another text moves nothing; a leaf that goes, or one more edge onward, moves little.
func TestLayoutSmallChanges(t *testing.T) {
	for _, x := range []struct {
		name   string
		most   int // percent of the nodes
		change func(r *rand.Rand, laid, g *graph) (gone int)
	}{
		{"another text", 0, func(r *rand.Rand, laid, g *graph) int {
			g.Nodes[r.IntN(len(g.Nodes))].Title = "changed"
			return -1
		}},
		{"a leaf that goes", 12, func(r *rand.Rand, laid, g *graph) int {
			for n := len(g.Nodes) - 1; n >= 0; n-- {
				if !slices.ContainsFunc(g.Edges, func(e graphEdge) bool { return e.From == n }) {
					return n
				}
			}
			return -1
		}},
		{"one more edge onward", 12, func(r *rand.Rand, laid, g *graph) int {
			a, b := r.IntN(len(g.Nodes)), r.IntN(len(g.Nodes))
			for laid.Nodes[a].X >= laid.Nodes[b].X {
				a, b = r.IntN(len(g.Nodes)), r.IntN(len(g.Nodes))
			}
			g.join(a, b, "")
			return -1
		}},
	} {
		moved, all := 0, 0
		for seed := range uint64(60) {
			n := 6 + int(seed)*5
			make := func() *graph { return randomGraph(rand.New(rand.NewPCG(seed, 2)), n) }
			g, other := make(), make()
			g.layout()
			gone := x.change(rand.New(rand.NewPCG(seed, 3)), g, other)
			if gone >= 0 {
				other = without(other, gone)
			}
			other.layout()
			k := 0
			for i, a := range g.Nodes {
				if i == gone {
					continue
				}
				b := other.Nodes[k]
				k++
				all++
				if a.X != b.X || a.Y != b.Y {
					moved++
				}
			}
		}
		t.Logf("%s moves %d of %d nodes (bar %d %%)", x.name, moved, all, x.most)
		if moved*100 > all*x.most {
			t.Errorf("%s moves %d of %d nodes, more than %d %%", x.name, moved, all, x.most)
		}
	}
}

// without is a graph that lacks a node.
func without(g *graph, gone int) *graph {
	out := &graph{}
	number := map[int]int{}
	for i, n := range g.Nodes {
		if i != gone {
			number[i] = out.add(&graphNode{Kind: n.Kind, Title: n.Title})
		}
	}
	for _, e := range g.Edges {
		if e.From != gone && e.To != gone {
			out.join(number[e.From], number[e.To], e.Kind)
		}
	}
	return out
}

// TestValueGraphStable: the graph of every value of the shop stands still when a datum becomes another one, and nearly
// so when a level of Hiera comes to it.
func TestValueGraphStable(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	b := open(t, options(dir))
	type spot struct{ x, y any }
	ask := func() map[string]map[string]spot {
		out := map[string]map[string]spot{}
		const node = "web2.shop.example"
		for _, r := range b.catalog(node).Resources {
			for _, p := range r.Params {
				v := b.ask("value", url.Values{"node": {node}, "ref": {r.Ref()}, "attribute": {p.Name}})
				boxes := map[string]spot{}
				nodes, _ := at(v, "graph", "nodes").([]any) // some have none
				for i, n := range nodes {
					boxes[fmt.Sprint(i, at(n, "kind"), at(n, "at"))] = spot{at(n, "x"), at(n, "y")}
				}
				out[r.Ref()+" "+p.Name] = boxes
			}
		}
		return out
	}
	edit := func(file, old, new string) {
		t.Helper()
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil || old != "" && !strings.Contains(string(text), old) {
			t.Fatalf("%s: %v", file, err)
		}
		began := b.server.site.edition()
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 500 {
			if b.server.site.edition() > began {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%s: the edit does not show", file)
	}
	compare := func(what string, was, is map[string]map[string]spot, most int) {
		t.Helper()
		moved, all := 0, 0
		for value, boxes := range was {
			for box, at := range boxes {
				other, there := is[value][box]
				if !there {
					continue
				}
				if all++; other != at {
					moved++
				}
			}
		}
		t.Logf("%s moves %d of %d boxes of %d graphs", what, moved, all, len(was))
		if all < 100 || moved*100 > all*most {
			t.Errorf("%s moves %d of %d boxes", what, moved, all)
		}
	}
	first := ask()
	edit("data/nodes/web2.shop.example.yaml", "8443", "9443")
	second := ask()
	compare("another value", first, second, 0)
	edit("data/nodes/web2.shop.example.yaml", "profile::nginx::port",
		"profile::nginx::conf_mode: '0600'\nprofile::nginx::port")
	compare("one more level", second, ask(), 5)
}
