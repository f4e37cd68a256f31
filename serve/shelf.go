package serve

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/source"
)

// Files that are served lie on the disk or in a revision. Of both the same is asked: what is at a path, what it holds.
//
// On the disk a file is opened by a way without any link on it, below an open directory (os.Root), so that nothing can
// be put in between. A revision is all inside of itself: links of it lead nowhere else.

// A thing is what is at a path.
type thing struct {
	mode         fs.FileMode
	uid, gid     uint32
	perm         uint32
	mtime, ctime time.Time
	target       string // of a link
	key          sumKey // the same for the same content
	open         func() (io.ReadCloser, error)
}

// outside says that a link leads away. So does a path behind such a link, whether there is something or not: nobody is
// told what lies there.
func outside(path string) error {
	return failed("%s leads out of what may be served: the environment, its modules, and what --root names", path)
}

// look says what is at the path; a link there is followed if that is wanted.
func (f found) look(follow bool) (*thing, error) {
	if f.rev != nil {
		return f.lookRevision(follow)
	}
	root, rel, err := f.enter(follow)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(rel)
	if err != nil {
		return nil, err
	}
	t := f.thing(filepath.Join(root.Name(), rel), info)
	if t.mode&fs.ModeSymlink != 0 {
		t.target, err = root.Readlink(rel)
	}
	return t, err
}

// thing is what the disk says of the path, which really leads to full.
func (f found) thing(full string, info fs.FileInfo) *thing {
	t := &thing{mode: info.Mode(), mtime: info.ModTime(), ctime: changed(info),
		key: sumKey{path: full, size: info.Size(), mtime: info.ModTime().UnixNano(), ctime: changed(info).UnixNano(),
			inode: inode(info)}}
	if uid, gid, mode, ok := owned(info); ok {
		t.uid, t.gid, t.perm = uid, gid, mode
	}
	t.open = func() (io.ReadCloser, error) {
		file, _, err := f.content()
		return file, err
	}
	return t
}

// An entry is something in a directory: what it is, or nil where only its path tells, as for links.
type entry struct {
	name string
	*thing
}

// A tree is a directory whose entries are looked at, and those of the directories in it. On the disk it is opened once:
// to find the way to every entry anew costs more than all else that a listing of plugins does.
type tree struct {
	top  found
	root *os.Root // nil for a revision
	rel  string   // from there to the top
}

func (f found) tree() (*tree, error) {
	if f.rev != nil {
		return &tree{top: f}, nil
	}
	root, rel, err := f.enter(true)
	return &tree{f, root, rel}, err
}

func (t *tree) close() {
	if t.root != nil {
		t.root.Close()
	}
}

// entries lists a directory of the tree. There must be no link on the way to it from the top.
func (t *tree) entries(rel string) ([]entry, error) {
	f := t.top.at(filepath.Join(t.top.path, rel))
	if t.root == nil {
		names, err := f.names()
		list := make([]entry, len(names))
		for i, name := range names {
			list[i].name = name
		}
		return list, err
	}
	here, err := t.root.OpenRoot(filepath.Join(t.rel, rel))
	if err != nil {
		return nil, err
	}
	defer here.Close()
	dir, err := here.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	slices.Sort(names)
	full := filepath.Join(t.root.Name(), t.rel, rel)
	list := make([]entry, len(names))
	for i, name := range names {
		list[i].name = name
		if info, err := here.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			list[i].thing = f.at(filepath.Join(f.path, name)).thing(filepath.Join(full, name), info)
		}
	}
	return list, err
}

