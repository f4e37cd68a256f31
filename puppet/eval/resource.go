package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/exported"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Resource is a resource while the catalog is being made: a native one, a class, a node, or an instance of a define.
type Resource struct {
	Type  string // as in references: File, Class, Apache::Vhost
	Title string
	kind  string
	def   *Definition    // of classes, nodes and defines
	typ   *resource.Type // of native ones

	params    []*param
	tags      tagSet
	sensitive []string
	place     source.Place
	hasPlace  bool
	scope     *Scope // where it was declared
	source    *Definition
	virtual   bool
	exported  bool
	evaluated bool
	checked   bool // its parameters have been tested against their types, and not set since
	tagged    bool // the container's tags have been taken over
	finished  bool
	made      bool // by create_resources
	main      bool // Class[main]
	oddTitle  bool // the title was given as something other than a string

	asked   source.Place   // of an included class: the call that was the first to want it
	again   []source.Place // and further ones
	owner   uint32         // its number in the trace, once a step of its code was named
	number  int32          // among what is left of the compile, from 1 on
	asValue value.Value    // its reference as text, once it was needed

	out []*Resource // what it contains, in order; an edge each
	in  []*Resource

	container [1]*Resource      // room for in, which mostly has one
	wire      *catalog.Resource // what it became

	existence provenance.Ref
	titleRef  provenance.Ref
	memo      *resourceMemo
	inside    *Scope             // of its code
	decided   bool               // it stands under a decision of the code that declares it
	absent    string             // the module that has its type, if that is not there
	possible  *value.Opaque      // what is not known and decides whether it is there; nil if it is
	from      *exported.Resource // what another node exports, if it is that
	unset     []attrRef          // of that: attributes which it was given and which did not get here
	stated    provenance.Ref     // of a class that a statement such as class { 'c': } declares: what that stands under
	tagRef    provenance.Ref     // of the tags given to it by attribute or function
	absences  []provenance.Ref   // parameters that Hiera was asked for in vain, by their place
	splat     provenance.Ref     // of the hashes that its attributes were taken from: which keys they have
}

// resourceMemo is what was worked out of a resource while tracing.
type resourceMemo struct {
	position provenance.Ref       // by positionRef
	tags     memo[provenance.Ref] // by tagsRef
	tagging  bool
	arrows   []attrRef // what decides whether an arrow to a collector, or a stage around, sets an attribute
}

type attrRef struct {
	attr string
	ref  provenance.Ref
}

func (ev *Evaluator) remembered(r *Resource) *resourceMemo {
	if r.memo == nil {
		if len(ev.table.memos) == 0 {
			ev.table.memos = make([]resourceMemo, 16)
		}
		r.memo, ev.table.memos = &ev.table.memos[0], ev.table.memos[1:]
	}
	return r.memo
}

// absence is what the absence of the i-th parameter's value in Hiera depends on.
func (r *Resource) absence(i int) provenance.Ref {
	if i < 0 || i >= len(r.absences) {
		return 0
	}
	return r.absences[i]
}

// A param is an attribute slot.
type param struct {
	name   string
	value  value.Value
	ref    provenance.Ref
	place  source.Place
	source *Definition
	add    bool // +>
	arrows bool // its array was made of arrows and is nobody else's
}

// Ref is the resource's name in messages and edges.
func (r *Resource) Ref() string { return r.Type + "[" + r.Title + "]" }

func (r *Resource) param(name string) *param {
	for _, p := range r.params {
		if p.name == name {
			return p
		}
	}
	return nil
}

// paramFrom is param for somebody who asks for one after the other: it begins to look at a place, and says where to go
// on.
func (r *Resource) paramFrom(name string, at int) (*param, int) {
	for range r.params {
		if at >= len(r.params) {
			at = 0
		}
		if p := r.params[at]; p.name == name {
			return p, at + 1
		}
		at++
	}
	return nil, at
}

// paramFolded is the attribute that stands in the catalog under a name in small letters, and the others that would. The
// name itself comes before all others, since it takes the place that the title has.
func (r *Resource) paramFolded(name string) (last *param, others []*param) {
	for _, p := range r.params {
		if strings.ToLower(p.name) != name {
			continue
		}
		if last != nil && (value.IsUndef(p.value) || p.name == "name") {
			others = append(others, p)
			continue
		}
		if last != nil {
			others = append(others, last)
		}
		last = p
	}
	return last, others
}

