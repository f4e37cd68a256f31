package eval

import (
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
)

// When code is evaluated, as against other code, and by whom it was declared first, decides what it finds: tags,
// positions, defaults, overrides that come in time, variables of other classes (rule 5). This file joins what decides
// that.

// tagsRef joins what decides a resource's tags: its own, and those of everything that contains it. As long as nothing
// changes it is the same node.
func (ev *Evaluator) tagsRef(r *Resource) provenance.Ref {
	if ev.trace == nil || r == nil {
		return 0
	}
	m := ev.remembered(r)
	if m.tagging {
		ev.table.circles = true
		return 0
	}
	now := ev.tagEpoch(r)
	if m.tags.holds(now) {
		return m.tags.answer
	}
	var room [12]provenance.Ref
	refs := room[:0]
	if !ev.table.circles {
		m.tagging = true
		refs = ev.ownTags(refs, r)
		ev.eachContainer(r, func(c *Resource) { refs = append(refs, ev.tagsRef(c)) })
		m.tagging = false
	}
	if ev.table.circles { // classes may contain each other: then everything around counts once
		refs = refs[:0]
		seen := map[*Resource]bool{r: true}
		for todo := []*Resource{r}; len(todo) > 0; {
			x := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			refs = ev.ownTags(refs, x)
			ev.eachContainer(x, func(c *Resource) {
				if !seen[c] {
					seen[c] = true
					todo = append(todo, c)
				}
			})
		}
	}
	return m.tags.keep(now, ev.union(refs))
}

// ownTags adds what decides a resource's own tags.
func (ev *Evaluator) ownTags(refs []provenance.Ref, r *Resource) []provenance.Ref {
	refs = append(refs, r.existence, r.titleRef, r.tagRef, r.splat, ev.mayTouch(r, "tag"))
	if r.isClass() && !r.main {
		first := r.stated // nor does it matter when such a statement is reached
		if first == 0 {
			first = ev.table.firsts[r.className()]
		}
		refs = append(refs, first, ev.ghosts.contained, ev.mayTouch(r, container))
	}
	return refs
}

// eachContainer visits what a resource gets tags from.
func (ev *Evaluator) eachContainer(r *Resource, visit func(*Resource)) {
	if r.scope != nil && r.scope.resource != nil && !r.main { // Class[main] and Stage[main] stand in each other
		visit(r.scope.resource)
	}
	for _, c := range r.in {
		visit(c)
	}
}

// positionRef joins what decides where a resource stands among the others: when it, and the classes around it, were
// declared.
func (ev *Evaluator) positionRef(r *Resource) provenance.Ref {
	if ev.trace == nil || r == nil {
		return 0
	}
	m := ev.remembered(r)
	if m.position != 0 {
		return m.position
	}
	var room [4]provenance.Ref
	refs := append(room[:0], r.existence)
	if r.isClass() && !r.main {
		refs = append(refs, ev.table.firsts[r.className()])
	}
	if r.scope != nil && r.scope.resource != r {
		refs = append(refs, ev.positionRef(r.scope.resource))
	}
	ref := ev.union(refs)
	if !r.isClass() || r.evaluated {
		m.position = ref
	}
	return ref
}

// sinceRef joins what a resource owes it to that it was declared no later than it was: its own declaration and those of
// the classes around, as far as the one that came first.
func (ev *Evaluator) sinceRef(r *Resource) provenance.Ref {
	if r == nil {
		return 0
	}
	if r.isClass() && !r.main {
		return ev.table.since[r.className()]
	}
	if r.scope == nil || r.scope.resource == r {
		return r.existence
	}
	return ev.trace.Join(r.existence, ev.sinceRef(r.scope.resource))
}

