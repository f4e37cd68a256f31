package provenance

import (
	"encoding/binary"
	"fmt"
	"slices"

	"bunraku/source"
)

// A Packed is the part of a trace that some slots reach, as plain data to be written down. Nodes are renumbered from 1,
// leaves first, the others in their old order. Files are named, never quoted: data files hold secrets.
type Packed struct {
	Files  []string       `json:"files"`
	Ops    []string       `json:"ops"`
	Leaves []PackedLeaf   `json:"leaves"`
	Notes  []PackedNote   `json:"notes"`
	Nodes  []byte         `json:"nodes"` // in JSON base64
	where  map[Ref]Ref    // old number → new
	number map[string]int // of files
}

// A PackedSpot is a place by file number, line and column: what still means something when the file is not at hand.
type PackedSpot [5]int // file+1 (0 for nowhere), line, column, end line, end column

// A PackedLeaf is a Label.
type PackedLeaf struct {
	Kind    LabelKind  `json:"k"`
	At      PackedSpot `json:"at"`
	Ordinal int        `json:"n,omitempty"`
	Path    string     `json:"p,omitempty"`
}

// A PackedNote is a Note.
type PackedNote struct {
	Kind NoteKind   `json:"k"`
	Name string     `json:"n,omitempty"`
	In   string     `json:"in,omitempty"`
	At   PackedSpot `json:"at"`
	Text string     `json:"v,omitempty"` // the value in a few words; whoever packs fills it in

	Value any `json:"-"` // as the trace had it
	Ref   Ref `json:"-"` // the node in the old trace
}

// Ref makes a name an Owner.
func (o ownerName) Ref() string { return string(o) }

type ownerName string

// Nodes are written one after the other, each as unsigned varints (encoding/binary): what it is (0 leaf, 1 operation, 2
// copy with dependencies, 3 note, 4 container, 5 several causes: the first, then the leaves that all depend on), the
// number of its leaf, operation or note, how many operands it has, then for each of them how many nodes back it stands;
// 0 is none.

// PackedIsLeaf and PackedIsNote are the kinds of nodes whose number is that of a leaf or a note.
const (
	PackedIsLeaf = packLeaf
	PackedIsNote = packNote
)

// NextPacked takes one node off the front of packed nodes: its kind, its number, how many nodes back its operands
// stand, and what follows. Operands are read only into a list that is not nil.
func NextPacked(nodes []byte, into []uint32) (kind, number uint32, back []uint32, rest []byte, ok bool) {
	next := func() uint32 {
		x, n := binary.Uvarint(nodes)
		if n <= 0 || x > 1<<31 {
			ok, nodes = false, nil
			return 0
		}
		nodes = nodes[n:]
		return uint32(x)
	}
	ok = true
	kind, number = next(), next()
	for n := next(); n > 0 && ok; n-- {
		if x := next(); into != nil {
			into = append(into, x)
		}
	}
	return kind, number, into, nodes, ok
}

const (
	packLeaf uint32 = iota
	packOp
	packWith
	packNote
	packDeep
)

// Pack collects what the roots reach.
func (t *Trace) Pack(roots ...Ref) *Packed {
	p := &Packed{where: map[Ref]Ref{}, number: map[string]int{}}
	if t == nil {
		return p
	}
	p.Ops = t.names
	keep := make([]bool, len(t.nodes))
	t.Near(func(r Ref) bool { keep[r] = true; return true }, roots...)
	var order []Ref // leaves first: what points at newer nodes points at leaves
	for _, leaf := range []bool{true, false} {
		for i, n := range t.nodes {
			if keep[i] && leaf == (n.shape <= isBlockLeaf) {
				order = append(order, Ref(i))
			}
		}
	}
	w := &walk{t: t}
	for i, r := range order {
		count, n := i+1, t.nodes[r]
		var kind, number uint32
		var operands []Ref
		switch n.shape {
		case isLiteral, isLeaf, isBlockLeaf:
			l, _ := t.label(r)
			kind, number = packLeaf, uint32(len(p.Leaves))
			p.Leaves = append(p.Leaves, PackedLeaf{l.Kind, p.Spot(l.Place), l.Ordinal, l.Path})
		case isNote:
			note, _ := t.NoteAt(r)
			kind, number, operands = packNote, uint32(len(p.Notes)), []Ref{n.first}
			p.Notes = append(p.Notes, PackedNote{Kind: note.Kind, Name: note.Name, In: note.In, At: p.Spot(note.Place),
				Value: note.Value, Ref: r})
		default:
			kind = packWith
			switch n.shape {
			case isOp:
				kind, number = packOp, uint32(n.name)
			case isDeep:
				kind = packDeep
			}
			if n.shape == isOpen {
				operands = append([]Ref{0}, w.leaves(r)...) // no value
			} else {
				t.operandsOf(n, func(a Ref) { operands = append(operands, a) })
			}
			if !n.many && n.shape != isDeep && n.shape != isOpen { // two places, filled from the left
				for len(operands) > 0 && operands[len(operands)-1] == 0 && (len(operands) == 2 || n.shape == isOp) {
					operands = operands[:len(operands)-1]
				}
			}
		}
		p.where[r] = Ref(count)
		for _, x := range []uint32{kind, number, uint32(len(operands))} {
			p.Nodes = binary.AppendUvarint(p.Nodes, uint64(x))
		}
		for _, a := range operands {
			back := Ref(0)
			if a != 0 {
				back = Ref(count) - p.where[a]
			}
			p.Nodes = binary.AppendUvarint(p.Nodes, uint64(back))
		}
	}
	return p
}

