package eval_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"bunraku/budget"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/source"
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
		{"a loop over a range", "Integer[1, 1000000000000].each |$x| { }", "20000000 steps"},
		{"a loop that counts", "1000000000000.each |$x| { }", "20000000 steps"},
		{"an array of a range", "$x = Array(Integer[1, 1000000000000])", "more than 2000000 elements"},
		{"steps of a range", "$x = Integer[1, 1000000000000].step(2).map |$x| { $x }", "steps"},
		{"an array that is small and looks large", "$s = [" + numbers + "].reduce([1]) |$m, $x| { [$m, $m] }\n$t = \"${s}\"", "more than 2000000 elements"},
		{"a hash that is small and looks large", "$s = [" + numbers + "].reduce({}) |$m, $x| { {'a' => $m, 'b' => $m} }\n$t = $s == $s", "more than 2000000 elements"},
		{"long strings, many times", "$a = [" + numbers + "].reduce('a') |$m, $x| { if length($m) < 10000000 { \"${m}${m}\" } else { $m } }\n$b = [" + numbers + "].map |$x| { $a }", "longer than 134217728 bytes"},
		{"nesting", "$s = Integer[1, 100000].reduce([1]) |$m, $x| { [$m] }", "nests more than 2000"},
		{"recursion through blocks", "function f($x) { [1].each |$y| { f($x) } }\nf(1)", "nests more than"},
		{"recursion through defaults", "function f($x = f()) { 1 }\nf()", "nests more than"},
		{"recursion through templates", "function f() { inline_epp('<%= f() %>') }\nf()", "nests more than"},
		{"copying, array by array", "$x = Integer[1, 200000].reduce([]) |$m, $x| { $m + [$x] }", "bytes of values"},
		{"copying, string by string", "$x = Integer[1, 200000].reduce('') |$m, $x| { \"${m}aaaaaaaaaa\" }", "bytes of values"},
		{"a substitution that doubles", "$s = [" + numbers + "].reduce('a') |$m, $x| { regsubst($m, 'a', 'aa', 'G') }", "matches more than 1000000 times"},
		{"a substitution that grows fast", "$s = [" + numbers + "].reduce('a') |$m, $x| { regsubst($m, 'a', '" + strings.Repeat("a", 99) + "', 'G') }", "would be longer than"},
		{"splitting", "$s = [" + numbers + "].reduce('ab') |$m, $x| { join(split($m, '') + split($m, ''), '') }", "matches more than 1000000 times"},
		{"joining", "$s = [" + numbers + "].reduce('a') |$m, $x| { join([$m, $m, $m, $m], $m) }", "longer than"},
		{"a wide format", "$x = sprintf('%999999999d', 1)", "width too big"},
		{"a format as wide as told", "$x = sprintf('%*d', 999999999, 1)", "width too big"},
		{"a heredoc that doubles", "$s = [" + numbers + "].reduce('a') |$m, $x| { @(\"E\") }\n  ${m}${m}\n  | E\n", "longer than"},
		{"a template that doubles", "$s = [" + numbers + "].reduce('a') |$m, $x| { inline_epp('<%= $m %><%= $m %>', {'m' => $m}) }", "longer than"},
		{"a template that loops", "$x = inline_epp('<% Integer[1, 1000000000].each |$x| { -%>xxxxxxxxxx<% } -%>')", ""},
		{"defines that double", "define d { d { [\"${title}1\", \"${title}2\"]: } }\nd { 'a': }", "more than 200000 resources"},
		{"resources in a loop", "Integer[1, 3000000].each |$x| { notify { \"n${x}\": } }", "more than 200000 resources"},
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
	var used runtime.MemStats
	if runtime.ReadMemStats(&used); used.HeapSys > 2<<30 {
		t.Errorf("the heap grew to %d bytes", used.HeapSys)
	}
}

// budgeted compiles a text with a budget.
func budgeted(ctx context.Context, limits budget.Limits, text string) *eval.Result {
	tree, _ := syntax.Parse(source.NewFile("steps.pp", text), syntax.Options{})
	in := eval.Input{Node: "default", Main: []*syntax.File{tree}, Settings: eval.Language(7), Budget: budget.New(ctx, limits)}
	return eval.Compile(newMapWorld(), in)
}

// The caller's budget decides, and its end is told at the expression that was one too many.
func TestGivenBudget(t *testing.T) {
	const loops = "function f($n) { if $n > 0 { f($n - 1) } }  f(5)  [1,2,3,4,5,6,7,8,9].each |$a| { [1,2,3,4,5,6,7,8,9].each |$b| { [1,2,3,4,5,6,7,8,9].each |$c| { $x = 1 } } }"
	for what, c := range map[string]struct {
		limits     budget.Limits
		code, text string
	}{
		"steps": {budget.Limits{Steps: 1000}, "E0902", "more than 1000 steps"},
		"bytes": {budget.Limits{Bytes: 1000}, "E0907", "more than 1000 bytes"},
		"depth": {budget.Limits{Depth: 2}, "E0901", "more than 2 levels"},
	} {
		res := budgeted(context.Background(), c.limits, loops)
		if f := res.Failure; f == nil || f.Code != c.code || !strings.Contains(f.Summary, c.text) || !f.Place.Known() {
			t.Errorf("%s: got %v", what, f)
		}
	}
	if res := budgeted(context.Background(), eval.Limits(), loops); res.Failure != nil {
		t.Error(res.Failure)
	}
}

// A compile whose context ends has no verdict at all.
func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res := budgeted(ctx, budget.Limits{}, "Integer[1, 1000000000000].each |$x| { }")
	if res.NotDone == nil || res.Failure != nil || res.Catalog != nil || !errors.Is(res.NotDone, context.Canceled) {
		t.Errorf("not done: %v, failure: %v", res.NotDone, res.Failure)
	}
}
