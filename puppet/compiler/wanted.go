package compiler

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	ruby "bunraku/puppet/ruby/syntax"
	"bunraku/puppet/syntax"
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

// FullList is the tree's list of modules, if it names some and all of these are there; "" if not.
func FullList(env *environment.Environment) string {
	if len(Wanted(env)) > 0 {
		return ""
	}
	if m := env.Alone(); m != nil {
		text, _ := env.Read(filepath.Join(m.Dir, ".fixtures.yml")) // none names nothing
		switch {
		case len(fixtures(text)) > 0:
			return ".fixtures.yml"
		case len(m.Dependencies) > 0:
			return "metadata.json"
		}
		return ""
	}
	if env.Dir == "" || len(environment.Puppetfile(env.Files(), env.Dir)) == 0 {
		return ""
	}
	return "Puppetfile"
}

// Unread tells of the tree's lists of modules that nobody can read: which modules they name is not known. That of a
// metadata.json is told with the module.
func Unread(env *environment.Environment) (out source.Diagnostics) {
	tell := func(path string, why *source.Diagnostic) {
		out = append(out, &source.Diagnostic{Code: "N0206", Severity: source.Warning, Place: why.Place,
			Summary: filepath.Base(path) + " cannot be read, and may name more modules than are known of: " +
				strings.TrimPrefix(why.Summary, "("+env.Display(path)+"): ")})
	}
	if m := env.Alone(); m != nil {
		path := filepath.Join(m.Dir, ".fixtures.yml")
		text, err := env.Read(path)
		if err != nil || strings.Contains(text, "<%") { // it is made of a template
			return nil
		}
		var d *source.Diagnostic
		if _, err := datafile.ReadYAMLObject(source.NewFile(env.Display(path), text)); errors.As(err, &d) {
			tell(path, d)
		}
		return out
	}
	if env.Dir == "" {
		return nil
	}
	path := filepath.Join(env.Dir, "Puppetfile")
	text, err := env.Read(path)
	if err != nil {
		return nil
	}
	if _, list := ruby.Parse(source.NewFile(env.Display(path), text)); list.HasErrors() {
		tell(path, list[slices.IndexFunc(list, func(d *source.Diagnostic) bool {
			return d.Severity == source.Error
		})])
	}
	return out
}

// Wanting reports whether a plain name may be one that a module brings which is not there: the tree names such modules,
// in lists or in its code, or does not say what it needs.
func Wanting(env *environment.Environment) bool {
	return len(Wanted(env)) > 0 || untold(env) || namesAbsent(env)
}

// OnlyCodeWants reports whether that is so for nothing but what code names.
func OnlyCodeWants(env *environment.Environment) bool {
	return len(Wanted(env)) == 0 && !untold(env) && namesAbsent(env)
}

// absolute is an absolute name of a module's, and only that.
var absolute = regexp.MustCompile(`(?:^|[^\w:])::([a-z]\w*)`)

// namesAbsent reports whether code declares a class or define by an absolute name, ::keystone, whose module is not
// there, or reads a variable of one. What is nearly called as one that is there is a slip.
func namesAbsent(env *environment.Environment) bool {
	files, err := env.Manifests()
	if err != nil {
		return false
	}
	files = slices.Clone(files)
	known := []string{"settings", "facts", "trusted"}
	for _, path := range files {
		if tree, _, err := env.Parse(path); err == nil {
			for _, d := range tree.Defs {
				if c, is := d.(*syntax.Class); is {
					known = append(known, moduleOf(c.Name))
				}
			}
		}
	}
	for _, m := range env.Modules() {
		known = append(known, m.Name)
		more, _, err := environment.PuppetFiles(env.Files(), filepath.Join(m.Dir, "manifests"))
		if err == nil { // it has some
			files = append(files, more...)
		}
	}
	absent := func(name string) bool {
		module := moduleOf(name)
		return absolute.MatchString(name) && !slices.Contains(known, module) && !slips(module, known)
	}
	return slices.ContainsFunc(files, func(path string) bool {
		text, err := env.Read(path)
		if err != nil || !slices.ContainsFunc(absolute.FindAllString(text, -1), func(name string) bool {
			return absent(name[strings.Index(name, "::"):])
		}) {
			return false
		}
		tree, _, err := env.Parse(path)
		return err == nil && tree != nil && slices.ContainsFunc(tree.Body.Stmts, func(s syntax.Expr) bool {
			return declaresAny(s, absent)
		})
	})
}

// moduleOf is the module that a qualified name begins with.
func moduleOf(name string) string {
	module, _, _ := strings.Cut(outline.Class(name), "::")
	return module
}

// declaresAny reports whether code declares a class or define of which something holds, or reads a variable of one.
func declaresAny(s syntax.Expr, of func(name string) bool) (does bool) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Call:
			if f, is := n.Functor.(*syntax.Name); is && (f.Value == "include" || f.Value == "contain" || f.Value == "require") {
				for _, a := range n.Args {
					does = does || slices.ContainsFunc(syntax.StaticNames(a), of)
				}
			}
		case *syntax.Resource:
			typ, is := n.Type.(*syntax.Name)
			does = does || is && of(typ.Value)
			for _, b := range n.Bodies {
				does = does || is && typ.Value == "class" && slices.ContainsFunc(syntax.StaticNames(b.Title), of)
			}
		case *syntax.Var:
			does = does || strings.Contains(strings.TrimPrefix(n.Name, "::"), "::") && of(n.Name)
		}
		return !does
	})
	return does
}

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
