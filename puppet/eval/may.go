package eval

import (
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
)

// What a branch that was not taken might have done, worked out only when tracing is on and somebody asks (rules 5 to
// 7): may it declare this class, a resource of this type and title, or change this attribute? Names in Puppet code are
// mostly static, so reachability in the code decides; where a name is computed the answer is "any".

// nodeSets reports whether the code of a node statement has an assignment to a variable.
func (ev *Evaluator) nodeSets(name string) bool {
	if len(ev.nodeDefs) == 0 {
		return false
	}
	if ev.ghosts.nodeVars == nil {
		ev.ghosts.nodeVars = map[string]bool{}
		var note func(target syntax.Expr)
		note = func(target syntax.Expr) {
			switch t := target.(type) {
			case *syntax.Var:
				ev.ghosts.nodeVars[t.Name] = true
			case *syntax.List:
				for _, e := range t.Elems {
					note(e)
				}
			}
		}
		for _, d := range ev.nodeDefs {
			for _, s := range d.Body {
				syntax.Walk(s, func(n syntax.Node) bool {
					if a, ok := n.(*syntax.Assign); ok {
						note(a.Left)
					}
					return true
				})
			}
		}
	}
	return ev.ghosts.nodeVars[name]
}

// mayDeclare joins the decisions of every branch passed over so far that may declare a class.
func (ev *Evaluator) mayDeclare(class string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	computed := ev.computingNames()
	g := &ev.ghosts
	refs := append(ev.scratch[:0], computed)
	for _, fx := range ev.cache.declaring(class) {
		refs = append(refs, g.why(fx))
	}
	if ev.table.scopes[class] == nil {
		refs = append(refs, g.named)
	}
	ev.scratch = refs
	return ev.union(refs)
}

// idleTouches are the attributes that classes which are known but were not evaluated would change, were they named.
func (ev *Evaluator) idleTouches() []touch {
	g := &ev.ghosts
	if g.idle.holds(ev.idleEpoch()) {
		return g.idle.answer
	}
	idle := g.idle.answer[:0]
	seen := make(map[syntax.Definition]bool, ev.classCount())
	for name := range ev.table.scopes {
		if d := ev.classes[name]; d != nil && d.Node != nil { // a node has a scope, too
			seen[d.Node] = true
		}
	}
	visit := func(s *sketch, by caller) { idle = s.touching(idle, by) }
	for name := range ev.classes { // in any order: it is a set
		ev.reachIdle(ev.hear(linkClass, name), seen, visit)
	}
	for i := 0; i < len(g.heard.classes); i++ { // more may be heard of meanwhile
		if h := g.heard.classes[i]; ev.classes[h.name] == nil {
			ev.reachIdle(h.hearsay, seen, visit)
		}
	}
	return g.idle.keep(ev.idleEpoch(), idle)
}

// reachIdle visits the code of a class.
func (ev *Evaluator) reachIdle(h *hearsay, seen map[syntax.Definition]bool, visit func(*sketch, caller)) {
	if h.node != nil && !seen[h.node] {
		seen[h.node] = true
		ev.reach(ev.sketchOf(h), caller{"Class", h.title}, seen, visit)
	}
}

// classCount is how many classes are known, loaded or not.
func (ev *Evaluator) classCount() int { return len(ev.classes) + len(ev.ghosts.heard.classes) }

// mayConfigure joins what may have given a class a parameter: the decisions of branches passed over that may declare it
// with parameters, and the titles of classes that were declared with this one.
func (ev *Evaluator) mayConfigure(class, param string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	ev.indexTouches()
	g := &ev.ghosts
	if now := ev.passedEpoch(); g.configuringClass != class || !g.configuring.holds(now) {
		computed := ev.computingNames()
		refs := append(ev.scratch[:0], computed)
		for _, fx := range ev.cache.declaring(class) {
			if fx.like[class] {
				refs = append(refs, g.why(fx))
			}
		}
		ev.scratch = refs
		g.configuringClass = class
		g.configuring.keep(now, ev.union(refs))
	}
	return ev.union([]provenance.Ref{ev.mayBeGiven(param), g.configuring.answer})
}

// mayBeGiven joins the titles of class declarations that have an attribute.
func (ev *Evaluator) mayBeGiven(attr string) provenance.Ref {
	if len(ev.ghosts.given) == 0 {
		return 0
	}
	return ev.union([]provenance.Ref{ev.ghosts.given[attr], ev.ghosts.given[""]})
}

