package eval

import "bunraku/provenance"

// Answers about ghosts (what might code that did not run have done?) hang on everything that the compile has met so
// far, and are asked for again and again: for every attribute of every resource. So they are remembered, and the
// question is when an answer still holds. There is one rule for that: an answer is kept together with the epoch at
// which it was worked out, and holds as long as the epoch is the same.
//
// An epoch is how far the compile has come in each of the things that an answer looks at. All of them only grow, so
// comparing counts suffices. Each question has its own view of them (touchEpoch, tagEpoch …), which names exactly what
// the answer looks at: a part that is left out of a view, but looked at, would be a stale answer, and so provenance
// that is wrong; one that is too many costs time. The theorems' tests are what holds this.
type epoch struct {
	passed    int32 // branches that were passed over
	collected int32 // collectors that ever were
	likes     int32 // classes declared with parameters
	classes   int32 // classes that are known, loaded or not
	scopes    int32 // classes that were evaluated
	writes    int32 // arrows and overrides
	edges     int32 // containments
	tagged    int32 // calls of the function tag
	effects   int32 // pieces of code whose effects are known in the environment
	named     provenance.Ref
	own       provenance.Ref // of what the answer is about
	phase     phase
}

// touchEpoch is what the answers of touchesOf look at.
func (ev *Evaluator) touchEpoch() epoch {
	g := &ev.ghosts
	return epoch{
		passed: int32(len(g.passed)), collected: int32(len(ev.table.everCollected)), likes: int32(len(g.likes)),
		classes: int32(ev.classCount()), scopes: int32(len(ev.table.scopes)), writes: int32(g.writes), named: g.named,
	}
}

// untouchedEpoch is what the answers of untouched look at: any code whose effects are known counts, passed over or not.
func (ev *Evaluator) untouchedEpoch() epoch {
	return epoch{
		effects: int32(ev.cache.count()), collected: int32(len(ev.table.everCollected)), writes: int32(ev.ghosts.writes),
		classes: int32(ev.classCount()), scopes: int32(len(ev.table.scopes)),
	}
}

// tagEpoch is what the answers of tagsRef about a resource look at.
func (ev *Evaluator) tagEpoch(r *Resource) epoch {
	return epoch{
		passed: int32(len(ev.ghosts.passed)), collected: int32(len(ev.table.everCollected)),
		edges:  int32(len(ev.table.edges)),
		tagged: int32(ev.table.tagged), phase: ev.phase, own: r.existence,
	}
}

// idleEpoch is what idleTouches looks at.
func (ev *Evaluator) idleEpoch() epoch { return epoch{classes: int32(ev.classCount())} }

// passedEpoch is for answers about branches that were passed over alone.
func (ev *Evaluator) passedEpoch() epoch { return epoch{passed: int32(len(ev.ghosts.passed))} }

// A memo is an answer and the epoch that it belongs to.
type memo[T any] struct {
	answer T
	at     epoch
	known  bool
}

// holds reports whether the answer is known and belongs to an epoch.
func (m *memo[T]) holds(now epoch) bool { return m.known && m.at == now }

// keep remembers an answer and gives it back.
func (m *memo[T]) keep(now epoch, answer T) T {
	m.answer, m.at, m.known = answer, now, true
	return answer
}

// A reader of branches passed over goes on from where it stopped: what it said of the earlier ones stands.
type passedReader int

// each visits the branches that were passed over since it was last asked.
func (r *passedReader) each(ev *Evaluator, visit func(*passedBranch)) {
	for ; int(*r) < len(ev.ghosts.passed); *r++ {
		visit(&ev.ghosts.passed[*r])
	}
}
