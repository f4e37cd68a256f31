package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/fleet/queue"

	"github.com/spf13/cobra"
)

func (a *app) fleetCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "fleet",
		Short: "Let many machines do the work of diff",
		Args:  subcommands,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.fleetServeCommand(), a.fleetWorkCommand(), a.fleetStatusCommand())
	return c
}

// queueFlags say where the queue is, and how to log in.
type queueFlags struct {
	url, data, listen, token, creds, ca, cert, key string
	patience                                       time.Duration
}

// shortly is how long a command waits for servers that it could do without.
const shortly = 10 * time.Second

func (q *queueFlags) add(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&q.url, "nats", "", "the `URL` of NATS servers with JetStream, several separated by commas: "+
		"nats://host:4222")
	fs.StringVar(&q.data, "data", "",
		"the `DIR` of the server that fleet serve starts: what it keeps, and how workers on this machine find it; by "+
			"default in the user's cache")
	fs.StringVar(&q.token, "nats-token", "", "a `FILE` with the token to log in with")
	fs.StringVar(&q.creds, "nats-creds", "", "a `FILE` of NATS credentials")
	fs.StringVar(&q.ca, "nats-ca", "", "a `FILE` with the authorities that the servers' certificates are of")
	fs.StringVar(&q.cert, "nats-cert", "", "a `FILE` with a certificate: the client's, or of fleet serve --listen the "+
		"server's")
	fs.StringVar(&q.key, "nats-key", "", "a `FILE` with the key of --nats-cert")
}

// dir is the directory of the server on this machine.
func (q *queueFlags) dir() (string, error) {
	if q.data != "" {
		return q.data, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "bunraku", "fleet"), err
}