// note keeps what decides whether an attribute is set from outside.
func (ev *Evaluator) note(r *Resource, attr string, why provenance.Ref) {
	m := ev.remembered(r)
	for i := range m.arrows {
		if m.arrows[i].attr == attr {
			m.arrows[i].ref = why
			return
		}
	}
	m.arrows = append(m.arrows, attrRef{attr, why})
}

// noted is what was kept of an attribute.
func (r *Resource) noted(attr string) provenance.Ref {
	if r.memo != nil {
		for _, a := range r.memo.arrows {
			if a.attr == attr {
				return a.ref
			}
		}
	}
	return 0
}

// Param is an attribute's value, and whether it is set.
func (r *Resource) Param(name string) (value.Value, bool) {
	if p := r.param(name); p != nil {
		return r.scope.ev.Latest(p.value), true
	}
	return nil, false
}

func (r *Resource) isClass() bool { return r.Type == "Class" }

// className is the name of a class.
func (r *Resource) className() string {
	if r.def != nil && r.def.Kind == ClassKind && !r.main {
		return r.def.Name
	}
	return canonical(r.Title)
}

// set replaces or adds an attribute; a tag attribute tags the resource at once.
func (ev *Evaluator) setParam(r *Resource, p *param) {
	r.checked = false
	if p.name == "tag" {
		at := p.place
		if r.hasPlace {
			at = r.place // where Puppet says that a tag is none
		}
		ev.tagWith(r, p.value, at)
		r.tagRef = ev.trace.Join(r.tagRef, ev.deep(p.value, p.ref))
		ev.table.tagged++
	}
	for i, q := range r.params {
		if q.name == p.name {
			r.params[i] = p
			return
		}
	}
	r.params = append(r.params, p)
}

// validParameter reports whether the resource's type has an attribute of that name.
func (ev *Evaluator) validParameter(r *Resource, name string) bool {
	if isMetaparam(name) {
		return true
	}
	if r.typ != nil {
		return ev.accepts(r.typ, name)
	}
	if r.absent != "" || r.def != nil && r.def.absent != "" {
		return true
	}
	if r.def == nil {
		return name == "name"
	}
	return name == "name" || r.def.param(name) != nil
}

// accepts asks whether a type has an attribute. The table's types always have the same.
func (ev *Evaluator) accepts(t *resource.Type, name string) bool {
	if ev.log.Active() && !resource.InTable(t) && ev.log.New(unsafe.Pointer(t), name) {
		ev.log.Ask(trace.Question{Kind: trace.Accepts, Of: t.Name, Part: name})
	}
	return t.Accepts(name)
}

func isMetaparam(name string) bool { return resource.IsMetaparam(name) }

func typeNames() []string {
	var names []string
	for _, t := range resource.Types() {
		names = append(names, t.Name)
	}
	return names
}

// resource is `type { title: … }`.
func (ev *Evaluator) resource(e *syntax.Resource, sc *Scope) (value.Value, provenance.Ref) {
	name := ev.resourceTypeName(e, sc)
	out := &value.Array{}
	spine := ev.declareBodies(e, name, sc, func(r *Resource, title provenance.Ref) {
		out.Elems = append(out.Elems, ev.refOf(r))
		if ev.trace != nil {
			out.Refs = append(out.Refs, ev.op("reference", title))
		}
	})
	return out, spine
}

// resourceStatement is a resource whose value nobody asks for.
func (ev *Evaluator) resourceStatement(e *syntax.Resource, sc *Scope) {
	ev.declareBodies(e, ev.resourceTypeName(e, sc), sc, func(*Resource, provenance.Ref) {})
}

