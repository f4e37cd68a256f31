package diff

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
)

// movedFrom begins the words for a resource that is in another container.
const movedFrom = "moved from "

// relations tells which resources that both catalogs have are ordered on one side only, and which cycles are new or
// gone. Relations that are written are attributes, and told as such; here it is about those that nobody wrote: that a
// file is managed after its owner, and which class or define a resource is in, which decides what it waits for.
func (c *comparison) relations() {
	old, new := catalog.NewGraph(c.from.Catalog, c.from.types()), catalog.NewGraph(c.to.Catalog, c.to.types())
	was, is := automatic(old), automatic(new)
	inOld, inNew := resources(c.from.Catalog), resources(c.to.Catalog)
	both := func(rel catalog.Relation) bool {
		for _, n := range []catalog.Name{rel.From.Name(), rel.To.Name()} {
			if inOld[n] == nil || inNew[n] == nil {
				return false // it is told with the resource
			}
		}
		return true
	}
	tell := func(gone bool, here, there map[string]catalog.Relation) {
		for _, text := range keys(here) {
			rel := here[text]
			if _, stays := there[text]; stays || !both(rel) {
				continue
			}
			x := &Change{Kind: Relation, Name: rel.By.Name(), Text: text, Gone: gone, Attribute: rel.Attr}
			x.old, x.new = inOld[x.Name], inNew[x.Name]
			c.add(x)
		}
	}
	tell(true, was, is)
	tell(false, is, was)
	oldIn, newIn := containers(c.from.Catalog), containers(c.to.Catalog)
	for _, r := range c.from.Catalog.Resources {
		s := inNew[r.Name()]
		if s == nil {
			continue
		}
		a, b := within(oldIn[r]), within(newIn[s])
		if a != b {
			c.add(&Change{Kind: Relation, Name: r.Name(), Text: movedFrom + a + " to " + b, old: r, new: s})
		}
	}
	before, after := cycles(old), cycles(new)
	for _, text := range keys(before) {
		if _, stays := after[text]; !stays {
			c.add(&Change{Kind: Cycle, Name: before[text], Text: text, Gone: true})
		}
	}
	for _, text := range keys(after) {
		if _, was := before[text]; !was {
			c.add(&Change{Kind: Cycle, Name: after[text], Text: text})
		}
	}
}

// automatic are the relations that types ask for, by their words.
func automatic(g *catalog.Graph) map[string]catalog.Relation {
	out := map[string]catalog.Relation{}
	for _, rel := range g.Relations {
		if rel.Auto {
			out[rel.String()] = rel
		}
	}
	return out
}

// containers are what each resource is directly in.
func containers(c *catalog.Catalog) map[*catalog.Resource][]*catalog.Resource {
	out := make(map[*catalog.Resource][]*catalog.Resource, len(c.Edges))
	for _, e := range c.Edges {
		out[e.Target] = append(out[e.Target], e.Source)
	}
	return out
}

// within is what a resource is in, in words. A class may be contained in several; that it is in its stage then says
// nothing more.
func within(in []*catalog.Resource) string {
	var names []string
	for _, r := range in {
		if name := r.Ref(); (r.Type != "Stage" || len(in) == 1) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(sorted(names), " and ")
}

// cycles are the resources that wait for each other, by the words for them.
func cycles(g *catalog.Graph) map[string]catalog.Name {
	out := map[string]catalog.Name{}
	for _, c := range g.Cycles() {
		var members []string
		for _, m := range c.Members {
			if text := m.String(); !slices.Contains(members, text) {
				members = append(members, text)
			}
		}
		out[strings.Join(sorted(members), ", ")] = c.Members[0].Resource.Name()
	}
	return out
}

func keys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
