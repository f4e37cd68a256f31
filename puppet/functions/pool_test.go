package functions_test

import "bunraku/internal/ask"

// The values that calls are made of, as Puppet source.
var (
	ints = []string{"0", "1", "-1", "2", "3", "7", "42", "-17", "9223372036854775807", "-9223372036854775807",
		"0x1F", "010"}
	smalls = []string{"1", "2", "3", "4", "1", "2"}
	floats = []string{"0.0", "1.0", "-1.5", "2.5", "0.5", "-0.5", "1e20", "1.0e-7", "3.14159", "-2.0", "1e15",
		"123456789.125"}
	texts = []string{"''", "'a'", "'A'", "'abc'", "'  x '", `"a\n"`, `"a\r\n"`, `"\ta\n\n"`, "'é'", "'ÀÉî'",
		"'straße'", "'日本語'", "'foo_bar'", "'_foo__bar_'", "'Foo BAR'", "'a.b.c'", "'a::b'", "'hello world'", "'aXbXc'",
		`"l1\nl2\nl3"`, `"\u{1F600}x"`, "'ǆ'", "'file'", "'it''s'", "'x$y'", "'\"q\"'", "'a b'"}
	numerals = []string{"'10'", "'-3'", "'3.5'", "'0x1f'", "'1e3'", "'010'", "'1_000'", "' 7'", "'7 '", "'+5'",
		"'-0.0'", "'9223372036854775808'", "'1.'", "'.5'", `"3\n4"`, "'1.5e2'"}
	bools   = []string{"true", "false"}
	nothing = []string{"undef", "default"}
	arrays  = []string{"[]", "[1]", "[1,2,3]", "[3,1,2]", "['a','b','c']", "['b','A','a','B']", "[[1,[2]],3,[[]]]",
		"[undef,'a']", "[1,'a',2.5]", "[1,1.0,2,2]", "['a','a','b']", "[{'a'=>1},{'b'=>2}]", "[true,false]",
		"[1,2,3,4,5,6,7]", "[[1,2],[3,4]]", "['x y','z']", "[undef]", "['10','9','b']"}
	strArrays = []string{"['a','b','c']", "['b','A','a','B']", "['a','a','b']", "['x y','é']", "[]",
		"['foo_bar',\"x\\n\"]", "['aXb','XX']"}
	hashes = []string{"{}", "{'a'=>1}", "{'a'=>1,'b'=>2}", "{1=>'x',2=>'y'}", "{'a'=>{'b'=>[1,{'c'=>3}]}}",
		"{'A'=>'x','a'=>'Y'}", "{'k'=>undef}", "{'a'=>'x','b'=>'x','c'=>'y'}", "{[1]=>2}", "{'x'=>[],'y'=>{}}"}
	regexps = []string{"/a/", "/(b)(c)?/", "/[aeiou]/", "/^l\\d$/", "/X/", "/\\s+/", "//", "/(?<n>a)/", "/A/",
		"/(?i:a)/", "/é|b/", "/\\b/", "/(x)|(a)/"}
	patterns = []string{"'a'", "'.'", "'X'", "' '", "'[aeiou]'", "''", "'(b)'", "'\\s*'", "'^l'", "'$'", "'['",
		"'(?<n>.)b'", "'\\.'", "'A'", "'b|c'", "'é'", "'(a)(x)?'"}
	typeVals = []string{"String", "Integer", "Integer[1,3]", "Enum['a','b']", "Regexp", "Regexp[/a/]",
		"Pattern[/a/,/b/]", "Array[Integer]", "Type[Integer]", "Optional[String]", "Variant[Regexp[/b/],Pattern[/a/]]", "Any",
		"Struct[{'a'=>Integer}]", "Tuple[Integer,String]"}
	references = []string{"File['/x']", "Class['m']", "Notify['n']", "File", "Class", "Resource", "Resource['file','/x']",
		"Type[File]", "Type[Class['m']]", "Nosuch['x']"}
	rich = []string{"Sensitive('s')", "Sensitive(1)", "Sensitive('')", "SemVer('1.2.3')", "SemVer('1.2.3-rc1')",
		"SemVerRange('>=1.0.0')", "Timestamp('2016-08-24T12:13:14 UTC')", "Timestamp(0)", "Timespan('1-02:03:04')",
		"Timespan(90)", "Binary('YQ==')", "Binary('')", "URI('http://example.com/a')", "Deferred('md5',['a'])"}
	iterators = []string{"[1,2,3].reverse_each", "Integer[1,10].step(3)", "['a','b','c'].step(2)", "'abc'.reverse_each",
		"{'a'=>1,'b'=>2}.reverse_each", "5.reverse_each"}
	versions = []string{"'1.0'", "'1.0.0'", "'1.10'", "'1.9'", "'2.6-1'", "'2.4.5'", "'1.0-rc1'", "'1.0rc2'", "'01.2'",
		"'1.2'", "'a'", "'B'", "''", "'1.0.00'", "'-'", "'1-2-3'", "'1.0.0-0'", "'1.é'"}
	formats = []string{"'%s'", "'%d'", "'%5d|'", "'%-5s|'", "'%05.1f'", "'%x'", "'%#x'", "'%o'", "'%b'", "'%e'",
		"'%g'", "'%p'", "'%c'", "'%%'", "'%+d'", "'% d'", "'%.2s'", "'%s %s'", "'%2$s %1$s'", "'%<a>d'", "'%{a}'",
		"'%<a>s %{b}'", "'%*d'", "'%s %d %f'", "'x'", "'%'", "'%z'", "'%08b'", "'%X'", "'%10.3e|'", "'%<a>05d'", "'%a'",
		"'%-+7.2f|'", "'%.0f'", "'%#o'", "'%<c>s'", "'%-10s|%10s'"}
	timeFormats = []string{"'%F %T'", "'%c'", "'%Y-%m-%dT%H:%M:%S.%LZ'", "'%s'", "'%D-%H:%M:%S'", "'%H:%M'", "'%M:%S.%-N'",
		"'%j %U %W %V %G'", "'%A %B %e'", "'%-d/%-m/%y'", "'%I:%M %p'", "'%z'", "'%Z'", "'%^a'", "'%10Y'", "'%%'", "'%Q'",
		"''", "'%N'", "'%3N'", "'%_H|%-H|%0H'"}
	zones = []string{"'UTC'", "'PST'", "'+02:00'", "''", "'nowhere'", "'EST'"}
	keys  = []string{"'str'", "'num'", "'nope'", "'nothing'", "'list'", "'hash'", "['nope','str']",
		"['nope','nada']", "[]", "'classes'"}
	paths = []string{"'a'", "'a.b'", "'a.b.1.c'", "'b'", "'0'", "'x.y'", "''", "'a..b'", "'\"a\".b'", "'a.b.'",
		"'1'", "'-1'", "'a. b '", "'.a'", "'k'", "'a.\"'"}
	files   = []string{"'m/hello.txt'", "'m/nope'", "'nope/x'", "'m/blob'", "''", "'m'", "'m/t.epp'", "'/nope/x'"}
	blocks1 = []string{"|$x| { $x }", "|$x| { [$x, 1] }", "|$x| { true }", "|$x| { undef }",
		"|$x| { if $x == 2 { next('n') } $x }", "|Integer $x| { $x }", "|$x, $y = 5| { $y }", "|$x| { \"${x}\" }",
		"|$x| { $x == 'a' }"}
	blocks2 = []string{"|$a, $b| { [$a, $b] }", "|$a, $b| { $b }", "|$k, $v| { $v == 2 }", "|*$r| { $r }",
		"|String $a, $b| { $a }", "|$a, $b| { \"${a}-${b}\" }"}
	comparers = []string{"|$a, $b| { compare($a, $b) }", "|$a, $b| { compare($b, $a) }", "|$a, $b| { 0 }",
		"|$a, $b| { undef }", "|$a, $b| { 'x' }", "|$a, $b| { true }", "|$a, $b| { 1.5 }"}
	breakers = []string{"|$x| { if $x == 2 { break() } $x }", "|$k, $v| { if $v == 2 { break() } $v }"}
	blocks0  = []string{"|| { 7 }"}
)

