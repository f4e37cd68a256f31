package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// modernFacts are the machines that every class is compiled for, of facterdb: what agents of Puppet 8 send.
var modernFacts = []string{"debian-12-x86_64", "redhat-9-x86_64", "ubuntu-24.04-x86_64", "freebsd-14-x86_64"}

// modernModules are modules as they are on GitHub, by name, with their directories: those that bench/fetched.txt names,
// and their dependencies.
func modernModules(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range []string{live.Fetched(t, "modern"), live.Fetched(t, "lint-modules")} {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			path := filepath.Join(dir, e.Name())
			text, err := os.ReadFile(filepath.Join(path, "metadata.json"))
			if err != nil {
				continue
			}
			var about struct{ Name string }
			if err := json.Unmarshal(text, &about); err != nil {
				t.Fatal(err)
			}
			_, name, _ := strings.Cut(strings.ReplaceAll(about.Name, "/", "-"), "-")
			out[name] = path
		}
	}
	return out
}

// classesIn are the names of all classes below a module, in order.
func classesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "manifests"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".pp" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, _ := syntax.Parse(source.NewFile(path, string(text)), syntax.Options{})
		for _, d := range f.Defs {
			if class, is := d.(*syntax.Class); is {
				names = append(names, class.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A modernTree is an environment of all modern modules, on which Puppet 8 and we answer.
type modernTree struct {
	o     *live.Oracle
	dir   string
	roots []string
	state string // what Puppet's answers depend on, but for the node
	names []string
	paths map[string]string // the modules, by name
	facts map[string]*facts.Facts
}

// newModernTree lays an environment out: links to the modules, and the given files.
func newModernTree(t *testing.T, files map[string]string) *modernTree {
	t.Helper()
	m := &modernTree{o: live.Other(t, "8"), dir: filepath.Join(t.TempDir(), "modern"),
		roots: []string{filepath.Dir(live.Fetched(t, "modern"))}, paths: modernModules(t), facts: map[string]*facts.Facts{}}
	m.names = slices.Sorted(maps.Keys(m.paths))
	var libs []string
	state := []string{"8"}
	for _, name := range m.names {
		link := filepath.Join(m.dir, "modules", name)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(m.paths[name], link); err != nil {
			t.Fatal(err)
		}
		libs = append(libs, filepath.Join(link, "lib"))
		head, err := exec.Command("git", "-C", m.paths[name], "rev-parse", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		state = append(state, name+" "+string(head))
	}
	t.Setenv("RUBYLIB", strings.Join(libs, ":")) // a server has the Ruby code of all modules, as agents get it
	write(t, m.dir, files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		state = append(state, name, files[name])
	}
	m.state = strings.Join(state, "\n")
	return m
}

// machine is the file of the facts of a machine.
func (m *modernTree) machine(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(live.Fetched(t, filepath.Join("facterdb", "facts", "5.1")), name+".facts")
}

// What fails in a template may name, as its place, the line of Puppet's own code that said so, which depends on how
// Puppet was installed; we name the template's.
var (
	puppetsOwn   = regexp.MustCompile(`  Filepath: [^\\]+/lib/puppet/[^\\]+\\n  Line: \d+\\n`)
	templatesOwn = regexp.MustCompile(`  Filepath: .*\n  Line: \d+\n`)
)

// A modernScore counts how we answer.
type modernScore struct {
	compiled, equal, marked, wrong int // of those that Puppet compiles
	refused, alike, undecided      int // of those that it refuses; on the last we say that something is not known
}

// check tells the score beside its bars, and whether they hold.
func (n modernScore) check(t *testing.T, of string) {
	t.Helper()
	t.Logf("score: %s: %d/%d (bar: 97 %%), marked %d, wrong %d (bar: 0); refused alike %d/%d, and left open %d", of,
		n.equal, n.compiled, n.marked, n.wrong, n.alike, n.refused, n.undecided)
	if n.equal*100 < n.compiled*97 || n.wrong > 0 || n.alike+n.undecided < n.refused {
		t.Error("a bar is missed")
	}
}

// ask compares our catalog of every node, or the refusal, with Puppet's. What only one node depends on is given by the
// node's name.
func (m *modernTree) ask(t *testing.T, nodes []debianNode, own map[string]string) modernScore {
	t.Helper()
	answers := keptAnswers(t, m.o, m.dir, nodes, m.state, own)
	c, err := compiler.NewWorkspace(m.dir, compiler.Options{Language: source.Puppet8, Roots: m.roots,
		ServerFacts: serverFactsOf(source.Puppet8, filepath.Base(m.dir))}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var n modernScore
	for i, node := range nodes {
		f := m.facts[node.facts]
		if f == nil {
			text, err := os.ReadFile(node.facts)
			if err != nil {
				t.Fatal(err)
			}
			if f, err = facts.Parse(source.NewFile(node.facts, string(text)), ""); err != nil {
				t.Fatal(err)
			}
			m.facts[node.facts] = f
		}
		res, err := c.Compile(context.Background(), compiler.Node{Name: node.name, Facts: f})
		if err != nil {
			t.Fatal(err)
		}
		answer := asPackaged(answers[i], m.dir)
		if res.Failure != nil && puppetsOwn.MatchString(answer) {
			d := *res.Failure
			d.Summary = templatesOwn.ReplaceAllString(d.Summary, "")
			res.Failure, answer = &d, puppetsOwn.ReplaceAllString(answer, "")
		}
		why := compareNode(t, res, answer)
		if strings.HasPrefix(answer, `{"error"`) {
			switch n.refused++; {
			case why == "":
				n.alike++
			case len(res.Unknowns()) > 0: // what the world says decides it, or Puppet failed there before
				n.undecided++
				t.Logf("left open, and refused by Puppet, %s: %v", node.name, res.Unknowns()[0].Why)
			default:
				t.Errorf("refused %s: %s", node.name, why)
			}
			continue
		}
		n.compiled++
		switch {
		case why == "":
			n.equal++
		case res.Failure == nil && len(res.Unknowns()) > 0:
			n.marked++
			t.Logf("marked %s: %v", node.name, res.Unknowns()[0].Why)
		default:
			n.wrong++
			t.Errorf("wrong %s: %.2000s", node.name, why)
		}
	}
	return n
}

// TestAcceptModernClasses includes every class of today's modules by itself, on four machines, and compares the
// catalog, or the refusal, with Puppet 8's. BUNRAKU_EVERY=n takes every nth class.
func TestAcceptModernClasses(t *testing.T) {
	live.Accept(t)
	every, _ := strconv.Atoi(os.Getenv("BUNRAKU_EVERY"))
	every = max(every, 1)
	m := newModernTree(t, map[string]string{
		"environment.conf": "modulepath = modules\nmanifest = site.pp\n",
		"site.pp":          "include regsubst($trusted['certname'].split('[.]')[0], '--', '::', 'G')\n"})
	var nodes []debianNode
	count := 0
	for _, module := range m.names {
		for _, class := range classesIn(t, m.paths[module]) {
			if count++; count%every != 0 {
				continue
			}
			for _, machine := range modernFacts {
				nodes = append(nodes, debianNode{fmt.Sprintf("%s.%s", strings.ReplaceAll(class, "::", "--"), machine),
					m.machine(t, machine)})
			}
		}
	}
	n := m.ask(t, nodes, nil)
	n.check(t, fmt.Sprintf("classes of %d modules of today", len(m.names)))
	if every == 1 && n.compiled < 1500 {
		t.Error("too few")
	}
}
