package eval_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"bunraku/budget"
	"bunraku/internal/live"
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
		{"a loop over a range", "Integer[1, 1000000000000].each |$x| { }", "10000000 steps"},
		{"a loop that counts", "1000000000000.each |$x| { }", "10000000 steps"},
		{"an array of a range", "$x = Array(Integer[1, 1000000000000])", "more than 2000000 elements"},
		{"steps of a range", "$x = Integer[1, 1000000000000].step(2).map |$x| { $x }", "steps"},
		{"an array that is small and looks large", "$s = [" + numbers + "].reduce([1]) |$m, $x| { [$m, $m] }\n$t = \"${s}\"",
			"more than 2000000 elements"},
		{"a hash that is small and looks large", "$s = [" + numbers +
			"].reduce({}) |$m, $x| { {'a' => $m, 'b' => $m} }\n$t = $s == $s", "more than 2000000 elements"},
		{"long strings, many times", "$a = [" + numbers +
			"].reduce('a') |$m, $x| { if length($m) < 10000000 { \"${m}${m}\" } else { $m } }\n$b = [" + numbers +
			"].map |$x| { $a }", "longer than 134217728 bytes"},
		{"nesting", "$s = Integer[1, 100000].reduce([1]) |$m, $x| { [$m] }", "nests more than 2000"},
		{"recursion through blocks", "function f($x) { [1].each |$y| { f($x) } }\nf(1)", "nests more than"},
		{"recursion through defaults", "function f($x = f()) { 1 }\nf()", "nests more than"},
		{"recursion through templates", "function f() { inline_epp('<%= f() %>') }\nf()", "nests more than"},
		{"copying, array by array", "$x = Integer[1, 200000].reduce([]) |$m, $x| { $m + [$x] }", "bytes of values"},
		{"copying, string by string", "$x = Integer[1, 200000].reduce('') |$m, $x| { \"${m}aaaaaaaaaa\" }",
			"bytes of values"},
		{"a substitution that doubles", "$s = [" + numbers + "].reduce('a') |$m, $x| { regsubst($m, 'a', 'aa', 'G') }",
			"matches more than 1000000 times"},
		{"a substitution that grows fast", "$s = [" + numbers + "].reduce('a') |$m, $x| { regsubst($m, 'a', '" +
			strings.Repeat("a", 99) + "', 'G') }", "would be longer than"},
		{"splitting", "$s = [" + numbers + "].reduce('ab') |$m, $x| { join(split($m, '') + split($m, ''), '') }",
			"matches more than 1000000 times"},
		{"joining", "$s = [" + numbers + "].reduce('a') |$m, $x| { join([$m, $m, $m, $m], $m) }", "longer than"},
		{"a wide format", "$x = sprintf('%999999999d', 1)", "width too big"},
		{"a format as wide as told", "$x = sprintf('%*d', 999999999, 1)", "width too big"},
		{"a heredoc that doubles", "$s = [" + numbers + "].reduce('a') |$m, $x| { @(\"E\") }\n  ${m}${m}\n  | E\n",
			"longer than"},
		{"a template that doubles", "$s = [" + numbers +
			"].reduce('a') |$m, $x| { inline_epp('<%= $m %><%= $m %>', {'m' => $m}) }", "longer than"},
		{"a template that loops", "$x = inline_epp('<% Integer[1, 1000000000].each |$x| { -%>xxxxxxxxxx<% } -%>')", ""},
		{"defines that double", "define d { d { [\"${title}1\", \"${title}2\"]: } }\nd { 'a': }",
			"more than 200000 resources"},
		{"resources in a loop", "Integer[1, 3000000].each |$x| { notify { \"n${x}\": } }", "more than 200000 resources"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := live.Begin()
			res, ds := compileText("bound.pp", c.text, eval.Language(7))
			if ds.HasErrors() {
				t.Fatal(ds[0])
			}
			if res.Failure == nil || !strings.Contains(res.Failure.Summary, c.want) {
				t.Errorf("got %v, want an error with %q", res.Failure, c.want)
			}
			if spent := began.Took(); spent > 30*time.Second {
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
	in := eval.Input{Node: "default", Main: []*syntax.File{tree}, Settings: eval.Language(7),
		Budget: budget.New(ctx, limits)}
	return eval.Compile(newMapWorld(in.Settings.Language), in)
}

// The caller's budget decides, and its end is told at the expression that was one too many.
func TestGivenBudget(t *testing.T) {
	const loops = "function f($n) { if $n > 0 { f($n - 1) } }  f(5)  [1,2,3,4,5,6,7,8,9].each |$a| { " +
		"[1,2,3,4,5,6,7,8,9].each |$b| { [1,2,3,4,5,6,7,8,9].each |$c| { $x = 1 } } }"
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

// Aliases that stand for huge types are compared in the number of their parts, and what cannot be is refused by a named
// bound.
func TestTypeBombs(t *testing.T) {
	const variant, structure = "Variant[P, Array[P], Tuple[P, P]]", "Struct[{a => P, b => P}]"
	for name, c := range map[string]struct{ alias, use, want string }{
		"instance":        {variant, "$x = [[1]] =~ T39", "false"},
		"other instance":  {variant, "$x = [['a'], [['b', 'c']]] =~ T39", "true"},
		"deep instance":   {variant, "$x = Integer[1, 15].reduce([1]) |$m, $i| { [$m, $m] } =~ T39", "false"},
		"struct":          {structure, "$x = {a => {a => 1}} =~ T39", "false"},
		"order":           {variant, "$x = T39 < U39", "false"},
		"equality":        {variant, "$x = T39 == U39", "true"},
		"optional":        {"Optional[Variant[P, Array[P]]]", "$x = T39 <= U39", "true"},
		"parameter":       {variant, "function f(T39 $p) { $p }  $x = f([[1]])", "parameter 'p'"},
		"class":           {variant, "class c(T39 $p) { }  class { c: p => [[1]] }  $x = 1", "parameter 'p'"},
		"struct given":    {structure, "function f(T39 $p) { $p }  $x = f({a => {a => 1}})", "parameter 'p'"},
		"asserted":        {variant, "$x = assert_type(T39, [[1]])", "assert_type()"},
		"text":            {variant, "$x = \"${T39}\"", "longer than 33554432 bytes"},
		"around a corner": {"Variant[P, Array[T39], Tuple[P, P]]", "$x = [[1]] =~ T39", "more than 200000 parts"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "type T0 = String\ntype U0 = String\n"
			for i := 1; i < 40; i++ {
				for _, n := range []string{"T", "U"} {
					text += fmt.Sprintf("type %s%d = %s\n", n, i, strings.ReplaceAll(c.alias, "P", fmt.Sprintf("%s%d", n, i-1)))
				}
			}
			res, _ := compileText("bomb.pp", text+c.use+"\nnotify { \"${x}\": }\n", eval.Language(7))
			switch {
			case res.Failure != nil && !strings.Contains(res.Failure.Summary, c.want):
				t.Errorf("got %.300s, want %q", res.Failure.Summary, c.want)
			case res.Failure == nil && res.Catalog.Resource("Notify", c.want) == nil:
				t.Errorf("not %s", c.want)
			}
		})
	}
}

// What is gone through again and again counts each time, whatever does it.
func TestRepeatedWork(t *testing.T) {
	const large = "$a = Integer[1, 2000].map |$i| { \"x${i}\" }\n$b = Integer[1, 2000].map |$i| { \"x${i}\" }\n"
	for name, loop := range map[string]string{
		"equality":   "Integer[1, 5000].each |$i| { $x = $a == $b }",
		"flatten":    "Integer[1, 5000].each |$i| { flatten($a) }",
		"unique":     "Integer[1, 5000].each |$i| { unique($a) }",
		"types":      "Integer[1, 5000].each |$i| { $x = $a =~ Array[String] }",
		"collectors": "Integer[1, 1000].each |$i| { @notify { \"n${i}\": }  Notify <| title == \"m${i}\" |> }",
	} {
		res := budgeted(context.Background(), budget.Limits{Steps: 1_000_000}, large+loop)
		if res.Failure == nil || res.Failure.Code != "E0902" {
			t.Errorf("%s: %v", name, res.Failure)
		}
	}
}
