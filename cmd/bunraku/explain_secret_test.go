package main

import (
	"strings"
	"testing"
)

// TestExplainSecretLines: a line that is shown may have more on it than is asked about: what a branch makes Sensitive
// that was not taken, and what the same hash in braces has for other keys.
func TestExplainSecretLines(t *testing.T) {
	dir := writeRepo(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		"facts/a.json":     `{"fqdn": "a"}`,
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: J\n    path: j.json\n    data_hash: json_data\n" +
			"  - name: C\n    path: c.yaml\n",
		"data/j.json": `{"jq": "plain", "web::n::p": "Quiet-01", "more": {"a": "v", "b": "w,}"}}` + "\n",
		"data/c.yaml": "# all\n{cq: plain2, \"web::n::q\": Quiet-02, lo: Quiet-03, " +
			"lookup_options: {lo: {convert_to: Sensitive}}}\n",
		"manifests/site.pp":          "include web\n",
		"modules/web/manifests/n.pp": "class web::n (Sensitive $p, Sensitive $q) {\n}\n",
		"modules/web/manifests/init.pp": `class web (Optional[Sensitive] $x = undef) {
  $j = lookup('jq')
  $c = lookup('cq')
  $a = lookup('more.a')
  if $facts['never'] { $n = Sensitive('Quiet-09') } else { $n = 'no' }
  $m = $facts['never'] ? { 1 => Sensitive('Quiet-10'), default => 'no' }
  $o = $facts['never'] ? { 1 => Sensitive.new("Quiet-11"), default => 'no' }
  notify { "${j} ${c} ${a} ${n} ${m} ${o}": }
}
`})
	for _, c := range []struct{ ref, has string }{{"$web::j", "jq"}, {"$web::c", "cq: plain2"}, {"$web::a", "'v'"},
		{"$web::n", "init.pp:5"}, {"$web::m", "init.pp:6"}, {"$web::o", "init.pp:7"},
		{"Notify[plain plain2 v no no no]", "init.pp:8"}} {
		for _, more := range [][]string{nil, {"--format", "json"}, {"--dependency"}, {"--all"}, {"--expression"}} {
			_, out, errs := call(append([]string{"explain", dir, "--node", "a", c.ref}, more...)...)
			if strings.Contains(out+errs, "Quiet") || more == nil && !strings.Contains(out, c.has) {
				t.Errorf("%s %v:\n%s%s", c.ref, more, out, errs)
			}
		}
	}
	for _, place := range []string{"data/c.yaml:2", "data/j.json:1", "modules/web/manifests/init.pp:5"} {
		for _, format := range []string{"text", "json"} {
			_, out, errs := call("explain", dir, "--reaches", place, "--format", format)
			if strings.Contains(out+errs, "Quiet") {
				t.Errorf("%s:\n%s%s", place, out, errs)
			}
		}
	}
}
