package lsp_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/lsp"
	"bunraku/provenance"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"
	"bunraku/verify/model"
	"bunraku/verify/sat"
)

// A client is an editor, written apart from the server: its own framing, its own idea of what messages look like
// (shape_test.go). It shares no type with the server.
type client struct {
	t    *testing.T
	out  io.WriteCloser
	next int
	done chan bool // how Serve ended
	to   *lsp.Server

	mu       sync.Mutex
	news     *sync.Cond
	answers  map[int]map[string]any
	shown    map[string]map[string]any // publishDiagnostics, the last of each file
	count    map[string]int            // of them
	logs     []string
	progress []map[string]any // $/progress
	all      strings.Builder  // every byte of every message
	ended    bool
	quick    bool           // messages are neither kept nor looked at: somebody measures the server
	patience time.Duration  // how long something is waited for; 0 for a minute
	asked    map[int]string // methods of requests
}

// dial starts a server and a client of it.
func dial(t *testing.T, change func(*lsp.Options)) *client {
	t.Helper()
	secrets := &redact.Secrets{}
	opt := lsp.Options{Version: "test", Secrets: secrets, Idle: 5 * time.Millisecond,
		Compile: compiler.Options{Language: source.Puppet8, Decrypted: secrets.Add},
		Watch: func(r *eval.Result) {
			if r.Catalog != nil {
				secrets.AddCatalog(r.Catalog)
			}
			r.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { secrets.AddValue(v) })
			r.EachBared(secrets.AddBared, secrets.AddMade)
		},
		Exchange: func(ctx context.Context, c *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange, error) {
			x, err := fleet.NewExchange(ctx, c, nodes, func(*eval.Result) {})
			set := exported.NewSet(nil)
			if x != nil {
				set = x.Set
			}
			for i := range nodes {
				nodes[i] = nodes[i].Importing(set)
			}
			return x, err
		},
		JudgedBy: []string{"bunraku.assert"},
		Judge: func(folder string, view source.Files) (*judge.Judge, source.Diagnostics, error) {
			solver, err := sat.Named("built-in")
			opt := judge.Options{Own: judge.OwnCode(folder), Hide: secrets.Hide, Solver: solver, Budget: model.DefaultUnits}
			var trouble source.Diagnostics
			name := filepath.Join(folder, "bunraku.assert")
			if c, err := view.Read(name); err == nil {
				opt.Assert, trouble = model.ParseAssertions(source.NewFile(name, c.Text))
			}
			return judge.New(opt), trouble, err
		}}
	if change != nil {
		change(&opt)
	}
	toServer, out := io.Pipe()
	in, toClient := io.Pipe()
	c := newClient(t, in, out)
	c.to = lsp.New(opt)
	go func() { c.done <- c.to.Serve(toServer, toClient) }()
	return c
}

// newClient is a client of what reads and writes.
func newClient(t *testing.T, in io.Reader, out io.WriteCloser) *client {
	c := &client{t: t, out: out, done: make(chan bool, 1), answers: map[int]map[string]any{},
		shown: map[string]map[string]any{}, count: map[string]int{}, asked: map[int]string{}}
	c.news = sync.NewCond(&c.mu)
	go c.read(bufio.NewReader(in))
	t.Cleanup(func() { out.Close() })
	return c
}

// read takes in messages until the stream ends.
func (c *client) read(in *bufio.Reader) {
	defer func() {
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
		c.news.Broadcast()
	}()
	for {
		length := -1
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSuffix(line, "\r\n"); line == "" {
				break
			}
			name, text, _ := strings.Cut(line, ": ")
			switch name {
			case "Content-Length":
				length, _ = strconv.Atoi(text)
			case "Content-Type":
				if text != "application/vscode-jsonrpc; charset=utf-8" {
					c.t.Errorf("header %q", line)
				}
			default:
				c.t.Errorf("header %q", line)
			}
		}
		if length < 0 {
			c.t.Error("a message without a length")
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			c.t.Errorf("a message ends early: %v", err)
			return
		}
		c.take(body)
	}
}

// take looks at one message.
func (c *client) take(body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.news.Broadcast()
	m := c.unpack(body)
	if m["jsonrpc"] != "2.0" {
		c.t.Errorf("no message of JSON-RPC: %s", body)
		return
	}
	if !c.quick {
		c.all.Write(body)
	}
	method, _ := m["method"].(string)
	id, hasID := m["id"].(float64)
	switch {
	case method == "":
		_, result := m["result"]
		_, failed := m["error"]
		if !hasID && (result || m["id"] != nil) || result == failed { // what is no message has no identifier
			c.t.Errorf("neither an answer nor a failure: %s", body)
		}
		if asked := c.asked[int(id)]; result && !c.quick {
			for _, problem := range checkShape(asked+" result", m["result"]) {
				c.t.Errorf("%s: %s\n%.600s", asked, problem, body)
			}
		}
		c.answers[int(id)] = m
	default:
		if !c.quick {
			for _, problem := range checkShape(method, m["params"]) {
				c.t.Errorf("%s: %s\n%.600s", method, problem, body)
			}
		}
		if hasID { // a request of the server's
			go c.write(map[string]any{"jsonrpc": "2.0", "id": m["id"], "result": nil})
		}
		p, _ := m["params"].(map[string]any)
		switch method {
		case "textDocument/publishDiagnostics":
			c.shown[p["uri"].(string)] = p
			c.count[p["uri"].(string)]++
		case "$/progress":
			c.progress = append(c.progress, p)
		case "window/logMessage":
			c.logs = append(c.logs, p["message"].(string))
		}
	}
}

