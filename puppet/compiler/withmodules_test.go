package compiler_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// named are the parts of a message that are different for each class.
var named = regexp.MustCompile(`'[^']*'|"[^"]*"|[A-Z]\w*(?:::\w+)*\[[^\]]*\]|\b[a-z_]+(?:::\w+)+`)

// TestAcceptWithModules compiles every public class of public modules, with its defaults, on every system that the
// module's metadata name and that has built-in facts, with the modules beside it that it needs: how many of them
// compile, and whether Puppet 8 with the same facts and classes agrees on 500 of them, chosen at random.
func TestAcceptWithModules(t *testing.T) {
	live.Accept(t)
	o := live.Other(t, "8")
	const asked = 500
	modules := modernModules(t)
	dir := filepath.Join(t.TempDir(), "withmodules")
	if err := os.MkdirAll(filepath.Join(dir, "facts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	roots := []string{filepath.Dir(live.Fetched(t, "modern"))}
	for name, at := range modules {
		if err := os.Symlink(at, filepath.Join(dir, "modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	var site strings.Builder
	var nodes []debianNode
	looked := 0
	all, good, compiled := 0, 0, map[string]bool{}
	why := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		snap, err := compiler.NewWorkspace(modules[name], compiler.Options{Language: source.Puppet8, Roots: roots,
			ModulePath: []string{filepath.Join(dir, "modules")}}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var classes []fleet.Node
		plan := fleet.Invent(snap.Environment(), fleet.InventOptions{AllSystems: true})
		for i := range plan.Nodes {
			if n := &plan.Nodes[i]; n.Class != "" {
				classes = append(classes, fleet.Node{Node: n.Node, Invented: n, Brief: true})
			}
		}
		if len(classes) > 0 {
			looked++
		}
		results, _, err := fleet.Compile(context.Background(), snap, judge.New(judge.Options{}), classes,
			func(*eval.Result) {})
		if err != nil {
			t.Fatal(err)
		}
		snap.Close()
		for i, n := range classes {
			// what is asked of Puppet is what was compiled: a class may have got the one around it, which makes it whole
			if as := results[i].Invented; as != nil {
				if as.System.ID != n.Invented.System.ID {
					t.Errorf("%s was compiled on %s", n.Name, as.System.ID)
				}
				n.Node = as.Node
			}
			text, err := catalog.JSON{}.AppendValue(nil, n.Facts.Values)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "facts", n.Name+".json")
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&site, "node '%s' {\n", n.Name)
			for _, class := range n.Classes {
				fmt.Fprintf(&site, "  include %s\n", class.Name)
			}
			site.WriteString("}\n")
			nodes = append(nodes, debianNode{n.Name, file})
			all++
			switch r := results[i]; {
			case r.Catalog != nil && !r.Partial:
				good++
				compiled[n.Name] = true
			case r.Excuse != nil:
				reason := fmt.Sprintf("%d: %s", r.Excuse.Kind, named.ReplaceAllString(r.Excuse.Detail, "…"))
				why[reason] = append(why[reason], n.Name)
			case r.Partial:
				why["a module is not there"] = append(why["a module is not there"], n.Name)
			default:
				why["error"] = append(why["error"], n.Name)
			}
		}
	}
	reasons := slices.SortedFunc(maps.Keys(why), func(a, b string) int { return len(why[b]) - len(why[a]) })
	for _, r := range reasons[:min(len(reasons), 60)] {
		t.Logf("%5d do not compile, such as %s: %.200s", len(why[r]), why[r][0], r)
	}
	t.Logf("%d modules, %d public classes on systems, %d compile: %.1f %% (bar: 80)", looked, all, good,
		float64(100*good)/float64(max(all, 1)))
	if looked < 30 || 100*good < 80*all {
		t.Error("too few")
	}
	write(t, dir, map[string]string{"environment.conf": "modulepath = modules\nmanifest = site.pp\n",
		"site.pp": site.String()})
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8, Roots: roots,
		ServerFacts: serverFactsOf(source.Puppet8, filepath.Base(dir))}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var some []debianNode
	var which []int
	for _, i := range rand.New(rand.NewPCG(17, 500)).Perm(len(nodes))[:min(asked, len(nodes))] {
		some, which = append(some, nodes[i]), append(which, i)
	}
	var libs []string // a server has the Ruby code of all modules, as agents get it
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		libs = append(libs, filepath.Join(dir, "modules", name, "lib"))
	}
	t.Setenv("RUBYLIB", strings.Join(libs, ":"))
	answers := keptAnswers(t, o, dir, some, site.String()+"with libraries", nil)
	agree, refused, random, counted := 0, 0, 0, 0
	for k, i := range which {
		text, err := os.ReadFile(nodes[i].facts)
		if err != nil {
			t.Fatal(err)
		}
		known, err := facts.Parse(source.NewFile(nodes[i].facts, string(text)), nodes[i].name)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Compile(context.Background(), compiler.Node{Name: nodes[i].name, Facts: known})
		if err != nil {
			t.Fatal(err)
		}
		answer := asPackaged(answers[k], dir)
		why := compareNode(t, res, answer)
		if strings.HasPrefix(answer, `{"error"`) {
			refused++
			if compiled[nodes[i].name] {
				counted++
				t.Errorf("%s is counted as one that compiles: %.300s", nodes[i].name, answer)
			}
		}
		switch {
		case why == "":
			agree++
		case res.Failure == nil && len(res.Unknowns()) > 0 &&
			o.Compile(t, []string{dir + " " + nodes[i].name + " " + nodes[i].facts})[0] !=
				strings.ReplaceAll(answers[k], "@DIR@", dir):
			random++
			t.Logf("%s: Puppet has two answers; here it is not known: %s", nodes[i].name, res.Unknowns()[0].Why)
		default:
			t.Errorf("%s: %.1500s", nodes[i].name, why)
		}
	}
	t.Logf("Puppet 8 agrees on %d of %d (bar: all), %d of them refused by both, %d of these counted as compiling (bar: "+
		"0); on %d it does not agree with itself", agree, len(which), refused, counted, random)
}
