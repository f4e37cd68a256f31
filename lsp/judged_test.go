package lsp_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBrokenAssertions: a mistake in the assertions of a folder is shown where it stands, also one that was there at
// the start; the folder is looked at meanwhile, and by the assertions as they are written.
func TestBrokenAssertions(t *testing.T) {
	files := maps.Clone(site)
	files["bunraku.assert"] = "file /x mode 0600\nno such thing\n"
	files["modules/web/manifests/init.pp"] = "class web {\n  file { '/x': ensure => file, mode => '0644' }\n}\n"
	dir := tree(t, files)
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir)
	n.rest()
	told := func(file string) string {
		n.mu.Lock()
		defer n.mu.Unlock()
		return strings.Join(n.told(filepath.Join(dir, file)), "\n")
	}
	got := told("bunraku.assert")
	if !strings.Contains(got, "2:1-2:3 A0001 ") || !strings.Contains(got, "1:1-1:18 V204 ") {
		t.Errorf("%q", got)
	}
	n.open(filepath.Join(dir, "bunraku.assert"), "file /x mode 0644\n")
	n.rest()
	if got := told("bunraku.assert"); got != "" {
		t.Errorf("mended: %q", got)
	}
	n.bye()
}

// TestFolderVanishes: nothing is said any more of a folder that is gone from the disk.
func TestFolderVanishes(t *testing.T) {
	files := maps.Clone(site)
	files["modules/web/manifests/init.pp"] = "class web {\n  notify { 'x' }\n}\n"
	dir := tree(t, files)
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir)
	n.rest()
	file := filepath.Join(dir, "modules/web/manifests/init.pp")
	n.mu.Lock()
	if len(n.told(file)) == 0 {
		t.Error("nothing is said")
	}
	n.mu.Unlock()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	n.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": "file://" + file,
		"type": 3}}})
	n.rest()
	n.mu.Lock()
	if got := n.told(file); len(got) != 0 {
		t.Errorf("%q; the log says %q", got, n.logs)
	}
	n.mu.Unlock()
	n.bye()
}

// TestSaidOnce: several problems of a kind at one place are one, as check tells them.
func TestSaidOnce(t *testing.T) {
	n := navigate(t, site)
	file := filepath.Join(n.dir, "modules/web/manifests/init.pp")
	n.open(file, "class web {\n  notify { @(\"END\"/n): }\n    \\P \\P\n    | END\n  notify { \"\\P \\P\": }\n}\n")
	n.rest()
	n.mu.Lock()
	told := n.told(file)
	n.mu.Unlock()
	if slices.Sort(told); len(told) == 0 || len(slices.Compact(slices.Clone(told))) != len(told) {
		t.Errorf("%q", told)
	}
	n.bye()
}
