package ruby

import (
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// Provenance is kept simple and sound. Every read of a variable or literal is noted; a local variable carries the join
// of what was read for its value; a branch or block runs under the join of what decided it; changing an object makes
// everything after depend on the change. Each piece of output then depends on what was read for it, on the decisions in
// force, and on earlier changes.

// A Segment is a piece of a rendering: the bytes from Start on, up to the next segment.
type Segment struct {
	Start int
	At    source.Span // in the program's file
	Ref   provenance.Ref
}

// tracker notes reads. With a nil trace it does nothing.
type tracker struct {
	in    *Interp
	trace *provenance.Trace
	trackerRoom
	room  *trackerRoom   // where that goes back to
	ctl   provenance.Ref // decisions in force
	heap  provenance.Ref // changes of objects
	of    elementOf
	ivars map[string]provenance.Ref
	base  provenance.Ref // literals of the program under way
	facts *programFacts  // of that program
	// Literals reserves leaves for a program's literals.
	literals func(p *Program) provenance.Ref
}

// A trackerRoom is what a tracker writes down while it runs. Nothing of it is needed afterwards, so the next one takes
// the same.
type trackerRoom struct {
	acc  []provenance.Ref // reads of the statements under way, outermost first
	all  []provenance.Ref // all reads, each once
	seen refSet
	buf  []provenance.Ref // for joins
	// joined has the join of acc[:i+1] at i, as far as that was asked for and acc has not been cut since.
	joined []provenance.Ref
	// ever is the join of all[:everOf].
	ever   provenance.Ref
	everOf int
}

// Trace switches tracing on. literals reserves a leaf for each of a program's literals and returns the first.
func (in *Interp) Trace(t *provenance.Trace, literals func(p *Program) provenance.Ref) {
	in.prov = tracker{in: in, trace: t, ivars: map[string]provenance.Ref{}, literals: literals}
	room, ok := in.rt.rooms.Get().(*trackerRoom)
	if !ok {
		room = &trackerRoom{}
	}
	in.prov.trackerRoom, in.prov.room = *room, room
}

// Leave gives back what tracing took while programs ran. They are done.
func (in *Interp) Leave() {
	in.release()
	t := in.prov
	in.prov = tracker{}
	if t.trace == nil || len(t.seen.table) > mostRoom {
		return
	}
	t.seen.clear()
	*t.room = trackerRoom{acc: t.acc[:0], all: t.all[:0], seen: t.seen, buf: t.buf[:0], joined: t.joined[:0]}
	in.rt.rooms.Put(t.room)
}

const mostRoom = 1 << 12 // more is not kept

// Everything is all that was read by the runs so far.
func (in *Interp) Everything() []provenance.Ref { return in.prov.all }

// Read notes that something was read: a variable asked for through the host.
func (in *Interp) Read(r provenance.Ref) { in.prov.read(r) }

// Lasting runs f, whose reads count for all that follows: what it makes is kept.
func (in *Interp) Lasting(f func()) {
	mark := in.prov.mark()
	f()
	in.prov.mutate(mark)
}

// SetIvarRef says where an instance variable of self comes from.
func (in *Interp) SetIvarRef(name string, r provenance.Ref) {
	if in.prov.trace != nil {
		in.prov.ivars[name] = r
	}
}

// programFacts are what tracing wants to know of a program's code, worked out once for all its runs.
type programFacts struct {
	once     source.Once
	literals []syntax.Node
	number   map[syntax.Node]int
	effects  map[syntax.Node]*effects // of what decides
	globals  bool                     // it may set global variables, or change what they hold
}

// Literals lists a program's literals in source order.
func (p *Program) Literals() []syntax.Node {
	f := &p.facts
	f.once.Do(func() {
		f.literals = p.findLiterals()
		f.number = make(map[syntax.Node]int, len(f.literals))
		for i, n := range f.literals {
			f.number[n] = i
		}
		f.effects = map[syntax.Node]*effects{}
		syntax.Walk(p.Body, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.If, *syntax.Case, *syntax.While, *syntax.For, *syntax.Block:
				f.effects[n] = effectsOf(n)
			case *syntax.GVar:
				f.globals = true
			}
			return true
		})
	})
	return f.literals
}

func (p *Program) findLiterals() []syntax.Node {
	var out []syntax.Node
	syntax.Walk(p.Body, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.StrLit, *syntax.IntLit, *syntax.FloatLit, *syntax.SymLit, *syntax.RegexLit, *syntax.BoolLit:
			out = append(out, n)
		}
		return true
	})
	return out
}

