package model

import (
	"context"
	"slices"
	"time"

	"bunraku/catalog"
	"bunraku/verify"
)

// This file finds what order is missing and how to say it. An edit is made to words, and the same words may declare many resources: in a
// loop, in a define. So the edges that are verified are those that the edited words would make.

// smallestTime bounds the search for the fewest edges, repairTime the one for some; maxSmallest is the number of conflicts up to which the
// fewest are looked for.
const (
	smallestTime = time.Second
	repairTime   = 5 * time.Second
	maxSmallest  = 8
)

// A mend is an edge that settles a counter-example.
type mend struct {
	edge    verify.Edge
	example *verify.Counterexample
	in      *verify.Analysis // what the example is one of
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
	s, err := v.a.Severity(v.ctx)
	if err != nil {
		return err
	}
	grade := "safe only by catalog order"
	switch s.Broken {
	case verify.Yes:
		grade = "broken even in catalog order"
	case verify.Unknown:
		grade = "whether catalog order is enough is not known"
	}
	mends, enough, err := v.mends(d)
	if err != nil {
		return err
	}
	if len(mends) == 0 {
		v.r.Findings, v.r.Partial = append(v.r.Findings, v.order(v.a, d.Example, grade)), true
		return nil
	}
	v.r.Partial = !enough
	return v.edits(mends, grade, enough)
}

// mends looks for edges that make the graph deterministic: the fewest, or, if that takes long, one per pair that shows up. It reports
// whether they are enough.
func (v *verifier) mends(d *verify.Determinism) ([]mend, bool, error) {
	if len(v.a.Conflicts(v.ctx, maxSmallest+1)) <= maxSmallest {
		ctx, cancel := context.WithTimeout(v.ctx, smallestTime)
		r, err := v.a.Repair(ctx)
		cancel()
		if err == nil && r.Found {
			out, err := v.shown(r.Edges)
			return out, true, err
		}
	}
	return v.manyMends(d)
}

// shown finds a counter-example for each edge of a repair: one that the others do not settle.
func (v *verifier) shown(edges []verify.Edge) (out []mend, err error) {
	for i, e := range edges {
		b, err := v.a.With(slices.Delete(slices.Clone(edges), i, i+1)...)
		if err != nil {
			return nil, err
		}
		d, err := b.Determinism(v.ctx)
		if err != nil {
			return nil, err
		}
		if d.Example != nil { // else the other edges are enough
			out = append(out, mend{e, d.Example, b})
		}
	}
	return out, nil
}

// manyMends orders all pairs that can be shown to matter at once, and looks again at what is left.
func (v *verifier) manyMends(d *verify.Determinism) (out []mend, enough bool, err error) {
	ctx, cancel := context.WithTimeout(v.ctx, repairTime)
	defer cancel()
	b := v.a
	var edges []verify.Edge
	for d.Verdict == verify.No && ctx.Err() == nil {
		examples := b.Conflicts(ctx, 10*maxFindings)
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

// add takes the new edges together if they are those of an order that works on a fresh machine, as catalog order mostly is; else the first
// that does, in either direction.
func (v *verifier) add(ctx context.Context, b *verify.Analysis, have []verify.Edge, more []mend) (*verify.Analysis, []mend, error) {
	var edges []verify.Edge
	for _, m := range more {
		edges = append(edges, m.edge)
	}
	needed := b.Needed(edges)
	if next, err := b.With(needed...); err == nil {
		s, err := next.Success(ctx)
		if err != nil {
			return nil, nil, err
		}
		if s.Chance != verify.Never {
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
	for _, m := range more {
		for _, e := range [2]verify.Edge{m.edge, {From: m.edge.To, To: m.edge.From}} {
			next, err := b.With(e)
			if err != nil {
				continue // a cycle
			}
			s, err := next.Success(ctx)
			if err != nil {
				return nil, nil, err
			}
			if s.Chance != verify.Never {
				return next, []mend{{e, m.example, m.in}}, nil
			}
		}
	}
	return nil, nil, nil
}

// edits makes the findings: one for all pairs that the same words declare. All that the edits of these words do is tried once more.
func (v *verifier) edits(mends []mend, grade string, enough bool) error {
	seen := map[string]int{} // findings by the words of both resources and of the fix
	from := len(v.r.Findings)
	for _, m := range mends {
		words, pairs := v.words(m.edge.From, m.edge.To)
		for _, p := range pairs {
			if e := (verify.Edge{From: p.of, To: p.in}); !slices.Contains(v.fixes, e) {
				v.fixes = append(v.fixes, e)
			}
		}
		to, target := v.m.Resources[m.edge.To], v.m.Resources[m.edge.From]
		key := declaration(target) + " " + declaration(to) + " " + words
		if k, ok := seen[key]; ok {
			v.r.Findings[k].More++
			continue
		}
		if len(v.r.Findings)-from == maxFindings {
			v.r.Partial = true
			continue
		}
		seen[key] = len(v.r.Findings)
		f := v.order(m.in, m.example, grade)
		f.Fix = &Fix{Resource: to, Attr: "require", Value: words, Target: target, Verified: enough}
		v.r.Findings = append(v.r.Findings, f)
	}
	v.wider = len(v.fixes) > len(mends)
	if !enough {
		v.fixes = nil
	}
	return nil
}

// A naming is a resource and one in whose declaration it is named.
type naming struct{ of, in int }

// words is how the declaration of one resource names another, and who is named in whom: the same words may declare more than these two.
func (v *verifier) words(of, in int) (string, []naming) {
	these := v.alike(in)
	if v.m.from.opt.Words != nil {
		if words, single := v.m.from.opt.Words(v.m.Resources[of], v.m.Resources[in]); words != "" {
			if pairs := v.couple(v.alike(of), these, single); slices.Contains(pairs, naming{of, in}) {
				return words, pairs
			}
		}
	}
	var pairs []naming
	for _, i := range these {
		if i != of {
			pairs = append(pairs, naming{of, i})
		}
	}
	return reference(v.m.Resources[of]), pairs
}

// couple pairs resources that are declared beside each other: those of one container, if each has but two, or else in turn, if every turn
// of a loop declares a single one of either.
func (v *verifier) couple(those, these []int, single bool) (out []naming) {
	if len(those) != len(these) {
		return nil
	}
	in := map[*catalog.Resource]int{}
	for _, i := range these {
		in[v.container(i)] = i
	}
	for _, i := range those {
		if j, ok := in[v.container(i)]; ok {
			out = append(out, naming{i, j})
			delete(in, v.container(i))
		}
	}
	if len(out) == len(these) {
		return out
	}
	out = nil
	for k := range these {
		if single {
			out = append(out, naming{those[k], these[k]})
		}
	}
	return out
}

// container is the class or define that a resource is declared in; nil if there is none.
func (v *verifier) container(i int) *catalog.Resource {
	if v.inside == nil {
		v.inside = map[*catalog.Resource]*catalog.Resource{}
		for _, e := range v.m.Catalog.Catalog.Edges {
			if v.inside[e.Target] == nil {
				v.inside[e.Target] = e.Source
			}
		}
	}
	return v.inside[v.m.Resources[i]]
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

// alike are the resources that are declared by the same words as one of them, itself included, in the order of their declaration.
func (v *verifier) alike(i int) []int {
	if v.declared == nil {
		v.declared = map[string][]int{}
		for k, r := range v.m.Resources {
			if r != nil {
				v.declared[declaration(r)] = append(v.declared[declaration(r)], k)
			}
		}
	}
	return v.declared[declaration(v.m.Resources[i])]
}
