package ruby

import (
	"context"
	"strings"
	"testing"

	"bunraku/budget"
	"bunraku/source"
)

// All programs that share a budget and an account end at one bound, however small each of them is; and what one of them
// rescues or ensures does not run on the way.
func TestSharedBounds(t *testing.T) {
	rt := NewRuntime()
	prog, errs := Parse(source.NewFile("t",
		"begin; 1000.times { |i| i }; rescue Exception; $saved = 1; ensure; loop { } if $!; end"))
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	limits := DefaultLimits()
	limits.Steps, limits.Budget, limits.Shared = 0,
		budget.New(context.Background(), budget.Limits{Steps: 1_000_000, Depth: 100}), &Account{}
	runs := 0
	many := func() (err error) {
		defer budget.Catch(&err)
		for ; runs < 2000; runs++ {
			in := rt.New(limits)
			if _, err := in.Run(prog, &Instance{class: rt.object}); err != nil {
				return err
			}
			in.Leave()
		}
		return nil
	}
	err := many()
	if e, ok := err.(*budget.Exceeded); !ok || e.What != "steps" || e.Where != "Ruby" {
		t.Errorf("after %d runs: %v", runs, err)
	}
	if steps, _ := limits.Budget.Spent(); runs < 100 || runs > 1000 || steps > 1_000_300 {
		t.Errorf("%d runs, %d steps", runs, steps)
	}
	prog, _ = Parse(source.NewFile("t", "x = 'x' * 10_000_000; x.size"))
	small := DefaultLimits()
	small.Memory, small.Shared = 25_000_000, &Account{}
	var alive []*Interp
	for len(alive) < 10 {
		in := rt.New(small)
		if _, err := in.Run(prog, &Instance{class: rt.object}); err != nil {
			break
		}
		alive = append(alive, in)
	}
	if len(alive) != 2 {
		t.Errorf("%d interpreters had room", len(alive))
	}
	for _, in := range alive {
		in.Leave()
	}
	if _, err := rt.New(small).Run(prog, &Instance{class: rt.object}); err == nil {
		t.Log("what is given back can be used again")
	} else {
		t.Error(err)
	}
}

// recursive are programs about containers that contain themselves.
func recursive() []string {
	var out []string
	for _, make := range []string{
		"a = []; a << a; b = []; b << b", "a = [1]; a << a << 2; b = [1]; b << b << 2",
		"a = {}; a[:k] = a; b = {}; b[:k] = b",
		"a = []; a << {x: a}; b = []; b << {x: b}", "a = []; b = [a]; a << b", "a = [[1], [2]]; a << a[0]; b = a.dup; b << b",
		"a = [3]; a.push([a]); b = [3, [a]]", "h = {}; a = [h]; h[1] = a; b = [{1 => a}]",
	} {
		for _, use := range []string{
			"a == b", "a == a", "a != b", "a.eql?(b)", "a.equal?(b)", "a <=> b", "a <=> a", "a.inspect", "a.to_s", "\"#{a}\"",
			"a.flatten", "a.flatten(1)", "a.flatten!",
			"a.flatten(3).size", "a.join('-')", "[a].join", "a.to_a.inspect", "{a => 1}[a]", "{a => 1}[b]", "({a => 1}).inspect",
			"[a, b, a].uniq.size", "[a, a].uniq.size", "([a] - [b]).size",
			"([a] & [b]).size", "([a] | [b]).size", "[a, b].tally.size", "[a].to_set.include?(b)",
			"[a, b].group_by { |x| x }.size", "a.to_json", "a.to_yaml", "[a, b].sort.size",
			"[a, b].min == a", "a.dup == a", "a.clone.inspect", "a.freeze.frozen?", "a.size", "a.include?(a)", "a.include?(b)",
			"a.index(a)", "a.count(a)", "[b].include?(a)", "a.hash == a.hash",
			"a.to_a.reverse.inspect", "a.to_a.rotate.inspect", "[a, a].transpose.inspect rescue $!.class",
			"a.to_a.product(a.to_a).size", "a.to_a.zip(a.to_a).inspect", "a.to_a.sum([]) rescue $!.class",
			"a.to_a.map(&:inspect)", "a.to_a.compact.size", "Array(a).size", "[*a].size", "a.to_a.each_slice(1).to_a.inspect",
			"a.to_a.first.inspect", "a.to_a.dig(0, 0).inspect rescue $!.class", "a.to_a.to_h.inspect rescue $!.class",
			"[[a, 1], [b, 2]].to_h.size", "a.to_a.assoc(a).inspect", "a.to_a.delete(a).inspect", "a === b",
			"case a when b then 1 else 2 end", "a.to_a.cycle(1).to_a.size rescue 0", "(a..a) rescue $!.class",
			"File.join(a) rescue $!.class",
			"'%s' % [a]", "'%p' % [a]", "a.to_a.permutation.first.inspect", "a.to_a.each_with_index.to_a.inspect",
			"a.to_a.flat_map { |x| x }.inspect rescue $!.class", "a.to_a.pack('a*') rescue $!.class", "[a, [b]].flatten",
			"a.to_a.values_at(0, 1).inspect",
			"raise a.inspect", "p = proc { a }; p.call.inspect", "a.to_a.sort_by(&:to_s).size",
			"a.to_a.minmax.inspect rescue $!.class", "a.to_a.max.inspect rescue $!.class", "JSON.generate(a)",
			"JSON.pretty_generate(a)", "a.to_a.partition { |x| x == a }.inspect", "a.merge(b).inspect rescue $!.class",
			"a.invert.inspect rescue $!.class", "a.to_a.difference(b.to_a).size", "a.to_a.union(b.to_a).size",
			"[a].flatten.size rescue $!.message", "Regexp.union(a) rescue $!.class", "a.to_a.insert(0, b).inspect",
			"a.to_a.fill(b).inspect", "a.to_a.concat(b.to_a).inspect", "Marshal.load(Marshal.dump(a)) == a",
		} {
			out = append(out, make+"; "+use)
		}
	}
	return out
}

