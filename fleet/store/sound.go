package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
)

// bbolt believes what is in a file: a page that was damaged ends the process, or gives another answer. So a file is
// looked at page by page before bbolt sees it, and all that is in it is added up: the sum is kept in the file itself,
// and written in the transaction that changes it.

// ErrBroken says that a store's file is not what was written.
var ErrBroken = errors.New("the store is damaged")

// ErrVersion says that another version of the program has written it.
var ErrVersion = errors.New("the store is of another version of the program")

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBroken, fmt.Sprintf(format, args...))
}

// A sum is that of some entries, in any order.
type sum uint64

// An adder gives sums, and keeps a buffer for it.
type adder struct{ head []byte }

// of is the sum of one entry.
func (r *adder) of(bucket, key, value []byte) sum {
	head := binary.AppendUvarint(r.head[:0], uint64(len(bucket)))
	head = append(head, bucket...)
	head = binary.AppendUvarint(head, uint64(len(key)))
	head = append(head, key...)
	r.head = head
	a := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, value)
	b := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, value)
	return sum(a)<<32 | sum(b)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// bbolt's format, as far as it is looked at: a page is 16 bytes (id, flags, count, overflow), then elements of 16
// bytes, then keys and values. Numbers are as the machine has them.
const (
	pageHead, elementSize, bucketHead = 16, 16, 16
	branchFlag, leafFlag, freeFlag    = 0x01, 0x02, 0x10
	bucketLeaf                        = 0x01
	metaSize                          = 64
	metaMagic, metaVersion            = 0xED0CDAED, 2
	noFreelist, manyFree              = ^uint64(0), 0xffff // so many that their number stands behind the head
)

// A checker walks over a file's pages.
type checker struct {
	file     *os.File
	pageSize int64
	pages    uint64 // that the file has
	seen     []bool
	sum      sum
	adder    adder
	buffers  [][]byte // by depth
	kept     []byte   // the sum that the file tells
	version  []byte   // which version of the program wrote it
}

// sound reports an error if a file is not what this version of the program has written: ErrBroken or ErrVersion.
func sound(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, err := newestMeta(f)
	if err != nil {
		return err
	}
	c := &checker{file: f, pageSize: m.pageSize, pages: min(m.pages, uint64(info.Size()/m.pageSize))}
	c.seen = make([]bool, c.pages)
	if m.pages > c.pages {
		return broken("its end is missing")
	}
	if err := c.bucket(nil, m.root, 0); err != nil {
		return err
	}
	switch {
	case string(c.version) != version && bytes.HasPrefix(c.version, []byte("bunraku store ")):
		return fmt.Errorf("%w: it says %q, and this one writes %q", ErrVersion, c.version, version)
	case string(c.version) != version:
		return broken("it is of no version")
	case len(c.kept) != 8 || binary.BigEndian.Uint64(c.kept) != uint64(c.sum):
		return broken("it does not add up")
	}
	if m.freelist == noFreelist { // bbolt finds out which pages are free
		return nil
	}
	return c.free(m.freelist)
}

// free reports an error if the list of free pages is not that of all which are not in use: bbolt writes to them.
func (c *checker) free(id uint64) error {
	list, err := c.read(id, 0)
	if err != nil {
		return err
	}
	u64 := func(i int) uint64 { return binary.NativeEndian.Uint64(list[pageHead+8*i:]) }
	count, first := uint64(binary.NativeEndian.Uint16(list[10:])), 0
	if count == manyFree {
		count, first = u64(0), 1
	}
	if binary.NativeEndian.Uint16(list[8:]) != freeFlag || count > uint64(len(list)-pageHead)/8-uint64(first) {
		return broken("page %d makes no sense", id)
	}
	for i := range int(count) {
		n := u64(first + i)
		if n < 2 || n >= c.pages || c.seen[n] {
			return broken("page %d is not free", n)
		}
		c.seen[n] = true
	}
	for n := uint64(2); n < c.pages; n++ {
		if !c.seen[n] {
			return broken("page %d is neither free nor in use", n)
		}
	}
	return nil
}

// A meta is the head of a file.
type meta struct {
	pageSize              int64
	root, freelist, pages uint64
	transaction           uint64
}

// newestMeta is the newer one of a file's two heads, or the one that is whole.
func newestMeta(f *os.File) (newest *meta, err error) {
	see := func(at int64) *meta {
		b := make([]byte, metaSize)
		if _, err := f.ReadAt(b, at+pageHead); err != nil {
			return nil
		}
		u32, u64 := binary.NativeEndian.Uint32, binary.NativeEndian.Uint64
		h := fnv.New64a()
		h.Write(b[:metaSize-8])
		if u32(b) != metaMagic || u32(b[4:]) != metaVersion || u64(b[metaSize-8:]) != h.Sum64() {
			return nil
		}
		return &meta{int64(u32(b[8:])), u64(b[16:]), u64(b[32:]), u64(b[40:]), u64(b[48:])}
	}
	sizes := []int64{}
	first := see(0)
	if first != nil {
		sizes = append(sizes, first.pageSize)
		newest = first
	} else {
		for size := int64(1024); size <= 1<<24; size *= 2 {
			sizes = append(sizes, size)
		}
	}
	for _, size := range sizes {
		if m := see(size); m != nil && m.pageSize == size && (newest == nil || m.transaction > newest.transaction) {
			newest = m
		}
	}
	if newest == nil {
		return nil, broken("it has no head")
	}
	if newest.pageSize < 1024 || newest.pageSize > 1<<24 {
		return nil, broken("its pages have %d bytes", newest.pageSize)
	}
	return newest, nil
}

