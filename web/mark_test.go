package web

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
)

// before is the old state of the tree that marks are tried on: what changes is a mode, a text and a secret, each of a
// node of its own.
const before = "node 'a' { file { '/a': mode => '0644' } }\nnode 'n' { notify { 'n': message => 'old' } }\n" +
	"node 's' { file { '/s': content => Sensitive('was-hidden') } }\n"

// markTree is a tree with a main manifest and three nodes.
func markTree(t *testing.T, manifest string) string {
	return write(t, map[string]string{"manifests/site.pp": manifest, "facts/a.json": `{"fqdn": "a"}`,
		"facts/n.json": `{"fqdn": "n"}`,
		"facts/s.json": `{"fqdn": "s"}`})
}

// comparing compares a tree with before.
func comparing(t *testing.T, opt Options) func(context.Context) (*diff.Report, error) {
	old := markTree(t, before)
	catalogs := func(ctx context.Context, root string) (out []*catalog.Catalog, names []string, err error) {
		ws := compiler.NewWorkspace(root, compiler.Options{})
		snap, err := ws.Snapshot(ctx, ws.Disk())
		if err != nil {
			return nil, nil, err
		}
		facts, err := fleet.Nodes(ws.Disk(), root, "")
		if err != nil {
			return nil, nil, err
		}
		for _, n := range fleet.Real(facts) {
			res, err := snap.Compile(ctx, n.Node)
			if err != nil {
				return nil, nil, err
			}
			opt.Watch(res)
			out, names = append(out, res.Catalog), append(names, n.Title())
		}
		return out, names, nil
	}
	return func(ctx context.Context) (*diff.Report, error) {
		was, names, err := catalogs(ctx, old)
		if err != nil {
			return nil, err
		}
		is, _, err := catalogs(ctx, opt.Root)
		if err != nil {
			return nil, err
		}
		r := fleet.CompareCatalogs(was, is, names, diff.Options{})
		r.Gather()
		return r, nil
	}
}

