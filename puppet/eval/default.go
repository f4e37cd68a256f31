package eval

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// defaultSet is the resource defaults of one type that one scope sets.
type defaultSet struct {
	params []*param
	splat  provenance.Ref // of the hashes that they are taken from: which keys they have
}

func (d *defaultSet) find(name string) *param {
	for _, p := range d.params {
		if p.name == name {
			return p
		}
	}
	return nil
}

// resourceDefaults is `File { mode => '0644' }`.
func (ev *Evaluator) resourceDefaults(e *syntax.Defaults, sc *Scope) (value.Value, provenance.Ref) {
	v, r := ev.eval(e.Type, sc)
	t, ok := v.(*types.Resource)
	if !ok || t.Type == "" || t.HasTitle {
		ev.failf("E0502", e.Type.Span(),
			"Evaluation Error: Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got %s", types.Generalize(types.Infer(v)))
	}
	params, splat := ev.attributeOps(e.Ops, sc, nil)
	name := capitalized(t.Type)
	if sc.defaults == nil {
		sc.defaults = map[string]*defaultSet{}
	}
	set := sc.defaults[name]
	if set == nil {
		set = &defaultSet{}
		sc.defaults[name] = set
	}
	for _, p := range params {
		if old := set.find(p.name); old != nil {
			d := &source.Diagnostic{Code: "E0520", Place: p.place,
				Related: []source.Related{{Place: old.place, Label: "the default was set here"}},
				Summary: fmt.Sprintf("Default already defined for %s { %s }; cannot redefine", name, p.name)}
			ev.failAt(d)
		}
		set.params = append(set.params, p)
		if ev.trace != nil {
			key := touch{typ: name, attr: p.name}
			if ev.table.defaulted == nil {
				ev.table.defaulted = map[touch]provenance.Ref{}
			}
			ev.table.defaulted[key] = ev.trace.Join(ev.table.defaulted[key], ev.deep(p.value, p.ref))
			ev.ghosts.writes++
		}
	}
	set.splat = ev.trace.Join(set.splat, splat)
	return v, r
}

// applyDefaults gives a new resource the defaults in force where it is declared: the nearest scope wins, and scopes
// count along the dynamic chain of declarations.
func (ev *Evaluator) applyDefaults(r *Resource, sc *Scope) {
	var chain []*defaultSet
	for s := sc; s != nil; s = s.parent {
		if d := s.defaults[r.Type]; d != nil {
			chain = append(chain, d)
		}
	}
	if len(chain) == 0 {
		return
	}
	// Puppet builds the set from the outermost scope inwards: names keep the outer order, values are the inner ones.
	var merged []*param
	for i := len(chain) - 1; i >= 0; i-- {
		merged = mergeParams(merged, chain[i].params)
		r.splat = ev.trace.Join(r.splat, chain[i].splat)
	}
	first := ev.trace.Join(ev.firstOfScope(sc))
	for _, p := range merged {
		if r.param(p.name) == nil {
			q := *p
			q.ref = ev.trace.With(q.ref, first)
			ev.setParam(r, &q)
		}
	}
}

// defaultFor is the default in force for an attribute.
func (sc *Scope) defaultFor(typ, name string) *param {
	for s := sc; s != nil; s = s.parent {
		if d := s.defaults[typ]; d != nil {
			if p := d.find(name); p != nil {
				return p
			}
		}
	}
	return nil
}

// defaultsOf joins the defaults that the scopes around set for an attribute.
func (sc *Scope) defaultsOf(ev *Evaluator, typ, name string) (r provenance.Ref) {
	for s := sc; s != nil; s = s.parent {
		if d := s.defaults[typ]; d != nil {
			if p := d.find(name); p != nil {
				r = ev.trace.Join(r, ev.deep(p.value, p.ref))
			}
		}
	}
	return r
}

// isDefault reports whether a value is the default that some scope around sets.
func (sc *Scope) isDefault(typ, name string, v value.Value) bool {
	for s := sc; s != nil; s = s.parent {
		if d := s.defaults[typ]; d != nil {
			if p := d.find(name); p != nil && rubyEqual(p.value, v) {
				return true
			}
		}
	}
	return false
}

// override is `File['a'] { mode => '0600' }`.
func (ev *Evaluator) override(e *syntax.Override, sc *Scope) (value.Value, provenance.Ref) {
	v, r := ev.eval(e.Target, sc)
	params, splat := ev.attributeOps(e.Ops, sc, nil)
	ev.mayOverride(e, params, splat, ev.deep(v, r))
	for _, t := range flatKeys([]value.Value{v}) {
		if o := opaque(t); o != nil {
			ev.notDone("an override", o, ev.place(e.Target.Span()))
			continue
		}
		ref, ok := t.(*types.Resource)
		if ok && ref.Type != "" && !ref.HasTitle {
			ev.runtime(e, "No title provided and :"+strings.ToLower(ref.Type)+" is not a valid resource reference")
		}
		if !ok || !ref.HasTitle {
			ev.failf("E0521", e.Where, "Evaluation Error: Resource Override can only operate on resources, got: %s",
				types.Label(t))
		}
		o := &Resource{place: ev.place(e.Where), hasPlace: true, scope: sc, source: sc.source}
		if !ev.resolveResource(o, ev.typeName(ref.Type), ref.Title) {
			o.Type, o.Title = ref.Type, ref.Title
		}
		for _, p := range params {
			q := *p
			q.ref = ev.trace.With(q.ref, ev.deep(v, r))
			if o.param(q.name) != nil {
				ev.failAt(&source.Diagnostic{Code: "E0505", Place: o.place,
					Summary: fmt.Sprintf("Duplicate parameter '%s' for on %s", q.name, o.Ref())})
			}
			if q.name == "tag" {
				ev.checkTags(q.value, o.place)
			}
			o.params = append(o.params, &q)
		}
		ev.addOverride(o)
	}
	return v, r
}

