package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExplainPolicy plants leaks and influences of every sort that flows go, each beside code that is fine.
func TestExplainPolicy(t *testing.T) {
	const data = "db::password: 'hunter2'\nrole: web\nsudo: yes\n"
	secret := "hiera:db::password may reach File[/etc/secret].content\n"
	role := "fact:role never decide File[/etc/sudoers].content\n"
	for _, c := range []struct {
		name, code, policy string
		want               []string // nil when no rule is broken
	}{
		{"where it may", "file { '/etc/secret': content => Sensitive(lookup('db::password')) }\n", secret, nil},
		{"interpolation", "$p = lookup('db::password')\nfile { '/etc/leak': content => \"x ${p}\" }\n", secret,
			[]string{"db::password", "reaches File[/etc/leak] content"}},
		{"template", "$p = lookup('db::password')\nfile { '/etc/leak': content => inline_template('<%= @p %>') }\n", secret,
			[]string{"reaches File[/etc/leak] content"}},
		{"key of a hash", "$h = { lookup('db::password') => 1 }\n$h.each |$k, $v| { notify { 'n': message => $k } }\n", secret,
			[]string{"reaches Notify[n] message"}},
		{"title", "notify { lookup('db::password'): }\n", secret, []string{"reaches Notify["}},
		{"function", "notify { 'n': message => md5(lookup('db::password')) }\n", secret, []string{"reaches Notify[n] message"}},
		{"define", "define d($x) { notify { $title: message => $x } }\nd { 'n': x => lookup('db::password') }\n", secret,
			[]string{"reaches Notify[n] message"}},
		{"collector", "notify { 'n': }\nNotify<| title == 'n' |> { message => lookup('db::password') }\n", secret,
			[]string{"reaches Notify[n] message"}},
		{"branch", "$t = $facts['role'] ? { 'web' => 'a', default => 'b' }\nfile { '/etc/sudoers': content => $t }\n", role,
			[]string{"fact role", "decides File[/etc/sudoers] content"}},
		{"no branch", "file { '/etc/sudoers': content => 'a' }\nnotify { $facts['role']: }\n", role, nil},
		{"existence", "if $facts['role'] == 'web' { file { '/etc/sudoers': content => 'a' } }\n", role,
			[]string{"decides File[/etc/sudoers] content"}},
		{"absence of a fact", "$t = $facts['gone'] ? { undef => 'a', default => 'b' }\nfile { '/etc/sudoers': content => $t }\n",
			"fact:gone never decide File[/etc/sudoers].content\n", []string{"decides File[/etc/sudoers] content"}},
		{"only code", "file { '/etc/sudoers': content => lookup('sudo') }\n",
			"File[/etc/sudoers].content decided only by manifests/*\n", []string{"data/common.yaml"}},
		{"a set", "file { '/etc/sudoers': content => 'x' }\n",
			"let ops = manifests/* # what operators review\nFile[/etc/sudoers].content decided only by ops or absences\n", nil},
		{"in the clear", "$p = Sensitive(lookup('db::password'))\nnotify { 'n': message => $p.unwrap }\n",
			"secret may reach nothing\n", []string{"reaches Notify[n] message"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gap{files: site(c.code, "hiera.yaml", oneLevel, "data/common.yaml", data, "bunraku.policy", c.policy,
				"facts/n.json", `{"name":"n","values":{"role":"web"}}`)}
			dir := g.write(t)
			code, out, err := call("explain", dir, "--node", "n", "--policy", filepath.Join(dir, "bunraku.policy"))
			text := strings.ReplaceAll(out+err, dir, "")
			if missing := inOrder(text, c.want...); missing != "" || (code == 2) != (c.want != nil) || code == 1 {
				t.Errorf("exit %d; %q is missing in\n%s", code, missing, text)
			}
		})
	}
	bad := filepath.Join(t.TempDir(), "policy")
	for i, text := range []string{"nonsense\n", "let x 1\n", "hiera:a may reach Fil\n", "word never decide title\n"} {
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, err := call("explain", shop, "--policy", bad); code != 1 || !strings.Contains(err, "policy:1: ") {
			t.Errorf("policy %d: exit %d, %s", i, code, err)
		}
	}
}
