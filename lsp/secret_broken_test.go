package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsWhileTyping: what code makes Sensitive is not shown while that code, or the code that makes it so, is
// broken: strings may then stand outside of their quotes, and a function without its type.
func TestSecretsWhileTyping(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const never, wrap, own = "modules/web/manifests/never.pp", "modules/web/functions/wrap.pp", "modules/web/manifests/own.pp"
	files["data/common.yaml"] += "web::never::key: Quiet_08\n"
	files[wrap] = "function web::wrap($v) >> Sensitive {\n  Sensitive(\"<${v}>\")\n}\n"
	files[own] = "define web::own (Variant[String, Sensitive] $pw) {\n}\n"
	files[never] = `class web::never (String $pin = 'Quiet_01', Sensitive[String] $key = Sensitive('Quiet_02')) {
  $a = web::wrap('Quiet_03')
  $b = 'Quiet_04'
  $c = web::wrap($b)
  $d = Sensitive("${pin}")
  $e = Sensitive('Quiet_05 and Quiet_06')
  web::own { 'x': pw => 'Quiet_07' }
  notify { 'shown_01': }
}
`
	said := map[string]bool{}
	for _, x := range []struct{ file, was, is, says string }{
		{never, "'Quiet_01'", "'Qui", "Syntax error at '"},
		{never, "$a = web::wrap('", "$a = web::wrap(", "Syntax error at '"},
		{never, "Sensitive('Quiet_05", "Sensitive(Quiet_05", "Syntax error at '"},
		{never, "notify { 'shown_01'", "notify { 'shown_01' shown_01", "Syntax error at 'shown_01'"},
		{never, "$d = Sensitive(\"${pin}\")", "$d = )", "Syntax error at '"},
		{never, "$d = Sensitive(\"${pin}\")", "$d = Sensitive(\"${pin", ""},
		{never, "$c = web::wrap($b)", "$c = )web", "Syntax error at ')'"},
		{never, "Sensitive[String] $key", "Sensit[ring] $key }", "Syntax error at '"},
		{wrap, ">> Sensitive {\n  Sensitive(\"<${v}>\")", ">> {", "Syntax error at '"},
		{own, "Variant[String, Sensitive] $pw", "Variant[String, S $pw", "Syntax error at '"},
	} {
		n := navigate(t, files)
		path := filepath.Join(n.dir, x.file)
		n.open(path, files[x.file])
		n.rest()
		n.ask("textDocument/completion", n.pos(never, "$c", 1))
		n.edit(path, 2, nil, strings.Replace(files[x.file], x.was, x.is, 1))
		n.rest()
		words := []string{"$pin", "$key", "$a", "$b", "$c", "$d", "$e", "web::own", "'x'", "pw =>"}
		n.mu.Lock()
		for _, line := range n.told(path) {
			if !strings.Contains(line, " P0") {
				continue
			}
			said[line] = true
			if !strings.Contains(line, x.says) {
				t.Errorf("%s is said to be %s", x.is, line)
			}
		}
		n.mu.Unlock()
		// Places of the text as it was are near enough.
		n.shows(map[string][]string{never: words, "data/common.yaml": {"web::never::key"}}, "uiet_0", 8)
	}
	if len(said) < 4 {
		t.Errorf("it is said that %v", said)
	}
}

