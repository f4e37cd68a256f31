package functions_test

import (
	"flag"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/functions"
	"bunraku/source"
)

var (
	record = flag.Bool("record", false, "write the recorded answers in testdata from live Puppet")
	calls  = flag.Int("calls", 30, "how many calls of each function TestScoreFunctions makes")
	shown  = flag.Int("shown", 5, "how many differences of each function are shown")
	only   = flag.String("function", "", "the one function that TestScoreFunctions looks at")
)

var slip = regexp.MustCompile("^! .*(uninitialized constant|undefined method `\\w+' for (#<|nil|false))")

// TestScoreFunctions compares answers with the installed Puppet's: of random calls of every function, and of the
// recorded ones. A function counts when all its answers are equal.
func TestScoreFunctions(t *testing.T) {
	var qs []question
	var whose []string
	unasked := map[string]bool{}
	add := func(name string, q question) {
		if *only == "" || name == *only {
			qs, whose = append(qs, q), append(whose, name)
		}
	}
	names := slices.Sorted(maps.Keys(functions.Table(source.Puppet7)))
	for _, name := range names {
		if s, has := shapes[name]; has {
			for _, q := range generator.Calls(s, name, *calls) {
				add(name, q)
			}
		}
	}
	for _, g := range loadGoldens(t) {
		name := strings.TrimSuffix(filepath.Base(g.path), ".txtar")
		if ours(g) {
			unasked[name] = true
		} else {
			add(name, g.question)
		}
	}
	for _, l := range both {
		t.Run(l.String(), func(t *testing.T) {
			want := askPuppet(t, l, qs)
			differ := map[string]int{}
			for i, q := range qs {
				if strings.Contains(want[i], ":0x0000") {
					continue // the address of an object is never the same twice
				}
				got := askUs(l, q)
				if got == want[i] || slip.MatchString(want[i]) && strings.HasPrefix(got, "! ") {
					continue // where Puppet stumbles over itself, any error will do
				}
				if differ[whose[i]]++; differ[whose[i]] <= *shown {
					t.Logf("%s\n\tPuppet: %s\n\tours:   %s", q, want[i], got)
				}
			}
			equal := 0
			for _, name := range names {
				switch {
				case differ[name] > 0:
					t.Logf("differ: %s %d", name, differ[name])
				case unasked[name]:
					t.Logf("not asked: %s", name)
				default:
					equal++
				}
			}
			t.Logf("score: functions, %s %d/%d (%d calls)", l.Title(), equal, len(names), len(qs))
		})
	}
}
