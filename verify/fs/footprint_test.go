package fs_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bunraku/verify/fs"
	"bunraku/verify/fs/fstest"
)

// Lemma 4 of the paper, by test: programs whose footprints are compatible on every shared cell commute.
func TestCompatibleFootprintsCommute(t *testing.T) {
	compatible := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		g := fstest.New(r, r.IntN(2) == 0)
		x, y := g.Resource(), g.Resource()
		sp := fs.NewSpace(nil, fs.Init{}, []fs.Expr{x, y}, nil)
		p, q := sp.Footprint(sp.Encode(x, false, nil)), sp.Footprint(sp.Encode(y, false, nil))
		for _, a := range p {
			if b, ok := q.Find(a.Cell); ok && !fs.Compatible(a, b) {
				return
			}
		}
		compatible++
		f := fstest.NewFeatures(g.Paths)
		f.Look(x)
		f.Look(y)
		f.Links = true
		n := 0
		f.States(func(s *fs.State) bool {
			xy, _, okXY := fs.Run(fs.Seq{x, y}, s)
			yx, _, okYX := fs.Run(fs.Seq{y, x}, s)
			if okXY != okYX || okXY && len(sp.Diff(xy, yx)) > 0 {
				t.Fatalf("they do not commute\n%#v\n%#v\nfrom\n%v", x, y, s)
			}
			n++
			return n < 3000
		})
	})
	if compatible == 0 {
		t.Error("no pair was compatible")
	}
}

// What a footprint says, on programs whose answer is known.
func TestFootprint(t *testing.T) {
	type want struct{ reads, writes, ensures, overwrites bool }
	for name, c := range map[string]struct {
		e    fs.Expr
		cell string
		want want
	}{
		"a guarded mkdir ensures": {fs.EnsureDir("/a"), "/a", want{writes: true, ensures: true}},
		"its other spelling too": {fs.If{Cond: fs.Is{Path: "/a", Kind: fs.None}, Then: fs.Mkdir{Path: "/a"},
			Else: fs.If{Cond: fs.Is{Path: "/a", Kind: fs.Dir}, Else: fs.Fail{}}}, "/a", want{writes: true, ensures: true}},
		"a bare mkdir reads and writes": {fs.Mkdir{Path: "/a"}, "/a", want{reads: true, writes: true}},
		"read, then ensure, is a write": {fs.Seq{fs.If{Cond: fs.Is{Path: "/a", Kind: fs.File},
			Then: fs.Creat{Path: "/b", Content: fs.Str("x")}}, fs.EnsureDir("/a")}, "/a", want{reads: true, writes: true}},
		"ensure, then read, still ensures": {fs.Seq{fs.EnsureDir("/a"), fs.If{Cond: fs.Is{Path: "/a", Kind: fs.Dir},
			Then: fs.Creat{Path: "/b", Content: fs.Str("x")}}}, "/a", want{writes: true, ensures: true}},
		"a parent is read": {fs.Mkdir{Path: "/a/b"}, "/a", want{reads: true}},
		"creat overwrites the content": {fs.Overwrite("/a", fs.Str("x")), "content of /a",
			want{writes: true, overwrites: true}},
		"a conditional write only may": {fs.If{Cond: fs.Is{Path: "/b", Kind: fs.File},
			Then: fs.Write{Path: "/a", Content: fs.Str("x")}}, "content of /a", want{writes: true}},
		"removing a directory reads children": {fs.Seq{fs.Rm{Path: "/a"}, fs.If{Cond: fs.Is{Path: "/a/b", Kind: fs.Link},
			Then: fs.Fail{}}}, "/a/b", want{reads: true}},
		"removing a directory reads the rest": {fs.Rm{Path: "/a"}, "other children of /a", want{reads: true}},
		"copying reads the source's content":  {fs.Cp{From: "/a", To: "/b"}, "content of /a", want{reads: true}},
		"clearing overwrites without a look": {fs.Seq{fs.Clear{Path: "/a"}, fs.If{Cond: fs.Is{Path: "/c", Kind: fs.File},
			Then: fs.EnsureDir("/a/b")}}, "other children of /a", want{writes: true, overwrites: true}},
	} {
		sp := fs.NewSpace(nil, fs.Init{}, []fs.Expr{c.e}, nil)
		found := false
		for _, a := range sp.Footprint(sp.Encode(c.e, false, nil)) {
			if sp.Name(a.Cell) != c.cell {
				continue
			}
			found = true
			if got := (want{a.Reads, a.Writes, a.Ensures, a.Overwrites}); got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
		}
		if !found {
			t.Errorf("%s: no access to %s", name, c.cell)
		}
	}
}

func TestLinks(t *testing.T) {
	l := fs.Links{"/var/run": "/run", "/a/b": "../c", "/loop": "/loop/x"}
	for _, c := range []struct {
		path, want fs.Path
		final, ok  bool
	}{
		{"/var/run/x.pid", "/run/x.pid", false, true},
		{"/var/run", "/var/run", false, true},
		{"/var/run", "/run", true, true},
		{"/a/b/d", "/c/d", false, true},
		{"/etc/motd", "/etc/motd", true, true},
	} {
		if got, ok := l.Resolve(c.path, c.final); got != c.want || ok != c.ok {
			t.Errorf("%s: %s %v, want %s %v", c.path, got, ok, c.want, c.ok)
		}
	}
	if _, ok := l.Resolve("/loop/y", false); ok {
		t.Error("a loop ended")
	}
}

// Results are terms: equal arguments, equal results, and nothing else.
func TestResults(t *testing.T) {
	x, y := fs.Text("x"), fs.Text("y")
	f := func(v ...fs.Value) fs.Value { return fs.Result("f", v) }
	distinct := []fs.Value{x, y, fs.Absent, f(x), f(y), f(f(x)), f(x, y), f(fs.Text("x,=y")),
		fs.Result("g", []fs.Value{x}), fs.Text("f(x)")}
	long := x
	for range 100 {
		long = f(long, long)
		distinct = append(distinct, long)
	}
	seen := map[fs.Value]bool{}
	for _, v := range distinct {
		if seen[v] && v != distinct[3] {
			t.Errorf("%v is not distinct", v)
		}
		seen[v] = true
	}
	if again := f(fs.Text("x"), fs.Text("y")); again != f(x, y) {
		t.Error("equal results differ")
	}
}
