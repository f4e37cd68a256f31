package ruby

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An Interp runs programs for one rendering. It is not safe for use by several goroutines; the Runtime behind it is.
type Interp struct {
	rt        *Runtime
	limits    Limits
	used      meter
	account   *Account
	calls     []*call // that are free
	refs      []provenance.Ref
	globals   *Globals
	gconst    shelf[string, Object]  // top-level constants set by the program
	consts    table[*Class, Object]  // of modules, set by the program
	defs      table[*Class, *method] // methods defined by the program
	sdefs     table[Object, *method] // singleton methods
	mixed     mixing                 // modules that the program has mixed in
	undefs    table[*Class, bool]
	cvars     table[*Class, Object]
	extended  shelf[Object, []*Class] // modules that extend an object, or a class itself
	redefined bool                    // a method of one of Ruby's own classes is the program's
	operators bool                    // one of those that quick answers is
	loadPath  *Array                  // what the program added to where libraries are looked for
	tags      []Object                // of the catches under way
	file      *source.File
	at        source.Span // of the call under way, for the lines of errors
	prog      *Program
	regexps   shelf[regexpKey, *onigmo.Regexp]
	alike     map[hashKey][]*Instance // one of each that are eql? to each other, by what hash gives
	memo      map[any]Object          // Puppet containers that were converted already, by identity
	kept      map[any]Object          // those of earlier calls, when they may be held by what a program has left behind
	ids       map[Object]int64
	prov      tracker
	out       *String // _erbout, once it is known
	Out       []Segment
	// OutSize is how long the output will be, as far as anybody knows.
	OutSize int
	// Ran is told which branches of if, and which bodies of blocks, run; nil for nobody.
	Ran func(syntax.Node)
	// Unwrapped is told which secrets the program lays bare; nil for nobody.
	Unwrapped func(value.Value)
	// Secrets are asked which texts are secret, and told what was made of them; nil for nobody.
	Secrets   Secrets
	secretive bool            // a string is marked
	bytes     map[Object]bool // numbers that a block was given of one: see hands
	pieces    []value.Piece   // of secrets in the output
	numbers   map[Object]bool // that were made of secrets
	// Gettext says that the library of that name is loaded, as it is in Puppet.
	Gettext bool
	// Frozen reports whether Puppet has frozen one of its arrays or hashes; nil if it has not.
	Frozen func(value.Value) bool
	// MaybeFrozen makes changing a string that came from Puppet unsupported: it may be frozen there.
	MaybeFrozen     bool
	curExc          *Exception              // $!
	changed         bool                    // an array or hash was changed in place
	dirty           []Object                // those of Puppet's among them
	giving          *giving                 // what is being handed back of them
	inspect         []visit                 // containers being printed, for [...]
	pairs           []pair                  // containers being compared
	visibility      shelf[*lexical, bool]   // bodies in which private was said
	singletonBody   shelf[*lexical, Object] // bodies of class << obj
	moduleFunctions shelf[*lexical, bool]   // bodies in which module_function was said
	constNames      shelf[*Class, []Object] // the constants of the program's modules, in their order
	classIvars      shelf[*Class, *Hash]
	chains          map[*Class][]*Class           // ancestors, since the last change
	found           map[string]map[*Class]*method // methods looked for since the last change, by name
	seed            *Seed                         // from which it began; nil for none
	copies          *copying                      // what it has of that
	strays          strays                        // how its classes differ from that's
	alone           bool                          // some object has methods that are its alone
	Hooks           Hooks
	given           []provenance.Ref // of the arguments of the call that is about to be made
	turns           int              // calls of the host under way
	booted, lasting bool             // see session.go
}

type regexpKey struct {
	src   string
	flags onigmo.Flags
}

// New makes an interpreter.
func (rt *Runtime) New(limits Limits) *Interp {
	in := &Interp{rt: rt, limits: limits, account: limits.Shared, globals: limits.State}
	if in.account == nil {
		in.account = &Account{}
	}
	return in
}

