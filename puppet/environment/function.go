package environment

import (
	"path/filepath"
	"slices"
	"strings"

	"bunraku/source"
)

// A RubyFunction is a file that ought to define a function in Ruby.
type RubyFunction struct {
	Path   string
	Old    bool    // in the old way (3.x)
	Module *Module // nil for the environment's own
}

// RubyFunctions are the files in Ruby for a function, in the order in which code outside of modules sees them: the
// environment's own, then one of each module. In one place the new way comes before the old one.
func (e *Environment) RubyFunctions(name string) []RubyFunction {
	if module, _, qualified := strings.Cut(name, "::"); qualified {
		f := RubyFunction{Module: e.Module(module)}
		dir := ""
		switch {
		case f.Module != nil:
			dir = f.Module.Dir
		case module == "environment" && e.Dir != "":
			dir = e.Dir
		}
		var ok bool
		if f.Path, ok = e.within(dir, "lib", "puppet", "functions", slashes(name)+".rb"); dir == "" || !ok {
			return nil
		}
		return []RubyFunction{f}
	}
	e.functionsOnce.Do(e.listFunctions)
	return e.functions[name]
}

// listFunctions finds every function with a plain name: any module may define any of them.
func (e *Environment) listFunctions() {
	e.functions = map[string][]RubyFunction{}
	if e.Dir != "" {
		e.listIn(e.Dir, nil)
	}
	for _, m := range e.Modules() {
		e.listIn(m.Dir, m)
	}
	for _, dir := range e.hidden() {
		for _, path := range source.Glob(e.files, filepath.Join(dir, "lib", "puppet", "parser", "functions", "*.rb")) {
			name := strings.TrimSuffix(filepath.Base(path), ".rb")
			if _, ok := e.within(dir, "lib", "puppet", "parser", "functions", name+".rb"); ok && e.functions[name] == nil {
				e.functions[name] = []RubyFunction{{path, true, nil}}
			}
		}
	}
}

func (e *Environment) listIn(dir string, m *Module) {
	for _, old := range []bool{false, true} {
		sub := []string{"lib", "puppet", "functions"}
		if old {
			sub = []string{"lib", "puppet", "parser", "functions"}
		}
		entries, err := e.files.List(filepath.Join(dir, filepath.Join(sub...)))
		if err != nil {
			continue
		}
		for _, entry := range entries {
			name, is := strings.CutSuffix(entry.Name, ".rb")
			if !is {
				continue
			}
			has := e.functions[name]
			if n := len(has); n > 0 && has[n-1].Module == m {
				continue
			}
			if path, ok := e.within(dir, append(slices.Clip(sub), entry.Name)...); ok {
				e.functions[name] = append(has, RubyFunction{path, old, m})
			}
		}
	}
}

// Seen is the function of several that code of a module sees (nil for code outside of modules): the environment's, its
// own, those of the modules that its metadata names, then any. Puppet keeps the first 3.x function of a name that
// anybody called; we do not.
func (e *Environment) Seen(from *Module, files []RubyFunction) RubyFunction {
	best, rank := files[0], 0
	if from == nil {
		return best
	}
	for i, f := range files {
		r := len(from.Dependencies) + 2
		switch {
		case f.Module == nil:
			r = 0
		case f.Module == from:
			r = 1
		default:
			for j, d := range from.Dependencies {
				if d.Name[strings.LastIndexByte(d.Name, '/')+1:] == f.Module.Name {
					r = min(r, j+2)
				}
			}
		}
		if i == 0 || r < rank {
			best, rank = f, r
		}
	}
	return best
}
