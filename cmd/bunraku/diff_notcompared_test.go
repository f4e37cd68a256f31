package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Of a node that was invented and does not compile nobody knows what a change does to it: that the others stay the same
// is not all there is to say, and no line is without effect.
func TestDiffNotCompared(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{
		"manifests/site.pp": "node 'a.example.com' { notify { 'a': } }\nnode 'c.example.com' { include absent }\n" +
			"node 'b.example.com' { include absent\n  notify { lookup('m'): } }\n",
		"hiera.yaml": "version: 5\n", "data/common.yaml": "m: old\n", "README.md": "old\n",
	})
	s.write("data/common.yaml", "m: new\n")
	s.write("README.md", "new\n")
	s.commit("data")
	const sides, not = "HEAD~1..HEAD", "not compared c.example.com on debian-12 (invented), b.example.com on debian-12 (invented): "
	code, out, _ := call("diff", s.dir, sides)
	for _, want := range []string{"1 cannot change, 2 not compared", not, "Could not find class ::absent",
		"no effect seen", "data/common.yaml:1", "README.md:1", "2 of the 3 nodes were not compared"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	if code != 3 || strings.Contains(out, "without effect") || strings.Contains(out, "No differences") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out, _ := call("diff", s.dir, sides, "--assert", "none"); code != 3 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out, _ := call("diff", s.dir, sides, "--format", "markdown"); code != 3 ||
		!strings.Contains(out, "Could not find class ::absent") || strings.Contains(out, "ithout effect") {
		t.Errorf("exit %d\n%s", code, out)
	}
	const nobody = "0 of 3 nodes can change, of 2 it is not known   "
	code, out, _ = call("impact", s.dir, sides)
	if code != 3 || !strings.Contains(out, nobody) ||
		!strings.Contains(out, "Could not find class ::absent   2 nodes: ") {
		t.Errorf("exit %d\n%s", code, out)
	}
	code, out, _ = call("impact", s.dir, sides, "--format", "json")
	var told struct {
		Nodes []struct {
			Node, Why string
			NotKnown  string `json:"not_known"`
		}
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != 3 || len(told.Nodes) != 3 ||
		told.Nodes[0].NotKnown != "" || !strings.Contains(told.Nodes[1].NotKnown, "Could not find class ::absent") {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
	// A machine that is known not to compile on either side is no such node: Puppet refuses it all the same.
	s.write("facts/b.json", `{"name": "b.example.com", "values": {"fqdn": "b.example.com"}}`)
	if code, out, _ := call("impact", s.dir, sides, "--facts", filepath.Join(s.dir, "facts")); code != 0 ||
		!strings.Contains(out, "0 of 1 node can change   ") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
