package bridge

import (
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Functions whose files say nothing but what they are (ruby.Plain) are loaded once for all compiles that share a
// Library. What a compile asks for on the way, it asks for still: the file, and what it requires.

// A madeKey is what a function depends on that was loaded once.
type madeKey struct {
	name, path string
	digest     source.Digest
}

// A made is such a function, nil in the place of what must be loaded by every compile.
type made struct {
	requires  *ruby.Program
	function  *ruby.Made
	signature value.Value // as load tells it
}

// made loads a function once, nil when it cannot.
func (l *Library) made(name, path string, c source.Content) *made {
	key := madeKey{name, path, c.Digest}
	if known, ok := l.functions.Load(key); ok {
		return known.(*made)
	}
	m, _ := l.functions.LoadOrStore(key, l.make(name, path, c))
	return m.(*made)
}

func (l *Library) make(name, path string, c source.Content) *made {
	p := l.program(path, c)
	if p.trouble.HasErrors() {
		return nil
	}
	requires, makes, plain := ruby.Plain(p.program)
	seed, err := l.seed()
	if !plain || err != nil {
		return nil
	}
	in := seed.New(ruby.DefaultLimits())
	in.MaybeFrozen, in.Gettext = true, true
	class := func(name string) *ruby.Class {
		o, _ := in.Constant(name)
		k, _ := o.(*ruby.Class)
		return k
	}
	bunraku, tasks := class("Bunraku"), class("Bunraku::Tasks")
	in.Native(bunraku, "text", func([]ruby.Object, *ruby.Proc) ruby.Object { return ruby.NewString(c.Text) })
	in.Native(bunraku, "read", func([]ruby.Object, *ruby.Proc) ruby.Object {
		k := class(instantiator)
		return in.RunIn(makes, k, k)
	})
	in.Booted()
	m := &made{requires: requires}
	var function ruby.Object
	end := in.Protect(func() {
		m.signature = loadIn(in, tasks, name, path, Modern)
		function = functionsOf(in, tasks).At(ruby.NewString(path))
	})
	if end != nil || in.Strays() {
		return nil
	}
	if m.function, err = in.Made(function); err != nil {
		return nil
	}
	return m
}

// instantiator is where files of functions are evaluated.
const instantiator = "Puppet::Pops::Loader::RubyFunctionInstantiator"

// loadIn has the runtime load a function's file.
func loadIn(in *ruby.Interp, tasks *ruby.Class, name, path string, kind Kind) value.Value {
	m := in.NewTable(ruby.NewString("name"), ruby.NewString(name), ruby.NewString("path"), ruby.NewString(path),
		ruby.NewString("kind"), ruby.Int(kind))
	out := in.Call(tasks, "load", []ruby.Object{m}, nil).(*ruby.Hash)
	return in.ToValue(out.At(ruby.NewString("value")))
}

// functionsOf are the functions that were loaded, by path.
func functionsOf(in *ruby.Interp, tasks *ruby.Class) *ruby.Hash {
	h, _ := in.Ivar(tasks, "@functions").(*ruby.Hash)
	return h
}

// once takes a function that was loaded once, and gives its signatures; nil when it must be loaded. Where values come
// from is only followed through what runs.
func (o *ownRun) once(name, path string) value.Value {
	in := o.in
	if o.trace() != nil || in.Strays() {
		return nil
	}
	m := o.Library.made(name, path, o.content(path))
	if m == nil {
		return nil
	}
	k := o.class(instantiator)
	in.RunIn(m.requires, k, k)
	if in.Strays() {
		return nil
	}
	functionsOf(in, o.tasks).Put(ruby.NewFrozen(path), in.Give(m.function))
	return m.signature
}
