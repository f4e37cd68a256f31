//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ssldir makes a directory as Puppet keeps its certificates in, with a CA and a certificate for each name.
func ssldir(t *testing.T, names ...string) (string, *x509.CertPool) {
	t.Helper()
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Puppet CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte("ca")}
	sign := func(c *x509.Certificate, of *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, c, ca, of.Public(), key)
		must(t, err)
		return der
	}
	put := func(name, kind string, der []byte) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	der := sign(ca, key)
	put("certs/ca.pem", "CERTIFICATE", der)
	parsed, err := x509.ParseCertificate(der)
	must(t, err)
	crl, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1),
		ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(time.Hour)}, parsed, key)
	must(t, err)
	put("crl.pem", "X509 CRL", crl)
	for i, name := range names {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		put("certs/"+name+".pem", "CERTIFICATE", sign(&x509.Certificate{SerialNumber: big.NewInt(int64(i + 2)),
			Subject: pkix.Name{CommonName: name}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
			DNSNames:    []string{name, "localhost"},
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}}, own))
		text, err := x509.MarshalECPrivateKey(own)
		must(t, err)
		put("private_keys/"+name+".pem", "EC PRIVATE KEY", text)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return dir, pool
}

// A tape is what a stream has held so far.
type tape struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *tape) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *tape) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// startServe runs the command until it is ended by a signal.
func startServe(t *testing.T, code, ssl string, more ...string) (where string, ended chan int, errs *tape) {
	t.Helper()
	out := &tape{}
	errs, ended = &tape{}, make(chan int, 1)
	args := append([]string{"serve", code, "--listen", "127.0.0.1:0", "--ssldir", ssl, "--certname", "puppet.example",
		"--state", t.TempDir(), "--language", "7"}, more...)
	go func() { ended <- run(args, strings.NewReader(""), out, errs) }()
	address := regexp.MustCompile(`at (127\.0\.0\.1:\d+)\n`)
	for until := time.Now().Add(20 * time.Second); where == ""; time.Sleep(5 * time.Millisecond) {
		if m := address.FindStringSubmatch(out.String()); m != nil {
			where = m[1]
		} else if time.Now().After(until) {
			t.Fatalf("%s%s", out, errs)
		}
	}
	return where, ended, errs
}

