package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The secrets of the tree below: in data, in code, in a template, unwrapped into a title and a command, as a number.
var planted = []string{"hunter2-in-data", "Tr0ub4dor-in-code", "s3cr3t-unwrapped", "31337420", "n3ver-run-secret",
	"n3ver-either-1"}

var secretTree = map[string]string{
	"hiera.yaml": "version: 5\ndefaults: { datadir: data, data_hash: yaml_data }\n" +
		"hierarchy:\n  - { name: Node, path: 'nodes/%{trusted.certname}.yaml' }\n  - { name: Common, path: common.yaml }\n",
	"data/common.yaml": "lookup_options:\n  '^vault::.*': { convert_to: Sensitive }\nvault::word: " +
		"hunter2-in-data\nvault::pin: 31337420\n",
	"data/nodes/b.example.yaml": "vault::word: hunter2-in-data-too\n",
	"manifests/site.pp": `class vault($word, $pin) {
  $code = Sensitive('Tr0ub4dor-in-code')
  file { '/etc/word': content => $word, mode => '0600' }
  file { '/etc/both': content => Sensitive("${word.unwrap}:${code.unwrap}"), mode => '0600' }
  file { '/etc/rendered': content => Sensitive(inline_epp('pin=<%= $p %>', { p => $pin.unwrap })) }
  exec { "/bin/login ${Sensitive('s3cr3t-unwrapped').unwrap}": }
  notify { 'plain': message => 'nothing to hide' }
}
class unreached { $never = Sensitive('n3ver-run-secret') notify { 'x': message => Sensitive.new('n3ver-either-1') } }
include vault
`,
	"facts/a.json": `{"fqdn": "a.example", "os": {"family": "Debian", "name": "Debian", "release": {"major": "12"}}}`,
	"facts/b.json": `{"fqdn": "b.example", "os": {"family": "Debian", "name": "Debian", "release": {"major": "12"}}}`,
}

// TestSecrets asks every question there is about everything in a tree full of secrets. None comes back, however spelt.
func TestSecrets(t *testing.T) {
	b := open(t, options(write(t, secretTree)))
	asked := 0
	look := func(path string) string {
		t.Helper()
		asked++
		code, text := b.get(path)
		if code == http.StatusInternalServerError {
			t.Errorf("%s: %s", path, clip(text, 300))
		}
		for _, s := range planted {
			for _, form := range []string{s, url.QueryEscape(s), base64.RawStdEncoding.EncodeToString([]byte(s))} {
				if strings.Contains(text, form) {
					i := strings.Index(text, form)
					t.Errorf("%s shows %s: …%s…", path, s, text[max(0, i-80):min(len(text), i+80)])
				}
			}
		}
		return text
	}
	for what := range b.server.questions() {
		look("/api/" + what)
	}
	for _, q := range append([]string{"hunter", "login", "etc", "vault", "pin", "3133"}, "unwrapped") {
		look("/api/search?q=" + q)
	}
	for _, node := range []string{"a.example", "b.example"} {
		refs := []string{"hiera:vault::word", "hiera:vault::pin", "$vault::word", "$vault::code", "$vault::pin",
			"fact:os.family"}
		for _, r := range b.catalog(node).Resources {
			refs = append(refs, r.Ref())
			for _, p := range r.Params {
				for what := range b.server.questions() {
					look("/api/" + what + "?" + url.Values{"node": {node}, "name": {node}, "ref": {r.Ref()},
						"attribute": {p.Name}}.Encode())
				}
			}
		}
		for _, ref := range refs {
			for what := range b.server.questions() {
				look("/api/" + what + "?" + url.Values{"node": {node}, "name": {node}, "ref": {ref}, "key": {"vault::word"},
					"a": {ref}, "b": {"Notify[plain]"}, "file": {ref}}.Encode())
			}
		}
		for _, file := range []string{"manifests/site.pp", "data/common.yaml", "data/nodes/b.example.yaml"} {
			look("/api/code?" + url.Values{"file": {b.server.opt.Root + "/" + file}}.Encode())
		}
	}
	for _, p := range b.server.site.now().run.Problems {
		look("/api/finding?id=" + p.Fingerprint)
	}
	if text := look("/api/resource?node=a.example&ref=Notify[plain]"); !strings.Contains(text, "nothing to hide") {
		t.Errorf("what is no secret is not shown: %s", text)
	}
	t.Logf("%d questions", asked)
}

// TestHostileText: names and values full of markup and orders come as plain text, and of a length that can be shown.
func TestHostileText(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	b := open(t, options(write(t, map[string]string{
		"manifests/site.pp": "file { \"/tmp/<script>alert(1)</script>\": content => \"</script><img src=x " +
			"onerror=alert(2)>\\u{202e}gpj.exe\\u{1b}[31m\" }\n" +
			"notify { \"\\u{202e}evil\": message => 'turned' }\n" +
			"notify { 'long': message => '" + long + "' }\n",
		"facts/n.json": `{"fqdn": "n.example", "role": "<b>\u202ebold"}`})))
	sum := 0
	for _, path := range []string{"overview", "fleet?facets=1", "node?name=n.example", "facts?node=n.example",
		"resource?node=n.example&ref=Notify[long]", "value?node=n.example&ref=Notify[long]&attribute=message",
		"value?node=n.example&ref=File[/tmp/%3Cscript%3Ealert(1)%3C/script%3E]&attribute=content", "search?q=x",
		"search?q=evil",
		"resource?node=n.example&ref=" + url.QueryEscape(`Notify[\u202eevil]`)} {
		code, text := b.get("/api/" + path)
		if code != http.StatusOK {
			t.Errorf("%s: %d %s", path, code, clip(text, 200))
		}
		if strings.ContainsAny(text, "<>\x1b\u202e") {
			t.Errorf("%s holds what a browser or a reader may obey: %s", path, clip(text, 400))
		}
		if len(text) > 600<<10 {
			t.Errorf("%s is %d bytes long", path, len(text))
		}
		sum += len(text)
	}
	t.Logf("%d KB in all", sum>>10)
}

