package eval

import (
	"slices"
	"strconv"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// The operations by which provenance is joined; docs/provenance.md lists them, with the words that are used here. With
// tracing off ev.trace is nil, every Ref is zero, and the calls below return at once.

// literalsOf gives each literal of a file its leaf, once per compile.
func (ev *Evaluator) literalsOf(f *syntax.File) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	if r, ok := ev.literals[f]; ok {
		return r
	}
	r := ev.trace.Literals(f.Source, f.Literals, ev.cache.literalSpans(f))
	ev.literals[f] = r
	return r
}

// lit is the leaf of a literal of the current file.
func (ev *Evaluator) lit(l *syntax.Lit) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	return ev.trace.Read(ev.lits + provenance.Ref(l.Ord))
}

// noFact is the place of a fact that was asked for and is not there.
func (ev *Evaluator) noFact(name string) provenance.Ref {
	if ev.trace == nil || isNumericName(name) {
		return 0
	}
	r := ev.missing[name]
	if r == 0 {
		r = ev.trace.Leaf(provenance.Label{Kind: provenance.Absence, Path: "fact " + name})
		if ev.missing == nil {
			ev.missing = map[string]provenance.Ref{}
		}
		ev.missing[name] = r
	}
	return r
}

// op records an operation. The operands' containers count with all they hold (rule 1).
func (ev *Evaluator) op(name string, refs ...provenance.Ref) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	return ev.trace.Op(name, refs...)
}

// roomFor is an empty list with room for so many refs. Lists are short, so many stand in one piece of memory.
func (ev *Evaluator) roomFor(n int) []provenance.Ref {
	if n > len(ev.room) {
		ev.room = make([]provenance.Ref, max(n, 256))
	}
	list := ev.room[:0:n]
	ev.room = ev.room[n:]
	return list
}

// deep is a value with everything in it: a container's spine and the places of its elements.
func (ev *Evaluator) deep(v value.Value, r provenance.Ref) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	switch v := v.(type) {
	case *value.Array:
		if v.Refs != nil || slices.ContainsFunc(v.Elems, isContainer) {
			return ev.trace.Deep(r, v)
		}
	case *value.Hash:
		return ev.trace.Deep(r, v)
	case *value.Sensitive:
		return ev.deep(v.Value, r)
	}
	return r
}

func isContainer(v value.Value) bool {
	switch v.(type) {
	case *value.Array, *value.Hash, *value.Sensitive:
		return true
	}
	return false
}

// put adds an entry to a hash. A key that comes twice has its first place and its last value: both keys decide (rule
// 2).
func (ev *Evaluator) put(b *value.HashBuilder, e value.Entry) {
	if ev.trace != nil {
		if old := b.Entry(e.Key); old != nil {
			old.KeyRef = ev.trace.Join(old.KeyRef, e.KeyRef)
		}
	}
	b.SetEntry(e)
}

// Missed adds to refs what it hangs on that a hash, whose own is given, has no such key: on every key that it has (rule
// 2). A fact does not depend on which others there are.
func (ev *Evaluator) Missed(h *value.Hash, whole provenance.Ref, key value.Value,
	refs []provenance.Ref) []provenance.Ref {
	switch {
	case ev.trace == nil:
		return nil
	case h == ev.facts:
		return append(refs, ev.noFact(value.ToString(key)))
	}
	refs = append(refs, whole)
	for _, x := range h.Entries() {
		if whole == 0 || !ev.trace.IsKey(x.KeyRef) { // of data it is the spine that says which there are
			refs = append(refs, x.KeyRef)
		}
	}
	return refs
}

// Found is the value of an entry as a read finds it. Its key led there, and the keys behind it could have come in its
// place (rule 2).
func (ev *Evaluator) Found(h *value.Hash, e *value.Entry, more ...provenance.Ref) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	var room [6]provenance.Ref
	all := append(append(room[:0], more...), e.KeyRef)
	if n := h.Len(); n > 1 && h.Entries()[n-1].KeyRef != e.KeyRef {
		all = append(all, ev.later(h, e))
	}
	return ev.trace.With(e.Ref, all...)
}

