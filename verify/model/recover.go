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
// cut of the agent's order on the fresh machine is replayed: after each resource, inside each command, and each
// resource that runs a command or asks the network failing, with all that depends on it passed over. What is found is
// certain; that nothing is found says so of the fresh machine only.

// Recovery is what was asked about recovery, and the answer.
type Recovery struct {
	Asked bool
	Cuts  int   // that were replayed
	Stuck int   // of them never end as an undisturbed run does
	Each  []Cut // in the agent's order
}

// A Cut is how a run is disturbed, and whether later runs mend that.
type Cut struct {
	Kind     CutKind
	Resource *catalog.Resource
	Stuck    bool
}

// A CutKind says what happens at a resource.
type CutKind string

// The kinds of cuts.
const (
	CutAfter  CutKind = "after"  // the run ends between it and the next one
	CutInside CutKind = "inside" // the run ends while its command runs
	CutFails  CutKind = "fails"  // it fails once and has done nothing; what depends on it is passed over
)

// words tell a cut.
func (c Cut) words() string {
	switch c.Kind {
	case CutInside:
		return "a run is cut off in the middle of " + c.Resource.Ref()
	case CutFails:
		return c.Resource.Ref() + " fails once, and what depends on it is passed over"
	}
	return "a run is cut off after " + c.Resource.Ref()
}

// laterRuns are how many runs may pass until everything is as it should be.
const laterRuns = 3

// recovery replays the cuts.
func (v *verifier) recovery() error {
	if v.m.Unmodelled > 0 {
		v.unknown("recovery", "some resources may do more than is known")
		return nil
	}
	v.r.Recovery.Asked = true
	r := v.newRecoverer()
	whole := v.a.Replay(r.order, v.m.Graph.Fresh)
	if whole.Failed >= 0 {
		return nil // what does not succeed has nowhere to come back to
	}
	told, lines := map[string]bool{}, v.m.from.lineVariables()
	look := func(at int, s *fs.State, kind CutKind) {
		cut := Cut{Kind: kind, Resource: v.m.Resources[at]}
		v.r.Recovery.Cuts++
		end, failed, mended := r.later(s, whole.State)
		cut.Stuck = !mended
		v.r.Recovery.Each = append(v.r.Recovery.Each, cut)
		if mended {
			return
		}
		v.r.Recovery.Stuck++
		f := v.stuck(at, cut, end, failed, whole.State)
		if slices.ContainsFunc(f.Resources,
			func(r *catalog.Resource) bool { return v.m.Graph.Resources[v.index(r)].Exact != verify.Exact }) {
			if text := "whether later runs mend what is left when " + cut.words() +
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
	s := v.a.Space.Begin(v.m.Graph.Fresh)
	for k, i := range r.order {
		x, program := v.m.Resources[i], v.m.Graph.Resources[i].Program
		before := s
		if x != nil && asksOthers(x) {
			before = s.Clone()
		}
		touched, _ := fs.RunInPlace(program, s)
		if x == nil {
			continue
		}
		if before != s && (touched.Acted || v.a.Space.Changed(touched, s)) {
			if x.Type == "Exec" {
				for _, part := range cuts(program, lines) {
					half := before.Clone()
					if _, ok := fs.RunInPlace(part, half); ok && len(v.a.Space.Diff(before, half)) > 0 {
						look(i, half, CutInside)
					}
				}
			}
			lost := make([]bool, len(r.before))
			lost[i] = true
			r.run(before, r.order[k+1:], lost)
			look(i, before, CutFails)
		}
		if k < len(r.order)-1 {
			look(i, s.Clone(), CutAfter)
		}
	}
	return nil
}

// asksOthers reports whether a resource asks the network or runs a command, either of which may fail once although all
// is well.
func asksOthers(r *catalog.Resource) bool {
	switch r.Type {
	case "Exec", "Package", "Service", "User", "Group", "Mount", "Archive", "Vcsrepo":
		return true
	}
	return r.Type == "File" && r.Get("source") != nil
}

// A recoverer makes runs as the agent does: what depends on something that has failed is passed over.
type recoverer struct {
	v      *verifier
	order  []int
	before [][]int // by resource, what it depends on
}

func (v *verifier) newRecoverer() *recoverer {
	r := &recoverer{v: v, order: v.a.Order(), before: make([][]int, len(v.m.Graph.Resources))}
	for _, e := range v.m.Graph.Edges {
		r.before[e.To] = append(r.before[e.To], e.From)
	}
	return r
}

// run applies some resources to a state, which it changes. lost are those that have failed or were passed over. It
// returns the first that fails, -1 if none does.
func (r *recoverer) run(s *fs.State, order []int, lost []bool) (failed int) {
	r.v.opt.Budget.Spend(int64(len(order)), "replaying runs")
	failed = -1
	for _, i := range order {
		if slices.ContainsFunc(r.before[i], func(j int) bool { return lost[j] }) {
			lost[i] = true
		} else if !fs.Perform(r.v.m.Graph.Resources[i].Program, s) {
			if lost[i] = true; failed < 0 {
				failed = i
			}
		}
	}
	return failed
}

// later makes undisturbed runs until one ends as wanted. Else it returns how the last one ends; or, if something fails
// in it, where that one begins, and what fails.
func (r *recoverer) later(s, want *fs.State) (at *fs.State, failed int, mended bool) {
	for range laterRuns {
		at, s = s, r.v.a.Space.Begin(s)
		failed = r.run(s, r.order, make([]bool, len(r.before)))
		if failed < 0 && len(r.v.a.Space.Diff(want, s)) == 0 {
			return s, -1, true
		}
	}
	if failed < 0 {
		at = s
	}
	return at, failed, false
}

// stuck makes the finding of a cut.
func (v *verifier) stuck(at int, cut Cut, end *fs.State, failed int, want *fs.State) Finding {
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
	f.Cut = &cut
	f.Runs = []Run{{Result: cut.words()}, {Result: "later runs " + result}}
	return f
}

// endsWith reports whether a cell is about a path.
func endsWith(cell string, p fs.Path) bool {
	return p != "/" && len(cell) >= len(p) && cell[len(cell)-len(p):] == string(p)
}
