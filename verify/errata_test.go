package verify

import (
	"context"
	"testing"

	"bunraku/verify/fs"
)

// This file reproduces what Rehearsal gets wrong, each as a small graph on which a naive implementation fails.

func prepared(t *testing.T, g *Graph, added ...Edge) *Analysis {
	t.Helper()
	a, err := Prepare(g, DefaultOptions(), added...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func file(path fs.Path, content string) Resource {
	return Resource{Name: "File[" + string(path) + "]", Program: fs.Overwrite(path, fs.Str(content)),
		Post: fs.ContentIs(path, fs.Str(content))}
}

// pkg is the paper's package model: make the directories, create the files.
func pkg(name string, dirs, files []fs.Path) Resource {
	var s fs.Seq
	for _, d := range dirs {
		s = append(s, fs.EnsureDir(d))
	}
	for _, f := range files {
		s = append(s, fs.Creat{Path: f, Content: fs.Str(name + ":" + string(f))})
	}
	s = append(s, fs.Assign{Var: "package " + name, Value: fs.Str("installed")})
	return Resource{Name: "Package[" + name + "]", Program: fs.If{Cond: fs.VarIs("package "+name, "installed"), Else: s},
		Post: fs.VarIs("package "+name, "installed")}
}

// Erratum 1 (§4.4): a resource that commutes with its successors cannot be dropped when it overwrites. Figure 13 with n
// = 2.
func TestErratumElimination(t *testing.T) {
	o := DefaultOptions()
	o.Commutativity, o.fault = false, faultEliminate
	naive, _, err := determinismOf(figure13(2, true), o)
	if err != nil {
		t.Fatal(err)
	}
	if naive.Verdict == Yes {
		t.Error("the erratum was not reproduced")
	}
	if d, _, _ := determinismOf(figure13(2, true), DefaultOptions()); d.Verdict != Yes {
		t.Errorf("deterministic: %v", d.Verdict)
	}
}

// Erratum 2: initial contents limited to the manifest's strings hide that a run copies /src to /dst, falls back to a
// default where there is no /src, and deletes /src: the second run then puts the default.
func TestErratumClosedContents(t *testing.T) {
	copies := fs.If{
		Cond: fs.Is{Path: "/src", Kind: fs.File},
		Then: fs.Overwrite("/dst", fs.ContentOf{Path: "/src"}),
		Else: fs.If{Cond: fs.Is{Path: "/src", Kind: fs.None}, Then: fs.Overwrite("/dst", fs.Str("default")), Else: fs.Fail{}},
	}
	g := &Graph{Resources: []Resource{
		{Name: "File[/dst]", Program: copies},
		{Name: "File[/src]", Program: fs.If{Cond: fs.Is{Path: "/src", Kind: fs.File}, Then: fs.Rm{Path: "/src"}}},
	}, Edges: []Edge{{From: 0, To: 1}}}
	for _, closed := range []bool{true, false} {
		g.Init.ClosedContents = closed
		r, err := prepared(t, g).Idempotence(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verdict(closed) {
			t.Errorf("closed contents %v: idempotent %v", closed, r.Verdict)
		}
	}
}

// Figure 3d as the paper has it: the second run always fails.
func TestFigure3d(t *testing.T) {
	g := &Graph{Resources: []Resource{
		{Name: "File[/dst]", Program: fs.Seq{fs.If{Cond: fs.Is{Path: "/dst", Kind: fs.File}, Then: fs.Rm{Path: "/dst"}},
			fs.Cp{From: "/src", To: "/dst"}}},
		{Name: "File[/src]", Program: fs.If{Cond: fs.Is{Path: "/src", Kind: fs.None}, Else: fs.Rm{Path: "/src"}}},
	}, Edges: []Edge{{From: 0, To: 1}}}
	a := prepared(t, g)
	r, err := a.Idempotence(context.Background())
	if err != nil || r.Verdict != No {
		t.Fatal(r, err)
	}
	if r.Example.Second.Failed != 0 {
		t.Errorf("the second run should fail at the copy, not %v", r.Example.Second)
	}
}

// Erratum 4: "deterministic" counts manifests that always fail. The published fix of ntp puts the file before the
// package.
func TestErratumAlwaysFails(t *testing.T) {
	g := &Graph{
		Resources: []Resource{
			pkg("ntp", []fs.Path{"/etc"}, []fs.Path{"/etc/ntp.conf", "/etc/ntp.keys"}),
			file("/etc/ntp.conf", "server"),
		},
		Fresh: fs.NewState().Put("/etc", fs.Dir),
	}
	ctx := context.Background()
	a := prepared(t, g)
	d, err := a.Determinism(ctx)
	if err != nil || d.Verdict != No {
		t.Fatal(d, err)
	}
	s, _ := a.Success(ctx)
	if s.Chance != Sometimes {
		t.Errorf("success: %v", s.Chance)
	}
	published := prepared(t, g, Edge{From: 1, To: 0})
	if d, _ := published.Determinism(ctx); d.Verdict != Yes {
		t.Errorf("the published fix: deterministic %v", d.Verdict)
	}
	if s, _ := published.Success(ctx); s.Chance != Never {
		t.Errorf("the published fix: success %v", s.Chance)
	}
	r, err := a.Repair(ctx, always)
	if err != nil || !r.Found || len(r.Edges) != 1 || r.Edges[0].From != 0 {
		t.Errorf("repair: %+v, %v", r, err)
	}
}

// Erratum 5: rm and emptydir? see children that no program names (Figure 8), concretely and symbolically.
func TestErratumEmptyDirectories(t *testing.T) {
	g := &Graph{Resources: []Resource{
		{Name: "A", Program: fs.If{Cond: fs.EmptyDir{Path: "/a"}, Then: fs.Creat{Path: "/b", Content: fs.Str("x")}}},
		{Name: "B", Program: fs.If{Cond: fs.Is{Path: "/a", Kind: fs.Dir}, Else: fs.Fail{}}},
	}, Assertions: []Assertion{{Name: "b", Pred: fs.Is{Path: "/b", Kind: fs.File}}}}
	invs, err := prepared(t, g).Invariants(context.Background(), true)
	if err != nil || len(invs) != 1 || invs[0].Verdict != No {
		t.Fatal(invs, err)
	}
	if !invs[0].Initial.At("/a").Others && invs[0].Initial.At("/b").Kind == fs.None {
		t.Errorf("the example needs children nobody names, or something at /b:\n%v", invs[0].Initial)
	}
}
