package smartfrog

import (
	"cmp"
	"io/fs"

	"bunraku/source"
)

// Options are the switches of a compilation.
type Options struct {
	// Extended turns on the extended semantics of references and the HP spellings.
	Extended bool
	// Path is where the main file is in the file system that includes are read from; "" means at its top, under the file's
	// base name.
	Path string
	// MaxWork bounds the steps of an evaluation: assignments, includes, and attributes copied; 0 means defaultWork.
	MaxWork int
	// MaxSize bounds the number of attributes in the result; 0 means defaultSize.
	MaxSize int
	// Observe is told every use of an equation of the semantics, in order; nil if nobody watches.
	Observe func(Equation)

	shallow int // see scopes; 0 means defaultShallow
}

// A configuration can double in size with every line: `b extends { x a; y a; }`. These bounds are far beyond any that
// people write, and keep a run within seconds and a few gigabytes.
const (
	defaultWork = 20_000_000
	defaultSize = 5_000_000
)

// defaultShallow is deeper than what people write.
const defaultShallow = 16

// A Result is a compiled specification.
type Result struct {
	// Config is the component sfConfig: the meaning of the specification.
	Config *Store

	root     *Store
	extended bool
}

// Compile reads a specification and what it includes, and evaluates it. The result is nil when a diagnostic is an
// Error. Without a file system nothing can be included.
//
// Definition 27 (SmartFrog) with what the paper leaves out: reading, the extended references and the order constraints.
func Compile(main *source.File, includes fs.FS, opt Options) (*Result, source.Diagnostics) {
	r, diags := compile(main, includes, opt)
	if diags.HasErrors() {
		return nil, diags
	}
	return r, diags
}

// compile returns what could be computed even when there are errors; nil when there is nothing.
func compile(main *source.File, includes fs.FS, opt Options) (*Result, source.Diagnostics) {
	l := &loader{files: includes, opt: opt, units: map[*Include]*Spec{}, known: map[string]*Spec{}}
	at := opt.Path
	if at == "" {
		at = base(main.Name)
	}
	spec := l.load(main, at)
	if l.diags.HasErrors() {
		return nil, l.diags
	}
	r, diags := evaluate(spec, l.units, opt)
	return r, append(l.diags, diags...)
}

// evaluate runs the passes after reading.
func evaluate(spec *Spec, units map[*Include]*Spec, opt Options) (*Result, source.Diagnostics) {
	limit := cmp.Or(opt.MaxSize, defaultSize)
	e := &evaluator{
		scopes:   newScopes(cmp.Or(opt.shallow, defaultShallow)),
		extended: opt.Extended,
		observe:  opt.Observe,
		units:    units,
		limit:    cmp.Or(opt.MaxWork, defaultWork),
		chase:    newChase(false),
	}
	config := e.specification(spec)
	root := e.open[0].store
	if config == nil || !e.withinSize(root, limit) {
		return nil, e.diags
	}
	if opt.Extended {
		if !e.withinDepth(root) {
			return nil, e.diags
		}
		e.links(root)
		if e.stop || !e.withinSize(root, limit) {
			return nil, e.diags
		}
	}
	e.arrange(root)
	config = root.Find(Reference{"sfConfig"}).(*Store)
	return &Result{Config: config, root: root, extended: opt.Extended}, e.diags
}

func base(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' || name[i] == '\\' {
			return name[i+1:]
		}
	}
	return name
}
