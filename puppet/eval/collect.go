package eval

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/exported"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A collector realizes what its query finds, and overrides attributes of it, again and again until nothing new is
// found. A fixed one (the function realize) has references instead of a query.
type collector struct {
	value.TypeMark // a collector is a value: relationships are drawn to it

	gathering
	ev       *Evaluator
	query    func(*Resource) bool
	exported bool
	asks     *exported.Query // of an exported collector: what other nodes' resources must be like
	asked    bool            // it has asked for that
	fixed    []value.Value   // references still to be realized
	scope    *Scope
	params   []*param
	place    source.Place
	got      []*Resource
	has      map[*Resource]bool
	reads    []string           // attributes that the query tests
	looked   map[*Resource]look // what the tests saw, at the time
	// instead is what the left side of a chain falls back to when the collector on its right found nothing
	instead []value.Value
}

// A gathering is what a collector does to the resources that it finds, and why.
type gathering struct {
	typ    string
	ref    provenance.Ref // the query's literals and the decisions around it
	splat  provenance.Ref // of hashes that its overrides are taken from
	moment provenance.Ref // what decided when it was noted: the last that overrides an attribute wins
	arrows []string       // attributes that arrows from it set on what it finds
	sets   []string       // attributes that it overrides
}

// A look is what the tests of a query saw of a resource: all, and the last time.
type look struct{ ref, last provenance.Ref }

// A collector stands for a catalog type where it is printed.
func (c *collector) String() string              { return "Catalog-Collector[" + c.typ + "]" }
func (c *collector) Name() string                { return "Collector" }
func (c *collector) EqualType(t value.Type) bool { return t == value.Type(c) }

// collect is `Type <| query |> { … }`: it only notes the collector, which works between the evaluation of classes and
// of defines.
func (ev *Evaluator) collect(e *syntax.Collect, sc *Scope) value.Value {
	ref, ok := e.Type.(*syntax.Ref)
	if !ok {
		ev.runtime(e, "LHS is not a type")
	}
	low := canonical(ref.Value)
	if low == "class" {
		ev.runtime(e, "Classes cannot be collected")
	}
	if !ev.knownResourceType(low) && ev.lacks(source.MissingResourceType, low) == "" {
		ev.runtime(e, "Resource type "+low+" doesn't exist")
	}
	if e.Exported && !ev.set.Storeconfigs {
		ev.warn("E0540", e.QueryAt,
			"You cannot collect exported resources without storeconfigs being set; the collection will be ignored")
	}
	c := &collector{ev: ev, gathering: gathering{typ: capitalized(low)}, scope: sc, exported: e.Exported,
		place: ev.place(e.Where), has: map[*Resource]bool{}, looked: map[*Resource]look{}}
	if len(e.Ops) > 0 {
		params, splat := ev.attributeOps(e.Ops, sc, nil)
		c.splat = splat
		for _, p := range params {
			q := *p
			c.params = append(c.params, &q)
			c.sets = append(c.sets, p.name)
		}
	}
	c.ref, c.moment = ev.ctl, ev.moment()
	if e.Query != nil {
		c.query = ev.queryOf(e.Query, c, sc)
	}
	if e.Exported && ev.in.Imports != nil {
		c.asks = &exported.Query{Type: c.typ}
		if e.Query != nil {
			c.asks.Filter = ev.filterOf(e.Query, sc)
		}
	}
	ev.table.collected = append(ev.table.collected, c)
	ev.table.everCollected = append(ev.table.everCollected, c)
	return c
}

// queryOf makes the test of a collector. Its operands are evaluated now, where the collector stands.
func (ev *Evaluator) queryOf(e syntax.Expr, c *collector, sc *Scope) func(*Resource) bool {
	switch e := e.(type) {
	case *syntax.Paren:
		return ev.queryOf(e.X, c, sc)
	case *syntax.Binary:
		switch e.Op {
		case syntax.OpAnd, syntax.OpOr:
			l, r := ev.queryOf(e.Left, c, sc), ev.queryOf(e.Right, c, sc)
			if e.Op == syntax.OpAnd {
				return func(x *Resource) bool { return l(x) && r(x) }
			}
			return func(x *Resource) bool { return l(x) || r(x) }
		case syntax.OpEq, syntax.OpNe:
			return ev.queryTest(e, c, sc)
		}
	}
	ev.noQuery(e)
	return nil
}

