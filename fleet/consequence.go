package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"bunraku/budget"
	"bunraku/diff"
	"bunraku/judge"
	"bunraku/verify"
	"bunraku/verify/model"
)

// Consequences ask what a run does to machines that have the old catalog (judge.After), and what verify finds of one
// of the two catalogs only. Most nodes of a fleet are like others: a pair of catalogs of which the same can be said is
// asked about once.
type Consequences struct {
	Judge *judge.Judge
	known sync.Map // likeness of a pair → []diff.Effect
	found sync.Map // likeness of a real node's catalog → verdict
}

// sides are the catalogs of one node.
type sides struct {
	old, new judge.Suspect
	invented *Invention // nil for a real node
	partial  bool       // one of the catalogs may lack something
}

// Of is what a run of the new catalog does, and what is found of one of them.
func (c *Consequences) Of(ctx context.Context, p sides) ([]diff.Effect, error) {
	key := c.Judge.PairLikeness(p.old, p.new)
	if p.invented != nil { // what may be said of it hangs on what was invented
		key += p.invented.Title()
	}
	if p.partial {
		key += " partial"
	}
	if e, ok := c.known.Load(key); ok {
		return e.([]diff.Effect), nil
	}
	u, reason, err := c.Judge.After(ctx, p.old, p.new)
	if spent := (*budget.Exceeded)(nil); errors.As(err, &spent) {
		reason, err = "the budget is spent: "+spent.Error(), nil
	}
	if err != nil {
		return nil, err
	}
	var out []diff.Effect
	if reason != "" {
		out = []diff.Effect{{Kind: diff.EffectNotKnown, Text: reason}}
	} else {
		out = effects(u)
	}
	if !p.partial {
		news, err := c.news(ctx, p)
		if err != nil {
			return nil, err
		}
		out = append(out, news...)
	}
	c.known.Store(key, out)
	return out, nil
}

// news are what verify finds of one of the catalogs only. A claim about both needs a verdict about both: what is found
// of a catalog after one that could not be judged in full may not be new, and what is not found of a catalog that could
// not be judged in full may still be there.
func (c *Consequences) news(ctx context.Context, p sides) (out []diff.Effect, err error) {
	old, new := c.Judge.Likeness(p.old), c.Judge.Likeness(p.new)
	if old == new && p.invented == nil { // whatever is found is found of both
		return nil, nil
	}
	was, err := c.verdict(ctx, p.old, old, p.invented)
	if err != nil {
		return nil, err
	}
	is, err := c.verdict(ctx, p.new, new, p.invented)
	if err != nil {
		return nil, err
	}
	for _, text := range slices.Sorted(maps.Keys(is.found)) {
		if was.found[text] == "" {
			if !was.full(is.found[text]) {
				text += " (it may have been there before: the old catalog could not be judged in full)"
			}
			out = append(out, diff.Effect{Kind: diff.EffectFinds, Text: text})
		}
	}
	for _, text := range slices.Sorted(maps.Keys(was.found)) {
		if is.found[text] == "" && is.full(was.found[text]) {
			out = append(out, diff.Effect{Kind: diff.EffectMends, Text: text})
		}
	}
	return out, nil
}

// A verdict is what verify finds of a catalog, in words that are the same for the same finding on both sides.
type verdict struct {
	found   map[string]string // with their codes; none has an empty one
	blocked bool              // no agent applies it: nothing else was looked at
	decided bool              // as far as there are models, everything was
	failing bool              // a run fails: what a second one does was not looked at
}

// full reports whether a finding of a code would have been found if there were one.
func (v verdict) full(code string) bool {
	if strings.HasPrefix(code, "C") { // of what an agent refuses, without a model
		return true
	}
	return !v.blocked && v.decided && !(v.failing && strings.HasPrefix(code, "V2"))
}

// verdict is that of a catalog, whose likeness is the key.
func (c *Consequences) verdict(ctx context.Context, s judge.Suspect, key string, invented *Invention) (out verdict,
	err error) {
	if known, ok := c.found.Load(key); ok && invented == nil {
		return known.(verdict), nil
	}
	v, err := c.Judge.Judge(ctx, s)
	if spent := (*budget.Exceeded)(nil); errors.As(err, &spent) {
		return verdict{}, nil
	}
	if err != nil {
		return out, err
	}
	if invented != nil {
		unsay(&Checked{Compiled: Compiled{Catalog: s.Catalog, Invented: invented}, Verdict: v}, s.Catalog)
	} else {
		defer func() { c.found.Store(key, out) }()
	}
	out = verdict{found: map[string]string{}, blocked: len(v.Blocked) > 0, decided: v.Report != nil && !v.Report.TooLong}
	for _, d := range slices.Concat(v.Blocked, v.Refused) {
		out.found[d.Code+" "+d.Summary] = d.Code
	}
	if v.Report == nil {
		return out, nil
	}
	for _, f := range v.Report.Findings {
		words := []string{f.About}
		if f.About == "" {
			words = nil
		}
		for _, x := range f.Resources {
			words = append(words, x.Ref())
		}
		out.found[f.Code+" "+f.Title+": "+strings.Join(words, ", ")] = f.Code
		out.failing = out.failing || f.Code == "V102"
	}
	return out, nil
}

// effects are what the changes of a comparison do not say themselves.
func effects(u *model.Upgrade) (out []diff.Effect) {
	add := func(k diff.EffectKind, text string) { out = append(out, diff.Effect{Kind: k, Text: text}) }
	kinds := map[model.Verb]diff.EffectKind{model.Refreshes: diff.EffectRestarts, model.Starts: diff.EffectStarts,
		model.Stops: diff.EffectStops, model.Runs: diff.EffectRuns, model.Installs: diff.EffectInstalls,
		model.Removes: diff.EffectRemoves}
	for _, a := range u.Acts {
		kind, told := kinds[a.Verb]
		switch {
		case a.Verb == model.Purges:
			for _, p := range a.What {
				add(diff.EffectPurges, p)
			}
		case told && !a.Again:
			add(kind, a.Resource.Ref()+roughly(a))
		}
	}
	for _, f := range u.Failed {
		if !f.Again {
			add(diff.EffectFails, f.Resource.Ref()+": "+f.Why)
		}
	}
	for _, r := range u.Left {
		add(diff.EffectLeaves, r.Ref())
	}
	for _, n := range u.Rough {
		add(diff.EffectNotKnown, "what "+n.Resource.Ref()+" does")
	}
	if u.Runs == 0 {
		add(diff.EffectNotKnown, "the old catalog does not come to rest: what is said follows its third run from a fresh machine")
	}
	for _, what := range u.Open {
		add(diff.EffectTaken, what)
	}
	return out
}

// roughly marks what may not happen. That a package comes or goes is sure even if what it brings is not known.
func roughly(a model.Act) string {
	if a.Exact == verify.Exact || a.Resource.Type == "Package" {
		return ""
	}
	return " (modelled only roughly)"
}
