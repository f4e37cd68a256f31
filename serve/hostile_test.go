package serve_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bunraku/serve"
)

// refused reports whether a client is turned away: at the handshake, or with 403.
func (r *running) refused(c *http.Client) bool {
	r.t.Helper()
	a, err := r.try(c, "GET", "/puppet/v3/environments", "", "")
	return err != nil || a.status == 403
}

// TestHostileCertificates: only those are served whom the CA vouches for now.
func TestHostileCertificates(t *testing.T) {
	r := start(t, small)
	good := r.sign("agent.example")
	foreign := newCA(t, "Puppet CA") // of the same name, with another key
	self := newCA(t, "agent.example")
	server := r.sign("server.example", func(c *x509.Certificate) {
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	})
	for _, x := range []struct {
		name string
		cert []tls.Certificate
		ok   bool
	}{
		{"a good one", []tls.Certificate{good}, true},
		{"none", nil, false},
		{"an expired one", []tls.Certificate{r.sign("old.example", func(c *x509.Certificate) {
			c.NotAfter = time.Now().Add(-time.Minute)
		})}, false},
		{"one that is not valid yet", []tls.Certificate{r.sign("young.example", func(c *x509.Certificate) {
			c.NotBefore = time.Now().Add(time.Hour)
		})}, false},
		{"one of another CA", []tls.Certificate{foreign.sign("agent.example")}, false},
		{"one of its own", []tls.Certificate{self.sign("agent.example")}, false},
		{"one for servers only", []tls.Certificate{server}, false},
		{"one without a name", []tls.Certificate{r.sign("", func(c *x509.Certificate) { c.Subject = pkix.Name{} })}, false},
	} {
		if got := !r.refused(r.client(x.cert...)); got != x.ok {
			t.Errorf("%s: served is %v", x.name, got)
		}
	}
}

// TestHostileRevoked: a certificate that is revoked is refused from then on: on a connection that was kept, on one that
// resumes a session, and on a new one. A list that has expired vouches for nobody.
func TestHostileRevoked(t *testing.T) {
	r := start(t, small)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		cert := r.sign(fmt.Sprintf("agent%d.example", version))
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		kept, resumed := r.client(cert), r.client(cert)
		for _, c := range []*http.Client{kept, resumed} {
			c.Transport.(*http.Transport).TLSClientConfig.MaxVersion = version
			if r.refused(c) {
				t.Fatal("a good certificate is refused")
			}
		}
		resumed.CloseIdleConnections()
		if a, err := http.NewRequest("GET", r.url+"/puppet/v3/environments", nil); err == nil {
			res, err := resumed.Do(a)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if !res.TLS.DidResume {
				t.Errorf("%x: the session was not resumed: the test shows nothing", version)
			}
		}
		resumed.CloseIdleConnections()
		r.revoke(time.Hour, leaf.SerialNumber)
		time.Sleep(1100 * time.Millisecond)
		for name, c := range map[string]*http.Client{"kept": kept, "resumed": resumed, "new": r.client(cert)} {
			if !r.refused(c) {
				t.Errorf("%x: a revoked certificate is served on a connection that is %s", version, name)
			}
		}
	}
	other := r.client(r.sign("other.example"))
	if r.refused(other) {
		t.Error("a good certificate is refused")
	}
	r.revoke(-time.Minute)
	time.Sleep(1100 * time.Millisecond)
	if !r.refused(other) {
		t.Error("a list that has expired vouches")
	}
	r.revoke(time.Hour)
	time.Sleep(1100 * time.Millisecond)
	if r.refused(other) {
		t.Error("the list was renewed, and nobody noticed")
	}
	// A list that cannot be read leaves the former one in force, whatever it is.
	if err := os.WriteFile(r.path("crl.pem"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond)
	if r.refused(other) {
		t.Error("a broken file ends all")
	}
}

