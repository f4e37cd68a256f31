package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameAskedOfScope: Ruby, and templates that are texts, that come to a variable in ways which are not followed
// keep the rename away, in code that no node comes to; what is followed is renamed, and a text that nobody evaluates is
// a text.
func TestRenameAskedOfScope(t *testing.T) {
	const (
		n    = "modules/web/manifests/n.pp"
		erb  = "modules/web/templates/t.erb"
		r4   = "modules/web/lib/puppet/functions/web/r.rb"
		r3   = "modules/web/lib/puppet/parser/functions/r3.rb"
		data = "data/common.yaml"
	)
	code := func(body string) map[string]string {
		return map[string]string{n: "class web::n ($port = 1) {\n  if $facts['never'] {\n    " + body + "\n  }\n}\n"}
	}
	with := func(body, file, text string) map[string]string {
		files := code(body)
		files[file] = text
		return files
	}
	rendered := func(text string) map[string]string { return with("notice(template('web/t.erb'))", erb, text) }
	old := func(text string) map[string]string {
		return with("notice(r3())", r3, "Puppet::Parser::Functions.newfunction(:r3, :type => :rvalue) do |args|\n  "+text+"\nend\n")
	}
	tpl := "some_key: 1\nweb::x::size: 3\ntpl: '<%= @port %>'\nepp: '<%= $port %>'\n"
	for _, c := range []struct {
		files        map[string]string
		why          string
		also, wanted string // a file, and what it has then
	}{
		{files: rendered("<%= scope.to_hash.keys.include?('port') %>"), why: "t.erb:1 has port as a text"},
		{files: rendered("<%= scope.to_hash.select { |k, v| k == 'port' } %>"), why: "t.erb:1 has port as a text"},
		{files: rendered("<% h = scope.to_hash %><%= h['port'] %>"), why: "t.erb:1 has port as a text"},
		{files: rendered("<% s = scope %><%= s['port'] %>"), why: "t.erb:1 has port as a text"},
		{files: rendered("<%= eval('1 + @port') %>"), why: "t.erb:1 has port as a text"},
		{files: rendered("<%= scope.send(:[], 'port') %>"), why: "t.erb:1 has port as a text"},
		{files: rendered("<%= scope.to_hash['port'] %>"), also: erb, wanted: "to_hash['zport']"},
		{files: rendered("<%= scope.lookupvar('port') %>"), also: erb, wanted: "lookupvar('zport')"},
		{files: rendered("<%= scope['x'] %><%= @h['port'] %> scope"), also: erb, wanted: "@h['port']"},

		{files: code("notice(inline_template('<%= scope.to_hash.keys.include?(\"port\") %>'))"),
			why: "n.pp:3 has port as a text"},
		{files: code("$t = @(E)\n <%= @port %>\n | E\n    notice(inline_template($t))"), also: n, wanted: "<%= @zport %>"},
		{files: code("$t = @(E)\n <%= $port %>\n | E\n    notice(inline_epp($t))"), also: n, wanted: "<%= $zport %>"},
		{files: code("$t = $facts['a'] ? { 1 => '<%= @port %>', default => 'x' }\n    notice(inline_template($t))"),
			why: "n.pp:3 has port as a text"},
		{files: code("notice(['<%= @port %>'].map |$t| { inline_template($t) })"), why: "n.pp:3 has port as a text"},
		{files: with("notice(inline_template(lookup('tpl')))", data, tpl), why: "common.yaml:3 has port as a text"},
		{files: with("notice(inline_epp(lookup('epp')))", data, tpl), why: "common.yaml:3 has port as a text"},
		{files: with("notice(lookup('tpl'))", data, tpl), also: n, wanted: "$zport"},
		{files: code("notice(call('inline_epp', '<%= $port %>'))"), also: n, wanted: "'<%= $zport %>'"},
		{files: code("[1].each |Integer[0, $port] $x| { notice($x) }"), also: n, wanted: "Integer[0, $zport]"},

		{files: old("lookupvar('port')"), why: "r3.rb:2 has port as a text"},
		{files: old("self['port']"), why: "r3.rb:2 has port as a text"},
		{files: old("to_hash.keys.include?('port')"), why: "r3.rb:2 has port as a text"},
		{files: old("exist?('port')"), why: "r3.rb:2 has port as a text"},
		{files: old("args[0]['port']"), also: n, wanted: "$zport"},
		{files: with("notice(web::r())", r4, "Puppet::Functions.create_function(:'web::r', Puppet::Functions::InternalFunction) "+
			"do\n  dispatch :r do\n    scope_param\n  end\n  def r(scope)\n    scope['port']\n  end\nend\n"),
			why: "r.rb:6 has port as a text"},
		{files: with("notice(1)", r3, "newfunction(:r3) do |args|\n  lookupvar('port')\nend\n"), also: n, wanted: "$zport"},

		{files: code("notice('$web::n::port ${web::n::port}')"), also: n, wanted: "'$web::n::port ${web::n::port}'"},
		{files: code("notice('$web::n::port')"), also: n, wanted: "'$web::n::port'"},
		{files: code("notice(defined('$web::n::port'))"), also: n, wanted: "'$web::n::zport'"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		maps.Copy(base, c.files)
		nav := navigate(t, base)
		edit, why := nav.renameIn(n, "port", 1, "zport")
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("with\n%v\n%q, want %q", c.files, why, c.why)
		}
		if c.also != "" && why == "" {
			if is := nav.written(edit)[c.also]; !strings.Contains(is, c.wanted) {
				t.Errorf("%s is then\n%s", c.also, is)
			}
		}
		nav.bye()
	}
}
