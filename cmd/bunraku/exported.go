package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/puppet/exported"
)

// exchanges reports whether nodes are told what others of them export.
func (f *compileFlags) exchanges() (bool, error) {
	switch f.exported {
	case "fleet":
		return true, nil
	case "none", "puppetdb":
		return false, nil
	}
	return false, fail("--exported is fleet, puppetdb or none, not %q", f.exported)
}

// stored is what a PuppetDB knows that nodes export, if that is where they are to be told it from; nil otherwise.
func (f *compileFlags) stored(ctx context.Context) (exported.Importer, error) {
	if f.exported != "puppetdb" {
		return nil, nil
	}
	if f.puppetdb.url == "" {
		return nil, fail("--exported puppetdb needs --puppetdb https://HOST:8081")
	}
	i, err := f.puppetdb.importer(ctx)
	if err != nil {
		return nil, err
	}
	return i, nil
}

// imports lets a node collect what the others export: all nodes that there are facts of are compiled. Nobody is unless
// the node asks for something; to know that, it is compiled itself.
func (a *app) imports(ctx context.Context, f *compileFlags, env string, o *opened) error {
	stored, err := f.stored(ctx)
	if err != nil {
		return err
	}
	if stored != nil {
		o.node.Imports = stored
		return nil
	}
	if on, err := f.exchanges(); err != nil || !on {
		return err
	}
	if o.node.Imports = exported.NewSet(nil); !o.Collects() {
		return nil
	}
	alone, err := o.compile(ctx)
	if err != nil {
		return err
	}
	if len(alone.Asked) == 0 {
		o.done = alone
		return nil
	}
	all, err := a.others(f, o.Snapshot, env)
	if err != nil {
		return err
	}
	nodes := []fleet.Node{{Node: o.node}}
	name := strings.ToLower(o.node.Name)
	if name == "" {
		name = strings.ToLower(o.node.Facts.Name)
	}
	for _, n := range all {
		if strings.ToLower(n.Facts.Name) != name {
			nodes = append(nodes, n)
		}
	}
	for i := range nodes[1:] {
		if err := f.assign(o.Files(), &nodes[i+1].Node); err != nil {
			return err
		}
	}
	here, abroad, err := fleet.AtHome(ctx, o.Snapshot, nodes[1:])
	if err != nil {
		return err
	}
	nodes = slices.Concat(nodes[:1], here, fleet.Exporters(abroad))
	x, err := fleet.NewExchange(ctx, o.Snapshot, nodes, a.keep)
	if err != nil {
		return err
	}
	o.node.Imports, o.done = x.Set, x.Results[0]
	fmt.Fprintf(a.err, "note: %s\n", x.Told())
	return nil
}

// others are all nodes that there are facts of: where --facts says if that is not one node's file, or else the
// environment's.
func (a *app) others(f *compileFlags, c *compiler.Snapshot, env string) ([]fleet.Node, error) {
	if f.facts != "" {
		if all, err := fleet.Nodes(c.Files(), env, f.facts); err == nil && len(all) > 1 {
			return fleet.Real(all), nil
		}
	}
	all, err := fleet.Nodes(c.Files(), env, "")
	return fleet.Real(all), err
}

// exchanging lets the nodes of a check collect what others of them export.
func (a *app) exchanging(f *compileFlags) func(context.Context, *compiler.Snapshot, []fleet.Node) (*fleet.Exchange,
	error) {
	return func(ctx context.Context, c *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange, error) {
		return a.tell(ctx, f, c, nodes)
	}
}

// tell lets nodes collect what is exported, by wherever the flags say it comes from. It gives what nodes exchange, nil
// if they do not.
func (a *app) tell(ctx context.Context, f *compileFlags, c *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange,
	error) {
	stored, err := f.stored(ctx)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		nodes[i] = nodes[i].Importing(stored)
	}
	if on, err := f.exchanges(); err != nil || !on {
		return nil, err
	}
	x, err := fleet.NewExchange(ctx, c, nodes, a.keep)
	if err != nil {
		return nil, err
	}
	set := exported.NewSet(nil) // exporting is no mistake where nobody collects
	if x != nil {
		set = x.Set
	}
	for i := range nodes {
		nodes[i] = nodes[i].Importing(set)
	}
	return x, nil
}
