package ruby

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Hooks are what the host of an Interp supplies beyond Ruby itself. All may be nil.
type Hooks struct {
	// Require loads a feature; relative says that the name was given to require_relative. False: the host knows none of
	// that name.
	Require func(in *Interp, feature string, relative bool) bool
	// Constant gives a constant that nothing defined; scope is the name of the module that was asked, "" for the top.
	Constant func(in *Interp, scope, name string) (Object, bool)
	// More loads what a class or module of Ruby's has beyond what is built in. False: there is nothing more.
	More func(in *Interp, class string) bool
	// FromValue makes an object of a value that is neither plain data nor unknown; ToValue goes back. False: the host has
	// no better way.
	FromValue func(in *Interp, v value.Value, ref provenance.Ref) (Object, bool)
	ToValue   func(in *Interp, o Object) (value.Value, bool)
	// Each is what `each` of a value goes through that is none of Ruby's. False: it has no such method, or nobody knows.
	Each func(v value.Value) (list *value.Array, is bool)
	// Lasting says whether an object of a class is kept from one call to the next.
	Lasting func(c *Class) bool
	// Raise hears of an exception before anybody can rescue it.
	Raise func(in *Interp, e *Exception)
	// JSON says what is wrong with a text as JSON, worded as Ruby's library words it.
	JSON func(text string) error
	// Files is how a program sees files; nil: it sees none.
	Files Files
}

// Globals are the global variables of programs that see what each other set: Puppet's templates run in one Ruby.
type Globals struct {
	vars map[string]Object
	ref  provenance.Ref // what they depend on, all together
}

// leaveGlobals notes what decided how a program set global variables, or did not.
func (in *Interp) leaveGlobals(p *Program) {
	if in.prov.trace == nil || in.globals == nil {
		return
	}
	if p.Literals(); p.facts.globals {
		in.globals.ref = in.prov.trace.Join(in.globals.ref, in.prov.heap, in.prov.ctl)
	}
}

// Define sets a constant at the top.
func (in *Interp) Define(name string, o Object) {
	in.gconst.put(name, o)
}

// SetConst sets a constant of a module that is known by its full name, and Constant reads one.
func (in *Interp) SetConst(scope, name string, o Object) {
	owner, _ := in.Constant(scope)
	c, ok := owner.(*Class)
	if !ok {
		return
	}
	in.consts.own(c)[name] = o
}

// Constant is a constant by its full name.
func (in *Interp) Constant(name string) (Object, bool) {
	var o Object
	for i, part := range strings.Split(name, "::") {
		ok := false
		if i == 0 {
			if o, ok = in.topOf(part); !ok {
				o, ok = in.rt.consts[part]
			}
		} else if c, is := o.(*Class); is {
			o, ok = in.ownConst(c, part)
		}
		if !ok {
			return nil, false
		}
	}
	return o, true
}

// NewClass makes an empty class, which a program may go on to write.
func (in *Interp) NewClass(name string) *Class {
	return &Class{name: name, super: in.rt.object, user: true}
}

// NewModule makes a module that stands for one whose contents are not known: it can be included, inherited from and
// named.
func NewModule(name string) *Class { return &Class{name: name, user: true, stub: true, module: true} }

// Name is a class's full name.
func (c *Class) Name() string { return c.name }

// Send calls a method from outside of a run.
func (in *Interp) Send(recv Object, name string, args ...Object) (result Object, err error) {
	err = in.guard(func() { result = in.send(recv, name, args, nil) })
	return result, err
}

// CallBlock calls a block from outside of a run.
func (in *Interp) CallBlock(p *Proc, args ...Object) (result Object, err error) {
	err = in.guard(func() { result = in.callProc(p, args, nil) })
	return result, err
}

// guard runs f and returns how it ended, if not well.
func (in *Interp) guard(f func()) (err error) {
	depth := in.used.depth
	defer func() {
		if r := recover(); r != nil {
			in.unwind(depth)
			if err = in.asError(r); err == nil {
				if _, jumped := r.(*jump); !jumped {
					panic(r)
				}
			}
		}
	}()
	f()
	return nil
}

