package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameComputed: names that code, a template or data put together, or take out of something, in places that no
// node comes to. Each keeps the rename away, or is renamed with the rest.
func TestRenameComputed(t *testing.T) {
	const (
		x    = "modules/web/manifests/x.pp"
		y    = "modules/web/manifests/y.pp"
		xx   = "modules/web/manifests/xx.pp"
		n    = "modules/web/manifests/n.pp"
		erb  = "modules/web/templates/t.erb"
		data = "data/common.yaml"
		site = "manifests/site.pp"
	)
	class := func(body string) map[string]string {
		return map[string]string{n: "class web::n {\n  $loc = 1\n  if $facts['never'] {\n    " + body + "\n  }\n}\n"}
	}
	with := func(files map[string]string, file, text string) map[string]string {
		files[file] = text
		return files
	}
	top := func(files map[string]string) map[string]string {
		return with(files, site, "$top = 1\ninclude web::x\nweb::y { 't': size => 2 }\n")
	}
	for _, c := range []struct {
		files          map[string]string
		file, word, to string
		why            string
		also, wanted   string // a file, and what it has then
	}{
		// A template in a string that declares no parameters has what it is given.
		{files: class("notice(inline_epp('<%= $loc %>', { 'loc' => 99 }))"), file: n, word: "loc", to: "zloc", also: n,
			wanted: "$zloc = 1\n  if $facts['never'] {\n    notice(inline_epp('<%= $loc %>', { 'loc' => 99 }))"},
		{files: class("notice(inline_epp('<%= $loc %>', { 'other' => 99 }))"), file: n, word: "loc", to: "zloc", also: n,
			wanted: "<%= $zloc %>"},
		{files: class("notice(inline_epp('<%= $loc %>', $facts['h']))"), file: n, word: "loc", to: "zloc",
			why: "n.pp:4 may take it out of a hash"},
		{files: class("notice(inline_epp('<%- | $a | -%><%= $loc %>', $facts['h']))"), file: n, word: "loc", to: "zloc",
			also: n, wanted: "<%= $zloc %>"},

		// Data put names together, write them otherwise, and take away what other levels say.
		{files: map[string]string{data: "some_key: 1\nweb::x::size: 3\nl: ['--web::x']\n"}, file: x, word: "web::x",
			to: "web::xx", why: "common.yaml:3 has web::x as a text"},
		{files: map[string]string{data: "some_key: 1\nweb::x::size: 3\nl: ['--web::xs']\n"}, file: x, word: "web::x",
			to: "web::xx", also: xx, wanted: "class web::xx"},
		{files: map[string]string{data: "some_key: 1\nweb::x::size: 3\na: \"web::%{lookup('b')}\"\nb: x\n"}, file: x,
			word: "web::x", to: "web::xx", why: "common.yaml:3 may put the name web::x together"},
		{files: map[string]string{data: "some_key: 1\nweb::x::size: 3\na: \"webs::%{lookup('b')}\"\nb: x\n"}, file: x,
			word: "web::x", to: "web::xx", also: xx, wanted: "class web::xx"},
		{files: with(class("create_resources('web::y', lookup('q'))"), data,
			"some_key: 1\nweb::x::size: 3\nq:\n  t:\n    \"si\\x7ae\": 4\n"), file: y, word: "size", to: "width",
			why: "common.yaml:5 has size as a text"},
		{files: with(class("create_resources('web::y', lookup('q'))"), "data/other.json", `{"q": {"t": {"si\u007ae": 4}}}`),
			file: y, word: "size", to: "width", why: "other.json:1 has size as a text"},
		{files: class("include \"web::\\u0078\""), file: x, word: "web::x", to: "web::xx", why: "n.pp:4 writes"},

		// Ruby goes on behind a string, or writes it otherwise.
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope['web::x::' + 'size'] %>"), file: x,
			word: "size", to: "width", why: "t.erb:1 has size as a text"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope['web::x::%s' % 'size'] %>"), file: x,
			word: "size", to: "width", why: "t.erb:1 has size as a text"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope.lookupvar('web::x'.concat('::size')) %>"),
			file: x, word: "size", to: "width", why: "t.erb:1 has size as a text"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope['web::x::size'] + 'x' %>"), file: x,
			word: "size", to: "width", also: erb, wanted: "scope['web::x::width'] + 'x'"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope[\"lo#{@v}\"] %>"), file: n, word: "loc",
			to: "zloc", why: "t.erb:1 may put the name web::n::loc together"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= instance_variable_get(\"@lo#@v\") %>"), file: n,
			word: "loc", to: "zloc", why: "t.erb:1 may put the name web::n::loc together"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope[\"li#{@v}\"] %>"), file: n, word: "loc",
			to: "zloc", also: n, wanted: "$zloc = 1"},
		{files: class("notice(inline_template('<%= scope[\"lo#{@v}\"] %>'))"), file: n, word: "loc", to: "zloc",
			why: "n.pp:4 may put the name web::n::loc together"},
		{files: with(class("notice(template('web/t.erb'))"), erb, "<%= scope[%q(web::x::size)] %>"), file: x, word: "size",
			to: "width", why: "t.erb:1 has web::x::size as a text"},

		// Attributes, and variables that code asks for.
		{files: class("web::y { 't': * => { \"${facts['a']}ze\" => 4 } }"), file: y, word: "size", to: "width",
			why: "n.pp:4 may put the name web::y::size together"},
		{files: class("$p = 'si'\n    web::y { 't': * => { \"${p}ze\" => 4 } }"), file: y, word: "size", to: "width",
			why: "n.pp:5 writes it as"},
		{files: class("create_resources('web::y', { 't' => { \"${facts['a']}ze\" => 4 } })"), file: y, word: "size",
			to: "width", why: "n.pp:4 may put the name web::y::size together"},
		{files: class("web::y { 't': * => { \"${facts['a']}zo\" => 4 } }"), file: y, word: "size", to: "width", also: y,
			wanted: "$width"},
		{files: with(class("notice(getvar(lookup('hk')))"), data, "some_key: 1\nweb::x::size: 3\nhk: loc\n"), file: n,
			word: "loc", to: "zloc", why: "common.yaml:3 has loc as a text"},
		{files: with(class("notice($loc)"), data, "some_key: 1\nweb::x::size: 3\nhk: loc\n"), file: n, word: "loc",
			to: "zloc", also: n, wanted: "notice($zloc)"},
		{files: class("notice(getvar(\"lo${facts['a']}\"))"), file: n, word: "loc", to: "zloc",
			why: "n.pp:4 may put the name web::n::loc together"},
		{files: class("notice(getvar(sprintf('lo%s', 'c')))"), file: n, word: "loc", to: "zloc",
			why: "n.pp:4 may put the name web::n::loc together"},

		// Variables of the top scope.
		{files: with(top(class("notice(web::r())")), "modules/web/lib/puppet/functions/web/r.rb",
			"Puppet::Functions.create_function(:'web::r') do\n  def r() closure_scope['top'].to_s end\nend\n"), file: site,
			word: "top", to: "ztop", why: "r.rb:2 has top as a text"},
		{files: with(top(class("notice(web::r())")), "modules/web/lib/puppet/functions/web/r.rb",
			"Puppet::Functions.create_function(:'web::r') do\n  def r() 'top' end\nend\n"), file: site, word: "top",
			to: "ztop", also: site, wanted: "$ztop = 1"},
		{files: top(class("notice(inline_template('<% %w[top].each do |v| %><%= scope[v] %><% end %>'))")), file: site,
			word: "top", to: "ztop", why: "n.pp:4 has top as a text"},
		{files: top(class("['::top'].each |$v| { notice(getvar($v)) }")), file: site, word: "top", to: "ztop", also: n,
			wanted: "['::ztop']"},
		{files: top(class("notice(inline_template('<%= scope[\"t\" + \"op\"] %>'))")), file: site, word: "top", to: "ztop",
			why: "n.pp:4 may put the name top together"},
		{files: with(top(class("notice(getvar(lookup('k')))")), data, "some_key: 1\nweb::x::size: 3\nk: top\n"), file: site,
			word: "top", to: "ztop", why: "common.yaml:3 has top as a text"},
		{files: with(top(class("notice(lookup('k'))")), data, "some_key: 1\nweb::x::size: 3\nk: top\n"), file: site,
			word: "top", to: "ztop", also: site, wanted: "$ztop = 1"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		maps.Copy(base, c.files)
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
