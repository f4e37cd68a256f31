package lsp

import (
	"context"
	"path"
	"strconv"
	"strings"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Extract to Hiera: the default of a class's parameter, written in the code, becomes a value in the data, in the last
// level of the hierarchy that has a file. It is offered only after it was tried: every chosen node compiles to the
// catalog that it had, and at least one of them has the class.

// extraction is the action for the default that a range stands in; ok is false if there is none.
func (at *spot) extraction(ctx context.Context) (action protocol.CodeAction, ok bool) {
	class, param := at.parameter()
	if param == nil {
		return action, false
	}
	text, literal := yamlOf(param.Default)
	file := at.lastLevel()
	if !literal || file == nil {
		return action, false
	}
	key := class + "::" + param.Name
	code, data := at.entry.file.Text, file.file.Text
	if data != "" && !strings.HasSuffix(data, "\n") {
		data += "\n"
	}
	texts := map[string]string{at.entry.path: code[:param.NameAt.End] + code[param.Default.Span().End:], file.path: data +
		key + ": " + text + "\n"}
	if !at.sameCatalogs(ctx, texts, class) {
		return action, false
	}
	return protocol.CodeAction{Title: "move the default to Hiera: " + key + " in " + path.Base(file.path),
		Kind: protocol.CodeActionKindRefactorExtract, Edit: at.rewriting(texts)}, true
}

// parameter is the parameter of a class that the spot is in, if it has a default.
func (at *spot) parameter() (class string, param *syntax.Param) {
	if at.entry.tree == nil || !at.entry.whole || !at.own(at.entry.path) {
		return "", nil
	}
	for _, d := range at.entry.tree.Defs {
		c, is := d.(*syntax.Class)
		if !is {
			continue
		}
		for _, p := range c.Params {
			if p.Default != nil && p.NameAt.Start <= at.offset && at.offset <= p.Default.Span().End {
				return outline.Class(c.Name), p
			}
		}
	}
	return "", nil
}

// yamlOf is a literal as YAML; ok is false for what is computed.
func yamlOf(e syntax.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *syntax.Bool:
		return strconv.FormatBool(e.Value), true
	case *syntax.Int:
		return strconv.FormatInt(e.Value, 10), !e.Big
	case *syntax.Str:
		return "'" + strings.ReplaceAll(e.Value, "'", "''") + "'", !strings.ContainsAny(e.Value, "\n\r\t%") &&
			source.Harmless(e.Value)
	}
	return "", false
}

// lastLevel is the data file of the environment's last level that has one, as the first of the chosen nodes sees it.
func (at *spot) lastLevel() (file *entry) {
	for _, r := range at.compiled() {
		if r.record == nil {
			continue
		}
		for _, e := range at.index.entries {
			for _, n := range e.defs {
				if n.Kind != outline.KeyName {
					continue
				}
				a, err := r.record.Explain("hiera:"+n.Name, "")
				if err != nil {
					continue
				}
				for _, l := range a.Levels {
					p := l.File
					if !path.IsAbs(p) {
						p = path.Join(at.dir, p)
					}
					if x := at.byPath[p]; !l.NoFile && x != nil && (path.Ext(p) == ".yaml" || path.Ext(p) == ".yml") {
						file = x
					}
				}
				if file != nil {
					return file
				}
			}
		}
	}
	return nil
}

// sameCatalogs reports whether nodes compile with other texts to what they compile to now, one of them with the class.
func (at *spot) sameCatalogs(ctx context.Context, texts map[string]string, class string) bool {
	before, _, err := at.folder.view()
	if err != nil {
		return false
	}
	for p := range texts {
		if !at.byPath[p].standsIn(before) {
			return false
		}
	}
	after, err := source.NewOverlay(before, texts)
	if err != nil {
		return false
	}
	nodes, err := at.nodes(ctx, before)
	if err != nil {
		return false
	}
	compile := func(view source.Files) []fleet.Compiled {
		snap, err := at.ws.Snapshot(ctx, view)
		if err != nil {
			return nil
		}
		out, _, err := fleet.Compile(ctx, snap, at.folder.judge(), nodes, at.server.opt.Watch)
		if err != nil || ctx.Err() != nil {
			return nil
		}
		return out
	}
	was, is := compile(before), compile(after)
	if was == nil || len(was) != len(is) {
		return false
	}
	having := false
	for i := range was {
		if was[i].Catalog == nil || is[i].Catalog == nil || len(catalog.Diff(was[i].Catalog, is[i].Catalog)) > 0 {
			return false
		}
		for _, r := range was[i].Catalog.Resources {
			having = having || r.Type == "Class" && outline.Class(r.Title) == class
		}
	}
	return having
}
