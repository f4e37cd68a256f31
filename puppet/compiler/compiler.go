// Package compiler is the only wiring: an environment, a node's facts, Hiera's data and the functions go in, eval runs,
// a catalog comes out. It is what everyone above calls: the commands, and later the fleet, the language server and the
// web.
//
// A Workspace is made once per environment. It gives snapshots, each an unchanging view of the files, and a snapshot
// compiles any number of nodes, also at the same time. What was made of a file's content is shared by all of them.
//
// It may import everything below it but mupuppet. Start reading at NewWorkspace, then Snapshot.Compile.
package compiler

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"bunraku/budget"
	"bunraku/puppet/bridge"
	"bunraku/puppet/classifier"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/puppet/facts"
	"bunraku/puppet/functions"
	"bunraku/puppet/lookup"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/template"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Options are the choices of one run, as the command line gives them.
type Options struct {
	Language        source.Language // Puppet 8 by default
	Strict          string
	StrictVariables *bool
	ModulePath      []string
	BaseModulePath  []string
	StandIn         bool             // where stdlib is absent, what is built in of it is used
	GlobalHiera     string           // path of a global hiera.yaml
	DataDirs        []lookup.DataDir // directories of Hiera's data that are elsewhere on this machine than hiera.yaml says
	Trace           bool
	Reads           bool // with Trace: keep what reading each variable depends on (record.Variable.Read)
	ServerFacts     *value.Hash
	Ruby            RubyMode
	RubyTimeout     time.Duration // of Ruby's own time in one call; bridge.DefaultTimeout when zero
	Mocks           *Mocks        // nil for none
	StrictOpaque    bool          // a value that is not known is an error
	OlderYAML       bool          // to_yaml writes as in puppetserver 7, whose Ruby is an older one
	Roots           []string      // directories that may be read if the environment names them
	Inputs          []string      // files and directories that the user named for something else, such as facts
	Outside         bool          // what the tree names may be read, wherever it lies
	Limits          budget.Limits // of one compile; the evaluator's own when zero
	CacheBytes      int64         // that a workspace keeps for later snapshots, about; 0 for a default
	ListsExports    bool          // catalogs list what nodes export (catalog.ForOthers)
	Questions       bool          // collect what each compile asks of the world (eval.Result.Questions)
	Key             trace.Key     // of the digests of the answers
	Cover           *source.Cover // is told what was used of the tree; nil for nobody
	Decrypted       func(string)  // is told every text of Hiera's that was encrypted; nil for nobody
	// Classifier is asked for the classes, parameters and environment of every node; nil for nobody.
	Classifier *classifier.Classifier
	// PuppetDB answers what manifests ask of it by puppetdb_query; nil for nobody.
	PuppetDB Querier
	// Environment is the environment's name; "" for its directory's.
	Environment string
}

// A Snapshot compiles nodes from one unchanging view of an environment's files, any number of them at the same time.
type Snapshot struct {
	stoodIn atomic.Bool // something that is built in was used for stdlib
	ws      *Workspace
	files   source.Files
	renewed atomic.Pointer[Snapshot] // what took its place when the files changed

	env    *environment.Environment
	lookup *lookup.Lookup
	set    eval.Settings
	opt    Options

	library   *resource.Library
	types     sync.Map // name → *resource.Type, nil when there is none
	found     sync.Map // trace.Question → *found: files of code
	modules   sync.Map // *source.File → name of its module
	templates *template.Cache
	typeTexts sync.Map // text of a type → typeText
	sources   sync.Map // name of an ERB template → *erbFile
	main      source.Once
	manifest  mainFiles
	cache     *eval.Cache
	functions map[string]*eval.Function // Puppet's own
	natives   map[string][]native
	present   sync.Map // name → *eval.Function: functions of modules whose files were looked for, nil when there are none
	declared  sync.Map // key of Hiera's → bool: it is that of a parameter whose type has Sensitive
	olds      sync.Map // name → bool: whether there is a file of an old function that Callee looked for
	old       sync.Map // name → *eval.Function: 3.x functions

	wantedOnce    source.Once
	wantedNames   []string
	namesOnce     source.Once
	namesAbsent   bool // namesAbsent
	functionsOnce source.Once
	functionNames []string

	generated    source.Once
	hasGenerated bool
	collectsOnce source.Once
	collects     bool

	fixed            source.Once
	settings, server *value.Hash // what $settings::NAME answers, and what a server says of itself: the same for every node
	named            sync.Map    // name of the environment → both, where a classifier calls it so

	bridge      *bridge.Bridge // nil unless the installed Ruby may run
	sums        sync.Map       // path of a function's file → what isChecked compares
	rubyLibrary *bridge.Library
	required    sync.Map // path of what code in Ruby requires → bool: whether it is a file
	acting      sync.Map // digest of a function in Ruby → bool: what acts says of it
	ownOnce     source.Once
	ownOptions  bridge.Options

	asked  answers
	summer *trace.Summer // of answers
}

