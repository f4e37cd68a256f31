package eval_test

import (
	"strings"
	"testing"
	"time"

	"bunraku/eval"
)

// Programs that would never end, or eat all memory, stop at a bound that the error names.
func TestBounds(t *testing.T) {
	numbers := strings.Repeat("1,", 40)
	for _, c := range []struct{ name, text, want string }{
		{"recursion", "function f($x) { f($x + 1) }\nf(1)", "nests more than"},
		{"a define that declares itself", "define d { d { \"${title}x\": } }\nd { 'a': }", "looped more than 1000 times"},
		{"a string that doubles", "$s = [" + numbers + "].reduce('a') |$m, $x| { \"${m}${m}\" }", "longer than"},
		{"an array that doubles", "$s = [" + numbers + "].reduce([1]) |$m, $x| { $m + $m }", "has more than"},
		{"a regular expression that backtracks", "$x = '" + strings.Repeat("a", 60) + "' =~ /^(a+)+\\1b$/", "given up after"},
		{"an alias of itself", "type A = A\n$x = 1 =~ A", "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			res, ds := compileText("bound.pp", c.text, eval.Language(7))
			if ds.HasErrors() {
				t.Fatal(ds[0])
			}
			if res.Failure == nil || !strings.Contains(res.Failure.Summary, c.want) {
				t.Errorf("got %v, want an error with %q", res.Failure, c.want)
			}
			if spent := time.Since(began); spent > 30*time.Second {
				t.Errorf("took %v", spent)
			}
		})
	}
	set := eval.Language(7)
	set.MaxSteps = 1000
	res, _ := compileText("steps.pp", "[1,2,3,4,5,6,7,8,9,10].each |$a| { [1,2,3,4,5,6,7,8,9,10].each |$b| { [1,2,3,4,5,6,7,8,9,10].each |$c| { $x = 1 } } }", set)
	if res.Failure == nil || !strings.Contains(res.Failure.Summary, "1000 steps") {
		t.Errorf("steps: got %v", res.Failure)
	}
}
