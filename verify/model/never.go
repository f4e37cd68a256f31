package model

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// One thing that is missing on the fresh machine must not hide the next. When no order succeeds because of one
// resource, what that resource lacks is put on the machine, and the question is asked again; what fails then in every
// order, and fails on the fresh machine itself when an agent applies the catalog, is a finding of its own. A resource
// that an agent would skip because another one fails is not looked at: it is told once that one is mended.

// never reports a resource that fails in every order from a machine.
func (v *verifier) never(start *fs.State, s *verify.Success, f Finding) {
	f.Resources = []*catalog.Resource{v.m.Resources[s.Failed]}
	f.Runs = []Run{{Order: f.Resources, Result: "fails: " + v.why(v.a, s.Bad, v.m.Graph.Fresh, s.Failed)}}
	f.Evidence = v.evidence(v.m.Graph.Fresh, s.Bad)
	f.Alone = !v.madeTooLate(start, s)
	v.r.Findings = append(v.r.Findings, f)
}

// madeTooLate reports whether another resource of the catalog makes what one lacks: then nothing beside the catalog has
// to, and it fails since it comes first.
func (v *verifier) madeTooLate(start *fs.State, s *verify.Success) bool {
	m := v.granted(start, s)
	if m == nil {
		return false
	}
	lacks := v.a.Space.Diff(start, m)
	if len(lacks) == 0 { // what it lacks has no place of its own
		return false
	}
	for i := range v.m.Graph.Resources {
		if i == s.Failed {
			continue
		}
		if out := v.a.Replay([]int{i}, start); out.Failed < 0 && covers(v.a.Space.Diff(start, out.State), lacks) {
			return true
		}
	}
	return false
}

// covers reports whether all cells of some differences are among others.
func covers(of, all []fs.Difference) bool {
	return !slices.ContainsFunc(all, func(d fs.Difference) bool {
		return !slices.ContainsFunc(of, func(o fs.Difference) bool { return o.Cell == d.Cell })
	})
}

// nevers reports what else cannot succeed.
func (v *verifier) nevers(s *verify.Success) error {
	fails := map[*catalog.Resource]bool{}
	if err := apply(v.m, v.m.Graph.Fresh.Clone(), func(r *catalog.Resource, _ int, _ fs.Touched, why string) {
		fails[r] = why != ""
	}, func(*catalog.Resource) {}); err != nil {
		return err
	}
	fails[v.m.Resources[s.Failed]] = false
	for _, f := range v.r.Findings {
		if f.Code == "V101" && f.Fix != nil {
			fails[f.Fix.Resource] = false // an order mends it, which has been told
		}
	}
	start, n := v.m.Graph.Fresh, 1
	for tries := 0; tries < 2*maxFindings && v.any(fails); tries++ {
		if start = v.granted(start, s); start == nil {
			return nil
		}
		var err error
		if s, err = v.a.SuccessFrom(v.ctx, start); err != nil {
			return err
		}
		if s.Chance != verify.Never || s.Failed < 0 || s.Bad == nil {
			return nil
		}
		r := v.m.Resources[s.Failed]
		if !fails[r] || v.mayHelp(s.Failed) {
			continue
		}
		if n == maxFindings {
			v.r.Partial = true
			return nil
		}
		n++
		fails[r] = false
		v.never(start, s, Finding{Code: "V102", Title: "cannot succeed from a fresh machine", cure: v.lacked(start, s)})
	}
	return nil
}

// any reports whether one of the resources is still to be looked at.
func (v *verifier) any(fails map[*catalog.Resource]bool) bool {
	for _, yes := range fails {
		if yes {
			return true
		}
	}
	return false
}

// granted is a machine that has one thing more, without which a resource fails: a directory, a file, an account, a
// package. It is nil if no single thing helps.
func (v *verifier) granted(start *fs.State, s *verify.Success) *fs.State {
	why := v.why(v.a, s.Bad, start, s.Failed)
	helps := func(m *fs.State) bool {
		// It may fail for the next reason then, which is the next question.
		return v.a.Space.Satisfies(m) && (v.a.Replay(s.Bad, m).Failed != s.Failed || v.why(v.a, s.Bad, m, s.Failed) != why)
	}
	of := []int{s.Failed}
	for _, x := range v.variables(of) {
		for _, y := range v.m.Graph.Init.Closed[x] {
			if y == start.Var(x) || !slices.Contains([]fs.Value{fs.Text(present), fs.Text("running"), fs.Text("yes")}, y) {
				continue
			}
			m := start.Clone()
			if m.Vars[x] = y; helps(m) {
				return m
			}
		}
	}
	own := fs.Path("") // what the resource itself makes is nothing that it lacks
	if it := v.m.from.itemAt(v.m.Resources[s.Failed]); it != nil && strings.HasPrefix(it.name, "/") {
		own = v.m.from.path(it.name)
	}
	for _, k := range []fs.Kind{fs.Dir, fs.File} {
		for _, p := range v.touched(of) {
			if k == fs.Dir {
				for d := p.Parent(); !d.IsRoot() && start.At(d).Kind == fs.None; d = d.Parent() {
					m := start.Clone()
					if m.Put(d, fs.Dir); helps(m) {
						return m
					}
				}
			}
			if p == own || start.At(p).Kind != fs.None {
				continue
			}
			m := start.Clone()
			if m.Put(p, k); helps(m) {
				return m
			}
		}
	}
	return nil
}

// maxLacks bounds the resources of catalogs of which every order is looked at without what the machine lacks.
const maxLacks = 5000

// lacks reports what fails because of something that the fresh machine is known not to have.
func (v *verifier) lacks() error {
	for _, p := range v.m.Lacks {
		start := v.m.Graph.Fresh.Clone()
		p.set(start, false)
		failed := -1 // the first that fails for this reason when an agent applies the catalog
		if err := apply(v.m, start.Clone(), func(_ *catalog.Resource, i int, _ fs.Touched, why string) {
			if why == p.Text && failed < 0 {
				failed = i
			}
		}, func(*catalog.Resource) {}); err != nil {
			return err
		}
		if failed < 0 {
			continue // nothing comes to it
		}
		if len(v.m.Resources) > maxLacks || v.mayHelp(failed) {
			v.undoSuccess(p.Text)
			continue
		}
		s, err := v.a.SuccessFrom(v.ctx, start)
		if err != nil {
			return err
		}
		if s.Chance != verify.Never || s.Failed != failed && v.r.Success != verify.Never {
			v.undoSuccess(p.Text)
			continue
		}
		v.r.Success = verify.Never
		r := []*catalog.Resource{v.m.Resources[failed]}
		v.r.Findings = append(v.r.Findings, Finding{Code: "V102", Title: "cannot succeed from a fresh machine", Resources: r,
			Alone: true, Runs: []Run{{Order: r, Result: "fails: " + p.Text}}, Evidence: v.evidence(start, v.a.Order()),
			cure: v.packaged(r[0], p.Text)})
	}
	return nil
}

// undoSuccess takes back that a run succeeds.
func (v *verifier) undoSuccess(why string) {
	if v.r.Success == verify.Always || v.r.Success == verify.Sometimes {
		v.r.Success = verify.ChanceUnknown
		v.unknown("success from a fresh machine", why+", as far as is known")
	}
}
