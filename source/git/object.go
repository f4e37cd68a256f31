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
	if s.at == "" {
		return s.door.close()
	}
	return nil
}

// Bounds on what a store may consist of.
const (
	maxPacks      = 4096
	maxAlternates = 64
	alternateHops = 5 // as git
)

// open finds the packs and alternates, once.
func (r *Repo) open() error {
	r.scan.Do(func() { r.scanErr = r.addStore(&store{door: r.common, at: "objects"}, 0) })
	return r.scanErr
}

func (r *Repo) addStore(s *store, hops int) error {
	r.stores = append(r.stores, s)
	entries, err := s.door.list(filepath.Join(s.at, "pack"), 8*maxPacks)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !strings.HasPrefix(base, "pack-") {
			continue
		}
		if len(s.packs) == maxPacks {
			return &Unsupported{s.door.dir, fmt.Sprintf("more than %d packs are not supported", maxPacks)}
		}
		s.packs = append(s.packs, &pack{door: s.door, name: filepath.Join(s.at, "pack", base), format: r.format})
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
			r.refused = append(r.refused, line)
			continue
		}
		if hops == alternateHops || len(r.stores) == maxAlternates {
			return &Unsupported{s.door.dir, "alternates of alternates go too far"}
		}
		d, err := openDoor(real)
		if err != nil {
			r.refused = append(r.refused, line)
			continue
		}
		if err := r.addStore(&store{door: d}, hops+1); err != nil {
			return err
		}
	}
	return nil
}

// object reads an object and checks that it is what its name says.
func (r *Repo) object(id ID, s spender) (object, error) {
	key := cacheKey{kind: 'o', id: id}
	if v, ok := r.cache.get(key); ok {
		return v.(object), nil
	}
	if err := r.open(); err != nil {
		return object{}, err
	}
	o, err := r.find(id, s)
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

func (r *Repo) find(id ID, s spender) (object, error) {
	for _, st := range r.stores {
		for _, p := range st.packs {
			offset, ok, err := p.find(r, id)
			if err != nil {
				return object{}, err
			}
			if ok {
				return p.object(r, id, offset, s)
			}
		}
		if o, err := r.loose(st, id, s); !errors.Is(err, fs.ErrNotExist) {
			return o, err
		}
	}
	return object{}, r.missing(id)
}

func (r *Repo) missing(id ID) error {
	switch {
	case len(r.refused) > 0:
		return &Missing{id, "the repository borrows objects from " + printable(r.refused[0]) +
			", which lies outside; allow it with --root " + printable(r.refused[0])}
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
	if err := r.open(); err != nil {
		return 0, err
	}
	for _, st := range r.stores {
		for _, p := range st.packs {
			offset, ok, err := p.find(r, id)
			if err != nil {
				return 0, err
			}
			if ok {
				return p.size(r, id, offset, s)
			}
		}
		l, err := r.openLoose(st, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		l.close()
		return l.size, nil
	}
	return 0, r.missing(id)
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
