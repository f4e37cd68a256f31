package lsp

import (
	"context"
	"path"
	"slices"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/source"
)

// A spot is a place in a file of a folder, with the name that stands there if one does.
type spot struct {
	*folder
	*index
	entry  *entry
	offset uint32
	name   outline.Name
	named  bool
	mended *entry // the file without the line that is being written; nil if it is a program with it
	asked  *survey
	fully  bool // everything is to be said, however long it gets
}

// spot finds what a position is about; nil if the file is in no folder, or unknown there.
func (s *Server) spot(uri string, p protocol.Position) (*spot, error) {
	file := pathOf(uri)
	s.mu.Lock()
	f := s.folderOf(file)
	s.mu.Unlock()
	if f == nil {
		return nil, nil
	}
	x, err := f.index()
	if err != nil {
		return nil, err
	}
	return f.spot(x, file, p), nil
}

// spot finds what a position of a file is about; nil if the index does not have the file. One in a directory that a
// link leads to is known by where it lies.
func (f *folder) spot(x *index, file string, p protocol.Position) *spot {
	e := x.byPath[file]
	if e == nil {
		e = x.byPath[f.realOf(file)]
	}
	if e == nil {
		return nil
	}
	at := &spot{folder: f, index: x, entry: e, offset: uint32(e.mapper(f.server.enc).offset(p))}
	at.name, at.named = x.at(e, at.offset)
	return at
}

// here is the place itself, without any length.
func (at *spot) here() source.Span { return source.Span{Start: at.offset, End: at.offset} }

// definition goes from a use to the definition, from a key of Hiera's to the parameter that takes it, and from what is
// a definition itself to what it stands for elsewhere: from a parameter to the data.
func (s *Server) definition(_ context.Context, p *protocol.TextDocumentPositionParams) ([]protocol.Location, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	out := []protocol.Location{}
	if at == nil || err != nil || !at.named && !at.served() {
		return out, err
	}
	var code, data []protocol.Location
	for _, o := range at.same(at.entry, at.name, nil) {
		here := o.entry == at.entry && o.Span == at.name.Span
		switch {
		case here || !o.Defines:
		case o.Kind == outline.KeyName:
			data = append(data, s.location(o.entry, o.Span))
		default:
			code = append(code, s.location(o.entry, o.Span))
		}
	}
	switch {
	case len(code) > 0:
		return code, nil
	case len(data) > 0:
		return data, nil
	}
	if file := at.fileOf(at.name); file != "" {
		out = append(out, protocol.Location{URI: s.uriOf(file)})
	}
	return out, nil
}

// served takes the spot to the file that an address names, if it is in the part before the name.
func (at *spot) served() bool {
	const server = "puppet:///modules/"
	i := slices.IndexFunc(at.entry.names, func(n outline.Name) bool {
		start, before := int(n.Span.Start)-len(server), int(at.offset)
		return n.Kind == outline.FileName && start >= 0 && start <= before && before < int(n.Span.Start) &&
			at.entry.file.Text[start:n.Span.Start] == server
	})
	if i >= 0 {
		at.name, at.named = at.entry.names[i], true
	}
	return at.named
}

// fileOf is the file of something that is not defined in Puppet code: a template, a function or type in Ruby.
func (f *folder) fileOf(n outline.Name) string {
	f.mu.Lock()
	snap := f.snap
	f.mu.Unlock()
	if snap == nil {
		return ""
	}
	env := snap.Environment()
	switch n.Kind {
	case outline.TemplateName:
		if name, is := strings.CutPrefix(n.Name, outline.InFiles); is {
			p, _ := env.ContentFile(name)
			return p
		}
		if p, ok := env.TemplateFile(n.Name); ok {
			return p
		}
	case outline.FileName:
		if p, ok := env.ContentFile(n.Name); ok {
			return p
		}
	case outline.FunctionName:
		for _, r := range env.RubyFunctions(n.Name) {
			return r.Path
		}
	case outline.TypeName:
		if p, ok := env.ResourceTypeFile(n.Name); ok {
			return p
		}
	}
	return ""
}

