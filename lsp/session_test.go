package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/lsp"
)

// tree writes files into a directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var site = map[string]string{
	"environment.conf":                "modulepath = modules\n",
	"hiera.yaml":                      "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
	"data/common.yaml":                "web::port: 8080\n",
	"manifests/site.pp":               "node default { include web }\n",
	"modules/web/manifests/init.pp":   "class web (Integer $port) {\n  notify { \"port ${port}\": }\n}\n",
	"modules/web/manifests/broken.pp": "class web::broken {\n  notify { 'x' }\n}\n",
	"classes.yaml":                    "- web::broken\n", // so that something names it
	"facts/a.json":                    `{"fqdn": "a"}`,
}

// TestSession: the life of a session, and what is refused in each part of it.
func TestSession(t *testing.T) {
	c := dial(t, nil)
	for _, method := range []string{"textDocument/hover", "shutdown", "no/such", "$/no/such"} {
		if e, _ := c.answer(c.send(method, nil))["error"].(map[string]any); e == nil || e["code"] != -32002.0 {
			t.Errorf("%s before initialize: %v", method, e)
		}
	}
	capabilities := c.start(nil, tree(t, site))
	if capabilities["positionEncoding"] != "utf-16" {
		t.Errorf("a client that offers no encoding gets %v", capabilities["positionEncoding"])
	}
	if sync := capabilities["textDocumentSync"].(map[string]any); sync["change"] != 2.0 || sync["openClose"] != true {
		t.Errorf("sync: %v", sync)
	}
	if e, _ := c.answer(c.send("initialize", map[string]any{}))["error"].(map[string]any); e == nil ||
		e["code"] != -32600.0 {
		t.Errorf("a second initialize: %v", e)
	}
	if e, _ := c.answer(c.send("no/such", map[string]any{}))["error"].(map[string]any); e == nil || e["code"] != -32601.0 {
		t.Errorf("an unknown request: %v", e)
	}
	c.notify("$/setTrace", map[string]any{"value": "off"}) // nobody minds
	c.notify("no/such/notification", map[string]any{})
	c.edit("/nowhere.pp", 2, nil, "x") // what is not open cannot be edited
	c.bye()
}

// TestFailure: what goes wrong while a request is answered has the protocol's code for that.
func TestFailure(t *testing.T) {
	c := dial(t, func(o *lsp.Options) {
		o.Diff = func(context.Context, string) (string, error) { return "", errors.New("no repository") }
	})
	c.start(nil, tree(t, site))
	answer := c.answer(c.send("workspace/executeCommand", map[string]any{"command": "bunraku.diff.tree"}))
	if e, _ := answer["error"].(map[string]any); e == nil || e["code"] != -32803.0 || e["message"] != "no repository" {
		t.Errorf("said: %v", answer)
	}
	c.bye()
}

