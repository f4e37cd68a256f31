package eval

import "bunraku/provenance"

// Top-level code runs from top to bottom, and classes that it includes run in the middle of it. So a class reads a
// variable of the top scope only if it was evaluated after the assignment.

// A topTime is when top-level code set a variable: what had named classes by then, and how many branches had been
// passed over.
type topTime struct {
	named  provenance.Ref
	passed int
}

// topSet notes that top-level code sets a variable.
func (ev *Evaluator) topSet(name string) {
	g := &ev.ghosts
	if g.tops == nil {
		g.tops = map[string]topTime{}
	}
	g.tops[name] = topTime{g.named, len(g.passed)}
}

// topBefore is what it depends on that a variable of the top scope was set before the class that runs now was
// evaluated: nothing that came before has led to the class.
func (ev *Evaluator) topBefore(name string) provenance.Ref {
	at, ours := ev.ghosts.tops[name]
	if !ours || at == (topTime{}) {
		return 0
	}
	r := ev.running()
	if r == nil || !r.isClass() || r.main {
		return 0
	}
	refs := []provenance.Ref{at.named}
	for i := range at.passed {
		p := &ev.ghosts.passed[i]
		if fx := ev.effectsOf(p.branch); fx.classes[r.def.Name] || fx.classes[anyClass] {
			refs = append(refs, p.why)
		}
	}
	return ev.union(refs)
}

// topAfter is what it depends on that a variable was not set yet.
func (ev *Evaluator) topAfter(name string) provenance.Ref {
	if ev.trace == nil || ev.top.done {
		return 0
	}
	g := &ev.ghosts
	if g.unset == nil {
		g.unset = map[string]bool{}
		for _, f := range ev.in.Main {
			for _, n := range assignedIn(f.Body.Stmts) {
				g.unset[n] = true
			}
		}
	}
	if !g.unset[name] {
		return 0
	}
	return ev.moment()
}
