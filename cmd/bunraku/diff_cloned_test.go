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
