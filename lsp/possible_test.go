package lsp_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// flows are ways to name things that take more than one step, as usages: each is a reference that may be one. Those
// that begin with = are certain, and are renamed.
var flows = map[string][]string{
	"class": {"$list = ['%s']\n  $list.each |$c| { include $c }", "$c = $x ? { 1 => '%s', default => 'y' }\n  include $c",
		"if $x { $c = '%s' } else { $c = 'y' }\n  include $c", "$c = if $x { '%s' } else { 'y' }\n  include $c",
		"$c = case $x { 1: { '%s' } default: { 'y' } }\n  include $c", "$a = '%s'\n  $c = $a\n  include $c",
		"include pick($x, '%s')", "include lookup('k', Array, 'unique', ['%s'])",
		"include(lookup('k', { default_value => '%s' }))", "include flatten([$x, ['%s']])",
		"include(['%s'].filter |$c| { $c != 'x' })", "'%s'.then |$c| { include $c }", "with('%s') |$c| { include $c }",
		"include([1].map |$i| { '%s' })", "=Class <| title == '%s' |>", "$h = { 'require' => 'Class[%s]' }",
		"$h = { 'require' => \"Class['%S']\" }", "$h = { 'k' => { 'before' => ['Class[::%s]'] } }",
		"include $x['a']['%s']", "=$c = \"%s\"\n  include($c)", "=$c = %s\n  include $c",
		"=[%s, x].each |$c| { include $c }",
		"=$m = { '%s' => {} }\n  create_resources('class', $m)",
		"$m = { %s => {} }\n  $m.each |$c, $v| { class { $c: * => $v } }",
		"web::inc('%s')", "web::inc { '%s': }", "web::inc { 't': class => '%s' }",
		"$c = split('%s x::y', ' ')\n  include $c",
		"$c = '%s,x::y'.split(',')\n  include $c", "=ensure_resource('class', '%s', {})",
		"$c = @(END)\n    %s\n    | END\n  include $c",
		"$x = [['%s', 1]].each |$p| { include $p[0] }", "notify { 'x': tag => '%s' }",
		"function zz_unreached::f() { '%s' }", "$x = { a => '::%s' }.map |$k, $v| { include $v }",
		"Resource[$t, '%s'] -> Notify['x']",
		"erb:<%% ['%s', 'x'].each { |c| scope.call_function('include', [c]) } %>", "erb:<%% %w[x %s].each { |c| f(c) } %>",
		"epp:<%% $c = ['%s'] $c.each |$d| { include $d } %>", "yaml:roles:\n  a: { b: ['%s'] }", "yaml:roles: %s",
		"yaml:k:\n  %s:\n    port: 3", "yaml:k: 'Class[%s]'", "yaml:k: \"%s x::y\"", "=yaml:classes: ['::%s']",
		"$c = sprintf('%o::%s', $x)\n  include $c\n  $d = '%s'",
		"rb:# x's\ncall_function('include', '%s')",
		"$q = \"resources{type='Class' and title='%S'}\"", "plan:steps:\n  - eval: \"%s\""},
	"define": {"$t = $x ? { 1 => '%s', default => 'file' }\n  create_resources($t, $h)", "web::make('%s', $h)",
		"$t = { '%s' => {} }\n  $t.each |$k, $v| { create_resources($k, $v) }", "=Resource['%s'] { 't': }",
		"$h = { 'require' => '%S[t]' }", "$h = { 'require' => '::%S[\"t\"]' }",
		"['%s'].each |$t| { Resource[$t] { 'x': } }",
		"=ensure_resource('%s', 't')", "$t = '@@%s'\n  web::make($t, {})", "yaml:k: '%S[t]'", "yaml:types: ['%s']",
		"$q = ['=', 'type', '%S']", "rb:call_function('create_resources', '%s', {})"},
	"alias": {"=$x = [1].map |$y| >> %S { $y }", "yaml:lookup_options:\n  a: { convert_to: '%S' }",
		"yaml:lookup_options:\n  a: { convert_to: 'Array[%S]' }",
		"yaml:lookup_options:\n  a: { convert_to: ['Optional[%S, 1]', x] }",
		"=$t = '%S'\n  $x = assert_type($t, 1)", "=$t = 'Variant[Integer, %S]'\n  $x = Type($t)",
		"$x = lookup('k', { value_type => '%S' })",
		"rb:dispatch :f do\n  param 'Array[%S]', :x\nend"},
	"function": {"=$f = '%s'\n  $x = call($f, 1)", "=$x = ['%s'].map |$f| { call($f) }",
		"=$x = stdlib::has_function('%s')",
		"=run_plan('%s')", "=$x = Deferred($x ? { 1 => '%s', default => 'y' }, [])", "yaml:k: '%s'",
		"erb:<%% f = '%s'; scope.call_function(f, []) %>", "rb:call_function('%s')",
		"plan:steps:\n  - plan: %s"},
	"parameter": {"=$v = '%s'\n  $x = getvar($v)", "=['%s', 'x'].each |$v| { notice(getvar($v)) }",
		"=$v = '%s.a'\n  $x = getvar($v)", "=$v = '::%s'\n  $x = getvar($v)",
		"$k = $x ? { 1 => '%s', default => 'y' }\n  $x = lookup($k)",
		"function zz_unreached::data() { { '%s' => 1 } }", "=$x = lookup(\"'%s'.a\")", "=$x = lookup('\"%s\"')",
		"=yaml:a: '%{lookup(''%s'')}'", "=yaml:a: \"%{lookup('%s.a.b')}\"", "=yaml:a: '%{scope(''%s'')}'",
		"Class <| title == '%o' |> { %p => 3 }", "Class <| |> { %p => 3 }", "class { $c: %p => 3 }",
		"class { ['%o', 'x']:\n    %p => 3 }", "Class[$c] { %p => 3 }", "class { $c: * => { '%p' => 3 } }",
		"Class <| %p == 3 |>",
		"=ensure_resource('class', '%o', { '%p' => 1 })", "[$%p, $host] = Class['%o']", "$r = Class['%o']\n  $x = $r['%p']",
		"$r = [Class['%o']]\n  $r.each |$c| { notice($c['%p']) }", "with(Class['%o']) |$r| { notice($r['%p']) }",
		"Class['%o'].then |$r| { notice($r[%p]) }", "$r = Class['%o']\n  [$%p] = $r",
		"$r = Class['%o']\n  $x = getparam($r, '%p')",
		"=$h = { '%o' => { '%p' => 1 } }\n  create_resources('class', $h + $x)",
		"$h = { '%o' => { '%p' => 1 } }\n  $h.each |$c, $v| { class { $c: * => $v } }",
		"$h = $x ? { 1 => { '%p' => 1 }, default => {} }\n  class { '%o': * => $h }",
		"$c = '%o'\n  class { $c:\n    %p => 1 }",
		"erb:<%% ['%s'].each { |v| scope[v] } %>", "erb:<%% k = \"%s\" %><%%= scope.lookupvar(k) %>", "yaml:a: ['%s']",
		"yaml:a:\n  %s: 1", "yaml:k:\n  %o:\n    %p: 3",
		"=['%p'].each |$a| { notice(Class['%o'][$a]) }", "$a = ['%p', 'x']\n  $a.each |$v| { notice(getvar(\"%o::${v}\")) }",
		"$k = \"%o::${x}\"\n  $x = lookup($k)", "rb:closure_scope['%s']"},
	"attribute": {"=Resource['%o'] { 't': %p => 1 }", "$t = '%o'\n  create_resources($t, { 't' => { '%p' => 1 } })",
		"$h = { 't' => { '%p' => 1 } }\n  $h.each |$k, $v| { %o { $k: * => $v } }",
		"$h = { 't' => { %p => 1 } } + $x\n  create_resources('%o', $h.filter |$k, $v| { true })",
		"$h = if $x { { '%p' => 1 } } else { {} }\n  %o { 't': * => $h }", "$r = %O['t']\n  $x = $r['%p']",
		"Resource[$t] { 't': %p => 1 }", "ensure_resource('%o', 't', $x.then |$y| { { '%p' => 1 } })",
		"$h = $x['y']\n  %o { 't': * => $h }\n  $z = { '%p' => 1 }"},
	"Hiera key": {"$k = $x ? { 1 => '%s', default => 'y' }\n  $x = lookup($k)",
		"=['%s'].each |$k| { notice(lookup($k)) }",
		"=$x = lookup(\"'%s'.a\")", "=$k = '%s.a'\n  $x = lookup($k)", "web::get('%s')",
		"function zz_unreached::data() { { '%s' => 1 } }",
		"=yaml:other: '%{lookup(''%s'')}'", "=yaml:other: \"%{lookup('%s.a')}\"", "=yaml:other: '%{alias(\"%s\")}'",
		"$x = { 'a' => \"%{lookup('%s')}\" }", "erb:<%% ['%s'].each { |k| scope.call_function('lookup', [k]) } %>"},
	"EPP parameter": {"$t = $x ? { 1 => '%o', default => 'y' }\n  $x = epp($t, { '%p' => 1 })",
		"$h = $x ? { 1 => { '%p' => 1 }, default => {} }\n  $y = $h\n  $x = epp('%o', $y)"},
}