func (t *tracker) begin(p *Program) {
	if t.trace == nil || t.literals == nil {
		return
	}
	t.base = t.literals(p)
	p.Literals()
	t.facts = &p.facts
}

func (t *tracker) literal(n syntax.Node) provenance.Ref {
	if t.trace == nil || t.base == 0 {
		return 0
	}
	i, ok := t.facts.number[n]
	if !ok {
		return 0
	}
	r := t.trace.Read(t.base + provenance.Ref(i))
	t.read(r)
	return r
}

func (t *tracker) read(r provenance.Ref) {
	if t.trace == nil || r == 0 {
		return
	}
	t.acc = append(t.acc, r)
	if t.seen.add(r) {
		t.all = append(t.all, r)
	}
}

func (t *tracker) readIvar(name string) {
	if t.trace != nil {
		t.read(t.ivars[name])
	}
}

func (t *tracker) setIvar(name string, mark int) {
	if t.trace != nil {
		t.ivars[name] = t.value(mark)
	}
}

func (t *tracker) mark() int { return len(t.acc) }

// forget drops the reads of a statement whose value nobody uses.
func (t *tracker) forget(mark int) {
	if t.trace != nil && mark < len(t.acc) {
		t.cut(mark)
	}
}

func (t *tracker) cut(mark int) {
	t.acc = t.acc[:mark]
	if mark < len(t.joined) {
		t.joined = t.joined[:mark]
	}
}

