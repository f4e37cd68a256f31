package provenance_test

import (
	"encoding/json"
	"slices"
	"testing"

	"bunraku/provenance"
	"bunraku/source"

	"pgregory.net/rapid"
)

type refs []provenance.Ref

func (l refs) EachRef(f func(provenance.Ref)) {
	for _, r := range l {
		f(r)
	}
}

// random builds a trace of every kind of node and returns its refs.
func random(t *rapid.T, f *source.File) (*provenance.Trace, []provenance.Ref) {
	tr := provenance.NewTrace()
	var all []provenance.Ref
	first := tr.Literals(f, 5, func(i int) source.Span { return source.Span{Start: uint32(2 * i), End: uint32(2*i + 1)} })
	for i := range 5 {
		all = append(all, tr.Read(first+provenance.Ref(i)))
	}
	block := tr.Leaves(3, func(i int) provenance.Label {
		return provenance.Label{Kind: provenance.Fact, Path: string(rune('a' + i))}
	})
	all = append(all, block, block+1, block+2)
	pick := rapid.IntRange(0, 1<<20)
	some := func() (out []provenance.Ref) {
		for range rapid.IntRange(0, 4).Draw(t, "operands") {
			out = append(out, all[pick.Draw(t, "operand")%len(all)])
		}
		return out
	}
	for range rapid.IntRange(0, 60).Draw(t, "nodes") {
		var r provenance.Ref
		one := all[pick.Draw(t, "first")%len(all)]
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			r = tr.Op("op", some()...)
		case 1:
			r = tr.With(one, some()...)
		case 2:
			r = tr.Join(some()...)
		case 3:
			r = tr.Deep(one, refs(some()))
		case 4:
			r = tr.Note(one, provenance.IfTrue, "x", 0, source.Place{File: f, Span: source.Span{Start: 3, End: 4}}, nil)
		case 5:
			r = tr.Leaf(provenance.Label{Kind: provenance.Absence, Path: "key"})
		}
		if r != 0 {
			all = append(all, r)
		}
	}
	return tr, all
}

func keys(list []provenance.Label) []provenance.LabelKey {
	out := make([]provenance.LabelKey, len(list))
	for i, l := range list {
		out[i] = l.Key()
	}
	return out
}

// A trace that was packed, written, read and unpacked gives the same answers.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := source.NewFile("f.pp", "a b\nc d\ne f g h i\n")
		tr, all := random(t, f)
		roots := slices.Clone(all)
		p := tr.Pack(roots...)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var q provenance.Packed
		if err := json.Unmarshal(text, &q); err != nil {
			t.Fatal(err)
		}
		back, err := q.Unpack([]*source.File{f})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range roots {
			n := p.At(r)
			if n == 0 {
				t.Fatalf("node %d is not packed", r)
			}
			if a, b := keys(tr.Depends(r)), keys(back.Depends(n)); !slices.Equal(a, b) {
				t.Fatalf("Depends: %v, %v", a, b)
			}
			a, ok := tr.Where(r)
			b, ok2 := back.Where(n)
			if ok != ok2 || a.Key() != b.Key() || a.Place.String() != b.Place.String() {
				t.Fatalf("Where: %v, %v", a, b)
			}
			if x, y := shape(tr.Expression(r)), shape(back.Expression(n)); x != y {
				t.Fatalf("Expression: %s, %s", x, y)
			}
			if len(tr.Path(r)) != len(back.Path(n)) {
				t.Fatal("Path")
			}
		}
	})
}

func shape(t *provenance.Term) string {
	if t == nil {
		return "-"
	}
	s := t.Op + t.Leaf.Path + t.Leaf.Place.String() + "("
	for _, a := range t.Args {
		s += shape(a) + ","
	}
	return s + ")"
}

// Reach is Depends, the other way round; what flows is among it, and Near visits the same leaves.
func TestReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, all := random(t, source.NewFile("f.pp", "a b\nc d\ne f g h i\n"))
		leaf := all[rapid.IntRange(0, 7).Draw(t, "leaf")]
		how := tr.Reach([]provenance.Ref{leaf})
		l, _ := tr.Label(leaf)
		for _, r := range all {
			depends := slices.Contains(keys(tr.Depends(r)), l.Key())
			if (how(r) != provenance.Not) != depends {
				t.Fatalf("node %d: reached %v, depends %v", r, how(r), depends)
			}
			if flows := slices.Contains(tr.Flows(r), leaf); flows != (how(r) == provenance.Flowed) {
				t.Fatalf("node %d: how %v, flows %v", r, how(r), flows)
			}
			near := map[provenance.LabelKey]bool{}
			tr.Near(func(n provenance.Ref) bool {
				if l, ok := tr.Label(n); ok {
					near[l.Key()] = true
				}
				return true
			}, r)
			for _, k := range keys(tr.Depends(r)) {
				if !near[k] {
					t.Fatalf("Near misses %v", k)
				}
			}
		}
	})
}

// A nil trace is tracing switched off: everything may be asked and answers nothing.
func TestNil(t *testing.T) {
	var tr *provenance.Trace
	if tr.Note(1, provenance.Variable, "", 0, source.Place{}, nil) != 0 || tr.Path(1) != nil || tr.Flows(1) != nil ||
		tr.Spine(3) != 3 || tr.Reach(nil)(7) != provenance.Not {
		t.Error("a nil trace says something")
	}
	tr.EachLeaf(func(provenance.Ref, provenance.Label) { t.Error("a leaf") })
	tr.Near(func(provenance.Ref) bool { t.Error("a node"); return true }, 1)
	if _, ok := tr.NoteAt(1); ok || len(tr.Pack(1).Nodes) != 0 {
		t.Error("a nil trace has notes or nodes")
	}
}

// Damaged data are refused, not trusted.
func TestUnpackRefuses(t *testing.T) {
	for _, n := range [][]byte{{0}, {0, 7, 0}, {1, 0, 0}, {2, 0, 1, 5}, {3, 0, 0}, {4, 0, 0}, {9, 0, 0}, {2, 0, 200},
		{2, 0, 3, 0}, {0x80}} {
		p := &provenance.Packed{Nodes: n}
		if _, err := p.Unpack(nil); err == nil {
			t.Errorf("%v is accepted", n)
		}
	}
}
