package ruby

import (
	"maps"
	"math/big"
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// A host may keep an interpreter for as long as a compile lasts and call what its programs have defined: the functions
// of modules are loaded once and called often. This file is what such a host needs: natives, calls that end in ways it
// can tell apart, and what a call depends on without all that the calls before it have read.
//
// Between two calls only what can be reached from constants, globals, variables of classes and of functions is left.
// The tracker has one mark for all changes of objects; it is carried from one call to the next only if something of
// that kind was changed (lasting).

// An End is how a call ended that did not return.
type End struct {
	Exception *Exception // one that was not rescued
	Error     *Error     // what we cannot or may not do, with its reason
	cause     any
}

// Resume goes on with what ended the call.
func (e *End) Resume() { panic(e.cause) }

// Jumps reports whether code wants to leave for a place outside of the call: a break, a return, a throw.
func (e *End) Jumps() bool { _, is := e.cause.(*jump); return is }

// Protect runs f, nil when it returns. The end of the budget passes through, and so does what is the host's own.
func (in *Interp) Protect(f func()) (end *End) {
	depth, tags, at, file := in.used.depth, len(in.tags), in.at, in.file
	exc := in.curExc
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		in.unwind(depth)
		in.tags = in.tags[:tags]
		switch r := r.(type) {
		case *raised:
			end = &End{Exception: r.exc, cause: r}
		case *jump:
			end = &End{cause: r}
		default:
			err, ok := in.asError(r).(*Error)
			if !ok {
				panic(r)
			}
			end = &End{Error: err, cause: r}
		}
		in.at, in.file, in.curExc = at, file, exc
	}()
	f()
	return nil
}

// Message is an exception's text.
func (in *Interp) Message(e *Exception) string { return in.message(e) }

// Raising raises an exception of a class that a program has defined, for hosts that are called from a run. what may
// change it before.
func (in *Interp) Raising(class, message string, what func(e *Exception)) {
	c, _ := in.Constant(class)
	k, ok := c.(*Class)
	if !ok {
		k = in.rt.class("RuntimeError")
	}
	e := in.makeException([]Object{k, NewString(message)})
	if what != nil {
		what(e)
	}
	panic(&raised{e})
}

// RaiseAgain raises an exception once more, for hosts that are called from a run.
func (in *Interp) RaiseAgain(e *Exception) { panic(&raised{e}) }

// IsA reports whether an object is of a class, which is known by its full name.
func (in *Interp) IsA(o Object, class string) bool {
	for _, a := range in.ancestors(in.classOf(o)) {
		if a.name == class {
			return true
		}
	}
	return false
}

// Ivar and SetIvar read and set an instance variable, which is named with its @.
func (in *Interp) Ivar(o Object, name string) Object { return in.getIvar(o, name) }

// SetIvar sets an instance variable.
func (in *Interp) SetIvar(o Object, name string, v Object) { in.setIvar(o, name, v) }

// Make makes an object of a class that a program has defined, without calling initialize: its variables are name,
// value, name, value…
func (in *Interp) Make(class *Class, ivars ...any) *Instance {
	o := &Instance{class: class, ivars: NewHash()}
	for i := 0; i < len(ivars); i += 2 {
		o.ivars.put(Symbol(ivars[i].(string)), ivars[i+1].(Object))
	}
	return o
}

// Native defines a function of a module's own, which is the host's.
func (in *Interp) Native(module *Class, name string, f func(args []Object, block *Proc) Object) {
	in.addSingleton(module, &method{name: name, builtin: &builtin{name, 0, -1, func(c *call) Object {
		args, block := c.args, c.block
		return orNil(f(args, block))
	}}})
}

// Call calls a method, private ones too, for hosts that are called from a run or protect it.
func (in *Interp) Call(recv Object, name string, args []Object, block *Proc) Object {
	return in.send(recv, name, args, block)
}

// CallProc calls a block or lambda, likewise.
func (in *Interp) CallProc(p *Proc, args []Object) Object { return in.callProc(p, args, nil) }

// CallTraced calls a method whose arguments come from refs, one each.
func (in *Interp) CallTraced(recv Object, name string, args []Object, refs []provenance.Ref, block *Proc) Object {
	m := in.findFor(recv, name)
	if in.prov.trace == nil || m == nil || m.def == nil {
		for _, r := range refs {
			in.prov.read(r)
		}
		return in.send(recv, name, args, block)
	}
	in.given = refs
	return in.invoke(m, recv, args, block)
}

