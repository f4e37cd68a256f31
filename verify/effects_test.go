package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"bunraku/internal/live"
	"bunraku/verify/fs"
	"bunraku/verify/fs/fstest"
)

// Random graphs with the effects that catalogs have beside files: programs that packages bring, repositories with their
// index, what happens again in every run, machines that another catalog has come to rest on, and points that nothing
// known decides. Everything is asked of them that is asked of other graphs, and what is new: who acts in which run, on
// which machines a resource acts, and whether a run succeeds whatever the answer to a point is.

// An effect graph is a graph, and what machines have come to rest with before.
type effectGraph struct {
	*Graph
	f     *fstest.Features
	old   []fs.Expr
	kinds []string

	some, not []bool // per resource: it acts on some machine, and does not on some; nil until that was tried
}

// randomEffects makes a graph with one to three kinds of effects.
func randomEffects(r *rand.Rand) *effectGraph {
	g, graph := randomParts(r, 5)
	x := &effectGraph{Graph: graph}
	path := func() fs.Path { return g.Paths[r.IntN(len(g.Paths))] }
	text := func() fs.Term { return fs.Str(g.Texts[r.IntN(len(g.Texts))]) }
	is := func(p fs.Path, k fs.Kind) fs.Pred { return fs.Is{Path: p, Kind: k} }
	// put replaces one resource, so that its edges stay.
	put := func(e fs.Expr, post fs.Pred) {
		to := &graph.Resources[r.IntN(len(graph.Resources))]
		if !to.Anchor {
			to.Program, to.Post = e, post
		}
	}
	bring := func(p fs.Path) fs.Expr { // what a package does to a file of its own
		var s fs.Seq
		for _, q := range g.Paths {
			if p.Under(q) {
				s = append(s, fs.EnsureDir(q))
			}
		}
		return append(s, fs.Overwrite(p, text()))
	}
	installed := func(more ...fs.Expr) fs.Expr {
		return fs.If{Cond: fs.VarIs("v", "in"), Else: append(fs.Seq{fs.Act{}},
			append(more, fs.Assign{Var: "v", Value: fs.Str("in")})...)}
	}
	closed := func(values ...string) {
		if graph.Init.Transient["w"] == (fs.Value{}) && graph.Init.Closed == nil {
			graph.Init.Closed = map[string][]fs.Value{}
			for _, v := range values {
				graph.Init.Closed["w"] = append(graph.Init.Closed["w"], fs.Text(v))
			}
			if graph.Fresh == nil {
				graph.Fresh = fs.NewState()
			}
			graph.Fresh.Vars["w"] = graph.Init.Closed["w"][r.IntN(len(values))]
		}
	}
	for range 1 + r.IntN(3) {
		p, q := path(), path()
		switch r.IntN(5) {
		case 0:
			x.kinds = append(x.kinds, "programs")
			put(installed(bring(p)), fs.VarIs("v", "in"))
			run := fs.Expr(fs.Overwrite(q, text()))
			if r.IntN(2) == 0 {
				run = fs.Creat{Path: q, Content: text()}
			}
			needs := fs.If{Cond: is(p, fs.File), Then: fs.Seq{fs.Act{}, run}, Else: fs.Fail{}}
			put(fs.If{Cond: is(q, fs.None), Then: needs}, nil)
		case 1:
			x.kinds = append(x.kinds, "repositories")
			ready := fs.Pred(is(p, fs.File))
			if r.IntN(2) == 0 {
				ready = fs.And{ready, is(q, fs.File)} // and its key
				put(fs.Overwrite(q, text()), nil)
			}
			put(fs.Overwrite(p, text()), nil)
			update := fs.Expr(fs.If{Cond: ready, Then: fs.Assign{Var: "w", Value: fs.Str("on")},
				Else: fs.Assign{Var: "w", Value: fs.Str("off")}})
			if r.IntN(2) == 0 {
				update = fs.Seq{fs.Act{}, update}
			}
			put(update, nil)
			fetch := fs.If{Cond: fs.VarIs("w", "on"), Else: fs.Fail{}}
			put(installed(fetch, bring(path())), fs.VarIs("v", "in"))
			closed("on", "off")
		case 2:
			x.kinds = append(x.kinds, "repetition")
			switch r.IntN(5) {
			case 0:
				put(fs.Act{}, nil)
			case 1: // one makes, the other takes away
				put(fs.If{Cond: is(p, fs.None), Then: fs.Seq{fs.Act{}, fs.Creat{Path: p, Content: text()}}}, nil)
				put(fs.If{Cond: is(p, fs.File), Then: fs.Rm{Path: p}}, is(p, fs.None))
			case 2: // an append
				put(fs.If{Cond: is(p, fs.File), Then: fs.Seq{fs.Act{}, fs.Write{Path: p, Content: fs.Apply{Func: "f",
					Args: []fs.Term{fs.ContentOf{Path: p}}}}}}, nil)
			case 3: // two contents of one file
				put(fs.Overwrite(p, fs.Str("x")), fs.ContentIs(p, fs.Str("x")))
				put(fs.Overwrite(p, fs.Str("y")), fs.ContentIs(p, fs.Str("y")))
			default: // who is told of a change runs then
				if graph.Init.Closed != nil {
					continue
				}
				graph.Init.Transient = map[string]fs.Value{"w": fs.Text("off")}
				put(fs.If{Cond: fs.ContentIs(p, fs.Str("x")), Else: fs.Seq{fs.Overwrite(p, fs.Str("x")),
					fs.Assign{Var: "w", Value: fs.Str("on")}}}, nil)
				put(fs.If{Cond: fs.VarIs("w", "on"), Then: fs.Seq{fs.Act{}, fs.Overwrite(q, text())}}, nil)
			}
		case 3:
			x.kinds = append(x.kinds, "open points")
			closed("yes", "no")
			brings := fs.If{Cond: fs.VarIs("w", "yes"), Then: bring(p)}
			put(installed(brings), nil)
			if r.IntN(2) == 0 {
				put(fs.If{Cond: is(p, fs.File), Then: fs.Overwrite(q, text()), Else: fs.Fail{}}, nil)
			}
		default:
			x.kinds = append(x.kinds, "after")
			for range 1 + r.IntN(2) {
				var post fs.Pred
				switch p := path(); r.IntN(4) {
				case 0:
					post = is(p, fs.Dir)
				case 1:
					post = is(p, fs.None)
				case 2:
					post = fs.ContentIs(p, text())
				default:
					post = fs.VarIs("v", "in")
				}
				x.old = append(x.old, fs.If{Cond: post, Else: fs.Act{}})
				graph.Init.Assume = append(graph.Init.Assume, post)
			}
		}
	}
	x.f = graphFeatures(g, graph)
	return x
}

