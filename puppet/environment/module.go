package environment

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/source"
)

// A Module is a directory on the module path with a valid name.
type Module struct {
	Name         string
	Dir          string
	ForgeName    string // author/name, from metadata.json
	Version      string
	DataProvider string // metadata.json's old setting for Hiera
	Dependencies []Dependency
}

// A Dependency is another module that one needs.
type Dependency struct {
	Name        string // author/name
	Requirement string // a range of versions
}

var validModule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// find lists the modules; on the module path the first of a name wins.
func (e *Environment) find() {
	e.once.Do(func() {
		e.modules = map[string]*Module{}
		add := func(m *Module) {
			if e.modules[m.Name] == nil {
				e.modules[m.Name] = m
				e.order = append(e.order, m)
			}
		}
		if e.alone != nil {
			add(e.alone)
		}
		seen := map[string]bool{}
		for _, dir := range e.ModulePath {
			entries, err := e.files.List(dir)
			if err != nil {
				if problem := refused(err, "the module path "+e.Display(dir), flagOf(err), nil); problem != nil && e.Dir != "" &&
					strings.HasPrefix(dir, e.Dir+"/") {
					e.Problems = append(e.Problems, problem)
				}
				continue
			}
			for _, d := range entries {
				name, path := d.Name, filepath.Join(dir, d.Name)
				if !validModule.MatchString(name) || seen[name] {
					continue
				}
				if !d.IsDir() {
					if _, err := e.files.Stat(path); d.Link && err != nil {
						if problem := refused(err, "the module "+e.Display(path), flagOf(err), nil); problem != nil {
							e.Problems = append(e.Problems, problem)
						}
					}
					continue
				}
				m, problem := readModule(name, path, e.file)
				if m != nil && m.ForgeName == "" && e.isEmpty(path) {
					e.hollow = append(e.hollow, name)
					continue
				}
				seen[name] = true
				if problem != nil {
					e.Problems = append(e.Problems, problem)
					if problem.Code == codeFatalMetadata && e.broken == nil {
						e.broken = problem
					}
				}
				if m != nil {
					add(m)
				}
			}
		}
	})
}

// isEmpty reports whether a directory holds nothing.
func (e *Environment) isEmpty(dir string) bool {
	entries, err := e.files.List(dir)
	return err == nil && len(entries) == 0
}

const codeFatalMetadata = "N0205" // a metadata.json over which Puppet itself stumbles

// Broken is why Puppet compiles no node here, whatever it uses; nil if there is no such thing.
func (e *Environment) Broken() *source.Diagnostic {
	e.find()
	return e.broken
}

// Hollow are the names of directories on the module path that hold nothing: so git leaves a submodule that nobody has
// fetched. Such a module is not there.
func (e *Environment) Hollow() []string {
	e.find()
	return e.hollow
}

// Unfetched reports whether a path that is not there may come later: a line of .gitignore is about it, and not about
// what is there all the same; or it may be one of a git submodule that nobody has fetched. The last directory on the
// way to that is there and empty, and .gitmodules names it. Of a directory inside of a repository whose .gitmodules is
// not at hand, any empty one may be.
func (e *Environment) Unfetched(path string) bool {
	root := e.Dir
	if e.alone != nil {
		root = e.alone.Dir
	}
	ignored := func(path string, dir bool) bool {
		return root != "" && source.Ignored(e.files, source.Absolute(root), source.Absolute(path), dir)
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if e.isDir(dir) {
			return e.isEmpty(dir) && e.mayBeSubmodule(dir) || ignored(path, false) && !ignored(dir, true)
		}
	}
	return false
}

