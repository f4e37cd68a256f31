package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGuesses: what a message supposes somebody meant is offered where it helps, and only there.
func TestGuesses(t *testing.T) {
	module := map[string]string{
		"environment.conf":              "modulepath = modules\n",
		"facts/a.json":                  `{"fqdn": "a"}`,
		"modules/web/manifests/init.pp": "class web (Integer $port = 80) {\n  notify { \"p${port}\": }\n}\n",
	}
	for _, x := range []struct{ name, site, want string }{
		{"a variable", "$message = 'x'\nnotify { $mesage: }\n", "$message = 'x'\nnotify { $message: }\n"},
		{"a function", "notify { 'x': message => upcaze('a') }\n", "notify { 'x': message => upcase('a') }\n"},
		{"an attribute", "file { '/x': contnet => 'a' }\n", "file { '/x': content => 'a' }\n"},
		{"an attribute whose name is a word of a value", "cron { 'x':\n  command => '/usr/bin/true',\n  usr => 'root',\n}\n",
			"cron { 'x':\n  command => '/usr/bin/true',\n  user => 'root',\n}\n"},
		{"a parameter", "class { 'web': porrt => 81 }\n", "class { 'web': port => 81 }\n"},
		{"a statement", "node default {\n  inclde web\n  notify { 'x': }\n}\n",
			"node default {\n  include web\n  notify { 'x': }\n}\n"},
		{"the last statement", "node default {\n  inclde web\n}\n", "node default {\n  include web\n}\n"},
		{"a data type", "$x = 5\nif $x =~ Integr { notify { 'x': } }\n",
			"$x = 5\nif $x =~ Integer { notify { 'x': } }\n"},
		{"a data type within another", "function f(Optional[Integr] $x) { $x }\nnotify { \"a${f(1)}\": }\n",
			"function f(Optional[Integer] $x) { $x }\nnotify { \"a${f(1)}\": }\n"},
		{"a type", "notfy { 'x': }\n", "notify { 'x': }\n"},
		{"one before another mistake", "file { '/x': contnet => 5, mod => '0644' }\n",
			"file { '/x': content => 5, mod => '0644' }\n"},
		{"one that leads to another mistake", "$fine = 1\nif $fien == 1 { fail('no') }\n", ""},
	} {
		files := map[string]string{"manifests/site.pp": x.site}
		for name, text := range module {
			files[name] = text
		}
		n := navigate(t, files)
		path := filepath.Join(n.dir, "manifests/site.pp")
		n.open(path, x.site)
		n.wait("the mistake", func() bool { return len(n.told(path)) > 0 })
		n.mu.Lock()
		d := n.shown["file://"+path]["diagnostics"].([]any)[0].(map[string]any)
		n.mu.Unlock()
		// At once: what is shown has its edit.
		actions := n.ask("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": "file://" + path},
			"range": d["range"], "context": map[string]any{"diagnostics": []any{d}}}).([]any)
		got := ""
		for _, a := range actions {
			for _, edits := range changesOf(a.(map[string]any)["edit"]) {
				got = applied(x.site, edits[0].(map[string]any))
			}
		}
		if got != x.want {
			n.mu.Lock()
			t.Errorf("%s: %q from %v", x.name, got, strings.Join(n.told(path), "\n"))
			n.mu.Unlock()
		}
		n.bye()
	}
}

// TestEarlyEdits: a problem that is shown before all has been looked at has its edit by then. Verifying node b takes
// much longer than a client takes to ask.
func TestEarlyEdits(t *testing.T) {
	const site = "node a { file { '/x': contnet => 'a' } }\nnode b {\n" +
		"  Integer[1, 40].each |$i| { exec { \"/bin/echo ${i} >> /x\": } }\n}\n"
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"facts/b.json": `{"fqdn": "b"}`, "manifests/site.pp": site})
	path := filepath.Join(n.dir, "manifests/site.pp")
	n.open(path, site)
	n.wait("the mistake", func() bool { return len(n.told(path)) > 0 })
	at := n.pos("manifests/site.pp", "contnet", 1)
	if actions := n.ask("textDocument/codeAction", map[string]any{"textDocument": at["textDocument"], "range": empty(at),
		"context": map[string]any{"diagnostics": []any{}}}).([]any); len(actions) != 1 {
		t.Errorf("offered: %v", actions)
	}
	n.bye()
}

