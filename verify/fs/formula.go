package fs

import (
	"encoding/binary"
	"slices"

	"bunraku/budget"
)

// A Bool is a formula and a Val is a value, both over the cells of the state before a program. Equal formulas built in
// the same space are the same number more often than not: nodes are shared and simplified as they are made, which is
// all the pruning of §4.4 that equivalence checks need here.
//
// The lowest bit of a Bool is its sign.
type Bool int32

// A Val denotes the value of a cell.
type Val int32

// Top and Bottom are the constants.
const (
	Bottom Bool = 0
	Top    Bool = 1
)

type boolOp uint8

const (
	opConst boolOp = iota
	opAtom         // cell's value is in mask of its domain
	opAnd
	opEq    // two values are equal
	opHolds // an uninterpreted predicate
)

type boolNode struct {
	op   boolOp
	cell Cell
	mask uint64
	kids []Bool
	args []Val // of opEq (two) and opHolds
	name string
}

type valOp uint8

const (
	opValue valOp = iota
	opCell
	opIte
	opApp
)

type valNode struct {
	op   valOp
	id   ID
	cell Cell
	cond Bool
	a, b Val
	name string
	args []Val
}

// Formulas holds shared nodes. Space embeds it.
type Formulas struct {
	sp     *Space
	bools  []boolNode
	vals   []valNode
	keys   map[string]int32   // nodes with lists
	short  map[[4]int64]int32 // nodes without
	consts map[ID]Val
	cellOf []Val // of each cell: the node that reads it
	aux    []auxCell
	sup    supports
	eqs    map[[2]Val]Bool // what Eq has found out about values with choices in them
	buf    []byte
	budget *budget.Budget // counts every node that is made and every look at one; may be nil
}

// Bytes of memory that a node takes, with its entry in an index.
const (
	boolBytes = 160
	valBytes  = 150
)

// An auxCell stands for the value of a cell at some moment of a run whose order is open. It has no domain of its own.
type auxCell struct{ of Cell }

// auxBase separates auxiliary cells from the space's own.
const auxBase Cell = 1 << 24

func (f *Formulas) init(sp *Space) {
	f.sp = sp
	f.keys = map[string]int32{}
	f.short = map[[4]int64]int32{}
	f.consts = map[ID]Val{}
	f.eqs = map[[2]Val]Bool{}
	f.bools = []boolNode{{op: opConst}}
}

// formulas is what is being done here, for the budget.
const formulas = "formulas"

func (f *Formulas) addBool(key [4]int64, n boolNode) Bool {
	f.budget.Keep(boolBytes, formulas)
	i := int32(len(f.bools))
	f.short[key] = i
	f.bools = append(f.bools, n)
	return Bool(i<<1 | 1)
}

func (f *Formulas) internBool(n boolNode) Bool {
	if i, ok := f.keys[string(f.buf)]; ok {
		return Bool(i<<1 | 1)
	}
	f.budget.Keep(boolBytes+int64(4*len(n.kids)+len(f.buf)), formulas)
	i := int32(len(f.bools))
	f.keys[string(f.buf)] = i
	f.bools = append(f.bools, n)
	return Bool(i<<1 | 1)
}

func (f *Formulas) internVal(n valNode) Val {
	if i, ok := f.keys[string(f.buf)]; ok {
		return Val(i)
	}
	f.budget.Keep(valBytes+int64(4*len(n.args)+len(f.buf)), formulas)
	i := int32(len(f.vals))
	f.keys[string(f.buf)] = i
	f.vals = append(f.vals, n)
	return Val(i)
}

// Atom says that the initial value of c is one of the given ones of its domain.
func (f *Formulas) Atom(c Cell, mask uint64) Bool {
	mask &= f.sp.full(c)
	if mask == 0 {
		return Bottom
	}
	if mask == f.sp.full(c) {
		return Top
	}
	key := [4]int64{'a', int64(c), int64(mask)}
	if i, ok := f.short[key]; ok {
		return Bool(i<<1 | 1)
	}
	return f.addBool(key, boolNode{op: opAtom, cell: c, mask: mask})
}

