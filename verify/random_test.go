package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"bunraku/internal/live"
)

// A variant is a set of options under which verdicts must be the same.
type variant struct {
	name string
	Options
}

// variants are: everything on, each shortcut off, and each exact stage alone.
func variants() []variant {
	out := []variant{{"all", DefaultOptions()}}
	off := func(name string, change func(*Options)) {
		o := DefaultOptions()
		change(&o)
		out = append(out, variant{name, o})
	}
	off("no facts", func(o *Options) { o.Facts = false })
	off("no commutativity", func(o *Options) { o.Commutativity = false })
	off("no dead writes", func(o *Options) { o.DeadWrites = false })
	off("no components", func(o *Options) { o.Components = false })
	off("no neighbours", func(o *Options) { o.Nearby = false })
	off("no witness", func(o *Options) { o.Witness = false })
	off("no merging", func(o *Options) { o.Merge = false })
	off("small limits", func(o *Options) { o.Limit = 3 })
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
	for _, p := range g.Init.Assume {
		out += fmt.Sprintf("assume %#v\n", p)
	}
	if len(g.Init.Transient) > 0 {
		out += fmt.Sprintf("transient %v\n", g.Init.Transient)
	}
	if len(g.Init.Closed)+len(g.Init.Unobserved) > 0 {
		out += fmt.Sprintf("closed %v, unobserved %v\n", g.Init.Closed, g.Init.Unobserved)
	}
	if g.Fresh != nil {
		out += fmt.Sprintf("fresh %s\n", g.Fresh)
	}
	for _, e := range g.Edges {
		out += fmt.Sprintf("%d → %d\n", e.From, e.To)
	}
	if order, err := g.catalogOrder(nil); err == nil {
		out += fmt.Sprintf("the agent's order %v\n", order)
	}
	return out
}

// judge asks about g under some options and compares the answers with brute force: about determinism only, or
// everything.
func judge(g *Graph, b *brute, want truth, o Options, all bool) error {
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
	if d.Verdict == No {
		if err := b.checkExample(d.Example); err != nil {
			return err
		}
	}
	if !all {
		return nil
	}
	s, err := a.Success(ctx)
	if err != nil {
		return err
	}
	if (s.Chance == Always) != want.always || (s.Chance == Never) != want.never || s.Chance == ChanceUnknown {
		return fmt.Errorf("success: %v (%s), brute force says always %v, never %v", s.Chance, s.Reason, want.always,
			want.never)
	}
	i, err := a.Idempotence(ctx)
	if err != nil {
		return err
	}
	if i.Verdict != verdict(want.idempotent) {
		return fmt.Errorf("idempotent: %v (%s), brute force says %v", i.Verdict, i.Reason, want.idempotent)
	}
	if i.Verdict == No {
		if err := b.checkRerun(i.Example); err != nil {
			return err
		}
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
			return fmt.Errorf("declared states kept (every order %v): %v, brute force says %v, %v", every, kept, want.kept,
				want.keptAlways)
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
	r, err := a.Repair(context.Background(), always)
	if err != nil {
		return err
	}
	fits := func(edges []Edge) bool {
		h := withEdges(g, edges)
		if findCycle(len(g.Resources), h.Edges) != nil {
			return false
		}
		got := newBrute(h, b.f).truth()
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
			if i != j && !g.Resources[i].Anchor && !g.Resources[j].Anchor && fits([]Edge{{From: i, To: j}}) {
				return fmt.Errorf("repair %v (%s), but %d → %d does it alone", r.Edges, r.Reason, i, j)
			}
		}
	}
	return nil
}

// A tally counts what random graphs were like.
type tally struct {
	graphs int
	stages map[string]int
	truths map[truth]int
}

