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
// What code has defined does not change by being run: classes, methods, and the names that belong to them are shared by
// all that come from a seed, and who adds a name to a class gets a list of its own (table). What can change is copied
// for each: the objects in constants and variables, and the variables that blocks have closed over.

// A table has what the program has given names, by class or object.
type table[K comparable, V any] map[K]*names[V]

// names are those of one class or object.
type names[V any] struct {
	of     map[string]V
	shared bool // with a seed: whoever changes them copies them before
}

// get is what has a name.
func (t table[K, V]) get(k K, name string) (v V, ok bool) {
	if n := t[k]; n != nil {
		v, ok = n.of[name]
	}
	return v, ok
}

// own are the names of one, to be changed.
func (t *table[K, V]) own(k K) map[string]V {
	if *t == nil {
		*t = table[K, V]{}
	}
	n := (*t)[k]
	switch {
	case n == nil:
		n = &names[V]{of: map[string]V{}}
	case n.shared:
		n = &names[V]{of: maps.Clone(n.of)}
	}
	(*t)[k] = n
	return n.of
}

// A Seed is the state of an interpreter from which others begin.
type Seed struct {
	in      *Interp
	methods []liveMethod // those with variables
}

// A liveMethod is one made of a block.
type liveMethod struct {
	of     Object
	single bool
	m      *method
}

// Seed makes one of an interpreter, which must not be used any more. An error says what it holds that cannot be copied.
func (in *Interp) Seed() (*Seed, error) {
	s := &Seed{in: in}
	for c, n := range in.defs {
		n.shared = true
		s.keep(c, false, n.of)
	}
	for o, n := range in.sdefs {
		n.shared = true
		s.keep(o, true, n.of)
	}
	for _, n := range in.undefs {
		n.shared = true
	}
	for _, n := range in.consts {
		n.shared = !slices.ContainsFunc(slices.Collect(maps.Values(n.of)), changes)
	}
	if in.globals != nil || in.loadPath != nil || len(in.ids) > 0 || len(in.alike) > 0 || in.prov.trace != nil {
		return nil, fmt.Errorf("global variables, object ids or what is traced")
	}
	_, err := s.begin(Limits{})
	return s, err
}

func (s *Seed) keep(of Object, single bool, list map[string]*method) {
	for _, m := range list {
		if m.proc != nil {
			s.methods = append(s.methods, liveMethod{of, single, m})
		}
	}
}

// changes reports whether an object may be changed.
func changes(o Object) bool {
	switch o.(type) {
	case Nil, Bool, Int, Float, Symbol, *Big, *Class, *Regexp:
		return false
	}
	return true
}

// New makes an interpreter in the state of the seed.
func (s *Seed) New(limits Limits) *Interp {
	in, err := s.begin(limits)
	if err != nil {
		panic(err) // the same was done when the seed was made
	}
	return in
}

func (s *Seed) begin(limits Limits) (*Interp, error) {
	from := s.in
	in := from.rt.New(limits)
	c := &copying{in: in, objects: map[Object]Object{}, frames: map[*frame]*frame{}}
	in.gconst = make(map[string]Object, len(from.gconst))
	for name, o := range from.gconst {
		in.gconst[name] = c.object(o)
	}
	in.consts = maps.Clone(from.consts)
	for k, n := range from.consts {
		if !n.shared {
			in.consts[k] = c.names(n)
		}
	}
	for k, n := range from.cvars {
		if in.cvars == nil {
			in.cvars = table[*Class, Object]{}
		}
		in.cvars[k] = c.names(n)
	}
	for k, h := range from.classIvars {
		if in.classIvars == nil {
			in.classIvars = map[*Class]*Hash{}
		}
		in.classIvars[k] = c.hash(h)
	}
	in.defs, in.undefs = maps.Clone(from.defs), maps.Clone(from.undefs)
	if from.sdefs != nil {
		in.sdefs = make(table[Object, *method], len(from.sdefs))
		for o, n := range from.sdefs {
			in.sdefs[c.object(o)] = n
		}
	}
	for _, l := range s.methods {
		m := *l.m
		m.proc = c.object(m.proc).(*Proc)
		if l.single {
			m.single = c.object(m.single)
			in.sdefs.own(c.object(l.of))[m.name] = &m
		} else {
			in.defs.own(l.of.(*Class))[m.name] = &m
		}
	}
	if from.extended != nil {
		in.extended = make(map[Object][]*Class, len(from.extended))
		for o, list := range from.extended {
			in.extended[c.object(o)] = slices.Clip(list)
		}
	}
	in.mixed = mixing{clipped(from.mixed.included), clipped(from.mixed.prepended)}
	in.constNames = clipped(from.constNames)
	in.visibility, in.moduleFunctions = maps.Clone(from.visibility), maps.Clone(from.moduleFunctions)
	if from.singletonBody != nil {
		in.singletonBody = make(map[*lexical]Object, len(from.singletonBody))
		for l, o := range from.singletonBody {
			in.singletonBody[l] = c.object(o)
		}
	}
	in.regexps, in.redefined = maps.Clone(from.regexps), from.redefined
	return in, c.err
}

// clipped are lists to which each owner may add.
func clipped[K comparable, V any](lists map[K][]V) map[K][]V {
	out := maps.Clone(lists)
	for k, list := range out {
		out[k] = slices.Clip(list)
	}
	return out
}

// copying copies objects for one interpreter, each once.
type copying struct {
	in      *Interp
	objects map[Object]Object
	frames  map[*frame]*frame
	err     error
}

func (c *copying) names(n *names[Object]) *names[Object] {
	out := make(map[string]Object, len(n.of))
	for name, o := range n.of {
		out[name] = c.object(o)
	}
	return &names[Object]{of: out}
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
		return c.hash(o)
	case *Set:
		c.objects[o] = &Set{c.hash(o.h)}
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
	return c.objects[o]
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
