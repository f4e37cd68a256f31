package syntax

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"

	"golang.org/x/tools/txtar"
)

// A golden is one case of testdata/validate: a program and what Puppet said of it. Lines of the comment that read
// `tasks` or `modulepath DIR` or `manifest PATH` are switches, the rest explains the idea.
type golden struct {
	path    string
	archive *txtar.Archive
	name    string // of the program
	text    string
	want    string
	tasks   bool
	site    *Site
}

func readGoldens(t *testing.T) []*golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/validate/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in testdata/validate: %v", err)
	}
	var list []*golden
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		g := &golden{path: path, archive: archive}
		for _, f := range archive.Files {
			if f.Name == "want" {
				g.want = string(f.Data)
			} else if g.name == "" {
				g.name, g.text = f.Name, string(f.Data)
			} else {
				t.Fatalf("%s: more than one program", path)
			}
		}
		for _, line := range strings.Split(string(archive.Comment), "\n") {
			word, rest, _ := strings.Cut(line, " ")
			switch word {
			case "tasks":
				g.tasks = true
			case "modulepath":
				g.site = &Site{ModulePath: []string{rest}}
			case "manifest":
				g.site.Manifest = rest
			}
		}
		list = append(list, g)
	}
	return list
}

// TestValidateGolden compares our answers with the recorded ones. It needs no Puppet, except to record.
func TestValidateGolden(t *testing.T) {
	goldens := readGoldens(t)
	if *record {
		live.Puppet(t)
		recordGoldens(t, goldens)
	}
	for _, g := range goldens {
		t.Run(strings.TrimSuffix(filepath.Base(g.path), ".txtar"), func(t *testing.T) {
			ours, parsed := judge(g.name, g.text, Options{Tasks: g.tasks}, g.site)
			if !parsed {
				t.Fatalf("the parser refuses: %v", ours)
			}
			for _, d := range differences(parseIssues(t, g.want), ours) {
				t.Error(d)
			}
		})
	}
}

// TestValidateGoldenLive makes sure that the recorded answers are still Puppet's.
func TestValidateGoldenLive(t *testing.T) {
	live.Puppet(t)
	goldens := readGoldens(t)
	answers := askGoldens(t, goldens)
	for _, g := range goldens {
		if got := formatIssues(answers[g.path]); got != g.want {
			t.Errorf("%s: recorded\n%sPuppet says\n%s", g.path, g.want, got)
		}
	}
}

func recordGoldens(t *testing.T, goldens []*golden) {
	answers := askGoldens(t, goldens)
	for _, g := range goldens {
		for _, i := range answers[g.path] {
			if i.Severity == "parse" {
				t.Errorf("%s: no case for the validator, Puppet's parser refuses it: %v", g.path, i)
			}
		}
		g.want = formatIssues(answers[g.path])
		g.archive.Files = slices.DeleteFunc(g.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
		g.archive.Files = append(g.archive.Files, txtar.File{Name: "want", Data: []byte(g.want)})
		if err := os.WriteFile(g.path, txtar.Format(g.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// askGoldens asks Puppet about all cases, in one run for each set of switches. Each case has a directory of its own and
// is asked for from within it, so that messages do not depend on the machine.
func askGoldens(t *testing.T, goldens []*golden) map[string][]issue {
	t.Helper()
	root := t.TempDir()
	groups := map[string]map[string]*golden{}
	for i, g := range goldens {
		switches := g.switches()
		if groups[switches] == nil {
			groups[switches] = map[string]*golden{}
		}
		groups[switches][writeProgram(t, filepath.Join(root, strconv.Itoa(i)), g.name, g.text)] = g
	}
	answers := map[string][]issue{}
	for switches, group := range groups {
		for name, found := range askPuppet(t, slices.Sorted(maps.Keys(group)), strings.Fields(switches)...) {
			answers[group[name].path] = found
		}
	}
	return answers
}

// switches are those of the oracle.
func (g *golden) switches() string {
	s := ""
	if g.tasks {
		s = "--tasks"
	}
	if g.site != nil {
		s += " --modulepath " + strings.Join(g.site.ModulePath, ":")
		if g.site.Manifest != "" {
			s += " --manifest " + g.site.Manifest
		}
	}
	return s
}

func formatIssues(list []issue) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, i := range list {
		if line := i.String(); !seen[line] {
			seen[line] = true
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func parseIssues(t *testing.T, text string) []issue {
	t.Helper()
	var list []issue
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			continue
		}
		var i issue
		if _, err := fmt.Sscanf(line, "%s %s %d:%d", &i.Severity, &i.Code, &i.Line, &i.Pos); err != nil {
			t.Fatalf("recorded line %q: %v", line, err)
		}
		if parts := strings.SplitN(line, " ", 4); len(parts) == 4 {
			i.Message = parts[3]
		}
		list = append(list, i)
	}
	return list
}
