package provenance

import (
	"fmt"

	"bunraku/source"
)

// A Packed is the part of a trace that some slots reach, as plain data to be written down. Nodes are renumbered from 1 in their old
// order. Files are named, never quoted: data files hold secrets.
type Packed struct {
	Files  []string     `json:"files"`
	Ops    []string     `json:"ops"`
	Leaves []PackedLeaf `json:"leaves"`
	Notes  []PackedNote `json:"notes"`
	Nodes  []PackedNode `json:"nodes"` // node i+1
	where  map[Ref]Ref  // old number → new
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
}

// A PackedNode is one node: what it is (0 leaf, 1 operation, 2 copy with dependencies, 3 note, 4 container), the number of its leaf,
// operation or note, then its operands.
type PackedNode []uint32

const (
	packLeaf uint32 = iota
	packOp
	packWith
	packNote
	packDeep
)

// Pack collects what the roots reach.
func (t *Trace) Pack(roots ...Ref) *Packed {
	p := &Packed{where: map[Ref]Ref{}}
	if t == nil {
		return p
	}
	p.Ops = t.names
	keep := make([]bool, len(t.nodes))
	t.Near(func(r Ref) bool { keep[r] = true; return true }, roots...)
	files := map[string]int{}
	for i := 1; i < len(t.nodes); i++ {
		if !keep[i] {
			continue
		}
		r, n := Ref(i), t.nodes[i]
		var out PackedNode
		switch n.shape {
		case isLiteral, isLeaf, isBlockLeaf:
			l, _ := t.label(r)
			out = PackedNode{packLeaf, uint32(len(p.Leaves))}
			p.Leaves = append(p.Leaves, PackedLeaf{l.Kind, p.spot(files, l.Place), l.Ordinal, l.Path})
		case isNote:
			note := t.notes[n.second]
			out = PackedNode{packNote, uint32(len(p.Notes)), uint32(p.where[n.first])}
			p.Notes = append(p.Notes, PackedNote{note.Kind, note.Name, note.In, p.spot(files, note.Place)})
		default:
			out = PackedNode{packWith, 0}
			switch n.shape {
			case isOp:
				out = PackedNode{packOp, uint32(n.name)}
			case isDeep:
				out[0] = packDeep
			}
			count := 0
			t.operandsOf(n, func(a Ref) {
				count++
				if a != 0 || count == 1 { // the first of a copy or container stays first
					out = append(out, uint32(p.where[a]))
				}
			})
		}
		p.Nodes = append(p.Nodes, out)
		p.where[r] = Ref(len(p.Nodes))
	}
	return p
}

// At is the number that a node of the trace has in the packed one; 0 when it is not in it.
func (p *Packed) At(r Ref) Ref { return p.where[r] }

func (p *Packed) spot(files map[string]int, at source.Place) PackedSpot {
	if at.File == nil {
		return PackedSpot{}
	}
	n, known := files[at.File.Name]
	if !known {
		n = len(p.Files)
		files[at.File.Name] = n
		p.Files = append(p.Files, at.File.Name)
	}
	from, to := at.File.Position(at.Span.Start), at.File.Position(at.Span.End)
	return PackedSpot{n + 1, from.Line, from.Column, to.Line, to.Column}
}

// Spot packs one more place.
func (p *Packed) Spot(at source.Place) PackedSpot {
	files := make(map[string]int, len(p.Files))
	for i, f := range p.Files {
		files[f] = i
	}
	return p.spot(files, at)
}

// Place is where a spot is, given the files in their order.
func (s PackedSpot) Place(files []*source.File) source.Place {
	if s[0] < 1 || s[0] > len(files) {
		return source.Place{}
	}
	f := files[s[0]-1]
	return source.Place{File: f, Span: source.Span{Start: f.Offset(source.Position{Line: s[1], Column: s[2]}), End: f.Offset(source.Position{Line: s[3], Column: s[4]})}}
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
	for _, l := range p.Leaves {
		t.labels = append(t.labels, Label{Kind: l.Kind, Place: l.At.Place(files), Ordinal: l.Ordinal, Path: l.Path})
	}
	for _, n := range p.Notes {
		t.notes = append(t.notes, Note{Kind: n.Kind, Name: n.Name, In: n.In, Place: n.At.Place(files)})
	}
	for i, n := range p.Nodes {
		if len(n) < 2 {
			return nil, fmt.Errorf("node %d is cut short", i+1)
		}
		refs := make([]Ref, 0, len(n)-2)
		for _, r := range n[2:] {
			if int(r) > i {
				return nil, fmt.Errorf("node %d points forward", i+1)
			}
			refs = append(refs, Ref(r))
		}
		if (n[0] == packNote || n[0] == packDeep) && len(refs) == 0 {
			return nil, fmt.Errorf("node %d has no operand", i+1)
		}
		limit := map[uint32]int{packLeaf: len(t.labels), packOp: len(t.names), packWith: 1, packNote: len(t.notes), packDeep: 1}[n[0]]
		if int(n[1]) >= limit {
			return nil, fmt.Errorf("node %d is of no known kind", i+1)
		}
		switch n[0] {
		case packLeaf:
			t.add(node{shape: isLeaf, first: Ref(n[1])})
		case packOp:
			t.make(isOp, uint16(n[1]), refs)
		case packWith:
			t.make(isWith, 0, refs)
		case packNote:
			t.add(node{shape: isNote, first: refs[0], second: Ref(n[1])})
		case packDeep:
			t.Deep(refs[0], list(refs[1:]))
		}
	}
	return t, nil
}
