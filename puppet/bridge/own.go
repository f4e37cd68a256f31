package bridge

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// The own engine: what modules have written in Ruby runs in package ruby, without a process, bounded by the compile's
// budget, and without a way to the machine.
//
// It shares with the pipe what functions see of Puppet (runtime/*.rb) and what they may ask (ask.go). What differs is
// where a call ends. An exception that leaves a function is the compile's error, as in Puppet. What the interpreter
// cannot do, or may not (DNS, HTTP, processes, the clock, chance), makes the call's result unknown, with the reason; no
// rescue in the module's code sees that. A value that nobody knows may be handed to Ruby and back; the run ends where
// somebody looks at it.
//
// An interpreter lives for one compile, since Ruby's state does: globals, constants, variables of classes. When a call
// ends early that has left something behind, nobody knows what later calls would have seen, and they are unknown, too.

// A Library is what compiles share of the own engine: Ruby's classes, and programs that were read.
type Library struct {
	runtime func() *ruby.Runtime

	// seed is the state after the runtime's files have run, which depends on nothing else.
	seed func() (*ruby.Seed, error)

	mu       sync.Mutex
	programs map[programKey]*parsed

	functions sync.Map // madeKey → *made
}

type programKey struct {
	path   string
	digest source.Digest
}

type parsed struct {
	program *ruby.Program
	trouble source.Diagnostics
	reach   func() *ruby.Reach // what it names
}

// NewLibrary makes an empty one; runtime gives Ruby's classes.
func NewLibrary(runtime func() *ruby.Runtime) *Library {
	l := &Library{runtime: runtime, programs: map[programKey]*parsed{}}
	l.seed = sync.OnceValues(func() (*ruby.Seed, error) {
		in, err := l.start()
		if err != nil {
			return nil, err
		}
		return in.Seed()
	})
	return l
}

func (l *Library) program(path string, c source.Content) *parsed {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := programKey{path, c.Digest}
	p := l.programs[key]
	if p == nil {
		p = &parsed{}
		p.program, p.trouble = ruby.Parse(source.NewFile(path, c.Text))
		p.reach = sync.OnceValue(func() *ruby.Reach { return ruby.ReachOf(p.program) })
		l.programs[key] = p
	}
	return p
}

// Own is how the own engine runs.
type Own struct {
	Library *Library
	Files   source.Files
	Limits  ruby.Limits // with the compile's budget
	// Asked is told of every path that is looked at, and whether as a directory, before it is; nil for nobody.
	Asked func(path string, list bool)
	// Found keeps what of Files was found to be a file, or not, when it was required, for all compiles; nil for nothing.
	Found *sync.Map
}

// NewOwn makes a bridge to the own engine, for one compile.
func NewOwn(opt Options, own Own) *Bridge {
	b := New(opt)
	b.own = &ownRun{b: b, reading: reading{Own: own, libraries: opt.Libraries}}
	b.own.reading.trace = func() *provenance.Trace {
		if len(b.frames) == 0 {
			return nil
		}
		return b.frames[len(b.frames)-1].call.Trace()
	}
	return b
}

// An ownRun is the interpreter of one compile.
type ownRun struct {
	reading
	b       *Bridge
	bunraku *ruby.Class
	tasks   *ruby.Class
	classes map[string]*ruby.Class
	args    [][]ruby.Object                // of the calls under way
	seen    int                            // how many of the compile's changes the code has seen
	scopes  map[*eval.Scope]*ruby.Instance // what stands for them
	symbols bool                           // a symbol is to stay one
	spoilt  spoilt                         // whose state nobody knows
}

// ownFiles are the files of the runtime, in the order in which they build on each other.
var ownFiles = []string{"own", "values", "types", "puppet", "scope", "functions", "tasks"}

// own is a file of the runtime, read at the first question.
func (l *Library) own(name string) (*parsed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := programKey{path: "bunraku/" + name + ".rb"} // without a digest: it never changes
	p := l.programs[key]
	if p == nil {
		text, err := runtime.ReadFile("runtime/" + name + ".rb")
		if err != nil {
			return nil, err
		}
		p = &parsed{}
		p.program, p.trouble = ruby.Parse(source.NewFile(key.path, string(text)))
		l.programs[key] = p
	}
	return p, nil
}

