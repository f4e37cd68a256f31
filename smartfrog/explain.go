package smartfrog

import (
	"cmp"
	"slices"

	"bunraku/source"
)

// An Explanation says of one attribute of the result where its value comes from.
type Explanation struct {
	Reference Reference
	Value     Value
	// Where is the place at which the value was written down.
	Where source.Place
	// Steps leads from the attribute back to that place, which is its last step.
	Steps []Step
	// Hides lists what the same attribute was set to before, and is no longer.
	Hides []Step
	// Parts lists, for a component, its attributes.
	Parts []Part
	// Dependency lists the statements that decide the value, in the order of the text. Changing or removing others,
	// without adding any, cannot alter it.
	Dependency []source.Place
}

// A StepKind says how a value came from one place to the next.
type StepKind string

const (
	StepSet      StepKind = "set"      // an assignment wrote it
	StepPlaced   StepKind = "placed"   // an assignment wrote it from outside the component: `a:b 1;`
	StepLink     StepKind = "link"     // a link copied it
	StepExtends  StepKind = "extends"  // a component inherited it
	StepIncluded StepKind = "included" // the file of the step before is included here
)

// A Step is one stop on the way of a value.
type Step struct {
	Kind  StepKind
	Place source.Place
	// From is the attribute that a link or a prototype was copied from.
	From Reference
}

// A Part is one attribute of a component that is explained.
type Part struct {
	Name  string
	Value Value
	Where source.Place
}

// Explain explains an attribute of the result. The reference is looked up in sfConfig and, when it is not there, at the
// top level.
func (r *Result) Explain(ref Reference) (*Explanation, *source.Diagnostic) {
	root := &scope{store: r.root}
	config := &scope{up: root, name: "sfConfig", depth: 1, store: r.Config, pos: r.root.position("sfConfig")}
	path := pathTo(config, ref)
	if path == nil {
		if path = pathTo(root, ref); path == nil {
			return nil, r.noAttribute(ref)
		}
	}
	last := path[len(path)-1]
	base := last.origin()
	if base.carrier != nil {
		base = base.carrier
	}
	x := &Explanation{Reference: ref, Value: last.value(), Steps: trail(path)}
	x.Where = written(last.origin().root())
	for o := base.hides; o != nil; o = o.hides {
		x.Hides = append(x.Hides, writing(o.root()))
	}
	if s, ok := x.Value.(*Store); ok {
		for i := range s.slots {
			x.Parts = append(x.Parts, Part{s.slots[i].name, s.slots[i].value, written(s.slots[i].origin.root())})
		}
	}
	x.Dependency = dependenciesOf(path).places()
	return x, nil
}

// pathTo returns the slots from a component along a reference, with those on the way to the component; nil when it
// leads nowhere.
func pathTo(from *scope, ref Reference) []target {
	var path []target
	for sc := from; sc.up != nil; sc = sc.up {
		path = append(path, target{sc.up, sc.pos})
	}
	slices.Reverse(path)
	sc := from
	for i, name := range ref {
		pos := sc.store.position(name)
		if pos < 0 {
			return nil
		}
		path = append(path, target{sc, pos})
		if i == len(ref)-1 {
			return path
		}
		sub, ok := sc.store.slots[pos].value.(*Store)
		if !ok {
			return nil
		}
		sc = &scope{up: sc, name: name, depth: sc.depth + 1, store: sub, pos: pos}
	}
	return nil
}

// noAttribute reports a reference to explain that leads nowhere.
func (r *Result) noAttribute(ref Reference) *source.Diagnostic {
	m := r.Config.miss(ref)
	d := &source.Diagnostic{Code: codeNoAttribute, Summary: "`" + ref.String() + "` is no attribute of the result"}
	if m.depth > 0 {
		d.Detail = "`" + ref[:m.depth].String() + "` is " + describe(m.at)
		if _, ok := m.at.(*Store); ok {
			d.Detail += " without `" + ref[m.depth] + "`"
		}
	}
	if s, ok := m.at.(*Store); ok {
		if near := similar(ref[m.depth], names(s)); near != "" {
			d.Help = "did you mean `" + ref[:m.depth].Join(near).String() + "`?"
		}
	}
	return d
}

// trail leads from a slot back to where its value was written down.
//
// A component that was copied brought along what was in it at that time, so the copies of the components around the
// slot belong to the trail when they are later than the writing of the slot. The later a copy was made, the nearer it
// is.
func trail(path []target) []Step {
	last := path[len(path)-1]
	since := last.origin().written()
	type event struct {
		origin *origin
		at     int // position in path
	}
	var events []event
	for i, t := range path[:len(path)-1] {
		for o := t.origin(); o != nil && o.time > since; o = o.source {
			if o.copy != nil {
				events = append(events, event{o, i})
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(b.origin.time, a.origin.time) })
	var steps []Step
	for _, ev := range events {
		steps = append(steps, copying(path, ev.at, ev.origin.copy))
	}
	at := len(path) - 1
	for o := last.origin(); o != nil; o = o.source {
		for c := o.carrier; c != nil && c.copy != nil; c = c.source {
			steps = append(steps, copying(path, at, c.copy))
		}
		if o.copy == nil {
			return includes(append(steps, writing(o)), o.act.site)
		}
		steps = append(steps, copying(path, at, o.copy))
	}
	return steps
}

// copying is the step of a link or a prototype that brought the slot path[at], and all that was in it.
func copying(path []target, at int, c *copied) Step {
	from := c.path()
	if c.proto {
		from = from.Join(path[at].name())
	}
	for _, t := range path[at+1:] {
		from = from.Join(t.name())
	}
	kind := StepLink
	if c.proto {
		kind = StepExtends
	}
	return Step{kind, c.site.place(c.ref.span), from}
}

// writing is the step of an assignment that wrote a value.
func writing(o *origin) Step {
	kind := StepSet
	if o.act.stmt.Target != nil && len(o.act.stmt.Target.Path) > 1 {
		kind = StepPlaced
	}
	return Step{Kind: kind, Place: o.act.place()}
}

// includes adds the includes that lead to a file.
func includes(steps []Step, s *site) []Step {
	for ; s.via != nil; s = s.up {
		steps = append(steps, Step{Kind: StepIncluded, Place: s.up.place(s.via.span)})
	}
	return steps
}

// written is the place of the value that an assignment writes.
func written(o *origin) source.Place {
	if _, ok := o.act.stmt.Value.(*Extends); ok {
		return o.act.head()
	}
	return o.act.site.place(o.act.stmt.Value.Span())
}

func (t target) name() string { return t.in.store.slots[t.pos].name }

// places lists the statements, and the includes that lead to them, in the order of the text: the main file first, then
// the others by name.
func (d *dependencies) places() []source.Place {
	seen := map[source.Place]bool{}
	var list []source.Place
	var main *source.File
	add := func(s *site, span source.Span) {
		for p := s.place(span); !seen[p]; p, s = s.up.place(s.via.span), s.up {
			seen[p] = true
			list = append(list, p)
			if s.via == nil {
				main = s.spec.File
				break
			}
		}
	}
	for a := range d.acts {
		add(a.site, a.stmt.span)
	}
	for o := range d.orders {
		for ; o != nil; o = o.prev {
			add(o.site, o.stmt.span)
		}
	}
	slices.SortFunc(list, func(a, b source.Place) int {
		switch {
		case a.File == b.File:
			return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(b.Span.End, a.Span.End))
		case a.File == main:
			return -1
		case b.File == main:
			return 1
		}
		return cmp.Compare(a.File.Name, b.File.Name)
	})
	return list
}
