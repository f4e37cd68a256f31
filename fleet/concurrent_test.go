package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/report"
	"bunraku/verify/sat"
)

// A job is one node of an environment.
type job struct {
	name string
	env  string
	opt  compiler.Options
	ws   *compiler.Workspace
	node *facts.Facts
}

// shop are the nodes of the example that comes with the program.
func shop(t testing.TB) (jobs []job) {
	env := filepath.Join(live.Root(), "examples", "shop")
	opt := compiler.Options{Trace: true}
	ws := compiler.NewWorkspace(env, opt)
	nodes, err := fleet.Nodes(ws.Disk(), env, "")
	if err != nil || len(nodes) == 0 {
		t.Fatal("no nodes", err)
	}
	for _, n := range nodes {
		jobs = append(jobs, job{n.Name, env, opt, ws, n})
	}
	return jobs
}

// recorded are the sites whose catalogs real Puppet gave.
func recorded(t testing.TB) (jobs []job) {
	for _, dir := range live.Sites(t) {
		opt := compiler.Options{Trace: true, Language: 7, Roots: []string{live.ModulesDir}}
		ws := compiler.NewWorkspace(dir, opt)
		f, err := facts.Read(ws.Disk(), filepath.Join(dir, "facts.json"))
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job{filepath.Base(dir), dir, opt, ws, f})
	}
	return jobs
}

func compile(ctx context.Context, c *compiler.Snapshot, node *facts.Facts) (*eval.Result, error) {
	res, err := c.Compile(ctx, compiler.Node{Facts: node})
	if err == nil && res.Failure != nil {
		err = fmt.Errorf("%s: %s", res.Failure.Code, res.Failure.Summary)
	}
	return res, err
}

// catalogText is a catalog as agents get it.
func catalogText(res *eval.Result) string {
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, res.Catalog)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// explained asks a record one question of each kind about some of its resources.
func explained(rec *explain.Record, most int) string {
	var out bytes.Buffer
	tell := func(answer any, err error) {
		text, bad := json.Marshal(answer)
		fmt.Fprintf(&out, "%s %v %v\n", text, err, bad)
	}
	list := rec.Catalog.Resources
	for i := 0; i < len(list); i += max(1, len(list)/most) {
		r := list[i]
		tell(rec.Explain(r.Ref(), ""))
		for k, p := range r.Params {
			if k%4 == 0 {
				tell(rec.Explain(r.Ref(), p.Name))
			}
		}
		tell(rec.Explain(r.Ref(), "noop"))
		tell(rec.Explain(r.Ref(), "require"))
	}
	for i, v := range rec.Variables {
		if i%(len(rec.Variables)/most+1) == 0 {
			tell(rec.Explain(v.Qualified(), ""))
			tell(rec.Explain(v.Qualified()+"[0]", ""))
			if v.Class != "" {
				tell(rec.Explain("hiera:"+v.Class+"::"+v.Name, ""))
			}
		}
	}
	tell(rec.Reaches("fact:os"))
	tell(rec.WhyNot("Service[nothing]"))
	tell(rec.WhyNot("Class[nothing::here]"))
	return out.String()
}

// verified is what a judge says of a compile.
func verified(ctx context.Context, j *judge.Judge, c *compiler.Snapshot, res *eval.Result, node *facts.Facts) (string,
	error) {
	v, err := j.Judge(ctx, fleet.NewSuspect(c, res, node))
	if err != nil {
		return "", err
	}
	run := &report.Run{}
	v.Tell(run)
	var out strings.Builder
	for _, p := range run.Problems {
		fmt.Fprintf(&out, "%s %s %v %v\n", p.Code, p.Message(), p.Where, p.Fingerprint)
	}
	fmt.Fprintln(&out, v.Undecided, v.Node.Unknown)
	return out.String(), nil
}

func newJudge() *judge.Judge {
	return judge.New(judge.Options{Solver: sat.Own{}, Budget: 30, Hide: func(s string) string { return s }})
}

