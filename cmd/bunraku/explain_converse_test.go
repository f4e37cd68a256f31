package main

import (
	"context"
	"testing"

	"bunraku/fleet"
	"bunraku/provenance"
	"bunraku/puppet/compiler"
)

// TestReachesIsConverse: a place reaches a slot exactly if the slot depends on the place, for every slot and place of
// the example's nodes.
func TestReachesIsConverse(t *testing.T) {
	ws := compiler.NewWorkspace(shop, compiler.Options{Trace: true})
	view := ws.Disk()
	nodes, err := fleet.Nodes(view, shop, "")
	if err != nil {
		t.Fatal(err)
	}
	base, err := ws.Snapshot(context.Background(), view)
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for _, n := range nodes {
		res, err := base.Compile(context.Background(), compiler.Node{Facts: n})
		if err != nil || res.Failure != nil {
			t.Fatal(err, res.Failure)
		}
		tr := res.Trace
		leaves := map[provenance.LabelKey][]provenance.Ref{}
		tr.EachLeaf(func(r provenance.Ref, l provenance.Label) { leaves[l.Key()] = append(leaves[l.Key()], r) })
		slots := map[string][]provenance.Ref{}
		for _, r := range res.Catalog.Resources {
			slots[r.Ref()] = []provenance.Ref{r.Existence, r.TitleRef}
			for _, p := range r.Params {
				slots[r.Ref()+" "+p.Name] = []provenance.Ref{p.Ref, r.Existence, r.TitleRef}
			}
		}
		depends := map[string]map[provenance.LabelKey]bool{}
		for name, roots := range slots {
			depends[name] = map[provenance.LabelKey]bool{}
			for _, l := range tr.Depends(roots...) {
				depends[name][l.Key()] = true
			}
		}
		for key, refs := range leaves {
			how := tr.Reach(refs)
			for name, roots := range slots {
				reached := false
				for _, r := range roots {
					reached = reached || how(r) != provenance.Not
				}
				if pairs++; reached != depends[name][key] {
					t.Errorf("%s: %s and %v: reaches %v, depends %v", n.Name, name, key, reached, depends[name][key])
				}
			}
		}
	}
	t.Logf("%d pairs of slot and place", pairs)
}
