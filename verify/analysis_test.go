package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// The example of §1: carol's .vimrc and her account.
func carol() *Graph {
	return &Graph{
		Resources: []Resource{
			file("/home/carol/.vimrc", "syntax on"),
			{Name: "User[carol]", Class: "users", Program: fs.If{Cond: fs.VarIs("user carol", "present"), Else: fs.Seq{
				fs.Assign{Var: "user carol", Value: fs.Str("present")}, fs.EnsureDir("/home/carol")}}},
			pkg("vim", []fs.Path{"/usr", "/usr/bin"}, []fs.Path{"/usr/bin/vim"}),
		},
		Init: fs.Init{Assume: []fs.Pred{
			fs.Is{Path: "/home", Kind: fs.Dir},
			fs.Or{fs.Not{P: fs.VarIs("user carol", "present")}, fs.Is{Path: "/home/carol", Kind: fs.Dir}},
		}},
		Fresh: fs.NewState().Put("/home", fs.Dir).Put("/usr", fs.Dir),
	}
}

func TestCarol(t *testing.T) {
	ctx := context.Background()
	a := prepared(t, carol())
	d, err := a.Determinism(ctx)
	if err != nil || d.Verdict != No {
		t.Fatal(d, err)
	}
	c := d.Example
	if c.Pair != [2]int{0, 1} || (c.FailA < 0) == (c.FailB < 0) {
		t.Errorf("counter-example %+v", c)
	}
	if s, _ := a.Success(ctx); s.Chance != Sometimes {
		t.Errorf("success: %v", s.Chance)
	}
	v, err := a.Severity(ctx) // the file comes first in catalog order
	if err != nil || v.Broken != Yes {
		t.Errorf("severity: %+v, %v", v, err)
	}
	r, err := a.Repair(ctx, always)
	if err != nil || !r.Found || len(r.Edges) != 1 || r.Edges[0] != (Edge{From: 1, To: 0}) {
		t.Fatalf("repair: %+v, %v", r, err)
	}
	fixed := prepared(t, carol(), r.Edges...)
	if d, _ := fixed.Determinism(ctx); d.Verdict != Yes {
		t.Errorf("after the repair: deterministic %v", d.Verdict)
	}
	if i, _ := fixed.Idempotence(ctx); i.Verdict != Yes {
		t.Errorf("after the repair: idempotent %v", i.Verdict)
	}
}

// Declared the other way round, agents do the right thing: safe only by catalog order.
func TestSafeOnlyByCatalogOrder(t *testing.T) {
	g := carol()
	g.Resources[0], g.Resources[1] = g.Resources[1], g.Resources[0]
	a := prepared(t, g)
	if d, err := a.Determinism(context.Background()); err != nil || d.Verdict != No {
		t.Fatal(d, err)
	}
	if v, err := a.Severity(context.Background()); err != nil || v.Broken != No {
		t.Errorf("severity: %+v, %v", v, err)
	}
}

// Packages that share directories commute (§4.3), however many there are.
func TestPackagesShareDirectories(t *testing.T) {
	g := &Graph{}
	for i := range 100 {
		name := fmt.Sprintf("p%d", i)
		g.Resources = append(g.Resources, pkg(name, []fs.Path{"/usr", "/usr/bin", "/usr/share"},
			[]fs.Path{fs.Path("/usr/bin/" + name)}))
	}
	a := prepared(t, g)
	d, err := a.Determinism(context.Background())
	if err != nil || d.Verdict != Yes || a.Stats.Candidates != 0 {
		t.Errorf("%v %v, %d candidates", d.Verdict, err, a.Stats.Candidates)
	}
}

// A component that always fails hides a difference in another one (Lemma 4 has no converse).
func TestHiddenDifference(t *testing.T) {
	g := &Graph{Resources: []Resource{
		{Name: "A", Program: fs.Overwrite("/a", fs.Str("1"))},
		{Name: "B", Program: fs.Overwrite("/a", fs.Str("2"))},
		{Name: "C", Program: fs.Seq{fs.Creat{Path: "/c", Content: fs.Str("x")}, fs.Creat{Path: "/c", Content: fs.Str("y")}}},
	}}
	for _, v := range variants() {
		d, _, err := determinismOf(g, v.Options)
		if err != nil || d.Verdict != Yes {
			t.Errorf("%s: %v %v", v.name, d.Verdict, err)
		}
	}
	g.Resources = g.Resources[:2]
	if d, _, _ := determinismOf(g, DefaultOptions()); d.Verdict != No {
		t.Error("without the third it should show")
	}
}