// RunIn runs a program with self. Its constants and methods land in a class, those of the top when that is nil.
func (in *Interp) RunIn(prog *Program, self Object, into *Class) Object {
	f := in.newFrame(prog.Slots)
	f.meth, f.home, f.self = f, f, self
	if into != nil {
		f.cref = &lexical{class: into}
	}
	outer, file, at := in.prog, in.file, in.at
	in.prog, in.file = prog, prog.File
	v := in.eval(prog.Body, f)
	in.prog, in.file, in.at = outer, file, at
	return v
}

// LoadPath is what the program has added to where libraries are looked for.
func (in *Interp) LoadPath() (dirs []string) {
	if in.loadPath != nil {
		for _, e := range in.loadPath.els() {
			dirs = append(dirs, in.toS(e))
		}
	}
	return dirs
}

// Main is an object for programs to run in that have no other.
func (in *Interp) Main() Object { return &Instance{class: in.rt.object} }

// Elems makes the objects of an array's elements.
func (in *Interp) Elems(o Object) []Object { return in.toArray(o) }

// Keywords splits off the keyword arguments of a native.
func Keywords(args []Object) ([]Object, *Hash) {
	if n := len(args); n > 0 {
		if h, ok := args[n-1].(*Hash); ok && h.kw {
			return args[:n-1], h
		}
	}
	return args, nil
}

// At is an entry of a hash, nil when there is none.
func (h *Hash) At(key Object) Object { return h.at(key) }

// Pairs lists a hash's keys and values in turn.
func (h *Hash) Pairs() []Object {
	var out []Object
	for _, e := range h.pairs() {
		out = append(out, e.key, e.val)
	}
	return out
}

// NewTable makes a hash of what it is given, keys and values in turn.
func (in *Interp) NewTable(pairs ...Object) *Hash {
	h := in.newHash()
	for i := 0; i < len(pairs); i += 2 {
		h.put(pairs[i], pairs[i+1])
	}
	return h
}

// NewBinary makes a string of bytes.
func NewBinary(s string) *String { return &String{s: s, binary: true} }

// Negative reports whether a number is below zero; Hex is it in base 16.
func (b *Big) Negative() bool { return b.n.Sign() < 0 }

// Hex is the number in base 16, as Ruby writes it.
func (b *Big) Hex() string {
	if b.n.Sign() < 0 {
		return "-0x" + new(big.Int).Neg(b.n).Text(16)
	}
	return "0x" + b.n.Text(16)
}

// Class is the name of an exception's class.
func (e *Exception) Class() string { return e.class.name }

// Below reports whether a class is another one or below it.
func (in *Interp) Below(c, of *Class) bool { return in.subclass(c, of) }

// IsTrue is Ruby's notion of truth.
func IsTrue(o Object) bool { return truthy(o) }

// IsNil reports whether an object is nil.
func IsNil(o Object) bool { return isNil(o) }

// Arity tells how many arguments a block takes, as Proc#arity does.
func (p *Proc) Arity() int { return p.arityOf() }

// IsLambda reports whether a block is a lambda.
func (p *Proc) IsLambda() bool { return p.lambda }

// Foreign is the value of Puppet's behind an object that stands for one.
func (f *Foreign) Value() value.Value { return f.v }

// NewForeign makes an object that stands for a value of Puppet's.
func NewForeign(v value.Value, ref provenance.Ref) *Foreign { return &Foreign{v: v, ref: ref} }

// Pattern is what a regular expression was written as, with its options if it has any.
func (r *Regexp) Pattern() string {
	if r.flags == 0 {
		return r.src
	}
	return r.embed()
}

// ---- what a call depends on

// A Turn is one call of the host's.
type Turn struct {
	acc, depth int
	ctl        provenance.Ref
	all        []provenance.Ref
	seen       refSet
	ever       provenance.Ref
	everOf     int
	outermost  bool
}

// Begin begins a call. What other calls have decided and read does not count for this one.
func (in *Interp) Begin() Turn {
	t := &in.prov
	turn := Turn{acc: len(t.acc), depth: in.used.depth, ctl: t.ctl, outermost: in.turns == 0}
	in.turns++
	if turn.outermost {
		in.changed = false
		turn.all, turn.seen, turn.ever, turn.everOf = t.all, t.seen, t.ever, t.everOf
		t.all, t.seen, t.ever, t.everOf, t.ctl = nil, refSet{}, 0, 0, 0
	}
	return turn
}