// TestServeShadow compares a tree with what a server gives of another, and shows it again.
func TestServeShadow(t *testing.T) {
	tree := func(word string) string {
		return writeRepo(t, map[string]string{"production/manifests/site.pp": "file { '/etc/motd': content => '" + word +
			"' }\n"})
	}
	rules := writeRepo(t, map[string]string{"auth.conf": `authorization: { version: 1, rules: [
  { match-request: { path: "/puppet/v4/catalog", type: path }, allow: shadow.example, sort-order: 500, name: v4 } ] }`})
	ssl, _ := ssldir(t, "puppet.example", "shadow.example")
	where, ended, errs := startServe(t, tree("theirs"), ssl, "--auth", filepath.Join(rules, "auth.conf"))
	facts := writeRepo(t, map[string]string{"a.example.json": `{"name":"a.example","values":{"kernel":"Linux"}}`,
		"b.example.json": `{"name":"b.example","values":{"kernel":"Linux"}}`})
	state := t.TempDir()
	shadow := func(tree string) (int, string) {
		code, out, errText := call("serve", tree, "--shadow", "https://localhost:"+strings.TrimPrefix(where, "127.0.0.1:"),
			"--facts", facts, "--ssldir", ssl, "--certname", "shadow.example", "--state", state, "--language", "7")
		return code, out + errText
	}
	if code, text := shadow(tree("theirs")); code != exitFine || !strings.Contains(text, "2 nodes") {
		t.Errorf("exit %d\n%s%s", code, text, errs)
	}
	code, text := shadow(tree("ours"))
	for _, want := range []string{"File[/etc/motd]", "theirs", "ours", "on 2 nodes"} {
		if code != exitNo || !strings.Contains(text, want) {
			t.Errorf("exit %d, no %s in\n%s%s", code, want, text, errs)
		}
	}
	if code, out, errText := call("serve", "report", "--state", state); code != exitFine ||
		!strings.Contains(out, "File[/etc/motd]") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	must(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-ended
}

// TestServeShadowStored compares with the catalogs that a PuppetDB has, of the facts that it has: what differs is told
// with its place, and what a collector finds is what PuppetDB says.
func TestServeShadowStored(t *testing.T) {
	stored, err := os.ReadFile("testdata/stored-catalog.json")
	must(t, err)
	const web1 = "web1.stored.example"
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query().Get("query")
		switch {
		case strings.HasSuffix(r.URL.Path, "/factsets"):
			io.WriteString(w, `[{"certname":"`+web1+`","hash":"1"},{"certname":"new.example","hash":"2"}]`)
		case strings.HasSuffix(r.URL.Path, "/inventory"):
			io.WriteString(w, `[{"certname":"`+web1+`","environment":"elsewhere","facts":{"os":{"family":"Debian"}},"trusted":{}},`+
				`{"certname":"new.example","environment":"production","facts":{},"trusted":{}}]`)
		case strings.HasSuffix(r.URL.Path, "/catalogs") && strings.Contains(query, web1):
			w.Write(stored)
		case strings.HasSuffix(r.URL.Path, "/resources"):
			io.WriteString(w, `[{"tags":["notify"],"file":"x.pp","type":"Notify","title":"after","line":1,"resource":"c",`+
				`"environment":"production","certname":"other.example","parameters":{},"exported":true}]`)
		default:
			io.WriteString(w, "[]")
		}
	}))
	defer db.Close()
	ssl, _ := ssldir(t, "shadow.example")
	state := t.TempDir()
	shadow := func(site string, more ...string) (int, string) {
		tree := writeRepo(t, map[string]string{"production/manifests/site.pp": site})
		code, out, errs := call(append([]string{"serve", tree, "--shadow", "puppetdb", "--ssldir", ssl, "--certname",
			"shadow.example", "--state", state, "--language", "7"}, more...)...)
		return code, out + errs
	}
	with := []string{"--puppetdb", db.URL}
	if code, text := shadow(storedSite, with...); code != exitFine || !strings.Contains(text, "1 not compared") {
		t.Errorf("exit %d\n%s", code, text)
	}
	code, text := shadow(strings.Replace(storedSite, "text => 'old'", "text => 'new'", 1), with...)
	for _, want := range []string{"File[/etc/motd]", "site.pp:11"} {
		if code != exitNo || !strings.Contains(text, want) || strings.Contains(text, "Notify") ||
			strings.Contains(text, "s3cret") {
			t.Errorf("exit %d, no %s in\n%s", code, want, text)
		}
	}
	// What the manifest has itself may as well be collected.
	if code, text := shadow(strings.Replace(storedSite, "Notify['list'] -> notify { 'after': }",
		"Notify <<| |>>\nNotify['list'] -> Notify['after']", 1), with...); code != exitFine {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text := shadow(storedSite); code != exitFailed || !strings.Contains(text, "needs --puppetdb") {
		t.Errorf("exit %d\n%s", code, text)
	}
}

