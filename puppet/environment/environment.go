// Package environment is where Puppet code lives: an environment directory with its environment.conf, modules on a module path, the files in
// which classes, functions, types and templates are looked for, and one cache of parsed files that many compiles share.
//
// It finds and reads files; it knows nothing of what they mean. Names that would lead out of a module are refused.
//
// It may import source and syntax. Start reading at Open, then module.go for the mapping from names to files.
package environment

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Options change what an environment is.
type Options struct {
	Name           string   // the environment's name; by default its directory's
	ModulePath     []string // in place of environment.conf's
	BaseModulePath []string // $basemodulepath
	CodeDir        string   // $codedir
	Manifest       string   // in place of environment.conf's
	Syntax         syntax.Options
	Outside        bool   // files may be links to anywhere
	Cache          *Cache // parsed files, to be shared with other environments; by default one of its own
}

// An Environment is a place that nodes can be compiled from. It is safe for concurrent use.
type Environment struct {
	Name         string
	Dir          string // absolute; "" when it is a single file
	Manifest     string // absolute path of a file or directory that need not exist
	ModulePath   []string
	DataProvider string             // environment_data_provider
	Problems     source.Diagnostics // with environment.conf and with modules

	given     string // how the user called Dir, for display
	root      string // what given stands for
	opt       Options
	cache     *Cache
	once      sync.Once
	modules   map[string]*Module
	order     []*Module
	alone     *Module  // the module that the environment was opened as
	roots     []string // where files may really lie
	rootsOnce sync.Once

	functions  map[string][]RubyFunction // by plain name
	hiddenOnce sync.Once
	hiddenDirs []string

	functionsOnce sync.Once
}

var validName = regexp.MustCompile(`^\w+$`)

// Open finds out what a path is: a manifest, a module, an environment, a control repository, or a code directory with a production
// environment in it.
func Open(path string, opt Options) (*Environment, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	e := &Environment{opt: opt, cache: opt.Cache, given: path, root: abs, Name: opt.Name}
	if e.cache == nil {
		e.cache = NewCache()
	}
	if !info.IsDir() {
		e.given, e.root = filepath.Dir(path), filepath.Dir(abs)
		e.setName("production")
		e.Manifest = abs
		e.ModulePath = absolute(opt.ModulePath, opt.BaseModulePath)
		return e, nil
	}
	e.Dir = abs
	has := func(name string) bool { _, err := os.Stat(filepath.Join(abs, name)); return err == nil }
	if !has("environment.conf") {
		switch {
		case !has("manifests") && has("environments/production"):
			inner := filepath.Join(path, "environments", "production")
			if opt.CodeDir == "" {
				opt.CodeDir = abs
			}
			return Open(inner, opt)
		case has("metadata.json") && (has("manifests") || has("functions") || has("types") || has("lib") || has("plans")):
			return e, e.openModule()
		}
	}
	e.setName(filepath.Base(abs))
	return e, e.configure()
}

func (e *Environment) setName(name string) {
	if e.Name == "" {
		e.Name = name
	}
	if !validName.MatchString(e.Name) {
		e.Name = "production"
	}
}

func absolute(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		for _, p := range l {
			if abs, err := filepath.Abs(p); err == nil {
				out = append(out, abs)
			}
		}
	}
	return out
}

// openModule makes an environment of a module alone: beside it, the modules of its test fixtures and its neighbours are seen.
func (e *Environment) openModule() error {
	e.setName("production")
	e.Manifest = e.opt.Manifest
	if e.Manifest == "" {
		e.Manifest = filepath.Join(e.Dir, "site.pp") // hardly there, and then there is no manifest
	}
	name := filepath.Base(e.Dir)
	m, problem := readModule(name, e.Dir, e.file)
	if problem != nil {
		e.Problems = append(e.Problems, problem)
	}
	if m == nil {
		m = &Module{Name: name, Dir: e.Dir}
	}
	if i := strings.LastIndexAny(m.ForgeName, "/-"); i >= 0 {
		m.Name = m.ForgeName[i+1:]
	}
	e.alone = m
	e.ModulePath = absolute(e.opt.ModulePath)
	if e.opt.ModulePath == nil {
		e.ModulePath = append(e.ModulePath, filepath.Join(e.Dir, "spec", "fixtures", "modules"))
		if parent := filepath.Base(filepath.Dir(e.Dir)); parent == "modules" || parent == "site-modules" || parent == "site" {
			e.ModulePath = append(e.ModulePath, filepath.Dir(e.Dir))
		}
		e.ModulePath = append(e.ModulePath, absolute(e.opt.BaseModulePath)...)
	}
	e.Dir = ""
	return nil
}

// Display is how a path is shown to people: as the user called the environment, then the way inside it.
func (e *Environment) Display(path string) string {
	if rel, err := filepath.Rel(e.root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(filepath.Join(e.given, rel))
	}
	return filepath.ToSlash(path)
}

// Path is the absolute path of a file that the environment has read: what Puppet writes into catalogs.
func (e *Environment) Path(f *source.File) string {
	if path, known := e.cache.path(f); known {
		return path
	}
	if abs, err := filepath.Abs(f.Name); err == nil {
		return abs
	}
	return f.Name
}

func (e *Environment) file(path string) *source.File {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return source.NewFile(e.Display(path), string(text))
}

// Manifests are the files that every compile starts with, in Puppet's order: the manifest itself, or all .pp files below it, sorted by
// path. A manifest that does not exist is none.
func (e *Environment) Manifests() ([]string, error) {
	info, err := os.Stat(e.Manifest)
	if err != nil {
		return nil, nil
	}
	if !info.IsDir() {
		return []string{e.Manifest}, nil
	}
	var files []string
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, d := range entries {
			path := filepath.Join(dir, d.Name())
			if strings.HasPrefix(d.Name(), ".") {
				continue
			}
			if d.IsDir() {
				if err := walk(path); err != nil {
					return err
				}
			}
			if strings.HasSuffix(path, ".pp") {
				if info, err := os.Stat(path); err == nil && !info.IsDir() {
					files = append(files, path)
				}
			}
		}
		return nil
	}
	if err := walk(e.Manifest); err != nil {
		return nil, err
	}
	sort.Strings(files)
	return files, nil
}

// Parse reads and parses a manifest or, by its ending, an EPP template. A file is parsed once as long as it does not change. The error
// is about reading; what is wrong with the text is in the diagnostics.
func (e *Environment) Parse(path string) (*syntax.File, source.Diagnostics, error) {
	return e.cache.parse(path, e.Display, e.opt.Syntax)
}
