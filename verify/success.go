package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// Chance says in how many orders a run from the fresh machine succeeds.
type Chance uint8

const (
	ChanceUnknown Chance = iota
	Always
	Sometimes
	Never
)

func (c Chance) String() string {
	return [...]string{"unknown", "always", "in some orders", "never"}[c]
}

// Success is the answer to "can it succeed from a fresh machine?".
//
// Erratum: the paper counts a manifest that always fails as deterministic and says no more. Its published fixes of ntp,
// rsyslog and powerdns are such manifests.
type Success struct {
	Chance Chance
	Good   []int // an order that succeeds, if one is known
	Bad    []int // an order that fails, if one is known
	Failed int   // the resource that fails in Bad, or -1
	Reason string
}

// Success decides whether runs from the fresh machine succeed: in every order, in some, in none. The answer is
// remembered.
func (a *Analysis) Success(ctx context.Context) (*Success, error) {
	if a.success == nil {
		s, err := a.SuccessFrom(ctx, a.fresh())
		if err != nil {
			return nil, err
		}
		a.success = s
	}
	return a.success, nil
}

// SuccessFrom is Success from another machine.
func (a *Analysis) SuccessFrom(ctx context.Context, start *fs.State) (*Success, error) {
	if a.opt.fault == faultAnswers {
		start = a.fresh()
	}
	r := &Success{Failed: -1}
	a.try(r, start, a.order)
	if a.found != nil && (a.found.Verdict == Yes || a.found.alike && !a.Space.Truncated) && a.Space.Satisfies(start) {
		return a.settle(r, true), nil // every order is like this one
	}
	if d := a.found; a.opt.Witness && d != nil && d.Example != nil { // what showed that orders differ may show it here
		for _, order := range [2][]int{d.Example.A, d.Example.B} {
			if out := a.run(order, start); (out.Failed < 0) == (r.Good == nil) {
				a.note(r, order, out)
				return a.settle(r, true), nil
			}
		}
	}
	groups := [][]int{a.fixed(a.order)}
	eff, facts := a.raw, a.opt.Facts
	if !a.Space.Satisfies(start) {
		facts = facts && a.opt.fault == faultOutside // who writes what is known for machines of Init
		eff = make([]*fs.Effect, a.n())              // what Init makes certain is not certain here
		for i, r := range a.Graph.Resources {
			eff[i] = a.Space.Encode(r.Program, false, nil)
		}
	} else if a.opt.Components {
		groups = a.components(a.bare, nil)
	}
	w := a.world
	w.Forget()
	defer w.Forget()
	w.Fix(a.Space.Restart(start))
	if r.Good == nil && facts && slices.ContainsFunc(a.order, func(i int) bool { return a.alwaysFails(i, eff[i]) }) {
		return a.settle(r, true), nil
	}
	var parts [][]int // an order of each component that succeeds
	certain := true
	for _, of := range groups {
		if r.Good != nil && len(of) > maxExplicit && facts {
			may := a.mayFail(of, eff)
			if len(may) == 0 {
				parts = append(parts, a.fixed(of))
				continue
			}
			if a.opt.Witness && a.early(r, start, of, may) {
				return a.settle(r, true), nil
			}
		}
		good, bad, sure, err := a.chances(ctx, of, eff, start, r.Good != nil)
		if err != nil {
			return nil, err
		}
		certain = certain && sure
		if bad != nil && r.Bad == nil {
			if a.try(r, start, a.extend(bad)); r.Good != nil && r.Bad != nil {
				return a.settle(r, true), nil // no more can be said
			}
		}
		if good == nil {
			if sure { // a component that cannot succeed: nothing can
				r.Good = nil
				return a.settle(r, true), nil
			}
			continue
		}
		parts = append(parts, good)
	}
	if r.Good == nil && certain {
		if order := a.combine(parts); order != nil {
			a.try(r, start, order)
		}
		if r.Good == nil && len(groups) > 1 { // the components' orders exclude each other: ask about the whole
			all := a.fixed(a.order)
			slices.Sort(all)
			good, _, sure, err := a.chances(ctx, all, eff, start, false)
			if err != nil {
				return nil, err
			}
			certain = sure
			if good != nil {
				a.try(r, start, good)
			}
		}
	}
	return a.settle(r, certain), nil
}

// mayFail lists the resources of a component that may fail from the state to which the world is fixed: those of which
// it is not easy to see that they never do, because each of their conditions holds whatever its cells have at first or
// get from those who may come before.
func (a *Analysis) mayFail(of []int, eff []*fs.Effect) (out []int) {
	for _, i := range of {
		if slices.ContainsFunc(eff[i].OK, func(k fs.Conj) bool { return !a.surely(i, k.F, true) }) {
			out = append(out, i)
		}
	}
	return out
}

// maxEarly bounds the resources that are tried as early as they can come.
const maxEarly = 32

