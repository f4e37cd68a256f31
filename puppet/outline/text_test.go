package outline_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// TestNamesInText: what code names by a text. Names that are marked are found where they stand, of the kind that is
// said: c class, t type, v variable or parameter, f function, k key, T template, F file, l local, r resource. ! is
// before a text that names nothing.
func TestNamesInText(t *testing.T) {
	kinds := map[outline.NameKind]string{outline.ClassName: "c", outline.TypeName: "t", outline.VariableName: "v",
		outline.FunctionName: "f", outline.KeyName: "k", outline.TemplateName: "T", outline.FileName: "F",
		outline.LocalName: "l", outline.ResourceName: "r"}
	for _, code := range []string{
		`$x = getvar('«v a::b»')`, `$x = getvar('::«v a::b».c.0')`, `$x = '«v a::b»'.getvar`, `$x = getvar("«v a::b»", 1)`,
		`$x = defined('«ct a::b»', '«ct a::d»')`, `$x = defined('$«v a::b»')`, `$x = defined('$::«v a::b»')`,
		`$x = tagged('«ct a::b»', «ct a::b»)`, `File <| tag == '«ct a::b»' |>`, `File <| title == '«r File[a::b]:a::b»' |>`,
		`Resource <| title == '!a::b' |>`,
		`Resource['«t a::d»', '«r A::D[x]:x»'] -> X['y']`, `Resource['«t a::d»']['«r A::D[x]:x»'] -> X['y']`,
		`Resource[«t A::D», 'x'] -> X['y']`, `Resource['class', '«c a::b»'] -> X['y']`,
		`$x = Class['«c a::b»', «c a::c»]`, `$x = Class[['«c a::b»', '::«c a::c»']]`, `$x = Class['«c A::B»']`,
		`$x = «t A::D»['t']['«v a::d::port:port»']`, `$x = Class['«c a::b»']['«v a::b::port:port»']`,
		`$x = Resource['«t a::d»', 't']['«v a::d::port:port»']`,
		`$x = call('«f a::f»', 1)`, `$x = call('«f lookup»', '«k a::b»')`, `$x = is_function_available('«f a::f»')`,
		`$x = Deferred('«f a::f»', [1])`, `$x = Deferred('«f lookup»', ['«k a::b»'])`, `$x = Deferred.new('«f a::f»')`,
		`$x = new(Deferred, '«f a::f»')`,
		`include '«c a::b»', ['«c a::c»', ['::«c a::e»']]`, `contain(Class['«c a::b»'])`, `require «c a::b»`,
		`$x = ['«c a::b»', '«c a::c»'] include $x`, `['«c a::b»'].each |$c| { include $c }`,
		`class q($list = ['«c a::b»']) { include $list }`, `include(if $x { '«c a::b»' } else { '«c a::c»' })`,
		`include(case $x { 1: { '«c a::b»' } default: { '«c a::c»' } })`, `include $x ? { 1 => '«c a::b»' }`,
		`include ['«c a::b»'] + ['«c a::c»']`,
		`$x = lookup('«k a::b»')`, `$x = lookup(['«k a»', '«k b»'])`, `$x = lookup({'name' => '«k a::b»'})`,
		`$x = lookup('«k a»', {'default_values_hash' => {'«k a::b»' => 1}, 'override' => {'«k c»' => 1}})`,
		`$x = hiera('«k a::b»', 1)`, `$x = hiera_array('«k a::b»')`, `$x = hiera_hash('«k a::b»')`,
		`hiera_include('«k a::b»')`,
		`$x = assert_type('Array[«t A::T»]', 1)`, `$x = Type('«t A::T»')`, `$x = Type.new("Enum['!A::B', «t A::T»]")`,
		`validate_legacy('«t A::T»', '«f a::f»', 1)`,
		`create_resources('«t a::d»', {'!x' => {'«v a::d::port:port»' => 1}}, {'«v a::d::port:port»' => 2})`,
		`create_resources('@@«t a::d»', {}, {«v a::d::port:port» => 2})`,
		`create_resources('class', {'«c a::b»' => {'«v a::b::port:port»' => 1}})`,
		`$d = {'«v a::d::port:port»' => 2} create_resources(«t a::d», $h, $d)`,
		`$d = {'x' => {'«v a::d::port:port»' => 2}} create_resources('«t a::d»', $d)`,
		`ensure_resource('«t a::d»', '!x', {'«v a::d::port:port»' => 1})`,
		`ensure_resources('«t A::D»', {'x' => {'«v a::d::port:port»' => 1}}, {'«v a::d::mode:mode»' => 1})`,
		`defined_with_params(«t A::D»['x'], {'«v a::d::port:port»' => 1})`,
		`defined_with_params('«t A::D»[«r A::D[x]:x»]', {'«v a::d::port:port»' => 1})`,
		`$x = getparam(«t A::D»['x'], '«v a::d::port:port»')`, `$x = getparam(Class['«c a::b»'], '«v a::b::port:port»')`,
		`$x = stdlib::str2resource('«t A::D»[x]')`, `realize('«t A::D»[x]', «t A::D»['y'])`, `realize("Class[«c a::b»]")`,
		`notify { 'x': require => ['«t A::D»[x]', 'Class[::«c a::b»]'], message => '!A::D[x]' }`,
		`a::d { 'x': * => {'«v a::d::port:port»' => 1} }`, `a::d { default: * => {«v a::d::port:port» => 1} ; 'x': }`,
		`class { 'a::b': * => {'«v a::b::port:port»' => 1} }`, `A::D['x'] { * => {'«v a::d::port:port»' => 1} }`,
		`class { 'a::b': * => {'«v a::b::port:port»' => 1} + $x + {'«v a::b::mode:mode»' => 1} }`,
		`a::d { 'x': * => merge($x, {'«v a::d::port:port»' => 1}) }`,
		`$x = {'«v a::d::port:port»' => 1} a::d { 'x': * => $x }`, `Resource['a::d', 'x'] { «v a::d::port:port» => 1 }`,
		`Class['«c a::b»'] { «v a::b::port:port» => 1 }`,
		`A::D <| «v a::d::port:port» == 3 and (title != 'x' or «v a::d::mode:mode» != 1) |> { «v a::d::port:port» => 1 }`,
		`A::D <<| «v a::d::port:port» == $«v q» |>>`,
		`Resource['«t a::d»'] { 't': «v a::d::port:port» => 1 }`, `class { ['a::b', 'a::c']: port => 1 }`,
		`Class <| title == '«c a::b»' |> { «v *::port:port» => 1 }`,
		`class { $c: «v *::port:port» => 1, * => {'«v *::mode:mode»' => 1} }`,
		`ensure_resource('class', '«c a::b»', {'«v a::b::port:port»' => 1})`, `[$port] = Class['«c a::b»']`,
		`$x = [1].map |$y| >> «t A::T» { $y }`, `run_plan('«f a::p»')`, `$x = stdlib::has_function('«f a::f»')`,
		`$x = template("«T m/*.erb:m/${x}.erb»")`,
		`$x = epp('«T m/x.epp»', {'«l p»' => 1, '«l q»' => 2})`, `$x = epp('«T m/x.epp:m/x»')`,
		`$x = template('«T m/a»', '«T m/b»')`,
		`$x = stdlib::deferrable_epp('«T m/x.epp»', {'«l p»' => 1})`, `$x = find_template('«T m/x»')`,
		`$x = file('«F m/x»', '«F m/y»')`, `$x = find_file('«F m/x»')`, `$x = binary_file('«F m/x»')`,
		`file { '/x': source => 'puppet:///modules/«F m/x»' }`, `file { '/x': source => ['puppet:///modules/«F m/x»'] }`,

		`class q($p) { $x = inline_template('a @p <%= @«v q::p:p» %><%= scope["«v a::b»"] %>\'<%= scope[\'::«v a::c»\'] %>') }`,
		`class q($p) { $x = inline_template("\t\u{e9}\n<%= @«v q::p:p» %>${p}<%= @a${p} %>") }`,
		"class q($p) {\n$x = inline_template(@(END))\n  é\n  <%= @«v q::p:p» %>\n    <%= @«v q::p:p» %>\n  | END\n}",
		"class q($p) {\n$x = inline_template(@(\"END\"/L))\n  a\\\n  <%= @«v q::p:p» %>${p}\n  <%= @«v q::p:p» %>\n  |- END\n}",
		`class q($p) { $x = inline_epp('<%= $«v q::p:p» %><%= $«v a::b» %><% include «c a::c» %>') }`,
		`class q($p) { $x = inline_epp('<%- | $«l p», $r | -%><%= $«l p» %>', {'«l p»' => 1}) }`,
		"class q($p) {\n$x = inline_epp(@(END))\n  <% [1].each |$«l i»| { -%>\n  <%= $«l i» + $«v q::p:p» %><% } %>\n  | END\n}",
		`class q($p) { $t = '<%= @«v q::p:p» %>' $x = inline_template($t) }`,

		`class q::r { include "«c q::s:${module_name}::s»" }`, `class q { $x = template("«T q/x:${module_name}/x»") }`,
		`$a = 'web' include "«c web::s:${a}::s»"`, `include "«c web::*::s:web::${x}::s»", "!${x}::${y}"`,
		`class q { file { '/x': source => "«F q/x:puppet:///modules/${module_name}/x»" } }`,
		`$x = getvar("«v web::*:web::${x}»")`, `create_resources("«t web::*:web::${x}»", $h)`,
		`$x = lookup("«k web::*:web::${x}»")`,
		`$x = has_key($h, '!a::b')`, `$x = dig($h, '!a::b')`, `$x = get($h, '!a::b')`, `$x = '!a::b'`, `notice('!a::b')`,
		`$x = member(['!a::b'], 1)`, `$x = ensure_packages('!a::b')`,
	} {
		text, marks := unmarked(code)
		tree, list := syntax.Parse(source.NewFile("x.pp", text), syntax.Options{})
		if list.HasErrors() {
			t.Errorf("%s: %v", text, list[0])
			continue
		}
		got := map[source.Span][]string{}
		for _, n := range outline.Names(tree, func(string) outline.Effect { return 0 }) {
			if k := kinds[n.Kind] + " " + n.Name; !n.Open && !slices.Contains(got[n.Span], k) {
				got[n.Span] = append(got[n.Span], k)
			}
		}
		checkMarks(t, text, marks, got)
	}
}

