package lsp

import (
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// The name of a template may be in a variable of another class: template($tpl), where $tpl has its default from
// $web::params::tpl. What classes set their variables to, and data their parameters, is followed to texts. There may be
// others, so that the code that renders it stays Open.

// reachedBy are the templates that code comes to by variables of classes, by the path of the code.
func (x *index) reachedBy() map[string][]outline.Name {
	out := map[string][]outline.Name{}
	for _, e := range x.entries {
		for _, n := range e.open {
			if n.Kind != outline.TemplateName || n.Of == "" {
				continue
			}
			for _, text := range x.textsOf(n.Of, 0) {
				if !strings.ContainsFunc(text, isLetter) {
					continue // it may be any
				}
				named := n
				named.Open, named.Of, named.Name, named.Text = false, "", text, true
				named.Pattern = strings.IndexByte(text, outline.Hole) >= 0
				out[e.path] = append(out[e.path], named)
			}
		}
	}
	return out
}

// saysTemplate tells what may set a variable to the name of a template.
var saysTemplate = regexp.MustCompile(`\.e(?:rb|pp)\b`)

// textsOf are the texts that a variable of a class or define is set to, with Holes for what is computed.
func (x *index) textsOf(variable string, depth int) (out []string) {
	const deep = 5
	i := strings.LastIndex(variable, "::")
	if i < 0 || depth == deep {
		return nil
	}
	variable = x.inherited(variable[:i], variable[i+2:])
	e := x.byPath[x.setIn[variable]]
	if e == nil || e.tree == nil {
		return nil
	}
	owner, name := variable[:strings.LastIndex(variable, "::")], lastPart(variable)
	follow := func(v syntax.Expr) { out = append(out, x.textsIn(v, owner, depth+1)...) }
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
		for _, p := range params {
			if p.Name == name && p.Default != nil {
				follow(p.Default)
			}
		}
		for _, stmt := range body.Stmts {
			syntax.Walk(stmt, func(n syntax.Node) bool {
				if a, is := n.(*syntax.Assign); is {
					if v, is := a.Left.(*syntax.Var); is && v.Name == name {
						follow(a.Right)
					}
				}
				return true
			})
		}
	}
	if x.params[variable] {
		for _, data := range x.entries {
			if !data.isData || data.data == nil {
				continue
			}
			for key, kid := range entries(data.data) {
				if text, is := kid.Node.Value.(value.String); is && key == variable {
					out = append(out, string(text))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// textsIn are the texts that an expression of a class or define comes to.
func (x *index) textsIn(e syntax.Expr, owner string, depth int) (out []string) {
	last := func(b syntax.Body) {
		if len(b.Stmts) > 0 {
			out = append(out, x.textsIn(b.Stmts[len(b.Stmts)-1], owner, depth)...)
		}
	}
	switch e := e.(type) {
	case *syntax.Str:
		return []string{e.Value}
	case *syntax.Interpolated:
		var b strings.Builder
		for _, p := range e.Parts {
			switch p := p.(type) {
			case *syntax.Str:
				b.WriteString(p.Value)
				continue
			case *syntax.Text:
				if v, is := p.X.(*syntax.Var); is && v.Name == "module_name" {
					module, _, _ := strings.Cut(owner, "::")
					b.WriteString(module)
					continue
				}
			}
			b.WriteByte(outline.Hole)
		}
		return []string{b.String()}
	case *syntax.Var:
		if name := strings.TrimPrefix(e.Name, "::"); strings.Contains(name, "::") {
			return x.textsOf(name, depth)
		}
		return x.textsOf(owner+"::"+e.Name, depth)
	case *syntax.Paren:
		return x.textsIn(e.X, owner, depth)
	case *syntax.Selector:
		for _, entry := range e.Entries {
			out = append(out, x.textsIn(entry.Value, owner, depth)...)
		}
	case *syntax.If:
		last(e.Then)
		last(e.Else)
	case *syntax.Case:
		for _, o := range e.Options {
			last(o.Then)
		}
	}
	return out
}
