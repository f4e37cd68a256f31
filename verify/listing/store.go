package listing

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	bolt "go.etcd.io/bbolt"
)

// A Store is one file with the package lists of any number of platforms, indexed: opening it reads a page, and a
// package or path is found without reading the rest. It is safe for concurrent use.
//
//	platforms → NAME → LAYER → info, package, chunk, name, path
//
// A layer is what one import has brought. Layers of a platform are asked one after the other.
type Store struct {
	file string
	db   *bolt.DB
	dec  *zstd.Decoder

	mu     sync.Mutex
	chunks map[string][][]byte // some that were unpacked
}

// cachedChunks is how many chunks are kept: those of one catalog's packages.
const cachedChunks = 64

const (
	storeFormat  = "1"
	keyFormat    = "format"
	keyInfo      = "info"
	bucketRoot   = "platforms"
	boltMagic    = 0xed0cdaed
	boltMagicAt  = 16
	storeTimeout = time.Second
)

// A Layer says what one import has brought.
type Layer struct {
	Platform string    `json:"platform"`
	Kind     Kind      `json:"kind"`
	Sources  []string  `json:"sources"`
	Date     time.Time `json:"date"`
	Packages int       `json:"packages"`
	Files    int       `json:"files"`
	Skipped  int       `json:"skipped,omitempty"` // lines that were no package and no path
	Notes    []string  `json:"notes,omitempty"`   // what was passed over
}

// DefaultStore is where the store of the user is.
func DefaultStore() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "bunraku", "packages.db"), nil
}

// isStore reports whether a file is a store, whatever its name.
func isStore(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var b [4]byte
	if _, err := f.ReadAt(b[:], boltMagicAt); err != nil {
		return false, nil
	}
	return binary.NativeEndian.Uint32(b[:]) == boltMagic, nil
}

// OpenStore opens a store for reading.
func OpenStore(file string) (s *Store, err error) {
	ok, err := isStore(file)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: not a store of package lists; `bunraku packages import` makes one", file)
	}
	defer guard(file, &err)()
	db, err := bolt.Open(file, 0o600, &bolt.Options{ReadOnly: true, Timeout: storeTimeout})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	dec, err := newDecoder()
	if err != nil {
		db.Close()
		return nil, err
	}
	s = &Store{file: file, db: db, dec: dec, chunks: map[string][][]byte{}}
	format := ""
	err = s.view(func(tx *bolt.Tx) error {
		if root := tx.Bucket([]byte(bucketRoot)); root != nil {
			format = string(root.Get([]byte(keyFormat)))
		}
		return nil
	})
	if err == nil && format != storeFormat {
		err = fmt.Errorf("%s: a store of another version of bunraku (format %q, not %s); import the lists again", file,
			format, storeFormat)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the store.
func (s *Store) Close() error {
	s.dec.Close()
	return s.db.Close()
}

// File is where the store is.
func (s *Store) File() string { return s.file }

// guard turns what the database does with a damaged file, panics and faults, into errors. Its result is to be deferred.
func guard(file string, err *error) func() {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			*err = fmt.Errorf("%s: %w (%v)", file, errDamaged, p)
		}
	}
}

func (s *Store) view(look func(*bolt.Tx) error) (err error) {
	defer guard(s.file, &err)()
	if err = s.db.View(look); errors.Is(err, errDamaged) {
		err = fmt.Errorf("%s: %w", s.file, err)
	}
	return err
}

// Layers lists what the store has, by platform, in the order in which it is asked.
func (s *Store) Layers() ([]Layer, error) {
	var out []Layer
	err := s.view(func(tx *bolt.Tx) error {
		root := tx.Bucket([]byte(bucketRoot))
		return root.ForEachBucket(func(platform []byte) error {
			of, err := layersOf(root.Bucket(platform))
			for _, l := range of {
				out = append(out, l.Layer)
			}
			return err
		})
	})
	return out, err
}

// layer is a Layer with its place.
type layer struct {
	Layer
	bucket *bolt.Bucket
	key    []byte
}

// layersOf lists the layers of a platform: what somebody wrote by hand first, then what is installed somewhere, then
// archives; the newest of a kind first.
func layersOf(platform *bolt.Bucket) ([]layer, error) {
	if platform == nil {
		return nil, nil
	}
	var out []layer
	err := platform.ForEachBucket(func(k []byte) error {
		l := layer{bucket: platform.Bucket(k), key: slices.Clone(k)}
		if err := json.Unmarshal(l.bucket.Get([]byte(keyInfo)), &l.Layer); err != nil {
			return errDamaged
		}
		out = append(out, l)
		return nil
	})
	slices.SortStableFunc(out, func(a, b layer) int {
		if c := a.Kind.order() - b.Kind.order(); c != 0 {
			return c
		}
		return b.Date.Compare(a.Date)
	})
	return out, err
}

// choose finds the platform that is nearest to the wanted one, and what to say about it; "" if there is none.
func (s *Store) choose(platform string) (choice, note string, err error) {
	layers, err := s.Layers()
	if err != nil {
		return "", "", err
	}
	var have []string
	for _, l := range layers {
		if !slices.Contains(have, l.Platform) {
			have = append(have, l.Platform)
		}
	}
	switch {
	case platform == "" && len(have) == 1:
		return have[0], "the platform is not known (no facts, no --platform): package lists of " + have[0] + " are used", nil
	case platform == "":
		return "", "", nil
	}
	choice = nearest(platform, have)
	if choice != "" && choice != platform {
		note = "no package lists of " + platform + ": those of " + choice +
			" are used; `bunraku packages import` brings the right ones"
	}
	return choice, note, nil
}

