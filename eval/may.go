package eval

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/syntax"
)

// What a branch that was not taken might have done, worked out only when tracing is on and somebody asks (rules 5 to 7): may it
// declare this class, a resource of this type and title, or change this attribute? Names in Puppet code are mostly static, so
// reachability in the code decides; where a name is computed the answer is "any".

// effects are what some code may do, the classes and defines that it declares included.
type effects struct {
	classes   map[string]bool
	like      map[string]bool // classes declared with parameters
	resources []touch
	touches   []touch  // attributes that may be set on resources declared elsewhere
	named     []string // classes that it names
	requires  bool     // it calls require, which sets an attribute of whatever contains it
}

// A touch is a type, a title and an attribute; "" stands for any.
type touch struct{ typ, title, attr string }

const (
	anyClass   = "*"
	anyDefault = "*" // an attribute that has a resource default: a collector's overrides take those of its scope along
)

// effectsOf walks code and what it reaches, once for each piece of code.
func (ev *Evaluator) effectsOf(stmts []syntax.Expr) *effects {
	return remember(ev.cache, ev.cache.effects, &stmts[0], func() (*effects, bool) {
		fx := &effects{classes: map[string]bool{}, like: map[string]bool{}}
		ev.gather(stmts, fx, map[*Definition]bool{}, nil)
		return fx, true
	})
}

// gather adds the effects of code. container is what the code's own calls of require change; nil for whatever runs the outermost code.
func (ev *Evaluator) gather(stmts []syntax.Expr, fx *effects, seen map[*Definition]bool, container *touch) {
	follow := func(d *Definition) {
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		inner := &touch{attr: "require"}
		if d.Kind == ClassKind {
			inner.typ, inner.title = "Class", capitalized(d.Name)
			if d.Parent != "" {
				ev.gatherClass(d.Parent, fx, seen)
			}
		} else {
			inner.typ = capitalized(d.Name)
		}
		ev.gather(d.Body, fx, seen, inner)
	}
	classes := func(args []syntax.Expr, like bool) {
		for _, a := range args {
			for _, name := range staticNames(a) {
				if name == "" {
					fx.classes[anyClass] = true
					continue
				}
				name = canonical(name)
				fx.classes[name] = true
				fx.named = append(fx.named, name)
				if like {
					fx.like[name] = true
				}
				follow(ev.findClass(name))
			}
		}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition:
				return false
			case *syntax.Call:
				f, ok := n.Functor.(*syntax.Name)
				if !ok {
					break
				}
				switch f.Value {
				case "require":
					if container == nil {
						fx.requires = true
					} else {
						fx.touches = append(fx.touches, *container)
					}
					classes(n.Args, false)
				case "include", "contain":
					classes(n.Args, false)
				case "hiera_include", "create_resources", "ensure_resource", "ensure_resources", "ensure_packages":
					fx.classes[anyClass] = true
					fx.resources = append(fx.resources, touch{})
				case "realize":
					fx.resources = append(fx.resources, touch{})
				}
			case *syntax.MethodCall:
				switch n.Functor.Name.Value {
				case "include", "contain", "require":
					classes([]syntax.Expr{n.Functor.Left}, false)
				}
			case *syntax.Resource:
				ev.gatherResource(n, fx, follow, classes)
			case *syntax.Override:
				for _, t := range staticRefs(n.Target) {
					fx.touch(t, n.Ops)
				}
			case *syntax.Collect:
				t := touch{}
				if r, ok := n.Type.(*syntax.Ref); ok {
					t.typ = capitalized(canonical(r.Value))
				}
				fx.touch(t, n.Ops)
				if len(n.Ops) > 0 {
					fx.touches = append(fx.touches, touch{typ: t.typ, attr: anyDefault})
				}
				fx.resources = append(fx.resources, t)
			case *syntax.Defaults:
				t := touch{}
				if r, ok := n.Type.(*syntax.Ref); ok {
					t.typ = capitalized(canonical(r.Value))
				}
				fx.touch(t, n.Ops)
			case *syntax.Relation:
				for _, side := range []syntax.Expr{n.Left, n.Right} {
					for _, t := range staticRefs(side) {
						for _, attr := range []string{"before", "notify"} {
							t.attr = attr
							fx.touches = append(fx.touches, t)
						}
					}
				}
			}
			return true
		})
	}
}

