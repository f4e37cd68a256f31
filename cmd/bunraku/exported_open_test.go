package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// openExporter is a site whose node n000 may export something, if what nobody knows here is so; n001 collects it.
func openExporter(t *testing.T, known string) *repository {
	t.Helper()
	s := newTree(t, 2, 1, map[string]string{
		"hiera.yaml":    "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n",
		"data/all.yaml": "k: 1\n",
		"manifests/site.pp": "if $facts['role'] == 'a' {\n  $s = " + known + "\n" +
			"  if $s == 'x' {\n    @@notify { 'e': message => lookup('k') }\n  }\n} else {\n  Notify <<| |>>\n}\n",
	})
	s.edit("data/all.yaml", "k: 1", "k: 2")
	return s
}

// Where it is not known what a node exports, nothing is proved of those who collect it.
func TestDiffOpenExporter(t *testing.T) {
	s := openExporter(t, "generate('/bin/cat', '/x')")
	check := func(how, out string) {
		t.Helper()
		if !strings.Contains(out, "2 nodes: 2 not known") || strings.Contains(out, "without effect") ||
			!strings.Contains(out, "what n000 exports is not known") || !strings.Contains(out, "no effect seen   ") {
			t.Errorf("%s:\n%s", how, out)
		}
	}
	store := filepath.Join(t.TempDir(), "store")
	for _, args := range [][]string{nil, {"--store", store}, {"--store", store}} {
		code, out := s.diff(append([]string{"--from", "HEAD"}, args...)...)
		if check(strings.Join(args, " "), out); code != exitUnknown {
			t.Errorf("exit %d", code)
		}
		_, out, err := call("diff", "merge", s.shards(2, args...), "--env", s.dir, "--from", "HEAD")
		check("in parts "+err, out)
	}
	if code, out := s.diff("--from", "HEAD", "--nodes", "n001"); code != exitUnknown ||
		!strings.Contains(out, "1 node: 1 not known") || strings.Contains(out, "without effect") {
		t.Errorf("the collector alone: exit %d\n%s", code, out)
	}
	if code, out, _ := call("impact", s.dir, "--from", "HEAD"); code != exitNo || !strings.Contains(out, "2 of 2") ||
		!strings.Contains(out, "what n000 exports is not known") {
		t.Errorf("impact: exit %d\n%s", code, out)
	}
	// Where all of it is known, the same node cannot change.
	s = openExporter(t, "'y'")
	if code, out := s.diff("--from", "HEAD"); code != exitFine || !strings.Contains(out, "2 cannot change") {
		t.Errorf("all is known: exit %d\n%s", code, out)
	}
}

// Where it is not this tree that says what nodes export, a collector cannot be seen to change with what others will
// export: that is said, by diff and by impact.
func TestDiffExportsElsewhere(t *testing.T) {
	s := openExporter(t, "'x'")
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "[]") }))
	defer db.Close()
	for _, c := range []struct {
		says string
		args []string
	}{
		{"What nodes export is that of the nodes at hand: 1 resource before, 1 after.", nil},
		{"what they will export is not looked at", []string{"--exported", "puppetdb", "--puppetdb", db.URL}},
		{"What other nodes export is not looked at", []string{"--exported", "none"}},
	} {
		if _, out := s.diff(append([]string{"--from", "HEAD"}, c.args...)...); !strings.Contains(out, c.says) {
			t.Errorf("diff %s:\n%s", c.args, out)
		}
		for _, format := range []string{"text", "json"} {
			args := append([]string{"impact", s.dir, "--from", "HEAD", "--format", format}, c.args...)
			if _, out, err := call(args...); !strings.Contains(out, c.says) {
				t.Errorf("%s:\n%s%s", args, out, err)
			}
		}
	}
}
