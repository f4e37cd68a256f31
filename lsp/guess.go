package lsp

import (
	"context"
	"regexp"
	"slices"

	"bunraku/fleet"
	"bunraku/source"
)

// A message may say what somebody is likely to have meant. That is a guess; it becomes an edit only after it was tried:
// laid over the files it takes the problem away on the chosen nodes, and brings no other.

var (
	meant = regexp.MustCompile(`did you mean \$?([A-Za-z_][A-Za-z0-9_:]*)`)
	words = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*`)
)

// guess is the edit that a message proposes; ok is false if it proposes none.
func guess(d *source.Diagnostic) (fix source.Fix, ok bool) {
	m := meant.FindStringSubmatch(d.Help)
	if m == nil || !d.Place.Known() {
		return fix, false
	}
	text := d.Place.File.Slice(d.Place.Span)
	spans := map[string]source.Span{}
	var list []string
	for _, at := range words.FindAllStringIndex(text, 200) {
		word := text[at[0]:at[1]]
		if _, seen := spans[word]; !seen && word != m[1] {
			spans[word] = source.Span{Start: d.Place.Span.Start + uint32(at[0]), End: d.Place.Span.Start + uint32(at[1])}
			list = append(list, word)
		}
	}
	word := source.Nearest(m[1], list)
	if word == "" {
		return fix, false
	}
	return source.Fix{Message: "write " + m[1] + " for " + word, Edits: []source.Edit{{
		Place: source.Place{File: d.Place.File, Span: spans[word]}, Text: m[1]}}}, true
}

// works reports whether an edit takes a problem away and brings no other, on the chosen nodes.
func (at *spot) works(ctx context.Context, fix source.Fix, problem *source.Diagnostic) bool {
	before, _, err := at.folder.view()
	if err != nil {
		return false
	}
	texts := map[string]string{}
	for _, x := range fix.Edits {
		p := at.path(x.Place.File)
		e := at.byPath[p]
		if e == nil || texts[p] != "" || e.file.Text != x.Place.File.Text {
			return false
		}
		texts[p] = edited(e, []source.Edit{x})
	}
	after, err := source.NewOverlay(before, texts)
	if err != nil {
		return false
	}
	nodes, err := at.nodes(ctx, before)
	if err != nil {
		return false
	}
	was, err := at.problems(ctx, before, nodes, texts)
	if err != nil {
		return false
	}
	is, err := at.problems(ctx, after, nodes, texts)
	if err != nil || ctx.Err() != nil {
		return false
	}
	return !slices.Contains(is, said(problem)) &&
		!slices.ContainsFunc(is, func(s string) bool { return !slices.Contains(was, s) })
}

// said is a problem without its place, which an edit moves.
func said(d *source.Diagnostic) string { return d.Code + " " + d.Summary }

// problems are the problems of some files and nodes in a view.
func (at *spot) problems(ctx context.Context, view source.Files, nodes []fleet.Node, files map[string]string) (out []string,
	err error) {
	for p := range files {
		_, list, err := at.ws.Parse(view, p, fleet.IsPlan(p))
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			out = append(out, said(d))
		}
	}
	snap, err := at.ws.Snapshot(ctx, view)
	if err != nil {
		return nil, err
	}
	compiled, _, err := fleet.Compile(ctx, snap, at.folder.judge, nodes, at.server.opt.Watch)
	for _, c := range compiled {
		for _, d := range c.Problems {
			out = append(out, said(d))
		}
	}
	return out, err
}