// declareBodies declares what the bodies of a resource expression say, and gives what decides how many there are.
func (ev *Evaluator) declareBodies(e *syntax.Resource, name string, sc *Scope,
	declared func(r *Resource, title provenance.Ref)) provenance.Ref {
	if e.Form == syntax.Exported && !ev.set.Storeconfigs {
		ev.warn("E0501", e.Where,
			"You cannot collect exported resources without storeconfigs being set; the export is ignored")
	}
	bodies := ev.resourceBodies(e, sc)
	var spine provenance.Ref
	for i := range bodies {
		b := &bodies[i]
		params := b.params
		if d := bodies.defaults(); d != nil && d != b {
			params = mergeParams(d.params, b.params)
		}
		for _, t := range b.titles {
			declared(ev.declare(name, t, params, b.splat, e.Form, sc, e.Where, e), t.ref)
		}
		spine = ev.trace.Join(spine, b.spine)
	}
	return spine
}

// refOf is the reference that stands for a declared resource.
func (ev *Evaluator) refOf(r *Resource) value.Value {
	if r.isClass() {
		return &types.Class{Of: canonical(r.Title)}
	}
	return types.Ref(r.Type, r.Title)
}

type resourceBodies []resourceBody

type resourceBody struct {
	titles    []title
	only      [1]title // room for titles, which are mostly one
	params    []*param
	splat     provenance.Ref
	spine     provenance.Ref // of the titles: how many there are
	isDefault bool
}

type title struct {
	text string
	ref  provenance.Ref
	odd  bool // it was no string, as create_resources allows; such a title makes no tag
}

func (bs resourceBodies) defaults() *resourceBody {
	for i := range bs {
		if bs[i].isDefault {
			return &bs[i]
		}
	}
	return nil
}

