package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/lsp"
)

// TestModulesElsewhere: what a module outside of the folder defines is found where the module may be read, and what it
// names is not renamed.
func TestModulesElsewhere(t *testing.T) {
	dir := tree(t, map[string]string{
		"control/environment.conf": "modulepath = site:../modules\n",
		"control/facts/a.json":     `{"fqdn": "a"}`,
		"control/hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"control/data/common.yaml": "web::port: 80\nprofile::x::y: 3\ngone::port: 1\n",
		"control/manifests/site.pp": "include web\ninclude profile::x\nweb::own { 'o': size => 3 }\n$z = web::fn(1)\n" +
			"$q = $web::port\n",
		"control/site/profile/manifests/x.pp": "class profile::x ($y = 1) {\n  notify { template('web/t.erb'): }\n" +
			"  $a = 'x' =~ Web::Ty\n  $alone = 1\n}\n",
		"modules/web/manifests/init.pp":  "# Serves.\nclass web ($port = 1) {\n}\n",
		"modules/web/manifests/never.pp": "class web::never {\n  include profile::x\n  $z = lookup('profile::x::y')\n}\n",
		"modules/web/manifests/own.pp":   "define web::own ($size = 1) {\n}\n",
		"modules/web/functions/fn.pp":    "function web::fn($x) {\n  $x\n}\n",
		"modules/web/types/ty.pp":        "type Web::Ty = String\n",
		"modules/web/templates/t.erb":    "<%= scope['profile::x::y'] %>\n",
		"modules/web/data/common.yaml":   "web::port: 81\n",
		"modules/web/metadata.json": `{"name": "me-web", "version": "1.0.0", "author": "me", "source": "x",
			"license": "MIT", "summary": "x", "dependencies": []}`,
	})
	start := func(roots ...string) *nav {
		n := &nav{dial(t, func(o *lsp.Options) { o.Compile.Roots = roots }), filepath.Join(dir, "control")}
		n.start([]string{"utf-8"}, n.dir)
		n.rest()
		return n
	}
	const site, x, data = "manifests/site.pp", "site/profile/manifests/x.pp", "data/common.yaml"
	modules := filepath.Join(dir, "modules")
	n := start(modules)
	for _, c := range []struct{ file, word, want string }{
		{site, "web\n", "manifests/init.pp:2:7"}, {site, "web::own", "manifests/own.pp:1:8"},
		{site, "size", "manifests/own.pp:1:19"}, {site, "web::fn", "functions/fn.pp:1:10"},
		{site, "web::port", "manifests/init.pp:2:13"}, {data, "web::port", "manifests/init.pp:2:13"},
		{x, "web/t.erb", "templates/t.erb:1:1"}, {x, "Web::Ty", "types/ty.pp:1:6"},
	} {
		got := n.places(n.ask("textDocument/definition", n.pos(c.file, c.word, 1)))
		if want := "file://" + modules + "/web/" + c.want; !slices.Equal(got, []string{want}) {
			t.Errorf("%s is defined at %v, want %s", c.word, got, want)
		}
	}
	if text := n.hover(site, "web\n", 1); !strings.Contains(text, "Serves.") {
		t.Errorf("hover: %s", text)
	}
	ask := n.pos(x, "y = 1", 1)
	ask["context"] = map[string]any{"includeDeclaration": true}
	if got := n.places(n.ask("textDocument/references", ask)); len(got) != 4 { // itself, the data, a lookup, a template
		t.Errorf("references: %v", got)
	}
	for _, c := range []struct{ file, word, to string }{{x, "profile::x", "profile::z"}, {x, "y = 1", "z"},
		{data, "web::port", "web::gate"}, {site, "web::own", "web::mine"}, {site, "size", "width"}} {
		if _, why := n.renameIn(c.file, c.word, 1, c.to); !strings.Contains(why, "is not yours to edit") {
			t.Errorf("%s is renamed, or not for what it should be: %s", c.word, why)
		}
	}
	n.renameFine(x, "alone", "lonely")
	n.bye()

	n = start() // it may not be read
	if got := n.places(n.ask("textDocument/definition", n.pos(site, "web\n", 1))); len(got) > 0 {
		t.Errorf("it leads to %v", got)
	}
	n.renameFine(data, "gone::port", "gone::gate")
	n.bye()
	if said := "there is no module gone here whose class may take it"; !strings.Contains(n.all.String(), said) {
		t.Errorf("nobody is told that %s", said)
	}
}
