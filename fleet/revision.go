package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/source"
	"bunraku/source/git"
)

// Revisions are the states of a tree that can be compared: commits, the work tree, other directories. Each is seen at
// the work tree's own path, so that everything which code can ask about paths is answered as in a checkout.
type Revisions struct {
	Repo *git.Repo // nil if the tree is in no repository

	env       string // absolute
	disk      *source.Dir
	head      *git.Tree
	ignored   []string        // what Puppet reads and git ignores: it lies under every revision
	looked    map[string]bool // directories that were looked at for that
	untracked []string        // what flags name and no revision has: it lies under every one, too
	given     Given
	bare      bool // the repository has no work tree
	opt       environment.Options
}

// Given is what flags name besides the environment.
type Given struct {
	With  []string // directories whose files lie under every side
	Hiera string   // the global hiera.yaml; "" for none
	Data  []string // directories of Hiera's data
}

// A Revision is one state.
type Revision struct {
	Title string // for people
	Files source.Files
	Tree  *git.Tree // of a commit
	Lent  []string  // submodules whose files are those of the work tree

	own        string            // where that lies which the state has of its own, and no other one
	submodules map[string]git.ID // of a commit, by the directory, with the commits that they stand at
}

// Has reports whether a file or directory is there in a state, and is the state's own: of the repository, or of the
// tree that is compared, and not of what all states have from one place.
func (r *Revision) Has(at string) bool {
	_, err := r.Files.Stat(at)
	return err == nil && (r.Commits(at) || r.Tree == nil && inDir(r.own, at))
}

// Commits reports whether a directory is part of a commit that the state shows.
func (r *Revision) Commits(dir string) bool {
	if r.Tree == nil {
		return false
	}
	_, err := r.Tree.Stat(dir)
	return err == nil
}

// WorkTree is the name of the state that is on the disk.
const WorkTree = "the work tree"

// NewRevisions opens the repository that an environment is in. disk is a view of what the user named of the machine's
// files. A commit is all of the repository; so that the work tree and what git ignores are no less, these may be read
// in all of it, too.
func NewRevisions(env string, disk *source.Dir, opt environment.Options, given Given) (*Revisions, error) {
	r := &Revisions{env: source.Absolute(env), disk: disk, given: given, opt: opt}
	dir := r.env
	if info, err := disk.Stat(dir); err != nil {
		return nil, source.Named(err, dir, env)
	} else if !info.IsDir() {
		dir = path.Dir(dir)
	}
	repo, err := git.Open(dir, git.Options{Roots: disk.Roots()})
	if errors.Is(err, git.ErrNoRepository) && isBare(disk, dir) {
		repo, err = git.OpenAt(dir, git.Options{Roots: disk.Roots()})
		r.bare = err == nil
	}
	if errors.Is(err, git.ErrNoRepository) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if r.Repo = repo; r.bare {
		return r, nil
	}
	r.disk = disk.With(repo.WorkTree())
	if r.head, err = repo.Tree("HEAD", repo.WorkTree()); err != nil {
		return r, nil // there is no commit yet
	}
	r.findIgnored(r.disk)
	return r, r.head.Confirm()
}

// Home is a path by the name that it has in the repository, if links of the machine lead there from elsewhere.
func (r *Revisions) Home(p string) string {
	if r.Repo == nil || r.bare {
		return p
	}
	return cmp.Or(r.disk.Enters(r.Repo.WorkTree(), p), p)
}

// Submodule is what a side says of a directory that is one, whose files are in another repository and not at hand; ""
// if it is none.
func (r *Revision) Submodule(dir string) string {
	var sub *git.Submodule
	if r.Tree == nil {
		return ""
	}
	if _, err := r.Tree.List(dir); !errors.As(err, &sub) {
		return ""
	}
	if list, err := r.Files.List(dir); err == nil && len(list) > 0 {
		return "" // they are lent
	}
	return sub.Error()
}

// Lend lays what git has not got under the commits that are compared. What git ignores of either side lies under both,
// and so does what flags name and neither has.
// If the other side is the work tree, submodules do, as they are checked out or not: a commit has only their names, and
// what both sides have would be taken for new. How they changed is not seen then.
func (r *Revisions) Lend(old, new *Revision) {
	r.findUntracked(old, new)
	for _, side := range []*Revision{old, new} {
		if side.Tree == nil {
			continue
		}
		var lent []source.Layer
		for _, dir := range slices.Sorted(maps.Keys(side.submodules)) {
			list, err := r.disk.List(dir)
			if r.bare || old.Title != WorkTree && new.Title != WorkTree || err != nil {
				continue
			}
			if len(list) > 0 {
				side.Lent = append(side.Lent, dir)
			}
			lent = append(lent, source.Layer{At: dir, Files: r.disk, Dir: dir})
		}
		side.Files = r.over(side.Tree, lent...)
	}
}

