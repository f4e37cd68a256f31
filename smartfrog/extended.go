package smartfrog

import (
	"fmt"
	"slices"

	"bunraku/source"
)

// The extended semantics of references, for --extended: section 9.2.2 of the paper names it, Herry's thesis defines it,
// and the compiler of his branch "thesis" implements it.
//
//   - Links are not resolved where they stand: they are kept in the store and resolved in a second pass, when
// everything is
//     defined. A link that is inherited is therefore looked up in the namespace of the component that inherits it; a
// link inside
//     a component that is reached by another link is looked up where that component stands.
//   - THIS, PARENT and ROOT may be parts of link and prototype references. A reference that starts with one of them
// names one
//     place and is not searched upwards.
//   - Prototypes and placements are evaluated in the first pass, as in the core; they may not look ahead.
//
// Differs from the thesis compiler, which resolves links in the order of the text, copies components before their links
// are resolved, and merges components (figure 12 of the paper says otherwise):
//
//   - a reference that leads through a link finds the same value wherever the link stands in the text;
//   - links at any depth of a linked component are looked up where it stands, not only those of its first level;
//   - links between components that contain each other by way of the top level are err21; there, that compiler never
// ends.

// extendedPrototype resolves the name of a prototype in the first pass. It may be a link to a component that is already
// there.
func (e *evaluator) extendedPrototype(ns *scope, p *Ref) (Value, *copied) {
	l := e.search(ns, p, e.site, e.act)
	switch {
	case l.circle != nil:
		e.linkCircle(l.circle)
		return poison{}, nil
	case !l.found:
		if !l.spoilt {
			e.unresolved(codeExtendedProto, "err43: prototype", p, l.copied)
		}
		return poison{}, nil
	}
	switch v := l.target.value().(type) {
	case *Store:
		if v.level > 0 {
			e.prototypeCycle(codeProtoCycle, "err42", p, l.target.origin())
			return poison{}, nil
		}
		return v, l.copied
	case poison:
		return poison{}, nil
	case *pending:
		return e.linkedPrototype(p, l)
	default:
		e.notComponent(codeExtendedProto, "err43", p, v, l.copied)
		return poison{}, nil
	}
}

// linkedPrototype resolves a prototype that is a link.
func (e *evaluator) linkedPrototype(p *Ref, named lookup) (Value, *copied) {
	l := e.follow(named.target)
	c := named.copied
	for _, h := range e.chase.cut(0) {
		c.steps = append(c.steps, h.copied.steps...)
		c.passed = append(c.passed, h.copied.passed...)
	}
	switch {
	case l.circle != nil:
		e.linkCircle(l.circle)
	case !l.found && !l.spoilt:
		d := e.unresolvedAt(codePrototype, "err4: prototype", p, c.from, e.site)
		d.Detail = "it is a link to `" + l.copied.ref.Path.String() + "`, which leads nowhere"
		d.Related = append(d.Related, source.Related{Place: l.copied.site.place(l.copied.ref.span), Label: "this link"})
		e.report(d)
	case l.found:
		v, ok := l.target.value().(*Store)
		if !ok {
			e.notComponent(codePrototype, "err4", p, l.target.value(), c)
		} else if v.level > 0 {
			e.prototypeCycle(codeLinkedPrototype, "err41", p, l.target.origin())
		} else {
			return v, c
		}
	}
	return poison{}, nil
}

// links is the second pass: it resolves all links of the result.
func (e *evaluator) links(root *Store) {
	e.chase = newChase(true)
	top := &scope{store: root}
	root.state = resolving
	e.complete(e.child(target{top, root.position("sfConfig")}))
}

// The states of a store in the second pass.
const (
	untouched = iota
	resolving
	resolved
)

// complete resolves all links in a component.
func (e *evaluator) complete(sc *scope) {
	s := sc.store
	if s.state == resolved || e.stop {
		return
	}
	if sc.depth > maxNesting || e.chase.depth > maxNesting {
		e.tooDeep(sc)
		return
	}
	e.chase.depth++
	s.state = resolving
	for i := range s.slots {
		switch s.slots[i].value.(type) {
		case *Store:
			e.complete(e.child(target{sc, i}))
		case *pending:
			e.settle(target{sc, i})
		}
		if e.stop {
			return
		}
	}
	s.state = resolved
	e.chase.depth--
}

