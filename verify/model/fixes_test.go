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
	"bunraku/puppet/value"
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
		for _, d := range f.Fix.Declares {
			x := resourceJSON{Type: d.Type, Title: d.Title, Tags: []string{}, Kind: "compilable_type", Parameters: params{}}
			for _, p := range d.Params {
				x.Parameters[p.Name] = plain(p.Value)
			}
			if !slices.ContainsFunc(changed.resources, func(r resourceJSON) bool { return r.ref() == x.ref() }) {
				changed.resources = slices.Insert(changed.resources, k, x)
				k++
			}
		}
		if len(f.Fix.Declares) > 0 {
			continue
		}
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

// plain is a value as JSON has it.
func plain(v value.Value) any {
	list, ok := v.(*value.Array)
	if !ok {
		return value.ToString(v)
	}
	var out []any
	for _, x := range list.Elems {
		out = append(out, value.ToString(x))
	}
	return out
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
		if mayStay, known := old[key(f)]; !known && !m.old.Partial && !m.happens(f) {
			return "there is a new finding: " + key(f)
		} else if known && !mayStay {
			return "the finding is still there: " + key(f)
		}
	}
	// The fresh machine ends as before, or as an order that worked.
	fresh := m.old.Model.Graph.Fresh
	was, is := m.run(m.old, names(m.old, m.a), fresh), m.run(m.new, names(m.new, m.b), fresh)
	if !was.good {
		was = m.run(m.old, names(m.new, m.b), fresh)
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
		was, is := m.run(m.old, names(m.old, m.a), s), m.run(m.new, names(m.new, m.b), s)
		for _, r := range m.old.Model.Graph.Resources {
			before, ran := was.at[r.Name]
			after, runs := is.at[r.Name]
			if ran && runs && before.failed && !after.failed && !after.acted && s == fresh {
				return "it failed, and now does nothing: " + r.Name
			}
			if !ran || !runs || !before.acted || after.acted || after.failed {
				continue
			}
			would, _, ok := fs.Run(r.Program, after.state)
			if ok && len(m.a.Space.Diff(after.state, would)) > 0 && !m.witnessed(r.Name) && !m.kept(r.Name, after.state, would) {
				return "silenced: " + r.Name
			}
		}
	}
	return ""
}

// happens reports whether an agent that applies the catalog as it was sees what a finding says, though the report does
// not: the failure of something else hides it.
func (m *mended) happens(f *model.Finding) bool {
	s, order := m.old.Model.Graph.Fresh, names(m.old, m.a)
	first := m.run(m.old, order, s)
	switch f.Code {
	case "V202":
		again, acted, ok := fs.Run(program(m.old, f.Resources[0].Ref()), first.end)
		return ok && (acted || len(m.a.Space.Diff(first.end, again)) > 0)
	case "V205":
		third := m.run(m.old, order, m.run(m.old, order, first.end).end)
		return !slices.ContainsFunc(f.Resources, func(r *catalog.Resource) bool { return !third.at[r.Ref()].acted })
	}
	return false
}

// kept reports whether a purge leaves alone only what a fix declares.
func (m *mended) kept(name string, s, would *fs.State) bool {
	for _, d := range m.a.Space.Diff(s, would) {
		if !slices.ContainsFunc(m.old.Findings, func(f model.Finding) bool {
			purges := func(r *catalog.Resource) bool { return r.Ref() == name && r.Get("purge") != nil }
			return f.Code == "V205" && f.Fix != nil && len(f.Fix.Declares) == 1 && slices.ContainsFunc(f.Resources, purges) &&
				strings.HasSuffix(d.Cell, f.Fix.Declares[0].Title)
		}) {
			return false
		}
	}
	return true
}

// ran is what came of a run, resource by resource.
type ran struct {
	good bool
	why  string
	end  *fs.State
	at   map[string]turn // by name: a fix may declare something more
}

// names is the order of an analysis.
func names(r *model.Report, a *verify.Analysis) (out []string) {
	for _, i := range a.Order() {
		out = append(out, r.Model.Graph.Resources[i].Name)
	}
	return out
}

// program is that of a resource.
func program(r *model.Report, name string) fs.Expr {
	i := slices.IndexFunc(r.Model.Graph.Resources, func(x verify.Resource) bool { return x.Name == name })
	if i < 0 {
		return fs.Skip{}
	}
	return r.Model.Graph.Resources[i].Program
}

type turn struct {
	state         *fs.State // when it is next
	acted, failed bool
}

