package eval

import (
	"slices"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Code that was passed over names classes, defines and functions that the compile has not loaded, and perhaps never
// will. What they do is found in their files all the same; but the program does not get to know them by that: a traced
// compile loads what any other loads.

// A hearsay is what is known of a definition without loading it. It belongs to the parsed file, so all compiles share
// it.
type hearsay struct {
	node   syntax.Definition // nil when there is none
	title  string            // of a class or define, as references have it
	parent string            // of a class: the one it inherits from
	body   []syntax.Expr

	once   source.Once
	sketch *sketch
}

func newHearsay(n syntax.Definition) *hearsay {
	switch n := n.(type) {
	case *syntax.Class:
		h := &hearsay{node: n, title: capitalized(strings.ToLower(n.Name)), body: n.Body.Stmts}
		if n.Parent != "" {
			h.parent = canonical(n.Parent)
		}
		return h
	case *syntax.Define:
		return &hearsay{node: n, title: capitalized(strings.ToLower(n.Name)), body: n.Body.Stmts}
	case *syntax.Function:
		return &hearsay{node: n, body: n.Body.Stmts}
	}
	return &hearsay{}
}

// sketchOf is the sketch of a definition's code.
func (ev *Evaluator) sketchOf(h *hearsay) *sketch {
	h.once.Do(func() {
		h.sketch = &sketch{}
		h.sketch.walk(ev, h.body)
	})
	return h.sketch
}

// heard is the hearsay of one compile: what stands in files that are not loaded.
type heard struct {
	files   map[*syntax.File]bool
	classes []heardClass // in the order in which they were heard of
}

type heardClass struct {
	name string
	*hearsay
}

// An unloaded is what a name leads to in files that may not be loaded: those that are read to find it. It follows from
// the environment's files, so all compiles share it.
type unloaded struct {
	*hearsay
	files []*syntax.File
}

// hear finds what a name leads to: what the program has, or what it would load.
func (ev *Evaluator) hear(kind linkKind, name string) *hearsay {
	var d *Definition
	switch kind {
	case linkClass:
		d = ev.classes[name]
	case linkDefine:
		d = ev.defines[name]
	case linkFunction:
		if f := ev.functions[name]; f != nil {
			return ev.cache.hearsay(f.def)
		}
	}
	if d != nil {
		if d.shape == nil { // main, or settings
			return newHearsay(nil)
		}
		return d.shape.said
	}
	u := remember(ev.cache, ev.cache.unloaded, link{kind: kind, name: name},
		func() (unloaded, bool) { return ev.search(kind, name), true })
	for _, f := range u.files {
		ev.hearFile(f)
	}
	return u.hearsay
}

// hearFile notes what a file defines that is not loaded.
func (ev *Evaluator) hearFile(f *syntax.File) {
	g := &ev.ghosts.heard
	if ev.loaded[f] || g.files[f] {
		return
	}
	if g.files == nil {
		g.files = map[*syntax.File]bool{}
	}
	g.files[f] = true
	ev.mayDefault(f)
	for _, n := range f.Defs {
		if c, ok := n.(*syntax.Class); ok {
			g.classes = append(g.classes, heardClass{strings.ToLower(c.Name), ev.cache.hearsay(c)})
		}
	}
}

// search looks into the files that may define a name, as loading it does; one that cannot be parsed ends the search.
func (ev *Evaluator) search(kind linkKind, name string) unloaded {
	ev.budget.Check() // files are parsed here, and what leads to how many is no step of the program
	ev.log.Pause()    // no catalog hangs on it
	defer ev.log.Resume()
	u := unloaded{hearsay: newHearsay(nil)}
	if kind == linkFunction {
		f, ds := ev.world.FunctionFile(name)
		if f != nil && !ds.HasErrors() {
			u.look(ev.cache, f, kind, name)
		}
		return u
	}
	segments := strings.Split(name, "::")
	for n := len(segments); n >= 1 && name != "" && u.node == nil; n-- {
		for _, rest := range [...]string{"", strings.Join(segments[1:n], "::")} { // init.pp comes with any other
			f, ds := ev.world.Manifest(segments[0], rest)
			if ds.HasErrors() {
				return u
			}
			if f != nil && !slices.Contains(u.files, f) {
				u.look(ev.cache, f, kind, name)
			}
		}
	}
	return u
}

// look adds a file, which may have the definition.
func (u *unloaded) look(c *Cache, f *syntax.File, kind linkKind, name string) {
	u.files = append(u.files, f)
	for _, n := range f.Defs {
		found := false
		switch n := n.(type) {
		case *syntax.Class:
			found = kind == linkClass && strings.ToLower(n.Name) == name
		case *syntax.Define:
			found = kind == linkDefine && strings.ToLower(n.Name) == name
		case *syntax.Function:
			found = kind == linkFunction && n.Name == name
		}
		if found {
			u.hearsay = c.hearsay(n)
		}
	}
}

// hearsay is that of a definition.
func (c *Cache) hearsay(n syntax.Definition) *hearsay {
	switch n := n.(type) {
	case *syntax.Class:
		return c.shapeOf(n, n.Params, n.Body.Stmts).said
	case *syntax.Define:
		return c.shapeOf(n, n.Params, n.Body.Stmts).said
	}
	return remember(c, c.functions, n, func() (*hearsay, bool) { return newHearsay(n), true })
}
