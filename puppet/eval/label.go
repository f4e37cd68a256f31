package eval

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// label names an expression as Puppet's messages do.
func label(e syntax.Node) string {
	switch e := e.(type) {
	case *syntax.Int:
		return "Literal Integer"
	case *syntax.Float:
		return "Literal Float"
	case *syntax.Binary:
		return "'" + e.Op.String() + "' expression"
	case *syntax.Relation:
		return "'" + e.Op.String() + "' expression"
	case *syntax.Assign:
		return "'" + e.Op.String() + "' expression"
	case *syntax.AttrOp:
		if e.Append {
			return "'+>' expression"
		}
		return "'=>' expression"
	case *syntax.Access:
		return "'[]' expression"
	case *syntax.Collect:
		if e.Exported {
			return "Exported Query"
		}
		return "Virtual Query"
	case *syntax.Epp:
		return "Epp Template"
	case *syntax.List:
		return "Array Expression"
	case *syntax.Hash:
		return "Hash Expression"
	case *syntax.Bool:
		return "Boolean"
	case *syntax.Str:
		return "String"
	case *syntax.Lambda:
		return "Lambda"
	case *syntax.Default:
		return "'default' expression"
	case *syntax.Undef:
		return "'undef' expression"
	case *syntax.Regexp:
		return "Regular Expression"
	case *syntax.NamedAccess:
		return "'.' expression"
	case *syntax.Unary:
		switch e.Op {
		case syntax.OpNot:
			return "'not' expression"
		case syntax.OpMinus:
			return "Unary Minus"
		}
		return "Unfold"
	case *syntax.Var:
		return "Variable"
	case *syntax.Text:
		return "Expression in Interpolated String"
	case *syntax.Block:
		return "Block Expression"
	case *syntax.Interpolated:
		return "Double Quoted String"
	case *syntax.Heredoc:
		return "'@(" + e.Syntax + ")' expression"
	case *syntax.Override:
		return "Resource Override"
	case *syntax.Paren:
		return "Parenthesized Expression"
	case *syntax.If:
		if e.Unless {
			return "'unless' Statement"
		}
		return "'if' statement"
	case *syntax.Call:
		return "Function Call"
	case *syntax.MethodCall:
		return "Method call"
	case *syntax.Case:
		return "'case' statement"
	case *syntax.Defaults:
		return "Resource Defaults Expression"
	case *syntax.Resource:
		return "Resource Statement"
	case *syntax.Selector:
		return "Selector Expression"
	case *syntax.Name:
		return "Name"
	case *syntax.Ref:
		return "Type-Name"
	case *syntax.RenderString:
		return "Epp Text"
	case *syntax.Render:
		return "Epp Interpolated Expression"
	}
	return "Expression"
}

// modelClass is the class of Puppet's own syntax tree for an expression; the message about queries shows it.
func modelClass(e syntax.Expr) string {
	name := "Expression"
	switch e := e.(type) {
	case *syntax.List:
		name = "LiteralList"
	case *syntax.Hash:
		name = "LiteralHash"
	case *syntax.Regexp:
		name = "LiteralRegularExpression"
	case *syntax.Default:
		name = "LiteralDefault"
	case *syntax.Ref:
		name = "QualifiedReference"
	case *syntax.Call:
		name = "CallNamedFunctionExpression"
	case *syntax.MethodCall:
		name = "CallMethodExpression"
	case *syntax.Heredoc:
		name = "HeredocExpression"
	case *syntax.Selector:
		name = "SelectorExpression"
	case *syntax.Unary:
		switch e.Op {
		case syntax.OpNot:
			name = "NotExpression"
		case syntax.OpMinus:
			name = "UnaryMinusExpression"
		default:
			name = "UnfoldExpression"
		}
	case *syntax.Binary:
		switch e.Op {
		case syntax.OpMatch, syntax.OpNoMatch:
			name = "MatchExpression"
		case syntax.OpIn:
			name = "InExpression"
		default:
			name = "ArithmeticExpression"
		}
	}
	return "Puppet::Pops::Model::" + name
}

// runtime fails as Puppet does when something inside an expression raised an error.
func (ev *Evaluator) runtime(e syntax.Expr, detail string) { ev.runtimeError(e, errors.New(detail)) }

// runtimeError is runtime for an error that may know the value it is due to.
func (ev *Evaluator) runtimeError(e syntax.Expr, err error) {
	at := e.Span()
	switch e := e.(type) {
	case *syntax.Binary:
		at = opPlace(e.OpAt)
	case *syntax.Assign:
		at = opPlace(e.OpAt)
	case *syntax.Relation:
		at = opPlace(e.OpAt)
	case *syntax.MethodCall:
		at = source.Span{Start: e.Functor.Name.Where.Start, End: e.Functor.Name.Where.End}
	}
	d := &source.Diagnostic{Code: "E0401", Place: ev.place(at),
		Summary: fmt.Sprintf("Evaluation Error: Error while evaluating %s, %s", article(label(e)), err)}
	var bad *badValue
	if errors.As(err, &bad) {
		d.Help, d.About = bad.help, bad.about
		ev.failValue(d, bad.value, bad.ref)
	}
	var matter *source.Matter
	if errors.As(err, &matter) {
		d.About = append(d.About, matter.About...)
	}
	var told *advised
	if errors.As(err, &told) {
		d.Help = told.help
	}
	var there *elsewhere
	if errors.As(err, &there) && there.at.Place.Known() && there.at.Place.File != d.Place.File {
		d.Related = append(d.Related, there.at)
	}
	if c, ok := e.(*syntax.Call); ok && ev.trace != nil {
		if name, ok := c.Functor.(*syntax.Name); ok && name.Value == "fail" {
			ev.addDecision(d)
		}
	}
	if refuses(e) {
		d.About = append(d.About, source.Subject{Kind: source.Refusal})
	}
	if a, ok := e.(*syntax.Access); ok {
		d.About = append(d.About, ev.missingTypes(a.Left)...)
	}
	ev.failAt(d)
}

// about is one subject of a diagnostic.
func about(kind source.SubjectKind, name string) []source.Subject {
	return []source.Subject{{Kind: kind, Name: strings.TrimPrefix(name, "::")}}
}

// refuses reports whether a call that failed is one by which code says that it must not be used so.
func refuses(e syntax.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *syntax.Call:
		if n, ok := e.Functor.(*syntax.Name); ok {
			name = canonical(n.Value)
		}
	case *syntax.MethodCall:
		name = e.Functor.Name.Value
	}
	switch name {
	case "fail", "assert_private", "private", "deprecation", "stdlib::deprecation":
		return true
	}
	return false
}

// missingTypes are the types that a type expression names and that nothing defines.
func (ev *Evaluator) missingTypes(e syntax.Expr) (out []source.Subject) {
	syntax.Walk(e, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Ref); ok {
			if t, err := ev.resolveType(r.Value); err == nil && t == nil {
				out = append(out, about(source.MissingType, r.Value)...)
			}
		}
		return true
	})
	return out
}

// missingFact is the fact that an expression reads, $facts['os']['distro'], as it turned out to be undef.
func missingFact(e syntax.Expr) []source.Subject {
	path := ""
	for {
		switch x := e.(type) {
		case *syntax.Access:
			names := syntax.StaticNames(x.Keys[0])
			if len(x.Keys) != 1 || len(names) != 1 || names[0] == "" {
				return nil
			}
			path = "." + names[0] + path
			e = x.Left
			continue
		case *syntax.Var:
			if strings.TrimPrefix(x.Name, "::") == "facts" && path != "" {
				return about(source.MissingFact, path[1:])
			}
		}
		return nil
	}
}
