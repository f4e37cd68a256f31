package fleet

import (
	"context"
	"slices"

	"bunraku/diff"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/exported"
	"bunraku/source"
)

// Catalogs that PuppetDB has are what servers have really compiled, and so the best baseline there is; but they are not
// what was compiled. What is Sensitive is not in them, what is no data has become text, arrays of some metaparameters
// are sorted, aliases were added, and exported resources cannot be told from collected ones. So both sides are brought
// to the form that is left, and what that form does not have is not compared.

// CompareStored compares the catalogs that somebody has stored with those that nodes get now. Doubted are the nodes of
// which it is not known what they collect (Exchange.Doubted).
func CompareStored(ctx context.Context, stored func(name string) (*catalog.Catalog, error), c *compiler.Snapshot,
	nodes []Node, doubted map[string]string, watch Watch, opt diff.Options) (*diff.Report, error) {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Title()
	}
	r := diff.NewReport(names)
	errs := make([]error, len(nodes))
	source.Each(ctx, len(nodes), func(i int) {
		defer func() { // a bug costs the node that it happens on
			if p := recover(); p != nil {
				r.Nodes[i].State, r.Nodes[i].New = diff.Fails, source.Bug(p)
			}
		}()
		errs[i] = compareStored(ctx, stored, c, nodes[i], doubted, watch, opt, r, i)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	r.Fail()
	return r, ctx.Err()
}

func compareStored(ctx context.Context, stored func(name string) (*catalog.Catalog, error), c *compiler.Snapshot,
	n Node, doubted map[string]string, watch Watch, opt diff.Options, r *diff.Report, i int) error {
	was, err := stored(n.certname())
	if err != nil {
		return err
	}
	res, err := c.Compile(ctx, n.Node)
	if err != nil {
		return err
	}
	watch(res)
	out := r.Nodes[i]
	switch {
	case was == nil:
		out.State, out.Excuse = diff.Excused, "PuppetDB has no catalog of it"
	case res.Failure != nil:
		out.State, out.New = diff.Fails, n.reason(res.Failure)
	default:
		was, is := AsStored(was), AsStored(res.Catalog)
		out.Empty = Empty(was) || Empty(is)
		before := diff.Side{Catalog: was}
		after := diff.Side{Catalog: is, Types: c.Current(), Modules: c.Current().Environment(), Open: res.Open}
		if after.Open == "" && len(res.Asked) > 0 {
			after.Open = doubted[n.certname()]
			after.Told = after.Open != ""
		}
		changes := diff.Compare(before, after, opt)
		out.Ignored = len(changes) == 0 && diff.Ignored(before, after, opt)
		r.Add(i, changes)
	}
	return nil
}

// AsStored is a catalog as far as PuppetDB would keep it and it can be compared.
func AsStored(c *catalog.Catalog) *catalog.Catalog {
	out := &catalog.Catalog{Name: c.Name, Environment: c.Environment, Version: c.Version, Format: c.Format,
		Classes: c.Classes}
	kept := map[*catalog.Resource]*catalog.Resource{}
	for _, r := range c.Resources {
		if r.Exported {
			continue
		}
		x := *r
		x.Params, x.Sensitive, x.Tags = nil, nil, nil
		for _, p := range r.Params {
			v, ok := exported.Stored(p.Name, p.Value)
			if !ok || p.Name == "alias" || slices.Contains(r.Sensitive, p.Name) {
				continue
			}
			p.Value = v
			x.Params = append(x.Params, p)
		}
		kept[r] = &x
		out.Resources = append(out.Resources, &x)
	}
	for _, e := range c.Edges {
		if from, to := kept[e.Source], kept[e.Target]; from != nil && to != nil {
			e.Source, e.Target = from, to
			out.Edges = append(out.Edges, e)
		}
	}
	out.Seal()
	return out
}
