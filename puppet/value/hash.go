package value

import (
	"hash/maphash"
	"math"
	"sync/atomic"

	"bunraku/provenance"
)

// A Hash maps values to values and keeps the order in which keys were first set. Any value can be a key; keys are the
// same when Ruby's eql? says so: 'a' and 'A' are two keys, and so are 1 and 1.0.
//
// Up to linearMax entries are searched one by one. Beyond that an index is built at the first lookup.
type Hash struct {
	entries []Entry
	index   atomic.Pointer[hashIndex]
}

// An Entry is one key with its value, and where each comes from.
type Entry struct {
	Key, Value  Value
	KeyRef, Ref provenance.Ref
}

const linearMax = 8

// A hashIndex is an open-addressing table of entry numbers plus one; zero is free.
type hashIndex struct {
	slots []int32
	n     int // entries indexed
}

var hashSeed = maphash.MakeSeed()

// EmptyHash has no entries.
var EmptyHash = &Hash{}

// EmptyArray has no elements.
var EmptyArray = &Array{}

// NewHash makes a hash of alternating keys and values. A key given twice keeps its place and takes the last value.
func NewHash(pairs ...Value) *Hash {
	b := NewHashBuilder(len(pairs) / 2)
	for i := 0; i+1 < len(pairs); i += 2 {
		b.Set(pairs[i], pairs[i+1])
	}
	return b.Hash()
}

// Len is the number of entries.
func (h *Hash) Len() int { return len(h.entries) }

// Entries are the entries in order. The slice is shared and must not be changed.
func (h *Hash) Entries() []Entry { return h.entries }

// Copy is another hash of the same entries.
func (h *Hash) Copy() *Hash { return h.With(h.entries) }

// With is a hash of the same keys, in the same order, with other values.
func (h *Hash) With(entries []Entry) *Hash {
	other := &Hash{entries: entries}
	other.index.Store(h.index.Load())
	return other
}

// Get is the value of key k.
func (h *Hash) Get(k Value) (Value, bool) {
	if e := h.Entry(k); e != nil {
		return e.Value, true
	}
	return nil, false
}

// GetString is the value of the string key k.
func (h *Hash) GetString(k string) (Value, bool) {
	if e := h.EntryString(k); e != nil {
		return e.Value, true
	}
	return nil, false
}

// At is the value of the string key k, or undef.
func (h *Hash) At(k string) Value {
	if e := h.EntryString(k); e != nil {
		return e.Value
	}
	return Undef{}
}

// Entry is the entry with key k, or nil. It must not be changed.
func (h *Hash) Entry(k Value) *Entry {
	if s, is := k.(String); is {
		return h.EntryString(string(s))
	}
	if len(h.entries) <= linearMax {
		for i := range h.entries {
			if Same(h.entries[i].Key, k) {
				return &h.entries[i]
			}
		}
		return nil
	}
	ix := h.indexed()
	mask := uint64(len(ix.slots) - 1)
	for at := hashOf(k) & mask; ; at = (at + 1) & mask {
		n := ix.slots[at]
		if n == 0 {
			return nil
		}
		if e := &h.entries[n-1]; Same(e.Key, k) {
			return e
		}
	}
}

// EntryString is the entry with the string key k, or nil.
func (h *Hash) EntryString(k string) *Entry {
	if i := h.Position(k); i >= 0 {
		return &h.entries[i]
	}
	return nil
}

// Position is the number of the entry with the string key k, or -1.
func (h *Hash) Position(k string) int {
	if len(h.entries) <= linearMax {
		for i := range h.entries {
			if s, is := h.entries[i].Key.(String); is && string(s) == k {
				return i
			}
		}
		return -1
	}
	ix := h.indexed()
	mask := uint64(len(ix.slots) - 1)
	for at := maphash.String(hashSeed, k) & mask; ; at = (at + 1) & mask {
		n := ix.slots[at]
		if n == 0 {
			return -1
		}
		if h.entries[n-1].Key == Value(String(k)) {
			return int(n - 1)
		}
	}
}

func (h *Hash) indexed() *hashIndex {
	if ix := h.index.Load(); ix != nil {
		return ix
	}
	ix := buildIndex(h.entries)
	h.index.Store(ix)
	return ix
}

func buildIndex(entries []Entry) *hashIndex {
	size := 16
	for size < len(entries)*2 {
		size *= 2
	}
	ix := &hashIndex{slots: make([]int32, size)}
	for i := range entries {
		ix.add(hashOf(entries[i].Key), i)
	}
	return ix
}

func (ix *hashIndex) add(hash uint64, i int) {
	mask := uint64(len(ix.slots) - 1)
	at := hash & mask
	for ix.slots[at] != 0 {
		at = (at + 1) & mask
	}
	ix.slots[at] = int32(i + 1)
	ix.n++
}

