package lsp_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCodeActions: every edit that is offered for the example's faults applies to the text that the client has, takes its
// problem away and brings no other.
func TestCodeActions(t *testing.T) {
	files := map[string]string{}
	const shop = "../examples/shop"
	err := filepath.WalkDir(shop, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		files[strings.TrimPrefix(p, shop+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := navigate(t, files)
	count := func() (all int, codes string) { // the lock is held
		for _, p := range n.shown {
			for _, x := range p["diagnostics"].([]any) {
				all++
				codes += x.(map[string]any)["code"].(string) + " "
			}
		}
		return all, codes
	}
	began := 0
	n.wait("the faults", func() bool { began, _ = count(); return began >= 3 })
	version, opened := 1, map[string]bool{}
	for left := began; left > 0; left-- {
		var uri string
		var diagnostic map[string]any
		n.mu.Lock()
		for u, p := range n.shown {
			for _, x := range p["diagnostics"].([]any) {
				uri, diagnostic = u, x.(map[string]any)
			}
		}
		n.mu.Unlock()
		var actions []any
		for try := 0; len(actions) == 0 && try < 200; try++ { // an edit is for the text that was compiled: that may be under way
			time.Sleep(time.Duration(try) * time.Millisecond)
			actions = n.ask("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
				"range": diagnostic["range"], "context": map[string]any{"diagnostics": []any{diagnostic}}}).([]any)
		}
		if len(actions) == 0 {
			t.Fatalf("nothing is offered for %v", diagnostic)
		}
		for u, edits := range actions[0].(map[string]any)["edit"].(map[string]any)["changes"].(map[string]any) {
			path := strings.TrimPrefix(u, "file://")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !opened[path] {
				n.open(path, string(text))
				opened[path] = true
			}
			for _, x := range edits.([]any) {
				e := x.(map[string]any)
				version++
				n.edit(path, version, e["range"].(map[string]any), e["newText"].(string))
				if err := os.WriteFile(path, []byte(applied(string(text), e)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		code := diagnostic["code"].(string)
		n.wait(code+" is gone", func() bool {
			all, codes := count()
			return all == left-1 && !strings.Contains(codes, code)
		})
	}
	n.bye()
}

// applied is a text with an edit made, in UTF-8 columns.
func applied(text string, edit map[string]any) string {
	offset := func(name string) int {
		p := edit["range"].(map[string]any)[name].(map[string]any)
		at := 0
		for range int(p["line"].(float64)) {
			at += strings.IndexByte(text[at:], '\n') + 1
		}
		return at + int(p["character"].(float64))
	}
	return text[:offset("start")] + edit["newText"].(string) + text[offset("end"):]
}
