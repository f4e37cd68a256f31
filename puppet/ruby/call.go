package ruby

import (
	"fmt"
	"strings"

	"bunraku/puppet/ruby/syntax"
)

// A method is something that can be called by name: a built-in, a def, or a block given to define_method.
type method struct {
	name    string
	owner   *Class
	builtin *builtin
	def     *syntax.Def
	cref    *lexical
	proc    *Proc
	ivar    string // of attr_reader and attr_writer
	private bool
	settled bool   // the block is a seed's
	single  Object // what a singleton method was defined on
}

// A builtin is a method written in Go. max is -1 when there is no most.
type builtin struct {
	name     string
	min, max int
	fn       func(c *call) Object
}

// A call is one call of a built-in.
//
// It is used again for later calls: what outlives the function, such as a proc that it returns, must not hold it.
type call struct {
	in    *Interp
	self  Object
	name  string
	args  []Object
	block *Proc
	frame *frame // of the caller, for $~
}

func (c *call) arg(i int) Object {
	if i < len(c.args) {
		return c.args[i]
	}
	return Nil{}
}

func (c *call) has(i int) bool { return i < len(c.args) }

func (c *call) yield(args ...Object) Object {
	switch s := c.self.(type) {
	case *String:
		if s.secret {
			for _, a := range args {
				c.in.hands(a)
			}
		}
	case *Array:
		if s.secret {
			for _, a := range args {
				if _, is := a.(Int); is { // texts in it have a mark of their own
					c.in.hands(a)
				}
			}
		}
	}
	return c.in.yield(c.block, args...)
}

func (c *call) raise(class, format string, args ...any) { c.in.raise(class, format, args...) }

// enum is the enumerator that a method without its block returns.
func (c *call) enum() Object {
	return &Enumerator{recv: c.self, name: c.name, args: c.args}
}

// evalArgs evaluates arguments; Keywords end up in a last hash that is marked.
func (in *Interp) evalArgs(ns []syntax.Node, f *frame) ([]Object, bool) {
	if len(ns) == 0 {
		return nil, false
	}
	args := in.list(len(ns))
	for _, n := range ns {
		switch n := n.(type) {
		case *syntax.Splat:
			args = append(args, in.Splat(in.eval(n.Value, f))...)
			in.room(16 * len(args))
		case *syntax.HashLit:
			h := in.evalHash(n, f).(*Hash)
			if !n.Braces && h.len() == 0 {
				continue // **{} passes nothing
			}
			args = append(args, h)
		default:
			args = append(args, in.eval(n, f))
		}
	}
	return args, false
}

func (in *Interp) newBlock(b *syntax.Block, f *frame) *Proc {
	return &Proc{block: b, frame: f, self: f.self}
}

// toProc is what &v passes.
func (in *Interp) toProc(v Object) *Proc {
	switch v := v.(type) {
	case nil, Nil:
		return nil
	case *Proc:
		return v
	case Symbol:
		return in.symProc(string(v))
	case *MethodObject:
		return &Proc{lambda: true, arity: in.arityOf(v.m),
			native: func(args []Object) Object { return in.invoke(v.m, v.recv, args, nil) }}
	}
	if in.responds(v, "to_proc") {
		if p, ok := in.send(v, "to_proc", nil, nil).(*Proc); ok {
			return p
		}
	}
	in.raise("TypeError", "wrong argument type %s (expected Proc)", in.classOf(v).name)
	return nil
}

func (in *Interp) symProc(name string) *Proc {
	return &Proc{lambda: true, arity: -2, sym: name, native: func(args []Object) Object {
		if len(args) == 0 {
			in.raise("ArgumentError", "no receiver given")
		}
		return in.send(args[0], name, args[1:], nil)
	}}
}

