package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameCertain: what looks like the name and certainly is none keeps no rename away: what Ruby tells people, and
// what its functions are called; a part of a word. What may be the name does.
func TestRenameCertain(t *testing.T) {
	const (
		n    = "modules/web/manifests/n.pp"
		m    = "modules/web/manifests/m.pp"
		o    = "modules/web/manifests/o.pp"
		p    = "modules/web/manifests/params.pp"
		y    = "modules/web/manifests/y.pp"
		ruby = "modules/std/lib/puppet/parser/functions/size.rb"
		erb  = "modules/web/templates/t.erb"
		data = "data/common.yaml"
	)
	rb := func(body string) map[string]string { // the define gets its attributes from anywhere
		return map[string]string{n: "class web::n ($h) {\n  create_resources('web::y', size($h))\n}\n",
			ruby: "module Puppet::Parser::Functions\n  newfunction(:size, type: :rvalue, doc: <<-DOC\n    The size\n" +
				"    [size](https://docs/size)\n    DOC\n  ) do |arguments|\n    " + body + "\n  end\nend\n"}
	}
	pp := func(body string) map[string]string {
		return map[string]string{n: "class web::n ($h) {\n  create_resources('web::y', $h)\n  " + body + "\n}\n"}
	}
	tpl := func(value string, more ...string) map[string]string {
		files := map[string]string{n: "class web::n ($tpl = $web::params::tpl) inherits web::params {\n  $port = 80\n" +
			"  notice(template($tpl))\n}\n", p: "class web::params {\n" + value + "}\n", erb: "<%= @port %>\n"}
		for i := 0; i < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	for _, c := range []struct {
		files          map[string]string
		file, word, to string
		why            string
		also, wanted   string // a file, and what it has then
	}{
		{files: rb("raise(Puppet::ParseError, \"size(): Wrong number (#{arguments.size} for 1)\") if arguments.empty?")},
		{files: rb("raise Puppet::ParseError, 'the (size)' \\\n      'of [size]'")},
		{files: rb("raise(Puppet::ParseError, 'size' + \"\\n\" +\n      'size')")},
		{files: rb("function_deprecation([:size, 'no size'])")},
		{files: rb("Puppet.warning('size')")},
		{files: rb("x = \"a (#{arguments.size})\"")},
		{files: rb("@doc = 'size'")},
		{files: rb("raise(Puppet::ParseError, 'no') unless arguments[0] == 'size'"), why: "size.rb:7 has size as a text"},
		{files: rb("raise \"no #{arguments[0]['size']}\""), why: "size.rb:7 has size as a text"},
		{files: rb("{ 'size' => arguments[0] }"), why: "size.rb:7 has size as a text"},
		{files: rb("{ 'x' => 'raise', 'size' => 1 }"), why: "size.rb:7 has size as a text"},
		{files: rb("raise('no'); 'size'"), why: "size.rb:7 has size as a text"},
		{files: rb("{ size: 1 }[:size]"), why: "size.rb:7 has size as a text"},
		{files: rb("YAML.load(\"{size: 1}\")"), why: "size.rb:7 has size as a text"},
		{files: map[string]string{n: "class web::n ($h) {\n  create_resources('web::y', web::f($h))\n}\n",
			"modules/web/lib/puppet/functions/web/f.rb": "Puppet::Functions.create_function(:'web::f') do\n" +
				"  dispatch :size do\n    param 'Hash', :size\n  end\n  def size(x)\n    x\n  end\nend\n"}},

		{files: pp("augeas { 'a': changes => 'rm request/*[.=\"the-size\"]' }")},
		{files: pp("augeas { 'a': changes => 'rm request/*[.=\"size\"]' }"), why: "n.pp:3 has size as a text"},

		// A template whose name is in a variable of another class.
		{files: tpl("  $tpl = 'web/t.erb'\n"), file: n, word: "port", to: "nport", also: erb, wanted: "<%= @nport %>"},
		{files: tpl("  $tpl = \"${module_name}/t.erb\"\n"), file: n, word: "port", to: "nport", also: erb,
			wanted: "<%= @nport %>"},
		{files: tpl("  case $facts['a'] {\n    1: { $tpl = 'web/t.erb' }\n    default: { $tpl = $web::o::tpl }\n  }\n", o,
			"class web::o {\n  $tpl = $facts['b'] ? { 1 => 'web/u.erb', default => undef }\n}\n",
			"modules/web/templates/u.erb", "<% if @port %>x<% end %>\n"), file: n, word: "port", to: "nport",
			also: "modules/web/templates/u.erb", wanted: "if @nport"},
		{files: tpl("  $tpl = undef\n", data, "some_key: 1\nweb::x::size: 3\nweb::n::tpl: web/t.erb\n"), file: n,
			word: "port", to: "nport", also: erb, wanted: "<%= @nport %>"},
		{files: tpl("  $tpl = undef\n"), file: n, word: "port", to: "nport", why: "t.erb:1 has port as a text"},
		{files: tpl("  $tpl = 'web/t.erb'\n", m, "class web::m {\n  $port = 1\n  notice(template('web/t.erb'))\n}\n"),
			file: n, word: "port", to: "nport", why: "t.erb:1 names web::m::port by the same word"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		maps.Copy(base, c.files)
		if c.file == "" {
			c.file, c.word, c.to, c.also, c.wanted = y, "size", "width", y, "$width"
		}
		nav := navigate(t, base)
		edit, why := nav.renameIn(c.file, c.word, 1, c.to)
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s as %s with\n%v\n%q, want %q", c.word, c.to, c.files, why, c.why)
		}
		if c.also != "" && why == "" {
			if is := nav.written(edit)[c.also]; !strings.Contains(is, c.wanted) {
				t.Errorf("%s is then\n%s", c.also, is)
			}
		}
		nav.bye()
	}
}
