package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/exported"
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
	*errand
	client *puppetdb.Client
	aside  func(func()) // how to wait for it
}

// patient is an importer that keeps no processor while it waits.
type patient struct {
	exported.Importer
	aside func(func())
}

func (p patient) Exported(host string, q *exported.Query) (found []*exported.Resource, err error) {
	p.aside(func() { found, err = p.Importer.Exported(host, q) })
	return found, err
}

// openDatabase opens the queue; nothing is sent yet.
func (s *Server) openDatabase(c puppetdb.Config) (*database, error) {
	client, err := s.newClient(c)
	if err != nil {
		return nil, err
	}
	e, err := s.openErrand("puppetdb", "PuppetDB", client, client.Close)
	if err != nil {
		return nil, err
	}
	return &database{errand: e, client: client, aside: s.aside}, nil
}

// newClient is who asks and tells PuppetDB: with the server's own certificate, unless another was given.
func (s *Server) newClient(c puppetdb.Config) (*puppetdb.Client, error) {
	if len(c.Certificate) == 0 && len(c.CA) == 0 {
		c.TLS = s.outgoing
	}
	return puppetdb.New(c)
}

// outgoing is how we connect to others, by the certificates of now: the server's own is shown, and who answers must
// have one of the same CA that is not revoked, as with Puppet.
func (s *Server) outgoing() *tls.Config {
	a := s.trust.fresh()
	return &tls.Config{Certificates: []tls.Certificate{*a.host}, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, // VerifyConnection does it, with the CA's own certificates between leaf and root
		VerifyConnection: func(c tls.ConnectionState) error {
			_, err := a.chain(c.PeerCertificates, x509.VerifyOptions{DNSName: c.ServerName, CurrentTime: s.opt.Now(),
				KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, s.opt.Revocation)
			return err
		}}
}

// An errand is a queue whose commands are sent to somebody as long as the server runs.
type errand struct {
	queue  *puppetdb.Queue
	close  func()
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// openErrand opens the queue in a directory of the state; nothing is sent yet.
func (s *Server) openErrand(dir, who string, to puppetdb.Sender, end func()) (*errand, error) {
	queue, err := puppetdb.OpenQueue(filepath.Join(s.store.dir, dir), to, func(e puppetdb.QueueEvent) {
		switch {
		case e.Refused:
			s.opt.Log.Error(who+" refuses a command, which is put aside", "command", e.Command, "certname", e.Certname,
				"error", e.Err)
		case e.Down:
			s.opt.Log.Error(who+" takes nothing; commands wait", "error", e.Err)
		case e.Up:
			s.opt.Log.Info(who + " takes commands again")
		}
	})
	if err != nil {
		return nil, err
	}
	return &errand{queue: queue, close: end}, nil
}

// start sends what is queued, until stop. A server without the errand has none to start.
func (e *errand) start() {
	if e == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	e.ended.Go(func() { e.queue.Run(ctx) })
}

// stop leaves on disk what was not sent.
func (e *errand) stop() {
	if e == nil {
		return
	}
	if e.cancel != nil {
		e.cancel()
		e.ended.Wait()
	}
	e.close()
}

// Ask implements compiler.Querier: every question is asked when it comes up.
func (d *database) Ask(query string) (answer value.Value, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), compileTimeout)
	defer cancel()
	d.aside(func() { answer, err = d.client.NewImporter(ctx).Ask(query) })
	return answer, err
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

// databaseMetrics are those of losses and of the queues.
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
	if s.db != nil {
		s.db.metrics("bunraku_puppetdb", "PuppetDB", s.opt.Now(), number)
	}
	if s.reports != nil {
		s.reports.metrics("bunraku_reporturl", "who takes reports", s.opt.Now(), number)
	}
}

// metrics are those of the queue.
func (e *errand) metrics(name, who string, now time.Time, number func(name, kind, help string, v any)) {
	q := e.queue.State()
	number(name+"_waiting", "gauge", "Commands that "+who+" has not taken yet.", q.Waiting)
	number(name+"_waiting_bytes", "gauge", "How large those are.", q.Bytes)
	number(name+"_sent_total", "counter", "Commands that "+who+" has taken.", q.Sent)
	number(name+"_refused_total", "counter", "Commands that "+who+" will never take.", q.Refused)
	oldest := 0.0
	if !q.Oldest.IsZero() {
		oldest = now.Sub(q.Oldest).Seconds()
	}
	number(name+"_oldest_seconds", "gauge", "How long the oldest command has waited.", oldest)
	up := 1
	if q.Down != nil {
		up = 0
	}
	number(name+"_up", "gauge", "Whether "+who+" takes commands.", up)
}
