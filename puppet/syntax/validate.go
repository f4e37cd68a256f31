package syntax

import (
	"strings"

	"bunraku/source"
)

// Validate holds a parsed file against the rules that need no evaluation, and accepts or refuses it as Puppet 7's
// checker does (checker4_0.rb; tasks_checker.rb when opt.Tasks). The tree must come from a parse without errors.
//
// It is one walk. Each visit is told where its expression stands, which decides about definitions and about values that
// do not exist, and answers whether the expression is idle: known to have no effect, Puppet's "idem". So a block learns
// from its statements' visits which of them are lost, and nothing is looked at twice.
//
// Where a file lies in a module is not judged here: see ValidatePlacement.
func Validate(f *File, opt Options) source.Diagnostics {
	v := validator{file: f.Source, tasks: opt.Tasks, strict: opt.Strict, language: opt.Language}
	if f.Epp != nil {
		v.epp(f.Epp)
	} else {
		v.body(f.Body.Stmts, looseBody, atProgram)
	}
	if len(v.found) > 1 {
		v.found.Sort()
	}
	return v.found
}

type validator struct {
	file  *source.File
	found source.Diagnostics
	names nameSet

	tasks     bool
	strict    source.Strictness
	language  source.Language
	inApply   int  // depth of apply blocks
	inDefault bool // within a parameter's default, and not within a lambda there
}

// A spot says where an expression stands, as far as rules care.
type spot uint8

const (
	atOther   spot = iota // anywhere not told apart below
	atValue               // its value is used and must exist
	atSide                // beside an arrow: like atValue, but a collector may stand there
	atProgram             // a statement of the file
	atClass               // a statement of a class or of an apply block
	atBlock               // a statement of any other block
	atApply               // an argument of apply, where Puppet lets definitions pass
)

// report adds a finding and returns it, for the caller to add hints to.
func (v *validator) report(r rule, at source.Span, summary string) *source.Diagnostic {
	d := &source.Diagnostic{
		Code:     rules[r].code,
		Severity: rules[r].severity,
		Summary:  summary,
		Place:    source.Place{File: v.file, Span: at},
	}
	v.found = append(v.found, d)
	return d
}

func (v *validator) related(at source.Span, label string) []source.Related {
	return []source.Related{{Place: source.Place{File: v.file, Span: at}, Label: label}}
}

// spanOf is the place to show for a node: the operator where there is one, as Puppet does, the head of a definition,
// else the whole. All start at the line that Puppet names.
func spanOf(n Node) source.Span {
	switch n := n.(type) {
	case *Binary:
		return opSpan(n.OpAt, n.Op)
	case *Assign:
		return opSpan(n.OpAt, n.Op)
	case *Relation:
		return opSpan(n.OpAt, n.Op)
	case *Selector:
		return source.Span{Start: spanOf(n.Left).Start, End: n.Where.End}
	case *Class:
		return source.Span{Start: n.Where.Start, End: n.NameAt.End}
	case *Define:
		return source.Span{Start: n.Where.Start, End: n.NameAt.End}
	case *Function:
		return source.Span{Start: n.Where.Start, End: n.NameAt.End}
	case *Plan:
		return source.Span{Start: n.Where.Start, End: n.NameAt.End}
	case *TypeAlias:
		return n.NameAt
	case *TypeMapping:
		return n.Type.Span()
	case *TypeDef:
		return source.Span{Start: n.Where.Start, End: n.NameAt.End}
	case *NodeDef:
		if len(n.Hosts) > 0 {
			return source.Span{Start: n.Where.Start, End: n.Hosts[len(n.Hosts)-1].Span().End}
		}
	}
	return n.Span()
}

func opSpan(at uint32, op Op) source.Span {
	return source.Span{Start: at, End: at + uint32(len(op.String()))}
}

// expr visits an expression and everything below it.
func (v *validator) expr(e Expr, at spot) (idle bool) {
	switch e := e.(type) {
	case *Str, *Name, *Ref, *Bool, *Undef, *Default, *Float, *Regexp, *Nop:
		return true
	case *Var:
		v.variable(e)
		return true
	case *Interpolated:
		v.exprs(e.Parts, atOther)
		return true
	case *Text:
		v.expr(e.X, atValue)
		return true
	case *Hash:
		v.hash(e)
		return true
	case *List:
		v.exprs(e.Elems, atValue)
		return true
	case *Access:
		v.expr(e.Left, atOther)
		v.exprs(e.Keys, atOther)
		return true
	case *Resource:
		v.resource(e)
	case *Call:
		v.call(e)
	case *MethodCall:
		v.expr(e.Functor.Left, atOther)
		v.exprs(e.Args, atOther)
		v.lambda(e.Lambda)
	case *Int:
		v.integer(e)
		return true
	case *Binary:
		v.expr(e.Left, atValue)
		v.expr(e.Right, atValue)
		return e.Op != OpMatch && e.Op != OpNoMatch // a match sets $0, $1, …
	case *Unary:
		v.expr(e.X, atValue)
		return true
	case *Paren:
		return v.expr(e.X, atValue)
	case *Assign:
		v.assign(e)
	case *Relation:
		v.relation(e)
	case *If:
		idle := v.expr(e.Test, atValue)
		idle = v.body(e.Then.Stmts, looseBody, atBlock).idle && idle
		return v.body(e.Else.Stmts, looseBody, atBlock).idle && idle
	case *Case:
		return v.caseOf(e)
	case *Selector:
		v.selector(e)
		return true
	case *Defaults:
		v.defaults(e)
	case *Override:
		v.override(e)
	case *Collect:
		v.collect(e, at)
	case *Heredoc:
		v.heredoc(e)
		return true
	case *Class:
		v.class(e, at)
	case *Define:
		v.define(e, at)
	case *NodeDef:
		v.nodeDef(e, at)
	case *Function:
		v.function(e, at)
	case *Plan:
		v.plan(e, at)
	case *TypeAlias:
		v.typeAlias(e, at)
	case *TypeMapping:
		v.typeMapping(e, at)
	case *TypeDef:
		v.typeDef(e, at)
	case *Apply:
		v.apply(e)
	case *Block:
		return v.body(e.Stmts, strictBody, atBlock).idle
	case *Reserved:
		v.report(reservedWord, e.Where, "Use of reserved word: "+e.Word+", must be quoted if intended to be a String value").
			Help = "write '" + e.Word + "'"
		return true
	case *Render:
		// The value of a braced block is used as well, but only a lone expression is asked for one.
		if len(e.X.Stmts) == 1 {
			v.expr(e.X.Stmts[0], atValue)
		} else {
			v.body(e.X.Stmts, looseBody, atBlock)
		}
	case *RenderString:
	case *NamedAccess:
		v.expr(e.Left, atOther)
		return true
	case *Lambda:
		v.lambda(e)
	case *Epp:
		v.epp(e)
	}
	return false
}

