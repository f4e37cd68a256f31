package serve_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bunraku/serve"
)

// FuzzRequest gives the server whatever net/http takes for a request, as from a client with a good certificate: it
// answers, meets no bug, and hands out no catalog of another node.
func FuzzRequest(f *testing.F) {
	form := catalogForm("agent.example", "production", map[string]any{"kernel": "Linux", "list": []any{1, nil, "x"}})
	for _, seed := range []string{
		"POST /puppet/v3/catalog/agent.example?environment=production HTTP/1.0\r\nAccept: " + accept + "\r\nContent-Type: " +
			formType + "\r\n\r\n" + form,
		"GET /puppet/v3/catalog/other.example?environment=production HTTP/1.0\r\nAccept: */*\r\n\r\n",
		"GET /puppet/v3/node/agent.example?environment=production HTTP/1.0\r\n\r\n",
		"GET /puppet/v3/file_metadatas/plugins?environment=production&recurse=true&links=follow&ignore=.svn HTTP/1.0\r\n\r\n",
		"GET /puppet/v3/file_metadata/modules/demo/one?environment=production&checksum_type=sha256 HTTP/1.0\r\n\r\n",
		"GET /puppet/v3/file_content/modules/demo/one?environment=production HTTP/1.0\r\n\r\n",
		"PUT /puppet/v3/report/agent.example?environment=production HTTP/1.0\r\nContent-Type: application/json\r\n\r\n" +
			`{"host":"agent.example"}`,
		"PUT /puppet/v3/report/agent.example?environment=production HTTP/1.0\r\nContent-Type: application/json\r\n\r\n" +
			oddReport,
		"PUT /puppet/v3/facts/agent.example?environment=production HTTP/1.0\r\nContent-Type: text/pson\r\n\r\n" +
			`{"name":"agent.example","values":{"a":[1,{"b":null}]}}`,
		"PUT /puppet/v3/file_bucket_file/md5/d41d8cd98f00b204e9800998ecf8427e/x?environment=production HTTP/1.0\r\n\r\n",
		"POST /puppet/v4/catalog HTTP/1.0\r\nContent-Type: application/json\r\n\r\n" +
			`{"certname":"agent.example","persistence":{"facts":true,"catalog":false},"environment":"production",` +
			`"facts":{"values":{}},"trusted_facts":{"values":{}},"options":{"capture_logs":true}}`,
		"GET /puppet/v3/environment_classes?environment=production HTTP/1.0\r\n\r\n",
		"GET /puppet/v3/environment_modules HTTP/1.0\r\n\r\n",
		"GET /status/v1/services/server HTTP/1.0\r\n\r\n",
		"DELETE /puppet-admin-api/v1/environment-cache?environment=production HTTP/1.0\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	var log lockedBuffer
	to := newFakeDB(f)
	r := start(f, small, func(o *serve.Options) {
		o.Log, o.ReportURL, o.MaxBody = textLog(&log), to.URL, 1<<20
		o.Auth = f.TempDir() + "/auth.conf"
		unpack(f, strings.TrimSuffix(o.Auth, "/auth.conf"), `
-- auth.conf --
authorization: { version: 1, rules: [
  { match-request: { path: "^/puppet/v3/(catalog|node|report|facts)/([^/]+)$", type: regex }, allow: "$2", sort-order: 400, name: own },
  { match-request: { path: "/", type: path }, allow: "*", sort-order: 500, name: all },
] }
`)
	})
	cert, err := x509.ParseCertificate(r.sign("agent.example").Certificate[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(text))))
		if err != nil {
			return
		}
		if req.ContentLength == 0 { // the rest of it is what follows
			_, body, _ := strings.Cut(string(text), "\r\n\r\n")
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		req.RemoteAddr = "127.0.0.1:1"
		req.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}}
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if p := recover(); p != nil && p != http.ErrAbortHandler {
					t.Errorf("%v", p)
				}
			}()
			r.ServeHTTP(w, req)
		}()
		if w.Code == http.StatusOK && strings.HasPrefix(req.URL.Path, "/puppet/v3/catalog/") &&
			(req.URL.Path != "/puppet/v3/catalog/agent.example" ||
				!strings.Contains(w.Body.String(), `"name":"agent.example"`)) {
			t.Errorf("%s: %s", req.URL.Path, w.Body)
		}
		if said := log.String(); strings.Contains(said, "msg=bug") {
			t.Error(said[strings.Index(said, "msg=bug"):])
		}
		log.reset()
	})
}
