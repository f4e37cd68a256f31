package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// badSite is a control repo whose data do not fit its classes; each case brings its own site.pp.
func badSite(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"environment.conf": "modulepath = modules\n",
		"hiera.yaml": "---\nversion: 5\nhierarchy:\n  - name: Node\n    path: \"nodes/%{trusted.certname}.yaml\"\n  " +
			"- name: Common\n    path: common.yaml\n",
		"data/common.yaml": "---\nweb::workers: \"4\"\nweb::classes:\n  - web::ok\n  - web::okk\nweb::users:\n  - ada\n  - " +
			"bob\n  - ada\nsecret: hunter2-datum\n" +
			"db::password: hunter2-param\nport: 8080\n",
		"modules/web/manifests/init.pp":    "class web (\n  Integer $workers = 2,\n) { }\n",
		"modules/web/manifests/ok.pp":      "class web::ok { }\n",
		"modules/web/manifests/missing.pp": "class web::missing (\n  Integer $needed,\n) { }\n",
		"modules/web/manifests/vhost.pp":   "define web::vhost (\n  Integer $port,\n) { }\n",
		"modules/web/functions/twice.pp":   "function web::twice(Integer $n) {\n  $n * 2\n}\n",
		"modules/db/manifests/init.pp": "class db (\n  Sensitive[String] $password,\n) {\n  file { '/pw': content => " +
			"$password }\n}\n",
		"modules/db/manifests/strict.pp": "class db::strict (\n  Enum['a', 'b'] $mode,\n) { }\n",
		"modules/db/templates/conf.epp":  "<%- | Integer $pw | -%>\npw = <%= $pw %>\n",
		"facts/n1.json":                  `{"name": "n1", "values": {"os": {"family": "Debian"}, "role": "web"}}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func setSite(t *testing.T, dir, code string) {
	path := filepath.Join(dir, "manifests", "site.pp")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(code+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestErrorOrigins: an error says where the value came from that does not fit, through Hiera, defaults and variables.
func TestErrorOrigins(t *testing.T) {
	dir := badSite(t)
	for _, c := range []struct {
		code string
		want []string
	}{
		{"include web", []string{"parameter 'workers' expects an Integer value, got String", "site.pp:1:1",
			"data/common.yaml:2:15", `2 | web::workers: "4"`, `this value, by automatic parameter lookup (level "Common")`,
			"modules/web/manifests/init.pp:2:3", "the parameter is declared here", "help: write 4 without quotes"}},
		{"$n = lookup('web::workers')\n$m = $n\nclass { 'web': workers => $m }", []string{"expects an Integer", "site.pp:3:1",
			"site.pp:2:1", "$m is set here", "site.pp:1:1", "$n is set here",
			"data/common.yaml:2:15", `Hiera key web::workers (level "Common")`, "declared here"}},
		{"web::vhost { 'a': port => $facts['role'] }",
			[]string{"Web::Vhost[a]: parameter 'port' expects an Integer value, got String", "this value: the fact role, 'web'",
				"vhost.pp:2:3"}},
		{"web::vhost { 'a': }", []string{"expects a value for parameter 'port'", "vhost.pp:2:3",
			"declared here and has no default", "help: give port a value where Web::Vhost[a] is declared"}},
		{"include web::missing", []string{"expects a value for parameter 'needed'", "missing.pp:2:3",
			"Hiera has no key web::missing::needed in ", "data/common.yaml",
			"help: give the parameter a default, or Hiera the key"}},
		{"include lookup('web::classes')", []string{"Could not find class ::web::okk", "data/common.yaml:5:5", "- web::okk",
			"Hiera key web::classes", "did you mean web::ok?"}},
		{"hiera_include('web::classes')", []string{"Could not find class ::web::okk", "data/common.yaml:5:5"}},
		{"lookup('web::classes').each |$c| { class { $c: } }", []string{"Could not find declared class web::okk",
			"data/common.yaml:5:5"}},
		{"lookup('web::users').each |$u| {\n  notify { $u: }\n}", []string{"Duplicate declaration: Notify[ada]",
			"declared again here", "declared here first", "data/common.yaml:9:5", "this title", "data/common.yaml:7:5"}},
		{"$n = lookup('web::users')\n$x = $n * 2", []string{"cannot be converted to Numeric", "site.pp:2:6", "site.pp:1:1",
			"$n is set here", "data/common.yaml:7:3"}},
		{"$n = lookup('web::users')\n$x = $n[0] - 1", []string{"cannot be converted to Numeric", "data/common.yaml:7:5",
			"- ada"}},
		{"$n = lookup('port')\n$x = $n ? { 80 => 'a' }",
			[]string{"No matching entry for selector parameter with value '8080'", "data/common.yaml:12:7"}},
		{"$x = lookup('none', undef, undef, undef)\n$y = $x['a']", []string{"not applicable to an Undef Value", "site.pp:1:1",
			"$x is set here"}},
		{"$n = lookup('web::workers')\n$x = web::twice($n)",
			[]string{"'web::twice' parameter 'n' expects an Integer value, got String", "$n is set here",
				"data/common.yaml:2:15"}},
		{"$n = lookup('web::workers')\n$x = sprintf($n, 1).join($n)", []string{"'join'", "got String"}},
		{"$h = { 'mesage' => 'x' }\nnotify { 'a': * => $h }", []string{"no parameter named 'mesage' on Notify[a]",
			"this attribute", "site.pp:1:20", "did you mean message?"}},
		{"$p = lookup('port')\nif $p > 1024 { fail('high') }", []string{"high", "site.pp:2:16", "site.pp:2:4",
			"because this is true", "data/common.yaml:12:7", "it looks at this"}},
		{"case $facts['os']['family'] {\n  'RedHat': { }\n  default: { fail('no') }\n}",
			[]string{"because this takes the option default", "it looks at this: the fact os.family"}},
	} {
		setSite(t, dir, c.code)
		code, out, text := call("compile", dir, "--facts", "facts/n1.json", "--strict", "warning")
		if code != exitFailed || out != "" {
			t.Errorf("%s: exit %d\n%s", c.code, code, out)
		}
		rest := text
		for _, w := range c.want {
			i := strings.Index(rest, w)
			if i < 0 {
				t.Errorf("%s: %q is missing, or not in its place, in\n%s", c.code, w, text)
				break
			}
			rest = rest[i+len(w):]
		}
		if _, out, err := call("check", dir); !strings.Contains(out+err, c.want[0]) {
			t.Errorf("check: %s: %q is missing in\n%s", c.code, c.want[0], out+err)
		}
	}
}

// TestErrorsKeepSecrets: a compile that fails near a secret does not show it: neither its line nor, unwrapped, its
// text.
func TestErrorsKeepSecrets(t *testing.T) {
	dir := badSite(t)
	for _, code := range []string{
		"class { 'db': password => lookup('secret') }",
		"class { 'db': password => 'hunter2-literal' }",
		"include db",
		"$p = Sensitive(lookup('secret'))\nclass { 'web': workers => $p }",
		"$p = Sensitive('hunter2-literal')\n$x = $p + 1",
		"$x = Sensitive('hunter2-literal') + 1",
		"$p = Sensitive(lookup('secret'))\n$x = $p.unwrap ? { 'a' => 1 }",
		"$x = Sensitive(lookup('secret')).unwrap * 2",
		"$p = Sensitive('hunter2-literal')\nclass { 'db::strict': mode => $p.unwrap }",
		"$p = Sensitive(lookup('secret'))\nnotify { $p.unwrap: }\nnotify { $p.unwrap: }",
		"$p = Sensitive(lookup('secret'))\ninclude $p.unwrap",
		"$p = Sensitive(lookup('secret'))\n$x = epp('db/conf.epp', { 'pw' => $p.unwrap })",
		"$p = Sensitive(lookup('secret'))\nfail(\"no ${p.unwrap}\")",
		"$p = Sensitive(lookup('secret'))\nif $p.unwrap == 'hunter2-datum' { fail('x') }",
		"$p = Sensitive(lookup('secret'))\nnotify { 'a': require => File[$p.unwrap] }",
		"$p = Sensitive('hunter2-literal')\nnotify { 'a': nope => $p }",
	} {
		setSite(t, dir, code)
		for _, args := range [][]string{{"compile", dir, "--facts", "facts/n1.json"},
			{"compile", dir, "--facts", "facts/n1.json", "--provenance", filepath.Join(dir, "side.json")},
			{"check", dir}, {"check", dir, "--format", "json"}, {"explain", dir, "--facts", "facts/n1.json", "Class[main]"}} {
			status, out, err := call(args...)
			if status != exitFailed {
				t.Errorf("%v %s: exit %d", args, code, status)
			}
			if text := out + err; strings.Contains(text, "hunter2") {
				t.Errorf("%s: %v shows the secret:\n%s", code, args[0], text)
			}
		}
	}
}
