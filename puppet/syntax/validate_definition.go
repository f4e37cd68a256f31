package syntax

import (
	"strings"

	"bunraku/source"
)

// ---- where definitions may stand

// nesting reports a definition in the wrong place. Functions, plans and aliases are absolute: a class may not hold
// them. The two complaints depend on whether a block lies between, as in Puppet.
func (v *validator) nesting(d Definition, at spot, absolute bool) {
	switch at {
	case atProgram, atApply:
		return
	case atClass:
		if !absolute {
			return
		}
	case atBlock:
	default:
		absolute = false
	}
	if absolute {
		v.report(notAbsoluteTopLevel, spanOf(d), anACap(d)+" may only appear at toplevel").
			Help = "move it out of the braces around it, to a file of its own"
	} else {
		v.report(notTopLevel, spanOf(d),
			"Classes, definitions, and nodes may only appear at toplevel or inside other classes").
			Help = "move it to the top of the file; a condition can decide whether a class is included, not whether it exists"
	}
	if at == atValue || at == atSide {
		v.noValue(d)
	}
}

func (v *validator) noValue(e Expr) {
	v.report(notRvalue, spanOf(e), "Invalid use of expression. "+anACap(e)+" does not produce a value")
}

// named holds what classes, defines, functions and plans have in common.
func (v *validator) named(d Definition, name string, nameAt source.Span, at spot, absolute bool) {
	v.nesting(d, at, absolute)
	// The parser forgets a leading :: when no class is around.
	if written := v.file.Slice(nameAt); strings.HasPrefix(written, "::") && !strings.Contains(name, "::::") {
		name = written
	}
	// The name is the tightest place, as long as it stands in the line that Puppet names.
	if strings.Contains(v.file.Slice(source.Span{Start: d.Span().Start, End: nameAt.Start}), "\n") {
		nameAt = spanOf(d)
	}
	if !isDefinitionName(name) {
		diag := v.report(illegalDefinitionName, nameAt,
			"Unacceptable name. The name '"+name+"' is unacceptable as the name of "+anA(d))
		if better := strings.TrimPrefix(plainName(name), "::"); isDefinitionName(better) {
			diag.Help = "a name is made of lower-case words joined by ::, such as " + better
		}
	}
	if isReservedTypeName(name) {
		v.report(reservedTypeName, nameAt, "The name: '"+name+
			"' is already defined by Puppet and can not be used as the name of "+anA(d)+".")
	}
	v.futureWord(name, nameAt)
}

// futureWord warns about the one word that is left on Puppet's list.
func (v *validator) futureWord(name string, at source.Span) {
	if name == "plan" {
		v.report(futureReservedWord, at, "Use of future reserved word: 'plan'")
	}
}

// ---- the definitions

func (v *validator) class(d *Class, at spot) {
	if v.tasks {
		v.catalogOnly(d)
		v.valueOnly(d, at)
	} else {
		v.named(d, d.Name, d.NameAt, at, false)
		v.resourceParams(d, d.Params)
		v.literalTypes(d.Params)
	}
	v.params(d.Params)
	effect := v.body(d.Body.Stmts, strictBody, atClass)
	if !v.tasks {
		v.lastIdle(d, &d.Body, effect)
	}
}

func (v *validator) define(d *Define, at spot) {
	if v.tasks {
		v.catalogOnly(d)
		v.valueOnly(d, at)
	} else {
		v.named(d, d.Name, d.NameAt, at, false)
		v.resourceParams(d, d.Params)
	}
	v.params(d.Params)
	effect := v.body(d.Body.Stmts, strictBody, atBlock)
	if !v.tasks {
		v.lastIdle(d, &d.Body, effect)
	}
}

func (v *validator) function(d *Function, at spot) {
	v.named(d, d.Name, d.NameAt, at, true)
	v.uniqueParams(d.Params)
	v.params(d.Params)
	v.returnType(d.Returns)
	v.body(d.Body.Stmts, strictBody, atBlock)
}

func (v *validator) plan(d *Plan, at spot) {
	v.named(d, d.Name, d.NameAt, at, true)
	v.uniqueParams(d.Params)
	v.params(d.Params)
	v.body(d.Body.Stmts, strictBody, atBlock)
}

func (v *validator) nodeDef(d *NodeDef, at spot) {
	compiling := !v.tasks || v.inApply > 0
	if compiling {
		for _, h := range d.Hosts {
			v.hostname(h, d)
		}
		v.nesting(d, at, false)
		if d.Parent != nil {
			v.report(illegalNodeInheritance, d.Parent.Span(),
				"Node inheritance is not supported in Puppet >= 4.0.0. See "+
					"http://links.puppet.com/puppet-node-inheritance-deprecation").
				Help = "put what the nodes share in a class that both include"
		}
	} else {
		v.catalogOnly(d)
		v.valueOnly(d, at)
	}
	v.exprs(d.Hosts, atOther)
	v.expr(d.Parent, atOther)
	effect := v.body(d.Body.Stmts, strictBody, atBlock)
	if compiling {
		v.lastIdle(d, &d.Body, effect)
	}
}