func (ev *Evaluator) gatherClass(name string, fx *effects, seen map[*Definition]bool) {
	name = canonical(name)
	fx.classes[name] = true
	fx.named = append(fx.named, name)
	if d := ev.findClass(name); d != nil && !seen[d] {
		seen[d] = true
		ev.gather(d.Body, fx, seen, &touch{"Class", capitalized(name), "require"})
	}
}

func (ev *Evaluator) gatherResource(n *syntax.Resource, fx *effects, follow func(*Definition), classes func([]syntax.Expr, bool)) {
	name, ok := n.Type.(*syntax.Name)
	switch {
	case !ok:
		fx.classes[anyClass] = true
		fx.resources = append(fx.resources, touch{})
	case name.Value == "class":
		for _, b := range n.Bodies {
			classes([]syntax.Expr{b.Title}, true)
		}
	default:
		typ := capitalized(strings.TrimPrefix(name.Value, "::"))
		for _, b := range n.Bodies {
			for _, title := range staticNames(b.Title) {
				fx.resources = append(fx.resources, touch{typ: typ, title: title})
			}
		}
		if ev.world.ResourceType(strings.ToLower(typ)) == nil {
			follow(ev.findDefine(name.Value))
		}
	}
}

// touch notes attributes that may be set.
func (fx *effects) touch(t touch, ops []*syntax.AttrOp) {
	for _, op := range ops {
		t.attr = op.Name // "" for a splat: any
		fx.touches = append(fx.touches, t)
	}
}

// staticNames are the strings that an expression may name; "" stands for one that is computed.
func staticNames(e syntax.Expr) []string {
	switch e := e.(type) {
	case *syntax.Name:
		return []string{e.Value}
	case *syntax.Str:
		return []string{e.Value}
	case *syntax.Default:
		return nil
	case *syntax.List:
		var out []string
		for _, x := range e.Elems {
			out = append(out, staticNames(x)...)
		}
		return out
	case *syntax.Access: // Class['a']
		if r, ok := e.Left.(*syntax.Ref); ok && strings.EqualFold(r.Value, "class") {
			var out []string
			for _, k := range e.Keys {
				out = append(out, staticNames(k)...)
			}
			return out
		}
	}
	return []string{""}
}

// staticRefs are the resources that an operand may name.
func staticRefs(e syntax.Expr) []touch {
	switch e := e.(type) {
	case *syntax.Access:
		r, ok := e.Left.(*syntax.Ref)
		if !ok {
			return []touch{{}}
		}
		typ := capitalized(canonical(r.Value))
		if typ == "Resource" { // the type is the first of the keys
			return []touch{{}}
		}
		var out []touch
		for _, k := range e.Keys {
			for _, title := range staticNames(k) {
				if typ == "Class" {
					title = capitalized(title)
				}
				out = append(out, touch{typ: typ, title: title})
			}
		}
		return out
	case *syntax.List:
		var out []touch
		for _, x := range e.Elems {
			out = append(out, staticRefs(x)...)
		}
		return out
	case *syntax.Relation:
		return append(staticRefs(e.Left), staticRefs(e.Right)...)
	case *syntax.Collect:
		if r, ok := e.Type.(*syntax.Ref); ok {
			return []touch{{typ: capitalized(canonical(r.Value))}}
		}
	case *syntax.Resource:
		if n, ok := e.Type.(*syntax.Name); ok {
			return []touch{{typ: capitalized(strings.TrimPrefix(n.Value, "::"))}}
		}
	}
	return []touch{{}}
}

func (t touch) covers(typ, title, attr string) bool {
	return (t.typ == "" || t.typ == typ) && (t.title == "" || t.title == title) && (t.attr == "" || attr == "" || t.attr == attr)
}

// mayDeclare joins the decisions of every branch passed over so far that may declare a class.
func (ev *Evaluator) mayDeclare(class string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	ev.indexPassed()
	for _, name := range [2]string{class, anyClass} {
		for _, by := range ev.ghosts.declaring[name] {
			r = ev.trace.Join(r, by.why)
		}
	}
	if ev.table.scopes[class] == nil {
		r = ev.trace.Join(r, ev.ghosts.named)
	}
	return r
}

