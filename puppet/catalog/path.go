package catalog

import (
	"cmp"
	"slices"
)

// Path is the shortest way on which one resource comes before another: the links between, in order; nil when nothing
// orders them. Of ways of the same length the one with fewer automatic relations counts, then the one whose places
// come first. A container comes before another when it is completed before the other is admitted. With refresh only
// links count that pass an event on.
func (g *Graph) Path(from, to *Resource, refresh bool) []Link {
	x := g.expanded
	return x.path(x.end(g.position[from], Completed), x.end(g.position[to], Admissible), refresh)
}

// Within is the shortest way by which a container contains a resource: its links, outermost first; nil when it does
// not.
func (g *Graph) Within(container, r *Resource) []Link {
	x := g.expanded
	from := x.end(g.position[container], Admissible)
	if from == g.position[container] || container == r {
		return nil
	}
	way := x.path(from, x.end(g.position[r], Admissible), false)
	for _, l := range way {
		if l.Contains == nil {
			return nil
		}
	}
	return way
}

// end is the number of one end of a container, or that of the resource which is none.
func (x *expansion) end(i int, which End) int {
	if x.ends == nil {
		return i
	}
	if e := x.ends[i]; e != [2]int{} {
		return e[which-Admissible]
	}
	return i
}

// A step is the best way to come to a node: the link that leads there, and how the way compares with others of its
// length.
type step struct {
	node, link int
	auto       int // automatic relations on the way
	rank       int // of the node that the link comes from, among those of its layer
	place      string
}

func compareSteps(a, b step) int {
	return cmp.Or(cmp.Compare(a.auto, b.auto), cmp.Compare(a.rank, b.rank), cmp.Compare(a.place, b.place))
}

// path goes through the graph in layers, by the number of links from the beginning.
func (x *expansion) path(from, to int, refresh bool) []Link {
	by := map[int]int{from: -1} // the link that leads to a node, of layers that are done
	for layer := []step{{node: from, link: -1}}; len(layer) > 0 && from != to; {
		next := map[int]step{}
		for rank, s := range layer {
			for _, k := range x.out[s.node] {
				l := &x.links[k]
				if _, done := by[l.to]; done || l.removed || refresh && !l.refresh {
					continue
				}
				n := step{node: l.to, link: k, auto: s.auto, rank: rank, place: l.where()}
				if l.relation != nil && l.relation.Auto {
					n.auto++
				}
				if known, has := next[l.to]; !has || compareSteps(n, known) < 0 {
					next[l.to] = n
				}
			}
		}
		layer = layer[:0]
		for _, s := range next {
			layer = append(layer, s)
			by[s.node] = s.link
		}
		slices.SortFunc(layer, func(a, b step) int { return cmp.Or(compareSteps(a, b), cmp.Compare(a.node, b.node)) })
		if _, found := by[to]; !found {
			continue
		}
		var way []Link
		for v := to; v != from; v = x.links[by[v]].from {
			way = append(way, x.public(by[v]))
		}
		slices.Reverse(way)
		return way
	}
	return nil
}

// where is the place of a link as a text that sorts.
func (l *link) where() string {
	if l.relation == nil || l.relation.Place.File == nil {
		return ""
	}
	return l.relation.Place.String()
}
