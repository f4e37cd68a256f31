package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A wire is a client of `bunraku lsp` that asks one thing after the other.
type wire struct {
	t     *testing.T
	to    io.WriteCloser
	ended chan int
	next  int

	mu    sync.Mutex
	news  *sync.Cond
	came  map[float64]map[string]any
	asked []map[string]any // requests of the server's
	all   strings.Builder
	gone  bool
}

func newWire(t *testing.T, capabilities map[string]any, dirs ...string) *wire {
	t.Helper()
	return newWireWith(t, nil, capabilities, dirs...)
}

// newWireWith is a client of a server that is started with flags.
func newWireWith(t *testing.T, flags []string, capabilities map[string]any, dirs ...string) *wire {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	w := &wire{t: t, to: toServer, ended: make(chan int, 1), came: map[float64]map[string]any{}}
	w.news = sync.NewCond(&w.mu)
	go func() {
		w.ended <- run(append([]string{"lsp"}, flags...), in, out, io.Discard)
		out.Close()
	}()
	go w.read(bufio.NewReader(fromServer))
	var folders []any
	for _, d := range dirs {
		folders = append(folders, map[string]any{"uri": "file://" + d, "name": filepath.Base(d)})
	}
	w.ask("initialize", map[string]any{"processId": nil, "rootUri": nil, "workspaceFolders": folders,
		"capabilities": capabilities})
	w.send(map[string]any{"method": "initialized", "params": map[string]any{}})
	return w
}

func (w *wire) read(r *bufio.Reader) {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gone = true
		w.news.Broadcast()
	}()
	for {
		body, err := message(r)
		if err != nil {
			return
		}
		var m map[string]any
		if json.Unmarshal(body, &m) != nil {
			continue
		}
		w.mu.Lock()
		w.all.Write(body)
		id, has := m["id"].(float64)
		switch {
		case m["method"] == nil && has:
			w.came[id] = m
		case m["id"] != nil:
			w.asked = append(w.asked, m)
			go w.send(map[string]any{"id": m["id"], "result": map[string]any{"success": true}})
		}
		w.news.Broadcast()
		w.mu.Unlock()
	}
}

func (w *wire) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		w.t.Error(err)
	}
	fmt.Fprintf(w.to, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// ask asks, and waits for the answer: its result, or what the failure says.
func (w *wire) ask(method string, params any) (result any, failure string) {
	w.t.Helper()
	w.next++
	id := float64(w.next)
	w.send(map[string]any{"id": id, "method": method, "params": params})
	timer := time.AfterFunc(3*time.Minute, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.gone = true
		w.news.Broadcast()
	})
	defer timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.came[id] == nil {
		if w.gone {
			w.t.Fatalf("%s: no answer", method)
		}
		w.news.Wait()
	}
	m := w.came[id]
	if e, is := m["error"].(map[string]any); is {
		return nil, e["message"].(string)
	}
	return m["result"], ""
}

// command executes one; it must not fail.
func (w *wire) command(name string, arguments ...any) any {
	w.t.Helper()
	result, failure := w.ask("workspace/executeCommand", map[string]any{"command": name, "arguments": arguments})
	if failure != "" {
		w.t.Fatalf("%s: %s", name, failure)
	}
	return result
}

func (w *wire) bye() {
	w.t.Helper()
	w.ask("shutdown", nil)
	w.send(map[string]any{"method": "exit"})
	select {
	case code := <-w.ended:
		if code != exitFine {
			w.t.Errorf("lsp ends with %d", code)
		}
	case <-time.After(time.Minute):
		w.t.Error("lsp does not end")
	}
}

