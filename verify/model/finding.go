package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// A Finding is one thing that is wrong, with the evidence. It has been replayed by the concrete interpreter.
type Finding struct {
	Code      string // V101; docs/verify.md lists them
	Title     string // "order missing"
	Grade     string // "safe only by catalog order"; may be empty
	Warning   bool   // not an error
	Resources []*catalog.Resource
	Initial   []string // what the machine is like at first
	Runs      []Run
	Fix       *Fix
	More      int          // other resources that the same words declare, with the same fault and the same fix
	Note      string       // what else there is to say
	About     string       // what it is about, if not the resources: an assertion
	Alone     bool         // of this catalog: what is declared beside it may bring what is missing, or notify what waits
	At        source.Place // where that is written
	Evidence  *Evidence    // what was replayed; nil if it is seen without
	Cut       *Cut         // how the run was disturbed, if it is about that

	cure *Fix // what may help, before it is tried
}

// Grades of a missing order.
const (
	BrokenGrade  = "broken even in catalog order"
	UnknownGrade = "whether catalog order is enough is not known"
)

// Evidence is what the concrete interpreter has replayed to show a finding: a machine, and the orders that were taken
// from there. A single order stands for several runs of it, one after the other.
type Evidence struct {
	Initial *fs.State
	Orders  [][]*catalog.Resource
}

// Odd reports whether a finding is shown on a machine that nobody has: one with a file where a resource of it wants a
// directory, or the other way round.
func (f *Finding) Odd() bool {
	return f.Evidence != nil && f.Evidence.Initial != nil &&
		slices.ContainsFunc(f.Resources, func(r *catalog.Resource) bool {
			ensure, _ := r.Get("ensure").(value.String)
			if r.Type != "File" || ensure == "link" || ensure == "absent" {
				return false
			}
			p := r.Title
			if s, is := r.Get("path").(value.String); is {
				p = string(s)
			}
			at := f.Evidence.Initial.At(fs.Path(p)).Kind
			return at != fs.None && (ensure == "directory") != (at == fs.Dir)
		})
}

// evidence is that of some orders.
func (v *verifier) evidence(s *fs.State, orders ...[]int) *Evidence {
	e := &Evidence{Initial: s}
	for _, order := range orders {
		var list []*catalog.Resource
		for _, i := range order {
			if r := v.m.Resources[i]; r != nil {
				list = append(list, r)
			}
		}
		e.Orders = append(e.Orders, list)
	}
	return e
}

// A Run is an order and what it leads to.
type Run struct {
	Order  []*catalog.Resource // those that matter
	Result string
}

// A Report is what verifying a model gives.
type Report struct {
	Model         *Model
	Findings      []Finding
	Deterministic verify.Verdict
	Success       verify.Chance
	Idempotent    verify.Verdict
	Quiet         verify.Verdict
	Unknown       []string // what stayed undecided, and why
	Partial       bool     // there is more than Findings say
	TooLong       bool     // some of Unknown is for want of work, not of knowledge
	Recovery      Recovery // whether later runs mend what a cut leaves
	Needed        []Point  // the answers to open points with which success would be proved
	Latest        bool     // a package is to be the latest: what is proved holds while repositories stand still
	Open          []string // those of Unknown that are assertions, and not for want of models alone
}

// maxFindings bounds the number of findings of one kind.
const maxFindings = 20

// Verify asks all questions about a model. A cyclic catalog has to be reported before: see catalog.Graph.Cycles.
func (m *Model) Verify(ctx context.Context, opt verify.Options) (*Report, error) {
	if opt.Budget == nil {
		var unused Options
		Within(ctx, DefaultUnits, &unused, &opt)
	}
	v := &verifier{m: m, ctx: ctx, opt: opt, r: &Report{Model: m}}
	err := attempt(func() (err error) {
		v.a, err = verify.Prepare(m.Graph, opt)
		return err
	})
	var spent *budget.Exceeded
	if errors.As(err, &spent) {
		v.spent(v.claims(), spent)
		return v.r, nil
	}
	if err == nil {
		err = v.ask()
	}
	if err != nil {
		return nil, err
	}
	return v.r, nil
}

type verifier struct {
	m        *Model
	a        *verify.Analysis
	ctx      context.Context
	opt      verify.Options
	r        *Report
	fixes    []verify.Edge             // what the fixes of missing order add
	wider    bool                      // that is more than was tried
	notifies []verify.Edge             // what the fixes of missing notifies add
	guarded  *verifier                 // the catalog with the guards that it lacks, if it lacks some
	settled  map[catalog.Name]bool     // taken for idempotent, to see what else is not
	trial    bool                      // of fixes: nobody wants to know how to mend what is wrong with it
	numbers  map[*catalog.Resource]int // of the resources in the graph
}

