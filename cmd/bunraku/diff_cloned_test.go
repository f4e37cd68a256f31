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

// clonedDiff compares what a test wrote last with what it wrote before, and looks for texts; those that begin with ! must
// not be there.
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
	for code, file := range map[string]string{
		"$m = $on ? { true => 'old', default => 'd' } notify { 'z': message => $m }":               "site/profile/manifests/base.pp",
		"$m = 'x' ? { $sub => 'old', default => 'd' } notify { 'z': message => $m }":               "site/profile/manifests/base.pp",
		"notify { 'z': message => $on ? { true => fail('old'), default => 'd' } }":                 "site/profile/manifests/base.pp",
		"notify { 'z': message => $on ? { true => lookup('a'), default => 'd' } }":                 "data/common.yaml",
		"$m = $on and lookup('a') == 'old' notify { 'z': message => $m }":                          "data/common.yaml",
		"notify { 'z': message => lookup(\"a${sub}\", { 'default_value' => 1 }) }":                 "data/common.yaml",
		"notify { 'z': message => template(\"profile/${sub}.erb\") }":                              "site/profile/templates/x.erb",
		"notify { 'z': message => epp(\"profile/${sub}.epp\") }":                                   "site/profile/templates/x.epp",
		"notify { 'z': message => file(\"profile/${sub}\") }":                                      "site/profile/files/x",
		"file { '/z': source => \"puppet:///modules/profile/${sub}\" }":                            "site/profile/files/x",
		"file { '/z': source => [\"puppet:///modules/profile/${sub}\", 'puppet:///modules/a/b'] }": "site/profile/files/x",
		"notify { 'z': message => call(\"profile::${sub}\") }":                                     "site/profile/functions/x.pp",
	} {
		s := clonedTree(t, map[string]string{
			"site/profile/manifests/base.pp": class + code + "\n}\n",
			"site/profile/templates/x.erb":   "old\n", "site/profile/templates/x.epp": "old\n", "site/profile/files/x": "old\n",
			"site/profile/functions/x.pp": "function profile::x() { 'old' }\n", "data/common.yaml": "a: old\n",
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
			"case $on { false: { " + stop + " } default: { " + run + " } }", []string{"Package[p] ensure", "Service[s] ensure"}},
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
	const away = "version: 5\ndefaults:\n  datadir: hieradata\n  data_hash: yaml_data\nhierarchy:\n  - name: c\n    path: common.yaml\n"
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
			clonedDiff(t, s, c.class, c.want, "1 cannot change", "!not known")
		}
	}
}
