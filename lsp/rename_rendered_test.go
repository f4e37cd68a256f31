package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameRendered: variables of templates whose name or text stands elsewhere, in code that no node comes to: it is
// followed to literals, or keeps the rename away. So do keys of which data have several entries, Ruby that goes through
// all variables, and names that functions put together.
func TestRenameRendered(t *testing.T) {
	const (
		n    = "modules/web/manifests/n.pp"
		erb  = "modules/web/templates/t.erb"
		file = "modules/web/files/x.erb"
		fun  = "modules/web/functions/r.pp"
		init = "modules/web/manifests/init.pp"
		key  = "data/common.yaml"
		conf = "data/h.conf"
	)
	class := func(params, body string) string {
		return "class web::n " + params + "{\n  $port = 80\n  notice(" + body + ")\n}\n"
	}
	hocon := func(text string) map[string]string {
		return map[string]string{conf: text, key: "some_key: {z: 1}\n",
			n: "class web::n {\n  notice(lookup('some_key'))\n}\n",
			"hiera.yaml": "version: 5\nhierarchy:\n  - name: H\n    path: h.conf\n    data_hash: hocon_data\n" +
				"  - name: Common\n    path: common.yaml\n"}
	}
	with := func(template string) map[string]string {
		return map[string]string{n: class("", "template('web/t.erb')"), erb: template}
	}
	for _, c := range []struct {
		files          map[string]string
		file, word, to string
		why            string
		also, wanted   string // a file, and what it has then
	}{
		// The name of the template.
		{files: map[string]string{n: class("($tpl = 'web/t.erb') ", "template($tpl)"), erb: "<%= @port %>\n"},
			also: erb, wanted: "<%= @nport %>"},
		{files: map[string]string{n: "class web::n {\n  $tpl = 'web/t.erb'\n  $port = 80\n  notice(template($tpl))\n}\n",
			erb: "<%= @port %>\n"}, also: erb, wanted: "<%= @nport %>"},
		{files: map[string]string{n: class("($tpl) ", "template($tpl)"), erb: "<%= @port %>\n",
			"modules/web/manifests/o.pp": "class web::o {\n  $x = template('web/t.erb')\n}\n"},
			why: "t.erb:1 has port as a text"},
		{files: map[string]string{fun: "function web::r($t) {\n  $port = 7\n  template($t)\n}\n", erb: "<%= @port %>\n"},
			file: fun, why: "t.erb:1 sees it"},
		{files: map[string]string{fun: "function web::r($t) {\n  $port = 7\n  template($t)\n}\n", erb: "<%= @post %>\n"},
			file: fun, also: fun, wanted: "$nport = 7"},

		// Its text.
		{files: map[string]string{n: class("", "inline_template(file('web/x.erb'))"), file: "<%= @port %>\n"}, also: file,
			wanted: "<%= @nport %>"},
		{files: map[string]string{n: class("", "inline_template(file(\"${module_name}/x.erb\"))"), file: "<%= @port %>\n"},
			also: file, wanted: "<%= @nport %>"},
		{files: map[string]string{n: class("", "inline_template(file($facts['x']))"), file: "<%= @port %>\n"},
			why: "x.erb:1 has port as a text"},
		{files: map[string]string{n: class("($t = '<%= @port %>') ", "inline_template($t)")}, word: "port =",
			to: "nport", also: n, wanted: "'<%= @nport %>'"},
		{files: map[string]string{n: class("", "inline_template($web::tmpl)"),
			init: "class web ($tmpl = '<%= @port %>') {\n  include web::x\n}\n"}, why: "init.pp:1 has port as a text"},
		{files: map[string]string{n: class("", "inline_template(web::t())"),
			"modules/web/functions/t.pp": "function web::t() {\n  '<%= @port %>'\n}\n"}, why: "t.pp:2 has port as a text"},
		{files: map[string]string{n: class("", "inline_template(web::t())"),
			"modules/web/functions/t.pp": "function web::t() {\n  'port'\n}\n"}, also: n, wanted: "$nport = 80"},

		// Several entries of one key.
		{files: hocon("some_key.a = 1\nsome_key.b = 2\n"), file: key, word: "some_key", to: "other",
			why: "h.conf:1 has some_key, too"},
		{files: hocon("some_key { a = 1 }\nsome_key { b = 2 }\n"), file: key, word: "some_key", to: "other",
			why: "h.conf:1 has some_key, too"},
		{files: hocon("some_key = [1]\nsome_key += 2\n"), file: key, word: "some_key", to: "other",
			why: "h.conf:1 has some_key, too"},
		{files: hocon("some_key = 5\nb = ${?some_key}x\n"), file: conf, word: "some_key", to: "other",
			why: "h.conf:2 has some_key, too"},
		{files: hocon("some_key { a = 1 }\n"), file: key, word: "some_key", to: "other", also: conf,
			wanted: "other { a = 1 }"},

		// Ruby that goes through all variables.
		{files: with("<%= scope.to_hash.select { |k,v| k =~ /^po/ }.values.first %>\n"), why: "t.erb:1 goes through all"},
		{files: with("<%= scope.to_hash.reject { |k,v| !(v.is_a? Integer) }.keys.join %>\n"),
			why: "t.erb:1 goes through all"},
		{files: with("<% h = scope.to_hash\n   h.each { |k, v| %><%= k %><% } %>\n"), why: "t.erb:1 goes through all"},
		{files: with("<% h = scope.to_hash %><%= h['other'] %>\n"), also: n, wanted: "$nport = 80"},
		{files: with("<%= scope.to_hash.key?('other') %>\n"), also: n, wanted: "$nport = 80"},

		// What looks like a variable in Ruby, and what is one.
		{files: with("<%= scope[\"\\x70ort\"] %>\n"), why: "t.erb:1 may put the name web::n::port together"},
		{files: with("<% x = <<X.strip\nport\nX\n%><%= scope[x] %>\n"), why: "t.erb:2 has port as a text"},
		{files: with("<%= %q(@port) %> <%= /@port/.source %> <%= 7 %@port %>\n"), also: erb,
			wanted: "<%= %q(@port) %> <%= /@port/.source %> <%= 7 %@nport %>\n"},
		{files: with("<% x = <<'E'\n@port\nE\n%><%= x %>\n"), also: erb, wanted: "\n@port\nE"},
		{files: with("<% x = <<E + @port\n@port #{@port}\nE\n%><%= %Q(@port #{@port}) %>\n"), also: erb,
			wanted: "<<E + @nport\n@port #{@nport}\nE\n%><%= %Q(@port #{@nport}) %>"},

		// Functions that put names together.
		{files: map[string]string{n: "class web::n {\n  notice(lookup(join(['some', 'key'], '_')))\n}\n"}, file: key,
			word: "some_key", to: "other", why: "n.pp:2 writes it as"},
		{files: map[string]string{n: "class web::n {\n  notice(lookup(regsubst('some-key', '-', '_')))\n}\n"}, file: key,
			word: "some_key", to: "other", why: "n.pp:2 writes it as"},
		{files: map[string]string{n: "class web::n {\n  include join(['web', 'o'], '::')\n}\n",
			"modules/web/manifests/o.pp": "class web::o {\n}\n"}, file: "modules/web/manifests/o.pp", word: "web::o",
			to: "web::p", why: "n.pp:2 writes it as"},
		{files: map[string]string{n: "class web::n {\n  include join(['web', 'y'], '::')\n}\n",
			"modules/web/manifests/o.pp": "class web::o {\n}\n"}, file: "modules/web/manifests/o.pp", word: "web::o",
			to: "web::p"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		maps.Copy(base, c.files)
		if c.word == "" {
			c.word, c.to = "port", "nport"
		}
		if c.file == "" {
			c.file = n
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
