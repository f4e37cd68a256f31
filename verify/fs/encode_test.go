package fs_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bunraku/verify/fs"
	"bunraku/verify/fs/fstest"
)

// features of what a random program may tell apart.
func features(g *fstest.Gen, e fs.Expr) *fstest.Features {
	f := fstest.NewFeatures(g.Paths)
	f.Look(e)
	return f
}

// compare runs e concretely and by its formulas, from s. What a cell holds afterwards is within its span.
func compare(t interface{ Fatalf(string, ...any) }, sp *fs.Space, w *fs.World, e fs.Expr, eff *fs.Effect, s *fs.State) {
	want, acted, ok := fs.Run(e, s)
	defer w.Forget()
	if !w.Fix(s) {
		return // nothing can tell s from a state within the domains
	}
	seen := 0
	w.Explore(10, func() bool {
		seen++
		for k, v := range s.Oracle {
			w.Answer(k, v)
		}
		ev := w.NewEval().In(w.Initial)
		gotOK := true
		for _, k := range eff.OK {
			gotOK = gotOK && ev.Bool(k.F, true)
		}
		if gotOK != ok {
			t.Fatalf("success: formulas say %v, the interpreter %v\nprogram %#v\nstate:\n%v", gotOK, ok, e, s)
		}
		if !ok {
			return true
		}
		if got := ev.Bool(eff.Acted, true); got != acted {
			t.Fatalf("acted: formulas say %v, the interpreter %v\nprogram %#v", got, acted, e)
		}
		var given []fs.Bool
		for _, k := range eff.OK {
			given = append(given, k.F)
		}
		for c := fs.Cell(0); int(c) < sp.Cells(); c++ {
			v := sp.Read(c)
			if out, ok := eff.Writes(c); ok {
				v = out
			}
			if id := w.Settle(ev.Val(v)); id >= 0 {
				mask, _ := sp.MaskOf(c, fs.ID(id))
				if span, ok := sp.Span(c, v, given); ok && mask&span == 0 {
					t.Fatalf("%s: %v is not within its span %b\nprogram %#v\nstate:\n%v", sp.Name(c), sp.ValueOf(id), span, e, s)
				}
			}
			if got, want := sp.ValueOf(w.Settle(ev.Val(v))), sp.Lookup(want, c); got != want {
				t.Fatalf("%s: formulas say %v, the interpreter %v\nprogram %#v\nstate:\n%v", sp.Name(c), got, want, e, s)
			}
		}
		return true
	})
	if seen != 1 {
		t.Fatalf("a concrete state was split into %d", seen)
	}
}

// Run and Encode agree on random programs and all small states (Lemma 1 of the paper, by test).
func TestConcreteAgainstSymbolic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		g := fstest.New(r, r.IntN(2) == 0)
		e := g.Expr(3)
		if r.IntN(3) == 0 {
			e = fs.Seq{g.Resource(), g.Resource(), g.Resource()}
		}
		sp := fs.NewSpace(nil, fs.Init{}, []fs.Expr{e}, nil)
		eff := sp.Encode(e, false, nil)
		w := sp.NewWorld()
		f := features(g, e)
		n := 0
		f.States(func(s *fs.State) bool {
			n++
			if n > 200 && r.IntN(50) != 0 {
				return n < 20000
			}
			compare(t, sp, w, e, eff, s)
			return true
		})
	})
}

// A World walks through enough initial states: every behaviour that some concrete state shows, one of its states shows.
func TestWorldIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		g := fstest.New(r, r.IntN(2) == 0)
		e := g.Expr(3)
		sp := fs.NewSpace(nil, fs.Init{}, []fs.Expr{e}, nil)
		eff := sp.Encode(e, false, nil)
		w := sp.NewWorld()
		outcomes := map[bool]bool{}
		walked := 0
		if !w.Explore(5000, func() bool {
			walked++
			ev := w.NewEval().In(w.Initial)
			ok := true
			for _, k := range eff.OK {
				if !ev.Bool(k.F, true) {
					ok = false
					break
				}
			}
			s := w.State()
			if !s.WellFormed() {
				t.Fatalf("not a tree:\n%v", s)
			}
			if _, _, got := fs.Run(e, s); got != ok {
				t.Fatalf("the world says %v, the interpreter %v\nprogram %#v\nstate:\n%v", ok, got, e, s)
			}
			outcomes[ok] = true
			return true
		}) {
			return
		}
		f := features(g, e)
		n := 0
		f.States(func(s *fs.State) bool {
			n++
			if _, _, ok := fs.Run(e, s); !outcomes[ok] {
				t.Fatalf("no walked state has outcome %v\nprogram %#v\nstate:\n%v", ok, e, s)
			}
			return n < 2000
		})
	})
}
