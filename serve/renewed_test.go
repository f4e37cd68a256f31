package serve_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/puppetdb"
	"bunraku/serve"
)

// TestRenewed: PuppetDB is shown the certificate that the server has by now, and is not told anything once its own is
// revoked, or if it is another's.
func TestRenewed(t *testing.T) {
	var mu sync.Mutex
	var shown []string
	db := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, r.TLS.PeerCertificates[0].SerialNumber.String())
		_, _ = io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"uuid":"u"}`)
	}))
	db.Config.SetKeepAlivesEnabled(false)
	t.Cleanup(db.Close)
	ca := newCA(t, "Puppet CA")
	pair := ca.sign("puppetdb.example")
	db.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, Certificates: []tls.Certificate{pair}}
	db.StartTLS()
	r := start(t, small, func(o *serve.Options) {
		ca.sign("puppet.example")
		o.Cert, o.Key = ca.path("puppet.example.pem"), ca.path("puppet.example.key")
		o.CA, o.CRL = ca.path("ca.pem"), ca.path("crl.pem")
		o.PuppetDB = &puppetdb.Config{URL: db.URL, Pause: time.Millisecond}
	})
	r.testCA = ca
	c := r.client(ca.sign("agent.example"))
	last := func(more int) string {
		t.Helper()
		mu.Lock()
		before := len(shown)
		mu.Unlock()
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		for range 150 {
			mu.Lock()
			n := len(shown)
			mu.Unlock()
			if n >= before+more && more > 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(shown) != before+more {
			t.Fatalf("%d commands have come, not %d", len(shown)-before, more)
		}
		if more == 0 {
			return ""
		}
		return shown[len(shown)-1]
	}
	first := last(2)
	ca.sign("puppet.example")
	time.Sleep(1100 * time.Millisecond)
	if second := last(2); second == first || second != fmt.Sprint(ca.serial) {
		t.Errorf("shown was %s, and after it was renewed %s, not %d", first, second, ca.serial)
	}
	serial, ok := new(big.Int).SetString(mustParse(t, pair).SerialNumber.String(), 10)
	if !ok {
		t.Fatal("no serial")
	}
	ca.revoke(time.Hour, serial)
	time.Sleep(1100 * time.Millisecond)
	last(0)
	if _, text := watch(r, "/metrics"); !strings.Contains(text, "bunraku_puppetdb_up 0\n") {
		t.Error(text)
	}
}

func mustParse(t testing.TB, pair tls.Certificate) *x509.Certificate {
	t.Helper()
	c, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestReloadRules: a reload reads auth.conf again, and one that is not understood leaves the rules from before.
func TestReloadRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "auth.conf")
	write := func(rules string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("authorization: { version: 1, rules: [ "+rules+" ] }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rule := func(who string) string {
		return `{ match-request: { path: "/puppet/v3/environments", type: path }, ` + who + `, sort-order: 500, name: x }`
	}
	write(rule(`allow: "*"`))
	r := start(t, small, func(o *serve.Options) { o.Auth = file })
	c := r.client(r.sign("agent.example"))
	status := func(want int) {
		t.Helper()
		if a := r.get(c, "/puppet/v3/environments"); a.status != want {
			t.Errorf("%d %s, not %d", a.status, a.body, want)
		}
	}
	status(200)
	write(rule(`deny: "agent.example"`))
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	status(403)
	write(rule(`let: "*"`))
	if err := r.Reload(); err == nil || !strings.Contains(err.Error(), "let is not known") {
		t.Error(err)
	}
	status(403)
	write(rule(`allow: "*"`))
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	status(200)
}

// TestTwofold: what a rule looks at is what is served.
func TestTwofold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "auth.conf")
	if err := os.WriteFile(file, []byte(`authorization: { version: 1, rules: [
  { match-request: { path: "/puppet/v3/file_content", type: path, query-params: { environment: [production] } }
    allow: "*", sort-order: 500, name: x } ] }`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, small+"-- hidden/modules/demo/files/one --\nhidden\n-- hidden/manifests/site.pp --\n",
		func(o *serve.Options) { o.Auth = file })
	c := r.client(r.sign("agent.example"))
	for query, status := range map[string]int{"environment=production": 200, "environment=hidden": 403,
		"environment=hidden&environment=production": 400, "environment=production&environment=hidden": 400,
		"environment=production&environment=production": 200} {
		if a := r.get(c, "/puppet/v3/file_content/modules/demo/one?"+query); a.status != status ||
			strings.Contains(a.body, "hidden\n") {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
}

// TestLogBounds: no client writes as much as it likes into the log, nor hears all of it again.
func TestLogBounds(t *testing.T) {
	var log lockedBuffer
	r := start(t, small, func(o *serve.Options) { o.Log = textLog(&log) })
	c := r.client(r.sign("agent.example"))
	long := strings.Repeat("x", 5<<20)
	form := strings.Replace(catalogForm("agent.example", "production", nil), "transaction_uuid=u",
		"transaction_uuid="+long, 1)
	r.do(c, "POST", "/puppet/v3/catalog/agent.example?environment=production", formType, form, "Accept", accept)
	for _, environment := range []string{long, long + "-"} {
		a := r.do(c, "POST", "/puppet/v3/catalog/agent.example", formType, catalogForm("agent.example", environment, nil),
			"Accept", accept)
		if len(a.body) > 64<<10 {
			t.Errorf("an error of %d bytes", len(a.body))
		}
	}
	r.do(c, "PUT", "/puppet/v3/report/agent.example?environment=production", "application/json",
		strings.Replace(oddReport, `"changed"`, `"`+long+`"`, 1))
	if n := len(log.String()); n > 100<<10 || n == 0 {
		t.Errorf("four requests make a log of %d bytes", n)
	}
}

// TestFilesGone: when files of certificates or mounts vanish or make no sense, those from before stay in force, and
// whoever watches is told.
func TestFilesGone(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "fileserver.conf")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(conf, []byte("[data]\n  path /nowhere\n"), 0o600))
	r := start(t, small, func(o *serve.Options) { o.FileServer = conf })
	c := r.client(r.sign("agent.example"))
	health := func(want string) {
		t.Helper()
		time.Sleep(1100 * time.Millisecond)
		r.get(c, "/puppet/v3/file_content/data/x?environment=production")
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if _, body := watch(r, "/healthz"); !strings.Contains(body, want) ||
			strings.Contains(body, `"ok":true`) != (want == `"ok":true`) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	health(`"ok":true`)
	crl, err := os.ReadFile(r.path("crl.pem"))
	must(err)
	must(os.Remove(r.path("crl.pem")))
	health("certificates or revocation lists cannot be read")
	must(os.WriteFile(r.path("crl.pem"), crl, 0o600))
	health(`"ok":true`)
	must(os.WriteFile(conf, []byte("nonsense\n"), 0o600))
	health("fileserver.conf cannot be read")
	must(os.WriteFile(conf, nil, 0o600))
	health(`"ok":true`)
}

// moreAuth lets everybody ask for everything.
const moreAuth = `
-- auth.conf --
authorization: { version: 1, rules: [
  { match-request: { path: "/", type: path }, allow: "*", sort-order: 500, name: all }
] }
`

// TestFactsExternal: facts that come outside of a run are kept with all that is trusted of the node, so that a catalog
// that is asked for later without any is the same.
func TestFactsExternal(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, moreAuth)
	command := filepath.Join(dir, "external")
	if err := os.WriteFile(command, []byte("#!/bin/sh\necho '{\"rack\":\"r7\"}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	const site = "-- production/manifests/site.pp --\nnotify { \"rack ${trusted['external']['rack']}\": }\n"
	r := start(t, site, func(o *serve.Options) {
		o.TrustedExternal, o.Auth = command, filepath.Join(dir, "auth.conf")
	})
	c := r.client(r.sign("agent.example"))
	if a := r.do(c, "PUT", "/puppet/v3/facts/agent.example?environment=production", "application/json",
		`{"name":"agent.example","values":{"a":1}}`); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := r.do(c, "POST", "/puppet/v4/catalog", "application/json", `{"certname":"agent.example",
		"environment":"production","persistence":{"facts":false,"catalog":false}}`); !strings.Contains(a.body, `"rack r7"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// secretSite uses secrets in all the ways that people do.
