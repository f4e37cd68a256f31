package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Repair is a smallest set of edges that makes a graph deterministic. It has been verified: the graph with these
// edges has no cycle, is deterministic, can succeed from a fresh machine if it could before, and is idempotent if it
// was.
//
// Erratum: without the test for success the smallest repair is often "file before package", as in the paper's own
// fixes.
type Repair struct {
	Found  bool
	Edges  []Edge
	Class  bool   // some edges stand together for an edge between classes
	Reason string // why none was found
	Tried  int    // sets of edges that were verified
}

// maxRepair is the largest number of edges that a repair may have.
const maxRepair = 4

// maxShared bounds the edges that are looked at because they may order several pairs at once.
const maxShared = 10000

// maxTried bounds the number of graphs that Repair verifies.
const maxTried = 200

// A proposal is one edge that a person could write: between resources, or between classes and then several edges.
type proposal struct {
	edges []Edge
	class bool
	rank  int // smaller is better
}

// Repair looks for the smallest repair. Counter-examples guide it: some edge of a repair must forbid one of their two
// orders, so the search branches over the proposals that do (a hitting set, by iterative deepening). It ends when there
// is no more to be spent on it.
func (a *Analysis) Repair(ctx context.Context, more func() bool) (*Repair, error) {
	r := &Repair{}
	d, err := a.Determinism(ctx)
	if err != nil {
		return nil, err
	}
	switch d.Verdict {
	case Yes:
		r.Found = true
		return r, nil
	case Unknown:
		r.Reason = "it is not known to be non-deterministic"
		return r, nil
	}
	success, err := a.Success(ctx)
	if err != nil {
		return nil, err
	}
	idempotent, err := a.Idempotence(ctx)
	if err != nil {
		return nil, err
	}
	s := &repairer{a: a, ctx: ctx, more: more, mustSucceed: success.Chance != Never, mustRepeat: idempotent.Verdict == Yes,
		examples: []*Counterexample{d.Example}, result: r}
	s.propose()
	for k := 1; k <= maxRepair && s.err == nil; k++ {
		if s.extend(nil, k) {
			return r, nil
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	r.Reason = "no set of at most four edges between interfering resources does it"
	if r.Tried >= maxTried || !more() {
		r.Reason = "too many sets of edges would have to be tried"
	}
	return r, nil
}

type repairer struct {
	a           *Analysis
	ctx         context.Context
	more        func() bool
	mustSucceed bool
	mustRepeat  bool
	proposals   []proposal
	examples    []*Counterexample
	hopeless    [][]int // sets of proposals with which no run succeeds, nor with more
	rejected    map[string]bool
	result      *Repair
	err         error
}

// propose lists the edges worth trying: between pairs that do not commute visibly, in both directions, between others
// when that orders several such pairs at once, and between classes. Ties are broken by catalog order's direction, then
// by package → file → service.
func (s *repairer) propose() {
	a := s.a
	s.rejected = map[string]bool{}
	classes := map[[2]string]bool{}
	plain := map[Edge]bool{}
	for _, uv := range a.candidates() {
		p := a.pair(uv[0], uv[1])
		if p.commute || a.opt.DeadWrites && a.invisible(p) {
			continue
		}
		plain[Edge{From: p.u, To: p.v}], plain[Edge{From: p.v, To: p.u}] = true, true
		for _, e := range [2]Edge{{From: p.u, To: p.v}, {From: p.v, To: p.u}} {
			s.proposals = append(s.proposals, proposal{edges: []Edge{e}, rank: s.rank(e)})
			from, to := a.Graph.Resources[e.From].Class, a.Graph.Resources[e.To].Class
			if from != "" && to != "" && from != to && !classes[[2]string{from, to}] {
				classes[[2]string{from, to}] = true
				if c := s.class(from, to); len(c) > 1 {
					s.proposals = append(s.proposals, proposal{edges: c, class: true, rank: s.rank(e) + 100})
				}
			}
		}
	}
	for _, e := range s.shared(plain) {
		plain[e] = true
		s.proposals = append(s.proposals, proposal{edges: []Edge{e}, rank: s.rank(e) + 50})
	}
	for _, e := range s.others(plain) {
		s.proposals = append(s.proposals, proposal{edges: []Edge{e}, rank: s.rank(e) + 200})
	}
	slices.SortStableFunc(s.proposals, func(x, y proposal) int { return x.rank - y.rank })
}

// shared lists edges that order two or more of the pairs at once, through dependencies that are there: x → y orders (u,
// v) if u is x or before it and v is y or after it. An edge that orders one pair is no better than one between the two.
func (s *repairer) shared(plain map[Edge]bool) []Edge {
	a := s.a
	byEnds := func(x, y Edge) int { return cmp.Or(x.From-y.From, x.To-y.To) }
	count := map[Edge]int{}
	for _, e := range slices.SortedFunc(maps.Keys(plain), byEnds) {
		for x := range a.n() {
			if x != e.From && !a.part.precedes(e.From, x) || a.Graph.Resources[x].Anchor {
				continue
			}
			for y := range a.n() {
				if (y == e.To || a.part.precedes(y, e.To)) && x != y && !a.part.comparable(x, y) && !a.Graph.Resources[y].Anchor {
					count[Edge{From: x, To: y}]++
				}
			}
		}
		if len(count) > maxShared {
			break
		}
	}
	var out []Edge
	for e, n := range count {
		if n > 1 && !plain[e] {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, byEnds)
	return out
}

// maxOthers bounds the edges between resources that commute. In small graphs they are looked at last, so that a repair
// is really a smallest one: keeping two apart that commute can keep a third one away from both.
const maxOthers = 60

// others lists the edges that nothing else has proposed, if there are few.
func (s *repairer) others(known map[Edge]bool) []Edge {
	a := s.a
	var out []Edge
	for x := range a.n() {
		for y := range a.n() {
			if x == y || known[Edge{From: x, To: y}] || a.part.comparable(x, y) || a.Graph.Resources[x].Anchor ||
				a.Graph.Resources[y].Anchor {
				continue
			}
			if out = append(out, Edge{From: x, To: y}); len(out) > maxOthers {
				return nil
			}
		}
	}
	return out
}

func (s *repairer) class(from, to string) []Edge {
	var out []Edge
	for i, x := range s.a.Graph.Resources {
		for j, y := range s.a.Graph.Resources {
			if x.Class == from && y.Class == to {
				out = append(out, Edge{From: i, To: j})
			}
		}
	}
	return out
}

func (s *repairer) rank(e Edge) int {
	r := 0
	if s.a.place(e.From) > s.a.place(e.To) {
		r += 4
	}
	kind := func(i int) int {
		name := s.a.Graph.Resources[i].Name
		return slices.IndexFunc([]string{"Package[", "File[", "Service["},
			func(p string) bool { return strings.HasPrefix(name, p) })
	}
	if x, y := kind(e.From), kind(e.To); x >= 0 && y >= 0 && x > y {
		r += 8
	}
	return r
}

// extend tries all sets of k more proposals, each of which forbids an order of the first example that is not yet dealt
// with.
func (s *repairer) extend(chosen []int, k int) bool {
	if s.err != nil || !s.more() || s.result.Tried >= maxTried {
		return false
	}
	for _, h := range s.hopeless {
		if subset(h, chosen) {
			return false
		}
	}
	open := slices.IndexFunc(s.examples, func(c *Counterexample) bool { return !s.settled(chosen, c) })
	if open < 0 {
		return len(chosen) > 0 && s.verify(chosen, k)
	}
	if k == 0 {
		return false
	}
	example := s.examples[open]
	for p := range s.proposals {
		if slices.Contains(chosen, p) || !s.forbids(p, example) {
			continue
		}
		next := append(slices.Clone(chosen), p)
		slices.Sort(next)
		if s.extend(next, k-1) {
			return true
		}
	}
	return false
}

func subset(x, y []int) bool {
	return !slices.ContainsFunc(x, func(i int) bool { return !slices.Contains(y, i) })
}

func (s *repairer) settled(chosen []int, c *Counterexample) bool {
	return slices.ContainsFunc(chosen, func(p int) bool { return s.forbids(p, c) })
}

// forbids reports whether a proposal excludes one of the example's orders.
func (s *repairer) forbids(p int, c *Counterexample) bool {
	for _, order := range [2][]int{c.A, c.B} {
		for _, e := range s.proposals[p].edges {
			if slices.Index(order, e.From) > slices.Index(order, e.To) {
				return true
			}
		}
	}
	return false
}

// verify decides the graph with the chosen edges. A new counter-example widens the search, within the same size.
func (s *repairer) verify(chosen []int, k int) bool {
	key := fmt.Sprint(chosen)
	if s.rejected[key] {
		return false
	}
	s.result.Tried++
	var edges []Edge
	class := false
	for _, p := range chosen {
		edges = append(edges, s.proposals[p].edges...)
		class = class || s.proposals[p].class
	}
	b, err := s.a.With(edges...)
	if err != nil { // a cycle
		s.rejected[key] = true
		return false
	}
	d, err := b.Determinism(s.ctx)
	if err != nil {
		s.err = err
		return false
	}
	if d.Verdict == No {
		s.examples = append(s.examples, d.Example)
		s.rejected[key] = true
		return s.extend(chosen, k)
	}
	s.rejected[key] = true
	if d.Verdict == Unknown {
		return false
	}
	if s.mustSucceed {
		x, err := b.Success(s.ctx)
		if err != nil {
			s.err = err
			return false
		}
		if x.Chance == Never {
			s.hopeless = append(s.hopeless, chosen)
			return false
		}
	}
	if s.mustRepeat {
		x, err := b.Idempotence(s.ctx)
		if err != nil {
			s.err = err
			return false
		}
		if x.Verdict != Yes {
			return false
		}
	}
	s.result.Found, s.result.Edges, s.result.Class = true, edges, class
	return true
}
