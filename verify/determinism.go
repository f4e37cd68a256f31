package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// Determinism by commutation. A graph of n resources has up to n! orders; they are never enumerated. Two neighbours in
// an order may be swapped if neither must come before the other. Every order that the dependencies allow can be turned
// into every other one by such swaps. So if each swap changes nothing, all orders end alike. That is Rehearsal's
// argument, and the stages below are ways to show that swaps change nothing, the cheapest first, each exact where it
// answers:
//
//  1. Commute. Pairs that share no cell, or only read it, or do the same idempotent thing to it, commute by what they
// touch
//     (candidates, Lemma 4). The few others are compared by meaning: both sequences as formulas, equal in every state
// in
//     which both can be next (pair). What is known of such states (who must have run by then) makes most pairs equal.
//  2. Dead writes. A pair may not commute and still never show: somebody overwrites the cell before anybody reads it
//     (invisible, Lemma 3).
//  3. Witness. For a pair that is left, a machine is guessed from the state in which the two differ, and both orders
// are run
//     on it, concretely. A difference is a proof of the opposite, and what is shown to people.
//  4. Exact, by component. Resources that interfere, directly or through others, form components whose outcomes are
//     independent (components). A small one is walked through, set of resources by set (explicit.go); a large one
// becomes a
//     formula with the order as variables (orders.go), for the solver.
//  5. The whole graph, if a difference in one component may be hidden by a failure in another.
//
// A proof speaks about the programs. If a resource has no model, all orders of the programs may end alike and the
// verdict is unknown all the same (proved). Nothing here knows Puppet; which program a resource is, is package model's
// business.

// Determinism is the answer to Definition 1: do all orders that the dependencies allow end alike, from every initial
// state?
type Determinism struct {
	Verdict Verdict // Yes: deterministic
	Example *Counterexample
	Stage   string   // which stage decided: commute, dead writes, witness, explicit, solver
	Pairs   [][2]int // pairs that do not commute, visibly as far as is known; what is left when unknown
	Opaque  []int    // resources because of which a proof is none
	Reason  string   // why unknown

	alike bool // all orders of the programs end alike, even if these are not all that the resources do
}

// Determinism decides whether the graph is deterministic: sound and complete for the programs as they are given, up to
// time-outs. The answer is remembered.
func (a *Analysis) Determinism(ctx context.Context) (*Determinism, error) {
	if a.found == nil {
		d, err := a.determinism(ctx)
		if err != nil {
			return nil, err
		}
		a.found = d
		a.Stats.Stage = d.Stage
	}
	return a.found, nil
}

// observed reports whether all that a formula speaks about is part of an outcome.
func (a *Analysis) observed(f fs.Bool) bool {
	return !slices.ContainsFunc(a.Space.Support(f), func(c fs.Cell) bool { return !a.Space.Observed(c) })
}

// maxWitness is the number of pairs for which likely counter-examples are tried before the exact stages.
const maxWitness = 32

