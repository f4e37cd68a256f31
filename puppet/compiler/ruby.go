package compiler

import (
	"fmt"
	"path/filepath"

	"bunraku/provenance"
	"bunraku/puppet/bridge"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/source"
)

// RubyMode says whether what modules have written in Ruby may run.
type RubyMode uint8

// The modes: by default nothing of a stranger's code is run, and what it would give is opaque.
const (
	RubyOff    RubyMode = iota
	RubySystem          // by the Ruby that is installed
)

// newBridge prepares Ruby for this environment; it starts when it is first needed.
func (c *Snapshot) newBridge() *bridge.Bridge {
	var libraries []string
	if c.env.Dir != "" {
		libraries = append(libraries, source.Absolute(filepath.Join(c.env.Dir, "lib")))
	}
	for _, m := range c.env.Modules() {
		libraries = append(libraries, source.Absolute(filepath.Join(m.Dir, "lib")))
	}
	version, _ := c.serverFacts().GetString("serverversion")
	return bridge.New(bridge.Options{Timeout: c.opt.RubyTimeout, Libraries: libraries, Version: value.ToString(version), Settings: c.config(), Site: rubySite{c}})
}

// rubyFunction is a function that is written in Ruby. Unless Ruby may run, what it would give is not known.
func (c *Snapshot) rubyFunction(name string, file environment.RubyFunction) *eval.Function {
	if c.bridge != nil {
		return c.bridge.Function(name, source.Absolute(file.Path), file.Old)
	}
	return &eval.Function{Name: name, Raw: func(call *eval.Call) (value.Value, error) {
		return &value.Opaque{Why: fmt.Sprintf("the function %s, called at %s, is written in Ruby (%s)", name, call.Place, c.env.Display(file.Path))}, nil
	}}
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

// rubySite is what Ruby code finds in the environment (bridge.Site).
type rubySite struct{ c *Snapshot }

func found1(path string, ok bool) string {
	if !ok {
		return ""
	}
	return source.Absolute(path)
}

func (s rubySite) Template(name string) string    { return found1(s.c.env.TemplateFile(name)) }
func (s rubySite) File(name string) string        { return found1(s.c.env.ContentFile(name)) }
func (s rubySite) OldFunction(name string) string { return found1(s.c.env.OldFunctionFile(name)) }

func (s rubySite) Module(name string) string {
	if m := s.c.env.Module(name); m != nil {
		return source.Absolute(m.Dir)
	}
	return ""
}

func (s rubySite) Modules() [][2]string {
	var out [][2]string
	for _, m := range s.c.env.Modules() {
		out = append(out, [2]string{m.Name, source.Absolute(m.Dir)})
	}
	return out
}
