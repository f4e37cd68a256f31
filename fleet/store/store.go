// Package store keeps what a fleet's compiles asked and what came of them, so that a node is compiled once for all
// revisions and all nodes that give it the same answers.
//
// # What may be left out, and why
//
// A compile's trace (package trace) is every question that it asked, with a digest of the answer; as long as all
// answers are the same, so is the catalog. The store has the last few traces of each node. Of a new revision each
// question is answered once, and not once a node:
//
//   - Questions about files alone are kept as a set. Nodes of one role have the same set, and whether it holds in a
//     revision is found once.
//   - What is asked of Hiera's layers is a set as well. It holds for all nodes that see the same files of data.
//   - What is asked of the node itself (facts, what an external classifier says) is a list of questions and one digest
//
// of
//
//	  all answers. If the node's data are those of then, byte for byte, nothing needs to be asked.
//	- The node statement is looked for again only if node statements have changed.
//
// A node whose own traces do not hold may still get the same answers as another one: the lists of questions that others
// asked in this revision are tried before anything is compiled (alike).
//
// # What is kept
//
// One file (bbolt) in the store's directory, and beside it the key of the digests, which only the owner can read.
// Everything that many nodes have in common is there once, under its digest: questions with answers, sets of them,
// resources, the order and containment of resources (a shape), where they were declared. A node's record is a few
// numbers. Places are kept as the definition and the number of the expression in it, and found anew in the revision at
// hand. No secret is in the store: what is Sensitive, what Hiera has decrypted, and each text in which one of them
// occurs is replaced by a keyed digest before anything is written, so that a change can be seen and nothing can be
// read.
//
// A record is written in one transaction together with all that it names: after kill -9 the store is as after the last
// transaction, and the nodes behind are compiled again. A second process that finds the file locked goes on without it.
//
//	store.go   opening, writing, closing
//	table.go   contents, each once
//	node.go    a node, and the record of what it asked
//	run.go     one revision: what holds, what is alike, what must be compiled
//	result.go  catalogs in and out of the store
//
// It may import package compiler and what is below. Start reading at Open, then Run.Result.
package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"bunraku/puppet/catalog"
	"bunraku/puppet/trace"
	"bunraku/report/redact"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// version of what is in the file. Another one is not read.
const version = "bunraku store 1"

// Names of the files in a store's directory.
const (
	fileName = "store.db"
	keyName  = "key"
)

// ErrLocked says that another process has the store.
var ErrLocked = errors.New("the store is in use by another process")

// A Store keeps traces and results. It can be used by many at the same time.
type Store struct {
	db   *bolt.DB
	dir  string
	key  trace.Key
	temp bool // the directory goes with it

	mu      sync.Mutex
	tables  []*table
	entries *table               // questions with answers
	sets    *table               // of entries
	objects *table               // resources
	shapes  *table               // what a catalog is but for its resources
	results *table               // catalogs
	anchors *table               // where resources were declared
	records map[string][]*record // of nodes, to be written
	size    int                  // of what waits, about

	numbers  map[*trace.Entry]uint32 // of entries that were put in lately
	byNumber map[uint32]*trace.Entry // that were taken out
	decoded  map[uint32]*layerSet
	bare     map[uint32]*catalog.Resource // nil for those that are not whole
	flushed  time.Time                    // when something was written

	err error // of writing; then nothing more is written

	decrypted redact.Secrets
}

// Open opens the store in a directory, or makes one. The error is ErrLocked if another process has it.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := readKey(filepath.Join(dir, keyName))
	if err != nil {
		return nil, err
	}
	return open(dir, key, false)
}

// Temporary is a store that is gone when it is closed. Its directory is made where the system has its temporary files.
func Temporary() (*Store, error) {
	dir, err := os.MkdirTemp("", "bunraku-store")
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails
	s, err := open(dir, key, true)
	if err != nil {
		os.RemoveAll(dir)
	}
	return s, err
}

// readKey reads the key of the digests, or draws one.
func readKey(path string) (trace.Key, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		// Written beside and linked, so that two processes that start together have one key, and none sees half of it.
		f, err := os.CreateTemp(filepath.Dir(path), keyName)
		if err != nil {
			return nil, err
		}
		defer os.Remove(f.Name())
		_, err = f.Write(key)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return nil, err
		}
		if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		info, err = os.Stat(path)
		if err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others (mode %04o): who has it can test guesses of secrets; "+
			"delete the store's directory, it is made anew", path, info.Mode().Perm())
	}
	key, err := os.ReadFile(path)
	if err == nil && len(key) != 32 {
		err = fmt.Errorf("%s is no key of a store; delete the store's directory, it is made anew", path)
	}
	return key, err
}