// TestServe runs the command as people do: it says where it listens, compiles what an agent asks for, reads its files
// again at SIGHUP, and ends at SIGTERM.
func TestServe(t *testing.T) {
	code := writeRepo(t, map[string]string{
		"production/environment.conf":   "modulepath = modules\n",
		"production/manifests/site.pp":  "notify { \"hello ${trusted['certname']} of ${facts['kernel']}\": }\n",
		"production/modules/m/files/x":  "a file\n",
		"production/modules/m/README":   "",
		"other_env/manifests/site.pp":   "notify { 'other': }\n",
		"other_env/metadata.json":       "{}",
		"not-an-environment/README.txt": "",
	})
	ssl, pool := ssldir(t, "puppet.example", "agent.example")
	state := t.TempDir()
	where, ended, errs := startServe(t, code, ssl, "--provenance", "1h", "--state", state)
	pair, err := tls.LoadX509KeyPair(filepath.Join(ssl, "certs/agent.example.pem"),
		filepath.Join(ssl, "private_keys/agent.example.pem"))
	must(t, err)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool,
		ServerName: "puppet.example", Certificates: []tls.Certificate{pair}}}}
	form := url.Values{"facts_format": {"application/json"}, "environment": {"production"},
		"facts": {url.QueryEscape(`{"name":"agent.example","values":{"kernel":"Linux"}}`)}}
	ask := func(method, path, body string) string {
		t.Helper()
		req, err := http.NewRequest(method, "https://"+where+path, strings.NewReader(body))
		must(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", "application/vnd.puppet.rich+json")
		res, err := client.Do(req)
		must(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		must(t, err)
		return string(text)
	}
	if got := ask("POST", "/puppet/v3/catalog/agent.example?environment=production", form.Encode()); !strings.Contains(got,
		`"hello agent.example of Linux"`) {
		t.Error(got)
	}
	if got := ask("GET", "/puppet/v3/file_content/modules/m/x?environment=production", ""); got != "a file\n" {
		t.Error(got)
	}
	// What the agent got can be asked about afterwards.
	env := filepath.Join(code, "production")
	ref := "Notify[hello agent.example of Linux]"
	if exit, out, errText := call("explain", env, "--node", "agent.example", "--at", "now", "--state", state, ref,
		"title"); exit != exitFine || !strings.Contains(out, "site.pp:1") {
		t.Errorf("exit %d\n%s%s", exit, out, errText)
	}
	for _, x := range [][2]string{{"2001-01-01", "no catalog of agent.example from before"}, {"noon", "--at is a time"}} {
		if exit, _, errText := call("explain", env, "--node", "agent.example", "--at", x[0], "--state", state,
			ref); exit != exitFailed || !strings.Contains(errText, x[1]) {
			t.Errorf("%s: exit %d %s", x[0], exit, errText)
		}
	}
	if got := ask("GET", "/status/v1/simple", ""); got != "running" {
		t.Error(got)
	}
	must(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	time.Sleep(50 * time.Millisecond)
	if got := ask("GET", "/status/v1/simple", ""); got != "running" {
		t.Error(got)
	}
	must(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	select {
	case code := <-ended:
		if code != exitFine {
			t.Errorf("exit %d\n%s", code, errs)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it does not end")
	}
	if log := errs.String(); !strings.Contains(log, "certname=agent.example") || !strings.Contains(log, "stopping") {
		t.Error(log)
	}
}

// TestServeStopped: told to stop it waits for a request under way, and told so twice it does not.
func TestServeStopped(t *testing.T) {
	ssl, _ := ssldir(t, "puppet.example", "agent.example")
	where, ended, errs := startServe(t, writeRepo(t, map[string]string{"production/manifests/site.pp": ""}), ssl)
	pair, err := tls.LoadX509KeyPair(filepath.Join(ssl, "certs/agent.example.pem"),
		filepath.Join(ssl, "private_keys/agent.example.pem"))
	must(t, err)
	conn, err := tls.Dial("tcp", where, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}})
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "PUT /puppet/v3/report/agent.example HTTP/1.1\r\nHost: x\r\n"+
		"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	must(t, err)
	time.Sleep(200 * time.Millisecond)
	must(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	select {
	case code := <-ended:
		t.Fatalf("exit %d while a request was under way\n%s", code, errs)
	case <-time.After(500 * time.Millisecond):
	}
	must(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	select {
	case code := <-ended:
		if code != exitFailed || !strings.Contains(errs.String(), "cut off") {
			t.Errorf("exit %d\n%s", code, errs)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
}

// TestPatterns: blanks of a list are no part of the names in it.
func TestPatterns(t *testing.T) {
	if got := strings.Join(patterns("production, staging,feature/* "), "|"); got != "production|staging|feature/*" {
		t.Error(got)
	}
}

// TestServeNoBranches: a list of branches that is empty means none, and not that all directories are environments.
func TestServeNoBranches(t *testing.T) {
	ssl, _ := ssldir(t, "puppet.example")
	code, _, errText := call("serve", writeRepo(t, map[string]string{"production/manifests/site.pp": ""}), "--ssldir", ssl,
		"--certname", "puppet.example", "--state", t.TempDir(), "--listen", "192.0.2.1:1", "--environments", "")
	if code != exitFailed || !strings.Contains(errText, `"" is no pattern of branches`) {
		t.Errorf("exit %d %s", code, errText)
	}
}
