package queue

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"bunraku/diff"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of a result that comes in chunks.
const (
	chunksHeader = "Bunraku-Chunks" // how many
	sumHeader    = "Bunraku-Sum"    // of the whole
)

// Serve lets workers do a run, and gives what came of every node. step is told how many are done.
func (c *Conn) Serve(ctx context.Context, run Run, names []string, step func(done int)) ([]*diff.Part, error) {
	s := &serving{Conn: c, run: run, wanted: make(map[string]bool, len(names)), parts: map[string]*diff.Part{}, step: step}
	for _, n := range names {
		s.wanted[n] = true
	}
	if err := c.patiently(ctx, s.prepare); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		if err := c.patiently(ctx, s.gather); err != nil { // what is there from before
			return nil, err
		}
		if len(s.parts) == len(names) {
			break
		}
		if err := c.patiently(ctx, func(ctx context.Context) error { return s.handOut(ctx, names, first) }); err != nil {
			return nil, err
		}
	}
	out := make([]*diff.Part, 0, len(names))
	for _, n := range names {
		out = append(out, s.parts[n])
	}
	return out, nil
}

// Finish forgets a run, when its answer has been told.
func (c *Conn) Finish(ctx context.Context, run Run) error {
	return c.patiently(ctx, func(ctx context.Context) error {
		kv, err := c.bucket(ctx, runBucket, 0)
		if err != nil {
			return err
		}
		if err := kv.Purge(ctx, run.ID); err != nil {
			return err
		}
		for _, name := range []string{workStream(run.ID), resultStream(run.ID)} {
			if err := c.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
		}
		return nil
	})
}

type serving struct {
	*Conn
	run    Run
	wanted map[string]bool
	parts  map[string]*diff.Part
	chunks map[string]*chunked // by node and sum
	seen   uint64              // the last message of the results that was read
	step   func(int)
}

type chunked struct {
	have int
	data [][]byte
}

// prepare makes the streams and tells of the run.
func (s *serving) prepare(ctx context.Context) error {
	id := s.run.ID
	for _, cfg := range []jetstream.StreamConfig{
		{Name: workStream(id), Subjects: []string{"bunraku.work." + id + ".>"}, Retention: jetstream.WorkQueuePolicy,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true},
		{Name: resultStream(id), Subjects: []string{"bunraku.result." + id + ".>"}, Discard: jetstream.DiscardOld,
			AllowDirect: true},
	} {
		cfg.Storage, cfg.Replicas, cfg.MaxMsgsPerSubject = jetstream.FileStorage, s.replicas(), 1
		if _, err := s.js.Stream(ctx, cfg.Name); err == nil {
			continue
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		if _, err := s.js.CreateStream(ctx, cfg); err != nil {
			return err
		}
	}
	if _, err := s.js.CreateConsumer(ctx, workStream(id), jetstream.ConsumerConfig{Durable: consumerName,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: 100_000}); err != nil &&
		!errors.Is(err, jetstream.ErrConsumerExists) {
		return err
	}
	kv, err := s.bucket(ctx, runBucket, 0)
	if err != nil {
		return err
	}
	return put(ctx, kv, id, s.run)
}

// handOut puts nodes without a result into the queue, and waits for results until there are some. A node that is in the
// queue already is not taken a second time.
func (s *serving) handOut(ctx context.Context, names []string, first bool) error {
	work, err := s.js.Stream(ctx, workStream(s.run.ID))
	if err != nil {
		return err
	}
	info, err := work.Info(ctx)
	if err != nil {
		return err
	}
	if first || info.State.Msgs == 0 { // nothing waits, and something is missing
		var waiting []jetstream.PubAckFuture
		for _, n := range names {
			if s.parts[n] == nil {
				f, err := s.js.PublishMsgAsync(&nats.Msg{Subject: workSubject(s.run.ID, n)})
				if err != nil {
					return err
				}
				waiting = append(waiting, f)
			}
		}
		for _, f := range waiting {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				var api *jetstream.APIError
				if !errors.As(err, &api) || !strings.Contains(api.Description, "maximum messages per subject") {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	for range 20 {
		was := s.seen
		if err := s.gather(ctx); err != nil || s.seen > was {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// gather reads the results that have come since the last time.
func (s *serving) gather(ctx context.Context) error {
	results, err := s.js.Stream(ctx, resultStream(s.run.ID))
	if err != nil {
		return err
	}
	info, err := results.Info(ctx)
	if err != nil {
		return err
	}
	if info.State.LastSeq < s.seen { // it was made anew
		s.seen = 0
	}
	if info.State.LastSeq == s.seen {
		return nil
	}
	reader, err := results.OrderedConsumer(ctx,
		jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
			OptStartSeq: s.seen + 1})
	if err != nil {
		return err
	}
	for s.seen < info.State.LastSeq {
		batch, err := reader.Fetch(500, jetstream.FetchMaxWait(2*time.Second))
		if err != nil {
			return err
		}
		some := false
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			some = true
			s.take(m)
			s.seen = max(s.seen, meta.Sequence.Stream)
		}
		if err := batch.Error(); err != nil {
			return err
		}
		if !some { // the last ones were replaced meanwhile
			break
		}
	}
	s.step(len(s.parts))
	return nil
}

// take takes in a message of a result. What makes no sense is passed over: then the node stays without a result, and is
// handed out again.
func (s *serving) take(m jetstream.Msg) {
	parts := strings.Split(m.Subject(), ".")
	if len(parts) != 5 {
		return
	}
	name, ok := decoded(parts[3])
	chunk, err := strconv.Atoi(parts[4])
	count, errCount := strconv.Atoi(m.Headers().Get(chunksHeader))
	if !ok || !s.wanted[name] || s.parts[name] != nil || err != nil || errCount != nil || count < 1 ||
		count > mostChunks ||
		chunk < 0 || chunk >= count {
		return
	}
	text := m.Data()
	if count > 1 {
		key := name + "\x00" + m.Headers().Get(sumHeader)
		x := s.chunks[key]
		if x == nil {
			x = &chunked{data: make([][]byte, count)}
			if s.chunks == nil {
				s.chunks = map[string]*chunked{}
			}
			s.chunks[key] = x
		}
		if len(x.data) != count || x.data[chunk] != nil {
			return
		}
		x.data[chunk] = text
		if x.have++; x.have < count {
			return
		}
		text = nil
		for _, d := range x.data {
			text = append(text, d...)
		}
		delete(s.chunks, key)
	}
	if sumOf(text) != m.Headers().Get(sumHeader) {
		return
	}
	p := &diff.Part{}
	if json.Unmarshal(text, p) != nil || len(p.Nodes) != 1 || p.Nodes[0].Name != name {
		return
	}
	s.parts[name] = p
}