// At is the number that a node of the trace has in the packed one; 0 when it is not in it.
func (p *Packed) At(r Ref) Ref { return p.where[r] }

// Spot packs a place.
func (p *Packed) Spot(at source.Place) PackedSpot {
	if at.File == nil {
		return PackedSpot{}
	}
	n, known := p.number[at.File.Name]
	if !known {
		n = len(p.Files)
		p.number[at.File.Name] = n
		p.Files = append(p.Files, at.File.Name)
	}
	from, to := at.File.Position(at.Span.Start), at.File.Position(at.Span.End)
	return PackedSpot{n + 1, from.Line, from.Column, to.Line, to.Column}
}

// Place is where a spot is, given the files in their order.
func (s PackedSpot) Place(files []*source.File) source.Place {
	if s[0] < 1 || s[0] > len(files) {
		return source.Place{}
	}
	f := files[s[0]-1]
	return source.Place{File: f, Span: source.Span{Start: f.Offset(source.Position{Line: s[1], Column: s[2]}),
		End: f.Offset(source.Position{Line: s[3], Column: s[4]})}}
}

// list is a container that was read back: only its refs are left.
type list []Ref

func (l list) EachRef(f func(Ref)) {
	for _, r := range l {
		f(r)
	}
}

// Unpack makes the trace again. files are the packed files, in their order.
func (p *Packed) Unpack(files []*source.File) (*Trace, error) {
	t := NewTrace()
	t.names = p.Ops
	for i, l := range p.Leaves {
		if l.Kind > Alias {
			return nil, fmt.Errorf("leaf %d is of no known kind", i)
		}
		t.labels = append(t.labels, Label{Kind: l.Kind, Place: l.At.Place(files), Ordinal: l.Ordinal, Path: l.Path})
	}
	owners := map[string]uint32{"": 0}
	for i, n := range p.Notes {
		if n.Kind > Selected {
			return nil, fmt.Errorf("note %d is of no known kind", i)
		}
		if _, known := owners[n.In]; !known {
			owners[n.In] = t.Owner(ownerName(n.In))
		}
	}
	rest := p.Nodes
	var bad bool
	next := func() uint32 {
		x, n := binary.Uvarint(rest)
		if n <= 0 || x > 1<<31 {
			bad, rest = true, nil
			return 0
		}
		rest = rest[n:]
		return uint32(x)
	}
	limits := [...]int{packLeaf: len(t.labels), packOp: len(t.names), packWith: 1, packNote: len(p.Notes), packDeep: 1}
	var refs []Ref
	for i := uint32(1); len(rest) > 0; i++ {
		kind, number, count := next(), next(), next()
		if bad || int(kind) >= len(limits) || int(number) >= limits[kind] || int(count) > len(rest) {
			return nil, fmt.Errorf("node %d is of no known kind", i)
		}
		refs = refs[:0]
		for range count {
			back := next()
			if back >= i {
				return nil, fmt.Errorf("node %d points outside", i)
			}
			if back != 0 {
				back = i - back
			}
			refs = append(refs, Ref(back))
		}
		if bad || (kind == packNote || kind == packDeep) && count == 0 {
			return nil, fmt.Errorf("node %d is cut short", i)
		}
		switch kind {
		case packLeaf:
			t.add(node{shape: isLeaf, first: Ref(number)})
		case packOp:
			t.make(isOp, uint16(number), refs)
		case packWith:
			t.make(isWith, 0, refs)
		case packNote:
			n := &p.Notes[number]
			t.Note(refs[0], n.Kind, n.Name, owners[n.In], n.At.Place(files), n.Text)
		case packDeep:
			t.Deep(refs[0], list(slices.Clone(refs[1:])))
		}
	}
	return t, nil
}