func TestQuiet(t *testing.T) {
	ctx := context.Background()
	g := &Graph{Resources: []Resource{
		{Name: "Exec[true]", Program: fs.Act{}},
		{Name: "A", Program: fs.Overwrite("/a", fs.Str("1"))},
	}}
	a := prepared(t, g)
	i, _ := a.Idempotence(ctx)
	q, _ := a.Quiet(ctx)
	if i.Verdict != Yes || q.Verdict != No || len(q.Example.Second.Acts) != 1 || q.Example.Second.Acts[0] != 0 {
		t.Errorf("idempotent %v, quiet %v", i.Verdict, q.Verdict)
	}
	// Two resources that fight leave the same state each time, but not quietly.
	g.Resources = []Resource{file("/a", "1"), file("/a", "2")}
	g.Edges = []Edge{{From: 0, To: 1}}
	a = prepared(t, g)
	i, _ = a.Idempotence(ctx)
	q, _ = a.Quiet(ctx)
	if i.Verdict != Yes || q.Verdict != No {
		t.Errorf("two that fight: idempotent %v, quiet %v", i.Verdict, q.Verdict)
	}
	invs, _ := a.Invariants(ctx, false)
	if invs[0].Verdict != No || invs[0].Breaker != 1 || invs[1].Verdict != Yes {
		t.Errorf("invariants: %+v", invs)
	}
}

// An unread command makes f(x) of what it reads: f(f(x)) ≠ f(x), so unguarded it is not idempotent.
func TestUnreadCommand(t *testing.T) {
	run := fs.Seq{fs.Act{}, fs.Assign{Var: "world",
		Value: fs.Apply{Func: "make", Args: []fs.Term{fs.VarOf{Name: "world"}}}}}
	guarded := fs.If{Cond: fs.VarIs("marker", "yes"), Else: fs.Seq{run, fs.Assign{Var: "marker", Value: fs.Str("yes")}}}
	for _, v := range variants() {
		for want, program := range map[Verdict]fs.Expr{No: run, Yes: guarded} {
			a, err := Prepare(&Graph{Resources: []Resource{{Name: "Exec[make]", Program: program}}}, v.Options)
			if err != nil {
				t.Fatal(err)
			}
			if i, err := a.Idempotence(context.Background()); err != nil || i.Verdict != want {
				t.Errorf("%s: idempotent %v, want %v (%v)", v.name, i.Verdict, want, err)
			}
		}
	}
}

// Two unread commands over the same cell do not commute; with results compared by the solver too.
func TestUnreadCommandsConflict(t *testing.T) {
	apply := func(f string) fs.Expr {
		return fs.Assign{Var: "x", Value: fs.Apply{Func: f, Args: []fs.Term{fs.VarOf{Name: "x"}}}}
	}
	for _, v := range variants() {
		for want, fs2 := range map[Verdict][2]string{No: {"f", "g"}, Yes: {"f", "f"}} {
			g := &Graph{Resources: []Resource{{Name: "A", Program: apply(fs2[0])}, {Name: "B", Program: apply(fs2[1])}}}
			if d, _, err := determinismOf(g, v.Options); err != nil || d.Verdict != want {
				t.Errorf("%s, %v: %v, want %v (%v)", v.name, fs2, d.Verdict, want, err)
			}
		}
	}
}

// Comparing results compares arguments, constants among them.
func TestResultsCompared(t *testing.T) {
	f := func(x fs.Term) fs.Term { return fs.Apply{Func: "f", Args: []fs.Term{x}} }
	g := &Graph{
		Resources: []Resource{{Name: "A", Program: fs.If{Cond: fs.Equal{A: f(fs.ContentOf{Path: "/a"}), B: f(fs.Str("x"))},
			Then: fs.Assign{Var: "y", Value: fs.Str("equal")}, Else: fs.Assign{Var: "y", Value: fs.Str("different")}}}},
		Assertions: []Assertion{{Name: "never equal", Pred: fs.VarIs("y", "different")},
			{Name: "always equal", Pred: fs.VarIs("y", "equal")}},
	}
	for _, v := range variants() {
		a, err := Prepare(g, v.Options)
		if err != nil {
			t.Fatal(err)
		}
		invs, err := a.Invariants(context.Background(), false)
		if err != nil || invs[0].Verdict != No || invs[1].Verdict != No {
			t.Errorf("%s: %v %v %v", v.name, invs[0].Verdict, invs[1].Verdict, err)
		}
	}
}

