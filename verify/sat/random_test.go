package sat

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// accept is the long mode.
var accept = os.Getenv("BUNRAKU_ACCEPT") == "1"

// randomCNF makes clauses of mixed lengths near the point where half of the problems have a model.
func randomCNF(r *rand.Rand, vars int) *Builder {
	b := NewBuilder()
	var lits []Lit
	for range vars {
		lits = append(lits, b.Var())
	}
	ratio := 3.6 + r.Float64()*1.4
	for range int(ratio * float64(vars)) {
		n := 3
		switch r.IntN(12) {
		case 0:
			n = 2
		case 1:
			n = 4 + r.IntN(3)
		}
		var c []Lit
		for range n {
			l := lits[r.IntN(vars)]
			if r.IntN(2) == 0 {
				l = -l
			}
			c = append(c, l)
		}
		b.Clause(c...)
	}
	return b
}

func isModel(b *Builder, r Result) bool {
	return !slices.ContainsFunc(all(b), func(c []Lit) bool { return !slices.ContainsFunc(c, r.True) })
}

// A checker follows a proof in DRUP format, by the definition: every clause that is added must become a conflict by
// unit propagation when its negation is assumed. It shares nothing with the solver, and knows nothing of watched
// literals.
type checker struct {
	clauses map[string][]Lit
	done    bool
}

func newChecker(b *Builder) *checker {
	c := &checker{clauses: map[string][]Lit{}}
	for _, x := range all(b) {
		c.put(x)
	}
	return c
}

func (c *checker) put(clause []Lit) {
	c.clauses[spell(clause)] = slices.Clone(clause)
	c.done = c.done || len(clause) == 0
}

func spell(clause []Lit) string {
	s := slices.Clone(clause)
	slices.Sort(s)
	var out []byte
	for _, l := range s {
		out = append(out, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return string(out)
}

func (c *checker) follows(clause []Lit) bool {
	value := map[Lit]bool{}
	for _, l := range clause {
		value[-l] = true
	}
	for changed := true; changed; {
		changed = false
		for _, x := range c.clauses {
			open, count, holds := Lit(0), 0, false
			for _, l := range x {
				switch {
				case value[l]:
					holds = true
				case !value[-l] && l != open:
					open = l
					count++
				}
			}
			switch {
			case holds || count > 1:
			case count == 0:
				return true
			default:
				value[open] = true
				changed = true
			}
		}
	}
	return false
}

// Every "unsatisfiable" comes with a proof that a checker written apart accepts.
func TestProofs(t *testing.T) {
	rounds := 150
	if accept {
		rounds = 5000
	}
	r := rand.New(rand.NewPCG(7, 7))
	checked, steps := 0, 0
	for range rounds {
		b := randomCNF(r, 20+r.IntN(30))
		if r.IntN(10) == 0 {
			b = NewBuilder()
			pigeons(b, 4)
		}
		c := newChecker(b)
		s := newCDCL()
		s.maxLearnt = 10 // forget often
		s.proof = func(drop bool, clause []code) {
			lits := make([]Lit, len(clause))
			for i, x := range clause {
				lits[i] = x.lit()
			}
			steps++
			switch {
			case drop:
				if _, has := c.clauses[spell(lits)]; !has {
					t.Fatal("a clause was dropped that is not there")
				}
				delete(c.clauses, spell(lits))
			case !c.follows(lits):
				t.Fatalf("%v does not follow", lits)
			default:
				c.put(lits)
			}
		}
		s.grow(b.vars)
		for _, x := range all(b) {
			s.add(x)
		}
		switch status := s.solve(nil, nil, 0); status {
		case Unsat:
			checked++
			if !c.done {
				t.Fatal("a proof ends without the empty clause")
			}
		case Sat:
			if !isModel(b, Result{Status: Sat, model: s.model}) {
				t.Fatal("the model is none")
			}
		}
	}
	t.Logf("%d proofs of %d steps", checked, steps)
	if checked < rounds/4 {
		t.Errorf("only %d of %d have no model", checked, rounds)
	}
}

// The checker notices a clause that does not follow.
func TestCheckerNotices(t *testing.T) {
	b := NewBuilder()
	x, y := b.Var(), b.Var()
	b.Clause(x, y)
	c := newChecker(b)
	if c.follows([]Lit{x}) || !c.follows([]Lit{x, y}) {
		t.Error("the checker does not check")
	}
}

// All solvers say the same of random problems.
func TestAgainstOthers(t *testing.T) {
	rounds := 60
	if accept {
		rounds = 100_000
	}
	var others []Solver
	for _, name := range []string{"cadical", "minisat"} {
		if s, err := Named(name); err == nil {
			others = append(others, s)
		}
	}
	if len(others) == 0 {
		t.Skip("neither cadical nor minisat is installed")
	}
	r := rand.New(rand.NewPCG(8, 8))
	var count [3]int
	var ours time.Duration
	for k := range rounds {
		b := randomCNF(r, 10+r.IntN(110))
		began := time.Now()
		got := b.Under(nil, 0)
		ours += time.Since(began)
		want, err := others[k%len(others)].Solve(context.Background(), b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != want.Status {
			t.Fatalf("problem %d: %v, but another solver says %v", k, got.Status, want.Status)
		}
		if got.Status == Sat && !isModel(b, got) {
			t.Fatalf("problem %d: the model is none", k)
		}
		count[got.Status]++
	}
	t.Logf("%d problems: %d satisfiable, %d not; %v here", rounds, count[Sat], count[Unsat], ours.Round(time.Millisecond))
	if count[Sat] < rounds/5 || count[Unsat] < rounds/5 {
		t.Errorf("%v: too one-sided to tell", count)
	}
}

// Assuming literals is demanding them, and leaves nothing behind; clauses that come later count.
func TestAssumptions(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	rounds := 400
	if accept {
		rounds = 20000
	}
	for range rounds {
		b := randomCNF(r, 10+r.IntN(40))
		for range 4 {
			var assume []Lit
			for range r.IntN(6) {
				l := Lit(2 + r.IntN(b.Vars()-1))
				if r.IntN(2) == 0 {
					l = -l
				}
				assume = append(assume, l)
			}
			got := b.Under(assume, 0)
			fresh := NewBuilder()
			for fresh.Vars() < b.Vars() {
				fresh.Var()
			}
			for _, c := range all(b) {
				fresh.Clause(c...)
			}
			for _, l := range assume {
				fresh.Clause(l)
			}
			want := fresh.Under(nil, 0)
			if got.Status != want.Status {
				t.Fatalf("under %v: %v, but demanded %v", assume, got.Status, want.Status)
			}
			if got.Status == Sat && (!isModel(b, got) || slices.ContainsFunc(assume, func(l Lit) bool { return !got.True(l) })) {
				t.Fatal("the model is none")
			}
			if got.Status == Sat { // exclude this model in part
				var c []Lit
				for range 3 {
					v := Lit(2 + r.IntN(b.Vars()-1))
					if got.True(v) {
						v = -v
					}
					c = append(c, v)
				}
				b.Clause(c...)
			}
		}
	}
}
