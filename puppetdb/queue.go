package puppetdb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Queue holds commands on disk until PuppetDB has taken them, so that who made them need not wait for PuppetDB, and
// none is lost when the machine or the program ends.
//
// A command is a file of its own: a line that describes it, then the payload. It is written beside its place, made
// durable, put there, and the directory made durable, before Put returns. It is removed when PuppetDB has said that it
// is in PuppetDB's own queue. If we end in between, it is sent again: commands say when they were made, an older one
// does not replace a newer, and a report is stored once however often it comes. What PuppetDB will never take (a
// payload that is wrong or too large) is put aside, into refused/, and counted.
//
// Names begin with the time, so that the oldest goes first.
type Queue struct {
	dir    string
	client Sender
	told   func(QueueEvent)

	number atomic.Uint64
	wake   chan struct{}

	mu      sync.Mutex
	waiting int
	bytes   int64
	sent    uint64
	refused uint64
	down    error // why PuppetDB does not take anything, at last
}

// A Sender takes commands, as a Client does. An *Error with the status 400, 413, 415 or 422 says that it never will.
type Sender interface {
	Command(ctx context.Context, c Command) (uuid string, err error)
}

// A QueueEvent is worth telling who runs the machine.
type QueueEvent struct {
	Command, Certname string
	Refused           bool  // for good: it is in refused/
	Down, Up          bool  // PuppetDB takes nothing any more, or again
	Err               error // why
}

// QueueState is how a queue stands.
type QueueState struct {
	Waiting       int
	Bytes         int64
	Sent, Refused uint64 // since the start
	Oldest        time.Time
	Down          error
}

const (
	queueSenders  = 4
	queueRefusals = 8                // answers in a row that are errors, until all wait
	queuePause    = time.Second      // after PuppetDB could not be reached
	queuePauses   = 30 * time.Second // at most
	queueSuffix   = ".command"
)

// queued is the first line of a file.
type queued struct {
	Name     string    `json:"command"`
	Version  int       `json:"version"`
	Certname string    `json:"certname"`
	Produced time.Time `json:"produced"`
	Bytes    int       `json:"bytes"` // of the payload
}

// OpenQueue opens the queue in a directory, which it makes, and removes what was being written when its writer ended.
// The function is told what happens; it may be nil.
func OpenQueue(dir string, c Sender, told func(QueueEvent)) (*Queue, error) {
	if told == nil {
		told = func(QueueEvent) {}
	}
	q := &Queue{dir: dir, client: c, told: told, wake: make(chan struct{}, 1)}
	if err := os.MkdirAll(filepath.Join(dir, "refused"), 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), ".new-"): // nobody was told that it is there
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
		case strings.HasSuffix(e.Name(), queueSuffix):
			q.waiting++
			if info, err := e.Info(); err == nil {
				q.bytes += info.Size()
			}
		}
	}
	return q, nil
}

