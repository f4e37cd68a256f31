package model_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/listing"
	"bunraku/verify/model"
)

// A real agent judges verdicts (verify-claims §9): random catalogs, each applied twice from three machines in three
// orders, in an overlay over a fresh Debian that testdata/agent/root.sh makes. No proof may be refuted, and every
// finding must happen when the machine and the orders of its evidence are tried. BUNRAKU_AGENT names the folder of
// root.sh, BUNRAKU_AGENT_SEEDS which seeds ("0-199"); what an agent has answered is kept there and not asked again.
func TestScoreAgent(t *testing.T) {
	dir := os.Getenv("BUNRAKU_AGENT")
	if dir == "" {
		t.Skip("BUNRAKU_AGENT names no machine made by testdata/agent/root.sh")
	}
	live.Puppet(t)
	from, to := agentSeeds()
	j := newAgent(t, dir)
	defer j.close()
	var score judged
	for seed := from; seed <= to; seed++ {
		j.judge(t, newScenario(uint64(seed)), &score)
	}
	t.Log(score.String() + score.table())
	if len(score.refuted)+len(score.false) > 0 {
		t.Errorf("%d proofs refuted, %d findings that do not happen", len(score.refuted), len(score.false))
	}
}

// agentSeeds are the first and the last seed that BUNRAKU_AGENT_SEEDS names.
func agentSeeds() (from, to int) {
	from, to = 0, 19
	if s := os.Getenv("BUNRAKU_AGENT_SEEDS"); s != "" {
		a, b, _ := strings.Cut(s, "-")
		from, _ = strconv.Atoi(a)
		to, _ = strconv.Atoi(b)
	}
	return from, to
}

// judged counts what agents said of our verdicts.
type judged struct {
	catalogs, faulty, found, right, proved int
	replayed, skipped                      int
	refuted, false, missed, unproved       []string
	of                                     map[string]*recall // by kind of fault, and by type of a resource that shows it
}

// recall counts faulty catalogs, and those with a finding.
type recall struct{ faulty, found int }

// table lists how many of the faulty catalogs have a finding, by kind of fault and by type.
func (s *judged) table() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(s.of)) {
		fmt.Fprintf(&b, "\nscore: faults found, %s %d/%d", k, s.of[k].found, s.of[k].faulty)
	}
	return b.String()
}

// blame counts what an agent has shown of a catalog: a type counts as found if a finding names a resource of it.
func (s *judged) blame(shown map[string]bool, errs []model.Finding) {
	if s.of == nil {
		s.of = map[string]*recall{}
	}
	for k := range shown {
		r := s.of[k]
		if r == nil {
			r = &recall{}
			s.of[k] = r
		}
		r.faulty++
		typ, isType := strings.CutPrefix(k, "type ")
		if slices.ContainsFunc(errs, func(f model.Finding) bool {
			return !isType || slices.ContainsFunc(f.Resources, func(x *catalog.Resource) bool { return x.Type == typ })
		}) {
			r.found++
		}
	}
}

func (s *judged) String() string {
	return fmt.Sprintf("score: agent judged %d catalogs: %d faulty, %d of them found; %d of the other %d proved; %d "+
		"findings replayed (%d not), "+
		"%d did not happen; %d proofs refuted", s.catalogs, s.faulty, s.found, s.proved, s.right, s.replayed, s.skipped,
		len(s.false), len(s.refuted))
}

// An agentRun is what one run did.
type agentRun struct {
	Error                               string
	Failed, Skipped, Changed, Restarted []string
	Why                                 []string
	State                               map[string]string
	Properties                          map[string][]string // that have changed, by resource
	Ran                                 map[string]int      // how often the command of a resource ran
	Calls                               []string            // of systemctl
}

func (r agentRun) bad() bool { return r.Error != "" || len(r.Failed) > 0 }

type agentAnswer struct {
	ID    string
	Error string
	Runs  []agentRun
	There []bool
}

type agent struct {
	dir    string
	lists  *listing.Set
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	known  map[string]agentAnswer
	log    *os.File
	errors strings.Builder
}

func newAgent(t *testing.T, dir string) *agent {
	t.Helper()
	a := &agent{dir: dir, known: map[string]agentAnswer{}}
	var err error
	if a.lists, err = listing.Select(listing.Choice{Platform: "debian-12", Places: []string{filepath.Join(dir, "lists")},
		Embedded: true}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, fmt.Sprintf("answers-%d", generatorVersion))
	if text, err := os.ReadFile(name); err == nil {
		for row := range strings.SplitSeq(string(text), "\n") {
			var x agentAnswer
			if json.Unmarshal([]byte(row), &x) == nil && x.ID != "" {
				a.known[x.ID] = x
			}
		}
	}
	if a.log, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *agent) close() {
	a.log.Close()
	a.lists.Close()
	if a.cmd != nil {
		a.in.Close()
		_ = a.cmd.Wait()
	}
}

