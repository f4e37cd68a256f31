package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exportSite is a tree with two nodes that export to each other and one that does not care.
func exportSite(t *testing.T, key, title string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	for name, text := range map[string]string{
		"manifests/site.pp": "node 'other' { }\nnode 'db1' {\n  @@notify { " + title + ":\n    message => '" + key +
			"',\n    tag => 'keys',\n  }\n}\n" +
			"node default {\n  Notify <<| tag == 'keys' |>>\n}\n",
		"facts/db1.json":   `{"name": "db1", "values": {}}`,
		"facts/web1.json":  `{"name": "web1", "values": {}}`,
		"facts/other.json": `{"name": "other", "values": {}}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDiffCrossesNodes changes what one node exports: the node that collects it changes as well, and nobody else.
func TestDiffCrossesNodes(t *testing.T) {
	from, to := exportSite(t, "old", "'k'"), exportSite(t, "new", "'k'")
	code, out, errs := call("diff", to, "--from", from)
	if code != exitNo || !strings.Contains(out, "web1") || strings.Contains(out, "other ") ||
		!strings.Contains(out, "'old'") || !strings.Contains(out, "'new'") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// What it comes from is a line that only another node reads.
	if !strings.Contains(out, "/manifests/site.pp:4, through what db1 exports\n") {
		t.Errorf("the cause is missing\n%s", out)
	}
	// Who is asked for alone is told what the others export.
	if code, out, errs = call("diff", to, "--from", from, "--nodes", "web*"); code != exitNo ||
		!strings.Contains(out, "1 node: 1 changed") ||
		!strings.Contains(out, "site.pp:4, through what db1 exports\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = call("impact", to, "--from", from)
	if code != exitNo || !strings.Contains(out, "what other nodes export: Notify") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs = call("diff", from, "--from", from); code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = call("diff", to, "--from", from, "--exported", "none")
	if code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// TestExportedTwice collects what two nodes export under one title: both are named, with their places.
func TestExportedTwice(t *testing.T) {
	dir := exportSite(t, "x", "'k'")
	site := filepath.Join(dir, "manifests", "site.pp")
	text, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "node 'other' { }", "node 'other' { @@notify { 'k': tag => 'keys' } }", 1)
	if err := os.WriteFile(site, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("compile", dir, "--node", "web1")
	for _, want := range []string{"error[E0543]", "site.pp:1:16", "exported by other", "site.pp:3:3", "exported by db1",
		"site.pp:9:"} {
		if code != exitFailed || !strings.Contains(errs, want) {
			t.Fatalf("exit %d, no %q\n%s%s", code, want, out, errs)
		}
	}
	// A node alone is told so.
	if code, out, errs = call("compile", exportSite(t, "x", "'k'"), "--node", "web1", "--exported",
		"some"); code != exitFailed {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