// TestEditorCommands: explain, diff and web can be asked by any client, by name. Nothing that the tree or its
// repository names is run by that.
func TestEditorCommands(t *testing.T) {
	shop := newRepository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	trap := "#!/bin/sh\ntouch " + ran + "\n"
	for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "fsmonitor-watchman"} {
		must(t, os.WriteFile(filepath.Join(shop.dir, ".git", "hooks", hook), []byte(trap), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(shop.dir, "trap"), []byte(trap), 0o755))
	config, err := os.OpenFile(filepath.Join(shop.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintf(config, "[core]\n\tfsmonitor = %[1]s\n\tpager = %[1]s\n\tsshCommand = %[1]s\n"+
		"[diff]\n\texternal = %[1]s\n[diff \"x\"]\n\ttextconv = %[1]s\n[filter \"x\"]\n\tsmudge = %[1]s\n\tclean = %[1]s\n",
		filepath.Join(shop.dir, "trap"))
	must(t, err)
	must(t, config.Close())
	must(t, os.WriteFile(filepath.Join(shop.dir, ".gitattributes"), []byte("* diff=x filter=x\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(shop.dir, "puppet.conf"),
		[]byte("[master]\nnode_terminus = exec\nexternal_nodes = "+filepath.Join(shop.dir, "trap")+"\n"), 0o644))
	shop.edit("data/common.yaml", "", "profile::nginx::workers: 33\n")

	w := newWire(t, map[string]any{"window": map[string]any{"showDocument": map[string]any{"support": true}}}, shop.dir)
	uri := "file://" + shop.dir + "/site-modules/profile/manifests/nginx.pp"
	text, err := os.ReadFile(strings.TrimPrefix(uri, "file://"))
	must(t, err)
	line := strings.Count(string(text)[:strings.Index(string(text), "$port")], "\n")
	column := strings.Index(strings.Split(string(text), "\n")[line], "$port") + 2
	var said string
	for range 600 { // until nodes have been compiled
		said, _ = w.command("bunraku.explain.at", map[string]any{"textDocument": map[string]any{"uri": uri},
			"position": map[string]any{"line": line, "character": column}}).(string)
		if strings.Contains(said, "decide") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, want := range []string{"on web2.shop.example", "8443", "data/nodes/web2.shop.example.yaml:3:23",
		"and what is not there", "hiera.yaml\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("explain lacks %q:\n%s", want, said)
		}
	}
	if nothing := w.command("bunraku.explain.at", map[string]any{"textDocument": map[string]any{"uri": uri},
		"position": map[string]any{"line": 0, "character": 0}}); nothing != nil {
		t.Errorf("explained: %v", nothing)
	}
	for _, arguments := range [][]any{nil, {uri}, {"file://" + shop.dir}} {
		got, _ := w.command("bunraku.diff.tree", arguments...).(string)
		if !strings.Contains(got, "worker_processes 33") || !strings.Contains(got, "data/common.yaml") {
			t.Errorf("diff %v: %s", arguments, got)
		}
	}
	link, _ := w.command("bunraku.web.open", uri).(string)
	again, _ := w.command("bunraku.web.open").(string)
	if link != again {
		t.Errorf("a link that was not used is not the same: %s %s", link, again)
	}
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	page := func(link string) int {
		r, err := browser.Get(link)
		must(t, err)
		defer r.Body.Close()
		return r.StatusCode
	}
	if code := page(link); code != http.StatusOK || !strings.HasPrefix(link, "http://127.0.0.1:") {
		t.Errorf("%s: %d", link, code)
	}
	another, _ := w.command("bunraku.web.open").(string)
	stranger := &http.Client{Timeout: time.Minute}
	for link, want := range map[string]int{link: http.StatusForbidden, another: http.StatusOK} {
		r, err := stranger.Get(link)
		must(t, err)
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("who comes by %s gets %d", link, r.StatusCode)
		}
	}
	w.mu.Lock()
	shown := 0
	for _, m := range w.asked {
		if m["method"] == "window/showDocument" {
			p := m["params"].(map[string]any)
			if !strings.HasPrefix(p["uri"].(string), "http://127.0.0.1:") || p["external"] != true {
				t.Errorf("to be shown: %v", p)
			}
			shown++
		}
	}
	w.mu.Unlock()
	if shown != 3 {
		t.Errorf("%d links were to be shown", shown)
	}
	for _, x := range []struct {
		command string
		args    []any
		want    string
	}{
		{"bunraku.diff.tree", []any{"file:///nowhere/x.pp"}, "no folder of the workspace has /nowhere/x.pp"},
		{"bunraku.diff.tree", []any{"untitled:x"}, "takes the URI of a file"},
		{"bunraku.diff.tree", []any{uri, uri}, "one file at most"},
		{"bunraku.web.open", []any{1}, "takes texts, not 1"},
		{"bunraku.explain.at", nil, "takes a place"},
		{"bunraku.explain.at", []any{"x"}, "takes a place"},
		{"bunraku.explain.at", []any{map[string]any{}}, "takes a place"},
		{"bunraku.run", nil, "there is no command bunraku.run"},
	} {
		_, failure := w.ask("workspace/executeCommand", map[string]any{"command": x.command, "arguments": x.args})
		if !strings.Contains(failure, x.want) {
			t.Errorf("%s %v: %q", x.command, x.args, failure)
		}
	}
	w.bye()
	if _, err := browser.Get(link); err == nil {
		t.Error("the pages outlive the editor")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("something that the repository names was run")
	}

	// Of several folders one has to be named; one that is in no repository says so.
	plainDir := writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'x': }\n", "facts/a.json": `{"fqdn": "a"}`})
	w = newWire(t, map[string]any{}, shop.dir, plainDir)
	for _, x := range [][2]string{{"", "there are several folders"}, {"file://" + plainDir + "/manifests/site.pp",
		"in no git repository"}} {
		var arguments []any
		if x[0] != "" {
			arguments = []any{x[0]}
		}
		_, failure := w.ask("workspace/executeCommand",
			map[string]any{"command": "bunraku.diff.tree", "arguments": arguments})
		if !strings.Contains(failure, x[1]) {
			t.Errorf("%q: %q", x[0], failure)
		}
	}
	w.bye()
}

// TestEditorFlags: nodes are what the command line says of them, as in check: their classifier's answers, of a file
// that is written meanwhile the new ones, more classes, and what their certificates say.
func TestEditorFlags(t *testing.T) {
	dir := writeRepo(t, map[string]string{
		"environment.conf":               "modulepath = modules\n",
		"facts/a.json":                   `{"fqdn": "a"}`,
		"manifests/site.pp":              "",
		"modules/web/manifests/init.pp":  "class web ($port) {\n  $role = $trusted['extensions']['pp_role']\n}\n",
		"modules/more/manifests/init.pp": "class more {\n  $x = 1 + 1\n}\n",
	})
	beside := writeRepo(t, map[string]string{ // another folder of the workspace, perhaps
		"enc.yaml": "classes: {web: {port: 81}}\n", "trusted.yaml": "extensions: {pp_role: db}\n"})
	w := newWireWith(t, []string{"--enc", beside + "/enc.yaml", "--trusted", beside + "/trusted.yaml", "--classes",
		"more"}, map[string]any{}, dir)
	says := func(file string, line, column int, want string) {
		t.Helper()
		var said any
		for range 200 {
			said, _ = w.ask("textDocument/hover", map[string]any{
				"textDocument": map[string]any{"uri": "file://" + dir + "/modules/" + file},
				"position":     map[string]any{"line": line, "character": column}})
			if strings.Contains(fmt.Sprint(said), "```text\n"+want) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s:%d:%d: %v", file, line, column, said)
	}
	says("web/manifests/init.pp", 0, 13, "81")
	says("web/manifests/init.pp", 1, 4, "'db'")
	says("more/manifests/init.pp", 1, 3, "2")
	write := func(file, text string) {
		must(t, os.WriteFile(filepath.Join(beside, file), []byte(text), 0o644))
		w.send(map[string]any{"method": "workspace/didChangeWatchedFiles", "params": map[string]any{
			"changes": []any{map[string]any{"uri": "file://" + beside + "/" + file, "type": 2}}}})
	}
	write("enc.yaml", "classes: {web: {port: 8080}}\n")
	says("web/manifests/init.pp", 0, 13, "8080")
	write("trusted.yaml", "extensions: {pp_role: web}\n")
	says("web/manifests/init.pp", 1, 4, "'web'")
	w.bye()
}