// Put keeps a command. When it returns nil, the command will reach PuppetDB.
func (q *Queue) Put(c Command) error {
	head, err := json.Marshal(queued{c.Name, c.Version, c.Certname, c.Produced, len(c.Payload)})
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(q.dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	text := append(append(head, '\n'), c.Payload...)
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	name := fmt.Sprintf("%020d-%06d%s", time.Now().UnixNano(), q.number.Add(1)%1_000_000, queueSuffix)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(q.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := SyncDir(q.dir); err != nil {
		return err // it may be there or not: who is told so tries again
	}
	q.mu.Lock()
	q.waiting++
	q.bytes += int64(len(text))
	q.mu.Unlock()
	q.nudge()
	return nil
}

func (q *Queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// SyncDir makes durable what names a directory has.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// State is how the queue stands.
func (q *Queue) State() QueueState {
	q.mu.Lock()
	s := QueueState{Waiting: q.waiting, Bytes: q.bytes, Sent: q.sent, Refused: q.refused, Down: q.down}
	q.mu.Unlock()
	if s.Waiting > 0 { // looked up while others go on: there may be many
		if names, err := q.list(); err == nil && len(names) > 0 {
			var nano int64
			if _, err := fmt.Sscanf(names[0], "%020d", &nano); err == nil {
				s.Oldest = time.Unix(0, nano)
			}
		}
	}
	return s
}

// list names what waits, the oldest first.
func (q *Queue) list() (names []string, err error) {
	entries, err := os.ReadDir(q.dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), queueSuffix) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// Run sends commands until the context ends. While PuppetDB cannot be reached, it tries every now and then.
func (q *Queue) Run(ctx context.Context) {
	pause := queuePause
	for ctx.Err() == nil {
		names, err := q.list()
		if err == nil && len(names) > 0 {
			err = q.send(ctx, names)
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil && len(names) > 0 {
			pause = queuePause
			q.note(nil)
			if q.has(names[0]) { // it is tried again in a while, with what comes until then
				select {
				case <-ctx.Done():
				case <-time.After(queuePause):
				}
			}
			continue
		}
		wait := time.Minute // somebody nudges
		if err != nil {
			q.note(err)
			wait, pause = pause, min(2*pause, queuePauses)
			select {
			case <-q.wake: // a nudge is no reason to hurry
			default:
			}
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-q.wake:
		case <-time.After(wait):
		}
	}
}

// has reports whether a command still waits.
func (q *Queue) has(name string) bool {
	_, err := os.Lstat(filepath.Join(q.dir, name))
	return err == nil
}

// note keeps why PuppetDB takes nothing, and tells when that changes.
func (q *Queue) note(err error) {
	q.mu.Lock()
	was := q.down
	q.down = err
	q.mu.Unlock()
	switch {
	case was == nil && err != nil:
		q.told(QueueEvent{Down: true, Err: err})
	case was != nil && err == nil:
		q.told(QueueEvent{Up: true})
	}
}

// send sends some commands, a few at a time, until PuppetDB cannot be reached or does nothing but refuse. One that it
// has an error for, again and again, does not hold up those behind it. It is an error if none could be sent.
func (q *Queue) send(ctx context.Context, names []string) error {
	work := make(chan string)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var mu sync.Mutex
	sent, row, last := 0, 0, error(nil)
	came := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			sent, row = sent+1, 0
			return
		}
		var e *Error
		last, row = err, row+1
		if !errors.As(err, &e) || e.Status == 0 || row >= queueRefusals {
			cancel(err)
		}
	}
	for range min(queueSenders, len(names)) {
		all.Go(func() {
			for name := range work {
				if ctx.Err() != nil {
					continue
				}
				came(q.one(ctx, name))
			}
		})
	}
	for _, name := range names {
		work <- name
	}
	close(work)
	all.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case sent == 0:
		return last
	}
	return nil
}

// one sends a command and removes it. An error is one that may pass.
func (q *Queue) one(ctx context.Context, name string) error {
	path := filepath.Join(q.dir, name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return q.refuse(name, queued{}, info.Size(), fmt.Errorf("it is no file"))
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission): // somebody else's
		return q.refuse(name, queued{}, info.Size(), err)
	case err != nil:
		return err
	}
	var head queued
	line, payload, found := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(line, &head); err != nil || !found || len(payload) != head.Bytes {
		return q.refuse(name, head, int64(len(text)), fmt.Errorf("the file is not whole"))
	}
	_, err = q.client.Command(ctx, Command{Name: head.Name, Version: head.Version, Certname: head.Certname,
		Produced: head.Produced, Payload: payload})
	var e *Error
	if errors.As(err, &e) && (e.Status == 400 || e.Status == 413 || e.Status == 415 || e.Status == 422) {
		return q.refuse(name, head, int64(len(text)), err)
	}
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting, q.bytes, q.sent = q.waiting-1, q.bytes-int64(len(text)), q.sent+1
	return nil
}

// refuse puts a command aside that PuppetDB will never take.
func (q *Queue) refuse(name string, head queued, size int64, why error) error {
	if err := os.Rename(filepath.Join(q.dir, name), filepath.Join(q.dir, "refused", name)); err != nil {
		return err
	}
	q.mu.Lock()
	q.waiting, q.bytes, q.refused = q.waiting-1, q.bytes-size, q.refused+1
	q.mu.Unlock()
	q.told(QueueEvent{Command: head.Name, Certname: head.Certname, Refused: true, Err: why})
	return nil
}
