package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"sync/atomic"

	"bunraku/source"
)

// A pack holds many objects in one file, most of them as deltas against others of the same file; an index beside it
// tells where each begins. Both are read piece by piece: a file that is mapped into memory ends the process when
// someone cuts it.
type pack struct {
	door   *door
	name   string // without .pack or .idx
	format format

	once   source.Once
	err    error
	gone   atomic.Bool // its files were not there any more when they were to be opened
	idx    *os.File
	file   *os.File
	length int64 // of the pack
	fanout [256]uint32
	large  int64 // how many offsets do not fit into 31 bits
}

// Bounds on a chain of deltas: how long it is, and what all of its steps come to in bytes.
const (
	maxChain      = 4096
	maxChainBytes = 1 << 30
	maxBucket     = 64 << 20 // bytes of the names in an index that begin with the same byte
)

func (p *pack) close() {
	if p.idx != nil {
		p.idx.Close()
	}
	if p.file != nil {
		p.file.Close()
	}
}

func (p *pack) corrupt(format string, args ...any) error {
	return &Corrupt{filepath.Join(p.door.dir, p.name) + ".pack", fmt.Sprintf(format, args...)}
}

func (p *pack) open() error {
	p.once.Do(func() {
		if p.err = p.begin(); errors.Is(p.err, fs.ErrNotExist) {
			p.gone.Store(true)
		}
	})
	return p.err
}

// begin opens both files and reads the index's first table: how many names begin with a byte up to i.
func (p *pack) begin() error {
	var size int64
	var err error
	if p.idx, size, err = p.door.open(p.name + ".idx"); err != nil {
		return err
	}
	if p.file, p.length, err = p.door.open(p.name + ".pack"); err != nil {
		return err
	}
	var head [8 + 4*256]byte
	if _, err := p.idx.ReadAt(head[:], 0); err != nil {
		return p.corrupt("its index is too short")
	}
	if !bytes.Equal(head[:8], []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}) {
		return &Unsupported{filepath.Join(p.door.dir, p.name) + ".idx", "only pack indexes of version 2 are supported"}
	}
	before := uint32(0)
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if p.fanout[i] < before {
			return p.corrupt("its index is not in order")
		}
		before = p.fanout[i]
	}
	tables := int64(before) * int64(p.format.size+8)
	rest := size - int64(len(head)) - tables - 2*int64(p.format.size)
	if rest < 0 || rest%8 != 0 {
		return p.corrupt("its index is too short")
	}
	p.large = rest / 8
	var magic [12]byte
	if _, err := p.file.ReadAt(magic[:], 0); err != nil || string(magic[:4]) != "PACK" {
		return p.corrupt("it does not begin with PACK")
	}
	if v := binary.BigEndian.Uint32(magic[4:]); v != 2 && v != 3 {
		return &Unsupported{filepath.Join(p.door.dir, p.name) + ".pack", "packs of this version are not supported"}
	}
	return nil
}

func (p *pack) count() int64 { return int64(p.fanout[255]) }

// bucket is the part of the index with the names that begin with a byte, one after the other.
func (p *pack) bucket(r *Repo, first byte) (names []byte, begin int64, err error) {
	if err := p.open(); err != nil {
		return nil, 0, err
	}
	if first > 0 {
		begin = int64(p.fanout[first-1])
	}
	key := cacheKey{kind: 'i', pack: p, offset: int64(first)}
	if v, ok := r.cache.get(key); ok {
		return v.([]byte), begin, nil
	}
	size := (int64(p.fanout[first]) - begin) * int64(p.format.size)
	if size > maxBucket {
		return nil, 0, p.corrupt("its index is too long")
	}
	names = make([]byte, size)
	if _, err := p.idx.ReadAt(names, 8+4*256+begin*int64(p.format.size)); err != nil {
		return nil, 0, p.corrupt("its index cannot be read: %v", err)
	}
	r.cache.put(key, names, size)
	return names, begin, nil
}

