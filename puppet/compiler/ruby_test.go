package compiler_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/value"
)

func inspect(v value.Value) string { return value.Inspect(v) }

func needRuby(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ruby"); err != nil {
		live.Puppet(t)
	}
}

var rubyModule = map[string]string{
	"modules/m/lib/puppet/functions/m/add.rb": "Puppet::Functions.create_function(:'m::add') { def add(a, b) = a + b }\n",
	"modules/m/lib/puppet/parser/functions/m_old.rb": "module Puppet::Parser::Functions; newfunction(:m_old, type: " +
		":rvalue) { |a| lookupvar('top') + a[0] }; end\n",
	"modules/m/templates/hard.erb": "<% require 'set' -%>\n<%= ObjectSpace.respond_to?(:each_object) %> <%= " +
		"Set.new(@list).size %> <%= scope['top'] %> <%= scope.call_function('upcase', ['x']) %> <%= " +
		"scope.function_m_old(['!']) %>\n",
	"modules/m/templates/wrong.erb": "a\n<% require 'set'; raise ObjectSpace.name %>\n",
	"modules/m/manifests/init.pp":   "class m($p = m::add(20, 22)) { notify { 'class': message => $p } }\n",
	"manifests/site.pp": "$top = 'T'\n$list = [1, 1, 2]\ninclude m\nnotify { 'sum': message => m::add(1, 2) " +
		"}\nnotify { 'old': message => m_old('x') }\nnotify { 'hard': message => template('m/hard.erb') }\n",
}

