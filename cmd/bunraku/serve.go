package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"bunraku/explain"
	"bunraku/puppet/deploy"
	"bunraku/puppetdb"
	"bunraku/serve"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// serveFlags are what an agents' server is told, in the words of puppet.conf.
type serveFlags struct {
	compile                        compileFlags
	listen, ssldir, certname       string
	cert, key, ca, crl, revocation string
	basemodulepath                 string
	auth, fileserver, oids, state  string
	enc, external, shadow          string
	codeID, codeContent            string
	branches, cache, said          string
	puppetdb, reporturl            string
	soft, gate                     bool
	policy                         string
	reuse                          int
	logFormat, watch               string
	debug                          bool
	provenance                     time.Duration
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve ENVIRONMENTPATH|REPOSITORY",
		Short: "Serve agents: compile their catalogs over HTTPS, as a Puppet server would",
		Long: `Answers Puppet agents in the place of a compile server: catalogs, files of modules, plugins, reports, facts and backups. Each
directory of ENVIRONMENTPATH is an environment, as r10k deploys them; what changes there is served from the next second on.

With --environments, branches of a git REPOSITORY are the environments: those that match, and no other, by the names that r10k
gives them, with the modules of their Puppetfiles from r10k's cache. Nothing is deployed; a push is served from the next second on.

Clients are known by their certificates. --ssldir is the directory that Puppet keeps them in; the certificate authority stays
where it is, and agents find it by their setting ca_server. Who may ask for what is what puppetserver's packaged auth.conf
says, or the file that --auth names.

A catalog that could not be computed in full is an error that says why, and the agent keeps the one it has.`,
		Args: arguments(1, 1, "the directory of environments, or with --environments a repository"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.shadow != "" {
				return a.shadow(cmd, &f, args[0])
			}
			return a.serve(cmd, &f, args[0])
		},
	}
	c.AddCommand(a.serveReportCommand())
	own := c.Flags()
	own.StringVar(&f.listen, "listen", ":8140", "the `ADDRESS` to listen at")
	own.StringVar(&f.ssldir, "ssldir", "/etc/puppetlabs/puppet/ssl",
		"the `DIR` that Puppet keeps certificates and keys in")
	own.StringVar(&f.certname, "certname", "", "the server's own `NAME` in --ssldir; by default that of this machine")
	own.StringVar(&f.cert, "hostcert", "", "the server's certificate, a `FILE`, in place of --ssldir's")
	own.StringVar(&f.key, "hostprivkey", "", "the server's private key, a `FILE`, in place of --ssldir's")
	own.StringVar(&f.ca, "localcacert", "", "the certificates of the CA, a `FILE`, in place of --ssldir's")
	own.StringVar(&f.crl, "hostcrl", "", "the revocation lists of the CA, a `FILE`, in place of --ssldir's")
	own.StringVar(&f.revocation, "certificate-revocation", "chain",
		"chain: no certificate on the way to the CA may be revoked; leaf: the client's own may not")
	own.StringVar(&f.basemodulepath, "basemodulepath", "",
		"directories of modules that all environments share, separated by :")
	own.StringVar(&f.branches, "environments", "",
		"serve branches of a git repository that match a `PATTERN` such as production,feature/*, and no other")
	own.StringVar(&f.cache, "r10k-cache", "",
		"with --environments: the cachedir of r10k, a `DIR` with the modules of Puppetfiles")
	own.StringVar(&f.said, "environmentpath", "/etc/puppetlabs/code/environments",
		"with --environments: the `DIR` that catalogs say the code lies in")
	own.StringVar(&f.auth, "auth", "", "puppetserver's auth.conf, a `FILE`; by default the one that is packaged")
	own.StringVar(&f.fileserver, "fileserver", "", "fileserver.conf, a `FILE`")
	own.StringVar(&f.oids, "trusted-oid-mapping", "", "custom_trusted_oid_mapping.yaml, a `FILE`")
	own.StringVar(&f.shadow, "shadow", "",
		"serve nobody: compare with the catalogs that the server at `URL` gives by POST /puppet/v4/catalog, or for puppetdb with "+
			"those that --puppetdb has, and say what differs")
	own.StringVar(&f.compile.facts, "facts", "",
		"with --shadow: the facts of the nodes, a `FILE` or a directory; by default those of --puppetdb, else those that --state has")
	own.StringVar(&f.enc, "enc", "",
		"an external node classifier: a `PROGRAM` that is run with a node's name, every time, or a file or directory of answers")
	own.StringVar(&f.external, "trusted-external-command", "",
		"a `PROGRAM`, or a directory of them, that prints JSON for $trusted['external'] of the node that it is given")
	own.StringVar(&f.codeID, "code-id-command", "",
		"a `PROGRAM` that prints the id of an environment's code; with it, catalogs are static")
	own.StringVar(&f.codeContent, "code-content-command", "",
		"a `PROGRAM` that prints a file, given environment, id and path")
	own.StringVar(&f.puppetdb, "puppetdb", "",
		"the `URL` of the PuppetDB to tell of facts, catalogs and reports, and to ask for what nodes export")
	own.StringVar(&f.reporturl, "reporturl", "",
		"the `URL` to send reports on to, as Puppet's report processor http does: a POST of YAML")
	own.BoolVar(&f.soft, "soft-write-failure", false,
		"answer agents even if what PuppetDB or --reporturl should be told cannot be kept on disk; what is lost is counted")
	own.IntVar(&f.reuse, "reuse", 0,
		"how many megabytes of catalogs to keep, to serve them again while nothing that they depend on has changed; 0 "+
			"compiles every one")
	own.BoolVar(&f.gate, "gate", false,
		"refuse a catalog with a problem that the node's last one had not: what agents refuse, what verify finds, broken rules")
	own.StringVar(&f.policy, "policy", "", "with --gate: rules about data, a `FILE` as explain --policy reads it")
	own.StringVar(&f.state, "state", defaultState, "the `DIR` to keep reports, facts and backups in")
	own.DurationVar(&f.provenance, "provenance", 0,
		"how long to keep where the values of each catalog come from, such as 720h, for explain --at; 0 keeps nothing")
	own.StringVar(&f.watch, "watch", "",
		"the `ADDRESS` of metrics, health and profiles, such as 127.0.0.1:8141; nobody is asked who he is there")
	own.StringVar(&f.logFormat, "log", "text", "text or json")
	own.BoolVar(&f.debug, "debug", false, "log more")
	f.compile.addServer(c)
	return c
}

