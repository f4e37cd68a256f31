package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An ID names an object: the bytes of its hash.
type ID string

// String is the hash in hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString([]byte(id)) }

// A kind is a kind of object, by git's own numbers.
type kind uint8

const (
	commitKind kind = 1 + iota
	treeKind
	blobKind
	tagKind
	_
	offsetDelta
	nameDelta
)

func (k kind) String() string {
	return [...]string{"object", "commit", "tree", "blob", "tag", "object", "delta", "delta"}[k&7]
}

func kindOf(name string) (kind, bool) {
	for _, k := range []kind{commitKind, treeKind, blobKind, tagKind} {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// Missing says that a repository does not have an object.
type Missing struct {
	ID  ID
	Why string // "" when nothing is known
}

func (m *Missing) Error() string {
	if m.Why != "" {
		return "object " + m.ID.String() + " is missing: " + m.Why
	}
	return "object " + m.ID.String() + " is missing"
}

// Corrupt says that something in a repository is not what it must be.
type Corrupt struct{ What, Why string }

func (c *Corrupt) Error() string { return c.What + " is corrupt: " + c.Why }

// TooBig says that an object exceeds the bound on sizes.
type TooBig struct {
	ID   ID
	Size int64
}

func (t *TooBig) Error() string { return fmt.Sprintf("object %s has %d bytes", t.ID, t.Size) }

// A spender counts bytes of work: what was inflated, copied or compared. It ends the question by a panic of package
// budget.
type spender func(n int64)

func (s spender) spend(n int64) {
	if s != nil {
		s(n)
	}
}

// An object is what is stored under a name. Its bytes are shared: nobody changes them.
type object struct {
	kind kind
	data []byte
}

// A store is a directory of objects: the repository's own or an alternate.
type store struct {
	door  *door
	at    string // below the door: "objects", or "" for an alternate
	packs []*pack
}

func (s *store) close() error {
	for _, p := range s.packs {
		p.close()
	}
	return s.door.close()
}

// Bounds on what a store may consist of.
const (
	maxPacks      = 4096
	maxAlternates = 64
	alternateHops = 5 // as git
	maxScans      = 8 // in search of one object
)

// Others pack a repository while it is read: git gc puts objects that were files of their own, or in many packs, into
// one new pack and removes where they were. So what is known of packs is a stock, as of one moment, and it is the
// search for an object that notices when it is out of date: what is nowhere in it, or in a pack that is gone, may be in
// a pack that has come since. Then the directories are listed again, and if they list something else, the object is
// looked for again, as git does. The same holds for a repository that was cloned anew in the place of the former one.
// Whoever reads a revision need not know: it stays readable as long as the repository has its objects.

// A stock is where objects are, as of when the directories were listed. It is not changed.
type stock struct {
	stores  []*store
	refused []string // alternates that may not be read
}

// stock is the newest one; the first to ask makes it.
func (r *Repo) stock() (*stock, error) {
	if held := r.held.Load(); held != nil {
		return held, nil
	}
	held, _, err := r.restock(nil)
	return held, err
}

// Refresh looks for packs that have come since, and lets go of those that are gone.
func (r *Repo) Refresh() error {
	_, _, err := r.restock(r.held.Load())
	return err
}

// restock lists the directories again, unless somebody else has done so since was was made. It reports whether other
// packs are listed than in was.
func (r *Repo) restock(was *stock) (now *stock, other bool, err error) {
	r.scan.Lock()
	defer r.scan.Unlock()
	if held := r.held.Load(); held != was {
		return held, true, nil
	}
	now = &stock{}
	door, err := doorOf(was, r.common.dir)
	if err != nil {
		return nil, false, err
	}
	if err := r.addStore(now, was, &store{door: door, at: "objects"}, 0); err != nil {
		return nil, false, err
	}
	kept := map[*pack]bool{}
	for _, st := range now.stores {
		for _, p := range st.packs {
			kept[p] = true
		}
	}
	listed := func(s *stock) (names []string) {
		if s == nil {
			return nil
		}
		for _, st := range s.stores {
			names = append(names, fmt.Sprintf("%p", st.door)) // another one, when it was put in the place of the former
			for _, p := range st.packs {
				names = append(names, p.name)
			}
		}
		return names
	}
	if was != nil {
		for _, st := range was.stores {
			for _, p := range st.packs {
				if !kept[p] { // whoever still reads it has it open; after that it is closed with the last reference to it
					r.cache.forget(p)
				}
			}
		}
	}
	r.held.Store(now)
	return now, !slices.Equal(listed(was), listed(now)), nil
}

// addStore adds a directory of objects and its alternates. What was open stays so.
func (r *Repo) addStore(to, was *stock, s *store, hops int) error {
	to.stores = append(to.stores, s)
	var before []*pack
	if was != nil {
		for _, st := range was.stores {
			if st.door == s.door && st.at == s.at {
				before = st.packs
			}
		}
	}
	entries, err := s.door.list(filepath.Join(s.at, "pack"), 8*maxPacks)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !strings.HasPrefix(base, "pack-") {
			continue
		}
		if len(s.packs) == maxPacks {
			return &Unsupported{s.door.dir, fmt.Sprintf("more than %d packs are not supported", maxPacks)}
		}
		name := filepath.Join(s.at, "pack", base)
		if i := slices.IndexFunc(before, func(p *pack) bool { return p.name == name && !p.gone.Load() }); i >= 0 {
			s.packs = append(s.packs, before[i])
		} else {
			s.packs = append(s.packs, &pack{door: s.door, name: name, format: r.format})
		}
	}
	text, err := s.door.read(filepath.Join(s.at, "info", "alternates"), 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(s.door.dir, s.at, line)
		}
		real, err := filepath.EvalSymlinks(line)
		if err != nil || !inside(real, append([]string{r.work, r.common.dir}, r.opt.Roots...)) {
			to.refused = append(to.refused, line)
			continue
		}
		if hops == alternateHops || len(to.stores) == maxAlternates {
			return &Unsupported{s.door.dir, "alternates of alternates go too far"}
		}
		d, err := doorOf(was, real)
		if err != nil {
			to.refused = append(to.refused, line)
			continue
		}
		if err := r.addStore(to, was, &store{door: d}, hops+1); err != nil {
			return err
		}
	}
	return nil
}

