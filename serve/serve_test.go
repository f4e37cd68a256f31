package serve_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/puppet/compiler"
	"bunraku/serve"
	"bunraku/source"
)

// A running server with its CA.
type running struct {
	*testCA
	*serve.Server
	t    testing.TB
	url  string
	opt  serve.Options
	code string // the environment path
}

// start serves the environments of an archive.
func start(t testing.TB, archive string, change ...func(*serve.Options)) *running {
	t.Helper()
	code := t.TempDir()
	unpack(t, code, archive)
	r := &running{testCA: newCA(t, "Puppet CA"), t: t, code: code}
	r.sign("puppet.example")
	r.opt = serve.Options{Environments: []string{code}, Cert: r.path("puppet.example.pem"),
		Key: r.path("puppet.example.key"), CA: r.path("ca.pem"), CRL: r.path("crl.pem"), State: t.TempDir(),
		Compile: compiler.Options{Language: source.Puppet7}, Recheck: time.Nanosecond}
	if testing.Verbose() {
		r.opt.Log = slog.New(slog.NewTextHandler(testWriter{t}, nil))
	}
	for _, f := range change {
		f(&r.opt)
	}
	s, err := serve.New(r.opt)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = s
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Stop(ctx) // what hangs is cut
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	r.url = "https://" + l.Addr().String()
	return r
}

// testWriter logs as the test does.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	fmt.Fprint(os.Stderr, string(p))
	return len(p), nil
}

func unpack(t testing.TB, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// client is one with a certificate, or none.
func (r *running) client(cert ...tls.Certificate) *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(r.cert)
	return &http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: cert, ClientSessionCache: tls.NewLRUClientSessionCache(8)}}}
}

// An answer is what came back.
type answer struct {
	status int
	body   string
	header http.Header
}

func (r *running) do(c *http.Client, method, path, kind, body string, header ...string) answer {
	r.t.Helper()
	a, err := r.try(c, method, path, kind, body, header...)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (r *running) try(c *http.Client, method, path, kind, body string, header ...string) (answer, error) {
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, string(text), res.Header}, err
}

func (r *running) get(c *http.Client, path string) answer {
	r.t.Helper()
	return r.do(c, "GET", path, "", "")
}

// catalogForm is what an agent sends to get its catalog.
func catalogForm(node, environment string, values map[string]any) string {
	if values == nil {
		values = map[string]any{}
	}
	text, err := json.Marshal(map[string]any{"name": node, "values": values, "timestamp": "2026-11-16T10:00:00Z"})
	if err != nil {
		panic(err)
	}
	return url.Values{"facts_format": {"application/json"}, "facts": {url.QueryEscape(string(text))},
		"environment": {environment}, "configured_environment": {environment}, "transaction_uuid": {"u"}, "job_uuid": {""},
		"static_catalog": {"true"}, "checksum_type": {"sha256.sha384.sha512.sha224.md5"}}.Encode()
}

const (
	formType = "application/x-www-form-urlencoded"
	accept   = "application/vnd.puppet.rich+json, application/json, text/pson"
)

func (r *running) catalog(c *http.Client, node, environment string, values map[string]any) answer {
	r.t.Helper()
	return r.do(c, "POST", "/puppet/v3/catalog/"+node+"?environment="+environment, formType,
		catalogForm(node, environment, values), "Accept", accept)
}

const small = `
-- production/environment.conf --
modulepath = site:modules:$basemodulepath
-- production/manifests/site.pp --
node default {
  include demo
  notify { "trusted ${trusted['certname']} ${trusted['extensions']['pp_role']} ${trusted['authenticated']}": }
  notify { "server ${servername} ${server_facts['environment']} ${serverversion}": }
}
-- production/modules/demo/manifests/init.pp --
class demo {
  file { '/tmp/demo': content => Sensitive("secret ${facts['kernel']}"), mode => '0600' }
  file { '/tmp/source': source => 'puppet:///modules/demo/one' }
}
-- production/modules/demo/files/one --
first
-- production/modules/demo/files/tree/a/b --
b
-- production/modules/demo/lib/facter/demo.rb --
Facter.add(:demo) { setcode { 'yes' } }
-- production/site/demo2/lib/facter/demo.rb --
Facter.add(:demo) { setcode { 'first of the module path' } }
-- broken/manifests/site.pp --
fail('with the secret')
-- unknown/manifests/site.pp --
file { '/tmp/x': content => generate('/bin/date') }
`

