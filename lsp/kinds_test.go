package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"bunraku/lsp"
	"bunraku/source"
)

// TestOtherFiles: what keeps a file from being read that is no code is told while it is written, in its place. Nothing
// of what such a file holds is quoted: nobody knows yet what of it is secret.
func TestOtherFiles(t *testing.T) {
	n := &nav{dial(t, func(o *lsp.Options) {
		o.Other = func(f *source.File) source.Diagnostics {
			if filepath.Base(f.Name) != "Puppetfile" {
				return nil
			}
			return source.Diagnostics{{Code: "X", Summary: "told by the program", Place: source.Place{File: f}}}
		}
	}), tree(t, site)}
	n.start([]string{"utf-8"}, n.dir)
	for _, x := range []struct{ file, text, want string }{
		{"data/unused.yaml", "a: 1\nb: [1\nc: hunter2\n", "2:1-2:6 H0101 did not find expected ',' or ']'"},
		{"data/unused.json", `{"a": 1, "b": hunter2 }`, "1:15-1:16 H0110 cannot be read as JSON"},
		{"hiera.yaml", "version: 5\nhierarchy:\n  - name: x\n   bad: [\n", "H0101"},
		{"metadata.json", `{"name": "a-b",}`, "1:16-1:17 H0110 cannot be read as JSON"},
		{"Puppetfile", "mod (", "X told by the program"},
		{".github/ci.yaml", "a: [1\n", ""},
		{"facts/b.yaml", "a: [1\n", ""},
	} {
		path := filepath.Join(n.dir, x.file)
		n.open(path, x.text)
		n.taken()
		n.mu.Lock()
		told := strings.Join(n.told(path), "\n")
		if (told == "") != (x.want == "") || !strings.Contains(told, x.want) || strings.Contains(told, "hunter2") {
			t.Errorf("%s: %q", x.file, told)
		}
		n.mu.Unlock()
		n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": n.uri(x.file)}})
	}
	n.bye()
}

// TestOnlyData: a file is Hiera's by its place in the folder. Others have no keys, though they are open, and where the
// folder lies on the disk says nothing.
func TestOnlyData(t *testing.T) {
	files := map[string]string{"data/puppet/.github/ci.yaml": "jobs: 1\n", "data/puppet/metadata.json": `{"version": 1}`,
		"data/puppet/modules/web/templates/a.epp": "<%= $x %>\n"}
	for name, text := range site {
		files["data/puppet/"+name] = text
	}
	files["data/puppet/modules/web/manifests/init.pp"] = "class web (Integer $port) {\n  epp('web/a.epp')\n}\n"
	n := &nav{dial(t, nil), filepath.Join(tree(t, files), "data/puppet")}
	n.start([]string{"utf-8"}, n.dir)
	for _, file := range []string{".github/ci.yaml", "hiera.yaml", "metadata.json"} {
		n.open(filepath.Join(n.dir, file), files["data/puppet/"+file])
	}
	for _, query := range []string{"jobs", "hierarchy", "version"} {
		if got := n.ask("workspace/symbol", map[string]any{"query": query}).([]any); len(got) != 0 {
			t.Errorf("%s is a symbol: %v", query, got)
		}
	}
	if got := n.ask("workspace/symbol", map[string]any{"query": "web::port"}).([]any); len(got) != 1 {
		t.Errorf("web::port: %v", got)
	}
	if got := n.ask("textDocument/documentSymbol", map[string]any{
		"textDocument": map[string]any{"uri": n.uri("hiera.yaml")}}).([]any); len(got) != 2 {
		t.Errorf("outline of hiera.yaml: %v", got)
	}
	n.bye()
}
