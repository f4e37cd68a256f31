package smartfrog

// dependencies collects the assignments that decide a value: the value stays what it is as long as only others are
// changed or removed. It reads the graph of origins backwards:
//
//   - a value depends on the assignment that wrote it, and on those in whose bodies that one stands;
//   - a copy depends on the assignment with the reference, on the way to what the reference names, and on that;
//   - a reference that was found in an outer namespace depends on the inner ones not having the name. The names that
//
// assignments
//
//	  write are fixed; those that prototypes bring are not, so it depends on the prototypes of the inner components;
//	- for the same reason a value depends on the prototypes that were composed after it was written, and did not
//
// overwrite it;
//   - a component depends on all this for all that is in it, on all its prototypes, and on what its attributes were
//
// first set to,
//
//	which gave them their order, and on the constraints on that.
//
// depend_test.go holds it to this by changing every assignment of random specifications.
type dependencies struct {
	acts    map[*act]bool
	orders  map[*ordering]bool
	origins map[*origin]bool
	copies  map[*copied]bool
	lists   map[*composition]bool
	stores  map[*Store]bool
	todo    []*origin
}

// dependenciesOf collects what decides the slot at the end of a path of slots, each of the store in the one before.
func dependenciesOf(path []target) *dependencies {
	d := &dependencies{
		acts: map[*act]bool{}, orders: map[*ordering]bool{}, origins: map[*origin]bool{}, copies: map[*copied]bool{},
		lists: map[*composition]bool{}, stores: map[*Store]bool{},
	}
	for _, t := range path {
		d.step(step{t.origin(), t.in.store.composed})
	}
	if s, ok := path[len(path)-1].value().(*Store); ok {
		d.store(s)
		for _, t := range path {
			d.order(t.in.store)
		}
	}
	for len(d.todo) > 0 {
		o := d.todo[len(d.todo)-1]
		d.todo = d.todo[:len(d.todo)-1]
		d.follow(o)
	}
	return d
}

// store adds everything in a component.
func (d *dependencies) store(s *Store) {
	if d.stores[s] {
		return
	}
	d.stores[s] = true
	d.order(s)
	d.composed(s.composed, -1)
	for i := range s.slots {
		d.step(step{s.slots[i].origin, s.composed})
		d.position(s.slots[i].origin)
		if sub, ok := s.slots[i].value.(*Store); ok {
			d.store(sub)
		}
	}
}

// order adds the constraints on the order of a component's attributes.
func (d *dependencies) order(s *Store) {
	if s.order != nil {
		d.orders[s.order] = true
	}
}

// position adds what gave a slot its place among the others: its first writing and, if that was a copy of a prototype,
// what gave the slot its place there.
func (d *dependencies) position(o *origin) {
	for {
		if o = o.oldest(); o.carrier != nil {
			o = o.carrier
		}
		d.origin(o)
		if o.copy == nil || !o.copy.proto {
			return
		}
		o = o.source
	}
}

// step adds a slot, and the later prototypes of its store. Where a search ended in vain, all prototypes of the store
// count.
func (d *dependencies) step(s step) {
	after := -1
	if s.origin != nil {
		d.origin(s.origin)
		after = s.origin.written()
	}
	d.composed(s.composed, after)
}

func (d *dependencies) origin(o *origin) {
	if !d.origins[o] {
		d.origins[o] = true
		d.todo = append(d.todo, o)
	}
}

// composed adds the prototypes of a list that were composed after a time.
func (d *dependencies) composed(c *composition, after int) {
	for ; c != nil && c.copied.time > after && !d.lists[c]; c = c.prev {
		if after < 0 {
			d.lists[c] = true // the whole rest of the list is about to be added
		}
		d.copied(c.copied)
		d.composed(c.copied.absent, -1)
	}
}

func (d *dependencies) follow(o *origin) {
	d.act(o.act)
	if o.carrier != nil {
		d.origin(o.carrier)
	}
	if o.source != nil {
		d.origin(o.source)
		if o.copy.proto {
			d.composed(o.copy.absent, o.source.written())
		}
	}
	if o.copy != nil {
		d.copied(o.copy)
	}
}

func (d *dependencies) copied(c *copied) {
	if d.copies[c] {
		return
	}
	d.copies[c] = true
	d.act(c.act)
	for _, s := range c.steps {
		d.step(s)
	}
	for _, s := range c.passed {
		d.step(s)
	}
	for sc := c.from; sc != nil && sc != c.in; sc = sc.up {
		d.composed(sc.store.composed, -1)
	}
}

func (d *dependencies) act(a *act) {
	for ; a != nil && !d.acts[a]; a = a.up {
		d.acts[a] = true
	}
}
