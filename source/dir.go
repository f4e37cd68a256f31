package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Dir is a view of the machine's own files, which somebody may be writing at the same time.
//
// It reads lazily, and still shows one state. Whatever it looks at it pins: device, inode, size and the times of its
// last change. A thing whose last change lies safely before the view was made is as it was then, whenever it is read.
// Anything younger is in doubt; then Confirm looks at all pins again. If none has changed, everything was true together
// at the moment in which Confirm began, and the view speaks of that moment from then on. So an unchanging tree costs no
// second look, and a tree that was written a moment ago one.
//
// Time stamps have a granularity: a file that is written twice within it looks the same both times. As in git's index,
// a file that was read that soon after its change is not trusted to be told by its pin, and is compared by its content.
//
// A directory that is swapped for another is noticed by its inode, which is compared each time that a way leads through
// it for the first time. What lies above the roots is not watched.
type Dir struct {
	*View
	disk *disk
	opt  DirOptions
}

// DirOptions say which of the machine's files may be read. Relative paths are seen from where the program runs.
type DirOptions struct {
	Roots []string // directories or files that the user named
	// the same for directories of modules: the links in one were put there by who runs the machine, and are roots, too
	Modules  []string
	Trees    []string // directories that belong to what the user named: the repository that a root is in
	Anywhere bool     // everything may be read
}

// NewDir makes a view of the files as they are now.
func NewDir(opt DirOptions) *Dir { return newDir(opt, &texts{kept: map[string]*kept{}}) }

func newDir(opt DirOptions, texts *texts) *Dir {
	var given, real []string
	add := func(p string) string {
		r := p
		if to, err := filepath.EvalSymlinks(p); err == nil {
			r = to
		}
		given, real = append(given, filepath.ToSlash(p)), append(real, filepath.ToSlash(r))
		return r
	}
	for _, p := range opt.Roots {
		add(Absolute(p))
	}
	trees := slices.Clone(real)
	for _, p := range opt.Modules {
		p = Absolute(p)
		in := add(p)
		if slices.ContainsFunc(trees, func(tree string) bool { return below(tree, filepath.ToSlash(in)) }) {
			continue // of the tree itself: its links are not the user's
		}
		entries, _ := os.ReadDir(p) // a module path that is not there has no modules
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				add(filepath.Join(p, e.Name()))
			}
		}
	}
	for _, p := range opt.Trees {
		add(Absolute(p))
	}
	texts.begin()
	d := &disk{at: time.Now(), texts: texts, pins: map[string]*pinned{}, roots: real, anywhere: opt.Anywhere}
	return &Dir{NewView(d, given, real, opt.Anywhere), d, opt}
}

// With is a view of the same files that also shows some directories. The links in these are the tree's own.
func (d *Dir) With(dirs ...string) *Dir {
	opt := d.opt
	opt.Trees = append(slices.Clone(opt.Trees), dirs...)
	return newDir(opt, d.disk.texts)
}

