package mutate

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

const (
	maxTerm = 500     // nodes of a term that is written as code
	maxCode = 3 << 20 // bytes of code for one subject
)

// An Expression is a value's term as Puppet code, and what evaluating it must give.
type Expression struct {
	Slot, Code, Want string
}

// Expressions writes the terms of all values as code, for theorem 4.3.4: evaluated with the data at its places, a term
// gives the value back. pure says which functions are made of their arguments alone. A term that has a part which is no
// code is skipped with the reason.
func (d *Places) Expressions(res *eval.Result, pure func(function string) bool, skip func(reason string)) []Expression {
	w := &coder{d: d, t: res.Trace, pure: pure}
	json := catalog.JSON{Types: types.ToData}
	var out []Expression
	size, seen := 0, map[string]bool{}
	eachValue(res, func(slot string, v value.Value, r provenance.Ref) {
		if strings.HasPrefix(slot, "title ") {
			return // a title is a text, whatever it was made of
		}
		term := res.Trace.Expression(r)
		w.left = maxTerm
		code, why := w.code(term)
		if why != "" {
			skip("expression: " + why)
			return
		}
		want, err := json.AppendValue(nil, v)
		if err != nil {
			skip("expression: " + err.Error())
			return
		}
		if key := code + string(want); seen[key] { // a thousand resources may have the same attribute
			return
		} else if size += len(key); size > maxCode {
			skip("expression: beyond what is checked of one subject")
			return
		} else {
			seen[key] = true
		}
		out = append(out, Expression{slot, code, string(want)})
	})
	return out
}

type coder struct {
	d    *Places
	t    *provenance.Trace
	pure func(string) bool
	left int
}

// code writes a term; why says what keeps it from being code.
func (w *coder) code(t *provenance.Term) (code, why string) {
	if t == nil {
		return "", "nothing is recorded for the value, or for an operand"
	}
	if w.left--; w.left < 0 {
		return "", "the term is too large to be written out"
	}
	if t.Op == "" {
		v, ok := w.d.At(t.Leaf)
		if !ok {
			return "", "no datum is kept at a place of the kind " + t.Leaf.Kind.String()
		}
		return literal(v)
	}
	if t.Op == "container" {
		if v, ok := w.t.ContentsOf(t.Ref).(value.Value); ok {
			return w.container(v)
		}
		return "", "a container that is not kept"
	}
	name, call := strings.CutPrefix(t.Op, "call ")
	if call && !w.pure(name) {
		return "", "the function looks at more than its arguments"
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		if args[i], why = w.code(a); why != "" {
			return "", why
		}
	}
	switch {
	case call:
		return name + "(" + strings.Join(args, ", ") + ")", ""
	case t.Op == "concat" || t.Op == "text":
		var b strings.Builder
		b.WriteByte('"')
		for _, a := range args {
			b.WriteString("${(" + a + ")}")
		}
		return b.String() + `"`, ""
	case t.Op[0] == '$' && len(args) == 1 && t.Args[0] != nil && t.Args[0].Op == "!~":
		return "(if " + args[0] + " { } else { " + t.Op + " })", ""
	case t.Op[0] == '$' && len(args) == 1:
		return "(if " + args[0] + " { " + t.Op + " })", ""
	case t.Op == "truth" && len(args) == 1:
		return "(!(! " + args[0] + "))", ""
	case t.Op == "[]" && len(args) > 1:
		last := len(args) - 1
		return "(" + args[last] + ")[" + strings.Join(args[:last], ", ") + "]", ""
	case t.Op[0] == '[' && len(args) == 1: // an element by its number
		return "(" + args[0] + ")" + t.Op, ""
	case operators[t.Op] && len(args) == 1:
		return "(" + t.Op + " " + args[0] + ")", ""
	case operators[t.Op] && len(args) == 2:
		return "(" + args[0] + " " + t.Op + " " + args[1] + ")", ""
	}
	return "", "the operation " + strings.Fields(t.Op)[0] + " is no Puppet code"
}

var operators = map[string]bool{"!": true, "+": true, "-": true, "*": true, "/": true, "%": true, "<<": true,
	">>": true, "==": true, "!=": true, "<": true, "<=": true,
	">": true, ">=": true, "=~": true, "!~": true, "in": true, "and": true, "or": true}

// container writes an array or hash: each element by its own term.
func (w *coder) container(v value.Value) (code, why string) {
	element := func(v value.Value, r provenance.Ref) (string, string) {
		switch v := v.(type) {
		case *value.Array, *value.Hash:
			return w.container(v)
		}
		if r == 0 {
			return literal(v)
		}
		return w.code(w.t.Expression(r))
	}
	var parts []string
	switch v := v.(type) {
	case *value.Array:
		for i, e := range v.Elems {
			c, why := element(e, v.Ref(i))
			if why != "" {
				return "", why
			}
			parts = append(parts, c)
		}
		return "[" + strings.Join(parts, ", ") + "]", ""
	case *value.Hash:
		for _, e := range v.Entries() {
			k, why := literal(e.Key) // which keys there are is the spine's, a set of places without an order
			if why != "" {
				return "", why
			}
			c, why := element(e.Value, e.Ref)
			if why != "" {
				return "", why
			}
			parts = append(parts, k+" => "+c)
		}
		return "{" + strings.Join(parts, ", ") + "}", ""
	}
	return "", "a container of another kind"
}

// Literal writes a value as code.
func Literal(v value.Value) (string, error) {
	code, why := literal(v)
	if why != "" {
		return "", errors.New(why)
	}
	return code, nil
}

// literal writes a value as code; why says what keeps it from being code.
func literal(v value.Value) (code, why string) {
	switch v := v.(type) {
	case value.String:
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(string(v)) + "'", ""
	case value.Undef:
		return "undef", ""
	case value.Default:
		return "default", ""
	case value.Bool:
		return value.ToString(v), ""
	case value.Int:
		return value.ToString(v), ""
	case value.Float:
		s := strings.Replace(value.ToString(v), "e+", "e", 1)
		if strings.ContainsAny(s, "IN") {
			return "", "a number that cannot be written"
		}
		return s, ""
	case *value.Regexp:
		return value.ToString(v), ""
	case *value.Array, *value.Hash:
		return (&coder{}).container(v)
	}
	return "", fmt.Sprintf("a value of the kind %T is no literal", v)
}

// Program is a manifest that evaluates expressions: notify n has the value of expression n.
func Program(list []Expression) string {
	var b strings.Builder
	for i, e := range list {
		fmt.Fprintf(&b, "notify { 'expression %d': message => %s }\n", i, e.Code)
	}
	return b.String()
}

// Check compares the values that the program gave with those of the slots.
func Check(list []Expression, res *eval.Result) (bad []Violation) {
	json := catalog.JSON{Types: types.ToData}
	for i, e := range list {
		got := "null"
		if r := res.Catalog.Resource("Notify", fmt.Sprintf("expression %d", i)); r != nil {
			if p := r.Param("message"); p != nil {
				text, _ := json.AppendValue(nil, p.Value)
				got = string(text)
			}
		}
		if got != e.Want {
			bad = append(bad, Violation(e.Slot+" is "+short(e.Want)+", but its expression "+e.Code+" gives "+short(got)))
		}
	}
	return bad
}
