package types

import (
	"fmt"
	"strings"
)

// newTexts are conversions, good and bad.
var newTexts = []string{
	"Integer('abc')", "Integer('0x1F')", "Integer('017')", "Integer('0b101')", "Integer('12', 3)", "Integer('12', 8)",
	"Integer('ff', 16)", "Integer('- 5')", "Integer('-5', 10, true)", "Integer(3.99)", "Integer(-3.99)", "Integer(true)",
	"Integer([1])",
	"Integer({'from'=>'x'})", "Integer({'from'=>'10','radix'=>8})", "Integer({'from'=>'10','radix'=>3})",
	"Integer({'fro'=>'10'})", "Integer()", "Integer(1,2,3,4)", "Integer('1_000')", "Integer('')",
	"Integer(Timespan(61.5))", "Integer('08')",
	"Float('abc')", "Float('1.5e3')", "Float('0x1F')", "Float('0b11')", "Float([1])", "Float(true)",
	"Float('- 1.5', true)", "Float({'from'=>'2.5'})", "Float(Timespan(1.5))", "Numeric('abc')", "Numeric('12')",
	"Numeric('1.5')", "Numeric('0x1F')", "Numeric(true)", "Numeric('-3', true)",
	"Boolean('abc')", "Boolean('YES')", "Boolean('n')", "Boolean(0)", "Boolean(1.5)", "Boolean([1])", "Boolean()",
	"Array(1.5)", "Array(undef)", "Array({'a'=>1})", "Array('abc')", "Array(3)", "Array(1, true)", "Array([1], true)",
	"Array(Binary('aGk='))", "Array(Integer[1,3])",
	"Hash([1,2,3])", "Hash([1,2])", "Hash([[1,2],[3,4]])", "Hash('abc')", "Hash(true)", "Hash([])",
	"Hash([[['a','b'],1],[['a','c'],2]], 'tree')", "Hash([[[],{'a'=>[1]}],[['a',1],2]], 'tree')",
	"Hash([[['a'],[1,[2]]]], 'hash_tree')", "Hash([[['a'],1]], 'x')",
	"Tuple[Integer,Integer]([1,'a'])", "Struct[{a=>Integer}](['a',1])", "Struct[{a=>Integer}](['a','x'])", "SemVer('x')",
	"SemVer('1.2.3-a.1+b')", "SemVer(1,2,3)", "SemVer(1,2,3,'rc1','b1')", "SemVer({major=>1,minor=>2,patch=>3})",
	"SemVer(1)", "SemVer(1,2)", "SemVer('1.2.3-01')",
	"SemVerRange('>1.0.0 || <0.5.0')", "SemVerRange('~1.2')", "SemVerRange('^0.3')", "SemVerRange('1.2.3 - 2.0.0')",
	"SemVerRange('bad range')", "SemVerRange(SemVer('1.0.0'),SemVer('2.0.0'))",
	"SemVerRange(SemVer('1.0.0'),default,true)", "SemVerRange(1)",
	"Timespan('x')", "Timespan('10:20')", "Timespan('1-02:03:04.005')", "Timespan(1,2,3,4)", "Timespan(1,2,3,4,5,6,7)",
	"Timespan({days=>2,hours=>1})", "Timespan({negative=>true,seconds=>5})", "Timespan('90','%S')", "Timespan('5m','%Mm')",
	"Timespan('1','%Q')", "Timespan(true)", "Timespan(-1.5)", "Timespan('-0-00:00:01')",
	"Timestamp('x')", "Timestamp('2016-01-01 01:02:03')", "Timestamp('2016-01-01T01:02:03.456 +02:00')",
	"Timestamp('2016-01-01','%F')", "Timestamp('01/02/2016','%d/%m/%Y')", "Timestamp('2016-01-01','%F','PST')",
	"Timestamp('2016-01-01 EST','%F %Z','PST')", "Timestamp(1.5)", "Timestamp({string=>'2016-01-01'})",
	"Timestamp('Jan 5 2016 3:04 PM', '%b %d %Y %I:%M %p')", "Timestamp(true)",
	"Binary('x')", "Binary('aGVsbG8=')", "Binary('hi','%s')", "Binary('aGk','%b')", "Binary('a-_b','%u')",
	"Binary([104,105])", "Binary([256])", "Binary({value=>'aGk='})", "Binary(1)", "Sensitive(Sensitive(1))",
	"Sensitive[String](1)",
	"URI('http://[')", "URI('http://x.org/a?b#c')", "URI('mailto:a@b.c')", "URI({scheme=>'https',host=>'h',path=>'/p'})",
	"URI(1)", "URI('not a uri')", "Regexp('[')", "Regexp('a.b')", "Regexp('a.b', true)", "Regexp(1)",
	"Type('Integer[1,2]')", "Type(1)", "Type('')",
	"Any(1)", "Scalar(1,2)", "Enum['a']('b')", "Optional[Integer]('1')", "NotUndef(1,2)", "NotUndef(1)",
	"NotUndef[Integer]('7')", "Integer[1,5]('9')", "Init[Integer]('10')", "Init[Integer, 16]('ff')",
	"Init[Integer](['ff', 16])", "Init[String, 'x', 'y', 'z']('a')",
	"Variant[Integer,String](1.5)", "Callable(1)", "Deferred('x',1)", "Deferred({name=>'f'})", "Deferred('X')",
	"File['x'](1)", "Data(1)", "Init(1)", "Iterable(1.5)", "String[3]('a')", "Collection([1])",
	// formats
	"String(1,2,3)", "String(1,'%y')", "String(1,'x')", "String([1],'%y')", "String(undef)", "String(255,'%x')",
	"String(255,'%#X')", "String(-255,'%x')", "String(-255,'%+x')", "String(8,'%o')", "String(-8,'%o')", "String(5,'%b')",
	"String(-5,'%b')", "String(5,'%#B')", "String(5,'%5d')", "String(5,'%-5d')", "String(5,'%05d')", "String(5,'%+d')",
	"String(5,'% d')", "String(65,'%c')", "String(65,'%#c')", "String(5,'%s')", "String(5,'%#s')", "String(5,'%p')",
	"String(5,'%e')", "String(5,'%.2f')", "String(5,'%g')", "String(5,'%a')",
	"String(1.5,'%d')", "String(1.5,'%e')", "String(1.5,'%E')", "String(1234567.0,'%g')", "String(0.00001234,'%G')",
	"String(1.5,'%a')", "String(-1.5,'%A')", "String(1.5,'%s')", "String(1.5,'%#s')", "String(1.5,'%p')",
	"String(1.5,'%8.3f')", "String(1.5,'%-8.3f|')", "String(1.5,'%x')", "String(1e20,'%p')", "String(2.0,'%#.0f')",
	"String('hello','%s')", "String('hello','%10s')", "String('hello','%-10s')", "String('hello','%.2s')",
	"String('hello','%p')", "String('hello','%#p')", "String('hello world','%c')", "String('hello','%#c')",
	"String('a::bc::d','%C')", "String('a::bc','%#C')", "String('hello','%u')", "String('HeLLo','%d')",
	"String('  x ','%t')", "String('  x ','%#t')", "String('hello','%x')", "String(\"a'b\\n\",'%p')",
	"String('a\\\\b','%p')",
	"String(true,'%t')", "String(true,'%#T')", "String(false,'%y')", "String(true,'%Y')", "String(true,'%#Y')",
	"String(true,'%d')", "String(true,'%f')", "String(true,'%6s')", "String(true,'%z')", "String(undef,'%s')",
	"String(undef,'%#s')", "String(undef,'%p')", "String(undef,'%n')", "String(undef,'%#n')", "String(undef,'%d')",
	"String(undef,'%v')", "String(undef,'%V')", "String(undef,'%u')", "String(undef,'%#u')", "String(undef,'%c')",
	"String(default)", "String(default,'%D')", "String(default,'%#d')", "String(default,'%x')", "String(/a.b/)",
	"String(/a.b/,'%p')", "String(/a.b/,'%#s')", "String(/a/,'%d')", "String(Integer)", "String(Integer[1,2],'%p')",
	"String(Integer,'%#s')", "String(Integer,'%d')", "String(Binary('aGk='))", "String(Binary('aGk='),'%s')",
	"String(Binary('aGk='),'%p')", "String(Binary('aGk='),'%b')", "String(Binary('aGk='),'%u')",
	"String(Binary('aGk='),'%t')", "String(Binary('aGk='),'%T')", "String(Binary('aGk='),'%#s')",
	"String(Binary('aGk='),'%x')",
	"String([1,'a',2.5,undef,true])", "String({'a'=>1,'b'=>[1,2]})", "String([1,[2,3]],'%(a')", "String([1,2],'% a')",
	"String([1,2],'%<a')", "String([1,2],'%|a')", "String([1,[2,[3]]],'%#a')", "String({'a'=>{'b'=>1}},'%#h')",
	"String({'a'=>1},'%a')", "String({'a'=>1},'%(h')", "String([1,{'a'=>[1,2]}],'%#a')", "String([1,2,3],'%#3a')",
	"String(['aaaa','bbbb',[1]],'%#5a')", "String([1,'a'],{Array=>{format=>'%a',separator=>';'}})",
	"String({'a'=>1,'b'=>2},{Hash=>{format=>'%h',separator=>' ',separator2=>'='}})",
	"String([1,2.5,'x'],{Array=>{format=>'%a',string_formats=>{Integer=>'%x',Float=>'%.1f',String=>'%s'}}})",
	"String(10,{Integer=>'%x'})", "String([10],{Integer=>'%x'})", "String([10],{Integer=>'%x',Array=>'%(a'})",
	"String(10,{Any=>'%p'})", "String('x',{String=>'%#p'})", "String(1,{Numeric=>'%o'})", "String(1,{1=>'%x'})",
	"String(1,{Integer=>'zz'})", "String([1],{Array=>{foo=>'%a'}})", "String(5,'%++d')", "String([5],'%[(a')",
	"String(SemVer('1.2.3'))", "String(Timespan(90))", "String(Sensitive(1))", "String(URI('http://x'))",
	"String(URI('http://x'),'%p')", "String([URI('http://x')])", "String([SemVer('1.2.3')])",
	"String([Integer, /x/, default])",
	"String(Deferred('f', [1]))", "String([Deferred('f')])", "String(Deferred('f', [1]), '%#p')", "String([Sensitive(1)])",
	"String({1=>{2=>3}})", "String([])", "String({})", "String([[]])", "String({'a'=>{}},'%#h')", "String(['a',\"b\\n\"])",
	"String(12345678901234,'%d')", "String(1.0e-10)", "String(-0.0)", "String('é','%u')", "String('ß','%u')",
	"String('%s')",
}

