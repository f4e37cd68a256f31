package git

import (
	"container/heap"
	"context"
	"slices"

	"bunraku/budget"
)

// maxWalk bounds one walk through history, in bytes that are read and 500 a commit.
const maxWalk = 2 << 30

// MergeBase finds where two commits parted: their common ancestors that are no ancestors of another common one. There
// is none when their histories have nothing in common, and more than one after merges crosswise; the latest comes
// first.
func (r *Repo) MergeBase(ctx context.Context, a, b ID) (bases []ID, err error) {
	defer budget.Catch(&err)
	work := budget.New(ctx, budget.Limits{Steps: maxWalk})
	w := &walk{r, func(n int64) { work.Spend(n, "history") }}
	common, err := w.paint(a, b)
	if err != nil {
		return nil, err
	}
	for i, x := range common {
		covered := false
		for j, y := range common {
			if i == j || covered {
				continue
			}
			if covered, err = w.reaches(y, x); err != nil {
				return nil, err
			}
		}
		if !covered {
			bases = append(bases, x)
		}
	}
	return bases, nil
}

// A walk goes through history.
type walk struct {
	r     *Repo
	spend spender
}

// commit reads a commit. A question counts each one, so that the length of histories is bounded.
func (w *walk) commit(id ID) (*Commit, error) {
	w.spend.spend(500)
	return w.r.commit(id, w.spend)
}

// Colours of a commit: reached from one side, from the other, or from a commit that both reach.
const (
	fromA = 1 << iota
	fromB
	below
)

// paint colours ancestors from both sides, the latest first, until all that wait lie below a common one.
func (w *walk) paint(a, b ID) ([]ID, error) {
	colour := map[ID]int{}
	queue := &byDate{}
	add := func(id ID, with int) error {
		if old := colour[id]; old|with == old {
			return nil
		}
		c, err := w.commit(id)
		if err != nil {
			return err
		}
		colour[id] |= with
		heap.Push(queue, c)
		return nil
	}
	if err := add(a, fromA); err != nil {
		return nil, err
	}
	if err := add(b, fromB); err != nil {
		return nil, err
	}
	var common []ID
	for queue.Len() > 0 {
		if !slices.ContainsFunc(*queue, func(c *Commit) bool { return colour[c.ID]&below == 0 }) {
			break
		}
		c := heap.Pop(queue).(*Commit)
		with := colour[c.ID]
		if with&(fromA|fromB) == fromA|fromB {
			if with&below == 0 && !slices.Contains(common, c.ID) {
				common = append(common, c.ID)
			}
			with |= below
		}
		for _, p := range c.Parents {
			if err := add(p, with); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(common, func(id ID) bool { return colour[id]&below != 0 }), nil
}

// reaches reports whether a commit has another one among its ancestors.
func (w *walk) reaches(from, to ID) (bool, error) {
	seen := map[ID]bool{from: true}
	stack := []ID{from}
	for len(stack) > 0 {
		c, err := w.commit(stack[len(stack)-1])
		if err != nil {
			return false, err
		}
		stack = stack[:len(stack)-1]
		w.spend.spend(1)
		for _, p := range c.Parents {
			if p == to {
				return true, nil
			}
			if !seen[p] {
				seen[p] = true
				stack = append(stack, p)
			}
		}
	}
	return false, nil
}

// byDate is a heap of commits, the latest first.
type byDate []*Commit

func (h byDate) Len() int           { return len(h) }
func (h byDate) Less(i, j int) bool { return h[i].Date > h[j].Date }
func (h byDate) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byDate) Push(c any)        { *h = append(*h, c.(*Commit)) }
func (h *byDate) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}
