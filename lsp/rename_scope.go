package lsp

import (
	"path"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Words that mean one variable or another, as it comes, also in code that no node comes to: one that a class sets on
// some of its ways only is that of a scope farther out on the others, and a template sees what is local where it is
// rendered.

// ambiguous refuses to rename a variable that a word may mean beside another one.
func (r *renaming) ambiguous() error {
	if r.kind != outline.VariableName && r.kind != outline.LocalName {
		return nil
	}
	if r.kind == outline.LocalName {
		for _, o := range r.seen(r.entry, r.name) {
			return refused("%s:%d sees it, being rendered where it is local", r.short(o.path), o.file.LineOf(o.Span.Start))
		}
		return nil
	}
	for _, e := range r.index.entries {
		renders := slices.ContainsFunc(slices.Concat(e.names, e.open), func(n outline.Name) bool {
			return n.Kind == outline.TemplateName
		})
		for _, d := range e.defs {
			if renders && d.Name == r.own && d.Kind == outline.LocalName && d.Defines {
				for _, o := range r.seen(e, d) {
					if slices.ContainsFunc(r.uses, func(u occurrence) bool { return u.entry == o.entry && u.Span == o.Span }) {
						return refused("%s:%d is also rendered where %s:%d sets one of that name", r.short(o.path),
							o.file.LineOf(o.Span.Start), r.short(e.path), e.file.LineOf(d.Span.Start))
					}
				}
			}
			owner, is := strings.CutSuffix(d.Name, "::"+r.own)
			if !is || d.Kind != outline.VariableName {
				continue
			}
			outer := r.inherited(r.parents[owner], r.own)
			if (d.Name == r.full || outer == r.full) && !e.sure(owner, r.own) &&
				r.defines(outline.Name{Kind: d.Kind, Name: outer}) {
				return refused("%s:%d sets %s on some of the ways only, and otherwise it is %s", r.short(e.path),
					e.file.LineOf(d.Span.Start), d.Name, outer)
			}
		}
	}
	return nil
}

// sure reports whether a file's class or define has set a variable when it is through.
func (e *entry) sure(owner, name string) bool {
	if e.tree == nil {
		return true
	}
	for _, d := range e.tree.Defs {
		var params []*syntax.Param
		var body syntax.Body
		switch d := d.(type) {
		case *syntax.Class:
			if outline.Class(d.Name) == owner {
				params, body = d.Params, d.Body
			}
		case *syntax.Define:
			if outline.Class(d.Name) == owner {
				params, body = d.Params, d.Body
			}
		}
		if slices.ContainsFunc(params, func(p *syntax.Param) bool { return p.Name == name }) || sets(body, name) {
			return true
		}
	}
	return false
}

// sets reports whether a body sets a variable on all of its ways, but for those that fail.
func sets(b syntax.Body, name string) bool {
	return slices.ContainsFunc(b.Stmts, func(x syntax.Expr) bool {
		switch x := x.(type) {
		case *syntax.Assign:
			found := false
			for left := syntax.Expr(x); left != nil; {
				a, is := left.(*syntax.Assign)
				if !is {
					break
				}
				syntax.Walk(a.Left, func(n syntax.Node) bool {
					v, is := n.(*syntax.Var)
					found = found || is && v.Name == name
					return true
				})
				left = a.Right // $a = $b = 1
			}
			return found
		case *syntax.If:
			return sets(x.Then, name) && sets(x.Else, name)
		case *syntax.Case:
			rest := false
			for _, o := range x.Options {
				rest = rest || slices.ContainsFunc(o.Values, func(v syntax.Expr) bool { _, is := v.(*syntax.Default); return is })
				if !sets(o.Then, name) {
					return false
				}
			}
			return rest
		case *syntax.Call:
			f, is := x.Functor.(*syntax.Name)
			return is && f.Value == "fail"
		}
		return false
	})
}

// seen are the words of templates that see a local variable of a file: they are rendered where it is.
func (x *index) seen(e *entry, local outline.Name) (out []occurrence) {
	calls, open := x.renderedWithin(e, local)
	for _, t := range x.entries {
		if !slices.ContainsFunc(calls, func(n outline.Name) bool {
			return path.Ext(t.path) != ".epp" && x.comesTo(n, t.template)
		}) && !slices.ContainsFunc(open, func(n outline.Name) bool { return x.mayRender(n, t) }) {
			continue
		}
		for _, word := range t.names {
			if word.Kind == outline.VariableName && word.Free && word.Name == local.Name {
				out = append(out, occurrence{t, word})
			}
		}
	}
	return inOrder(out)
}

// renderedWithin are the templates that are rendered where a variable is local, and the places there that do not say
// which.
func (x *index) renderedWithin(e *entry, local outline.Name) (calls, open []outline.Name) {
	if e.tree == nil || local.Local == 0 && path.Ext(e.path) == ".epp" {
		return nil, nil
	}
	var scope source.Span
	for _, stmt := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.Lambda, *syntax.Function:
				if n.Span().Start == local.Local {
					scope = n.Span()
				}
			}
			return scope.Len() == 0
		})
	}
	within := func(names []outline.Name) (out []outline.Name) {
		for _, n := range names {
			if n.Kind == outline.TemplateName && scope.Start <= n.From() && n.From() < scope.End {
				out = append(out, n)
			}
		}
		return out
	}
	return within(e.names), within(e.open)
}

// comesTo reports whether the call that names a template renders one: that, or another that renders it.
func (x *index) comesTo(call outline.Name, template string) bool {
	names := func(t string) bool { return call.Name == t || call.Pattern && outline.Matches(call.Name, t) }
	return template != "" && (names(template) || slices.ContainsFunc(x.through[template], names))
}