// find tells where an object begins.
func (p *pack) find(r *Repo, id ID) (int64, bool, error) {
	names, begin, err := p.bucket(r, id[0])
	if err != nil {
		return 0, false, err
	}
	size := p.format.size
	i := sort.Search(len(names)/size, func(i int) bool { return string(names[i*size:(i+1)*size]) >= string(id) })
	if i*size >= len(names) || string(names[i*size:(i+1)*size]) != string(id) {
		return 0, false, nil
	}
	offset, err := p.offset(begin + int64(i))
	return offset, err == nil, err
}

// offset reads where the n-th object begins: 31 bits, or the place of a longer number.
func (p *pack) offset(n int64) (int64, error) {
	var b [8]byte
	table := 8 + 4*256 + p.count()*int64(p.format.size+4)
	if _, err := p.idx.ReadAt(b[:4], table+4*n); err != nil {
		return 0, p.corrupt("its index cannot be read: %v", err)
	}
	v := binary.BigEndian.Uint32(b[:4])
	if v>>31 == 0 {
		return int64(v), nil
	}
	if n = int64(v &^ (1 << 31)); n >= p.large {
		return 0, p.corrupt("its index names an offset that it does not have")
	}
	if _, err := p.idx.ReadAt(b[:], table+4*p.count()+8*n); err != nil {
		return 0, p.corrupt("its index cannot be read: %v", err)
	}
	if wide := binary.BigEndian.Uint64(b[:]); wide < 1<<62 {
		return int64(wide), nil
	}
	return 0, p.corrupt("its index names an offset without end")
}

// An entry is what a pack has at an offset: an object, or a delta against one.
type entry struct {
	kind kind
	size int64 // of what is inflated
	base int64 // of a delta: where what it changes begins
}

// entry opens what begins at an offset; the inflater then stands before its content.
func (p *pack) entry(r *Repo, offset int64, z *inflater) (entry, error) {
	var e entry
	if offset < 12 || offset >= p.length {
		return e, p.corrupt("an offset lies outside of it")
	}
	z.in.Reset(io.NewSectionReader(p.file, offset, p.length-offset))
	c, err := z.in.ReadByte()
	if err != nil {
		return e, p.corrupt("%v", err)
	}
	e.kind, e.size = kind(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = z.in.ReadByte(); err != nil || shift > 53 {
			return e, p.corrupt("an object has no size")
		}
		e.size |= int64(c&0x7f) << shift
	}
	switch e.kind {
	case commitKind, treeKind, blobKind, tagKind:
	case offsetDelta:
		back := int64(-1)
		for more := true; more; more = c&0x80 != 0 {
			if c, err = z.in.ReadByte(); err != nil || back > 1<<54 {
				return e, p.corrupt("a delta has no base")
			}
			back = (back+1)<<7 | int64(c&0x7f)
		}
		if e.base = offset - back; back <= 0 || e.base < 12 {
			return e, p.corrupt("a delta's base lies outside of it")
		}
	case nameDelta:
		name := make([]byte, p.format.size)
		if _, err := io.ReadFull(z.in, name); err != nil {
			return e, p.corrupt("a delta has no base")
		}
		base, ok, err := p.find(r, ID(name))
		if err == nil && !ok {
			err = p.corrupt("a delta's base is not in it")
		}
		if err != nil {
			return e, err
		}
		e.base = base
	default:
		return e, p.corrupt("it has an object of an unknown kind")
	}
	if err := z.start(); err != nil {
		return e, p.corrupt("%v", err)
	}
	return e, nil
}

// size tells how large the object at an offset is. A delta begins with the sizes of what it changes and of what it
// makes.
func (p *pack) size(r *Repo, id ID, offset int64, s spender) (int64, error) {
	z := inflaters.Get().(*inflater)
	defer z.free()
	e, err := p.entry(r, offset, z)
	if err != nil || e.base == 0 {
		return e.size, err
	}
	head := make([]byte, min(e.size, 20))
	if _, err := io.ReadFull(z.out, head); err != nil {
		return 0, p.corrupt("%v", err)
	}
	if _, head, err = deltaSize(head); err == nil {
		e.size, _, err = deltaSize(head)
	}
	if err != nil {
		return 0, p.corrupt("%v", err)
	}
	return e.size, nil
}

