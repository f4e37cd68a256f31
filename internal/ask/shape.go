package ask

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Join makes one pool of several.
func Join(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// A Shape is how calls of a function are made: counts of arguments, a pool for each (the last for all that follow),
// blocks ("" for none).
type Shape struct {
	counts []int
	args   [][]string
	blocks []string
	others []string // what an odd argument may be; nil for anything
	wrap   string   // what is done to the result, for instance Array(%s)
}

// Of is a shape by its counts and pools.
func Of(counts []int, args ...[]string) Shape { return Shape{counts: counts, args: args} }

// With gives a shape its blocks.
func (s Shape) With(blocks ...[]string) Shape {
	s.blocks = Join(blocks...)
	return s
}

// Odd says what an argument may be that is not of its pool.
func (s Shape) Odd(others ...[]string) Shape {
	s.others = Join(others...)
	return s
}

// Wrapped says what is done to the result.
func (s Shape) Wrapped(f string) Shape {
	s.wrap = f
	return s
}

// A Generator makes calls.
type Generator struct {
	Anything []string                      // what an odd argument may be
	Blocks   []string                      // and a block where none is due,
	Rarely   int                           // once in so many calls
	Instead  func(name, arg string) string // what to take in place of an argument; nil for itself
}

// Calls makes n calls of a function, always the same ones. Some have an argument too many or too few, or of any kind at
// all.
func (g Generator) Calls(s Shape, name string, n int) []Question {
	seed := uint64(0)
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(20, seed))
	pick := func(pool []string) string { return pool[r.IntN(len(pool))] }
	seen := map[string]bool{}
	var out []Question
	for tries := 0; len(out) < n && tries < 4*n; tries++ {
		count := s.counts[r.IntN(len(s.counts))]
		if r.IntN(16) == 0 {
			count = max(0, count+r.IntN(3)-1)
		}
		args := make([]string, count)
		for i := range args {
			pool := g.Anything
			if len(s.args) > 0 {
				pool = s.args[min(i, len(s.args)-1)]
			}
			if r.IntN(8) == 0 {
				if pool = g.Anything; s.others != nil {
					pool = s.others
				}
			}
			if args[i] = pick(pool); g.Instead != nil {
				args[i] = g.Instead(name, args[i])
			}
		}
		block := ""
		switch {
		case len(s.blocks) > 0 && r.IntN(16) != 0:
			block = pick(s.blocks)
		case r.IntN(g.Rarely) == 0 && s.others == nil:
			block = pick(g.Blocks)
		}
		call := strings.TrimSpace(fmt.Sprintf("%s(%s) %s", name, strings.Join(args, ", "), block))
		if s.wrap != "" {
			call = fmt.Sprintf(s.wrap, call)
		}
		if !seen[call] {
			seen[call] = true
			out = append(out, Question(call))
		}
	}
	return out
}