// brute is the judge of an effect graph: it knows of the machines only what they have come to rest with.
func (x *effectGraph) brute() *brute {
	b := newBrute(x.Graph, x.f)
	if x.old != nil {
		g := *x.Graph
		g.Init.Assume = g.Init.Assume[:len(g.Init.Assume)-len(x.old)]
		b.g, b.old = &g, x.old
	}
	return b
}

// acts says whether a resource does something in a state, and in which it leaves the machine, -1 if it fails.
func (b *brute) acts(r, s int) (bool, int) {
	t := b.apply(r, s)
	if t < 0 {
		return false, t
	}
	_, acted, _ := fs.Run(b.g.Resources[r].Program, b.states[s])
	return acted || !b.same(s, t), t
}

// machines says of each resource whether it acts on some machine, and whether there is one on which it does not. It is
// found out once, and not of graphs with many machines. A machine may have had what somebody writes, though nobody asks
// for it.
func (x *effectGraph) machines(b *brute, order []int) (some, not []bool, tried bool) {
	if len(b.f.Paths) > 2 {
		return nil, nil, false
	}
	if x.some != nil {
		return x.some, x.not, true
	}
	f := *b.f
	f.Shared, f.Contents = true, map[fs.Path]bool{}
	for _, p := range f.Paths {
		f.Contents[p] = true
	}
	f.Vars = map[string][]string{"v": append([]string{"in"}, b.f.Vars["v"]...), "w": append([]string{"on", "off"},
		b.f.Vars["w"]...)}
	x.some, x.not = make([]bool, len(order)), make([]bool, len(order))
	f.States(func(st *fs.State) bool {
		if !b.initial(st) {
			return true
		}
		s := b.start(b.id(st))
		for _, r := range order {
			did, t := b.acts(r, s)
			if t < 0 {
				break
			}
			x.some[r], x.not[r] = x.some[r] || did, x.not[r] || !did
			s = t
		}
		return true
	})
	return x.some, x.not, true
}

