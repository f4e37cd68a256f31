package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// idempotence reports what a second run changes. A command that can be guarded gets its guard, and the search goes on
// with the catalog as it would be then, so that one fault does not hide another.
func (v *verifier) idempotence() error {
	q, err := v.a.Quiet(v.ctx)
	if err != nil {
		return err
	}
	v.r.Quiet = q.Verdict
	if q.Verdict == verify.Yes { // what does nothing leaves everything as it is
		v.r.Idempotent = verify.Yes
		return nil
	}
	more := v.opt.Allow(v.opt.Question)
	w := &verifier{m: v.m, a: v.a, ctx: v.ctx, opt: v.opt, r: v.r, settled: map[catalog.Name]bool{}}
	w.settle(v.rationed())
	seen := map[string]int{} // findings by the words that declare the first of their resources
	for round := 0; ; round++ {
		i, err := w.a.Idempotence(v.ctx)
		if err != nil {
			return err
		}
		if round == 0 {
			v.r.Idempotent = i.Verdict
			if i.Verdict == verify.Unknown {
				v.unknown("idempotence", i.Reason)
			}
		}
		if i.Verdict != verify.No {
			return nil
		}
		if !more() || len(seen) == maxFindings {
			v.r.Partial = true
			return nil
		}
		f, guilty := w.rerun(i.Example)
		last := len(v.r.Findings)
		v.r.Findings = append(v.r.Findings, f) // before its fix is looked for, which may take what is left of the budget
		mended := w.guard(&f, guilty, i.Example)
		key := fmt.Sprint(round)
		if f.Fix == nil && len(f.Resources) == 1 {
			key = declaration(f.Resources[0])
		}
		v.r.Findings[last] = f
		if k, ok := seen[key]; ok {
			v.r.Findings[k].More++
			v.r.Findings = v.r.Findings[:last]
		} else {
			seen[key] = last
		}
		if !mended && !w.settle(guilty) {
			v.r.Partial = true
			return nil
		}
		v.guarded = w
	}
}

// rationed are the resources, by number, that an agent applies once in a period: a run right after the first passes
// them over.
func (v *verifier) rationed() (out []int) {
	for _, it := range v.m.from.items {
		if it != nil && !sleeps(it) && v.m.from.rations(it) {
			out = append(out, v.index(it.r))
		}
	}
	return out
}

// appends is how the content of a file begins, in words, to which a command appends.
const appends = "what append "

// settle goes on as if each of some resources had the guard that it lacks, so that it does nothing in a second run:
// what else is wrong shows then. It reports false if that is no help.
func (v *verifier) settle(guilty []int) bool {
	more := false
	for _, k := range guilty {
		if n := v.m.Resources[k].Name(); !v.settled[n] {
			v.settled[n], more = true, true
		}
	}
	return more && v.use(v.m)
}

// use makes a model the one that is looked at, with what is taken for settled.
func (v *verifier) use(m *Model) bool {
	m = m.settle(v.settled)
	a, err := verify.Prepare(m.Graph, v.opt)
	if err != nil {
		return false
	}
	v.m, v.a = m, a
	return true
}

// settle is the model in which some resources act once.
func (m *Model) settle(names map[catalog.Name]bool) *Model {
	if len(names) == 0 {
		return m
	}
	out, g := *m, *m.Graph
	g.Resources, g.Fresh, g.Init.Closed = slices.Clone(g.Resources), g.Fresh.Clone(), maps.Clone(g.Init.Closed)
	if g.Init.Closed == nil {
		g.Init.Closed = map[string][]fs.Value{}
	}
	for i, r := range m.Resources {
		if r == nil || !names[r.Name()] {
			continue
		}
		done := "settled " + r.Ref()
		if g.Init.Closed[done] != nil {
			continue
		}
		program := &g.Resources[i].Program
		*program = fs.If{Cond: fs.Equal{A: fs.VarOf{Name: done}, B: fs.Str("no")},
			Then: fs.Seq{*program, fs.Assign{Var: done, Value: fs.Str("yes")}}}
		g.Init.Closed[done] = []fs.Value{fs.Text("no")}
		g.Fresh.Vars[done] = fs.Text("no")
	}
	out.Graph = &g
	return &out
}

// rerun makes the finding of a second run that does something, and names the resources that do it.
func (v *verifier) rerun(x *verify.Rerun) (f Finding, guilty []int) {
	f = Finding{Code: "V201", Title: "not idempotent"}
	acts := x.Second.Acts
	if x.Second.Failed >= 0 {
		acts = []int{x.Second.Failed}
	}
	for _, k := range acts {
		if r := v.m.Resources[k]; r != nil && v.changes(k, x) {
			guilty = append(guilty, k)
			if len(f.Resources) < 4 {
				f.Resources = append(f.Resources, r)
			}
		}
	}
	f.Initial = v.describe(x.Initial, acts)
	second := Run{Result: "changes something"}
	if x.Second.Failed >= 0 {
		second.Result = "fails: " + v.why(v.a, v.a.Order(), x.First.State, x.Second.Failed)
	} else if len(x.Differ) > 0 && slices.ContainsFunc(guilty,
		func(k int) bool { return x.Differ[0].Cell == effectOf(v.m.Resources[k]) }) {
		second.Result = "runs the command again: no guard says that it need not"
	} else if len(x.Differ) > 0 && strings.HasPrefix(x.Differ[0].B, appends) {
		second.Result = "appends to " + strings.TrimPrefix(x.Differ[0].Cell, "content of ") + " once more"
	} else if len(x.Differ) > 0 {
		d := x.Differ[0]
		second.Result = "changes " + d.Cell + " from " + shorten(d.A) + " to " + shorten(d.B)
	}
	f.Runs, f.Evidence = []Run{{Result: "works"}, second}, v.evidence(x.Initial, v.a.Order())
	return f, guilty
}

