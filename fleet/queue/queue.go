// Package queue carries the work of a fleet to other machines, and what came of it back, over NATS JetStream.
//
// The work list is known, work is pure, and results are told by content: a node is done when its part (diff.Part) is
// there, however often it was compared. So the queue needs to promise little. A job is a message whose subject is the
// node, in a stream that keeps it until somebody acknowledges it; a worker acknowledges when the server has its result.
// A worker that is gone stops saying that it is at work, and the job goes to another one: work is done at least once. A
// result is a message whose subject is the node as well, in a stream that keeps one for each subject: results count
// once.
//
// Who serves and is killed begins anew with what is in the streams: only nodes that have no result are handed out. The
// run's name is the inquiry (fleet.Inquiry): the same question is the same run.
//
//	embed.go   a NATS server in this process
//	queue.go   connections, and what streams there are
//	serve.go   handing out nodes, and gathering what comes back
//	work.go    comparing nodes for somebody else
//	status.go  how far it is
//
// It may import package diff, and knows nothing of trees and catalogs. Start reading at Conn.Serve.
package queue

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Login is where the servers are, and who we are to them.
type Login struct {
	URL   string // several, separated by commas
	Dir   string // of an embedded server on this machine, which says where it is and how to log in; "" if URL does
	Token string // "" for none
	Creds string // a file of NATS credentials; "" for none
	TLS   *tls.Config
	// Patience is how long to wait for servers that do not answer; 0 is for ever.
	Patience time.Duration
}

// ErrStalled says that the servers did not answer for as long as there was patience.
var ErrStalled = errors.New("the servers do not answer")

// A Conn is a connection to the servers.
type Conn struct {
	nc  *nats.Conn
	js  jetstream.JetStream
	say func(string)
	url string

	patience time.Duration
}

// Dial connects. It waits until the servers can be reached, and keeps on trying when they no longer can; say is told.
func Dial(ctx context.Context, l Login, say func(string)) (*Conn, error) {
	if l.Dir != "" {
		address, err := os.ReadFile(filepath.Join(l.Dir, addressName))
		if err != nil {
			return nil, fmt.Errorf("nobody serves in %s: start fleet serve there, or name the servers with --nats URL", l.Dir)
		}
		token, err := os.ReadFile(filepath.Join(l.Dir, tokenName))
		if err != nil {
			return nil, err
		}
		l.URL, l.Token = strings.TrimSpace(string(address)), strings.TrimSpace(string(token))
	}
	c := &Conn{say: say, url: shown(l.URL), patience: l.Patience}
	opt := []nats.Option{nats.Name("bunraku"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.RetryOnFailedConnect(true), nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // what fails is tried again, and says so then
	}
	if l.Token != "" {
		opt = append(opt, nats.Token(l.Token))
	}
	if l.Creds != "" {
		opt = append(opt, nats.UserCredentials(l.Creds))
	}
	if l.TLS != nil {
		opt = append(opt, nats.Secure(l.TLS))
	}
	var err error
	if c.nc, err = nats.Connect(l.URL, opt...); err != nil {
		var bad *url.Error // it quotes what it is about
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, fmt.Errorf("%s: %w", c.url, err)
	}
	if c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(5*time.Second)); err != nil {
		c.nc.Close()
		return nil, err
	}
	err = c.patiently(ctx, func(ctx context.Context) error {
		if !c.nc.IsConnected() {
			if err := c.nc.LastError(); errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
				return &final{err}
			}
			return errors.New("not connected")
		}
		_, err := c.js.AccountInfo(ctx)
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return &final{err}
		}
		return err
	})
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("%s: %w", c.url, err)
	}
	return c, nil
}

// shown is where servers are, for people: without who we are to them, which URLs may say.
func shown(urls string) string {
	list := strings.Split(urls, ",")
	for i, text := range list {
		if at := strings.LastIndexByte(text, '@'); at >= 0 {
			scheme, _, is := strings.Cut(text[:at], "://")
			if list[i] = "…" + text[at:]; is {
				list[i] = scheme + "://" + list[i]
			}
		}
	}
	return strings.Join(list, ",")
}

// Close ends the connection.
func (c *Conn) Close() { c.nc.Close() }

// A final error is one that trying again does not mend.
type final struct{ error }

func (f *final) Unwrap() error { return f.error }

// patience is after how long a wait is told.
const patience = 3 * time.Second

// patiently does something until it succeeds. That takes long if too few of a cluster's servers are there; then it is
// said.
func (c *Conn) patiently(ctx context.Context, do func(context.Context) error) error {
	began, told := time.Now(), false
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := do(try)
		cancel()
		var f *final
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			if told {
				c.say("the servers answer again")
			}
			return nil
		case errors.As(err, &f):
			return f.error
		}
		if c.patience > 0 && time.Since(began) > c.patience {
			return fmt.Errorf("%w: %v", ErrStalled, err)
		}
		if !told && time.Since(began) > patience {
			told = true
			c.say(fmt.Sprintf("stalled, waiting for %s: %v", c.url, err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// A Run is a comparison that workers are to do.
type Run struct {
	ID    string    `json:"id"` // of the inquiry
	Name  string    `json:"name"`
	From  string    `json:"from"` // commits
	To    string    `json:"to"`
	Title string    `json:"title"` // for people
	Nodes int       `json:"nodes"`
	Began time.Time `json:"began"`
}

// Names of what is kept by the servers.
const (
	runBucket    = "bunraku-runs"
	workerBucket = "bunraku-workers"
	consumerName = "workers"
)

func workStream(run string) string   { return "bunraku-work-" + run }
func resultStream(run string) string { return "bunraku-result-" + run }

// encoded is a node's name as a part of a subject: names have dots and may have anything.
func encoded(name string) string { return base64.RawURLEncoding.EncodeToString([]byte(name)) }

func decoded(part string) (string, bool) {
	name, err := base64.RawURLEncoding.DecodeString(part)
	return string(name), err == nil
}

func workSubject(run, name string) string { return "bunraku.work." + run + "." + encoded(name) }

// replicas is how many of the servers keep everything.
func (c *Conn) replicas() int {
	if len(c.nc.Servers()) >= 3 {
		return 3
	}
	return 1
}

// bucket opens a table, or makes it.
func (c *Conn) bucket(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	kv, err := c.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = c.js.CreateOrUpdateKeyValue(ctx,
			jetstream.KeyValueConfig{Bucket: name, TTL: ttl, History: 1, Replicas: c.replicas()})
	}
	return kv, err
}

// put writes something as JSON into a table.
func put(ctx context.Context, kv jetstream.KeyValue, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return &final{err}
	}
	_, err = kv.Put(ctx, key, text)
	return err
}

// all reads every entry of a table; what cannot be read is passed over.
func all[T any](ctx context.Context, kv jetstream.KeyValue) (out []T, err error) {
	keys, err := kv.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		e, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var v T
		if json.Unmarshal(e.Value(), &v) == nil {
			out = append(out, v)
		}
	}
	return out, nil
}
