package ruby

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// A Hash keeps its entries in the order in which the keys were first set. One that came from Puppet is converted at the
// first look.
type Hash struct {
	entries []hashEntry
	live    int
	index   map[hashKey]int // once there are many
	dflt    Object
	proc    *Proc
	frozen  bool
	root    bool // a constant holds it
	busy    int  // iterations under way
	kw      bool // the keyword arguments of a call
	shares  bool // entries and index are another hash's too
	dirty   bool // it is no longer what of is
	src     *value.Hash
	of      *value.Hash // Puppet's hash that it stands for
	lazy    *Lazy
	origin  *origin
	in      *Interp
}

type hashEntry struct {
	k    hashKey
	key  Object
	val  Object
	dead bool
}

// A hashKey is equal for objects that are eql?.
type hashKey struct {
	kind uint8
	n    uint64
	s    string
}

const (
	linearHash = 8
	entrySize  = 96 // bytes, with its share of the index
)

// NewHash makes an empty hash.
func NewHash() *Hash { return &Hash{} }

// newHash makes an empty hash of a program's.
func (in *Interp) newHash() *Hash { return &Hash{in: in} }

// A Lazy is where a hash's entries come from that are many, while few of them are asked for.
type Lazy struct {
	// Get finds one; known is false when only Fill can tell.
	Get func(key string) (val Object, found, known bool)
	// All has them all.
	All func() *Hash
}

// NewLazyHash makes a hash of string keys whose entries are put in when they are needed.
func NewLazyHash(l *Lazy) *Hash { return &Hash{lazy: l} }

// Kinds of keys that are made of others.
const (
	keyNumber = 15 // what hash gives
	keyMixed  = 16 // the exclusive or of such
)

// A keyer makes keys of objects. Each container is walked once for a key, however often it occurs in it, so a key costs
// what the objects in it cost to make; and it is charged for.
//
// To Ruby two containers that contain themselves are eql? when no walk down both of them, in step, comes to a
// difference. Such a walk meets a difference, if there is one, within as many levels as the two have containers; so
// their keys are what they look like down to a fixed number of levels, and a container that holds more of them than
// that allows is not supported.
type keyer struct {
	in     *Interp // charged; nil for hashes that only hosts fill
	done   map[keyed]hashKey
	open   []Object
	levels int // for containers that contain themselves; -1 when there are none so far
}

// A keyed is a container, and how many levels of it count.
type keyed struct {
	o      Object
	levels int
}

// keyLevels is how far down containers that contain themselves are looked at.
const keyLevels = 64

// endless is thrown when a container turns out to contain itself.
type endless struct{}

// keyOf maps an object to its key.
func (in *Interp) keyOf(o Object) hashKey {
	if in != nil {
		in.step()
	}
	switch o := o.(type) {
	case *String:
		if in != nil {
			in.charge(o.len() >> 8)
		}
		return hashKey{kind: 1, s: o.String()}
	case *Array, *Hash, *Set, *Range:
		return in.containerKey(o)
	case *Instance:
		if in != nil {
			return in.objectKey(o)
		}
	}
	return plainKey(o)
}

// plainKey is the key of an object that holds no others.
func plainKey(o Object) hashKey {
	switch o := o.(type) {
	case *String:
		return hashKey{kind: 1, s: o.String()}
	case Symbol:
		return hashKey{kind: 2, s: string(o)}
	case Int:
		return hashKey{kind: 3, n: uint64(o)}
	case Float:
		if o == 0 {
			o = 0
		}
		return hashKey{kind: 4, n: math.Float64bits(float64(o))}
	case Nil, nil:
		return hashKey{kind: 5}
	case Bool:
		if o {
			return hashKey{kind: 5, n: 1}
		}
		return hashKey{kind: 5, n: 2}
	case *Big:
		return hashKey{kind: 6, s: string(o.n.Bytes()), n: uint64(1 + o.n.Sign())}
	case *Regexp:
		return hashKey{kind: 10, s: o.src, n: uint64(o.flags)}
	case *Foreign:
		look(o)
	case *IPAddr:
		return hashKey{kind: 14, s: o.p.String()}
	case *HashCode:
		return hashKey{kind: keyNumber, s: string(o.of.append(nil))}
	}
	return hashKey{kind: 12, s: fmt.Sprintf("%p", o)}
}

