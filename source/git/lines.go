package git

import (
	"context"
	"errors"

	"bunraku/budget"
)

// Lines says where two texts differ, as git would: the hunks come in their order. A comparison that would cost too much
// (long texts that have little in common) gives one hunk that is all of both; it is only an error if ctx ends.
func Lines(ctx context.Context, old, new string) (out []Hunk, err error) {
	var costly *budget.Exceeded
	defer func() {
		if errors.As(err, &costly) {
			out, err = []Hunk{{0, linesIn(old), 0, linesIn(new)}}, nil
		}
	}()
	defer budget.Catch(&err)
	work := budget.New(ctx, budget.Limits{Steps: linesWork})
	for _, h := range hunks([]byte(old), []byte(new), func(n int64) { work.Spend(n, "comparing texts") }) {
		out = append(out, Hunk{h.a0, h.a1, h.b0, h.b1})
	}
	return out, nil
}

// linesWork bounds what one comparison costs, in bytes that are read and steps of the search.
const linesWork = 256 << 20

// A Hunk is a place where two texts differ: lines Old to OldEnd of one, counted from 0 and without the last, became
// lines New to NewEnd of the other. Either range may be empty.
type Hunk struct{ Old, OldEnd, New, NewEnd int }

// linesIn is how many lines a text has; the last one needs no end.
func linesIn(text string) int { return len(trimLines(splitLines([]byte(text)))) }
