package main

import (
	"bufio"
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
