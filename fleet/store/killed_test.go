package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"bunraku/fleet/store"
	"bunraku/internal/live"
	"bunraku/internal/manynodes"
)

// killedNodes is how many nodes are compiled by processes that are killed.
const killedNodes = 400

// TestChild is what a process that is killed does. It is no test by itself.
func TestChild(t *testing.T) {
	dir := os.Getenv("BUNRAKU_CHILD_STORE")
	if dir == "" {
		t.Skip("it is for TestKilled")
	}
	change, _ := strconv.Atoi(os.Getenv("BUNRAKU_CHILD_CHANGE"))
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, s)
	b.count(b.over(manynodes.Site(killedNodes, manynodes.Change(change))), killedNodes, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A store whose processes were killed at any moment gives what one gives that nobody disturbed, and what was stored is
// not compiled again.
func TestKilled(t *testing.T) { killed(t, 4, 1) }

// TestAcceptKilled is the long form.
func TestAcceptKilled(t *testing.T) {
	live.Accept(t)
	killed(t, 100, 7)
}

func killed(t *testing.T, kills int, seed uint64) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(seed, 1))
	began, ended := 0, 0
	for began < kills {
		change := random.IntN(5)
		cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
		cmd.Env = append(os.Environ(), "BUNRAKU_CHILD_STORE="+dir, fmt.Sprint("BUNRAKU_CHILD_CHANGE=", change))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("after %d kills: %v", began, err)
			}
			ended++
		case <-time.After(time.Duration(50+random.IntN(4000)) * time.Millisecond):
			cmd.Process.Kill()
			<-done
			began++
		}
		if ended > 3 { // all is stored: from the beginning
			ended = 0
			os.Remove(dir + "/store.db")
		}
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fresh, err := store.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	b, c := newBench(t, s), newBench(t, fresh)
	for change := range manynodes.Change(5) {
		texts := manynodes.Site(killedNodes, change)
		after, anew := b.over(texts), c.over(texts)
		for i := 0; i < killedNodes; i += 7 {
			x, err := b.result(after, node(i)).Catalog()
			if err != nil {
				t.Fatal(err)
			}
			y, err := c.result(anew, node(i)).Catalog()
			if err != nil {
				t.Fatal(err)
			}
			if b.text(x) != c.text(y) {
				t.Fatalf("node %d is another after %d kills", i, kills)
			}
		}
	}
	t.Logf("%d kills: the bytes are those of an undisturbed run", kills)
}