func (in *Interp) evalCall(n *syntax.Call, f *frame) Object {
	if n.Recv == nil && n.Name == "block_given?" {
		return Bool(f.meth.block != nil)
	}
	m := in.prov.mark()
	var recv Object
	if n.Recv == nil {
		recv = orNil(f.self)
	} else {
		if v, ok := n.Recv.(*syntax.LVar); ok && v.Name == "_erbout" && (n.Name == "<<" || n.Name == "concat") &&
			len(n.Args) == 1 {
			if o, done := in.output(n, v, f); done {
				return o
			}
		}
		if n.Name == "freeze" {
			if s, ok := n.Recv.(*syntax.StrLit); ok && len(n.Args) == 0 {
				in.prov.literal(s)
				return &String{s: s.Value, frozen: true, once: true}
			}
		}
		recv = in.eval(n.Recv, f)
		if n.Safe && isNil(recv) {
			return Nil{}
		}
	}
	// The commonest shapes: no block, one or no plain argument.
	if n.Block == nil && n.Pass == nil && len(n.Args) == 1 && n.Shape == syntax.Plain {
		arg := in.eval(n.Args[0], f)
		in.at = n.NameAt
		if !in.operators {
			if _, ok := arg.(*Foreign); ok && n.Name == "==" {
				look(arg)
			}
			if s, ok := recv.(*String); ok {
				in.charge(s.len() >> 7)
			}
			if v, ok := quick(recv, n.Name, arg); ok {
				in.counts(v, recv, arg)
				return v
			}
		}
		args := append(in.list(1), arg)
		in.prov.callArgs(m, recv, n.Name, args)
		return in.callFrom(f, recv, n.Name, args, nil, n)
	}
	args, _ := in.evalArgs(n.Args, f)
	var block *Proc
	if n.Block != nil {
		block = in.newBlock(n.Block, f)
	} else if n.Pass != nil {
		block = in.toProc(in.eval(n.Pass, f))
		if p, ok := n.Pass.(*syntax.SymLit); ok && block != nil && !in.redefined {
			block.sym = p.Name
		}
	}
	in.at = n.NameAt
	in.prov.callArgs(m, recv, n.Name, args)
	if n.Block == nil {
		return in.callFrom(f, recv, n.Name, args, block, n)
	}
	d := in.prov.decide(m)
	var result Object
	if n.Block.Jumps&syntax.HasBreak != 0 {
		in.catchBreak(block, &result, func() { result = in.callFrom(f, recv, n.Name, args, block, n) })
	} else {
		result = in.callFrom(f, recv, n.Name, args, block, n)
	}
	in.prov.leaveBlock(d, n.Block, f)
	return result
}

// callFrom calls with the caller's frame at hand, which match variables, local variables and blocks of methods need.
func (in *Interp) callFrom(f *frame, recv Object, name string, args []Object, block *Proc, n *syntax.Call) Object {
	m := in.findFor(recv, name)
	if m == nil {
		return in.missing(recv, name, args, block, n)
	}
	if m.private && n.Recv != nil && !isSelf(n.Recv) && m.builtin == nil {
		in.raise("NoMethodError", "private method `%s' called for %s", name, in.receiverText(recv))
	}
	if m.builtin != nil {
		if n.Recv != nil && !isSelf(n.Recv) && m.owner == in.rt.kernelPrivate {
			if _, mod := recv.(*Class); !mod {
				in.raise("NoMethodError", "private method `%s' called for %s", name, in.receiverText(recv))
			}
		}
		return in.callBuiltin(m, recv, args, block, f)
	}
	return in.invoke(m, recv, args, block)
}

func (in *Interp) callBuiltin(m *method, recv Object, args []Object, block *Proc, f *frame) Object {
	if in.secretive {
		return in.ofSecrets(m, recv, args, block, f)
	}
	return in.perform(m, recv, args, block, f)
}

func (in *Interp) perform(m *method, recv Object, args []Object, block *Proc, f *frame) Object {
	b := m.builtin
	if len(args) < b.min || b.max >= 0 && len(args) > b.max {
		in.wrongArgs(len(args), b.min, b.max)
	}
	if s, is := recv.(*String); is && s.binary && !blindNames[b.name] && !isASCII(s.String()) {
		return in.onBytes(m, s, args)
	}
	in.enter()
	look(recv)
	lookAtArgs(b.name, recv, args)
	in.weigh(b.name, recv, args)
	var c *call
	if n := len(in.calls); n > 0 {
		c = in.calls[n-1]
		in.calls = in.calls[:n-1]
	} else {
		c = &call{in: in}
	}
	c.self, c.name, c.args, c.block, c.frame = recv, b.name, args, block, f
	v := b.fn(c)
	c.self, c.args, c.block, c.frame = nil, nil, nil, nil
	in.calls = append(in.calls, c)
	in.leave()
	return v
}

func (in *Interp) wrongArgs(given, min, max int) {
	want := fmt.Sprint(min)
	switch {
	case max < 0:
		want += "+"
	case max != min:
		want = fmt.Sprintf("%d..%d", min, max)
	}
	in.raise("ArgumentError", "wrong number of arguments (given %d, expected %s)", given, want)
}

// send calls a method by name, private ones too.
func (in *Interp) send(recv Object, name string, args []Object, block *Proc) Object {
	return in.call(recv, name, args, block, true)
}

