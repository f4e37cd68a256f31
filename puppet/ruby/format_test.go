package ruby

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Widths, precisions and values of a format can be named by number, and Ruby has words for each way that this goes
// wrong: random formats of a few pieces.
func TestFormatArguments(t *testing.T) {
	pieces := []string{"%", "%", "%", "0", "1$", "2$", "3$", "*", "*2$", "*1$", ".", ".*", ".*2$", "3", "12", "-", "+", " ",
		"#", "d", "s", "d", "f", "x", "b", "%%", "o", "c", "$", "e"}
	rnd := rand.New(rand.NewPCG(8, 11))
	var codes []string
	for _, f := range []string{"%01$*2$d", "%1$0*2$d", "%-1$*2$d|", "%*1$2$d", "%1$*2$.3f", "%1$*2$.*3$f", "%.*d|",
		"%1$.*2$d", "%<a>*d", "%<a>s%d", "%d%<a>s", "%1$s%<a>s", "%0$d", "%10$d", "%5*d", "%*5d", "%.-1$d", "%5", "%.", "%"} {
		if !strings.Contains(f, "<") {
			codes = append(codes, fmt.Sprintf("format(%q, 7, 5, 2)", f), fmt.Sprintf("format(%q, 7, -5, -1)", f))
		} else if !strings.Contains(f, "$") {
			codes = append(codes, fmt.Sprintf("format(%q, {a: 7})", f))
		}
	}
	for range 1500 {
		var f strings.Builder
		for range 2 + rnd.IntN(7) {
			f.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		codes = append(codes, fmt.Sprintf("format('%s', %d, %d, %d)", f.String(), rnd.IntN(9), rnd.IntN(19)-9, 3))
	}
	differ(t, codes)
}
