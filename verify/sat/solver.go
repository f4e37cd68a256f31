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

	gopher "github.com/crillab/gophersat/solver"
)

// A Status is a solver's answer.
type Status uint8

const (
	Unknown Status = iota // time is up
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

// A Solver decides a problem. When the context ends first, the answer is Unknown without an error; an error means that
// the solver could not be run.
type Solver interface {
	Solve(ctx context.Context, b *Builder) (Result, error)
}

// Named returns the solver that --solver names: gophersat (also for ""), minisat, cadical or z3.
func Named(name string) (Solver, error) {
	switch name {
	case "", "gophersat":
		return Gophersat{}, nil
	case "minisat", "cadical", "z3":
		path, err := exec.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("the solver %s is not installed: %w", name, err)
		}
		return External{Program: path, Style: name}, nil
	}
	return nil, fmt.Errorf("unknown solver %q: use gophersat, minisat, cadical or z3", name)
}

// Gophersat runs in this process.
type Gophersat struct{}

// gopherTurn is held while gophersat works. Its solvers share a buffer in a package variable (bufLits in learn.go of
// v1.4.0), so two at once learn each other's clauses and answer wrongly.
var gopherTurn = make(chan struct{}, 1)

// Solve implements Solver. gophersat cannot be interrupted, but it reports each clause it learns on a channel; closing
// the channel makes its next report panic, which ends its goroutine and its turn.
func (Gophersat) Solve(ctx context.Context, b *Builder) (Result, error) {
	clauses := make([][]int, 0, len(b.clauses))
	for _, c := range b.clauses {
		if len(c) == 0 {
			return Result{Status: Unsat}, nil
		}
		ints := make([]int, len(c))
		for i, l := range c {
			ints[i] = int(l)
		}
		clauses = append(clauses, ints)
	}
	if ctx.Err() != nil {
		return Result{}, nil
	}
	select {
	case gopherTurn <- struct{}{}:
	case <-ctx.Done():
		return Result{}, nil
	}
	problem := gopher.ParseSlice(clauses)
	if problem.Status == gopher.Unsat {
		<-gopherTurn
		return Result{Status: Unsat}, nil
	}
	s := gopher.New(problem)
	learned := make(chan string, 64)
	s.Certified, s.CertChan = true, learned
	answer := make(chan Result, 1)
	go func() {
		defer func() {
			<-gopherTurn
			if bug := recover(); bug != nil && ctx.Err() == nil {
				panic(bug)
			}
		}()
		answer <- gopherResult(s, s.Solve())
	}()
	for {
		select {
		case <-learned:
		case r := <-answer:
			return r, nil
		case <-ctx.Done():
			close(learned)
			return Result{}, nil
		}
	}
}

func gopherResult(s *gopher.Solver, status gopher.Status) Result {
	switch status {
	case gopher.Unsat:
		return Result{Status: Unsat}
	case gopher.Sat:
		m := s.Model()
		return Result{Status: Sat, model: append([]bool{false}, m...)}
	}
	return Result{}
}

// External runs a program that reads DIMACS.
type External struct {
	Program string
	Style   string // minisat, cadical or z3: how it is called and how it answers
}

// Solve implements Solver.
func (x External) Solve(ctx context.Context, b *Builder) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, nil
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
	args := []string{"-dimacs", in.Name()}
	var answer string
	switch x.Style {
	case "cadical":
		args = []string{"-q", in.Name()}
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
		return Result{}, nil
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