// TestSecretsNeverRead: a file that is broken from the start may make anything Sensitive that it is given, and what is
// said of it quotes nothing of it.
func TestSecretsNeverRead(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	files["modules/web/manifests/init.pp"] = "class web (Sensitive[String] $pw) {\n}\n"
	const never, manifests = "modules/web/manifests/never.pp", "modules/web/manifests/"
	files["modules/web/functions/deep.pp"] = "function web::deep($v) {\n  Sensitive($v)\n}\n"
	files["modules/web/functions/fn.pp"] = "function web::fn($v) {\n  Sensitive($v\n}\n"
	files["modules/web/functions/by.pp"] = "function web::by($v) {\n  web::deep($v\n}\n"
	files["modules/web/functions/plain.pp"] = "function web::plain($v) {\n  upcase($v\n}\n"
	files[manifests+"own.pp"] = "define web::own (Sensitive[String] $pw, $n = 1 {\n}\n"
	files["modules/web/templates/t.epp"] = "<%- | $pw, $n | -%>\n<%= Sensitive($pw %>\n"
	files[manifests+"inner.pp"] = "class web::inner (\n  Sensitive[String] $pw = 'Quiet_01,\n) {\n}\n"
	files["data/common.yaml"] += "web::inner::pw: Quiet_02\nweb::never::x: shown_02\n"
	files[never] = `class web::never ($x) {
  $a = web::fn('Quiet_03')
  $b = web::by('Quiet_04')
  $c = web::plain('shown_01')
  web::own { 'x': pw => 'Quiet_05' }
  $d = epp('web/t.epp', { 'pw' => 'Quiet_06' })
  class { 'web::inner': pw => 'Quiet_07' }
}
`
	files[manifests+"b1.pp"] = "class web::b1 {\n  $x = Sensitive('Quiet_08' 'Quiet_09')\n}\n"
	files[manifests+"b2.pp"] = "class web::b2 {\n  web::own { 'x': pw => Quiet_10 quiet_11 }\n}\n"
	files[manifests+"b3.pp"] = "class web::b3 {\n  notify { 'x': message => 'x' notify }\n}\n"
	n := navigate(t, files)
	alone := filepath.Join(t.TempDir(), "alone.pp") // in no folder
	n.open(alone, "$x = Sensitive(quiet_12 quiet_13)\n")
	n.shows(map[string][]string{never: {"web::never", "a =", "b =", "c =", "'x'", "pw =>", "d =", "inner"},
		"data/common.yaml": {"web::inner::pw", "web::never::x"}}, "uiet_", 13)
	for _, want := range []string{"shown_01", "shown_02", "Syntax error at '"} {
		if !strings.Contains(n.all.String(), want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

// TestSecretsAsTyped: while somebody types something Sensitive, no message quotes what is there of it already.
func TestSecretsAsTyped(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const never = "modules/web/manifests/never.pp"
	files["modules/web/manifests/own.pp"] = "define web::own (Sensitive[String] $pw, $q = 1) {\n}\n"
	files["modules/web/functions/mk.pp"] = "function web::mk($v) {\n  Sensitive($v)\n}\n"
	files["modules/web/templates/es.epp"] = "<%- | $pw, $n | -%>\np <%= Sensitive($pw).unwrap %> <%= $n %>\n"
	const head, tail = "class web::never (\n  $zz = 1,\n) {\n  $k = 2\n", "}\n"
	files[never] = head + tail
	n := navigate(t, files)
	path := filepath.Join(n.dir, never)
	n.open(path, files[never])
	n.rest()
	version := 1
	said := 0
	for _, add := range []string{
		"  $a = Sensitive('Quiet-01')\n",
		"  $a = Sensitive(\"Quiet-01 ${zz} Quiet-02\")\n",
		"  $a = Sensitive(\n    'Quiet-01',\n    quiet_02 'Quiet-03'\n  )\n",
		"  web::own { 'x':\n    pw => 'Quiet-01' 'quiet-02',\n    q  => 3,\n  }\n",
		"  $m = web::mk(quiet_01 quiet_02)\n  $n = 'Quiet-01'.web::mk quiet_2\n",
		"  create_resources('web::own', { 'x' => { pw => 'quiet_01' quiet_02 } })\n",
		"  $e = epp('web/es.epp', { 'pw' => quiet_04 quiet_05, 'n' => 3 })\n",
		"  $e = @(END)\n    quiet_01\n    | END\n  $f = Sensitive($e)\n",
		"  $pw = quiet_01 quiet_02\n  $g = Sensitive($pw)\n",
	} {
		for _, how := range []func(c int) string{
			func(c int) string { return add[:c] },
			func(c int) string { // a quote or the like is missing
				if c == len(add) || strings.ContainsRune("abcdefghijklmnopqrstuvwxyzSQ", rune(add[c])) {
					return add
				}
				return add[:c] + add[c+1:]
			},
		} {
			for c := 1; c <= len(add); c++ {
				version++
				n.edit(path, version, nil, head+how(c)+tail)
			}
			n.rest()
			version++
			n.edit(path, version, nil, files[never])
			n.rest()
		}
		n.mu.Lock()
		all := n.all.String()
		n.all.Reset()
		n.mu.Unlock()
		if said += strings.Count(all, "P0001"); strings.Contains(all, "uiet") {
			i := strings.Index(all, "uiet")
			t.Errorf("%s: it was sent: %s", add, all[max(0, i-100):i+20])
		}
	}
	if n.bye(); said < 100 {
		t.Errorf("only %d are said", said)
	}
}

// TestBrokenIsQuoted: what is said of a file that makes nothing Sensitive quotes what stands there, also if the file
// was broken when it was opened and nobody knew that yet.
func TestBrokenIsQuoted(t *testing.T) {
	files := withPassword("Hush-Hush-77")
	const plain = "modules/web/manifests/plain.pp"
	files[plain] = "class web::plain {\n  notify { 'x' mesage => 'y' }\n}\n"
	n := navigate(t, files)
	path := filepath.Join(n.dir, plain)
	n.open(path, files[plain])
	n.rest()
	n.bye()
	if got := n.told(path); len(got) != 1 || !strings.Contains(got[0], "Syntax error at 'mesage'") {
		t.Error(got)
	}
}
