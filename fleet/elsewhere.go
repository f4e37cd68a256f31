package fleet

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/source"
	"bunraku/source/git"
)

// A directory that is compared is seen in the place of the environment, so that everything has the same path on both
// sides. What its code finds beside it (../data, a link out of it) must be seen there, too. The two may lie deep in
// trees that are made alike, old/environments/prod and new/environments/prod: then it is the trees that are compared,
// old in the place of new, and all that lies in them moves along.
//
// Outside of the trees a name that was made of ../ would lead to two places, and one that was written as an absolute
// path only to one. If the trees lie beside each other it is the same place. If not, nobody can tell which one is
// meant, and what is there is refused. What flags name is where they say.

// elsewhere is the state of a directory, and the place of the tree that it has of its own.
func (r *Revisions) elsewhere(dir string) (files source.Files, tree string) {
	own := environment.Disk(dir, r.opt)
	if real, err := own.Real(dir); err == nil { // as the environment is: neighbours are where it really lies
		dir = real
	}
	if repo, err := git.Open(dir, git.Options{Roots: own.Roots()}); err == nil { // as of the environment (NewRevisions)
		own = own.With(repo.WorkTree())
		repo.Close()
	}
	tree, other := r.env, dir
	for tree != other && path.Base(tree) == path.Base(other) {
		tree, other = path.Dir(tree), path.Dir(other)
	}
	var under source.Files = r.disk
	if path.Dir(tree) != path.Dir(other) {
		under = &between{r.disk, own, r.env, dir}
	}
	files = source.NewLayers(under, append([]source.Layer{{At: tree, Files: own, Dir: other}}, r.under(false)...)...)
	var named []source.Layer
	for _, at := range r.givenPlaces() {
		if !inDir(r.env, at) {
			named = append(named, source.Layer{At: at, Files: r.disk, Dir: at})
		}
	}
	return source.NewLayers(files, named...), tree
}

// givenPlaces are where data and modules are that flags name, as absolute paths.
func (r *Revisions) givenPlaces() (places []string) {
	places = slices.Concat(r.given.Data, r.opt.ModulePath, r.opt.BaseModulePath)
	if r.given.Hiera != "" {
		places = append(places, r.given.Hiera)
		places = append(places, DataPlaces(r.disk, source.Absolute(r.given.Hiera))...)
	}
	for i, at := range places {
		places[i] = source.Absolute(at)
	}
	return places
}

// between is what lies around two directories that do not lie alike: what may be another thing for each is refused.
type between struct {
	source.Files
	there    source.Files // as who is in the other directory sees it
	env, dir string
}

// meant is the error of a path of which nobody can tell what it means.
func (b *between) meant(p string) error {
	at, dir := b.env, b.dir
	for !inDir(at, p) {
		at, dir = path.Dir(at), path.Dir(dir)
	}
	other := path.Join(dir, strings.TrimPrefix(p, at))
	if at == "/" || other == p {
		return nil
	}
	_, here := b.Files.Stat(p)
	_, there := b.there.Stat(other)
	if errors.Is(here, fs.ErrNotExist) && errors.Is(there, fs.ErrNotExist) {
		return nil
	}
	return &source.Refused{Path: p, Why: "lies beside " + b.env + ", and beside " + b.dir + " may lie another one: " +
		"compare directories that lie alike, or name it with --datadir or --modulepath"}
}

// Read implements source.Files.
func (b *between) Read(p string) (source.Content, error) {
	if err := b.meant(p); err != nil {
		return source.Content{}, err
	}
	return b.Files.Read(p)
}

// Stat implements source.Files.
func (b *between) Stat(p string) (source.Info, error) {
	if err := b.meant(p); err != nil {
		return source.Info{}, err
	}
	return b.Files.Stat(p)
}

// List implements source.Files.
func (b *between) List(p string) ([]source.Entry, error) {
	if err := b.meant(p); err != nil {
		return nil, err
	}
	return b.Files.List(p)
}

// Link implements source.Files.
func (b *between) Link(p string) (string, error) {
	if err := b.meant(p); err != nil {
		return "", err
	}
	return b.Files.Link(p)
}

// Confirm implements source.Live.
func (b *between) Confirm() error {
	for _, f := range []source.Files{b.Files, b.there} {
		if live, is := f.(source.Live); is {
			if err := live.Confirm(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fresh implements source.Live.
func (b *between) Fresh() source.Files {
	fresh := func(f source.Files) source.Files {
		if live, is := f.(source.Live); is {
			return live.Fresh()
		}
		return f
	}
	return &between{fresh(b.Files), fresh(b.there), b.env, b.dir}
}

// Real implements source.Files.
func (b *between) Real(p string) (string, error) {
	if err := b.meant(p); err != nil {
		return "", err
	}
	return b.Files.Real(p)
}

// inDir reports whether a path is a directory or lies in it.
func inDir(dir, p string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
