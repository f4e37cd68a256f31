package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// A Backend holds files without any idea of what may be read: it answers about real paths, those without links on the
// way. A View makes Files of it, so that links and roots mean the same for a directory, for memory and for a revision.
type Backend interface {
	// Lstat says what is at a path, links not followed. The error is fs.ErrNotExist where there is nothing.
	Lstat(real string) (Inode, error)
	// Names lists a directory with what each entry is itself; the order does not matter.
	Names(real string) ([]Inode, error)
	// Read is the content of a regular file that Lstat has seen.
	Read(real string, was Inode) (Content, error)
}

// An Inode is one thing of a Backend.
type Inode struct {
	Name   string // of an entry of a directory
	Kind   Kind   // Other for a link, too
	Link   bool
	Target string // of a link, as Lstat gives it
	Size   int64
	Exec   bool // of a regular file
}

// Limits of what a view reads. More than this is no Puppet code, and holding it would be the end of the program.
const (
	MaxFile = 64 << 20  // bytes of one file
	MaxAll  = 512 << 20 // bytes of all files that one view reads
	maxLink = 40        // links on the way to one file, as the kernel counts
)

// A View answers about the files of a Backend that lie in its roots. Nothing outside of them is touched, not even to
// see whether it is there. Each question is asked of the backend once.
type View struct {
	back     Backend
	roots    []root
	anywhere bool // the whole backend may be read

	mu    sync.RWMutex
	nodes map[string]*node
	read  int64 // bytes so far
}

// A root is a directory or file that the user named, and where it really lies.
type root struct{ given, real string }

// A node is what became of one path.
type node struct {
	real string
	in   Inode // without links
	link bool  // the path itself is one
	err  error // answers every question about it
	told bool  // by its directory, which has no such name: it is told again at no cost, and need not be kept

	mu       sync.Mutex
	content  *Content
	entries  []Entry
	listed   bool
	missed   int // names that were looked for in vain, before it was listed
	readErr  error
	namesErr error
}

// NewView makes a view of what lies in the roots, given as the user named them and as they really lie; anywhere allows
// everything.
func NewView(back Backend, given, real []string, anywhere bool) *View {
	v := &View{back: back, anywhere: anywhere, nodes: map[string]*node{}}
	for i := range given {
		v.roots = append(v.roots, root{given[i], real[i]})
	}
	return v
}

// Roots implements Files.
func (v *View) Roots() []string {
	out := make([]string, len(v.roots))
	for i, r := range v.roots {
		out[i] = r.given
	}
	return out
}

// covers reports whether a path lies in a root, as far as its text tells.
func (v *View) covers(p string) bool {
	return v.anywhere || slices.ContainsFunc(v.roots, func(r root) bool { return below(r.real, p) || below(r.given, p) })
}

// below reports whether a path is a directory or lies in it.
func below(dir, p string) bool {
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || strings.HasSuffix(dir, "/") || p[len(dir)] == '/')
}

// top is the root of which a path is the name, "" otherwise: a root is where the user said it is, however one comes
// there.
func (v *View) top(p string) string {
	for _, r := range v.roots {
		if p == r.given || p == r.real {
			return r.real
		}
	}
	if p == "/" && v.anywhere {
		return p
	}
	return ""
}

func missing(p string) error { return &fs.PathError{Op: "open", Path: p, Err: syscall.ENOENT} }

func outside(p, why string) error {
	return &Refused{Path: p, Why: why, Flag: "--root " + path.Dir(p)}
}

// leadsOutside is the error of a path with a link on it that leads to where nobody may read.
func leadsOutside(p, to string) error {
	return &Refused{Path: p, Why: "leads to " + to + ", outside of what may be read", Flag: "--root " + path.Dir(to),
		Target: to}
}

