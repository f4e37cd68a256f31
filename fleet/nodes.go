// Package fleet is many nodes at once: whose facts there are, the same work for each of them on all processors, and
// which of them are so alike that one verdict will do.
//
//	nodes.go   the nodes of an environment
//	invent.go  nodes for a tree that has no facts
//	absent.go  what is said of modules that are not there
//	kind.go    compiling nodes, and sorting them into kinds
//	check.go     a whole tree, step by step: what check, lsp and web share
//	verdict.go   judging the kinds, and what was found of all nodes together
//	revision.go  commits, the work tree and directories as states that can be compared
//	reuse.go     what a store knows of them, and nodes that are alike
//	cause.go     which hunks make a change; blame.go who wrote them; far.go hunks that only other nodes read
//	impact.go    which nodes can change
//	machine.go   machines for nodes that are invented; suppose.go what hangs on decisions that were guessed
//	compare.go   the catalogs of all nodes between two states
//	exchange.go  what nodes export to each other
//	stored.go    catalogs that PuppetDB has, as a baseline
//
// Start reading at Check.
package fleet

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
)

// FactsDir is where an environment keeps the facts of its nodes.
func FactsDir(env string) string { return filepath.Join(env, "facts") }

// factEndings are those of files with facts.
var factEndings = []string{".json", ".yaml", ".yml"}

// Nodes reads the facts of every node: those of a file, of a directory of files, or (path is "") of the environment's
// own directory, if it has one. A file may hold facts of many nodes. One file of many in which no facts can be read is
// the trouble of the node that it is called after, and not of all the others.
func Nodes(view source.Files, env, path string) ([]*facts.Facts, error) {
	return nodesBy(view, env, path, facts.ReadAll)
}

// LightNodes are those nodes with no more than their names, if they lie in files of their own (facts.Loaded). What was
// read of facts outside of the environment does not stay in memory.
func LightNodes(view source.Files, env, path string) ([]*facts.Facts, error) {
	again := func() source.Files { return view }
	if path != "" && Exists(view, path) {
		if at := source.Absolute(path); !strings.HasPrefix(at+"/", source.Absolute(env)+"/") {
			again = func() source.Files { return source.NewDir(source.DirOptions{Roots: []string{at}}) }
		}
	}
	return nodesBy(view, env, path, func(_ source.Files, file string) ([]*facts.Facts, error) {
		return facts.ReadLight(again, file)
	})
}

// nodesBy reads files, each in a way, on all processors.
func nodesBy(view source.Files, env, path string, read func(source.Files, string) ([]*facts.Facts, error)) (
	[]*facts.Facts, error) {
	if path == "" {
		path = FactsDir(env)
		if !Exists(view, path) {
			return nil, nil
		}
	}
	path = Within(view, env, path)
	info, err := view.Stat(source.Absolute(path))
	if err != nil {
		return nil, source.Named(err, source.Absolute(path), path)
	}
	if !info.IsDir() {
		return read(view, path)
	}
	files, err := factFiles(view, path)
	if err != nil {
		return nil, err
	}
	found, errs := make([][]*facts.Facts, len(files)), make([]error, len(files))
	source.Each(context.Background(), len(files), func(i int) {
		found[i], errs[i] = read(view, files[i])
		var trouble *source.Diagnostic
		if errors.As(errs[i], &trouble) {
			found[i], errs[i] = []*facts.Facts{facts.Unread(files[i], trouble)}, nil
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(found...), nil
}

// factFiles lists the files with facts in a directory.
func factFiles(view source.Files, dir string) (files []string, err error) {
	entries, err := view.List(source.Absolute(dir))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		for _, ending := range factEndings {
			if filepath.Ext(e.Name) == ending && !e.IsDir() {
				files = append(files, filepath.Join(dir, e.Name))
			}
		}
	}
	return files, nil
}

// Within finds a relative path in the environment if it is not there from where the command runs.
func Within(view source.Files, env, path string) string {
	if inside := filepath.Join(env, path); !filepath.IsAbs(path) && !Exists(view, path) && Exists(view, inside) {
		return inside
	}
	return path
}

// Exists reports whether there is something at a path.
func Exists(view source.Files, path string) bool { return source.Exists(view, source.Absolute(path)) }

// Named reads the file that is called like a node, in the directory in which facts are looked for; nil if there is
// none, or if it is about another node. It saves reading the facts of all the others.
func Named(view source.Files, name, env, path string) (*facts.Facts, error) {
	if path == "" {
		path = FactsDir(env)
	}
	for _, ending := range factEndings {
		if file := filepath.Join(Within(view, env, path), name+ending); Exists(view, file) {
			all, err := facts.ReadAll(view, file)
			if err != nil {
				return nil, err
			}
			if len(all) == 1 && strings.EqualFold(all[0].Name, name) {
				return all[0], nil
			}
		}
	}
	return nil, nil
}

// Platforms counts the operating systems among the nodes.
func Platforms(nodes []Node) int {
	seen := map[string]bool{}
	for _, n := range nodes {
		os, _ := n.Facts.Values.At("os").(*value.Hash)
		if os == nil {
			continue
		}
		release, _ := os.At("release").(*value.Hash)
		major := ""
		if release != nil {
			major = value.ToString(release.At("major"))
		}
		seen[value.ToString(os.At("name"))+" "+major] = true
	}
	return len(seen)
}
