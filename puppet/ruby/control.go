package ruby

import (
	"runtime"
	"slices"

	"bunraku/puppet/ruby/syntax"
)

func (in *Interp) evalIf(n *syntax.If, f *frame) Object {
	m := in.prov.mark()
	yes := truthy(in.eval(n.Cond, f))
	branch := n.Then
	if !yes {
		branch = n.Else
	}
	if in.Ran != nil {
		in.Ran(branch)
	}
	if in.prov.trace == nil {
		if syntax.IsNone(branch) {
			return Nil{}
		}
		return in.eval(branch, f)
	}
	d := in.prov.decide(m)
	var v Object = Nil{}
	if !syntax.IsNone(branch) {
		v = in.eval(branch, f)
	}
	in.prov.leave(d, n, f)
	return v
}

func (in *Interp) evalCase(n *syntax.Case, f *frame) Object {
	m := in.prov.mark()
	var subject Object
	if n.Subject != nil {
		subject = in.eval(n.Subject, f)
	}
	var body syntax.Node
	found := false
search:
	for i := range n.Whens {
		w := &n.Whens[i]
		for _, t := range w.Tests {
			if s, ok := t.(*syntax.Splat); ok {
				for _, v := range in.Splat(in.eval(s.Value, f)) {
					if in.whenMatches(v, subject, n.Subject != nil, f) {
						body, found = w.Body, true
						break search
					}
				}
				continue
			}
			if in.whenMatches(in.eval(t, f), subject, n.Subject != nil, f) {
				body, found = w.Body, true
				break search
			}
		}
	}
	if !found {
		body = n.Else
	}
	d := in.prov.decide(m)
	var v Object = Nil{}
	if !syntax.IsNone(body) {
		v = in.eval(body, f)
	}
	in.prov.leave(d, n, f)
	return v
}

func (in *Interp) whenMatches(pattern, subject Object, has bool, f *frame) bool {
	if !has {
		return truthy(pattern)
	}
	return in.caseEqual(pattern, subject, f)
}

// caseEqual is pattern === subject; f gets the match of a regexp.
func (in *Interp) caseEqual(pattern, subject Object, f *frame) bool {
	look(pattern)
	look(subject)
	switch p := pattern.(type) {
	case *String:
		if s, ok := subject.(*String); ok {
			return p.String() == s.String()
		}
	case *Regexp:
		s, ok := stringOrSymbol(subject)
		if !ok {
			if f != nil {
				f.meth.match = nil
			}
			return false
		}
		m := in.matchAt(p, s, 0)
		if f != nil {
			f.meth.match = m
		}
		return m != nil
	}
	return truthy(in.send(pattern, "===", []Object{subject}, nil))
}

func stringOrSymbol(o Object) (string, bool) {
	switch o := o.(type) {
	case *String:
		return o.String(), true
	case Symbol:
		return string(o), true
	}
	return "", false
}

func (in *Interp) evalWhile(n *syntax.While, f *frame) (result Object) {
	result = Nil{}
	f.loops++
	depth := in.used.depth
	defer func() {
		f.loops--
		if n.Jumps&syntax.HasBreak == 0 {
			return
		}
		if r := recover(); r != nil {
			if j, ok := r.(*jump); ok && j.kind == "break" && j.target == any(f) {
				in.unwind(depth)
				result = j.value
				return
			}
			panic(r)
		}
	}()
	m := in.prov.mark()
	body := func() {
		if n.Jumps&(syntax.HasNext|syntax.HasRedo) != 0 {
			in.catchNext(f, func() Object { return in.eval(n.Body, f) })
			return
		}
		in.eval(n.Body, f)
	}
	if n.DoWhile {
		body()
	}
	for truthy(in.eval(n.Cond, f)) != n.Until {
		d := in.prov.decide(m)
		body()
		in.prov.leave(d, n, f)
		in.prov.fold(m)
		in.step()
	}
	in.prov.leave(in.prov.decide(m), n, f)
	return result
}

