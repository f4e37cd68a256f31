package catalog

import "slices"

// kept are the attributes that Brief keeps: those that relate resources, and those by which they are found.
var kept = []string{"before", "require", "notify", "subscribe", "alias", "name", "path", "command"}

// Brief is what there is in a catalog and how it is related, without the other attributes: enough for a catalog that is
// counted, listed and looked up in, but neither verified nor shown. It holds nothing of the original.
func (c *Catalog) Brief() *Catalog {
	out := &Catalog{Name: c.Name, Environment: c.Environment, Version: c.Version, Format: c.Format,
		Classes: slices.Clone(c.Classes), Resources: make([]*Resource, len(c.Resources)), Edges: make([]Edge, len(c.Edges))}
	room := make([]Resource, len(c.Resources))
	brief := make(map[*Resource]*Resource, len(c.Resources))
	for i, r := range c.Resources {
		n := &room[i]
		*n = Resource{Type: r.Type, Title: r.Title, Kind: r.Kind, File: r.File, Line: r.Line, Exported: r.Exported,
			Virtual: r.Virtual, Place: r.Place, Possible: r.Possible}
		for _, p := range r.Params {
			if slices.Contains(kept, p.Name) {
				n.Params = append(n.Params, Param{Name: p.Name, Value: p.Value, Place: p.Place})
			}
		}
		out.Resources[i], brief[r] = n, n
	}
	for i, e := range c.Edges {
		out.Edges[i] = Edge{Source: brief[e.Source], Target: brief[e.Target]}
	}
	return out
}
