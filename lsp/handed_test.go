package lsp_test

import (
	"slices"
	"testing"
)

// TestClassesInData: what code looks up and includes are classes, under whatever key; other data are not.
func TestClassesInData(t *testing.T) {
	files := map[string]string{
		"environment.conf": "modulepath = modules\n",
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"facts/a.json":     `{"fqdn": "a"}`,
		"manifests/site.pp": `node default { lookup('profile::classes').include }
node never {
  include(lookup('more'))
  hiera_include('all')
  lookup('each', Array[String], 'unique').each |$c| { include $c }
  $x = lookup('var').unique
  contain $x
  include role
}
`,
		"modules/role/manifests/init.pp": "class role (Array $list) {\n  require($list)\n}\n",
		"modules/app/manifests/init.pp":  "class app {}\n",
		"modules/app/manifests/sub.pp":   "class app::sub {}\n",
		"data/common.yaml": `profile::classes: [app, app::sub]
more:
  - '::app' # without quotes it is a symbol, which Hiera refuses
all: app
each: ['app']
var: app
role::list: [app]
foo: app
bar: [app::sub]
`,
	}
	n := navigate(t, files)
	n.rest()
	const app = "modules/app/manifests/init.pp:1:7"
	want := []string{"data/common.yaml:1:20", "data/common.yaml:3:8", "data/common.yaml:4:6", "data/common.yaml:5:9",
		"data/common.yaml:6:6", "data/common.yaml:7:14"}
	ask := n.pos("modules/app/manifests/init.pp", "app", 1)
	ask["context"] = map[string]any{"includeDeclaration": false}
	got := slices.DeleteFunc(n.places(n.ask("textDocument/references", ask)), func(p string) bool {
		return p == "manifests/site.pp:1:43" // where a node comes to it
	})
	if !slices.Equal(got, want) {
		t.Errorf("references:\n got %q\nwant %q", got, want)
	}
	for _, text := range []string{"app,", "app' #", "app\neach", "app']", "app\nrole", "app]\nfoo"} {
		if got := n.places(n.ask("textDocument/definition", n.pos("data/common.yaml", text, 1))); !slices.Equal(got,
			[]string{app}) {
			t.Errorf("definition of %q: %q", text, got)
		}
	}
	if got := n.hover("data/common.yaml", "app::sub", 1); got == "" {
		t.Error("no hover")
	}
	if got := n.places(n.ask("textDocument/definition", n.pos("data/common.yaml", "app\nbar", 1))); len(got) > 0 {
		t.Errorf("foo: %q", got)
	}
	n.bye()
}