// idleTouches reports whether a class that is known but was not evaluated would change an attribute.
func (ev *Evaluator) idleTouches(r *Resource, attr string) bool {
	ev.indexIdle()
	for _, typ := range [2]string{r.Type, ""} {
		for _, t := range ev.ghosts.idle[typ] {
			if t.covers(r.Type, r.Title, attr) {
				return true
			}
		}
	}
	return false
}

// indexIdle sorts the touches of classes that are known but were not evaluated by type. Known are those that are loaded, and those that
// code passed over or not evaluated names.
func (ev *Evaluator) indexIdle() {
	ev.indexPassed()
	state := [3]int{len(ev.classes), len(ev.table.scopes), len(ev.ghosts.byEffects)}
	if ev.ghosts.idle != nil && state == ev.ghosts.idleAt {
		return
	}
	idle := map[string][]touch{}
	seen := map[touch]bool{}
	done := map[string]bool{}
	var todo []string
	for name := range ev.classes {
		todo = append(todo, name)
	}
	for fx := range ev.ghosts.byEffects {
		todo = append(todo, fx.named...)
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if done[name] || name == "" || ev.table.scopes[name] != nil {
			continue
		}
		done[name] = true
		d := ev.findClass(name)
		if d == nil || len(d.Body) == 0 {
			continue
		}
		fx := ev.effectsOf(d.Body)
		todo = append(todo, fx.named...)
		for _, t := range fx.touches {
			if t.attr != "require" && !seen[t] {
				seen[t] = true
				idle[t.typ] = append(idle[t.typ], t)
			}
		}
	}
	ev.ghosts.idle = idle
	ev.ghosts.idleAt = [3]int{len(ev.classes), len(ev.table.scopes), len(ev.ghosts.byEffects)}
}

// mayConfigure joins what may have given a class a parameter: the decisions of branches passed over that may declare it with parameters,
// and the titles of classes that were declared with this one.
func (ev *Evaluator) mayConfigure(class, param string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	r = ev.mayBeGiven(param)
	ev.indexPassed()
	for _, by := range ev.ghosts.declaring[class] {
		if by.fx.like[class] && !by.fx.classes[anyClass] {
			r = ev.trace.Join(r, by.why)
		}
	}
	for _, by := range ev.ghosts.declaring[anyClass] {
		r = ev.trace.Join(r, by.why)
	}
	return r
}

// mayBeGiven joins the titles of class declarations that have an attribute.
func (ev *Evaluator) mayBeGiven(attr string) (r provenance.Ref) {
	for _, l := range ev.ghosts.likes {
		if l.splat != 0 || slices.ContainsFunc(l.params, func(p *param) bool { return p.name == attr }) {
			r = ev.trace.Join(r, l.title)
		}
	}
	return r
}

// MayExist joins the decisions of branches passed over that may declare, or realize, a resource: what a question such as defined()
// depends on when the answer is no.
func (ev *Evaluator) MayExist(typ, title string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	if typ == "Class" {
		return ev.mayDeclare(canonical(title))
	}
	ev.indexPassed()
	for _, name := range [2]string{typ, ""} {
		for _, t := range ev.ghosts.making[name] {
			if t.covers(typ, title, "") {
				r = ev.trace.Join(r, t.by.why)
			}
		}
	}
	return r
}

