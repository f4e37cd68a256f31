//go:build unix

package hostile

import (
	"fmt"
	"strings"
)

// work are programs that would work, or grow, without end.
func work() []Tree {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.NewReplacer("<i>", fmt.Sprint(i), "<i+1>", fmt.Sprint(i+1)).Replace(format))
		}
		return b.String()
	}
	deep := func(n int, open, inner, shut string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	var out []Tree
	erb := map[string]string{
		"while true":       "<% while true; end %>",
		"until":            "<% until false do 1 end %>",
		"loop":             "<% loop { } %>",
		"recursion":        "<% f = lambda { f.call } ; f.call %>",
		"doubling":         "<% a = [1]; 60.times { a = [a, a] } %><%= a == a.dup %>",
		"doubling flatten": "<% a = [1]; 60.times { a = [a, a] } %><%= a.flatten.size %>",
		"doubling to_s":    "<% a = [1]; 60.times { a = [a, a] } %><%= a.to_s.size %>",
		"doubling hash":    "<% a = [1]; 60.times { a = [a, a] } %><%= {a => 1}[a] %>",
		"doubling string":  "<% a = 'x'; 60.times { a = a + a } %><%= a %>",
		"repeat":           "<%= 'x' * 99999999999 %>",
		"power":            "<%= 9 ** 9 ** 9 ** 9 %>",
		"shift":            "<%= 1 << 99999999999 %>",
		"self flatten":     "<% a = []; a << a %><%= a.flatten %>",
		"self join":        "<% a = []; a << a %><%= a.join %>",
		"self key":         "<% a = []; a << a %><%= {a => 1} %>",
		"self uniq":        "<% a = []; a << a %><%= [a].uniq %>",
		"self equal":       "<% a = []; a << a; b = []; b << b %><%= a == b %>",
		"self inspect":     "<% a = []; a << a %><%= a.inspect %><%= a.to_s %><%= a.hash %>",
		"self hash":        "<% h = {}; h[1] = h %><%= h.to_s %><%= h == {1 => h} %>",
		"self sort":        "<% a = []; a << a %><%= [a, a].sort %><%= a <=> [a] %>",
		"self pack":        "<% a = []; a << a %><%= a.to_json %><%= a.to_yaml %>",
		"ranges":           "<%= (1..99999999999).to_a.size %>",
		"steps":            "<% 99999999999.times { |i| i } %>",
		"pattern":          "<%= ('a' * 40) =~ /(a|a|aa)*(a|a)*$b/ %>",
		"nested pattern":   "<%= ('a' * 5000) =~ /^(([a-z])+.)+[A-Z]([a-z])+$/ %>",
		"gsub":             "<% s = 'x'; 40.times { s = s.gsub('x', 'xx') } %><%= s.size %>",
		"format":           "<%= '%999999999d' % 1 %><%= '%.999999999f' % 1 %>",
		"center":           "<%= 'x'.center(9999999999).ljust(99999999999) %>",
		"combination":      "<%= (1..40).to_a.permutation.to_a.size %>",
		"product":          "<% a = (1..99).to_a %><%= a.product(a, a, a, a, a).size %>",
		"deep parens":      "<%= " + deep(100000, "(", "1", ")") + " %>",
		"deep arrays":      "<%= " + deep(100000, "[", "1", "]") + " %>",
		"deep strings":     "<%= " + deep(3000, "\"#{", "1", "}\"") + " %>",
		"grow under each":  "<% a = [1]; a.each { |x| a << x } %>",
		"throw":            "<% begin; raise 'x'; rescue; retry; end %>",
	}
	for name, text := range erb {
		out = append(out, tree("work/erb "+name, "modules/m/templates/t.erb", text))
	}
	puppet := map[string]string{
		"alias variants": "type T0 = Integer\n" +
			many(40, "type T<i+1> = Variant[T<i>, Array[T<i>], Tuple[T<i>, T<i>]]\n") + "notice([1] =~ T40)\n",
		"alias structs": "type T0 = Integer\n" + many(40, "type T<i+1> = Struct[{a => T<i>, b => T<i>}]\n") +
			"class a(T40 $x = 1) {} include a\n",
		"alias cycles": "type A = Variant[B, Array[A]] type B = Variant[A, Hash[A, B]] notice(A == B) notice({} =~ A) " +
			"class a(A $x = [[1]]) {} include a\n",
		"alias self": "type A = A\nnotice(1 =~ A)\n",
		"doubling": "$a0 = [1]\n" + many(40, "$a<i+1> = [$a<i>, $a<i>]\n") +
			"notice($a40 == $a39) notify { 'x': message => $a40 }\n",
		"doubling hash": "$a0 = {}\n" + many(40, "$a<i+1> = {a => $a<i>, b => $a<i>}\n") +
			"notify { 'x': message => \"${a40}\" }\n",
		"doubling string": "$a0 = 'xxxxxxxx'\n" + many(40, "$a<i+1> = \"${a<i>}${a<i>}\"\n") +
			"notify { 'x': message => $a40 }\n",
		"doubling unique": "$a0 = [1]\n" + many(40, "$a<i+1> = [$a<i>, $a<i>]\n") +
			"notice($a40.unique, $a40.flatten.length, $a40.hash)\n",
		"recursion":        "function f($x) { f($x + 1) } f(1)\n",
		"mutual recursion": "function f($x) { g($x) } function g($x) { f([$x]) } f(1)\n",
		"fibonacci":        "function f($x) { if $x < 2 { 1 } else { f($x - 1) + f($x - 2) } } notice(f(60))\n",
		"define recursion": "define d($n) { d { \"${title}x\": n => $n + 1 } } d { 'a': n => 1 }\n",
		"define doubling": "define d($n) { if $n > 0 { d { \"${title}a\": n => $n - 1 } d { \"${title}b\": n => $n - 1 " +
			"} } } d { 'a': n => 40 }\n",
		"each nested":        "$a = Integer[1, 1000].map |$x| { $x } " + deep(6, "$a.each |$x| { ", "notice(1)", " }") + "\n",
		"range":              "Integer[1, 99999999999].each |$x| { notice($x) }\n",
		"range map":          "notify { 'x': message => Integer[1, 99999999999].map |$x| { [$x, $x] } }\n",
		"titles":             "$a = Integer[1, 3000000].map |$x| { \"n${x}\" } notify { $a: }\n",
		"deep parens":        deep(200000, "(", "1", ")") + "\n",
		"deep arrays":        "$x = " + deep(200000, "[", "1", "]") + "\n",
		"deep blocks":        deep(100000, "if true { ", "", " }") + "\n",
		"deep nots":          "$x = " + strings.Repeat("!", 300000) + "true\n",
		"deep plus":          "$x = 1" + strings.Repeat(" + 1", 300000) + "\n",
		"deep interpolation": "$x = " + deep(3000, "\"${", "1", "}\"") + "\n",
		"long name":          "notice($" + strings.Repeat("a", 5<<20) + ") $" + strings.Repeat("a", 5<<20) + "b = 1\n",
		"long class":         "class " + strings.Repeat("a", 2<<20) + " { }\ninclude " + strings.Repeat("a", 2<<20) + "b\n",
		"many near names":    many(20000, "class a<i> { }\n") + "include aa\n",
		"pattern":            "if '" + strings.Repeat("a", 60) + "' =~ /(a|a|aa)*(a|a)*b/ { }\n",
		"pattern repeats":    "if '" + strings.Repeat("a", 60) + "' =~ /((a{1,999}){1,999}){1,999}b/ { }\n",
		"regsubst":           "notify { 'x': message => regsubst('" + strings.Repeat("a", 50) + "', '^(a+)+$', 'b') }\n",
		"sprintf":            "notify { 'x': message => sprintf('%999999999d', 1) }\n",
		"string new":         "notify { 'x': message => String(1, '%999999999d') }\n",
		"collectors":         many(2000, "File<| title == 'x<i>' |> -> File<| |>\n") + many(500, "file { '/f<i>': }\n"),
		"overrides":          many(3000, "File<| |> { mode => '0<i>' }\n") + many(300, "file { '/f<i>': }\n"),
		"edges": "$a = Integer[1, 3000].map |$x| { Notify[\"n${x}\"] } Integer[1, 3000].each |$x| { notify { " +
			"\"n${x}\": } } $a -> $a\n",
		"chain": many(3000, "notify { 'n<i>': } Notify['n<i>'] -> Notify['n<i+1>']\n") + "notify { 'n3000': }\n",
		"cycle": many(2000, "notify { 'n<i>': require => Notify['n<i+1>'] }\n") +
			"notify { 'n2000': require => Notify['n0'] }\n",
		"inheritance": "class c0 { }\n" + many(5000, "class c<i+1> inherits c<i> { }\n") + "include c5000\n",
		"lookups":     many(5000, "notice(lookup('k<i>', default_value => 1))\n"),
		"reduce":      "$x = Integer[1, 40].reduce([1]) |$m, $x| { [$m, $m] } notify { 'x': message => $x }\n",
		"with":        "$x = Integer[1, 60].reduce('x') |$m, $x| { \"${m}${m}\" } notify { 'x': message => $x }\n",
		"shell and":   "exec { '/bin/true" + strings.Repeat(" && mkdir /a", 20000) + "': }\n",
		"shell loops": "exec { 'for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do for c in 1 2 3 4 5 6 7 8 9; " +
			"do for d in 1 2 3 4 5 6 7 8 9; do for e in 1 2 3 4 5 6 7 8 9; do mkdir /$a$b$c$d$e; done; done; done; done; " +
			"done': provider => shell }\n",
		"shell deep":   "exec { 'x': provider => shell, command => '" + deep(20000, "(", "true", ")") + "' }\n",
		"shell braces": "exec { 'x': provider => shell, command => 'mkdir /" + strings.Repeat("{a,b}", 40) + "' }\n",
		"shell tests": many(60,
			"exec { '/bin/mkdir /d<i>': onlyif => ['test -e /a<i>', 'test -e /b<i>', 'test -d /c<i>', 'test -f /d<i>', "+
				"'test -e /e<i>', 'test -e /f<i>', 'test -e /g<i>', 'test -e /h<i>', 'test -e /i<i>', 'test -e /j<i>', 'test -e "+
				"/k<i>', 'test -e /l<i>'] }\n"),
		"files": many(3000, "file { '/d<i>': ensure => directory } file { '/d<i>/x': }\n"),
		"paths": "file { '" + strings.Repeat("/a", 100000) + "': ensure => directory }\n",
		"execs": many(400, "exec { '/bin/rm -r /a/<i> && mkdir -p /a/<i+1>/b': }\n"),
		"execs of one order": many(400, "exec { '/bin/rm -r /a/<i> && mkdir -p /a/<i+1>/b': }\n") +
			"exec { '/bin/mkdir -p /a/0': }\n",
		"execs that undo": many(400, "exec { '/bin/mkdir -p /a/<i> && rm -rf /a/<i+1>': }\n"),
		"packages":        many(2000, "package { 'p<i>': ensure => present } file { '/etc/p<i>': }\n"),
		"create":          "create_resources('notify', Integer[1, 2000000].reduce({}) |$m, $x| { $m + {\"n${x}\" => {}} })\n",
		"comments":        strings.Repeat("/*", 1<<20) + "\n",
		"heredocs":        strings.Repeat("$a = @(x)\n", 50000),
		"case options":    "case 1 { " + many(50000, "<i>+0: { } ") + "}\n",
		"unclosed":        strings.Repeat("class a { ", 50000),
	}
	for name, text := range puppet {
		out = append(out, tree("work/puppet "+name, "manifests/site.pp", text))
	}
	for name, c := range map[string][2]string{
		"glob braces": {"hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, glob: '" + strings.Repeat("{a,b}", 30) +
			"'}\n"},
		"glob stars": {"hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, glob: '" + strings.Repeat("**/*", 200) +
			"'}\n"},
		"interpolations": {"data/common.yaml", "k: \"%{lookup('k59')}\"\nk0: x\n" +
			many(60, "k<i+1>: \"%{lookup('k<i>')}%{lookup('k<i>')}\"\n")},
		"aliases":      {"data/common.yaml", "k: \"%{alias('k')}\"\n"},
		"lookup cycle": {"data/common.yaml", "k: \"%{lookup('a')}\"\na: \"%{lookup('k')}\"\n"},
		"billion laughs": {"data/common.yaml", "a0: &a0 [x]\n" + many(40, "a<i+1>: &a<i+1> [*a<i>, *a<i>]\n") +
			"k: *a40\n"},
		"yaml merges": {"data/common.yaml", "a0: &a0 {x: 1}\n" +
			many(40, "a<i+1>: &a<i+1> {<<: [*a<i>, *a<i>], y<i>: *a<i>}\n") + "k: *a40\n"},
		"deep yaml":        {"data/common.yaml", "k: " + deep(100000, "[", "", "]") + "\n"},
		"deep yaml blocks": {"data/common.yaml", "k:\n" + many(3000, " ") + strings.Repeat("- ", 50000) + "x\n"},
		"deep json":        {"modules/m/metadata.json", deep(200000, "[", "", "]")},
		"metadata fields": {"modules/m/metadata.json", "{" +
			strings.Repeat(`"dependencies": [{"name": "a/b", "version_requirement": ">= 1 < 2 || 3"}], `, 5000) +
			`"name": "a-m"}`},
		"requirement": {"modules/m/metadata.json",
			`{"name": "a-m", "version": "1.0.0", "dependencies": [{"name": "a/b", "version_requirement": "` +
				strings.Repeat("1 || ", 100000) + `"}]}`},
		"hocon":            {"data/common.hocon", strings.Repeat("a += 1\n", 50000)},
		"asserts":          {"bunraku.assert", strings.Repeat("exists /x\n", 200000)},
		"assert pattern":   {"bunraku.assert", "contains /x " + strings.Repeat("(a*)*", 2000) + "\n"},
		"environment.conf": {"environment.conf", "modulepath = " + strings.Repeat("modules:", 100000) + "\n"},
		"environment.conf ~": {"environment.conf", "modulepath = " + strings.Repeat("$basemodulepath:$codedir:", 50000) +
			"\n"},
		"facts": {"facts/n.yaml", "a: " + deep(100000, "{a: ", "1", "}") + "\n"},
		"hierarchy": {"hiera.yaml", "version: 5\nhierarchy:\n" +
			many(20000, "  - {name: l<i>, path: 'x<i>.yaml'}\n")},
		"hiera interpolation": {"hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, path: \"" +
			strings.Repeat("%{lookup('k')}", 20000) + "\"}\n"},
		"epp recursion": {"modules/m/templates/t.epp", "<%= epp('m/t.epp') %>"},
		"epp doubling": {"modules/m/templates/t.epp",
			"<%- | $n = 40 | -%><% if $n > 0 { %><%= epp('m/t.epp', {n => $n - 1}) %><%= epp('m/t.epp', {n => $n - 1}) %><% } %>"},
		"type in Ruby": {"modules/m/lib/puppet/type/mt.rb",
			"while true\nend\nPuppet::Type.newtype(:mt) do\n  loop { newparam(:name) }\nend\n"},
		"deep Ruby": {"modules/m/lib/puppet/type/mt.rb", "Puppet::Type.newtype(:mt) do\n" +
			deep(100000, "(", "1", ")") + "\nend\n"},
		"function in Ruby": {"modules/m/lib/puppet/functions/m/g.rb", strings.Repeat("begin\n", 50000)},
	} {
		t := tree("work/data "+name, c[0], c[1])
		if name == "hocon" {
			t.write = func(w *writer) {
				w.file(c[0], c[1])
				w.file("hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, data_hash: hocon_data, path: common.hocon}\n")
			}
		}
		out = append(out, t)
	}
	out = append(out, Tree{Name: "work/many modules", write: func(w *writer) {
		for i := range 400 {
			w.file(fmt.Sprintf("modules/x%d/manifests/init.pp", i), fmt.Sprintf("class x%d { include x%d }\n", i, (i+1)%400))
		}
		w.file("manifests/site.pp", "include x0\n")
	}}, Tree{Name: "work/deep directories", write: func(w *writer) {
		w.file("manifests/"+strings.Repeat("d/", 400)+"x.pp", "notice(1)\n")
		w.file("modules/m/manifests/"+strings.Repeat("d/", 400)+"x.pp", "notice(1)\n")
	}}, Tree{Name: "work/directory loops", write: func(w *writer) {
		for _, d := range []string{"manifests", "data", "modules/m/manifests", "modules/m/data", "modules", "facts"} {
			w.link(d+"/up", "..")
			w.link(d+"/again", ".")
		}
		w.file("hiera.yaml", "version: 5\nhierarchy:\n  - {name: a, glob: '**/*.yaml'}\n")
	}})
	return out
}
