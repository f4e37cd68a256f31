package ruby

import (
	"slices"

	"bunraku/puppet/ruby/syntax"
)

func (in *Interp) evalAssign(n *syntax.Assign, f *frame) Object {
	if t, ok := n.Target.(*syntax.LVar); ok {
		m := in.prov.mark()
		v := in.eval(n.Value, f)
		in.setLocal(t, v, f, m)
		if t.Name == "_erbout" {
			if s, ok := v.(*String); ok && in.out == nil {
				in.out = s
			}
		}
		return v
	}
	m := in.prov.mark()
	var v Object
	if ts, ok := n.Target.(*syntax.Targets); ok {
		v = in.eval(n.Value, f)
		in.prov.deepOf(v)
		in.assignMarked(ts, v, f, m)
		return v
	}
	if c, ok := n.Target.(*syntax.Call); ok { // the receiver comes first
		return in.assignCall(c, f, func() Object { return in.eval(n.Value, f) }, m)
	}
	v = in.eval(n.Value, f)
	in.assignMarked(n.Target, v, f, m)
	return v
}

func (in *Interp) setLocal(t *syntax.LVar, v Object, f *frame, mark int) {
	g := f
	for d := t.Depth; d > 0; d-- {
		g = g.up
	}
	g.slots[t.Index] = v
	if g.refs != nil {
		g.refs[t.Index] = in.prov.value(mark)
	}
}

// assign gives a target a value, which depends on all that was read since the beginning of the statement.
func (in *Interp) assign(t syntax.Node, v Object, f *frame) { in.assignMarked(t, v, f, 0) }

func (in *Interp) assignMarked(t syntax.Node, v Object, f *frame, mark int) {
	switch t := t.(type) {
	case *syntax.LVar:
		in.setLocal(t, v, f, mark)
	case *syntax.IVar:
		in.setIvar(f.self, t.Name, v)
		in.prov.setIvar(t.Name, mark)
	case *syntax.GVar:
		if in.globals == nil {
			in.globals = &Globals{}
		}
		if in.globals.vars == nil {
			in.globals.vars = map[string]Object{}
		}
		in.globals.vars[t.Name] = v
		in.keep()
		in.prov.mutate(mark)
	case *syntax.CVar:
		in.setClassVariable(in.variableClass(f), t.Name, v)
		in.keep()
		in.prov.mutate(mark)
	case *syntax.Const:
		in.setConst(t, v, f)
		in.prov.mutate(mark)
	case *syntax.Call:
		in.assignCall(t, f, func() Object { return v }, mark)
	case *syntax.Splat:
		if t.Value != nil {
			in.assignMarked(t.Value, in.array(in.Splat(v)), f, mark)
		}
	case *syntax.Targets:
		in.destructure(t.List, v, f, mark)
	}
}

func (in *Interp) setConst(t *syntax.Const, v Object, f *frame) {
	owner := (*Class)(nil)
	if t.Scope != nil {
		owner, _ = in.eval(t.Scope, f).(*Class)
	} else if l := f.scope(); l != nil && !t.Top {
		owner = l.class
	}
	if in.booted {
		root(v)
	}
	if c, ok := v.(*Class); ok && c.name == "" {
		if c.settled() || c.made {
			in.unsupported("a name for a class that others have, too")
		}
		c.name = t.Name
		if owner != nil {
			c.name = owner.name + "::" + t.Name
		}
	}
	in.changedConst(owner, t.Name)
	if owner == nil {
		in.gconst.put(t.Name, v)
		return
	}
	consts := in.consts.own(owner)
	if _, again := consts[t.Name]; !again {
		in.constNames.put(owner, append(slices.Clip(in.constNames.at(owner)), Symbol(t.Name)))
	}
	consts[t.Name] = v
}

