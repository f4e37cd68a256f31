package listing

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A builder collects what importers find and writes it as one layer of a store. Names and dependencies are kept in
// memory, files are not.
type builder struct {
	ctx      context.Context
	dir      string // for what does not fit in memory
	byName   map[string]uint32
	entries  []*entry // by id
	text     int64    // bytes of names and dependencies
	files    spill    // by package
	postings spill    // by directory
	count    int      // files
	skipped  int      // lines that are nothing
	progress func(done, total int)
}

// Packages per part of the spilled files, and bits of a directory's hash per part of the postings.
const (
	partPackages = 512
	partBits     = 6
)

func newBuilder(ctx context.Context, near string) (*builder, error) {
	dir, err := os.MkdirTemp(near, ".import-*")
	if err != nil {
		return nil, err
	}
	return &builder{ctx: ctx, dir: dir, byName: map[string]uint32{}, files: spill{dir: dir, name: "files"},
		postings: spill{dir: dir, name: "paths"}}, nil
}

func (b *builder) close() {
	b.files.close()
	b.postings.close()
	os.RemoveAll(b.dir)
}

// add takes a package. Of several with one name the newest is kept. It reports whether this one is.
func (b *builder) add(e *entry) (id uint32, kept bool, err error) {
	if !validName(e.name) {
		b.skipped++
		return 0, false, nil
	}
	size := int64(len(e.name) + len(e.version) + 8*len(e.provides))
	for _, group := range e.needs {
		for _, name := range group {
			size += int64(len(name)) + 16
		}
	}
	if b.text += size; b.text > maxTextBytes {
		return 0, false, fmt.Errorf("names and dependencies of more than %d MB: this is no package list", maxTextBytes>>20)
	}
	id, there := b.byName[e.name]
	if there {
		if old := b.entries[id]; old.version != "" && !b.newer(e, old) {
			return id, false, nil
		}
		b.entries[id] = e
		return id, true, nil
	}
	id, err = b.create(e)
	return id, err == nil, err
}

// newer reports whether a package takes another's place: it is a later version, or the same for the machine's own
// architecture.
func (b *builder) newer(e, old *entry) bool {
	if c := compareVersions(e.version, old.version); c != 0 {
		return c > 0
	}
	return isSecond(old.arch) && !isSecond(e.arch)
}

// isSecond reports whether an architecture is there beside the machine's own, for old programs.
func isSecond(arch string) bool {
	return arch == "i386" || arch == "i486" || arch == "i586" || arch == "i686"
}

func (b *builder) create(e *entry) (uint32, error) {
	if len(b.entries) >= maxPackages {
		return 0, fmt.Errorf("more than %d packages: this is no package list", maxPackages)
	}
	id := uint32(len(b.entries))
	b.byName[e.name] = id
	b.entries = append(b.entries, e)
	return id, nil
}

// named is the id of a package that a list of files names, perhaps the first to do so.
func (b *builder) named(name []byte) (id uint32, ok bool, err error) {
	if id, there := b.byName[string(name)]; there {
		return id, true, nil
	}
	if !validName(name) {
		b.skipped++
		return 0, false, nil
	}
	id, err = b.create(&entry{name: string(name), rank: optional, noEmpty: true})
	return id, err == nil, err
}

// file takes a file of a package.
func (b *builder) file(id uint32, path string, mark byte) error {
	if b.count++; b.count > maxEntries {
		return fmt.Errorf("more than %d files: this is no package list", maxEntries)
	}
	if b.count%(1<<12) == 0 && b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	p, err := b.files.part(int(id) / partPackages)
	if err != nil {
		return err
	}
	return p.putFile(id, path, mark)
}

// A sink takes a layer piece by piece. Keys come in order.
type sink interface {
	put(bucket string, key, value []byte) error
}

// The buckets of a layer.
const (
	bucketPackage = "package" // name → chunk, position in it
	bucketChunk   = "chunk"   // number → records
	bucketName    = "name"    // number of a package → name
	bucketPath    = "path"    // part of a directory's hash → numbers of packages
)

const chunkSize = 16 << 10

type packagePlace struct {
	name  string
	place []byte
}

