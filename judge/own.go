package judge

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/record"
	"bunraku/source"
	"bunraku/verify/model"
)

// OwnCode tells the files that are the user's to edit: those below the environment, unless a Puppetfile brings the
// module that they belong to, which would overwrite them. Without an environment there is nothing to tell them by, and
// all are.
func OwnCode(env string) func(file string) bool {
	if env == "" {
		return nil
	}
	view := source.NewDir(source.DirOptions{Roots: []string{env}})
	root := realPath(view, env)
	if info, err := view.Stat(root); err == nil && !info.IsDir() {
		root = filepath.Dir(root)
	}
	brought := environment.Puppetfile(view, root)
	return func(file string) bool {
		var outside *source.Refused
		if _, err := view.Real(source.Absolute(file)); errors.As(err, &outside) {
			return false // a link leads there
		}
		rel, err := filepath.Rel(root, realPath(view, file))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return false
		}
		for _, dir := range brought {
			if strings.HasPrefix(filepath.ToSlash(rel), dir+"/") {
				return false
			}
		}
		return true
	}
}

// realPath is a path without links; the path itself if that cannot be told.
func realPath(view source.Files, path string) string {
	path = source.Absolute(path)
	if to, err := view.Real(path); err == nil {
		return to
	}
	return path
}

// beside finds, for every resource that a finding is shown at and that somebody else's code declares, where the user's
// own code brings it in: the innermost class, define or node on the way to it.
func (j *Judge) beside(findings []model.Finding, rec *record.Record) map[*catalog.Resource]source.Place {
	if j.opt.Own == nil || rec == nil {
		return nil
	}
	out := map[*catalog.Resource]source.Place{}
	add := func(r *catalog.Resource) {
		if !r.Place.Known() || j.opt.Own(r.Place.File.Name) {
			return
		}
		for _, s := range slices.Backward(rec.Via(r)) {
			if s.Place.Known() && j.opt.Own(s.Place.File.Name) {
				out[r] = s.Place
				return
			}
		}
	}
	for _, f := range findings {
		if f.Fix != nil {
			add(f.Fix.Resource)
		}
		if len(f.Resources) > 0 {
			add(f.Resources[0])
		}
	}
	return out
}
