package lsp_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// withPassword is a tree with a class that has a password from the data.
func withPassword(password string) map[string]string {
	return map[string]string{
		"environment.conf":  "modulepath = modules\n",
		"facts/a.json":      `{"fqdn": "a"}`,
		"hiera.yaml":        "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml":  "web::pw: " + password + "\nlookup_options:\n  web::pw:\n    convert_to: Sensitive\n",
		"manifests/site.pp": "include web\n",
		"modules/web/manifests/init.pp": `class web (
  Sensitive[String] $pw,
  Integer $port = 3,
  String $word = 'listen',
) {
  $listening = 1
  notify { "${port} ${word}": mesage => 'x' }
}
`,
	}
}

// TestPasswordIsAWord: a password may be a word of the protocol, a directory or a name. The protocol and the paths stay
// what they are; what somebody would write into a file is true, or not offered.
func TestPasswordIsAWord(t *testing.T) {
	const initpp = "modules/web/manifests/init.pp"
	for _, password := range []string{"manifests", "file", "markdown", "publishDiagnostics", "bunraku", "changes"} {
		n := navigate(t, withPassword(password))
		path := filepath.Join(n.dir, initpp)
		n.wait(password+": a problem", func() bool { return len(n.told(path)) == 1 })
		edit, why := n.renameIn(initpp, "port =", 1, "number")
		if why != "" {
			t.Fatalf("%s: %s", password, why)
		}
		if text := n.written(edit)[initpp]; !strings.Contains(text, "$number = 3") || strings.Contains(text, "port") {
			t.Errorf("%s: %s", password, text)
		}
		n.bye()
	}
	n := navigate(t, withPassword("listen"))
	n.wait("a problem", func() bool { return len(n.told(filepath.Join(n.dir, initpp))) == 1 })
	if edit, why := n.renameIn(initpp, "port =", 1, "listen"); edit != nil || !strings.Contains(why, "Sensitive") {
		t.Errorf("a secret in a name: %v %s", edit, why)
	}
	n.open(filepath.Join(n.dir, initpp), strings.Replace(n.text(initpp), "mesage", "message", 1))
	n.rest()
	p := n.pos(initpp, "word =", 1)
	actions := n.ask("textDocument/codeAction", map[string]any{"textDocument": p["textDocument"], "range": empty(p),
		"context": map[string]any{"diagnostics": []any{}}}).([]any)
	offers := n.ask("textDocument/completion", n.pos(initpp, "istening", 1)).(map[string]any)["items"].([]any)
	n.bye()
	if all := n.all.String(); len(actions) > 0 || len(offers) > 0 || strings.Contains(all, "listen") ||
		strings.Contains(all, `"newText":"[value`) {
		t.Errorf("%v %v %s", actions, offers, all)
	}
}

// TestMadeOfSecrets: what the code has made of a secret is shown as little as the secret, in whatever is shown.
func TestMadeOfSecrets(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["modules/web/manifests/init.pp"] = `class web (
  Sensitive[String] $pw,
  Integer $port = 3,
) {
  $up = upcase($pw.unwrap)
  $under = regsubst($pw.unwrap, '-', '_', 'G')
  $first = $pw.unwrap[0, 6]
  $pin = Sensitive(47190583)
  $next = $pin.unwrap + 1
  $plain = $port + 1
  $letters = $pw.unwrap.split('').map |$c| { "<${c}>" }
  $by = { 'length' => $pw.unwrap.length }
  file { "/srv/${upcase($pw.unwrap)}": content => 'x' }
  notify { 'told': require => File["/srv/${up}"], message => $under }
}
`
	n := navigate(t, files)
	const initpp = "modules/web/manifests/init.pp"
	n.rest()
	ask := n.doc(initpp)
	ask["range"] = at(0, 0, 100, 0)
	hints := n.ask("textDocument/inlayHint", ask).([]any)
	if len(hints) != 1 || hints[0].(map[string]any)["label"] != " 4" {
		t.Errorf("hints: %v", hints)
	}
	for _, word := range []string{"up =", "under =", "first =", "next =", "content", "'told'", "require", "message"} {
		p := n.pos(initpp, word, 1)
		p["position"].(map[string]any)["character"] = p["position"].(map[string]any)["character"].(int) + 1
		n.ask("textDocument/hover", p)
		n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{p}})
	}
	n.bye()
	for _, secret := range []string{"Hush-", "HUSH-", "Hush_", "472", "<u>", "=> 12"} {
		if all := n.all.String(); strings.Contains(all, secret) {
			i := strings.Index(all, secret)
			t.Errorf("%s was sent: %s", secret, all[max(0, i-200):i+100])
		}
	}
}