func (in *Interp) containerKey(o Object) (key hashKey) {
	depth := 0
	if in != nil {
		depth = in.used.depth
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(endless); !ok {
				panic(r)
			}
			if in != nil {
				in.unwind(depth)
			}
			key = (&keyer{in: in, levels: keyLevels}).key(o)
		}
	}()
	return (&keyer{in: in, levels: -1}).key(o)
}

func (k *keyer) key(o Object) hashKey {
	switch x := o.(type) {
	case *Array, *Hash, *Set, *Range:
	case *Instance:
		if k.in != nil {
			return k.in.objectKey(x)
		}
		return plainKey(o)
	default:
		return plainKey(o)
	}
	self := keyed{o, k.levels}
	if v, ok := k.done[self]; ok {
		return v
	}
	if k.levels == 0 {
		return hashKey{kind: 13}
	}
	if k.levels < 0 {
		for _, p := range k.open {
			if p == o {
				panic(endless{})
			}
		}
	} else {
		k.levels--
		defer func() { k.levels++ }()
		if len(k.done) > keyLevels*keyLevels/2 {
			panic(&denied{Unsupported, fmt.Sprintf("more than %d containers that contain each other, as the key of a hash",
				keyLevels/2)})
		}
	}
	if k.in != nil {
		k.in.enter()
		defer k.in.leave()
		k.in.charge(len(k.open) >> 3)
	} else if len(k.open) > syntax.MaxNesting {
		panic(&limitHit{fmt.Sprintf("a key of a hash nests deeper than %d", syntax.MaxNesting)})
	}
	k.open = append(k.open, o)
	var b []byte
	add := func(o Object) {
		if k.in != nil {
			k.in.step()
		}
		b = k.key(o).append(b)
	}
	out := hashKey{}
	switch o := o.(type) {
	case *Array:
		out.kind = 7
		for _, e := range o.els() {
			add(e)
		}
	case *Hash:
		out.kind = 8
		entries := make([]string, 0, o.len()) // their order does not count
		for _, e := range o.pairs() {
			b = e.k.append(nil)
			add(e.val)
			entries = append(entries, string(b))
		}
		slices.Sort(entries)
		b = []byte(strings.Join(entries, ""))
	case *Range:
		out.kind = 9
		if o.excl {
			out.n = 1
		}
		add(o.lo)
		add(o.hi)
	case *Set:
		out.kind = 11
		for _, e := range o.h.pairs() {
			b = e.k.append(b)
		}
	}
	if k.in != nil {
		k.in.charge(len(b) >> 6)
	}
	if len(b) > sha256.Size {
		sum := sha256.Sum256(b)
		b = sum[:]
	}
	out.s = string(b)
	k.open = k.open[:len(k.open)-1]
	if k.done == nil {
		k.done = map[keyed]hashKey{}
	}
	k.done[self] = out
	return out
}

// append writes a key so that no two sequences of keys give the same bytes.
func (k hashKey) append(b []byte) []byte {
	b = append(b, k.kind)
	b = binary.LittleEndian.AppendUint64(b, k.n)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(k.s)))
	return append(b, k.s...)
}

func (h *Hash) load() {
	if h.lazy != nil {
		all := h.lazy.All().Share()
		h.lazy, h.entries, h.live, h.index, h.shares = nil, all.entries, all.live, all.index, true
	}
	if h.src == nil {
		return
	}
	src := h.src
	h.src = nil
	h.entries = make([]hashEntry, 0, src.Len())
	for _, e := range src.Entries() {
		h.put(h.in.fromValue(e.Key, e.KeyRef), h.in.fromValue(e.Value, e.Ref))
	}
}

func (h *Hash) len() int { h.load(); return h.live }

