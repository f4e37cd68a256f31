package smartfrog

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"bunraku/source"
)

// Section 10 of the paper. The order of attributes is part of a configuration's meaning, and a prototype decides it,
// even for attributes whose values the extending component overrides: a change of the prototype may open a firewall.
// The paper proposes a warning and a constraint; no compiler had either.

// An ordering is what the `order` statements of one block say, the last constraint first. It is inherited as if it were
// an attribute: the ordering of a later prototype replaces that of an earlier one (else figure 19 of the paper would
// contradict itself), while the statements of one block add up.
type ordering struct {
	constraint
	block *Block
	prev  *ordering
}

// all lists the constraints, the first one first.
func (o *ordering) all() []constraint {
	var list []constraint
	for ; o != nil; o = o.prev {
		list = append(list, o.constraint)
	}
	slices.Reverse(list)
	return list
}

// A constraint is one `<` of an `order` statement.
type constraint struct {
	before, after *Ref
	stmt          *Order
	site          *site
}

// constrain evaluates an `order` statement.
func (e *evaluator) constrain(s *Order) {
	e.ordered = true
	dst := e.writable()
	if dst.order != nil && dst.order.block != e.block {
		dst.order = nil // it was inherited
	}
	for i, r := range s.Refs[1:] {
		dst.order = &ordering{constraint{s.Refs[i], r, s, e.site}, e.block, dst.order}
	}
}

// checkOrder warns when the prototype p writes attributes in another order than the one they keep, which earlier
// prototypes of the same list have given them. An attribute that is new in p stands behind all inherited ones, as
// everybody expects; it is no cause for a warning. Neither are attributes whose order a constraint decides.
func (e *evaluator) checkOrder(p Prototype, written []string) {
	s := e.top().store
	if len(written) < 2 || s.composed == nil {
		return
	}
	seen := make(map[string]bool, len(written))
	decided := s.order.decides()
	last, lastPos := "", -1
	for _, name := range written {
		pos := s.position(name)
		if seen[name] || pos < 0 || !s.slots[pos].inherited {
			continue
		}
		seen[name] = true
		if pos < lastPos && !decided(last, name) {
			e.orderLost(p, lastPos, pos)
			return
		}
		if pos > lastPos {
			last, lastPos = name, pos
		}
	}
}

// targets lists the names that a body sets in the component it stands in, in the order in which it writes them.
func (e *evaluator) targets(body []Statement, list []string) []string {
	for _, s := range body {
		switch s := s.(type) {
		case *Assignment:
			if s.Target != nil && len(s.Target.Path) == 1 {
				list = append(list, s.Target.Path[0])
			}
		case *Include:
			list = e.targets(e.units[s].Body, list)
		}
	}
	return list
}

// orderLost warns that the prototype p writes the attribute at position first before the one at position second, in
// vain.
func (e *evaluator) orderLost(p Prototype, first, second int) {
	s := e.top().store
	a, b := &s.slots[first], &s.slots[second]
	oldA, oldB := a.origin.oldest(), b.origin.oldest()
	where := "there"
	if oldB.copy != nil {
		where = "in `" + oldB.copy.ref.Path.String() + "`"
	}
	d := &source.Diagnostic{
		Code: codeOrderLost, Severity: source.Warning,
		Summary: fmt.Sprintf("`%s` is written before `%s`, but `%s` stays first, as %s", a.name, b.name, b.name, where),
		Detail:  "a component that overrides inherited attributes changes their values, never their order",
		Help: fmt.Sprintf("write `order %s < %s;` to have them in the order written here,\nor `order %s < %s;` to "+
			"confirm the inherited one", a.name, b.name, b.name, a.name),
	}
	if ref, ok := p.(*Ref); ok {
		d.Place, d.Label = e.site.place(ref.span), fmt.Sprintf("`%s` has `%s` before `%s`", ref.Path, a.name, b.name)
	} else {
		d.Place, d.Label = a.origin.act.head(), "written first"
		d.Related = append(d.Related, source.Related{Place: b.origin.act.head(), Label: "written second"})
	}
	d.Related = append(d.Related,
		source.Related{Place: oldB.root().act.head(), Label: fmt.Sprintf("`%s` comes first %s", b.name, where)},
		source.Related{Place: oldA.root().act.head(), Label: fmt.Sprintf("`%s` comes after it", a.name)})
	e.report(d)
}

