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

// judge asks every question about g under some options and compares the answers with brute force.
func judge(g *Graph, b *brute, want truth, o Options) error {
	ctx := context.Background()
	a, err := Prepare(g, o)
	if err != nil {
		return err
	}
	d, err := a.Determinism(ctx)
	if err != nil {
		return err
	}
	if d.Verdict != verdict(want.deterministic) {
		return fmt.Errorf("deterministic: %v (%s, %s), brute force says %v", d.Verdict, d.Stage, d.Reason, want.deterministic)
	}
	s, err := a.Success(ctx)
	if err != nil {
		return err
	}
	if (s.Chance == Always) != want.always || (s.Chance == Never) != want.never || s.Chance == ChanceUnknown {
		return fmt.Errorf("success: %v (%s), brute force says always %v, never %v", s.Chance, s.Reason, want.always, want.never)
	}
	i, err := a.Idempotence(ctx)
	if err != nil {
		return err
	}
	if i.Verdict != verdict(want.idempotent) {
		return fmt.Errorf("idempotent: %v (%s), brute force says %v", i.Verdict, i.Reason, want.idempotent)
	}
	q, err := a.Quiet(ctx)
	if err != nil {
		return err
	}
	if q.Verdict != verdict(want.quiet) {
		return fmt.Errorf("quiet: %v (%s), brute force says %v", q.Verdict, q.Reason, want.quiet)
	}
	for _, every := range [2]bool{false, true} {
		invs, err := a.Invariants(ctx, every)
		if err != nil {
			return err
		}
		kept := true
		for _, inv := range invs {
			if inv.Verdict == Unknown {
				return fmt.Errorf("invariant of %s unknown: %s", inv.Name, inv.Reason)
			}
			kept = kept && inv.Verdict == Yes
		}
		if !every && kept != want.kept || every && kept != want.keptAlways {
			return fmt.Errorf("declared states kept (every order %v): %v, brute force says %v, %v", every, kept, want.kept, want.keptAlways)
		}
	}
	v, err := a.Severity(ctx)
	if err != nil {
		return err
	}
	if v.Broken != verdict(want.broken) {
		return fmt.Errorf("broken even in catalog order: %v (%s), brute force says %v", v.Broken, v.Reason, want.broken)
	}
	return nil
}

func verdict(yes bool) Verdict {
	if yes {
		return Yes
	}
	return No
}

// repaired checks a repair: deterministic by brute force, no success or idempotence lost, and no smaller set of plain
// edges between two resources does the same.
func repaired(g *Graph, b *brute, want truth) error {
	a, err := Prepare(g, DefaultOptions())
	if err != nil {
		return err
	}
	r, err := a.Repair(context.Background())
	if err != nil {
		return err
	}
	fits := func(edges []Edge) bool {
		h := *g
		h.Edges = append(append([]Edge{}, g.Edges...), edges...)
		if findCycle(len(g.Resources), h.Edges) != nil {
			return false
		}
		got := newBrute(&h, b.f).truth()
		return got.deterministic && (want.never || !got.never) && (!want.idempotent || got.idempotent)
	}
	if r.Found && !fits(r.Edges) {
		return fmt.Errorf("the repair %v is none", r.Edges)
	}
	if want.deterministic || r.Found && len(r.Edges) == 1 {
		return nil
	}
	for i := range g.Resources {
		for j := range g.Resources {
			if i != j && fits([]Edge{{From: i, To: j}}) {
				return fmt.Errorf("repair %v (%s), but %d → %d does it alone", r.Edges, r.Reason, i, j)
			}
		}
	}
	return nil
}

// randomRounds compares every analysis with brute force on random graphs.
func randomRounds(t *testing.T, seed uint64, rounds int) {
	stages := map[string]int{}
	count := map[truth]int{}
	for round := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		g, f := randomGraph(r, 6)
		b := newBrute(g, f)
		want := b.truth()
		count[want]++
		for name, o := range variants() {
			if err := judge(g, b, want, o); err != nil {
				t.Fatalf("seed %d round %d, %s: %v\n%s", seed, round, name, err, describe(g))
			}
		}
		if round%5 == 0 {
			if err := repaired(g, b, want); err != nil {
				t.Fatalf("seed %d round %d: %v\n%s", seed, round, err, describe(g))
			}
		}
		d, _, _ := determinismOf(g, DefaultOptions())
		stages[d.Stage]++
	}
	share := func(f func(truth) bool) int {
		n := 0
		for t, k := range count {
			if f(t) {
				n += k
			}
		}
		return n
	}
	t.Logf("of %d graphs: deterministic %d, idempotent %d, quiet %d, kept %d, always %d, never %d, broken %d; stages %v", rounds,
		share(func(t truth) bool { return t.deterministic }), share(func(t truth) bool { return t.idempotent }),
		share(func(t truth) bool { return t.quiet }), share(func(t truth) bool { return t.kept }),
		share(func(t truth) bool { return t.always }), share(func(t truth) bool { return t.never }),
		share(func(t truth) bool { return t.broken }), stages)
}

func TestRandomGraphs(t *testing.T) { randomRounds(t, 1, 300) }
func TestRandomLong(t *testing.T)   { randomRounds(t, 7, 8000) }
