package web

import (
	"cmp"
	"slices"
)

// Graphs are laid out here, not in the browser: the same graph always has the same coordinates, a page can be printed
// or tested without running anything, and a small change moves little.
//
// The layout is that of Sugiyama, Tagawa and Toda in its plainest form. Nodes are put into columns, each behind all
// that lead to it; within a column they are ordered by where their neighbours stand, ties broken by the order in which
// they were given; then each is put as high as its column allows, but not above the first of those that lead to it.
// That last rule is what keeps a layout still: what comes in below moves nothing above, and no column is centred. A
// node that nothing follows has no say in how the columns before it are ordered: it may come and go.

// A graph is nodes with coordinates, and edges between them.
type graph struct {
	Nodes  []*graphNode `json:"nodes"`
	Edges  []graphEdge  `json:"edges"`
	Width  int          `json:"width"`
	Height int          `json:"height"`

	ahead bool // columns are ordered by what leads to them alone: what was given first stays on top
}

type graphNode struct {
	ID    int    `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	At    string `json:"at,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Ref and Attribute are what a click leads to, on the same node.
	Ref       string `json:"ref,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	X         int    `json:"x"`
	Y         int    `json:"y"`
}

type graphEdge struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Kind string `json:"kind,omitempty"` // decides, hides, via, auto, refresh
	Text string `json:"text,omitempty"`
}

// Measures of the layout, in pixels.
const (
	boxWidth  = 232
	boxHeight = 74
	gapX      = 44
	gapY      = 18
)

// add adds a node.
func (g *graph) add(n *graphNode) int {
	n.ID = len(g.Nodes)
	g.Nodes = append(g.Nodes, n)
	return n.ID
}

// join adds an edge, once.
func (g *graph) join(from, to int, kind string) {
	e := graphEdge{From: from, To: to, Kind: kind}
	if from != to && !slices.Contains(g.Edges, e) {
		g.Edges = append(g.Edges, e)
	}
}

// layout gives every node its coordinates.
func (g *graph) layout() {
	columns := g.columns()
	behind, before := g.neighbours()
	last := make([]bool, len(g.Nodes))
	for n := range behind {
		last[n] = len(behind[n]) == 0
	}
	for n, list := range behind {
		behind[n] = slices.DeleteFunc(list, func(m int) bool { return last[m] })
	}
	place := make([]int, len(g.Nodes)) // within its column
	for _, col := range columns {
		for i, n := range col {
			place[n] = i
		}
	}
	for sweep := range 4 {
		for k := range columns {
			near := before
			if sweep%2 == 1 && !g.ahead {
				k = len(columns) - 1 - k
				near = behind
			}
			g.order(columns[k], near, place)
		}
	}
	for k, col := range columns {
		free := 0
		for _, n := range col {
			y := free
			if first := highest(g, before[n]); first > y {
				y = first
			}
			g.Nodes[n].X, g.Nodes[n].Y = k*(boxWidth+gapX), y
			free = y + boxHeight + gapY
			g.Height = max(g.Height, y+boxHeight)
		}
		g.Width = max(g.Width, k*(boxWidth+gapX)+boxWidth)
	}
}

// highest is where the first of some nodes stands.
func highest(g *graph, list []int) int {
	y := -1
	for _, n := range list {
		if y < 0 || g.Nodes[n].Y < y {
			y = g.Nodes[n].Y
		}
	}
	return y
}

// columns puts every node behind all that lead to it. An edge that would go round is passed over.
func (g *graph) columns() (out [][]int) {
	behind, _ := g.neighbours()
	depth := make([]int, len(g.Nodes))
	state := make([]uint8, len(g.Nodes)) // 1 on the way, 2 done
	var order []int
	back := map[[2]int]bool{}
	var visit func(n int)
	visit = func(n int) {
		state[n] = 1
		for _, m := range behind[n] {
			switch state[m] {
			case 0:
				visit(m)
			case 1:
				back[[2]int{n, m}] = true
			}
		}
		state[n] = 2
		order = append(order, n)
	}
	for n := range g.Nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	slices.Reverse(order)
	for _, n := range order {
		for _, m := range behind[n] {
			if !back[[2]int{n, m}] {
				depth[m] = max(depth[m], depth[n]+1)
			}
		}
	}
	for n, d := range depth {
		for len(out) <= d {
			out = append(out, nil)
		}
		out[d] = append(out[d], n)
	}
	return out
}

func (g *graph) neighbours() (behind, before [][]int) {
	behind, before = make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		behind[e.From] = append(behind[e.From], e.To)
		before[e.To] = append(before[e.To], e.From)
	}
	return behind, before
}

// order sorts a column by the middle of each node's neighbours; what has none stays where it is.
func (g *graph) order(col []int, near [][]int, place []int) {
	key := map[int]float64{}
	for i, n := range col {
		key[n] = float64(i)
		if len(near[n]) > 0 {
			sum := 0
			for _, m := range near[n] {
				sum += place[m]
			}
			key[n] = float64(sum) / float64(len(near[n]))
		}
	}
	slices.SortStableFunc(col, func(a, b int) int { return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(a, b)) })
	for i, n := range col {
		place[n] = i
	}
}
