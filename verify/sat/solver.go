package sat

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A Status is a solver's answer.
type Status uint8

const (
	Unknown Status = iota // it takes too long
	Sat
	Unsat
)

func (s Status) String() string { return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s] }

// A Result is an answer with a model, if there is one.
type Result struct {
	Status Status
	model  []bool // by variable
}

// True reports whether the model makes a literal true. A variable that the solver left open is false.
func (r Result) True(l Lit) bool {
	if l < 0 {
		return !r.True(-l)
	}
	return int(l) < len(r.model) && r.model[l]
}

// A Solver decides a problem. An error means that the solver could not be run; when the context ends first, the budget,
// or the error, says so.
type Solver interface {
	// Solve looks for a model. It answers Unknown when that takes more than the given number of steps, unless they are 0.
	// Programs count steps in conflicts, or, if they cannot, not at all.
	Solve(ctx context.Context, b *Builder, steps int64) (Result, error)
}

// Named returns the solver that --solver names: built-in (also for ""), minisat, cadical or z3.
func Named(name string) (Solver, error) {
	switch name {
	case "", "built-in":
		return Own{}, nil
	case "minisat", "cadical", "z3":
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("the solver %s is not installed: %w", name, err)
		}
		return External{Program: path, Style: name}, nil
	}
	return nil, fmt.Errorf("unknown solver %q: use built-in, minisat, cadical or z3", name)
}

// Own is the solver of this package. Its steps go to the builder's budget. Any number of problems may be solved at
// once.
type Own struct{}

// Solve implements Solver.
func (Own) Solve(ctx context.Context, b *Builder, steps int64) (Result, error) {
	return b.Under(nil, steps), nil
}

// Under looks for a model in which some literals are true, by the solver of this package.
func (b *Builder) Under(assume []Lit, steps int64) Result {
	if b.kept == nil {
		b.kept = newCDCL()
	}
	s := b.kept
	s.grow(b.vars)
	for ; s.added < b.Clauses(); s.added++ {
		s.add(b.clause(s.added))
		if s.work > 1<<16 {
			b.Budget.Spend(s.work, "solving")
			s.work = 0
		}
	}
	codes := make([]code, len(assume))
	for i, l := range assume {
		codes[i] = encode(l)
	}
	status := s.solve(b.Budget, codes, steps)
	if status != Sat {
		return Result{Status: status}
	}
	return Result{Status: Sat, model: s.model}
}

// conflictSteps is about how many steps of the solver of this package a conflict takes.
const conflictSteps = 1000

// External runs a program that reads DIMACS.
type External struct {
	Program string
	Style   string // minisat, cadical or z3: how it is called and how it answers
}

// Solve implements Solver.
func (x External) Solve(ctx context.Context, b *Builder, steps int64) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	in, err := os.CreateTemp("", "bunraku-*.cnf")
	if err != nil {
		return Result{}, err
	}
	defer os.Remove(in.Name())
	err = errors.Join(b.WriteDIMACS(in), in.Close())
	if err != nil {
		return Result{}, err
	}
	conflicts := strconv.FormatInt(max(1, steps/conflictSteps), 10)
	args := []string{"-dimacs", in.Name()}
	if steps > 0 {
		args = append(args, "sat.max_conflicts="+conflicts)
	}
	var answer string
	switch x.Style {
	case "cadical":
		args = []string{"-q", in.Name()}
		if steps > 0 {
			args = append(args, "-c", conflicts)
		}
	case "minisat":
		answer = in.Name() + ".out"
		defer os.Remove(answer)
		args = []string{"-verb=0", in.Name(), answer}
	}
	cmd := exec.CommandContext(ctx, x.Program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // solvers say 10 and 20 for their two answers
		return Result{}, err
	}
	if answer != "" {
		text, err := os.ReadFile(answer)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w: %s", x.Program, err, strings.TrimSpace(stderr.String()))
		}
		stdout.Reset()
		stdout.Write(text)
	}
	r, ok := parseAnswer(stdout.String(), b.Vars())
	if !ok && steps > 0 && err == nil {
		return Result{}, nil // it says nothing when it gives up
	}
	if !ok {
		return Result{}, fmt.Errorf("%s gave no answer: %s", x.Program, strings.TrimSpace(stdout.String()+stderr.String()))
	}
	return r, nil
}

// parseAnswer reads the answers of all three: "s SATISFIABLE" with "v" lines, "SAT" or "sat" with a bare line.
func parseAnswer(text string, vars int) (Result, bool) {
	r := Result{model: make([]bool, vars+1)}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch strings.ToLower(line) {
		case "s satisfiable", "sat":
			r.Status = Sat
			continue
		case "s unsatisfiable", "unsat":
			return Result{Status: Unsat}, true
		case "s unknown", "c unknown", "unknown", "timeout", "indet":
			return Result{}, true
		}
		for _, word := range strings.Fields(strings.TrimPrefix(line, "v ")) {
			n, err := strconv.Atoi(word)
			if err != nil {
				break
			}
			if n > 0 && n <= vars {
				r.model[n] = true
			}
		}
	}
	return r, r.Status == Sat
}