// settle resolves one link and those that it leads through.
func (e *evaluator) settle(t target) {
	e.spend(1)
	e.act = t.origin().act
	e.site = t.origin().root().act.site
	mark := len(e.chase.trail)
	l := e.follow(t)
	hops := e.chase.cut(mark)
	v := e.settled(t, &l)
	e.share(v)
	// The value wanders back from the end of the trail to its start, so that each link is a copy of the next.
	next := l.target
	for _, h := range slices.Backward(hops) {
		sl := &h.in.store.slots[h.pos]
		if _, ok := sl.value.(*pending); !ok {
			// It stands in the component that was found, and was settled, or found to be in a circle, with it.
			v, next = sl.value, h.target
			continue
		}
		e.time++
		o := &origin{act: sl.origin.act, time: e.time, hides: sl.origin.hides, carrier: sl.origin}
		if l.found {
			o.copy, o.source = h.copied, next.origin()
			h.copied.time = e.time
		}
		sl.value, sl.origin = v, o
		next = h.target
	}
}

// settled returns the value that the lookup of a link has found, with its own links resolved, or poison.
func (e *evaluator) settled(t target, l *lookup) Value {
	switch {
	case l.circle != nil:
		e.linkCircle(l.circle)
		return poison{}
	case !l.found:
		if !l.spoilt && !e.chase.reported[l.copied.ref] {
			e.chase.reported[l.copied.ref] = true
			e.site = l.copied.site
			e.report(e.unresolvedAt(codeForwardLink, "err22: link reference", l.copied.ref, l.copied.from, l.copied.site))
		}
		return poison{}
	}
	v := l.target.value()
	s, ok := v.(*Store)
	if !ok {
		return v
	}
	if s.state == resolving {
		e.implicitCycle(t, l)
		return poison{}
	}
	sc := l.target.in
	if l.target.pos >= 0 {
		sc = e.child(l.target)
	}
	act, site := e.act, e.site
	e.complete(sc)
	e.act, e.site = act, site
	return sc.store
}

// linkCircle reports links that lead in a circle.
func (e *evaluator) linkCircle(circle []hop) {
	first := circle[0].value().(*pending).ref
	for _, t := range circle {
		if ref := t.value().(*pending).ref; e.chase.reported[ref] {
			return
		}
	}
	d := &source.Diagnostic{Code: codeLinkCycle, Help: "give one of them a value"}
	text := ""
	for i, t := range circle {
		ref := t.value().(*pending).ref
		e.chase.reported[ref] = true
		at := t.origin().root().act.site.place(ref.span)
		label := fmt.Sprintf("`%s` is `%s`", t.path(), ref.Path)
		if i == 0 {
			d.Place, d.Label = at, label
		} else {
			d.Related = append(d.Related, source.Related{Place: at, Label: label})
		}
		text += t.path().String() + " → "
	}
	d.Summary = fmt.Sprintf("err20: link reference `%s` leads back to itself: %s%s", first.Path, text, circle[0].path())
	e.report(d)
}

// implicitCycle reports a link to a component that contains the link, or a link to a component that does.
func (e *evaluator) implicitCycle(t target, l *lookup) {
	ref := l.copied.ref
	if e.chase.reported[ref] {
		return
	}
	e.chase.reported[ref] = true
	d := &source.Diagnostic{
		Code: codeImplicitCycle,
		Summary: fmt.Sprintf("err21: link reference `%s` names `%s`, which would then contain itself", ref.Path,
			nameOf(l.target.path())),
		Place: l.copied.site.place(ref.span), Label: fmt.Sprintf("this becomes `%s`", t.path()),
		Help: "link to a part of it, or use `DATA " + ref.Path.String() + "`",
	}
	if o := l.target.origin(); o != nil {
		d.Related = append(d.Related, source.Related{Place: o.act.head(), Label: "the component starts here"})
	}
	e.report(d)
}

// nameOf is a reference as it is written, where the empty one needs a name.
func nameOf(r Reference) string {
	if len(r) == 0 {
		return "ROOT"
	}
	return r.String()
}

// prototypeCycle reports a prototype that contains the component which extends it.
func (e *evaluator) prototypeCycle(code, kind string, p *Ref, o *origin) {
	d := &source.Diagnostic{
		Code: code, Summary: fmt.Sprintf("%s: prototype `%s` contains `%s`, which extends it", kind, p.Path, e.top().path()),
		Place: e.site.place(p.span),
		Help:  "give what they share a name of its own and extend that",
	}
	if o != nil {
		d.Related = []source.Related{{Place: o.act.head(), Label: "the prototype starts here"}}
	}
	e.report(d)
}

// tooDeep reports that resolving links nests components beyond the limit.
func (e *evaluator) tooDeep(sc *scope) {
	e.stop = true
	e.report(&source.Diagnostic{
		Code: codeSize, Summary: fmt.Sprintf("limit: the result is nested beyond %d levels", maxNesting),
		Place: sc.up.store.slots[sc.pos].origin.act.head(),
	})
}
