package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a run does to machines that have the old catalog stands before the changes: restarts, commands, what is removed,
// purged, left behind and what newly fails. Nodes that are alike are asked about once, and all are counted.
func TestDiffConsequences(t *testing.T) {
	s := newRepository(t)
	s.edit("data/role/web.yaml", "conf_mode: '0640'", "conf_mode: '0600'")
	s.edit("data/common.yaml", "  - rsync\n", "  - htop\n")
	s.edit("manifests/site.pp", "", "file { '/nowhere/x': content => 'x' }\n")
	code, out := s.diff()
	if code != exitNo {
		t.Errorf("exits with %d", code)
	}
	want := `on machines that have the old catalog, a run
  fails: File[/nowhere/x]: /nowhere does not exist   on 2 nodes
  restarts Service[nginx]   on 2 nodes
  installs Package[htop]   on 3 nodes
  leaves behind Package[rsync]   on 3 nodes
  taken for true: /nowhere is there   on 1 node
`
	if !strings.Contains(out, want) {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	var doc struct {
		Consequences []struct {
			Verb, Text string
			Nodes      []string
		}
	}
	_, out = s.diff("--format", "json")
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Consequences) != 5 || doc.Consequences[1].Verb != "restarts" || len(doc.Consequences[1].Nodes) != 2 {
		t.Errorf("%s", out)
	}
	if _, out = s.diff("--format", "markdown"); !strings.Contains(out, "- **restarts** `Service[nginx]` on 2 nodes") {
		t.Errorf("%s", out)
	}
}

// What does not fit on the first screen is counted there, and shown by --full; what was taken for true is one line.
func TestDiffConsequencesFull(t *testing.T) {
	s := newRepository(t)
	text := ""
	for i := range 10 {
		text += fmt.Sprintf("package { 'p%d': ensure => installed }\n", i)
	}
	text += "file { ['/one/x', '/two/x']: content => 'x', owner => 'somebody' }\n"
	s.edit("manifests/site.pp", "", text)
	_, out := s.diff()
	if strings.Count(out, "installs Package[p") > 8 || !strings.Contains(out, " more (--full)\n") ||
		strings.Count(out, "taken for true") > 1 {
		t.Errorf("%s", out)
	}
	_, full := s.diff("--full")
	if strings.Count(full, "  installs Package[p") != 10 || strings.Contains(full, "(--full)") {
		t.Errorf("%s", full)
	}
	var doc struct{ Consequences []struct{ Verb, Text string } }
	_, all := s.diff("--format", "json")
	if err := json.Unmarshal([]byte(all), &doc); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, c := range doc.Consequences {
		if c.Verb == "taken for true" {
			taken++
		}
	}
	if taken < 2 || strings.Count(full, "  taken for true: ") != taken {
		t.Errorf("%d were taken for true:\n%s", taken, full)
	}
}

// A file of a module that changes, under a catalog that stays the same, restarts what it notifies.
func TestDiffConsequencesOfFiles(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/profile/files/x.conf", "", "a\n")
	s.edit("manifests/site.pp", "", "file { '/srv/x.conf': source => 'puppet:///modules/profile/x.conf' } ~> service { "+
		"'cron': ensure => running }\n")
	s.commit("a file")
	s.edit("site-modules/profile/files/x.conf", "a\n", "b\n")
	if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "  restarts Service[cron]   on 3 nodes\n") {
		t.Errorf("%s", out)
	}
}

// What verify finds of one side only is what check finds of that side and not of the other, node by node.
func TestDiffFindings(t *testing.T) {
	// found is what check says about nodes: "node: code resources".
	found := func(s *repository) map[string]bool {
		t.Helper()
		_, text, stderr := call("check", "--format", "json", s.dir)
		var doc struct {
			Findings []struct {
				Code, Title string
				Nodes       []string
				Resources   []struct{ Ref string }
			}
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err, stderr)
		}
		out := map[string]bool{}
		for _, f := range doc.Findings {
			var refs []string
			for _, r := range f.Resources {
				refs = append(refs, r.Ref)
			}
			for _, n := range f.Nodes {
				out[n+": "+f.Code+" "+f.Title+": "+strings.Join(refs, ", ")] = true
			}
		}
		return out
	}
	changes := []struct{ file, old, new string }{
		{"manifests/site.pp", "", "exec { '/usr/bin/touch /tmp/x': }\n"},
		{"manifests/site.pp", "", "package { 'ntp': ensure => installed }\nfile { '/etc/ntp.conf': content => 'x' }\n"},
		{"manifests/site.pp", "exec { '/usr/bin/touch /tmp/x': }\n", ""},
		{"manifests/site.pp", "file { '/etc/ntp.conf': content => 'x' }",
			"file { '/etc/ntp.conf': content => 'x', require => Package['ntp'] }"},
		{"site-modules/profile/manifests/web/shop.pp", "    command => '/bin/mkdir /var/lib/baskets',\n",
			"    command => '/bin/mkdir /var/lib/baskets',\n    creates => '/var/lib/baskets',\n"},
		{"manifests/site.pp", "", "file { '/etc/x': mode => 'none' }\n"},
		{"manifests/site.pp", "", "file { '/nowhere/x': content => 'x' }\n"},
	}
	s := newRepository(t)
	told := 0
	for i, c := range changes {
		before := found(s)
		s.edit(c.file, c.old, c.new)
		after := found(s)
		_, text := s.diff("--from", "HEAD", "--format", "json")
		var doc struct {
			Findings []struct {
				Verb, Text string
				Nodes      []string
			}
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		got := map[string]map[string]bool{"new": {}, "mended": {}}
		for _, f := range doc.Findings {
			told++
			what, _, _ := strings.Cut(f.Text, " (it may have been there before")
			for _, n := range f.Nodes {
				got[f.Verb][n+": "+what] = true
			}
		}
		for what := range after {
			if !before[what] && !got["new"][what] {
				t.Errorf("change %d: %s is new, and not told", i, what)
			}
		}
		for what := range before {
			if !after[what] && !got["mended"][what] {
				t.Errorf("change %d: %s is mended, and not told", i, what)
			}
		}
		for what := range got["new"] {
			if before[what] || !after[what] && !strings.Contains(what, ": C0") {
				t.Errorf("change %d: %s is called new", i, what)
			}
		}
		for what := range got["mended"] {
			if !before[what] || after[what] {
				t.Errorf("change %d: %s is called mended", i, what)
			}
		}
		s.commit("change")
	}
	if told < 4 {
		t.Errorf("only %d findings were told", told)
	}
}
