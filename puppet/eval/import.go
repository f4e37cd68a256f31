package eval

import (
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/exported"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Exported resources. `@@type { … }` marks a resource for other nodes; `Type <<| query |>>` takes in what the node
// itself and all others export. The others' come from outside (Input.Imports): a PuppetDB, or catalogs that were
// compiled beside this one. Such a resource enters the catalog as if it were declared where the collector stands: it
// gets the scope's defaults and tags, and its container. It has no file and line there, and is not exported again.
//
// With tracing on, an imported value depends on what it depended on where it was made. Places in code and data mean the
// same here; facts and the name of the other node do not, and are called after it.

// filterOf is a query as PuppetDB is asked it. Its operands have been evaluated once before, by queryOf, which refuses
// everything that is no query.
func (ev *Evaluator) filterOf(e syntax.Expr, sc *Scope) *exported.Filter {
	switch e := e.(type) {
	case *syntax.Paren:
		return ev.filterOf(e.X, sc)
	case *syntax.Binary:
		switch e.Op {
		case syntax.OpAnd, syntax.OpOr:
			op := "and"
			if e.Op == syntax.OpOr {
				op = "or"
			}
			return &exported.Filter{Op: op, Left: ev.filterOf(e.Left, sc), Right: ev.filterOf(e.Right, sc)}
		}
		left, _ := ev.queryOperand(e.Left, sc)
		right, _ := ev.queryOperand(e.Right, sc)
		op := "=="
		if e.Op == syntax.OpNe {
			op = "!="
		}
		return &exported.Filter{Op: op, Field: value.ToString(left), Value: right}
	}
	return nil
}

// imports takes in what other nodes export, and gives what is new.
func (c *collector) imports() (fresh []*Resource) {
	ev := c.ev
	if !c.asked {
		c.asked, ev.asked = true, append(ev.asked, c.asks)
	}
	text, err := c.asks.Text()
	if err != nil {
		ev.failAt(&source.Diagnostic{Code: "E0542", Place: c.place, Summary: err.Error()})
	}
	ev.log.Ask(trace.Question{Kind: trace.Exports, Of: c.asks.Type, Part: text})
	found, err := ev.in.Imports.Exported(ev.in.Node, c.asks)
	if err != nil {
		ev.failAt(&source.Diagnostic{Code: "E0544", Place: c.place, Summary: "Could not retrieve resources: " + err.Error()})
	}
	ev.budget.Spend(int64(len(found)), collecting)
	for _, x := range found {
		old := ev.find(x.Type, x.Title)
		if old == nil {
			fresh = append(fresh, c.take(x))
			continue
		}
		if old.from == nil || old.from.ID() != x.ID() {
			c.foundTwice(x, old)
		}
	}
	return fresh
}

// take makes a resource of what another node exports.
func (c *collector) take(x *exported.Resource) *Resource {
	ev := c.ev
	r := &Resource{place: x.Place, scope: c.scope, source: c.scope.source, from: x}
	r.in = r.container[:0]
	if !ev.resolveResource(r, ev.typeName(x.Type), x.Title) {
		ev.failAt(&source.Diagnostic{Code: "E0508", Place: c.place, Summary: "Resource type " + x.Type + " doesn't exist"})
	}
	there := ev.exportLeaf(x, x.Ref(), x.Place, x.Tested(c.asks))
	r.existence = ev.trace.Join(c.ref, there)
	r.titleRef = there
	if ev.trace != nil { // whoever asks first takes it, into its own container
		for _, o := range ev.table.everCollected {
			if o != c && o.asks != nil && o.typ == c.typ {
				r.existence = ev.trace.With(r.existence, o.ref)
			}
		}
	}
	r.params = make([]*param, 0, len(x.Params))
	for i := range x.Params {
		p := &x.Params[i]
		if o := within(p.Value); o != nil { // what it hangs on was asked elsewhere
			ev.loose(o)
		}
		ev.setParam(r, &param{name: p.Name, value: p.Value, source: r.source, place: p.Place,
			ref: ev.exportLeaf(x, p.Name+" of "+x.Ref(), p.Place, p.Labels)})
	}
	if ev.trace != nil {
		for i := range x.Unset {
			p := &x.Unset[i]
			ref := ev.exportLeaf(x, p.Name+" of "+x.Ref(), p.Place, p.Labels)
			if r.unset = append(r.unset, attrRef{p.Name, ref}); p.Name == "tag" { // it would make some
				r.tagRef = ev.trace.Join(r.tagRef, ref)
			}
		}
	}
	before := ev.ctl
	ev.ctl = r.existence
	ev.initialTags(r)
	ev.applyDefaults(r, c.scope)
	ev.addResource(r, c.scope, &syntax.Nop{})
	ev.ctl = before
	return r
}

// withheld is what it depends on that another node exports a resource without an attribute: then a define's own default
// counts. The node may have given undef, or something Sensitive, or might have been led to give something.
func (ev *Evaluator) withheld(r *Resource, attribute string) provenance.Ref {
	if ev.trace == nil || r.from == nil || r.from.Param(attribute) != nil {
		return 0
	}
	var refs []provenance.Ref
	for _, u := range r.unset {
		if u.attr == attribute {
			refs = append(refs, u.ref)
		}
	}
	if r.from.Absent != nil {
		if labels := r.from.Absent(attribute); len(labels) > 0 {
			refs = append(refs, ev.exportLeaf(r.from, attribute+" of "+r.from.Ref(), r.from.Place, labels))
		}
	}
	return ev.trace.Join(refs...)
}

// exportLeaf is where something comes from that another node exports.
func (ev *Evaluator) exportLeaf(x *exported.Resource, what string, at source.Place,
	labels []provenance.Label) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	path := what + ", exported by " + x.Certname
	ref := ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: path, Place: at})
	if len(labels) == 0 {
		return ref
	}
	if ev.foreign == nil {
		ev.foreign = map[provenance.LabelKey]provenance.Ref{}
	}
	all := make([]provenance.Ref, 0, len(labels))
	for _, l := range labels {
		l = foreignLabel(l, x.Certname)
		k := l.Key()
		if ev.foreign[k] == 0 {
			ev.foreign[k] = ev.trace.Leaf(l)
		}
		all = append(all, ev.foreign[k])
	}
	return ev.trace.With(ref, all...)
}