// early looks for an order that fails: one in which a resource that may fail comes as early as it can, before those who
// would make what it needs. It reports whether it has found one.
func (a *Analysis) early(r *Success, start *fs.State, of, may []int) bool {
	for _, i := range may[:min(len(may), maxEarly)] {
		var order []int
		for _, j := range a.fixed(of) {
			if a.part.precedes(j, i) {
				order = append(order, j)
			}
		}
		order = append(order, i)
		if a.run(order, start).Failed < 0 {
			continue
		}
		order = a.extend(order)
		if out := a.run(order, start); out.Failed >= 0 {
			a.note(r, order, out)
			return true
		}
	}
	return false
}

// alwaysFails reports whether a resource fails in every order from the state to which the world is fixed, for a reason
// that is easy to see: one of its conditions holds with nothing that its cells have at first or may get. It may say no
// where the answer is yes.
func (a *Analysis) alwaysFails(i int, eff *fs.Effect) bool {
	return slices.ContainsFunc(eff.OK, func(k fs.Conj) bool { return a.surely(i, k.F, false) })
}

// surely reports whether a formula has a value when i is next, whatever its cells have at first or get from those who
// may come before i. The world is fixed to the state at first.
func (a *Analysis) surely(i int, f fs.Bool, value bool) bool {
	var facts []fs.Fact
	for _, c := range a.Space.Support(f) {
		mask, wild := a.world.Now(c), false
		for _, w := range a.writers[c] {
			if w.by != i && !a.part.precedes(i, w.by) {
				mask |= w.mask
				wild = wild || w.wild
			}
		}
		if !wild {
			facts = append(facts, fs.Fact{Cell: c, Mask: mask})
		}
	}
	sure := true
	complete := a.mid.Assume(facts) && a.mid.Explore(nearRuns, func() bool {
		sure = a.evals[0].In(a.mid.Initial).Bool(f, false) == value
		return sure
	})
	a.mid.Forget()
	return sure && complete
}

func (a *Analysis) fresh() *fs.State {
	if a.Graph.Fresh == nil {
		return fs.NewState()
	}
	return a.Graph.Fresh
}

// try replays an order from the fresh machine and remembers what it shows.
func (a *Analysis) try(r *Success, start *fs.State, order []int) {
	a.note(r, order, a.run(order, start))
}

// note remembers how an order ends.
func (a *Analysis) note(r *Success, order []int, out Outcome) {
	if out.Failed < 0 {
		r.Good = order
	} else {
		r.Bad, r.Failed = order, out.Failed
	}
}

func (a *Analysis) settle(r *Success, certain bool) *Success {
	switch {
	case r.Good != nil && r.Bad != nil:
		r.Chance = Sometimes
	case !certain:
		r.Chance, r.Reason = ChanceUnknown, TooMuch
	case r.Good != nil:
		r.Chance = Always
	default:
		r.Chance = Never
	}
	if v, why := a.yes(); v == Unknown && r.Chance != Sometimes && (r.Chance == Always || a.Space.Truncated) {
		r.Chance, r.Reason = ChanceUnknown, why
	}
	return r
}

// chances finds an order of a component that succeeds from the given state, to which the world is fixed, and one that
// fails, if there are any, and whether that is certain. known says that catalog order succeeds.
func (a *Analysis) chances(ctx context.Context, of []int, eff []*fs.Effect, start *fs.State, known bool) (good,
	bad []int, sure bool, err error) {
	w := a.world
	if a.opt.Explicit && len(of) <= maxExplicit {
		x := a.newExplicit(of, eff)
		ok := false
		w.Trusting = true
		defer func() { w.Trusting = false }()
		w.Explore(1, func() bool {
			for q, yes := range start.Oracle {
				w.Answer(q, yes)
			}
			var ends []*stage
			var failed *stage
			var fails int
			if ends, failed, fails, ok = x.outcomes(); !ok {
				return false
			}
			if len(ends) > 0 {
				good = ends[0].order(of)
			}
			if failed != nil {
				bad = x.complete(append(failed.order(of), of[fails]))
			}
			return false
		})
		if ok {
			return good, bad, true, nil
		}
	}
	sure = true
	for _, yes := range start.Oracle { // the encoding below takes every answer for yes
		sure = sure && yes
	}
	for _, want := range [2]bool{true, false} {
		if want && known {
			good = a.fixed(of)
			continue
		}
		c := newCircuit(a)
		c.start = w
		run := c.openRun(of, eff)
		if want {
			c.b.Clause(run.ok)
		} else {
			c.b.Clause(-run.ok)
		}
		c.yes()
		_, orders, status, err := a.solveOrders(ctx, c, []*openRun{run})
		if err != nil {
			return nil, nil, false, err
		}
		switch {
		case status == sat.Unknown:
			sure = false
		case status == sat.Sat && want:
			good = orders[0]
		case status == sat.Sat:
			bad = orders[0]
		}
	}
	return good, bad, sure, nil
}

// combine makes one order of all resources from orders of the components, or returns nil if they exclude each other.
func (a *Analysis) combine(parts [][]int) []int {
	edges := slices.Clone(a.edges)
	for _, p := range parts {
		for k := 1; k < len(p); k++ {
			edges = append(edges, Edge{From: p[k-1], To: p[k]})
		}
	}
	if findCycle(a.n(), edges) != nil {
		return nil
	}
	return kahn(a.n(), edges, func(i int) int { return i })
}
