package verify

import (
	"context"
	"slices"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// Idempotence is the answer to §5: e ≡ e; e, in catalog order. A first run that fails says nothing. The same type
// answers whether the second run is quiet.
//
// Differs from the paper: the initial contents are open, so copying a file and deleting the source is found; and the
// order is that of the agent, so the question has an answer for non-deterministic graphs too.
type Idempotence struct {
	Verdict Verdict // Yes: idempotent, or quiet
	Example *Rerun
	Opaque  []int
	Reason  string
}

// A Rerun shows what a second run does. It has been replayed.
type Rerun struct {
	Initial *fs.State
	First   Outcome
	Second  Outcome
	Differ  []fs.Difference // from after the first run to after the second
}

// Idempotence decides whether a second run in catalog order leaves everything as the first run did. The answer is
// remembered.
func (a *Analysis) Idempotence(ctx context.Context) (*Idempotence, error) { return a.asked(ctx, false) }

// Quiet decides whether a second run in catalog order does nothing at all: no resource changes anything, even for a
// moment, and none acts. An unguarded exec of /bin/true is idempotent but not quiet.
func (a *Analysis) Quiet(ctx context.Context) (*Idempotence, error) { return a.asked(ctx, true) }

func (a *Analysis) asked(ctx context.Context, quiet bool) (*Idempotence, error) {
	at := &a.reruns[0]
	if quiet {
		at = &a.reruns[1]
	}
	if *at == nil {
		r, err := a.rerun(ctx, quiet)
		if err != nil {
			return nil, err
		}
		*at = r
	}
	return *at, nil
}

func (a *Analysis) rerun(ctx context.Context, quiet bool) (*Idempotence, error) {
	r := &Idempotence{Verdict: Yes}
	if a.opt.Witness { // the fresh machine is the first that comes to mind, and the example that people understand best
		if r.Example = a.replayTwice(a.fresh(), quiet); r.Example != nil {
			r.Verdict = No
			return r, nil
		}
	}
	groups := [][]int{a.order}
	if a.opt.Components {
		groups = a.components(a.bare, nil)
	}
	settled, hidden := a.settled(), false
	for _, of := range groups {
		q := a.again(a.fixed(of), settled, quiet)
		s, status, err := a.prove(ctx, q)
		if err != nil {
			return nil, err
		}
		switch status {
		case sat.Unsat:
			continue
		case sat.Unknown:
			r.Verdict, r.Reason = Unknown, TooMuch+" on "+a.names(of)
			continue
		}
		if r.Example = a.replayTwice(s, quiet); r.Example == nil && len(of) < a.n() {
			// The rest of the graph must succeed too.
			s, status, err = a.prove(ctx, claim{append(q.all, a.rest(of).ok...), q.some})
			if err != nil {
				return nil, err
			}
			if status == sat.Sat {
				r.Example = a.replayTwice(s, quiet)
			}
			hidden = hidden || status != sat.Unsat
		}
		if r.Example != nil {
			r.Verdict, r.Reason = No, ""
			return r, nil
		}
	}
	if hidden { // what a component shows did not replay: ask about the whole
		s, status, err := a.prove(ctx, a.again(a.order, settled, quiet))
		if err != nil {
			return nil, err
		}
		if status != sat.Unsat {
			r.Verdict, r.Reason = Unknown, TooMuch
			if r.Example = a.replayTwice(s, quiet); r.Example != nil {
				r.Verdict, r.Reason = No, ""
				return r, nil
			}
		}
	}
	if r.Verdict == Yes {
		r.Opaque = a.opaque()
		r.Verdict, r.Reason = a.yes()
	}
	return r, nil
}

// again claims that some resources, in a fixed order, succeed once and do something else the second time, in which
// those that are settled do nothing.
func (a *Analysis) again(order []int, settled []bool, quiet bool) claim {
	if !slices.ContainsFunc(order, func(i int) bool { return !settled[i] }) {
		return claim{}
	}
	sp := a.Space
	first := a.compose(order, a.eff, nil)
	second := &composed{a: a, at: map[fs.Cell]fs.Val{}, before: first.restart}
	var some []fs.Bool
	for _, i := range order {
		if settled[i] {
			continue
		}
		changed, acted := second.step(a.raw[i])
		if quiet {
			some = append(some, acted)
			some = append(some, changed...)
		}
	}
	for _, ok := range second.ok {
		some = append(some, sp.Not(ok))
	}
	if !quiet {
		for _, c := range sortedCells(second.at) {
			if sp.Observed(c) {
				some = append(some, sp.Not(sp.Eq(second.value(c), first.value(c))))
			}
		}
	}
	return claim{first.ok, some}
}

// replayTwice checks a suspected example.
func (a *Analysis) replayTwice(s *fs.State, quiet bool) *Rerun {
	if s == nil || !a.Space.Satisfies(s) {
		return nil
	}
	r := &Rerun{Initial: s, First: a.Replay(a.order, s)}
	if r.First.Failed >= 0 {
		return nil
	}
	r.Second = a.Replay(a.order, r.First.State)
	if r.Second.Failed < 0 {
		r.Differ = a.Space.Diff(r.First.State, r.Second.State)
		if len(r.Differ) == 0 && (!quiet || len(r.Second.Acts) == 0) {
			return nil
		}
	}
	return r
}

// yes is the verdict of a search that has found nothing against: no proof if a resource may do more than its program
// says, or if constants had to be left out.
func (a *Analysis) yes() (Verdict, string) {
	switch {
	case len(a.opaque()) > 0:
		return Unknown, "some resources may do more than is known"
	case a.Space.Truncated:
		return Unknown, "something is compared with more constants than can be told apart"
	}
	return Yes, ""
}

// opaque lists the resources because of which a proof is none.
func (a *Analysis) opaque() []int { return a.unclear }
