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
// read. What is Sensitive is known by the compile: a revision that does not say so of a text leaves it in plain,
// whatever another one says, which may come years later.
//
// A record is written in one transaction together with all that it names: after kill -9 the store is as after the last
// transaction, and the nodes behind are compiled again. A second process that finds the file locked goes on without it.
//
// What is damaged is no store any more: it is found out before anything is read from it (sound), put aside, and a new
// one is made. What breaks while it is in use is told by Err; then nothing that came from it counts.
//
//	store.go   opening, writing, closing
//	sound.go   is a file what was written
//	pages_*.go the file's pages in memory
//	table.go   contents, each once
//	node.go    a node, and the record of what it asked
//	run.go     one revision: what holds, what is alike, what must be compiled
//	result.go  catalogs in and out of the store
//
// It may import package compiler and what is below. Start reading at Open, then Run.Result.
package store

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"bunraku/puppet/catalog"
	"bunraku/puppet/trace"
	"bunraku/report/redact"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// version of what is in the file. Another one is not read.
const version = "bunraku store 3"

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

	// Aside says what became of a store that was of no use; "" if there was none.
	Aside string

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
	names    map[uint32][2]string         // of resources, type and title
	flushed  time.Time                    // when something was written
	looks    int                          // at the file

	sum   sum // of all that is in the file
	adder adder
	err   error // of writing, or ErrBroken; then nothing more is written

	decrypted redact.Secrets
}

// Open opens the store in a directory, or makes one. The error is ErrLocked if another process has it. One that is
// damaged, or of another version or key, is put aside and made anew (Aside).
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path, keyPath := filepath.Join(dir, fileName), filepath.Join(dir, keyName)
	_, none := os.Stat(keyPath)
	aside := ""
	key, err := readKey(keyPath)
	if errors.Is(err, ErrBroken) {
		if aside, err = putAside(keyPath, err); err == nil {
			key, err = readKey(keyPath)
		}
	}
	if err != nil {
		return nil, err
	}
	s, err := open(dir, key, false)
	if errors.Is(err, ErrBroken) || errors.Is(err, ErrVersion) {
		if none != nil { // there was no key: somebody else's file
			return nil, fmt.Errorf("%s is no store of this program; name another directory", path)
		}
		if aside, err = putAside(path, err); err == nil {
			s, err = open(dir, key, false)
		}
	}
	if err != nil {
		return nil, err
	}
	s.Aside = aside
	return s, nil
}

// putAside renames a file that is of no use, and says so.
func putAside(path string, why error) (string, error) {
	to := path + ".broken"
	if errors.Is(why, ErrVersion) {
		to = path + ".old"
	}
	if err := os.Rename(path, to); err != nil {
		return "", fmt.Errorf("%w; it cannot be put aside: %w", why, err)
	}
	return fmt.Sprintf("%v; it is put aside as %s and made anew", why, to), nil
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
		err = broken("%s is no key", path)
	}
	return key, err
}

func open(dir string, key trace.Key, temp bool) (s *Store, err error) {
	path := filepath.Join(dir, fileName)
	info, err := os.Stat(path)
	there := err == nil && info.Size() > 0
	if there {
		if err := guarded(func() error { return check(path) }); err != nil {
			return nil, err
		}
	}
	err = guarded(func() error {
		s, err = openSound(dir, path, key, temp)
		return err
	})
	if errors.Is(err, syscall.ENOSPC) && !there { // half a store would be said to be damaged
		os.Remove(path)
	}
	return s, err
}

// check looks at a file, while nobody writes to it.
func check(path string) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockWait, ReadOnly: true})
	if err != nil {
		return opening(path, err)
	}
	return errors.Join(sound(path), db.Close())
}

// lockWait is how long another process may have the file.
const lockWait = 50 * time.Millisecond

// opening says why a file cannot be opened.
func opening(path string, err error) error {
	var refused syscall.Errno // by the system: that says nothing about the file
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrLocked
	case errors.As(err, &refused):
		return fmt.Errorf("%s cannot be opened: %w", path, err)
	}
	return broken("%s: %v", path, err)
}

