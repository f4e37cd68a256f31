package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// different are the modules whose classes we do not compare, and why.
var different = map[string]string{
	"quagga": "init.pp names a type that stdlib has no more: Puppet says so once, and in later compiles of the process " +
		"that there is no such class",
}

// debianFacts are the nodes that every class is compiled for.
var debianFacts = []string{"debian12", "redhat8"}

// TestScoreDebianClasses includes every class of Debian's modules, with its default parameters, in a node of its own,
// and compares the catalog, or the refusal, with real Puppet's. Every sixteenth of them, unless the acceptance bars are
// run.
func TestScoreDebianClasses(t *testing.T) {
	live.Puppet(t)
	every := 16
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		every = 1
	}
	var classes []string
	left := 0
	for i, name := range debianClasses(t) {
		module, _, _ := strings.Cut(name, "::")
		if _, known := different[module]; known {
			left++
		} else if i%every == 0 {
			classes = append(classes, name)
		}
	}
	dir := filepath.Join(t.TempDir(), "debian")
	nodes := debianSite(t, dir, classes)
	var questions []string
	for _, n := range nodes {
		questions = append(questions, dir+" "+n.name+" "+n.facts)
	}
	answers := live.Compile(t, questions)
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7, Roots: []string{live.ModulesDir},
		ServerFacts: serverFacts(filepath.Base(dir))}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	equal, refused, unknown := 0, 0, 0
	for i, n := range nodes {
		f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{n.facts}}), n.facts)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Compile(context.Background(), compiler.Node{Name: n.name, Facts: f})
		if err != nil {
			t.Fatal(err)
		}
		if res.Failure == nil && len(res.Unknowns()) > 0 { // a function of a module is written in Ruby
			unknown++
			continue
		}
		why := compareNode(t, res, answers[i])
		if why != "" {
			t.Errorf("%s: %s", n.name, why)
			continue
		}
		equal++
		if res.Failure != nil {
			refused++
		}
	}
	t.Logf("score: debian classes: %d/%d (%d of them refused by both; %d have values that are not known; %d classes "+
		"left out)", equal, len(nodes), refused, unknown, left)
}

// debianClasses are the names of all classes, in order.
func debianClasses(t *testing.T) []string {
	var names []string
	for _, path := range live.Files(t, ".pp") {
		rel, err := filepath.Rel(live.ModulesDir, path)
		if parts := strings.Split(filepath.ToSlash(rel), "/"); err != nil || len(parts) < 3 || parts[1] != "manifests" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := syntax.Parse(source.NewFile(path, string(text)), syntax.Options{})
		for _, d := range f.Defs {
			if class, is := d.(*syntax.Class); is {
				names = append(names, class.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A debianNode is one class on one machine.
type debianNode struct{ name, facts string }

// debianSite writes an environment with a node for every class and machine. Of the types that Puppet's own packages
// bring and Debian's do not, the modules use yumrepo: it gets one with the attributes that we know of.
func debianSite(t *testing.T, dir string, classes []string) []debianNode {
	var site strings.Builder
	var nodes []debianNode
	for i, class := range classes {
		for _, machine := range debianFacts {
			path, err := filepath.Abs(filepath.Join("testdata", "nodes", machine+".json"))
			if err != nil {
				t.Fatal(err)
			}
			n := debianNode{fmt.Sprintf("%s.%s.n%d", machine, strings.ReplaceAll(class, "::", "-"), i), path}
			fmt.Fprintf(&site, "node '%s' {\n  include %s\n}\n", n.name, class)
			nodes = append(nodes, n)
		}
	}
	var yumrepo strings.Builder
	yumrepo.WriteString("Puppet::Type.newtype(:yumrepo) do\n  ensurable\n  newparam(:name, namevar: true)\n  " +
		"newparam(:target)\n")
	for _, p := range resource.Known("yumrepo").Properties {
		if p.Name != "ensure" {
			fmt.Fprintf(&yumrepo, "  newproperty(:%s)\n", p.Name)
		}
	}
	yumrepo.WriteString("end\n")
	write(t, dir, map[string]string{
		"environment.conf": "modulepath = modules:" + live.ModulesDir + "\nmanifest = site.pp\n",
		"site.pp":          site.String(),
		"modules/yumrepo_core/lib/puppet/type/yumrepo.rb": yumrepo.String(),
	})
	return nodes
}

// compareNode compares a compile with Puppet's answer.
func compareNode(t *testing.T, res *eval.Result, answer string) string {
	var puppet struct{ Error string }
	if err := json.Unmarshal([]byte(answer), &puppet); err != nil {
		t.Fatal(err)
	}
	switch {
	case puppet.Error != "" && res.Failure == nil:
		return "compiles, but Puppet says: " + puppet.Error
	case puppet.Error != "":
		if why := sameMessage(res.Failure, puppet.Error); why != "" {
			return why
		}
		return samePlace(res.Failure, puppet.Error)
	case res.Failure != nil:
		return "fails: " + res.Failure.String()
	}
	want, err := catalog.Read([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(catalog.Diff(wired(t, res.Catalog), want), "\n")
}