// TestSecretsOfTrouble: neither what keeps nodes from compiling nor data that nobody asks for show a secret.
func TestSecretsOfTrouble(t *testing.T) {
	words := []string{"w0rd-of-a-wrong-type", "w0rd-in-a-failure", "w0rd-nobody-asks-for", "w0rd-of-a-broken-file",
		"w0rd-in-a-warning", "w0rd-of-another-level", "w0rd-within-a-hash", "w0rd-of-a-title", "w0rd-in-a-plan",
		"w0rd-in-a-template", "w0rd-as-default", "w0rd-that-stands-twice", "w0rd-that-is-first", "w0rd-of-broken-json"}
	b := open(t, options(write(t, map[string]string{
		"hiera.yaml": "version: 5\ndefaults: { datadir: data, data_hash: yaml_data }\nhierarchy:\n" +
			"  - { name: Node, path: 'nodes/%{trusted.certname}.yaml' }\n  - { name: Common, path: common.yaml }\n" +
			"  - { name: Json, data_hash: json_data, path: 'nodes/%{trusted.certname}.json' }\n",
		"data/nodes/f.example.json": `{"vault::f": "w0rd-of-broken-json", oops, "vault::g": "w0rd-of-broken-json"}`,
		"data/nodes/g.example.json": `{"vault::g": ["w0rd-of-broken-json" "w0rd-of-broken-json"]}`,
		"data/common.yaml": "lookup_options:\n  '^vault::.*': { convert_to: Sensitive }\n" +
			"vault::wrong: w0rd-of-a-wrong-type\nvault::said: w0rd-in-a-failure\nvault::nobody: w0rd-nobody-asks-for\n" +
			"vault::warned: w0rd-in-a-warning\nvault::nested:\n  user: me\n  word: w0rd-within-a-hash\n" +
			"vault::twice: w0rd-that-is-first\nvault::twice: w0rd-that-stands-twice\n",
		"data/nodes/d.example.yaml": "vault::nested:\n  word: w0rd-of-another-level\n",
		"data/nodes/c.example.yaml": "vault::x: w0rd-of-a-broken-file\nvault::y: [w0rd-of-a-broken-file\n",
		"manifests/site.pp": `class vault::typed(Integer $n) {}
class vault::dflt(Sensitive $w = Sensitive('w0rd-as-default')) { file { '/d': content => $w } }
class vault::given($p) { notify { $p: } }
node 'f.example' { notify { lookup('vault::f'): } }
node 'g.example' { include vault::given }
node 'a.example' { class { 'vault::typed': n => lookup('vault::wrong').unwrap } }
node 'b.example' { fail("no ${lookup('vault::said').unwrap}") }
node 'c.example' { notify { lookup('vault::x').unwrap: } }
node 'd.example' {
  warning("beware of ${lookup('vault::warned').unwrap}")
  file { '/n': content => lookup('vault::nested').unwrap['word'] }
  file { "/t/${Sensitive('w0rd-of-a-title').unwrap}": ensure => present }
  file { "/t/${Sensitive('w0rd-of-a-title').unwrap}/x": ensure => present, source => 'http://[' }
  file { '/e': content => epp('/nowhere') }
}
node 'e.example' {
  include vault::dflt
  exec { "/bin/a ${lookup('vault::nested').unwrap['word']}": }
  exec { "/bin/b ${lookup('vault::nested').unwrap['word']}": require => Exec["/bin/a ${lookup('vault::nested').unwrap['word']}"] }
  notify { 'dup': } notify { 'dup': message => Sensitive('w0rd-in-a-template') }
}
`,
		"facts/a.json": `{"fqdn": "a.example"}`, "facts/b.json": `{"fqdn": "b.example"}`,
		"facts/c.json": `{"fqdn": "c.example"}`, "facts/d.json": `{"fqdn": "d.example"}`,
		"facts/f.json": `{"fqdn": "f.example"}`, "facts/g.json": `{"fqdn": "g.example"}`,
		"facts/e.json": `{"fqdn": "e.example"}`})))
	look := func(path string) {
		t.Helper()
		_, text := b.get(path)
		for _, w := range words {
			if i := strings.Index(text, w); i >= 0 {
				t.Errorf("%s shows %s: …%s…", path, w, text[max(0, i-80):min(len(text), i+80)])
			}
		}
	}
	for what := range b.server.questions() {
		for _, node := range []string{"", "a.example", "b.example", "c.example", "d.example", "e.example", "f.example",
			"g.example"} {
			for _, key := range []string{"", "vault::nobody", "vault::nested", "vault::wrong", "vault::x"} {
				look("/api/" + what + "?" + url.Values{"node": {node}, "name": {node}, "key": {key}, "ref": {"hiera:" + key},
					"q": {"w0rd"}}.Encode())
			}
			look("/api/" + what + "?" + url.Values{"node": {node}, "name": {node}}.Encode())
		}
		for _, file := range []string{"manifests/site.pp", "data/common.yaml", "data/nodes/c.example.yaml",
			"data/nodes/f.example.json"} {
			look("/api/" + what + "?" + url.Values{"file": {b.server.opt.Root + "/" + file}}.Encode())
		}
	}
	for _, p := range b.server.site.now().run.Problems {
		look("/api/finding?id=" + p.Fingerprint)
	}
}