// TestGone: a client that hangs up without a word ends the server, which says that this was not in order.
func TestGone(t *testing.T) {
	for _, say := range []func(c *client){
		func(c *client) {},
		func(c *client) { c.start(nil) },
		func(c *client) { c.start(nil); c.notify("exit", nil) },
	} {
		c := dial(t, nil)
		say(c)
		c.out.Close()
		select {
		case orderly := <-c.done:
			if orderly {
				t.Error("it calls this orderly")
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the server does not end")
		}
	}
}

// TestHurry: a client that does not wait for answers, and hangs up, has said all that it said.
func TestHurry(t *testing.T) {
	for round := range 40 {
		c := dial(t, nil)
		c.send("initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}})
		c.notify("initialized", map[string]any{})
		c.write(map[string]any{"jsonrpc": "2.0", "method": "no/such", "id": false}) // which is no identifier
		if round%2 == 0 {
			c.send("shutdown", nil)
			c.notify("exit", nil)
		}
		c.out.Close()
		select {
		case orderly := <-c.done:
			if orderly != (round%2 == 0) {
				t.Fatalf("round %d: orderly: %v", round, orderly)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the server does not end")
		}
	}
}

// TestEncoding: the client's choice is taken.
func TestEncoding(t *testing.T) {
	for _, x := range []struct {
		offered []string
		want    string
		column  string // of what stands behind an umlaut and a character beyond the first plane, from 1
	}{
		{nil, "utf-16", "1:25-1:26"},
		{[]string{"utf-16", "utf-8"}, "utf-8", "1:28-1:29"},
		{[]string{"utf-32", "utf-16"}, "utf-32", "1:24-1:25"},
	} {
		c := dial(t, nil)
		if got := c.start(x.offered)["positionEncoding"]; got != x.want {
			t.Errorf("offered %v, taken %v", x.offered, got)
		}
		c.open("/elsewhere/a.pp", "notify { 'ü𝄞': message > 1 }\n")
		var told []string
		c.wait("syntax", func() bool { told = c.told("/elsewhere/a.pp"); return len(told) > 0 })
		if !strings.HasPrefix(told[0], x.column+" P0001 ") {
			t.Errorf("%s: %v", x.want, told)
		}
		c.bye()
	}
}

// TestDiagnostics: syntax at once, everything else when nobody types; what is mended goes away.
func TestDiagnostics(t *testing.T) {
	dir := tree(t, site)
	in := func(name string) string { return filepath.Join(dir, name) }
	c := dial(t, nil)
	c.start([]string{"utf-8"}, dir)
	broken := in("modules/web/manifests/broken.pp")
	c.wait("a file that is not open", func() bool { return len(c.told(broken)) == 1 })

	c.open(broken, site["modules/web/manifests/broken.pp"])
	c.edit(broken, 2, at(1, 14, 1, 14), ":")
	c.wait("it is mended", func() bool {
		p := c.shown["file://"+broken]
		return len(c.told(broken)) == 0 && p["version"] == 2.0
	})

	// A value of the wrong type in Hiera is told where the class is declared, and where the value and the parameter stand.
	data, sitepp, initpp := in("data/common.yaml"), in("manifests/site.pp"), in("modules/web/manifests/init.pp")
	c.open(data, site["data/common.yaml"])
	c.edit(data, 2, at(0, 11, 0, 15), "four")
	var told []string
	c.wait("a wrong value", func() bool {
		told = slices.Concat(c.told(sitepp), c.told(data), c.told(initpp))
		return len(told) == 3
	})
	const wrong = "Class[Web]: parameter 'port' expects an Integer value, got String"
	if want := []string{"1:16-1:27 E0412 " + wrong,
		"1:12-1:16 E0412 this value, by automatic parameter lookup (level \"Common\"): " + wrong,
		"1:12-1:25 E0412 the parameter is declared here: " + wrong}; !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
	c.edit(data, 3, at(0, 11, 0, 15), "8080")
	c.wait("it is mended", func() bool { return len(c.told(sitepp))+len(c.told(data))+len(c.told(initpp)) == 0 })

	// What was said moves along with the text, before anything is compiled again.
	c.open(initpp, site["modules/web/manifests/init.pp"])
	c.edit(initpp, 2, at(1, 0, 1, 0), "  include nothing\n")
	c.wait("an evaluation error", func() bool {
		told = c.told(initpp)
		return len(told) == 1 && strings.HasPrefix(told[0], "2:")
	})
	c.edit(initpp, 3, at(0, 0, 0, 0), "# one\n# two\n")
	c.wait("moved", func() bool {
		p := c.shown["file://"+initpp]
		return p["version"] == 3.0 && len(c.told(initpp)) == 1 && strings.HasPrefix(c.told(initpp)[0], "4:")
	})
	c.bye()
}

// TestNotInAFile: a mistake that keeps everything from being looked at is shown where it stands, and what stands
// nowhere is logged, once.
func TestNotInAFile(t *testing.T) {
	dir := tree(t, map[string]string{"environment.conf": "modulepath = modules\nnonsense\n",
		"facts/a.json": `{"fqdn": "a"}`, "manifests/site.pp": "node 'b' {\n}\n"})
	conf, site := filepath.Join(dir, "environment.conf"), filepath.Join(dir, "manifests/site.pp")
	c := dial(t, nil)
	c.start(nil, dir)
	c.wait("the mistake", func() bool { return len(c.told(conf)) == 1 && strings.HasPrefix(c.told(conf)[0], "2:") })
	c.open(conf, "modulepath = modules\n")
	c.wait("its end", func() bool { return len(c.told(conf)) == 0 })
	c.open(site, "node 'b' {\n}\n")
	c.rest()
	c.edit(site, 2, nil, "node 'c' {\n}\n")
	c.rest()
	c.bye()
	if n := strings.Count(c.all.String(), "Could not find node statement with name 'default' or 'a'"); n != 1 {
		t.Errorf("told %d times that no node statement is for a: %q", n, c.logs)
	}
}

// TestFolders: several folders, and folders that come and go.
func TestFolders(t *testing.T) {
	one, two := tree(t, site), tree(t, site)
	in := func(dir string) string { return filepath.Join(dir, "modules/web/manifests/broken.pp") }
	c := dial(t, nil)
	c.start(nil, one)
	c.wait("the first", func() bool { return len(c.told(in(one))) == 1 })
	c.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added":   []any{map[string]any{"uri": "file://" + two, "name": "two"}},
		"removed": []any{map[string]any{"uri": "file://" + one, "name": "one"}}}})
	c.wait("the second, and the first taken back",
		func() bool { return len(c.told(in(two))) == 1 && len(c.told(in(one))) == 0 })

	// A file that is changed on the disk is read again.
	if err := os.WriteFile(in(two), []byte("class web::broken { }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": "file://" + in(two),
		"type": 2}}})
	c.wait("the disk", func() bool { return len(c.told(in(two))) == 0 })
	c.bye()
}

