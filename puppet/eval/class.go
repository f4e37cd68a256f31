package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// ensureClass puts a class into the catalog without parameters, unless it is there (rules IncU and IncPU of µPuppet: a
// class that is included twice is declared once). It does not evaluate it.
func (ev *Evaluator) ensureClass(d *Definition, sc *Scope) *Resource {
	title := d.title()
	if r := ev.find("Class", title); r != nil {
		return r
	}
	r := ev.rooms.resources.one()
	r.Type, r.Title, r.kind, r.def, r.scope, r.source = "Class", title, "unknown", d, sc, d
	r.existence = ev.trace.Join(ev.ctl)
	ev.initialTags(r)
	ev.applyDefaults(r, sc)
	ev.ensureParent(r, sc)
	ev.table.tags.merge(&r.tags)
	ev.addResource(r, sc, &syntax.Nop{})
	return r
}

// ensureParent puts the class that a class inherits from into the catalog: where the one is, the other is.
func (ev *Evaluator) ensureParent(r *Resource, sc *Scope) {
	d := r.def
	ev.checkLineage(d)
	if d.Parent == "" {
		return
	}
	before := ev.ctl
	ev.ctl = r.existence
	if p := ev.ensureClass(ev.parentOf(d), sc); !p.asked.Known() && !p.evaluated {
		p.asked = d.place()
	}
	ev.ctl = before
}

// checkLineage refuses a class that inherits from itself, by whatever detour; Puppet runs out of stack there.
func (ev *Evaluator) checkLineage(d *Definition) {
	names := []string{d.Name}
	for p := d; p.Parent != "" && len(names) <= maxNesting; {
		p = ev.parentOf(p)
		names = append(names, p.Name)
		if p == d {
			ev.failAt(&source.Diagnostic{Code: "E0533", Place: d.place(), Summary: "The class inherits from itself: " +
				strings.Join(names, " inherits ")})
		}
	}
}

func (ev *Evaluator) parentOf(d *Definition) *Definition {
	p := ev.wantClass(d.Parent)
	if p == nil {
		at := source.Span{}
		if c, ok := d.Node.(*syntax.Class); ok {
			at = c.ParentAt
		}
		diag := &source.Diagnostic{Code: "E0530", Place: source.Place{File: d.File.Source, Span: at},
			Summary: fmt.Sprintf("Could not find parent resource type '%s' of type hostclass in %s", "::"+canonical(d.Parent),
				ev.in.Environment), About: about(source.MissingClass, canonical(d.Parent))}
		if near := source.Nearest(canonical(d.Parent), ev.classNames()); near != "" {
			diag.Help = "did you mean " + near + "?"
		}
		ev.failAt(diag)
	}
	return p
}

const mostAgain = 50 // further calls for one class that are kept

// includeClasses is what include does: first all classes are put into the catalog, then the new ones are evaluated in
// turn.
func (ev *Evaluator) includeClasses(names []string, sc *Scope, at source.Place) ([]*Resource, error) {
	defs := make([]*Definition, len(names))
	for i, n := range names {
		if defs[i] = ev.wantClass(n); defs[i] == nil {
			return nil, ev.missingClass(n)
		}
	}
	all := make([]*Resource, 0, len(defs))
	var fresh []*Resource
	for _, d := range defs {
		if s := ev.table.scopes[d.Name]; s != nil {
			if ev.trace != nil && len(s.resource.again) < mostAgain && at.Known() {
				s.resource.again = append(s.resource.again, at)
			}
			all = append(all, s.resource)
			continue
		}
		r := ev.ensureClass(d, sc)
		if !r.asked.Known() {
			r.asked = at
		}
		all = append(all, r)
		fresh = append(fresh, r)
	}
	before := ev.asking
	ev.asking = at
	for _, r := range fresh {
		ev.evaluateClass(r)
	}
	ev.asking = before
	return all, nil
}

// declaredAt is where a resource was declared; of an included class, where the call stands that made it evaluated.
func (ev *Evaluator) declaredAt(r *Resource) source.Place {
	if r.hasPlace {
		return r.place
	}
	return ev.asking
}

