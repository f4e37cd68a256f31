package eval

import (
	"slices"
	"strings"

	"bunraku/puppet/syntax"
)

// What code does, worked out from its syntax: which classes, defines and functions it leads to by name, which resources it declares, which
// attributes of others it sets.

// effects are what some code may do, the classes and defines that it declares included.
type effects struct {
	classes   map[string]bool
	like      map[string]bool // classes declared with parameters
	resources []touch
	touches   []touch  // attributes that may be set on resources declared elsewhere
	named     []string // classes that it names
	computes  bool     // it computes the name of a class: it may be any
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

// effectsOf walks code that was passed over, and what it reaches.
func (ev *Evaluator) effectsOf(b *branch) *effects {
	if b.effects != nil {
		return b.effects
	}
	b.effects = ev.cache.effectsOf(&b.stmts[0], func() *effects {
		fx := &effects{classes: map[string]bool{}, like: map[string]bool{}}
		s := &sketch{}
		s.walk(ev, b.stmts)
		ev.reach(s, caller{}, map[syntax.Definition]bool{}, fx.add)
		return fx
	})
	for _, name := range b.effects.named { // what another compile has gathered is to be known in this one too
		ev.hear(linkClass, name)
	}
	return b.effects
}

// A caller is what code belongs to: the type and title of the class or define whose attributes its calls of require and tag change. The
// zero caller is whatever runs the code that was asked about.
type caller struct{ typ, title string }

// add adds what a piece of code does itself.
func (fx *effects) add(s *sketch, by caller) {
	fx.touches = s.touching(fx.touches, by)
	fx.resources = append(fx.resources, s.resources...)
	fx.requires = fx.requires || s.requires && by == caller{}
	for _, l := range s.links {
		if l.kind == linkClass {
			fx.classes[l.name] = true
			fx.named = append(fx.named, l.name)
			if l.like {
				fx.like[l.name] = true
			}
		}
	}
	if s.anyClass {
		fx.classes[anyClass], fx.computes = true, true
	}
}

// A sketch is what a piece of code does itself, and what it leads to by name in the environment's program. All compiles share it.
type sketch struct {
	links     []link // in the order of the code, each once
	anyClass  bool   // it computes the name of a class
	resources []touch
	touches   []touch
	defaults  []touch // resource defaults
	requires  bool    // it calls require,
	tags      bool    // or tag, which set an attribute of whatever runs it
}

// A link leads to the class, define or function that has the name.
type link struct {
	kind linkKind
	name string
	like bool // a class that is declared with parameters
}

type linkKind uint8

const (
	linkClass linkKind = iota
	linkDefine
	linkFunction
)

// touching appends the attributes that the code may set on resources declared elsewhere, when it belongs to a caller.
func (s *sketch) touching(list []touch, by caller) []touch {
	list = append(list, s.touches...)
	if by == (caller{}) {
		list = append(list, s.defaults...) // elsewhere they count for what is declared in there, and who declares it first is known with the class
	} else if s.requires {
		list = append(list, touch{by.typ, by.title, selfRequire})
	}
	if s.tags {
		list = append(list, touch{by.typ, by.title, "tag"})
	}
	return list
}

// reach visits code and all that it leads to, but what was seen.
func (ev *Evaluator) reach(s *sketch, by caller, seen map[syntax.Definition]bool, visit func(*sketch, caller)) {
	visit(s, by)
	for _, l := range s.links {
		d := ev.hear(l.kind, l.name)
		if d.node == nil || seen[d.node] {
			continue
		}
		seen[d.node] = true
		by := caller{typ: d.title} // a define
		switch l.kind {
		case linkClass:
			by = caller{"Class", d.title}
		case linkFunction: // it runs for the top scope
			by = caller{"Class", "main"}
		}
		if d.parent != "" {
			ev.reach(&sketch{links: []link{{kind: linkClass, name: d.parent}}}, by, seen, visit)
		}
		ev.reach(ev.sketchOf(d), by, seen, visit)
	}
}

// walk adds what code does.
func (s *sketch) walk(ev *Evaluator, stmts []syntax.Expr) {
	for _, x := range stmts {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition:
				return false
			case *syntax.Call:
				if f, ok := n.Functor.(*syntax.Name); ok {
					s.call(ev, f.Value, n.Args)
				}
			case *syntax.MethodCall:
				s.call(ev, n.Functor.Name.Value, append([]syntax.Expr{n.Functor.Left}, n.Args...))
			case *syntax.Resource:
				s.resource(ev, n)
			case *syntax.Override:
				for _, t := range staticRefs(n.Target) {
					s.touches = t.attrs(s.touches, n.Ops)
				}
			case *syntax.Collect:
				t := touch{}
				if r, ok := n.Type.(*syntax.Ref); ok {
					t.typ = capitalized(canonical(r.Value))
				}
				s.touches = t.attrs(s.touches, n.Ops)
				if len(n.Ops) > 0 {
					s.touches = append(s.touches, touch{typ: t.typ, attr: anyDefault})
				}
				s.resources = append(s.resources, t)
			case *syntax.Defaults:
				t := touch{}
				if r, ok := n.Type.(*syntax.Ref); ok {
					t.typ = capitalized(canonical(r.Value))
				}
				s.defaults = t.attrs(s.defaults, n.Ops)
			case *syntax.Relation:
				for _, side := range []syntax.Expr{n.Left, n.Right} {
					for _, t := range staticRefs(side) {
						for _, attr := range []string{"before", "notify"} {
							t.attr = attr
							s.touches = append(s.touches, t)
						}
					}
				}
			}
			return true
		})
	}
}

