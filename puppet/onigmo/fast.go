package onigmo

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fastWhen says which texts Go's regexp may search in our stead.
type fastWhen uint8

const (
	always fastWhen = 0
	// onlyASCII: the pattern uses what Go knows for ASCII alone, such as \b.
	onlyASCII fastWhen = 1 << 0
	// noFinalNewline: Go's ^ also matches behind a final newline, Ruby's does not.
	noFinalNewline fastWhen = 1 << 1
)

// fast translates the pattern for Go's regexp, nil when it has something that Go lacks or reads otherwise.
func (t *tree) fast() (*regexp.Regexp, fastWhen) {
	if len(t.uni) > 0 || t.calls {
		return nil, 0
	}
	f := &translator{t: t}
	if !f.node(t.root) {
		return nil, 0
	}
	re, err := regexp.Compile(f.b.String())
	if err != nil || re.NumSubexp() != t.groups {
		return nil, 0
	}
	return re, f.when
}

type translator struct {
	t    *tree
	b    strings.Builder
	when fastWhen
}

func (f *translator) node(n *node) bool {
	switch n.op {
	case opEmpty:
		f.b.WriteString("(?:)")
	case opChar:
		if n.fold && hasCase(n.r) {
			f.b.WriteString("(?i:" + regexp.QuoteMeta(string(n.r)) + ")")
		} else {
			f.b.WriteString(regexp.QuoteMeta(string(n.r)))
		}
	case opSet:
		return f.set(n.set)
	case opAny:
		f.b.WriteString(`[^\n]`)
	case opAnyNL:
		f.b.WriteString("(?s:.)")
	case opSeq:
		for _, s := range n.subs {
			if s.op == opAlt {
				f.b.WriteString("(?:")
				if !f.node(s) {
					return false
				}
				f.b.WriteByte(')')
			} else if !f.node(s) {
				return false
			}
		}
	case opAlt:
		for i, s := range n.subs {
			if i > 0 {
				f.b.WriteByte('|')
			}
			if !f.node(s) {
				return false
			}
		}
	case opGroup:
		f.b.WriteByte('(')
		if !f.node(n.subs[0]) {
			return false
		}
		f.b.WriteByte(')')
	case opRepeat:
		return f.repeat(n)
	case opBeginLine:
		f.when |= noFinalNewline
		f.b.WriteString("(?m:^)")
	case opEndLine:
		f.b.WriteString("(?m:$)")
	case opBeginText:
		f.b.WriteString(`\A`)
	case opEndText:
		f.b.WriteString(`\z`)
	case opWordBound:
		f.when |= onlyASCII
		f.b.WriteString(`\b`)
	case opNotWordBound:
		f.when |= onlyASCII
		f.b.WriteString(`\B`)
	default:
		return false
	}
	return true
}

func (f *translator) repeat(n *node) bool {
	// Engines disagree about repeats of what can be empty, and Go bounds counts at 1000.
	if n.mode == possessive || n.min > 200 || n.max > 200 || f.t.canBeEmpty(n.subs[0], 0) {
		return false
	}
	f.b.WriteString("(?:")
	if !f.node(n.subs[0]) {
		return false
	}
	f.b.WriteByte(')')
	switch {
	case n.min == 0 && n.max < 0:
		f.b.WriteByte('*')
	case n.min == 1 && n.max < 0:
		f.b.WriteByte('+')
	case n.min == 0 && n.max == 1:
		f.b.WriteByte('?')
	case n.max < 0:
		fmt.Fprintf(&f.b, "{%d,}", n.min)
	default:
		fmt.Fprintf(&f.b, "{%d,%d}", n.min, n.max)
	}
	if n.mode == lazy {
		f.b.WriteByte('?')
	}
	return true
}

func (f *translator) set(s *set) bool {
	rs, exact := s.flat()
	if !exact || s.fold {
		f.when |= onlyASCII
		rs = rs[:0]
		for r := rune(0); r < utf8.RuneSelf; r++ {
			if s.has(r) {
				rs = append(rs, r, r)
			}
		}
	}
	if len(rs) == 0 {
		return false
	}
	f.b.WriteByte('[')
	for i := 0; i < len(rs); i += 2 {
		fmt.Fprintf(&f.b, `\x{%x}-\x{%x}`, rs[i], rs[i+1])
	}
	f.b.WriteByte(']')
	return true
}

// flat is the set as ranges, if it is made of ranges alone.
func (s *set) flat() (rs []rune, exact bool) {
	if len(s.tables) > 0 {
		return nil, false
	}
	if s.and != nil {
		return nil, false
	}
	rs = append(rs, s.ranges...)
	for _, sub := range s.subs {
		x, ok := sub.flat()
		if !ok {
			return nil, false
		}
		rs = append(rs, x...)
	}
	rs = sorted(rs)
	if s.neg {
		rs = inverted(rs)
	}
	return rs, true
}

func sorted(rs []rune) []rune {
	type pair struct{ lo, hi rune }
	ps := make([]pair, 0, len(rs)/2)
	for i := 0; i < len(rs); i += 2 {
		ps = append(ps, pair{rs[i], rs[i+1]})
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].lo < ps[j].lo })
	var out []rune
	for _, p := range ps {
		if n := len(out); n > 0 && p.lo <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p.hi)
			continue
		}
		out = append(out, p.lo, p.hi)
	}
	return out
}

func inverted(rs []rune) []rune {
	var out []rune
	next := rune(0)
	for i := 0; i < len(rs); i += 2 {
		if rs[i] > next {
			out = append(out, next, rs[i]-1)
		}
		next = rs[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}