// Containers that contain themselves are no end of anything: they do what they do in Ruby.
func TestRecursive(t *testing.T) {
	codes := recursive()
	same, _ := differ(t, codes)
	if same < len(codes)*9/10 {
		t.Errorf("only %d of %d are supported", same, len(codes))
	}
}

// hostile are programs whose work grows beyond all bounds. Each must end at one; which one is not the point.
var hostile = []string{
	"a = b = nil; 60.times { a = [a, a]; b = [b, b] }; a == b", "a = b = nil; 60.times { a = [a, a] }; a.flatten",
	"a = b = nil; 60.times { a = [a, a] }; a.to_s", "a = b = nil; 60.times { a = [a, a] }; a.inspect",
	"a = b = nil; 60.times { a = [a, a] }; a.join",
	"a = b = nil; 60.times { a = [a, a] }; a.to_json", "a = b = nil; 60.times { a = {1 => a, 2 => a} }; a.to_s",
	"a = b = nil; 60.times { a = [a, a]; b = [b, b] }; a <=> b",
	"a = b = nil; 60.times { a = [a, a]; b = [b, b] }; [a, b].sort",
	"a = b = nil; 60.times { a = {1 => a, 2 => a}; b = {1 => b, 2 => b} }; a == b",
	"a = 'x' * 1000; loop { a = a.gsub(/x/, 'xx') }", "a = 'x'; loop { a = a.gsub('x', a) }",
	"a = 'x'; loop { a = a * 2 }", "a = 'x'; loop { a *= 10 }", "a = [1]; loop { a = a * 2 }", "a = [1]; loop { a += a }",
	"a = 'a'; loop { a.replace(a + a) }", "a = 'a'; loop { a.prepend(a) }", "a = 'ab'; loop { a.insert(1, a) }",
	"a = 'a'; loop { a = a.center(a.size * 2) }", "a = 'a'; loop { a = \"#{a}#{a}\" }",
	"a = 'a'; loop { a = [a, a].join }", "a = 'a'; loop { a = format('%s%s', a, a) }",
	"a = 'a'; loop { a = a.tr('a', 'b').sub('b', a + a) }",
	"x = 1; begin; raise 'a'; rescue; retry; end", "begin; end while true", "begin; x = 1; end until false",
	"[1].each { redo }", "loop { next }", "1.upto(Float::INFINITY) { }", "1.step { }", "(1..).each { }",
	"[1].cycle { |x| next }", "catch(:a) { loop { catch(:b) { throw :b } } }",
	"a = 'x' * 1_000_000; loop { a.include?('y') }", "a = 'x' * 1_000_000; b = 'x' * 1_000_000; loop { a == b }",
	"a = 'x' * 1_000_000; loop { a.index('y') }", "a = 'x' * 1_000_000; loop { a.count('y') }",
	"a = 'x' * 1_000_000; loop { a =~ /y/ }", "a = 'x' * 1_000_000; loop { a.length }",
	"a = 'é' * 1_000_000; loop { a[999_999] }",
	"a = 'x' * 1_000_000; loop { a.ascii_only? }", "a = 'x' * 1_000_000; loop { a.valid_encoding? }",
	"a = 'x' * 1_000_000; h = {}; loop { h[a] }", "a = 'x' * 1_000_000; loop { a <=> a.dup }",
	"a = 'x' * 1_000_000; loop { a.start_with?(a) }", "a = 'x' * 1_000_000; loop { a.casecmp?(a) }",
	"a = 'x' * 1_000_000; loop { a.to_i }", "a = '1' * 100_000; loop { a.to_i }",
	"a = '1' * 1_000_000; loop { a.to_sym == :b }",
	"a = (1..100_000).to_a; loop { a.include?(0) }", "a = (1..100_000).to_a; loop { a.reverse }",
	"a = (1..100_000).to_a; loop { a.sum }", "a = (1..100_000).to_a; loop { a.max }",
	"a = (1..100_000).to_a; loop { a.dup }", "a = (1..100_000).to_a; loop { a.compact.size }",
	"a = (1..100_000).to_a; loop { a.uniq.size }", "a = (1..100_000).to_a; loop { a - [1] }",
	"a = (1..100_000).to_a; loop { a.shift; a.unshift(1) }",
	"a = (1..100_000).to_a; loop { a.insert(0, 1) }", "a = (1..100_000).to_a; loop { a.delete(0) }",
	"a = (1..100_000).to_a; loop { a.delete_at(0); a.push(1) }", "a = (1..100_000).to_a; loop { a.index(0) }",
	"a = (1..100_000).to_a; loop { a.rotate }", "a = (1..100_000).to_a; loop { a.to_a.last(99_999) }",
	"a = (1..100_000).to_a; loop { a[1..] }", "a = (1..100_000).to_a; loop { a.first(99_999) }",
	"a = (1..100_000).to_a; loop { [*a] }", "a = (1..100_000).to_a; def f(*x) end; loop { f(*a) }",
	"a = (1..100_000).to_a; loop { a.flatten }", "a = (1..100_000).to_a; loop { a == a.dup }",
	"a = (1..100_000).to_a; loop { a.hash }", "a = (1..100_000).to_a; h = {}; loop { h[a] }",
	"a = (1..100_000).to_a; loop { a.sort }", "a = (1..100_000).to_a; loop { a.join }",
	"a = (1..100_000).to_a; loop { a.minmax }", "a = (1..100_000).to_a; loop { a.zip(a) }",
	"a = (1..100_000).to_a; loop { a.each_slice(2).to_a }",
	"a = (1..100_000).to_a; loop { a.take_while { false }; a.drop(1) }", "a = (1..100_000).to_a; loop { a.fill(0) }",
	"a = (1..100_000).to_a; loop { a.tally }", "a = (1..100_000).to_a; loop { a.concat([]) ; a.none?(0) }",
	"a = (1..100_000).to_a; loop { a.count(0) }", "a = (1..100_000).to_a; loop { a.values_at(*a) }",
	"a = (1..100_000).to_a; loop { Array(a).each_cons(2).first; a.rindex(0) }",
	"a = (1..100_000).to_a; loop { a <=> a.dup }", "a = (1..100_000).to_a; loop { a.to_set }",
	"a = (1..100_000).to_a; loop { x, *y = a }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.value?(0) }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.keys }", "h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.dup }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.merge({}) }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.invert }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.to_a }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h == h.dup }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.key(0) }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.compact }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.sort }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; def f(**k) end; loop { f(**h) rescue 0 }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.first; h.shift; h[0] = 1 }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { {**h} }",
	"h = (1..50_000).map { |x| [x, x] }.to_h; loop { h.select { false }; h.rehash }",
	"x = 3 ** 100_000; loop { x.to_s }", "x = 3 ** 100_000; loop { x * x }", "x = 3 ** 100_000; loop { x % 7 }",
	"x = 3 ** 100_000; loop { x == x + 1 }", "x = 7 ** 1000; loop { x = x ** 2 % (7 ** 1001) }",
	"x = 3 ** 100_000; loop { x.digits }", "x = 3 ** 100_000; loop { x.gcd(x + 1) }",
	"x = 3 ** 50_000; loop { x.pow(x, x + 2) }", "x = 3 ** 100_000; loop { x.to_f }",
	"x = 3 ** 100_000; h = {}; loop { h[x] }", "x = 3 ** 100_000; loop { \"#{x}\" }",
	"'a' * 30 + 'b' =~ /(a|a)*c/; loop { 'a' * 24 =~ /(a|a)*c/ }", "loop { ('a' * 25).gsub(/(a|aa)+$z/, '') }",
	"s = 'a' * 10_000; loop { s.scan(/a*?b/) }", "s = 'ab' * 10_000; loop { s.split('a') }",
	"s = 'ab' * 10_000; loop { s.split(/a/) }", "s = \"a\\n\" * 10_000; loop { s.lines }",
	"s = 'ab' * 10_000; loop { s.chars }", "s = 'ab' * 10_000; loop { s.bytes }",
	"s = 'ab' * 10_000; loop { s.unpack('C*') }", "i = 0; loop { Regexp.new(\"(a{1,50}){1,50}#{i += 1}\") }",
	"s = '[' * 90 + ']' * 90; loop { JSON.parse(s) }", "s = '[1' + ',1' * 100_000 + ']'; loop { JSON.parse(s) }",
	"class A; def each; loop { yield 1 }; end; include Enumerable; end; A.new.to_a",
	"class A; def ==(o) self == o end; end; A.new == 1", "class A; def inspect; \"#{inspect}\"; end; end; A.new.inspect",
	"class A; def to_s; to_s; end; end; \"#{A.new}\"",
	"class A; def <=>(o) self <=> o; end; include Comparable; end; A.new < A.new",
	"class A; def method_missing(n, *a) foo; end; end; A.new.x", "def f(x = f) end; f",
	"class A; def coerce(o) 1 + self; end; end; 1 + A.new", "h = Hash.new { |hh, k| hh[k] }; h[1]",
	"def f; yield; ensure; f { }; end; f { }",
	"def f(n) = n < 2 ? n : f(n - 1) + f(n - 2); f(60)", "a = *1..20; a.permutation.count",
	"a = *1..60; a.combination(30).count", "(1..30).to_a.repeated_permutation(20).to_a rescue loop { }",
	"a = (0..9).to_a; a.product(a, a, a, a, a, a, a, a).size", "('a'..'zzzzzzzzzz').count", "x = 'a'; loop { x = x.succ }",
	"(1..10**15).sum { 1 }", "(1..10**15).include?(0.5) ; (1..10**15).to_a", "(1..10**15).find { false }",
	"(1..10**15).step(1).to_a", "1.step(10**15, 1) { }", "10**15.times { }; (10**15).times { }",
	"e = [1].cycle; loop { e.next }", "e = Enumerator.new { |y| loop { y << 1 } }; e.to_a",
	"(1..Float::INFINITY).lazy.map { |x| x }.select { false }.first(1)",
	"a = 'x'; $g = []; loop { $g << a.dup }", "class A; end; loop { A.new }", "loop { ->(x) { x } }", "loop { Class.new }",
	"i = 0; loop { Object.const_set(\"A#{i += 1}\", 1) }",
	"i = 0; loop { define_method(\"a#{i += 1}\") { } } rescue loop { }",
	"i = 0; loop { instance_variable_set(\"@a#{i += 1}\", 1) }", "i = 0; loop { eval('1') }", "def f(*a) f(*a, 1) end; f",
	"def f(h) f(h.merge(h.size => 1)) end; f({})", "a = []; 2000.times { a = [a] }; a == [a]",
	"a = []; 2000.times { a = [a] }; {a => 1}", "a = []; 2000.times { a = [a] }; a.flatten",
	"a = []; 2000.times { a = [a] }; a.inspect", "a = {}; 2000.times { a = {1 => a} }; a.to_s",
	"a = []; 2000.times { a = [a] }; b = []; 2000.times { b = [b] }; a == b",
	"a = []; 2000.times { a = [a] }; b = []; 2000.times { b = [b] }; a <=> b",
}

// Hostile programs end at a bound that is named. Steps are proportional to work, so this takes no longer than any other
// hundred thousand steps for each.
func TestHostile(t *testing.T) {
	rt := NewRuntime()
	for _, code := range hostile {
		prog, errs := Parse(source.NewFile("t", code))
		if len(errs) > 0 {
			t.Errorf("%s: %v", code, errs[0])
			continue
		}
		limits := DefaultLimits()
		limits.Steps = 100_000
		_, err := rt.New(limits).Run(prog, &Instance{class: rt.object})
		if err == nil || strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v", code, err)
		} else if e := err.(*Error); e.Kind == Raised {
			t.Errorf("%s: %v", code, err)
		}
	}
}
