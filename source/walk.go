package source

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// ReadFile reads one file that the user named. The name is a permission, but what stands there may be the work of a
// stranger: a link out of the directory is not followed.
func ReadFile(name string) (Content, error) {
	p := Absolute(name)
	c, err := NewDir(DirOptions{Roots: []string{path.Dir(p)}}).Read(p)
	var no *Refused
	if errors.As(err, &no) && no.Target != "" {
		return c, &Refused{Path: name, Why: "is a link to " + no.Target + ": name that file itself"}
	}
	return c, Named(err, p, name)
}

// Named makes an error speak of a path as the user called it.
func Named(err error, p, name string) error {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == p {
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}

// Exists reports whether a path leads to something that may be read.
func Exists(f Files, p string) bool {
	_, err := f.Stat(p)
	return err == nil
}

// Walk visits everything below a directory, by name, links not followed into directories. visit returns false to stay
// out of a directory. What cannot be listed ends the walk.
func Walk(f Files, dir string, visit func(p string, e Entry) bool) error {
	list, err := f.List(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		p := path.Join(dir, e.Name)
		if visit(p, e) && e.Kind == Directory && !e.Link {
			if err := Walk(f, p, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Glob lists what a pattern names: *, ? and [a-z] stand for characters of one name. It is sorted, directory by
// directory.
func Glob(f Files, pattern string) []string {
	if !strings.ContainsAny(pattern, `*?[\`) {
		if Exists(f, pattern) {
			return []string{pattern}
		}
		return nil
	}
	var out []string
	for _, dir := range Glob(f, path.Dir(pattern)) {
		list, err := f.List(dir)
		if err != nil {
			continue
		}
		for _, e := range list {
			if ok, err := path.Match(path.Base(pattern), e.Name); ok && err == nil {
				out = append(out, path.Join(dir, e.Name))
			}
		}
	}
	return out
}

// FS is the part of a view below a directory, for code that reads by the names of io/fs. It reads whole files only.
func FS(f Files, dir string) fs.FS { return viewFS{f, dir} }

type viewFS struct {
	files Files
	dir   string
}

// Open implements fs.FS; nothing needs it.
func (v viewFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

// ReadFile implements fs.ReadFileFS.
func (v viewFS) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	c, err := v.files.Read(path.Join(v.dir, name))
	return []byte(c.Text), err
}
