package fs

import "slices"

// An Access says what a program does with one cell. It refines the abstract values R, W, D of Figure 9b.
type Access struct {
	Cell Cell
	// Reads: success or the value of some cell depends on it, other than by keeping it as it is or by ensuring it.
	Reads bool
	// Writes: it may change.
	Writes bool
	// Ensures (D): its only accesses are guarded mkdirs.
	Ensures bool
	// Joins: it is only ever set to the constant Const, under conditions that do not depend on it, and not read. Two
	// programs that join with the same constant commute on the cell.
	Joins bool
	Const ID
	// Overwrites (K): it always gets a value that does not depend on it, and is not read.
	Overwrites bool
	// Guarded: some guarded mkdir accesses it, perhaps beside other accesses. Not Ensures by itself: "read p, then ensure
	// p" is a write.
	Guarded bool
}

// A Footprint lists the cells that a program accesses, sorted by cell.
type Footprint []Access

// Find returns the access to c.
func (f Footprint) Find(c Cell) (Access, bool) {
	i, ok := slices.BinarySearchFunc(f, c, func(a Access, c Cell) int { return int(a.Cell) - int(c) })
	if !ok {
		return Access{}, false
	}
	return f[i], true
}

// Compatible reports whether two accesses to one cell cannot make the programs fail to commute: R–R, D–D or J–J.
// (Lemma 4 of the paper has R–R and D–D.)
func Compatible(a, b Access) bool {
	switch {
	case !a.Writes && !b.Writes:
		return true
	case a.Ensures && b.Ensures:
		return true
	case a.Joins && b.Joins && a.Const == b.Const:
		return true
	}
	return false
}

// Footprint computes what a program does with each cell, from its formulas: [e]_C of Figure 9b. The paper's syntactic
// order of accesses is not needed, since the formulas only mention the cells that matter.
func (sp *Space) Footprint(e *Effect) Footprint {
	acc := map[Cell]*Access{}
	at := func(c Cell) *Access {
		a := acc[c]
		if a == nil {
			a = &Access{Cell: c}
			acc[c] = a
		}
		return a
	}
	read := func(cells []Cell, except Cell) {
		for _, c := range cells {
			if c != except {
				at(c).Reads = true
			}
		}
	}
	for _, k := range e.OK {
		if k.Ensures >= 0 {
			at(k.Ensures).Guarded = true
			read(sp.Support(k.F), k.Ensures)
			read(sp.Support(k.Path), -1)
			continue
		}
		read(sp.Support(k.F), -1)
	}
	for _, o := range e.Out {
		a := at(o.Cell)
		a.Writes = true
		support := sp.SupportVal(o.Val)
		if !slices.Contains(support, o.Cell) {
			a.Overwrites = true
			read(support, -1)
			if n := &sp.Formulas.vals[o.Val]; n.op == opValue {
				a.Joins, a.Const = true, n.id
			}
			continue
		}
		read(support, o.Cell)
		keeps, constant, isConst := sp.keeps(o.Val, o.Cell)
		if !keeps {
			a.Reads = true
		}
		a.Joins, a.Const = keeps && isConst, constant
	}
	out := make(Footprint, 0, len(acc))
	for _, c := range sortedKeys(acc) {
		a := *acc[c]
		_, otherwise := slices.BinarySearch(e.wrote, c)
		a.Ensures = a.Guarded && !a.Reads && a.Joins && a.Const == idDir && !otherwise
		a.Reads = a.Reads || a.Guarded && !a.Ensures
		if a.Reads || a.Guarded {
			a.Joins, a.Overwrites = false, false // success depends on the old value
		}
		out = append(out, a)
	}
	return out
}

// keeps analyses a value left in c that depends on c's old value: does it only keep it or put something else, under
// conditions that do not depend on it? Then the constant that is put, if there is exactly one.
func (sp *Space) keeps(v Val, c Cell) (keeps bool, constant ID, isConst bool) {
	keeps, isConst = true, true
	seen := map[Val]bool{}
	first := true
	var walk func(Val)
	walk = func(v Val) {
		if seen[v] || !keeps {
			return
		}
		seen[v] = true
		n := &sp.Formulas.vals[v]
		switch {
		case n.op == opValue:
			isConst = isConst && (first || constant == n.id)
			constant, first = n.id, false
		case n.op == opCell && n.cell == c:
		case n.op == opIte:
			if slices.Contains(sp.Support(n.cond), c) {
				keeps = false
				return
			}
			a, b := n.a, n.b
			walk(a)
			walk(b)
		default:
			isConst = false
			if slices.Contains(sp.SupportVal(v), c) {
				keeps = false
			}
		}
	}
	walk(v)
	return keeps, constant, isConst
}
