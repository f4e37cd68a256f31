package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What is shown in the text itself, without being asked for: values behind variables, lines above definitions, colours
// of names.

// A reading is what the variables of a node's classes came to, by full name.
type reading map[string]string

// read gathers the variables of a compile, each as it is written in code. What is Sensitive or made of that is not in
// it, and what is not known is not, either.
func (r *result) read() reading {
	r.reads.Do(func() {
		r.values = reading{}
		for _, v := range r.record.Variables { // of a container these know the elements' origin, too
			if plainValue(v.Value) && !r.record.Hides(v.Ref) {
				r.values[strings.TrimPrefix(v.Class+"::"+v.Name, "::")+ofNodes(v.Node)] = clip(value.Literal(v.Value))
			}
		}
	})
	return r.values
}

// ofNodes tells a variable of a node block from one of the top scope.
func ofNodes(is bool) string {
	if is {
		return " of the node"
	}
	return ""
}

// plainValue reports whether a value can be shown: nothing in it is Sensitive or unknown.
func plainValue(v value.Value) bool {
	switch v := v.(type) {
	case value.String, value.Int, value.Float, value.Bool, value.Undef:
		return true
	case *value.Array:
		return v.Len() <= 20 && !slices.ContainsFunc(v.Elems, func(x value.Value) bool { return !plainValue(x) })
	case *value.Hash:
		return v.Len() <= 20 && !slices.ContainsFunc(v.Entries(), func(e value.Entry) bool {
			return !plainValue(e.Key) || !plainValue(e.Value)
		})
	}
	return false
}

// inlayHint shows what the parameters and variables of classes come to on the first of the chosen nodes that has them.
// The others are told when somebody looks closer.
func (s *Server) inlayHint(_ context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	out := []protocol.InlayHint{}
	at, err := s.spot(p.TextDocument.URI, p.Range.Start)
	if at == nil || err != nil || at.entry.tree == nil {
		return out, err
	}
	m := at.entry.mapper(s.enc)
	from, to := uint32(m.offset(p.Range.Start)), uint32(m.offset(p.Range.End))
	for _, n := range at.entry.names {
		if n.Kind != outline.VariableName || !n.Defines || n.Span.Start < from || n.Span.End > to {
			continue
		}
		first, tooltip := "", []string{}
		for _, r := range at.compiled() {
			v, has := r.read()[n.Name+ofNodes(n.Node > 0)]
			if !has || n.Node > 0 && !at.setBy(r, n) || at.unmeant(v) != v ||
				at.unset(n.Name, v) != v {
				continue
			}
			if first == "" {
				first = v
			}
			tooltip = append(tooltip, r.node+": "+v)
		}
		if first == "" || strings.HasSuffix(strings.TrimSpace(at.entry.file.Slice(n.Whole)), first) {
			continue // what stands there says it
		}
		out = append(out, protocol.InlayHint{Position: m.position(int(n.Span.End)), Label: " " + first, PaddingLeft: true,
			Tooltip: &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown,
				Value: fenced("text", strings.Join(tooltip, "\n"))}})
	}
	return out, nil
}

// refresh lets the client ask again for what stands in the text: the nodes were compiled anew.
func (s *Server) refresh() {
	s.mu.Lock()
	w := s.client.Workspace
	s.mu.Unlock()
	ask := func(method string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, _ = s.rpc.Callback(ctx, method, nil) // a client that does not answer shows what it had
	}
	if w != nil && w.InlayHint != nil && w.InlayHint.RefreshSupport {
		go ask("workspace/inlayHint/refresh")
	}
	if w != nil && w.CodeLens != nil && w.CodeLens.RefreshSupport {
		go ask("workspace/codeLens/refresh")
	}
}

// codeLens says above a class or define who has it, who sets its parameters and who uses it.
func (s *Server) codeLens(_ context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	at, err := s.spot(p.TextDocument.URI, protocol.Position{})
	if at == nil || err != nil || at.entry.tree == nil {
		return out, err
	}
	m := at.entry.mapper(s.enc)
	for _, n := range at.entry.names {
		if !n.Defines || n.Kind != outline.ClassName && n.Kind != outline.TypeName && n.Kind != outline.FunctionName {
			continue
		}
		out = append(out, protocol.CodeLens{Range: m.span(n.Span), Command: &protocol.Command{Title: at.about(n)}})
	}
	return out, nil
}

// about is what is worth to be said of a definition in one line.
func (at *spot) about(n outline.Name) string {
	var parts []string
	if n.Kind != outline.FunctionName && !at.entry.alias(n) {
		if on := at.onNodes(n); on != "" {
			parts = append(parts, on)
		}
	}
	set, used := 0, 0
	for _, e := range at.index.entries {
		for _, m := range e.names {
			if m.Kind == outline.KeyName && m.Defines && at.params[m.Name] && n.Kind == outline.ClassName &&
				strings.TrimSuffix(m.Name, "::"+lastPart(m.Name)) == n.Name {
				set++
			}
			if m.Kind == n.Kind && m.Name == n.Name && !m.Defines {
				used++
			}
		}
	}
	if set > 0 {
		parts = append(parts, many(set, "value")+" in Hiera")
	}
	all := at.same(at.entry, n, nil)
	if n.Kind == outline.ClassName {
		parts = append(parts, fmt.Sprintf("included by %d", at.includers(all)))
	}
	parts = append(parts, "named "+many(used, "time"))
	if list := at.computed(n, all); len(list) > 0 {
		parts = append(parts, "computed in "+many(len(list), "place"))
	}
	return strings.Join(parts, " · ")
}

