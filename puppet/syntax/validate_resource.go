package syntax

// ---- resources

func (v *validator) resource(e *Resource) {
	if v.tasks && v.inApply == 0 {
		v.catalogOnly(e)
	} else if name, ok := e.Type.(*Name); ok && name.Value == "class" && e.Form != Regular {
		v.report(classNotVirtualizable, e.Where, "Classes are not virtualizable")
	}
	v.expr(e.Type, atOther)
	for _, b := range e.Bodies {
		v.expr(b.Title, atOther)
		var splat *AttrOp
		for _, op := range b.Ops {
			if op.Splat {
				if splat == nil {
					splat = op
				} else {
					d := v.report(multipleAttributesUnfold, op.Where,
						"Unfolding of attributes from Hash can only be used once per resource body")
					d.Related = v.related(splat.Where, "the first one")
					d.Help = "join the hashes: * => $a + $b"
				}
			}
			v.attribute(op, b)
		}
	}
}

func (v *validator) defaults(e *Defaults) {
	v.regular(e, e.Form)
	v.expr(e.Type, atOther)
	for _, op := range e.Ops {
		v.attribute(op, e)
	}
}

func (v *validator) override(e *Override) {
	v.regular(e, e.Form)
	v.expr(e.Target, atOther)
	for _, op := range e.Ops {
		v.attribute(op, nil)
	}
}

// regular refuses @ and @@ where nothing is declared. Puppet speaks of defaults for overrides too.
func (v *validator) regular(e Expr, form Form) {
	if v.tasks && v.inApply == 0 {
		v.catalogOnly(e)
	} else if form != Regular {
		v.report(notVirtualizeable, e.Span(), "Resource Defaults are not virtualizable")
	}
}

// attribute checks one operation of a resource, defaults, override or collector; noAppend is the owner where +> has
// nothing to add to, nil for the other two.
func (v *validator) attribute(op *AttrOp, noAppend Node) {
	if op.Append && noAppend != nil {
		v.report(illegalAttributeAppend, op.NameAt, "Illegal +> operation on attribute "+op.Name+
			". This operator can not be used in "+anA(noAppend)).
			Help = "write =>; there is no earlier value here that +> could add to"
	}
	v.expr(op.Value, atValue)
}

// ---- collectors

func (v *validator) collect(e *Collect, at spot) {
	switch {
	case v.tasks && v.inApply == 0:
		v.catalogOnly(e)
	case v.tasks && e.Exported:
		v.report(notWhenCompiling, e.Where, anACap(e)+" is not available when compiling a catalog")
	default:
		if _, ok := e.Type.(*Ref); !ok {
			d := v.unacceptable(e.Type, "type name", e)
			if name, ok := e.Type.(*Name); ok && isDefinitionName(name.Value) {
				d.Help = "a collector names the type with capitals: " + capitals(name.Value)
			}
		}
	}
	if at == atValue {
		v.noValue(e)
	}
	v.expr(e.Type, atOther)
	if e.Query != nil {
		v.query(e.Query)
		v.expr(e.Query, atOther)
	}
	for _, op := range e.Ops {
		v.attribute(op, nil)
	}
}

// query checks the shape of a collector's condition. What == and != compare is free.
func (v *validator) query(e Expr) {
	switch e := e.(type) {
	case *Var, *Name, *Int, *Float, *Str, *Bool:
		return
	case *Paren:
		v.query(e.X)
		return
	case *Binary:
		switch e.Op {
		case OpEq, OpNe:
			return
		case OpAnd, OpOr:
			v.query(e.Left)
			v.query(e.Right)
			return
		}
	}
	v.report(illegalQueryExpression, spanOf(e), "Illegal query expression. "+anACap(e)+" cannot be used in a query").
		Help = "a query compares attributes with == and !=, joined by and, or"
}

// capitals turns apache::vhost into Apache::Vhost.
func capitals(name string) string {
	b := []byte(name)
	for i, c := range b {
		if isLower(c) && (i == 0 || b[i-1] == ':') {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
