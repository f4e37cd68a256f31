package judge

import (
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/report"
)

// HoldsEverywhere reports whether the fix that mends a problem on its nodes does no harm on the others that have the
// same words in their catalogs: what it refers to is there too and no cycle comes of it; a guard is right for one
// command only, and a statement that names resources only where there are these and no others.
func HoldsEverywhere(p *report.Problem, all []*Verdict) bool {
	fix := p.Finding.Fix
	for _, v := range all {
		if v.Catalog == nil {
			continue
		}
		types := v.types
		if types == nil { // a node that was only compiled
			types = resource.Core{}
		}
		if fix.Target == nil {
			for _, r := range v.Catalog.Resources {
				if r.Place == fix.Resource.Place && (r.Title != fix.Resource.Title || commandOf(r) != commandOf(fix.Resource)) {
					return false
				}
			}
			continue
		}
		more, ok := fix.Relations(v.Catalog, p.Remedy.Statement != "")
		if !ok {
			return false
		}
		if len(more) > 0 && !slices.Contains(p.Nodes, v.Node.Name) &&
			len(catalog.NewGraph(v.Catalog, types).With(more...).Cycles()) > 0 {
			return false
		}
	}
	return true
}

func commandOf(r *catalog.Resource) string {
	if v := r.Get("command"); v != nil {
		return value.ToString(v)
	}
	return r.Title
}