// Events join: two notifiers commute, and an event is no part of the outcome.
func TestEvents(t *testing.T) {
	notifier := func(p fs.Path) Resource {
		return Resource{Name: string(p), Program: fs.If{Cond: fs.ContentIs(p, fs.Str("x")), Else: fs.Seq{
			fs.Overwrite(p, fs.Str("x")), fs.Assign{Var: "event", Value: fs.Str("yes")}}}}
	}
	g := &Graph{
		Resources: []Resource{notifier("/a"), notifier("/b"),
			{Name: "Service[s]", Program: fs.If{Cond: fs.VarIs("event", "yes"), Then: fs.Seq{
				fs.Act{}, fs.Assign{Var: "loaded", Value: fs.Apply{Func: "load", Args: []fs.Term{fs.ContentOf{Path: "/a"},
					fs.ContentOf{Path: "/b"}}}}}}}},
		Edges: []Edge{{From: 0, To: 2}, {From: 1, To: 2}},
		Init:  fs.Init{Transient: map[string]fs.Value{"event": fs.Text("no")}},
	}
	ctx := context.Background()
	for _, v := range variants() {
		a, err := Prepare(g, v.Options)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := a.Determinism(ctx)
		i, _ := a.Idempotence(ctx)
		q, _ := a.Quiet(ctx)
		if d.Verdict != Yes || i.Verdict != Yes || q.Verdict != Yes {
			t.Errorf("%s: deterministic %v, idempotent %v, quiet %v", v.name, d.Verdict, i.Verdict, q.Verdict)
		}
	}
	// A notifier that is not ordered before the service does not commute with it.
	g.Edges = g.Edges[:1]
	if d, _, _ := determinismOf(g, DefaultOptions()); d.Verdict != No {
		t.Errorf("one notifier unordered: %v", d.Verdict)
	}
}

// A service that reads a managed file and is not refreshed when it changes: what it has loaded may differ from what is
// on disk afterwards, although it did not before. This is how "missing notify" is asked.
func TestMissingNotify(t *testing.T) {
	loaded := fs.Equal{A: fs.VarOf{Name: "loaded"}, B: fs.ContentOf{Path: "/conf"}}
	graph := func(notify bool) *Graph {
		change := fs.Seq{fs.Overwrite("/conf", fs.Str("x"))}
		if notify {
			change = append(change, fs.Assign{Var: "event", Value: fs.Str("yes")})
		}
		return &Graph{
			Resources: []Resource{
				{Name: "File[/conf]", Program: fs.If{Cond: fs.ContentIs("/conf", fs.Str("x")), Else: change}},
				{Name: "Service[s]", Program: fs.If{Cond: fs.VarIs("event", "yes"),
					Then: fs.Assign{Var: "loaded", Value: fs.ContentOf{Path: "/conf"}}}},
			},
			Edges:      []Edge{{From: 0, To: 1}},
			Init:       fs.Init{Assume: []fs.Pred{loaded}, Transient: map[string]fs.Value{"event": fs.Text("no")}},
			Assertions: []Assertion{{Name: "Service[s] has loaded /conf", Pred: loaded}},
		}
	}
	for _, v := range variants() {
		for _, notify := range []bool{true, false} {
			a, err := Prepare(graph(notify), v.Options)
			if err != nil {
				t.Fatal(err)
			}
			invs, err := a.Invariants(context.Background(), true)
			if err != nil || invs[0].Verdict != verdict(notify) {
				t.Errorf("%s, notify %v: %+v %v", v.name, notify, invs, err)
			}
		}
	}
}

