package diff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"bunraku/source"
	"bunraku/source/git"
)

// A Hunk is a place where two states of a tree differ: lines of a file that became other lines, or a whole file if it
// came, went, or is no text. Hunks can be applied one by one, which is how causes are confirmed.
type Hunk struct {
	Path   string // absolute
	File   string // for people
	Old    Range  // lines of the old file
	New    Range  // lines of the new file
	Whole  bool   // it is the whole file
	Came   bool   // the file is new
	Went   bool   // the file is gone
	Mode   bool   // it is not what the file holds, but that it may be run, or may not any more
	Link   bool   // it is a link on one side, or both, which is another one or none on the other
	Commit string // the last one that changed these lines; "" if it is not known, or not committed
	Author string
	Title  string // of the commit

	exec bool // of a Mode: it may be run now

	// Effect is why the hunk is the cause of no change; "" if it is of one, or if that is not known.
	Effect string
	// Unseen says, of a hunk without an effect that anybody has seen, why that is not all there is to say.
	Unseen string
}

// A Range is lines of a file, from 1; End is the last one, and lies before First if there are none, or is 0 with it if
// there is no file, or none that has lines.
type Range struct {
	First int `json:"first"`
	End   int `json:"last"`
}

// None reports whether there are no lines.
func (r Range) None() bool { return r.End < max(r.First, 1) }

// String is the place for people: lines of the new file, or of the old one where there are none.
func (h *Hunk) String() string {
	r := h.New
	switch {
	case h.Mode && h.exec:
		return h.File + ", executable"
	case h.Mode:
		return h.File + ", not executable"
	case h.Went:
		return h.File + ", removed"
	case h.Came:
		return h.File + ", new"
	case h.Whole:
		return h.File
	case r.None():
		r = h.Old
		return fmt.Sprintf("%s:%s, removed", h.File, r)
	}
	return fmt.Sprintf("%s:%s", h.File, r)
}

// String is the lines.
func (r Range) String() string {
	if r.End <= r.First {
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.End)
}

// A Patch is all hunks between two states of a tree, and makes the states between them.
type Patch struct {
	Hunks []*Hunk

	old, new source.Files
	by       map[string][]*Hunk // by path
}

// NewPatch compares the files at some paths, absolute ones, between two states. shown gives the names that people see;
// modes tells that whether a file may be run counts.
func NewPatch(ctx context.Context, old, new source.Files, paths []string, modes bool,
	shown func(string) string) (*Patch, error) {
	p := &Patch{old: old, new: new, by: map[string][]*Hunk{}}
	var links []*Hunk // that say the same
	newlyLinks := func(files, other source.Files) map[string]bool {
		out := map[string]bool{}
		for _, name := range paths {
			to, _ := files.Link(name) // none if nothing is there
			if was, _ := other.Link(name); to != "" && to != was {
				out[name] = true
			}
		}
		return out
	}
	oldLinks, newLinks := newlyLinks(old, new), newlyLinks(new, old)
	for _, name := range paths {
		a, hadErr := readThere(old, name, oldLinks)
		b, hasErr := readThere(new, name, newLinks)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		wasLink, isLink := "", "" // none if nothing is there
		if !through(name, oldLinks) {
			wasLink, _ = old.Link(name)
		}
		if !through(name, newLinks) {
			isLink, _ = new.Link(name)
		}
		had, has := wasLink != "" || isFile(old, name, hadErr), isLink != "" || isFile(new, name, hasErr)
		h := &Hunk{Path: name, File: shown(name), Whole: true, Link: wasLink != isLink}
		if exec := executable(new, name); modes && had && has && wasLink+isLink == "" && exec != executable(old, name) {
			p.Hunks = append(p.Hunks, &Hunk{Path: name, File: h.File, Whole: true, Mode: true, exec: exec})
		}
		if wasLink != "" && !h.Link {
			links = append(links, h)
			continue
		}
		switch {
		case !had && !has:
			continue
		case had && has && h.Link:
		case hadErr == nil && hasErr == nil && a.Digest == b.Digest:
			continue
		case !had || !has:
			h.Came, h.Went = !had, !has
			if h.Came && isLink == "" {
				h.New = Range{1, len(lines(b.Text))}
			}
			if h.Went && wasLink == "" {
				h.Old = Range{1, len(lines(a.Text))}
			}
		case hadErr == nil && hasErr == nil && isText(a.Text) && isText(b.Text):
			list, err := git.Lines(ctx, a.Text, b.Text)
			if err != nil {
				return nil, err
			}
			for _, x := range list {
				p.add(&Hunk{Path: name, File: h.File, Old: Range{x.Old + 1, x.OldEnd}, New: Range{x.New + 1, x.NewEnd}})
			}
			continue
		}
		p.add(h)
	}
	if err := p.addMoved(links); err != nil {
		return nil, err
	}
	all := slices.Clone(p.Hunks)
	p.Hunks = slices.DeleteFunc(p.Hunks, func(h *Hunk) bool { // what comes in its place takes it away
		return h.Went && slices.ContainsFunc(all, func(x *Hunk) bool {
			return h.Link && x.Came && strings.HasPrefix(x.Path, h.Path+"/") ||
				x.Link && !x.Went && strings.HasPrefix(h.Path, x.Path+"/")
		})
	})
	return p, nil
}

