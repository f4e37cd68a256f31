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
		{never, "notify { 'shown_01'", "notify { 'shown_01' shown_02", "Syntax error at 'shown_02'"},
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
