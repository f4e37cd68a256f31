// Package git reads git repositories: what a revision holds, as a view of files, and who last changed a line.
//
// It reads them itself, in process. The git program obeys configuration that the tree under its hands can bring along,
// and much of that configuration names programs to run (fsmonitor, textconv, filters, hooks, pagers, ssh commands).
// Here there is nothing to obey: of a configuration only the version of the format and the name of the hash are read,
// nothing names a program or another file, and nothing is ever written or fetched.
//
// What a repository says is never a permission either. Discovery starts at a directory that the user named and takes
// the nearest .git above it. A ".git" file that points elsewhere is followed only if the place that it points to
// points back (as it does for worktrees and submodules), or if the user named that place. Alternate object stores are
// read only below places that the user named. All other reading happens below the repository's own directory, which
// links cannot leave.
//
// Objects are untrusted: every one is bounded in size before memory is taken for it, every chain of deltas in length
// and in what it comes to, and the hash of what was read is compared with the name it was asked for by.
//
// It may import budget and source. Start reading at Open, then object.go (what is stored), view.go (a revision as
// source.Files) and blame.go.
package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"bunraku/source"
)

// Options say what the user allows.
type Options struct {
	// Roots are places that the user named: alternates and ".git" files may lead below them.
	Roots []string
	// MaxObject bounds the size of one object; 0 means 64 MiB.
	MaxObject int64
	// CacheBytes bounds what is kept of objects between questions; 0 means 64 MiB.
	CacheBytes int64
	// Lasting lets a view read as much as is asked of it, as long as it is used; else there is a bound for all of it.
	Lasting bool
}

// A Repo is an open repository. It may be used by any number of goroutines.
type Repo struct {
	work   string // the work tree's root
	common *door  // the directory with objects and refs
	own    *door  // the directory with HEAD: another one in a linked worktree
	format format
	opt    Options

	cache    *cache
	scan     sync.Mutex // of the directories of objects
	held     atomic.Pointer[stock]
	partial  bool // objects may be missing by design
	modeless bool // the work tree does not keep which files may be run
	sparse   bool // so may files of the work tree

	packedMu sync.Mutex
	packed   map[string]packedRef
	packedOf fs.FileInfo // the packed-refs that it was read of

	shallowOnce source.Once
	shallow     map[ID]bool
	shallowErr  error
}

// Ignored reports whether git passes over a path of the work tree that it does not know. files is a view of the work
// tree.
func (r *Repo) Ignored(files source.Files, name string, dir bool) bool {
	return source.Ignored(files, r.work, name, dir)
}

// A format is the hash that names objects.
type format struct {
	name string
	size int // in bytes
	new  func() hash.Hash
}

// ErrNoRepository says that a directory belongs to no repository.
var ErrNoRepository = errors.New("not in a git repository")

// Unsupported says that a repository uses something that is not read here.
type Unsupported struct{ Repository, What string }

func (u *Unsupported) Error() string { return u.Repository + ": " + u.What }

// Open opens the repository that a directory belongs to: the nearest .git at or above it. A directory that merely looks
// like a repository without being called .git is just files.
func Open(dir string, opt Options) (*Repo, error) {
	opt = opt.filled()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err == nil:
			return open(dir, info, opt)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, ErrNoRepository
		}
		dir = parent
	}
}

// OpenAt opens the repository that the user has named as one: a directory with a .git in it, or a bare repository,
// such as a mirror. What lies above it is not looked at.
func OpenAt(dir string, opt Options) (*Repo, error) {
	opt = opt.filled()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return open(dir, info, opt)
	}
	r := &Repo{work: dir, opt: opt, cache: newCache(opt.CacheBytes)}
	return r.enter(dir, dir)
}

// filled are the options with what is said by default.
func (o Options) filled() Options {
	if o.MaxObject <= 0 {
		o.MaxObject = 64 << 20
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	return o
}

func open(work string, info fs.FileInfo, opt Options) (*Repo, error) {
	r := &Repo{work: work, opt: opt, cache: newCache(opt.CacheBytes)}
	dotGit := filepath.Join(work, ".git")
	own, common := dotGit, dotGit
	var err error
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		if own, err = filepath.EvalSymlinks(dotGit); err != nil {
			return nil, err
		}
		if !inside(own, append([]string{work}, opt.Roots...)) {
			return nil, outside(dotGit, own)
		}
		common = own
	case info.Mode().IsRegular():
		if own, common, err = follow(dotGit, opt.Roots); err != nil {
			return nil, err
		}
	case !info.IsDir():
		return nil, &source.Refused{Path: dotGit, Why: "is neither a directory nor a regular file"}
	}
	return r.enter(own, common)
}