func (ev *Evaluator) missingClass(name string) *badValue {
	m := &badValue{text: fmt.Sprintf("Could not find class %s for %s", name, ev.in.Node),
		about: about(source.MissingClass, canonical(name))}
	if near := source.Nearest(canonical(name), ev.classNames()); near != "" {
		m.help = "did you mean " + near + "?"
	}
	return m
}

// evaluateClass evaluates a class or node that is in the catalog, once.
func (ev *Evaluator) evaluateClass(r *Resource) {
	if r.evaluated {
		return
	}
	r.evaluated = true
	ev.scopeTags(r)
	ev.evaluateCode(r)
}

// evaluateCode runs the body of a class, node or define for its resource: parent first, then parameters, then the body.
func (ev *Evaluator) evaluateCode(r *Resource) {
	d := r.def
	parent := r.scope
	var inherited *Scope
	if d.Kind == ClassKind && d.Parent != "" {
		p := ev.parentOf(d)
		if pr := ev.find("Class", p.title()); pr != nil {
			ev.lead(p.Name)
			ev.evaluateClass(pr)
			// the parent is waiting for its own parent, which led here
			if inherited = ev.table.scopes[p.Name]; inherited == nil {
				ev.failAt(&source.Diagnostic{Code: "E0534", Place: ev.declaredAt(r), Summary: "Could not find scope for " + p.Name})
			}
			parent = inherited
		}
	}
	sc := ev.top
	if !r.main {
		sc = ev.newScope(parent, d, r)
		sc.inherits = inherited
	}
	if d.Kind != DefineKind && d.Name != "" {
		ev.table.classes = append(ev.table.classes, d.Name)
		if ev.trace != nil {
			ev.noteFirst(d, r)
		}
	}
	ev.push(step{of: r, place: r.place})
	c := ev.enterFile(d.File)
	before, jumps := ev.ctl, ev.jumps
	if ev.jumps = 0; ev.trace != nil && r.isClass() && !r.main { // whoever includes the class, its code runs
		ev.ctl = r.existence
	}
	sc.ctl, r.inside = ev.ctl, sc
	began := ev.ghosts.count()
	ev.bindParameters(r, sc)
	ev.stageEdge(r)
	ev.runBody(d, sc)
	ev.closeScope(sc, began)
	ev.ctl, ev.jumps = before, jumps
	ev.leaveFile(c)
	ev.pop()
}

// noteFirst keeps what decides that, and when, a class is evaluated.
func (ev *Evaluator) noteFirst(d *Definition, r *Resource) {
	var others provenance.Ref
	// such a statement is the first to declare its class, or fails: whatever could have declared it earlier does not
	// matter
	if r.stated == 0 {
		others = ev.mayDeclare(d.Name) // before its scope is entered: all names given so far count
	}
	if ev.table.firsts == nil {
		ev.table.firsts, ev.table.since = map[string]provenance.Ref{}, map[string]provenance.Ref{}
	}
	ev.table.firsts[d.Name] = ev.trace.Join(ev.ctl, r.existence, others, ev.moment(), ev.positionOf(r.scope))
	ev.table.since[d.Name] = ev.trace.Join(ev.ctl, ev.sinceRef(ev.running()))
}

func stackText(r *Resource) string {
	switch {
	case r.main:
		return "main"
	case r.isClass():
		return canonical(r.Title)
	case r.Type == "Node":
		return "node '" + r.scope.ev.in.Node + "'"
	}
	return r.Ref()
}

// runBody evaluates the statements; `return` ends them, and so does `next`.
func (ev *Evaluator) runBody(d *Definition, sc *Scope) {
	run := func(stmts []syntax.Expr) {
		if !ev.cache.mayJump(stmts) {
			ev.run(stmts, sc)
			return
		}
		ev.catching(stmts, sc, func(k jumpKind) bool { return k != jumpBreak && d.Kind != NodeKind && d.Name != "" })
	}
	if d.parts == nil {
		run(d.Body)
		return
	}
	for _, f := range d.parts {
		c := ev.enterFile(f)
		run(f.Body.Stmts)
		ev.leaveFile(c)
	}
}

