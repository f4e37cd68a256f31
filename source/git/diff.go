package git

import "bytes"

// Who changed a line depends on which lines of two texts are held to be the same, and often several choices are
// equally short. To blame the same commits as git does, the choice must be the same, so this comparison follows the
// rules of git's: ends that agree are cut off; lines without a partner, and lines with very many partners amid such,
// are set aside before the search; the search is Myers' ("An O(ND) Difference Algorithm and Its Variations", 1986,
// section 4b: from both ends to the middle), preferring deletions, and gives up being shortest when it gets expensive;
// at last each block of changes slides to where it reads best (slide.go).

// A hunk is a place where two texts differ: lines a0 to a1 of one became lines b0 to b1 of the other.
type hunk struct{ a0, a1, b0, b1 int }

// splitLines cuts a text into lines, each with its end.
func splitLines(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n")) }

// trimLines leaves off the empty line behind the end of the last one.
func trimLines(lines [][]byte) [][]byte {
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		return lines[:n-1]
	}
	return lines
}

// hunks compares two texts.
func hunks(a, b []byte, s spender) []hunk {
	a, b = cutTail(a, b)
	s.spend(int64(len(a)+len(b)) * 2)
	x, y := trimLines(splitLines(a)), trimLines(splitLines(b))
	d := &difference{
		x: side{lines: x, class: make([]int, len(x)), changed: make([]bool, len(x)+1)},
		y: side{lines: y, class: make([]int, len(y)), changed: make([]bool, len(y)+1)},
	}
	d.classify()
	d.search(s)
	slide(&d.x, &d.y, s)
	slide(&d.y, &d.x, s)
	return d.hunks()
}

// cutTail leaves off what two texts have in common at their ends, in blocks; the rest ends with a line.
func cutTail(a, b []byte) ([]byte, []byte) {
	const block = 1024
	cut, most := 0, min(len(a), len(b))
	for cut+block <= most && bytes.Equal(a[len(a)-cut-block:len(a)-cut], b[len(b)-cut-block:len(b)-cut]) {
		cut += block
	}
	if cut == 0 {
		return a, b
	}
	if i := bytes.IndexByte(a[len(a)-cut:], '\n'); i >= 0 {
		cut -= i + 1
	} else {
		cut = 0
	}
	return a[:len(a)-cut], b[:len(b)-cut]
}

// A side is one of two texts.
type side struct {
	lines   [][]byte
	class   []int  // equal lines have equal numbers
	changed []bool // one longer than lines; the last is false
}

type difference struct {
	x, y   side
	counts [2][]int // how often a class occurs on either side
}

func (d *difference) classify() {
	names := map[string]int{}
	for n, s := range []*side{&d.x, &d.y} {
		for i, line := range s.lines {
			c, ok := names[string(line)]
			if !ok {
				c = len(names)
				names[string(line)] = c
				d.counts[0], d.counts[1] = append(d.counts[0], 0), append(d.counts[1], 0)
			}
			s.class[i] = c
			d.counts[n][c]++
		}
	}
}

// search finds the lines that changed.
func (d *difference) search(s spender) {
	begin, endX, endY := 0, len(d.x.lines), len(d.y.lines)
	for begin < endX && begin < endY && d.x.class[begin] == d.y.class[begin] {
		begin++
	}
	for endX > begin && endY > begin && d.x.class[endX-1] == d.y.class[endY-1] {
		endX--
		endY--
	}
	m := &middle{spend: s}
	m.x, m.atX = setAside(&d.x, begin, endX, d.counts[1])
	m.y, m.atY = setAside(&d.y, begin, endY, d.counts[0])
	m.changedX, m.changedY = d.x.changed, d.y.changed
	m.zero = len(m.y) + 1
	diagonals := len(m.x) + len(m.y) + 3
	m.forth, m.back = make([]int, diagonals), make([]int, diagonals)
	m.most = max(256, roughRoot(diagonals))
	m.compare(0, len(m.x), 0, len(m.y), false)
}

// roughRoot is a power of two near the square root.
func roughRoot(n int) int {
	i := 1
	for ; n > 0; n >>= 2 {
		i <<= 1
	}
	return i
}

// setAside marks lines that need no search as changed and gives the others. A line without a partner on the other side
// surely changed. One with very many partners is held to have changed when it stands among such lines.
func setAside(s *side, begin, end int, partners []int) (class, at []int) {
	const (
		none = iota
		some
		many
	)
	limit := min(roughRoot(len(s.lines)), 1024)
	sort := make([]uint8, end-begin)
	for i := begin; i < end; i++ {
		switch n := partners[s.class[i]]; {
		case n == 0:
		case n >= limit:
			sort[i-begin] = many
		default:
			sort[i-begin] = some
		}
	}
	// around counts the neighbours of both kinds on one side, up to a line that has a few partners.
	around := func(i, step int) (nones, manys int) {
		manys = 1
		for r := 1; r <= 100; r++ {
			j := i + r*step
			if j < 0 || j >= len(sort) || sort[j] == some {
				break
			}
			if sort[j] == none {
				nones++
			} else {
				manys++
			}
		}
		return nones, manys
	}
	lost := func(i int) bool {
		nones, manys := around(i, -1)
		if nones == 0 {
			return false
		}
		nones2, manys2 := around(i, 1)
		if nones2 == 0 {
			return false
		}
		nones, manys = nones+nones2, manys+manys2
		return manys*4 < manys+nones
	}
	for i, k := range sort {
		if k == some || k == many && !lost(i) {
			class = append(class, s.class[begin+i])
			at = append(at, begin+i)
		} else {
			s.changed[begin+i] = true
		}
	}
	return class, at
}

// hunks reads the changes off the two sides.
func (d *difference) hunks() []hunk {
	var out []hunk
	for i, j := 0, 0; i < len(d.x.lines) || j < len(d.y.lines); i, j = i+1, j+1 {
		if !d.x.changed[i] && !d.y.changed[j] {
			continue
		}
		h := hunk{a0: i, b0: j}
		for d.x.changed[i] {
			i++
		}
		for d.y.changed[j] {
			j++
		}
		h.a1, h.b1 = i, j
		out = append(out, h)
	}
	return out
}
