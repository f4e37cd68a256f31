package model

import (
	"context"
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// This file finds what order is missing and how to say it. An edit is made to words, and the same words may declare
// many resources: in a loop, in a define. So the edges that are verified are those that the edited words would make.

// A mend is an edge that settles a counter-example.
type mend struct {
	edge    verify.Edge
	example *verify.Counterexample // nil if it has still to be found
	in      *verify.Analysis       // what the example is one of
}

func (v *verifier) determinism() error {
	d, err := v.a.Determinism(v.ctx)
	if err != nil {
		return err
	}
	v.r.Deterministic = d.Verdict
	switch d.Verdict {
	case verify.Unknown:
		v.unknown("determinism", d.Reason)
		return nil
	case verify.Yes:
		return nil
	}
	// What is known already comes first: all that follows may take what is left of the budget.
	from := len(v.r.Findings)
	v.r.Findings = append(v.r.Findings, v.order(v.a, d.Example, UnknownGrade))
	s, err := v.a.Severity(v.ctx)
	if err != nil {
		return err
	}
	grade := "safe only by catalog order"
	switch s.Broken {
	case verify.Yes:
		grade = BrokenGrade
	case verify.Unknown:
		grade = UnknownGrade
	}
	v.r.Findings[from].Grade = grade
	mends, enough, err := v.mends(d)
	if err != nil {
		return err
	}
	if len(mends) == 0 {
		v.r.Partial = true
		return nil
	}
	v.r.Partial = !enough
	found, err := v.edits(mends, grade, enough)
	if err == nil && len(found) > 0 {
		v.r.Findings = slices.Replace(v.r.Findings, from, from+1, found...)
	}
	return err
}

// mends looks for edges that make the graph deterministic: the fewest, or, if that takes long, one per pair that shows
// up. It reports whether they are enough.
func (v *verifier) mends(d *verify.Determinism) ([]mend, bool, error) {
	edges, err := v.a.Mends(v.ctx, v.opt.Allow(v.opt.Question/4))
	if err != nil {
		return nil, false, err
	}
	if fine, err := v.tried(edges); err != nil || !fine {
		if err != nil {
			return nil, false, err
		}
		return v.manyMends(d)
	}
	var out []mend
	for _, e := range edges {
		out = append(out, mend{edge: e})
	}
	return out, true, nil
}

// tried reports whether the graph with more edges is deterministic and can succeed if it could before.
func (v *verifier) tried(edges []verify.Edge) (bool, error) {
	b, err := v.a.With(edges...)
	if err != nil {
		return false, nil // a cycle
	}
	d, err := b.Determinism(v.ctx)
	if err != nil || d.Verdict == verify.No || v.misses(b) {
		return false, err
	}
	return v.works(b)
}

// works reports whether a graph with more edges does as well on a fresh machine as without them: it can succeed, or it
// could not before, and whatever fails in the agent's order has failed before. What cannot succeed is told apart, and
// must not keep an order from being mended that has nothing to do with it.
func (v *verifier) works(b *verify.Analysis) (bool, error) {
	s, err := b.Success(v.ctx)
	if err != nil || s.Chance != verify.Never {
		return err == nil, err
	}
	if was, err := v.a.Success(v.ctx); err != nil || was.Chance != verify.Never {
		return false, err
	}
	before := v.failing(v.a)
	for i := range v.failing(b) {
		if !before[i] {
			return false, nil
		}
	}
	return true, nil
}

// failing are the resources that fail when an agent applies the graph to a fresh machine: it passes over what depends
// on them, and goes on.
func (v *verifier) failing(a *verify.Analysis) map[int]bool {
	out := map[int]bool{}
	s := a.Space.Begin(v.m.Graph.Fresh)
	for _, i := range a.Order() {
		passed := false
		for j := range out {
			passed = passed || a.Precedes(j, i)
		}
		if passed {
			continue
		}
		if next, _, ok := fs.Run(v.m.Graph.Resources[i].Program, s); ok {
			s = next
		} else {
			out[i] = true
		}
	}
	return out
}

// example finds a counter-example for one edge of a repair: one that swaps the two, or one that the other edges do not
// settle. There is none if the others are enough.
func (v *verifier) example(e verify.Edge, edges []verify.Edge) (*verify.Counterexample, *verify.Analysis, error) {
	if c := v.a.Show(v.ctx, e.From, e.To); c != nil {
		return c, v.a, nil
	}
	b, err := v.a.With(slices.DeleteFunc(slices.Clone(edges), func(x verify.Edge) bool { return x == e })...)
	if err != nil {
		return nil, nil, err
	}
	d, err := b.Determinism(v.ctx)
	if err != nil {
		return nil, nil, err
	}
	return d.Example, b, nil
}

// manyMends orders all pairs that can be shown to matter at once, and looks again at what is left.
func (v *verifier) manyMends(d *verify.Determinism) (out []mend, enough bool, err error) {
	ctx, within := v.ctx, v.opt.Allow(v.opt.Question)
	b := v.a
	var edges []verify.Edge
	for d.Verdict == verify.No && within() {
		examples := b.Conflicts(ctx, 10*maxFindings, within)
		if len(examples) == 0 {
			examples = []*verify.Counterexample{d.Example}
		}
		var more []mend
		for _, c := range examples {
			if x, y := v.pair(b, c); x >= 0 {
				more = append(more, mend{verify.Edge{From: x, To: y}, c, b})
			}
		}
		next, taken, err := v.add(ctx, b, edges, more)
		if err != nil || len(taken) == 0 {
			return out, false, err
		}
		out = append(out, taken...)
		for _, m := range taken {
			edges = append(edges, m.edge)
		}
		b = next
		if d, err = b.Determinism(ctx); err != nil {
			return nil, false, err
		}
	}
	return out, d.Verdict != verify.No, nil
}

// add takes the new edges together if they are those of an order that works on a fresh machine, as catalog order mostly
// is; else the first that does, in either direction.
func (v *verifier) add(ctx context.Context, b *verify.Analysis, have []verify.Edge, more []mend) (*verify.Analysis,
	[]mend, error) {
	var edges []verify.Edge
	for _, m := range more {
		edges = append(edges, m.edge)
	}
	needed := b.Needed(edges)
	if next, err := b.With(needed...); err == nil {
		fine, err := v.works(next)
		if err != nil {
			return nil, nil, err
		}
		if fine && !v.misses(next) {
			var taken []mend
			for _, m := range more {
				if k := slices.Index(needed, m.edge); k >= 0 {
					needed = slices.Delete(needed, k, k+1)
					taken = append(taken, m)
				}
			}
			return next, taken, nil
		}
	}
	if fine, err := v.works(b); err != nil || !fine {
		return nil, nil, err // what works in no order works in none of fewer
	}
	for _, m := range more {
		for _, e := range [2]verify.Edge{m.edge, {From: m.edge.To, To: m.edge.From}} {
			next, err := b.With(e)
			if err != nil {
				continue // a cycle
			}
			fine, err := v.works(next)
			if err != nil {
				return nil, nil, err
			}
			if fine && !v.misses(next) {
				return next, []mend{{e, m.example, m.in}}, nil
			}
		}
	}
	return nil, nil, nil
}

// edits makes the findings: one for all pairs that the same words declare. All that the edits of these words do is
// tried once more.
func (v *verifier) edits(mends []mend, grade string, enough bool) (out []Finding, err error) {
	seen := map[string]int{} // findings by the words of both resources and of the fix
	var all []verify.Edge
	for _, m := range mends {
		all = append(all, m.edge)
	}
	for _, m := range mends {
		fix, edges := v.words(m.edge.From, m.edge.To)
		for _, e := range edges {
			if !slices.Contains(v.fixes, e) {
				v.fixes = append(v.fixes, e)
			}
		}
		key := declaration(fix.Target) + " " + declaration(fix.Resource) + " " + fix.Value
		if k, ok := seen[key]; ok {
			out[k].More++
			continue
		}
		if len(out) == maxFindings {
			v.r.Partial = true
			continue
		}
		if m.example == nil {
			if m.example, m.in, err = v.example(m.edge, all); err != nil {
				return nil, err
			}
			if m.example == nil {
				continue
			}
		}
		seen[key] = len(out)
		f := v.order(m.in, m.example, grade)
		fix.Attr, fix.Verified = "require", enough && !v.refuted(m)
		f.Fix = fix
		out = append(out, f)
	}
	v.wider = len(v.fixes) > len(mends)
	if !enough {
		v.fixes = nil
	}
	return out, nil
}

// refuted reports whether an edge asks for the very order of which the example shows that it fails, while the other one
// works.
func (v *verifier) refuted(m mend) bool {
	working := m.example.A
	switch {
	case (m.example.FailA >= 0) == (m.example.FailB >= 0):
		return false
	case m.example.FailA >= 0:
		working = m.example.B
	}
	return slices.Index(working, m.edge.From) > slices.Index(working, m.edge.To)
}

// words is how the declaration of one resource names another, and the edges of all the resources that the words
// declare, from what is named to where it is named.
func (v *verifier) words(of, in int) (*Fix, []verify.Edge) {
	fix := &Fix{Resource: v.m.Resources[in], Target: v.m.Resources[of], Value: reference(v.m.Resources[of])}
	if v.m.from.opt.Words != nil {
		if words, single := v.m.from.opt.Words(fix.Target, fix.Resource); words != "" {
			worded := &Fix{Resource: fix.Resource, Target: fix.Target, Value: words, worded: true, single: single}
			var ok bool
			if worded.pairs, ok = worded.couples(v.m.Catalog.Catalog); ok &&
				slices.Contains(worded.pairs, couple{fix.Target, fix.Resource}) {
				return worded, v.edges(worded.pairs)
			}
		}
	}
	fix.pairs, _ = fix.couples(v.m.Catalog.Catalog)
	return fix, v.edges(fix.pairs)
}

func (v *verifier) edges(pairs []couple) (out []verify.Edge) {
	for _, p := range pairs {
		out = append(out, verify.Edge{From: v.index(p.of), To: v.index(p.in)})
	}
	return out
}

// index is the number of a resource in the graph.
func (v *verifier) index(r *catalog.Resource) int {
	if v.numbers == nil {
		v.numbers = map[*catalog.Resource]int{}
		for i, r := range v.m.Resources {
			v.numbers[r] = i
		}
	}
	return v.numbers[r]
}

// widen tries the edits once more if their words make more edges than were tried.
func (v *verifier) widen() error {
	if len(v.fixes) == 0 || !v.wider {
		return nil
	}
	fine, err := v.noWorse(v.fixes)
	if err != nil || fine {
		return err
	}
	v.fixes = nil
	for _, f := range v.r.Findings {
		if f.Code == "V101" && f.Fix != nil {
			f.Fix.Verified = false
		}
	}
	return nil
}
