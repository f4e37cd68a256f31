package bridge_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/puppet/bridge"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/resource"
	"bunraku/puppet/ruby"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

const (
	environmentDir = "testdata/production"
	factsFile      = "testdata/facts.json"
)

// testWorld is an environment in which every function of a module runs in Ruby, also those that we have in Go.
type testWorld struct {
	env     *environment.Environment
	bridge  *bridge.Bridge
	options bridge.Options
	ruby    map[string]*eval.Function
	probe   ask.Probe
	at      *ask.Site             // nil for the usual one
	fresh   func() *bridge.Bridge // of the own engine, for one compile; nil for the pipe
}

var table = sync.OnceValue(func() map[string]*eval.Function { return functions.Table(source.Puppet7) })

// open prepares an environment with a bridge; opt says how Ruby is run.
func open(t testing.TB, dir string, opt bridge.Options) *testWorld {
	t.Helper()
	env, err := environment.Open(dir, environment.Options{Roots: []string{live.ModulesDir}})
	if err != nil {
		t.Fatal(err)
	}
	w := &testWorld{env: env, ruby: map[string]*eval.Function{}}
	for _, m := range env.Modules() {
		opt.Libraries = append(opt.Libraries, absolute(filepath.Join(m.Dir, "lib")))
	}
	opt.Version, opt.Site = "7.23.0", site{env}
	opt.Settings = value.NewHash(value.String("environment"), value.String(env.Name), value.String("modulepath"),
		value.String(strings.Join(env.ModulePath, ":")),
		value.String("strict"), value.String("warning"))
	w.options = opt
	w.bridge = bridge.New(opt)
	t.Cleanup(w.bridge.Close)
	return w
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return abs
}

func (w *testWorld) parse(path string, ok bool) (*syntax.File, source.Diagnostics) {
	if !ok {
		return nil, nil
	}
	f, ds, err := w.env.Parse(path)
	if err != nil {
		panic(err)
	}
	return f, ds
}

func (w *testWorld) Manifest(module, rest string) (*syntax.File, source.Diagnostics) {
	return w.parse(w.env.ManifestFile(module, rest))
}

func (w *testWorld) FunctionFile(name string) (*syntax.File, source.Diagnostics) {
	return w.parse(w.env.FunctionFile(name))
}

func (w *testWorld) TypeFile(name string) (*syntax.File, source.Diagnostics) {
	return w.parse(w.env.TypeFile(name))
}

// Template is none: the bridge renders others.
func (w *testWorld) Template(name string) (*syntax.File, source.Diagnostics) { return nil, nil }

func (w *testWorld) Path(f *source.File) string { return f.Name }
func (w *testWorld) Module(f *syntax.File) string {
	if m := w.env.ModuleOf(w.env.Path(f.Source)); m != nil {
		return m.Name
	}
	return ""
}

func (w *testWorld) Function(name string) *eval.Function {
	if name == "probe" {
		return w.probe.Function()
	}
	if f := table()[name]; f != nil {
		return f
	}
	if f, known := w.ruby[name]; known {
		return f
	}
	if files := w.env.RubyFunctions(name); len(files) > 0 {
		w.ruby[name] = w.bridge.Function(name, absolute(files[0].Path), kindOf(files[0]))
	} else {
		w.ruby[name] = nil
	}
	return w.ruby[name]
}

func (w *testWorld) ResourceType(name string) *resource.Type {
	return resource.Known(strings.ToLower(name))
}
func (w *testWorld) Lookup(*eval.Scope, string, eval.LookupOptions) (eval.Answer, error) {
	return eval.Answer{}, nil
}

func pathOf(path string, ok bool) string {
	if !ok {
		return ""
	}
	return absolute(path)
}

// site is what Ruby code finds (bridge.Site).
type site struct{ env *environment.Environment }

func (s site) Template(name string) string    { return pathOf(s.env.TemplateFile(name)) }
func (s site) File(name string) string        { return pathOf(s.env.ContentFile(name)) }
func (s site) OldFunction(name string) string { return pathOf(s.env.OldFunctionFile(name)) }

func (s site) Modern(name string) bool {
	files := s.env.RubyFunctions(name)
	return len(files) > 0 && !files[0].Old
}

func kindOf(f environment.RubyFunction) bridge.Kind {
	if f.Old {
		return bridge.Old
	}
	return bridge.Modern
}

func (s site) Module(name string) string {
	if m := s.env.Module(name); m != nil {
		return absolute(m.Dir)
	}
	return ""
}

func (s site) Modules() (out [][2]string) {
	for _, m := range s.env.Modules() {
		out = append(out, [2]string{m.Name, absolute(m.Dir)})
	}
	return out
}

// ask evaluates an expression.
func (w *testWorld) ask(expr string) string {
	if w.fresh != nil {
		w.bridge, w.ruby = w.fresh(), map[string]*eval.Function{}
	}
	if w.at != nil {
		return w.at.Us(w, &w.probe, ask.Question(expr))
	}
	return asking.Us(w, &w.probe, ask.Question(expr))
}

var library = sync.OnceValue(func() *bridge.Library { return bridge.NewLibrary(sync.OnceValue(ruby.NewRuntime)) })

// openOwn is open for the own engine.
func openOwn(t testing.TB, dir string) *testWorld {
	w := open(t, dir, bridge.Options{})
	files := source.NewDir(source.DirOptions{Roots: []string{absolute(dir)}, Modules: []string{live.ModulesDir}})
	opt := w.options
	w.fresh = func() *bridge.Bridge {
		limits := ruby.DefaultLimits()
		limits.State = &ruby.Globals{}
		return bridge.NewOwn(opt, bridge.Own{Library: library(), Files: files, Limits: limits})
	}
	return w
}