// Element is the provenance of an element of an array whose own is given. Of one that a function made all at once it is
// an operation on the whole.
func (ev *Evaluator) Element(a *value.Array, i int, whole provenance.Ref) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	if r := a.Ref(i); r != 0 || whole == 0 || i >= len(elementNames) {
		return ev.trace.With(r, whole)
	}
	return ev.trace.Op(elementNames[i], whole)
}

// elementNames are the names of the operations that take an element by its number.
var elementNames = func() (names [64]string) {
	for i := range names {
		names[i] = "[" + strconv.Itoa(i) + "]"
	}
	return names
}()

// later joins the keys behind an entry.
func (ev *Evaluator) later(h *value.Hash, e *value.Entry) provenance.Ref {
	entries := h.Entries()
	sums := ev.behind[h]
	if sums == nil {
		sums = make([]provenance.Ref, len(entries))
		for i := len(entries) - 2; i >= 0; i-- {
			if sums[i] = sums[i+1]; entries[i+1].KeyRef != sums[i] && !ev.trace.IsKey(entries[i+1].KeyRef) {
				sums[i] = ev.trace.Join(sums[i], entries[i+1].KeyRef)
			}
		}
		if ev.behind == nil {
			ev.behind = map[*value.Hash][]provenance.Ref{}
		}
		ev.behind[h] = sums
	}
	for i := range entries {
		if &entries[i] == e {
			return sums[i]
		}
	}
	return 0
}

// keysOf is what decides which keys a hash has.
func (ev *Evaluator) keysOf(h *value.Hash, spine provenance.Ref) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	refs := make([]provenance.Ref, 1, h.Len()+1)
	refs[0] = spine
	for _, e := range h.Entries() {
		refs = append(refs, e.KeyRef)
	}
	return ev.trace.Join(refs...)
}

// because joins a condition and the decisions that led here. Branches of one statement share the node.
func (ev *Evaluator) because(condition provenance.Ref) provenance.Ref {
	if b := &ev.ghosts.because; b.why == 0 || b.condition != condition || b.ctl != ev.ctl {
		*b = because{condition, ev.ctl, ev.trace.Join(condition, ev.ctl)}
	}
	return ev.ghosts.because.why
}

// decide enters a branch that was taken because of a condition; the result restores what was before (rule 3).
func (ev *Evaluator) decide(condition provenance.Ref) (before provenance.Ref) {
	before = ev.ctl
	if ev.trace != nil {
		ev.ctl = ev.because(condition)
	}
	return before
}

// leaveDecision restores the decisions in force before a branch. What comes after a branch that could have jumped out
// (next, return, break) happens only because it was not taken, or did not jump.
func (ev *Evaluator) leaveDecision(before provenance.Ref) {
	ev.ctl = before
	if ev.jumps != 0 {
		ev.ctl = ev.trace.Join(before, ev.jumps)
	}
}

// leaveLambda does so for a lambda: what comes after it happens whether it was ended by next or break, but not after a
// return.
func (ev *Evaluator) leaveLambda(block *Lambda, jumps provenance.Ref) {
	if block.native == nil && mayReturn(block.def.Body.Stmts) {
		ev.ctl = ev.trace.Join(ev.ctl, ev.jumps)
	} else {
		ev.jumps = jumps
	}
}

// under is a value as it is written into a slot: it depends on the decisions that led to the write (rule 4).
func (ev *Evaluator) under(r provenance.Ref) provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	return ev.trace.With(r, ev.ctl)
}

