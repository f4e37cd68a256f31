package serve_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/serve"
)

// made is what is different in every catalog.
var madeAnew = regexp.MustCompile(`"(version|catalog_uuid)":("[^"]*"|\d+)`)

// TestReuse changes code, data, files and facts at random, and asks two servers, one of which serves catalogs again:
// their answers are the same, and most are not compiled.
func TestReuse(t *testing.T) {
	r := start(t, `
-- production/environment.conf --
modulepath = modules
-- production/hiera.yaml --
version: 5
hierarchy:
  - name: all
    paths: ["%{facts.role}.yaml", "all.yaml"]
-- production/data/all.yaml --
m::x: 1
-- production/data/web.yaml --
m::x: 2
-- production/manifests/site.pp --
include m
-- production/modules/m/manifests/init.pp --
class m($x = 0) {
  file { '/x': content => "x ${x} ${facts['used']}\n" }
  file { '/t': content => template('m/t.erb') }
  file { '/s': source => 'puppet:///modules/m/f' }
}
-- production/modules/m/templates/t.erb --
<%= @x %>
-- production/modules/m/files/f --
f
`, func(o *serve.Options) {
		o.Reuse = 1 << 20
		o.CodeID, o.CodeContent = script(t, "echo one\n"), script(t, "exit 1\n")
	})
	plain := start(t, "", func(o *serve.Options) {
		o.Environments = []string{r.code}
		o.CodeID, o.CodeContent = script(t, "echo one\n"), script(t, "exit 1\n")
	})
	one, other := r.client(r.sign("agent.example")), plain.client(plain.sign("agent.example"))
	facts := map[string]any{"role": "web", "used": 1}
	random := rand.New(rand.NewPCG(5, 6))
	put := func(name, format string, args ...any) {
		t.Helper()
		path := filepath.Join(r.code, "production", name)
		if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const rounds = 150
	for i := range rounds {
		switch random.IntN(12) {
		case 0:
			facts["used"] = random.IntN(3)
		case 1:
			facts["role"] = []string{"web", "db"}[random.IntN(2)]
		case 2:
			put("data/web.yaml", "m::x: %d\n", random.IntN(3))
		case 3:
			put("data/all.yaml", "m::x: %d\n", random.IntN(3))
		case 4:
			put("modules/m/templates/t.erb", "<%%= @x %%> %d\n", random.IntN(3))
		case 5:
			put("modules/m/files/f", "f %d\n", random.IntN(3))
		case 6:
			put("manifests/site.pp", "%sinclude m\n", strings.Repeat("# a line\n", random.IntN(3)))
		case 7:
			put("modules/m/manifests/new.pp", "class m::new { notify { 'n%d': } }\n", random.IntN(3))
		case 8:
			put("manifests/site.pp", "include m\nnotify { 'n%d': }\n", random.IntN(2))
		}
		facts["uptime"] = random.IntN(1 << 30)
		a := madeAnew.ReplaceAllString(r.catalog(one, "agent.example", "production", facts).body, "")
		b := madeAnew.ReplaceAllString(plain.catalog(other, "agent.example", "production", facts).body, "")
		if a != b {
			t.Fatalf("round %d:\n%s\nfresh:\n%s", i, a, b)
		}
	}
	text := watched(t, r)
	m := regexp.MustCompile(`bunraku_reused_total (\d+)`).FindStringSubmatch(text)
	n := 0
	fmt.Sscan(m[1], &n)
	t.Logf("%d of %d catalogs were served again, all equal to those compiled afresh", n, rounds)
	if n < rounds/3 {
		t.Error("hardly any was served again")
	}
	// What depends on the clock never is.
	put("manifests/site.pp", "notify { \"${Timestamp()}\": }\n")
	first, second := r.catalog(one, "agent.example", "production", facts),
		r.catalog(one, "agent.example", "production", facts)
	if a, b := madeAnew.ReplaceAllString(first.body, ""), madeAnew.ReplaceAllString(second.body, ""); a == b ||
		first.status != 200 {
		t.Errorf("%d %s\n%s", first.status, a, b)
	}
	// Nor is the one of another node.
	put("manifests/site.pp", "notify { $trusted['certname']: }\n")
	r.catalog(one, "agent.example", "production", facts)
	if a := r.catalog(r.client(r.sign("second.example")), "second.example", "production", facts); !strings.Contains(a.body,
		`"title":"second.example"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}
