package compiler

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/bridge"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/ruby"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// RubyMode says whether what modules have written in Ruby may run.
type RubyMode uint8

// The modes. Our own interpreter has no way to the machine and is bounded, so it may run a stranger's code.
const (
	RubyOwn    RubyMode = iota // by our own interpreter
	RubyOff                    // what it would give is not known
	RubySystem                 // by the Ruby that is installed
)

// bridgeOptions are what Ruby code sees of this environment.
func (c *Snapshot) bridgeOptions() bridge.Options {
	var libraries []string
	if c.env.Dir != "" {
		libraries = append(libraries, source.Absolute(filepath.Join(c.env.Dir, "lib")))
	}
	for _, m := range c.env.Modules() {
		libraries = append(libraries, source.Absolute(filepath.Join(m.Dir, "lib")))
	}
	version, _ := c.serverFacts(c.env.Name).GetString("serverversion")
	return bridge.Options{Timeout: c.opt.RubyTimeout, Libraries: libraries, Version: value.ToString(version),
		Settings: c.config(c.env.Name), Site: rubySite{c: c}}
}

// rubyFunction is a function that is written in Ruby. Unless Ruby may run, what it would give is not known.
func (c *Snapshot) rubyFunction(name string, file environment.RubyFunction, kind bridge.Kind) *eval.Function {
	path := source.Absolute(file.Path)
	acts := func() bool {
		text, err := c.files.Read(path)
		if err != nil {
			return true
		}
		known, ok := c.acting.Load(text.Digest)
		if !ok {
			known, _ = c.acting.LoadOrStore(text.Digest, c.acts(text.Text))
		}
		return known.(bool)
	}
	if c.opt.Ruby != RubyOff {
		f := bridge.Function(name, path, kind, c.bridgeOf)
		f.Acts = acts
		return f
	}
	return &eval.Function{Name: name, Does: outline.Anything, Acts: acts, Raw: func(call *eval.Call) (value.Value, error) {
		return &value.Opaque{Why: fmt.Sprintf("the function %s, called at %s, is written in Ruby (%s)", name, call.Place,
			c.env.Display(file.Path))}, nil
	}}
}

// What Ruby code calls to do more than give a value: functions, by name, and parts of the compiler.
var (
	rubyComment = regexp.MustCompile(`(?m)^\s*#.*$`)
	rubyCalls   = regexp.MustCompile(`\bcall_function(?:_with_scope)?\b(?:\s*\(?\s*(?:scope,\s*)?(?:'([\w:]+)'|"([\w:]+)"|:(\w+)))?|\bfunction_(\w+)`)
	rubyActs    = regexp.MustCompile(`\b(?:setvar|create_resources|add_resource|add_class|evaluate_classes|evaluate_node_classes|known_resource_types|define_singleton_method|import_ast)\b|\bscope\[[^\]]*\]\s*=[^=~]|\bsend\b`)
)

// acts reports whether a function's Ruby code may do more than give a value, as far as its text tells: what it calls
// are functions that do nothing else, all by name.
func (c *Snapshot) acts(text string) bool {
	text = rubyComment.ReplaceAllString(text, "")
	if rubyActs.MatchString(text) {
		return true
	}
	for _, m := range rubyCalls.FindAllStringSubmatch(text, -1) {
		f := c.functions[strings.ToLower(m[1]+m[2]+m[3]+m[4])]
		if f == nil || f.Does != 0 || f.Flow == eval.Effect {
			return true
		}
	}
	return false
}

// bridgeOf is what runs Ruby for a call: the process that all compiles share, or the interpreter of this one.
func (c *Snapshot) bridgeOf(call *eval.Call) *bridge.Bridge {
	if c.bridge != nil {
		return c.bridge
	}
	w := call.Eval.World().(*world)
	if w.ruby == nil {
		c.ownOnce.Do(func() { c.ownOptions = c.bridgeOptions() })
		opt := c.ownOptions
		opt.Site = rubySite{c, w.log}
		w.ruby = bridge.NewOwn(opt, w.own(call))
	}
	return w.ruby
}

// own is how the own engine runs in a compile.
func (w *world) own(call *eval.Call) bridge.Own {
	return bridge.Own{Library: w.c.rubyLibrary, Files: w.c.files, Limits: w.erb.Limits(call), Asked: w.asksPath,
		Found: &w.c.required}
}

// templateHooks are what the code of templates can reach: files, and libraries of modules.
func (w *world) templateHooks(call *eval.Call, in *ruby.Interp) ruby.Hooks {
	w.c.ownOnce.Do(func() { w.c.ownOptions = w.c.bridgeOptions() })
	return w.own(call).Hooks(in, w.c.ownOptions.Libraries, call.Trace())
}

// kindOf is how Puppet code calls a function.
func kindOf(file environment.RubyFunction) bridge.Kind {
	if file.Old {
		return bridge.Old
	}
	return bridge.Modern
}

// rubyTemplate renders templates that need real Ruby, nil when it may not run.
func (c *Snapshot) rubyTemplate() func(*eval.Call, string, string, string) (value.Value, provenance.Ref, error) {
	if c.bridge == nil {
		return nil
	}
	return func(call *eval.Call, name, path, text string) (value.Value, provenance.Ref, error) {
		return c.bridge.Render(call, bridge.Template{Name: name, Path: path, Text: text})
	}
}

// asksPath notes that Ruby code looks at a file. What a directory holds has no question of its own: such a compile's
// trace never holds.
func (w *world) asksPath(path string, list bool) {
	if list {
		w.log.Ask(trace.Question{Kind: trace.Clock})
		return
	}
	w.log.Ask(trace.Question{Kind: trace.Content, Of: path})
}

// rubySite is what Ruby code finds in the environment (bridge.Site).
type rubySite struct {
	c   *Snapshot
	log *trace.Log
}

func (s rubySite) asks(kind trace.Kind, name string) { s.log.Ask(trace.Question{Kind: kind, Of: name}) }

func found1(path string, ok bool) string {
	if !ok {
		return ""
	}
	return source.Absolute(path)
}

func (s rubySite) Template(name string) string {
	s.asks(trace.FindTemplate, name)
	return found1(s.c.env.TemplateFile(name))
}

func (s rubySite) File(name string) string {
	s.asks(trace.FindFile, name)
	return found1(s.c.env.ContentFile(name))
}

func (s rubySite) OldFunction(name string) string {
	s.asks(trace.Native3, name)
	return found1(s.c.env.OldFunctionFile(name))
}

func (s rubySite) Modern(name string) bool {
	s.asks(trace.Native, name)
	files := s.c.env.RubyFunctions(name)
	return len(files) > 0 && !files[0].Old
}

func (s rubySite) Module(name string) string {
	s.asks(trace.Directory, name)
	if m := s.c.env.Module(name); m != nil {
		return source.Absolute(m.Dir)
	}
	return ""
}

func (s rubySite) Modules() [][2]string {
	s.asks(trace.Clock, "") // which modules there are has no question of its own
	var out [][2]string
	for _, m := range s.c.env.Modules() {
		out = append(out, [2]string{m.Name, source.Absolute(m.Dir)})
	}
	return out
}
