package fleet

import (
	"slices"
	"strings"

	"bunraku/diff"
	"bunraku/puppet/exported"
	"bunraku/puppet/trace"
)

// A hunk may change a node that asks nothing of it: another node reads it, exports something else, and this one
// collects that. So the states between the old and the new one differ in what nodes are told of each other as well. The
// nodes whose exports are not the same on both sides are compiled in each state that is tried, unless their traces hold
// there, and whoever is compiled in it is told what they export then. One round is enough for all but sites in which
// what is collected is exported again; there a cause may stay unknown, and is never wrong: it is confirmed like any
// other.

// mostMovers is how many nodes may export something else, so that causes are looked for across nodes.
const mostMovers = 300

// A far is what other nodes export, as far as it changes.
type far struct {
	old    *exported.Set
	movers []*mover
	many   bool // more than are looked at: there are no movers then
}

// A mover is a node whose exports are not the same on both sides.
type mover struct {
	Node
	trace *trace.Trace // of its compile on the old side; nil if that cannot be repeated
}

// findFar finds the nodes whose exports are not the same on both sides; nil if there are none.
func (s *search) findFar() *far {
	old, isOld := s.OldExports.(*exported.Set)
	new, isNew := s.NewExports.(*exported.Set)
	if !isOld || !isNew || old.Digest() == new.Digest() {
		return nil
	}
	before, after := old.ByNode(), new.ByNode()
	f := &far{old: old}
	for _, n := range s.exporters {
		if n.Home != "" { // it does not change with this tree
			continue
		}
		name := n.certname()
		if exported.Digest(before[name]) == exported.Digest(after[name]) {
			continue
		}
		if len(f.movers) == mostMovers {
			return &far{old: old, many: true}
		}
		m := &mover{Node: n.Importing(old)}
		was, err := s.compile(s.ctx, s.base, m.Node.Node)
		if err != nil {
			s.fail(err)
			return nil
		}
		if was.Questions != nil {
			m.trace = was.Questions()
		}
		f.movers = append(f.movers, m)
	}
	return f
}

// told is what a node of a state is told that others export.
func (s *search) told(st *state) exported.Importer {
	if s.far == nil || s.far.many {
		return s.OldExports
	}
	st.farOnce.Do(func() {
		other := map[string][]*exported.Resource{}
		before := s.far.old.ByNode()
		for _, n := range s.far.movers {
			if n.trace != nil {
				holds, _, err := st.snapshot.Holds(s.ctx, n.trace, n.Node.Node)
				if err != nil {
					s.fail(err)
				}
				if holds || err != nil {
					continue
				}
			}
			is, err := s.compile(s.ctx, st.snapshot, n.Node.Node)
			if err != nil {
				s.fail(err)
				continue
			}
			s.Watch(is)
			if is.Failure != nil { // it goes on exporting what it did
				continue
			}
			if name := n.certname(); exported.Digest(is.Exports) != exported.Digest(before[name]) {
				other[name] = is.Exports
				st.through = append(st.through, moved{n.Title(), exported.NewSet(before[name]), exported.NewSet(is.Exports)})
			}
		}
		slices.SortFunc(st.through, func(a, b moved) int { return strings.Compare(a.node, b.node) })
		if st.exports = s.OldExports; len(other) > 0 {
			st.exports = s.far.old.With(other)
		}
	})
	return st.exports
}

// through says which nodes a change comes through: those that export something else with the hunks of its cause, if it
// is not there as long as they do not.
func (s *search) through(w *witness, q *question, c *diff.Cause) *diff.Cause {
	if s.far == nil || c == nil || len(c.Hunks) == 0 || len(w.was.Asked) == 0 || s.ctx.Err() != nil {
		return c
	}
	hunks := c.Hunks
	if c.Either {
		hunks = hunks[:1]
	}
	st := s.state(s.name(hunks), hunks)
	if st.err != nil || len(st.through) == 0 {
		return c
	}
	n := s.nodes[w.node].Node // which is told what there was
	is, err := s.compile(s.ctx, st.snapshot, n)
	if err != nil {
		s.fail(err)
		return c
	}
	s.Watch(is)
	if s.outcome(w, is, st.snapshot, st.contents, n).keys[q.key] {
		return c
	}
	host := s.nodes[w.node].certname()
	for _, m := range st.through {
		if slices.ContainsFunc(w.was.Asked, func(q *exported.Query) bool {
			return digestFor(m.before, host, q) != digestFor(m.after, host, q)
		}) {
			c.Through = append(c.Through, m.node)
		}
	}
	return c
}

// A moved is a node that exports something else in a state.
type moved struct {
	node          string
	before, after *exported.Set
}
