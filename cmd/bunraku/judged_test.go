package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// A judgement is a line of testdata/judged.txt.
type judgement struct {
	draw, tree, code, place, verdict, words, evidence string
}

// readJudgements reads the table: columns with tabs between them.
func readJudgements(t *testing.T) (all []judgement) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "judged.txt"))
	must(t, err)
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 7 || f[6] == "" {
			t.Fatalf("testdata/judged.txt:%d has %d columns", i+1, len(f))
		}
		all = append(all, judgement{f[0], f[1], f[2], f[3], f[4], f[5], f[6]})
	}
	return all
}

// TestJudgedTable: every line of the table can be read, and has a verdict.
func TestJudgedTable(t *testing.T) {
	seen := map[string]bool{}
	for _, j := range readJudgements(t) {
		switch j.verdict {
		case "true", "false", "aside":
		default:
			t.Errorf("%s %s %s: what is %q?", j.tree, j.code, j.place, j.verdict)
		}
		key := fmt.Sprint(j.tree, j.code, j.place, j.words)
		if seen[key] {
			t.Errorf("twice: %s %s %s %s", j.tree, j.code, j.place, j.words)
		}
		seen[key] = true
	}
}

// TestAcceptJudged: what check says of public trees as they were cloned is so. testdata/judged.txt has a sample of it,
// judged one by one; what was true is still said, what was false and still is said is listed, and of what is said now
// at least 97 % is true. bench/fetched.txt names the clones.
func TestAcceptJudged(t *testing.T) {
	live.Accept(t)
	fetched := os.Getenv("BUNRAKU_FETCHED")
	if fetched == "" {
		fetched = filepath.Join(live.Root(), "..", "fetched")
	}
	if _, err := os.Stat(fetched); err != nil {
		t.Skip("the trees of bench/fetched.txt are not here: $BUNRAKU_FETCHED names where they are")
	}
	program := filepath.Join(t.TempDir(), "bunraku")
	if out, err := script(t, live.Root(), nil, "go", "build", "-o", program, "./cmd/bunraku"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := map[string][]string{} // by tree, code and place: the messages
	looked := map[string]bool{}
	count := map[string]int{}
	for _, j := range readJudgements(t) {
		dir := filepath.Join(fetched, filepath.FromSlash(j.tree))
		if !looked[j.tree] {
			looked[j.tree] = true
			c := exec.Command(program, "check", "--format", "json", ".")
			c.Dir = dir
			out, _ := c.Output() // it ends with 1 or 2 when it finds something
			var answer answerJSON
			if err := json.Unmarshal(out, &answer); err != nil {
				t.Errorf("%s: %v", j.tree, err)
				continue
			}
			statements(j.tree, answer, said)
		}
		made := false
		for _, text := range said[j.tree+" "+j.code+" "+j.place] {
			has := true
			for words := range strings.SplitSeq(j.words, " && ") {
				has = has && strings.Contains(text, words)
			}
			made = made || has
		}
		count["first "+j.verdict]++
		if j.draw != "1" {
			count["first "+j.verdict]--
		}
		switch {
		case j.verdict == "aside":
		case j.verdict == "true" && !made:
			t.Errorf("%s %s %s is no longer said: %s", j.tree, j.code, j.place, j.evidence)
		case j.verdict == "false" && made:
			t.Logf("known to be false, and still said: %s %s %s: %s", j.tree, j.code, j.place, j.evidence)
			count["said false"]++
		case made:
			count["said true"]++
		}
	}
	percent := func(yes, no int) float64 { return 100 * float64(yes) / float64(max(yes+no, 1)) }
	now := percent(count["said true"], count["said false"])
	t.Logf("%d trees; the first draw: %d of %d true (%.1f %%); of what is said now: %d of %d (%.1f %%, bar 97 %%)",
		len(looked), count["first true"], count["first true"]+count["first false"],
		percent(count["first true"], count["first false"]), count["said true"], count["said true"]+count["said false"], now)
	if now < 97 || count["said true"] < 200 {
		t.Errorf("too little of it is true, or too little was judged")
	}
}

// statements gathers what an answer says, with the words of each.
func statements(tree string, answer answerJSON, said map[string][]string) {
	add := func(code, place, text string) {
		key := tree + " " + code + " " + place
		said[key] = append(said[key], text)
	}
	problem := func(p problemJSON) {
		place := "-"
		if p.Place != nil {
			place = fmt.Sprintf("%s:%d:%d", p.Place.File, p.Place.Line, p.Place.Column)
		}
		add(p.Code, place, strings.Join([]string{p.Summary, p.Detail, p.Help}, "\n"))
	}
	for _, p := range answer.Problems {
		problem(p)
	}
	for _, n := range answer.Nodes {
		for _, p := range n.Problems {
			problem(p)
		}
	}
	for _, f := range answer.Findings {
		words := []string{f.Title, f.Grade, f.Note}
		for _, r := range f.Resources {
			words = append(words, r.Ref)
		}
		if f.Fix != nil {
			words = append(words, f.Fix.Text)
		}
		add(f.Code, f.Resources[0].Place, strings.Join(words, "\n"))
	}
}
