package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bunraku/puppet/catalog"
	"bunraku/puppet/psych"
	"bunraku/puppet/value"
	"bunraku/puppetdb"
	"bunraku/source"
)

// Reports are sent on to where reporturl leads, as Puppet's report processor http sends them: a POST of YAML with the
// tag of Puppet's class, byte for byte what Puppet writes. Puppet lets the agent wait, and if nobody answers there the
// report is gone. Here it is in a queue on disk when the agent hears that its report was taken, the same kind of queue
// as PuppetDB's, and stays there until it was taken.

// A forwarder sends reports on.
type forwarder struct {
	to     *url.URL
	client *http.Client
	older  bool // reports are written as puppetserver 7 writes them, whose Ruby is JRuby
}

// forwardTime is how long a report may take.
const forwardTime = 60 * time.Second

// openForwarder opens the queue of reports; nothing is sent yet.
func (s *Server) openForwarder(to string) (*errand, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, errors.New("the URL to send reports to is none") // it may have a password
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is nowhere to send reports to: it needs to be an http or https URL", u.Redacted())
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		d := tls.Dialer{Config: s.outgoing()}
		return d.DialContext(ctx, network, address)
	}
	f := &forwarder{to: u, older: s.opt.Compile.Language == source.Puppet7, client: &http.Client{Timeout: forwardTime,
		Transport:     &http.Transport{DialTLSContext: dial, MaxIdleConnsPerHost: 4, IdleConnTimeout: idleTimeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	return s.openErrand("reporturl", "who takes reports", f, f.client.CloseIdleConnections)
}

// Command implements puppetdb.Sender: it sends a report. One that will never be taken is an error with the status.
func (f *forwarder) Command(ctx context.Context, c puppetdb.Command) (string, error) {
	text, err := reportYAML(c.Payload, f.older)
	if err != nil {
		return "", &puppetdb.Error{URL: f.to.Redacted(), Status: http.StatusBadRequest, Detail: err.Error(), Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.to.String(), strings.NewReader(text))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-yaml")
	res, err := f.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // which names no password
		}
		return "", &puppetdb.Error{URL: f.to.Redacted(), Detail: err.Error(), Again: true, Err: err}
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16)) // so that the connection can be used again
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return "", &puppetdb.Error{URL: f.to.Redacted(), Status: res.StatusCode, Again: true}
	}
	return "", nil
}

// forward queues a report.
func (s *Server) forward(node string, body []byte) error {
	if s.reports == nil {
		return nil
	}
	return s.written("report_forward", node, s.reports.queue.Put(puppetdb.Command{Name: "forward_report", Version: 1,
		Certname: node, Produced: s.opt.Now(), Payload: body}))
}

// reportYAML is a report as Puppet writes it for others (puppet/reports/http.rb, Puppet::Util::PsychSupport).
func reportYAML(body []byte, older bool) (string, error) {
	v, err := catalog.ReadJSON(body)
	if err != nil {
		return "", err
	}
	h, is := v.(*value.Hash)
	if !is {
		return "", errors.New("the report is no object")
	}
	write := yamlWriter{psych.Text, psych.Float}
	if older {
		write = yamlWriter{psych.Older, psych.OlderFloat}
	}
	root := write.node(h)
	root.Tag = "!ruby/object:Puppet::Transaction::Report"
	return psych.Emit(root, psych.Options{Older: older}), nil
}

// A yamlWriter makes scalars.
type yamlWriter struct {
	text  func(s string, foldAbove int) *psych.Node
	float func(float64) string
}

// node is a value of JSON as YAML.
func (w yamlWriter) node(v value.Value) *psych.Node {
	switch v := v.(type) {
	case *value.Array:
		n := &psych.Node{Kind: psych.Sequence}
		for _, e := range v.Elems {
			n.Items = append(n.Items, w.node(e))
		}
		return n
	case *value.Hash:
		n := &psych.Node{Kind: psych.Mapping}
		for _, e := range v.Entries() {
			n.Items = append(n.Items, w.node(e.Key), w.node(e.Value))
		}
		return n
	case value.String:
		return w.text(string(v), 0)
	case value.Float:
		return &psych.Node{Text: w.float(float64(v))}
	}
	if v == nil || value.IsUndef(v) {
		return &psych.Node{}
	}
	return &psych.Node{Text: value.ToString(v)}
}
