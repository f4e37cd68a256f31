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