// MayExist joins the decisions of branches passed over that may declare, or realize, a resource ("" for any of the
// type): what a question such as defined() depends on when the answer is no.
func (ev *Evaluator) MayExist(typ, title string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	if typ == "Class" {
		return ev.mayDeclare(canonical(title))
	}
	named := ev.mayName() // a class that nobody has named so far may declare anything
	m := ev.makingOf(typ)
	refs := append(ev.scratch[:0], m.ref, ev.ghosts.typed, named)
	for _, fx := range m.titled[title] {
		refs = append(refs, ev.ghosts.why(fx))
	}
	ev.scratch = refs
	return ev.union(refs)
}

// making is which branches passed over, of those that were read so far, may declare resources of a type.
type making struct {
	passed passedReader
	ref    provenance.Ref        // of those that compute titles
	titled map[string][]*effects // of the others, by title; "" for all
	known  []madeKind            // what each piece of code does about it, by the number of its effects
}

// A madeKind is whether code declares resources of a type.
type madeKind uint8

const (
	notAsked madeKind = iota
	makesNone
	makesTitled // with titles that are known
	makesAny
)

// learn asks what a piece of code that was passed over does; so many pieces are known.
func (m *making) learn(typ string, fx *effects, count int) madeKind {
	if fx.number >= len(m.known) {
		m.known = append(m.known, make([]madeKind, max(fx.number+1, count)-len(m.known))...)
	}
	k := &m.known[fx.number]
	if *k != notAsked {
		return *k
	}
	*k = makesNone
	for _, t := range fx.resources {
		switch {
		case t.typ != typ && t.typ != "":
		case t.title == "":
			*k = makesAny
		default:
			*k = max(*k, makesTitled)
			for _, title := range [...]string{t.title, ""} {
				if of := m.titled[title]; len(of) == 0 || of[len(of)-1] != fx {
					m.titled[title] = append(of, fx)
				}
			}
		}
	}
	return *k
}

// makingOf goes on from where it stopped.
func (ev *Evaluator) makingOf(typ string) *making {
	ev.indexTouches()
	g := &ev.ghosts
	m := g.making[typ]
	if m == nil {
		if g.making == nil {
			g.making = map[string]*making{}
		}
		m = &making{titled: map[string][]*effects{}}
		g.making[typ] = m
	}
	refs := append(ev.scratch[:0], m.ref)
	m.passed.each(ev, func(p *passedBranch) {
		if len(p.effects.resources) > 0 && m.learn(typ, p.effects, ev.cache.count()) == makesAny {
			refs = append(refs, p.why)
		}
	})
	ev.scratch = refs
	m.ref = ev.union(refs)
	return m
}

// mayName joins what could have named any class: the names that were given, and the branches passed over that compute
// names.
func (ev *Evaluator) mayName() provenance.Ref {
	computed := ev.computingNames()
	a := &ev.ghosts.anyName
	if a.named != ev.ghosts.named || a.computed != computed {
		*a = anyName{ev.ghosts.named, computed, ev.union([]provenance.Ref{ev.ghosts.named, computed})}
	}
	return a.ref
}

// computingNames joins the branches passed over that compute names of classes.
func (ev *Evaluator) computingNames() provenance.Ref {
	ev.indexTouches()
	g := &ev.ghosts
	refs := append(ev.scratch[:0], g.computing)
	g.computingOf.each(ev, func(p *passedBranch) {
		if p.effects.computes {
			refs = append(refs, p.why)
		}
	})
	ev.scratch = refs
	g.computing = ev.union(refs)
	return g.computing
}

// MayBeOf notes what names a resource type at run time: it could have named another.
func (ev *Evaluator) MayBeOf(typ provenance.Ref) {
	if typ != 0 {
		ev.ghosts.typed = ev.trace.Join(ev.ghosts.typed, typ)
	}
}

