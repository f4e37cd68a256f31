package lsp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
)

// A lens says on how many nodes a class is. A few nodes are compiled with every pause; to count, the others have to be
// compiled too. That is done when nobody types and nothing else is to be done, one node after the other: each once,
// and then again, those first that were counted longest ago, for a little while after every pause. So a count is of all
// nodes as soon as they have been compiled, and of a text that is some pauses old at most. What is counted is always
// said beside how many nodes it was looked for in.
//
// Nodes that nobody has are not counted: how many of them have a class says how they were invented.

// A count is what one node has.
type count struct {
	has    map[string]int // how many of each class and define; nil if the node has not compiled yet
	broken bool           // it does not compile any more: it has what it had
	when   time.Time
}

// again is how long nodes that were counted before are counted again after a pause.
const again = 2 * time.Second

// muster takes in which nodes there are.
func (f *folder) muster(all []fleet.Node) {
	titles := make(map[string]bool, len(all))
	for _, n := range all {
		titles[n.Title()] = n.Invented != nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.titles = titles
}

// learn counts what a node has. One that does not compile has what it had. The folder is locked.
func (f *folder) learn(node string, c *catalog.Catalog) {
	if f.counted == nil {
		f.counted = map[string]*count{}
	}
	now := &count{when: time.Now()}
	if old := f.counted[node]; old != nil {
		now.has, now.broken = old.has, old.has != nil
	}
	if c != nil {
		now.has, now.broken = map[string]int{}, false
		for _, r := range c.Resources {
			name := r.Type
			if r.Type == "Class" {
				name = r.Title
			}
			now.has[outline.Class(name)]++
		}
	}
	f.counted[node] = now
}

// count compiles a node and learns what it has.
func (f *folder) count(ctx context.Context, c *fleet.Check, n fleet.Node) error {
	res, err := c.Snapshot.Compile(ctx, n.Node)
	if err != nil {
		return err
	}
	f.server.opt.Watch(res)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.learn(n.Title(), res.Catalog)
	return nil
}

// census counts the nodes that were not chosen.
func (f *folder) census(ctx context.Context, c *fleet.Check) error {
	if c.Plan != nil {
		return nil
	}
	all := f.look(c.View)
	all.Choose = nil
	if err := all.FindNodes(ctx); err != nil {
		return err
	}
	chosen := map[string]bool{}
	for _, n := range c.Given {
		chosen[n.Title()] = true
	}
	others := slices.DeleteFunc(slices.Clone(all.Nodes), func(n fleet.Node) bool { return chosen[n.Title()] })
	last := map[string]time.Time{}
	f.mu.Lock()
	for _, n := range others {
		if k := f.counted[n.Title()]; k != nil {
			last[n.Title()] = k.when
		}
	}
	f.mu.Unlock()
	slices.SortStableFunc(others, func(a, b fleet.Node) int { return last[a.Title()].Compare(last[b.Title()]) })
	var began time.Time
	for i, n := range others {
		if !last[n.Title()].IsZero() && began.IsZero() {
			began = time.Now()
		}
		if ctx.Err() != nil || !began.IsZero() && time.Since(began) > again {
			break
		}
		if err := f.count(ctx, c, n); err != nil {
			return err
		}
		if i%100 == 99 {
			f.server.refresh()
		}
	}
	if len(others) > 0 && ctx.Err() == nil {
		f.server.refresh()
	}
	return nil
}

// onNodes says on how many nodes a class or define is, and of how many that is known; "" if of none.
func (f *folder) onNodes(n outline.Name) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	looked, having, declared, failed, broken, invented := 0, 0, 0, 0, 0, false
	for title, isInvented := range f.titles {
		k := f.counted[title]
		if k == nil {
			continue
		}
		invented = invented || isInvented
		if k.has == nil {
			failed++
			continue
		}
		looked++
		if k.broken {
			broken++
		}
		if k.has[n.Name] > 0 {
			having++
			declared += k.has[n.Name]
		}
	}
	if looked == 0 {
		return ""
	}
	some := fmt.Sprint(having)
	if having == 0 {
		some = "none"
	}
	text := fmt.Sprintf("on %s of %s", some, many(looked, "node"))
	switch total := len(f.titles); {
	case invented:
		text = fmt.Sprintf("on %s of the %s looked at", some, many(looked, "invented node"))
	case looked+failed < total:
		text = fmt.Sprintf("on %s of the %s looked at, of %d", some, many(looked, "node"), total)
	}
	if n.Kind == outline.TypeName && having > 0 {
		text = many(declared, "resource") + " " + text
	}
	do := func(n int) string {
		if n == 1 {
			return "1 does not compile"
		}
		return fmt.Sprintf("%d do not compile", n)
	}
	if broken > 0 {
		text += ", of which " + do(broken) + " now"
	}
	if failed > 0 {
		text += ", and " + do(failed)
	}
	return text
}

// includers are how many classes, defines, functions and nodes include, declare or inherit a class; of what stands in
// none of them, the statement counts.
func (at *spot) includers(all []occurrence) int {
	type place struct {
		path, in string
		node     uint32 // where that begins
	}
	found := map[place]bool{}
	for _, o := range all {
		if !o.Includes {
			continue
		}
		p := place{path: o.path, in: o.In}
		if o.In == "" && o.tree != nil {
			for _, x := range o.tree.Body.Stmts {
				if x.Span().Contains(o.Span) {
					p.node = x.Span().Start
				}
			}
		}
		found[p] = true
	}
	return len(found)
}
