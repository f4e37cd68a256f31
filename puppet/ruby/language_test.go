package ruby

import "testing"

// Programs whose first comment says that strings cannot be changed, before each of these.
var frozen = []string{
	"'a' << 'b'", "%w[a].first << 'b'", "\"a#{1}\" << 'b'", "'a' 'b' << 'c'", "?a << 'b'", "<<~E << 'x'\n a\nE\n",
	"\"#{1}\".frozen?", "'a'.dup << 'b'", "(+'a') << 'b'", "x = 'a'; x += 'b'; x << 'c'", "'a'.sub('a', 'b') << 'c'",
	"case 'a' when 'a' then 'b' << 'c' end", "s = ''; s.concat('x')", "'a'.upcase!", "'b'.upcase << 'c'",
	"'a'.to_s << 'b'",
	"String.new('a') << 'b'", "'a'.clone << 'b'", "['a', 'b'].join('-') << 'c'", "def f(s = 'd') s << 'e' end; f",
	"[1].each_with_object('') { |x, s| s << x.to_s }", "'%s' % 'a' << 'b'", "'a'.gsub!(/a/, 'b')", "'a'.strip.frozen?",
	"'a' * 2 << 'b'", "'ab'[0] << 'c'", "'a b'.split.first << 'c'", "h = { 'k' => 'v' }; h['k'] << 'w'", "'a'.succ!",
	"x = 'a'; y = x; y.replace('b')", "'a'.itself << 'b'", "'a'.then { |s| s << 'b' }", "'a'.insert(0, 'b')",
	"'ab'.slice!(0)",
	"'a'.force_encoding('BINARY')", "'a'.encode('UTF-8') << 'b'", "'a'.intern.to_s << 'b'", "'a'.freeze << 'b'",
	"'a'.tr!('a', 'b')",
}

// Comments that say it, and some that do not.
var freezing = []string{
	"# frozen_string_literal: true\n", "# Frozen-String-Literal:TRUE\n", "# -*- frozen_string_literal: true -*-\n",
	"# -*- coding: utf-8; frozen_string_literal: true -*-\n", "# text\n\n# frozen_string_literal: true\n",
	"# frozen_string_literal: true, really\n", "# see frozen_string_literal: true\n",
	"x = 1\n# frozen_string_literal: true\n",
	"# frozen_string_literal: true\n# frozen_string_literal: false\n", "#frozen_string_literal: true\n",
	"# frozen_string_literal: yes\n", "# frozen_string_literal : true\n", "1 # frozen_string_literal: true\n",
	"# frozen_string_literal: \"true\"\n", "# -*- frozen_string_literal: true; x: y -*-\n",
	"# coding: utf-8 frozen_string_literal: true\n",
}

