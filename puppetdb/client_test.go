package puppetdb_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bunraku/puppetdb"
)

// rowsOf asks and collects.
func rowsOf(c *puppetdb.Client, q puppetdb.Query) (rows []string, err error) {
	err = c.Query(context.Background(), q, func(row json.RawMessage) error {
		rows = append(rows, string(row))
		return nil
	})
	return rows, err
}

func client(t *testing.T, conf puppetdb.Config) *puppetdb.Client {
	t.Helper()
	c, err := puppetdb.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestAnswers asks a server that answers well, badly, slowly, and half.
func TestAnswers(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/pdb/query/v4/nodes":
			fmt.Fprintf(w, ` [{"certname":"a"}, {"certname":"b"}
				] `)
		case "/pdb/query/v4/empty":
			io.WriteString(w, "[]")
		case "/pdb/query/v4/catalogs/a":
			io.WriteString(w, `{"certname":"a"}`)
		case "/pdb/query/v4/behind":
			io.WriteString(w, `[{"certname":"a"}] oops`)
		case "/pdb/query/v4/twice":
			io.WriteString(w, `[{"certname":"a"}][]`)
		case "/pdb/query/v4/apart":
			io.WriteString(w, `[{"certname":"a"} {"certname":"b"}]`)
		case "/pdb/query/v4/blank":
			io.WriteString(w, " \n")
		case "/pdb/query/v4/half":
			io.WriteString(w, `[{"certname":"a"},{"cert`)
		case "/pdb/query/v4/nothing":
		case "/pdb/query/v4/broken":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `[{"certname":"a"}`)
		case "/pdb/query/v4/slow":
			io.WriteString(w, `[{"certname":"a"}`)
			w.(http.Flusher).Flush()
			<-r.Context().Done() // the client gives up
		case "/pdb/query/v4/silent":
			<-r.Context().Done()
		case "/pdb/query/v4/bad":
			http.Error(w, "Can't parse the query\nat line 1", http.StatusBadRequest)
		case "/pdb/query/v4/dead":
			http.Error(w, "Internal trouble", http.StatusInternalServerError)
		case "/pdb/query/v4/long":
			text, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "[%s]", text)
		case "/pdb/query/v4/big":
			io.WriteString(w, `["`+strings.Repeat("x", 1<<20)+`"]`)
		case "/pdb/query/v4/login":
			io.WriteString(w, "<html>Who are you?</html>")
		case "/pdb/query/v4/elsewhere":
			http.Redirect(w, r, "/pdb/query/v4/nodes", http.StatusFound)
		}
	}))
	defer s.Close()
	// Only who is kept waiting has little patience: a slow machine is no reason to fail.
	patient := client(t, puppetdb.Config{URL: s.URL + "/", Timeout: time.Minute, MostBytes: 1 << 19})
	hasty := client(t, puppetdb.Config{URL: s.URL + "/", Timeout: 2 * time.Second, MostBytes: 1 << 19})
	long := `["in","certname",["array",["` + strings.Repeat("x", 5000) + `"]]]`
	for _, x := range []struct {
		entity, query, rows, err string
		again                    bool
	}{
		{"nodes", "", `{"certname":"a"} {"certname":"b"}`, "", false},
		{"empty", "", "", "", false},
		{"catalogs/a", "", "", `the answer is no list of rows: {"certname":"a"}`, false},
		{"behind", "", `{"certname":"a"}`, "the answer is no JSON: invalid character 'o' looking for beginning",
			true},
		{"twice", "", `{"certname":"a"}`, "there is more behind the answer's end (after row 1)", true},
		{"apart", "", `{"certname":"a"}`, "the answer is no JSON: expected comma after array element (after row 1)", true},
		{"blank", "", "", "the answer is empty", true},
		{"half", "", `{"certname":"a"}`, "the answer broke off: unexpected EOF (after row 1)", true},
		{"nothing", "", "", "the answer is empty", true},
		{"broken", "", `{"certname":"a"}`, "the answer broke off: unexpected EOF (after row 1)", true},
		{"slow", "", `{"certname":"a"}`, "nothing came for 2s (after row 1); --timeout lets it take longer", true},
		{"silent", "", "", "nothing came for 2s; --timeout lets it take longer", true},
		{"bad", "", "", "it answers 400 Bad Request: Can't parse the query", false},
		{"dead", "", "", "it answers 500 Internal Server Error: Internal trouble", true},
		{"long", long, `{"query":` + long + `}`, "", false},
		{"big", "", "", "the answer is longer than 524288 bytes", false},
		{"login", "", "", "the answer is no JSON of PuppetDB's: it begins with \"<\"", false},
		{"elsewhere", "", "", "it answers 302 Found: it leads to /pdb/query/v4/nodes; name the", false},
	} {
		c := patient
		if x.entity == "slow" || x.entity == "silent" {
			c = hasty
		}
		rows, err := rowsOf(c, puppetdb.Query{Entity: x.entity, Text: x.query})
		said := ""
		if err != nil {
			said = strings.TrimPrefix(err.Error(), "PuppetDB at "+s.URL+": ")
		}
		if got := strings.Join(rows, " "); got != x.rows {
			t.Errorf("%s: rows %.200s, not %.200s", x.entity, got, x.rows)
		}
		if said != x.err && (x.err == "" || !strings.HasPrefix(said, x.err)) {
			t.Errorf("%s: says %q, not %q", x.entity, said, x.err)
		}
		if puppetdb.Temporary(err) != x.again {
			t.Errorf("%s: may be asked again: %v", x.entity, !x.again)
		}
	}
}

