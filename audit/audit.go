// Package audit reads a whole tree without running it: what there is (classes, defines, branches, templates, data),
// what of it compiles have used, and what is wrong with the rest. It is for code and data that no node reaches, of
// which a compile cannot speak.
//
// Precision comes first. It speaks only of what can be told from the text: names that stand in the code, of modules
// that are there, in files that parse. What is computed, what another module may bring that is not there, and what
// stands under a test with defined() is passed over. Nothing here is an error, since nobody may ever come there: it is
// a warning about what would be one.
//
// It may import the compiler and what is below it. Start reading at New, then code.go, template.go, data.go,
// depend.go and unused.go.
package audit

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A Tree is what is audited.
type Tree struct {
	snap *compiler.Snapshot
	env  *environment.Environment
	own  func(file string) bool
	// wanting tells that modules are named and not there: then any plain name may be theirs
	wanting bool
	// Outside tells that something outside of the tree says which classes nodes have; whoever knows sets it.
	Outside bool

	files    []*file                     // the tree's own manifests
	classes  map[string]*definition      // of all modules
	defines  map[string]*definition      // likewise
	funcs    map[string]*syntax.Function // likewise, those in Puppet
	broken   map[string]bool             // modules with a file that does not parse
	unread   bool                        // there is a file whose text says nothing, since it does not parse
	refused  []string                    // texts that can be read, and that Puppet does not take: a name is wrong in them
	top      map[string]bool             // variables that main manifests set
	defaults map[string]bool             // types that somebody sets defaults of
	said     map[string]bool
	problems source.Diagnostics

	allFiles []*syntax.File  // the manifests of all modules
	seen     map[string]bool // the paths that Puppet reads code from
	// allClasses are the names of all classes, and allQualified their variables, once somebody has asked
	allClasses   []string
	allQualified []string
	resolved     map[string]bool     // types that have been asked for: whether all that they name is there
	under        map[string][]string // what factsUnder was asked for
	dataDone     bool
	objects      *bool // does a type of the tree have attributes; nil if nobody has asked
	dataFiles    []*dataFile
	complete     bool // every hierarchy reads files only, so that all keys are known
	// dataAbroad tells that some data is not below the tree: what it names is not known
	dataAbroad bool
	wordsOnce  sync.Once
	words      map[string]int // how often each stands in the tree's own manifests
	wanted     []string       // modules that are named and not there
	factsOnce  sync.Once
	factWords  map[string]bool
}

// A file is a manifest of the tree.
type file struct {
	path   string
	module string // "" for a main manifest
	tree   *syntax.File
}

// A definition is a class or define, with the variables that its code sets.
type definition struct {
	name   string
	node   syntax.Definition
	file   *file
	params []*syntax.Param
	body   []syntax.Expr
	parent string
	vars   map[string]bool
	// several tells that the name has another definition: which of them counts, and what it has, is not known
	several bool
}

// New reads the manifests of all modules. own tells the files that are the user's.
func New(snap *compiler.Snapshot, own func(file string) bool, wanting bool) *Tree {
	t := &Tree{snap: snap, env: snap.Environment(), own: own, wanting: wanting, classes: map[string]*definition{},
		defines: map[string]*definition{}, funcs: map[string]*syntax.Function{}, broken: map[string]bool{},
		top: map[string]bool{}, defaults: map[string]bool{}, said: map[string]bool{},
		resolved: map[string]bool{}, seen: map[string]bool{}, under: map[string][]string{}}
	if t.own == nil {
		t.own = func(string) bool { return true }
	}
	if paths, err := t.env.Manifests(); err == nil {
		for _, p := range paths {
			t.read(p, "", true)
		}
	}
	for _, m := range t.env.Modules() {
		mine := t.own(filepath.Join(m.Dir, "manifests", "init.pp"))
		for _, sub := range []string{"manifests", "functions"} {
			for _, p := range t.puppetFiles(filepath.Join(m.Dir, sub)) {
				t.read(p, m.Name, mine)
			}
		}
	}
	return t
}

// puppetFiles are the manifests below a directory, which need not be there. What cannot be read is told when it is
// used.
func (t *Tree) puppetFiles(dir string) []string {
	if !source.Exists(t.env.Files(), dir) {
		return nil
	}
	paths, _, err := environment.PuppetFiles(t.env.Files(), dir)
	if err != nil {
		return nil
	}
	return paths
}

// unparsed reports whether a mistake is one of grammar: what follows it may mean anything.
func unparsed(d *source.Diagnostic) bool {
	return d.Severity == source.Error && strings.HasPrefix(d.Code, "P0")
}