// Enters is where links of the machine lead from a path that does not lie in a directory and leads there: the path in
// the directory, with no link in that followed; "" if it leads elsewhere, or may not be read. The directory is named
// without links. Who shows another state of the directory answers for such a path, too.
func (d *Dir) Enters(dir, p string) string {
	if !d.covers(p) || below(dir, p) {
		return ""
	}
	top := filepath.ToSlash(filepath.VolumeName(p)) + "/"
	at, rest := top, strings.Split(p[len(top):], "/")
	for links := 0; len(rest) > 0; {
		step := rest[0]
		rest = rest[1:]
		if at = path.Join(at, step); below(dir, at) {
			return path.Join(append([]string{at}, rest...)...)
		}
		target, err := os.Readlink(at)
		if err != nil {
			continue // it is no link, or not there
		}
		if links++; links > maxLink {
			return ""
		}
		if target, at = filepath.ToSlash(target), path.Dir(at); IsAbs(target) {
			at, target = top, strings.TrimPrefix(target, top)
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return ""
}

// Absolute is a path as seen from the root of the file system, clean and slashed. It reads no file.
func Absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(filepath.Clean(p))
}

// IsAbs reports whether a path is seen from the root of a file system: this machine's, which may have several (C:/), or
// that of a view that has one.
func IsAbs(p string) bool { return path.IsAbs(p) || filepath.IsAbs(p) }

// SplitPaths cuts a list of paths at its colons, as Puppet does. Where drives have letters (C:/code), their colons do
// not cut, and semicolons do: a tree that was written for servers is read there as well.
func SplitPaths(list string) []string { return splitPaths(list, os.PathListSeparator == ';') }

func splitPaths(list string, drives bool) (out []string) {
	if !drives {
		return strings.Split(list, ":")
	}
	for _, part := range strings.Split(list, ";") {
		for i, p := range strings.Split(part, ":") {
			if n := len(out) - 1; i > 0 && driveLetter.MatchString(out[n]) && strings.IndexAny(p, `/\`) == 0 {
				out[n] += ":" + p
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

var driveLetter = regexp.MustCompile(`^[A-Za-z]$`)

// Fresh implements Live. What has not changed since is not read again.
func (d *Dir) Fresh() Files { return newDir(d.opt, d.disk.texts) }

// Confirm implements Live.
func (d *Dir) Confirm() error { return d.disk.confirm() }

// Stale reports whether something that the view has shown looks different by now, so that a fresh view would show
// something else. What has not been looked at does not count.
func (d *Dir) Stale() bool { return d.disk.stale() }

// Read implements Files.
func (d *Dir) Read(p string) (Content, error) {
	if d.disk.changed.Load() {
		return Content{}, ErrChanged
	}
	return d.View.Read(p)
}

// Stat implements Files.
func (d *Dir) Stat(p string) (Info, error) {
	if d.disk.changed.Load() {
		return Info{}, ErrChanged
	}
	return d.View.Stat(p)
}

// List implements Files.
func (d *Dir) List(p string) ([]Entry, error) {
	if d.disk.changed.Load() {
		return nil, ErrChanged
	}
	return d.View.List(p)
}

// Link implements Files.
func (d *Dir) Link(p string) (string, error) {
	if d.disk.changed.Load() {
		return "", ErrChanged
	}
	return d.View.Link(p)
}

// A pin is what tells one state of a file from another.
type pin struct {
	dev, ino     uint64
	size         int64
	mtime, ctime int64 // nanoseconds
	mode         fs.FileMode
}

// same reports whether it is still the same thing, whatever was changed in it.
func (p pin) same(q pin) bool {
	return p.dev == q.dev && p.ino == q.ino && p.mode.Type() == q.mode.Type()
}

// younger reports whether the last change may have happened after a moment: time stamps lag behind the clock by a tick
// of the kernel, and some file systems count in steps of two seconds.
func (p pin) younger(t time.Time) bool {
	lag := 20 * time.Millisecond
	if p.ctime%1e9 == 0 {
		lag = 2 * time.Second
	}
	return p.ctime >= t.Add(-lag).UnixNano()
}

// pinned is a pin with what hangs on it.
type pinned struct {
	pin
	absent bool
	whole  bool // a file that was read, a directory that was listed, a link: not only which one it is matters
	read   bool
	when   time.Time // of reading, if the pin may not tell a change since
	digest Digest    // then
}

// A disk is the Backend of a Dir.
type disk struct {
	roots    []string
	anywhere bool
	texts    *texts
	changed  atomic.Bool

	mu    sync.Mutex
	at    time.Time // the moment that the view speaks of
	doubt bool
	pins  map[string]*pinned
}

func (d *disk) watched(p string) bool {
	return slices.ContainsFunc(d.roots, func(r string) bool { return below(r, p) })
}

func (d *disk) change() error {
	d.changed.Store(true)
	return ErrChanged
}

// keep notes a pin. One that contradicts an earlier one is a change.
func (d *disk) keep(p string, now pinned) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.pins[p]
	switch {
	case was == nil:
		d.pins[p] = &now
		was = &now
	case was.absent != now.absent || !was.absent && !was.same(now.pin) || (was.whole || now.whole) && was.pin != now.pin:
		return d.change()
	case now.whole:
		was.whole = true
	}
	if !was.absent && was.younger(d.at) && d.watched(p) {
		d.doubt = true
	}
	return nil
}

// passed compares the directory of a path with what it was when it was first passed.
func (d *disk) passed(p string, absent bool) error {
	dir := filepath.ToSlash(filepath.Dir(p))
	d.mu.Lock()
	was := d.pins[dir]
	d.mu.Unlock()
	if was == nil || !d.watched(dir) {
		return nil
	}
	now, err := lstat(dir)
	if err != nil || !was.same(now) {
		return d.change()
	}
	if absent { // what is not there has no time stamp of its own
		d.mu.Lock()
		d.doubt = d.doubt || now.younger(d.at)
		d.mu.Unlock()
	}
	return nil
}

func lstat(p string) (pin, error) {
	info, err := os.Lstat(p)
	if err != nil {
		return pin{}, err
	}
	return pinOf(info), nil
}

// Lstat implements Backend.
func (d *disk) Lstat(p string) (Inode, error) {
	now, err := lstat(p)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return Inode{}, err
		}
		if e := d.passed(p, true); e != nil {
			return Inode{}, e
		}
		if e := d.keep(p, pinned{absent: true}); e != nil {
			return Inode{}, e
		}
		return Inode{}, err
	}
	in := Inode{Kind: kindOf(now.mode), Size: now.size, Exec: now.mode.IsRegular() && now.mode&0o100 != 0}
	if now.mode&fs.ModeSymlink != 0 {
		in.Link = true
		if in.Target, err = os.Readlink(p); err != nil {
			return Inode{}, d.change()
		}
		in.Target = filepath.ToSlash(in.Target)
	}
	if err := d.passed(p, false); err != nil {
		return Inode{}, err
	}
	return in, d.keep(p, pinned{pin: now, whole: in.Link || in.Kind == Regular})
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return Regular
	case mode.IsDir():
		return Directory
	}
	return Other
}

// open opens what was pinned and nothing else. A pipe or device that has taken its place does not make it wait.
func (d *disk) open(p string) (*os.File, pin, error) {
	f, err := os.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK|noFollow, 0)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, pin{}, err
		}
		return nil, pin{}, d.change()
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, pin{}, d.change()
	}
	d.mu.Lock()
	known := d.pins[p]
	var was pinned
	if known != nil {
		was = *known // others may come to know more of it
	}
	d.mu.Unlock()
	now := pinOf(info)
	if known == nil || !was.same(now) || was.whole && was.pin != now {
		f.Close()
		return nil, pin{}, d.change()
	}
	return f, now, nil
}

// Names implements Backend.
func (d *disk) Names(p string) ([]Inode, error) {
	f, before, err := d.open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || pinOf(info) != before {
		return nil, d.change()
	}
	out := make([]Inode, len(entries))
	for i, e := range entries {
		out[i] = Inode{Name: e.Name(), Kind: kindOf(e.Type()), Link: e.Type()&fs.ModeSymlink != 0}
	}
	return out, d.keep(p, pinned{pin: before, whole: true})
}

// Read implements Backend.
func (d *disk) Read(p string, was Inode) (Content, error) {
	d.mu.Lock()
	pinned := d.pins[p]
	d.mu.Unlock()
	if c, known := d.texts.find(p, pinned.pin); known {
		if err := d.passed(p, false); err != nil {
			return Content{}, err
		}
		return c, nil
	}
	when := time.Now()
	c, now, err := d.readNow(p, was.Size)
	if err != nil {
		return Content{}, err
	}
	if now.younger(when) {
		d.mu.Lock()
		pinned.read, pinned.when, pinned.digest = true, when, c.Digest
		d.mu.Unlock()
	} else {
		d.texts.add(p, now, c)
	}
	return c, nil
}

// readNow reads a file whole, or as much as may be read.
func (d *disk) readNow(p string, size int64) (Content, pin, error) {
	f, before, err := d.open(p)
	if err != nil {
		return Content{}, pin{}, err
	}
	defer f.Close()
	var text bytes.Buffer
	text.Grow(int(size) + 1)
	if size == 0 {
		size = MaxFile // the kernel's own files do not tell how long they are
	}
	n, err := io.Copy(&text, io.LimitReader(f, size+1))
	if err != nil {
		return Content{}, pin{}, err
	}
	if info, err := f.Stat(); err != nil || pinOf(info) != before || n > size || before.size > 0 && n != before.size {
		return Content{}, pin{}, d.change()
	}
	return NewContent(text.String()), before, nil
}

// stale looks at everything once more. Who reads meanwhile is not held up.
func (d *disk) stale() bool {
	if d.changed.Load() {
		return true
	}
	d.mu.Lock()
	pins := make(map[string]pinned, len(d.pins))
	for p, was := range d.pins {
		if d.watched(p) || was.whole {
			pins[p] = *was
		}
	}
	d.mu.Unlock()
	for p, was := range pins {
		is, err := lstat(p)
		switch {
		case was.absent:
			if err == nil {
				return true
			}
		case err != nil || !was.same(is) || was.whole && was.pin != is:
			return true
		case was.read:
			if text, err := os.ReadFile(p); err != nil || NewContent(string(text)).Digest != was.digest {
				return true
			}
		}
	}
	return false
}

// confirm looks at everything once more if there is doubt.
func (d *disk) confirm() error {
	if d.changed.Load() {
		return ErrChanged
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.doubt {
		return nil
	}
	now := time.Now()
	for p, was := range d.pins {
		if !d.watched(p) && !was.whole {
			continue
		}
		is, err := lstat(p)
		if was.absent {
			if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				return d.change()
			}
			continue
		}
		if err != nil || !was.same(is) || was.whole && was.pin != is {
			return d.change()
		}
		if was.read {
			text, err := os.ReadFile(p)
			if err != nil || NewContent(string(text)).Digest != was.digest {
				return d.change()
			}
			was.read = is.younger(now)
		}
	}
	d.at, d.doubt = now, false
	return nil
}

// texts keeps what was read for the views to come, the newest text of each file, as long as views want it.
type texts struct {
	mu   sync.Mutex
	kept map[string]*kept
	view int
}

type kept struct {
	pin
	Content
	used int // by which view last
}

// begin is a new view: what the last two did not want is forgotten.
func (t *texts) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.view++
	for p, k := range t.kept {
		if k.used < t.view-2 {
			delete(t.kept, p)
		}
	}
}

func (t *texts) find(p string, now pin) (Content, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kept[p]
	if k == nil || k.pin != now {
		return Content{}, false
	}
	k.used = t.view
	return k.Content, true
}

func (t *texts) add(p string, now pin, c Content) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept[p] = &kept{now, c, t.view}
}
