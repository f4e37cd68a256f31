package verify

import "bunraku/verify/fs"

// invisible reports whether swapping the pair never shows in an outcome, although it does not commute: Lemma 3.
//
// The orders must always agree on failure. For each cell x in which they may differ there is an m after u or v (one is
// enough: they are neighbours) that overwrites x without reading it, and every other reader of x comes before u or v or
// after m. Then until m both runs decide alike, and m makes them equal. A cell that is not observed needs no m.
func (a *Analysis) invisible(p *pair) bool {
	if p.errs && a.opt.fault != faultMaskErrors {
		return false
	}
	for _, x := range p.delta {
		if !a.dead(p, x) {
			return false
		}
	}
	return true
}

func (a *Analysis) dead(p *pair, x fs.Cell) bool {
	if !a.Space.Observed(x) && a.unread(p, x, -1) {
		return true
	}
	for _, m := range a.roles(x).overwriters {
		if m != p.u && m != p.v && (a.part.precedes(p.u, m) || a.part.precedes(p.v, m)) && a.unread(p, x, m) {
			return true
		}
	}
	return false
}

// roles of resources towards a cell.
type roles struct{ readers, overwriters []int }

func (a *Analysis) roles(x fs.Cell) *roles {
	if r, ok := a.cellRoles[x]; ok {
		return r
	}
	r := &roles{}
	for _, i := range a.cells[x] {
		access, _ := a.foot[i].Find(x)
		if access.Reads || access.Ensures {
			r.readers = append(r.readers, i)
		}
		if access.Overwrites || a.opt.fault == faultMayOverwrite && access.Writes && !access.Reads {
			r.overwriters = append(r.overwriters, i)
		}
	}
	a.cellRoles[x] = r
	return r
}

// unread reports whether nobody reads x between the pair and m (or the end, for m < 0).
func (a *Analysis) unread(p *pair, x fs.Cell, m int) bool {
	if a.opt.fault == faultMaskReaders {
		return true
	}
	for _, r := range a.roles(x).readers {
		if r == p.u || r == p.v || r == m {
			continue
		}
		if a.part.precedes(r, p.u) || a.part.precedes(r, p.v) || m >= 0 && a.part.precedes(m, r) {
			continue
		}
		return false
	}
	return true
}