// errorTexts are types with wrong parameters.
var errorTexts = []string{"Integer[a]", "Integer[1,2,3]", "Integer[5,1]", "Integer[1.5]", "Float[a]", "Float[2,1]",
	"Float[1,2,3]", "String[a]", "String[1,2,3]", "String[5,1]", "Array[1]", "Array[Integer,a]", "Array[Integer,1,2,3]",
	"Array['x','y','z']", "Array[Integer, Integer[1,2]]",
	"Hash[Integer]", "Hash[1,Integer]", "Hash[Integer,Integer,1,2,3]", "Hash[1,2]", "Collection[a]", "Collection[1,2,3]",
	"Tuple[1]", "Tuple[Integer,1,2]", "Tuple['a']", "Struct[1]", "Struct[{1=>Integer}]", "Struct[{''=>Integer}]",
	"Struct[{Integer=>String}]", "Struct[{a=>Integer},1]", "Struct[{Optional[String]=>Integer}]",
	"Enum[1]", "Enum[true]", "Enum['a',true]", "Enum['b','a','b']", "Variant[1]", "Pattern[1]", "Pattern['[']",
	"Pattern['a']", "Regexp[1]", "Regexp['a','b']", "Regexp['a']", "Boolean[1]", "Boolean[true,false]", "Optional[1]",
	"Optional[Integer,String]", "NotUndef[1]", "NotUndef[Integer,String]", "NotUndef[Any]", "Type[1]",
	"Type[Integer,String]", "Sensitive[1]", "Sensitive[Integer,String]",
	"Sensitive[Integer[1,2]]", "Iterable[1]", "Iterator[1]", "Init[1]", "SemVer[1]", "SemVer['x y z !']",
	"Timespan[1,2,3]", "Timespan[a]", "Timespan[5,1]", "Timestamp[a]", "URI[1]", "URI[{foo=>1}]", "Runtime['ruby']",
	"Runtime['ruby',1]", "Any[1]", "Scalar[1]", "Numeric[1]", "Undef[1]", "Default[1]", "Data[1]", "CatalogEntry[1]",
	"SemVerRange[1]", "Binary[1]",
	"Class[1]", "Class['A B']", "Class['::foo']", "Class['Foo::Bar']", "Class['a','b']", "Class[['a']]", "Class[undef]",
	"Class[[]]", "File[1]", "File['a','b']", "File[['a','b']]", "File[undef]", "File[[]]", "File['']", "Resource[1]",
	"Resource['file']", "Resource['file','x']", "Resource['file','x','y']", "Resource['my::type','x']",
	"Resource['a b','x']", "Resource[File]", "Resource[File,'x']", "Resource[Integer]",
	"Callable[Integer, 1, 2]", "Callable[1]", "Callable[[Integer,String],Float]", "Callable[[Integer],1]",
	"Callable[[],Integer]", "Callable[[Integer],String,String]", "Callable[Integer,Callable[String,String]]",
	"Object[{name=>'Foo',attributes=>{a=>Integer}}]", "Object[{attributes=>{a=>1}}]",
	"Object[{attributes=>{a=>{type=>Integer,value=>'x'}}}]", "Object[{attributes=>{a=>{type=>Integer,kind=>constant}}}]",
	"Object[{attributes=>{a=>{type=>Integer,kind=>derived,value=>1}}}]",
	"Object[{constants=>{a=>1},attributes=>{a=>Integer}}]", "Object[{equality=>[x]}]", "Object[{foo=>1}]",
	"Object[{attributes=>{a=>{type=>Integer,value=>3},b=>Optional[String]},constants=>{c=>'x'},functions=>{f=>Callable[Integer]},equality=>[a]}]", "Object[1]", "TypeSet[{a=>1}]",
	"type Al1 = Integer  Al1", "type Al2 = Variant[Integer, Array[Al2]]  Al2",
	"type Al3 = Variant[Integer, Array[Al3]]  Array[Al3]", "type Al4 = Al4  Al4", "type Al5 = Variant[Al5, Integer]  Al5",
	"type Al6 = Struct[{n => Optional[Al6]}]  Al6", "type Al7 = Optional[Optional[Integer]]  Al7",
	"type Al8 = Variant[Enum[a], Enum[b]]  Al8", "type Al9 = Bl9  type Bl9 = Integer  Al9",
	"type Al10 = Variant[Integer[1,2], Integer[3,4], String]  Al10", "type Al11 = Array[Any, 1]  Al11",
	"type Al12 = Object[{attributes => {x => Integer, y => {type => Integer, value => 2}}}]  Al12",
	"type Al13 = {attributes => {x => Integer, y => {type => Integer, value => 2}}}  Al13(1)",
	"type Al14 = {attributes => {x => Integer, y => {type => Integer, value => 2}}}  Al14({x => 1, y => 3})",
	"type Al15 = {attributes => {x => Integer}}  Al15('a')", "type Al16 = {attributes => {x => Integer}}  Al16({z => 1})",
}

