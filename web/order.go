package web

import (
	"context"
	"net/url"
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/verify/model"
)

// Order: what an agent applies when, what orders two resources, and the relations around one of them.

type orderPage struct {
	Node  string     `json:"node"`
	Order []orderRow `json:"order"`
	A     string     `json:"a,omitempty"`
	B     string     `json:"b,omitempty"`
	Why   []whyRow   `json:"why"`
	Says  string     `json:"says,omitempty"`
	Ref   string     `json:"ref,omitempty"`
	Graph *graph     `json:"graph,omitempty"`
	Left  int        `json:"left,omitempty"` // resources that the graph leaves out
}

type orderRow struct {
	Ref  string `json:"ref"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

type whyRow struct {
	Text string `json:"text"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

func (st *state) orderPage(ctx context.Context, q url.Values) (any, error) {
	n, _, err := st.node(q.Get("node"))
	if err != nil {
		return nil, err
	}
	rec, err := st.record(ctx, n.name)
	if err != nil {
		return nil, err
	}
	g := catalog.NewGraph(rec.Catalog, model.Types{Lookup: st.snap})
	page := &orderPage{Node: n.name, Order: []orderRow{}, Why: []whyRow{}}
	order := g.Order()
	for _, r := range order {
		row := orderRow{Ref: clip(r.Ref(), clipTitle)}
		if r.Place.Known() {
			row.File, row.Line = r.Place.File.Name, r.Place.Line()
		}
		page.Order = append(page.Order, row)
	}
	a, b := resource(rec.Catalog, q.Get("a")), resource(rec.Catalog, q.Get("b"))
	if a != nil && b != nil && a != b {
		page.A, page.B = clip(a.Ref(), clipTitle), clip(b.Ref(), clipTitle)
		page.why(g, order, a, b)
	}
	about := a
	if about == nil {
		about = b
	}
	page.neighbourhood(g, about, b)
	return page, nil
}

// why says what orders two resources.
func (page *orderPage) why(g *catalog.Graph, order []*catalog.Resource, a, b *catalog.Resource) {
	path := g.Path(a, b, false)
	if path == nil {
		if path = g.Path(b, a, false); path != nil {
			page.A, page.B = page.B, page.A
		}
	}
	if path != nil {
		page.Says = page.A + " comes before " + page.B
		for _, l := range path {
			row := whyRow{Text: clip(l.Explain(), clipLine)}
			if l.Relation != nil && l.Relation.Place.Known() {
				row.File, row.Line = l.Relation.Place.File.Name, l.Relation.Place.Line()
			}
			page.Why = append(page.Why, row)
		}
		return
	}
	i, j := slices.Index(order, a), slices.Index(order, b)
	if i < 0 || j < 0 {
		page.Says = "Nothing orders " + page.A + " and " + page.B + "."
		return
	}
	if i > j {
		page.A, page.B = page.B, page.A
	}
	page.Says = "Nothing orders " + page.A + " and " + page.B +
		". An agent happens to apply the first one first, since that is how they stand in the catalog."
}

// most nodes that a graph of relations has: more are a thicket.
const mostRelated = 60

// neighbourhood is the graph of relations around a resource, or of all if there are few.
func (page *orderPage) neighbourhood(g *catalog.Graph, about, and *catalog.Resource) {
	near := map[*catalog.Resource][]int{}
	for i, r := range g.Relations {
		near[r.From] = append(near[r.From], i)
		near[r.To] = append(near[r.To], i)
	}
	chosen := map[*catalog.Resource]bool{}
	var list []*catalog.Resource
	add := func(r *catalog.Resource) {
		if r != nil && !chosen[r] && len(list) < mostRelated {
			chosen[r] = true
			list = append(list, r)
		}
	}
	if about == nil {
		for _, r := range g.Catalog.Resources {
			if len(near[r]) > 0 {
				add(r)
			}
		}
	} else {
		add(about)
		add(and)
		for i := 0; i < len(list) && len(list) < mostRelated; i++ { // nearest first
			for _, k := range near[list[i]] {
				add(g.Relations[k].From)
				add(g.Relations[k].To)
			}
		}
	}
	page.Left = max(0, len(near)-len(list))
	if about != nil {
		page.Ref = clip(about.Ref(), clipTitle)
	}
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(x, y *catalog.Resource) int { // by the catalog, so that a choice moves little
		return slices.Index(g.Catalog.Resources, x) - slices.Index(g.Catalog.Resources, y)
	})
	out := &graph{}
	id := map[*catalog.Resource]int{}
	for _, r := range list {
		n := &graphNode{Kind: "resource", Title: clip(r.Ref(), clipCell), Ref: clip(r.Ref(), clipTitle)}
		if r.IsContainer() {
			n.Kind = "container"
		}
		if r.Place.Known() {
			n.File, n.Line = r.Place.File.Name, r.Place.Line()
		}
		id[r] = out.add(n)
	}
	for _, r := range g.Relations {
		if !chosen[r.From] || !chosen[r.To] {
			continue
		}
		kind := ""
		switch {
		case r.Auto:
			kind = "auto"
		case r.Attr == "notify" || r.Attr == "subscribe":
			kind = "refresh"
		}
		out.join(id[r.From], id[r.To], kind)
	}
	out.layout()
	page.Graph = out
}
