package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// factsDir is where an environment keeps the facts of its nodes.
func factsDir(env string) string { return filepath.Join(env, "facts") }

// factEndings are those of files with facts.
var factEndings = []string{".json", ".yaml", ".yml"}

// nodesOf reads the facts of every node: those of a file, of a directory of files, or (path is "") of the environment's own directory, if
// it has one. A file may hold facts of many nodes.
func nodesOf(env, path string) ([]*facts.Facts, error) {
	if path == "" {
		path = factsDir(env)
		if !exists(path) {
			return nil, nil
		}
	}
	path = within(env, path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return facts.ReadAll(path)
	}
	files, err := factFiles(path)
	if err != nil {
		return nil, err
	}
	var nodes []*facts.Facts
	for _, file := range files {
		n, err := facts.ReadAll(file)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n...)
	}
	return nodes, nil
}

// factFiles lists the files with facts in a directory.
func factFiles(dir string) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		for _, ending := range factEndings {
			if filepath.Ext(e.Name()) == ending && !e.IsDir() {
				files = append(files, filepath.Join(dir, e.Name()))
			}
		}
	}
	return files, nil
}

// within finds a relative path in the environment if it is not there from where the command runs.
func within(env, path string) string {
	if inside := filepath.Join(env, path); !filepath.IsAbs(path) && !exists(path) && exists(inside) {
		return inside
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// node finds the node that the flags name, with its facts: those that --facts names, or else what `check` would find, the facts of the node
// of that name in the environment. Without a name the only node that there are facts of is meant. A node without facts is no mistake, but
// it is said.
func (a *app) node(f *compileFlags, env string) (compiler.Node, error) {
	n := compiler.Node{Name: f.node}
	if f.node != "" {
		read, err := namedLike(f.node, env, f.facts)
		if err != nil || read != nil {
			n.Facts = read
			return n, err
		}
	}
	all, err := nodesOf(env, f.facts)
	if err != nil {
		return n, err
	}
	var names []string
	for _, x := range all {
		if f.node != "" && strings.EqualFold(x.Name, f.node) {
			n.Facts = x
			return n, nil
		}
		names = append(names, x.Name)
	}
	switch {
	case f.facts != "" && len(all) == 1 || f.node == "" && len(all) == 1:
		n.Facts = all[0] // --node gives a name to facts that --facts names
	case f.node == "" && len(all) == 0:
		return n, fail("say which node: --facts FILE, or --node NAME; facts that are put into %s are found without it", factsDir(env))
	case f.node == "":
		return n, fail("say which node: %s%s", nodeChoice(names), f.several)
	case f.facts != "":
		return n, noNode(f.node, f.facts, names)
	case len(all) > 0:
		fmt.Fprintf(a.err, "note: going on without facts: %v\n", noNode(f.node, factsDir(env), names))
	}
	return n, nil
}

// namedLike reads the file that is called like a node, in the directory in which facts are looked for; nil if there is none, or if it is
// about another node. It saves reading the facts of all the others.
func namedLike(name, env, path string) (*facts.Facts, error) {
	if path == "" {
		path = factsDir(env)
	}
	for _, ending := range factEndings {
		if file := filepath.Join(within(env, path), name+ending); exists(file) {
			all, err := facts.ReadAll(file)
			if err != nil || len(all) == 1 && strings.EqualFold(all[0].Name, name) {
				return all[0], err
			}
		}
	}
	return nil, nil
}

// nodeChoice lists nodes to choose from, a few of them.
func nodeChoice(names []string) string {
	const few = 5
	more := ""
	if len(names) > few {
		more = fmt.Sprintf(", or one of %d more", len(names)-few)
		names = names[:few]
	}
	return "--node " + strings.Join(names, ", --node ") + more
}

// noNode says that there are no facts of a node, and which there are.
func noNode(name, where string, names []string) error {
	near := ""
	if x := source.Nearest(name, names); x != "" {
		near = "; did you mean " + x + "?"
	} else if len(names) > 0 {
		near = "; there is " + nodeChoice(names)
	}
	return fail("there are no facts of a node named %s in %s%s", name, where, near)
}
