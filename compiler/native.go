package compiler

import (
	"os"
	"path/filepath"
	"strings"

	"bunraku/environment"
	"bunraku/eval"
	"bunraku/functions/stdlib"
)

// native is a function of a module that we have in Go. It exists where the module has a file for it, as in Puppet.
type native struct {
	function *eval.Function
	module   *environment.Module
}

// moduleFunctions lists the functions that we have in Go for the modules on the module path. Of stdlib that is the set that its
// metadata.json names, then whatever the other set has a file for.
func (c *Compiler) moduleFunctions() {
	c.natives = map[string][]native{}
	for _, name := range stdlib.Modules() {
		m := c.env.Module(name)
		if m == nil {
			continue
		}
		versions := []string{m.Version}
		if name == "stdlib" {
			versions = stdlibVersions(m)
		}
		for _, version := range versions {
			for n, f := range stdlib.Module(name, version) {
				c.natives[n] = append(c.natives[n], native{f, m})
			}
		}
	}
}

// stdlibVersions are the sets of functions that stdlib's files may be of, the likeliest first. Without a version the files tell: 9.x has
// most of its functions in lib/puppet/functions/stdlib.
func stdlibVersions(m *environment.Module) []string {
	version := m.Version
	if version == "" {
		if _, err := os.Stat(filepath.Join(m.Dir, "lib", "puppet", "functions", "stdlib", "merge.rb")); err == nil {
			version = "9"
		}
	}
	if strings.HasPrefix(version, "9") {
		return []string{version, "8"}
	}
	return []string{version, "9"}
}

// moduleFunction is a module's function that we have in Go, nil when no module has a file for it.
func (c *Compiler) moduleFunction(name string) *eval.Function {
	list := c.natives[name]
	if list == nil {
		return nil
	}
	if f, known := c.present.Load(name); known {
		return f.(*eval.Function)
	}
	var found *eval.Function
	for _, n := range list {
		if c.env.HasFunction(n.module, name) {
			found = n.function
			break
		}
	}
	c.present.Store(name, found)
	return found
}

// Function3x is a function as templates call it, scope.function_name([…]): only 3.x functions can be. Those of modules come before
// Puppet's own (template.OldFunctions).
func (w *world) Function3x(name string) *eval.Function {
	c := w.c
	if f, known := c.old.Load(name); known {
		return f.(*eval.Function)
	}
	f := c.function3x(name)
	c.old.Store(name, f)
	return f
}

func (c *Compiler) function3x(name string) *eval.Function {
	path, ok := c.env.OldFunctionFile(name)
	if !ok {
		if stdlib.IsPuppet3x(name) {
			return c.functions[name]
		}
		return nil
	}
	if m := c.env.ModuleOf(path); m != nil && m.Name == "stdlib" {
		if f := stdlib.Function3x(name); f != nil {
			return f
		}
	}
	if f := c.moduleFunction(name); f != nil {
		return f
	}
	return c.rubyFunction(name)
}