// doorOf opens a directory that objects lie in, unless it is open already and nothing else has come in its place.
func doorOf(was *stock, dir string) (*door, error) {
	if was != nil {
		for _, st := range was.stores {
			if st.door.dir == dir && !st.door.replaced() {
				return st.door, nil
			}
		}
	}
	return openDoor(dir)
}

// object reads an object and checks that it is what its name says.
func (r *Repo) object(id ID, s spender) (object, error) {
	key := cacheKey{kind: 'o', id: id}
	if v, ok := r.cache.get(key); ok {
		return v.(object), nil
	}
	var o object
	err := r.search(id, s, func(p *pack, offset int64) (err error) {
		o, err = p.object(r, id, offset, s)
		return err
	}, func(st *store) (err error) {
		o, err = r.loose(st, id, s)
		return err
	})
	if err != nil {
		return object{}, err
	}
	s.spend(int64(len(o.data)))
	if r.name(o) != id {
		return object{}, &Corrupt{"object " + id.String(), "its content has another hash"}
	}
	r.cache.put(key, o, int64(len(o.data)))
	return o, nil
}

// name computes the hash that names an object.
func (r *Repo) name(o object) ID {
	h := r.format.new()
	var head [32]byte
	b := append(head[:0], o.kind.String()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(len(o.data)), 10)
	h.Write(append(b, 0))
	h.Write(o.data)
	return ID(h.Sum(nil))
}

// expect is object for one kind.
func (r *Repo) expect(id ID, k kind, s spender) ([]byte, error) {
	o, err := r.object(id, s)
	if err == nil && o.kind != k {
		err = fmt.Errorf("object %s is a %s, not a %s", id, o.kind, k)
	}
	return o.data, err
}

// search looks for an object, and hands the place where it is to the one or the other. When it is nowhere, or not there
// any more, the directories are listed again.
func (r *Repo) search(id ID, s spender, packed func(*pack, int64) error, loose func(*store) error) error {
	held, err := r.stock()
	if err != nil {
		return err
	}
	for scans := 0; ; scans++ {
		err := held.search(r, id, packed, loose)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next, other, err := r.restock(held)
		if err != nil {
			return err
		}
		for _, st := range next.stores {
			s.spend(int64(1 + len(st.packs)))
		}
		if !other || scans == maxScans {
			return next.missing(r, id)
		}
		held = next
	}
}

