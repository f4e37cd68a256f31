package mutate

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A Slot is something that has provenance: a resource's existence, an attribute, a resource's tags, an edge, a
// variable.
type Slot struct {
	Value string
	Refs  [3]provenance.Ref // what it depends on
}

// A View is a compile as slots by name.
type View struct {
	Res   *eval.Result
	Slots map[string]Slot
	order []string
	at    map[string]Slot // of each resource's position
}

// Look makes the view of a finished compile.
func Look(res *eval.Result) (*View, error) {
	v := &View{Res: res, Slots: make(map[string]Slot, 16*len(res.Catalog.Resources)), at: map[string]Slot{}}
	json := catalog.JSON{Types: types.ToData}
	for _, r := range res.Catalog.Resources {
		ref := r.Ref()
		v.Slots["resource "+ref] = Slot{"", [3]provenance.Ref{r.Existence, r.TitleRef}}
		for _, p := range r.Params {
			text, err := json.AppendValue(nil, p.Value)
			if err != nil {
				return nil, err
			}
			v.Slots["attribute "+ref+" "+p.Name] = Slot{string(text), [3]provenance.Ref{p.Ref, r.Existence, r.TitleRef}}
		}
		tags := append([]string(nil), r.Tags...)
		sort.Strings(tags)
		v.Slots["tags "+ref] = Slot{strings.Join(tags, ","), [3]provenance.Ref{r.TagsRef}}
		v.order = append(v.order, ref)
		v.at[ref] = Slot{"", [3]provenance.Ref{r.Position, r.TitleRef}}
	}
	for _, e := range res.Catalog.Edges {
		v.Slots["edge "+e.Source.Ref()+" -> "+e.Target.Ref()] = Slot{"", [3]provenance.Ref{e.Ref, e.Source.Existence,
			e.Target.Existence}}
	}
	v.variables()
	return v, nil
}

func (v *View) variables() {
	for _, x := range v.Res.Record().Variables { // as code elsewhere reads them
		v.Slots["variable "+x.Class+"::"+x.Name] = Slot{value.Inspect(x.Value), [3]provenance.Ref{x.Read}}
	}
}

// Names lists the slots in a fixed order.
func (v *View) Names() []string {
	names := make([]string, 0, len(v.Slots))
	for n := range v.Slots {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Depends is what a slot depends on.
func (v *View) Depends(name string) []provenance.Label {
	refs := v.Slots[name].Refs
	return v.Res.Trace.Depends(refs[:]...)
}

// A Violation is something that changed without having named the place.
type Violation string

// A Result is what comparing two runs gave.
type Result struct {
	Changed    map[string]bool // names of slots of the run before that are another or gone in the run after
	New        int             // slots that only the run after has
	Violations []Violation
}

// Compare holds two runs against theorem 5.3.5: a slot of either that does not name the place is in the other with the
// same value, and resources whose positions do not name it keep their order.
func Compare(before, after *View, p *Place) *Result {
	c := &comparison{Result: Result{Changed: map[string]bool{}}}
	c.was = before.Res.Trace.Reach(p.Was.leaves(before.Res.Trace))
	c.is = after.Res.Trace.Reach(p.Is.leaves(after.Res.Trace))
	c.side(before, after, c.was, "before", "after", p.Is)
	c.side(after, before, c.is, "after", "before", p.Was)
	c.order(before, after)
	sort.Slice(c.Violations, func(i, j int) bool { return c.Violations[i] < c.Violations[j] })
	return &c.Result
}

type comparison struct {
	Result
	was, is func(provenance.Ref) provenance.How
}

func (s Slot) names(reach func(provenance.Ref) provenance.How) bool {
	for _, r := range s.Refs {
		if r != 0 && reach(r) != provenance.Not {
			return true
		}
	}
	return false
}

func (c *comparison) side(from, to *View, reach func(provenance.Ref) provenance.How, side, there string, other Names) {
	var absent []absentSlot
	for name, s := range from.Slots {
		o, has := to.Slots[name]
		if has && o.Value == s.Value {
			continue
		}
		if side == "before" {
			c.Changed[name] = true
		} else if !has {
			c.New++
		}
		if !s.names(reach) {
			with := "is not there"
			if has {
				with = "is " + short(o.Value)
			}
			c.Violations = append(c.Violations,
				Violation(fmt.Sprintf("%s, %s in the run %s, %s in the run %s, and does not name the place", name, short(s.Value),
					side, with, there)))
		}
		if !has {
			if refs, is := to.absence(name); is {
				absent = append(absent, absentSlot{name, refs})
			}
		}
	}
	if absent == nil {
		return
	}
	t := to.Res.Trace
	reach = t.Reach(other.leaves(t))
	for _, a := range absent {
		if !slices.ContainsFunc(a.refs, func(r provenance.Ref) bool { return reach(r) != provenance.Not }) {
			c.Violations = append(c.Violations,
				Violation(fmt.Sprintf("%s is there in the run %s; its absence in the run %s does not name the place", a.name, side,
					there)))
		}
	}
}

type absentSlot struct {
	name string
	refs []provenance.Ref
}

// absence is what the absence of an attribute depends on, if it is one of a resource that is there.
func (v *View) absence(name string) (refs []provenance.Ref, is bool) {
	rest, ok := strings.CutPrefix(name, "attribute ")
	if !ok {
		return nil, false
	}
	i := strings.LastIndex(rest, "] ")
	ref, attr := rest[:i+1], rest[i+2:]
	if _, exists := v.Slots["resource "+ref]; !exists {
		return nil, false
	}
	typ, title, _ := strings.Cut(ref[:len(ref)-1], "[")
	return v.Res.Record().Absent(v.Res.Catalog.Resource(typ, title), attr), true
}

// order: resources whose position lacks the place in both runs keep their relative order.
func (c *comparison) order(before, after *View) {
	free := func(list []string) (out []string) {
		for _, r := range list {
			a, inA := before.at[r]
			b, inB := after.at[r]
			if inA && inB && !a.names(c.was) && !b.names(c.is) {
				out = append(out, r)
			}
		}
		return out
	}
	x, y := free(before.order), free(after.order)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			c.Violations = append(c.Violations,
				Violation(fmt.Sprintf("the order changed without naming the place: %s stands where %s stood", y[i], x[i])))
			return
		}
	}
}

