package main

import (
	"context"
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

// besideOf are the places, absolute ones without links, that code and data are read from and that names or links lead
// to: the manifests of environment.conf, where each hiera.yaml looks, and what links among these lead to.
func besideOf(env *environment.Environment, hiera string) (places []string) {
	files, seen := env.Files(), map[string]bool{}
	add := func(at string) {
		places = append(places, linksOn(files, at, seen)...)
		if real, err := files.Real(at); err == nil && !slices.Contains(places, real) {
			places = append(places, real)
			_ = source.Walk(files, real, func(p string, e source.Entry) bool { // a file holds no links
				if real, err := files.Real(p); e.Link && err == nil && !slices.Contains(places, real) {
					places = append(places, real)
				}
				return e.Name != ".git"
			})
		}
	}
	data := func(config string) {
		add(config)
		for _, at := range fleet.DataPlaces(files, config) {
			add(at)
		}
	}
	parts := func(dir string) {
		for _, name := range []string{"manifests", "functions", "types", "templates"} {
			add(path.Join(dir, name))
		}
		data(path.Join(dir, "hiera.yaml"))
	}
	if hiera != "" {
		data(source.Absolute(hiera))
	}
	for _, dir := range env.ModulePath {
		places = append(places, linksOn(files, dir, seen)...)
	}
	add(env.Manifest)
	add(path.Join(env.Dir, "environment.conf"))
	parts(env.Dir)
	for _, m := range env.Modules() {
		parts(m.Dir)
	}
	return places
}

// linksOn are the links on the way to a path, each by the place that it really has, and those on the way to where they
// lead. seen are paths that were looked at.
func linksOn(files source.Files, p string, seen map[string]bool) (links []string) {
	for ; !seen[p] && p != path.Dir(p); p = path.Dir(p) {
		seen[p] = true
		target, err := files.Link(p)
		up, upErr := files.Real(path.Dir(p))
		if err != nil || upErr != nil || target == "" {
			continue // it is none, or nobody may look
		}
		links = append(links, path.Join(up, path.Base(p)))
		if !path.IsAbs(target) {
			target = path.Join(up, target)
		}
		links = append(links, linksOn(files, target, seen)...)
	}
	return links
}

// reached are the directories, or files, of which it counts how they changed: the environment, and what either side has
// of its own of the directories of modules, of what links of modules lead to, and of where else code and data lie.
// linked are what links of modules lead to.
func (d *diffing) reached(hiera string) (dirs, linked []string) {
	dirs = []string{source.Absolute(d.root)}
	add := func(dir string) {
		if !inside(dir, dirs) && (d.old.Has(dir) || d.new.Has(dir)) {
			dirs = append(dirs, dir)
		}
	}
	facts := d.revs.Facts(d.old, d.new)
	for _, s := range []*compiler.Snapshot{d.c.From, d.c.To} {
		env := s.Environment()
		for _, dir := range env.ModulePath {
			add(dir)
		}
		for _, at := range linkedTo(env) {
			if !slices.Contains(facts, at) {
				add(at)
				linked = append(linked, at)
			}
		}
		for _, at := range besideOf(env, hiera) {
			if !slices.Contains(facts, at) {
				add(at)
			}
		}
	}
	return dirs, linked
}

// noted are the files that the compiles of nodes which change looked at, and that nothing told to be reached: a name
// may be put together of variables, and functions read what they like. They are causes as well as others.
func (d *diffing) noted(ctx context.Context) ([]string, error) {
	var more []string
	passed := slices.Concat(d.dirs, d.revs.Facts(d.old, d.new))
	for _, view := range d.looked {
		seen := map[string]bool{}
		view.Each(func(p string) {
			for _, at := range linksOn(view.Files, p, seen) {
				if !inside(at, passed) && (d.old.Has(at) || d.new.Has(at)) {
					more = append(more, at)
				}
			}
			at, err := view.Real(p)
			if err == nil && !inside(at, passed) && (d.old.Has(at) || d.new.Has(at)) {
				if info, err := view.Files.Stat(at); err == nil && !info.IsDir() {
					more = append(more, at)
				}
			}
		})
	}
	slices.Sort(more)
	return d.revs.Changed(ctx, d.old, d.new, slices.Compact(more))
}
