package onigmo

// check judges what only the whole tree shows: look-behinds of no fixed length, and recursion without end.
func (t *tree) check(p *parser) {
	t.root.each(func(n *node) {
		if n.op == opLookBehind || n.op == opNotLookBehind {
			t.checkBehind(p, n)
		}
	})
	if !t.calls {
		return
	}
	for i := 0; i <= t.groups; i++ {
		g := t.root
		if i > 0 {
			g = t.group[i].subs[0]
		}
		if r := t.recursion(g, i, true, map[int]bool{i: true}); r != 0 && t.reaches(g, i, map[int]bool{}) {
			p.fail("never ending recursion")
		}
	}
}

// each calls f for n and everything below.
func (n *node) each(f func(*node)) {
	f(n)
	for _, s := range n.subs {
		s.each(f)
	}
}

// checkBehind: every alternative must have one length, and only some constructs are allowed.
func (t *tree) checkBehind(p *parser, n *node) {
	n.subs[0].each(func(x *node) {
		switch x.op {
		case opLookAhead, opNotLookAhead, opAtomic, opAbsent, opLineBreak, opGrapheme, opBackref, opCond:
			p.fail("invalid pattern in look-behind")
		case opGroup:
			if n.op == opNotLookBehind {
				p.fail("invalid pattern in look-behind")
			}
		case opRepeat:
			if x.mode == possessive {
				p.fail("invalid pattern in look-behind")
			}
		}
	})
	for _, alt := range n.subs[0].alternatives() {
		if _, fixed := t.width(alt, 0); !fixed {
			p.fail("invalid pattern in look-behind")
		}
	}
}

// alternatives are the choices at the top of n.
func (n *node) alternatives() []*node {
	if n.op == opAlt {
		return n.subs
	}
	return []*node{n}
}

// width is the number of characters that n matches, if it is fixed.
func (t *tree) width(n *node, depth int) (w int, fixed bool) {
	if depth > 100 {
		return 0, false
	}
	switch n.op {
	case opChar, opSet, opAny, opAnyNL:
		return 1, true
	case opSeq:
		for _, s := range n.subs {
			x, ok := t.width(s, depth)
			if !ok {
				return 0, false
			}
			w += x
		}
		return w, true
	case opAlt:
		for i, s := range n.subs {
			x, ok := t.width(s, depth)
			if !ok || i > 0 && x != w {
				return 0, false
			}
			w = x
		}
		return w, true
	case opGroup:
		return t.width(n.subs[0], depth)
	case opRepeat:
		if n.min != n.max {
			return 0, false
		}
		x, ok := t.width(n.subs[0], depth)
		return x * n.min, ok
	case opCall:
		return t.width(t.target(n), depth+1)
	case opLineBreak, opGrapheme, opBackref, opAbsent, opAtomic, opCond:
		return 0, false
	}
	return 0, true
}

func (t *tree) target(call *node) *node {
	if call.n == 0 {
		return t.root
	}
	return t.group[call.n].subs[0]
}

// canBeEmpty reports whether n may match nothing.
func (t *tree) canBeEmpty(n *node, depth int) bool {
	if depth > 50 {
		return false
	}
	switch n.op {
	case opChar, opSet, opAny, opAnyNL, opLineBreak, opGrapheme:
		return false
	case opSeq:
		for _, s := range n.subs {
			if !t.canBeEmpty(s, depth) {
				return false
			}
		}
		return true
	case opAlt, opCond:
		for _, s := range n.subs {
			if t.canBeEmpty(s, depth) {
				return true
			}
		}
		return false
	case opGroup, opAtomic:
		return t.canBeEmpty(n.subs[0], depth)
	case opRepeat:
		return n.min == 0 || t.canBeEmpty(n.subs[0], depth)
	case opCall:
		return t.canBeEmpty(t.target(n), depth+1)
	}
	return true
}

const (
	recurs   = 1 // every path comes back to the group
	infinite = 2 // it comes back without having read anything
)

// recursion is Onigmo's test for groups that call themselves without end.
func (t *tree) recursion(n *node, group int, head bool, open map[int]bool) int {
	switch n.op {
	case opSeq:
		r := 0
		for _, s := range n.subs {
			x := t.recursion(s, group, head, open)
			if x == infinite {
				return x
			}
			r |= x
			if head && !t.canBeEmpty(s, 0) {
				head = false
			}
		}
		return r
	case opAlt, opCond:
		r := recurs
		for _, s := range n.subs {
			x := t.recursion(s, group, head, open)
			if x == infinite {
				return x
			}
			r &= x
		}
		return r
	case opRepeat:
		x := t.recursion(n.subs[0], group, head, open)
		if n.min == 0 && x != infinite {
			return 0
		}
		return x
	case opCall:
		if n.n == group {
			if head {
				return infinite
			}
			return recurs
		}
		if open[n.n] {
			return 0
		}
		open[n.n] = true
		r := t.recursion(t.target(n), group, head, open)
		delete(open, n.n)
		return r
	case opGroup:
		if n.n == group {
			if head {
				return infinite
			}
			return recurs
		}
		return t.recursion(n.subs[0], group, head, open)
	}
	if len(n.subs) > 0 {
		return t.recursion(n.subs[0], group, head, open)
	}
	return 0
}

// reaches reports whether a call of the group is reachable from n.
func (t *tree) reaches(n *node, group int, seen map[int]bool) bool {
	found := false
	n.each(func(x *node) {
		if found || x.op != opCall {
			return
		}
		if x.n == group {
			found = true
		} else if !seen[x.n] {
			seen[x.n] = true
			found = t.reaches(t.target(x), group, seen)
		}
	})
	return found
}