// TestMadeBeforeFailing: a compile that fails has made something of a secret by then, too.
func TestMadeBeforeFailing(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["modules/web/manifests/init.pp"] = `class web (Sensitive[String] $pw) {
  $up = upcase($pw.unwrap)
  $host = $facts['fqdn']
  $whole = Sensitive("${pw.unwrap} ${host}")
  warning("it is ${up} on ${host}")
  include web::nowhere
}
`
	files["facts/a.json"] = `{"fqdn": "host-of-all"}`
	n := navigate(t, files)
	n.rest()
	n.bye()
	all := n.all.String()
	if strings.Contains(all, "HUSH-") || !strings.Contains(all, "it is [value redacted] on host-of-all") {
		t.Error(all)
	}
}

// TestSensitiveLiterals: what code that no node comes by makes Sensitive is shown nowhere.
func TestSensitiveLiterals(t *testing.T) {
	files := maps.Clone(withPassword("Hush-Hush-77"))
	files["modules/web/manifests/never.pp"] = `class web::never (
  Sensitive[String] $own = Sensitive('Quiet-1'),
  Sensitive[String] $more = Sensitive[String].new("Quiet-2"),
  Sensitive $pin = Sensitive(47190583),
  Sensitive $asked = Sensitive(lookup('key')),
) {
  $here = Sensitive('Quiet-3')
  notify { 'x': message => $here }
}
`
	files["modules/web/functions/never.pp"] = "function web::never($x = Sensitive('Quiet-4')) {\n  $x\n}\n"
	n := navigate(t, files)
	n.rest()
	const never = "modules/web/manifests/never.pp"
	for _, word := range []string{"web::never", "own", "more", "pin", "asked", "here"} {
		if text := n.hover(never, word, 1); !strings.Contains(text, "[value redacted]") && word != "asked" ||
			word == "asked" && !strings.Contains(text, "lookup('key')") {
			t.Errorf("%s: %s", word, text)
		}
	}
	n.ask("textDocument/completion", n.pos(never, "here }", 1))
	n.hover("modules/web/functions/never.pp", "web::never", 1)
	n.ask("textDocument/signatureHelp", n.pos("modules/web/functions/never.pp", "$x = ", 1))
	n.bye()
	for _, secret := range []string{"Quiet", "47190583"} {
		if strings.Contains(n.all.String(), secret) {
			t.Errorf("%s was sent: %s", secret, n.all.String())
		}
	}
}

// TestSensitiveDefault: where a value comes from is shown with the line of the code, also of a parameter whose default
// is Sensitive and was not taken.
func TestSensitiveDefault(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["modules/web/manifests/init.pp"] = "class web (\n  Sensitive[String] $pw = Sensitive(  'Quiet-1' ),\n" +
		"  Sensitive $x = Sensitive.new(\"Quiet-2\"),\n) {\n}\n"
	files["data/common.yaml"] += "  web::x:\n    convert_to: Sensitive\nweb::x: Hush-88\n"
	n := navigate(t, files)
	n.rest()
	for _, word := range []string{"pw", "x ="} {
		at := n.pos("modules/web/manifests/init.pp", word, 1)
		n.ask("textDocument/hover", at)
		n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{at}})
	}
	n.hover("data/common.yaml", "web::x", 1)
	n.bye()
	all := n.all.String()
	if i := strings.Index(all, "Quiet"); i >= 0 || !strings.Contains(all, "for      modules/web") {
		t.Error(all[max(0, i-300):])
	}
}

// TestCutSecret: of a secret that a long declaration breaks off in, nothing is left.
func TestCutSecret(t *testing.T) {
	const secret = "Hush-Hush-77-and-more-of-it"
	files := withPassword(secret)
	head := "class web (\n  Sensitive[String] $pw,\n  String $a = '"
	head += strings.Repeat("x", 1200-len(head)-10-len("',\n  String $b = '")) + "',\n  String $b = '"
	files["modules/web/manifests/init.pp"] = head + secret + "',\n) {\n}\n"
	n := navigate(t, files)
	n.rest()
	n.hover("modules/web/manifests/init.pp", "web", 1)
	n.bye()
	if strings.Contains(n.all.String(), "Hush-") {
		t.Error(n.all.String())
	}
}