var join, of = ask.Join, ask.Of

type shape = ask.Shape

var (
	scalars     = join(ints, floats, texts, numerals, bools)
	collections = join(arrays, hashes)
	iterables   = join(arrays, hashes, iterators, smalls, []string{"'abc'", "Integer[1,4]", "Enum['a','b']", "0"})
	walkables   = join(arrays, hashes, smalls, []string{"'abc'", "Integer[1,4]", "Enum['a','b']", "0"})
	anything    = join(ints, floats, texts, numerals, bools, nothing, arrays, hashes, regexps, typeVals, references, rich,
		iterators)
	walks    = join(blocks1, blocks2, breakers)
	searches = join(blocks1, blocks2)
)

var (
	one  = []int{1}
	two  = []int{2}
	none = []string{""}
)

// shapes are the functions whose calls are generated. What changes the catalog has manifests of its own in
// testdata/golden.
var shapes = map[string]shape{
	"abs": of(one, join(ints, floats, numerals)),
	"all": of(one, iterables).With(searches),
	"any": of(one, iterables).With(searches),
	"assert_type": of(two, join(typeVals, []string{"'Integer'", "'String[1]'", "'Foo'", "'Integer['"}),
		anything).With(none, none, blocks2),
	"binary_file": of(one, files),
	"call": of([]int{1, 2, 3}, []string{"'abs'", "'upcase'", "'join'", "'md5'", "'nope'",
		"Deferred('upcase',['a'])", "Deferred('nope')", "Deferred('$facts',['os','family'])"}, join(texts, arrays)),
	"camelcase":  of(one, join(texts, strArrays, iterators, ints)),
	"capitalize": of(one, join(texts, strArrays, iterators, ints)),
	"ceiling":    of(one, join(floats, ints, numerals)),
	"chomp":      of(one, join(texts, strArrays, iterators, ints)),
	"chop":       of(one, join(texts, strArrays, iterators, ints)),
	"compare":    of([]int{2, 2, 2, 3}, join(scalars, rich), join(scalars, rich), bools),
	"convert_to": of([]int{2, 2, 3}, join(scalars, numerals),
		join(typeVals, []string{"Integer", "Float", "Numeric", "Boolean", "Array", "String"}),
		[]string{"10", "16", "'%s'", "true"}).With(none, none, blocks1),
	"defined": of([]int{1, 1, 2}, join(references, []string{"'m'", "'file'", "'nope'", "'$facts'", "'$nope'",
		"'$::facts'", "'main'", "''", "'$'", "'md5'", "'$m::x'", "'$module_name'", "'M'", "'File'", "'::m'"})),
	"dig": of([]int{1, 2, 3, 4}, join(collections, nothing),
		join(ints, []string{"'a'", "'b'", "1", "0", "'x'", "undef"})).Odd(scalars, nothing, collections, typeVals),
	"digest":   of(one, join(texts, numerals)),
	"downcase": of(one, join(texts, arrays, hashes, ints)),
	"each":     of(one, walkables).With(walks),
	"empty":    of(one, anything),
	"epp": of([]int{1, 2}, []string{"'m/t.epp'", "'m/t'", "'m/nope'", "'nope'", "''", "'m/plain.epp'",
		"'m/bad.epp'"}, []string{"{}", "{'a'=>2}", "{'a'=>[1,undef]}", "{'b'=>1}", "{'a'=>Sensitive('x')}", "{1=>2}"}),
	"fail":          of([]int{0, 1, 2, 3}, anything),
	"file":          of([]int{1, 2}, files).Odd(texts, ints, arrays, hashes, typeVals, references),
	"filter":        of(one, iterables).With(walks),
	"find_file":     of([]int{0, 1, 2}, join(files, []string{"['m/nope','m/blob']"})),
	"find_template": of([]int{0, 1, 2}, join(files, []string{"['m/nope','m/t.epp']"})),
	"flatten":       of([]int{0, 1, 2, 3}, anything),
	"floor":         of(one, join(floats, ints, numerals)),
	"fqdn_rand": of([]int{1, 2, 3}, []string{"100", "10", "'100'", "1", "2", "4294967296", "10000000000", "'0'",
		"-5", "3.7", "'abc'", "9223372036854775807", "60"}, scalars, bools).Odd(texts, floats, bools, nothing, arrays,
		hashes),
	"get": of([]int{2, 2, 3}, join(collections, nothing), paths, scalars).With(none, none, none, blocks1),
	"getvar": of([]int{1, 1, 2}, []string{"'facts'", "'facts.os.family'", "'facts.os.nope'", "'nope'",
		"'nope.x'", "'facts.networking.fqdn.x'", "'A'", "'::facts.os'", "'m::x'", "'facts[os]'", "''", "'facts.'", "'1'",
		"'_x'", "'facts.\"os\".family'"}, scalars).With(none, none, none, blocks1),
	"group_by": of(one, collections).With(blocks1, blocks2, breakers),
	"hiera": of([]int{1, 2, 3}, keys, scalars, nothing).With(none, none, blocks1).Odd(ints, floats, bools,
		nothing, arrays, hashes, typeVals, rich),
	"hiera_array": of([]int{1, 2}, []string{"'list'", "'nope'", "'str'", "'num'"}, arrays).With(none, none,
		blocks1).Odd(ints, floats, bools, nothing, arrays, hashes, typeVals, rich),
	"hiera_hash": of([]int{1, 2}, []string{"'hash'", "'nope'"}, hashes).With(none, none, blocks1).Odd(ints, floats,
		bools, nothing, arrays, hashes, typeVals, rich),
	"import": of([]int{0, 1}, texts),
	"index":  of([]int{1, 2}, join(iterables, texts), join(scalars, regexps, texts)).With(none, searches),
	"inline_epp": of([]int{1, 2}, []string{"'a<%= $a %>b'", "'<%= 1 + 1 %>'", "'<%- |$a| -%>x<%= $a %>'",
		"'<%- |Integer $a = 3| -%>x<%= $a %>'", "''", "'<% if true { %>y<% } %>'", "'<%= [1,[2]] %>'", "'<%= {a=>undef} %>'",
		"'<%# c %>z'", "'<%= 1'", "'<% $x = %>'", "'<%= Sensitive(\"q\") %>'", "'%%<%%'",
		"'<%- [1,2].each |$n| { -%>n<%= $n %><% } %>'", "'<%= $nope %>'"}, []string{"{}", "{'a'=>2}", "{'a'=>'x'}",
		"{'b'=>1}", "{'a'=>undef}"}),
	"join":   of([]int{1, 2}, arrays, texts),
	"keys":   of(one, hashes),
	"length": of(one, join(collections, texts, rich)),
	"lest":   of(one, anything).With(blocks0),
	"lookup": of([]int{1, 2, 3, 4}, keys,
		join(typeVals, []string{"{'default_value'=>1}", "{'merge'=>'unique'}", "{'value_type'=>Integer}",
			"{'default_values_hash'=>{'nope'=>9}}", "{'override'=>{'str'=>'o'}}", "undef"}), []string{"'first'", "'unique'",
			"undef"}, scalars).With(none, none, blocks1).Odd(ints, floats, bools, nothing, arrays, hashes, typeVals, rich),
	"lstrip": of(one, join(texts, strArrays, iterators, ints)),
	"map":    of(one, iterables).With(walks),
	"match": of(two, join(texts, strArrays),
		join(regexps, patterns, typeVals, []string{"['z','a']", "[/z/,/(a)/]", "[]"})),
	"max":              of([]int{0, 1, 2, 3}, join(scalars, arrays, rich)).With(none, none, comparers),
	"md5":              of(one, join(texts, numerals)),
	"min":              of([]int{0, 1, 2, 3}, join(scalars, arrays, rich)).With(none, none, comparers),
	"module_directory": of([]int{0, 1, 2}, []string{"'m'", "'nope'", "''", "['nope','m']", "[]"}),
	"new": of([]int{1, 2, 2, 3}, join(typeVals, []string{"Integer", "Float", "String", "Array", "Hash",
		"Boolean", "Timespan", "SemVer", "Sensitive", "Binary", "Tuple", "Numeric", "Struct"}), join(scalars, numerals,
		collections), []string{"10", "16", "'%s'", "true", "'%x'", "default"}).With(none, none, blocks1),
	"partition": of(one, collections).With(blocks1, blocks2, breakers),
	"reduce": of([]int{1, 1, 2}, iterables, scalars).With([]string{"|$m, $x| { [$m, $x] }",
		"|$m, $x| { \"${m}${x}\" }", "|$m, $x| { if $x == 2 { break() } [$m, $x] }", "|$m, $x| { $x }", "|$m| { $m }"}),
	"regsubst": of([]int{3, 3, 4, 4, 5}, join(texts, strArrays),
		join(regexps, patterns, []string{"Regexp[/a./]", "Regexp"}), []string{"'z'", "'<\\0>'", "'\\1-\\2'", "''",
			"'[\\k<n>]'", "{'a'=>'1','b'=>'2'}", "'\\\\'", "\"\\\\&\\\\'\"", "'\\x'", "{}"}, []string{"'G'", "''", "'GI'", "'M'",
			"undef", "'E'", "'x'"}, []string{"'N'", "'U'", "'X'"}),
	"reverse_each": of(one, iterables).With(none, blocks1, breakers),
	"round":        of(one, join(floats, ints)),
	"rstrip":       of(one, join(texts, strArrays, iterators, ints)),
	"sha1":         of(one, join(texts, numerals)),
	"sha256":       of(one, join(texts, numerals)),
	"shellquote": of([]int{0, 1, 2, 3}, join(texts, strArrays, []string{"'a`b'", "'$HOME'", "'it\\'s $5'",
		"'-x=1,2'"})),
	"size": of(one, join(collections, texts, rich)),
	"slice": of(two, walkables, smalls).With(none, none,
		[]string{"|$x| { notice($x) }", "|$a, $b| { [$a, $b] }", "|$a, $b, $c| { $a }", "|*$r| { $r }", "|| { 1 }",
			"|$a, $b = 1| { $a }"}),
	"sort":  of(one, join(arrays, texts)).With(none, none, comparers),
	"split": of(two, texts, join(regexps, patterns, []string{"Regexp[/b/]", "Regexp"})),
	"sprintf": of([]int{1, 2, 2, 3, 3}, formats, join(scalars, nothing, collections, rich, regexps,
		[]string{"{'a'=>1,'b'=>'x'}", "{'a'=>-7,'b'=>[1,undef],'c'=>undef}"})).Odd(scalars, nothing, collections, rich),
	"step": of(two, iterables, smalls).With(none, blocks1, breakers),
	"strftime": of([]int{2, 2, 3}, []string{"Timestamp('2016-08-24T12:13:14 UTC')", "Timestamp(0)",
		"Timestamp('1999-12-31T23:59:59.123 UTC')", "Timespan('1-02:03:04')", "Timespan(90.5)", "Timespan(-3600)",
		"Timespan(0)"}, timeFormats, zones),
	"strip": of(one, join(texts, strArrays, iterators, ints)),
	"then":  of(one, anything).With(blocks1),
	"tree_each": of([]int{1, 1, 2}, join(collections, []string{"Deferred('x',[1,[2]])"}),
		[]string{"{'order'=>'breadth_first'}", "{'include_root'=>false}", "{'include_containers'=>false}",
			"{'include_values'=>false}", "{'include_values'=>false,'order'=>'breadth_first'}", "{'container_type'=>Array}",
			"{'container_type'=>String}", "{'include_values'=>false,'include_containers'=>false}", "{'order'=>'x'}",
			"{}"}).With(none, []string{"|$v| { notice($v) }", "|$p, $v| { notice($p) }"}).Wrapped("Array(%s)").Odd(scalars,
		nothing, iterators),
	"type": of([]int{1, 2}, anything, []string{"'detailed'", "'reduced'", "'generalized'"}),
	"unique": of(one, join(iterables, texts)).With(none, none, blocks1,
		[]string{"|String $x| { downcase($x) }"}),
	"unwrap":     of(one, anything).With(none, none, blocks1),
	"upcase":     of(one, join(texts, arrays, hashes, ints)),
	"values":     of(one, hashes),
	"versioncmp": of([]int{2, 2, 3}, versions, versions, bools),
	"with":       of([]int{0, 1, 2}, anything).With(blocks0, blocks1, blocks2),
}

// endless are the functions that would count up to a number they are given.
var endless = map[string]bool{"all": true, "any": true, "each": true, "filter": true, "index": true, "map": true,
	"new": true, "convert_to": true, "tree_each": true, "reduce": true, "reverse_each": true, "slice": true, "step": true,
	"unique": true}

var generator = ask.Generator{Anything: anything, Blocks: join(blocks0, blocks1, blocks2), Rarely: 24,
	Instead: func(name, arg string) string {
		if arg == "9223372036854775807" && endless[name] {
			return "4"
		}
		return arg
	}}
