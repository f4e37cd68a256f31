package source

import (
	"errors"
	"path"
	"sync"
)

// A Patched is a view in which some paths are something else: a text, a file of another view, a link, or nothing. As on
// a disk, a link is only a name for what it leads to: that is looked for in the patched view itself, so a link may lead
// to what is new there, and one that has not changed to something else, since another one on its way has. What comes
// makes its directories, in the place of a link or a file if need be, and takes the place of a directory. A directory
// from which the last file is taken is gone, as in git.
//
// For this the view below is asked about every path by itself, and links are followed here, by their texts. A text does
// not always say where the view below goes: a layer may be a directory that lies elsewhere, or hold no more than git
// has. What the view says counts then.
type Patched struct {
	*View
	back *patched
}

// Instead is what a path of a patched view is: a link or a file of another view, or a text; nothing if it is empty.
type Instead struct {
	Link  string   // what the link says
	Files Files    // which has the link or the file
	From  string   // at this path
	Text  *Content // if no view has it
	Exec  bool     // a file's owner may run it
}

func (in Instead) none() bool { return in.Files == nil && in.Text == nil }

// NewPatched changes paths of a view, by their real ones: no link of the patched view may be on the way to them.
func NewPatched(under Files, paths map[string]Instead) *Patched {
	b := &patched{under: under, paths: paths, dirs: map[string]bool{}, in: map[string][]string{},
		replaced: map[string]bool{}, near: map[string]bool{}, texts: map[Files]*View{}}
	for p, in := range paths {
		above(p, func(dir string) bool {
			b.dirs[dir] = b.dirs[dir] || !in.none()
			return true
		})
	}
	for p := range paths {
		b.in[path.Dir(p)] = append(b.in[path.Dir(p)], p)
	}
	for dir, comes := range b.dirs {
		if _, twice := paths[dir]; !twice && dir != path.Dir(dir) {
			b.in[path.Dir(dir)] = append(b.in[path.Dir(dir)], dir)
		}
		if target, err := under.Link(dir); comes && err == nil && target != "" {
			b.replaced[dir] = true
		}
	}
	return b.view()
}

// view is the view of the backend. A root that the user named is where it leads, if no link of the tree says so.
func (b *patched) view() *Patched {
	var given, real []string
	for _, root := range b.under.Roots() {
		at, err := b.under.Real(root)
		if err != nil {
			at = root
		}
		for _, p := range []string{root, at} {
			above(p, func(dir string) bool {
				b.near[dir] = true
				return true
			})
		}
		target, _ := b.under.Link(root)
		if up, err := b.under.Real(path.Dir(root)); target == "" && (err != nil || path.Join(up, path.Base(root)) != at) {
			given, real = append(given, root), append(real, at)
		}
	}
	return &Patched{NewView(b, given, real, true), b}
}

// above visits the directories above a path, from below, as long as it is told to go on.
func above(p string, visit func(dir string) bool) {
	for dir := path.Dir(p); visit(dir) && dir != path.Dir(dir); dir = path.Dir(dir) {
	}
}

// Roots implements Files.
func (p *Patched) Roots() []string { return p.back.under.Roots() }

// Read implements Files.
func (p *Patched) Read(name string) (Content, error) {
	return refusedBelow(p, name, (*View).Read, Files.Read)
}

// Stat implements Files.
func (p *Patched) Stat(name string) (Info, error) {
	return refusedBelow(p, name, (*View).Stat, Files.Stat)
}

// List implements Files.
func (p *Patched) List(name string) ([]Entry, error) {
	return refusedBelow(p, name, (*View).List, Files.List)
}

// Real implements Files.
func (p *Patched) Real(name string) (string, error) {
	return refusedBelow(p, name, (*View).Real, Files.Real)
}

// refusedBelow asks the patched view. What it refuses is refused in the words of the view below, if that does so, too:
// what has not changed must not have another answer.
func refusedBelow[T any](p *Patched, name string, ask func(*View, string) (T, error),
	below func(Files, string) (T, error)) (T, error) {
	x, err := ask(p.View, name)
	var no *Refused
	if errors.As(err, &no) {
		if _, was := below(p.back.under, name); errors.As(was, &no) {
			return x, was
		}
	}
	return x, err
}

// Link implements Files.
func (p *Patched) Link(name string) (string, error) {
	if p.top(name) != "" {
		return "", nil
	}
	dir, err := p.Real(path.Dir(name))
	if err != nil {
		return "", err
	}
	at := path.Join(dir, path.Base(name))
	in, err := p.back.Lstat(at)
	switch {
	case !in.Link:
		return "", err
	case p.back.paths[at].Link != "":
		return p.back.paths[at].Link, nil
	}
	return p.back.under.Link(at)
}

