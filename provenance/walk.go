package provenance

import (
	"slices"
	"strings"

	"bunraku/source"
)

// More readings, for those who explain a value: the way it was copied, what lies near it, what it reaches.

// Path is the way along which a value was copied, nearest first: the node itself, the steps between, and the leaf,
// operation or container that it ends at. The way of a container goes on through its spine.
func (t *Trace) Path(r Ref) (way []Ref) {
	if t == nil {
		return nil
	}
	for r != 0 {
		way = append(way, r)
		n := t.nodes[r]
		next, copied := t.copied(n)
		if n.shape == isDeep {
			next, copied = n.first, true
		}
		if !copied {
			break
		}
		r = next
	}
	return way
}

// Spine is what decides which elements a container has, without the elements; of anything else it is the node itself.
func (t *Trace) Spine(r Ref) Ref {
	if t != nil && r != 0 && t.nodes[r].shape == isDeep {
		return t.nodes[r].first
	}
	return r
}

// Label is the place of a leaf; ok is false for every other node.
func (t *Trace) Label(r Ref) (l Label, ok bool) {
	if t == nil || r == 0 {
		return Label{}, false
	}
	return t.label(r)
}

// Near visits what a value depends on, breadth first, so nearest first; a node is visited once. Below a node for which
// visit answers false it does not go.
func (t *Trace) Near(visit func(Ref) bool, roots ...Ref) {
	if t == nil {
		return
	}
	seen := make([]uint64, len(t.nodes)/64+1)
	var queue []Ref
	push := func(r Ref) {
		if r != 0 && seen[r/64]&(1<<(r%64)) == 0 {
			seen[r/64] |= 1 << (r % 64)
			queue = append(queue, r)
		}
	}
	for _, r := range roots {
		push(r)
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		if visit(r) {
			t.operandsOf(t.nodes[r], push)
		}
	}
}

// Flows are the leaves whose data are in a value: those of its expression, containers with all they hold, in the order
// of the term.
func (t *Trace) Flows(roots ...Ref) []Ref { return t.FlowsPast(nil, roots...) }

// FlowsPast is Flows that does not go into what some functions made: those of which stop answers true. nil goes into
// all.
func (t *Trace) FlowsPast(stop func(function string) bool, roots ...Ref) []Ref {
	if t == nil {
		return nil
	}
	seen := make([]uint64, len(t.nodes)/64+1)
	var out []Ref
	stack := make([]Ref, 0, len(roots))
	for i := len(roots) - 1; i >= 0; i-- {
		stack = append(stack, roots[i])
	}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if stop != nil && t.calledOn(r, stop) {
			continue
		}
		if r = t.origin(r); r == 0 || seen[r/64]&(1<<(r%64)) != 0 {
			continue
		}
		seen[r/64] |= 1 << (r % 64)
		n := t.nodes[r]
		if n.shape <= isBlockLeaf {
			out = append(out, r)
			continue
		}
		from := len(stack)
		t.operandsOf(n, func(a Ref) { stack = append(stack, a) })
		for i, j := from, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
	}
	return out
}

// calledOn reports whether a value was made by one of some functions: built in, or written in Puppet.
func (t *Trace) calledOn(r Ref, stop func(function string) bool) bool {
	for _, at := range t.Path(r) {
		switch n := t.nodes[at]; n.shape {
		case isOp:
			if name, is := strings.CutPrefix(t.names[n.name], "call "); is && stop(name) {
				return true
			}
		case isNote:
			if note := t.noteAt(int(n.second)); note.kind == Called && stop(note.name) {
				return true
			}
		}
	}
	return false
}

// EachLeaf visits every place that was read.
func (t *Trace) EachLeaf(visit func(Ref, Label)) {
	if t == nil {
		return
	}
	for r := Ref(1); int(r) < len(t.nodes); r++ {
		n := t.nodes[r]
		if n.shape == isLiteral && !t.wasRead(r) || n.shape > isBlockLeaf || n.shape == isNone {
			continue
		}
		l, _ := t.label(r)
		visit(r, l)
	}
}