// enter opens what a repository consists of: the directory with its HEAD, and the one with objects and references.
func (r *Repo) enter(own, common string) (_ *Repo, err error) {
	if r.common, err = openDoor(common); err != nil {
		return nil, err
	}
	if r.own = r.common; own != common {
		if r.own, err = openDoor(own); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	if !r.own.holds("HEAD") || !r.common.holds("objects") || !r.common.holds("refs") {
		return nil, errors.Join(fmt.Errorf("%s is not a git repository", common), r.Close())
	}
	if err := r.configure(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// follow reads a .git file and finds the directory that it names, and the one that this shares with other work trees.
func follow(dotGit string, roots []string) (own, common string, err error) {
	work := filepath.Dir(dotGit)
	d, err := openDoor(work)
	if err != nil {
		return "", "", err
	}
	defer d.close()
	text, err := d.read(".git", 1<<14)
	if err != nil {
		return "", "", err
	}
	target, ok := strings.CutPrefix(string(text), "gitdir:")
	target = strings.TrimRight(strings.TrimLeft(target, " "), "\r\n")
	if !ok || target == "" || strings.ContainsAny(target, "\x00\n") {
		return "", "", fmt.Errorf("%s is not a git repository: it does not say gitdir: DIRECTORY", dotGit)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(work, target)
	}
	own, err = filepath.EvalSymlinks(target)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("%s names a directory that does not exist: %s", dotGit, target)
	}
	if err != nil {
		return "", "", err
	}
	named := inside(own, append([]string{work}, roots...))
	// A linked worktree: the target lies in REPOSITORY/worktrees/NAME and names this very .git file.
	if worktrees := filepath.Dir(own); filepath.Base(worktrees) == "worktrees" && (named || pointsBack(own, dotGit)) {
		return own, filepath.Dir(worktrees), nil
	}
	if !named && !worksAt(own, work) {
		return "", "", outside(dotGit, own)
	}
	return own, own, nil
}

// pointsBack reports whether a worktree's directory in its repository names the .git file.
func pointsBack(own, dotGit string) bool {
	d, err := openDoor(own)
	if err != nil {
		return false
	}
	defer d.close()
	text, err := d.read("gitdir", 1<<14)
	if err != nil {
		return false
	}
	back := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(back) {
		back = filepath.Join(own, back)
	}
	return same(back, dotGit)
}

// worksAt reports whether a repository's configuration names the work tree, as a submodule's does.
func worksAt(own, work string) bool {
	d, err := openDoor(own)
	if err != nil {
		return false
	}
	defer d.close()
	text, err := d.read("config", maxConfig)
	if err != nil {
		return false
	}
	back := parseConfig(text)["core.worktree"]
	if back == "" {
		return false
	}
	if !filepath.IsAbs(back) {
		back = filepath.Join(own, back)
	}
	return same(back, work)
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// inside reports whether a path without links lies at or below one of the directories.
func inside(path string, roots []string) bool {
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
		const slash = string(filepath.Separator)
		if path == abs || strings.HasPrefix(path, strings.TrimSuffix(abs, slash)+slash) {
			return true
		}
	}
	return false
}

func outside(path, target string) error {
	return &source.Refused{Path: path, Why: "leads outside, to " + target, Flag: "--root " + target}
}

// configure reads what a configuration says of how the repository is to be read.
func (r *Repo) configure() error {
	r.format = format{"sha1", sha1.Size, sha1.New}
	text, err := r.common.read("config", maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	config := parseConfig(text)
	r.sparse = isTrue(config["core.sparsecheckout"])
	mode, said := config["core.filemode"]
	r.modeless = said && !isTrue(mode)
	if text, err := r.own.read("config.worktree", maxConfig); err == nil && config["extensions.worktreeconfig"] != "" {
		r.sparse = r.sparse || isTrue(parseConfig(text)["core.sparsecheckout"])
	}
	unsupported := func(what string) error { return &Unsupported{r.common.dir, what} }
	version := config["core.repositoryformatversion"]
	switch version {
	case "", "0", "1":
	default:
		return unsupported("repository format " + printable(version) + " is not supported")
	}
	for key, v := range config {
		name, ok := strings.CutPrefix(key, "extensions.")
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && strings.EqualFold(v, "true") {
			r.partial = true // so git says it, whether there is the extension or not
		}
		if !ok {
			continue
		}
		switch name {
		case "noop", "noop-v1", "preciousobjects", "worktreeconfig", "relativeworktrees":
		case "partialclone":
			r.partial = true
		case "objectformat":
			if v = strings.ToLower(v); version != "1" {
				return unsupported("extensions.objectFormat needs repository format 1")
			} else if v == "sha256" {
				r.format = format{"sha256", sha256.Size, sha256.New}
			} else if v != "sha1" {
				return unsupported("objects named by " + printable(v) + " are not supported")
			}
		case "refstorage":
			if strings.ToLower(v) != "files" {
				return unsupported("references stored as " + printable(v) + " are not supported")
			}
		default:
			if version == "1" {
				return unsupported("the extension " + printable(name) + " is not supported")
			}
		}
	}
	return nil
}

// isTrue reads a value of a configuration as git does. A key without a value has none here, and is passed over.
func isTrue(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// Sparse reports whether the work tree may lack files of the commit that is checked out, because somebody said so.
func (r *Repo) Sparse() bool { return r.sparse }

// KeepsModes reports whether the work tree tells which files may be run.
func (r *Repo) KeepsModes() bool { return !r.modeless }

// WorkTree is the root of the work tree.
func (r *Repo) WorkTree() string { return r.work }

// Close gives back what the repository holds open. It is not to be used afterwards.
func (r *Repo) Close() error {
	var errs []error
	if held := r.held.Load(); held != nil {
		for _, s := range held.stores {
			errs = append(errs, s.close())
		}
	}
	if r.own != nil && r.own != r.common {
		errs = append(errs, r.own.close())
	}
	if r.common != nil {
		errs = append(errs, r.common.close())
	}
	return errors.Join(errs...)
}
