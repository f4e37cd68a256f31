package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A screenRow is a line of a screen, and the part of it that belongs to the window above.
type screenRow struct {
	Text string `json:"text"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// TestEditorPictures: what docs/editor.md shows is what Debian's Neovim shows of examples/shop. With -write the
// pictures are taken anew.
func TestEditorPictures(t *testing.T) {
	script, err := filepath.Abs("testdata/lsp/picture.lua")
	must(t, err)
	doc, err := os.ReadFile("../../docs/editor.md")
	must(t, err)
	for _, c := range []struct {
		picture, file     string
		top, line, height string
		word, show, until string
		has               []string
	}{
		{picture: "editor-hover.png", file: "site-modules/profile/manifests/nginx.pp", top: "11", line: "12", height: "28",
			word: "port", show: "hover", until: "web2",
			has: []string{"Where it listens.", "on web1.shop.example", "by the default of the parameter", "8443",
				"data/nodes/web2.shop.example.yaml:3:23", `Hiera key profile::nginx::port, level "Node"`}},
		{picture: "editor-problems.png", file: "site-modules/profile/manifests/web/shop.pp", top: "46", line: "57",
			height: "24", word: "exec", show: "problems", until: "2",
			has: []string{"order missing (safe only by catalog order): Package[nginx] and",
				"not idempotent: Exec[basket store]", "/var/lib/baskets is there already   replayed",
				"add creates => '/var/lib/baskets', to Exec[basket store] (verified)"}},
	} {
		dir := filepath.Join(t.TempDir(), "shop")
		must(t, os.CopyFS(dir, os.DirFS("../../examples/shop")))
		t.Setenv("SHOWN", c.file)
		t.Setenv("TOP", c.top)
		t.Setenv("LINE", c.line)
		t.Setenv("LINES_SHOWN", c.height)
		t.Setenv("WORD", c.word)
		t.Setenv("SHOW", c.show)
		t.Setenv("UNTIL", c.until)
		var rows []screenRow
		var screen strings.Builder
		for _, line := range editor(t, dir, "nvim", "--headless", "--clean", "-c", "luafile "+script) {
			var row screenRow
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			screen.WriteString(row.Text + "\n")
			rows = append(rows, row)
		}
		for _, text := range c.has {
			if !strings.Contains(screen.String(), text) {
				t.Errorf("%s: the screen does not show %s:\n%s", c.picture, text, screen.String())
			}
		}
		if !strings.Contains(string(doc), "](images/"+c.picture+")") {
			t.Errorf("docs/editor.md does not show %s", c.picture)
		}
		if *write && !t.Failed() {
			drawScreen(t, rows, c.picture)
		}
		if _, err := os.Stat(filepath.Join("../../docs/images", c.picture)); err != nil {
			t.Error(err)
		}
	}
}

// drawScreen makes a picture of a screen, without the rows below its last text.
func drawScreen(t *testing.T, rows []screenRow, name string) {
	t.Helper()
	node, chromium, room := browserTools(t)
	for len(rows) > 0 && strings.Trim(rows[len(rows)-1].Text, " ~") == "" {
		rows = rows[:len(rows)-1]
	}
	picture, err := filepath.Abs(filepath.Join("../../docs/images", name))
	must(t, err)
	job, err := json.Marshal(map[string]any{"room": room, "chromium": chromium, "rows": rows, "picture": picture})
	must(t, err)
	path := filepath.Join(t.TempDir(), "job.json")
	must(t, os.WriteFile(path, job, 0o600))
	if out, err := exec.Command(node, "testdata/lsp/picture.mjs", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