// queryOperand evaluates what may stand beside == in a query: names, literals, variables, strings and references.
func (ev *Evaluator) queryOperand(e syntax.Expr, sc *Scope) (value.Value, provenance.Ref) {
	switch e := e.(type) {
	case *syntax.Paren:
		return ev.queryOperand(e.X, sc)
	case *syntax.Name, *syntax.Str, *syntax.Interpolated, *syntax.Var, *syntax.Int, *syntax.Float, *syntax.Bool,
		*syntax.Undef:
		return ev.eval(e, sc)
	case *syntax.Access:
		v, r := ev.eval(e, sc)
		v, err := ev.convert(v)
		if err != nil {
			ev.runtime(e, err.Error())
		}
		return v, r
	}
	ev.noQuery(e)
	return nil, 0
}

func (ev *Evaluator) noQuery(e syntax.Expr) {
	ev.failAt(&source.Diagnostic{Code: "E0541", Place: ev.place(e.Span()), Summary: "Cannot transform object of class " +
		modelClass(e)})
}

func (ev *Evaluator) queryTest(e *syntax.Binary, c *collector, sc *Scope) func(*Resource) bool {
	left, lr := ev.queryOperand(e.Left, sc)
	right, rr := ev.queryOperand(e.Right, sc)
	c.ref = ev.trace.Join(c.ref, ev.deep(left, lr), ev.deep(right, rr))
	name := value.ToString(left)
	ev.looksInto(right)
	c.reads = append(c.reads, name)
	if e.Op == syntax.OpEq && name == "tag" {
		var tags []string
		for _, t := range flatKeys([]value.Value{right}) {
			switch t.(type) {
			case value.Int, value.Float:
				ev.failAt(&source.Diagnostic{Code: "E0541", Place: ev.place(e.Where),
					Summary: "Cannot transform a number to a tag"})
			}
			tags = append(tags, value.Downcase(value.ToString(t)))
		}
		return func(r *Resource) bool {
			if p := r.param("tag"); p != nil {
				ev.looksInto(p.value)
			}
			for _, t := range tags {
				if r.Tagged(t) {
					return true
				}
			}
			return false
		}
	}
	return func(r *Resource) bool {
		var v value.Value = value.Undef{}
		if name == "title" {
			v = value.String(r.Title)
		} else if p := r.param(name); p != nil {
			v = p.value
		}
		ev.looksInto(v)
		if e.Op == syntax.OpNe {
			return !ev.equalRefs(v, right)
		}
		if a, ok := v.(*value.Array); ok {
			return ev.queryFinds(a, right, sc)
		}
		return ev.equalRefs(v, right)
	}
}

// queryFinds looks for the operand of a query in an array. A reference stands for a resource here, not for a type with
// instances.
func (ev *Evaluator) queryFinds(a *value.Array, operand value.Value, sc *Scope) bool {
	switch operand.(type) {
	case *types.Resource, *types.Class:
		for _, x := range a.Elems {
			if ev.equal(x, operand) {
				return true
			}
		}
		return false
	}
	return ev.includes(operand, a, sc, 0)
}

// equalRefs compares an attribute with a query's operand; a reference there may be written as its text.
func (ev *Evaluator) equalRefs(a, b value.Value) bool { return ev.equal(a, b) }