// bindParameters gives a class or define its parameters: the values given, for classes what Hiera has, then the
// defaults in order. Rules DefDecl and CDec of µPuppet, with automatic lookup.
func (ev *Evaluator) bindParameters(r *Resource, sc *Scope) {
	d := r.def
	module := d.Module
	if v, ok := r.Param("module_name"); ok {
		module = value.ToString(v)
	}
	if sc.own.vars == nil {
		room := 4 + len(r.params)
		if d.shape != nil { // what is given is mostly parameters; the rest are metaparameters
			room = 6 + len(d.shape.names)
		}
		sc.own.vars = make([]variable, 0, room)
	}
	sc.setOnce("module_name", value.String(module), 0)
	if sc.parent != nil && sc.parent.source != nil {
		sc.setOnce("caller_module_name", value.String(sc.parent.source.Module), ev.firstOfScope(sc))
	}
	if d.Kind == ClassKind {
		ev.automaticLookup(r, sc)
	}
	title, name := r.Title, ev.nameOf(r)
	if d.Kind == ClassKind {
		title, name = value.Downcase(title), value.Downcase(name)
	}
	for _, taken := range []string{"title", "name"} {
		if r.main && sc.own.find(taken) != nil { // by a fact
			ev.failAt(&source.Diagnostic{Code: "E0211", Summary: "Cannot reassign variable '$" + taken + "'"})
		}
	}
	configured := func(param string) provenance.Ref {
		if d.Kind != ClassKind { // an override in a branch that was passed over
			ref := ev.trace.Join(ev.noDefault(r, param), ev.withheld(r, param))
			if ev.trace == nil || ev.untouched(d, r.Type) {
				return ref
			}
			return ev.trace.Join(ev.mayTouch(r, param), ref)
		}
		return ev.mayConfigure(d.Name, param)
	}
	nameRef := r.titleRef
	if p := r.param("name"); p != nil {
		_, text := p.value.(value.String)
		switch nameRef = ev.trace.With(p.ref, r.titleRef); {
		case value.IsUndef(p.value):
			nameRef = ev.trace.With(r.titleRef, p.ref)
		case d.Kind == ClassKind:
			nameRef = ev.trace.Op("downcase", nameRef)
		case !text:
			nameRef = ev.trace.Op("text", nameRef)
		}
	} else if ev.trace != nil && d.Kind == DefineKind {
		nameRef = ev.trace.With(nameRef, r.splat, configured("name"))
	}
	var titled value.Value = value.String(title)
	sc.setOnce("title", titled, r.titleRef)
	if name != title {
		titled = value.String(name)
	}
	sc.setOnce("name", titled, nameRef)
	if d.Kind != DefineKind {
		ev.table.scopes[d.Name] = sc
	}
	mark := sc.mark()
	f := sc.pushFrame(paramFrame)
	f.of, f.shape = r, d.shape
	before := len(sc.own.vars)
	f.vars = sc.own.vars[before:] // they become the scope's own in the end
	for _, p := range d.Params {
		f.vars = append(f.vars, variable{name: p.Name})
	}
	ev.bringUp(r)
	for _, p := range r.params {
		if p.name == "name" || p.name == "title" {
			continue
		}
		if v := f.find(p.name); v != nil {
			v.value, v.ref = p.value, ev.trace.With(p.ref, configured(p.name))
			if ev.trace != nil {
				v.ref = ev.trace.Note(v.ref, provenance.Parameter, p.name, ev.ownerOf(r), p.place, p.value)
			}
		} else {
			f.add(p.name, p.value, ev.trace.With(p.ref, r.existence, configured(p.name)))
		}
	}
	var made []param
	for i, p := range d.Params {
		v := &f.vars[i]
		if p.Default == nil {
			if v.value == nil && d.Kind == ClassKind {
				if o := ev.NoData(d.shape.keys[i]); o != nil {
					v.value, v.ref = o, configured(p.Name)
					ev.setParam(r, &param{p.Name, o, v.ref, source.Place{File: d.File.Source, Span: p.Where}, r.source, false, false})
				}
			}
			continue
		}
		if v.value != nil && !value.IsUndef(v.value) {
			continue
		}
		var why provenance.Ref // there is none given; what the default does, such as include a class, hangs on that too
		if ev.trace != nil && !plain(p.Default) {
			why = ev.trace.Join(v.ref, configured(p.Name), r.absence(i), r.splat)
		}
		ctl := ev.ctl
		ev.ctl = ev.trace.With(ctl, why)
		val, vr, err := ev.defaultFor(r, i, sc)
		ev.ctl = ctl
		if err == nil {
			val, err = ev.convert(val)
		}
		if err != nil {
			ev.failAt(&source.Diagnostic{Code: "E0254", Place: ev.declaredAt(r), Summary: err.Error(),
				About: ev.unset(r, f.vars),
				Related: []source.Related{{Place: source.Place{File: d.File.Source, Span: p.Where},
					Label: "the parameter is declared here"}}})
		}
		if d.Kind == ClassKind && (p.Type == nil || ev.judge.IsInstance(ev.paramType(d, i), val)) {
			if o := ev.Elsewhere(d.shape.keys[i], val); o != nil {
				val = o
			}
		}
		v = &f.vars[i] // the default may have set variables, which stand behind
		if why == 0 {
			vr = ev.trace.With(vr, v.ref, ctl, configured(p.Name), r.absence(i), r.splat)
		} else {
			vr = ev.trace.With(vr, ctl, why)
		}
		if made == nil { // the rest of them in one piece
			made = ev.rooms.params.list(len(d.Params) - i)
			r.params = slices.Grow(r.params, len(d.Params)-i)
		}
		made = append(made, param{p.Name, val, vr, source.Place{File: d.File.Source, Span: p.Default.Span()}, r.source, false,
			false})
		if new := &made[len(made)-1]; v.value == nil && p.Name != "tag" {
			r.params = append(r.params, new)
		} else {
			ev.setParam(r, new)
		}
		if ev.trace != nil {
			vr = ev.trace.Note(vr, provenance.Defaulted, p.Name, ev.ownerOf(r), made[len(made)-1].place, val)
		}
		v.value, v.ref = val, vr
	}
	sc.restore(mark)
	ev.checkParameters(r, f.vars)
	r.checked = true
	for _, v := range f.vars {
		if reserved(v.name) {
			ev.failAt(&source.Diagnostic{Code: "E0210", Summary: assignsReserved(v.name),
				Place: d.place()})
		}
		if sc.bound(v.name) {
			ev.failAt(&source.Diagnostic{Code: "E0211", Summary: "Cannot reassign variable '$" + v.name + "'", Place: r.place})
		}
	}
	sc.own.adopt(f, before)
}

