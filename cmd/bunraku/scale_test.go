package main

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestScale holds the rows of docs/scale.md that were not measured to those that were: what takes a while, and room on
// the disk, grows by the node as from the row of 10,000 to that of 100,000.
func TestScale(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	var nodes []float64
	rows := map[float64][]float64{}
	for line := range strings.Lines(string(text)) {
		var row []float64
		for _, cell := range strings.Split(line, "|") {
			cell, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(cell), ",", ""), " ")
			if n, err := strconv.ParseFloat(cell, 64); err == nil {
				row = append(row, n)
			}
		}
		if len(row) == 6 {
			nodes, rows[row[0]] = append(nodes, row[0]), row
		}
	}
	one, ten := rows[10_000], rows[100_000]
	if one == nil || ten == nil || len(nodes) < 5 {
		t.Fatalf("the page has rows for %v nodes", nodes)
	}
	for _, n := range nodes {
		if n <= 100_000 {
			continue
		}
		for _, i := range []int{1, 2, 3, 5} {
			want := ten[i] + (ten[i]-one[i])/90_000*(n-100_000)
			if is := rows[n][i]; math.Abs(is-want) > 0.01*want {
				t.Errorf("%v nodes: %v follows in column %d, not %v", n, want, i, is)
			}
		}
		if rows[n][4] < ten[4] {
			t.Errorf("%v nodes take less memory than 100,000", n)
		}
	}
}
