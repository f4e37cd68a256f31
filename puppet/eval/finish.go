package eval

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
)

// finish completes the catalog: arrows become attributes, overrides that waited are applied, every resource is checked,
// and metaparameters flow down from Class[main].
func (ev *Evaluator) finish() {
	ev.phase = phaseFinish
	for _, r := range ev.table.added {
		ev.bringUp(r)
	}
	ev.resolveRelations()
	for _, r := range ev.table.added {
		key := catalog.Name{Type: r.Type, Title: r.Title}
		for _, o := range ev.table.overrides[key] {
			ev.merge(r, o)
		}
		delete(ev.table.overrides, key)
		ev.finishResource(r)
	}
	ev.flowMetaparams()
	ev.checkLeftovers()
	ev.checkRelations()
}

func (ev *Evaluator) finishResource(r *Resource) {
	if r.finished {
		return
	}
	r.finished = true
	ev.scopeTags(r)
	for i, p := range r.params {
		if s, ok := p.value.(*value.Sensitive); ok {
			q := *p
			q.value = s.Value
			r.params[i] = &q
			r.sensitive = append(r.sensitive, p.name)
		}
	}
	ev.validate(r)
}

// unchecked notes an attribute that was taken although the type, which could not be read whole, may not have it.
func (ev *Evaluator) unchecked(r *Resource, p *param) {
	if p.name == "name" || r.typ.Attribute(p.name) != nil {
		return
	}
	d := &source.Diagnostic{Code: "E0584", Severity: source.Note, Place: r.place,
		Summary: fmt.Sprintf("whether %s has an attribute '%s' is not known: its type could not be read whole", r.Type,
			p.name)}
	key := d.Code + r.Type + " " + p.name
	if ev.warned[key] {
		return
	}
	ev.warned[key] = true
	if p.place.Known() {
		d.Place = p.place
	}
	for _, n := range r.typ.Notes {
		d.Related = append(d.Related, source.Related{Place: n.Place, Label: n.Why})
	}
	ev.warnings = append(ev.warnings, d)
}

// validate checks attribute names against the type; of a define or class, the parameters' types too.
func (ev *Evaluator) validate(r *Resource) {
	if r.typ != nil {
		for _, p := range r.params {
			if ev.accepts(r.typ, p.name) {
				if r.typ.Open {
					ev.unchecked(r, p)
				}
				continue
			}
			at := p.place
			if !at.Known() {
				at = r.place
			}
			d := &source.Diagnostic{Code: "E0580", Place: r.place, Summary: fmt.Sprintf("no parameter named '%s' on %s", p.name,
				r.Ref())}
			if at != r.place && at.Known() {
				d.Place = r.place
				d.Related = []source.Related{{Place: at, Label: "this attribute"}}
			}
			if near := source.Nearest(p.name, r.typ.AttributeNames()); near != "" {
				d.Help = "did you mean " + near + "?"
			}
			ev.failValue(d, p.value, p.ref)
		}
		return
	}
	if r.def == nil || r.main || r.def.Kind == NodeKind || r.checked {
		return
	}
	vars := make([]variable, 0, len(r.params))
	for _, p := range r.params {
		v := p.value
		for _, s := range r.sensitive {
			if s == p.name {
				v = &value.Sensitive{Value: v}
			}
		}
		vars = append(vars, variable{name: p.name, value: v, ref: p.ref})
	}
	for _, p := range r.def.Params {
		if p.Default == nil && r.param(p.Name) == nil {
			vars = append(vars, variable{name: p.Name})
		}
	}
	ev.checkParameters(r, vars)
}

// flowMetaparams passes noop, schedule, tag and their kin from container to contained, breadth first from Class[main]
// (trap 4).
func (ev *Evaluator) flowMetaparams() {
	main := ev.top.resource
	var names []string
	for _, m := range resource.Metaparams() {
		switch m.Name {
		case "before", "notify", "require", "subscribe":
		default:
			names = append(names, m.Name)
		}
	}
	data := map[*Resource][]*param{}
	own := func(r *Resource) []*param {
		var out []*param
		for _, n := range names {
			if p := r.param(n); p != nil && !value.IsUndef(p.value) {
				out = append(out, p)
			}
		}
		return out
	}
	queue := []*Resource{main}
	seen := map[*Resource]bool{}
	reached := map[*Resource]provenance.Ref{} // by what, from main: by contain, as far as they are classes
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		if seen[r] {
			continue
		}
		seen[r] = true
		src, ok := data[r]
		if !ok {
			src = own(r)
		}
		for _, t := range r.out {
			if ev.trace != nil && reached[t] == 0 {
				reached[t] = ev.trace.Join(reached[r], t.noted(container))
			}
			if len(src) > 0 {
				data[r] = src
				for _, p := range src {
					if q := t.param(p.name); q == nil || value.IsUndef(q.value) {
						ref := ev.trace.With(p.ref, reached[r])
						if t.isClass() { // contain might have been given another
							ref = ev.trace.With(ref, ev.ghosts.contained, t.noted(container))
						}
						if q != nil { // set, but to undef
							ref = ev.trace.With(ref, q.ref)
						}
						ev.setParam(t, &param{name: p.name, value: p.value, ref: ref, place: p.place, source: t.source})
					}
				}
				data[t] = mergeParams(src, own(t))
			}
			ev.budget.Keep(int64(len(r.tags.list))*tagBytes, tagging)
			t.tags.merge(&r.tags)
		}
		queue = append(queue, r.out...)
	}
}

