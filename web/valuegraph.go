package web

import (
	"cmp"
	"fmt"
	"strings"

	"bunraku/explain"
	"bunraku/puppet/catalog"
)

// The graph of a value, from left to right: the value, what was written, the steps on the way, the operations, and the
// places that its data stand in; behind them the levels that lost. Decisions hang on the value by edges of their own,
// and so does the way by which the declaration was reached.

// maxGraph is how many nodes a graph has at most; the rest is in the lists.
const maxGraph = 300

type valueGraph struct {
	graph
	a      *explain.Answer
	leaves map[int]int // by number in the answer's data
}

func newValueGraph(page *valuePage, a *explain.Answer) *graph {
	g := &valueGraph{a: a, leaves: map[int]int{}}
	root := g.add(&graphNode{Kind: "value", Title: strings.TrimSpace(clip(page.Ref, clipCell) + " " + page.Attribute),
		Text: clip(page.Shown, clipCell)})
	last := root
	if a.Set != nil {
		last = g.spot(last, "set", cmp.Or(a.By, "set here"), a.Set, "")
	}
	for _, s := range a.Steps {
		last = g.step(last, s)
	}
	switch {
	case a.Where != nil:
		g.leaf(last, a.Where, "")
	case a.Expression != nil && a.Expression.Op != "":
		g.term(last, a.Expression)
	default:
		for i := range a.Data {
			g.data(last, i)
		}
	}
	for i := range a.Levels { // of a Hiera key
		g.level(root, &a.Levels[i])
	}
	for _, h := range a.Path { // of a relation
		last = g.spot(last, "relation", h.From+" → "+h.To, h.At, "")
		if h.At == nil {
			g.Nodes[last].Text = h.How
		}
	}
	for i := range a.Conditions {
		c := &a.Conditions[i]
		n := g.spot(root, "condition", c.Statement+" is "+cmp.Or(c.Outcome, c.Value), c.At, "decides")
		for j := range c.Data {
			g.leaf(n, &c.Data[j], "decides")
		}
	}
	at := root
	for i := len(a.Via) - 1; i >= 0; i-- {
		at = g.spot(at, "via", a.Via[i].Name, a.Via[i].At, "via")
	}
	if len(g.Nodes) == 1 {
		return nil
	}
	g.ahead = true
	g.layout()
	return &g.graph
}

// spot adds a place behind a node.
func (g *valueGraph) spot(from int, kind, title string, at *explain.Spot, edge string) int {
	n := &graphNode{Kind: kind, Title: clip(title, clipCell)}
	if at != nil {
		n.At, n.File, n.Line, n.Text = at.String(), at.File, at.Line, clip(at.Text, clipCell)
	}
	return g.behind(from, n, edge)
}

// behind adds a node behind another; when there are too many it is that other one.
func (g *valueGraph) behind(from int, n *graphNode, edge string) int {
	if len(g.Nodes) >= maxGraph {
		return from
	}
	id := g.add(n)
	g.join(from, id, edge)
	return id
}

// step adds a variable, parameter, function or template on the way.
func (g *valueGraph) step(from int, s explain.Step) int {
	title := s.Kind + " " + s.Name
	if s.Kind == "lookup" {
		title = "Hiera lookup " + s.Name
	}
	if s.In != "" {
		title += " of " + s.In
	}
	id := g.spot(from, "step", title, s.At, "")
	if s.Kind == "lookup" && id != from {
		g.Nodes[id].Ref = "hiera:" + s.Name
	}
	return id
}

// leaf adds a place that data come from, with the steps to it and the levels that it hides.
func (g *valueGraph) leaf(from int, l *explain.Leaf, edge string) int {
	for _, s := range l.Through {
		from = g.step(from, s)
	}
	title := l.Kind
	n := &graphNode{Kind: strings.ReplaceAll(l.Kind, " ", "-")}
	switch l.Kind {
	case "datum":
		title = l.Path
		if l.Level != "" {
			title = fmt.Sprintf("level %q", l.Level)
			n.Ref = "hiera:" + strings.SplitN(l.Path, ".", 2)[0]
		}
	case "fact":
		title, n.Ref = "fact "+l.Path, "fact:"+l.Path
	case "absence":
		title = "not there: " + l.Path
	case "literal":
		title = "written here"
	case "key", "alias", "world", "node name":
		title = strings.TrimSpace(l.Kind + " " + l.Path)
	}
	n.Title, n.Text = clip(title, clipCell), l.Text
	if l.Sensitive {
		n.Text = catalog.Redacted
	}
	if l.At != nil {
		n.At, n.File, n.Line = l.At.String(), l.At.File, l.At.Line
		if l.At.Text != "" {
			n.Text = l.At.Text
		}
	}
	n.Text = clip(n.Text, clipCell)
	id := g.behind(from, n, edge)
	for i := range l.Hides { // below the one that hides them
		g.level(from, &l.Hides[i])
	}
	return id
}

// level adds what a level of Hiera has for a key.
func (g *valueGraph) level(from int, l *explain.LevelSpot) {
	if !l.Found {
		return
	}
	kind, edge := "hidden", "hides"
	if l.Used {
		kind, edge = "datum", ""
	}
	id := g.spot(from, kind, fmt.Sprintf("level %q", l.Level), l.At, edge)
	if id == from {
		return
	}
	if n := g.Nodes[id]; l.Sensitive {
		n.Text = catalog.Redacted
	} else if n.Text == "" {
		n.Text = clip(jsonText(l.Value), clipCell)
	}
}

// data adds a leaf of the expression; one that stands in several places of it is one node.
func (g *valueGraph) data(from, number int) {
	if id, there := g.leaves[number]; there {
		g.join(from, id, "")
		return
	}
	if number < len(g.a.Data) {
		g.leaves[number] = g.leaf(from, &g.a.Data[number], "")
	}
}

// term adds an operation and what it is made of.
func (g *valueGraph) term(from int, t *explain.Node) {
	if t.Leaf != nil {
		g.data(from, *t.Leaf)
		return
	}
	id := g.behind(from, &graphNode{Kind: "operation", Title: cmp.Or(t.Op, "made of")}, "")
	for _, x := range t.Args {
		g.term(id, x)
	}
}
