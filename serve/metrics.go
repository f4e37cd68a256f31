package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What happens is counted, for whoever watches: in the text format of Prometheus, on a listener of its own, which is
// meant for the machine itself. Agents do not see it.

// memoryNoted is of how many bytes one is noted where it was asked for, as Go does unless told otherwise.
const memoryNoted = 512 << 10

// buckets are the upper bounds of the times that are counted, in seconds.
var buckets = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// A histogram counts durations.
type histogram struct {
	upTo  [len(buckets)]atomic.Int64
	count atomic.Int64
	nanos atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	h.count.Add(1)
	h.nanos.Add(int64(d))
	for i, most := range buckets {
		if d.Seconds() <= most {
			h.upTo[i].Add(1)
		}
	}
}

func (h *histogram) write(b *strings.Builder, name, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	for i, most := range buckets {
		fmt.Fprintf(b, "%s_bucket{le=\"%g\"} %d\n", name, most, h.upTo[i].Load())
	}
	n := h.count.Load()
	fmt.Fprintf(b, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", name, n, name,
		time.Duration(h.nanos.Load()).Seconds(), name, n)
}

// counts are what has happened.
type counts struct {
	catalogs, compileErrors, unknown, gated, reused atomic.Int64
	compile                                         histogram

	mu      sync.Mutex
	answers map[answered]int64
	lost    map[string]int64 // what could not be kept, by name
}

// answered is a kind of answer. What is asked for is one of the names that we know, so that no client can make more.
type answered struct {
	what   string
	status int
}

func (c *counts) answer(path string, status int) {
	what := "other"
	if rest, is := strings.CutPrefix(path, "/puppet/v3/"); is {
		if name, _, _ := strings.Cut(rest, "/"); routes[name].run != nil {
			what = name
		}
	} else if strings.HasPrefix(path, "/puppet/v4/catalog") {
		what = "catalog_v4"
	} else if strings.HasPrefix(path, "/status/") {
		what = "status"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers = map[answered]int64{}
	}
	c.answers[answered{what, status}]++
}

// Watch is what is meant for who runs the server: /metrics, /healthz, /readyz and Go's profiles. It has no
// authentication: serve it on the loopback interface.
func (s *Server) Watch() http.Handler {
	runtime.MemProfileRate = memoryNoted
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, err := w.Write([]byte(s.metrics()))
		_ = ignoreGone(err)
	})
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.health)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	return mux
}

func (s *Server) metrics() string {
	var b strings.Builder
	number := func(name, kind, help string, v any) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", name, help, name, kind, name, v)
	}
	fmt.Fprintf(&b, "# HELP bunraku_requests_total Answers, by what was asked for.\n# TYPE bunraku_requests_total "+
		"counter\n")
	s.counts.mu.Lock()
	var kinds []answered
	for k := range s.counts.answers {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b answered) int {
		if c := strings.Compare(a.what, b.what); c != 0 {
			return c
		}
		return a.status - b.status
	})
	for _, k := range kinds {
		fmt.Fprintf(&b, "bunraku_requests_total{what=%q,status=\"%d\"} %d\n", k.what, k.status, s.counts.answers[k])
	}
	s.counts.mu.Unlock()
	number("bunraku_catalogs_total", "counter", "Catalogs that were served.", s.counts.catalogs.Load())
	number("bunraku_compile_failures_total", "counter", "Catalogs that were refused.", s.counts.compileErrors.Load())
	number("bunraku_unknown_total", "counter", "Catalogs that were refused because a value is not known.",
		s.counts.unknown.Load())
	number("bunraku_reused_total", "counter",
		"Catalogs that were served again because nothing they depend on has changed.",
		s.counts.reused.Load())
	number("bunraku_gated_total", "counter", "Catalogs that were refused because they are worse than the node's last one.",
		s.counts.gated.Load())
	s.counts.compile.write(&b, "bunraku_compile_seconds", "How long catalogs took.")
	number("bunraku_waiting", "gauge", "Requests that wait for a processor.", s.waiting.Load())
	s.conns.mu.Lock()
	open := len(s.conns.open)
	s.conns.mu.Unlock()
	number("bunraku_connections", "gauge", "Open connections.", open)
	s.pool.mu.Lock()
	environments := len(s.pool.open)
	s.pool.mu.Unlock()
	number("bunraku_environments", "gauge", "Environments that are held.", environments)
	s.databaseMetrics(&b, number)
	a := s.trust.current.Load()
	if leaf := a.host.Leaf; leaf != nil {
		number("bunraku_certificate_expires_seconds", "gauge", "When the server's certificate expires, in Unix time.",
			leaf.NotAfter.Unix())
	}
	number("bunraku_crl_expires_seconds", "gauge", "When the first revocation list expires, in Unix time.",
		a.listsEnd().Unix())
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	number("bunraku_memory_bytes", "gauge", "Memory that was taken from the system.", m.Sys)
	number("bunraku_goroutines", "gauge", "Goroutines.", runtime.NumGoroutine())
	return b.String()
}

// listsEnd is when the first of the revocation lists expires.
func (a *authority) listsEnd() (end time.Time) {
	for _, l := range a.lists {
		if end.IsZero() || !l.NextUpdate.IsZero() && l.NextUpdate.Before(end) {
			end = l.NextUpdate
		}
	}
	return end
}

// health says whether agents can be served, and why not: 200 or 503.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	a, now := s.trust.fresh(), s.opt.Now()
	problems := []string{}
	if end := a.listsEnd(); !end.IsZero() && now.After(end) {
		problems = append(problems, "a revocation list has expired at "+end.UTC().Format(time.RFC3339)+
			": clients of that CA are refused")
	}
	if leaf := a.host.Leaf; leaf != nil && now.After(leaf.NotAfter) {
		problems = append(problems, "the server's certificate has expired at "+leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	if err := a.ownRevocation(s.opt.Revocation, now); err != nil {
		problems = append(problems, "the server's own certificate would be refused, as those of clients are: "+err.Error())
	}
	if err := s.trust.problem(); err != nil {
		problems = append(problems, "certificates or revocation lists cannot be read, those from before are in force: "+
			err.Error())
	}
	if err := s.unruly.Load(); err != nil {
		problems = append(problems, "auth.conf cannot be read, the rules from before are in force: "+(*err).Error())
	}
	if err := s.mounts.problem(); err != nil {
		problems = append(problems, "fileserver.conf cannot be read, the mounts from before are in force: "+err.Error())
	}
	if len(s.pool.names()) == 0 {
		problems = append(problems, "there is no environment")
	}
	if err := s.store.room(); err != nil {
		problems = append(problems, "the state cannot be written: "+err.Error())
	}
	status := http.StatusOK
	if len(problems) > 0 {
		status = http.StatusServiceUnavailable
	}
	text, _ := json.Marshal(struct {
		OK       bool     `json:"ok"`
		Problems []string `json:"problems"`
	}{len(problems) == 0, problems})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, err := w.Write(text)
	_ = ignoreGone(err)
}