// look finds out what a path leads to.
func (v *View) look(p string, links int) *node {
	p = filepath.ToSlash(p)
	v.mu.RLock()
	n := v.nodes[p]
	v.mu.RUnlock()
	if n != nil {
		return n
	}
	n = v.find(p, links)
	if n.told {
		return n
	}
	if errors.Is(n.err, ErrChanged) || errors.Is(n.err, syscall.ELOOP) { // true now, or only from where the walk began
		return n
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if first := v.nodes[p]; first != nil {
		return first
	}
	v.nodes[p] = n
	return n
}

func (v *View) find(p string, links int) *node {
	if !IsAbs(p) || path.Clean(p) != p || strings.ContainsRune(p, 0) {
		return &node{err: missing(p)}
	}
	if !v.covers(p) {
		return &node{err: outside(p, "lies outside of what may be read")}
	}
	real := v.top(p)
	var dir *node
	if real == "" {
		dir = v.look(path.Dir(p), links)
		switch {
		case dir.err != nil:
			var no *Refused
			if errors.As(dir.err, &no) {
				return &node{err: &Refused{Path: p, Why: no.Why, Flag: no.Flag}}
			}
			if errors.Is(dir.err, fs.ErrNotExist) {
				return &node{err: missing(p), told: true}
			}
			return dir
		case dir.in.Kind != Directory || dir.lacks(path.Base(p)):
			return &node{err: missing(p), told: true}
		}
		real = path.Join(dir.real, path.Base(p))
		if real != p { // the same thing by another name
			n := v.look(real, links)
			if errors.Is(n.err, fs.ErrNotExist) {
				return &node{err: missing(p), told: n.told}
			}
			return n
		}
	}
	in, err := v.back.Lstat(real)
	switch {
	case err != nil:
		if dir != nil && dir.missing() { // nodes' own files, say, of which few nodes have one
			v.list(dir)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
			err = missing(p)
		}
		return &node{err: err}
	case !in.Link:
		return &node{real: real, in: in}
	case links >= maxLink:
		return &node{link: true, err: &fs.PathError{Op: "open", Path: p, Err: syscall.ELOOP}}
	}
	n := v.follow(p, path.Dir(real), in.Target, links+1)
	if n.link {
		return n
	}
	return &node{real: n.real, in: n.in, err: n.err, link: true}
}

// follow walks along a link. What lies outside of the roots is not looked at: there a way is what its text says.
func (v *View) follow(p, at, target string, links int) *node {
	if IsAbs(target) {
		at = filepath.ToSlash(filepath.VolumeName(target)) + "/"
		target = target[len(at)-1:]
	}
	for _, step := range strings.Split(target, "/") {
		switch step {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		if at = path.Join(at, step); !v.covers(at) {
			continue
		}
		n := v.look(at, links)
		if n.err != nil {
			if errors.Is(n.err, fs.ErrNotExist) {
				return &node{err: missing(p)}
			}
			return &node{err: n.err}
		}
		at = n.real
	}
	if !v.covers(at) {
		return &node{err: leadsOutside(p, at)}
	}
	n := v.look(at, links)
	return &node{real: n.real, in: n.in, err: n.err}
}

// lacks reports whether a directory was listed and has not got a name.
func (n *node) lacks(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.listed || n.namesErr != nil {
		return false
	}
	_, has := slices.BinarySearchFunc(n.entries, name,
		func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	return !has
}

// mostMissed is how many names may be looked for in a directory in vain before it is listed, so that it can tell of all
// others: what is not there must not cost memory for each that asks.
const mostMissed = 64

// missing counts a name that was looked for in vain, and reports whether the directory is to be listed now.
func (n *node) missing() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.missed++
	return n.missed == mostMissed
}

// Stat implements Files.
func (v *View) Stat(p string) (Info, error) {
	n := v.look(p, 0)
	if n.err != nil {
		return Info{}, n.err
	}
	info := Info{Kind: n.in.Kind}
	if info.Kind == Regular {
		info.Size, info.Exec = n.in.Size, n.in.Exec
	}
	return info, nil
}

// Real implements Files.
func (v *View) Real(p string) (string, error) {
	n := v.look(p, 0)
	return n.real, n.err
}

// Link implements Files. A root is what it leads to.
func (v *View) Link(p string) (target string, err error) {
	if p = filepath.ToSlash(p); v.top(p) != "" {
		return "", nil
	}
	if !v.covers(p) {
		return "", outside(p, "lies outside of what may be read")
	}
	dir := v.look(path.Dir(p), 0)
	if dir.err != nil {
		return "", dir.err
	}
	real, n := path.Join(dir.real, path.Base(p)), v.look(p, 0)
	switch {
	case n.err == nil && n.real == real:
		return "", nil
	case dir.in.Kind != Directory || n.told:
		return "", n.err
	}
	in, err := v.back.Lstat(real)
	if errors.Is(err, fs.ErrNotExist) {
		err = missing(p)
	}
	return in.Target, err
}

// at is the node that holds what a path leads to: links share it.
func (v *View) at(p string) (*node, error) {
	n := v.look(p, 0)
	if n.err == nil && n.real != filepath.ToSlash(p) {
		n = v.look(n.real, 0)
	}
	return n, n.err
}

// Read implements Files.
func (v *View) Read(p string) (Content, error) {
	n, err := v.at(p)
	if err != nil {
		return Content{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.content == nil && n.readErr == nil {
		var c Content
		if c, n.readErr = v.readNow(p, n); n.readErr == nil {
			n.content = &c
		}
	}
	if n.readErr != nil {
		return Content{}, n.readErr
	}
	return *n.content, nil
}

func (v *View) readNow(p string, n *node) (Content, error) {
	switch n.in.Kind {
	case Directory:
		return Content{}, &fs.PathError{Op: "read", Path: p, Err: syscall.EISDIR}
	case Other:
		return Content{}, &Refused{Path: p, Why: "is no regular file"}
	}
	if n.in.Size > MaxFile {
		return Content{}, &Refused{Path: p, Why: fmt.Sprintf("has %d bytes, and at most %d are read of a file", n.in.Size,
			MaxFile)}
	}
	v.mu.Lock()
	v.read += n.in.Size
	full := v.read > MaxAll
	v.mu.Unlock()
	if full {
		return Content{},
			&Refused{Path: p, Why: fmt.Sprintf("is one file too many: at most %d bytes are read of all files together", MaxAll)}
	}
	return v.back.Read(n.real, n.in)
}

// List implements Files.
func (v *View) List(p string) ([]Entry, error) {
	n, err := v.at(p)
	if err != nil {
		return nil, err
	}
	if n.in.Kind != Directory {
		return nil, &fs.PathError{Op: "list", Path: p, Err: syscall.ENOTDIR}
	}
	return v.list(n)
}

func (v *View) list(n *node) ([]Entry, error) {
	n.mu.Lock()
	listed, entries, err := n.listed, n.entries, n.namesErr
	n.mu.Unlock()
	if listed {
		return entries, err
	}
	names, err := v.back.Names(n.real)
	entries = make([]Entry, len(names))
	for i, in := range names {
		entries[i] = Entry{Name: in.Name, Kind: in.Kind, Link: in.Link}
		if in.Link {
			if to := v.look(path.Join(n.real, in.Name), 0); to.err == nil {
				entries[i].Kind = to.in.Kind
			}
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.listed {
		n.listed, n.entries, n.namesErr = true, entries, err
	}
	return n.entries, n.namesErr
}
