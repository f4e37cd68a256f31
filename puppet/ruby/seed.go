package ruby

import (
	"fmt"
	"maps"
	"slices"
)

// Seeds.
//
// A host has every interpreter run the same code first: what functions see of Puppet is written in Ruby, and it takes
// longer to run than most functions do. A Seed is the state in which that leaves an interpreter. Those that are made
// from it begin there.
//
// Making one costs nothing: what the seed holds is only looked at, and nobody ever changes it. What code has defined
// does not change by being run: classes, methods, and the names that belong to them are shared by all that come from a
// seed, and who adds a name to a class gets a list of its own (table). What can change, an interpreter has a copy of as
// soon as its program can lay hands on it: the objects in constants and variables, where they are read, and the
// variables that blocks have closed over, when a method that is such a block is called (method.proc). Each object is
// copied once, with all that it reaches (copying), so that what was one object in the seed is one in the interpreter.
// Methods of single objects belong to the copies.

// A table has what the program has given names, by class or object.
type table[K comparable, V any] struct {
	of   map[K]*names[V] // the interpreter's own
	base map[K]*names[V] // the seed's, which nobody changes
	thaw *copying        // who copies what is read of the seed's; nil for what does not change
}

// names are those of one class or object.
type names[V any] struct {
	of      map[string]V
	changes bool // some of it may be changed: whoever reads it has a copy
	shared  bool // with other interpreters: whoever changes it has a copy
}

// none reports whether there are no names at all.
func (t *table[K, V]) none() bool { return t.of == nil && t.base == nil }

// at are the names of one, to be looked at; nil for none.
func (t *table[K, V]) at(k K) *names[V] {
	if n := t.of[k]; n != nil {
		return n
	}
	n := t.base[k]
	if n != nil && n.changes && t.thaw != nil {
		t.own(k)
		n = t.of[k]
	}
	return n
}

// get is what has a name.
func (t *table[K, V]) get(k K, name string) (v V, ok bool) {
	if n := t.at(k); n != nil {
		v, ok = n.of[name]
	}
	return v, ok
}

// own are the names of one, to be changed.
func (t *table[K, V]) own(k K) map[string]V {
	b := t.of[k]
	switch {
	case b == nil:
		b = t.base[k]
	case !b.shared:
		return b.of
	}
	n := &names[V]{of: map[string]V{}}
	if b != nil {
		n.of = maps.Clone(b.of)
		if b.changes && t.thaw != nil {
			thawed := any(n.of).(map[string]Object)
			for name, o := range thawed {
				thawed[name] = t.thaw.object(o)
			}
		}
	}
	if t.of == nil {
		t.of = map[K]*names[V]{}
	}
	t.of[k] = n
	return n.of
}

// share puts in names that other interpreters have, too.
func (t *table[K, V]) share(k K, n *names[V]) {
	if n == nil {
		return
	}
	if t.of == nil {
		t.of = map[K]*names[V]{}
	}
	t.of[k] = n
}

// A shelf has one thing for each key, with those of the seed behind it.
type shelf[K comparable, V any] struct{ of, base map[K]V }

func (s *shelf[K, V]) none() bool { return s.of == nil && s.base == nil }

func (s *shelf[K, V]) get(k K) (V, bool) {
	if v, ok := s.of[k]; ok {
		return v, true
	}
	v, ok := s.base[k]
	return v, ok
}

// at is what there is for a key, or nothing.
func (s *shelf[K, V]) at(k K) V {
	v, _ := s.get(k)
	return v
}

func (s *shelf[K, V]) put(k K, v V) {
	if s.of == nil {
		s.of = map[K]V{}
	}
	s.of[k] = v
}

// A Seed is the state of an interpreter from which others begin.
type Seed struct {
	in *Interp
	// classes are those that were there, by number.
	classes []settled
	// singles and mixins are what belongs to objects that are copied.
	singles map[Object]*names[*method]
	mixins  map[Object][]*Class
}

