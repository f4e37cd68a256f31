package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// TestForget: pages that were looked at are not a part of our memory any more, and can be looked at again.
func TestForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages")
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := []byte("bucket")
	if err := db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket(name)
		for i := uint32(0); i < 2000 && err == nil; i++ {
			err = b.Put(numberKey(i), make([]byte, 2000))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	look := func(tx *bolt.Tx) (n int) {
		_ = tx.Bucket(name).ForEach(func(_, v []byte) error {
			for _, c := range v {
				n += 1 + int(c)
			}
			return nil
		})
		return n
	}
	_ = db.View(func(tx *bolt.Tx) error {
		first := look(tx)
		was := resident(t, path)
		forget(tx)
		is := resident(t, path)
		if was < 4000 || is > was/4 {
			t.Errorf("of %d kB in memory %d kB stay", was, is)
		}
		if again := look(tx); again != first {
			t.Errorf("%d is %d when it is looked at again", first, again)
		}
		return nil
	})
}

// resident is how many kilobytes of a file are a part of our memory.
func resident(t *testing.T, path string) (kb int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	_, of, found := strings.Cut(string(text), path+"\n")
	if !found {
		t.Fatal("the file is not mapped")
	}
	_, of, _ = strings.Cut(of, "\nRss:")
	if _, err := fmt.Sscan(of, &kb); err != nil {
		t.Fatal(err)
	}
	return kb
}
