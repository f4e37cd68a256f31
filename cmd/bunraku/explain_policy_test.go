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
		{"key of a hash", "$h = { lookup('db::password') => 1 }\n$h.each |$k, $v| { notify { 'n': message => $k } }\n",
			secret,
			[]string{"reaches Notify[n] message"}},
		{"title", "notify { lookup('db::password'): }\n", secret, []string{"reaches Notify["}},
		{"function", "notify { 'n': message => md5(lookup('db::password')) }\n", secret,
			[]string{"reaches Notify[n] message"}},
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
		if code, _, err := call("explain", shop, "--policy", bad); code != 1 || !strings.Contains(err, "policy:1:1") {
			t.Errorf("policy %d: exit %d, %s", i, code, err)
		}
	}
}

// TestCheckPolicy: check holds every node against the environment's own policy; comments and baselines take violations
// out of the count, CODEOWNERS says who owns what, and exported resources are looked at.
func TestCheckPolicy(t *testing.T) {
	const leak = "file { '/etc/leak': content => \"x ${lookup('db::password')}\" }\n"
	facts := []string{"facts/n.json", `{"name":"n","values":{"role":"web","os":{"family":"Debian"}}}`,
		"facts/o.json", `{"name":"o","values":{"role":"db","os":{"family":"Debian"}}}`}
	for _, c := range []struct {
		name, code, policy string
		more               []string
		exit               int
		want               []string
	}{
		{"a leak on two nodes", leak, "hiera:db::password may reach nothing\n", nil, exitNo,
			[]string{"V401", "File[/etc/leak] content is made of hiera:db::password", "which may reach nothing",
				"bunraku.policy:1:1",
				"data/common.yaml:1:15", "n, o"}},
		{"a comment", "# bunraku:ignore V401 known\n" + leak, "hiera:db::password may reach nothing\n", nil, exitFine,
			[]string{"1 ignored"}},
		{"an export", "@@notify { 'x': message => lookup('db::password') }\n", "hiera:db::password never decide exported\n",
			nil, exitNo,
			[]string{"V402", "Notify[x] message, which is exported"}},
		{"what may not be exported", "@@notify { 'x': message => lookup('db::password') }\n",
			"hiera:db::password may reach exported\n", nil,
			exitFine, nil},
		{"an owner", "notify { 'x': message => lookup('sudo') }\n",
			"Notify[x].message decided only by owner:@ops or absences\n",
			[]string{"CODEOWNERS", "* @ops\n/data/ @everybody\n"}, exitNo,
			[]string{"decided by hiera:sudo in", "data/common.yaml"}},
		{"the right owner", "notify { 'x': message => lookup('sudo') }\n",
			"Notify[x].message decided only by owner:@ops or absences\n",
			[]string{".github/CODEOWNERS", "* @ops\n/facts/ @everybody\n"}, exitFine, nil},
		{"no owners", "notify { 'x': }\n", "Notify[x] decided only by owner:@ops\n", nil, exitFailed, []string{"CODEOWNERS"}},
		{"code", "include m\n", "Notify[x] decided only by manifests/* or absences\n",
			[]string{"modules/m/manifests/init.pp", "class m { notify { 'x': } }\n"}, exitNo,
			[]string{"decided by", "modules/m/manifests/init.pp"}},
		{"code and more", "include m\n", "Notify[x] decided only by manifests/* modules/m/* or absences\n",
			[]string{"modules/m/manifests/init.pp", "class m { notify { 'x': } }\n"}, exitFine, nil},
		{"a function that may", "notify { 'x': message => md5(lookup('db::password')) }\n",
			"declassify md5\nhiera:db::password may reach nothing\n", nil, exitFine, nil},
		{"a function of Puppet's that may", "function f($x) { \"${x}!\" }\nnotify { 'x': message => " +
			"f(lookup('db::password')) }\n",
			"declassify f\nhiera:db::password may reach nothing\n", nil, exitFine, nil},
		{"the clear copy of a secret", "$s = Sensitive(lookup('db::password'))\nnotify { 'x': message => " +
			"lookup('db::password') }\n",
			"secret may reach nothing\n", nil, exitNo, []string{"V401", "Notify[x] message"}},
		{"readable by all", "file { '/a': content => lookup('sudo'), mode => 'u=rw,go=r' }\nfile { '/b': content => " +
			"lookup('sudo'), mode => '0640' }\n",
			"hiera:sudo never decide world-readable\n", nil, exitNo, []string{"File[/a] content"}},
		{"no rule", "notify { 'x': }\n", "x\n", nil, exitFailed, []string{"A0101", "bunraku.policy:1:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gap{files: site(c.code, append(append([]string{"hiera.yaml", oneLevel, "data/common.yaml",
				"db::password: 'hunter2'\nsudo: 'yes'\n", "bunraku.policy", c.policy}, facts...), c.more...)...)}
			dir := g.write(t)
			code, out, err := call("check", dir)
			text := strings.ReplaceAll(out+err, dir+"/", "")
			if missing := inOrder(text, c.want...); missing != "" || code != c.exit || strings.Contains(text, "hunter2") {
				t.Errorf("exit %d; %q is missing in\n%s", code, missing, text)
			}
			if c.exit != exitNo {
				return
			}
			known := filepath.Join(t.TempDir(), "known.json")
			if code, _, err := call("check", dir, "--write-baseline", known); code != exitFine {
				t.Errorf("writing a baseline: exit %d, %s", code, err)
			}
			if code, out, err := call("check", dir, "--baseline", known); code != exitFine {
				t.Errorf("with the baseline: exit %d, %s", code, out+err)
			}
		})
	}
}
