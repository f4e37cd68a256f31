package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWanted: in strings, data and templates just that is offered which can stand there.
func TestWanted(t *testing.T) {
	files := map[string]string{
		"hiera.yaml":            "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml":      "web::port: 8080\n",
		"data/more.yaml":        "more: 1\n",
		"facts/a.json":          `{"fqdn": "a", "os": {"name": "Debian", "family": "Debian"}}`,
		"environment.conf":      "modulepath = modules\n",
		"manifests/site.pp":     "node default { include web }\n",
		"modules/web/x.txt":     "",
		"modules/web/files/a":   "",
		"modules/web/files/b/c": "",
		"modules/web/manifests/init.pp": "class web (Integer $port, Enum['red', 'dark green'] $colour = 'red', " +
			"Web::Switch $on = true) {\n  package { 'nginx': }\n  $t = template('web/t.erb')\n" +
			"  $e = epp('web/t.epp', { size => 1, other => 2 })\n}\n",
		"modules/web/manifests/sub.pp": "class web::sub {\n}\n",
		"modules/web/types/switch.pp":  "type Web::Switch = Boolean\n",
		"modules/web/templates/t.erb":  "",
		"modules/web/templates/t.epp":  "<%- | Integer $size, Integer $other | -%>\n",
	}
	n := navigate(t, files)
	n.ready("modules/web/manifests/init.pp", "port", "8080")
	version := 1
	for _, x := range []struct {
		file, text string
		want       string // what is offered, all of it; a ! before what is not, then others may be; "" for nothing
	}{
		{"sub.pp", "file { '/x': source => 'puppet:///modules/", "web/a web/b/c"},
		{"sub.pp", "file { '/x': source => \"puppet:///modules/web/b", "web/b/c"},
		{"sub.pp", "$x = file('web/", "web/a web/b/c"},
		{"sub.pp", "$x = template('", "web/t.erb"},
		{"sub.pp", "$x = epp('", "web/t.epp"},
		{"sub.pp", "$x = epp('web/t.epp', { 'size' => 1, '", "other size"},
		{"sub.pp", "file { '/x': require => Package['n", "nginx"},
		{"sub.pp", "class { 'web': colour => '", "red dark green"},
		{"sub.pp", "class { 'web': colour => d", "dig !notify"},
		{"sub.pp", "class { 'web': on => t", "true template type !tidy"},
		{"sub.pp", "file { '/x': ensure => 'f", "file"},
		{"sub.pp", "notify { 'f", ""},
		{"sub.pp", "if $x == 'f", ""},
		{"sub.pp", "# f", ""},
		{"sub.pp", "$x = \"${facts['os']['", "family name"},
		{"sub.pp", "$x = $trusted['cert", "certname"},
		{"sub.pp", "$x = [1].ma", "map match max"},
		{"sub.pp", "File { mo", "mode"},
		{"sub.pp", "File['/x'] { mo", "mode"},
		{"sub.pp", "strin", "!string"},
		{"sub.pp", "web::sw", "!web::switch"},
		{"sub.pp", "$here = 1\n  $::", "facts fqdn !here"},
		{"sub.pp", "$here = 1\n  $", "facts here !there"},
		{"sub.pp", "$x = @(END)\n  $fac", ""},
		{"sub.pp", "$x = @(\"END\")\n  it's fi", ""},
		{"sub.pp", "$x = @(\"END\"/L)\n  it's ${web::po", "web::port"},
		{"sub.pp", "$x = @(\"A B\":json)\n  ${1} $web::po", "web::port"},
		{"sub.pp", "$x = @(END)\n  it's\n  |- END\n  File { mo", "mode"},
		{"common.yaml", "web::colour: ", "red dark green"},
		{"common.yaml", "web::on: t", "true"},
		{"common.yaml", "x: \"%{facts.os.", "family name"},
		{"common.yaml", "x: \"%{trusted.c", "certname"},
		{"common.yaml", "x: \"%{lookup('mo", "more"},
		{"common.yaml", "classes:\n  - web::s", "web::sub"},
		{"common.yaml", "lookup_options:\n  web::c", "web::colour"},
		{"common.yaml", "x: f", ""},
		{"t.erb", "<%= @po", "port"},
		{"t.erb", "plain @po", ""},
		{"t.erb", "<%# @po", ""},
		{"t.erb", "<%= scope['web::po", "web::port"},
		{"t.erb", "<%= @facts['os']['n", "name"},
		{"t.epp", "<%= $si", "size"},
		{"t.epp", "plain fi", ""},
		{"t.epp", "<%= 1 %> fi", ""},
	} {
		file, before := "", ""
		for _, dir := range []string{"modules/web/manifests/", "data/", "modules/web/templates/"} {
			if text, is := files[dir+x.file]; is {
				file, before = dir+x.file, strings.TrimSuffix(text, "}\n")
			}
		}
		path := filepath.Join(n.dir, file)
		n.open(path, files[file])
		version++
		text := before + x.text
		n.edit(path, version, nil, text)
		list := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": n.uri(file)},
			"position": map[string]any{"line": strings.Count(text, "\n"), "character": len(text) -
				strings.LastIndexByte(text, '\n') - 1}}).(map[string]any)
		var got []string
		for _, i := range list["items"].([]any) {
			got = append(got, i.(map[string]any)["label"].(string))
		}
		some, not, loose := strings.Cut(x.want, "!")
		if x.want == "red dark green" {
			if !slices.Equal(got, []string{"dark green", "red"}) {
				t.Errorf("%s %q: %q", x.file, x.text, got)
			}
		} else if want := strings.Fields(some); loose {
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("%s %q: no %s in %q", x.file, x.text, w, got)
				}
			}
			if slices.Contains(got, not) {
				t.Errorf("%s %q: %s in %q", x.file, x.text, not, got)
			}
		} else if slices.Sort(got); !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s %q: %.300q", x.file, x.text, got)
		}
		n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": n.uri(file)}})
		n.rest()
	}
	n.bye()
}
