package model

import (
	"fmt"
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// Recovery (verify-claims §10): a run that was cut off, or in which a command failed once, leaves a machine from which
// later runs should come to where an undisturbed run ends. They do not if a guard is true before the work is done, or
// if somebody was to be told of a change that was made before the cut: events that are not delivered are lost. Every
// cut of the agent's order on the fresh machine is replayed: after each resource, inside each command, and each command
// failing with all that depends on it passed over. What is found is certain; that nothing is found says so of the fresh
// machine only.

// Recovery is what was asked about recovery, and the answer.
type Recovery struct {
	Asked bool
	Cuts  int // that were replayed
	Stuck int // of them never end as an undisturbed run does
}

// laterRuns are how many runs may pass until everything is as it should be.
const laterRuns = 3

// maxInside bounds the cuts inside one command.
const maxInside = 8

// recovery replays the cuts.
func (v *verifier) recovery() error {
	if v.m.Unmodelled > 0 {
		v.unknown("recovery", "some resources may do more than is known")
		return nil
	}
	v.r.Recovery.Asked = true
	order := v.a.Order()
	fresh := v.m.Graph.Fresh
	whole := v.a.Replay(order, fresh)
	if whole.Failed >= 0 {
		return nil // what does not succeed has nowhere to come back to
	}
	told := map[string]bool{}
	look := func(at int, s *fs.State, how string) {
		v.r.Recovery.Cuts++
		end, failed := s, -1
		for range laterRuns {
			o := v.a.Replay(order, end)
			if failed = o.Failed; failed >= 0 {
				break
			}
			end = o.State
			if len(v.a.Space.Diff(whole.State, end)) == 0 {
				return
			}
		}
		v.r.Recovery.Stuck++
		f := v.stuck(at, how, end, failed, whole.State)
		if slices.ContainsFunc(f.Resources,
			func(r *catalog.Resource) bool { return v.m.Graph.Resources[v.index(r)].Exact != verify.Exact }) {
			if text := "whether later runs mend what is left when " + how +
				" hangs on what is modelled only roughly"; !told[text] {
				told[text] = true
				v.unknown("recovery", text)
			}
			return
		}
		if key := declaration(f.Resources[0]); !told[key] && len(told) < maxFindings {
			told[key] = true
			v.r.Findings = append(v.r.Findings, f)
		}
	}
	s := v.a.Space.Begin(fresh)
	for k, i := range order {
		r := v.m.Resources[i]
		program := v.m.Graph.Resources[i].Program
		if r != nil && r.Type == "Exec" {
			for _, part := range cuts(program) {
				half := s.Clone()
				if _, ok := fs.RunInPlace(part, half); ok && len(v.a.Space.Diff(s, half)) > 0 {
					look(i, half, "a run is cut off in the middle of "+r.Ref())
				}
			}
			failed := s.Clone()
			for _, j := range order[k+1:] {
				if !v.a.Precedes(i, j) {
					fs.RunInPlace(v.m.Graph.Resources[j].Program, failed)
				}
			}
			look(i, failed, r.Ref()+" fails once, and what depends on it is passed over")
		}
		fs.RunInPlace(program, s)
		if r != nil && k < len(order)-1 {
			look(i, s.Clone(), "a run is cut off after "+r.Ref())
		}
	}
	return nil
}

// stuck makes the finding of a cut.
func (v *verifier) stuck(at int, how string, end *fs.State, failed int, want *fs.State) Finding {
	f := Finding{Code: "V208", Title: "does not recover", Resources: []*catalog.Resource{v.m.Resources[at]}}
	result := ""
	if failed >= 0 {
		result = "fail: " + v.why(v.a, v.a.Order(), end, failed)
		if r := v.m.Resources[failed]; r != nil && failed != at {
			f.Resources = append(f.Resources, r)
		}
	} else {
		d := v.a.Space.Diff(want, end)[0]
		result = fmt.Sprintf("leave %s at %s; an undisturbed run ends with %s", d.Cell, shorten(d.B), shorten(d.A))
		f.Note = "half-done: a guard says that the work is done before it is"
		for j, r := range v.m.Resources {
			if r == nil || r.Type != "Exec" {
				continue
			}
			u := newPaths()
			u.expr(v.m.Graph.Resources[j].Program)
			if it := v.m.from.itemAt(r); it != nil && it.truth("refreshonly", false) &&
				slices.ContainsFunc(sortedKeys(u.kind), func(p fs.Path) bool { return endsWith(d.Cell, p) }) {
				f.Warning, f.Note = true, "lost refresh: "+r.Ref()+" is never told again of what changed before the cut"
				if j != at {
					f.Resources = append(f.Resources, r)
				}
				break
			}
		}
	}
	f.Runs = []Run{{Result: how}, {Result: "later runs " + result}}
	return f
}

// endsWith reports whether a cell is about a path.
func endsWith(cell string, p fs.Path) bool {
	return p != "/" && len(cell) >= len(p) && cell[len(cell)-len(p):] == string(p)
}

// cuts are a program as it would be if it were stopped after each of its first steps.
func cuts(e fs.Expr) (out []fs.Expr) {
	switch e := e.(type) {
	case fs.Seq:
		for k, x := range e {
			for _, part := range cuts(x) {
				out = append(out, append(slices.Clone(e[:k]), part))
			}
			if k > 0 {
				out = append(out, slices.Clone(e[:k]))
			}
		}
	case fs.If:
		for _, part := range cuts(e.Then) {
			out = append(out, fs.If{Cond: e.Cond, Then: part})
		}
		for _, part := range cuts(e.Else) {
			out = append(out, fs.If{Cond: e.Cond, Else: part})
		}
	}
	return out[:min(len(out), maxInside)]
}
