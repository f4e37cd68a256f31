package lsp_test

import (
	"strings"
	"testing"
)

// TestSensitiveByType: a literal is as secret if the type that makes it Sensitive is handed round or stands in another,
// or a function of Ruby's encrypts it, in code that no node comes to.
func TestSensitiveByType(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const never = "modules/web/manifests/never.pp"
	files["modules/crypt/lib/puppet/functions/node_encrypt.rb"] = "Puppet::Functions.create_function(:node_encrypt) do\n" +
		"  def e(x)\n    PuppetX::NodeEncrypt.encrypt(x, closure_scope['clientcert'])\n  end\nend\n"
	files["modules/crypt/lib/puppet/functions/plain.rb"] = "# does not encrypt\nPuppet::Functions." +
		"create_function(:plain) do\n  def p(x)\n    x\n  end\nend\n"
	files[never] = `class web::never ($by = Sensitive) {
  $t = Sensitive
  $a = $t.new('Quiet-01')
  $u = [String, Sensitive[String]]
  $b = $u.map |$ty| { $ty.new('Quiet-02') }
  $c = 'Quiet-03'.convert_to($t)
  $d = Optional[Sensitive[String]].new('Quiet-04')
  $e = Deferred('new', [Sensitive, 'Quiet-05'])
  $f = call('new', Sensitive, 'Quiet-06')
  $g = $by.new('Quiet-07')
  $h = node_encrypt('Quiet-08')
  $i = 'Quiet-09'.node_encrypt
  $j = Deferred('inline_epp', ['<%= Sensitive($pw) %> <%= $n %>', { 'pw' => 'Quiet-10', 'n' => 'shown-04' }])
  $k = String
  $l = $k.new('shown-01')
  $m = plain('shown-02')
  $n = Optional[String].new('shown-03')
}
`
	n := navigate(t, files)
	var words []string
	for c := 'a'; c <= 'n'; c++ {
		words = append(words, string(c)+" =")
	}
	n.shows(map[string][]string{never: append(words, "web::never")}, "uiet-", 10)
	for _, want := range []string{"shown-01", "shown-02", "shown-03"} {
		if !strings.Contains(n.all.String(), want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

// TestSecretDataUnread: what data that no node reads make Sensitive is shown as little where others are read; nor is a
// hash that a secret key has by its name.
func TestSecretDataUnread(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["modules/web/manifests/init.pp"] = "class web (Sensitive[String] $pw) {\n}\n"
	files["modules/web/types/secret.pp"] = "type Web::Secret = Sensitive[String]\n"
	files["modules/web/manifests/never.pp"] = "class web::never (Hash[String, Sensitive] $h) {\n}\n"
	files["data/common.yaml"] += "k1: Quiet-01\npre_2: Quiet-02\nk3: {pw: Quiet-03}\nk4: shown-01\nk5: Quiet-05\n" +
		"web::never::h: \"%{alias('base')}\"\nbase: {pw: Quiet-04}\n"
	files["data/never.yaml"] = "lookup_options:\n  k1: {convert_to: Sensitive}\n  '^pre_': {convert_to: [Sensitive]}\n" +
		"  k3: {convert_to: 'Web::Secret'}\n  k4: {merge: first}\nother: \"%{lookup('k5')}\"\n"
	files["modules/web/data/other.yaml"] = "lookup_options:\n  other: {convert_to: Sensitive}\n"
	n := navigate(t, files)
	n.shows(map[string][]string{"data/common.yaml": {"k1", "pre_2", "k3", "k4", "k5", "base:", "web::never::h"},
		"data/never.yaml": {"k1", "pre_", "k3", "other", "k5"}}, "uiet-", 5)
	if !strings.Contains(n.all.String(), "shown-01") {
		t.Error("nothing is shown")
	}
}

// TestSensitiveElsewhere: a variable that a node has as a plain text is a secret if code that the node has not makes it
// Sensitive.
func TestSensitiveElsewhere(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["manifests/site.pp"] = "$top = 'Quiet-01'\n$pin = 77712301\n$other = 'shown-01'\nnode default {\n" +
		"  include web\n}\n"
	files["modules/web/manifests/init.pp"] = "class web (Sensitive[String] $pw, $given = 'Quiet-03') {\n  $set = 'Quiet-04'\n" +
		"  $plain = 'shown-02'\n}\n"
	files["modules/web/manifests/never.pp"] = "class web::never {\n  $a = Sensitive($top)\n  $b = Sensitive(\"x${::pin}\")\n" +
		"  $c = Sensitive($web::given)\n  $d = Sensitive($web::set)\n  $e = $other\n}\n"
	n := navigate(t, files)
	n.shows(map[string][]string{"manifests/site.pp": {"top", "pin", "other"},
		"modules/web/manifests/init.pp":  {"given", "set", "plain"},
		"modules/web/manifests/never.pp": {"top", "pin", "given", "set", "other"}}, "uiet-0", 5)
	all := n.all.String()
	if strings.Contains(all, "777123") || !strings.Contains(all, "shown-01") || !strings.Contains(all, "shown-02") {
		t.Error("the number is shown, or nothing")
	}
}