// adopt makes the parameters, which were laid behind the variables that a scope has from the start, variables of its
// own.
func (f *frame) adopt(params *frame, at int) {
	shaped := params.shaped()
	more := slices.Clone(params.vars[shaped:]) // metaparameters, mostly none
	f.vars = append(f.vars, params.vars[:shaped]...)
	if params.shape != nil {
		f.shape, f.at = params.shape, int32(at)
		unset := len(f.shape.names) - shaped
		f.vars = append(f.vars, make([]variable, unset)...)
	}
	for _, v := range more {
		f.add(v.name, v.value, v.ref)
	}
}

// setOnce sets a variable that every scope has. In the top scope a fact may have the name; who reads the variable is
// told then (inBase), not who sets it.
func (sc *Scope) setOnce(name string, v value.Value, r provenance.Ref) {
	if sc.own.slot(name) == nil && (sc.own.base == nil || sc.own.base.EntryString(name) == nil) {
		sc.own.add(name, v, r)
	}
}

// nameOf is $name: the name attribute, or the title.
func (ev *Evaluator) nameOf(r *Resource) string {
	if v, ok := r.Param("name"); ok && !value.IsUndef(v) {
		return value.ToString(v)
	}
	return r.Title
}

// automaticLookup asks Hiera for the parameters that were not given.
func (ev *Evaluator) automaticLookup(r *Resource, sc *Scope) {
	d := r.def
	for i, p := range d.Params {
		var unset provenance.Ref // given, but as undef
		if given := r.param(p.Name); given != nil {
			if !value.IsUndef(given.value) {
				continue
			}
			unset = given.ref
		}
		a, err := ev.world.Lookup(sc, d.shape.keys[i], LookupOptions{})
		if err != nil {
			ev.lookupFailed(r, p, err)
		}
		if !a.Found || value.IsUndef(a.Value) && p.Default != nil {
			if a.Ref != 0 { // the default, or that there is none, depends on Hiera having no value
				if r.absences == nil {
					r.absences = make([]provenance.Ref, len(d.Params))
				}
				r.absences[i] = a.Ref
			}
			continue
		}
		ev.looseIn(a.Value)
		if ev.trace != nil {
			a.Ref = ev.trace.With(ev.trace.Note(a.Ref, provenance.LookedUp, d.shape.keys[i], 0, source.Place{}, nil), ev.ctl,
				unset, ev.mayConfigure(d.Name, p.Name))
		}
		found := ev.rooms.params.one()
		*found = param{p.Name, ev.answered(a.Value), a.Ref, source.Place{}, r.source, false, false}
		ev.setParam(r, found)
	}
}