// start runs the files of the runtime in an interpreter.
func (l *Library) start() (*ruby.Interp, error) {
	in := l.runtime().New(ruby.DefaultLimits())
	in.MaybeFrozen, in.Gettext = true, true
	end := in.Protect(func() {
		for _, name := range ownFiles {
			p, err := l.own(name)
			if err != nil {
				in.Unsupported(err.Error())
			}
			in.RunIn(p.program, in.Main(), nil)
		}
	})
	switch {
	case end == nil:
		return in, nil
	case end.Exception != nil:
		return nil, fmt.Errorf("the runtime does not start: %s", in.Message(end.Exception))
	case end.Error != nil:
		return nil, fmt.Errorf("the runtime does not start: %w", end.Error)
	}
	return nil, errors.New("the runtime does not start: it jumps")
}

// boot makes the interpreter at the first call.
func (o *ownRun) boot(c *eval.Call) error {
	if o.in != nil {
		return nil
	}
	seed, err := o.Library.seed()
	if err != nil {
		return err
	}
	in := seed.New(o.Limits)
	in.MaybeFrozen, in.Gettext, in.Frozen, in.Secrets = true, true, c.Eval.Frozen, c.Eval
	if tr := c.Trace(); tr != nil {
		in.Trace(tr, nil)
	}
	o.in, o.classes = in, map[string]*ruby.Class{}
	o.bunraku, o.tasks = o.class("Bunraku"), o.class("Bunraku::Tasks")
	o.natives()
	function := o.class("Puppet::Pops::Functions::Function")
	in.Hooks = ruby.Hooks{
		Require: o.require, Constant: o.constant, More: o.more, JSON: checkJSON, FromValue: o.fromValue, ToValue: o.toValue,
		Files:   &o.reading,
		Lasting: func(c *ruby.Class) bool { return in.Below(c, function) || c == o.class("Puppet::Parser::Scope") },
		Raise: func(in *ruby.Interp, e *ruby.Exception) {
			if in.IsA(e, "Bunraku::Missing") {
				in.Unsupported(needsMore + in.Message(e))
			}
		},
	}
	texts := make([]ruby.Object, len(o.b.opt.Libraries))
	for i, l := range o.b.opt.Libraries {
		texts[i] = ruby.NewString(l)
	}
	in.Call(o.bunraku, "libraries=", []ruby.Object{ruby.NewArray(texts...)}, nil)
	in.Call(o.bunraku, "version=", []ruby.Object{ruby.NewString(o.b.opt.Version)}, nil)
	in.Call(o.bunraku, "settings=", []ruby.Object{in.FromValue(o.b.opt.Settings, 0)}, nil)
	in.Booted()
	return nil
}

// class is a class or module of the runtime's.
func (o *ownRun) class(name string) *ruby.Class {
	c := o.classes[name]
	if c == nil {
		v, _ := o.in.Constant(name)
		c, _ = v.(*ruby.Class)
		o.classes[name] = c
	}
	return c
}

// natives are the functions of the module Bunraku.
func (o *ownRun) natives() {
	in := o.in
	text := func(args []ruby.Object, i int) string {
		if i < len(args) {
			return in.ToS(args[i])
		}
		return ""
	}
	in.Native(o.bunraku, "ask", o.ask)
	in.Native(o.bunraku, "bare", func(args []ruby.Object, _ *ruby.Proc) ruby.Object {
		if n := len(o.b.frames); n > 0 {
			o.b.frames[n-1].call.Eval.Bare(&value.Sensitive{Value: in.ToValue(args[0])})
			in.Bared(args[0])
		}
		return nil
	})
	in.Native(o.bunraku, "refuse", func(args []ruby.Object,
		_ *ruby.Proc) ruby.Object {
		in.Refuse(text(args, 0))
		return nil
	})
	in.Native(o.bunraku, "unsupported", func(args []ruby.Object,
		_ *ruby.Proc) ruby.Object {
		in.Unsupported(text(args, 0))
		return nil
	})
	in.Native(o.bunraku, "scope_of", func([]ruby.Object, *ruby.Proc) ruby.Object { return o.scope() })
	in.Native(o.bunraku, "text", func(args []ruby.Object, _ *ruby.Proc) ruby.Object {
		return ruby.NewString(o.content(text(args, 0)).Text)
	})
	in.Native(o.bunraku, "read", func(args []ruby.Object, _ *ruby.Proc) ruby.Object {
		class := o.class(instantiator)
		if strings.Contains(text(args, 0), "/parser/functions/") {
			class = o.class("Puppet::Pops::Loader::RubyLegacyFunctionInstantiator")
		}
		o.runs(text(args, 0))
		return in.RunIn(o.program(text(args, 0)), class, class)
	})
	in.Native(o.bunraku, "methods_in", func(args []ruby.Object, _ *ruby.Proc) ruby.Object {
		p := o.program(text(args, 0))
		def, calls := ruby.Defines(p)
		out := []ruby.Object{ruby.Bool(calls), ruby.Nil{}}
		if def != nil {
			out[1] = ruby.NewArray(ruby.NewString(def.Name), ruby.Int(p.File.Position(def.NameAt.Start).Column-1))
		}
		return ruby.NewArray(out...)
	})
	in.Native(o.bunraku, "invoke", func(args []ruby.Object, block *ruby.Proc) ruby.Object {
		woven := in.Elems(args[2])
		return in.CallTraced(args[0], text(args, 1), woven, o.refsOf(woven), block)
	})
}

