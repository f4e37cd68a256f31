package main

import (
	"strings"
	"testing"
)

// What diff says of facts that change is said by impact, too, and what it names can be read.
func TestImpactSays(t *testing.T) {
	s := newTree(t, 2, 0, map[string]string{
		"hiera.yaml":        "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n",
		"data/all.yaml":     "k: {a: 1}\n",
		"manifests/site.pp": "notify { 'n': message => String(lookup('k', Hash, 'deep')) }\n",
	})
	const note = "Facts are those of the new side, on both sides: how they changed does not count."
	s.edit("facts/n000.json", `"role": "a"`, `"role": "c"`)
	s.commit("facts")
	if _, out, _ := call("diff", s.dir, "--from", "HEAD"); strings.Contains(out, "Facts are") {
		t.Errorf("of facts that are the same: %s", out)
	}
	for _, command := range []string{"impact", "diff"} { // against the work tree
		if _, out, _ := call(command, s.dir, "--from", "HEAD~1"); !strings.Contains(out, note) {
			t.Errorf("%s", out)
		}
	}
	sides := []string{"impact", s.dir, "--from", "HEAD~1", "--to", "HEAD"}
	if _, out, _ := call(sides...); !strings.Contains(out, "0 of 2") ||
		!strings.Contains(out, note) {
		t.Errorf("%s", out)
	}
	if _, out, _ := call(append(sides, "--format", "json")...); !strings.Contains(out, note) {
		t.Errorf("%s", out)
	}
	s.edit("data/all.yaml", "a: 1", "a: 2")
	for _, format := range []string{"text", "json"} {
		_, out, _ := call("impact", s.dir, "--from", "HEAD", "--format", format)
		if !strings.Contains(out, "Hiera's value of k") || strings.ContainsAny(out, "\x00") ||
			strings.Contains(out, `\u0000`) {
			t.Errorf("%q", out)
		}
	}
}

// A node that may change since a module went says so in words.
func TestImpactSaysSettings(t *testing.T) {
	s := newTree(t, 2, 1, map[string]string{"manifests/site.pp": "if $facts['role'] == 'b' { include m }\n",
		"modules/m/manifests/init.pp": "class m { notify { 'm': } }\n"})
	s.git("rm", "-rq", "modules/m")
	s.write("Puppetfile", "mod 'm', :git => 'https://git.example/m'\n")
	s.commit("gone")
	if _, out, _ := call("impact", s.dir, "HEAD~1..HEAD"); strings.Contains(out, "  options ") ||
		!strings.Contains(out, "the environment's settings, or which modules are missing   ") {
		t.Error(out)
	}
}