// lookupFailed ends the compile because Hiera has no answer for a parameter. Puppet's message is about the declaration
// of the class.
func (ev *Evaluator) lookupFailed(r *Resource, p *syntax.Param, err error) {
	const label = "the parameter that is looked up"
	d := &source.Diagnostic{Code: "E0531", Summary: err.Error(), Place: ev.declaredAt(r)}
	aboutData(d, err)
	if at := (source.Place{File: r.def.File.Source, Span: p.Where}); d.Place.Known() {
		d.Related = append([]source.Related{{Place: at, Label: label}}, d.Related...)
	} else {
		d.Place, d.Label = at, label
	}
	ev.failAt(d)
}

// checkParameters tests the parameters of a class or define against their types, all at once, as Puppet does.
func (ev *Evaluator) checkParameters(r *Resource, vars []variable) {
	d := r.def
	if d.absent != "" {
		return
	}
	simple := true
	// The common case is decided without building the struct type.
	for k := range vars {
		v := &vars[k]
		i := k // parameters come in their order, mostly
		if i >= len(d.Params) || d.Params[i].Name != v.name {
			i = d.find(v.name)
		}
		switch {
		case i < 0:
			if !isMetaparam(v.name) && v.name != "name" {
				simple = false
			}
		case v.value == nil:
			simple = false
		case isDeferred(v.value):
			simple = false // told below what its function gives
		case d.Params[i].Type != nil && !ev.judge.IsInstance(ev.paramType(d, i), v.value):
			simple = false
		}
	}
	if simple {
		return
	}
	b := value.NewHashBuilder(len(vars))
	for _, v := range vars {
		if v.value != nil {
			b.SetString(v.name, v.value)
		}
	}
	if err := ev.judge.ValidateParameters(r.Ref(), ev.paramStruct(d), b.Hash(), false, ev.deferredReturn); err != nil {
		ev.parameterError(r, err.Error(), vars)
	}
}

func isDeferred(v value.Value) bool {
	_, is := v.(*value.Deferred)
	return is
}

// deferredReturn is the type of what a Deferred's function gives, if that is declared; otherwise Puppet warns that it
// can't tell. Of Puppet's own functions those that log, and the templates, declare it.
func (ev *Evaluator) deferredReturn(d *value.Deferred) types.T {
	switch d.Name {
	case "alert", "crit", "debug", "emerg", "err", "info", "notice", "warning":
		return types.UndefT
	case "epp", "inline_epp":
		return types.StringT
	}
	if f := ev.userFunction(d.Name); f != nil {
		if f.def.Returns != nil {
			return types.Resolved(ev.typeOf(f.def.Returns, f.file))
		}
	} else if ev.world.Function(d.Name) == nil {
		return nil
	}
	if key := "W0618" + d.Name; !ev.warned[key] {
		ev.warned[key] = true
		ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "W0618", Severity: source.Warning,
			Summary: "Deferred function " + d.Name + " has no return_type, unable to guarantee value type during compilation."})
	}
	return nil
}

// paramType is the type of the i-th parameter.
func (ev *Evaluator) paramType(d *Definition, i int) value.Type {
	if d.types == nil {
		d.types = make([]value.Type, len(d.Params))
	}
	if d.types[i] == nil {
		d.types[i] = ev.typeOf(d.Params[i].Type, d.File)
	}
	return d.types[i]
}