// TestGuessesUnreached: in code that no node comes to, a guess is tried against what can be told of such code. The same
// mistake may stand elsewhere.
func TestGuessesUnreached(t *testing.T) {
	const m = "modules/web/manifests/"
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp": "node default {\n  include web\n}\n",
		m + "init.pp":       "class web {\n  web::host { 'a': }\n}\n",
		m + "host.pp":       "define web::host ($ensure = present) {\n  notify { $title: }\n}\n",
		m + "good.pp":       "class web::good {\n  web_host { 'b': ensure => absent }\n}\n",
		m + "other.pp":      "class web::other {\n  web_host { 'c': ensure => absent }\n}\n",
		m + "bad.pp":        "class web::bad {\n  web_host { 'd': register => 0 }\n}\n",
	})
	n.rest()
	for file, want := range map[string]int{"good.pp": 1, "other.pp": 1, "bad.pp": 0} {
		at := n.pos(m+file, "web_host", 1)
		if got := n.ask("textDocument/codeAction", map[string]any{"textDocument": at["textDocument"], "range": empty(at),
			"context": map[string]any{"diagnostics": []any{}}}).([]any); len(got) != want {
			t.Errorf("%s: %v", file, got)
		}
	}
	n.bye()
}

// TestGuessEach: of several mistakes each has its edit, though a node that comes to one says nothing of those behind
// it; and an edit does what its title says, and no more.
func TestGuessEach(t *testing.T) {
	const file = "modules/web/manifests/init.pp"
	for _, x := range []struct{ text, word, title, want string }{
		{"$x = $retrys + 1\n  $y = upcse('x')\n", "retrys", "write retries for retrys",
			"$x = $retries + 1\n  $y = upcse('x')\n"},
		{"$x = $retrys + 1\n  $y = upcse('x')\n", "upcse", "write upcase for upcse",
			"$x = $retrys + 1\n  $y = upcase('x')\n"},
		{"$x = $retrys + 1\n  $y = $ratries\n", "retrys", "write retries for retrys",
			"$x = $retries + 1\n  $y = $ratries\n"},
		{"$x = $retrys + 1\n  $y = $retrys\n", "retrys", "write retries for retrys",
			"$x = $retries + 1\n  $y = $retrys\n"},
		{"$x = $retrys + 1\n  $y = $osfamily\n", "retrys", "write retries for retrys",
			"$x = $retries + 1\n  $y = $osfamily\n"},
		{"$y = $osfamily\n  $x = $retrys + 1\n  $z = $::osfamily\n", "osfamily", "read facts by their new names",
			"$y = $facts['os']['family']\n  $x = $retrys + 1\n  $z = $::osfamily\n"},
		{"$y = $osfamily\n  $z = $::osfamily\n", "osfamily", "read facts by their new names",
			"$y = $facts['os']['family']\n  $z = $facts['os']['family']\n"},
		{"$x = $retrys + 1\n  $y = $nothing_like_it\n", "retrys", "write retries for retrys",
			"$x = $retries + 1\n  $y = $nothing_like_it\n"},
		{"$x = $retrys + 1\n  $y = nothing_like_it()\n", "retrys", "write retries for retrys",
			"$x = $retries + 1\n  $y = nothing_like_it()\n"},
		{"$x = $retrys + 1\n  if $x > 1 { fail('no') }\n", "retrys", "", ""},
	} {
		n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n",
			"facts/a.json":      `{"fqdn": "a", "os": {"family": "Debian", "name": "Debian"}}`,
			"manifests/site.pp": "node default {\n  include web\n}\n",
			file:                "class web (Integer $retries = 3) {\n  " + x.text + "}\n"})
		n.rest()
		p := n.pos(file, x.word, 1)
		title, got := "", ""
		for _, a := range n.ask("textDocument/codeAction", map[string]any{"textDocument": p["textDocument"],
			"range": empty(p), "context": map[string]any{"diagnostics": []any{}}}).([]any) {
			title = a.(map[string]any)["title"].(string)
			if edit := a.(map[string]any)["edit"].(map[string]any); edit != nil {
				got = n.written(edit)[file]
			}
		}
		want := x.want
		if want != "" {
			want = "class web (Integer $retries = 3) {\n  " + want + "}\n"
		}
		if title != x.title || got != want {
			t.Errorf("%s:\n%s\n%s", x.text, title, got)
		}
		n.bye()
	}
}

// TestGuessOnce: an edit is offered once, also if nodes have the problem in words of their own.
func TestGuessOnce(t *testing.T) {
	const site = "manifests/site.pp"
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"facts/b.json": `{"fqdn": "b"}`, site: "include web::subb\n",
		"modules/web/manifests/sub.pp": "class web::sub {\n}\n"})
	n.rest()
	actions := n.actions(site, "web::subb", 1)
	if len(actions) != 1 || len(actions[0]["diagnostics"].([]any)) != 2 {
		t.Errorf("%v", actions)
	}
	n.bye()
}
