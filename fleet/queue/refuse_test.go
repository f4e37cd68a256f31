package queue

import (
	"context"
	"crypto/tls"
	"strings"
	"testing"
	"time"
)

// Two servers cannot have one directory, on whatever ports they listen: each would write over the other's streams.
func TestOneServer(t *testing.T) {
	dir := t.TempDir()
	first, err := Embed(EmbedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Embed(EmbedOptions{Dir: dir, Listen: "127.0.0.1:0"}); err == nil {
		second.Close()
		t.Error("two servers have one directory")
	} else if !strings.Contains(err.Error(), "another process has it") {
		t.Error(err)
	}
	first.Close()
	third, err := Embed(EmbedOptions{Dir: dir})
	if err != nil {
		t.Fatal("who is gone still has it:", err)
	}
	third.Close()
}

// What can never work is refused at once.
func TestListen(t *testing.T) {
	for _, opt := range []EmbedOptions{{Listen: "127.0.0.1:70000"}, {Listen: "127.0.0.1:-5"},
		{Listen: "0.0.0.0:0", Token: "a token that we share", TLS: &tls.Config{}}} {
		opt.Dir = t.TempDir()
		began := time.Now()
		e, err := Embed(opt)
		if err == nil {
			e.Close()
		}
		if spent := time.Since(began); err == nil || spent > 5*time.Second {
			t.Errorf("%s: %v after %s", opt.Listen, err, spent)
		}
	}
}

// Who we are to the servers is in no message, also where a URL says it.
func TestShownURL(t *testing.T) {
	for _, url := range []string{"nats://me:hunter2@127.0.0.1:1", "nats://hunter2@127.0.0.1:1", "hunter2@127.0.0.1:1",
		"nats://127.0.0.1:2,nats://me:hunter2@127.0.0.1:1", "nats://me:hunter2@127.0.0.1:x",
		"nats://me:hunt@er2:hunter2@127.0.0.1:1"} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			said := ""
			c, err := Dial(context.Background(), Login{URL: url, Patience: patience + time.Second},
				func(text string) { said += text })
			if err == nil {
				c.Close()
				t.Fatal("somebody serves at", url)
			}
			if said += err.Error(); strings.Contains(said, "unter2") || !strings.Contains(said, "@127.0.0.1:") {
				t.Errorf("%s: %s", url, said)
			}
		})
	}
}

// What one worker has done at a time tells no rate.
func TestRate(t *testing.T) {
	if got := rate(4, 2*time.Millisecond); got != 0 {
		t.Error(got)
	}
	if got := rate(21, 10*time.Second); got != 2 {
		t.Error(got)
	}
}
