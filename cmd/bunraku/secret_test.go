package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/explain"
	"bunraku/report/redact"

	"github.com/smallstep/pkcs7"
)

// eyaml makes a pair of keys in a directory and encrypts a text with them.
func eyaml(t *testing.T, dir, text string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0),
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	cert, err := x509.ParseCertificate(der)
	must(t, err)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "public.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		0o644))
	must(t, os.WriteFile(filepath.Join(dir, "private.pem"),
		pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600))
	closed, err := pkcs7.Encrypt([]byte(text), []*x509.Certificate{cert})
	must(t, err)
	return "ENC[PKCS7," + base64.StdEncoding.EncodeToString(closed) + "]"
}

// TestSecretsAreNowhere plants secrets of every kind where they end up in titles, paths, commands and messages, and
// looks for them in all that check, verify and explain print in every format, and in the files that they and compile
// write beside the catalog.
func TestSecretsAreNowhere(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"hiera.yaml": `version: 5
defaults: {datadir: data}
hierarchy:
  - {name: Closed, path: closed.yaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: keys/private.pem, pkcs7_public_key: keys/public.pem}}
`,
		"manifests/site.pp": "include app\n",
		"modules/app/manifests/init.pp": `class app (Sensitive[String] $password, String $token, Sensitive[String] $pem) {
  exec { 'whole': command => Sensitive('/opt/tool --pw planted-literal') }
  exec { 'part': command => "/usr/bin/mysql -p${password.unwrap} -e 'create database a very long text that is cut somewhere'" }
  exec { 'cut': command => "/opt/tool --a-very-long-option=xxxxxxxxxxxxxxxxxxxxxxxxxxx ${password.unwrap}" }
  exec { "title ${token}": command => "/opt/register ${token}" }
  exec { 'made': command => "/bin/mkdir /srv/${password.unwrap}" }
  file { "/srv/of-${token}": content => $password.unwrap }
  file { '/etc/app/key': content => $pem, notify => Service['app'] }
  file { '/etc/app/app.conf': content => "password=${password.unwrap}\ntoken=${token}\n" }
  service { 'app': ensure => running }
  notify { 'n': message => "${password.unwrap} ${token}" }
  warning("with ${password.unwrap} and ${token}")
  $local = Sensitive("planted-local <&'%\" x")
  exec { "/opt/other ${local.unwrap}": }
}
`,
		"facts/a.json": strings.Replace(facts12, "NAME", "a.example", 1),
	})
	t.Chdir(repo)
	pem := "-----BEGIN KEY-----\nplanted-pem-line-one\nplanted-pem-line-two\n-----END KEY-----\n"
	must(t, os.Mkdir("data", 0o755))
	must(t, os.WriteFile("data/closed.yaml", []byte("app::password: \"planted-password\"\napp::token: \""+
		eyaml(t, "keys", "planted-token")+"\"\napp::pem: |\n  "+
		strings.ReplaceAll(strings.TrimSpace(pem), "\n", "\n  ")+
		"\nlookup_options:\n  app::password: {convert_to: Sensitive}\n  app::pem: {convert_to: Sensitive}\n"), 0o644))
	look := func(what, text string, words ...string) {
		t.Helper()
		for _, w := range append(words, "planted") {
			if i := strings.Index(text, w); i >= 0 {
				t.Errorf("%s shows %s: …%s…", what, w, text[max(0, i-60):min(len(text), i+60)])
				return
			}
		}
	}
	for _, command := range [][]string{{"check", "--write-baseline", "base.json"}, {"check"}, {"verify", "."}} {
		for _, format := range formats {
			_, out, errText := call(append(command, "--format", format)...)
			if !strings.Contains(out, "title "+redact.Blot) && len(command) == 1 && format != "json" {
				t.Errorf("%v %s does not speak of Exec[title …]:\n%s", command, format, out)
			}
			look(command[0]+" "+format, out+errText)
		}
	}
	base, err := os.ReadFile("base.json")
	must(t, err)
	look("the baseline", string(base))
	_, patch, errText := call("check", "--fix")
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "+") {
			look("a line of the patch", line)
		}
	}
	look("check --fix", errText)
	code, out, errText := call("compile", ".", "--provenance", "side.json")
	if code != exitFine || !strings.Contains(out, "planted-password") || !strings.Contains(out, "planted-token") {
		t.Errorf("the catalog is not whole: exit %d\n%s", code, out)
	}
	look("compile", errText)
	side, err := os.ReadFile("side.json")
	must(t, err)
	said, err := explain.Texts(side)
	must(t, err)
	if !strings.Contains(said, "app::token") {
		t.Error("the side file says nothing of the key")
	}
	look("the side file", said)
	for _, question := range [][]string{{"Class[app]"}, {"Class[app]", "token"}, {"Class[app]", "password"},
		{"$app::token"}, {"$app::local"}, {"hiera:app::token"}, {"hiera:app::password"},
		{"hiera:app::pem"}, {"Exec[part]", "command"}, {"Exec[whole]", "command"}, {"Notify[n]", "message"},
		{"File[/etc/app/app.conf]", "content"}, {"File[/etc/app/key]", "content"},
		{"--why-not", "Notify[m]"}, {"--reaches", "hiera:app::token"}, {"--reaches", "hiera:app::password"},
		{"nothing-like-it"}} {
		for _, view := range [][]string{nil, {"--where"}, {"--expression"}, {"--dependency"}, {"--format", "json"},
			{"--from", "side.json"}} {
			_, out, errText := call(append(append([]string{"explain", "."}, question...), view...)...)
			if strings.Contains(errText, "bug") {
				t.Errorf("explain %v %v: %s", question, view, errText)
			}
			look(strings.Join(append(question, view...), " "), out+errText)
		}
	}
}

