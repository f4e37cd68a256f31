package compiler

import (
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What a tree needs and does not hold is written in a Puppetfile (a control repo), in .fixtures.yml or in metadata.json
// (a module); a git submodule that nobody has fetched has left an empty directory. The files are read, and nothing is
// fetched.

// Wanted are the modules that a tree names and that are not on the module path, by name.
func Wanted(env *environment.Environment) (names []string) {
	add := func(name string) {
		if i := strings.LastIndexAny(name, "/-"); i >= 0 {
			name = name[i+1:]
		}
		if name != "" && !builtIn(name) && env.Module(name) == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if env.Dir != "" {
		for _, dir := range environment.Puppetfile(env.Files(), env.Dir) {
			add(filepath.Base(dir))
		}
	}
	for _, name := range env.Hollow() {
		add(name)
	}
	own := env.Modules()
	if m := env.Alone(); m != nil {
		own = []*environment.Module{m}
		if text, err := env.Read(filepath.Join(m.Dir, ".fixtures.yml")); err == nil {
			for _, name := range fixtures(text) {
				if !testsOnly[name] {
					add(name)
				}
			}
		}
	}
	for _, m := range own {
		for _, d := range m.Dependencies {
			add(d.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Wanting reports whether a plain name may be one that a module brings which is not there: the tree names such modules,
// or does not say what it needs.
func Wanting(env *environment.Environment) bool { return len(Wanted(env)) > 0 || untold(env) }

// untold reports whether a tree says nowhere which modules it needs: it is a module with no list of them, or with one
// that names none, as generators make it; or it is manifests without a module and without a Puppetfile.
func untold(env *environment.Environment) bool {
	if m := env.Alone(); m != nil {
		text, _ := env.Read(filepath.Join(m.Dir, ".fixtures.yml")) // none names nothing
		return len(m.Dependencies) == 0 && len(fixtures(text)) == 0
	}
	return env.Dir != "" && !source.Exists(env.Files(), filepath.Join(source.Absolute(env.Dir), "Puppetfile")) &&
		len(env.Modules())+len(env.Hollow()) == 0
}

// builtIn reports whether a module is one of those that agents bring along, and whose types are in the table.
func builtIn(name string) bool {
	return strings.HasSuffix(name, "_core") &&
		slices.ContainsFunc(resource.Types(), func(t resource.Type) bool { return t.Module == name })
}

// testsOnly are the modules that Litmus, the runner of acceptance tests, wants: no code needs them.
var testsOnly = map[string]bool{"facts": true, "provision": true, "puppet_agent": true}

// fixtures are the modules that a .fixtures.yml names.
func fixtures(text string) (names []string) {
	root, err := datafile.ReadYAMLObject(source.NewFile(".fixtures.yml", text))
	if err != nil || root == nil {
		return nil
	}
	at := func(v value.Value, key string) value.Value {
		if h, ok := v.(*value.Hash); ok {
			v, _ = h.Get(value.String(key))
			return v
		}
		return nil
	}
	for _, kind := range []string{"forge_modules", "repositories"} {
		if h, ok := at(at(root.Value, "fixtures"), kind).(*value.Hash); ok {
			for _, e := range h.Entries() {
				names = append(names, value.ToString(e.Key))
			}
		}
	}
	return names
}
