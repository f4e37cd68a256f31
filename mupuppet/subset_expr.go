package mupuppet

import (
	"strings"

	"bunraku/puppet/syntax"
)

// Expressions of the subset. A refused expression becomes a constant, which is never evaluated: with a refusal there is
// no run.

func (t *translator) expr(x syntax.Expr) Expr {
	switch x := x.(type) {
	case *syntax.Int:
		return t.constant(x, Int(x.Value))
	case *syntax.Bool:
		return t.constant(x, Bool(x.Value))
	case *syntax.Str:
		return t.constant(x, Str(x.Value))
	case *syntax.Name:
		return t.constant(x, Str(x.Value))
	case *syntax.Var:
		return variable(x)
	case *syntax.Paren:
		return t.expr(x.X)
	case *syntax.Binary:
		return t.binary(x)
	case *syntax.Unary:
		return t.unary(x)
	case *syntax.List:
		t.unannotated(x, "arrays")
		return newArray(where(x), t.elems(x.Elems))
	case *syntax.Hash:
		t.unannotated(x, "hashes")
		return newHash(where(x), t.entries(x.Entries))
	case *syntax.Selector:
		return t.selector(x)
	case *syntax.Access:
		return t.access(x)
	case *syntax.Interpolated:
		t.refuse(x, "string interpolation")
	case *syntax.Heredoc:
		t.refuse(x, "heredocs")
	case *syntax.Float:
		t.refuse(x, "floating-point numbers")
	case *syntax.Undef:
		t.refuse(x, "undef")
	case *syntax.Default:
		t.refuse(x, "default as a value")
	case *syntax.Regexp:
		t.refuse(x, "regular expressions")
	case *syntax.Ref:
		t.refuse(x, "data types ("+x.Value+")")
	case *syntax.If, *syntax.Case:
		t.refuse(x, "conditional statements as values")
	case *syntax.Assign:
		t.refuse(x, "assignment as a value")
	case *syntax.Call:
		t.refuseCall(x)
	case *syntax.MethodCall:
		t.refuse(x, "functions (."+x.Functor.Name.Value+")")
	case *syntax.Relation:
		t.refuse(x, "chaining arrows ("+x.Op.String()+")")
	case *syntax.Resource, *syntax.Override, *syntax.Defaults, *syntax.Collect:
		t.refuse(x, "resource declarations as values")
	default:
		t.refuse(x, "this expression")
	}
	return &Lit{at: where(x), Value: Str("")}
}

func variable(x *syntax.Var) Expr {
	name := strings.TrimPrefix(x.Name, "::")
	i := strings.LastIndex(name, "::")
	switch {
	case i >= 0:
		return &Var{where(x), Qualified, name[:i], name[i+2:]}
	case name != x.Name:
		return &Var{where(x), TopVar, "", name}
	}
	return &Var{where(x), Local, "", name}
}

func (t *translator) binary(x *syntax.Binary) Expr {
	switch x.Op {
	case syntax.OpMatch, syntax.OpNoMatch:
		t.refuse(x, "regular expressions ("+x.Op.String()+")")
		return &Lit{at: where(x), Value: Bool(false)}
	case syntax.OpIn:
		t.refuse(x, "the operator in")
		return &Lit{at: where(x), Value: Bool(false)}
	}
	l, r := t.expr(x.Left), t.expr(x.Right)
	switch x.Op {
	case syntax.OpAnd:
		return &And{where(x), l, r}
	case syntax.OpOr:
		return &Or{where(x), l, r}
	case syntax.OpEq, syntax.OpNe, syntax.OpLt, syntax.OpLe, syntax.OpGt, syntax.OpGe:
		return &Comp{where(x), Op(x.Op.String()), l, r}
	}
	for _, operand := range [...]syntax.Expr{x.Left, x.Right} {
		switch operand.(type) {
		case *syntax.List, *syntax.Hash:
			t.refuse(x, "array and hash operators ("+x.Op.String()+")")
			return l
		}
	}
	return &Arith{where(x), Op(x.Op.String()), l, r}
}

