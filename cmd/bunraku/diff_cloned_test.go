package main

import (
	"strings"
	"testing"
)

// clonedTree is a small control repo as it was cloned: one node with the class profile::base, some parameters of which
// Hiera has no value.
func clonedTree(t *testing.T, files map[string]string) *repository {
	all := map[string]string{
		"environment.conf":  "modulepath = site:modules\n",
		"manifests/site.pp": "node 'd.example.com' { include profile::base }\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: n\n    path: nodes/%{trusted.certname}.yaml\n" +
			"  - name: c\n    path: common.yaml\n",
		"data/common.yaml": "a: 1\n",
	}
	for name, text := range files {
		all[name] = text
	}
	return newTree(t, 0, 0, all)
}

// clonedDiff compares what a test wrote last with what it wrote before, and looks for texts; those that begin with !
// must not be there.
func clonedDiff(t *testing.T, s *repository, what string, want int, text ...string) {
	t.Helper()
	s.commit(what)
	code, out, errs := call("diff", s.dir, "HEAD~1..HEAD")
	for _, w := range text {
		if no, is := strings.CutPrefix(w, "!"); is == strings.Contains(out, no) {
			t.Errorf("%s: %q: %t\n%s", what, no, is, out)
		}
	}
	if code != want {
		t.Errorf("%s: exit %d, not %d\n%s%s", what, code, want, out, errs)
	}
}

// Of what a selector leads to that was not made, and of templates, files, functions and keys that are called by what is
// not known, nothing was asked: that a hunk in them has no effect is not claimed.
func TestDiffClonedNamesNotKnown(t *testing.T) {
	const class = "class profile::base(Boolean $on, String $sub, Array $l) {\n"
	const in, data, base = "site/profile/", "data/common.yaml", "site/profile/manifests/base.pp"
	for code, file := range map[string]string{
		"$m = $on ? { true => 'old', default => 'd' } notify { 'z': message => $m }":               base,
		"$m = 'x' ? { $sub => 'old', default => 'd' } notify { 'z': message => $m }":               base,
		"notify { 'z': message => $on ? { true => fail('old'), default => 'd' } }":                 base,
		"notify { 'z': message => $on ? { true => lookup('a'), default => 'd' } }":                 data,
		"$m = $on and lookup('a') == 'old' notify { 'z': message => $m }":                          data,
		"notify { 'z': message => lookup(\"a${sub}\", { 'default_value' => 1 }) }":                 data,
		"notify { 'z': message => template(\"profile/${sub}.erb\") }":                              in + "templates/x.erb",
		"notify { 'z': message => epp(\"profile/${sub}.epp\") }":                                   in + "templates/x.epp",
		"notify { 'z': message => file(\"profile/${sub}\") }":                                      in + "files/x",
		"file { '/z': source => \"puppet:///modules/profile/${sub}\" }":                            in + "files/x",
		"file { '/z': source => [\"puppet:///modules/profile/${sub}\", 'puppet:///modules/a/b'] }": in + "files/x",
		"notify { 'z': message => call(\"profile::${sub}\") }":                                     in + "functions/x.pp",
	} {
		s := clonedTree(t, map[string]string{
			base: class + code + "\n}\n", data: "a: old\n",
			in + "templates/x.erb": "old\n", in + "templates/x.epp": "old\n", in + "files/x": "old\n",
			in + "functions/x.pp": "function profile::x() { 'old' }\n",
		})
		s.edit(file, "old", "new")
		clonedDiff(t, s, code, 3, "no effect seen", file, "1 not known", "!No differences", "!without effect")
	}
}