// foreignLabel is a place as another node's compile sees it.
func foreignLabel(l provenance.Label, node string) provenance.Label {
	switch l.Kind {
	case provenance.Fact:
		l.Kind, l.Path = provenance.World, "fact "+l.Path+" of "+node
	case provenance.NodeName:
		l.Kind, l.Path = provenance.World, "the name of "+node
	}
	return l
}

// foundTwice reports a resource that two nodes export, or one that is declared here as well: both with their origin.
func (c *collector) foundTwice(x *exported.Resource, old *Resource) {
	ev := c.ev
	d := &source.Diagnostic{Code: "E0543", Place: c.place,
		Summary: "A duplicate resource was found while collecting exported resources, with the type and title " + x.Ref(),
		Label:   "collected here",
		Help:    "put something of the node's own into the title, such as $trusted['certname'], or narrow the query down"}
	add := func(at source.Place, label string) {
		d.Related = append(d.Related, source.Related{Place: at, Label: label})
	}
	if old.from != nil {
		add(old.from.Place, "exported by "+old.from.Certname+old.from.At())
	} else if old.hasPlace {
		add(old.place, "declared here")
	}
	add(x.Place, "exported by "+x.Certname+x.At())
	ev.failRef(d, ev.trace.Join(old.existence, c.ref, ev.exportLeaf(x, x.Ref(), x.Place, x.Labels)))
}

// exportsOf are the resources that the node exports, as other nodes get them; l is what is left of the compile.
func (ev *Evaluator) exportsOf(l *left) (out []*exported.Resource) {
	tr := ev.trace
	for _, r := range ev.table.list {
		if !r.exported || r.wire == nil {
			continue
		}
		w := r.wire
		x := &exported.Resource{Certname: ev.in.Node, Type: r.Type, Title: r.Title, Tags: slices.Clone(w.Tags), File: w.File,
			Line: w.Line, Place: w.Place}
		if tr != nil {
			x.Labels, x.TagLabels = tr.Depends(w.Existence, w.TitleRef), tr.Depends(w.TagsRef)
		}
		if tr != nil {
			x.Absent = func(attribute string) []provenance.Label { return tr.Depends(l.Absent(w, attribute)...) }
		}
		named := []provenance.Ref{w.Existence, w.TitleRef} // of the aliases
		var given, name value.Value
		namevar, single, isomorphic := "name", true, true
		if r.typ != nil {
			namevar, single, isomorphic = r.typ.Namevar(), len(r.typ.Namevars) <= 1, r.typ.Isomorphic
		}
		for i := range w.Params {
			p := &w.Params[i]
			v, ok := exported.Stored(p.Name, p.Value)
			if !ok || slices.Contains(w.Sensitive, p.Name) {
				if tr != nil {
					x.Unset = append(x.Unset, exported.Param{Name: p.Name, Place: p.Place, Labels: tr.Depends(p.Ref)})
				}
				if p.Name == namevar || p.Name == "alias" {
					named = append(named, p.Ref)
				}
				continue
			}
			if p.Name == namevar {
				name, named = v, append(named, p.Ref)
			}
			if p.Name == "alias" && single {
				given, named = v, append(named, p.Ref)
				continue
			}
			q := exported.Param{Name: p.Name, Value: v, Place: p.Place}
			if tr != nil {
				q.Labels = tr.Depends(p.Ref)
			}
			x.Params = append(x.Params, q)
		}
		for _, p := range r.params {
			if tr != nil && value.IsUndef(p.value) {
				x.Unset = append(x.Unset, exported.Param{Name: p.name, Place: p.place, Labels: tr.Depends(p.ref)})
				if p.name == namevar || p.name == "alias" {
					named = append(named, p.ref)
				}
			}
		}
		if tr != nil && name == nil { // there might have been one
			named = append(named, l.Absent(w, namevar)...)
		}
		switch aliases := exported.Aliases(r.Title, given, name, single, isomorphic); {
		case aliases != nil:
			x.Params = append(x.Params, exported.Param{Name: "alias", Value: aliases, Place: x.Place,
				Labels: tr.Depends(named...)})
		case tr != nil && single:
			x.Unset = append(x.Unset, exported.Param{Name: "alias", Place: x.Place, Labels: tr.Depends(named...)})
		}
		out = append(out, x)
	}
	return out
}
