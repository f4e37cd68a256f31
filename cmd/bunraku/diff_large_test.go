package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// newTree is a repository with a tree of its own, whose files are committed, and nodes n000, n001 and so on of two
// roles: those of the last ones are b.
func newTree(t *testing.T, nodes, last int, files map[string]string) *repository {
	t.Helper()
	live.Tool(t, "git")
	s := &repository{t, filepath.Join(t.TempDir(), "site")}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "-b", "main")
	for name, text := range files {
		s.edit(name, "", text)
	}
	for i := range nodes {
		role := "a"
		if i >= nodes-last {
			role = "b"
		}
		name := fmt.Sprintf("n%03d", i)
		s.edit("facts/"+name+".json", "", fmt.Sprintf(`{"name": %q, "values": {"fqdn": %q, "role": %q}}`, name, name, role))
	}
	s.commit("first")
	return s
}

// The same change may come from one hunk on many nodes and from another one on a few, which are not among the first
// that are looked at: that one is not without effect.
func TestDiffManyNodesOfTwoCauses(t *testing.T) {
	s := newTree(t, 70, 3, map[string]string{
		"hiera.yaml":        "version: 5\nhierarchy: [{name: role, path: '%{facts.role}.yaml'}, {name: all, path: all.yaml}]\n",
		"data/a.yaml":       "level: 1\n",
		"data/b.yaml":       "level: 1\n",
		"data/all.yaml":     "unused: 1\n",
		"manifests/site.pp": "file { '/level': content => \"level ${lookup('level')}\" }\n",
	})
	for _, role := range []string{"a", "b"} {
		s.edit("data/"+role+".yaml", "level: 1", "level: 2")
	}
	s.edit("data/all.yaml", "unused: 1", "unused: 2")
	for _, args := range [][]string{nil, {"--store", filepath.Join(t.TempDir(), "store")}} {
		_, out := s.diff(append([]string{"--from", "HEAD", "--full"}, args...)...)
		for _, want := range []string{"A  on 67 nodes", "B  on 3 nodes", "from  data/b.yaml:1", "without effect   data/all.yaml:1"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not there:\n%s", want, out)
			}
		}
	}
}

// Where more nodes change than are looked at, a hunk is not said to be without effect.
func TestDiffTooManyNodes(t *testing.T) {
	live.NotShort(t, "it compiles 520 nodes, some of them several times")
	s := newTree(t, 520, 0, map[string]string{"manifests/site.pp": "$a = 1\nnotify { 'x': message => 'one' }\n\n\n\n$b = 1\n"})
	s.edit("manifests/site.pp", "one", "two")
	s.edit("manifests/site.pp", "$b = 1", "$b = 2")
	_, out := s.diff("--from", "HEAD")
	if !strings.Contains(out, "no effect seen   manifests/site.pp:6   (500 of the 520 nodes that may change were looked at)") ||
		strings.Contains(out, "without effect") {
		t.Error(out)
	}
	if _, out := s.diff("--from", "HEAD", "--format", "json"); !strings.Contains(out, `"no_effect_seen": "500 of`) {
		t.Error(out)
	}
}

// Errors with the node's name in them are one error of many nodes; that of one node names it.
func TestDiffFailuresWithNames(t *testing.T) {
	s := newTree(t, 5, 1, map[string]string{"manifests/site.pp": "notify { 'x': }\n"})
	s.edit("manifests/site.pp", "", `if $facts['role'] == 'a' {
  fail("${trusted['certname']} has no place (node ${trusted['certname']}), not n0001, n000.example or my-n000")
} else { fail("only ${trusted['certname']}") }
`)
	_, out := s.diff("--from", "HEAD")
	for _, want := range []string{
		"newly failing on 4 nodes   Evaluation Error: Error while evaluating a Function Call, <certname> has no place " +
			"(node <certname>), not n0001, n000.example or my-n000",
		"newly failing on 1 node   Evaluation Error: Error while evaluating a Function Call, only n004",
		"from  manifests/site.pp:2-4",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not there:\n%s", want, out)
		}
	}
	dir := s.shards(2)
	_, want, _ := call("diff", s.dir, "--from", "HEAD", "--format", "json")
	_, got, _ := call("diff", "merge", dir, "--env", s.dir, "--from", "HEAD", "--format", "json")
	if got != want || !strings.Contains(want, "only n004") {
		t.Errorf("merged:\n%s--- want\n%s", got, want)
	}
}

// What is cut off is counted, and JSON has all of it.
func TestDiffLongTexts(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "file { '/x': content => 'one' }\n"})
	long := strings.Repeat("ä", 150) + strings.Repeat("b", 300)
	s.edit("manifests/site.pp", "one", long)
	_, out := s.diff("--from", "HEAD")
	if !strings.Contains(out, "ä… 352 characters more\n") {
		t.Error(out)
	}
	if _, out := s.diff("--from", "HEAD", "--full"); !strings.Contains(out, long) {
		t.Error(out)
	}
	if _, out := s.diff("--from", "HEAD", "--format", "json"); !strings.Contains(out, long) {
		t.Error(out)
	}
	if _, out := s.diff("--from", "HEAD", "--format", "markdown"); !strings.Contains(out, "characters more") {
		t.Error(out)
	}
}

// What may not be read is not compared, and that is said.
func TestDiffUnread(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'x': }\n"})
	outside := t.TempDir()
	s.edit("environment.conf", "", "modulepath = modules:"+outside+"\n")
	s.commit("modules elsewhere")
	s.edit("manifests/site.pp", "'x'", "'y'")
	for _, format := range []string{"text", "json", "markdown"} {
		_, out := s.diff("--from", "HEAD", "--format", format)
		if !strings.Contains(out, "Not looked at: ") || !strings.Contains(out, outside) {
			t.Errorf("%s\n%s", format, out)
		}
	}
	if _, out := s.diff("--from", "HEAD", "--root", outside); strings.Contains(out, "Not looked at") {
		t.Error(out)
	}
}