// Confirm implements Live.
func (p *Patched) Confirm() error {
	if live, is := p.back.under.(Live); is {
		return live.Confirm()
	}
	return nil
}

// Fresh implements Live.
func (p *Patched) Fresh() Files {
	if live, is := p.back.under.(Live); is {
		return NewPatched(live.Fresh(), p.back.paths)
	}
	return p
}

// patched is the Backend of a Patched: what is at each path itself.
type patched struct {
	under    Files
	paths    map[string]Instead
	dirs     map[string]bool     // above the paths: whether something comes there
	in       map[string][]string // paths and those directories, by where they are
	replaced map[string]bool     // links that are directories now
	near     map[string]bool     // above the roots of the view below, which may say nothing of them
	textual  bool                // links are followed by their texts, whatever the view below says

	mu    sync.Mutex
	texts map[Files]*View // views in which they are
}

// own reports whether the view below has nothing to say of what is at a path: something on the way is another one.
func (b *patched) own(p string) (own bool) {
	above(p, func(dir string) bool {
		_, changed := b.paths[dir]
		own = changed || b.replaced[dir]
		return !own
	})
	return own
}

// Lstat implements Backend.
func (b *patched) Lstat(p string) (Inode, error) {
	in, changed := b.paths[p]
	switch {
	case in.Link != "":
		return b.link(in.Files, in.From, in.Link)
	case in.Files != nil:
		info, err := in.Files.Stat(in.From)
		return Inode{Kind: info.Kind, Size: info.Size, Exec: in.Exec}, err
	case in.Text != nil:
		return Inode{Kind: Regular, Size: int64(len(in.Text.Text)), Exec: in.Exec}, nil
	case b.dirs[p]:
		return Inode{Kind: Directory}, nil
	case changed || b.own(p):
		return Inode{}, missing(p)
	}
	info, err := b.under.Stat(p)
	if target, err := b.under.Link(p); err == nil && target != "" {
		return b.link(b.under, p, target)
	}
	if err != nil && b.near[p] {
		return Inode{Kind: Directory}, nil
	}
	if _, less := b.dirs[p]; less && info.IsDir() {
		if list, err := b.Names(p); err == nil && len(list) == 0 {
			return Inode{}, missing(p)
		}
	}
	return Inode{Kind: info.Kind, Size: info.Size, Exec: info.Exec}, err
}

// link is a link of a view, with the error that the view has where its text seems to lead somewhere.
func (b *patched) link(files Files, p, target string) (Inode, error) {
	in := Inode{Link: true, Target: target}
	if b.textual {
		return in, nil
	}
	by, byErr := b.byText(files).Real(p)
	real, err := files.Real(p)
	switch {
	case by == real || err != nil && byErr != nil:
		return in, nil
	case err == nil:
		in.Target = real
	}
	return in, err
}

// byText is a view with its links followed by their texts.
func (b *patched) byText(files Files) *View {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.texts[files] == nil {
		b.texts[files] = (&patched{under: files, near: map[string]bool{}, textual: true}).view().View
	}
	return b.texts[files]
}

// Names implements Backend.
func (b *patched) Names(p string) (out []Inode, err error) {
	if _, changed := b.paths[p]; !changed && !b.replaced[p] && !b.own(p) {
		info, err := b.under.Stat(p)
		if list, listErr := b.under.List(p); listErr == nil {
			for _, e := range list {
				at := path.Join(p, e.Name)
				_, changed := b.paths[at]
				if _, above := b.dirs[at]; changed || above {
					continue
				}
				if e.Link { // what it leads to is looked for here
					e.Kind = Other
				}
				out = append(out, Inode{Name: e.Name, Kind: e.Kind, Link: e.Link})
			}
		} else if !b.dirs[p] || err == nil && info.IsDir() { // else what is new makes the directory
			return nil, listErr
		}
	}
	for _, at := range b.in[p] {
		if in, err := b.Lstat(at); err == nil || in.Link {
			in.Name = path.Base(at)
			out = append(out, in)
		}
	}
	return out, nil
}

// Read implements Backend.
func (b *patched) Read(p string, _ Inode) (Content, error) {
	switch in := b.paths[p]; {
	case in.Files != nil:
		return in.Files.Read(in.From)
	case in.Text != nil:
		return *in.Text, nil
	}
	return b.under.Read(p)
}