// TestNamesInERB: what templates name, as TestNamesInText.
func TestNamesInERB(t *testing.T) {
	kinds := map[outline.NameKind]string{outline.ClassName: "c", outline.TypeName: "t", outline.VariableName: "v",
		outline.FunctionName: "f", outline.KeyName: "k", outline.TemplateName: "T", outline.ResourceName: "r"}
	for _, code := range []string{
		`<%= @«v x» %>`, `<% if has_variable?('«v x»') %>`, `<% if has_variable? "«v x»" %>`,
		`<% if has_variable?(:«v x») %>`,
		`<%= scope['«v a::b»'] %>`, `<%= scope["::«v a::b»"] %>`, `<%= scope.lookupvar('«v a::b»') %>`,
		`<%= scope.lookupvar '::«v a::b»' %>`, `<%= scope.to_hash['«v x»'] %>`, `<% if scope.to_hash.has_key?('«v x»') %>`,
		`<% if scope.include?('«v x»') %>`, `<% if scope.exist?('«v a::b»') %>`, `<% if scope.bound?('«v x»') %>`,
		`<%= scope.to_hash.fetch('«v x»', 1) %>`, `<% scope.setvar('«v x»', 1) %>`,
		`<%= instance_variable_get('@«v x»') %>`, `<%= instance_variable_get(:@«v x») %>`,
		`<%= scope.call_function('«f a::f»', ['!a::b']) %>`, `<%= scope.call_function('«f lookup»', ['«k a::b»']) %>`,
		`<%= scope.call_function("«f include»", ["«c a::b»", '«c a::c»']) %>`,
		`<%= scope.«function_»«f lookup»(['«k a::b»']) %>`,
		`<%= scope.function_template(['«T m/x»']) %>`, `<% scope.function_include(['«c a::b»']) %>`,
		`<% scope.function_create_resources(['«t a::d»', {}]) %>`, `<% if classes.include?('«c a::b»') %>`,
		`<% if scope.catalog.classes.include?('«c a::b»') %>`, `<% if all_tags.include?('«ct a::b»') %>`,
		`<% if scope.catalog.tagged?('«ct a::b»') %>`, `<% if scope.find_hostclass('«c a::b»') %>`,
		`<% if scope.find_definition('«t a::d»') %>`, `<% scope.findresource('«t A::D»[«r A::D[x]:x»]') %>`,
		`<% scope.findresource('Class', '«c a::b»') %>`, `<% scope.catalog.resource('Class[«c a::b»]') %>`,
		`<%= @«v x»['!a::b'] %>`, `<%= list.include?('!a::b') %>`, `<%= scope["«v a::*:a::#{x}»"] %>`, `scope['!a::b'] @x`,
	} {
		text, marks := unmarked(strings.ReplaceAll(code, "«function_»", "function_"))
		got := map[source.Span][]string{}
		for _, n := range outline.NamesERB(text) {
			got[n.Span] = append(got[n.Span], kinds[n.Kind]+" "+n.Name)
		}
		checkMarks(t, text, marks, got)
	}
}

