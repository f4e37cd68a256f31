package syntax

import (
	"math/big"
	"strings"

	"bunraku/source"
)

// ---- variables and numbers

func (v *validator) variable(e *Var) {
	switch {
	case e.Word:
		v.report(variableTrueFalse, e.Where, "Illegal variable name, The given name '"+e.Name+"' is a Boolean").
			Help = "within ${…} a lone word is a variable; leave the braces out to get the text"
	case e.Name != "" && isDigit(e.Name[0]):
		if !isNumericVarName(e.Name) {
			v.report(illegalNumericVarName, e.Where, "Illegal numeric variable name, The given name '"+e.Name+
				"' must be a decimal value if it starts with a digit 0-9")
		}
	case !isVarName(e.Name):
		d := v.report(illegalVarName, e.Where, "Illegal variable name, The given name '"+e.Name+
			`' does not conform to the naming rule /^((::)?[a-z]\w*)*((::)?[a-z_]\w*)$/`)
		if better := plainName(e.Name); isVarName(better) && v.hasVariable(better) {
			d.Help = "did you mean $" + better + "?"
		}
	}
}

// hasVariable reports whether a variable of a name stands somewhere in the file.
func (v *validator) hasVariable(name string) bool {
	text := v.file.Text
	for {
		i := strings.Index(text, "$"+name)
		if i < 0 {
			return false
		}
		text = text[i+1+len(name):]
		if text == "" || !isWord(text[0]) {
			return true
		}
	}
}

func (v *validator) integer(e *Int) {
	if !e.Big {
		return
	}
	v.report(numericOverflow, e.Where, anACap(e)+" resulted in a value outside of Puppet Integer max range, got '+0x"+
		v.bigInteger(e).Text(16)+"'").
		Help = "an Integer has 64 bits, so the greatest is 9223372036854775807; write a Float (with .0) or a String"
}

// bigInteger is the value of a literal, whatever its size.
func (v *validator) bigInteger(e *Int) *big.Int {
	if n, ok := new(big.Int).SetString(v.file.Slice(e.Where), 0); ok && e.Big {
		return n
	}
	return big.NewInt(e.Value)
}

// ---- assignment

func (v *validator) assign(e *Assign) {
	outer := v.inDefault
	if outer {
		v.report(illegalAssignmentContext, spanOf(e), "Assignment not allowed here").
			Help = "a default can use other parameters, but not assign"
		v.inDefault = false // one complaint for a chain of assignments
	}
	if e.Op == OpSet {
		v.assignable(e.Left)
		v.expr(e.Left, atOther)
		v.expr(e.Right, atValue)
	} else {
		v.report(appendsDeletes, spanOf(e), "The operator '"+e.Op.String()+
			"' is no longer supported. See http://links.puppet.com/remove-plus-equals").
			Help = "a variable keeps its first value; give the result a new name with = and " + e.Op.String()[:1]
		v.expr(e.Left, atOther)
		v.expr(e.Right, atOther)
	}
	v.inDefault = outer
}

// assignable checks the left side of `=`: a variable of this scope, or a list of such.
func (v *validator) assignable(e Expr) {
	switch e := e.(type) {
	case *Var:
		if isNumericVarName(e.Name) {
			v.report(illegalNumericAssignment, e.Where, "Illegal attempt to assign to the numeric match result variable '$"+
				e.Name+
				"'. Numeric variables are not assignable")
		}
		for i := 1; i < len(e.Name); i++ {
			if e.Name[i] == ':' && e.Name[i-1] == ':' {
				v.report(crossScopeAssignment, e.Where, "Illegal attempt to assign to '"+e.Name+
					"'. Cannot assign to variables in other namespaces").
					Help = "a variable belongs to the scope that assigns it; leave the namespace out"
				break
			}
		}
	case *Access:
		v.report(illegalIndexedAssignment, e.Where, "Illegal attempt to assign via [index/key]. Not an assignable reference").
			Help = "arrays and hashes never change; make a new one, for example $new = $old + { key => value }"
	case *List:
		for _, x := range e.Elems {
			v.assignable(x)
		}
	default:
		d := v.report(illegalAssignment, spanOf(e), "Illegal attempt to assign to '"+anA(e)+"'. Not an assignable reference")
		if n, ok := e.(*Name); ok && isVarName(n.Value) {
			d.Help = "did you mean $" + n.Value + "?"
		} else if r, is := e.(*Relation); is {
			d.Help = r.Op.String() + " orders resources, and an assignment is none: take it away"
		} else {
			d.Help = "to compare write =="
		}
	}
}