// TestHostileChain: an intermediate CA that is revoked takes its certificates with it, unless only leaves count.
func TestHostileChain(t *testing.T) {
	for _, how := range []serve.Revocation{serve.Chain, serve.Leaf} {
		root := newCA(t, "Root CA")
		middle := newCA(t, "Middle CA")
		// The root signs the middle one's key.
		template := *middle.cert
		template.SerialNumber, template.Raw, template.AuthorityKeyId = big.NewInt(77), nil, nil
		der, err := x509.CreateCertificate(zeroReader{}, &template, root.cert, middle.key.Public(), root.key)
		if err != nil {
			t.Fatal(err)
		}
		if middle.cert, err = x509.ParseCertificate(der); err != nil {
			t.Fatal(err)
		}
		middle.write("middle.pem", "CERTIFICATE", der)
		middle.revoke(time.Hour)
		join := func(to string, from ...string) {
			t.Helper()
			var all []byte
			for _, f := range from {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, text...)
			}
			if err := os.WriteFile(to, all, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		join(middle.path("bundle.pem"), middle.path("middle.pem"), root.path("ca.pem"))
		join(middle.path("lists.pem"), middle.path("crl.pem"), root.path("crl.pem"))
		r := start(t, small, func(o *serve.Options) {
			o.CA, o.CRL, o.Revocation = middle.path("bundle.pem"), middle.path("lists.pem"), how
		})
		c := r.client(middle.sign("agent.example"))
		if r.refused(c) {
			t.Error("a chain is refused")
		}
		root.revoke(time.Hour, big.NewInt(77))
		join(middle.path("lists.pem"), middle.path("crl.pem"), root.path("crl.pem"))
		time.Sleep(1100 * time.Millisecond)
		if got := r.refused(c); got != (how == serve.Chain) {
			t.Errorf("%v: with the intermediate CA revoked, refused is %v", how, got)
		}
	}
}

// zeroReader is no source of randomness; keys of the test need none.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i*7 + 1)
	}
	return len(p), nil
}

// TestHostileNames: nobody gets what belongs to another name, however it is written.
func TestHostileNames(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example"))
	for _, name := range []string{"other.example", "agent.example/../other.example", "agent.example%2f..%2fother.example",
		"other.example%00agent.example", "agent.example%0a", "agent.example.", "agent.example%20", "%2e%2e",
		"agent.example//x", "agent%2eexample%2fx", "*", "$1", "agent_example"} {
		for _, kind := range []string{"catalog", "node", "report", "facts"} {
			method := map[string]string{"catalog": "POST", "node": "GET", "report": "PUT", "facts": "PUT"}[kind]
			a, err := r.try(c, method, "/puppet/v3/"+kind+"/"+name+"?environment=production", formType,
				catalogForm("agent.example", "production", nil), "Accept", accept)
			if err == nil && a.status == 200 {
				t.Errorf("%s %s: %d %.200s", kind, name, a.status, a.body)
			}
		}
	}
	odd := r.client(r.sign("../../../../tmp/evil"))
	for _, name := range []string{"..%2f..%2f..%2f..%2ftmp%2fevil", "../../../../tmp/evil"} {
		a, err := r.try(odd, "PUT", "/puppet/v3/facts/"+name+"?environment=production", "application/json",
			`{"name":"../../../../tmp/evil","values":{}}`)
		if err == nil && a.status == 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if _, err := os.Stat("/tmp/evil.json"); err == nil {
		t.Error("a file was written outside")
	}
}

// TestHostileSize: facts of any size are refused without being kept, and the server's memory stays where it was.
func TestHostileSize(t *testing.T) {
	r := start(t, small, func(o *serve.Options) { o.MaxBody = 8 << 20 })
	c := r.client(r.sign("agent.example"))
	path := r.url + "/puppet/v3/catalog/agent.example?environment=production"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, told := range []bool{true, false} {
		const all = 1 << 30
		body := io.LimitReader(repeat("facts_format=application%2Fjson&facts="), all)
		req, err := http.NewRequest("POST", path, body)
		if err != nil {
			t.Fatal(err)
		}
		if told {
			req.ContentLength = all
		}
		req.Header.Set("Content-Type", formType)
		req.Header.Set("Accept", accept)
		res, err := c.Do(req)
		if err != nil {
			continue // the connection was cut while a gigabyte was being sent
		}
		res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("told %v: %d", told, res.StatusCode)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 200<<20 {
		t.Errorf("the memory has grown by %d MB", grown>>20)
	}
	deep := strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000)
	for name, facts := range map[string]string{"deep": deep, "deep lists": strings.Repeat("[", 500_000),
		"many": `{"x":` + "[" + strings.Repeat("0,", 1_000_000) + "0]}", "not UTF-8": "{\"a\":\"\xff\xfe\"}", "empty": ""} {
		form := url.Values{"facts_format": {"application/json"}, "environment": {"production"},
			"facts": {url.QueryEscape(`{"name":"agent.example","values":` + facts + `}`)}}.Encode()
		a, err := r.try(c, "POST", "/puppet/v3/catalog/agent.example?environment=production", formType, form, "Accept",
			accept)
		if err != nil || a.status == 200 && name != "many" && name != "not UTF-8" {
			t.Errorf("%s: %v %d %.200s", name, err, a.status, a.body)
		}
	}
	if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
}

// repeat reads a text again and again.
type repeat string

func (s repeat) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], s)
	}
	return n, nil
}