// through reports whether one of some links is on the way to a path: what is seen there is not at the path itself.
func through(name string, links map[string]bool) bool {
	for dir := path.Dir(name); len(links) > 0 && dir != path.Dir(dir); dir = path.Dir(dir) {
		if links[dir] {
			return true
		}
	}
	return false
}

// readThere reads what is at a path itself, and not where some links lead to.
func readThere(files source.Files, name string, links map[string]bool) (source.Content, error) {
	if through(name, links) {
		return source.Content{}, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return files.Read(name)
}

// addMoved adds those of some links, which say the same on both sides, that lead elsewhere though no other hunk makes
// them do so: the sides are directories from which they are seen.
func (p *Patch) addMoved(links []*Hunk) error {
	if len(links) == 0 {
		return nil
	}
	all, err := p.Apply(p.Hunks)
	if err != nil {
		return err
	}
	for _, h := range links {
		was, err := all.Real(h.Path)
		if is, isErr := p.new.Real(h.Path); was != is || (err == nil) != (isErr == nil) {
			p.add(h)
		}
	}
	slices.SortStableFunc(p.Hunks, func(a, b *Hunk) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// isFile reports whether a file is at a path, given what reading it said. Where another side has one there may be a
// directory, or a file in the place of a directory that the other side's is in.
func isFile(files source.Files, name string, err error) bool {
	if err == nil {
		return true
	}
	info, dirErr := files.Stat(name)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) && (dirErr != nil || !info.IsDir())
}

// executable reports whether a file may be run.
func executable(files source.Files, name string) bool {
	info, err := files.Stat(name)
	return err == nil && info.Exec
}

func (p *Patch) add(h *Hunk) {
	p.Hunks = append(p.Hunks, h)
	p.by[h.Path] = append(p.by[h.Path], h)
}

// Apply is the old state with some of the hunks. A hunk of a link changes where its name leads, and nothing of what is
// there.
func (p *Patch) Apply(hunks []*Hunk) (source.Files, error) {
	paths := map[string]source.Instead{}
	done, exec := map[string]bool{}, map[string]bool{}
	for _, h := range hunks {
		if h.Mode {
			exec[h.Path] = h.exec
		}
	}
	for _, h := range hunks {
		if h.Mode || done[h.Path] {
			continue
		}
		done[h.Path] = true
		at := p.place(h.Path)
		may, said := exec[h.Path]
		if !said {
			may = executable(p.old, h.Path) || h.Came && executable(p.new, h.Path)
		}
		switch link, _ := p.new.Link(h.Path); {
		case h.Went:
			paths[at] = source.Instead{}
		case h.Whole:
			paths[at] = source.Instead{Link: link, Files: p.new, From: h.Path, Exec: may}
		default:
			var these []*Hunk
			for _, x := range p.by[h.Path] {
				if slices.Contains(hunks, x) {
					these = append(these, x)
				}
			}
			text, err := p.merge(h.Path, these)
			if err != nil {
				return nil, err
			}
			content := source.NewContent(text)
			paths[at] = source.Instead{Text: &content, Exec: may}
		}
	}
	for name, may := range exec {
		if !done[name] {
			paths[p.place(name)] = source.Instead{Files: p.old, From: name, Exec: may}
		}
	}
	return source.NewPatched(p.old, paths), nil
}

// place is the real path of one that is not the same. Of the links on the way there are only those above the tree: what
// is in a directory that is a link on the other side lies in the directory, and not where the link leads.
func (p *Patch) place(name string) string {
	dir := path.Dir(name)
	for at := dir; at != path.Dir(at); at = path.Dir(at) {
		if slices.ContainsFunc(p.by[at], func(h *Hunk) bool { return h.Link }) {
			dir = path.Dir(at)
		}
	}
	real, err := source.RealOrNew(p.old, dir)
	if err != nil { // nobody may look at it
		real = dir
	}
	return path.Join(real, strings.TrimPrefix(name, dir))
}

// merge is the text of a file with some of its hunks, which come in order.
func (p *Patch) merge(name string, hunks []*Hunk) (string, error) {
	a, err := p.old.Read(name)
	if err != nil {
		return "", err
	}
	b, err := p.new.Read(name)
	if err != nil {
		return "", err
	}
	old, new := strings.SplitAfter(a.Text, "\n"), strings.SplitAfter(b.Text, "\n")
	var out strings.Builder
	at := 0
	write := func(lines []string) {
		for _, l := range lines {
			if n := out.Len(); l != "" && n > 0 && !strings.HasSuffix(out.String()[max(0, n-1):], "\n") {
				out.WriteByte('\n') // what was the last line, without an end, no longer is
			}
			out.WriteString(l)
		}
	}
	for _, h := range hunks {
		write(old[at : h.Old.First-1])
		write(new[h.New.First-1 : h.New.End])
		at = h.Old.End
	}
	write(old[at:])
	return out.String(), nil
}