// isAtom recognises an atom over a cell of the space.
func (f *Formulas) isAtom(b Bool) (Cell, uint64, bool) {
	n := &f.bools[b>>1]
	if n.op != opAtom {
		return 0, 0, false
	}
	return n.cell, n.mask, true // atoms are never negated, see Not
}

// Not negates. A negated atom is the atom of the complement.
func (f *Formulas) Not(b Bool) Bool {
	if c, mask, ok := f.isAtom(b); ok {
		return f.Atom(c, ^mask)
	}
	return b ^ 1
}

// And is conjunction: flat, sorted, atoms of one cell merged.
func (f *Formulas) And(bs ...Bool) Bool {
	if len(bs) == 2 { // the common small cases
		switch a, b := bs[0], bs[1]; {
		case a == Bottom || b == Bottom:
			return Bottom
		case a == Top || a == b:
			return b
		case b == Top:
			return a
		}
	}
	kids := make([]Bool, 0, len(bs)+4)
	for _, b := range bs {
		if n := &f.bools[b>>1]; n.op == opAnd && b&1 == 1 && len(n.kids) <= 16 {
			kids = append(kids, n.kids...)
		} else {
			kids = append(kids, b)
		}
	}
	f.budget.Spend(int64(len(kids)), formulas)
	if !f.propagate(kids) {
		return Bottom
	}
	slices.Sort(kids)
	out := kids[:0]
	for i, k := range kids {
		switch {
		case k == Bottom:
			return Bottom
		case k == Top || i > 0 && len(out) > 0 && out[len(out)-1] == k:
			continue
		case len(out) > 0 && out[len(out)-1] == k^1:
			return Bottom
		}
		out = append(out, k)
	}
	switch len(out) {
	case 0:
		return Top
	case 1:
		return out[0]
	}
	f.buf = append(f.buf[:0], '&')
	for _, k := range out {
		f.buf = binary.AppendVarint(f.buf, int64(k))
	}
	return f.internBool(boolNode{op: opAnd, kids: slices.Clone(out)})
}

// propagate merges the atoms of each cell among some conjuncts, and uses them in those conjuncts that are disjunctions:
// there, what they make false goes, and what they make true settles the whole. It reports false for a contradiction.
func (f *Formulas) propagate(kids []Bool) bool {
	var known atomIndex
	for changed := true; changed; {
		changed = false
		for i, k := range kids {
			if k == Top {
				continue
			}
			if c, mask, ok := f.isAtom(k); ok {
				if at, is := known.find(c); is && at != i {
					_, other, _ := f.isAtom(kids[at])
					kids[at], kids[i] = f.Atom(c, mask&other), Top
					if kids[at] == Bottom {
						return false
					}
					changed = changed || mask&other != other
				} else if !is {
					known.add(c, i)
					changed = true
				}
				continue
			}
			n := &f.bools[k>>1]
			if n.op != opAnd || k&1 == 1 || known.n == 0 {
				continue
			}
			left := n.kids
			f.budget.Spend(int64(len(left)>>2), formulas)
			copied := false
			for j := 0; j < len(left); j++ {
				c, mask, ok := f.isAtom(left[j])
				if !ok {
					continue
				}
				at, is := known.find(c)
				if !is {
					continue
				}
				_, here, _ := f.isAtom(kids[at])
				if here&mask == 0 { // this disjunct holds
					kids[i] = Top
					break
				}
				if here&^mask == 0 { // this one cannot
					if !copied {
						left, copied = slices.Clone(left), true
					}
					left = slices.Delete(left, j, j+1)
					j--
				}
			}
			if copied && kids[i] != Top {
				kids[i] = f.Not(f.And(left...))
				if kids[i] == Bottom {
					return false
				}
				changed = true
			}
		}
	}
	return true
}