// write writes everything.
func (b *builder) write(to sink) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return err
	}
	defer enc.Close()
	resolve := newResolver(b.entries, b.byName)
	var places []packagePlace
	var chunk [][]byte
	chunks, size := uint32(0), 0
	b.count = 0
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		err := to.put(bucketChunk, binary.BigEndian.AppendUint32(nil, chunks), packChunk(enc, chunk))
		chunk, size = chunk[:0], 0
		chunks++
		return err
	}
	for begin := 0; begin < len(b.entries); begin += partPackages {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		files, err := b.filesOf(begin / partPackages)
		if err != nil {
			return err
		}
		for id := begin; id < min(begin+partPackages, len(b.entries)); id++ {
			r := b.entries[id].record(resolve, files[uint32(id)])
			delete(files, uint32(id))
			b.count += len(r.files)
			if err := b.post(uint32(id), r); err != nil {
				return err
			}
			places = append(places, packagePlace{r.name, binary.AppendUvarint(binary.BigEndian.AppendUint32(nil, chunks),
				uint64(len(chunk)))})
			text := r.append(nil)
			if len(text) > maxRecord {
				return fmt.Errorf("%s has %d files: this is no package list", r.name, len(r.files))
			}
			chunk = append(chunk, text)
			if size += len(text); size >= chunkSize {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if b.progress != nil {
			b.progress(begin, len(b.entries))
		}
	}
	if err := flush(); err != nil {
		return err
	}
	slices.SortFunc(places, func(x, y packagePlace) int { return cmp.Compare(x.name, y.name) })
	for _, p := range places {
		if err := to.put(bucketPackage, []byte(p.name), p.place); err != nil {
			return err
		}
	}
	for id, e := range b.entries {
		if err := to.put(bucketName, binary.BigEndian.AppendUint32(nil, uint32(id)), []byte(e.name)); err != nil {
			return err
		}
	}
	return b.writePaths(to)
}

func (b *builder) filesOf(i int) (map[uint32][]listed, error) {
	if i >= len(b.files.parts) || b.files.parts[i] == nil {
		return nil, nil
	}
	p := b.files.parts[i]
	b.files.parts[i] = nil
	return p.files()
}

func (e *entry) record(resolve *resolver, files []listed) *record {
	r := &record{name: e.name, version: e.version, depends: resolve.depends(e), files: files}
	if e.known {
		r.flags |= flagKnown
	}
	if e.noEmpty {
		r.flags |= flagNoEmpty
	}
	if e.base {
		r.flags |= flagBase
	}
	r.tidy()
	return r
}

// post notes under each directory who has something in it.
func (b *builder) post(id uint32, r *record) error {
	dirs := map[string]bool{}
	put := func(p string) error {
		dir, name := path.Split(p)
		x := posting{hashDir(dir), tagName(name), id}
		part, err := b.postings.part(int(x.dir >> (32 - partBits)))
		if err != nil {
			return err
		}
		return part.putPosting(x)
	}
	last := ""
	for _, f := range r.files {
		if err := put(f.path); err != nil {
			return err
		}
		dir := path.Dir(f.path)
		if dir == last {
			continue
		}
		last = dir
		for d := dir; d != "/" && !dirs[d]; d = path.Dir(d) {
			dirs[d] = true
			if err := put(d); err != nil {
				return err
			}
		}
	}
	return nil
}

func hashDir(dir string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(path.Clean(dir)))
	// FNV's first bits are poor for short texts, and they choose the part.
	x := h.Sum32()
	x ^= x >> 16
	x *= 0x45d9f3b
	return x ^ x>>16
}

func tagName(name string) uint16 {
	h := fnv.New32a()
	h.Write([]byte(name))
	x := h.Sum32()
	return uint16(x^x>>16)&0xfffe | 1
}

// A directory in which few packages have something is kept once for each of them; of others, each name is. A name that
// very many have (/usr/share) is kept as that.
const (
	fewOwners  = 16
	manyOwners = 128
	pathBits   = 14 // of the hash of a directory, that are the key
)

// writePaths writes the way back from paths to packages.
//
//	value = for each directory: hash minus the one before, number of owners, owners
//	owner = tag (0 for any name in the directory), number of the package + 1 (0 for very many)
func (b *builder) writePaths(to sink) error {
	var key uint32
	var value []byte
	var before uint32
	flush := func() error {
		if len(value) == 0 {
			return nil
		}
		err := to.put(bucketPath, binary.BigEndian.AppendUint16(nil, uint16(key)), value)
		value, before = nil, 0
		return err
	}
	for _, part := range b.postings.parts {
		if part == nil {
			continue
		}
		list, err := part.postings()
		if err != nil {
			return err
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
		slices.SortFunc(list, func(x, y posting) int {
			if c := cmp.Compare(x.dir, y.dir); c != 0 {
				return c
			}
			if c := cmp.Compare(x.tag, y.tag); c != 0 {
				return c
			}
			return cmp.Compare(x.id, y.id)
		})
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].dir == list[0].dir {
				n++
			}
			if k := list[0].dir >> (32 - pathBits); k != key || value == nil {
				if err := flush(); err != nil {
					return err
				}
				key = k
			}
			owners := ownersOf(list[:n])
			value = binary.AppendUvarint(value, uint64(list[0].dir-before))
			value = binary.AppendUvarint(value, uint64(len(owners)))
			for _, o := range owners {
				value = binary.AppendUvarint(value, uint64(o.tag))
				value = binary.AppendUvarint(value, uint64(o.id))
			}
			before = list[0].dir
			list = list[n:]
		}
	}
	b.postings.parts = nil
	return flush()
}

// ownersOf shortens the postings of one directory.
func ownersOf(list []posting) []posting {
	distinct := map[uint32]bool{}
	for _, x := range list {
		if distinct[x.id+1] = true; len(distinct) > fewOwners {
			break
		}
	}
	var out []posting
	if len(distinct) <= fewOwners {
		for id := range distinct {
			out = append(out, posting{id: id})
		}
		slices.SortFunc(out, func(x, y posting) int { return cmp.Compare(x.id, y.id) })
		return out
	}
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].tag == list[0].tag {
			n++
		}
		if n > manyOwners {
			out = append(out, posting{tag: list[0].tag})
		} else {
			for _, x := range list[:n] {
				out = append(out, posting{tag: x.tag, id: x.id + 1})
			}
		}
		list = list[n:]
	}
	return out
}
