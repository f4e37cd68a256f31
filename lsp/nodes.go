package lsp

import (
	"context"

	"bunraku/fleet"
	"bunraku/source"
)

// nodes are those that answers are about: the ones that the settings name, or the first few.
func (f *folder) nodes(ctx context.Context, view source.Files) ([]fleet.Node, error) {
	real, err := fleet.Nodes(view, f.dir, f.server.opt.Facts)
	if err != nil {
		return nil, err
	}
	all := fleet.Real(real)
	if len(all) == 0 { // nobody has collected facts yet
		snap, err := f.ws.Snapshot(ctx, view)
		if err != nil {
			return nil, err
		}
		plan := fleet.Invent(snap.Environment(), fleet.InventOptions{Legacy: f.opt.Language == source.Puppet7, Own: f.own})
		for i := range plan.Nodes {
			all = append(all, fleet.Node{Node: plan.Nodes[i].Node, Invented: &plan.Nodes[i]})
		}
	}
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
