package catalog_test

import (
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
)

const cyclic = `class a {
  file { '/d': ensure => directory, notify => Exec['x'] }
}
class b { exec { 'x': before => Class['a'] } }
`

// A class that waits for what its own resource notifies: three links that somebody wrote or contained, each with its
// place.
func cyclicCatalog() *catalog.Catalog {
	f := source.NewFile("site.pp", cyclic)
	at := func(text string) source.Place {
		i := uint32(strings.Index(cyclic, text))
		return source.Place{File: f, Span: source.Span{Start: i, End: i + uint32(len(text))}}
	}
	a := &catalog.Resource{Type: "Class", Title: "A", Kind: catalog.Unknown}
	b := &catalog.Resource{Type: "Class", Title: "B", Kind: catalog.Unknown}
	d := &catalog.Resource{Type: "File", Title: "/d", Kind: catalog.CompilableType, File: "site.pp", Line: 2,
		Place:  at("file"),
		Params: []catalog.Param{{Name: "notify", Value: value.String("Exec[x]"), Place: at("notify => Exec['x']")}}}
	x := &catalog.Resource{Type: "Exec", Title: "x", Kind: catalog.CompilableType, File: "site.pp", Line: 4,
		Place:  at("exec"),
		Params: []catalog.Param{{Name: "before", Value: value.Strings("Class[A]"), Place: at("before => Class['a']")}}}
	c := &catalog.Catalog{Name: "n", Resources: []*catalog.Resource{a, d, b, x},
		Edges: []catalog.Edge{{Source: a, Target: d}, {Source: b, Target: x}}}
	c.Seal()
	return c
}

func TestCycleIsExplainedLinkByLink(t *testing.T) {
	cycles := catalog.NewGraph(cyclicCatalog(), resource.Core{}).Cycles()
	if len(cycles) != 1 {
		t.Fatalf("%d cycles", len(cycles))
	}
	const message = "Found 1 dependency cycle:\n(Exec[x] => Class[A] => File[/d] => Exec[x])\\nTry the '--graph' option " +
		"and opening the resulting '.dot' file in OmniGraffle or GraphViz"
	if got := catalog.CycleMessage(cycles); got != message {
		t.Errorf("message %q", got)
	}
	d := cycles[0].Diagnostic()
	const detail = `Exec[x] comes before Class[A] at site.pp:4:23
Class[A] contains File[/d], so it begins before it at site.pp:2:3
File[/d] notifies Exec[x] at site.pp:2:37`
	if d.Detail != detail || d.Summary != "dependency cycle: Exec[x] => Class[A] => File[/d] => Exec[x]" ||
		d.Place.Line() != 4 || len(d.Related) != 1 {
		t.Errorf("got %s\n%s", d.Summary, d.Detail)
	}
}

func TestMissingAndSkippedRelations(t *testing.T) {
	dir := &catalog.Resource{Type: "File", Title: "/d", Kind: catalog.CompilableType,
		Params: []catalog.Param{str("require", "File[/d/f]"), str("before", "Exec[nope]")}}
	file := &catalog.Resource{Type: "File", Title: "/d/f", Kind: catalog.CompilableType}
	g := catalog.NewGraph(&catalog.Catalog{Resources: []*catalog.Resource{dir, file}}, resource.Core{})
	if len(g.Missing) != 1 || g.Missing[0].Message() != "Could not find dependency Exec[nope] for File[/d]" {
		t.Errorf("missing: %v", g.Missing)
	}
	if len(g.Skipped) != 1 || g.Skipped[0].String() != "File[/d/f] requires File[/d] (automatic, by its path)" {
		t.Errorf("skipped: %v", g.Skipped)
	}
	if order := g.Order(); len(order) != 2 || order[0] != file {
		t.Errorf("order: %v", order)
	}
}

func TestWithDropsWhatItContradicts(t *testing.T) {
	dir := &catalog.Resource{Type: "File", Title: "/d", Kind: catalog.CompilableType}
	file := &catalog.Resource{Type: "File", Title: "/d/f", Kind: catalog.CompilableType}
	g := catalog.NewGraph(&catalog.Catalog{Resources: []*catalog.Resource{dir, file}}, resource.Core{})
	if order := g.Order(); len(g.Relations) != 1 || order[0] != dir {
		t.Errorf("before: %v", g.Relations)
	}
	turned := g.With(catalog.Relation{From: file, To: dir, Kind: resource.Before, By: file, Attr: "before"})
	if order := turned.Order(); len(turned.Relations) != 1 || len(turned.Skipped) != 1 || order[0] != file ||
		len(turned.Cycles()) != 0 {
		t.Errorf("after: %v, skipped %v", turned.Relations, turned.Skipped)
	}
	if len(g.Relations) != 1 || g.Order()[0] != dir {
		t.Error("the graph itself changed")
	}
}

// Every link is respected by the order; there are cycles exactly when something is never reached; every step of a cycle
// is a link.
func TestOrderAndCyclesAgree(t *testing.T) {
	for seed := range uint64(2000) {
		g := catalog.NewGraph(randomCatalog(seed), resource.Core{})
		at := map[catalog.Node]int{}
		unreached := g.Walk(func(n catalog.Node) { at[n] = len(at) + 1 })
		cycles := g.Cycles()
		if (unreached > 0) != (len(cycles) > 0) {
			t.Fatalf("seed %d: %d unreached, %d cycles", seed, unreached, len(cycles))
		}
		for _, l := range g.Links() {
			if at[l.To] != 0 && (at[l.From] == 0 || at[l.From] >= at[l.To]) {
				t.Fatalf("seed %d: %v runs before %v", seed, l.To, l.From)
			}
		}
		for _, c := range cycles {
			for i, l := range c.Steps {
				if l.To != c.Steps[(i+1)%len(c.Steps)].From {
					t.Fatalf("seed %d: the steps of a cycle do not join", seed)
				}
			}
		}
	}
}

func TestIndexFindsByKeyAndAlias(t *testing.T) {
	var x catalog.Index[string]
	file := resource.Known("file")
	none := func(string) value.Value { return nil }
	for _, title := range []string{"/a", "named"} {
		get := none
		if title == "named" {
			get = func(attr string) value.Value {
				return map[string]value.Value{"path": value.String("/b"), "alias": value.String("other")}[attr]
			}
		}
		if clash, err := x.Declare(file, catalog.Name{Type: "File", Title: title}, title, get); clash != nil || err != nil {
			t.Fatal(clash, err)
		}
	}
	for title, want := range map[string]string{"/a": "/a", "/a/": "/a", "/b": "named", "/b//": "named", "other": "named",
		"named": "named", "/c": ""} {
		if got, _ := x.Lookup(file, catalog.Name{Type: "File", Title: title}); got != want {
			t.Errorf("File[%s] is %q", title, got)
		}
	}
}

func BenchmarkGraph(b *testing.B) {
	c := read(b, live.Catalog(b, "apache_many_vhosts"))
	for b.Loop() {
		g := catalog.NewGraph(c, resource.Core{})
		if len(g.Cycles()) > 0 || len(g.Order()) == 0 {
			b.Fatal("no order")
		}
	}
}
