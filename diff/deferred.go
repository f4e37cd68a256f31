package diff

import (
	"maps"
	"path"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Deferred function runs on the agent, which has its Ruby from the modules: a commit that changes it changes no
// catalog and still changes machines. What it comes to there nobody here can say.

// Deferred are the names of the functions that a value leaves to the agent.
func Deferred(v value.Value) (names []string) {
	switch v := v.(type) {
	case *value.Deferred:
		names = append(names, v.Name)
		if v.Args != nil {
			names = append(names, Deferred(v.Args)...)
		}
	case *value.Sensitive:
		return Deferred(v.Value)
	case *value.Array:
		for _, e := range v.Elems {
			names = append(names, Deferred(e)...)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			names = append(append(names, Deferred(e.Key)...), Deferred(e.Value)...)
		}
	}
	return names
}

// deferred tells of attributes that call functions whose Ruby is not the same on both sides.
func (c *comparison) deferred(r, s *catalog.Resource) {
	for i := range s.Params {
		p := &s.Params[i]
		for _, name := range Deferred(p.Value) {
			if c.opt.Contents.another(name) {
				c.add(&Change{Kind: NotKnown, Name: s.Name(), Attribute: p.Name, old: r, new: s,
					Text: "the function " + name + ", which agents run, is another one"})
				break
			}
		}
	}
}

// another reports whether the Ruby of a function is not the same on both sides.
func (c *Contents) another(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	differs, ok := c.functions[name]
	if !ok {
		if c.functions == nil {
			c.functions = map[string]bool{}
		}
		differs = rubyOf(c.from, name) != rubyOf(c.to, name)
		c.functions[name] = differs
	}
	return differs
}

// OtherFunctions reports whether the Ruby of any function that agents may run is not the same on both sides.
func (c *Contents) OtherFunctions() bool {
	return !maps.Equal(functionsOf(c.from), functionsOf(c.to))
}

// functionsOf are digests of the files of functions in Ruby, by their paths below the module path.
func functionsOf(env *environment.Environment) map[string]source.Digest {
	out := map[string]source.Digest{}
	if env == nil {
		return out
	}
	for _, m := range env.Modules() {
		for _, dir := range functionDirs {
			at := path.Join(m.Dir, dir)
			_ = source.Walk(env.Files(), at, func(p string, e source.Entry) bool { // what is not there holds nothing
				if text, err := env.Files().Read(p); err == nil && !e.IsDir() {
					out[p] = text.Digest
				}
				return true
			})
		}
	}
	return out
}

// functionDirs are where modules have their functions in Ruby.
var functionDirs = []string{"lib/puppet/functions", "lib/puppet/parser/functions"}

// rubyOf is a function's Ruby, that of the first module which has it; "" if none has.
func rubyOf(env *environment.Environment, name string) string {
	if env == nil {
		return ""
	}
	at := strings.ReplaceAll(strings.TrimPrefix(name, "::"), "::", "/") + ".rb"
	for _, dir := range functionDirs {
		for _, m := range env.Modules() {
			if text, err := env.Files().Read(path.Join(m.Dir, dir, at)); err == nil {
				return text.Text
			}
		}
	}
	return ""
}
