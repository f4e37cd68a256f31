package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNodesOfTheOpenClass: without a setting, answers are about nodes that have what is being written at.
func TestNodesOfTheOpenClass(t *testing.T) {
	files := map[string]string{
		"manifests/site.pp":              "node /^db/ { include db }\nnode default { include web }\n",
		"modules/web/manifests/init.pp":  "class web {\n  $port = 80\n  notify { \"web ${port} ${trusted['certname']}\": }\n}\n",
		"modules/db/manifests/init.pp":   "class db {\n  $where = \"srv-${trusted['certname']}\"\n  notify { $where: }\n}\n",
		"modules/lost/manifests/init.pp": "class lost {\n  notify { 'lost': }\n}\n",
	}
	for i := range 20 {
		name := fmt.Sprintf("a%02d", i)
		if i >= 15 {
			name = fmt.Sprintf("db%02d", i)
		}
		files["facts/"+name+".json"] = `{"fqdn": "` + name + `"}`
	}
	n := navigate(t, files)
	n.open(filepath.Join(n.dir, "modules/lost/manifests/init.pp"), files["modules/lost/manifests/init.pp"])
	n.ready("modules/web/manifests/init.pp", "port", "on a00, a01, a02")
	n.open(filepath.Join(n.dir, "modules/db/manifests/init.pp"), files["modules/db/manifests/init.pp"])
	n.ready("modules/db/manifests/init.pp", "where", "srv-db17") // they are found one after the other
	if got := n.hover("modules/db/manifests/init.pp", "where", 1); !strings.Contains(got, "db16") ||
		!strings.Contains(got, "db17") || strings.Contains(got, "a00") {
		t.Errorf("hover: %s", got)
	}
	// Who goes back finds the others again; who names nodes has those.
	n.edit(filepath.Join(n.dir, "modules/web/manifests/init.pp"), 2, nil, "") // it is not open: no matter
	n.open(filepath.Join(n.dir, "modules/web/manifests/init.pp"), files["modules/web/manifests/init.pp"])
	n.ready("modules/web/manifests/init.pp", "port", "on a00, a01, a02")
	n.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"nodes": []string{"db19"}}})
	n.ready("modules/db/manifests/init.pp", "where", "srv-db19")
	n.bye()
}

// TestProgress: work that takes a while is shown from its beginning to its end, to a client that shows such things.
func TestProgress(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "include slow\n", "facts/a.json": `{"fqdn": "a"}`,
		"modules/slow/manifests/init.pp": "class slow {\n  $n = range(1, 60000).map |$i| { $i * 2 }\n  $m = $n.map |$i| { " +
			"$i + 1 }\n  notify { \"${m[7]}\": }\n}\n"}
	for i := range 60 {
		files[fmt.Sprintf("modules/m%d/manifests/init.pp", i)] = fmt.Sprintf("class m%d {\n%s}\n", i,
			strings.Repeat("  notify { \"x${title}\": }\n", 200))
	}
	dir := tree(t, files)
	c := dial(t, nil)
	c.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{
		"window": map[string]any{"workDoneProgress": true}}})
	c.notify("initialized", map[string]any{})
	kinds := func() (out string) {
		for _, p := range c.progress {
			v := p["value"].(map[string]any)
			out += v["kind"].(string) + " "
			if v["kind"] == "begin" && (!strings.Contains(v["title"].(string), filepath.Base(dir)) || p["token"] == nil) {
				t.Errorf("begin: %v", p)
			}
		}
		return out
	}
	seen := ""
	for round := 0; !strings.Contains(seen, "end"); round++ { // a fast machine is done before anything shows
		if round == 400 {
			t.Fatalf("no work was shown: %q", seen)
		}
		time.Sleep(250 * time.Millisecond)
		c.mu.Lock()
		seen = kinds()
		c.mu.Unlock()
		if seen == "" && round%8 == 7 {
			path := filepath.Join(dir, "modules/slow/manifests/init.pp")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(text), "60000", "900000", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			c.notify("workspace/didChangeWatchedFiles",
				map[string]any{"changes": []any{map[string]any{"uri": "file://" + path, "type": 2}}})
		}
	}
	if !strings.HasPrefix(seen, "begin ") || strings.Count(seen, "begin") < strings.Count(seen, "end") {
		t.Errorf("shown: %s", seen)
	}
	c.bye()

	// A client that shows nothing is sent nothing.
	c = dial(t, nil)
	c.start(nil, dir)
	time.Sleep(600 * time.Millisecond) // longer than work is let alone
	c.bye()
	if len(c.progress) > 0 || strings.Contains(c.all.String(), "workDoneProgress") {
		t.Error("a client that cannot show work is told of it")
	}
}
