package judge

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/verify"
	"bunraku/verify/model"
)

// After says what a run of a catalog does to a machine that has another one. The reason is not "" if that cannot be
// said: no agent applies one of the two.
func (j *Judge) After(ctx context.Context, old, new Suspect) (u *model.Upgrade, reason string, err error) {
	platform := new.Platform
	if j.opt.Platform != "" {
		platform = j.opt.Platform
	}
	sides := [2]model.Side{}
	for i, s := range []Suspect{old, new} {
		g := catalog.NewGraph(s.Catalog, model.Types{Lookup: s.Types})
		which := [...]string{"the old catalog", "the new catalog"}[i]
		if len(g.Missing) > 0 && (g.Missing[0].Open || s.Unsure) {
			return nil, which + " has a relationship to what is not known", nil
		}
		if len(g.Missing) > 0 {
			return nil, which + " has a relationship to what is not there: " + g.Missing[0].Message(), nil
		}
		if len(g.Cycles()) > 0 {
			return nil, which + " has a cycle", nil
		}
		sides[i] = model.Side{Graph: g, Source: sourceSum(s.Modules)}
	}
	lists, err := j.borrow(platform)
	if err != nil {
		return nil, "", err
	}
	opt := j.modelOptions(platform, lists, model.Types{Lookup: new.Types})
	opt.Shown = slices.Concat(shownTo(old), shownTo(new))
	search := verify.DefaultOptions()
	search.Solver = j.opt.Solver
	model.Within(ctx, j.opt.Budget, &opt, &search)
	ask := &search
	if !j.opt.Everywhere {
		ask = nil
	}
	u, err = model.After(ctx, sides[0], sides[1], opt, ask)
	j.giveBack(platform, lists)
	return u, "", err
}

// sourceSum tells apart what files of modules hold.
func sourceSum(env *environment.Environment) func(url string) string {
	if env == nil {
		return nil
	}
	return func(url string) string {
		name, is := strings.CutPrefix(url, moduleFile)
		if !is {
			return ""
		}
		at := sourcePath(env, name)
		if at == "" {
			return ""
		}
		text, err := env.Files().Read(at)
		if err != nil {
			return ""
		}
		sum := sha256.Sum256([]byte(text.Text))
		return fmt.Sprintf("%x", sum[:8])
	}
}