func with(extra map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range []map[string]string{rubyModule, extra} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// With Ruby, functions and hard templates give what they give in Puppet; without, their values are not known, and the
// compile says so.
func TestRuby(t *testing.T) {
	needRuby(t)
	r := siteOf(t, rubyModule, compiler.Options{Ruby: compiler.RubySystem})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	for title, want := range map[string]string{"sum": "3", "old": `"Tx"`, "hard": `"true 2 T X T!\n"`, "class": "42"} {
		if got := inspect(r.Catalog.Resource("Notify", title).Get("message")); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
	if n := len(r.Unknowns()); n != 0 {
		t.Errorf("%d values are not known", n)
	}
	r = siteOf(t, with(map[string]string{"manifests/site.pp": "$x = template('m/wrong.erb')"}),
		compiler.Options{Ruby: compiler.RubySystem})
	if r.Failure == nil || !strings.Contains(r.Failure.Summary, "Line: 2\n  Detail: ObjectSpace") {
		t.Error(r.Failure)
	}
	r = siteOf(t, rubyModule, compiler.Options{Ruby: compiler.RubyOff})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	var names []string
	for _, u := range r.Unknowns() {
		names = append(names, u.Function+" "+filepath.Base(u.Place.String()))
	}
	if got := strings.Join(names,
		", "); got != "m::add init.pp:1:14, m::add site.pp:4:28, m_old site.pp:5:28, template site.pp:6:29" {
		t.Error(got)
	}
	last := r.Warnings[len(r.Warnings)-1]
	if last.Code != compiler.CodeUnknown || !strings.Contains(last.Summary, "4 values are not known, in 5 attributes") ||
		!strings.Contains(last.Help, "--ruby=system") {
		t.Errorf("%+v", last)
	}
	r = siteOf(t, rubyModule, compiler.Options{StrictOpaque: true})
	if r.Failure == nil || r.Failure.Code != compiler.CodeStrictUnknown || r.Catalog != nil {
		t.Error(r.Failure)
	}
}

// By default functions run in our own interpreter. What needs real Ruby is not known, and the compile says so.
func TestRubyOwn(t *testing.T) {
	for _, trace := range []bool{false, true} {
		r := siteOf(t, rubyModule, compiler.Options{Trace: trace})
		if r.Failure != nil {
			t.Fatal(r.Failure)
		}
		for title, want := range map[string]string{"sum": "3", "old": `"Tx"`, "class": "42"} {
			if got := inspect(r.Catalog.Resource("Notify", title).Get("message")); got != want {
				t.Errorf("%s: %s, want %s", title, got, want)
			}
		}
		if us := r.Unknowns(); len(us) != 1 || us[0].Function != "template" {
			t.Errorf("%+v", us)
		}
	}
}

// State that Ruby code leaves behind (globals, constants, variables of classes and functions) is seen by later calls of
// the same compile and by no other compile.
func TestRubyState(t *testing.T) {
	files := map[string]string{
		"modules/m/lib/puppet/functions/m/count.rb": `
class MCounter
  LIST = []
  @@n = 0
  def self.next = @@n += 1
end
Puppet::Functions.create_function(:'m::count') do
  def count(x)
    $m_seen = ($m_seen || 0) + 1
    @own = (@own || 0) + 1
    MCounter::LIST << x
    [MCounter.next, $m_seen, @own, MCounter::LIST.dup]
  end
end
`,
		"manifests/site.pp": "$a = m::count('a')\n$b = m::count('b')\nnotify { 'x': message => \"${a} ${b} " +
			"${inline_template('<%= $m_seen %>')}\" }\n",
	}
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, files)
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r, err := c.Compile(context.Background(), compiler.Node{Name: "n"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Failure != nil {
			t.Fatal(r.Failure)
		}
		if got := inspect(r.Catalog.Resource("Notify", "x").Get("message")); got != `"[1, 1, 1, [a]] [2, 2, 2, [a, b]] 2"` {
			t.Error(got)
		}
	}
}

// What Ruby code changes in place is seen by everybody who holds it (testdata/languages/changed.txtar). Where that
// cannot be followed, nobody says what comes of it.
func TestRubyChanges(t *testing.T) {
	r := siteOf(t, map[string]string{
		"modules/m/lib/puppet/functions/m/add.rb": "Puppet::Functions.create_function(:'m::add') " +
			"{ def add(a, x) = a << x }\n",
		"modules/m/lib/puppet/functions/m/stop.rb": "Puppet::Functions.create_function(:'m::stop') do\n" +
			"  def stop(a)\n    a << 1\n    `ls`\n  end\nend\n",
		"hiera.yaml":       "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n",
		"data/common.yaml": "c: {in: [1]}\n",
		"manifests/site.pp": `
$through = [1, 2]
$alias = $through
$map = $through.map |$x| { if $x < 5 { m::add($through, $x + 2) }; $x }
notify { 'through': message => $alias }
notify { 'map': message => $map }
$stopped = ['a']
$holds = {'in' => [$stopped]}
$text = inline_template('<% @stopped << 1; x = %x(ls) %>')
notify { 'stopped': message => $stopped }
notify { 'holds': message => $holds['in'][0] }
$one = lookup('c')
$other = lookup('c.in')
m::add($one['in'], 2)
notify { 'other': message => $other }
$known = lookup('c')
notify { 'known': message => $known['in'] }
$by_function = ['b']
$f = m::stop($by_function)
notify { 'by_function': message => $by_function }
`,
	}, compiler.Options{})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	for _, title := range []string{"through", "map", "stopped", "holds", "other", "known", "by_function"} {
		v := r.Catalog.Resource("Notify", title).Get("message")
		if _, open := v.(*value.Opaque); open == (title == "known") {
			t.Errorf("%s: %s", title, inspect(v))
		}
	}
}

// Whoever holds an array that a template pushes to, or would have, depends on what decides whether it does.
func TestRubyChangesDecided(t *testing.T) {
	for _, on := range []string{"yes", "no"} {
		r := siteOf(t, map[string]string{
			"modules/m/templates/x.erb": "<% @l.push(1) %>",
			"manifests/site.pp": "class c($l = []) { }\ninclude c\nclass d {\n  $l = $c::l\n  $push = '" + on + "'\n" +
				"  if $push == 'yes' { notify { 's': message => template('m/x.erb') } }\n}\ninclude d\n" +
				"notify { 'n': message => $c::l }\n",
		}, compiler.Options{Trace: true})
		if r.Failure != nil {
			t.Fatal(r.Failure)
		}
		decides := func(typ, title, attr string) bool {
			for _, p := range r.Catalog.Resource(typ, title).Params {
				for _, l := range r.Trace.Depends(p.Ref) {
					if p.Name == attr && l.Place.Known() && l.Place.Line() == 5 {
						return true
					}
				}
			}
			return false
		}
		if !decides("Notify", "n", "message") || !decides("Class", "C", "l") {
			t.Errorf("what decides that nothing is pushed is not known, with %s", on)
		}
	}
}

// Values that are not known, everywhere: nothing crashes, nothing is guessed in silence.
func TestUnknownEverywhere(t *testing.T) {
	for name, text := range map[string]string{
		"condition": "if $o { notice(1) } elsif $o == 1 { notice(2) } unless $o { notice(3) } case $o { 1: { notice(4) } " +
			"$o: { notice(5) } default: { notice(6) } } $x = $o ? { 1 => 2, default => 3 } $y = ($o and $o) $z = !$o",
		"text":  "notify { \"a${o}\": } notify { 'x': message => @(\"E\") }\n  ${o} ${o['a']}\n  | E\n",
		"title": "file { $o: ensure => file } file { [$o, '/a']: ensure => file } @notify { $o: } realize(Notify[$o])",
		"keys": "$h = { $o => 1, 'a' => $o } $x = $h['a'] $y = $h[$o] $z = $h + { $o => 2 } $w = keys($h) notify { " +
			"'x': message => $h }",
		"parameters": "class c(Integer[1,2] $p, Optional[String] $q = undef) { notify { \"c${p}\": } } class { 'c': p => " +
			"$o, q => $o }",
		"define": "define d(Enum['a'] $p) { notify { \"${title}${p}\": } } d { 'x': p => $o } d { $o: p => 'a' }",
		"function": "function f(Integer $x) >> Integer { $x } $x = f($o) $y = $o.each |$e| { $e } $z = [1, $o].map |$e| { " +
			"$e + 1 } $w = $o.map |$e| { 1 }",
		"include":   "include $o contain $o require $o",
		"relation":  "notify { 'a': require => $o } -> notify { 'b': } Notify['a'] -> $o",
		"collector": "Notify <| title == $o |> notify { 'a': } Notify <| |> { message => $o }",
		"splat":     "notify { 'a': * => $o } $x = [*$o] notice(*$o)",
		"types":     "$x = $o =~ Integer $y = Integer($o) $z = Array[Integer, $o] $w = type($o)",
		"resources": "create_resources('notify', $o) create_resources('notify', { 'a' => $o }) create_resources($o, {})",
		"lookup":    "$x = lookup($o) $y = lookup('k', { 'default_value' => $o })",
		"access":    "$x = [1, 2][$o] $y = $o[0, 1] $z = { 'a' => { 'b' => 1 } }.dig('a', $o) $w = $o.dig('a')",
		"defaults":  "Notify { message => $o } notify { 'a': } notify { 'b': message => undef }",
		"match":     "$x = $o =~ /(a)/ $y = $1 $z = 'a' =~ $o $w = $o in [1] $v = 1 in $o",
		"erb": "notify { 'a': message => inline_template('<%= @o %> <%= @o.class %>') } notify { 'b': message => " +
			"inline_epp('<%= $o %>') }",
		"logs":      "notice($o) warning(\"x ${o}\") fail_unless($o)",
		"tag":       "tag($o) notify { 'a': tag => $o } notify { 'b': noop => $o }",
		"sensitive": "$x = Sensitive($o) notify { 'a': message => $x } $y = $x.unwrap",
		"node":      "$x = \"${facts}\" + $o",
	} {
		t.Run(name, func(t *testing.T) {
			r := siteOf(t, map[string]string{"modules/m/lib/puppet/parser/functions/o.rb": "",
				"modules/m/lib/puppet/parser/functions/fail_unless.rb": "", "manifests/site.pp": "$o = o()\n" + text},
				compiler.Options{Ruby: compiler.RubyOff})
			if r.Failure != nil && !strings.Contains(r.Failure.Summary, "not known") &&
				!strings.Contains(r.Failure.Summary, "written in Ruby") && !allowedFailure[name] {
				t.Errorf("%s", r.Failure.Summary)
			}
			if r.Failure == nil && len(r.Unknowns()) == 0 {
				t.Error("nothing is said to be unknown")
			}
		})
	}
}

// allowedFailure are programs that are wrong whatever the value is.
var allowedFailure = map[string]bool{"node": true}

// What objects of Puppet's can do there and not here is not known; that there is no such method is not said of them.
func TestPartial(t *testing.T) {
	for _, asks := range []string{
		"closure_scope.environment.known_resource_types.find_hostclass('m').nil?",
		"Puppet::Module.find('m').dependencies_as_modules.size",
		"Puppet::Util.uri_query_encode('a b')",
		"Puppet.lookup(:current_environment).manifest",
		"Puppet::Resource.new('File', '/a').builtin?",
	} {
		r := siteOf(t, map[string]string{"modules/m/lib/puppet/functions/m/f.rb": "Puppet::Functions." +
			"create_function(:'m::f') { def f; (" + asks + ").to_s; end }",
			"manifests/site.pp": "notify { 'a': message => m::f() }"},
			compiler.Options{Ruby: compiler.RubyOwn})
		if r.Failure != nil || len(r.Unknowns()) == 0 {
			t.Errorf("%s: %v", asks, r.Failure)
		}
	}
}

// Answers that are written down come before anything else.
func TestMocks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mocks.yaml": `
- function: m::add
  arguments: [1, 2]
  result: {a: [1, {__ptype: Sensitive, __pvalue: s}]}
- {function: m::add, arguments: [20, 22], result: 42}
- {function: m_old, error: out of order}
- {function: template, arguments: [m/hard.erb], result: text}
- {function: unheard_of, result: 5}
- {function: never_called, result: 1}
`})
	mocks, err := compiler.ReadMocks(filepath.Join(dir, "mocks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	files := with(map[string]string{"manifests/site.pp": "include m\nnotify { 'sum': message => m::add(1, 2) }\nnotify " +
		"{ 'other': message => m::add(3, 4) }\nnotify { 'new': message => unheard_of('x') }\nnotify { 'hard': message => " +
		"template('m/hard.erb') }"})
	r := siteOf(t, files, compiler.Options{Mocks: mocks, Trace: true, Ruby: compiler.RubyOff})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	for title, want := range map[string]string{"sum": `{"a"=>[1, #<Sensitive [value redacted]>]}`, "class": "42",
		"new": "5", "hard": `"text"`} {
		if got := inspect(r.Catalog.Resource("Notify", title).Get("message")); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
	if us := r.Unknowns(); len(us) != 1 || us[0].Function != "m::add" {
		t.Errorf("%+v", us)
	}
	r = siteOf(t, with(map[string]string{"manifests/site.pp": "$x = m_old(1)"}), compiler.Options{Mocks: mocks})
	if r.Failure == nil || !strings.Contains(r.Failure.Summary, "out of order") {
		t.Error(r.Failure)
	}
	c, err := compiler.NewWorkspace(dir, compiler.Options{Mocks: mocks}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if ds := c.UnusedMocks(); len(ds) != 1 || !strings.Contains(ds[0].Summary, "never_called") || ds[0].Place.Line() != 9 {
		t.Errorf("%v", ds)
	}
	for text, want := range map[string]string{
		"a: 1": "list of entries", "- 1": "is a hash", "- {function: 1, result: 1}": "name of one",
		"- {function: f}": "without result", "- {result: 1}": "without function",
		"- {function: f, result: 1, error: x}": "both", "- {function: f, results: 1}": `no "results"`,
		"- {function: f, arguments: 1, result: 1}": "is a list", "- function: f\n  result: :sym": "cannot be given",
		"- [": "",
	} {
		write(t, dir, map[string]string{"bad.yaml": "\n" + text + "\n"})
		_, err := compiler.ReadMocks(filepath.Join(dir, "bad.yaml"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
