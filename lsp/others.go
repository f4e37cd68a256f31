package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"
)

// Answers are about a few nodes, an edit is made for all of them: one that is good for those may break another. So it
// is tried on every node that there is.

// mostTried is how many nodes a change of many files, or one that is not kept, is tried on.
const mostTried = 200

// everybody are all nodes.
func (f *folder) everybody(ctx context.Context, view source.Files) ([]fleet.Node, error) {
	c := f.look(view)
	c.Choose = nil
	err := c.FindNodes(ctx)
	return c.Nodes, err
}

// trial are the nodes that a change is tried on, of how many: all, if they are not too many, otherwise those that
// answers are about.
func (f *folder) trial(ctx context.Context, view source.Files) (nodes []fleet.Node, of int, err error) {
	if nodes, err = f.everybody(ctx, view); err != nil {
		return nil, 0, err
	}
	of = len(nodes)
	if of > mostTried {
		nodes, err = f.nodes(ctx, view)
	}
	return nodes, of, err
}

// sample are the nodes that a change of a few files is tried on, of how many: all, if they are not too many. Of more it
// is as many as may be, those first that have something that the files define, and as few as possible that have the
// same classes.
func (f *folder) sample(ctx context.Context, view source.Files, files []*entry) (nodes []fleet.Node, of int,
	err error) {
	all, err := f.everybody(ctx, view)
	if err != nil || len(all) <= mostTried {
		return all, len(all), err
	}
	var defined []string
	for _, e := range files {
		defined = append(defined, definedIn(e)...)
	}
	type place struct {
		lacks bool // what the files define
		nth   int  // of those that have the same classes
	}
	places, alike := make(map[string]place, len(all)), map[string]int{}
	f.mu.Lock()
	for _, n := range all {
		p := place{lacks: !f.has(n, defined)}
		if k := f.counted[n.Title()]; k != nil && k.has != nil { // others may have anything
			kind := strings.Join(slices.Sorted(maps.Keys(k.has)), " ")
			p.nth = alike[kind]
			alike[kind]++
		}
		places[n.Title()] = p
	}
	f.mu.Unlock()
	nodes = slices.Clone(all)
	slices.SortStableFunc(nodes, func(a, b fleet.Node) int {
		p, q := places[a.Title()], places[b.Title()]
		switch {
		case p.lacks != q.lacks && q.lacks:
			return -1
		case p.lacks != q.lacks:
			return 1
		}
		return p.nth - q.nth
	})
	return nodes[:mostTried], len(all), nil
}

// catalogs compiles nodes in a view, each told what others of them export.
func (f *folder) catalogs(ctx context.Context, view source.Files, nodes []fleet.Node) ([]fleet.Compiled, error) {
	snap, err := f.ws.Snapshot(ctx, view)
	if err != nil {
		return nil, err
	}
	if nodes, err = f.exchanged(ctx, snap, nodes); err != nil {
		return nil, err
	}
	out, _, err := fleet.Compile(ctx, snap, f.judge(), nodes, f.server.opt.Watch)
	if err == nil {
		err = ctx.Err()
	}
	return out, err
}

// exchanged are nodes that were told what others of them export.
func (f *folder) exchanged(ctx context.Context, snap *compiler.Snapshot, nodes []fleet.Node) ([]fleet.Node, error) {
	tell := f.server.opt.Exchange
	if tell == nil || slices.ContainsFunc(nodes, func(n fleet.Node) bool { return n.Invented != nil }) {
		return nodes, nil
	}
	nodes = slices.Clone(nodes)
	_, err := tell(ctx, snap, nodes)
	return nodes, err
}

// The others are the nodes that a check has not looked at. They are compiled when somebody asks for an edit, once for
// all edits of the check; who loses patience finds the work done so far the next time.
type others struct {
	folder   *folder
	view     source.Files
	looked   map[string]bool   // the nodes that were looked at, by title
	problems []*report.Problem // those that have an edit

	mu     sync.Mutex
	snap   *compiler.Snapshot // nil before anybody asks
	left   []fleet.Node       // those that were not compiled yet
	harmed map[*report.Problem]bool
}

// newOthers are the nodes that a check has not looked at.
func (f *folder) newOthers(c *fleet.Check) *others {
	o := &others{folder: f, view: c.View, looked: map[string]bool{}, harmed: map[*report.Problem]bool{}}
	for _, n := range c.Nodes {
		o.looked[n.Title()] = true
	}
	return o
}

// spared reports whether the edit that mends a problem does no harm on any of the others.
func (o *others) spared(ctx context.Context, p *report.Problem) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.snap == nil && o.begin(ctx) != nil {
		return false
	}
	for len(o.left) > 0 && !o.harmed[p] {
		const atOnce = 16
		batch := o.left[:min(atOnce, len(o.left))]
		compiled, _, err := fleet.Compile(ctx, o.snap, o.folder.judge(), batch, o.folder.server.opt.Watch)
		if err != nil || ctx.Err() != nil {
			return false
		}
		for _, q := range o.problems {
			o.harmed[q] = o.harmed[q] || !fleet.Spares(q, compiled)
		}
		o.left = o.left[len(batch):]
	}
	return !o.harmed[p]
}

// begin finds the nodes.
func (o *others) begin(ctx context.Context) error {
	nodes, err := o.folder.everybody(ctx, o.view)
	if err != nil {
		return err
	}
	snap, err := o.folder.ws.Snapshot(ctx, o.view)
	if err != nil {
		return err
	}
	if nodes, err = o.folder.exchanged(ctx, snap, nodes); err != nil {
		return err
	}
	o.left = slices.DeleteFunc(slices.Clone(nodes), func(n fleet.Node) bool { return o.looked[n.Title()] })
	o.snap = snap
	return ctx.Err()
}
