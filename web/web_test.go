package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/verify/model"
)

const shop = "../examples/shop"

// A browser is a client that has been let in, at a server of a tree.
type browser struct {
	t      testing.TB
	server *Server
	at     string // the server's address
	client *http.Client
}

// options are those of the command, without flags.
func options(root string) Options {
	secrets := &redact.Secrets{}
	return Options{Version: "test", Root: root, Secrets: secrets, Poll: 20 * time.Millisecond,
		Watch: func(r *eval.Result) { // as the command keeps secrets
			if r.Catalog != nil {
				secrets.AddCatalog(r.Catalog)
			}
			r.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { secrets.AddValue(v) })
			r.EachBared(secrets.AddBared, secrets.AddMade)
		},
		Judge: func() (*judge.Judge, func(string) bool, error) {
			own := judge.OwnCode(root)
			return judge.New(judge.Options{Budget: model.DefaultUnits, Own: own, Hide: secrets.Hide}), own, nil
		}}
}

// open serves a tree and lets a client in.
func open(t testing.TB, opt Options) *browser {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(opt, l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	if err := s.Look(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	jar, _ := cookiejar.New(nil)
	b := &browser{t, s, "http://" + l.Addr().String(), &http.Client{Jar: jar}}
	res, err := b.client.Get(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Request.URL.RawQuery != "" {
		t.Fatalf("the link leads to %s: %s", res.Request.URL, res.Status)
	}
	return b
}

// ask asks and decodes the answer.
func (b *browser) ask(what string, q url.Values) map[string]any {
	b.t.Helper()
	code, text := b.get("/api/" + what + "?" + q.Encode())
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil || code != http.StatusOK {
		b.t.Fatalf("%s %v: %d %s (%v)", what, q, code, clip(text, 500), err)
	}
	return out
}

// catalog is that of a node.
func (b *browser) catalog(node string) *catalog.Catalog {
	b.t.Helper()
	rec, err := b.server.site.now().record(context.Background(), node)
	if err != nil {
		b.t.Fatal(err)
	}
	return rec.Catalog
}

func (b *browser) get(path string) (int, string) {
	b.t.Helper()
	res, err := b.client.Get(b.at + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// at finds what lies at a path of keys in an answer.
func at(v any, path ...any) any {
	for _, step := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[step.(string)]
		case []any:
			if i := step.(int); i < len(x) {
				v = x[i]
			} else {
				return nil
			}
		}
	}
	return v
}

// write makes a tree.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestShop asks what the first pages ask.
func TestShop(t *testing.T) {
	b := open(t, options(shop))
	o := b.ask("overview", nil)
	if at(o, "nodes", "real") != 3.0 || at(o, "nodes", "found") != 2.0 || at(o, "findings", 0, "code") != "V101" {
		t.Errorf("overview: %v", o)
	}
	f := b.ask("fleet", url.Values{"class": {"profile::nginx"}, "facets": {"1"}})
	if f["count"] != 2.0 || f["total"] != 3.0 || at(f, "rows", 0, "name") != "web1.shop.example" {
		t.Errorf("fleet: %v", f)
	}
	f = b.ask("fleet", url.Values{"fact": {"os.family:RedHat"}, "facets": {"1"}})
	if f["count"] != 1.0 || at(f, "facets", 0, "name") != "fact:os.family" ||
		at(f, "facets", 0, "values", 0, "value") != "RedHat" {
		t.Errorf("what was chosen cannot be let go: %v", f)
	}
	n := b.ask("node", url.Values{"name": {"web2.shop.example"}})
	if len(n["resources"].([]any)) != 30 || at(n, "resources", 0, "r") != "Stage[main]" ||
		at(n, "resources", 0, "n") != 29.0 {
		t.Errorf("node: %v", n)
	}
	v := b.ask("value", url.Values{"node": {"web2.shop.example"}, "ref": {"Class[Profile::Nginx]"}, "attribute": {"port"}})
	if v["shown"] != "8443" || at(v, "answer", "where", "level") != "Node" || at(v, "others", 0, "value") != "80" {
		t.Errorf("value: %v", v)
	}
	facts := b.ask("facts", url.Values{"node": {"web2.shop.example"}})
	if !strings.Contains(text(t, facts), `"path":"os.family","value":"Debian"`) {
		t.Errorf("facts: %v", facts)
	}
	found := b.ask("search", url.Values{"q": {"8443 web2"}})
	if at(found, "results", 0, "title") != "Class[Profile::Nginx] port" ||
		at(found, "results", 0, "node") != "web2.shop.example" {
		t.Errorf("search: %v", found)
	}
	if code, text := b.get("/api/node?name=web9"); code != http.StatusNotFound ||
		!strings.Contains(text, "there is no node named web9") {
		t.Errorf("a node that is not there: %d %s", code, text)
	}
}

// TestExported: a node has what another exports to it, as in a check, and the value knows whose it is.
func TestExported(t *testing.T) {
	opt := options(write(t, map[string]string{
		"manifests/site.pp": "node 'db1' { @@notify { 'key': message => 'of db1' } }\nnode default { Notify <<| |>> }\n",
		"facts/db1.json":    `{"fqdn": "db1"}`, "facts/web1.json": `{"fqdn": "web1"}`}))
	opt.Exchange = func(ctx context.Context, snap *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange, error) {
		x, err := fleet.NewExchange(ctx, snap, nodes, opt.Watch)
		for i := range nodes {
			nodes[i] = nodes[i].Importing(x.Set)
		}
		return x, err
	}
	b := open(t, opt)
	v := b.ask("value", url.Values{"node": {"web1"}, "ref": {"Notify[key]"}, "attribute": {"message"}})
	if v["shown"] != "'of db1'" || !strings.Contains(text(t, v), "exported by db1") {
		t.Errorf("what db1 exports, on web1: %v", v)
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestLive: what is written shows within a second, and so does that it is broken and mended.
func TestLive(t *testing.T) {
	dir := write(t, map[string]string{"manifests/site.pp": "file { '/a': mode => '0644' }\n",
		"facts/n.json": `{"fqdn": "n.example"}`})
	b := open(t, options(dir))
	value := func() string {
		_, text := b.get("/api/value?node=n.example&ref=File[/a]&attribute=mode")
		return text
	}
	wait := func(what, want string, answer func() string) {
		t.Helper()
		began := time.Now()
		for !strings.Contains(answer(), want) {
			if time.Since(began) > time.Minute {
				t.Fatalf("%s does not show: %s", what, clip(answer(), 400))
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Logf("%s showed after %v", what, time.Since(began).Round(time.Millisecond))
	}
	edit := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "manifests/site.pp"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overview := func() string { _, text := b.get("/api/overview"); return text }
	wait("what there is", `'0644'`, value)
	edit("file { '/a': mode => '0600' }\n")
	wait("an edit", `'0600'`, value)
	edit("file { '/a': mode => }\n")
	wait("a mistake", `"failing":1`, overview)
	edit("file { '/a': mode => '0640' }\n")
	wait("its mending", `'0640'`, value)
	if err := os.WriteFile(filepath.Join(dir, "facts/m.json"), []byte(`{"fqdn": "m.example"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	wait("a new node", `"real":2`, overview)
}

// TestBeingWritten: while files come and go all the time, every question is answered, from one state or the next.
func TestBeingWritten(t *testing.T) {
	dir := write(t, map[string]string{"manifests/site.pp": "class a($p = 1) {}\nfile { '/a': mode => '0644' }\ninclude a\n",
		"hiera.yaml": "version: 5\ndefaults: { datadir: data, data_hash: yaml_data }\nhierarchy:\n" +
			"  - { name: Node, path: 'nodes/%{trusted.certname}.yaml' }\n  - { name: Common, path: common.yaml }\n",
		"data/common.yaml": "a::p: 2\n", "facts/n.example.json": `{"fqdn": "n.example"}`,
		"facts/m.example.json": `{"fqdn": "m.example"}`})
	b := open(t, options(dir))
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			case <-time.After(10 * time.Millisecond):
			}
			name := filepath.Join(dir, "data/nodes", "n.example.yaml")
			if i%3 == 2 {
				_ = os.Remove(name)
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
				os.WriteFile(name, fmt.Appendf(nil, "a::p: %d\n", i), 0o644)); err != nil {
				stopped <- err
				return
			}
		}
	}()
	asked, first := 0, b.server.site.edition()
	for began := time.Now(); time.Since(began) < 2*time.Second; asked++ {
		for _, path := range []string{"value?node=n.example&ref=Class[A]&attribute=p", "order?node=m.example",
			"facts?node=n.example", "hiera?key=a::p"} {
			if code, text := b.get("/api/" + path); code != http.StatusOK && !strings.Contains(text, "being written") {
				t.Fatalf("%s: %d %s", path, code, clip(text, 300))
			}
		}
		if trouble := b.ask("overview", nil)["trouble"]; trouble != nil {
			t.Fatalf("the first page says %v", trouble)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	t.Logf("asked %d times of %d states", asked, b.server.site.edition()-first)
}

// TestTrouble: a tree that can no longer be read is told on every page, and read again when it can.
func TestTrouble(t *testing.T) {
	dir := write(t, map[string]string{"manifests/site.pp": "file { '/a': mode => '0644' }\n",
		"facts/n.json": `{"fqdn": "n.example"}`})
	b := open(t, options(dir))
	facts := filepath.Join(dir, "facts/n.json")
	wait := func(there bool) {
		t.Helper()
		for range 1000 {
			if (b.ask("overview", nil)["trouble"] != nil) == there {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("it does not show")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Remove(facts))
	must(os.Symlink("n.json", facts)) // which leads nowhere
	wait(true)
	for what := range b.server.questions() {
		for _, q := range []string{"", "?node=n.example&name=n.example&ref=File[/a]&attribute=mode&file=x&key=a::b&id=x&q=a"} {
			code, text := b.get("/api/" + what + q)
			told := code == http.StatusNotFound && strings.Contains(text, "the tree cannot be read")
			if what == "about" || what == "overview" {
				told = code == http.StatusOK && !strings.Contains(text, "n.example\"")
			}
			if !told {
				t.Errorf("%s%s: %d %s", what, q, code, clip(text, 300))
			}
		}
	}
	must(os.Remove(facts))
	must(os.WriteFile(facts, []byte(`{"fqdn": "n.example"}`), 0o644))
	wait(false)
	b.ask("node", url.Values{"name": {"n.example"}})
}

// TestBrokenFacts: a node whose facts cannot be read is one that does not compile; the others are there.
func TestBrokenFacts(t *testing.T) {
	b := open(t, options(write(t, map[string]string{"manifests/site.pp": "file { '/a': mode => '0644' }\n",
		"facts/n.json": `{{`, "facts/m.json": `{"fqdn": "m"}`})))
	if n := b.ask("node", url.Values{"name": {"m"}}); n["status"] != "fine" {
		t.Errorf("the other: %v", n)
	}
	if n := fmt.Sprint(b.ask("node", url.Values{"name": {"n"}})); !strings.Contains(n, "F0102") {
		t.Errorf("the broken one: %v", n)
	}
}

// TestEvents: a page that listens is told when there is something new, and before that that it is worked on.
func TestEvents(t *testing.T) {
	dir := write(t, map[string]string{"manifests/site.pp": "notify { 'a': }\n", "facts/n.json": `{"fqdn": "n.example"}`})
	opt := options(dir)
	opt.Patience = 100 * time.Microsecond
	b := open(t, opt)
	res, err := b.client.Get(b.at + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	seen, looking := map[string]bool{}, false
	for len(seen) < 2 || !looking { // a test that waits for ever fails by its time
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		text, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var told notice
		if err := json.Unmarshal([]byte(text), &told); err != nil {
			t.Fatalf("told %s (%v)", text, err)
		}
		looking = looking || told.Looking != ""
		seen[told.Edition] = true
		text = fmt.Sprintf("notify { 'b%d': }\n", len(seen))
		if err := os.WriteFile(filepath.Join(dir, "manifests/site.pp"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGuard: only the browser that brought the link is answered, only under the server's own name, and no other site's
// page can ask anything.
func TestGuard(t *testing.T) {
	b := open(t, options(shop))
	host := strings.TrimPrefix(b.at, "http://")
	handler := b.server.Handler()
	u, _ := url.Parse(b.at)
	cookies := b.client.Jar.Cookies(u)
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	for _, x := range []struct {
		name, method, path string
		header             map[string]string
		known              bool
		want               int
	}{
		{"as it should be", "GET", "/api/overview", nil, true, 200},
		{"from its own page", "GET", "/api/overview",
			map[string]string{"Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}, true, 200},
		{"without the cookie", "GET", "/api/overview", nil, false, 401},
		{"with a cookie that is none of ours", "GET", "/api/overview", map[string]string{"Cookie": cookies[0].Name + "=x"},
			false, 401},
		{"another name for this machine", "GET", "/api/overview", map[string]string{"Host": "evil.example"}, true, 403},
		{"another port", "GET", "/api/overview", map[string]string{"Host": "127.0.0.1:1"}, true, 403},
		{"no name", "GET", "/api/overview", map[string]string{"Host": ""}, true, 403},
		{"a page under another name", "GET", "/", map[string]string{"Host": "evil.example:80"}, false, 403},
		{"another site's script", "GET", "/api/overview", map[string]string{"Origin": "http://evil.example"}, true, 403},
		{"a sandboxed page", "GET", "/api/overview", map[string]string{"Origin": "null"}, true, 403},
		{"the same host on another port", "GET", "/api/overview", map[string]string{"Origin": "http://127.0.0.1:1"}, true,
			403},
		{"another site's image", "GET", "/api/overview",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, true, 403},
		{"another port's image", "GET", "/api/overview", map[string]string{"Sec-Fetch-Site": "same-site"}, true, 403},
		{"another site's link to data", "GET", "/api/overview",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, true,
			403},
		{"another site's link to a page", "GET", "/fleet",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, false,
			200},
		{"another site's frame", "GET", "/fleet",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, true,
			403},
		{"the link again", "GET", "/open?token=" + strings.Repeat("0", 64), nil, false, 403},
		{"no token", "GET", "/open", nil, false, 403},
		{"something that only looks", "HEAD", "/open?token=" + strings.Repeat("0", 64), nil, false, 200},
		{"something to change", "POST", "/api/overview", nil, true, 405},
		{"something to remove", "DELETE", "/", nil, true, 405},
		{"a file above", "GET", "/../web.go", nil, true, 307}, // to /web.go, which is not there,
		{"a file above, in disguise", "GET", "/assets/%2e%2e/%2e%2e/web.go", nil, true, 404},
		{"a file above, backwards", "GET", "/assets/..%5c..%5cweb.go", nil, true, 404},
		{"what was built from", "GET", "/SOURCES", nil, true, 404},
		{"a directory", "GET", "/assets/", nil, true, 404},
		{"a question that is none", "GET", "/api/passwd", nil, true, 404},
		{"a double slash", "GET", "//api/overview", nil, false, 0},
	} {
		r := httptest.NewRequest(x.method, "http://"+host+"/", nil)
		r.URL.Path, r.RequestURI = x.path, x.path
		if p, err := url.Parse("http://" + host + x.path); err == nil && x.want != 0 {
			r.URL = p
		}
		r.Host = host
		for name, v := range x.header {
			if name == "Host" {
				r.Host = v
			}
			r.Header.Set(name, v)
		}
		if x.known {
			r.AddCookie(cookies[0])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != x.want && x.want != 0 || w.Code == 200 && x.want == 0 {
			t.Errorf("%s: %d, want %d: %s", x.name, w.Code, x.want, clip(w.Body.String(), 200))
		}
		csp := w.Header().Get("Content-Security-Policy")
		for _, need := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'",
			"base-uri 'none'"} {
			if !strings.Contains(csp, need) || strings.Contains(csp, "unsafe") {
				t.Errorf("%s: the policy is %q", x.name, csp)
			}
		}
	}
	if c := cookies[0]; !strings.HasPrefix(c.Name, "bunraku-") || len(c.Value) != 64 {
		t.Errorf("the cookie is %s", c)
	}
	// The cookie as it is set: no script reads it, and no other site's page sends it.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := New(options(shop), l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	first, _ := url.Parse(s.URL())
	for i, want := range []int{http.StatusOK, http.StatusSeeOther, http.StatusForbidden} {
		r := httptest.NewRequest([]string{"HEAD", "GET", "GET"}[i], first.String(), nil)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		set := w.Header().Get("Set-Cookie")
		if w.Code != want || i == 1 && (!strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") ||
			w.Header().Get("Location") != "/") || i != 1 && set != "" {
			t.Errorf("the link, time %d: %d %q", i+1, w.Code, set)
		}
	}
}

// TestNames: a server that listens on every address is called by each of them, by the machine's name and by the name
// that it was given, and still by nobody else's; the link is one that a browser can open.
func TestNames(t *testing.T) {
	const machine = "desk.example"
	for _, x := range []struct {
		listens, named string
		link           string
		yes, no        []string
	}{
		{"127.0.0.1:8140", "127.0.0.1", "127.0.0.1:8140", []string{"localhost:8140", "LocalHost:8140", "[::1]:8140"},
			[]string{"192.0.2.7:8140", machine + ":8140", "127.0.0.1:80", "evil.example:8140", "127.0.0.1", ""}},
		{"127.0.0.1:8140", "Localhost", "localhost:8140", []string{"127.0.0.1:8140"}, []string{"evil.example:8140"}},
		{"[::]:8140", "Desk.example", machine + ":8140",
			[]string{"192.0.2.7:8140", "[2001:db8::7]:8140", "localhost:8140", "127.0.0.1:8140"},
			[]string{"evil.example:8140", "192.0.2.7:80", "192.0.2.7", ""}},
		{"[::]:8140", "", "localhost:8140", []string{"192.0.2.7:8140"}, []string{"evil.example:8140"}},
		{"192.0.2.7:8140", "Control.Example", "control.example:8140", []string{"192.0.2.7:8140", "CONTROL.example:8140"},
			[]string{"192.0.2.8:8140", "localhost:8140", "evil.example:8140"}},
		{"192.0.2.7:8140", "192.0.2.7", "192.0.2.7:8140", nil, []string{"192.0.2.8:8140", "evil.example:8140"}},
	} {
		addr, err := net.ResolveTCPAddr("tcp", x.listens)
		if err != nil {
			t.Fatal(err)
		}
		g, err := newGuard(addr, x.named)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.url(); !strings.HasPrefix(got, "http://"+x.link+"/open?token=") {
			t.Errorf("%s as %q: the link is %s", x.listens, x.named, got)
		}
		for _, name := range append(x.yes, x.link) {
			if !g.called(name) {
				t.Errorf("%s as %q is not called %q", x.listens, x.named, name)
			}
		}
		for _, name := range x.no {
			if g.called(name) {
				t.Errorf("%s as %q is called %q", x.listens, x.named, name)
			}
		}
	}
}