// addServer adds the switches that make sense for compiles of any node.
func (f *compileFlags) addServer(c *cobra.Command) {
	all := &cobra.Command{}
	f.add(all)
	for _, name := range []string{"strict", "strict-variables", "language", "root", "hiera", "datadir", "allow-outside",
		"work", "ruby", "ruby-timeout", "mock"} {
		c.Flags().AddFlag(all.Flags().Lookup(name))
	}
	c.PreRunE = all.PreRunE
}

// options are those of the server.
func (f *serveFlags) options(a *app, cmd *cobra.Command, environments string) (serve.Options, error) {
	opt := serve.Options{Environments: source.SplitPaths(environments), Compile: a.options(cmd, &f.compile), Cert: f.cert,
		Key: f.key, CA: f.ca, CRL: f.crl, Auth: f.auth, FileServer: f.fileserver, OIDs: f.oids, State: f.state,
		Provenance: f.provenance, ReportURL: f.reporturl,
		Classifier: f.enc, TrustedExternal: f.external, CodeID: f.codeID, CodeContent: f.codeContent}
	if cmd.Flags().Changed("environments") {
		opt.Environments = nil
		opt.Branches = &deploy.Options{Repo: environments, Patterns: patterns(f.branches), Cache: f.cache,
			At: source.Absolute(f.said)}
	} else if f.cache != "" {
		return opt, fail("--r10k-cache says where modules of branches are: name the branches with --environments")
	}
	if f.basemodulepath != "" {
		opt.Compile.BaseModulePath = source.SplitPaths(f.basemodulepath)
	}
	name := f.certname
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			return opt, fail("the machine's name is not known (%v): say --certname", err)
		}
		name = strings.ToLower(host)
	}
	for _, x := range []struct {
		to   *string
		path string
	}{{&opt.Cert, "certs/" + name + ".pem"}, {&opt.Key, "private_keys/" + name + ".pem"}, {&opt.CA, "certs/ca.pem"},
		{&opt.CRL, "crl.pem"}} {
		if *x.to == "" {
			*x.to = filepath.Join(f.ssldir, x.path)
		}
	}
	if f.puppetdb != "" {
		opt.PuppetDB = &puppetdb.Config{URL: f.puppetdb} // it is shown the server's own certificate
	}
	opt.SoftWriteFailure, opt.Reuse = f.soft, int64(f.reuse)<<20
	if f.policy != "" && !f.gate {
		return opt, fail("--policy is what --gate holds catalogs against: say --gate, too")
	}
	if f.gate {
		opt.Gate = &serve.GateOptions{}
		if f.policy != "" {
			text, err := source.ReadFile(f.policy)
			if err != nil {
				return opt, err
			}
			rules, trouble := explain.ParsePolicy(source.NewFile(f.policy, text.Text))
			if len(trouble) > 0 {
				a.report(trouble)
				return opt, &exitError{code: exitFailed}
			}
			opt.Gate.Policy = rules
		}
	}
	switch f.revocation {
	case "chain", "true":
	case "leaf":
		opt.Revocation = serve.Leaf
	default:
		return opt, fail("--certificate-revocation is chain or leaf, not %q: whose certificate is revoked is not served",
			f.revocation)
	}
	level := slog.LevelInfo
	if f.debug {
		level = slog.LevelDebug
	}
	switch f.logFormat {
	case "text":
		opt.Log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	case "json":
		opt.Log = slog.New(slog.NewJSONHandler(a.err.As(source.Quoted), &slog.HandlerOptions{Level: level}))
	default:
		return opt, fail("--log is text or json, not %q", f.logFormat)
	}
	return opt, nil
}

