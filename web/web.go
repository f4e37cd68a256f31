// Package web is the browser's door: one local server whose pages show what `check`, `explain`, `verify` and `diff` say
// of a tree, and show it anew when the tree changes. It is a door and holds no argument why something is true.
//
//	web.go       the server: options, which question goes where
//	guard.go     who is let in, and what a browser may do with an answer
//	asset.go     the built pages (dist), which ui/ has the sources of
//	answer.go    how an answer is written: without secrets, spelt so that it is only read, of a bounded length
//	site.go      the tree as it is now: compiled, verified, and again when it changes
//	table.go     what is kept of a fleet: every distinct resource once
//	progress.go  how far a look has come
//	record.go    compiles with provenance, made when somebody asks
//	layout.go    graphs with coordinates
//	overview.go, fleet.go, node.go, value.go, …   one file per page
//
// Every question is a GET with its parameters in the address, and is answered from one unchanging state. Nothing is
// written but marks (mark.go), and nothing is run that the tree names. Everything that is sent goes through
// report/redact first. Start reading at Server.Serve.
package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/puppet/compiler"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"
)

// Options are what the command line says.
type Options struct {
	Version string
	// Root is the control repo, environment or module.
	Root string
	// Host is the name that the server was told to listen on, or the machine's own if that is every address of it; "" if
	// there is none but the address.
	Host string
	// Compile is how nodes are compiled. If nobody named a language, metadata.json may.
	Compile       compiler.Options
	LanguageGiven bool
	// Facts is where the facts of nodes are; "" for the tree's own.
	Facts string
	// Assign gives a node what else the command line says of it; nil for nothing.
	Assign func(view source.Files, nodes ...*compiler.Node) error
	// Certified is what it says of the certificates of invented nodes; nil for nothing.
	Certified func(view source.Files) (func(name string) *value.Hash, error)
	// Exchange tells nodes what others of them export; nil for nothing.
	Exchange func(ctx context.Context, snap *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange, error)
	// Judge makes a judge, and says which files are the user's to edit.
	Judge func() (j *judge.Judge, own func(file string) bool, err error)
	// Diff compares the tree with another state of it; nil if nobody asks.
	Diff func(ctx context.Context) (*diff.Report, error)
	// Secrets are shown to nobody, and Watch takes in those of every compile.
	Secrets *redact.Secrets
	Watch   fleet.Watch
	// Settled is called whenever a look at the tree is over and its garbage can go; it may be nil.
	Settled func()
	// Progress tells the terminal how far the first look has come; it may be nil.
	Progress func(what string, parts int) fleet.Progress
	// Poll is how often it is asked whether the tree has changed, and Patience how long a look may take before pages say
	// that it goes on; 0 for a default.
	Poll, Patience time.Duration
}

// A Server answers the browser of one user.
type Server struct {
	opt   Options
	guard *guard
	site  *site
	run   string // other servers have another
}

// New makes a server for a listener's address.
func New(opt Options, addr net.Addr) (*Server, error) {
	if opt.Poll == 0 {
		opt.Poll = 250 * time.Millisecond
	}
	if opt.Patience == 0 {
		opt.Patience = 600 * time.Millisecond
	}
	g, err := newGuard(addr, opt.Host)
	if err != nil {
		return nil, err
	}
	return &Server{opt: opt, guard: g, site: newSite(opt), run: random()[:12]}, nil
}

// URL is the address that lets a browser in, once.
func (s *Server) URL() string { return s.guard.url() }

// Invite is the address that lets a browser in, once more if somebody came by the last one: it is for who runs the
// server and asks for it again.
func (s *Server) Invite() string {
	s.guard.invite()
	return s.guard.url()
}

// Look compiles and verifies the tree for the first time.
func (s *Server) Look(ctx context.Context) error { return s.site.look(ctx) }

// Serve answers until the context ends. Look has been called.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.site.watch(ctx)
	}()
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	err := h.Serve(l)
	if ctx.Err() != nil || errors.Is(err, http.ErrServerClosed) {
		<-watching
		return nil
	}
	return err
}

// Handler is the server without a listener.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /open", s.guard.open)
	for path, answer := range s.questions() {
		if path != "about" && path != "overview" {
			answer = ofTree(answer)
		}
		mux.Handle("GET /api/"+path, s.guard.known(s.answering(answer)))
	}
	mux.Handle("GET /api/events", s.guard.known(http.HandlerFunc(s.events)))
	mux.Handle("POST /api/mark", s.guard.known(http.HandlerFunc(s.marking)))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "there is no such question", http.StatusNotFound)
	})
	mux.Handle("/", newAssets())
	return s.guard.around(mux)
}

// questions are what pages ask, by the last part of the address.
func (s *Server) questions() map[string]question {
	return map[string]question{
		"about":     (*state).about,
		"overview":  (*state).overview,
		"fleet":     (*state).fleetPage,
		"node":      (*state).nodePage,
		"resource":  (*state).resourcePage,
		"value":     (*state).valuePage,
		"facts":     (*state).factsPage,
		"findings":  (*state).findingsPage,
		"finding":   (*state).findingPage,
		"diff":      (*state).diffPage,
		"file":      (*state).filePage,
		"hiera":     (*state).hieraPage,
		"order":     (*state).orderPage,
		"code":      (*state).codePage,
		"mupuppet":  (*state).mupuppetPage,
		"smartfrog": (*state).smartfrogPage,
		"search":    (*state).search,
	}
}
