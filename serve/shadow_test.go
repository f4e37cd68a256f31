package serve_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/diff"
	"bunraku/internal/live"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/serve"
)

// shadowed compares a tree with another that a server compiles, in which a number of roles are written differently.
func shadowed(t *testing.T, roles, nodes, planted int) *diff.Report {
	t.Helper()
	tree := func(differs bool) string {
		var b strings.Builder
		b.WriteString("-- production/environment.conf --\nmodulepath = modules\n-- production/manifests/site.pp --\n" +
			"node default { include \"role${facts['role']}\" }\n")
		for i := range roles {
			word := "same"
			if differs && i < planted {
				word = "planted"
			}
			fmt.Fprintf(&b, "-- production/modules/role%d/manifests/init.pp --\nclass role%d {\n"+
				"  file { '/etc/role': content => \"%s %d ${facts['fqdn']}\\n\" }\n  package { 'p%d': ensure => present }\n}\n",
				i, i, word, i, i)
		}
		return b.String()
	}
	auth := filepath.Join(t.TempDir(), "auth.conf")
	unpack(t, filepath.Dir(auth), `
-- auth.conf --
authorization: { version: 1, rules: [
  { match-request: { path: "/puppet/v4/catalog", type: path }, allow: shadow.example, sort-order: 500, name: v4 }
] }
`)
	r := start(t, tree(true), func(o *serve.Options) { o.Auth, o.Log = auth, textLog(&lockedBuffer{}) })
	r.sign("shadow.example")
	ours := t.TempDir()
	unpack(t, ours, tree(false))
	var all []*facts.Facts
	for i := range nodes {
		name := fmt.Sprintf("node%d.example", i)
		all = append(all, facts.New(name, value.NewHash(value.String("fqdn"), value.String(name), value.String("role"),
			value.Int(i%roles))))
	}
	opt := serve.ShadowOptions{Options: r.opt, Server: strings.Replace(r.url, "127.0.0.1", "localhost", 1)}
	opt.Environments, opt.Recheck = []string{ours}, time.Second
	opt.Cert, opt.Key = r.path("shadow.example.pem"), r.path("shadow.example.key")
	report, err := serve.Shadow(t.Context(), opt, all)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, g := range report.Groups {
		var text strings.Builder
		for _, it := range g.Items {
			fmt.Fprint(&text, it.Name, it.Attribute, it.Old, it.New)
		}
		if len(g.Nodes) == nodes/roles && g.Cause != nil && strings.Contains(g.Cause.Other, "init.pp:2") &&
			strings.Contains(text.String(), "planted") {
			good++
		} else {
			t.Errorf("%s %v %+v", g.Summary(), g.Nodes, g.Cause)
		}
	}
	if good != planted || len(report.Groups) != planted || len(report.Failures) > 0 {
		t.Errorf("of %d planted differences %d were found, in %d groups; %d failures", planted, good, len(report.Groups),
			len(report.Failures))
	}
	if n := report.Count(diff.Equal); n != nodes-nodes/roles*planted {
		t.Errorf("%d of %d nodes are equal", n, nodes)
	}
	return report
}

// TestShadow finds what differs from another server, each cause once.
func TestShadow(t *testing.T) {
	report := shadowed(t, 6, 24, 4)
	var b strings.Builder
	report.Text(&b, diff.Show{})
	if !strings.Contains(b.String(), "File[/etc/role]") {
		t.Error(b.String())
	}
}

// TestAcceptServeShadow: 2,000 catalogs, 40 planted differences.
func TestAcceptServeShadow(t *testing.T) {
	live.Accept(t)
	began := time.Now()
	report := shadowed(t, 50, 2000, 40)
	t.Logf("shadow: %d of 40 planted differences among %d catalogs, each under its cause (bar: all, none other), in %v",
		len(report.Groups), len(report.Nodes), time.Since(began).Round(time.Second))
}

// TestShadowRefused: a server that does not let us ask says so.
func TestShadowRefused(t *testing.T) {
	r := start(t, small)
	r.sign("shadow.example")
	opt := serve.ShadowOptions{Options: r.opt, Server: strings.Replace(r.url, "127.0.0.1", "localhost", 1)}
	opt.Cert, opt.Key = r.path("shadow.example.pem"), r.path("shadow.example.key")
	_, err := serve.Shadow(t.Context(), opt, []*facts.Facts{facts.New("a.example", value.EmptyHash)})
	if err == nil || !strings.Contains(err.Error(), "auth.conf") {
		t.Error(err)
	}
}