// mergeParams overlays the attributes of a body on those of its `default:` body; order as Ruby's Hash#merge has it.
func mergeParams(defaults, own []*param) []*param {
	out := append([]*param(nil), defaults...)
next:
	for _, p := range own {
		for i, q := range out {
			if q.name == p.name {
				out[i] = p
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

func (ev *Evaluator) resourceTypeName(e *syntax.Resource, sc *Scope) string {
	if n, ok := e.Type.(*syntax.Name); ok {
		return n.Value
	}
	v, _ := ev.eval(e.Type, sc)
	acceptable := false
	switch t := e.Type.(type) {
	case *syntax.Ref:
		acceptable = true
	case *syntax.Access:
		_, acceptable = t.Left.(*syntax.Ref)
	}
	illegal := func(actual string) {
		ev.failf("E0502", e.Type.Span(),
			"Evaluation Error: Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got %s", actual)
	}
	if acceptable {
		switch t := v.(type) {
		case *types.Class:
			if t.Of != "" {
				illegal(t.String())
			}
			return "class"
		case *types.Resource:
			if t.HasTitle {
				illegal(t.String())
			}
			return t.Type
		}
	}
	illegal(types.Generalize(types.Infer(v)).String())
	return ""
}

func (ev *Evaluator) resourceBodies(e *syntax.Resource, sc *Scope) resourceBodies {
	bodies := resourceBodies(ev.rooms.bodies.list(len(e.Bodies))[:len(e.Bodies)])
	var used map[string]bool // made when a second title comes up: one alone clashes with nothing
	if len(e.Bodies) > 1 {
		used = map[string]bool{}
	}
	for i, b := range e.Bodies {
		v, r := ev.eval(b.Title, sc)
		if value.IsUndef(v) {
			ev.failValue(&source.Diagnostic{Code: "E0503", Place: ev.place(b.Title.Span()),
				Summary: "Evaluation Error: Missing title. The title expression resulted in undef"}, v, r)
		}
		if s, ok := v.(value.String); ok && used == nil && s != "" {
			bodies[i].only[0] = title{text: string(s), ref: r}
			bodies[i].titles = bodies[i].only[:]
			bodies[i].params, bodies[i].splat = ev.attributeOps(b.Ops, sc, e)
			continue
		}
		list := value.NewArray(v)
		if ev.trace != nil {
			list.Refs = []provenance.Ref{r}
		}
		if a, ok := v.(*value.Array); ok {
			list = value.Flatten(a)
			bodies[i].spine = r
		} else if o := opaque(v); o != nil {
			if a, ok := o.Has.(*value.Array); ok { // and others
				list = value.Flatten(value.NewArray(v, a))
			}
		}
		if used == nil && len(list.Elems) > 1 {
			used = map[string]bool{}
		}
		for j, t := range list.Elems {
			if _, ok := t.(value.Default); ok {
				if used["\x00default"] {
					ev.failf("E0504", e.Where, "Evaluation Error: The title '%s' has already been used in this resource expression",
						"default")
				}
				if used != nil {
					used["\x00default"] = true
				}
				bodies[i].isDefault = true
				continue
			}
			if o := opaque(t); o != nil {
				ev.notDone("a resource", o, ev.place(b.Title.Span()))
				continue
			}
			s, ok := t.(value.String)
			switch {
			case value.IsUndef(t):
				ev.failf("E0503", b.Title.Span(),
					"Evaluation Error: Missing title at index %d. The title expression resulted in an undef title", j)
			case !ok:
				ev.failValue(&source.Diagnostic{Code: "E0503", Place: ev.place(b.Title.Span()),
					Summary: fmt.Sprintf("Evaluation Error: Illegal title type at index %d. Expected String, got %s", j,
						types.Generalize(types.Infer(t)))}, t, list.Ref(j))
			case s == "":
				ev.failf("E0503", b.Title.Span(),
					"Evaluation Error: Empty string title at %d. Title strings must have a length greater than zero.", j)
			case used[string(s)]:
				ev.failf("E0504", e.Where, "Evaluation Error: The title '%s' has already been used in this resource expression", s)
			}
			if used != nil {
				used[string(s)] = true
			}
			bodies[i].titles = append(bodies[i].titles, title{text: string(s), ref: ev.trace.With(list.Ref(j), r)})
		}
		bodies[i].params, bodies[i].splat = ev.attributeOps(b.Ops, sc, e)
	}
	return bodies
}

// attributeOps evaluates attributes; naming one twice is an error.
func (ev *Evaluator) attributeOps(ops []*syntax.AttrOp, sc *Scope, e syntax.Expr) (list []*param,
	splat provenance.Ref) {
	if len(ops) == 0 {
		return nil, 0
	}
	out := ev.rooms.lists.list(len(ops))
	add := func(p param) {
		if e != nil {
			for _, q := range out {
				if q.name == p.name {
					ev.failf("E0505", e.Span(), "Evaluation Error: The attribute '%s' has already been set", p.name)
				}
			}
		}
		own := ev.rooms.params.one()
		*own = p
		out = append(out, own)
	}
	for _, op := range ops {
		v, r := ev.eval(op.Value, sc)
		if !op.Splat {
			v, err := ev.convert(v)
			if err != nil {
				ev.failAt(&source.Diagnostic{Code: "E0512", Place: ev.place(op.Where),
					Summary: "Evaluation Error: Error while evaluating " + article(label(op)) + ", " + err.Error()})
			}
			add(param{op.Name, ev.common(op.Name, v), ev.under(r), ev.place(op.Where), sc.source, op.Append, false})
			continue
		}
		if o := opaque(v); o != nil {
			ev.notDone("The attributes of * =>", o, ev.place(op.Where))
			if e != nil {
				add(param{unknownNames, o, ev.under(r), ev.place(op.Where), sc.source, false, false})
			}
			continue
		}
		h, ok := v.(*value.Hash)
		if !ok {
			ev.failValue(&source.Diagnostic{Code: "E0506", Place: ev.place(op.Value.Span()),
				Summary: "Evaluation Error: Expected value of type Hash, got " + types.Generalize(types.Infer(v)).String()}, v, r)
		}
		splat = ev.trace.Join(splat, ev.keysOf(h, r))
		entries := h.Entries()
		for i := range entries {
			x := &entries[i]
			name, ok := x.Key.(value.String)
			if !ok {
				ev.failf("E0506", op.Value.Span(), "Evaluation Error: Expected value of type Hash, got %s",
					types.Generalize(types.Infer(v)))
			}
			v, err := ev.convert(x.Value)
			if err != nil {
				ev.failAt(&source.Diagnostic{Code: "E0512", Place: ev.place(op.Where), Summary: err.Error()})
			}
			add(param{string(name), ev.common(string(name), v), ev.under(ev.Found(h, x, r)), ev.place(op.Where), sc.source,
				false, false})
		}
	}
	return out, splat
}

// unknownNames stands for the attributes that `* =>` sets when its hash is not known.
const unknownNames = "*"

// spread gives the parameters of a definition that nothing else sets the value that is not known: its hash may set any
// of them.
func spread(d *Definition, params []*param) []*param {
	at := slices.IndexFunc(params, func(p *param) bool { return p.name == unknownNames })
	if at < 0 {
		return params
	}
	all := params[at]
	params = slices.Delete(slices.Clone(params), at, at+1)
	if d == nil {
		return params
	}
	for _, p := range d.Params {
		if !slices.ContainsFunc(params, func(q *param) bool { return q.name == p.Name }) {
			own := *all
			own.name = p.Name
			params = append(params, &own)
		}
	}
	return params
}

// common makes an array that arrows may add to one of its own. To Puppet it is one array for every resource that gets
// the attribute from here, by several titles, a default or an override: what an arrow adds for one of them, all have
// (relate).
func (ev *Evaluator) common(name string, v value.Value) value.Value {
	a, is := v.(*value.Array)
	if !is || name != "before" && name != "notify" {
		return v
	}
	b := value.NewArrayBuilder(len(a.Elems) + 1)
	b.AddAll(a)
	own := b.Array()
	if ev.table.common == nil {
		ev.table.common = map[*value.Array]bool{}
	}
	ev.table.common[own] = true
	return own
}

// declare makes one resource and puts it into the catalog; a class is evaluated at once.
func (ev *Evaluator) declare(typeName string, t title, params []*param, splat provenance.Ref, form syntax.Form,
	sc *Scope, at source.Span, e syntax.Expr) *Resource {
	r := ev.rooms.resources.one()
	r.place, r.hasPlace, r.scope, r.source = ev.place(at), true, sc, sc.source
	r.virtual, r.exported = form != syntax.Regular, form == syntax.Exported
	r.in = r.container[:0]
	r.existence = ev.trace.Join(ev.ctl, t.ref)
	r.titleRef, r.splat, r.decided = t.ref, splat, ev.ctl != sc.ctl
	r.oddTitle = t.odd
	if _, ok := e.(*syntax.Call); ok && form != syntax.Exported {
		r.made = true
	}
	kind := ev.typeName(typeName)
	if low := strings.ToLower(typeName); low == "class" {
		d := ev.wantClass(t.text)
		if d == nil {
			ev.noClass(e, t, "Could not find declared class "+t.text)
		}
		if form != syntax.Regular {
			ev.fail("E0507", at, "Evaluation Error: Classes are not virtualizable")
		}
		r.Type, r.Title, r.def, r.kind = "Class", d.title(), d, "class"
		params = spread(d, params)
		ev.mayBeLike(t.ref, params, splat)
		params = ev.declareClass(r, params)
	} else if !ev.resolveResource(r, kind, t.text) {
		d := &source.Diagnostic{Code: "E0508", Place: ev.place(at),
			Summary: fmt.Sprintf("Evaluation Error: Error while evaluating %s, Unknown resource type: '%s'", article(label(e)),
				typeName), About: about(source.MissingResourceType, low)}
		if near := source.Nearest(low, ev.resourceTypeNames()); near != "" {
			d.Help = "did you mean " + near + "?"
		}
		ev.failAt(d)
	}
	if r.def == nil || r.def.Kind != ClassKind {
		params = spread(r.def, params)
	}
	room := len(params) + 2
	if r.def != nil { // those that are not given get defaults
		room += len(r.def.Params)
	}
	r.params = ev.rooms.lists.list(room)
	for _, p := range params {
		ev.setParam(r, p)
	}
	ev.initialTags(r)
	ev.applyDefaults(r, sc)
	if r.def != nil && r.def.Kind == ClassKind {
		ev.ensureParent(r, sc)
		ev.table.tags.merge(&r.tags)
	}
	ev.addResource(r, sc, e)
	if r.isClass() {
		before, ctl := ev.asking, ev.decide(t.ref)
		if _, ok := e.(*syntax.Resource); ok {
			r.stated = ev.ctl
		}
		ev.asking = r.place
		ev.lead(r.def.Name)
		ev.evaluateClass(r)
		ev.asking, ev.ctl = before, ctl
		sc.ensure([]string{r.def.Name}, ctl, t.ref)
	}
	return r
}

// declareClass is what sets a class apart that is declared with parameters. It may be included elsewhere too, and would
// then be in the catalog without this declaration; but what it is given here depends on it.
func (ev *Evaluator) declareClass(r *Resource, params []*param) []*param {
	if ev.trace == nil {
		return params
	}
	why := r.existence
	given := make([]param, len(params))
	out := make([]*param, len(params))
	for i, p := range params {
		given[i] = *p
		given[i].ref = ev.trace.With(p.ref, why)
		out[i] = &given[i]
	}
	if r.splat != 0 {
		r.splat = ev.trace.With(r.splat, why)
	}
	r.existence, r.titleRef = ev.trace.Join(why), 0
	return out
}

func (ev *Evaluator) noClass(e syntax.Expr, t title, detail string) {
	d := &source.Diagnostic{Code: "E0509", Place: ev.place(callSpan(e)),
		Summary: fmt.Sprintf("Evaluation Error: Error while evaluating %s, %s", article(label(e)), detail),
		About:   about(source.MissingClass, canonical(t.text))}
	if near := source.Nearest(canonical(t.text), ev.classNames()); near != "" {
		d.Help = "did you mean " + near + "?"
	}
	ev.failValue(d, value.String(t.text), t.ref)
}

func (ev *Evaluator) classNames() []string {
	var names []string
	for n := range ev.classes {
		names = append(names, n)
	}
	return names
}

func (ev *Evaluator) resourceTypeNames() []string {
	var names []string
	for n := range ev.defines {
		names = append(names, n)
	}
	return append(names, typeNames()...)
}

// resolveResource finds what a resource type's name stands for: a native type first, then a define.
func (ev *Evaluator) resolveResource(r *Resource, t *typeName, title string) bool {
	if t.native != nil {
		r.Type, r.Title, r.typ, r.kind = t.reference, title, t.native, "compilable_type"
		return true
	}
	if d := ev.findDefine(t.low); d != nil {
		r.Type, r.Title, r.def, r.kind = t.reference, title, d, "defined_type"
		return true
	}
	if module := ev.lacks(source.MissingResourceType, t.low); module != "" {
		r.Type, r.Title, r.kind, r.absent = t.reference, title, "defined_type", module
		ev.standsIn(module, source.MissingResourceType, t.low)
		return true
	}
	return false
}

// convert is what a value becomes in an attribute: references become resources, and containers are new ones, which
// nobody changes who has the old (alias.go). An iterator may not stand there, nor a reference to nothing in particular.
func (ev *Evaluator) convert(v value.Value) (value.Value, error) { return ev.convertOnce(v, nil) }

// convertOnce is convert for several values, of which seen has the containers that have become new ones; it may be nil.
func (ev *Evaluator) convertOnce(v value.Value, seen map[value.Value]value.Value) (value.Value, error) {
	switch v := v.(type) {
	case *value.Iterator:
		return nil, errors.New("Use of an Iterator is not supported here")
	case *types.Class:
		if v.Of == "" {
			return nil, errors.New(`No title provided and "class" is not a valid resource reference`)
		}
		if !v.Declared {
			return &types.Class{Of: v.Of, Declared: true}, nil
		}
	case *types.Resource:
		if v.Type == "" {
			return nil, errors.New("Resource names no resource")
		}
		t := ev.world.ResourceType(strings.ToLower(v.Type))
		if v.Title == "" && t != nil {
			if _, err := resource.ParseTitle(t, ""); err != nil {
				ev.failAt(&source.Diagnostic{Code: "E0513", Summary: err.Error()})
			}
		}
		if !v.Declared {
			return &types.Resource{Type: v.Type, Title: v.Title, HasTitle: true, Declared: true}, nil
		}
	case *value.Array:
		if c, done := seen[v]; done {
			return c, nil
		}
		out := v.Copy()
		for i, x := range v.Elems {
			y, err := ev.convertOnce(x, seen)
			if err != nil {
				return nil, err
			}
			if !identical(x, y) {
				if &out.Elems[0] == &v.Elems[0] {
					out.Elems = slices.Clone(v.Elems)
				}
				out.Elems[i] = y
			}
		}
		if seen != nil {
			seen[v] = out
		}
		return out, nil
	case *value.Hash:
		if c, done := seen[v]; done {
			return c, nil
		}
		out := v.Copy()
		var entries []value.Entry
		for i, e := range v.Entries() {
			y, err := ev.convertOnce(e.Value, seen)
			if err != nil {
				return nil, err
			}
			if !identical(e.Value, y) {
				if entries == nil {
					entries = slices.Clone(v.Entries())
					out = v.With(entries)
				}
				entries[i].Value = y
			}
		}
		if seen != nil {
			seen[v] = out
		}
		return out, nil
	}
	return v, nil
}

// identical reports whether a value was left alone: new ones are made of containers and references only.
func identical(a, b value.Value) bool {
	switch a := a.(type) {
	case *value.Array:
		c, ok := b.(*value.Array)
		return ok && a == c
	case *value.Hash:
		c, ok := b.(*value.Hash)
		return ok && a == c
	case *types.Resource:
		c, ok := b.(*types.Resource)
		return ok && a == c
	case *types.Class:
		c, ok := b.(*types.Class)
		return ok && a == c
	case *value.Sensitive:
		c, ok := b.(*value.Sensitive)
		return ok && a == c
	}
	return true
}

// addResource puts a resource into the catalog, below its container.
func (ev *Evaluator) addResource(r *Resource, sc *Scope, e syntax.Expr) {
	r.possible = ev.guess
	ev.enter(r, e)
	if !r.isClass() {
		if p := r.param("stage"); p != nil && !value.IsUndef(p.value) {
			ev.runtime(e, fmt.Sprintf("Only classes can set 'stage'; normal resources like %s cannot change run stage", r.Ref()))
		}
	}
	if r.Type == "Stage" {
		return
	}
	if !r.isClass() && sc.resource != nil {
		ev.edge(sc.resource, r)
	}
}

func (ev *Evaluator) edge(from, to *Resource) {
	if slices.Contains(to.in, from) {
		return
	}
	if from.out == nil {
		from.out = ev.rooms.contained.list(4)
	}
	from.out = append(from.out, to)
	to.in = append(to.in, from)
	ev.table.edges = append(ev.table.edges, edge{from, to, ev.trace.Join(ev.ctl)})
}

// Declare lets built-ins (create_resources) make a resource. A name that begins with @ or @@ makes a virtual or
// exported one. exists is what decides that it is made, why with which attributes.
func (c *Call) Declare(typeName string, name value.Value, params *value.Hash, titleRef, exists,
	why provenance.Ref) (*Resource, error) {
	c.MustSay(outline.Makes, outline.Packages, outline.DeclaresAny)
	form := syntax.Regular
	switch {
	case strings.HasPrefix(typeName, "@@"):
		form, typeName = syntax.Exported, typeName[2:]
	case strings.HasPrefix(typeName, "@"):
		form, typeName = syntax.Virtual, typeName[1:]
	}
	ev := c.Eval
	list := ev.rooms.lists.list(params.Len())
	entries := params.Entries()
	for i := range entries {
		x := &entries[i]
		key, ok := x.Key.(value.String)
		if !ok {
			return nil, fmt.Errorf("attribute names must be strings, got %s", types.Infer(x.Key))
		}
		v, err := ev.convertOnce(x.Value, c.Copies())
		if err != nil {
			return nil, err
		}
		p := ev.rooms.params.one()
		*p = param{string(key), v, ev.under(ev.Found(params, x, why)), c.Place, c.Scope.source, false, false}
		list = append(list, p)
	}
	_, text := name.(value.String)
	if !text {
		titleRef = ev.op("text", titleRef)
	}
	t := title{value.ToString(name), ev.trace.With(titleRef, exists), !text}
	return ev.declare(typeName, t, list, ev.keysOf(params, why), form, c.Scope, c.Place.Span,
		&syntax.Call{E: syntax.E{At: syntax.At{Where: c.Place.Span}}}), nil
}
