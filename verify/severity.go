package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// Severity says how bad a non-deterministic graph is. Agents apply unrelated resources in catalog order. An end is good
// if nothing failed, every declared state holds, and a second run leaves it as it is.
//   - Broken (Yes): from some initial state, some order ends well and catalog order does not.
//   - Safe only by catalog order (No): otherwise.
type Severity struct {
	Broken  Verdict
	Initial *fs.State // if broken: a state …
	Order   []int     // … an order that ends well from it …
	Good    Outcome
	Catalog Outcome // … and how catalog order ends
	Reason  string
}

// Severity decides between the two. The graph should be non-deterministic; a deterministic one is never broken.
func (a *Analysis) Severity(ctx context.Context) (*Severity, error) {
	r := &Severity{Broken: No}
	// The fresh machine first, then the counter-example at hand.
	if d := a.found; d != nil && d.Example != nil {
		for _, s := range []*fs.State{a.fresh(), d.Example.Initial} {
			for _, order := range [][]int{d.Example.A, d.Example.B} {
				if a.worse(r, s, order) {
					return r, nil
				}
			}
		}
	}
	extra := make([][]fs.Cell, a.n())
	for i := range extra {
		extra[i] = a.Space.Support(a.post[i])
	}
	all := slices.Clone(a.order)
	slices.Sort(all)
	groups := [][]int{all}
	if a.opt.Components {
		// A good end is good in every component, so if catalog order is worse, it is worse in one of them.
		groups = a.components(a.bare, extra)
	}
	unsure := false
	for _, of := range groups {
		if len(of) < 2 {
			continue
		}
		orders, few := a.unlike(of)
		if few && len(orders) == 0 {
			continue // every order ends like catalog order
		}
		if !few && (!a.opt.Explicit || len(of) > maxExplicit) {
			never, err := a.neverWorse(ctx, of)
			if err != nil {
				return nil, err
			}
			if never {
				continue
			}
		}
		if len(of) > eagerOrders && !few { // how bad it is, is not worth the work that this would take
			r.Broken, r.Reason = Unknown, "too many resources interfere with "+a.names(of)
			continue
		}
		var d *difference
		var status sat.Status
		var err error
		if few {
			d, status, err = a.tryWorse(ctx, of, orders)
		} else {
			d, status, err = a.searchWorse(ctx, of)
		}
		if err != nil {
			return nil, err
		}
		switch status {
		case sat.Sat:
			if a.confirmWorse(ctx, r, of, d) {
				return r, nil
			}
			unsure = unsure || len(of) < a.n()
			if len(of) == a.n() {
				r.Broken, r.Reason = Unknown, "an example did not replay"
			}
		case sat.Unknown:
			r.Broken, r.Reason = Unknown, TooMuch+" on "+a.names(of)
		}
	}
	if unsure && r.Broken == No { // worse in a component, but not seen on the whole: ask about the whole
		d, status, err := a.searchWorse(ctx, all)
		if err != nil {
			return nil, err
		}
		switch {
		case status == sat.Sat && a.worse(r, d.init, d.x):
		case status != sat.Unsat:
			r.Broken, r.Reason = Unknown, TooMuch
		}
	}
	if v, why := a.yes(); r.Broken == No && v == Unknown {
		r.Broken, r.Reason = Unknown, why
	}
	return r, nil
}

// maxClashes is the number of pairs that do not commute up to which their orders are tried one by one.
const maxClashes = 3

// unlike lists orders of a component, one for each way to order its pairs that do not commute other than catalog
// order's: every order ends like one of these or like catalog order, since two orders that agree on these pairs are
// connected by swaps of neighbours that commute (Lemma 1). It reports false if there are many such pairs.
func (a *Analysis) unlike(of []int) (orders [][]int, few bool) {
	if !a.opt.Commutativity {
		return nil, false
	}
	if a.mates == nil {
		a.mates = map[int][]int{}
		for _, uv := range a.candidates() {
			a.mates[uv[0]] = append(a.mates[uv[0]], uv[1])
		}
	}
	in := newBitset(a.n())
	for _, i := range of {
		in.add(i)
	}
	var clashes []Edge // as catalog order has them
	for _, u := range of {
		for _, v := range a.mates[u] {
			if p := a.pair(u, v); !in.has(v) || p.commute || !p.errs && a.opt.fault == faultSwaps {
				continue
			}
			e := Edge{From: u, To: v}
			if a.place(u) > a.place(v) {
				e = Edge{From: v, To: u}
			}
			if clashes = append(clashes, e); len(clashes) > maxClashes {
				return nil, false
			}
		}
	}
	for other := 1; other < 1<<len(clashes); other++ {
		added := slices.Clone(clashes)
		for k := range added {
			if other&(1<<k) != 0 {
				added[k].From, added[k].To = added[k].To, added[k].From
			}
		}
		if order := a.ordered(of, added); order != nil {
			orders = append(orders, order)
		}
	}
	return orders, true
}

