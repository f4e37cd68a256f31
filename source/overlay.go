package source

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// An Overlay is a view with texts laid over it, such as an editor's open buffers: where there is a text, it is the
// file. Directories that it needs are there.
type Overlay struct {
	Files
	texts map[string]Content // by real path
	dirs  map[string][]Entry // what the texts add to directories, by real path
	gone  map[string]bool    // what is taken away, by real path
}

// NewOverlay lays texts over a view, by their absolute paths. A text outside of the roots is an error: nobody could
// read it.
func NewOverlay(under Files, texts map[string]string) (*Overlay, error) {
	o := &Overlay{Files: under, texts: map[string]Content{}, dirs: map[string][]Entry{}}
	for p, text := range texts {
		real, err := o.place(p)
		if err != nil {
			return nil, err
		}
		o.texts[real] = NewContent(text)
		o.insert(real, Regular)
	}
	for _, list := range o.dirs {
		slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	}
	return o, nil
}

// Without takes files away from the view. A directory that then holds nothing is gone, too. Paths that are not there
// are passed over.
func (o *Overlay) Without(paths ...string) *Overlay {
	out := &Overlay{Files: o.Files, texts: o.texts, dirs: o.dirs, gone: map[string]bool{}}
	for p := range o.gone {
		out.gone[p] = true
	}
	for _, p := range paths {
		real, err := out.place(p)
		for ; err == nil && real != "/"; real = path.Dir(real) {
			out.gone[real] = true
			if list, err := out.List(path.Dir(real)); err != nil || len(list) > 0 {
				break
			}
		}
	}
	return out
}

// missing tells that a path is taken away.
func (o *Overlay) missing(op, p, real string) error {
	if o.gone[real] {
		return &fs.PathError{Op: op, Path: p, Err: fs.ErrNotExist}
	}
	return nil
}

// RealOrNew is where a path of a view leads, its last parts perhaps being new. It is an error if nobody could read a
// file there.
func RealOrNew(files Files, p string) (string, error) {
	real, err := files.Real(p)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || path.Dir(p) == p { // the root, or the end of a relative path
		return real, err
	}
	dir, err := RealOrNew(files, path.Dir(p))
	return path.Join(dir, path.Base(p)), err
}

func (o *Overlay) place(p string) (string, error) { return RealOrNew(o.Files, p) }

// find is the place of a path that somebody asks for. Most are not there, and as long as no text is new, what is not
// there below is not here either: then it has no place that would matter.
func (o *Overlay) find(p string) (string, error) {
	if len(o.gone) > 0 { // a file that is taken away may make room for a directory
		for dir := path.Dir(p); dir != path.Dir(dir); dir = path.Dir(dir) {
			if o.gone[dir] {
				return "", &fs.PathError{Op: "stat", Path: p, Err: fs.ErrNotExist}
			}
		}
	}
	if len(o.dirs) > 0 {
		return o.place(p)
	}
	real, err := o.Files.Real(p)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	return real, err
}

// insert adds what is not there below to its directory, and so on upwards.
func (o *Overlay) insert(real string, kind Kind) {
	dir := path.Dir(real)
	if _, err := o.Files.Stat(real); err == nil ||
		slices.ContainsFunc(o.dirs[dir], func(e Entry) bool { return e.Name == path.Base(real) }) {
		return
	}
	o.dirs[dir] = append(o.dirs[dir], Entry{Name: path.Base(real), Kind: kind})
	o.insert(dir, Directory)
}

// Read implements Files.
func (o *Overlay) Read(p string) (Content, error) {
	real, err := o.find(p)
	if err != nil {
		return Content{}, err
	}
	if err := o.missing("read", p, real); err != nil {
		return Content{}, err
	}
	if c, over := o.texts[real]; over {
		return c, nil
	}
	if o.dirs[real] != nil {
		if _, err := o.Files.Stat(p); err != nil {
			return Content{}, &fs.PathError{Op: "read", Path: p, Err: syscall.EISDIR}
		}
	}
	return o.Files.Read(p)
}

// Stat implements Files.
func (o *Overlay) Stat(p string) (Info, error) {
	real, err := o.find(p)
	if err != nil {
		return Info{}, err
	}
	if err := o.missing("stat", p, real); err != nil {
		return Info{}, err
	}
	if c, over := o.texts[real]; over {
		info := Info{Kind: Regular, Size: int64(len(c.Text))}
		if under, err := o.Files.Stat(p); err == nil {
			info.Exec = under.Exec
		}
		return info, nil
	}
	if o.dirs[real] != nil {
		return Info{Kind: Directory}, nil
	}
	return o.Files.Stat(p)
}

// List implements Files.
func (o *Overlay) List(p string) ([]Entry, error) {
	real, err := o.find(p)
	if err != nil {
		return nil, err
	}
	if err := o.missing("list", p, real); err != nil {
		return nil, err
	}
	added := o.dirs[real]
	list, err := o.Files.List(p)
	if added == nil && len(o.gone) == 0 || err != nil && !errors.Is(err, fs.ErrNotExist) || added == nil && err != nil {
		return list, err
	}
	list = append(slices.Clone(list), added...)
	list = slices.DeleteFunc(list, func(e Entry) bool { return o.gone[path.Join(real, e.Name)] })
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Link implements Files.
func (o *Overlay) Link(p string) (string, error) {
	real, err := o.find(p)
	if err == nil {
		err = o.missing("lstat", p, real)
	}
	if err != nil {
		return "", err
	}
	target, err := o.Files.Link(p)
	if _, over := o.texts[real]; errors.Is(err, fs.ErrNotExist) && (over || o.dirs[real] != nil) {
		return "", nil
	}
	return target, err
}

// Real implements Files.
func (o *Overlay) Real(p string) (string, error) {
	real, err := o.find(p)
	if err != nil {
		return "", err
	}
	if err := o.missing("stat", p, real); err != nil {
		return "", err
	}
	if _, over := o.texts[real]; over || o.dirs[real] != nil {
		return real, nil
	}
	return o.Files.Real(p)
}

// Confirm implements Live.
func (o *Overlay) Confirm() error {
	if live, is := o.Files.(Live); is {
		return live.Confirm()
	}
	return nil
}

// Fresh implements Live.
func (o *Overlay) Fresh() Files {
	live, is := o.Files.(Live)
	if !is {
		return o
	}
	texts := map[string]string{}
	for p, c := range o.texts {
		texts[p] = c.Text
	}
	fresh, err := NewOverlay(live.Fresh(), texts)
	if err != nil {
		return o // the next question tells
	}
	fresh.gone = o.gone
	return fresh
}