func (v *validator) exprs(es []Expr, at spot) {
	for _, e := range es {
		v.expr(e, at)
	}
}

// A bodyKind tells which bodies Puppet's parser makes a block of. It matters to no evaluation, only to where
// definitions and untitled resources may stand.
type bodyKind uint8

const (
	looseBody  bodyKind = iota // a block when there are two statements or more: the file, if, unless, else
	strictBody                 // always a block: classes, defines, nodes, functions, lambdas, case options, templates
	applyBody                  // the block of apply, which is strict but never an untitled resource
)

// A bodyEffect is what a body does, as far as is known.
type bodyEffect struct {
	idle     bool // no statement has an effect
	lastIdle bool // the last one has none; false when there are no statements
}

// body visits the statements of a body and reports the first one, before the last, that has no effect.
func (v *validator) body(stmts []Expr, kind bodyKind, at spot) bodyEffect {
	if len(stmts) == 1 && kind == looseBody && at != atProgram {
		at = atOther
	}
	effect := bodyEffect{idle: true}
	lost := -1
	for i, s := range stmts {
		effect.lastIdle = v.expr(s, at)
		if !effect.lastIdle {
			effect.idle = false
		} else if lost < 0 {
			lost = i
		}
	}
	switch {
	case len(stmts) < 2:
	case kind != applyBody && v.untitled(stmts):
		v.untitledResource(stmts[0].(*Name))
	case lost >= 0 && lost < len(stmts)-1:
		v.lost(stmts[lost])
	}
	return effect
}

// untitled recognises `name { … }` as the parser hands it on: a name, then a hash.
func (v *validator) untitled(stmts []Expr) bool {
	if len(stmts) != 2 || v.tasks {
		return false
	}
	_, name := stmts[0].(*Name)
	_, hash := stmts[1].(*Hash)
	return name && hash
}

func (v *validator) untitledResource(name *Name) {
	d := v.report(resourceWithoutTitle, name.Where,
		"This expression is invalid. Did you try declaring a '"+name.Value+"' resource without a title?")
	d.Help = "put a title and a colon before the attributes: " + name.Value + " { 'title': … }"
	if before := strings.Fields(v.file.Text[:name.Where.Start]); len(before) > 0 && isKeyword(before[len(before)-1]) {
		last := before[len(before)-1]
		d.Help = "a definition begins in lower case: " + strings.ToLower(last) + " " + name.Value
	}
	if orchestration.MatchString(v.file.Text[:min(int(name.Where.End)+2, len(v.file.Text))]) {
		d.Help = orchestrated
	}
}

// isKeyword reports whether a word begins a definition, but for its capital.
func isKeyword(word string) bool {
	switch strings.ToLower(word) {
	case "class", "define", "node", "function", "plan":
		return word[0] >= 'A' && word[0] <= 'Z'
	}
	return false
}

func (v *validator) lost(e Expr) {
	d := v.report(idemExpressionNotLast, spanOf(e), "This "+label(e)+
		" has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)")
	switch e := e.(type) {
	case *Binary:
		if _, isVar := e.Left.(*Var); isVar && e.Op == OpEq {
			d.Help = "to assign the variable write a single ="
		}
	case *Name:
		if near := source.Nearest(e.Value, statementCalls); near != "" {
			d.Help = "did you mean " + near + "?"
			break
		}
		d.Help = "to call a function write " + e.Value + "(…); to declare a resource write " + e.Value + " { 'title': … }"
	case *Str:
		d.Help = "is there a function name or an operator missing before it?"
	}
}

// lastIdle reports a body that ends in a value, where the value can serve nobody.
func (v *validator) lastIdle(owner Definition, body *Body, effect bodyEffect) {
	if !effect.lastIdle {
		return
	}
	last := body.Stmts[len(body.Stmts)-1]
	if b, ok := last.(*Block); ok && v.untitled(b.Stmts) {
		return // reported as such
	}
	v.report(idemNotAllowedLast, spanOf(last), "This "+label(last)+" has no effect. "+anACap(owner)+
		" can not end with a value-producing expression without other effect")
}
