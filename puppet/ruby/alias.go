package ruby

import "bunraku/puppet/value"

// Arrays and hashes of Puppet's stand for the objects that Puppet itself would hand to Ruby code. One of them gives
// one object (memo), and an object that nobody has changed gives it back. What was changed is told to the host:
// whoever else holds it in Puppet sees that.

// giving collects what containers of Puppet's have become.
type giving struct{ pairs [][2]value.Value }

func (g *giving) became(was, now value.Value) {
	switch w := was.(type) {
	case *value.Array:
		if w == nil {
			return
		}
	case *value.Hash:
		if w == nil {
			return
		}
	}
	g.pairs = append(g.pairs, [2]value.Value{was, now})
}

// changePuppets notes that an object which stands for a container of Puppet's is about to be changed for the first
// time.
func (c *call) changePuppets(v value.Value, frozen *bool) {
	if c.in.Frozen != nil && c.in.Frozen(v) {
		*frozen = true
		c.change()
	}
	c.in.dirty = append(c.in.dirty, c.self)
}

// isFrozen is frozen?, of what Puppet has frozen too.
func (in *Interp) isFrozen(o Object) bool {
	switch o := o.(type) {
	case *Array:
		return o.frozen || o.of != nil && !o.dirty && in.Frozen != nil && in.Frozen(o.of)
	case *Hash:
		return o.frozen || o.of != nil && !o.dirty && in.Frozen != nil && in.Frozen(o.of)
	}
	return isFrozen(o)
}

// intact reports whether an object is what it stands for, with all that is in it. Strings of Puppet's are never
// changed while they may be frozen.
func (in *Interp) intact(o Object) bool {
	switch o := o.(type) {
	case *Array:
		if o.of == nil || o.dirty || !in.MaybeFrozen {
			return false
		}
		if in.changed && o.src == nil {
			for _, e := range o.e {
				if !in.intact(e) {
					return false
				}
			}
		}
	case *Hash:
		if o.of == nil || o.dirty || !in.MaybeFrozen {
			return false
		}
		if in.changed && o.src == nil {
			for _, e := range o.pairs() {
				if !in.intact(e.val) {
					return false
				}
			}
		}
	}
	return true
}

// Altered calls f for each array and hash of Puppet's that the program has changed since it was asked last, and says
// what it has become. Others that hold them are not told of.
func (in *Interp) Altered(f func(was, now value.Value)) {
	if len(in.dirty) == 0 {
		return
	}
	g := &giving{}
	dirty := in.dirty
	in.dirty, in.giving = nil, g
	defer func() { in.giving = nil }()
	for _, o := range dirty {
		in.ToValue(o)
	}
	in.changed = false
	for _, p := range g.pairs {
		f(p[0], p[1])
	}
}

// Forsaken calls f for each array and hash of Puppet's that the program has changed before it ended early.
func (in *Interp) Forsaken(f func(was value.Value)) {
	for _, o := range in.dirty {
		switch o := o.(type) {
		case *Array:
			f(o.of)
		case *Hash:
			f(o.of)
		}
	}
	in.dirty = nil
}

// Tie is ToValue for an object that the host may keep, or change.
func (in *Interp) Tie(o Object) value.Value {
	switch o.(type) {
	case *Array, *Hash:
		in.giving = &giving{}
		defer func() { in.giving = nil }()
	}
	return in.ToValue(o)
}

// forget ends the likeness of objects and Puppet's containers, at the end of a call, unless a program has left
// something behind that may hold them.
func (in *Interp) forget() {
	if in.lasting {
		if in.kept == nil {
			in.kept = map[any]Object{}
		}
		for v, o := range in.memo {
			in.kept[v] = o
		}
	}
	clear(in.memo)
}

// Refresh has the program's objects follow what Puppet's containers have become meanwhile, by somebody else's doing.
func (in *Interp) Refresh(latest func(value.Value) value.Value) {
	in.refresh(in.memo, latest)
	in.refresh(in.kept, latest)
}

func (in *Interp) refresh(memo map[any]Object, latest func(value.Value) value.Value) {
	moved := map[Object]value.Value{}
	for _, o := range memo {
		switch o := o.(type) {
		case *Array:
			if v := latest(o.of); !o.dirty && v != value.Value(o.of) {
				moved[o] = v
			}
		case *Hash:
			if v := latest(o.of); !o.dirty && v != value.Value(o.of) {
				moved[o] = v
			}
		}
	}
	var gone value.Value
	for o, v := range moved {
		switch v := v.(type) {
		case *value.Array:
			if o, is := o.(*Array); is {
				o.src, o.of, o.e, o.origin = v, v, nil, nil
				memo[v] = o
			}
		case *value.Hash:
			if o, is := o.(*Hash); is {
				*o = Hash{src: v, of: v, in: o.in, dflt: o.dflt, proc: o.proc, root: o.root, busy: o.busy}
				memo[v] = o
			}
		default:
			gone = v
		}
	}
	if gone != nil {
		in.LookAt(gone)
	}
}
