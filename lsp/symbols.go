package lsp

import (
	"context"
	"slices"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// documentSymbol is the outline of a file: a tree, or a list for a client that speaks of outlines and of no trees.
func (s *Server) documentSymbol(_ context.Context, p *protocol.DocumentSymbolParams) (any, error) {
	tree, err := s.outlineOf(p)
	if t := s.client.TextDocument; err == nil && t != nil && t.DocumentSymbol != nil &&
		!t.DocumentSymbol.HierarchicalDocumentSymbolSupport {
		return flat([]protocol.SymbolInformation{}, p.TextDocument.URI, "", tree), nil
	}
	return tree, err
}

// flat is a list with the symbols of a tree, each with what it lies in.
func flat(list []protocol.SymbolInformation, uri, in string,
	tree []protocol.DocumentSymbol) []protocol.SymbolInformation {
	for _, x := range tree {
		list = append(list, protocol.SymbolInformation{Name: x.Name, Kind: x.Kind, ContainerName: in,
			Location: protocol.Location{URI: uri, Range: x.Range}})
		list = flat(list, uri, x.Name, x.Children)
	}
	return list
}

// outlineOf are the definitions of a file with their parameters and resources, or its keys.
func (s *Server) outlineOf(p *protocol.DocumentSymbolParams) ([]protocol.DocumentSymbol, error) {
	e, x, err := s.entryOf(p.TextDocument.URI)
	if e == nil || err != nil {
		return []protocol.DocumentSymbol{}, err
	}
	o := outliner{e, x, e.mapper(s.enc)}
	switch {
	case e.tree != nil && e.tree.Epp != nil:
		return append(o.params(e.tree.Epp.Params), o.body(e.tree.Epp.Body.Stmts)...), nil
	case e.tree != nil:
		return o.body(e.tree.Body.Stmts), nil
	}
	return o.keys(), nil
}

// An outliner makes the outline of a file.
type outliner struct {
	*entry
	index *index
	m     *mapper
}

// symbol makes a symbol. The range of a name must lie within that of the whole.
func (o *outliner) symbol(name, detail string, kind protocol.SymbolKind, whole, at source.Span,
	children []protocol.DocumentSymbol) protocol.DocumentSymbol {
	if name == "" {
		name = "(computed)"
	}
	if !whole.Contains(at) {
		at = source.Span{Start: whole.Start, End: whole.Start}
	}
	return protocol.DocumentSymbol{Name: name, Detail: detail, Kind: kind, Range: o.m.span(whole),
		SelectionRange: o.m.span(at), Children: children}
}

func (o *outliner) body(stmts []syntax.Expr) []protocol.DocumentSymbol {
	out := []protocol.DocumentSymbol{}
	for _, x := range stmts {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Class:
				out = append(out, o.symbol(n.Name, "class", protocol.SymbolKindClass, n.Span(), n.NameAt,
					append(o.params(n.Params), o.body(n.Body.Stmts)...)))
			case *syntax.Define:
				out = append(out, o.symbol(n.Name, "define", protocol.SymbolKindStruct, n.Span(), n.NameAt,
					append(o.params(n.Params), o.body(n.Body.Stmts)...)))
			case *syntax.Function:
				out = append(out, o.symbol(n.Name, "function", protocol.SymbolKindFunction, n.Span(), n.NameAt,
					o.params(n.Params)))
			case *syntax.Plan:
				out = append(out, o.symbol(n.Name, "plan", protocol.SymbolKindFunction, n.Span(), n.NameAt,
					o.params(n.Params)))
			case *syntax.TypeAlias:
				out = append(out, o.symbol(n.Name, "type", protocol.SymbolKindInterface, n.Span(), n.NameAt, nil))
			case *syntax.NodeDef:
				var hosts []string
				at := n.Span()
				for i, h := range n.Hosts {
					if i == 0 {
						at = h.Span()
					}
					hosts = append(hosts, o.file.Slice(h.Span()))
				}
				out = append(out, o.symbol("node "+strings.Join(hosts, ", "), "", protocol.SymbolKindNamespace, n.Span(), at,
					o.body(n.Body.Stmts)))
			case *syntax.Resource:
				for _, b := range n.Bodies {
					out = append(out, o.symbol(o.index.written(o.entry, n.Type.Span())+" "+
						clip(o.index.written(o.entry, b.Title.Span())), "", protocol.SymbolKindObject, b.Span(), b.Title.Span(), nil))
				}
			case *syntax.Assign:
				if v, is := n.Left.(*syntax.Var); is {
					out = append(out, o.symbol("$"+v.Name, "", protocol.SymbolKindVariable, n.Span(), v.Span(), nil))
				}
			default:
				return true
			}
			return false
		})
	}
	return out
}