// deepest is how many pages lie above each other, at most: each has two below it, at least.
const deepest = 64

// bucket walks over the pages of a bucket, from its root.
func (c *checker) bucket(name []byte, root uint64, depth int) error {
	var last []byte
	return c.page(name, root, depth, nil, &last)
}

// page walks over a page and those below it. first is the key that the one above has for it, nil if there is none:
// bbolt goes by it.
func (c *checker) page(name []byte, id uint64, depth int, first []byte, last *[]byte) error {
	if depth > deepest {
		return broken("its pages lie too deep")
	}
	page, err := c.read(id, depth)
	if err != nil {
		return err
	}
	return c.elements(name, page, id, depth, first, last)
}

// read reads a page that nothing else has led to, with those that it goes on in.
func (c *checker) read(id uint64, depth int) ([]byte, error) {
	switch {
	case id < 2 || id >= c.pages:
		return nil, broken("page %d is none", id)
	case c.seen[id]:
		return nil, broken("page %d is there twice", id)
	}
	c.seen[id] = true
	for len(c.buffers) <= depth {
		c.buffers = append(c.buffers, make([]byte, c.pageSize))
	}
	head := c.buffers[depth]
	at := int64(id) * c.pageSize
	if _, err := c.file.ReadAt(head, at); err != nil && err != io.EOF {
		return nil, err
	}
	more := uint64(binary.NativeEndian.Uint32(head[12:]))
	if binary.NativeEndian.Uint64(head) != id || id+more >= c.pages {
		return nil, broken("page %d is another one", id)
	}
	for n := id + 1; n <= id+more; n++ {
		if c.seen[n] {
			return nil, broken("page %d is there twice", n)
		}
		c.seen[n] = true
	}
	if more > 0 {
		whole := make([]byte, int64(more+1)*c.pageSize)
		if _, err := c.file.ReadAt(whole, at); err != nil && err != io.EOF {
			return nil, err
		}
		head = whole
	}
	return head, nil
}

// elements walks over what is in a page. last is the key before.
func (c *checker) elements(name, page []byte, id uint64, depth int, first []byte, last *[]byte) error {
	flags, count := binary.NativeEndian.Uint16(page[8:]), int(binary.NativeEndian.Uint16(page[10:]))
	if pageHead+count*elementSize > len(page) || flags != branchFlag && flags != leafFlag ||
		flags == branchFlag && count == 0 {
		return broken("page %d makes no sense", id)
	}
	for i := range count {
		at := pageHead + i*elementSize
		e := page[at:]
		u32 := func(i int) uint64 { return uint64(binary.NativeEndian.Uint32(e[i:])) }
		pos, key, val := u32(0), u32(4), uint64(0)
		if flags == leafFlag {
			pos, key, val = u32(4), u32(8), u32(12)
		}
		if pos > uint64(len(e)) || pos+key+val > uint64(len(e)) {
			return broken("page %d makes no sense", id)
		}
		k, v := e[pos:pos+key], e[pos+key:pos+key+val]
		if i == 0 && first != nil && !bytes.Equal(first, k) {
			return broken("page %d begins with another key", id)
		}
		if flags == branchFlag {
			if i > 0 && bytes.Compare(*last, k) >= 0 && len(k) > 0 {
				return broken("page %d is in no order", id)
			}
			if err := c.page(name, binary.NativeEndian.Uint64(e[8:]), depth+1, k, last); err != nil {
				return err
			}
			continue
		}
		if len(*last) > 0 && bytes.Compare(*last, k) >= 0 {
			return broken("page %d is in no order", id)
		}
		*last = append((*last)[:0], k...)
		if err := c.entry(name, k, v, u32(0), id, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry takes in what a leaf has: a value, or a bucket with pages of its own or without.
func (c *checker) entry(name, key, val []byte, flags, id uint64, depth int) error {
	if name == nil != (flags == bucketLeaf) || flags > bucketLeaf {
		return broken("page %d makes no sense", id)
	}
	if flags == bucketLeaf {
		if len(val) < bucketHead {
			return broken("page %d makes no sense", id)
		}
		if root := binary.NativeEndian.Uint64(val); root != 0 {
			return c.bucket(key, root, depth+1)
		}
		if len(val) < bucketHead+pageHead {
			return broken("page %d makes no sense", id)
		}
		var last []byte
		inline := val[bucketHead:]
		if binary.NativeEndian.Uint16(inline[8:]) != leafFlag {
			return broken("page %d makes no sense", id)
		}
		return c.elements(key, inline, id, depth+1, nil, &last)
	}
	if string(name) == string(aboutBucket) {
		switch string(key) {
		case string(sumKey):
			c.kept = bytes.Clone(val)
			return nil
		case string(versionKey):
			c.version = bytes.Clone(val)
		}
	}
	c.sum += c.adder.of(name, key, val)
	return nil
}
