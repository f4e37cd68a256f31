package source

import (
	"path/filepath"
	"sync"
)

// A Cover notes what of a tree has been used: branches that were taken, templates that were rendered, keys of data that
// were found. Any number of goroutines may add to it; a nil one notes nothing.
type Cover struct{ marks sync.Map }

// A mark is one thing that was used: a place of a file, or a key of it.
type mark struct {
	file string
	at   uint32
	key  string
}

// Branch notes that the code at an offset of a file was run.
func (c *Cover) Branch(file string, at uint32) {
	if c != nil {
		c.marks.LoadOrStore(mark{file, at, ""}, true)
	}
}

// Key notes that a key of a data file was found; the key "" stands for a file that was used as a whole.
func (c *Cover) Key(path, key string) {
	if c != nil {
		c.marks.LoadOrStore(mark{filepath.ToSlash(path), 0, "key " + key}, true)
	}
}

// Add notes what another has noted.
func (c *Cover) Add(other *Cover) {
	if c != nil && other != nil {
		other.marks.Range(func(mark, _ any) bool {
			c.marks.LoadOrStore(mark, true)
			return true
		})
	}
}

// Reset forgets everything, for whoever compiles a tree anew that has changed. Nobody may be adding meanwhile.
func (c *Cover) Reset() { c.marks.Clear() }

// HasBranch reports whether the code at an offset was run.
func (c *Cover) HasBranch(file string, at uint32) bool { return c.has(mark{file, at, ""}) }

// HasKey reports whether a key of a file was found.
func (c *Cover) HasKey(path, key string) bool {
	return c.has(mark{filepath.ToSlash(path), 0, "key " + key})
}

func (c *Cover) has(m mark) bool {
	if c == nil {
		return false
	}
	_, there := c.marks.Load(m)
	return there
}
