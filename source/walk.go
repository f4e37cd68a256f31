package source

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
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
	return WalkOn(f, dir, visit, func(_ string, err error) error { return err })
}

// WalkOn is Walk that asks what to do about a directory that cannot be listed: nil goes on without it.
func WalkOn(f Files, dir string, visit func(p string, e Entry) bool, unlisted func(dir string, err error) error) error {
	list, err := f.List(dir)
	if err != nil {
		return unlisted(dir, err)
	}
	for _, e := range list {
		p := path.Join(dir, e.Name)
		if visit(p, e) && e.Kind == Directory && !e.Link {
			if err := WalkOn(f, p, visit, unlisted); err != nil {
				return err
			}
		}
	}
	return nil
}

// CodeUnread is the code of what Unread makes.
const CodeUnread = "E0001"

// Unread tells of a file or directory that was found and cannot be read, as the user calls it. A link that leads
// nowhere is as good as none and only worth a warning.
func Unread(err error, name string) *Diagnostic {
	d := &Diagnostic{Code: CodeUnread, Severity: Error, Place: Place{File: NewFile(name, "")}}
	var no *Refused
	var at *fs.PathError
	switch {
	case errors.As(err, &no):
		d.Summary = name + " " + no.Why + ", and is not read"
		if no.Flag != "" {
			d.Help = "say " + no.Flag + " if it may be read, or --allow-outside if you vouch for the tree"
		}
	case errors.Is(err, fs.ErrNotExist):
		d.Severity, d.Summary = Warning, name+" is a link that leads nowhere"
	case errors.Is(err, fs.ErrPermission):
		d.Summary, d.Help = name+" cannot be read: you have no permission for it", "look at its mode and owner: ls -ld "+name
	case errors.As(err, &at):
		d.Summary = name + " cannot be read: " + at.Err.Error()
	default:
		d.Summary = name + " cannot be read: " + err.Error()
	}
	return d
}

// InRuby is the error of reading a path in Ruby's words, where Puppet passes those on: a directory is no file. (Some of
// its methods call it io_fillbuf, and give the number of the open file.)
func InRuby(err error, path string) error {
	if errors.Is(err, syscall.EISDIR) {
		return &noFile{path}
	}
	return err
}

type noFile struct{ path string }

func (e *noFile) Error() string { return "Is a directory @ io_fread - " + e.path }
func (e *noFile) Unwrap() error { return syscall.EISDIR }

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