// content opens a regular file, whose path may be a link to it, and tells its size.
func (f found) content() (io.ReadCloser, int64, error) {
	if f.rev != nil {
		if t, err := f.lookRevision(true); err != nil {
			return nil, 0, err
		} else if !t.mode.IsRegular() {
			return nil, 0, fs.ErrNotExist
		}
		c, err := f.rev.Files().Read(f.path)
		return io.NopCloser(strings.NewReader(c.Text)), int64(len(c.Text)), err
	}
	file, err := f.open()
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// names lists a directory.
func (f found) names() (names []string, err error) {
	if f.rev != nil {
		list, err := f.rev.Files().List(f.path)
		for _, e := range list {
			names = append(names, e.Name)
		}
		return names, err
	}
	dir, err := f.open()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err = dir.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// exists reports whether there is something at the path. A link that leads away is something, and so is what cannot be
// read: whoever wants to know more of it is told why that can't be.
func (f found) exists() bool {
	_, err := f.look(true)
	return !absent(err)
}

// open opens a file or directory of the disk.
func (f found) open() (*os.File, error) {
	root, rel, err := f.enter(true)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(rel, os.O_RDONLY|nonblock, 0)
}

// enter opens the directory below which the path really lies, and is the way from there, without links. The last step
// is not followed if links are to be seen as such.
func (f found) enter(follow bool) (root *os.Root, rel string, err error) {
	var real string
	if follow {
		real, err = filepath.EvalSymlinks(f.path)
	} else {
		var dir string
		dir, err = filepath.EvalSymlinks(filepath.Dir(f.path))
		real = filepath.Join(dir, filepath.Base(f.path))
	}
	if err != nil {
		for dir := filepath.Dir(f.path); ; dir = filepath.Dir(dir) { // how far is there a way?
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				if _, _, in := f.below(real); !in {
					return nil, "", outside(f.path)
				}
				break
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
		if _, said := os.Stat(f.path); said != nil { // links without end have no error of their own otherwise
			err = said
		}
		return nil, "", err
	}
	to, rel, in := f.below(real)
	if !in {
		return nil, "", outside(f.path)
	}
	root, err = os.OpenRoot(to)
	return root, rel, err
}

// below is the root that a path without links lies below, and the way from there.
func (f found) below(real string) (root, rel string, in bool) {
	for _, root := range f.roots {
		to, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(to, real); err == nil && filepath.IsLocal(rel) {
			return to, rel, true
		}
	}
	return "", "", false
}

// lookRevision says what a revision has at the path. Everything in it is ours, and as old as its last commit.
func (f found) lookRevision(follow bool) (*thing, error) {
	path := f.path
	if follow {
		real, err := f.rev.Files().Real(path)
		if refused := (*source.Refused)(nil); errors.As(err, &refused) {
			return nil, outside(f.path)
		}
		if err != nil {
			return nil, err
		}
		path = real
	}
	in, runs, err := f.rev.Lstat(path)
	if err != nil {
		return nil, err
	}
	t := &thing{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid()), perm: 0o644, mtime: f.rev.Time, ctime: f.rev.Time,
		target: in.Target, key: sumKey{path: f.rev.ID + ":" + path}}
	switch {
	case in.Link:
		t.mode, t.perm = fs.ModeSymlink, 0o777
	case in.Kind == source.Directory:
		t.mode, t.perm = fs.ModeDir, 0o755
	case in.Kind != source.Regular:
		t.mode = fs.ModeIrregular
	}
	if runs {
		t.perm = 0o755
	}
	t.open = func() (io.ReadCloser, error) { file, _, err := f.at(path).content(); return file, err }
	return t, nil
}

// of is the checksum of a regular file.
func (s *sums) of(t *thing, kind string) (string, error) {
	switch kind {
	case "none":
		return "", nil
	case "mtime":
		return rubyTime(t.mtime), nil
	case "ctime":
		return rubyTime(t.ctime), nil
	}
	key := t.key
	key.kind = kind
	s.mu.Lock()
	sum, known := s.known[key]
	s.mu.Unlock()
	if known {
		return sum, nil
	}
	f, err := t.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := newSum[kind]()
	var from io.Reader = f
	if strings.HasSuffix(kind, "lite") {
		from = io.LimitReader(f, 512)
	}
	if _, err := io.Copy(h, from); err != nil {
		return "", err
	}
	sum = hex.EncodeToString(h.Sum(nil))
	if key.inode != 0 && time.Since(t.ctime) < 2*often { // it may be written again without looking different
		return sum, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSums {
		s.known = map[sumKey]string{}
	}
	s.known[key] = sum
	return sum, nil
}
