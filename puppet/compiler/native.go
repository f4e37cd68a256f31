package compiler

import (
	"path/filepath"
	"strings"

	"bunraku/puppet/bridge"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/trace"
	"bunraku/source"
)

// native is a function of stdlib that we have in Go. It exists where the module has a file for it, as in Puppet.
type native struct {
	function *eval.Function
	module   *environment.Module
	set      string // the versions that it is of, "8" or "9"
}

// moduleFunctions lists the functions that we have in Go for the stdlib on the module path: the set that its
// metadata.json names, then whatever the other set has a file for.
func (c *Snapshot) moduleFunctions() {
	c.natives = map[string][]native{}
	m := c.env.Module("stdlib")
	if m == nil {
		return
	}
	for _, version := range c.stdlibVersions(m) {
		for n, f := range stdlib.Module(version) {
			c.natives[n] = append(c.natives[n], native{f, m, stdlib.Set(version)})
		}
	}
}

// stdlibVersions are the sets of functions that stdlib's files may be of, the likeliest first. Without a version the
// files tell: 9.x has most of its functions in lib/puppet/functions/stdlib.
func (c *Snapshot) stdlibVersions(m *environment.Module) []string {
	version := m.Version
	if version == "" {
		if source.Exists(c.files, filepath.Join(m.Dir, "lib", "puppet", "functions", "stdlib", "merge.rb")) {
			version = "9"
		}
	}
	if strings.HasPrefix(version, "9") {
		return []string{version, "8"}
	}
	return []string{version, "9"}
}

// moduleFunction is the function of a module, or of the environment, that code in a file sees (nil: code outside of
// modules): one that we have in Go, or else one in Ruby. It is nil when there is no such file, or one in the Puppet
// language comes first.
func (c *Snapshot) moduleFunction(name string, from *source.File) *eval.Function {
	places := c.env.RubyFunctions(name)
	key, place := name, environment.RubyFunction{}
	if len(places) > 0 {
		place = places[0]
	}
	if len(places) > 1 && from != nil {
		place = c.env.Seen(c.env.ModuleOf(c.env.Path(from)), places)
		key = name + " " + place.Path
	}
	if f, known := c.present.Load(key); known {
		return f.(*eval.Function)
	}
	f := c.functionIn(name, place)
	if f == nil && place.Path == "" && c.standsIn() {
		if _, inPuppet := c.env.FunctionFile(name); !inPuppet {
			if f = standInFunctions()[name]; f != nil {
				c.stoodIn.Store(true)
			}
		}
	}
	c.present.Store(key, f)
	return f
}

func (c *Snapshot) functionIn(name string, place environment.RubyFunction) *eval.Function {
	module, _, qualified := strings.Cut(name, "::")
	_, inPuppet := c.env.FunctionFile(name)
	switch {
	case qualified:
		place.Module = c.env.Module(module)
		if inPuppet = inPuppet && place.Path == ""; !inPuppet && place.Path == "" {
			return nil
		}
	// the environment's own; no module has one by a plain name
	case place.Path == "" || inPuppet && (place.Module != nil || place.Old):
		return nil
	}
	if inPuppet && qualified {
		return nil
	}
	for _, n := range c.natives[name] {
		if n.module == place.Module && c.isChecked(name, n.set, place) {
			return n.function
		}
	}
	return c.rubyFunction(name, place, kindOf(place))
}

// Function3x is a function as templates call it, scope.function_name([…]): only 3.x functions can be. Those of modules
// come before Puppet's own (template.OldFunctions).
func (w *world) Function3x(name string) *eval.Function {
	c := w.c
	w.log.Ask(trace.Question{Kind: trace.Native3, Of: name})
	if f, known := c.old.Load(name); known {
		return f.(*eval.Function)
	}
	f := c.function3x(name)
	c.old.Store(name, f)
	return f
}

func (c *Snapshot) function3x(name string) *eval.Function {
	path, ok := c.env.OldFunctionFile(name)
	if !ok {
		if stdlib.IsPuppet3x(name) {
			return c.functions[name]
		}
		return nil
	}
	m := c.env.ModuleOf(path)
	place := environment.RubyFunction{Path: path, Old: true, Module: m}
	if m != nil && m.Name == "stdlib" && c.isChecked(name, "8", place) {
		if f := stdlib.Function3x(name); f != nil {
			return f
		}
	}
	for _, n := range c.natives[name] {
		if n.module == m && c.isChecked(name, n.set, place) {
			return n.function
		}
	}
	return c.rubyFunction(name, place, bridge.Legacy)
}