// mayTouch joins what could have changed an attribute from afar: overrides, defaults, arrows and collectors in branches passed
// over, and every collector with overrides, whether its query matched or not.
func (ev *Evaluator) mayTouch(r *Resource, attr string) (ref provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	ev.indexPassed()
	byDefault := ev.table.defaulted[touch{typ: r.Type, attr: attr}]
	for _, typ := range []string{r.Type, ""} {
		for _, t := range ev.ghosts.touching[typ] {
			if t.covers(r.Type, r.Title, attr) || byDefault != 0 && t.attr == anyDefault {
				ref = ev.trace.Join(ref, t.by.why)
			}
		}
	}
	for _, typ := range []string{r.Type, ""} {
		for _, a := range []string{attr, ""} {
			ref = ev.trace.Join(ref, ev.ghosts.written[touch{typ: typ, attr: a}])
		}
	}
	ref = ev.trace.Join(ref, r.arrows[attr])
	if r.isClass() && isMetaparam(attr) {
		ref = ev.trace.Join(ref, ev.mayBeGiven(attr))
	}
	if attr == "require" {
		ref = ev.trace.Join(ref, ev.ghosts.requiring[r])
	}
	if ev.ghosts.named != 0 && ev.idleTouches(r, attr) {
		ref = ev.trace.Join(ref, ev.ghosts.named)
	}
	for _, c := range ev.table.everCollected {
		if c.typ != r.Type {
			continue
		}
		if c.splat != 0 || slices.Contains(c.arrows, attr) || slices.ContainsFunc(c.params, func(p *param) bool { return p.name == attr }) {
			ref = ev.trace.Join(ref, c.ref, c.splat, c.saw(r))
		}
		if byDefault != 0 && c.params != nil {
			ref = ev.trace.Join(ref, c.ref, c.saw(r), byDefault)
		}
	}
	return ref
}

// mayArrow notes the operands of an arrow that get an attribute by it: each could have named another resource of its type.
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
	seen := map[string]bool{}
	for _, t := range staticRefs(target) {
		if !seen[t.typ] {
			seen[t.typ] = true
			key := touch{typ: t.typ, attr: attr}
			ev.ghosts.written[key] = ev.trace.Join(ev.ghosts.written[key], ref)
		}
	}
}

// A passedCode is code that was passed over, however often, and the decisions that did it.
type passedCode struct {
	fx  *effects
	why provenance.Ref
}

// A touchOf is a touch and the code that has it.
type touchOf struct {
	touch
	by *passedCode
}

// indexPassed sorts what branches passed over may do, and joins the decisions for each piece of code, so that the same code passed over a
// thousand times counts once. It goes on from where it stopped.
func (ev *Evaluator) indexPassed() {
	g := &ev.ghosts
	if g.byEffects == nil {
		g.byEffects, g.declaring, g.requiring = map[*effects]*passedCode{}, map[string][]*passedCode{}, map[*Resource]provenance.Ref{}
		g.touching, g.making = map[string][]touchOf{}, map[string][]touchOf{}
	}
	for ; g.indexed < len(g.passed); g.indexed++ {
		p := &g.passed[g.indexed]
		fx := ev.effectsOf(p.stmts)
		if fx.requires {
			g.requiring[p.scope.resource] = ev.trace.Join(g.requiring[p.scope.resource], p.why)
		}
		by := g.byEffects[fx]
		if by == nil {
			by = &passedCode{fx: fx}
			g.byEffects[fx] = by
			for class := range fx.classes {
				g.declaring[class] = append(g.declaring[class], by)
			}
			for _, t := range fx.touches {
				g.touching[t.typ] = append(g.touching[t.typ], touchOf{t, by})
			}
			for _, t := range fx.resources {
				g.making[t.typ] = append(g.making[t.typ], touchOf{t, by})
			}
		}
		by.why = ev.trace.Join(by.why, p.why)
	}
}

// tested joins the attributes of a resource that a collector's query looks at.
func (c *collector) tested(r *Resource) (ref provenance.Ref) {
	tr := c.ev.trace
	if tr == nil {
		return 0
	}
	for _, name := range c.reads {
		switch name {
		case "title":
			ref = tr.Join(ref, r.titleRef)
		case "tag": // tags only ever grow, and so does what decides them: whoever asks later asks enough
		default:
			if p := r.param(name); p != nil {
				ref = tr.Join(ref, c.ev.deep(p.value, p.ref))
			}
		}
	}
	return ref
}

// saw joins what a collector's tests of a resource saw: the attributes at the time, and the tags.
func (c *collector) saw(r *Resource) provenance.Ref {
	if c.ev.trace == nil || !slices.Contains(c.reads, "tag") {
		return c.looked[r]
	}
	return c.ev.trace.Join(c.looked[r], c.ev.tagsRef(r, map[*Resource]bool{}))
}