// A frame is the variables of a running method, block or program.
type frame struct {
	slots []Object
	refs  []provenance.Ref
	up    *frame // of the code around a block
	meth  *frame // of the method (or program) that this is in
	home  *frame // where return goes
	self  Object
	cref  *lexical // classes around, for constants and def
	// Of a method's own frame:
	def   *method
	args  []Object
	block *Proc
	match *Match
	loops int // while loops under way
	inst  *Proc
}

// A lexical is the class and module bodies around a piece of code.
type lexical struct {
	class *Class
	up    *lexical
	eval  bool // a block given to class_eval: methods land in the class, constants stay with the text around
}

// scope is the innermost class or module body in whose text the code stands, nil for the top.
func (f *frame) scope() *lexical {
	l := f.cref
	for l != nil && l.eval {
		l = l.up
	}
	return l
}

func (in *Interp) newFrame(slots int) *frame {
	f := in.account.frame()
	f.slots = in.list(slots)[:slots]
	if in.prov.trace != nil {
		if slots > len(in.refs) {
			in.refs = make([]provenance.Ref, max(slots, 64))
		}
		f.refs = in.refs[:slots:slots]
		in.refs = in.refs[slots:]
	}
	return f
}

// jump carries next, break, return, redo, retry and throw up the stack.
type jump struct {
	kind   string
	value  Object
	target any // the Proc of a break, the frame of a return, the tag of a throw
}

// Run runs a program with self. An exception that was not rescued, a bound that was hit, or something that is not
// supported comes back as *Error.
func (in *Interp) Run(prog *Program, self Object) (result Object, err error) {
	f := in.newFrame(prog.Slots)
	f.meth, f.home, f.self = f, f, self
	outer, file, depth := in.prog, in.file, in.used.depth
	in.prog, in.file = prog, prog.File
	in.prov.begin(prog)
	defer func() {
		r := recover()
		if r != nil {
			in.unwind(depth)
			err = in.asError(r)
		}
		if !hard(r) {
			in.settle()
			in.leaveGlobals(prog)
		}
		in.prog, in.file = outer, file
		if r == nil {
			return
		}
		if err == nil {
			if j, ok := r.(*jump); ok && j.kind == "return" {
				result = j.value
				return
			}
			panic(r)
		}
	}()
	return in.eval(prog.Body, f), nil
}

// str makes a string that counts against the memory.
func (in *Interp) str(s string) *String {
	in.room(len(s) + 32)
	o := in.account.text()
	o.s = s
	return o
}

// list is an empty list with room for n.
func (in *Interp) list(n int) []Object { return in.account.list(n) }

func (in *Interp) array(e []Object) *Array {
	in.room(16*len(e) + 48)
	return &Array{e: e}
}

