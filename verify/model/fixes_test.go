package model_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/model"
)

// Fixes that cannot harm (verify-claims §7): every fix that is offered for a random faulty catalog is written into it,
// together with all others, and what comes of that is judged by the concrete interpreter alone: the findings are gone
// and none is new, a fresh machine ends as before, and nothing is silenced.

// A mended catalog is a scenario with the fixes that its report offers.
type mended struct {
	*scenario
	old, new    *model.Report
	a, b        *verify.Analysis
	fixed, left int // findings with a fix, and without
	byCode      map[string][2]int
}

// mend writes the fixes into a catalog and verifies it anew; nil if there is no finding.
func mend(t *testing.T, s *scenario, opt model.Options) *mended {
	t.Helper()
	m := &mended{scenario: s, byCode: map[string][2]int{}}
	look := func(s *scenario) (*model.Report, *verify.Analysis) {
		c, err := catalog.Read(s.catalog(nil))
		if err != nil {
			t.Fatal(err)
		}
		cg := catalog.NewGraph(c, model.Types{})
		if len(cg.Cycles()) > 0 {
			return nil, nil
		}
		r, err := model.Verify(context.Background(), cg, opt, verify.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		a, err := verify.Prepare(r.Model.Graph, verify.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		return r, a
	}
	if m.old, m.a = look(s); m.old == nil || len(m.old.Findings) == 0 {
		return nil
	}
	changed := *s
	changed.resources = slices.Clone(s.resources)
	for _, f := range m.old.Findings {
		n := m.byCode[f.Code]
		if n[1]++; f.Fix == nil {
			m.left++
			m.byCode[f.Code] = n
			continue
		}
		n[0]++
		m.byCode[f.Code] = n
		m.fixed++
		k := slices.IndexFunc(changed.resources, func(r resourceJSON) bool { return r.ref() == f.Fix.Resource.Ref() })
		r := &changed.resources[k]
		r.Parameters = maps.Clone(r.Parameters)
		if f.Fix.Target == nil {
			r.Parameters[f.Fix.Attr] = unquoted(f.Fix.Value)
			continue
		}
		list := []any{f.Fix.Target.Ref()}
		switch have := r.Parameters[f.Fix.Attr].(type) {
		case string:
			list = append(list, have)
		case []any:
			list = append(list, have...)
		}
		r.Parameters[f.Fix.Attr] = list
	}
	if m.fixed > 0 {
		m.new, m.b = look(&changed)
		m.scenario = &changed
	}
	return m
}

// unquoted is what a word of a manifest in quotes stands for.
func unquoted(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\'`, "'").Replace(strings.TrimSuffix(strings.TrimPrefix(s, "'"), "'"))
}

// harm says what is wrong with the fixes; "" if nothing is.
func (m *mended) harm(r *rand.Rand) string {
	if m.fixed == 0 {
		return ""
	}
	if m.new == nil {
		return "they make a cycle"
	}
	key := func(f *model.Finding) string {
		return f.Code + " " + strings.Join(codesOf(&model.Report{Findings: []model.Finding{*f}}), "")
	}
	old := map[string]bool{}
	for i := range m.old.Findings {
		f := &m.old.Findings[i]
		old[key(f)] = f.Fix == nil
	}
	for i := range m.new.Findings {
		f := &m.new.Findings[i]
		if mayStay, known := old[key(f)]; !known && !m.old.Partial {
			return "there is a new finding: " + key(f)
		} else if known && !mayStay {
			return "the finding is still there: " + key(f)
		}
	}
	// The fresh machine ends as before, or as an order that worked.
	fresh := m.old.Model.Graph.Fresh
	was, is := m.run(m.old, m.a.Order(), fresh), m.run(m.new, m.b.Order(), fresh)
	if !was.good {
		was = m.run(m.old, m.b.Order(), fresh)
	}
	if was.good && !is.good {
		return "a run from the fresh machine fails that did not: " + is.why
	}
	if was.good {
		if d := m.a.Space.Diff(was.end, is.end); len(d) > 0 {
			return fmt.Sprintf("a run from the fresh machine ends otherwise: %v", d)
		}
	}
	// Nothing is silenced, on the machines of the evidence and on some others.
	starts := []*fs.State{fresh}
	for _, f := range m.old.Findings {
		if f.Evidence != nil {
			starts = append(starts, f.Evidence.Initial)
		}
	}
	for range 4 {
		starts = append(starts, m.somewhere(fresh, r))
	}
	for _, s := range starts {
		was, is := m.run(m.old, m.a.Order(), s), m.run(m.new, m.b.Order(), s)
		for i := range m.old.Model.Graph.Resources {
			before, ran := was.at[i]
			after, runs := is.at[i]
			if !ran || !runs || !before.acted || after.acted || after.failed {
				continue
			}
			would, _, ok := fs.Run(m.old.Model.Graph.Resources[i].Program, after.state)
			if ok && len(m.a.Space.Diff(after.state, would)) > 0 && !m.witnessed(i) {
				return "silenced: " + m.old.Model.Graph.Resources[i].Name
			}
		}
	}
	return ""
}

// ran is what came of a run, resource by resource.
type ran struct {
	good bool
	why  string
	end  *fs.State
	at   map[int]turn
}

type turn struct {
	state         *fs.State // when it is next
	acted, failed bool
}

// run applies a catalog as an agent does: what fails is passed over, and so is what depends on it.
func (m *mended) run(r *model.Report, order []int, s *fs.State) ran {
	a := m.a
	if r == m.new {
		a = m.b
	}
	out := ran{good: true, at: map[int]turn{}}
	now := a.Space.Begin(s)
	var failed []int
	for _, i := range order {
		if slices.ContainsFunc(failed, func(j int) bool { return a.Precedes(j, i) }) {
			continue
		}
		next, acted, ok := fs.Run(r.Model.Graph.Resources[i].Program, now)
		if !ok {
			failed = append(failed, i)
			out.good, out.why = false, r.Model.Graph.Resources[i].Name
			out.at[i] = turn{state: now, failed: true}
			continue
		}
		out.at[i] = turn{state: now, acted: acted || len(a.Space.Diff(now, next)) > 0}
		now = next
	}
	out.end = now
	return out
}

// somewhere is the fresh machine with something more or less.
func (m *mended) somewhere(fresh *fs.State, r *rand.Rand) *fs.State {
	s := fresh.Clone()
	for _, p := range m.paths {
		q := fs.Clean(p)
		if s.At(q.Parent()).Kind != fs.Dir || s.At(q).Kind != fs.None || r.IntN(2) == 0 {
			continue
		}
		s.Put(q, fs.Dir+fs.Kind(r.IntN(2)))
	}
	if !m.a.Space.Satisfies(s) {
		return fresh
	}
	return s
}

// witnessed reports whether the guard that a resource got looks at what only its own whole success leaves: it is absent
// on the fresh machine at the resource's turn, nobody else makes it, and whoever stops the command earlier stops it
// before that is there.
func (m *mended) witnessed(i int) bool {
	name := m.old.Model.Graph.Resources[i].Name
	var p fs.Path
	for _, f := range m.old.Findings {
		if f.Fix != nil && f.Fix.Attr == "creates" && f.Fix.Resource.Ref() == name {
			p = fs.Clean(unquoted(f.Fix.Value))
		}
	}
	if p == "" {
		return false
	}
	fresh := m.old.Model.Graph.Fresh
	for _, order := range [][]int{m.a.Order(), m.b.Order()} {
		out := m.run(m.old, order, fresh)
		at, reached := out.at[i]
		if !reached {
			continue
		}
		if at.state.At(p).Kind != fs.None {
			return false
		}
		whole, _, ok := fs.Run(m.old.Model.Graph.Resources[i].Program, at.state)
		if !ok {
			continue
		}
		if whole.At(p).Kind == fs.None {
			return false
		}
		for _, part := range stopped(m.old.Model.Graph.Resources[i].Program) {
			half, _, ok := fs.Run(part, at.state)
			if ok && half.At(p).Kind != fs.None && len(m.a.Space.Diff(half, whole)) > 0 {
				return false
			}
		}
		for j, x := range out.at {
			if after, _, ok := fs.Run(m.old.Model.Graph.Resources[j].Program, x.state); j != i && ok &&
				x.state.At(p).Kind == fs.None && after.At(p).Kind != fs.None {
				return false
			}
		}
	}
	return true
}

// stopped are a program as it would be if it ended after each of its steps.
func stopped(e fs.Expr) (out []fs.Expr) {
	switch e := e.(type) {
	case fs.Seq:
		for k, x := range e {
			for _, part := range stopped(x) {
				out = append(out, append(slices.Clone(e[:k]), part))
			}
			out = append(out, slices.Clone(e[:k]))
		}
	case fs.If:
		for _, part := range stopped(e.Then) {
			out = append(out, fs.If{Cond: e.Cond, Then: part, Else: e.Else})
		}
		for _, part := range stopped(e.Else) {
			out = append(out, fs.If{Cond: e.Cond, Then: e.Then, Else: part})
		}
	}
	return out
}

// fixSeeds is where the seeds of these catalogs begin: others than agents judge.
const fixSeeds = 1 << 20

// fixRounds mends so many faulty catalogs. It returns the share of findings that get a fix.
func fixRounds(t *testing.T, want int, opt model.Options, each func(m *mended) bool) float64 {
	t.Helper()
	byCode := map[string][2]int{}
	faulty, offered, harmful, findings := 0, 0, 0, 0
	for seed := uint64(fixSeeds); faulty < want && harmful < 5; seed++ {
		m := mend(t, newScenario(seed), opt)
		if m == nil {
			continue
		}
		faulty++
		offered, findings = offered+m.fixed, findings+m.fixed+m.left
		for code, n := range m.byCode {
			byCode[code] = [2]int{byCode[code][0] + n[0], byCode[code][1] + n[1]}
		}
		if why := m.harm(rand.New(rand.NewPCG(1, seed))); why != "" {
			harmful++
			t.Errorf("seed %d: %s\n%s%s", seed, why, m, m.offers())
		}
		if each != nil && !each(m) {
			break
		}
	}
	share := 100 * float64(offered) / float64(max(1, findings))
	t.Logf("score: %d faulty catalogs, %d findings, %d with a fix (%.1f %%, bar 80 %%), %d harmful (bar 0)", faulty,
		findings, offered, share, harmful)
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		t.Logf("score: %s with a fix %d/%d", code, byCode[code][0], byCode[code][1])
	}
	return share
}

// offers lists the fixes.
func (m *mended) offers() string {
	var b strings.Builder
	for _, f := range m.old.Findings {
		if f.Fix != nil {
			fmt.Fprintf(&b, "  %s %s: %s\n", f.Code, f.Fix.Resource.Ref(), f.Fix)
		}
	}
	return b.String()
}

// Fixes of some random catalogs do no harm.
func TestFixes(t *testing.T) {
	fixRounds(t, 60, model.Options{Platform: "debian-12", Listing: lists(t, "debian-12")}, nil)
}

// 5,000 faulty catalogs, judged by the concrete interpreter, and 300 with a fix by an agent, if there is one
// (BUNRAKU_AGENT). BUNRAKU_ACCEPT_FIXES says how many instead of the first.
func TestAcceptFixes(t *testing.T) {
	live.Accept(t)
	n := 5000
	if x, err := strconv.Atoi(os.Getenv("BUNRAKU_ACCEPT_FIXES")); err == nil {
		n = x
	}
	share := fixRounds(t, n, model.Options{Platform: "debian-12", Listing: lists(t, "debian-12")}, nil)
	if share < 80 {
		t.Errorf("%.1f %% of the findings get a fix, the bar is 80 %%", share)
	}
}

// An agent applies catalogs with the fixes that were offered for them. BUNRAKU_ACCEPT_FIXES says how many; what an
// agent has answered is kept.
func TestAcceptFixesAgent(t *testing.T) {
	live.Accept(t)
	dir := os.Getenv("BUNRAKU_AGENT")
	if dir == "" {
		t.Skip("BUNRAKU_AGENT names no machine made by testdata/agent/root.sh")
	}
	live.Puppet(t)
	want, judged, fixes, wrong := 300, 0, 0, 0
	if x, err := strconv.Atoi(os.Getenv("BUNRAKU_ACCEPT_FIXES")); err == nil {
		want = x
	}
	j := newAgent(t, dir)
	defer j.close()
	fixRounds(t, 1<<30, model.Options{Platform: "debian-12", Listing: j.lists}, func(m *mended) bool {
		if m.fixed == 0 || m.new == nil {
			return true
		}
		judged, fixes = judged+1, fixes+m.fixed
		if why := j.fixHarm(t, m); why != "" {
			wrong++
			t.Errorf("seed %d: the agent says: %s\n%s%s", m.seed, why, m, m.offers())
		}
		return judged < want && wrong < 5
	})
	t.Logf("score: an agent has applied %d catalogs with %d fixes (bar 300 catalogs): %d did harm or did not help (bar 0)",
		judged, fixes, wrong)
}

// fixHarm lets an agent apply a catalog without and with its fixes to a fresh machine, twice, and says what is wrong
// with them.
func (a *agent) fixHarm(t *testing.T, m *mended) string {
	t.Helper()
	old, fixed := newScenario(m.seed).catalog(nil), m.catalog(nil)
	was, is := a.ask(t, nil, m.lines, old, old), a.ask(t, nil, m.lines, fixed, fixed)
	if was.Error != "" || is.Error != "" {
		return ""
	}
	before, first, second := was.Runs[0], is.Runs[0], is.Runs[1]
	if first.Error != "" {
		return "it is refused: " + first.Error
	}
	for _, ref := range first.Failed {
		if !slices.Contains(before.Failed, ref) && !slices.Contains(before.Skipped, ref) {
			return ref + " fails, which did not before"
		}
	}
	if !before.bad() {
		if d := differences(before.State, first.State); len(d) > 0 {
			return fmt.Sprintf("a run from the fresh machine ends otherwise: %v", d)
		}
	}
	for _, f := range m.old.Findings {
		if f.Fix == nil {
			continue
		}
		ref := f.Fix.Resource.Ref()
		switch {
		case f.Fix.Attr == "creates" && slices.Contains(before.Changed, ref) && !slices.Contains(first.Changed, ref):
			return ref + " is silenced"
		case f.Fix.Attr == "creates" && (slices.Contains(second.Changed, ref) || slices.Contains(second.Failed, ref)):
			return ref + " still does something in the second run"
		case f.Code == "V101" && slices.Contains(first.Failed, ref) && !slices.Contains(before.Failed, ref):
			return ref + " fails all the same"
		}
	}
	if m.new.Deterministic != verify.Yes {
		return ""
	}
	var reversed []string
	for _, x := range slices.Backward(m.resources) {
		reversed = append(reversed, x.ref())
	}
	other := a.ask(t, nil, m.lines, m.catalog(reversed))
	if other.Error != "" {
		return ""
	}
	if last := other.Runs[0]; last.bad() != first.bad() || !first.bad() && len(differences(first.State, last.State)) > 0 {
		return fmt.Sprintf("another order ends otherwise: %v / %v %v", first.Why, last.Why,
			differences(first.State, last.State))
	}
	return ""
}
