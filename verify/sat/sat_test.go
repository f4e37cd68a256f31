package sat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"bunraku/budget"
)

// solvers lists those that run here.
func solvers(t *testing.T) map[string]Solver {
	out := map[string]Solver{}
	for _, name := range []string{"built-in", "minisat", "cadical", "z3"} {
		s, err := Named(name)
		if err != nil {
			t.Logf("skipped: %v", err)
			continue
		}
		out[name] = s
	}
	return out
}

// Random gates over few variables, against a truth table, with every solver.
func TestGatesAgainstTruthTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, s := range solvers(t) {
		rounds := 30
		if name == "built-in" {
			rounds = 300
		}
		for round := range rounds {
			b := NewBuilder()
			type gate func(in []bool) bool
			var lits []Lit
			var sem []gate
			for i := range 4 {
				lits = append(lits, b.Var())
				sem = append(sem, func(in []bool) bool { return in[i] })
			}
			for range 8 {
				i, j, k := r.IntN(len(lits)), r.IntN(len(lits)), r.IntN(len(lits))
				x, y, z := sem[i], sem[j], sem[k]
				switch r.IntN(5) {
				case 0:
					lits, sem = append(lits, b.And(lits[i], lits[j], lits[k])),
						append(sem, func(in []bool) bool { return x(in) && y(in) && z(in) })
				case 1:
					lits, sem = append(lits, b.Or(lits[i], -lits[j])), append(sem, func(in []bool) bool { return x(in) || !y(in) })
				case 2:
					lits, sem = append(lits, b.Ite(lits[i], lits[j], -lits[k])), append(sem, func(in []bool) bool {
						if x(in) {
							return y(in)
						}
						return !z(in)
					})
				case 3:
					lits, sem = append(lits, b.Iff(lits[i], lits[j])), append(sem, func(in []bool) bool { return x(in) == y(in) })
				case 4:
					lits, sem = append(lits, -lits[i]), append(sem, func(in []bool) bool { return !x(in) })
				}
			}
			last := len(lits) - 1
			b.Imply(lits[last])
			want := Unsat
			for bits := range 16 {
				in := []bool{bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0}
				if sem[last](in) {
					want = Sat
				}
			}
			got, err := s.Solve(context.Background(), b, 0)
			if err != nil {
				t.Fatal(name, err)
			}
			if got.Status != want {
				t.Fatalf("%s, round %d: %v, want %v", name, round, got.Status, want)
			}
			if want == Sat {
				in := []bool{got.True(lits[0]), got.True(lits[1]), got.True(lits[2]), got.True(lits[3])}
				if !sem[last](in) {
					t.Fatalf("%s, round %d: the model is none", name, round)
				}
			}
		}
	}
}

// Many problems at once: no solver knows of another.
func TestAtOnce(t *testing.T) {
	var wait sync.WaitGroup
	for w := range 8 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 5))
			for range 20 {
				// Random 3-CNF near the threshold, with a planted model in every other one.
				b := NewBuilder()
				const n = 40
				var lits [n]Lit
				var model [n]bool
				for i := range lits {
					lits[i], model[i] = b.Var(), r.IntN(2) == 0
				}
				for range 4 * n {
					var c []Lit
					good := false
					for range 3 {
						i, yes := r.IntN(n), r.IntN(2) == 0
						good = good || model[i] == yes
						if yes {
							c = append(c, lits[i])
						} else {
							c = append(c, -lits[i])
						}
					}
					if good {
						b.Clause(c...)
					}
				}
				res, err := Own{}.Solve(context.Background(), b, 0)
				if err != nil || res.Status != Sat {
					t.Errorf("%v %v, but there is a model", res.Status, err)
					return
				}
				for _, c := range all(b) {
					if !slices.ContainsFunc(c, res.True) {
						t.Error("the model is none")
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestExactlyOne(t *testing.T) {
	for n := 1; n < 10; n++ {
		b := NewBuilder()
		var lits []Lit
		for range n {
			lits = append(lits, b.Var())
		}
		b.ExactlyOne(lits...)
		count := 0
		for {
			r, _ := Own{}.Solve(context.Background(), b, 0)
			if r.Status != Sat {
				break
			}
			var block []Lit
			ones := 0
			for _, l := range lits {
				if r.True(l) {
					ones++
					block = append(block, -l)
				}
			}
			if ones != 1 {
				t.Fatalf("n=%d: %d true", n, ones)
			}
			b.Clause(block...)
			count++
		}
		if count != n {
			t.Fatalf("n=%d: %d models", n, count)
		}
	}
}

// pigeons do not fit, and no solver here finds out quickly.
func pigeons(b *Builder, holes int) {
	in := make([][]Lit, holes+1)
	for p := range in {
		for range holes {
			in[p] = append(in[p], b.Var())
		}
		b.Clause(in[p]...)
	}
	for h := range holes {
		for p := range in {
			for q := range p {
				b.Clause(-in[p][h], -in[q][h])
			}
		}
	}
}

// Every solver gives up when told to, and the one of this package after the same work each time.
func TestGivesUp(t *testing.T) {
	for name, s := range solvers(t) {
		if name == "minisat" {
			continue // counts nothing
		}
		b := NewBuilder()
		pigeons(b, 12)
		r, err := s.Solve(context.Background(), b, 100_000)
		if err != nil || r.Status != Unknown {
			t.Errorf("%s: %v, %v", name, r.Status, err)
		}
	}
}

func TestBudget(t *testing.T) {
	var spent [2]int64
	for k := range spent {
		limit := budget.Limits{Steps: 1_000_000}
		b := NewBuilder()
		b.Budget = budget.New(context.Background(), limit)
		pigeons(b, 12)
		err := func() (err error) {
			defer budget.Catch(&err)
			b.Under(nil, 0)
			return nil
		}()
		var exceeded *budget.Exceeded
		if !errors.As(err, &exceeded) || exceeded.Where != "solving" {
			t.Fatalf("%v", err)
		}
		spent[k], _ = b.Budget.Spent()
	}
	if spent[0] != spent[1] {
		t.Errorf("spent %d, then %d", spent[0], spent[1])
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := NewBuilder()
	pigeons(b, 12)
	b.Budget = budget.New(ctx, budget.Limits{})
	cancel()
	err := func() (err error) {
		defer budget.Catch(&err)
		b.Under(nil, 0)
		return nil
	}()
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNamed(t *testing.T) {
	if _, err := Named("abacus"); err == nil {
		t.Error("an unknown solver was found")
	}
}

func ExampleBuilder() {
	b := NewBuilder()
	x, y := b.Var(), b.Var()
	b.Imply(b.And(x, -y))
	r, _ := Own{}.Solve(context.Background(), b, 0)
	fmt.Println(r.Status, r.True(x), r.True(y))
	// Output: satisfiable true false
}

// all are the clauses of a problem.
func all(b *Builder) (out [][]Lit) {
	for k := range b.Clauses() {
		out = append(out, b.clause(k))
	}
	return out
}