// hostname checks one name of a node. A bare or quoted name has few characters, a regexp or default is always fine.
func (v *validator) hostname(h Expr, d *NodeDef) {
	switch h := h.(type) {
	case *Str:
		v.hostnameText(h, h.Value)
	case *Name:
		v.hostnameText(h, h.Value)
	case *Ref:
		v.hostnameText(h, strings.ToLower(h.Value))
	case *Bool, *Int, *Float, *Regexp, *Default:
	case *Interpolated:
		at := h.Where
		for _, p := range h.Parts {
			if t, ok := p.(*Text); ok {
				at = spanOf(t.X)
				break
			}
		}
		v.report(illegalHostnameInterpolation, at, "An interpolated expression is not allowed in a hostname of a node").
			Help = "nodes are chosen before any variable has a value; use a regular expression, or a case on a fact inside " +
			"`node default`"
	default:
		v.unacceptable(h, "hostname", d)
	}
}

func (v *validator) hostnameText(h Expr, name string) {
	if !isHostname(name) {
		v.report(illegalHostnameChars, h.Span(), "The hostname '"+name+
			"' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)")
	}
}

// unacceptable says that an expression has the wrong kind for its role in a container.
func (v *validator) unacceptable(e Expr, role string, container Node) *source.Diagnostic {
	return v.report(illegalExpression, spanOf(e),
		"Illegal expression. "+anACap(e)+" is unacceptable as "+role+" in "+anA(container))
}

// ---- types

func (v *validator) typeAlias(d *TypeAlias, at spot) {
	v.nesting(d, at, true)
	if !isTypeName(d.Name) {
		v.report(illegalDefinitionName, d.NameAt, "Unacceptable name. The name '"+d.Name+"' is unacceptable as the name of "+
			anA(d))
	}
	if d.X == nil {
		return
	}
	if ref := typeRef(d.X); ref == nil {
		v.unacceptable(d.X, "a type reference", d)
	} else {
		v.futureWord(strings.ToLower(ref.Value), d.X.Span())
	}
	v.expr(d.X, atOther)
}

// returnType visits the type behind >>. The grammar has made sure that it is one.
func (v *validator) returnType(x Expr) {
	if x == nil {
		return
	}
	if ref := typeRef(x); ref != nil {
		v.futureWord(strings.ToLower(ref.Value), x.Span())
	}
	v.expr(x, atOther)
}

// typeRef gives the name in `Name` and `Name[…]`, or nil.
func typeRef(x Expr) *Ref {
	if a, ok := x.(*Access); ok {
		x = a.Left
	}
	ref, _ := x.(*Ref)
	return ref
}

// typeMapping checks `type Runtime[ruby, X] = Y`: the left side is a name or a pattern with its replacement, and so is
// the right.
func (v *validator) typeMapping(d *TypeMapping, at spot) {
	v.nesting(d, at, false)
	runtime, pattern := false, false
	if a, ok := d.Type.(*Access); ok {
		if ref, ok := a.Left.(*Ref); ok && ref.Value == "Runtime" {
			runtime = true
			pattern = len(a.Keys) == 2 && isReplacement(a.Keys[1])
		}
	}
	switch {
	case !runtime:
		v.report(unsupportedExpression, spanOf(d), "Expressions of type "+anA(d)+
			" are not supported in this version of Puppet").
			Help = "only Runtime[…] can be mapped; an alias has a plain name on its left"
	case pattern && !isReplacement(d.X):
		v.report(illegalTypeMapping, spanOf(d),
			"Illegal type mapping. Expected a Tuple[Regexp,String] on the left side, got "+anACap(d))
	case !pattern && !v.isMappedType(d.X):
		v.report(illegalTypeMapping, spanOf(d), "Illegal type mapping. Expected a Type on the left side, got "+anACap(d))
	}
	v.expr(d.Type, atOther)
	v.expr(d.X, atOther)
}

// isMappedType recognises `Name` and `Name[…]`. The tree has the latter for `Name { … }` too, which an alias may have
// but a mapping may not.
func (v *validator) isMappedType(x Expr) bool {
	return typeRef(x) != nil && !strings.HasSuffix(v.file.Slice(x.Span()), "}")
}

// isReplacement recognises `[/pattern/, 'replacement']`.
func isReplacement(x Expr) bool {
	l, ok := x.(*List)
	if !ok || len(l.Elems) != 2 {
		return false
	}
	_, pattern := l.Elems[0].(*Regexp)
	_, text := l.Elems[1].(*Str)
	return pattern && text
}

