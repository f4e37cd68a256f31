package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/model"
)

// A real agent judges what a run is said to do on a machine that has another catalog (verify-claims §9): random
// catalogs, each followed by one in which attributes differ, resources are missing and others have come. The agent
// applies the old one three times and then the new one. What changed and in which properties, which commands ran how
// often, what failed and was skipped must be what was foretold; so must the calls of the stand-in systemctl, which say
// what was started, stopped and restarted; and what is said to be left behind is what is found on the machine. On a
// second machine somebody has done something meanwhile that leaves the old catalog at rest: there what is said to
// happen always happens, and nothing does that is not said to be possible.
//
// BUNRAKU_AGENT and BUNRAKU_AGENT_SEEDS as for TestScoreAgent; as an acceptance bar it goes on until there are 500
// pairs.
func TestScoreAgentAfter(t *testing.T) {
	dir := os.Getenv("BUNRAKU_AGENT")
	if dir == "" {
		t.Skip("BUNRAKU_AGENT names no machine made by testdata/agent/root.sh")
	}
	live.Puppet(t)
	const bar, most = 500, 2000
	accept := os.Getenv("BUNRAKU_ACCEPT") != ""
	from, to := agentSeeds()
	if accept {
		from, to = 0, most
	}
	s := &afterScore{agent: newAgent(t, dir)}
	defer s.agent.close()
	for seed := from; seed <= to && !(accept && s.pairs == bar); seed++ {
		s.judge(t, uint64(seed))
	}
	t.Logf("score: after: %d of %d pairs as the agent does (bar: all of %d); %d more never rest, %d hang on what is not "+
		"known", s.equal, s.pairs, bar, s.restless, s.rough)
	t.Logf("score: after: of %d resources said to be left behind, %d are there and no other is; %d calls of systemctl",
		s.left, s.there, s.calls)
	t.Logf("score: after: %d of these machines changed meanwhile and still at rest: %d acts are said to happen always, "+
		"%d do (bar: all); %d happen, %d of them are said to be possible (bar: all)", s.others, s.always, s.alwaysDo,
		s.happen, s.possible)
	if s.equal != s.pairs || s.always != s.alwaysDo || s.happen != s.possible || accept && s.pairs < bar {
		t.Error("the bar is missed")
	}
}

type afterScore struct {
	agent                              *agent
	pairs, equal, restless, rough      int
	left, there, calls                 int
	others                             int
	always, alwaysDo, happen, possible int
}

// judge compares what is foretold of a pair with what the agent does.
func (s *afterScore) judge(t *testing.T, seed uint64) {
	t.Helper()
	old := newScenario(seed)
	new := successor(old)
	search := verify.DefaultOptions()
	u, err := model.After(context.Background(), model.Side{Graph: graphOf(t, old)}, model.Side{Graph: graphOf(t, new)},
		model.Options{Platform: "debian-12", Listing: s.agent.lists}, &search)
	if err != nil {
		t.Logf("seed %d: %v", seed, err) // a cycle
		return
	}
	if u.Runs == 0 {
		s.restless++
		return
	}
	if len(u.Rough)+len(u.Open) > 0 || slices.ContainsFunc(u.Acts,
		func(a model.Act) bool { return a.Exact != verify.Exact }) {
		s.rough++
		return
	}
	lines := slices.Concat(old.lines, new.lines)
	before, after := json.RawMessage(old.catalog(nil)), json.RawMessage(new.catalog(nil))
	gone, look := old.dropped(new)
	x := s.agent.askRuns(t, lines, look, before, before, before, after)
	if x.Error != "" || x.Runs[3].Error != "" {
		t.Errorf("seed %d: the agent does not answer: %s", seed, x.Error)
		return
	}
	s.pairs++
	last := x.Runs[3]
	foretold, happened := new.foretold(u), new.happened(&last)
	for _, r := range u.Left {
		foretold = append(foretold, "leaves "+r.Ref())
		s.left++
	}
	for i, ref := range gone {
		if x.There[i] {
			happened = append(happened, "leaves "+ref)
		}
	}
	s.calls += len(last.Calls)
	if a, b := setOf(foretold), setOf(happened); a != b {
		t.Errorf("seed %d\nforetold %s\nhappened %s\nwhy %v\nold %s\nnew %s", seed, a, b, last.Why, old, new)
		return
	}
	s.equal++
	s.there += len(u.Left)
	s.elsewhere(t, old, new, u)
}

