package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/source"
)

// Nodes exchange resources: what one exports (@@), others collect (<<| |>>). In production PuppetDB carries them from a
// run to the next; here all nodes are compiled, then those again that would be told something else now, until nobody
// would. That is where a site comes to rest if all its agents run often enough. A define that is collected may export
// in its turn, so a round need not be the last; a site whose nodes answer each other never rests, and after a few
// rounds that is said.
//
// All nodes of a round are told the same: nobody comes first. A node whose catalog fails goes on exporting what it did
// when it last had one, since PuppetDB keeps that one. So two nodes that export and collect one title both fail, while
// in production that of them fails which ran later.

// mostRounds is how often nodes are compiled until they have been told everything.
const mostRounds = 5

// An Exchange is what the nodes of a fleet export in one state of a tree.
type Exchange struct {
	Set    *exported.Set
	Rounds int
	// Restless are nodes that would be told something else once more when it was given up.
	Restless []string
	// Results are those of the last compiles, by the node's number. A node whose work was ended before has none.
	Results []*eval.Result

	exports  [][]*exported.Resource // of each node's last compile that came to a catalog
	compiled []bool                 // whether there was one
}

// NewExchange compiles nodes until they have been told all that others of them export. It gives nil if no manifest of
// the environment collects what is exported: then nobody needs to be told anything.
func NewExchange(ctx context.Context, c *compiler.Snapshot, nodes []Node, watch Watch) (*Exchange, error) {
	if len(nodes) == 0 || !c.Collects() {
		return nil, nil
	}
	return exchange(ctx, c, nodes, nil, watch)
}

// exchange is NewExchange of a site that has been another one before, if that is given.
func exchange(ctx context.Context, c *compiler.Snapshot, nodes []Node, before *Exchange, watch Watch) (*Exchange,
	error) {
	x := &Exchange{Set: exported.NewSet(nil), Results: make([]*eval.Result, len(nodes)),
		exports: make([][]*exported.Resource, len(nodes)), compiled: make([]bool, len(nodes))}
	homes, err := openHomes(ctx, c, nodes)
	if err != nil {
		return nil, err
	}
	todo := make([]int, len(nodes))
	for i := range todo {
		todo[i] = i
	}
	for len(todo) > 0 && ctx.Err() == nil {
		if x.Rounds++; x.Rounds > mostRounds {
			x.Rounds--
			for _, i := range todo {
				x.Restless = append(x.Restless, nodes[i].Title())
			}
			return x, nil
		}
		errs := make([]error, len(todo))
		source.Each(ctx, len(todo), func(k int) {
			i := todo[k]
			x.Results[i], errs[k] = homes[nodes[i].Home].Compile(ctx, nodes[i].Importing(x.Set).Node)
			if errs[k] == nil && watch != nil {
				watch(x.Results[i])
			}
		})
		for _, err := range errs {
			if err != nil && ctx.Err() == nil {
				return nil, err
			}
		}
		was := x.Set
		x.gather(before)
		if was.Digest() == x.Set.Digest() {
			return x, nil
		}
		todo = slices.Collect(x.curious(nodes, was))
	}
	return x, nil
}

// openHomes are the environments that nodes are compiled from, by their directories; "" is the one that is looked at.
func openHomes(ctx context.Context, c *compiler.Snapshot, nodes []Node) (map[string]*compiler.Snapshot, error) {
	homes := map[string]*compiler.Snapshot{"": c}
	for _, n := range nodes {
		if homes[n.Home] != nil {
			continue
		}
		beside, err := c.Beside(ctx, n.Home)
		if err != nil {
			return nil, err
		}
		homes[n.Home] = beside
	}
	return homes, nil
}

// gather makes the set of what all nodes export; those that came to no catalog, what they exported before.
func (x *Exchange) gather(before *Exchange) {
	for i, r := range x.Results {
		switch {
		case r != nil && r.Failure == nil:
			x.exports[i], x.compiled[i] = r.Exports, true
		case r != nil && before != nil && !x.compiled[i]:
			x.exports[i] = before.exports[i]
		}
	}
	x.Set = exported.NewSet(slices.Concat(x.exports...))
}

