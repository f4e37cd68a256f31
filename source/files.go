package source

import (
	"crypto/sha256"
	"errors"
)

// Files is one unchanging view of the files below some roots: a directory, a git revision, open buffers laid over
// another view, memory. Everything that reads a user's tree reads it here and nowhere else.
//
// Paths are absolute, clean and slashed. Links are followed where their target lies inside a root. What does not exist
// answers fs.ErrNotExist (test with errors.Is), what may not be read a *Refused. A view never answers the same question
// in two ways: when the files below it change so that it would have to, it answers ErrChanged from then on. It may be
// used by any number of goroutines.
type Files interface {
	// Read is the content of a regular file.
	Read(path string) (Content, error)
	// Stat says what a path leads to, all links followed.
	Stat(path string) (Info, error)
	// List is what a directory holds, sorted by name, byte by byte.
	List(path string) ([]Entry, error)
	// Real is the path with all links resolved.
	Real(path string) (string, error)
	// Link is what the link at a path says; "" if what is there is no link. Links on the way to it are followed.
	Link(path string) (target string, err error)
	// Roots are the directories (or single files) that may be read, as the user named them.
	Roots() []string
}

// Live is a view of files that somebody may be writing while they are read, or that may lack some of them.
type Live interface {
	Files
	// Confirm reports whether everything that was answered so far was true at one moment: nil, ErrChanged, or why
	// something that is there could not be had. Nothing that was made of the answers may be used before.
	Confirm() error
	// Fresh is a new view of the same files as they are now.
	Fresh() Files
}

// Content is what a file holds. Equal digests mean equal texts.
type Content struct {
	Text   string
	Digest Digest
}

// A Digest stands for bytes.
type Digest [sha256.Size]byte

// NewContent makes a Content of its text.
func NewContent(text string) Content { return Content{text, sha256.Sum256([]byte(text))} }

// A Kind is what a path leads to.
type Kind uint8

// Files are regular files or directories; a view reads nothing else (devices, pipes, sockets).
const (
	Other Kind = iota
	Regular
	Directory
)

// Info is what is known of a path without reading it.
type Info struct {
	Kind Kind
	Size int64 // of a regular file
	Exec bool  // of a regular file: its owner may run it
}

// IsDir reports whether it is a directory.
func (i Info) IsDir() bool { return i.Kind == Directory }

// An Entry is one name of a directory.
type Entry struct {
	Name string
	Kind Kind // of what it leads to; Other also for a link to nowhere or to the outside
	Link bool // it is a link itself
}

// IsDir reports whether it is a directory, or a link to one.
func (e Entry) IsDir() bool { return e.Kind == Directory }

// ErrChanged says that the files changed while they were being read, so that no one state of them can be seen any more.
var ErrChanged = errors.New("the tree changed while it was read")

// Unknown says that a file is there and that its content cannot be known. Why names what it is made of: as long as that
// is the same, so is the content.
type Unknown struct{ Path, Why string }

func (u *Unknown) Error() string { return u.Path + ": its content is not known: " + u.Why }

// Dangling is the error of a path with a link on it that leads to where a view has nothing. Another view may have it:
// To is the path there, without links as far as the view knows.
type Dangling struct {
	Err error
	To  string
}

func (d *Dangling) Error() string { return d.Err.Error() }
func (d *Dangling) Unwrap() error { return d.Err }

// Refused says why something that is there is not read, and what the user can say to allow it.
type Refused struct {
	Path string
	Why  string // "lies outside of what may be read", "is a device", "has 73400320 bytes"
	Flag string // what allows it: "--root /srv/data"; "" when nothing does
	// Target is where a link leads, "" for what is no link.
	Target string
}

func (r *Refused) Error() string {
	if r.Flag == "" {
		return r.Path + " " + r.Why
	}
	return r.Path + " " + r.Why + "; allow it with " + r.Flag
}