func (in *Interp) call(recv Object, name string, args []Object, block *Proc, fcall bool) Object {
	in.step()
	m := in.findFor(recv, name)
	if m == nil {
		return in.missing(recv, name, args, block, nil)
	}
	if m.private && !fcall && m.builtin == nil {
		in.raise("NoMethodError", "private method `%s' called for %s", name, in.receiverText(recv))
	}
	return in.invoke(m, recv, args, block)
}

func (in *Interp) invoke(m *method, recv Object, args []Object, block *Proc) Object {
	switch {
	case m.builtin != nil:
		return in.callBuiltin(m, recv, args, block, nil)
	case m.proc != nil:
		p := *in.procOf(m)
		p.self, p.lambda = recv, true
		return in.callProc(&p, args, block)
	case m.ivar != "":
		if strings.HasSuffix(m.name, "=") {
			in.setIvar(recv, m.ivar, args[0])
			return args[0]
		}
		return in.getIvar(recv, m.ivar)
	}
	return in.callDef(m, recv, args, block)
}

func (in *Interp) callDef(m *method, recv Object, args []Object, block *Proc) (result Object) {
	in.enter()
	f := in.newFrame(m.def.Slots)
	f.meth, f.home, f.self, f.cref = f, f, recv, m.cref
	f.def, f.args, f.block = m, args, block
	in.bind(m.def.Params, args, f, true, block)
	if m.def.Jumps&syntax.HasReturn != 0 {
		result = in.catchReturn(f, func() Object { return in.until("return", m.def.Body, f) })
	} else {
		result = in.eval(m.def.Body, f)
	}
	in.leave()
	return result
}

func (in *Interp) catchReturn(f *frame, body func() Object) (result Object) {
	depth := in.used.depth
	defer func() {
		if r := recover(); r != nil {
			if j, ok := r.(*jump); ok && j.kind == "return" && j.target == any(f) {
				in.unwind(depth)
				result = j.value
				return
			}
			panic(r)
		}
	}()
	return body()
}

// yield calls a block with arguments, as yield does.
func (in *Interp) yield(p *Proc, args ...Object) Object {
	if p == nil {
		in.raise("LocalJumpError", "no block given (yield)")
	}
	return in.callProc(p, args, nil)
}

// callProc runs a block or lambda.
func (in *Interp) callProc(p *Proc, args []Object, block *Proc) Object {
	in.step()
	if p.native != nil {
		return p.native(args)
	}
	in.enter()
	b := p.block
	if in.Ran != nil {
		in.Ran(b.Body)
	}
	f := in.newFrame(b.Slots)
	f.up, f.self = p.frame, p.self
	f.meth, f.home, f.cref = p.frame.meth, p.frame.home, p.frame.cref
	f.inst = p
	if p.lambda {
		f.home = f
	}
	ctl, mark := in.prov.ctl, in.prov.mark()
	in.bindBlock(b, p.lambda, args, f, block)
	var v Object
	switch {
	case p.lambda && b.Jumps&(syntax.HasReturn|syntax.HasBreak) != 0:
		v = in.catchReturn(f, func() Object {
			var r Object
			in.catchBreak(p, &r, func() { r = in.catchNext(f, func() Object { return in.until("next", b.Body, f) }) })
			return r
		})
	case b.Jumps&(syntax.HasNext|syntax.HasRedo) != 0:
		v = in.catchNext(f, func() Object { return in.until("next", b.Body, f) })
	default:
		v = in.seq(b.Body, f)
	}
	if b.Jumps&(syntax.HasBreak|syntax.HasReturn) == 0 {
		in.prov.ctl = ctl
	}
	in.prov.fold(mark)
	in.leave()
	return v
}

// missing answers a call of a method that does not exist.
func (in *Interp) missing(recv Object, name string, args []Object, block *Proc, n *syntax.Call) Object {
	look(recv)
	if nat, ok := recv.(*Native); ok && nat.Call != nil {
		if v, found := nat.Call(in, name, args, block); found {
			return orNil(v)
		}
	}
	if m := in.findFor(recv, "method_missing"); m != nil && m.builtin == nil {
		return in.invoke(m, recv, append([]Object{Symbol(name)}, args...), block)
	}
	if in.more(recv, name) {
		return in.call(recv, name, args, block, true)
	}
	in.noSuchMethod(recv, name, n)
	return nil
}

