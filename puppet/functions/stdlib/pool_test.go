package stdlib_test

import "bunraku/internal/ask"

// The values that calls are made of, as Puppet source.
var (
	ints   = []string{"0", "1", "-1", "2", "3", "7", "42", "-17", "9223372036854775807", "100"}
	smalls = []string{"1", "2", "3", "4", "0", "-1", "5"}
	floats = []string{"0.0", "1.0", "-1.5", "2.5", "0.5", "1e20", "1.0e-7", "3.14159", "123456789.125"}
	texts  = []string{"''", "'a'", "'A'", "'abc'", "'  x '", `"a\n"`, `"a\r\n"`, `"\ta\n\n"`, "'é'", "'ÀÉî'",
		"'straße'", "'日本語'", "'foo_bar'", "'Foo BAR'", "'a.b.c'", "'a::b'", "'hello world'", `"l1\nl2\nl3"`, `"\u{1F600}x"`,
		"'file'", "'x$y'", "'\"q\"'", "'aabbcc  dd'", "'undef'", "'a/b'", "'it\\'s'", "'-'", "'#x'"}
	numerals = []string{"'10'", "'-3'", "'3.5'", "'0x1f'", "'1e3'", "'010'", "'1_000'", "' 7'", "'7 '", "'+5'", "'-0.0'",
		"'1.'", "'.5'", `"3\n4"`, "'0'", "'007'", "'1.0'"}
	truths = []string{"'yes'", "'no'", "'true'", "'False'", "'Y'", "'n'", "'1'", "'0'", "'t'", "'undefined'",
		`"yes\nno"`, "'on'", "'TRUE'"}
	bools   = []string{"true", "false"}
	nothing = []string{"undef", "default"}
	arrays  = []string{"[]", "[1]", "[1,2,3]", "['a','b','c']", "['b','A','a','B']", "[[1,[2]],3,[[]]]", "[undef,'a']",
		"[1,'a',2.5]", "[1,1.0,2,2]", "['a','a','b']", "[{'a'=>1},{'b'=>2}]", "[true,false]", "[[1,2],[3,4]]", "['x y','z']",
		"[undef]", "['10','9','b']", "['', undef, 'x']", "[['a','b'],['c']]"}
	strArrays = []string{"['a','b','c']", "['b','A','a','B']", "['a','a','b']", "['x y','é']", "[]",
		"['foo_bar',\"x\\n\"]", "['abc','a.c','b']", "['aa','bbb']"}
	hashes = []string{"{}", "{'a'=>1}", "{'a'=>1,'b'=>2}", "{1=>'x',2=>'y'}", "{'a'=>{'b'=>[1,{'c'=>3}]}}",
		"{'A'=>'x','a'=>'Y'}", "{'k'=>undef}", "{'a'=>'x','b'=>'x','c'=>'y'}", "{'x'=>[],'y'=>{}}", "{'a'=>{'x'=>1},'b'=>''}",
		"{'a'=>{'y'=>2,'x'=>{}}}", "{'l'=>['a','b'],'u'=>'undef'}"}
	regexps  = []string{"/a/", "/(b)(c)?/", "/^l\\d$/", "/X/"}
	patterns = []string{"'a'", "'.'", "'^b'", "'[aeiou]'", "''", "'(b)'", "'['", "'b|c'", "'\\.'", "'x y'"}
	typeVals = []string{"String", "Integer", "Integer[1,3]", "Enum['a','b']", "Array[Integer]", "Optional[String]",
		"Any", "Struct[{'a'=>Integer}]", "Boolean", "Hash", "Numeric"}
	references = []string{"File['/x']", "Class['m']", "Notify['n']", "File"}
	rich       = []string{"Sensitive('s')", "Sensitive('')", "SemVer('1.2.3')", "Timestamp(0)", "Timespan(90)",
		"Binary('YQ==')", "URI('http://example.com/a')", "Deferred('md5',['a'])"}
	addresses = []string{"'192.0.2.1'", "'10.0.0.0/8'", "'::1'", "'2001:db8::1'", "'fe80::1%eth0'", "'[::1]'",
		"'256.1.1.1'", "'01.2.3.4'", "'1.2.3'", "'::ffff:192.0.2.1'", "'2001:db8::/32'", "'192.0.2.0/255.255.255.0'", "'*'",
		"'1.2.3.4/33'", "'1.2.3.4/08'", "'1:2:3:4:5:6:7:8'", "'1:2:3:4:5:6:192.0.2.1'", "'::'", "'1::2::3'",
		"'fe80:0:0:1:0:0:0:1'", "'1.2.3.4/a'", "'::1/129'", "'0:0:0:0:0:0:0:0'", "'10.1.2.3'", "'::1.2.3.4'",
		"'1.2.3.4/255.0.255.0'"}
	paths = []string{"'/a/b/c.txt'", "'/'", "'a'", "'a/b'", "'/a/'", "'//a'", "'.bashrc'", "'a.tar.gz'", "'/a/b/..'",
		"'C:/x'", "'C:\\x'", "'\\\\\\\\srv\\\\share'", "'a.'", "'/a//b'", "'..a'", "'./a'", "'a/.b.c'", "'a/b.c/'", "'///'",
		"'//srv/share'"}
	domains = []string{"'example.com'", "'.'", "'a.b.c.org.'", "'-a.com'", "'a-.com'", "'a.1'", "'localhost'", "'a..b'",
		"'ex_ample.com'", "'a@b.com'", "'foo.bar+x@example.org'", "'x@y'", "'A@B.COM'", "'Example.COM'", "'1.com'",
		"'a@b.c.de'", "'.com'"}
	macs = []string{"'00:53:00:00:00:01'", "'0:1:2:3:4:5'", "'00:53:00:00:00'", "'zz:53:00:00:00:01'",
		"'00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33'", "'AA:BB:CC:DD:EE:FF'"}
	salts = []string{"'salt'", "'saltsaltsaltsaltlong'", "'a/.B'", "'a b'", "''", "'s$'",
		"'05$abcdefghijklmnopqrstuu'", "'04$......................'", "'x'"}
	kinds = []string{"'md5'", "'SHA-256'", "'sha-512'", "'bcrypt'", "'bcrypt-y'", "'des'", "'bcrypt-a'", "'SHA-512'"}
	jsons = []string{`'{"a":1}'`, `'[1,2.5,null,true,"x"]'`, `'{"a":{"b":[]}}'`, `'"s"'`, "'null'", "'false'", "'{'",
		"'[1,]'", "''", `'{"a":"\\u00e9"}'`, "'nope'", "'1'", `"{\"a\": \"b\\nc\"}"`, `'{a:1}'`}
	yamls = []string{"'a: 1'", `"a: 1\nb: [x, yes]\n"`, "'--- foo'", "'[1,2'", "''", "'~'",
		`"- 010\n- 1:30\n- 1e3\n"`, `"a: |\n  x\n  y\n"`, "'false'", "'{a: {b: c}}'", "'a: b: c'", "'x'", `"? a\n: b"`}
	hocons = []string{"'a = 1'", "'a { b : c }'", "'a.b.c = [1,2]'", "'{'", "''", "'a = ${b}, b = x'",
		"'\"a b\": true'", "'[1,2]'"}
	data = []string{"{'b'=>1,'a'=>[1,2.5,undef,true,'x']}", "{'k'=>{'x'=>'y z','l'=>[{'a'=>1},{'b'=>[]}]}}", "[]",
		"{}", "[[1,[2]],{}]", "{'t'=>\"l1\\nl2\\n\",'q'=>\"it's\",'d'=>'\"q\"'}", "{'n'=>'10','y'=>'yes','e'=>'','u'=>undef}",
		"{'a b'=>'c','d.e'=>'#f'}", "{1=>2,'x'=>3.0}", "['- a','a: b','@x',' lead','trail ','é','a#b','x #y']",
		"{'deep'=>{'deeper'=>{'deepest'=>[1,[2,[3]]]}}}", "{'tables'=>[{'b'=>1,'a'=>2},{'c'=>{'d'=>1}}],'s'=>1}",
		"{'long'=>'the quick brown fox jumps over the lazy dog and runs away from the very big bad wolf that lives in the wood'}", "[\"tab\\there\",\"a\\\\b\",'0x1f','1_0','12:30','2001-01-01','null','~','=']", "{'a'=>/re/}", "'plain'", "3", "undef", "['x',default]", "{'r'=>File['/x']}", "['a\"b', '${x}', '#{y}']"}
	words = []string{"'a b'", "'\"a b\" c'", "\"'a b' c\"", "'a\\\\ b'", "'\"a'", "''", "'a  b '", "'x=\"y z\"w'",
		"'$HOME `id`'", `"a\nb"`, "'é'", "'a\\\\'"}
	blocks1 = []string{"|$x| { $x }", "|$x| { true }", "|$x| { undef }", "|$x| { \"${x}\" }"}
	blocks2 = []string{"|$a, $b| { [$a, $b] }", "|$h, $x| { { $x => 1 } }", "|$h, $x| { $x }", "|$a, $b| { $b }"}
	blocks3 = []string{"|$h, $k, $v| { { $k => $v } }", "|$h, $i, $x| { { $x => $i } }", "|$a, $b, $c| { $c }"}
)

var join, of = ask.Join, ask.Of

type shape = ask.Shape

var (
	scalars     = join(ints, floats, texts, numerals, bools)
	collections = join(arrays, hashes)
	anything    = join(ints, floats, texts, numerals, bools, nothing, arrays, hashes, regexps, typeVals, references, rich)
)

var (
	one    = []int{1}
	two    = []int{2}
	oneTwo = []int{1, 1, 2}
	none   = []string{""}
)

var generator = ask.Generator{Anything: anything, Blocks: join(blocks1, blocks2), Rarely: 32}