const secretSite = `
-- production/environment.conf --
modulepath = modules
-- production/hiera.yaml --
version: 5
hierarchy: [{name: all, path: all.yaml}]
-- production/data/all.yaml --
lookup_options:
  '^hush::.*': { convert_to: Sensitive }
hush::word: PLANTED-data
hush::tree: { a: { b: [PLANTED-deep] } }
-- production/modules/hush/manifests/init.pp --
class hush(Sensitive $word, Sensitive $tree) {
  $own = Sensitive('PLANTED-own')
  file { '/a': content => $word }
  file { '/b': content => Sensitive("x ${own.unwrap} y\n") }
  file { '/c': content => $tree.unwrap['a']['b'][0].then |$x| { Sensitive($x) } }
  hush::one { 'd': word => Sensitive('PLANTED-define') }
  exec { '/bin/true': environment => Sensitive(["A=${own.unwrap}"]), unless => Sensitive('test PLANTED-exec') }
  @@file { '/e': content => Sensitive('PLANTED-exported') }
  user { 'u': password => Sensitive('PLANTED-password') }
  notify { 'in a hash': message => { 'k' => [Sensitive('PLANTED-nested')] } }
  file { '/f': content => Deferred('sprintf', ['%s', Sensitive('PLANTED-deferred')]) }
  warning("log ${own}")
}
-- production/modules/hush/manifests/one.pp --
define hush::one(Sensitive $word) {
  file { "/${title}": content => $word.unwrap.then |$x| { Sensitive("pre ${x}") } }
}
-- production/manifests/site.pp --
include hush
if $facts['fails'] { fail("no: ${Sensitive('PLANTED-fail').unwrap}") }
`

