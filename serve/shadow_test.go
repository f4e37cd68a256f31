package serve_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/diff"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/serve"
)

// shadowed compares a tree with another that a server compiles, in which all plants are written differently: all are
// told, each under its place with its nodes and no other, and nothing else is. against starts the other server.
func shadowed(t *testing.T, nodes int, against func(*running) *running) *diff.Report {
	t.Helper()
	auth := filepath.Join(t.TempDir(), "auth.conf")
	unpack(t, filepath.Dir(auth), `
-- auth.conf --
authorization: { version: 1, rules: [
  { match-request: { path: "^/puppet/v4/catalog/?$", type: regex, method: post }, allow: shadow.example, sort-order: 400, name: v4 }
  { match-request: { path: "/status/v1/simple", type: path, method: get }, allow-unauthenticated: true, sort-order: 500, name: status }
] }
`)
	r := start(t, plantedTree(true), func(o *serve.Options) { o.Auth, o.Log = auth, textLog(&lockedBuffer{}) })
	r.sign("shadow.example")
	ours := t.TempDir()
	unpack(t, ours, plantedTree(false))
	var all []*facts.Facts
	for i := range nodes {
		name := fmt.Sprintf("node%d.example", i)
		all = append(all, facts.New(name, value.NewHash(value.String("fqdn"), value.String(name), value.String("role"),
			value.Int(i%plantRoles), value.String("odd"), value.Bool(i/plantRoles%2 == 1))))
	}
	opt := serve.ShadowOptions{Options: r.opt, Server: strings.Replace(against(r).url, "127.0.0.1", "localhost", 1)}
	opt.Environments, opt.Recheck = []string{ours}, time.Second
	opt.Cert, opt.Key = r.path("shadow.example.pem"), r.path("shadow.example.key")
	report, err := serve.Shadow(t.Context(), opt, all)
	if err != nil {
		t.Fatal(err)
	}
	// What there should be: each difference with its nodes, under its place.
	type wanted struct {
		plant        int
		nodes, cause string
		told         bool
	}
	want := map[string]*wanted{}
	different := map[int]bool{}
	for n, p := range plants {
		var list []int
		for i := range nodes {
			if slices.Contains(rolesOf(n), i%plantRoles) && (p.kind != "some nodes of a role" || i/plantRoles%2 == 1) {
				list = append(list, i)
				different[i] = true
			}
		}
		for _, w := range p.want {
			w = numbered(w, n)
			for want[w] != nil { // another one of the same attribute
				w += "+"
			}
			want[w] = &wanted{plant: n, nodes: fmt.Sprint(list), cause: numbered(p.cause, n)}
		}
	}
	wrong := 0
	groups := make([]int, len(plants))
	items := map[*diff.Item]bool{}
	for _, g := range report.Groups {
		place := ""
		if g.Cause != nil {
			place = strings.NewReplacer(ours+"/production/", "", r.code+"/production/", "").Replace(g.Cause.Other)
		}
		of := map[int]bool{}
		for _, it := range g.Items {
			text := strings.Join([]string{it.Kind.String(), it.Name.String(), it.Attribute}, " ")
			w := want[text]
			for w != nil && w.told {
				text += "+"
				w = want[text]
			}
			if w == nil || items[it] || w.nodes != fmt.Sprint(g.Nodes) || !strings.HasPrefix(place, w.cause) {
				t.Errorf("%q of %d nodes under %q; wanted: %+v", text, len(g.Nodes), place, w)
				wrong++
				continue
			}
			w.told, items[it], of[w.plant] = true, true, true
		}
		for n := range of {
			groups[n]++
		}
		if len(of) > 1 {
			t.Errorf("%s and others are told together: %v", g.Summary(), of)
			wrong++
		}
	}
	for text, w := range want {
		if !w.told {
			t.Errorf("not told: %s, %s", plants[w.plant].kind, text)
			wrong++
		}
	}
	for n, p := range plants {
		if groups[n] != max(1, p.groups) {
			t.Errorf("%s is told in %d groups", p.kind, groups[n])
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("of %d planted differences: %d wrong or missing", len(plants), wrong)
	}
	var failures []string
	for _, f := range report.Failures {
		why, _, _ := strings.Cut(f.Summary[max(0, strings.Index(f.Summary, "only ")):], " (")
		failures = append(failures, fmt.Sprintf("%v %s %d", f.State, why, len(f.Nodes)))
	}
	each := nodes / plantRoles
	if got, want := strings.Join(failures, "; "), fmt.Sprintf("newly failing only here %d; mended only there %d", each,
		each); got != want {
		t.Errorf("failures: %.2000s\nwanted: %s", got, want)
	}
	if n := report.Count(diff.Equal); n != nodes-len(different)-2*each {
		t.Errorf("%d of %d nodes are equal, wanted %d", n, nodes, nodes-len(different)-2*each)
	}
	return report
}

// TestShadow finds what differs from another server, each cause once, and shows no secret of it.
func TestShadow(t *testing.T) {
	report := shadowed(t, 2*plantRoles, func(r *running) *running { return r })
	var b strings.Builder
	report.Text(&b, diff.Show{Full: true})
	for _, want := range []string{"File[/p00]", "mode"} {
		if !strings.Contains(b.String(), want) {
			t.Error(b.String())
		}
	}
	if strings.Contains(strings.ToLower(b.String()), "hush") {
		t.Error(b.String())
	}
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
