package store_test

import (
	"encoding/binary"
	"testing"

	"bunraku/fleet/store"
	"bunraku/internal/manynodes"

	bolt "go.etcd.io/bbolt"
)

// A store in which something is missing proves nothing: the nodes are compiled.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	const nodes = 4
	compile := func() map[string]int {
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, s)
		hows := b.count(b.over(manynodes.Site(nodes, manynodes.None)), nodes, nil)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return hows
	}
	compile()
	db, err := bolt.Open(dir+"/store.db", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		sets := tx.Bucket([]byte("set"))
		for n := range uint32(40) { // the last one stays: numbers go on behind it
			k := binary.BigEndian.AppendUint32(nil, n)
			if c := sets.Get(k); c != nil && sets.Get(binary.BigEndian.AppendUint32(nil, n+1)) != nil {
				if err := sets.Delete(k); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if hows := compile(); hows["compiled"] != nodes {
		t.Error(hows)
	}
}
