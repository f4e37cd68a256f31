// Package compiler is the only wiring: an environment, a node's facts, Hiera's data and the functions go in, eval runs, a catalog comes
// out. It is what everyone above calls: the commands, and later the fleet, the language server and the web.
//
// A Compiler is made once per environment and compiles any number of nodes, also at the same time: parsed manifests and data files are
// shared between them.
//
// It may import everything below it but mupuppet. Start reading at Open.
package compiler

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"bunraku/environment"
	"bunraku/eval"
	"bunraku/facts"
	"bunraku/functions"
	"bunraku/functions/stdlib"
	"bunraku/lookup"
	"bunraku/resource"
	"bunraku/source"
	"bunraku/syntax"
	"bunraku/template"
	"bunraku/value"
)

// Options are the choices of one run, as the command line gives them.
type Options struct {
	Language        int // 7 or 8; 8 by default
	Strict          string
	StrictVariables *bool
	ModulePath      []string
	BaseModulePath  []string
	GlobalHiera     string // path of a global hiera.yaml
	Trace           bool
	ServerFacts     *value.Hash
}

// A Compiler compiles nodes from one environment.
type Compiler struct {
	env    *environment.Environment
	lookup *lookup.Lookup
	set    eval.Settings
	opt    Options

	types     typeCache
	files     sync.Map // what was asked for, such as "manifest apache vhost" → *found; a Compiler sees each file as it was first
	modules   sync.Map // *syntax.File → name of its module
	templates *template.Cache
	sources   sync.Map // name of an ERB template → *erbFile
	ruby      sync.Map // name → *eval.Function, nil when there is none
	main      sync.Once
	manifest  mainFiles
	cache     *eval.Cache
	functions map[string]*eval.Function
}

// Open prepares an environment: a directory with environment.conf, a control repo, a module, or a single manifest.
func Open(path string, opt Options) (*Compiler, error) {
	if opt.Language == 0 {
		opt.Language = 8
	}
	set := eval.Language(opt.Language)
	switch opt.Strict {
	case "":
	case "off":
		set.Strict = eval.StrictOff
	case "warning":
		set.Strict = eval.StrictWarning
	case "error":
		set.Strict = eval.StrictError
	default:
		return nil, fmt.Errorf("strict is off, warning or error, not %q", opt.Strict)
	}
	if opt.StrictVariables != nil {
		set.StrictVariables = *opt.StrictVariables
	}
	set.Trace = opt.Trace
	env, err := environment.Open(path, environment.Options{ModulePath: opt.ModulePath, BaseModulePath: opt.BaseModulePath, Syntax: syntax.Options{Strict: strictSyntax(set.Strict)}})
	if err != nil {
		return nil, err
	}
	c := &Compiler{env: env, set: set, opt: opt, cache: eval.NewCache(), templates: template.NewCache(), functions: functions.Table()}
	c.moduleFunctions()
	c.lookup = lookup.New(lookup.Site{
		Environment: env.Name, Dir: env.Dir, GlobalConfig: opt.GlobalHiera, DataProvider: env.DataProvider,
		Module: func(name string) (dir, provider string, ok bool) {
			m := env.Module(name)
			if m == nil {
				return "", "", false
			}
			return m.Dir, m.DataProvider, true
		},
	}, lookup.Options{Strict: lookup.Strictness(set.Strict), Name: env.Display})
	return c, nil
}

// moduleFunctions adds the functions that we have in Go for modules on the module path. Puppet's own come first, as in Puppet.
func (c *Compiler) moduleFunctions() {
	for _, name := range stdlib.Modules() {
		m := c.env.Module(name)
		if m == nil {
			continue
		}
		for n, f := range stdlib.Module(name, m.Version) {
			if c.functions[n] == nil {
				c.functions[n] = f
			}
		}
	}
}

// strictSyntax is the same setting for the validator.
func strictSyntax(s eval.Strictness) syntax.Strictness {
	switch s {
	case eval.StrictOff:
		return syntax.StrictOff
	case eval.StrictError:
		return syntax.StrictError
	}
	return syntax.StrictWarning
}

// Environment is what is compiled from.
func (c *Compiler) Environment() *environment.Environment { return c.env }

// A Node is what a catalog is made for.
type Node struct {
	Name       string
	Facts      *facts.Facts
	Parameters *value.Hash     // of an external node classifier
	Classes    []eval.Assigned // likewise
}