// search is fs.ErrNotExist when the object is in none of the stores.
func (held *stock) search(r *Repo, id ID, packed func(*pack, int64) error, loose func(*store) error) error {
	for _, st := range held.stores {
		for _, p := range st.packs {
			offset, ok, err := p.find(r, id)
			if ok {
				err = packed(p, offset)
			}
			if ok && err == nil || err != nil && !errors.Is(err, fs.ErrNotExist) { // a pack that is gone has nothing
				return err
			}
		}
		if err := loose(st); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fs.ErrNotExist
}

func (held *stock) missing(r *Repo, id ID) error {
	switch {
	case len(held.refused) > 0:
		return &Missing{id, "the repository borrows objects from " + printable(held.refused[0]) +
			", which lies outside; allow it with --root " + printable(held.refused[0])}
	case r.partial:
		return &Missing{id, "the repository is a partial clone; fetch it with git"}
	}
	return &Missing{ID: id}
}

// size tells how large an object is, reading as little as possible. It is what the repository says: reading checks it.
func (r *Repo) size(id ID, s spender) (int64, error) {
	if v, ok := r.cache.get(cacheKey{kind: 'o', id: id}); ok {
		return int64(len(v.(object).data)), nil
	}
	var size int64
	err := r.search(id, s, func(p *pack, offset int64) (err error) {
		size, err = p.size(r, id, offset, s)
		return err
	}, func(st *store) error {
		l, err := r.openLoose(st, id)
		if err != nil {
			return err
		}
		l.close()
		size = l.size
		return nil
	})
	return size, err
}

// loose reads an object that has a file of its own.
func (r *Repo) loose(st *store, id ID, s spender) (object, error) {
	l, err := r.openLoose(st, id)
	if err != nil {
		return object{}, err
	}
	defer l.close()
	if l.size > r.opt.MaxObject {
		return object{}, &TooBig{id, l.size}
	}
	data, err := l.inflater.rest(l.size)
	if err != nil {
		return object{}, &Corrupt{"object " + id.String(), err.Error()}
	}
	s.spend(l.size)
	return object{l.kind, data}, nil
}

type looseObject struct {
	*inflater
	file io.Closer
	kind kind
	size int64
}

func (l *looseObject) close() {
	l.inflater.free()
	l.file.Close()
}

// openLoose opens the file of a loose object and reads its header: kind, size, a zero.
func (r *Repo) openLoose(st *store, id ID) (*looseObject, error) {
	hex := id.String()
	f, _, err := st.door.open(filepath.Join(st.at, hex[:2], hex[2:]))
	if err != nil {
		return nil, err
	}
	corrupt := func(why string) error { f.Close(); return &Corrupt{"object " + hex, why} }
	z := inflaters.Get().(*inflater)
	if err := z.open(f); err != nil {
		z.free()
		return nil, corrupt(err.Error())
	}
	var head []byte
	for {
		c, err := z.one()
		if err != nil || len(head) == 40 {
			z.free()
			return nil, corrupt("it has no header")
		}
		if c == 0 {
			break
		}
		head = append(head, c)
	}
	name, digits, _ := strings.Cut(string(head), " ")
	k, ok := kindOf(name)
	size, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || size < 0 || strconv.FormatInt(size, 10) != digits {
		z.free()
		return nil, corrupt("its header says nonsense")
	}
	return &looseObject{z, f, k, size}, nil
}

// An inflater is a reusable zlib reader on a reusable buffer.
type inflater struct {
	in  *bufio.Reader
	out io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return &inflater{in: bufio.NewReaderSize(nil, 4096)} }}

func (z *inflater) free() {
	z.in.Reset(nil)
	inflaters.Put(z)
}

// open begins with the zlib stream that the reader begins with.
func (z *inflater) open(from io.Reader) error {
	z.in.Reset(from)
	return z.start()
}

// start begins with the zlib stream that comes next in the buffer.
func (z *inflater) start() (err error) {
	if z.out == nil {
		z.out, err = zlib.NewReader(z.in)
		return err
	}
	return z.out.(zlib.Resetter).Reset(z.in, nil)
}

func (z *inflater) one() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(z.out, b[:])
	return b[0], err
}

// rest reads what is left of the stream, which must be size bytes. Memory is taken as bytes arrive, not as they are
// promised.
func (z *inflater) rest(size int64) ([]byte, error) {
	var data []byte
	if size <= 1<<20 {
		data = make([]byte, size)
		if _, err := io.ReadFull(z.out, data); err != nil {
			return nil, err
		}
	} else {
		var b bytes.Buffer
		if n, err := io.Copy(&b, io.LimitReader(z.out, size)); err != nil || n < size {
			return nil, errors.Join(err, io.ErrUnexpectedEOF)
		}
		data = b.Bytes()
	}
	if _, err := z.one(); err != io.EOF { // also checks the stream's sum
		return nil, errors.New("it is longer than it says, or its checksum is wrong")
	}
	return data, nil
}
