package fleet

import (
	"context"
	"errors"
	"strings"
	"sync"

	"bunraku/budget"
	"bunraku/diff"
	"bunraku/judge"
	"bunraku/verify"
	"bunraku/verify/model"
)

// Consequences ask what a run does to machines that have the old catalog (judge.After). Most nodes of a fleet are like
// others: a pair of catalogs of which the same can be said is asked about once.
type Consequences struct {
	Judge *judge.Judge
	known sync.Map // likeness of a pair → []diff.Effect
}

// Of is what a run of the new catalog does.
func (c *Consequences) Of(ctx context.Context, old, new judge.Suspect) ([]diff.Effect, error) {
	key, err := c.Judge.PairLikeness(old, new)
	if err != nil {
		return nil, err
	}
	if e, ok := c.known.Load(key); ok {
		return e.([]diff.Effect), nil
	}
	u, reason, err := c.Judge.After(ctx, old, new)
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
	c.known.Store(key, out)
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
	if len(u.Open) > 0 {
		add(diff.EffectNotKnown, "whether "+strings.Join(u.Open[:1], "")+", which was taken for true")
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