// overriding is what decided when a class was evaluated that has overridden an attribute of another's resource: it
// counts where the attribute is read meanwhile.
func (ev *Evaluator) overriding(r *Resource, p *param) provenance.Ref {
	if ev.trace == nil || p == nil || p.source == nil || p.source == r.source || p.source.Kind != ClassKind {
		return 0
	}
	return ev.table.firsts[p.source.Name]
}

// tooLate is the set of what decided that overrides of a define's instances came after their evaluation.
func (ev *Evaluator) tooLate(r *Resource) provenance.Ref {
	if ev.trace == nil || r.def == nil {
		return 0
	}
	set := ev.table.late[r.Type]
	if set == 0 {
		if ev.table.late == nil {
			ev.table.late = map[string]provenance.Ref{}
		}
		set = ev.trace.Open()
		ev.table.late[r.Type] = set
	}
	return set
}

// ghostCount is how many names of classes were given, and branches passed over.
type ghostCount struct{ names, passed int }

func (g *ghosts) count() ghostCount { return ghostCount{len(g.names), len(g.passed)} }

// mayDefault notes the resource defaults that the code of a file sets, should it run.
func (ev *Evaluator) mayDefault(f *syntax.File) {
	if ev.trace == nil {
		return
	}
	list := remember(ev.cache, ev.cache.defaults, f, func() (list []touch, keep bool) {
		for _, s := range f.Body.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				if d, ok := n.(*syntax.Defaults); ok {
					if r, ok := d.Type.(*syntax.Ref); ok {
						for _, op := range d.Ops {
							list = append(list, touch{typ: capitalized(canonical(r.Value)), attr: op.Name})
						}
					}
				}
				return true
			})
		}
		return list, true
	})
	for _, t := range list {
		if ev.ghosts.defaults == nil {
			ev.ghosts.defaults = map[string][]string{}
		}
		if of := ev.ghosts.defaults[t.typ]; !slices.Contains(of, t.attr) {
			ev.ghosts.defaults[t.typ] = append(of, t.attr)
		}
	}
}

// noDefault is what it depends on that no resource default gives an instance of a define a parameter: who declared the
// class around first.
func (ev *Evaluator) noDefault(r *Resource, param string) provenance.Ref {
	if len(ev.ghosts.defaults) > 0 {
		if of := ev.ghosts.defaults[r.Type]; slices.Contains(of, param) || slices.Contains(of, "") {
			return ev.firstOfScope(r.scope)
		}
	}
	return 0
}

// closeScope notes that the code of a class, node or define is done, and what in it could have led to other code.
func (ev *Evaluator) closeScope(sc *Scope, began ghostCount) {
	if sc.done = true; ev.trace == nil || sc.source == nil || sc.source.Kind == DefineKind {
		return
	}
	g := &ev.ghosts
	refs := append([]provenance.Ref(nil), g.names[began.names:]...)
	for i := began.passed; i < len(g.passed); i++ {
		if p := &g.passed[i]; len(ev.effectsOf(p.branch).classes) > 0 {
			refs = append(refs, p.why)
		}
	}
	sc.during = ev.union(refs)
}

// moment is what decides when the code that runs now is evaluated, as against other code: it counts where the code asks
// what is there already.
func (ev *Evaluator) moment() provenance.Ref {
	if r := ev.running(); r != nil {
		return ev.positionRef(r)
	}
	return 0
}

// running is the class, node or define whose code runs now; nil when tracing is off.
func (ev *Evaluator) running() *Resource {
	if ev.trace == nil {
		return nil
	}
	for i := len(ev.stack) - 1; i >= 0; i-- {
		if r := ev.stack[i].of; r != nil {
			return r
		}
	}
	return nil
}

// current is the scope of the code that runs now, nil when tracing is off.
func (ev *Evaluator) current() *Scope {
	if r := ev.running(); r != nil {
		return r.inside
	}
	return nil
}

func (ev *Evaluator) positionOf(sc *Scope) provenance.Ref {
	if sc == nil {
		return 0
	}
	return ev.positionRef(sc.resource)
}