// more has the host load the rest of a class that is known to have a method.
func (in *Interp) more(recv Object, name string) bool {
	if in.Hooks.More == nil {
		return false
	}
	if c, ok := recv.(*Class); ok && in.rt.knows(in.classOf(recv), recv, name) {
		return in.Hooks.More(in, c.name)
	}
	return in.rt.kernelPrivate.table[name] == nil && in.isFunction(name) && in.Hooks.More(in, "Kernel")
}

// isFunction tells the functions of Kernel that libraries bring.
func (in *Interp) isFunction(name string) bool { return name == "URI" }

// noSuchMethod says that there is no method of a name, or that we have not got it.
func (in *Interp) noSuchMethod(recv Object, name string, n *syntax.Call) {
	if f, ok := recv.(*Foreign); ok {
		in.unsupported(fmt.Sprintf("the method %s of %s", name, in.toS(f)))
	}
	if o, ok := recv.(*Native); ok && o.data != nil {
		in.unsupported("the method " + name + " of " + o.class.name)
	}
	if e, ok := recv.(*Enumerator); ok && e.lazy {
		in.unsupported("the method " + name + " of a lazy enumerator")
	}
	if c := in.stubOf(recv); c != nil {
		in.unsupported(fmt.Sprintf("the method %s of %s", name, c.name))
	}
	if in.rt.knows(in.classOf(recv), recv, name) || in.unlisted(recv) {
		in.unsupported(fmt.Sprintf("the method %s of %s", name, in.className(recv)))
	}
	if n != nil && n.Recv == nil && !n.Parens && n.Block == nil {
		in.raise("NameError", "undefined local variable or method `%s' for %s", name, in.receiverText(recv))
	}
	in.raise("NoMethodError", "undefined method `%s' for %s", name, in.receiverText(recv))
}

// stubOf is a class or module that an object has its methods from and that is not known, nil when there is none.
func (in *Interp) stubOf(o Object) *Class {
	c, ok := o.(*Class)
	if !ok {
		c = in.classOf(o)
	}
	if in.Hooks.Constant == nil {
		return nil
	}
	for _, a := range in.ancestors(c) {
		if a.stub {
			return a
		}
	}
	return nil
}

func (in *Interp) className(o Object) string {
	if c, ok := o.(*Class); ok {
		return c.name + " (the class)"
	}
	return in.classOf(o).name
}

// receiverText is how NoMethodError shows the receiver.
func (in *Interp) receiverText(o Object) string {
	switch o := o.(type) {
	case Nil, nil:
		return "nil:NilClass"
	case Bool:
		if o {
			return "true:TrueClass"
		}
		return "false:FalseClass"
	case *Class:
		if o.module {
			return o.name + ":Module"
		}
		return o.name + ":Class"
	}
	s := in.inspectOf(o)
	if strings.HasPrefix(s, "#") {
		return s
	}
	return s + ":" + in.classOf(o).name
}

// quick answers the operators of numbers and plain comparisons without a search for the method.
func quick(a Object, op string, b Object) (Object, bool) {
	switch x := a.(type) {
	case Int:
		y, ok := b.(Int)
		if !ok {
			return nil, false
		}
		switch op {
		case "+":
			if s := x + y; (s > x) == (y > 0) {
				return s, true
			}
		case "-":
			if s := x - y; (s < x) == (y > 0) {
				return s, true
			}
		case "<":
			return Bool(x < y), true
		case ">":
			return Bool(x > y), true
		case "<=":
			return Bool(x <= y), true
		case ">=":
			return Bool(x >= y), true
		case "==":
			return Bool(x == y), true
		case "^":
			return x ^ y, true
		case "&":
			return x & y, true
		case "|":
			return x | y, true
		}
	case *String:
		if op == "==" {
			switch y := b.(type) {
			case *String:
				return Bool(x.String() == y.String()), true
			case Nil, Bool, Int, Symbol:
				return Bool(false), true
			}
		}
	case Symbol:
		if op == "==" {
			y, ok := b.(Symbol)
			return Bool(ok && x == y), true
		}
	case Nil:
		if op == "==" {
			return Bool(isNil(b)), true
		}
	case Bool:
		if op == "==" {
			y, ok := b.(Bool)
			return Bool(ok && x == y), true
		}
	}
	return nil, false
}

// binary applies an operator.
func (in *Interp) binary(a Object, op string, b Object) Object {
	if !in.operators {
		if v, ok := quick(a, op, b); ok {
			in.counts(v, a, b)
			return v
		}
	}
	return in.call(a, op, []Object{b}, nil, false)
}