func (v *validator) relation(e *Relation) {
	if v.tasks && v.inApply == 0 {
		v.catalogOnly(e)
		v.expr(e.Left, atOther)
		v.expr(e.Right, atOther)
		return
	}
	v.expr(e.Left, atSide)
	v.expr(e.Right, atSide)
}

// ---- calls

func (v *validator) call(e *Call) {
	switch f := e.Functor.(type) {
	case *Name, *Ref:
	case *RenderString:
		v.report(illegalEppParameters, e.Where,
			"Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace").
			Help = "parameters come first in a template, or after blanks that <%- removes"
	default:
		if typeRef(f) == nil {
			v.unacceptable(f, "function name", e)
		}
	}
	v.expr(e.Functor, atOther)
	v.exprs(e.Args, atOther)
	v.lambda(e.Lambda)
}

// ---- choices

func (v *validator) caseOf(e *Case) (idle bool) {
	idle = v.expr(e.Test, atValue)
	var first *Default
	for _, o := range e.Options {
		for _, x := range o.Values {
			if !v.expr(x, atValue) {
				idle = false
			}
			if d, ok := x.(*Default); ok {
				if first == nil {
					first = d
				} else {
					v.secondDefault(d, first, e)
				}
			}
		}
		if !v.body(o.Then.Stmts, strictBody, atBlock).idle {
			idle = false
		}
	}
	return idle
}

func (v *validator) selector(e *Selector) {
	v.expr(e.Left, atValue)
	var first *Default
	reported := false
	for _, entry := range e.Entries {
		v.expr(entry.Key, atValue)
		v.expr(entry.Value, atOther)
		if d, ok := entry.Key.(*Default); ok {
			if first == nil {
				first = d
			} else if !reported {
				v.secondDefault(d, first, e)
				reported = true
			}
		}
	}
}

func (v *validator) secondDefault(d, first *Default, in Expr) {
	v.report(duplicateDefault, d.Where, "This "+label(in)+" already has a 'default' entry - this is a duplicate").
		Related = v.related(first.Where, "the first default")
}

// ---- hashes

// hash warns of repeated keys. Only literal keys can be compared (literal.go).
func (v *validator) hash(e *Hash) {
	if len(e.Entries) > 1 {
		v.names.reset(len(e.Entries))
		for i, entry := range e.Entries {
			key, ok := textKey(entry.Key)
			id := key
			if !ok {
				var lit literal
				if lit, ok = v.literal(entry.Key); !ok {
					continue
				}
				key, id = lit.text, lit.id
			}
			if first, added := v.names.add(id, i); !added {
				v.duplicateKey(key, entry, e.Entries[first])
			}
		}
	}
	for _, entry := range e.Entries {
		v.expr(entry.Key, atValue)
		v.expr(entry.Value, atValue)
	}
}

func (v *validator) duplicateKey(key string, entry, first *Entry) {
	if v.strict == source.StrictOff {
		return
	}
	d := v.report(duplicateKey, spanOf(entry.Key), "The key '"+key+"' is declared more than once")
	if v.strict == source.StrictError {
		d.Severity = source.Error
	}
	d.Related = v.related(spanOf(first.Key), "first declared here; the last one wins")
}

// textKey gives the string that a key stands for, when it plainly is one.
func textKey(key Expr) (string, bool) {
	switch key := key.(type) {
	case *Str:
		return key.Value, true
	case *Name:
		return key.Value, true
	}
	return "", false
}
