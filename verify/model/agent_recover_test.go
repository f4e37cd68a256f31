package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/model"
)

// A real agent judges what is said of runs that are disturbed (verify-claims §10): random catalogs on a fresh machine,
// the agent killed after a random resource; a random resource that runs a command or asks the network made to fail
// once, or its command stopped before a random one of its steps; and the cut of every V208. Then come three undisturbed
// runs. Where we say that later runs mend it, one of them ends as a run that nobody disturbs; where we show a V208, no
// one does.
//
// BUNRAKU_AGENT as for TestScoreAgent. What an agent has answered is kept, so that the test goes on where it was ended;
// BUNRAKU_AGENT_SEEDS names seeds to look at in place of the first 300 catalogs that something is said of.
func TestAcceptRecoverAgent(t *testing.T) {
	dir := os.Getenv("BUNRAKU_AGENT")
	if dir == "" {
		t.Skip("BUNRAKU_AGENT names no machine made by testdata/agent/root.sh")
	}
	if os.Getenv("BUNRAKU_AGENT_SEEDS") == "" {
		live.Accept(t)
	}
	live.Puppet(t)
	const bar = 300
	some := os.Getenv("BUNRAKU_AGENT_SEEDS") != ""
	from, to := 0, 5000
	if some {
		from, to = agentSeeds()
	}
	s := &recoverScore{agent: newAgent(t, dir), cuts: map[string]int{}}
	defer s.agent.close()
	for seed := from; seed <= to && (some || s.catalogs < bar); seed++ {
		s.judge(t, newScenario(uint64(seed)))
	}
	t.Logf("score: recovery: an agent has judged %d catalogs (bar %d), %d more fail undisturbed or are not known; cuts %v",
		s.catalogs, bar, s.others, s.cuts)
	t.Logf("score: recovery: %d promises, %d of them refuted (bar 0); %d V208 replayed, %d of them do not happen (bar 0)",
		s.promises, s.refuted, s.findings, s.false)
	if s.refuted+s.false > 0 || !some && s.catalogs < bar {
		t.Error("the bar is missed")
	}
}

type recoverScore struct {
	agent                              *agent
	catalogs, others                   int
	cuts                               map[string]int // that agents have made, by kind
	promises, refuted, findings, false int
}

// A disturbance is a cut as testdata/agent/cut.rb has it.
type disturbance struct {
	After  string `json:"after,omitempty"`
	Fail   string `json:"fail,omitempty"`
	Inside string `json:"inside,omitempty"`
	Break  string `json:"break,omitempty"`
	At     int    `json:"at,omitempty"`
}

// stuck reports whether we say that what is left then may never be mended.
func (d disturbance) stuck(r *model.Report) bool {
	is := func(kind model.CutKind, ref string) bool {
		return slices.ContainsFunc(r.Recovery.Each, func(c model.Cut) bool {
			return c.Stuck && c.Kind == kind && c.Resource.Ref() == ref
		})
	}
	return is(model.CutAfter, d.After) || is(model.CutFails, d.Fail) || is(model.CutInside, d.Inside) ||
		is(model.CutInside, d.Break) || is(model.CutFails, d.Break) ||
		// Before its first step and behind its last one a command is between two resources.
		d.Inside != "" && (is(model.CutAfter, d.Inside) || is(model.CutAfter, previous(r, d.Inside)))
}

// previous is the resource behind which another one comes in the agent's order.
func previous(r *model.Report, ref string) (before string) {
	for _, c := range r.Recovery.Each {
		if c.Resource.Ref() == ref {
			break
		}
		before = c.Resource.Ref()
	}
	return before
}

// cut reports whether it is a cut at all: behind the last resource nothing is left to be cut off.
func (d disturbance) cut(r *model.Report) bool {
	return d.After == "" || slices.ContainsFunc(r.Recovery.Each, func(c model.Cut) bool {
		return c.Kind == model.CutAfter && c.Resource.Ref() == d.After
	})
}