// judgeEffects asks what is asked of catalogs only.
func judgeEffects(x *effectGraph, b *brute, o Options) error {
	ctx := context.Background()
	a, err := Prepare(x.Graph, o)
	if err != nil {
		return err
	}
	fresh := a.fresh()
	// Who acts in the first runs.
	at, now := b.id(fresh), fresh
	for run := range 3 {
		out := a.Replay(a.order, now)
		var want []int
		s, failed := b.start(at), -1
		for _, r := range a.order {
			did, t := b.acts(r, s)
			if t < 0 {
				failed = r
				break
			}
			if did {
				want = append(want, r)
			}
			s = t
		}
		if out.Failed != failed || !slices.Equal(out.Acts, want) {
			return fmt.Errorf("run %d: %v act and %d fails, brute force says %v and %d", run, out.Acts, out.Failed, want, failed)
		}
		if failed >= 0 {
			break
		}
		at, now = s, out.State
	}
	// On which machines.
	all := make([]int, a.n())
	for i := range all {
		all[i] = i
	}
	some, not, tried := x.machines(b, a.order)
	if !tried {
		return judgePoints(ctx, x, b, a)
	}
	acts, err := a.Acts(ctx, all)
	if err != nil {
		return err
	}
	for i, act := range acts {
		// Less may be called certain than is: a machine may have had any content, owner or value that nobody asks for.
		if act.Never == some[i] || act.Always && (not[i] || !some[i]) {
			return fmt.Errorf("%d acts always %v, never %v; brute force says on some machines %v, not on some %v", i, act.Always,
				act.Never, some[i], not[i])
		}
	}
	return judgePoints(ctx, x, b, a)
}

// judgePoints asks whether runs succeed whatever the answer to a point is.
func judgePoints(ctx context.Context, x *effectGraph, b *brute, a *Analysis) error {
	for _, answer := range x.Init.Closed["w"] {
		start := a.fresh().Clone()
		start.Vars["w"] = answer
		s, err := a.SuccessFrom(ctx, start)
		if err != nil {
			return err
		}
		always, never := true, true
		for _, e := range b.ends(b.start(b.id(start))) {
			always, never = always && e >= 0, never && e < 0
		}
		if (s.Chance == Always) != always || (s.Chance == Never) != never || s.Chance == ChanceUnknown {
			return fmt.Errorf("success if w is %v: %v (%s), brute force says always %v, never %v", answer, s.Chance, s.Reason,
				always, never)
		}
	}
	return nil
}

// effectRound compares all answers with brute force on one random graph: with all shortcuts, and under one variant.
func effectRound(seed uint64, round int, count *tally) error {
	x := randomEffects(rand.New(rand.NewPCG(seed, uint64(round))))
	b := x.brute()
	want := b.truth()
	list := variants()
	for _, v := range []variant{list[0], list[1+round%(len(list)-1)]} {
		err := judge(x.Graph, b, want, v.Options, true)
		if err == nil {
			err = judgeEffects(x, b, v.Options)
		}
		if err != nil {
			return fmt.Errorf("seed %d round %d (%v), %s: %v\n%s", seed, round, x.kinds, v.name, err, describe(x.Graph))
		}
	}
	count.graphs++
	count.truths[want]++
	for _, k := range x.kinds {
		count.stages[k]++
	}
	return nil
}

