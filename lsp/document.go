package lsp

import (
	"path"
	"strings"

	"bunraku/lsp/protocol"
)

// A document is a file that is open in the editor, in one version. It never changes: an edit makes another one.
type document struct {
	uri     string // as the client spells it
	path    string // absolute; "" for what is no file
	ext     string // what files of its language end with
	version int
	*mapper
}

// extension is what files end with that hold what a document does: it may be one that nobody has saved yet.
func extension(file, uri string, language protocol.LanguageKind) string {
	switch {
	case file != "":
	case language == "puppet":
		return ".pp"
	case language == "epp" || language == "epuppet" || language == "embeddedpuppet":
		return ".epp"
	default:
		file = uri
	}
	return path.Ext(file)
}

// showsMark reports whether a file is open with the byte order mark in its text, which few editors do.
func (s *Server) showsMark(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.docs {
		if d.path == path && strings.HasPrefix(d.text, byteOrderMark) {
			return true
		}
	}
	return false
}

// edited is the document after some changes, each of which applies to the outcome of the one before.
func (d *document) edited(version int, changes []protocol.TextDocumentContentChangePartial) *document {
	m := d.mapper
	for _, c := range changes {
		if c.Range == nil {
			m = newMapper(c.Text, m.enc)
		} else {
			m = newMapper(m.replace(*c.Range, c.Text), m.enc)
		}
	}
	return &document{d.uri, d.path, d.ext, version, m}
}

// moved is where a range stands after a change of the text around it; ok is false if the change touches it.
func moved(r protocol.Range, c protocol.TextDocumentContentChangePartial, enc encoding) (_ protocol.Range, ok bool) {
	if c.Range == nil {
		return r, false
	}
	if !before(c.Range.Start, r.End) && c.Range.Start != r.Start {
		return r, true // it comes behind
	}
	if before(r.Start, c.Range.End) {
		return r, false
	}
	end := endOf(c.Range.Start, c.Text, enc)
	move := func(p protocol.Position) protocol.Position {
		if p.Line == c.Range.End.Line {
			p.Character += end.Character - c.Range.End.Character
		}
		p.Line += end.Line - c.Range.End.Line
		return p
	}
	return protocol.Range{Start: move(r.Start), End: move(r.End)}, true
}

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// endOf is where a text ends that is written at a position.
func endOf(at protocol.Position, text string, enc encoding) protocol.Position {
	end := newMapper(text, enc).position(len(text))
	if end.Line == 0 {
		end.Character += at.Character
	}
	end.Line += at.Line
	return end
}