// judge disturbs one catalog.
func (s *recoverScore) judge(t *testing.T, of *scenario) {
	t.Helper()
	c, err := catalog.Read(of.catalog(nil))
	if err != nil {
		t.Fatal(err)
	}
	cg := catalog.NewGraph(c, model.Types{})
	if len(cg.Cycles()) > 0 {
		return
	}
	report, err := model.Verify(context.Background(), cg, model.Options{Platform: "debian-12", Listing: s.agent.lists,
		Recover: true}, verify.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if report.Recovery.Cuts == 0 {
		s.others++
		return
	}
	text := json.RawMessage(of.catalog(nil))
	whole := s.agent.askRuns(t, of.lines, nil, text)
	if whole.Error != "" {
		t.Errorf("seed %d: the agent does not answer: %s", of.seed, whole.Error)
		return
	}
	if whole.Runs[0].bad() {
		s.others++ // which is TestScoreAgent's to tell
		return
	}
	s.catalogs++
	// ends says whether and how runs end otherwise for good; happened is false if the agent ran to its end all the same.
	ends := func(d disturbance) (stuck string, happened bool) {
		x := s.agent.askUntil(t, of.lines, whole.Runs[0].State, map[string]any{"catalog": text, "cut": d}, text, text, text)
		if x.Error != "" {
			t.Errorf("seed %d: the agent does not answer: %s", of.seed, x.Error)
			return "", false
		}
		if !x.Runs[0].bad() {
			return "", false
		}
		for _, r := range x.Runs[1:] {
			if diff := differences(whole.Runs[0].State, r.State); r.bad() || len(diff) > 0 {
				stuck = fmt.Sprintf("%v %q", r.Why, diff)
			} else {
				return "", true
			}
		}
		return stuck, true
	}
	for _, d := range of.disturbances() {
		if d.stuck(report) || !d.cut(report) {
			continue
		}
		stuck, happened := ends(d)
		if happened {
			s.promises++
			s.cuts[d.kind()]++
		}
		if stuck != "" {
			s.refuted++
			t.Errorf("REFUTED %+v: %s\n%s", d, stuck, of)
		}
	}
	for _, f := range report.Findings {
		if f.Cut == nil {
			continue
		}
		s.findings++
		ref, stuck := f.Cut.Resource.Ref(), ""
		switch f.Cut.Kind {
		case model.CutAfter:
			stuck, _ = ends(disturbance{After: ref})
		case model.CutFails:
			stuck, _ = ends(disturbance{Fail: ref})
		case model.CutInside: // a step of the command as we read it is some step of the command as it runs
			for n, happened := 1, true; happened && stuck == ""; n++ {
				stuck, happened = ends(disturbance{Inside: ref, At: n})
			}
		}
		if stuck == "" {
			s.false++
			t.Errorf("DOES NOT HAPPEN %s %s: %v\n%s", f.Cut.Kind, ref, f.Runs, of)
		}
	}
}

func (d disturbance) kind() string {
	switch {
	case d.After != "":
		return "killed after a resource"
	case d.Fail != "":
		return "a resource fails"
	case d.Inside != "":
		return "killed inside a command"
	}
	return "a command breaks off"
}

// disturbances are what happens to a catalog, at random.
func (s *scenario) disturbances() []disturbance {
	r := rand.New(rand.NewPCG(generatorVersion+3000, s.seed))
	out := []disturbance{{After: s.resources[r.IntN(len(s.resources))].ref()}}
	var execs, others []string
	for _, x := range s.resources {
		switch x.Type {
		case "Exec":
			execs = append(execs, x.ref())
		case "Package", "Service", "User", "Group":
			others = append(others, x.ref())
		}
	}
	if some := slices.Concat(execs, others); len(some) > 0 {
		out = append(out, disturbance{Fail: some[r.IntN(len(some))]})
	}
	if len(execs) > 0 {
		d := disturbance{At: 1 + r.IntN(3)}
		if ref := execs[r.IntN(len(execs))]; r.IntN(2) == 0 {
			d.Inside = ref
		} else {
			d.Break = ref
		}
		out = append(out, d)
	}
	return out
}
