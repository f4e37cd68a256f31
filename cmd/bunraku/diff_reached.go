package main

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/source"
)

// A module's file need not lie where catalogs name it: a link may lead there from the directory of all modules, from
// that of one, from its files, or from among them. So where links lead is looked at, too, inside of the environment and
// outside of it.

// servedDirs are the directories of a module whose files come to machines.
var servedDirs = []string{"files", "scripts", "tasks", "lib", "facts.d", "locales"}

// linkedTo are the places, absolute ones without links, to which links of modules lead on a side.
func linkedTo(env *environment.Environment) (places []string) {
	files := env.Files()
	add := func(at, named string) string {
		real, err := files.Real(at)
		if err != nil {
			return at // it leads nowhere that anybody may read
		}
		if real != named && !slices.Contains(places, real) {
			places = append(places, real)
		}
		return real
	}
	for _, base := range env.ModulePath {
		add(base, base)
	}
	for _, m := range env.Modules() {
		dir := add(m.Dir, m.Dir)
		for _, name := range servedDirs {
			served := add(path.Join(dir, name), path.Join(dir, name))
			_ = source.Walk(files, served, func(p string, e source.Entry) bool { // what is not there holds no links
				if e.Link {
					add(p, p)
				}
				return true
			})
		}
	}
	return places
}

// maybeModuleFile reports whether a file may be one that catalogs name: a source, or a function or a template that
// agents run, by the directory that it lies in, and everything that is neither code nor data, or that links of modules
// lead to.
func maybeModuleFile(p string, linked []string) bool {
	switch filepath.Ext(p) {
	case ".pp", ".epp", ".erb", ".yaml", ".yml", ".eyaml", ".rb", ".md":
		return inside(p, linked) || strings.Contains(p, "/templates/") ||
			slices.ContainsFunc(servedDirs, func(dir string) bool { return strings.Contains(p, "/"+dir+"/") })
	}
	return true
}

// reached are the directories, or files, of which it counts how they changed: the environment, and what is in git of
// the directories of modules and of what links of modules lead to. linked are the latter.
func (d *diffing) reached() (dirs, linked []string) {
	dirs = []string{source.Absolute(d.root)}
	add := func(dir string) {
		if !inside(dir, dirs) && (d.old.Commits(dir) || d.new.Commits(dir)) {
			dirs = append(dirs, dir)
		}
	}
	for _, s := range []*compiler.Snapshot{d.c.From, d.c.To} {
		env := s.Environment()
		for _, dir := range env.ModulePath {
			add(dir)
		}
		for _, at := range linkedTo(env) {
			if at != fleet.FactsDir(source.Absolute(d.root)) {
				add(at)
				linked = append(linked, at)
			}
		}
	}
	return dirs, linked
}