// TestHostileSlow: whoever sends slowly, or nothing, keeps nobody else waiting.
func TestHostileSlow(t *testing.T) {
	r := start(t, small)
	cert := r.sign("slow.example")
	address := strings.TrimPrefix(r.url, "https://")
	for i := range 50 {
		plain, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		if i%2 == 0 {
			continue // not even a handshake
		}
		conn := tls.Client(plain, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{cert}})
		fmt.Fprintf(conn, "POST /puppet/v3/catalog/slow.example?environment=production HTTP/1.1\r\nHost: x\r\n"+
			"Content-Type: %s\r\nContent-Length: 1000000\r\n\r\nfacts=", formType)
	}
	c := r.client(r.sign("agent.example"))
	began := time.Now()
	for range 20 {
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("20 catalogs took %v while others were slow", took)
	}
}

// TestHostileLong: a client that sends long bodies and stops in the middle of them keeps one place, and those who have
// much to send get the others. So do bodies of unknown length.
func TestHostileLong(t *testing.T) {
	r := start(t, small)
	cert := r.sign("slow.example")
	address := strings.TrimPrefix(r.url, "https://")
	begun := make(chan bool, 8)
	for i := range 8 {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{cert}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			fmt.Fprintf(conn, "POST /puppet/v3/catalog/slow.example?environment=production HTTP/1.1\r\nHost: x\r\n"+
				"Content-Type: %s\r\n", formType)
			if i%2 == 0 {
				fmt.Fprintf(conn, "Content-Length: 20000000\r\n\r\n%s", strings.Repeat("x", 2<<20))
			} else {
				fmt.Fprintf(conn, "Transfer-Encoding: chunked\r\n\r\n5\r\nfacts\r\n")
			}
			begun <- true
		}()
	}
	for range 8 {
		<-begun
	}
	time.Sleep(100 * time.Millisecond)
	c := r.client(r.sign("agent.example"))
	began := time.Now()
	for range 3 {
		a := r.catalog(c, "agent.example", "production",
			map[string]any{"kernel": "Linux", "long": strings.Repeat("x", 2<<20)})
		if a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("3 catalogs took %v while another was slow", took)
	}
}

