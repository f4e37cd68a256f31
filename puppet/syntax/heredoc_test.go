package syntax

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"bunraku/source"
)

// TestHeredocsWithoutEnd: that no line ends a heredoc is found out once, however many there are: four times as many
// take about four times as much.
func TestHeredocsWithoutEnd(t *testing.T) {
	took := func(n int, tags bool) uint64 {
		text := strings.Repeat("@(\"E\")\n", n)
		if tags { // each has its own
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "@(\"E%d\")\n", i)
			}
			text = b.String()
		}
		f := source.NewFile("x.pp", text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, list := Parse(f, Options{})
		runtime.ReadMemStats(&after)
		if len(list) == 0 || list[0].Summary != "Heredoc without end-tagged line" {
			t.Fatalf("%d heredocs: %v", n, list)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := took(1000, false), took(4000, false)
	if many > 8*few {
		t.Errorf("4000 heredocs take %d bytes, 1000 take %d", many, few)
	}
	began := time.Now()
	took(2500, true)
	once := time.Since(began)
	began = time.Now()
	if took(40000, true); time.Since(began) > 100*once+time.Second {
		t.Errorf("40000 heredocs with tags of their own take %v, 2500 take %v", time.Since(began), once)
	}
	for _, text := range []string{"$a = @(E)\n  x\n  | E\n@(E)\n", "$a = @(E)\n  x EE\n@(E)\ny\n"} {
		_, list := Parse(source.NewFile("x.pp", text), Options{})
		if len(list) != 1 || list[0].Place.Line() < 3 {
			t.Errorf("%q: %v", text, list)
		}
	}
}