// guarded does what reads the pages of a file, which is a part of memory: where the file was cut off, or cannot be
// read, that is a fault, and bbolt ends the program over what makes no sense.
func guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = broken("%v", p)
		}
	}()
	return f()
}

func openSound(dir, path string, key trace.Key, temp bool) (*Store, error) {
	// Which pages are free is in the file: to find it out would bring all of them into memory.
	opt := &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType}
	if temp {
		opt.NoSync, opt.NoGrowSync, opt.NoFreelistSync = true, true, true
	}
	db, err := bolt.Open(path, 0o600, opt)
	if err != nil {
		return nil, opening(path, err)
	}
	s := &Store{db: db, dir: dir, key: key, temp: temp, records: map[string][]*record{},
		numbers: map[*trace.Entry]uint32{}, byNumber: map[uint32]*trace.Entry{}, decoded: map[uint32]*layerSet{},
		bare: map[uint32]*catalog.Resource{}, names: map[uint32][2]string{},
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

	versionKey, keyKey, sumKey = []byte("version"), []byte("key"), []byte("sum") // in aboutBucket
)

// enter writes an entry, and adds it to the sum.
func (s *Store) enter(tx *bolt.Tx, bucket, key, val []byte) error {
	s.looked(tx)
	b := tx.Bucket(bucket)
	if old := b.Get(key); old != nil {
		s.sum -= s.adder.of(bucket, key, old)
	}
	s.sum += s.adder.of(bucket, key, val)
	return b.Put(key, val)
}

// keepSum writes the sum of all that is in the file.
func (s *Store) keepSum(tx *bolt.Tx) error {
	return tx.Bucket(aboutBucket).Put(sumKey, binary.BigEndian.AppendUint64(nil, uint64(s.sum)))
}

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
		if err := errors.Join(s.enter(tx, aboutBucket, versionKey, []byte(version)),
			s.enter(tx, aboutBucket, keyKey, check[:]), s.keepSum(tx)); err != nil {
			return err
		}
	}
	if string(about.Get(keyKey)) != string(check[:]) {
		return broken("%s was written with another key than the one beside it", s.db.Path())
	}
	if kept := about.Get(sumKey); len(kept) == 8 {
		s.sum = sum(binary.BigEndian.Uint64(kept))
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
	s.err = guarded(func() error { return s.db.Update(s.write) })
	if s.err != nil {
		return
	}
	for _, t := range s.tables {
		t.written()
	}
	clear(s.records)
	s.size, s.flushed = 0, time.Now()
}

// write writes what waits.
func (s *Store) write(tx *bolt.Tx) error {
	for _, t := range s.tables {
		if err := t.write(tx, s.enter); err != nil {
			return err
		}
	}
	for name, list := range s.records {
		if err := s.enter(tx, nodeBucket, []byte(name), encodeRecords(list)); err != nil {
			return err
		}
	}
	return s.keepSum(tx)
}

// Err is ErrBroken if the file was damaged since it was opened. Then nothing counts that came from the store.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, ErrBroken) {
		return s.err
	}
	return nil
}

// Close writes what waits and closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.temp {
		s.flush()
	}
	err := s.err
	if !errors.Is(err, ErrBroken) { // bbolt may hold its own locks then
		err = errors.Join(err, s.db.Close())
	}
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

// mostLooks is after how many looks at the file its pages are given back: they are a part of our memory once they were
// looked at, and the file grows with the fleet.
const mostLooks = 256

// looked counts looks.
func (s *Store) looked(tx *bolt.Tx) {
	if s.looks++; s.looks%mostLooks == 0 {
		forget(tx)
	}
}

// view reads from the file, the lock held. ok is false if it cannot be read any more.
func (s *Store) view(f func(tx *bolt.Tx)) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.see(f)
}

// see is view when the lock is held.
func (s *Store) see(f func(tx *bolt.Tx)) (ok bool) {
	if errors.Is(s.err, ErrBroken) {
		return false
	}
	err := guarded(func() error {
		return s.db.View(func(tx *bolt.Tx) error {
			f(tx)
			s.looked(tx)
			return nil
		})
	})
	if err != nil {
		s.err = err
	}
	return err == nil
}