// refsOf finds where the arguments of a function's method come from: they are those of the call, in their order, with
// what is injected between them.
func (o *ownRun) refsOf(woven []ruby.Object) []provenance.Ref {
	if len(o.args) == 0 || len(o.b.frames) == 0 {
		return nil
	}
	given, c := o.args[len(o.args)-1], o.b.frames[len(o.b.frames)-1].call
	refs := make([]provenance.Ref, len(woven))
	next := 0
	for i, w := range woven {
		if next < len(given) && w == given[next] {
			refs[i] = c.ArgRef(next)
			next++
		}
	}
	if next != len(given) { // some are collected: then all count for all
		all := c.Trace().Join(c.Refs...)
		for i := range refs {
			refs[i] = all
		}
	}
	return refs
}

// ---- calls

// A raising is an exception that left Ruby code. It may be handed back to Ruby code that called what raised it.
type raising struct {
	text   string
	end    *ruby.End
	lookup bool // it says what is wrong with a lookup
}

func (r *raising) Error() string { return r.text }

// RaisedInRuby reports whether it is an error of the code's own, and not one about the lookup that it serves.
func (r *raising) RaisedInRuby() bool { return !r.lookup }

// A passing is on its way through Ruby code to a place in the compile that it jumps to: a return, a next, a function of
// Hiera's that has found nothing. Nobody rescues it.
type passing struct{ why *eval.Interruption }

// HostPanic tells the interpreter that it is not its own.
func (*passing) HostPanic() {}

// passes lets go on what passes through Ruby code, at the end of it.
func passes() {
	switch r := recover().(type) {
	case nil:
	case *passing:
		r.why.Resume()
	default:
		panic(r)
	}
}

// unable is why the interpreter gave no answer.
type unable struct {
	why string
	end *ruby.End
}

func (u *unable) Error() string { return u.why }

// ended turns the end of a run into an error.
func (o *ownRun) ended(end *ruby.End) error {
	switch {
	case end.Exception != nil:
		text := end.Exception.Class()
		if e := o.in.Protect(func() { text = o.in.Message(end.Exception) }); e != nil {
			return &unable{why: "the text of a " + end.Exception.Class(), end: e}
		}
		return &raising{text: text, end: end, lookup: o.in.IsA(end.Exception, "Puppet::DataBinding::LookupError")}
	case end.Error != nil && end.Error.Kind == ruby.Unknown:
		why := end.Error.Message
		return &opaque{&value.Opaque{Why: why, Absent: eval.IsAbsent(why)}}
	case end.Error != nil:
		return &unable{why: end.Error.Error(), end: end}
	}
	return &unable{why: "not supported without Ruby: a jump out of a block", end: end}
}

// load has the interpreter read a function's file.
func (o *ownRun) load(name, path string, kind Kind) (v value.Value, err error) {
	defer passes()
	o.runs(path)
	end := o.in.Protect(func() {
		in := o.in
		in.Lasting(func() {
			if kind == Modern {
				v = o.once(name, path)
			}
			if v == nil {
				v = loadIn(in, o.tasks, name, path, kind)
			}
		})
	})
	if end != nil {
		return nil, o.ended(end)
	}
	return v, nil
}

// call calls a function with one of its signatures.
func (o *ownRun) call(f *frame, fn *function, chosen int) (v value.Value, err error) {
	defer passes()
	in, c := o.in, f.call
	file := c.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: "file " + fn.path})
	defer o.enter(c.Scope)()
	end := in.Protect(func() {
		o.takeOver(c.Eval)
		args := make([]ruby.Object, len(c.Args))
		for i, a := range c.Args {
			args[i] = in.FromValue(a, c.ArgRef(i))
		}
		o.args = append(o.args, args)
		defer func() { o.args = o.args[:len(o.args)-1] }()
		if fn.old || fn.own {
			for i := range c.Args {
				in.Read(c.ArgRef(i))
			}
		}
		out, done := o.direct(c, fn, chosen, args)
		if !done {
			out = o.byRuntime(c, fn, chosen, args)
		}
		o.handOver(c.Eval, file)
		v = in.Tie(out)
	})
	if end != nil {
		o.forsake(c.Eval, end, file)
		return nil, o.ended(end)
	}
	return v, nil
}

