package judge

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/report"
	"bunraku/verify/model"
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
		if len(fix.Declares) > 0 {
			if !declarable(fix, v.Catalog, types, slices.Contains(p.Nodes, v.Node.Name)) {
				return false
			}
			continue
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

// declarable reports whether a catalog takes the declarations of a fix: once, since the words beside which they are
// written declare one resource, of names that it does not have, and without a cycle.
func declarable(fix *model.Fix, c *catalog.Catalog, types resource.Lookup, tried bool) bool {
	beside := len(fix.Beside(c))
	if beside == 0 {
		return true
	}
	for _, d := range fix.Declares {
		for _, r := range c.Resources {
			if r.Type != d.Type {
				continue
			}
			name := r.Title
			for _, attr := range []string{"path", "name"} {
				if v := r.Get(attr); v != nil {
					name = value.ToString(v)
				}
			}
			if r.Title == d.Title || strings.TrimRight(name, "/") == d.Title {
				return false
			}
		}
	}
	return beside == 1 && (tried || len(catalog.NewGraph(fix.Applied(c), types).Cycles()) == 0)
}

func commandOf(r *catalog.Resource) string {
	if v := r.Get("command"); v != nil {
		return value.ToString(v)
	}
	return r.Title
}