// hashOf agrees with Same: same keys have the same hash.
func hashOf(v Value) uint64 {
	switch v := v.(type) {
	case String:
		return maphash.String(hashSeed, string(v))
	case Int:
		return mix(1, uint64(v))
	case Float:
		if v == 0 {
			v = 0 // -0.0 and 0.0 are the same key
		}
		return mix(2, math.Float64bits(float64(v)))
	case Bool:
		if v {
			return 0x9e3779b97f4a7c15
		}
		return 0x7f4a7c15
	case Undef:
		return 3
	case Default:
		return 4
	case *Array:
		h := uint64(5)
		for _, e := range v.Elems {
			h = mix(h, hashOf(e))
		}
		return h
	case *Hash:
		h := uint64(6) // order does not matter
		for i := range v.entries {
			h += mix(hashOf(v.entries[i].Key), hashOf(v.entries[i].Value))
		}
		return h
	case *Sensitive:
		return mix(7, hashOf(v.Value))
	case *Regexp:
		return mix(8, maphash.String(hashSeed, v.Source))
	case Binary:
		return mix(9, maphash.String(hashSeed, string(v)))
	case Timespan:
		return mix(10, uint64(v))
	case Timestamp:
		return mix(11, uint64(v.Sec)^uint64(v.Nsec)<<32)
	case *SemVer:
		return mix(12, uint64(v.Major)<<32^uint64(v.Minor)<<16^uint64(v.Patch))
	case Type:
		return mix(13, maphash.String(hashSeed, v.Name()))
	}
	return 14 // rare as keys; Same decides
}

func mix(a, b uint64) uint64 {
	h := (a ^ b) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9
}

// A HashBuilder collects entries. The zero builder is ready to use.
type HashBuilder struct {
	entries []Entry
	ix      *hashIndex
}

// NewHashBuilder makes a builder with room for n entries.
func NewHashBuilder(n int) *HashBuilder { return &HashBuilder{entries: make([]Entry, 0, n)} }

// From makes a builder that starts with the entries of h.
func (h *Hash) From(room int) *HashBuilder {
	b := NewHashBuilder(len(h.entries) + room)
	b.entries = append(b.entries, h.entries...)
	return b
}

// Set gives key k the value v. A key that is there already keeps its place.
func (b *HashBuilder) Set(k, v Value) { b.SetEntry(Entry{Key: k, Value: v}) }

// SetString is Set with a string key.
func (b *HashBuilder) SetString(k string, v Value) { b.SetEntry(Entry{Key: String(k), Value: v}) }

// SetEntry sets an entry with its provenance. When the key is there already its place and key stay, the value changes.
func (b *HashBuilder) SetEntry(e Entry) {
	if old := b.find(e.Key); old != nil {
		old.Value, old.Ref = e.Value, e.Ref
		return
	}
	b.entries = append(b.entries, e)
	if b.ix != nil {
		if len(b.entries)*2 > len(b.ix.slots) {
			b.ix = buildIndex(b.entries)
		} else {
			b.ix.add(hashOf(e.Key), len(b.entries)-1)
		}
	}
}

// Get is the value that key k has so far.
func (b *HashBuilder) Get(k Value) (Value, bool) {
	if e := b.find(k); e != nil {
		return e.Value, true
	}
	return nil, false
}

// Entry is the entry that key k has so far, or nil.
func (b *HashBuilder) Entry(k Value) *Entry { return b.find(k) }

// Len is the number of entries so far.
func (b *HashBuilder) Len() int { return len(b.entries) }

// Delete removes key k.
func (b *HashBuilder) Delete(k Value) {
	for i := range b.entries {
		if Same(b.entries[i].Key, k) {
			b.entries = append(b.entries[:i], b.entries[i+1:]...)
			b.ix = nil
			return
		}
	}
}

func (b *HashBuilder) find(k Value) *Entry {
	if len(b.entries) <= linearMax {
		for i := range b.entries {
			if Same(b.entries[i].Key, k) {
				return &b.entries[i]
			}
		}
		return nil
	}
	if b.ix == nil {
		b.ix = buildIndex(b.entries)
	}
	mask := uint64(len(b.ix.slots) - 1)
	for at := hashOf(k) & mask; ; at = (at + 1) & mask {
		n := b.ix.slots[at]
		if n == 0 {
			return nil
		}
		if e := &b.entries[n-1]; Same(e.Key, k) {
			return e
		}
	}
}

// Hash publishes what was built. The builder must not be used afterwards.
func (b *HashBuilder) Hash() *Hash { return &Hash{entries: b.entries} }

// Keys is the array of the keys.
func (h *Hash) Keys() *Array {
	b := NewArrayBuilder(len(h.entries))
	for i := range h.entries {
		b.AddRef(h.entries[i].Key, h.entries[i].KeyRef)
	}
	return b.Array()
}

// Values is the array of the values.
func (h *Hash) Values() *Array {
	b := NewArrayBuilder(len(h.entries))
	for i := range h.entries {
		b.AddRef(h.entries[i].Value, h.entries[i].Ref)
	}
	return b.Array()
}

// Pairs is the array of [key, value] arrays, Ruby's Hash#to_a.
func (h *Hash) Pairs() *Array {
	b := NewArrayBuilder(len(h.entries))
	for i := range h.entries {
		b.Add(h.entries[i].Pair())
	}
	return b.Array()
}

// Pair is the entry as a [key, value] array.
func (e *Entry) Pair() *Array {
	p := &Array{Elems: []Value{e.Key, e.Value}}
	if e.KeyRef != 0 || e.Ref != 0 {
		p.Refs = []provenance.Ref{e.KeyRef, e.Ref}
	}
	return p
}
