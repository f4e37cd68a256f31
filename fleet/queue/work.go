package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"bunraku/diff"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Times. A worker says all the time that it is at work: a job goes to somebody else when it has not said so for
// ackWait.
const (
	ackWait   = 15 * time.Second
	beat      = 5 * time.Second
	gone      = 20 * time.Second // after which a worker is forgotten
	lookAgain = 2 * time.Second  // for runs, and for revisions that were missing
)

// mostChunks bounds what one result may be.
const mostChunks = 10_000

// A Worker is who compares nodes, as it tells of itself.
type Worker struct {
	Name  string    `json:"name"`
	Run   string    `json:"run,omitempty"`
	State string    `json:"state"` // in words: "at work", "waits", or what it lacks
	Done  int       `json:"done"`
	Seen  time.Time `json:"seen"`
}

// A Job compares nodes of a run, by their names, and gives a part for each.
type Job func(ctx context.Context, names []string) ([]*diff.Part, error)

// A Lack is why a worker cannot do a run; it may have what it lacks later.
type Lack struct{ What string }

func (l *Lack) Error() string { return l.What }

// Work does runs until the context ends or, if once, until there are none. open prepares one; its error is a *Lack if
// others may be able to do it. many is how many nodes are taken at a time.
func (c *Conn) Work(ctx context.Context, name string, many int, once bool,
	open func(context.Context, Run) (Job, func(), error)) error {
	w := &working{Conn: c, me: Worker{Name: name, State: "waits"}, many: many, size: chunkSize(c.nc.MaxPayload())}
	lacking := map[string]string{}
	for {
		var runs []Run
		err := c.patiently(ctx, func(ctx context.Context) error {
			kv, err := c.bucket(ctx, runBucket, 0)
			if err == nil {
				runs, err = all[Run](ctx, kv)
			}
			return err
		})
		if err != nil {
			return err
		}
		if once && len(runs) == 0 {
			return nil
		}
		worked := false
		for _, run := range runs {
			job, done, err := open(ctx, run)
			var lack *Lack
			if errors.As(err, &lack) {
				if lacking[run.ID] != lack.What {
					c.say(fmt.Sprintf("%s: %s", run.Title, lack.What))
				}
				lacking[run.ID] = lack.What
				w.me.Run, w.me.State = run.ID, lack.What
				continue
			}
			if err != nil {
				return err
			}
			worked = true
			w.me.Run, w.me.State = run.ID, "at work"
			err = w.do(ctx, run, job)
			done()
			if err != nil {
				return err
			}
			w.me.Run, w.me.State = "", "waits"
		}
		if err := c.patiently(ctx, w.tell); err != nil {
			return err
		}
		if !worked {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(lookAgain):
			}
		}
	}
}

type working struct {
	*Conn
	me   Worker
	many int
	size int // of a chunk
}

// chunkSize is how much of a result goes into a message.
func chunkSize(most int64) int { return int(min(max(most/2, 1<<10), 512<<10)) }

// tell says who we are and what we do.
func (w *working) tell(ctx context.Context) error {
	kv, err := w.bucket(ctx, workerBucket, gone)
	if err != nil {
		return err
	}
	w.me.Seen = time.Now().UTC()
	return put(ctx, kv, encoded(w.me.Name), w.me)
}

// do takes jobs of a run until it is over.
func (w *working) do(ctx context.Context, run Run, job Job) error {
	told := time.Time{}
	for {
		var msgs []jetstream.Msg
		over := false
		err := w.patiently(ctx, func(ctx context.Context) error {
			kv, err := w.bucket(ctx, runBucket, 0)
			if err != nil {
				return err
			}
			if _, err := kv.Get(ctx, run.ID); errors.Is(err, jetstream.ErrKeyNotFound) {
				over = true
				return nil
			} else if err != nil {
				return err
			}
			consumer, err := w.js.Consumer(ctx, workStream(run.ID), consumerName)
			if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
				over = true
				return nil
			}
			if err != nil {
				return err
			}
			if time.Since(told) > beat {
				if err := w.tell(ctx); err != nil {
					return err
				}
				told = time.Now()
			}
			batch, err := consumer.Fetch(w.many, jetstream.FetchMaxWait(time.Second))
			if err != nil {
				return err
			}
			for m := range batch.Messages() {
				msgs = append(msgs, m)
			}
			return nil // whatever ended it: what came is done, and the next time tells
		})
		if err != nil || over {
			return err
		}
		if len(msgs) > 0 {
			if err := w.batch(ctx, run, job, msgs); err != nil {
				return err
			}
		}
	}
}

// batch does some jobs, and says all the time that it does.
func (w *working) batch(ctx context.Context, run Run, job Job, msgs []jetstream.Msg) error {
	busy, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-busy.Done():
				return
			case <-tick.C:
				for _, m := range msgs {
					_ = m.InProgress() // if it is lost, somebody else does the job as well
				}
				try, cancel := context.WithTimeout(busy, beat)
				_ = w.tell(try)
				cancel()
			}
		}
	}()
	defer func() { stop(); <-ended }()
	var names []string
	prefix := len("bunraku.work." + run.ID + ".")
	for _, m := range msgs {
		name, ok := decoded(m.Subject()[min(prefix, len(m.Subject())):])
		if !ok {
			return fmt.Errorf("%q is the subject of no node", m.Subject())
		}
		names = append(names, name)
	}
	parts, err := job(ctx, names)
	if err != nil {
		for _, m := range msgs {
			_ = m.Nak() // somebody else may know better
		}
		return err
	}
	for i, m := range msgs {
		if err := w.patiently(ctx, func(ctx context.Context) error {
			return w.send(ctx, run, names[i],
				parts[i])
		}); err != nil {
			return err
		}
		w.me.Done++
		_ = m.Ack() // if it is lost, the node is compared once more
	}
	return nil
}

// send writes a result, in as many messages as it takes.
func (w *working) send(ctx context.Context, run Run, name string, p *diff.Part) error {
	text, err := json.Marshal(p)
	if err != nil {
		return &final{err}
	}
	count := (len(text) + w.size - 1) / w.size
	for i := range count {
		m := nats.NewMsg(fmt.Sprintf("bunraku.result.%s.%s.%d", run.ID, encoded(name), i))
		m.Header.Set(chunksHeader, strconv.Itoa(count))
		m.Header.Set(sumHeader, sumOf(text))
		m.Data = text[i*w.size : min((i+1)*w.size, len(text))]
		_, err := w.js.PublishMsg(ctx, m)
		if errors.Is(err, jetstream.ErrNoStreamResponse) { // the run may be over
			if _, gone := w.js.Stream(ctx, resultStream(run.ID)); errors.Is(gone, jetstream.ErrStreamNotFound) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