func (v *verifier) unknown(what, why string) {
	if why == "" {
		why = "no reason given"
	}
	v.r.TooLong = v.r.TooLong || strings.HasPrefix(why, verify.TooMuch)
	v.r.Unknown = append(v.r.Unknown, what+": "+why)
}

// pair finds the two resources whose order matters: the first swap on the way from one order to the other that changes
// the outcome. The one that comes first in catalog order is first.
func (v *verifier) pair(a *verify.Analysis, c *verify.Counterexample) (int, int) {
	x, y := c.Pair[0], c.Pair[1]
	if x < 0 {
		place := make([]int, len(c.B))
		for k, i := range c.B {
			place[i] = k
		}
		now := slices.Clone(c.A)
	search:
		for k := 1; k < len(now); k++ {
			for j := k; j > 0 && place[now[j-1]] > place[now[j]]; j-- {
				now[j-1], now[j] = now[j], now[j-1]
				if differ(a, c.A, now, c.Initial) {
					x, y = now[j], now[j-1]
					break search
				}
			}
		}
		if x < 0 {
			return -1, -1
		}
	}
	order := a.Order()
	if slices.Index(order, x) > slices.Index(order, y) {
		x, y = y, x
	}
	return x, y
}

// differ reports whether two orders end differently.
func differ(a *verify.Analysis, x, y []int, s *fs.State) bool { return compare(a, x, y, s).differ() }

// A comparison is how two orders end from one state.
type comparison struct {
	start *fs.State
	x, y  verify.Outcome
	ends  []fs.Difference // if neither fails
}

func compare(a *verify.Analysis, x, y []int, s *fs.State) *comparison {
	c := &comparison{start: s, x: a.End(x, s), y: a.End(y, s)}
	if c.x.Failed < 0 && c.y.Failed < 0 {
		c.ends = a.Space.Diff(c.x.State, c.y.State)
	}
	return c
}

func (c *comparison) differ() bool { return (c.x.Failed >= 0) != (c.y.Failed >= 0) || len(c.ends) > 0 }

// order makes the finding of a counter-example.
func (v *verifier) order(a *verify.Analysis, c *verify.Counterexample, grade string) Finding {
	f := Finding{Code: "V101", Title: "order missing", Grade: grade}
	x, y := v.pair(a, c)
	var of []int
	if x >= 0 {
		of = []int{x, y}
	}
	for _, i := range of {
		f.Resources = append(f.Resources, v.m.Resources[i])
	}
	if len(of) == 2 && v.mayBeOrdered(f.Resources[0], f.Resources[1]) {
		f.Note = "unless an agent orders them by itself: what the type requires could not be read"
	}
	at := v.plain(a, c, of)
	f.Initial = v.describe(at.start, of)
	runs := []Run{v.run(a, c.A, at.start, at.x, at.ends, of, true), v.run(a, c.B, at.start, at.y, at.ends, of, false)}
	if at.x.Failed >= 0 && at.y.Failed < 0 {
		runs[0], runs[1] = runs[1], runs[0]
	}
	f.Runs, f.Evidence = runs, v.evidence(at.start, c.A, c.B)
	return f
}

// mayBeOrdered reports whether one of two resources has an automatic relation to the other's type that could not be
// read.
func (v *verifier) mayBeOrdered(x, y *catalog.Resource) bool {
	return slices.ContainsFunc(v.m.Catalog.Unread, func(u catalog.Unread) bool {
		return u.Resource == x && u.Target == value.Downcase(y.Type) || u.Resource == y && u.Target == value.Downcase(x.Type)
	})
}

// reference is a resource as manifests name it.
func reference(r *catalog.Resource) string {
	return r.Type + "[" + quoted(r.Title) + "]"
}

// run says where an order leads.
func (v *verifier) run(a *verify.Analysis, order []int, start *fs.State, o verify.Outcome, ends []fs.Difference,
	of []int, first bool) Run {
	r := Run{Result: "works"}
	for _, i := range order {
		if slices.Contains(of, i) {
			r.Order = append(r.Order, v.m.Resources[i])
		}
	}
	switch {
	case o.Failed >= 0:
		r.Result = "fails: " + v.why(a, order, start, o.Failed)
		if !slices.Contains(of, o.Failed) {
			r.Result = v.m.Resources[o.Failed].Ref() + " " + r.Result
		}
	case len(ends) > 0:
		var parts []string
		for _, d := range ends[:min(len(ends), 2)] {
			x := d.A
			if !first {
				x = d.B
			}
			parts = append(parts, d.Cell+" is "+shorten(x))
		}
		r.Result = strings.Join(parts, "; ")
		if len(ends) > 2 {
			r.Result += fmt.Sprintf("; and %d more", len(ends)-2)
		}
	}
	return r
}

