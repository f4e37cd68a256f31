package main

import (
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// What diff says follows on a node is what `verify --after` says of that node, which looks at one node and knows
// nothing of others that are like it.
func TestDiffAfter(t *testing.T) { diffAfter(t, 4) }

// TestAcceptDiffAfter is the bar: 100 changes.
func TestAcceptDiffAfter(t *testing.T) {
	live.Accept(t)
	diffAfter(t, 100)
}

var (
	wordInQuotes = regexp.MustCompile(`'[a-z0-9/._-]+'`)
	plainNumber  = regexp.MustCompile(`\b[1-9][0-9]*\b`)
	listItem     = regexp.MustCompile(`^( *- )([\w.-]+)$`)
)

// someEdit changes one line of a manifest or of data; false if it stays the same.
func someEdit(r *rand.Rand, line string) (string, bool) {
	was := line
	switch r.IntN(4) {
	case 0:
		line = wordInQuotes.ReplaceAllStringFunc(line, func(q string) string { return q[:len(q)-1] + "2'" })
	case 1:
		line = plainNumber.ReplaceAllString(line, "${0}1")
	case 2:
		line = listItem.ReplaceAllString(line, "${1}x$2")
	case 3:
		line = "# " + line
	}
	return line, line != was
}

func diffAfter(t *testing.T, changes int) {
	random := rand.New(rand.NewPCG(6, 8))
	done, nodes, effects := 0, 0, 0
	for _, site := range []string{filepath.Join("..", "..", "examples", "shop"),
		filepath.Join("..", "..", "fleet", "testdata", "harbour")} {
		s := &repository{t, filepath.Join(t.TempDir(), "site")}
		live.Tool(t, "git")
		if err := os.CopyFS(s.dir, os.DirFS(site)); err != nil {
			t.Fatal(err)
		}
		s.git("init", "-q", "-b", "main")
		s.commit("the site")
		var files []string
		err := filepath.WalkDir(s.dir, func(p string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(p); ext == ".pp" || ext == ".yaml" {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for of := done + changes/2; done < of; {
			file := files[random.IntN(len(files))]
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			i, is := random.IntN(len(lines)), false
			if lines[i], is = someEdit(random, lines[i]); !is {
				continue
			}
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := followed(t, s); len(got) > 0 {
				done++
				for node, told := range got {
					nodes++
					effects += len(told)
					if want := afterOf(t, s, node); !slices.Equal(told, want) {
						t.Errorf("%s:%d %s\n%s: diff says\n  %s\nverify --after says\n  %s", file, i+1, lines[i], node,
							strings.Join(told, "\n  "), strings.Join(want, "\n  "))
					}
				}
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d changes, %d nodes that have them, %d consequences: each as `verify --after` says", done, nodes, effects)
	if effects < done {
		t.Errorf("only %d consequences", effects)
	}
}

// followed are the consequences that diff tells, by node; nodes that do not change are left out.
func followed(t *testing.T, s *repository) map[string][]string {
	t.Helper()
	_, text, _ := call("diff", s.dir, "--from", "HEAD", "--format", "json")
	var doc struct {
		Nodes        []struct{ Name, State string }
		Consequences []struct {
			Verb, Text string
			Nodes      []string
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, n := range doc.Nodes {
		if n.State == "changed" {
			out[n.Name] = nil
		}
	}
	for _, c := range doc.Consequences {
		for _, n := range c.Nodes {
			out[n] = append(out[n], c.Verb+" "+c.Text)
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// afterOf is what `verify --after` tells of a node, in diff's words.
func afterOf(t *testing.T, s *repository, node string) (out []string) {
	t.Helper()
	_, text, stderr := call("verify", s.dir, "--node", node, "--after", "HEAD", "--format", "json")
	var doc struct {
		After *struct {
			Unknown string
			Rests   bool `json:"comes_to_rest"`
			Acts    []struct {
				Resource struct{ Ref string }
				Verb     string
				What     []string
				Again    bool `json:"every_run"`
				Rough    bool
			}
			Failed []struct {
				Resource, Why string
				Again         bool `json:"every_run"`
			}
			Left  []string                    `json:"left_behind"`
			Open  []string                    `json:"taken_for_true"`
			Rough []struct{ Resource string } `json:"not_known"`
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.After == nil {
		t.Fatal(err, stderr, text)
	}
	a := doc.After
	if a.Unknown != "" {
		return []string{"not known " + a.Unknown}
	}
	verbs := map[string]string{"restarted": "restarts", "started": "starts", "stopped": "stops", "runs": "runs",
		"installed": "installs", "removed": "removes"}
	for _, x := range a.Acts {
		switch verb := verbs[x.Verb]; {
		case x.Verb == "purges":
			for _, p := range x.What {
				out = append(out, "purges "+p)
			}
		case verb == "" || x.Again:
		case x.Rough && !strings.HasPrefix(x.Resource.Ref, "Package["):
			out = append(out, verb+" "+x.Resource.Ref+" (modelled only roughly)")
		default:
			out = append(out, verb+" "+x.Resource.Ref)
		}
	}
	for _, f := range a.Failed {
		if !f.Again {
			out = append(out, "fails "+f.Resource+": "+f.Why)
		}
	}
	for _, r := range a.Left {
		out = append(out, "leaves behind "+r)
	}
	for _, n := range a.Rough {
		out = append(out, "not known what "+n.Resource+" does")
	}
	if !a.Rests {
		out = append(out, "not known the old catalog does not come to rest: what is said follows its third run from a fresh machine")
	}
	for _, what := range a.Open {
		out = append(out, "taken for true "+what)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
