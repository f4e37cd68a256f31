package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
)

// TestLSPSaysWhatCheckSays: with all nodes chosen, the problems that an editor is shown are those of check, in the same
// places.
func TestLSPSaysWhatCheckSays(t *testing.T) {
	shop, err := filepath.Abs("../../examples/shop")
	must(t, err)
	broken := writeRepo(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		"manifests/site.pp": "node 'a' { include web }\nnode 'b' { include web::gone }\nnode default { " +
			"notify { 'x': } }\n",
		"modules/web/manifests/init.pp":   "class web {\n  $x = $nowhere\n  file { '/x': mode => '0x' }\n}\n",
		"modules/web/manifests/syntax.pp": "class web::syntax {\n  notify { 'ä' }\n}\n",
		"modules/web/manifests/known.pp":  "class web::known {\n  notify { 'x': nothing => 1 }\n}\n",
		"facts/a.json":                    `{"fqdn": "a"}`, "facts/b.json": `{"fqdn": "b"}`, "facts/c.json": `{"fqdn": "c"}`,
	})
	unused := writeRepo(t, map[string]string{
		"environment.conf":               "modulepath = modules\n",
		"manifests/site.pp":              "node 'a' { include web }\nnode default { notify { 'x': } }\n",
		"modules/web/manifests/init.pp":  "class web {\n  notify { 'y': }\n}\n",
		"modules/web/manifests/known.pp": "class web::known {\n  notify { 'x': }\n}\n",
		"facts/a.json":                   `{"fqdn": "a"}`, "facts/c.json": `{"fqdn": "c"}`,
	})
	for _, dir := range []string{shop, broken, unused} {
		_, text, _ := call("check", "--format", "sarif", dir)
		var sarif struct {
			Runs []struct {
				Results []struct {
					RuleID       string
					Suppressions []any
					Locations    []struct {
						PhysicalLocation struct {
							ArtifactLocation struct{ URI string }
							Region           *struct{ StartLine, StartColumn int }
						}
					}
				}
			}
		}
		must(t, json.Unmarshal([]byte(text), &sarif))
		var want []string
		for _, r := range sarif.Runs[0].Results {
			if len(r.Suppressions) > 0 || len(r.Locations) == 0 || r.Locations[0].PhysicalLocation.Region == nil {
				continue
			}
			at := r.Locations[0].PhysicalLocation
			want = append(want, fmt.Sprintf("%s:%d:%d %s", at.ArtifactLocation.URI, at.Region.StartLine, at.Region.StartColumn,
				r.RuleID))
		}
		slices.Sort(want)
		if len(want) == 0 {
			t.Fatalf("check finds nothing in %s", dir)
		}
		if got := shownBy(t, dir, want); !slices.Equal(got, want) {
			t.Errorf("the editor is shown\n%s\nand check says\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// shownBy is what `bunraku lsp` shows of a directory, once that is what is wanted or nothing more comes.
func shownBy(t *testing.T, dir string, want []string) (got []string) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run([]string{"lsp", "--stdio"}, in, out, io.Discard)
		out.Close()
	}()
	send := func(m map[string]any) {
		m["jsonrpc"] = "2.0"
		body, err := json.Marshal(m)
		must(t, err)
		fmt.Fprintf(toServer, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	came := make(chan map[string]any)
	go func() {
		defer close(came)
		for r := bufio.NewReader(fromServer); ; {
			body, err := message(r)
			if err != nil {
				return
			}
			var m map[string]any
			if json.Unmarshal(body, &m) == nil {
				came <- m
			}
		}
	}()
	send(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{"processId": nil,
		"rootUri": "file://" + dir, "initializationOptions": map[string]any{"nodes": []string{"*"}},
		"capabilities": map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-32"}}}}})
	<-came
	send(map[string]any{"method": "initialized", "params": map[string]any{}})
	files := map[string][]string{}
	for patience := time.After(3 * time.Minute); !slices.Equal(got, want); {
		select {
		case m := <-came:
			p, _ := m["params"].(map[string]any)
			uri, _ := p["uri"].(string)
			list, _ := p["diagnostics"].([]any)
			files[uri] = nil
			for _, x := range list {
				d := x.(map[string]any)
				if d["relatedInformation"] != nil && d["severity"] == 3.0 {
					continue // a place beside one, which is told with it
				}
				start := d["range"].(map[string]any)["start"].(map[string]any)
				files[uri] = append(files[uri], fmt.Sprintf("%s:%v:%v %s", uri, start["line"].(float64)+1,
					start["character"].(float64)+1, d["code"]))
			}
		case <-patience:
			return got
		}
		got = nil
		for _, list := range files {
			got = append(got, list...)
		}
		slices.Sort(got)
	}
	send(map[string]any{"id": 2, "method": "shutdown"})
	for m := range came {
		if m["id"] == 2.0 {
			break
		}
	}
	send(map[string]any{"method": "exit"})
	for range came {
	}
	if code := <-ended; code != exitFine {
		t.Errorf("lsp ends with %d", code)
	}
	return got
}

// editor runs a script in an editor that is installed, on a tree; it returns what the script says.
func editor(t *testing.T, tree string, name string, args ...string) []string {
	t.Helper()
	path := live.Tool(t, name)
	program, err := os.Executable() // TestMain makes it the program
	must(t, err)
	result := filepath.Join(t.TempDir(), "result")
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "BUNRAKU="+program, "TREE="+tree, "RESULT="+result, "HOME="+t.TempDir())
	done := make(chan error, 1)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		done <- err
	}()
	select {
	case err := <-done:
		must(t, err)
	case <-time.After(6 * time.Minute):
		_ = cmd.Process.Kill()
		t.Fatalf("%s hangs", name)
	}
	text, err := os.ReadFile(result)
	must(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// editorTree is what the editors' scripts work on.
func editorTree(t *testing.T) string {
	dir := writeRepo(t, map[string]string{
		"environment.conf":              "modulepath = modules\n",
		"manifests/site.pp":             "node default { include web }\n",
		"modules/web/manifests/init.pp": "# A web server.\nclass web (Integer $port = 80) {\n  notify { \"port ${port}\": }\n}\n",
		"facts/a.json":                  `{"fqdn": "a"}`,

		"modules/role/manifests/init.pp": "class role {\n  include role::sub\n}\n",
		"modules/role/manifests/sub.pp":  "class role::sub {\n}\n",
	})
	live.Tool(t, "git")
	r := &repository{t, dir}
	r.git("init", "-q", "-b", "main")
	r.commit("the tree")
	return dir
}

// snippet is the block of docs/editor.md that has a text, in a file.
func snippet(t *testing.T, language, text string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "editor.md"))
	must(t, err)
	for _, block := range strings.Split(string(page), "```"+language+"\n")[1:] {
		if block, _, _ = strings.Cut(block, "```"); strings.Contains(block, text) {
			path := filepath.Join(t.TempDir(), "snippet")
			must(t, os.WriteFile(path, []byte(block), 0o644))
			return path
		}
	}
	t.Fatalf("docs/editor.md has no %s with %s", language, text)
	return ""
}

// TestNeovim: Debian's Neovim, headless, starts the server by itself and shows what it says.
func TestNeovim(t *testing.T) {
	script, err := filepath.Abs("testdata/lsp/nvim.lua")
	must(t, err)
	t.Setenv("SNIPPET", snippet(t, "lua", "BunrakuExplain"))
	got := editor(t, editorTree(t), "nvim", "--headless", "--clean", "-c", "luafile "+script)
	want := []string{
		"clean: 0",
		"syntax: 3:22 P0001",
		"mended: 0",
		"evaluation: 4:3 E0401",
		"mended: 0",
		"definition: init.pp:2:21",
		"references: site.pp:1:24, init.pp:2:7",
		"highlights: 2",
		"outline: [Class] web, [Property] $port, [Object] notify \"ü 𝄞 ${port}\"",
		"symbols: 1",
		"folding: 1",
		"hover: 80",
		"completion: ensure",
		"signature: split(String $str, String $pattern) 1",
		"mended: 0",
		"renamed: notify { \"ü 𝄞 ${listen}\": }",
		"renamed: class web (Integer $listen = 80) {",
		"misspelt: 4:3 E0580",
		"action: write ensure for ensur",
		"acted: file { \"/ü\": ensure => file }",
		"mended: 0",
		"lens: on 1 of 1 node · included by 1 · named 1 time",
		"called by: repo/manifests/site.pp site.pp:1",
		"marked: 2",
		"tag: init.pp call cursor(2, 7)|",
		"calls: role::sub",
		"second folder: 2 1",
		"gone: 0",
		"node: a",
		"explained: places decide $web::listen",
		"changed: Class[Web] port   80 → nothing",
		"page: http://127.0.0.1:",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestEmacs: Debian's Emacs with eglot, in batch mode, does the same.
func TestEmacs(t *testing.T) {
	live.PathOf(t, "/usr/share/emacs/site-lisp/elpa-src", "elpa-eglot")
	script, err := filepath.Abs("testdata/lsp/emacs.el")
	must(t, err)
	t.Setenv("SNIPPET", snippet(t, "lisp", "bunraku-ask"))
	got := editor(t, editorTree(t), "emacs", "--batch", "-l", script)
	want := []string{
		"syntax: P0001",
		"mended: 0",
		"definition: init.pp:2",
		"hover: Integer $port = 80",
		"outline: web",
		"completion: ensure",
		"signature: split(String $str, String $pattern)",
		"completed: file { '/ü': ensure",
		"action: write ensure for ensur",
		"acted: file { '/ü': ensure => file }",
		"mended: 0",
		"renamed: notify { \"port ${listen}\": }",
		"references: site.pp, init.pp",
		"xref: init.pp",
		"marked: 2",
		"apropos: 1",
		"imenu: Class, Property, Object",
		"node: a",
		"explained: places decide $web::listen",
		"changed: Class[Web] port   80 → nothing",
		"page: http://127.0.0.1:",
		"watched: P1031",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// message reads the next message of a server.
func message(r *bufio.Reader) ([]byte, error) {
	n := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if text, is := strings.CutPrefix(line, "Content-Length: "); is {
			n, _ = strconv.Atoi(strings.TrimSpace(text))
		} else if line == "\r\n" {
			break
		}
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return body, err
}
