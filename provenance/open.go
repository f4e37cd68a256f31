package provenance

import "slices"

// Open adds a set of dependencies that is not complete yet: something may come too late to have an effect, and that it
// came too late is then a reason for what happened before.
func (t *Trace) Open() Ref {
	if t == nil {
		return 0
	}
	t.open = append(t.open, nil)
	return t.add(node{shape: isOpen, first: Ref(len(t.open) - 1)})
}

// Extend adds to a set of Open's.
func (t *Trace) Extend(set Ref, more ...Ref) {
	if t == nil || set == 0 {
		return
	}
	list := &t.open[t.nodes[set].first]
	for _, r := range more {
		if r != 0 && !slices.Contains(*list, r) {
			*list = append(*list, r)
		}
	}
}

// A walk finds the leaves that nodes depend on. It can be used again.
type walk struct {
	t     *Trace
	seen  []uint32 // the turn in which a node was last seen
	turn  uint32
	stack []Ref
}

func (w *walk) push(r Ref) {
	if r != 0 && w.seen[r] != w.turn {
		w.seen[r] = w.turn
		w.stack = append(w.stack, r)
	}
}

// leaves are what nodes depend on, in their order.
func (w *walk) leaves(roots ...Ref) (leaves []Ref) {
	t := w.t
	if w.seen == nil {
		w.seen = make([]uint32, len(t.nodes))
	}
	w.turn++
	for _, r := range roots {
		w.push(r)
	}
	for len(w.stack) > 0 {
		r := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		switch n := t.nodes[r]; {
		case n.shape == isNone:
		case n.shape <= isBlockLeaf:
			leaves = append(leaves, r)
		default:
			t.operandsOf(n, w.push)
		}
	}
	slices.Sort(leaves)
	return leaves
}
