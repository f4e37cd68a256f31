package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func (n *nav) lens(file string) string {
	n.t.Helper()
	var out []string
	for _, x := range n.ask("textDocument/codeLens", n.doc(file)).([]any) {
		out = append(out, x.(map[string]any)["command"].(map[string]any)["title"].(string))
	}
	return strings.Join(out, "\n")
}

// until asks for the lens of a file until it is what is wanted.
func (n *nav) until(file, want string) {
	n.t.Helper()
	got := ""
	for range 600 {
		if got = n.lens(file); got == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	n.t.Fatalf("%s: %s\nwant %s", file, got, want)
}

// TestCensus: a lens counts over all nodes that there are facts of, also those of which nothing else is shown; those
// that do not compile are not among them. Who includes a class is told apart from who speaks of it.
func TestCensus(t *testing.T) {
	files := map[string]string{
		"manifests/site.pp": "node /^db/ { include db }\nnode /^bad/ { include gone }\nnode 'x' { include web }\n" +
			"node default { include web\n web::page { ['a', 'b']: } }\n",
		"modules/web/manifests/init.pp":  "class web {\n}\n",
		"modules/web/manifests/page.pp":  "define web::page {\n}\n",
		"modules/db/manifests/init.pp":   "class db {\n  $x = Class['web']\n  if defined('web') { }\n}\n",
		"modules/lost/manifests/init.pp": "class lost inherits db {\n  contain web\n  include web\n}\n",
	}
	for i := range 20 {
		name := fmt.Sprintf("a%02d", i)
		if i >= 15 {
			name = fmt.Sprintf("db%02d", i)
		}
		files["facts/"+name+".json"] = `{"fqdn": "` + name + `"}`
	}
	n := navigate(t, files)
	page := "modules/web/manifests/page.pp"
	n.until("modules/web/manifests/init.pp", "on 15 of 20 nodes · included by 3 · named 6 times")
	n.until(page, "30 resources on 15 of 20 nodes · named 1 time")
	n.until("modules/db/manifests/init.pp", "on 5 of 20 nodes · included by 2 · named 2 times")
	n.until("modules/lost/manifests/init.pp", "on none of 20 nodes · included by 0 · named 0 times")
	// A node comes that does not compile, one goes, and the code changes.
	write := func(file, text string) {
		path := filepath.Join(n.dir, file)
		err := os.Remove(path)
		if text != "" {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil && text != "" {
			t.Fatal(err)
		}
		n.notify("workspace/didChangeWatchedFiles",
			map[string]any{"changes": []any{map[string]any{"uri": "file://" + path, "type": 2}}})
	}
	write("facts/bad.json", `{"fqdn": "bad"}`)
	write("facts/db19.json", "")
	n.until(page, "30 resources on 15 of 19 nodes, and 1 does not compile · named 1 time")
	write("manifests/site.pp", strings.Replace(files["manifests/site.pp"], "['a', 'b']", "'a'", 1))
	n.until(page, "15 resources on 15 of 19 nodes, and 1 does not compile · named 1 time")
	write(page, "define web::page {\n  fail('no')\n}\n") // they have what they had, and that is said
	n.until(page, "15 resources on 15 of 19 nodes, of which 15 do not compile now, and 1 does not compile · named 1 time")
	write(page, files[page])
	n.until(page, "15 resources on 15 of 19 nodes, and 1 does not compile · named 1 time")
	// Nodes that nobody has are called so.
	for name := range files {
		if strings.HasPrefix(name, "facts/") {
			write(name, "")
		}
	}
	write("facts/bad.json", "")
	for range 600 {
		if strings.Contains(n.lens(page), "of the 3 invented nodes looked at") {
			n.bye()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("without facts: %s", n.lens(page))
}