// since are the reads since the mark, each once, and more. The slice is good until the next call.
func (t *tracker) since(mark int, more ...provenance.Ref) []provenance.Ref {
	out := t.buf[:0]
	reads := t.acc[min(mark, len(t.acc)):]
	t.in.charge(len(reads) >> 2)
	if len(reads) <= fewRefs {
		for _, r := range reads {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	} else {
		var seen refSet
		for _, r := range reads {
			if seen.add(r) {
				out = append(out, r)
			}
		}
	}
	t.buf = append(out, more...)
	return t.buf
}

// fold makes one of the reads since the mark, so that loops do not pile them up.
func (t *tracker) fold(mark int) {
	if t.trace == nil || len(t.acc) <= mark+1 {
		return
	}
	r := t.trace.Join(t.since(mark)...)
	t.cut(mark)
	t.acc = append(t.acc, r)
}

// value is the ref of a value made of what was read since the mark, under the decisions in force.
func (t *tracker) value(mark int) provenance.Ref {
	if t.trace == nil {
		return 0
	}
	return t.trace.With(t.trace.Op("ruby", t.since(mark)...), t.ctl, t.heap)
}

// argument is the ref of a block's or method's parameter: the decision that its call stands under holds what it was
// called with, and the reads of the expressions around it hold the rest.
func (t *tracker) argument() provenance.Ref {
	if t.trace == nil {
		return 0
	}
	var reads provenance.Ref
	if n := len(t.joined); n > 0 {
		reads = t.joined[n-1]
	}
	for _, r := range t.acc[len(t.joined):] {
		if r != reads {
			reads = t.trace.Join(reads, r)
		}
		t.joined = append(t.joined, reads)
	}
	if t.of.ctl != t.ctl || t.of.reads != reads {
		of := t.trace.Few(t.ctl, fewRefs) // what the call reads: whose elements they are
		t.of = elementOf{t.ctl, reads, t.trace.Op("element", append(of, reads)...)}
	}
	return t.trace.With(t.of.op, t.ctl, t.heap)
}

// elementOf is the last operation that stands for an element of what a call reads.
type elementOf struct{ ctl, reads, op provenance.Ref }

// mutate notes that an object or global was changed on the strength of what was read since the mark.
func (t *tracker) mutate(mark int) {
	if t.trace != nil {
		t.heap = t.trace.Join(t.since(mark, t.ctl, t.heap)...)
	}
}

// A decision is what to go back to when the code is left that runs because of it.
type decision struct{ before, under provenance.Ref }

// decide enters what was decided by the reads since the mark. It must be left.
func (t *tracker) decide(mark int) decision {
	if t.trace == nil {
		return decision{}
	}
	d := decision{before: t.ctl}
	d.under = t.trace.Join(t.since(mark, d.before)...)
	t.ctl = d.under
	return d
}

// leave leaves a decision about n; what the branches could have done stays marked.
func (t *tracker) leave(d decision, n syntax.Node, f *frame) {
	if t.trace == nil {
		return
	}
	e := t.effects(n)
	for _, v := range e.assigned {
		t.under(d, f, v.Depth, v.Index)
	}
	t.left(d, e)
	if !e.jumps {
		t.ctl = d.before
	} else {
		t.ctl = t.trace.Join(t.ctl, d.under)
	}
}

// leaveBlock leaves the decision about a call with a block: the block ran because of what the receiver and arguments
// are.
func (t *tracker) leaveBlock(d decision, b *syntax.Block, f *frame) {
	if t.trace == nil {
		return
	}
	e := t.effects(b)
	for _, v := range b.Outer {
		t.under(d, f, v.Depth-1, v.Index)
	}
	t.left(d, e)
	if !e.jumps {
		t.ctl = d.before
	}
}

// under marks a local variable that the code could have set.
func (t *tracker) under(d decision, f *frame, depth, index int) {
	for ; depth > 0 && f != nil; depth-- {
		f = f.up
	}
	if f != nil && index < len(f.refs) {
		f.refs[index] = t.trace.With(f.refs[index], d.under)
	}
}

func (t *tracker) left(d decision, e *effects) {
	for _, name := range e.ivars {
		t.ivars[name] = t.trace.With(t.ivars[name], d.under)
	}
	if e.changes {
		t.heap = t.trace.Join(t.heap, d.under)
	}
}

// afterRescue: what happens after an exception was rescued may depend on all that was read before it.
func (t *tracker) afterRescue() {
	if t.trace != nil {
		t.in.charge((len(t.all) - t.everOf) >> 2)
		t.ever, t.everOf = t.trace.Join(append(slices.Clone(t.all[t.everOf:]), t.ever)...), len(t.all)
		t.ctl = t.trace.Join(t.ever, t.ctl)
	}
}

// effects are what a branch may do, taken or not.
type effects struct {
	assigned []*syntax.LVar
	ivars    []string
	changes  bool // objects, globals, constants
	jumps    bool
}

func (t *tracker) effects(n syntax.Node) *effects {
	if t.facts != nil {
		if e := t.facts.effects[n]; e != nil {
			return e
		}
	}
	if e, known := t.in.rt.effects.Load(n); known {
		return e.(*effects)
	}
	e, _ := t.in.rt.effects.LoadOrStore(n, effectsOf(n))
	return e.(*effects)
}

func effectsOf(n syntax.Node) *effects {
	e := &effects{}
	depth := 0
	var visit func(n syntax.Node) bool
	walkBelow := func(n syntax.Node) {
		syntax.Walk(n, func(m syntax.Node) bool {
			if m == n {
				return true
			}
			return visit(m)
		})
	}
	target := func(n syntax.Node) {
		syntax.Walk(n, func(m syntax.Node) bool {
			switch m := m.(type) {
			case *syntax.LVar:
				if m.Depth >= depth {
					e.assigned = append(e.assigned, &syntax.LVar{At: m.At, Name: m.Name, Depth: m.Depth - depth, Index: m.Index})
				}
			case *syntax.IVar:
				e.ivars = append(e.ivars, m.Name)
			case *syntax.GVar, *syntax.CVar, *syntax.Const, *syntax.Call:
				e.changes = true
			}
			return true
		})
	}
	visit = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			target(n.Target)
		case *syntax.OpAssign:
			target(n.Target)
			e.changes = e.changes || n.Op == "<<"
		case *syntax.For:
			target(n.Target)
		case *syntax.Jump:
			e.jumps = true
		case *syntax.Yield, *syntax.Super, *syntax.Def, *syntax.ClassDef, *syntax.SClass, *syntax.Alias:
			e.changes = true
		case *syntax.Call:
			if v, ok := n.Recv.(*syntax.LVar); ok && v.Name == "_erbout" {
				break
			}
			switch {
			case n.Name == "raise" || n.Name == "fail" || n.Name == "throw":
				e.jumps = true
			case mutator(n.Name):
				e.changes = true
			}
		case *syntax.Block:
			depth++
			walkBelow(n)
			depth--
			return false
		}
		return true
	}
	switch n := n.(type) {
	case *syntax.Block:
		depth = 1
		syntax.Walk(n.Body, visit)
	default:
		walkBelow(n)
	}
	return e
}

