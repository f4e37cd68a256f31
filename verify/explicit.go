package verify

import (
	"encoding/binary"
	"slices"

	"bunraku/verify/fs"
)

// This file searches all orders of a few resources by brute force made bearable: for each initial state that they can
// tell apart, it walks through the sets of resources applied so far, and merges equal states that were reached by
// different orders. A resource that commutes with all that may still come before it comes at once: by Lemma 1, moving
// it there changes no outcome.

// maxExplicit is the number of resources up to which sets of them are walked through.
const maxExplicit = 12

// A stage is a state in which some resources have been applied.
type stage struct {
	done  uint64 // by position in the component
	state []fs.Open
	from  *stage
	by    int // the position that led here
}

func (s *stage) order(of []int) []int {
	var out []int
	for x := s; x.from != nil; x = x.from {
		out = append(out, of[x.by])
	}
	slices.Reverse(out)
	return out
}

// An explicit search runs over one component.
type explicit struct {
	a     *Analysis
	of    []int // the component
	eff   []*fs.Effect
	need  []uint64  // per position: positions that come before
	clash []uint64  // per position: positions with which it may not commute; nil if that is not known
	cells []fs.Cell // that someone writes
	pos   map[fs.Cell]int
	steps int  // left
	whole bool // tell ends apart by all cells, not only the observed ones
	ev    *fs.Eval
	w     *fs.World
}

func (a *Analysis) newExplicit(of []int, eff []*fs.Effect) *explicit {
	x := &explicit{a: a, of: of, eff: eff, pos: map[fs.Cell]int{}, steps: a.opt.limit(20000) * 10, w: a.world, ev: a.eval}
	written := map[fs.Cell]bool{}
	for _, i := range of {
		var need uint64
		for l, j := range of {
			if a.part.precedes(j, i) {
				need |= 1 << l
			}
		}
		x.need = append(x.need, need)
		for _, o := range eff[i].Out {
			written[o.Cell] = true
		}
	}
	x.cells = sortedCells(written)
	for k, c := range x.cells {
		x.pos[c] = k
	}
	return x
}

// reduce finds out who commutes with whom. It holds for the effects of a first run.
func (x *explicit) reduce() {
	if !x.a.opt.Commutativity {
		return
	}
	x.clash = make([]uint64, len(x.of))
	for k, i := range x.of {
		for l, j := range x.of[:k] {
			if !x.a.part.comparable(i, j) && !x.a.pair(min(i, j), max(i, j)).commute {
				x.clash[k] |= 1 << l
				x.clash[l] |= 1 << k
			}
		}
	}
}

// next lists the positions worth applying when some are done.
func (x *explicit) next(done uint64) []int {
	var ready []int
	for k := range x.of {
		if done&(1<<k) != 0 || x.need[k]&^done != 0 {
			continue
		}
		if x.clash != nil && x.clash[k]&^done == 0 {
			return []int{k}
		}
		ready = append(ready, k)
	}
	return ready
}

// outcomes lists the ends that orders reach from the present initial state: one stage per different end, and one that
// stands just before a failure, with the position that fails. ok is false when the work was too much.
func (x *explicit) outcomes() (ends []*stage, failed *stage, fails int, ok bool) {
	level := []*stage{{state: x.initial()}}
	for range x.of {
		var next []*stage
		merged := map[string]bool{}
		for _, s := range level {
			for _, k := range x.next(s.done) {
				if x.steps--; x.steps < 0 {
					return nil, nil, 0, false
				}
				state, good := x.apply(k, s.state)
				if !good {
					if failed == nil {
						failed, fails = s, k
					}
					continue
				}
				t := &stage{done: s.done | 1<<k, state: state, from: s, by: k}
				if x.a.opt.Merge {
					key := x.key(t)
					if merged[key] {
						continue
					}
					merged[key] = true
				}
				next = append(next, t)
			}
		}
		level = next
	}
	distinct := map[string]bool{}
	for _, s := range level {
		if key := x.observed(s); !distinct[key] {
			distinct[key] = true
			ends = append(ends, s)
		}
	}
	return ends, failed, fails, true
}

