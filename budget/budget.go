// Package budget bounds the work that one question may cost: one Budget for a compile, one for a verification.
//
// Three counters decide, and they count the same on every machine: steps (one round of a loop that input can make
// long), bytes (of values that are kept) and depth (of structures and calls). Time decides nothing: a context that ends
// aborts the work, which is then neither finished nor refused but simply not done, and nothing of it may be kept or
// called a verdict.
//
// A bound is reached far below where a caller could return an error from, in the comparison of two types or the
// rendering of a value, so reaching it unwinds the stack: Spend, Keep and Enter panic with *Exceeded or *Aborted, and
// whoever made the Budget catches them with Catch. No other code recovers them. There is no bound per call: calls would
// multiply it.
//
// It imports nothing of this module.
package budget

import (
	"context"
	"fmt"
)

// Limits are how much one question may cost. A field that is zero has no bound.
type Limits struct {
	Steps int64
	Bytes int64
	Depth int
}

// A Budget counts the work of one question. It belongs to one goroutine at a time. A nil Budget counts nothing.
type Budget struct {
	ctx    context.Context
	limits Limits
	steps  int64
	bytes  int64
	depth  int
	look   int64 // the step at which the context is looked at next
}

// lookEvery is how many steps pass between two looks at the context. A look is as cheap as a step, and a step may be
// dear: the first compile of an environment reads and parses a file in one, so few of them pass unlooked.
const lookEvery = 1 << 6

// New makes a budget. The context only aborts.
func New(ctx context.Context, limits Limits) *Budget {
	return &Budget{ctx: ctx, limits: limits, look: lookEvery}
}

// Exceeded says which bound was reached.
type Exceeded struct {
	What  string // "steps", "bytes" or "depth"
	Limit int64
	Where string // what was being done, in a few words; "" when unknown
}

func (e *Exceeded) Error() string {
	where := ""
	if e.Where != "" {
		where = " (" + e.Where + ")"
	}
	return fmt.Sprintf("more than %d %s%s", e.Limit, e.What, where)
}

// Aborted says that the work was given up before it was done: cancelled, or out of time.
type Aborted struct{ Cause error }

func (a *Aborted) Error() string { return "not done: " + a.Cause.Error() }
func (a *Aborted) Unwrap() error { return a.Cause }

// HostPanic tells interpreters that run inside of the work (package ruby) that the panic is not theirs.
func (*Exceeded) HostPanic() {}

// HostPanic is the same for work that was given up.
func (*Aborted) HostPanic() {}

// Spend counts n steps of what is being done.
func (b *Budget) Spend(n int64, where string) {
	if b == nil {
		return
	}
	if n < 0 || b.steps > b.steps+n {
		n = 1 << 62
	}
	b.steps += n
	if b.limits.Steps > 0 && b.steps > b.limits.Steps {
		panic(&Exceeded{"steps", b.limits.Steps, where})
	}
	if b.steps >= b.look {
		b.look = b.steps + lookEvery
		b.Check()
	}
}

// Keep counts n bytes that stay in memory.
func (b *Budget) Keep(n int64, where string) {
	if b == nil {
		return
	}
	if b.bytes += n; b.limits.Bytes > 0 && (b.bytes > b.limits.Bytes || n < 0) {
		panic(&Exceeded{"bytes", b.limits.Bytes, where})
	}
	b.Spend(1+n>>10, where)
}

// Enter goes one level deeper; Leave comes back.
func (b *Budget) Enter(where string) {
	if b == nil {
		return
	}
	if b.depth++; b.limits.Depth > 0 && b.depth > b.limits.Depth {
		panic(&Exceeded{"depth", int64(b.limits.Depth), where})
	}
	b.Spend(1, where)
}

// Leave comes back from what Enter went into.
func (b *Budget) Leave() {
	if b != nil {
		b.depth--
	}
}

// Depth is how deep the work is right now, for code that recovers from a panic of its own and comes back with Return.
func (b *Budget) Depth() int {
	if b == nil {
		return 0
	}
	return b.depth
}

// Return comes back to a depth that Depth told, whatever was entered since.
func (b *Budget) Return(depth int) {
	if b != nil {
		b.depth = depth
	}
}

// Check aborts if the context has ended.
func (b *Budget) Check() {
	if b != nil && b.ctx != nil && b.ctx.Err() != nil {
		panic(&Aborted{context.Cause(b.ctx)})
	}
}

// Spent tells what has been counted so far.
func (b *Budget) Spent() (steps, bytes int64) {
	if b == nil {
		return 0, 0
	}
	return b.steps, b.bytes
}

// Catch, deferred by whoever made the budget, turns the end of a budget into an error and lets every other panic pass.
func Catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Exceeded:
		*err = p
	case *Aborted:
		*err = p
	default:
		panic(p)
	}
}