// Asked is what the answer to the question whether a resource is declared depends on (rule 6): the resource that was
// found or, when there is none, all that could be it, by its title, its name or an alias, and the branches that might
// have declared it.
func (ev *Evaluator) Asked(typ, title string) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	typ = capitalized(typ)
	if r := ev.find(typ, title); r != nil {
		by := r.scope
		if r.isClass() && !r.main { // whoever declared it first, others may have included it since
			by = r.inside
		}
		if by != nil && by.resource != nil {
			if why, always := ev.current().ensures(by); always { // whenever this code runs, the resource is there
				return ev.trace.Join(r.existence, why)
			}
		}
		return ev.trace.Join(r.existence, ev.sinceRef(r), ev.moment())
	}
	refs := []provenance.Ref{ev.MayExist(typ, title), ev.moment()}
	if typ == "Class" {
		for _, l := range ev.ghosts.likes {
			refs = append(refs, l.title)
		}
		return ev.union(refs)
	}
	for ; ev.table.counted < len(ev.table.added); ev.table.counted++ {
		r := ev.table.added[ev.table.counted]
		of := []provenance.Ref{ev.table.ofType[r.Type], ev.namesRef(r)}
		for _, name := range []string{"alias", "name"} {
			if p := r.param(name); p != nil {
				of = append(of, ev.deep(p.value, p.ref))
			}
		}
		if r.typ != nil {
			if p := r.param(r.typ.Namevar()); p != nil {
				of = append(of, p.ref)
			}
		}
		if ev.table.ofType == nil {
			ev.table.ofType = map[string]provenance.Ref{}
		}
		ev.table.ofType[r.Type] = ev.union(of)
	}
	return ev.union(append(refs, ev.table.ofType[typ]))
}

// namesRef joins what decides what a resource is called, and that there are not more like it: its title, and the
// decisions of the code that declares it, which may be loops.
func (ev *Evaluator) namesRef(r *Resource) provenance.Ref {
	switch {
	case r.decided:
		return r.existence
	case r.scope != nil && r.scope.resource != nil && r.scope.resource.def != nil &&
		r.scope.resource.def.Kind == DefineKind:
		return ev.trace.Join(r.titleRef, ev.namesRef(r.scope.resource))
	}
	return r.titleRef
}

// untouched reports whether no code that is known, run or not, sets parameters of a define's instances from outside:
// then mayTouch has nothing to say about them.
func (ev *Evaluator) untouched(d *Definition, typ string) bool {
	ev.indexTouches()
	g := &ev.ghosts
	m := g.untouched[d]
	if m.holds(ev.untouchedEpoch()) {
		return m.answer
	}
	sets := func(attr string) bool { return attr == "" || attr == anyDefault || attr == "name" || d.find(attr) >= 0 }
	touches := func(t touchOf) bool { return sets(t.attr) }
	yes := !slices.ContainsFunc(ev.cache.touching(typ), touches) && !slices.ContainsFunc(ev.cache.touching(""), touches) &&
		!slices.ContainsFunc(ev.idleTouches(), func(t touch) bool { return (t.typ == typ || t.typ == "") && sets(t.attr) }) &&
		!slices.ContainsFunc(ev.table.everCollected, func(c *collector) bool {
			return c.typ == typ &&
				(c.params != nil || c.splat != 0)
		})
	for t := range g.written {
		if (t.typ == typ || t.typ == "") && sets(t.attr) {
			yes = false
		}
	}
	if g.untouched == nil {
		g.untouched = map[*Definition]memo[bool]{}
	}
	m.keep(ev.untouchedEpoch(), yes) // as it is now: looking for idle classes may have read some
	g.untouched[d] = m
	return yes
}

// union joins refs, each once; one alone needs no node. It reorders them.
func (ev *Evaluator) union(refs []provenance.Ref) provenance.Ref {
	if len(refs) > fewRefs {
		slices.Sort(refs)
		refs = slices.Compact(refs)
		if refs[0] == 0 {
			refs = refs[1:]
		}
	} else {
		refs = sortFew(refs)
	}
	switch len(refs) {
	case 0:
		return 0
	case 1:
		return refs[0]
	}
	return ev.trace.Join(refs...)
}

const fewRefs = 12

// sortFew sorts refs, each once, without zero. Nearly all unions are of a few.
func sortFew(refs []provenance.Ref) []provenance.Ref {
	n := 0 // refs[:n] is done
next:
	for _, r := range refs {
		i := n
		for ; i > 0 && refs[i-1] >= r; i-- {
			if refs[i-1] == r {
				continue next
			}
		}
		if r != 0 {
			copy(refs[i+1:n+1], refs[i:n])
			refs[i] = r
			n++
		}
	}
	return refs[:n]
}

