package listing

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The built-in index: what packages of Debian 12 have in /etc, their services, programs and directories, and which
// packages they pull in. generate makes it. It has facts only: names, paths, dependencies.
//
//go:embed debian-12.index
var embeddedIndex []byte

// An index is a file in memory:
//
//	index = length of the head, head, chunks
//	head  = zstd(platform, date, number of packages, of files, of chunks, and of each chunk the first name and the
//
// length)
//
// Packages of the base system come first: every verification asks for them. Both they and the rest are sorted by name.
// Chunks are as in a store. An index is safe for concurrent use.
type index struct {
	Layer
	first  []string
	chunks [][]byte
	rest   int // the chunk with which the packages begin that are not of the base system
	dec    *zstd.Decoder

	mu      sync.Mutex
	records [][][]byte // of the chunks that somebody has asked for
}

// builtInIndex is read when somebody asks; all sets share it.
var builtInIndex = sync.OnceValues(func() (*index, error) { return openIndex(embeddedIndex) })

// chunk unpacks a chunk, once.
func (x *index) chunk(i int) ([][]byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.records[i] == nil {
		records, err := unpackChunk(x.dec, x.chunks[i])
		if err != nil {
			return nil, err
		}
		x.records[i] = records
	}
	return x.records[i], nil
}

// openIndex reads the head of an index.
func openIndex(text []byte) (*index, error) {
	dec, err := newDecoder()
	if err != nil {
		return nil, err
	}
	x := &index{dec: dec}
	r := reader{b: text}
	head, err := dec.DecodeAll(r.bytes(r.number(len(text))), nil)
	if err != nil {
		return nil, errDamaged
	}
	h := reader{b: head}
	x.Platform, x.Kind, x.Sources = h.text(), APT, []string{"built in"}
	date, err := time.Parse(time.DateOnly, h.text())
	if err != nil {
		return nil, errDamaged
	}
	x.Date, x.Packages, x.Files = date, h.number(maxPackages), h.number(maxEntries)
	for range h.number(len(head)) {
		x.first = append(x.first, h.text())
		if n := len(x.first); n > 1 && x.first[n-1] <= x.first[n-2] {
			x.rest = n - 1
		}
		x.chunks = append(x.chunks, r.bytes(h.number(len(text))))
	}
	if h.bad || r.bad || len(h.b)+len(r.b) > 0 {
		return nil, errDamaged
	}
	x.records = make([][][]byte, len(x.chunks))
	return x, nil
}

// WriteIndex makes an index like the built-in one.
func WriteIndex(platform string, date time.Time, packages []*Package, chunkSize int) ([]byte, error) {
	enc, err := newEncoder()
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	packages = slices.SortedFunc(slices.Values(packages), func(a, b *Package) int {
		if a.Base != b.Base {
			if a.Base {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	var heads, body []byte
	chunks, files, size := 0, 0, 0
	var chunk [][]byte
	flush := func() {
		if len(chunk) > 0 {
			packed := packChunk(enc, chunk)
			heads = binary.AppendUvarint(appendText(heads, recordName(chunk[0])), uint64(len(packed)))
			body = append(body, packed...)
			chunks++
			chunk, size = nil, 0
		}
	}
	for i, p := range packages {
		if i > 0 && p.Base != packages[i-1].Base {
			flush()
		}
		r := p.toRecord()
		files += len(r.files)
		text := r.append(nil)
		chunk = append(chunk, text)
		if size += len(text); size >= chunkSize {
			flush()
		}
	}
	flush()
	head := appendText(appendText(nil, platform), date.Format(time.DateOnly))
	for _, n := range []int{len(packages), files, chunks} {
		head = binary.AppendUvarint(head, uint64(n))
	}
	packed := enc.EncodeAll(append(head, heads...), nil)
	return slices.Concat(binary.AppendUvarint(nil, uint64(len(packed))), packed, body), nil
}

func (x *index) find(name string) (*Package, error) {
	for _, part := range [][2]int{{0, x.rest}, {x.rest, len(x.first)}} {
		if p, err := x.findIn(part[0], part[1], name); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// findIn looks for a package in some chunks that are sorted.
func (x *index) findIn(from, to int, name string) (*Package, error) {
	i, found := slices.BinarySearch(x.first[from:to], name)
	if !found {
		if i--; i < 0 {
			return nil, nil
		}
	}
	records, err := x.chunk(from + i)
	if err != nil {
		return nil, err
	}
	n, ok := slices.BinarySearchFunc(records, name,
		func(r []byte, name string) int { return strings.Compare(recordName(r), name) })
	if !ok {
		return nil, nil
	}
	r, err := parseRecord(records[n])
	if err != nil {
		return nil, err
	}
	return r.toPackage("built-in lists of " + x.Platform), nil
}

func (x *index) depends(string) []string { return nil } // find has them

func (x *index) names() (out []string, err error) {
	err = x.each(func(b []byte) error {
		out = append(out, recordName(b))
		return nil
	})
	return out, err
}

func (x *index) each(look func([]byte) error) error {
	for i := range x.chunks {
		records, err := x.chunk(i)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := look(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// owners looks through everything: the index is small.
func (x *index) owners(file string) (out []string, many bool, err error) {
	err = x.each(func(b []byte) error {
		r, err := parseRecord(b)
		if err != nil {
			return err
		}
		if r.has(file) {
			out = append(out, r.name)
		}
		return nil
	})
	if len(out) > manyOwners {
		out, many = out[:manyOwners], true
	}
	return out, many, err
}

// Embedded describes the built-in index.
func Embedded() (Layer, error) {
	x, err := builtInIndex()
	if err != nil {
		return Layer{}, fmt.Errorf("built-in package lists: %w", err)
	}
	return x.Layer, nil
}
