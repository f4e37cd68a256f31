package judge

import (
	"fmt"
	"path/filepath"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/resource"
	"bunraku/source"
	"bunraku/verify/model"
)

// refused tells what goes wrong on every agent although the catalog compiles: values that it refuses the catalog for,
// and files whose source no module has.
func refused(s Suspect) (out source.Diagnostics) {
	if strings.HasPrefix(s.Platform, "windows") {
		return nil // paths and commands are others there
	}
	guessed := func(r *catalog.Resource, attr string) bool { return s.Guessed != nil && s.Guessed(r, attr) }
	for _, r := range s.Catalog.Resources {
		for _, x := range model.Refused(r) {
			if x.Default != "" && s.Defaulted != nil && s.Defaulted(r.Type, x.Default) || guessed(r, x.Attr) {
				continue
			}
			d := &source.Diagnostic{Code: "C0003", Summary: x.Text,
				Help: "a compile does not look at such values: the agent does, and refuses the catalog"}
			if x.Default != "" && s.Modules != nil && s.Modules.Alone() != nil { // who knows what the module's site sets
				d.Severity = source.Warning
				d.Help = fmt.Sprintf("the agent refuses the catalog unless the site has a default: %s { %s => … }", r.Type,
					x.Default)
			}
			out = append(out, about(r, x.Attr, d))
		}
		if s.Modules == nil || r.Type != "File" {
			continue
		}
		if missing := missingSource(s.Modules, r); missing != "" && !guessed(r, "source") {
			out = append(out, about(r, "source", &source.Diagnostic{Code: "C0004", Summary: r.Ref() + ": no module has " +
				missing,
				Help: "a compile does not look for it: the agent asks the server, and the resource fails" +
					nearSource(s.Modules, missing)}))
		}
	}
	return out
}

// about puts a diagnostic at an attribute, or else at the resource.
func about(r *catalog.Resource, attr string, d *source.Diagnostic) *source.Diagnostic {
	d.Place = r.Place
	if p := r.Param(attr); p != nil && p.Place.Known() {
		d.Place = p.Place
		if r.Place.Known() && r.Place.Line() != p.Place.Line() {
			d.Related = append(d.Related, source.Related{Place: r.Place, Label: "of this resource"})
		}
	}
	return d
}

// missingSource is the source of a file if it is one of a module and there is no such file; "" if there may be one. Of
// several sources the first that exists is taken. What another module would have cannot be told where only one is. An
// agent asks for the source first, also if the file is to be absent.
func missingSource(env *environment.Environment, r *catalog.Resource) string {
	first := ""
	for _, s := range resource.SourcesOf(r.Get("source")) {
		if s.Module == "" || s.Server != "" || s.Dir != "files" {
			return "" // who knows
		}
		if at, known := sourceAt(env, s.Module); at != "" || !known {
			return ""
		}
		if first == "" {
			first = s.Text
		}
	}
	return first
}

// sourceAt is where a file of a module is; "" if it is not there, and known is false if it may come from elsewhere.
func sourceAt(env *environment.Environment, name string) (at string, known bool) {
	at = sourcePath(env, name)
	switch {
	case at == "":
		return "", env.Alone() == nil
	case source.Exists(env.Files(), at):
		return at, true
	}
	return "", !env.Unfetched(at)
}

// sourcePath is where a file of a module would be; "" if there is no such module.
func sourcePath(env *environment.Environment, name string) string {
	module, rest, _ := strings.Cut(name, "/")
	m := env.Module(module)
	if m == nil {
		return ""
	}
	return filepath.Join(m.Dir, "files", filepath.FromSlash(rest))
}

// nearSource says which file was meant, or where it should be.
func nearSource(env *environment.Environment, missing string) string {
	name := resource.ReadSource(missing).Module
	at := sourcePath(env, name)
	if at == "" {
		module, _, _ := strings.Cut(name, "/")
		return "; there is no module " + module
	}
	entries, _ := env.Files().List(filepath.Dir(at)) // no directory has no names
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if near := source.Nearest(filepath.Base(at), names); near != "" {
		return "; did you mean " + strings.TrimSuffix(missing, filepath.Base(at)) + near + "?"
	}
	return "; it would be " + env.Display(at)
}