// parseErrors are texts for the type parser.
var parseErrors = []string{"Integer[1,2,3]", "Array[1]", "Array[]", "Foo", "Foo[1]", "Array[Foo]", "1", "Integer[a]",
	"Enum[1]", "Enum[a, b]", "Boolean[1]", "Any[1]", "Optional[1]", "Hash[1]", "Struct[1]", "Tuple", "Tuple[]",
	"String[a]", "Resource[foo]", "Resource['Foo::bar', x]", "File[a]", "Class[a]", "Class['::a']",
	"Callable[[Integer], String]", "Variant[1]", "Type[1]", "Iterable[1]", "Timespan[1,2,3]", "Runtime[ruby]",
	"NotUndef[1]", "Data[1]", "Collection[a]", "Array[Integer, 1]", "Array[Integer, Integer[1,2]]",
	"Hash[Integer, Integer, 1]", "$x", "Integer[1] + 2"}

// signatureQuestions are calls that fit no signature, and classes with wrong parameters.
var signatureQuestions = []question{
	call("[1]", []any{"Callable[String]", []any{"x"}}), call("[1, 2]", []any{"Callable[String]", []any{"x"}}),
	call("[]", []any{"Callable[String]", []any{"x"}}),
	call("['a', 1]", []any{"Callable[Integer, 1, default]", []any{"x"}}),
	call("[1]", []any{"Callable[String]", []any{"x"}}, []any{"Callable[Boolean]", []any{"y"}}),
	call("[1, 2, 3]", []any{"Callable[String]", []any{"x"}}, []any{"Callable[String, Integer]", []any{"y", "z"}}),
	call("[1]", []any{"Callable[String, Callable[Integer]]", []any{"x"}}),
	call("['a']", []any{"Callable[String, Callable[Integer]]", []any{"x"}}),
	call("[{'a' => 'x'}]", []any{"Callable[Struct[{a => Integer, b => String}]]", []any{"h"}}),
	call("[[1, 'x']]", []any{"Callable[Array[Integer]]", []any{"l"}}, []any{"Callable[Hash]", []any{"h"}}),
	call("[1, 2]", []any{"Callable[Integer, Optional[String], 1, 2]", []any{"a", "b"}}),
	call("[]", []any{"Callable[Integer, 2, 4]", []any{"a"}}, []any{"Callable[String, 1, 2]", []any{"b"}}),
	call("['x']", []any{"Callable[Variant[Integer, Boolean]]", []any{"v"}}),
	call("['x']", []any{"Callable[Optional[Integer]]", []any{"v"}}),
	call("['x']", []any{"Callable[Enum[a, b]]", []any{"v"}}),
	call("['x']", []any{"Callable[Optional[Pattern[/a/]]]", []any{"v"}}),
	params("Class[Nginx]", "Struct[{workers => Integer, Optional[name] => String}]", "{'workers' => 'x'}"),
	params("Class[Nginx]", "Struct[{workers => Integer, Optional[name] => String}]", "{}"),
	params("Class[Nginx]", "Struct[{workers => Integer}]", "{'workers' => 1, 'foo' => 2}"),
	params("Class[Nginx]", "Struct[{workers => Integer, name => String}]", "{'foo' => 1, 'name' => 2}"),
	params("Foo[x]", "Struct[{a => Array[String], b => Hash[String, Integer]}]", "{'a' => ['x', 1], 'b' => {'k' => 'v'}}"),
	params("Foo[x]", "Struct[{a => Variant[Enum[a], Array[Enum[b]]]}]", "{'a' => ['c']}"),
	params("Foo[x]", "Struct[{a => Optional[Struct[{x => Integer}]]}]", "{'a' => {'y' => 1}}"),
	params("Foo[x]", "Struct[{a => String[3]}]", "{'a' => 'x'}"), params("Foo[x]", "Struct[{a => Integer[1, 5]}]",
		"{'a' => 9}"),
	params("Foo[x]", "Struct[{a => Tuple[Integer, String]}]", "{'a' => [1]}"),
	params("Foo[x]", "Struct[{a => Boolean[true]}]", "{'a' => false}"),
	params("Foo[x]", "Struct[{a => Sensitive[String]}]", "{'a' => 'x'}"),
	params("Foo[x]", "Struct[{a => Optional[Variant[Integer, String]]}]", "{'a' => true}"),
	params("Foo[x]", "Struct[{a => Type[Integer]}]", "{'a' => String}"),
	params("Foo[x]", "Struct[{a => Array[Integer, 2]}]", "{'a' => [1]}"),
	params("Foo[x]", "Struct[{a => Pattern[/^a/]}]", "{'a' => 'b'}"), params("Foo[x]", "Struct[{a => Pattern[/^a/]}]",
		"{'a' => 1}"), params("Foo[x]", "Struct[{a => NotUndef}]", "{'a' => undef}"), params("Foo[x]", "Struct[{a => Data}]",
		"{'a' => /x/}"), params("Foo[x]", "Struct[{a => Callable}]", "{'a' => 1}"), params("Foo[x]",
		"Struct[{a => Array[Struct[{b => Integer}]]}]", "{'a' => [{'b' => 1}, {'b' => 'x'}, {}]}"),
}

