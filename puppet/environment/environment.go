// Package environment is where Puppet code lives: an environment directory with its environment.conf, modules on a
// module path, the files in which classes, functions, types and templates are looked for, and one cache of parsed files
// that many compiles share.
//
// It finds and reads files; it knows nothing of what they mean. Names that would lead out of a module are refused.
//
// It may import source and syntax. Start reading at Open, then module.go for the mapping from names to files.
package environment

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
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
	Roots          []string      // what else may be read, and where the links in it lead: the user named it
	Inputs         []string      // files and directories that the user named for something else, such as facts
	Outside        bool          // what the tree names may be read, wherever it lies
	Files          source.Files  // what is read; by default what Disk makes
	Cache          *source.Cache // parsed files, to be shared with other environments; by default one of its own
}

// An Environment is a place that nodes can be compiled from. It is safe for concurrent use.
type Environment struct {
	Name         string
	Dir          string // absolute; "" when it is a single file
	Manifest     string // absolute path of a file or directory that need not exist
	ModulePath   []string
	DataProvider string             // environment_data_provider
	Given        map[string]string  // what environment.conf says of other settings, which only $settings:: shows
	Problems     source.Diagnostics // with environment.conf and with modules

	given   string // how the user called Dir, for display
	root    string // what given stands for
	opt     Options
	files   source.Files
	cache   *source.Cache
	parsed  sync.Map // path → *parsed
	paths   sync.Map // *source.File → path
	once    source.Once
	modules map[string]*Module
	order   []*Module
	hollow  []string
	broken  *source.Diagnostic
	alone   *Module // the module that the environment was opened as
	named   string  // the main manifest that environment.conf names

	functions  map[string][]RubyFunction // by plain name
	hiddenOnce source.Once
	hiddenDirs []string

	havingMu   sync.Mutex
	havingDirs map[string][]string // directories of the modules that have one of a name

	functionsOnce source.Once

	facts     map[string]bool // that modules bring
	factsOnce source.Once
}

var validName = regexp.MustCompile(`^\w+$`)

// Open finds out what a path is: a manifest, a module, an environment, a control repository, or a code directory with a
// production environment in it.
func Open(path string, opt Options) (*Environment, error) {
	if opt.Files == nil {
		opt.Files = Disk(path, opt)
	}
	if opt.Cache == nil {
		opt.Cache = source.NewCache(0)
	}
	abs := source.Absolute(path)
	info, err := opt.Files.Stat(abs)
	if err != nil {
		return nil, source.Named(err, abs, path)
	}
	e := &Environment{opt: opt, files: opt.Files, cache: opt.Cache, given: path, root: abs, Name: opt.Name}
	if !info.IsDir() {
		e.given, e.root = filepath.Dir(path), filepath.Dir(abs)
		e.setName("production")
		e.Manifest = abs
		e.ModulePath = absolute(opt.ModulePath, opt.BaseModulePath)
		return e, nil
	}
	e.Dir = abs
	has := func(name string) bool { return source.Exists(e.files, filepath.Join(abs, name)) }
	if !has("environment.conf") {
		switch {
		case !has("manifests") && has("environments/production"):
			inner := filepath.Join(path, "environments", "production")
			if opt.CodeDir == "" {
				opt.CodeDir = abs
			}
			return Open(inner, opt)
		case has("metadata.json") && (has("manifests") || has("functions") || has("types") || has("lib") || has("plans")):
			return e, e.openModule(e.codeName())
		case !has("metadata.json"):
			if name := e.moduleWithout(); name != "" {
				return e, e.openModule(name)
			}
		}
	}
	e.setName(filepath.Base(abs))
	return e, e.configure()
}

// Looks reports whether a directory looks like an environment.
func Looks(files source.Files, dir string) bool {
	return source.Exists(files, filepath.Join(dir, "environment.conf")) ||
		source.Exists(files, filepath.Join(dir, "manifests"))
}

// goodName is what an environment can be called.
var goodName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// AmongOthers reports whether an environment lies where a server has them, each in a directory that is called after it.
// One that does not is a checkout.
func AmongOthers(dir string) bool {
	return dir != "" && filepath.Base(filepath.Dir(source.Absolute(dir))) == "environments"
}

// Home is the directory of the environment of a name, seen from the environment in dir: that of this name beside it, or
// dir itself if that is called so, or is a checkout, which may be any. there is false if it would lie beside it, and
// does not.
func Home(dir, name string) (home string, there bool) {
	abs := source.Absolute(dir)
	if filepath.Base(abs) == name {
		return abs, true
	}
	beside := filepath.Join(filepath.Dir(abs), filepath.Base(name))
	if goodName.MatchString(name) &&
		Looks(source.NewDir(source.DirOptions{Roots: []string{filepath.Dir(abs)}}), beside) {
		return beside, true
	}
	if AmongOthers(abs) {
		return beside, false
	}
	return abs, true
}

// Disk is a view of the machine's files for an environment: it shows what the user named, and nothing that the tree
// itself names.
func Disk(path string, opt Options) *source.Dir {
	return source.NewDir(source.DirOptions{Roots: append([]string{path}, opt.Inputs...), Anywhere: opt.Outside,
		Modules: slices.Concat(opt.ModulePath, opt.BaseModulePath, opt.Roots)})
}