// open prepares an environment as a view of files shows it.
func (w *Workspace) open(files source.Files) (*Snapshot, error) {
	env, err := environment.Open(w.path, environment.Options{Files: files, Name: w.opt.Environment, Cache: w.cache,
		ModulePath:     w.opt.ModulePath,
		BaseModulePath: w.opt.BaseModulePath, Outside: w.opt.Outside, Syntax: w.syntax()})
	if err != nil {
		return nil, err
	}
	c := &Snapshot{ws: w, files: files, env: env, set: w.set, opt: w.opt, cache: eval.NewCache(),
		templates: template.NewCache(), functions: functions.Table(w.set.Language), summer: trace.NewSummer(w.opt.Key)}
	if w.opt.PuppetDB != nil { // its terminus brings the function along
		c.functions[AsksPuppetDB] = c.puppetdbQuery()
	}
	c.moduleFunctions()
	c.rubyLibrary = bridge.NewLibrary(c.templates.Runtime)
	if w.opt.Ruby == RubySystem {
		c.bridge = bridge.New(c.bridgeOptions())
	}
	c.library = resource.NewLibrary(typeFiles{env}, c.version())
	c.lookup = c.Hiera(w.set.Strict)
	return c, nil
}

// Hiera is the data of the environment.
func (c *Snapshot) Hiera(strict source.Strictness) *lookup.Lookup {
	global := c.opt.GlobalHiera
	if global != "" {
		global = source.Absolute(global)
	}
	return lookup.New(lookup.Site{
		Environment: c.env.Name, Dir: c.env.Dir, GlobalConfig: global, DataProvider: c.env.DataProvider,
		Module: func(name string) (dir, provider string, ok bool) {
			m := c.env.Module(name)
			if m == nil {
				return "", "", false
			}
			return m.Dir, m.DataProvider, true
		},
	}, lookup.Options{Strict: strict, Language: c.set.Language, DataDirs: c.opt.DataDirs, Name: c.env.Display,
		Files: c.files, Cache: c.ws.cache, Decrypted: c.opt.Decrypted})
}

// Close ends what a Snapshot has started. It need not be called before the program ends.
func (c *Snapshot) Close() {
	if c.bridge != nil {
		c.bridge.Close()
	}
	if next := c.renewed.Load(); next != nil {
		next.Close()
	}
}

// Environment is what is compiled from.
func (c *Snapshot) Environment() *environment.Environment { return c.env }

// A Node is what a catalog is made for.
type Node struct {
	Name       string
	Facts      *facts.Facts
	Parameters *value.Hash     // of an external node classifier
	Classes    []eval.Assigned // likewise
	Code       *syntax.File    // statements of its own, run behind those of the main manifests; nil for none
	// Imports answers exported collectors; nil where nothing is exchanged between nodes.
	Imports exported.Importer
	// Unclassified tells that no classifier knows the node: it is invented.
	Unclassified bool
	// Absent says what becomes of what modules would bring that are not there.
	Absent Absent
	// Part tells that whoever has what the node has declares more beside it.
	Part bool
	// Trial tells that only whoever tries something wants to know: what it comes to does not count as reached.
	Trial bool
	// Elsewhere tells of which keys other nodes may have values where this one has defaults (eval.Input.Elsewhere).
	Elsewhere func(key string, none bool) bool
	// NoData tells of which keys the data are not there (eval.Input.NoData).
	NoData func(key string) bool
	// Branch is which branch decisions take that hang on what is not known (eval.Input.Branch).
	Branch int
	// Traced keeps where the values come from, also if the options do not.
	Traced bool
}

// covering is who is told of what one compile of a node uses; nil for nobody. It counts once there is a catalog.
func (c *Snapshot) covering(n Node) *source.Cover {
	if n.Trial || c.opt.Cover == nil {
		return nil
	}
	return &source.Cover{}
}

