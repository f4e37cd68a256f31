package eval

import (
	"errors"
	"fmt"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A relation is an arrow: at the end of the compile it becomes an entry in the source's before or notify attribute.
type relation struct {
	from, to value.Value // a reference or a collector
	param    string
	place    source.Place
	ref      provenance.Ref
	moment   provenance.Ref // what decided when it was drawn
}

// relation is `left -> right`: it notes the pairs and yields the right side, so that arrows can be chained.
func (ev *Evaluator) relation(e *syntax.Relation, sc *Scope) (value.Value, provenance.Ref) {
	l, lr := ev.eval(e.Left, sc)
	r, rr := ev.eval(e.Right, sc)
	left, right := ev.operands(e, l), ev.operands(e, r)
	from, to := left, right
	if e.Op == syntax.OpAfter || e.Op == syntax.OpSubscribed {
		from, to = right, left
	}
	name := "before"
	if e.Op == syntax.OpNotify || e.Op == syntax.OpSubscribed {
		name = "notify"
	}
	lr, rr = ev.deep(l, lr), ev.deep(r, rr)
	ref := ev.trace.Join(lr, rr, ev.ctl)
	if len(to) == 0 { // what it would lead to decides whether there is an attribute
		ev.mayArrow(e, name, ref, ref)
	} else {
		ev.mayArrow(e, name, lr, rr)
	}
	ev.budget.Keep(int64(len(from))*int64(len(to))*relationBytes, relating)
	for _, s := range from {
		if c, ok := s.(*collector); ok {
			c.arrow(name)
			ev.ghosts.writes++
		}
		for _, t := range to {
			ev.table.relations = append(ev.table.relations, relation{s, t, name, ev.place(opPlace(e.OpAt)), ref, ev.moment()})
		}
	}
	if len(right) == 0 {
		return ev.arrowed(left, ev.trace.Join(lr, rr))
	}
	if len(right) == 1 {
		if c, ok := right[0].(*collector); ok {
			c.instead, rr = left, ev.trace.Join(lr, rr)
		}
	}
	return ev.arrowed(right, rr)
}

// arrowed is the value of an arrow: one of its sides.
func (ev *Evaluator) arrowed(side []value.Value, ref provenance.Ref) (value.Value, provenance.Ref) {
	a := value.NewArray(side...)
	if ref = ev.trace.Join(ref); ref != 0 {
		for range side {
			a.Refs = append(a.Refs, ref)
		}
	}
	return a, ref
}

// operands flattens one side of an arrow into references and collectors, each once.
func (ev *Evaluator) operands(e *syntax.Relation, v value.Value) []value.Value {
	var out []value.Value
	for _, x := range flatKeys([]value.Value{v}) {
		switch t := x.(type) {
		case *collector:
			out = append(out, t)
			continue
		case *value.Opaque:
			ev.notDone("A relationship", t, ev.place(opPlace(e.OpAt)))
			continue
		case value.String:
			parsed, err := ev.ParseType(string(t))
			if err != nil {
				ev.runtime(e, err.Error())
			}
			x = parsed
		case *value.Object, value.Undef, value.Bool, value.Int, value.Float, value.Default, *value.Hash, *value.Regexp,
			*value.Sensitive:
			ev.failf("E0550", opPlace(e.OpAt),
				"Evaluation Error: Illegal relationship operand, can not form a relationship with %s. A Catalog type is required.",
				article(types.Label(x)))
		}
		switch t := x.(type) {
		case *types.Resource, *types.Class:
			ev.budget.Spend(int64(len(out)>>2), relating)
			dup := false
			for _, o := range out {
				if value.Same(o, x) {
					dup = true
				}
			}
			if !dup {
				out = append(out, t)
			}
		default:
			ev.failf("E0550", opPlace(e.OpAt),
				"Evaluation Error: Illegal relationship operand, can not form a relationship with something of type %s. A "+
					"Catalog type is required.", value.ToString(x))
		}
	}
	return out
}

// ParseType reads a type from its text, with the program's aliases and resource types in sight.
func (ev *Evaluator) ParseType(text string) (value.Type, error) {
	return types.Parse(text, ev.TypeNamed)
}

// ParseType reads a type as a program sees it, without running the program: in is what would be compiled.
func ParseType(w World, in Input, text string) (t value.Type, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *failure:
			err = errors.New(p.diagnostic.Summary)
		default:
			panic(p)
		}
	}()
	in.Settings.Trace, in.Budget = false, nil
	ev := newEvaluator(w, in)
	ev.define(in.Main...)
	return ev.ParseType(text)
}