// call adds a call of a function.
func (s *sketch) call(ev *Evaluator, name string, args []syntax.Expr) {
	switch name {
	case "require":
		s.requires = true
		s.classes(args, false)
	case "contain":
		s.classes(args, false)
		s.contained(args)
	case "include":
		s.classes(args, false)
	case "create_resources", "ensure_resource", "ensure_resources":
		s.made(ev, args)
	case "ensure_packages":
		s.resources = append(s.resources, touch{typ: "Package"})
	case "hiera_include":
		s.anyClass = true
		s.resources = append(s.resources, touch{})
	case "realize":
		s.resources = append(s.resources, touch{})
	case "tag":
		s.tags = true
	default:
		if name = strings.TrimPrefix(name, "::"); ev.functions[name] != nil || ev.world.Function(name) == nil {
			s.link(link{kind: linkFunction, name: name})
		}
	}
}

// made adds what functions such as create_resources make: resources of the type that their first argument names, or anything.
func (s *sketch) made(ev *Evaluator, args []syntax.Expr) {
	names := []string{""}
	if len(args) > 0 {
		names = syntax.StaticNames(args[0])
	}
	for _, name := range names {
		name = strings.ToLower(strings.TrimPrefix(strings.TrimLeft(name, "@"), "::"))
		if name == "" || name == "class" {
			s.anyClass = true
			s.resources = append(s.resources, touch{})
			continue
		}
		s.resources = append(s.resources, touch{typ: capitalized(name)})
		if ev.world.ResourceType(name) == nil {
			s.link(link{kind: linkDefine, name: name})
		}
	}
}

func (s *sketch) link(l link) {
	if !slices.Contains(s.links, l) {
		s.links = append(s.links, l)
	}
}

// classes adds the classes that arguments name.
func (s *sketch) classes(args []syntax.Expr, like bool) {
	for _, a := range args {
		for _, name := range syntax.StaticNames(a) {
			if name == "" {
				s.anyClass = true
			} else {
				s.link(link{linkClass, canonical(name), like})
			}
		}
	}
}

// contained adds that arguments name classes which get a container.
func (s *sketch) contained(args []syntax.Expr) {
	for _, a := range args {
		for _, name := range syntax.StaticNames(a) {
			t := touch{typ: "Class", attr: container}
			if name != "" {
				t.title = capitalized(canonical(name))
			}
			s.touches = append(s.touches, t)
		}
	}
}

// resource adds resources that are declared.
func (s *sketch) resource(ev *Evaluator, n *syntax.Resource) {
	name, ok := n.Type.(*syntax.Name)
	switch {
	case !ok:
		s.anyClass = true
		s.resources = append(s.resources, touch{})
	case name.Value == "class":
		for _, b := range n.Bodies {
			s.classes([]syntax.Expr{b.Title}, true)
		}
	default:
		typ := capitalized(strings.TrimPrefix(name.Value, "::"))
		for _, b := range n.Bodies {
			for _, title := range syntax.StaticNames(b.Title) {
				s.resources = append(s.resources, touch{typ: typ, title: title})
			}
		}
		if ev.world.ResourceType(strings.ToLower(typ)) == nil {
			s.link(link{kind: linkDefine, name: canonical(name.Value)})
		}
	}
}

// attrs adds a touch for each attribute that may be set.
func (t touch) attrs(list []touch, ops []*syntax.AttrOp) []touch {
	for _, op := range ops {
		t.attr = op.Name // "" for a splat: any
		list = append(list, t)
	}
	return list
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
