package lsp_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFoldersBeside: what a folder beside names is not left behind by a rename, and one that has a module of that name
// itself means its own.
func TestFoldersBeside(t *testing.T) {
	module := map[string]string{
		"metadata.json": `{"name": "a-web", "version": "1.0.0", "author": "a", "license": "x", "summary": "x",
  "source": "x", "dependencies": []}`,
		"manifests/init.pp":    "class web ($port = 1) {\n  $root = '/srv'\n  notify { \"${port} ${root}\": }\n}\n",
		"manifests/vhost.pp":   "define web::vhost ($size = 1) {\n  notify { \"${title} ${size}\": }\n}\n",
		"manifests/own.pp":     "class web::own {\n  $mine = 1\n  notify { \"${mine}\": }\n}\n",
		"functions/greet.pp":   "function web::greet($who) {\n  \"hello ${who}\"\n}\n",
		"types/mode.pp":        "type Web::Mode = Pattern[/\\A0\\d+\\z/]\n",
		"templates/a.epp":      "<%- | $level | -%>\n<%= $level %>\n",
		"manifests/nothing.pp": "class web::nothing {\n}\n",
	}
	control := map[string]string{
		"environment.conf": "modulepath = modules\n",
		"facts/a.json":     `{"fqdn": "a"}`,
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "web::port: 3\nclasses: [web::nothing]\n",
		"manifests/site.pp": `node default {
  include web
  web::vhost { 'a': size => 2 }
  $m = '0600' =~ Web::Mode
  notify { "${web::root} ${web::greet('x')} ${m}": message => epp('web/a.epp', { 'level' => 1 }) }
}
`,
	}
	files := map[string]string{}
	for p, text := range module {
		files["web/"+p] = text
	}
	for p, text := range control {
		files["control/"+p] = text
	}
	dir := tree(t, files)
	asks := []struct{ file, word, to, why string }{
		{"web/manifests/init.pp", "port", "number", "control/data/common.yaml:1"},
		{"web/manifests/init.pp", "root", "top", "control/manifests/site.pp:5"},
		{"web/manifests/vhost.pp", "size", "width", "control/manifests/site.pp:3"},
		{"web/manifests/vhost.pp", "web::vhost", "web::host", "control/manifests/site.pp:3"},
		{"web/functions/greet.pp", "web::greet", "web::hello", "control/manifests/site.pp:5"},
		{"web/types/mode.pp", "Web::Mode", "Web::Bits", "control/manifests/site.pp:4"},
		{"web/templates/a.epp", "level", "depth", "control/manifests/site.pp:5"},
		{"web/manifests/nothing.pp", "web::nothing", "web::none", "control/data/common.yaml:2"},
		{"web/manifests/own.pp", "mine", "ours", ""},
		{"web/manifests/own.pp", "web::own", "web::ours", ""},
		{"web/functions/greet.pp", "who", "whom", ""},
	}
	for _, folders := range [][]string{{"web", "control"}, {"control", "web"}} {
		n := &nav{dial(t, nil), dir}
		n.start([]string{"utf-8"}, filepath.Join(dir, folders[0]), filepath.Join(dir, folders[1]))
		for _, x := range asks {
			edit, why := n.renameIn(x.file, x.word, 1, x.to)
			if !strings.Contains(why, x.why) || (x.why == "") != (edit != nil) {
				t.Errorf("%s of %s: %v %q, want %q", x.word, x.file, edit, why, x.why)
			}
		}
		n.bye()
	}
	// A clone of its own beside has another module of the name.
	for p, text := range module {
		files["control/modules/web/"+p] = text
	}
	dir = tree(t, files)
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, filepath.Join(dir, "web"),
		filepath.Join(dir, "control"))
	for _, x := range asks {
		edit, why := n.renameIn(x.file, x.word, 1, x.to)
		if why != "" || slices.ContainsFunc(slices.Collect(maps.Keys(changesOf(edit))), func(uri string) bool {
			return strings.Contains(uri, "/control/")
		}) {
			t.Errorf("%s of %s, which the folder beside has itself: %v %q", x.word, x.file, edit, why)
		}
	}
	n.bye()
}