// over is a commit with what lies under it.
func (r *Revisions) over(tree *git.Tree, lent ...source.Layer) source.Files {
	own := source.Layer{At: source.Absolute(r.Repo.WorkTree()), Files: tree, Dir: r.Repo.WorkTree()}
	return source.NewLayers(r.disk, slices.Concat([]source.Layer{own}, lent, r.under(true))...)
}

// isBare reports whether a directory looks like a repository without a work tree.
func isBare(disk source.Files, dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if !source.Exists(disk, path.Join(dir, name)) {
			return false
		}
	}
	return true
}

// Close gives back what is held open.
func (r *Revisions) Close() {
	if r.Repo != nil {
		r.Repo.Close()
	}
}

// Ignored are the files and directories that are used on every side although git does not have them. Those that one of
// some sides has itself are left out: git may ignore them by now.
func (r *Revisions) Ignored(but ...*Revision) []string {
	return r.seen(slices.DeleteFunc(slices.Clone(r.ignored), func(at string) bool {
		return slices.ContainsFunc(but, func(side *Revision) bool { return side.Commits(at) })
	}))
}

// Untracked are those that flags name, and that git does not have although it does not ignore them.
func (r *Revisions) Untracked() []string { return r.seen(r.untracked) }

// seen are paths as seen from the environment.
func (r *Revisions) seen(paths []string) (out []string) {
	for _, dir := range paths {
		rel, err := filepath.Rel(r.env, dir)
		if err != nil {
			rel = dir
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// under are the layers that lie below a side.
func (r *Revisions) under(ignored bool) (layers []source.Layer) {
	if ignored {
		for _, dir := range slices.Concat(r.ignored, r.untracked) {
			layers = append(layers, source.Layer{At: dir, Files: r.disk, Dir: dir})
		}
	}
	for _, dir := range r.given.With {
		files := environment.Disk(dir, r.opt)
		layers = append(layers, source.Layer{At: r.env, Files: files, Dir: source.Absolute(dir)})
	}
	return layers
}

// emptyTree is how git calls a tree without files, which need not be there.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Open opens a state by its name: "" is the work tree, then a revision of git, then a directory.
func (r *Revisions) Open(name string) (*Revision, error) {
	if name == "" || name == WorkTree {
		if r.bare {
			return nil, fmt.Errorf("%s is a bare repository, and has no work tree to compare: say --to REV", r.env)
		}
		out := &Revision{Title: WorkTree, Files: r.disk, own: r.env}
		if r.Repo != nil {
			out.own = r.Repo.WorkTree()
		}
		if len(r.given.With) > 0 {
			own := source.Layer{At: r.env, Files: r.disk, Dir: r.env}
			out.Files = source.NewLayers(r.disk, append([]source.Layer{own}, r.under(false)...)...)
		}
		return out, nil
	}
	if name == emptyTree {
		return nil, fmt.Errorf("%s is git's empty tree: there is nothing to compare with", name)
	}
	var failed error
	if r.Repo != nil && !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") && !filepath.IsAbs(name) {
		tree, err := r.Repo.Tree(name, r.Repo.WorkTree())
		if err == nil {
			title := short(tree.Commit())
			if !strings.HasPrefix(tree.Commit().String(), name) {
				title = name + " (" + title + ")"
			}
			return r.commit(title, tree)
		}
		failed = err
	}
	dir := source.Absolute(name)
	if info, err := environment.Disk(dir, r.opt).Stat(dir); err != nil || !info.IsDir() {
		switch {
		case errors.Is(failed, git.ErrUnknown):
			return nil, fmt.Errorf("%w, nor a directory", failed)
		case failed != nil:
			return nil, failed
		case r.Repo == nil:
			return nil, fmt.Errorf("%s is no directory, and %s is in no git repository", name, r.env)
		}
		return nil, fmt.Errorf("%s is neither a revision nor a directory", name)
	}
	files, own := r.elsewhere(dir)
	return &Revision{Title: name, Files: files, own: own}, nil
}

// commit is the state of a commit.
func (r *Revisions) commit(title string, tree *git.Tree) (*Revision, error) {
	probe, err := r.Repo.Tree(tree.Commit().String(), r.Repo.WorkTree()) // what it lacks, nobody may ask for
	if err != nil {
		return nil, err
	}
	links, submodules := probe.Others()
	for _, at := range links {
		r.findLinked(probe, at)
	}
	r.findIgnored(r.over(tree))
	return &Revision{Title: title, Files: r.over(tree), Tree: tree, submodules: submodules}, nil
}

// Base is where the branch that a revision (HEAD by default) is on left the main branch, and what it is called.
func (r *Revisions) Base(ctx context.Context, to string) (name, main string, err error) {
	if r.Repo == nil {
		return "", "", fmt.Errorf("%s is in no git repository; say what to compare with: --from DIR, or --from-catalog FILE"+
			" and --to-catalog FILE", r.env)
	}
	if to == "" {
		to = "HEAD"
	}
	if _, err := r.Repo.Resolve(to); err != nil {
		if to == "HEAD" {
			err = fmt.Errorf("%w; commit the files first, or say what to compare with: --from DIR", err)
		}
		return "", "", err
	}
	for _, main := range []string{"origin/HEAD", "origin/main", "origin/master", "origin/production", "main", "master",
		"production"} {
		if _, err := r.Repo.Resolve(main); err != nil {
			continue
		}
		name, err := r.Fork(ctx, main, to)
		return name, main, err
	}
	return "", "", errors.New("there is no branch main, master or production to compare with; say --from REV")
}

// Fork is where two revisions parted.
func (r *Revisions) Fork(ctx context.Context, main, to string) (name string, err error) {
	if r.Repo == nil {
		return "", fmt.Errorf("%s is in no git repository", r.env)
	}
	var ids [2]git.ID
	for i, rev := range []string{main, to} {
		if ids[i], err = r.Repo.Resolve(rev); err != nil {
			return "", err
		}
	}
	bases, err := r.Repo.MergeBase(ctx, ids[0], ids[1])
	if err != nil {
		return "", fmt.Errorf("where %s left %s cannot be found: %w; say --from REV, or fetch the whole history", to, main,
			err)
	}
	if len(bases) == 0 {
		return "", fmt.Errorf("%s and %s have nothing in common; say --from REV", to, main)
	}
	return bases[0].String(), nil
}

func short(id git.ID) string { return id.String()[:9] }

// Changed lists the files below some directories that are not the same in two states, as absolute paths. Files that git
// ignores are passed over where a commit is compared with the work tree.
func (r *Revisions) Changed(ctx context.Context, old, new *Revision, dirs []string) (paths []string, err error) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		if old.Tree != nil && new.Tree != nil {
			list, err := old.Tree.Changed(new.Tree, dir)
			if err != nil {
				return nil, err
			}
			for _, p := range list {
				seen[p] = true
			}
			continue
		}
		for _, side := range []*Revision{old, new} {
			if err := r.walk(ctx, side, []*Revision{old, new}, dir, func(p string) {
				if seen[p] || r.leadsAmong(old, new, p, dirs) {
					return
				}
				seen[p] = !equalFiles(old.Files, new.Files, p) || r.Modes(old, new) && !equalModes(old.Files, new.Files, p)
			}); err != nil {
				return nil, err
			}
		}
	}
	for p, changed := range seen {
		if changed {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// mostFacts bounds how many files of facts are read to see whether one of them differs.
const mostFacts = 1000

// Facts are where the facts of the environment lie in some states: links may lead there.
func (r *Revisions) Facts(sides ...*Revision) []string {
	dirs := []string{FactsDir(r.env)}
	for _, side := range sides {
		if at, err := side.Files.Real(dirs[0]); err == nil && !slices.Contains(dirs, at) && !inDir(at, r.env) {
			dirs = append(dirs, at)
		}
	}
	return dirs
}

// FactsChanged reports whether the environment has other facts in one state than in the other. Those of the work tree
// or of a directory are many and large, and no more than some are read: known is false if those are the same and there
// are others.
func (r *Revisions) FactsChanged(old, new *Revision) (changed, known bool) {
	dir := FactsDir(r.env)
	if old.Tree != nil && new.Tree != nil {
		for _, at := range r.Facts(old, new) {
			if list, err := old.Tree.Changed(new.Tree, at); err != nil || len(list) > 0 {
				return err == nil, err == nil
			}
		}
		return false, true
	}
	was, _ := old.Files.List(dir) // none if it is not there
	is, _ := new.Files.List(dir)
	if len(was) == 0 || len(is) == 0 {
		return false, true // there is one side that has them
	}
	if !slices.Equal(was, is) {
		return true, true
	}
	for i, e := range is {
		if i == mostFacts {
			return false, false
		}
		if !e.IsDir() && !equalFiles(old.Files, new.Files, filepath.Join(dir, e.Name)) {
			return true, true
		}
	}
	return false, true
}

// walk visits the files of a state, one of both, that may differ from the other one's. What git ignores it passes over,
// unless one of them has it: lines of a .gitignore say nothing of that.
func (r *Revisions) walk(ctx context.Context, side *Revision, both []*Revision, dir string,
	visit func(p string)) error {
	info, err := side.Files.Stat(dir)
	link, _ := side.Files.Link(dir)
	if err != nil || !info.IsDir() || link != "" {
		if err == nil {
			visit(dir)
		}
		return nil
	}
	facts := r.Facts(side)
	err = source.Walk(side.Files, dir, func(p string, e source.Entry) bool {
		known := func() bool { return both[0].Commits(p) || both[1].Commits(p) }
		switch {
		case ctx.Err() != nil || e.Name == ".git":
			return false
		case (slices.Contains(r.ignored, p) || slices.Contains(r.untracked, p)) && !known():
			return false
		case e.IsDir() && side.Submodule(p) != "": // its files are not at hand, which is told
			return false
		case slices.Contains(facts, p): // those of the new side count for both (FactsChanged)
			return false
		case side.Tree == nil && r.Repo != nil && r.Repo.Ignored(side.Files, p, e.IsDir() && !e.Link) && !known():
			return false
		case !e.IsDir() || e.Link:
			visit(p)
		}
		return true
	})
	return cmp.Or(ctx.Err(), err)
}

// equalFiles reports whether a path is the same in two views: a file, or a link and what it leads to.
func equalFiles(a, b source.Files, p string) bool {
	was, errWas := a.Link(p)
	is, errIs := b.Link(p)
	if errWas == nil && errIs == nil && was != is {
		return false
	}
	x, errX := a.Stat(p)
	y, errY := b.Stat(p)
	if errX != nil && errY != nil {
		return true // a link that leads nowhere, or where nobody may read
	}
	if errX != nil || errY != nil || x.Kind != y.Kind || x.Size != y.Size {
		return false
	}
	if x.IsDir() {
		was, errX := a.Real(p)
		is, errY := b.Real(p)
		return errX == nil && errY == nil && was == is || below(a, b, p) && below(b, a, p)
	}
	s, errX := a.Read(p)
	t, errY := b.Read(p)
	return errX == nil && errY == nil && s.Digest == t.Digest
}

// leadsAmong reports whether a path is the same link in two states, and leads to what is looked at by itself: below
// some directories. Then not the link has changed, but at most what it leads to.
func (r *Revisions) leadsAmong(old, new *Revision, p string, dirs []string) bool {
	was, errWas := old.Files.Link(p)
	is, errIs := new.Files.Link(p)
	if errWas != nil || errIs != nil || was == "" || was != is {
		return false
	}
	x, errX := old.Files.Real(p)
	y, errY := new.Files.Real(p)
	if errX != nil || errY != nil || x != y {
		return false
	}
	among := func(dir string) bool { return strings.HasPrefix(x, dir+"/") }
	return slices.ContainsFunc(dirs, among) && !slices.ContainsFunc(r.Facts(old, new), among)
}

// equalModes reports whether a path is a file on both sides that may be run, or may not, or is none on one of them.
func equalModes(a, b source.Files, p string) bool {
	x, errX := a.Stat(p)
	y, errY := b.Stat(p)
	return errX != nil || errY != nil || x.Exec == y.Exec
}

// Modes reports whether two states can be told apart by which files may be run. Where git was told that the work tree
// does not keep that, it says nothing.
func (r *Revisions) Modes(old, new *Revision) bool {
	return r.Repo == nil || r.Repo.KeepsModes() || old.Tree != nil && new.Tree != nil
}

// below reports whether all that one view has below a directory is the same in another one.
func below(a, b source.Files, dir string) bool {
	same := true
	err := source.Walk(a, dir, func(p string, e source.Entry) bool {
		same = same && (e.IsDir() || equalFiles(a, b, p))
		return same
	})
	return same && err == nil
}
