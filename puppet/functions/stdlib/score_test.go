package stdlib_test

import (
	"flag"
	"slices"
	"strings"
	"testing"
)

var (
	record = flag.Bool("record", false, "write the recorded answers in testdata from live Puppet")
	calls  = flag.Int("calls", 40, "how many calls of each function TestScoreStdlib makes")
	only   = flag.String("function", "", "the one function that TestScoreStdlib looks at")
	shown  = flag.Int("shown", 4, "how many differences of a function are shown")
)

func names(shapes map[string]shape) []string {
	var out []string
	for name := range shapes {
		if *only == "" || name == *only {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// TestScoreStdlib makes random calls of every function and compares each answer with the installed Puppet's.
func TestScoreStdlib(t *testing.T) { score(t, shapes, environmentDir, "") }

// TestScoreShadowed calls 3.x functions as templates do: those before which Puppet code finds a newer one, and a few
// others.
func TestScoreShadowed(t *testing.T) { score(t, shadowed, environmentDir, "") }

var withoutCall = strings.NewReplacer("Evaluation Error: Error while evaluating a Function Call, ", "")

func score(t *testing.T, shapes map[string]shape, environment, nine string) {
	list := names(shapes)
	var qs []question
	var whose []string
	for _, name := range list {
		for _, q := range generator.Calls(shapes[name], name, *calls) {
			qs = append(qs, q)
			whose = append(whose, name)
		}
	}
	want := askPuppet(t, qs, environment)
	differ, equal, unlike := map[string]int{}, 0, 0
	for i, q := range qs {
		if strings.HasPrefix(want[i], "Log(") {
			want[i] = "undef" // what logging leaves behind, the first time
		}
		if strings.Contains(want[i], ":0x0000") {
			unlike++ // the address of an object is never the same twice
			continue
		}
		got := askUs(q, nine)
		if strings.HasPrefix(string(q), "function_") {
			got, want[i] = withoutCall.Replace(got), withoutCall.Replace(want[i])
		}
		if got != want[i] {
			if differ[whose[i]]++; differ[whose[i]] <= *shown {
				t.Logf("%s\n\tPuppet: %s\n\tours:   %s", q, want[i], got)
			}
		} else {
			equal++
		}
	}
	for _, name := range list {
		if n := differ[name]; n > 0 {
			t.Logf("differ: %s %d", name, n)
		}
	}
	t.Logf("score: stdlib %d/%d (%d of %d calls equal)", len(list)-len(differ), len(list), equal, len(qs)-unlike)
}
