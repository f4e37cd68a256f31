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
	touches   []touch // attributes that may be set on resources declared elsewhere
	requires  bool    // it calls require, which sets an attribute of whatever contains it
}

// A touch is a type, a title and an attribute; "" stands for any.
type touch struct{ typ, title, attr string }

const (
	anyClass   = "*"
	anyDefault = "*" // an attribute that has a resource default: a collector's overrides take those of its scope along
)

// effectsOf walks code and what it reaches, once for each piece of code.
func (ev *Evaluator) effectsOf(stmts []syntax.Expr) *effects {
	if fx := ev.ghosts.effects[&stmts[0]]; fx != nil {
		return fx
	}
	fx := &effects{classes: map[string]bool{}, like: map[string]bool{}}
	ev.gather(stmts, fx, map[*Definition]bool{}, nil)
	if ev.ghosts.effects == nil {
		ev.ghosts.effects = map[*syntax.Expr]*effects{}
	}
	ev.ghosts.effects[&stmts[0]] = fx
	return fx
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
				if container != nil {
					break // they count for what is declared in there, and who declares it first is known with the class
				}
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

func (ev *Evaluator) effectsAt(i int) *effects {
	p := &ev.ghosts.passed[i]
	if p.effects == nil {
		p.effects = ev.effectsOf(p.stmts)
	}
	return p.effects
}

// mayDeclare joins the decisions of every branch passed over so far that may declare a class.
func (ev *Evaluator) mayDeclare(class string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	for i := range ev.ghosts.passed {
		if fx := ev.effectsAt(i); fx.classes[class] || fx.classes[anyClass] {
			r = ev.trace.Join(r, ev.ghosts.passed[i].why)
		}
	}
	if ev.table.scopes[class] == nil {
		r = ev.trace.Join(r, ev.ghosts.named)
	}
	return r
}

// idleTouches reports whether a class that is known but was not evaluated would change an attribute.
func (ev *Evaluator) idleTouches(r *Resource, attr string) bool {
	for name, d := range ev.classes {
		if name == "" || ev.table.scopes[name] != nil {
			continue
		}
		fx := ev.ghosts.idle[d]
		if fx == nil {
			if ev.ghosts.idle == nil {
				ev.ghosts.idle = map[*Definition]*effects{}
			}
			if len(d.Body) == 0 {
				continue
			}
			fx = &effects{classes: map[string]bool{}, like: map[string]bool{}}
			ev.gather(d.Body, fx, map[*Definition]bool{d: true}, &touch{"Class", capitalized(name), "require"})
			ev.ghosts.idle[d] = fx
		}
		for _, t := range fx.touches {
			if t.covers(r.Type, r.Title, attr) && t.attr != "require" {
				return true
			}
		}
	}
	return false
}

// mayConfigure joins what may have given a class a parameter: the decisions of branches passed over that may declare it with parameters,
// and the titles of classes that were declared with this one.
func (ev *Evaluator) mayConfigure(class, param string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	r = ev.mayBeGiven(param)
	for i := range ev.ghosts.passed {
		if fx := ev.effectsAt(i); fx.like[class] || fx.classes[anyClass] {
			r = ev.trace.Join(r, ev.ghosts.passed[i].why)
		}
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
	for i := range ev.ghosts.passed {
		for _, t := range ev.effectsAt(i).resources {
			if t.covers(typ, title, "") {
				r = ev.trace.Join(r, ev.ghosts.passed[i].why)
				break
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
	ev.indexTouches()
	byDefault := ev.table.defaulted[touch{typ: r.Type, attr: attr}]
	for _, typ := range []string{r.Type, ""} {
		for _, t := range ev.ghosts.touching[typ] {
			if t.covers(r.Type, r.Title, attr) || byDefault != 0 && t.attr == anyDefault {
				ref = ev.trace.Join(ref, ev.ghosts.whys[t.by])
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
		for i := range ev.ghosts.passed {
			if p := &ev.ghosts.passed[i]; ev.effectsAt(i).requires && p.scope.resource == r {
				ref = ev.trace.Join(ref, p.why)
			}
		}
	}
	if ev.ghosts.named != 0 && ev.idleTouches(r, attr) {
		ref = ev.trace.Join(ref, ev.ghosts.named)
	}
	for _, c := range ev.table.everCollected {
		if c.typ != r.Type {
			continue
		}
		if c.splat != 0 || slices.Contains(c.arrows, attr) || slices.ContainsFunc(c.params, func(p *param) bool { return p.name == attr }) {
			ref = ev.trace.Join(ref, c.ref, c.splat, c.looked[r])
		}
		if byDefault != 0 && c.params != nil {
			ref = ev.trace.Join(ref, c.ref, c.looked[r], byDefault)
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

// A touchOf is a touch and the code that has it.
type touchOf struct {
	touch
	by *effects
}

// indexTouches sorts the touches of branches passed over by type, and joins the decisions for each piece of code, so that the same
// code passed over a thousand times counts once. It goes on from where it stopped.
func (ev *Evaluator) indexTouches() {
	g := &ev.ghosts
	if g.whys == nil {
		g.whys, g.touching = map[*effects]provenance.Ref{}, map[string][]touchOf{}
	}
	for ; g.indexed < len(g.passed); g.indexed++ {
		fx := ev.effectsAt(g.indexed)
		if len(fx.touches) == 0 {
			continue
		}
		if g.whys[fx] == 0 {
			for _, t := range fx.touches {
				g.touching[t.typ] = append(g.touching[t.typ], touchOf{t, fx})
			}
		}
		g.whys[fx] = ev.trace.Join(g.whys[fx], g.passed[g.indexed].why)
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
		case "tag":
			ref = tr.Join(ref, c.ev.tagsRef(r, map[*Resource]bool{}))
		default:
			if p := r.param(name); p != nil {
				ref = tr.Join(ref, c.ev.deep(p.value, p.ref))
			}
		}
	}
	return ref
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
			ref = tr.Join(ref, r.existence, c.looked[r])
		}
	}
	return tr.Join(ref, c.ev.MayExist(c.typ, ""))
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
	refs := []provenance.Ref{ev.ctl}
	for _, r := range ev.table.added {
		refs = append(refs, r.existence, r.titleRef, r.tagRef)
	}
	for i := range ev.ghosts.passed {
		refs = append(refs, ev.ghosts.passed[i].why)
	}
	return ev.trace.Join(refs...)
}
