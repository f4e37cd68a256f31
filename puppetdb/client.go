// Package puppetdb is the one client of PuppetDB: queries and commands over its HTTP API (/pdb/query/v4, /pdb/cmd/v1),
// with a client certificate or a token.
//
// Answers are read row by row as they come in, and never held as a whole; each has a bound in bytes and in the time
// that may pass without a byte. An answer that breaks off is an error, also when what came before it made sense.
//
//	client.go    connecting
//	query.go     queries, and the rows of their answers
//	command.go   commands: what is to be stored
//	wire.go      facts, catalogs and reports as commands
//	queue.go     commands on their way, kept on disk until they are taken
//	pull.go      the facts of all nodes, as a directory that is brought up to date
//	resources.go what nodes export
//	error.go     what went wrong, in words
//
// Certificates and keys are texts that whoever names them has read; the only files that it touches are those of a
// directory of facts. It may import catalog, exported, resource and value. Start reading at New, then Client.Query and
// Client.Command.
package puppetdb

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Config says where a PuppetDB is and who asks.
type Config struct {
	URL string // https://puppetdb.example.com:8081, or http://localhost:8080
	// Certificate and Key are the client's, CA are the authorities that sign the server's: texts in PEM. With CA empty
	// those of the system are asked.
	Certificate, Key, CA []byte
	// TLS is how the next connection is made, in place of Certificate, Key and CA: for who goes on for so long that
	// certificates are renewed meanwhile. nil for none.
	TLS       func() *tls.Config
	Token     string        // sent as X-Authentication, as PE wants it; "" for none
	Timeout   time.Duration // that may pass without a byte; DefaultTimeout when zero
	MostBytes int64         // of one answer; DefaultBytes when zero
	Pause     time.Duration // before a question is asked again; a third of a second when zero
}

// Bounds of one answer.
const (
	DefaultTimeout = 30 * time.Second
	DefaultBytes   = 4 << 30
	mostRow        = 64 << 20    // of one row
	mostIdle       = time.Minute // that a connection waits for the next question, where certificates change
)

// A Client asks one PuppetDB. It can be used by many at the same time.
type Client struct {
	base *url.URL
	http *http.Client
	conf Config
	read sync.Mutex
	n    int64 // bytes of answers so far
}

// New makes a client; nothing is sent yet.
func New(c Config) (*Client, error) {
	base, err := url.Parse(c.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		shown := c.URL
		if _, behind, has := strings.Cut(shown, "@"); has { // what stands before it is nobody's business
			shown = behind
		}
		return nil, fmt.Errorf("%q is no address of a PuppetDB: write https://HOST:8081", shown)
	}
	if strings.ContainsFunc(c.Token, unicode.IsControl) {
		return nil, errors.New("the token has more than one line, or characters that cannot be sent: its file holds " +
			"nothing else than the token")
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MostBytes <= 0 {
		c.MostBytes = DefaultBytes
	}
	if c.Pause <= 0 {
		c.Pause = 300 * time.Millisecond
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(c.CA) > 0 {
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, errors.New("the file of authorities holds no certificate in PEM")
		}
	}
	if len(c.Certificate) > 0 || len(c.Key) > 0 {
		pair, err := tls.X509KeyPair(c.Certificate, c.Key)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate and key do not work together: %w", err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	if base.Scheme == "http" && (len(c.Certificate) > 0 || c.TLS != nil || c.Token != "" || base.User != nil) {
		if host := base.Hostname(); host != "localhost" && !net.ParseIP(host).IsLoopback() {
			return nil, fmt.Errorf("%s is not encrypted: a certificate, a token or a password is only shown to https://",
				base.Redacted())
		}
	}
	transport := &http.Transport{TLSClientConfig: conf, MaxIdleConnsPerHost: 4, ResponseHeaderTimeout: c.Timeout,
		DialContext: (&net.Dialer{Timeout: min(c.Timeout, 10*time.Second)}).DialContext,
		// A PuppetDB is inside; what a proxy is told is not for everyone.
		Proxy: nil}
	if c.TLS != nil {
		dial := transport.DialContext
		transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return secure(ctx, conn, address, c.TLS(), c.Timeout)
		}
		transport.IdleConnTimeout = mostIdle
	}
	return &Client{base: base, conf: c, http: &http.Client{Transport: transport,
		// Who is led elsewhere would show the token there.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// secure speaks TLS on a connection to an address.
func secure(ctx context.Context, conn net.Conn, address string, conf *tls.Config, most time.Duration) (net.Conn,
	error) {
	if conf.ServerName == "" {
		conf = conf.Clone()
		conf.ServerName, _, _ = net.SplitHostPort(address) // it was dialled
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	secured := tls.Client(conn, conf)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secured, nil
}

// Close ends connections that are kept for the next question.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// URL is where the PuppetDB is, as it may be shown: without a password.
func (c *Client) URL() string { return c.base.Redacted() }

// Bytes is how much was read of answers so far, decompressed.
func (c *Client) Bytes() int64 {
	c.read.Lock()
	defer c.read.Unlock()
	return c.n
}

// send asks one thing. The answer's body ends with an error when nothing came for too long, or too much.
func (c *Client) send(ctx context.Context, method, path string, values url.Values, body []byte) (*http.Response,
	error) {
	u := *c.base
	u.Path += path
	u.RawQuery = values.Encode()
	ctx, cancel := context.WithCancelCause(ctx)
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), sent)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		r.Header.Set("X-Uncompressed-Length", fmt.Sprint(len(body)))
	}
	if c.conf.Token != "" {
		r.Header.Set("X-Authentication", c.conf.Token)
	}
	w := &watched{c: c, cancel: cancel, left: c.conf.MostBytes}
	w.timer = time.AfterFunc(c.conf.Timeout, func() { cancel(errSlow) })
	answer, err := c.http.Do(r)
	if err != nil {
		cause := context.Cause(ctx)
		w.stop()
		return nil, c.trouble(cause, err)
	}
	w.timer.Reset(c.conf.Timeout)
	w.body, w.ctx, answer.Body = answer.Body, ctx, w
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // what cannot be read is not shown
		e := &Error{URL: c.URL(), Status: answer.StatusCode, Detail: firstLine(text)}
		if to := answer.Header.Get("Location"); to != "" && answer.StatusCode/100 == 3 {
			e.Detail = "it leads to " + firstLine([]byte(to))
			e.Help = "name the PuppetDB itself; what is shown to it is shown to nobody else"
		}
		return nil, e
	}
	return answer, nil
}

// A watched body ends when nothing comes for too long, or too much.
type watched struct {
	c      *Client
	ctx    context.Context
	body   io.ReadCloser
	cancel context.CancelCauseFunc
	timer  *time.Timer
	left   int64
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	w.c.read.Lock()
	w.c.n += int64(n)
	w.c.read.Unlock()
	if w.left -= int64(n); w.left < 0 {
		return 0, &Error{URL: w.c.URL(), Detail: fmt.Sprintf("the answer is longer than %d bytes", w.c.conf.MostBytes)}
	}
	switch {
	case err == nil:
		w.timer.Reset(w.c.conf.Timeout)
	case err != io.EOF:
		err = w.c.trouble(context.Cause(w.ctx), err)
	}
	return n, err
}

func (w *watched) Close() error {
	w.stop()
	return w.body.Close()
}

func (w *watched) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
