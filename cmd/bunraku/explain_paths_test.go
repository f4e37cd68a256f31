package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
)

// TestAcceptPaths: on the relationship graphs of real sites every ordered pair has a way whose hops are all links of
// the graph, one behind the other, and every pair that is not ordered is denied. Who comes before whom is worked out
// here from the links alone.
func TestAcceptPaths(t *testing.T) {
	live.Accept(t)
	const pairs = 1_000_000
	files := live.Catalogs(t)
	files = files[:min(len(files), 40)]
	if len(files) < 20 {
		t.Skipf("only %d sites are here", len(files))
	}
	r := rand.New(rand.NewPCG(18, 4))
	ordered, denied, hops := 0, 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		g := catalog.NewGraph(c, resource.Core{})
		type pair struct{ from, to catalog.Node }
		links := map[pair]bool{}
		next := map[catalog.Node][]catalog.Node{}
		ends := map[*catalog.Resource]bool{} // containers
		for _, l := range g.Links() {
			links[pair{l.From, l.To}] = true
			next[l.From] = append(next[l.From], l.To)
			for _, n := range []catalog.Node{l.From, l.To} {
				if n.End != catalog.Whole {
					ends[n.Resource] = true
				}
			}
		}
		end := func(r *catalog.Resource, e catalog.End) catalog.Node {
			if !ends[r] {
				e = catalog.Whole
			}
			return catalog.Node{Resource: r, End: e}
		}
		behind := map[*catalog.Resource]map[catalog.Node]bool{}
		reached := func(r *catalog.Resource) map[catalog.Node]bool {
			if behind[r] == nil {
				seen := map[catalog.Node]bool{}
				stack := []catalog.Node{end(r, catalog.Completed)}
				for len(stack) > 0 {
					n := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					for _, m := range next[n] {
						if !seen[m] {
							seen[m] = true
							stack = append(stack, m)
						}
					}
				}
				behind[r] = seen
			}
			return behind[r]
		}
		for range pairs / len(files) {
			a, b := c.Resources[r.IntN(len(c.Resources))], c.Resources[r.IntN(len(c.Resources))]
			if a == b {
				continue
			}
			way := g.Path(a, b, false)
			want := reached(a)[end(b, catalog.Admissible)]
			if want != (way != nil) {
				t.Fatalf("%s: %s before %s: %v, and the way has %d hops", filepath.Dir(f), a.Ref(), b.Ref(), want, len(way))
			}
			if !want {
				denied++
			} else {
				ordered++
			}
			at := end(a, catalog.Completed)
			for _, l := range way {
				if hops++; l.From != at || !links[pair{l.From, l.To}] {
					t.Fatalf("%s: %s before %s: a hop is no link of the graph", filepath.Dir(f), a.Ref(), b.Ref())
				}
				at = l.To
			}
			if want && at != end(b, catalog.Admissible) {
				t.Fatalf("%s: the way from %s to %s ends elsewhere", filepath.Dir(f), a.Ref(), b.Ref())
			}
		}
	}
	t.Logf("paths: %d pairs on %d sites: %d ordered, each with a way of links (%d hops), %d denied; 0 wrong (bar: 0 of "+
		"1,000,000)",
		ordered+denied, len(files), ordered, hops, denied)
}
