package listing

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A rewrite makes a new store beside the old one: what stays is copied, what is imported is added, and at the end the
// new file takes the old one's place. Readers never wait and never see half an import.
type rewrite struct {
	file, temp string
	was        os.FileInfo // the old store, nil if there is none
	db         *bolt.DB
	tx         *bolt.Tx
	path       []string                // where put puts
	open       map[string]*bolt.Bucket // of this path and transaction
	size       int                     // bytes since the last commit
}

const commitSize = 16 << 20

// newRewrite begins a new store in a directory on the same disk.
func newRewrite(file, dir string) (*rewrite, error) {
	w := &rewrite{file: file, temp: filepath.Join(dir, "store")}
	info, err := os.Stat(file)
	if err == nil {
		w.was = info
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	w.db, err = bolt.Open(w.temp, 0o644, &bolt.Options{Timeout: storeTimeout, NoFreelistSync: true, NoGrowSync: true,
		NoSync: true})
	if err != nil {
		return nil, err
	}
	if w.tx, err = w.db.Begin(true); err == nil {
		var b *bolt.Bucket
		if b, err = w.tx.CreateBucket([]byte(bucketRoot)); err == nil {
			err = b.Put([]byte(keyFormat), []byte(storeFormat))
		}
	}
	if err != nil {
		w.abort()
		return nil, err
	}
	return w, nil
}

// at says where put puts: platform and layer.
func (w *rewrite) at(path ...string) { w.path, w.open = path, map[string]*bolt.Bucket{} }

func (w *rewrite) put(bucket string, key, value []byte) error {
	b, err := w.bucket(bucket)
	if err != nil {
		return err
	}
	if err := b.Put(key, value); err != nil {
		return err
	}
	if w.size += len(key) + len(value); w.size < commitSize {
		return nil
	}
	return w.commit()
}

func (w *rewrite) commit() (err error) {
	w.size = 0
	clear(w.open)
	if err = w.tx.Commit(); err == nil {
		w.tx, err = w.db.Begin(true)
	}
	return err
}

// bucket finds or makes a bucket of the layer; "" is the layer itself.
func (w *rewrite) bucket(name string) (*bolt.Bucket, error) {
	if b := w.open[name]; b != nil {
		return b, nil
	}
	b := w.tx.Bucket([]byte(bucketRoot))
	for _, part := range append(w.path[:len(w.path):len(w.path)], name) {
		var err error
		if part != "" {
			if b, err = b.CreateBucketIfNotExists([]byte(part)); err != nil {
				return nil, err
			}
		}
	}
	b.FillPercent = 1 // keys come in order
	w.open[name] = b
	return b, nil
}

// info writes what a layer is about.
func (w *rewrite) info(l Layer) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	for _, b := range []string{bucketPackage, bucketChunk, bucketName, bucketPath} {
		if _, err := w.bucket(b); err != nil {
			return err
		}
	}
	return w.put("", []byte(keyInfo), text)
}

// copy takes over what a store has, but for the layers that are to go.
func (w *rewrite) copy(s *Store, goes func(Layer, string) bool) error {
	return s.view(func(tx *bolt.Tx) error {
		root := tx.Bucket([]byte(bucketRoot))
		err := root.ForEachBucket(func(platform []byte) error {
			all, err := layersOf(root.Bucket(platform))
			if err != nil {
				return err
			}
			for _, l := range all {
				if goes(l.Layer, string(l.key)) {
					continue
				}
				w.at(string(platform), string(l.key))
				if err := w.info(l.Layer); err != nil {
					return err
				}
				err := l.bucket.ForEachBucket(func(name []byte) error {
					return l.bucket.Bucket(name).ForEach(func(k, v []byte) error { return w.put(string(name), k, v) })
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return w.commit() // what is not committed lives in the old store, which will be closed
	})
}

// finish puts the new store in the old one's place.
func (w *rewrite) finish() error {
	err := w.tx.Commit()
	if err == nil {
		w.tx = nil
		err = w.db.Sync()
	}
	if err == nil {
		if now, e := os.Stat(w.file); (e == nil) != (w.was != nil) || e == nil &&
			!(os.SameFile(now, w.was) && now.ModTime().Equal(w.was.ModTime())) {
			err = fmt.Errorf("%s: another import has written it meanwhile; import again", w.file)
		}
	}
	if err == nil {
		err = os.Rename(w.temp, w.file)
	}
	if err != nil {
		w.abort()
		return err
	}
	return w.db.Close()
}

// abort leaves no trace.
func (w *rewrite) abort() {
	if w.tx != nil {
		w.tx.Rollback()
	}
	os.Remove(w.temp)
	w.db.Close()
}

// layerKey tells the imports of a platform apart: a second import of the same sources takes the place of the first.
func layerKey(kind Kind, sources []string) string {
	return fmt.Sprintf("%s %016x", kind, hashText(strings.Join(sources, "\x00")))
}
