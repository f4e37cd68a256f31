package source

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// A Layer shows what lies in a directory of a view at another place: Dir of Files is seen at At.
type Layer struct {
	At    string
	Files Files
	Dir   string
}

// inside is the path in the layer's own view; ok is false if the layer has nothing to say of it.
func (l *Layer) inside(p string) (_ string, ok bool) {
	if !below(l.At, p) {
		return "", false
	}
	return path.Join(l.Dir, strings.TrimPrefix(p, l.At)), true
}

// Layers are views laid over one another. Where a layer is mounted, only layers answer, the first that has something
// at the path; what lies elsewhere the view below answers. Directories that several layers have are merged. So a git
// revision can be seen in the place of the work tree, with modules that are not in git under it. A link of a layer that
// leads to nothing in its own view leads to what the layers have there. A name elsewhere, from which links of the
// machine lead to where the top layer is mounted, is one for what the layers have there, too.
type Layers struct {
	under  Files
	layers []Layer
	named  sync.Map // by path: what enters has found
}

// NewLayers lays layers over a view; the first one is on top.
func NewLayers(under Files, layers ...Layer) *Layers { return &Layers{under: under, layers: layers} }

// enters is the path among the layers to which a path leads that none of them covers; "" if it does not.
func (l *Layers) enters(p string) string {
	disk, is := l.under.(interface{ Enters(dir, p string) string })
	if !is || len(l.layers) == 0 {
		return ""
	}
	if to, known := l.named.Load(p); known {
		return to.(string)
	}
	to := disk.Enters(l.layers[0].At, p)
	l.named.Store(p, to)
	return to
}

// lead is where a link of the layer leads that leads to nothing in its own view, "" if the error is another one.
func (l *Layer) lead(err error) string {
	var d *Dangling
	if !errors.As(err, &d) {
		return ""
	}
	if !below(l.Dir, d.To) {
		return d.To
	}
	return path.Join(l.At, strings.TrimPrefix(d.To, l.Dir))
}

// first asks the layers for a path until one has it, then (if none is mounted there) the view below.
func first[T any](l *Layers, op, p string, ask func(f Files, p string) (T, error), above func() T) (T, error) {
	return follow(l, op, p, 0, ask, above)
}

func follow[T any](l *Layers, op, p string, links int, ask func(f Files, p string) (T, error),
	above func() T) (T, error) {
	var none T
	var failed error
	lead := ""
	covered := false
	for i := range l.layers {
		at, ok := l.layers[i].inside(p)
		if !ok {
			if covered && len(p) < len(l.layers[i].At) && below(p, l.layers[i].At) && above != nil {
				return above(), nil
			}
			continue
		}
		covered = true
		x, err := ask(l.layers[i].Files, at)
		if err == nil {
			return x, nil
		}
		to := l.layers[i].lead(err)
		lead = cmp.Or(lead, to)
		var no *Refused
		if to != "" && errors.As(err, &no) {
			continue // the link leads out of the layer: who may read there is said there
		}
		if failed == nil && !errors.Is(err, fs.ErrNotExist) {
			if failed = err; errors.Is(err, syscall.EISDIR) { // what programs say of it is told by where they see it
				failed = &fs.PathError{Op: op, Path: p, Err: syscall.EISDIR}
			} // else a submodule, say: a layer below may have its files
		}
	}
	switch {
	case !covered:
		if to := l.enters(p); to != "" && links < maxLink {
			return follow(l, op, to, links+1, ask, above)
		}
		return ask(l.under, p)
	case lead != "" && links < maxLink:
		x, err := follow(l, op, lead, links+1, ask, above)
		if no := (*Refused)(nil); errors.As(err, &no) && no.Target == "" && no.Path == lead {
			err = leadsOutside(p, lead)
		}
		if err == nil || failed == nil && !errors.Is(err, fs.ErrNotExist) {
			return x, err
		}
	}
	if failed != nil {
		return none, failed
	}
	return none, &fs.PathError{Op: op, Path: p, Err: fs.ErrNotExist}
}

// Read implements Files.
func (l *Layers) Read(p string) (Content, error) { return first(l, "read", p, Files.Read, nil) }