func (e *Environment) mayBeSubmodule(dir string) bool {
	root := false
	for at := filepath.Dir(dir); at != filepath.Dir(at); at = filepath.Dir(at) {
		c, err := e.files.Read(filepath.Join(at, ".gitmodules"))
		if err != nil { // a repository without submodules, a part of one, or what may not be read
			root = root || slices.ContainsFunc([]string{".git", "metadata.json", "Puppetfile", "environment.conf"},
				func(name string) bool { return source.Exists(e.files, filepath.Join(at, name)) })
			continue
		}
		rel, _ := filepath.Rel(at, dir)
		for line := range strings.Lines(c.Text) {
			key, value, _ := strings.Cut(line, "=")
			if strings.TrimSpace(key) == "path" && strings.TrimSpace(value) == filepath.ToSlash(rel) {
				return true
			}
		}
		return false
	}
	return !root
}

// Modules are all modules, in the order of the module path and then by name.
func (e *Environment) Modules() []*Module {
	e.find()
	return e.order
}

// Module is a module by name, or nil.
func (e *Environment) Module(name string) *Module {
	e.find()
	return e.modules[name]
}

// ModuleOf is the module that a file lies in, or nil.
func (e *Environment) ModuleOf(path string) *Module {
	e.find()
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, base := range e.ModulePath {
			if filepath.Dir(dir) == base {
				if m := e.modules[filepath.Base(dir)]; m != nil && m.Dir == dir {
					return m
				}
			}
		}
		if e.alone != nil && dir == e.alone.Dir {
			return e.alone
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// readModule reads metadata.json. A module whose metadata lacks what every module must say is none: Puppet leaves it
// out.
func readModule(name, dir string, read func(string) (*source.File, error)) (*Module, *source.Diagnostic) {
	m := &Module{Name: name, Dir: dir}
	f, err := read(filepath.Join(dir, "metadata.json"))
	if err != nil {
		return m, refused(err, "metadata.json of the module "+name, flagOf(err), nil)
	}
	problem := func(code string, severity source.Severity, text string) *source.Diagnostic {
		return &source.Diagnostic{Code: code, Severity: severity, Summary: text, Place: source.Place{File: f}}
	}
	fatal := func(what string) *source.Diagnostic {
		return problem(codeFatalMetadata, source.Error, "metadata.json of the module "+name+" "+what+
			": Puppet compiles no node with it")
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal([]byte(f.Text), &data); err != nil {
		var wrong *json.UnmarshalTypeError
		switch text := strings.TrimSpace(f.Text); {
		case !errors.As(err, &wrong):
			return m, problem("N0201", source.Warning, name+
				" has an invalid and unparsable metadata.json file. The parse error: "+err.Error())
		case text == `""`, text[0] == '[' && strings.TrimSpace(text[1:len(text)-1]) == "":
			return m, nil
		case text[0] == '"': // which has no keys
			return nil, problem("N0202", source.Error, "No source module metadata provided for "+name)
		}
		return m, fatal("is no object")
	}
	if data == nil {
		return m, fatal("is no object")
	}
	if len(data) == 0 {
		return m, nil
	}
	isText := func(raw json.RawMessage) bool { return raw == nil || raw[0] == '"' || string(raw) == "null" }
	if raw := data["name"]; !isText(raw) && string(raw) != "false" {
		return m, fatal("has a name that is no text")
	}
	text := func(key string) string {
		var s string
		json.Unmarshal(data[key], &s) // another type of value is no text
		return s
	}
	m.ForgeName = strings.ReplaceAll(text("name"), "-", "/")
	m.Version, m.DataProvider = text("version"), text("data_provider")
	for _, key := range []string{"source", "author", "version", "license", "dependencies"} {
		if raw := data[key]; raw == nil || string(raw) == "null" {
			return nil, problem("N0202", source.Error, "No "+key+" module metadata provided for "+name)
		}
	}
	var dependencies []json.RawMessage
	if err := json.Unmarshal(data["dependencies"], &dependencies); err != nil {
		return nil,
			problem("N0203", source.Error, "The value for the key dependencies in the file metadata.json of the module "+name+
				" must be an array, not: '"+string(data["dependencies"])+"'")
	}
	for _, raw := range dependencies {
		var d map[string]json.RawMessage
		if err := json.Unmarshal(raw, &d); err != nil || d == nil || !isText(d["name"]) {
			return m, fatal("has a dependency without a name that is a text")
		}
		of := func(key string) (text string) {
			json.Unmarshal(d[key], &text) // another type of value is no text
			return text
		}
		m.Dependencies = append(m.Dependencies, Dependency{strings.ReplaceAll(of("name"), "-", "/"),
			cmp.Or(of("version_requirement"), ">= 0.0.0")})
	}
	return m, nil
}

// within is a path below a module's directory, if it is a file that exists and its name does not lead out. A link that
// leads out of what may be read is taken for a file, too: reading it tells.
func (e *Environment) within(dir string, elem ...string) (string, bool) {
	rel := filepath.Join(elem...)
	if !filepath.IsLocal(rel) {
		return "", false
	}
	for _, part := range elem {
		if strings.Contains("/"+filepath.ToSlash(part)+"/", "/../") || strings.ContainsRune(part, 0) {
			return "", false
		}
	}
	path := filepath.Join(dir, rel)
	info, err := e.files.Stat(path)
	return path, err == nil && !info.IsDir() || flagOf(err) != ""
}

// isDir reports whether a path is a directory.
func (e *Environment) isDir(path string) bool {
	info, err := e.files.Stat(path)
	return err == nil && info.IsDir()
}

// ManifestFile is the file that a module's class or define with this name may stand in. rest is the name behind the
// module's; "" is init.pp, which Puppet reads before any other file of a module.
func (e *Environment) ManifestFile(module, rest string) (string, bool) {
	m := e.Module(module)
	if m == nil {
		return "", false
	}
	if rest == "" {
		return e.within(m.Dir, "manifests", "init.pp")
	}
	return e.within(m.Dir, "manifests", slashes(rest)+".pp")
}

// Finds reports whether Puppet comes to a file when it looks for a class or define: it reads the file of that name, and
// those of the names around it.
func (e *Environment) Finds(name, file string) bool {
	module, rest, more := strings.Cut(name, "::")
	for {
		if path, there := e.ManifestFile(module, rest); there && path == file {
			return true
		}
		if !more {
			return false
		}
		if i := strings.LastIndex(rest, "::"); i >= 0 {
			rest = rest[:i]
		} else {
			rest, more = "", false
		}
	}
}

func slashes(name string) string { return strings.ReplaceAll(name, "::", "/") }

// FunctionFile is the file of a function written in the Puppet language. Modules have them as MODULE::NAME in
// functions/NAME.pp; the environment itself has NAME in functions/NAME.pp, and environment::NAME in
// functions/environment/NAME.pp.
func (e *Environment) FunctionFile(name string) (string, bool) {
	return e.code("functions", strings.ToLower(strings.TrimPrefix(name, "::")))
}

// TypeFile is the file of a type alias, by the same rule in types/. A module's name is that of its type set.
func (e *Environment) TypeFile(name string) (string, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "::"))
	if path, ok := e.code("types", name); ok || strings.Contains(name, "::") {
		return path, ok
	}
	return e.TypeSetFile(name)
}

// TypeNames are the type aliases that a module has, by its files.
func (e *Environment) TypeNames(module string) (names []string) {
	m := e.Module(module)
	if m == nil {
		return nil
	}
	dir := filepath.Join(m.Dir, "types")
	// What cannot be read has no names.
	_ = source.Walk(e.files, dir, func(path string, d source.Entry) bool {
		if rel, err := filepath.Rel(dir, strings.TrimSuffix(path, ".pp")); err == nil && filepath.Ext(path) == ".pp" {
			names = append(names, module+"::"+strings.ReplaceAll(filepath.ToSlash(rel), "/", "::"))
		}
		return true
	})
	return names
}

// TypeSetFile is the file of a module's type set.
func (e *Environment) TypeSetFile(module string) (string, bool) {
	if m := e.Module(strings.ToLower(module)); m != nil {
		return e.within(m.Dir, "types", "init_typeset.pp")
	}
	return "", false
}

func (e *Environment) code(kind, name string) (string, bool) {
	module, rest, qualified := strings.Cut(name, "::")
	if !qualified || module == "environment" {
		if e.Dir == "" {
			return "", false
		}
		return e.within(e.Dir, kind, slashes(name)+".pp")
	}
	if m := e.Module(module); m != nil {
		return e.within(m.Dir, kind, slashes(rest)+".pp")
	}
	return "", false
}

// OldFunctionFile is the file of a 3.x function written in Ruby.
func (e *Environment) OldFunctionFile(name string) (string, bool) {
	return e.autoloaded("lib", "puppet", "parser", "functions", name+".rb")
}

// anywhere finds a file in the environment or in the first module that has it.
func (e *Environment) anywhere(elem ...string) (string, bool) {
	if e.Dir != "" {
		if path, ok := e.within(e.Dir, elem...); ok {
			return path, true
		}
	}
	for _, dir := range e.having(filepath.Join(elem[:len(elem)-1]...)) {
		if path, ok := e.within(dir, elem...); ok {
			return path, true
		}
	}
	return "", false
}

// having are the directories of the modules that have another one, such as lib/puppet/type, or may have: of many
// modules few do, and each of them would be asked for each name.
func (e *Environment) having(below string) []string {
	e.havingMu.Lock()
	defer e.havingMu.Unlock()
	dirs, known := e.havingDirs[below]
	if known {
		return dirs
	}
	for _, m := range e.Modules() {
		if _, err := e.files.Stat(filepath.Join(m.Dir, below)); !errors.Is(err, fs.ErrNotExist) {
			dirs = append(dirs, m.Dir)
		}
	}
	if e.havingDirs == nil {
		e.havingDirs = map[string][]string{}
	}
	e.havingDirs[below] = dirs
	return dirs
}

// autoloaded finds a file as anywhere does, and then in the directories of the module path that are no modules.
func (e *Environment) autoloaded(elem ...string) (string, bool) {
	path, ok := e.anywhere(elem...)
	for _, dir := range e.hidden() {
		if !ok {
			path, ok = e.within(dir, elem...)
		}
	}
	return path, ok
}

// hidden are directories with Ruby files on the module path that are no modules, since another of the same name comes
// first or the name is none for a module. Puppet finds resource types, providers and 3.x functions in them all the
// same.
func (e *Environment) hidden() []string {
	e.find()
	e.hiddenOnce.Do(func() {
		for _, base := range e.ModulePath {
			entries, _ := e.files.List(base) // a directory that is not there has no entries
			for _, entry := range entries {
				dir := filepath.Join(base, entry.Name)
				if m := e.modules[entry.Name]; (m == nil || m.Dir != dir) && entry.Name[0] != '.' &&
					source.Exists(e.files, filepath.Join(dir, "lib")) {
					e.hiddenDirs = append(e.hiddenDirs, dir)
				}
			}
		}
	})
	return e.hiddenDirs
}

// ResourceTypeFile is the Ruby file of a resource type in some module.
func (e *Environment) ResourceTypeFile(name string) (string, bool) {
	return e.autoloaded("lib", "puppet", "type", name+".rb")
}

// LibraryFile is a Ruby file below the lib directory of some module: what require finds.
func (e *Environment) LibraryFile(feature string) (string, bool) {
	return e.autoloaded("lib", feature+".rb")
}

// Providers are the providers that modules have for a resource type.
func (e *Environment) Providers(typ string) []string {
	var names []string
	dirs := make([]string, 0, 1+len(e.Modules()))
	if e.Dir != "" {
		dirs = append(dirs, e.Dir)
	}
	for _, m := range e.Modules() {
		dirs = append(dirs, m.Dir)
	}
	for _, dir := range append(dirs, e.hidden()...) {
		entries, err := e.files.List(filepath.Join(dir, "lib", "puppet", "provider", typ))
		if err != nil {
			continue
		}
		for _, d := range entries {
			if name, ok := strings.CutSuffix(d.Name, ".rb"); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// ReadLibrary reads a Ruby file that lies in a module, beside one, or in the environment itself, and no other.
func (e *Environment) ReadLibrary(path string) (string, error) {
	inside := e.ModuleOf(path) != nil
	for _, dir := range e.hidden() {
		rel, err := filepath.Rel(dir, path)
		inside = inside || err == nil && filepath.IsLocal(rel)
	}
	if rel, err := filepath.Rel(e.Dir, path); !inside && e.Dir != "" && err == nil {
		inside = filepath.IsLocal(rel)
	}
	if !inside {
		return "", fmt.Errorf("%s lies outside of the modules", path)
	}
	c, err := e.files.Read(path)
	return c.Text, err
}

// DataTypeFile is the Ruby file of a data type in some module.
func (e *Environment) DataTypeFile(name string) (string, bool) {
	return e.anywhere("lib", "puppet", "datatypes", slashes(strings.ToLower(name))+".rb")
}

// GeneratedTypeFile is the file that `puppet generate types` wrote for a resource type.
func (e *Environment) GeneratedTypeFile(name string) (string, bool) {
	if e.Dir == "" {
		return "", false
	}
	return e.within(e.Dir, ".resource_types", name+".pp")
}

// HasGeneratedTypes reports whether `puppet generate types` was run for the environment.
func (e *Environment) HasGeneratedTypes() bool {
	if e.Dir == "" {
		return false
	}
	info, err := e.files.Stat(filepath.Join(e.Dir, ".resource_types"))
	return err == nil && info.IsDir()
}

// TemplateFile is a template by Puppet's name for it: module/path, or an absolute path.
func (e *Environment) TemplateFile(name string) (string, bool) { return e.way(e.FindTemplate(name)) }

// ContentFile is a file by the name that file() takes: module/path, or an absolute path.
func (e *Environment) ContentFile(name string) (string, bool) { return e.way(e.FindFile(name)) }

// FindTemplate and FindFile are the same files with the paths that Puppet tells, which keep the dots of a name.
func (e *Environment) FindTemplate(name string) (string, bool) { return e.inModule("templates", name) }

// FindFile is described with FindTemplate.
func (e *Environment) FindFile(name string) (string, bool) { return e.inModule("files", name) }

func (e *Environment) inModule(kind, name string) (string, bool) {
	if strings.ContainsRune(name, 0) {
		return "", false
	}
	path := name
	if !filepath.IsAbs(name) {
		module, rest, slash := strings.Cut(name, "/")
		if !slash || rest == "" {
			return "", false
		}
		m := e.Module(module)
		if m == nil {
			return "", false
		}
		path = filepath.Join(m.Dir, kind) + "/" + strings.TrimPrefix(rest, "/") // File.join
	}
	at, ok := e.way(path, true)
	if !ok || at == devNull {
		return path, ok
	}
	_, err := e.files.Stat(at) // whoever reads a directory is told
	return path, err == nil || path != name && flagOf(err) != ""
}

// way is where a path leads that is of use. The system goes along each name, and goes up from the directory it is in: a
// file has none above it, and a link to a directory has that of what it leads to.
func (e *Environment) way(path string, use bool) (string, bool) {
	if !use || !strings.Contains(filepath.ToSlash(path)+"/", "/../") {
		return filepath.Clean(path), use
	}
	at := filepath.VolumeName(path) + "/"
	for _, step := range strings.Split(filepath.ToSlash(path[len(at)-1:]), "/") {
		if step != ".." {
			at = filepath.Join(at, step)
			continue
		}
		up := filepath.Dir(at)
		if info, err := e.files.Stat(at); err == nil && !info.IsDir() || errors.Is(err, fs.ErrNotExist) {
			return "", false
		} else if real, err := e.files.Real(at); err == nil {
			if above, err := e.files.Real(up); err != nil || above != filepath.Dir(real) {
				up = filepath.Dir(real)
			}
		}
		at = up
	}
	return at, true
}

const devNull = "/dev/null"

// Read is the content of a file that the environment has found.
func (e *Environment) Read(path string) (string, error) {
	if path == devNull {
		return "", nil
	}
	at, ok := e.way(path, true)
	if !ok {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	c, err := e.files.Read(at)
	return c.Text, source.InRuby(err, path)
}

// siteOnly are what a control repo has and a module does not. (A Puppetfile some modules have: for what they need.)
var siteOnly = []string{"modules", "site-modules", "site", "environments", "manifests/site.pp"}

var defines = regexp.MustCompile(`(?m)^[ \t]*(?:class|define)[ \t]+(?:::)?([a-z]\w*)((?:::\w+)*)`)

// moduleWithout is the name of the module that a directory without metadata.json is; "" if it is none. Its code says
// it: most files of manifests hold the definition that a module's autoloader would look for there, NAME in init.pp,
// NAME::a::b in a/b.pp, all with the same NAME.
func (e *Environment) moduleWithout() string {
	for _, name := range siteOnly {
		if source.Exists(e.files, filepath.Join(e.Dir, name)) {
			return ""
		}
	}
	return e.mostly()
}

// mostly is the module that most files of manifests are of; "" if there is none.
func (e *Environment) mostly() string {
	manifests, fitting, _ := e.definitions()
	for name, n := range fitting {
		if 2*n > manifests {
			return name
		}
	}
	return ""
}

// codeName is what a module is called by all of its classes and defines; "" if they do not agree, or if only one has
// that name: it may be a slip.
func (e *Environment) codeName() string {
	manifests, fitting, firsts := e.definitions()
	for name := range firsts {
		if len(firsts) == 1 && manifests > 1 && 2*fitting[name] > manifests {
			return name
		}
	}
	return ""
}

var linkedName = regexp.MustCompile(`(?m)^[ \t]+["']?([a-z][a-z0-9_]*)["']?[ \t]*:[ \t]*["']?#\{source_dir\}["']?[ \t]*$`)

// linkedAs is what the tests of a module call it (.fixtures.yml links its directory under that name), if some of its
// definitions are called so; "" for nothing.
func (e *Environment) linkedAs(fitting map[string]int) string {
	text, err := e.files.Read(filepath.Join(e.Dir, ".fixtures.yml"))
	if err != nil {
		return ""
	}
	for _, m := range linkedName.FindAllStringSubmatch(text.Text, -1) {
		if fitting[m[1]] > 0 {
			return m[1]
		}
	}
	return ""
}

// definitions counts the manifests of a directory that may be a module, those that hold the definition that a module
// of a name has there, and the definitions by the first word of their names.
func (e *Environment) definitions() (manifests int, fitting, firsts map[string]int) {
	fitting, firsts = map[string]int{}, map[string]int{}
	dir := filepath.Join(e.Dir, "manifests")
	if !source.Exists(e.files, dir) {
		return 0, nil, nil
	}
	files, _, err := PuppetFiles(e.files, dir)
	if err != nil {
		return 0, nil, nil // whoever reads it tells
	}
	for _, path := range files {
		rel, err := filepath.Rel(dir, path)
		if err != nil || filepath.Ext(path) != ".pp" {
			continue
		}
		manifests++
		want := "::" + strings.ReplaceAll(strings.TrimSuffix(filepath.ToSlash(rel), ".pp"), "/", "::")
		if want == "::init" {
			want = ""
		}
		text, err := e.files.Read(path)
		if err != nil {
			continue
		}
		fits := false
		for _, m := range defines.FindAllStringSubmatch(text.Text, -1) {
			firsts[m[1]]++
			if m[2] == want && !fits {
				fitting[m[1]]++
				fits = true
			}
		}
	}
	return manifests, fitting, firsts
}

var modulefileName = regexp.MustCompile(`(?m)^[ \t]*name[ \t]+['"](?:\w+[-/])?([a-z][a-z0-9_]*)['"]`)

// modulefile is the module's name in a Modulefile, which metadata.json has followed; "" for none.
func (e *Environment) modulefile() string {
	text, err := e.files.Read(filepath.Join(e.Dir, "Modulefile"))
	if err != nil {
		return ""
	}
	if m := modulefileName.FindStringSubmatch(text.Text); m != nil {
		return m[1]
	}
	return ""
}