// TestSecretInMarkdown: a secret that a comment names is hidden before the comment is made harmless Markdown, which
// spells it in another way.
func TestSecretInMarkdown(t *testing.T) {
	files := withPassword("\"x![y]z-99\"")
	files["modules/web/manifests/init.pp"] = "# it is x![y]z-99 now\nclass web (Sensitive[String] $pw) {\n}\n"
	n := navigate(t, files)
	n.rest()
	if text := n.hover("modules/web/manifests/init.pp", "web", 1); !strings.Contains(text, "it is [value redacted] now") {
		t.Error(text)
	}
	n.bye()
}

// TestSensitiveBranches: whatever a literal is to the argument of Sensitive, it is shown nowhere: a branch that no node
// takes, a template that is a text, a default.
func TestSensitiveBranches(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["modules/web/manifests/init.pp"] = `class web (
  Sensitive[String] $pw = Sensitive(if $facts['never'] { 'Quiet-01' } else { 'Quiet-02' }),
  Sensitive $b = Sensitive($facts['never'] ? { 'x' => 'Quiet-03', default => "Quiet-04 ${1}" }),
  Sensitive $c = Sensitive.new(inline_epp('Quiet-05 <%= 1 %>')),
  Sensitive $d = Sensitive(lookup('key', String, 'first', 'Quiet-06')),
  Sensitive $e = Sensitive(
    case $facts['never'] {
      'x': { 'Quiet-07' }
      default: { ['Quiet-08', { 'Quiet-09' => 'Quiet-10' }] }
    }
  ),
  Sensitive $f = 'Quiet-11'.convert_to(Sensitive),
  Sensitive $g = new(Sensitive, inline_template("Quiet-12 <%= 1 %>")),
  Sensitive $h = Sensitive(quiet13),
  Sensitive $i = Sensitive(@(END)),
    Quiet-14
    | END
  Sensitive $j = Sensitive(['a'].map |$x| { 'Quiet-15' }),
) {
  $l = Sensitive(if $facts['never'] { 'Quiet-16' } else { lookup('other') })
  $m = if $facts['fqdn'] { Sensitive($facts['never'] ? { 'x' => 'Quiet-17',
    'y' => 'Quiet-18', default => 'Quiet-19' }) } else { 'x' }
  if $facts['never'] { notify { Sensitive('Quiet-20'): message => $l } }
  notify { 'z': message => $l }
  notify { 'y': message => $m }
}
`
	files["data/common.yaml"] += "  unasked:\n    convert_to: Sensitive\n  ^li.*:\n    convert_to: ['Sensitive']\n" +
		"key: abc-1\nother: abc-2\nunasked: Quiet-21\nlist: ['Quiet-22']\n"
	n := navigate(t, files)
	n.rest()
	const initpp = "modules/web/manifests/init.pp"
	for _, word := range []string{"web", "pw", "b =", "c =", "d =", "e =", "f =", "g =", "h =", "i =", "j =", "l =", "m =",
		"message", "$l", "$m"} {
		at := n.pos(initpp, word, 1)
		if word[0] == '$' {
			at["position"].(map[string]any)["character"] = at["position"].(map[string]any)["character"].(int) + 1
		}
		n.ask("textDocument/hover", at)
		n.ask("textDocument/completion", at)
		n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{at}})
	}
	for _, word := range []string{"web::pw", "unasked", "list", "key"} {
		n.hover("data/common.yaml", word, 1)
		n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at",
			"arguments": []any{n.pos("data/common.yaml", word, 1)}})
	}
	n.ask("textDocument/documentSymbol", n.doc(initpp))
	n.ask("textDocument/documentSymbol", n.doc("data/common.yaml"))
	ask := n.doc(initpp)
	ask["range"] = at(0, 0, 100, 0)
	n.ask("textDocument/inlayHint", ask)
	n.bye()
	all := n.all.String()
	if !strings.Contains(all, "init.pp:20") {
		t.Error("nothing is explained")
	}
	for i := range 23 {
		for _, secret := range []string{fmt.Sprintf("uiet-%02d", i), fmt.Sprintf("quiet%02d", i)} {
			if at := strings.Index(all, secret); at >= 0 {
				t.Errorf("%s was sent: %s", secret, all[max(0, at-200):at+50])
			}
		}
	}
}