// destructure spreads a value over targets, of which one may be a splat.
func (in *Interp) destructure(ts []syntax.Node, v Object, f *frame, mark int) {
	elems := in.listOf(v)
	star := -1
	for i, t := range ts {
		if _, ok := t.(*syntax.Splat); ok {
			star = i
			break
		}
	}
	at := func(i int) Object {
		if i < len(elems) {
			return elems[i]
		}
		return Nil{}
	}
	if star < 0 {
		for i, t := range ts {
			in.assignMarked(t, at(i), f, mark)
		}
		return
	}
	for i := 0; i < star; i++ {
		in.assignMarked(ts[i], at(i), f, mark)
	}
	after := len(ts) - star - 1
	end := max(len(elems)-after, star)
	var mid []Object
	if star < len(elems) {
		mid = append(mid, elems[star:min(end, len(elems))]...)
	}
	if s := ts[star].(*syntax.Splat); s.Value != nil {
		in.assignMarked(s.Value, in.array(mid), f, mark)
	}
	for i := 0; i < after; i++ {
		in.assignMarked(ts[star+1+i], at(end+i), f, mark)
	}
}

// listOf is what a multiple assignment spreads: an array's elements, or the value itself.
func (in *Interp) listOf(v Object) []Object {
	if a, ok := v.(*Array); ok {
		return append([]Object(nil), a.els()...)
	}
	if i, ok := v.(*Instance); ok && in.responds(i, "to_ary") {
		if a, ok := in.send(i, "to_ary", nil, nil).(*Array); ok {
			return append([]Object(nil), a.els()...)
		}
	}
	return []Object{v}
}

// assignCall is recv.name = value and recv[args] = value.
func (in *Interp) assignCall(c *syntax.Call, f *frame, value func() Object, mark int) Object {
	recv := in.evalRecv(c, f)
	if c.Safe && isNil(recv) {
		return Nil{}
	}
	args, _ := in.evalArgs(c.Args, f)
	v := value()
	in.at = c.NameAt
	in.prov.deepOf(v)
	in.prov.mutate(mark)
	in.call(recv, c.Name+"=", append(args, v), nil, c.Recv == nil || isSelf(c.Recv))
	return v
}

func isSelf(n syntax.Node) bool { _, is := n.(*syntax.SelfLit); return is }

func (in *Interp) evalRecv(c *syntax.Call, f *frame) Object {
	if c.Recv == nil {
		return orNil(f.self)
	}
	return in.eval(c.Recv, f)
}

func (in *Interp) evalOpAssign(n *syntax.OpAssign, f *frame) Object {
	m := in.prov.mark()
	var get func() Object
	var set func(Object)
	switch t := n.Target.(type) {
	case *syntax.Call:
		recv := in.evalRecv(t, f)
		if t.Safe && isNil(recv) {
			return Nil{}
		}
		args, _ := in.evalArgs(t.Args, f)
		fcall := t.Recv == nil || isSelf(t.Recv)
		get = func() Object {
			in.at = t.NameAt
			return in.call(recv, t.Name, args, nil, fcall)
		}
		set = func(v Object) {
			in.prov.mutate(m)
			in.call(recv, t.Name+"=", append(append([]Object(nil), args...), v), nil, fcall)
		}
	case *syntax.Const:
		get = func() Object {
			var v Object
			if exc := in.try(func() { v = in.eval(t, f) }); exc != nil && n.Op == "||" {
				return Nil{}
			}
			return v
		}
		set = func(v Object) { in.assignMarked(t, v, f, m) }
	case *syntax.CVar:
		get = func() Object {
			if n.Op == "||" {
				if in.variableOwner(in.variableClass(f), t.Name) == nil {
					return Nil{}
				}
			}
			return in.eval(t, f)
		}
		set = func(v Object) { in.assignMarked(t, v, f, m) }
	default:
		get = func() Object { return in.eval(t, f) }
		set = func(v Object) { in.assignMarked(t, v, f, m) }
	}
	old := get()
	switch n.Op {
	case "||":
		if truthy(old) {
			return old
		}
		v := in.eval(n.Value, f)
		set(v)
		return v
	case "&&":
		if !truthy(old) {
			return old
		}
		v := in.eval(n.Value, f)
		set(v)
		return v
	}
	v := in.eval(n.Value, f)
	in.at = n.Where
	if n.Op == "<<" {
		in.prov.mutate(m)
	}
	v = in.binary(old, n.Op, v)
	set(v)
	return v
}
