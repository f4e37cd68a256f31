package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bunraku/source"
)

// A door is a directory below which files are read. Links are followed as long as they stay below it. Only regular
// files are opened, and so that nothing can make the opening wait.
type door struct {
	dir  string
	root *os.Root
}

func openDoor(dir string) (*door, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &door{dir, root}, nil
}

func (d *door) close() error { return d.root.Close() }

// replaced reports whether another directory lies where this one was opened. A link in its place is not followed.
func (d *door) replaced() bool {
	is, err := os.Lstat(d.dir)
	if err != nil || !is.IsDir() {
		return false
	}
	was, err := d.root.Stat(".")
	return err == nil && !os.SameFile(is, was)
}

func (d *door) holds(name string) bool {
	_, err := d.root.Stat(name)
	return err == nil
}

// open opens a regular file and tells its size.
func (d *door) open(name string) (*os.File, int64, error) {
	refuse := func() error { return &source.Refused{Path: filepath.Join(d.dir, name), Why: "is not a regular file"} }
	if info, err := d.root.Stat(name); err != nil {
		return nil, 0, d.explain(name, err)
	} else if !info.Mode().IsRegular() {
		return nil, 0, refuse()
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, 0, d.explain(name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // exchanged in between
		err = refuse()
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// explain tells a link that leads outside from other failures. A path that runs through a file does not exist.
func (d *door) explain(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && strings.Contains(p.Err.Error(), "escapes") {
		return &source.Refused{Path: filepath.Join(d.dir, name), Why: "leads outside of " + d.dir}
	}
	if notDirectory(err) {
		return &fs.PathError{Op: "open", Path: filepath.Join(d.dir, name), Err: fs.ErrNotExist}
	}
	return err
}

// read reads a whole file of at most max bytes.
func (d *door) read(name string, max int64) ([]byte, error) {
	f, size, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > max {
		return nil, &source.Refused{Path: filepath.Join(d.dir, name), Why: fmt.Sprintf("has %d bytes", size)}
	}
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(text)) > max {
		err = &source.Refused{Path: filepath.Join(d.dir, name), Why: fmt.Sprintf("has more than %d bytes", max)}
	}
	return text, err
}

// list names what a directory holds, at most max names.
func (d *door) list(name string, max int) ([]fs.DirEntry, error) {
	info, err := d.root.Stat(name)
	if err != nil {
		return nil, d.explain(name, err)
	}
	if !info.IsDir() {
		return nil, &source.Refused{Path: filepath.Join(d.dir, name), Why: "is not a directory"}
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, d.explain(name, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(max + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && len(entries) > max {
		err = &source.Refused{Path: filepath.Join(d.dir, name), Why: fmt.Sprintf("holds more than %d names", max)}
	}
	return entries, err
}
