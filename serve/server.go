// Package serve answers agents as a Puppet server does: their catalogs, the files that those name, plugins, reports,
// facts and backups, over HTTPS with client certificates. It is a door: what a catalog is, package compiler knows.
//
//	server.go       the options, the listener and its bounds
//	trust.go        whose certificate is good
//	auth.go         who may ask for what
//	route.go        from a request to its handler; errors as Puppet words them
//	environment.go  environments on disk or in git, and the snapshot that answers now
//	catalog.go      catalogs
//	catalogv4.go    catalogs that services ask for on behalf of nodes
//	mount.go        which file a path of a mount is
//	file.go         metadata and content of files
//	shelf.go        files on the disk or in a revision, looked at and opened
//	puppetdb.go     what PuppetDB is told and asked
//	static.go       metadata inside of catalogs, and files of an id of the code
//	store.go        what agents send: reports, facts, backups
//	forward.go      reports that are sent on to others
//	inform.go       what else is asked: environments, classes, modules, status
//	metrics.go      what is counted, and whether all is well
//	reuse.go        catalogs that are the same as the last time
//	gate.go         whether a catalog is worse than the last one
//	provenance.go   where the values of a catalog come from, kept for later
//	shadow.go       the same catalogs from another server, compared
//	external.go     programs that are asked: a classifier, trusted data, ids of code
//
// Two promises go through all of it. A catalog is right, or it is an error: what could not be computed is never sent.
// And a client is whom its certificate names, now, whatever was true when it connected.
//
// It may import the compiler and what that gives, and report/redact. Start reading at New, then Server.ServeHTTP.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"bunraku/puppet/classifier"
	"bunraku/puppet/compiler"
	"bunraku/puppet/deploy"
	"bunraku/puppet/value"
	"bunraku/puppetdb"
	"bunraku/report/redact"
)

// Options are what a server is told when it starts.
type Options struct {
	// Environments are directories whose directories are environments, as r10k deploys them: the environmentpath.
	Environments []string
	// Branches are environments that are branches of a repository, in place of directories; nil for none.
	Branches *deploy.Options
	Compile  compiler.Options
	// Cert, Key, CA and CRL are files of PEM: the server's own certificate and key, what clients' certificates are signed
	// by, and the revocation lists.
	Cert, Key, CA, CRL string
	Revocation         Revocation
	OIDs               string // custom_trusted_oid_mapping.yaml; "" for none
	Auth               string // puppetserver's auth.conf; "" for its default
	FileServer         string // fileserver.conf; "" for none
	Classifier         string // an external node classifier (classifier.Open); "" for none
	TrustedExternal    string // trusted_external_command, a program or a directory of them; "" for none
	// CodeID and CodeContent are programs, as puppetserver's versioned-code has them: the first one prints the id of an
	// environment's code, the second one a file of it as it was at an id. "" for none: then catalogs are not static.
	CodeID, CodeContent string
	State               string // the directory of what agents send
	// PuppetDB is told of facts, catalogs and reports, and asked for what nodes export; nil for none.
	PuppetDB *puppetdb.Config
	// ReportURL is where reports are sent on to, as Puppet's report processor http does; "" for nowhere.
	ReportURL string
	// Reuse is how many bytes of catalogs are kept to be served again while nothing that they depend on changes, about;
	// 0 compiles every one.
	Reuse int64
	// Gate refuses catalogs that have problems which the node's last one had not; nil lets all pass.
	Gate *GateOptions
	// SoftWriteFailure lets an agent have its answer although something of it could not be kept.
	SoftWriteFailure bool
	// Provenance is how long it is kept where the values of each catalog come from; 0 keeps nothing.
	Provenance     time.Duration
	Log            *slog.Logger
	MaxBody        int64 // bytes of a request; 0 for a default
	MaxConnections int   // 0 for a default
	Recheck        time.Duration
	Now            func() time.Time // for tests; nil for the clock
}

