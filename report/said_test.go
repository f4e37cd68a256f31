package report

import (
	"testing"

	"bunraku/source"
)

// TestSaidOnce: what is said of a file, and by a node's compile as well, is one problem, also where the node is called
// as a word of the message.
func TestSaidOnce(t *testing.T) {
	d := &source.Diagnostic{Code: "P0005", Summary: "Expression is not valid as a resource",
		Place: source.Place{File: source.NewFile("site.pp", "1 {}")}}
	run := &Run{}
	run.Add(nil, d)
	run.Add(&Node{Name: "a"}, d)
	run.Add(&Node{Name: "resource"}, d)
	if len(run.Problems) != 1 || len(run.Problems[0].Nodes) != 2 {
		t.Errorf("%d problems", len(run.Problems))
	}
}