// gone is the number of no frame.
const gone = 1 << 30

// enter has the object that stands for a scope ask as the call that is under way now, until that has ended. There is
// one for each scope, since functions of the 3.x API run in it and keep variables there.
func (o *ownRun) enter(sc *eval.Scope) (leave func()) {
	s, before := o.scopes[sc], ruby.Object(ruby.Int(gone))
	if s == nil {
		s = o.in.Make(o.class("Puppet::Parser::Scope"))
		if o.scopes == nil {
			o.scopes = map[*eval.Scope]*ruby.Instance{}
		}
		o.scopes[sc] = s
	} else {
		before = s.Member("@frame")
	}
	s.SetMember("@frame", ruby.Int(len(o.b.frames)-1))
	return func() { s.SetMember("@frame", before) }
}

// scope is the object for the scope of the call that is under way.
func (o *ownRun) scope() ruby.Object { return o.scopes[o.b.frames[len(o.b.frames)-1].call.Scope] }

// byRuntime has the runtime call it.
func (o *ownRun) byRuntime(c *eval.Call, fn *function, chosen int, args []ruby.Object) ruby.Object {
	in := o.in
	m := in.NewTable(ruby.NewString("name"), ruby.NewString(fn.name), ruby.NewString("path"), ruby.NewString(fn.path),
		ruby.NewString("kind"), ruby.Int(fn.kind),
		ruby.NewString("dispatch"), ruby.Int(chosen), ruby.NewString("arguments"), ruby.NewArray(args...),
		ruby.NewString("scope"), ruby.Int(len(o.b.frames)-1))
	if c.Block != nil && !fn.old {
		m.Put(ruby.NewString("block"), in.FromValue(shape(c.Block), 0))
	}
	return in.Call(o.tasks, "call", []ruby.Object{m}, nil).(*ruby.Hash).At(ruby.NewString("value"))
}

// handOver tells the compile which of its arrays and hashes the code has changed, because the compile goes on.
func (o *ownRun) handOver(ev *eval.Evaluator, file provenance.Ref) {
	tr := ev.Top().Trace()
	o.in.Altered(func(was, now value.Value) { ev.Change(was, now, tr.Join(o.in.Now(), o.in.ChangesRef(), file)) })
	o.seen = ev.Changes()
}

// takeOver has the code see what the compile has changed meanwhile.
func (o *ownRun) takeOver(ev *eval.Evaluator) {
	if n := ev.Changes(); n != o.seen {
		o.seen = n
		o.in.Refresh(ev.Latest)
	}
}

// forsake tells the compile what code has changed that ended early. An exception may be rescued by who called it.
func (o *ownRun) forsake(ev *eval.Evaluator, end *ruby.End, file provenance.Ref) {
	if end.Exception != nil && o.in.Protect(func() { o.handOver(ev, file) }) == nil {
		return
	}
	o.in.Forsaken(func(was value.Value) { ev.Change(was, nil, file) })
}

// ask answers a question of Ruby code's.
func (o *ownRun) ask(args []ruby.Object, _ *ruby.Proc) ruby.Object {
	in, b := o.in, o.b
	args, more := ruby.Keywords(args)
	name := in.ToS(args[0])
	m := &value.HashBuilder{}
	if more != nil {
		pairs := more.Pairs()
		for i := 0; i < len(pairs); i += 2 {
			m.SetString(in.ToS(pairs[i]), in.ToValue(pairs[i+1]))
		}
	}
	q := &question{b: b, m: m.Hash()}
	if q.f = b.frameOf(q.m); q.f == nil {
		in.Unsupported("a scope that is no longer there")
	}
	q.scope = q.f.call.Scope
	if i, is := q.m.At("scope").(value.Int); is && i < 0 {
		q.scope = q.f.call.Eval.Top()
	}
	ev := q.f.call.Eval
	o.handOver(ev, 0)
	o.symbols = passesOn(name, args)
	for _, a := range args[1:] {
		if keeps[name] {
			q.args = append(q.args, in.Tie(a))
		} else {
			q.args = append(q.args, ev.Latest(in.ToValue(a)))
		}
	}
	o.symbols = false
	if method := b.questions[name]; method != nil {
		return o.answer(q, name, method)
	}
	in.Unsupported("the question " + name)
	return nil
}