// Bounds of what clients may cost.
const (
	defaultBody        = 32 << 20
	defaultConnections = 4096
	largeBody          = 1 << 20 // what is longer waits for one of a few places
	largeAtOnce        = 4
	pace               = 512 << 10 // what a client sends of a long body in paceTime, at least
	paceTime           = 10 * time.Second
	mostAside          = 64   // compiles that wait for somebody
	mostWaiting        = 2000 // requests that wait for a processor; more are sent away for a while
	headerTimeout      = 10 * time.Second
	bodyTimeout        = 60 * time.Second
	compileTimeout     = 5 * time.Minute
	idleTimeout        = 60 * time.Second
	writeTimeout       = 60 * time.Second // of a piece of an answer
)

// A Server answers agents.
type Server struct {
	opt      Options
	rules    atomic.Pointer[[]rule]
	unruly   atomic.Pointer[error] // why the rules of now are not in force
	trust    *trust
	pool     *pool
	branches *deploy.Source // nil where environments are directories
	mounts   *mounts
	sums     sums
	store    *store
	db       *database   // nil without a PuppetDB
	reports  *errand     // sends reports on; nil if nobody wants them
	gate     *gate       // nil lets all catalogs pass
	memory   *memory     // nil compiles every catalog
	facts    *value.Hash // what the server says of itself
	secrets  *redact.Secrets
	busy     chan struct{} // a place for each processor
	away     chan struct{} // a place for each compile that waits for somebody
	large    chan struct{}
	uploads  sync.Map // the clients whose long bodies are read
	waiting  atomic.Int64
	http     *http.Server
	conns    connections
	counts   counts
	ended    chan struct{}
	end      sync.Once
}

// New makes a server. Everything that it needs is read, so that what is wrong is said at once.
func New(opt Options) (*Server, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.MaxBody == 0 {
		opt.MaxBody = defaultBody
	}
	if opt.MaxConnections == 0 {
		opt.MaxConnections = defaultConnections
	}
	if opt.Recheck == 0 {
		opt.Recheck = often
	}
	if opt.Compile.Ruby == compiler.RubySystem {
		return nil, errors.New("a server does not run the installed Ruby: what it did would not be bounded")
	}
	for i, dir := range opt.Environments {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is no directory of environments", dir)
		}
		opt.Environments[i] = abs
	}
	s := &Server{opt: opt, secrets: &redact.Secrets{}, busy: make(chan struct{}, runtime.GOMAXPROCS(0)),
		away: make(chan struct{}, mostAside), large: make(chan struct{}, largeAtOnce), ended: make(chan struct{})}
	s.opt.Compile.Trace = opt.Provenance > 0 || opt.Gate != nil && opt.Gate.Policy != nil
	if opt.Reuse > 0 {
		if opt.Provenance > 0 {
			return nil, errors.New("catalogs that are served again have no provenance of their own: it is one or the other")
		}
		s.memory, s.opt.Compile.Questions = newMemory(opt.Reuse), true
	}
	if opt.Gate != nil {
		if rules := opt.Gate.Policy; rules != nil && rules.NeedsOwners() {
			return nil, errors.New("a rule of the policy asks who owns files, which only check knows")
		}
		s.gate = newGate(*opt.Gate, s.secrets.Hide)
	}
	var err error
	if s.trust, err = newTrust(&s.opt, opt.Now); err != nil {
		return nil, err
	}
	if (opt.CodeID == "") != (opt.CodeContent == "") {
		return nil, errors.New("ids of code need a program that gives them and one that gives the files of an id")
	}
	if opt.Branches != nil {
		if len(opt.Environments) > 0 || opt.CodeID != "" {
			return nil, errors.New("environments are directories or branches, and the id of a branch's code is its revision")
		}
		if s.branches, err = deploy.Open(*opt.Branches); err != nil {
			return nil, err
		}
	}
	if opt.Classifier != "" {
		if _, err := classifier.Open(opt.Classifier); err != nil {
			return nil, err
		}
	}
	if err := s.readAuth(); err != nil {
		return nil, err
	}
	if s.mounts, err = readMounts(opt.FileServer, opt.Log); err != nil {
		return nil, err
	}
	if s.store, err = openStore(opt.State); err != nil {
		return nil, err
	}
	if opt.PuppetDB != nil {
		if s.db, err = s.openDatabase(*opt.PuppetDB); err != nil {
			return nil, err
		}
		s.opt.Compile.PuppetDB = s.db
	}
	if opt.ReportURL != "" {
		if s.reports, err = s.openForwarder(opt.ReportURL); err != nil {
			return nil, err
		}
	}
	s.facts = serverFacts(s.version(), s.trust.current.Load().host)
	s.pool = newPool(s)
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		ConnState: s.conns.note, ErrorLog: log.New(lines{opt.Log}, "", 0)}
	s.conns.most = opt.MaxConnections
	return s, nil
}