// until runs the statements of a body that a jump of one kind (next in a block, return in a method) may end. Jumps that
// stand by themselves or in an if among the statements are the usual ones; they end the body here and now, without
// unwinding the stack.
func (in *Interp) until(kind string, body syntax.Node, f *frame) Object {
	seq, ok := body.(*syntax.Seq)
	if !ok || seq == nil || in.prov.trace != nil {
		return in.eval(body, f)
	}
	var v Object = Nil{}
	for _, s := range seq.Stmts {
		n := s
		if cond, ok := s.(*syntax.If); ok {
			in.step()
			if n = cond.Then; !truthy(in.eval(cond.Cond, f)) {
				n = cond.Else
			}
			if in.Ran != nil {
				in.Ran(n)
			}
			if syntax.IsNone(n) {
				v = Nil{}
				continue
			}
			if one, ok := n.(*syntax.Seq); ok && len(one.Stmts) == 1 {
				n = one.Stmts[0]
			}
		}
		if j, ok := n.(*syntax.Jump); ok && j.Kind == kind {
			if j.Value == nil {
				return Nil{}
			}
			return in.eval(j.Value, f)
		}
		v = in.eval(n, f)
	}
	return v
}

// catchNext runs a body that may jump to its end, or to its beginning again.
func (in *Interp) catchNext(f *frame, body func() Object) Object {
	for {
		v, again := in.oneRound(f, body)
		if !again {
			return v
		}
		in.step()
	}
}

func (in *Interp) oneRound(f *frame, body func() Object) (result Object, again bool) {
	depth := in.used.depth
	defer func() {
		if r := recover(); r != nil {
			j, ok := r.(*jump)
			if !ok || j.target != any(f) || j.kind != "next" && j.kind != "redo" {
				panic(r)
			}
			in.unwind(depth)
			result, again = j.value, j.kind == "redo"
		}
	}()
	return body(), false
}

func (in *Interp) evalFor(n *syntax.For, f *frame) Object {
	m := in.prov.mark()
	list := in.eval(n.Value, f)
	in.prov.deepOf(list)
	d := in.prov.decide(m)
	defer func() { in.prov.leave(d, n, f) }()
	p := &Proc{lambda: false, arity: -1}
	p.native = func(args []Object) Object {
		var v Object = Nil{}
		if len(args) == 1 {
			v = args[0]
		} else if len(args) > 1 {
			v = in.array(args)
		}
		in.assign(n.Target, v, f)
		f.loops++
		defer func() { f.loops-- }()
		v = in.catchNext(f, func() Object { return in.eval(n.Body, f) })
		in.prov.fold(m)
		return v
	}
	var result Object
	in.catchBreak(f, &result, func() { result = in.send(list, "each", nil, p) })
	return result
}

// catchBreak runs code that a break with the given target may leave.
func (in *Interp) catchBreak(target any, result *Object, run func()) {
	depth := in.used.depth
	defer func() {
		if r := recover(); r != nil {
			if j, ok := r.(*jump); ok && j.kind == "break" && j.target == target {
				in.unwind(depth)
				*result = j.value
				return
			}
			panic(r)
		}
	}()
	run()
}

func (in *Interp) evalJump(n *syntax.Jump, f *frame) Object {
	var v Object = Nil{}
	if n.Value != nil {
		v = in.eval(n.Value, f)
	}
	j := &jump{kind: n.Kind, value: v}
	switch n.Kind {
	case "return":
		j.target = f.home
	case "next", "redo":
		j.target = f
	case "break":
		if f.loops > 0 {
			j.target = f
		} else {
			j.target = f.inst
		}
	}
	in.chargeUnwinding()
	panic(j)
}

func (in *Interp) evalBegin(n *syntax.Begin, f *frame) Object {
	if n.Ensure == nil {
		return in.beginBody(n, f)
	}
	v, r := in.interrupted(func() Object { return in.beginBody(n, f) })
	if !hard(r) {
		depth := in.used.depth
		in.eval(n.Ensure, f)
		in.unwind(depth)
	}
	if r != nil {
		panic(r)
	}
	return v
}

// interrupted runs code and returns the panic that ended it. Who goes on with the panic does so from here, where the
// stack is as short as it was before: a panic out of the function that recovered the last one keeps all that is on it,
// so that each level of a recursion would walk through the frames of all levels below. A bug goes on as it is, for the
// sake of its stack.
func (in *Interp) interrupted(f func() Object) (v Object, p any) {
	defer func() {
		if p = recover(); p == nil {
			return
		}
		if _, bug := p.(runtime.Error); bug {
			panic(p)
		}
	}()
	return f(), nil
}