// keeps are the questions by which Ruby code hands values over, which others may keep, or change.
var keeps = map[string]bool{"set": true, "call": true, "old_call": true, "yield": true}

// passesOn tells the calls of functions that give back what they are given, so that a symbol is one afterwards.
func passesOn(question string, args []ruby.Object) bool {
	if question != "call" && question != "old_call" || len(args) < 2 {
		return false
	}
	name, _ := ruby.Text(args[1])
	switch name {
	case "lookup", "hiera", "hiera_array", "hiera_hash":
		return true
	}
	return false
}

func (o *ownRun) answer(q *question, name string, method func(*question) (value.Value, error)) ruby.Object {
	in := o.in
	var v value.Value
	var err error
	why := q.f.call.Attempt(func() { v, err = method(q) })
	o.takeOver(q.f.call.Eval)
	if why != nil {
		switch {
		case why.Jump && !why.Break:
			panic(&passing{why})
		case !why.Failure && !why.Break:
			why.Resume()
		}
		o.b.interrupted = append(o.b.interrupted, why)
		class := "Puppet::PreformattedError"
		if why.Break {
			class = "Puppet::Pops::Evaluator::PuppetStopIteration"
		}
		in.Raising(class, why.Text, func(e *ruby.Exception) {
			in.SetIvar(e, "@bunraku_abort", ruby.Int(len(o.b.interrupted)-1))
		})
	}
	var hole *opaque
	if errors.As(err, &hole) {
		v, err = hole.value, nil
		if name == "variable" {
			v = value.NewArray(v, value.Bool(true))
		}
	}
	if err != nil {
		o.fail(err)
	}
	if a, is := v.(*value.Array); is && name == "variable" {
		return ruby.NewArray(in.FromValue(a.Elems[0], q.ref), in.FromValue(a.Elems[1], 0))
	}
	return in.FromValue(value.OrUndef(v), q.ref)
}

// fail raises an error of the compiler's in Ruby code, or goes on with what ended a run further in.
func (o *ownRun) fail(err error) {
	var r *raising
	var u *unable
	var c *classed
	switch {
	case errors.As(err, &r):
		o.in.RaiseAgain(r.end.Exception)
	case errors.As(err, &u):
		u.end.Resume()
	case errors.As(err, &c):
		o.in.Raising(c.class, c.text, nil)
	}
	o.in.Raising("Puppet::ParseError", err.Error(), nil)
}

// yield calls a block that Ruby code gave to a function of the compiler's.
func (o *ownRun) yield(number value.Value, args []value.Value, refs []provenance.Ref) (v value.Value, r provenance.Ref,
	err error) {
	defer passes()
	in, ev := o.in, o.b.frames[len(o.b.frames)-1].call.Eval
	end := in.Protect(func() {
		o.takeOver(ev)
		n, _ := number.(value.Int)
		block, ok := in.Call(o.bunraku, "block", []ruby.Object{ruby.Int(n)}, nil).(*ruby.Proc)
		if !ok {
			in.Unsupported("a block that is no longer there")
		}
		list := make([]ruby.Object, len(args))
		for i, a := range args {
			ref := provenance.Ref(0)
			if i < len(refs) {
				ref = refs[i]
				in.Read(ref)
			}
			list[i] = in.FromValue(a, ref)
		}
		out := in.CallProc(block, list)
		o.handOver(ev, 0)
		v = in.Tie(out)
		r = in.Now()
	})
	if end != nil {
		o.forsake(ev, end, 0)
		return nil, 0, o.ended(end)
	}
	return v, r, nil
}

// settle words how a call of the own engine ended.
func (o *ownRun) settle(c *eval.Call, name, path string, v value.Value, err error) (value.Value, error) {
	var r *raising
	var u *unable
	if err != nil && o.in != nil && o.in.Lasts() && !errors.As(err, &r) {
		o.spoil(path, err.Error(), c.Block)
	}
	switch {
	case errors.As(err, &u) && !u.end.Jumps():
		return &value.Opaque{Why: fmt.Sprintf("the function %s, called at %s, %s: %s", name, c.Place, inRuby, u.why)}, nil
	case errors.As(err, &r):
		e := r.end.Exception
		if n, is := o.in.Ivar(e, "@bunraku_abort").(ruby.Int); is && int(n) < len(o.b.interrupted) {
			o.b.interrupted[n].Resume()
		}
		if !o.in.IsA(e, "StandardError") && len(o.b.frames) == 0 {
			c.Fail("E0401", r.text)
		}
	}
	return v, err
}