// Whoever compiles, explains and verifies beside others gets the bytes that he would have got alone, also of a result
// that all of them share. The race detector is what makes this test hard (make accept TOPIC=engine).
func together(t *testing.T, jobs []job, goroutines, snapshots, most int) {
	ctx := context.Background()
	type part struct{ catalog, explained, verified string }
	want := make([]part, len(jobs))
	open := func(i int) *compiler.Snapshot {
		c, err := jobs[i].ws.Open(ctx)
		if err != nil {
			t.Fatal(jobs[i].name, err)
		}
		return c
	}
	j := newJudge()
	defer j.Close()
	for i := range jobs {
		c := open(i)
		res, err := compile(ctx, c, jobs[i].node)
		if err != nil {
			t.Fatal(jobs[i].name, err)
		}
		// a compile that finds everything in caches says the same
		if again, err := compile(ctx, c, jobs[i].node); err != nil ||
			explained(explain.Of(again.Record()), most) != explained(explain.Of(res.Record()), most) {
			t.Errorf("%s: the second compile of a snapshot explains otherwise than the first (%v)", jobs[i].name, err)
		}
		want[i] = part{catalogText(res), explained(explain.Of(res.Record()), most), ""}
		if want[i].verified, err = verified(ctx, j, c, res, jobs[i].node); err != nil {
			t.Fatal(jobs[i].name, err)
		}
	}
	type shared struct {
		c    *compiler.Snapshot
		once sync.Once
		res  *eval.Result
		rec  *explain.Record
		err  error
	}
	all := make([][]*shared, len(jobs))
	var turns [][2]int
	for i := range jobs {
		for k := range snapshots {
			all[i] = append(all[i], &shared{c: open(i)})
			turns = append(turns, [2]int{i, k})
		}
	}
	differs := func(i int, what, got, want string) {
		if got == want {
			return
		}
		at := 0
		for at < len(got) && at < len(want) && got[at] == want[at] {
			at++
		}
		from := max(0, at-100)
		t.Errorf("%s: %s is another beside others, from byte %d on:\n  alone   …%.300s\n  beside  …%.300s", jobs[i].name,
			what, at, want[from:], got[from:])
	}
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			rng := rand.New(rand.NewSource(int64(g)))
			for _, n := range rng.Perm(len(turns)) {
				i, s := turns[n][0], all[turns[n][0]][turns[n][1]]
				if rng.Intn(4) == 0 { // a compile of one's own
					res, err := compile(ctx, s.c, jobs[i].node)
					if err != nil {
						t.Error(jobs[i].name, err)
						return
					}
					differs(i, "the catalog", catalogText(res), want[i].catalog)
				}
				s.once.Do(func() {
					if s.res, s.err = compile(ctx, s.c, jobs[i].node); s.err == nil {
						s.rec = explain.Of(s.res.Record())
					}
				})
				if s.err != nil {
					t.Error(jobs[i].name, s.err)
					return
				}
				switch rng.Intn(3) {
				case 0:
					differs(i, "the catalog", catalogText(s.res), want[i].catalog)
				case 1:
					differs(i, "what explain says", explained(s.rec, most), want[i].explained)
				default:
					got, err := verified(ctx, j, s.c, s.res, jobs[i].node)
					if err != nil {
						t.Error(jobs[i].name, err)
						return
					}
					differs(i, "the verdict", got, want[i].verified)
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d nodes, %d snapshots of each, %d goroutines: %d turns, all as alone", len(jobs), snapshots, goroutines,
		goroutines*len(turns))
}

func TestTogether(t *testing.T) { together(t, shop(t), 16, 3, 6) }

func TestAcceptTogether(t *testing.T) {
	live.Accept(t)
	together(t, recorded(t), 16, 3, 4)
}

// cancelled ends compiles, explanations and verifications at random moments. Each returns soon, and leaves nothing
// running.
func cancelled(t *testing.T, jobs []job, times int) {
	ctx := context.Background()
	j := newJudge()
	defer j.Close()
	rng := rand.New(rand.NewSource(1))
	snaps := make([]*compiler.Snapshot, len(jobs))
	took := make([]time.Duration, len(jobs))
	for i := range jobs {
		c, err := jobs[i].ws.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		snaps[i] = c
		began := live.CPU()
		res, err := compile(ctx, c, jobs[i].node)
		if err != nil {
			t.Fatal(jobs[i].name, err)
		}
		if _, err = verified(ctx, j, c, res, jobs[i].node); err != nil {
			t.Fatal(jobs[i].name, err)
		}
		took[i] = live.CPU() - began
	}
	before := runtime.NumGoroutine()
	var slowest time.Duration
	which, ended := "", 0
	for range times {
		i := rng.Intn(len(jobs))
		c := snaps[i]
		if rng.Intn(3) == 0 { // nothing read yet
			var err error
			if c, err = compiler.NewWorkspace(jobs[i].env, jobs[i].opt).Open(ctx); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(ctx)
		var at time.Duration
		var mu sync.Mutex
		timer := time.AfterFunc(time.Duration(rng.Int63n(int64(took[i])+1)), func() {
			mu.Lock()
			at = live.CPU()
			mu.Unlock()
			cancel()
		})
		res, err := compile(ctx, c, jobs[i].node)
		if err == nil {
			_, err = verified(ctx, j, c, res, jobs[i].node)
		}
		done := live.CPU()
		timer.Stop()
		cancel()
		mu.Lock()
		if at > 0 && err != nil {
			ended++
			if late := done - at; late > slowest {
				slowest, which = late, jobs[i].name
			}
		}
		mu.Unlock()
	}
	left := runtime.NumGoroutine()
	for tries := 0; left > before && tries < 100; tries++ {
		time.Sleep(10 * time.Millisecond)
		left = runtime.NumGoroutine()
	}
	t.Logf("cancelled: %d of %d were ended on their way; the slowest returned after %v of CPU (bar: 100 ms): %s; %d "+
		"goroutines before, %d after", ended, times, slowest.Round(time.Millisecond), which, before, left)
	if slowest > 100*time.Millisecond {
		t.Error("that is too late")
	}
	if left > before {
		t.Error("goroutines are left")
	}
	if ended == 0 {
		t.Error("no work was ended on its way")
	}
}

func TestCancelled(t *testing.T) { cancelled(t, shop(t), 60) }

func TestAcceptCancelled(t *testing.T) {
	live.Accept(t)
	cancelled(t, recorded(t), 1000)
}