// read takes in the definitions of a manifest.
func (t *Tree) read(path, module string, own bool) {
	if filepath.Ext(path) != ".pp" {
		return
	}
	t.seen[path] = true
	tree, ds, err := t.env.Parse(path)
	if err != nil || ds.HasErrors() || tree == nil {
		t.broken[module] = true
		if err != nil || tree == nil || slices.ContainsFunc(ds, unparsed) {
			t.unread = true
		} else {
			t.refused = append(t.refused, tree.Source.Text)
		}
		return
	}
	f := &file{path, module, tree}
	t.allFiles = append(t.allFiles, tree)
	if own {
		t.files = append(t.files, f)
	}
	for _, d := range tree.Defs {
		switch d := d.(type) {
		case *syntax.Class:
			define(t.classes, newDefinition(d, d.Name, f, d.Params, d.Body.Stmts, outline.Class(d.Parent)))
		case *syntax.Define:
			define(t.defines, newDefinition(d, d.Name, f, d.Params, d.Body.Stmts, ""))
		case *syntax.Function:
			t.funcs[outline.Class(d.Name)] = d
		case *syntax.NodeDef:
			assigned(d.Body.Stmts, t.top)
		}
	}
	if module == "" {
		assigned(tree.Body.Stmts, t.top)
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if d, ok := n.(*syntax.Defaults); ok {
				if r, ok := d.Type.(*syntax.Ref); ok {
					t.defaults[outline.Class(r.Value)] = true
				}
			}
			return true
		})
	}
}

// define takes in a definition, of which there may be others with the same name.
func define(all map[string]*definition, d *definition) {
	d.several = all[d.name] != nil
	all[d.name] = d
}

func newDefinition(n syntax.Definition, name string, f *file, params []*syntax.Param, body []syntax.Expr,
	parent string) *definition {
	d := &definition{name: outline.Class(name), node: n, file: f, params: params, body: body, parent: parent,
		vars: map[string]bool{}}
	for _, p := range params {
		d.vars[p.Name] = true
	}
	assigned(body, d.vars)
	return d
}

// assigned adds the variables that code sets, wherever in it; those of definitions inside are left out.
func assigned(stmts []syntax.Expr, into map[string]bool) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition:
				return false
			case *syntax.Assign:
				targets(n.Left, into)
			}
			return true
		})
	}
}

// targets adds the variables that an assignment sets: $x = …, [$x, $y] = …, { x => $y } = ….
func targets(e syntax.Expr, into map[string]bool) {
	syntax.Walk(e, func(n syntax.Node) bool {
		if v, ok := n.(*syntax.Var); ok {
			into[v.Name] = true
		}
		return true
	})
}

// say adds a warning, once for a place.
func (t *Tree) say(d *source.Diagnostic) {
	if key := d.Code + d.Place.String() + d.Summary; !t.said[key] {
		t.said[key] = true
		t.problems = append(t.problems, d)
	}
}

// warn says something about a piece of a file.
func (t *Tree) warn(code string, f *file, at source.Span, summary, help string) {
	t.say(&source.Diagnostic{Code: code, Severity: source.Warning, Summary: summary, Help: help,
		Place: source.Place{File: f.tree.Source, Span: at}})
}

// near is advice: a name that may have been meant.
func near(name string, among []string) string {
	if x := source.Nearest(name, among); x != "" {
		return "did you mean " + x + "?"
	}
	return ""
}

func names[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// slip is the name that is meant by one that is not there: a slip of the fingers away from it. A name that stands more
// than once, or that a module may bring which somebody has yet to fetch, is another name; "" for that.
func (t *Tree) slip(name string, among []string) string {
	t.wordsOnce.Do(func() {
		t.words = map[string]int{}
		for _, f := range t.files {
			runs(f.tree.Source.Text, &wordBytes, func(w string) { t.words[strings.ToLower(strings.Trim(w, ":"))]++ })
		}
		t.wanted = compiler.Wanted(t.env)
	})
	module, _, qualified := strings.Cut(name, "::")
	if t.words[strings.ToLower(name)] > 1 || qualified && slices.Contains(t.wanted, strings.ToLower(module)) {
		return ""
	}
	for _, x := range among {
		if alike(name, x) {
			return x
		}
	}
	return ""
}

// meant is the advice to a slip.
func meant(name string) string { return "did you mean " + name + "?" }

// there reports whether what a qualified name belongs to can be judged: its module is there, and parses, and no file
// that would define the name is kept out of the repository.
func (t *Tree) there(name string) bool {
	module, rest, _ := strings.Cut(name, "::")
	m := t.env.Module(module)
	if m == nil || t.broken[module] || t.broken[""] {
		return false
	}
	if rest == "" || t.classes[name] != nil || t.defines[name] != nil {
		return true
	}
	file := filepath.FromSlash(strings.ReplaceAll(strings.ToLower(rest), "::", "/")) + ".pp"
	return !slices.ContainsFunc([]string{"manifests", "functions", "types"}, func(sub string) bool {
		return t.env.Unfetched(filepath.Join(m.Dir, sub, file))
	})
}

// Check is everything that is wrong with the tree's own code, templates and data, as far as it can be told without
// running it.
func (t *Tree) Check() source.Diagnostics {
	for _, f := range t.files {
		t.code(f)
	}
	t.templates()
	t.checkData()
	t.dependencies()
	t.unused()
	t.problems.Sort()
	return t.problems
}
