package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"bunraku/diff"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/puppetdb"
	"bunraku/report/redact"
	"bunraku/source"
)

// A shadow is in nobody's path: the catalogs of nodes are asked of the server that they have, or are those that it has
// stored in PuppetDB, compiled here from the same facts, and compared. What differs is told once for all nodes that
// have it, with the place where our side of it is written.

// ShadowOptions say whom to compare with.
type ShadowOptions struct {
	Options        // environments, compiler, classifier, certificates
	Server  string // https://puppet.example.com:8140; a rule must allow our certificate POST /puppet/v4/catalog
	// Stored brings a catalog to the form in which PuppetDB keeps it. With it nobody is asked to compile: what Options'
	// PuppetDB has is compared.
	Stored func(*catalog.Catalog) *catalog.Catalog
	Diff   diff.Options
	Watch  func(*eval.Result) // is told of every compile; nil for nobody
	Step   func()             // is called when a node is done; nil for nobody
}

// mostAnswer is how long a catalog of another server may be.
const mostAnswer = 512 << 20

// Shadow compares the catalogs of nodes with those that a server gives. An error is about our surroundings: who cannot
// be reached, or does not let us ask.
func Shadow(ctx context.Context, opt ShadowOptions, nodes []*facts.Facts) (*diff.Report, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Recheck == 0 {
		opt.Recheck = often
	}
	pair, err := tls.LoadX509KeyPair(opt.Cert, opt.Key)
	if err != nil {
		return nil, fmt.Errorf("our certificate: %w", err)
	}
	text, err := os.ReadFile(opt.CA)
	if err != nil {
		return nil, fmt.Errorf("the CA's certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate of a CA", opt.CA)
	}
	opt.Compile.Trace = true
	s := &Server{opt: opt.Options, secrets: &redact.Secrets{}}
	s.facts = serverFacts(s.version(), &pair)
	if opt.PuppetDB != nil { // collectors and queries ask it, as they do where agents are served
		client, err := puppetdb.New(*opt.PuppetDB)
		if err != nil {
			return nil, err
		}
		defer client.Close()
		s.db = &database{client: client, aside: func(wait func()) { wait() }}
		s.opt.Compile.PuppetDB = s.db
	}
	s.pool = newPool(s)
	x := &shadow{opt: opt, s: s, http: &http.Client{Timeout: compileTimeout,
		Transport: &http.Transport{MaxIdleConnsPerHost: 4, TLSClientConfig: &tls.Config{RootCAs: roots,
			Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}}}}
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	report := diff.NewReport(names)
	report.Name, report.From, report.To = strings.Join(opt.Environments, ":"), opt.Server, "bunraku"
	errs := make([]error, len(nodes))
	source.Each(ctx, len(nodes), func(i int) {
		errs[i] = x.node(ctx, report, i, nodes[i])
		if opt.Step != nil {
			opt.Step()
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, it := range report.All() {
		if it.From != "" {
			it.Cause = &diff.Cause{Other: it.From}
		}
	}
	join(report)
	report.Fail()
	report.Gather()
	return report, nil
}

// join makes one of the differences of many nodes that are about the same and are written in the same place on our
// side. Nothing is known of where the other side's values come from, and so not what in them is a node's own.
func join(report *diff.Report) {
	kept := map[string]*diff.Item{}
	into := map[*diff.Item]*diff.Item{}
	for _, it := range report.All() {
		key := fmt.Sprint(it.Slot(), "\x00", it.Part)
		if it.Cause != nil {
			key += "\x00" + it.Cause.Other
		}
		first := kept[key]
		if first == nil {
			kept[key] = it
			continue
		}
		into[it] = first
		first.Nodes = append(first.Nodes, it.Nodes...)
		slices.Sort(first.Nodes)
		first.Nodes = slices.Compact(first.Nodes)
	}
	for _, n := range report.Nodes {
		for i, it := range n.Changes {
			if first := into[it]; first != nil {
				n.Changes[i] = first
			}
		}
	}
}

type shadow struct {
	opt  ShadowOptions
	s    *Server
	http *http.Client
}

func (x *shadow) node(ctx context.Context, report *diff.Report, i int, f *facts.Facts) error {
	environment := f.Environment
	if environment == "" {
		environment = defaultEnvironment
	}
	out := report.Nodes[i]
	var theirs *catalog.Catalog
	var err error
	if x.opt.Stored != nil {
		if theirs, err = x.s.db.client.Catalog(ctx, f.Name); err == nil && theirs == nil {
			out.State, out.Excuse = diff.Excused, "PuppetDB has no catalog of it"
			return nil
		}
	} else {
		theirs, out.Old, err = x.ask(ctx, f, environment)
	}
	if err != nil {
		return err
	}
	node := compiler.Node{Name: f.Name, Facts: f, Unclassified: true}
	if x.s.db != nil {
		node.Imports = x.s.db.client.NewImporter(ctx)
	}
	fails := func(err error) { out.New = &source.Diagnostic{Code: "E0001", Summary: err.Error()} }
	var result *eval.Result
	var snap taken
	if environment, err = x.s.classify(ctx, &node, environment); x.opt.Stored != nil {
		environment = theirs.Environment // whatever it would be by now
	}
	if err != nil {
		fails(err)
	} else if env, err := x.s.pool.find(environment); err != nil {
		fails(err)
	} else if snap, err = env.snapshot(ctx, x.s.lately()); err != nil {
		fails(err)
	} else if d := unread(snap); d != nil {
		out.New = d
	} else if result, err = snap.Compile(ctx, node); err != nil {
		return err
	} else {
		if x.opt.Watch != nil {
			x.opt.Watch(result)
		}
		out.New = result.Failure
	}
	switch {
	case out.Old != nil && out.New != nil:
		out.State = diff.FailsBoth
	case out.Old != nil:
		out.State = diff.Mended
	case out.New != nil:
		out.State = diff.Fails
	default:
		snap, ours := snap.Current(), result.Catalog
		if x.opt.Stored != nil {
			theirs, ours = x.opt.Stored(theirs), x.opt.Stored(ours)
		}
		how := x.opt.Diff
		how.Whole = x.opt.Stored == nil // PuppetDB has neither what is secret nor an order
		changes := diff.Compare(diff.Side{Catalog: theirs, Types: snap, Modules: snap.Environment()},
			diff.Side{Catalog: ours, Types: snap, Modules: snap.Environment(), Record: result.Record()}, how)
		diff.Origins(changes)
		report.Add(i, changes)
	}
	return nil
}

// ask gets the catalog that the server has for a node, or why it has none.
func (x *shadow) ask(ctx context.Context, f *facts.Facts, environment string) (*catalog.Catalog, *source.Diagnostic,
	error) {
	trusted := f.Trusted
	if trusted == nil {
		trusted = facts.Trusted(strings.ToLower(f.Name), nil, nil)
	}
	hash := func(pairs ...value.Value) *value.Hash { return value.NewHash(pairs...) }
	t := func(s string) value.Value { return value.String(s) }
	body, err := catalog.JSON{}.AppendValue(nil, hash(t("certname"), t(f.Name), t("environment"), t(environment),
		t("persistence"), hash(t("facts"), value.Bool(false), t("catalog"), value.Bool(false)),
		t("facts"), hash(t("values"), f.Values), t("trusted_facts"), hash(t("values"), trusted)))
	if err != nil {
		return nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(x.opt.Server, "/")+"/puppet/v4/catalog",
		bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := x.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(text) > mostAnswer:
		return nil, nil, fmt.Errorf("%s: the catalog of %s has more than %d bytes", x.opt.Server, f.Name, mostAnswer)
	case res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusUnauthorized:
		return nil, nil, fmt.Errorf("%s does not let our certificate ask for catalogs (POST /puppet/v4/catalog): its "+
			"auth.conf "+
			"needs a rule that allows it", x.opt.Server)
	case res.StatusCode != http.StatusOK:
		// Puppet names the node at the end: the same reason of many nodes is one.
		why := strings.TrimSuffix(theirMessage(text, res.Status), " on node "+strings.ToLower(f.Name))
		return nil, &source.Diagnostic{Code: "E0001", Summary: why}, nil
	}
	var wrapped struct{ Catalog json.RawMessage }
	if err := json.Unmarshal(text, &wrapped); err != nil {
		return nil, nil, fmt.Errorf("%s: the answer is no JSON: %w", x.opt.Server, err)
	}
	c, err := catalog.Read(wrapped.Catalog)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the catalog of %s: %w", x.opt.Server, f.Name, err)
	}
	return c, nil, nil
}

// theirMessage is what a server says of an error.
func theirMessage(text []byte, status string) string {
	var p struct{ Message string }
	if json.Unmarshal(text, &p) == nil && p.Message != "" {
		return p.Message
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return status + ": " + line
}