// TestDecrypted: what was encrypted is secret also where nobody makes it Sensitive, however short it is and whatever
// the code makes of it, to who asks explain and in an editor.
func TestDecrypted(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"hiera.yaml": `version: 5
defaults: {datadir: data}
hierarchy:
  - {name: Closed, path: closed.yaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: keys/private.pem, pkcs7_public_key: keys/public.pem}}
`,
		"manifests/site.pp": "include app\n",
		"modules/app/manifests/init.pp": `class app (String $pin, Integer $port = 8080) {
  $up = upcase($pin)
  $text = "<${pin}>"
  $next = $port + 1
  notify { "with ${up}": message => $text }
}
`,
		"facts/a.json": strings.Replace(facts12, "NAME", "a.example", 1),
	})
	t.Chdir(repo)
	must(t, os.Mkdir("data", 0o755))
	must(t, os.WriteFile("data/closed.yaml", []byte("app::pin: \""+eyaml(t, "keys", "qz9")+"\"\n"), 0o644))
	for _, ref := range []string{"$app::pin", "$app::up", "$app::text", "hiera:app::pin", "Class[App]"} {
		code, out, errText := call("explain", ".", ref)
		if strings.Contains(out+errText, "qz9") || strings.Contains(out+errText, "QZ9") || code != exitFine {
			t.Errorf("%s: %d %s %s", ref, code, out, errText)
		}
	}
	w := newWire(t, map[string]any{}, repo)
	uri := "file://" + repo + "/modules/app/manifests/init.pp"
	place := func(line, character int) map[string]any { return map[string]any{"line": line, "character": character} }
	in := map[string]any{"uri": uri}
	var hints []any
	for range 600 { // until the node has been compiled
		result, _ := w.ask("textDocument/inlayHint", map[string]any{"textDocument": in,
			"range": map[string]any{"start": place(0, 0), "end": place(9, 0)}})
		if hints = result.([]any); len(hints) > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if len(hints) != 1 || hints[0].(map[string]any)["label"] != " 8081" {
		t.Errorf("hints: %v", hints)
	}
	for line, column := range []int{8, 4, 4} {
		w.ask("textDocument/hover", map[string]any{"textDocument": in, "position": place(line, column)})
		w.command("bunraku.explain.at", map[string]any{"textDocument": in, "position": place(line, column)})
	}
	w.bye()
	if all := w.all.String(); strings.Contains(all, "qz9") || strings.Contains(all, "QZ9") {
		t.Error(all)
	}
}