// addOverride applies an override to a resource that is there, or keeps it until the resource comes.
func (ev *Evaluator) addOverride(o *Resource) {
	if r := ev.find(o.Type, o.Title); r != nil {
		ev.merge(r, o)
		return
	}
	key := catalog.Name{Type: o.Type, Title: o.Title}
	if len(ev.table.overrides[key]) == 0 {
		ev.table.overOrder = append(ev.table.overOrder, key)
	}
	if ev.table.overrides == nil {
		ev.table.overrides = map[catalog.Name][]*Resource{}
	}
	ev.table.overrides[key] = append(ev.table.overrides[key], o)
}

// merge applies an override: only the same class, or one that inherits from it, may.
func (ev *Evaluator) merge(r, o *Resource) {
	if r.source != o.source && !ev.childOf(o.source, r.source) {
		ev.failAt(&source.Diagnostic{Code: "E0522", Summary: "Only subclasses can override parameters", Place: o.place,
			Label:   "overridden here",
			Related: related(r, "declared here")})
	}
	if r.evaluated && r.def != nil {
		at := ""
		if r.hasPlace {
			at = fmt.Sprintf(", defined at (file: %s, line: %d),", ev.world.Path(r.place.File), r.place.Line())
		}
		summary := "Attempt to override an already evaluated resource" + at + " with new values"
		switch ev.set.Strict {
		case source.StrictError:
			ev.failAt(&source.Diagnostic{Code: "E0523", Summary: summary, Place: o.place, Related: related(r, "declared here"),
				Help: lenient})
		case source.StrictWarning:
			ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0523", Severity: source.Warning, Summary: summary,
				Place: o.place})
		}
	}
	if r.evaluated && r.def != nil {
		ev.trace.Extend(ev.tooLate(r), ev.sinceRef(r), ev.firstOfScope(o.scope))
	}
	for _, p := range o.params {
		// whether it comes in time is decided by when the classes around were declared (rule 5)
		if ev.trace != nil && r.def != nil {
			p.ref = ev.trace.With(p.ref, ev.firstOfScope(r.scope), ev.firstOfScope(o.scope))
		}
		ev.overrideParam(r, p)
	}
}

func related(r *Resource, label string) []source.Related {
	if !r.hasPlace {
		return nil
	}
	return []source.Related{{Place: r.place, Label: label}}
}

// overrideParam sets one attribute by an override (rule 8: a +> value depends on the one before).
func (ev *Evaluator) overrideParam(r *Resource, p *param) {
	current := r.param(p.name)
	if current == nil {
		ev.setParam(r, p)
		return
	}
	if ev.trace != nil { // what is as a default says does not count as set (rule 8), so the defaults decide too
		q := *p
		q.ref = ev.trace.With(q.ref, r.scope.defaultsOf(ev, r.Type, p.name))
		p = &q
	}
	if r.scope.isDefault(r.Type, p.name, p.value) {
		if ev.trace != nil {
			kept := *current
			kept.ref = ev.trace.With(kept.ref, p.ref)
			ev.setParam(r, &kept)
		}
		return
	}
	if !ev.childOf(p.source, current.source) && !(p.source == current.source &&
		r.scope.isDefault(r.Type, p.name, current.value)) {
		ev.alreadySet(r, current, p)
	}
	if ev.trace != nil {
		q := *p
		q.ref = ev.trace.Note(p.ref, provenance.Replaced, p.name, 0, current.place, nil)
		p = &q
	}
	if p.add {
		q := *p
		both := value.NewArray(current.value, p.value)
		if ev.trace != nil {
			both.Refs = []provenance.Ref{current.ref, p.ref}
		}
		q.value = value.Flatten(both)
		q.ref = ev.trace.Join(current.ref, p.ref)
		ev.setParam(r, &q)
		return
	}
	ev.setParam(r, p)
}

func (ev *Evaluator) alreadySet(r *Resource, current, p *param) {
	by, at := "", ""
	if current.source != nil && sourceName(current.source) != "" {
		by = " by " + sourceName(current.source)
	}
	if current.place.Known() {
		at = fmt.Sprintf(" at (file: %s, line: %d)", ev.world.Path(current.place.File), current.place.Line())
	}
	ev.failAt(&source.Diagnostic{Code: "E0524", Place: p.place, Label: "set again here",
		Summary: fmt.Sprintf("Parameter '%s' is already set on %s%s%s; cannot redefine", p.name, r.Ref(), by, at),
		Related: []source.Related{{Place: current.place, Label: "set here"}}})
}

// sourceName is how Ruby prints the class that set a parameter.
func sourceName(d *Definition) string {
	switch {
	case d.Kind == DefineKind:
		return d.Name
	case d.Kind == NodeKind:
		return "Node[" + d.Name + "]"
	case d.Name == "":
		return "Class[main]"
	}
	return "Class[" + capitalized(d.Name) + "]"
}

// childOf reports whether a class inherits from another, or may override everything because a collector with overrides
// stands in it.
func (ev *Evaluator) childOf(d, parent *Definition) bool {
	if d == nil {
		return false
	}
	if d.overriding {
		return true
	}
	for d.Parent != "" {
		p := ev.findClass(d.Parent)
		if p == nil {
			return false
		}
		if p == parent {
			return true
		}
		d = p
		if d.overriding {
			return true
		}
	}
	return false
}
