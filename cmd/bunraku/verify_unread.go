package main

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
)

// unreadJSON is an automatic relation that only an agent can work out.
type unreadJSON struct {
	Resource string `json:"resource"`
	Relation string `json:"relation"`
	Target   string `json:"target"`
	Why      string `json:"why"`
}

func toUnreadJSON(list []catalog.Unread) (out []unreadJSON) {
	for _, u := range list {
		out = append(out, unreadJSON{u.Resource.Ref(), u.Kind.String(), u.Target, u.Why})
	}
	return out
}

// unreadText says which automatic relations are not known: one line for each type and kind of relation, at most a few.
func unreadText(list []catalog.Unread) (lines []string) {
	type group struct {
		typ     string
		kind    resource.Relation
		targets []string
		refs    []string
		why     string
	}
	var groups []*group
	add := func(list []string, s string) []string {
		if slices.Contains(list, s) {
			return list
		}
		return append(list, s)
	}
	for _, u := range list {
		k := slices.IndexFunc(groups, func(g *group) bool { return g.typ == u.Resource.Type && g.kind == u.Kind })
		if k < 0 {
			k = len(groups)
			groups = append(groups, &group{typ: u.Resource.Type, kind: u.Kind, why: u.Why})
		}
		g := groups[k]
		g.targets, g.refs = add(g.targets, u.Target), add(g.refs, u.Resource.Ref())
	}
	for k, g := range groups {
		if k == 3 {
			return append(lines, "… (--format json lists all)")
		}
		who := g.refs[0]
		if len(g.refs) > 1 {
			who = fmt.Sprintf("%d %s", len(g.refs), g.typ)
		}
		slices.Sort(g.targets)
		why := g.why
		if what, refused := strings.CutPrefix(why, "refused: "); refused {
			why = "it takes an agent: " + what
		}
		lines = append(lines, fmt.Sprintf("not known: the automatic %s of %s on %s (%s)", g.kind, who,
			strings.Join(g.targets, ", "), why))
	}
	return lines
}