// ask lets the agent apply catalogs one after the other to a machine.
func (a *agent) ask(t *testing.T, before [][]string, lines []string, catalogs ...[]byte) agentAnswer {
	t.Helper()
	what, err := json.Marshal(map[string]any{"before": before, "lines": lines, "catalogs": catalogs})
	if err != nil {
		t.Fatal(err)
	}
	var runs []any
	for _, c := range catalogs {
		runs = append(runs, json.RawMessage(c))
	}
	return a.send(t, digestOf(what), map[string]any{"before": before, "lines": lines, "runs": runs})
}

// askRuns lets the agent make runs of any kind on a machine, and looks for what is asked when they are over.
func (a *agent) askRuns(t *testing.T, lines []string, there [][]string, runs ...any) agentAnswer {
	t.Helper()
	return a.askJob(t, map[string]any{"lines": lines, "runs": runs, "there": there})
}

// askUntil lets the agent make runs until one ends well in a state.
func (a *agent) askUntil(t *testing.T, lines []string, until map[string]string, runs ...any) agentAnswer {
	t.Helper()
	return a.askJob(t, map[string]any{"lines": lines, "runs": runs, "until": until})
}

func (a *agent) askJob(t *testing.T, job map[string]any) agentAnswer {
	t.Helper()
	what, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	return a.send(t, digestOf(what), job)
}

// send gives the agent a job, unless its answer is known.
func (a *agent) send(t *testing.T, id string, job map[string]any) agentAnswer {
	t.Helper()
	if x, ok := a.known[id]; ok {
		return x
	}
	if a.cmd == nil {
		a.cmd = live.Command("ruby", "testdata/agent/judge.rb", filepath.Join(a.dir, "root"))
		a.cmd.Stderr = &a.errors
		out, err1 := a.cmd.StdoutPipe()
		in, err2 := a.cmd.StdinPipe()
		if err := errors.Join(err1, err2, a.cmd.Start()); err != nil {
			t.Fatal(err)
		}
		a.in, a.out = in, bufio.NewReaderSize(out, 1<<20)
	}
	job["id"] = id
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.in.Write(append(text, '\n')); err != nil {
		t.Fatalf("%v: %s", err, a.errors.String())
	}
	row, err := a.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, a.errors.String())
	}
	var x agentAnswer
	if err := json.Unmarshal(row, &x); err != nil {
		t.Fatal(err)
	}
	a.known[id] = x
	if _, err := a.log.Write(row); err != nil {
		t.Fatal(err)
	}
	return x
}

