package fs

import "slices"

// supports remembers, per node, the cells it depends on, sorted. Only nodes that are asked about are computed.
type supports struct {
	bools map[int32][]Cell
	vals  map[Val][]Cell
}

// Support lists the cells that b depends on, sorted.
func (f *Formulas) Support(b Bool) []Cell {
	if f.sup.bools == nil {
		f.sup.bools, f.sup.vals = map[int32][]Cell{}, map[Val][]Cell{}
	}
	i := int32(b >> 1)
	if s, ok := f.sup.bools[i]; ok {
		return s
	}
	n := &f.bools[i]
	var s []Cell
	switch n.op {
	case opAtom:
		s = []Cell{n.cell}
	case opAnd:
		for _, k := range n.kids {
			s = append(s, f.Support(k)...)
		}
	case opEq, opHolds:
		for _, v := range n.args {
			s = append(s, f.SupportVal(v)...)
		}
	}
	f.budget.Spend(int64(1+len(s)), formulas)
	s = sortedCells(s)
	f.sup.bools[i] = s
	return s
}

// SupportVal lists the cells that v depends on, sorted.
func (f *Formulas) SupportVal(v Val) []Cell {
	if f.sup.bools == nil {
		f.sup.bools, f.sup.vals = map[int32][]Cell{}, map[Val][]Cell{}
	}
	n := &f.vals[v]
	switch n.op {
	case opValue:
		return nil
	case opCell:
		return []Cell{n.cell}
	}
	if s, ok := f.sup.vals[v]; ok {
		return s
	}
	var s []Cell
	if n.op == opIte {
		s = slices.Concat(f.Support(n.cond), f.SupportVal(n.a), f.SupportVal(n.b))
	} else {
		for _, a := range n.args {
			s = append(s, f.SupportVal(a)...)
		}
	}
	f.budget.Spend(int64(1+len(s)), formulas)
	s = sortedCells(s)
	f.sup.vals[v] = s
	return s
}

func sortedCells(s []Cell) []Cell {
	slices.Sort(s)
	return slices.Compact(s)
}

// A Subst rewrites formulas over the state before a program into formulas over an earlier state: it replaces the value
// of every cell. It remembers what it has rewritten, so use one Subst per moment of a run.
type Subst struct {
	f     *Formulas
	at    func(Cell) Val
	bools map[int32]Bool
	vals  map[Val]Val
}

// NewSubst returns a rewriting that puts at(c) for cell c.
func (f *Formulas) NewSubst(at func(Cell) Val) *Subst {
	return &Subst{f: f, at: at, bools: map[int32]Bool{}, vals: map[Val]Val{}}
}

// Bool rewrites a formula.
func (s *Subst) Bool(b Bool) Bool {
	i := int32(b >> 1)
	r, ok := s.bools[i]
	if !ok {
		f := s.f
		f.budget.Spend(1, "composing runs")
		switch n := f.bools[i]; n.op {
		case opConst:
			r = Top
		case opAtom:
			v := s.at(n.cell)
			if v == f.Read(n.cell) {
				r = f.Atom(n.cell, n.mask)
				break
			}
			r = f.sp.member(v, n.cell, n.mask)
		case opAnd:
			kids := make([]Bool, 0, len(n.kids))
			for _, k := range n.kids {
				k = s.Bool(k)
				kids = append(kids, k)
				if k == Bottom {
					break
				}
			}
			r = f.And(kids...)
		case opEq:
			r = f.Eq(s.Val(n.args[0]), s.Val(n.args[1]))
		case opHolds:
			r = f.Holds(n.name, s.list(n.args))
		}
		s.bools[i] = r
	}
	if b&1 == 0 {
		return s.f.Not(r)
	}
	return r
}

// Val rewrites a value.
func (s *Subst) Val(v Val) Val {
	f := s.f
	n := f.vals[v]
	switch n.op {
	case opValue:
		return v
	case opCell:
		return s.at(n.cell)
	}
	r, ok := s.vals[v]
	if !ok {
		f.budget.Spend(1, "composing runs")
		if n.op == opIte {
			switch cond := s.Bool(n.cond); cond {
			case Top:
				r = s.Val(n.a)
			case Bottom:
				r = s.Val(n.b)
			default:
				r = f.Ite(cond, s.Val(n.a), s.Val(n.b))
			}
		} else {
			r = f.App(n.name, s.list(n.args))
		}
		s.vals[v] = r
	}
	return r
}

func (s *Subst) list(args []Val) []Val {
	out := make([]Val, len(args))
	for i, a := range args {
		out[i] = s.Val(a)
	}
	return out
}