// paramStruct is the type of a definition's parameters, metaparameters included.
func (ev *Evaluator) paramStruct(d *Definition) *types.Struct {
	if d.params != nil {
		return d.params
	}
	s := &types.Struct{}
	s.Elems = append(s.Elems, types.Element{Key: types.NewOptional(types.Literal("name")), Val: types.AnyT})
	for _, m := range resource.Metaparams() {
		if d.param(m.Name) == nil {
			s.Elems = append(s.Elems, types.Element{Key: types.NewOptional(types.Literal(m.Name)), Val: types.AnyT})
		}
	}
	for _, p := range d.Params {
		key := types.T(types.Literal(p.Name))
		if p.Default != nil {
			key = types.NewOptional(key)
		}
		val := types.T(types.AnyT)
		if p.Type != nil {
			val = ev.typeOf(p.Type, d.File)
		}
		s.Elems = append(s.Elems, types.Element{Key: key, Val: val})
	}
	d.params = s
	return s
}

// paramNames are the names of a definition's parameters.
func (d *Definition) paramNames() (out []string) {
	for _, p := range d.Params {
		out = append(out, p.Name)
	}
	return out
}

// CodeParameter is the code of a parameter's value that does not fit its type.
const CodeParameter = "E0412"

// parameterError points at the value that does not fit, wherever it came from, and at the parameter.
func (ev *Evaluator) parameterError(r *Resource, text string, vars []variable) {
	d := &source.Diagnostic{Code: CodeParameter, Summary: text, Place: ev.declaredAt(r)}
	for _, v := range vars {
		p := r.def.param(v.name)
		if p == nil {
			if !isMetaparam(v.name) && v.name != "name" && d.Help == "" {
				if near := source.Nearest(v.name, r.def.paramNames()); near != "" {
					d.Help = "did you mean " + near + "?"
				}
			}
			continue
		}
		declared := source.Place{File: r.def.File.Source, Span: p.Where}
		if v.value == nil {
			d.Related = append(d.Related, source.Related{Place: declared,
				Label: "the parameter is declared here and has no default"})
			ev.addMissed(d, r, v.name)
			d.About = ev.unset(r, vars)
			break
		}
		if p.Type == nil {
			continue
		}
		t := ev.typeOf(p.Type, r.def.File)
		if ev.judge.IsInstance(t, v.value) {
			continue
		}
		d.About = ev.missingTypes(p.Type)
		if given := r.param(v.name); given != nil && given.place.Known() && !showsLine(d, given.place) {
			d.Related = append(d.Related, source.Related{Place: given.place, Label: "it is given here"})
		}
		ev.addOrigin(d, v.value, v.ref)
		d.Related = append(d.Related, source.Related{Place: declared, Label: "the parameter is declared here"})
		if wantsSensitive(t) || value.HasSensitive(v.value) {
			ev.secret = append(ev.secret, ev.deep(v.value, v.ref))
		} else if s, ok := v.value.(value.String); ok && ev.judge.IsInstance(t, literalOf(string(s))) {
			d.Help = "write " + string(s) + " without quotes"
		}
		break
	}
	if !d.Place.Known() && len(d.Related) > 0 {
		d.Place, d.Label, d.Hidden = d.Related[0].Place, d.Related[0].Label, d.Related[0].Hidden
		d.Related = d.Related[1:]
	}
	ev.failAt(d)
}

// unset are the parameters that have no value.
func (ev *Evaluator) unset(r *Resource, vars []variable) (out []source.Subject) {
	for _, v := range vars {
		if p := r.def.param(v.name); v.value == nil && p != nil && p.Default == nil {
			out = append(out, source.Subject{Kind: source.MissingParameter, Name: v.name, Of: r.Ref()})
		}
	}
	return out
}

// literalOf is what a text would be without its quotes: a number or a boolean, else a string.
func literalOf(s string) value.Value {
	switch s {
	case "true", "false":
		return value.Bool(s == "true")
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return value.Int(n)
	}
	return value.String(s)
}