// TestCatalog asks for catalogs as an agent does.
func TestCatalog(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example", extension("web", 1, 13)))
	a := r.catalog(c, "agent.example", "production", map[string]any{"kernel": "Linux"})
	if a.status != 200 || a.header.Get("Content-Type") != "application/vnd.puppet.rich+json; charset=utf-8" ||
		a.header.Get("X-Puppet-Version") != "7.23.0" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	for _, want := range []string{`"name":"agent.example"`, `"environment":"production"`, `"code_id":null`,
		`"catalog_uuid":"`, `"title":"trusted agent.example web remote"`, `"title":"server puppet.example production 7.23.0"`,
		`"sensitive_parameters":["content"]`, `secret Linux`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("no %s in %s", want, a.body)
		}
	}
	for _, x := range []struct {
		environment string
		status      int
		message     string
	}{
		{"broken", 500, "Server Error: Evaluation Error: Error while evaluating a Function Call, with the secret (file: " +
			r.code + "/broken/manifests/site.pp, line: 1, column: 1) on node agent.example"},
		{"unknown", 500, "generate() at "},
		{"../x", 400, "The environment must be purely alphanumeric"},
		{"", 400, "An environment parameter must be specified"},
	} {
		a := r.do(c, "POST", "/puppet/v3/catalog/agent.example", formType, catalogForm("agent.example", x.environment, nil),
			"Accept", accept)
		var p struct{ Message, Issue_kind string }
		if err := json.Unmarshal([]byte(a.body), &p); err != nil || a.status != x.status ||
			!strings.Contains(p.Message, x.message) || p.Issue_kind == "" {
			t.Errorf("%s: %d %s", x.environment, a.status, a.body)
		}
	}
	// A number that we cannot hold is no other number; as a text it is fine.
	for number, status := range map[string]int{"12345678901234567890": 500, "-9223372036854775809": 500,
		"9223372036854775807": 200, "1e30": 200, `"a 12345678901234567890 "`: 200} {
		form := url.Values{"facts_format": {"application/json"}, "environment": {"production"},
			"facts": {url.QueryEscape(`{"name":"agent.example","values":{"n": ` + number + `}}`)}}.Encode()
		a := r.do(c, "POST", "/puppet/v3/catalog/agent.example", formType, form, "Accept", accept)
		if a.status != status || status == 500 && !strings.Contains(a.body, "does not fit into 64 bits") {
			t.Errorf("%s: %d %s", number, a.status, a.body)
		}
	}
	// What the node is called, its certificate says, whatever its facts do.
	a = r.do(c, "POST", "/puppet/v3/catalog/agent.example", formType, catalogForm("other.example", "production", nil),
		"Accept", accept)
	if a.status != 500 || !strings.Contains(a.body, "wrong node") {
		t.Errorf("facts of another: %d %s", a.status, a.body)
	}
	if a := r.catalog(c, "other.example", "production", nil); a.status != 403 {
		t.Errorf("another's catalog: %d %s", a.status, a.body)
	}
	forged := map[string]any{"trusted": map[string]any{"certname": "root", "extensions": map[string]any{"pp_role": "king"},
		"authenticated": "remote"}, "kernel": "x"}
	if a := r.catalog(c, "agent.example", "production", forged); !strings.Contains(a.body,
		"trusted agent.example web remote") {
		t.Errorf("forged trust: %d %s", a.status, a.body)
	}
}

// TestReload: what is deployed is served from then on, also where a link is switched over, and an environment that is
// gone is gone.
func TestReload(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example"))
	site := filepath.Join(r.code, "production/manifests/site.pp")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(environment, want string) {
		t.Helper()
		time.Sleep(2 * time.Millisecond)
		if a := r.catalog(c, "agent.example", environment, nil); !strings.Contains(a.body, want) {
			t.Errorf("%s: no %s in %d %s", environment, want, a.status, a.body)
		}
	}
	for i := range 20 {
		write(site, fmt.Sprintf("notify { 'state %d': }\n", i))
		expect("production", fmt.Sprintf(`"state %d"`, i))
	}
	write(site, "include fresh\n")
	expect("production", "Could not find class ::fresh")
	write(filepath.Join(r.code, "production/modules/fresh/manifests/init.pp"), "class fresh { notify { 'fresh': } }\n")
	expect("production", `"title":"fresh"`)
	one, two := t.TempDir(), t.TempDir()
	write(filepath.Join(one, "manifests/site.pp"), "notify { 'one': }\n")
	write(filepath.Join(two, "manifests/site.pp"), "notify { 'two': }\n")
	link := filepath.Join(r.code, "linked")
	for dir, want := range map[string]string{one: `"one"`, two: `"two"`} {
		if err := os.Symlink(dir, link+".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(link+".new", link); err != nil {
			t.Fatal(err)
		}
		expect("linked", want)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	expect("linked", `"environment":"production"`) // as with Puppet
	if a := r.get(c, "/puppet/v3/node/agent.example?environment=linked"); a.status != 404 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func textLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// TestOlderYAML: puppetserver 7 writes YAML by an older library than agents do, and so do we in its place.
func TestOlderYAML(t *testing.T) {
	const site = "-- production/manifests/site.pp --\n" +
		"notify { 'e': message => inline_template('<%= { \"n\" => \"y\" }.to_yaml %>') }\n"
	for language, want := range map[source.Language]string{source.Puppet7: `"message":"---\nn: y\n"`,
		source.Puppet8: `"message":"---\n\"n\": \"y\"\n"`} {
		r := start(t, site, func(o *serve.Options) { o.Compile.Language = language })
		a := r.catalog(r.client(r.sign("agent.example")), "agent.example", "production", nil)
		if !strings.Contains(a.body, want) {
			t.Errorf("%v: %d %s", language, a.status, a.body)
		}
	}
}