// What stands behind a decision that is not known is possible, on whichever side: no change of it is sure.
func TestDiffClonedGuesses(t *testing.T) {
	const file = "site/profile/manifests/base.pp"
	const run = "package { 'p': ensure => 'present' } service { 's': ensure => 'running' }"
	const stop = "package { 'p': ensure => 'absent' } service { 's': ensure => 'stopped' }"
	const one, two = "notify { 'z': message => '1' }", "notify { 'z': message => '2' }"
	for _, c := range []struct {
		old, new string
		text     []string
	}{
		{"case $on { true: { " + run + " } default: { " + stop + " } }",
			"case $on { false: { " + stop + " } default: { " + run + " } }",
			[]string{"Package[p] ensure", "Service[s] ensure"}},
		{"if $on { " + one + " } else { " + two + " }", "if !$on { " + two + " } else { " + one + " }",
			[]string{"Notify[z] message"}},
		{"service { 's': ensure => 'running' }", "if $on { service { 's': ensure => 'running' } }", []string{"Service[s]"}},
		{"if $on { include profile::far }", "include profile::far", []string{"Notify[far]"}},
		{"if $sub == 'a' { } elsif $sub == 'b' { include profile::far }", "include profile::far", []string{"Notify[far]"}},
		{"include profile::far", "case $sub { 'a': { } 'b', 'c': { include profile::far } 'd': { } default: { } }",
			[]string{"Notify[far]"}},
		{"include profile::far\nNotify<| |> { withpath => true }",
			"include profile::far\nif $on { Notify<| |> { withpath => true } }", []string{"Notify[far] withpath"}},
	} {
		const class = "class profile::base(Boolean $on, String $sub) {\n"
		s := clonedTree(t, map[string]string{file: class + c.old + "\n}\n",
			"site/profile/manifests/far.pp": "class profile::far { notify { 'far': } }\n"})
		s.edit(file, c.old, c.new)
		clonedDiff(t, s, c.new, 3, append(c.text, file+":", "   from ", "profile::base::", "1 not known",
			"!starts", "!leaves behind", "!A  on")...)
		s.edit(file, c.new, c.new+"\nnotify { 'sure': }") // beside it, what is sure is told
		clonedDiff(t, s, c.new, 2, "+ Notify[sure]", "A  on 1 node", "!- Notify[far]")
	}
}

// Where Hiera looks for data in what is not there, a default proves nothing; neither does what only a server has, nor a
// value that may be made of data which change. A level that has no file for a node is known.
func TestDiffClonedData(t *testing.T) {
	const file, data = "site/profile/manifests/base.pp", "data/common.yaml"
	const away = "version: 5\ndefaults:\n  datadir: hieradata\n  data_hash: yaml_data\n" +
		"hierarchy:\n  - name: c\n    path: common.yaml\n"
	for _, c := range []struct {
		class, hiera, file string
		want               int
	}{
		{"class profile::base(Boolean $on = false) { if $on { notify { 'z': message => 'old' } } }", away, file, 3},
		{"class profile::base { if lookup('l', { 'default_value' => false }) { notify { 'old': } } }", away, file, 3},
		{"class profile::base { if lookup('l', { 'default_value' => false }) { notify { 'old': } } }", "", file, 0},
		{"class profile::base(String $motd) { file { '/etc/motd': content => $motd } }", "", data, 3},
		{"class profile::base(String $motd) { file { '/etc/motd': content => $motd } }", "", "README.md", 0},
		{"class profile::base { if find_file('/nowhere/xx') { notify { 'old': } } }", "", file, 3},
		{"class profile::base { if file('/nowhere/xx', '/dev/null') =~ /a/ { notify { 'old': } } }", "", file, 3},
		{"class profile::base { if find_file('profile/xx') { notify { 'old': } } }", "", file, 0},
	} {
		files := map[string]string{file: c.class + "\n", data: "a: old\n", "README.md": "old\n"}
		if c.hiera != "" {
			files["hiera.yaml"] = c.hiera
		}
		s := clonedTree(t, files)
		s.edit(c.file, "old", "new")
		if c.want == 3 {
			clonedDiff(t, s, c.class, c.want, "no effect seen", c.file, "1 not known", "!No differences")
		} else {
			clonedDiff(t, s, c.class, c.want, "1 not seen to change", "!not known")
		}
	}
}

// That the new side refuses a system on which the old one compiles is told, though there are systems that it takes;
// nothing is told of a refusal that a fact of real machines may spare them.
func TestDiffClonedRefusals(t *testing.T) {
	const file, class = "site/profile/manifests/base.pp", "class profile::base {\n"
	const choice = "$p = $facts['os']['family'] ? { 'Debian' => 'apt', 'RedHat' => 'yum', default => 'x' }\n" +
		"notify { $p: }\n}\n"
	s := clonedTree(t, map[string]string{file: class + choice})
	s.edit(file, class, class+"if $facts['os']['family'] == 'Debian' { fail('not for Debian') }\n")
	clonedDiff(t, s, "a system", 1, "newly failing on 1 node", "not for Debian", "d.example.com on debian-12 (invented)",
		"base.pp:2", "2 nodes", "!without effect")
	s.edit(file, class, class+"# more of it\n")
	clonedDiff(t, s, "it was refused before", 0, "!newly failing")
	s = clonedTree(t, map[string]string{file: class + choice})
	s.edit(file, class, class+"unless $facts['role'] { fail('which role?') }\n")
	clonedDiff(t, s, "a fact", 3, "!newly failing", "which role?")
}

