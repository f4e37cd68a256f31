package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/audit"
	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/source"
)

// TestAcceptUnusedAway: templates and files that check calls unused are taken away from public trees, and the catalogs
// of all nodes that it invents for them are the same. (TestAcceptUnused of audit does it with real nodes.)
func TestAcceptUnusedAway(t *testing.T) {
	live.Accept(t)
	ctx := context.Background()
	things, trees, nodes, changed := 0, 0, 0, 0
	for _, tree := range faultTrees(t) {
		ws := compiler.NewWorkspace(tree.from, compiler.Options{StandIn: true})
		snap, err := ws.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		own := func(file string) bool { return strings.HasPrefix(source.Absolute(file), source.Absolute(tree.from)) }
		var gone []string
		for _, d := range audit.New(snap, own, compiler.Wanting(snap.Environment())).Check() {
			if name, is := strings.CutPrefix(d.Summary, "nothing in this tree names the "); is {
				kind, name, _ := strings.Cut(name, " ")
				if kind != "template" && kind != "file" {
					continue
				}
				if !filepath.IsAbs(name) {
					name = filepath.Join(tree.from, name)
				}
				gone = append(gone, name)
			}
		}
		if len(gone) == 0 {
			continue
		}
		over, err := source.NewOverlay(ws.Disk(), nil)
		if err != nil {
			t.Fatal(err)
		}
		before, after := invented(t, ws, ws.Disk(), tree.from), invented(t, ws, over.Without(gone...), tree.from)
		things, trees = things+len(gone), trees+1
		if len(before) != len(after) {
			t.Errorf("%s: %d nodes have become %d", tree.name, len(before), len(after))
		}
		for name, c := range before {
			nodes++
			for _, file := range gone {
				if c != nil && tree.serves(t, c, file) {
					changed++
					t.Errorf("%s, %s: %s is served", tree.name, name, file)
				}
			}
			switch other := after[name]; {
			case c == nil && other == nil:
				nodes--
			case c == nil || other == nil:
				changed++
				t.Errorf("%s, %s: compiles on one side only", tree.name, name)
			default:
				if diffs := catalog.Diff(c, other); len(diffs) > 0 {
					changed++
					t.Errorf("%s, %s: %d differences, the first: %s", tree.name, name, len(diffs), diffs[0])
				}
			}
		}
	}
	fmt.Printf("unused: %d templates and files taken away from %d public trees, %d of %d catalogs differ (bar: 0)\n", things,
		trees, changed, nodes)
	if things == 0 || nodes == 0 {
		t.Error("nothing was asked")
	}
}

// serves says whether a file of a module is a source of a catalog, or below one.
func (tree *faultTree) serves(t *testing.T, c *catalog.Catalog, file string) bool {
	name, err := filepath.Rel(tree.from, file)
	if err != nil {
		t.Fatal(err)
	}
	module := tree.moduleOf(filepath.ToSlash(name))
	if module == nil {
		t.Fatalf("%s: of which module is %s?", tree.name, name)
	}
	at, is := strings.CutPrefix(filepath.ToSlash(name), module.dir+"files/")
	for ; is && at != "."; at = path.Dir(at) {
		for _, r := range c.Resources {
			for _, p := range r.Params {
				if holdsText(p.Value, "puppet:///modules/"+module.name+"/"+at) {
					return true
				}
			}
		}
	}
	return false
}

// holdsText says whether a value is a text, or has it in it.
func holdsText(v value.Value, text string) bool {
	switch v := v.(type) {
	case value.String:
		return string(v) == text
	case *value.Array:
		return slices.ContainsFunc(v.Elems, func(e value.Value) bool { return holdsText(e, text) })
	case *value.Hash:
		return slices.ContainsFunc(v.Entries(), func(e value.Entry) bool { return holdsText(e.Value, text) })
	}
	return false
}

// invented are the catalogs of the nodes that a tree gets without facts, by name; nil for one that does not compile.
func invented(t *testing.T, ws *compiler.Workspace, view source.Files, root string) map[string]*catalog.Catalog {
	ctx := context.Background()
	c := &fleet.Check{Workspace: ws, View: view, Root: root}
	if err := c.FindNodes(ctx); err != nil {
		t.Fatal(err)
	}
	compiled, _, err := fleet.Compile(ctx, c.Snapshot, nil, c.Nodes, func(*eval.Result) {})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*catalog.Catalog{}
	for _, n := range compiled {
		out[n.Name] = n.Catalog
	}
	return out
}