// TestSecretsAtRest: whatever is switched on, no file that a server leaves has a secret in it, nor has its log, and
// nobody else may read any.
func TestSecretsAtRest(t *testing.T) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "down", http.StatusServiceUnavailable)
	}))
	t.Cleanup(down.Close)
	for name, change := range map[string]func(*serve.Options){
		"provenance": func(o *serve.Options) { o.Provenance = time.Hour },
		"gate":       func(o *serve.Options) { o.Gate, o.Provenance = &serve.GateOptions{}, time.Hour },
		"reuse":      func(o *serve.Options) { o.Reuse = 1 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			var log lockedBuffer
			r := start(t, secretSite, func(o *serve.Options) {
				o.Log = textLog(&log)
				o.PuppetDB, o.ReportURL = &puppetdb.Config{URL: down.URL, Pause: time.Millisecond}, down.URL
				change(o)
			})
			c := r.client(r.sign("agent.example"))
			for i, values := range []map[string]any{{}, {"n": 1}, {"fails": true}} {
				a := r.catalog(c, "agent.example", "production", values)
				if i < 2 && (a.status != 200 || strings.Count(a.body, "PLANTED") < 8) || i == 2 && (a.status != 500 ||
					strings.Contains(a.body, "PLANTED")) {
					t.Fatalf("%d %s", a.status, a.body)
				}
			}
			r.do(c, "PUT", "/puppet/v3/report/agent.example?environment=production", "application/json", oddReport)
			stop(t, r)
			files := 0
			if err := filepath.WalkDir(r.opt.State, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				files++
				text, err := os.ReadFile(path)
				if at := strings.Index(string(text), "PLANTED"); at >= 0 {
					t.Errorf("%s: …%.200s", path, text[max(0, at-100):])
				}
				if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s %v %v", path, info.Mode(), err)
				}
				return err
			}); err != nil || files < 6 {
				t.Errorf("%d files, %v", files, err)
			}
			if strings.Contains(log.String(), "PLANTED") {
				t.Error(log.String())
			}
		})
	}
}

// TestUnfinished: what a server that was killed has left half written is removed at last.
func TestUnfinished(t *testing.T) {
	state := t.TempDir()
	for _, dir := range []string{"facts", "reports/agent.example"} {
		unpack(t, state, "-- "+dir+"/.new-1 --\nhalf\n-- "+dir+"/.new-2 --\nnow\n")
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(filepath.Join(state, dir, ".new-1"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	start(t, small, func(o *serve.Options) { o.State = state })
	for range 100 {
		left, _ := filepath.Glob(filepath.Join(state, "*", "*", ".new-*"))
		more, _ := filepath.Glob(filepath.Join(state, "*", ".new-*"))
		if left = append(left, more...); len(left) == 2 && strings.HasSuffix(left[0], "2") &&
			strings.HasSuffix(left[1], "2") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("it is still there")
}
