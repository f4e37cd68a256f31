package git

import "math"

// A middle searches for a shortest way from one text to another by looking for the middle of it, from both ends, and
// then for the middles of both halves. On diagonal k stand the points whose place in x is their place in y plus k.
// forth[k] is how far in x one gets on a diagonal from the beginning with the changes made so far, back[k] from the
// end.
type middle struct {
	x, y               []int // classes of lines
	atX, atY           []int // which lines they are
	changedX, changedY []bool
	forth, back        []int
	zero               int // the index of diagonal 0
	most               int // changes after which the search takes what it has
	spend              spender
}

// What git's search takes for a long run of equal lines, for a good way, and for a search that is getting long.
const (
	longRun    = 20
	goodFactor = 4
	longSearch = 256
)

// compare marks what changed between two parts. exact asks for a shortest way whatever it costs.
func (m *middle) compare(x0, x1, y0, y1 int, exact bool) {
	for x0 < x1 && y0 < y1 && m.x[x0] == m.y[y0] {
		x0++
		y0++
	}
	for x0 < x1 && y0 < y1 && m.x[x1-1] == m.y[y1-1] {
		x1--
		y1--
	}
	switch {
	case x0 == x1:
		for ; y0 < y1; y0++ {
			m.changedY[m.atY[y0]] = true
		}
	case y0 == y1:
		for ; x0 < x1; x0++ {
			m.changedX[m.atX[x0]] = true
		}
	default:
		p := m.split(box{x0, x1, y0, y1}, exact)
		m.compare(x0, p.x, y0, p.y, p.exactBefore)
		m.compare(p.x, x1, p.y, y1, p.exactAfter)
	}
}

// A box is a part of both texts.
type box struct{ x0, x1, y0, y1 int }

// A point is where a box is divided, and whether its parts deserve an exact search.
type point struct {
	x, y                    int
	exactBefore, exactAfter bool
}

// A band is the range of diagonals that a search has reached, every second one of them.
type band struct{ lo, hi int }

// widen takes in one more diagonal on either side; past the edges of the box it draws back. fill is written beyond.
func (b *band) widen(least, most int, reach []int, zero, fill int) {
	if b.lo > least {
		b.lo--
		reach[zero+b.lo-1] = fill
	} else {
		b.lo++
	}
	if b.hi < most {
		b.hi++
		reach[zero+b.hi+1] = fill
	} else {
		b.hi--
	}
}

func (m *middle) split(b box, exact bool) point {
	least, most := b.x0-b.y1, b.x1-b.y0
	first, last := b.x0-b.y0, b.x1-b.y1
	odd := (first-last)&1 != 0
	f, r := band{first, first}, band{last, last}
	m.forth[m.zero+first], m.back[m.zero+last] = b.x0, b.x1
	for changes := 1; ; changes++ {
		m.spend.spend(int64(f.hi-f.lo) + int64(r.hi-r.lo) + 8)
		run := false
		f.widen(least, most, m.forth, m.zero, -1)
		for k := f.hi; k >= f.lo; k -= 2 {
			x := m.forth[m.zero+k+1]
			if before := m.forth[m.zero+k-1]; before >= x {
				x = before + 1
			}
			from := x
			for x < b.x1 && x-k < b.y1 && m.x[x] == m.y[x-k] {
				x++
			}
			run = run || x-from > longRun
			m.forth[m.zero+k] = x
			if odd && r.lo <= k && k <= r.hi && m.back[m.zero+k] <= x {
				return point{x, x - k, true, true}
			}
		}
		r.widen(least, most, m.back, m.zero, math.MaxInt)
		for k := r.hi; k >= r.lo; k -= 2 {
			x := m.back[m.zero+k-1]
			if after := m.back[m.zero+k+1]; x >= after {
				x = after - 1
			}
			from := x
			for x > b.x0 && x-k > b.y0 && m.x[x-1] == m.y[x-k-1] {
				x--
			}
			run = run || from-x > longRun
			m.back[m.zero+k] = x
			if !odd && f.lo <= k && k <= f.hi && x <= m.forth[m.zero+k] {
				return point{x, x - k, true, true}
			}
		}
		if exact {
			continue
		}
		if run && changes > longSearch {
			if p, ok := m.goodRun(b, f, r, changes); ok {
				return p
			}
		}
		if changes >= m.most {
			return m.furthest(b, f, r)
		}
	}
}

// goodRun looks for a diagonal that got far with few changes and ends in a long run of equal lines.
func (m *middle) goodRun(b box, f, r band, changes int) (point, bool) {
	var best int
	var p point
	first, last := b.x0-b.y0, b.x1-b.y1
	for k := f.hi; k >= f.lo; k -= 2 {
		x := m.forth[m.zero+k]
		y := x - k
		gain := x - b.x0 + y - b.y0 - distance(k, first)
		if gain <= goodFactor*changes || gain <= best || x < b.x0+longRun || x >= b.x1 || y < b.y0+longRun || y >= b.y1 {
			continue
		}
		n := 0
		for n < longRun && m.x[x-1-n] == m.y[y-1-n] {
			n++
		}
		if n == longRun {
			best, p = gain, point{x, y, true, false}
		}
	}
	if best > 0 {
		return p, true
	}
	for k := r.hi; k >= r.lo; k -= 2 {
		x := m.back[m.zero+k]
		y := x - k
		gain := b.x1 - x + b.y1 - y - distance(k, last)
		if gain <= goodFactor*changes || gain <= best || x <= b.x0 || x > b.x1-longRun || y <= b.y0 || y > b.y1-longRun {
			continue
		}
		n := 0
		for n < longRun && m.x[x+n] == m.y[y+n] {
			n++
		}
		if n == longRun {
			best, p = gain, point{x, y, false, true}
		}
	}
	return p, best > 0
}

func distance(a, b int) int {
	if a > b {
		return a - b
	}
	return b - a
}

// furthest takes the point that got furthest, from the beginning or from the end.
func (m *middle) furthest(b box, f, r band) point {
	far, farX := -1, -1
	for k := f.hi; k >= f.lo; k -= 2 {
		x := min(m.forth[m.zero+k], b.x1)
		if x-k > b.y1 {
			x = b.y1 + k
		}
		if 2*x-k > far {
			far, farX = 2*x-k, x
		}
	}
	near, nearX := math.MaxInt, math.MaxInt
	for k := r.hi; k >= r.lo; k -= 2 {
		x := max(m.back[m.zero+k], b.x0)
		if x-k < b.y0 {
			x = b.y0 + k
		}
		if 2*x-k < near {
			near, nearX = 2*x-k, x
		}
	}
	if b.x1+b.y1-near < far-(b.x0+b.y0) {
		return point{farX, far - farX, true, false}
	}
	return point{nearX, near - nearX, false, true}
}
