package provenance

import (
	"slices"
	"strings"
)

// Some things have several causes of which one is enough: a class that is included at five places stays in the catalog
// as long as one of them is reached. Such a node depends on what all its causes have in common, not on the first of
// them.
//
// Causes are found one after the other, so the later ones are newer than the node, and may even depend on it: a class
// that includes another that includes the first one again. The sets are therefore found by steps. At first each node
// has the set of its first cause, which is older; then a step takes away what some other cause does not share, given
// the sets so far. Whatever step one stops after, the sets are sound: what is taken away is not needed by a cause that
// stands without it. A cause that depends on the node itself has all that the node has, so it takes nothing away.

// Any adds a node that its causes make, of which the first is known.
func (t *Trace) Any(cause Ref) Ref {
	if t == nil {
		return 0
	}
	t.causes = append(t.causes, nil)
	return t.add(node{shape: isAny, first: cause, second: Ref(len(t.causes) - 1)})
}

const (
	mostCauses = 8 // of one node; more take little away
	mostSteps  = 4
)

// Also adds another cause to a node of Any's.
func (t *Trace) Also(any, cause Ref) {
	if t == nil || any == 0 || t.nodes[any].shape != isAny {
		return
	}
	n := t.nodes[any]
	list := &t.causes[n.second]
	if cause == 0 || cause == any || cause == n.first || len(*list) >= mostCauses || slices.Contains(*list, cause) {
		return
	}
	*list = append(*list, cause)
	t.shared.Store(nil)
}

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
			t.shared.Store(nil)
		}
	}
}

// common has the leaves that each node of Any's depends on, by the number of its causes. Two readers may both work it
// out: they find the same.
func (t *Trace) common() [][]Ref {
	if known := t.shared.Load(); known != nil && len(*known) == len(t.causes) {
		return *known
	}
	w := &walk{t: t, shared: make([][]Ref, 0, len(t.causes))}
	var nodes []node // in their order
	for _, n := range t.nodes {
		if n.shape == isAny {
			nodes = append(nodes, n)
			w.shared = append(w.shared, w.leaves(n.first))
		}
	}
	groups := map[group]bool{}
	for range mostSteps {
		changed := false
		for i, n := range nodes {
			// the first too: what it depends on may have become less
			for _, cause := range append([]Ref{n.first}, t.causes[n.second]...) {
				if len(w.shared[i]) == 0 {
					break
				}
				clear(groups)
				for _, r := range w.leaves(cause) {
					groups[t.groupOf(r)] = true
				}
				left := slices.DeleteFunc(slices.Clone(w.shared[i]), func(r Ref) bool { return !groups[t.groupOf(r)] })
				changed = changed || len(left) < len(w.shared[i])
				w.shared[i] = left
			}
		}
		if !changed {
			break
		}
	}
	t.shared.Store(&w.shared)
	return w.shared
}

// A group is a place, or several that may change together: all of a fact, all that a data file has for a key. Two
// causes that depend on different parts of a group do not stand without each other.
type group struct {
	kind LabelKind
	name string
	n    int
}

func (t *Trace) groupOf(r Ref) group {
	if n := t.nodes[r]; n.shape == isLiteral {
		b := t.blocks[n.first]
		return group{Literal, b.file.Name, int(r - b.first)}
	}
	l, _ := t.label(r)
	switch l.Kind {
	case Literal, Datum:
		name := ""
		if l.Place.File != nil {
			name = l.Place.File.Name
		}
		return group{l.Kind, name, l.Ordinal}
	case Fact:
		return factGroup(l.Path)
	case Absence:
		if name, ok := strings.CutPrefix(l.Path, "fact "); ok {
			return factGroup(name)
		}
		if name, ok := strings.CutPrefix(l.Path, "file "); ok {
			return group{Datum, name, 0}
		}
		if i := strings.LastIndex(l.Path, " in file "); i >= 0 {
			return group{Datum, l.Path[i+len(" in file "):], 0}
		}
	}
	return group{kind: l.Kind, name: l.Path}
}

func factGroup(path string) group {
	name, _, _ := strings.Cut(path, ".")
	return group{Fact, name, 0}
}

// A walk finds the leaves that nodes depend on. It can be used again.
type walk struct {
	t      *Trace
	shared [][]Ref  // the leaves of Any's nodes, as far as they are known
	seen   []uint32 // the turn in which a node was last seen
	turn   uint32
	stack  []Ref
}

func (w *walk) push(r Ref) {
	if r != 0 && w.seen[r] != w.turn {
		w.seen[r] = w.turn
		w.stack = append(w.stack, r)
	}
}

// leaves are what nodes depend on, in their order. The sets of Any's nodes that they reach must be known.
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
		case n.shape == isAny:
			if int(n.second) >= len(w.shared) { // not known yet: that of its first cause is larger
				w.push(n.first)
				break
			}
			for _, leaf := range w.shared[n.second] {
				w.push(leaf)
			}
		default:
			t.operandsOf(n, w.push)
		}
	}
	slices.Sort(leaves)
	return leaves
}
