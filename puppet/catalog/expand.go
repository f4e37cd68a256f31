package catalog

import "container/heap"

// A Node stands in the expanded graph: a resource, or one end of a container. Puppet calls the ends "admissible" and
// "completed".
type Node struct {
	Resource *Resource
	End      End
}

// An End is which part of a resource a Node is.
type End uint8

// The ends: Whole for what is no container.
const (
	Whole End = iota
	Admissible
	Completed
)

// String is the resource, whichever end.
func (n Node) String() string { return n.Resource.Ref() }

// agentRef is the reference as the agent writes it: it takes the main class for one that is called main.
func (n Node) agentRef() string {
	if n.Resource.Type == "Class" && n.Resource.Title == "main" {
		return "Class[Main]"
	}
	return n.Resource.Ref()
}

// sortKey is the reference by which Puppet sorts.
func (n Node) sortKey() string {
	switch n.End {
	case Admissible:
		return "Whit[admissible_" + n.agentRef() + "]"
	case Completed:
		return "Whit[completed_" + n.agentRef() + "]"
	}
	return n.agentRef()
}

// A Link is an edge of the expanded graph. It comes from a relation, from containment, or (neither) joins the ends of
// an empty container.
type Link struct {
	From, To Node
	Relation *Relation
	Contains *Edge
	Refresh  bool
}

// expansion is the graph without containers (replace_containers_with_anchors). Nodes are numbered: resource i is i; the
// ends of the k-th container follow behind all resources. Edges are kept in the order in which Puppet adds them, since
// that order decides which path of a cycle it shows.
type expansion struct {
	g     *Graph
	nodes []Node
	place []int // of a node: the position in the catalog that it is run by
	live  []bool
	links []link
	out   [][]int // by node: numbers of links
	in    [][]int
	ends  [][2]int // by resource: the numbers of a container's two ends
}

type link struct {
	from, to int
	relation *Relation
	contains *Edge
	refresh  bool
	removed  bool
}

func expand(g *Graph) *expansion {
	c := g.Catalog
	n := len(c.Resources)
	x := &expansion{g: g, nodes: make([]Node, n, 2*n), place: make([]int, n, 2*n), live: make([]bool, n, 2*n),
		out: make([][]int, n, 2*n), in: make([][]int, n, 2*n), ends: make([][2]int, n)}
	admissible, completed := make([]int, n), make([]int, n)
	var containers []int
	for i, r := range c.Resources {
		x.nodes[i], x.place[i], x.live[i] = Node{Resource: r}, i, true
		admissible[i], completed[i] = i, i
		if g.container(i) {
			containers = append(containers, i)
		}
	}
	for i := range g.Relations {
		rel := &g.Relations[i]
		x.join(link{from: g.position[rel.From], to: g.position[rel.To], relation: rel, refresh: rel.Kind.Refreshes()})
	}
	for _, i := range containers {
		for _, end := range []End{Admissible, Completed} {
			x.nodes = append(x.nodes, Node{c.Resources[i], end})
			x.place = append(x.place, i)
			x.live = append(x.live, true)
			x.out, x.in = append(x.out, nil), append(x.in, nil)
		}
		admissible[i], completed[i] = len(x.nodes)-2, len(x.nodes)-1
		x.ends[i] = [2]int{admissible[i], completed[i]}
	}
	contents := make([][]*Edge, n)
	inside := make(map[[2]int]bool, len(c.Edges))
	for i := range c.Edges {
		e := &c.Edges[i]
		s := g.position[e.Source]
		if pair := [2]int{s, g.position[e.Target]}; !inside[pair] {
			inside[pair] = true
			contents[s] = append(contents[s], e)
		}
	}
	for _, i := range containers {
		if len(contents[i]) == 0 {
			x.join(link{from: admissible[i], to: completed[i]})
		}
		for _, e := range contents[i] {
			v := g.position[e.Target]
			x.join(link{from: admissible[i], to: admissible[v], contains: e, refresh: true})
			x.join(link{from: completed[v], to: completed[i], contains: e, refresh: true})
		}
		for _, k := range x.grouped(x.in[i], false) {
			l := x.links[k]
			l.from, l.to = completed[l.from], admissible[i]
			x.join(l)
			x.links[k].removed = true
		}
		for _, k := range x.grouped(x.out[i], true) {
			l := x.links[k]
			l.from, l.to = completed[i], admissible[l.to]
			x.join(l)
			x.links[k].removed = true
		}
	}
	for _, i := range containers {
		x.live[i] = false
	}
	return x
}

