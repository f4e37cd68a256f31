package lsp_test

import (
	"path/filepath"
	"slices"
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
			return source.Diagnostics{{Code: "X", Summary: "syntax error, unexpected literal 'hunter2'",
				Place: source.Place{File: f}}}
		}
	}), tree(t, site)}
	n.start([]string{"utf-8"}, n.dir)
	for _, x := range []struct{ file, text, want string }{
		{"data/unused.yaml", "a: 1\nb: [1\nc: hunter2\n", "2:1-2:6 H0101 did not find expected ',' or ']'"},
		{"data/alias.yaml", "a: *hunter2\n", "H0102 Unknown alias"},
		{"data/itself.yaml", "a: &hunter2 [*hunter2]\n", "H0103 the alias contains itself"},
		{"data/float.yaml", "a: !!float hunter2\n", "H0105 invalid value for Float()"},
		{"data/common.yaml", "web::port: *hunter2\n", "H0102 Unknown alias"},
		{"data/unused.json", `{"a": 1, "b": hunter2 }`, "1:15-1:16 H0110 cannot be read as JSON"},
		{"hiera.yaml", "version: 5\nhierarchy:\n  - name: x\n   bad: [\n", "H0101"},
		{"metadata.json", `{"name": "a-b",}`, "1:16-1:17 H0110 cannot be read as JSON"},
		{"Puppetfile", "mod (", "X syntax error"},
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
	n.open(filepath.Join(n.dir, "data/common.yaml"), "web::port: *hunter2\n") // what a node comes to
	n.rest()
	n.bye()
	if all := n.all.String(); strings.Contains(all, "hunter2") || !strings.Contains(all, "Unable to parse Unknown alias") {
		t.Error(all)
	}
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

// TestDatadirs: data are where hiera.yaml says, of the environment and of a module, of every version, with names that
// are computed in part; what it says can change.
func TestDatadirs(t *testing.T) {
	settings := "version: 5\ndefaults:\n  datadir: values\n  data_hash: yaml_data\nhierarchy:\n  - name: Common\n    path: common.yaml\n" +
		"  - name: Site\n    datadir: \"sites/%{facts.fqdn}/x\"\n    path: s.yaml\n"
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n", "manifests/site.pp": "include web\n", "facts/a.json": `{"fqdn": "a"}`,
		"hiera.yaml": settings, "values/common.yaml": "web::port: 8080\n", "sites/b/x/s.yaml": "web::port: 81\n",
		"modules/web/manifests/init.pp":  "class web (Integer $port) {\n}\n",
		"modules/web/hiera.yaml":         "version: 5\nhierarchy:\n  - {name: x, datadir: defaults, path: some.yaml,\n     data_hash: yaml_data}\n",
		"old/hiera.yaml":                 "---\n:backends: [yaml]\n:yaml:\n  :datadir: older\n",
		"old/older/a.yaml":               "web::port: 85\n",
		"modules/web/defaults/some.yaml": "web::port: 82\n",
		"elsewhere/other.yaml":           "web::port: 83\n",
		"docs/compose.yaml":              "web::port: 84\n",
	})
	references := func() (out []string) {
		ask := n.pos("modules/web/manifests/init.pp", "port", 1)
		ask["context"] = map[string]any{"includeDeclaration": true}
		for _, x := range n.ask("textDocument/references", ask).([]any) {
			out = append(out, strings.TrimPrefix(x.(map[string]any)["uri"].(string), "file://"+n.dir+"/"))
		}
		return out
	}
	n.rest()
	want := []string{"modules/web/defaults/some.yaml", "modules/web/manifests/init.pp", "old/older/a.yaml",
		"sites/b/x/s.yaml", "values/common.yaml"}
	if got := references(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := n.hover("values/common.yaml", "web::port", 1); !strings.Contains(got, "8080") {
		t.Errorf("hover: %s", got)
	}
	path := filepath.Join(n.dir, "hiera.yaml")
	n.open(path, strings.Replace(settings, "datadir: values", "datadir: elsewhere", 1))
	n.rest()
	want = []string{"elsewhere/other.yaml", "modules/web/defaults/some.yaml", "modules/web/manifests/init.pp",
		"old/older/a.yaml", "sites/b/x/s.yaml"}
	if got := references(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	n.open(filepath.Join(n.dir, "elsewhere/other.yaml"), "a: [1\n")
	n.taken()
	n.mu.Lock()
	told := n.told(filepath.Join(n.dir, "elsewhere/other.yaml"))
	n.mu.Unlock()
	if len(told) != 1 {
		t.Errorf("told: %q", told)
	}
	n.bye()
}