// Seed makes one of an interpreter, which must not be used any more. An error says what it holds that cannot be copied.
func (in *Interp) Seed() (*Seed, error) {
	if in.seed != nil || in.globals != nil || in.loadPath != nil || len(in.ids) > 0 || len(in.alike) > 0 ||
		in.prov.trace != nil {
		return nil, fmt.Errorf("global variables, object ids, what is traced, or another seed")
	}
	s := &Seed{in: in, singles: map[Object]*names[*method]{}, mixins: map[Object][]*Class{}}
	for o, n := range in.sdefs.of {
		if _, is := o.(*Class); !is {
			s.singles[o] = n
			delete(in.sdefs.of, o)
		}
	}
	for o, list := range in.extended.of {
		if _, is := o.(*Class); !is {
			s.mixins[o] = list
			delete(in.extended.of, o)
		}
	}
	for _, t := range []table[*Class, Object]{in.consts, in.cvars} {
		for _, n := range t.of {
			n.changes = slices.ContainsFunc(slices.Collect(maps.Values(n.of)), changes)
		}
	}
	s.settle()
	return s, s.check()
}

// settle notes which classes there are, and what is above them.
func (s *Seed) settle() {
	in := s.in
	s.classes = make([]settled, in.rt.count+1)
	var note func(c *Class)
	note = func(c *Class) {
		if !c.settled() {
			c.number = len(s.classes)
			s.classes = append(s.classes, settled{})
		}
		if s.classes[c.number].chain != nil {
			return
		}
		chain := linearize(c, &in.mixed)
		s.classes[c.number].chain = chain
		for _, a := range chain {
			note(a)
		}
	}
	for _, c := range in.rt.all() {
		note(c)
	}
	for _, o := range in.gconst.of {
		if c, is := o.(*Class); is {
			note(c)
		}
	}
	for k, n := range in.consts.of {
		note(k)
		for _, o := range n.of {
			if c, is := o.(*Class); is {
				note(c)
			}
		}
	}
	for c := range in.defs.of {
		note(c)
	}
	for o := range in.sdefs.of {
		note(o.(*Class))
	}
	for o, list := range in.extended.of {
		note(o.(*Class))
		for _, m := range list {
			note(m)
		}
	}
}

// check copies all there is, once.
func (s *Seed) check() error {
	in := s.New(Limits{})
	c := in.copies
	for _, o := range s.in.gconst.of {
		c.object(o)
	}
	for k := range s.in.consts.of {
		in.consts.at(k)
	}
	for k := range s.in.cvars.of {
		in.cvars.at(k)
	}
	for _, h := range s.in.classIvars.of {
		c.hash(h)
	}
	for o := range s.singles {
		c.object(o)
	}
	for o := range s.mixins {
		c.object(o)
	}
	for _, o := range s.in.singletonBody.of {
		c.object(o)
	}
	for _, n := range s.in.defs.of {
		c.methods(n)
	}
	for _, n := range s.in.sdefs.of {
		c.methods(n)
	}
	return c.err
}

// changes reports whether an object may be changed.
func changes(o Object) bool {
	switch o.(type) {
	case nil, Nil, Bool, Int, Float, Symbol, *Big, *Class, *Regexp:
		return false
	}
	return true
}

// New makes an interpreter in the state of the seed.
func (s *Seed) New(limits Limits) *Interp {
	from, in := s.in, s.in.rt.New(limits)
	in.seed, in.copies = s, &copying{in: in, objects: map[Object]Object{}}
	in.gconst.base = from.gconst.of
	in.consts = table[*Class, Object]{base: from.consts.of, thaw: in.copies}
	in.cvars = table[*Class, Object]{base: from.cvars.of, thaw: in.copies}
	in.classIvars.base = from.classIvars.of
	in.defs.base, in.sdefs.base, in.undefs.base = from.defs.of, from.sdefs.of, from.undefs.of
	in.extended.base = from.extended.of
	in.mixed = mixing{shelf[*Class, []*Class]{base: from.mixed.included.of},
		shelf[*Class, []*Class]{base: from.mixed.prepended.of}}
	in.constNames.base = from.constNames.of
	in.visibility.base, in.moduleFunctions.base = from.visibility.of, from.moduleFunctions.of
	in.singletonBody.base = from.singletonBody.of
	in.regexps.base, in.redefined, in.operators = from.regexps.of, from.redefined, from.operators
	return in
}

// topOf is a constant that the program, or the seed's, has set at the top.
func (in *Interp) topOf(name string) (Object, bool) {
	if o, ok := in.gconst.of[name]; ok {
		return o, true
	}
	o, ok := in.gconst.base[name]
	if ok && changes(o) {
		o = in.copies.object(o)
		in.gconst.put(name, o)
	}
	return o, ok
}

// singletonBodyOf is the object whose singleton class a body of code is, nil when it is none.
func (in *Interp) singletonBodyOf(l *lexical) Object {
	o, own := in.singletonBody.of[l]
	if !own {
		if o = in.singletonBody.base[l]; o != nil {
			o = in.copies.object(o)
		}
	}
	return o
}