// An atomIndex finds the atom of a cell among conjuncts. There are few, mostly.
type atomIndex struct {
	n     int
	small [8]struct {
		cell Cell
		at   int
	}
	large map[Cell]int
}

func (x *atomIndex) find(c Cell) (int, bool) {
	if x.large != nil {
		at, ok := x.large[c]
		return at, ok
	}
	for _, s := range x.small[:x.n] {
		if s.cell == c {
			return s.at, true
		}
	}
	return 0, false
}

func (x *atomIndex) add(c Cell, at int) {
	if x.large == nil && x.n == len(x.small) {
		x.large = map[Cell]int{}
		for _, s := range x.small {
			x.large[s.cell] = s.at
		}
	}
	if x.large != nil {
		x.large[c] = at
	} else {
		x.small[x.n].cell, x.small[x.n].at = c, at
	}
	x.n++
}

// Or is disjunction. Atoms of one cell merge through the complement.
func (f *Formulas) Or(bs ...Bool) Bool {
	neg := make([]Bool, len(bs))
	for i, b := range bs {
		neg[i] = f.Not(b)
	}
	return f.Not(f.And(neg...))
}

// If is (c ∧ a) ∨ (¬c ∧ b).
func (f *Formulas) If(c, a, b Bool) Bool {
	switch {
	case c == Top || a == b:
		return a
	case c == Bottom:
		return b
	}
	return f.Or(f.And(c, a), f.And(f.Not(c), b))
}

// Conjuncts splits a conjunction.
func (f *Formulas) Conjuncts(b Bool) []Bool {
	if n := &f.bools[b>>1]; n.op == opAnd && b&1 == 1 {
		return n.kids
	}
	return []Bool{b}
}

// Const is a constant value.
func (f *Formulas) Const(id ID) Val {
	if v, ok := f.consts[id]; ok {
		return v
	}
	v := Val(len(f.vals))
	f.vals = append(f.vals, valNode{op: opValue, id: id})
	f.consts[id] = v
	return v
}

// Read is the initial value of a cell; an auxiliary cell is its own value.
func (f *Formulas) Read(c Cell) Val {
	i := int(c)
	if c >= auxBase {
		key := [4]int64{'x', int64(c)}
		if i, ok := f.short[key]; ok {
			return Val(i)
		}
		f.short[key] = int32(len(f.vals))
		f.vals = append(f.vals, valNode{op: opCell, cell: c})
		return Val(len(f.vals) - 1)
	}
	for len(f.cellOf) <= i {
		f.cellOf = append(f.cellOf, -1)
	}
	if f.cellOf[i] < 0 {
		f.cellOf[i] = Val(len(f.vals))
		f.vals = append(f.vals, valNode{op: opCell, cell: c})
	}
	return f.cellOf[i]
}

// NewAux makes an auxiliary cell that takes the values of c.
func (f *Formulas) NewAux(c Cell) Cell {
	f.aux = append(f.aux, auxCell{c})
	return auxBase + Cell(len(f.aux)-1)
}

// Ite chooses between two values.
func (f *Formulas) Ite(c Bool, a, b Val) Val {
	switch {
	case c == Top || a == b:
		return a
	case c == Bottom:
		return b
	}
	if c&1 == 0 {
		c, a, b = f.Not(c), b, a
	}
	if n := &f.vals[a]; n.op == opIte && n.cond == c {
		a = n.a
	}
	if n := &f.vals[b]; n.op == opIte && n.cond == c {
		b = n.b
	}
	if a == b {
		return a
	}
	key := [4]int64{'i', int64(c), int64(a), int64(b)}
	if i, ok := f.short[key]; ok {
		return Val(i)
	}
	f.budget.Keep(valBytes, formulas)
	f.short[key] = int32(len(f.vals))
	f.vals = append(f.vals, valNode{op: opIte, cond: c, a: a, b: b})
	return Val(len(f.vals) - 1)
}

