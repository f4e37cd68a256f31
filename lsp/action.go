package lsp

import (
	"context"

	"bunraku/lsp/protocol"
	"bunraku/source"
)

// Code actions are the edits that come with problems. verify has tried each of them: with it the problem is gone on every
// node that had it, and no other node is harmed. An edit is for the text that it was made for; where that has changed, it
// is not offered.

// A remedy is an edit that takes a problem away.
type remedy struct {
	problem protocol.Diagnostic
	fix     source.Fix
	untried *source.Diagnostic // of a guess: the problem that it is for
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
		if before(p.Range.End, r.problem.Range.Start) || before(r.problem.Range.End, p.Range.Start) {
			continue
		}
		edit := protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{}}
		fits := len(r.fix.Edits) > 0
		for _, x := range r.fix.Edits {
			e := at.byPath[at.path(x.Place.File)]
			if e == nil || e.file.Text != x.Place.File.Text {
				fits = false
				break
			}
			uri := s.uriOf(e.path)
			edit.Changes[uri] = append(edit.Changes[uri], protocol.TextEdit{Range: e.mapper(s.enc).span(x.Place.Span),
				NewText: x.Text})
		}
		if fits && (r.untried == nil || at.works(ctx, r.fix, r.untried)) {
			out = append(out, protocol.CodeAction{Title: r.fix.Message, Kind: protocol.CodeActionKindQuickFix,
				Diagnostics: []protocol.Diagnostic{r.problem}, IsPreferred: true, Edit: &edit})
		}
	}
	return out, nil
}
