package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/value"
	"bunraku/puppetdb"
)

// PuppetDB is told what a Puppet server tells it: facts before a catalog is compiled, the catalog before the agent gets
// it, the report before the agent hears that it was taken. Nobody waits for PuppetDB: commands are in a queue on disk
// when the answer is sent (puppetdb.Queue), and go on from there.
//
// What cannot be kept, because the disk is full, is a reason to refuse the answer; or, if who runs the server has said
// so (soft_write_failure), a loss that is counted by its name.
//
// It is asked, too: what other nodes export, and what manifests want to know of it. That is asked anew for every
// catalog.

// A database is a PuppetDB.
type database struct {
	client *puppetdb.Client
	queue  *puppetdb.Queue
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// openDatabase opens the queue; nothing is sent yet.
func (s *Server) openDatabase(c puppetdb.Config) (*database, error) {
	client, err := puppetdb.New(c)
	if err != nil {
		return nil, err
	}
	queue, err := puppetdb.OpenQueue(filepath.Join(s.store.dir, "puppetdb"), client, func(e puppetdb.QueueEvent) {
		switch {
		case e.Refused:
			s.opt.Log.Error("PuppetDB refuses a command, which is put aside", "command", e.Command, "certname", e.Certname,
				"error", e.Err)
		case e.Down:
			s.opt.Log.Error("PuppetDB takes nothing; commands wait", "error", e.Err)
		case e.Up:
			s.opt.Log.Info("PuppetDB takes commands again")
		}
	})
	if err != nil {
		return nil, err
	}
	return &database{client: client, queue: queue}, nil
}

// start sends what is queued, until stop.
func (d *database) start() {
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	d.ended.Go(func() { d.queue.Run(ctx) })
}

func (d *database) stop() {
	if d.cancel != nil {
		d.cancel()
		d.ended.Wait()
	}
	d.client.Close()
}

// Ask implements compiler.Querier: every question is asked when it comes up.
func (d *database) Ask(query string) (value.Value, error) {
	ctx, cancel := context.WithTimeout(context.Background(), compileTimeout)
	defer cancel()
	return d.client.NewImporter(ctx).Ask(query)
}

// sending is what is said of a command.
func (s *Server) sending(environment, transaction string) puppetdb.Sending {
	return puppetdb.Sending{Producer: s.certname(), Time: s.opt.Now(), Environment: environment, Transaction: transaction}
}

// certname is the server's own.
func (s *Server) certname() string {
	name, _ := s.facts.At("servername").(value.String)
	return string(name)
}

// tell queues a command.
func (s *Server) tell(c puppetdb.Command) error {
	return s.written(c.Name, c.Certname, s.db.queue.Put(c))
}

// written judges an attempt to keep something of a node: nil, a refusal, or a loss that is counted.
func (s *Server) written(what, node string, err error) error {
	if err == nil {
		return nil
	}
	if !s.opt.SoftWriteFailure {
		return failed("%s of %s cannot be kept: %v", strings.ReplaceAll(what, "_", " "), node, err)
	}
	s.counts.lose(what)
	s.opt.Log.Error("lost", "what", what, "certname", node, "error", err)
	return nil
}

// lose counts something that was not kept.
func (c *counts) lose(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.lost = map[string]int64{}
	}
	c.lost[what]++
}

// databaseMetrics are those of losses and of the queue.
func (s *Server) databaseMetrics(b *strings.Builder, number func(name, kind, help string, v any)) {
	fmt.Fprintf(b, "# HELP bunraku_lost_total What could not be kept, by name.\n# TYPE bunraku_lost_total counter\n")
	s.counts.mu.Lock()
	var names []string
	for what := range s.counts.lost {
		names = append(names, what)
	}
	slices.Sort(names)
	for _, what := range names {
		fmt.Fprintf(b, "bunraku_lost_total{what=%q} %d\n", what, s.counts.lost[what])
	}
	s.counts.mu.Unlock()
	if s.db == nil {
		return
	}
	q := s.db.queue.State()
	number("bunraku_puppetdb_waiting", "gauge", "Commands that PuppetDB has not taken yet.", q.Waiting)
	number("bunraku_puppetdb_waiting_bytes", "gauge", "How large those are.", q.Bytes)
	number("bunraku_puppetdb_sent_total", "counter", "Commands that PuppetDB has taken.", q.Sent)
	number("bunraku_puppetdb_refused_total", "counter", "Commands that PuppetDB will never take.", q.Refused)
	oldest := 0.0
	if !q.Oldest.IsZero() {
		oldest = s.opt.Now().Sub(q.Oldest).Seconds()
	}
	number("bunraku_puppetdb_oldest_seconds", "gauge", "How long the oldest command has waited.", oldest)
	up := 1
	if q.Down != nil {
		up = 0
	}
	number("bunraku_puppetdb_up", "gauge", "Whether PuppetDB takes commands.", up)
}