// ordered is a component in catalog order, but for some more edges; nil if these make a cycle.
func (a *Analysis) ordered(of []int, added []Edge) []int {
	left := a.fixed(of)
	out := make([]int, 0, len(of))
	for len(left) > 0 {
		k := slices.IndexFunc(left, func(i int) bool {
			return !slices.ContainsFunc(left, func(j int) bool {
				return a.part.precedes(j, i) || slices.Contains(added, Edge{From: j, To: i})
			})
		})
		if k < 0 {
			return nil
		}
		out = append(out, left[k])
		left = slices.Delete(left, k, k+1)
	}
	return out
}

// tryWorse looks for one of some orders that ends well where catalog order does not.
func (a *Analysis) tryWorse(ctx context.Context, of []int, orders [][]int) (*difference, sat.Status, error) {
	sp, fixed := a.Space, a.fixed(of)
	star := a.compose(fixed, a.eff, nil)
	var bad []fs.Bool
	for _, k := range sp.Conjuncts(sp.And(star.success(), a.good(of, star.value))) {
		bad = append(bad, sp.Not(k))
	}
	all := sat.Unsat
	for _, order := range orders {
		x := a.compose(order, a.eff, nil)
		s, status, err := a.prove(ctx, claim{[]fs.Bool{x.success(), a.good(of, x.value)}, bad})
		if err != nil {
			return nil, sat.Unknown, err
		}
		switch status {
		case sat.Sat:
			return &difference{x: order, y: fixed, init: s}, sat.Sat, nil
		case sat.Unknown:
			all = sat.Unknown
		}
	}
	return nil, all, nil
}

// worse replays: the order ends well from s and catalog order does not.
func (a *Analysis) worse(r *Severity, s *fs.State, order []int) bool {
	if s == nil || !a.Space.Satisfies(s) {
		return false
	}
	good, star := a.run(order, s), a.run(a.order, s)
	if !a.endsWell(good) || a.endsWell(star) {
		return false
	}
	*r = Severity{Broken: Yes, Initial: s, Order: order, Good: good, Catalog: star}
	return true
}

func (a *Analysis) endsWell(o Outcome) bool {
	if o.Failed >= 0 {
		return false
	}
	for _, r := range a.Graph.Resources {
		if !o.State.Eval(r.Post) {
			return false
		}
	}
	again := a.run(a.order, o.State)
	return again.Failed < 0 && len(a.Space.Diff(o.State, again.State)) == 0
}

// good says that an end of a component is good, as a formula over the values at the end.
func (a *Analysis) good(of []int, value func(fs.Cell) fs.Val) fs.Bool {
	sp := a.Space
	s := sp.NewSubst(value)
	all := []fs.Bool{}
	for _, i := range of {
		all = append(all, s.Bool(a.post[i]))
	}
	second := a.compose(a.fixed(of), a.raw, func(c fs.Cell) fs.Val {
		if v, ok := sp.Transient(c); ok {
			return v
		}
		return value(c)
	})
	all = append(all, second.ok...)
	for _, c := range sortedCells(second.at) {
		if sp.Observed(c) {
			all = append(all, sp.Eq(second.value(c), value(c)))
		}
	}
	return sp.And(all...)
}

// neverWorse reports whether catalog order ends well in a component from every state from which any order can. It asks
// about the one order only, so it is cheap where there are many; it may say no where the answer is yes.
//
// Which states those are, nobody knows without looking at all orders. But many can be left out: a condition of i that
// is also one of everybody who may change its cells before i must hold at first. For whoever of them comes first in an
// order finds these cells as they were, and asks for the same.
func (a *Analysis) neverWorse(ctx context.Context, of []int) (bool, error) {
	if !a.opt.Nearby {
		return false, nil
	}
	sp := a.Space
	in, asks := newBitset(a.n()), make(map[fs.Bool]bitset)
	for _, i := range of {
		in.add(i)
		for _, e := range [2]*fs.Effect{a.raw[i], a.eff[i]} {
			for _, k := range e.OK {
				if asks[k.F] == nil {
					asks[k.F] = newBitset(a.n())
				}
				asks[k.F].add(i)
			}
		}
	}
	var all []fs.Bool
	for _, i := range of {
		for _, k := range a.eff[i].OK {
			if !slices.ContainsFunc(sp.Support(k.F), func(c fs.Cell) bool {
				return slices.ContainsFunc(a.writers[c], func(w writer) bool {
					return in.has(w.by) && !a.part.precedes(i, w.by) && !asks[k.F].has(w.by) && a.opt.fault != faultFirst
				})
			}) {
				all = append(all, k.F)
			}
		}
	}
	star := a.compose(a.fixed(of), a.eff, nil)
	_, status, err := a.decide(ctx, sp.And(sp.And(all...), sp.Not(sp.And(star.success(), a.good(of, star.value)))))
	return status == sat.Unsat, err
}