// compile makes a node's catalog of what the view shows.
func (c *Snapshot) compile(ctx context.Context, n Node) (result *eval.Result, err error) {
	defer caught(&result, &err)
	c.prepare()
	if c.manifest.err != nil {
		return nil, c.manifest.err
	}
	main, ds := c.manifest.files, c.manifest.diags
	if ds.HasErrors() {
		failure := firstError(ds)
		rest := slices.DeleteFunc(slices.Clone(ds), func(d *source.Diagnostic) bool { return d == failure })
		return &eval.Result{Failure: failure, Warnings: rest}, nil
	}
	if d := c.env.Broken(); d != nil {
		return &eval.Result{Failure: d, Warnings: slices.Clone(ds)}, nil
	}
	if n.Code != nil {
		main = append(slices.Clip(main), n.Code)
	}
	n.Facts = n.Facts.Loaded()
	who, err := c.dataOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if who.refused != nil {
		return &eval.Result{Failure: who.refused, Warnings: slices.Clone(ds)}, nil
	}
	settings, server := c.fixedFor(who.called)
	in := eval.Input{Budget: budget.New(ctx, c.limits()), Environment: who.called, Config: settings, Main: main,
		Settings: c.set, Cache: c.cache, Cover: c.covering(n),
		Parameters: who.parameters, Classes: who.classes, Bytes: who.bytes, Said: who.said, Imports: who.imports,
		ServerFacts: server, Node: who.name, Facts: who.facts, Trusted: who.trusted, Part: n.Part,
		Elsewhere: n.Elsewhere, NoData: n.NoData, Branch: n.Branch}
	in.Settings.Trace = in.Settings.Trace || n.Traced
	if c.opt.Questions && c.bridge == nil { // what real Ruby looks at has no name
		in.Log = trace.NewLog(c.asked.like())
		defer in.Log.Close()
	}
	in.Code, in.Levels, in.Mentions = c.Code(), c.levels(in), c.mentions(in)
	w := c.world(in.Log)
	w.called, w.absent, w.classes, w.cover = who.called, n.Absent, n.Classes, in.Cover
	result = eval.Compile(w, in)
	if result.NotDone != nil {
		return nil, result.NotDone
	}
	// E09: a bound was hit
	if result.Failure != nil && !strings.HasPrefix(result.Failure.Code, "E09") && !in.Settings.Trace {
		// Once more with tracing: it says where the value that does not fit comes from, and which lines hold secrets.
		// What the first run has left of the budget must do: there is one for both.
		in.Settings.Trace = true
		in.Budget.Return(0)
		w = c.world(in.Log)
		w.called, w.absent, w.classes, w.cover = who.called, n.Absent, n.Classes, in.Cover
		if again := eval.Compile(w, in); again.Failure != nil && !strings.HasPrefix(again.Failure.Code, "E09") {
			result = again
		}
	}
	if in.Log != nil && result.Open == "" && (result.Failure == nil || !strings.HasPrefix(result.Failure.Code, "E09")) {
		log, failed := in.Log, result.Failure != nil
		if size := log.Size(); size != c.asked.like() {
			c.asked.size.Store(size)
		}
		templates := w.erb.Covered()
		result.Questions = sync.OnceValue(func() *trace.Trace { return c.traceOf(log, templates, who, failed) })
	}
	if result.Failure != nil {
		c.advise(result.Failure, n.Facts)
	}
	if result.Failure == nil {
		c.opt.Cover.Add(in.Cover)
	}
	if result.Catalog != nil {
		result.Rest = result.Catalog.DropVirtual()
		if c.opt.ListsExports {
			result.Catalog.ListExports()
		}
	}
	result.Warnings = append(append(append(source.Diagnostics(nil), ds...), c.env.Problems...), result.Warnings...)
	if d := c.elsewhere(who); d != nil {
		result.Warnings = append(result.Warnings, d)
	}
	c.reportUnknown(result)
	return result, nil
}

// limits bound one compile.
func (c *Snapshot) limits() budget.Limits {
	if c.opt.Limits == (budget.Limits{}) {
		return eval.Limits()
	}
	return c.opt.Limits
}

// prepare finds what is the same for all nodes.
func (c *Snapshot) prepare() {
	c.main.Do(func() { c.manifest.files, c.manifest.diags, c.manifest.err = c.manifests() })
	c.fixed.Do(func() { c.settings, c.server = c.config(c.env.Name), c.serverFacts(c.env.Name) })
}

func firstError(ds source.Diagnostics) *source.Diagnostic {
	for _, d := range ds {
		if d.Severity == source.Error {
			return d
		}
	}
	return nil
}

// mainFiles are the manifests that every compile starts with.
type mainFiles struct {
	files []*syntax.File
	diags source.Diagnostics
	err   error
}

// found is a file that was looked for: nil when there is none.
type found struct {
	path  string
	file  *syntax.File
	diags source.Diagnostics
}

