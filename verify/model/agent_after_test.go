package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/model"
)

// A real agent judges what a run is said to do on a machine that has another catalog (verify-claims §9): random
// catalogs, each followed by one in which attributes differ, resources are missing and others have come. The agent
// applies the old one three times and then the new one; which resources changed something, failed, were skipped and
// were refreshed must be what was foretold. BUNRAKU_AGENT and BUNRAKU_AGENT_SEEDS as for TestScoreAgent.
func TestScoreAgentAfter(t *testing.T) {
	dir := os.Getenv("BUNRAKU_AGENT")
	if dir == "" {
		t.Skip("BUNRAKU_AGENT names no machine made by testdata/agent/root.sh")
	}
	live.Puppet(t)
	from, to := 0, 19
	if s := os.Getenv("BUNRAKU_AGENT_SEEDS"); s != "" {
		a, b, _ := strings.Cut(s, "-")
		from, _ = strconv.Atoi(a)
		to, _ = strconv.Atoi(b)
	}
	j := newAgent(t, dir)
	defer j.close()
	pairs, equal, restless, rough := 0, 0, 0, 0
	for seed := from; seed <= to; seed++ {
		old := newScenario(uint64(seed))
		new := successor(old)
		u, err := model.After(context.Background(), model.Side{Graph: graphOf(t, old)}, model.Side{Graph: graphOf(t, new)},
			model.Options{Platform: "debian-12", Listing: j.lists}, nil)
		if err != nil {
			t.Logf("seed %d: %v", seed, err) // a cycle
			continue
		}
		if u.Runs == 0 {
			restless++
			t.Logf("seed %d never rests: %s", seed, old)
			continue
		}
		if len(u.Rough)+len(u.Open) > 0 || slices.ContainsFunc(u.Acts,
			func(a model.Act) bool { return a.Exact != verify.Exact }) {
			rough++
			continue
		}
		text := old.catalog(nil)
		x := j.ask(t, nil, slices.Concat(old.lines, new.lines), text, text, text, new.catalog(nil))
		if x.Error != "" || x.Runs[3].Error != "" {
			t.Errorf("seed %d: the agent does not answer: %s", seed, x.Error)
			continue
		}
		pairs++
		last := x.Runs[3]
		var got, want []string
		for _, r := range last.Changed {
			// What fails at its end has changed something, too, and a restart counts as a change of a service.
			if !slices.Contains(last.Failed, r) && !(slices.Contains(last.Restarted, r) && strings.HasPrefix(r, "Service[")) {
				want = append(want, "changes "+r)
			}
		}
		for _, r := range last.Failed {
			want = append(want, "fails "+r)
		}
		for _, r := range last.Restarted {
			// One that does not run is told, too, and does nothing.
			if strings.HasPrefix(r, "Service[") && new.parameter(r, "ensure") != "stopped" {
				want = append(want, "restarts "+r)
			}
		}
		for _, r := range last.Skipped {
			if new.parameter(r, "schedule") == nil {
				want = append(want, "skips "+r)
			}
		}
		for _, a := range u.Acts {
			switch a.Verb {
			case model.Refreshes:
				got = append(got, "restarts "+a.Resource.Ref())
			case model.Purges:
				for _, p := range a.What {
					got = append(got, "changes File["+p+"]")
				}
			case model.Stops, model.Starts, model.Enables, model.Disables:
				if !slices.Contains(last.Restarted, a.Resource.Ref()) {
					got = append(got, "changes "+a.Resource.Ref())
				}
			default:
				got = append(got, "changes "+a.Resource.Ref())
			}
		}
		for _, f := range u.Failed {
			got = append(got, "fails "+f.Resource.Ref())
		}
		for _, r := range u.Skipped {
			got = append(got, "skips "+r.Ref())
		}
		if a, b := setOf(got), setOf(want); a != b {
			t.Errorf("seed %d\nforetold %s\nhappened %s\nwhy %v\nold %s\nnew %s", seed, a, b, last.Why, old, new)
		} else {
			equal++
		}
	}
	t.Logf("score: after: of %d pairs that come to rest and are known exactly %d as the agent does; %d never rest, %d "+
		"hang on what is not known", pairs, equal, restless, rough)
}

// parameter is a parameter of a resource, nil if it has none.
func (s *scenario) parameter(ref, name string) any {
	for _, r := range s.resources {
		if r.ref() == ref {
			return r.Parameters[name]
		}
	}
	return nil
}

func setOf(list []string) string {
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "; ")
}

func graphOf(t *testing.T, s *scenario) *catalog.Graph {
	t.Helper()
	c, err := catalog.Read(s.catalog(nil))
	if err != nil {
		t.Fatal(err)
	}
	return catalog.NewGraph(c, model.Types{})
}

// successor is what people make of a catalog: other values, something gone, something new.
func successor(old *scenario) *scenario {
	r := rand.New(rand.NewPCG(generatorVersion+1000, old.seed))
	new := &scenario{seed: old.seed, lines: old.lines, packages: old.packages}
	gone := map[string]bool{}
	for _, x := range old.resources {
		if r.IntN(7) == 0 {
			gone[x.ref()] = true
			continue
		}
		y := x
		text, _ := json.Marshal(x.Parameters)
		y.Parameters = map[string]any{}
		_ = json.Unmarshal(text, &y.Parameters)
		if r.IntN(3) == 0 {
			other(r, &y)
		}
		new.resources = append(new.resources, y)
	}
	more := newScenario(old.seed + 100_000)
	for _, x := range more.resources[:min(len(more.resources), 1+r.IntN(3))] {
		taken := slices.ContainsFunc(old.resources, func(y resourceJSON) bool { return y.ref() == x.ref() })
		if !taken && (old.packages || x.Type != "Package") {
			new.resources = append(new.resources, x)
			new.lines = append(slices.Clone(new.lines), more.lines...)
		}
	}
	there := map[string]bool{}
	for _, x := range new.resources {
		there[x.ref()] = true
	}
	for _, x := range new.resources {
		for _, attr := range []string{"require", "subscribe", "notify", "before"} {
			if ref, ok := x.Parameters[attr].(string); ok && !there[ref] {
				delete(x.Parameters, attr)
			}
		}
	}
	return new
}

// other gives a resource another value.
func other(r *rand.Rand, x *resourceJSON) {
	p := x.Parameters
	switch x.Type {
	case "File":
		if _, ok := p["content"]; ok && r.IntN(2) == 0 {
			p["content"] = fmt.Sprintf("other %d\n", r.IntN(9))
		} else if p["ensure"] != "link" && p["ensure"] != "absent" {
			p["mode"] = []string{"0640", "0700", "0755"}[r.IntN(3)]
		}
	case "User":
		p["comment"] = fmt.Sprintf("person %d", r.IntN(9))
	case "Host":
		p["ip"] = fmt.Sprintf("192.0.2.%d", 1+r.IntN(200))
	case "Service":
		if p["ensure"] == "running" && r.IntN(2) == 0 {
			p["ensure"] = "stopped"
		}
	case "Cron":
		p["minute"] = fmt.Sprint(r.IntN(60))
	}
}