// randomRound compares every analysis with brute force on one random graph: determinism under every variant, the rest
// under all of them or one.
func randomRound(seed uint64, round int, thorough bool, count *tally) error {
	g, f := randomGraph(rand.New(rand.NewPCG(seed, uint64(round))), 6)
	b := newBrute(g, f)
	want := b.truth()
	for k, v := range variants() {
		if err := judge(g, b, want, v.Options, thorough || k == round%len(variants())); err != nil {
			return fmt.Errorf("seed %d round %d, %s: %v\n%s", seed, round, v.name, err, describe(g))
		}
	}
	if round%20 == 0 {
		if err := repaired(g, b, want); err != nil {
			return fmt.Errorf("seed %d round %d: %v\n%s", seed, round, err, describe(g))
		}
	}
	d, _, err := determinismOf(g, DefaultOptions())
	if err != nil {
		return err
	}
	count.graphs++
	count.stages[d.Stage]++
	count.truths[want]++
	return nil
}

func (c *tally) String() string {
	share := func(f func(truth) bool) int {
		n := 0
		for t, k := range c.truths {
			if f(t) {
				n += k
			}
		}
		return n
	}
	return fmt.Sprintf("%d graphs: deterministic %d, idempotent %d, quiet %d, kept %d, always %d, never %d, broken %d; "+
		"stages %v", c.graphs,
		share(func(t truth) bool { return t.deterministic }), share(func(t truth) bool { return t.idempotent }),
		share(func(t truth) bool { return t.quiet }), share(func(t truth) bool { return t.kept }),
		share(func(t truth) bool { return t.always }), share(func(t truth) bool { return t.never }),
		share(func(t truth) bool { return t.broken }), c.stages)
}

func newTally() *tally { return &tally{stages: map[string]int{}, truths: map[truth]int{}} }

// Verdicts on random graphs agree with brute force, whatever shortcuts are on.
func TestRandomGraphs(t *testing.T) { randomRounds(t, 1, 0, 2000, false) }

// Graphs that the long mode found answered wrongly, or that ended it.
func TestFoundGraphs(t *testing.T) {
	for _, round := range []int{46663, 102030} {
		if err := randomRound(4, round, true, newTally()); err != nil {
			t.Error(err)
		}
	}
}

// number is what a variable of the surroundings says, or otherwise.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// The long mode: 200,000 graphs, every question under every variant. BUNRAKU_ACCEPT_GRAPHS overrides the number,
// BUNRAKU_ACCEPT_SEED the seed, BUNRAKU_ACCEPT_FROM the first of them.
func TestAcceptRandomGraphs(t *testing.T) {
	live.Accept(t)
	randomRounds(t, number("BUNRAKU_ACCEPT_SEED", 4), number("BUNRAKU_ACCEPT_FROM", 0),
		number("BUNRAKU_ACCEPT_GRAPHS", 200000), true)
}

// randomRounds shares the rounds among as many workers as there are processors.
func randomRounds(t *testing.T, seed, from, graphs int, thorough bool) {
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	var next, disagreements atomic.Int64
	next.Store(int64(from))
	counts := make([]*tally, workers)
	for w := range workers {
		counts[w] = newTally()
		wait.Go(func() {
			for {
				round := int(next.Add(1)) - 1
				if round >= graphs || disagreements.Load() > 3 {
					return
				}
				if err := randomRound(uint64(seed), round, thorough, counts[w]); err != nil {
					disagreements.Add(1)
					t.Error(err)
				}
				if round%10000 == 9999 {
					t.Logf("%d graphs", round+1)
				}
			}
		})
	}
	wait.Wait()
	all := newTally()
	for _, c := range counts {
		all.graphs += c.graphs
		for k, n := range c.stages {
			all.stages[k] += n
		}
		for k, n := range c.truths {
			all.truths[k] += n
		}
	}
	t.Logf("score: %d disagreements (bar 0); %v", disagreements.Load(), all)
}

// Every planted fault shows within the first 60,000 graphs of one seed.
func TestAcceptPlantedFaults(t *testing.T) {
	live.Accept(t)
	for _, f := range plantedFaults() {
		if round, ok := catch(f, 0, 60000); ok {
			t.Logf("%s: caught by graph %d", f.name, round)
		} else {
			t.Errorf("%s: not caught", f.name)
		}
	}
}
