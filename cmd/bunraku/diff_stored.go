package main

import (
	"context"
	"path/filepath"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// fromPuppetDB is what --from is called when the old side is what PuppetDB has.
const fromPuppetDB = "puppetdb"

// storedNote says what is not compared with catalogs of PuppetDB.
const storedNote = "PuppetDB keeps neither what is Sensitive nor which exported resources a node has for itself: those " +
	"are not compared, nor are aliases."

// diffStored compares the catalogs that PuppetDB has with those of the work tree.
func (a *app) diffStored(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags, compare diff.Options) (
	*diff.Report, error) {
	switch {
	case f.to != "":
		return nil, fail("--from puppetdb compares with the work tree: --to cannot be given with it")
	case f.puppetdb.url == "":
		return nil, fail("--from puppetdb needs --puppetdb https://HOST:8081")
	}
	client, err := f.puppetdb.client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	opt := a.options(cmd, &f.compileFlags)
	opt.StandIn = true
	ws := compiler.NewWorkspace(root, opt)
	view := ws.Disk()
	real, err := fleet.Nodes(view, root, f.facts)
	if err != nil {
		return nil, err
	}
	if len(real) == 0 {
		return nil, fail("there are no facts of nodes: `bunraku facts pull` fetches them")
	}
	everybody := fleet.Real(real)
	for i := range everybody {
		if err := f.assign(view, &everybody[i].Node); err != nil {
			return nil, err
		}
	}
	c, err := ws.Snapshot(ctx, view)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	here, others, err := fleet.AtHome(ctx, c, everybody)
	if err != nil {
		return nil, err
	}
	everybody = append(here, fleet.Exporters(others)...) // all of them may export something
	exchange, err := a.tell(ctx, &f.compileFlags, c, everybody)
	if err != nil {
		return nil, err
	}
	var doubted map[string]string
	if exchange != nil {
		doubted = exchange.Doubted(everybody)
	}
	patterns := f.nodes
	if f.node != "" {
		patterns = append(patterns, f.node)
	}
	nodes, err := fleet.Pick(everybody, patterns)
	if err != nil {
		return nil, err
	}
	nodes, abroad, err := fleet.AtHome(ctx, c, nodes)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, nobodyHere(abroad)
	}
	bar := a.progress("comparing nodes", len(nodes))
	defer bar.stop()
	r, err := fleet.CompareStored(ctx, func(name string) (*catalog.Catalog, error) {
		defer bar.step()
		return client.Catalog(ctx, name)
	}, c, nodes, doubted, a.keep, compare)
	if err != nil {
		return nil, err
	}
	r.Name, r.From, r.To = filepath.Base(source.Absolute(root)), "PuppetDB", fleet.WorkTree
	r.Notes = append(r.Notes, storedNote)
	for _, x := range abroad {
		r.Notes = append(r.Notes, "Left out: "+x.Text()+".")
	}
	return r, nil
}