// TestSensitiveByVariable: a literal that becomes Sensitive by way of a variable or of a block is shown as little, in
// code that no node comes to.
func TestSensitiveByVariable(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const never = "modules/web/manifests/never.pp"
	files[never] = `class web::never (
  String $first = 'Quiet-01',
  String $plain = 'shown-01',
) {
  $second = 'Quiet-02'
  $third = $second
  $fourth = "Quiet-03 ${second}"
  $a = Sensitive($first)
  $b = Sensitive("x ${third} ${fourth}")
  $c = 'Quiet-04'.then |$x| { Sensitive($x) }
  $d = ['Quiet-05', 'Quiet-06'].map |$y| { $z = $y Sensitive.new($z) }
  $e = with('Quiet-07') |$v| { Sensitive($v) }
  [$g, $h] = ['Quiet-08', 'Quiet-09']
  $i = $g.convert_to(Sensitive)
  $other = "shown-02 ${plain}"
}
`
	n := navigate(t, files)
	n.rest()
	for _, word := range []string{"web::never", "first", "plain", "second", "third", "fourth", "a =", "b =", "c =", "d =",
		"e =", "g,", "h]", "i =", "other"} {
		at := n.pos(never, word, 1)
		n.ask("textDocument/hover", at)
		n.ask("textDocument/completion", at)
		n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{at}})
	}
	n.ask("textDocument/documentSymbol", n.doc(never))
	n.bye()
	all := n.all.String()
	if at := strings.Index(all, "uiet-0"); at >= 0 {
		t.Errorf("it was sent: %s", all[max(0, at-200):at+50])
	}
	if !strings.Contains(all, "shown-01") {
		t.Error("nothing is shown")
	}
}

// TestDeclaredSensitive: data are as secret as the parameter that takes them, if no node has its class as well.
func TestDeclaredSensitive(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const initpp = "modules/web/manifests/init.pp"
	files[initpp] = strings.Replace(files[initpp], "mesage", "message", 1)
	files["modules/web/types/secret.pp"] = "type Web::Secret = Variant[Sensitive[String], Web::Other]\n"
	files["modules/web/types/other.pp"] = "type Web::Other = Array[Web::Secret]\n"
	files["modules/web/manifests/never.pp"] = "class web::never (Sensitive[String] $pw, Optional[Web::Secret] $alias,\n" +
		"  Hash[String, Sensitive] $hash, String $plain) {\n  $x = lookup('web::never::pw')\n}\n"
	files["facts/b.json"] = `{"fqdn": "b"}`
	files["hiera.yaml"] = "version: 5\nhierarchy:\n  - name: Node\n    path: \"%{facts.fqdn}.yaml\"\n  - name: Common\n" +
		"    path: common.yaml\n"
	files["data/b.yaml"] = "web::never::pw: Quiet-03\n"
	files["data/common.yaml"] += "web::never::pw: Quiet-01\nweb::never::alias: [abc, Quiet-02]\n" +
		"web::never::hash: {a: Quiet-04}\nweb::never::plain: shown-01\nx: \"%{lookup('web::never::hash.a')}\"\n"
	n := navigate(t, files)
	n.rest()
	for file, words := range map[string][]string{
		"data/common.yaml": {"web::never::pw", "web::never::alias", "web::never::hash:", "web::never::plain",
			"web::never::hash.a"},
		"data/b.yaml":                    {"web::never::pw"},
		"modules/web/manifests/never.pp": {"web::never::pw", "pw,", "alias,", "hash,"}} {
		for _, word := range words {
			at := n.pos(file, word, 1)
			n.ask("textDocument/hover", at)
			n.ask("textDocument/completion", at)
			n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{at}})
		}
	}
	n.bye()
	all := n.all.String()
	if at := strings.Index(all, "uiet-0"); at >= 0 {
		t.Errorf("it was sent: %s", all[max(0, at-400):at+50])
	}
	if !strings.Contains(all, "shown-01") || !strings.Contains(all, "data/b.yaml:1:17") {
		t.Error("nothing is shown")
	}
}

