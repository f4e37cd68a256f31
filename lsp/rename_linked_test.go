package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRenameLinked: a file that links lead to is edited once, by its real path; and not at all if a word of it means
// something else under another name.
func TestRenameLinked(t *testing.T) {
	const x, erb, n = "modules/web/manifests/x.pp", "modules/web/templates/t.erb", "modules/web/manifests/n.pp"
	for _, c := range []struct {
		files          map[string]string
		link, to       string
		in, word, name string
		file, wanted   string // what is edited, and how it is then
		why            string
	}{
		{link: "data/nodes/b.yaml", to: "a.yaml", files: map[string]string{"data/nodes/a.yaml": "web::x::size: 3\n"},
			in: x, word: "size", name: "width", file: "data/nodes/a.yaml", wanted: "web::x::width: 3\n"},
		{link: "modules/web/manifests/o.pp", to: "x.pp", in: x, word: "size", name: "width", file: x,
			wanted: "class web::x (Web::W $width) {\n  notify { \"x ${width}\": }\n}\n"},
		{link: "modules/web/manifests/o.pp", to: "n.pp", in: n, word: "v|", name: "w", file: n,
			files:  map[string]string{n: "class web::n {\n  [1].each |$v| { notice($v) }\n}\n"},
			wanted: "class web::n {\n  [1].each |$w| { notice($w) }\n}\n"},
		{link: "modules/web/templates/u.erb", to: "t.erb", in: x, word: "size", name: "width", file: erb,
			files: map[string]string{erb: "<%= scope['web::x::size'] %>\n"}, wanted: "<%= scope['web::x::width'] %>\n"},
		{link: "modules/web/templates/u.erb", to: "t.erb", in: n, word: "v", name: "w",
			files: map[string]string{erb: "<%= @v %>\n", n: "class web::n {\n  $v = 1\n  $x = template('web/t.erb')\n}\n",
				"modules/web/manifests/o.pp": "class web::o {\n  $v = 2\n  $x = template('web/u.erb')\n}\n"},
			why: "t.erb:1 is also modules/web/templates/u.erb, where the same word means something else"},
		{link: "modules/web/manifests/o.pp", to: "x.pp", in: x, word: "web::x", name: "web::xx",
			why: "x.pp is the same file as another one"},
	} {
		base, _, _ := unreached()
		for p := range base {
			if strings.Contains(p, "unreached") {
				delete(base, p)
			}
		}
		for p, text := range c.files {
			base[p] = text
		}
		dir := tree(t, base)
		if err := os.Symlink(c.to, filepath.Join(dir, c.link)); err != nil {
			t.Fatal(err)
		}
		nav := &nav{dial(t, nil), dir}
		nav.start([]string{"utf-8"}, dir)
		edit, why := nav.renameIn(c.in, c.word, 1, c.name)
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s as %s with %s: %q, want %q", c.word, c.name, c.link, why, c.why)
		}
		if why == "" && c.why == "" {
			if strings.Contains(fmt.Sprint(edit), c.link) {
				t.Errorf("%s is edited as well", c.link)
			}
			if is := nav.written(edit)[c.file]; is != c.wanted {
				t.Errorf("%s is then\n%s", c.file, is)
			}
		}
		nav.bye()
	}
}

// TestRenameLinkedModule: a module that is a link is known by its usual path as well as by where it lies, and each of
// its files is edited once; its templates are called by the link's name.
func TestRenameLinkedModule(t *testing.T) {
	const manifest, erb = "dist/puppet-web/manifests/init.pp", "dist/puppet-web/templates/t.erb"
	dir := tree(t, map[string]string{
		"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`, "modules/README": "\n",
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "web::port: 3\n", "manifests/site.pp": "include web\n",
		manifest: "class web ($port) {\n  notify { 'x': message => template('web/t.erb') }\n}\n",
		erb:      "<%= @port %>\n",
	})
	if err := os.Symlink("../dist/puppet-web", filepath.Join(dir, "modules/web")); err != nil {
		t.Fatal(err)
	}
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir)
	n.rest()
	for _, file := range []string{"modules/web/manifests/init.pp", manifest, "modules/web/templates/t.erb", erb} {
		edit, why := n.renameIn(file, "port", 1, "number")
		if why != "" {
			t.Errorf("%s: %s", file, why)
			continue
		}
		is := fmt.Sprint(edit)
		if !strings.Contains(is, erb) || !strings.Contains(is, manifest) || !strings.Contains(is, "data/common.yaml") ||
			strings.Contains(is, "modules/web") || strings.Count(is, "newText:") != 3 {
			t.Errorf("%s: %v", file, edit)
		}
		if text := n.hover(file, "port", 1); !strings.Contains(text, "$port") {
			t.Errorf("%s: hover %q", file, text)
		}
	}
	got := n.places(n.ask("textDocument/definition", n.pos("modules/web/manifests/init.pp", "t.erb", 1)))
	if len(got) != 1 || !strings.Contains(got[0], "templates/t.erb") {
		t.Errorf("definition of the template: %q", got)
	}
	n.bye()
}