// beginBody is begin … rescue … else.
func (in *Interp) beginBody(n *syntax.Begin, f *frame) Object {
	if len(n.Rescues) == 0 {
		v := in.eval(n.Body, f)
		if n.Else != nil {
			v = in.eval(n.Else, f)
		}
		return v
	}
	for tries := 0; ; tries++ {
		v, again := in.rescued(n, f)
		if !again {
			return v
		}
		in.step()
	}
}

// rescued runs a body with its rescue parts; again says that a retry was asked for.
func (in *Interp) rescued(n *syntax.Begin, f *frame) (result Object, again bool) {
	exc := in.try(func() {
		result = in.eval(n.Body, f)
	})
	if exc == nil {
		if n.Else != nil {
			result = in.eval(n.Else, f)
		}
		return result, false
	}
	in.prov.afterRescue()
	for i := range n.Rescues {
		r := &n.Rescues[i]
		if !in.rescues(r, exc, f) {
			continue
		}
		if r.Target != nil {
			in.assign(r.Target, exc, f)
		}
		if syntax.IsNone(r.Body) {
			return Nil{}, false
		}
		before := in.curExc
		in.curExc = exc
		result, p := in.interrupted(func() Object { return in.eval(r.Body, f) })
		in.curExc = before
		if j, ok := p.(*jump); ok && j.kind == "retry" {
			return nil, true
		} else if p != nil {
			panic(p)
		}
		return result, false
	}
	panic(&raised{exc})
}

func (in *Interp) rescues(r *syntax.Rescue, exc *Exception, f *frame) bool {
	if len(r.Classes) == 0 {
		return in.isA(exc, in.rt.class("StandardError"))
	}
	for _, c := range in.evalList(r.Classes, f) {
		if k, ok := c.(*Class); ok {
			if in.isA(exc, k) {
				return true
			}
			continue
		}
		in.raise("TypeError", "class or module required for rescue clause")
	}
	return false
}

func (in *Interp) evalYield(n *syntax.Yield, f *frame) Object {
	b := f.meth.block
	args, _ := in.evalArgs(n.Args, f)
	if b == nil {
		in.at = n.Where
		in.raise("LocalJumpError", "no block given (yield)")
	}
	return in.yield(b, args...)
}

func (in *Interp) evalSuper(n *syntax.Super, f *frame) Object {
	m := f.meth
	in.at = n.Where
	if m.def == nil {
		if f.self != nil && m.self != f.self {
			in.unsupported("super in a method made of a block")
		}
		in.raise("RuntimeError", "super called outside of method")
	}
	var args []Object
	if n.Bare {
		args = m.args
	} else {
		args, _ = in.evalArgs(n.Args, f)
	}
	block := m.block
	if n.Block != nil {
		block = in.newBlock(n.Block, f)
	} else if n.Pass != nil {
		block = in.toProc(in.eval(n.Pass, f))
	}
	up := in.superOf(f.self, m.def)
	if up == nil {
		if name, ok := stringOrSymbol(first(args)); ok && m.def.name == "method_missing" {
			in.noSuchMethod(f.self, name, nil)
		}
		if m.def.name == "initialize" || m.def.name == "inherited" || m.def.name == "included" {
			return Nil{}
		}
		in.raise("NoMethodError", "super: no superclass method `%s' for %s", m.def.name, in.receiverText(f.self))
	}
	return in.invoke(up, f.self, args, block)
}

// isDefined reports whether a constant is there. Nothing is made for the question: const_missing is not asked.
func (in *Interp) isDefined(n *syntax.Const, f *frame) bool {
	if n.Scope == nil {
		if !n.Top {
			for l := f.scope(); l != nil; l = l.up {
				if _, ok := in.ownConst(l.class, n.Name); ok && !l.eval {
					return true
				}
			}
			if l := f.scope(); l != nil {
				if _, ok := in.inheritedConst(l.class, n.Name); ok {
					return true
				}
			}
		}
		if in.hasTopConst(n.Name) {
			in.topConst(n.Name)
			return true
		}
		_, ok := in.hookConst("", n.Name)
		return ok
	}
	if s, ok := n.Scope.(*syntax.Const); ok && !in.isDefined(s, f) {
		return false
	}
	var scope Object
	if exc := in.try(func() { scope = in.eval(n.Scope, f) }); exc != nil {
		return false
	}
	c, ok := scope.(*Class)
	if !ok {
		return false
	}
	if _, ok := in.inheritedConst(c, n.Name); ok {
		return true
	}
	if _, ok := in.hookConst(c.name, n.Name); ok {
		return true
	}
	if in.rt.knownConst(c.name + "::" + n.Name) {
		in.unsupported("the constant " + c.name + "::" + n.Name)
	}
	return false
}

