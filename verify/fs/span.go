package fs

import "slices"

// spanNodes bounds the nodes of a value that Span looks at closely.
const spanNodes = 256

// Span is what a cell can hold after a program that leaves v in it, as a mask of the cell's domain, when some
// conditions held before. What a choice between values says of the cells it looks at is used in its branches: a file
// that is made if there is none, and fails to be if there is a directory, is a file afterwards. ok is false when it may
// hold anything.
func (sp *Space) Span(c Cell, v Val, given []Bool) (mask uint64, ok bool) {
	s := span{sp: sp, of: c, known: map[Cell]uint64{}, left: spanNodes}
	if !s.assume(given) {
		return 0, false // it never succeeds: there is no such moment
	}
	mask, ok = s.val(v)
	if sp.Shape(c).Only && mask&bitOf(0) != 0 {
		// What is missing goes with its path, which the kind says. A file that was made with the content of one that is not
		// there has nothing for its content either; but no world has such a file, so the fact would leave no world at all.
		return 0, false
	}
	return mask, ok && mask != 0 && mask != sp.full(c)
}

type span struct {
	sp    *Space
	of    Cell
	known map[Cell]uint64
	left  int
}

// assume uses what some conditions say of single cells. It reports false for a contradiction.
func (s *span) assume(conditions []Bool) bool {
	for _, f := range conditions {
		if c, mask, is := s.sp.isAtom(f); is {
			if m, says := s.known[c]; says {
				mask &= m
			}
			s.known[c] = mask
			if mask == 0 {
				return false
			}
		}
	}
	return true
}

func (s *span) val(v Val) (mask uint64, ok bool) {
	n := &s.sp.Formulas.vals[v]
	switch n.op {
	case opValue:
		i, in := s.sp.position(s.of, n.id)
		return bitOf(i), in
	case opCell:
		if n.cell != s.of {
			return 0, false
		}
		if m, says := s.known[s.of]; says {
			return m, true
		}
		return s.sp.full(s.of), true
	case opApp:
		return 0, false
	}
	s.left--
	yes, okYes := s.branch(n.cond, n.a)
	no, okNo := s.branch(s.sp.Not(n.cond), n.b)
	return yes | no, okYes && okNo
}

// branch is val where a condition holds.
func (s *span) branch(cond Bool, v Val) (mask uint64, ok bool) {
	if s.left < 0 {
		return 0, false
	}
	conditions := s.sp.Conjuncts(cond)
	if !slices.ContainsFunc(conditions, func(f Bool) bool { _, _, is := s.sp.isAtom(f); return is }) {
		return s.val(v)
	}
	before := s.known
	s.known = make(map[Cell]uint64, len(before)+1)
	for c, m := range before {
		s.known[c] = m
	}
	defer func() { s.known = before }()
	if !s.assume(conditions) {
		return 0, true
	}
	return s.val(v)
}