// searchWorse looks for an order of a component that ends well where catalog order does not.
//
// Walking through states finds the simplest examples, and small components are done within a few walks. Where they are
// not, there mostly is no such order at all, which a formula shows much sooner: so the walk goes on only when there is
// an example to be found.
func (a *Analysis) searchWorse(ctx context.Context, of []int) (*difference, sat.Status, error) {
	walks := a.opt.Explicit && len(of) <= maxExplicit
	if walks {
		if d, certain := a.exploreWorse(of, min(fewWalks, a.opt.limit(fewWalks))); d != nil {
			return d, sat.Sat, nil
		} else if certain {
			return nil, sat.Unsat, nil
		}
	}
	d, status, err := a.solveWorse(ctx, of)
	if err != nil || status == sat.Unsat || !walks {
		return d, status, err
	}
	if simpler, certain := a.exploreWorse(of, a.opt.limit(1000)); simpler != nil {
		return simpler, sat.Sat, nil
	} else if certain {
		return nil, sat.Unsat, nil
	}
	return d, status, nil
}

// fewWalks is how many states are walked through before a formula is asked.
const fewWalks = 50

// solveWorse asks a formula for such an order.
func (a *Analysis) solveWorse(ctx context.Context, of []int) (*difference, sat.Status, error) {
	c := newCircuit(a)
	c.b.Clause(c.bool(a.Space.Remaining()))
	star := a.compose(a.fixed(of), a.eff, nil)
	run := c.openRun(of, a.eff)
	c.b.Clause(run.ok)
	c.b.Clause(c.bool(a.good(of, run.final)))
	c.b.Clause(-c.bool(a.Space.And(star.success(), a.good(of, star.value))))
	m, orders, status, err := a.solveOrders(ctx, c, []*openRun{run})
	if err != nil || status != sat.Sat {
		return nil, status, err
	}
	return &difference{x: orders[0], y: a.fixed(of), init: c.state(m)}, sat.Sat, nil
}

// exploreWorse walks through so many states, and through the orders from each.
func (a *Analysis) exploreWorse(of []int, limit int) (*difference, bool) {
	fixed := a.fixed(of)
	w := a.world
	w.Forget()
	x, again := a.newExplicit(of, a.eff), a.newExplicit(of, a.raw)
	x.whole = true
	x.reduce()
	endsWell := func(s *stage) bool {
		x.ev.In(x.at(s.state))
		for _, i := range of {
			if !x.ev.Bool(a.post[i], true) {
				return false
			}
		}
		second := make([]fs.Open, len(again.cells))
		for k, c := range again.cells {
			second[k] = x.at(s.state)(c)
			if v, ok := a.Space.Transient(c); ok {
				second[k] = x.ev.Val(v)
			}
		}
		for _, i := range fixed {
			var ok bool
			if second, ok = again.apply(slices.Index(of, i), second); !ok {
				return false
			}
		}
		for k, c := range again.cells {
			if a.Space.Observed(c) && w.Differ(second[k], x.at(s.state)(c)) {
				return false
			}
		}
		return true
	}
	var found *difference
	gaveUp := false
	complete := w.Explore(limit, func() bool {
		a.Stats.Walked++
		if !x.ev.In(w.Initial).Bool(a.Space.Remaining(), true) {
			return true
		}
		star := &stage{state: x.initial()}
		for _, i := range fixed {
			state, ok := x.apply(slices.Index(of, i), star.state)
			if !ok {
				star = nil
				break
			}
			star = &stage{state: state}
		}
		if star != nil && endsWell(star) {
			return true
		}
		ends, _, _, ok := x.outcomes()
		if !ok {
			gaveUp = true
			return false
		}
		for _, e := range ends {
			if endsWell(e) {
				found = &difference{x: e.order(of), y: fixed, seed: w.Seen(), init: w.State()}
				return false
			}
		}
		return true
	})
	return found, found != nil || complete && !gaveUp && !a.Space.Truncated
}

// confirmWorse carries what was found in a component over to the whole.
func (a *Analysis) confirmWorse(ctx context.Context, r *Severity, of []int, d *difference) bool {
	order := a.extend(d.x)
	if a.worse(r, d.init, order) {
		return true
	}
	if len(of) == a.n() {
		return false
	}
	sp := a.Space
	var rest []int
	for _, i := range a.order {
		if !slices.Contains(of, i) {
			rest = append(rest, i)
		}
	}
	x, y, z := a.compose(d.x, a.eff, nil), a.compose(d.y, a.eff, nil), a.compose(rest, a.eff, nil)
	s, status, err := a.decide(ctx, sp.And(
		x.success(), a.good(of, x.value),
		sp.Not(sp.And(y.success(), a.good(of, y.value))),
		z.success(), a.good(rest, z.value)))
	return err == nil && status == sat.Sat && a.worse(r, s, order)
}
