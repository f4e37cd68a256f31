package listing

import (
	"encoding/binary"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A store keeps packages in chunks: some dozens of records, packed together with zstd because neighbours are alike.
//
//	chunk   = zstd(count, length of each record, records)
//	record  = name, flags, version, depends, files
//	files   = count, then for each: bytes shared with the path before, rest << 2 | mark, the rest
//
// All numbers are varints; texts have their length in front. Directories are listed only if nothing is below them.

// Marks of a path.
const (
	markDir = 1 << iota
	markConf
)

// Flags of a package.
const (
	flagKnown = 1 << iota
	flagPartial
	flagNoEmpty
	flagBase
)

var errDamaged = errors.New("the package store is damaged; import the lists again")

// A listed is one path with its mark.
type listed struct {
	path string
	mark byte
}

// record is a package as stored.
type record struct {
	name, version string
	flags         byte
	depends       []string
	files         []listed // sorted, each path once
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func (r *record) append(dst []byte) []byte {
	dst = appendText(dst, r.name)
	dst = append(dst, r.flags)
	dst = appendText(dst, r.version)
	dst = binary.AppendUvarint(dst, uint64(len(r.depends)))
	for _, d := range r.depends {
		dst = appendText(dst, d)
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.files)))
	before := ""
	for _, f := range r.files {
		n := shared(before, f.path)
		dst = binary.AppendUvarint(dst, uint64(n))
		dst = binary.AppendUvarint(dst, uint64(len(f.path)-n)<<2|uint64(f.mark))
		dst = append(dst, f.path[n:]...)
		before = f.path
	}
	return dst
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// reader takes a record apart. After the first mistake everything is empty and bad is set.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number(limit int) int {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > uint64(limit) {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) text() string { return string(r.bytes(r.number(len(r.b)))) }

// name reads the name of a record, without the rest.
func recordName(b []byte) string {
	r := reader{b: b}
	return r.text()
}

func parseRecord(b []byte) (*record, error) {
	r := reader{b: b}
	out := &record{name: r.text()}
	if f := r.bytes(1); f != nil {
		out.flags = f[0]
	}
	out.version = r.text()
	for range r.number(len(r.b)) {
		out.depends = append(out.depends, r.text())
	}
	n := r.number(len(r.b) / 2) // a path takes two bytes and more
	out.files = make([]listed, 0, n)
	before := []byte(nil)
	for range n {
		keep := r.number(len(before))
		rest := r.number(maxPath<<2 | 3)
		before = append(before[:keep], r.bytes(rest>>2)...)
		if r.bad {
			break
		}
		out.files = append(out.files, listed{string(before), byte(rest & 3)})
	}
	if r.bad || len(r.b) > 0 {
		return nil, errDamaged
	}
	return out, nil
}

// parsePackage is what people get of a record.
func (r *record) toPackage(from string) *Package {
	p := &Package{Name: r.name, Version: r.version, Depends: r.depends, From: from, Known: r.flags&flagKnown != 0,
		Partial: r.flags&flagPartial != 0, NoEmpty: r.flags&flagNoEmpty != 0, Base: r.flags&flagBase != 0}
	dirs := map[string]bool{}
	last := ""
	for _, f := range r.files {
		if dir := path.Dir(f.path); dir != last {
			for d := dir; d != "/" && !dirs[d]; d = path.Dir(d) {
				dirs[d] = true
			}
			last = dir
		}
		if f.mark&markDir != 0 {
			dirs[f.path] = true
		}
	}
	for _, f := range r.files {
		if dirs[f.path] {
			continue
		}
		p.Files = append(p.Files, f.path)
		if f.mark&markConf != 0 {
			p.Conffiles = append(p.Conffiles, f.path)
		}
	}
	p.Dirs = make([]string, 0, len(dirs))
	for d := range dirs {
		p.Dirs = append(p.Dirs, d)
	}
	slices.Sort(p.Dirs)
	return p
}

// toRecord is the opposite of toPackage.
func (p *Package) toRecord() *record {
	r := &record{name: p.Name, version: p.Version, depends: p.Depends}
	for _, f := range []struct {
		set  bool
		flag byte
	}{{p.Known, flagKnown}, {p.Partial, flagPartial}, {p.NoEmpty, flagNoEmpty}, {p.Base, flagBase}} {
		if f.set {
			r.flags |= f.flag
		}
	}
	for _, f := range p.Files {
		var mark byte
		if _, conf := slices.BinarySearch(p.Conffiles, f); conf {
			mark = markConf
		}
		r.files = append(r.files, listed{f, mark})
	}
	for _, d := range p.Dirs {
		r.files = append(r.files, listed{d, markDir})
	}
	r.tidy()
	return r
}

// tidy sorts the paths, joins the marks of equal ones and leaves out directories that something below them implies.
func (r *record) tidy() {
	slices.SortFunc(r.files, func(a, b listed) int { return strings.Compare(a.path, b.path) })
	above := map[string]bool{}
	last := ""
	for _, f := range r.files {
		if dir := path.Dir(f.path); dir != last {
			for d := dir; d != "/" && !above[d]; d = path.Dir(d) {
				above[d] = true
			}
			last = dir
		}
	}
	kept := r.files[:0]
	for _, f := range r.files {
		switch n := len(kept); {
		case above[f.path]:
		case n > 0 && kept[n-1].path == f.path:
			kept[n-1].mark |= f.mark
		default:
			kept = append(kept, f)
		}
	}
	r.files = kept
}

// packChunk packs records.
func packChunk(enc *zstd.Encoder, records [][]byte) []byte {
	raw := binary.AppendUvarint(nil, uint64(len(records)))
	for _, r := range records {
		raw = binary.AppendUvarint(raw, uint64(len(r)))
	}
	for _, r := range records {
		raw = append(raw, r...)
	}
	return enc.EncodeAll(raw, nil)
}

// unpackChunk is the opposite of packChunk.
func unpackChunk(dec *zstd.Decoder, packed []byte) ([][]byte, error) {
	raw, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, errDamaged
	}
	r := reader{b: raw}
	lengths := make([]int, r.number(len(raw)))
	for i := range lengths {
		lengths[i] = r.number(len(raw))
	}
	records := make([][]byte, len(lengths))
	for i, n := range lengths {
		records[i] = r.bytes(n)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errDamaged
	}
	return records, nil
}

// maxRecord is the size of a package's record. The longest of Debian has 3 MB.
const maxRecord = 128 << 20

func newDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*maxRecord))
}

// newEncoder packs what is built in, as small as can be.
func newEncoder() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false))
}