// ghosts are the marks of branches that were not taken: what they could have written, had the decision gone the other
// way.
type ghosts struct {
	passed []passedBranch
	// named joins the names given to include and its kin so far: each could have named another class.
	named provenance.Ref
	names []provenance.Ref // one by one
	// untouched has the defines whose parameters nobody sets from outside, or somebody does
	untouched map[*Definition]memo[bool]
	// anyName is what could have named any class.
	anyName anyName
	// likes are the titles of classes declared with parameters so far: each could have named another class.
	likes []like
	// contained joins what was given to contain: tags come down from the container.
	contained provenance.Ref
	// typed joins the names of resource types that were computed.
	typed provenance.Ref
	// defaults are the resource defaults that known code sets, whether it runs or not, by type.
	defaults map[string][]string
	// tops says when top-level code set its variables, unset is what it sets at all.
	tops  map[string]topTime
	unset map[string]bool
	// nodeVars are the variables that node statements set.
	nodeVars map[string]bool
	// heard is what is defined in files that are not loaded, but named by code that was passed over.
	heard heard
	// idle is what classes that were not evaluated would change.
	idle memo[[]touch]
	// afar is what may have changed attributes from afar, by type. writes counts arrows and overrides.
	afar   memo[map[string]*typeTouches]
	last   *typeTouches // of afar, the one that was asked for last
	writes int
	// branches are what was passed over, by the first statement.
	branches map[*syntax.Expr]*branch
	room     []branch // for the next of them
	// whys has the decisions for each piece of code of passed[:indexed], by the number of its effects.
	whys      []provenance.Ref
	requiring map[*Resource]provenance.Ref // whose require attribute it may set
	indexed   passedReader
	because   because // the last of its kind
	// given joins the titles of classes declared with parameters by the name of a parameter, "" for a splat, which may
	// have any.
	given map[string]provenance.Ref
	// making is what may have declared a resource, by type.
	making map[string]*making
	// computing joins those of the branches that were read so far which compute names of classes.
	computing   provenance.Ref
	computingOf passedReader
	// configuring is what may have declared a class with parameters, as far as that is the same for all of them: of the
	// class that was asked for last.
	configuring      memo[provenance.Ref]
	configuringClass string
	// written has the operands of arrows and the targets of overrides, by type and attribute: each could have named
	// another resource.
	written map[touch]provenance.Ref
}

// because is a condition, the decisions that it was tested under, and both.
type because struct{ condition, ctl, why provenance.Ref }

// name notes what names a class.
func (g *ghosts) name(t *provenance.Trace, what provenance.Ref) {
	if what != 0 {
		g.named = t.Join(g.named, what)
		g.names = append(g.names, what)
	}
}

// anyName is the join of two.
type anyName struct{ named, computed, ref provenance.Ref }

// A like is a declaration of a class with parameters.
type like struct{ title provenance.Ref }

// mayBeLike notes the title of a class that is declared with parameters.
func (ev *Evaluator) mayBeLike(title provenance.Ref, params []*param, splat provenance.Ref) {
	if ev.trace != nil && title != 0 {
		ev.ghosts.likes = append(ev.ghosts.likes, like{title})
		if ev.ghosts.given == nil {
			ev.ghosts.given = map[string]provenance.Ref{}
		}
		for _, p := range params {
			ev.ghosts.given[p.name] = ev.trace.Join(ev.ghosts.given[p.name], title)
		}
		if splat != 0 {
			ev.ghosts.given[""] = ev.trace.Join(ev.ghosts.given[""], title)
		}
		ev.ghosts.name(ev.trace, title)
	}
}

// A passedBranch is code that did not run because of a decision.
type passedBranch struct {
	*branch
	scope *Scope
	why   provenance.Ref
}

// passOver notes a branch that is not taken: a ghost for each variable that it assigns (names are static in Puppet, so
// this is exact), and the code itself for questions about classes and resources.
func (ev *Evaluator) passOver(stmts []syntax.Expr, sc *Scope, condition provenance.Ref) {
	if ev.trace == nil || len(stmts) == 0 {
		return
	}
	why := ev.because(condition)
	b := ev.branchOf(stmts)
	ev.ghosts.passed = append(ev.ghosts.passed, passedBranch{b, sc, why})
	if b.jumps {
		ev.jumps = ev.trace.Join(ev.jumps, why)
	}
	if ev.rendering != nil { // it would have added text, or ended the template
		ev.rendering.passed = ev.trace.Join(ev.rendering.passed, why)
	}
	if len(b.assigned) > 0 {
		sc.addGhost(b.assigned, b.bits, why)
	}
	for _, name := range b.changed {
		sc.MightReplace(name, why)
	}
}
