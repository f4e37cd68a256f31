// Package sat turns circuits into clauses and asks a solver about them. Builder makes CNF by Tseitin's transformation
// and shares equal gates; Solver is the one interface behind which the solver of this package (cdcl.go) and minisat,
// cadical and z3 (as programs, over DIMACS) stand. Nothing here knows file systems.
//
// It is what is left of §4.1 of the Rehearsal paper's use of an SMT solver: all domains here are finite, so clauses do.
// The package imports budget. Start reading at Builder.
package sat

import (
	"bufio"
	"encoding/binary"
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
type Builder struct {
	vars    int32
	clauses [][]Lit
	gates   map[string]Lit
	buf     []byte
	kept    *cdcl // what the solver of this package has learned; clauses are only ever added, so that it stays true

	// Budget counts the clauses. It may be nil.
	Budget *budget.Budget
}

// NewBuilder returns an empty problem.
func NewBuilder() *Builder {
	b := &Builder{gates: map[string]Lit{}}
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
func (b *Builder) Clauses() int { return len(b.clauses) }

// Clause demands that one of the literals is true.
func (b *Builder) Clause(lits ...Lit) { b.add(slices.Clone(lits)) }

func (b *Builder) add(clause []Lit) {
	b.Budget.Keep(int64(24+4*len(clause)), "clauses")
	b.clauses = append(b.clauses, clause)
}

// Imply demands that the conjunction of the premises implies the conclusion.
func (b *Builder) Imply(conclusion Lit, premises ...Lit) {
	c := make([]Lit, 0, len(premises)+1)
	for _, p := range premises {
		if p == b.False() {
			return
		}
		if p != b.True() {
			c = append(c, -p)
		}
	}
	if conclusion == b.True() {
		return
	}
	if conclusion != b.False() {
		c = append(c, conclusion)
	}
	b.add(c)
}

// And is a gate.
func (b *Builder) And(lits ...Lit) Lit {
	b.Budget.Spend(int64(1+len(lits)), "clauses")
	in := make([]Lit, 0, len(lits))
	for _, l := range lits {
		switch l {
		case b.False():
			return b.False()
		case b.True():
		default:
			in = append(in, l)
		}
	}
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
	b.buf = b.buf[:0]
	for _, l := range in {
		b.buf = binary.AppendVarint(b.buf, int64(l))
	}
	if g, ok := b.gates[string(b.buf)]; ok {
		return g
	}
	g := b.Var()
	b.gates[string(b.buf)] = g
	long := make([]Lit, 0, len(in)+1)
	for _, l := range in {
		b.add([]Lit{-g, l})
		long = append(long, -l)
	}
	b.add(append(long, g))
	return g
}

// Or is a gate.
func (b *Builder) Or(lits ...Lit) Lit {
	neg := make([]Lit, len(lits))
	for i, l := range lits {
		neg[i] = -l
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
	fmt.Fprintf(out, "p cnf %d %d\n", b.vars, len(b.clauses))
	for _, c := range b.clauses {
		for _, l := range c {
			fmt.Fprintf(out, "%d ", l)
		}
		out.WriteString("0\n")
	}
	return out.Flush()
}