// TestMeantSensitive: what is given to a parameter that is declared Sensitive is shown to nobody, whether it is one or
// not: by code or by data, directly or by another key, and where the parameter takes plain texts as well.
func TestMeantSensitive(t *testing.T) {
	files := map[string]string{
		"environment.conf":  "modulepath = modules\n",
		"facts/a.json":      `{"fqdn": "a"}`,
		"hiera.yaml":        "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"manifests/site.pp": "include web\ninclude web::user\n",
		"data/common.yaml": "web::pw: Quiet-01\nweb::never::pw: \"%{lookup('base')}\"\nbase: Quiet-02\n" +
			"web::never::more: \"%{alias('list.0')}\"\nlist: [Quiet-03]\nother: shown-01\nweb::user::name: root\n",
		"modules/web/manifests/init.pp": "class web (Variant[String, Sensitive[String]] $pw) {\n" +
			"  $made = \"as ${pw}\"\n  notify { 'x': message => $pw }\n  $other = lookup('other')\n}\n",
		"modules/web/manifests/user.pp": "class web::user (Variant[String, Sensitive] $name2 = 'root') {\n" +
			"  file { '/root': }\n  file { '/home': owner => 'wheel' }\n}\n",
		"modules/web/types/pw.pp": "type Web::Pw = Optional[Sensitive[String]]\n",
		"modules/web/manifests/never.pp": "class web::never (Sensitive $pw, Web::Pw $more, Web::Pw $mine = 'Quiet-04') {\n" +
			"  web::own { 'a':\n    pw => 'Quiet-05',\n  }\n  create_resources('web::own', { 'b' => { 'pw' => 'Quiet-06' } })\n" +
			"  web::own { 'c': pw => \"Quiet-07 ${pw}\" }\n}\n",
		"modules/web/manifests/own.pp": "define web::own (Sensitive[String] $pw = 'Quiet-08', $n = 1) {\n}\n",
	}
	n := navigate(t, files)
	n.rest()
	for file, words := range map[string][]string{
		"data/common.yaml":               {"web::pw", "web::never::pw", "base:", "list:", "other:", "base'", "list.0"},
		"manifests/site.pp":              {"web\n", "user"},
		"modules/web/manifests/init.pp":  {"web (", "pw)", "made", "pw}", "message", "other ="},
		"modules/web/manifests/user.pp":  {"name2", "/root", "owner"},
		"modules/web/manifests/never.pp": {"never", "more,", "mine", "own { 'a", "'a'", "pw =>", "'b'", "'c'", "create_r"},
		"modules/web/manifests/own.pp":   {"own", "pw =", "n ="}} {
		for _, word := range words {
			at := n.pos(file, word, 1)
			n.ask("textDocument/hover", at)
			n.ask("textDocument/completion", at)
			n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{at}})
		}
		n.ask("textDocument/documentSymbol", n.doc(file))
		n.ask("textDocument/inlayHint", map[string]any{"textDocument": n.doc(file)["textDocument"],
			"range": map[string]any{"start": map[string]any{"line": 0, "character": 0},
				"end": map[string]any{"line": 9, "character": 0}}})
	}
	// What is typed is hidden, too.
	const never = "modules/web/manifests/never.pp"
	n.open(filepath.Join(n.dir, never), strings.Replace(n.text(never), "Quiet-04", "Quiet-09", 1))
	n.ask("textDocument/hover", n.pos(never, "mine", 1))
	n.bye()
	all := n.all.String()
	for range 8 {
		at := strings.Index(all, "uiet-0")
		if at < 0 {
			break
		}
		t.Errorf("it was sent: %s", all[max(0, at-300):at+20])
		all = strings.ReplaceAll(all, all[at:at+7], "")
	}
	for _, want := range []string{"shown-01", "/root", "wheel"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

// shows asks for everything that is said at some words of some files, and looks for texts that no answer may have.
func (n *nav) shows(words map[string][]string, secret string, most int) {
	n.t.Helper()
	n.rest()
	for file, words := range words {
		for _, word := range words {
			at := n.pos(file, word, 1)
			n.ask("textDocument/hover", at)
			n.ask("textDocument/completion", at)
			n.ask("workspace/executeCommand", map[string]any{"command": "bunraku.explain.at", "arguments": []any{at}})
		}
		n.ask("textDocument/documentSymbol", n.doc(file))
		n.ask("textDocument/inlayHint", map[string]any{"textDocument": n.doc(file)["textDocument"],
			"range": at(0, 0, 99, 0)})
	}
	n.bye()
	all := n.all.String()
	for range most {
		at := strings.Index(all, secret)
		if at < 0 {
			return
		}
		n.t.Errorf("it was sent: %s", all[max(0, at-300):at+20])
		all = strings.ReplaceAll(all, all[at:at+len(secret)+1], "")
	}
}

// TestQuotedSecret: what lookup_options make Sensitive stays so where other data quote it, also if the code that looks
// those up gets to see no more than that there is a secret.
func TestQuotedSecret(t *testing.T) {
	files := map[string]string{
		"environment.conf": "modulepath = modules\n",
		"facts/a.json":     `{"fqdn": "a"}`,
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "a1: Quiet-01\nb1: \"%{lookup('a1')} tail\"\na2: {pw: Quiet-02}\nb2: \"%{lookup('a2.pw')} t\"\n" +
			"pat_3: Quiet-03\nb3: {deep: [\"%{hiera('pat_3')}\"]}\na4: Quiet-04\nc4: \"c %{lookup('a4')}\"\n" +
			"b4: \"%{lookup('c4')}\"\na5: Quiet-05\nweb::pw: \"%{lookup('a5')} tail\"\nother: shown-01\nb6: x %{lookup('other')}\n" +
			"lookup_options:\n  a1: {convert_to: Sensitive}\n  a2: {convert_to: Sensitive}\n" +
			"  '^pat_': {convert_to: Sensitive}\n  a4: {convert_to: Sensitive}\n  a5: {convert_to: 'Sensitive[String]'}\n",
		"manifests/site.pp": "$v1 = lookup('b1')\n$v2 = lookup('b2')\n$v3 = lookup('b3')\n$v4 = lookup('b4')\n" +
			"$v6 = lookup('b6')\n$v7 = \"y ${lookup('a1')}\"\ninclude web\n",
		"modules/web/manifests/init.pp": "class web ($pw) {\n  notify { 'x': message => $pw }\n}\n",
	}
	n := navigate(t, files)
	n.shows(map[string][]string{
		"manifests/site.pp":             {"v1", "v2", "v3", "v4", "v6", "v7", "b1", "b2"},
		"data/common.yaml":              {"a1", "b1", "a2", "b2", "pat_3", "b3", "c4", "b4", "web::pw"},
		"modules/web/manifests/init.pp": {"pw)", "message", "pw }"}}, "uiet-0", 7)
	if !strings.Contains(n.all.String(), "x shown-01") {
		t.Error("nothing is shown")
	}
}

// TestSharedSecret: what lookup_options or a parameter make Sensitive is as secret under another key that has it by an
// alias of YAML, or by a merge, also if no node looks up the one that is Sensitive.
func TestSharedSecret(t *testing.T) {
	files := map[string]string{
		"environment.conf": "modulepath = modules\n",
		"facts/a.json":     `{"fqdn": "a"}`,
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "a1: &a Quiet-01\na2: *a\nb1: &b Quiet-02\nb2: *b\nb3: {user: x, pw: *b}\n" +
			"web::h: &h {pw: Quiet-03}\nh2:\n  <<: *h\n  x: 1\nother: &o shown-01\nmore: [*o]\nweb::c: &c {pw: Quiet-04}\n" +
			"d1: {in: *c}\nlookup_options:\n  a1: {convert_to: Sensitive}\n  b2: {convert_to: Sensitive}\n" +
			"  web::c: {convert_to: Sensitive}\n",
		"manifests/site.pp": "$v1 = lookup('a2')\n$v2 = lookup('b1')\n$v3 = lookup('b3')\n$v4 = lookup('more')\n" +
			"$v5 = \"y ${v1}\"\n$v6 = lookup('d1')\nnotify { 'x': message => $v1 }\n",
		"modules/web/manifests/init.pp": "class web (Sensitive[Hash] $h) {\n}\n",
	}
	n := navigate(t, files)
	n.shows(map[string][]string{
		"manifests/site.pp": {"v1", "v2", "v3", "v4", "v5", "v6", "message", "v1 }"},
		"data/common.yaml":  {"a1", "a2", "b1", "b2", "b3", "web::h", "h2", "more", "web::c", "d1"}}, "uiet-0", 5)
	if !strings.Contains(n.all.String(), "shown-01") {
		t.Error("nothing is shown")
	}
}

// TestSensitiveByCall: a literal that becomes Sensitive because a function, a template or a define makes it so is shown
// as little, in code that no node comes to.
func TestSensitiveByCall(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const never = "modules/web/manifests/never.pp"
	files["modules/web/functions/mk.pp"] = "function web::mk($v, $n = 1) >> Sensitive {\n  web::other($v)\n}\n"
	files["modules/web/functions/take.pp"] = "function web::take(String $plain, Sensitive $v) {\n  $plain\n}\n"
	files["modules/web/functions/wrap.pp"] = "function web::wrap($v, $n) {\n  $w = \"<${v}>\"\n  [$n, Sensitive($w)]\n}\n"
	files["modules/web/templates/es.epp"] = "<%- | $pw, $n | -%>\np <%= Sensitive($pw).unwrap %> <%= $n %>\n"
	files["modules/web/manifests/own.pp"] = "define web::own (Variant[String, Sensitive[String]] $pw, $other, $n) {\n" +
		"  file { $title: content => Sensitive(\"x ${other}\") }\n}\n"
	files[never] = `class web::never {
  $a = web::mk('Quiet-01')
  $b = 'Quiet-02'
  $c = web::mk($b)
  $d = { 'pw' => 'Quiet-03' }
  web::own { '/x': pw => $d['pw'], other => 'Quiet-08', n => 'shown-01' }
  $e = epp('web/es.epp', { 'pw' => 'Quiet-04', 'n' => 'shown-02' })
  $f = 'Quiet-05'.web::mk
  $g = 'Quiet-06'.then |$x| { web::mk($x) }
  $h = web::take('shown-03', 'Quiet-07')
  $i = web::wrap('Quiet-09', 'shown-04')
  $j = 'shown-05'.upcase
}
`
	n := navigate(t, files)
	n.shows(map[string][]string{never: {"web::never", "a =", "b =", "c =", "d =", "e =", "f =", "g =", "h =", "i =", "j =",
		"pw =>", "other", "/x"},
		"modules/web/functions/mk.pp": {"v)\n"}}, "uiet-0", 9)
	for i := 2; i <= 5; i++ {
		if want := fmt.Sprintf("shown-0%d", i); !strings.Contains(n.all.String(), want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

// TestSensitiveByCalls: what makes something Sensitive may do so by way of another, and of that one's others: defines,
// classes, functions of Puppet's or of Ruby's, templates, also such that call themselves or one another.
func TestSensitiveByCalls(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const never = "modules/web/manifests/never.pp"
	files["modules/web/functions/f0.pp"] = "function web::f0($v, $n) {\n  [$n, Sensitive($v)]\n}\n"
	files["modules/web/functions/f1.pp"] = "function web::f1($n, $v) {\n  web::f0(\"<${v}>\", $n)\n}\n"
	files["modules/web/functions/f2.pp"] = "function web::f2($v) {\n  $x = { 'a' => $v }\n  web::f1('shown-09', $x['a'])\n}\n"
	files["modules/web/functions/r1.pp"] = "function web::r1($v, $n) {\n  if $n > 0 { web::r2($v, $n) } else { $v }\n}\n"
	files["modules/web/functions/r2.pp"] = "function web::r2($v, $n) {\n  if $n > 9 { web::f2($v) } else { web::r1($v, 1) }\n}\n"
	files["modules/web/manifests/d0.pp"] = "define web::d0 ($pw, $n = 1) {\n  web::d1 { $title: pw => $pw, n => $n }\n}\n"
	files["modules/web/manifests/d1.pp"] = "define web::d1 ($pw, $n) {\n  notify { $title: message => web::f2($pw) }\n}\n"
	files["modules/web/manifests/c0.pp"] = "class web::c0 ($pw, $n = 1) {\n  class { 'web::c1': pw => $pw, n => $n }\n}\n"
	files["modules/web/manifests/c1.pp"] = "class web::c1 ($pw, $n) {\n  web::d0 { 'x': * => { 'pw' => $pw } }\n}\n"
	files["modules/web/templates/t0.epp"] = "<%- | $pw, $n = 1 | -%>\n<%= epp('web/t1', { 'pw' => $pw }) %>\n"
	files["modules/web/templates/t1.epp"] = "<%- | $pw | -%>\n<%= web::f2($pw) %>\n"
	files["modules/web/templates/t2.epp"] = "<%= web::f2($pw) %> <%= $n %>\n"
	files["modules/web/types/pw.pp"] = "type Web::Pw = Optional[Web::Deep]\n"
	files["modules/web/types/deep.pp"] = "type Web::Deep = Sensitive[String]\n"
	files["modules/web/functions/typed.pp"] = "function web::typed(Variant[String, Web::Pw] $v, $n) {\n  $v\n}\n"
	files["modules/web/functions/gives.pp"] = "function web::gives($v) >> Web::Pw {\n  web::nowhere($v)\n}\n"
	files["modules/web/lib/puppet/functions/web/mk.rb"] = "# Makes a Sensitive.\nPuppet::Functions." +
		"create_function(:'web::mk') do\n  def mk(v)\n    Puppet::Pops::Types::PSensitiveType::Sensitive.new(v)\n  end\nend\n"
	files["modules/web/lib/puppet/functions/web/by.rb"] = "Puppet::Functions.create_function(:'web::by') do\n" +
		"  def by(v)\n    call_function('web::f2', v)\n  end\nend\n"
	files["modules/web/lib/puppet/functions/web/plain.rb"] = "# Takes no Sensitive.\nPuppet::Functions." +
		"create_function(:'web::plain') do\n  def plain(v)\n    v\n  end\nend\n"
	files["modules/web/lib/puppet/parser/functions/mk3.rb"] = "Puppet::Parser::Functions.newfunction(:mk3, :type => " +
		":rvalue) do |args|\n  Puppet::Pops::Types::PSensitiveType::Sensitive.new(args[0])\nend\n"
	files["modules/web/functions/f3.pp"] = "function web::f3($v) {\n  mk3($v)\n}\n"
	files["modules/web/manifests/params.pp"] = "class web::params {\n  $pw = 'Quiet-30'\n  $n = 'shown-10'\n}\n"
	lines := []string{
		"$a = web::f2('Quiet-01')",
		"$b = web::f1('shown-01', 'Quiet-02')",
		"$c = web::r1('Quiet-03', 2)",
		"web::d0 { '/x': pw => 'Quiet-04', n => 'shown-02' }",
		"class { 'web::c0': pw => 'Quiet-05', n => 'shown-03' }",
		"$d = epp('web/t0.epp', { 'pw' => 'Quiet-06', 'n' => 'shown-04' })",
		"$e = epp('web/t2.epp', { 'pw' => 'Quiet-07', 'n' => 'shown-05' })",
		"$f = inline_epp('<%- | $pw, $n | -%><%= web::f2($pw) %> <%= $n %>', { 'pw' => 'Quiet-08', 'n' => 'shown-06' })",
		"$g = inline_epp('<%= Sensitive($pw) %> <%= $n %>', { 'pw' => 'Quiet-09', 'n' => 'shown-07' })",
		"$h = web::mk('Quiet-10')",
		"$i = web::by('Quiet-11')",
		"$j = mk3('Quiet-12')",
		"$k = web::f3('Quiet-13')",
		"$l = web::plain('shown-08')",
		"$m = web::typed('Quiet-14', 'shown-11')",
		"$o = 'Quiet-15'.web::gives",
		"$p = call('web::f2', 'Quiet-16')",
		"$q = Deferred('web::f2', ['Quiet-17'])",
		"create_resources('web::d0', { 'r' => { 'pw' => 'Quiet-18' } })",
		"ensure_resource('web::d0', 's', { 'pw' => 'Quiet-19' })",
		"Web::D0 { pw => 'Quiet-20' }",
		"Web::D0['x'] { pw => 'Quiet-21' }",
		"Web::D0 <| |> { pw => 'Quiet-22' }",
		"$s = Web::Pw.new('Quiet-23')",
		"$t = Web::Deep('Quiet-24')",
		"$u = inline_epp(@(END), { pw => 'Quiet-25', n => 'shown-12' })",
		"  <%- | $pw, $n | -%>",
		"  <%= web::f2($pw) %> <%= $n %>",
		"  | END",
		"$v = web::f2($web::params::pw)",
		"$w = inline_epp('<%= Sensitive(\"Quiet-26\") %>')",
	}
	files[never] = "class web::never ($x = web::f2('Quiet-27')) {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
	n := navigate(t, files)
	words := []string{"web::never", "pw =>", "/x", "'r'", "'s'", "'x'", "f2", "d0"}
	for c := 'a'; c <= 'x'; c++ {
		if c != 'n' && c != 'r' {
			words = append(words, string(c)+" =")
		}
	}
	n.shows(map[string][]string{never: words, "modules/web/manifests/params.pp": {"pw", "n ="}}, "uiet-", 30)
	for i := 1; i <= 12; i++ {
		if want := fmt.Sprintf("shown-%02d", i); i != 3 && i != 9 && !strings.Contains(n.all.String(), want) {
			t.Errorf("%s is not shown", want)
		}
	}
}