// eval evaluates a node.
func (in *Interp) eval(n syntax.Node, f *frame) Object {
	if in.used.steps--; in.used.steps < 0 {
		in.spend()
	}
	switch n := n.(type) {
	case *syntax.Seq:
		return in.seq(n, f)
	case *syntax.Call:
		return in.evalCall(n, f)
	case *syntax.LVar:
		g := f
		for d := n.Depth; d > 0; d-- {
			g = g.up
		}
		if g.refs != nil {
			in.prov.read(g.refs[n.Index])
		}
		return orNil(g.slots[n.Index])
	case *syntax.IVar:
		return in.getIvar(f.self, n.Name)
	case *syntax.StrLit:
		in.prov.literal(n)
		s := in.str(n.Value)
		s.frozen, s.once = n.Frozen, n.Frozen
		return s
	case *syntax.DStr:
		text, binary, secret := in.interpolate(n.Parts, f)
		s := in.str(text)
		if s.binary = binary; secret {
			in.mark(s)
		}
		return s
	case *syntax.SymLit:
		in.prov.literal(n)
		return Symbol(n.Name)
	case *syntax.IntLit:
		in.prov.literal(n)
		if n.Big != nil {
			return &Big{n.Big}
		}
		return Int(n.Value)
	case *syntax.FloatLit:
		in.prov.literal(n)
		return Float(n.Value)
	case *syntax.NilLit:
		return Nil{}
	case *syntax.BoolLit:
		in.prov.literal(n)
		return Bool(n.Value)
	case *syntax.SelfLit:
		return orNil(f.self)
	case *syntax.ArrayLit:
		return in.array(in.evalList(n.Elems, f))
	case *syntax.HashLit:
		return in.evalHash(n, f)
	case *syntax.RangeLit:
		r := &Range{Nil{}, Nil{}, n.Exclusive}
		if n.Lo != nil {
			r.lo = in.eval(n.Lo, f)
		}
		if n.Hi != nil {
			r.hi = in.eval(n.Hi, f)
		}
		if _, ok := in.compare(r.lo, r.hi); !ok && !isNil(r.lo) && !isNil(r.hi) {
			in.raise("ArgumentError", "bad value for range")
		}
		return r
	case *syntax.RegexLit:
		in.prov.literal(n)
		if n.Re != nil {
			src, _ := syntax.StaticText(n.Parts)
			return &Regexp{n.Re, src, n.Flags}
		}
		text, _, _ := in.interpolate(n.Parts, f)
		return in.newRegexp(text, n.Flags)
	case *syntax.DSym:
		text, _, _ := in.interpolate(n.Parts, f)
		return Symbol(text)
	case *syntax.If:
		return in.evalIf(n, f)
	case *syntax.Not:
		v := in.eval(n.Value, f)
		if !in.defs.none() {
			if m := in.findMethod(in.classOf(v), "!"); m != nil && m.builtin == nil {
				return in.send(v, "!", nil, nil)
			}
		}
		return Bool(!truthy(v))
	case *syntax.And:
		if v := in.eval(n.Left, f); !truthy(v) {
			return v
		}
		return in.eval(n.Right, f)
	case *syntax.Or:
		if v := in.eval(n.Left, f); truthy(v) {
			return v
		}
		return in.eval(n.Right, f)
	case *syntax.Assign:
		return in.evalAssign(n, f)
	case *syntax.OpAssign:
		return in.evalOpAssign(n, f)
	case *syntax.Case:
		return in.evalCase(n, f)
	case *syntax.While:
		return in.evalWhile(n, f)
	case *syntax.For:
		return in.evalFor(n, f)
	case *syntax.Begin:
		return in.evalBegin(n, f)
	case *syntax.Jump:
		return in.evalJump(n, f)
	case *syntax.Const:
		return in.evalConst(n, f)
	case *syntax.GVar:
		v := in.getGlobal(n.Name, f)
		if m := f.meth.match; in.secretive && m != nil && strings.ContainsAny(n.Name[1:], "&`'+123456789") && in.holds(m) {
			if s, is := v.(*String); is { // a part of what was matched
				in.mark(s)
			}
		}
		return v
	case *syntax.CVar:
		return in.classVariable(n, f)
	case *syntax.Lambda:
		return &Proc{block: n.Block, frame: f, self: f.self, lambda: true}
	case *syntax.Yield:
		return in.evalYield(n, f)
	case *syntax.Super:
		return in.evalSuper(n, f)
	case *syntax.Defined:
		return in.evalDefined(n.Value, f)
	case *syntax.Def:
		return in.evalDef(n, f)
	case *syntax.ClassDef:
		return in.evalClass(n, f)
	case *syntax.SClass:
		return in.evalSClass(n, f)
	case *syntax.Alias:
		if o := in.singletonBodyOf(f.cref); o != nil && f.cref != nil {
			in.aliasSingleton(o, n.New, n.Old)
			return Nil{}
		}
		in.alias(in.currentClass(f), n.New, n.Old)
		return Nil{}
	case *syntax.Undef:
		for _, name := range n.Names {
			in.undef(in.currentClass(f), name)
		}
		return Nil{}
	case *syntax.Splat:
		return in.array(in.Splat(in.eval(n.Value, f)))
	case *syntax.XStr:
		in.at = n.Where
		in.refuse("running a command (`…`)")
	case nil:
		return Nil{}
	}
	in.at = n.Span()
	in.unsupported(fmt.Sprintf("%T", n))
	return nil
}