// Find gives the leaves that stand for a literal: a template that is rendered twice may have several. Unlike EachLeaf
// it computes no spans.
func (t *Trace) Find(file string, ordinal int) (leaves []Ref) {
	if t == nil {
		return nil
	}
	for _, b := range t.blocks {
		if b.file != nil && b.file.Name == file && ordinal < b.n {
			leaves = append(leaves, b.first+Ref(ordinal))
		}
	}
	for _, r := range t.foreign {
		if l, _ := t.label(r); l.Ordinal == ordinal && l.Place.File != nil && l.Place.File.Name == file {
			leaves = append(leaves, r)
		}
	}
	return leaves
}

// FindOther gives the leaves other than literals whose labels match.
func (t *Trace) FindOther(match func(Label) bool) (leaves []Ref) {
	if t == nil {
		return nil
	}
	for r := Ref(1); int(r) < len(t.nodes); r++ {
		if s := t.nodes[r].shape; s != isLeaf && s != isBlockLeaf {
			continue
		}
		if l, _ := t.label(r); match(l) {
			leaves = append(leaves, r)
		}
	}
	return leaves
}

// MadeBy gives the values that an operation made.
func (t *Trace) MadeBy(operation string) (out []Ref) {
	if t == nil {
		return nil
	}
	for r := Ref(1); int(r) < len(t.nodes); r++ {
		if n := t.nodes[r]; n.shape == isOp && t.names[n.name] == operation {
			out = append(out, r)
		}
	}
	return out
}

// EachLiteral visits the literals that were evaluated, by file and number.
func (t *Trace) EachLiteral(visit func(f *source.File, ordinal int)) {
	if t == nil {
		return
	}
	for _, b := range t.blocks {
		for i := 0; b.file != nil && i < b.n; i++ {
			if t.wasRead(b.first + Ref(i)) {
				visit(b.file, i)
			}
		}
	}
}

// ContentsOf is the container that a node is, or nil.
func (t *Trace) ContentsOf(r Ref) Contents {
	if t == nil || r == 0 || t.nodes[r].shape != isDeep {
		return nil
	}
	return t.contents[t.nodes[r].second]
}

// How is in which way a place reaches a value.
type How uint8

const (
	Not     How = iota
	Decides     // the value, or that there is one, depends on the place
	Flowed      // the place's data are in the value
)

// Reach answers the reverse question for all nodes at once: in which way each depends on the given leaves. Nodes point
// at older ones only, so one pass is enough.
func (t *Trace) Reach(leaves []Ref) func(Ref) How {
	if t == nil {
		return func(Ref) How { return Not }
	}
	how := make([]How, len(t.nodes))
	oldest := Ref(len(t.nodes)) // of the leaves that count as read: every set of all that was read has it from then on
	for _, r := range leaves {
		how[r] = Flowed
		if t.nodes[r].shape != isLiteral || t.wasRead(r) {
			oldest = min(oldest, r)
		}
	}
	for r := 1; r < len(t.nodes); r++ {
		n := t.nodes[r]
		if n.shape <= isBlockLeaf {
			continue
		}
		switch n.shape {
		case isAll:
			if oldest < n.first {
				how[r] = Flowed
			}
			continue
		case isOpen:
			var set []Ref
			if len(t.open[n.first]) > 0 { // what is in it may be newer
				set = (&walk{t: t}).leaves(Ref(r))
			}
			if slices.ContainsFunc(set, func(leaf Ref) bool { return how[leaf] != Not }) {
				how[r] = Decides
			}
			continue
		}
		first, copied := t.copied(n)
		best := how[r]
		t.operandsOf(n, func(a Ref) {
			h := how[a]
			if copied && a != first {
				h = min(h, Decides)
			}
			best = max(best, h)
		})
		how[r] = best
	}
	return func(r Ref) How { return how[r] }
}

// Few are what a node was made of, but no more than a number.
func (t *Trace) Few(r Ref, most int) (out []Ref) {
	if t == nil || r == 0 {
		return nil
	}
	n := t.nodes[r]
	if n.many {
		return slices.Clone(t.operands[n.first : n.first+min(n.second, Ref(most))])
	}
	t.operandsOf(n, func(a Ref) {
		if len(out) < most {
			out = append(out, a)
		}
	})
	return out
}

// Operands are what a node was made of; a container's are its spine and then its elements'.
func (t *Trace) Operands(r Ref) (out []Ref) {
	if t == nil || r == 0 {
		return nil
	}
	t.operandsOf(t.nodes[r], func(a Ref) { out = append(out, a) })
	return out
}
