package lsp

import (
	"context"

	"bunraku/fleet"
	"bunraku/source"
)

// look is a check of the folder's nodes that has not begun.
func (f *folder) look(view source.Files) *fleet.Check {
	return &fleet.Check{Workspace: f.ws, View: view, Root: f.dir, Facts: f.server.opt.Facts, Judge: f.judge,
		Invent: fleet.InventOptions{Legacy: f.opt.Language == source.Puppet7, Own: f.own}, Watch: f.server.opt.Watch,
		Choose: f.choose}
}

// nodes are those that answers are about.
func (f *folder) nodes(ctx context.Context, view source.Files) ([]fleet.Node, error) {
	c := f.look(view)
	err := c.FindNodes(ctx)
	return c.Nodes, err
}

// choose takes the nodes that the settings name, or the first few.
func (f *folder) choose(all []fleet.Node) ([]fleet.Node, error) {
	f.server.mu.Lock()
	patterns := f.server.settings.Nodes
	f.server.mu.Unlock()
	if len(patterns) > 0 {
		return fleet.Pick(all, patterns)
	}
	return all[:min(few, len(all))], nil
}

// few is how many nodes are looked at if nobody says which.
const few = 3
