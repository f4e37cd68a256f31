package functions_test

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/functions"
)

var (
	record = flag.Bool("record", false, "write the recorded answers in testdata from live Puppet")
	calls  = flag.Int("calls", 60, "how many calls of each function TestScoreFunctions makes")
	shown  = flag.Int("shown", 5, "how many differences of each function are shown")
	only   = flag.String("function", "", "the one function that TestScoreFunctions looks at")
)

var slip = regexp.MustCompile("^! .*(uninitialized constant|undefined method `\\w+' for (#<|nil|false))")

// TestScoreFunctions makes random calls of every function and compares each answer with the installed Puppet's.
func TestScoreFunctions(t *testing.T) {
	var names []string
	for name := range shapes {
		if *only == "" || name == *only {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var qs []question
	var whose []string
	for _, name := range names {
		for _, q := range shapes[name].generate(name, *calls) {
			qs = append(qs, q)
			whose = append(whose, name)
		}
	}
	want := askPuppet(t, qs)
	differ := map[string]int{}
	for i, q := range qs {
		if strings.Contains(want[i], ":0x0000") {
			continue // the address of an object is never the same twice
		}
		if slip.MatchString(want[i]) && strings.HasPrefix(askUs(q), "! ") {
			continue // Puppet stumbles over itself: any error will do
		}
		if got := askUs(q); got != want[i] {
			if differ[whose[i]]++; differ[whose[i]] <= *shown {
				t.Logf("%s\n\tPuppet: %s\n\tours:   %s", q, want[i], got)
			}
		}
	}
	for _, name := range names {
		if n := differ[name]; n > 0 {
			t.Logf("differ: %s %d", name, n)
		}
	}
	t.Logf("score: functions %d/%d (%d calls; %d functions in all)", len(names)-len(differ), len(names), len(qs), len(functions.Table()))
}