func (v *validator) typeDef(d *TypeDef, at spot) {
	v.nesting(d, at, true)
	v.report(unsupportedExpression, spanOf(d), "Expressions of type "+anA(d)+
		" are not supported in this version of Puppet").
		Help = "write type " + d.Name + " = Object[{…}]"
	v.body(d.Body.Stmts, strictBody, atBlock)
}

// ---- parameters

// resourceParams holds the rules for what becomes a resource: a class or a define.
func (v *validator) resourceParams(d Definition, params []*Param) {
	v.noRest(d, params)
	v.uniqueParams(params)
	for _, p := range params {
		if p.Name == "name" || p.Name == "title" {
			v.report(reservedParameter, p.NameAt, "The parameter $"+p.Name+" redefines a built in parameter in the "+label(d)).
				Help = "$" + p.Name + " is there without being declared; give this parameter another name"
		}
	}
}

// literalTypes warns of types of a class's parameters that have to be computed: Puppet 8 wants to do without.
func (v *validator) literalTypes(params []*Param) {
	if !v.language.Eight() {
		return
	}
	for _, p := range params {
		access, is := p.Type.(*Access)
		if !is {
			continue
		}
		if _, literal := v.literal(access); !literal {
			v.report(nonliteralParameterType, spanOf(p.Type), "The parameter '$"+p.Name+
				"' must be a literal type, not a Puppet::Pops::Model::AccessExpression").
				Help = "write the type without variables, calls and operators: a later Puppet refuses them here"
		}
	}
}

func (v *validator) noRest(owner Node, params []*Param) {
	for _, p := range params {
		if p.Splat {
			v.report(capturesRestNotSupported, p.NameAt, "Parameter $"+p.Name+" has 'captures rest' - not supported in "+
				anA(owner)).
				Help = "take an array instead"
		}
	}
}

func (v *validator) uniqueParams(params []*Param) {
	if len(params) < 2 {
		return
	}
	v.names.reset(len(params))
	for i, p := range params {
		if first, added := v.names.add(p.Name, i); !added {
			v.report(duplicateParameter, p.NameAt, "The parameter '"+p.Name+
				"' is declared more than once in the parameter list").
				Related = v.related(params[first].NameAt, "first declared here")
		}
	}
}

func (v *validator) params(params []*Param) {
	for _, p := range params {
		if isNumericParamName(p.Name) {
			v.report(illegalNumericParameter, p.NameAt,
				"The numeric parameter name '$"+p.Name+"' cannot be used (clashes with numeric match result variables)")
		}
		if !isParamName(p.Name) {
			d := v.report(illegalParamName, p.NameAt,
				"Illegal parameter name. The given name '"+p.Name+`' does not conform to the naming rule /^[a-z_]\w*$/`)
			if better := plainName(p.Name); isParamName(better) {
				d.Help = "did you mean $" + better + "?"
			}
		}
		if p.Type != nil {
			v.expr(p.Type, atOther)
		}
		if p.Default != nil {
			outer := v.inDefault
			v.inDefault = true
			v.expr(p.Default, atOther)
			v.inDefault = outer
		}
	}
}

// lambda visits a lambda. A function or lambda may repeat a parameter's name as far as this checker is concerned.
func (v *validator) lambda(l *Lambda) {
	if l == nil {
		return
	}
	outer := v.inDefault
	v.inDefault = false
	v.restLast(l.Params)
	v.params(l.Params)
	v.returnType(l.Returns)
	v.body(l.Body.Stmts, strictBody, atBlock)
	v.inDefault = outer
}

func (v *validator) restLast(params []*Param) {
	for i, p := range params {
		if p.Splat && i != len(params)-1 {
			v.report(capturesRestNotLast, p.NameAt, "Parameter $"+p.Name+" is not last, and has 'captures rest'")
		}
	}
}

// epp visits a template, which Puppet takes for a lambda.
func (v *validator) epp(e *Epp) {
	v.restLast(e.Params)
	v.noRest(e, e.Params)
	v.uniqueParams(e.Params)
	v.params(e.Params)
	v.body(e.Body.Stmts, strictBody, atBlock)
}

// ---- plans

func (v *validator) apply(e *Apply) {
	if v.tasks && v.inApply > 0 {
		v.report(notWhenCompiling, e.Where, anACap(e)+" is not available when compiling a catalog")
	}
	v.exprs(e.Args, atApply)
	v.inApply++
	v.body(e.Body.Stmts, applyBody, atClass)
	v.inApply--
}

// catalogOnly refuses, in a plan, what only makes sense for a catalog.
func (v *validator) catalogOnly(e Expr) {
	v.report(notWhenScripting, spanOf(e), anACap(e)+" is only available when compiling a catalog").
		Help = "put it in an apply block"
}

// valueOnly is what is left of nesting when a definition is refused outright.
func (v *validator) valueOnly(d Definition, at spot) {
	if at == atValue || at == atSide {
		v.noValue(d)
	}
}
