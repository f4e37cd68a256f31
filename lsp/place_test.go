package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlaces: where a statement begins resources are offered, where a value stands what can be one, and where a name is
// given that by which it is looked for; in comments and texts nothing that has no meaning there.
func TestPlaces(t *testing.T) {
	files := map[string]string{
		"environment.conf":                   "modulepath = modules\n",
		"facts/a.json":                       `{"fqdn": "a", "os": {"name": "Debian"}}`,
		"manifests/site.pp":                  "node default { include web }\n",
		"functions/own.pp":                   "",
		"modules/web/manifests/init.pp":      "class web (Integer $port = 1) {\n}\n",
		"modules/web/manifests/vhost.pp":     "define web::vhost ($port) {\n}\n",
		"modules/web/manifests/a/b.pp":       "",
		"modules/web/manifests/c.pp":         "",
		"modules/web/functions/f.pp":         "function web::f() {\n}\n",
		"modules/web/types/t.pp":             "",
		"modules/web/templates/in/t.epp":     "",
		"modules/other/manifests/init.pp":    "",
		"modules/other/manifests/sub/own.pp": "",
	}
	n := navigate(t, files)
	n.rest()
	version := 1
	const c = "modules/web/manifests/c.pp"
	for _, x := range []struct {
		file, text string // § is the place
		want, not  string // what is offered among others, and what is not; a not of * is everything else
	}{
		// Values.
		{c, "web::vhost { 'a':\n    port => §\n  }", "size true undef default $here String File",
			"notify web::vhost package"},
		{c, "web::vhost { 'a':\n    port => web§\n  }", "web::f", "web::vhost web"},
		{c, "web::vhost { 'a': port => no§ }", "notice", "notify"},
		{c, "notice(§)", "size true $here", "notify web::vhost"},
		{c, "notice(web§)", "web::f", "web::vhost"},
		{c, "notice(1,\n    no§)", "notice", "notify"},
		{c, "notice no§", "notice", "notify"},
		{c, "if §", "size true $here", "notify web::vhost"},
		{c, "if $here == no§", "notice", "notify"},
		{c, "if $here and\n    no§", "notice", "notify"},
		{c, "if $here {\n    notice(1)\n  } elsif no§", "notice", "notify"},
		{c, "$x = §", "size $here if case", "notify web::vhost"},
		{c, "$x = no§", "notice", "notify"},
		{c, "$x = [\n    no§\n  ]", "notice", "notify"},
		{c, "$x = { 'a' => 1, 'b' => no§ }", "notice", "notify"},
		{c, "$x = { no§ }", "notice", "notify"},
		{c, "$x = $here ? { no§ }", "notice", "notify"},
		{c, "$x = $here ? {\n    1 => no§\n  }", "notice", "notify"},
		{c, "$x = 1 + no§", "notice", "notify"},
		{c, "$x = !no§", "notice", "notify"},
		{c, "$x = \"a ${no§}\"", "notice", "notify"},
		{c, "case no§", "notice", "notify"},
		{c, "case $here {\n    no§\n  }", "notice", "notify"},
		{c, "$x = $here # why\n  ? { no§ }", "notice", "notify"},
		{"modules/web/templates/in/t.epp", "<%= no§ %>", "notice", "notify"},

		// Statements.
		{c, "§", "notify web::vhost include if class notice", "$here"},
		{c, "web§", "web::vhost web::f", ""},
		{c, "notice(1)\n  no§", "notify notice", ""},
		{c, "$x = 1\n  # it's why\n  no§", "notify notice", ""},
		{c, "if $here {\n    no§\n  }", "notify", ""},
		{c, "if $here {\n  } else {\n    no§\n  }", "notify", ""},
		{c, "if ($here) { no§ }", "notify", ""},
		{c, "if $here == 'x' { no§ }", "notify", ""},
		{c, "unless $here[0] { no§ }", "notify", ""},
		{c, "if $here\n    and $x { no§ }", "notify", ""},
		{c, "case $here {\n    'x': { no§ }\n  }", "notify", ""},
		{c, "case $here {\n    default: {\n      no§\n    }\n  }", "notify", ""},
		{c, "[1].each |$i| {\n    no§\n  }", "notify", ""},
		{c, "[1].each |$i| { notice($i) }\n  no§", "notify", ""},
		{c, "package { 'a': } -> no§", "notify", ""},
		{c, "package { 'a': }\n  ~> no§", "notify", ""},
		{c, "@no§", "notify", ""},
		{c, "@@no§", "notify", ""},
		{c, "File <| |>\n  no§", "notify", ""},
		{c, "$x = 'a'; no§", "notify", ""},
		{c, "} class web::c ($a) inherits web {\n    no§\n  ", "notify", ""},
		{c, "} function web::c() >> String {\n    no§\n  ", "notify", ""},
		{"manifests/site.pp", "} node 'x' {\n    no§\n  ", "notify", ""},

		// Names.
		{c, "} class §", "web::c", "*"},
		{c, "} class w§ {", "web::c", "*"},
		{c, "} class x§", "", "*"},
		{c, "} define §", "web::c", "*"},
		{"modules/web/manifests/a/b.pp", "} class §", "web::a::b", "*"},
		{"modules/other/manifests/init.pp", "} class §", "other", "*"},
		{"modules/other/manifests/sub/own.pp", "} class ow§", "other::sub::own", "*"},
		{"modules/web/functions/f.pp", "} function §", "web::f", "*"},
		{"modules/web/types/t.pp", "} type §", "Web::T", "*"},
		{"functions/own.pp", "} function §", "own", "*"},
		{"manifests/site.pp", "} class §", "", "*"},
		{"manifests/site.pp", "} node §", "default", "*"},

		// Comments and texts.
		{c, "# $§", "", "*"},
		{c, "$x = 1 # $he§", "", "*"},
		{c, "# $facts['§", "", "*"},
		{c, "# include w§", "", "*"},
		{c, "# ${facts['os']['§", "", "*"},
		{c, "$x = '$he§'", "", "*"},
		{c, "$x = '$facts[\"§", "", "*"},
		{c, "$x = '${facts[\"os\"][\"§", "", "*"},
		{c, "$x = 'include w§'", "", "*"},
		{c, "$x = 'ensure => w§'", "", "*"},
		{c, "$x = \"include w§\"", "", "*"},
		{c, "$x = \"$he§\"", "here", "notify"},
		{c, "$x = \"${facts['os']['§']}\"", "name", "*"},
		{c, "$x = $facts['os']['§']", "name", "*"},
		{c, "include 'we§'", "web", ""},
		{c, "$x = 'a'.si§", "size", "file"},
	} {
		path := filepath.Join(n.dir, x.file)
		n.open(path, files[x.file])
		text := "class web::k {\n  $here = 1\n  " + x.text + "\n}\n"
		before, after, _ := strings.Cut(text, "§")
		version++
		n.edit(path, version, nil, before+after)
		list := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": n.uri(x.file)},
			"position": map[string]any{"line": strings.Count(before, "\n"), "character": len([]rune(before[strings.LastIndexByte(
				before, '\n')+1:]))}}).(map[string]any)
		var got []string
		for _, i := range list["items"].([]any) {
			got = append(got, i.(map[string]any)["label"].(string))
		}
		want := strings.Fields(x.want)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s %q: no %s in %.300q", x.file, x.text, w, got)
			}
		}
		for _, w := range strings.Fields(x.not) {
			if slices.Contains(got, w) || w == "*" && len(got) > len(want) {
				t.Errorf("%s %q: not %s in %.300q", x.file, x.text, w, got)
			}
		}
		n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": n.uri(x.file)}})
	}
	n.bye()
}
