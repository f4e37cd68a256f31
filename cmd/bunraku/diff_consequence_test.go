package main

import (
	"encoding/json"
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
  not known: whether /nowhere is there, which was taken for true   on 1 node
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