func first(list []Object) Object {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// superOf is the method behind one that an object was found to have. Methods of an object itself come first, then those
// of the modules that extend it, the last one first; a class goes on with those of the class above it, other objects
// with those of their class.
func (in *Interp) superOf(self Object, m *method) *method {
	class, isClass := self.(*Class)
	extending := false
	if _, plain := plainObject(self); !plain && m.single == nil {
		for c := class; ; c = c.super {
			var o Object = self
			if isClass {
				o = c
			}
			for _, k := range in.extended.at(o) {
				if k == m.owner || slices.Contains(withModules(nil, k, &in.mixed), m.owner) {
					extending = true
					class = c
				}
			}
			if !isClass || extending || c.super == nil {
				break
			}
		}
	}
	if m.single == nil && !extending {
		return in.findAfter(in.classOf(self), m.owner, m.name)
	}
	owner := self
	if isClass {
		if c, ok := m.single.(*Class); ok {
			class = c
		}
		owner = class
	}
	seen := !extending
	list := in.extended.at(owner)
	for i := len(list) - 1; i >= 0; i-- {
		for _, k := range withModules(nil, list[i], &in.mixed) {
			if !seen {
				seen = k == m.owner
				continue
			}
			if n, _ := in.defs.get(k, m.name); n != nil {
				return n
			}
		}
	}
	if isClass {
		if n := class.single[m.name]; n != nil {
			return n
		}
		if class.super != nil {
			return in.findFor(class.super, m.name)
		}
		return in.findMethod(in.classOf(class), m.name)
	}
	return in.findMethod(in.classOf(self), m.name)
}

func (in *Interp) evalDefined(n syntax.Node, f *frame) Object {
	word := func(s string) Object { return &String{s: s, frozen: true} }
	switch n := n.(type) {
	case *syntax.Seq:
		if len(n.Stmts) == 1 {
			return in.evalDefined(n.Stmts[0], f)
		}
		return word("expression")
	case *syntax.LVar:
		return word("local-variable")
	case *syntax.IVar:
		h := in.ivarsOf(f.self, false)
		if h != nil {
			look(in.getIvar(f.self, n.Name)) // variables of the scope come in on demand; one that is undef is not set
			if _, ok := h.get(Symbol(n.Name)); ok {
				return word("instance-variable")
			}
		}
		return Nil{}
	case *syntax.GVar:
		if isNil(in.getGlobal(n.Name, f)) {
			return Nil{}
		}
		return word("global-variable")
	case *syntax.CVar:
		if owner := in.variableOwner(in.variableClass(f), n.Name); owner != nil {
			return word("class variable")
		}
		return Nil{}
	case *syntax.Const:
		if !in.isDefined(n, f) {
			return Nil{}
		}
		return word("constant")
	case *syntax.Call:
		if n.Recv == nil {
			if in.respondsPrivate(f.self, n.Name) {
				return word("method")
			}
			return Nil{}
		}
		if isNil(in.evalDefined(n.Recv, f)) {
			return Nil{}
		}
		var v Object
		if exc := in.try(func() { v = in.eval(n.Recv, f) }); exc != nil {
			return Nil{}
		}
		if in.responds(v, n.Name) {
			return word("method")
		}
		return Nil{}
	case *syntax.SelfLit:
		return word("self")
	case *syntax.NilLit:
		return word("expression")
	case *syntax.BoolLit:
		if n.Value {
			return word("true")
		}
		return word("false")
	case *syntax.Assign, *syntax.OpAssign:
		return word("assignment")
	case *syntax.Yield:
		if f.meth.block != nil {
			return word("yield")
		}
		return Nil{}
	case *syntax.Super:
		if f.meth.def != nil && in.findAfter(in.classOf(f.self), f.meth.def.owner, f.meth.def.name) != nil {
			return word("super")
		}
		return Nil{}
	}
	return word("expression")
}