// addMissed says where Hiera was asked for a parameter in vain.
func (ev *Evaluator) addMissed(d *source.Diagnostic, r *Resource, name string) {
	if r.Type != "Class" {
		d.Help = "give " + name + " a value where " + r.Ref() + " is declared, or the parameter a default"
		return
	}
	key := r.def.Name + "::" + name
	var files []string
	if ref := r.absence(r.def.find(name)); ref != 0 {
		for _, l := range ev.trace.Depends(ref) {
			if f, ok := strings.CutPrefix(l.Path, "key "+key+" in file "); ok && l.Kind == provenance.Absence {
				files = append(files, f)
			}
		}
	}
	if len(files) > 0 {
		d.Detail = "Hiera has no key " + key + " in " + strings.Join(files, ", ")
	}
	d.Help = "give the parameter a default, or Hiera the key " + key
}

// stageEdge hangs a class below its stage.
func (ev *Evaluator) stageEdge(r *Resource) {
	if !r.isClass() {
		return
	}
	given := value.Value(value.String("main"))
	why := ev.trace.Join(ev.mayBeGiven("stage"), ev.stageByFirst(r))
	if p := r.param("stage"); p != nil {
		why = ev.trace.Join(why, p.ref)
	}
	if v, ok := r.Param("stage"); ok && !value.IsUndef(v) {
		given = v
	} else if r.scope != nil && r.scope.resource != nil {
		if p := r.scope.resource.param("stage"); p != nil && !value.IsUndef(p.value) {
			given, why = p.value, ev.trace.Join(why, p.ref)
		}
		why = ev.trace.Join(why, r.scope.resource.noted("stage"))
	}
	if why != 0 {
		ev.note(r, "stage", why)
	}
	name := value.ToString(given)
	if name != "main" {
		ev.useStages()
	}
	if o := within(given); o != nil { // some stage, or none
		if p := r.param("stage"); p == nil || value.IsUndef(p.value) {
			ev.setParam(r, &param{name: "stage", value: o, ref: ev.trace.Join(why, ev.ctl), source: r.source})
		}
		ev.notDone("The stage of "+r.Ref(), o, r.place)
		return
	}
	stage := ev.find("Stage", name)
	if stage == nil && ev.mayBe() {
		ev.mayBeThere(r.place, "Stage["+name+"]")
		return
	}
	if stage == nil {
		ev.failAt(&source.Diagnostic{Code: "E0532", Place: r.place,
			Summary: fmt.Sprintf("Could not find stage %s specified by %s", name, r.Ref())})
	}
	if p := r.param("stage"); (p == nil || value.IsUndef(p.value)) && stage.Title != "main" {
		ev.setParam(r, &param{name: "stage", value: value.String(stage.Title), ref: ev.trace.Join(why, ev.ctl),
			source: r.source})
	}
	before := ev.decide(why)
	ev.edge(stage, r)
	ev.ctl = before
}

// stageByFirst is what decides who declared a class first: that gives it its stage, where stages are used at all.
// Whether they are may turn out later.
func (ev *Evaluator) stageByFirst(r *Resource) provenance.Ref {
	if ev.trace == nil || r.main {
		return 0
	}
	first := ev.table.firsts[r.className()]
	if ev.table.stages {
		return first
	}
	set := ev.trace.Open()
	ev.table.stageless = append(ev.table.stageless, [2]provenance.Ref{set, first})
	return set
}

// useStages notes that a class is in another stage than main.
func (ev *Evaluator) useStages() {
	ev.table.stages = true
	for _, x := range ev.table.stageless {
		ev.trace.Extend(x[0], x[1])
	}
	ev.table.stageless = nil
}

// firstOf is what decided that, and when, a class was declared (rule 5).
func (ev *Evaluator) firstOf(class string) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	if r, ok := ev.table.firsts[class]; ok {
		return r
	}
	return ev.mayDeclare(class)
}

func (ev *Evaluator) firstOfScope(sc *Scope) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	for s := sc; s != nil; s = s.parent {
		if s.resource != nil && s.resource.isClass() && !s.resource.main {
			return ev.table.firsts[s.resource.className()]
		}
	}
	return 0
}
