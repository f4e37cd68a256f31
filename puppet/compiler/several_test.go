package compiler

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"bunraku/internal/mutate"
	"bunraku/puppet/eval"
	"bunraku/source"
)

// The promise holds for any number of changes at once: of two includes of one class neither takes it away alone, but
// both together do. So several places are changed together, too.

// together compiles with choices at several places: facts, data, and literals of one manifest. res is nil when the
// changed text is no program of the same shape.
func (l *lab) together(places []*mutate.Place, choices []int) (res *eval.Result, err error) {
	node := l.node
	edits := map[string][]int{} // by file, numbers of places
	for i, p := range places {
		if p.Fact == "" {
			edits[p.Path] = append(edits[p.Path], i)
			continue
		}
		f := *node.Facts
		f.Values = mutate.SetFact(f.Values, p.Fact, p.Val[choices[i]])
		node.Facts = &f
	}
	c, texts := l.clone(), map[string]string{}
	for path, list := range edits {
		text, err := l.text(path)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b int) int { return int(places[b].Span.Start) - int(places[a].Span.Start) })
		for _, i := range list {
			text = places[i].Apply(text, choices[i])
		}
		if places[list[0]].Kind != mutate.Manifest {
			texts[path] = text
			continue
		}
		changed, reason := l.withManifest(path, text)
		if reason != "" {
			return nil, nil
		}
		c = changed
	}
	if len(texts) > 0 {
		if c.files, err = source.NewOverlay(l.base.files, texts); err != nil {
			return nil, err
		}
		c.lookup = c.Hiera(l.base.set.Strict)
	}
	return c.compile(context.Background(), node)
}

// tryTogether changes 2 to 5 places at once, chosen at random, n times.
func (c *tally) tryTogether(l *lab, used []*mutate.Place, n int, r *rand.Rand) error {
	fits := slices.DeleteFunc(slices.Clone(used), func(p *mutate.Place) bool {
		return p.Kind == mutate.EPP || p.Kind == mutate.ERB || p.Kind == mutate.Node || p.Kind == mutate.Insertion ||
			p.Fact == "" && p.Path == "" || len(p.Beside) > 0 || p.Choices() == 0
	})
	if len(fits) < 2 {
		return nil
	}
	for range n {
		manifest := ""
		var places []*mutate.Place
		var choices []int
		for tries := 0; len(places) < 2+r.IntN(4) && tries < 20; tries++ {
			p := fits[r.IntN(len(fits))]
			overlaps := slices.ContainsFunc(places, func(o *mutate.Place) bool {
				return o.Path == p.Path && o.Fact == p.Fact &&
					(o.Fact != "" || o.Span.Start < p.Span.End && p.Span.Start < o.Span.End)
			})
			// One literal of a manifest at most: an include that is led to another class, together with a literal of that
			// class, is a change that the promise does not cover (docs/explain.md).
			if overlaps || p.Kind == mutate.Manifest && manifest != "" {
				continue
			}
			if p.Kind == mutate.Manifest {
				manifest = p.Path
			}
			places, choices = append(places, p), append(choices, r.IntN(p.Choices()))
		}
		if len(places) < 2 {
			continue
		}
		if err := c.checkTogether(l, places, choices); err != nil {
			return err
		}
	}
	return nil
}

func (c *tally) checkTogether(l *lab, places []*mutate.Place, choices []int) error {
	res, err := l.together(places, choices)
	if err != nil || res == nil {
		return err
	}
	all := mutate.Together(places)
	kind := l.kind + ": " + string(all.Kind)
	c.mutations[kind]++
	var bad []mutate.Violation
	if res.Failure != nil {
		c.failing[kind]++
		if res.Trace == nil {
			return nil
		}
		if v, ok := mutate.Fails(res, all); !ok {
			bad = append(bad, v)
		}
	} else {
		view, err := mutate.Look(res)
		if err != nil {
			return err
		}
		r := mutate.Compare(l.view, view, all)
		if bad = r.Violations; len(r.Changed) == 0 && r.New == 0 {
			c.same[kind]++
		}
	}
	if len(bad) == 0 {
		return nil
	}
	c.violating++
	var what []string
	for i, p := range places {
		text, _ := l.text(p.Path)
		what = append(what, strings.ReplaceAll(p.Describe(text, choices[i]), l.dir+"/", ""))
	}
	c.violations = append(c.violations, fmt.Sprintf("%s: %s: %s", l.name, strings.Join(what, " and "), bad[0]))
	return nil
}
