package judge

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/resource"
	"bunraku/source"
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
		sides[i] = model.Side{Graph: g, Source: served(s.Modules)}
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

// served says what the files of modules are that sources of files name; nil for what may be somewhere else, and for
// what is read only in part.
func served(env *environment.Environment) func(url string) *model.Served {
	if env == nil {
		return nil
	}
	return func(url string) *model.Served {
		from := resource.ReadSource(strings.TrimRight(url, "/"))
		if from.Module == "" || from.Server != "" || from.Dir != "files" {
			return nil
		}
		at, known := sourceAt(env, from.Module)
		if !known {
			return nil
		}
		if at == "" {
			return &model.Served{}
		}
		info, err := env.Files().Stat(at)
		if err == nil && !info.IsDir() {
			text, err := env.Files().Read(at)
			if err != nil {
				return nil
			}
			return &model.Served{Kind: model.PlainFile, Text: text.Text}
		}
		out := &model.Served{Kind: model.Directory, Below: map[string]model.Served{}}
		if err == nil {
			err = source.Walk(env.Files(), at, func(p string, e source.Entry) bool {
				x := model.Served{Kind: model.PlainFile}
				switch {
				case e.Link:
					x.Kind = model.Symlink
					if real, err := env.Files().Real(p); err == nil {
						x.Text, _ = filepath.Rel(at, real)
					}
				case e.IsDir():
					x.Kind = model.Directory
				default:
					text, failed := env.Files().Read(p)
					if x.Text = text.Text; failed != nil {
						out = nil
						return false
					}
				}
				if out != nil {
					out.Below[strings.TrimPrefix(p, at+"/")] = x
				}
				return true
			})
		}
		if err != nil {
			return nil
		}
		return out
	}
}
