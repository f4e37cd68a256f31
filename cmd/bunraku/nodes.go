package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/source"
)

// node finds the node that the flags name, with its facts: those that --facts names, or else what `check` would find,
// the facts of the node of that name in the environment. Without a name the only node that there are facts of is meant.
// A node without facts is no mistake, but it is said.
func (a *app) node(f *compileFlags, view source.Files, env string) (compiler.Node, error) {
	n := compiler.Node{Name: f.node}
	if f.node != "" {
		read, err := fleet.Named(view, f.node, env, f.facts)
		if err != nil || read != nil {
			n.Facts = read
			return n, err
		}
	}
	all, err := fleet.Nodes(view, env, f.facts)
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
		return n, noFacts(view, env)
	case f.node == "":
		return n, fail("say which node: %s%s", nodeChoice(names), f.several)
	case f.facts != "":
		return n, noNode(f.node, f.facts, names)
	case len(all) > 0:
		fmt.Fprintf(a.err, "note: going on without facts: %v\n", noNode(f.node, fleet.FactsDir(env), names))
	}
	return n, nil
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

// noFacts says how to name a node where there are no facts.
func noFacts(view source.Files, env string) error {
	if info, err := view.Stat(source.Absolute(env)); err == nil && !info.IsDir() {
		return fail("say which node: --facts FILE, or --node NAME")
	}
	return fail("say which node: --facts FILE, or --node NAME; facts that are put into %s are found without it",
		fleet.FactsDir(env))
}

// assign gives a node the classes of --classes and what --trusted says of its certificate.
func (f *compileFlags) assign(view source.Files, nodes ...*compiler.Node) error {
	said, err := f.certificates(view)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		for _, c := range f.classes {
			n.Classes = append(n.Classes, eval.Assigned{Name: strings.TrimPrefix(strings.TrimSpace(c), "::")})
		}
		if n.Facts == nil {
			continue
		}
		if of := said.of(n.Facts.Name); of != nil {
			n.Facts = n.Facts.WithTrusted(of)
		}
	}
	return nil
}

// certified is what --trusted says of nodes that are invented.
func (f *compileFlags) certified(view source.Files) (func(name string) *value.Hash, error) {
	if f.trusted == "" {
		return nil, nil
	}
	said, err := f.certificates(view)
	return said.of, err
}

// nobodyHere says that all nodes belong to other environments.
func nobodyHere(others []*fleet.Abroad) error {
	var texts []string
	for _, a := range others {
		texts = append(texts, a.Text())
	}
	return fail("no node belongs to this environment: %s", strings.Join(texts, "; "))
}

// environmentOf is the directory of the environment that a classifier puts a node into, if that is another one than
// ENV, which lies beside it; "" for ENV itself. An ENV that no other environment lies beside is a checkout: it is taken
// for the environment that the classifier names, whatever its directory is called.
func (a *app) environmentOf(ctx context.Context, f *compileFlags, env string, opt *compiler.Options,
	n compiler.Node) (string, error) {
	if f.enc.c == nil {
		return "", nil
	}
	name := n.Name
	if name == "" {
		name = n.Facts.Name
	}
	answer, err := f.enc.c.Ask(ctx, strings.ToLower(name))
	var d *source.Diagnostic
	if errors.As(err, &d) { // the compile says so
		return "", nil
	}
	if err != nil || answer.Environment == "" {
		return "", err
	}
	abs := source.Absolute(env)
	switch home, there := environment.Home(env, answer.Environment); {
	case !there:
		return "", &source.Diagnostic{Code: "N0111", Place: answer.Place("environment"),
			Summary: fmt.Sprintf("Could not find a directory environment named '%s' anywhere in the path: %s. Does the "+
				"directory exist?",
				answer.Environment, filepath.Dir(abs)),
			Help: "the classifier puts " + name + " into it"}
	case home != abs:
		fmt.Fprintf(a.err, "note: the classifier puts %s into the environment %s: it is compiled from there\n", name,
			answer.Environment)
		return filepath.Join(filepath.Dir(filepath.Clean(env)), answer.Environment), nil
	case filepath.Base(abs) == answer.Environment:
		return "", nil
	}
	opt.Environment = answer.Environment
	return env, nil
}
