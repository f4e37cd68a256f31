package provenance

import "slices"

// label returns the place of a leaf.
func (t *Trace) label(r Ref) (Label, bool) {
	switch n := t.nodes[r]; n.shape {
	case isLiteral, isBlockLeaf:
		b := t.blocks[n.first]
		return b.label(int(r - b.first)), true
	case isLeaf:
		return t.labels[n.first], true
	}
	return Label{}, false
}

// operandsOf calls f for each operand of a node.
func (t *Trace) operandsOf(n node, f func(Ref)) {
	switch {
	case n.shape <= isBlockLeaf:
	case n.shape == isAll:
		for r := Ref(1); r < n.first; r++ {
			switch t.nodes[r].shape {
			case isLiteral:
				if int(r/64) < len(t.read) && t.read[r/64]&(1<<(r%64)) != 0 {
					f(r)
				}
			case isLeaf, isBlockLeaf:
				f(r)
			}
		}
	case n.shape == isDeep:
		f(n.first)
		t.contents[n.second].EachRef(f)
	case n.many:
		for _, r := range t.operands[n.first : n.first+n.second] {
			f(r)
		}
	default:
		f(n.first)
		f(n.second)
	}
}

// Where is the one place that a value was copied from; none when an operation made it (rules 4.2.2 of the thesis).
func (t *Trace) Where(r Ref) (Label, bool) {
	if t == nil {
		return Label{}, false
	}
	for r != 0 {
		n := t.nodes[r]
		switch n.shape {
		case isLiteral, isLeaf, isBlockLeaf:
			return t.label(r)
		case isWith:
			r = n.first
			if n.many {
				r = t.operands[n.first]
			}
		default:
			return Label{}, false
		}
	}
	return Label{}, false
}

// Depends is the set of places outside which no change can alter the value (5.2 of the thesis), in the order of their nodes.
func (t *Trace) Depends(roots ...Ref) []Label {
	if t == nil {
		return nil
	}
	seen := make([]uint64, len(t.nodes)/64+1)
	var stack, leaves []Ref
	push := func(r Ref) {
		if r != 0 && seen[r/64]&(1<<(r%64)) == 0 {
			seen[r/64] |= 1 << (r % 64)
			stack = append(stack, r)
		}
	}
	for _, r := range roots {
		push(r)
	}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := t.nodes[r]
		if n.shape <= isBlockLeaf && n.shape != isNone {
			leaves = append(leaves, r)
			continue
		}
		t.operandsOf(n, push)
	}
	slices.Sort(leaves)
	out := make([]Label, len(leaves))
	for i, r := range leaves {
		out[i], _ = t.label(r)
	}
	return out
}

// A Term is the expression that made a value: operations over places (4.3 of the thesis).
type Term struct {
	Op   string // "" for a leaf
	Leaf Label
	Ref  Ref // the node, so that two terms can be told apart and shared parts recognised
	Args []*Term
}

// Expression is the term of operations whose leaves are places. Shared parts are shared in the result.
func (t *Trace) Expression(r Ref) *Term {
	if t == nil || r == 0 {
		return nil
	}
	memo := map[Ref]*Term{}
	var read func(r Ref) *Term
	read = func(r Ref) *Term {
		for r != 0 && t.nodes[r].shape == isWith {
			n := t.nodes[r]
			if r = n.first; n.many {
				r = t.operands[n.first]
			}
		}
		if r == 0 {
			return nil
		}
		if term := memo[r]; term != nil {
			return term
		}
		term := &Term{Ref: r}
		memo[r] = term
		n := t.nodes[r]
		switch n.shape {
		case isLiteral, isLeaf, isBlockLeaf:
			term.Leaf, _ = t.label(r)
		case isDeep:
			term.Op = "container"
		case isOp:
			term.Op = t.names[n.name]
			t.operandsOf(n, func(a Ref) {
				if a != 0 {
					term.Args = append(term.Args, read(a))
				}
			})
		}
		return term
	}
	return read(r)
}
