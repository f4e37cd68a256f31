package fs

// This file is the reference semantics (Figure 5). It knows nothing of cells and formulas: it is what they are judged
// by.

// Run applies e to s and returns the state that results, whether an Act was done on the way, and whether it succeeded.
// s is not changed. On failure the state is nil: an error absorbs everything (§3.2).
func Run(e Expr, s *State) (result *State, acted, ok bool) {
	r := &runner{s: s.Clone()}
	if !r.run(e) {
		return nil, r.acted, false
	}
	return r.s, r.acted, true
}

// Touched is what a program changed, with the values from before.
type Touched struct {
	Nodes map[Path]Node
	Vars  map[string]Value
	Acted bool
}

// RunInPlace applies e to s, which it changes even when it fails. It is Run for long sequences, where a copy per
// program would cost more than the programs.
func RunInPlace(e Expr, s *State) (t Touched, ok bool) {
	r := &runner{s: s, log: &t}
	ok = r.run(e)
	t.Acted = r.acted
	return t, ok
}

// Perform is RunInPlace for those who want to know only whether it succeeds.
func Perform(e Expr, s *State) bool {
	r := runner{s: s}
	return r.run(e)
}

type runner struct {
	s     *State
	acted bool
	log   *Touched // nil if nobody wants to know
}

// node notes that the node at p is about to change.
func (r *runner) node(p Path) {
	if r.log == nil {
		return
	}
	if r.log.Nodes == nil {
		r.log.Nodes = map[Path]Node{}
	}
	if _, noted := r.log.Nodes[p]; !noted {
		r.log.Nodes[p] = r.s.At(p)
	}
}

// variable notes that a variable is about to change.
func (r *runner) variable(name string) {
	if r.log == nil {
		return
	}
	if r.log.Vars == nil {
		r.log.Vars = map[string]Value{}
	}
	if _, noted := r.log.Vars[name]; !noted {
		r.log.Vars[name] = r.s.Var(name)
	}
}

func (r *runner) run(e Expr) bool {
	s := r.s
	switch e := e.(type) {
	case nil, Skip:
		return true
	case Fail:
		return false
	case Act:
		r.acted = true
		return true
	case Seq:
		for _, x := range e {
			if !r.run(x) {
				return false
			}
		}
		return true
	case If:
		if s.Eval(e.Cond) {
			return r.run(e.Then)
		}
		return r.run(e.Else)
	case Mkdir:
		return r.create(e.Path, Dir, Absent)
	case Creat:
		return r.create(e.Path, File, s.Value(e.Content))
	case Ln:
		return r.create(e.Path, Link, s.Value(e.Target))
	case Cp:
		from := s.At(e.From)
		return from.Kind == File && r.create(e.To, File, from.Content)
	case Rm:
		if s.At(e.Path).Kind == None || s.At(e.Path).Kind == Dir && !s.Eval(EmptyDir(e)) || e.Path.IsRoot() {
			return false
		}
		r.node(e.Path)
		delete(s.Nodes, e.Path)
		return true
	case Write:
		n := s.At(e.Path)
		if n.Kind != File {
			return false
		}
		r.node(e.Path)
		n.Content = s.Value(e.Content)
		s.Nodes[e.Path] = n
		return true
	case SetAttr:
		n := s.At(e.Path)
		if n.Kind == None {
			return false
		}
		r.node(e.Path)
		n.Attrs[e.Attr] = s.Value(e.Value)
		s.Nodes[e.Path] = n
		return true
	case Clear:
		for p, n := range s.Nodes {
			if kept(p, e.Keep) {
				continue
			}
			if p == e.Path || leadsTo(p, e.Keep) && p.Under(e.Path) {
				r.node(p)
				n.Others = false
				s.Nodes[p] = n
			} else if p.Under(e.Path) {
				r.node(p)
				delete(s.Nodes, p)
			}
		}
		return true
	case Assign:
		r.variable(e.Var)
		s.Vars[e.Var] = s.Value(e.Value)
		return true
	}
	panic("fs: unknown expression")
}

// create is the common part of mkdir, creat, cp and ln.
func (r *runner) create(p Path, k Kind, content Value) bool {
	s := r.s
	if p.IsRoot() || s.At(p).Kind != None || s.At(p.Parent()).Kind != Dir {
		return false
	}
	n := Node{Kind: k, Content: content}
	for a := range n.Attrs {
		n.Attrs[a] = Attr(a).initial(k)
	}
	r.node(p)
	s.Nodes[p] = n
	return true
}

// kept: p is one of the kept paths or below one.
func kept(p Path, keep []Path) bool {
	for _, k := range keep {
		if p == k || p.Under(k) {
			return true
		}
	}
	return false
}

// leadsTo: p is above a kept path.
func leadsTo(p Path, keep []Path) bool {
	for _, k := range keep {
		if k.Under(p) {
			return true
		}
	}
	return false
}

// Value is the value of a term in s.
func (s *State) Value(t Term) Value {
	switch t := t.(type) {
	case Const:
		return t.Value
	case ContentOf:
		return s.At(t.Path).Content
	case AttrOf:
		return s.At(t.Path).Attrs[t.Attr]
	case VarOf:
		return s.Var(t.Name)
	case Apply:
		return Result(t.Func, s.values(t.Args))
	}
	panic("fs: unknown term")
}

func (s *State) values(ts []Term) []Value {
	out := make([]Value, len(ts))
	for i, t := range ts {
		out[i] = s.Value(t)
	}
	return out
}

// Eval is the truth of a predicate in s.
func (s *State) Eval(p Pred) bool {
	switch p := p.(type) {
	case nil, True:
		return true
	case Is:
		return s.At(p.Path).Kind == p.Kind
	case EmptyDir:
		n := s.At(p.Path)
		return n.Kind == Dir && !n.Others && !s.hasChild(p.Path, func(Path) bool { return true })
	case Equal:
		return s.Value(p.A) == s.Value(p.B)
	case Holds:
		answer, known := s.Oracle[Ask(p.Name, s.values(p.Args)...)]
		return !known || answer
	case Not:
		return !s.Eval(p.P)
	case And:
		for _, q := range p {
			if !s.Eval(q) {
				return false
			}
		}
		return true
	case Or:
		for _, q := range p {
			if s.Eval(q) {
				return true
			}
		}
		return false
	}
	panic("fs: unknown predicate")
}

// Ask spells a question to State.Oracle: what the predicate says of the given arguments.
func Ask(predicate string, args ...Value) string { return Result(predicate, args).term[1:] }
