//go:build unix

package hostile

import (
	"fmt"
	"strings"
)

// more are trees by an opponent who has read the code: work that one bound per call would let through, values that are
// small in memory and huge when written out, and chains that are longer than any stack.
func more() []Tree {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.NewReplacer("<i>", fmt.Sprint(i), "<i+1>", fmt.Sprint(i+1)).Replace(format))
		}
		return b.String()
	}
	var out []Tree
	long := "Integer[1, 20].reduce('x') |$m, $x| { \"${m}${m}\" }" // a megabyte
	for name, text := range map[string]string{
		"shared text":           "$x = " + long + " Integer[1, 3000].each |$i| { notify { \"n${i}\": message => $x } }\n",
		"shared text in logs":   "$x = " + long + " Integer[1, 3000].each |$i| { notice($x) }\n",
		"shared text in errors": "$x = " + long + " class a(Integer $p) { } class { a: p => $x }\n",
		"shared require": "$a = Integer[1, 3000].map |$x| { Notify[\"n${x}\"] } Notify { require => $a } Integer[1, " +
			"3000].each |$x| { notify { \"n${x}\": } } notify { 'z': }\n",
		"tags": "$t = Integer[1, 4000].map |$x| { \"t${x}\" } class a { tag($t) Integer[1, 4000].each |$x| { notify { " +
			"\"n${x}\": } } } include a\n",
		"many tags": "Integer[1, 3000].each |$x| { notify { \"n${x}\": tag => Integer[1, 3000].map |$y| { \"t${y}\" } } }\n",
		"alias mismatch": "type T0 = Integer\n" +
			many(40, "type T<i+1> = Variant[T<i>, Array[T<i>], Tuple[T<i>, T<i>]]\n") + "class a(T40 $x = 'x') {} include a\n",
		"struct mismatch": "type T0 = Integer\n" + many(40, "type T<i+1> = Struct[{a => T<i>, b => T<i>}]\n") +
			"class a(T40 $x = {a => {a => 1}, b => {}}) {} include a\n",
		"wide mismatch": "class a(Array[Integer] $p) { } class { a: p => Integer[1, 300000].map |$x| { \"x\" } }\n",
		"asserts in a loop": "type A = Variant[B, Array[A]] type B = Variant[A, Hash[A, B]] Integer[1, 100000].each |$x| { " +
			"assert_type(A, [[1]]) |$e, $a| { 1 } }\n",
		"pattern in a loop": "Integer[1, 100000].each |$x| { if '" + strings.Repeat("a", 28) +
			"' =~ /(a|a|aa)*(a|a)*b/ { } }\n",
		"regsubst in a loop": "$s = " + long + " Integer[1, 100000].each |$x| { regsubst($s, 'x', 'y', 'G') }\n",
		"split in a loop":    "$s = " + long + " Integer[1, 100000].each |$x| { split($s, '') }\n",
		"match in a loop":    "$s = " + long + " Integer[1, 100000].each |$x| { $s =~ /y$/ }\n",
		"scanf in a loop":    "$s = " + long + " Integer[1, 100000].each |$x| { scanf($s, '%s') }\n",
		"case in a loop": "$s = " + long +
			" Integer[1, 100000].each |$x| { case $s { /y/: { } /z$/: { } default: { } } }\n",
		"sorts":          "$a = Integer[1, 100000].map |$x| { \"n${x}\" } Integer[1, 10000].each |$x| { sort($a) }\n",
		"sort by block":  "$a = Integer[1, 20000].map |$x| { \"n${x}\" } $a.sort |$a, $b| { compare($b, $a) }\n",
		"unique":         "$a = Integer[1, 100000].map |$x| { [$x] } Integer[1, 1000].each |$x| { unique($a) }\n",
		"concatenations": "$a = Integer[1, 100000].reduce([]) |$m, $x| { $m + [$x] }\n",
		"merges":         "$a = Integer[1, 100000].reduce({}) |$m, $x| { $m + {$x => 1} }\n",
		"subtractions":   "$a = Integer[1, 100000].map |$x| { $x } $b = $a - $a.map |$x| { $x + 1 }\n",
		"membership":     "$a = Integer[1, 100000].map |$x| { $x } $a.each |$x| { $x in $a }\n",
		"slices":         "$a = Integer[1, 1000000].map |$x| { $x } Integer[1, 1000].each |$x| { $a[0, 999999] }\n",
		"tree_each": "$a = Integer[1, 30].reduce([1]) |$m, $x| { [$m, 1] } Integer[1, 1000000].each |$x| { " +
			"$a.tree_each |$y| { 1 } }\n",
		"flattened twice": "$a = Integer[1, 18].reduce([1]) |$m, $x| { [$m, $m] } Integer[1, 1000].each |$x| { " +
			"flatten($a) }\n",
		"texts of a hash": "$a = Integer[1, 15].reduce({}) |$m, $x| { {a => $m, b => $m} } Integer[1, 1000].each |$x| " +
			"{ \"${a}\" }\n",
		"to json": "$a = Integer[1, 16].reduce([1]) |$m, $x| { [$m, $m] } Integer[1, 1000].each |$x| { " +
			"to_json($a) to_yaml($a) }\n",
		"digests":              "$s = " + long + " Integer[1, 100000].each |$x| { md5($s) sha256($s) }\n",
		"numbers":              "Integer[1, 1000000].each |$x| { Integer(\"${x}\") + Float(\"1.${x}\") }\n",
		"formats":              "Integer[1, 1000000].each |$x| { sprintf('%1000000d', 1) }\n",
		"lookups of a missing": "Integer[1, 1000000].each |$x| { lookup(\"k${x}\", default_value => 1) }\n",
		"includes":             many(3000, "class c<i> { include c<i+1> }\n") + "class c3000 { }\ninclude c0\n",
		"deep defines":         many(3000, "define d<i>() { d<i+1> { $title: } }\n") + "define d3000() { }\nd0 { 'x': }\n",
		"deep requires":        many(3000, "class c<i> { require c<i+1> }\n") + "class c3000 { }\ninclude c0\n",
		"collectors found": "Integer[1, 3000].each |$x| { @notify { \"n${x}\": tag => 'a' } } " +
			many(300, "Notify<| tag == 'a' |> { message => 'x<i>' }\n"),
		"collector chain": "Integer[1, 2000].each |$x| { notify { \"n${x}\": } } Notify<| |> -> Notify<| title != 'x' |> " +
			"-> Notify<| title != 'y' |>\n",
		"exported": many(2000, "@@notify { 'n<i>': }\n") + "Notify<<| |>>\n",
		"virtual fixpoint": many(900,
			"@notify { 'n<i>': tag => 't<i>' }\nclass c<i> { @notify { 'm<i>': tag => 't<i+1>' } Notify<| tag == 't<i>' |> "+
				"}\ninclude c<i>\n"),
		"titles in errors":   "notify { [" + many(50000, "'x<i>', ") + "'x0']: }\n",
		"unknown attributes": "file { '/x': " + many(20000, "a<i> => 1, ") + "}\n",
		"case of types": many(3000, "type A<i> = Variant[Enum['a<i>'], Pattern[/b<i>/]]\n") + "$x = 'zz' case $x { " +
			many(3000, "A<i>: { } ") + " default: { } }\n",
		"templates": "Integer[1, 100000].each |$x| { inline_template('<% 100.times { |i| i } %>') inline_epp('<% $x = 1 " +
			"%>') }\n",
		"template texts": "$x = " + long +
			" Integer[1, 100000].each |$i| { inline_template('<%= @x.gsub(\"x\", \"y\") %>') }\n",
		"defined":           "Integer[1, 1000000].each |$x| { defined(\"c${x}\") }\n",
		"functions missing": many(5000, "if false { nothing<i>(1) }\n") + "nothing(1)\n",
		"timestamps":        "Integer[1, 1000000].each |$x| { strftime(Timestamp(0), '%999999d') }\n",
		"versions": "$r = SemVerRange('" + strings.Repeat("1.x || ", 50000) +
			"2.x') Integer[1, 10000].each |$x| { SemVer('3.0.0') =~ SemVer[$r] }\n",
		"iterators":           "$a = Integer[1, 1000000000].step(1).reverse_each.step(2) $a.each |$x| { }\n",
		"heredoc":             "$x = @(\"E\")\n" + many(50000, "${facts['a<i>']} ") + "\nE\nnotice($x)\n",
		"resource references": "notify { 'x': require => Notify[" + many(50000, "'n<i>', ") + "'x'] }\n",
		"verify lines": many(300,
			"exec { '/bin/sh -c \"echo l<i> >> /etc/x\"': unless => '/bin/grep -q l<i> /etc/x' }\n"),
		"verify users": many(500,
			"user { 'u<i>': groups => ['g<i>', 'g<i+1>'], managehome => true } group { 'g<i>': }\n"),
		"verify deep": "file { [" + many(300, "'"+strings.Repeat("/d", 20)+"<i>', ") +
			"'/z']: ensure => directory } exec { 'rm -rf /d': path => '/bin' }\n",
		"verify globs": many(100, "exec { 'rm -rf /a*/*<i>/b?': path => '/bin', provider => shell }\n"),
		"verify links": many(500, "file { '/l<i>': ensure => link, target => '/l<i+1>' }\n") +
			"file { '/l0/x': content => 'a' }\n",
		"verify sources": many(200, "file { '/s<i>': source => '/s<i+1>' }\n"),
	} {
		out = append(out, tree("opponent/puppet "+name, "manifests/site.pp", text))
	}
	for name, text := range map[string]string{
		"for":         "<% x = 0; for i in (1..10000000) do x += i end %>",
		"appends":     "<% a = []; loop { a << 1 << 2 << 3 } %>",
		"assignments": "<% a = b = c = 0; loop { a, b, c = b, c, a } %>",
		"hashes":      "<% h = {}; i = 0; loop { h[i] = h.to_a.first; i += 1 } %>",
		"sorts":       "<% a = (1..100000).to_a; loop { a.sort_by { |x| -x } } %>",
		"scan":        "<% s = 'ab' * 100000; loop { s.scan(/a/) } %>",
		"nested raise": "<% def f(n) begin; n == 0 ? raise('x') : f(n - 1); ensure; 1; end; end; loop { begin; f(200); " +
			"rescue; end } %>",
		"throws":      "<% loop { catch(:a) { catch(:b) { throw :a } } } %>",
		"symbols":     "<% i = 0; loop { i += 1; i.to_s.to_sym } %>",
		"strings":     "<% s = +''; loop { s << 'x' * 1000 } %>",
		"inspect":     "<% a = [1]; 20.times { a = [a, a] }; loop { a.inspect } %>",
		"big numbers": "<% x = 3; 40.times { x = x * x }; x.to_s %>",
		"methods":     "<% i = 0; loop { i += 1; eval(\"def f#{i}; end\") rescue define_method(:x) { } rescue 1 } %>",
		"scope":       "<% loop { scope.lookupvar('x'); scope.to_hash } %>",
		"functions":   "<% loop { scope.call_function('lookup', ['k']) } %>",
		"procs":       "<% f = proc { |x| x }; 100000.times { g = f; f = proc { |x| g.call(x) } }; f.call(1) %>",
	} {
		out = append(out, tree("opponent/erb "+name, "modules/m/templates/t.erb", text))
	}
	for name, c := range map[string][2]string{
		"lookup chain": {"data/common.yaml", "k: \"%{lookup('k0')}\"\n" + many(20000, "k<i>: \"%{lookup('k<i+1>')}\"\n")},
		"alias chain":  {"data/common.yaml", "k: \"%{alias('k0')}\"\n" + many(20000, "k<i>: \"%{alias('k<i+1>')}\"\n")},
		"deep merge": {"data/common.yaml", "lookup_options: {k: {merge: deep}}\nk: {" +
			many(50000, "a<i>: {b: [<i>]}, ") + "}\n"},
		"lookup options": {"data/common.yaml", "lookup_options:\n" + many(20000, "  '^a<i>.*z$': {merge: unique}\n") +
			"k: 1\n"},
		"dig":             {"data/common.yaml", "k: \"%{facts" + strings.Repeat(".a", 100000) + "}\"\n"},
		"key of segments": {"data/common.yaml", "k: \"%{lookup('a" + strings.Repeat(".0", 100000) + "')}\"\n"},
		"yaml numbers":    {"data/common.yaml", "k: [" + strings.Repeat("0x"+strings.Repeat("f", 1000)+", ", 2000) + "]\n"},
		"yaml tags":       {"data/common.yaml", "k: !ruby/object:Kernel {a: !!binary " + strings.Repeat("A", 1<<20) + "}\n"},
		"yaml documents":  {"data/common.yaml", strings.Repeat("---\nk: 1\n", 100000)},
		"anchors":         {"data/common.yaml", many(50000, "a<i>: &a<i> [*a<i>]\n") + "k: 1\n"},
		"levels of globs": {"hiera.yaml", "version: 5\nhierarchy:\n" + many(500, "  - {name: l<i>, glob: '**/*.yaml'}\n")},
		"mapped paths":    {"hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, mapped_paths: [l, x, 'd/%{x}.yaml']}\n"},
		"facts many":      {"facts/n.yaml", "networking: {fqdn: n}\n" + many(100000, "f<i>: <i>\n")},
		"facts of nodes":  {"facts/n.yaml", "networking: {fqdn: " + strings.Repeat("a.", 100000) + "n}\n"},
		"conf lines":      {"environment.conf", many(100000, "a<i> = <i>\n")},
		"assert many":     {"bunraku.assert", many(20000, "exists /x<i>\n")},
		"epp parameters":  {"modules/m/templates/t.epp", "<%- | " + many(20000, "$p<i> = 1, ") + "$z = 1 | -%>\n"},
		"epp tags":        {"modules/m/templates/t.epp", strings.Repeat("<%# x %><%= 1 -%>\n", 50000)},
		"function chain":  {"modules/m/functions/f.pp", "function m::f($x) { if $x > 100000 { 1 } else { m::f($x + 1) } }\n"},
		"type of a type": {"modules/m/types/t.pp", "type M::T = " + strings.Repeat("Optional[", 50000) + "Integer" +
			strings.Repeat("]", 50000) + "\n"},
		"metadata names": {"modules/m/metadata.json", `{"name": "a-m", "version": "1.0.0", "dependencies": [` +
			strings.TrimSuffix(many(50000, `{"name": "a/b<i>"},`), ",") + `]}`},
		"type properties": {"modules/m/lib/puppet/type/mt.rb", "Puppet::Type.newtype(:mt) do\n  newparam(:name)\n" +
			many(20000, "  newproperty(:p<i>)\n") + "end\n"},
	} {
		out = append(out, tree("opponent/data "+name, c[0], c[1]))
	}
	for name, text := range map[string]string{
		"mupuppet doubling":  "$a0 = 1\n" + many(60, "$a<i+1> = $a<i> + $a<i>\n") + "notify { 'x': message => $a60 }\n",
		"mupuppet decisions": many(400, "if true { $a<i> = 1 } else { $a<i> = 2 }\n"),
		"mupuppet includes":  many(5000, "class c<i> { include c<i+1> }\n") + "class c5000 { }\ninclude c0\n",
		"mupuppet defines":   "define d() { notify { $title: } }\n" + many(20000, "d { 'x<i>': }\n"),
	} {
		out = append(out, Tree{Name: "opponent/" + name, write: func(w *writer) { w.file("x.pp", text) },
			Commands: [][]string{{"mupuppet", "ENV/x.pp", "--node", "n"},
				{"mupuppet", "ENV/x.pp", "--node", "n", "--provenance"}}})
	}
	for name, text := range map[string]string{
		"smartfrog links":     "sfConfig extends { " + many(20000, "a<i> a<i+1>; ") + "a20000 1; }\n",
		"smartfrog prototype": many(3000, "a<i+1> extends a<i> { b<i> 1; }\n") + "a0 extends { }\nsfConfig extends a3000;\n",
		"smartfrog vectors":   "sfConfig extends { a [|" + strings.Repeat("1, ", 300000) + "1|]; }\n",
		"smartfrog placement": "sfConfig extends { " + many(3000, "a:b<i> 1; ") + "}\n",
	} {
		out = append(out, Tree{Name: "opponent/" + name, write: func(w *writer) { w.file("x.sf", text) },
			Commands: [][]string{{"smartfrog", "ENV/x.sf"}, {"smartfrog", "ENV/x.sf", "--explain", "sfConfig:a"}}})
	}
	return out
}