// App is the result of an uninterpreted function.
func (f *Formulas) App(name string, args []Val) Val {
	f.spell('f', name, args)
	return f.internVal(valNode{op: opApp, name: name, args: slices.Clone(args)})
}

// Holds is an uninterpreted predicate.
func (f *Formulas) Holds(name string, args []Val) Bool {
	f.spell('h', name, args)
	return f.internBool(boolNode{op: opHolds, name: name, args: slices.Clone(args)})
}

func (f *Formulas) spell(tag byte, name string, args []Val) {
	f.buf = append(f.buf[:0], tag)
	f.buf = binary.AppendVarint(f.buf, int64(len(name)))
	f.buf = append(f.buf, name...)
	for _, a := range args {
		f.buf = binary.AppendVarint(f.buf, int64(a))
	}
}

// Eq says that two values are equal. A cell of the space has its initial value here, which is in its domain; in
// formulas about later moments, compare only with constants that programs compare it with. Results of functions equal
// nothing but results of the same function for equal arguments.
//
// Choices share their branches, and so do results their arguments: a value that n resources have had a hand in has n
// nodes and 2ⁿ ways through them. So every comparison is made once and remembered.
func (f *Formulas) Eq(a, b Val) Bool {
	if a == b {
		return Top
	}
	x, y := &f.vals[a], &f.vals[b]
	if x.op > y.op || x.op == y.op && a > b {
		a, b, x, y = b, a, y, x
	}
	switch {
	case x.op == opValue && y.op == opValue:
		return Bottom
	case x.op == opValue && y.op == opCell && y.cell < auxBase:
		if i, ok := f.sp.position(y.cell, x.id); ok {
			return f.Atom(y.cell, bitOf(i))
		}
		return Bottom
	case x.op == opValue && y.op == opApp:
		return Bottom
	case x.op == opCell && y.op == opApp && x.cell < auxBase:
		return Bottom
	case x.op == opValue && y.op == opIte, x.op == opApp && y.op == opApp:
		key := [2]Val{a, b}
		r, known := f.eqs[key]
		if !known {
			f.budget.Keep(16, formulas)
			r = f.compare(a, b)
			f.eqs[key] = r
		}
		return r
	}
	key := [4]int64{'=', int64(a), int64(b)}
	if i, ok := f.short[key]; ok {
		return Bool(i<<1 | 1)
	}
	return f.addBool(key, boolNode{op: opEq, args: []Val{a, b}})
}

// compare is Eq for a constant and a choice, or two results.
func (f *Formulas) compare(a, b Val) Bool {
	x, y := f.vals[a], f.vals[b]
	if y.op == opIte {
		return f.If(y.cond, f.Eq(a, y.a), f.Eq(a, y.b))
	}
	if x.name != y.name || len(x.args) != len(y.args) {
		return Bottom
	}
	all := Top
	for i := range x.args {
		if all = f.And(all, f.Eq(x.args[i], y.args[i])); all == Bottom {
			break
		}
	}
	return all
}

// member says that v is one of the values that mask selects from c's domain. Values outside the domain count as its
// "other" one.
func (sp *Space) member(v Val, c Cell, mask uint64) Bool {
	in := &sp.cells[c]
	rest := in.other >= 0 && mask&bitOf(in.other) != 0
	out := Bottom
	for j, id := range in.domain {
		if selected := mask&bitOf(j) != 0; selected != rest && j != in.other {
			out = sp.Or(out, sp.Eq(v, sp.Const(id)))
		}
	}
	if rest {
		return sp.Not(out)
	}
	return out
}

// among says that a kind-like value is one of some.
func (f *Formulas) among(v Val, ids ...ID) Bool {
	out := Bottom
	for _, id := range ids {
		out = f.Or(out, f.Eq(v, f.Const(id)))
	}
	return out
}