func (in *Interp) seq(n *syntax.Seq, f *frame) Object {
	if n == nil || len(n.Stmts) == 0 {
		return Nil{}
	}
	last := len(n.Stmts) - 1
	for _, s := range n.Stmts[:last] {
		m := in.prov.mark()
		in.eval(s, f)
		in.prov.forget(m)
	}
	return in.eval(n.Stmts[last], f)
}

// interpolate is a text with parts that are computed; binary says that one of them is raw.
func (in *Interp) interpolate(parts []syntax.Node, f *frame) (text string, binary, secret bool) {
	var b []byte
	wide := false // there is a character that is no ASCII, too
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.StrLit:
			in.prov.literal(p)
			b = append(b, p.Value...)
			wide = wide || binary && !isASCII(p.Value)
		default:
			v := in.eval(p, f)
			in.prov.deep(v)
			if s, ok := v.(*String); ok {
				secret = secret || s.secret
				if raw(s) {
					wide = wide || !binary && !isASCII(string(b))
					binary = true
				} else if binary {
					wide = wide || !isASCII(s.String())
				}
				b = append(b, s.String()...)
			} else {
				secret = secret || in.secretive && in.holds(v)
				b = append(b, in.toS(v)...)
			}
		}
		if len(b) > in.limits.Size {
			in.room(len(b))
		}
	}
	if binary && wide {
		in.unsupported("text and binary data in one string")
	}
	return string(b), binary, secret
}

// evalList evaluates elements, spreading splats.
func (in *Interp) evalList(ns []syntax.Node, f *frame) []Object {
	out := make([]Object, 0, len(ns))
	for _, n := range ns {
		if s, ok := n.(*syntax.Splat); ok {
			out = append(out, in.Splat(in.eval(s.Value, f))...)
			in.room(16 * len(out))
			continue
		}
		out = append(out, in.eval(n, f))
	}
	return out
}

// Splat is what *v spreads to.
func (in *Interp) Splat(v Object) []Object {
	switch v := v.(type) {
	case *Array:
		in.prov.deep(v)
		return append([]Object(nil), v.els()...)
	case Nil, nil:
		return nil
	case *String, Int, Float, Symbol, Bool, *Proc:
		return []Object{v}
	}
	look(v)
	if in.responds(v, "to_a") {
		if a, ok := in.send(v, "to_a", nil, nil).(*Array); ok {
			return append([]Object(nil), a.els()...)
		}
	}
	return []Object{v}
}

func (in *Interp) evalHash(n *syntax.HashLit, f *frame) Object {
	h := in.newHash()
	h.kw = !n.Braces
	in.room(64 * (len(n.Pairs) + 1))
	for _, p := range n.Pairs {
		if p.Key == nil {
			v := in.eval(p.Value, f)
			if isNil(v) {
				continue
			}
			o, ok := v.(*Hash)
			if !ok {
				in.raise("TypeError", "no implicit conversion of %s into Hash", in.describe(v))
			}
			for _, e := range o.pairs() {
				h.put(e.key, e.val)
			}
			continue
		}
		k := in.eval(p.Key, f)
		h.put(k, in.eval(p.Value, f))
	}
	return h
}

func (in *Interp) evalConst(n *syntax.Const, f *frame) Object {
	in.at = n.Where
	if n.Scope != nil {
		s := in.eval(n.Scope, f)
		c, ok := s.(*Class)
		if !ok {
			in.raise("TypeError", "%s is not a class/module", in.inspectOf(s))
		}
		return in.constIn(c, n.Name)
	}
	if !n.Top {
		scope := f.scope()
		for l := scope; l != nil; l = l.up {
			if l.eval {
				continue
			}
			if v, ok := in.ownConst(l.class, n.Name); ok {
				return v
			}
		}
		if scope != nil {
			for _, c := range in.ancestors(scope.class) {
				if v, ok := in.ownConst(c, n.Name); ok {
					return v
				}
			}
			if !in.hasTopConst(n.Name) {
				if m := in.findFor(scope.class, "const_missing"); m != nil && m.builtin == nil {
					return in.invoke(m, scope.class, []Object{Symbol(n.Name)}, nil)
				}
			}
		}
	}
	return in.topConst(n.Name)
}

