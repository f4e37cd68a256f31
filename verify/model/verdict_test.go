package model_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
)

// A verdict is a row of the corpus: null where there is no answer.
type verdict struct {
	Name          string
	When          string
	Platform      string
	Deterministic *bool
	Success       *bool `json:"can_succeed_fresh"`
	Idempotent    *bool
	Pair          []string
	Alt           []verdict
}

func readVerdicts(t testing.TB) []verdict {
	t.Helper()
	text, err := os.ReadFile(live.Shared(t, "corpus", "rehearsal", "verdicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []verdict
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// compile makes the catalog of one manifest of the corpus.
func compile(t testing.TB, name string) *catalog.Graph {
	t.Helper()
	dir := live.Shared(t, "corpus", "rehearsal", "puppet7", name)
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7,
		Roots: []string{live.ModulesDir}}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{filepath.Join(dir, "facts.json")}}),
		filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Compile(context.Background(), compiler.Node{Facts: f})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure != nil {
		t.Fatalf("%s: %v", name, r.Failure.Summary)
	}
	return catalog.NewGraph(r.Catalog, model.Types{})
}

func lists(t testing.TB, platform string) *listing.Set {
	t.Helper()
	s, err := listing.Open(platform, live.Shared(t, "corpus", "rehearsal", "pkgcache"),
		live.Shared(t, "corpus", "rehearsal", "pkgcache-extra"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answers are the three questions of a row, with the pairs that do not commute.
type answers struct {
	cycle         bool
	deterministic verify.Verdict
	success       verify.Chance
	idempotent    verify.Verdict
	pairs         [][]string
}

func ask(t testing.TB, cg *catalog.Graph, opt model.Options) (answers, *model.Model) {
	t.Helper()
	if cycles := cg.Cycles(); len(cycles) > 0 {
		out := answers{cycle: true}
		var names []string
		for _, n := range cycles[0].Members {
			names = append(names, n.String())
		}
		out.pairs = append(out.pairs, names)
		return out, nil
	}
	m, err := model.Build(cg, opt)
	if err != nil {
		t.Fatal(err)
	}
	a, err := verify.Prepare(m.Graph, verify.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	d, err := a.Determinism(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Success(ctx)
	if err != nil {
		t.Fatal(err)
	}
	i, err := a.Idempotence(ctx)
	if err != nil {
		t.Fatal(err)
	}
	out := answers{deterministic: d.Verdict, success: s.Chance, idempotent: i.Verdict}
	name := func(i int) string { return m.Graph.Resources[i].Name }
	for _, p := range d.Pairs {
		out.pairs = append(out.pairs, []string{name(p[0]), name(p[1])})
	}
	return out, m
}

// agrees compares an answer with a row and says where they differ.
func (a answers) agrees(v verdict) []string {
	var wrong []string
	if v.Deterministic == nil { // a cycle
		if !a.cycle {
			return []string{"no cycle"}
		}
		return a.agreesOnPair(v)
	}
	if got := a.deterministic == verify.Yes; got != *v.Deterministic || a.deterministic == verify.Unknown {
		wrong = append(wrong, "deterministic: "+a.deterministic.String())
	}
	if got := a.success != verify.Never; got != *v.Success || a.success == verify.ChanceUnknown {
		wrong = append(wrong, "succeeds: "+a.success.String())
	}
	if v.Idempotent != nil && ((a.idempotent == verify.Yes) != *v.Idempotent || a.idempotent == verify.Unknown) {
		wrong = append(wrong, "idempotent: "+a.idempotent.String())
	}
	return append(wrong, a.agreesOnPair(v)...)
}

// agreesOnPair looks for the row's pair among those that do not commute, or on the cycle.
func (a answers) agreesOnPair(v verdict) []string {
	if v.Pair != nil && !slices.ContainsFunc(a.pairs, func(p []string) bool {
		return slices.Contains(p, v.Pair[0]) && slices.Contains(p, v.Pair[1])
	}) {
		return []string{"pair not found"}
	}
	return nil
}

// TestScoreVerdicts compares every row of the corpus in the paper's package model.
func TestScoreVerdicts(t *testing.T) {
	rows := readVerdicts(t)
	right := 0
	var longest time.Duration
	for _, row := range rows {
		cg := compile(t, row.Name)
		set := lists(t, row.Platform)
		opt := model.Options{Packages: model.Paper, Listing: set, Platform: row.Platform}
		ask(t, cg, opt) // reads the lists
		began := time.Now()
		got, m := ask(t, cg, opt)
		took := time.Since(began)
		longest = max(longest, took)
		wrong := got.agrees(row)
		if len(wrong) == 0 {
			right++
		} else {
			t.Errorf("%s: %s; pairs %v", row.Name, strings.Join(wrong, ", "), got.pairs)
			for _, n := range notes(m) {
				t.Logf("   %s: %s", n.Resource.Ref(), n.Text)
			}
		}
		t.Logf("%-32s %6.2f ms", row.Name, took.Seconds()*1000)
	}
	t.Logf("score: verdicts %d/%d; longest %.1f ms", right, len(rows), longest.Seconds()*1000)
}

// TestDpkgVerdicts compares the rows that the corpus has for dpkg's real behaviour.
func TestDpkgVerdicts(t *testing.T) {
	n := 0
	for _, row := range readVerdicts(t) {
		for _, alt := range row.Alt {
			if !strings.HasPrefix(alt.When, "real dpkg") {
				continue
			}
			n++
			got, _ := ask(t, compile(t, row.Name), model.Options{Packages: model.Dpkg, Listing: lists(t, row.Platform),
				Platform: row.Platform})
			if wrong := got.agrees(alt); len(wrong) > 0 {
				t.Errorf("%s: %s; pairs %v", row.Name, strings.Join(wrong, ", "), got.pairs)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d rows", n)
	}
	t.Logf("score: dpkg verdicts %d rows", n)
}

// The row that the corpus has for RPM, whose configuration files are kept too.
func TestRPMVerdict(t *testing.T) {
	for _, row := range readVerdicts(t) {
		for _, alt := range row.Alt {
			if !strings.HasPrefix(alt.When, "rpm %config(noreplace)") {
				continue
			}
			got, _ := ask(t, compile(t, row.Name), model.Options{Packages: model.RPM, Listing: lists(t, row.Platform),
				Platform: row.Platform})
			if wrong := got.agrees(alt); len(wrong) > 0 {
				t.Errorf("%s: %s; pairs %v", row.Name, strings.Join(wrong, ", "), got.pairs)
			}
		}
	}
}

func notes(m *model.Model) []model.Note {
	if m == nil {
		return nil
	}
	return m.Notes
}
