package model

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// What a run does to the one machine that After shows need not be what it does to every machine that has the old
// catalog: somebody may have put there what the new one is about to make. All machines on which a run of OLD has
// nothing to do are those of Init on which every declared state of OLD holds (verify-claims §8), and over these it is
// asked of each resource of NEW that differs, or that acts on the machine shown, whether it acts always, on some, or
// never. More machines than there are may be looked at, where a resource of OLD has no test of its own; so "always"
// holds, and "maybe" is cautious.

// maxEverywhere bounds the resources about which it is asked.
const maxEverywhere = 200

// everywhere marks what happens on every machine that has the old catalog, and lists what happens on others only.
func (a *after) everywhere(ctx context.Context, search verify.Options) error {
	if a.u.Runs == 0 {
		return nil // no machine has come to rest with it
	}
	acts := map[*catalog.Resource]bool{}
	for _, act := range a.u.Acts {
		acts[act.Resource] = true
	}
	var of []int
	for i, r := range a.n.Resources {
		if r == nil || a.n.Graph.Resources[i].Exact == verify.Opaque {
			continue
		}
		if o := a.o.Catalog.Catalog.Resource(r.Type, r.Title); acts[r] || o == nil || !sameAttributes(o, r) {
			of = append(of, i)
		}
	}
	if len(of) > maxEverywhere {
		of = slices.DeleteFunc(of, func(i int) bool { return !acts[a.n.Resources[i]] })
		of = of[:min(len(of), maxEverywhere)]
	}
	if len(of) == 0 {
		return nil
	}
	var answers map[int]verify.Act
	err := attempt(func() error {
		an, err := verify.Prepare(a.restingGraph(), search)
		if err != nil {
			return err
		}
		if begin := an.Space.Begin(a.start); an.Space.Satisfies(begin) { // else the models do not speak of the same machines
			answers, err = an.Acts(ctx, of)
		}
		return err
	})
	if spent := (*budget.Exceeded)(nil); errors.As(err, &spent) {
		return nil // then nothing is said to happen always
	}
	if err != nil {
		return err
	}
	always := map[*catalog.Resource]bool{}
	for _, i := range of {
		r := a.n.Resources[i]
		act, known := answers[i]
		always[r] = act.Always && !a.hangs(i)
		if known && !act.Never && !acts[r] {
			a.u.Maybe = append(a.u.Maybe, r)
		}
	}
	for k := range a.u.Acts {
		act := &a.u.Acts[k]
		if act.Exact != verify.Exact {
			continue
		}
		if act.Told == nil {
			act.Always = always[act.Resource] && act.Verb != Purges
		} else {
			act.Always = always[act.Told] && a.kept(act.Resource)
		}
	}
	return nil
}

// restingGraph is the new catalog on the machines on which the old one has nothing to do.
func (a *after) restingGraph() *verify.Graph {
	g := *a.n.Graph
	g.Init.Assume, g.Init.Closed = slices.Clone(g.Init.Assume), maps.Clone(g.Init.Closed)
	g.Init.Assume = append(g.Init.Assume, a.o.Graph.Init.Assume...)
	for name, values := range a.o.Graph.Init.Closed {
		have, known := g.Init.Closed[name]
		for _, v := range values {
			if !slices.Contains(have, v) {
				have = append(slices.Clip(have), v)
			}
		}
		if _, speaks := a.n.Graph.Fresh.Vars[name]; known || !speaks {
			g.Init.Closed[name] = have
		}
		if strings.HasPrefix(name, "package ") {
			// Only who removes packages tells apart one that was never there from one whose configuration was left.
			for _, v := range a.n.Graph.Init.Closed[name] {
				if v == fs.Text(removed) && !slices.Contains(values, v) {
					g.Init.Assume = append(g.Init.Assume, fs.Not{P: fs.VarIs(name, removed)})
				}
			}
		}
	}
	for _, r := range a.o.Graph.Resources {
		if r.Post != nil && r.Exact == verify.Exact {
			g.Init.Assume = append(g.Init.Assume, r.Post)
		}
	}
	return &g
}

// hangs reports whether what a resource does hangs on a point that nothing known decides.
func (a *after) hangs(i int) bool {
	u := newPaths()
	u.expr(a.n.Graph.Resources[i].Program)
	for name := range u.vars {
		if strings.HasPrefix(name, "whether ") {
			return true
		}
	}
	return slices.ContainsFunc(a.n.Open, func(p Point) bool {
		path, _, is := strings.Cut(p.Text, " is there")
		return is && u.kind[fs.Path(path)]
	})
}

// kept reports whether both catalogs keep a service running, so that it runs on every machine that has the old one.
func (a *after) kept(r *catalog.Resource) bool {
	o := a.o.Catalog.Catalog.Resource(r.Type, r.Title)
	if r.Type != "Service" || o == nil {
		return r.Type == "Exec"
	}
	is := func(b *builder, r *catalog.Resource) bool { it := b.itemAt(r); return it != nil && runs(it) }
	return is(a.o.from, o) && is(a.n.from, r)
}
