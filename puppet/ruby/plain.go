package ruby

import (
	"errors"
	"strings"

	"bunraku/puppet/ruby/syntax"
)

// Functions that are loaded once.
//
// The file of most functions says nothing but what the function is: its name, its signatures and its methods, all in so
// many words (Plain). What such a file leaves in an interpreter depends on nothing that a program may have done before,
// as long as Puppet's side is what it was, and is one class with one object. It can be made once and be given to every
// interpreter that begins from the same seed, as if the file had been run there: the class and its methods never
// change, the objects are copied.

// Plain splits the file of a function into what it requires and the call that makes the function, when there is nothing
// else in it, and that call runs no code but Puppet's own.
func Plain(p *Program) (requires, makes *Program, ok bool) {
	stmts := p.Body.Stmts
	n := len(stmts) - 1
	if n < 0 {
		return nil, nil, false
	}
	for _, s := range stmts[:n] {
		if c, is := s.(*syntax.Call); !is || c.Recv != nil || c.Name != "require" || !literals(c) {
			return nil, nil, false
		}
	}
	c, is := stmts[n].(*syntax.Call)
	if !is || !isConst(c.Recv, "Puppet", "Functions") || c.Name != "create_function" || !plainBlock(c) {
		return nil, nil, false
	}
	switch {
	case len(c.Args) == 2 && isConst(c.Args[1], "Puppet", "Functions", "InternalFunction"):
	case len(c.Args) != 1:
		return nil, nil, false
	}
	if _, is := c.Args[0].(*syntax.SymLit); !is {
		return nil, nil, false
	}
	for _, s := range c.Block.Body.Stmts {
		switch s := s.(type) {
		case *syntax.Def:
			if s.Singleton != nil || s.Name == "initialize" {
				return nil, nil, false
			}
		case *syntax.Call:
			if s.Name != "dispatch" && s.Name != "argument_mismatch" || !plainDispatch(s) {
				return nil, nil, false
			}
		default:
			return nil, nil, false
		}
	}
	part := func(stmts []syntax.Node) *Program {
		return &Program{Program: &syntax.Program{File: p.File, Body: &syntax.Seq{At: p.Body.At, Stmts: stmts},
			Slots: p.Slots, Names: p.Names}}
	}
	return part(stmts[:n]), part(stmts[n:]), true
}

// plainDispatch reports whether a signature is told in so many words.
func plainDispatch(c *syntax.Call) bool {
	if c.Recv != nil || !plainBlock(c) || len(c.Args) != 1 {
		return false
	}
	if _, is := c.Args[0].(*syntax.SymLit); !is {
		return false
	}
	for _, s := range c.Block.Body.Stmts {
		c, is := s.(*syntax.Call)
		if !is || c.Recv != nil || c.Name != "return_type" && !strings.HasSuffix(c.Name, "param") || !literals(c) {
			return false
		}
	}
	return true
}

func plainBlock(c *syntax.Call) bool {
	return c.Block != nil && c.Block.Params == nil && c.Pass == nil && !c.Safe
}

// literals reports whether a call has no arguments but texts and symbols, and no block.
func literals(c *syntax.Call) bool {
	for _, a := range c.Args {
		switch a.(type) {
		case *syntax.StrLit, *syntax.SymLit:
		default:
			return false
		}
	}
	return c.Block == nil && c.Pass == nil && !c.Safe
}

func isConst(n syntax.Node, path ...string) bool {
	c, is := n.(*syntax.Const)
	last := len(path) - 1
	if !is || c.Name != path[last] {
		return false
	}
	if last == 0 {
		return c.Scope == nil
	}
	return isConst(c.Scope, path[:last]...)
}

// A Made is the function that a plain file makes.
type Made struct {
	object     *Instance
	defs, self *names[*method] // methods of its objects, and of the class
	ivars      *Hash           // of the class
	steps      int             // that making it took
	bytes      int             // likewise
}

// errNotAlone says that a function reaches what interpreters have copies of.
var errNotAlone = errors.New("it holds what belongs to the seed")

// Made keeps the function whose object was made in this interpreter, which comes from a seed and must not be used any
// more.
func (in *Interp) Made(o Object) (*Made, error) {
	i, is := o.(*Instance)
	if !is || i.class.settled() || in.seed == nil {
		return nil, errors.New("no object of a class of its own")
	}
	k := i.class
	m := &Made{object: i, defs: in.defs.of[k], self: in.sdefs.of[k], ivars: in.classIvars.of[k], bytes: in.used.bytes,
		steps: in.used.spent + in.used.given - in.used.steps}
	for _, n := range []*names[*method]{m.defs, m.self} {
		if n != nil {
			n.shared = true
		}
	}
	k.made = true
	// What it reaches must be its own: the copies that this interpreter has of the seed's objects are others elsewhere.
	c := &copying{in: in.seed.New(Limits{}), objects: map[Object]Object{}}
	m.copy(c)
	if m.self != nil {
		c.methods(m.self)
	}
	for _, mine := range in.copies.objects {
		if c.objects[mine] != nil {
			return nil, errNotAlone
		}
	}
	return m, c.err
}

// copy makes the objects.
func (m *Made) copy(c *copying) *Instance {
	if m.ivars != nil {
		c.in.classIvars.put(m.object.class, c.hash(m.ivars))
	}
	return c.object(m.object).(*Instance)
}

// Give gives this interpreter a function that was made in another one from the same seed, as if it were made here, and
// returns its object.
func (in *Interp) Give(m *Made) Object {
	in.charge(m.steps)
	in.room(m.bytes)
	k := m.object.class
	in.defs.share(k, m.defs)
	in.sdefs.share(k, m.self)
	in.keep()
	return m.copy(in.copies)
}

// Strays reports whether a program has changed what Puppet's side is made of: a class of the seed's, or a constant.
func (in *Interp) Strays() bool { return in.strays.classes || in.strays.many }