// reach joins all that decides which resources a collector finds. It is asked at the end, when all are there.
func (c *collector) reach() provenance.Ref {
	tr := c.ev.trace
	if tr == nil {
		return 0
	}
	if c.reached != 0 {
		return c.reached
	}
	ref := c.ref
	for _, r := range c.ev.table.added {
		if r.Type == c.typ {
			ref = tr.Join(ref, r.existence, c.saw(r))
		}
	}
	c.reached = tr.Join(ref, c.ev.MayExist(c.typ, ""))
	return c.reached
}

// tagsRef joins what decides a resource's tags: its own, and those of everything that contains it.
func (ev *Evaluator) tagsRef(r *Resource, seen map[*Resource]bool) provenance.Ref {
	if ev.trace == nil || r == nil || seen[r] {
		return 0
	}
	seen[r] = true
	ref := ev.ownTags(r)
	if r.scope != nil {
		ref = ev.trace.Join(ref, ev.tagsRef(r.scope.resource, seen))
	}
	for _, c := range r.in {
		ref = ev.trace.Join(ref, ev.tagsRef(c, seen))
	}
	return ref
}

// ownTags is tagsRef without the containers. When everything is declared it does not change any more.
func (ev *Evaluator) ownTags(r *Resource) provenance.Ref {
	if r.ownTags != 0 {
		return r.ownTags
	}
	ref := ev.trace.Join(r.existence, r.titleRef, r.tagRef, ev.mayTouch(r, "tag"))
	if r.isClass() && !r.main {
		ref = ev.trace.Join(ref, ev.table.firsts[canonical(r.Title)], ev.ghosts.contained)
	}
	if ev.phase == phaseFinish {
		r.ownTags = ref
	}
	return ref
}

// positionRef joins what decides where a resource stands among the others: when it, and the classes around it, were declared.
func (ev *Evaluator) positionRef(r *Resource, seen map[*Resource]bool) provenance.Ref {
	if ev.trace == nil || r == nil || seen[r] {
		return 0
	}
	seen[r] = true
	ref := r.existence
	if r.isClass() && !r.main {
		ref = ev.trace.Join(ref, ev.table.firsts[canonical(r.Title)])
	}
	if r.scope != nil {
		ref = ev.trace.Join(ref, ev.positionRef(r.scope.resource, seen))
	}
	return ref
}

// absentRef joins what an attribute's absence depends on.
func (ev *Evaluator) absentRef(r *Resource, attr string, seen map[*Resource]bool) provenance.Ref {
	if ev.trace == nil || seen[r] {
		return 0
	}
	seen[r] = true
	ref := ev.trace.Join(r.existence, ev.mayTouch(r, attr), ev.firstOfScope(r.scope), r.splat)
	if p := r.param(attr); p != nil { // set, but to undef
		ref = ev.trace.Join(ref, ev.deep(p.value, p.ref))
	}
	if isMetaparam(attr) { // might have come down from a container
		for _, c := range r.in {
			ref = ev.trace.Join(ref, ev.absentRef(c, attr, seen))
		}
	}
	return ref
}

// Absent is what the absence of an attribute of a resource in the catalog depends on.
func (res *Result) Absent(typ, title, attr string) provenance.Ref {
	if res.ev == nil {
		return 0
	}
	r := res.ev.find(typ, title)
	if r == nil {
		return 0
	}
	return res.ev.absentRef(r, attr, map[*Resource]bool{})
}

// declared joins everything that decides what has been declared so far, and with which tags (rule 6, at its loosest).
func (ev *Evaluator) declared() (ref provenance.Ref) {
	g := &ev.ghosts
	refs := []provenance.Ref{g.all}
	for ; g.allAdded < len(ev.table.added); g.allAdded++ {
		r := ev.table.added[g.allAdded]
		refs = append(refs, r.existence, r.titleRef, r.tagRef)
	}
	for ; g.allPassed < len(g.passed); g.allPassed++ {
		refs = append(refs, g.passed[g.allPassed].why)
	}
	g.all = ev.trace.Join(refs...)
	return ev.trace.Join(g.all, ev.ctl)
}

// changed notes that what decides about a resource, or its tags, is more than before.
func (ev *Evaluator) changed(ref provenance.Ref) {
	if ev.trace != nil {
		ev.ghosts.all = ev.trace.Join(ev.ghosts.all, ref)
	}
}