// TestHostileIdle: 10,000 idle connections, of which those beyond a number make room for new ones; an agent is served
// all the time, and a client that does not even shake hands counts as well.
func TestHostileIdle(t *testing.T) {
	most, all := 0, 10_000 // 0: what a server has by itself
	if testing.Short() {
		most, all = 200, 1000
	}
	r := start(t, small, func(o *serve.Options) { o.MaxConnections = most })
	if most == 0 {
		most = 4096
	}
	address := strings.TrimPrefix(r.url, "https://")
	var closed atomic.Int64
	c := r.client(r.sign("agent.example"))
	serves := func() {
		t.Helper()
		began := time.Now()
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 || time.Since(began) > 10*time.Second {
			t.Fatalf("%d %s after %v", a.status, a.body, time.Since(began))
		}
	}
	conns := make(chan net.Conn, all)
	var dialers sync.WaitGroup
	for k := range 8 {
		dialers.Go(func() {
			for i := k; i < all; i += 8 {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(i, err)
					return
				}
				if i%4 != 0 {
					shaken := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
					if shaken.Handshake() != nil { // on a busy machine it has been idle for the longest before it is done
						closed.Add(1)
						conn.Close()
						continue
					}
					conn = shaken
				}
				conns <- conn
				go func() {
					if _, err := conn.Read(make([]byte, 1)); err != nil {
						closed.Add(1)
					}
				}()
			}
		})
	}
	done := make(chan struct{})
	go func() { dialers.Wait(); close(done) }()
	for busy := true; busy; {
		select {
		case <-done:
			busy = false
		case <-time.After(200 * time.Millisecond):
		}
		serves()
	}
	close(conns)
	defer func() {
		for conn := range conns {
			conn.Close()
		}
	}()
	for until := time.Now().Add(30 * time.Second); closed.Load() < int64(all-most-10); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("of %d connections %d were closed; %d may be open", all, closed.Load(), most)
		}
	}
	serves()
	if n := regexp.MustCompile(`bunraku_connections (\d+)`).FindStringSubmatch(watched(t, r)); n == nil ||
		len(n[1]) > len(fmt.Sprint(most)) {
		t.Errorf("connections: %v", n)
	}
	t.Logf("%d idle connections: %d were closed, at most %d stay", all, closed.Load(), most)
}