// judge compares our verdict about one catalog with what an agent does.
func (a *agent) judge(t *testing.T, s *scenario, score *judged) {
	t.Helper()
	text := s.catalog(nil)
	c, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	cg := catalog.NewGraph(c, model.Types{})
	if len(cg.Cycles()) > 0 {
		return
	}
	report, err := model.Verify(context.Background(), cg, model.Options{Platform: "debian-12", Listing: a.lists},
		verify.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := verify.Prepare(report.Model.Graph, verify.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	score.catalogs++
	refute := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		score.refuted = append(score.refuted, text)
		t.Errorf("REFUTED %s\n%s", text, s)
	}
	r := rand.New(rand.NewPCG(7, s.seed))
	orders := [][]string{nil, nil, nil}
	for k := 1; k < 3; k++ {
		for _, x := range s.resources {
			orders[k] = append(orders[k], x.ref())
		}
		if k == 1 {
			slices.Reverse(orders[k])
		} else {
			r.Shuffle(len(orders[k]), func(i, j int) { orders[k][i], orders[k][j] = orders[k][j], orders[k][i] })
		}
	}
	var faults []string
	shown := map[string]bool{}
	fault := func(kind string, refs []string, format string, args ...any) {
		faults = append(faults, fmt.Sprintf(format, args...))
		shown["kind "+kind] = true
		for _, ref := range refs {
			typ, _, _ := strings.Cut(ref, "[")
			shown["type "+typ] = true
		}
	}
	for m, before := range s.machines {
		if m > 0 && (len(before) == 0 || !inInit(prepared, report.Model.Graph.Fresh, before)) {
			continue
		}
		var firsts []agentRun
		for k, order := range orders {
			cat := s.catalog(order)
			x := a.ask(t, before, s.lines, cat, cat)
			if x.Error != "" {
				if m == 0 {
					t.Errorf("seed %d: the agent does not answer: %s", s.seed, x.Error)
				}
				firsts = nil
				break
			}
			first, second := x.Runs[0], x.Runs[1]
			if first.Error != "" {
				t.Errorf("seed %d: refused: %s\n%s", s.seed, first.Error, s)
				return
			}
			firsts = append(firsts, first)
			if m == 0 && first.bad() {
				fault("fails", first.Failed, "machine %d order %d fails: %v", m, k, first.Why)
				if report.Success == verify.Always {
					refute("success always: order %d fails from the fresh machine: %v", k, first.Why)
				}
			}
			if first.bad() || k > 0 && report.Deterministic != verify.Yes {
				continue
			}
			diff := differences(first.State, second.State)
			if second.bad() || len(diff) > 0 {
				fault("second run differs", second.Failed, "machine %d order %d: second run %v %v", m, k, second.Why, diff)
				if k == 0 && report.Idempotent == verify.Yes {
					refute("idempotent: machine %d %v, second run %v %v", m, before, second.Why, diff)
				}
			}
			if len(second.Changed) > 0 {
				fault("second run acts", second.Changed, "machine %d order %d: second run changes %v", m, k, second.Changed)
				if k == 0 && report.Quiet == verify.Yes {
					refute("quiet: machine %d %v, second run changes %v", m, before, second.Changed)
				}
			}
		}
		for k := 1; k < len(firsts); k++ {
			if firsts[k].bad() != firsts[0].bad() || !firsts[0].bad() && len(differences(firsts[0].State, firsts[k].State)) > 0 {
				fault("orders differ", nil, "machine %d: orders 0 and %d differ: %v / %v %v", m, k, firsts[0].Why, firsts[k].Why,
					differences(firsts[0].State, firsts[k].State))
				if report.Deterministic == verify.Yes {
					refute("deterministic: machine %d %v: orders 0 and %d: %v / %v %v", m, before, k, firsts[0].Why, firsts[k].Why,
						differences(firsts[0].State, firsts[k].State))
				}
			}
		}
	}
	for i := range report.Findings {
		a.replay(t, s, report, &report.Findings[i], score)
	}
	// That a service is not told of a change is no fault of these runs.
	errs := slices.DeleteFunc(slices.Clone(report.Findings), func(f model.Finding) bool {
		return f.Code == "V203" ||
			f.Code == "V209"
	})
	fine := report.Deterministic == verify.Yes && report.Success == verify.Always && report.Idempotent == verify.Yes &&
		len(errs) == 0
	if len(faults) > 0 {
		score.faulty++
		score.blame(shown, errs)
		if len(errs) > 0 {
			score.found++
		} else {
			score.missed = append(score.missed, fmt.Sprint(s.seed))
			t.Logf("MISSED %s  %s\n  unknown %q", s, strings.Join(faults, "\n  "), report.Unknown)
		}
	} else {
		score.right++
		if fine {
			score.proved++
		} else {
			score.unproved = append(score.unproved, fmt.Sprint(s.seed))
			t.Logf("NOT PROVED %s  findings %v unknown %q", s, codesOf(report), report.Unknown)
		}
	}
}

func codesOf(r *model.Report) (out []string) {
	for _, f := range r.Findings {
		words := f.Code
		for _, x := range f.Resources {
			words += " " + x.Ref()
		}
		out = append(out, words)
	}
	return out
}

// replay lets the agent do what a finding says.
func (a *agent) replay(t *testing.T, s *scenario, report *model.Report, f *model.Finding, score *judged) {
	t.Helper()
	e := f.Evidence
	if e == nil {
		score.skipped++
		return
	}
	before, ok := machineOf(report.Model.Graph.Fresh, e.Initial)
	if !ok {
		score.skipped++
		return
	}
	names := func(order []*catalog.Resource) (out []string) {
		for _, r := range order {
			out = append(out, r.Ref())
		}
		return out
	}
	var runs []agentRun
	if len(e.Orders) == 2 {
		for _, o := range e.Orders {
			x := a.ask(t, before, s.lines, s.catalog(names(o)))
			if x.Error != "" {
				score.skipped++
				return
			}
			runs = append(runs, x.Runs[0])
		}
	} else {
		cat := s.catalog(names(e.Orders[0]))
		x := a.ask(t, before, s.lines, cat, cat, cat)
		if x.Error != "" {
			score.skipped++
			return
		}
		runs = x.Runs
	}
	score.replayed++
	changed := func(r agentRun) bool {
		return slices.ContainsFunc(f.Resources, func(x *catalog.Resource) bool {
			return slices.Contains(r.Changed, x.Ref()) || slices.Contains(r.Failed, x.Ref())
		})
	}
	happens := true
	switch f.Code {
	case "V101":
		happens = !slices.Equal(sorted(runs[0].Failed), sorted(runs[1].Failed)) ||
			len(differences(runs[0].State, runs[1].State)) > 0
	case "V102":
		happens = slices.ContainsFunc(f.Resources, func(x *catalog.Resource) bool {
			return slices.Contains(runs[0].Failed,
				x.Ref())
		})
	case "V201":
		happens = runs[1].bad() && !runs[0].bad() || len(differences(runs[0].State, runs[1].State)) > 0
	case "V202", "V205", "V206":
		happens = changed(runs[1])
	default:
		score.replayed--
		return
	}
	if !happens {
		text := fmt.Sprintf("%s %v before %v: %v", f.Code, codesOf(&model.Report{Findings: []model.Finding{*f}}), before,
			f.Runs)
		for _, r := range runs {
			text += fmt.Sprintf("\n    failed %v changed %v why %v", r.Failed, r.Changed, r.Why)
		}
		score.false = append(score.false, text)
		t.Errorf("DOES NOT HAPPEN %s\n%s", text, s)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// machineOf says how to make a machine of a state; false if it has something that nobody here can make.
func machineOf(fresh, s *fs.State) (ops [][]string, ok bool) {
	for _, yes := range s.Oracle {
		if !yes {
			return nil, false
		}
	}
	var users, later [][]string
	for _, v := range slices.Sorted(maps.Keys(s.Vars)) {
		x := s.Vars[v]
		if x == fresh.Var(v) {
			continue
		}
		text, isText := x.IsText()
		what, name, _ := strings.Cut(v, " ")
		switch {
		case strings.HasPrefix(v, "event for "), strings.HasPrefix(v, "settled "):
		case what == "package" && isText && text == "present":
			ops = append(ops, []string{"sh", "apt-get -qq -y install " + name})
		case what == "user" && isText && text == "present":
			users = append(users, []string{"sh", "useradd " + name})
		case what == "group" && isText && text == "present":
			ops = append(ops, []string{"sh", "getent group " + name + " || groupadd " + name})
		case what == "service" && isText && text == "running":
			later = append(later, []string{"file", "/var/lib/standin/active/" + name, ""})
		case strings.HasPrefix(v, "start of service ") && isText && text == "true":
			later = append(later, []string{"file", "/var/lib/standin/enabled/" + strings.TrimPrefix(v, "start of service "), ""})
		case strings.HasPrefix(v, "uid of "), strings.HasPrefix(v, "gid of "), strings.HasPrefix(v, "home of "):
		case !isText: // nobody has said what it is
		default:
			return nil, false
		}
	}
	ops = append(ops, users...)
	all := map[fs.Path]bool{}
	for p := range s.Nodes {
		all[p] = true
	}
	for p := range fresh.Nodes {
		all[p] = true
	}
	for _, p := range slices.Sorted(maps.Keys(all)) {
		n, was := s.At(p), fresh.At(p)
		content, known := n.Content.IsText()
		if n.Kind == was.Kind && !known {
			continue
		}
		switch n.Kind {
		case fs.None:
			ops = append(ops, []string{"none", string(p)})
		case fs.Dir:
			ops = append(ops, []string{"dir", string(p)})
		case fs.File:
			if !known {
				content = "old " + string(p) + "\n"
			}
			ops = append(ops, []string{"file", string(p), content})
		case fs.Link:
			if !known {
				content = "/etc/hostname"
			}
			ops = append(ops, []string{"link", string(p), content})
		}
	}
	return append(ops, later...), true
}

// inInit reports whether a start is one of the machines that verdicts speak about.
func inInit(a *verify.Analysis, fresh *fs.State, before [][]string) bool {
	s := fresh.Clone()
	for _, op := range before {
		switch op[0] {
		case "dir":
			s.Put(fs.Clean(op[1]), fs.Dir)
		case "file":
			s.Put(fs.Clean(op[1]), fs.File)
		case "sh":
			return true
		}
	}
	return s.WellFormed() && a.Space.Satisfies(s)
}

// differences lists where two states differ.
func differences(a, b map[string]string) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if b[k] != a[k] {
			out = append(out, fmt.Sprintf("%s: %s / %s", k, a[k], b[k]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[k]; !ok {
			out = append(out, fmt.Sprintf("%s: / %s", k, b[k]))
		}
	}
	return out
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}
