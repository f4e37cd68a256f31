package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/value"
	"bunraku/puppetdb"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// puppetdbFlags say where a PuppetDB is and who asks.
type puppetdbFlags struct {
	url, cert, key, cacert, token string
	timeout                       time.Duration

	state *puppetdbState // of copies, too
}

type puppetdbState struct {
	once   sync.Once
	asking *puppetdb.Importer
	err    error
}

// importer asks the PuppetDB that is named, for the whole run.
func (f *puppetdbFlags) importer(ctx context.Context) (*puppetdb.Importer, error) {
	s := f.state
	s.once.Do(func() {
		var c *puppetdb.Client
		if c, s.err = f.client(); s.err == nil {
			s.asking = c.NewImporter(ctx)
		}
	})
	return s.asking, s.err
}

// A lazyPuppetDB is connected to when a manifest asks the first time.
type lazyPuppetDB struct {
	flags *puppetdbFlags
	ctx   context.Context
}

// Ask implements compiler.Querier.
func (l lazyPuppetDB) Ask(query string) (value.Value, error) {
	i, err := l.flags.importer(l.ctx)
	if err != nil {
		return nil, err
	}
	return i.Ask(query)
}

func (f *puppetdbFlags) add(flags *pflag.FlagSet) {
	f.state = &puppetdbState{}
	flags.StringVar(&f.url, "puppetdb", "", "the `URL` of a PuppetDB: https://puppetdb.example.com:8081")
	flags.StringVar(&f.cert, "cert", "", "a `FILE` with the client's certificate, in PEM, for --puppetdb")
	flags.StringVar(&f.key, "key", "", "a `FILE` with the key of --cert")
	flags.StringVar(&f.cacert, "cacert", "", "a `FILE` with the certificate of the authority that signed PuppetDB's")
	flags.StringVar(&f.token, "token", "", "a `FILE` with a token for --puppetdb, in place of a certificate")
	flags.DurationVar(&f.timeout, "timeout", puppetdb.DefaultTimeout, "how long PuppetDB may be silent")
}

// client makes a client; nothing is asked yet.
func (f *puppetdbFlags) client() (*puppetdb.Client, error) {
	conf := puppetdb.Config{URL: f.url, Timeout: f.timeout}
	for _, x := range []struct {
		path string
		to   *[]byte
	}{{f.cert, &conf.Certificate}, {f.key, &conf.Key}, {f.cacert, &conf.CA}} {
		if x.path == "" {
			continue
		}
		text, err := os.ReadFile(x.path)
		if err != nil {
			return nil, err
		}
		*x.to = text
	}
	if f.token != "" {
		text, err := os.ReadFile(f.token)
		if err != nil {
			return nil, err
		}
		if conf.Token = strings.TrimSpace(string(text)); conf.Token == "" {
			return nil, fail("%s holds no token", f.token)
		}
	}
	if (f.cert == "") != (f.key == "") {
		return nil, fail("--cert and --key go together")
	}
	c, err := puppetdb.New(conf)
	if err != nil {
		return nil, fail("%v", err)
	}
	return c, nil
}

func (a *app) factsPullCommand() *cobra.Command {
	var flags puppetdbFlags
	c := &cobra.Command{
		Use:   "pull [DIR]",
		Short: "Fetch the facts of all nodes from PuppetDB",
		Long: `Fetches the facts of all nodes that PuppetDB knows and that are not deactivated, with what their certificates say, into DIR
(facts by default): a file for each node, which ` + "`check`, `diff`" +
			` and the others find there or by --facts DIR. The next time only
nodes come whose facts are others by then, and files of nodes that are gone go, too. A pull that was ended goes on where it was; until
all facts have come, DIR stays as it was.

  bunraku facts pull --puppetdb https://puppetdb.example.com:8081 --cert me.pem --key me.key --cacert ca.pem`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "facts"
			if len(args) == 1 {
				dir = args[0]
			}
			if flags.url == "" {
				return fail("say where PuppetDB is: --puppetdb https://HOST:8081")
			}
			client, err := flags.client()
			if err != nil {
				return err
			}
			defer client.Close()
			ctx, stop := untilSignal()
			defer stop()
			began := time.Now()
			var bar *progress
			last := 0
			p, err := client.Pull(ctx, puppetdb.Pulling{Dir: dir, Step: func(done, total int) {
				if bar == nil {
					bar = a.progress("fetching facts", total)
				}
				for ; last < done; last++ {
					bar.step()
				}
			}})
			if bar != nil {
				bar.stop()
			}
			if err != nil {
				if ctx.Err() != nil {
					return fail("interrupted: %s is as it was; the next pull goes on from here", dir)
				}
				return fail("%v", err)
			}
			resumed := ""
			if p.Resumed > 0 {
				resumed = fmt.Sprintf(" (%d of them by the pull before)", p.Resumed)
			}
			fmt.Fprintf(a.out, "%s: facts of %s, %d of them new or changed%s, %d gone   %.1f MB   %s\n", dir,
				plural(len(p.Snapshot.Nodes), "node"), p.Changed, resumed, p.Gone, float64(client.Bytes())/1e6,
				seconds(time.Since(began)))
			return nil
		},
	}
	flags.add(c.Flags())
	return c
}