// Files is the view that the environment reads.
func (e *Environment) Files() source.Files { return e.files }

// CodeUnread is the code of what the tree names and what may not be read.
const CodeUnread = "N0104"

// refused is what to tell about something that the tree names and that may not be read; nil if err says something else.
func refused(err error, what, flag string, at *source.File) *source.Diagnostic {
	var no *source.Refused
	if !errors.As(err, &no) {
		return nil
	}
	d := &source.Diagnostic{Code: CodeUnread, Severity: source.Warning, Summary: what + " " + no.Why + ", and is not read"}
	if at != nil {
		d.Place = source.Place{File: at}
	}
	if no.Flag != "" {
		d.Summary += "; allow it with " + flag
		d.Help = "say " + flag + " if it may be read, or --allow-outside if you vouch for the tree"
	}
	return d
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
			out = append(out, source.Absolute(p))
		}
	}
	return out
}

// openModule makes an environment of a module alone: beside it, the modules of its test fixtures are seen. Its
// neighbours are not part of what the user named: that takes a module path. Its name is what its code calls it, or its
// tests, or metadata.json, unless nothing of its code is called that, or the Modulefile of old; what somebody has
// called its directory comes last.
func (e *Environment) openModule(code string) error {
	e.setName("production")
	e.Manifest = cmp.Or(e.opt.Manifest, filepath.Join(e.Dir, "site.pp"))
	manifests, fitting, _ := e.definitions()
	if code == "" {
		code = e.linkedAs(fitting)
	}
	name := cmp.Or(code, e.modulefile(), e.mostly(), filepath.Base(e.Dir))
	m, problem := readModule(name, e.Dir, e.file)
	if problem != nil {
		e.Problems = append(e.Problems, problem)
	}
	if m == nil {
		m = &Module{Name: name, Dir: e.Dir}
	}
	if i := strings.LastIndexAny(m.ForgeName, "/-"); i >= 0 && code == "" {
		m.Name = m.ForgeName[i+1:]
		if most := e.mostly(); fitting[m.Name] == 0 && manifests > 1 && most != "" {
			m.Name = most
		}
	}
	e.alone = m
	e.ModulePath = absolute(e.opt.ModulePath)
	if e.opt.ModulePath == nil {
		e.ModulePath = append(e.ModulePath, filepath.Join(e.Dir, "spec", "fixtures", "modules"))
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
	if path, known := e.paths.Load(f); known {
		return path.(string)
	}
	return source.Absolute(f.Name)
}

// Known is the absolute path of a file, if it is one that the environment has parsed.
func (e *Environment) Known(f *source.File) (string, bool) {
	path, known := e.paths.Load(f)
	if !known {
		return "", false
	}
	return path.(string), true
}

func (e *Environment) file(path string) (*source.File, error) {
	c, err := e.files.Read(path)
	if err != nil {
		return nil, err
	}
	return source.NewFile(e.Display(path), c.Text), nil
}

// Lacked is the main manifest that environment.conf names and that is not there, as it is shown; "" for none.
func (e *Environment) Lacked() string {
	if e.named == "" || e.named != e.Manifest || source.Exists(e.files, filepath.Clean(e.Manifest)) {
		return ""
	}
	return e.Display(e.Manifest)
}

// Manifests are the files that every compile starts with, in Puppet's order: the manifest itself, or all .pp files
// below it, sorted by path. A manifest that does not exist is none, and neither is one that lies in a module: whoever
// means it names it.
func (e *Environment) Manifests() ([]string, error) {
	if e.alone != nil && e.opt.Manifest == "" {
		return nil, nil
	}
	manifest := filepath.Clean(e.Manifest)
	info, err := e.files.Stat(manifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		if d := refused(err, "the manifest "+e.Display(manifest), flagOf(err), nil); d != nil {
			d.Severity = source.Error
			return nil, d
		}
		return nil, err
	case info.Kind == source.Regular:
		return []string{e.Manifest}, nil
	}
	var files []string
	var failure error
	err = source.Walk(e.files, manifest, func(p string, d source.Entry) bool {
		if strings.HasPrefix(d.Name, ".") {
			return false
		}
		if strings.HasSuffix(p, ".pp") {
			switch d.Kind {
			case source.Regular:
				files = append(files, p)
			case source.Other:
				if _, err := e.files.Read(p); failure == nil && err != nil && !errors.Is(err, fs.ErrNotExist) {
					failure = err
					if no := refused(err, "the manifest "+e.Display(p), flagOf(err), nil); no != nil {
						no.Severity = source.Error
						failure = no
					}
				}
			}
		}
		return true
	})
	if err == nil {
		err = failure
	}
	sort.Strings(files)
	return files, err
}

// flagOf is the flag that would allow what was refused.
func flagOf(err error) string {
	var no *source.Refused
	if errors.As(err, &no) {
		return no.Flag
	}
	return ""
}

// Parse reads and parses a manifest or, by its ending, an EPP template. A file is parsed once as long as it does not
// change. The error is about reading; what is wrong with the text is in the diagnostics.
func (e *Environment) Parse(path string) (*syntax.File, source.Diagnostics, error) {
	return e.parse(source.Absolute(path))
}

// Alone is the module that the environment was opened as; nil if it is an environment or a manifest.
func (e *Environment) Alone() *Module { return e.alone }
