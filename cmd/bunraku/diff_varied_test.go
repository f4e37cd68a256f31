package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a resource that comes has of the node's own is shown by a word for it: it is not what the first node has.
func TestDiffAddedOwn(t *testing.T) {
	s := newTree(t, 3, 0, map[string]string{"manifests/site.pp": "notify { 'same': }\n"})
	s.edit("manifests/site.pp", "", "file { '/own': content => \"of ${facts['fqdn']}\", mode => '0600' }\n"+
		"cron { 'c': command => 'x', minute => Integer($facts['fqdn'][-1]) }\n")
	for _, by := range []string{"change", "node", "cause"} {
		for _, format := range []string{"text", "markdown"} {
			_, out := s.diff("--from", "HEAD", "--full", "--by", by, "--format", format)
			for _, want := range []string{"+content => 'of <fqdn>'", "+minute => '<fqdn>'", "+mode => '0600'"} {
				if !strings.Contains(out, want) {
					t.Errorf("--by %s --format %s lacks %s\n%s", by, format, want, out)
				}
			}
			if strings.Contains(out, "of n000") {
				t.Errorf("--by %s --format %s shows what one node has\n%s", by, format, out)
			}
		}
	}
	if _, out := s.diff("--from", "HEAD", "--full", "--nodes", "n001"); !strings.Contains(out, "+content => 'of n001'") {
		t.Errorf("of one node: %s", out)
	}
}

// octocatalog-diff's JSON of a node is what that node has, though others have nearly the same: what it exports itself,
// tags and lines, too.
func TestDiffOctocatalogOfEachNode(t *testing.T) {
	s := newTree(t, 4, 2, map[string]string{"manifests/site.pp": "node 'n001' { include one }\n"})
	s.edit("manifests/site.pp", "include one", "notify { 'tagged': }\n  notify { 'line': }\n  include one")
	s.edit("manifests/site.pp", "", "class one { }\n@@notify { \"from ${facts['fqdn']}\": }\nNotify <<| |>>\n"+
		"node default {\n  if $facts['role'] == 'b' {\n    notify { 'line': }\n  } else { notify { 'line': } }\n"+
		"  notify { 'tagged': }\n}\n")
	_, out := s.diff("--from", "HEAD", "--format", "octocatalog")
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 4 {
		t.Fatal(err, out)
	}
	compact := func(text []byte) string {
		var x any
		if err := json.Unmarshal(text, &x); err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(x)
		return string(b)
	}
	for node, got := range all {
		_, alone := s.diff("--from", "HEAD", "--format", "octocatalog", "--nodes", node)
		if compact(got) != compact([]byte(alone)) {
			t.Errorf("%s among others:\n%s\nalone:\n%s", node, compact(got), compact([]byte(alone)))
		}
	}
}

// A change that is nothing but the node's own on both sides is shown as one node has it, and said to be that. What a
// comparison with a node's name comes to is not its own: true on one is not false on another.
func TestDiffNothingButOwn(t *testing.T) {
	s := newTree(t, 3, 0, map[string]string{"manifests/site.pp": "file { '/rand': content => sha256($facts['fqdn']) }\n" +
		"file { '/is': content => \"${facts['fqdn'] == 'n000'}\" }\nfile { \"/old/${facts['fqdn']}\": mode => '0600' }\n"})
	s.edit("manifests/site.pp", "sha256", "md5")
	s.edit("manifests/site.pp", "'n000'", "'n001'")
	s.edit("manifests/site.pp", "/old/", "/new/")
	_, out := s.diff("--from", "HEAD", "--full")
	for _, want := range []string{
		"     File[/rand] content, of each node its own, such as\n",
		"     File[/old/<fqdn>] is now File[/new/<fqdn>], with the same attributes\n",
		"     File[/is] content   'true' → 'false'\n",
		"     File[/is] content   'false' → 'true'\n",
	} {
		if strings.Count(out, want) != 1 {
			t.Errorf("it lacks %s\n%s", want, out)
		}
	}
	if strings.Contains(out, "'<") {
		t.Errorf("a value that tells nothing:\n%s", out)
	}
	var doc struct {
		Groups []struct {
			Changes []struct {
				Resource string
				Example  bool
			}
		}
	}
	_, text := s.diff("--from", "HEAD", "--format", "json")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for _, g := range doc.Groups {
		for _, c := range g.Changes {
			if c.Example != (c.Resource == "File[/rand]") {
				t.Errorf("%v", c)
			}
		}
	}
}