func (h *Hash) find(k hashKey) int {
	if h.index != nil {
		if i, ok := h.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range h.entries {
		if e := &h.entries[i]; !e.dead && e.k == k {
			return i
		}
	}
	return -1
}

func (h *Hash) get(key Object) (Object, bool) {
	if h.lazy != nil {
		if s, ok := key.(*String); ok {
			if v, found, known := h.lazy.Get(s.String()); known {
				return v, found
			}
		}
	}
	h.load()
	if i := h.find(h.in.keyOf(key)); i >= 0 {
		return h.entries[i].val, true
	}
	return nil, false
}

// symbol is get of a symbol, which need not be made for it.
func (h *Hash) symbol(name string) (Object, bool) {
	h.load()
	if i := h.find(hashKey{kind: 2, s: name}); i >= 0 {
		return h.entries[i].val, true
	}
	return nil, false
}

func (h *Hash) at(key Object) Object {
	v, _ := h.get(key)
	return orNil(v)
}

// put sets a key; a string that is a key is copied and frozen, as Ruby does.
func (h *Hash) put(key, val Object) {
	h.load()
	h.unshare()
	k := h.in.keyOf(key)
	if i := h.find(k); i >= 0 {
		h.entries[i].val = val
		return
	}
	if s, ok := key.(*String); ok && !s.frozen {
		key = &String{s: s.String(), frozen: true, binary: s.binary}
	}
	if h.in != nil {
		h.in.room(entrySize)
	}
	h.entries = append(h.entries, hashEntry{k: k, key: key, val: val})
	h.live++
	if h.index != nil {
		h.index[k] = len(h.entries) - 1
	} else if len(h.entries) > linearHash {
		h.reindex()
	}
}

func (h *Hash) reindex() {
	h.index = make(map[hashKey]int, 2*len(h.entries))
	for i := range h.entries {
		if !h.entries[i].dead {
			h.index[h.entries[i].k] = i
		}
	}
}

func (h *Hash) remove(key Object) (Object, bool) {
	h.load()
	i := h.find(h.in.keyOf(key))
	if i < 0 {
		return nil, false
	}
	h.unshare()
	v := h.entries[i].val
	if h.index != nil {
		delete(h.index, h.entries[i].k)
	}
	h.entries[i] = hashEntry{dead: true}
	h.live--
	if h.busy == 0 && h.live*2 < len(h.entries) {
		h.compact()
	}
	return v, true
}

func (h *Hash) compact() {
	out := h.entries[:0]
	for _, e := range h.entries {
		if !e.dead {
			out = append(out, e)
		}
	}
	h.entries = out
	h.index = nil
	if len(out) > linearHash {
		h.reindex()
	}
}

func (h *Hash) clear() { h.load(); h.entries, h.index, h.live, h.shares = nil, nil, 0, false }

// Share is another hash with the same entries. They are copied when one of the two is changed.
func (h *Hash) Share() *Hash {
	h.load()
	h.shares = true
	return &Hash{entries: h.entries, live: h.live, index: h.index, shares: true, in: h.in}
}

func (h *Hash) unshare() {
	if !h.shares {
		return
	}
	h.shares = false
	h.entries = append(make([]hashEntry, 0, len(h.entries)+4), h.entries...)
	if h.index != nil {
		h.reindex()
	}
}

// each calls f for the entries, also those added on the way; f returns false to stop.
func (h *Hash) each(f func(k, v Object) bool) {
	h.load()
	h.busy++
	defer func() { h.busy-- }()
	for i := 0; i < len(h.entries); i++ {
		if e := h.entries[i]; !e.dead && !f(e.key, e.val) {
			return
		}
	}
}

func (h *Hash) pairs() []hashEntry {
	h.load()
	if h.live == len(h.entries) {
		return h.entries[:h.live:h.live]
	}
	out := make([]hashEntry, 0, h.live)
	for _, e := range h.entries {
		if !e.dead {
			out = append(out, e)
		}
	}
	return out
}

func (h *Hash) keys() []Object {
	ps := h.pairs()
	out := make([]Object, len(ps))
	for i, e := range ps {
		out[i] = e.key
	}
	return out
}

func (h *Hash) values() []Object {
	ps := h.pairs()
	out := make([]Object, len(ps))
	for i, e := range ps {
		out[i] = e.val
	}
	return out
}

func (h *Hash) copy() *Hash {
	out := &Hash{dflt: h.dflt, proc: h.proc, in: h.in}
	for _, e := range h.pairs() {
		out.put(e.key, e.val)
	}
	return out
}