// unary reads -i as an integer, since i ranges over ℤ, and any other -e as 0 - e.
func (t *translator) unary(x *syntax.Unary) Expr {
	switch x.Op {
	case syntax.OpNot:
		return &Not{where(x), t.expr(x.X)}
	case syntax.OpMinus:
		if i, ok := x.X.(*syntax.Int); ok {
			return t.constant(x, Int(-i.Value))
		}
		zero := t.constant(x, Int(0))
		return &Arith{where(x), "-", zero, t.expr(x.X)}
	}
	t.refuse(x, "the splat operator")
	return &Lit{at: where(x), Value: Str("")}
}

func (t *translator) elems(xs []syntax.Expr) *Elem {
	es := make([]Expr, len(xs))
	for i, x := range xs {
		es[i] = t.expr(x)
	}
	var a *Elem
	for i := len(es) - 1; i >= 0; i-- {
		a = consElem(es[i], a)
	}
	return a
}

func (t *translator) entries(xs []*syntax.Entry) *Entry {
	type entry struct {
		k Value
		e Expr
	}
	var list []entry
	for _, x := range xs {
		k, ok := scalar(x.Key)
		if !ok {
			t.refuse(x.Key, "computed hash keys")
			continue
		}
		list = append(list, entry{k, t.expr(x.Value)})
	}
	var h *Entry
	for i := len(list) - 1; i >= 0; i-- {
		h = consEntry(list[i].k, list[i].e, h)
	}
	return h
}

// scalar is a key k: a constant integer or string.
func scalar(x syntax.Expr) (Value, bool) {
	switch x := x.(type) {
	case *syntax.Int:
		return Int(x.Value), true
	case *syntax.Str:
		return Str(x.Value), true
	case *syntax.Name:
		return Str(x.Value), true
	}
	return nil, false
}

func (t *translator) selector(x *syntax.Selector) Expr {
	e := &Selector{where(x), t.expr(x.Left), nil}
	end := &e.M
	for _, m := range x.Entries {
		*end = &Match{C: t.pattern(m.Key), E: t.expr(m.Value)}
		end = &(*end).Rest
	}
	return e
}

func (t *translator) access(x *syntax.Access) Expr {
	none := &Lit{at: where(x), Value: Str("")}
	ref, isRef := x.Left.(*syntax.Ref)
	switch {
	case isRef && dataTypes[ref.Value]:
		t.refuse(x, "data types ("+ref.Value+")")
		return none
	case isRef && unqualified(ref.Value) == "Class":
		t.refuse(x, "references to classes")
		return none
	case len(x.Keys) != 1 && isRef:
		t.refuse(x, "references to several resources")
		return none
	case len(x.Keys) != 1:
		t.refuse(x, "slices of arrays and hashes")
		return none
	case isRef:
		t.unannotated(x, "resource references")
		return newRef(where(x), unqualified(ref.Value), t.expr(x.Keys[0]))
	}
	t.unannotated(x, "dereferences")
	return &Deref{where(x), t.expr(x.Left), t.expr(x.Keys[0])}
}

// dataTypes are the names that look like resource types and are types of values.
var dataTypes = map[string]bool{
	"Any": true, "Array": true, "Binary": true, "Boolean": true, "Callable": true, "Catalogentry": true,
	"Collection": true,
	"Data":       true, "Default": true, "Deferred": true, "Enum": true, "Float": true, "Hash": true, "Init": true,
	"Integer":  true,
	"Iterable": true, "Iterator": true, "NotUndef": true, "Notundef": true, "Numeric": true, "Object": true,
	"Optional": true,
	"Pattern":  true, "Regexp": true, "Resource": true, "RichData": true, "Runtime": true, "Scalar": true,
	"ScalarData": true,
	"SemVer":     true, "Sensitive": true, "String": true, "Struct": true, "Timespan": true, "Timestamp": true,
	"Tuple": true,
	"Type":  true, "Undef": true, "URI": true, "Variant": true,
}

// literalName is the name of a class that is written out.
func literalName(x syntax.Expr) (string, bool) {
	switch x := x.(type) {
	case *syntax.Name:
		return unqualified(x.Value), true
	case *syntax.Str:
		return unqualified(x.Value), true
	}
	return "", false
}

func unqualified(name string) string { return strings.TrimPrefix(name, "::") }

// capitalised is a type's name as in a reference: Apache::Vhost.
func capitalised(name string) string {
	parts := strings.Split(name, "::")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "::")
}
