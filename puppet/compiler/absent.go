package compiler

import (
	"slices"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/types"
	"bunraku/source"
)

// Which module would bring what is missing, if that module is not there. A qualified name says it itself, and so does
// the name of a class. Which module brings a plain name is not known: any of those that the tree names may. But a name
// that is another with one slip is a slip: that is told as Puppet tells it.

// Absent is what a compile does where something is missing that a module would bring which is not there.
type Absent uint8

const (
	// Refuse it, as Puppet does.
	Refuse Absent = iota
	// StandInNamed goes on with a stand-in (eval.Lacking) if the tree names the module as one that it needs (Wanted).
	StandInNamed
	// StandInAny goes on with a stand-in, whatever module it is.
	StandInAny
)

// AsksPuppetDB is the function that a server has whose PuppetDB it is told of: PuppetDB's terminus brings it, and no
// tree names that as a module.
const AsksPuppetDB = "puppetdb_query"

// Answers reports whether a function that no module has may be there all the same, on a server or for a file of mocks.
func (c *Snapshot) Answers(function string) bool {
	return function == AsksPuppetDB || c.opt.Mocks != nil && c.opt.Mocks.names[function]
}

// Lacks is the module that would bring something and is not there; "" if none is known of.
func (c *Snapshot) Lacks(kind source.SubjectKind, name string, how Absent) string {
	if how == Refuse {
		return ""
	}
	name = outline.Class(name)
	module, _, qualified := strings.Cut(name, "::")
	wanted := c.wanted()
	if qualified || kind == source.MissingClass {
		switch {
		case module == "" || c.env.Module(module) != nil:
			return ""
		case slices.Contains(wanted, module):
			return module
		case how == StandInNamed || slips(module, c.moduleNames()):
			return ""
		}
		return module
	}
	switch {
	case kind == source.MissingFunction && name == AsksPuppetDB, OfEnterprise(name):
		return eval.Unnamed(name)
	case slices.Contains(wanted, name):
		return name
	case kind == source.MissingFunction && c.OnceOfStdlib(name):
		return "stdlib"
	case len(wanted) == 0 && !untold(c.env) && !(how == StandInAny && c.codeNamesAbsent()):
		return ""
	case kind == source.MissingFunction && (slips(name, c.FunctionNames()) || len(c.env.RubyFunctions(name)) > 0):
		return "" // a template may ask for one as of 3.x that is not
	case kind != source.MissingFunction && slips(name, c.resourceNames()):
		return ""
	case kind == source.MissingType && slips(name, types.BuiltInNames()):
		return ""
	}
	return eval.Unnamed(name)
}

// OfEnterprise reports whether a function or resource type is one that Puppet Enterprise brings, in modules of its own.
func OfEnterprise(name string) bool { return strings.HasPrefix(name, "pe_") }

// Lacks implements eval.Lacking.
func (w *world) Lacks(kind source.SubjectKind, name string) string {
	switch {
	case kind != source.MissingKey && kind != source.MissingFile && kind != source.MissingFact:
		return w.c.Lacks(kind, name, w.absent)
	case w.absent != StandInAny:
		return ""
	case kind == source.MissingFile:
		if source.IsAbs(name) {
			return "a server"
		}
		return "" // of a module: it is told by its name
	case kind == source.MissingFact:
		if facts.Legacy[name] == "" && w.c.env.BringsFact(name) {
			return "a machine"
		}
		return ""
	}
	class := outline.Class(name[:max(0, strings.LastIndex(name, "::"))])
	if slices.ContainsFunc(w.classes, func(a eval.Assigned) bool { return outline.Class(a.Name) == class }) {
		return "" // what it must be given is told by its name
	}
	return "Hiera"
}

// wanted are the modules that the tree names and that are not there.
func (c *Snapshot) wanted() []string {
	c.wantedOnce.Do(func() { c.wantedNames = Wanted(c.env) })
	return c.wantedNames
}

// codeNamesAbsent is namesAbsent.
func (c *Snapshot) codeNamesAbsent() bool {
	c.namesOnce.Do(func() { c.namesAbsent = namesAbsent(c.env) })
	return c.namesAbsent
}

func (c *Snapshot) moduleNames() (names []string) {
	for _, m := range c.env.Modules() {
		names = append(names, m.Name)
	}
	return names
}

func (c *Snapshot) resourceNames() (names []string) {
	for _, t := range resource.Types() {
		names = append(names, t.Name)
	}
	return append(names, c.moduleNames()...)
}

// slips reports whether a name is another with one slip. A short name, or one that only goes on, is another word.
func slips(name string, among []string) bool {
	return slices.ContainsFunc(among, func(known string) bool {
		return len(name) > 3 && len(known) > 3 && !strings.HasPrefix(name, known) && !strings.HasPrefix(known, name) &&
			source.Slip(name, known)
	})
}