// foretold says what a run is said to do, as happened says what it does.
func (s *scenario) foretold(u *model.Upgrade) (out []string) {
	runs := map[string]int{}
	for _, a := range u.Acts {
		ref, name := a.Resource.Ref(), a.Resource.Title
		changes := func(property string) { out = append(out, "changes "+property+" of "+ref) }
		switch {
		case a.Verb == model.Runs:
			runs[ref]++
		case a.Verb == model.Refreshes:
			out = append(out, "restart "+name)
		case a.Verb == model.Purges:
			for _, p := range a.What {
				out = append(out, "changes ensure of File["+p+"]")
			}
		case a.Verb == model.Starts, a.Verb == model.Stops:
			changes("ensure")
			out = append(out, map[model.Verb]string{model.Starts: "start ", model.Stops: "stop "}[a.Verb]+name)
			if slices.Contains(a.What, "enable") {
				out = append(out, map[any]string{true: "enable ", false: "disable "}[s.parameter(ref, "enable")]+name)
			}
		case a.Verb == model.Enables:
			out = append(out, "enable "+name)
		case a.Verb == model.Disables:
			out = append(out, "disable "+name)
		case !named(a.Resource.Type):
			changes("something")
		case a.Verb == model.Changes && !slices.Contains(a.What, "ensure"):
			for _, w := range a.What {
				changes(w)
			}
		default:
			changes("ensure")
		}
	}
	for ref, n := range runs {
		out = append(out, fmt.Sprintf("runs %s %d", ref, n))
	}
	for _, f := range u.Failed {
		out = append(out, "fails "+f.Resource.Ref())
	}
	for _, r := range u.Skipped {
		out = append(out, "skips "+r.Ref())
	}
	return out
}

// named reports whether it is foretold which properties of such a resource change; of what looks after a line it is
// not.
func named(typ string) bool {
	return slices.Contains([]string{"File", "Package", "User", "Group"}, typ)
}

// happened says what a run did, by its report, by the commands that ran and by the calls of systemctl.
func (s *scenario) happened(run *agentRun) (out []string) {
	for ref, properties := range run.Properties {
		if slices.Contains(run.Failed, ref) {
			continue // what fails at its end has changed something, too
		}
		switch typ, _, _ := strings.Cut(ref, "["); {
		case typ == "Exec":
		case typ == "Service":
			if slices.Contains(properties, "ensure") {
				out = append(out, "changes ensure of "+ref)
			}
		case named(typ):
			for _, p := range properties {
				out = append(out, "changes "+p+" of "+ref)
			}
		default:
			out = append(out, "changes something of "+ref)
		}
	}
	for ref, n := range run.Ran {
		if !slices.Contains(run.Failed, ref) {
			out = append(out, fmt.Sprintf("runs %s %d", ref, n))
		}
	}
	for _, call := range run.Calls {
		verb, name, _ := strings.Cut(call, " ")
		if verb == "unmask" || slices.Contains(run.Failed, "Service["+name+"]") {
			continue // before a service is enabled; before it fails
		}
		out = append(out, call)
	}
	for _, r := range run.Failed {
		out = append(out, "fails "+r)
	}
	for _, r := range run.Skipped {
		if s.parameter(r, "schedule") == nil {
			out = append(out, "skips "+r)
		}
	}
	return out
}

// dropped are the resources by which the old catalog makes something of which the new one does not speak, and what to
// look for on the machine to see whether it is there.
func (s *scenario) dropped(new *scenario) (refs []string, look [][]string) {
	for _, r := range s.resources {
		p := r.Parameters
		if new.has(r.ref()) || p["noop"] == true || p["schedule"] == "never" || p["ensure"] == "absent" {
			continue
		}
		var where []string
		switch r.Type {
		case "File":
			where = []string{"path", r.Title}
		case "Package", "User", "Group", "Host":
			where = []string{strings.ToLower(r.Type), r.Title}
		case "Cron":
			where = []string{"cron", r.Title, p["user"].(string)}
		case "File_line":
			where = []string{"line", p["path"].(string), p["line"].(string)}
		case "Service":
			where = []string{"active", r.Title} // every one of these catalogs' services is to run
		default:
			continue
		}
		refs, look = append(refs, r.ref()), append(look, where)
	}
	return refs, look
}

