package ruby

import (
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// Hostile programs stop at a bound, which is named, within a second or so; and what asks the world is refused.
func TestBounds(t *testing.T) {
	rt := NewRuntime()
	cases := []struct{ code, want string }{
		{"loop { }", "steps"},
		{"while true; end", "steps"},
		{"i = 0; i += 1 until false", "steps"},
		{"def f(n) f(n + 1) end; f(0)", "deeper"},
		{"f = ->(x) { f.call(x) }; f.call(1)", "deeper"},
		{"a = []; a << a; b = a; 100000.times { b = [b] }; b.flatten; b.to_s", "deeper"},
		{"'x' * 1_000_000_000_000", "larger"},
		{"s = 'x'; 60.times { s << s }", "larger"},
		{"s = 'x'; loop { s = s + s }", "larger steps"},
		{"a = [1]; 60.times { a.concat(a) }", "larger steps"},
		{"Array.new(1_000_000_000_000)", "larger"},
		{"a = []; a[10**12] = 1", "larger"},
		{"a = []; loop { a << 'x' * 1000 }", "steps allocated larger"},
		{"10 ** 10 ** 10", "larger"},
		{"1 << 10 ** 12", "larger"},
		{"x = 3; loop { x = x * x }", "larger allocated steps"},
		{"(1..10**18).to_a", "steps allocated larger"},
		{"(1..10**18).each { }", "steps"},
		{"('a'..'zzzzzzzzzzzz').to_a", "steps allocated larger"},
		{"'%1000000000d' % 1", "larger"},
		{"'a'.ljust(10**12)", "larger"},
		{"('a' * 40) =~ /(a+)+$b/; ('a' * 4000 + 'b').match?(/\\A(a|aa|aaa)*\\z(?=x)/)", "steps depth"},
		{"[1].cycle { }", "steps"},
		{"begin; loop { }; rescue Exception; end; 5", "steps"},
		{"begin; loop { }; ensure; loop { }; end", "steps"},
		{"def f; yield; end; def g; f { g }; end; g", "deeper"},
		{"a = (1..20).to_a; a.permutation.to_a", "steps allocated larger"},
		{"a = (1..40).to_a; a.product(a, a, a, a, a, a)", "larger allocated steps"},
		{"h = {}; h['x'] = h; h.to_json", "nesting"},
		{"h = {}; x = h; 5000.times { x['k'] = {}; x = x['k'] }; h.to_yaml", "deeper"},
		{"`ls`", "refused"}, {"system('ls')", "refused"}, {"File.read('/etc/passwd')", "refused"}, {"ENV['HOME']", "refused"},
		{"Time.now", "refused"}, {"rand", "refused"}, {"Dir.glob('*')", "refused"},
		{"Encoding.nosuch", "not supported"}, {"Struct.new(:a).new(1).nosuch", "nosuch"},
		{"require 'nosuch'", "not supported"}, {"eval('1')", "not supported"}, {"open('/etc/passwd')", "refused"},
		{"SecureRandom.hex", "refused"}, {"Kernel.exit", "refused"}, {"exit!", "refused"}, {"File.open('x')", "refused"},
		{"IO.read('x')", "refused"}, {"Process.pid", "refused"}, {"Object.const_get(:ENV)['x']", "refused"},
		{"send(:system, 'ls')", "refused"}, {"Kernel.send(:`, 'ls')", "refused"}, {"method(:system).call('ls')", "refused"},
	}
	for _, c := range cases {
		begin := live.Begin()
		prog, errs := Parse(source.NewFile("t", c.code))
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.code, errs[0])
			continue
		}
		limits := DefaultLimits()
		limits.Steps = 500_000
		_, err := rt.New(limits).Run(prog, &Instance{class: rt.object})
		if err == nil {
			t.Errorf("%s: no error", c.code)
			continue
		}
		ok := false
		for _, w := range strings.Fields(c.want) {
			ok = ok || strings.Contains(err.Error(), w)
		}
		if c.want == "not supported" {
			ok = strings.Contains(err.Error(), c.want)
		}
		if !ok {
			t.Errorf("%s: %v, want %s", c.code, err, c.want)
		}
		if d := begin.Took(); d > 10*time.Second {
			t.Errorf("%s: took %v", c.code, d)
		} else if d > time.Second {
			t.Logf("%s: took %v", c.code, d)
		}
	}
}

// Deep nesting is an error of the parser, not the end of the stack.
func TestParseBounds(t *testing.T) {
	for _, s := range []string{strings.Repeat("(", 100000), strings.Repeat("[", 100000), strings.Repeat("!", 100000) + "1",
		strings.Repeat("-", 100000) + "1", strings.Repeat("if 1;", 100000), strings.Repeat(`"#{`, 50000),
		strings.Repeat("a ? ", 50000), strings.Repeat("->{", 50000), strings.Repeat("a[", 50000), strings.Repeat("f{", 50000),
		strings.Repeat("{1=>", 50000), strings.Repeat("a = ", 100000), strings.Repeat("class A;", 50000),
		strings.Repeat("begin;", 50000), strings.Repeat("not ", 100000) + "1", strings.Repeat("1 ** ", 100000) + "1",
		strings.Repeat("a b ", 50000), strings.Repeat("*", 1000)} {
		if _, errs := Parse(source.NewFile("t", s)); len(errs) == 0 {
			t.Errorf("%.20s…: no error", s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range programs {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4000 {
			return
		}
		prog, errs := Parse(source.NewFile("t", s))
		syntax.Walk(prog.Body, func(n syntax.Node) bool {
			if sp := n.Span(); sp.End > uint32(len(s)) {
				t.Fatalf("%T: span %v beyond %d", n, sp, len(s))
			}
			return true
		})
		for _, d := range errs {
			if d.Code == "" || d.Summary == "" {
				t.Fatalf("a diagnostic without a text: %+v", d)
			}
		}
	})
}

// Whatever the program, the interpreter ends with a value or an error of its own.
func FuzzRun(f *testing.F) {
	for _, s := range programs {
		f.Add(s)
	}
	rt := NewRuntime()
	limits := Limits{Steps: 20000, Depth: 100, Size: 1 << 16, Memory: 1 << 20}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1000 {
			return
		}
		prog, errs := Parse(source.NewFile("t", s))
		if len(errs) > 0 {
			return
		}
		in := rt.New(limits)
		v, err := in.Run(prog, &Instance{class: rt.object})
		if err == nil {
			_, err = in.Show(v)
		}
		if err != nil && strings.Contains(err.Error(), "internal error") {
			t.Fatal(err)
		}
	})
}