// post sends what a page would.
func (b *browser) post(path, body string, header map[string]string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequest("POST", b.at+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for name, v := range header {
		r.Header.Set(name, v)
	}
	res, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// changed waits until the change is there.
func (b *browser) changed() map[string]any {
	b.t.Helper()
	for range 500 {
		if d := b.ask("diff", nil); d["state"] == "done" {
			return d
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.t.Fatal("nothing is compared")
	return nil
}

// markOf is the mark of the one group whose summary holds a text.
func markOf(t *testing.T, d map[string]any, about string) map[string]any {
	t.Helper()
	for letter, s := range d["summaries"].(map[string]any) {
		if strings.Contains(s.(string), about) {
			return at(d, "marks", letter).(map[string]any)
		}
	}
	t.Fatalf("no group is about %s: %v", about, d["summaries"])
	return nil
}

// TestMarks: a group is acknowledged and starred, that stands in a file, and holds for the same change only.
func TestMarks(t *testing.T) {
	after := strings.NewReplacer("0644", "0600", "old", "new", "was-hidden", "is-hidden").Replace(before)
	root := markTree(t, after)
	file := filepath.Join(root, "bunraku.marks")
	if err := os.WriteFile(file, []byte("# what we know of\nstar 0123456789abcdef  something else\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	opt := options(root)
	opt.Diff = comparing(t, opt)
	b := open(t, opt)
	ours := map[string]string{"Origin": b.at, "Content-Type": "application/json"}
	d := b.changed()
	mode, secret := markOf(t, d, "File[/a]"), markOf(t, d, "File[/s]")
	set := func(m map[string]any, word string, on string) (int, string) {
		return b.post("/api/mark", `{"group": "`+m["id"].(string)+`", "mark": "`+word+`", "on": `+on+`}`, ours)
	}
	if code, text := set(mode, "ack", "true"); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	set(secret, "star", "true")
	if code, text := set(secret, "ack", "true"); code == http.StatusOK || !strings.Contains(text, "Sensitive") {
		t.Errorf("a change that is not shown: %d %s", code, text)
	}
	kept, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(kept), "# what we know of\nstar 0123456789abcdef  something else\nack  "+
		mode["id"].(string)+"  ") ||
		strings.Contains(string(kept), "hidden") {
		t.Errorf("the file is\n%s %v", kept, err)
	}
	if d := b.changed(); markOf(t, d, "File[/a]")["ack"] != true || markOf(t, d, "File[/s]")["star"] != true ||
		markOf(t, d, "Notify[n]")["ack"] != nil {
		t.Errorf("marks: %v", d["marks"])
	}
	// The same change elsewhere in the file is the same; another mode is another change.
	edit := func(text string) {
		if err := os.WriteFile(filepath.Join(root, "manifests/site.pp"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, holds func(d map[string]any) bool) {
		t.Helper()
		for range 500 {
			if holds(b.changed()) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%s: %v", what, b.changed()["marks"])
	}
	edit("\n# a comment\n" + strings.ReplaceAll(after, "new", "newer"))
	until("a group that moved is no longer acknowledged", func(d map[string]any) bool {
		return markOf(t, d, "Notify[n]")["id"] != markOf(t, d, "File[/a]")["id"] && strings.Contains(text(t, d), "newer") &&
			markOf(t, d, "File[/a]")["ack"] == true
	})
	edit(strings.ReplaceAll(after, "0600", "0400"))
	until("another change is acknowledged, too", func(d map[string]any) bool {
		return strings.Contains(text(t, d), "0400") && markOf(t, d, "File[/a]")["ack"] == nil
	})
	edit(after)
	until("it is back", func(d map[string]any) bool { return markOf(t, d, "File[/a]")["ack"] == true })
	set(mode, "ack", "false")
	if text, _ := os.ReadFile(file); strings.Contains(string(text), "ack ") ||
		!strings.Contains(string(text), "something else") {
		t.Errorf("taken away, the file is\n%s", text)
	}

	// What no page of ours sends sets nothing.
	body := `{"group": "` + mode["id"].(string) + `", "mark": "ack", "on": true}`
	for name, x := range map[string]struct {
		path, body string
		header     map[string]string
	}{
		"another site": {"/api/mark", body,
			map[string]string{"Origin": "http://evil.example", "Content-Type": "application/json"}},
		"no origin":        {"/api/mark", body, map[string]string{"Content-Type": "application/json"}},
		"a form":           {"/api/mark", body, map[string]string{"Origin": b.at, "Content-Type": "text/plain"}},
		"another question": {"/api/overview", body, ours},
		"a longer path":    {"/api/mark/x", body, ours},
		"no group":         {"/api/mark", `{"group": "x", "mark": "ack", "on": true}`, ours},
		"another word":     {"/api/mark", strings.Replace(body, `"ack"`, `"rm -rf"`, 1), ours},
		"no document":      {"/api/mark", "ack", ours},
	} {
		if code, _ := b.post(x.path, x.body, x.header); code < 400 {
			t.Errorf("%s: %d", name, code)
		}
	}
	jar := b.client.Jar
	b.client.Jar = nil
	if code, _ := b.post("/api/mark", body, ours); code != http.StatusUnauthorized {
		t.Errorf("without the cookie: %d", code)
	}
	b.client.Jar = jar
	if text, _ := os.ReadFile(file); strings.Contains(string(text), "ack ") {
		t.Errorf("somebody set a mark:\n%s", text)
	}

	// A link in the file's place leads nowhere.
	elsewhere := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(elsewhere, []byte("precious\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, file); err != nil {
		t.Fatal(err)
	}
	if code, _ := set(mode, "star", "true"); code == http.StatusOK {
		t.Error("a link is written through")
	}
	if text, _ := os.ReadFile(elsewhere); string(text) != "precious\n" {
		t.Errorf("elsewhere stands %q", text)
	}
}