// Programs that use the language rather than the library.
var programs = []string{
	"a, b = 1, 2; [b, a]", "a, *b = [1, 2, 3]; [a, b]", "*a, b = 1, 2, 3; [a, b]",
	"a, (b, c), d = 1, [2, 3], 4; [a, b, c, d]", "(a, b) = [5, 6]; a + b", "a = *1..3; a", "a = 1, 2; a",
	"a, b = b, a; [a, b]", "a = b = 3; a * b", "x = [1, 2]; a, b, c = x; [a, b, c]", "a, b = nil; [a, b]",
	"x = nil; x ||= 5; x", "x = 3; x &&= x + 1; x", "h = {}; h[:a] ||= []; h[:a] << 1; h",
	"h = Hash.new { |hh, k| hh[k] = k.to_s * 2 }; h[:ab]; h", "x = 5; x += 1; x -= 2; x *= 3; x /= 2; x **= 2; x",
	"s = 'a'; s += 'b'; s << 'c'; s", "x = 5; x <<= 2; x |= 1; x ^= 3; x",
	"if 1 > 2 then :a elsif 2 > 1 then :b else :c end", "unless false then 1 else 2 end", "x = if false; 1 end; x",
	"1 if true", "nil unless true", "true && nil", "false || 3", "not true", "true and false", "(1 or 2)", "!nil",
	"x = true ? 1 : 2", "x = 5; x > 3 ? x < 10 ? :mid : :hi : :lo", "a = [1, 2]; a.empty? ? 'e' : a.first",
	"case 5 when 1..3 then :low when 4..6 then :mid else :hi end", "case 'foo' when /^f(o+)/ then $1 end",
	"case 1 when Integer, Float then :num end", "case 'x' when 'a', 'x' then 1 end",
	"a = [1, 2]; case 2 when *a then :in end", "case when 1 > 2 then :a when true then :b end",
	"case nil when nil then :n end", "case :a when :b then 1 end", "case 5 when ->(n) { n > 3 } then :big end",
	"case [1] when Array then 1 else 2 end",
	"i = 0; while i < 5; i += 1; end; i", "i = 0; until i == 3 do i += 1 end; i", "i = 0; i += 1 while i < 10; i",
	"i = 0; begin i += 1 end while i < 0; i", "r = []; for x in 1..3 do r << x end; r",
	"r = []; for a, b in {1 => 2} do r << a + b end; r", "loop { break 7 }",
	"[1, 2, 3].each { |x| break x * 10 if x == 2 }", "[1, 2, 3].map { |x| next 0 if x == 2; x }",
	"r = []; 5.times { |i| next if i.odd?; r << i }; r", "i = 0; while true; i += 1; next if i < 3; break; end; i",
	"r = while true do break 'v' end", "[1,2,3].each_with_index { |x, i| break [x, i] if x > 1 }",
	"x = [3,1].each { |v| break }; x", "i = 0; r = []; loop do i += 1; next if i == 2; break if i > 4; r << i end; r",
	"begin; raise 'x'; rescue => e; e.message; end", "begin; 1; rescue; 2; else; 3; ensure; 4; end",
	"begin; raise ArgumentError, 'bad'; rescue TypeError, ArgumentError => e; [e.class, e.message]; end",
	"x = (raise 'a' rescue 'r'); x", "begin; Integer('z'); rescue => e; e.message; end",
	"def f; return 1; ensure; $z = 2; end; f", "n = 0; begin; n += 1; raise 'x' if n < 3; n; rescue; retry; end",
	"begin; begin; raise 'in'; rescue => e; raise TypeError, 'out'; end; rescue => e; [e.message, e.cause.message]; end",
	"begin; raise 'x'; rescue ArgumentError; 1; end",
	"class E1 < StandardError; def message; 'mine'; end; end; begin; raise E1; rescue => e; e.message; end",
	"begin; nil.foo; rescue NoMethodError => e; e.message; end", "raise IOError",
	"begin; raise; rescue => e; e.message; end", "begin; [].fetch(4); rescue IndexError => e; e.message; end",
	"begin; {}.fetch(:a); rescue KeyError => e; e.message; end",
	"catch(:done) { 10.times { |i| throw :done, i if i == 3 }; :never }", "throw :x",
	"e = RuntimeError.new('m'); e.inspect", "StandardError.new.message", "raise StandardError.new('obj')", "raise 5",
	"def m; yield; end; m", "begin; raise 'a'; ensure; 1; end",
	"def add(a, b = 2, *c, d: 4, **e, &f) [a, b, c, d, e] end; [add(1), add(1, 3, 5), add(1, d: 9, z: 1)]",
	"def f(a, b) end; f(1)", "def f(a:) a end; f", "def f(a:) a end; f(a: 1)", "def f(a: 1) a end; f(b: 2)",
	"def f(*) 1 end; f(1, 2)", "def f(a, *b, c) [a, b, c] end; f(1, 2, 3, 4)", "def f(a, b = a * 2) b end; f(4)",
	"def f(h) h end; f(a: 1, 'b' => 2)", "def f(*a) a end; f(*[1, 2], 3, *nil)",
	"def f(a, (b, c)) [a, b, c] end; f(1, [2, 3])", "def f; yield 1, 2; end; f { |a, b| a + b }",
	"def f(&b) b.call(3) end; f { |x| x * 2 }", "def f; block_given?; end; [f, f {}]", "def f(x) = x * 2; f(4)",
	"def fact(n) n < 2 ? 1 : n * fact(n - 1) end; fact(25)", "def f(a, b: 2) [a, b] end; f({b: 1})",
	"def f(**k) k end; f(**{a: 1}, b: 2)", "def self.foo; 1; end; foo", "f = method(:format); f.call('%d', 3)",
	"f = lambda { |x, y = 2| x + y }; [f.call(1), f.(1, 1), f[2]]", "f = ->(x) { x * 2 }; f.call(1, 2)",
	"f = proc { |x, y| [x, y] }; [f.call(1), f.call([1, 2]), f.call(1, 2, 3)]", "f = ->(x) { return x + 1; 0 }; f.call(1)",
	"[1, 2].map(&->(x) { x + 1 })", "%w[a b].map(&:upcase)", "[[1, 2], [3, 4]].map { |a, b| a * b }",
	"[[1, 2, 3]].map { |a, *b| b }", "{a: 1}.map { |k, v| [k, v] }",
	"[[1, 2]].each_with_index.map { |(a, b), i| a + b + i }", "[1, 2, 3].inject { |s, x| s + x }",
	"[1, 2].each_with_object([]) { |x, acc| acc << x }", "[3, 4].map { _1 * 2 }", "[[1, 2]].map { _1 + _2 }",
	"x = 10; [1].each { |y; x| x = y }; x", "x = 1; [5].each { |v| x = v }; x",
	"add = ->(a, b) { a + b }; add.curry[1][2]", "(:upcase.to_proc >> :reverse.to_proc).call('ab')",
	"f = proc { |a, (b, *c), d: 4| [a, b, c, d] }; f.call(1, [2, 3, 4])", "[1,2,3].each_slice(2) { |a, b| }",
	"def f; [1,2].each { |x| return x }; 9; end; f", "counter = 0; inc = -> { counter += 1 }; inc.call; inc.(); counter",
	"f = ->(x, y: 1) { x + y }; f.call(1, y: 5)", "[1, 2].sum { |x| x * 2 }", "proc { |x| x }.arity",
	"lambda { |x, y = 1| }.arity", "->(*a) {}.arity", "proc { next 5; 6 }.call",
	"[[[1, 2], 3]].map { |(a, b), c| a + b + c }",
	"'a' 'b'", `"a#{1 + 1}b#{"n#{2}"}"`, `'a\'b\\c\n'`, `"\t\u00e9\x41\101\e\s"`, `%w[a b\ c #{1}]`, `%W[a#{1} b]`,
	`%q(a (b) 'c')`, `%Q(a #{1})`, `%(x "y")`, `%i[a b]`, "<<EOS\nhello\n  there\nEOS", "<<-EOS\n  a\n  EOS",
	"<<~EOS\n  a\n    b\n\n  c\nEOS", "<<~'EOS'\n  a#{1}\n EOS", "[<<A, <<B]\na\nA\nb\nB",
	"<<~EOS.lines.map(&:strip)\n  x #{1 + 1}\n  y\nEOS", "x = 5; \"#{x > 3 ? \"big\" : \"small\"}\"", ":\"a b\"", ":'c'",
	"?a", "/a#{1}b/i", "%r{a/b}x", "'é'.length", `"a\
b"`, "__LINE__", "1_000", "0x1f + 0b11 + 0o17 + 017", "1e3", "-2 ** 2", "2 ** -1 rescue 0", "-2.abs", "10.fdiv(4)",
	"1.5.to_s", "5.clamp(1, 3)", "{a: 1, 'b': 2, \"c d\": 3, :e => 4, 'f' => 5}", "{1 => 2, nil => 3}", "a = 1; {a:}",
	"h = {a: 1}; {**h, b: 2}", "[*1..3, *[4]]", "(1..)", "(1...10).step(3).to_a", "[1, 2, 3][0..]", "[1,2,3][..1]",
	"'%s-%s' % %w[a b]", "a = [1,\n 2,\n]", "x = 1 +\n 2", "[1, 2]\n  .map { |x| x + 1 }\n  # comment\n  " +
		".select(&:even?)", "foo = 5 # c\nfoo", "=begin\nx\n=end\n3", "1;2;3", "()", "(1; 2)", "nil.to_a", "self.class",
	"[1, [2, [3]]].flatten.join(',')", "puts 'x'", "p 1", "defined?(never_seen)", "defined?(String)", "x = 1; defined?(x)",
	"defined?(puts)", "defined?(@a)", "alias_x = 1", "a = 'x'; b = a; b << 'y'; a", "a = 'x'; b = a.dup; b << 'y'; a",
	"a = [1]; b = a; b += [2]; a", "'abc'.freeze.upcase", "A = 5; A + 1",
	"module M; X = 3; def self.f; X; end; end; [M.f, M::X]", "class P; attr_accessor :n; def initialize(n) @n = n end; " +
		"def to_s; \"P#{@n}\" end; def ==(o) n == o.n end; end; [P.new(1).to_s, \"#{P.new(2)}\", P.new(1) == P.new(1)]",
	"class Q; include Comparable; attr_reader :v; def initialize(v) @v = v end; def <=>(o) v <=> o.v end; end; " +
		"[Q.new(1) < Q.new(2), [Q.new(3), Q.new(1)].min.v]", "class R; include Enumerable; def each; yield 1; yield 2; " +
		"end; end; [R.new.map { |x| x + 1 }, R.new.include?(2), R.new.sort, R.new.first, R.new.to_a]",
	"class S1; def foo; 1; end; end; class S2 < S1; def foo; super + 1; end; end; S2.new.foo",
	"class String; def shout; upcase + '!'; end; end; 'a'.shout",
	"class T1; def method_missing(n, *a) [n, a] end; def respond_to_missing?(*) true end; end; T1.new.foo(1)",
	"class U; class << self; def x; 1; end; end; end; U.x", "o = Object.new; def o.hi; 'hi'; end; o.hi",
	"class V; private; def s; 1; end; end; V.new.s", "Struct rescue 1; 1", "x = 5\nx -1", "a = [1, 2, 3]; a [0] rescue 0",
	"[1, 2, 3].include? 2", "[3, 1].sort!.first", "puts [1].map do |x| x end", "'a'.then { |s| s + 'b' }",
	"x = y = 1; x + y", "a&.b rescue 1", "nil&.foo", "'x'&.upcase", "$stdout.class rescue 1; 1", "'a-b_c'.split(/[-_]/)",
	"'2024-01'.match(/(\\d+)-(\\d+)/) { |m| m[1].to_i + m[2].to_i }", "'ab' =~ /b/; [$~[0], $`, $']",
	"if 'key=val' =~ /(\\w+)=(\\w+)/ then [$1, $2] end", "'foo bar'.gsub(/(\\w+) (\\w+)/) { \"#{$2} #{$1}\" }",
	"1.upto(3).map { |i| i * i }", "10.downto(7).to_a", "1.step(10, 4).to_a rescue 0",
	"(1..3).each_with_object([]) { |i, a| a.unshift(i) }", "(1..3).reduce(:*)", "('a'..'e').each_slice(2).map(&:join)",
	"%w[x y z].each_with_index.to_h { |v, i| [v, i] }", "Hash[%w[a b].zip([1, 2])]", "Hash[[[1, 2]]]",
	"[1, 2, 3, 4].each_cons(2).map { |a, b| b - a }", "Array(nil) + Array([1]) + Array(1..2) + Array('a')",
	"Array({'a' => 1})", "Integer('0x1f', 16)", "Integer('12', exception: false)", "Integer('1x')", "Integer(nil)",
	"Float('1.5')", "Float('x')", "String(5)", "Array.new(3) { |i| i * 2 }", "Array.new(2, 'x')",
	"rand(5).class rescue 1; 1", "[1, 2] <=> [1, 3]", "1 <=> 'a'", "[nil, 1].compact",
	"e = [1, 2, 3].each; [e.next, e.next, e.next]",
	"e = [1].each; e.next; begin; e.next; rescue StopIteration; :stop; end", "[4, 5].each.with_index(1).to_a",
	"[1,2,3].lazy.map { |x| x * 2 }.first(2) rescue 0; 1", "ObjectSpace rescue 1; 1",
	"x = [1, 2, 3]; x.each { |v| x.delete(v) if v == 1 }; x", "h = {a: 1}; h.each { |k, v| h[:b] = 2 }",
	"a = [1, 2]; a.freeze; a << 3", "CONST_X ||= 3", "[[2, 'b'], [1, 'a']].sort.map(&:last)",
	"['b', 'a'].sort_by { |x| -x.ord }", "[1, 'a'].sort", "[3, nil].max", "%w[apple fig kiwi].group_by(&:size)",
	"%w[a b c].each_with_index.select { |x, i| i > 0 }", "[0.1, 0.2, 0.3].sum", "[1, 2.5].sum", "['a', 'b'].sum('')",
	"[0.1] * 3", "1.0 / 3", "10 % 3.5", "2 ** 100", "100.digits", "255.to_s(2).rjust(10, '0')", "3.7 % 1", "-7 / 2",
	"-7 % 3", "-7.remainder(3)", "7.divmod(-2)", "1.23456.round(2)", "1234.567.round(-2)", "15.round(-1)",
	"25.round(-1, half: :even)", "0.1 + 0.2", "1e100.to_i", "12345678912345.678", "1e15", "1e16", "123456789.123456789",
	"100.0.to_s", "1e-4", "1e-5", "Float::INFINITY", "-1.0 / 0", "0.0 / 0", "3.0.to_i", "'3 apples'.to_i",
	"'0b11'.to_i(0)", "'z'.ord", "'abc'.sum", "'abc'.unpack('C*') rescue 0; 1", "Regexp.escape('a.b*c')",
	"Regexp.union('a.b', /c/i)", "Regexp.new('a', Regexp::IGNORECASE)", "File.basename('/a/b.rb', '.rb')",
	"File.extname('x.tar.gz')", "File.join('a', '/b/', 'c')", "File.dirname('/a/b/c')", "File.basename('/')",
	"File.split('/a/b')", "File.expand_path('../x', '/a/b')", "Shellwords.escape(\"it's\")",
	"Shellwords.split('a \"b c\" d')", "Base64.strict_encode64('hello')", "Base64.encode64('x' * 60)",
	"Digest::MD5.hexdigest('a')", "Digest::SHA256.hexdigest('a')[0, 8]", "CGI.escape('a b&c')",
	"ERB::Util.html_escape('<a href=\"x\">')", "URI.encode_www_form_component('a b/c')", "IPAddr.new('10.0.0.1/8').to_s",
	"IPAddr.new('::1').ipv6?", "IPAddr.new('10.0.0.0/8').include?('10.2.3.4')", "IPAddr.new('nope')",
	"IPAddr.new('fe80::1%eth0').to_s", "IPAddr.new('fe80::1%eth0').inspect",
	"[IPAddr.new('fe80::1%eth0') == IPAddr.new('fe80::1'), IPAddr.new('fe80::1%eth0/64').to_string]",
	"IPAddr.new('1.2.3.4%e')", "IPAddr.new('::1%')", "IPAddr.new('fe80::1%eth0').succ.to_s", "JSON.load('[1, null]')",
	"require 'json'; a = []; 99.times { a = [a] }; a.to_json.size",
	"require 'json'; a = []; 100.times { a = [a] }; a.to_json.size",
	"require 'json'; JSON.pretty_generate([{}, [], {'a' => [1]}])",
	"require 'yaml'; a = [1]; b = [2]; [a, b, b, a].to_yaml", "require 'yaml'; e = []; [e, e].to_yaml",
	"require 'yaml'; a = [1]; a << a; a.to_yaml", "require 'yaml'; \"a\\nb\\n\\n\".to_yaml",
	"require 'yaml'; [\"a\\nb\\n\\n\", []].to_yaml",
	"require 'yaml'; [\"a\\nb\\n\\n\", \"a\\nb\"].to_yaml",
	"require 'yaml'; {'a' => \"x\\ny\\n\\n\", 'b' => 1}.to_yaml", "require 'yaml'; \"a\\u2028b c\".to_yaml",
	"require 'yaml'; {[1] => 2, nil => 3, [] => 4}.to_yaml", "require 'yaml'; ['2001-02-30', '2001-02-28'].to_yaml",
	"require 'yaml'; {'a' => [{'b' => [1]}]}.to_yaml(indentation: 4)",
	"require 'yaml'; ['word ' * 30].to_yaml(line_width: 40)",
	"require 'yaml'; ['word ' * 30].to_yaml(line_width: -1)",
	"require 'yaml'; [\"l1\\n\" + 'word ' * 30].to_yaml(line_width: 20)",
	"require 'yaml'; a = {'k' => 1}; {a => 1, 'x' => a}.to_yaml", "require 'yaml'; YAML.dump([/a b/, :sym, 1.5])",

	"module PA0; def f; 'p' + super; end; end; class CA0; prepend PA0; def f; 'c'; end; end; [CA0.new.f, " +
		"CA0.ancestors.first(2).map(&:name)]",
	"module PA1; def f; 'p' + super; end; end; module PB1; def f; 'q' + super; end; end; class CA1; def f; 'c'; end; " +
		"end; CA1.prepend(PA1, PB1); [CA1.new.f, CA1.prepend(PA1).new.f]",
	"module PA2; def self.prepended(c); c.const_set(:SEEN, 1); end; end; class CA2; prepend PA2; end; [CA2::SEEN, " +
		"CA2.include?(PA2), CA2.new.is_a?(PA2)]",
	"module PA3; def f; 'p' + super; end; end; class CA3; def f; 'c'; end; end; class DA3 < CA3; def f; 'd' + super; " +
		"end; end; CA3.prepend(PA3); DA3.new.f",
	"class CA4; prepend 5; end",

	"module IA; def f; 'a'; end; end; module IB; def f; 'b'; end; end; class IC; include IA, IB; end; IC.new.f",
	"class HK; attr_reader :n; def initialize(n, m) @n = n; @m = m end; def eql?(o) hash == o.hash end; def hash; " +
		"\"#{@n}_#{@m}\".hash end; end; a = [HK.new(1, 2), HK.new(1, 2), HK.new(2, 1)]; [a.uniq.size, a.to_set.size, " +
		"a.group_by { |x| x }.size, (a - [HK.new(2, 1)]).size, {a[0] => 1}[a[1]], Set[a[0]].intersection(a).to_a[0].n]",
	"class HJ; def initialize(n) @n = n end; def hash; @n.hash ^ 'x'.hash end; def eql?(o) true end; end; [HJ.new(1), " +
		"HJ.new(2), HJ.new(1)].uniq.size",
	"class HL; def hash; 5 end; end; [HL.new, HL.new].uniq.size",
	"class HM; def eql?(o) true end; end; [HM.new, HM.new].uniq.size",
	"['a'.hash == 'a'.hash, [1, [2]].hash == [1, [2]].hash, {a: 1}.hash == {a: 1}.hash, 1.hash == 1.0.hash, nil.hash == " +
		"false.hash, :a.hash == 'a'.hash, (1..2).hash == (1..2).hash]",
	"[Object.new.hash == Object.new.hash, 'a'.hash.class, 'a'.hash.is_a?(Integer), 'a'.hash != 'b'.hash, " +
		"['a'.hash].hash == ['a'.hash].hash]",
	"[1, -1, 2**40].pack('LlQ').unpack('LlQ')", "[-1].pack('q').unpack('Q')", "'abcdefgh'.unpack('L')",
	"'abcdefgh'.unpack('S*sc')", "[65, 300, 2**70 + 5].pack('CSJ').bytes",
	"[-2].pack('l').unpack1('l')", "['a'].pack('L')", "[-1].pack('L').unpack('L')", "'ab'.unpack('L')",
	"Digest::MD5.digest('x').unpack('L').first.class",
	"require 'openssl'; h = OpenSSL::HMAC.new('k', OpenSSL::Digest.new('SHA256')); h << 'a'; h.update('b'); " +
		"[h.hexdigest, h.to_s, h.digest.bytesize, h.reset.hexdigest]",
	"require 'openssl'; OpenSSL::HMAC.new('', 'SHA1').update('x').hexdigest",
	"require 'openssl'; OpenSSL::HMAC.new('k', 'MD5').hexdigest('x')",
	"module DS; def self::f(x) x * 2 end; def self::g = 3; end; [DS.f(2), DS::g]",
	"class DT; def DT::f; 4; end; end; DT.f",
	"IPAddr.new('10.0.0.0/8').instance_variable_get(:@mask_addr)", "IPAddr.new('fe80::/10').instance_variable_get(:@addr)",
	"IPAddr.new('::1').instance_variable_get(:@family)",
	"(IPAddr.new('fe80::/64') | IPAddr.new('::1')).inspect", "(IPAddr.new('10.0.0.0/8') | 5).inspect",
	"(IPAddr.new('10.1.2.3') & '255.255.0.0').to_s",
	"IPAddr.new(IPAddr.new('10.64.0.0/22') | 1023, 2).inspect", "IPAddr.new(IPAddr.new('10.64.1.2/22'), 2).inspect",
	"IPAddr.new(IPAddr.new('2620:0:861:101::/64'), 10).to_s", "IPAddr.new(IPAddr.new('1.2.3.4'), 10).inspect",
	"IPAddr.new(IPAddr.new('2620::1'), 2)", "IPAddr.new(IPAddr.new('1.2.3.4'))",
	"(~IPAddr.new('10.1.2.3')).to_s", "(~IPAddr.new('::1')).to_s", "IPAddr.new('1.2.3.4').reverse",
	"IPAddr.new('2001:db8::1').reverse", "IPAddr.new('169.254.1.1').link_local?",
	"IPAddr.new('fe80::1').link_local?", "IPAddr.new(3232235777, Socket::AF_INET).to_s rescue IPAddr.new(3232235777, 2).to_s", "IPAddr.new(1, 10).inspect",
	"IPAddr.new('1.2.3.4') | IPAddr.new('ffff::')", "IPAddr.new('1.2.3.4').eql?(IPAddr.new('1.2.3.4'))",
	"IPAddr.new(-1, 2)", "(IPAddr.new('10.0.0.0/8') | '0.1.2.3').to_range.to_s",
	"IPAddr.new('10.0.0.0/8').eql?('10.0.0.0')", "(IPAddr.new('fe80::1%eth0') | 2).to_s",
	"(IPAddr.new('10.0.0.0/8') | '0.1.2.3').include?('10.5.5.5')",

	"JSON.load('')", "JSON.load(nil)", "format('%<a>d', a: {})", "format('%<a>d', a: '7')",
	"format('%<a>5.1f|%<a>s', a: 2)", "format('%<a>f', a: [])", "Set.new([1, 2]).include?(1)", "Math.sqrt(16)",
	"Comparable.instance_of?(Module)", "Kernel.format('%02d', 3)", "nil.inspect + nil.to_s", "[nil, true].to_s",
	":a <=> :b", ":a.to_proc.call('x') rescue $!.class", "{b: 1, a: 2}.min_by { |k, v| v }", "{a: 1}.to_a.flatten",
	"{a: {b: 1}}.dig(:a, :b)", "{a: 1}.merge({b: 2}) { |*a| a }", "{'a' => 1}.transform_keys(&:to_sym)",
	"{a: nil}.compact", "{a: 1, b: 2}.filter_map { |k, v| k if v > 1 }",
	"{a: 1}.each_with_index.map { |(k, v), i| [k, v, i] }", "{a: 2}.sum { |k, v| v }", "h = {b: 1, a: 2}; h.sort.to_h",
	"h = {'x' => 1}; h.delete('x'); h", "{a: 1}.any? { |k, v| v > 0 }", "{a: 1}.find { |k, v| v == 1 }",
	"{a: 1}.inject(0) { |s, (k, v)| s + v }", "h = {a: 1}; h.default = 5; h[:zz]",
	"Hash.new(0).tap { |h| 'hello'.each_char { |c| h[c] += 1 } }", "x = *nil; x", "x = [*'a'..'c']; x",
	"a = [1,2,3,4]; a.partition(&:even?)", "'Hello'.each_char.with_index.map { |c, i| i.even? ? c.upcase : c.downcase }.join", "'a,b;c'.split(/[,;]/).map(&:strip).reject(&:empty?)", "\"%s\" % :a", "'abc'[1..]", "'title case'.split.map(&:capitalize).join(' ')", "'snake_case'.gsub(/_(\\w)/) { $1.upcase }", "'CamelCase'.gsub(/([A-Z])/) { '_' + $1.downcase }.sub(/^_/, '')", "'x'.ljust(3, '.') + '|'", "'a'.succ + 'z'.succ + 'Az'.succ + 'a9'.succ + 'Zz'.succ", "'abc'.tr('a-c', 'A-C')", "'hello world'.scan(/o/) { |m| }", "'aAbB'.swapcase", "\"a\\tb\".expand_tabs rescue $!.class", "'été'.upcase", "'straße'.upcase", "'a b'.encode('UTF-8').encoding.to_s", "'x' * 3 + 'y'", "'abc' <=> 'abd'", "'a'.equal?('a')", "1.equal?(1)", ":a.equal?(:a)", "nil.to_a.equal?(nil.to_a)", "'abc'.hash == 'abc'.hash",
}

func TestLanguage(t *testing.T) {
	same, unsupported := differ(t, programs)
	t.Logf("score: ruby programs %d/%d (%d said to be unsupported)", same, len(programs)-unsupported, unsupported)
}

// Strings of files that freeze them: what can be changed, and which comments freeze them.
func TestFrozenLiterals(t *testing.T) {
	var list []string
	for _, p := range frozen {
		list = append(list, freezing[0]+p)
	}
	for _, c := range freezing {
		list = append(list, c+"'a' << 'b'")
	}
	for _, p := range programs { // whatever else they do, they do with and without it
		list = append(list, freezing[0]+p)
	}
	same, unsupported := differ(t, list)
	t.Logf("score: ruby programs with frozen literals %d/%d (%d said to be unsupported)", same, len(list)-unsupported,
		unsupported)
}