// resolveRelations turns arrows into attributes. What a collector on the right finds stands in the attribute, in the
// order in which it was found; of what one on the left finds each gets the attribute by itself.
func (ev *Evaluator) resolveRelations() {
	for _, r := range ev.table.relations {
		to := ev.ends(r.to, false)
		if c, ok := r.to.(*collector); ok {
			r.ref = ev.trace.Join(r.ref, c.reach())
			for i := 0; len(to) > 1 && i < len(to); i++ {
				r.ref = ev.trace.Join(r.ref, ev.positionRef(to[i].res))
			}
		}
		if c, ok := r.from.(*collector); ok && len(c.got) == 0 {
			r.ref = ev.trace.Join(r.ref, c.emptiness())
		} else if ok {
			for _, x := range c.instead { // what would have the attribute, had the collector found nothing
				for _, s := range ev.ends(x, true) {
					ev.arrowFrom(s.res, r, c.reach())
				}
			}
		}
		for _, s := range ev.ends(r.from, true) {
			one := r
			if c := s.by; c != nil {
				one.ref = ev.trace.Join(r.ref, c.ref, c.looked[s.res].ref, s.res.existence)
			}
			ev.arrowTo(s.res, one)
			for _, t := range to {
				ev.relate(s, t, one)
			}
		}
	}
}

// arrowFrom notes that a resource has no attribute from an arrow because of what a collector found.
func (ev *Evaluator) arrowFrom(from *Resource, r relation, why provenance.Ref) {
	if ev.trace != nil && from != nil {
		ev.note(from, r.param, ev.trace.Join(from.noted(r.param), r.ref, why))
	}
}

// arrowTo notes that an arrow to a collector gives a resource an attribute, or none when the collector finds nothing.
func (ev *Evaluator) arrowTo(from *Resource, r relation) {
	if _, ok := r.to.(*collector); ok && ev.trace != nil && from != nil {
		ev.note(from, r.param, ev.trace.Join(from.noted(r.param), r.ref))
	}
}

// arrow notes that an arrow sets an attribute on what the collector finds or, when that is nothing, on what stands to
// its left.
func (c *collector) arrow(attr string) {
	c.arrows = append(c.arrows, attr)
	c.ev.ghosts.writes++
	for _, x := range c.instead {
		if left, ok := x.(*collector); ok {
			left.arrow(attr)
		}
	}
}

// emptiness is what it depends on that a collector found nothing, and those to its left that come in its place.
func (c *collector) emptiness() provenance.Ref {
	if c.ev.trace == nil || len(c.got) > 0 {
		return 0
	}
	ref := c.reach()
	for _, x := range c.instead {
		if left, ok := x.(*collector); ok {
			ref = c.ev.trace.Join(ref, left.emptiness())
		}
	}
	return ref
}

// An end is a resource that one end of an arrow stands for, and how the arrow names it; nil when there is none of that
// name.
type end struct {
	ref value.Value // nil when a collector found it
	res *Resource
	by  *collector
}

func (e end) text() string {
	if e.ref == nil {
		return e.res.Ref()
	}
	return refText(e.ref)
}

// ends are what one end of an arrow stands for.
func (ev *Evaluator) ends(v value.Value, left bool) []end {
	c, ok := v.(*collector)
	if !ok {
		return []end{{v, ev.resourceOf(v), nil}}
	}
	if len(c.got) > 0 || !left {
		out := make([]end, len(c.got))
		for i, r := range c.got {
			out[i].res, out[i].by = r, c
		}
		return out
	}
	var out []end
	for _, x := range c.instead {
		out = append(out, ev.ends(x, true)...)
	}
	return out
}

func (ev *Evaluator) relate(s, t end, r relation) {
	for _, x := range [2]end{s, t} {
		if x, ok := x.ref.(*types.Resource); ok && !x.HasTitle {
			ev.failAt(&source.Diagnostic{Code: "E0551", Place: r.place,
				Summary: fmt.Sprintf("No title provided and \"%s[]\" is not a valid resource reference", capitalized(x.Type))})
		}
	}
	if o := opaque(s.ref, t.ref); o != nil {
		ev.notDone("The relationship", o, r.place)
		return
	}
	ev.budget.Keep(relationBytes, relating)
	from, to := s.res, t.res
	if ev.mayBe() && (from == nil || to == nil) { // which may be there after all
		if ev.nothingToTell() {
			return
		}
		ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0706", Severity: source.Warning, Place: r.place,
			Summary: fmt.Sprintf("The relationship of '%s' and '%s' is left out: one of them is not there, but may be in Puppet",
				s.text(), t.text())})
		return
	}
	if from == nil {
		ev.failAt(&source.Diagnostic{Code: "E0551", Place: r.place,
			Summary: fmt.Sprintf("Could not find resource '%s' for relationship on '%s'", s.text(), t.text()),
			About:   about(source.MissingResource, s.text())})
	}
	if to == nil {
		ev.failAt(&source.Diagnostic{Code: "E0551", Place: r.place,
			Summary: fmt.Sprintf("Could not find resource '%s' for relationship from '%s'", t.text(), s.text()),
			About:   about(source.MissingResource, t.text())})
	}
	var before provenance.Ref
	p := from.param(r.param)
	if p != nil {
		if a, is := p.value.(*value.Array); is && ev.table.common[a] {
			ev.relateAll(a, t, r)
			return
		}
	}
	if p != nil && p.arrows {
		a := p.value.(*value.Array)
		a.Elems = append(a.Elems, t.value())
		if ev.trace != nil {
			a.Refs = append(append(a.Refs, make([]provenance.Ref, len(a.Elems)-1-len(a.Refs))...), r.ref)
		}
		// one of several: their order is that in which they were drawn
		p.ref, p.place = ev.trace.Join(p.ref, r.ref, r.moment, ev.table.drawn[p]), r.place
		return
	}
	if p != nil {
		// the attribute has something else already, which may be undef: their order counts
		before = ev.trace.Join(r.moment, p.ref)
	}
	b := value.NewArrayBuilder(4)
	if p != nil && !value.IsUndef(p.value) {
		if a, ok := p.value.(*value.Array); ok {
			b.AddAll(a)
		} else {
			b.AddRef(p.value, p.ref)
		}
	}
	b.AddRef(t.value(), r.ref)
	ev.setParam(from, &param{name: r.param, value: b.Array(), ref: ev.trace.Join(before, r.ref), place: r.place,
		source: from.source, arrows: true})
	if ev.trace != nil && p == nil {
		if ev.table.drawn == nil {
			ev.table.drawn = map[*param]provenance.Ref{}
		}
		ev.table.drawn[from.param(r.param)] = r.moment
	}
}