// run looks for resources once more and reports whether it found new ones.
func (c *collector) run() bool {
	if c.fixed != nil {
		return c.realize()
	}
	ev := c.ev
	if c.exported && !ev.set.Storeconfigs {
		return false
	}
	var found []*Resource
	ev.budget.Spend(int64(len(ev.table.added)), collecting)
	for _, r := range ev.table.added {
		if ev.trace != nil && r.Type == c.typ {
			if t, seen := c.tested(r), c.looked[r]; t != seen.last {
				c.looked[r] = look{ev.union([]provenance.Ref{seen.ref, t}), t}
			}
		}
		if r.Type == c.typ && (!c.exported || r.exported) && (c.query == nil || c.query(r)) {
			found = append(found, r)
			if r.virtual {
				r.virtual = false
				r.existence = ev.trace.Join(r.existence, c.ref, c.looked[r].ref)
			}
		}
	}
	if c.asks != nil {
		found = append(found, c.imports()...)
	}
	fresh := false
	for _, r := range found {
		if c.has[r] {
			continue
		}
		if c.params != nil {
			c.override(r)
		}
		fresh = true
	}
	for _, r := range found {
		if !c.has[r] {
			c.has[r] = true
			c.got = append(c.got, r)
		}
	}
	return fresh
}

// override applies the collector's attributes to a resource it found; the class that holds the collector may from now
// on override anything.
func (c *collector) override(r *Resource) {
	if c.scope.source != nil {
		c.scope.source.overriding = true
	}
	o := &Resource{Type: r.Type, Title: r.Title, place: c.place, hasPlace: true, scope: c.scope, source: c.scope.source}
	for _, p := range c.params {
		q := *p
		o.params = append(o.params, &q)
	}
	// Puppet makes the override as a resource of its own, and so it takes the resource defaults of the collector's scope
	// along.
	c.ev.applyDefaults(o, c.scope)
	for _, p := range o.params {
		p.ref = c.ev.trace.With(p.ref, c.ref)
	}
	c.ev.addOverride(o)
}

// realize makes the resources of a fixed set real; it is done when all were found.
func (c *collector) realize() bool {
	fresh := false
	var left []value.Value
	for _, v := range c.fixed {
		r := c.ev.resourceOf(v)
		if r == nil {
			left = append(left, v)
			continue
		}
		r.virtual = false
		r.existence = c.ev.trace.With(r.existence, c.ref)
		if !c.has[r] {
			c.has[r] = true
			c.got = append(c.got, r)
			fresh = true
		}
	}
	c.fixed = left
	if len(left) == 0 {
		c.fixed = nil
		c.ev.dropCollector(c)
	}
	return fresh
}

func (ev *Evaluator) dropCollector(c *collector) {
	for i, x := range ev.table.collected {
		if x == c {
			ev.table.collected = append(ev.table.collected[:i:i], ev.table.collected[i+1:]...)
			return
		}
	}
}

// resourceOf finds the resource that a reference, or its text, names.
func (ev *Evaluator) resourceOf(v value.Value) *Resource {
	switch v := v.(type) {
	case *types.Resource:
		return ev.find(v.Type, v.Title)
	case *types.Class:
		return ev.find("Class", v.Of)
	}
	r, _ := ev.findRef(value.ToString(v))
	return r
}

// Realize notes references whose resources are to be made real.
func (c *Call) Realize(refs []value.Value) {
	c.MustSay(outline.Realizes)
	ev := c.Eval
	flat := flatKeys(refs)
	if len(flat) == 0 {
		return
	}
	col := &collector{ev: ev, fixed: flat, scope: c.Scope, place: c.Place, has: map[*Resource]bool{},
		gathering: gathering{ref: ev.trace.Join(append(c.deepRefs(), ev.ctl)...)}}
	ev.table.collected = append(ev.table.collected, col)
}

// unresolved lists what fixed collectors did not find.
func (ev *Evaluator) unresolved() []string {
	var out []string
	for _, c := range ev.table.collected {
		for _, v := range c.fixed {
			out = append(out, refText(v))
		}
	}
	return out
}

// refText is a reference as Puppet prints it in messages and on the wire: File[/etc/motd].
func refText(v value.Value) string {
	switch v := v.(type) {
	case *types.Resource:
		if v.HasTitle {
			return capitalized(v.Type) + "[" + v.Title + "]"
		}
	case *types.Class:
		if v.Of != "" {
			return "Class[" + capitalized(v.Of) + "]"
		}
	case value.String:
		return string(v)
	}
	return strings.TrimSpace(value.ToString(v))
}
