package lsp_test

import (
	"fmt"
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
		"modules/web/manifests/d.pp":   "define web::d ($size) {\n}\n",
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
		{"sub.pp", "file { '/x': ensure => 'f", "false file"},
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
		{"sub.pp", "package { 'x': ensure => ins", "installed !install"},
		{"sub.pp", "package { 'x': ensure => 'p", "present purged"},
		{"sub.pp", "service { 'x': ensure => 't", "true"},
		{"sub.pp", "Exec <| ti", "timeout title"},
		{"sub.pp", "Exec <<| tag == 'a' and ( ti", "timeout title"},
		{"sub.pp", "Exec <| title == ti", "!title"},
		{"sub.pp", "} class web::more (\n  Integer $por", ""},
		{"sub.pp", "} define web::more ($a = [1, 2], Array[Integer, 1] $por", ""},
		{"sub.pp", "} function web::more(Integer $a, *$por", ""},
		{"sub.pp", "} class web::more ($a = $web::por", "web::port"},
		{"sub.pp", "} class web::more ($a, $b = size($web::por", "web::port"},
		{"sub.pp", "[1].each |Integer $por", ""},
		{"sub.pp", "[1].each |$x, $por", ""},
		{"sub.pp", "[1].each |$x| { $web::por", "web::port"},
		{"sub.pp", "Exec <| title == $web::por", "web::port"},
		{"sub.pp", "notice($web::por", "web::port"},
		{"hiera.yaml", "    path: \"%{facts.os.", "family name"},
		{"hiera.yaml", "    path: \"%{tr", "trusted"},
		{"hiera.yaml", "    pa", ""},
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
		{"t.erb", "<%= scope['web::d", ""},
		{"t.erb", "<%= @facts['os']['n", "name"},
		{"t.epp", "<%= $si", "size"},
		{"t.epp", "plain fi", ""},
		{"t.epp", "<%= 1 %> fi", ""},
	} {
		file, before := "", ""
		for _, dir := range []string{"modules/web/manifests/", "data/", "modules/web/templates/", ""} {
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

// TestCompletionTakesTheWord: what is chosen takes the place of the whole word that the cursor is in, and of nothing
// else.
func TestCompletionTakesTheWord(t *testing.T) {
	files := map[string]string{
		"environment.conf":              "modulepath = modules\n",
		"hiera.yaml":                    "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml":              "web::port: 8080\n",
		"manifests/site.pp":             "node default { include web }\n",
		"modules/web/manifests/init.pp": "class web (Integer $port) {\n  package { 'n 1': }\n}\n",
		"modules/web/manifests/sub.pp":  "class web::sub {\n}\n",
		"modules/web/manifests/more.pp": "class web::more {\n}\n",
		"modules/web/templates/t.epp":   "",
		"modules/web/templates/t.erb":   "",
	}
	for _, both := range []bool{false, true} {
		dir := tree(t, files)
		n := &nav{dial(t, nil), dir}
		n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-8"}}, "textDocument": map[string]any{
				"completion": map[string]any{"completionItem": map[string]any{"insertReplaceSupport": both}}}}})
		n.notify("initialized", map[string]any{})
		for i, x := range []struct{ file, text, choose, want string }{
			{"sub.pp", "class web::sub ($port) { $x = $po|rt }", "port", "class web::sub ($port) { $x = $port }"},
			{"sub.pp", "class web::sub ($port) { $x = \"é $po|rt: 1\" }", "port",
				"class web::sub ($port) { $x = \"é $port: 1\" }"},
			{"sub.pp", "$x = $web:|:old", "web::port", "$x = $web::port"},
			{"sub.pp", "$x = $web::|old + 1", "web::port", "$x = $web::port + 1"},
			{"sub.pp", "$x = epp('we|/nginx.epp')", "web/t.epp", "$x = epp('web/t.epp')"},
			{"sub.pp", "include ::we|b::other, x", "web::more", "include ::web::more, x"},
			{"sub.pp", "class { we|b: }", "web::more", "class { web::more: }"},
			{"sub.pp", "class { 'we|b': }", "web::more", "class { 'web::more': }"},
			{"sub.pp", "Package['n| 2'] -> File['x']", "n 1", "Package['n 1'] -> File['x']"},
			{"sub.pp", "Package['n|] -> File['x']", "n 1", "Package['n 1] -> File['x']"},
			{"sub.pp", "file { '/x': en|sur => file }", "ensure", "file { '/x': ensure => file }"},
			{"sub.pp", "file { '/x': ensure => fi|le, mode => '0' }", "file", "file { '/x': ensure => file, mode => '0' }"},
			{"sub.pp", "$x = lookup('web::|po.rt')", "web::port", "$x = lookup('web::port')"},
			{"common.yaml", "web::po|r: 80", "web::port", "web::port: 80"},
			{"common.yaml", "'web::po|r': 80", "web::port", "'web::port': 80"},
			{"t.erb", "<%= scope['web::|x'] %>", "web::port", "<%= scope['web::port'] %>"},
		} {
			file := map[string]string{".pp": "modules/web/manifests/", ".yaml": "data/",
				".erb": "modules/web/templates/"}[filepath.Ext(x.file)] + x.file
			path := filepath.Join(dir, file)
			n.open(path, files[file])
			before, after, _ := strings.Cut(x.text, "|")
			n.edit(path, i+2, nil, before+after)
			list := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": n.uri(file)},
				"position": map[string]any{"line": 0, "character": len(before)}}).(map[string]any)
			for _, item := range list["items"].([]any) {
				label, edit := item.(map[string]any)["label"], item.(map[string]any)["textEdit"].(map[string]any)
				if label != x.choose {
					continue
				}
				x.choose = ""
				span := func(of any) (from, to int) {
					var line, toLine int
					_, err := fmt.Sscanf(rangeText(of), "%d:%d-%d:%d", &line, &from, &toLine, &to)
					if err != nil || line != 1 || toLine != 1 || from-1 > len(before) || to-1 < len(before) {
						t.Errorf("%s: %v", x.text, of)
					}
					return from - 1, to - 1
				}
				whole := edit["range"]
				if both {
					whole = edit["replace"]
					from, _ := span(whole)
					if a, b := span(edit["insert"]); a != from || b != len(before) {
						t.Errorf("%s: %v", x.text, edit)
					}
				}
				from, to := span(whole)
				if got := (before + after)[:from] + edit["newText"].(string) + (before + after)[to:]; got != x.want {
					t.Errorf("%s: %s", x.text, got)
				}
			}
			if x.choose != "" {
				t.Errorf("%s: %s is not offered", x.text, x.choose)
			}
			n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": n.uri(file)}})
		}
		n.bye()
	}
}
