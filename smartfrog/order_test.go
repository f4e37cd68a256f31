package smartfrog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestOrderRandom puts random attributes under random constraints, and arranges them by the plainest method: always
// take the first attribute for which everything that must come before it has been taken. What that method cannot do is
// a contradiction.
func TestOrderRandom(t *testing.T) {
	conform, contradict := 0, 0
	for seed := range runs(300, 20_000) {
		r := rand.New(rand.NewPCG(uint64(seed), 19))
		n := 2 + r.IntN(12) // with and without an index
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("a%d", i))
		}
		before := map[string][]string{}
		var text strings.Builder
		text.WriteString("sfConfig extends {\n")
		for range r.IntN(n) {
			a, b := names[r.IntN(n)], names[r.IntN(n)]
			if a != b {
				before[b] = append(before[b], a)
				fmt.Fprintf(&text, "order %s < %s;\n", a, b)
			}
		}
		for _, name := range names {
			fmt.Fprintf(&text, "%s 1;\n", name)
		}
		text.WriteString("}\n")
		var want []string
		for len(want) < n {
			i := slices.IndexFunc(names, func(name string) bool {
				return !slices.Contains(want, name) && !slices.ContainsFunc(before[name],
					func(b string) bool { return !slices.Contains(want, b) })
			})
			if i < 0 {
				break
			}
			want = append(want, names[i])
		}
		result, diags := compileText(text.String(), Options{})
		if len(want) < n {
			contradict++
			if kindOf(diags) != "order" || !circular(diags[0].Summary) {
				t.Fatalf("no contradiction, but %v in\n%s", diags, text.String())
			}
			continue
		}
		conform++
		if result == nil {
			t.Fatalf("%v in\n%s", diags, text.String())
		}
		var got []string
		for name := range result.Config.All() {
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v of\n%s", got, want, text.String())
		}
	}
	if conform == 0 || contradict == 0 {
		t.Errorf("%d conform, %d contradict", conform, contradict)
	}
}

// circular reports whether a message ends with a circle: a < b < a.
func circular(summary string) bool {
	_, circle, _ := strings.Cut(summary, "contradict each other: ")
	names := strings.Split(circle, " < ")
	return len(names) > 2 && names[0] == names[len(names)-1]
}
