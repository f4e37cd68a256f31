package git

// A block of changed lines can often be moved: when the line before it equals its last line, the block could as well
// begin one line earlier. Blocks that touch become one. Of the places that remain, the last one counts at which lines
// changed on the other side, too; else the one that reads best, judged by blank lines and indentation around its ends.

// A block is a run of changed lines, which may be empty: one stands between any two lines that did not change.
type block struct{ begin, end int }

func (s *side) first() block {
	var b block
	for s.changed[b.end] {
		b.end++
	}
	return b
}

func (s *side) next(b *block) bool {
	if b.end == len(s.lines) {
		return false
	}
	b.begin = b.end + 1
	for b.end = b.begin; s.changed[b.end]; {
		b.end++
	}
	return true
}

func (s *side) previous(b *block) {
	if b.begin == 0 {
		return
	}
	b.end = b.begin - 1
	for b.begin = b.end; b.begin > 0 && s.changed[b.begin-1]; {
		b.begin--
	}
}

// up moves a block by a line towards the beginning and joins it with what it then touches.
func (s *side) up(b *block) bool {
	if b.begin == 0 || s.class[b.begin-1] != s.class[b.end-1] {
		return false
	}
	b.begin--
	b.end--
	s.changed[b.begin], s.changed[b.end] = true, false
	for b.begin > 0 && s.changed[b.begin-1] {
		b.begin--
	}
	return true
}

// down moves a block by a line towards the end and joins it with what it then touches.
func (s *side) down(b *block) bool {
	if b.end >= len(s.lines) || s.class[b.begin] != s.class[b.end] {
		return false
	}
	s.changed[b.begin], s.changed[b.end] = false, true
	b.begin++
	b.end++
	for s.changed[b.end] {
		b.end++
	}
	return true
}

// slide moves the blocks of one side to where they belong. The blocks of the other side are walked along: both sides
// have equally many lines that did not change, so the n-th block of one stands beside the n-th of the other.
func slide(s, other *side, spend spender) {
	b, o := s.first(), other.first()
	for {
		if b.end > b.begin {
			slideBlock(s, other, &b, &o, spend)
		}
		if !s.next(&b) {
			return
		}
		other.next(&o)
	}
}

func slideBlock(s, other *side, b, o *block, spend spender) {
	var size, earliest, beside int
	for {
		size, beside = b.end-b.begin, -1
		for s.up(b) {
			other.previous(o)
			spend.spend(1)
		}
		if earliest = b.end; o.end > o.begin {
			beside = b.end
		}
		for s.down(b) {
			other.next(o)
			spend.spend(1)
			if o.end > o.begin {
				beside = b.end
			}
		}
		if size == b.end-b.begin {
			break
		}
	}
	best := b.end
	switch {
	case b.end == earliest:
		return
	case beside >= 0:
		for o.end == o.begin {
			if !s.up(b) {
				return
			}
			other.previous(o)
		}
		return
	default:
		const far = 100 // lines, beyond which no better place is looked for
		var least reading
		for end := max(earliest, b.end-size-1, b.end-far); end <= b.end; end++ {
			spend.spend(8)
			r := s.read(end).plus(s.read(end - size))
			if end == max(earliest, b.end-size-1, b.end-far) || r.compare(least) <= 0 {
				least, best = r, end
			}
		}
	}
	for b.end > best && s.up(b) {
		other.previous(o)
	}
}

// A reading is how badly a block reads that ends or begins at a line: how far that is indented, and penalties.
type reading struct{ indent, penalty int }

func (r reading) plus(o reading) reading { return reading{r.indent + o.indent, r.penalty + o.penalty} }

func (r reading) compare(o reading) int {
	c := r.penalty - o.penalty
	if r.indent > o.indent {
		return c + 60
	} else if r.indent < o.indent {
		return c - 60
	}
	return c
}

// maxBlanks is how many blank lines are looked across.
const maxBlanks = 20

// read judges a cut before line i. The weights are those that git was found to do best with.
func (s *side) read(i int) reading {
	indent, atEnd := -1, i >= len(s.lines)
	if !atEnd {
		indent = indentation(s.lines[i])
	}
	blanksBefore, before := s.across(i-1, -1)
	blanksAfter, after := s.across(i+1, 1)
	var r reading
	if before == -1 && blanksBefore == 0 {
		r.penalty++
	}
	if atEnd {
		r.penalty += 21
	}
	if indent == -1 {
		blanksAfter++
		indent = after
	} else {
		blanksAfter = 0
	}
	blanks := blanksBefore + blanksAfter
	r.penalty += -30*blanks + 6*blanksAfter
	r.indent = indent
	pick := func(without, with int) int {
		if blanks > 0 {
			return with
		}
		return without
	}
	switch {
	case indent == -1 || before == -1 || indent == before:
	case indent > before:
		r.penalty += pick(-4, 10)
	case after != -1 && after > indent:
		r.penalty += pick(24, 17)
	default:
		r.penalty += pick(23, 17)
	}
	return r
}

// across counts blank lines from i on and tells the indentation of the line behind them; -1 when there is none.
func (s *side) across(i, step int) (blanks, indent int) {
	for ; i >= 0 && i < len(s.lines); i += step {
		if indent = indentation(s.lines[i]); indent != -1 {
			return blanks, indent
		}
		if blanks++; blanks == maxBlanks {
			return blanks, 0
		}
	}
	return blanks, -1
}

// indentation is how far a line is indented; -1 when it is blank.
func indentation(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		case '\n', '\r', '\v', '\f':
		default:
			return n
		}
		if n >= 200 {
			return 200
		}
	}
	return -1
}