// marked is what tells a name from how it is written.
var marked = regexp.MustCompile(`[^:]:[^:]`)

// unmarked is a text without its marks, and what they say of their places.
func unmarked(code string) (text string, marks map[source.Span][]string) {
	marks = map[source.Span][]string{}
	var b strings.Builder
	for code != "" {
		plain, rest, is := strings.Cut(code, "«")
		for { // what names nothing runs up to its quote
			before, behind, no := strings.Cut(plain, "!")
			b.WriteString(before)
			if !no || !strings.HasSuffix(before, "'") && !strings.HasSuffix(before, `"`) {
				if no {
					b.WriteString("!" + behind)
				}
				break
			}
			end := strings.IndexAny(behind, `'"`)
			marks[source.Span{Start: uint32(b.Len()), End: uint32(b.Len() + end)}] = nil
			plain = behind
		}
		if !is {
			break
		}
		mark, behind, _ := strings.Cut(rest, "»")
		what, name, _ := strings.Cut(mark, " ")
		written := name
		if i := marked.FindStringIndex(name); i != nil {
			name, written = strings.ReplaceAll(name[:i[0]+1], "*", string(outline.Hole)), name[i[1]-1:]
		}
		at := source.Span{Start: uint32(b.Len()), End: uint32(b.Len() + len(written))}
		b.WriteString(written)
		for _, k := range what {
			if k == 'c' || k == 't' {
				name = strings.ToLower(name)
			}
			marks[at] = append(marks[at], string(k)+" "+name)
		}
		code = behind
	}
	return b.String(), marks
}

func checkMarks(t *testing.T, text string, marks, got map[source.Span][]string) {
	t.Helper()
	for at, want := range marks {
		if fmt.Sprint(got[at]) != fmt.Sprint(want) {
			t.Errorf("%s\n%q at %d is %q, not %q; all: %v", text, text[at.Start:at.End], at.Start, got[at], want, got)
		}
	}
}