func (q *queueFlags) tls() (*tls.Config, error) {
	if q.ca == "" && q.cert == "" && q.key == "" && !strings.HasPrefix(q.url, "tls://") {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if q.ca != "" {
		text, err := os.ReadFile(q.ca)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(text) {
			return nil, fail("%s holds no certificate", q.ca)
		}
	}
	if q.cert != "" || q.key != "" {
		pair, err := tls.LoadX509KeyPair(q.cert, q.key)
		if err != nil {
			return nil, fmt.Errorf("--nats-cert and --nats-key: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

func (q *queueFlags) secret() (string, error) {
	if q.token == "" {
		return "", nil
	}
	text, err := os.ReadFile(q.token)
	return strings.TrimSpace(string(text)), err
}

// login is how to connect: to the servers that --nats names, or to the one on this machine.
func (q *queueFlags) login() (l queue.Login, err error) {
	l.Patience = q.patience
	if l.TLS, err = q.tls(); err != nil {
		return l, err
	}
	if l.Token, err = q.secret(); err != nil {
		return l, err
	}
	if l.URL, l.Creds = q.url, q.creds; q.url == "" {
		l.Dir, err = q.dir()
	}
	return l, err
}

// connect dials, and starts a server first if serving and none is named.
func (a *app) connect(ctx context.Context, q *queueFlags, serving bool) (_ *queue.Conn, stop func(), err error) {
	say := func(text string) { fmt.Fprintf(a.err, "note: %s\n", text) }
	if q.url != "" || !serving {
		l, err := q.login()
		if err != nil {
			return nil, nil, err
		}
		c, err := queue.Dial(ctx, l, say)
		if err != nil {
			return nil, nil, err
		}
		return c, c.Close, nil
	}
	opt := queue.EmbedOptions{Listen: q.listen}
	if opt.Dir, err = q.dir(); err != nil {
		return nil, nil, err
	}
	if opt.TLS, err = q.tls(); err != nil {
		return nil, nil, err
	}
	if opt.Token, err = q.secret(); err != nil {
		return nil, nil, err
	}
	e, err := queue.Embed(opt)
	if err != nil {
		return nil, nil, fail("%v", err)
	}
	l := e.Login()
	if l.TLS != nil { // the certificate is for the name that workers use
		// it is this process
		l.TLS = &tls.Config{RootCAs: l.TLS.RootCAs, InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	}
	c, err := queue.Dial(ctx, l, say)
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return c, func() { c.Close(); e.Close() }, nil
}

func (a *app) fleetServeCommand() *cobra.Command {
	f, q := &diffFlags{merging: true}, &queueFlags{}
	c := &cobra.Command{
		Use:   "serve [ENV]",
		Short: "Hand out the nodes of a diff to workers, and print the answer",
		Long: `Compares two commits as diff does, but lets workers (fleet work) compile: each node goes to one of them, and to another one if
it does not come back. Workers may join and leave at any time. The answer is, to the byte, that of diff. If this process is
ended, the same command goes on where it was.

By default a NATS server is started in this process, for workers on this machine. --listen lets others connect, with TLS and a
token; --nats uses servers that you have, a cluster of three for one of which may be lost.`,
		Example: `  bunraku fleet serve --from origin/main --to HEAD
  bunraku fleet work                                   in other terminals, in a clone of the same repository
  bunraku fleet status`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := "."
			if len(args) == 1 {
				root = args[0]
			}
			ctx, stop := untilSignal()
			defer stop()
			return a.fleetServe(ctx, cmd, root, f, q)
		},
	}
	f.addDiff(c)
	q.add(c)
	c.Flags().StringVar(&q.listen, "listen", "", "where the server listens, `HOST:PORT`; by default on this machine alone")
	return c
}

func (a *app) fleetServe(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags, q *queueFlags) error {
	began := time.Now()
	if f.to == "" { // workers have no work tree of ours
		f.to = "HEAD"
	}
	show, opt, err := a.checkDiff(f)
	if err != nil {
		return err
	}
	d, err := a.openDiff(ctx, cmd, root, f, opt)
	if err != nil {
		return err
	}
	defer d.close()
	if d.old.Tree == nil || d.new.Tree == nil {
		return fail("workers compare commits, and no directories: say --from REV and --to REV")
	}
	in, err := d.inquire(cmd, f)
	if err != nil {
		return err
	}
	conn, stop, err := a.connect(ctx, q, true)
	if err != nil {
		return err
	}
	defer stop()
	run := queue.Run{ID: in.ID, Name: d.name, From: d.old.Tree.Commit().String(), To: d.new.Tree.Commit().String(),
		Title: d.name + "   " + d.old.Title + " → " + d.new.Title, Nodes: len(d.nodes), Began: began.UTC()}
	names := make([]string, len(d.nodes))
	for i, n := range d.nodes {
		names[i] = n.Title()
	}
	bar := a.progress("waiting for workers", len(names))
	parts, err := conn.Serve(ctx, run, names, func(done int) { bar.done.Store(int64(done)) })
	bar.stop()
	if err != nil {
		if ctx.Err() != nil {
			return fail("interrupted: %d of %s are done, and kept; the same command goes on there", bar.done.Load(),
				plural(len(names), "node"))
		}
		return err
	}
	r, err := a.joined(ctx, d, f, in, parts)
	if err != nil {
		return err
	}
	show.Time = time.Since(began)
	told := a.tellDiff(ctx, r, f, show, d.new.Files, opt.Expected != nil)
	if err := conn.Finish(ctx, run); err != nil && told == nil {
		return err
	}
	return told
}

func (a *app) fleetWorkCommand() *cobra.Command {
	f, q := &diffFlags{}, &queueFlags{}
	name, once := "", false
	c := &cobra.Command{
		Use:   "work [ENV]",
		Short: "Compare nodes for fleet serve",
		Long: `Takes nodes that fleet serve hands out, compares them in ENV (a clone of the same repository, with the same facts; the current
directory by default), and sends back which have which change. It needs the flags that fleet serve has, but for --from, --to
and what only says how the answer is shown. It works until it is ended; a run whose revisions, files, facts or flags it has
not got is left to others, and fleet status says what it lacks.`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := "."
			if len(args) == 1 {
				root = args[0]
			}
			ctx, stop := untilSignal()
			defer stop()
			return a.fleetWork(ctx, cmd, root, name, once, f, q)
		},
	}
	f.addDiff(c)
	q.add(c)
	c.Flags().StringVar(&name, "name", "", "what the worker is called; by default after the machine and the process")
	c.Flags().BoolVar(&once, "once", false, "end when there is nothing to do")
	return c
}

func (a *app) fleetWork(ctx context.Context, cmd *cobra.Command, root, name string, once bool, f *diffFlags,
	q *queueFlags) error {
	if name == "" {
		host, _ := os.Hostname()
		name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	_, opt, err := a.checkDiff(f)
	if err != nil {
		return err
	}
	if once {
		q.patience = shortly
	}
	conn, stop, err := a.connect(ctx, q, false)
	if err != nil {
		return err
	}
	defer stop()
	worked := false
	open := func(ctx context.Context, run queue.Run) (queue.Job, func(), error) {
		g := *f
		g.from, g.to = run.From, run.To
		d, err := a.openDiff(ctx, cmd, root, &g, opt)
		var missing *noRevision
		if errors.As(err, &missing) {
			return nil, nil, &queue.Lack{What: "lacks revision " + missing.name}
		}
		if err != nil {
			return nil, nil, err
		}
		in, err := d.inquire(cmd, &g)
		if err == nil && in.ID != run.ID {
			err = &queue.Lack{What: "has other files, facts or flags than fleet serve, or is another program"}
		}
		if err != nil {
			d.close()
			return nil, nil, err
		}
		nodes := make(map[string]fleet.Node, len(d.nodes))
		for _, n := range d.nodes {
			nodes[n.Title()] = n
		}
		worked = true
		return func(ctx context.Context, names []string) ([]*diff.Part, error) {
			some := make([]fleet.Node, len(names))
			for i, n := range names {
				some[i] = nodes[n]
			}
			r, err := a.compareNodes(ctx, d, &g, some)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			return r.Part(in.Seal, a.secrets.Hide).Split(), nil
		}, d.close, nil
	}
	err = conn.Work(ctx, name, 2*runtime.GOMAXPROCS(0), once, open)
	if ctx.Err() != nil || worked && errors.Is(err, queue.ErrStalled) { // it is how work ends
		return nil
	}
	return err
}

func (a *app) fleetStatusCommand() *cobra.Command {
	q := &queueFlags{}
	format := "text"
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how far runs of fleet serve are, and who works on them",
		Args:  arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilSignal()
			defer stop()
			if format != "text" && format != "json" {
				return fail("unknown format %q: text or json", format)
			}
			q.patience = shortly
			conn, stopped, err := a.connect(ctx, q, false)
			if err != nil {
				return err
			}
			defer stopped()
			runs, idle, err := conn.Status(ctx)
			if err != nil {
				return err
			}
			return a.showFleet(runs, idle, format)
		},
	}
	q.add(c)
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}

func (a *app) showFleet(runs []*queue.Status, idle []queue.Worker, format string) error {
	type one struct {
		*queue.Status
		Left float64 `json:"seconds_left,omitempty"`
	}
	if format == "json" {
		list := []one{}
		for _, s := range runs {
			list = append(list, one{s, s.Left().Seconds()})
		}
		return a.writeJSON(map[string]any{"version": 1, "kind": "fleet", "runs": list,
			"idle": append([]queue.Worker{}, idle...)})
	}
	show := func(w queue.Worker) { fmt.Fprintf(a.out, "  %s   %s, %d done\n", w.Name, w.State, w.Done) }
	for _, s := range runs {
		fmt.Fprintf(a.out, "%s   %d of %s", s.Title, s.Done, plural(s.Nodes, "node"))
		if s.Rate > 0 {
			fmt.Fprintf(a.out, "   %.1f nodes/s   %s left", s.Rate, s.Left().Round(time.Second))
		}
		fmt.Fprintln(a.out)
		for _, w := range s.Workers {
			show(w)
		}
		if len(s.Workers) == 0 {
			fmt.Fprintln(a.out, "  no worker has it: start bunraku fleet work")
		}
	}
	if len(runs) == 0 {
		fmt.Fprintln(a.out, "there are no runs")
	}
	for _, w := range idle {
		show(w)
	}
	return nil
}
