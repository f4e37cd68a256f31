package explain

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// missed are the collectors, and calls of realize, that code of this node has and that did not ask for a virtual
// resource.
func (rec *Record) missed(n catalog.Name) (out []Spot) {
	if rec.Code == nil {
		return nil
	}
	var left []source.Place // code that was passed over
	for _, b := range rec.Passed {
		for _, s := range rec.statementsAt(b.Place) {
			left = append(left, source.Place{File: b.Place.File, Span: s.Span()})
		}
	}
	for _, f := range rec.Code.Containing(n.Type, rec.modules()) {
		look := func(stmts []syntax.Expr) {
			for u := range outline.Uses(stmts, rec.Code.Effect) {
				if u.Kind != outline.Declares || !u.Collected || u.Type != n.Type && (u.Type != "" || u.Verb == "" ||
					!strings.Contains(strings.ToLower(f.Source.Slice(u.At.Span())), strings.ToLower(n.Type))) {
					continue
				}
				if !slices.ContainsFunc(left, func(p source.Place) bool {
					return p.File.Name == f.Source.Name && p.Span.Contains(u.At.Span())
				}) {
					out = append(out, *rec.spot(source.Place{File: f.Source, Span: u.At.Span()}))
				}
			}
		}
		look(f.Body.Stmts)
		for _, d := range f.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				if rec.stateOf(d.Name) == "evaluated" {
					look(d.Body.Stmts)
				}
			case *syntax.Define:
				if rec.stateOf(d.Name) == "declared with other titles" {
					look(d.Body.Stmts)
				}
			}
		}
	}
	return out
}

// whyNotRelation says why nothing orders two resources: branches that were passed over and would.
func (rec *Record) whyNotRelation(from, to string, refresh bool) (*WhyNot, error) {
	f, err := rec.find(from)
	if err != nil {
		return nil, err
	}
	t, err := rec.find(to)
	if err != nil {
		return nil, err
	}
	w := &WhyNot{Version: 1, Node: rec.Catalog.Name, Resource: f.Ref() + " -> " + t.Ref(), Changed: rec.Changed,
		relation: true}
	if g := rec.graph(); g.Path(f, t, refresh) != nil || g.Within(f, t) != nil {
		w.Present = true
		return w, nil
	}
	for i, p := range rec.unordered(f, t) {
		w.Passed = append(w.Passed, rec.branch(p, i < rec.most(shownBranches)))
	}
	return w, nil
}

// unordered are the branches that were passed over and relate two resources: with an arrow between them, or an
// attribute of the one that names the other.
func (rec *Record) unordered(f, t *catalog.Resource) []Passed {
	return rec.passedWith(func(u outline.Use, text string) bool {
		if !slices.Contains(relating, u.Attr) {
			return false
		}
		return u.Type == f.Type && u.Name == f.Title && strings.Contains(text, t.Title) ||
			u.Type == t.Type && u.Name == t.Title && strings.Contains(text, f.Title)
	})
}

// passedWith are the branches that were passed over and set an attribute that fits.
func (rec *Record) passedWith(fits func(u outline.Use, text string) bool) (out []Passed) {
	if rec.Code == nil {
		return nil
	}
	for _, b := range rec.Passed {
		if slices.ContainsFunc(out, func(p Passed) bool { return p.Branch == b.Place }) {
			continue
		}
		for u := range outline.Uses(rec.statementsAt(b.Place), rec.Code.Effect) {
			if u.Kind != outline.Sets {
				continue
			}
			if text := b.Place.File.Slice(u.At.Span()); fits(u, text) {
				out = append(out, Passed{Branch: b.Place, In: b.In, Why: b.Why, Sure: true, Hops: []record.Stage{
					{Place: source.Place{File: b.Place.File, Span: u.At.Span()}, Text: oneLine(text, 60)}}})
				break
			}
		}
	}
	return out
}

// unset puts what decided against branches first that would have set an attribute of a resource by its name.
func (rec *Record) unset(list []Condition, r *catalog.Resource, attribute string) {
	front := 0
	for _, p := range rec.passedWith(func(u outline.Use, _ string) bool {
		return u.Type == r.Type && u.Name == r.Title && u.Attr == attribute
	}) {
		why := rec.conditions(p.Why)
		if len(why) == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(c Condition) bool { return c.At.String() == why[0].At.String() })
		if i >= front {
			c := list[i]
			copy(list[front+1:i+1], list[front:i])
			list[front] = c
			front++
		}
	}
}

var relating = []string{"before", "notify", "require", "subscribe"}