// patterns are those of a list with commas, and blanks behind them.
func patterns(list string) (out []string) {
	for _, p := range strings.Split(list, ",") {
		out = append(out, strings.TrimSpace(p))
	}
	return out
}

// watchListener listens for who runs the machine, and for nobody else.
func watchListener(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fail("--watch listens at the loopback interface only: 127.0.0.1:8141")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fail("%v", err)
	}
	return l, nil
}

// defaultState is where a server keeps what agents send.
const defaultState = "/var/lib/bunraku"

// stopTime is how long requests under way may take once the server is told to stop.
const stopTime = 60 * time.Second

// serve runs a server until a signal ends it. SIGHUP reads certificates and mounts again.
func (a *app) serve(cmd *cobra.Command, f *serveFlags, environments string) error {
	opt, err := f.options(a, cmd, environments)
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100) // a server stays: memory is dearer than for a command
	}
	s, err := serve.New(opt)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fail("%v", err)
	}
	if f.watch != "" {
		w, err := watchListener(f.watch)
		if err != nil {
			return err
		}
		defer w.Close()
		watch := &http.Server{Handler: s.Watch(), ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = watch.Serve(w) }() // it ends when the listener does
		fmt.Fprintf(a.out, "watched at %s\n", w.Addr())
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	fmt.Fprintf(a.out, "serving %s at %s\n", environments, l.Addr())
	if err := a.out.Flush(); err != nil {
		return err
	}
	stop := func(why string) error {
		opt.Log.Info("stopping", "why", why)
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case got := <-signals:
					if got != syscall.SIGHUP { // whoever says it twice means at once
						cancel()
					}
				}
			}
		}()
		if err := s.Stop(ctx); err != nil {
			return fail("requests that were under way are cut off: %v", err)
		}
		return nil
	}
	for {
		select {
		case err := <-done:
			return err
		case <-cmd.Context().Done():
			return stop("the end")
		case got := <-signals:
			if got != syscall.SIGHUP {
				return stop(got.String())
			}
			if err := s.Reload(); err != nil {
				opt.Log.Error("reload", "error", err)
			}
		}
	}
}
