package eval_test

import (
	"testing"

	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// rules are the dependencies that are easily forgotten, each in the smallest program that shows it. Mutations of larger
// programs found them; package compiler runs those (TestScoreTheorems).
var rules = []struct{ rule, text string }{
	{"a branch that was not taken",
		`class a($x) { if $x == 1 { $y = 42 } $z = $y notify { 'r': message => "${z}" } } class { 'a': x => 2 }`},
	{"a class that was declared before",
		`class a { notify { 'a': } } class b { include a } if 2 == 1 { include a } include b include a`},
	{"a class declared with a title that could be another's",
		`class base($p = 'b') { notify { 'base': message => $p } } class derived($p = 'd') inherits base { } class { 'derived': p => 'x' }`},
	{"the stage that a title gives",
		`stage { 'pre': before => Stage['main'] } class b { } class a { include b } class { 'a': stage => 'pre' }`},
	{"the value of include", `class a { } class b { } $x = include(a, b) notify { 'r': message => "${x}" }`},
	{"contain could have named another class",
		`class a { notify { 'a': } } class b { contain a } class c { } include c include b`},
	{"a match that failed", `$t = 'ab' =~ /(b)/ if 'x' =~ /(y)/ { } else { notify { 'r': message => $1 } }`},
	{"a break, taken or not", `$r = [1, 2, 3].map |$x| { if $x == 3 { break() } $x } notify { 'r': message => $r }`},
	{"nothing to walk", `notify { 'r': message => [1].filter |$x| { $x > 2 }.reduce(0) |$m, $x| { $m + 1 } }`},
	{"an array of arrays", `notify { 'r': message => [1, 2].map |$x| { [10, 20].map |$y| { $x + $y } } }`},
	{"a key that comes in the place of another", `$h = { 'a' => 1, 'b' => 2 } notify { 'r': message => "${h['a']}" }`},
	{"a key that hides one of the other side",
		`$h = { 'b' => 1, 'a' => 1 } + { 'b' => 2 } notify { 'r': message => "${h['a']}" }`},
	{"the title of a resource as a value", `notify { 'n': } $x = notify { 'b': } notify { 'a': require => $x }`},
	{"an arrow could have named another", `notify { ['a', 'b', 'c']: } Notify['a'] -> Notify['b']`},
	{"an arrow to a collector", `notify { ['a', 'b']: } Notify['a'] -> Notify<| title == 'b' |>`},
	{"an override could have named another",
		`class a { notify { 'x': } notify { 'y': } } class b inherits a { Notify['x'] { message => 'm' } } include b`},
	{"a collector's overrides from a hash",
		`file { '/x': mode => '1' } File<| |> { * => { 'mode' => '2', 'owner' => 'o' } }`},
	{"a tag that a collector sets",
		`file { '/x': } File<| title == '/x' |> { tag => 'added' } @notify { 'n': tag => 'added' } Notify<| tag == 'added' |>`},
	{"defaults that a collector's override takes along",
		`class c { file { '/r': mode => '0644' } case $title { 'c': { File<| |> { tag => 'got' } } default: { } } } contain c File { noop => true }`},
	{"a value that is as the default says",
		`class a { File { mode => '1' } file { '/x': mode => '2' } } class b inherits a { File['/x'] { mode => '1' } } include b`},
	{"a metaparameter set to undef", `define d { notify { "in-${title}": noop => false } } d { 'x': noop => true }`},
	{"an attribute set to undef",
		`Notify { message => 'default' } notify { 'a': message => undef } notify { 'b': message => [Notify['a']['message']] }`},
	{"the name of a define",
		`define d { notify { "in-${title}": message => [$title, $name] } } d { 't': name => 'other' }`},
	{"realize in an array in an array", `@notify { ['a', 'b', 'c']: } realize([Notify['a'], [Notify['b']]])`},
	{"the name of a node statement", "node 'n1', 'default' { notify { 'n': } } node 'n2' { }"},
	{"a function called in a branch that was not taken",
		`function f() { tag('x') } class c { f() notify { 'n': } } include c`},
	{"whether a resource is declared", `notify { 'a': } if defined(Notify['b']) { notify { 'yes': } } notify { 'c': }`},
	{"the node around a class",
		`class c { notify { 'c': message => ["<${v}>"] } } include c node default { $v = 'node' include c }`},
	{"an override that comes too late", `class base { d { 'i': x => 1 } } define d($x) { notify { "d-${title}": message => $x } } class derived inherits base { D['i'] { x => 2 } }
class z { include derived } include base z2 { 'q': } define z2 { include z }`},
	{"a class that is included twice",
		`class a { notify { 'n': } include b } class b { include a } class c { include a } include a include c`},
	{"a class that is declared with parameters and included",
		`class a($x = 1, $y = 2) { notify { 'n': message => "${x}${y}" } } class b { include a } class { 'a': x => 3 } include b`},
	{"a class that another inherits from",
		`class p { $v = 1 notify { 'p': } } class a inherits p { notify { 'a': message => $v } } class b inherits p { } include a include b`},
	{"a class that names another while it runs",
		`class p { include d $user = 'x' } class s { include p notify { 'n': message => $p::user } } class d { } include p include s`},
	{"a class that is included here, and elsewhere later",
		`class p { $v = 1 } class a { include p notify { 'n': message => $p::v } } class b { include p } include a include b`},
	{"an override of a define's instance, passed over",
		`define d($x = undef) { if $x { notify { "n-${x}": } } } class a { d { 'i': } if '2' == '1' { D['i'] { x => 1 } } } include a`},
	{"a stage from whoever is first",
		`stage { 'pre': before => Stage['main'] } class a { include c } class b { include c } class c { notify { 'n': } } class { 'b': stage => 'pre' } include a`},
	{"a type alias", `type Up = Pattern[/\A\/x/] notify { 'a': message => '/x' =~ Up }`},
	{"a type alias in a case, by another alias",
		`type Word = Enum['x', 'y'] type Both = Variant[Word, Integer] case 'x' { Both: { notify { 'a': } } default: { notify { 'b': } } }`},
	{"a type alias that makes no type", `type Port = Integer[1, 65535] notify { 'a': message => 80 =~ Port }`},
	{"a type alias of a parameter",
		`type Up = Pattern[/\A\/x/] class a(Variant[Up, Integer] $p) { notify { 'a': message => $p } } class { 'a': p => '/x' }`},
	{"an arrow to a collector, with a branch not taken",
		`class w($a = undef) { if $a != undef { file { '/e': } } file { '/n': } } notify { 'begin': } -> File<||> include w`},
	{"an arrow over a collector",
		`file { '/f': tag => 'w' } notify { 'begin': } exec { '/e': } Notify['begin'] -> File<| tag == 'w' |> ~> Exec['/e']`},
	{"a default of a define, under a condition",
		`define d($v = undef) { file { $title: content => $v } } if '1' == '1' { D { v => 'v' } } d { '/x': }`},
	{"how many keys there are",
		`notify { 'a': message => "${size({'a' => 1, 'b' => 2})}" } notify { 'b': message => values({'x' => 1, 'y' => 2}) }`},
	{"classes that contain each other",
		`class a { contain b notify { 'n': } } class b { contain c } class c { contain a } include a`},
	{"resources named by a hash",
		`create_resources('notify', { 'a' => { 'message' => 'x' }, 'b' => { 'message' => 'y' }, 'c' => {} })`},
	{"what is asked for in a loop",
		`['a', 'b'].each |$x| { d { $x: } } define d { notify { "n-${title}": } } unless defined(Notify['n-c']) { notify { 'n': } }`},
	{"the order of what a collector finds",
		`class a { notify { 'x': } } class b { notify { 'y': } } include a include b notify { 'z': } Notify['z'] -> Notify<| title != 'z' |>`},
	{"the type that create_resources is given",
		`notify { 'a': } create_resources('notify', { 'b' => { 'message' => 'm' } }) Notify['a'] -> File<| |>`},
	{"code after a return",
		`class a { if 'x' == 'y' { return() } notify { 'a': } include b } class b { notify { 'b': } } include a include b`},
	{"code after a break, which could include",
		`class a { notify { 'a': } } class b { notify { 'b': } } class x { ['q', 'b'].each |$c| { if $c == 'q' { break() } include $c } } include x include b`},
	{"code after a next, which could include",
		`class a { notify { 'a': } } class b { notify { 'b': } } class x { ['a', 'b'].each |$c| { if $c == 'b' { next() } include $c } } include x include b`},
	{"a return in a lambda ends the class",
		`class a { ['x', 'y'].each |$i| { if $i == 'y' { return() } include b } notify { 'a': } include c } class b { notify { 'b': } } class c { notify { 'c': } } include a include b include c`},
	{"a variable behind a return",
		`class a { if 'x' == 'x' { return() } $v = 1 } include a notify { 'm': message => "<${a::v}>" }`},
	{"an override behind a return",
		`class p { notify { 'n': message => 'm' } } class a inherits p { if 'x' == 'x' { return() } Notify['n'] { message => 'o' } } include a`},
	{"variables before and behind a return",
		`class a { unless 'x' == 'y' { $v = 1 return() } $w = 2 } include a notify { 'n': message => "<${a::v}><${a::w}>" }`},
	{"a class that is read while it runs, or after",
		`class a { include b $v = 1 } class b { include a notify { 'b': message => "<${a::v}>" } } include a include b`},
	{"a class that is read while it runs, by a detour",
		`class a { include x $v = 1 } class x { include c } class c { include a notify { 'c': message => "<${a::v}>" } } include x include a`},
	{"a class that includes its heir",
		`class p { include c $v = 1 } class c inherits p { notify { 'n': message => "<${v}>" } } include p include c`},
	{"a variable by the heir of a class that still runs",
		`class p { include c include x $v = 1 } class c inherits p { } class x { include c notify { 'x': message => "<${c::v}>" } } include p include x`},
	{"a tag from a key",
		`create_resources('notify', { 'a' => { 'message' => 'x' }, 'b' => { 'message' => 'y', 'noop' => true } }, { 'tag' => 't' }) Notify<| tag == 't' |> { loglevel => 'info' }`},
	{"a function that requires, of a class nobody includes",
		`function f($x) { require $x } class a { f('b') } class b { } class c { } include a include c`},
	{"an arrow to nothing",
		`$l = ['b'].filter |$x| { $x == 'q' } notify { ['a', 'b']: } Notify['a'] -> $l.map |$x| { Notify[$x] }`},
	{"an arrow from what comes in the place of an empty collector",
		`notify { 'a': } exec { '/e': tag => 't' } file { '/f': tag => 'v' } package { 'p': } Notify['a'] -> Exec<| tag == 't' |> ~> File<| tag == 'x' |> -> Package['p']`},
	{"an arrow over two empty collectors",
		`notify { 'a': } exec { '/e': tag => 'k' } file { '/f': tag => 'v' } package { 'p': } Notify['a'] -> Exec<| tag == 't' |> ~> File<| tag == 'x' |> -> Package['p']`},
	{"a default of a define from whoever is first",
		`define d($x = 0) { notify { "d-${title}": message => "${x}" } } class a { D { x => 1 } include b } class b { d { 'i': } } class c { include b } include a include c`},
	{"an attribute read before or after its override",
		`class a { file { '/a': mode => '1' } } class b inherits a { File['/a'] { mode => '2' } } class c { include a notify { 'n': message => File['/a']['mode'] } } include c include b`},
	{"an attribute read before or after it is there",
		`class a { file { '/a': } } class b { include a notify { 'n': message => "<${File['/a']['mode']}>" } } class c inherits a { File['/a'] { mode => '2' } } include b include c`},
	{"a variable that the top level sets between includes",
		`class a { notify { 'a': message => "<${v}>" } } class b { include a } include b $v = 1 include a`},
	{"a variable of the top level, read by a function",
		`function f() { $v } class a { $w = f() notify { 'a': message => "<${w}>" } } class b { } include b $v = 1 include a`},
	{"classes that include each other, each under a condition",
		`class a { include b notify { 'a': } } class b { include a notify { 'b': } } if 'x' == 'x' { include a } if 'y' == 'y' { include b }`},
	{"a class that is there if another is not",
		`class a { notify { 'a': } } class b { notify { 'b': } } if 'x' == 'x' { include a } if !defined(Class['a']) { include b } if !defined(Class['b']) { include a }`},
	{"a variable read in the depth of defines",
		`define d { e { "e-${title}": } } define e { include z } class z { $v = 1 } define f { g { 'g': } } define g { h { 'h': } } define h { notify { 'f': message => "<${z::v}>" } } f { 'x': } d { 'y': }`},
	{"the order of what collectors append",
		`notify { 'n': before => Notify['r'] } notify { ['r', 's', 't']: } class a { Notify<| title == 'n' |> { before +> Notify['s'] } } class b { Notify<| title == 'n' |> { before +> Notify['t'] } } class c { include b } include c include a`},
	{"a tag from whoever is first, which a collector asks for",
		`class p { @notify { 'p': } } class q { include p } class r { include p } Notify<| tag == 'q' |> include r include q`},
	{"a stage that comes down two includes",
		`stage { 'pre': before => Stage['main'] } class a { include b } class b { include c } class c { notify { 'c': } } class { 'a': stage => 'pre' } include c`},
	{"a tag between two includes",
		`class x { include b tag 'q' include a } class a { notify { 'a': message => tagged('q') } } class b { } include x`},
	{"the order of arrows from two classes",
		`class x { notify { ['a', 'b', 'c']: } } class y { include x Notify['a'] -> Notify['b'] } class z { include x Notify['a'] -> Notify['c'] } class w { include z } include w include y`},
	{"a class declared with parameters under a condition, and included",
		`class a($p = 1) { notify { 'a': message => $p } } if 'x' == 'x' { class { 'a': p => 2 } } else { include a } class b { include a } include b`},
	{"a class that is asked for, and included once more later",
		`class c { } include c notify { 'n': message => defined(Class['c']) } include c`},
	{"the order of collectors",
		`class a { File<| |> { mode => '1' } } class b { include a } file { '/z': } include b File<| |> { mode => '2' } include a`},
	{"a computed name in a branch not taken",
		`class a { Notify['p'] -> Notify['q'] notify { 'x': } } notify { ['p', 'q']: } if 'p' == 'q' { ['a'].each |$i| { include $i } } notify { 'n': message => defined(Notify['x']) }`},
	{"an override by a class that a computed name could have included",
		`class a { File<| |> { mode => '1' } } file { '/z': } if 'p' == 'q' { ['a'].each |$i| { include $i } }`},
	{"a class that is contained under a condition",
		`class a { if 'x' == 'x' { contain d } } class d { notify { 'd': } } include d include a`},
	{"contain in a branch not taken, later",
		`class c { contain b } class b { notify { 'b': } } include b if 'x' == 'y' { contain c }`},
	{"a metaparameter that contain would hand down",
		`class c { if 'x' == 'y' { contain b } } class b { notify { 'b': } } include b class { 'c': noop => true }`},
	{"an heir that reads by its own name",
		`class a { include c $v = 1 } class c inherits a { notify { 'n': message => "<${c::v}>" } } include a include c`},
	{"defaults that a collector would take along, in a class nobody includes",
		`class b { File<| title == '/z' |> { mode => '7' } } file { '/z': } File { owner => 'o' } include b`},
	{"a tag of a class that is included once more later",
		`class a { } class c { if tagged('a') { notify { 'n': } } } if 'x' == 'x' { include a } include c include a`},
	{"an arrow from a resource whose default is a reference, or none",
		`class c { } include c Notify { before => Class['c'] } notify { 'a': } file { '/b': } Notify['a'] -> File['/b']`},
	{"titles that are no strings",
		`define d { notify { "d-${title}": message => [$title, $name] } } create_resources('d', { 'a' => { }, 'b' => { 'name' => 'n' } })`},
	{"a default that is a define's name",
		`define d { notify { "d-${title}": message => $name } } if 'x' == 'y' { D { name => 'n' } } d { 'a': }`},
	{"a parameter of a template that is undef",
		`notify { 'a': message => inline_epp('<%- | $x = 1 | -%><%= $x %>', { 'x' => 2 }) }`},
	{"a default that includes a class",
		`class a($x = include('b')) { notify { 'a': } } class b { notify { 'b': } } class { 'a': x => 'c' }`},
	{"a class that a statement declares, and others include before and after",
		`class c { notify { 'n': message => "<${v}>" } } class x { include c } class y { class { 'c': } } if 'p' == 'q' { include c } node default { $v = 1 include y include x }`},
	{"a class that a statement declares under a condition, and another includes",
		`class c { notify { 'n': message => "<${v}>" } } class x { $v = 1 include c } class y { File { mode => '1' } if 'p' == 'p' { class { 'c': } } } class z { include y } include z include x`},
	{"a class that a statement declares, if it is not there",
		`class c { notify { 'n': } } class x { include c } class y { unless defined(Class['c']) { class { 'c': } } } class z { } include z include y include x`},
	{"the place of a class that a statement declares",
		`class c { notify { 'n': message => defined(Notify['x']) } } class x { notify { 'x': } } class y { class { 'c': } } class z { include x } include z include y include x`},
	{"what a function makes in a branch not taken",
		`define d { include c } class c { notify { 'c': } } if 'x' == 'y' { create_resources('d', { 'a' => {} }) } class b { include c } include b notify { 'n': message => defined(D['a']) }`},
	{"what a method makes in a branch not taken",
		`class c { notify { 'c': } } function f($x) { include c } if 'x' == 'y' { 'q'.f } if 'v' == 'w' { 'notify'.create_resources({ 'm' => {} }) } class b { include c } include b notify { 'n': message => defined(Notify['m']) }`},
	{"a class that create_resources makes in a branch not taken",
		`class c($p = 1) { notify { 'c': message => $p } } if 'x' == 'y' { create_resources('class', { 'c' => { 'p' => 2 } }) } class b { include c } include b`},
	{"a metaparameter that comes down because main contains the class",
		`class b { notify { 'n': } } class { 'b': noop => true } if 'x' == 'x' { contain b }`},
	{"the ancestors of a class in a branch not taken",
		`class c { notify { 'c': } } class b inherits c { } class a inherits b { } if 'x' == 'y' { include a } notify { 'n': message => defined(Class['c']) }`},
}

// TestRules changes every literal of each program in every way.
func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.rule, func(t *testing.T) {
			set := eval.Language(7)
			set.Trace, set.Reads = true, true
			base, ds := compileText("site.pp", r.text, set)
			if ds.HasErrors() || base.Failure != nil {
				t.Fatal(ds, base.Failure)
			}
			before, err := mutate.Look(base)
			if err != nil {
				t.Fatal(err)
			}
			tree, _ := syntax.Parse(source.NewFile("site.pp", r.text), syntax.Options{})
			places := &mutate.Places{}
			check := func(what string, list []mutate.Violation) {
				for _, v := range list {
					t.Errorf("%s: %s", what, v)
				}
			}
			_, bad := places.Where(base, nil, func(string) {})
			check("where", bad)
			compared := 0
			list := mutate.InManifest(tree, "site.pp", &mutate.Hints{Pool: []string{"settings"}})
			for _, p := range list {
				if more := p.With(r.text, namesIn(tree)); more != nil {
					list = append(list, more)
				}
			}
			for _, p := range list {
				for i := range p.Choices() {
					res, ds := compileText("site.pp", p.Apply(r.text, i), set)
					if ds.HasErrors() {
						continue
					}
					what := p.Describe(r.text, i)
					if res.Failure != nil {
						if v, ok := mutate.Fails(res, p); !ok {
							check(what, []mutate.Violation{v})
						}
						check(what, mutate.Refused(before, res, p).Violations)
						continue
					}
					after, err := mutate.Look(res)
					if err != nil {
						t.Fatal(err)
					}
					compared++
					check(what, mutate.Compare(before, after, p).Violations)
					_, bad := (&mutate.Places{}).Where(res, func(k provenance.LabelKey) bool { return k == p.Is.Key }, func(string) {})
					check(what, bad)
				}
			}
			if compared == 0 {
				t.Error("no mutant compiles")
			}
		})
	}
}

// namesIn are the classes and strings of a program: each may stand wherever a string does.
func namesIn(tree *syntax.File) (names []string) {
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Class:
				names = append(names, n.Name)
			case *syntax.Str:
				names = append(names, n.Value)
			}
			return true
		})
	}
	return names
}