// changes reports whether a resource has to do with the first difference of a second run. Others are found in their
// turn.
func (v *verifier) changes(k int, x *verify.Rerun) bool {
	if x.Second.Failed >= 0 || len(x.Differ) == 0 {
		return true
	}
	u := newPaths()
	u.expr(v.m.Graph.Resources[k].Program)
	d := x.Differ[0]
	if u.vars[d.Cell] {
		return true
	}
	at := strings.LastIndex(d.Cell, "/")
	return at >= 0 && slices.ContainsFunc(sortedKeys(u.kind),
		func(p fs.Path) bool { return strings.HasSuffix(d.Cell, string(p)) && p != "/" })
}

// guard looks for a guard that keeps a command from running again: `creates`, with something that its first run has
// made. It tries the catalog with the guard and goes on with it, with the fix in the finding; it reports false if there
// is none.
func (v *verifier) guard(f *Finding, guilty []int, x *verify.Rerun) bool {
	if len(guilty) != 1 {
		return false
	}
	r := v.m.Resources[guilty[0]]
	if r.Type != "Exec" || r.Get("creates") != nil || len(declaredBy(v.m.Catalog.Catalog, r)) > 1 {
		return false // … and what one command makes says nothing about another that the same words declare
	}
	if len(x.Differ) > 0 && strings.HasPrefix(x.Differ[0].B, appends) {
		// That there is a file does not say that it has the line.
		text, ok := v.m.from.lineGuard(r)
		return ok && v.guardBy(f, r, "unless", text)
	}
	for _, p := range v.witnesses(guilty[0]) {
		if x.Initial.At(p).Kind != fs.None || x.First.State == nil || x.First.State.At(p).Kind == fs.None {
			continue
		}
		if v.guardBy(f, r, "creates", string(p)) {
			return true
		}
	}
	return false
}

// guardBy tries a guard, and goes on with the catalog that has it if it helps.
func (v *verifier) guardBy(f *Finding, r *catalog.Resource, attr, text string) bool {
	fix := &Fix{Resource: r, Attr: attr, Value: quoted(text), literal: value.String(text), Verified: true}
	m, err := v.m.rewritten(fix)
	if err != nil {
		return false
	}
	w := *v
	if !w.use(m) || !v.better(w.m, w.a, r) {
		return false
	}
	v.m, v.a, f.Fix = w.m, w.a, fix
	return true
}

// witnesses are the paths whose presence shows that a command has done all it does (verify-claims §7): the last that it
// makes, which nobody else makes and no machine has before. A guard that looks at anything else could keep the command
// from running where it has something to do: at what it makes first, after a run that was cut off; at what others make,
// always.
func (v *verifier) witnesses(i int) []fs.Path {
	_, p := lastMade(v.m.Graph.Resources[i].Program)
	if p == "" || v.m.Graph.Fresh.At(p).Kind != fs.None {
		return nil
	}
	for j, r := range v.m.Graph.Resources {
		if j == i {
			continue
		}
		u := newPaths()
		u.expr(r.Program)
		if u.new[p] {
			return nil
		}
	}
	return []fs.Path{p}
}

// lastMade is the last path that a program makes, and what makes it; "" if it makes none.
func lastMade(e fs.Expr) (op fs.Expr, p fs.Path) {
	switch e := e.(type) {
	case fs.Mkdir:
		return e, e.Path
	case fs.Creat:
		return e, e.Path
	case fs.Cp:
		return e, e.To
	case fs.Ln:
		return e, e.Path
	case fs.Seq:
		for _, x := range slices.Backward(e) {
			if op, p := lastMade(x); p != "" {
				return op, p
			}
		}
	case fs.If:
		if op, p := lastMade(e.Then); p != "" {
			return op, p
		}
		return lastMade(e.Else)
	}
	return nil, ""
}

// better reports whether, in a changed catalog, a resource is no reason any more to call it not idempotent, and nothing
// else got worse.
func (v *verifier) better(m *Model, a *verify.Analysis, r *catalog.Resource) bool {
	i, err := a.Idempotence(v.ctx)
	if err != nil {
		return false
	}
	if i.Verdict == verify.No {
		w := &verifier{m: m, a: a, ctx: v.ctx, opt: v.opt, r: &Report{}}
		if _, guilty := w.rerun(i.Example); slices.ContainsFunc(guilty,
			func(k int) bool { return m.Resources[k].Name() == r.Name() }) {
			return false
		}
	}
	d, err := a.Determinism(v.ctx)
	if err != nil || d.Verdict == verify.No && v.r.Deterministic != verify.No {
		return false
	}
	s, err := a.Success(v.ctx)
	return err == nil && (s.Chance != verify.Never || v.r.Success == verify.Never || v.r.Success == verify.ChanceUnknown)
}

// quoted is a text as manifests write it.
func quoted(s string) string {
	return "'" + singleQuotes.Replace(s) + "'"
}

var singleQuotes = strings.NewReplacer(`\`, `\\`, "'", `\'`)
