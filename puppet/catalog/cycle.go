package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bunraku/source"
)

// A Cycle is resources that wait for each other.
type Cycle struct {
	Members []Node // all that are entangled, sorted as Puppet sorts them
	Path    []Node // what Puppet shows: a way from the first member until a node comes again
	Steps   []Link // the part of the path that goes round, link by link
}

// Cycles finds the strongly connected parts of the expanded graph (Tarjan's algorithm, as in simple_graph.rb).
func (g *Graph) Cycles() []Cycle {
	x := g.expanded
	var cycles []Cycle
	for _, part := range x.components() {
		if len(part) == 1 && !slices.Contains(x.next(part[0]), part[0]) {
			continue
		}
		slices.SortFunc(part, func(a, b int) int { return cmp.Compare(x.nodes[a].sortKey(), x.nodes[b].sortKey()) })
		c := Cycle{Members: make([]Node, len(part))}
		for i, v := range part {
			c.Members[i] = x.nodes[v]
		}
		path := x.pathIn(part)
		for _, v := range path {
			c.Path = append(c.Path, x.nodes[v])
		}
		last := path[len(path)-1]
		for i := slices.Index(path, last); i+1 < len(path); i++ {
			c.Steps = append(c.Steps, x.best(path[i], path[i+1]))
		}
		cycles = append(cycles, c)
	}
	slices.SortFunc(cycles, func(a, b Cycle) int {
		return slices.CompareFunc(a.Members, b.Members, func(m, n Node) int { return cmp.Compare(m.sortKey(), n.sortKey()) })
	})
	return cycles
}

// components are the strongly connected components. The stack is explicit: chains in a catalog can be long.
func (x *expansion) components() [][]int {
	const unseen = -1
	index := make([]int, len(x.nodes))
	low := make([]int, len(x.nodes))
	onStack := make([]bool, len(x.nodes))
	for i := range index {
		index[i] = unseen
	}
	type frame struct{ v, next int }
	var parts [][]int
	var stack []int
	count := 0
	enter := func(v int) frame {
		index[v], low[v] = count, count
		count++
		stack = append(stack, v)
		onStack[v] = true
		return frame{v: v}
	}
	for root := range x.nodes {
		if !x.live[root] || index[root] != unseen {
			continue
		}
		frames := []frame{enter(root)}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.next < len(x.out[f.v]) {
				l := &x.links[x.out[f.v][f.next]]
				f.next++
				switch {
				case l.removed:
				case index[l.to] == unseen:
					frames = append(frames, enter(l.to))
				case onStack[l.to]:
					low[f.v] = min(low[f.v], index[l.to])
				}
				continue
			}
			v := f.v
			if low[v] == index[v] {
				i := slices.Index(stack, v)
				part := slices.Clone(stack[i:])
				for _, w := range part {
					onStack[w] = false
				}
				stack = stack[:i]
				parts = append(parts, part)
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].v
				low[up] = min(low[up], low[v])
			}
		}
	}
	return parts
}

// pathIn is Puppet's choice of a path to show: breadth first over all simple paths from the first member, until one
// comes back to itself (paths_in_cycle). That can explode in large tangles; past a bound, the shortest way round
// through the first member does.
func (x *expansion) pathIn(part []int) []int {
	const bound = 100_000
	member := map[int]bool{}
	for _, v := range part {
		member[v] = true
	}
	type frame struct{ v, up int } // up: number of the frame before
	frames := []frame{{part[0], -1}}
	for i := 0; i < len(frames) && len(frames) < bound; i++ {
		for up := frames[i].up; up >= 0; up = frames[up].up {
			if frames[up].v == frames[i].v {
				var path []int
				for k := i; k >= 0; k = frames[k].up {
					path = append(path, frames[k].v)
				}
				slices.Reverse(path)
				return path
			}
		}
		for _, to := range x.next(frames[i].v) {
			if member[to] {
				frames = append(frames, frame{to, i})
			}
		}
	}
	from := map[int]int{}
	queue := []int{part[0]}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, to := range x.next(v) {
			if _, seen := from[to]; seen || !member[to] {
				continue
			}
			from[to] = v
			queue = append(queue, to)
		}
	}
	path := []int{part[0]}
	for v := from[part[0]]; v != part[0]; v = from[v] {
		path = append(path, v)
	}
	path = append(path, part[0])
	slices.Reverse(path)
	return path
}

