package compiler

import (
	"context"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What can be asked of a snapshot without compiling a node: which functions and types there are, and what they take.

// A Callee is a function that code may call.
type Callee struct {
	Known bool
	// Min and Max are how many arguments it takes; Max is -1 for any number.
	Min, Max int
}

// Member reports whether an object of a type that Puppet itself defines has something of a name: $context.not_found.
func (c *Snapshot) Member(name string) bool { return types.IsMember(name) }

// Callee finds a function that is built in or written in Ruby, as the code of a file sees it. Functions in Puppet are
// for whoever reads the manifests.
func (c *Snapshot) Callee(name string, from *source.File) Callee {
	f := c.functions[name]
	if f == nil {
		f = c.moduleFunction(name, from)
	}
	if f == nil {
		there, known := c.olds.Load(name)
		if !known { // code may call it at very many places
			_, there = c.env.OldFunctionFile(name)
			c.olds.Store(name, there)
		}
		if there == true {
			return Callee{Known: true, Max: -1}
		}
		return Callee{}
	}
	least, most, known := f.Arity()
	if !known {
		return Callee{Known: true, Max: -1}
	}
	return Callee{true, least, most}
}

// TypeNamed reports whether a data type, a type alias or a resource type has a name. Defines are for whoever reads the
// manifests.
func (c *Snapshot) TypeNamed(name string) bool {
	name = strings.TrimPrefix(name, "::")
	if types.Builtin(strings.ToLower(name)) != nil || c.resourceType(strings.ToLower(name)) != nil {
		return true
	}
	if _, ok := c.env.TypeFile(name); ok {
		return true
	}
	if _, ok := c.env.DataTypeFile(name); ok {
		return true
	}
	module, _, _ := strings.Cut(name, "::")
	if _, ok := c.env.TypeSetFile(module); ok {
		return true
	}
	return c.standsIn() && stdlib.Alias(name) != ""
}

// TypeNames are the data types that need no module, for suggestions.
func (c *Snapshot) TypeNames() []string { return types.BuiltinNames() }

// Accepts reports whether a value has the type that a text names. known is false when that cannot be told.
func (c *Snapshot) Accepts(typ string, v value.Value) (fits, known bool) {
	t, ok := c.typeTexts.Load(typ)
	if !ok {
		c.prepare()
		parsed, err := eval.ParseType(c.world(nil), eval.Input{Environment: c.env.Name, Settings: c.set, Cache: c.cache}, typ)
		if err != nil || parsed == nil || strings.Contains(types.ToString(parsed), "TypeReference") {
			parsed = nil
		}
		t, _ = c.typeTexts.LoadOrStore(typ, typeText{parsed})
	}
	if t.(typeText).t == nil {
		return false, false
	}
	return types.NewJudge(budget.New(context.Background(), eval.Limits())).IsInstance(t.(typeText).t, v), true
}

type typeText struct{ t value.Type }

// FunctionNames are the functions that are built in or that modules have in Ruby, for suggestions.
func (c *Snapshot) FunctionNames() []string {
	c.functionsOnce.Do(func() {
		var names []string
		for n := range c.functions {
			names = append(names, n)
		}
		for n := range c.natives {
			names = append(names, n)
		}
		if c.standsIn() {
			for n := range standInFunctions() {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		c.functionNames = slices.Clip(slices.Compact(names))
	})
	return c.functionNames
}

// GlobalHiera reports whether the user named a global hiera.yaml.
func (c *Snapshot) GlobalHiera() bool { return c.opt.GlobalHiera != "" }
