package verify

import (
	"context"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// An Assertion is something that people want to hold at the end of every successful run.
type Assertion struct {
	Name string
	Pred fs.Pred
}

// An Invariant is the answer to one question of §5: does every successful run end in a state where what is declared
// holds?
type Invariant struct {
	Name     string
	Resource int     // whose declared state it is, or -1 for an assertion
	Verdict  Verdict // Yes: it always holds
	Initial  *fs.State
	Order    []int
	End      *fs.State
	Breaker  int // the last resource after which it did not hold any more, or -1
	Reason   string
	// Modelled says that it holds as far as resources have models: only what they may do beyond that keeps it from being
	// proved.
	Modelled bool
}

// Invariants decides, for every declared state and assertion, whether it holds at the end of successful runs: in
// catalog order, or in every order. Replayed examples come with the answers.
func (a *Analysis) Invariants(ctx context.Context, everyOrder bool) ([]Invariant, error) {
	declared, err := a.Declared(ctx, everyOrder)
	if err != nil {
		return nil, err
	}
	asserted, err := a.Asserted(ctx, everyOrder)
	return append(declared, asserted...), err
}

// Declared is Invariants for the declared states of resources.
func (a *Analysis) Declared(ctx context.Context, everyOrder bool) ([]Invariant, error) {
	var out []Invariant
	for i, r := range a.Graph.Resources {
		if r.Post == nil {
			continue
		}
		inv := Invariant{Name: r.Name, Resource: i, Breaker: -1}
		if err := a.invariant(ctx, &inv, a.post[i], r.Post, everyOrder); err != nil {
			return nil, err
		}
		out = append(out, inv)
	}
	return out, nil
}

// Asserted is Invariants for the assertions of the graph, in their order.
func (a *Analysis) Asserted(ctx context.Context, everyOrder bool) ([]Invariant, error) {
	var out []Invariant
	for i, x := range a.Graph.Assertions {
		inv := Invariant{Name: x.Name, Resource: -1, Breaker: -1}
		if err := a.invariant(ctx, &inv, a.asserted[i], x.Pred, everyOrder); err != nil {
			return nil, err
		}
		out = append(out, inv)
	}
	return out, nil
}

func (a *Analysis) invariant(ctx context.Context, inv *Invariant, post fs.Bool, pred fs.Pred, everyOrder bool) error {
	if inv.Resource >= 0 && a.alone(inv.Resource, post, everyOrder) {
		a.kept(inv)
		return nil
	}
	of := a.around(post)
	star := a.compose(a.fixed(of), a.eff, nil)
	broken := a.without(star, post)
	s, status, err := a.prove(ctx, broken)
	// A single resource has a single order; and in a deterministic graph all orders are alike in what is observed.
	everyOrder = everyOrder && !(status == sat.Unsat && len(of) < 2) && !(a.found != nil && a.found.Verdict == Yes &&
		a.observed(post))
	if err == nil && status == sat.Sat && !a.breaks(inv, s, a.order, pred) && len(of) < a.n() {
		// The rest must succeed too.
		s, status, err = a.prove(ctx, claim{append(broken.all, a.rest(of).ok...), broken.some})
		if err == nil && status == sat.Sat && !a.breaks(inv, s, a.order, pred) {
			whole := a.compose(a.order, a.eff, nil)
			s, status, err = a.prove(ctx, a.without(whole, post))
			if err == nil && status == sat.Sat && !a.breaks(inv, s, a.order, pred) {
				status = sat.Unknown
			}
		}
	}
	if err != nil {
		return err
	}
	if status == sat.Unsat && everyOrder {
		status, err = a.invariantAnyOrder(ctx, inv, of, post, pred)
		if err != nil {
			return err
		}
	}
	switch status {
	case sat.Sat:
		inv.Verdict = No
	case sat.Unsat:
		a.kept(inv)
	default:
		inv.Verdict, inv.Reason = Unknown, TooMuch
	}
	return nil
}

// without claims that a run succeeds and ends in a state where post does not hold.
func (a *Analysis) without(r *composed, post fs.Bool) claim {
	c := claim{all: r.ok}
	for _, k := range a.Space.Conjuncts(a.Space.NewSubst(r.value).Bool(post)) {
		c.some = append(c.some, a.Space.Not(k))
	}
	return c
}

// kept records that no run ends without it, as far as is known of the resources.
func (a *Analysis) kept(inv *Invariant) {
	inv.Verdict, inv.Reason = a.yes()
	inv.Modelled = inv.Verdict == Unknown && !a.Space.Truncated
}

// alone reports whether a resource's success brings its declared state about from any state, and all others that write
// what that depends on come before it: in catalog order, or in every order. Then it lasts, whatever the others do.
func (a *Analysis) alone(i int, post fs.Bool, everyOrder bool) bool {
	for _, c := range a.Space.Support(post) {
		for _, w := range a.writers[c] {
			before := a.place(w.by) < a.place(i)
			if everyOrder {
				before = a.part.precedes(w.by, i)
			}
			if w.by != i && !before {
				return false
			}
		}
	}
	r := a.compose([]int{i}, a.raw, a.Space.Read)
	return a.Space.And(r.success(), a.Space.Not(a.Space.NewSubst(r.value).Bool(post))) == fs.Bottom
}

// around finds the component that decides a formula about the end: all that interferes with what it reads.
func (a *Analysis) around(post fs.Bool) []int {
	if !a.opt.Components {
		return a.order
	}
	a.group()
	var of []int
	seen := map[int]bool{}
	for _, c := range a.Space.Support(post) {
		for _, i := range a.cells[c] {
			if k := a.groupOf[i]; !seen[k] {
				seen[k] = true
				of = append(of, a.groups[k]...)
			}
		}
	}
	return of
}

// breaks replays a suspected example and completes the answer.
func (a *Analysis) breaks(inv *Invariant, s *fs.State, order []int, pred fs.Pred) bool {
	if s == nil || !a.Space.Satisfies(s) {
		return false
	}
	now := a.Space.Begin(s)
	breaker, held := -1, now.Eval(pred)
	for _, i := range order {
		if !fs.Perform(a.Graph.Resources[i].Program, now) {
			return false
		}
		holds := now.Eval(pred)
		if held && !holds {
			breaker = i
		}
		held = holds
	}
	if held {
		return false
	}
	inv.Initial, inv.Order, inv.End, inv.Breaker = s, order, now, breaker
	return true
}

// invariantAnyOrder asks the solver for an order that ends without it: of the component that decides it, and if there
// is one, of all resources, which must succeed too.
func (a *Analysis) invariantAnyOrder(ctx context.Context, inv *Invariant, of []int, post fs.Bool,
	pred fs.Pred) (sat.Status, error) {
	if len(of) < a.n() {
		if _, _, status, err := a.endsWithout(ctx, of, post); err != nil || status == sat.Unsat {
			return status, err
		}
	}
	all := make([]int, a.n())
	for i := range all {
		all[i] = i
	}
	s, order, status, err := a.endsWithout(ctx, all, post)
	if err != nil || status != sat.Sat {
		return status, err
	}
	if !a.breaks(inv, s, order, pred) {
		return sat.Unknown, nil
	}
	return sat.Sat, nil
}

// endsWithout looks for a state and an order of some resources that succeeds and ends where post does not hold.
func (a *Analysis) endsWithout(ctx context.Context, of []int, post fs.Bool) (*fs.State, []int, sat.Status, error) {
	c := newCircuit(a)
	c.b.Clause(c.bool(a.Space.Remaining()))
	r := c.openRun(of, a.eff)
	c.b.Clause(r.ok)
	c.b.Clause(-c.bool(a.Space.NewSubst(r.final).Bool(post)))
	m, orders, status, err := a.solveOrders(ctx, c, []*openRun{r})
	if err != nil || status != sat.Sat {
		return nil, nil, status, err
	}
	return c.state(m), orders[0], status, nil
}
