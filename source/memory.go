package source

import (
	"io/fs"
	"path"
	"slices"
)

// NewMemory is a view of files that are only texts, by their absolute paths; a directory is there if something lies in
// it. links are links, by where they stand, with what they say. The roots may be read.
func NewMemory(roots []string, files, links map[string]string) *View {
	m := &memory{all: map[string]Inode{}, texts: files, in: map[string][]Inode{}}
	for p, text := range files {
		m.add(p, Inode{Kind: Regular, Size: int64(len(text))})
	}
	for p, to := range links {
		m.add(p, Inode{Link: true, Target: to})
	}
	for _, r := range roots {
		if _, has := m.all[r]; !has {
			m.add(r, Inode{Kind: Directory})
		}
	}
	real := slices.Clone(roots)
	all := NewView(m, []string{"/"}, []string{"/"}, true)
	for i, r := range roots {
		if to, err := all.Real(r); err == nil {
			real[i] = to
		}
	}
	return NewView(m, roots, real, false)
}

// memory is the Backend of texts.
type memory struct {
	all   map[string]Inode
	texts map[string]string
	in    map[string][]Inode // by directory
}

func (m *memory) add(p string, in Inode) {
	in.Name = path.Base(p)
	m.all[p] = in
	if p == "/" {
		return
	}
	dir := path.Dir(p)
	if _, has := m.all[dir]; !has {
		m.add(dir, Inode{Kind: Directory})
	}
	m.in[dir] = append(m.in[dir], in)
}

// Lstat implements Backend.
func (m *memory) Lstat(p string) (Inode, error) {
	in, has := m.all[p]
	if !has {
		return Inode{}, &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
	}
	return in, nil
}

// Names implements Backend.
func (m *memory) Names(p string) ([]Inode, error) { return m.in[p], nil }

// Read implements Backend.
func (m *memory) Read(p string, _ Inode) (Content, error) { return NewContent(m.texts[p]), nil }
