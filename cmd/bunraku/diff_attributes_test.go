package main

import (
	"strings"
	"testing"
)

// attributed is a tree with a file that a node has the content of.
func attributed(t *testing.T, text, attributes string) *repository {
	files := map[string]string{"modules/m/files/a": text, "modules/m/files/b": "b\n",
		"manifests/site.pp": "notify { 'a': message => file('m/a') }\n"}
	if attributes != "" {
		files[".gitattributes"] = attributes
	}
	return newTree(t, 1, 0, files)
}

// What .gitattributes makes of a file changes with it. No line of the file was written anew, and no facts changed.
func TestDiffAttributes(t *testing.T) {
	s := attributed(t, "1\n2\n", "")
	s.put(".gitattributes", "a text eol=crlf\n")
	s.commit("another line end")
	s.expect(2, `
site   HEAD~1 (HASH) → HEAD (HASH)   1 hunk
1 node: 1 changed   N s

A  on 1 node
     Notify[a] message
       -1
       -2
       +1\u{d}
       +2\u{d}
   from  modules/m/files/a:1-2
   on    n000

What git stores is the same on both sides, and a changed .gitattributes has it checked out with other bytes: modules/m/files/a.
`, "--from", "HEAD~1", "--to", "HEAD")
	s.put(".gitattributes", "b text eol=lf\na text eol=crlf\n")
	s.commit("nothing changes")
	s.expect(0, `
site   HEAD~1 (HASH) → HEAD (HASH)   1 hunk
1 node: 1 cannot change   N s
No differences.

without effect   .gitattributes:1   (no node asks for it)
`, "--from", "HEAD~1", "--to", "HEAD")
}

// The names of blobs are in a file as a checkout has them.
func TestDiffIdent(t *testing.T) {
	s := attributed(t, "$Id$\n", "a ident\n")
	s.put("modules/m/files/a", "$Id$ 2\n")
	s.commit("two")
	code, out := s.diff("--from", "HEAD~1", "--to", "HEAD")
	if code != 2 || !strings.Contains(out, `-"\$Id: 055c8729cdcc372500a08db659c045e16c4409fb \$\n"`) {
		t.Errorf("%d\n%s", code, out)
	}
}

// A filter that makes a file is not run: what the file holds is not known, and no failure. It is the same as long as
// what it is made of is.
func TestDiffFilter(t *testing.T) {
	for _, expr := range []string{"file('m/a')", "template('m/../files/a')", "String(binary_file('m/a'))"} {
		s := attributed(t, "1\n", "a filter=lfs\n")
		s.put("manifests/site.pp", "notify { 'a': message => "+expr+" } # anew\n")
		s.put("modules/m/templates/q", "")
		s.commit("another way")
		s.put("modules/m/files/b", "2\n")
		s.commit("another file")
		if code, out := s.diff("--from", "HEAD~1", "--to", "HEAD"); expr[0] != 't' &&
			!strings.Contains(out, "1 cannot change") { // a template may use whatever the node has
			t.Errorf("%s: %d\n%s", expr, code, out)
		}
		s.put("modules/m/files/a", "2\n")
		s.commit("the file")
		code, out := s.diff("--from", "HEAD~1", "--to", "HEAD")
		if code != 3 || !strings.Contains(out, "1 not known") || !strings.Contains(out, "the filter lfs, which is not run") {
			t.Errorf("%s: %d\n%s", expr, code, out)
		}
	}
}

// What a filter makes of a file nobody knows, and it is the same as long as git has the same: only the hunk that takes
// the filter away is the cause of what is not known.
func TestDiffFilterThatGoes(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "include m\n",
		"modules/m/manifests/init.pp": "class m($a) { file { '/b': source => 'puppet:///modules/m/b' } notify { $a: } }\n",
		"modules/m/files/b":           "b\n", "modules/m/files/.gitattributes": "b filter=lfs\n",
		"hiera.yaml": "version: 5\n", "data/common.yaml": "m::a: one\n"})
	s.write("modules/m/files/b", "other\n")
	s.write("modules/m/files/.gitattributes", "# none\n")
	s.edit("data/common.yaml", "one", "two")
	s.commit("no filter")
	for _, args := range [][]string{{"--from", "HEAD~1", "--to", "HEAD"}, {"--from", "HEAD", "--to", "HEAD~1"}} {
		if _, out := s.diff(args...); !strings.Contains(out, "not known on 1 node   File[/b] content") ||
			!strings.Contains(out, "from modules/m/files/b\n") {
			t.Errorf("%v\n%s", args, out)
		}
	}
}
