package provenance

import (
	"fmt"
	"testing"

	"bunraku/source"
)

func ordinals(labels []Label) string {
	s := ""
	for _, l := range labels {
		s += fmt.Sprint(l.Ordinal, l.Path, " ")
	}
	return s
}

// What one of several causes can do without is no dependency.
func TestAny(t *testing.T) {
	tr := NewTrace()
	f := source.NewFile("f.pp", "abcdefgh")
	lit := tr.Literals(f, 8, func(i int) source.Span { return source.Span{Start: uint32(i), End: uint32(i + 1)} })
	for i := range Ref(8) {
		tr.Read(lit + i)
	}
	a := tr.Any(tr.Join(lit, lit+1, lit+2))
	b := tr.Any(tr.Join(a, lit+3))
	c := tr.Any(tr.Join(b, lit+4))
	tr.Also(b, tr.Join(lit+1, lit+5)) // b stands without 0, 2 and 3
	tr.Also(a, tr.Join(a, lit+6))     // depends on itself: takes nothing away
	tr.Also(c, tr.Join(c, b))
	for _, x := range []struct {
		r    Ref
		want string
	}{{a, "0 1 2 "}, {b, "1 "}, {c, "1 4 "}} {
		if got := ordinals(tr.Depends(x.r)); got != x.want {
			t.Errorf("node %d depends on %s, not %s", x.r, got, x.want)
		}
	}
	tr.Also(a, tr.Join(c, lit+7)) // by a detour it depends on itself, yet c stands on 1 and 4 alone
	if got := ordinals(tr.Depends(a)); got != "1 " {
		t.Errorf("a depends on %s", got)
	}
	reach := tr.Reach([]Ref{lit + 4})
	if reach(a) != Not || reach(c) != Decides {
		t.Error("the reverse question has another answer")
	}
	where := tr.Leaf(Label{Kind: Datum, Place: source.Place{File: f}, Path: "k.a"})
	missing := tr.Leaf(Label{Kind: Absence, Path: "key k in file f.pp"})
	d := tr.Any(tr.Join(where, lit))
	tr.Also(d, tr.Join(missing, lit+1))
	if got := ordinals(tr.Depends(d)); got != "0k.a " {
		t.Errorf("one data file may change at two places at once: %s", got)
	}
	if _, ok := tr.Where(a); ok || tr.Expression(a) != nil {
		t.Error("what has causes is no value")
	}
	back, err := tr.Pack(a, b, c).Unpack([]*source.File{f})
	if err != nil {
		t.Fatal(err)
	}
	p := tr.Pack(a, b, c)
	for _, r := range []Ref{a, b, c} {
		if got, want := ordinals(back.Depends(p.At(r))), ordinals(tr.Depends(r)); got != want {
			t.Errorf("read back, node %d depends on %s, not %s", r, got, want)
		}
	}
}

// A set that is completed later is known to what was made before.
func TestOpen(t *testing.T) {
	tr := NewTrace()
	f := source.NewFile("f.pp", "abcd")
	first := tr.Literals(f, 4, func(i int) source.Span { return source.Span{Start: uint32(i), End: uint32(i + 1)} })
	set := tr.Open()
	v := tr.With(first, set)
	if got := ordinals(tr.Depends(v)); got != "0 " {
		t.Errorf("an empty set adds %s", got)
	}
	tr.Extend(set, tr.Join(first+1, tr.Leaf(Label{Kind: Fact, Path: "os"})))
	if got := ordinals(tr.Depends(v)); got != "0 1 0os " {
		t.Errorf("depends on %s", got)
	}
	if l, ok := tr.Where(v); !ok || l.Ordinal != 0 {
		t.Error("the value has lost its place")
	}
	if reach := tr.Reach([]Ref{first + 1}); reach(v) != Decides {
		t.Error("the reverse question has another answer")
	}
	p := tr.Pack(v)
	back, err := p.Unpack([]*source.File{f})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(back.Depends(p.At(v))); got != 3 {
		t.Errorf("read back it depends on %d places", got)
	}
}