// relateAll adds what an arrow points at to an array that several resources may have.
func (ev *Evaluator) relateAll(a *value.Array, t end, r relation) {
	a.Elems = append(a.Elems, t.value())
	if ev.trace == nil {
		return
	}
	a.Refs = append(append(a.Refs, make([]provenance.Ref, len(a.Elems)-1-len(a.Refs))...), r.ref)
	for _, res := range ev.table.list {
		if p := res.param(r.param); p != nil && p.value == value.Value(a) {
			p.ref = ev.trace.Join(p.ref, r.ref, r.moment)
		}
	}
}

// value is the reference as text. Many arrows may point at one resource.
func (e end) value() value.Value {
	r := e.res
	if e.ref != nil {
		if t, ok := e.ref.(*types.Resource); !ok || t.Title != r.Title {
			return value.String(refText(e.ref))
		}
	}
	if r.asValue == nil {
		r.asValue = value.String(r.Ref())
	}
	return r.asValue
}

// checkRelations makes sure that everything a relationship names is in the catalog.
func (ev *Evaluator) checkRelations() {
	for _, r := range ev.table.list {
		if r.virtual {
			continue
		}
		for _, p := range r.params {
			switch p.name {
			case "before", "notify", "require", "subscribe":
			default:
				continue
			}
			list := []value.Value{p.value}
			if a, ok := p.value.(*value.Array); ok {
				list = flatKeys(a.Elems)
			}
			for _, v := range list {
				if !value.IsUndef(v) {
					ev.checkRelation(r, p, v)
				}
			}
		}
	}
}

func (ev *Evaluator) checkRelation(r *Resource, p *param, v value.Value) {
	switch v := v.(type) {
	case *value.Opaque:
		return
	case *types.Resource:
		if v.HasTitle && ev.find(v.Type, v.Title) != nil {
			return
		}
	case *types.Class:
		if v.Of != "" && ev.find("Class", v.Of) != nil {
			return
		}
	}
	text := refText(v)
	at := p.place
	if !at.Known() {
		at = r.place
	}
	found, ok := ev.findRef(text)
	if !ok {
		ev.failAt(&source.Diagnostic{Code: "E0552", Place: at,
			Summary: fmt.Sprintf("No title provided and %q is not a valid resource reference", text)})
	}
	if found != nil {
		return
	}
	if ev.mayBe() { // it may be there after all
		if ev.nothingToTell() {
			return
		}
		ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0706", Severity: source.Warning, Place: at,
			Summary: fmt.Sprintf("'%s' is not there for the relationship on '%s', but may be in Puppet: decisions hang on "+
				"what is not known", text, r.Ref())})
		return
	}
	d := &source.Diagnostic{Code: "E0552", Place: at,
		Summary: fmt.Sprintf("Could not find resource '%s' in parameter '%s'", text, p.name),
		About:   about(source.MissingResource, text)}
	var names []string
	for _, x := range ev.table.list {
		names = append(names, x.Ref())
	}
	if near := source.Nearest(text, names); near != "" {
		d.Help = "did you mean " + near + "?"
	}
	ev.failValue(d, v, ev.elementRef(p, v))
}

// elementRef is the provenance of one reference among those of an attribute.
func (ev *Evaluator) elementRef(p *param, v value.Value) provenance.Ref {
	if a, ok := p.value.(*value.Array); ok && ev.trace != nil {
		for i, e := range value.Flatten(a).Elems {
			if r := value.Flatten(a).Ref(i); r != 0 && refText(e) == refText(v) {
				return r
			}
		}
	}
	return p.ref
}