// mayArrow notes the operands of an arrow that get an attribute by it: each could have named another resource of its
// type.
func (ev *Evaluator) mayArrow(e *syntax.Relation, attr string, left, right provenance.Ref) {
	if e.Op == syntax.OpAfter || e.Op == syntax.OpSubscribed {
		ev.mayWrite(e.Right, attr, right)
	} else {
		ev.mayWrite(e.Left, attr, left)
	}
}

// mayOverride does so for the target of an override.
func (ev *Evaluator) mayOverride(e *syntax.Override, params []*param, splat, target provenance.Ref) {
	for _, p := range params {
		ev.mayWrite(e.Target, p.name, target)
	}
	if splat != 0 {
		ev.mayWrite(e.Target, "", ev.trace.Join(target, splat))
	}
}

func (ev *Evaluator) mayWrite(target syntax.Expr, attr string, ref provenance.Ref) {
	if ev.trace == nil || ref == 0 {
		return
	}
	if ev.ghosts.written == nil {
		ev.ghosts.written = map[touch]provenance.Ref{}
	}
	for _, typ := range ev.cache.targetTypes(target) {
		key := touch{typ: typ, attr: attr}
		ev.ghosts.written[key] = ev.trace.Join(ev.ghosts.written[key], ref)
		ev.ghosts.writes++
	}
}

// A touchOf is a touch and the code that has it.
type touchOf struct {
	touch
	by *effects
}

// indexTouches joins the decisions for each piece of code that was passed over, so that the same code passed over a
// thousand times counts once. It goes on from where it stopped.
func (ev *Evaluator) indexTouches() {
	g := &ev.ghosts
	g.indexed.each(ev, func(p *passedBranch) {
		fx := ev.effectsOf(p.branch)
		if fx.requires {
			if g.requiring == nil {
				g.requiring = map[*Resource]provenance.Ref{}
			}
			g.requiring[p.scope.resource] = ev.trace.Join(g.requiring[p.scope.resource], p.why)
		}
		if len(fx.touches) == 0 && len(fx.resources) == 0 && len(fx.classes) == 0 {
			return
		}
		if fx.number >= len(g.whys) {
			g.whys = append(g.whys, make([]provenance.Ref, max(fx.number+1, ev.cache.count())-len(g.whys))...)
		}
		if g.whys[fx.number] == 0 {
			g.whys[fx.number] = p.why
		} else {
			g.whys[fx.number] = ev.trace.Join(g.whys[fx.number], p.why)
		}
	})
}

// tested joins the attributes of a resource that a collector's query looks at.
func (c *collector) tested(r *Resource) provenance.Ref {
	var refs []provenance.Ref
	for _, name := range c.reads {
		switch name {
		case "title":
			refs = append(refs, r.titleRef)
		case "tag":
			refs = append(refs, c.ev.tagsRef(r))
		default:
			if p := r.param(name); p != nil {
				refs = append(refs, c.ev.deep(p.value, p.ref))
			}
		}
	}
	return c.ev.union(refs)
}

// reach joins all that decides which resources a collector finds.
func (c *collector) reach() provenance.Ref {
	tr := c.ev.trace
	if tr == nil {
		return 0
	}
	ref := c.ref
	for _, r := range c.ev.table.added {
		if r.Type == c.typ {
			ref = tr.Join(ref, r.existence, c.looked[r].ref)
		}
	}
	return tr.Join(ref, c.ev.MayExist(c.typ, ""))
}

// declared joins everything that decides what has been declared so far, and with which tags (rule 6, at its loosest).
func (ev *Evaluator) declared() (ref provenance.Ref) {
	refs := []provenance.Ref{ev.ctl, ev.moment(), ev.ghosts.named, ev.ghosts.contained}
	for _, l := range ev.ghosts.likes {
		refs = append(refs, l.title)
	}
	for _, r := range ev.table.added {
		refs = append(refs, r.existence, r.titleRef, r.tagRef)
		if r.isClass() && !r.main { // others may include it later
			refs = append(refs, ev.sinceRef(r))
		}
	}
	for i := range ev.ghosts.passed {
		refs = append(refs, ev.ghosts.passed[i].why)
	}
	return ev.trace.Join(refs...)
}
