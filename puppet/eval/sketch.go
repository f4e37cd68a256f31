package eval

import (
	"slices"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
)

// What code does, worked out from its syntax: which classes, defines and functions it leads to by name, which resources
// it declares, which attributes of others it sets.

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
	anyDefault  = outline.AnyDefault
	container   = outline.Container
	selfRequire = "**" // the attribute require of whatever runs the code, set by the function require
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

// A caller is what code belongs to: the type and title of the class or define whose attributes its calls of require and
// tag change. The zero caller is whatever runs the code that was asked about.
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

// A sketch is what a piece of code does itself, and what it leads to by name in the environment's program. All compiles
// share it.
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
		// elsewhere they count for what is declared in there, and who declares it first is known with the class
		list = append(list, s.defaults...)
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
	ev.log.Pause() // no catalog hangs on it
	defer ev.log.Resume()
	for u := range outline.Uses(stmts, ev.effectOf) {
		switch u.Kind {
		case outline.Declares:
			s.declares(ev, u)
		case outline.Sets:
			s.touches = append(s.touches, touch{u.Type, u.Name, u.Attr})
		case outline.Defaults:
			s.defaults = append(s.defaults, touch{typ: u.Type, attr: u.Attr})
		case outline.Called:
			if ev.functions[u.Name] != nil || ev.world.Function(u.Name) == nil { // one that is written in Puppet
				s.link(link{kind: linkFunction, name: u.Name})
			}
		case outline.RequiresHere:
			s.requires = true
		case outline.TagsHere:
			s.tags = true
		case outline.DoesAnything:
			s.anyClass, s.tags, s.requires = true, true, true
			s.resources = append(s.resources, touch{})
			s.touches = append(s.touches, touch{})
		}
	}
}

// effectOf is what a function does to a catalog, by its record.
func (ev *Evaluator) effectOf(name string) outline.Effect {
	if f := ev.world.Function(name); f != nil && ev.functions[name] == nil {
		return f.Does
	}
	return 0 // what a function that is written in Puppet does is found in its body
}

// declares adds a class or a resource that is declared, or made real.
func (s *sketch) declares(ev *Evaluator, u outline.Use) {
	switch {
	case u.Type == "" && !u.Collected:
		s.anyClass = true
		s.resources = append(s.resources, touch{})
	case u.Type == "Class" && !u.Collected && u.Name == "":
		s.anyClass = true
	case u.Type == "Class" && !u.Collected:
		s.link(link{linkClass, u.Name, u.Verb == "class"})
	default:
		s.resources = append(s.resources, touch{typ: u.Type, title: u.Name})
		if name := canonical(u.Type); !u.Collected && ev.world.ResourceType(name) == nil {
			s.link(link{kind: linkDefine, name: name})
		}
	}
}

func (s *sketch) link(l link) {
	if !slices.Contains(s.links, l) {
		s.links = append(s.links, l)
	}
}