// Of real machines nodes that nobody has say nothing: that is told, once, and no line is without effect.
func TestDiffClonedInvented(t *testing.T) {
	const file = "site/profile/manifests/base.pp"
	s := clonedTree(t, map[string]string{file: "class profile::base { notify { 'a': } }\n",
		"site/profile/manifests/far.pp": "class profile::far { notify { 'old': } }\n"})
	s.edit("site/profile/manifests/far.pp", "old", "new")
	s.commit("a class that nobody includes")
	for _, format := range []string{"text", "markdown"} {
		code, out, _ := call("diff", s.dir, "HEAD~1..HEAD", "--format", format)
		for _, want := range []string{"No differences seen on the invented nodes.", "1 not seen to change", "no effect seen",
			"on the invented nodes: no node asks for it"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: there is no %q in\n%s", format, want, out)
			}
		}
		if code != 0 || strings.Contains(out, "ithout effect") || strings.Contains(out, "cannot change") ||
			strings.Count(out, "real machines may make a difference") != 1 {
			t.Errorf("%s: exit %d\n%s", format, code, out)
		}
	}
}

// What nodes were invented for may go and come: that is no failure of the code.
func TestDiffClonedGone(t *testing.T) {
	roles := map[string]string{"manifests/site.pp": "",
		"site/profile/manifests/base.pp": "class profile::base { }\n",
		"site/role/manifests/a.pp":       "class role::a { notify { 'a': } }\n",
		"site/role/manifests/b.pp":       "class role::b { notify { 'b': } }\n"}
	s := clonedTree(t, roles)
	s.git("mv", "site/role/manifests/b.pp", "site/role/manifests/c.pp")
	s.edit("site/role/manifests/c.pp", "role::b", "role::c")
	clonedDiff(t, s, "a role is called otherwise", 2, "gone on 1 node", "new on 1 node", "1 gone, 1 new",
		"role::b on debian-12", "b.pp", "!newly failing", "!compiles again")
	s.edit("site/role/manifests/a.pp", "notify { 'a': }", "include role::c")
	s.commit("it is used")
	s.git("rm", "-q", "site/role/manifests/c.pp")
	clonedDiff(t, s, "and gone", 1, "gone on 1 node", "newly failing on 1 node")

	roles["manifests/site.pp"] = "node 'd.example.com' { include role::a }\nnode 'e.example.com' { include role::b }\n"
	s = clonedTree(t, roles)
	s.edit("manifests/site.pp", "node 'e.example.com' { include role::b }\n", "")
	clonedDiff(t, s, "a node statement", 2, "gone on 1 node", "e.example.com", "!newly failing")
	s.edit("site/role/manifests/b.pp", "'b'", "'c'")
	clonedDiff(t, s, "a role that no node statement is for", 2, "Notify[b]", "Notify[c]", "!not compared")
}

// All formats say that a node was not compared, and of every hunk what is known of it.
func TestDiffClonedTold(t *testing.T) {
	const file = "site/profile/manifests/base.pp"
	s := clonedTree(t, map[string]string{file: "class profile::base { notify { 'a': message => 1 } }\n"})
	s.edit(file, "=> 1", "=> $facts['my'] + 1")
	clonedDiff(t, s, "a fact", 3, "1 not compared", "no effect seen", file+":1", "1 of the 1 nodes was not compared")
	for _, format := range []string{"github", "gitlab", "sarif", "junit"} {
		if code, out, _ := call("diff", s.dir, "HEAD~1..HEAD", "--format", format); code != 3 ||
			!strings.Contains(out, "not compared: ") || !strings.Contains(out, "D202") && format != "junit" {
			t.Errorf("%s: exit %d\n%s", format, code, out)
		}
	}
	s = clonedTree(t, map[string]string{file: "class profile::base(Ngx::Port $p = 80) { notify { 'a': message => $p } }\n",
		"Puppetfile": "mod 'x/ngx', '1.0.0'\n"})
	s.edit("data/common.yaml", "a: 1", "profile::base::p: 8000")
	clonedDiff(t, s, "a value of a type that is not there", 2, "80 → 8000",
		"whether types that are not there take what changes: ngx::port")
}

// A module may be called as a word of Ruby is.
func TestDiffClonedPuppetfileWords(t *testing.T) {
	for _, mod := range []string{"mod 'puppetlabs/exec', '0.1.0'\nmod 'puppet/hiera', '3.3.1'\n",
		"mod \"load\",\n  git: 'https://example.com/load.git'\nmod('puppet-hiera', '1.0.0')\n"} {
		s := clonedTree(t, map[string]string{"site/profile/manifests/base.pp": "class profile::base { include exec }\n",
			"Puppetfile": mod})
		s.edit("hiera.yaml", "  - name: c\n", "  - name: d\n    path: d.yaml\n  - name: c\n")
		clonedDiff(t, s, mod, 3, "!another version", "!other versions", "modules do that are not there")
	}
}