// Whoever gives up is not told of a PuppetDB that is too slow.
func TestCancelled(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	err := client(t, puppetdb.Config{URL: s.URL}).Query(ctx, puppetdb.Query{Entity: "nodes"}, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// An authority signs certificates for tests.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  []byte
}

func newAuthority(t *testing.T, name string) *authority {
	key, cert, _ := sign(t, name, nil, -time.Hour, time.Hour)
	return &authority{key, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})}
}

// sign makes a key and a certificate for it, signed by an authority or by itself, that is valid from a time to another.
func sign(t *testing.T, name string, by *authority, from, to time.Duration) (*ecdsa.PrivateKey, *x509.Certificate,
	[]byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to), DNSNames: []string{name},
		BasicConstraintsValid: true, IsCA: by == nil, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return key, cert, raw
}

// pair is a signed certificate and its key in PEM.
func (a *authority) pair(t *testing.T, name string) (cert, key []byte) {
	return a.pairFor(t, name, -time.Hour, time.Hour)
}

func (a *authority) pairFor(t *testing.T, name string, from, to time.Duration) (cert, key []byte) {
	k, _, raw := sign(t, name, a, from, to)
	text, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// TestCertificates shows certificates to a server that wants one: the right one, none, one of another authority; and
// believes no server that another authority has signed.
func TestCertificates(t *testing.T) {
	ours, other := newAuthority(t, "ca"), newAuthority(t, "other")
	cert, key := ours.pair(t, "localhost")
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ours.cert)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS.PeerCertificates[0].Subject.CommonName != "allowed" {
			http.Error(w, "Permission denied", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `[%q]`, r.Header.Get("X-Authentication"))
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	address := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	ask := func(by *authority, name string, ca []byte) string {
		conf := puppetdb.Config{URL: address, CA: ca, Token: "secret", Timeout: 2 * time.Second}
		if by != nil {
			conf.Certificate, conf.Key = by.pair(t, name)
		}
		rows, err := rowsOf(client(t, conf), puppetdb.Query{Entity: "nodes"})
		if err != nil {
			return strings.TrimPrefix(err.Error(), "PuppetDB at "+address+": ")
		}
		return strings.Join(rows, " ")
	}
	for _, x := range []struct {
		what, got, want string
	}{
		{"the right one", ask(ours, "allowed", ours.pem), `"secret"`},
		{"one that may not", ask(ours, "web1",
			ours.pem), "it answers 403 Forbidden: Permission denied; its certificate-allowlist"},
		{"none", ask(nil, "", ours.pem), "it wants a client certificate (tls: certificate required)"},
		{"of another authority", ask(other, "allowed", ours.pem), "it does not take the client's certificate (tls: "},
		{"another server", ask(ours, "allowed", other.pem), "its certificate is not trusted: x509: "},
	} {
		if !strings.HasPrefix(x.got, x.want) {
			t.Errorf("%s: %q, not %q", x.what, x.got, x.want)
		}
	}
	if _, err := puppetdb.New(puppetdb.Config{URL: "http://puppetdb.example.com:8080", Token: "secret"}); err == nil {
		t.Error("a token goes out in the clear")
	}
	if _, err := puppetdb.New(puppetdb.Config{URL: "puppetdb.example.com"}); err == nil {
		t.Error("an address without a scheme is taken")
	}
}

// TestExpired meets servers whose certificates have ended, or are not valid yet: that another authority be named would
// not help.
func TestExpired(t *testing.T) {
	ca := newAuthority(t, "ca")
	for _, x := range []struct {
		from, to time.Duration
		says     string
	}{
		{-2 * time.Hour, -time.Hour, "renew it"},
		{time.Hour, 2 * time.Hour, "compare the clocks"},
	} {
		cert, key := ca.pairFor(t, "localhost", x.from, x.to)
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		defer s.Close()
		c := client(t, puppetdb.Config{URL: strings.Replace(s.URL, "127.0.0.1", "localhost", 1), CA: ca.pem})
		_, err = rowsOf(c, puppetdb.Query{Entity: "nodes"})
		if err == nil || !strings.Contains(err.Error(), "its certificate is not trusted: x509: certificate has expired or "+
			"is not yet valid") || !strings.Contains(err.Error(), x.says) || strings.Contains(err.Error(), "--cacert") {
			t.Errorf("%v: %v", x.from, err)
		}
	}
}

// TestSecrets gives a password in the address and odd tokens: no message has them, and what cannot be sent is refused
// before anything is.
func TestSecrets(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "me" || password != "s3cret" {
			t.Error("the password is not shown")
		}
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer s.Close()
	c := client(t, puppetdb.Config{URL: strings.Replace(s.URL, "http://", "http://me:s3cret@", 1)})
	if _, err := rowsOf(c, puppetdb.Query{Entity: "nodes"}); err == nil || strings.Contains(err.Error(), "s3cret") ||
		!strings.Contains(err.Error(), "http://me:xxxxx@127.0.0.1") {
		t.Error(err)
	}
	for _, token := range []string{"one\ntwo", "s3cret\x00"} {
		_, err := puppetdb.New(puppetdb.Config{URL: s.URL, Token: token})
		if err == nil || !strings.Contains(err.Error(), "the token") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", token, err)
		}
	}
	for _, url := range []string{"http://me:s3cret@puppetdb.example.com", "ftp://me:s3cret@puppetdb", "http://me:s3cret@[x"} {
		if _, err := puppetdb.New(puppetdb.Config{URL: url}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestCommand sends one.
func TestCommand(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if r.URL.String() != "/pdb/cmd/v1?certname=a&command=replace_facts&producer-timestamp=2026-01-02T03%3A04%3A05.000Z&version=5" ||
			string(text) != `{"values":{}}` || r.Header.Get("X-Uncompressed-Length") != "13" {
			http.Error(w, r.URL.String(), http.StatusBadRequest)
			return
		}
		io.WriteString(w, `{"uuid":"1-2"}`)
	}))
	defer s.Close()
	uuid, err := client(t, puppetdb.Config{URL: s.URL}).Command(context.Background(), puppetdb.Command{
		Name: "replace_facts", Version: puppetdb.FactsVersion, Certname: "a", Payload: json.RawMessage(`{"values":{}}`),
		Produced: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	if uuid != "1-2" || err != nil {
		t.Error(uuid, err)
	}
}