// TestPossibleReferences: what names a thing in more than one step is a reference of it, and keeps it from being
// renamed unless it is certain.
func TestPossibleReferences(t *testing.T) {
	base, all, _ := unreached()
	maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
	to := map[string]string{"class": "web::xx", "define": "web::yy", "function": "web::zz", "alias": "Web::Ww",
		"Hiera key": "other_key"}
	words := map[string]string{"class": "web::x", "define": "web::y", "function": "web::z", "alias": "Web::W",
		"Hiera key": "some_key"}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		uses := flows[kind]
		if kind == "class" { // of a qualified name
			uses = append(slices.Clone(uses), "$c = \"%o::${x}\"\n  include $c", "yaml:k: \"%o::%{facts.role}\"",
				"erb:<%% c = \"%o::#{x}\" %>")
		}
		if kind == "attribute" {
			uses = append(slices.Clone(uses), "yaml:things:\n  t:\n    %p: 1") // if something opens the define
		}
		for i, use := range uses {
			use, certain := strings.CutPrefix(use, "=")
			x := all[kind]
			word, name := "size", "width"
			if to[kind] != "" {
				word, name = words[kind], to[kind]
			}
			files := maps.Clone(base)
			file, text, line := planted(use, x, i)
			files[file] = text
			if kind == "attribute" && !certain {
				files["modules/web/manifests/open.pp"] = "class web::open ($h) {\n  create_resources('web::y', $h)\n}\n"
			}
			x.at = uint32(strings.Index(files[x.file], word))
			n := navigate(t, files)
			if !n.referencesOf(x, files[x.file])[stand{file, line}] {
				t.Errorf("%s: no reference in\n%s", kind, text)
			}
			if _, why := n.renameIn(x.file, word, 1, name); (why == "") != certain {
				t.Errorf("%s: renamed with %q in\n%s", kind, why, text)
			}
			n.bye()
		}
	}
}

