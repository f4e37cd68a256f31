package smartfrog

import "slices"

// How references are looked up under the extended semantics: with keywords, and through links that are not resolved
// yet.

// A pending is a link that the second pass has yet to resolve.
type pending struct{ ref *Ref }

func (*pending) value() {}

// A target is what a reference names: a slot of a component, or with a negative position the component itself.
type target struct {
	in  *scope
	pos int
}

func (t target) value() Value {
	if t.pos < 0 {
		return t.in.store
	}
	return t.in.store.slots[t.pos].value
}

func (t target) origin() *origin {
	switch {
	case t.pos >= 0:
		return t.in.store.slots[t.pos].origin
	case t.in.up != nil:
		return t.in.up.store.slots[t.in.pos].origin
	}
	return nil // the root was written by nobody
}

// path is the absolute reference of the target.
func (t target) path() Reference {
	if t.pos < 0 {
		return t.in.path()
	}
	return t.in.path().Join(t.in.store.slots[t.pos].name)
}

// A hop is a link being followed, and what looking it up has shown.
type hop struct {
	target
	copied *copied
}

// A slotKey is a slot of the store, as a key.
type slotKey struct {
	store *Store
	pos   int
}

// chase is the state of following links.
type chase struct {
	trail    []hop // the links being followed, the first one first
	on       map[slotKey]int
	reported map[*Ref]bool
	pending  map[*Store]bool // whether shared stores have unresolved links; see child
	second   bool            // in the second pass
	depth    int             // components being completed
}

func newChase(second bool) chase {
	return chase{on: map[slotKey]int{}, reported: map[*Ref]bool{}, pending: map[*Store]bool{}, second: second}
}

func (c *chase) push(t target) {
	c.on[slotKey{t.in.store, t.pos}] = len(c.trail)
	c.trail = append(c.trail, hop{target: t})
}

// cut takes the links from a position on off the trail, and returns them.
func (c *chase) cut(from int) []hop {
	hops := append([]hop(nil), c.trail[from:]...)
	for _, h := range hops {
		delete(c.on, slotKey{h.in.store, h.pos})
	}
	c.trail = c.trail[:from]
	return hops
}

// A lookup is the outcome of looking up a reference under the extended semantics.
type lookup struct {
	target target
	found  bool
	spoilt bool  // an error that was reported is to blame
	circle []hop // the links that lead back to the first of them
	copied *copied
}

// failed reports whether the search must end without a result.
func (l *lookup) failed() bool { return l.spoilt || l.circle != nil }

// search looks a reference up from a component. It is Definition 16 with keywords, and through links.
func (e *evaluator) search(from *scope, ref *Ref, in *site, by *act) lookup {
	l := lookup{copied: &copied{act: by, site: in, ref: ref, time: e.time, from: from}}
	for sc := from; sc != nil; sc = sc.up {
		steps := l.copied.steps
		if e.descend(sc, ref.Path, &l) {
			l.copied.in = sc
			l.copied.named = l.target.path()
			return l
		}
		if l.failed() || isKeyword(ref.Path[0]) {
			break
		}
		l.copied.passed = append(l.copied.passed, l.copied.steps[len(steps):]...)
		l.copied.steps = steps
	}
	if e.errors > 0 && anyPartial(from) {
		l.spoilt = true
	}
	return l
}

// descend follows a reference from one component, and sets the target of l when it leads somewhere.
func (e *evaluator) descend(sc *scope, r Reference, l *lookup) bool {
	note := func(o *origin, c *composition) { l.copied.steps = append(l.copied.steps, step{o, c}) }
	for i, name := range r {
		switch name {
		case "THIS":
			continue
		case "ROOT":
			for sc.up != nil {
				sc = sc.up
			}
			continue
		case "PARENT":
			if sc.up == nil {
				return false
			}
			sc = sc.up
			continue
		}
		pos := sc.store.position(name)
		if pos < 0 {
			note(nil, sc.store.composed)
			return false
		}
		t := target{sc, pos}
		note(t.origin(), sc.store.composed)
		if i == len(r)-1 {
			l.target, l.found = t, true
			return true
		}
		if sc = e.into(t, l); sc == nil {
			return false
		}
	}
	l.target, l.found = target{sc, -1}, true
	return true
}

// into returns the component in a slot, if need be through links; nil when it is none. A link is not looked for in
// itself.
func (e *evaluator) into(t target, l *lookup) *scope {
	switch t.value().(type) {
	case *Store:
		return e.child(t)
	case poison:
		l.spoilt = true
	case *pending:
		if i, ok := e.chase.on[slotKey{t.in.store, t.pos}]; ok {
			if i < len(e.chase.trail)-1 {
				l.circle = slices.Clone(e.chase.trail[i:])
			}
			return nil
		}
		mark := len(e.chase.trail)
		inner := e.follow(t)
		for _, h := range e.chase.cut(mark) {
			l.copied.steps = append(l.copied.steps, h.copied.steps...)
			l.copied.passed = append(l.copied.passed, h.copied.passed...)
		}
		l.spoilt, l.circle = inner.spoilt, inner.circle
		if !inner.found {
			return nil
		}
		if inner.target.pos < 0 {
			return inner.target.in
		}
		if _, ok := inner.target.value().(*Store); ok {
			return e.child(inner.target)
		}
	}
	return nil
}

// child returns the scope of the component in a slot. In the second pass a store that other places share, and that has
// links to resolve, is cloned: in each place they may find something else.
func (e *evaluator) child(t target) *scope {
	s := t.in.store.slots[t.pos].value.(*Store)
	if e.chase.second && s.shared && e.hasPending(s) {
		s = t.in.store.own(t.pos)
		e.spend(len(s.slots))
	}
	return &scope{up: t.in, name: t.in.store.slots[t.pos].name, depth: t.in.depth + 1, store: s, pos: t.pos}
}

// hasPending reports whether a shared store, which never changes, has links in it.
func (e *evaluator) hasPending(s *Store) bool {
	if known, ok := e.chase.pending[s]; ok {
		return known
	}
	has := false
	for i := range s.slots {
		switch v := s.slots[i].value.(type) {
		case *pending:
			has = true
		case *Store:
			has = has || e.hasPending(v)
		}
	}
	e.chase.pending[s] = has
	return has
}

// follow goes from a link to the link that it names, and so on up to something else. The links stay on the trail.
func (e *evaluator) follow(t target) lookup {
	for {
		e.chase.push(t)
		by := t.origin().root().act
		l := e.search(t.in, t.value().(*pending).ref, by.site, by)
		e.chase.trail[len(e.chase.trail)-1].copied = l.copied
		if !l.found || l.failed() {
			return l
		}
		if _, ok := l.target.value().(*pending); !ok {
			return l
		}
		t = l.target
		if i, ok := e.chase.on[slotKey{t.in.store, t.pos}]; ok {
			l.circle, l.found = slices.Clone(e.chase.trail[i:]), false
			return l
		}
	}
}
