package puppetdb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bunraku/puppetdb"
)

// taker is somebody who takes commands, but some.
type taker struct {
	mu   sync.Mutex
	took map[string]bool
	not  map[string]int // certname → the status of the answer; 0 for none
	asks int
}

func (s *taker) Command(_ context.Context, c puppetdb.Command) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks++
	if status, not := s.not[c.Certname]; not {
		return "", &puppetdb.Error{Status: status, Again: true, Err: errors.New("not that one")}
	}
	s.took[c.Certname] = true
	return "", nil
}

// TestQueuePasses: a command that PuppetDB has an error for, each time, does not hold up those behind it, nor does
// something in the directory that is no command. When it has nothing but errors, or cannot be reached, all wait.
func TestQueuePasses(t *testing.T) {
	dir := t.TempDir()
	to := &taker{took: map[string]bool{}, not: map[string]int{"poison": 500}}
	if err := os.Mkdir(filepath.Join(dir, "00000000000000000001-000001.command"), 0o700); err != nil {
		t.Fatal(err)
	}
	q, err := puppetdb.OpenQueue(dir, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string) {
		t.Helper()
		err := q.Put(puppetdb.Command{Name: "store_report", Version: 8, Certname: name, Produced: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("poison")
	for i := range 100 {
		put(fmt.Sprint("node", i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan bool)
	go func() { q.Run(ctx); close(ended) }()
	wait := func(what string, is func() bool) {
		t.Helper()
		for until := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: %+v", what, q.State())
			}
		}
	}
	wait("all but one are sent", func() bool { s := q.State(); return s.Sent == 100 && s.Waiting == 1 })
	if s := q.State(); s.Refused != 1 {
		t.Errorf("what is no command is not put aside: %+v", s)
	}
	to.mu.Lock()
	asks := to.asks
	to.mu.Unlock()
	put("late")
	wait("one that comes later", func() bool { return q.State().Sent == 101 })
	time.Sleep(300 * time.Millisecond)
	to.mu.Lock()
	if to.asks-asks > 5 {
		t.Errorf("it was asked %d times in a moment", to.asks-asks)
	}
	for i := range 100 {
		to.not[fmt.Sprint("away", i)] = 503
	}
	asks = to.asks
	to.mu.Unlock()
	for i := range 100 {
		put(fmt.Sprint("away", i))
	}
	wait("all wait", func() bool { return q.State().Down != nil })
	to.mu.Lock()
	if to.asks-asks > 40 {
		t.Errorf("it was asked %d times while it had nothing but errors", to.asks-asks)
	}
	clear(to.not)
	to.mu.Unlock()
	wait("all are sent", func() bool { s := q.State(); return s.Waiting == 0 && s.Sent == 202 })
	cancel()
	<-ended
}