// why says why a resource fails in an order.
func (v *verifier) why(a *verify.Analysis, order []int, start *fs.State, failed int) string {
	s := a.Space.Begin(start)
	for _, i := range order {
		e := v.m.Graph.Resources[i].Program
		if i == failed {
			return fs.Reason(e, s)
		}
		fs.RunInPlace(e, s)
	}
	return "it fails"
}

// plain finds an initial state close to the fresh machine from which the two orders still differ.
func (v *verifier) plain(a *verify.Analysis, c *verify.Counterexample, of []int) *comparison {
	fresh := v.m.Graph.Fresh
	if a.Space.Satisfies(fresh) {
		if at := compare(a, c.A, c.B, fresh); at.differ() {
			return at
		}
	}
	initial := &comparison{c.Initial, verify.Outcome{State: c.EndA, Failed: c.FailA},
		verify.Outcome{State: c.EndB, Failed: c.FailB}, c.Differ}
	if len(of) == 0 {
		return initial
	}
	// The two and what interferes with them decide; that the rest lets it be seen is tried at the end.
	at, tries := a.Near(of...), 0
	differs := func(s *fs.State) bool {
		tries++
		return tries < maxPlain && a.Space.Satisfies(s) && at.Differ(c.A, c.B, s)
	}
	near := fresh.Clone()
	near.Oracle = c.Initial.Oracle
	for _, p := range v.touched(of) {
		setNode(near, p, c.Initial.At(p))
	}
	for _, x := range v.variables(of) {
		near.Vars[x] = c.Initial.Var(x)
	}
	if !differs(near) {
		return initial
	}
	if all := near.Clone(); len(all.Vars) > 4 {
		for _, x := range v.variables(of) {
			all.Vars[x] = fresh.Var(x)
		}
		if differs(all) {
			near = all
		}
	}
	for _, x := range v.variables(of) {
		if near.Var(x) == fresh.Var(x) {
			continue
		}
		next := near.Clone()
		next.Vars[x] = fresh.Var(x)
		if differs(next) {
			near = next
		}
	}
	for _, p := range slices.Backward(v.touched(of)) {
		next := near.Clone()
		setNode(next, p, fresh.At(p))
		if near.At(p) != fresh.At(p) && differs(next) {
			near = next
		}
	}
	if at := compare(a, c.A, c.B, near); at.differ() {
		return at
	}
	return initial
}

// maxPlain bounds the states that are tried to find a plain one.
const maxPlain = 64

func setNode(s *fs.State, p fs.Path, n fs.Node) {
	if n.Kind == fs.None {
		delete(s.Nodes, p)
	} else {
		s.Nodes[p] = n
	}
}

// touched are the paths that some resources speak about, sorted.
func (v *verifier) touched(of []int) []fs.Path {
	u := newPaths()
	for _, i := range of {
		u.expr(v.m.Graph.Resources[i].Program)
	}
	delete(u.kind, "/")
	return sortedKeys(u.kind)
}

func (v *verifier) variables(of []int) []string {
	u := newPaths()
	for _, i := range of {
		u.expr(v.m.Graph.Resources[i].Program)
	}
	for x := range v.m.Graph.Init.Transient {
		delete(u.vars, x)
	}
	return sortedKeys(u.vars)
}

// maxInitial bounds the lines that describe an initial state.
const maxInitial = 6

// describe says what an initial state is like, compared with the fresh machine: where it concerns some resources or, if
// it is no different there, all of them. It says nothing of the fresh machine itself.
func (v *verifier) describe(s *fs.State, of []int) []string {
	if s == v.m.Graph.Fresh {
		return nil
	}
	out := v.unlikeFresh(s, of)
	if len(out) == 0 && len(of) > 0 {
		all := make([]int, len(v.m.Graph.Resources))
		for i := range all {
			all[i] = i
		}
		out = v.unlikeFresh(s, all)
	}
	if len(out) > maxInitial {
		out = append(out[:maxInitial], fmt.Sprintf("and %d more", len(out)-maxInitial))
	}
	return out
}

// unlikeFresh says where a state is not like the fresh machine, among what some resources speak about.
func (v *verifier) unlikeFresh(s *fs.State, of []int) (out []string) {
	fresh := v.m.Graph.Fresh
	gone := map[fs.Path]bool{}
	for _, p := range v.touched(of) {
		n := s.At(p)
		if n.Kind == fresh.At(p).Kind {
			continue
		}
		if n.Kind == fs.None {
			gone[p] = true
			if gone[p.Parent()] {
				continue // that goes without saying
			}
		}
		out = append(out, nodeText(p, n.Kind))
	}
	for _, x := range v.variables(of) {
		if y := s.Var(x); y != fresh.Var(x) {
			out = append(out, x+" is "+strings.Trim(y.String(), "“”"))
		}
	}
	return out
}

