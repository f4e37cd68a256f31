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

// actions asks for what can be done at a text of a file, until something is offered or it takes too long.
func (n *nav) actions(file, text string, nth int) (out []map[string]any) {
	n.t.Helper()
	p := n.pos(file, text, nth)
	for try := 0; len(out) == 0 && try < 200; try++ {
		time.Sleep(time.Duration(try) * time.Millisecond)
		for _, x := range n.ask("textDocument/codeAction", map[string]any{"textDocument": p["textDocument"], "range": empty(p),
			"context": map[string]any{"diagnostics": []any{}}}).([]any) {
			out = append(out, x.(map[string]any))
		}
	}
	return out
}

// apply makes the edits of an action in the files.
func (n *nav) apply(action map[string]any) {
	n.t.Helper()
	for u, edits := range action["edit"].(map[string]any)["changes"].(map[string]any) {
		path := strings.TrimPrefix(u, "file://")
		text, err := os.ReadFile(path)
		if err != nil {
			n.t.Fatal(err)
		}
		out := string(text)
		list := edits.([]any)
		for i := len(list) - 1; i >= 0; i-- { // from behind, so that places stay
			out = applied(out, list[i].(map[string]any))
		}
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			n.t.Fatal(err)
		}
		n.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": u, "type": 2}}})
	}
}

func (n *nav) text(file string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, file))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// TestLegacyFacts: a fact by its old name is read by its new one, and so is what a compile comes to then, in all files.
func TestLegacyFacts(t *testing.T) {
	n := navigate(t, map[string]string{
		"facts/n.json":      `{"fqdn": "n", "os": {"family": "Debian", "name": "Debian"}, "networking": {"hostname": "n", "ip": "192.0.2.1"}}`,
		"manifests/site.pp": "include a\n",
		"modules/a/manifests/init.pp": "class a {\n  if $::osfamily == 'Debian' { notify { \"ä on $hostname\": } }\n" +
			"  notify { \"at ${::ipaddress} ü\": }\n  include a::b\n}\n",
		"modules/a/manifests/b.pp": "class a::b {\n  notify { $operatingsystem: }\n}\n",
	})
	const init = "modules/a/manifests/init.pp"
	actions := n.actions(init, "osfamily", 1)
	if len(actions) != 1 || actions[0]["title"] != "read facts by their new names" {
		t.Fatalf("offered: %v", actions)
	}
	n.apply(actions[0])
	want := "class a {\n  if $facts['os']['family'] == 'Debian' { notify { \"ä on ${facts['networking']['hostname']}\": } }\n" +
		"  notify { \"at ${facts['networking']['ip']} ü\": }\n  include a::b\n}\n"
	if got := n.text(init); got != want {
		t.Errorf("it became\n%s", got)
	}
	if got := n.text("modules/a/manifests/b.pp"); got != "class a::b {\n  notify { $facts['os']['name']: }\n}\n" {
		t.Errorf("it became\n%s", got)
	}
	n.wait("all problems are gone", func() bool {
		for _, p := range n.shown {
			if len(p["diagnostics"].([]any)) > 0 {
				return false
			}
		}
		return true
	})
	n.bye()
}
