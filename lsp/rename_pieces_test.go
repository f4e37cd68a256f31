package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenamePieces: names that code puts together in another place than the one that asks for them, also in code that
// no node comes to: in a variable, in a function, in the Ruby of a template. None is left behind.
func TestRenamePieces(t *testing.T) {
	const (
		n    = "modules/web/manifests/n.pp"
		o    = "modules/web/manifests/o.pp"
		y    = "modules/web/manifests/y.pp"
		fun  = "modules/web/functions/k.pp"
		ruby = "modules/web/lib/puppet/parser/functions/r.rb"
		erb  = "modules/web/templates/t.erb"
		data = "data/common.yaml"
		site = "manifests/site.pp"
	)
	class := func(body string) map[string]string {
		return map[string]string{n: "class web::n ($p = 'some') {\n  $conf = 1\n  if $facts['never'] {\n    " + body + "\n  }\n}\n"}
	}
	with := func(files map[string]string, file, text string) map[string]string {
		files[file] = text
		return files
	}
	template := func(text string) map[string]string { // one that another class renders
		return map[string]string{n: "class web::n {\n  $conf = 1\n}\n", erb: text,
			o: "class web::o ($which = 'onf', $name_of = 'x') {\n  notice(template('web/t.erb'))\n}\n"}
	}
	own := func(text string) map[string]string {
		return map[string]string{n: "class web::n ($which = 'onf') {\n  $conf = 1\n  notice(template('web/t.erb'))\n}\n",
			erb: text}
	}
	for _, c := range []struct {
		files          map[string]string
		file, word, to string
		why            string
		also, wanted   string // a file, and what it has then
	}{
		// A key of Hiera's.
		{files: class("$k = \"some_${facts['a']}\"\n    notice(lookup($k))"), why: "n.pp:4"},
		{files: class("[\"some_${facts['a']}\"].each |$k| { notice(lookup($k)) }"), why: "n.pp:4"},
		{files: class("[\"some_${facts['a']}\"].map |$k| { hiera($k) }"), why: "n.pp:4"},
		{files: class("$k = ['some', $facts['a']].join('_')\n    notice(lookup($k))"), why: "n.pp:4"},
		{files: class("$k = sprintf('some_%s', $facts['a'])\n    $l = $k\n    notice(lookup($k))"), why: "n.pp:4"},
		{files: class("$k = $facts['b'] ? { 1 => \"some_${facts['a']}\", default => 'x' }\n    notice(lookup($k))"),
			why: "n.pp:4"},
		{files: class("$l = [\"some_${facts['a']}\"]\n    $l.each |$k| { notice(lookup($k)) }"), why: "n.pp:4"},
		{files: class("notice(lookup(\"${p}_key\"))"), why: "n.pp:4"},
		{files: class("notice(lookup(\"${p}_kex\"))"), also: data, wanted: "other_key: 1"},
		{files: with(class("notice(lookup(web::k('a')))"), fun, "function web::k($v) {\n  \"some_${v}\"\n}\n"),
			why: "k.pp:2 may put the name some_key together"},
		{files: with(class("notice(lookup(web::k('a')))"), fun, "function web::k($v) {\n  ['some', $v].join('_')\n}\n"),
			why: "k.pp:2 may put the name some_key together"},
		{files: with(class("notice(lookup(web::k('a')))"), fun, "function web::k($v) {\n  sprintf('%s_key', $v)\n}\n"),
			why: "k.pp:2 may put the name some_key together"},
		{files: with(class("web::k('a')"), fun, "function web::k($v) {\n  \"some_${v}\"\n}\n"), also: data,
			wanted: "other_key: 1"}, // nothing asks for a key that it does not name
		{files: class("notice(inline_template('<% k = \"some_\" + @p %><%= scope.function_hiera([k]) %>'))"), why: "n.pp:4"},
		{files: class("notice(inline_template('<% k = \"some_\" + @p %><%= scope.call_function(\"lookup\", [k]) %>'))"),
			why: "n.pp:4"},

		// A variable, by its qualified name.
		{files: template("<% n = 'web::n::' + @which -%><%= scope[n] %>\n"), file: n, why: "t.erb:1 may put the name"},
		{files: template("<%= scope.lookupvar(['web::n',@which].join('::')) %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<%= scope[\"web::n::#{\"con\"}f\"] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<% x = \"web::n::#{\"con\"}f\" %><%= scope[x] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<% x = 'web::n::'; x << @which %><%= scope[x] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<% x = %w[web n conf].join('::') %><%= scope[x] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<% x = 'web::%s::conf' % @which %><%= scope[x] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<% x = 'web::o::' + @which %><%= scope[x] %><%= 'n' %>\n"), file: n, why: "t.erb:1 may put"},
		{files: template("<% x = 'web::o::' + @which %><%= scope[x] %>\n"), file: n, also: n, wanted: "$zconf = 1"},
		{files: template("<%= 'web::n::' + @which %>\n"), file: n, also: n, wanted: "$zconf = 1"},
		{files: template("<%% x = 'web::n::' + @which %>\n"), file: n, also: n, wanted: "$zconf = 1"},
		{files: template("<% %w[web::o::name_of].each do |v| %><%= scope[v] %><% end %>\n"), file: n, also: n,
			wanted: "$zconf = 1"},
		{files: template("<% ['web::o::name_of'].each do |v| %><%= scope[v] + 'con' %><% end %>\n"), file: n,
			why: "t.erb:1 may put"},
		{files: class("notice(inline_template('<%= n = \"web::n::\" + @which; scope[n] %>'))"), file: n, why: "n.pp:4 may put"},
		{files: with(class("notice(r('x'))"), ruby, "Puppet::Parser::Functions.newfunction(:r) do |args|\n"+
			"  name = 'web::n::' + args[0]\n  lookupvar(name)\nend\n"), file: n, why: "r.rb:2 may put"},
		{files: with(class("notice(r('x'))"), ruby, "Puppet::Parser::Functions.newfunction(:r) do |args|\n"+
			"  name = 'web::o::' + args[0]\n  lookupvar('web::o::x')\nend\n"), file: n, also: n, wanted: "$zconf = 1"},

		// By its own name, where its class asks for it.
		{files: own("<% x = 'c' + @which %><%= scope[x] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: own("<% x = [@which, 'nf'].join %><%= scope[x] %>\n"), file: n, why: "t.erb:1 may put"},
		{files: with(class("$x = \"co${p}\"\n    notice(web::k($x))\n    notice(getvar(web::k($p)))"), fun,
			"function web::k($v) { $v }\n"), file: n, why: "n.pp:4 may put the name web::n::conf together"},
		{files: class("$x = \"co${p}\"\n    notice(template('web/t.erb'), $x)"), file: n, also: n, wanted: "$zconf = 1"},

		// Attributes, and variables of the top scope.
		{files: class("$h = { \"${p}ze\" => 4 }\n    web::y { 't': * => $h }"), file: y, word: "size", to: "width",
			why: "n.pp:4 may put the name web::y::size together"},
		{files: with(class("web::y { 't': * => web::k($p) }"), fun, "function web::k($v) {\n  { \"${v}ze\" => 4 }\n}\n"),
			file: y, word: "size", to: "width", why: "k.pp:2 may put the name web::y::size together"},
		{files: with(class("notice(inline_template('<% x = \"t\" + \"op\" %><%= scope[x] %>'))"), site,
			"$top = 1\ninclude web::x\n"), file: site, word: "top", to: "ztop", why: "n.pp:4 may put the name top together"},

		// A class.
		{files: with(class("include web::k($p)"), fun, "function web::k($v) {\n  \"role_${v}\"\n}\n"),
			file: "manifests/role.pp", word: "role_a", to: "role_b", why: "k.pp:2"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		base["manifests/role.pp"] = "class role_a { }\n"
		maps.Copy(base, c.files)
		file, word, to := c.file, c.word, c.to
		switch {
		case file == "":
			file, word, to = data, "some_key", "other_key"
		case word == "":
			word, to = "conf", "zconf"
		}
		nav := navigate(t, base)
		edit, why := nav.renameIn(file, word, 1, to)
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s as %s with\n%v\n%q, want %q", word, to, c.files, why, c.why)
		}
		if c.also != "" && why == "" {
			if is := nav.written(edit)[c.also]; !strings.Contains(is, c.wanted) {
				t.Errorf("%s is then\n%s", c.also, is)
			}
		}
		nav.bye()
	}
}