// keys are those of a file of data or settings.
func (o *outliner) keys() []protocol.DocumentSymbol {
	out := []protocol.DocumentSymbol{}
	if o.data == nil {
		return out
	}
	hash, is := o.data.Value.(*value.Hash)
	if !is {
		return out
	}
	for i, x := range hash.Entries() {
		if key, is := x.Key.(value.String); is && i < len(o.data.Kids) {
			kid := o.data.Kids[i]
			out = append(out, o.symbol(string(key), "", protocol.SymbolKindKey, kid.Key.Join(kid.Node.Span),
				within(o.file, kid.Key, string(key)), nil))
		}
	}
	return out
}

func (o *outliner) params(list []*syntax.Param) (out []protocol.DocumentSymbol) {
	for _, p := range list {
		detail := ""
		if p.Type != nil {
			detail = clip(o.file.Slice(p.Type.Span()))
		}
		out = append(out, o.symbol("$"+p.Name, detail, protocol.SymbolKindProperty, p.Span(), p.NameAt, nil))
	}
	return out
}

// clip is a text in one line of a bounded length.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

// mostSymbols is how many are given: nobody reads more.
const mostSymbols = 500

// workspaceSymbol finds definitions by a part of their names, the best first.
func (s *Server) workspaceSymbol(_ context.Context, p *protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation,
	error) {
	query := strings.ToLower(strings.TrimPrefix(p.Query, "::"))
	var found []occurrence
	err := eachFolder(s.foldersOf(""), func(f *folder) error {
		x, err := f.index()
		if err != nil {
			return err
		}
		for _, e := range x.entries {
			for _, n := range e.names {
				if n.Defines && symbolKinds[n.Kind] != 0 && strings.Contains(strings.ToLower(n.Name), query) {
					found = append(found, occurrence{e, n})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rank := func(o occurrence) int {
		switch name := strings.ToLower(o.Name.Name); {
		case name == query:
			return 0
		case strings.HasPrefix(name, query):
			return 1
		case strings.HasPrefix(lastPart(name), query):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(found, func(a, b occurrence) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.Name.Name, b.Name.Name)
	})
	out := []protocol.SymbolInformation{}
	for _, o := range found[:min(len(found), mostSymbols)] {
		out = append(out, protocol.SymbolInformation{Name: o.Name.Name, Kind: symbolKinds[o.Kind],
			Location: s.location(o.entry, o.Span)})
	}
	return out, nil
}

var symbolKinds = map[outline.NameKind]protocol.SymbolKind{
	outline.ClassName:    protocol.SymbolKindClass,
	outline.TypeName:     protocol.SymbolKindStruct,
	outline.FunctionName: protocol.SymbolKindFunction,
	outline.KeyName:      protocol.SymbolKindKey,
}

// foldingRange are the parts of a file that can be folded away: whatever stands in brackets over several lines, and
// comments.
func (s *Server) foldingRange(_ context.Context, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	out := []protocol.FoldingRange{}
	e, _, err := s.entryOf(p.TextDocument.URI)
	if e == nil || err != nil {
		return out, err
	}
	m := e.mapper(s.enc)
	add := func(span source.Span, kind protocol.FoldingRangeKind) {
		r := m.span(span)
		end := r.End.Line
		if kind == "" && end > r.Start.Line {
			end-- // the bracket stays
		}
		if end > r.Start.Line {
			out = append(out, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: end, Kind: kind})
		}
	}
	switch {
	case e.tree != nil:
		for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
			syntax.Walk(x, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Class, *syntax.Define, *syntax.Function, *syntax.NodeDef, *syntax.Plan, *syntax.If, *syntax.Case,
					*syntax.Lambda, *syntax.Resource, *syntax.Hash, *syntax.List, *syntax.Selector, *syntax.Override,
					*syntax.Defaults, *syntax.Collect, *syntax.Option:
					add(n.Span(), "")
				}
				return true
			})
		}
		comments(e, m, add)
	case e.data != nil:
		if _, is := e.data.Value.(*value.Hash); is {
			for _, k := range e.data.Kids {
				add(source.Span{Start: k.Key.Start, End: trimmed(e.file, k.Node.Span)}, protocol.FoldingRangeKindRegion)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b protocol.FoldingRange) int { return a.StartLine - b.StartLine })
	return slices.Compact(out), nil
}

func eppBody(t *syntax.File) []syntax.Expr {
	if t.Epp == nil {
		return nil
	}
	return t.Epp.Body.Stmts
}

// comments adds comments that stand under one another.
func comments(e *entry, m *mapper, add func(source.Span, protocol.FoldingRangeKind)) {
	var run source.Span
	last := -2
	for i, c := range e.tree.Comments {
		line := m.position(int(c.Where.Start)).Line
		if line == last+1 {
			run.End = c.Where.End
		} else {
			if i > 0 {
				add(run, protocol.FoldingRangeKindComment)
			}
			run = c.Where
		}
		last = m.position(int(c.Where.End)).Line
	}
	if last >= 0 {
		add(run, protocol.FoldingRangeKindComment)
	}
}

// trimmed is where a span ends without the blanks behind it.
func trimmed(f *source.File, s source.Span) uint32 {
	return s.Start + uint32(len(strings.TrimRight(f.Slice(s), " \t\r\n")))
}
