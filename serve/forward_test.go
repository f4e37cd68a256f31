package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/serve"
)

// A sink takes reports that are sent on.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	status int // of the answer, if it is not 200
	kinds  []string
	bodies []string
	users  []string
}

func newSink(t testing.TB) *sink {
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.status != 0 || err != nil {
			http.Error(w, "not now", s.status)
			return
		}
		user, word, _ := r.BasicAuth()
		s.kinds, s.bodies, s.users = append(s.kinds, r.Method+" "+r.Header.Get("Content-Type")),
			append(s.bodies, string(text)), append(s.users, user+":"+word)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) set(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// got waits for so many reports.
func (s *sink) got(t testing.TB, n int) []string {
	t.Helper()
	for range 1000 {
		s.mu.Lock()
		all := s.bodies
		s.mu.Unlock()
		if len(all) >= n {
			return all
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%d reports have not come", n)
	return nil
}

// oddReport is a report with texts that YAML could take for something else.
const oddReport = `{"host":"agent.example","time":"2026-11-16T10:00:00.123456789+01:00","configuration_version":1763287200,
"transaction_uuid":"u-1","report_format":12,"puppet_version":"7.23.0","status":"changed","transaction_completed":true,"noop":false,
"noop_pending":false,"environment":"production","logs":[{"level":"notice","message":"yes\n  two: lines\n","source":"Puppet",
"tags":["notice","null","0x1f","1_000"],"time":"2026-11-16T10:00:01.000000000+01:00","file":null,"line":null},
{"level":"err","message":"grün ✓ \u0007 \"quoted\" # no","source":"//agent/File[/x: y]","tags":[],
"time":"2026-11-16T10:00:01.000000000+01:00","file":"/etc/x.pp","line":3}],
"metrics":{"time":{"name":"time","label":"Time","values":[["total","Total",1.5],["file","File",1.0e-05]]}},
"resource_statuses":{"File[/tmp/- a]":{"title":"/tmp/- a","file":null,"line":12,"resource":"File[/tmp/- a]","resource_type":"File",
"provider_used":"posix","containment_path":["Stage[main]","","File[/tmp/- a]"],"evaluation_time":0.25,"tags":["file"],
"time":"2026-11-16T10:00:01.000000000+01:00","failed":false,"failed_to_restart":false,"changed":true,"out_of_sync":true,
"skipped":false,"change_count":1,"out_of_sync_count":1,"events":[{"audited":false,"property":"ensure","previous_value":"absent",
"desired_value":"2026-11-16","historical_value":null,"message":"defined content as '{sha256}00'","name":"file_created",
"status":"success","time":"2026-11-16T10:00:01.000000000+01:00","redacted":false,"corrective_change":false}],
"corrective_change":false}},"corrective_change":false,"server_used":"puppet.example:8140","catalog_uuid":"c-1",
"cached_catalog_status":"not_used"}`

// TestForward: reports reach the reporturl, also when nobody answered there for a while, and no agent waits for that.
func TestForward(t *testing.T) {
	to := newSink(t)
	with := func(o *serve.Options) {
		o.ReportURL = strings.Replace(to.URL, "://", "://me:word@", 1) + "/reports/upload"
	}
	r := start(t, small, with)
	c := r.client(r.sign("agent.example"))
	send := func(body string) {
		t.Helper()
		a := r.do(c, "PUT", "/puppet/v3/report/agent.example?environment=production", "application/json", body)
		if a.status != 200 || a.body != `["store","http"]` {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	send(oddReport)
	got := to.got(t, 1)
	if to.kinds[0] != "POST application/x-yaml" || to.users[0] != "me:word" ||
		!strings.HasPrefix(got[0], "--- !ruby/object:Puppet::Transaction::Report\nhost: agent.example\n") {
		t.Errorf("%s\n%s", to.kinds[0], got[0])
	}
	to.set(503)
	for i := range 3 {
		send(runReport("agent.example", fmt.Sprint("later-", i)))
	}
	stop(t, r)
	if files, _ := filepath.Glob(filepath.Join(r.opt.State, "reporturl/*.command")); len(files) != 3 {
		t.Errorf("%d reports are kept", len(files))
	}
	to.set(0)
	r = start(t, small, with, func(o *serve.Options) { o.State = r.opt.State })
	c = r.client(r.sign("agent.example"))
	to.got(t, 4)
	to.set(422)
	send(oddReport)
	for i := 0; !strings.Contains(watched(t, r), "bunraku_reporturl_refused_total 1"); i++ {
		if i > 500 {
			t.Fatal(watched(t, r))
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, url := range []string{"ftp://x/", "nothing", "https://", "http://me:word@[/"} {
		opt := r.opt
		opt.ReportURL, opt.State = url, t.TempDir()
		if _, err := serve.New(opt); err == nil || strings.Contains(err.Error(), "word") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestForwardAsPuppet: what is sent on is what Puppet's own report processor would send, to the byte.
func TestForwardAsPuppet(t *testing.T) {
	live.Puppet(t)
	to := newSink(t)
	r := start(t, small, func(o *serve.Options) { o.ReportURL = to.URL })
	c := r.client(r.sign("agent.example"))
	r.do(c, "PUT", "/puppet/v3/report/agent.example?environment=production", "application/json", oddReport)
	dir := t.TempDir()
	unpack(t, dir, `
-- report.rb --
require 'puppet'
print Puppet::Transaction::Report.from_data_hash(JSON.parse(STDIN.read)).to_yaml
`)
	if want, got := live.Ruby(t, filepath.Join(dir, "report.rb"), oddReport), to.got(t, 1)[0]; got != want {
		t.Errorf("\n%s\nPuppet:\n%s", got, want)
	}
}