// Stat implements Files.
func (l *Layers) Stat(p string) (Info, error) {
	return first(l, "stat", p, Files.Stat, func() Info { return Info{Kind: Directory} })
}

// List implements Files.
func (l *Layers) List(p string) (list []Entry, err error) {
	info, err := l.Stat(p)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return first(l, "list", p, Files.List, nil)
	}
	covered, listed, lead, seen := false, false, "", map[string]bool{}
	var failed error
	add := func(entries ...Entry) {
		for _, e := range entries {
			if !seen[e.Name] {
				seen[e.Name] = true
				list = append(list, e)
			}
		}
	}
	for i := range l.layers {
		y := &l.layers[i]
		at, ok := y.inside(p)
		if !ok {
			if covered && below(p, y.At) {
				name, _, deeper := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(y.At, p), "/"), "/")
				kind := Directory
				if info, err := y.Files.Stat(y.Dir); !deeper && err == nil {
					kind = info.Kind // a layer may be a file
				}
				add(Entry{Name: name, Kind: kind})
			}
			continue
		}
		covered = true
		entries, err := y.Files.List(at)
		if err == nil {
			listed = true
			add(entries...)
			continue
		}
		lead = cmp.Or(lead, y.lead(err))
		if failed == nil && !errors.Is(err, fs.ErrNotExist) {
			failed = err
		}
	}
	switch {
	case !covered:
		if to := l.enters(p); to != "" {
			return l.List(to)
		}
		return l.under.List(p)
	case !listed && list == nil && lead != "": // it is there, as Stat says
		return l.List(lead)
	case !listed && list == nil && failed != nil:
		return nil, failed
	}
	for i, e := range list {
		if e.Link && e.Kind == Other {
			if info, err := l.Stat(path.Join(p, e.Name)); err == nil {
				list[i].Kind = info.Kind
			}
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Link implements Files.
func (l *Layers) Link(p string) (string, error) {
	if l.covers(p) {
		return first(l, "lstat", p, Files.Link, func() string { return "" })
	}
	if dir := l.enters(path.Dir(p)); dir != "" { // the name itself may be the machine's link
		return l.Link(path.Join(dir, path.Base(p)))
	}
	return l.under.Link(p)
}

// covers reports whether a layer is mounted at a path or above it.
func (l *Layers) covers(p string) bool {
	return slices.ContainsFunc(l.layers, func(y Layer) bool { return below(y.At, p) })
}

// Real implements Files.
func (l *Layers) Real(p string) (string, error) {
	for i := range l.layers {
		y := &l.layers[i]
		at, ok := y.inside(p)
		if !ok {
			continue
		}
		real, err := y.Files.Real(at)
		if err != nil {
			continue
		}
		dir, err := y.Files.Real(y.Dir)
		if err != nil {
			dir = y.Dir // not all of it may be read
		}
		if below(dir, real) {
			return path.Join(y.At, strings.TrimPrefix(real, dir)), nil
		}
		return real, nil
	}
	if !l.covers(p) {
		if to := l.enters(p); to != "" {
			return l.Real(to)
		}
	}
	return first(l, "stat", p, Files.Real, func() string { return p })
}

// Under is the view that the layers lie on.
func (l *Layers) Under() Files { return l.under }

// Roots implements Files.
func (l *Layers) Roots() []string { return l.under.Roots() }

// Confirm implements Live.
func (l *Layers) Confirm() error {
	for _, f := range append([]Files{l.under}, l.views()...) {
		if live, is := f.(Live); is {
			if err := live.Confirm(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fresh implements Live.
func (l *Layers) Fresh() Files {
	fresh := map[Files]Files{}
	renew := func(f Files) Files {
		if live, is := f.(Live); is {
			if fresh[f] == nil {
				fresh[f] = live.Fresh()
			}
			return fresh[f]
		}
		return f
	}
	out := &Layers{under: renew(l.under)}
	for _, y := range l.layers {
		out.layers = append(out.layers, Layer{y.At, renew(y.Files), y.Dir})
	}
	return out
}

func (l *Layers) views() (out []Files) {
	for _, y := range l.layers {
		out = append(out, y.Files)
	}
	return out
}
