package store_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strings"
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

// However a file is damaged, the process lives on, and what it says is what it says without a store.
func TestDamaged(t *testing.T) {
	const nodes = 6
	dir := t.TempDir()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, s)
	for _, change := range []manynodes.Change{manynodes.None, 1, 2} {
		b.count(b.over(manynodes.Site(nodes, change)), nodes, nil)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(dir + "/store.db")
	if err != nil {
		t.Fatal(err)
	}
	site := manynodes.Site(nodes, 2)
	var want []string
	fresh, err := store.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	c := newBench(t, fresh)
	run := c.over(site)
	for i := range nodes {
		cat, err := c.result(run, node(i)).Catalog()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, c.text(cat))
	}
	turns := 300
	if testing.Short() {
		turns = 40
	}
	aside, held := 0, 0
	for seed := range uint64(turns) {
		damaged := damage(whole, rand.New(rand.NewPCG(seed, 1)))
		if err := os.WriteFile(dir+"/store.db", damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(dir)
		if err != nil {
			t.Fatalf("damage %d: %v", seed, err)
		}
		if s.Aside != "" {
			aside++
			if seed%10 != 0 { // it is empty, like those before
				s.Close()
				continue
			}
		}
		b := newBench(t, s)
		run := b.over(site)
		for i := range nodes {
			res := b.result(run, node(i))
			if res.How == store.Held {
				held++
			}
			cat, err := res.Catalog()
			if err != nil {
				t.Fatalf("damage %d: %v", seed, err)
			}
			if got := b.text(cat); got != want[i] {
				t.Fatalf("damage %d: node %d is another one", seed, i)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatalf("damage %d: %v", seed, err)
		}
	}
	t.Logf("%d of %d were put aside; of the others %d nodes held", aside, turns, held)
	if aside == 0 || held == 0 {
		t.Error("nothing was tried")
	}
}

// The keys by which bbolt finds its way to a page are no entries, and add up to nothing; they have to be those that the
// pages begin with.
func TestDamagedBranches(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const nodes, page = 40, 4096
	newBench(t, s).count(newBench(t, s).over(manynodes.Site(nodes, manynodes.None)), nodes, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(dir + "/store.db")
	if err != nil {
		t.Fatal(err)
	}
	tried, aside := 0, 0
	for _, at := range branches(t, dir+"/store.db", page) {
		count := int(binary.NativeEndian.Uint16(whole[at+10:]))
		for i := range count {
			e := at + 16 + 16*i
			pos, size := int(binary.NativeEndian.Uint32(whole[e:])), int(binary.NativeEndian.Uint32(whole[e+4:]))
			if i%20 != min(1, count-1) { // some of them
				continue
			}
			damaged := append([]byte(nil), whole...)
			damaged[e+pos+size-1]++ // still behind the keys before it, but for one that ends with the greatest byte
			if err := os.WriteFile(dir+"/store.db", damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if tried++; s.Aside != "" {
				aside++
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d keys of branches, %d found out", tried, aside)
	if tried < 5 || aside < tried {
		t.Errorf("%d of %d were found out", aside, tried)
	}
}

// branches are where the pages of branches begin that a file of bbolt's uses. Which others have been some depends on
// when it was written what.
func branches(t *testing.T, file string, page int) (at []int) {
	db, err := bolt.Open(file, 0o600, &bolt.Options{ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(func(tx *bolt.Tx) error {
		for id := 2; ; id++ {
			info, err := tx.Page(id)
			if err != nil || info == nil {
				return err
			}
			if info.Type == "branch" {
				at = append(at, id*page)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return at
}

// damage does something to a file.
func damage(whole []byte, random *rand.Rand) []byte {
	out := append([]byte(nil), whole...)
	const page = 4096
	pages := len(out) / page
	switch random.IntN(6) {
	case 0: // bits
		for range 1 + random.IntN(8) {
			out[random.IntN(len(out))] ^= 1 << random.IntN(8)
		}
	case 1: // the head of a page
		out[random.IntN(pages)*page+random.IntN(64)] ^= byte(1 + random.IntN(255))
	case 2:
		return out[:random.IntN(len(out))]
	case 3:
		at := random.IntN(len(out))
		clear(out[at:min(len(out), at+1+random.IntN(3*page))])
	case 4:
		a, b := random.IntN(pages)*page, random.IntN(pages)*page
		copy(out[a:a+page], whole[b:b+page])
		copy(out[b:b+page], whole[a:a+page])
	case 5: // what another file has
		at := random.IntN(len(out))
		for i := range out[at:min(len(out), at+1+random.IntN(page))] {
			out[at+i] = byte(random.Uint32())
		}
	}
	return out
}

// A file that is cut off while it is in use ends nobody: Err tells.
func TestCutOff(t *testing.T) {
	const nodes = 4
	dir := t.TempDir()
	for range 2 {
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, s)
		b.count(b.over(manynodes.Site(nodes, manynodes.None)), nodes, nil)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(dir+"/store.db", 4096); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, s)
	b.count(b.over(manynodes.Site(nodes, 1)), nodes, nil)
	if s.Err() == nil {
		t.Error("nothing was read")
	}
	s.Close()
}

// A list of free pages that is not true is found: what is in use would be written over.
func TestFreePages(t *testing.T) {
	const nodes, page = 4, 4096
	dir := t.TempDir()
	for _, change := range []manynodes.Change{manynodes.None, 1} {
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if s.Aside != "" {
			t.Fatal(s.Aside)
		}
		b := newBench(t, s)
		b.count(b.over(manynodes.Site(nodes, change)), nodes, nil)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(dir + "/store.db")
	if err != nil {
		t.Fatal(err)
	}
	u64 := binary.NativeEndian.Uint64
	meta := whole[16:] // the newer one of two
	if second := whole[page+16:]; u64(second[48:]) > u64(meta[48:]) {
		meta = second
	}
	root, free := u64(meta[16:]), int(u64(meta[32:]))*page
	for what, change := range map[string]func(list []byte){
		"is not free":              func(list []byte) { binary.NativeEndian.PutUint64(list[16:], root) },
		"is neither free nor":      func(list []byte) { list[10]-- },
		"makes no sense":           func(list []byte) { list[8] = 2 },
		"page 9999999 is not free": func(list []byte) { binary.NativeEndian.PutUint64(list[16:], 9999999) },
	} {
		damaged := append([]byte(nil), whole...)
		if damaged[free+10] < 2 {
			t.Fatal("no page is free")
		}
		change(damaged[free:])
		if err := os.WriteFile(dir+"/store.db", damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Aside, what) {
			t.Errorf("%s: %q", what, s.Aside)
		}
		s.Close()
	}
}