// checkLeftovers reports overrides and realizations of resources that never came.
func (ev *Evaluator) checkLeftovers() {
	var names []string
	var at source.Place
	for _, key := range ev.table.overOrder {
		for _, o := range ev.table.overrides[key] {
			names = append(names, o.Ref())
			if !at.Known() {
				at = o.place
			}
		}
	}
	if len(names) > 0 {
		if ev.mayBe() {
			ev.mayBeThere(at, strings.Join(names, ", "))
			return
		}
		ev.failAt(&source.Diagnostic{Code: "E0581", Place: at, Summary: "Could not find resource(s) " +
			strings.Join(names, ", ") + " for overriding", About: about(source.MissingResource, names[0])})
	}
	if left := ev.unresolved(); len(left) > 0 {
		var place source.Place
		for _, c := range ev.table.collected {
			if len(c.fixed) > 0 {
				place = c.place
				break
			}
		}
		if ev.mayBe() {
			ev.mayBeThere(place, strings.Join(left, ", "))
			return
		}
		ev.failAt(&source.Diagnostic{Code: "E0582", Place: place, Summary: "Failed to realize virtual resources " +
			strings.Join(left, ", "), About: about(source.MissingResource, left[0])})
	}
}

// catalog turns what was compiled into the result that agents get: virtual resources stay behind.
func (ev *Evaluator) catalog() *catalog.Catalog {
	c := &catalog.Catalog{Name: ev.in.Node, Environment: ev.in.Environment, Version: value.Int(0), Format: 2,
		Classes: ev.table.classes}
	c.Resources = make([]*catalog.Resource, 0, len(ev.table.list))
	c.Edges = make([]catalog.Edge, 0, len(ev.table.edges))
	room := make([]catalog.Resource, len(ev.table.list))
	count := 0
	for _, r := range ev.table.list {
		count += len(r.params)
	}
	params := make([]catalog.Param, 0, count)
	for i, r := range ev.table.list {
		if r.virtual && !r.exported {
			continue
		}
		ev.exports(r)
		r.wire = &room[i]
		n := len(params)
		params = params[:n+len(r.params)]
		ev.export(r, r.wire, params[n:n:len(params)])
		c.Resources = append(c.Resources, r.wire)
	}
	for _, e := range ev.table.edges {
		if from, to := e.from.wire, e.to.wire; from != nil && to != nil {
			c.Edges = append(c.Edges, catalog.Edge{Source: from, Target: to, Ref: ev.trace.Join(e.why, from.Existence,
				to.Existence)})
		}
	}
	var tags tagSet
	for _, name := range ev.table.classes {
		tags.addName(value.Downcase(name))
	}
	tags.merge(&ev.table.tags)
	c.Tags = tags.list
	c.OrderEdges()
	c.Seal()
	if ev.trace != nil {
		ev.settle()
	}
	return c
}

// export fills in the resource that goes into the catalog; declared is room for its attributes.
func (ev *Evaluator) export(r *Resource, n *catalog.Resource, declared []catalog.Param) {
	*n = catalog.Resource{Type: r.Type, Title: r.Title, Kind: catalog.Kind(r.kind), Exported: r.exported,
		ExportedLast: r.made, Virtual: r.virtual,
		Tags: r.tags.list, Sensitive: r.sensitive, Place: r.place, Existence: r.existence, TitleRef: r.titleRef}
	if r.possible != nil {
		n.Possible = r.possible.Why
	}
	if r.from != nil {
		n.ExportedBy = r.from.Certname
	}
	if r.hasPlace && r.place.Known() {
		n.File, n.Line = ev.world.Path(r.place.File), r.place.Line()
	}
	for _, p := range r.params {
		declared = append(declared, catalog.Param{Name: p.name, Value: p.value, Ref: p.ref, Place: p.place})
	}
	params, err := catalog.WireParams(r.typ, catalog.Name{Type: r.Type, Title: r.Title}, declared)
	if err != nil {
		ev.failAt(&source.Diagnostic{Code: "E0583", Place: r.place, Summary: err.Error()})
	}
	// a number is not equal to its text, so the name that the title gives stays
	if r.oddTitle && r.param(r.typ.Namevar()) == nil {
		params = append([]catalog.Param{{Name: r.typ.Namevar(), Value: value.String(r.Title)}}, params...)
	}
	if ev.bytes != nil {
		for i := range params {
			params[i].Value = ev.wire(params[i].Value)
		}
	}
	n.Params = params
}

// settle completes the provenance of what is in the catalog.
func (ev *Evaluator) settle() {
	for _, r := range ev.table.list {
		n := r.wire
		if n == nil {
			continue
		}
		touched := ev.typeTouches(r.Type)
		large := slices.ContainsFunc(r.params, func(p *param) bool { return catalog.HasCapitals(p.name) })
		named := r.param("name")
		if named != nil && value.IsUndef(named.value) {
			named = nil
		}
		at := 0 // attributes mostly stand in the order of their declaration
		for i := range n.Params {
			p := &n.Params[i]
			var declared *param
			if declared, at = r.paramFrom(p.Name, at); named != nil && p.Name == r.typ.Namevar() {
				declared = named
			}
			var others []*param // of that name but for capitals: the last one that is set counts
			if large {
				declared, others = r.paramFolded(p.Name)
			}
			switch {
			case declared != nil && !value.IsUndef(declared.value):
				p.Ref = ev.trace.With(ev.deep(declared.value, p.Ref), r.existence, ev.mayTouchOf(touched, r, declared.name))
				for _, o := range others {
					p.Ref = ev.trace.With(p.Ref, o.ref, ev.mayTouchOf(touched, r, o.name))
				}
			case p.Value == value.Value(value.String(r.Title)):
				p.Ref = r.titleRef
			default: // what the title pattern made of the title
				p.Ref = ev.op("title pattern", r.titleRef)
			}
		}
		n.TagsRef = ev.tagsRef(r)
		n.Position = ev.positionRef(r)
	}
}
