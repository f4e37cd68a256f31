package fleet

import (
	"fmt"
	"slices"

	"bunraku/diff"
	"bunraku/source"
)

// A cause is found on one of the nodes that have a change. The others may have it from other hunks: where two of them
// are enough each, one may be overridden in the data of a role. So the others are asked, too, as many as there is time
// for, whether the hunks that are said to be the cause do it there; those that have it from others are told apart.

// everywhere asks the nodes that share the causes found on witnesses, and gives all that were looked at.
func (s *search) everywhere(r *diff.Report, witnesses []*witness, units [][]*diff.Hunk) []*witness {
	if len(s.patch.Hunks) < 2 || s.ctx.Err() != nil {
		return witnesses // there is nothing else that it could be
	}
	at := map[int]*witness{}
	for _, w := range witnesses {
		if w != nil {
			at[w.node] = w
		}
	}
	var more []int
	passed := 0
	ask := func(nodes []int, c *diff.Cause) {
		if c == nil || len(c.Hunks) == 0 {
			return
		}
		for _, n := range nodes {
			if _, known := at[n]; known {
				continue
			}
			if len(at) >= mostLooked {
				passed++
				continue
			}
			at[n] = nil
			more = append(more, n)
		}
	}
	for _, it := range r.All() {
		ask(it.Nodes, it.Cause)
	}
	for _, f := range r.Failures {
		ask(f.Nodes, f.Cause)
	}
	if passed > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Causes were confirmed on %d of the nodes that change.", len(at)))
	}
	found := make([]*witness, len(more))
	source.Each(s.ctx, len(more), func(i int) {
		if w := s.witness(more[i]); w != nil {
			found[i] = w
			for _, it := range r.Nodes[w.node].Changes { // on all processors; what follows finds it done
				s.makes(w, questionOf(it), it.Cause)
			}
		}
	})
	for _, w := range found {
		if w != nil {
			at[w.node] = w
		}
	}
	for _, it := range r.All() {
		for _, p := range s.apart(it.Nodes, at, questionOf(it), it.Cause, units) {
			r.Split(it, p.nodes).Cause = p.cause
		}
	}
	for _, f := range slices.Clone(r.Failures) {
		q := &question{key: mendedKey, slot: failureSlot}
		if f.State != diff.Mended && f.State != diff.Comes {
			q.key = failureKey(f.Diagnostic)
		}
		for _, p := range s.apart(f.Nodes, at, q, f.Cause, units) {
			r.SplitFailure(f, p.nodes).Cause = p.cause
		}
	}
	return append(slices.Clone(witnesses), found...)
}

func questionOf(it *diff.Item) *question {
	return &question{key: it.Key(), slot: it.Slot(), unknown: it.Kind == diff.NotKnown}
}

// makes reports whether a cause is one on a node. It is one where nothing is known of it.
func (s *search) makes(w *witness, q *question, c *diff.Cause) bool {
	if w == nil || c == nil || len(c.Hunks) == 0 || s.ctx.Err() != nil {
		return true
	}
	if !c.Either {
		return s.try(w, c.Hunks).has(q)
	}
	for _, h := range c.Hunks {
		if !s.try(w, []*diff.Hunk{h}).has(q) {
			return false
		}
	}
	return true
}

// A part is some of the nodes that have a change, which have it for a reason of their own.
type part struct {
	nodes []int
	cause *diff.Cause
}

// apart finds the nodes on which a cause is none, with what it is there.
func (s *search) apart(nodes []int, at map[int]*witness, q *question, c *diff.Cause, units [][]*diff.Hunk) (
	out []*part) {
	for _, n := range nodes {
		w := at[n]
		if s.makes(w, q, c) {
			continue
		}
		i := slices.IndexFunc(out, func(p *part) bool { return p.cause != nil && s.makes(w, q, p.cause) })
		if i < 0 {
			i = len(out)
			out = append(out, &part{cause: s.through(w, q, s.cause(w, q, units))})
		}
		out[i].nodes = append(out[i].nodes, n)
	}
	return out
}
