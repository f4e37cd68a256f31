package verify

import (
	"math/bits"
	"slices"

	"bunraku/verify/fs"
)

// This file finds resources that a second run cannot move, whatever the initial state: those whose own success makes
// certain that applying them once more does nothing. A file with the declared content stays as it is; an installed
// package is not installed again. They need not be looked at when two runs are compared, and mostly that is all there
// are.
//
// The argument: r's success leaves some facts behind under which its program is the identity, and silent. Nobody after
// r destroys one of them, so they hold at the end of the first run. In the second run, whoever comes before r and could
// destroy one is settled himself: by induction over the order, he has done nothing. So they still hold when r is next.

// settled tells which resources do nothing in a second run in catalog order. The answer is remembered.
func (a *Analysis) settled() []bool {
	if a.resting != nil {
		return a.resting
	}
	out := make([]bool, a.n())
	a.resting = out
	if !a.opt.Facts {
		return out
	}
	needs := make([][]fs.Fact, a.n())
	for _, r := range a.order {
		needs[r], out[r] = a.rests(r)
	}
	// breaks reports whether w may destroy a fact that r needs. Transient cells start anew, so only the second run counts.
	breaks := func(w writer, r int, f fs.Fact) bool {
		if w.by == r || !w.destroys(f.Mask) || a.opt.fault == faultUnsettled {
			return false
		}
		if a.place(w.by) > a.place(r) {
			_, transient := a.Space.Transient(f.Cell)
			return !transient
		}
		return !out[w.by]
	}
	for _, r := range a.order { // what unsettles one comes later in the order, or has been decided before
		out[r] = out[r] && !slices.ContainsFunc(needs[r], func(f fs.Fact) bool {
			return slices.ContainsFunc(a.writers[f.Cell], func(w writer) bool { return breaks(w, r, f) })
		})
	}
	return out
}

// rests finds facts that hold after r and under which r does nothing, as few of those that others may destroy as it
// can.
func (a *Analysis) rests(r int) (needs []fs.Fact, ok bool) {
	add := func(f fs.Fact) {
		if k := slices.IndexFunc(needs, func(g fs.Fact) bool { return g.Cell == f.Cell }); k >= 0 {
			needs[k].Mask &= f.Mask
		} else {
			needs = append(needs, f)
		}
	}
	for _, f := range a.established(r) {
		if _, transient := a.Space.Transient(f.Cell); !transient {
			add(f)
		}
	}
	for _, x := range a.bare[r] {
		if _, written := a.eff[r].Writes(x.Cell); !written {
			if mask, ok := a.certain(x.Cell, r, r); ok {
				add(fs.Fact{Cell: x.Cell, Mask: mask})
			}
		}
		if v, transient := a.Space.Transient(x.Cell); transient {
			if mask, exact := a.Space.MaskOf(x.Cell, a.Space.ViewVal(v).ID); exact {
				add(fs.Fact{Cell: x.Cell, Mask: mask})
			}
		}
	}
	if !a.idle(r, needs) {
		return nil, false
	}
	for k := len(needs) - 1; k >= 0; k-- {
		if !slices.ContainsFunc(a.writers[needs[k].Cell],
			func(w writer) bool { return w.by != r && w.destroys(needs[k].Mask) }) {
			continue // nobody can take it away
		}
		if fewer := slices.Delete(slices.Clone(needs), k, k+1); a.idle(r, fewer) {
			needs = fewer
		}
	}
	return needs, true
}

// idle reports whether r does nothing where some facts hold.
func (a *Analysis) idle(r int, facts []fs.Fact) bool {
	e := a.under(r, facts).eff
	if len(e.OK) > 0 || e.Acted != fs.Bottom {
		return false
	}
	return !slices.ContainsFunc(e.Out, func(o fs.CellVal) bool {
		k := slices.IndexFunc(facts, func(f fs.Fact) bool { return f.Cell == o.Cell })
		v := a.Space.ViewVal(o.Val)
		if k < 0 || v.Op != fs.ValConst {
			return true
		}
		mask, exact := a.Space.MaskOf(o.Cell, v.ID)
		return !exact || mask != facts[k].Mask || bits.OnesCount64(mask) != 1
	})
}