// TestNodes: answers are about the nodes that the settings name.
func TestNodes(t *testing.T) {
	files := map[string]string{"environment.conf": "",
		"manifests/site.pp": "node 'a' { fail('A') }\nnode 'z' { fail('Z') }\nnode default { notify { 'x': } }\n"}
	for _, n := range []string{"a", "b", "c", "d", "z"} {
		files["facts/"+n+".json"] = `{"fqdn": "` + n + `"}`
	}
	dir := tree(t, files)
	p := filepath.Join(dir, "manifests/site.pp")
	c := dial(t, nil)
	c.start(nil, dir)
	lines := func() (out []string) {
		for _, s := range c.told(p) {
			line, _, _ := strings.Cut(s, ":")
			out = append(out, line)
		}
		return out
	}
	c.wait("the first three", func() bool { return reflect.DeepEqual(lines(), []string{"1"}) })
	set := func(nodes ...string) {
		c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{
			"bunraku": map[string]any{"nodes": nodes}}})
	}
	set("z")
	c.wait("one", func() bool { return reflect.DeepEqual(lines(), []string{"2"}) })
	c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{}})
	c.rest()
	if got := lines(); !reflect.DeepEqual(got, []string{"2"}) {
		t.Errorf("settings that say nothing change the nodes: %q", got)
	}
	set("*")
	c.wait("all", func() bool { return reflect.DeepEqual(lines(), []string{"1", "2"}) })
	set("z", "web1.example.com")
	c.wait("the one that is there", func() bool { return reflect.DeepEqual(lines(), []string{"2"}) })
	set("web1.example.com")
	c.wait("three, for none that is there", func() bool { return reflect.DeepEqual(lines(), []string{"1"}) })
	c.rest()
	c.bye()
	if n := strings.Count(c.all.String(), "no node is named web1.example.com"); n != 1 {
		t.Errorf("told %d times that a node is not there", n)
	}
}

// TestNodesByCommand: commands list the nodes, and choose among them as the setting does. Of two folders each shows
// what it has of them.
func TestNodesByCommand(t *testing.T) {
	one := tree(t, map[string]string{"environment.conf": "", "facts/a.json": `{"fqdn": "a"}`, "facts/b.json": `{"fqdn": "b"}`,
		"manifests/site.pp": "node 'a' { fail('A') }\nnode 'b' { fail('B') }\n"})
	two := tree(t, map[string]string{"environment.conf": "", "manifests/site.pp": "node 'z' { fail('Z') }\n"})
	c := dial(t, nil)
	c.start(nil, one, two)
	run := func(command string, arguments ...any) (out []string) {
		t.Helper()
		m := c.answer(c.send("workspace/executeCommand", map[string]any{"command": command, "arguments": arguments}))
		if e, is := m["error"].(map[string]any); is {
			return []string{e["message"].(string)}
		}
		for _, x := range m["result"].([]any) {
			n := x.(map[string]any)
			out = append(out, fmt.Sprintf("%v %v %v", n["name"], n["invented"], n["chosen"]))
		}
		return out
	}
	const z = "z on debian-12 (invented) true "
	for _, x := range []struct {
		command   string
		arguments []any
		want      []string
	}{
		{"bunraku.nodes.list", nil, []string{"a false true", "b false true", z + "true"}},
		{"bunraku.nodes.list", []any{"file://" + one + "/manifests/site.pp"}, []string{"a false true", "b false true"}},
		{"bunraku.nodes.choose", []any{"b"}, []string{"a false false", "b false true", z + "true"}},
		{"bunraku.nodes.choose", []any{"c"}, []string{"no node is named c"}},
		{"bunraku.nodes.list", nil, []string{"a false false", "b false true", z + "true"}},
		{"bunraku.nodes.choose", []any{1}, []string{"bunraku.nodes.choose takes texts, not 1"}},
		{"bunraku.nodes.list", []any{"a", "b"}, []string{"bunraku.nodes.list takes the URI of one file at most"}},
		{"bunraku.nodes", nil, []string{"there is no command bunraku.nodes"}},
	} {
		if got := run(x.command, x.arguments...); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s %v: %q", x.command, x.arguments, got)
		}
	}
	c.wait("the chosen one", func() bool {
		list := c.told(filepath.Join(one, "manifests/site.pp"))
		return len(list) == 1 && strings.HasPrefix(list[0], "2:")
	})
	run("bunraku.nodes.choose")
	c.wait("those that fit", func() bool { return len(c.told(filepath.Join(one, "manifests/site.pp"))) == 2 })
	c.bye()
}

