package store

import (
	"crypto/sha256"
	"encoding/binary"

	bolt "go.etcd.io/bbolt"
)

// A digest names a content.
type digest [16]byte

func digestOf(text []byte) (d digest) {
	sum := sha256.Sum256(text)
	copy(d[:], sum[:])
	return d
}

// A table holds contents, each once, and numbers them from 1. The file has two buckets of it: numbers by digest, and
// contents by number. What is new waits in memory until the store writes it.
type table struct {
	numbers, contents []byte // names of the buckets
	last              uint32
	known             map[digest]uint32 // some of what is in the file, and all that waits
	waiting           []waiting
	first             uint32 // number of the first that waits
}

// waiting is a content that is still to be written.
type waiting struct {
	digest  digest
	content []byte
}

// mostKnown is how many digests of a table are kept in memory.
const mostKnown = 1 << 16

func newTable(name string) *table {
	return &table{numbers: []byte(name + " numbers"), contents: []byte(name), known: map[digest]uint32{}, first: 1}
}

func numberKey(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// open makes the buckets and finds the last number.
func (t *table) open(tx *bolt.Tx) error {
	for _, name := range [][]byte{t.numbers, t.contents} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	if k, _ := tx.Bucket(t.contents).Cursor().Last(); k != nil {
		t.last = binary.BigEndian.Uint32(k)
		t.first = t.last + 1
	}
	return nil
}

// number is the number of a content, which it gets if it is new.
func (t *table) number(tx *bolt.Tx, d digest, content []byte) uint32 {
	if n, known := t.known[d]; known {
		return n
	}
	if k := tx.Bucket(t.numbers).Get(d[:]); k != nil && tx.Bucket(t.contents).Get(k) != nil {
		n := binary.BigEndian.Uint32(k)
		t.remember(d, n)
		return n
	}
	t.last++
	t.known[d] = t.last
	t.waiting = append(t.waiting, waiting{d, content})
	return t.last
}

func (t *table) remember(d digest, n uint32) {
	if len(t.known) >= mostKnown+len(t.waiting) {
		clear(t.known)
		for i, w := range t.waiting {
			t.known[w.digest] = t.first + uint32(i)
		}
	}
	t.known[d] = n
}

// content is what has a number, nil for none. It must not be changed.
func (t *table) content(tx *bolt.Tx, n uint32) []byte {
	if n >= t.first {
		if i := int(n - t.first); i < len(t.waiting) {
			return t.waiting[i].content
		}
		return nil
	}
	return tx.Bucket(t.contents).Get(numberKey(n))
}

// write writes what waits, each by enter.
func (t *table) write(tx *bolt.Tx, enter func(tx *bolt.Tx, bucket, key, val []byte) error) error {
	tx.Bucket(t.contents).FillPercent = 0.95 // numbers only grow
	for i, w := range t.waiting {
		k := numberKey(t.first + uint32(i))
		if err := enter(tx, t.contents, k, w.content); err != nil {
			return err
		}
		if err := enter(tx, t.numbers, w.digest[:], k); err != nil {
			return err
		}
	}
	return nil
}

// written forgets that what waited has to be written.
func (t *table) written() {
	t.first += uint32(len(t.waiting))
	t.waiting = nil
	if len(t.known) > mostKnown {
		clear(t.known)
	}
}
