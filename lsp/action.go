package lsp

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/lsp/protocol"
	"bunraku/report"
	"bunraku/source"
)

// Code actions are the edits that come with problems, and what extract.go offers. verify has tried each of them: with
// it the problem is gone on every node that had it, and no other node is harmed; what it was not tried on is looked at
// when somebody asks (others.go). An edit is for the text that it was made for; where that has changed, it is not
// offered.

// A remedy is an edit that takes a problem away.
type remedy struct {
	problem protocol.Diagnostic
	fix     source.Fix
	untried *source.Diagnostic // of a guess: the problem that it is for
	of      *report.Problem    // of an edit that was tried on the nodes that were looked at
	others  *others            // those that it was not tried on
}

func (s *Server) codeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	out := []protocol.CodeAction{}
	at, err := s.spot(p.TextDocument.URI, p.Range.Start)
	if at == nil || err != nil {
		return out, err
	}
	at.mu.Lock()
	remedies := at.remedies[at.entry.path]
	at.mu.Unlock()
	for _, r := range remedies {
		if !wants(p.Context.Only, protocol.CodeActionKindQuickFix) || before(p.Range.End, r.problem.Range.Start) ||
			before(r.problem.Range.End, p.Range.Start) {
			continue
		}
		edit, on, fits := at.editOf(ctx, r)
		title := r.fix.Message
		if on != "" {
			title += " (" + on + ")"
		}
		if fits {
			out = append(out, protocol.CodeAction{Title: title, Kind: protocol.CodeActionKindQuickFix,
				Diagnostics: []protocol.Diagnostic{r.problem}, IsPreferred: true, Edit: edit})
		}
	}
	if wants(p.Context.Only, protocol.CodeActionKindRefactorExtract) {
		if x, ok := at.extraction(ctx); ok {
			out = append(out, x)
		}
	}
	out = slices.DeleteFunc(once(out), func(a protocol.CodeAction) bool { return s.bares(a.Edit) })
	for _, a := range out {
		if err := at.versioned(a.Edit, false); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// once are actions of which each is offered once: nodes have the same problem in words of their own.
func once(list []protocol.CodeAction) (out []protocol.CodeAction) {
	out = []protocol.CodeAction{}
	for _, a := range list {
		i := slices.IndexFunc(out, func(o protocol.CodeAction) bool {
			return o.Title == a.Title && o.Kind == a.Kind && reflect.DeepEqual(o.Edit, a.Edit)
		})
		if i < 0 {
			out = append(out, a)
		} else {
			out[i].Diagnostics = append(out[i].Diagnostics, a.Diagnostics...)
		}
	}
	return out
}

// bares reports whether an edit has something Sensitive in it. It cannot be sent.
func (s *Server) bares(edit *protocol.WorkspaceEdit) bool {
	for _, list := range edit.Changes {
		if slices.ContainsFunc(list, func(e protocol.TextEdit) bool { return s.secret(e.NewText) }) {
			return true
		}
	}
	return false
}

// secret reports whether a text has something Sensitive in it.
func (s *Server) secret(text string) bool { return s.hide(text) != text }

// hide is a text without what is Sensitive in it, for who spells it in another way before it is sent.
func (s *Server) hide(text string) string {
	if s.opt.Secrets == nil {
		return text
	}
	return s.opt.Secrets.Hide(text)
}

// wants reports whether a client that names kinds of actions wants one of them; who names none wants all.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == kind || strings.HasPrefix(string(kind), string(k)+".")
	})
}

// editOf is a remedy as the client makes it, and what it was tried on, "" if that is all nodes; fits is false if it is
// for another text than there is, or does not help.
func (at *spot) editOf(ctx context.Context, r remedy) (edit *protocol.WorkspaceEdit, on string, fits bool) {
	edit = &protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{}}
	view, _, err := at.folder.view()
	if err != nil {
		return nil, "", false
	}
	for _, x := range r.fix.Edits {
		e := at.byPath[at.path(x.Place.File)]
		if e == nil || !at.own(e.path) || e.file.Text != x.Place.File.Text || !e.standsIn(view) {
			return nil, "", false
		}
		uri := at.server.uriOf(e.path)
		edit.Changes[uri] = append(edit.Changes[uri], protocol.TextEdit{Range: e.mapper(at.server.enc).span(x.Place.Span),
			NewText: x.Text})
	}
	if r.untried == nil {
		return edit, "", len(r.fix.Edits) > 0 && (r.of == nil || r.others.spared(ctx, r.of))
	}
	texts, on, ok := at.tried(ctx, r.fix, r.untried)
	if !ok {
		return nil, "", false
	}
	return at.rewriting(texts), on, true
}

// standsIn reports whether a view shows the text that was read of a file: somebody else may have written it since.
func (e *entry) standsIn(view source.Files) bool {
	c, err := view.Read(e.path)
	return err == nil && c.Digest == e.digest
}

// rewriting is the edit that gives files other texts: of each what lies between what stays.
func (at *spot) rewriting(texts map[string]string) *protocol.WorkspaceEdit {
	edit := &protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{}}
	for p, text := range texts {
		e := at.byPath[p]
		old := e.file.Text
		from := 0
		for from < len(old) && from < len(text) && old[from] == text[from] {
			from++
		}
		to, end := len(old), len(text)
		for to > from && end > from && old[to-1] == text[end-1] {
			to, end = to-1, end-1
		}
		for from > 0 && (from < len(text) && !utf8.RuneStart(text[from]) || from < len(old) && !utf8.RuneStart(old[from])) {
			from-- // whole characters
		}
		for to < len(old) && !utf8.RuneStart(old[to]) {
			to, end = to+1, end+1
		}
		edit.Changes[at.server.uriOf(p)] = []protocol.TextEdit{{Range: e.mapper(at.server.enc).span(
			source.Span{Start: uint32(from), End: uint32(to)}), NewText: text[from:end]}}
	}
	return edit
}