// TestSecrets: nothing Sensitive is in any message, whatever way it took.
func TestSecrets(t *testing.T) {
	const secret = "hunter2-and-more"
	dir := tree(t, map[string]string{"environment.conf": "", "facts/a.json": `{"fqdn": "a"}`,
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "pw: " + secret + "\n",
		"manifests/site.pp": "$pw = Sensitive(lookup('pw'))\nfile { '/x': content => $pw, mode => '0600' }\n" +
			"warning(\"the password is ${pw.unwrap}\")\n"})
	c := dial(t, nil)
	c.start(nil, dir)
	p := filepath.Join(dir, "manifests/site.pp")
	var told []string
	c.wait("the warning", func() bool { told = c.told(p); return len(told) > 0 })
	c.bye()
	if all := c.all.String(); strings.Contains(all, secret) || !strings.Contains(all, "[value redacted]") {
		t.Errorf("%s", all)
	}
}

// TestClosedUnsaved: what was typed and not saved is told of no longer, under whatever name the client had the file
// open.
func TestClosedUnsaved(t *testing.T) {
	n := navigate(t, map[string]string{"manifests/site.pp": "notify { 'x': }\n", "facts/a.json": `{"fqdn": "a"}`})
	for _, uri := range []string{n.uri("manifests/site.pp"), n.uri("manifests/s%69te.pp")} {
		n.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "puppet",
			"version": 1, "text": "notify { 'x' \n"}})
		n.wait("a mistake", func() bool {
			p := n.shown[uri]
			return p != nil && len(p["diagnostics"].([]any)) > 0
		})
		n.rest()
		n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
		n.rest()
		for name, p := range n.shown {
			if list := p["diagnostics"].([]any); len(list) > 0 {
				t.Errorf("%s still has %v", name, list)
			}
		}
	}
	n.bye()
}

// TestUntitled: of what nobody has saved yet the language says what it is.
func TestUntitled(t *testing.T) {
	n := navigate(t, map[string]string{"manifests/site.pp": "notify { 'x': }\n", "facts/a.json": `{"fqdn": "a"}`})
	for _, x := range []struct{ uri, language, text, name string }{
		{"untitled:Untitled-1", "puppet", "class a {\n}\n$x = \n", "a"},
		{"untitled:Untitled-2", "epuppet", "<%- | String $a | -%>\n<%= $a + %>\n", "$a"},
	} {
		n.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": x.uri,
			"languageId": x.language, "version": 1, "text": x.text}})
		n.wait("a mistake", func() bool {
			p := n.shown[x.uri]
			return p != nil && len(p["diagnostics"].([]any)) > 0
		})
		list := n.ask("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": x.uri}}).([]any)
		if len(list) == 0 || list[0].(map[string]any)["name"] != x.name {
			t.Errorf("%s: %v", x.uri, list)
		}
	}
	n.bye()
}

// TestNotWaiting: a client that does not wait for the answer of initialize is served as any other.
func TestNotWaiting(t *testing.T) {
	for range 20 {
		dir := tree(t, map[string]string{"manifests/site.pp": "notify { 'x' }\n"})
		n := &nav{dial(t, nil), dir}
		id := n.send("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir,
			"capabilities": map[string]any{}})
		n.notify("initialized", map[string]any{})
		n.open(dir+"/manifests/site.pp", "notify { 'x' }\n")
		hover := n.send("textDocument/hover", n.pos("manifests/site.pp", "notify", 1))
		if m := n.answer(id); m["error"] != nil {
			t.Fatal(m)
		}
		if m := n.answer(hover); m["error"] != nil {
			t.Fatal(m)
		}
		n.wait("a problem", func() bool { return len(n.told(dir+"/manifests/site.pp")) > 0 })
		n.bye()
	}
}