// TestQuotedSecrets: a datum that lookup_options make Sensitive is shown to nobody who asks for what quotes it.
func TestQuotedSecrets(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"hiera.yaml": "version: 5\nhierarchy: [{name: Common, path: common.yaml}]\n",
		"data/common.yaml": "a1: planted-1\nb1: \"%{lookup('a1')} tail\"\na2: {pw: planted-2}\nb2: \"%{hiera('a2.pw')} t\"\n" +
			"pat_3: planted-3\nb3: [\"%{lookup('pat_3')}\"]\na4: 4242991\nc4: \"c %{lookup('a4')}\"\nb4: \"%{lookup('c4')}\"\n" +
			"a5: planted-5\napp::text: \"%{lookup('a5')} tail\"\n" +
			"lookup_options:\n  a1: {convert_to: Sensitive}\n  a2: {convert_to: Sensitive}\n  '^pat_': {convert_to: Sensitive}\n" +
			"  a4: {convert_to: Sensitive}\n  a5: {convert_to: Sensitive}\n",
		"manifests/site.pp": "$v1 = lookup('b1')\n$v2 = lookup('b2')\n$v3 = lookup('b3')\n$v4 = lookup('b4')\n" +
			"$v6 = \"y ${lookup('a1')}\"\ninclude app\nnotify { 'n': message => $v1 }\n",
		"modules/app/manifests/init.pp": "class app ($text) {\n  notify { 'x': message => $text }\n}\n",
		"facts/a.json":                  strings.Replace(facts12, "NAME", "a.example", 1),
	})
	t.Chdir(repo)
	look := func(what, text string) {
		t.Helper()
		for _, secret := range []string{"planted", "4242991"} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s: …%s…", what, text[max(0, i-100):i+10])
			}
		}
	}
	for _, ref := range []string{"$v1", "$v2", "$v3", "$v4", "$v6", "$app::text", "Notify[x]", "Notify[n]",
		"Class[App]", "hiera:b1", "hiera:a1"} {
		for _, more := range [][]string{nil, {"--all"}, {"--format", "json"}} {
			code, out, errText := call(append([]string{"explain", ".", ref}, more...)...)
			if look(ref, out+errText); code != exitFine {
				t.Errorf("%s: %d %s", ref, code, errText)
			}
		}
	}
	if code, _, errText := call("compile", ".", "--provenance", "side.json"); code != exitFine {
		t.Error(errText)
	}
	side, err := os.ReadFile("side.json")
	must(t, err)
	said, err := explain.Texts(side)
	must(t, err)
	look("the side file", said)
}

// TestSharedSecrets: a datum that lookup_options make Sensitive is as secret under another key, which has it by an
// alias or a merge of YAML, whichever of them is looked up.
func TestSharedSecrets(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"hiera.yaml": "version: 5\nhierarchy: [{name: Common, path: common.yaml}]\n",
		"data/common.yaml": "a1: &a planted-1\na2: *a\nb1: &b planted-2\nb2: *b\nb3: {user: x, pw: *b}\n" +
			"app::h: &h {pw: planted-3}\nh2:\n  <<: *h\n  x: 1\nother: &o shown-1\nmore: [*o]\n" +
			"lookup_options:\n  a1: {convert_to: Sensitive}\n  b2: {convert_to: [Sensitive]}\n  '^app::h$': {convert_to: Sensitive}\n",
		"manifests/site.pp": "$v1 = lookup('a2')\n$v2 = lookup('b1')\n$v3 = lookup('b3')\n$v4 = lookup('more')\n" +
			"$v5 = \"y ${v1}\"\nnotify { 'n': message => $v1 }\n",
		"facts/a.json": strings.Replace(facts12, "NAME", "a.example", 1),
	})
	t.Chdir(repo)
	look := func(what, text string) {
		t.Helper()
		if i := strings.Index(text, "planted"); i >= 0 {
			t.Errorf("%s: …%s…", what, text[max(0, i-100):i+10])
		}
	}
	for _, ref := range []string{"$v1", "$v2", "$v3", "$v4", "$v5", "Notify[n]", "hiera:a1", "hiera:a2", "hiera:b1", "hiera:b3",
		"hiera:app::h", "hiera:h2", "hiera:more"} {
		for _, more := range [][]string{nil, {"--all"}, {"--format", "json"}} {
			code, out, errText := call(append([]string{"explain", ".", ref}, more...)...)
			if look(ref, out+errText); code != exitFine {
				t.Errorf("%s: %d %s", ref, code, errText)
			}
			if strings.HasSuffix(ref, "more") && !strings.Contains(out, "shown-1") {
				t.Errorf("%s: %s", ref, out)
			}
		}
	}
	if code, _, errText := call("compile", ".", "--provenance", "side.json"); code != exitFine {
		t.Error(errText)
	}
	side, err := os.ReadFile("side.json")
	must(t, err)
	said, err := explain.Texts(side)
	must(t, err)
	look("the side file", said)
}

// TestRotatedInEditor: an editor that asks what the work tree changes is shown neither the old password nor the new
// one, nor what the code makes of them.
func TestRotatedInEditor(t *testing.T) {
	shop := newRepository(t)
	set := func(password string) {
		must(t, os.WriteFile(filepath.Join(shop.dir, "manifests", "site.pp"), []byte("$pw = Sensitive('"+password+
			"')\n$up = upcase($pw.unwrap)\nfile { \"/srv/${up}\": content => $up }\nnotify { 'n': message => $up }\n"), 0o644))
	}
	set("old-planted-1")
	shop.commit("the first")
	shop.git("branch", "-f", "main")
	set("new-planted-2")
	w := newWire(t, map[string]any{}, shop.dir)
	text, _ := w.command("bunraku.diff.tree").(string)
	w.bye()
	if !strings.Contains(text, "File["+redact.Blot+"]") || strings.Contains(strings.ToLower(w.all.String()), "planted") {
		t.Error(text)
	}
}