// TestHostilePaths: no path leads out of what is served, however it is written, and whoever asks.
func TestHostilePaths(t *testing.T) {
	outside := t.TempDir()
	unpack(t, outside, "-- secret --\nthe secret of the machine\n-- mount/f --\nfine\n-- fileserver.conf --\n[extra]\n  path "+
		outside+"/mount\n[per]\n  path "+outside+"/mount/%H\n")
	r := start(t, small, func(o *serve.Options) { o.FileServer = filepath.Join(outside, "fileserver.conf") })
	unpack(t, r.code, "-- production/modules/demo/secret --\nthe secret of the module\n"+
		"-- production/secret --\nthe secret of the environment\n-- secret --\nthe secret of the code\n")
	c := r.client(r.sign("agent.example"))
	dots := []string{"..", "%2e%2e", "%2E%2E", ".%2e", "..%00", "..;", "%c0%ae%c0%ae", "..%5c", "%252e%252e", "....", "%u002e."}
	slash := []string{"/", "%2f", "//", "%5c", "/./", "%252f", "/%00/"}
	n := 0
	for _, kind := range []string{"file_content", "file_metadata", "file_metadatas", "static_file_content"} {
		for _, mount := range []string{"modules/demo", "modules", "plugins", "pluginfacts", "extra", "per", "tasks/demo", "locales"} {
			for _, d := range dots {
				for _, s := range slash {
					for _, tail := range []string{"secret", "demo/secret", "mount/../secret"} {
						for _, up := range []int{1, 2, 4} {
							path := "/puppet/v3/" + kind + "/" + mount + "/" + strings.Repeat(d+s, up) + tail
							a, err := r.try(c, "GET", path+"?environment=production&code_id=x&recurse=true&links=follow", "", "")
							if n++; err == nil && (a.status == 200 && kind != "file_metadatas" || strings.Contains(a.body, "the secret")) {
								t.Fatalf("%s: %d %s", path, a.status, a.body)
							}
							if err == nil && a.status == 200 && strings.Contains(a.body, `secret"`) {
								t.Fatalf("%s: %s", path, a.body)
							}
						}
					}
				}
			}
		}
		if testing.Short() {
			break
		}
	}
	for _, path := range []string{"//etc/passwd", "/../../etc/passwd", "/puppet/v3/../../../etc/passwd", "/puppet/v3//etc/passwd",
		"/puppet/v3/file_content//etc/passwd", "/puppet/v3/file_content/modules//etc/passwd",
		"/puppet/v3/file_content/extra//etc/passwd", "/puppet/v3/file_content/per/x", "/puppet/v3/file_content/-/x",
		"/puppet/v3/file_content/..", "/puppet/v3/file_content/"} {
		a, err := r.try(c, "GET", path+"?environment=production", "", "")
		if n++; err == nil && a.status == 200 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, environment := range []string{"..", "../x", "production/..", "production%00", "production%0a", ".", "%2e", "PRODUCTION/",
		strings.Repeat("a", 5000), "production%2f..%2fbroken"} {
		a, err := r.try(c, "GET", "/puppet/v3/file_content/modules/demo/one?environment="+environment, "", "")
		if n++; err == nil && a.status == 200 {
			t.Errorf("%s: %d %s", environment, a.status, a.body)
		}
	}
	// A certificate's name is no path either.
	for _, name := range []string{"..", ".", "a/../..", "../secret"} {
		odd := r.client(r.sign("odd", func(c *x509.Certificate) { c.Subject.CommonName = name }))
		a, err := r.try(odd, "GET", "/puppet/v3/file_content/per/secret?environment=production", "", "")
		if n++; err == nil && a.status == 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	t.Logf("%d paths lead nowhere", n)
}

// TestHostileLinks: a link that leads out of an environment, a module or a mount is never followed, nor is one that is
// put in the way while files are served.
func TestHostileLinks(t *testing.T) {
	outside := t.TempDir()
	unpack(t, outside, "-- dir/secret --\nthe secret\n-- mount/f --\nfine\n-- fileserver.conf --\n[extra]\n  path "+outside+
		"/mount\n")
	r := start(t, small, func(o *serve.Options) { o.FileServer = filepath.Join(outside, "fileserver.conf") })
	c := r.client(r.sign("agent.example"))
	files := filepath.Join(r.code, "production/modules/demo/files")
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	link(outside+"/dir/secret", files+"/file")
	link(outside+"/dir", files+"/dir")
	link("file", files+"/twice")
	link("round", files+"/round")
	link("../../../../../../../../../../"+outside+"/dir/secret", files+"/relative")
	link(outside+"/dir", filepath.Join(r.code, "production/modules/demo/lib/away"))
	link("../dir", filepath.Join(outside, "mount/up"))
	link(outside+"/dir/secret", filepath.Join(outside, "mount/down"))
	for _, path := range []string{"modules/demo/file", "modules/demo/dir/secret", "modules/demo/twice", "modules/demo/round",
		"modules/demo/relative", "plugins/away/secret", "extra/up/secret", "extra/down", "modules/demo/dir", "modules/demo", "plugins",
		"extra"} {
		for _, how := range []string{"file_content/%s?", "file_metadata/%s?links=follow&", "file_metadata/%s?links=manage&",
			"file_metadatas/%s?recurse=true&links=follow&", "file_metadatas/%s?recurse=true&links=manage&"} {
			at := "/puppet/v3/" + fmt.Sprintf(how, path) + "environment=production"
			a := r.get(c, at)
			sum := fmt.Sprintf("%x", sha256.Sum256([]byte("the secret\n")))
			if strings.Contains(a.body, "the secret") || strings.Contains(a.body, sum) ||
				strings.Contains(a.body, `"relative_path":"dir/secret"`) || strings.Contains(a.body, `"relative_path":"away/secret"`) ||
				strings.Contains(a.body, `"relative_path":"up/secret"`) {
				t.Errorf("%s: %d %s", at, a.status, a.body)
			}
		}
	}
	// A file that becomes a link while it is asked for is the file, or nothing.
	flip := files + "/flip"
	stop := make(chan struct{})
	var flipping sync.WaitGroup
	flipping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Remove(flip + ".new") // none at first
			if i%2 == 0 {
				_ = os.WriteFile(flip+".new", []byte("fine\n"), 0o644)
			} else {
				_ = os.Symlink(outside+"/dir/secret", flip+".new")
			}
			_ = os.Rename(flip+".new", flip)
		}
	})
	seen := 0
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
		a := r.get(c, "/puppet/v3/file_content/modules/demo/flip?environment=production")
		if strings.Contains(a.body, "the secret") {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if a.status == 200 {
			seen++
		}
	}
	close(stop)
	flipping.Wait()
	if seen == 0 {
		t.Error("the file was never served: the test shows little")
	}
}

