package main

import (
	"fmt"
	"strings"
	"testing"
)

// A hunk that does nothing by itself, and that others need, is not said to be without effect; nor is what several hunks
// come to the same with said not to be asked for.
func TestDiffNeeded(t *testing.T) {
	for _, x := range []struct {
		name     string
		old, new map[string]string
		not      []string // without effect
		needed   string
	}{
		{"data that moves to where another level has it", map[string]string{"manifests/site.pp": "notice(lookup('k'))\n",
			"hiera.yaml": "version: 5\ndefaults: {data_hash: yaml_data}\nhierarchy:\n- {name: r, path: r.yaml}\n" +
				"- {name: c, path: c.yaml}\n", "data/c.yaml": "x: 1\nk: v\n", "data/r.yaml": "y: 1\n"},
			map[string]string{"data/c.yaml": "x: 1\n", "data/r.yaml": "y: 1\nk: v\n"},
			[]string{"no node asks for it"}, "data/r.yaml:2"},
		{"a template that is renamed", map[string]string{
			"manifests/site.pp":                    "notify { 'a': message => epp('profile/a.epp') }\n",
			"site-modules/profile/templates/a.epp": "1\n"},
			map[string]string{"manifests/site.pp": "notify { 'a': message => epp('profile/b.epp') }\n",
				"site-modules/profile/templates/b.epp": "1\n"},
			[]string{"b.epp, new   (no node asks for it)"}, "site-modules/profile/templates/b.epp, new"},
		{"a class that moves into a condition", map[string]string{
			"manifests/site.pp":                    "include local\nif $facts['kernel'] == 'Linux' {\n}\n",
			"site-modules/local/manifests/init.pp": "class local { notify { 'a': } }\n"},
			map[string]string{"manifests/site.pp": "if $facts['kernel'] == 'Linux' {\n  include local\n}\n"},
			[]string{"come to the same"}, "manifests/site.pp:2"},
		{"two that need one another, in what a third one brings", map[string]string{"manifests/site.pp": "\n",
			"hiera.yaml":                           "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
			"data/c.yaml":                          "k: v\n",
			"site-modules/local/manifests/init.pp": "class local { notify { 'a': message => lookup('k') } }\n"},
			map[string]string{"manifests/site.pp": "include local\n", "data/c.yaml": "l: v\n",
				"site-modules/local/manifests/init.pp": "class local { notify { 'a': message => lookup('l') } }\n"},
			[]string{"without effect"}, "data/c.yaml:1, site-modules/local/manifests/init.pp:1"},
		{"a file that another hunk puts on nodes", map[string]string{"manifests/site.pp": "\n",
			"site-modules/local/files/a": "old\n"},
			map[string]string{"manifests/site.pp": "file { '/a': source => 'puppet:///modules/local/a' }\n",
				"site-modules/local/files/a": "new\n"},
			[]string{"without effect"}, "site-modules/local/files/a:1"},
		{"what nobody needs", map[string]string{"manifests/site.pp": "notify { 'a': message => 'old' }\n"},
			map[string]string{"manifests/site.pp": "notify { 'a': message => 'new' }\n", "data/unused.yaml": "a: 1\n"},
			[]string{"no effect seen"}, ""},
	} {
		s := newRepository(t)
		for _, files := range []map[string]string{x.old, x.new} {
			for name, text := range files {
				s.write(name, text)
			}
			s.commit(x.name)
		}
		_, out := s.diff("--from", "HEAD~1", "--to", "HEAD")
		_, told, _ := strings.Cut(out, "no effect seen")
		if x.needed != "" && !strings.Contains(told, x.needed+
			"   (by itself; without it other hunks would do something else)") {
			t.Errorf("%s: %s is needed\n%s", x.name, x.needed, out)
		}
		for _, text := range x.not {
			if strings.Contains(out, text) {
				t.Errorf("%s: it says %q\n%s", x.name, text, out)
			}
		}
	}
}