// Finish ends a call and says what its result depends on.
func (in *Interp) Finish(turn Turn) (r provenance.Ref) {
	t := &in.prov
	in.turns--
	if t.trace != nil {
		r = t.value(turn.acc)
		t.cut(turn.acc)
	}
	if turn.outermost {
		t.ctl, t.all, t.seen, t.ever, t.everOf = turn.ctl, turn.all, turn.seen, turn.ever, turn.everOf
		if !in.lasting && t.trace != nil {
			t.heap = 0
			clear(t.ivars)
		}
		in.forget()
		in.release()
	} else if t.trace != nil {
		t.ctl = turn.ctl
	}
	in.settle()
	return r
}

// Now is what an argument depends on that a program hands to its host.
func (in *Interp) Now() provenance.Ref { return in.prov.argument() }

// Deep notes that a value of Puppet's was read as a whole.
func (in *Interp) Deep(v value.Value, r provenance.Ref) {
	if in.prov.trace == nil {
		return
	}
	if c, is := v.(provenance.Contents); is {
		r = in.prov.trace.Deep(r, c)
	}
	in.prov.read(r)
}

// Booted says that what was defined so far is the host's: from now on programs are told to leave something behind when
// they set variables of classes or functions, or change what a constant holds.
func (in *Interp) Booted() { in.booted, in.strays.many = true, false }

// Unbooted is for what the host loads later on; the function that it returns ends that.
func (in *Interp) Unbooted() func() {
	before := in.booted
	in.booted = false
	return func() { in.booted = before }
}

// Lasts reports whether a program has left something behind that later calls may see.
func (in *Interp) Lasts() bool { return in.lasting }

// keep notes that something is set that outlives the call.
func (in *Interp) keep() {
	if in.booted {
		in.lasting = true
	}
}

// root marks what a constant holds: whoever changes it leaves something behind.
func root(o Object) {
	switch o := o.(type) {
	case *String:
		if !o.frozen { // it may be one of Ruby's own, which all interpreters share
			o.root = true
		}
	case *Array:
		if !o.root {
			o.root = true
			for _, e := range o.els() {
				root(e)
			}
		}
	case *Hash:
		if !o.root {
			o.root = true
			for _, e := range o.pairs() {
				root(e.val)
			}
		}
	case *Set:
		o.h.root = true
	}
}

// Defines lists what Puppet does not allow in a file of a 3.x function: the first method that it defines, and whether
// it calls newfunction.
func Defines(p *Program) (def *syntax.Def, calls bool) {
	syntax.Walk(p.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Def:
			if def == nil {
				def = n
			}
		case *syntax.Call:
			calls = calls || n.Name == "newfunction"
		}
		return true
	})
	return def, calls
}

// Names are the full names of a program's own top-level constants, sorted: for tests that compare two interpreters.
func (in *Interp) Names() []string {
	all := maps.Clone(in.gconst.of)
	if all == nil {
		all = map[string]Object{}
	}
	maps.Copy(all, in.gconst.base)
	return slices.Sorted(maps.Keys(all))
}

// Catch runs f as the block of catch does.
func (in *Interp) Catch(tag string, f func() Object) Object {
	block := &Proc{lambda: true, native: func([]Object) Object { return f() }}
	return kernelCatch(&call{in: in, name: "catch", args: []Object{Symbol(tag)}, block: block})
}

// AsBelow reports whether an object answers a name with the method that all objects of a class have.
func (in *Interp) AsBelow(c *Class, o *Instance, name string) bool {
	return in.findFor(o, name) == in.findMethod(c, name)
}

// AsAbove reports whether a class answers a name as one above it does.
func (in *Interp) AsAbove(c, above *Class, name string) bool {
	return in.findFor(c, name) == in.findFor(above, name)
}

// Usual reports whether no object has methods that others of its class have not, and no text is marked as secret.
func (in *Interp) Usual() bool { return !in.alone && !in.secretive }

// ClassOf is an object's class.
func (o *Instance) ClassOf() *Class { return o.class }

// Member is a member of a struct, nil when it has none of that name.
func (o *Instance) Member(name string) Object {
	if o.ivars == nil {
		return nil
	}
	return o.ivars.at(memberKey(name))
}

// SetMember sets it for the host, which leaves nothing behind by that.
func (o *Instance) SetMember(name string, v Object) {
	if o.ivars == nil {
		o.ivars = NewHash()
	}
	o.ivars.put(memberKey(name), v)
}