// TestRenderedSomehow: the variables of a template are those of who renders it, also if the name is computed, or
// another template does; and may be those of who renders one that the code does not name. A class has what it inherits.
func TestRenderedSomehow(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"modules/web/manifests/x.pp": "class web::x ($kind) {\n  $port = 1\n  $mode = 2\n" +
			"  $x = template(\"web/x-${kind}.erb\")\n}\n",
		"modules/web/manifests/y.pp": "class web::y inherits web::x {\n  $z = $web::y::port\n}\n",
		"modules/web/manifests/u.pp": "class web::u ($t) {\n  $host = 1\n  $x = template($t)\n  notice($web::y::host)\n}\n",
		"modules/web/templates/x-a.erb": "<%= @port %>\n<%= scope.function_template(['web/part.erb']) %>\n" +
			"<% %w[mode kind].each do |v| %><%= scope[v] %><% end %>\n",
		"modules/web/templates/part.erb": "<%= @port %>\n",
		"modules/web/templates/some.erb": "<%= @host %>\n"})
	for _, x := range []struct {
		word, file, why string
		want            []string
	}{
		{"port", "modules/web/manifests/x.pp", "", []string{"modules/web/manifests/x.pp:2:4",
			"modules/web/manifests/y.pp:2:9",
			"modules/web/templates/part.erb:1:6", "modules/web/templates/x-a.erb:1:6"}},
		{"mode", "modules/web/manifests/x.pp", "x-a.erb:3 has mode as a text", []string{"modules/web/manifests/x.pp:3:4",
			"modules/web/templates/x-a.erb:3:7"}},
		{"host", "modules/web/manifests/u.pp", "some.erb:1 has host", []string{"modules/web/manifests/u.pp:2:4",
			"modules/web/templates/some.erb:1:6"}},
	} {
		ask := n.pos(x.file, x.word, 1)
		ask["context"] = map[string]any{"includeDeclaration": true}
		if got := n.places(n.ask("textDocument/references", ask)); !slices.Equal(got, x.want) {
			t.Errorf("%s:\n got %q\nwant %q", x.word, got, x.want)
		}
		if _, why := n.renameIn(x.file, x.word, 1, "zz"); (why == "") != (x.why == "") || !strings.Contains(why, x.why) {
			t.Errorf("%s: %s", x.word, why)
		}
	}
	n.bye()
}

