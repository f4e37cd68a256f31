package onigmo

import (
	"fmt"
	"strings"
)

// An inst is a node linked to what follows it.
type inst struct {
	op       iop
	fold     bool
	ascii    bool
	neg      bool
	mode     repeatMode
	r        rune
	lit      string
	set      *set
	min, max int
	n        int
	refs     []int
	next     *inst
	alts     []*inst
	widths   []int // of the alternatives of a look-behind
}

type iop uint8

const (
	iMatch iop = iota // the end of the pattern, or of a part that is run by itself
	iChar
	iLit
	iSet
	iAny
	iAnyNL
	iAlt
	iOpen
	iClose
	iRep1 // a repeat of one character
	iLoop
	iLoopEnd
	iBeginLine
	iEndLine
	iBeginText
	iEndText
	iEndTextNL
	iSearchStart
	iWordBound
	iLookAhead
	iLookBehind
	iAtomic
	iAbsent
	iKeep
	iBackref
	iCall
	iCond
	iGrapheme
	iNop
)

// A program is a linked pattern.
type program struct {
	start  *inst
	group  []*inst // the iOpen of each group; 0 is the whole pattern
	groups int
	loops  int
	calls  bool
	prefix string // every match begins with it
	anchor bool   // every match begins at the start of the text
}

type linker struct {
	t *tree
	p *program
}

func (t *tree) compile() (*program, error) {
	if len(t.uni) > 0 {
		return nil, fmt.Errorf("the character property {%s} is not supported: /%s/", t.uni[0], t.src)
	}
	l := &linker{t, &program{groups: t.groups, group: make([]*inst, t.groups+1), calls: t.calls}}
	end := &inst{op: iMatch}
	if t.calls {
		// Group 0 is the whole pattern; its close lets \g<0> return.
		end = &inst{op: iClose, n: 0, next: end}
	}
	l.p.start = l.link(t.root, end)
	l.p.group[0] = l.p.start
	l.p.prefix, l.p.anchor = prefix(l.p.start)
	return l.p, nil
}

// prefix is the literal text with which every match begins.
func prefix(i *inst) (string, bool) {
	for {
		switch i.op {
		case iLit:
			return i.lit, false
		case iChar:
			if !i.fold {
				return string(i.r), false
			}
			return "", false
		case iOpen, iNop:
			i = i.next
		case iBeginText:
			return "", true
		default:
			return "", false
		}
	}
}

func (l *linker) link(n *node, next *inst) *inst {
	switch n.op {
	case opEmpty:
		return next
	case opChar:
		return &inst{op: iChar, r: n.r, fold: n.fold && hasCase(n.r), next: next}
	case opSet:
		return &inst{op: iSet, set: n.set, next: next}
	case opAny:
		return &inst{op: iAny, next: next}
	case opAnyNL:
		return &inst{op: iAnyNL, next: next}
	case opSeq:
		return l.sequence(n.subs, next)
	case opAlt:
		i := &inst{op: iAlt, next: next}
		for _, s := range n.subs {
			i.alts = append(i.alts, l.link(s, next))
		}
		return i
	case opGroup:
		end := &inst{op: iClose, n: n.n, next: next}
		i := &inst{op: iOpen, n: n.n, next: l.link(n.subs[0], end)}
		l.p.group[n.n] = i
		return i
	case opRepeat:
		return l.repeat(n, next)
	case opBeginLine:
		return &inst{op: iBeginLine, next: next}
	case opEndLine:
		return &inst{op: iEndLine, next: next}
	case opBeginText:
		return &inst{op: iBeginText, next: next}
	case opEndText:
		return &inst{op: iEndText, next: next}
	case opEndTextNL:
		return &inst{op: iEndTextNL, next: next}
	case opSearchStart:
		return &inst{op: iSearchStart, next: next}
	case opWordBound, opNotWordBound:
		return &inst{op: iWordBound, neg: n.op == opNotWordBound, ascii: n.ascii, next: next}
	case opLookAhead, opNotLookAhead:
		return &inst{op: iLookAhead, neg: n.op == opNotLookAhead, alts: []*inst{l.link(n.subs[0], &inst{op: iMatch})},
			next: next}
	case opLookBehind, opNotLookBehind:
		i := &inst{op: iLookBehind, neg: n.op == opNotLookBehind, next: next}
		for _, s := range n.subs[0].alternatives() {
			w, _ := l.t.width(s, 0)
			i.widths = append(i.widths, w)
			i.alts = append(i.alts, l.link(s, &inst{op: iMatch}))
		}
		return i
	case opAtomic:
		return l.atomic(l.link(n.subs[0], &inst{op: iMatch}), next)
	case opAbsent:
		return &inst{op: iAbsent, alts: []*inst{l.link(n.subs[0], &inst{op: iMatch})}, next: next}
	case opKeep:
		return &inst{op: iKeep, next: next}
	case opBackref:
		return &inst{op: iBackref, refs: n.refs, fold: n.fold, next: next}
	case opCall:
		return &inst{op: iCall, n: n.n, next: next}
	case opCond:
		return &inst{op: iCond, refs: n.refs, alts: []*inst{l.link(n.subs[0], next), l.link(n.subs[1], next)}}
	case opGrapheme:
		return &inst{op: iGrapheme, next: next}
	case opLineBreak:
		crlf := &inst{op: iLit, lit: "\r\n", next: &inst{op: iMatch}}
		one := rangeSet('\n', '\r', 0x85, 0x85, 0x2028, 0x2029).seal(false)
		return l.atomic(&inst{op: iAlt, alts: []*inst{crlf, {op: iSet, set: one, next: &inst{op: iMatch}}}}, next)
	}
	panic("onigmo: link: unknown node")
}

func (l *linker) atomic(body, next *inst) *inst {
	return &inst{op: iAtomic, alts: []*inst{body}, next: next}
}

// sequence links from the back, and joins plain characters to literals.
func (l *linker) sequence(ns []*node, next *inst) *inst {
	for i := len(ns) - 1; i >= 0; i-- {
		j := i
		for j >= 0 && ns[j].op == opChar && !(ns[j].fold && hasCase(ns[j].r)) {
			j--
		}
		if i-j > 1 {
			var b strings.Builder
			for _, n := range ns[j+1 : i+1] {
				b.WriteRune(n.r)
			}
			next = &inst{op: iLit, lit: b.String(), next: next}
			i = j + 1
			continue
		}
		next = l.link(ns[i], next)
	}
	return next
}

func (l *linker) repeat(n *node, next *inst) *inst {
	if n.max == 0 {
		if !l.t.calls {
			return next
		}
		l.link(n.subs[0], &inst{op: iMatch}) // its groups can still be called
		return next
	}
	if n.min == 1 && n.max == 1 {
		return l.link(n.subs[0], next)
	}
	switch n.subs[0].op {
	case opChar, opSet, opAny, opAnyNL:
		return &inst{op: iRep1, mode: n.mode, min: n.min, max: n.max, alts: []*inst{l.link(n.subs[0], nil)}, next: next}
	}
	if n.mode == possessive {
		g := *n
		g.mode = greedy
		return l.atomic(l.repeat(&g, &inst{op: iMatch}), next)
	}
	i := &inst{op: iLoop, mode: n.mode, min: n.min, max: n.max, n: l.p.loops, next: next}
	l.p.loops++
	i.alts = []*inst{l.link(n.subs[0], &inst{op: iLoopEnd, n: i.n, next: i})}
	return i
}