func (s *scenario) has(ref string) bool {
	return slices.ContainsFunc(s.resources, func(r resourceJSON) bool { return r.ref() == ref })
}

// elsewhere compares what is said of all machines that have the old catalog with what happens on another one of them.
func (s *afterScore) elsewhere(t *testing.T, old, new *scenario, u *model.Upgrade) {
	t.Helper()
	meanwhile := old.meddled(new)
	before, after := json.RawMessage(old.catalog(nil)), json.RawMessage(new.catalog(nil))
	x := s.agent.askRuns(t, slices.Concat(old.lines, new.lines), nil, before, before, before,
		map[string]any{"do": meanwhile}, before, after)
	if x.Error != "" || x.Runs[3].Error != "" {
		return // what was to be done there cannot be done
	}
	rest, last := x.Runs[4], x.Runs[5]
	if rest.bad() || len(rest.Changed) > 0 || last.bad() {
		return // it is not at rest, or what fails keeps others from what they always do
	}
	s.others++
	said := map[string]bool{}
	tell := func(format string, args ...any) {
		t.Errorf("seed %d: %s\nmeanwhile %q\nsaid %v, perhaps %v\nold %s\nnew %s", old.seed, fmt.Sprintf(format, args...),
			meanwhile, actWords(u), u.Maybe, old, new)
	}
	for _, a := range u.Acts {
		ref := a.Resource.Ref()
		said[ref] = true
		for _, p := range a.What {
			said["File["+p+"]"] = true
		}
		if !a.Always {
			continue
		}
		s.always++
		switch does := slices.Contains(last.Changed, ref); {
		case a.Verb == model.Refreshes && !slices.Contains(last.Calls, "restart "+a.Resource.Title):
			tell("%s is not restarted", ref)
		case !does:
			tell("%s does not act", ref)
		default:
			s.alwaysDo++
		}
	}
	for _, r := range u.Maybe {
		said[r.Ref()] = true
	}
	for _, ref := range last.Changed {
		if s.happen++; said[ref] {
			s.possible++
		} else {
			tell("%s acts", ref)
		}
	}
}

func actWords(u *model.Upgrade) (out []string) {
	for _, a := range u.Acts {
		words := fmt.Sprintf("%s %s %v", a.Resource.Ref(), a.Verb, a.What)
		if a.Always {
			words += " always"
		}
		out = append(out, words)
	}
	return out
}

// meddled is what somebody does to a machine that has the old catalog, at places of which mostly only the new one
// speaks.
func (s *scenario) meddled(new *scenario) (ops [][]string) {
	r := rand.New(rand.NewPCG(generatorVersion+2000, s.seed))
	var places [][]string
	for _, x := range new.resources {
		if s.has(x.ref()) {
			if x.Type == "File" && x.Parameters["ensure"] != "link" && x.Parameters["mode"] != nil &&
				s.parameter(x.ref(), "mode") == nil {
				places = append(places, []string{"chmod", x.Title, x.Parameters["mode"].(string)})
			}
			continue
		}
		content, _ := x.Parameters["content"].(string)
		creates, _ := x.Parameters["creates"].(string)
		switch {
		case x.Type == "File" && x.Parameters["ensure"] == "directory":
			places = append(places, []string{"dir", x.Title})
		case x.Type == "File" && x.Parameters["ensure"] != "link":
			places = append(places, []string{"file", x.Title, content}, []string{"file", x.Title, "somebody's\n"})
		case x.Type == "Exec" && creates != "":
			places = append(places, []string{"file", creates, ""})
		case x.Type == "User":
			places = append(places, []string{"sh", "useradd " + x.Title})
		case x.Type == "Group":
			places = append(places, []string{"sh", "groupadd " + x.Title})
		case x.Type == "Package":
			places = append(places, []string{"sh", "apt-get -qq -y install " + x.Title})
		}
	}
	if len(places) == 0 {
		return [][]string{{"file", "/srv/somebody", "somebody's\n"}}
	}
	for range 1 + r.IntN(2) {
		ops = append(ops, places[r.IntN(len(places))])
	}
	return ops
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