func (x *explicit) initial() []fs.Open {
	state := make([]fs.Open, len(x.cells))
	for k, c := range x.cells {
		state[k] = x.w.Initial(c)
	}
	return state
}

// at reads a state of the component; what nobody in it writes is as it was.
func (x *explicit) at(state []fs.Open) func(fs.Cell) fs.Open {
	return func(c fs.Cell) fs.Open {
		if p, ok := x.pos[c]; ok {
			return state[p]
		}
		return x.w.Initial(c)
	}
}

func (x *explicit) apply(k int, state []fs.Open) ([]fs.Open, bool) {
	e := x.eff[x.of[k]]
	x.ev.In(x.at(state))
	for _, cond := range e.OK {
		if !x.ev.Bool(cond.F, true) {
			return nil, false
		}
	}
	next := slices.Clone(state)
	for _, o := range e.Out {
		next[x.pos[o.Cell]] = x.ev.Val(o.Val)
	}
	return next, true
}

func (x *explicit) key(s *stage) string {
	buf := binary.AppendUvarint(nil, s.done)
	for _, v := range s.state {
		buf = binary.AppendVarint(buf, int64(x.w.Settle(v)))
	}
	return string(buf)
}

func (x *explicit) observed(s *stage) string {
	var buf []byte
	for k, v := range s.state {
		if x.whole || x.a.Space.Observed(x.cells[k]) {
			buf = binary.AppendVarint(buf, int64(x.w.Settle(v)))
		}
	}
	return string(buf)
}

// differ decides whether two ends differ; values that are still open are decided so that they do, if they can.
func (x *explicit) differ(s, t *stage) bool {
	for k := range x.cells {
		if x.a.Space.Observed(x.cells[k]) && x.w.Differ(s.state[k], t.state[k]) {
			return true
		}
	}
	return false
}

// complete continues an order of some of the component to one of all of it.
func (x *explicit) complete(order []int) []int {
	in := map[int]bool{}
	for _, i := range order {
		in[i] = true
	}
	rest := slices.Clone(x.of)
	slices.SortFunc(rest, func(i, j int) int { return x.a.place(i) - x.a.place(j) })
	for _, i := range rest {
		if !in[i] {
			order = append(order, i)
		}
	}
	return order
}

// place is the position of a resource in catalog order.
func (a *Analysis) place(i int) int { return a.at[i] }

// A difference is a suspected counter-example within a component.
type difference struct {
	x, y []int // orders of the component
	seed []fs.Fact
	init *fs.State
}

// explore looks for an initial state with two outcomes. It reports whether the answer is certain.
func (a *Analysis) explore(of []int) (*difference, bool) {
	if len(of) > maxExplicit {
		return nil, false
	}
	w := a.world
	w.Forget()
	x := a.newExplicit(of, a.eff)
	x.reduce()
	var found *difference
	gaveUp := false
	complete := w.Explore(a.opt.limit(20000), func() bool {
		a.Stats.Walked++
		ends, failed, fails, ok := x.outcomes()
		if !ok {
			gaveUp = true
			return false
		}
		if len(ends) == 0 || len(ends) == 1 && failed == nil {
			return true
		}
		if !x.ev.In(w.Initial).Bool(a.Space.Remaining(), true) {
			return true
		}
		if failed != nil {
			found = &difference{x: ends[0].order(of), y: x.complete(append(failed.order(of), of[fails])), seed: w.Seen(),
				init: w.State()}
			return false
		}
		for _, e := range ends[1:] {
			if x.differ(ends[0], e) {
				found = &difference{x: ends[0].order(of), y: e.order(of), seed: w.Seen(), init: w.State()}
				return false
			}
		}
		return true
	})
	return found, found != nil || complete && !gaveUp && !a.Space.Truncated
}
