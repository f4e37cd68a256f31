package lsp_test

import (
	"fmt"
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

// TestRenamePlanParameter: a plan's parameter is kept by who gives it wherever somebody asks for the rename.
func TestRenamePlanParameter(t *testing.T) {
	files, _, _ := unreached()
	maps.DeleteFunc(files, func(p, _ string) bool { return strings.Contains(p, "unreached") })
	const plan = "modules/web/plans/p.pp"
	files[plan] = `plan web::p(Integer $port, TargetSpec $nodes) {
  $r = run_task('web::t', $nodes)
  run_plan('web::p', port => 1, nodes => $nodes)
  notice("${port} ${r}")
}
`
	n := navigate(t, files)
	for _, x := range []struct {
		word string
		nth  int
		why  string
	}{{"$port", 1, "p.pp:3 has port"}, {"${port", 1, "p.pp:3 has port"}, {"$nodes", 1, "p.pp:3 has nodes"},
		{"$nodes", 2, "p.pp:3 has nodes"}, {"$nodes", 3, "p.pp:3 has nodes"}, {"$r", 1, ""}, {"${r", 1, ""}} {
		p := n.pos(plan, x.word, x.nth)["position"].(map[string]any)
		ask := n.doc(plan)
		ask["position"] = map[string]any{"line": p["line"], "character": p["character"].(int) + len(x.word) - 1}
		ask["newName"] = "other"
		m := n.answer(n.send("textDocument/rename", ask))
		why := ""
		if e, is := m["error"].(map[string]any); is {
			why = e["message"].(string)
		}
		if !strings.Contains(why, x.why) || (x.why == "") != (why == "") {
			t.Errorf("%s, the %d. time: %q, want %q", x.word, x.nth, why, x.why)
		}
	}
	n.bye()
}

// TestRenameDocumented: what puppet-strings has of a function's parameter is its, and goes with it; a parameter of a
// block has nothing of what stands above the class.
func TestRenameDocumented(t *testing.T) {
	files := maps.Clone(named)
	const greet, list, plan = "modules/web/functions/greet.pp", "modules/web/manifests/list.pp", "modules/web/plans/p.pp"
	files[greet] = "# Greets.\n#\n# @param who\n#   is greeted\n# @return a greeting\n" + named[greet]
	files[list] = `# Lists.
#
# @param port the port
class web::list ($port = 1) {
  $all = [1].map |$port| { $port + 1 }
  notify { "${all} ${port}": }
}
`
	files[plan] = "# @param where that\nplan web::p($where) {\n  notice($where)\n}\n"
	n := navigate(t, files)
	edit, why := n.renameIn(greet, "who}", 1, "whom")
	if why != "" {
		t.Fatal(why)
	}
	if is, want := n.written(edit)[greet], strings.ReplaceAll(files[greet], "who", "whom"); is != want {
		t.Errorf("a function is then\n%s", is)
	}
	if edit, why = n.renameIn(plan, "where)", 1, "there"); why != "" {
		t.Fatal(why)
	}
	if is, want := n.written(edit)[plan], strings.ReplaceAll(files[plan], "where", "there"); is != want {
		t.Errorf("a plan is then\n%s", is)
	}
	ask := n.pos(list, "port|", 1)
	ask["context"] = map[string]any{"includeDeclaration": true}
	if is := n.places(n.ask("textDocument/references", ask)); len(is) != 2 {
		t.Errorf("a block's parameter is at %q", is)
	}
	if is := fmt.Sprint(n.ask("textDocument/hover", ask)); strings.Contains(is, "the port") {
		t.Errorf("a block's parameter is said to be %s", is)
	}
	if edit, why = n.renameIn(list, "port|", 1, "number"); why != "" {
		t.Fatal(why)
	}
	want := strings.Replace(files[list], "|$port| { $port", "|$number| { $number", 1)
	if is := n.written(edit)[list]; is != want {
		t.Errorf("a class is then\n%s", is)
	}
	n.bye()
}

// TestRenameBehindKey: what stands behind a key and a point is a part of the value, and no place to rename the key at.
func TestRenameBehindKey(t *testing.T) {
	files := maps.Clone(named)
	const uses = "modules/web/manifests/uses.pp"
	files[uses] = "class web::uses {\n  notice(lookup('deep.under.far'))\n}\n"
	files["data/common.yaml"] += "deep:\n  under: {far: 1}\n"
	n := navigate(t, files)
	for word, name := range map[string]string{"deep": "other", "under": "", "far": ""} {
		_, why := n.renameIn(uses, word, 1, "other")
		prepared := n.answer(n.send("textDocument/prepareRename", n.pos(uses, word, 1)))["result"]
		if (name == "") != strings.Contains(why, "part of the value of deep") || (name == "") != (prepared == nil) {
			t.Errorf("%s: %q, %v", word, why, prepared)
		}
	}
	n.bye()
}

// TestMovesWithEdits: a client that can move files gets the edits and the move in one list, whatever it says of
// versions.
func TestMovesWithEdits(t *testing.T) {
	const child = "modules/web/manifests/child.pp"
	n := &nav{dial(t, nil), tree(t, named)}
	n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + n.dir, "capabilities": map[string]any{
		"workspace": map[string]any{"workspaceEdit": map[string]any{"resourceOperations": []string{"rename"}}}}})
	n.notify("initialized", map[string]any{})
	edit, why := n.renameIn(child, "web::child", 1, "web::kid")
	if why != "" {
		t.Fatal(why)
	}
	files := n.written(edit)
	if kid := files["modules/web/manifests/kid.pp"]; files[child] != "" || !strings.HasPrefix(kid, "class web::kid ") ||
		edit["changes"] != nil {
		t.Errorf("%v", edit)
	}
	n.bye()
}
