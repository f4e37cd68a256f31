package syntax

import (
	"runtime"
	"strings"
	"testing"

	"bunraku/source"
)

// TestHeredocsWithoutEnd: that no line ends a heredoc is found out once, however many there are: four times as many
// take about four times as much.
func TestHeredocsWithoutEnd(t *testing.T) {
	took := func(n int) uint64 {
		f := source.NewFile("x.pp", strings.Repeat("@(\"E\")\n", n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, list := Parse(f, Options{})
		runtime.ReadMemStats(&after)
		if len(list) == 0 || list[0].Summary != "Heredoc without end-tagged line" {
			t.Fatalf("%d heredocs: %v", n, list)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := took(1000), took(4000)
	if many > 8*few {
		t.Errorf("4000 heredocs take %d bytes, 1000 take %d", many, few)
	}
	for _, text := range []string{"$a = @(E)\n  x\n  | E\n@(E)\n", "$a = @(E)\n  x EE\n@(E)\ny\n"} {
		_, list := Parse(source.NewFile("x.pp", text), Options{})
		if len(list) != 1 || list[0].Place.Line() < 3 {
			t.Errorf("%q: %v", text, list)
		}
	}
}
