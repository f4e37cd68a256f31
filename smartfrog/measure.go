package smartfrog

import (
	"fmt"

	"bunraku/source"
)

// An extent is the size of a store when everything shared is written out.
type extent struct {
	size  int // attributes, at most sizeCap
	depth int // levels of components
}

// sizeCap keeps sizes, which may grow exponentially, from overflowing.
const sizeCap = 1 << 40

// measure sets the extent of a store and of all stores below it, each once. It does not recurse: nobody has bounded the
// depth yet.
func (e *evaluator) measure(s *Store) extent {
	e.measures++
	type frame struct {
		s    *Store
		next int
		sum  extent
		up   *frame
	}
	top := &frame{s: s}
	for {
		if top.next == len(top.s.slots) {
			top.s.extent = extent{min(top.sum.size+len(top.s.slots), sizeCap), top.sum.depth + 1}
			top.s.measured = e.measures
			if top = top.up; top == nil {
				return s.extent
			}
			continue
		}
		sub, ok := top.s.slots[top.next].value.(*Store)
		if ok && sub.measured != e.measures {
			top = &frame{s: sub, up: top}
			continue
		}
		if ok {
			top.sum.size = min(top.sum.size+sub.extent.size, sizeCap)
			top.sum.depth = max(top.sum.depth, sub.extent.depth)
		}
		top.next++
	}
}

// withinDepth reports when the whole tree, to which the links of the result may lead, is too deep to be walked by
// recursion. Placements can nest components deeper than any block.
func (e *evaluator) withinDepth(root *Store) bool {
	if e.measure(root).depth <= maxNesting {
		return true
	}
	e.report(&source.Diagnostic{
		Code: codeSize, Summary: fmt.Sprintf("limit: components are nested beyond %d levels", maxNesting),
		Place: source.Place{File: e.site.spec.File},
	})
	return false
}

// withinSize reports when the result would be too large to write out, and names the largest attribute of the smallest
// component that is too large: there the size comes together.
func (e *evaluator) withinSize(root *Store, limit int) bool {
	pos := root.position("sfConfig")
	config := root.slots[pos].value.(*Store)
	if !e.copied && e.work <= limit && e.deepest <= maxNesting {
		return true // every attribute was written by an assignment of its own
	}
	m := e.measure(config)
	if m.size <= limit && m.depth <= maxNesting {
		return true
	}
	in, at, path := root, pos, Reference{"sfConfig"}
	for {
		s := in.slots[at].value.(*Store)
		worst, size := -1, limit
		for i := range s.slots {
			if sub, ok := s.slots[i].value.(*Store); ok && sub.extent.size > size {
				worst, size = i, sub.extent.size
			}
		}
		if worst < 0 {
			break
		}
		in, at = s, worst
		path = path.Join(s.slots[worst].name)
	}
	count := fmt.Sprint(m.size)
	if m.size == sizeCap {
		count = fmt.Sprintf("more than %d", sizeCap)
	}
	d := &source.Diagnostic{
		Code: codeSize, Summary: fmt.Sprintf("limit: the result would have %s attributes; %d are the most we write", count,
			limit),
		Place: in.slots[at].origin.act.head(), Label: fmt.Sprintf("`%s` alone is over the limit", path),
		Help: "look for components that are copied into each other again and again",
	}
	if m.size <= limit {
		d.Summary = fmt.Sprintf("limit: the result is nested beyond %d levels", maxNesting)
		d.Label = ""
	}
	e.report(d)
	return false
}
