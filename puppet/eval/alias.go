package eval

import (
	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Values that Ruby code changes in place.
//
// In Puppet a variable holds a Ruby object. Whoever else holds the same array or hash sees what a template or a
// function of a module pushes to it: other variables, containers that it lies in, parameters of the classes and
// defines whose variables they are. Here values never change, since other compiles may share them; the pointer of an
// array or hash stands for Ruby's object, and when Ruby code has changed one, the evaluator keeps what it has become.
// Whatever is read from a variable, or was evaluated before the change and is used after it, is looked up there
// (latest).
//
// So the evaluator must make a new container where Puppet does, and hand on the same one where Puppet does. Puppet
// makes new ones of literals, each time they are evaluated, of what operators yield, of values that become attributes
// (convert), of what Hiera answers, and of the arguments of 3.x functions. Assignments, conditions, blocks, functions
// of the Puppet language and of the 4.x API hand them on. Facts are frozen.
//
// Where that cannot be followed, what may have been changed is not known: containers that stand for several objects
// (parts of Hiera's data that were looked up in more than one way), and arrays that a function was going through.

// A change is what a container has become.
type change struct {
	now    value.Value
	why    provenance.Ref
	inside bool // only what is in it has become something else
}

// lost is a container which Ruby code has changed so that nobody knows what it has become.
func lost(why string) *value.Opaque { return &value.Opaque{Why: why} }

// Change notes that Ruby code has made something else of an array or hash; now is nil if nobody knows what.
func (ev *Evaluator) Change(was, now value.Value, why provenance.Ref) {
	switch {
	case now == nil:
		now = lost("Ruby code that was not run to its end has changed it in place")
	case was == value.Value(value.EmptyArray) || was == value.Value(value.EmptyHash) || ev.answeredAgain(was):
		now = lost("Ruby code has changed it in place, or another value that looks the same")
	}
	if ev.changes == nil {
		ev.changes = map[value.Value]change{}
	}
	for {
		to, more := ev.changes[was]
		if !more {
			break
		}
		was = to.now
	}
	if _, unknown := was.(*value.Opaque); unknown || was == now {
		return
	}
	ev.changes[was] = change{now: now, why: ev.under(why)}
}

// mightChange notes what decided that a container was left as it is. Containers that it lies in are not told of that.
func (ev *Evaluator) mightChange(v value.Value, why provenance.Ref) {
	switch v.(type) {
	case *value.Array, *value.Hash:
		if ev.unchanged == nil {
			ev.unchanged = map[value.Value]provenance.Ref{}
		}
		v, _ = ev.latest(v, 0)
		ev.unchanged[v] = ev.trace.Join(ev.unchanged[v], why)
	}
}

// bringUp has the attributes of a resource be what they are by now.
func (ev *Evaluator) bringUp(r *Resource) {
	if ev.changes == nil && ev.unchanged == nil {
		return
	}
	for i, p := range r.params {
		if v, ref := ev.latest(p.value, p.ref); ref != p.ref || !identical(p.value, v) {
			q := *p
			q.value, q.ref = v, ref
			r.params[i] = &q
		}
	}
}

// Latest is what a value is by now.
func (ev *Evaluator) Latest(v value.Value) value.Value {
	v, _ = ev.latest(v, 0)
	return v
}

// Changes counts what Ruby code has changed, or what holds that.
func (ev *Evaluator) Changes() int { return len(ev.changes) }

// latest is what a value is by now, and what that depends on.
func (ev *Evaluator) latest(v value.Value, r provenance.Ref) (value.Value, provenance.Ref) {
	if ev.changes != nil {
		v, r = ev.follow(v, r)
	}
	if ev.unchanged != nil {
		switch v.(type) {
		case *value.Array, *value.Hash:
			r = ev.trace.With(r, ev.unchanged[v])
		}
	}
	return v, r
}

func (ev *Evaluator) follow(v value.Value, r provenance.Ref) (value.Value, provenance.Ref) {
	switch v.(type) {
	case *value.Array, *value.Hash:
		for {
			to, changed := ev.changes[v]
			if !changed {
				break
			}
			v, r = to.now, ev.trace.With(r, to.why)
		}
	}
	switch v := v.(type) {
	case *value.Array:
		if !ev.mayHold(v, len(v.Elems)) {
			return v, r
		}
		var out *value.Array
		for i, x := range v.Elems {
			y, yr := ev.follow(x, v.Ref(i))
			if identical(x, y) {
				continue
			}
			if out == nil {
				out = &value.Array{Elems: append([]value.Value(nil), v.Elems...)}
				if ev.trace != nil {
					out.Refs = make([]provenance.Ref, len(v.Elems))
					copy(out.Refs, v.Refs)
				}
			}
			out.Elems[i] = y
			if ev.trace != nil {
				out.Refs[i] = yr
			}
		}
		if out != nil {
			ev.changes[v] = change{now: out, inside: true}
			return out, r
		}
		ev.looked(v, len(v.Elems))
	case *value.Hash:
		if !ev.mayHold(v, v.Len()) {
			return v, r
		}
		var entries []value.Entry
		for i, x := range v.Entries() {
			y, yr := ev.follow(x.Value, x.Ref)
			if identical(x.Value, y) {
				continue
			}
			if entries == nil {
				entries = append([]value.Entry(nil), v.Entries()...)
			}
			entries[i].Value, entries[i].Ref = y, yr
		}
		if entries != nil {
			out := v.With(entries)
			ev.changes[v] = change{now: out, inside: true}
			return out, r
		}
		ev.looked(v, v.Len())
	case *value.Sensitive:
		if x, xr := ev.follow(v.Value, r); !identical(v.Value, x) {
			s := *v
			s.Value = x
			return &s, xr
		}
	}
	return v, r
}

const fewElements = 8

// mayHold reports whether a container of n elements must be looked through: not if that was done after the last change.
func (ev *Evaluator) mayHold(v value.Value, n int) bool {
	if n > fewElements && ev.through[v] == len(ev.changes) {
		return false
	}
	ev.budget.Spend(int64(1+n/fewElements), evaluating)
	return true
}

// looked notes that nothing in a container has changed so far.
func (ev *Evaluator) looked(v value.Value, n int) {
	if n > fewElements {
		if ev.through == nil {
			ev.through = map[value.Value]int{}
		}
		ev.through[v] = len(ev.changes)
	}
}

// allLatest brings up to date what was evaluated one after the other.
func (ev *Evaluator) allLatest(vs []value.Value, refs []provenance.Ref) {
	if ev.changes == nil {
		return
	}
	for i := range vs {
		if i < len(refs) {
			vs[i], refs[i] = ev.follow(vs[i], refs[i])
		} else {
			vs[i], _ = ev.follow(vs[i], 0)
		}
	}
}

// latest is the value of one of a frame's variables. Facts do not change.
func (f *frame) latest(ev *Evaluator, v *variable) (value.Value, provenance.Ref) {
	if f.base != nil && (v == &f.base.found || v.value == value.Value(ev.facts)) {
		return v.value, v.ref
	}
	return ev.latest(v.value, v.ref)
}

// once are functions that call their block once: what it changes they do not go on with.
var once = map[string]bool{"with": true, "then": true}

// underway looks after what a function was going through, with a block, when some of it was changed: nobody knows here
// where it would have ended. It gives what stands for the function's result then, or nil.
func (ev *Evaluator) underway(f *Function, args []value.Value, at source.Place) *value.Opaque {
	if once[f.Name] {
		return nil
	}
	var o *value.Opaque
	for _, v := range args {
		for {
			to, changed := ev.changes[v]
			if !changed {
				break
			}
			if !to.inside {
				o = lost("the block of " + f.Name + " has changed in place what " + f.Name + " goes through")
				ev.changes[v] = change{now: o, why: to.why}
				break
			}
			v = to.now
		}
	}
	if o != nil {
		ev.notDone(f.Name, o, at)
	}
	return o
}

// answered takes what Hiera has answered. Puppet makes a new value of each answer; here several may share one.
func (ev *Evaluator) answered(v value.Value) value.Value {
	switch v.(type) {
	case *value.Array, *value.Hash:
		if ev.changes != nil {
			if now, _ := ev.follow(v, 0); !identical(v, now) {
				v = renewed(v)
			}
		}
		if ev.answers == nil {
			ev.answers = map[value.Value]bool{}
		}
		if ev.answers[v] {
			v = renewed(v)
		}
		ev.answers[v] = true
	}
	return v
}

// answeredAgain reports whether a container was part of more than one answer.
func (ev *Evaluator) answeredAgain(v value.Value) bool {
	n := 0
	for a := range ev.answers {
		if ev.holds(a, v) {
			n++
		}
	}
	return n > 1
}

// holds reports whether a value is a container, or has it in it.
func (ev *Evaluator) holds(v, container value.Value) bool {
	switch v := v.(type) {
	case *value.Array:
		ev.budget.Spend(int64(1+len(v.Elems)/fewElements), evaluating)
		if container == value.Value(v) {
			return true
		}
		for _, x := range v.Elems {
			if ev.holds(x, container) {
				return true
			}
		}
	case *value.Hash:
		ev.budget.Spend(int64(1+v.Len()/fewElements), evaluating)
		if container == value.Value(v) {
			return true
		}
		for _, e := range v.Entries() {
			if ev.holds(e.Value, container) {
				return true
			}
		}
	}
	return false
}

// renewed is a value whose containers are new ones.
func renewed(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Array:
		out := &value.Array{Elems: append([]value.Value(nil), v.Elems...), Refs: v.Refs}
		for i, x := range out.Elems {
			out.Elems[i] = renewed(x)
		}
		return out
	case *value.Hash:
		entries := append([]value.Entry(nil), v.Entries()...)
		for i := range entries {
			entries[i].Value = renewed(entries[i].Value)
		}
		return v.With(entries)
	}
	return v
}

// Frozen reports whether a container is one of the facts', or of what else Puppet knows of a node.
func (ev *Evaluator) Frozen(v value.Value) bool {
	if ev.facts != nil && ev.holds(ev.facts, v) {
		return true
	}
	for _, name := range [...]string{"trusted", "server_facts"} {
		if s := ev.top.own.slot(name); s != nil && ev.holds(s.value, v) {
			return true
		}
	}
	return false
}