// version is the version of Puppet that the server passes for.
func (s *Server) version() string { return s.opt.Compile.Language.Version() }

// Serve answers what comes in at a listener, with TLS, until Stop.
func (s *Server) Serve(l net.Listener) error {
	go s.tidy()
	if s.db != nil {
		s.db.start()
	}
	s.reports.start()
	err := s.http.Serve(tls.NewListener(l, s.trust.config()))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Stop takes no more connections and waits for what is under way, as long as the context lasts.
func (s *Server) Stop(ctx context.Context) error {
	s.end.Do(func() { close(s.ended) })
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if s.db != nil {
		s.db.stop()
	}
	s.reports.stop()
	return err
}

// Reload reads the files of certificates, rules and mounts again. What is wrong with them is returned, and then the
// former ones stay.
func (s *Server) Reload() error {
	s.pool.flush("")
	err := s.trust.read() // first: rules may name extensions as a mapping of OIDs does
	return errors.Join(err, s.readAuth(), s.mounts.read())
}

// readAuth takes in the rules about who may ask for what.
func (s *Server) readAuth() error {
	rules := defaultRules()
	if s.opt.Auth != "" {
		var err error
		if rules, err = readRules(s.opt.Auth, s.trust.current.Load().ruled); err != nil {
			s.unruly.Store(&err)
			return err
		}
	}
	s.unruly.Store(nil)
	s.rules.Store(&rules)
	return nil
}

// lines makes log entries of what net/http says.
type lines struct{ log *slog.Logger }

func (l lines) Write(p []byte) (int, error) {
	l.log.Debug("connection", "error", string(p))
	return len(p), nil
}

// connections counts the open ones. When there are too many, the one that has been idle for the longest goes: an agent
// that comes back connects anew.
type connections struct {
	most int
	mu   sync.Mutex
	open map[net.Conn]*standing
	idle standing // ring of the idle ones, the oldest first
}

type standing struct {
	conn       net.Conn
	prev, next *standing
}

func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[net.Conn]*standing{}
		c.idle.prev, c.idle.next = &c.idle, &c.idle
	}
	out := func(s *standing) {
		if s != nil && s.next != nil {
			s.prev.next, s.next.prev = s.next, s.prev
			s.prev, s.next = nil, nil
		}
	}
	// A connection on which nothing was asked yet is as idle as one that was kept.
	idle := func(s *standing) {
		last := c.idle.prev
		s.prev, s.next = last, &c.idle
		last.next, c.idle.prev = s, s
	}
	s := c.open[conn]
	switch state {
	case http.StateNew:
		s = &standing{conn: conn}
		c.open[conn] = s
		idle(s)
		if len(c.open) > c.most {
			if old := c.idle.next; old != s {
				out(old)
				go old.conn.Close() // TLS says good-bye, which may take a while
			}
		}
	case http.StateActive:
		out(s)
	case http.StateIdle:
		if s != nil {
			out(s)
			idle(s)
		}
	case http.StateClosed, http.StateHijacked:
		out(s)
		delete(c.open, conn)
	}
}

// enter waits for a processor. When too many wait already, or the context ends, it is an error.
func (s *Server) enter(ctx context.Context) (leave func(), err error) {
	if s.waiting.Add(1) > mostWaiting {
		s.waiting.Add(-1)
		return nil, &problem{status: http.StatusServiceUnavailable, message: "The server is busy", kind: "UNAVAILABLE"}
	}
	defer s.waiting.Add(-1)
	select {
	case s.busy <- struct{}{}:
		return func() { <-s.busy }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// aside waits for somebody in the midst of a compile, without keeping the processor that it has: a PuppetDB that is
// slow keeps nobody waiting who does not ask it. What is half done takes memory, though: only so many go aside.
func (s *Server) aside(wait func()) {
	select {
	case s.away <- struct{}{}:
		defer func() { <-s.away }()
	default:
		wait()
		return
	}
	<-s.busy
	defer func() { s.busy <- struct{}{} }()
	wait()
}
