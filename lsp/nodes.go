package lsp

import (
	"context"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Answers are about a few nodes: those that the settings name or, if they name none, a few that have what somebody is
// writing at. Which nodes have a class is known of those that were compiled. If none of the chosen ones has it, others
// are compiled in turn when nobody types, until a few are found; they are the chosen ones from then on.

// few is how many nodes are looked at if nobody says which.
const few = 3

// mostSought is how many nodes are compiled in search of one that has a class.
const mostSought = 60

// look is a check of the folder's nodes that has not begun.
func (f *folder) look(view source.Files) *fleet.Check {
	return &fleet.Check{Workspace: f.ws, View: view, Root: f.dir, Facts: f.server.opt.Facts, Judge: f.judge(),
		Invent: fleet.InventOptions{Legacy: f.opt.Language == source.Puppet7, Own: f.own}, Watch: f.server.opt.Watch,
		Choose: f.choose, Assign: f.server.opt.Assign, Certified: f.server.opt.Certified, Exchange: f.server.opt.Exchange}
}

// nodes are those that answers are about.
func (f *folder) nodes(ctx context.Context, view source.Files) ([]fleet.Node, error) {
	c := f.look(view)
	err := c.FindNodes(ctx)
	return c.Nodes, err
}

// choose takes the nodes that the settings name, or a few that have what is open.
func (f *folder) choose(all []fleet.Node) ([]fleet.Node, error) {
	f.muster(all)
	f.server.mu.Lock()
	patterns, alone := f.server.settings.Nodes, len(f.server.folders) == 1
	f.server.mu.Unlock()
	var unknown []string // of several folders it may name a node of another one
	patterns = slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
		if slices.ContainsFunc(all, func(n fleet.Node) bool { return fleet.Match(p, n.Title()) }) {
			return false
		}
		unknown = append(unknown, p)
		return true
	})
	if alone {
		f.miss(unknown)
	}
	if len(patterns) > 0 {
		return fleet.Pick(all, patterns)
	}
	open := f.openClasses()
	f.mu.Lock()
	defer f.mu.Unlock()
	var chosen []fleet.Node
	for _, having := range []bool{true, false} {
		for _, n := range all {
			if len(chosen) < few && f.has(n, open) == having {
				chosen = append(chosen, n)
			}
		}
	}
	return chosen, nil
}

// miss tells, once, that the settings name nodes that are not there. The others are looked at, or some that fit: facts
// come and go, and settings are made for many folders.
func (f *folder) miss(names []string) {
	text := strings.Join(names, ", ")
	f.mu.Lock()
	told := f.missed == text
	f.missed = text
	f.mu.Unlock()
	if text != "" && !told {
		f.server.log(protocol.MessageTypeWarning, f.dir+": no node is named "+text)
	}
}

// has reports whether a node is known to have one of some classes or defines. The folder is locked.
func (f *folder) has(n fleet.Node, names []string) bool {
	if i := n.Invented; i != nil && (slices.Contains(names, i.Class) || slices.Contains(names, i.Define)) {
		return true
	}
	known := f.counted[n.Title()]
	return slices.ContainsFunc(names, func(name string) bool { return known != nil && known.has[name] > 0 })
}

// openClasses are the classes and defines of the file that was last opened or edited, by plain name.
func (f *folder) openClasses() (names []string) {
	f.server.mu.Lock()
	last := f.server.last
	f.server.mu.Unlock()
	f.mu.Lock()
	base := f.base
	f.mu.Unlock()
	if base == nil || base.byPath[last] == nil {
		return nil
	}
	return definedIn(base.byPath[last])
}

// definedIn are the classes and defines of a file, by plain name.
func definedIn(e *entry) (names []string) {
	if e.tree == nil {
		return nil
	}
	for _, d := range e.tree.Defs {
		switch d := d.(type) {
		case *syntax.Class:
			names = append(names, outline.Class(d.Name))
		case *syntax.Define:
			names = append(names, outline.Class(d.Name))
		}
	}
	return names
}

// seek looks for nodes that have what is open, if those that were looked at have not, and lets the folder be looked at
// again when it has found some.
func (f *folder) seek(ctx context.Context, c *fleet.Check) error {
	f.server.mu.Lock()
	chosen := len(f.server.settings.Nodes) > 0
	f.server.mu.Unlock()
	open := f.openClasses()
	f.mu.Lock()
	hits := 0
	for _, n := range c.Nodes {
		if f.has(n, open) {
			hits++
		}
	}
	what := strings.Join(open, " ")
	sought := f.sought[what]
	f.mu.Unlock()
	if chosen || hits >= few || hits > 0 && sought || len(open) == 0 {
		return nil
	}
	all := f.look(c.View)
	all.Choose = nil
	if err := all.FindNodes(ctx); err != nil {
		return err
	}
	before, tried := hits, 0
	for _, n := range all.Nodes {
		f.mu.Lock()
		_, known := f.counted[n.Title()]
		f.mu.Unlock()
		if known || tried == mostSought || hits == few || ctx.Err() != nil {
			continue
		}
		tried++
		if err := f.count(ctx, c, n); err != nil {
			return err
		}
		f.mu.Lock()
		if f.has(n, open) {
			hits++
		}
		f.mu.Unlock()
	}
	if ctx.Err() != nil {
		return nil // a search that was broken off goes on the next time
	}
	f.mu.Lock()
	if f.sought == nil {
		f.sought = map[string]bool{}
	}
	f.sought[what] = true
	f.mu.Unlock()
	if hits > before {
		f.kick()
	}
	return nil
}