// references are all places where the same thing is named, in manifests, templates and data; and behind them those that
// come to it by a pattern, those at which the chosen nodes come to it by a name that the code puts together, and those
// that may name it by a text.
func (s *Server) references(_ context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	out := []protocol.Location{}
	if at == nil || err != nil || !at.named {
		return out, err
	}
	all := at.same(at.entry, at.name, nil)
	for _, o := range all {
		if p.Context.IncludeDeclaration || !o.Defines || o.Kind == outline.KeyName {
			out = append(out, s.location(o.entry, o.Span))
		}
	}
	for _, o := range all {
		for _, span := range documented(o) {
			out = append(out, s.location(o.entry, span))
		}
	}
	ids := at.meanings(at.entry, rooted(at.name))
	at.patterns(func(o occurrence, matches func(string) bool) {
		if slices.ContainsFunc(ids, func(id identity) bool { return id.kind == o.Kind && matches(id.name) }) {
			out = append(out, s.location(o.entry, o.Span))
		}
	})
	for _, o := range at.computed(at.name, all) {
		out = append(out, s.location(o.entry, o.Span))
	}
	unsaid := slices.ContainsFunc(at.index.entries, func(e *entry) bool { return e.unsaid })
	asks := slices.ContainsFunc(at.index.entries, (*entry).asksForKeys)
	for _, o := range at.possible(rooted(at.name)) {
		plain := o.isData && !strings.Contains(o.Name.Name, "::")
		if plain && (o.Kind == outline.ClassName && !unsaid || o.Kind == outline.KeyName && !asks) {
			continue // a plain word, and nothing that declares classes or looks up keys asks for it
		}
		out = append(out, s.location(o.entry, o.Span))
	}
	return out, nil
}

// asksForKeys reports whether a file may look up keys that it does not name.
func (e *entry) asksForKeys() bool {
	return slices.ContainsFunc(e.open, func(n outline.Name) bool { return n.Kind == outline.KeyName }) ||
		path.Ext(e.path) == ".rb" && (strings.Contains(e.file.Text, "lookup") || strings.Contains(e.file.Text, "hiera"))
}

// computed are the places at which the chosen nodes come to a class or define, and which do not name it: include $role,
// create_resources with a type from the data. known are those that name it.
func (at *spot) computed(n outline.Name, known []occurrence) (out []occurrence) {
	if n.Kind != outline.ClassName && n.Kind != outline.TypeName {
		return nil
	}
	add := func(p source.Place) {
		if !p.Known() {
			return
		}
		e := at.byPath[at.folder.path(p.File)]
		if e == nil || e.file.Text != p.File.Text {
			return // it has been edited since
		}
		o := occurrence{e, outline.Name{Kind: n.Kind, Name: n.Name, Span: p.Span}}
		if !slices.ContainsFunc(slices.Concat(known, out), func(k occurrence) bool {
			return k.entry == e && (p.Span.Contains(k.Span) || k.Span.Contains(p.Span))
		}) {
			out = append(out, o)
		}
	}
	for _, r := range at.compiled() {
		if r.Catalog == nil || r.record == nil {
			continue
		}
		for _, x := range r.Catalog.Resources {
			switch {
			case n.Kind == outline.ClassName && x.Type == "Class" && outline.Class(x.Title) == n.Name:
				add(x.Place)
				add(r.record.Asked(x))
				for _, p := range r.record.Again(x) {
					add(p)
				}
			case n.Kind == outline.TypeName && x.ExportedBy == "" && outline.Class(x.Type) == n.Name:
				add(x.Place)
			}
		}
	}
	return out
}

// documentHighlight marks the places of one file where the same thing is named.
func (s *Server) documentHighlight(_ context.Context, p *protocol.TextDocumentPositionParams) (
	[]protocol.DocumentHighlight, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	out := []protocol.DocumentHighlight{}
	if at == nil || err != nil || !at.named {
		return out, err
	}
	for _, o := range at.same(at.entry, at.name, at.entry) {
		kind := protocol.DocumentHighlightKindRead
		if o.Defines {
			kind = protocol.DocumentHighlightKindWrite
		}
		out = append(out, protocol.DocumentHighlight{Range: o.mapper(s.enc).span(o.Span), Kind: kind})
	}
	return out, nil
}

// entryOf is the file that a request is about, in a folder or alone, with the files around it; nil if it is not known.
func (s *Server) entryOf(uri string) (*entry, *index, error) {
	s.mu.Lock()
	d := s.docs[uri]
	s.mu.Unlock()
	at, err := s.spot(uri, protocol.Position{})
	switch {
	case err != nil:
		return nil, nil, err
	case at != nil:
		return at.entry, at.index, nil
	case d == nil:
		return nil, nil, nil
	}
	e := &entry{path: d.key(), file: source.NewFile(d.key(), d.text)}
	if d.ext == ".pp" || d.ext == ".epp" {
		e.tree, _ = parseAlone(d)
	}
	return e, newIndex([]*entry{e}), nil
}