// TestNoReferences: what looks like a name and cannot be the thing is no reference of it; what is in comments and
// queries is one.
func TestNoReferences(t *testing.T) {
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "plain: 1\nother: \"%{literal('%')}{plain}\"\nthird: \"%{lookup('plain')}\"\n" +
			"deep:\n  web::port: 3\n",
		"facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp": "@package { 'vim': }\nPackage <| title == 'vim' or tag == 'x' |>\nrealize(Package['vim'])\n" +
			"concat::fragment { \"web::${x}\": }\n\"web::${x}\".include\n",
		"modules/web/manifests/init.pp": "# @param port where it listens\n# @param other\n" +
			"class web (Web::Port $port = 1) {}\n",
		"modules/web/manifests/fragment.pp": "define web::fragment {}\n",
		"modules/web/types/port.pp":         "type Web::Port = Integer\n",
	})
	n.rest()
	for _, x := range []struct {
		file, text string
		want       []string
	}{
		{"modules/web/types/port.pp", "Web::Port", []string{"modules/web/manifests/init.pp:3:12",
			"modules/web/types/port.pp:1:6"}},
		{"data/common.yaml", "plain", []string{"data/common.yaml:1:1", "data/common.yaml:3:19"}},
		{"modules/web/manifests/fragment.pp", "web::fragment", []string{"modules/web/manifests/fragment.pp:1:8"}},
		{"manifests/site.pp", "vim", []string{"manifests/site.pp:1:13", "manifests/site.pp:2:22",
			"manifests/site.pp:3:18"}},
		{"modules/web/manifests/init.pp", "port =", []string{"data/common.yaml:5:3", "modules/web/manifests/init.pp:1:10",
			"modules/web/manifests/init.pp:3:23"}},
	} {
		ask := n.pos(x.file, x.text, 1)
		ask["context"] = map[string]any{"includeDeclaration": true}
		if got := n.places(n.ask("textDocument/references", ask)); !slices.Equal(got, x.want) {
			t.Errorf("%s:\n got %q\nwant %q", x.text, got, x.want)
		}
	}
	n.bye()
}
