package template

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// A template that says @facts['os']['family'] uses one fact, though Ruby hands it the whole hash first. If each use of
// a variable in a template is followed by literal keys, only what lies at their end is asked for (package trace).

// A stepper is a Host that is told which parts of a variable are used.
type stepper interface {
	PeekAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool)
}

// variable is what @name has: one of what the scope lists, of which only the parts are used that the template names.
func (w *wrapper) variable(name string) (v value.Value, ref provenance.Ref, found bool) {
	h, is := w.h.(stepper)
	ways := w.t.ways(name)
	if !is || len(ways) == 0 {
		if p, ok := w.h.(Peeker); ok {
			return p.Peek(name)
		}
		return w.h.Variable(name)
	}
	for _, steps := range ways {
		v, ref, found = h.PeekAt(name, steps)
	}
	return v, ref, found
}

// A use is how a template uses a variable.
type use struct {
	ways  [][]value.Value // the literal keys behind it
	whole bool            // it is used in another way as well
}

// ways are the literal keys behind each use of a variable; nil if it is used in another way as well.
func (t *Template) ways(name string) [][]value.Value {
	t.usesOnce.Do(func() {
		t.uses = uses{}
		if t.program != nil && len(t.trouble) == 0 {
			t.uses.find(t.program.Body)
		}
	})
	if u := t.uses[name]; u != nil && !u.whole {
		return u.ways
	}
	return nil
}

// uses are those of a template, by a variable's name.
type uses map[string]*use

func (all uses) of(name string) *use {
	name = strings.TrimPrefix(name, "@")
	if all[name] == nil {
		all[name] = &use{}
	}
	return all[name]
}

func (all uses) find(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IVar:
			all.of(n.Name).whole = true
		case *syntax.Assign:
			all.changed(n.Target)
		case *syntax.OpAssign:
			all.changed(n.Target)
		case *syntax.Call:
			steps, name, others := chain(n)
			if name == "" {
				return true
			}
			for _, o := range others {
				all.find(o)
			}
			u := all.of(name)
			u.ways = append(u.ways, steps)
			return false
		}
		return true
	})
}

// changed says that variables in the target of an assignment are used as a whole.
func (all uses) changed(target syntax.Node) {
	syntax.Walk(target, func(n syntax.Node) bool {
		if v, is := n.(*syntax.IVar); is {
			all.of(v.Name).whole = true
		}
		return true
	})
}

// chain takes @name['a']['b'] apart; name is "" if a call is nothing like it. others are arguments behind the literal
// keys.
func chain(n *syntax.Call) (steps []value.Value, name string, others []syntax.Node) {
	if n.Name != "[]" || len(n.Args) != 1 || n.Block != nil || n.Pass != nil {
		return nil, "", nil
	}
	key, literal := n.Args[0].(*syntax.StrLit)
	switch recv := n.Recv.(type) {
	case *syntax.IVar:
		if literal {
			return []value.Value{value.String(key.Value)}, recv.Name, nil
		}
	case *syntax.Call:
		if steps, name, others = chain(recv); name == "" {
			return nil, "", nil
		}
		if literal && len(others) == 0 {
			return append(steps, value.String(key.Value)), name, nil
		}
		return steps, name, append(others, n.Args[0])
	}
	return nil, "", nil
}
