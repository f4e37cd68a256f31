package model

import (
	"maps"

	"bunraku/verify/fs"
)

// Served is what the server has under the URL of a source: nothing, a file, or a directory with all that is below.
type Served struct {
	Kind  fs.Kind           // None if there is no such file
	Text  string            // of a file; of a link below, where it leads
	Below map[string]Served // of a directory, by the path from there
}

// What a Served may be, beside nothing.
const (
	PlainFile = fs.File
	Directory = fs.Dir
	Symlink   = fs.Link
)

// served is what a file is made from: the first of its sources that is there, or several directories laid over each
// other, the first on top; nil if that is not known, or if it has none.
func (b *builder) served(it *item) *Served {
	out := &Served{}
	if b.opt.Source == nil || it.r.Get("source") == nil {
		return nil
	}
	for _, url := range it.list("source") {
		s := b.opt.Source(url)
		switch {
		case s == nil:
			return nil
		case s.Kind == fs.None:
		case out.Kind == fs.None && (s.Kind != fs.Dir || it.or("sourceselect", "first") != "all"):
			return s
		default:
			below := map[string]Served{} // a file after a directory adds nothing
			maps.Copy(below, s.Below)
			maps.Copy(below, out.Below)
			out = &Served{Kind: fs.Dir, Below: below}
		}
	}
	return out
}

// becomes makes q what the server has.
func (b *builder) becomes(q fs.Path, s Served, force bool) fs.Expr {
	switch s.Kind {
	case fs.Dir:
		return b.makeDir(q)
	case fs.Link:
		return fs.Seq{b.way(q, force), b.makeLink(q, fs.Str(s.Text))}
	}
	return fs.Seq{b.way(q, force), b.makeFile(q, fs.Str(s.Text))}
}
