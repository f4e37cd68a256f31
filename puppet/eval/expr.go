package eval

import (
	"cmp"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// eval evaluates an expression in a scope. The ref says where the value comes from; for a container it is the spine,
// the elements carry their own.
func (ev *Evaluator) eval(e syntax.Expr, sc *Scope) (value.Value, provenance.Ref) {
	ev.bounds.now = e
	ev.budget.Spend(1, evaluating)
	switch e := e.(type) {
	case *syntax.Str:
		return ev.constant(&e.Lit)
	case *syntax.Name:
		return ev.constant(&e.Lit)
	case *syntax.Var:
		return ev.readVariable(e, sc)
	case *syntax.Int:
		return ev.constant(&e.Lit)
	case *syntax.Float:
		return ev.constant(&e.Lit)
	case *syntax.Bool:
		return value.Bool(e.Value), ev.lit(&e.Lit)
	case *syntax.Undef:
		return value.Undef{}, ev.lit(&e.Lit)
	case *syntax.Default:
		return value.Default{}, ev.lit(&e.Lit)
	case *syntax.Regexp:
		return ev.regexp(e), ev.lit(&e.Lit)
	case *syntax.Interpolated:
		return ev.interpolate(e, sc)
	case *syntax.Heredoc:
		return ev.eval(e.X, sc)
	case *syntax.Text:
		v, r := ev.eval(e.X, sc)
		return value.String(ev.text(v)), ev.op("text", ev.deep(v, r))
	case *syntax.List:
		return ev.list(e, sc)
	case *syntax.Hash:
		return ev.hash(e, sc)
	case *syntax.Ref:
		return ev.reference(e), ev.aliasRef(e.Value)
	case *syntax.Binary:
		return derived(ev.binary(e, sc))
	case *syntax.Unary:
		return derived(ev.unary(e, sc))
	case *syntax.Paren:
		return ev.eval(e.X, sc)
	case *syntax.Assign:
		return ev.assign(e, sc)
	case *syntax.Relation:
		return ev.relation(e, sc)
	case *syntax.Access:
		return derived(ev.access(e, sc))
	case *syntax.Call:
		v, r := ev.call(e, sc)
		if gives(e) {
			return v, r
		}
		return derived(v, r)
	case *syntax.MethodCall:
		return derived(ev.method(e, sc))
	case *syntax.If:
		return derived(ev.ifExpr(e, sc))
	case *syntax.Case:
		return derived(ev.caseExpr(e, sc))
	case *syntax.Selector:
		return derived(ev.selector(e, sc))
	case *syntax.Block:
		return ev.block(e.Stmts, sc)
	case *syntax.Resource:
		return ev.resource(e, sc)
	case *syntax.Defaults:
		return ev.resourceDefaults(e, sc)
	case *syntax.Override:
		return ev.override(e, sc)
	case *syntax.Collect:
		return ev.collect(e, sc), 0
	case *syntax.RenderString:
		ev.render(sc, value.String(e.Value), ev.lit(&e.Lit))
		return value.Undef{}, 0
	case *syntax.Render:
		v, r := ev.block(e.X.Stmts, sc)
		ev.renderValue(sc, v, r)
		return value.Undef{}, 0
	case *syntax.Reserved:
		ev.failf("E0203", e.Where, "Use of reserved word: %s, must be quoted if intended to be a String value", e.Word)
	case *syntax.Plan, *syntax.Apply:
		ev.fail("E0204", e.Span(), "A plan is run by Bolt; it has no place in a catalog")
	}
	return value.Undef{}, 0 // definitions, which were loaded before, and the empty program
}

// constant is the value of a literal, which the cache keeps boxed.
func (ev *Evaluator) constant(l *syntax.Lit) (value.Value, provenance.Ref) {
	return ev.values[l.Ord], ev.lit(l)
}

func (ev *Evaluator) regexp(e *syntax.Regexp) value.Value {
	return remember(ev.cache, ev.cache.regexps, e, func() (*value.Regexp, bool) {
		re, err := value.NewRegexp(e.Source)
		if err != nil {
			ev.fail("E0205", e.Where, err.Error())
		}
		return re, true
	})
}

// block evaluates statements and yields the value of the last.
func (ev *Evaluator) block(stmts []syntax.Expr, sc *Scope) (v value.Value, r provenance.Ref) {
	if len(stmts) == 0 {
		return value.Undef{}, 0
	}
	last := len(stmts) - 1
	if ev.log != nil {
		ev.log.Run(&stmts[0], ev.file)
	}
	ev.runAll(stmts[:last], sc)
	return ev.eval(stmts[last], sc)
}

// run evaluates statements for what they do.
func (ev *Evaluator) run(stmts []syntax.Expr, sc *Scope) {
	if ev.log != nil && len(stmts) > 0 {
		ev.log.Run(&stmts[0], ev.file)
	}
	ev.runAll(stmts, sc)
}

func (ev *Evaluator) runAll(stmts []syntax.Expr, sc *Scope) {
	for _, s := range stmts {
		if e, ok := s.(*syntax.Resource); ok {
			ev.resourceStatement(e, sc)
		} else {
			ev.eval(s, sc)
		}
	}
}

// text is a value in an interpolated string.
func (ev *Evaluator) text(v value.Value) string { return value.ToString(v) }

func (ev *Evaluator) interpolate(e *syntax.Interpolated, sc *Scope) (value.Value, provenance.Ref) {
	var room [8]string
	texts, size := room[:0], 0
	var pieces []value.Piece // of secrets
	var refRoom [8]provenance.Ref
	refs := refRoom[:0]
	var unknown *value.Opaque
	for _, p := range e.Parts {
		var r provenance.Ref
		switch p := p.(type) {
		case *syntax.Str:
			texts, size = append(texts, p.Value), size+len(p.Value)
			r = ev.lit(&p.Lit)
		case *syntax.Text:
			var v value.Value
			v, r = ev.eval(p.X, sc)
			if o := within(v); o != nil { // the other parts ask their questions, and fail, all the same
				unknown = cmp.Or(unknown, o)
			} else if s, ok := v.(value.String); ok {
				if len(e.Parts) == 1 {
					return v, r // a lone interpolation of a string copies it
				}
				if ev.short[string(s)] {
					pieces = append(pieces, value.Piece{Start: size, Len: len(s)})
				}
				texts, size = append(texts, string(s)), size+len(s)
			} else {
				s := ev.text(v)
				if ev.ofPieces(v) {
					ev.Made(s)
				}
				texts, size = append(texts, s), size+len(s)
				r = ev.op("text", ev.deep(v, r))
			}
		}
		if ev.trace != nil {
			refs = append(refs, r)
		}
		if size > maxText {
			ev.tooLarge(ev.place(e.Where), "The string is longer than %d bytes", maxText)
		}
	}
	if unknown != nil {
		return unknown, ev.op("concat", refs...)
	}
	var b strings.Builder
	b.Grow(size)
	var code encoding
	for _, s := range texts {
		b.WriteString(s)
		if len(ev.bytes) > 0 && !code.add(s, ev.isBytes(value.String(s))) {
			ev.runtime(e, code.misfit())
		}
	}
	text := value.String(b.String())
	if code.bytes {
		text = ev.Bytes(string(text))
	}
	ev.made(text, ev.place(e.Where))
	if len(pieces) > 1 {
		ev.pieced(string(text), pieces)
	}
	return text, ev.op("concat", refs...)
}

func (ev *Evaluator) list(e *syntax.List, sc *Scope) (value.Value, provenance.Ref) {
	elems, refs, spine := ev.unfold(nil, nil, e.Elems, sc)
	a := &value.Array{Elems: elems, Refs: refs}
	if o := opaque(elems...); o != nil && slices.ContainsFunc(e.Elems, isSplat) { // how many there are is not known
		return o, ev.deep(a, spine)
	}
	ev.made(a, ev.place(e.Where))
	return a, spine
}

func isSplat(x syntax.Expr) bool {
	u, is := unwrapParens(x).(*syntax.Unary)
	return is && u.Op == syntax.OpSplat
}

// unfold evaluates arguments or elements; `*$x` stands for the elements of $x. The spine joins what decides how many
// there are.
func (ev *Evaluator) unfold(elems []value.Value, refs []provenance.Ref, list []syntax.Expr, sc *Scope) ([]value.Value,
	[]provenance.Ref, provenance.Ref) {
	if elems == nil && len(list) > 0 {
		elems = make([]value.Value, 0, len(list))
	}
	if refs == nil && ev.trace != nil && len(list) > 0 {
		refs = ev.roomFor(len(list))
	}
	var spine provenance.Ref
	for _, x := range list {
		x = unwrapParens(x)
		if u, ok := x.(*syntax.Unary); ok && u.Op == syntax.OpSplat {
			a, r := ev.splat(u, sc)
			spine = ev.trace.Join(spine, r)
			for i, v := range a.Elems {
				elems = append(elems, v)
				if ev.trace != nil {
					refs = append(refs, ev.trace.With(a.Ref(i), r))
				}
			}
			continue
		}
		v, r := ev.eval(x, sc)
		elems = append(elems, v)
		if ev.trace != nil {
			refs = append(refs, r)
		}
	}
	ev.allLatest(elems, refs)
	return elems, refs, spine
}

func unwrapParens(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// splat is the array that `*x` stands for.
func (ev *Evaluator) splat(u *syntax.Unary, sc *Scope) (*value.Array, provenance.Ref) {
	v, r := ev.eval(u.X, sc)
	switch v := v.(type) {
	case value.Undef:
		return value.EmptyArray, r
	case *value.Array:
		return v, r
	case *value.Hash:
		return v.Pairs(), r
	case *value.Iterator:
		return v.Array(), r
	}
	a := value.NewArray(v)
	if ev.trace != nil {
		a.Refs = []provenance.Ref{r}
	}
	return a, r
}

func (ev *Evaluator) hash(e *syntax.Hash, sc *Scope) (value.Value, provenance.Ref) {
	b := value.NewHashBuilder(len(e.Entries))
	var unknown *value.Opaque // which keys it has is not known then
	for _, x := range e.Entries {
		k, kr := ev.eval(x.Key, sc)
		v, vr := ev.eval(x.Value, sc)
		ev.looksInto(k)
		unknown = cmp.Or(unknown, within(k))
		ev.put(b, value.Entry{Key: k, Value: v, KeyRef: ev.deep(k, kr), Ref: vr})
	}
	h := b.Hash()
	if unknown != nil {
		return unknown, ev.deep(h, 0)
	}
	ev.made(h, ev.place(e.Where))
	return ev.latest(h, 0)
}

// reference evaluates an upper-case name: a data type, a type alias, or a resource type.
func (ev *Evaluator) reference(e *syntax.Ref) value.Value {
	if t := ev.table.refs[e]; t != nil {
		return t
	}
	t, err := ev.resolveType(e.Value)
	if err != nil {
		ev.runtime(e, err.Error())
	}
	if r, is := t.(*types.Resource); is && r.Why != "" {
		return &value.Opaque{Why: r.Why}
	}
	if t != nil {
		ev.table.refs[e] = t
		return t
	}
	d := &source.Diagnostic{Code: "E0206", Summary: "Evaluation Error: Resource type not found: " +
		strings.TrimPrefix(e.Value, "::"), Place: ev.place(e.Where), About: about(source.MissingType, e.Value)}
	if near := source.Nearest(e.Value, ev.typeNames()); near != "" {
		d.Help = "did you mean " + near + "?"
	}
	ev.failAt(d)
	return nil
}

func (ev *Evaluator) resolveType(name string) (value.Type, error) {
	if t := types.Builtin(canonical(name)); t != nil {
		return t, nil
	}
	return ev.TypeNamed(name)
}

func (ev *Evaluator) typeNames() []string {
	names := []string{"String", "Integer", "Float", "Numeric", "Boolean", "Array", "Hash", "Optional", "Variant", "Enum",
		"Pattern", "Struct", "Tuple",
		"Sensitive", "Regexp", "Type", "Class", "Resource", "File", "Package", "Service", "User", "Group", "Exec", "Cron",
		"Notify"}
	for n := range ev.defines {
		names = append(names, capitalized(n))
	}
	return names
}

// assign is `$a = x` and its destructuring forms.
func (ev *Evaluator) assign(e *syntax.Assign, sc *Scope) (value.Value, provenance.Ref) {
	v, r := ev.eval(e.Right, sc)
	if e.Op != syntax.OpSet {
		ev.failf("E0207", e.Where, "The operator '%s' is no longer supported. See http://links.puppet.com/remove-plus-equals",
			e.Op)
	}
	ev.assignTo(e.Left, v, r, e, sc)
	return v, r
}

func (ev *Evaluator) assignTo(target syntax.Expr, v value.Value, r provenance.Ref, e *syntax.Assign, sc *Scope) {
	switch t := target.(type) {
	case *syntax.Var:
		ev.setVariable(t, v, ev.under(r), e, sc)
	case *syntax.List:
		ev.destructure(t, v, r, e, sc)
	default:
		ev.failf("E0208", e.Where, "Evaluation Error: Illegal attempt to assign to '%s'. Not an assignable reference",
			label(target))
	}
}

func (ev *Evaluator) setVariable(t *syntax.Var, v value.Value, r provenance.Ref, e *syntax.Assign, sc *Scope) {
	name := t.Name
	switch {
	case strings.Contains(name, "::"):
		ev.failf("E0209", t.Where,
			"Evaluation Error: Illegal attempt to assign to '%s'. Cannot assign to variables in other namespaces", name)
	case name == "server_facts":
		ev.failf("E0210", e.Where, "Evaluation Error: Attempt to assign to a reserved variable name: '$%s'", name)
	case sc.bound(name):
		switch name {
		case "facts", "trusted":
			ev.failf("E0210", opPlace(e.OpAt), "Evaluation Error: Attempt to assign to a reserved variable name: '$%s'", name)
		case "name", "title":
			ev.failf("E0211", opPlace(e.OpAt), "Evaluation Error: Cannot reassign built in (or already assigned) variable '$%s'",
				name)
		}
		ev.mayLeave = ev.mayLeave || sc.unsettled(name)
		ev.failf("E0211", opPlace(e.OpAt), "Evaluation Error: Cannot reassign variable '$%s'", name)
	case name == "facts" || name == "trusted":
		ev.failf("E0210", opPlace(e.OpAt),
			"Evaluation Error: Error while evaluating a '=' expression, Attempt to assign to a reserved variable name: '%s'",
			name)
	}
	if ev.trace != nil {
		r = ev.trace.Note(r, provenance.Variable, name, sc.owner(), ev.place(t.Where), v)
	}
	sc.Set(name, v, r)
	if ev.log != nil && trace.MayWait(e.Right) {
		f := sc.frame
		for f.kind == matchFrame {
			f = f.outer
		}
		if set := f.slot(name); set != nil {
			set.asks = ev.log.Later(&e.Right, ev.file)
		}
	}
}

func opPlace(at uint32) source.Span { return source.Span{Start: at, End: at + 1} }

// destructure is `[$a, $b] = x` for arrays, hashes and classes.
func (ev *Evaluator) destructure(t *syntax.List, v value.Value, r provenance.Ref, e *syntax.Assign, sc *Scope) {
	switch v := v.(type) {
	case *value.Hash:
		for _, x := range t.Elems {
			name := ""
			if lv, ok := x.(*syntax.Var); ok {
				name = lv.Name
			}
			entry := v.EntryString(name)
			if entry == nil {
				ev.failf("E0212", opPlace(e.OpAt),
					"Evaluation Error: No value for required key '%s' in assignment to variables from hash", name)
			}
			ev.assignTo(x, entry.Value, ev.Found(v, entry, r), e, sc)
		}
		return
	case *value.Opaque: // how many there are is not known either
		for _, x := range t.Elems {
			ev.assignTo(x, v, r, e, sc)
		}
		return
	case *types.Class:
		if ev.find("Class", capitalized(v.Of)) == nil {
			ev.failf("E0213", e.Right.Span(), "Evaluation Error: Resource not found: Class['%s']", v.Of)
		}
		for _, x := range t.Elems {
			lv, ok := x.(*syntax.Var)
			if !ok {
				continue
			}
			val, vr, found, _ := ev.qualified(sc, strings.ToLower(v.Of)+"::"+lv.Name)
			if !found {
				ev.failf("E0212", x.Span(),
					"Evaluation Error: No value for required variable '$%s::%s' in assignment to variables from class reference",
					strings.ToLower(v.Of), lv.Name)
			}
			ev.assignTo(x, val, ev.trace.With(vr, r), e, sc)
		}
		return
	}
	a, ok := v.(*value.Array)
	if !ok {
		a = value.NewArray(v)
		if ev.trace != nil {
			a.Refs = []provenance.Ref{r}
		}
	}
	if len(a.Elems) != len(t.Elems) {
		ev.failf("E0212", opPlace(e.OpAt),
			"Evaluation Error: Mismatched number of assignable entries and values, expected %d, got %d", len(t.Elems),
			len(a.Elems))
	}
	for i, x := range t.Elems {
		ev.assignTo(x, a.Elems[i], ev.trace.With(a.Ref(i), r), e, sc)
	}
}
