package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/functions/stdlib"
	rubysyntax "bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// isChecked reports whether the file of a function is one that our version in Go was checked against.
func (c *Snapshot) isChecked(name, set string, place environment.RubyFunction) bool {
	if place.Module == nil {
		return false
	}
	sum, ok := c.sourceSum(place.Path, place.Module)
	return ok && stdlib.Checked(place.Module.Name, set, name, place.Old, sum)
}

// sourceSum is a digest of what a function's file says, and of what the files of its module say that it requires. It is
// false for one that cannot be read.
func (c *Snapshot) sourceSum(path string, m *environment.Module) (string, bool) {
	if s, known := c.sums.Load(path); known {
		return s.(string), s.(string) != ""
	}
	h := sha256.New()
	seen := map[string]bool{}
	var add func(path string) bool
	add = func(path string) bool {
		if seen[path] {
			return true
		}
		seen[path] = true
		text, err := c.files.Read(filepath.Clean(path))
		if err != nil {
			return false
		}
		prog, ds := rubysyntax.Parse(source.NewFile("function.rb", text.Text))
		if ds.HasErrors() {
			return false
		}
		sum := rubysyntax.Sum(prog)
		h.Write(sum[:])
		for _, name := range rubysyntax.Requires(prog) {
			file := filepath.Join(m.Dir, "lib", name)
			if strings.HasPrefix(name, "./") {
				file = filepath.Join(filepath.Dir(path), name)
			}
			if !strings.HasSuffix(file, ".rb") {
				file += ".rb"
			}
			if source.Exists(c.files, file) && !add(file) {
				return false
			}
		}
		return true
	}
	sum := ""
	if add(path) {
		sum = hex.EncodeToString(h.Sum(nil)[:16])
	}
	c.sums.Store(path, sum)
	return sum, sum != ""
}

// CheckedLines are the lines of checked.txt for the functions of this environment that we have in Go.
func (c *Snapshot) CheckedLines() (lines []string) {
	add := func(name, set, path string, old bool, m *environment.Module) {
		if sum, ok := c.sourceSum(path, m); ok {
			lines = append(lines, stdlib.CheckedLine(m.Name, set, name, old, sum))
		}
	}
	for name, natives := range c.natives {
		for _, place := range c.env.RubyFunctions(name) {
			if module, _, qualified := strings.Cut(name, "::"); qualified {
				place.Module = c.env.Module(module)
			}
			for _, n := range natives {
				if n.module == place.Module && place.Path != "" && n.module != nil {
					add(name, n.set, place.Path, place.Old, n.module)
					break
				}
			}
		}
		if path, ok := c.env.OldFunctionFile(name); ok {
			if m := c.env.ModuleOf(path); m != nil && m == natives[0].module {
				add(name, natives[0].set, path, true, m)
			}
		}
	}
	if m := c.env.Module("stdlib"); m != nil { // templates get some that Puppet code does not see
		dir := filepath.Join(m.Dir, "lib", "puppet", "parser", "functions")
		files, _ := c.files.List(dir)
		for _, f := range files {
			if name := strings.TrimSuffix(f.Name, ".rb"); stdlib.Function3x(name) != nil && stdlib.Set(m.Version) == "8" {
				add(name, "8", filepath.Join(dir, f.Name), true, m)
			}
		}
	}
	return lines
}