// procOf is the block that is a method.
func (in *Interp) procOf(m *method) *Proc {
	if !m.settled {
		return m.proc
	}
	return in.copies.object(m.proc).(*Proc)
}

// copying copies objects for one interpreter, each once.
type copying struct {
	in      *Interp
	objects map[Object]Object
	frames  map[*frame]*frame
	err     error
}

func (c *copying) object(o Object) Object {
	if o == nil || !changes(o) {
		return o
	}
	if known := c.objects[o]; known != nil {
		return known
	}
	switch o := o.(type) {
	case *String:
		k := *o
		k.buf = slices.Clone(o.buf)
		c.objects[o] = &k
	case *Array:
		k := *o
		c.objects[o] = &k
		if o.src != nil || o.origin != nil {
			c.fail(o)
		}
		k.e, k.in = make([]Object, len(o.e)), c.in
		for i, e := range o.e {
			k.e[i] = c.object(e)
		}
	case *Hash:
		c.hash(o)
	case *Set:
		k := &Set{}
		c.objects[o] = k
		k.h = c.hash(o.h)
	case *Range:
		c.objects[o] = &Range{c.object(o.lo), c.object(o.hi), o.excl}
	case *Instance:
		k := &Instance{class: o.class}
		c.objects[o] = k
		if o.ivars != nil {
			k.ivars = c.hash(o.ivars)
		}
	case *Proc:
		k := *o
		c.objects[o] = &k
		if o.native != nil {
			c.fail(o)
		}
		k.frame, k.self = c.frame(o.frame), c.object(o.self)
	default:
		c.fail(o)
		c.objects[o] = o
	}
	c.alone(o, c.objects[o])
	return c.objects[o]
}

// alone gives a copy the methods and modules that are its alone.
func (c *copying) alone(o, k Object) {
	s, in := c.in.seed, c.in
	if n := s.singles[o]; n != nil {
		in.alone = true
		own := in.sdefs.own(k)
		for name, m := range n.of {
			m := *m
			if m.single = k; m.proc != nil {
				m.proc = c.object(m.proc).(*Proc)
			}
			own[name] = &m
		}
	}
	if list := s.mixins[o]; list != nil {
		in.alone = true
		in.extended.put(k, slices.Clip(list))
	}
}

// methods copies the blocks of methods.
func (c *copying) methods(n *names[*method]) {
	for _, m := range n.of {
		if m.proc != nil {
			m.settled = true
			c.object(m.proc)
		}
	}
}

func (c *copying) hash(h *Hash) *Hash {
	if known, is := c.objects[h].(*Hash); is {
		return known
	}
	k := *h
	c.objects[h] = &k
	if h.src != nil || h.lazy != nil || h.origin != nil || h.busy > 0 {
		c.fail(h)
	}
	k.entries, k.index, k.shares, k.in = slices.Clone(h.entries), maps.Clone(h.index), false, c.in
	for i, e := range k.entries {
		switch e.key.(type) {
		case Nil, Bool, Int, Float, Symbol, *String:
		default: // found by what it is: a copy would not be
			if changes(e.key) {
				c.fail(e.key)
			}
		}
		k.entries[i].key, k.entries[i].val = c.object(e.key), c.object(e.val)
	}
	k.dflt = c.object(h.dflt)
	if h.proc != nil {
		k.proc = c.object(h.proc).(*Proc)
	}
	return &k
}

func (c *copying) frame(f *frame) *frame {
	if f == nil {
		return nil
	}
	if known := c.frames[f]; known != nil {
		return known
	}
	if c.frames == nil {
		c.frames = map[*frame]*frame{}
	}
	k := *f
	c.frames[f] = &k
	k.slots, k.args = make([]Object, len(f.slots)), slices.Clone(f.args)
	for i, o := range f.slots {
		k.slots[i] = c.object(o)
	}
	for i, o := range k.args {
		k.args[i] = c.object(o)
	}
	k.refs = slices.Clone(f.refs)
	k.up, k.meth, k.home, k.self = c.frame(f.up), c.frame(f.meth), c.frame(f.home), c.object(f.self)
	for _, p := range []**Proc{&k.block, &k.inst} {
		if *p != nil {
			*p = c.object(*p).(*Proc)
		}
	}
	return &k
}

func (c *copying) fail(o Object) {
	if c.err == nil {
		c.err = fmt.Errorf("a %T cannot be copied", o)
	}
}