// What a hunk does, or would have to, on a node that is not among the first, or that has something else each time.
func TestDiffNeededFar(t *testing.T) {
	const hiera = "version: 5\nhierarchy: [{name: high, path: high.yaml}, {name: low, path: low.yaml}]\n"
	s := newTree(t, 70, 1, map[string]string{"hiera.yaml": hiera, "data/high.yaml": "k: v\nz: q\n",
		"data/low.yaml": "z: r\n",
		"manifests/site.pp": "$key = $facts['role'] ? { 'b' => 'k', default => 'z' }\n" +
			"notify { 'n': message => lookup($key) }\n"})
	s.edit("data/high.yaml", "k: v\nz: q\n", "y: 1\n")
	s.edit("data/low.yaml", "z: r\n", "z: r\nw: 2\nk: v\n")
	if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "data/low.yaml:2-3   (by itself; without it") {
		t.Error(out)
	}
	s = newTree(t, 1, 0, map[string]string{"hiera.yaml": hiera, "data/high.yaml": "z: q\n",
		"manifests/site.pp": "notify { 't': message => String(Timestamp.new()) }\nnotify { 'n': message => lookup('z') }\n"})
	s.edit("data/high.yaml", "z: q\n", "z: r\n")
	s.edit("manifests/site.pp", "('z') }\n", "('z') }\n# a comment\n")
	if _, out := s.diff("--from", "HEAD"); strings.Contains(out, "without effect") ||
		!strings.Contains(out, "manifests/site.pp:3   (of 1 of the 1 nodes that were looked at something is not known") {
		t.Error(out)
	}
}

// Of very many hunks those of a file are tried together: what they do not do together one may do by itself, so nothing
// is said of it alone.
func TestDiffTogether(t *testing.T) {
	level := func(names ...string) string {
		return "version: 5\nhierarchy:\n- name: a\n  path: " + names[0] + "\n\n\n\n- name: b\n  path: " + names[1] + "\n"
	}
	files := map[string]string{"hiera.yaml": level("a.yaml", "b.yaml"), "data/a.yaml": "k: v\n", "data/b.yaml": "z: w\n",
		"manifests/site.pp": "notify { 'n': message => lookup('k') }\nnotify { 'z': message => lookup('z') }\n"}
	for i := range 60 {
		files[fmt.Sprintf("data/unused%d.yaml", i)] = "a: 1\n"
	}
	s := newTree(t, 1, 0, files)
	for i := range 60 {
		s.edit(fmt.Sprintf("data/unused%d.yaml", i), "1", "2")
	}
	s.edit("hiera.yaml", level("a.yaml", "b.yaml"), level("b.yaml", "a.yaml"))
	const told = "hiera.yaml:4, hiera.yaml:9   (no node asks for it; the 2 hunks of the file taken together)"
	if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "No differences") || !strings.Contains(out, told) {
		t.Error(out)
	}
}

// Of a node that compiles again it counts what it has then: a hunk that adds to that is not without effect, though by
// itself it does not mend anything.
func TestDiffNeededByMended(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{
		"manifests/site.pp": "notify { lookup('a'): }\nnotify { 'b': message => lookup('b', default_value => 'none') }\n",
		"hiera.yaml":        "version: 5\nhierarchy:\n  - name: all\n    paths: [one.yaml, two.yaml, three.yaml]\n",
		"data/none.yaml":    "---\n"})
	s.put("data/one.yaml", "a: mended\n")
	s.put("data/two.yaml", "b: there\n")
	s.put("data/three.yaml", "c: nobody asks\n")
	code, out := s.diff("--from", "HEAD")
	for _, want := range []string{"compiles again", "no effect seen   data/two.yaml, new   (by itself; without it",
		"without effect   data/three.yaml, new"} {
		if code != 2 || !strings.Contains(out, want) {
			t.Errorf("%d, no %q\n%s", code, want, out)
		}
	}
}