// Refused holds a run that failed when all its code had been evaluated against the theorem: its catalog was made, and
// refused, say for a relationship with a resource that is not in it. Which resources and variables there are is settled
// then. Of any other failing run nothing can be said: nobody knows how it would have gone on.
func Refused(before *View, res *eval.Result, p *Place) *Result {
	c := &comparison{Result: Result{Changed: map[string]bool{}}}
	if _, evaluated := res.Declared("Class", "main"); !evaluated {
		return &c.Result
	}
	c.was = before.Res.Trace.Reach(p.Was.leaves(before.Res.Trace))
	after := &View{Res: res, Slots: map[string]Slot{}}
	after.variables()
	gone := map[string]bool{}
	for _, r := range before.Res.Catalog.Resources {
		there, _ := res.Declared(r.Type, r.Title)
		gone[r.Ref()] = !there
	}
	for name, s := range before.Slots {
		with := "is not there"
		if o, has := after.Slots[name]; has {
			with = "is " + short(o.Value)
		}
		if !settled(name, s, after, gone) {
			continue
		}
		c.Changed[name] = true
		if !s.names(c.was) {
			c.Violations = append(c.Violations,
				Violation(fmt.Sprintf("%s, %s in the run before, %s in the run after, whose catalog is refused, and does not "+
					"name the place", name, short(s.Value), with)))
		}
	}
	sort.Slice(c.Violations, func(i, j int) bool { return c.Violations[i] < c.Violations[j] })
	return &c.Result
}

// settled reports whether a slot is another in a run whose catalog was refused: a variable, or anything about resources
// that are not there.
func settled(name string, s Slot, after *View, gone map[string]bool) bool {
	kind, of, _ := strings.Cut(name, " ")
	switch kind {
	case "variable":
		o, has := after.Slots[name]
		return !has || o.Value != s.Value
	case "edge":
		from, to, _ := strings.Cut(of, "] -> ")
		return gone[from+"]"] || gone[to]
	case "attribute":
		return gone[of[:strings.LastIndex(of, "] ")+1]]
	}
	return gone[of]
}

// Fails holds a failing run against the theorem: what it depends on has the place.
func Fails(res *eval.Result, p *Place) (v Violation, ok bool) {
	if res.Trace.Reach(p.Is.leaves(res.Trace))(res.FailureRef) != provenance.Not {
		return "", true
	}
	return Violation("the failure does not name the place: " + short(res.Failure.Summary)), false
}