// run applies a catalog as an agent does: what fails is passed over, and so is what depends on it.
func (m *mended) run(r *model.Report, order []string, s *fs.State) ran {
	a := m.a
	if r == m.new {
		a = m.b
	}
	number := map[string]int{}
	for i, x := range r.Model.Graph.Resources {
		number[x.Name] = i
	}
	out := ran{good: true, at: map[string]turn{}}
	now := a.Space.Begin(s)
	var failed []int
	for _, name := range order {
		i, there := number[name]
		if !there || slices.ContainsFunc(failed, func(j int) bool { return a.Precedes(j, i) }) {
			continue
		}
		next, acted, ok := fs.Run(r.Model.Graph.Resources[i].Program, now)
		if !ok {
			failed = append(failed, i)
			out.good, out.why = false, name
			out.at[name] = turn{state: now, failed: true}
			continue
		}
		out.at[name] = turn{state: now, acted: acted || len(a.Space.Diff(now, next)) > 0}
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
func (m *mended) witnessed(name string) bool {
	var p fs.Path
	for _, f := range m.old.Findings {
		if f.Fix != nil && f.Fix.Attr == "unless" && f.Fix.Resource.Ref() == name {
			return m.lined(name)
		}
		if f.Fix != nil && f.Fix.Attr == "creates" && f.Fix.Resource.Ref() == name {
			p = fs.Clean(unquoted(f.Fix.Value))
		}
	}
	if p == "" {
		return false
	}
	fresh := m.old.Model.Graph.Fresh
	mine := program(m.old, name)
	for _, order := range [][]string{names(m.old, m.a), names(m.new, m.b)} {
		out := m.run(m.old, order, fresh)
		at, reached := out.at[name]
		if !reached {
			continue
		}
		if at.state.At(p).Kind != fs.None {
			return false
		}
		whole, _, ok := fs.Run(mine, at.state)
		if !ok {
			continue
		}
		if whole.At(p).Kind == fs.None {
			return false
		}
		for _, part := range stopped(mine) {
			half, _, ok := fs.Run(part, at.state)
			if ok && half.At(p).Kind != fs.None && len(m.a.Space.Diff(half, whole)) > 0 {
				return false
			}
		}
		for j, x := range out.at {
			if after, _, ok := fs.Run(program(m.old, j), x.state); j != name && ok &&
				x.state.At(p).Kind == fs.None && after.At(p).Kind != fs.None {
				return false
			}
		}
	}
	return true
}

// lined reports whether a guard that asks for a line asks for what only its own command writes: on the fresh machine
// the line is not there at its turn, and nobody else brings it.
func (m *mended) lined(name string) bool {
	out := m.run(m.new, names(m.new, m.b), m.new.Model.Graph.Fresh)
	at, reached := out.at[name]
	if !reached {
		return true
	}
	for v := range m.new.Model.Graph.Init.Closed {
		if !strings.HasPrefix(v, "a line of ") {
			continue
		}
		after, _, ok := fs.Run(program(m.new, name), at.state)
		if !ok || at.state.Var(v) == after.Var(v) {
			continue
		}
		for j, x := range out.at {
			if then, _, ok := fs.Run(program(m.new, j), x.state); j != name && ok && x.state.Var(v) != after.Var(v) &&
				then.Var(v) == after.Var(v) {
				return false
			}
		}
		return at.acted
	}
	return false
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
		ref, guard := f.Fix.Resource.Ref(), f.Fix.Attr == "creates" || f.Fix.Attr == "unless"
		switch {
		case guard && slices.Contains(before.Changed, ref) && !slices.Contains(first.Changed, ref):
			return ref + " is silenced"
		case guard && (slices.Contains(second.Changed, ref) || slices.Contains(second.Failed, ref)):
			return ref + " still does something in the second run"
		case f.Code == "V101" && slices.Contains(first.Failed, ref) && !slices.Contains(before.Failed, ref):
			return ref + " fails all the same"
		case f.Code == "V102" && !slices.Contains(first.Changed, f.Resources[0].Ref()) &&
			!slices.Contains(first.Skipped, f.Resources[0].Ref()):
			return f.Resources[0].Ref() + " is not applied all the same"
		case f.Code == "V205" && slices.ContainsFunc(f.Resources,
			func(r *catalog.Resource) bool { return slices.Contains(second.Changed, r.Ref()) }):
			return f.Fix.String() + " does not keep them from changing something in the second run"
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