// TestHostileRequests sends random and damaged requests: no answer is a success that should not be, the server goes on,
// and no bug is met.
func TestHostileRequests(t *testing.T) {
	var log lockedBuffer
	r := start(t, small, func(o *serve.Options) { o.Log = textLog(&log) })
	cert := r.sign("agent.example")
	address := strings.TrimPrefix(r.url, "https://")
	rng := rand.New(rand.NewPCG(1, 2))
	form := catalogForm("agent.example", "production", map[string]any{"kernel": "Linux", "list": []any{1, nil, "x"}})
	seeds := []string{
		"POST /puppet/v3/catalog/agent.example?environment=production HTTP/1.1\r\nHost: x\r\nAccept: " + accept +
			"\r\nContent-Type: " + formType + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s", len(form), form),
		"GET /puppet/v3/file_metadatas/plugins?environment=production&recurse=true&links=follow&ignore=.svn HTTP/1.1\r\n" +
			"Host: x\r\n\r\n",
		"GET /puppet/v3/file_metadata/modules/demo/one?environment=production&checksum_type=sha256 HTTP/1.1\r\n" +
			"Host: x\r\n\r\n",
		"GET /puppet/v3/file_content/modules/demo/one?environment=production HTTP/1.1\r\nHost: x\r\n\r\n",
		"PUT /puppet/v3/report/agent.example?environment=production HTTP/1.1\r\nHost: x\r\n" +
			"Content-Type: application/json\r\nContent-Length: 24\r\n\r\n{\"host\":\"agent.example\"}",
		"PUT /puppet/v3/facts/agent.example?environment=production HTTP/1.1\r\nHost: x\r\n" +
			"Content-Type: application/json\r\nContent-Length: 36\r\n\r\n{\"name\":\"agent.example\",\"values\":{}}",
		"PUT /puppet/v3/file_bucket_file/md5/d41d8cd98f00b204e9800998ecf8427e/x?environment=production HTTP/1.1\r\n" +
			"Host: x\r\nContent-Length: 0\r\n\r\n",
		"POST /puppet/v4/catalog HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
	}
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	for i := range rounds {
		text := []byte(seeds[rng.IntN(len(seeds))])
		for range rng.IntN(6) {
			at := rng.IntN(len(text))
			switch rng.IntN(4) {
			case 0:
				text[at] = byte(rng.IntN(256))
			case 1:
				text = append(text[:at], text[min(len(text), at+1+rng.IntN(8)):]...)
			case 2:
				with := []string{"%00", "..", "/", "%2f", "\"", "{", "&", "=", "%", "é", "[[", "\r\n", "-1",
					"99999999999999999999"}
				text = append(text[:at:at], append([]byte(with[rng.IntN(len(with))]), text[at:]...)...)
			case 3:
				from := rng.IntN(len(text))
				text = append(text[:at:at], append(bytes.Clone(text[from:min(len(text), from+rng.IntN(40))]), text[at:]...)...)
			}
			if len(text) == 0 {
				text = []byte("x")
			}
		}
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{cert}})
		if err != nil {
			t.Fatal(i, err)
		}
		_ = conn.SetDeadline(time.Now().Add(300 * time.Millisecond))
		_, _ = conn.Write(text)
		_ = conn.CloseWrite()
		_, _ = bufio.NewReader(conn).ReadString('\n')
		conn.Close()
	}
	c := r.client(cert)
	if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "msg=bug") || strings.Contains(line, "panic") {
			t.Error(line)
		}
	}
	files := 0
	_ = filepath.WalkDir(filepath.Dir(r.opt.State), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, r.opt.State) && strings.Contains(path, "agent.example.json") {
			files++
		}
		return nil
	})
	if files > 0 {
		t.Errorf("%d files outside of the state", files)
	}
}

