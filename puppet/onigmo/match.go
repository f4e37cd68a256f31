package onigmo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth bounds the recursion of the matcher, and so its memory.
const maxDepth = 200_000

// A machine is one search.
type machine struct {
	p     *program
	s     string
	from  int   // where the search began, for \G
	caps  []int // begin and end of each group
	open  []int // where open groups began
	keep  int   // where \K moved the begin to, -1 for nowhere
	loops []*loopState
	frame *frame
	steps int
	depth int
	err   error
}

// A loopState is one repeat under way.
type loopState struct {
	count int
	pos   int        // where the current round began
	outer *loopState // the same repeat, further out, when the pattern recurses
}

// A frame is a call of a group under way.
type frame struct {
	group int
	ret   *inst
	open  []int
	outer *frame
}

func (p *program) search(s string, from int) ([]int, error) {
	loc, _, err := p.count(s, from)
	return loc, err
}

// count searches, and counts its steps.
func (p *program) count(s string, from int) (loc []int, steps int, err error) {
	m := &machine{p: p, s: s, from: from, caps: make([]int, 2*(p.groups+1)), loops: make([]*loopState, p.loops)}
	m.open = make([]int, p.groups+1)
	for at := from; at <= len(s); {
		if p.prefix != "" {
			i := strings.Index(s[at:], p.prefix)
			if i < 0 {
				return nil, m.steps + at - from, nil
			}
			at += i
		}
		for i := range m.caps {
			m.caps[i] = -1
		}
		m.keep, m.frame = -1, nil
		clear(m.loops)
		end := m.run(p.start, at)
		if m.err != nil {
			return nil, m.steps, m.err
		}
		if end >= 0 {
			m.caps[0], m.caps[1] = at, end
			if m.keep >= 0 {
				m.caps[0] = m.keep
			}
			return m.caps, m.steps + at - from, nil
		}
		if p.anchor || at == len(s) {
			return nil, m.steps + at - from, nil
		}
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return nil, m.steps, nil
}

// try is run as one of several attempts.
func (m *machine) try(i *inst, pos int) int {
	if m.depth++; m.depth > maxDepth && m.err == nil {
		m.err = ErrDepth
	}
	end := -1
	if m.err == nil {
		end = m.run(i, pos)
	}
	m.depth--
	return end
}

// one is the length of the character at pos if the single-character inst i takes it, otherwise 0.
func (m *machine) one(i *inst, pos int) int {
	if pos >= len(m.s) {
		return 0
	}
	r, n := rune(m.s[pos]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(m.s[pos:])
	}
	switch i.op {
	case iChar:
		if r == i.r || i.fold && foldEqual(r, i.r) {
			return n
		}
	case iSet:
		if i.set.has(r) {
			return n
		}
	case iAny:
		if r != '\n' {
			return n
		}
	case iAnyNL:
		return n
	}
	return 0
}

// run matches from i on and returns the end of the match, -1 for none.
func (m *machine) run(i *inst, pos int) int {
	for {
		if m.steps++; m.steps > MaxSteps && m.err == nil {
			m.err = ErrSteps
		}
		if m.err != nil {
			return -1
		}
		switch i.op {
		case iMatch:
			return pos
		case iNop:
		case iChar, iSet, iAny, iAnyNL:
			n := m.one(i, pos)
			if n == 0 {
				return -1
			}
			pos += n
		case iLit:
			if !strings.HasPrefix(m.s[pos:], i.lit) {
				return -1
			}
			pos += len(i.lit)
		case iAlt:
			last := len(i.alts) - 1
			for _, a := range i.alts[:last] {
				if e := m.try(a, pos); e >= 0 || m.err != nil {
					return e
				}
			}
			i = i.alts[last]
			continue
		case iOpen:
			old := m.open[i.n]
			m.open[i.n] = pos
			e := m.try(i.next, pos)
			if e < 0 {
				m.open[i.n] = old
			}
			return e
		case iClose:
			return m.closeGroup(i, pos)
		case iRep1:
			return m.repeatOne(i, pos)
		case iLoop:
			old := m.loops[i.n]
			m.loops[i.n] = &loopState{pos: -1, outer: old}
			e := m.loop(i, pos)
			if e < 0 {
				m.loops[i.n] = old
			}
			return e
		case iLoopEnd:
			return m.loop(i.next, pos)
		case iBeginLine:
			if pos != 0 && (m.s[pos-1] != '\n' || pos == len(m.s)) {
				return -1
			}
		case iEndLine:
			if pos != len(m.s) && m.s[pos] != '\n' {
				return -1
			}
		case iBeginText:
			if pos != 0 {
				return -1
			}
		case iEndText:
			if pos != len(m.s) {
				return -1
			}
		case iEndTextNL:
			if pos != len(m.s) && (pos != len(m.s)-1 || m.s[pos] != '\n') {
				return -1
			}
		case iSearchStart:
			if pos != m.from {
				return -1
			}
		case iWordBound:
			if (m.wordBefore(pos, i.ascii) != m.wordAt(pos, i.ascii)) == i.neg {
				return -1
			}
		case iLookAhead:
			before := m.save()
			if (m.isolated(i.alts[0], pos, !i.neg) >= 0) == i.neg {
				return -1
			}
			if !i.neg && m.p.groups > 0 {
				return m.undoable(i.next, pos, before)
			}
		case iLookBehind:
			before := m.save()
			if m.behind(i, pos) == i.neg {
				return -1
			}
			if !i.neg && m.p.groups > 0 {
				return m.undoable(i.next, pos, before)
			}
		case iAtomic:
			before := m.save()
			e := m.isolated(i.alts[0], pos, true)
			if e < 0 {
				return -1
			}
			return m.undoable(i.next, e, before)
		case iAbsent:
			return m.absent(i, pos)
		case iKeep:
			old := m.keep
			m.keep = pos
			e := m.try(i.next, pos)
			if e < 0 {
				m.keep = old
			}
			return e
		case iBackref:
			n := m.backref(i, pos)
			if n < 0 {
				return -1
			}
			pos += n
		case iCall:
			old := m.frame
			m.frame = &frame{group: i.n, ret: i.next, open: append([]int(nil), m.open...), outer: old}
			e := m.try(m.p.group[i.n], pos)
			if e < 0 {
				m.frame = old
			}
			return e
		case iCond:
			set := false
			for _, r := range i.refs {
				set = set || m.caps[2*r+1] >= 0
			}
			if set {
				i = i.alts[0]
			} else {
				i = i.alts[1]
			}
			continue
		case iGrapheme:
			n := grapheme(m.s[pos:])
			if n == 0 {
				return -1
			}
			pos += n
		}
		i = i.next
	}
}

func (m *machine) closeGroup(i *inst, pos int) int {
	g := 2 * i.n
	oldBegin, oldEnd := m.caps[g], m.caps[g+1]
	if i.n > 0 {
		m.caps[g], m.caps[g+1] = m.open[i.n], pos
	}
	next := i.next
	f := m.frame
	var open []int
	if f != nil && f.group == i.n {
		next = f.ret
		m.frame = f.outer
		open = m.open
		m.open = append([]int(nil), f.open...)
	}
	e := m.try(next, pos)
	if e < 0 {
		m.caps[g], m.caps[g+1] = oldBegin, oldEnd
		m.frame = f
		if open != nil {
			m.open = open
		}
	}
	return e
}

// repeatOne repeats a single character without recursion.
func (m *machine) repeatOne(i *inst, pos int) int {
	body := i.alts[0]
	count := 0
	for ; count < i.min; count++ {
		n := m.one(body, pos)
		if n == 0 {
			return -1
		}
		pos += n
	}
	m.steps += count
	if i.mode == lazy {
		for {
			if e := m.try(i.next, pos); e >= 0 || m.err != nil {
				return e
			}
			if i.max >= 0 && count >= i.max {
				return -1
			}
			n := m.one(body, pos)
			if n == 0 {
				return -1
			}
			pos += n
			count++
		}
	}
	low := pos
	for i.max < 0 || count < i.max {
		n := m.one(body, pos)
		if n == 0 {
			break
		}
		pos += n
		count++
	}
	m.steps += count
	if i.mode == possessive {
		return m.try(i.next, pos)
	}
	for {
		if i.next.op != iLit || strings.HasPrefix(m.s[pos:], i.next.lit) {
			if e := m.try(i.next, pos); e >= 0 || m.err != nil {
				return e
			}
		} else if m.steps++; m.steps > MaxSteps {
			m.err = ErrSteps
			return -1
		}
		if pos == low {
			return -1
		}
		_, n := utf8.DecodeLastRuneInString(m.s[low:pos])
		pos -= n
	}
}

// loop decides at the head of a repeat whether to go round again.
func (m *machine) loop(i *inst, pos int) int {
	st := m.loops[i.n]
	leave := func() int {
		m.loops[i.n] = st.outer
		e := m.try(i.next, pos)
		if e < 0 {
			m.loops[i.n] = st
		}
		return e
	}
	if st.pos == pos {
		return leave() // a round that read nothing ends the repeat
	}
	again := func() int {
		m.loops[i.n] = &loopState{count: st.count + 1, pos: pos, outer: st.outer}
		e := m.try(i.alts[0], pos)
		if e < 0 {
			m.loops[i.n] = st
		}
		return e
	}
	switch {
	case st.count < i.min:
		return again()
	case i.max >= 0 && st.count >= i.max:
		return leave()
	case i.mode == lazy:
		if e := leave(); e >= 0 || m.err != nil {
			return e
		}
		return again()
	}
	if e := again(); e >= 0 || m.err != nil {
		return e
	}
	return leave()
}

// saved is what a part that is run by itself may change.
type saved struct {
	caps  []int
	keep  int
	frame *frame
}

func (m *machine) save() saved {
	return saved{append([]int(nil), m.caps...), m.keep, m.frame}
}

func (m *machine) restore(s saved) {
	copy(m.caps, s.caps)
	m.keep, m.frame = s.keep, s.frame
}

// undoable goes on, and takes back what a part before it captured if that fails.
func (m *machine) undoable(i *inst, pos int, before saved) int {
	e := m.try(i, pos)
	if e < 0 {
		m.restore(before)
	}
	return e
}

// isolated runs a part to its own end. Its captures stay when keep is set and it matched.
func (m *machine) isolated(i *inst, pos int, keep bool) int {
	s := m.save()
	loops := append([]*loopState(nil), m.loops...)
	m.frame = nil
	e := m.try(i, pos)
	copy(m.loops, loops)
	if e < 0 || !keep {
		m.restore(s)
	}
	m.frame = s.frame
	return e
}

func (m *machine) behind(i *inst, pos int) bool {
	for k, a := range i.alts {
		at := pos
		w := i.widths[k]
		for ; w > 0 && at > 0; w-- {
			_, n := utf8.DecodeLastRuneInString(m.s[:at])
			at -= n
		}
		if w == 0 && m.isolated(a, at, !i.neg) == pos {
			return true
		}
	}
	return false
}

// absent matches the longest text, then shorter ones, that do not contain a match of the body.
func (m *machine) absent(i *inst, pos int) int {
	limit := len(m.s)
	for at := pos; at <= limit; {
		if e := m.isolated(i.alts[0], at, false); e >= 0 {
			if e == at {
				return -1 // the empty text is everywhere
			}
			_, n := utf8.DecodeLastRuneInString(m.s[:e])
			limit = min(limit, e-n)
		}
		if m.err != nil {
			return -1
		}
		if at == len(m.s) {
			break
		}
		_, n := utf8.DecodeRuneInString(m.s[at:])
		at += n
	}
	for end := limit; ; {
		if e := m.try(i.next, end); e >= 0 || m.err != nil {
			return e
		}
		if end == pos {
			return -1
		}
		_, n := utf8.DecodeLastRuneInString(m.s[:end])
		end -= n
	}
}

// backref is the length of the text of a group that stands at pos again, -1 when it does not.
func (m *machine) backref(i *inst, pos int) int {
	for k := len(i.refs) - 1; k >= 0; k-- {
		b, e := m.caps[2*i.refs[k]], m.caps[2*i.refs[k]+1]
		if b < 0 || e < 0 {
			continue
		}
		want := m.s[b:e]
		if strings.HasPrefix(m.s[pos:], want) {
			return len(want)
		}
		if i.fold {
			if n := foldPrefix(m.s[pos:], want); n >= 0 {
				return n
			}
		}
	}
	return -1
}

func foldPrefix(s, want string) int {
	at := 0
	for _, w := range want {
		if at >= len(s) {
			return -1
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		if r != w && !foldEqual(r, w) {
			return -1
		}
		at += n
	}
	return at
}

func foldEqual(a, b rune) bool {
	if a < 128 && b < 128 {
		return a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z'
	}
	for f := unicode.SimpleFold(a); f != a; f = unicode.SimpleFold(f) {
		if f == b {
			return true
		}
	}
	return false
}

func hasCase(r rune) bool { return unicode.SimpleFold(r) != r }

func (m *machine) wordBefore(pos int, ascii bool) bool {
	if pos == 0 {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(m.s[:pos])
	return isWord(r, ascii)
}

func (m *machine) wordAt(pos int, ascii bool) bool {
	if pos >= len(m.s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(m.s[pos:])
	return isWord(r, ascii)
}

func isWord(r rune, ascii bool) bool {
	if r < 128 {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return !ascii && unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc)
}

// grapheme is the length of the first grapheme cluster of s: a base character with all that attaches to it.
func grapheme(s string) int {
	if s == "" {
		return 0
	}
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	r, n := utf8.DecodeRuneInString(s)
	if unicode.IsControl(r) {
		return n
	}
	flag := isRegional(r)
	for n < len(s) {
		x, k := utf8.DecodeRuneInString(s[n:])
		switch {
		case unicode.In(x, unicode.Mn, unicode.Me, unicode.Mc) || x == 0x200c || x >= 0x1f3fb && x <= 0x1f3ff:
			n += k
		case x == 0x200d:
			n += k
			if y, j := utf8.DecodeRuneInString(s[n:]); j > 0 && (unicode.Is(unicode.So, y) || y > 0x1f000) &&
				(unicode.Is(unicode.So, r) || r > 0x1f000) {
				n += j
			}
		case flag && isRegional(x):
			n += k
			flag = false
		default:
			return n
		}
	}
	return n
}

func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }
