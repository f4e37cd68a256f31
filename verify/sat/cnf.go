// Package sat turns circuits into clauses and asks a solver about them. Builder makes CNF by Tseitin's transformation
// and shares equal gates; Solver is the one interface behind which the solver of this package (cdcl.go) and minisat,
// cadical and z3 (as programs, over DIMACS) stand. Nothing here knows file systems.
//
// It is what is left of §4.1 of the Rehearsal paper's use of an SMT solver: all domains here are finite, so clauses do.
// The package imports budget. Start reading at Builder.
package sat

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"bunraku/budget"
)

// A Lit is a variable (1, 2, …) or its negation (-1, -2, …), as in DIMACS.
type Lit int32

// Not negates.
func (l Lit) Not() Lit { return -l }

// A Builder collects clauses and gates. Its first variable is true.
//
// A problem may have tens of millions of small clauses, so that they lie in one piece of memory: with a slice each, the
// collector of garbage works longer than the solver. For the same reason the table of gates holds no keys: a gate is
// found by its last clause, which has all of its inputs.
type Builder struct {
	vars  int32
	words []Lit   // all clauses, one after the other
	ends  []int   // where each of them ends in words
	gates []int32 // by the hash of its inputs: 1 + the clause that ends a gate's definition, or 0; a power of two
	full  int     // gates that are there
	in    []Lit   // the inputs of the gate that is being made
	kept  *cdcl   // what the solver of this package has learned; clauses are only ever added, so that it stays true

	// Budget counts the clauses. It may be nil.
	Budget *budget.Budget
}

// NewBuilder returns an empty problem.
func NewBuilder() *Builder {
	b := &Builder{gates: make([]int32, 64)}
	b.Clause(b.Var())
	return b
}

// True and False are constants.
func (b *Builder) True() Lit  { return 1 }
func (b *Builder) False() Lit { return -1 }

// Var makes a new variable.
func (b *Builder) Var() Lit {
	b.vars++
	return Lit(b.vars)
}

// Vars and Clauses are the size of the problem.
func (b *Builder) Vars() int    { return int(b.vars) }
func (b *Builder) Clauses() int { return len(b.ends) }

// clause is one of the clauses. It is not to be changed.
func (b *Builder) clause(k int) []Lit {
	from := 0
	if k > 0 {
		from = b.ends[k-1]
	}
	return b.words[from:b.ends[k]]
}

// Clause demands that one of the literals is true.
func (b *Builder) Clause(lits ...Lit) {
	b.words = append(b.words, lits...)
	b.end(len(lits))
}

// end makes the last words a clause. It counts twice: the solver has it, too, and slices that grow have room to spare.
func (b *Builder) end(length int) {
	b.Budget.Keep(2*int64(8+4*length), "clauses")
	b.ends = append(b.ends, len(b.words))
}

// Imply demands that the conjunction of the premises implies the conclusion.
func (b *Builder) Imply(conclusion Lit, premises ...Lit) {
	if conclusion == b.True() || slices.Contains(premises, b.False()) {
		return
	}
	from := len(b.words)
	for _, p := range premises {
		if p != b.True() {
			b.words = append(b.words, -p)
		}
	}
	if conclusion != b.False() {
		b.words = append(b.words, conclusion)
	}
	b.end(len(b.words) - from)
}

// And is a gate.
func (b *Builder) And(lits ...Lit) Lit {
	b.Budget.Spend(int64(1+len(lits)), "clauses")
	in := b.in[:0]
	for _, l := range lits {
		switch l {
		case b.False():
			return b.False()
		case b.True():
		default:
			in = append(in, l)
		}
	}
	b.in = in
	slices.Sort(in)
	in = slices.Compact(in)
	for _, l := range in {
		if l > 0 {
			break
		}
		if _, both := slices.BinarySearch(in, -l); both {
			return b.False()
		}
	}
	switch len(in) {
	case 0:
		return b.True()
	case 1:
		return in[0]
	}
	slot := hashOf(in, false) & uint64(len(b.gates)-1)
	for ; b.gates[slot] != 0; slot = (slot + 1) & uint64(len(b.gates)-1) {
		last := b.clause(int(b.gates[slot] - 1))
		if inputs := last[:len(last)-1]; slices.EqualFunc(in, inputs, func(x, y Lit) bool { return x == -y }) {
			return last[len(last)-1]
		}
	}
	b.Budget.Spend(int64(newGate*len(in)), "clauses")
	g := b.Var()
	for _, l := range in {
		b.Clause(-g, l)
	}
	for _, l := range in {
		b.words = append(b.words, -l)
	}
	b.words = append(b.words, g)
	b.end(len(in) + 1)
	b.gates[slot] = int32(len(b.ends))
	if b.full++; 2*b.full > len(b.gates) {
		b.grow()
	}
	return g
}

// newGate is about how many steps it takes to write an input of a gate down, with the clauses, their memory and the
// table.
const newGate = 4

// grow doubles the table of gates.
func (b *Builder) grow() {
	old := b.gates
	b.Budget.Keep(int64(8*len(old)), "clauses")
	b.gates = make([]int32, 2*len(old))
	for _, k := range old {
		if k == 0 {
			continue
		}
		last := b.clause(int(k - 1))
		slot := hashOf(last[:len(last)-1], true) & uint64(len(b.gates)-1)
		for b.gates[slot] != 0 {
			slot = (slot + 1) & uint64(len(b.gates)-1)
		}
		b.gates[slot] = k
	}
}

// hashOf mixes literals, or their negations, into a number (FNV-1a over words, and a last stir for the low bits).
func hashOf(lits []Lit, negated bool) uint64 {
	h := uint64(14695981039346656037)
	for _, l := range lits {
		if negated {
			l = -l
		}
		h = (h ^ uint64(uint32(l))) * 1099511628211
	}
	return h ^ h>>29 ^ h>>47
}

// Or is a gate.
func (b *Builder) Or(lits ...Lit) Lit {
	var few [8]Lit
	neg := few[:0]
	for _, l := range lits {
		neg = append(neg, -l)
	}
	return -b.And(neg...)
}

// Ite is c ? x : y.
func (b *Builder) Ite(c, x, y Lit) Lit {
	switch {
	case c == b.True() || x == y:
		return x
	case c == b.False():
		return y
	}
	return b.Or(b.And(c, x), b.And(-c, y))
}

// Iff is equivalence.
func (b *Builder) Iff(x, y Lit) Lit { return b.Ite(x, y, -y) }

// ExactlyOne demands it. The encoding is pairwise up to six literals and sequential beyond.
func (b *Builder) ExactlyOne(lits ...Lit) {
	b.Clause(lits...)
	if len(lits) <= 6 {
		for i, x := range lits {
			for _, y := range lits[:i] {
				b.Clause(-x, -y)
			}
		}
		return
	}
	seen := lits[0]
	for _, l := range lits[1:] {
		b.Clause(-seen, -l)
		next := b.Var()
		b.Clause(-seen, next)
		b.Clause(-l, next)
		seen = next
	}
}

// WriteDIMACS writes the problem in the format that every solver reads.
func (b *Builder) WriteDIMACS(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "p cnf %d %d\n", b.vars, b.Clauses())
	for k := range b.Clauses() {
		for _, l := range b.clause(k) {
			fmt.Fprintf(out, "%d ", l)
		}
		out.WriteString("0\n")
	}
	return out.Flush()
}
