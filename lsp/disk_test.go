package lsp_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (n *nav) write(file, text string) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, file), []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
}

var shared = map[string]string{
	"environment.conf":              "modulepath = modules\n",
	"hiera.yaml":                    "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
	"data/common.yaml":              "web::port: 8080\n",
	"facts/a.json":                  `{"fqdn": "a"}`,
	"manifests/site.pp":             "node default { include web }\n",
	"modules/web/manifests/init.pp": "class web (Integer $port) {\n  notify { \"no ${port}\": }\n  include web::sub\n}\n",
	"modules/web/manifests/sub.pp":  "class web::sub {\n  notify { \"sub ${web::port}\": }\n}\n",
}

// TestRenameOfNow: a rename edits the files as they are, whoever wrote them since they were last looked at, and also
// right after one was closed without being saved.
func TestRenameOfNow(t *testing.T) {
	const sub, late = "modules/web/manifests/sub.pp", "modules/web/manifests/late.pp"
	for name, change := range map[string]func(n *nav){
		"closed without being saved": func(n *nav) {
			n.open(filepath.Join(n.dir, sub), "# one\n# two\n"+shared[sub])
			n.rest()
			n.ask("textDocument/documentSymbol", n.doc(sub))
			n.notify("textDocument/didClose", n.doc(sub))
		},
		"written by somebody else": func(n *nav) { n.write(sub, "# from elsewhere\n"+shared[sub]) },
		"created by somebody else": func(n *nav) { n.write(late, "class web::late {\n  notify { \"${web::port}\": }\n}\n") },
		"no longer naming it":      func(n *nav) { n.write(sub, "class web::sub {}\n") },
	} {
		t.Run(name, func(t *testing.T) {
			n := navigate(t, shared)
			n.rest()
			change(n)
			want := filesOf(t, n.dir)
			for file, text := range want {
				want[file] = strings.ReplaceAll(text, "port", "listen")
			}
			edit, why := n.renameIn("modules/web/manifests/init.pp", "port)", 1, "listen")
			if why != "" {
				t.Fatal(why)
			}
			for file, text := range n.written(edit) {
				if text != want[file] {
					t.Errorf("%s is %q, should be %q", file, text, want[file])
				}
			}
			n.bye()
		})
	}
}

// TestClosedNamesNothing: what was typed and not saved names nothing once the file is closed.
func TestClosedNamesNothing(t *testing.T) {
	n := navigate(t, shared)
	const sub, scratch = "modules/web/manifests/sub.pp", "modules/web/manifests/scratch.pp"
	for _, file := range []string{sub, scratch} {
		n.open(filepath.Join(n.dir, file), "class web::x {\n  $scribble = 1\n}\n")
	}
	n.rest()
	for _, file := range []string{sub, scratch} {
		n.ask("textDocument/documentSymbol", n.doc(file))
		n.notify("textDocument/didClose", n.doc(file))
	}
	var got []string
	for _, x := range n.ask("workspace/symbol", map[string]any{"query": "web::"}).([]any) {
		got = append(got, x.(map[string]any)["name"].(string))
	}
	if want := []string{"web::port", "web::sub"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	n.bye()
}

// TestFolderInFolder: folders that lie in one another see the text of the same open file, and each keeps what it says
// of it. A rename is right in both.
func TestFolderInFolder(t *testing.T) {
	files := maps.Clone(shared)
	files["modules/web/metadata.json"] = `{"name": "a-web", "version": "1.0.0", "author": "a", "license": "x", "summary": "x",
  "source": "x", "dependencies": []}`
	dir := tree(t, files)
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir, filepath.Join(dir, "modules/web"))
	n.rest()
	const sub = "modules/web/manifests/sub.pp"
	path := filepath.Join(dir, sub)
	says := func() bool {
		n.rest()
		n.mu.Lock()
		defer n.mu.Unlock()
		return slices.ContainsFunc(n.told(path), func(line string) bool { return strings.Contains(line, "is 8080 here") })
	}
	n.open(path, shared[sub])
	// The outer folder alone has the data.
	n.edit(path, 2, nil, "class web::sub {\n  fail(\"${web::port} is 8080 here\")\n}\n")
	if !says() {
		t.Errorf("the tree around does not see what is typed: %q", n.told(path))
	}
	n.notify("textDocument/didSave", n.doc(sub))
	if !says() {
		t.Errorf("it is forgotten when the folders are looked at again: %q", n.told(path))
	}
	n.edit(path, 3, nil, shared[sub])
	if says() {
		t.Errorf("it is mended, and still said: %q", n.told(path))
	}
	edit, why := n.renameIn("modules/web/manifests/init.pp", "port)", 1, "listen")
	if why != "" {
		t.Fatal(why)
	}
	if got := n.written(edit); got["data/common.yaml"] != "web::listen: 8080\n" {
		t.Errorf("the rename forgets the tree around: %q", got)
	}
	n.bye()
}