func open(dir string, key trace.Key, temp bool) (_ *Store, err error) {
	path := filepath.Join(dir, fileName)
	// bbolt looks at every page when it opens a file, and trusts them: one that was cut off, or copied badly, is a fault.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s is broken (%v); delete it, it is made anew", path, p)
		}
	}()
	opt := &bolt.Options{Timeout: 50 * time.Millisecond, FreelistType: bolt.FreelistMapType, NoFreelistSync: true}
	if temp {
		opt.NoSync, opt.NoGrowSync = true, true
	}
	db, err := bolt.Open(path, 0o600, opt)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, ErrLocked
	case errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrVersionMismatch) ||
		errors.Is(err, bolterrors.ErrChecksum):
		return nil, fmt.Errorf("%s is no store of this program: %w; delete it, it is made anew", path, err)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be opened: %w", path, err)
	}
	s := &Store{db: db, dir: dir, key: key, temp: temp, records: map[string][]*record{},
		numbers: map[*trace.Entry]uint32{}, byNumber: map[uint32]*trace.Entry{}, decoded: map[uint32]*layerSet{},
		bare:    map[uint32]*catalog.Resource{},
		entries: newTable("entry"),
		sets:    newTable("set"), objects: newTable("resource"), shapes: newTable("shape"), results: newTable("result"),
		anchors: newTable("anchor")}
	s.tables = []*table{s.entries, s.sets, s.objects, s.shapes, s.results, s.anchors}
	s.flushed = time.Now()
	if err := db.Update(s.prepare); err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

var (
	aboutBucket = []byte("about")
	nodeBucket  = []byte("node")
)

// prepare makes what a new store has, and refuses one of another version or key.
func (s *Store) prepare(tx *bolt.Tx) error {
	about := tx.Bucket(aboutBucket)
	check := s.key.Sum([]byte(version))
	if about == nil {
		if k, _ := tx.Cursor().First(); k != nil {
			return fmt.Errorf("%s is no store of this program; name another directory", s.db.Path())
		}
		var err error
		if about, err = tx.CreateBucket(aboutBucket); err != nil {
			return err
		}
		if err := errors.Join(about.Put([]byte("version"), []byte(version)), about.Put([]byte("key"), check[:])); err != nil {
			return err
		}
	}
	if is := string(about.Get([]byte("version"))); is != version {
		return fmt.Errorf("%s was written by another version of the program (%q, not %q); delete it, it is made anew",
			s.db.Path(), is, version)
	}
	if string(about.Get([]byte("key"))) != string(check[:]) {
		return fmt.Errorf("%s was written with another key than the one beside it; delete it, it is made anew", s.db.Path())
	}
	if _, err := tx.CreateBucketIfNotExists(nodeBucket); err != nil {
		return err
	}
	for _, t := range s.tables {
		if err := t.open(tx); err != nil {
			return err
		}
	}
	return nil
}

// Key is the key of the digests, for compiler.Options.
func (s *Store) Key() trace.Key { return s.key }

// Decrypted takes in a text that Hiera has decrypted (compiler.Options). No text in which it occurs is kept.
func (s *Store) Decrypted(plain string) { s.decrypted.Add(plain) }

// How much may wait to be written, in bytes, and how long: as much is compiled again after a kill.
const (
	mostWaiting = 16 << 20
	longestWait = time.Second
)

// flush writes what waits. The lock is held.
func (s *Store) flush() {
	if s.err != nil || s.size == 0 {
		return
	}
	s.err = s.db.Update(func(tx *bolt.Tx) error {
		for _, t := range s.tables {
			if err := t.write(tx); err != nil {
				return err
			}
		}
		nodes := tx.Bucket(nodeBucket)
		for name, list := range s.records {
			if err := nodes.Put([]byte(name), encodeRecords(list)); err != nil {
				return err
			}
		}
		return nil
	})
	if s.err != nil {
		return
	}
	for _, t := range s.tables {
		t.written()
	}
	clear(s.records)
	s.size, s.flushed = 0, time.Now()
}

// Close writes what waits and closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.temp {
		s.flush()
	}
	err := errors.Join(s.err, s.db.Close())
	if s.temp {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// Size is how large the file is, in bytes.
func (s *Store) Size() int64 {
	info, err := os.Stat(s.db.Path())
	if err != nil {
		return 0
	}
	return info.Size()
}

// view reads from the file, the lock held.
func (s *Store) view(f func(tx *bolt.Tx)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.db.View(func(tx *bolt.Tx) error { // it cannot fail: f does not, and the file is open
		f(tx)
		return nil
	})
}