// storeSource is one platform of a store, as a source.
type storeSource struct {
	store    *Store
	platform string
	known    []layer // without their buckets, which are a transaction's
}

func (s *storeSource) layers(tx *bolt.Tx) ([]layer, error) {
	platform := tx.Bucket([]byte(bucketRoot)).Bucket([]byte(s.platform))
	if s.known == nil {
		var err error
		if s.known, err = layersOf(platform); err != nil {
			return nil, err
		}
	}
	out := slices.Clone(s.known)
	for i := range out {
		out[i].bucket = platform.Bucket(out[i].key)
	}
	return out, nil
}

func (s *storeSource) find(name string) (p *Package, err error) {
	err = s.store.view(func(tx *bolt.Tx) error {
		all, err := s.layers(tx)
		if err != nil {
			return err
		}
		for _, l := range all {
			r, err := s.store.record(l, name)
			if err != nil {
				return err
			}
			if r == nil {
				continue
			}
			// What is written by hand or only named has no files, or says nothing of what it needs: another layer may.
			if p == nil {
				p = r.toPackage(s.store.file + " (" + s.platform + ", " + l.Kind.String() + ")")
			} else if len(p.Files)+len(p.Dirs) == 0 && len(r.files) > 0 {
				more := r.toPackage(p.From)
				p.Files, p.Dirs, p.Conffiles, p.Known, p.NoEmpty = more.Files, more.Dirs, more.Conffiles, more.Known, more.NoEmpty
			} else if len(p.Depends) == 0 {
				p.Depends = r.depends
			}
			if len(p.Files) > 0 && len(p.Depends) > 0 {
				break
			}
		}
		return nil
	})
	return p, err
}

// record finds a package in a layer; nil if it is not there.
func (s *Store) record(l layer, name string) (*record, error) {
	place := l.bucket.Bucket([]byte(bucketPackage)).Get([]byte(name))
	if place == nil {
		return nil, nil
	}
	if len(place) < 5 {
		return nil, errDamaged
	}
	i, n := binary.Uvarint(place[4:])
	records, err := s.chunk(l, place[:4])
	if err != nil {
		return nil, err
	}
	if n <= 0 || i >= uint64(len(records)) || recordName(records[i]) != name {
		return nil, errDamaged
	}
	return parseRecord(records[i])
}

func (s *Store) chunk(l layer, number []byte) ([][]byte, error) {
	key := l.Platform + "\x00" + string(l.key) + "\x00" + string(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if records, ok := s.chunks[key]; ok {
		return records, nil
	}
	records, err := unpackChunk(s.dec, l.bucket.Bucket([]byte(bucketChunk)).Get(number))
	if err != nil {
		return nil, err
	}
	if len(s.chunks) >= cachedChunks {
		clear(s.chunks)
	}
	s.chunks[key] = records
	return records, nil
}

func (s *storeSource) depends(string) []string { return nil } // find has them

func (s *storeSource) names() (out []string, err error) {
	err = s.store.view(func(tx *bolt.Tx) error {
		all, err := s.layers(tx)
		if err != nil {
			return err
		}
		for _, l := range all {
			err := l.bucket.Bucket([]byte(bucketPackage)).ForEach(func(k, _ []byte) error {
				out = append(out, string(k))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (s *storeSource) owners(file string) (out []string, many bool, err error) {
	err = s.store.view(func(tx *bolt.Tx) error {
		all, err := s.layers(tx)
		if err != nil {
			return err
		}
		for _, l := range all {
			names, lots, err := s.store.owners(l, file)
			if err != nil {
				return err
			}
			out, many = append(out, names...), many || lots
		}
		return nil
	})
	return out, many, err
}

// owners finds the packages of a layer that have a path. The index only hints at them: hashes collide.
func (s *Store) owners(l layer, file string) (out []string, many bool, err error) {
	dir, name := path.Split(file)
	want, tag := hashDir(dir), tagName(name)
	r := reader{b: l.bucket.Bucket([]byte(bucketPath)).Get(binary.BigEndian.AppendUint16(nil,
		uint16(want>>(32-pathBits))))}
	at := uint32(0)
	for len(r.b) > 0 {
		at += uint32(r.number(1<<32 - 1))
		for range r.number(len(r.b)) {
			t, id := r.number(1<<16-1), r.number(maxPackages)
			switch {
			case at != want || t != 0 && t != int(tag):
			case id == 0:
				many = true
			default:
				name := l.bucket.Bucket([]byte(bucketName)).Get(binary.BigEndian.AppendUint32(nil, uint32(id-1)))
				rec, err := s.record(l, string(name))
				if err != nil {
					return nil, false, err
				}
				if rec == nil {
					return nil, false, errDamaged
				}
				if rec.has(file) {
					out = append(out, rec.name)
				}
			}
		}
	}
	if r.bad {
		return nil, false, errDamaged
	}
	return out, many, nil
}

// has reports whether a path is in the record or above something that is.
func (r *record) has(file string) bool {
	search := func(p string) (int, bool) {
		return slices.BinarySearchFunc(r.files, p, func(f listed, p string) int { return strings.Compare(f.path, p) })
	}
	if _, found := search(file); found {
		return true
	}
	i, _ := search(file + "/")
	return i < len(r.files) && strings.HasPrefix(r.files[i].path, file+"/")
}
