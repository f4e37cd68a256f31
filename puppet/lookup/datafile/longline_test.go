package datafile

import (
	"fmt"
	"strings"
	"testing"

	"bunraku/puppet/value"
	"bunraku/source"
)

// Values of a long line know their places: those are found from marks, not by counting from the beginning.
func TestPlacesInLongLines(t *testing.T) {
	var b strings.Builder
	b.WriteString("k: {")
	for i := range 3000 {
		fmt.Fprintf(&b, "é%d: 'ü%d', ", i, i)
	}
	b.WriteString("}\n")
	f := source.NewFile("d.yaml", b.String())
	n, err := ReadYAML(f)
	if err != nil {
		t.Fatal(err)
	}
	kids := n.Kids[0].Node.Kids
	if len(kids) != 3000 {
		t.Fatalf("%d entries", len(kids))
	}
	for i, k := range kids {
		if got, want := f.Slice(k.Node.Span), fmt.Sprintf("'ü%d'", i); got != want {
			t.Fatalf("entry %d: %s, want %s", i, got, want)
		}
		if v := k.Node.Value; v != value.Value(value.String(fmt.Sprintf("ü%d", i))) {
			t.Fatalf("entry %d: %v", i, v)
		}
	}
}
