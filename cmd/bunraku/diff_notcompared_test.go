package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of a node that was invented and does not compile nobody knows what a change does to it: that the others stay the same
// is not all there is to say, and no line is without effect.
func TestDiffNotCompared(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{
		"manifests/site.pp": "node 'a.example.com' { notify { 'a': } }\nnode 'c.example.com' { fail('not here') }\n" +
			"node 'b.example.com' { fail('not here')\n  notify { lookup('m'): } }\n",
		"hiera.yaml": "version: 5\n", "data/common.yaml": "m: old\n", "README.md": "old\n",
	})
	s.write("data/common.yaml", "m: new\n")
	s.write("README.md", "new\n")
	s.commit("data")
	const sides, not = "HEAD~1..HEAD", "not compared c.example.com on debian-12 (invented), b.example.com on debian-12 (invented): "
	code, out, _ := call("diff", s.dir, sides)
	for _, want := range []string{"1 not seen to change, 2 not compared", not, "not here",
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
		!strings.Contains(out, "not here") || strings.Contains(out, "ithout effect") {
		t.Errorf("exit %d\n%s", code, out)
	}
	const nobody = "0 of 3 nodes can change, of 2 it is not known   "
	code, out, _ = call("impact", s.dir, sides)
	if code != 3 || !strings.Contains(out, nobody) ||
		!strings.Contains(out, "not here   2 nodes: ") {
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
		told.Nodes[0].NotKnown != "" || !strings.Contains(told.Nodes[1].NotKnown, "not here") {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
	// A machine that is known not to compile on either side is no such node: Puppet refuses it all the same.
	s.write("facts/b.json", `{"name": "b.example.com", "values": {"fqdn": "b.example.com"}}`)
	if code, out, _ := call("impact", s.dir, sides, "--facts", filepath.Join(s.dir, "facts")); code != 0 ||
		!strings.Contains(out, "0 of 1 node can change   ") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// A tree as it was cloned has neither facts nor modules nor all data. What is there of its nodes is compared, and that
// nothing else changes is not claimed.
func TestDiffAsCloned(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{
		"manifests/site.pp": "node 'a.example.com' { include apt\n  notify { 'of a': message => 'old' } }\n" +
			"node 'b.example.com' { notify { lookup('who'): } }\n" +
			"node 'c.example.com' { if lookup('secret::on') { include late } else { notify { 'c': } } }\n" +
			"node 'd.example.com' { notify { \"on ${::osfamily}\": message => lookup('who') } }\n" +
			"node 'e.example.com' { include apt::missing }\nnode 'f.example.com' { windows_rule { 'rdp': port => 1 } }\n",
		"modules/late/manifests/init.pp": "class late { file { '/tmp/late': content => 'old' } }\n",
		"hiera.yaml":                     "version: 5\n", "data/common.yaml": "who: old\n",
		"Puppetfile": "mod 'puppetlabs/apt', '1.0.0'\nmod 'own/windows', '1.0.0'\n",
	})
	tell := func(want int, text ...string) string {
		t.Helper()
		code, out, errs := call("diff", s.dir, "HEAD~1..HEAD")
		for _, w := range text {
			if no, is := strings.CutPrefix(w, "!"); is == strings.Contains(out, strings.TrimPrefix(w, "!")) {
				t.Errorf("%q: %t\n%s", no, is, out)
			}
		}
		if code != want {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
		return out
	}
	site, err := os.ReadFile(filepath.Join(s.dir, "manifests/site.pp"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("data/common.yaml", "who: old\napt::purge: true\n")
	s.commit("a datum of a module that is not there")
	tell(3, "not known on 3 nodes   what modules do that are not there", "no effect seen", "!without effect", "!No differences",
		"Modules that are not there: apt", "of 4 of the", "2 not seen to change")
	s.write("data/common.yaml", "who: new\napt::purge: true\n")
	s.commit("a datum")
	tell(2, "+ Notify[new]", "Notify[on Debian] message", "data/common.yaml:1", "2 changed")
	s.write("modules/late/manifests/init.pp", "class late { file { '/tmp/late': content => 'new' } }\n")
	s.commit("what stands behind a decision that nobody knows")
	tell(3, "Hiera has no value of secret::on", "!without effect", "!No differences")
	s.write("manifests/site.pp", strings.ReplaceAll(string(site), "port => 1", "port => 2"))
	s.commit("a resource of which only the name is known")
	tell(2, "Windows_rule[rdp] port   1 → 2", "!no resource that does something", "what modules do that are not there")
	s.write("manifests/site.pp", strings.ReplaceAll(string(site), "'of a'", "[1, 1 + 'a']"))
	s.commit("an error")
	tell(1, "newly failing on 1 node", "cannot be converted to Numeric",
		"from  "+filepath.Join(s.dir, "manifests/site.pp")+":2")
	s.write("manifests/site.pp", string(site))
	s.commit("mended")
	tell(2, "compiles again on 1 node")
	s.write("manifests/site.pp", strings.ReplaceAll(string(site), "'of a'", "$facts['my'] + 1"))
	s.commit("a fact that machines may have")
	tell(3, "1 not compared", "!newly failing")
}