// decides returns a function that reports whether the constraints decide which of two attributes comes first. It looks
// at a thousand pairs at most, and takes the others for decided: whoever has written so many constraints knows about
// order.
func (o *ordering) decides() func(a, b string) bool {
	if o == nil {
		return func(_, _ string) bool { return false }
	}
	after := map[string][]string{}
	for _, c := range o.all() {
		after[c.before.Path[0]] = append(after[c.before.Path[0]], c.after.Path[0])
	}
	leads := func(from, to string) bool {
		seen := map[string]bool{from: true}
		for work := []string{from}; len(work) > 0 && !seen[to]; {
			name := work[len(work)-1]
			work = work[:len(work)-1]
			for _, next := range after[name] {
				if !seen[next] {
					seen[next] = true
					work = append(work, next)
				}
			}
		}
		return seen[to]
	}
	pairs := 0
	return func(a, b string) bool {
		pairs++
		return pairs > 1000 || leads(a, b) || leads(b, a)
	}
}

// A demand is a constraint seen from a store on the way to the attributes that it is about.
type demand struct {
	before, after Reference
	constraint
}

// arrange brings the attributes of the result into the order that the constraints demand, moving no more than they do:
// among the attributes that may come next, the one that stands first comes next.
func (e *evaluator) arrange(root *Store) {
	if !e.ordered {
		return
	}
	i := root.position("sfConfig")
	below := map[string][]demand{}
	for _, d := range demands(root, nil) {
		if d.before[0] == "sfConfig" && d.after[0] == "sfConfig" {
			e.pushDown(d, below)
		}
	}
	e.arrangeStore(&scope{store: root}, i, below["sfConfig"], map[*Store]bool{})
}

// demands lists what must hold in a store: what is asked for from outside, and what it says itself.
func demands(s *Store, extra []demand) []demand {
	if s.order == nil {
		return extra
	}
	list := slices.Clone(extra)
	for _, c := range s.order.all() {
		list = append(list, demand{c.before.Path, c.after.Path, c})
	}
	return list
}

// arrangeStore arranges the store in a slot of another, and all stores below it.
func (e *evaluator) arrangeStore(in *scope, pos int, extra []demand, done map[*Store]bool) {
	s := in.store.slots[pos].value.(*Store)
	if len(extra) > 0 {
		s = in.store.own(pos) // the demand holds for this copy alone
	} else if done[s] {
		return
	}
	done[s] = true
	sc := &scope{up: in, name: in.store.slots[pos].name, depth: in.depth + 1, store: s, pos: pos}
	below := map[string][]demand{}
	var here []demand
	for _, d := range demands(s, extra) {
		if !e.present(sc, d) {
			continue
		}
		if d.before[0] == d.after[0] {
			e.pushDown(d, below)
		} else {
			here = append(here, d)
		}
	}
	if len(here) > 0 {
		e.sort(sc, here)
	}
	for i := range s.slots {
		if _, ok := s.slots[i].value.(*Store); ok {
			e.arrangeStore(sc, i, below[s.slots[i].name], done)
		}
	}
}

// present warns when a constraint speaks of an attribute that is not there: it then says nothing.
func (e *evaluator) present(sc *scope, d demand) bool {
	s := sc.store
	for i, r := range []Reference{d.before, d.after} {
		if s.Find(r) != nil {
			continue
		}
		ref := d.constraint.before
		if i == 1 {
			ref = d.constraint.after
		}
		m := s.miss(r)
		diag := &source.Diagnostic{
			Code: codeOrderNobody, Severity: source.Warning,
			Summary: fmt.Sprintf("order: `%s` has no attribute `%s`, so this constraint says nothing",
				sc.path().Join(r[:m.depth]...), r[m.depth]),
			Place: d.site.place(ref.span),
		}
		if sub, ok := m.at.(*Store); ok {
			if near := similar(r[m.depth], names(sub)); near != "" {
				diag.Help = "did you mean `" + near + "`?"
			}
		}
		e.report(diag)
		return false
	}
	return true
}