func (in *Interp) ownConst(c *Class, name string) (Object, bool) {
	if v, ok := in.consts.get(c, name); ok {
		return v, true
	}
	v, ok := c.consts[name]
	return v, ok
}

func (in *Interp) constIn(c *Class, name string) Object {
	for _, a := range in.ancestors(c) {
		if v, ok := in.ownConst(a, name); ok {
			return v
		}
	}
	if c == in.rt.object {
		return in.topConst(name)
	}
	return in.constMissing(c, name)
}

// constMissing is a constant that a module has not got: its const_missing, or one of a module above it, may make it.
func (in *Interp) constMissing(c *Class, name string) Object {
	if m := in.findFor(c, "const_missing"); m != nil && m.builtin == nil {
		return in.invoke(m, c, []Object{Symbol(name)}, nil)
	}
	return in.noConst(c, name)
}

// noConst is a constant that there is not.
func (in *Interp) noConst(c *Class, name string) Object {
	if v, ok := in.hookConst(c.name, name); ok {
		return v
	}
	if in.rt.mayHaveConst(c, name) {
		in.unsupported("the constant " + c.name + "::" + name)
	}
	in.raise("NameError", "uninitialized constant %s::%s", c.name, name)
	return nil
}

// inheritedConst is a constant of a class above.
func (in *Interp) inheritedConst(c *Class, name string) (Object, bool) {
	for _, a := range in.ancestors(c) {
		if v, ok := in.ownConst(a, name); ok {
			return v, true
		}
	}
	return nil, false
}

// hasTopConst reports whether the top has a constant, as far as can be said without loading any.
func (in *Interp) hasTopConst(name string) bool {
	if _, ok := in.topOf(name); ok {
		return true
	}
	if _, ok := in.rt.consts[name]; ok {
		return true
	}
	_, refused := refusedConst(name)
	return refused || in.rt.knownConst(name)
}

// constDefined is const_defined?, which loads nothing and does not ask const_missing.
func (in *Interp) constDefined(c *Class, name string, above bool) bool {
	for _, part := range strings.Split(name, "::") {
		v, ok := in.ownConst(c, part)
		if !ok && above {
			v, ok = in.inheritedConst(c, part)
		}
		if !ok && (c == in.rt.object || above && !c.module) {
			if v, ok = in.topOf(part); !ok {
				v, ok = in.rt.consts[part]
			}
			if !ok && in.rt.knownConst(part) {
				in.unsupported("the constant " + part)
			}
		}
		if !ok {
			if in.rt.mayHaveConst(c, part) {
				in.unsupported("the constant " + c.name + "::" + part)
			}
			return false
		}
		c, _ = v.(*Class)
		if c == nil {
			return true
		}
	}
	return true
}

// hookConst asks the host for a constant that nothing defined.
func (in *Interp) hookConst(scope, name string) (Object, bool) {
	if in.Hooks.Constant == nil {
		return nil, false
	}
	return in.Hooks.Constant(in, scope, name)
}

func (in *Interp) topConst(name string) Object {
	if v, ok := in.topOf(name); ok {
		return v
	}
	if v, ok := in.rt.consts[name]; ok {
		if need, refused := refusedConst(name); refused && (name != "Dir" || in.Hooks.Files == nil) {
			in.refuse(need)
		}
		return v
	}
	if v, ok := in.hookConst("", name); ok {
		return v
	}
	if need, refused := refusedConst(name); refused {
		in.refuse(need)
	}
	if in.rt.knownConst(name) {
		in.unsupported("the constant " + name)
	}
	in.raise("NameError", "uninitialized constant %s", name)
	return nil
}

