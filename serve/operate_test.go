package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestWatch: what happens is counted, and whether agents can be served is said.
func TestWatch(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example"))
	r.catalog(c, "agent.example", "production", nil)
	r.catalog(c, "agent.example", "unknown", nil)
	r.get(c, "/puppet/v3/file_content/modules/demo/one?environment=production")
	r.get(c, "/made/up/by/a/client")
	_, text := watch(r, "/metrics")
	for _, want := range []string{`bunraku_requests_total{what="catalog",status="200"} 1`,
		`bunraku_requests_total{what="catalog",status="500"} 1`, `bunraku_requests_total{what="file_content",status="200"} 1`,
		`bunraku_requests_total{what="other",status="403"} 1`, "bunraku_catalogs_total 1\n", "bunraku_unknown_total 1\n",
		"bunraku_compile_seconds_count 1\n", `bunraku_compile_seconds_bucket{le="+Inf"} 1`, "bunraku_connections 1\n",
		"bunraku_environments 2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "made") {
		t.Error("a client makes up names of metrics")
	}
	if code, body := watch(r, "/healthz"); code != 200 || body != `{"ok":true,"problems":[]}` {
		t.Error(code, body)
	}
	r.revoke(-time.Minute)
	time.Sleep(1100 * time.Millisecond)
	if code, body := watch(r, "/healthz"); code != 503 || !strings.Contains(body, "a revocation list has expired") {
		t.Error(code, body)
	}
}

// watch asks what who runs the server may ask.
func watch(r *running, path string) (int, string) {
	w := httptest.NewRecorder()
	r.Watch().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// TestStop: a server that is told to stop, or to read its files again, drops nothing that it has begun.
func TestStop(t *testing.T) {
	r := start(t, small)
	cert := r.sign("agent.example")
	var served, cut atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			c := r.client(cert)
			for ctx.Err() == nil {
				a, err := r.try(c, "POST", "/puppet/v3/catalog/agent.example?environment=production", formType,
					catalogForm("agent.example", "production", nil), "Accept", accept)
				switch {
				case err != nil && strings.Contains(err.Error(), "connection refused"):
					return
				case err != nil && strings.Contains(err.Error(), "reset by peer"), err != nil &&
					strings.HasSuffix(err.Error(), "EOF"):
					if ctx.Err() == nil { // a connection that was idle when the server ended: an agent tries again
						cut.Add(1)
					}
					return
				case err != nil || a.status != 200 || !strings.HasSuffix(a.body, "}"):
					t.Errorf("%v %d %.200s", err, a.status, a.body)
					return
				}
				served.Add(1)
			}
		}()
	}
	for range 10 {
		time.Sleep(20 * time.Millisecond)
		if err := r.Reload(); err != nil {
			t.Error(err)
		}
	}
	if served.Load() == 0 {
		t.Error("nothing was served")
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
	all.Wait()
	if n := cut.Load(); n > 4 {
		t.Errorf("%d connections were cut", n)
	}
	c := r.client(cert)
	if _, err := r.try(c, http.MethodGet, "/status/v1/simple", "", ""); err == nil {
		t.Error("it still answers")
	}
}
