package lsp

import (
	"path"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/types"
)

// Names that a thing cannot have, because Puppet or somebody else has them, also where no node comes: what a node comes
// to is told by compiling it.

// kept says what Puppet keeps a name for; "" if it is free.
func (r *renaming) kept(to string) string {
	variable := r.kind == outline.VariableName || r.kind == outline.LocalName
	switch {
	case variable && (slices.Contains(keptNames, to) || r.owner != "" && (to == "title" || to == "name")):
		return "a variable of Puppet's own"
	case variable && resource.IsMetaparam(to) && r.given():
		return "a metaparameter, which every resource has"
	case r.kind == outline.ClassName && (to == "main" || to == "settings"):
		return "a class of Puppet's own"
	case r.kind == outline.TypeName && types.Builtin(to) != nil:
		return "a type of Puppet's own"
	case r.kind == outline.TypeName && (resource.Known(to) != nil || r.inRuby("type", to)):
		return "a resource type"
	case r.kind == outline.TypeName && r.inRuby("datatypes", to):
		return "a data type"
	case r.kind == outline.FunctionName && (r.folder.functions[to] != nil || r.inRuby("functions", to) ||
		r.inRuby("parser/functions", to)):
		return "a function that there is"
	case r.kind == outline.KeyName && to == lookupOptions:
		return "what Hiera keeps its options in"
	}
	return ""
}

// keptNames are variables that are set in every scope.
var keptNames = []string{"facts", "trusted", "server_facts", "module_name", "caller_module_name"}

// lookupOptions is the key that says how others are looked up.
const lookupOptions = "lookup_options"

// given reports whether it is a parameter.
func (r *renaming) given() bool {
	return slices.ContainsFunc(r.uses, func(o occurrence) bool { return o.Defines && o.Param })
}

// inRuby reports whether a module has something of that name in Ruby.
func (r *renaming) inRuby(sort, name string) bool {
	file := "/lib/puppet/" + sort + "/" + strings.ReplaceAll(outline.Class(name), "::", "/") + ".rb"
	return slices.ContainsFunc(r.index.entries, func(e *entry) bool { return strings.HasSuffix(e.path, file) })
}

// taken refuses a name that something of another kind has with which it cannot share it: a class and a define; and to
// rename a class in which others are defined, whose names begin with its. A key of a module's data has the module's
// name in front, or Hiera does not see it.
func (r *renaming) taken(to string) error {
	for _, e := range r.index.entries {
		for _, d := range e.defs {
			if d.Name == outline.Class(to) && (r.kind == outline.ClassName && isDefine(occurrence{e, d}) ||
				d.Kind == outline.ClassName && r.kind == outline.TypeName && slices.ContainsFunc(r.uses, isDefine)) {
				return refused("%s:%d has that name already", r.short(e.path), e.file.LineOf(d.Span.Start))
			}
			if r.kind == outline.ClassName && (d.Kind == outline.ClassName || d.Kind == outline.TypeName) &&
				strings.HasPrefix(d.Name, r.full+"::") && outline.Class(e.file.Slice(d.Span)) != d.Name {
				return refused("%s:%d defines %s inside of it, which would be called otherwise", r.short(e.path),
					e.file.LineOf(d.Span.Start), d.Name)
			}
		}
	}
	if r.kind != outline.KeyName {
		return nil
	}
	for _, o := range r.uses {
		module := r.moduleData(o.path)
		if o.Defines && strings.HasPrefix(r.full, module+"::") && !strings.HasPrefix(to, module+"::") {
			return refused("%s:%d is data of the module %s, whose keys begin with %s::", r.short(o.path),
				o.file.LineOf(o.Span.Start), module, module)
		}
	}
	return nil
}

// moduleData is the module whose own hiera.yaml a file of data lies beside or below; "" for one of the environment.
func (r *renaming) moduleData(file string) string {
	for dir := path.Dir(file); strings.HasPrefix(dir, r.folder.dir); dir = path.Dir(dir) {
		if e := r.byPath[dir+"/hiera.yaml"]; e != nil {
			switch {
			case dir == r.folder.dir:
				return r.folder.module()
			case slices.ContainsFunc(sorts, func(sort string) bool {
				in := dir + "/" + sort + "/"
				return slices.ContainsFunc(r.index.entries, func(e *entry) bool { return strings.HasPrefix(e.path, in) })
			}):
				return path.Base(dir)
			}
			return ""
		}
	}
	return ""
}