// file looks for a file of code once, and parses it.
func (c *Snapshot) file(q trace.Question) *found {
	if f, ok := c.found.Load(q); ok {
		return f.(*found)
	}
	f := &found{}
	var there bool
	switch q.Kind {
	case trace.Manifest:
		f.path, there = c.env.ManifestFile(q.Of, q.Part)
	case trace.Function:
		f.path, there = c.env.FunctionFile(q.Of)
	case trace.TypeAlias:
		f.path, there = c.env.TypeFile(q.Of)
	case trace.Template:
		f.path, there = c.env.TemplateFile(q.Of)
	}
	if there {
		var err error
		if f.file, f.diags, err = c.env.Parse(f.path); err != nil {
			d := source.Unread(err, c.env.Display(f.path))
			if errors.Is(err, syscall.EISDIR) {
				d.Summary = source.InRuby(err, f.path).Error()
			}
			f.file, f.diags = nil, source.Diagnostics{d}
		} else if !f.diags.HasErrors() {
			f.diags = append(slices.Clip(f.diags), c.placement(f.file, f.path)...)
		}
	}
	if !there && c.standsIn() {
		switch {
		case q.Kind == trace.TypeAlias:
			f.file = c.standInFile(standInType, q.Of)
		case q.Kind == trace.Function:
			f.file = c.standInFile(standInFunction, q.Of)
		case q.Kind == trace.Manifest && q.Part == "":
			f.file = c.standInFile(standInClass, q.Of)
		}
	}
	c.found.Store(q, f)
	return f
}

// placement is what is wrong with a definition that stands in this file of a module, or with anything else there. A
// module that was opened alone may lie in a directory of any name, which then says nothing.
func (c *Snapshot) placement(f *syntax.File, path string) source.Diagnostics {
	if m := c.env.ModuleOf(path); m != nil && m.Name != filepath.Base(m.Dir) {
		return nil
	}
	return syntax.ValidatePlacement(f, path, syntax.Site{ModulePath: c.env.ModulePath, Manifest: c.env.Manifest})
}

// manifests parses the files that every compile starts with.
func (c *Snapshot) manifests() ([]*syntax.File, source.Diagnostics, error) {
	paths, err := c.env.Manifests()
	if err != nil {
		return nil, nil, err
	}
	var files []*syntax.File
	var all source.Diagnostics
	for _, p := range paths {
		f, ds, err := c.env.Parse(p)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, ds...)
		files = append(files, f)
	}
	return files, all, nil
}

// version is the version of Puppet that is compiled for.
func (c *Snapshot) version() string { return c.opt.Language.Version() }

// serverFacts are what a server says of itself to nodes of an environment that is called so.
func (c *Snapshot) serverFacts(environment string) *value.Hash {
	if c.opt.ServerFacts != nil {
		return c.opt.ServerFacts
	}
	return value.NewHash(
		value.String("serverversion"), value.String(c.version()),
		value.String("servername"), value.String("bunraku"),
		value.String("serverip"), value.String("127.0.0.1"),
		value.String("environment"), value.String(environment),
	)
}

// resourceType is one of Puppet's own types, or one that a module brings.
func (c *Snapshot) resourceType(name string) *resource.Type {
	if t := resource.Known(name); t != nil && !c.generatedTypes(name) {
		return t
	}
	if t, known := c.types.Load(name); known {
		return t.(*resource.Type)
	}
	found := c.library.Type(name)
	if found == nil && c.standsIn() {
		if found = standInTypes[name]; found != nil {
			c.stoodIn.Store(true)
		}
	}
	t, _ := c.types.LoadOrStore(name, found)
	return t.(*resource.Type)
}

// generatedTypes reports whether the environment has its own description of a type, which Puppet prefers even to its
// own.
func (c *Snapshot) generatedTypes(name string) bool {
	c.generated.Do(func() { c.hasGenerated = c.env.HasGeneratedTypes() })
	if !c.hasGenerated {
		return false
	}
	_, ok := c.env.GeneratedTypeFile(name)
	return ok
}

// typeFiles is where resource types are found.
type typeFiles struct{ env *environment.Environment }

func (f typeFiles) Type(name string) (string, bool)      { return f.env.ResourceTypeFile(name) }
func (f typeFiles) Feature(name string) (string, bool)   { return f.env.LibraryFile(name) }
func (f typeFiles) Providers(typ string) []string        { return f.env.Providers(typ) }
func (f typeFiles) Generated(name string) (string, bool) { return f.env.GeneratedTypeFile(name) }
func (f typeFiles) Read(path string) (string, error)     { return f.env.ReadLibrary(path) }
func (f typeFiles) Display(path string) string           { return f.env.Display(path) }

// Type finds a resource type by its lower-case name (resource.Lookup).
func (c *Snapshot) Type(name string) *resource.Type { return c.resourceType(name) }
