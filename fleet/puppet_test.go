package fleet_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/diff"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/source"
)

// wireDiff compares two catalogs of real Puppet in the plainest way: which resources and which attributes are not the
// same. It shares no code with what is tested.
func wireDiff(t *testing.T, old, new string) []string {
	t.Helper()
	read := func(text string) map[string]map[string]any {
		var c struct {
			Error     string
			Resources []struct {
				Type, Title string
				Parameters  map[string]any
			}
		}
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Error != "" {
			t.Fatalf("%v %s", err, c.Error)
		}
		out := map[string]map[string]any{}
		for _, r := range c.Resources {
			out[r.Type+"["+r.Title+"]"] = r.Parameters
		}
		return out
	}
	text := func(name string, v any) string {
		if list, ok := v.([]any); ok && slices.Contains([]string{"before", "require", "notify", "subscribe"}, name) {
			var names []string
			for _, e := range list {
				names = append(names, fmt.Sprint(e))
			}
			slices.Sort(names)
			v = strings.Join(slices.Compact(names), " ")
		}
		b, _ := json.Marshal(v)
		return string(b)
	}
	x, y := read(old), read(new)
	var out []string
	for ref, was := range x {
		is, stays := y[ref]
		if !stays {
			out = append(out, "- "+ref)
			continue
		}
		for name := range was {
			if text(name, was[name]) != text(name, is[name]) {
				out = append(out, ref+" "+name)
			}
		}
		for name := range is {
			if _, had := was[name]; !had {
				out = append(out, ref+" "+name)
			}
		}
	}
	for ref := range y {
		if _, had := x[ref]; !had {
			out = append(out, "+ "+ref)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ourDiff is the same of a node in a report.
func ourDiff(n *diff.Node) []string {
	var out []string
	for _, it := range n.Changes {
		switch it.Kind {
		case diff.Added:
			out = append(out, "+ "+it.Name.String())
		case diff.Removed:
			out = append(out, "- "+it.Name.String())
		case diff.Renamed:
			out = append(out, "- "+it.Name.String(), "+ "+it.To.String())
		case diff.Attribute:
			out = append(out, it.Name.String()+" "+it.Attribute)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var modulePath = regexp.MustCompile(`(?m)^modulepath *=.*$`)

// TestScoreDiffPuppet compares what real Puppet's two catalogs differ in with what we say, for random commits of a
// site.
func TestScoreDiffPuppet(t *testing.T) {
	live.NotShort(t, "asks real Puppet")
	live.Puppet(t)
	s := newSite(t, filepath.Join("..", "examples", "shop"))
	s.ws = compiler.NewWorkspace(s.root, compiler.Options{StandIn: true, Questions: true, Language: source.Puppet7})
	commits := []map[string]string{s.files}
	random := rand.New(rand.NewPCG(1, 19))
	edits := s.edits()
	for len(commits) < 40 {
		var chosen []edit
		for range 1 + random.IntN(3) {
			chosen = append(chosen, edits[random.IntN(len(edits))])
		}
		if files := s.with(chosen...); s.compiles(files) {
			commits = append(commits, files)
		}
	}
	var questions []string
	for _, files := range commits { // all in one process: it takes long to start
		questions = append(questions, s.onDisk(files)...)
	}
	answers := live.Compile(t, questions)
	right, of := 0, 0
	for c, files := range commits[1:] {
		r, _ := s.report(files)
		for i := range s.nodes {
			of++
			want := wireDiff(t, answers[i], answers[(c+1)*len(s.nodes)+i])
			if got := ourDiff(r.Nodes[i]); slices.Equal(got, want) {
				right++
			} else {
				t.Errorf("%s: we say %v, Puppet %v", r.Nodes[i].Name, got, want)
			}
		}
	}
	t.Logf("score: diff equals Puppet's %d/%d", right, of)
}

func (s *site) compiles(files map[string]string) bool {
	_, failed := s.naive(files)
	return !failed
}

// onDisk writes the site where Puppet can read it, and returns the questions for its nodes.
func (s *site) onDisk(files map[string]string) (questions []string) {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "site")
	write := func(at, text string) {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, text := range files {
		if name == "/site/environment.conf" { // cron has left Puppet for a module
			text = modulePath.ReplaceAllString(text, "$0:"+live.ModulesDir)
		}
		write(filepath.Join(dir, strings.TrimPrefix(name, "/site/")), text)
	}
	for _, n := range s.nodes {
		var file struct{ Values json.RawMessage }
		if err := json.Unmarshal([]byte(s.files["/site/facts/"+n.Facts.Name+".json"]), &file); err != nil {
			s.t.Fatal(err)
		}
		facts := filepath.Join(dir, "..", n.Facts.Name+".json")
		write(facts, string(file.Values))
		questions = append(questions, dir+"\t"+n.Facts.Name+"\t"+facts)
	}
	return questions
}