// alias reports whether a name is where a type is given another name.
func (e *entry) alias(n outline.Name) bool {
	return slices.ContainsFunc(e.tree.Defs, func(d syntax.Definition) bool {
		_, is := d.(*syntax.TypeAlias)
		return is && d.Span() == n.Whole
	})
}

// many is a number of things.
func many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// The kinds of tokens, in the order of their numbers.
var tokenTypes = []string{"class", "type", "function", "variable", "parameter", "property", "string"}

// The modifiers of tokens, in the order of their bits.
var tokenModifiers = []string{"declaration", "defaultLibrary"}

// tokenType is the kind of token that a name is; -1 for none.
func tokenType(n outline.Name, data bool) int {
	switch n.Kind {
	case outline.ClassName:
		return 0
	case outline.TypeName:
		return 1
	case outline.FunctionName:
		return 2
	case outline.VariableName, outline.LocalName:
		switch {
		case n.Param && !n.Defines:
			return 5
		case n.Param:
			return 4
		}
		return 3
	case outline.KeyName:
		if data {
			return 5
		}
	case outline.TemplateName:
		return 6
	}
	return -1
}

// semanticTokens colours names by what they are.
func (s *Server) semanticTokens(_ context.Context, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	return s.tokens(p.TextDocument.URI, nil)
}

func (s *Server) semanticTokensRange(_ context.Context, p *protocol.SemanticTokensRangeParams) (
	*protocol.SemanticTokens,
	error) {
	return s.tokens(p.TextDocument.URI, &p.Range)
}

func (s *Server) tokens(uri string, within *protocol.Range) (*protocol.SemanticTokens, error) {
	out := &protocol.SemanticTokens{Data: []int{}}
	at, err := s.spot(uri, protocol.Position{})
	if at == nil || err != nil {
		return out, err
	}
	m := at.entry.mapper(s.enc)
	names := slices.Clone(at.entry.names)
	slices.SortStableFunc(names, func(a, b outline.Name) int { return int(a.Span.Start) - int(b.Span.Start) })
	var last protocol.Position
	var end uint32
	for _, n := range names {
		kind := tokenType(n, at.entry.data != nil)
		r := m.span(n.Span)
		if kind < 0 || n.Text && strings.Contains(at.entry.file.Slice(n.Span), "${") || n.Span.Start < end ||
			r.Start.Line != r.End.Line || n.Span.Len() == 0 ||
			within != nil && (before(r.Start, within.Start) || before(within.End, r.End)) {
			continue
		}
		modifiers := 0
		if n.Defines {
			modifiers |= 1
		}
		if n.Kind == outline.FunctionName && at.functions[n.Name] != nil {
			modifiers |= 2
		}
		column := r.Start.Character
		if r.Start.Line == last.Line {
			column -= last.Character
		}
		out.Data = append(out.Data, r.Start.Line-last.Line, column, r.End.Character-r.Start.Character, kind, modifiers)
		last, end = r.Start, n.Span.End
	}
	return out, nil
}

// deepest is how many ranges a place is in at most: they are sent within one another, and clients read them so.
const deepest = 200

// selectionRange is what a place is in, from the word outward.
func (s *Server) selectionRange(_ context.Context, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange,
	error) {
	out := []protocol.SelectionRange{}
	e, _, err := s.entryOf(p.TextDocument.URI)
	if e == nil || err != nil {
		return out, err
	}
	m := e.mapper(s.enc)
	for _, position := range p.Positions {
		offset := uint32(m.offset(position))
		spans := []source.Span{{End: uint32(len(e.file.Text))}}
		add := func(span source.Span) bool {
			inside := span.Start <= offset && offset <= span.End
			if last := spans[len(spans)-1]; inside && last.Contains(span) && last != span {
				spans = append(spans, span)
			}
			return inside
		}
		if e.tree != nil {
			for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
				syntax.Walk(x, func(n syntax.Node) bool { return add(n.Span()) })
			}
		}
		for _, n := range e.names {
			add(n.Whole)
			add(n.Span)
		}
		if len(spans) > deepest {
			spans = slices.Delete(spans, 1, len(spans)-deepest+1)
		}
		var whole *protocol.SelectionRange
		for _, span := range spans {
			whole = &protocol.SelectionRange{Range: m.span(span), Parent: whole}
		}
		out = append(out, *whole)
	}
	return out, nil
}

// documentLink are the files that a file names: templates, and files that modules bring.
func (s *Server) documentLink(_ context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	out := []protocol.DocumentLink{}
	at, err := s.spot(p.TextDocument.URI, protocol.Position{})
	if at == nil || err != nil || at.entry.tree == nil {
		return out, err
	}
	m := at.entry.mapper(s.enc)
	add := func(span source.Span, file string) {
		out = append(out, protocol.DocumentLink{Range: m.span(span), Target: s.uriOf(file)})
	}
	for _, n := range at.entry.names {
		if file := at.fileOf(n); n.Kind == outline.TemplateName && file != "" {
			add(n.Span, file)
		}
	}
	at.folder.mu.Lock()
	snap := at.folder.snap
	at.folder.mu.Unlock()
	if snap == nil {
		return out, nil
	}
	for _, x := range slices.Concat(at.entry.tree.Body.Stmts, eppBody(at.entry.tree)) {
		syntax.Walk(x, func(n syntax.Node) bool {
			if text, is := n.(*syntax.Str); is {
				if name, is := strings.CutPrefix(text.Value, "puppet:///modules/"); is {
					if file, ok := snap.Environment().ContentFile(name); ok {
						add(text.Span(), file)
					}
				}
			}
			return true
		})
	}
	return out, nil
}
