package lsp_test

import (
	"strings"
	"testing"
)

// TestSecretsOfUnreachedClasses: data of a class that no node has, of which its code makes something Sensitive by way
// of something else, are not shown.
func TestSecretsOfUnreachedClasses(t *testing.T) {
	const data = "data/common.yaml"
	n := navigate(t, map[string]string{
		"environment.conf":  "modulepath = modules\n",
		"facts/a.json":      `{"fqdn": "a"}`,
		"hiera.yaml":        "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"manifests/site.pp": "include web\n",
		"modules/web/manifests/init.pp": "class web ($pw = 'x') {\n  notify { 'x': message => $pw }\n" +
			"  $s = Sensitive(\"${pw}y\")\n}\n",
		"modules/web/manifests/own.pp":   "define web::own (Sensitive[String] $pw) {\n}\n",
		"modules/web/manifests/plain.pp": "define web::plain ($pw) {\n  file { '/p': content => Sensitive($pw) }\n}\n",
		"modules/web/manifests/inner.pp": "class web::inner (Sensitive[String] $pw) {\n}\n",
		"modules/web/functions/mk.pp":    "function web::mk($v) {\n  Sensitive($v)\n}\n",
		"modules/web/manifests/n.pp": `class web::n (
  $w1, $w2, $w3, $w4, $w5, $owns, $owns2, $viadef, $plain,
  Sensitive $dl = Sensitive(lookup('dl')),
) {
  $s = Sensitive($w1)
  web::own { 'x': pw => $w2 }
  $f = web::mk($w3)
  file { '/x': content => Sensitive($w4['a']['pw']) }
  class { 'web::inner': pw => $w5 }
  create_resources('web::own', $owns)
  $owns2.each |$k, $v| { web::own { $k: * => $v } }
  web::plain { 'p': pw => $viadef }
  notify { 'p': message => $plain }
}
`,
		data: "web::n::w1: Quiet-1\nweb::n::w2: Quiet-2\nweb::n::w3: Quiet-3\nweb::n::w4: {a: {pw: Quiet-4}}\n" +
			"web::n::w5: Quiet-5\nweb::n::owns: {o: {pw: Quiet-6}}\nweb::n::owns2: {o: {pw: Quiet-7}}\n" +
			"web::n::viadef: Quiet-8\ndl: Quiet-9\nweb::n::plain: known-1\nweb::pw: known-2\n"})
	n.rest()
	for _, key := range []string{"web::n::w1", "web::n::w2", "web::n::w3", "web::n::w4", "web::n::w5", "web::n::owns:",
		"web::n::owns2", "web::n::viadef", "dl:"} {
		n.ask("textDocument/hover", n.pos(data, key, 1))
		if i := strings.Index(n.all.String(), "Quiet"); i >= 0 {
			t.Errorf("%s: %.200s", key, n.all.String()[max(0, i-100):])
			n.all.Reset()
		}
	}
	n.ask("textDocument/hover", n.pos(data, "web::n::plain", 1))
	n.ask("textDocument/hover", n.pos(data, "web::pw", 1))
	for _, shown := range []string{"known-1", "known-2"} {
		if !strings.Contains(n.all.String(), shown) {
			t.Errorf("%s is hidden", shown)
		}
	}
	n.bye()
}

// TestSensitiveAttribute: what a resource type says is sensitive is not shown where it is given as a plain text, by
// code that nodes come to and by code that none comes to, nor where it comes from.
func TestSensitiveAttribute(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["data/common.yaml"] += "web::token: Quiet-05\nweb::shown: shown-01\n"
	files["modules/web/lib/puppet/type/vault_item.rb"] = `require 'puppet/resource_api'
# sensitive: true
Puppet::ResourceApi.register_type(
  name: 'vault_item',
  attributes: {
    ensure: { type: 'Enum[present, absent]', default: 'present' },
    name: { type: 'String', behaviour: :namevar },
    user: { type: 'Optional[String]', desc: 'a {user}' },
    :secret => { :type => 'Optional[String]', :sensitive => true },
    key: {
      type: 'Optional[Variant[String, Sensitive[String]]]',
    },
  },
)
`
	const manifests = "modules/web/manifests/"
	const initpp, never, own = manifests + "init.pp", manifests + "never.pp", manifests + "own.pp"
	files[initpp] = `class web (Sensitive[String] $pw, String $token, String $shown = '') {
  $key = 'Quiet-01'
  vault_item { 'a': secret => 'Quiet-02', user => 'shown-02' }
  vault_item { 'b': key => $key }
  web::own { 'c': token => $token }
  notify { $shown: }
}
`
	files[own] = "define web::own ($token) {\n  vault_item { $title: secret => $token }\n}\n"
	files[never] = `class web::never (String $pin = 'Quiet-03') {
  $n = 'shown-03'
  vault_item { 'd': secret => $pin, user => $n }
  Vault_item { secret => 'Quiet-04' }
}
`
	n := navigate(t, files)
	n.shows(map[string][]string{
		initpp:             {"key =", "secret", "'a'", "Quiet-02", "user", "key =>", "$key }", "token =", "$token }", "'c'", "shown:"},
		own:                {"token)", "secret", "$token }"},
		never:              {"pin =", "n =", "secret", "$pin", "'d'", "secret => 'Q", "user"},
		"data/common.yaml": {"web::token", "web::shown"}}, "uiet-0", 7)
	for _, want := range []string{"shown-01", "shown-02", "shown-03"} {
		if !strings.Contains(n.all.String(), want) {
			t.Errorf("%s is not shown", want)
		}
	}
}