// curious are the nodes that would be told something else now than they were.
func (x *Exchange) curious(nodes []Node, was *exported.Set) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, r := range x.Results {
			if r == nil {
				continue
			}
			name, changed := nodes[i].certname(), false
			for _, q := range r.Asked {
				changed = changed || digestFor(was, name, q) != digestFor(x.Set, name, q)
			}
			if changed && !yield(i) {
				return
			}
		}
	}
}

// doubted are the nodes that collect, on some side, what others export, if what one of these exports is not known: what
// its compile hangs on may export anything. It gives the reason by the node's name. What nodes of other environments
// export is the same on both sides, whatever it is.
func doubted(nodes []Node, sides []*Exchange) map[string]string {
	var open []int
	for i, n := range nodes {
		if n.Home == "" && slices.ContainsFunc(sides, func(x *Exchange) bool { return x.open(i) }) {
			open = append(open, i)
		}
	}
	return collectors(nodes, open, sides)
}

// Doubted are the nodes that collect what others export, if what one of these exports is not known, since its compile
// hangs on what is not, or it does not compile: there is no other side on which it exports the same.
func (x *Exchange) Doubted(nodes []Node) map[string]string {
	var open []int
	for i := range nodes {
		if x.open(i) || !x.compiled[i] {
			open = append(open, i)
		}
	}
	return collectors(nodes, open, []*Exchange{x})
}

// open reports whether what a node's compile hangs on is not known.
func (x *Exchange) open(i int) bool { return x.Results[i] != nil && x.Results[i].Open != "" }

// collectors are the nodes that collect, on some side, what others export, of which it is not known what some do.
func collectors(nodes []Node, open []int, sides []*Exchange) map[string]string {
	if len(open) == 0 {
		return nil
	}
	asks := func(i int) bool {
		return slices.ContainsFunc(sides, func(x *Exchange) bool {
			return x.Results[i] != nil && len(x.Results[i].Asked) > 0
		})
	}
	why := "what " + nodes[open[0]].Title() + " exports is not known"
	if more := len(open) - 1; more > 0 {
		why = fmt.Sprintf("what %s and %s export is not known", nodes[open[0]].Title(), counted(more, "more node"))
	}
	out := map[string]string{}
	for i, n := range nodes {
		if (len(open) > 1 || open[0] != i) && asks(i) {
			out[n.certname()] = why
		}
	}
	return out
}

func digestFor(s *exported.Set, host string, q *exported.Query) string {
	list, err := s.Exported(host, q)
	if err != nil {
		return err.Error()
	}
	return exported.Digest(list)
}

// Importing is the node with an answer to its collectors; nil leaves it as it is.
func (n Node) Importing(from exported.Importer) Node {
	if set, is := from.(*exported.Set); from != nil && (!is || set != nil) {
		n.Imports = from
	}
	return n
}

// certname is the name that the node is compiled by.
func (n Node) certname() string {
	name := n.Name
	if name == "" && n.Facts != nil {
		name = n.Facts.Name
	}
	return strings.ToLower(name)
}

// Told says what nodes could be told, of how many nodes.
func (x *Exchange) Told() string {
	text := fmt.Sprintf("what nodes export is that of the nodes at hand: %s of %s", counted(x.Set.Len(), "resource"),
		counted(len(x.Results), "node"))
	unknown := 0
	for i, r := range x.Results {
		if r != nil && r.Failure != nil && !x.compiled[i] {
			unknown++
		}
	}
	if unknown > 0 {
		text += fmt.Sprintf("; what %s would export that %s not compile is not known", counted(unknown, "more node"),
			map[bool]string{true: "does", false: "do"}[unknown == 1])
	}
	if len(x.Restless) > 0 {
		text += fmt.Sprintf("; after %d rounds %s would still be told something else", x.Rounds,
			strings.Join(x.Restless, ", "))
	}
	return text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
