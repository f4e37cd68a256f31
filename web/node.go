package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/report"
)

// A node: what contains what, what is wrong, what was proved, and (asked for by itself, since it needs a compile with
// provenance) the facts that decide something.

type nodePage struct {
	Name      string        `json:"name"`
	Status    string        `json:"status"`
	System    string        `json:"system"`
	Origin    string        `json:"origin,omitempty"` // of an invented node
	Compiles  bool          `json:"compiles"`
	Opaque    int           `json:"opaque,omitempty"` // attributes that could not be computed
	Verdicts  []verdictRow  `json:"verdicts"`
	Unknown   []string      `json:"unknown"`
	Problems  []*problemRow `json:"problems"`
	Change    string        `json:"change,omitempty"`
	Classes   int           `json:"classes"`
	Resources []treeRow     `json:"resources"`
}

type verdictRow struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// A treeRow is a resource, in the order of the containment tree.
type treeRow struct {
	Ref      string `json:"r"`
	Depth    int    `json:"d"`
	File     string `json:"f,omitempty"`
	Line     int    `json:"l,omitempty"`
	Below    int    `json:"n,omitempty"` // how many rows behind it are inside it
	Finding  string `json:"x,omitempty"` // a code
	Possible bool   `json:"p,omitempty"` // it is not known whether it is there
}

func (st *state) nodePage(_ context.Context, q url.Values) (any, error) {
	n, i, err := st.node(q.Get("name"))
	if err != nil {
		return nil, err
	}
	page := &nodePage{Name: n.name, Status: n.status, System: st.system(i), Compiles: n.compiles, Opaque: n.opaque,
		Origin: n.origin, Verdicts: append([]verdictRow{}, n.verdicts...), Unknown: []string{}, Problems: []*problemRow{},
		Classes: n.classes, Resources: st.tree(n), Change: st.changes()[n.name]}
	for _, p := range n.found.Problems {
		page.Problems = append(page.Problems, rowOf(p))
	}
	for _, u := range n.found.Unknown {
		page.Unknown = append(page.Unknown, clip(u, clipTitle))
	}
	return page, nil
}

// tree is the resources of a node, each behind what contains it.
func (st *state) tree(n *row) []treeRow {
	codes := map[string]string{}
	for _, p := range n.found.Open() {
		if p.Finding != nil {
			for _, r := range p.Finding.Resources {
				codes[clip(r.Ref(), clipTitle)] = p.Code
			}
		}
	}
	rows := make([]treeRow, len(n.things))
	var open []int // the rows that contain the one that is looked at
	for i, t := range n.things {
		x, depth := &st.table.things[t], int(n.depths[i])
		rows[i] = treeRow{Ref: x.ref, Depth: depth, File: x.file, Line: int(x.line), Finding: codes[x.ref],
			Possible: x.possible}
		for len(open) > 0 && rows[open[len(open)-1]].Depth >= depth {
			open = open[:len(open)-1]
		}
		for _, o := range open {
			rows[o].Below++
		}
		open = append(open, i)
	}
	return rows
}

// resource finds one of a node, by its reference as pages spell it.
func resource(c *catalog.Catalog, ref string) *catalog.Resource {
	if name, ok := catalog.ParseRef(ref); ok {
		if r := c.Resource(name.Type, name.Title); r != nil {
			return r
		}
	}
	for _, r := range c.Resources {
		if full := r.Ref(); clip(spelt(full), clipTitle) == ref || clip(full, clipTitle) == ref {
			return r
		}
	}
	return nil
}

// A factRow is a fact that decides something.
type factRow struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	At    string `json:"at,omitempty"`
}

// factsPage are the facts of a node that something in its catalog depends on.
func (st *state) factsPage(ctx context.Context, q url.Values) (any, error) {
	rec, err := st.record(ctx, q.Get("node"))
	if err != nil {
		return nil, err
	}
	var roots []provenance.Ref
	for _, r := range rec.Catalog.Resources {
		roots = append(roots, r.Existence, r.TitleRef)
		for _, p := range r.Params {
			roots = append(roots, p.Ref)
		}
	}
	out := []factRow{}
	seen := map[string]bool{}
	for _, l := range rec.Trace.Depends(roots...) {
		if l.Kind != provenance.Fact || seen[l.Path] {
			continue
		}
		seen[l.Path] = true
		row := factRow{Path: l.Path, Value: clip(factOf(rec.Facts, l.Path), clipCell)}
		if l.Place.Known() {
			row.At = l.Place.String()
		}
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b factRow) int { return strings.Compare(a.Path, b.Path) })
	return map[string]any{"facts": out}, nil
}

// resourcePage is one resource: its attributes, each with where it comes from.
func (st *state) resourcePage(ctx context.Context, q url.Values) (any, error) {
	rec, err := st.record(ctx, q.Get("node"))
	if err != nil {
		return nil, err
	}
	r := resource(rec.Catalog, q.Get("ref"))
	if r == nil {
		_, err := rec.Explain(q.Get("ref"), "")
		if err == nil {
			err = notFound("%s is not in the catalog", clip(q.Get("ref"), clipTitle))
		}
		return nil, err
	}
	type attribute struct {
		Name      string        `json:"name"`
		Value     string        `json:"value"`
		Long      bool          `json:"long,omitempty"` // it is a text of several lines
		Sensitive bool          `json:"sensitive,omitempty"`
		From      *explain.Leaf `json:"from,omitempty"`
		Places    int           `json:"places,omitempty"`
		Set       *explain.Spot `json:"set,omitempty"`
	}
	out := struct {
		Ref        string      `json:"ref"`
		At         string      `json:"at,omitempty"`
		File       string      `json:"file,omitempty"`
		Line       int         `json:"line,omitempty"`
		Via        []string    `json:"via"`
		Possible   string      `json:"possible,omitempty"`
		Attributes []attribute `json:"attributes"`
	}{Ref: clip(r.Ref(), clipTitle), Via: []string{}, Possible: r.Possible, Attributes: []attribute{}}
	if at := report.LocateResource(r); at.File != "" {
		out.File, out.Line, out.At = at.File, at.Line, r.Place.String()
	}
	for _, s := range rec.Via(r) {
		out.Via = append(out.Via, s.Text)
	}
	from := map[string]explain.Summary{}
	if a, err := rec.Explain(r.Ref(), ""); err == nil {
		for _, s := range a.Attributes {
			from[s.Name] = s
		}
	}
	for _, p := range r.Params {
		s := from[p.Name]
		a := attribute{Name: p.Name, From: s.From, Places: s.Places, Set: s.Set,
			Sensitive: s.Sensitive || r.IsSensitive(p.Name) || value.HasSensitive(p.Value)}
		a.Value = shown(r, p.Name)
		if text, is := p.Value.(value.String); is && strings.Count(string(text), "\n") > 1 {
			a.Long = true
		}
		clipLeaf(a.From)
		out.Attributes = append(out.Attributes, a)
	}
	return out, nil
}

// shown is an attribute for people, of a bounded length.
func shown(r *catalog.Resource, attribute string) string {
	p := r.Param(attribute)
	switch {
	case p == nil:
		return ""
	case r.IsSensitive(attribute):
		return catalog.Redacted
	}
	return clip(valueText(p.Value), clipCell)
}