// unpack reads a message. Who measures the server reads a long answer only when somebody asks for its result.
func (c *client) unpack(body []byte) (m map[string]any) {
	if !c.quick || len(body) < 4000 {
		_ = json.Unmarshal(body, &m)
		return m
	}
	var long struct {
		Version string `json:"jsonrpc"`
		ID      float64
		Method  string
		Result  json.RawMessage
	}
	if json.Unmarshal(body, &long) == nil && long.Method == "" && long.Result != nil {
		return map[string]any{"jsonrpc": long.Version, "id": long.ID, "result": long.Result}
	}
	_ = json.Unmarshal(body, &m)
	return m
}

func (c *client) write(m map[string]any) {
	body, err := json.Marshal(m)
	if err != nil {
		c.t.Error(err)
	}
	fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// notify sends a notification.
func (c *client) notify(method string, params any) {
	c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// send sends a request and does not wait for its answer.
func (c *client) send(method string, params any) int {
	c.mu.Lock()
	c.next++
	id := c.next
	c.asked[id] = method
	c.mu.Unlock()
	m := map[string]any{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	c.write(m)
	return id
}

// wait waits until something holds.
func (c *client) wait(what string, holds func() bool) {
	c.t.Helper()
	timer := time.AfterFunc(cmp.Or(c.patience, 2*time.Minute), func() {
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
		c.news.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !holds() {
		if c.ended {
			c.t.Fatalf("%s: nothing came; the log says %q, shown is %v", what, c.logs, c.shown)
		}
		c.news.Wait()
	}
}

// answer waits for the answer to a request.
func (c *client) answer(id int) (m map[string]any) {
	c.t.Helper()
	c.wait("answer", func() bool { m = c.answers[id]; delete(c.answers, id); return m != nil })
	return m
}

// ask sends a request and returns its result.
func (c *client) ask(method string, params any) any {
	c.t.Helper()
	m := c.answer(c.send(method, params))
	if m["error"] != nil {
		c.t.Fatalf("%s: %v", method, m["error"])
	}
	if raw, is := m["result"].(json.RawMessage); is {
		var result any
		if err := json.Unmarshal(raw, &result); err != nil {
			c.t.Fatal(err)
		}
		return result
	}
	return m["result"]
}

// taken waits until the server has taken in what was sent, and everything has come that it has said.
func (c *client) taken() {
	c.t.Helper()
	c.answer(c.send("$/taken", nil)) // it knows no such method, and says so once it comes to it
}

// rest waits until the server has nothing more to say.
func (c *client) rest() {
	c.t.Helper()
	c.taken()
	c.to.Rest()
	c.taken()
}

// start does what every session begins with.
func (c *client) start(encodings []string, folders ...string) map[string]any {
	c.t.Helper()
	list := []any{}
	for _, f := range folders {
		list = append(list, map[string]any{"uri": "file://" + f, "name": f})
	}
	result := c.ask("initialize", map[string]any{"processId": nil, "rootUri": nil, "workspaceFolders": list,
		"capabilities": map[string]any{"general": map[string]any{"positionEncodings": encodings},
			"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true,
				"resourceOperations": []any{"rename"}}}}})
	c.notify("initialized", map[string]any{})
	return result.(map[string]any)["capabilities"].(map[string]any)
}

// open opens a file.
func (c *client) open(path, text string) {
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file://" + path,
		"languageId": "puppet", "version": 1, "text": text}})
}

// at is a range.
func at(line, from, toLine, to int) map[string]any {
	return map[string]any{"start": map[string]any{"line": line, "character": from},
		"end": map[string]any{"line": toLine, "character": to}}
}

// edit changes a range of a file.
func (c *client) edit(path string, version int, where map[string]any, text string) {
	change := map[string]any{"text": text}
	if where != nil {
		change["range"] = where
	}
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file://" + path,
		"version": version}, "contentChanges": []any{change}})
}

// told is what was said of a file: "3:5-3:9 P0001 …" from 1, by lines. The lock is held.
func (c *client) told(path string) (out []string) {
	p := c.shown["file://"+path]
	if p == nil {
		return nil
	}
	for _, x := range p["diagnostics"].([]any) {
		d := x.(map[string]any)
		message, _, _ := strings.Cut(d["message"].(string), "\n")
		out = append(out, fmt.Sprintf("%s %s %s", rangeText(d["range"]), d["code"], message))
	}
	return out
}

func rangeText(r any) string {
	pos := func(name string) string {
		p := r.(map[string]any)[name].(map[string]any)
		return fmt.Sprintf("%v:%v", p["line"].(float64)+1, p["character"].(float64)+1)
	}
	return pos("start") + "-" + pos("end")
}

// bye ends the session as the protocol wants it.
func (c *client) bye() {
	c.t.Helper()
	c.ask("shutdown", nil)
	c.notify("exit", nil)
	select {
	case orderly := <-c.done:
		if !orderly {
			c.t.Error("the server calls this disorderly")
		}
	case <-time.After(2 * time.Minute):
		c.t.Error("the server does not end")
	}
}
