package smartfrog

import "bunraku/source"

// Provenance. Every slot of a store points at an origin: which assignment wrote it and, when it is a copy, of what.
// Origins are written once and shared, like the values they belong to, so that recording them costs a few words for
// each write.
//
// The questions are answered from this graph by explain.go: where a value was written down, which copies brought it
// where it is, and which assignments decide it.

// An act is the evaluation of one assignment. An included file's assignments act once for each time it is included.
type act struct {
	stmt *Assignment
	site *site
	up   *act // the assignment in whose body this one stands, or nil
}

func (a *act) place() source.Place { return source.Place{File: a.site.spec.File, Span: a.stmt.span} }

// head is the place of the assignment's target: the part of it that people point at.
func (a *act) head() source.Place {
	if a.stmt.Target == nil {
		return a.place()
	}
	return source.Place{File: a.site.spec.File, Span: a.stmt.Target.span}
}

// A site is one inclusion of a file, or the main file.
type site struct {
	spec *Spec
	via  *Include // nil for the main file
	up   *site    // where via stands
}

func (s *site) place(span source.Span) source.Place {
	return source.Place{File: s.spec.File, Span: span}
}

// An origin is why a slot holds what it holds.
type origin struct {
	act    *act
	time   int     // when it was written, counted in assignments and prototypes
	copy   *copied // nil when the assignment's own literal or component was written
	source *origin // of the slot that was copied
	hides  *origin // of what stood in the slot before
	// carrier is, under --extended, the origin of the link itself: links are inherited unresolved.
	carrier *origin
}

// oldest is the origin of what the slot held first, which gave it its position.
func (o *origin) oldest() *origin {
	for o.hides != nil {
		o = o.hides
	}
	return o
}

// written is when the slot was written to; a link that was resolved since was written earlier than its value.
func (o *origin) written() int {
	if o.carrier != nil {
		return o.carrier.time
	}
	return o.time
}

// root is the origin of the slot in which the value was written down, however often it was copied since.
func (o *origin) root() *origin {
	for o.source != nil {
		o = o.source
	}
	return o
}

// A copied is one resolution of a reference: of a link, whose value was copied, or of a prototype, whose attributes
// were.
type copied struct {
	act   *act
	site  *site
	ref   *Ref // the reference, where it is written
	proto bool // a prototype, not a link
	time  int
	from  *scope // the namespace in which the search started
	in    *scope // the namespace in which the reference was found
	steps []step // from there to what it names
	// named is the absolute reference of what was found, under --extended, where it need not be in followed by ref.
	named Reference
	// passed are the places between from and in that have the first name of the reference, but not all of it.
	passed []step
	// absent are the prototypes of the prototype itself: had one of them another name, this one would have it too.
	absent *composition
}

// path is the absolute reference of what was copied.
func (c *copied) path() Reference {
	if c.named != nil {
		return c.named
	}
	return c.in.path().Join(c.ref.Path...)
}

// A step is one name on the way to what a reference names: the origin of its slot, and the prototypes of the store that
// the slot is in, each of which, had it had the name, would have overwritten the slot. Where a search ended in vain,
// origin is nil.
type step struct {
	origin   *origin
	composed *composition
}

// A composition is the list of the prototypes that were copied into a store, the latest first.
type composition struct {
	copied *copied
	prev   *composition
}

// walk records the way from a store along a path, as far as it leads.
func walk(s *Store, r Reference) []step {
	steps := make([]step, 0, len(r))
	var v Value = s
	for _, name := range r {
		sub, ok := v.(*Store)
		if !ok {
			return steps
		}
		i := sub.position(name)
		if i < 0 {
			return append(steps, step{nil, sub.composed})
		}
		steps = append(steps, step{sub.slots[i].origin, sub.composed})
		v = sub.slots[i].value
	}
	return steps
}