func (a *Analysis) determinism(ctx context.Context) (*Determinism, error) {
	d := &Determinism{}
	var left []*pair
	if a.opt.Commutativity {
		seen := false
		for _, uv := range a.candidates() {
			p := a.pair(uv[0], uv[1])
			if p.commute {
				continue
			}
			seen = true
			if a.opt.DeadWrites && a.invisible(p) {
				continue
			}
			left = append(left, p)
			d.Pairs = append(d.Pairs, uv)
			if a.opt.Witness && len(left) <= maxWitness {
				if d.Example = a.cheap(ctx, p); d.Example != nil {
					d.Verdict, d.Stage = No, "witness"
					return d, nil
				}
			}
		}
		a.Stats.Conflicts = len(left)
		if len(left) == 0 {
			d.Stage = "commute"
			if seen {
				d.Stage = "dead writes"
			}
			return a.proved(d), nil
		}
	}
	unknown := ""
	if a.opt.Components {
		certain := true
		for _, of := range a.components(a.foot, nil) {
			if len(of) < 2 || a.opt.Commutativity && !slices.ContainsFunc(left,
				func(p *pair) bool { return slices.Contains(of, p.u) }) {
				continue
			}
			diff, status, stage, err := a.exact(ctx, of)
			if err != nil {
				return nil, err
			}
			d.Stage = stage
			switch status {
			case sat.Unsat:
				continue
			case sat.Sat:
				if d.Example = a.confirm(ctx, diff); d.Example != nil {
					d.Verdict = No
					return d, nil
				}
			default:
				unknown = TooMuch + " on a component of " + a.names(of)
			}
			certain = false
		}
		if certain {
			return a.proved(d), nil
		}
	}
	// A difference in a component that nobody sees on the whole, or components switched off: decide the whole.
	all := make([]int, a.n())
	for i := range all {
		all[i] = i
	}
	if unknown == "" {
		diff, status, stage, err := a.exact(ctx, all)
		if err != nil {
			return nil, err
		}
		d.Stage = stage
		switch status {
		case sat.Unsat:
			return a.proved(d), nil
		case sat.Sat:
			if d.Example = a.replay(diff.init, diff.x, diff.y); d.Example != nil {
				d.Verdict = No
				return d, nil
			}
			unknown = "a difference did not replay"
		default:
			unknown = TooMuch
		}
	}
	d.Verdict, d.Reason = Unknown, unknown
	return d, nil
}

// proved answers yes, unless some resource may do what its program does not say.
func (a *Analysis) proved(d *Determinism) *Determinism {
	d.Opaque = a.opaque()
	d.Verdict, d.Reason = a.yes()
	d.alike = true
	return d
}

// exact decides a component on its own.
func (a *Analysis) exact(ctx context.Context, of []int) (*difference, sat.Status, string, error) {
	if a.opt.fault == faultEliminate {
		of = a.eliminate(of)
	}
	if a.opt.Explicit {
		if d, certain := a.explore(of); certain {
			if d != nil {
				return d, sat.Sat, "explicit", nil
			}
			return nil, sat.Unsat, "explicit", nil
		}
	}
	d, status, err := a.search(ctx, of)
	return d, status, "solver", err
}

// eliminate is the paper's §4.4, for tests that show that it is wrong.
//
// Erratum: from e1;e ≡ e2;e one cannot conclude e1 ≡ e2 when e overwrites what differs, or can fail.
func (a *Analysis) eliminate(of []int) []int {
	for {
		k := slices.IndexFunc(of, func(i int) bool {
			return !slices.ContainsFunc(of, func(j int) bool {
				if i == j || a.part.precedes(j, i) {
					return false
				}
				return !a.pair(min(i, j), max(i, j)).commute
			})
		})
		if k < 0 {
			return of
		}
		of = slices.Delete(slices.Clone(of), k, k+1)
	}
}

// confirm carries a difference in a component over to the whole graph: the same two orders, and an initial state in
// which the rest of the graph succeeds.
func (a *Analysis) confirm(ctx context.Context, d *difference) *Counterexample {
	x, y := a.extend(d.x), a.extend(d.y)
	if c := a.replay(d.init, x, y); c != nil {
		return c
	}
	if len(d.x) < a.n() {
		if whole := a.walk(x, y, d.seed, 40); whole != nil {
			if c := a.replay(whole.init, x, y); c != nil {
				return c
			}
		}
	}
	sp := a.Space
	in := map[int]bool{}
	for _, i := range d.x {
		in[i] = true
	}
	var rest []int
	for _, i := range a.order {
		if !in[i] {
			rest = append(rest, i)
		}
	}
	others := a.compose(rest, a.eff, nil)
	differ := a.differs(a.compose(d.x, a.eff, nil), a.compose(d.y, a.eff, nil))
	s, status, err := a.decide(ctx, sp.And(differ, others.success()))
	if err != nil || status != sat.Sat {
		return nil
	}
	return a.replay(s, x, y)
}

func (a *Analysis) names(of []int) string {
	out := ""
	for k, i := range of {
		if k == 5 && len(of) > 6 {
			return out + ", …"
		}
		if k > 0 {
			out += ", "
		}
		out += a.Graph.Resources[i].Name
	}
	return out
}
