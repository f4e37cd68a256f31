package compiler

import (
	"path/filepath"
	"testing"

	"bunraku/internal/live"
	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
)

// TestPathsOfData: a fact in a path of Hiera counts when another value of it can lead to another datum, and every such
// value is tried.
func TestPathsOfData(t *testing.T) {
	const one = "version: 5\nhierarchy:\n  - {name: os, path: '%{facts.os}.yaml'}\n  - {name: all, path: common.yaml}\n"
	for _, c := range []struct {
		name    string
		files   map[string]string
		code    string
		depends bool
	}{
		{"only the file where the key is found has it", map[string]string{"hiera.yaml": one, "data/common.yaml": "k: 1\n",
			"data/b.yaml": "other: 2\n"}, "lookup('k')", false},
		{"another has it too", map[string]string{"hiera.yaml": one, "data/common.yaml": "k: 1\n", "data/b.yaml": "k: 2\n"},
			"lookup('k')", true},
		{"the file where it is found is led to", map[string]string{"hiera.yaml": one, "data/common.yaml": "k: 1\n",
			"data/a.yaml": "k: 2\n"}, "lookup('k')", true},
		{"values of several files are merged", map[string]string{"hiera.yaml": one + "  - {name: last, path: last.yaml}\n",
			"data/last.yaml": "k: [1]\n", "data/common.yaml": "k: [2]\n"}, "lookup('k', {merge => unique})", true},
		{"the same file is read in another way",
			map[string]string{"hiera.yaml": "version: 5\nhierarchy:\n  - {name: os, path: '%{facts.os}.yaml'}\n  - {name: " +
				"all, path: common.yaml, data_hash: json_data}\n", "data/common.yaml": "{\"k\": \"1\"}\n"}, "lookup('k')", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "production")
			c.files["site.pp"] = "$v = " + c.code + "\n"
			c.files["environment.conf"] = plainConf
			write(t, dir, c.files)
			node := Node{Name: "n", Facts: &facts.Facts{Name: "n", Values: value.NewHash(value.String("os"), value.String("a"))}}
			l, err := openLab("", c.name, dir, Options{Language: 7}, node)
			if err != nil || l == nil {
				t.Fatal("it does not compile", err)
			}
			depends := false
			for _, label := range l.view.Depends("variable ::v") {
				depends = depends || label.Kind == provenance.Fact && label.Path == "os"
			}
			if depends != c.depends {
				t.Errorf("it depends on the fact: %v, want %v", depends, c.depends)
			}
			tally := newTally()
			for _, v := range []string{"b", "common", "last", "none"} {
				if _, err := tally.try(l, &mutate.Place{Kind: mutate.Fact, Fact: "os", Val: []value.Value{value.String(v)},
					Was: factOS, Is: factOS}, 0); err != nil {
					t.Fatal(err)
				}
			}
			for _, v := range tally.violations {
				t.Error(v)
			}
		})
	}
}

var factOS = mutate.Named(provenance.LabelKey{Kind: provenance.Fact, Path: "os"})

// TestKeysOfHash: has_key depends on keys alone.
func TestKeysOfHash(t *testing.T) {
	live.Files(t, ".pp")
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{"environment.conf": "modulepath = " + live.ModulesDir + "\nmanifest = site.pp\n",
		"site.pp": "$h = { 'a' => 'b', 'c' => 'd' }\n$hit = has_key($h, 'a')\n$miss = has_key($h, 'x')\n"})
	l, err := openLab("", "keys", dir, Options{Language: 7},
		Node{Name: "n", Facts: &facts.Facts{Name: "n", Values: value.EmptyHash}})
	if err != nil || l == nil {
		t.Fatal("it does not compile", err)
	}
	for slot, want := range map[string]int{"variable ::hit": 2, "variable ::miss": 3} {
		if got := l.view.Depends(slot); len(got) != want {
			t.Errorf("%s depends on %v", slot, got)
		}
	}
	used, _, err := l.list()
	if err != nil {
		t.Fatal(err)
	}
	tally := newTally()
	for _, p := range used {
		for i := range p.Choices() {
			if _, err := tally.try(l, p, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, v := range tally.violations {
		t.Error(v)
	}
}
