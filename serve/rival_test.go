//go:build unix

package serve_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/serve"
)

// A siteRequest is an agent's request for the catalog of a recorded site.
type siteRequest struct {
	site, node string
	facts      map[string]any
	client     *http.Client
}

// startSites serves the recorded sites and makes the requests of their nodes.
func startSites(t testing.TB) (*running, []siteRequest) {
	t.Helper()
	sites := live.Sites(t)
	r := start(t, "", func(o *serve.Options) {
		o.Environments = []string{filepath.Dir(sites[0])}
		o.Compile.Roots = []string{live.ModulesDir}
		o.Recheck = 0
	})
	var requests []siteRequest
	clients := map[string]*http.Client{}
	for _, dir := range sites {
		text, err := os.ReadFile(filepath.Join(dir, "facts.json"))
		if err != nil {
			t.Fatal(err)
		}
		q := siteRequest{site: filepath.Base(dir)}
		if err := json.Unmarshal(text, &q.facts); err != nil {
			t.Fatal(err)
		}
		q.node, _ = q.facts["fqdn"].(string)
		if clients[q.node] == nil {
			clients[q.node] = r.client(r.sign(q.node))
		}
		q.client = clients[q.node]
		requests = append(requests, q)
	}
	return r, requests
}

// ask gets the catalog of a site.
func (r *running) ask(q siteRequest) answer {
	r.t.Helper()
	return r.catalog(q.client, q.node, q.site, q.facts)
}

var volatile = regexp.MustCompile(`"(version|catalog_uuid)":("[^"]*"|\d+)`)

// plainCatalog is a catalog without what differs from compile to compile.
func plainCatalog(body string) string { return volatile.ReplaceAllString(body, `"$1":0`) }

// TestAcceptServeCatalogs replays the requests of the recorded sites to us and to puppetserver: the catalogs are equal.
func TestAcceptServeCatalogs(t *testing.T) {
	live.Accept(t)
	r, requests := startSites(t)
	x := startRival(t, r, live.ModulesDir)
	equal, bytes := 0, 0
	for _, q := range requests {
		ours, theirs := r.ask(q), x.ask(q)
		if ours.status != 200 || theirs.status != 200 {
			t.Errorf("%s: ours %d %.500s\ntheirs %d %.500s", q.site, ours.status, ours.body, theirs.status, theirs.body)
			continue
		}
		if plainCatalog(ours.body) == plainCatalog(theirs.body) {
			equal++
			bytes++
			continue
		}
		a, err := catalog.Read([]byte(ours.body))
		if err != nil {
			t.Fatal(err)
		}
		b, err := catalog.Read([]byte(theirs.body))
		if err != nil {
			t.Fatal(err)
		}
		lines := catalog.Diff(a, b)
		if len(lines) > 0 {
			t.Errorf("%s: %d differences, the first: %s", q.site, len(lines), lines[0])
			continue
		}
		equal++
	}
	t.Logf("catalogs equal to puppetserver's: %d of %d (bar: all), %d of them byte for byte", equal, len(requests), bytes)
}

// TestAcceptServeShadow compares 2,000 catalogs with puppetserver's: all planted differences are told, grouped under
// their causes, and none other.
func TestAcceptServeShadow(t *testing.T) {
	live.Accept(t)
	began := time.Now()
	report := shadowed(t, 2000, func(r *running) *running { return startRival(t, r, live.ModulesDir).running })
	t.Logf("shadow: %d planted differences of as many kinds among %d catalogs of puppetserver, told in %d groups (bar: "+
		"all 40, each under its cause, none other), in %v", len(plants), len(report.Nodes), len(report.Groups),
		time.Since(began).Round(time.Second))
}

// TestAcceptServeForward: a report that is sent on is what puppetserver sends on, to the byte.
func TestAcceptServeForward(t *testing.T) {
	live.Accept(t)
	to := newSink(t)
	r := start(t, small, func(o *serve.Options) { o.ReportURL = to.URL })
	x := startRival(t, r, live.ModulesDir, "reports = http", "reporturl = "+to.URL, "hostcert = "+r.opt.Cert,
		"hostprivkey = "+r.opt.Key, "localcacert = "+r.opt.CA, "hostcrl = "+r.opt.CRL)
	c := r.client(r.sign("agent.example"))
	odd := strings.NewReplacer(`"source":"Puppet"`, `"source":"y"`, `"tags":[]`, `"tags":["n","😀","\u00a0","-","no"]`,
		`["total","Total",1.5]`, `["total","Total",1.5],["huge","Huge",1.5e+17],["most","Most",1e+20]`).Replace(oddReport)
	for i, who := range []*running{x.running, r} {
		a := who.do(c, "PUT", "/puppet/v3/report/agent.example?environment=production", "application/json", odd)
		if a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		to.got(t, i+1)
	}
	if all := to.got(t, 2); all[0] != all[1] {
		t.Errorf("ours:\n%s\npuppetserver's:\n%s", all[1], all[0])
	}
}