func (in *Interp) getGlobal(name string, f *frame) Object {
	m := f.meth.match
	switch name {
	case "$~":
		if m == nil {
			return Nil{}
		}
		return m
	case "$&":
		return in.group(m, 0)
	case "$`":
		if m == nil {
			return Nil{}
		}
		return in.str(m.s[:m.loc[0]])
	case "$'":
		if m == nil {
			return Nil{}
		}
		return in.str(m.s[m.loc[1]:])
	case "$+":
		if m != nil {
			for i := len(m.loc)/2 - 1; i > 0; i-- {
				if m.loc[2*i] >= 0 {
					return in.group(m, i)
				}
			}
		}
		return Nil{}
	case "$!":
		if in.curExc != nil {
			return in.curExc
		}
		return Nil{}
	case "$/":
		return in.str("\n")
	case "$,", "$;":
		return Nil{}
	case "$LOAD_PATH", "$:":
		if in.Hooks.Require == nil {
			in.refuse("the variable " + name)
		}
		if in.loadPath == nil {
			in.loadPath = in.array(nil)
		}
		return in.loadPath
	case "$stdout", "$stderr", "$stdin", "$0", "$$", "$PROGRAM_NAME", "$\"", "$LOADED_FEATURES":
		in.refuse("the variable " + name)
	}
	if len(name) > 1 && syntax.IsDigit(name[1]) {
		i := 0
		for _, c := range name[1:] {
			i = 10*i + int(c-'0')
		}
		return in.group(m, i)
	}
	if in.globals == nil {
		return Nil{}
	}
	in.prov.read(in.globals.ref)
	return orNil(in.globals.vars[name])
}

// group is group i of a match, nil when it took no part.
func (in *Interp) group(m *Match, i int) Object {
	if m == nil || i < 0 || 2*i >= len(m.loc) || m.loc[2*i] < 0 {
		return Nil{}
	}
	return in.str(m.s[m.loc[2*i]:m.loc[2*i+1]])
}

// getIvar reads an instance variable.
func (in *Interp) getIvar(self Object, name string) Object {
	if ip, is := self.(*IPAddr); is {
		return ip.ivar(in, name)
	}
	h := in.ivarsOf(self, false)
	if h == nil {
		return Nil{}
	}
	v, ok := h.symbol(name)
	if !ok {
		if n, native := self.(*Native); native && n.Call != nil {
			// variables of the scope are looked up when they are first read
			if o, found := n.Call(in, name, nil, nil); found {
				h.put(Symbol(name), o)
				in.prov.readIvar(name)
				return o
			}
		}
		return Nil{}
	}
	in.prov.readIvar(name)
	return v
}

func (in *Interp) ivarsOf(self Object, make bool) *Hash {
	var slot **Hash
	switch o := self.(type) {
	case *Instance:
		slot = &o.ivars
	case *Native:
		slot = &o.ivars
		make = true
	case *Exception:
		slot = &o.ivars
	case *Class:
		h := in.classIvars.of[o]
		if b := in.classIvars.base[o]; h == nil && b != nil {
			h = in.copies.hash(b)
			in.classIvars.put(o, h)
		}
		if h == nil && make {
			h = NewHash()
			in.classIvars.put(o, h)
		}
		return h
	default:
		return nil
	}
	if *slot == nil && make {
		*slot = NewHash()
	}
	return *slot
}

func (in *Interp) setIvar(self Object, name string, v Object) {
	h := in.ivarsOf(self, true)
	if h == nil {
		in.raise("FrozenError", "can't modify frozen %s: %s", in.classOf(self).name, in.inspectOf(self))
	}
	if h.frozen { // one of Ruby's own, which all interpreters share
		in.unsupported("instance variables of " + in.inspectOf(self))
	}
	h.put(Symbol(name), v)
	if in.booted && !in.lasting {
		switch o := self.(type) {
		case *Class:
			in.keep()
		case *Instance:
			if in.Hooks.Lasting != nil && in.Hooks.Lasting(o.class) {
				in.keep()
			}
		}
	}
}