func call(args string, sigs ...any) question { return question{"call": sigs, "args": args} }

func params(subject, t, h string) question { return question{"params": []any{subject, t, h}} }

// aliasQuestions are recursive aliases and object types in action. Each defines names of its own, since Puppet keeps
// them.
func aliasQuestions() (qs []question) {
	n := 0
	fresh := func(def string) string {
		n++
		return strings.NewReplacer("Aa", fmt.Sprintf("Qa%d", n), "Bb", fmt.Sprintf("Qb%d", n), "Cc",
			fmt.Sprintf("Qc%d", n)).Replace(def)
	}
	aliases := []string{"type Aa = Variant[Integer, Array[Aa]]  Aa",
		"type Aa = Variant[String, Bb]  type Bb = Array[Aa]  Aa", "type Aa = Variant[String, Bb]  type Bb = Array[Aa]  Bb",
		"type Aa = Struct[{n => Integer, Optional[next] => Aa}]  Aa",
		"type Aa = Hash[String, Variant[Integer, Aa]]  Aa",
		"type Aa = Variant[Integer, Bb]  type Bb = Struct[{x => Optional[Bb], y => Aa}]  Aa",
		"type Aa = Array[Variant[Undef, Aa]]  Aa", "type Aa = Optional[Array[Aa]]  Aa",
		"type Aa = Tuple[Integer, Optional[Aa], 1, 2]  Aa"}
	values := []string{"1", "'x'", "[]", "[1]", "['x']", "[[1], [[2]]]", "[['x']]", "[1, 'x']", "{'n' => 1}",
		"{'n' => 1, 'next' => {'n' => 2}}", "{'n' => 1, 'next' => {'n' => 'x'}}", "{'a' => {'b' => 1}}",
		"{'a' => {'b' => 'x'}}", "{'y' => 1}", "{'x' => {'y' => 1}, 'y' => {'y' => 2}}", "[undef, [undef]]", "[1, [2, [3]]]",
		"[1, [2, ['x']]]", "undef"}
	for _, a := range aliases {
		for _, v := range values {
			qs = append(qs, question{"instance": []string{fresh(a), v}})
		}
		for _, b := range aliases {
			qs = append(qs, question{"assign": []string{fresh(a), fresh(b)}})
		}
		qs = append(qs, question{"code": fresh(a)}, question{"describe": []string{fresh(a), "true"}},
			question{"describe": []string{fresh(a), "[[true]]"}}, question{"describe": []string{fresh(a), "{'n' => 'x'}"}})
		for _, t := range []string{"Data", "RichData", "Any", "Array", "Iterable", "Array[Data]"} {
			qs = append(qs, question{"assign": []string{t, fresh(a)}}, question{"assign": []string{fresh(a), t}})
		}
	}
	for _, c := range []string{
		"type Aa = {attributes => {x => Integer}}  type Bb = Object[{parent => Aa, attributes => {y => String}}]  Bb(1, 'a')",
		"type Aa = {attributes => {x => Integer}}  type Bb = Object[{parent => Aa, attributes => {x => Integer}}]  Bb(1)",
		"type Aa = {attributes => {x => Integer}}  type Bb = Object[{parent => Aa, attributes => {x => {type => " +
			"Integer[1], override => true}}}]  Bb(1)", "type Aa = {attributes => {x => {type => Integer, final => true}}}  " +
			"type Bb = Object[{parent => Aa, attributes => {x => {type => Integer, override => true}}}]  Bb(1)",
		"type Aa = {attributes => {x => {type => Integer, value => 7}}, constants => {k => 'v'}}  Aa()",
		"type Aa = {attributes => {x => {type => Integer, value => 7}}}  Aa(7)",
		"type Aa = {attributes => {x => Optional[Integer]}}  Aa()",
		"type Aa = {attributes => {x => Optional[Integer], y => Integer}}  Aa(1)",
		"type Aa = {attributes => {x => Integer}, equality => x, equality_include_type => false}  Aa",
		"type Aa = {attributes => {x => Integer, z => {type => String, kind => derived}}}  Aa(1)",
		"type Aa = {attributes => {x => Optional[Aa]}}  Aa(Aa())",
		"type Aa = {attributes => {x => Array[Integer]}}  [Aa([1])]",
		"type Aa = {type_parameters => {x => Integer}, attributes => {x => Integer}}  Aa[1]",
		"type Aa = {type_parameters => {x => Integer}, attributes => {x => Integer}}  Aa(5)",
		"type Aa = {attributes => {x => Integer}}  Aa[1]", "type Aa = {functions => {f => Callable[[Integer], String]}}  Aa",
		"type Aa = {attributes => {x => Integer}, functions => {x => Callable}}  Aa",
		"type Aa = Object[{parent => Aa}]  Aa", "type Aa = Object[{parent => Nope}]  Aa",
		"type Aa = {attributes => {'__ptype' => Integer}}  Aa",
		"type Aa = {attributes => {x => {type => Integer, kind => constant, value => 3}}}  Aa",
		"type Aa = {attributes => {x => {type => Integer, kind => constant, value => 3, final => false}}}  Aa",
		"type Aa = Sensitive[Integer[1, 2]]  Aa", "type Aa = Callable[[Integer], Aa]  Aa",
		"type Aa = Variant[Bb, Cc]  type Bb = Integer  type Cc = String  Aa",
		"type Aa = Variant[Enum[x], Pattern[/a/], Pattern[/b/], Enum[y, z]]  Aa", "type Aa = NotUndef[Optional[Integer]]  Aa",
		"type Aa = Optional[NotUndef[Integer]]  Aa", "type Aa = Variant[Optional[Integer], Undef, String]  Aa",
		// Type sets come last: Puppet prints aliases otherwise once it has printed a type set.
		"type Aa = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {Bb => Integer, Cc => Array[Bb]}}]  Aa",
		"type Aa = TypeSet[{pcore_version => '2.0.0', version => '1.0.0'}]  Aa",
		"type Aa = TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {Bb => {attributes => {x => " +
			"Integer}}}}]  Aa",
	} {
		qs = append(qs, question{"code": fresh(c)}, question{"data": fresh(c)})
	}
	return qs
}