// best is the link between two nodes that says most: one that somebody wrote.
func (x *expansion) best(from, to int) Link {
	choice := -1
	for _, k := range x.out[from] {
		l := &x.links[k]
		if l.removed || l.to != to {
			continue
		}
		if choice < 0 || rank(l) > rank(&x.links[choice]) {
			choice = k
		}
	}
	return x.public(choice)
}

func rank(l *link) int {
	switch {
	case l.relation != nil && !l.relation.Auto:
		return 3
	case l.relation != nil:
		return 2
	case l.contains != nil:
		return 1
	}
	return 0
}

// Explain says what makes a link, and where: "Class[A] contains File[/a]".
func (l Link) Explain() string {
	switch {
	case l.Relation != nil:
		return l.Relation.String() + at(l.Relation.Place, l.Relation.By)
	case l.Contains != nil && l.From.End == Admissible:
		return l.From.String() + " contains " + l.To.String() + ", so it begins before it" +
			at(source.Place{}, l.Contains.Target)
	case l.Contains != nil:
		return l.To.String() + " contains " + l.From.String() + ", so it ends after it" +
			at(source.Place{}, l.Contains.Target)
	}
	return l.From.String() + " is empty"
}

func at(p source.Place, r *Resource) string {
	switch {
	case p.Known():
		return " at " + p.String()
	case r.Place.Known():
		return " at " + r.Place.String()
	case r.File != "":
		return fmt.Sprintf(" at %s:%d", r.File, r.Line)
	}
	return ""
}

// CycleMessage is the text in which Puppet reports cycles, backslashes and all; "" when there are none.
func CycleMessage(cycles []Cycle) string {
	if len(cycles) == 0 {
		return ""
	}
	var b strings.Builder
	if len(cycles) == 1 {
		b.WriteString("Found 1 dependency cycle:\n")
	} else {
		fmt.Fprintf(&b, "Found %d dependency cycles:\n", len(cycles))
	}
	for _, c := range cycles {
		b.WriteByte('(')
		for i, n := range c.Path {
			if i > 0 {
				b.WriteString(" => ")
			}
			b.WriteString(n.agentRef())
		}
		b.WriteString(`)\n`)
	}
	b.WriteString("Try the '--graph' option and opening the resulting '.dot' file in OmniGraffle or GraphViz")
	return b.String()
}

// Diagnostic tells the user about a cycle, link by link: beside the code, if all of it is written somewhere.
func (c Cycle) Diagnostic() *source.Diagnostic {
	written := true
	d := &source.Diagnostic{Code: "C0001",
		Help: "take one of these relations away, or move it to a resource inside the container"}
	if len(c.Steps) == 1 && c.Steps[0].Relation != nil && c.Steps[0].Relation.Auto {
		d.Help = "it names itself: no agent applies a catalog with such a resource"
	}
	var refs []string
	for i, l := range c.Steps {
		if i == 0 || refs[len(refs)-1] != l.From.String() {
			refs = append(refs, l.From.String())
		}
		d.Detail += l.Explain() + "\n"
		if l.Relation == nil || !l.Relation.Place.Known() {
			written = false
		} else {
			p := l.Relation.Place
			if !d.Place.Known() {
				d.Place, d.Label = p, l.Relation.String()
			} else {
				d.Related = append(d.Related, source.Related{Place: p, Label: l.Relation.String()})
			}
		}
	}
	if len(refs) > 0 && refs[len(refs)-1] != refs[0] {
		refs = append(refs, refs[0])
	}
	d.Detail = strings.TrimSuffix(d.Detail, "\n")
	if written {
		d.Detail = ""
	}
	d.Summary = "dependency cycle: " + strings.Join(refs, " => ")
	return d
}
