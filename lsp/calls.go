package lsp

import (
	"context"
	"slices"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
)

// The hierarchy of calls is that of classes that include classes, defines that are declared and functions that are
// called, as the code says it: also where no node comes by.

// callable reports whether a name is one of what can be called.
func callable(n outline.Name) bool {
	return n.Kind == outline.ClassName || n.Kind == outline.TypeName || n.Kind == outline.FunctionName
}

// item is a definition for the client.
func (s *Server) item(o occurrence) protocol.CallHierarchyItem {
	m := o.mapper(s.enc)
	whole := o.Whole
	if !whole.Contains(o.Span) {
		whole = o.Span
	}
	return protocol.CallHierarchyItem{Name: o.Name.Name, Kind: symbolKinds[o.Kind], Detail: o.folderless(),
		URI: s.uriOf(o.path), Range: m.span(whole), SelectionRange: m.span(o.Span)}
}

// folderless is the file of an entry, by its last two folders: enough to tell which module it is in.
func (e *entry) folderless() string {
	at := len(e.path)
	for range 3 {
		for at > 0 && e.path[at-1] != '/' {
			at--
		}
		if at > 0 {
			at--
		}
	}
	return e.path[min(at+1, len(e.path)):]
}

func (s *Server) prepareCallHierarchy(_ context.Context, p *protocol.CallHierarchyPrepareParams) (
	[]protocol.CallHierarchyItem, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	if at == nil || err != nil || !at.named || !callable(at.name) {
		return nil, err
	}
	var out []protocol.CallHierarchyItem
	for _, o := range at.same(at.entry, at.name, nil) {
		if o.Defines {
			out = append(out, s.item(o))
		}
	}
	return out, nil
}

// incomingCalls are the definitions in which a thing is named; what stands in no definition counts for its file.
func (s *Server) incomingCalls(_ context.Context, p *protocol.CallHierarchyIncomingCallsParams) (
	[]protocol.CallHierarchyIncomingCall, error) {
	out := []protocol.CallHierarchyIncomingCall{}
	at, err := s.spot(p.Item.URI, p.Item.SelectionRange.Start)
	if at == nil || err != nil || !at.named || !callable(at.name) {
		return out, err
	}
	index := map[[2]string]int{}
	for _, o := range at.same(at.entry, at.name, nil) {
		if o.Defines {
			continue
		}
		key := [2]string{o.path, o.In}
		if _, there := index[key]; !there {
			index[key] = len(out)
			out = append(out, protocol.CallHierarchyIncomingCall{From: s.around(o)})
		}
		from := &out[index[key]]
		from.FromRanges = append(from.FromRanges, o.mapper(s.enc).span(o.Span))
	}
	return out, nil
}

// around is the definition that a name stands in, or its file.
func (s *Server) around(o occurrence) protocol.CallHierarchyItem {
	for _, n := range o.names {
		if n.Defines && callable(n) && n.Name == o.In {
			return s.item(occurrence{o.entry, n})
		}
	}
	m := o.mapper(s.enc)
	start := m.span(o.Span)
	return protocol.CallHierarchyItem{Name: o.folderless(), Kind: protocol.SymbolKindFile, URI: s.uriOf(o.path),
		Range: start, SelectionRange: start}
}

// outgoingCalls are the classes, defines and functions of the folder that a definition names.
func (s *Server) outgoingCalls(_ context.Context, p *protocol.CallHierarchyOutgoingCallsParams) (
	[]protocol.CallHierarchyOutgoingCall, error) {
	out := []protocol.CallHierarchyOutgoingCall{}
	at, err := s.spot(p.Item.URI, p.Item.SelectionRange.Start)
	if at == nil || err != nil || !at.named || !callable(at.name) {
		return out, err
	}
	m := at.entry.mapper(s.enc)
	index := map[identity]int{}
	for _, n := range at.entry.names {
		if !callable(n) || n.Defines || n.In != at.name.Name {
			continue
		}
		id := identity{kind: n.Kind, name: n.Name}
		if _, there := index[id]; !there {
			defined := slices.DeleteFunc(at.same(at.entry, n, nil), func(o occurrence) bool { return !o.Defines })
			if len(defined) == 0 {
				continue
			}
			index[id] = len(out)
			out = append(out, protocol.CallHierarchyOutgoingCall{To: s.item(defined[0])})
		}
		to := &out[index[id]]
		to.FromRanges = append(to.FromRanges, m.span(n.Span))
	}
	return out, nil
}
