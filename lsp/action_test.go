package lsp_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/lsp"
)

// TestCodeActions: every edit that is offered for the example's faults applies to the text that the client has, takes
// its problem away and brings no other.
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
		// an edit is for the text that was compiled: that may be under way
		for try := 0; len(actions) == 0 && try < 200; try++ {
			time.Sleep(time.Duration(try) * time.Millisecond)
			actions = n.ask("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
				"range": diagnostic["range"], "context": map[string]any{"diagnostics": []any{diagnostic}}}).([]any)
		}
		if len(actions) == 0 {
			t.Fatalf("nothing is offered for %v", diagnostic)
		}
		for u, edits := range changesOf(actions[0].(map[string]any)["edit"]) {
			path := strings.TrimPrefix(u, "file://")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !opened[path] {
				n.open(path, string(text))
				opened[path] = true
			}
			for _, x := range edits {
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
		for _, x := range n.ask("textDocument/codeAction",
			map[string]any{"textDocument": p["textDocument"], "range": empty(p),
				"context": map[string]any{"diagnostics": []any{}}}).([]any) {
			out = append(out, x.(map[string]any))
		}
	}
	return out
}

// apply makes the edits of an action in the files.
func (n *nav) apply(action map[string]any) {
	n.t.Helper()
	for u, edits := range changesOf(action["edit"]) {
		path := strings.TrimPrefix(u, "file://")
		text, err := os.ReadFile(path)
		if err != nil {
			n.t.Fatal(err)
		}
		out := string(text)
		list := edits
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

// TestExtract: the default of a parameter moves into the last level of Hiera, where nodes find it; what is computed,
// what no node has, and what would change a catalog stays where it is.
func TestExtract(t *testing.T) {
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - { name: Node, path: \"nodes/%{trusted.certname}.yaml\" }\n  - { " +
			"name: Common, path: common.yaml }\n",
		"data/nodes/a.yaml": "web::other: 1\n",
		"data/common.yaml":  "web::mode: '0644'",
		"facts/a.json":      `{"fqdn": "a"}`,
		"manifests/site.pp": "include web\n",
		"modules/web/manifests/init.pp": "class web (\n  Integer $other,\n  String  $mode,\n  String  $greeting = \"it's " +
			"ö\",\n  Integer $port = 8080,\n" +
			"  Integer $sum = $port + 1,\n) {\n  notify { \"${greeting} ${port} ${sum} ${mode} ${other}\": }\n}\n",
		"modules/web/manifests/lonely.pp": "class web::lonely (Integer $x = 5) {\n  notify { \"x ${x}\": }\n}\n",
	})
	const init = "modules/web/manifests/init.pp"
	n.ready(init, "other,", "data/nodes/a.yaml")
	extract := func(file, text string) []map[string]any {
		p := n.pos(file, text, 1)
		var out []map[string]any
		for _, x := range n.ask("textDocument/codeAction",
			map[string]any{"textDocument": p["textDocument"], "range": empty(p),
				"context": map[string]any{"diagnostics": []any{}, "only": []string{"refactor"}}}).([]any) {
			out = append(out, x.(map[string]any))
		}
		return out
	}
	for _, text := range []string{"$sum", "$port + 1", "mode,"} {
		if list := extract(init, text); len(list) > 0 {
			t.Errorf("%s: %v", text, list[0]["title"])
		}
	}
	if list := extract("modules/web/manifests/lonely.pp", "x = "); len(list) > 0 {
		t.Errorf("what no node has: %v", list[0]["title"])
	}
	for _, text := range []string{"greeting =", "port = 8"} {
		list := extract(init, text)
		if len(list) != 1 || list[0]["kind"] != "refactor.extract" {
			t.Fatalf("%s: %v", text, list)
		}
		n.apply(list[0])
		n.rest()
		if list := extract(init, text[:4]); len(list) > 0 {
			t.Errorf("%s: there is nothing left to move, and %v", text, list[0]["title"])
		}
	}
	if got, want := n.text("data/common.yaml"),
		"web::mode: '0644'\nweb::greeting: 'it''s ö'\nweb::port: 8080\n"; got != want {
		t.Errorf("the data are\n%s", got)
	}
	if got := n.text(init); !strings.Contains(got,
		"  String  $greeting,\n  Integer $port,\n  Integer $sum = $port + 1,\n") {
		t.Errorf("the class is\n%s", got)
	}
	n.bye()
}

// fourNodes are files with four nodes, of which the last is not among the three that are chosen, and of another family.
func fourNodes(files map[string]string) map[string]string {
	files["environment.conf"] = "modulepath = modules\n"
	for node, family := range map[string]string{"a1": "Debian", "a2": "Debian", "a3": "Debian", "z9": "RedHat"} {
		files["facts/"+node+".json"] = `{"fqdn": "` + node + `", "only_` + strings.ToLower(family) + `": "x", "os": {"family": "` + family +
			`", "name": "` + family + `", "release": {"major": "12"}}}`
	}
	return files
}

// TestEditsHoldEverywhere: an edit that mends the chosen nodes and breaks another is not offered, one that is good for
// all of them is.
func TestEditsHoldEverywhere(t *testing.T) {
	const init, site = "modules/m/manifests/init.pp", "manifests/site.pp"
	const pack, conf = "package { 'nginx': ensure => present }", "file { '/etc/nginx/conf.d/x.conf': content => 'x' }"
	message := ""
	offered := func(file, text, at string) (titles []string) {
		n := navigate(t, fourNodes(map[string]string{site: "include m\n", file: text}))
		path := filepath.Join(n.dir, file)
		n.open(path, text)
		n.wait("the problem", func() bool { return len(n.told(path)) > 0 })
		n.rest()
		n.mu.Lock()
		message = fmt.Sprint(n.shown["file://"+path])
		n.mu.Unlock()
		p := n.pos(file, at, 1)
		for _, x := range n.ask("textDocument/codeAction", map[string]any{"textDocument": p["textDocument"],
			"range": empty(p), "context": map[string]any{"diagnostics": []any{}}}).([]any) {
			titles = append(titles, x.(map[string]any)["title"].(string))
		}
		n.bye()
		return titles
	}
	if got := offered(init, "class m {\n  "+pack+"\n  "+conf+"\n}\n", "file {"); len(got) != 1 {
		t.Errorf("where all have it: %v", got)
	}
	if got := offered(init, "class m {\n  if $facts['os']['family'] == 'Debian' {\n    "+pack+"\n  }\n  "+conf+"\n}\n",
		"file {"); len(got) > 0 {
		t.Errorf("where some lack it: %v", got)
	}
	if !strings.Contains(message, "(verified on the nodes that were looked at)") {
		t.Errorf("where some lack it, what is said claims too much: %s", message)
	}
	// A guess as well: what is written for it must be there on all nodes.
	if got := offered(site, "$message = 'x'\nnotify { $mesage: }\n", "mesage:"); len(got) != 1 {
		t.Errorf("a guess: %v", got)
	}
	if got := offered(site, "if $facts['os']['family'] == 'Debian' {\n  $only_redhad = 'x'\n}\n"+
		"notify { $only_redhat: }\n", "only_redhat:"); len(got) > 0 {
		t.Errorf("a guess that breaks another node: %v", got)
	}
}

// TestExtractForAll: the default of a parameter moves to a file that all nodes read, not only the chosen ones, and in
// which the key is not yet.
func TestExtractForAll(t *testing.T) {
	const init = "modules/m/manifests/init.pp"
	for _, x := range []struct{ name, hiera, common, want string }{
		{"no level of all nodes", "  - { name: OS, path: \"os/%{facts.os.family}.yaml\" }\n", "", ""},
		{"one before", "  - { name: Common, path: common.yaml }\n  - { name: OS, path: \"os/%{facts.os.family}.yaml\" }\n",
			"x: 2\n", "move the default to Hiera: m::port in common.yaml"},
		{"one behind", "  - { name: OS, path: \"os/%{facts.os.family}.yaml\" }\n  - { name: Common, path: common.yaml }\n",
			"x: 2\n", "move the default to Hiera: m::port in common.yaml"},
		{"the key is there", "  - { name: Common, path: common.yaml }\n", "x: 2\nm::port: 80\n", ""},
		{"the key is there in quotes", "  - { name: Common, path: common.yaml }\n", "x: 2\n'm::port': 80\n", ""},
	} {
		n := navigate(t, fourNodes(map[string]string{
			"hiera.yaml":          "version: 5\nhierarchy:\n" + x.hiera,
			"data/common.yaml":    x.common,
			"data/os/Debian.yaml": "x: 1\n",
			"data/os/RedHat.yaml": "x: 1\n",
			"manifests/site.pp":   "include m\n",
			init:                  "class m (Integer $port = 80) {\n  notify { \"p ${port}\": }\n}\n",
		}))
		n.open(filepath.Join(n.dir, init), n.text(init))
		n.rest()
		p := n.pos(init, "port", 1)
		got := ""
		for _, a := range n.ask("textDocument/codeAction", map[string]any{"textDocument": p["textDocument"],
			"range": empty(p), "context": map[string]any{"diagnostics": []any{}}}).([]any) {
			got += a.(map[string]any)["title"].(string)
		}
		if got != x.want {
			t.Errorf("%s: %q", x.name, got)
		}
		n.bye()
	}
}

// TestManyNodes: where there are more nodes than a guess is tried on, those are tried that have what it is made in, one
// of each kind first, and what is offered says how many.
func TestManyNodes(t *testing.T) {
	const init = "modules/m/manifests/init.pp"
	offered := func(text, at string) (titles []string) {
		files := map[string]string{"environment.conf": "modulepath = modules\n", init: text,
			"manifests/site.pp":             "node /^z/ {\n  include odd\n  include m\n}\nnode default { include m }\n",
			"modules/odd/manifests/init.pp": "class odd { }\n"}
		for i := range 230 {
			files[fmt.Sprintf("facts/a%d.json", i)] = fmt.Sprintf(`{"fqdn": "a%d", "odd": false}`, i)
		}
		files["facts/z.json"] = `{"fqdn": "z", "odd": true}`
		n := &nav{dial(t, func(o *lsp.Options) { o.Nodes = []string{"a0"} }), tree(t, files)}
		n.start([]string{"utf-8"}, n.dir)
		path := filepath.Join(n.dir, init)
		n.open(path, text)
		n.wait("the problem", func() bool { return len(n.told(path)) > 0 })
		n.rest()
		p := n.pos(init, at, 1)
		for _, x := range n.ask("textDocument/codeAction", map[string]any{"textDocument": p["textDocument"],
			"range": empty(p), "context": map[string]any{"diagnostics": []any{}}}).([]any) {
			titles = append(titles, x.(map[string]any)["title"].(string))
		}
		n.bye()
		return titles
	}
	if got := offered("class m {\n  $message = 'x'\n  notify { $mesage: }\n}\n", "mesage:"); len(got) != 1 ||
		!strings.HasPrefix(got[0], "write message for mesage (tried on ") || !strings.HasSuffix(got[0], " of 231 nodes)") {
		t.Errorf("a guess: %v", got)
	}
	if got := offered("class m {\n  unless $facts['odd'] {\n    $message = 'x'\n  }\n"+
		"  if $facts['odd'] { $mesage = 'y' }\n  notify { 'x': message => $mesage }\n}\n", "mesage }"); len(got) > 0 {
		t.Errorf("a guess that breaks another node: %v", got)
	}
}
