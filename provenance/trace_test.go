package provenance

import (
	"context"
	"fmt"
	"math"
	"testing"

	"bunraku/budget"
	"bunraku/source"
)

// A nil trace is tracing switched off: everything may be called on it.
func TestOff(t *testing.T) {
	var tr *Trace
	f := source.NewFile("f", "x")
	refs := []Ref{tr.Leaf(Label{}), tr.Literals(f, 3, nil), tr.Leaves(2, nil), tr.Op("+", 1, 2), tr.With(1, 2),
		tr.Join(1, 2), tr.Deep(1, nil), tr.Everything()}
	for i, r := range refs {
		if r != 0 {
			t.Errorf("call %d gives %d without a trace", i, r)
		}
	}
	if _, ok := tr.Where(1); ok || tr.Depends(1) != nil || tr.Expression(1) != nil || tr.Len() != 0 {
		t.Error("a trace that is off answers something")
	}
}

// What a graph takes counts on the budget, and does not depend on the room that there was.
func TestGrowthCounts(t *testing.T) {
	grown := func(tr *Trace, limit int64) (bytes int64, err error) {
		b := budget.New(context.Background(), budget.Limits{Bytes: limit})
		defer func() { _, bytes = b.Spent() }()
		defer budget.Catch(&err)
		tr.Within(b)
		for i := range 5000 {
			tr.Op("+", Ref(i), Ref(i))
			tr.Join(make([]Ref, i)...)
			tr.Op("*", make([]Ref, 10)...)
		}
		return 0, nil
	}
	small, err := grown(NewTrace(), 0)
	if err != nil || small < 5000*10*4 {
		t.Errorf("%d bytes, %v", small, err)
	}
	if large, _ := grown(NewTraceLike(Size{Nodes: 1 << 16, Operands: 1 << 18}), 0); large != small {
		t.Errorf("%d bytes in a graph with room, %d in one without", large, small)
	}
	if _, err := grown(NewTrace(), small/2); err == nil {
		t.Error("growth without a bound")
	}
}

type pair [2]Ref

func (p pair) EachRef(f func(Ref)) { f(p[0]); f(p[1]) }

func TestReadings(t *testing.T) {
	tr := NewTrace()
	f := source.NewFile("f.pp", "abcdef")
	lit := tr.Literals(f, 4, func(i int) source.Span { return source.Span{Start: uint32(i), End: uint32(i + 1)} })
	fact := tr.Leaf(Label{Kind: Fact, Path: "os.family"})
	sum := tr.Op("+", lit, lit+1)
	copied := tr.With(lit+2, fact, 0, lit+2)
	whole := tr.Deep(fact, pair{lit, sum})
	show := func(labels []Label) string {
		s := ""
		for _, l := range labels {
			s += fmt.Sprintf("%s%d%s ", l.Kind, l.Ordinal, l.Path)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		ref   Ref
		where bool
		deps  string
	}{
		{"a literal", lit, true, "literal0 "},
		{"an operation", sum, false, "literal0 literal1 "},
		{"a copy under a decision", copied, true, "literal2 fact0os.family "},
		{"a container", whole, false, "literal0 literal1 fact0os.family "},
		{"a set", tr.Join(copied, sum), false, "literal0 literal1 literal2 fact0os.family "},
		{"nothing", 0, false, ""},
	} {
		if _, ok := tr.Where(c.ref); ok != c.where {
			t.Errorf("%s: where is %v", c.name, ok)
		}
		if got := show(tr.Depends(c.ref)); got != c.deps {
			t.Errorf("%s depends on %s, want %s", c.name, got, c.deps)
		}
	}
	if w, _ := tr.Where(copied); w.Ordinal != 2 || w.Place.Text() != "c" {
		t.Errorf("the copy comes from %+v", w)
	}
	if term := tr.Expression(tr.Op("*", sum, copied)); term.Op != "*" || term.Args[0].Op != "+" ||
		term.Args[1].Leaf.Ordinal != 2 {
		t.Errorf("the expression is %+v", term)
	}
	tr.Read(lit + 3)
	if got := show(tr.Depends(tr.Everything())); got != "literal3 fact0os.family " {
		t.Errorf("everything read is %s", got)
	}
	early := tr.Everything()
	late := tr.Leaf(Label{Kind: Fact, Path: "kernel"})
	for leaf, want := range map[Ref]How{lit: Not, lit + 3: Flowed, fact: Flowed, late: Not} {
		if how := tr.Reach([]Ref{leaf})(early); how != want {
			t.Errorf("leaf %d reaches all that was read as %d, want %d", leaf, how, want)
		}
	}
	if tr.With(lit) != lit || tr.With(lit, lit, 0) != lit {
		t.Error("a copy that depends on nothing more is not the thing itself")
	}
}

// There is room for 65,536 names of operations: what comes later has a name that says so, never that of another.
func TestManyNames(t *testing.T) {
	tr := NewTrace()
	var refs []Ref
	for i := range 70000 {
		refs = append(refs, tr.Call(fmt.Sprintf("f%d", i)))
	}
	for i, r := range refs {
		want := fmt.Sprintf("call f%d", i)
		if i >= math.MaxUint16-1 {
			want = "an operation"
		}
		if got := tr.Expression(r).Op; got != want {
			t.Fatalf("operation %d is called %q, want %q", i, got, want)
		}
	}
	if again := tr.Call("f7"); tr.Expression(again).Op != "call f7" {
		t.Error("a name that is known is not found any more")
	}
}