// TestOpenElsewhere: a file that is open by a way that leads nowhere, or out of the tree, takes nothing away from the
// others.
func TestOpenElsewhere(t *testing.T) {
	dir, other := tree(t, shared), tree(t, map[string]string{"manifests/init.pp": "class ext {}\n"})
	if err := os.Symlink(other, filepath.Join(dir, "modules/ext")); err != nil {
		t.Fatal(err)
	}
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir)
	for _, file := range []string{"modules/ext/manifests/init.pp", "manifests/site.pp/under.pp"} {
		n.open(filepath.Join(dir, file), "class ext {}\n")
		n.rest()
		n.ask("textDocument/hover", n.pos("modules/web/manifests/init.pp", "port)", 1))
		if len(n.logs) != 1 || !strings.Contains(n.logs[0], " N0104 ") { // what is not read is told of once
			t.Errorf("%s: the log says %q", file, n.logs)
		}
	}
	n.ready("modules/web/manifests/init.pp", "port)", "8080")
	if edit, why := n.renameIn("modules/ext/manifests/init.pp", "ext", 1, "ext::other"); edit != nil || why == "" {
		t.Errorf("a rename of what is not looked at: %v %s", edit, why)
	}
	n.bye()
}

// TestWatched: whatever a compile misses or reads is looked at again once somebody else has written it, and for nothing
// else nodes are compiled again.
func TestWatched(t *testing.T) {
	dir := tree(t, map[string]string{
		"environment.conf":  "modulepath = modules\n",
		"facts/a.json":      `{"fqdn": "a"}`,
		"manifests/site.pp": "node default { include m }\n",
		"modules/m/manifests/init.pp": "class m {\n  file { '/a': content => template('m/x.cfg') }\n" +
			"  file { '/b': source => 'puppet:///modules/m/y.txt' }\n}\n",
		"modules/m/lib/a.txt": "", "modules/m/files/z": "", ".git/HEAD": "", "README.md": "",
	})
	n := &nav{dial(t, nil), dir}
	n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{
		"workspace": map[string]any{"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}}})
	n.notify("initialized", map[string]any{})
	n.rest()
	n.wait("a registration", func() bool { return strings.Contains(n.all.String(), "client/registerCapability") })
	if !strings.Contains(n.all.String(), `"globPattern":"**/*"`) {
		t.Errorf("what is watched: %s", n.all.String())
	}
	told := func() string {
		n.rest()
		n.mu.Lock()
		defer n.mu.Unlock()
		return strings.Join(n.told(filepath.Join(dir, "modules/m/manifests/init.pp")), "\n")
	}
	tell := func(files ...string) {
		var list []any
		for _, file := range files {
			list = append(list, map[string]any{"uri": n.uri(file), "type": 1})
		}
		n.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": list})
	}
	if got := told(); !strings.Contains(got, "x.cfg") {
		t.Fatalf("at first: %q", got)
	}
	for _, x := range []struct{ file, gone string }{
		{"modules/m/templates/x.cfg", "x.cfg"}, {"modules/m/files/y.txt", "y.txt"},
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, x.file)), 0o755); err != nil {
			t.Fatal(err)
		}
		n.write(x.file, "hi\n")
		tell(".git/HEAD", x.file)
		if got := told(); strings.Contains(got, x.gone) {
			t.Errorf("after %s: %q", x.file, got)
		}
	}
	for file, want := range map[string]bool{"Puppetfile": true, "modules/new": true, "data/x.hocon": true,
		"modules/m/lib/facter/x.sh": true, ".fixtures.yml": true, ".gitmodules": true, "keys/private_key.pkcs7.pem": true,
		".git/index.lock": false, ".git/refs/x": false, "README.md": false, ".modules/m/manifests/init.pp": false,
		"modules/m/manifests/.init.pp.swp": false, "doc/image.png": false} {
		if got := n.to.Matters(filepath.Join(dir, file)); got != want {
			t.Errorf("%s matters: %v", file, got)
		}
	}
	n.bye()
}

// TestFolderThatIsNotThere: it takes nothing away from the others.
func TestFolderThatIsNotThere(t *testing.T) {
	dir := tree(t, shared)
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, filepath.Join(dir, "gone"), dir)
	n.rest()
	if got := n.ask("workspace/symbol", map[string]any{"query": "web::sub"}).([]any); len(got) != 1 {
		t.Errorf("symbols: %v", got)
	}
	for _, command := range []string{"bunraku.nodes.list", "bunraku.nodes.choose"} {
		got := n.ask("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{}}).([]any)
		if len(got) != 1 {
			t.Errorf("%s: %v", command, got)
		}
	}
	n.bye()
}