// nodeText says what is at a path.
func nodeText(p fs.Path, k fs.Kind) string {
	if k == fs.None {
		return string(p) + " does not exist"
	}
	return fmt.Sprintf("%s is %s", p, k)
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// success reports a catalog that no order can apply to a fresh machine.
func (v *verifier) success() error {
	if err := v.succeeds(); err != nil {
		return err
	}
	return v.lacks()
}

// succeeds asks it of the fresh machine with what Model.Lacks names.
func (v *verifier) succeeds() error {
	s, err := v.a.Success(v.ctx)
	if err != nil {
		return err
	}
	v.r.Success = s.Chance
	if len(v.m.Open) > 0 && (s.Chance == verify.Always || s.Chance == verify.Sometimes) {
		needed, sure, err := v.points(s.Chance)
		if err != nil {
			return err
		}
		if len(needed) > 0 || !sure {
			v.r.Success = verify.ChanceUnknown
			v.unknown("success from a fresh machine", "nothing known says whether "+sentences(needed))
			v.r.Needed = needed
			return nil
		}
	}
	switch s.Chance {
	case verify.ChanceUnknown:
		v.unknown("success from a fresh machine", s.Reason)
	case verify.Never:
		if s.Failed >= 0 && v.mayHelp(s.Failed) {
			// What has no model may have made what is missing.
			v.r.Success = verify.ChanceUnknown
			v.unknown("success from a fresh machine", v.m.Resources[s.Failed].Ref()+" fails ("+
				v.why(v.a, s.Bad, v.m.Graph.Fresh, s.Failed)+") unless something without a model helps")
			return nil
		}
		f := Finding{Code: "V102", Title: "cannot succeed from a fresh machine"}
		if s.Failed >= 0 && s.Bad != nil {
			f.cure = v.lacked(v.m.Graph.Fresh, s)
			v.never(v.m.Graph.Fresh, s, f)
			return v.nevers(s)
		}
		v.r.Findings = append(v.r.Findings, f)
	}
	return nil
}

// sentences lists points.
func sentences(points []Point) string {
	var out []string
	for _, p := range points[:min(len(points), 5)] {
		out = append(out, p.Text)
	}
	text := strings.Join(out, " and whether ")
	if n := len(points) - len(out); n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

// mayHelp reports whether something without a model may have made what a resource lacks: a type that nobody knows, or a
// command that is not read and that somebody has put before it. Any other command is taken to write only what its words
// name (convention C1).
func (v *verifier) mayHelp(failed int) bool {
	for i, r := range v.m.Graph.Resources {
		if r.Exact != verify.Opaque || i == failed {
			continue
		}
		if res := v.m.Resources[i]; res == nil || res.Type != "Exec" || v.a.Precedes(i, failed) {
			return true
		}
	}
	return false
}

// invariants reports declared states that do not last until the end of the run.
func (v *verifier) invariants() error {
	if v.r.Success == verify.Never {
		return nil
	}
	list, err := v.a.Declared(v.ctx, false)
	if err != nil {
		return err
	}
	for _, inv := range list {
		if inv.Verdict != verify.No || inv.Resource < 0 {
			continue
		}
		if inv.Breaker >= 0 && v.m.Graph.Resources[inv.Breaker].Exact == verify.Opaque {
			// It names what is declared; whether it changes it, nobody has read.
			v.unknown("what "+v.m.Resources[inv.Resource].Ref()+" declares", "whether "+v.m.Resources[inv.Breaker].Ref()+
				" changes it is not known")
			continue
		}
		f := Finding{Code: "V202", Title: "declared state is not kept",
			Resources: []*catalog.Resource{v.m.Resources[inv.Resource]}}
		of := []int{inv.Resource}
		if inv.Breaker >= 0 && inv.Breaker != inv.Resource && v.m.Resources[inv.Breaker] != nil {
			of = append(of, inv.Breaker)
			f.Resources = append(f.Resources, v.m.Resources[inv.Breaker])
			f.Note = fmt.Sprintf("%s undoes what %s declares", f.Resources[1].Ref(), f.Resources[0].Ref())
		} else {
			f.Note = "what it declares does not hold at the end of the run"
		}
		f.Initial, f.Evidence = v.describe(inv.Initial, of), v.evidence(inv.Initial, v.a.Order())
		v.r.Findings = append(v.r.Findings, f)
	}
	return nil
}