func TestCycle(t *testing.T) {
	g := carol()
	g.Edges = []Edge{{From: 0, To: 1, Why: "require"}, {From: 1, To: 2, Why: "before"}, {From: 2, To: 0, Why: "chain"}}
	_, err := Prepare(g, DefaultOptions())
	var cycle *CycleError
	if !errors.As(err, &cycle) || len(cycle.Cycle) != 3 || !strings.Contains(err.Error(), "User[carol]") {
		t.Errorf("%v", err)
	}
}

// A repair never closes a cycle, and a resource that may do anything is no proof.
func TestOpaque(t *testing.T) {
	g := carol()
	g.Edges = []Edge{{From: 1, To: 0}}
	g.Resources[2].Exact = Opaque
	d, a, _ := determinismOf(g, DefaultOptions())
	if d.Verdict != Unknown || len(d.Opaque) != 1 {
		t.Errorf("%+v", d)
	}
	if r, _ := a.Repair(context.Background(), always); r.Found {
		t.Errorf("%+v", r)
	}
}

// An edge between classes settles several pairs at once.
func TestRepairByClass(t *testing.T) {
	g := &Graph{Fresh: fs.NewState().Put("/etc", fs.Dir),
		Init: fs.Init{Assume: []fs.Pred{fs.Is{Path: "/etc", Kind: fs.Dir}}}}
	for i := range 3 {
		p := pkg(fmt.Sprint("p", i), []fs.Path{fs.Path(fmt.Sprintf("/etc/p%d", i))}, nil)
		p.Class = "install"
		g.Resources = append(g.Resources, p)
	}
	for i := range 3 {
		f := file(fs.Path(fmt.Sprintf("/etc/p%d/conf", i)), "x")
		f.Class = "config"
		g.Resources = append(g.Resources, f)
	}
	r, err := prepared(t, g).Repair(context.Background(), always)
	if err != nil || !r.Found || !r.Class || len(r.Edges) != 9 {
		t.Errorf("%+v, %v", r, err)
	}
}

// More constants than can be told apart: a counter-example still counts, a proof does not.
func TestTooManyConstants(t *testing.T) {
	g := &Graph{}
	for i := range 100 {
		g.Resources = append(g.Resources, Resource{Name: fmt.Sprint(i),
			Program: fs.If{Cond: fs.VarIs("x", fmt.Sprint(i)), Then: fs.Assign{Var: fmt.Sprint("y", i), Value: fs.Str("z")}}})
	}
	d, a, err := determinismOf(g, DefaultOptions())
	if err != nil || d.Verdict != Unknown || d.Reason == "" {
		t.Errorf("%+v %v", d, err)
	}
	if s, err := a.Success(context.Background()); err != nil || s.Chance != ChanceUnknown {
		t.Errorf("%+v %v", s, err)
	}
	g.Resources = append(g.Resources, Resource{Name: "last", Program: fs.Assign{Var: "y0", Value: fs.Str("w")}})
	if d, _, err := determinismOf(g, DefaultOptions()); err != nil || d.Verdict != No {
		t.Errorf("%+v %v", d, err)
	}
}

// When time is up the answer is unknown, with the pairs that were left.
func TestTimeIsUp(t *testing.T) {
	o := DefaultOptions()
	o.Explicit, o.DeadWrites, o.Witness = false, false, false
	o.Solver = never{}
	d, _, err := determinismOf(figure13(3, true), o)
	if err != nil || d.Verdict != Unknown || len(d.Pairs) != 3 || d.Reason == "" {
		t.Errorf("%+v, %v", d, err)
	}
}

// never is a solver that is always too slow.
type never struct{}

func (never) Solve(ctx context.Context, _ *sat.Builder, _ int64) (sat.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	<-ctx.Done()
	return sat.Result{}, nil
}

// The same graphs through every solver that is installed.
func TestSolvers(t *testing.T) {
	for _, name := range []string{"gophersat", "minisat", "cadical", "z3"} {
		s, err := sat.Named(name)
		if err != nil {
			t.Logf("skipped: %v", err)
			continue
		}
		o := DefaultOptions()
		o.Explicit, o.DeadWrites, o.Witness, o.Solver = false, false, false, s
		for _, last := range []bool{true, false} {
			d, _, err := determinismOf(figure13(5, last), o)
			if err != nil || d.Verdict != verdict(last) {
				t.Errorf("%s: %v %v", name, d, err)
			}
		}
	}
}

// always is for searches without a bound.
func always() bool { return true }