func (x *expansion) join(l link) {
	k := len(x.links)
	x.links = append(x.links, l)
	x.out[l.from] = append(x.out[l.from], k)
	x.in[l.to] = append(x.in[l.to], k)
}

// grouped is the links of a node that are left, those to (or from) one neighbour together, as Puppet's table of tables
// has them.
func (x *expansion) grouped(list []int, out bool) []int {
	end := func(k int) int {
		if out {
			return x.links[k].to
		}
		return x.links[k].from
	}
	var order []int
	groups := map[int][]int{}
	for _, k := range list {
		if x.links[k].removed {
			continue
		}
		if groups[end(k)] == nil {
			order = append(order, end(k))
		}
		groups[end(k)] = append(groups[end(k)], k)
	}
	var all []int
	for _, o := range order {
		all = append(all, groups[o]...)
	}
	return all
}

// next are the nodes that a node has links to, each once.
func (x *expansion) next(v int) []int {
	var out []int
	seen := map[int]bool{}
	for _, k := range x.out[v] {
		if l := &x.links[k]; !l.removed && !seen[l.to] {
			seen[l.to] = true
			out = append(out, l.to)
		}
	}
	return out
}

func (x *expansion) public(k int) Link {
	l := &x.links[k]
	return Link{x.nodes[l.from], x.nodes[l.to], l.relation, l.contains, l.refresh}
}

// Links are the edges of the graph in which every container is replaced by its two ends.
func (g *Graph) Links() []Link {
	x := g.expanded
	out := make([]Link, 0, len(x.links))
	for k := range x.links {
		if !x.links[k].removed {
			out = append(out, x.public(k))
		}
	}
	return out
}

// Walk calls f for every node in the order in which an agent comes to it: among those that nothing holds back, the
// first in the catalog (Puppet's SequentialPrioritizer). Nodes on or behind a cycle are never reached; Walk says how
// many.
func (g *Graph) Walk(f func(Node)) (unreached int) {
	x := g.expanded
	blockers := make([]int, len(x.nodes))
	ready := &queue{place: x.place}
	for v := range x.nodes {
		if !x.live[v] {
			continue
		}
		seen := map[int]bool{}
		for _, k := range x.in[v] {
			if l := &x.links[k]; !l.removed && !seen[l.from] {
				seen[l.from] = true
				blockers[v]++
			}
		}
		unreached++
		if blockers[v] == 0 {
			ready.nodes = append(ready.nodes, v)
		}
	}
	heap.Init(ready)
	for ready.Len() > 0 {
		v := heap.Pop(ready).(int)
		f(x.nodes[v])
		unreached--
		for _, to := range x.next(v) {
			if blockers[to]--; blockers[to] == 0 {
				heap.Push(ready, to)
			}
		}
	}
	return unreached
}

// Order is the resources, containers left out, in the order in which an agent applies them.
func (g *Graph) Order() []*Resource {
	var out []*Resource
	g.Walk(func(n Node) {
		if n.End == Whole {
			out = append(out, n.Resource)
		}
	})
	return out
}

// queue is the nodes that can run, by their place in the catalog.
type queue struct{ nodes, place []int }

func (q *queue) Len() int { return len(q.nodes) }
func (q *queue) Less(i, j int) bool {
	a, b := q.nodes[i], q.nodes[j]
	if q.place[a] != q.place[b] {
		return q.place[a] < q.place[b]
	}
	return a < b
}
func (q *queue) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }
func (q *queue) Push(v any)    { q.nodes = append(q.nodes, v.(int)) }
func (q *queue) Pop() any {
	v := q.nodes[len(q.nodes)-1]
	q.nodes = q.nodes[:len(q.nodes)-1]
	return v
}