// pushDown hands a demand on two paths with the same first name to the component of that name.
func (e *evaluator) pushDown(d demand, below map[string][]demand) {
	if len(d.before) == 1 || len(d.after) == 1 {
		e.report(&source.Diagnostic{
			Code: codeOrderNesting, Summary: fmt.Sprintf("order: `%s` and `%s` cannot be put in order: one contains the other",
				d.constraint.before.Path, d.constraint.after.Path),
			Place: d.site.place(d.constraint.before.span.Join(d.constraint.after.span)),
		})
		return
	}
	below[d.before[0]] = append(below[d.before[0]], demand{d.before[1:], d.after[1:], d.constraint})
}

// sort rearranges the attributes of one store, or reports that it cannot be done.
func (e *evaluator) sort(sc *scope, list []demand) {
	s := sc.store
	after := make([][]int, len(s.slots)) // for each position, the demands in which it comes before
	waits := make([]int, len(s.slots))
	for i, d := range list {
		b := s.position(d.before[0])
		after[b] = append(after[b], i)
		waits[s.position(d.after[0])]++
	}
	ready := positions{}
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	slots := make([]slot, 0, len(s.slots))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		slots = append(slots, s.slots[i])
		for _, d := range after[i] {
			next := s.position(list[d].after[0])
			if waits[next]--; waits[next] == 0 {
				heap.Push(&ready, next)
			}
		}
	}
	if len(slots) < len(s.slots) {
		e.contradiction(sc, list, waits)
		return
	}
	s.slots = slots
	if s.index != nil {
		s.reindex()
	}
}

// positions is a heap of positions: the smallest first.
type positions []int

func (p positions) Len() int           { return len(p) }
func (p positions) Less(i, j int) bool { return p[i] < p[j] }
func (p positions) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }

// Push and Pop are called by container/heap.
func (p *positions) Push(x any) { *p = append(*p, x.(int)) }
func (p *positions) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// contradiction reports a circle of constraints. Positions that still wait are in one, or behind one: going from such a
// position to one that it waits for must come back to where it has been.
func (e *evaluator) contradiction(sc *scope, list []demand, waits []int) {
	s := sc.store
	before := map[string]demand{}
	start := ""
	for _, d := range list {
		b, a := d.before[0], d.after[0]
		if waits[s.position(b)] > 0 && waits[s.position(a)] > 0 {
			before[a] = d
			start = a
		}
	}
	seen := map[string]bool{}
	for !seen[start] {
		seen[start] = true
		start = before[start].before[0]
	}
	var circle []demand
	for name := start; ; {
		circle = append(circle, before[name])
		if name = before[name].before[0]; name == start {
			break
		}
	}
	slices.Reverse(circle)
	text := make([]string, 0, len(circle)+1)
	for _, d := range circle {
		text = append(text, d.before[0])
	}
	text = append(text, circle[0].before[0])
	d := &source.Diagnostic{
		Code: codeOrderCycle, Summary: fmt.Sprintf("order: the constraints on `%s` contradict each other: %s", sc.path(),
			strings.Join(text, " < ")),
		Help: "remove one of them; an `order` in a later prototype replaces the inherited one",
	}
	for i, c := range circle {
		at := c.site.place(c.constraint.before.span.Join(c.constraint.after.span))
		label := fmt.Sprintf("`%s` before `%s`", c.before[0], c.after[0])
		if i == 0 {
			d.Place, d.Label = at, label
		} else {
			d.Related = append(d.Related, source.Related{Place: at, Label: label})
		}
	}
	e.report(d)
}
