package lsp

import (
	"context"
	"errors"
	"path"
	"slices"
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
// level of the hierarchy that has a file which all nodes read. It is offered only after it was tried: every node
// compiles to the catalog that it had, and at least one of them has the class.

// extraction is the action for the default that a range stands in; ok is false if there is none.
func (at *spot) extraction(ctx context.Context) (action protocol.CodeAction, ok bool) {
	class, param := at.parameter()
	if param == nil {
		return action, false
	}
	text, literal := yamlOf(param.Default)
	if !literal {
		return action, false
	}
	key, code := class+"::"+param.Name, at.entry.file.Text
	files := at.levels()
	if len(files) == 0 || slices.ContainsFunc(files, func(e *entry) bool { return e.sets(key) }) {
		return action, false // what all nodes read has it already: the default is not what they get
	}
	t, err := at.beforeTrial(ctx, class)
	if err != nil {
		return action, false
	}
	for _, file := range files {
		data := file.file.Text
		if data != "" && !strings.HasSuffix(data, "\n") {
			data += "\n"
		}
		texts := map[string]string{at.entry.path: code[:param.NameAt.End] + code[param.Default.Span().End:],
			file.path: data + key + ": " + text + "\n"}
		if t.same(ctx, texts) {
			return protocol.CodeAction{Title: "move the default to Hiera: " + key + " in " + path.Base(file.path),
				Kind: protocol.CodeActionKindRefactorExtract, Edit: at.rewriting(texts)}, true
		}
	}
	return action, false
}

// sets reports whether a file of data has a key.
func (e *entry) sets(key string) bool {
	return slices.ContainsFunc(e.defs, func(n outline.Name) bool { return n.Kind == outline.KeyName && n.Name == key })
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

// levels are the data files of the environment's levels that all of the chosen nodes read, the last level first.
func (at *spot) levels() (files []*entry) {
	first := true
	for _, r := range at.compiled() {
		if r.record == nil {
			continue
		}
		own := at.levelsOf(r)
		if first {
			files, first = own, false
		}
		files = slices.DeleteFunc(files, func(e *entry) bool { return !slices.Contains(own, e) })
	}
	slices.Reverse(files)
	return files
}

// levelsOf are the data files of the environment's levels that a node reads.
func (at *spot) levelsOf(r *result) (files []*entry) {
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
				if x := at.byPath[p]; !l.NoFile && x != nil && at.own(p) && (path.Ext(p) == ".yaml" || path.Ext(p) == ".yml") {
					files = append(files, x)
				}
			}
			if len(files) > 0 {
				return files
			}
		}
	}
	return nil
}

// An extractTrial compares what nodes compile to with what they would.
type extractTrial struct {
	*spot
	before source.Files
	nodes  []fleet.Node
	was    []fleet.Compiled
}

var errUntried = errors.New("it cannot be tried")

// beforeTrial compiles all nodes as they are. It cannot be tried if there are too many of them, or none has the class.
func (at *spot) beforeTrial(ctx context.Context, class string) (t *extractTrial, err error) {
	t = &extractTrial{spot: at}
	if t.before, _, err = at.folder.view(); err != nil {
		return nil, err
	}
	of := 0
	if t.nodes, of, err = at.trial(ctx, t.before); err != nil {
		return nil, err
	}
	if of > len(t.nodes) && t.nodes[0].Invented == nil { // nobody has those that are invented
		return nil, errUntried
	}
	if t.was, err = at.catalogs(ctx, t.before, t.nodes); err != nil {
		return nil, err
	}
	for _, w := range t.was {
		if w.Catalog != nil && slices.ContainsFunc(w.Catalog.Resources, func(r *catalog.Resource) bool {
			return r.Type == "Class" && outline.Class(r.Title) == class
		}) {
			return t, nil
		}
	}
	return nil, errUntried
}

// same reports whether nodes compile with other texts to what they compile to now. One that does not compile has to say
// the same.
func (t *extractTrial) same(ctx context.Context, texts map[string]string) bool {
	for p := range texts {
		if !t.byPath[p].standsIn(t.before) {
			return false
		}
	}
	after, err := source.NewOverlay(t.before, texts)
	if err != nil {
		return false
	}
	is, err := t.catalogs(ctx, after, t.nodes)
	if err != nil || len(is) != len(t.was) {
		return false
	}
	for i, was := range t.was {
		switch {
		case was.Catalog == nil && is[i].Catalog == nil:
			alike := func(a, b *source.Diagnostic) bool { return said(a) == said(b) }
			if !slices.EqualFunc(was.Problems, is[i].Problems, alike) {
				return false
			}
		case was.Catalog == nil || is[i].Catalog == nil || len(catalog.Diff(was.Catalog, is[i].Catalog)) > 0:
			return false
		}
	}
	return true
}
