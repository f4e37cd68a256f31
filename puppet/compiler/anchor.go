package compiler

import "bunraku/source"

// An Anchor is a place in code that can be found again where the lines have moved: the n-th node of a piece of code. As
// long as a trace holds in which the piece is, it names the same expression.
type Anchor struct {
	File  string // absolute path
	Piece string
	Node  int
}

// Anchor is the anchor of a place at which code stands; ok is false for other places, such as none.
func (c *Snapshot) Anchor(p source.Place) (a Anchor, ok bool) {
	if !p.Known() {
		return a, false
	}
	path, known := c.env.Known(p.File)
	if !known {
		return a, false
	}
	f, ds, err := c.env.Parse(path)
	if err != nil || ds.HasErrors() || f.Source != p.File {
		return a, false
	}
	piece, node := c.pieces(f).Starting(p.Span.Start)
	if piece == nil {
		return a, false
	}
	return Anchor{path, piece.Name, node}, true
}

// Place is where an anchor stands in this view of the files; it is unknown if there is no such code any more.
func (c *Snapshot) Place(a Anchor) source.Place {
	f, ds, err := c.env.Parse(a.File)
	if err != nil || ds.HasErrors() {
		return source.Place{}
	}
	p := c.pieces(f).Named(a.Piece)
	if p == nil || a.Node >= len(p.Spans()) {
		return source.Place{}
	}
	return source.Place{File: f.Source, Span: p.Spans()[a.Node]}
}