// object reads the object at an offset: the deltas from it down to a whole object, then applied from there upward.
func (p *pack) object(r *Repo, id ID, offset int64, s spender) (object, error) {
	z := inflaters.Get().(*inflater)
	defer z.free()
	type step struct {
		offset int64
		delta  []byte
	}
	var steps []step
	var o object
	total := int64(0)
	for at := offset; ; {
		if v, ok := r.cache.get(cacheKey{kind: 'p', pack: p, offset: at}); ok {
			o = v.(object)
			break
		}
		e, err := p.entry(r, at, z)
		if err != nil {
			return object{}, err
		}
		if e.size > r.opt.MaxObject {
			return object{}, &TooBig{id, e.size}
		}
		data, err := z.rest(e.size)
		if err != nil {
			return object{}, p.corrupt("%v", err)
		}
		s.spend(e.size + 64)
		if e.base == 0 {
			o = object{e.kind, data}
			if len(steps) > 0 {
				r.cache.put(cacheKey{kind: 'p', pack: p, offset: at}, o, e.size)
			}
			break
		}
		steps = append(steps, step{at, data})
		if total += e.size; len(steps) > maxChain || total > maxChainBytes {
			return object{}, p.corrupt("a chain of deltas has no end")
		}
		at = e.base
	}
	for i := len(steps) - 1; i >= 0; i-- {
		data, err := applyDelta(o.data, steps[i].delta, r.opt.MaxObject)
		var big *TooBig
		if errors.As(err, &big) {
			big.ID = id
			return object{}, big
		}
		if err != nil {
			return object{}, p.corrupt("%v", err)
		}
		o.data = data
		s.spend(int64(len(data)))
		if total += int64(len(data)); total > maxChainBytes {
			return object{}, p.corrupt("a chain of deltas comes to more than %d bytes", maxChainBytes)
		}
		if i > 0 {
			r.cache.put(cacheKey{kind: 'p', pack: p, offset: steps[i].offset}, o, int64(len(data)))
		}
	}
	return o, nil
}

var errDelta = errors.New("a delta makes no sense")

// deltaSize reads a size: seven bits a byte, the lowest first.
func deltaSize(b []byte) (int64, []byte, error) {
	n := int64(0)
	for i, c := range b {
		if i == 8 {
			break
		}
		n |= int64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			return n, b[i+1:], nil
		}
	}
	return 0, nil, errDelta
}

// applyDelta makes an object of another. A delta is a list of commands: a byte with its highest bit set copies a part
// of the base, its other bits telling which bytes of offset and size follow; another one says how many new bytes
// follow.
func applyDelta(base, delta []byte, limit int64) ([]byte, error) {
	from, delta, err := deltaSize(delta)
	if err != nil || from != int64(len(base)) {
		return nil, errDelta
	}
	size, delta, err := deltaSize(delta)
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, &TooBig{Size: size}
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		c := delta[0]
		delta = delta[1:]
		if c&0x80 == 0 {
			if c == 0 || int(c) > len(delta) {
				return nil, errDelta
			}
			out = append(out, delta[:c]...)
			delta = delta[c:]
		} else {
			var offset, n int
			for i := range 7 {
				if c>>i&1 == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, errDelta
				}
				if i < 4 {
					offset |= int(delta[0]) << (8 * i)
				} else {
					n |= int(delta[0]) << (8 * (i - 4))
				}
				delta = delta[1:]
			}
			if n == 0 {
				n = 1 << 16
			}
			if offset > len(base) || n > len(base)-offset {
				return nil, errDelta
			}
			out = append(out, base[offset:offset+n]...)
		}
		if int64(len(out)) > size {
			return nil, errDelta
		}
	}
	if int64(len(out)) != size {
		return nil, errDelta
	}
	return out, nil
}