// Compile makes a node's catalog. Trouble with the code is in the result; the error is about our surroundings.
func (c *Compiler) Compile(n Node) (*eval.Result, error) {
	c.main.Do(func() { c.manifest.files, c.manifest.diags, c.manifest.err = c.manifests() })
	if c.manifest.err != nil {
		return nil, c.manifest.err
	}
	main, ds := c.manifest.files, c.manifest.diags
	if ds.HasErrors() {
		failure := firstError(ds)
		rest := slices.DeleteFunc(slices.Clone(ds), func(d *source.Diagnostic) bool { return d == failure })
		return &eval.Result{Failure: failure, Warnings: rest}, nil
	}
	name := n.Name
	in := eval.Input{Environment: c.env.Name, Config: c.config(), Main: main, Settings: c.set, Cache: c.cache, Parameters: n.Parameters, Classes: n.Classes, ServerFacts: c.serverFacts()}
	if n.Facts != nil {
		if name == "" {
			name = n.Facts.Name
		}
		in.Facts, in.Trusted = n.Facts.Values, n.Facts.Trusted
	}
	if name == "" {
		return nil, fmt.Errorf("the node has no name: neither the facts nor the command line say it")
	}
	in.Node = strings.ToLower(name)
	if in.Trusted == nil {
		in.Trusted = facts.Trusted(in.Node, nil, nil)
	}
	w := c.world()
	result := eval.Compile(w, in)
	if result.Failure != nil && !strings.HasPrefix(result.Failure.Code, "E09") && !in.Settings.Trace { // E09: a bound was hit
		// Once more with tracing: it says where the value that does not fit comes from, and which lines hold secrets.
		in.Settings.Trace = true
		if again := eval.Compile(c.world(), in); again.Failure != nil {
			result = again
		}
	}
	if result.Catalog != nil {
		result.Catalog.DropVirtual()
	}
	result.Warnings = append(append(append(source.Diagnostics(nil), ds...), c.env.Problems...), result.Warnings...)
	return result, nil
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
	file  *syntax.File
	diags source.Diagnostics
}

// find looks for a file once and parses it.
func (c *Compiler) find(what string, path func() (string, bool)) (*syntax.File, source.Diagnostics) {
	if f, ok := c.files.Load(what); ok {
		f := f.(*found)
		return f.file, f.diags
	}
	f := &found{}
	if p, ok := path(); ok {
		var err error
		if f.file, f.diags, err = c.env.Parse(p); err != nil {
			f.file, f.diags = nil, source.Diagnostics{{Code: "E0001", Summary: err.Error()}}
		}
	}
	c.files.Store(what, f)
	return f.file, f.diags
}

// manifests parses the files that every compile starts with.
func (c *Compiler) manifests() ([]*syntax.File, source.Diagnostics, error) {
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

// config is what $settings::NAME answers: where a packaged Puppet server keeps its files, and what this run was told.
func (c *Compiler) config() *value.Hash {
	b := value.NewHashBuilder(16)
	for _, kv := range [][2]string{
		{"confdir", "/etc/puppetlabs/puppet"}, {"codedir", "/etc/puppetlabs/code"}, {"vardir", "/opt/puppetlabs/server/data/puppetserver"},
		{"ssldir", "/etc/puppetlabs/puppet/ssl"}, {"environmentpath", "/etc/puppetlabs/code/environments"}, {"environment", c.env.Name},
		{"manifest", c.env.Manifest}, {"modulepath", strings.Join(c.env.ModulePath, ":")}, {"server", "puppet"}, {"certname", "puppet"},
		{"ca_server", "puppet"}, {"storeconfigs", "false"},
	} {
		b.SetString(kv[0], value.String(kv[1]))
	}
	b.SetString("strict", value.String([]string{"off", "warning", "error"}[c.set.Strict]))
	b.SetString("strict_variables", value.Bool(c.set.StrictVariables))
	return b.Hash()
}

// serverFacts are what a server says of itself.
func (c *Compiler) serverFacts() *value.Hash {
	if c.opt.ServerFacts != nil {
		return c.opt.ServerFacts
	}
	version := "8.10.0"
	if c.opt.Language <= 7 {
		version = "7.23.0"
	}
	return value.NewHash(
		value.String("serverversion"), value.String(version),
		value.String("servername"), value.String("bunraku"),
		value.String("serverip"), value.String("127.0.0.1"),
		value.String("environment"), value.String(c.env.Name),
	)
}

// typeCache remembers which resource types the modules have.
type typeCache struct {
	mu    sync.Mutex
	types map[string]*resource.Type
}

// resourceType is one of Puppet's own types, or one that a module brings. What attributes a module's type has is not known without
// running its Ruby code, so it takes any.
func (c *Compiler) resourceType(name string) *resource.Type {
	if t := resource.Known(name); t != nil {
		return t
	}
	c.types.mu.Lock()
	defer c.types.mu.Unlock()
	if t, known := c.types.types[name]; known {
		return t
	}
	var t *resource.Type
	if path, ok := c.env.ResourceTypeFile(name); ok {
		text, err := os.ReadFile(path)
		if err != nil {
			text = nil // then at least the type's name is known
		}
		t = resource.ReadRuby(name, string(text))
	}
	if c.types.types == nil {
		c.types.types = map[string]*resource.Type{}
	}
	c.types.types[name] = t
	return t
}

// Type finds a resource type by its lower-case name (resource.Lookup).
func (c *Compiler) Type(name string) *resource.Type { return c.resourceType(name) }

// rubyFunction stands for a module's function that is written in Ruby: it is not run, and what it would give is not known.
func (c *Compiler) rubyFunction(name string) *eval.Function {
	if f, ok := c.ruby.Load(name); ok {
		return f.(*eval.Function)
	}
	var f *eval.Function
	if path, _, ok := c.env.RubyFunctionFile(name); ok {
		f = &eval.Function{Name: name, Raw: func(call *eval.Call) (value.Value, error) {
			return &value.Opaque{Why: fmt.Sprintf("the function %s, called at %s, is written in Ruby (%s)", name, call.Place, c.env.Display(path))}, nil
		}}
	}
	c.ruby.Store(name, f)
	return f
}
