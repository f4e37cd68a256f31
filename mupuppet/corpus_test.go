package mupuppet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"

	"github.com/google/go-cmp/cmp"
)

// The corpus is the paper's own test set (Table 1 and §5.2) with the answers of Puppet 7.23, read by path.

type corpusEntry struct {
	File        string `json:"file"`
	Puppet      string `json:"puppet_7_23"` // ok or error
	Upuppet     string `json:"upuppet"`     // what the authors' Haskell did: ok or error
	Equal       bool   `json:"equal_up_to_order"`
	SameOrder   bool   `json:"same_order"`
	Unsupported bool   `json:"annotated_unsupported"`
}

func corpus(t testing.TB) (dir string, entries []corpusEntry) {
	t.Helper()
	dir = live.Shared(t, "corpus", "upuppet")
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	return dir, entries
}

// expectation compares a compiled corpus file with Puppet's recorded answer and returns the differences, "" for none.
func (e corpusEntry) compare(t testing.TB, dir string, r *Result) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(e.File, ".pp")+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Resources []puppetResource }
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	w, g := native(want.Resources, r.Definitions), r.Fingerprint()
	if !e.SameOrder {
		slices.Sort(w)
		slices.Sort(g)
	}
	return cmp.Diff(w, g)
}

type puppetResource struct {
	Type       string         `json:"type"`
	Title      string         `json:"title"`
	Parameters map[string]any `json:"parameters"`
}

// native is the fingerprint of Puppet's catalog without what µPuppet's catalogs do not hold: classes, nodes, and
// resources of defined types.
func native(rs []puppetResource, κ *Definitions) []string {
	var out []string
	for _, r := range rs {
		if r.Type == "Class" || r.Type == "Node" || κ.lookup(strings.ToLower(r.Type)) != nil {
			continue
		}
		var attrs []string
		for k, v := range r.Parameters {
			text, err := marshal(v)
			if err != nil {
				panic(err)
			}
			attrs = append(attrs, k+"="+text)
		}
		slices.Sort(attrs)
		out = append(out, r.Type+"["+r.Title+"] "+strings.Join(attrs, " "))
	}
	return out
}

var hasNode = regexp.MustCompile(`(?m)^\s*node\s`)

// corpusFile reads a manifest as the authors' test script does: without a node definition, it gets one.
func corpusFile(t testing.TB, dir, name string) *source.File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	src := string(text)
	if !hasNode.MatchString(src) {
		src += "\nnode default { include main }\n"
	}
	return source.NewFile(name, src)
}

// supportedAfterAll are the tests that the authors mark as unsupported and that fail only in their parser; the rules
// themselves handle them. The value says what the parser lacks.
var supportedAfterAll = map[string]string{
	"PuppetTestSuite/singlequote.pp": "strings in single quotes, which the paper's own figures use",
}

// corpusScore runs the corpus: which of the tests that Table 1 counts as passing give Puppet's catalog; which fail in
// both; which unsupported ones are refused by name.
type corpusScore struct {
	pass, passOf       int
	fail, failOf       int
	refuse, refuseOf   int
	problems, features []string
}

func runCorpus(t testing.TB) (s corpusScore) {
	dir, entries := corpus(t)
	for _, e := range entries {
		r, ds := Compile(corpusFile(t, dir, e.File), Options{})
		var first string
		if len(ds) > 0 {
			first = ds[0].Code + " " + ds[0].Summary
		}
		switch {
		case e.Unsupported && supportedAfterAll[e.File] != "":
			s.refuseOf++
			if r == nil {
				s.problems = append(s.problems, e.File+": "+first)
			} else if diff := e.compare(t, dir, r); diff != "" {
				s.problems = append(s.problems, e.File+": "+diff)
			} else {
				s.refuse++
			}
		case e.Unsupported:
			s.refuseOf++
			if r != nil || !(strings.HasPrefix(first, "M0001") || strings.HasPrefix(first, "M0011")) {
				s.problems = append(s.problems, e.File+": not refused by name: "+first)
				continue
			}
			s.refuse++
			s.features = append(s.features, e.File+": "+first)
		case e.Puppet == "ok" && e.Upuppet == "ok" && e.Equal:
			s.passOf++
			if r == nil {
				s.problems = append(s.problems, e.File+": "+ds[0].String())
			} else if diff := e.compare(t, dir, r); diff != "" {
				s.problems = append(s.problems, e.File+": Puppet's catalog (-) and ours (+) differ:\n"+diff)
			} else {
				s.pass++
			}
		case e.Puppet == "error":
			s.failOf++
			if r != nil {
				s.problems = append(s.problems, e.File+": Puppet fails, µPuppet does not")
			} else {
				s.fail++
				s.features = append(s.features, e.File+": "+first)
			}
		default:
			t.Fatalf("%s: neither passing, failing nor unsupported", e.File)
		}
	}
	return s
}

func TestCorpus(t *testing.T) {
	s := runCorpus(t)
	for _, p := range s.problems {
		t.Error(p)
	}
	for _, f := range s.features {
		t.Log(f)
	}
}

// TestScore prints the counts that the project tracks.
func TestScore(t *testing.T) {
	s := runCorpus(t)
	t.Logf("score: mupuppet corpus %d/%d", s.pass, s.passOf)
	t.Logf("score: mupuppet corpus-fails %d/%d", s.fail, s.failOf)
	t.Logf("score: mupuppet corpus-refused %d/%d", s.refuse, s.refuseOf)
}
