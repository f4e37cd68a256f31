// Package deploy shows what r10k would deploy, without deploying it: the branches of a control repository as
// environments, each with the modules of its Puppetfile, read from the repository and from r10k's caches as they are.
// Nothing is fetched, written or run.
//
// A state of an environment is a Revision: the commit of the branch, and that of every module. It never changes and has
// an id, so that whatever is made of its files can say what it was made of.
//
// Which branches are environments is said by patterns, and by nothing else: an agent names its environment, and a
// branch that nobody meant to be one must not be compiled with the keys and data of a server.
//
//	deploy.go      branches and their names
//	revision.go    a state of an environment, as files
//	puppetfile.go  which modules it wants
//	tarball.go     modules of the Forge
//
// It may import source, source/git and the reader of Ruby. Start reading at Open, then Source.Revision.
package deploy

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"weak"

	"bunraku/source/git"
)

// Options say where things are.
type Options struct {
	Repo     string   // the control repository: a clone, or a bare one such as r10k's mirror
	Patterns []string // branches that are environments; * stands for any text without a slash
	Cache    string   // r10k's cachedir; "" if there is none
	At       string   // the absolute directory that environments are said to lie in
}

// A Source is a control repository that somebody pushes to while it is read.
type Source struct {
	opt Options

	mu       sync.Mutex
	looked   time.Time
	branches map[string]branch // by the environments that they are
	current  map[string]*state
	repos    map[string]*repository
	releases map[string]seen                  // of the cache
	archives map[string]weak.Pointer[archive] // by checksum
}

// A branch is one that an environment is made of.
type branch struct {
	name string
	tip  git.ID
	also string // another one that would be called the same
}

// state is what is known of an environment.
type state struct {
	checked time.Time
	rev     *Revision
	wants   []module // of the Puppetfile of that commit
	commit  git.ID
	err     error
}

// ErrNone says that no branch is the environment.
var ErrNone = errors.New("no branch is an environment of this name")

// Open looks at a repository for the first time.
func Open(opt Options) (*Source, error) {
	if len(opt.Patterns) == 0 {
		return nil, errors.New("which branches are environments must be said")
	}
	for _, p := range opt.Patterns {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return nil, fmt.Errorf("%q is no pattern of branches", p)
		}
	}
	if !path.IsAbs(opt.At) {
		return nil, fmt.Errorf("%s is no absolute path", opt.At)
	}
	s := &Source{opt: opt, current: map[string]*state{}, repos: map[string]*repository{},
		releases: map[string]seen{}, archives: map[string]weak.Pointer[archive]{}}
	return s, s.look(time.Now())
}

var nonWord = regexp.MustCompile(`[^0-9A-Za-z_]`)

// Name is the environment that r10k makes of a branch: what is no letter, digit or underscore becomes an underscore.
func Name(branch string) string { return nonWord.ReplaceAllString(branch, "_") }

// look lists the branches.
func (s *Source) look(now time.Time) error {
	repo, err := git.OpenAt(s.opt.Repo, git.Options{})
	if err != nil {
		return err
	}
	defer repo.Close()
	all, err := repo.Branches()
	if err != nil {
		return err
	}
	var names []string
	for name := range all {
		if utf8.ValidString(name) && s.wanted(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	s.branches = map[string]branch{}
	for _, name := range names {
		b, taken := s.branches[Name(name)]
		if taken {
			b.also = name
		} else {
			b = branch{name: name, tip: all[name]}
		}
		s.branches[Name(name)] = b
	}
	for name := range s.current {
		if _, there := s.branches[name]; !there {
			delete(s.current, name)
		}
	}
	s.looked = now
	return nil
}

func (s *Source) wanted(branch string) bool {
	return slices.ContainsFunc(s.opt.Patterns, func(p string) bool { ok, _ := path.Match(p, branch); return ok })
}

// Names are the environments that there are, as of a moment or later.
func (s *Source) Names(since time.Time) (names []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh(since); err != nil {
		return nil, err
	}
	for name := range s.branches {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (s *Source) fresh(since time.Time) error {
	if s.looked.After(since) {
		return nil
	}
	if err := s.look(time.Now()); err != nil {
		return fmt.Errorf("the branches of %s: %w", s.opt.Repo, err)
	}
	return nil
}

// Revision is the state of an environment as of a moment or later. As long as it stays the same one, so do all files.
func (s *Source) Revision(name string, since time.Time) (*Revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh(since); err != nil {
		return nil, err
	}
	b, there := s.branches[name]
	if !there {
		return nil, ErrNone
	}
	if b.also != "" {
		return nil, fmt.Errorf("the branches %s and %s would both be the environment %s", b.name, b.also, name)
	}
	is := s.current[name]
	if is != nil && is.commit == b.tip && is.checked.After(since) {
		return is.rev, is.err
	}
	now := time.Now()
	next := &state{checked: now, commit: b.tip}
	var was *Revision
	if is != nil && is.commit == b.tip {
		was, next.wants = is.rev, is.wants
	}
	next.rev, next.err = s.state(name, b, next, was)
	s.current[name] = next
	return next.rev, next.err
}

// Has reports whether a branch is the environment.
func (s *Source) Has(name string, since time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fresh(since); err != nil {
		return false, err
	}
	_, there := s.branches[name]
	return there, nil
}

// Dir is where an environment is said to lie.
func (s *Source) Dir(name string) string { return path.Join(s.opt.At, name) }

// cacheName is how r10k calls the mirror of a repository; without the user that an address has, or (formerly) with it.
func cacheNames(remote string) []string {
	bare := credentials.ReplaceAllString(remote, "$1")
	clean := func(s string) string { return odd.ReplaceAllString(s, "-") }
	if names := []string{clean(bare), clean(remote)}; names[0] != names[1] {
		return names
	}
	return []string{clean(bare)}
}

var (
	credentials = regexp.MustCompile(`(\w+://).*@`)
	odd         = regexp.MustCompile(`[^@\w.-]`)
)

// plainName reports whether a name can be that of a directory in the cache.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}