// TestHostileExtensions: what a certificate says is read, whatever it is.
func TestHostileExtensions(t *testing.T) {
	r := start(t, small)
	for i, der := range [][]byte{{}, {0x0c}, {0x0c, 0x80}, {0x30, 0x00}, []byte("plain"),
		{0x0c, 0x84, 0xff, 0xff, 0xff, 0xff}} {
		cert := r.sign("agent.example", func(c *x509.Certificate) {
			c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Value: der,
				Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 34380, 1, 1, 13}})
		})
		if a := r.catalog(r.client(cert), "agent.example", "production", nil); a.status != 200 &&
			!strings.Contains(a.body, "utf-8") { // what JSON cannot say is no catalog
			t.Errorf("%d: %d %s", i, a.status, a.body)
		}
	}
}

// TestNoUnknownServed is a property: a program with a value that is not known gets a catalog only if that is the same
// whatever the value is. So three programs are served: with the unknown, and with two values in its place.
func TestNoUnknownServed(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example"))
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	site := filepath.Join(r.code, "production/manifests/site.pp")
	serve := func(code string) answer {
		t.Helper()
		if err := os.WriteFile(site, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
		return r.catalog(c, "agent.example", "production", nil)
	}
	served, refused := 0, 0
	for range rounds {
		code := unknownProgram(rng)
		a := serve(code)
		switch a.status {
		case 200:
			served++
		case 500:
			refused++
			continue
		default:
			t.Errorf("%d %s\n%s", a.status, a.body, code)
			continue
		}
		for _, known := range []string{"'one'", "3"} {
			if b := serve(strings.ReplaceAll(code, theUnknown, known)); plainCatalog(a.body) != plainCatalog(b.body) {
				t.Errorf("with %s there is another catalog of\n%s%s\n%s", known, code, a.body, b.body)
			}
		}
	}
	if served < rounds/10 || refused < rounds/10 {
		t.Errorf("of %d programs %d were served and %d refused: the test shows little", rounds, served, refused)
	}
}

const theUnknown = "generate('/bin/date')"

// unknownProgram makes a program of expressions, some of which are not known.
func unknownProgram(rng *rand.Rand) string {
	var expr func(depth int) string
	expr = func(depth int) string {
		if depth == 0 {
			switch rng.IntN(6) {
			case 0:
				return theUnknown
			case 1:
				return "'text'"
			case 2:
				return "$facts['kernel']"
			default:
				return fmt.Sprint(rng.IntN(4))
			}
		}
		x := func() string { return expr(rng.IntN(depth)) }
		switch rng.IntN(10) {
		case 0:
			return "\"a ${" + x() + "}\""
		case 1:
			return "[" + x() + ", " + x() + "]"
		case 2:
			return "{ 'k' => " + x() + " }"
		case 3:
			return "Sensitive(" + x() + ")"
		case 4:
			return "(" + x() + " ? { 1 => " + x() + ", default => " + x() + " })"
		case 5:
			return "Deferred('sprintf', [" + x() + "])"
		case 6:
			return "(if " + x() + " == 1 { " + x() + " } else { " + x() + " })"
		case 7:
			return "[" + x() + "].map |$v| { $v }"
		case 8:
			return "[" + x() + ", " + x() + "][0]"
		}
		return x()
	}
	var b strings.Builder
	for i := range 1 + rng.IntN(3) {
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "file { '/tmp/%d': content => %s }\n", i, expr(rng.IntN(4)))
		case 1:
			fmt.Fprintf(&b, "if %s == 3 { notify { 'n%d': } }\n", expr(rng.IntN(3)), i)
		case 2:
			fmt.Fprintf(&b, "$v%d = %s\nnotify { 'v%d': message => $v%d }\n", i, expr(rng.IntN(4)), i, i)
		case 3:
			fmt.Fprintf(&b, "$w%d = %s\n", i, expr(rng.IntN(4)))
		}
	}
	return b.String()
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lockedBuffer) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}
