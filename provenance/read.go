package provenance

// label returns the place of a leaf.
func (t *Trace) label(r Ref) (Label, bool) {
	switch n := t.nodes[r]; n.shape {
	case isLiteral, isBlockLeaf:
		b := &t.blocks[n.first]
		return b.at(int(r - b.first)), true
	case isLeaf:
		return t.labels[n.first], true
	}
	return Label{}, false
}

// wasRead reports whether a literal was evaluated.
func (t *Trace) wasRead(r Ref) bool { return int(r/64) < len(t.read) && t.read[r/64]&(1<<(r%64)) != 0 }

// operandsOf calls f for each operand of a node.
func (t *Trace) operandsOf(n node, f func(Ref)) {
	switch {
	case n.shape <= isBlockLeaf:
	case n.shape == isAll:
		for r := Ref(1); r < n.first; r++ {
			switch t.nodes[r].shape {
			case isLiteral:
				if t.wasRead(r) {
					f(r)
				}
			case isLeaf, isBlockLeaf:
				f(r)
			}
		}
	case n.shape == isNote:
		f(n.first)
	case n.shape == isOpen:
		for _, r := range t.open[n.first] {
			f(r)
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
	if r = t.origin(r); r == 0 {
		return Label{}, false
	}
	return t.label(r)
}

// origin follows copies to the node that made the value: a leaf, an operation, a container, or none.
func (t *Trace) origin(r Ref) Ref {
	for r != 0 {
		next, copied := t.copied(t.nodes[r])
		if !copied {
			return r
		}
		r = next
	}
	return 0
}

// copied is the node whose value a node copies.
func (t *Trace) copied(n node) (Ref, bool) {
	switch {
	case n.shape == isNote:
		return n.first, true
	case n.shape == isWith && n.many:
		return t.operands[n.first], true
	case n.shape == isWith:
		return n.first, true
	case n.shape == isOpen: // no value
		return 0, true
	}
	return 0, false
}

// Depends is the set of places outside which no change can alter the value (5.2 of the thesis), in the order of their
// nodes.
func (t *Trace) Depends(roots ...Ref) []Label {
	if t == nil {
		return nil
	}
	leaves := (&walk{t: t}).leaves(roots...)
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
	Ref  Ref     // the node, so that two terms can be told apart and shared parts recognised
	Args []*Term // nil for an operand whose origin is not recorded
}

// Expression is the term of operations whose leaves are places. Shared parts are shared in the result.
func (t *Trace) Expression(r Ref) *Term {
	if t == nil || r == 0 {
		return nil
	}
	memo := map[Ref]*Term{}
	var read func(r Ref) *Term
	read = func(r Ref) *Term {
		if r = t.origin(r); r == 0 {
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
		case isDeep: // keys and values one after the other, nested ones behind those that hold them
			term.Op = "container"
			t.contents[n.second].EachRef(func(a Ref) {
				if a = t.origin(a); a != 0 {
					term.Args = append(term.Args, read(a))
				}
			})
		case isOp:
			term.Op = t.names[n.name]
			last := !n.many && n.second == 0 // then there is no second operand
			t.operandsOf(n, func(a Ref) {
				if last && len(term.Args) == 1 || last && n.first == 0 {
					return
				}
				term.Args = append(term.Args, read(a))
			})
		}
		return term
	}
	return read(r)
}