// MayChange lists the @variables of a program that may change objects in place: what they hold may be what it changes.
func (p *Program) MayChange() (names []string) {
	changes := false
	syntax.Walk(p.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IVar:
			if !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
		case *syntax.OpAssign:
			changes = changes || n.Op == "<<"
		case *syntax.Call:
			if v, ok := n.Recv.(*syntax.LVar); !ok || v.Name != "_erbout" {
				changes = changes || mutator(n.Name)
			}
		}
		return true
	})
	if !changes {
		return nil
	}
	return names
}

// mutator guesses from its name whether a method may change its receiver. Calls that we cannot see through count as
// changes.
func mutator(name string) bool {
	if name[len(name)-1] == '!' || name[len(name)-1] == '=' && name != "==" && name != "<=" && name != ">=" &&
		name != "===" {
		return true
	}
	switch name {
	case "<<", "push", "append", "pop", "shift", "unshift", "prepend", "insert", "concat", "replace", "clear", "delete",
		"delete_at", "delete_if",
		"keep_if", "store", "update", "fill", "add", "call", "setvar", "instance_variable_set", "send", "public_send",
		"__send__", "next", "rewind",
		"define_method", "eval", "instance_eval", "tap", "then", "force_encoding", "default":
		return true
	}
	return false
}

// callArgs notes what a call reads: containers from Puppet count with all they hold, unless one element is asked for.
func (t *tracker) callArgs(mark int, recv Object, name string, args []Object) {
	if t.trace == nil {
		return
	}
	if !t.element(recv, name, args) {
		t.deepOf(recv)
	}
	for _, a := range args {
		t.deepOf(a)
	}
	if mutator(name) {
		t.mutate(mark)
	}
}

// element notes the read of one element, and reports whether it was one.
func (t *tracker) element(recv Object, name string, args []Object) bool {
	switch name {
	case "[]", "fetch", "dig", "key?", "has_key?", "include?", "member?", "is_a?", "kind_of?", "nil?", "class",
		"respond_to?", "instance_of?":
	default:
		return false
	}
	switch r := recv.(type) {
	case *Hash:
		if r.origin == nil || r.origin.hash == nil {
			return false
		}
		t.read(r.origin.spine)
		if len(args) == 0 {
			return true
		}
		s, ok := args[0].(*String)
		if !ok {
			return false
		}
		// a later key could come in the place of the one that is found, any in that of one that is not
		found := false
		last := provenance.Ref(0)
		entries := r.origin.hash.Entries()
		e := r.origin.hash.EntryString(s.String())
		for i := range entries {
			if &entries[i] == e {
				found = true
				t.read(e.Ref)
			}
			if k := entries[i].KeyRef; (found || e == nil) && k != last {
				t.read(k)
				last = k
			}
		}
		return name != "dig" || len(args) == 1
	case *Array:
		if r.origin == nil || r.origin.array == nil {
			return false
		}
		t.read(r.origin.spine)
		if len(args) == 0 {
			return true
		}
		i, ok := args[0].(Int)
		if !ok || len(args) > 1 || name == "include?" || name == "member?" {
			return false
		}
		if i < 0 {
			i += Int(len(r.origin.array.Elems))
		}
		if i >= 0 && int(i) < len(r.origin.array.Elems) {
			t.read(r.origin.array.Ref(int(i)))
		}
		return true
	}
	return false
}

func (t *tracker) deepOf(o Object) { t.deep(o) }

// deep notes that a container was read as a whole. Arrays of the program's own are walked, each once.
func (t *tracker) deep(o Object) {
	if t.trace == nil {
		return
	}
	a, ok := o.(*Array)
	if !ok {
		t.deepOne(o)
		return
	}
	var seen map[*Array]bool // once there is a second one
	todo := []*Array{a}
	for len(todo) > 0 {
		a := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		t.deepOne(a)
		if a.src != nil {
			continue
		}
		t.in.charge(len(a.e) >> 3)
		for _, e := range a.e {
			b, ok := e.(*Array)
			if !ok {
				t.deepOne(e)
				continue
			}
			if seen == nil {
				seen = map[*Array]bool{a: true}
			}
			if !seen[b] {
				seen[b] = true
				todo = append(todo, b)
			}
		}
	}
}

// deepOne notes an object, without what a program put into it.
func (t *tracker) deepOne(o Object) {
	switch o := o.(type) {
	case *Array:
		if o.origin != nil && o.origin.array != nil {
			t.read(t.trace.Deep(o.origin.spine, o.origin.array))
		}
	case *Hash:
		if o.origin != nil && o.origin.hash != nil {
			t.read(t.trace.Deep(o.origin.spine, o.origin.hash))
		}
	case *Foreign:
		t.read(o.ref)
	}
}
