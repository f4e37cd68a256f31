package eval

import (
	"maps"
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
	number    int      // among all of an environment
}

// A touch is a type, a title and an attribute; "" stands for any.
type touch struct{ typ, title, attr string }

const (
	anyClass    = "*"
	anyDefault  = "*"   // an attribute that has a resource default: a collector's overrides take those of its scope along
	container   = "***" // what contains a class, by the function contain: tags and metaparameters come down from there
	selfRequire = "**"  // the attribute require of whatever runs the code, set by the function require
)

// effectsOf walks code and what it reaches.
func (ev *Evaluator) effectsOf(stmts []syntax.Expr) *effects {
	fx := ev.cache.effectsOf(&stmts[0], func() *effects {
		fx := &effects{classes: map[string]bool{}, like: map[string]bool{}}
		ev.gather(stmts, fx, map[any]bool{}, nil)
		return fx
	})
	for _, name := range fx.named { // what another compile has gathered is to be known in this one too
		if ev.classes[name] == nil {
			ev.quietly(ev.findClass, name)
		}
	}
	return fx
}

// gather adds the effects of code. caller is what the code's own calls of require change; nil for whatever runs the outermost code.
func (ev *Evaluator) gather(stmts []syntax.Expr, fx *effects, seen map[any]bool, caller *touch) {
	follow := func(d *Definition) {
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		inner := &touch{attr: selfRequire}
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
			for _, name := range syntax.StaticNames(a) {
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
				follow(ev.quietly(ev.findClass, name))
			}
		}
	}
	contained := func(args []syntax.Expr) {
		for _, a := range args {
			for _, name := range syntax.StaticNames(a) {
				t := touch{typ: "Class", attr: container}
				if name != "" {
					t.title = capitalized(canonical(name))
				}
				fx.touches = append(fx.touches, t)
			}
		}
	}
	call := func(name string, args []syntax.Expr) {
		switch name {
		case "require":
			if caller == nil {
				fx.requires = true
			} else {
				fx.touches = append(fx.touches, *caller)
			}
			classes(args, false)
		case "contain":
			classes(args, false)
			contained(args)
		case "include":
			classes(args, false)
		case "create_resources", "ensure_resource", "ensure_resources":
			ev.gatherMade(args, fx, follow)
		case "ensure_packages":
			fx.resources = append(fx.resources, touch{typ: "Package"})
		case "hiera_include":
			fx.classes[anyClass] = true
			fx.resources = append(fx.resources, touch{})
		case "realize":
			fx.resources = append(fx.resources, touch{})
		case "tag":
			if caller == nil {
				fx.touches = append(fx.touches, touch{attr: "tag"})
			} else {
				fx.touches = append(fx.touches, touch{caller.typ, caller.title, "tag"})
			}
		default:
			ev.gatherFunction(name, fx, seen)
		}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition:
				return false
			case *syntax.Call:
				if f, ok := n.Functor.(*syntax.Name); ok {
					call(f.Value, n.Args)
				}
			case *syntax.MethodCall:
				call(n.Functor.Name.Value, append([]syntax.Expr{n.Functor.Left}, n.Args...))
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
				if caller != nil {
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

func (ev *Evaluator) gatherClass(name string, fx *effects, seen map[any]bool) {
	name = canonical(name)
	fx.classes[name] = true
	fx.named = append(fx.named, name)
	if d := ev.quietly(ev.findClass, name); d != nil && !seen[d] {
		seen[d] = true
		ev.gather(d.Body, fx, seen, &touch{"Class", capitalized(name), selfRequire})
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
			for _, title := range syntax.StaticNames(b.Title) {
				fx.resources = append(fx.resources, touch{typ: typ, title: title})
			}
		}
		if ev.world.ResourceType(strings.ToLower(typ)) == nil {
			follow(ev.quietly(ev.findDefine, name.Value))
		}
	}
}

// gatherMade adds what functions such as create_resources make: resources of the type that their first argument names, or anything.
func (ev *Evaluator) gatherMade(args []syntax.Expr, fx *effects, follow func(*Definition)) {
	names := []string{""}
	if len(args) > 0 {
		names = syntax.StaticNames(args[0])
	}
	for _, name := range names {
		name = strings.ToLower(strings.TrimPrefix(strings.TrimLeft(name, "@"), "::"))
		if name == "" || name == "class" {
			fx.classes[anyClass] = true
			fx.resources = append(fx.resources, touch{})
			continue
		}
		fx.resources = append(fx.resources, touch{typ: capitalized(name)})
		if ev.world.ResourceType(name) == nil {
			follow(ev.quietly(ev.findDefine, name))
		}
	}
}

// gatherFunction adds what a function of the program does. It runs for the top scope.
func (ev *Evaluator) gatherFunction(name string, fx *effects, seen map[any]bool) {
	name = strings.TrimPrefix(name, "::")
	if ev.functions[name] == nil && ev.world.Function(name) != nil {
		return
	}
	var f *userFunction
	ev.quietly(func(name string) *Definition { f = ev.userFunction(name); return nil }, name)
	if f != nil && !seen[f] && len(f.def.Body.Stmts) > 0 {
		seen[f] = true
		ev.gather(f.def.Body.Stmts, fx, seen, &touch{"Class", "main", selfRequire})
	}
}

// quietly looks for a definition; a file that cannot be parsed has none.
func (ev *Evaluator) quietly(find func(string) *Definition, name string) (d *Definition) {
	defer func() {
		if p := recover(); p != nil {
			if _, ours := p.(*failure); !ours {
				panic(p)
			}
		}
	}()
	return find(name)
}

// touch notes attributes that may be set.
func (fx *effects) touch(t touch, ops []*syntax.AttrOp) {
	for _, op := range ops {
		t.attr = op.Name // "" for a splat: any
		fx.touches = append(fx.touches, t)
	}
}

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
			for _, title := range syntax.StaticNames(k) {
				if typ == "Class" && title != "" {
					title = capitalized(canonical(title))
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
	return (t.typ == "" || t.typ == typ) && (t.title == "" || t.title == title) && (t.attr == "" || attr == "" || t.attr == attr || t.attr == selfRequire && attr == "require")
}

// mayDeclare joins the decisions of every branch passed over so far that may declare a class.
func (ev *Evaluator) mayDeclare(class string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	ev.indexTouches()
	g := &ev.ghosts
	refs := ev.scratch[:0]
	for _, name := range [...]string{class, anyClass} {
		for _, fx := range ev.cache.declaring(name) {
			refs = append(refs, g.why(fx))
		}
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
	if g.idle != nil && g.idleOf == len(ev.classes) {
		return g.idle.touches
	}
	g.idle, g.idleOf = &effects{classes: map[string]bool{}, like: map[string]bool{}}, len(ev.classes)
	seen := map[any]bool{}
	for name := range ev.table.scopes {
		seen[ev.classes[name]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(ev.classes)) {
		if d := ev.classes[name]; !seen[d] && len(d.Body) > 0 {
			seen[d] = true
			ev.gather(d.Body, g.idle, seen, &touch{"Class", capitalized(name), selfRequire})
		}
	}
	return g.idle.touches
}

// mayConfigure joins what may have given a class a parameter: the decisions of branches passed over that may declare it with parameters,
// and the titles of classes that were declared with this one.
func (ev *Evaluator) mayConfigure(class, param string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	ev.indexTouches()
	g := &ev.ghosts
	if c := &g.configuring; c.class != class || c.passed != len(g.passed) {
		var refs []provenance.Ref
		for _, fx := range ev.cache.declaring(class) {
			if fx.like[class] {
				refs = append(refs, g.why(fx))
			}
		}
		for _, fx := range ev.cache.declaring(anyClass) {
			refs = append(refs, g.why(fx))
		}
		*c = configuring{class, len(g.passed), ev.union(refs)}
	}
	return ev.union([]provenance.Ref{ev.mayBeGiven(param), g.configuring.ref})
}

// mayBeGiven joins the titles of class declarations that have an attribute.
func (ev *Evaluator) mayBeGiven(attr string) provenance.Ref {
	return ev.union([]provenance.Ref{ev.ghosts.given[attr], ev.ghosts.given[""]})
}

// MayExist joins the decisions of branches passed over that may declare, or realize, a resource ("" for any of the type): what a question such as defined()
// depends on when the answer is no.
func (ev *Evaluator) MayExist(typ, title string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	if typ == "Class" {
		return ev.mayDeclare(canonical(title))
	}
	ev.indexTouches()
	g := &ev.ghosts
	var refs []provenance.Ref
	for _, of := range []string{typ, ""} {
		for _, t := range ev.cache.making(of) {
			if why := g.why(t.by); why != 0 && (title == "" || t.covers(typ, title, "")) {
				refs = append(refs, why)
			}
		}
	}
	return ev.union(append(refs, g.typed, ev.mayName())) // a class that nobody has named so far may declare anything
}

// mayName joins what could have named any class: the names that were given, and the branches passed over that compute names.
func (ev *Evaluator) mayName() provenance.Ref {
	ev.indexTouches()
	refs := []provenance.Ref{ev.ghosts.named}
	for _, fx := range ev.cache.declaring(anyClass) {
		refs = append(refs, ev.ghosts.why(fx))
	}
	return ev.union(refs)
}

// MayBeOf notes what names a resource type at run time: it could have named another.
func (ev *Evaluator) MayBeOf(typ provenance.Ref) {
	if typ != 0 {
		ev.ghosts.typed = ev.trace.Join(ev.ghosts.typed, typ)
	}
}

// Asked is what the answer to the question whether a resource is declared depends on (rule 6): the resource that was found or, when there is
// none, all that could be it, by its title, its name or an alias, and the branches that might have declared it.
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

// namesRef joins what decides what a resource is called, and that there are not more like it: its title, and the decisions of the code that
// declares it, which may be loops.
func (ev *Evaluator) namesRef(r *Resource) provenance.Ref {
	switch {
	case r.decided:
		return r.existence
	case r.scope != nil && r.scope.resource != nil && r.scope.resource.def != nil && r.scope.resource.def.Kind == DefineKind:
		return ev.trace.Join(r.titleRef, ev.namesRef(r.scope.resource))
	}
	return r.titleRef
}

// mayTouch joins what could have changed an attribute from afar: overrides, defaults, arrows and collectors in branches passed
// over, and every collector with overrides, whether its query matched or not.
func (ev *Evaluator) mayTouch(r *Resource, attr string) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	m := ev.touchesOf(r.Type, attr)
	refs := append(ev.scratch[:0], m.ref, r.arrows[attr])
	for _, t := range m.titled {
		if t.title == r.Title {
			refs = append(refs, ev.ghosts.why(t.by))
		}
	}
	if slices.Contains(m.idle, r.Title) {
		refs = append(refs, m.named)
	}
	if attr == "require" {
		ev.indexTouches()
		refs = append(refs, ev.ghosts.requiring[r])
	}
	var last *collector
	for _, c := range m.collectors {
		refs = append(refs, c.looked[r].ref)
		if c.has[r] && c.params != nil {
			if last != nil {
				refs = append(refs, last.moment, c.moment)
			}
			last = c
		}
	}
	ev.scratch = refs
	return ev.union(refs)
}

// An untouchedState is the answer of untouched, and what it was found by: as long as that is the same, so is the answer.
type untouchedState struct {
	own, any, collected, writes, classes, scopes int
	yes                                          bool
}

// untouched reports whether no code that is known, run or not, sets parameters of a define's instances from outside: then mayTouch has
// nothing to say about them.
func (ev *Evaluator) untouched(d *Definition, typ string) bool {
	ev.indexTouches()
	g := &ev.ghosts
	own, any := ev.cache.touching(typ), ev.cache.touching("")
	now := untouchedState{len(own), len(any), len(ev.table.everCollected), g.writes, len(ev.classes), len(ev.table.scopes), false}
	if s, ok := g.untouched[typ]; ok {
		if now.yes = s.yes; s == now {
			return s.yes
		}
	}
	sets := func(attr string) bool { return attr == "" || attr == anyDefault || attr == "name" || d.find(attr) >= 0 }
	touches := func(t touchOf) bool { return sets(t.attr) }
	now.yes = !slices.ContainsFunc(own, touches) && !slices.ContainsFunc(any, touches) &&
		!slices.ContainsFunc(ev.idleTouches(), func(t touch) bool { return (t.typ == typ || t.typ == "") && sets(t.attr) }) &&
		!slices.ContainsFunc(ev.table.everCollected, func(c *collector) bool { return c.typ == typ && (c.params != nil || c.splat != 0) })
	for t := range g.written {
		if (t.typ == typ || t.typ == "") && sets(t.attr) {
			now.yes = false
		}
	}
	if g.untouched == nil {
		g.untouched = map[string]untouchedState{}
	}
	now.classes = len(ev.classes) // looking for idle classes may have read some
	g.untouched[typ] = now
	return now.yes
}

// touches is what mayTouch says of all resources of a type.
type touches struct {
	ref        provenance.Ref
	titled     []touchOf      // those that concern one title
	idle       []string       // titles that idle classes touch,
	named      provenance.Ref // were they named
	collectors []*collector
}

// touchesOf is worked out once for each type and attribute, and anew when something was declared, passed over or written since.
func (ev *Evaluator) touchesOf(typ, attr string) *touches {
	key := touch{typ: typ, attr: attr}
	g := &ev.ghosts
	now := touchState{len(g.passed), len(ev.table.everCollected), len(g.likes), len(ev.classes), len(ev.table.scopes), g.writes, g.named}
	if m := g.all[key]; m != nil && g.allAt == now {
		return m
	}
	ev.indexTouches()
	byDefault := ev.table.defaulted[key]
	m := &touches{}
	var refs []provenance.Ref
	for _, of := range []string{typ, ""} {
		for _, t := range ev.cache.touching(of) {
			why := g.why(t.by)
			switch {
			case why == 0:
			case t.title != "" && t.covers(typ, t.title, attr):
				m.titled = append(m.titled, t)
			case t.covers(typ, t.title, attr) || byDefault != 0 && t.attr == anyDefault:
				refs = append(refs, why)
			}
		}
		refs = append(refs, g.written[touch{typ: of, attr: attr}], g.written[touch{typ: of}])
	}
	if typ == "Class" && isMetaparam(attr) {
		refs = append(refs, ev.mayBeGiven(attr))
	}
	if attr == "before" || attr == "notify" { // a class that nobody has named so far may draw arrows from anything
		refs = append(refs, g.named)
	}
	if m.named = ev.mayName(); m.named != 0 {
		for _, t := range ev.idleTouches() {
			taken := byDefault != 0 && t.attr == anyDefault && t.covers(typ, t.title, "")
			if t.attr == selfRequire && t.title != "main" || !t.covers(typ, t.title, attr) && !taken { // a class that is not there requires nothing
				continue
			}
			if t.title == "" {
				refs = append(refs, m.named)
				m.idle = nil
				break
			}
			m.idle = append(m.idle, t.title)
		}
	}
	for _, c := range ev.table.everCollected {
		if c.typ != typ {
			continue
		}
		here := c.splat != 0 || slices.Contains(c.arrows, attr) || slices.ContainsFunc(c.params, func(p *param) bool { return p.name == attr })
		if here || byDefault != 0 && c.params != nil {
			m.collectors = append(m.collectors, c)
			refs = append(refs, c.ref, c.splat)
			if !here {
				refs = append(refs, byDefault)
			}
		}
	}
	m.ref = ev.union(refs)
	if now.classes, now.scopes = len(ev.classes), len(ev.table.scopes); g.all == nil || g.allAt != now {
		g.all, g.allAt = map[touch]*touches{}, now
	}
	g.all[key] = m
	return m
}

// A touchState is what decides about touches: as long as it is the same, so are they.
type touchState struct {
	passed, collected, likes, classes, scopes, writes int
	named                                             provenance.Ref
}

// union joins refs, each once; one alone needs no node. It reorders them.
func (ev *Evaluator) union(refs []provenance.Ref) provenance.Ref {
	slices.Sort(refs)
	refs = slices.Compact(refs)
	if len(refs) > 0 && refs[0] == 0 {
		refs = refs[1:]
	}
	switch len(refs) {
	case 0:
		return 0
	case 1:
		return refs[0]
	}
	return ev.trace.Join(refs...)
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

// indexTouches joins the decisions for each piece of code that was passed over, so that the same code passed over a thousand times counts
// once. It goes on from where it stopped.
func (ev *Evaluator) indexTouches() {
	g := &ev.ghosts
	for ; g.indexed < len(g.passed); g.indexed++ {
		p := &g.passed[g.indexed]
		if p.effects == nil {
			p.effects = ev.effectsOf(p.stmts)
		}
		fx := p.effects
		if fx.requires {
			if g.requiring == nil {
				g.requiring = map[*Resource]provenance.Ref{}
			}
			g.requiring[p.scope.resource] = ev.trace.Join(g.requiring[p.scope.resource], p.why)
		}
		if len(fx.touches) == 0 && len(fx.resources) == 0 && len(fx.classes) == 0 {
			continue
		}
		if fx.number >= len(g.whys) {
			g.whys = append(g.whys, make([]provenance.Ref, fx.number+1-len(g.whys))...)
		}
		if g.whys[fx.number] == 0 {
			g.whys[fx.number] = p.why
		} else {
			g.whys[fx.number] = ev.trace.Join(g.whys[fx.number], p.why)
		}
	}
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
		if r.isClass() {
			ref = ev.trace.Join(ref, ev.ghosts.contained, ev.mayTouch(r, container))
		}
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