// Answers about graphs with the effects of catalogs agree with brute force.
func TestEffectGraphs(t *testing.T) { effectRounds(t, 5, 0, 600) }

// Graphs about which an analysis was wrong once: success from a machine that is none of Init; a variable that has what
// it is given.
func TestFoundEffects(t *testing.T) {
	for _, round := range []int{143, 997, 1079, 1199, 1443} {
		if err := effectRound(5, round, newTally()); err != nil {
			t.Error(err)
		}
	}
}

// The long mode: 300,000 graphs. BUNRAKU_ACCEPT_GRAPHS overrides the number, BUNRAKU_ACCEPT_SEED the seed,
// BUNRAKU_ACCEPT_FROM the first of them, so that it can be done in pieces.
func TestAcceptEffectGraphs(t *testing.T) {
	live.Accept(t)
	effectRounds(t, number("BUNRAKU_ACCEPT_SEED", 5), number("BUNRAKU_ACCEPT_FROM", 0),
		number("BUNRAKU_ACCEPT_GRAPHS", 300000))
}

func effectRounds(t *testing.T, seed, from, to int) {
	var wait sync.WaitGroup
	var next, disagreements atomic.Int64
	next.Store(int64(from))
	counts := make([]*tally, runtime.GOMAXPROCS(0))
	for w := range counts {
		counts[w] = newTally()
		wait.Go(func() {
			for {
				round := int(next.Add(1)) - 1
				if round >= to || disagreements.Load() > 3 {
					return
				}
				if err := effectRound(uint64(seed), round, counts[w]); err != nil {
					disagreements.Add(1)
					t.Error(err)
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

// Mistakes in what is new must be caught, too.
func TestPlantedEffects(t *testing.T) {
	for _, f := range plantedEffects() {
		if round, ok := catchEffect(f, f.from, 30); !ok {
			t.Errorf("%s: not caught within 30 graphs from %d on", f.name, f.from)
		} else {
			t.Logf("%s: caught by graph %d", f.name, round)
		}
	}
}

// Every one of them shows within the first 20,000 graphs.
func TestAcceptPlantedEffects(t *testing.T) {
	live.Accept(t)
	for _, f := range plantedEffects() {
		if round, ok := catchEffect(f, 0, 20000); !ok {
			t.Errorf("%s: not caught", f.name)
		} else {
			t.Logf("score: %s: caught by graph %d", f.name, round)
		}
	}
}

func plantedEffects() []planted {
	formulas := func(o *Options) { o.Explicit, o.Commutativity = false, false }
	return []planted{
		{"a command that runs is no act", faultSilent, nil, 0},
		{"events of the first run heard in the second", faultEvents, nil, 1310},
		{"answers to points ignored", faultAnswers, nil, 0},
		{"facts of Init taken for certain on other machines", faultOutside, nil, 985},
		{"a condition taken to hold at first", faultFirst, formulas, 60},
		{"pairs that differ in what they leave taken to commute", faultSwaps, nil, 480},
		{"contents that nobody asks for taken to be new", faultCoincide, nil, 0},
	}
}

// catchEffect looks for a graph about which brute force and the faulty analysis disagree.
func catchEffect(f planted, from, rounds int) (int, bool) {
	o := DefaultOptions()
	if f.change != nil {
		f.change(&o)
	}
	o.fault = f.fault
	for round := from; round < from+rounds; round++ {
		x := randomEffects(rand.New(rand.NewPCG(5, uint64(round))))
		b := x.brute()
		if judge(x.Graph, b, b.truth(), o, true) != nil || judgeEffects(x, b, o) != nil {
			return round, true
		}
	}
	return 0, false
}
