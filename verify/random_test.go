package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// variants are the options under which verdicts must be the same: everything on, each shortcut off, and each exact stage
// alone.
func variants() map[string]Options {
	out := map[string]Options{"all": DefaultOptions()}
	off := func(name string, change func(*Options)) {
		o := DefaultOptions()
		change(&o)
		out[name] = o
	}
	off("no facts", func(o *Options) { o.Facts = false })
	off("no commutativity", func(o *Options) { o.Commutativity = false })
	off("no dead writes", func(o *Options) { o.DeadWrites = false })
	off("no components", func(o *Options) { o.Components = false })
	off("no witness", func(o *Options) { o.Witness = false })
	off("no merging", func(o *Options) { o.Merge = false })
	off("solver", func(o *Options) { o.Explicit = false })
	off("solver, lazy orders", func(o *Options) { o.Explicit, o.EagerOrder, o.Witness = false, false, false })
	off("solver, two open orders", func(o *Options) { o.Explicit, o.FixedOrder, o.Commutativity = false, false, false })
	return out
}

// determinismOf asks under some options.
func determinismOf(g *Graph, o Options) (*Determinism, *Analysis, error) {
	a, err := Prepare(g, o)
	if err != nil {
		return nil, nil, err
	}
	d, err := a.Determinism(context.Background())
	return d, a, err
}

func describe(g *Graph) string {
	out := ""
	for i, r := range g.Resources {
		out += fmt.Sprintf("%d: %#v post %#v\n", i, r.Program, r.Post)
	}
	for _, e := range g.Edges {
		out += fmt.Sprintf("%d → %d\n", e.From, e.To)
	}
	return out
}

// randomRounds compares every analysis with brute force on random graphs.
func randomRounds(t *testing.T, seed uint64, rounds int) {
	stages := map[string]int{}
	count := map[bool]int{}
	names := variants()
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		g, f := randomGraph(r, 6)
		want := newBrute(g).truth(f)
		count[want.deterministic]++
		for name, o := range names {
			d, _, err := determinismOf(g, o)
			if err != nil {
				t.Fatal(err)
			}
			if (d.Verdict == Yes) != want.deterministic || d.Verdict == Unknown {
				t.Fatalf("seed %d round %d, %s: verdict %v (%s, %s), brute force says %v\n%s", seed, round, name, d.Verdict, d.Stage, d.Reason, want.deterministic, describe(g))
			}
			if name == "all" {
				stages[d.Stage]++
			}
		}
	}
	t.Logf("deterministic: %d, not: %d; stages %v", count[true], count[false], stages)
}

func TestRandomGraphs(t *testing.T) { randomRounds(t, 1, 300) }