// Load runs a file statement by statement: one that fails is reported and the next ones still run. It may be called
// during a run.
func (in *Interp) Load(prog *Program, failed func(stmt syntax.Node, err error)) {
	f := in.newFrame(prog.Slots)
	f.meth, f.home, f.self = f, f, &Instance{class: in.rt.object}
	prog0, file, at := in.prog, in.file, in.at
	in.prog, in.file = prog, prog.File
	in.statements(prog.Body, f, failed)
	in.prog, in.file, in.at = prog0, file, at
}

// ClassBody evaluates a block as the body of a class, statement by statement, in the manner of Load. It is for hosts
// that are called from a run.
func (in *Interp) ClassBody(c *Class, p *Proc, failed func(stmt syntax.Node, err error)) {
	if p.native != nil {
		in.callProc(p, []Object{c}, nil)
		return
	}
	f := in.newFrame(p.block.Slots)
	f.up, f.self, f.inst = p.frame, c, p
	f.meth, f.home, f.cref = p.frame.meth, p.frame.home, &lexical{class: c, up: p.frame.cref, eval: true}
	in.bindBlock(p.block, false, []Object{c}, f, nil)
	in.statements(p.block.Body, f, failed)
}

func (in *Interp) statements(body *syntax.Seq, f *frame, failed func(stmt syntax.Node, err error)) {
	if body == nil {
		return
	}
	for _, s := range body.Stmts {
		if err := in.guard(func() { in.eval(s, f) }); err != nil {
			failed(s, err)
		}
	}
}

// Compiled is the pattern of a regular expression, nil for any other object.
func Compiled(o Object) *onigmo.Regexp {
	if r, ok := o.(*Regexp); ok {
		return r.re
	}
	return nil
}

// LiteralCall reads a statement that calls a function by name with a symbol or string as its first argument.
func LiteralCall(n syntax.Node) (name, first string, call *syntax.Call) {
	c, ok := n.(*syntax.Call)
	if !ok || c.Recv != nil {
		return "", "", nil
	}
	if len(c.Args) > 0 {
		switch a := c.Args[0].(type) {
		case *syntax.SymLit:
			first = a.Name
		case *syntax.StrLit:
			first = a.Value
		}
	}
	return c.Name, first, c
}

// NamesTrue reports whether a call is given the option NAME => true.
func NamesTrue(c *syntax.Call, name string) bool {
	for _, a := range c.Args {
		h, ok := a.(*syntax.HashLit)
		if !ok {
			continue
		}
		for _, p := range h.Pairs {
			if k, ok := p.Key.(*syntax.SymLit); ok && k.Name == name {
				b, isBool := p.Value.(*syntax.BoolLit)
				return isBool && b.Value
			}
		}
	}
	return false
}

// Walk calls f for every node of a block's body.
func (p *Proc) Walk(f func(syntax.Node) bool) {
	if p.block != nil && p.block.Body != nil {
		syntax.Walk(p.block.Body, f)
	}
}

// IsIdentity reports whether a block only gives back its argument.
func (p *Proc) IsIdentity() bool {
	if p.block == nil || p.block.Params == nil || len(p.block.Params.Pre) != 1 || p.block.Body == nil ||
		len(p.block.Body.Stmts) != 1 {
		return false
	}
	v, ok := p.block.Body.Stmts[0].(*syntax.LVar)
	return ok && v.Depth == 0 && v.Index == p.block.Params.Pre[0].Slot
}

// HereFile is the file that is being run.
func (in *Interp) HereFile() *source.File { return in.file }

// InstanceEval runs a block with another self, from outside of a run.
func (in *Interp) InstanceEval(self Object, p *Proc) (result Object, err error) {
	q := *p
	q.self = self
	err = in.guard(func() { result = in.callProc(&q, []Object{self}, nil) })
	return result, err
}
